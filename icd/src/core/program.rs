//! Programs: source or binary, and what building them gave for each device.

use super::binary;
use super::context::Context;
use super::device::Device;
use super::dump;
use super::gpu::Gpu;
use super::kernel::BuiltKernel;
use crate::api::cl::*;
use crate::core::error::{ensure, ClError, Result};
use crate::object::{Kind, Ref};
use hekla_compiler as compiler;
use hekla_compiler::options::ClStd;
use hekla_vk_backend as vk;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

pub struct Program {
    pub context: Ref<Context>,
    /// Devices the program is for, and what it is there.
    pub devices: Vec<Ref<Device>>,
    /// The concatenated strings of clCreateProgramWithSource; empty for other programs.
    pub source: String,
    pub from_source: bool,
    builds: Mutex<Vec<Build>>,
    /// Kernel objects that exist: while there are any, the program is not built again.
    kernels: AtomicU32,
}

/// The program on one device.
#[derive(Clone)]
pub struct Build {
    pub status: cl_build_status,
    pub options: String,
    pub log: String,
    pub executable: Option<Arc<Executable>>,
    /// A loaded binary that has not been built yet.
    loaded: Option<Arc<Executable>>,
}

impl Default for Build {
    fn default() -> Self {
        Build {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            executable: None,
            loaded: None,
        }
    }
}

/// A compiled program on one device.
pub struct Executable {
    pub program: compiler::Program,
    pub options: String,
    pub kernels: Vec<Arc<BuiltKernel>>,
}

/// The device's copy of a program's variables, made when a kernel first needs it.
pub struct ProgramData {
    gpu: Arc<Gpu>,
    image: compiler::kernel::DataImage,
    buffer: OnceCell<Arc<vk::Buffer>>,
}

impl Kind for Program {
    type Target = _cl_program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;

    fn reachable(&self) -> bool {
        self.kernels.load(Ordering::Acquire) > 0
    }
}

impl ProgramData {
    /// The copy, with the addresses that its bytes hold adjusted to where it lies.
    pub fn buffer(&self) -> Result<&Arc<vk::Buffer>> {
        self.buffer.get_or_try_init(|| {
            let mut bytes = self.image.bytes.clone();
            let size = (bytes.len() as u64).max(16).next_multiple_of(16);
            let buffer = self.gpu.device.create_buffer(size, vk::MemoryKind::Device)?;
            for &offset in &self.image.relocations {
                let slot = bytes.get_mut(offset as usize..offset as usize + 8);
                if let Some(slot) = slot.and_then(|s| <&mut [u8; 8]>::try_from(s).ok()) {
                    *slot = u64::from_le_bytes(*slot).wrapping_add(buffer.address()).to_le_bytes();
                }
            }
            self.gpu.write_now(&buffer, 0, &bytes)?;
            Ok(buffer)
        })
    }
}

impl Executable {
    /// Prepares a compiled program for a device.
    pub fn new(
        gpu: &Arc<Gpu>,
        program: compiler::Program,
        options: &str,
        parsed: &compiler::Options,
    ) -> Arc<Executable> {
        dump::modules(&program);
        let data = Arc::new(ProgramData {
            gpu: gpu.clone(),
            image: program.data.clone(),
            buffer: OnceCell::new(),
        });
        // Non-uniform work-groups are for OpenCL C 2.0 and newer (clEnqueueNDRangeKernel).
        let uniform = parsed.std < ClStd::Cl20 || parsed.uniform_work_group_size;
        let kernels = program.kernels.iter().map(|kernel| {
            Arc::new(BuiltKernel::new(
                gpu.clone(),
                kernel.clone(),
                data.clone(),
                uniform,
                parsed.kernel_arg_info,
            ))
        });
        let kernels = kernels.collect();
        Arc::new(Executable { program, options: options.to_string(), kernels })
    }

    pub fn kernel(&self, name: &str) -> Option<&Arc<BuiltKernel>> {
        self.kernels.iter().find(|kernel| kernel.kernel.name == name)
    }
}

impl Program {
    /// clCreateProgramWithSource: for all devices of the context.
    pub fn from_source(context: Ref<Context>, source: String) -> Ref<Program> {
        let devices = context.devices.clone();
        let builds = vec![Build::default(); devices.len()];
        Program::new(context, devices, source, true, builds)
    }

    /// clCreateProgramWithBinary. Returns the status for each device; the program when all are good.
    pub fn from_binaries(
        context: Ref<Context>,
        devices: Vec<Ref<Device>>,
        binaries: &[&[u8]],
    ) -> (Vec<cl_int>, Result<Ref<Program>>) {
        let mut statuses = Vec::new();
        let mut builds = Vec::new();
        for (device, bytes) in devices.iter().zip(binaries) {
            match Self::load_binary(device, bytes) {
                Ok(loaded) => {
                    statuses.push(CL_SUCCESS);
                    builds.push(Build { loaded: Some(loaded), ..Build::default() });
                }
                Err(reason) => {
                    tracing::info!("a program binary is not usable: {reason}");
                    statuses.push(CL_INVALID_BINARY);
                }
            }
        }
        let good = builds.len() == devices.len();
        let program = if good {
            Ok(Program::new(context, devices, String::new(), false, builds))
        } else {
            Err(ClError(CL_INVALID_BINARY))
        };
        (statuses, program)
    }

    fn load_binary(
        device: &Ref<Device>,
        bytes: &[u8],
    ) -> std::result::Result<Arc<Executable>, String> {
        let gpu = device.gpu().map_err(|error| error.to_string())?;
        let (options, program) = binary::read(bytes, &gpu.target)?;
        let parsed = compiler::Options::parse(&options).map_err(|error| error.0)?;
        Ok(Executable::new(gpu, program, &options, &parsed))
    }

    fn new(
        context: Ref<Context>,
        devices: Vec<Ref<Device>>,
        source: String,
        from_source: bool,
        builds: Vec<Build>,
    ) -> Ref<Program> {
        Ref::new(Program {
            context,
            devices,
            source,
            from_source,
            builds: Mutex::new(builds),
            kernels: AtomicU32::new(0),
        })
    }

    /// Position of a device in the program, or CL_INVALID_DEVICE.
    pub fn index_of(&self, device: &Ref<Device>) -> Result<usize> {
        self.devices.iter().position(|d| d == device).ok_or(ClError(CL_INVALID_DEVICE))
    }

    /// The state of the program on its device number `index`.
    pub fn build_of(&self, index: usize) -> Build {
        self.builds.lock().get(index).cloned().unwrap_or_default()
    }

    /// States on all devices.
    pub fn all_builds(&self) -> Vec<Build> {
        self.builds.lock().clone()
    }

    pub fn kernels_attached(&self) -> u32 {
        self.kernels.load(Ordering::Acquire)
    }

    pub fn attach_kernel(&self) {
        self.kernels.fetch_add(1, Ordering::AcqRel);
    }

    pub fn detach_kernel(&self) {
        self.kernels.fetch_sub(1, Ordering::AcqRel);
    }

    /// clBuildProgram for some devices of the program.
    ///
    /// CL_INVALID_BUILD_OPTIONS, CL_INVALID_OPERATION while kernels exist, and
    /// CL_BUILD_PROGRAM_FAILURE with a log.
    pub fn build(&self, devices: &[usize], options: &str) -> Result<()> {
        ensure!(self.kernels_attached() == 0, CL_INVALID_OPERATION);
        let parsed = compiler::Options::parse(options).map_err(|error| {
            tracing::info!("build options: {error}");
            ClError(CL_INVALID_BUILD_OPTIONS)
        })?;
        let mut failed = false;
        for &index in devices {
            let build = self.build_for(index, options, &parsed)?;
            failed |= build.status != CL_BUILD_SUCCESS;
            if let Some(slot) = self.builds.lock().get_mut(index) {
                *slot = build;
            }
        }
        ensure!(!failed, CL_BUILD_PROGRAM_FAILURE);
        Ok(())
    }

    fn build_for(&self, index: usize, text: &str, options: &compiler::Options) -> Result<Build> {
        if !self.from_source {
            let loaded = self.build_of(index).loaded;
            ensure!(loaded.is_some(), CL_INVALID_BINARY);
            return Ok(Build {
                status: CL_BUILD_SUCCESS,
                options: text.to_string(),
                executable: loaded.clone(),
                loaded,
                log: String::new(),
            });
        }
        let gpu = self.devices[index].gpu()?;
        let source = compiler::Source {
            name: "<source>".to_string(),
            text: self.source.clone(),
            headers: Vec::new(),
        };
        let compiled = compiler::compile(&source, options, &gpu.target);
        let executable = compiled.program.map(|p| Executable::new(gpu, p, text, options));
        if executable.is_none() {
            tracing::info!("build failed:\n{}", compiled.log);
        }
        Ok(Build {
            status: if executable.is_some() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR },
            options: text.to_string(),
            log: compiled.log,
            executable,
            loaded: None,
        })
    }

    /// The binary for device number `index`; empty when there is no executable.
    pub fn binary_of(&self, index: usize) -> Vec<u8> {
        let build = self.build_of(index);
        let Some(executable) = build.executable.or(build.loaded) else { return Vec::new() };
        match self.devices[index].gpu() {
            Ok(gpu) => binary::write(&executable.options, &executable.program, &gpu.target),
            Err(_) => Vec::new(),
        }
    }

    /// Names of all kernels, from the first device that has an executable, or
    /// CL_INVALID_PROGRAM_EXECUTABLE.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let builds = self.builds.lock();
        let executable = builds.iter().find_map(|build| build.executable.as_ref());
        let executable = executable.ok_or(ClError(CL_INVALID_PROGRAM_EXECUTABLE))?;
        Ok(executable.kernels.iter().map(|kernel| kernel.kernel.name.clone()).collect())
    }
}
