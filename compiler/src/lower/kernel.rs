//! Kernel entries: a function without parameters that reads the arguments and calls the body.

use super::{types, Context, Origin};
use crate::ir::{
    self, Addr, AddressSpace, Builder, Gathering, KernelEntry, MemFlags, Scalar, Type, Value,
};
use crate::kernel::{Arg, ArgAddress, ArgKind, ImageType};
use crate::sema::hir::{ArgInfo, FunctionId, KernelInfo};
use crate::sema::types::{TypeId, TypeKind, Types, QUEUE, SAMPLER};

/// The least alignment in bytes of local memory arguments, since programs cast them to pointers to wider types.
const LOCAL_ARG_ALIGN: u32 = 16;
/// The most bytes of a parameter, which is more than any device allows for all arguments.
const MAX_ARG_SIZE: u64 = 16384;

/// Makes the entry of a kernel; the body is lowered as a function like any other.
pub(super) fn lower_entry(context: &mut Context, id: FunctionId, info: &KernelInfo) {
    let module = context.user;
    let source = &module.functions[id];
    let body = context.function(Origin::User, id, source.span);
    let mut entry = ir::Function::new(source.name.clone(), &[], None);
    context.begin_locations(&mut entry, Origin::User, source.span, &source.name);
    let mut reader = ArgReader { types: &module.types, b: Builder::new(&mut entry) };
    let mut values = Vec::new();
    let mut args = Vec::new();
    let mut locals = 0;
    let mut pointee_alignments = Vec::new();
    for (index, &param) in source.params.iter().enumerate() {
        let local = &source.locals[param];
        match classify(&module.types, local.ty, &mut locals) {
            Some(kind) => args.push(describe(info.args.get(index), &local.name, kind)),
            None => {
                let message =
                    format!("the type of kernel parameter '{}' is not supported", local.name);
                context.diags.error(local.span, message);
            }
        }
        pointee_alignments.push(match module.types.kind(local.ty) {
            TypeKind::Pointer(pointer) => module.types.align(pointer.pointee),
            _ => 0,
        });
        values.push(reader.read(index as u32, local.ty));
    }
    reader.b.call(body, &values, None);
    reader.b.ret(None);
    let func = context.out.functions.push(entry);
    context.entries.insert(id, func);
    let user = context.user;
    let all_meet = user.uses_subgroups && !user.parts_meet && !context.separate;
    context.out.kernels.push(KernelEntry {
        func,
        name: source.name.clone(),
        args,
        required_local_size: info.required_local_size,
        local_size_hint: info.local_size_hint,
        required_subgroup_size: context.target.required_subgroup_size(info.required_subgroup_size),
        // OpenCL C has no attribute for it.
        required_subgroups: None,
        gathering: if all_meet { Gathering::Whole } else { Gathering::Some },
        attributes: info.attributes.clone(),
        arg_info: context.options.kernel_arg_info,
        is_block: info.is_block,
        pointee_alignments,
        access: Vec::new(),
    });
}

/// Returns how an argument of a type is passed; `None` for types that cannot be passed.
fn classify(types: &Types, ty: TypeId, locals: &mut u32) -> Option<ArgKind> {
    match types.kind(ty) {
        TypeKind::Pointer(pointer) => match pointer.space {
            AddressSpace::Global | AddressSpace::Constant => Some(ArgKind::Buffer),
            AddressSpace::Local => {
                let ordinal = *locals;
                *locals += 1;
                let align = types.align(pointer.pointee).max(LOCAL_ARG_ALIGN);
                Some(ArgKind::Local { ordinal, align })
            }
            _ => None,
        },
        &TypeKind::Image(ImageType { dim, depth, access }) => {
            Some(ArgKind::Image { dim, depth, access })
        }
        &TypeKind::Pipe(packet, access) => {
            let size = types.size(packet).filter(|&size| size <= MAX_ARG_SIZE)?;
            Some(ArgKind::Pipe { access, packet: size as u32 })
        }
        TypeKind::Opaque(SAMPLER) => Some(ArgKind::Sampler),
        TypeKind::Opaque(QUEUE) => Some(ArgKind::Queue),
        TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Record(_) => {
            let size = types.size(ty).filter(|&size| size <= MAX_ARG_SIZE)?;
            Some(ArgKind::Value { size: size as u32 })
        }
        _ => None,
    }
}

fn describe(info: Option<&ArgInfo>, name: &str, kind: ArgKind) -> Arg {
    let address = match info.map(|info| info.address) {
        Some(AddressSpace::Global) => ArgAddress::Global,
        Some(AddressSpace::Local) => ArgAddress::Local,
        Some(AddressSpace::Constant) => ArgAddress::Constant,
        _ => ArgAddress::Private,
    };
    Arg {
        name: info.map_or(name, |info| &info.name).to_string(),
        type_name: info.map_or_else(String::new, |info| info.type_name.clone()),
        kind,
        address,
        is_const: info.is_some_and(|info| info.is_const),
        is_restrict: info.is_some_and(|info| info.is_restrict),
        is_volatile: info.is_some_and(|info| info.is_volatile),
    }
}

/// A reader of arguments: values are read directly, records leaf by leaf into private memory.
struct ArgReader<'a> {
    types: &'a Types,
    b: Builder<'a>,
}

impl ArgReader<'_> {
    fn read(&mut self, arg: u32, ty: TypeId) -> Value {
        if let Some(value) = types::value_type(self.types, ty) {
            return self.load(arg, value, 0);
        }
        let (size, align) = types::layout(self.types, ty);
        let copy = Addr::new(self.b.alloca(size.max(1), align), align);
        if size <= MAX_ARG_SIZE {
            self.read_record(arg, ty, copy, 0);
        }
        copy.ptr
    }

    /// Loads an argument. Bools are passed as bytes.
    fn load(&mut self, arg: u32, ty: Type, offset: u32) -> Value {
        let memory = ty.in_memory();
        let value = self.b.load_arg(memory, arg, offset);
        if memory == ty {
            return value;
        }
        let zero = self.b.iconst(memory, 0);
        self.b.icmp(ir::IntCC::Ne, value, zero)
    }

    fn read_record(&mut self, arg: u32, ty: TypeId, object: Addr, offset: u32) {
        if let Some(value) = types::value_type(self.types, ty) {
            return self.copy_leaf(arg, value.in_memory(), object, offset);
        }
        let (size, align) = types::layout(self.types, ty);
        match self.types.kind(ty) {
            TypeKind::Array(element, Some(n)) => {
                let stride = types::layout(self.types, *element).0 as u32;
                for i in 0..*n as u32 {
                    self.read_record(arg, *element, object, offset + i * stride);
                }
            }
            TypeKind::Record(id) if self.types.records[*id].is_union => {
                let chunk = Type::of(Scalar::int(8 * align.min(8)));
                for i in 0..size as u32 / chunk.bytes() {
                    self.copy_leaf(arg, chunk, object, offset + i * chunk.bytes());
                }
            }
            TypeKind::Record(id) => {
                for field in &self.types.records[*id].fields {
                    self.read_record(arg, field.ty, object, offset + field.offset);
                }
            }
            _ => {}
        }
    }

    fn copy_leaf(&mut self, arg: u32, ty: Type, object: Addr, offset: u32) {
        let value = self.b.load_arg(ty, arg, offset);
        let ptr = self.b.ptr_add_const(object.ptr, i64::from(offset));
        let align = match offset {
            0 => object.align,
            n => object.align.min(1 << n.trailing_zeros().min(16)),
        };
        self.b.store(ptr, value, align, MemFlags::empty());
    }
}
