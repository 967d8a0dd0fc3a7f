//! Entry points: execution modes, and kernels that read their arguments and call their functions.

use super::module::{Decoder, Entity};
use super::types::{Kind, Leaf, Ty};
use super::words::{string, Inst};
use crate::ir::{self, AddressSpace, Builder, KernelEntry, Type, Value};
use crate::kernel::{Arg, ArgAddress, ArgKind};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, Op};

/// Local memory arguments are aligned at least this far, as programs cast them to wider types.
const LOCAL_ARG_ALIGN: u32 = 16;
/// More bytes than any device takes as arguments; a larger parameter is refused.
const MAX_ARG_SIZE: u64 = 16384;

/// An entry point with its execution modes.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryPoint {
    function: u32,
    name: String,
    required_local_size: Option<[u32; 3]>,
    local_size_hint: Option<[u32; 3]>,
    vec_type_hint: Option<String>,
    pub(super) contraction_off: bool,
}

/// Reads OpEntryPoint and execution modes.
pub(super) fn instruction(m: &mut Decoder<'_>, inst: &Inst<'_>) -> Result<(), String> {
    if inst.op == Op::EntryPoint {
        if ExecutionModel::from_u32(inst.arg(0)?) != Some(ExecutionModel::Kernel) {
            return Err("entry points are kernels".to_string());
        }
        let (name, _) = string(inst.rest(2));
        if m.entry_points.iter().any(|entry| entry.name == name) {
            return Err(format!("there are two kernels '{name}'"));
        }
        let function = inst.arg(1)?;
        m.entry_points.push(EntryPoint { function, name, ..EntryPoint::default() });
        return Ok(());
    }
    let [function, mode] = inst.get()?;
    let mode = ExecutionMode::from_u32(mode).ok_or("unknown execution mode")?;
    let target = m.out.target();
    let keeps = |width: u32, rule: [bool; 3]| match width {
        16 => rule[0],
        32 => rule[1],
        _ => rule[2],
    };
    let mut entries: Vec<&mut EntryPoint> =
        m.entry_points.iter_mut().filter(|entry| entry.function == function).collect();
    if entries.is_empty() {
        return Err(format!("%{function} is not an entry point"));
    }
    for entry in &mut entries {
        match mode {
            ExecutionMode::LocalSize => entry.required_local_size = Some(inst_sizes(inst)?),
            ExecutionMode::LocalSizeHint => entry.local_size_hint = Some(inst_sizes(inst)?),
            ExecutionMode::VecTypeHint => entry.vec_type_hint = Some(vec_type(inst.arg(2)?)?),
            ExecutionMode::ContractionOff => entry.contraction_off = true,
            // Numbers and NaN are kept wherever the device can.
            ExecutionMode::SignedZeroInfNanPreserve | ExecutionMode::RoundingModeRTE => {}
            ExecutionMode::DenormPreserve => {
                let floats = target.float_traits.map(|traits| traits.keeps_denormals);
                if !keeps(inst.arg(2)?, floats) {
                    return Err("the device does not preserve denormals".to_string());
                }
            }
            ExecutionMode::DenormFlushToZero => {}
            _ => return Err(format!("execution mode {mode:?} is not supported")),
        }
    }
    Ok(())
}

fn inst_sizes(inst: &Inst<'_>) -> Result<[u32; 3], String> {
    let [_, _, x, y, z] = inst.get()?;
    Ok([x, y, z])
}

/// The hint's name: in the upper half the number of components, in the lower the type (SPIR-V 3.6).
fn vec_type(hint: u32) -> Result<String, String> {
    const NAMES: [&str; 7] = ["char", "short", "int", "long", "half", "float", "double"];
    let name = NAMES.get((hint & 0xFFFF) as usize).ok_or("unknown vector type")?;
    Ok(match hint >> 16 {
        0 | 1 => (*name).to_string(),
        lanes => format!("{name}{lanes}"),
    })
}

impl EntryPoint {
    /// Returns the attributes as CL_KERNEL_ATTRIBUTES reports them.
    fn attributes(&self) -> String {
        let sizes = |name: &str, size: Option<[u32; 3]>| {
            size.map(|[x, y, z]| format!("{name}({x},{y},{z})"))
        };
        let hint = self.vec_type_hint.as_ref().map(|name| format!("vec_type_hint({name})"));
        let attributes = [
            sizes("reqd_work_group_size", self.required_local_size),
            sizes("work_group_size_hint", self.local_size_hint),
            hint,
        ];
        attributes.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Makes the kernels' entries.
pub(super) fn make_entries(m: &mut Decoder<'_>) -> Result<(), String> {
    for entry in m.entry_points.clone() {
        let located = |message| format!("kernel '{}': {message}", entry.name);
        make_entry(m, &entry).map_err(located)?;
    }
    Ok(())
}

fn make_entry(m: &mut Decoder<'_>, entry: &EntryPoint) -> Result<(), String> {
    let info = m.functions.get(&entry.function).cloned();
    let info = info.filter(|info| !info.is_imported).ok_or("its function is not defined")?;
    if *m.types.kind(info.ret) != Kind::Void {
        return Err("its function has a result".to_string());
    }
    m.reach(entry.function);
    let names = argument_strings(m, "kernel_arg_type", &entry.name);
    let qualifiers = argument_strings(m, "kernel_arg_type_qual", &entry.name);
    let mut function = ir::Function::new(entry.name.clone(), &[], None);
    let mut b = Builder::new(&mut function);
    let (mut values, mut args, mut pointee_alignments) = (Vec::new(), Vec::new(), Vec::new());
    let mut locals = 0;
    for (index, &(param, ty)) in info.params.iter().enumerate() {
        let located = |message: String| format!("parameter {index}: {message}");
        let object = m.by_value(param, ty).map_err(located)?;
        let kind = classify(m, param, object.unwrap_or(ty), object.is_some(), &mut locals);
        let kind = kind.map_err(located)?;
        read(m, &mut b, index as u32, (ty, object), &mut values).map_err(located)?;
        let is_buffer = kind == ArgKind::Buffer;
        pointee_alignments.push(if is_buffer { m.alignment(param).unwrap_or(0) } else { 0 });
        let type_name = names.get(index).cloned();
        let qualifiers = qualifiers.get(index).cloned().unwrap_or_default();
        args.push(describe(m, (param, ty), kind, type_name, &qualifiers));
    }
    b.call(info.func, &values, None);
    b.ret(None);
    let func = m.out.module().functions.push(function);
    let arg_info = m.out.options().kernel_arg_info || !names.is_empty() || args.is_empty();
    m.out.module().kernels.push(KernelEntry {
        func,
        name: entry.name.clone(),
        args,
        required_local_size: entry.required_local_size,
        local_size_hint: entry.local_size_hint,
        required_subgroup_size: None,
        attributes: entry.attributes(),
        arg_info,
        pointee_alignments,
    });
    Ok(())
}

/// Returns how an argument is passed: an object, or a pointer to one that the launch gives.
fn classify(
    m: &Decoder<'_>,
    param: u32,
    ty: Ty,
    is_object: bool,
    locals: &mut u32,
) -> Result<ArgKind, String> {
    let refuse = || Err("its type is not supported for kernels".to_string());
    match *m.types.kind(ty) {
        Kind::Pointer { space, .. } if !is_object => match space {
            AddressSpace::Global | AddressSpace::Constant => Ok(ArgKind::Buffer),
            AddressSpace::Local => {
                let ordinal = *locals;
                *locals += 1;
                let pointee = m.types.pointee(ty)?;
                let align = m.types.align(pointee).max(m.alignment(param).unwrap_or(1));
                Ok(ArgKind::Local { ordinal, align: align.max(LOCAL_ARG_ALIGN) })
            }
            _ => refuse(),
        },
        Kind::Image(image) => {
            Ok(ArgKind::Image { dim: image.dim, depth: image.depth, access: image.access })
        }
        Kind::Sampler => Ok(ArgKind::Sampler),
        Kind::Value(Type::BOOL) | Kind::Pointer { .. } => refuse(),
        Kind::Value(_) | Kind::Struct { .. } | Kind::Array { .. } => {
            let size = m.types.size(ty)?;
            match size <= MAX_ARG_SIZE {
                true => Ok(ArgKind::Value { size: size as u32 }),
                false => Err(format!("{size} bytes are too many")),
            }
        }
        _ => refuse(),
    }
}

/// Reads an argument; an object passed by value into private memory.
fn read(
    m: &Decoder<'_>,
    b: &mut Builder<'_>,
    arg: u32,
    (ty, object): (Ty, Option<Ty>),
    values: &mut Vec<Value>,
) -> Result<(), String> {
    let Some(object) = object else {
        for leaf in m.types.leaves(ty)? {
            values.push(load(b, arg, leaf));
        }
        return Ok(());
    };
    let (size, align) = (m.types.size(object)?, m.types.align(object));
    let copy = b.private_memory(size, align);
    for part in object_parts(m, object, size, align) {
        let value = b.load_arg(part.ty, arg, part.offset as u32);
        let to = b.offset(copy, part.offset);
        b.store(to.ptr, value, to.align, to.flags);
    }
    values.push(copy.ptr);
    Ok(())
}

/// Returns parts that cover an object of at most [`MAX_ARG_SIZE`] bytes.
fn object_parts(m: &Decoder<'_>, ty: Ty, size: u64, align: u32) -> Vec<Leaf> {
    if let Some(parts) = super::memory::parts(&m.types, ty, size, MAX_ARG_SIZE) {
        return parts;
    }
    let chunk = Type::of(ir::Scalar::int(8 * align.min(8)));
    let step = u64::from(chunk.bytes());
    (0..size / step).map(|i| Leaf { ty: chunk, offset: i * step }).collect()
}

/// Bools come as bytes.
fn load(b: &mut Builder<'_>, arg: u32, leaf: Leaf) -> Value {
    let memory = leaf.ty.in_memory();
    let value = b.load_arg(memory, arg, leaf.offset as u32);
    match memory == leaf.ty {
        true => value,
        false => b.is_nonzero(value),
    }
}

/// Returns what compilers say of a kernel's arguments in a string `WHAT.KERNEL.ITEM,ITEM,`.
fn argument_strings(m: &Decoder<'_>, what: &str, kernel: &str) -> Vec<String> {
    let prefix = format!("{what}.{kernel}.");
    let strings = m.entities.values().filter_map(|entity| match entity {
        Entity::String(text) => text.strip_prefix(&prefix),
        _ => None,
    });
    let Some(list) = strings.into_iter().next() else { return Vec::new() };
    let list = list.strip_suffix(',').unwrap_or(list);
    list.split(',').map(str::to_string).collect()
}

fn describe(
    m: &Decoder<'_>,
    (param, ty): (u32, Ty),
    kind: ArgKind,
    type_name: Option<String>,
    qualifiers: &str,
) -> Arg {
    let address = match *m.types.kind(ty) {
        Kind::Pointer { space: AddressSpace::Global, .. } | Kind::Image(_) => ArgAddress::Global,
        Kind::Pointer { space: AddressSpace::Constant, .. } => ArgAddress::Constant,
        Kind::Pointer { space: AddressSpace::Local, .. } => ArgAddress::Local,
        _ => ArgAddress::Private,
    };
    let attributes: Vec<u32> = m.decorations.operands(param, Decoration::FuncParamAttr).collect();
    let has = |attribute: FunctionParameterAttribute| attributes.contains(&(attribute as u32));
    let says = |word: &str| qualifiers.split(' ').any(|qualifier| qualifier == word);
    Arg {
        name: m.decorations.given_name(param).to_string(),
        type_name: type_name.unwrap_or_default(),
        kind,
        address,
        is_const: says("const") || address == ArgAddress::Constant,
        is_restrict: says("restrict") || has(FunctionParameterAttribute::NoAlias),
        is_volatile: says("volatile") || m.decorations.has(param, Decoration::Volatile),
    }
}
