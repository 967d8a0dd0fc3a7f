//! Checks of the system: Vulkan's manifests, the files of GPUs, memory, the disk cache.

use super::{Finding, Severity};
use hekla::{config, platform};
use std::path::{Path, PathBuf};

/// Returns the paths in a folder with this beginning and ending, in order.
pub fn entries(folder: &Path, beginning: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(beginning) && name.ends_with(ending)
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).filter(wanted).collect();
    paths.sort();
    paths
}

/// Returns lines about the drivers that the Vulkan loader's manifests name.
pub fn vulkan_manifests() -> Vec<Finding> {
    let named = config::vulkan_drivers();
    let one = |severity, text: String| Finding::new(severity, "vulkan", text);
    if !named.is_empty() {
        let line = |(variable, path): (&str, String)| match Path::new(&path).exists() {
            true => one(Severity::Fine, format!("{variable} names {path}")),
            false => one(
                Severity::Fault,
                format!("{variable} names {path}, which is not there: unset it or correct it"),
            ),
        };
        return named.into_iter().map(line).collect();
    }
    let folders = platform::VULKAN_MANIFESTS;
    let found: Vec<_> =
        folders.iter().flat_map(|folder| entries(Path::new(folder), "", ".json")).collect();
    let names: Vec<_> = found.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
    match (names.is_empty(), folders.is_empty()) {
        (false, _) => vec![one(Severity::Fine, format!("drivers: {}", names.join(", ")))],
        (true, false) => vec![one(
            Severity::Note,
            format!("no driver in {}: install the GPU's, or Mesa's", folders.join(", ")),
        )],
        (true, true) => Vec::new(),
    }
}

/// Returns lines about whether this user may open the files of GPUs.
pub fn device_files() -> Vec<Finding> {
    let Some(folder) = platform::DEVICE_FILES else { return Vec::new() };
    let files = entries(Path::new(folder), "renderD", "");
    if files.is_empty() {
        let text = "there is none: no kernel driver of a GPU is loaded, or the container has none (NVIDIA's needs \
                    none); software devices do without";
        return vec![Finding::new(Severity::Note, folder, text)];
    }
    files.iter().map(|path| device_file(folder, path)).collect()
}

fn device_file(folder: &str, path: &Path) -> Finding {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match std::fs::File::options().read(true).write(true).open(path) {
        Ok(_) => Finding::new(Severity::Fine, folder, format!("{name} can be opened")),
        Err(error) => {
            let text = format!(
                "{name}: {error}: add this user to its group (sudo usermod -aG render $USER) and log in again"
            );
            Finding::new(Severity::Fault, folder, text)
        }
    }
}

/// Returns a line about the host's memory, if the system reports it.
pub fn memory() -> Vec<Finding> {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().split(' ').next()?.parse::<f64>().ok()
    };
    let (Some(all), Some(free)) = (kib("MemTotal:"), kib("MemAvailable:")) else {
        return Vec::new();
    };
    let [all, free] = [all, free].map(|kib| kib * 1024.0 / 1e9);
    let text = format!("{all:.1} GB, {free:.1} GB of them available");
    vec![match free < 0.5 {
        false => Finding::new(Severity::Fine, "memory", text),
        true => Finding::new(Severity::Note, "memory", format!("{text}: end other programs")),
    }]
}

/// Returns lines about whether built programs and pipelines are kept on disk.
pub fn cache() -> Vec<Finding> {
    let finding = |severity, text: String| vec![Finding::new(severity, "cache", text)];
    if !config::disk_cache() {
        return finding(
            Severity::Note,
            "turned off by HEKLA_CACHE=0: programs are built anew in each process".to_string(),
        );
    }
    let Some(folder) = config::cache_home().map(|home| home.join("hekla")) else {
        let text = "no folder: set HOME or XDG_CACHE_HOME to an absolute path";
        return finding(Severity::Note, text.to_string());
    };
    let shown = folder.display();
    let probe = folder.join(format!("tmp-doctor-{}", std::process::id()));
    let written = platform::create_private_folder(&folder)
        .and_then(|()| platform::create_private_file(&probe))
        .and_then(|_| std::fs::remove_file(&probe));
    if let Err(error) = written {
        let text = format!("{shown}: {error}: programs are built anew; make it writable");
        return finding(Severity::Note, text);
    }
    let sizes = entries(&folder, "", "").into_iter().filter_map(|path| path.metadata().ok());
    let (mut count, mut bytes) = (0, 0);
    for metadata in sizes {
        count += 1;
        bytes += metadata.len();
    }
    let [used, limit] = [bytes, config::disk_cache_size()].map(|bytes| bytes as f64 / 1e6);
    finding(Severity::Fine, format!("{shown}: {count} entries, {used:.1} of {limit:.0} MB"))
}
