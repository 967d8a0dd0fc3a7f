//! The system's OpenCL ICD loader with Hekla as its only platform, as a program sees it.
#![allow(dead_code, non_snake_case, clippy::missing_safety_doc)]

#[path = "../../../vk-backend/tests/common/report.rs"]
mod report;

pub use hekla::cl::*;
#[allow(unused_imports)]
pub use report::skip;
use std::ffi::{c_char, c_void, CStr, CString};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// Declares the functions of the loader that the tests call.
macro_rules! functions {
    ($($name:ident($($ty:ty),* $(,)?) -> $ret:ty;)*) => {
        pub struct OpenCl {
            $(pub $name: unsafe extern "C" fn($($ty),*) -> $ret,)*
        }

        impl OpenCl {
            unsafe fn load(library: *mut c_void) -> OpenCl {
                OpenCl {
                    $($name: {
                        let name = CString::new(stringify!($name)).unwrap();
                        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
                        assert!(!address.is_null(), "the loader lacks {name:?}");
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($ty),*) -> $ret,
                            >(address)
                        }
                    },)*
                }
            }

            /// Returns the functions that are linked into this program, without a loader: all of their code was
            /// compiled together with the program.
            fn linked() -> OpenCl {
                #[allow(improper_ctypes)]
                extern "C" {
                    $(fn $name($(_: $ty),*) -> $ret;)*
                }
                OpenCl { $($name,)* }
            }
        }
    };
}

type Info = usize;

functions! {
    clGetPlatformIDs(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
    clGetPlatformInfo(cl_platform_id, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clGetDeviceIDs(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
    clGetDeviceInfo(cl_device_id, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clCreateSubDevices(cl_device_id, *const isize, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
    clCreateContext(*const isize, cl_uint, *const cl_device_id, ContextNotify, *mut c_void, *mut cl_int) -> cl_context;
    clCreateContextFromType(*const isize, u64, ContextNotify, *mut c_void, *mut cl_int) -> cl_context;
    clRetainContext(cl_context) -> cl_int;
    clReleaseContext(cl_context) -> cl_int;
    clSetContextDestructorCallback(cl_context, ContextDestructor, *mut c_void) -> cl_int;
    clGetContextInfo(cl_context, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clCreateCommandQueue(cl_context, cl_device_id, u64, *mut cl_int) -> cl_command_queue;
    clCreateCommandQueueWithProperties(cl_context, cl_device_id, *const u64, *mut cl_int) -> cl_command_queue;
    clRetainCommandQueue(cl_command_queue) -> cl_int;
    clReleaseCommandQueue(cl_command_queue) -> cl_int;
    clGetCommandQueueInfo(cl_command_queue, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clFlush(cl_command_queue) -> cl_int;
    clFinish(cl_command_queue) -> cl_int;
    clCreateBuffer(cl_context, u64, usize, *mut c_void, *mut cl_int) -> cl_mem;
    clCreateBufferWithProperties(cl_context, *const u64, u64, usize, *mut c_void, *mut cl_int) -> cl_mem;
    clCreateSubBuffer(cl_mem, u64, cl_uint, *const c_void, *mut cl_int) -> cl_mem;
    clRetainMemObject(cl_mem) -> cl_int;
    clReleaseMemObject(cl_mem) -> cl_int;
    clGetMemObjectInfo(cl_mem, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clSetMemObjectDestructorCallback(cl_mem, MemDestructor, *mut c_void) -> cl_int;
    clCreateImage(cl_context, u64, *const cl_image_format, *const cl_image_desc, *mut c_void, *mut cl_int) -> cl_mem;
    clCreateImageWithProperties(cl_context, *const u64, u64, *const cl_image_format, *const cl_image_desc, *mut c_void, *mut cl_int) -> cl_mem;
    clGetImageInfo(cl_mem, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clEnqueueReadImage(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteImage(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueFillImage(cl_command_queue, cl_mem, *const c_void, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyImage(cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clCreateSampler(cl_context, cl_bool, cl_uint, cl_uint, *mut cl_int) -> cl_sampler;
    clReleaseSampler(cl_sampler) -> cl_int;
    clSVMAlloc(cl_context, u64, usize, cl_uint) -> *mut c_void;
    clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueReadBufferRect(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, *const usize, usize, usize, usize, usize, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueWriteBufferRect(cl_command_queue, cl_mem, cl_bool, *const usize, *const usize, *const usize, usize, usize, usize, usize, *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueCopyBufferRect(cl_command_queue, cl_mem, cl_mem, *const usize, *const usize, *const usize, usize, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueFillBuffer(cl_command_queue, cl_mem, *const c_void, usize, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, u64, usize, usize, cl_uint, *const cl_event, *mut cl_event, *mut cl_int) -> *mut c_void;
    clEnqueueUnmapMemObject(cl_command_queue, cl_mem, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueTask(cl_command_queue, cl_kernel, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueMarker(cl_command_queue, *mut cl_event) -> cl_int;
    clEnqueueBarrier(cl_command_queue) -> cl_int;
    clEnqueueWaitForEvents(cl_command_queue, cl_uint, *const cl_event) -> cl_int;
    clEnqueueMigrateMemObjects(cl_command_queue, cl_uint, *const cl_mem, u64, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clUnloadPlatformCompiler(cl_platform_id) -> cl_int;
    clEnqueueNativeKernel(cl_command_queue, NativeKernel, *mut c_void, usize, cl_uint, *const cl_mem, *const *const c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clCreateUserEvent(cl_context, *mut cl_int) -> cl_event;
    clSetUserEventStatus(cl_event, cl_int) -> cl_int;
    clWaitForEvents(cl_uint, *const cl_event) -> cl_int;
    clGetEventInfo(cl_event, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clSetEventCallback(cl_event, cl_int, EventNotify, *mut c_void) -> cl_int;
    clGetEventProfilingInfo(cl_event, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clRetainEvent(cl_event) -> cl_int;
    clReleaseEvent(cl_event) -> cl_int;
    clCreateProgramWithSource(cl_context, cl_uint, *const *const c_char, *const usize, *mut cl_int) -> cl_program;
    clCreateProgramWithIL(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    clSetProgramSpecializationConstant(cl_program, cl_uint, usize, *const c_void) -> cl_int;
    clCreateProgramWithBinary(cl_context, cl_uint, *const cl_device_id, *const usize, *const *const u8, *mut cl_int, *mut cl_int) -> cl_program;
    clBuildProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, ProgramNotify, *mut c_void) -> cl_int;
    clCompileProgram(cl_program, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program, *const *const c_char, ProgramNotify, *mut c_void) -> cl_int;
    clLinkProgram(cl_context, cl_uint, *const cl_device_id, *const c_char, cl_uint, *const cl_program, ProgramNotify, *mut c_void, *mut cl_int) -> cl_program;
    clReleaseProgram(cl_program) -> cl_int;
    clGetProgramInfo(cl_program, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clGetProgramBuildInfo(cl_program, cl_device_id, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clCreateKernel(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
    clReleaseKernel(cl_kernel) -> cl_int;
    clCloneKernel(cl_kernel, *mut cl_int) -> cl_kernel;
    clSetKernelArg(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    clSetKernelExecInfo(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
    clGetKernelInfo(cl_kernel, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clGetKernelArgInfo(cl_kernel, cl_uint, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_uint, Info, *mut c_void, *mut usize) -> cl_int;
    clSVMFree(cl_context, *mut c_void) -> ();
    clEnqueueSVMFree(cl_command_queue, cl_uint, *mut *mut c_void, SvmFreeNotify, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueSVMMemcpy(cl_command_queue, cl_bool, *mut c_void, *const c_void, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueSVMMemFill(cl_command_queue, *mut c_void, *const c_void, usize, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueSVMMap(cl_command_queue, cl_bool, u64, *mut c_void, usize, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clEnqueueSVMUnmap(cl_command_queue, *mut c_void, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clSetKernelArgSVMPointer(cl_kernel, cl_uint, *const c_void) -> cl_int;
    clGetExtensionFunctionAddressForPlatform(cl_platform_id, *const c_char) -> *mut c_void;
}

/// The message for a developer without a device that Hekla can use.
const NO_DEVICE: &str =
    "there is no OpenCL device to test on (`heklac --explain` tells why); `cargo \
                         xtask run -- cargo test ...` gets a recent Mesa where there is none";

/// libhekla.so beside the test binaries, where `cargo test` builds it.
pub fn library_path() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libhekla.so")
}

/// Returns the functions of the loader, with Hekla as its only platform; with `HEKLA_TEST_LINKED=1` those of Hekla,
/// which is linked into the test.
pub fn cl() -> &'static OpenCl {
    static LOADER: OnceLock<OpenCl> = OnceLock::new();
    LOADER.get_or_init(|| {
        if std::env::var_os("HEKLA_TEST_LINKED").is_some_and(|v| v == "1") {
            return OpenCl::linked();
        }
        let hekla = library_path();
        assert!(hekla.exists(), "{} is not built", hekla.display());
        // Tests of the cache set the variable themselves.
        if std::env::var_os("HEKLA_CACHE").is_none() {
            std::env::set_var("HEKLA_CACHE", "0");
        }
        // ocl-icd and the Khronos loader name the variable differently.
        std::env::set_var("OCL_ICD_VENDORS", &hekla);
        std::env::set_var("OCL_ICD_FILENAMES", &hekla);
        unsafe {
            let library = libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_NOW);
            assert!(!library.is_null(), "there is no libOpenCL.so.1");
            OpenCl::load(library)
        }
    })
}

pub fn check(code: cl_int) {
    assert_eq!(code, CL_SUCCESS);
}

/// Returns the handle that a creating function returns; the function must succeed.
pub fn made<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> *mut T {
    let mut code = 1;
    let handle = create(&mut code);
    assert_eq!(code, CL_SUCCESS);
    assert!(!handle.is_null());
    handle
}

/// Returns the error of a creating function, which must return NULL.
pub fn refused<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> cl_int {
    let mut code = 1;
    assert!(create(&mut code).is_null());
    code
}

/// Returns the bytes that a query answers.
pub fn bytes(query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Vec<u8> {
    let mut size = usize::MAX;
    check(query(0, null_mut(), &mut size));
    let mut bytes = vec![0xAA; size];
    if size > 0 {
        check(query(size, bytes.as_mut_ptr().cast(), null_mut()));
        assert_eq!(query(size - 1, bytes.as_mut_ptr().cast(), null_mut()), CL_INVALID_VALUE);
    }
    bytes
}

/// Returns the string that a query answers.
pub fn text(query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
    let mut bytes = bytes(query);
    assert_eq!(bytes.pop(), Some(0), "strings end with a zero");
    String::from_utf8(bytes).unwrap()
}

/// Returns the value that a query answers.
pub fn value<T: Copy>(query: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> T {
    let bytes = bytes(query);
    assert_eq!(bytes.len(), size_of::<T>());
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

/// A context with one queue on the first device.
pub struct Setup {
    pub cl: &'static OpenCl,
    pub platform: cl_platform_id,
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Default for Setup {
    fn default() -> Self {
        Setup::new()
    }
}

impl Setup {
    pub fn new() -> Setup {
        let cl = cl();
        let (mut platform, mut count) = (null_mut(), 0);
        unsafe {
            check((cl.clGetPlatformIDs)(1, &mut platform, &mut count));
            assert_eq!(count, 1, "Hekla is the only platform");
            let mut device = null_mut();
            let all = CL_DEVICE_TYPE_ALL;
            let code = (cl.clGetDeviceIDs)(platform, all, 1, &mut device, &mut count);
            assert_ne!(code, CL_DEVICE_NOT_FOUND, "{NO_DEVICE}");
            check(code);
            let context = made(|e| (cl.clCreateContext)(null(), 1, &device, None, null_mut(), e));
            let queue =
                made(|e| (cl.clCreateCommandQueue)(context, device, CL_QUEUE_PROFILING_ENABLE, e));
            Setup { cl, platform, device, context, queue }
        }
    }

    /// Returns an extension's function; `F` must be its type.
    pub fn extension<F: Copy>(&self, name: &CStr) -> F {
        let find = self.cl.clGetExtensionFunctionAddressForPlatform;
        let address = unsafe { find(self.platform, name.as_ptr()) };
        assert!(!address.is_null(), "{name:?} is not found");
        assert_eq!(size_of::<F>(), size_of_val(&address));
        unsafe { std::mem::transmute_copy(&address) }
    }

    /// Returns true if the device lists an extension.
    pub fn offers(&self, extension: &str) -> bool {
        let name = CL_DEVICE_EXTENSIONS;
        let all = text(|z, p, r| unsafe { (self.cl.clGetDeviceInfo)(self.device, name, z, p, r) });
        all.split(' ').any(|offered| offered == extension)
    }

    /// CL_DEVICE_TYPE.
    pub fn device_type(&self) -> u64 {
        let get = self.cl.clGetDeviceInfo;
        value(|n, p, r| unsafe { get(self.device, CL_DEVICE_TYPE, n, p, r) })
    }

    pub fn second_queue(&self) -> cl_command_queue {
        made(|e| unsafe { (self.cl.clCreateCommandQueue)(self.context, self.device, 0, e) })
    }

    pub fn buffer(&self, flags: u64, size: usize) -> cl_mem {
        made(|e| unsafe { (self.cl.clCreateBuffer)(self.context, flags, size, null_mut(), e) })
    }

    pub fn buffer_of(&self, flags: u64, bytes: &mut [u8]) -> cl_mem {
        let (size, host) = (bytes.len(), bytes.as_mut_ptr().cast());
        made(|e| unsafe { (self.cl.clCreateBuffer)(self.context, flags, size, host, e) })
    }

    /// Reads a range of a buffer, and blocks.
    pub fn read(&self, mem: cl_mem, offset: usize, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        let target = bytes.as_mut_ptr().cast();
        check(unsafe {
            (self.cl.clEnqueueReadBuffer)(
                self.queue,
                mem,
                CL_TRUE,
                offset,
                size,
                target,
                0,
                null(),
                null_mut(),
            )
        });
        bytes
    }

    /// Enqueues a write; the bytes must live until it completes.
    pub fn write(&self, mem: cl_mem, blocking: bool, offset: usize, bytes: &[u8]) {
        let source = bytes.as_ptr().cast();
        check(unsafe {
            (self.cl.clEnqueueWriteBuffer)(
                self.queue,
                mem,
                u32::from(blocking),
                offset,
                bytes.len(),
                source,
                0,
                null(),
                null_mut(),
            )
        });
    }

    pub fn finish(&self) {
        check(unsafe { (self.cl.clFinish)(self.queue) });
    }

    pub fn user_event(&self) -> cl_event {
        made(|e| unsafe { (self.cl.clCreateUserEvent)(self.context, e) })
    }

    pub fn status(&self, event: cl_event) -> cl_int {
        let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
        value(|s, p, r| unsafe { (self.cl.clGetEventInfo)(event, name, s, p, r) })
    }

    /// Returns a built program; panics with the log when it does not build.
    pub fn program(&self, source: &str, options: &str) -> cl_program {
        let (pointer, length) = (source.as_ptr().cast(), source.len());
        let options = CString::new(options).unwrap();
        unsafe {
            let program = made(|e| {
                (self.cl.clCreateProgramWithSource)(self.context, 1, &pointer, &length, e)
            });
            let code =
                (self.cl.clBuildProgram)(program, 0, null(), options.as_ptr(), None, null_mut());
            assert_eq!(code, CL_SUCCESS, "{}", self.build_log(program));
            program
        }
    }

    pub fn build_log(&self, program: cl_program) -> String {
        text(|s, p, r| unsafe {
            (self.cl.clGetProgramBuildInfo)(program, self.device, CL_PROGRAM_BUILD_LOG, s, p, r)
        })
    }

    pub fn kernel(&self, program: cl_program, name: &str) -> cl_kernel {
        let name = CString::new(name).unwrap();
        made(|e| unsafe { (self.cl.clCreateKernel)(program, name.as_ptr(), e) })
    }

    pub fn set<T>(&self, kernel: cl_kernel, index: u32, value: &T) {
        let value = (value as *const T).cast();
        check(unsafe { (self.cl.clSetKernelArg)(kernel, index, size_of::<T>(), value) });
    }

    pub fn launch(&self, kernel: cl_kernel, global: &[usize], local: Option<&[usize]>) -> cl_int {
        let local = local.map_or(null(), |l| l.as_ptr());
        let (dimensions, global) = (global.len() as u32, global.as_ptr());
        unsafe {
            (self.cl.clEnqueueNDRangeKernel)(
                self.queue,
                kernel,
                dimensions,
                null(),
                global,
                local,
                0,
                null(),
                null_mut(),
            )
        }
    }
}

/// Runs the tests of this binary again in a process of its own, under the validation layer and with this value of
/// `HEKLA_STAGING`: all tests must pass, and the layer must report nothing.
pub fn run_again(staging: &str) {
    run_again_with(&[("HEKLA_VALIDATE", "1"), ("HEKLA_STAGING", staging)]);
}

/// Runs the tests of this binary again with these variables in the environment. In the new process it does nothing and
/// returns true.
pub fn run_again_with(environment: &[(&str, &str)]) -> bool {
    const MARK: &str = "HEKLA_TEST_AGAIN";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .arg("--nocapture")
        .env(MARK, "1")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{said}");
    let complaint = said.lines().find(|line| line.contains("hekla: validation:"));
    assert_eq!(complaint, None);
    print!("{printed}");
    false
}

/// Returns bytes that differ from their neighbours.
pub fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|i| ((i * 7 + i / 251 + seed * 31) % 256) as u8).collect()
}
