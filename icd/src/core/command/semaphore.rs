//! Semaphores (cl_khr_semaphore): binary, signalled and waited for by commands.
//!
//! Among queues of OpenCL a wait is ordered behind the signal before it as behind any event, so that no device is
//! ever given work that waits for the host. A semaphore that other APIs share has a Vulkan semaphore as well, for
//! those APIs.

use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::context::Context;
use crate::core::device::external::{self, semaphore_handle};
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
    /// The devices that may use it.
    pub devices: Vec<Ref<Device>>,
    /// The list given at creation, with its terminating zero.
    pub properties: Vec<cl_semaphore_properties_khr>,
    /// Kinds of handle that it may be exported as: at most one.
    pub exports: vk::SemaphoreHandles,
    /// The kind of handle that it was imported from.
    pub imported: Option<vk::SemaphoreHandles>,
    state: Mutex<State>,
}

/// What may change of a semaphore: its payload and the commands that use it.
#[derive(Default)]
struct State {
    /// The Vulkan semaphore that other APIs share.
    shared: Option<Arc<vk::Semaphore>>,
    /// The last signal, and the wait for it.
    signal: Option<Ref<Event>>,
    wait: Option<Ref<Event>>,
    /// Waits that came before their signals: user events that the signals will complete.
    early: Vec<Ref<Event>>,
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
    /// `None` for all devices of the context.
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
        let shared = match import.is_some() || !exports.is_empty() {
            true => Some(create_shared(&context, device, exports, import)?),
            false => None,
        };
        Ok(Ref::new(Semaphore {
            context,
            devices,
            properties: list,
            exports,
            imported: import.map(|(kind, _)| kind),
            state: Mutex::new(State { shared, ..State::default() }),
        }))
    }

    /// Returns CL_SEMAPHORE_PAYLOAD_KHR: 1 while it is signalled. Operations of other APIs are not known.
    pub fn payload(&self) -> Result<cl_semaphore_payload_khr> {
        let (signal, wait) = {
            let state = self.state.lock();
            (state.signal.clone(), state.wait.clone())
        };
        let complete = |event: Option<Ref<Event>>| -> Result<bool> {
            let Some(event) = event else { return Ok(false) };
            event.poll()?;
            Ok(matches!(event.phase(), Phase::Finished { status: CL_COMPLETE, .. }))
        };
        Ok(u64::from(complete(signal)? && !complete(wait)?))
    }

    /// clGetSemaphoreHandleForTypeKHR: a new descriptor, which the application owns; -1 for a sync file that
    /// is signalled.
    pub fn export(&self, kind: vk::SemaphoreHandles) -> Result<i32> {
        let mut state = self.state.lock();
        let Some(shared) = state.shared.clone() else { return fail(CL_INVALID_VALUE) };
        if kind == vk::SemaphoreHandles::SYNC_FD {
            // The state is copied, as a wait uses it up: a signal must be on its way to the device.
            let on_its_way = |event: &Ref<Event>| event.phase() != Phase::Pending;
            let signalled = state.wait.is_none() && state.signal.as_ref().is_some_and(on_its_way);
            ensure!(signalled, CL_INVALID_OPERATION);
            state.signal = None;
        }
        Ok(shared.export(kind)?.map_or(-1, Descriptor::into_number))
    }

    /// clReImportSemaphoreSyncFdKHR: as if the semaphore were destroyed and created again. Commands that were enqueued
    /// before keep the old Vulkan semaphore: Vulkan forbids importing into one that is in use.
    pub fn reimport(&self, fd: i32) -> Result<()> {
        let sync = vk::SemaphoreHandles::SYNC_FD;
        ensure!(self.imported == Some(sync), CL_INVALID_SEMAPHORE_KHR);
        let import = Some((sync, fd));
        let shared = create_shared(&self.context, &self.devices[0], self.exports, import).map_err(
            |error| match error.0 {
                CL_INVALID_PROPERTY => ClError(CL_INVALID_VALUE),
                _ => error,
            },
        )?;
        *self.state.lock() = State { shared: Some(shared), ..State::default() };
        Ok(())
    }

    fn shared(&self) -> Option<Arc<vk::Semaphore>> {
        self.state.lock().shared.clone()
    }
}

/// Creates a Vulkan semaphore and imports the application's descriptor, if there is one.
fn create_shared(
    context: &Ref<Context>,
    device: &Ref<Device>,
    exports: vk::SemaphoreHandles,
    import: Option<(vk::SemaphoreHandles, i32)>,
) -> Result<Arc<vk::Semaphore>> {
    let gpu = &context.gpus[context.index_of(device)?];
    let shared = gpu.device.create_semaphore(exports)?;
    if let Some((kind, fd)) = import {
        import_fd(&shared, kind, fd)?;
    }
    Ok(shared)
}

/// Imports the application's descriptor into a Vulkan semaphore, which then owns the descriptor.
fn import_fd(shared: &vk::Semaphore, kind: vk::SemaphoreHandles, fd: i32) -> Result<()> {
    // -1 is a sync file that is signalled.
    let signalled = kind == vk::SemaphoreHandles::SYNC_FD && fd == -1;
    let own: Option<Descriptor> = (!signalled).then(|| external::duplicate(fd)).transpose()?;
    shared.import(own, kind).map_err(|error| match error {
        vk::Error::Invalid(_) => ClError(CL_INVALID_PROPERTY),
        error => error.into(),
    })?;
    if !signalled {
        Descriptor::close(fd);
    }
    Ok(())
}

impl SemaphoreProperties {
    /// Adds a kind of handle to export (CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR): CL_INVALID_VALUE for
    /// more than one, CL_INVALID_PROPERTY for one that does not exist.
    pub fn take_exports(&mut self, names: &[u64]) -> Result<()> {
        ensure!(names.len() <= 1, CL_INVALID_VALUE);
        for name in names {
            self.exports |= semaphore_handle(*name).ok_or(ClError(CL_INVALID_PROPERTY))?;
        }
        Ok(())
    }
}

impl Ref<Semaphore> {
    /// Notes a command's wait; returns the event that it waits for, or `None` if the signal is another API's.
    fn awaited_by(&self, wait: &Ref<Event>) -> Option<Ref<Event>> {
        let mut state = self.state.lock();
        if state.wait.is_none() {
            if let Some(signal) = state.signal.clone() {
                state.wait = Some(wait.clone());
                return Some(signal);
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
            state.signal = Some(signal.clone());
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
    /// Gives the device a wait for, or a signal of, semaphores that others share.
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
