//! A very small SPIR-V assembler: enough to write the probe's kernels, and tests, by hand.
//!
//! A [`KernelBuilder`] makes one compute kernel called `main` whose push constants are 64-bit device
//! addresses of arrays. Types and constants are declared when they are first used.
//!
//! ```
//! use hekla_vk_backend::asm::{op, KernelBuilder};
//! // out[i] = in[i] * in[i]; addresses of in and out are the push constants.
//! let mut k = KernelBuilder::new(2);
//! k.local_size([64, 1, 1]);
//! let u32_type = k.uint();
//! let i = k.global_id_x();
//! let x = k.load(0, u32_type, i);
//! let square = k.binary(op::I_MUL, u32_type, x, x);
//! k.store(1, u32_type, i, square);
//! let words = k.finish();
//! assert_eq!(words[0], 0x0723_0203);
//! ```

mod images;

pub use images::DescriptorArray;

use std::collections::HashMap;

/// Opcodes by the names of the SPIR-V specification, without their `Op`.
#[allow(missing_docs)]
pub mod op {
    pub const EXT_INST_IMPORT: u32 = 11;
    pub const EXT_INST: u32 = 12;
    pub const MEMORY_MODEL: u32 = 14;
    pub const ENTRY_POINT: u32 = 15;
    pub const EXECUTION_MODE: u32 = 16;
    pub const CAPABILITY: u32 = 17;
    pub const TYPE_VOID: u32 = 19;
    pub const TYPE_BOOL: u32 = 20;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_FLOAT: u32 = 22;
    pub const TYPE_VECTOR: u32 = 23;
    pub const TYPE_IMAGE: u32 = 25;
    pub const TYPE_SAMPLER: u32 = 26;
    pub const TYPE_SAMPLED_IMAGE: u32 = 27;
    pub const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub const TYPE_STRUCT: u32 = 30;
    pub const TYPE_POINTER: u32 = 32;
    pub const TYPE_FUNCTION: u32 = 33;
    pub const CONSTANT: u32 = 43;
    pub const SPEC_CONSTANT: u32 = 50;
    pub const SPEC_CONSTANT_COMPOSITE: u32 = 51;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_END: u32 = 56;
    pub const VARIABLE: u32 = 59;
    pub const LOAD: u32 = 61;
    pub const STORE: u32 = 62;
    pub const ACCESS_CHAIN: u32 = 65;
    pub const DECORATE: u32 = 71;
    pub const MEMBER_DECORATE: u32 = 72;
    pub const COMPOSITE_CONSTRUCT: u32 = 80;
    pub const COMPOSITE_EXTRACT: u32 = 81;
    pub const COPY_OBJECT: u32 = 83;
    pub const SAMPLED_IMAGE: u32 = 86;
    pub const IMAGE_SAMPLE_EXPLICIT_LOD: u32 = 88;
    pub const IMAGE_FETCH: u32 = 95;
    pub const IMAGE_READ: u32 = 98;
    pub const IMAGE_WRITE: u32 = 99;
    pub const CONVERT_S_TO_F: u32 = 111;
    pub const F_CONVERT: u32 = 115;
    pub const BITCAST: u32 = 124;
    pub const F_NEGATE: u32 = 127;
    pub const I_ADD: u32 = 128;
    pub const F_ADD: u32 = 129;
    pub const F_SUB: u32 = 131;
    pub const I_MUL: u32 = 132;
    pub const F_MUL: u32 = 133;
    pub const F_DIV: u32 = 136;
    pub const SELECT: u32 = 169;
    pub const U_LESS_THAN: u32 = 176;
    pub const F_ORD_EQUAL: u32 = 180;
    pub const F_ORD_LESS_THAN: u32 = 184;
    pub const BITWISE_OR: u32 = 197;
    pub const BITWISE_XOR: u32 = 198;
    pub const BITWISE_AND: u32 = 199;
    pub const MEMORY_BARRIER: u32 = 225;
    pub const ATOMIC_LOAD: u32 = 227;
    pub const ATOMIC_U_MAX: u32 = 239;
    pub const PHI: u32 = 245;
    pub const LOOP_MERGE: u32 = 246;
    pub const LABEL: u32 = 248;
    pub const BRANCH: u32 = 249;
    pub const BRANCH_CONDITIONAL: u32 = 250;
    pub const RETURN: u32 = 253;
}

/// Instructions of GLSL.std.450.
#[allow(missing_docs)]
pub mod glsl {
    pub const F_ABS: u32 = 4;
    pub const FLOOR: u32 = 8;
    pub const CEIL: u32 = 9;
    pub const EXP2: u32 = 29;
    pub const LOG2: u32 = 30;
    pub const SQRT: u32 = 31;
    pub const FMA: u32 = 50;
    pub const N_MIN: u32 = 79;
    pub const N_MAX: u32 = 80;
}

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
    fn capability_and_mode(self) -> (u32, u32) {
        match self {
            FloatMode::DenormPreserve => (4464, 4459),
            FloatMode::SignedZeroInfNanPreserve => (4466, 4461),
            FloatMode::RoundingModeRte => (4467, 4462),
        }
    }
}

const MAGIC: u32 = 0x0723_0203;
/// SPIR-V 1.5, which Vulkan 1.2 takes.
const VERSION: u32 = 0x0001_0500;

mod capability {
    pub const SHADER: u32 = 1;
    pub const FLOAT16: u32 = 9;
    pub const FLOAT64: u32 = 10;
    pub const GROUP_NON_UNIFORM: u32 = 61;
    pub const PHYSICAL_STORAGE_BUFFER_ADDRESSES: u32 = 5347;
}
mod storage {
    pub const UNIFORM_CONSTANT: u32 = 0;
    pub const INPUT: u32 = 1;
    pub const PUSH_CONSTANT: u32 = 9;
    pub const PHYSICAL_STORAGE_BUFFER: u32 = 5349;
}
mod decoration {
    pub const SPEC_ID: u32 = 1;
    pub const BLOCK: u32 = 2;
    pub const ARRAY_STRIDE: u32 = 6;
    pub const BUILT_IN: u32 = 11;
    pub const BINDING: u32 = 33;
    pub const DESCRIPTOR_SET: u32 = 34;
    pub const OFFSET: u32 = 35;
    pub const NO_CONTRACTION: u32 = 42;
}
mod built_in {
    pub const WORKGROUP_SIZE: u32 = 25;
    pub const GLOBAL_INVOCATION_ID: u32 = 28;
    pub const LOCAL_INVOCATION_INDEX: u32 = 29;
    pub const SUBGROUP_ID: u32 = 40;
    pub const SUBGROUP_LOCAL_INVOCATION_ID: u32 = 41;
}
const LOCAL_SIZE_MODE: u32 = 17;
const PHYSICAL_STORAGE_BUFFER_64: u32 = 5348;
const GLSL450: u32 = 1;
const ALIGNED: u32 = 2;

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
    /// Ids of types and constants by opcode and operands.
    declared: HashMap<(u32, Vec<u32>), u32>,
    next_id: u32,
    entry: u32,
    glsl: u32,
    global_id: u32,
    push: u32,
    /// The variables that the entry point uses.
    interface: Vec<u32>,
    /// The capabilities that were declared.
    capabilities: Vec<u32>,
    /// The type of the pointers in the push block; `None` where addresses are pairs of words.
    typed_pointers: Option<u32>,
    local_size_set: bool,
    /// Label of the block that instructions go to.
    block: u32,
}

/// Values of one type that a loop carries; none by default.
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

    /// As [`KernelBuilder::new`], but in the module the push constants are pointers to arrays of
    /// 32-bit unsigned integers; only such may be loaded and stored.
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
        k.require(capability::SHADER);
        k.require(capability::PHYSICAL_STORAGE_BUFFER_ADDRESSES);
        k.glsl = k.id();
        let mut import = vec![k.glsl];
        import.extend(string("GLSL.std.450"));
        k.emit(Section::Imports, op::EXT_INST_IMPORT, &import);
        k.emit(Section::MemoryModel, op::MEMORY_MODEL, &[PHYSICAL_STORAGE_BUFFER_64, GLSL450]);

        let uint = k.uint();
        let triple = k.declare(op::TYPE_VECTOR, &[uint, 3]);
        k.global_id = k.variable(storage::INPUT, triple);
        let is_global_id = [decoration::BUILT_IN, built_in::GLOBAL_INVOCATION_ID];
        k.decorate(k.global_id, &is_global_id);
        let member = if typed {
            let pointer = k.array_pointer(uint);
            k.typed_pointers = Some(pointer);
            pointer
        } else {
            k.declare(op::TYPE_VECTOR, &[uint, 2])
        };
        let block = k.block(&vec![member; addresses as usize], 8);
        k.push = k.variable(storage::PUSH_CONSTANT, block);
        k.open_function();
        k
    }

    /// Returns the 32-bit unsigned integer type.
    pub fn uint(&mut self) -> u32 {
        self.declare(op::TYPE_INT, &[32, 0])
    }

    /// Returns the float type of `width` bits: 16, 32 or 64.
    pub fn float(&mut self, width: u32) -> u32 {
        let known = self.declared.len();
        let id = self.declare(op::TYPE_FLOAT, &[width]);
        if self.declared.len() > known {
            match width {
                16 => self.require(capability::FLOAT16),
                64 => self.require(capability::FLOAT64),
                _ => {}
            }
        }
        id
    }

    /// Returns the type of truth values.
    pub fn boolean(&mut self) -> u32 {
        self.declare(op::TYPE_BOOL, &[])
    }

    /// Returns the vector type of `lanes` components.
    pub fn vector(&mut self, component: u32, lanes: u32) -> u32 {
        self.declare(op::TYPE_VECTOR, &[component, lanes])
    }

    /// Returns the vector type of `lanes` 32-bit unsigned integers.
    pub fn uints(&mut self, lanes: u32) -> u32 {
        let uint = self.uint();
        self.vector(uint, lanes)
    }

    /// Returns a 32-bit unsigned constant.
    pub fn constant(&mut self, value: u32) -> u32 {
        let uint = self.uint();
        self.declare_typed(op::CONSTANT, uint, &[value])
    }

    /// Returns a float constant given by its bits, low word first.
    pub fn float_constant(&mut self, float: u32, words: &[u32]) -> u32 {
        self.declare_typed(op::CONSTANT, float, words)
    }

    /// A fixed work-group size.
    pub fn local_size(&mut self, size: [u32; 3]) {
        let operands = [self.entry, LOCAL_SIZE_MODE, size[0], size[1], size[2]];
        self.emit(Section::Modes, op::EXECUTION_MODE, &operands);
        self.local_size_set = true;
    }

    /// A work-group size of three specialization constants with the given ids, 1 by default.
    pub fn local_size_constants(&mut self, ids: [u32; 3]) {
        let uint = self.uint();
        let triple = self.declare(op::TYPE_VECTOR, &[uint, 3]);
        let mut parts = Vec::new();
        for spec_id in ids {
            let id = self.id();
            self.emit(Section::Declarations, op::SPEC_CONSTANT, &[uint, id, 1]);
            self.decorate(id, &[decoration::SPEC_ID, spec_id]);
            parts.push(id);
        }
        let id = self.id();
        let operands = [triple, id, parts[0], parts[1], parts[2]];
        self.emit(Section::Declarations, op::SPEC_CONSTANT_COMPOSITE, &operands);
        self.decorate(id, &[decoration::BUILT_IN, built_in::WORKGROUP_SIZE]);
    }

    /// Asks for a float mode at one width.
    pub fn float_mode(&mut self, mode: FloatMode, width: u32) {
        let (capability, mode) = mode.capability_and_mode();
        self.require(capability);
        let operands = [self.entry, mode, width];
        self.emit(Section::Modes, op::EXECUTION_MODE, &operands);
    }

    /// gl_GlobalInvocationID.x.
    pub fn global_id_x(&mut self) -> u32 {
        let uint = self.uint();
        let triple = self.declare(op::TYPE_VECTOR, &[uint, 3]);
        let all = self.value(op::LOAD, triple, &[self.global_id]);
        self.value(op::COMPOSITE_EXTRACT, uint, &[all, 0])
    }

    /// gl_LocalInvocationIndex.
    pub fn local_index(&mut self) -> u32 {
        self.input(built_in::LOCAL_INVOCATION_INDEX)
    }

    /// gl_SubgroupID and gl_SubgroupInvocationID.
    pub fn subgroup_place(&mut self) -> [u32; 2] {
        self.require(capability::GROUP_NON_UNIFORM);
        [built_in::SUBGROUP_ID, built_in::SUBGROUP_LOCAL_INVOCATION_ID]
            .map(|which| self.input(which))
    }

    /// Loads a built-in variable of one word.
    fn input(&mut self, built_in: u32) -> u32 {
        let uint = self.uint();
        let variable = self.variable(storage::INPUT, uint);
        self.interface.push(variable);
        self.decorate(variable, &[decoration::BUILT_IN, built_in]);
        self.value(op::LOAD, uint, &[variable])
    }

    /// Element `index` of the array of `element`s at push constant address number `address`.
    pub fn load(&mut self, address: u32, element: u32, index: u32) -> u32 {
        let place = self.place(address, element, index);
        let bytes = self.size_of(element);
        self.value(op::LOAD, element, &[place, ALIGNED, bytes])
    }

    /// Sets element `index` of that array.
    pub fn store(&mut self, address: u32, element: u32, index: u32, value: u32) {
        let place = self.place(address, element, index);
        let bytes = self.size_of(element);
        self.emit(Section::Body, op::STORE, &[place, value, ALIGNED, bytes]);
    }

    /// Emits an instruction with one operand.
    pub fn unary(&mut self, opcode: u32, result: u32, a: u32) -> u32 {
        self.value(opcode, result, &[a])
    }

    /// Emits an instruction with an operand and a literal number.
    pub fn binary_literal(&mut self, opcode: u32, result: u32, a: u32, literal: u32) -> u32 {
        self.value(opcode, result, &[a, literal])
    }

    /// `yes` where the condition holds, else `no`; both of type `result`.
    pub fn select(&mut self, result: u32, condition: u32, yes: u32, no: u32) -> u32 {
        self.value(op::SELECT, result, &[condition, yes, no])
    }

    /// Emits an instruction with operands `a` and `b`. Float arithmetic is not contracted.
    pub fn binary(&mut self, opcode: u32, result: u32, a: u32, b: u32) -> u32 {
        let id = self.value(opcode, result, &[a, b]);
        if matches!(opcode, op::F_ADD | op::F_SUB | op::F_MUL | op::F_DIV) {
            self.decorate(id, &[decoration::NO_CONTRACTION]);
        }
        id
    }

    /// Emits an instruction of GLSL.std.450 (see [`glsl`]).
    pub fn extended(&mut self, instruction: u32, result: u32, arguments: &[u32]) -> u32 {
        let mut operands = vec![self.glsl, instruction];
        operands.extend_from_slice(arguments);
        self.value(op::EXT_INST, result, &operands)
    }

    /// Emits a loop that does what `body` emits `times` times. Returns the number of rounds.
    pub fn repeat(&mut self, times: u32, body: impl FnOnce(&mut Self)) -> u32 {
        let (count, _) = self.repeat_loop(times, LoopValues::default(), |k, _| {
            body(k);
            (None, Vec::new())
        });
        count
    }

    /// As [`KernelBuilder::repeat`], but ends also when the boolean that `body` gives is false; that round
    /// does not count.
    pub fn repeat_while(&mut self, most: u32, body: impl FnOnce(&mut Self) -> u32) -> u32 {
        self.repeat_loop(most, LoopValues::default(), |k, _| (Some(body(k)), Vec::new())).0
    }

    /// Emits a loop that carries values of type `ty`: `body` gets the values of a round, at first `values`, and returns the
    /// values of the next. Returns the values after `times` rounds.
    pub fn repeat_with(
        &mut self,
        times: u32,
        ty: u32,
        values: Vec<u32>,
        body: impl FnOnce(&mut Self, &[u32]) -> Vec<u32>,
    ) -> Vec<u32> {
        self.repeat_loop(times, LoopValues { ty, values }, |k, values| (None, body(k, values))).1
    }

    /// Returns the boolean that tells whether `a` is less than `b`, both unsigned integers.
    pub fn is_less(&mut self, a: u32, b: u32) -> u32 {
        let boolean = self.declare(op::TYPE_BOOL, &[]);
        self.value(op::U_LESS_THAN, boolean, &[a, b])
    }

    /// Returns the number of rounds, and the values after the last.
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
        self.emit(Section::Body, op::BRANCH, &[header]);
        self.begin(header);
        let count = self.value(op::PHI, uint, &[zero, before, after, next]);
        let new: Vec<u32> = first.iter().map(|_| self.id()).collect();
        let pairs = first.iter().zip(&new);
        let values: Vec<u32> = pairs
            .map(|(&first, &new)| self.value(op::PHI, ty, &[first, before, new, next]))
            .collect();
        self.emit(Section::Body, op::LOOP_MERGE, &[end, next, 0]);
        self.emit(Section::Body, op::BRANCH, &[test]);
        self.begin(test);
        let more = self.is_less(count, times);
        self.emit(Section::Body, op::BRANCH_CONDITIONAL, &[more, inside, end]);
        self.begin(inside);
        let (go_on, given) = body(self, &values);
        match go_on {
            Some(go_on) => self.emit(Section::Body, op::BRANCH_CONDITIONAL, &[go_on, next, end]),
            None => self.emit(Section::Body, op::BRANCH, &[next]),
        }
        self.begin(next);
        assert_eq!(new.len(), given.len(), "values of the next round");
        for (new, given) in new.into_iter().zip(given) {
            self.emit(Section::Body, op::COPY_OBJECT, &[ty, new, given]);
        }
        self.emit(Section::Body, op::I_ADD, &[uint, after, count, one]);
        self.emit(Section::Body, op::BRANCH, &[header]);
        self.begin(end);
        (count, values)
    }

    /// Loads element `index` of the array of words at push constant address number `address`, in one with what other
    /// invocations of the device do there.
    pub fn atomic_load(&mut self, address: u32, index: u32) -> u32 {
        let uint = self.uint();
        let place = self.place(address, uint, index);
        let [scope, semantics] = self.relaxed();
        self.value(op::ATOMIC_LOAD, uint, &[place, scope, semantics])
    }

    /// Makes that element the greater one of it and `value`.
    pub fn atomic_max(&mut self, address: u32, index: u32, value: u32) {
        let uint = self.uint();
        let place = self.place(address, uint, index);
        let [scope, semantics] = self.relaxed();
        self.value(op::ATOMIC_U_MAX, uint, &[place, scope, semantics, value]);
    }

    /// The scope and the memory semantics of atomic operations that order nothing else.
    fn relaxed(&mut self) -> [u32; 2] {
        const DEVICE: u32 = 1;
        [self.constant(DEVICE), self.constant(0)]
    }

    /// Orders accesses to buffers within the work-group.
    pub fn work_group_fence(&mut self) {
        const WORKGROUP: u32 = 2;
        const ACQUIRE_RELEASE_OF_BUFFERS: u32 = 0x8 | 0x40;
        let operands = [self.constant(WORKGROUP), self.constant(ACQUIRE_RELEASE_OF_BUFFERS)];
        self.emit(Section::Body, op::MEMORY_BARRIER, &operands);
    }

    /// Ends the kernel and returns the module's words.
    pub fn finish(mut self) -> Vec<u32> {
        if !self.local_size_set {
            self.local_size([1, 1, 1]);
        }
        self.emit(Section::Body, op::RETURN, &[]);
        self.emit(Section::Body, op::FUNCTION_END, &[]);
        self.declare_entry_point();
        let mut words = vec![MAGIC, VERSION, 0, self.next_id, 0];
        for section in &self.sections {
            words.extend_from_slice(section);
        }
        words
    }

    /// Begins the body of the entry point.
    fn open_function(&mut self) {
        let void = self.declare(op::TYPE_VOID, &[]);
        let signature = self.declare(op::TYPE_FUNCTION, &[void]);
        self.entry = self.id();
        self.interface.extend([self.global_id, self.push]);
        self.emit(Section::Body, op::FUNCTION, &[void, self.entry, 0, signature]);
        let label = self.id();
        self.begin(label);
    }

    /// Declares the entry point, with all variables that the kernel uses.
    fn declare_entry_point(&mut self) {
        const GL_COMPUTE: u32 = 5;
        let mut entry = vec![GL_COMPUTE, self.entry];
        entry.extend(string("main"));
        entry.extend(&self.interface);
        self.emit(Section::EntryPoint, op::ENTRY_POINT, &entry);
    }

    fn begin(&mut self, label: u32) {
        self.emit(Section::Body, op::LABEL, &[label]);
        self.block = label;
    }

    /// Returns a pointer to element `index` of the array at push constant address number `address`.
    fn place(&mut self, address: u32, element: u32, index: u32) -> u32 {
        let array = self.array_pointer(element);
        let uint = self.uint();
        let member = match self.typed_pointers {
            Some(pointer) => pointer,
            None => self.declare(op::TYPE_VECTOR, &[uint, 2]),
        };
        let raw = self.push_constant(address, member);
        let zero = self.constant(0);
        let base = match self.typed_pointers {
            Some(_) => raw,
            None => self.value(op::BITCAST, array, &[raw]),
        };
        let pointer = self.declare(op::TYPE_POINTER, &[storage::PHYSICAL_STORAGE_BUFFER, element]);
        self.value(op::ACCESS_CHAIN, pointer, &[base, zero, index])
    }

    /// Loads a push constant, which has type `member`.
    fn push_constant(&mut self, number: u32, member: u32) -> u32 {
        let in_push = self.declare(op::TYPE_POINTER, &[storage::PUSH_CONSTANT, member]);
        let number = self.constant(number);
        let place = self.value(op::ACCESS_CHAIN, in_push, &[self.push, number]);
        self.value(op::LOAD, member, &[place])
    }

    /// Returns the type of an address: a pointer to a block of one runtime array.
    fn array_pointer(&mut self, element: u32) -> u32 {
        let known = self.declared.len();
        let array = self.declare(op::TYPE_RUNTIME_ARRAY, &[element]);
        if self.declared.len() > known {
            let stride = self.size_of(element);
            self.decorate(array, &[decoration::ARRAY_STRIDE, stride]);
        }
        let block = self.block(&[array], 0);
        self.declare(op::TYPE_POINTER, &[storage::PHYSICAL_STORAGE_BUFFER, block])
    }

    /// Returns a block structure whose members lie `stride` bytes apart.
    fn block(&mut self, members: &[u32], stride: u32) -> u32 {
        let known = self.declared.len();
        let block = self.declare(op::TYPE_STRUCT, members);
        if self.declared.len() > known {
            self.decorate(block, &[decoration::BLOCK]);
            for i in 0..members.len() as u32 {
                let operands = [block, i, decoration::OFFSET, i * stride];
                self.emit(Section::Annotations, op::MEMBER_DECORATE, &operands);
            }
        }
        block
    }

    /// Returns the number of bytes of a scalar or vector type.
    fn size_of(&self, element: u32) -> u32 {
        let entry = self.declared.iter().find(|(_, id)| **id == element);
        match entry.map(|((opcode, operands), _)| (*opcode, operands.as_slice())) {
            Some((op::TYPE_VECTOR, &[component, lanes])) => lanes * self.size_of(component),
            Some((_, &[bits, ..])) => bits / 8,
            _ => 4,
        }
    }

    fn variable(&mut self, class: u32, pointee: u32) -> u32 {
        let pointer = self.declare(op::TYPE_POINTER, &[class, pointee]);
        let id = self.id();
        self.emit(Section::Declarations, op::VARIABLE, &[pointer, id, class]);
        id
    }

    /// Declares a capability, once.
    fn require(&mut self, capability: u32) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
            self.emit(Section::Capabilities, op::CAPABILITY, &[capability]);
        }
    }

    fn decorate(&mut self, target: u32, with: &[u32]) {
        let mut operands = vec![target];
        operands.extend_from_slice(with);
        self.emit(Section::Annotations, op::DECORATE, &operands);
    }

    /// Returns a type: result id first, then operands. Declared once.
    fn declare(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        if let Some(id) = self.declared.get(&(opcode, operands.to_vec())) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        self.emit(Section::Declarations, opcode, &all);
        self.declared.insert((opcode, operands.to_vec()), id);
        id
    }

    /// Returns a constant: type, result id, operands. Declared once.
    fn declare_typed(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let mut key = vec![ty];
        key.extend_from_slice(operands);
        if let Some(id) = self.declared.get(&(opcode, key.clone())) {
            return *id;
        }
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.emit(Section::Declarations, opcode, &all);
        self.declared.insert((opcode, key), id);
        id
    }

    /// Emits an instruction of the body with a result.
    fn value(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.emit(Section::Body, opcode, &all);
        id
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn emit(&mut self, section: Section, opcode: u32, operands: &[u32]) {
        let words = &mut self.sections[section as usize];
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    }
}

/// Returns a literal string: NUL-terminated, padded, little-endian.
fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 4) / 4 * 4, 0);
    bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}
