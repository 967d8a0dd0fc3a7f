//! A very small SPIR-V assembler: enough to write the probe's kernels, and tests, by hand.
//!
//! A [`KernelBuilder`] makes one compute kernel called `main` whose push constants are 64-bit device
//! addresses of arrays. Types and constants are declared when they are first used.
//!
//! ```
//! use hekla_vk_backend::asm::{KernelBuilder, Op};
//! // out[i] = in[i] * in[i]; addresses of in and out are the push constants.
//! let mut k = KernelBuilder::new(2);
//! k.local_size([64, 1, 1]);
//! let u32_type = k.uint();
//! let i = k.global_id_x();
//! let x = k.load(0, u32_type, i);
//! let square = k.binary(Op::IMul, u32_type, x, x);
//! k.store(1, u32_type, i, square);
//! let words = k.finish();
//! assert_eq!(words[0], 0x0723_0203);
//! ```

mod images;

pub use images::DescriptorArray;

pub use hekla_spirv::{Glsl, Op};

use hekla_spirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryAccess,
    MemoryModel, MemorySemantics, Scope, StorageClass,
};
use hekla_spirv::{encode, header, string_words};
use std::collections::HashMap;

/// Float-control execution modes, each with the capability it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatMode {
    /// Denormals are kept.
    DenormPreserve,
    /// The sign of zero, infinities and NaN are kept.
    SignedZeroInfNanPreserve,
    /// Rounding to nearest even.
    RoundingModeRte,
}

impl FloatMode {
    fn capability_and_mode(self) -> (Capability, ExecutionMode) {
        match self {
            FloatMode::DenormPreserve => {
                (Capability::DenormPreserve, ExecutionMode::DenormPreserve)
            }
            FloatMode::SignedZeroInfNanPreserve => {
                (Capability::SignedZeroInfNanPreserve, ExecutionMode::SignedZeroInfNanPreserve)
            }
            FloatMode::RoundingModeRte => {
                (Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE)
            }
        }
    }
}

/// The header's word for SPIR-V 1.5, which Vulkan 1.2 accepts.
const MINOR_VERSION: u32 = 5;
/// The memory operand that states an alignment.
const ALIGNED: u32 = MemoryAccess::ALIGNED.bits();

/// The sections of a module in the order that SPIR-V lays down (section 2.4).
#[derive(Clone, Copy)]
enum Section {
    Capabilities,
    Imports,
    MemoryModel,
    EntryPoint,
    Modes,
    Annotations,
    Declarations,
    Body,
}
const SECTIONS: usize = 8;

/// Builds one kernel.
pub struct KernelBuilder {
    sections: [Vec<u32>; SECTIONS],
    /// Ids of types and constants by op and operands.
    declared: HashMap<(Op, Vec<u32>), u32>,
    next_id: u32,
    entry: u32,
    glsl: u32,
    global_id: u32,
    push: u32,
    /// The variables that the entry point uses.
    interface: Vec<u32>,
    /// The capabilities that were declared.
    capabilities: Vec<Capability>,
    /// The type of the pointers in the push block; `None` where addresses are pairs of words.
    typed_pointers: Option<u32>,
    local_size_set: bool,
    /// The label of the block to which instructions are appended.
    block: u32,
}

/// Values of one type that a loop carries from round to round; none by default.
#[derive(Default)]
struct LoopValues {
    ty: u32,
    values: Vec<u32>,
}

impl KernelBuilder {
    /// Returns a kernel with `addresses` device addresses as its push constants, 8 bytes each. In the module
    /// they are pairs of 32-bit words, cast to pointers where they are used: no int64 is needed.
    pub fn new(addresses: u32) -> KernelBuilder {
        KernelBuilder::start(addresses, false)
    }

    /// Like [`KernelBuilder::new`], but in the module the push constants are pointers to arrays of 32-bit unsigned integers;
    /// only elements of this type may be loaded and stored.
    pub fn with_pointers(addresses: u32) -> KernelBuilder {
        KernelBuilder::start(addresses, true)
    }

    fn start(addresses: u32, typed: bool) -> KernelBuilder {
        let mut k = KernelBuilder {
            sections: Default::default(),
            declared: HashMap::new(),
            next_id: 1,
            entry: 0,
            glsl: 0,
            global_id: 0,
            push: 0,
            interface: Vec::new(),
            capabilities: Vec::new(),
            typed_pointers: None,
            local_size_set: false,
            block: 0,
        };
        k.require(Capability::Shader);
        k.require(Capability::PhysicalStorageBufferAddresses);
        k.glsl = k.id();
        let mut import = vec![k.glsl];
        import.extend(string_words("GLSL.std.450"));
        k.emit(Section::Imports, Op::ExtInstImport, &import);
        let model = [AddressingModel::PhysicalStorageBuffer64 as u32, MemoryModel::GLSL450 as u32];
        k.emit(Section::MemoryModel, Op::MemoryModel, &model);

        let uint = k.uint();
        let triple = k.declare(Op::TypeVector, &[uint, 3]);
        k.global_id = k.variable(StorageClass::Input, triple);
        let is_global_id = [Decoration::BuiltIn as u32, BuiltIn::GlobalInvocationId as u32];
        k.decorate(k.global_id, &is_global_id);
        let member = if typed {
            let pointer = k.array_pointer(uint);
            k.typed_pointers = Some(pointer);
            pointer
        } else {
            k.declare(Op::TypeVector, &[uint, 2])
        };
        let block = k.block(&vec![member; addresses as usize], 8);
        k.push = k.variable(StorageClass::PushConstant, block);
        k.open_function();
        k
    }

    /// Returns the 32-bit unsigned integer type.
    pub fn uint(&mut self) -> u32 {
        self.declare(Op::TypeInt, &[32, 0])
    }

    /// Returns the float type of `width` bits: 16, 32 or 64.
    pub fn float(&mut self, width: u32) -> u32 {
        let known = self.declared.len();
        let id = self.declare(Op::TypeFloat, &[width]);
        if self.declared.len() > known {
            match width {
                16 => self.require(Capability::Float16),
                64 => self.require(Capability::Float64),
                _ => {}
            }
        }
        id
    }

    /// Returns the type of truth values.
    pub fn boolean(&mut self) -> u32 {
        self.declare(Op::TypeBool, &[])
    }

    /// Returns the vector type of `lanes` components.
    pub fn vector(&mut self, component: u32, lanes: u32) -> u32 {
        self.declare(Op::TypeVector, &[component, lanes])
    }

    /// Returns the vector type of `lanes` 32-bit unsigned integers.
    pub fn uints(&mut self, lanes: u32) -> u32 {
        let uint = self.uint();
        self.vector(uint, lanes)
    }

    /// Returns a 32-bit unsigned constant.
    pub fn constant(&mut self, value: u32) -> u32 {
        let uint = self.uint();
        self.declare_typed(Op::Constant, uint, &[value])
    }

    /// Returns a float constant with the given bits, low word first.
    pub fn float_constant(&mut self, float: u32, words: &[u32]) -> u32 {
        self.declare_typed(Op::Constant, float, words)
    }

    /// Sets a fixed work-group size.
    pub fn local_size(&mut self, size: [u32; 3]) {
        let operands = [self.entry, ExecutionMode::LocalSize as u32, size[0], size[1], size[2]];
        self.emit(Section::Modes, Op::ExecutionMode, &operands);
        self.local_size_set = true;
    }

    /// Sets a work-group size of three specialization constants with the given ids, 1 by default.
    pub fn local_size_constants(&mut self, ids: [u32; 3]) {
        let uint = self.uint();
        let triple = self.declare(Op::TypeVector, &[uint, 3]);
        let mut parts = Vec::new();
        for spec_id in ids {
            let id = self.id();
            self.emit(Section::Declarations, Op::SpecConstant, &[uint, id, 1]);
            self.decorate(id, &[Decoration::SpecId as u32, spec_id]);
            parts.push(id);
        }
        let id = self.id();
        let operands = [triple, id, parts[0], parts[1], parts[2]];
        self.emit(Section::Declarations, Op::SpecConstantComposite, &operands);
        self.decorate(id, &[Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32]);
    }

    /// Asks for a float mode at one width.
    pub fn float_mode(&mut self, mode: FloatMode, width: u32) {
        let (capability, mode) = mode.capability_and_mode();
        self.require(capability);
        let operands = [self.entry, mode as u32, width];
        self.emit(Section::Modes, Op::ExecutionMode, &operands);
    }

    /// Loads gl_GlobalInvocationID.x.
    pub fn global_id_x(&mut self) -> u32 {
        let uint = self.uint();
        let triple = self.declare(Op::TypeVector, &[uint, 3]);
        let all = self.value(Op::Load, triple, &[self.global_id]);
        self.value(Op::CompositeExtract, uint, &[all, 0])
    }

    /// Loads gl_LocalInvocationIndex.
    pub fn local_index(&mut self) -> u32 {
        self.input(BuiltIn::LocalInvocationIndex)
    }

    /// Loads gl_SubgroupID and gl_SubgroupInvocationID.
    pub fn subgroup_place(&mut self) -> [u32; 2] {
        self.require(Capability::GroupNonUniform);
        [BuiltIn::SubgroupId, BuiltIn::SubgroupLocalInvocationId].map(|which| self.input(which))
    }

    /// Loads a built-in variable of one word.
    fn input(&mut self, built_in: BuiltIn) -> u32 {
        let uint = self.uint();
        let variable = self.variable(StorageClass::Input, uint);
        self.interface.push(variable);
        self.decorate(variable, &[Decoration::BuiltIn as u32, built_in as u32]);
        self.value(Op::Load, uint, &[variable])
    }

    /// Loads element `index` of the array of `element`s at push constant address number `address`.
    pub fn load(&mut self, address: u32, element: u32, index: u32) -> u32 {
        let place = self.place(address, element, index);
        let bytes = self.size_of(element);
        self.value(Op::Load, element, &[place, ALIGNED, bytes])
    }

    /// Stores to element `index` of the array at push constant address number `address`.
    pub fn store(&mut self, address: u32, element: u32, index: u32, value: u32) {
        let place = self.place(address, element, index);
        let bytes = self.size_of(element);
        self.emit(Section::Body, Op::Store, &[place, value, ALIGNED, bytes]);
    }

    /// Emits an instruction with one operand.
    pub fn unary(&mut self, op: Op, result: u32, a: u32) -> u32 {
        self.value(op, result, &[a])
    }

    /// Emits an instruction with an operand and a literal number.
    pub fn binary_literal(&mut self, op: Op, result: u32, a: u32, literal: u32) -> u32 {
        self.value(op, result, &[a, literal])
    }

    /// Returns `yes` where the condition holds, else `no`; both have the type `result`.
    pub fn select(&mut self, result: u32, condition: u32, yes: u32, no: u32) -> u32 {
        self.value(Op::Select, result, &[condition, yes, no])
    }

    /// Emits an instruction with operands `a` and `b`. Float arithmetic is not contracted.
    pub fn binary(&mut self, op: Op, result: u32, a: u32, b: u32) -> u32 {
        let id = self.value(op, result, &[a, b]);
        if matches!(op, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv) {
            self.decorate(id, &[Decoration::NoContraction as u32]);
        }
        id
    }

    /// Emits an instruction of GLSL.std.450 (see [`Glsl`]).
    pub fn extended(&mut self, instruction: Glsl, result: u32, arguments: &[u32]) -> u32 {
        let mut operands = vec![self.glsl, instruction as u32];
        operands.extend_from_slice(arguments);
        self.value(Op::ExtInst, result, &operands)
    }

    /// Emits a loop that executes the instructions of `body` `times` times. Returns the number of rounds.
    pub fn repeat(&mut self, times: u32, body: impl FnOnce(&mut Self)) -> u32 {
        let (count, _) = self.repeat_loop(times, LoopValues::default(), |k, _| {
            body(k);
            (None, Vec::new())
        });
        count
    }

    /// Like [`KernelBuilder::repeat`], but the loop also ends when the boolean that `body` returns is false; that round does
    /// not count.
    pub fn repeat_while(&mut self, most: u32, body: impl FnOnce(&mut Self) -> u32) -> u32 {
        self.repeat_loop(most, LoopValues::default(), |k, _| (Some(body(k)), Vec::new())).0
    }

    /// Emits a loop that carries values of type `ty`: `body` gets the values of a round, which are `values` in the first round,
    /// and returns the values of the next. Returns the values after `times` rounds.
    pub fn repeat_with(
        &mut self,
        times: u32,
        ty: u32,
        values: Vec<u32>,
        body: impl FnOnce(&mut Self, &[u32]) -> Vec<u32>,
    ) -> Vec<u32> {
        self.repeat_loop(times, LoopValues { ty, values }, |k, values| (None, body(k, values))).1
    }

    /// Returns the boolean that is true if `a` is less than `b`, both unsigned integers.
    pub fn is_less(&mut self, a: u32, b: u32) -> u32 {
        let boolean = self.declare(Op::TypeBool, &[]);
        self.value(Op::ULessThan, boolean, &[a, b])
    }

    /// Emits a loop; returns the number of its rounds, and the values after the last round.
    fn repeat_loop(
        &mut self,
        times: u32,
        LoopValues { ty, values: first }: LoopValues,
        body: impl FnOnce(&mut Self, &[u32]) -> (Option<u32>, Vec<u32>),
    ) -> (u32, Vec<u32>) {
        let [header, test, inside, next, end, after] = [(); 6].map(|()| self.id());
        let uint = self.uint();
        let (zero, one) = (self.constant(0), self.constant(1));
        let before = self.block;
        self.emit(Section::Body, Op::Branch, &[header]);
        self.begin(header);
        let count = self.value(Op::Phi, uint, &[zero, before, after, next]);
        let new: Vec<u32> = first.iter().map(|_| self.id()).collect();
        let pairs = first.iter().zip(&new);
        let values: Vec<u32> = pairs
            .map(|(&first, &new)| self.value(Op::Phi, ty, &[first, before, new, next]))
            .collect();
        self.emit(Section::Body, Op::LoopMerge, &[end, next, 0]);
        self.emit(Section::Body, Op::Branch, &[test]);
        self.begin(test);
        let more = self.is_less(count, times);
        self.emit(Section::Body, Op::BranchConditional, &[more, inside, end]);
        self.begin(inside);
        let (go_on, given) = body(self, &values);
        match go_on {
            Some(go_on) => self.emit(Section::Body, Op::BranchConditional, &[go_on, next, end]),
            None => self.emit(Section::Body, Op::Branch, &[next]),
        }
        self.begin(next);
        assert_eq!(new.len(), given.len(), "values of the next round");
        for (new, given) in new.into_iter().zip(given) {
            self.emit(Section::Body, Op::CopyObject, &[ty, new, given]);
        }
        self.emit(Section::Body, Op::IAdd, &[uint, after, count, one]);
        self.emit(Section::Body, Op::Branch, &[header]);
        self.begin(end);
        (count, values)
    }

    /// Loads element `index` of the array of words at push constant address number `address`, atomically for all invocations of
    /// the device.
    pub fn atomic_load(&mut self, address: u32, index: u32) -> u32 {
        let uint = self.uint();
        let place = self.place(address, uint, index);
        let [scope, semantics] = self.relaxed();
        self.value(Op::AtomicLoad, uint, &[place, scope, semantics])
    }

    /// Replaces element `index` of the array of words at push constant address number `address` by the maximum of it and
    /// `value`, atomically.
    pub fn atomic_max(&mut self, address: u32, index: u32, value: u32) {
        let uint = self.uint();
        let place = self.place(address, uint, index);
        let [scope, semantics] = self.relaxed();
        self.value(Op::AtomicUMax, uint, &[place, scope, semantics, value]);
    }

    /// The scope and the memory semantics of atomic operations that order nothing else.
    fn relaxed(&mut self) -> [u32; 2] {
        [self.constant(Scope::Device as u32), self.constant(0)]
    }

    /// Emits a fence that orders accesses to buffers within the work-group.
    pub fn work_group_fence(&mut self) {
        let semantics = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::UNIFORM_MEMORY;
        let operands = [self.constant(Scope::Workgroup as u32), self.constant(semantics.bits())];
        self.emit(Section::Body, Op::MemoryBarrier, &operands);
    }

    /// Ends the kernel and returns the module's words.
    pub fn finish(mut self) -> Vec<u32> {
        if !self.local_size_set {
            self.local_size([1, 1, 1]);
        }
        self.emit(Section::Body, Op::Return, &[]);
        self.emit(Section::Body, Op::FunctionEnd, &[]);
        self.declare_entry_point();
        let mut words = header(MINOR_VERSION, self.next_id).to_vec();
        for section in &self.sections {
            words.extend_from_slice(section);
        }
        words
    }

    /// Begins the body of the entry point.
    fn open_function(&mut self) {
        let void = self.declare(Op::TypeVoid, &[]);
        let signature = self.declare(Op::TypeFunction, &[void]);
        self.entry = self.id();
        self.interface.extend([self.global_id, self.push]);
        self.emit(Section::Body, Op::Function, &[void, self.entry, 0, signature]);
        let label = self.id();
        self.begin(label);
    }

    /// Declares the entry point, with all variables that the kernel uses.
    fn declare_entry_point(&mut self) {
        let mut entry = vec![ExecutionModel::GLCompute as u32, self.entry];
        entry.extend(string_words("main"));
        entry.extend(&self.interface);
        self.emit(Section::EntryPoint, Op::EntryPoint, &entry);
    }

    fn begin(&mut self, label: u32) {
        self.emit(Section::Body, Op::Label, &[label]);
        self.block = label;
    }

    /// Returns a pointer to element `index` of the array at push constant address number `address`.
    fn place(&mut self, address: u32, element: u32, index: u32) -> u32 {
        let array = self.array_pointer(element);
        let uint = self.uint();
        let member = match self.typed_pointers {
            Some(pointer) => pointer,
            None => self.declare(Op::TypeVector, &[uint, 2]),
        };
        let raw = self.push_constant(address, member);
        let zero = self.constant(0);
        let base = match self.typed_pointers {
            Some(_) => raw,
            None => self.value(Op::Bitcast, array, &[raw]),
        };
        let pointer =
            self.declare(Op::TypePointer, &[StorageClass::PhysicalStorageBuffer as u32, element]);
        self.value(Op::AccessChain, pointer, &[base, zero, index])
    }

    /// Loads push constant `number`, which has type `member`.
    fn push_constant(&mut self, number: u32, member: u32) -> u32 {
        let in_push = self.declare(Op::TypePointer, &[StorageClass::PushConstant as u32, member]);
        let number = self.constant(number);
        let place = self.value(Op::AccessChain, in_push, &[self.push, number]);
        self.value(Op::Load, member, &[place])
    }

    /// Returns the type of an address: a pointer to a block of one runtime array.
    fn array_pointer(&mut self, element: u32) -> u32 {
        let known = self.declared.len();
        let array = self.declare(Op::TypeRuntimeArray, &[element]);
        if self.declared.len() > known {
            let stride = self.size_of(element);
            self.decorate(array, &[Decoration::ArrayStride as u32, stride]);
        }
        let block = self.block(&[array], 0);
        self.declare(Op::TypePointer, &[StorageClass::PhysicalStorageBuffer as u32, block])
    }

    /// Returns a block structure whose members lie `stride` bytes apart.
    fn block(&mut self, members: &[u32], stride: u32) -> u32 {
        let known = self.declared.len();
        let block = self.declare(Op::TypeStruct, members);
        if self.declared.len() > known {
            self.decorate(block, &[Decoration::Block as u32]);
            for i in 0..members.len() as u32 {
                let operands = [block, i, Decoration::Offset as u32, i * stride];
                self.emit(Section::Annotations, Op::MemberDecorate, &operands);
            }
        }
        block
    }

    /// Returns the number of bytes of a scalar or vector type.
    fn size_of(&self, element: u32) -> u32 {
        let entry = self.declared.iter().find(|(_, id)| **id == element);
        match entry.map(|((op, operands), _)| (*op, operands.as_slice())) {
            Some((Op::TypeVector, &[component, lanes])) => lanes * self.size_of(component),
            Some((_, &[bits, ..])) => bits / 8,
            _ => 4,
        }
    }

    fn variable(&mut self, class: StorageClass, pointee: u32) -> u32 {
        let pointer = self.declare(Op::TypePointer, &[class as u32, pointee]);
        let id = self.id();
        self.emit(Section::Declarations, Op::Variable, &[pointer, id, class as u32]);
        id
    }

    /// Declares a capability, unless it is declared already.
    fn require(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
            self.emit(Section::Capabilities, Op::Capability, &[capability as u32]);
        }
    }

    fn decorate(&mut self, target: u32, with: &[u32]) {
        let mut operands = vec![target];
        operands.extend_from_slice(with);
        self.emit(Section::Annotations, Op::Decorate, &operands);
    }

    /// Returns a type with these operands, which follow the result id. Each type is declared once.
    fn declare(&mut self, op: Op, operands: &[u32]) -> u32 {
        if let Some(id) = self.declared.get(&(op, operands.to_vec())) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        self.emit(Section::Declarations, op, &all);
        self.declared.insert((op, operands.to_vec()), id);
        id
    }

    /// Returns a constant with this type and these operands. Each constant is declared once.
    fn declare_typed(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let mut key = vec![ty];
        key.extend_from_slice(operands);
        if let Some(id) = self.declared.get(&(op, key.clone())) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.emit(Section::Declarations, op, &all);
        self.declared.insert((op, key), id);
        id
    }

    /// Emits an instruction of the body with a result.
    fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.emit(Section::Body, op, &all);
        id
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn emit(&mut self, section: Section, op: Op, operands: &[u32]) {
        encode(&mut self.sections[section as usize], op, operands);
    }
}
