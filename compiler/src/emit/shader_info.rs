//! Shader info, which is gathered from a kernel and its callees before they are emitted: which memory they
//! access, where private objects and local variables lie, which launch values they read.

use super::argument_buffer::field_of;
use super::error::EmitError;
use super::matrix_signs::MatrixSigns;
use crate::analysis::access_types::{AccessType, Accesses};
use crate::analysis::data_layout::align_up;
use crate::analysis::waits::{self, Observes};
use crate::ir::sparse_map::SparseMap;
use crate::ir::{
    AddressSpace, BarrierFlags, Func, Function, Global, InstData, MemoryScope, Module,
    SyncSemantics, Type, Value, WorkItemQuery,
};
use crate::kernel::Field;
use crate::target::Target;
use std::collections::BTreeSet;

/// The first byte offset in the stack. Private pointers are offsets, and 0 is the null pointer.
pub(super) const STACK_BASE: u64 = 16;
/// The most bytes of private memory that a kernel may have.
const MAX_PRIVATE: u64 = 1 << 24;

/// The private objects of one function.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    pub accesses: Accesses,
    /// Byte offsets in the stack of the objects that escape.
    offsets: Vec<u64>,
    callees: Vec<Func>,
}

impl Frame {
    /// Returns the byte offset of an object in the stack, given its address; 0 for an object that is an array of its own.
    pub fn offset(&self, ptr: Value) -> u64 {
        let index = self.accesses.object_index(ptr);
        index.and_then(|index| self.offsets.get(index).copied()).unwrap_or(0)
    }
}

/// The shader info of a kernel.
#[derive(Debug, Default)]
pub(super) struct ShaderInfo {
    /// The frame of each function that has been visited.
    pub frames: SparseMap<Func, Frame>,
    /// The callees of the function that is being visited.
    callees: Vec<Func>,
    /// True if the kernel consists of several functions, which share the stack.
    pub shared_stack: bool,
    /// Accesses to the stack, which holds the objects that escape.
    pub stack: AccessType,
    /// End of the stack in bytes, [`STACK_BASE`] counted.
    pub stack_size: u64,
    pub local: AccessType,
    pub uses_local: bool,
    /// True if addresses in work-group memory are compared or converted: no variable may be at 0.
    compares_local_addresses: bool,
    pub local_offsets: SparseMap<Global, u64>,
    /// Bytes of local variables.
    pub local_static_size: u64,
    /// True if the work-group sets its memory to zero when the kernel begins.
    pub zero_initializes_local: bool,
    pub fields: BTreeSet<Field>,
    pub uses_barrier: bool,
    pub uses_subgroups: bool,
    pub uses_matrices: bool,
    pub matrix_signs: MatrixSigns,
    pub uses_images: bool,
    pub local_size_visible: bool,
    /// See [`crate::kernel::Kernel::dimensions`].
    pub dimensions: u32,
    /// See [`crate::kernel::Kernel::packs_groups`].
    pub packs_groups: bool,
    /// What each function observes of the writes of other work-items.
    observes: SparseMap<Func, Observes>,
    /// True if a work-item may wait for another one.
    may_wait: bool,
    /// True if an atomic operation orders accesses, or a fence orders accesses of different work-groups: the module is
    /// written in Vulkan's memory model.
    pub ordered: bool,
    /// True if the kernel has fences of global memory, or barriers of global memory together with atomic updates of it. They
    /// order plain accesses between work-groups; atomic operations without an order of their own are then ordered, too.
    pub device_order: bool,
    /// True if `device_order` holds in GLSL's memory model: accesses of global memory are then declared coherent.
    pub coherent: bool,
    has_device_fence: bool,
    has_global_barrier: bool,
    has_global_atomic_updates: bool,
}

impl ShaderInfo {
    /// Gathers the info of functions, given callees first.
    pub fn new(
        module: &Module,
        functions: &[Func],
        target: &Target,
    ) -> Result<ShaderInfo, EmitError> {
        let shared_stack = functions.len() > 1;
        let mut info = ShaderInfo { stack_size: STACK_BASE, shared_stack, ..ShaderInfo::default() };
        for &id in functions {
            let func = &module.functions[id];
            for inst in func.layout_insts() {
                info.visit(module, func, &func.insts[inst], func.result(inst));
            }
            info.find_waits(id, func);
            info.add_frame(id, Accesses::compute(func, true));
        }
        info.place_objects(functions)?;
        info.place_locals(module, target)?;
        info.choose_memory_model(target);
        let initialized =
            info.local_offsets.keys().iter().any(|&local| module.globals[local].init.is_some());
        info.zero_initializes_local = (initialized || target.zero_local) && info.local.bytes != 0;
        info.uses_barrier |= info.zero_initializes_local;
        let acts_as_group = info.uses_barrier || info.uses_subgroups;
        info.local_size_visible |= acts_as_group || info.uses_local;
        // A loop may wait for a work-item of another work-group. In one pack, the two would make progress only in step, so the
        // loop might never end. OpenCL promises no progress there (API 3.2.2), but programs with one work-item in each
        // work-group rely on it.
        info.packs_groups = !acts_as_group && !info.may_wait;
        Ok(info)
    }

    fn add_frame(&mut self, id: Func, accesses: Accesses) {
        self.stack.merge(accesses.stack);
        self.local.merge(accesses.local);
        self.uses_local |= accesses.local.bytes != 0;
        self.compares_local_addresses |= accesses.compares_local_addresses;
        let (offsets, callees) = (Vec::new(), std::mem::take(&mut self.callees));
        self.frames[id] = Frame { accesses, offsets, callees };
    }

    /// Chooses the memory model. If the device lacks Vulkan's, the emitter refuses kernels that need it. Programs of OpenCL
    /// C 1.x do not need it: in GLSL's memory model their global memory is coherent.
    fn choose_memory_model(&mut self, target: &Target) {
        self.device_order =
            self.has_device_fence || (self.has_global_barrier && self.has_global_atomic_updates);
        self.ordered |= self.device_order && target.vulkan_memory_model;
        self.coherent = self.device_order && !self.ordered;
    }

    /// Returns the number of bytes of private memory: the stack, and the objects that are arrays of their own.
    pub fn private_bytes(&self) -> u64 {
        let objects = self.frames.values().flat_map(|frame| &frame.accesses.objects);
        let own = objects.filter(|object| !object.escapes && object.access_type.bytes != 0);
        own.map(|object| object.size).sum::<u64>() + self.stack_bytes()
    }

    /// Returns the number of bytes of the stack, if anything is accessed there.
    pub fn stack_bytes(&self) -> u64 {
        match self.stack.bytes {
            0 => 0,
            _ => self.stack_size,
        }
    }

    fn order(&mut self, sync: SyncSemantics) {
        self.ordered |= sync.orders();
    }

    /// Notes what a function observes of the writes of other work-items, and whether it may wait for them. The function's
    /// callees must have been visited.
    fn find_waits(&mut self, id: Func, func: &Function) {
        let of_inst = |inst| self.observed_by(func, &func.insts[inst]);
        let observes = func.layout_insts().map(of_inst).max().unwrap_or_default();
        self.observes[id] = observes;
        self.may_wait |= observes != Observes::Nothing
            && waits::may_wait(func, |data| self.observed_by(func, data));
    }

    /// Returns what an instruction observes of the writes of other work-items.
    fn observed_by(&self, func: &Function, data: &InstData) -> Observes {
        waits::observed_by(func, data, |callee| self.observes[callee])
    }

    fn visit(&mut self, module: &Module, func: &Function, data: &InstData, result: Option<Value>) {
        use InstData::*;
        // The number of a work-item in its sub-group does not count: it reveals nothing about the sub-group's size, and code
        // for quirks of drivers uses it.
        let is_number = matches!(*data, WorkItem { query: WorkItemQuery::SubgroupInvocation, .. });
        self.uses_subgroups |= data.is_of_subgroup() && !is_number;
        match *data {
            AtomicLoad { sync, .. } => self.order(sync),
            AtomicRmw { ptr, sync, .. }
            | AtomicStore { ptr, sync, .. }
            | AtomicCmpXchg { ptr, sync, .. } => {
                self.order(sync);
                self.has_global_atomic_updates |= sync != SyncSemantics::PART_OF_STORE
                    && func.ty(ptr).space() == Some(AddressSpace::Global);
            }
            GlobalAddr { global }
                if module.globals.get(global).is_some_and(|g| g.space == AddressSpace::Local) =>
            {
                self.uses_local = true;
                self.local_offsets[global] = u64::MAX;
            }
            LoadArg { arg, .. } => {
                let ty = result.map_or(Type::I32, |value| func.ty(value));
                if ty.space() == Some(AddressSpace::Local) {
                    self.uses_local = true;
                } else {
                    self.fields.insert(Field::Arg(arg));
                }
            }
            ImageFetch { .. }
            | ImageSample { .. }
            | ImageRead { .. }
            | ImageWrite { .. }
            | ImageSize { .. }
            | ImageLevels { .. } => self.uses_images = true,
            // The extension for matrices is written in terms of Vulkan's memory model.
            MatrixLoad { .. } | MatrixStore { .. } | MatrixProduct { .. } | Matrix { .. } => {
                self.ordered = true;
                self.uses_matrices = true;
                self.matrix_signs.visit(func, data, result);
            }
            WorkItem { query, dim } => self.work_item(query, dim),
            Barrier { flags } => {
                self.uses_barrier = true;
                self.has_global_barrier |= flags.contains(BarrierFlags::GLOBAL);
            }
            SubgroupBarrier { flags } => {
                self.has_global_barrier |= flags.contains(BarrierFlags::GLOBAL);
            }
            Call { func, .. } => self.callees.push(func),
            Fence { sync, .. } => self.has_device_fence |= sync.scope == MemoryScope::Device,
            _ => {}
        }
    }

    fn work_item(&mut self, query: WorkItemQuery, dim: u8) {
        use WorkItemQuery::*;
        if matches!(query, InvocationId | WorkGroupId | LocalId) {
            self.dimensions = self.dimensions.max(u32::from(dim) + 1);
        }
        self.fields.extend(field_of(query));
        self.local_size_visible |=
            matches!(query, WorkGroupId | NumGroupsWord | LocalId | LocalSize | EnqueuedLocalSize);
    }

    /// Places escaping objects in the stack: a function's objects follow the objects of all its callers.
    fn place_objects(&mut self, functions: &[Func]) -> Result<(), EmitError> {
        let mut total = 0u64;
        let mut starts: SparseMap<Func, u64> = SparseMap::with_default(STACK_BASE);
        for &id in functions.iter().rev() {
            let frame = &mut self.frames[id];
            let mut end = starts[id];
            for object in &frame.accesses.objects {
                total = total.saturating_add(object.size);
                let mut offset = 0;
                if object.escapes {
                    // Any scalar may be accessed in the object at its natural alignment.
                    offset = align_up(end, object.align.max(16));
                    end = offset.saturating_add(object.size);
                }
                frame.offsets.push(offset);
            }
            for &callee in &frame.callees {
                starts[callee] = starts[callee].max(end);
            }
            self.stack_size = self.stack_size.max(end);
        }
        if total > MAX_PRIVATE || self.stack_size > MAX_PRIVATE {
            return Err(EmitError::Unsupported(format!(
                "private memory of {total} bytes exceeds the limit of {MAX_PRIVATE}"
            )));
        }
        Ok(())
    }

    fn place_locals(&mut self, module: &Module, target: &Target) -> Result<(), EmitError> {
        let least = self.local.local_layout(target).alignment();
        // If addresses are compared, no variable may be at 0, which is the null pointer.
        let mut end = if self.compares_local_addresses { 16 } else { 0 };
        for global in self.local_offsets.keys() {
            let data = &module.globals[global];
            let offset = align_up(end, data.align.max(least));
            self.local_offsets[global] = offset;
            end = offset.saturating_add(data.size);
        }
        if end > u64::from(u32::MAX >> 1) {
            return Err(EmitError::Unsupported(format!("local variables of {end} bytes")));
        }
        self.local_static_size = end;
        Ok(())
    }
}
