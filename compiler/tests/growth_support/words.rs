//! Writes modules of SPIR-V as words (SPIR-V 2.3).

/// A module under construction, its parts in the order that SPIR-V wants.
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
    /// Pointer to ints in memory of the device.
    pub pointer: u32,
    /// Pointer to an int of a function.
    pub own: u32,
    /// Functions from (pointer, int) to nothing.
    pub kernel: u32,
    /// Functions from (pointer, int) to an int.
    pub function: u32,
}

/// Opcodes by their names in the specification, without `Op`.
pub mod op {
    pub const NAME: u32 = 5;
    pub const CAPABILITY: u32 = 17;
    pub const MEMORY_MODEL: u32 = 14;
    pub const ENTRY_POINT: u32 = 15;
    pub const TYPE_VOID: u32 = 19;
    pub const TYPE_BOOL: u32 = 20;
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_ARRAY: u32 = 28;
    pub const TYPE_STRUCT: u32 = 30;
    pub const TYPE_POINTER: u32 = 32;
    pub const TYPE_FUNCTION: u32 = 33;
    pub const CONSTANT: u32 = 43;
    pub const CONSTANT_COMPOSITE: u32 = 44;
    pub const FUNCTION: u32 = 54;
    pub const FUNCTION_PARAMETER: u32 = 55;
    pub const FUNCTION_END: u32 = 56;
    pub const FUNCTION_CALL: u32 = 57;
    pub const VARIABLE: u32 = 59;
    pub const LOAD: u32 = 61;
    pub const STORE: u32 = 62;
    pub const IN_BOUNDS_PTR_ACCESS_CHAIN: u32 = 70;
    pub const DECORATE: u32 = 71;
    pub const COMPOSITE_EXTRACT: u32 = 81;
    pub const COMPOSITE_INSERT: u32 = 82;
    pub const I_ADD: u32 = 128;
    pub const I_MUL: u32 = 132;
    pub const SELECT: u32 = 169;
    pub const I_EQUAL: u32 = 170;
    pub const S_LESS_THAN: u32 = 177;
    pub const PHI: u32 = 245;
    pub const LABEL: u32 = 248;
    pub const BRANCH: u32 = 249;
    pub const BRANCH_CONDITIONAL: u32 = 250;
    pub const SWITCH: u32 = 251;
    pub const RETURN: u32 = 253;
    pub const RETURN_VALUE: u32 = 254;
}

/// Storage classes.
pub const FUNCTION: u32 = 7;
pub const UNIFORM_CONSTANT: u32 = 0;
pub const CROSS_WORKGROUP: u32 = 5;

fn instruction(words: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | opcode);
    words.extend(operands);
}

fn literal(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// What a function has at hand.
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
        words.void = words.declare(op::TYPE_VOID, &[]);
        words.int = words.declare(op::TYPE_INT, &[32, 0]);
        words.bool = words.declare(op::TYPE_BOOL, &[]);
        let int = words.int;
        words.pointer = words.declare(op::TYPE_POINTER, &[CROSS_WORKGROUP, int]);
        words.own = words.declare(op::TYPE_POINTER, &[FUNCTION, int]);
        words.kernel = words.declare(op::TYPE_FUNCTION, &[words.void, words.pointer, int]);
        words.function = words.declare(op::TYPE_FUNCTION, &[int, words.pointer, int]);
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
    pub fn declare(&mut self, opcode: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        instruction(&mut self.declarations, opcode, &[&[id], operands].concat());
        id
    }

    /// Declares a constant or a variable of a type.
    pub fn declare_of(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        instruction(&mut self.declarations, opcode, &[&[ty, id], operands].concat());
        id
    }

    pub fn constant(&mut self, value: u32) -> u32 {
        self.declare_of(op::CONSTANT, self.int, &[value])
    }

    pub fn name(&mut self, id: u32, name: &str) {
        instruction(&mut self.names, op::NAME, &[&[id][..], &literal(name)].concat());
    }

    pub fn decorate(&mut self, operands: &[u32]) {
        instruction(&mut self.annotations, op::DECORATE, operands);
    }

    /// Begins a kernel; it has an entry point.
    pub fn begin_kernel(&mut self, name: &str) -> Body {
        let id = self.id();
        let body = self.begin(id, self.void, self.kernel);
        instruction(&mut self.entries, op::ENTRY_POINT, &[&[6, id][..], &literal(name)].concat());
        body
    }

    /// Begins a function from (pointer, int) with a known id.
    pub fn begin(&mut self, id: u32, result: u32, ty: u32) -> Body {
        self.act(op::FUNCTION, &[result, id, 0, ty]);
        let (pointer, number) = (
            self.value(op::FUNCTION_PARAMETER, self.pointer, &[]),
            self.value(op::FUNCTION_PARAMETER, self.int, &[]),
        );
        let label = self.id();
        self.label(label);
        Body { id, pointer, number, label }
    }

    pub fn end(&mut self) {
        self.act(op::FUNCTION_END, &[]);
    }

    pub fn label(&mut self, id: u32) {
        self.act(op::LABEL, &[id]);
    }

    /// Appends an instruction without a result.
    pub fn act(&mut self, opcode: u32, operands: &[u32]) {
        instruction(&mut self.functions, opcode, operands);
    }

    /// Appends an instruction; returns its result.
    pub fn value(&mut self, opcode: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        self.give(id, opcode, ty, operands);
        id
    }

    /// Appends an instruction with a known result.
    pub fn give(&mut self, id: u32, opcode: u32, ty: u32, operands: &[u32]) {
        self.act(opcode, &[&[ty, id], operands].concat());
    }

    pub fn finish(self) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0200, 0, self.next, 0];
        for capability in [4, 5, 6, 11] {
            instruction(&mut words, op::CAPABILITY, &[capability]);
        }
        // Physical64, OpenCL.
        instruction(&mut words, op::MEMORY_MODEL, &[2, 2]);
        for part in [self.entries, self.names, self.annotations, self.declarations, self.functions]
        {
            words.extend(part);
        }
        words
    }
}
