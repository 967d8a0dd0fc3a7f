//! The part of OpenCL that the bench calls, through the ICD loader of the machine: thin owners of handles, and errors
//! as messages.

use cl3::types::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_platform_id,
};
use cl3::OpenClRuntime;
use std::ffi::{c_void, CStr, CString};
use std::ptr::{null, null_mut};

/// The reason why a measurement has no value.
pub type Result<T> = std::result::Result<T, String>;

const CL_DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
const CL_DEVICE_TYPE_GPU: u64 = 1 << 2;
const CL_DEVICE_TYPE: u32 = 0x1000;
const CL_DEVICE_MAX_MEM_ALLOC_SIZE: u32 = 0x1010;
const CL_DEVICE_IMAGE_SUPPORT: u32 = 0x1016;
const CL_DEVICE_NAME: u32 = 0x102B;
const CL_DRIVER_VERSION: u32 = 0x102D;
const CL_DEVICE_DOUBLE_FP_CONFIG: u32 = 0x1032;
const CL_PLATFORM_NAME: u32 = 0x0902;
pub(super) const CL_MEM_READ_WRITE: u64 = 1;
const CL_PROGRAM_BUILD_LOG: u32 = 0x1183;
pub(super) const CL_TRUE: u32 = 1;

/// The order in which a queue's commands run.
#[derive(Clone, Copy)]
pub enum Order {
    /// The order in which the commands were enqueued.
    Given = 0,
    /// Any order that the wait lists allow (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE).
    Any = 1,
}

/// The flags of a mapping: CL_MAP_READ, or CL_MAP_WRITE_INVALIDATE_REGION.
#[derive(Clone, Copy)]
pub enum Access {
    Read = 1,
    Overwrite = 4,
}

/// Returns the loader's functions.
pub(super) fn api() -> Result<&'static OpenClRuntime> {
    cl3::load_library().as_ref().map_err(|e| format!("no OpenCL ICD loader (libOpenCL.so.1): {e}"))
}

/// Calls a function that returns a status.
macro_rules! check {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        match api()?.$name($($arg),*) {
            Some(0) => Ok(()),
            Some(status) => Err(format!("{} gives {status}", stringify!($name))),
            None => Err(format!("the loader lacks {}", stringify!($name))),
        }
    }};
}

/// Calls a function that returns a value and writes its status to a last argument.
macro_rules! create {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut status = 0;
        let value = api()?.$name($($arg,)* &mut status);
        match (value, status) {
            (Some(value), 0) => Ok(value),
            (Some(_), status) => Err(format!("{} gives {status}", stringify!($name))),
            (None, _) => Err(format!("the loader lacks {}", stringify!($name))),
        }
    }};
}

pub(super) use {check, create};

/// Returns all platforms that the loader shows.
pub fn platforms() -> Result<Vec<cl_platform_id>> {
    let mut count = 0;
    check!(clGetPlatformIDs(0, null_mut(), &mut count))?;
    let mut platforms = vec![null_mut(); count as usize];
    check!(clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()))?;
    Ok(platforms)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim_end_matches('\0').trim().to_string()
}

/// The first device of a platform, with a context and an in-order queue.
pub struct Session {
    pub platform: String,
    pub device: String,
    pub driver: String,
    pub is_gpu: bool,
    pub has_double: bool,
    pub has_images: bool,
    pub max_alloc: usize,
    platform_id: cl_platform_id,
    id: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

impl Session {
    /// Returns the session; `None` for a platform without devices.
    pub fn open(platform: cl_platform_id) -> Result<Option<Session>> {
        let mut id: cl_device_id = null_mut();
        let mut count = 0;
        if check!(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut id, &mut count)).is_err()
            || count == 0
        {
            return Ok(None);
        }
        let info = |what| device_info(id, what);
        let number = |what| -> Result<u64> {
            let mut bytes = info(what)?;
            bytes.resize(8, 0);
            Ok(u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()))
        };
        let context = create!(clCreateContext(null(), 1, &id, None, null_mut()))?;
        let queue = create!(clCreateCommandQueue(context, id, 0))?;
        Ok(Some(Session {
            platform: text(platform_name(platform)?),
            device: text(info(CL_DEVICE_NAME)?),
            driver: text(info(CL_DRIVER_VERSION)?),
            is_gpu: number(CL_DEVICE_TYPE)? & CL_DEVICE_TYPE_GPU != 0,
            has_double: number(CL_DEVICE_DOUBLE_FP_CONFIG)? != 0,
            has_images: number(CL_DEVICE_IMAGE_SUPPORT)? != 0,
            max_alloc: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE)? as usize,
            platform_id: platform,
            id,
            context,
            queue,
        }))
    }

    /// Returns a number from a query of the device.
    pub fn number(&self, what: u32) -> Result<u64> {
        let mut bytes = device_info(self.id, what)?;
        bytes.resize(8, 0);
        Ok(u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()))
    }

    pub fn is_hekla(&self) -> bool {
        self.platform.contains("Hekla")
    }

    /// Returns a function of an extension.
    ///
    /// # Safety
    /// `F` is the type of pointers to the function.
    pub unsafe fn extension<F: Copy>(&self, name: &CStr) -> Result<F> {
        let platform = self.platform_id;
        let address =
            api()?.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr().cast_mut());
        let missing = || format!("the platform lacks {}", name.to_string_lossy());
        let address = address.filter(|address| !address.is_null()).ok_or_else(missing)?;
        assert_eq!(size_of::<F>(), size_of_val(&address), "F is a pointer");
        // SAFETY: as the caller promises.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }

    pub(super) fn context_handle(&self) -> cl_context {
        self.context
    }

    pub fn queue_handle(&self) -> cl_command_queue {
        self.queue
    }

    /// Makes another queue.
    pub fn queue(&self, order: Order) -> Result<Queue> {
        let handle = create!(clCreateCommandQueue(self.context, self.id, order as u64))?;
        Ok(Queue { handle })
    }

    /// Builds a program and makes its kernel; the message of a failed build holds the log.
    pub fn build(&self, source: &str, kernel: &str, options: &str) -> Result<Kernel> {
        let (pointer, length) = (source.as_ptr().cast(), source.len());
        let program = create!(clCreateProgramWithSource(self.context, 1, &pointer, &length))?;
        let mut owner = Kernel { kernel: null_mut(), program };
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let built =
            check!(clBuildProgram(program, 1, &self.id, options.as_ptr(), None, null_mut()));
        if let Err(message) = built {
            return Err(format!("{message}: {}", self.log(&owner)?));
        }
        let name = CString::new(kernel).map_err(|e| e.to_string())?;
        owner.kernel = create!(clCreateKernel(program, name.as_ptr()))?;
        Ok(owner)
    }

    /// Compiles a program without linking it: in a driver with clang, this is clang's part of a build.
    pub fn compile(&self, source: &str, options: &str) -> Result<()> {
        let (pointer, length) = (source.as_ptr().cast(), source.len());
        let program = create!(clCreateProgramWithSource(self.context, 1, &pointer, &length))?;
        let owner = Kernel { kernel: null_mut(), program };
        let options = CString::new(options).map_err(|e| e.to_string())?;
        let options = options.as_ptr();
        let (none, names) = (null(), null_mut());
        let id = &self.id;
        check!(clCompileProgram(program, 1, id, options, 0, none, names, None, null_mut()))
            .or_else(|message| Err(format!("{message}: {}", self.log(&owner)?)))
    }

    fn log(&self, kernel: &Kernel) -> Result<String> {
        let mut size = 0;
        let (program, what) = (kernel.program, CL_PROGRAM_BUILD_LOG);
        check!(clGetProgramBuildInfo(program, self.id, what, 0, null_mut(), &mut size))?;
        let mut log = vec![0u8; size];
        let place = log.as_mut_ptr().cast();
        check!(clGetProgramBuildInfo(program, self.id, what, size, place, null_mut()))?;
        Ok(text(log))
    }

    /// Returns a buffer that is read and written by kernels.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let mem = create!(clCreateBuffer(self.context, CL_MEM_READ_WRITE, bytes, null_mut()))?;
        Ok(Buffer { mem, bytes })
    }

    /// Returns a buffer with a slice's contents.
    pub fn buffer_of<T: Copy>(&self, values: &[T]) -> Result<Buffer> {
        let buffer = self.buffer(size_of_val(values))?;
        self.write(&buffer, values)?;
        Ok(buffer)
    }

    /// Writes the start of a buffer; blocks.
    pub fn write<T: Copy>(&self, buffer: &Buffer, values: &[T]) -> Result<()> {
        let bytes = size_of_val(values).min(buffer.bytes);
        let from = values.as_ptr().cast::<c_void>().cast_mut();
        check!(clEnqueueWriteBuffer(
            self.queue,
            buffer.mem,
            CL_TRUE,
            0,
            bytes,
            from,
            0,
            null(),
            null_mut()
        ))
    }

    /// Reads from a byte offset on; blocks.
    pub fn read<T: Copy>(&self, buffer: &Buffer, offset: usize, values: &mut [T]) -> Result<()> {
        let (bytes, to) = (size_of_val(values), values.as_mut_ptr().cast());
        check!(clEnqueueReadBuffer(
            self.queue,
            buffer.mem,
            CL_TRUE,
            offset,
            bytes,
            to,
            0,
            null(),
            null_mut()
        ))
    }

    pub fn copy(&self, from: &Buffer, to: &Buffer, bytes: usize) -> Result<()> {
        check!(clEnqueueCopyBuffer(
            self.queue,
            from.mem,
            to.mem,
            0,
            0,
            bytes,
            0,
            null(),
            null_mut()
        ))
    }

    /// Maps a whole buffer (blocking), passes its bytes to a function, and unmaps it.
    pub fn map(&self, buffer: &Buffer, access: Access, work: impl FnOnce(&mut [u8])) -> Result<()> {
        let address = create!(clEnqueueMapBuffer(
            self.queue,
            buffer.mem,
            CL_TRUE,
            access as u64,
            0,
            buffer.bytes,
            0,
            null(),
            null_mut()
        ))?;
        // SAFETY: the mapping holds that many bytes until it is unmapped below.
        work(unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), buffer.bytes) });
        check!(clEnqueueUnmapMemObject(self.queue, buffer.mem, address, 0, null(), null_mut()))
    }

    /// Enqueues a kernel, without an event. An empty `local` leaves the local size open.
    pub fn launch(&self, kernel: &Kernel, global: &[usize], local: &[usize]) -> Result<()> {
        let local = if local.is_empty() { null() } else { local.as_ptr() };
        check!(clEnqueueNDRangeKernel(
            self.queue,
            kernel.kernel,
            global.len() as u32,
            null(),
            global.as_ptr(),
            local,
            0,
            null(),
            null_mut()
        ))
    }

    pub fn finish(&self) -> Result<()> {
        check!(clFinish(self.queue))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let release = || -> Result<()> {
            check!(clReleaseCommandQueue(self.queue))?;
            check!(clReleaseContext(self.context))
        };
        let _ = release();
    }
}

fn device_info(device: cl_device_id, what: u32) -> Result<Vec<u8>> {
    let mut size = 0;
    check!(clGetDeviceInfo(device, what, 0, null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    check!(clGetDeviceInfo(device, what, size, bytes.as_mut_ptr().cast(), null_mut()))?;
    Ok(bytes)
}

fn platform_name(platform: cl_platform_id) -> Result<Vec<u8>> {
    let mut size = 0;
    check!(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, null_mut(), &mut size))?;
    let mut name = vec![0u8; size];
    let place = name.as_mut_ptr().cast();
    check!(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, place, null_mut()))?;
    Ok(name)
}

/// A queue besides the session's.
pub struct Queue {
    handle: cl_command_queue,
}

impl Queue {
    pub fn handle(&self) -> cl_command_queue {
        self.handle
    }

    /// Enqueues a kernel over one dimension, without an event.
    pub fn launch(&self, kernel: &Kernel, (global, local): (usize, usize)) -> Result<()> {
        check!(clEnqueueNDRangeKernel(
            self.handle,
            kernel.kernel,
            1,
            null(),
            &global,
            &local,
            0,
            null(),
            null_mut()
        ))
    }

    /// Launches a kernel behind an event, if one is given; returns the launch's own event.
    pub fn launch_behind(
        &self,
        kernel: &Kernel,
        (global, local): (usize, usize),
        behind: Option<&Event>,
    ) -> Result<Event> {
        let list = behind.map_or(null(), |event| &raw const event.handle);
        let mut event = Event { handle: null_mut() };
        check!(clEnqueueNDRangeKernel(
            self.handle,
            kernel.kernel,
            1,
            null(),
            &global,
            &local,
            u32::from(behind.is_some()),
            list,
            &mut event.handle
        ))?;
        Ok(event)
    }

    pub fn flush(&self) -> Result<()> {
        check!(clFlush(self.handle))
    }

    pub fn finish(&self) -> Result<()> {
        check!(clFinish(self.handle))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let release = || -> Result<()> { check!(clReleaseCommandQueue(self.handle)) };
        let _ = release();
    }
}

/// The event of a command.
pub struct Event {
    handle: cl_event,
}

impl Drop for Event {
    fn drop(&mut self) {
        let release = || -> Result<()> {
            match self.handle.is_null() {
                true => Ok(()),
                false => check!(clReleaseEvent(self.handle)),
            }
        };
        let _ = release();
    }
}

/// Device memory.
pub struct Buffer {
    mem: cl_mem,
    bytes: usize,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let release = || -> Result<()> { check!(clReleaseMemObject(self.mem)) };
        let _ = release();
    }
}

/// A kernel with its program.
pub struct Kernel {
    kernel: cl_kernel,
    program: cl3::types::cl_program,
}

impl Kernel {
    pub fn handle(&self) -> cl_kernel {
        self.kernel
    }

    /// Sets an argument by value.
    pub fn set<T: Copy>(&self, index: u32, value: T) -> Result<()> {
        let place = std::ptr::from_ref(&value).cast();
        check!(clSetKernelArg(self.kernel, index, size_of::<T>(), place))
    }

    /// Sets the size of a local memory argument.
    pub fn set_local(&self, index: u32, bytes: usize) -> Result<()> {
        check!(clSetKernelArg(self.kernel, index, bytes, null()))
    }

    /// Sets an argument to a buffer.
    pub fn set_buffer(&self, index: u32, buffer: &Buffer) -> Result<()> {
        self.set(index, buffer.mem)
    }

    /// Sets the first arguments to buffers.
    pub fn set_buffers(&self, buffers: &[&Buffer]) -> Result<()> {
        for (index, buffer) in buffers.iter().enumerate() {
            self.set_buffer(index as u32, buffer)?;
        }
        Ok(())
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let release = || -> Result<()> {
            if !self.kernel.is_null() {
                check!(clReleaseKernel(self.kernel))?;
            }
            check!(clReleaseProgram(self.program))
        };
        let _ = release();
    }
}
