//! Semaphores (cl_khr_semaphore): binary, signalled and waited for by commands.
//!
//! Among queues of OpenCL a wait is ordered behind the signal before it as behind any event, so that no device is
//! ever given work that waits for the host. A semaphore that other APIs share has a Vulkan semaphore as well, for
//! those APIs.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::context::Context;
use crate::core::device::external::semaphore_handle;
use crate::core::device::Device;
use crate::core::queue::event::{Event, Phase};
use crate::core::queue::execute::Execution;
use crate::core::queue::{Queue, Request};
use crate::object::{Kind, Ref};
use hekla_vk_backend as vk;
use hekla_vk_backend::platform::Descriptor;
use parking_lot::Mutex;
use std::sync::Arc;

pub struct Semaphore {
    pub context: Ref<Context>,
    /// The devices that may use the semaphore.
    pub devices: Vec<Ref<Device>>,
    /// The list given at creation, with its terminating zero.
    pub properties: Vec<cl_semaphore_properties_khr>,
    /// The kind of handle that the semaphore may be exported as, if any.
    pub exports: vk::SemaphoreHandles,
    /// The kind of handle that the semaphore was imported from.
    pub imported: Option<vk::SemaphoreHandles>,
    state: Mutex<State>,
}

/// The state of a semaphore that changes: its payload and the commands that use it.
#[derive(Default)]
struct State {
    /// The Vulkan semaphore that other APIs share.
    shared: Option<Arc<vk::Semaphore>>,
    /// The last signal, and the wait for it.
    signal: Option<Signal>,
    wait: Option<Ref<Event>>,
    /// Waits that came before their signals: user events that the signals will complete.
    early: Vec<Ref<Event>>,
}

/// The signal of a semaphore.
#[derive(Clone)]
enum Signal {
    /// The event of a command that signals.
    Command(Ref<Event>),
    /// An imported sync file; `None` for -1, a sync file that is signalled already.
    File(Option<Arc<Descriptor>>),
}

impl Signal {
    /// Returns true if the signal has happened.
    fn is_there(&self) -> Result<bool> {
        match self {
            Signal::Command(event) => is_complete(event),
            Signal::File(file) => Ok(file.as_ref().is_none_or(|file| file.is_ready())),
        }
    }

    /// Returns the event of the command that signals; `None` for a sync file.
    fn event(&self) -> Option<&Ref<Event>> {
        match self {
            Signal::Command(event) => Some(event),
            Signal::File(_) => None,
        }
    }
}

/// Returns true if a command has completed without an error.
fn is_complete(event: &Ref<Event>) -> Result<bool> {
    event.poll()?;
    Ok(matches!(event.phase(), Phase::Finished { status: CL_COMPLETE, .. }))
}

/// The operation of a command on semaphores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Wait,
    Signal,
}

/// The properties of clCreateSemaphoreWithPropertiesKHR.
#[derive(Default)]
pub struct SemaphoreProperties {
    pub list: Vec<cl_semaphore_properties_khr>,
    /// The devices of the semaphore; `None` for all devices of the context.
    pub devices: Option<Vec<Ref<Device>>>,
    pub exports: vk::SemaphoreHandles,
    /// Kind of handle and descriptor.
    pub import: Option<(vk::SemaphoreHandles, i32)>,
}

impl Kind for Semaphore {
    type Target = _cl_semaphore_khr;
    const INVALID: cl_int = CL_INVALID_SEMAPHORE_KHR;
}

impl Semaphore {
    /// clCreateSemaphoreWithPropertiesKHR, of checked properties.
    pub fn new(context: Ref<Context>, properties: SemaphoreProperties) -> Result<Ref<Semaphore>> {
        let SemaphoreProperties { list, devices, exports, import } = properties;
        let devices = devices.unwrap_or_else(|| context.devices.clone());
        let [device] = &devices[..] else { return fail(CL_INVALID_PROPERTY) };
        let external = device.info().features.external;
        ensure!(external.semaphore_export.contains(exports), CL_INVALID_PROPERTY);
        let takes = |(kind, _)| external.semaphore_import.contains(kind);
        ensure!(import.is_none_or(takes), CL_INVALID_DEVICE);
        let state = match import.is_some() || !exports.is_empty() {
            true => State::shared(&context, device, exports, import)?,
            false => State::default(),
        };
        Ok(Ref::new(Semaphore {
            context,
            devices,
            properties: list,
            exports,
            imported: import.map(|(kind, _)| kind),
            state: Mutex::new(state),
        }))
    }

    /// Returns CL_SEMAPHORE_PAYLOAD_KHR: 1 while the semaphore is signalled. Signals and waits of other APIs that share the
    /// semaphore ([`vk::SemaphoreHandles::OPAQUE_FD`]) are not counted: Vulkan does not report the payload of a binary
    /// semaphore.
    pub fn payload(&self) -> Result<cl_semaphore_payload_khr> {
        let (signal, wait) = {
            let state = self.state.lock();
            (state.signal.clone(), state.wait.clone())
        };
        let signalled = signal.map_or(Ok(false), |signal| signal.is_there())?;
        let consumed = wait.map_or(Ok(false), |wait| is_complete(&wait))?;
        Ok(u64::from(signalled && !consumed))
    }

    /// clGetSemaphoreHandleForTypeKHR: a new descriptor, which the application owns; -1 for a sync file that
    /// is signalled.
    pub fn export(&self, kind: vk::SemaphoreHandles) -> Result<i32> {
        let mut state = self.state.lock();
        let Some(shared) = state.shared.clone() else { return fail(CL_INVALID_VALUE) };
        if kind == vk::SemaphoreHandles::SYNC_FD {
            // The export copies the payload and, like a wait, resets it: the signal must already be submitted to the device.
            let on_its_way = |event: &Ref<Event>| event.phase() != Phase::Pending;
            let signal = state.signal.as_ref().and_then(Signal::event);
            let signalled = state.wait.is_none() && signal.is_some_and(on_its_way);
            ensure!(signalled, CL_INVALID_OPERATION);
            state.signal = None;
        }
        Ok(shared.export(kind)?.map_or(-1, Descriptor::into_number))
    }

    /// clReImportSemaphoreSyncFdKHR: acts as if the semaphore were destroyed and created again. Commands that were enqueued
    /// before keep the old Vulkan semaphore: Vulkan forbids an import into a semaphore that is in use.
    pub fn reimport(&self, fd: i32) -> Result<()> {
        let sync = vk::SemaphoreHandles::SYNC_FD;
        ensure!(self.imported == Some(sync), CL_INVALID_SEMAPHORE_KHR);
        let state = State::shared(&self.context, &self.devices[0], self.exports, Some((sync, fd)));
        *self.state.lock() = state.map_err(|error| match error.0 {
            CL_INVALID_PROPERTY => ClError(CL_INVALID_VALUE),
            _ => error,
        })?;
        Ok(())
    }

    fn shared(&self) -> Option<Arc<vk::Semaphore>> {
        self.state.lock().shared.clone()
    }
}

impl State {
    /// Returns the state of a semaphore that other APIs share. If the application gave a descriptor, the Vulkan semaphore
    /// imports it and then owns it.
    fn shared(
        context: &Ref<Context>,
        device: &Ref<Device>,
        exports: vk::SemaphoreHandles,
        import: Option<(vk::SemaphoreHandles, i32)>,
    ) -> Result<State> {
        let gpu = &context.gpus[context.index_of(device)?];
        let shared = gpu.device.create_semaphore(exports)?;
        let signal = import.map_or(Ok(None), |(kind, fd)| import_fd(&shared, kind, fd))?;
        Ok(State { shared: Some(shared), signal, ..State::default() })
    }
}

/// Imports the application's descriptor into a Vulkan semaphore; returns the signal that comes with a sync file.
fn import_fd(
    shared: &vk::Semaphore,
    kind: vk::SemaphoreHandles,
    fd: i32,
) -> Result<Option<Signal>> {
    let is_file = kind == vk::SemaphoreHandles::SYNC_FD;
    // -1 means a sync file that is signalled already.
    let own = match is_file && fd == -1 {
        true => None,
        false => Some(Descriptor::duplicate_of(fd).ok_or(ClError(CL_INVALID_PROPERTY))?),
    };
    shared.import(own.as_ref(), kind).map_err(|error| match error {
        vk::Error::Invalid(_) => ClError(CL_INVALID_PROPERTY),
        error => error.into(),
    })?;
    if own.is_some() {
        Descriptor::close(fd);
    }
    Ok(is_file.then(|| Signal::File(own.map(Arc::new))))
}

impl SemaphoreProperties {
    /// Adds a kind of handle to export (CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR): CL_INVALID_VALUE for a second kind,
    /// CL_INVALID_PROPERTY for a kind that does not exist.
    pub fn take_exports(&mut self, names: &[u64]) -> Result<()> {
        ensure!(names.len() <= 1, CL_INVALID_VALUE);
        for name in names {
            self.exports |= semaphore_handle(*name).ok_or(ClError(CL_INVALID_PROPERTY))?;
        }
        Ok(())
    }
}

impl Ref<Semaphore> {
    /// Notes a command's wait. Returns the event that the command has to wait for, or `None` if the signal comes from another
    /// API.
    fn awaited_by(&self, wait: &Ref<Event>) -> Option<Ref<Event>> {
        let mut state = self.state.lock();
        if state.wait.is_none() {
            if let Some(signal) = state.signal.clone() {
                state.wait = Some(wait.clone());
                // A sync file has no event: its signal is in the Vulkan semaphore.
                return signal.event().cloned();
            }
        }
        if state.shared.is_some() {
            return None;
        }
        let early = Event::user(self.context.clone());
        state.early.push(early.clone());
        Some(early)
    }

    /// Notes a command's signal.
    fn signalled_by(&self, signal: &Ref<Event>) {
        let mut state = self.state.lock();
        if state.early.is_empty() {
            state.signal = Some(Signal::Command(signal.clone()));
            state.wait = None;
            return;
        }
        let early = state.early.remove(0);
        drop(state);
        signal.then(move |status| {
            early.complete_user_event(status.min(CL_COMPLETE)).unwrap_or_default()
        });
    }
}

impl Ref<Queue> {
    /// Enqueues a wait for, or a signal of, semaphores. Returns its event.
    pub fn operate(
        &self,
        operation: Operation,
        semaphores: &[Ref<Semaphore>],
        mut waits: Vec<Ref<Event>>,
    ) -> Result<Ref<Event>> {
        let shared: Vec<_> = semaphores.iter().filter_map(|s| s.shared()).collect();
        let command_type = match operation {
            Operation::Wait => CL_COMMAND_SEMAPHORE_WAIT_KHR,
            Operation::Signal => CL_COMMAND_SEMAPHORE_SIGNAL_KHR,
        };
        let event = Event::of_command(self, command_type);
        if operation == Operation::Wait {
            waits.extend(semaphores.iter().filter_map(|s| s.awaited_by(&event)));
        }
        let command = match shared.is_empty() {
            true => Command::Marker,
            false => Command::Semaphores { operation, semaphores: shared },
        };
        let command = Box::new(command);
        let request = Request { command_type, command, waits, blocking: false, wants_event: true };
        self.enqueue_as(request, Some(event.clone()))?;
        if operation == Operation::Signal {
            semaphores.iter().for_each(|s| s.signalled_by(&event));
        }
        Ok(event)
    }
}

impl Execution<'_> {
    /// Submits a wait for, or a signal of, semaphores that other APIs share.
    pub fn exchange(
        &mut self,
        operation: Operation,
        semaphores: &[Arc<vk::Semaphore>],
    ) -> Result<Phase> {
        let (waits, signals) = match operation {
            Operation::Wait => (semaphores, &[][..]),
            Operation::Signal => (&[][..], semaphores),
        };
        let (timed, after) = (self.state.timed, self.state.after);
        let (times, value) = self.queue.vk.record_with_semaphores(waits, signals, |recorder| {
            recorder.after(after);
            let times = if timed { recorder.begin_timestamp() } else { None };
            if timed {
                recorder.end_timestamp();
            }
            times
        });
        self.state.add_times(times);
        self.state.last = value;
        Ok(Phase::Recorded { first: value, last: value })
    }
}
