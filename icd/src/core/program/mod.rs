//! Programs: source, intermediate language or binary, and the results of building for each device.

pub mod binary;
pub mod build;
pub mod cached;
mod first_pipeline;
pub mod il;
pub mod kernel;
pub mod local_layout;
pub mod ndrange;
pub mod pace;
mod packing;
pub mod pipelines;
pub mod recipe;
pub mod shape;

use crate::cl::error::{ClError, Result};
use crate::cl::*;
use crate::core::cache::key::key;
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::Device;
use crate::core::diagnostics::dump;
use crate::core::program::kernel::BuiltKernel;
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use binary::{Content, Loaded};
use build::Input;
use hekla_compiler::{self as compiler, ReadError};
use hekla_vk_backend as vk;
use il::IlModule;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use recipe::Recipe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

pub struct Program {
    pub context: Ref<Context>,
    /// The devices of the program, and its state on each.
    pub devices: Vec<Ref<Device>>,
    pub origin: Origin,
    pub(super) builds: Mutex<Vec<Build>>,
    /// Number of kernel objects. The program cannot be built again while there are any.
    kernels: AtomicU32,
    /// Number of builds in the background. Their callbacks may use the program even if the application has released it.
    pub(super) background: AtomicU32,
}

/// The origin of a program.
pub enum Origin {
    /// The concatenated strings of clCreateProgramWithSource.
    Source(String),
    /// clCreateProgramWithIL.
    Il(Arc<IlModule>),
    Binary,
    /// clLinkProgram.
    Linked,
}

/// The state of the program on one device.
#[derive(Clone)]
pub struct Build {
    pub status: cl_build_status,
    pub options: Arc<str>,
    pub log: Arc<str>,
    pub code: Code,
}

/// The code of a program on one device, from the last build or from a binary.
#[derive(Clone, Default)]
pub enum Code {
    #[default]
    None,
    Object(Arc<compiler::Object>),
    Library(Arc<compiler::Object>),
    Executable(Arc<Executable>),
}

impl Default for Build {
    fn default() -> Self {
        Build {
            status: CL_BUILD_NONE,
            options: Arc::default(),
            log: Arc::default(),
            code: Code::None,
        }
    }
}

impl Build {
    /// Returns the state after a build with the result `code`; `None` means that the build failed.
    pub(super) fn ended(options: &Arc<str>, log: String, code: Option<Code>) -> Build {
        let status = if code.is_some() { CL_BUILD_SUCCESS } else { CL_BUILD_ERROR };
        if code.is_none() {
            tracing::info!("build failed:\n{log}");
        }
        let (options, log) = (options.clone(), log.into());
        Build { status, options, log, code: code.unwrap_or_default() }
    }

    /// Returns the executable. An executable from a binary counts only after a build.
    pub fn executable(&self) -> Option<&Arc<Executable>> {
        match &self.code {
            Code::Executable(executable) if self.status == CL_BUILD_SUCCESS => Some(executable),
            _ => None,
        }
    }

    /// Returns the code that can be linked.
    pub(super) fn object(&self) -> Option<&Arc<compiler::Object>> {
        match &self.code {
            Code::Object(object) | Code::Library(object) => Some(object),
            _ => None,
        }
    }

    /// Returns CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE.
    pub fn global_variable_size(&self) -> u64 {
        self.executable().map_or(0, |executable| executable.program.data.global_size)
    }

    /// Returns CL_PROGRAM_BINARY_TYPE.
    pub fn binary_type(&self) -> cl_uint {
        match self.code {
            Code::None => CL_PROGRAM_BINARY_TYPE_NONE,
            Code::Object(_) => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            Code::Library(_) => CL_PROGRAM_BINARY_TYPE_LIBRARY,
            Code::Executable(_) => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        }
    }
}

/// A program that runs on one device.
pub struct Executable {
    pub program: compiler::Program,
    pub kernels: Vec<Arc<BuiltKernel>>,
    recipe: Recipe,
    /// The executable's binary, made when it is first requested.
    binary: OnceCell<Arc<[u8]>>,
}

/// The device's copy of a program's variables, made when a kernel first needs it. The copy lives as long as the program:
/// kernels see the values that earlier kernels stored.
pub struct ProgramData {
    gpu: Arc<Gpu>,
    image: compiler::kernel::DataImage,
    copy: OnceCell<DataCopy>,
}

/// A device's copy of a program's variables.
pub struct DataCopy {
    pub buffer: Arc<vk::Buffer>,
    /// Device address of the first variable.
    pub address: u64,
}

impl Kind for Program {
    type Target = _cl_program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.kernels.load(Ordering::Acquire) > 0 || self.background.load(Ordering::Acquire) > 0
    }
}

impl ProgramData {
    /// Returns the initial contents of the copy.
    pub fn image(&self) -> &compiler::kernel::DataImage {
        &self.image
    }

    /// Returns the copy of the variables. Addresses in the copy are relocated to its own address.
    pub fn copy(&self) -> Result<&DataCopy> {
        self.copy.get_or_try_init(|| {
            let align = u64::from(self.image.align).max(16);
            let size = self.image.size.next_multiple_of(16) + align;
            let buffer = self.gpu.device.create_buffer(size, vk::MemoryKind::Device)?;
            let address = buffer.address().next_multiple_of(align);
            let mut bytes = self.image.bytes.clone();
            for &offset in &self.image.relocations {
                let slot = bytes.get_mut(offset as usize..offset as usize + 8);
                if let Some(slot) = slot.and_then(|s| <&mut [u8; 8]>::try_from(s).ok()) {
                    *slot = u64::from_le_bytes(*slot).wrapping_add(address).to_le_bytes();
                }
            }
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            let (start, given) = (address - buffer.address(), bytes.len() as u64);
            self.gpu.write_now(&buffer, start, &bytes)?;
            let rest = self.image.size.next_multiple_of(16).saturating_sub(given);
            self.gpu.zero_now(&buffer, start + given, rest)?;
            Ok(DataCopy { buffer, address })
        })
    }
}

impl Executable {
    /// Prepares a compiled program for a device.
    pub fn new(gpu: &Arc<Gpu>, program: compiler::Program, recipe: Recipe) -> Arc<Executable> {
        dump::modules(&program);
        let data = Arc::new(ProgramData {
            gpu: gpu.clone(),
            image: program.data.clone(),
            copy: OnceCell::new(),
        });
        let uniform = program.uniform_groups;
        let kernels = program.kernels.iter().map(|kernel| {
            Arc::new(BuiltKernel::new(gpu.clone(), kernel.clone(), data.clone(), uniform))
        });
        let kernels = kernels.collect();
        Arc::new(Executable { program, kernels, recipe, binary: OnceCell::new() })
    }

    pub fn kernel(&self, name: &str) -> Option<&Arc<BuiltKernel>> {
        self.kernels.iter().find(|kernel| kernel.kernel.name == name && !kernel.kernel.is_block)
    }
}

impl Program {
    /// clCreateProgramWithSource: for all devices of the context.
    pub fn from_source(context: Ref<Context>, source: String) -> Ref<Program> {
        Program::unbuilt(context, Origin::Source(source))
    }

    /// clCreateProgramWithIL: for all devices of the context. CL_INVALID_VALUE for bytes that are not a module.
    pub fn from_il(context: Ref<Context>, bytes: &[u8]) -> Result<Ref<Program>> {
        Ok(Program::unbuilt(context, Origin::Il(IlModule::read(bytes)?)))
    }

    fn unbuilt(context: Ref<Context>, origin: Origin) -> Ref<Program> {
        let devices = context.devices.clone();
        let builds = vec![Build::default(); devices.len()];
        Program::new(context, devices, origin, builds)
    }

    /// clCreateProgramWithBinary. Returns the status for each device, and the program if all binaries are valid.
    pub fn from_binaries(
        context: Ref<Context>,
        devices: Vec<Ref<Device>>,
        binaries: &[&[u8]],
    ) -> (Vec<cl_int>, Result<Ref<Program>>) {
        let mut statuses = Vec::new();
        let mut builds = Vec::new();
        let mut failure = None;
        for (device, bytes) in devices.iter().zip(binaries) {
            match Self::load_binary(&context, device, bytes) {
                Ok(code) => {
                    statuses.push(CL_SUCCESS);
                    builds.push(Build { code, ..Build::default() });
                }
                Err(reason) => {
                    tracing::info!("a program binary is not usable: {reason}");
                    let lacking = match reason {
                        ReadError::Invalid(_) => None,
                        ReadError::Shortage(shortage) => Some(shortage),
                    };
                    failure = build::check_shortage(lacking).err().or(failure);
                    statuses.push(failure.map_or(CL_INVALID_BINARY, |failure| failure.0));
                }
            }
        }
        let good = builds.len() == devices.len();
        let program = match (good, failure) {
            (true, _) => Ok(Program::new(context, devices, Origin::Binary, builds)),
            (false, failure) => Err(failure.unwrap_or(ClError(CL_INVALID_BINARY))),
        };
        (statuses, program)
    }

    fn load_binary(
        context: &Context,
        device: &Ref<Device>,
        bytes: &[u8],
    ) -> std::result::Result<Code, ReadError> {
        let gpu = context.gpu_of(device).map_err(|error| ReadError::Invalid(error.to_string()))?;
        Ok(match binary::read(bytes, &context.target(gpu), key())? {
            Loaded::Executable(program, linked) => {
                Code::Executable(Executable::new(gpu, program, Recipe::Loaded(linked)))
            }
            Loaded::Object(object) => Code::Object(Arc::new(object)),
            Loaded::Library(object) => Code::Library(Arc::new(object)),
        })
    }

    pub(super) fn new(
        context: Ref<Context>,
        devices: Vec<Ref<Device>>,
        origin: Origin,
        builds: Vec<Build>,
    ) -> Ref<Program> {
        Ref::new(Program {
            context,
            devices,
            origin,
            builds: Mutex::new(builds),
            kernels: AtomicU32::new(0),
            background: AtomicU32::new(0),
        })
    }

    /// Returns the text of a program of clCreateProgramWithSource; an empty text for other programs.
    pub fn source(&self) -> &str {
        match &self.origin {
            Origin::Source(text) => text,
            _ => "",
        }
    }

    /// Returns the module of a program of clCreateProgramWithIL.
    pub fn il(&self) -> Option<&Arc<IlModule>> {
        match &self.origin {
            Origin::Il(module) => Some(module),
            _ => None,
        }
    }

    /// Returns the position of a device in the program, or CL_INVALID_DEVICE.
    pub fn index_of(&self, device: &Ref<Device>) -> Result<usize> {
        self.devices.iter().position(|d| d == device).ok_or(ClError(CL_INVALID_DEVICE))
    }

    /// Returns the state of the program on its device number `index`.
    pub fn build_of(&self, index: usize) -> Build {
        self.builds.lock().get(index).cloned().unwrap_or_default()
    }

    /// Returns the open device that is number `index` of the program's devices.
    pub fn gpu(&self, index: usize) -> Result<&Arc<Gpu>> {
        self.context.gpu_of(&self.devices[index])
    }

    /// Returns the states on all devices.
    pub fn all_builds(&self) -> Vec<Build> {
        self.builds.lock().clone()
    }

    /// Returns the executable on a device, and true if it was built with `-g`.
    pub fn executable_on(&self, device: &Ref<Device>) -> Result<(Arc<Executable>, bool)> {
        let index = self.devices.iter().position(|known| known == device);
        let builds = self.builds.lock();
        let build = index.and_then(|index| builds.get(index));
        let found = build.and_then(|build| {
            let has_g = build.options.split_ascii_whitespace().any(|option| option == "-g");
            Some((build.executable()?.clone(), has_g))
        });
        found.ok_or(ClError(CL_INVALID_PROGRAM_EXECUTABLE))
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

    /// Returns the binary for device number `index`; empty if there is no code.
    pub fn binary_of(&self, index: usize) -> Result<Arc<[u8]>> {
        let build = self.build_of(index);
        let target = self.context.target(self.gpu(index)?);
        let content = match &build.code {
            Code::None => return Ok(Arc::default()),
            Code::Object(object) => Content::Object(object),
            Code::Library(object) => Content::Library(object),
            Code::Executable(executable) => {
                return self.executable_binary(executable, &build.options, &target);
            }
        };
        Ok(binary::write(content, &target, key()).into())
    }

    fn executable_binary(
        &self,
        executable: &Executable,
        options: &str,
        target: &compiler::Target,
    ) -> Result<Arc<[u8]>> {
        let make = || {
            let input = Input::of(self, Vec::new())?;
            let program = &executable.program;
            let product = recipe::Product { input: input.as_ref(), options, target, program };
            let linked = executable.recipe.linked(&product);
            let content = Content::Executable(program, linked.as_deref());
            Ok(binary::write(content, target, key()).into())
        };
        executable.binary.get_or_try_init(make).cloned()
    }

    /// Returns the names of all kernels, from the first device that has an executable, or
    /// CL_INVALID_PROGRAM_EXECUTABLE.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let builds = self.builds.lock();
        let executable = builds.iter().find_map(Build::executable);
        let executable = executable.ok_or(ClError(CL_INVALID_PROGRAM_EXECUTABLE))?;
        let kernels = executable.kernels.iter().filter(|kernel| !kernel.kernel.is_block);
        Ok(kernels.map(|kernel| kernel.kernel.name.clone()).collect())
    }
}
