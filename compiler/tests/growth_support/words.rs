//! Writes modules of SPIR-V as words (SPIR-V 2.3).

use hekla_spirv::spirv::{AddressingModel, Capability, ExecutionModel, MemoryModel, StorageClass};
use hekla_spirv::{encode, header, string_words};

pub use hekla_spirv::Op;

/// A module under construction, with its parts in the order that SPIR-V requires.
pub struct Words {
    next: u32,
    entries: Vec<u32>,
    names: Vec<u32>,
    annotations: Vec<u32>,
    declarations: Vec<u32>,
    functions: Vec<u32>,
    pub void: u32,
    pub int: u32,
    pub bool: u32,
    /// The type of pointers to ints in memory of the device.
    pub pointer: u32,
    /// The type of pointers to ints of a function.
    pub own: u32,
    /// The type of functions from (pointer, int) that return nothing.
    pub kernel: u32,
    /// The type of functions from (pointer, int) that return an int.
    pub function: u32,
}

/// Storage classes.
pub const FUNCTION: u32 = StorageClass::Function as u32;
pub const UNIFORM_CONSTANT: u32 = StorageClass::UniformConstant as u32;
pub const CROSS_WORKGROUP: u32 = StorageClass::CrossWorkgroup as u32;

/// The ids that the instructions of a function can use.
pub struct Body {
    pub id: u32,
    pub pointer: u32,
    pub number: u32,
    pub label: u32,
}

impl Words {
    pub fn new() -> Words {
        let mut words = Words {
            next: 1,
            entries: Vec::new(),
            names: Vec::new(),
            annotations: Vec::new(),
            declarations: Vec::new(),
            functions: Vec::new(),
            void: 0,
            int: 0,
            bool: 0,
            pointer: 0,
            own: 0,
            kernel: 0,
            function: 0,
        };
        words.void = words.declare(Op::TypeVoid, &[]);
        words.int = words.declare(Op::TypeInt, &[32, 0]);
        words.bool = words.declare(Op::TypeBool, &[]);
        let int = words.int;
        words.pointer = words.declare(Op::TypePointer, &[CROSS_WORKGROUP, int]);
        words.own = words.declare(Op::TypePointer, &[FUNCTION, int]);
        words.kernel = words.declare(Op::TypeFunction, &[words.void, words.pointer, int]);
        words.function = words.declare(Op::TypeFunction, &[int, words.pointer, int]);
        words
    }

    pub fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub fn ids(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.id()).collect()
    }

    /// Declares a type; returns its id.
    pub fn declare(&mut self, op: Op, operands: &[u32]) -> u32 {
        let id = self.id();
        encode(&mut self.declarations, op, &[&[id], operands].concat());
        id
    }

    /// Declares a constant or a variable of a type.
    pub fn declare_of(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        encode(&mut self.declarations, op, &[&[ty, id], operands].concat());
        id
    }

    pub fn constant(&mut self, value: u32) -> u32 {
        self.declare_of(Op::Constant, self.int, &[value])
    }

    pub fn name(&mut self, id: u32, name: &str) {
        encode(&mut self.names, Op::Name, &[&[id][..], &string_words(name)].concat());
    }

    pub fn decorate(&mut self, operands: &[u32]) {
        encode(&mut self.annotations, Op::Decorate, operands);
    }

    /// Begins a kernel, with an entry point.
    pub fn begin_kernel(&mut self, name: &str) -> Body {
        let id = self.id();
        let body = self.begin(id, self.void, self.kernel);
        encode(
            &mut self.entries,
            Op::EntryPoint,
            &[&[ExecutionModel::Kernel as u32, id][..], &string_words(name)].concat(),
        );
        body
    }

    /// Begins a function from (pointer, int) with a known id.
    pub fn begin(&mut self, id: u32, result: u32, ty: u32) -> Body {
        self.act(Op::Function, &[result, id, 0, ty]);
        let (pointer, number) = (
            self.value(Op::FunctionParameter, self.pointer, &[]),
            self.value(Op::FunctionParameter, self.int, &[]),
        );
        let label = self.id();
        self.label(label);
        Body { id, pointer, number, label }
    }

    pub fn end(&mut self) {
        self.act(Op::FunctionEnd, &[]);
    }

    pub fn label(&mut self, id: u32) {
        self.act(Op::Label, &[id]);
    }

    /// Appends an instruction without a result.
    pub fn act(&mut self, op: Op, operands: &[u32]) {
        encode(&mut self.functions, op, operands);
    }

    /// Appends an instruction; returns its result.
    pub fn value(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.give(id, op, ty, operands);
        id
    }

    /// Appends an instruction with a known result.
    pub fn give(&mut self, id: u32, op: Op, ty: u32, operands: &[u32]) {
        self.act(op, &[&[ty, id], operands].concat());
    }

    pub fn finish(self) -> Vec<u32> {
        let mut words = header(2, self.next).to_vec();
        use Capability::{Addresses, Int64, Kernel, Linkage};
        for capability in [Addresses, Linkage, Kernel, Int64] {
            encode(&mut words, Op::Capability, &[capability as u32]);
        }
        let model = [AddressingModel::Physical64 as u32, MemoryModel::OpenCL as u32];
        encode(&mut words, Op::MemoryModel, &model);
        for part in [self.entries, self.names, self.annotations, self.declarations, self.functions]
        {
            words.extend(part);
        }
        words
    }
}
