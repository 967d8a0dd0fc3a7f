//! Commands on whole queues: markers, barriers, flushes, waiting for their ends.

use super::api::{call, done, Result, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
use super::event::Event;
use super::queue::Queue;
use super::slot::Slot;
use super::world::{Command, World, GONE};
use std::ptr::{null, null_mut};
use std::sync::Arc;

impl World<'_> {
    /// Enqueues a marker behind all commands of a queue; its event stands for commands without an
    /// event.
    pub fn mark(&mut self, queue: usize) -> Result<Arc<Event>> {
        let mut event = null_mut();
        done!(clEnqueueMarkerWithWaitList(self.queues[queue].handle(), 0, null(), &mut event))?;
        let event = Arc::new(Event::own(event));
        self.line(format!("queue {queue}: marker"), Vec::new());
        for access in self.accesses.iter_mut().filter(|access| access.queue == queue) {
            access.event.get_or_insert_with(|| event.clone());
        }
        Ok(event)
    }

    /// Enqueues a barrier: in an out-of-order queue, later commands wait for earlier ones.
    pub fn barrier(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        done!(clEnqueueBarrierWithWaitList(self.queues[queue].handle(), 0, null(), null_mut()))?;
        self.queues[queue].epoch += 1;
        self.line(format!("queue {queue}: barrier"), Vec::new());
        Ok(())
    }

    /// Enqueues a marker, with or without a wait list.
    pub fn marker(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        let nothing = Command { what: "marker".to_string(), spans: Vec::new(), blocking: false };
        if self.random.once_in(2) {
            return self.mark(queue).map(drop);
        }
        let call = |s: Slot| call!(clEnqueueMarkerWithWaitList(s.queue, s.count, s.list, s.event));
        self.submit(nothing, call).map(drop)
    }

    /// Flushes a queue by its number.
    pub fn flush(&self, queue: usize) -> Result<()> {
        // Releasing a queue flushes it (OpenCL 5.1).
        if queue == GONE {
            return Ok(());
        }
        done!(clFlush(self.queues[queue].handle()))
    }

    /// Releases a queue with pending commands, and replaces it with another.
    pub fn replace_queue(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        self.touch_pending(queue)?;
        let last = self.mark(queue)?;
        self.gone.push(last);
        for access in self.accesses.iter_mut().filter(|access| access.queue == queue) {
            access.queue = GONE;
        }
        self.recorded.retain(|buffer| buffer.queue != queue);
        self.queues[queue] = Queue::new(self.device, self.context, &mut self.random)?;
        let Queue { in_order, .. } = self.queues[queue];
        self.line(
            format!("queue {queue}: released, and a new one, in order: {in_order}"),
            Vec::new(),
        );
        Ok(())
    }

    /// Flushes a queue.
    pub fn flush_one(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        self.flush(queue)
    }

    /// Waits for all commands, and makes all checks.
    pub fn finish(&mut self) -> Result<()> {
        self.complete_users()?;
        for queue in &self.queues {
            done!(clFinish(queue.handle()))?;
        }
        self.gone.drain(..).try_for_each(|last| last.wait())?;
        self.line("all queues: finish".to_string(), Vec::new());
        self.accesses.clear();
        for event in self.failing.drain(..) {
            match event.status()? {
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {}
                status => {
                    return Err(format!("a command behind a failed event has status {status}"))
                }
            }
        }
        for check in std::mem::take(&mut self.checks) {
            self.make_check(check)?;
        }
        self.timed.drain(..).try_for_each(|event| event.check_times())?;
        self.completing.drain(..).try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread panicked".to_string()))
        })
    }

    /// Finishes one queue alone. Checks of commands without an event are not made.
    pub fn finish_one(&mut self) -> Result<()> {
        self.complete_users()?;
        let queue = self.random.below(self.queues.len());
        done!(clFinish(self.queues[queue].handle()))?;
        self.line(format!("queue {queue}: finish"), Vec::new());
        self.accesses.retain(|access| access.queue != queue);
        Ok(())
    }
}
