//! The GPUs whose compilers are available: Mesa's drivers open on a stand-in for Linux's DRM driver (Debian's
//! mesa-drm-shim), and compile as for the GPU that an environment variable names. Submitted commands do not run.

use crate::mesa::Architecture;

/// A GPU.
#[derive(Debug, PartialEq)]
pub struct Gpu {
    /// The name of the GPU's device file in vk-backend/devices.
    pub name: &'static str,
    pub driver: &'static Driver,
    /// The shim's name for the GPU.
    pub id: &'static str,
    /// True if Debian 13 has the driver, and a shim that knows the GPU.
    pub in_trixie: bool,
}

/// A driver of Mesa, and the shim for it.
#[derive(Debug, PartialEq)]
pub struct Driver {
    /// `libvulkan_NAME.so`.
    pub library: &'static str,
    /// `libNAME_noop_drm_shim.so`.
    pub shim: &'static str,
    /// The variable that names the GPU to the shim.
    pub variable: &'static str,
    /// The architecture for which Debian builds the driver.
    pub architecture: Architecture,
    /// The statistics that measure the quality of the code, by the driver's names; the first one decides.
    pub scores: &'static [&'static str],
    /// The statistics that count spilled registers.
    pub spills: &'static [&'static str],
}

static RADV: Driver = Driver {
    library: "radeon",
    shim: "amdgpu",
    variable: "AMDGPU_GPU_ID",
    architecture: Architecture::Amd64,
    scores: &["Inverse Throughput", "Latency", "Instructions", "VALU", "VMEM", "SMEM", "VGPRs"],
    spills: &["Spilled VGPRs", "Spilled SGPRs"],
};
static ANV: Driver = Driver {
    library: "intel",
    shim: "intel",
    variable: "INTEL_STUB_GPU_PLATFORM",
    architecture: Architecture::Amd64,
    scores: &["Cycles", "Instructions", "SENDs", "Max live registers"],
    spills: &["Spills"],
};
static NVK: Driver = Driver {
    library: "nouveau",
    shim: "nouveau",
    variable: "NOUVEAU_CHIPSET",
    architecture: Architecture::Amd64,
    scores: &["Static cycle count", "Instruction count", "Number of GPRs"],
    spills: &["Spills to memory"],
};
static TURNIP: Driver = Driver {
    library: "freedreno",
    shim: "freedreno",
    variable: "FD_GPU_ID",
    architecture: Architecture::Amd64,
    scores: &["Instruction Count", "cat6 instructions", "Registers used"],
    spills: &["STP Count"],
};
static HONEYKRISP: Driver = Driver {
    library: "asahi",
    shim: "asahi",
    // The shim has no variable, since it knows one GPU.
    variable: "ASAHI_GPU_ID",
    architecture: Architecture::Amd64,
    scores: &["Instructions", "ALU", "GPRs"],
    spills: &["Spills"],
};
static PANVK: Driver = Driver {
    library: "panfrost",
    shim: "panfrost",
    variable: "PAN_GPU_ID",
    architecture: Architecture::Arm64,
    scores: &["Cycles", "Instructions", "Registers used"],
    spills: &["Spills"],
};
static V3DV: Driver = Driver {
    library: "broadcom",
    shim: "v3d",
    variable: "V3D_GPU_ID",
    architecture: Architecture::Arm64,
    scores: &["Instruction Count", "Thread Count"],
    spills: &["TMU Spills"],
};

/// All GPUs.
pub static GPUS: [Gpu; 18] = [
    Gpu { name: "radeon-radv", driver: &RADV, id: "polaris10", in_trixie: true },
    Gpu { name: "radv-vega10", driver: &RADV, id: "vega10", in_trixie: true },
    Gpu { name: "radv-navi10", driver: &RADV, id: "navi10", in_trixie: true },
    Gpu { name: "radv-navi21", driver: &RADV, id: "navi21", in_trixie: true },
    Gpu { name: "radv-navi31", driver: &RADV, id: "navi31", in_trixie: true },
    Gpu { name: "radv-gfx1201", driver: &RADV, id: "gfx1201", in_trixie: false },
    Gpu { name: "anv-skl", driver: &ANV, id: "skl", in_trixie: true },
    Gpu { name: "intel-anv", driver: &ANV, id: "tgl", in_trixie: true },
    Gpu { name: "anv-dg2", driver: &ANV, id: "dg2", in_trixie: true },
    Gpu { name: "anv-bmg", driver: &ANV, id: "bmg", in_trixie: true },
    Gpu { name: "nvk-ampere", driver: &NVK, id: "170", in_trixie: true },
    Gpu { name: "turnip-a630", driver: &TURNIP, id: "630", in_trixie: false },
    Gpu { name: "adreno-turnip", driver: &TURNIP, id: "660", in_trixie: false },
    Gpu { name: "turnip-a740", driver: &TURNIP, id: "740", in_trixie: false },
    Gpu { name: "apple-honeykrisp", driver: &HONEYKRISP, id: "m1", in_trixie: false },
    Gpu { name: "mali-panvk", driver: &PANVK, id: "a867", in_trixie: false },
    Gpu { name: "pi4-v3dv", driver: &V3DV, id: "42", in_trixie: false },
    Gpu { name: "pi5-v3dv", driver: &V3DV, id: "71", in_trixie: false },
];

impl Driver {
    /// Returns true if no package has the shim.
    pub fn builds_shim(&self) -> bool {
        self.shim == "intel"
    }
}

impl Gpu {
    /// Returns the GPU of a name.
    pub fn named(name: &str) -> Result<&'static Gpu, String> {
        let all = || GPUS.iter().map(|gpu| gpu.name).collect::<Vec<_>>().join(", ");
        let found = GPUS.iter().find(|gpu| gpu.name == name);
        found.ok_or_else(|| format!("no GPU '{name}': one of {}", all()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::root;

    #[test]
    fn every_gpu_has_a_device_file() {
        for gpu in &GPUS {
            let file = root().join(format!("vk-backend/devices/{}.toml", gpu.name));
            assert!(file.exists(), "{}", file.display());
            assert_eq!(Gpu::named(gpu.name), Ok(gpu));
        }
        assert!(Gpu::named("voodoo2").unwrap_err().contains("radv-navi31, radv-gfx1201"));
    }
}
