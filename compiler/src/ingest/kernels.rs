//! Entry points: execution modes, and kernels that read their arguments and call their functions.

use super::arg_types;
use super::module::{Decoder, Entity};
use super::types::{Kind, Leaf, Ty};
use super::words::{string, Inst};
use crate::ir::{self, AddressSpace, Builder, Gathering, KernelEntry, Type, Value};
use crate::kernel::{Arg, ArgAddress, ArgKind};
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The least alignment in bytes of local memory arguments, since programs cast them to pointers to wider types.
const LOCAL_ARG_ALIGN: u32 = 16;
/// The alignment in bytes of the largest vectors.
const LARGEST_ALIGN: u32 = 128;
/// The most bytes of a parameter, which is more than any device allows for all arguments.
const MAX_ARG_SIZE: u64 = 16384;

/// An entry point with its execution modes.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryPoint {
    function: u32,
    name: String,
    required_local_size: Option<[u32; 3]>,
    local_size_hint: Option<[u32; 3]>,
    /// The sizes as ids of constants, which come later in the text.
    required_local_size_ids: Option<[u32; 3]>,
    local_size_hint_ids: Option<[u32; 3]>,
    vec_type_hint: Option<String>,
    required_subgroup_size: Option<u32>,
    required_subgroups: Option<u32>,
    /// `required_subgroups` as the id of a constant.
    required_subgroups_id: Option<u32>,
}

/// The entry points of a module.
#[derive(Debug, Default)]
pub(super) struct EntryPoints {
    list: Vec<EntryPoint>,
    names: FxHashSet<String>,
    /// The indices in `list` of each function's entry points.
    of_functions: FxHashMap<u32, Vec<usize>>,
    /// True if one of the entry points forbids contraction.
    pub(super) contraction_off: bool,
}

impl EntryPoints {
    /// Returns a name that no other kernel has: the given one, maybe with a number behind it. Numbers are tried from `first`
    /// on, most of which are unused.
    pub(super) fn unused_name(&mut self, name: &str, first: usize) -> String {
        let numbered = (first..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_string()).chain(numbered);
        let unused = names.find(|name| !self.names.contains(name));
        let unused = unused.unwrap_or_else(|| unreachable!("there are more numbers than kernels"));
        self.names.insert(unused.clone());
        unused
    }
}

/// Reads OpEntryPoint and execution modes.
pub(super) fn instruction(m: &mut Decoder<'_>, inst: &Inst<'_>) -> Result<(), String> {
    if inst.op == Op::EntryPoint {
        if ExecutionModel::from_u32(inst.arg(0)?) != Some(ExecutionModel::Kernel) {
            return Err("entry points are kernels".to_string());
        }
        let (name, _) = string(inst.rest(2));
        let entries = &mut m.entry_points;
        if !entries.names.insert(name.clone()) {
            return Err(format!("there are two kernels '{name}'"));
        }
        let function = inst.arg(1)?;
        entries.of_functions.entry(function).or_default().push(entries.list.len());
        entries.list.push(EntryPoint { function, name, ..EntryPoint::default() });
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
    let Some(indices) = m.entry_points.of_functions.get(&function) else {
        return Err(format!("%{function} is not an entry point"));
    };
    for &index in indices {
        let entry = &mut m.entry_points.list[index];
        match mode {
            ExecutionMode::LocalSize => entry.required_local_size = Some(inst_sizes(inst)?),
            ExecutionMode::LocalSizeHint => entry.local_size_hint = Some(inst_sizes(inst)?),
            ExecutionMode::LocalSizeId => entry.required_local_size_ids = Some(inst_sizes(inst)?),
            ExecutionMode::LocalSizeHintId => entry.local_size_hint_ids = Some(inst_sizes(inst)?),
            ExecutionMode::SubgroupSize => {
                let size = inst.arg(2)?;
                if target.may_require_subgroup_size(size) {
                    entry.required_subgroup_size = Some(size);
                    m.out.require_subgroup_size(size);
                } else if size != target.subgroup_size(None) {
                    return Err(format!("the device has no sub-groups of {size}"));
                }
            }
            ExecutionMode::SubgroupsPerWorkgroup => {
                entry.required_subgroups = Some(inst.arg(2)?);
            }
            ExecutionMode::SubgroupsPerWorkgroupId => {
                entry.required_subgroups_id = Some(inst.arg(2)?);
            }
            ExecutionMode::VecTypeHint => entry.vec_type_hint = Some(vec_type(inst.arg(2)?)?),
            ExecutionMode::ContractionOff => m.entry_points.contraction_off = true,
            // These modes need nothing: signed zeros, infinities and NaN are kept wherever the device can.
            ExecutionMode::SignedZeroInfNanPreserve | ExecutionMode::RoundingModeRTE => {}
            ExecutionMode::DenormPreserve => {
                let floats = target.float_traits.map(|traits| traits.keeps_denormals);
                if !keeps(inst.arg(2)?, floats) {
                    return Err("the device does not preserve denormals".to_string());
                }
            }
            _ => return Err(format!("execution mode {mode:?} is not supported")),
        }
    }
    Ok(())
}

fn inst_sizes(inst: &Inst<'_>) -> Result<[u32; 3], String> {
    let [_, _, x, y, z] = inst.get()?;
    Ok([x, y, z])
}

fn constant_sizes(m: &Decoder<'_>, ids: [u32; 3]) -> Result<[u32; 3], String> {
    let mut sizes = [0; 3];
    for (size, id) in sizes.iter_mut().zip(ids) {
        *size = constant_size(m, id)?;
    }
    Ok(sizes)
}

fn constant_size(m: &Decoder<'_>, id: u32) -> Result<u32, String> {
    let value = m.constant(id)?.value.bits().and_then(|bits| u32::try_from(bits).ok());
    value.ok_or_else(|| format!("%{id} is not a size"))
}

/// Checks that work-groups can have the number of sub-groups that a kernel asks for.
fn check_subgroups(m: &Decoder<'_>, entry: &EntryPoint) -> Result<(), String> {
    let Some(count) = entry.required_subgroups else { return Ok(()) };
    let target = m.out.target();
    if target.subgroups.is_none() {
        return Err("the device has no sub-groups".to_string());
    }
    let size = u64::from(target.subgroup_size(entry.required_subgroup_size));
    let fits = match entry.required_local_size {
        Some(local) => {
            let items = local.iter().map(|&size| u64::from(size)).try_fold(1, u64::checked_mul);
            items.is_some_and(|items| items.div_ceil(size) == u64::from(count))
        }
        // All sub-groups but the last one are full.
        None => (count.max(1) - 1) as u64 * size < u64::from(target.max_work_group_size),
    };
    match fits && count > 0 {
        true => Ok(()),
        false => Err(format!("there are no work-groups of {count} sub-groups")),
    }
}

/// Returns the type's name in a hint, whose upper half is the number of components, and whose lower half the type (SPIR-V
/// 3.6).
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
            self.required_subgroup_size.map(|size| format!("intel_reqd_sub_group_size({size})")),
        ];
        attributes.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// Makes the kernels' entries.
pub(super) fn make_entries(m: &mut Decoder<'_>) -> Result<(), String> {
    let strings = argument_strings(m);
    for mut entry in std::mem::take(&mut m.entry_points.list) {
        let name = entry.name.clone();
        if m.functions.get(&entry.function).is_some_and(|info| m.is_block_entry(info)) {
            m.entry_points.names.remove(&name);
            continue;
        }
        let located = |message: String| format!("kernel '{name}': {message}");
        let sizes = [
            (entry.required_local_size_ids, &mut entry.required_local_size),
            (entry.local_size_hint_ids, &mut entry.local_size_hint),
        ];
        for (ids, size) in sizes {
            if let Some(ids) = ids {
                *size = Some(constant_sizes(m, ids).map_err(located)?);
            }
        }
        if entry.required_local_size.is_some_and(|size| size.contains(&0)) {
            return Err(located("its work-groups have no work-items".to_string()));
        }
        if let Some(id) = entry.required_subgroups_id {
            entry.required_subgroups = Some(constant_size(m, id).map_err(located)?);
        }
        check_subgroups(m, &entry).map_err(located)?;
        make_entry(m, &entry, &strings).map_err(located)?;
    }
    Ok(())
}

fn make_entry(
    m: &mut Decoder<'_>,
    entry: &EntryPoint,
    strings: &FxHashMap<(bool, String), Vec<String>>,
) -> Result<(), String> {
    let info = m.functions.get(&entry.function).cloned();
    let info = info.filter(|info| !info.is_imported).ok_or("its function is not defined")?;
    if *m.types.kind(info.ret) != Kind::Void {
        return Err("its function has a result".to_string());
    }
    m.reach(entry.function);
    let told = |qualifiers| strings.get(&(qualifiers, entry.name.clone()));
    let names = told(false).cloned().unwrap_or_default();
    let qualifiers = told(true).cloned().unwrap_or_default();
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
        let told = names.get(index).cloned();
        let type_name =
            told.unwrap_or_else(|| arg_types::type_name(m, param, ty, object.is_some()));
        let qualifiers = qualifiers.get(index).cloned().unwrap_or_default();
        args.push(describe(m, (param, ty), kind, type_name, &qualifiers));
    }
    b.call(info.func, &values, None);
    b.ret(None);
    let func = m.out.module().functions.push(function);
    let required_subgroup_size =
        m.out.target().required_subgroup_size(entry.required_subgroup_size);
    m.out.module().kernels.push(KernelEntry {
        func,
        name: entry.name.clone(),
        args,
        required_local_size: entry.required_local_size,
        local_size_hint: entry.local_size_hint,
        required_subgroup_size,
        required_subgroups: entry.required_subgroups,
        gathering: Gathering::Some,
        attributes: entry.attributes(),
        // A module always has types, qualifiers and address spaces of arguments.
        arg_info: true,
        is_block: false,
        pointee_alignments,
        access: Vec::new(),
    });
    Ok(())
}

/// Returns how an argument is passed: as an object, or as a pointer to an object that is set before the launch.
pub(super) fn classify(
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
                let own = match m.types.is_untyped(ty) {
                    true => LARGEST_ALIGN,
                    false => m.types.align(m.types.pointee(ty)?),
                };
                let align = own.max(m.alignment(param).unwrap_or(1));
                Ok(ArgKind::Local { ordinal, align: align.max(LOCAL_ARG_ALIGN) })
            }
            _ => refuse(),
        },
        Kind::Image(image) => {
            Ok(ArgKind::Image { dim: image.dim, depth: image.depth, access: image.access })
        }
        Kind::Sampler => Ok(ArgKind::Sampler),
        Kind::Queue => Ok(ArgKind::Queue),
        // The size of packets is not in the type; instructions that read and write packets have it.
        Kind::Pipe(access) => Ok(ArgKind::Pipe { access, packet: 0 }),
        Kind::Value(Type::BOOL) | Kind::Pointer { .. } => refuse(),
        Kind::Value(_) | Kind::Struct { .. } | Kind::Array { .. } => {
            let size = m.types.size(ty)?;
            // The host has no addresses in local and private memory.
            let is_local_or_private = |leaf: &Leaf| {
                matches!(leaf.ty.space(), Some(AddressSpace::Local | AddressSpace::Private))
            };
            if m.types.leaves(ty).is_ok_and(|leaves| leaves.iter().any(is_local_or_private)) {
                return Err("it has pointers to memory of work-groups or work-items".to_string());
            }
            match size <= MAX_ARG_SIZE {
                true => Ok(ArgKind::Value { size: size as u32 }),
                false => Err(format!("{size} bytes are too many")),
            }
        }
        _ => refuse(),
    }
}

/// Reads an argument. An object that is passed by value is copied to private memory.
fn read(
    m: &mut Decoder<'_>,
    b: &mut Builder<'_>,
    arg: u32,
    (ty, object): (Ty, Option<Ty>),
    values: &mut Vec<Value>,
) -> Result<(), String> {
    let Some(object) = object else {
        let leaves = m.types.leaves(ty)?;
        m.count_parts(leaves.len())?;
        for leaf in leaves {
            values.push(load(b, arg, leaf));
        }
        return Ok(());
    };
    let (size, align) = (m.types.size(object)?, m.types.align(object));
    let copy = b.private_memory(size, align);
    let parts = object_parts(m, object, size, align);
    m.count_parts(parts.len())?;
    for part in parts {
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

/// Loads a leaf of an argument. Bools are passed as bytes.
fn load(b: &mut Builder<'_>, arg: u32, leaf: Leaf) -> Value {
    let memory = leaf.ty.in_memory();
    let value = b.load_arg(memory, arg, leaf.offset as u32);
    match memory == leaf.ty {
        true => value,
        false => b.is_nonzero(value),
    }
}

/// Returns the types' names and the qualifiers of kernels' arguments, by the kernel's name, from the strings
/// `kernel_arg_type.KERNEL.ITEM,ITEM,` that compilers write. The bool of a key is true for qualifiers.
fn argument_strings(m: &Decoder<'_>) -> FxHashMap<(bool, String), Vec<String>> {
    let mut found = FxHashMap::default();
    for entity in m.entities.values() {
        let Entity::String(text) = entity else { continue };
        let (is_qualifiers, rest) = match text.strip_prefix("kernel_arg_type_qual.") {
            Some(rest) => (true, Some(rest)),
            None => (false, text.strip_prefix("kernel_arg_type.")),
        };
        let Some((kernel, list)) = rest.and_then(|rest| rest.rsplit_once('.')) else { continue };
        let list = list.strip_suffix(',').unwrap_or(list);
        let list = list.split(',').map(str::to_string).collect();
        found.insert((is_qualifiers, kernel.to_string()), list);
    }
    found
}

fn describe(
    m: &Decoder<'_>,
    (param, ty): (u32, Ty),
    kind: ArgKind,
    type_name: String,
    qualifiers: &str,
) -> Arg {
    let address = match *m.types.kind(ty) {
        Kind::Pointer { space: AddressSpace::Global, .. } | Kind::Image(_) | Kind::Pipe(_) => {
            ArgAddress::Global
        }
        Kind::Pointer { space: AddressSpace::Constant, .. } => ArgAddress::Constant,
        Kind::Pointer { space: AddressSpace::Local, .. } => ArgAddress::Local,
        _ => ArgAddress::Private,
    };
    let attributes: Vec<u32> = m.decorations.operands(param, Decoration::FuncParamAttr).collect();
    let has = |attribute: FunctionParameterAttribute| attributes.contains(&(attribute as u32));
    let says = |word: &str| qualifiers.split(' ').any(|qualifier| qualifier == word);
    Arg {
        name: m.decorations.given_name(param).to_string(),
        type_name,
        kind,
        address,
        is_const: says("const") || address == ArgAddress::Constant,
        is_restrict: says("restrict") || has(FunctionParameterAttribute::NoAlias),
        is_volatile: says("volatile") || m.decorations.has(param, Decoration::Volatile),
    }
}
