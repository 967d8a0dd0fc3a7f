//! The OpenCL driver that applications run on: Hekla, or another of this machine's to compare it with.

use crate::artifact;
use crate::driver::Installed;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A driver; its commands see no other driver.
#[derive(Clone)]
pub struct Vendor {
    name: String,
    kind: Kind,
    /// The Vulkan driver that it runs on, if one was asked for.
    pub driver: Option<Installed>,
    device: String,
    device_type: String,
}

#[derive(Clone)]
enum Kind {
    /// Its library.
    Hekla(PathBuf),
    /// Its .icd file.
    Other(PathBuf),
}

impl Vendor {
    pub fn hekla(library: PathBuf) -> Vendor {
        Vendor::new("hekla", Kind::Hekla(library))
    }

    /// Returns the driver whose .icd file in a folder has this name.
    pub fn installed(name: &str, vendors: &Path) -> Result<Vendor, String> {
        let of_folder = |folder: &Path| folder.join(format!("{name}.icd"));
        let files = [of_folder(vendors), of_folder(Path::new("/etc/OpenCL/vendors"))];
        let file = files.into_iter().find(|file| file.exists());
        let file = file.ok_or_else(|| format!("no {name}.icd in {}", vendors.display()))?;
        Ok(Vendor::new(name, Kind::Other(file)))
    }

    fn new(name: &str, kind: Kind) -> Vendor {
        let (device, device_type) = (String::new(), String::new());
        Vendor { name: name.to_string(), kind, driver: None, device, device_type }
    }

    /// Finds out what the first device is.
    pub fn ask_device(&mut self, folder: &Path) -> Result<(), String> {
        let ask = |property: &str| {
            let mut command = self.command("clinfo", folder)?;
            command.args(["--raw", "--prop", property]);
            let output = command.output().map_err(|e| format!("cannot run clinfo: {e}"))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let value = text.lines().find_map(|line| line.split_once(property));
            let value = value.map(|(_, value)| value.trim().to_string());
            value.ok_or_else(|| format!("{} has no device", self.name))
        };
        (self.device, self.device_type) = (ask("CL_DEVICE_NAME")?, ask("CL_DEVICE_TYPE")?);
        Ok(())
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn describe(&self) -> String {
        format!("{}: {}", self.name, self.device)
    }

    /// Returns the name of the first device as darktable writes it in its settings.
    pub fn canonical_device(&self) -> String {
        let letters = self.device.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    }

    pub fn is_cpu(&self) -> bool {
        self.device_type.contains("CPU")
    }

    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// Returns a command whose home is a folder, in which it also leaves a trace.
    pub fn command(&self, program: &str, folder: &Path) -> Result<Command, String> {
        let mut command = match &self.kind {
            Kind::Hekla(library) => artifact::client_of(library, program)?,
            Kind::Other(file) => {
                let alone = folder.join(format!("vendor-{}", self.name));
                let copy = || -> std::io::Result<()> {
                    std::fs::create_dir_all(&alone)?;
                    std::fs::copy(file, alone.join("driver.icd")).map(|_| ())
                };
                copy().map_err(|e| format!("{}: {e}", file.display()))?;
                let mut command = Command::new(program);
                command.env("OCL_ICD_VENDORS", alone).env_remove("OCL_ICD_FILENAMES");
                command
            }
        };
        super::prepare::find(&mut command);
        if let Some(driver) = &self.driver {
            driver.select(&mut command);
        }
        for trace in traces(folder) {
            let _ = std::fs::remove_file(trace);
        }
        match &self.kind {
            // The trace is one file for each process.
            Kind::Hekla(_) => command.env("HEKLA_TRACE", folder.join("trace-%p")),
            Kind::Other(_) => {
                command.env("POCL_TRACING", "text").env("POCL_TRACING_OPT", folder.join("trace-"))
            }
        };
        // PoCL uses the user's own cache, since it takes minutes to compile for an application.
        let cache = std::env::var_os("POCL_CACHE_DIR").map(PathBuf::from);
        let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/pocl/kcache"));
        if let Some(cache) = cache.or(home) {
            command.env("POCL_CACHE_DIR", cache);
        }
        for variable in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env(variable, folder);
        }
        command.current_dir(folder);
        Ok(command)
    }

    /// Returns how many kernels the last command in a folder ran; nothing where the driver leaves no trace.
    pub fn kernels(&self, folder: &Path) -> Option<usize> {
        let is_launch = |line: &String| match &self.kind {
            Kind::Hekla(_) => {
                line.contains("\"name\":\"clEnqueueNDRangeKernel\"") && !line.contains("\"error\"")
            }
            Kind::Other(_) => line.contains("| ndrange_kernel | complete"),
        };
        let launches = traces(folder).into_iter().filter_map(|trace| {
            let lines = std::io::BufReader::new(std::fs::File::open(trace).ok()?).lines();
            Some(lines.map_while(Result::ok).filter(is_launch).count())
        });
        launches.reduce(|all, more| all + more)
    }
}

/// Returns the traces of the last command in a folder.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let is_trace = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("trace-"))
    };
    files.filter(is_trace).collect()
}
