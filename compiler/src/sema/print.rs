//! The text of types in diagnostics.

use super::types::{MatrixType, TypeId, TypeKind, Types};
use crate::syntax::ast::AddressSpace;

/// Returns the qualifier's spelling.
pub(super) fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "__private",
        AddressSpace::Global => "__global",
        AddressSpace::Local => "__local",
        AddressSpace::Constant => "__constant",
        AddressSpace::Generic => "__generic",
    }
}

/// Returns a type as clang writes it: `__global float4 *`.
pub(super) fn type_name(types: &Types, ty: TypeId) -> String {
    let mut text = String::new();
    write_type(types, ty, &mut text);
    text
}

fn write_type(types: &Types, ty: TypeId, out: &mut String) {
    match types.kind(ty) {
        TypeKind::Void => out.push_str("void"),
        TypeKind::Scalar(s) => out.push_str(s.spelling()),
        TypeKind::Atomic(s) => {
            out.push_str("atomic_");
            out.push_str(s.spelling());
        }
        TypeKind::Vector(s, n) => {
            out.push_str(s.spelling());
            out.push_str(&n.to_string());
        }
        TypeKind::Pointer(p) => {
            if types.as_pointer(p.pointee).is_none() {
                out.push_str(space_name(p.space));
                out.push(' ');
                if p.is_const {
                    out.push_str("const ");
                }
                if p.is_volatile {
                    out.push_str("volatile ");
                }
                write_type(types, p.pointee, out);
                out.push_str(" *");
                return;
            }
            write_type(types, p.pointee, out);
            out.push_str(space_name(p.space));
            if p.is_const {
                out.push_str(" const");
            }
            if p.is_volatile {
                out.push_str(" volatile");
            }
            out.push_str(" *");
        }
        TypeKind::Array(..) => {
            let (mut element, mut bounds) = (ty, String::new());
            while let TypeKind::Array(inner, length) = types.kind(element) {
                let length = length.map_or(String::new(), |n| n.to_string());
                bounds.push_str(&format!("[{length}]"));
                element = *inner;
            }
            write_type(types, element, out);
            out.push_str(&bounds);
        }
        TypeKind::Record(id) => {
            let record = &types.records[*id];
            if record.name.is_empty() && !record.typedef_name.is_empty() {
                out.push_str(&record.typedef_name);
                return;
            }
            out.push_str(if record.is_union { "union " } else { "struct " });
            out.push_str(if record.name.is_empty() { "(anonymous)" } else { &record.name });
        }
        TypeKind::Function { ret, params, .. } => {
            write_type(types, *ret, out);
            let params: Vec<String> = params.iter().map(|&p| type_name(types, p)).collect();
            out.push_str(&format!(" ({})", params.join(", ")));
        }
        TypeKind::Block { ret, params } => {
            write_type(types, *ret, out);
            let params: Vec<String> = params.iter().map(|&p| type_name(types, p)).collect();
            let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
            out.push_str(&format!(" (^)({params})"));
        }
        TypeKind::Image(image) => {
            out.push_str(&format!("__{} {}", image.access.name(), image.name()));
        }
        TypeKind::Pipe(packet, access) => {
            out.push_str(&format!("__{} pipe ", access.name()));
            write_type(types, *packet, out);
        }
        TypeKind::Matrix(matrix) => {
            let MatrixType { usage, rows, columns, .. } = matrix;
            let element = matrix.spelling();
            out.push_str(&format!("coop_mat({element}, {rows}, {columns}, {usage:?})"));
        }
        TypeKind::Opaque(name) => out.push_str(name),
        TypeKind::Error => out.push_str("<error>"),
    }
}
