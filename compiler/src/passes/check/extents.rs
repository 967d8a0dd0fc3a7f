//! Extents: for each pointer of a function, the object that it points into, as values that are available wherever the pointer
//! is.
//!
//! The extent of a pointer to memory of devices is the object's address and size; pointer arithmetic changes neither. The
//! extent of a pointer to work-group or private memory is the pointer's offset from the object's start and the object's
//! size: the object's address is not needed, so the object can stay a register. Where control flow joins, block parameters
//! select extents as they select pointers. Pointers that are loaded from memory, or converted from integers, are looked up
//! among the allocations that the launch may access. If they point to work-group or private memory, nothing is known of
//! them and nothing is checked.

use crate::checks;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::kernel::ArgKind;
use crate::passes::cursor::Cursor;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// The object that a pointer points into.
#[derive(Debug, Clone, Copy)]
pub enum Extent {
    /// The object's address and size, as I64.
    Absolute { start: Value, size: Value },
    /// The pointer's offset in the object, and the object's size, as I32.
    Relative { offset: Value, size: Value },
}

impl Extent {
    /// Returns the object's size in bytes.
    pub fn size(self) -> Value {
        match self {
            Extent::Absolute { size, .. } | Extent::Relative { size, .. } => size,
        }
    }

    /// Returns both values.
    fn parts(self) -> [Value; 2] {
        match self {
            Extent::Absolute { start, size } => [start, size],
            Extent::Relative { offset, size } => [offset, size],
        }
    }
}

/// The form of a pointer's extent. It is found before any extent is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    /// No pointer has been seen yet.
    #[default]
    Undefined,
    Absolute,
    Relative,
    /// No extent: the pointer may point to memory of different kinds, or is not checked.
    None,
}

impl Form {
    fn meet(self, other: Form) -> Form {
        match (self, other) {
            (Form::Undefined, form) | (form, Form::Undefined) => form,
            (a, b) if a == b => a,
            _ => Form::None,
        }
    }
}

/// The extents of a function's pointers.
pub struct Extents<'a> {
    /// The kernel, if the function is a kernel's entry.
    kernel: Option<&'a KernelEntry>,
    /// The library's function that looks up an allocation.
    find: Func,
    /// The address of the launch's check area.
    pub area: Value,
    forms: SecondaryMap<Value, Form>,
    known: SecondaryMap<Value, Option<Extent>>,
    /// The sizes of variables.
    sizes: SecondaryMap<Global, u64>,
    /// The blocks with parameters for extents, and for each the indices of the pointers among its parameters.
    joins: FxHashMap<Block, Vec<usize>>,
}

fn is_pointer(func: &Function, value: Value) -> bool {
    let ty = func.ty(value);
    ty.scalar.is_ptr() && ty.lanes == 1
}

impl<'a> Extents<'a> {
    /// Finds the pointers that have extents, and adds the block parameters that select extents.
    pub fn new(
        func: &mut Function,
        cfg: &Cfg,
        (kernel, globals): (
            Option<&'a KernelEntry>,
            &cranelift_entity::PrimaryMap<Global, GlobalData>,
        ),
        find: Func,
    ) -> Extents<'a> {
        let mut extents = Extents {
            kernel,
            find,
            area: Value::from_u32(0),
            forms: func.value_map(),
            known: func.value_map(),
            sizes: globals.iter().map(|(global, data)| (global, data.size)).collect(),
            joins: FxHashMap::default(),
        };
        for &param in func.params() {
            if is_pointer(func, param) {
                extents.forms[param] = form_of_space(func.ty(param));
            }
        }
        while extents.visit_blocks(func, cfg) {}
        for &block in cfg.rpo() {
            if block == func.entry() {
                continue;
            }
            let params = func.blocks[block].params.clone();
            let mut pointers = Vec::new();
            for (index, param) in params.into_iter().enumerate() {
                let ty = match extents.forms[param] {
                    Form::Absolute => Type::I64,
                    Form::Relative => Type::I32,
                    Form::Undefined | Form::None => continue,
                };
                let parts = [func.add_param(block, ty), func.add_param(block, ty)];
                extents.known[param] = Some(extent(ty, parts));
                pointers.push(index);
            }
            if !pointers.is_empty() {
                extents.joins.insert(block, pointers);
            }
        }
        extents
    }

    /// Visits all blocks. Returns true if the form of a pointer has changed.
    fn visit_blocks(&mut self, func: &Function, cfg: &Cfg) -> bool {
        let mut changed = false;
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.result(inst).filter(|&value| is_pointer(func, value)) {
                    let form = self.form_of_inst(func, &func.insts[inst], func.ty(result));
                    changed |= self.update(result, form);
                }
                func.insts[inst].for_each_target(|call| {
                    for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                        if is_pointer(func, param) {
                            let form = self.form(func, arg);
                            changed |= self.update(param, form);
                        }
                    }
                });
            }
        }
        changed
    }

    fn update(&mut self, value: Value, form: Form) -> bool {
        let met = self.forms[value].meet(form);
        std::mem::replace(&mut self.forms[value], met) != met
    }

    fn form(&self, func: &Function, value: Value) -> Form {
        match func.def(value) {
            ValueDef::Const(Constant::Undef) => Form::Undefined,
            ValueDef::Const(Constant::Bits(_)) => form_of_space(func.ty(value)),
            _ => self.forms[value],
        }
    }

    fn form_of_inst(&self, func: &Function, data: &InstData, ty: Type) -> Form {
        match *data {
            InstData::PtrAdd { ptr, .. } => self.form(func, ptr),
            InstData::Select { args: [_, then, otherwise] } => {
                self.form(func, then).meet(self.form(func, otherwise))
            }
            InstData::Convert { op: ConvertOp::SpaceCast, arg } => {
                let form = self.form(func, arg);
                match (form, form_of_space(ty)) {
                    // A generic pointer has the form of the pointer that it was converted from.
                    _ if ty.space() == Some(AddressSpace::Generic) => form,
                    (form, wanted) if form == wanted => form,
                    (Form::Undefined, _) => Form::Undefined,
                    (_, wanted) => wanted,
                }
            }
            // Pointers that the driver passes to kernels are not checked.
            InstData::WorkItem { .. } => Form::None,
            _ => form_of_space(ty),
        }
    }

    /// Returns the extent of a pointer; `None` if the pointer is not checked.
    pub fn of(&self, func: &mut Function, value: Value) -> Option<Extent> {
        let ValueDef::Const(constant) = func.def(value) else { return self.known[value] };
        let form = form_of_space(func.ty(value));
        Some(self.of_constant(func, form, constant))
    }

    /// Returns the extent of a constant pointer. Null has an empty object; another constant may point anywhere.
    fn of_constant(&self, func: &mut Function, form: Form, constant: Constant) -> Extent {
        let ty = if form == Form::Relative { Type::I32 } else { Type::I64 };
        let zero = func.constant(ty, 0);
        match constant {
            Constant::Bits(0) => extent(ty, [zero, zero]),
            _ => extent(ty, [zero, func.constant(ty, u64::MAX)]),
        }
    }

    /// Computes the extents of the function's parameters.
    pub fn begin(&mut self, c: &mut Cursor<'_>) {
        for param in c.func.params().to_vec() {
            if is_pointer(c.func, param) {
                let extent = self.of_root(c, param);
                self.known[param] = extent;
            }
        }
    }

    /// Computes the extent of a pointer that was just defined; does nothing for other values.
    pub fn define(&mut self, c: &mut Cursor<'_>, value: Value) {
        if !is_pointer(c.func, value) {
            return;
        }
        let form = self.forms[value];
        if matches!(form, Form::None | Form::Undefined) {
            return;
        }
        let extent = match c.func.def_inst(value).cloned() {
            Some(InstData::PtrAdd { ptr, offset, .. }) => match self.of(c.func, ptr) {
                Some(Extent::Relative { offset: before, size }) => {
                    let by = c.resize(offset, Type::I32, true);
                    let offset = c.binary(BinaryOp::IAdd, before, by);
                    Some(Extent::Relative { offset, size })
                }
                extent => extent,
            },
            Some(InstData::Select { args: [cond, then, otherwise] }) => {
                let parts = [then, otherwise].map(|arg| self.parts(c.func, arg, form));
                let parts = [0, 1].map(|part| c.select(cond, parts[0][part], parts[1][part]));
                Some(of_form(form, parts))
            }
            Some(InstData::Convert { op: ConvertOp::SpaceCast, arg })
                if self.form(c.func, arg) == form =>
            {
                self.of(c.func, arg)
            }
            Some(InstData::Alloca { size, .. }) => {
                let zero = c.iconst(Type::I32, 0);
                Some(Extent::Relative { offset: zero, size: c.iconst(Type::I32, size as i64) })
            }
            Some(InstData::GlobalAddr { global }) => Some(self.of_variable(c, value, global)),
            Some(InstData::LoadArg { arg, offset: 0 }) => self.of_argument(c, value, arg),
            _ => self.of_root(c, value),
        };
        self.known[value] = extent;
    }

    fn of_variable(&self, c: &mut Cursor<'_>, value: Value, global: Global) -> Extent {
        let size = self.sizes[global] as i64;
        match form_of_space(c.ty(value)) {
            Form::Relative => {
                let zero = c.iconst(Type::I32, 0);
                Extent::Relative { offset: zero, size: c.iconst(Type::I32, size) }
            }
            _ => {
                let start = c.convert(ConvertOp::PtrToInt, value, Type::I64);
                Extent::Absolute { start, size: c.iconst(Type::I64, size) }
            }
        }
    }

    /// Returns the extent of a kernel's argument, which the launch's check area contains.
    fn of_argument(&self, c: &mut Cursor<'_>, value: Value, arg: u32) -> Option<Extent> {
        let index = arg as usize;
        let kind = self.kernel.and_then(|kernel| kernel.args.get(index)).map(|arg| arg.kind);
        if index >= checks::ARGUMENTS {
            return self.of_root(c, value);
        }
        let at = checks::HEADER_BYTES + 16 * index + 8;
        match kind {
            Some(ArgKind::Buffer) => {
                let [start, size] = [at - 8, at].map(|at| {
                    let place = c.ptr_add_const(self.area, at as i64);
                    c.load(Type::I64, place, 8, MemFlags::INVARIANT)
                });
                Some(Extent::Absolute { start, size })
            }
            Some(ArgKind::Local { .. }) => {
                let size = c.ptr_add_const(self.area, at as i64);
                let size = c.load(Type::I32, size, 8, MemFlags::INVARIANT);
                Some(Extent::Relative { offset: c.iconst(Type::I32, 0), size })
            }
            Some(ArgKind::Value { .. }) => self.of_root(c, value),
            _ => None,
        }
    }

    /// Returns the extent of a pointer of unknown origin, which is looked up.
    fn of_root(&self, c: &mut Cursor<'_>, value: Value) -> Option<Extent> {
        if form_of_space(c.ty(value)) != Form::Absolute {
            return None;
        }
        let address = c.convert(ConvertOp::PtrToInt, value, Type::I64);
        let found = c.call(self.find, &[self.area, address], Some(Type::vector(Scalar::I64, 2)))?;
        Some(Extent::Absolute { start: c.extract(found, 0), size: c.extract(found, 1) })
    }

    /// Returns the values of an extent. A pointer without an extent has that of all memory.
    fn parts(&self, func: &mut Function, value: Value, form: Form) -> [Value; 2] {
        let extent = match func.def(value) {
            ValueDef::Const(constant) => self.of_constant(func, form, constant),
            _ => self.known[value].unwrap_or_else(|| self.of_constant(func, form, Constant::Undef)),
        };
        extent.parts()
    }

    /// Passes the extents of pointers as arguments to blocks that select extents.
    pub fn pass_on(&self, func: &mut Function) {
        for block in func.layout.clone() {
            let Some(inst) = func.terminator(block) else { continue };
            let mut data = func.insts[inst].clone();
            data.for_each_target_mut(|call| {
                let Some(pointers) = self.joins.get(&call.block) else { return };
                for &index in pointers {
                    let param = func.blocks[call.block].params[index];
                    let parts = self.parts(func, call.args[index], self.forms[param]);
                    call.args.extend(parts);
                }
            });
            func.replace_inst(inst, data);
        }
    }
}

/// Returns the form of extents of a pointer type, by its address space.
fn form_of_space(ty: Type) -> Form {
    match ty.space() {
        Some(AddressSpace::Local | AddressSpace::Private) => Form::Relative,
        _ => Form::Absolute,
    }
}

fn of_form(form: Form, parts: [Value; 2]) -> Extent {
    let ty = if form == Form::Relative { Type::I32 } else { Type::I64 };
    extent(ty, parts)
}

fn extent(ty: Type, [first, size]: [Value; 2]) -> Extent {
    match ty == Type::I32 {
        true => Extent::Relative { offset: first, size },
        false => Extent::Absolute { start: first, size },
    }
}
