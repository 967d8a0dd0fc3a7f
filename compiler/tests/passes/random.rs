//! Random modules with loops, branches, calls, memory of all kinds, and every type.

use hekla_compiler::ir::*;
use hekla_compiler::kernel::{Arg, ArgAddress, ArgKind};

/// Bytes at the beginning of the buffer that programs read and write freely; results follow them.
pub const SCRATCH: usize = 192;
/// Bytes of the whole buffer.
pub const BUFFER: usize = 4096;

/// A reproducible source of numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) as usize) % limit.max(1)
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

const INTS: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];
const VECTORS: [Type; 7] = [
    Type::vector(Scalar::I32, 4),
    Type::vector(Scalar::I8, 4),
    Type::vector(Scalar::F32, 2),
    Type::vector(Scalar::I32, 3),
    Type::vector(Scalar::I64, 2),
    Type::vector(Scalar::I16, 8),
    Type::vector(Scalar::I8, 16),
];

struct Gen<'a, 'r> {
    b: Builder<'a>,
    random: &'r mut Random,
    /// Values in scope.
    pool: Vec<Value>,
    /// The private objects: address, bytes, and true if the object holds floats.
    objects: Vec<(Value, u32, bool)>,
    buffer: Value,
    helpers: Vec<(Func, Vec<Type>, Type)>,
    budget: usize,
}

fn arg(name: &str, kind: ArgKind) -> Arg {
    Arg {
        name: name.to_string(),
        type_name: String::new(),
        kind,
        address: ArgAddress::Private,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
    }
}

/// Bytes that a helper function may access through a pointer to private memory.
const POINTEE: u32 = 16;
const PRIVATE: Type = Type::ptr(AddressSpace::Private);

/// Returns a kernel `k` with the arguments (buffer, 32 bytes of values), of about that number of statements, and three helper
/// functions, which take values, pointers to private memory and the buffer.
pub fn module(random: &mut Random, statements: usize) -> Module {
    let mut module = Module::default();
    let mut helpers: Vec<(Func, Vec<Type>, Type)> = Vec::new();
    for i in 0..3 {
        let count = 1 + random.below(3);
        let mut params: Vec<Type> = (0..count).map(|_| any_type(random)).collect();
        params.extend((0..random.below(4)).map(|_| PRIVATE));
        params.push(Type::ptr(AddressSpace::Global));
        let ret = any_type(random);
        let mut func = Function::new(format!("helper{i}"), &params, Some(ret));
        body(&mut func, random, &helpers, 25, Some(ret));
        helpers.push((module.functions.push(func), params, ret));
    }
    let mut func = Function::new("k", &[], None);
    body(&mut func, random, &helpers, statements, None);
    let func = module.functions.push(func);
    module.kernels.push(KernelEntry {
        func,
        name: "k".to_string(),
        args: vec![arg("a", ArgKind::Buffer), arg("v", ArgKind::Value { size: 32 })],
        required_local_size: None,
        local_size_hint: None,
        required_subgroup_size: None,
        required_subgroups: None,
        gathering: Default::default(),
        attributes: String::new(),
        arg_info: false,
        is_block: false,
        pointee_alignments: Vec::new(),
        access: Vec::new(),
    });
    module
}

fn any_type(random: &mut Random) -> Type {
    match random.below(4) {
        0 => random.pick(&VECTORS),
        1 => Type::F32,
        _ => random.pick(&INTS),
    }
}

fn body(
    func: &mut Function,
    random: &mut Random,
    helpers: &[(Func, Vec<Type>, Type)],
    budget: usize,
    ret: Option<Type>,
) {
    let params = func.params().to_vec();
    let mut b = Builder::new(func);
    let (buffer, pool) = match params.split_last() {
        Some((&buffer, rest)) => {
            (buffer, rest.iter().copied().filter(|&v| b.ty(v) != PRIVATE).collect())
        }
        None => {
            let buffer = b.load_arg(Type::ptr(AddressSpace::Global), 0, 0);
            let wide = b.load_arg(Type::I64, 1, 0);
            let lanes = b.load_arg(Type::vector(Scalar::I32, 4), 1, 16);
            let id = b.work_item(WorkItemQuery::GlobalId, 1);
            (buffer, vec![wide, lanes, id])
        }
    };
    let mut g =
        Gen { b, random, pool, objects: Vec::new(), buffer, helpers: helpers.to_vec(), budget };
    g.objects();
    g.objects
        .extend(params.iter().filter(|&&v| g.b.ty(v) == PRIVATE).map(|&v| (v, POINTEE, false)));
    g.statements(0);
    // A list of statements may end early, so large programs have several lists.
    while budget > 100 && g.budget > 0 {
        g.statements(0);
    }
    match ret {
        Some(ty) => {
            let value = g.value(ty);
            g.b.ret(Some(value));
        }
        None => {
            g.results();
            g.b.ret(None);
        }
    }
}

impl Gen<'_, '_> {
    fn objects(&mut self) {
        for _ in 0..3 {
            let words = 1 + self.random.below(5) as u32;
            let floats = self.random.below(3) == 0;
            let at = self.b.alloca(u64::from(words) * 8, 8);
            for word in 0..words * 2 {
                let place = self.b.ptr_add_const(at, i64::from(word) * 4);
                let value = match floats {
                    true => self.b.fconst(Type::F32, f64::from(word) + 0.5),
                    false => self.b.iconst(Type::I32, i64::from(word) * 77),
                };
                self.b.store(place, value, 4, MemFlags::empty());
            }
            self.objects.push((at, words * 8, floats));
        }
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..6 + self.random.below(8) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.random.below(14) {
                0 | 1 if depth < 3 => self.branch(depth),
                2 if depth < 2 => self.repeat(depth),
                3 if depth < 3 => self.switch(depth),
                4 => self.call(),
                5 | 6 => self.private_access(),
                7 if self.objects.len() > 3 => self.private_access(),
                7 | 8 => self.global_access(),
                _ => {
                    let ty = any_type(self.random);
                    let value = self.operation(ty);
                    self.pool.push(value);
                }
            }
        }
    }

    /// Returns a value of a type: a value in scope, a constant, or a value made of others.
    fn value(&mut self, ty: Type) -> Value {
        let fitting: Vec<Value> =
            self.pool.iter().copied().filter(|&v| self.b.ty(v) == ty).collect();
        if !fitting.is_empty() && self.random.below(4) != 0 {
            return self.random.pick(&fitting);
        }
        let constant = match self.random.below(4) {
            0 => 0,
            1 => -1,
            2 => self.random.below(100) as i64,
            _ => self.random.next() as i64,
        };
        if ty.scalar == Scalar::F32 {
            return self.b.fconst(ty, (constant % 1000) as f64 / 8.0);
        }
        self.b.iconst(ty, constant)
    }

    fn condition(&mut self) -> Value {
        use IntCC::*;
        if self.random.below(4) == 0 {
            let (a, b) = (self.value(Type::F32), self.value(Type::F32));
            let cc = self.random.pick(&[FloatCC::Olt, FloatCC::Une, FloatCC::Uge, FloatCC::Oeq]);
            return self.b.fcmp(cc, a, b);
        }
        let ty = self.random.pick(&INTS);
        let cc = self.random.pick(&[Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge]);
        let (a, b) = (self.value(ty), self.value(ty));
        self.b.icmp(cc, a, b)
    }

    fn operation(&mut self, ty: Type) -> Value {
        match self.random.below(6) {
            0 if ty.is_vector() => self.lanes(ty),
            0 if ty.scalar.is_int() => self.conversion(ty),
            1 => {
                let cond = self.condition();
                let (a, b) = (self.value(ty), self.value(ty));
                self.b.select(cond, a, b)
            }
            _ if ty.scalar == Scalar::F32 => self.float(ty),
            _ => self.integer(ty),
        }
    }

    fn integer(&mut self, ty: Type) -> Value {
        use BinaryOp::*;
        let (a, mut b) = (self.value(ty), self.value(ty));
        if self.random.below(6) == 0 {
            use MathOp::*;
            let op = self.random.pick(&[SAbs, Clz, Ctz, PopCount, BitReverse]);
            return self.b.math(op, &[a]);
        }
        if self.random.below(8) == 0 {
            let op = self.random.pick(&[UnaryOp::INeg, UnaryOp::Not]);
            return self.b.unary(op, a);
        }
        let op = self.random.pick(&[
            IAdd, ISub, IMul, And, Or, Xor, Shl, LShr, AShr, SMin, SMax, UMin, UMax, UDiv, SDiv,
            URem, SRem, UMulHi, SMulHi, IAdd, ISub, IMul,
        ]);
        match op {
            Shl | LShr | AShr => {
                let mask = self.b.iconst(ty, i64::from(ty.scalar.bits()) - 1);
                b = self.b.binary(And, b, mask);
            }
            UDiv | SDiv | URem | SRem => {
                let one = self.b.iconst(ty, 1);
                b = self.b.binary(Or, b, one);
            }
            _ => {}
        }
        self.b.binary(op, a, b)
    }

    fn float(&mut self, ty: Type) -> Value {
        use BinaryOp::*;
        match self.random.below(6) {
            0 => {
                let from = ty.with_scalar(self.random.pick(&INTS).scalar);
                let value = self.value(from);
                let op = self.random.pick(&[ConvertOp::SToF, ConvertOp::UToF]);
                self.b.convert(op, value, ty)
            }
            1 => {
                let value = self.value(ty);
                self.b.unary(UnaryOp::FNeg, value)
            }
            2 => {
                let value = self.value(ty);
                let op = self.random.pick(&[MathOp::FAbs, MathOp::Floor, MathOp::Rint]);
                self.b.math(op, &[value])
            }
            _ => {
                let (a, b) = (self.value(ty), self.value(ty));
                let op = self.random.pick(&[FAdd, FSub, FMul]);
                self.b.binary(op, a, b)
            }
        }
    }

    /// Returns a value that is converted from another scalar type, where the conversion is defined.
    fn conversion(&mut self, ty: Type) -> Value {
        let from = ty.with_scalar(self.random.pick(&INTS).scalar);
        let value = self.value(from);
        let (a, b) = (from.scalar.bits(), ty.scalar.bits());
        if a > b {
            return self.b.convert(ConvertOp::Trunc, value, ty);
        }
        if a < b {
            let op = self.random.pick(&[ConvertOp::ZExt, ConvertOp::SExt]);
            return self.b.convert(op, value, ty);
        }
        let cond = self.condition();
        let op = self.random.pick(&[ConvertOp::ZExt, ConvertOp::SExt]);
        let scalar = self.b.convert(op, cond, ty.lane());
        self.b.splat(scalar, ty.lanes)
    }

    /// Returns a vector that is made from lanes or other vectors.
    fn lanes(&mut self, ty: Type) -> Value {
        let value = self.value(ty);
        match self.random.below(5) {
            0 => {
                let args: Vec<Value> = (0..ty.lanes).map(|_| self.value(ty.lane())).collect();
                self.b.build(&args)
            }
            1 => {
                let element = self.value(ty.lane());
                let index = self.value(Type::I32);
                self.b.insert_dynamic(value, element, index)
            }
            2 => {
                let other = self.value(ty);
                let lanes: Vec<u8> = (0..ty.lanes)
                    .map(|_| self.random.below(usize::from(ty.lanes) * 2) as u8)
                    .collect();
                self.b.shuffle(value, other, &lanes)
            }
            3 => {
                let index = self.value(Type::I32);
                let lane = self.b.extract_dynamic(value, index);
                self.pool.push(lane);
                let at = self.random.below(ty.lanes.into()) as u8;
                self.b.insert(value, lane, at)
            }
            _ if ty.bits() == 128 && ty.scalar.is_int() => {
                let from = self.random.pick(&[
                    Type::vector(Scalar::I32, 4),
                    Type::vector(Scalar::I64, 2),
                    Type::vector(Scalar::I16, 8),
                    Type::vector(Scalar::I8, 16),
                ]);
                let value = self.value(from);
                self.b.bitcast(value, ty)
            }
            _ => {
                let at = self.random.below(ty.lanes.into()) as u8;
                let lane = self.b.extract(value, at);
                self.pool.push(lane);
                value
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.condition();
        let [then, otherwise, after] = [(); 3].map(|()| self.b.new_block());
        let ty = any_type(self.random);
        let param = self.b.func.add_param(after, ty);
        self.b.brif(cond, then, otherwise);
        for block in [then, otherwise] {
            self.b.switch_to(block);
            let scope = self.pool.len();
            if self.random.below(3) != 0 {
                self.statements(depth + 1);
            }
            let value = self.value(ty);
            self.b.jump(after, &[value]);
            self.pool.truncate(scope);
        }
        self.b.switch_to(after);
        self.pool.push(param);
    }

    fn switch(&mut self, depth: usize) {
        let ty = self.random.pick(&INTS);
        let value = self.value(ty);
        let [one, two, after] = [(); 3].map(|()| self.b.new_block());
        let low = self.random.below(3) as u64;
        let case = |value: u64, block: Block| SwitchCase { value, target: BlockCall::new(block) };
        let mut cases = vec![case(low, one), case(low + 1, two), case(low + 3, one)];
        if ty == Type::I64 {
            cases.push(case(self.random.next() | 1 << 40, two));
        }
        self.b.switch(value, cases, after);
        let scope = self.pool.len();
        self.b.switch_to(one);
        self.statements(depth + 1);
        self.b.jump(two, &[]);
        self.pool.truncate(scope);
        self.b.switch_to(two);
        self.statements(depth + 1);
        self.b.jump(after, &[]);
        self.pool.truncate(scope);
        self.b.switch_to(after);
    }

    /// Appends a loop of a few rounds that carries a value from round to round.
    fn repeat(&mut self, depth: usize) {
        let ty = any_type(self.random);
        let start = self.value(ty);
        let zero = self.b.iconst(Type::I32, 0);
        let [head, inside, after] = [(); 3].map(|()| self.b.new_block());
        let count = self.b.func.add_param(head, Type::I32);
        let carried = self.b.func.add_param(head, ty);
        self.b.jump(head, &[zero, start]);
        self.b.switch_to(head);
        let limit = 1 + self.random.below(4) as i64;
        let limit = self.b.iconst(Type::I32, limit);
        let more = self.b.icmp(IntCC::Slt, count, limit);
        self.b.brif(more, inside, after);
        self.b.switch_to(inside);
        let scope = self.pool.len();
        self.pool.extend([count, carried]);
        self.statements(depth + 1);
        let next = self.value(ty);
        let one = self.b.iconst(Type::I32, 1);
        let count = self.b.binary(BinaryOp::IAdd, count, one);
        self.b.jump(head, &[count, next]);
        self.pool.truncate(scope);
        self.b.switch_to(after);
        self.pool.push(carried);
    }

    fn call(&mut self) {
        if self.helpers.is_empty() {
            return;
        }
        let at = self.random.below(self.helpers.len());
        let (func, params, ret) = self.helpers[at].clone();
        let mut args: Vec<Value> = params[..params.len() - 1]
            .iter()
            .map(|&ty| if ty == PRIVATE { self.pointer() } else { self.value(ty) })
            .collect();
        args.push(self.buffer);
        let result = self.b.call(func, &args, Some(ret));
        self.pool.extend(result);
    }

    /// Returns a pointer to [`POINTEE`] bytes of integers, often of the same object as other pointers.
    fn pointer(&mut self) -> Value {
        let fitting: Vec<(Value, u32, bool)> = self
            .objects
            .iter()
            .copied()
            .filter(|&(_, size, floats)| size >= POINTEE && !floats)
            .collect();
        if fitting.is_empty() {
            return self.b.alloca(POINTEE.into(), 8);
        }
        let (at, size, _) = self.random.pick(&fitting);
        let offset = match self.random.below(4) {
            0 => self.offset(size, POINTEE, 8),
            _ => self.b.iconst(Type::I32, self.random.below(2) as i64 * i64::from(size - POINTEE)),
        };
        self.b.ptr_add(at, offset)
    }

    /// Returns a byte offset below `size - bytes`, constant or computed, aligned to `align`.
    fn offset(&mut self, size: u32, bytes: u32, align: u32) -> Value {
        let room = (size - bytes) / align;
        if self.random.below(3) != 0 {
            let at = self.random.below(room as usize + 1) as i64 * i64::from(align);
            return self.b.iconst(Type::I32, at);
        }
        let value = self.value(Type::I32);
        let slots = self.b.iconst(Type::I32, i64::from(room) + 1);
        let align = self.b.iconst(Type::I32, align.into());
        let slot = self.b.binary(BinaryOp::URem, value, slots);
        self.b.binary(BinaryOp::IMul, slot, align)
    }

    fn private_access(&mut self) {
        let (at, size, floats) = self.random.pick(&self.objects);
        let ty = match floats {
            true => self.random.pick(&[Type::F32, Type::vector(Scalar::F32, 2)]),
            false => match self.random.below(3) {
                0 => self.random.pick(&[Type::vector(Scalar::I32, 2), Type::vector(Scalar::I8, 4)]),
                _ => self.random.pick(&INTS),
            },
        };
        // Floats are stored at multiples of their size: the bits at other places could be NaNs.
        let mut align = ty.scalar.bytes();
        if !floats && self.random.below(3) == 0 {
            align = 1 << self.random.below(3);
        }
        if ty.bytes() > size {
            return;
        }
        // Memory behind pointer parameters is seldom accessed at computed offsets.
        let is_param = self.b.func.params().contains(&at);
        let offset = match is_param && self.random.below(10) != 0 {
            true => {
                let slots = self.random.below(((size - ty.bytes()) / align) as usize + 1);
                self.b.iconst(Type::I32, slots as i64 * i64::from(align))
            }
            false => self.offset(size, ty.bytes(), align),
        };
        let ptr = self.b.ptr_add(at, offset);
        self.access(ptr, ty, align);
    }

    fn global_access(&mut self) {
        let ty = match self.random.below(3) {
            0 => self.random.pick(&[VECTORS[0], VECTORS[1], VECTORS[3], VECTORS[5], VECTORS[6]]),
            _ => self.random.pick(&INTS),
        };
        let align = 1 << self.random.below(4).min(ty.scalar.bytes().trailing_zeros() as usize + 2);
        let offset = self.offset(SCRATCH as u32, ty.bytes(), align);
        let wide = self.random.below(2) == 0;
        let offset = match wide {
            true => self.b.convert(ConvertOp::SExt, offset, Type::I64),
            false => offset,
        };
        let ptr = self.b.ptr_add(self.buffer, offset);
        self.access(ptr, ty, align);
    }

    fn access(&mut self, ptr: Value, ty: Type, align: u32) {
        let none = MemFlags::empty();
        if self.random.below(2) == 0 {
            let value = self.b.load(ty, ptr, align, none);
            self.pool.push(value);
        } else {
            let value = self.value(ty);
            self.b.store(ptr, value, align, none);
        }
    }

    /// Stores every value in scope, and the objects' contents, behind the scratch bytes.
    fn results(&mut self) {
        let none = MemFlags::empty();
        let mut at = SCRATCH as i64;
        for i in 0..self.objects.len() {
            let (object, size, floats) = self.objects[i];
            let ty = if floats { Type::F32 } else { Type::I32 };
            for word in 0..i64::from(size / 4) {
                let from = self.b.ptr_add_const(object, word * 4);
                let value = self.b.load(ty, from, 4, none);
                let to = self.b.ptr_add_const(self.buffer, at);
                self.b.store(to, value, 4, none);
                at += 4;
            }
        }
        for value in self.pool.clone() {
            let ty = self.b.ty(value);
            at = (at + 15) & !15;
            if at as usize + 16 > BUFFER {
                break;
            }
            let to = self.b.ptr_add_const(self.buffer, at);
            self.b.store(to, value, ty.scalar.bytes(), none);
            at += i64::from(ty.bytes());
        }
    }
}
