//! A compiled program's metadata as JSON, for programs that run kernels through Vulkan by themselves (docs/offline.md explains
//! each member).

use crate::kernel::{binding, spec_id, Arg, ArgAddress, ArgKind, ArgumentField, Field, Kernel};
use crate::Program;
use std::fmt::Write;

/// The version of the format. It changes when members change their meaning.
const VERSION: u32 = 1;

/// Returns the metadata of a program. `module_of` returns the file that has a kernel's SPIR-V, if there is one.
pub fn json(program: &Program, module_of: impl Fn(&Kernel) -> Option<String>) -> String {
    let kernels = program.kernels.iter().map(|kernel| describe_kernel(kernel, module_of(kernel)));
    let data = &program.data;
    let bytes = data.bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut text = Object::new()
        .member("version", VERSION)
        .member("entry_point", Text("main"))
        .member("kernels", list(kernels))
        .member(
            "data",
            Object::new()
                .member("size", data.size)
                .member("align", data.align)
                .member("global_size", data.global_size)
                .member("bytes", Text(&bytes))
                .member("relocations", list(&data.relocations)),
        )
        .member("uniform_groups", program.uniform_groups)
        .member("specialization", specialization())
        .member("bindings", bindings())
        .to_string();
    text.push('\n');
    text
}

fn specialization() -> Object {
    Object::new()
        .member("local_size", list(spec_id::LOCAL_SIZE))
        .member("has_global_offset", spec_id::HAS_GLOBAL_OFFSET)
        .member("local_block_length", spec_id::LOCAL_BLOCK_LEN)
        .member("local_argument_base", spec_id::LOCAL_ARG_BASE)
        .member("packed_groups", spec_id::PACKED_GROUPS)
        .member("bounded", spec_id::BOUNDED)
        .member("reorders_images", spec_id::REORDERS_IMAGES)
}

fn bindings() -> Object {
    Object::new()
        .member("sampled_images", binding::SAMPLED_IMAGE)
        .member("storage_images", binding::STORAGE_IMAGE)
        .member("uniform_texel_buffers", binding::UNIFORM_TEXEL_BUFFER)
        .member("storage_texel_buffers", binding::STORAGE_TEXEL_BUFFER)
        .member("samplers", binding::SAMPLER)
}

fn describe_kernel(kernel: &Kernel, module: Option<String>) -> Object {
    let object = Object::new().member("name", Text(&kernel.name));
    let object = match module {
        Some(path) => object.member("module", Text(&path)),
        None => object,
    };
    let args = kernel.args.iter().enumerate().map(|(index, arg)| argument(kernel, index, arg));
    let fields = kernel.argument_fields.iter().filter_map(implicit_field);
    object
        .member("arguments", list(args))
        .member(
            "argument_buffer",
            Object::new()
                .member("size", kernel.argument_buffer_size)
                .member("in_push_constants", kernel.arguments_in_push_constants)
                .member("fields", list(fields)),
        )
        .member("required_local_size", size(kernel.required_local_size))
        .member("local_size_hint", size(kernel.local_size_hint))
        .member(
            "local_memory",
            Object::new()
                .member("static_size", kernel.local.static_size)
                .member("element_size", kernel.local.element_size),
        )
        .member("private_size", kernel.private_size)
        .member("registers", kernel.registers)
        .member("attributes", Text(&kernel.attributes))
        .member("uses_barrier", kernel.uses_barrier)
        .member("local_size_visible", kernel.local_size_visible)
        .member("dimensions", kernel.dimensions)
        .member("packs_groups", kernel.packs_groups)
        .member("bounded", kernel.bounded)
        .member("uses_images", kernel.uses_images)
}

/// Describes an argument and its offset in the buffer; arguments that the kernel does not read have no offset.
fn argument(kernel: &Kernel, index: usize, arg: &Arg) -> Object {
    let object = Object::new()
        .member("name", Text(&arg.name))
        .member("type", Text(&arg.type_name))
        .member("address", Text(address_name(arg.address)));
    let object = match arg.kind {
        ArgKind::Value { size } => object.member("kind", Text("value")).member("size", size),
        ArgKind::Buffer => object.member("kind", Text("buffer")).member("size", 8),
        ArgKind::Local { ordinal, align } => object
            .member("kind", Text("local"))
            .member("specialization", spec_id::LOCAL_ARG_BASE + ordinal)
            .member("align", align),
        ArgKind::Image { dim, depth, access } => object
            .member("kind", Text("image"))
            .member("size", 4)
            .member("dimensions", Text(dim.name()))
            .member("depth", depth)
            .member("access", Text(access.name())),
        ArgKind::Sampler => object.member("kind", Text("sampler")).member("size", 4),
        ArgKind::Pipe { access, packet } => object
            .member("kind", Text("pipe"))
            .member("size", 8)
            .member("packet", packet)
            .member("access", Text(access.name())),
        ArgKind::Queue => object.member("kind", Text("queue")).member("size", 8),
    };
    let place = kernel.argument_fields.iter().find(|entry| entry.field == Field::Arg(index as u32));
    match place {
        Some(entry) => object.member("offset", entry.offset),
        None => object,
    }
}

/// A field that is not an argument.
fn implicit_field(entry: &ArgumentField) -> Option<Object> {
    let name = match entry.field {
        Field::Arg(_) => return None,
        Field::GlobalBase => "global_base",
        Field::GroupBase => "group_base",
        Field::GlobalOffset => "global_offset",
        Field::GlobalSize => "global_size",
        Field::NumGroups => "num_groups",
        Field::EnqueuedLocalSize => "enqueued_local_size",
        Field::WorkDim => "work_dim",
        Field::Bounds => "bounds",
        Field::DataAddress => "data_address",
        Field::PrintfBuffer => "printf_buffer",
        Field::QueueContext => "queue_context",
        Field::OrderWord => "order_word",
    };
    let (size, _) = entry.field.layout()?;
    Some(
        Object::new()
            .member("field", Text(name))
            .member("offset", entry.offset)
            .member("size", size),
    )
}

fn address_name(address: ArgAddress) -> &'static str {
    match address {
        ArgAddress::Global => "global",
        ArgAddress::Local => "local",
        ArgAddress::Constant => "constant",
        ArgAddress::Private => "private",
    }
}

fn size(size: Option<[u32; 3]>) -> String {
    size.map_or("null".to_string(), list)
}

/// A JSON object under construction.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object(String::new())
    }

    /// Appends a member, whose value is JSON when it is printed.
    fn member(mut self, name: &str, value: impl ToString) -> Object {
        let comma = if self.0.is_empty() { "" } else { ", " };
        let _ = write!(self.0, "{comma}{}: {}", Text(name), value.to_string());
        self
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{{{}}}", self.0)
    }
}

/// Returns an array.
fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

/// A JSON string (RFC 8259, 7).
struct Text<'a>(&'a str);

impl std::fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\0'..='\x1f' => write!(f, "\\u{:04x}", u32::from(letter))?,
                _ => f.write_char(letter)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{compile, Options, Source, Target};

    #[test]
    fn a_program_is_described() {
        let text = "constant int table[2] = {1, 2};
            kernel void __attribute__((reqd_work_group_size(4, 2, 1)))
            k(global float *out, local int *scratch, int unused, float4 v) {
                scratch[get_local_id(0)] = table[get_local_id(0)];
                out[get_global_id(0)] = v.x + scratch[get_local_id(0)];
            }";
        let source = Source { text: text.into(), ..Source::default() };
        let program = compile(&source, &Options::default(), &Target::generic()).program.unwrap();
        let json = json(&program, |kernel| Some(format!("{}\".spv", kernel.name)));
        for part in [
            r#""name": "k", "module": "k\".spv""#,
            r#"{"name": "out", "type": "float*", "address": "global", "kind": "buffer", "size": 8, "offset": 0}"#,
            r#""kind": "local", "specialization": 8, "align": 16}"#,
            r#"{"name": "unused", "type": "int", "address": "private", "kind": "value", "size": 4}"#,
            r#""required_local_size": [4, 2, 1], "local_size_hint": null"#,
            r#""field": "data_address""#,
            r#""bytes": "0100000002000000""#,
            r#""local_size": [0, 1, 2]"#,
        ] {
            assert!(json.contains(part), "{part} in\n{json}");
        }
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(Text("a\"\\\n\u{1}é").to_string(), "\"a\\\"\\\\\\u000a\\u0001é\"");
    }
}
