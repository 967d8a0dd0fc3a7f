//! The list of a context's queues, for work that concerns all of them: the release of memory that their commands may use.

use crate::object::{ErasedWeakRef, Kind, Ref};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

struct Entry {
    /// The queue, whose type belongs to a folder above this one.
    queue: ErasedWeakRef,
    /// The Vulkan queue, which runs the commands even after the application has released the queue.
    vk: Weak<vk::Queue>,
}

/// The queues that exist or still run commands.
#[derive(Default)]
pub struct QueueList(Mutex<Vec<Entry>>);

impl QueueList {
    pub fn add<T: Kind>(&self, queue: &Ref<T>, vk: &Arc<vk::Queue>) {
        let mut entries = self.0.lock();
        entries.retain(|entry| entry.vk.strong_count() > 0);
        entries.push(Entry { queue: queue.downgrade().erase(), vk: Arc::downgrade(vk) });
    }

    /// Returns the number of queues.
    pub fn count(&self) -> usize {
        self.0.lock().iter().filter(|entry| entry.vk.strong_count() > 0).count()
    }

    /// Returns each queue with its Vulkan queue; `None` in place of a queue that the application has released.
    pub fn all<T: Kind>(&self) -> Vec<(Option<Ref<T>>, Arc<vk::Queue>)> {
        let entries = self.0.lock();
        let alive = |entry: &Entry| Some((entry.queue.upgrade(), entry.vk.upgrade()?));
        let all = entries.iter().filter_map(alive).collect();
        drop(entries);
        all
    }
}
