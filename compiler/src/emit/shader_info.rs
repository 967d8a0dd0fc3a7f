//! Shader info: gathered from a kernel and the functions that it calls before they are emitted. Which memory
//! they access and with which types, which private objects escape, which launch values are read.

use super::argument_buffer::field_of;
use super::data::align_up;
use super::error::EmitError;
use crate::ir::{
    AddressSpace, BarrierFlags, ConvertOp, Func, Function, Global, InstData, MemoryOrder,
    MemoryScope, Module, Scalar, SyncSemantics, Type, Value, WorkItemQuery,
};
use crate::kernel::Field;
use crate::target::Target;
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;

/// Private pointers are byte offsets from here on, so that 0 is the null pointer.
pub(super) const STACK_BASE: u64 = 16;
/// Most bytes of private memory that a kernel may have.
const MAX_PRIVATE: u64 = 1 << 24;

/// Access-type inference: the common type of the accesses to one piece of memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AccessType {
    /// Bytes of the scalars accessed; 0 when there was no access.
    pub bytes: u32,
    /// True if accesses differ in width or are not naturally aligned.
    pub mixed: bool,
    /// True if some access is of integers (or atomic).
    pub int: bool,
    /// True if some access is a 64-bit atomic operation.
    pub atomic64: bool,
}

impl AccessType {
    fn access(&mut self, scalar: Scalar, align: u32, atomic: bool) {
        self.merge(AccessType {
            bytes: scalar.bytes(),
            mixed: align < scalar.bytes(),
            int: !scalar.is_float(),
            atomic64: atomic && scalar.bytes() == 8,
        });
    }

    fn merge(&mut self, other: AccessType) {
        if other.bytes == 0 {
            return;
        }
        self.mixed |= other.mixed || (self.bytes != 0 && self.bytes != other.bytes);
        self.bytes = other.bytes;
        self.int |= other.int;
        self.atomic64 |= other.atomic64;
    }
}

/// A private object.
#[derive(Debug, Clone)]
pub(super) struct FrameObject {
    pub size: u64,
    pub align: u32,
    /// True if its address is stored, compared, passed through a phi: it lives in the stack.
    pub escapes: bool,
    pub access_type: AccessType,
    /// Byte offset in the stack, if it escapes.
    pub offset: u64,
}

/// The private objects of one function.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    pub objects: Vec<FrameObject>,
    /// Index + 1 of the underlying object of a private pointer; 0 when unknown.
    object_of: SecondaryMap<Value, u32>,
    callees: Vec<Func>,
}

impl Frame {
    /// Returns the underlying object of a private pointer, if it is known.
    pub fn object(&self, ptr: Value) -> Option<&FrameObject> {
        self.object_index(ptr).and_then(|index| self.objects.get(index))
    }

    pub fn object_index(&self, ptr: Value) -> Option<usize> {
        (self.object_of[ptr] as usize).checked_sub(1)
    }

    fn escape(&mut self, value: Value) {
        if let Some(object) = self.object_index(value).and_then(|index| self.objects.get_mut(index))
        {
            object.escapes = true;
        }
    }
}

/// The shader info of a kernel.
#[derive(Debug, Default)]
pub(super) struct ShaderInfo {
    /// Of each function that has been visited.
    pub frames: SecondaryMap<Func, Frame>,
    /// Of the function that is being visited.
    frame: Frame,
    /// True if the stack is seen by several functions.
    pub shared_stack: bool,
    /// Accesses to the stack, which holds the objects that escape.
    pub stack: AccessType,
    /// End of the stack in bytes, [`STACK_BASE`] counted.
    pub stack_size: u64,
    pub local: AccessType,
    pub uses_local: bool,
    /// True if addresses in work-group memory are compared or converted: no variable may be at 0.
    compares_local_addresses: bool,
    pub local_offsets: SecondaryMap<Global, u64>,
    /// Bytes of local variables.
    pub local_static_size: u64,
    /// True if the work-group sets its memory to zero when the kernel begins.
    pub zero_initializes_local: bool,
    generic: AccessType,
    /// True if local or private pointers become generic ones somewhere.
    pub generic_local: bool,
    pub generic_private: bool,
    pub fields: BTreeSet<Field>,
    pub uses_barrier: bool,
    pub local_size_visible: bool,
    /// True if an atomic operation orders accesses, or a fence those of different work-groups: the module is
    /// written in Vulkan's memory model.
    pub ordered: bool,
    /// True if some atomic operation or fence is sequentially consistent.
    pub seq_cst: bool,
    /// True if fences, or barriers beside atomic operations on global memory, hand plain accesses to other
    /// work-groups: atomic operations without an order of their own are then ordered with them.
    pub device_order: bool,
    /// True if the same is so in GLSL's memory model: accesses of global memory are declared coherent.
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
            for &block in &func.layout {
                for &inst in &func.blocks[block].insts {
                    info.visit(module, func, &func.insts[inst], func.result(inst));
                }
            }
            info.frames[id] = std::mem::take(&mut info.frame);
        }
        info.place_objects(functions)?;
        info.place_locals(module)?;
        if info.generic_local {
            info.local.merge(info.generic);
        }
        if info.generic_private {
            info.stack.merge(info.generic);
        }
        if info.seq_cst && has_seq_cst_fence(module) {
            info.fields.insert(Field::OrderWord);
        }
        info.choose_memory_model(target);
        info.zero_initializes_local = target.zero_local && info.local.bytes != 0;
        info.uses_barrier |= info.zero_initializes_local;
        info.local_size_visible |= info.uses_local || info.uses_barrier;
        Ok(info)
    }

    /// Chooses the memory model. Without Vulkan's, what needs it is refused by the emitter, except for what
    /// programs of OpenCL C 1.x do: for those GLSL's has coherent memory.
    fn choose_memory_model(&mut self, target: &Target) {
        self.device_order =
            self.has_device_fence || (self.has_global_barrier && self.has_global_atomic_updates);
        self.ordered |= self.device_order && target.vulkan_memory_model;
        self.coherent = self.device_order && !self.ordered;
    }

    /// Returns the number of bytes of private memory: the stack, and the objects that are arrays of their own.
    pub fn private_bytes(&self) -> u64 {
        let objects = self.frames.values().flat_map(|frame| &frame.objects);
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

    fn access(&mut self, func: &Function, ptr: Value, ty: Type, align: u32, atomic: bool) {
        let scalar = if atomic { Scalar::int(ty.scalar.bits()) } else { ty.scalar };
        match func.ty(ptr).space() {
            Some(AddressSpace::Local) => {
                self.uses_local = true;
                self.local.access(scalar, align, atomic);
            }
            Some(AddressSpace::Private) => match self.frame.object_index(ptr) {
                Some(index) => self.frame.objects[index].access_type.access(scalar, align, atomic),
                None => self.stack.access(scalar, align, atomic),
            },
            Some(AddressSpace::Generic) => self.generic.access(scalar, align, atomic),
            _ => {}
        }
    }

    fn order(&mut self, sync: SyncSemantics) {
        self.ordered |= sync.orders();
        self.seq_cst |= sync.order == MemoryOrder::SeqCst;
    }

    fn visit(&mut self, module: &Module, func: &Function, data: &InstData, result: Option<Value>) {
        use InstData::*;
        match *data {
            Unary { .. } | Binary { .. } | Math { .. } | FCmp { .. } => {}
            Alloca { size, align } => {
                let object = FrameObject {
                    size,
                    align,
                    escapes: false,
                    access_type: AccessType::default(),
                    offset: 0,
                };
                self.frame.objects.push(object);
                if let Some(result) = result {
                    self.frame.object_of[result] = self.frame.objects.len() as u32;
                }
            }
            PtrAdd { ptr, .. } => {
                if let Some(result) = result {
                    self.frame.object_of[result] = self.frame.object_of[ptr];
                }
            }
            Load { ptr, align, .. } => {
                let ty = result.map_or(Type::I32, |value| func.ty(value));
                self.access(func, ptr, ty, align, false);
            }
            Store { ptr, value, align, .. } => {
                self.access(func, ptr, func.ty(value), align, false);
                self.frame.escape(value);
            }
            AtomicLoad { ptr, sync } => {
                self.order(sync);
                let ty = result.map_or(Type::I32, |value| func.ty(value));
                self.access(func, ptr, ty, ty.scalar.bytes(), true);
            }
            AtomicRmw { ptr, value, sync, .. }
            | AtomicStore { ptr, value, sync }
            | AtomicCmpXchg { ptr, expected: value, sync, .. } => {
                self.order(sync);
                let ty = func.ty(value);
                self.access(func, ptr, ty, ty.scalar.bytes(), true);
                let space = func.ty(ptr).space();
                self.has_global_atomic_updates |=
                    matches!(space, Some(AddressSpace::Global | AddressSpace::Generic));
                self.frame.escape(value);
            }
            GlobalAddr { global } => {
                if module.globals.get(global).is_some_and(|g| g.space == AddressSpace::Local) {
                    self.uses_local = true;
                    self.local_offsets[global] = u64::MAX;
                } else {
                    self.fields.insert(Field::DataAddress);
                }
            }
            LoadArg { arg, .. } => {
                let ty = result.map_or(Type::I32, |value| func.ty(value));
                if ty.space() == Some(AddressSpace::Local) {
                    self.uses_local = true;
                } else {
                    self.fields.insert(Field::Arg(arg));
                }
            }
            WorkItem { query, .. } => self.work_item(query),
            Barrier { flags } => {
                self.uses_barrier = true;
                self.has_global_barrier |= flags.contains(BarrierFlags::GLOBAL);
            }
            Call { func, ref args } => {
                self.frame.callees.push(func);
                args.iter().for_each(|&arg| self.frame.escape(arg));
            }
            Fence { sync, .. } => match sync.order {
                MemoryOrder::SeqCst => self.order(sync),
                _ => self.has_device_fence |= sync.scope == MemoryScope::Device,
            },
            ICmp { args, .. } => {
                self.compares_local_addresses |=
                    func.ty(args[0]).space() == Some(AddressSpace::Local);
                args.into_iter().for_each(|arg| self.frame.escape(arg));
            }
            Convert { op, arg } => {
                self.frame.escape(arg);
                self.convert(op, func.ty(arg), result.map(|value| func.ty(value)));
            }
            _ => data.for_each_arg(|arg| self.frame.escape(arg)),
        }
    }

    fn convert(&mut self, op: ConvertOp, from: Type, to: Option<Type>) {
        let from = from.space();
        if from == Some(AddressSpace::Local) {
            self.compares_local_addresses = true;
        }
        if op == ConvertOp::SpaceCast && to.and_then(Type::space) == Some(AddressSpace::Generic) {
            self.generic_local |= from == Some(AddressSpace::Local);
            self.generic_private |= from == Some(AddressSpace::Private);
        }
    }

    fn work_item(&mut self, query: WorkItemQuery) {
        use WorkItemQuery::*;
        self.fields.extend(field_of(query));
        self.local_size_visible |=
            matches!(query, WorkGroupId | NumGroupsWord | LocalId | LocalSize | EnqueuedLocalSize);
    }

    /// Places objects that escape in the stack: those of a function behind those of all its callers.
    fn place_objects(&mut self, functions: &[Func]) -> Result<(), EmitError> {
        let mut total = 0u64;
        let mut starts: SecondaryMap<Func, u64> = SecondaryMap::with_default(STACK_BASE);
        for &id in functions.iter().rev() {
            let frame = &mut self.frames[id];
            let mut end = starts[id];
            for object in &mut frame.objects {
                total = total.saturating_add(object.size);
                if object.escapes {
                    // Any scalar may be accessed there at its natural alignment.
                    object.offset = align_up(end, object.align.max(16));
                    end = object.offset.saturating_add(object.size);
                    self.stack.merge(object.access_type);
                }
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

    fn place_locals(&mut self, module: &Module) -> Result<(), EmitError> {
        // Where the address itself matters, nothing lies at 0, which is the null pointer.
        let mut end = if self.compares_local_addresses { 16 } else { 0 };
        for (global, data) in module.globals.iter() {
            if self.local_offsets[global] == u64::MAX {
                self.local_offsets[global] = align_up(end, data.align);
                end = self.local_offsets[global].saturating_add(data.size);
            }
        }
        if end > u64::from(u32::MAX >> 1) {
            return Err(EmitError::Unsupported(format!("local variables of {end} bytes")));
        }
        self.local_static_size = end;
        Ok(())
    }
}

/// Returns true if a program has sequentially consistent fences, which all sequentially consistent
/// operations of its kernels then must be ordered with.
fn has_seq_cst_fence(module: &Module) -> bool {
    module.functions.values().any(|function| {
        let mut insts = function.layout.iter().flat_map(|&block| &function.blocks[block].insts);
        insts.any(|&inst| {
            let data = &function.insts[inst];
            matches!(data, InstData::Fence { sync, .. } if sync.order == MemoryOrder::SeqCst)
        })
    })
}
