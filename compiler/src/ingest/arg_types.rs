//! Names of kernels' argument types for clGetKernelArgInfo, rebuilt from SPIR-V's types where a module does not have them.

use super::module::Decoder;
use super::types::{Kind, Ty};
use crate::ir::{Scalar, Type};
use rspirv::spirv::{Decoration, FunctionParameterAttribute};

/// The most bytes of a type's name; longer names are cut.
const MAX_NAME: usize = 256;

/// Returns the name of a parameter's type as OpenCL C spells it, without qualifiers. SPIR-V's integers have no sign: here
/// they are signed, unless the parameter is extended by zeros. `is_object` says that the parameter is a pointer to an object
/// that is passed by value.
pub(super) fn type_name(m: &Decoder<'_>, param: u32, ty: Ty, is_object: bool) -> String {
    let mut attributes = m.decorations.operands(param, Decoration::FuncParamAttr);
    let is_unsigned = attributes.any(|found| found == FunctionParameterAttribute::Zext as u32);
    if is_object {
        return m.types.pointee(ty).map_or("void".to_string(), |ty| named(m, ty, is_unsigned));
    }
    named(m, ty, is_unsigned)
}

fn named(m: &Decoder<'_>, mut ty: Ty, is_unsigned: bool) -> String {
    let mut suffix = String::new();
    loop {
        match *m.types.kind(ty) {
            Kind::Pointer { pointee, .. } if suffix.len() < MAX_NAME => {
                suffix.insert(0, '*');
                let Ok(next) = m.types.of(pointee) else { return format!("void{suffix}") };
                ty = next;
            }
            Kind::Array { .. } if suffix.len() < MAX_NAME => {
                let mut lengths = String::new();
                while let Kind::Array { element, length } = *m.types.kind(ty) {
                    lengths.push_str(&format!("[{length}]"));
                    ty = element;
                }
                suffix.insert_str(0, &lengths);
            }
            _ => return format!("{}{suffix}", base(m, ty, is_unsigned)),
        }
    }
}

fn base(m: &Decoder<'_>, ty: Ty, is_unsigned: bool) -> String {
    match m.types.kind(ty) {
        Kind::Value(value) => number(*value, is_unsigned),
        Kind::Struct { .. } => record(m.decorations.given_name(m.types.id_of(ty))),
        Kind::Image(image) => image.name(),
        Kind::Sampler => "sampler_t".to_string(),
        Kind::Event => "event_t".to_string(),
        Kind::ReserveId => "reserve_id_t".to_string(),
        Kind::Queue => "queue_t".to_string(),
        Kind::DeviceEvent => "clk_event_t".to_string(),
        Kind::Pipe(_) => "pipe".to_string(),
        _ => "void".to_string(),
    }
}

fn number(ty: Type, is_unsigned: bool) -> String {
    let scalar = match ty.scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "char",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 => "long",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::Ptr(_) => "void*",
        Scalar::Matrix(_) => "matrix",
    };
    let is_integer = matches!(ty.scalar, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
    let sign = if is_integer && is_unsigned { "u" } else { "" };
    let lanes = if ty.lanes > 1 { ty.lanes.to_string() } else { String::new() };
    format!("{sign}{scalar}{lanes}")
}

/// Returns the type name in OpenCL C of a record. Compilers name the record of `struct s` "struct.s" and that of `union u`
/// "union.u"; the record of a typedef has the typedef's name.
fn record(name: &str) -> String {
    let mut end = name.len().min(MAX_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let name = &name[..end];
    match name.split_once('.') {
        Some((tag @ ("struct" | "union"), "anon")) => tag.to_string(),
        Some((tag @ ("struct" | "union"), rest)) => format!("{tag} {rest}"),
        None if name.is_empty() => "struct".to_string(),
        _ => name.to_string(),
    }
}
