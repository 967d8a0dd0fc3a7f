//! Lowering of one function: its parameters, locals, labels, and the state that statements and
//! expressions share.

use super::returns::PendingExit;
use super::{types, Context, Origin};
use crate::ir::Addr;
use crate::ir::{self, AddressSpace, Block, Builder, OpFlags, Type};
use crate::library::{self, Unit};
use crate::quirks::denormals;
use crate::sema::hir::{self, FunctionId, LabelId, LocalId};
use crate::sema::types::{Scalar as Name, TypeId, TypeKind, Types};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Returns the types of a function's parameters and result in the IR. A record result is written
/// through a hidden first pointer; record parameters are pointers to copies that the callee owns.
pub fn signature(module: &hir::Module, function: &hir::Function) -> (Vec<Type>, Option<Type>) {
    let private = Type::ptr(AddressSpace::Private);
    let mut params = Vec::new();
    if types::is_record(&module.types, function.ret) {
        params.push(private);
    }
    for &param in &function.params {
        let ty = function.locals[param].ty;
        params.push(types::value_type(&module.types, ty).unwrap_or(private));
    }
    (params, types::value_type(&module.types, function.ret))
}

/// Lowers the body of a function into its shell.
pub fn lower_function(context: &mut Context, origin: Origin, id: FunctionId, func: ir::Func) {
    let module = context.module(origin);
    let source = &module.functions[id];
    let empty = ir::Function::new("", &[], None);
    let mut shell = std::mem::replace(&mut context.out.functions[func], empty);
    context.begin_locations(&mut shell, origin, source.span, &source.name);
    let flags = float_flags(context, origin, source);
    let mut lowering = Lowering {
        hir: module,
        origin,
        source,
        context,
        b: Builder::new(&mut shell),
        locals: FxHashMap::default(),
        labels: FxHashMap::default(),
        jump_targets: Vec::new(),
        switches: Vec::new(),
        result: None,
        leaving: None,
        may_contract: origin == Origin::User && !source.no_contract,
    };
    lowering.b.flags = flags;
    lowering.bind_params();
    lowering.prepare_leaving();
    lowering.stmts(source.body.as_deref().unwrap_or_default());
    lowering.finish();
    remove_unreachable(&mut shell);
    if origin == Origin::User && context.target.emulates_denormals(context.options) {
        let library = library::unit(Unit::Double, context.target);
        denormals::run(&mut shell, &mut |name| {
            let id = *library.functions.get(&format!("__{name}_f64"))?;
            Some(context.function(Origin::Library(Unit::Double), id, source.span))
        });
    }
    context.out.functions[func] = shell;
}

/// Returns the flags of a function's float operations. The library's operations are exact as written; the program's may
/// be relaxed, and with `-cl-mad-enable` contracted across statements.
fn float_flags(context: &Context, origin: Origin, source: &hir::Function) -> OpFlags {
    match origin {
        Origin::Library(_) => OpFlags::NO_CONTRACT,
        Origin::User => {
            let mut flags = OpFlags::empty();
            let contracts_all = context.options.mad_enable && !source.no_contract;
            flags.set(OpFlags::NO_CONTRACT, !contracts_all);
            flags.set(OpFlags::FAST, context.options.fast_relaxed_math);
            flags
        }
    }
}

/// The targets of `break` and `continue`; a switch has none for `continue`, which belongs to the loop around it.
pub struct JumpTargets {
    pub on_break: Block,
    pub on_continue: Option<Block>,
}

/// Blocks of a switch's labels.
pub struct SwitchLabels {
    pub cases: Vec<Block>,
    pub default: Block,
}

/// The lowering of one function.
pub struct Lowering<'m, 'a> {
    pub(super) context: &'m mut Context<'a>,
    pub hir: &'a hir::Module,
    pub(super) origin: Origin,
    pub source: &'a hir::Function,
    pub b: Builder<'m>,
    locals: FxHashMap<LocalId, Addr>,
    labels: FxHashMap<LabelId, Block>,
    pub jump_targets: Vec<JumpTargets>,
    pub switches: Vec<SwitchLabels>,
    /// The address to which a record result is written.
    pub result: Option<Addr>,
    /// The state of work-items that leave loops, in programs that use sub-groups.
    pub leaving: Option<PendingExit>,
    /// True if products and sums of the same expression may be contracted.
    pub may_contract: bool,
}

impl<'a> Lowering<'_, 'a> {
    pub fn types(&self) -> &'a Types {
        &self.hir.types
    }

    /// Returns the element and the number of components of a numeric type; int and 1 for other types.
    pub fn numeric(&self, ty: TypeId) -> (Name, u8) {
        self.types().numeric(ty).unwrap_or((Name::Int, 1))
    }

    /// Returns the IR type of values of a type; I32 where there can be none (after errors).
    pub fn value_type(&self, ty: TypeId) -> Type {
        types::value_type(self.types(), ty).unwrap_or(Type::I32)
    }

    pub fn is_record(&self, ty: TypeId) -> bool {
        types::is_record(self.types(), ty)
    }

    pub fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.types().kind(ty), TypeKind::Void | TypeKind::Error)
    }

    pub fn error(&mut self, span: Span, message: String) {
        self.context.diags.error(span, message);
    }

    fn bind_params(&mut self) {
        let mut values = self.b.func.params().to_vec().into_iter();
        if self.is_record(self.source.ret) {
            let align = types::layout(self.types(), self.source.ret).1;
            self.result = values.next().map(|ptr| Addr::new(ptr, align));
        }
        for (&local, value) in self.source.params.iter().zip(values) {
            let ty = self.source.locals[local].ty;
            if self.is_record(ty) {
                let align = types::layout(self.types(), ty).1;
                self.locals.insert(local, Addr::new(value, align));
            } else {
                let addr = self.local(local);
                self.b.write(addr, value);
            }
        }
    }

    /// Returns the memory of a local, made on first use.
    pub fn local(&mut self, id: LocalId) -> Addr {
        if let Some(&addr) = self.locals.get(&id) {
            return addr;
        }
        let addr = match self.source.locals.get(id) {
            Some(local) => {
                let (size, align) = types::layout(self.types(), local.ty);
                let outer = self.enter(local.span);
                let addr = self.b.private_memory(size, align.max(local.align));
                self.stand_back(outer);
                addr
            }
            None => self.b.private_memory(8, 8),
        };
        self.locals.insert(id, addr);
        addr
    }

    /// Returns the address of new private memory for an object of a type.
    pub fn temporary(&mut self, ty: TypeId) -> Addr {
        let (size, align) = types::layout(self.types(), ty);
        self.b.private_memory(size, align)
    }

    pub fn label(&mut self, label: LabelId) -> Block {
        if let Some(&block) = self.labels.get(&label) {
            return block;
        }
        let block = self.b.new_block();
        self.labels.insert(label, block);
        block
    }

    /// Ends the current block with a jump unless it has ended, and continues in `block`.
    pub fn fall_into(&mut self, block: Block) {
        if !self.b.is_terminated() {
            self.b.jump(block, &[]);
        }
        self.b.switch_to(block);
    }

    /// Jumps to `block`, and continues in a new block that nothing reaches yet.
    pub fn jump_away(&mut self, block: Block) {
        if !self.b.is_terminated() {
            self.b.jump(block, &[]);
        }
        let rest = self.b.new_block();
        self.b.switch_to(rest);
    }

    /// Ends every open block with a return; its value is undefined, since the end of the function was reached.
    fn finish(&mut self) {
        if !self.b.is_terminated() {
            let value = self.b.func.ret().map(|ty| self.b.undef(ty));
            self.b.ret(value);
        }
        for block in self.b.func.layout.clone() {
            self.b.switch_to(block);
            if !self.b.is_terminated() {
                self.b.unreachable();
            }
        }
    }
}

/// Removes blocks that cannot be reached from the layout.
fn remove_unreachable(function: &mut ir::Function) {
    let mut reached = vec![false; function.blocks.len()];
    let mut stack = vec![function.entry()];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut reached[block.as_u32() as usize], true) {
            stack.extend(function.successors(block));
        }
    }
    function.layout.retain(|block| reached[block.as_u32() as usize]);
}
