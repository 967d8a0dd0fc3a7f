//! Queues on the device (OpenCL C 6.15.17): their types, and the functions that no pattern describes.
//!
//! A block that is enqueued becomes a kernel. Its first argument is the address of the captured values, with arrays as a
//! whole; its local pointers follow. The kernel calls the block's function.

use super::blocks::BlockValue;
use super::convert::Context;
use super::hir::{
    Enqueue, EnqueuedBlock, EventArguments, Expr, ExprKind, FunctionId, Init, KernelInfo,
    KernelProperty, Local, LocalId, Part, Place, PlaceKind, Stmt,
};
use super::operand::{local_place, read, value};
use super::scope::Entity;
use super::types::{Field, Record, TypeId, TypeKind, CLK_EVENT, QUEUE};
use super::Sema;
use crate::device_queue::{record, MAX_CAPTURED};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{self, AddressSpace};

/// The name of the type of ranges.
pub(super) const NDRANGE: &str = "ndrange_t";

/// Byte offsets in a range (OpBuildNDRange of SPIR-V): the number of dimensions, and three sizes each.
const OFFSET: u32 = 8;
const GLOBAL: u32 = 32;
const LOCAL: u32 = 56;
const RANGE_SIZE: u64 = 80;

/// The functions that take a block, each with the property of the block's kernel that it returns.
const WITH_BLOCK: &[(&str, Option<KernelProperty>)] = &[
    ("enqueue_kernel", None),
    ("get_kernel_work_group_size", Some(KernelProperty::WorkGroupSize)),
    ("get_kernel_preferred_work_group_size_multiple", Some(KernelProperty::PreferredMultiple)),
    ("get_kernel_max_sub_group_size_for_ndrange", Some(KernelProperty::MaxSubgroupSize)),
    ("get_kernel_sub_group_count_for_ndrange", Some(KernelProperty::SubgroupCount)),
];

/// A variable that an enqueued block captured, and its place in the record.
#[derive(Debug, Clone, Copy)]
struct Captured {
    /// The copy that was made where the literal was evaluated.
    copy: LocalId,
    /// The type of the copy: a pointer, for an array.
    ty: TypeId,
    /// The type of the stored value: for an array, a record around it.
    stored: TypeId,
    is_array: bool,
    offset: u32,
}

impl Sema<'_> {
    /// Returns true if the program's kernels may enqueue other kernels.
    pub(super) fn has_device_enqueue(&self) -> bool {
        self.target.offers(self.options.std, "__opencl_c_device_enqueue")
    }

    /// Returns one of the types of queues.
    pub(super) fn device_queue_type(&mut self, name: &str) -> TypeId {
        match name {
            QUEUE => self.module.types.intern(TypeKind::Opaque(QUEUE)),
            CLK_EVENT => self.module.types.intern(TypeKind::Opaque(CLK_EVENT)),
            _ => self.ndrange_type(),
        }
    }

    fn ndrange_type(&mut self) -> TypeId {
        if let Some(ty) = self.ndrange {
            return ty;
        }
        let three = self.module.types.intern(TypeKind::Array(self.basic.ulong, Some(3)));
        let mut fields = vec![field(self.basic.uint, 0, 4)];
        fields.extend([OFFSET, GLOBAL, LOCAL].map(|offset| field(three, offset, 8)));
        let record = Record {
            name: NDRANGE.to_string(),
            fields,
            size: Some(RANGE_SIZE),
            align: 8,
            depth: 2,
            has_host_sized: true,
            ..Record::default()
        };
        let id = self.module.types.records.push(record);
        let ty = self.module.types.intern(TypeKind::Record(id));
        self.ndrange = Some(ty);
        ty
    }

    /// Analyzes a call of a function whose arguments no pattern describes; `None` if the name is not that of such a function.
    pub(super) fn device_enqueue_call(
        &mut self,
        name: Symbol,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Expr> {
        let name = self.text(name);
        if !(name.starts_with("enqueue_") || name.starts_with("get_k") || name.starts_with("ndr"))
            || !self.has_device_enqueue()
        {
            return None;
        }
        let errors = self.diags.errors();
        let call = match name {
            "enqueue_marker" => Some(self.enqueue_marker(args, span)),
            _ => self.call_with_block(name, args, span).or_else(|| self.ndrange(name, args, span)),
        };
        // If the arguments are wrong, there is no range, but an error value.
        let failed = self.diags.errors() != errors;
        call.or_else(|| failed.then(|| self.error_value(span)))
    }

    /// Analyzes a call of a function that takes a block; `None` if the name is not that of such a function.
    fn call_with_block(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let &(name, property) = WITH_BLOCK.iter().find(|(known, _)| *known == name)?;
        Some(match property {
            None => self.enqueue_kernel(args, span),
            Some(property) => self.kernel_property(name, property, args, span),
        })
    }

    /// Returns true if an expression is a block literal or the name of a block variable.
    fn is_block_expr(&self, expr: &ast::Expr) -> bool {
        match &expr.kind {
            ast::ExprKind::Block(_) => true,
            ast::ExprKind::Ident(name) => matches!(
                self.scopes.find(*name).map(|binding| &binding.entity),
                Some(Entity::Block(_))
            ),
            _ => false,
        }
    }

    /// `enqueue_kernel(queue, flags, range, [count, events, event,] block, local sizes...)`.
    fn enqueue_kernel(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        if args.len() < 4 {
            let message = format!(
                "too few arguments to function call, expected at least 4, have {}",
                args.len()
            );
            return self.fail(span, message);
        }
        let at = if self.is_block_expr(&args[3]) { 3 } else { 6 };
        let Some(block) = args.get(at).filter(|block| self.is_block_expr(block)) else {
            let message = "illegal call to 'enqueue_kernel', incorrect argument types: expected a \
                           block, or events and a block, behind the range";
            return self.fail(args[3].span, message);
        };
        let errors = self.diags.errors();
        let queue = self.typed_argument(&args[0], QUEUE);
        let flags = self.converted(&args[1], self.basic.uint, Context::Passing);
        let range = self.typed_argument(&args[2], NDRANGE);
        let events = (at == 6).then(|| self.event_arguments("enqueue_kernel", &args[3..6]));
        let mut body = Vec::new();
        let block = self.block_value(block, Some(&mut body));
        let Some(block) = block.filter(|block| self.takes_local_pointers(block, args[at].span))
        else {
            return self.error_value(span);
        };
        let sizes = &args[at + 1..];
        let params = self.block_params(block.ty).len();
        if sizes.len() != params {
            let message = "mismatch in number of block parameters and local size arguments passed";
            return self.fail(span, message);
        }
        let uint = self.basic.uint;
        let local_sizes: Vec<Expr> =
            sizes.iter().map(|size| self.converted(size, uint, Context::Passing)).collect();
        if self.diags.errors() != errors {
            return self.error_value(span);
        }
        let captured = self.captured_by(&block, args[at].span);
        let (Some(captured), Some(address)) = (captured, self.captures_pointer(span)) else {
            return self.error_value(span);
        };
        let kernel = self.block_kernel(&block, &captured, args[at].span);
        let bytes = self.bytes_of(&captured);
        let stores = captured.iter().map(|captured| self.store(captured, address, span)).collect();
        let block = EnqueuedBlock {
            kernel,
            flags,
            range,
            local_sizes,
            captured_bytes: bytes,
            captured: address,
            stores,
        };
        let enqueue = Enqueue { queue, block: Some(block), events };
        let int = self.basic.int;
        let enqueued = value(ExprKind::Enqueue(Box::new(enqueue)), int, span);
        value(ExprKind::StmtExpr { body, value: Some(Box::new(enqueued)) }, int, span)
    }

    /// `enqueue_marker(queue, count, events, event)`.
    fn enqueue_marker(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        if args.len() != 4 {
            return self.wrong_count("function", (4, args.len()), span);
        }
        let errors = self.diags.errors();
        let queue = self.typed_argument(&args[0], QUEUE);
        let events = Some(self.event_arguments("enqueue_marker", &args[1..4]));
        if self.diags.errors() != errors {
            return self.error_value(span);
        }
        let enqueue = Enqueue { queue, block: None, events };
        value(ExprKind::Enqueue(Box::new(enqueue)), self.basic.int, span)
    }

    /// Analyzes three arguments: the number of events to wait for, their list, and the pointer for the command's own event.
    fn event_arguments(&mut self, function: &str, args: &[ast::Expr]) -> EventArguments {
        let count = self.converted(&args[0], self.basic.uint, Context::Passing);
        let list = self.event_pointer(function, &args[1], false);
        let event = self.event_pointer(function, &args[2], true);
        EventArguments { count, list, event }
    }

    /// Returns a pointer to events in any address space; `None` for a null pointer.
    fn event_pointer(&mut self, function: &str, arg: &ast::Expr, is_written: bool) -> Option<Expr> {
        let arg = self.rvalue(arg);
        if self.is_null_constant(&arg) || self.is_error(arg.ty) {
            return None;
        }
        let event = self.device_queue_type(CLK_EVENT);
        let pointer = self.module.types.as_pointer(arg.ty);
        if pointer.is_some_and(|to| to.pointee == event && !(is_written && to.is_const)) {
            return Some(arg);
        }
        let message = format!(
            "illegal call to '{function}', expected 'clk_event_t *' argument type, have {}",
            self.quoted(arg.ty)
        );
        self.error(arg.span, message);
        None
    }

    /// Returns an argument, which must be of one of the types of queues.
    fn typed_argument(&mut self, arg: &ast::Expr, name: &str) -> Expr {
        let ty = self.device_queue_type(name);
        self.converted(arg, ty, Context::Passing)
    }

    fn block_params(&self, ty: TypeId) -> Vec<TypeId> {
        match self.module.types.kind(ty) {
            TypeKind::Block { params, .. } => params.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns true if a block has only local pointers as parameters and no result; otherwise reports that it cannot be
    /// enqueued.
    fn takes_local_pointers(&mut self, block: &BlockValue, span: Span) -> bool {
        let TypeKind::Block { ret, params } = self.module.types.kind(block.ty).clone() else {
            return false;
        };
        let types = &self.module.types;
        let is_local = |ty: &TypeId| {
            types.as_pointer(*ty).is_some_and(|pointer| {
                pointer.space == AddressSpace::Local && types.is_void(pointer.pointee)
            })
        };
        if !types.is_void(ret) {
            let message = "blocks used in enqueue_kernel call are expected to have no result";
            return self.fail(span, message);
        }
        if !params.iter().all(is_local) {
            let message = "blocks used in enqueue_kernel call are expected to have parameters of \
                           type 'local void*'";
            return self.fail(span, message);
        }
        true
    }

    /// Returns the variables that a block captured, with their places in the record; `None` after a diagnostic.
    fn captured_by(&mut self, block: &BlockValue, span: Span) -> Option<Vec<Captured>> {
        let mut captured = Vec::new();
        let mut end = 0u64;
        for &(copy, ty) in &block.copies {
            let pointer = self.module.types.as_pointer(ty);
            let array = pointer
                .filter(|pointer| pointer.space == AddressSpace::Private)
                .map(|pointer| pointer.pointee)
                .filter(|&pointee| self.module.types.is_array(pointee));
            let unshared = pointer.is_some_and(|pointer| {
                matches!(pointer.space, AddressSpace::Private | AddressSpace::Local)
            });
            if array.is_none() && unshared {
                let message = format!(
                    "a block that is enqueued cannot capture a pointer of type {}: its work-items do \
                     not share that memory",
                    self.quoted(ty)
                );
                return self.fail(span, message);
            }
            let stored = match array {
                Some(array) => self.record_around(array),
                None => ty,
            };
            let (size, align) = self.stored_layout(stored);
            let offset = end.next_multiple_of(u64::from(align));
            end = offset.saturating_add(size);
            if end > u64::from(MAX_CAPTURED) {
                let message =
                    format!("a block that is enqueued captures more than {MAX_CAPTURED} bytes");
                return self.fail(span, message);
            }
            let is_array = array.is_some();
            captured.push(Captured { copy, ty, stored, is_array, offset: offset as u32 });
        }
        Some(captured)
    }

    /// Returns size and alignment of a captured value. The alignment is at most that of records.
    fn stored_layout(&self, ty: TypeId) -> (u64, u32) {
        let types = &self.module.types;
        match types.kind(ty) {
            TypeKind::Image(_) => (4, 4),
            TypeKind::Pipe(..) => (8, 8),
            _ => (types.size(ty).unwrap_or(0), types.align(ty).clamp(1, record::ALIGN)),
        }
    }

    fn bytes_of(&self, captured: &[Captured]) -> u32 {
        let end = captured
            .last()
            .map_or(0, |last| last.offset + self.stored_layout(last.stored).0 as u32);
        end.next_multiple_of(record::ALIGN)
    }

    /// Returns a record with an array as its only member: records are assigned, arrays are not.
    fn record_around(&mut self, array: TypeId) -> TypeId {
        if let Some(&ty) = self.array_records.get(&array) {
            return ty;
        }
        let types = &self.module.types;
        let (size, align, depth) = (types.size(array), types.align(array), types.depth(array));
        let fields = vec![field(array, 0, align)];
        let record = Record { fields, size, align, depth, ..Record::default() };
        let id = self.module.types.records.push(record);
        let ty = self.module.types.intern(TypeKind::Record(id));
        self.array_records.insert(array, ty);
        ty
    }

    /// Returns a new variable for the address of the captured values.
    fn captures_pointer(&mut self, span: Span) -> Option<LocalId> {
        let ty = self.byte_pointer();
        self.new_local("", ty, 0, span)
    }

    fn byte_pointer(&mut self) -> TypeId {
        let char_ = self.basic.char_;
        self.module.types.pointer(char_, AddressSpace::Global)
    }

    /// Returns the place of a captured value. `address` is the variable with the address of all captured values.
    fn captured_place(&mut self, captured: &Captured, address: LocalId, span: Span) -> Place {
        let bytes = self.byte_pointer();
        let start = Box::new(read(local_place(address, bytes, span)));
        let index = Box::new(self.int_value(u64::from(captured.offset), self.basic.ulong, span));
        let add = ExprKind::PointerAdd { pointer: start, index, stride: 1, subtract: false };
        let ty = self.module.types.pointer(captured.stored, AddressSpace::Global);
        let pointer = value(ExprKind::PointerCast(Box::new(value(add, bytes, span))), ty, span);
        let align = self.stored_layout(captured.stored).1;
        let place = Place::new(PlaceKind::Deref(Box::new(pointer)), captured.stored, span);
        Place { align: Some(align), ..place }
    }

    /// Stores a captured value.
    fn store(&mut self, captured: &Captured, address: LocalId, span: Span) -> Stmt {
        let place = Box::new(self.captured_place(captured, address, span));
        let copy = read(local_place(captured.copy, captured.ty, span));
        let stored = match captured.is_array {
            false => copy,
            true => {
                let ty = self.module.types.pointer(captured.stored, AddressSpace::Private);
                let pointer = value(ExprKind::PointerCast(Box::new(copy)), ty, span);
                read(Place::new(PlaceKind::Deref(Box::new(pointer)), captured.stored, span))
            }
        };
        let kind = ExprKind::Assign { place, value: Box::new(stored) };
        Stmt::Expr(value(kind, captured.stored, span))
    }

    /// Returns the kernel of a block.
    fn block_kernel(
        &mut self,
        block: &BlockValue,
        captured: &[Captured],
        span: Span,
    ) -> FunctionId {
        if let Some(&kernel) = self.block_kernels.get(&block.function) {
            return kernel;
        }
        let name = format!("{}_kernel", self.module.functions[block.function].name);
        let kernel = self.push_kernel(&name, span);
        self.block_kernels.insert(block.function, kernel);
        self.calls[kernel].push((block.function, span));
        let bytes = self.byte_pointer();
        let address = self.kernel_local(kernel, bytes, span);
        let mut params = vec![address];
        let mut args = Vec::new();
        for ty in self.block_params(block.ty) {
            let param = self.kernel_local(kernel, ty, span);
            params.push(param);
            args.push(read(local_place(param, ty, span)));
        }
        let mut body = Vec::new();
        for captured in captured {
            let given = read(self.captured_place(captured, address, span));
            if !captured.is_array {
                args.push(given);
                continue;
            }
            let copy = self.kernel_local(kernel, captured.stored, span);
            body.push(Stmt::Declare(copy, Some(Init::Value(given))));
            let place = local_place(copy, captured.stored, span);
            let pointer = self.module.types.pointer(captured.stored, AddressSpace::Private);
            let pointer = value(ExprKind::AddressOf(Box::new(place)), pointer, span);
            args.push(value(ExprKind::PointerCast(Box::new(pointer)), captured.ty, span));
        }
        let call = ExprKind::Call { function: block.function, args };
        body.push(Stmt::Expr(value(call, self.basic.void, span)));
        let function = &mut self.module.functions[kernel];
        function.params = params;
        function.body = Some(body);
        function.kernel = Some(KernelInfo { is_block: true, ..KernelInfo::default() });
        kernel
    }

    fn kernel_local(&mut self, kernel: FunctionId, ty: TypeId, span: Span) -> LocalId {
        let align = self.module.types.align(ty);
        self.module.functions[kernel].locals.push(Local { name: String::new(), ty, align, span })
    }

    /// `get_kernel_work_group_size(block)` and its like.
    fn kernel_property(
        &mut self,
        name: &str,
        property: KernelProperty,
        args: &[ast::Expr],
        span: Span,
    ) -> Expr {
        let takes_range =
            matches!(property, KernelProperty::MaxSubgroupSize | KernelProperty::SubgroupCount);
        let count = 1 + usize::from(takes_range);
        if args.len() != count {
            return self.wrong_count("function", (count, args.len()), span);
        }
        let range = takes_range.then(|| self.typed_argument(&args[0], NDRANGE));
        let block = &args[count - 1];
        if !self.is_block_expr(block) {
            let message = format!("illegal call to '{name}', expected block argument");
            return self.fail(block.span, message);
        }
        let (at, mut body) = (block.span, Vec::new());
        let Some(block) = self.block_value(block, Some(&mut body)) else {
            return self.error_value(span);
        };
        if !self.takes_local_pointers(&block, at) {
            return self.error_value(span);
        }
        let Some(captured) = self.captured_by(&block, at) else { return self.error_value(span) };
        let kernel = self.block_kernel(&block, &captured, at);
        let range = range.map(Box::new);
        let kind = ExprKind::KernelProperty { property, kernel, range };
        let told = value(kind, self.basic.uint, span);
        let kind = ExprKind::StmtExpr { body, value: Some(Box::new(told)) };
        value(kind, self.basic.uint, span)
    }

    /// `ndrange_2D([offset,] global [, local])` and the like. The arguments are sizes for one dimension, and pointers to sizes
    /// for several.
    fn ndrange(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let dimensions = match name {
            "ndrange_1D" => 1,
            "ndrange_2D" => 2,
            "ndrange_3D" => 3,
            _ => return None,
        };
        let offsets: &[u32] = match args.len() {
            1 => &[GLOBAL],
            2 => &[GLOBAL, LOCAL],
            3 => &[OFFSET, GLOBAL, LOCAL],
            _ => {
                let message = format!("no matching function for call to '{name}'");
                return self.fail(span, message);
            }
        };
        let ty = self.ndrange_type();
        let (mut body, mut parts) = (Vec::new(), Vec::new());
        let (uint, ulong) = (self.basic.uint, self.basic.ulong);
        parts.push(Part::Value(0, self.int_value(dimensions, uint, span)));
        for (arg, &offset) in args.iter().zip(offsets) {
            if dimensions == 1 {
                parts.push(Part::Value(offset, self.converted(arg, ulong, Context::Passing)));
                continue;
            }
            let sizes = self.size_array(arg, &mut body)?;
            for d in 0..dimensions {
                let pointer = Box::new(read(local_place(sizes.0, sizes.1, span)));
                let index = Box::new(self.int_value(d, ulong, span));
                let add = ExprKind::PointerAdd { pointer, index, stride: 8, subtract: false };
                let element = PlaceKind::Deref(Box::new(value(add, sizes.1, span)));
                let size = read(Place::new(element, ulong, span));
                parts.push(Part::Value(offset + 8 * d as u32, size));
            }
        }
        let local = self.new_local("", ty, 0, span)?;
        let init = Box::new(Init::Parts { zero: true, parts });
        let range = Box::new(read(local_place(local, ty, span)));
        let built = value(ExprKind::InitThen { local, init, value: range }, ty, span);
        let kind = ExprKind::StmtExpr { body, value: Some(Box::new(built)) };
        Some(value(kind, ty, span))
    }

    /// Stores a pointer to sizes in a new variable. Returns the variable and its type; `None` after a diagnostic.
    fn size_array(&mut self, arg: &ast::Expr, body: &mut Vec<Stmt>) -> Option<(LocalId, TypeId)> {
        let arg = self.rvalue(arg);
        let (ty, span) = (arg.ty, arg.span);
        let ulong = self.basic.ulong;
        if self.module.types.as_pointer(ty).is_none_or(|pointer| pointer.pointee != ulong) {
            if !self.is_error(ty) {
                let message = format!("expected an array of 'size_t', have {}", self.quoted(ty));
                self.error(span, message);
            }
            return None;
        }
        let local = self.new_local("", ty, 0, span)?;
        body.push(Stmt::Declare(local, Some(Init::Value(arg))));
        Some((local, ty))
    }
}

/// Makes a member without a name.
fn field(ty: TypeId, offset: u32, align: u32) -> Field {
    Field { name: String::new(), ty, offset, is_const: false, is_volatile: false, align }
}
