//! The release of a queue. The application does not wait: recorded commands still run, and a thread of the library does the
//! host's part of them.

use super::completion::Completions;
use super::Queue;
use crate::cl::error::Result;
use crate::core::context::Context;
use crate::object::{callbacks, Ref};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::Arc;

/// The remains of a released queue.
struct Released {
    vk: Arc<vk::Queue>,
    completions: Completions,
    /// Kept alive because printouts and copies use the context.
    _context: Ref<Context>,
}

/// Submits the recorded commands of a queue and completes them: at once if the device has executed them, otherwise on a thread.
pub fn complete_later(queue: &mut Queue) {
    let completions = std::mem::take(queue.completions.get_mut());
    let submitted = queue.vk.flush();
    if let Err(error) = &submitted {
        tracing::warn!("a queue ended badly: {error}");
    }
    let is_complete = || queue.vk.completed().is_ok_and(|value| value >= queue.vk.issued());
    if completions.count() == 0 && submitted.is_ok() && is_complete() {
        return;
    }
    let (vk, _context) = (queue.vk.clone(), queue.context.clone());
    // The thread takes the remains from here, so that they are still available if no thread can be started.
    let rest = Arc::new(Mutex::new(Some(Released { vk, completions, _context })));
    let theirs = rest.clone();
    let body = move || {
        let released = theirs.lock().take();
        released.into_iter().for_each(Released::complete);
        callbacks::run_deferred();
    };
    if let Err(error) = hekla_vk_backend::spawn("hekla-release", body) {
        tracing::warn!("no thread to complete a queue: {error}");
        let released = rest.lock().take();
        released.into_iter().for_each(Released::complete);
    }
}

impl Released {
    /// Waits for the device, does the host's part of the commands, and drops the remains.
    fn complete(mut self) {
        let ended = self.wait().and_then(|()| {
            while let Some(work) = self.completions.take(u64::MAX) {
                work.run()?;
            }
            Ok(())
        });
        if let Err(error) = ended {
            tracing::warn!("a queue ended badly: {error}");
        }
    }

    fn wait(&self) -> Result<()> {
        match self.vk.issued() {
            0 => Ok(()),
            last => Ok(self.vk.wait(last)?),
        }
    }
}
