//! A command buffer that is being recorded or replayed, and shorthands for its functions.

use crate::common::*;
use std::ffi::{c_void, CString};
use std::ptr::{null, null_mut};

macro_rules! functions {
    ($($name:ident($($ty:ty),* $(,)?) -> $ret:ty;)*) => {
        /// The extension's functions, at the addresses that the platform returns.
        #[allow(non_snake_case)]
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($ty),*) -> $ret,)*
        }

        impl Functions {
            fn load(s: &Setup) -> Functions {
                Functions {
                    $($name: s.extension(&CString::new(stringify!($name)).unwrap()),)*
                }
            }
        }
    };
}

type Buffer = cl_command_buffer_khr;
type Queue = cl_command_queue;
type Properties = *const cl_command_properties_khr;
type Points = *const cl_sync_point_khr;
type Point = *mut cl_sync_point_khr;
type Handle = *mut cl_mutable_command_khr;

functions! {
    clCreateCommandBufferKHR(cl_uint, *const Queue, *const u64, *mut cl_int) -> Buffer;
    clRetainCommandBufferKHR(Buffer) -> cl_int;
    clReleaseCommandBufferKHR(Buffer) -> cl_int;
    clFinalizeCommandBufferKHR(Buffer) -> cl_int;
    clEnqueueCommandBufferKHR(cl_uint, *mut Queue, Buffer, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    clCommandBarrierWithWaitListKHR(Buffer, Queue, Properties, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandCopyBufferKHR(Buffer, Queue, Properties, cl_mem, cl_mem, usize, usize, usize, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandCopyBufferRectKHR(Buffer, Queue, Properties, cl_mem, cl_mem, *const usize, *const usize, *const usize, usize, usize, usize, usize, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandFillBufferKHR(Buffer, Queue, Properties, cl_mem, *const c_void, usize, usize, usize, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandSVMMemcpyKHR(Buffer, Queue, Properties, *mut c_void, *const c_void, usize, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandSVMMemFillKHR(Buffer, Queue, Properties, *mut c_void, *const c_void, usize, usize, cl_uint, Points, Point, Handle) -> cl_int;
    clCommandNDRangeKernelKHR(Buffer, Queue, Properties, cl_kernel, cl_uint, *const usize, *const usize, *const usize, cl_uint, Points, Point, Handle) -> cl_int;
    clGetCommandBufferInfoKHR(Buffer, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
    clUpdateMutableCommandsKHR(Buffer, cl_uint, *const cl_uint, *const *const c_void) -> cl_int;
    clGetMutableCommandInfoKHR(cl_mutable_command_khr, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
}

/// A command buffer and the extension's functions.
pub struct Recorder {
    pub f: Functions,
    pub buffer: Buffer,
}

/// Returns a configuration that changes nothing.
pub fn config(command: cl_mutable_command_khr) -> cl_mutable_dispatch_config_khr {
    cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

/// Returns an argument for a configuration.
pub fn arg<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    let arg_value = (value as *const T).cast();
    cl_mutable_dispatch_arg_khr { arg_index: index, arg_size: size_of::<T>(), arg_value }
}

fn list<T>(list: &[T]) -> (u32, *const T) {
    (list.len() as u32, if list.is_empty() { null() } else { list.as_ptr() })
}

impl Recorder {
    /// Returns a command buffer for the setup's queue, which is in order.
    pub fn new(s: &Setup) -> Recorder {
        Recorder::on(s, s.queue, &[])
    }

    /// Returns a command buffer whose commands may be changed.
    pub fn mutable(s: &Setup) -> Recorder {
        Recorder::on(s, s.queue, &[CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0])
    }

    pub fn on(s: &Setup, queue: Queue, properties: &[u64]) -> Recorder {
        let f = Functions::load(s);
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        let buffer = made(|e| unsafe { (f.clCreateCommandBufferKHR)(1, &queue, properties, e) });
        Recorder { f, buffer }
    }

    pub fn copy(&self, from: cl_mem, to: cl_mem, size: usize, waits: &[u32]) -> u32 {
        let ((count, list), mut point) = (list(waits), 0);
        check(unsafe {
            let (buffer, n, none) = (self.buffer, null_mut(), null());
            let copy = self.f.clCommandCopyBufferKHR;
            copy(buffer, n, none, from, to, 0, 0, size, count, list, &mut point, null_mut())
        });
        point
    }

    /// Fills a buffer from an offset on.
    pub fn fill(
        &self,
        mem: cl_mem,
        pattern: &[u8],
        (offset, size): (usize, usize),
        waits: &[u32],
    ) -> u32 {
        let ((count, list), mut point) = (list(waits), 0);
        let (bytes, length) = (pattern.as_ptr().cast(), pattern.len());
        check(unsafe {
            let (buffer, queue) = (self.buffer, null_mut());
            let fill = self.f.clCommandFillBufferKHR;
            let place = &mut point;
            fill(
                buffer,
                queue,
                null(),
                mem,
                bytes,
                length,
                offset,
                size,
                count,
                list,
                place,
                null_mut(),
            )
        });
        point
    }

    pub fn barrier(&self, waits: &[u32]) -> u32 {
        let ((count, list), mut point) = (list(waits), 0);
        check(unsafe {
            let barrier = self.f.clCommandBarrierWithWaitListKHR;
            barrier(self.buffer, null_mut(), null(), count, list, &mut point, null_mut())
        });
        point
    }

    /// Records a launch of one dimension; returns its sync point and its handle.
    pub fn launch(
        &self,
        kernel: cl_kernel,
        global: usize,
        waits: &[u32],
    ) -> (u32, cl_mutable_command_khr) {
        self.launch_with(kernel, &[], &[global], None, waits)
    }

    pub fn launch_with(
        &self,
        kernel: cl_kernel,
        properties: &[u64],
        global: &[usize],
        local: Option<&[usize]>,
        waits: &[u32],
    ) -> (u32, cl_mutable_command_khr) {
        let ((count, list), mut point, mut handle) = (list(waits), 0, null_mut());
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        check(unsafe {
            (self.f.clCommandNDRangeKernelKHR)(
                self.buffer,
                null_mut(),
                properties,
                kernel,
                global.len() as u32,
                null(),
                global.as_ptr(),
                local.map_or(null(), |l| l.as_ptr()),
                count,
                list,
                &mut point,
                &mut handle,
            )
        });
        (point, handle)
    }

    pub fn finalize(&self) {
        check(unsafe { (self.f.clFinalizeCommandBufferKHR)(self.buffer) });
    }

    /// Enqueues the command buffer to its own queue.
    pub fn enqueue(&self) {
        let (queues, events) = (null_mut(), null());
        let enqueue = self.f.clEnqueueCommandBufferKHR;
        check(unsafe { enqueue(0, queues, self.buffer, 0, events, null_mut()) });
    }

    /// Enqueues the command buffer to a queue, behind events; returns its event.
    pub fn enqueue_to(&self, mut queue: Queue, waits: &[cl_event]) -> cl_event {
        let ((count, list), mut event) = (list(waits), null_mut());
        let enqueue = self.f.clEnqueueCommandBufferKHR;
        check(unsafe { enqueue(1, &mut queue, self.buffer, count, list, &mut event) });
        event
    }

    pub fn info<T: Copy>(&self, name: cl_uint) -> T {
        value(|z, p, r| unsafe { (self.f.clGetCommandBufferInfoKHR)(self.buffer, name, z, p, r) })
    }

    pub fn state(&self) -> cl_uint {
        self.info(CL_COMMAND_BUFFER_STATE_KHR)
    }

    /// Changes kernel commands; returns the code of the call.
    pub fn try_update(&self, configs: &[cl_mutable_dispatch_config_khr]) -> cl_int {
        let pointers: Vec<*const c_void> =
            configs.iter().map(|config| std::ptr::from_ref(config).cast()).collect();
        let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
        let (count, update) = (configs.len() as u32, self.f.clUpdateMutableCommandsKHR);
        unsafe { update(self.buffer, count, types.as_ptr(), pointers.as_ptr()) }
    }

    pub fn update(&self, configs: &[cl_mutable_dispatch_config_khr]) {
        check(self.try_update(configs));
    }

    /// Changes arguments of a command.
    pub fn set(&self, command: cl_mutable_command_khr, args: &[cl_mutable_dispatch_arg_khr]) {
        let (num_args, arg_list) = (args.len() as u32, args.as_ptr());
        self.update(&[cl_mutable_dispatch_config_khr { num_args, arg_list, ..config(command) }]);
    }

    /// Returns what a query of a command answers.
    pub fn command_info(&self, command: cl_mutable_command_khr, name: cl_uint) -> Vec<u8> {
        bytes(|z, p, r| unsafe { (self.f.clGetMutableCommandInfoKHR)(command, name, z, p, r) })
    }

    pub fn release(&self) {
        check(unsafe { (self.f.clReleaseCommandBufferKHR)(self.buffer) });
    }
}

/// Returns the 32-bit words of a buffer.
pub fn words(s: &Setup, mem: cl_mem, count: usize) -> Vec<u32> {
    let bytes = s.read(mem, 0, 4 * count);
    bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect()
}

/// Returns a buffer of words that are all the same.
pub fn filled(s: &Setup, count: usize, word: u32) -> cl_mem {
    let mem = s.buffer(0, 4 * count);
    s.write(mem, true, 0, &word.to_ne_bytes().repeat(count));
    mem
}
