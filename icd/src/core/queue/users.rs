//! Commands of a context that may still use an allocation of shared memory when it is freed.

use super::completion::Keep;
use super::Queue;
use crate::cl::error::Result;
use crate::core::context::svm::Allocation;
use crate::core::context::Context;
use crate::object::Ref;
use std::sync::Arc;

/// Waits until all commands that were enqueued so far and may use an allocation are complete. The allocation must no longer be
/// in the context's list. `unnamed`: waits also for launches that do not name the allocation.
///
/// Commands that other commands or user events keep from starting are waited for only if they may use the allocation, since the
/// caller itself may have to do what they wait for.
pub fn wait_for_users(context: &Context, memory: &Allocation, unnamed: bool) -> Result<()> {
    let queues = context.queues.all::<Queue>();
    for queue in queues.iter().filter_map(|(queue, _)| queue.as_ref()) {
        let users = queue.state.lock().deferred.events_of(|command| command.may_reach(memory));
        for event in users {
            // A command that has failed is complete too.
            event.wait()?;
        }
    }
    for (queue, vk) in &queues {
        // This drops the memory that complete commands have retained.
        vk.completed()?;
        if !unnamed && !memory.is_retained() {
            return Ok(());
        }
        match queue {
            Some(queue) => {
                let last = queue.state.lock().last;
                queue.wait_for(last)?;
            }
            None => vk.wait(vk.issued())?,
        }
    }
    Ok(())
}

/// Keeps an allocation alive until all commands that were given to devices so far are complete.
pub fn keep_for_users(context: &Context, memory: &Arc<Allocation>) {
    for queue in context.queues.all::<Queue>().into_iter().filter_map(|(queue, _)| queue) {
        queue.keep_until_idle(memory);
    }
}

impl Ref<Queue> {
    fn keep_until_idle(&self, memory: &Arc<Allocation>) {
        let last = self.state.lock().last;
        // A lost device no longer uses any memory.
        if !self.reached(last).unwrap_or(true) {
            self.add_completion(last, Arc::new(Keep(memory.clone())));
        }
    }
}
