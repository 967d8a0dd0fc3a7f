//! A batch: one command buffer with everything that it keeps alive. A batch is recorded, submitted and reused.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ash::vk;
use smallvec::SmallVec;

use crate::device::{Device, QueueFamily};
use crate::error::Error;
use crate::record::contents::Contents;
use crate::record::timestamps::{CommandTimes, Timestamps};
use crate::sync::{barrier, Commands, CompletionMarker, Scope, Semaphore, Timeline};

/// Most commands in a batch. A batch of a profiling queue has two queries for each.
pub(crate) const MAX_COMMANDS: u32 = 256;

/// An object that lives until the batch completes.
pub(crate) type Retained = Arc<dyn Any + Send + Sync>;

/// A value on a queue's timeline that must be reached before a batch executes.
pub(crate) struct Wait {
    pub(crate) timeline: Arc<Timeline>,
    pub(crate) value: u64,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (semaphore, _) = self.timeline.at(self.value);
        write!(f, "{} of {semaphore:?}", self.value)?;
        match self.timeline.value() {
            Ok(reached) if reached >= self.value => Ok(()),
            Ok(reached) => write!(f, " (at {reached})"),
            Err(e) => write!(f, " ({e})"),
        }
    }
}

/// A command of a profiling queue with two queries.
pub(crate) struct Timed {
    pub(crate) value: u64,
    /// Value up to which commands had ended when this command began.
    pub(crate) behind: u64,
    pub(crate) begin: u32,
    pub(crate) times: Arc<CommandTimes>,
}

/// The state of a command buffer that dispatches depend on, so that only what changes is recorded.
#[derive(Default)]
pub(crate) struct Bound {
    pub(crate) pipeline: vk::Pipeline,
    /// The index of the pipeline among the objects that the batch retains.
    pub(crate) retained: usize,
    /// The layout with which the descriptor set was last bound.
    set_layout: vk::PipelineLayout,
    /// The push constants that were set last, and their layout.
    layout: vk::PipelineLayout,
    push: SmallVec<[u8; 128]>,
}

impl Bound {
    /// Notes that a dispatch with this layout needs the descriptor set. Returns true if the set must be bound for it.
    pub(crate) fn must_bind_set(&mut self, layout: vk::PipelineLayout) -> bool {
        std::mem::replace(&mut self.set_layout, layout) != layout
    }

    /// Notes that a dispatch needs these push constants. Returns true if they must be set for it.
    pub(crate) fn must_push(&mut self, layout: vk::PipelineLayout, push: &[u8]) -> bool {
        if self.layout == layout && self.push[..] == *push {
            return false;
        }
        self.layout = layout;
        self.push.clear();
        self.push.extend_from_slice(push);
        !push.is_empty()
    }
}

/// One command buffer, and the state that belongs to it.
pub(crate) struct Batch {
    pool: vk::CommandPool,
    pub(crate) commands: vk::CommandBuffer,
    /// The pipeline stages that the batch's commands may use.
    pub(crate) stages: vk::PipelineStageFlags,
    /// Null unless the queue profiles.
    pub(crate) queries: vk::QueryPool,
    /// Commands recorded so far.
    pub(crate) count: u32,
    /// The index of the first query that was never reset.
    dirty_queries: u32,
    /// Queries used so far.
    pub(crate) query_count: u32,
    /// When the batch was submitted, by the host's CLOCK_MONOTONIC; 0 without queries.
    pub(crate) submitted_ns: u64,
    /// Value that the timeline reaches when the batch completes.
    pub(crate) last_value: u64,
    /// Stages of the commands recorded after the last barrier.
    pub(crate) unordered: vk::PipelineStageFlags,
    /// Commands up to this value end before the next recorded command begins: they precede the last barrier.
    pub(crate) ordered: u64,
    /// True if a command writes to memory that the host reads.
    pub(crate) writes_host: bool,
    /// True if the batch ends with a barrier that makes its results visible to the host.
    pub(crate) host_visible: bool,
    pub(crate) bound: Bound,
    pub(crate) retained: Vec<Retained>,
    /// A description of the commands, for logs.
    pub(crate) contents: Contents,
    /// True if the timeline is signalled when the batch completes.
    pub(crate) signals: bool,
    /// The batch's number among all batches that were submitted to the device, in about that order, from 1 on.
    pub(crate) submission: u64,
    /// The index of the Vulkan queue that the batch is submitted to.
    pub(crate) vulkan_queue: usize,
    /// The values that the batch waits for by semaphores.
    pub(crate) waits: Vec<Wait>,
    /// The values that the batch follows by a barrier, on the same Vulkan queue.
    pub(crate) behind: Vec<Wait>,
    /// Binary semaphores to wait for before the batch, and to signal after it.
    pub(crate) semaphore_waits: Vec<Arc<Semaphore>>,
    pub(crate) semaphore_signals: Vec<Arc<Semaphore>>,
    pub(crate) timed: Vec<Timed>,
}

impl Batch {
    pub(crate) fn create(
        device: &Device,
        family: QueueFamily,
        profiling: bool,
    ) -> Result<Batch, Error> {
        Batch::with_level(device, family, vk::CommandBufferLevel::PRIMARY, profiling)
    }

    /// Creates a batch: a primary one is submitted and reused, a secondary one is executed by primary ones
    /// ([`crate::Recording`]).
    pub(crate) fn with_level(
        device: &Device,
        family: QueueFamily,
        level: vk::CommandBufferLevel,
        profiling: bool,
    ) -> Result<Batch, Error> {
        let flags = match level {
            vk::CommandBufferLevel::PRIMARY => vk::CommandPoolCreateFlags::TRANSIENT,
            _ => vk::CommandPoolCreateFlags::empty(),
        };
        let info =
            vk::CommandPoolCreateInfo::default().flags(flags).queue_family_index(family.index);
        // SAFETY: the device was opened with queues of this family.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }
            .map_err(|e| device.fault("vkCreateCommandPool", e))?;
        let mut batch = Batch {
            pool,
            commands: vk::CommandBuffer::null(),
            stages: family.stages,
            queries: vk::QueryPool::null(),
            count: 0,
            dirty_queries: 2 * MAX_COMMANDS,
            query_count: 0,
            submitted_ns: 0,
            last_value: 0,
            unordered: vk::PipelineStageFlags::empty(),
            ordered: 0,
            writes_host: false,
            host_visible: false,
            bound: Bound::default(),
            retained: Vec::new(),
            contents: Contents::default(),
            signals: false,
            submission: 0,
            vulkan_queue: 0,
            waits: Vec::new(),
            behind: Vec::new(),
            semaphore_waits: Vec::new(),
            semaphore_signals: Vec::new(),
            timed: Vec::new(),
        };
        match batch.allocate(device, level, profiling) {
            Ok(()) => Ok(batch),
            Err(e) => {
                batch.destroy(device);
                Err(e)
            }
        }
    }

    /// Returns the command buffer for barriers.
    pub(crate) fn commands(&self) -> Commands {
        Commands { raw: self.commands, stages: self.stages }
    }

    /// Allocates the command buffer and creates the queries.
    fn allocate(
        &mut self,
        device: &Device,
        level: vk::CommandBufferLevel,
        profiling: bool,
    ) -> Result<(), Error> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        // SAFETY: the pool was just created and is used by this thread only.
        let buffers = unsafe { device.raw.allocate_command_buffers(&info) }
            .map_err(|e| device.fault("vkAllocateCommandBuffers", e))?;
        self.commands = buffers[0];
        if profiling {
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TIMESTAMP)
                .query_count(2 * MAX_COMMANDS);
            // SAFETY: timestamps are supported, else the queue would not profile.
            self.queries = unsafe { device.raw.create_query_pool(&info, None) }
                .map_err(|e| device.fault("vkCreateQueryPool", e))?;
        }
        Ok(())
    }

    /// Begins recording. The batch's earlier use, if any, has completed.
    pub(crate) fn begin(&mut self, device: &Device, start: Start) -> Result<(), Error> {
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: no submitted work uses the command buffer, and the queue's lock is held.
        unsafe {
            device
                .raw
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .map_err(|e| device.fault("vkResetCommandPool", e))?;
            device
                .raw
                .begin_command_buffer(self.commands, &info)
                .map_err(|e| device.fault("vkBeginCommandBuffer", e))?;
            if self.queries != vk::QueryPool::null() {
                self.reset_queries(device);
            }
        }
        self.count = 0;
        self.query_count = 0;
        self.contents.clear();
        self.bound = Bound::default();
        self.writes_host = false;
        let none = vk::PipelineStageFlags::empty();
        match start {
            Start::Ordered { issued } => (self.unordered, self.ordered) = (none, issued),
            Start::Barrier { issued } => self.order(device, issued),
            Start::Unordered { ordered } => (self.unordered, self.ordered) = (self.stages, ordered),
        }
        Ok(())
    }

    /// Records a barrier behind everything that the Vulkan queue was given before, including this queue's commands up to
    /// `issued`.
    pub(crate) fn order(&mut self, device: &Device, issued: u64) {
        barrier(device, self.commands(), self.stages, Scope::Device);
        (self.unordered, self.ordered) = (vk::PipelineStageFlags::empty(), issued);
    }

    /// Begins a secondary batch, which several primary batches may execute at once, each of them several times.
    pub(crate) fn begin_secondary(&mut self, device: &Device) -> Result<(), Error> {
        let nothing = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE)
            .inheritance_info(&nothing);
        // SAFETY: the command buffer was just made; no other thread knows it.
        unsafe { device.raw.begin_command_buffer(self.commands, &info) }
            .map_err(|e| device.fault("vkBeginCommandBuffer", e))
    }

    /// Notes a recorded transfer, with its `kind` for logs: the objects that it uses live until the batch completes, and later
    /// barriers order it.
    pub(crate) fn add_transfer<const N: usize>(&mut self, kind: &'static str, used: [Retained; N]) {
        self.contents.add_transfer(kind);
        self.retained.extend(used);
        self.unordered |= vk::PipelineStageFlags::TRANSFER;
    }

    /// Resets the queries that were used since the last reset (at first, all queries): by the host where the device allows
    /// that, since otherwise every batch would begin with a command for it.
    ///
    /// # Safety
    /// The command buffer is recording, under the queue's lock; no submitted work uses the queries.
    unsafe fn reset_queries(&mut self, device: &Device) {
        let count = self.dirty_queries.max(self.query_count);
        // SAFETY: as the caller promises; the host resets only where the feature is enabled.
        unsafe {
            if !device.info().features.host_query_reset {
                let count = 2 * MAX_COMMANDS;
                device.raw.cmd_reset_query_pool(self.commands, self.queries, 0, count);
            } else if count > 0 {
                device.raw.reset_query_pool(self.queries, 0, count);
            }
        }
        self.dirty_queries = 0;
    }

    /// Ends recording: with a barrier that makes the writes of this batch and of earlier ones visible to `scope`, if given, and
    /// with the completion marker, where the device has one.
    pub(crate) fn end(
        &mut self,
        device: &Device,
        scope: Option<Scope>,
        marker: Option<&CompletionMarker>,
    ) -> Result<(), Error> {
        if let Some(scope) = scope {
            let stages = match self.unordered {
                none if none.is_empty() => self.stages,
                some => some,
            };
            barrier(device, self.commands(), stages, scope);
        }
        if let Some(marker) = marker {
            marker.write(device, self.commands(), self.last_value);
        }
        // SAFETY: the command buffer is recording, under the queue's lock.
        unsafe { device.raw.end_command_buffer(self.commands) }
            .map_err(|e| device.fault("vkEndCommandBuffer", e))
    }

    /// Reads the timestamps of a completed batch, and adds the times of each timed command to `known`, which holds the times of
    /// earlier commands.
    pub(crate) fn collect_times(&mut self, device: &Device, known: &mut BTreeMap<u64, Timestamps>) {
        if self.query_count == 0 {
            return;
        }
        let call = "vkGetQueryPoolResults";
        if device.check_call(call).is_err() {
            return;
        }
        // Value and availability of each query: a command may have begun and not ended.
        let mut results = vec![[0u64; 2]; self.query_count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        // SAFETY: the queries exist, and the batch that writes them has completed.
        let read =
            unsafe { device.raw.get_query_pool_results(self.queries, 0, &mut results, flags) };
        if let Err(e) = read {
            if e != vk::Result::NOT_READY {
                device.fault(call, e);
                return;
            }
        }
        let mut clock = device.clocks.of_batch(self.submitted_ns);
        for timed in self.timed.drain(..) {
            let pair = results.get(timed.begin as usize).zip(results.get(timed.begin as usize + 1));
            let Some((&[begin, begun], &[end, ended])) = pair else { continue };
            if begun == 0 || ended == 0 {
                continue;
            }
            // Where no barrier was needed, the begin timestamp did not wait for earlier commands.
            let behind = known.range(..=timed.behind).next_back().map_or(0, |(_, t)| t.end_ns);
            let [begin_ns, end_ns] = clock.convert(begin, end);
            let begin_ns = begin_ns.max(behind);
            let end_ns = end_ns.max(begin_ns);
            let times = Timestamps { begin_ns, end_ns };
            timed.times.set(times);
            known.insert(timed.value, times);
        }
    }

    /// Returns the objects that the batch keeps alive. They must be dropped when no lock is held.
    pub(crate) fn release(&mut self) -> Released {
        self.timed.clear();
        Released {
            _retained: std::mem::take(&mut self.retained),
            _waits: [std::mem::take(&mut self.waits), std::mem::take(&mut self.behind)],
            _semaphores: [
                std::mem::take(&mut self.semaphore_waits),
                std::mem::take(&mut self.semaphore_signals),
            ],
        }
    }

    /// Destroys the Vulkan objects. The batch is not in flight.
    pub(crate) fn destroy(&mut self, device: &Device) {
        // SAFETY: no submitted work uses these objects; null handles are ignored.
        unsafe {
            device.raw.destroy_query_pool(self.queries, None);
            device.raw.destroy_command_pool(self.pool, None);
        }
    }
}

impl fmt::Display for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Batch { submission, last_value, count, vulkan_queue, .. } = self;
        write!(f, "submission {submission}, up to {last_value}, commands: {count}; ")?;
        write!(f, "on Vulkan queue {vulkan_queue}")?;
        self.waits.iter().try_for_each(|wait| write!(f, "; waits for {wait}"))?;
        self.behind.iter().try_for_each(|wait| write!(f, "; comes behind {wait}"))?;
        let (waited, signalled) = (self.semaphore_waits.len(), self.semaphore_signals.len());
        if waited + signalled > 0 {
            write!(f, "; waits for {waited} binary semaphores, signals {signalled}")?;
        }
        self.contents.describe(&self.retained, f)
    }
}

/// The objects that a batch kept alive. Dropping them may run code of their owners, so no lock may be held.
pub(crate) struct Released {
    _retained: Vec<Retained>,
    _waits: [Vec<Wait>; 2],
    _semaphores: [Vec<Arc<Semaphore>>; 2],
}

/// How a batch is ordered behind earlier ones.
#[derive(Clone, Copy)]
pub(crate) enum Start {
    /// The previous batch, with the newest command, ended with a barrier for later commands.
    Ordered { issued: u64 },
    /// The batch itself begins with a barrier for later commands.
    Barrier { issued: u64 },
    /// Commands after `ordered` may still run.
    Unordered { ordered: u64 },
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    #[test]
    fn push_constants_are_set_when_they_or_their_layout_change() {
        let [small, large] = [1, 2].map(vk::PipelineLayout::from_raw);
        let mut bound = Bound::default();
        assert!(bound.must_push(large, &[1, 2, 3, 4]));
        assert!(!bound.must_push(large, &[1, 2, 3, 4]));
        assert!(bound.must_push(large, &[1, 2, 3, 5]));
        // First a part of the constants that are set, then all of them again.
        assert!(bound.must_push(large, &[1, 2]));
        assert!(bound.must_push(large, &[1, 2, 3, 5]));
        // Another layout may make the constants undefined, even if it has no constants itself.
        assert!(bound.must_push(small, &[1, 2, 3, 5]));
        assert!(bound.must_push(large, &[1, 2, 3, 5]));
        assert!(!bound.must_push(small, &[]));
        assert!(bound.must_push(large, &[1, 2, 3, 5]));
    }
}
