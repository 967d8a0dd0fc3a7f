//! User events, which are completed at some time, or fail.

use super::api::{done, made, make, Result};
use super::event::Event;
use super::object::Object;
use super::world::World;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

impl World<'_> {
    /// Makes a user event, which is completed later, or by a thread.
    pub fn user_event(&mut self) -> Result<Arc<Event>> {
        let made_now = make!(clCreateUserEvent(self.context.handle()));
        let event = Arc::new(Event::own(made("clCreateUserEvent", made_now)?));
        if self.random.once_in(2) {
            let (event, wait) = (event.clone(), self.random.below(2000) as u64);
            self.completing.push(std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(wait));
                event.complete()
            }));
        } else {
            self.users.push(event.clone());
        }
        Ok(event)
    }

    /// Enqueues a fill behind a user event that fails, out of order: it must change nothing (OpenCL 5.11).
    pub fn failing_fill(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_buffer) else { return Ok(()) };
        let own = self.random.below(self.queues.len());
        if self.queues[own].in_order {
            return Ok(());
        }
        let made_now = make!(clCreateUserEvent(self.context.handle()));
        let user = Event::own(made("clCreateUserEvent", made_now)?);
        let Object { handle, bytes, store, .. } = self.objects[object];
        let (pattern, list, mut event) = (self.random.bytes(1), user.handle(), null_mut());
        let (queue, place) = (self.queues[own].handle(), pattern.as_ptr().cast());
        done!(clEnqueueFillBuffer(queue, handle, place, 1, 0, bytes, 1, &list, &mut event))?;
        self.line(
            format!("queue {own}: fill object {object} behind an event that fails"),
            vec![store],
        );
        self.failing.push(Arc::new(Event::own(event)));
        if self.random.once_in(2) {
            self.flush(own)?;
        }
        user.fail()
    }

    /// Ends the user events with an error.
    pub fn fail_users(&mut self) {
        for event in self.users.drain(..) {
            let _ = event.fail();
        }
    }

    /// Completes the user events: before this thread waits for commands it has to do so.
    pub fn complete_users(&mut self) -> Result<()> {
        self.users.drain(..).try_for_each(|event| event.complete())
    }
}
