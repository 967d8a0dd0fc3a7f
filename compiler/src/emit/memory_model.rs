//! The memory model: barriers, fences and the memory semantics of atomic operations.
//!
//! Where atomic operations order other accesses, a module is written in Vulkan's memory model, since
//! only that model lets work-groups pass data to each other through memory. Other modules are in
//! GLSL's, which asks less of drivers.
//!
//! Vulkan has no sequentially consistent operations. Legalization makes them of read-modify-write operations
//! that acquire and release: a load adds 0, a store exchanges, a failed compare-and-exchange is
//! confirmed by adding 0. Each such operation on an object synchronizes with the next one on it, so
//! "happens before" contains the modification order of every object; it has no cycles, and any total
//! order that contains it is one that C11 asks for. A fence is such an operation on one word for all
//! kernels. Where a program has fences, its other sequentially consistent operations touch that word
//! first, since they must be ordered with the fences, too.
//!
//! Fences of OpenCL C 1.x on global memory are of the device's scope ([`ShaderInfo::device_order`]), since
//! programs hand results from work-group to work-group by them and a counter. So are barriers with
//! CLK_GLOBAL_MEM_FENCE in kernels with atomic operations on global memory. Where there is only GLSL's
//! memory model, in which barriers order nothing but coherent accesses, all of global memory is coherent
//! in such kernels.
//!
//! [`ShaderInfo::device_order`]: super::shader_info::ShaderInfo::device_order

use super::emitter::Emitter;
use crate::ir::{BarrierFlags, MemoryOrder, MemoryScope, SyncSemantics};
use hekla_device::Quirks;
use rspirv::spirv::{Capability, MemoryAccess, MemorySemantics, Op, Scope};

impl Emitter<'_> {
    /// Returns the kinds of memory that barrier flags name. Without flags it is work-group memory, so that a barrier stays one.
    fn memory_of(&self, mut flags: BarrierFlags) -> MemorySemantics {
        flags
            .set(BarrierFlags::IMAGE, self.info.uses_images && flags.contains(BarrierFlags::IMAGE));
        let mut memory = MemorySemantics::empty();
        if flags.contains(BarrierFlags::LOCAL) || flags.is_empty() {
            memory |= MemorySemantics::WORKGROUP_MEMORY;
        }
        if flags.contains(BarrierFlags::GLOBAL) {
            memory |= MemorySemantics::UNIFORM_MEMORY;
        }
        if flags.contains(BarrierFlags::IMAGE) {
            memory |= MemorySemantics::IMAGE_MEMORY;
        }
        memory
    }

    /// Returns the memory operands of loads and stores of memory that work-items share. In Vulkan's memory
    /// model an access is private to a work-item by default; only one that is marked as non-private takes
    /// part in availability and visibility operations.
    pub fn shared_access(&self) -> MemoryAccess {
        match self.info.ordered {
            true => MemoryAccess::NON_PRIVATE_POINTER,
            false => MemoryAccess::empty(),
        }
    }

    /// Returns the semantics of an operation that orders accesses to `memory`.
    pub fn semantics(&mut self, order: MemoryOrder, memory: MemorySemantics) -> u32 {
        let mut semantics = match (order.acquires(), order.releases()) {
            (false, false) => return self.const_u32(MemorySemantics::RELAXED.bits()),
            (true, false) => MemorySemantics::ACQUIRE,
            (false, true) => MemorySemantics::RELEASE,
            (true, true) => MemorySemantics::ACQUIRE_RELEASE,
        };
        if self.info.ordered {
            let visible = order.acquires().then_some(MemorySemantics::MAKE_VISIBLE);
            let available = order.releases().then_some(MemorySemantics::MAKE_AVAILABLE);
            semantics |= visible.unwrap_or(MemorySemantics::empty());
            semantics |= available.unwrap_or(MemorySemantics::empty());
        }
        self.const_u32((semantics | memory).bits())
    }

    /// A work-group barrier. Where the kernel orders accesses between work-groups, writes of another work-group that one
    /// work-item has seen become visible to all work-items at this barrier, whatever the flags say: programs that count
    /// finished work-groups share the count through local memory.
    pub fn barrier(&mut self, flags: BarrierFlags) {
        self.barrier_among(Scope::Workgroup, flags);
    }

    /// A sub-group barrier. On devices where it would wait for the whole work-group, the work-items of a sub-group run in step,
    /// and a fence is enough.
    pub fn subgroup_barrier(&mut self, flags: BarrierFlags) {
        self.builder.require_capability(Capability::GroupNonUniform);
        if self.target.has(Quirks::SUBGROUP_BARRIERS_WAIT) {
            let [scope, semantics] = self.barrier_fence(Scope::Subgroup, flags);
            self.op_void(Op::MemoryBarrier, &[scope, semantics]);
            return;
        }
        self.barrier_among(Scope::Subgroup, flags);
    }

    fn barrier_among(&mut self, together: Scope, flags: BarrierFlags) {
        let execution = self.const_u32(together as u32);
        let [scope, semantics] = self.barrier_fence(together, flags);
        self.op_void(Op::ControlBarrier, &[execution, scope, semantics]);
    }

    /// Returns scope and semantics of the fence that a barrier implies.
    fn barrier_fence(&mut self, together: Scope, flags: BarrierFlags) -> [u32; 2] {
        let (scope, memory) = match self.info.device_order {
            true => (Scope::Device, self.memory_of(flags) | MemorySemantics::UNIFORM_MEMORY),
            false => (together, self.memory_of(flags)),
        };
        let scope = self.const_u32(scope as u32);
        let semantics = self.semantics(MemoryOrder::AcqRel, memory);
        [scope, semantics]
    }

    /// Returns the order of an operation that changes global memory. Without an order of its own it takes the order of the
    /// fences around it: OpenCL C 1.x has no other way to order it, and programs write a fence only before the operation,
    /// which releases but does not acquire.
    pub fn rmw_order(&self, sync: SyncSemantics) -> SyncSemantics {
        match self.info.device_order && !sync.orders() {
            true => SyncSemantics { order: MemoryOrder::AcqRel, scope: MemoryScope::Device },
            false => sync,
        }
    }

    /// Emits a fence. A fence of global memory has the whole device as its scope: programs older than
    /// OpenCL C 2.0 rely on it.
    pub fn fence(&mut self, flags: BarrierFlags, sync: SyncSemantics) {
        let global = flags.contains(BarrierFlags::GLOBAL);
        let scope = if global { Scope::Device } else { Scope::Workgroup };
        let scope = self.const_u32(scope as u32);
        let semantics = self.semantics(sync.order, self.memory_of(flags));
        self.op_void(Op::MemoryBarrier, &[scope, semantics]);
    }
}
