//! The part of OpenCL that attacks call. Each function takes the errors that the specification allows here; any other error is
//! a fault.

use super::child::Verdict;
use cl3::types::{
    cl_command_queue, cl_context, cl_device_id, cl_image_desc, cl_image_format, cl_kernel, cl_mem,
    cl_platform_id, cl_program, cl_sampler,
};
use cl3::OpenClRuntime;
use std::ffi::{c_void, CString};
use std::ptr::{null, null_mut};

/// Codes of errors and the names under which they are counted.
const CODES: [(i32, &str); 33] = [
    (-1, "CL_DEVICE_NOT_FOUND"),
    (-2, "CL_DEVICE_NOT_AVAILABLE"),
    (-3, "CL_COMPILER_NOT_AVAILABLE"),
    (-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (-5, "CL_OUT_OF_RESOURCES"),
    (-6, "CL_OUT_OF_HOST_MEMORY"),
    (-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"),
    (-11, "CL_BUILD_PROGRAM_FAILURE"),
    (-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"),
    (-15, "CL_COMPILE_PROGRAM_FAILURE"),
    (-17, "CL_LINK_PROGRAM_FAILURE"),
    (-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"),
    (-30, "CL_INVALID_VALUE"),
    (-34, "CL_INVALID_CONTEXT"),
    (-36, "CL_INVALID_COMMAND_QUEUE"),
    (-38, "CL_INVALID_MEM_OBJECT"),
    (-40, "CL_INVALID_IMAGE_SIZE"),
    (-41, "CL_INVALID_SAMPLER"),
    (-42, "CL_INVALID_BINARY"),
    (-43, "CL_INVALID_BUILD_OPTIONS"),
    (-44, "CL_INVALID_PROGRAM"),
    (-45, "CL_INVALID_PROGRAM_EXECUTABLE"),
    (-46, "CL_INVALID_KERNEL_NAME"),
    (-48, "CL_INVALID_KERNEL"),
    (-49, "CL_INVALID_ARG_INDEX"),
    (-50, "CL_INVALID_ARG_VALUE"),
    (-51, "CL_INVALID_ARG_SIZE"),
    (-52, "CL_INVALID_KERNEL_ARGS"),
    (-54, "CL_INVALID_WORK_GROUP_SIZE"),
    (-55, "CL_INVALID_WORK_ITEM_SIZE"),
    (-59, "CL_INVALID_OPERATION"),
    (-61, "CL_INVALID_BUFFER_SIZE"),
    (-67, "CL_INVALID_LINKER_OPTIONS"),
];
/// Errors that any function may return.
const ANYWHERE: [i32; 2] = [-5, -6];
/// No query of a small program answers with more bytes.
const LARGEST: usize = 1 << 28;

/// Returns an error's name.
pub fn name(code: i32) -> String {
    let named = CODES.iter().find(|(number, _)| *number == code);
    named.map_or_else(|| format!("error {code}"), |(_, name)| name.to_string())
}

/// Returns the code of a call as a verdict: an error if the specification does not list it for the call.
pub fn judge(call: &str, code: i32, errors: &[i32]) -> Result<(), Verdict> {
    match code {
        0 => Ok(()),
        _ if errors.contains(&code) || ANYWHERE.contains(&code) => {
            Err(Verdict::Refused(format!("{call}:{}", name(code))))
        }
        _ => Err(Verdict::Wrong(format!("{call} returns {}", name(code)))),
    }
}

/// Calls a function of the loader; a missing function is a fault of the machine.
macro_rules! call {
    ($world:expr, $name:ident($($arg:expr),* $(,)?)) => {
        $world.api.$name($($arg),*)
            .unwrap_or_else(|| panic!("the loader lacks {}", stringify!($name)))
    };
}
pub(in crate::attack) use call;

/// Size in bytes of each buffer that kernels get. Kernels use a small part; writes of a changed kernel behind it fall
/// into the rest.
pub const BUFFER: usize = 16 << 10;

/// The device, and objects that kernels can get.
pub struct World {
    pub api: &'static OpenClRuntime,
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
    pub buffers: [cl_mem; 3],
    /// One image to read and one to write, where the device has images.
    pub images: Vec<cl_mem>,
    pub sampler: Option<cl_sampler>,
}

// SAFETY: OpenCL's objects may be used by any thread (API 3.1 A.2), and what is set once is read.
unsafe impl Sync for World {}

impl World {
    /// Opens the first device of the only platform.
    pub fn open() -> Result<World, String> {
        let api = cl3::load_library().as_ref().map_err(|e| format!("no OpenCL ICD loader: {e}"))?;
        let made = |what: &str, code: i32| match code {
            0 => Ok(()),
            _ => Err(format!("{what}: {}", name(code))),
        };
        let missing = "the loader lacks a function";
        let (mut platform, mut device): (cl_platform_id, cl_device_id) = (null_mut(), null_mut());
        let code = api.clGetPlatformIDs(1, &mut platform, null_mut()).ok_or(missing)?;
        made("clGetPlatformIDs", code)?;
        let all = 0xFFFF_FFFF;
        let code = api.clGetDeviceIDs(platform, all, 1, &mut device, null_mut()).ok_or(missing)?;
        made("clGetDeviceIDs", code)?;
        let mut code = 0;
        let context =
            api.clCreateContext(null(), 1, &device, None, null_mut(), &mut code).ok_or(missing)?;
        made("clCreateContext", code)?;
        let queue = api.clCreateCommandQueue(context, device, 0, &mut code).ok_or(missing)?;
        made("clCreateCommandQueue", code)?;
        let mut world = World {
            api,
            device,
            context,
            queue,
            buffers: [null_mut(); 3],
            images: Vec::new(),
            sampler: None,
        };
        for index in 0..world.buffers.len() {
            let buffer = call!(world, clCreateBuffer(context, 1, BUFFER, null_mut(), &mut code));
            made("clCreateBuffer", code)?;
            world.buffers[index] = buffer;
        }
        world.make_images();
        Ok(world)
    }

    /// Makes images and a sampler, where the device has them.
    fn make_images(&mut self) {
        let (rgba, float) = (0x10B5, 0x10DE);
        let format = cl_image_format { image_channel_order: rgba, image_channel_data_type: float };
        // SAFETY: all fields are numbers or pointers that may be null.
        let mut desc: cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height) = (0x10F1, 8, 8);
        for _ in 0..2 {
            let mut code = 0;
            let (context, none) = (self.context, null_mut());
            let image = call!(self, clCreateImage(context, 1, &format, &desc, none, &mut code));
            self.images.extend((code == 0).then_some(image));
        }
        let (clamp, nearest, mut code) = (0x1132, 0x1140, 0);
        let sampler = call!(self, clCreateSampler(self.context, 0, clamp, nearest, &mut code));
        self.sampler = (code == 0).then_some(sampler);
    }

    /// Returns a program of source text.
    pub fn source(&self, text: &[u8]) -> Result<Program<'_>, Verdict> {
        // A length of 0 means that a zero ends the text.
        let ended = [text, b"\0"].concat();
        let (pointer, length, mut code) = (ended.as_ptr().cast(), text.len(), 0);
        let handle =
            call!(self, clCreateProgramWithSource(self.context, 1, &pointer, &length, &mut code));
        judge("clCreateProgramWithSource", code, &[-30])?;
        Ok(Program { world: self, handle })
    }

    /// Returns a program of SPIR-V.
    pub fn module(&self, bytes: &[u8]) -> Result<Program<'_>, Verdict> {
        let mut code = 0;
        let (pointer, length) = (bytes.as_ptr().cast(), bytes.len());
        let handle = call!(self, clCreateProgramWithIL(self.context, pointer, length, &mut code));
        judge("clCreateProgramWithIL", code, &[-30])?;
        Ok(Program { world: self, handle })
    }

    /// Returns a program of a binary.
    pub fn binary(&self, bytes: &[u8]) -> Result<Program<'_>, Verdict> {
        let (pointer, length, mut status, mut code) = (bytes.as_ptr(), bytes.len(), 0, 0);
        let (context, device) = (self.context, &self.device);
        let handle = call!(
            self,
            clCreateProgramWithBinary(
                context,
                1,
                device,
                &length,
                &pointer,
                &mut status,
                &mut code
            )
        );
        let agrees = match code {
            0 => status == 0,
            -42 => status == -42,
            _ => true,
        };
        if !agrees {
            let text = format!("clCreateProgramWithBinary returns {code} and the status {status}");
            return Err(Verdict::Wrong(text));
        }
        judge("clCreateProgramWithBinary", code, &[-42, -30])?;
        Ok(Program { world: self, handle })
    }

    /// Links programs.
    pub fn link(&self, inputs: &[&Program<'_>], options: &str) -> Result<Program<'_>, Verdict> {
        let handles: Vec<cl_program> = inputs.iter().map(|program| program.handle).collect();
        let options = CString::new(options).unwrap_or_default();
        let (count, inputs, mut code) = (handles.len() as u32, handles.as_ptr(), 0);
        let (context, device, options) = (self.context, &self.device, options.as_ptr());
        let handle = call!(
            self,
            clLinkProgram(context, 1, device, options, count, inputs, None, null_mut(), &mut code)
        );
        // clLinkProgram returns a program with a log even if linking fails.
        let program = Program { world: self, handle };
        let judged = judge("clLinkProgram", code, &[-17, -59, -67]);
        if !handle.is_null() {
            program.check_log()?;
        }
        judged.map(|()| program)
    }
}

/// A program, released in the end.
pub struct Program<'w> {
    pub world: &'w World,
    pub handle: cl_program,
}

impl Program<'_> {
    /// Builds the program.
    pub fn build(&self, options: &str) -> Result<(), Verdict> {
        let options = CString::new(options).unwrap_or_default();
        let (device, options) = (&self.world.device, options.as_ptr());
        let code =
            call!(self.world, clBuildProgram(self.handle, 1, device, options, None, null_mut()));
        self.check_log()?;
        judge("clBuildProgram", code, &[-11, -42, -43])
    }

    /// Compiles the program without linking it.
    pub fn compile(&self, options: &str) -> Result<(), Verdict> {
        let options = CString::new(options).unwrap_or_default();
        let (device, options) = (&self.world.device, options.as_ptr());
        let (none, names, program) = (null(), null(), self.handle);
        let code = call!(
            self.world,
            clCompileProgram(program, 1, device, options, 0, none, names, None, null_mut())
        );
        self.check_log()?;
        judge("clCompileProgram", code, &[-15])
    }

    /// Fails if the build log reports a fault of the compiler.
    fn check_log(&self) -> Result<(), Verdict> {
        const LOG: u32 = 0x1183;
        let log = query("clGetProgramBuildInfo", &[], |size, place, needed| {
            call!(
                self.world,
                clGetProgramBuildInfo(self.handle, self.world.device, LOG, size, place, needed)
            )
        })?;
        let log = String::from_utf8_lossy(&log);
        match log.lines().find(|line| line.contains("internal error")) {
            Some(line) => Err(Verdict::Wrong(line.to_string())),
            None => Ok(()),
        }
    }

    /// Returns the answer to a query.
    pub fn info(&self, what: u32, errors: &[i32]) -> Result<Vec<u8>, Verdict> {
        query("clGetProgramInfo", errors, |size, place, needed| {
            call!(self.world, clGetProgramInfo(self.handle, what, size, place, needed))
        })
    }

    /// Returns the program's binary.
    pub fn to_binary(&self) -> Result<Vec<u8>, Verdict> {
        const SIZES: u32 = 0x1165;
        const BINARIES: u32 = 0x1166;
        let size = number(&self.info(SIZES, &[])?) as usize;
        let mut bytes = vec![0u8; size.min(LARGEST)];
        let mut pointer = bytes.as_mut_ptr();
        let (place, room) = ((&raw mut pointer).cast(), size_of_val(&pointer));
        let code =
            call!(self.world, clGetProgramInfo(self.handle, BINARIES, room, place, null_mut()));
        judge("clGetProgramInfo", code, &[])?;
        Ok(bytes)
    }

    /// Returns a new kernel for each in the program.
    pub fn kernels(&self) -> Result<Vec<Kernel<'_>>, Verdict> {
        let mut count = 0;
        let program = self.handle;
        let code = call!(self.world, clCreateKernelsInProgram(program, 0, null_mut(), &mut count));
        judge("clCreateKernelsInProgram", code, &[-45])?;
        let mut handles: Vec<cl_kernel> = vec![null_mut(); count as usize];
        let place = handles.as_mut_ptr();
        let code = call!(self.world, clCreateKernelsInProgram(program, count, place, null_mut()));
        // The program has no kernels.
        judge("clCreateKernelsInProgram", code, if count == 0 { &[-30] } else { &[-45] })?;
        Ok(handles.into_iter().map(|handle| Kernel { world: self.world, handle }).collect())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            call!(self.world, clReleaseProgram(self.handle));
        }
    }
}

/// A kernel, released in the end.
pub struct Kernel<'w> {
    pub world: &'w World,
    pub handle: cl_kernel,
}

impl Kernel<'_> {
    /// Returns the answer to a query.
    pub fn info(&self, what: u32) -> Result<Vec<u8>, Verdict> {
        query("clGetKernelInfo", &[], |size, place, needed| {
            call!(self.world, clGetKernelInfo(self.handle, what, size, place, needed))
        })
    }

    /// Returns the answer to a query about an argument.
    pub fn arg_info(&self, index: u32, what: u32) -> Result<Vec<u8>, Verdict> {
        query("clGetKernelArgInfo", &[-19], |size, place, needed| {
            call!(self.world, clGetKernelArgInfo(self.handle, index, what, size, place, needed))
        })
    }

    /// Sets an argument; returns the code.
    pub fn set(&self, index: u32, size: usize, value: *const c_void) -> i32 {
        call!(self.world, clSetKernelArg(self.handle, index, size, value))
    }
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        call!(self.world, clReleaseKernel(self.handle));
    }
}

/// Asks for the size of an answer, and then for the answer.
pub fn query(
    call: &str,
    errors: &[i32],
    ask: impl Fn(usize, *mut c_void, *mut usize) -> i32,
) -> Result<Vec<u8>, Verdict> {
    let mut size = 0;
    judge(call, ask(0, null_mut(), &mut size), errors)?;
    if size > LARGEST {
        return Err(Verdict::Wrong(format!("{call} answers with {size} bytes")));
    }
    let mut bytes = vec![0u8; size];
    let place = if size == 0 { null_mut() } else { bytes.as_mut_ptr().cast() };
    judge(call, ask(size, place, null_mut()), errors)?;
    Ok(bytes)
}

/// Returns an answer that is a number of any width.
pub fn number(bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    let count = bytes.len().min(8);
    wide[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(wide)
}

/// Returns an answer that is a text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string()
}
