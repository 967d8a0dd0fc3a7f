//! A context: devices that share memory objects, programs and events.

pub mod device_addresses;
pub mod host_ranges;
pub mod host_writes;
pub mod queue_list;
pub mod svm;
pub mod usm;

use crate::cl::error::{ClError, Result};
use crate::cl::*;
use crate::core::check;
use crate::core::context::device_addresses::DeviceAddresses;
use crate::core::context::host_ranges::HostRanges;
use crate::core::context::host_writes::HostWrites;
use crate::core::context::queue_list::QueueList;
use crate::core::context::svm::Allocations;
use crate::core::device::bounce::Bounces;
use crate::core::device::open::Gpu;
use crate::core::device::Device;
use crate::core::gl::Sharing;
use crate::core::printf::output::Sink;
use crate::core::printf::Printer;
use crate::object::callbacks::{self, UserData};
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use hekla_compiler::Target;
use parking_lot::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::Arc;

/// The kinds of memory that are zero when a kernel begins (cl_khr_initialize_memory).
#[derive(Debug, Clone, Copy, Default)]
pub struct Initialize {
    pub local: bool,
    pub private: bool,
}

pub struct Context {
    pub devices: Vec<Ref<Device>>,
    /// The open devices, in the order of `devices`.
    pub gpus: Vec<Arc<Gpu>>,
    /// The properties given, with their terminating zero; empty when none were given.
    pub properties: Vec<cl_context_properties>,
    /// The memory that is zero when a kernel begins.
    initialize: Initialize,
    /// Receives error notifications.
    notifier: Option<Arc<Notifier>>,
    /// The printf buffers and the receiver of the text.
    pub printer: Arc<Printer>,
    /// Shared virtual memory.
    pub svm: Allocations,
    /// Host addresses that stand for device memory.
    pub host_ranges: HostRanges,
    /// Writes to the application's memory that are pending.
    pub host_writes: HostWrites,
    pub queues: QueueList,
    /// Buffers whose device addresses the application knows.
    pub addresses: DeviceAddresses,
    /// The memory through which bytes go from device to device.
    pub bounces: Arc<Bounces>,
    /// The connection to OpenGL, if the context was created from a context of OpenGL.
    pub gl: Option<Arc<Sharing>>,
    /// The number of incomplete events that no command ends: user events, and fences of OpenGL.
    pub conditions: AtomicUsize,
    destructors: Mutex<Vec<(ContextDestructor, UserData)>>,
}

impl Kind for Context {
    type Target = _cl_context;
    const INVALID: cl_int = CL_INVALID_CONTEXT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.notifier.as_ref()
    }

    fn reachable(&self) -> bool {
        true
    }

    fn dropped(&mut self, handle: cl_context) {
        // Most recently registered first (clSetContextDestructorCallback).
        for (callback, data) in self.destructors.get_mut().drain(..).rev() {
            let handle = UserData(handle.cast());
            callbacks::defer(move || {
                if let Some(callback) = callback {
                    // SAFETY: the application registered this function with this data.
                    unsafe { callback(handle.get().cast(), data.get()) };
                }
            });
        }
    }
}

impl Context {
    /// Opens the devices, and opens lost devices again: CL_DEVICE_NOT_AVAILABLE for a device that cannot be opened. `notifier`
    /// receives errors; `sink` receives the output of kernels, through printf buffers of the requested size.
    pub fn new(
        devices: Vec<Ref<Device>>,
        properties: Vec<cl_context_properties>,
        notifier: Option<Arc<Notifier>>,
        sink: Sink,
        printf_buffer_size: Option<usize>,
        initialize: Initialize,
        gl: Option<Arc<Sharing>>,
    ) -> Result<Ref<Context>> {
        let gpus =
            devices.iter().map(|device| device.gpu_for_context()).collect::<Result<Vec<_>>>();
        let gpus = gpus.map_err(|_| ClError(CL_DEVICE_NOT_AVAILABLE))?;
        let printer = Printer::new(devices.len(), sink, printf_buffer_size);
        let bounces = Bounces::new(gpus.clone());
        Ok(Ref::new(Context {
            devices,
            gpus,
            properties,
            initialize,
            notifier,
            printer,
            svm: Allocations::default(),
            host_ranges: HostRanges::default(),
            host_writes: HostWrites::default(),
            queues: QueueList::default(),
            addresses: DeviceAddresses::default(),
            bounces,
            gl,
            conditions: AtomicUsize::new(0),
            destructors: Mutex::default(),
        }))
    }

    /// Returns the target for which programs of this context are compiled on a device. Their binaries are for this target
    /// alone: a context that initializes other kinds of memory refuses them.
    pub fn target(&self, gpu: &Gpu) -> Target {
        let Initialize { local, private } = self.initialize;
        Target {
            zero_local: local,
            zero_private: private,
            checks: check::wanted(),
            ..gpu.target.clone()
        }
    }

    /// Returns the open device of one of the context's devices, or CL_INVALID_DEVICE.
    pub fn gpu_of(&self, device: &Ref<Device>) -> Result<&Arc<Gpu>> {
        Ok(&self.gpus[self.index_of(device)?])
    }

    /// Returns the position of a device, or CL_INVALID_DEVICE.
    pub fn index_of(&self, device: &Ref<Device>) -> Result<usize> {
        self.devices.iter().position(|d| d == device).ok_or(ClError(CL_INVALID_DEVICE))
    }

    pub fn add_destructor(&self, callback: ContextDestructor, data: UserData) {
        self.destructors.lock().push((callback, data));
    }
}
