//! Pipelines in the cache: the pipeline cache data that the Vulkan driver gave for each pipeline.

use crate::core::cache::digest::Digest;
use crate::core::cache::Cache;
use hekla_vk_backend as vk;

impl vk::PipelineStore for &'static Cache {
    fn load(&self, info: &vk::DeviceInfo, d: &vk::PipelineDesc<'_>) -> Option<Vec<u8>> {
        Cache::load(self, key(info, d))
    }

    fn store(&self, info: &vk::DeviceInfo, d: &vk::PipelineDesc<'_>, data: &[u8]) {
        Cache::store(self, key(info, d), data);
    }
}

fn key(info: &vk::DeviceInfo, d: &vk::PipelineDesc<'_>) -> Digest {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let constants: Vec<u32> = d.specialization.iter().flat_map(|&(id, v)| [id, v]).collect();
    Digest::of(&[
        b"pipeline",
        &info.pipeline_cache_uuid,
        &info.driver_uuid,
        &words(&[info.vendor_id, info.device_id, info.driver_version, info.driver_id]),
        info.driver_info.as_bytes(),
        &words(d.spirv),
        d.entry.as_bytes(),
        &words(&constants),
        &d.push_constant_size.to_le_bytes(),
        &d.subgroups.size.unwrap_or(0).to_le_bytes(),
        &[u8::from(d.subgroups.full)],
    ])
}

#[cfg(test)]
mod tests {
    use crate::core::cache::cache;
    use hekla_vk_backend as vk;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    const ROLE: &str = "HEKLA_TEST_ROLE";

    /// Runs in the processes that the test starts: creates pipelines on a device that has no memory and runs nothing,
    /// and prints how they were created. Does nothing in the process of the tests.
    #[test]
    fn role() {
        if std::env::var_os(ROLE).is_none() {
            return;
        }
        let instance = vk::Instance::load().unwrap();
        let mut physical = instance.physical_devices().pop().unwrap();
        assert!(physical.info.name.contains("Null hardware"), "{}", physical.info.name);
        physical.info.refusal = None;
        let device = vk::Device::open(&physical).unwrap();
        // SAFETY: the cache checks what it loads by a digest of what it stored.
        unsafe { device.set_pipeline_store(Box::new(cache().unwrap())) };
        let mut kernel = vk::asm::KernelBuilder::new(1);
        kernel.local_size_constants([0, 1, 2]);
        let (uint, i) = (kernel.uint(), kernel.global_id_x());
        kernel.store(0, uint, i, i);
        let spirv = kernel.finish();
        for size in [32, 64] {
            let desc = vk::PipelineDesc {
                spirv: &spirv,
                entry: "main",
                name: "test",
                specialization: &[(0, size)],
                push_constant_size: 8,
                uses_images: false,
                subgroups: Default::default(),
            };
            // SAFETY: the assembler makes a valid module.
            let pipeline = unsafe { device.create_pipeline(&desc) };
            println!("\nmade: {:?}", pipeline.unwrap().creation());
        }
        // The device is not destroyed: the driver would wait for hardware that does not exist.
        std::mem::forget(device);
    }

    /// Runs a process with a folder for caches. Returns two flags for each pipeline: true if data for it was in the
    /// cache, and true if the driver found it there.
    fn run(driver: &Path, folder: &Path) -> Vec<(bool, bool)> {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "core::cache::pipelines::tests::role", "--nocapture"])
            .env(ROLE, "1")
            .env("RADV_FORCE_FAMILY", "navi10")
            .env("VK_DRIVER_FILES", driver)
            .env("VK_ICD_FILENAMES", driver)
            .env("MESA_SHADER_CACHE_DISABLE", "true")
            .env("HEKLA_CACHE", "1")
            .env("XDG_CACHE_HOME", folder)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let made = text.lines().filter_map(|line| line.strip_prefix("made: "));
        made.map(|how| (!how.contains("given: 0,"), how.contains("found: Some(true)"))).collect()
    }

    /// The test uses Mesa's driver for Radeons, which compiles without the hardware and gives pipeline cache data. Lavapipe and
    /// SwiftShader give none.
    #[test]
    fn the_next_process_gets_the_pipelines() {
        let drivers = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten();
        let is_radeon = |path: &PathBuf| path.to_string_lossy().contains("radeon_icd");
        let Some(driver) = drivers.map(|file| file.path()).find(is_radeon) else {
            println!("skipped: Mesa's driver for Radeons is not installed");
            return;
        };
        let name = format!("hekla-pipelines-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (new, known) = ((false, false), (true, true));
        assert_eq!(run(&driver, &folder), [new, new]);
        let entries: Vec<_> =
            std::fs::read_dir(folder.join("hekla")).unwrap().map(|e| e.unwrap().path()).collect();
        assert_eq!(entries.len(), 2, "one of each size");
        assert_eq!(run(&driver, &folder), [known, known]);
        assert_eq!(run(&driver, &folder), [known, known]);
        std::fs::remove_file(&entries[0]).unwrap();
        let mut mixed = run(&driver, &folder);
        mixed.sort_unstable();
        assert_eq!(mixed, [new, known]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
