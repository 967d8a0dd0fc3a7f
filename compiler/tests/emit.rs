//! The emitter writes valid SPIR-V for Vulkan, for every instruction, type and kind of device, and reports what the kernel
//! reads of its launch.

#[path = "emit/support.rs"]
mod support;

use hekla_compiler::emit::{layout_data, EmitError};
use hekla_compiler::ir::parse;
use hekla_compiler::kernel::{ArgumentField, Field};
use hekla_compiler::Quirks;
use hekla_compiler::{Options, Target};
use std::fmt::Write;
use support::{check, check_structurized, disassemble, targets, try_emit};

/// Returns a kernel with a buffer `v0`, whose first block has the given lines.
fn kernel(lines: &str) -> String {
    format!(
        "kernel @k k(a: buffer, t: local 0 align 16)\nfn @k() {{\nblock0:\n    \
         v0:ptr.global = load_arg 0, 0\n{lines}    return\n}}\n"
    )
}

/// IR text under construction: lines that define values one after the other.
struct Lines {
    text: String,
    next: u32,
}

impl Lines {
    fn new() -> Lines {
        Lines { text: String::new(), next: 1 }
    }

    fn def(&mut self, ty: &str, op: &str) -> String {
        let name = format!("v{}", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "    {name}:{ty} = {op}");
        name
    }

    fn load(&mut self, ty: &str) -> String {
        self.def(ty, &format!("load v0, align {}", natural(ty)))
    }

    fn store(&mut self, ty: &str, value: &str) {
        let value = match ty {
            "bool" => self.def("i32", &format!("zext {value}")),
            _ => value.to_string(),
        };
        let align = if ty == "bool" { 4 } else { natural(ty) };
        let _ = writeln!(self.text, "    store v0, {value}, align {align}");
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }
}

/// Returns the alignment of a type's scalar.
fn natural(ty: &str) -> u32 {
    match ty.split('x').next() {
        Some("i8") => 1,
        Some("i16" | "f16") => 2,
        Some("i32" | "f32") => 4,
        _ => 8,
    }
}

fn supports(target: &Target, ty: &str) -> bool {
    match ty {
        "f64" => target.float64,
        "f16" => target.float16,
        _ => true,
    }
}

#[test]
fn integer_operations() {
    for (name, target) in targets() {
        for ty in ["i8", "i16", "i32", "i64"] {
            let mut lines = Lines::new();
            let (a, b) = (lines.load(ty), lines.load(ty));
            for op in "iadd isub imul sdiv udiv srem urem shl lshr ashr and or xor smin smax umin \
                       umax smulhi umulhi"
                .split_whitespace()
            {
                for b in [b.as_str(), &format!("3:{ty}")] {
                    let value = lines.def(ty, &format!("{op} {a}, {b}"));
                    lines.store(ty, &value);
                }
            }
            for op in "ineg not sabs clz ctz popcount bitreverse".split_whitespace() {
                let value = lines.def(ty, &format!("{op} {a}"));
                lines.store(ty, &value);
            }
            for cc in "eq ne slt sle sgt sge ult ule ugt uge".split_whitespace() {
                let value = lines.def("bool", &format!("icmp {cc} {a}, {b}"));
                lines.store("bool", &value);
            }
            check(&kernel(&lines.text), &target);
            println!("{name} {ty}");
        }
    }
}

#[test]
fn float_operations() {
    for (_, target) in targets() {
        for ty in ["f16", "f32", "f64"].into_iter().filter(|ty| supports(&target, ty)) {
            let mut lines = Lines::new();
            let (a, b) = (lines.load(ty), lines.load(ty));
            for op in "fadd fsub fmul fdiv frem fmin fmax fadd.nc fmul.nc fsub.fast".split(' ') {
                let value = lines.def(ty, &format!("{op} {a}, {b}"));
                lines.store(ty, &value);
            }
            let mut unary = "fneg fabs floor ceil ftrunc rint sqrt rsqrt".to_string();
            if ty != "f64" {
                unary += " sin cos tan exp2 log2";
                let value = lines.def(ty, &format!("pow {a}, {b}"));
                lines.store(ty, &value);
            }
            for op in unary.split(' ') {
                let value = lines.def(ty, &format!("{op} {a}"));
                lines.store(ty, &value);
            }
            let value = lines.def(ty, &format!("fma {a}, {b}, {a}"));
            lines.store(ty, &value);
            let value = lines.def(ty, &format!("ldexp {a}, 3:i32"));
            lines.store(ty, &value);
            for op in ["isnan", "isinf"] {
                let value = lines.def("bool", &format!("{op} {a}"));
                lines.store("bool", &value);
            }
            for cc in "oeq one olt ole ogt oge ueq une ult ule ugt uge ord uno".split(' ') {
                let value = lines.def("bool", &format!("fcmp {cc} {a}, {b}"));
                lines.store("bool", &value);
            }
            check(&kernel(&lines.text), &target);
        }
    }
}

#[test]
fn conversions() {
    for (_, target) in targets() {
        let ints = ["i8", "i16", "i32", "i64"];
        let mut lines = Lines::new();
        let cond = lines.def("bool", "icmp ne v0, v0");
        for (i, from) in ints.into_iter().enumerate() {
            let a = lines.load(from);
            for to in &ints[..i] {
                let value = lines.def(to, &format!("trunc {a}"));
                lines.store(to, &value);
            }
            for to in &ints[i + 1..] {
                for op in ["zext", "sext"] {
                    let value = lines.def(to, &format!("{op} {a}"));
                    lines.store(to, &value);
                }
            }
            for op in ["zext", "sext"] {
                let value = lines.def(from, &format!("{op} {cond}"));
                lines.store(from, &value);
            }
            // Halves are stored and converted on every device.
            let floats = ["f16", "f32", "f64"];
            for float in floats.into_iter().filter(|ty| *ty == "f16" || supports(&target, ty)) {
                for op in ["stof", "utof"] {
                    let value = lines.def(float, &format!("{op} {a}"));
                    lines.store(float, &value);
                }
                let b = lines.load(float);
                for op in ["ftos", "ftou"] {
                    let value = lines.def(from, &format!("{op} {b}"));
                    lines.store(from, &value);
                }
                for other in floats.into_iter().filter(|ty| *ty == "f16" || supports(&target, ty)) {
                    if other != float {
                        let value = lines.def(other, &format!("fconvert {b}"));
                        lines.store(other, &value);
                    }
                }
            }
        }
        check(&kernel(&lines.text), &target);
    }
}

#[test]
fn bit_casts() {
    let types = ["i8x4", "i16x2", "f16x2", "i32", "f32"];
    let wide = ["i16x4", "f16x4", "i32x2", "f32x2", "i64", "f64"];
    let wider = ["i32x4", "f32x4", "i64x2", "f64x2"];
    for (_, target) in targets() {
        let mut lines = Lines::new();
        for group in [&types[..], &wide[..], &wider[..]] {
            let fits = |ty: &&&str| !ty.starts_with("f64") || target.float64;
            for from in group.iter().filter(fits) {
                let a = lines.load(from);
                for to in group.iter().filter(fits) {
                    let value = lines.def(to, &format!("bitcast {a}"));
                    lines.store(to, &value);
                }
            }
        }
        check(&kernel(&lines.text), &target);
    }
}

#[test]
fn vectors() {
    for (_, target) in targets() {
        for scalar in ["i8", "i16", "i32", "i64", "f32", "f64"] {
            if !supports(&target, scalar) {
                continue;
            }
            let mut lines = Lines::new();
            let index = lines.load("i32");
            let cond = lines.def("bool", "icmp ne v0, v0");
            for lanes in [2, 3, 4] {
                let ty = format!("{scalar}x{lanes}");
                let a = lines.load(&ty);
                let element = lines.def(scalar, &format!("extract {a}, 1"));
                let dynamic = lines.def(scalar, &format!("extract_dynamic {a}, {index}"));
                lines.store(scalar, &dynamic);
                let all = vec![element.as_str(); lanes].join(", ");
                let built = lines.def(&ty, &format!("build {all}"));
                let b = lines.def(&ty, &format!("insert {a}, {element}, 0"));
                let c = lines.def(&ty, &format!("insert_dynamic {b}, {element}, {index}"));
                let pair = lines.def(&format!("{scalar}x2"), &format!("shuffle {a}, {b}, [1, 2]"));
                lines.store(&format!("{scalar}x2"), &pair);
                let chosen = lines.def(&ty, &format!("select {cond}, {built}, {c}"));
                lines.store(&ty, &chosen);
            }
            check(&kernel(&lines.text), &target);
        }
    }
}

#[test]
fn arithmetic_on_vectors_is_refused() {
    for inst in ["i32x2 = iadd", "f32x2 = fmul", "boolx2 = icmp slt", "f32x2 = fabs"] {
        let (ty, op) = inst.split_once(" = ").expect("an instruction");
        let loaded = if op.starts_with('f') { "f32x2" } else { "i32x2" };
        let mut lines = Lines::new();
        let a = lines.load(loaded);
        let args = if op == "fabs" { a } else { format!("{a}, {a}") };
        lines.def(ty, &format!("{op} {args}"));
        let error = try_emit(&kernel(&lines.text), &Options::default(), &Target::generic());
        assert!(error.is_err_and(|error| error.to_string().contains("arithmetic on vectors")));
    }
}

/// Types that values in memory can have.
const MEMORY: [&str; 16] = [
    "i8",
    "i16",
    "f16",
    "i32",
    "f32",
    "i64",
    "f64",
    "ptr.global",
    "ptr.local",
    "i8x4",
    "i8x3",
    "f16x3",
    "f32x4",
    "f32x3",
    "i64x2",
    "f64x4",
];

fn stored(target: &Target) -> impl Iterator<Item = &'static str> + '_ {
    MEMORY.into_iter().filter(|ty| !ty.starts_with("f64") || target.float64)
}

#[test]
fn device_memory() {
    for (_, target) in targets() {
        for align in [1, 2, 4, 8, 16] {
            let mut lines = Lines::new();
            let value = lines.def("ptr.global", "ptradd v0, 16:i64");
            let pointer = lines.def("ptr.global", &format!("ptradd {value}, -4:i32"));
            for ty in stored(&target) {
                let value = lines.def(ty, &format!("load {pointer}, align {align} volatile"));
                lines.line(&format!("store {pointer}, {value}, align {align} volatile"));
            }
            check(&kernel(&lines.text), &target);
        }
    }
}

/// Returns a kernel with an array in local or private memory that is accessed as these types.
fn array_kernel(space: &str, types: &[&str], align: impl Fn(&str) -> u32) -> String {
    let mut lines = Lines::new();
    let index = lines.load("i32");
    let base = match space {
        "local" => lines.def("ptr.local", "global_addr @tile"),
        _ => lines.def("ptr.private", "alloca 256, align 16"),
    };
    let ptr = format!("ptr.{space}");
    for ty in types {
        let align = align(ty);
        let offset = lines.def("i32", &format!("imul {index}, 32:i32"));
        let at = lines.def(&ptr, &format!("ptradd {base}, {offset}"));
        let next = lines.def(&ptr, &format!("ptradd {at}, 16:i32"));
        let value = lines.def(ty, &format!("load {at}, align {align}"));
        lines.line(&format!("store {next}, {value}, align {align} volatile"));
    }
    format!("global @tile: local, size 256, align 16\n{}", kernel(&lines.text))
}

#[test]
fn local_and_private_memory() {
    for (_, target) in targets() {
        for space in ["local", "private"] {
            let all: Vec<&str> = stored(&target).collect();
            for ty in &all {
                check(&array_kernel(space, &[ty], natural), &target);
                check(&array_kernel(space, &[ty], |_| 1), &target);
            }
            check(&array_kernel(space, &all, natural), &target);
            check(&array_kernel(space, &all, |_| 2), &target);
        }
    }
}

#[test]
fn arrays_have_the_type_that_accesses_agree_on() {
    let generic = Target::generic();
    let cases: [(&[&str], u32, &str); 6] = [
        (&["f32", "f32x4"], 4, "%_arr_float"),
        (&["f32", "i32"], 4, "%_arr_uint"),
        (&["i8", "i8x4"], 1, "%_arr_uchar"),
        (&["f64"], 8, "%_arr_double"),
        (&["i64", "f64"], 8, "%_arr_ulong"),
        (&["i8", "f64"], 4, "%_arr_uint"),
    ];
    for (types, size, array) in cases {
        let kernel = check(&array_kernel("local", types, natural), &generic);
        assert_eq!((kernel.local.static_size, kernel.local.element_size), (256, size));
        let text = disassemble(&kernel.spirv);
        assert!(text.contains(&format!("OpTypePointer Workgroup {array}")), "{array}\n{text}");
        let kernel = check(&array_kernel("private", types, natural), &generic);
        assert_eq!(kernel.private_size, 256);
        let text = disassemble(&kernel.spirv);
        assert!(text.contains(&format!("OpTypePointer Function {array}")), "{array}\n{text}");
    }
}

#[test]
fn sub_word_stores_to_local_memory_are_atomic() {
    let text = array_kernel("local", &["i8", "i32"], natural);
    let words = disassemble(&check(&text, &Target::generic()).spirv);
    assert!(words.contains("OpAtomicAnd") && words.contains("OpAtomicOr"));
    let rich = &targets()[1].1;
    let kernel = check(&text, rich);
    assert_eq!(kernel.local.element_size, 16);
    let views = disassemble(&kernel.spirv);
    assert!(!views.contains("OpAtomic") && views.contains("Aliased"));
}

#[test]
fn array_indices_are_not_multiplied_and_divided() {
    let mut lines = Lines::new();
    let index = lines.load("i32");
    let base = lines.def("ptr.private", "alloca 256, align 4");
    let offset = lines.def("i32", &format!("shl.nsw {index}, 2:i32"));
    let at = lines.def("ptr.private", &format!("ptradd {base}, {offset}"));
    let at = lines.def("ptr.private", &format!("ptradd {at}, 8:i32"));
    lines.line(&format!("store {at}, 1.0:f32, align 4"));
    let text = disassemble(&check(&kernel(&lines.text), &Target::generic()).spirv);
    assert!(!text.contains("OpShiftRight"), "{text}");
}

#[test]
fn escaping_private_pointers_share_a_stack() {
    for (_, target) in targets() {
        let mut lines = Lines::new();
        let a = lines.def("ptr.private", "alloca 16, align 4");
        let b = lines.def("ptr.private", "alloca 10, align 1");
        let c = lines.def("ptr.private", "alloca 8, align 8");
        let cond = lines.def("bool", &format!("icmp eq {a}, 0:ptr.private"));
        let chosen = lines.def("ptr.private", &format!("select {cond}, {a}, {b}"));
        lines.line(&format!("store {chosen}, 7:i32, align 4"));
        lines.line(&format!("store {c}, {chosen}, align 8"));
        let back = lines.def("ptr.private", &format!("load {c}, align 8"));
        let value = lines.def("i8", &format!("load {back}, align 1"));
        lines.store("i8", &value);
        let kernel = check(&kernel(&lines.text), &target);
        // 16 bytes for the null pointer, an object of 16 bytes, one of 10 with padding, and an object of 8 bytes outside the
        // stack.
        assert_eq!(kernel.private_size, 16 + 16 + 10 + 8);
    }
}

#[test]
fn functions_and_their_results() {
    let functions = "
fn @both(v0:i64, v1:i8, v2:bool, v3:f32x4) -> i64, bool, f32x4 {
block0:
    brif v2, block1, block2
block1:
    v4:i64 = iadd v0, 7:i64
    return v4, v2, v3
block2:
    return v0, true, v3
}

fn @through(v0:ptr.private, v1:ptr.global) {
block0:
    v2:i32 = load v0, align 4
    store v1, v2, align 4
    v3:ptr.private = alloca 8, align 4
    store v3, v2, align 4
    call @deeper(v3)
    return
}

fn @deeper(v0:ptr.private) {
block0:
    v1:ptr.private = ptradd v0, 4:i32
    store v1, 5:i32, align 4
    return
}
";
    for (_, target) in targets() {
        let mut lines = Lines::new();
        let wide = lines.load("i64");
        let (byte, float) = (lines.load("i8"), lines.load("f32x4"));
        let call = format!("call @both({wide}, {byte}, true, {float})");
        let first = lines.def("i64", &call);
        lines.store("i64", &first);
        let third = lines.def("f32x4", &format!("call_result {first}, 2"));
        lines.store("f32x4", &third);
        let object = lines.def("ptr.private", "alloca 20, align 4");
        lines.line(&format!("store {object}, 3:i32, align 4"));
        let out = lines.load("ptr.global");
        lines.line(&format!("call @through({object}, {out})"));
        let text = format!("{}{functions}", kernel(&lines.text));
        let kernel = check_structurized(&text, &target);
        // 16 bytes for the null pointer, then the callers' objects before the callees', each aligned to 16.
        assert_eq!(kernel.private_size, 16 + 32 + 8);
        let words = disassemble(&kernel.spirv);
        assert_eq!(words.matches("OpFunctionCall").count(), 3);
        assert!(words.contains("OpVariable %_ptr_Private"), "{words}");
    }
}

#[test]
fn generic_pointers() {
    for (_, target) in targets() {
        let mut lines = Lines::new();
        let tile = lines.def("ptr.local", "global_addr @tile");
        let own = lines.def("ptr.private", "alloca 16, align 4");
        let g = lines.def("ptr.generic", &format!("spacecast {tile}"));
        let h = lines.def("ptr.generic", &format!("spacecast {own}"));
        let i = lines.def("ptr.generic", "spacecast v0");
        let cond = lines.def("bool", &format!("icmp eq {g}, {i}"));
        let j = lines.def("ptr.generic", &format!("select {cond}, {g}, {h}"));
        let k = lines.def("ptr.generic", &format!("select {cond}, {i}, {j}"));
        let value = lines.def("f32", &format!("load {k}, align 4"));
        lines.line(&format!("store {k}, {value}, align 4"));
        let old = lines.def("i32", &format!("atomic_rmw add {k}, 1:i32"));
        let sum = lines.def("f32", &format!("atomic_rmw fadd {k}, {value}"));
        lines.line(&format!("atomic_store {k}, {old}"));
        for space in ["global", "local", "private"] {
            let ty = format!("ptr.{space}");
            let here = lines.def(&ty, &format!("tospace {k}"));
            let here = lines.def("bool", &format!("icmp ne {here}, 0:{ty}"));
            let here = lines.def("i32", &format!("zext {here}"));
            lines.line(&format!("store {k}, {here}, align 4"));
        }
        let back = lines.def("ptr.local", &format!("spacecast {k}"));
        lines.line(&format!("store {back}, {sum}, align 4"));
        let text = format!("global @tile: local, size 64, align 4\n{}", kernel(&lines.text));
        check(&text, &target);
    }
}

/// If 64-bit atomic operations and other accesses share the block of work-group memory, the block's elements are 64 bits wide,
/// or the block has aliased views.
#[test]
fn wide_atomics_share_local_memory_with_other_accesses() {
    for (name, target) in targets().into_iter().filter(|(_, t)| t.int64 && t.atomic_int64_shared) {
        let mut lines = Lines::new();
        let tile = lines.def("ptr.local", "global_addr @tile");
        let wide = lines.load("i64");
        let old = lines.def("i64", &format!("atomic_rmw add {tile}, {wide}"));
        lines.store("i64", &old);
        for ty in ["i8", "i16", "i32", "f32", "i64"] {
            let value = lines.def(ty, &format!("load {tile}, align 1"));
            lines.store(ty, &value);
            let align = natural(ty);
            lines.line(&format!("store {tile}, {value}, align {align}"));
        }
        for (ty, ops) in
            [("i32", "xchg add sub and or xor smin smax umin umax"), ("f32", "xchg fadd")]
        {
            let value = lines.load(ty);
            for op in ops.split(' ') {
                let old = lines.def(ty, &format!("atomic_rmw {op} {tile}, {value}"));
                lines.store(ty, &old);
            }
            let old = lines.def(ty, &format!("atomic_cmpxchg {tile}, {value}, {value}"));
            lines.store(ty, &old);
            for order in ["", " acquire work_group", " seq_cst work_group"] {
                let old = lines.def(ty, &format!("atomic_load {tile}{order}"));
                lines.store(ty, &old);
            }
            for order in ["", " release work_group", " seq_cst work_group"] {
                lines.line(&format!("atomic_store {tile}, {value}{order}"));
            }
        }
        let text = format!("global @tile: local, size 64, align 8\n{}", kernel(&lines.text));
        let kernel = check(&text, &target);
        let explicit = target.workgroup_explicit_layout;
        assert_eq!(kernel.local.element_size, if explicit { 16 } else { 8 }, "{name}");
    }
}

#[test]
fn atomics() {
    for (name, target) in targets() {
        for space in ["global", "local", "private"] {
            for ty in ["i32", "i64", "f32"] {
                let shared = match space {
                    "local" => target.atomic_int64_shared,
                    _ => target.atomic_int64_buffer,
                } && target.int64;
                let mut lines = Lines::new();
                let ptr = match space {
                    "global" => "v0".to_string(),
                    "local" => lines.def("ptr.local", "load_arg 1, 0"),
                    _ => {
                        let own = lines.def("ptr.private", "alloca 16, align 8");
                        lines.def("ptr.generic", &format!("spacecast {own}"))
                    }
                };
                let value = lines.load(ty);
                let ops = if ty == "f32" {
                    "xchg fadd"
                } else {
                    "xchg add sub and or xor smin smax umin umax"
                };
                for op in ops.split(' ') {
                    let old = lines.def(ty, &format!("atomic_rmw {op} {ptr}, {value}"));
                    lines.store(ty, &old);
                }
                let old = lines.def(ty, &format!("atomic_cmpxchg {ptr}, {value}, {value}"));
                lines.store(ty, &old);
                let old = lines.def(ty, &format!("atomic_load {ptr}"));
                lines.line(&format!("atomic_store {ptr}, {old}"));
                let orders = ["acquire", "release", "acq_rel", "seq_cst"];
                for sync in orders.iter().flat_map(|o| ["work_group", "device"].map(|s| (o, s))) {
                    let sync = format!("{} {}", sync.0, sync.1);
                    let rmw = if ty == "f32" { "fadd" } else { "add" };
                    let old = lines.def(ty, &format!("atomic_rmw {rmw} {ptr}, {value} {sync}"));
                    lines.store(ty, &old);
                    let exchange = format!("atomic_cmpxchg {ptr}, {value}, {value} {sync}");
                    let old = lines.def(ty, &exchange);
                    lines.store(ty, &old);
                    let old = lines.def(ty, &format!("atomic_load {ptr} {sync}"));
                    lines.line(&format!("atomic_store {ptr}, {old} {sync}"));
                    lines.line(&format!("fence local global {sync}"));
                }
                let text = kernel(&lines.text);
                if ty != "i64" || shared {
                    check(&text, &target);
                } else {
                    let error = try_emit(&text, &Options::default(), &target);
                    let message = error.expect_err(name).to_string();
                    assert!(message.contains("64-bit atomic"), "{message}");
                }
            }
        }
    }
}

#[test]
fn launch_values() {
    let queries = [
        ("global_id", "i64"),
        ("global_size", "i64"),
        ("global_offset", "i64"),
        ("group_id", "i64"),
        ("num_groups", "i64"),
        ("local_id", "i32"),
        ("local_size", "i32"),
        ("enqueued_local_size", "i32"),
    ];
    for (_, target) in targets() {
        let mut lines = Lines::new();
        for (query, ty) in queries {
            for dim in 0..3 {
                let value = lines.def(ty, &format!("workitem {query} {dim}"));
                lines.store(ty, &value);
            }
        }
        let value = lines.def("i32", "workitem work_dim 0");
        lines.store("i32", &value);
        let kernel = check(&kernel(&lines.text), &target);
        assert!(kernel.local_size_visible && !kernel.uses_barrier);
        let fields: Vec<Field> = kernel.argument_fields.iter().map(|f| f.field).collect();
        let expected = [
            Field::Arg(0),
            Field::GlobalBase,
            Field::GroupBase,
            Field::GlobalOffset,
            Field::GlobalSize,
            Field::NumGroups,
            Field::EnqueuedLocalSize,
            Field::WorkDim,
        ];
        assert_eq!(fields, expected);
        assert_eq!(kernel.argument_buffer_size, 8 + 5 * 24 + 12 + 4);
        assert_eq!(kernel.arguments_in_push_constants, target.push_constant_size >= 144);
    }
}

#[test]
fn program_data() {
    let text = "\
global @table: constant, size 5, align 1, const = 01020304_05
global @tile: local, size 64, align 16
global @pointer: constant, size 16, align 8 reloc 8 @table 4
global @zero: global, size 4, align 4
kernel @k k(a: buffer)
fn @k() {
block0:
    v0:ptr.constant = global_addr @pointer
    v1:ptr.constant = ptradd v0, 8:i64
    v2:ptr.constant = load v1, align 8 invariant
    v3:i8 = load v2, align 1
    v4:ptr.global = global_addr @zero
    store v4, v3, align 1
    return
}
";
    let (image, offsets) = layout_data(&parse::parse_module(text).expect("text")).expect("layout");
    let offsets: Vec<u64> = offsets.values().copied().collect();
    assert_eq!(offsets, [0, 0, 8, 24]);
    assert_eq!((image.size, image.align, image.global_size), (28, 8, 4));
    // The bytes do not include the variables at the end, which are zero.
    assert_eq!(image.bytes.len(), 24);
    assert!(image.is_sound());
    assert_eq!(image.bytes[..5], [1, 2, 3, 4, 5]);
    assert_eq!(image.bytes[16..24], 4u64.to_le_bytes());
    assert_eq!(image.relocations, [16]);
    for (_, target) in targets() {
        let kernel = check(text, &target);
        assert_eq!(
            kernel.argument_fields[0],
            ArgumentField { field: Field::DataAddress, offset: 0 }
        );
    }
}

#[test]
fn barriers_and_fences() {
    for flags in ["local", "global", "local global", ""] {
        let text = kernel(&format!("    barrier {flags}\n    fence {flags}\n"));
        let kernel = check(&text, &Target::generic());
        assert!(kernel.uses_barrier && kernel.local_size_visible);
    }
}

/// for (i = 0; i < n; i++) if (i & 1) sum += a[i]; switch (sum) ...
const LOOP: &str = "\
kernel @k k(a: buffer, n: value 4)
fn @k() {
block0:
    v0:ptr.global = load_arg 0, 0
    v1:i32 = load_arg 1, 0
    jump block1(0:i32, 0.0:f32)
block1(v2:i32, v3:f32):
    jump block2
block2:
    v4:bool = icmp slt v2, v1
    brif v4, block3, block6
block3:
    v5:i32 = shl v2, 2:i32
    v6:ptr.global = ptradd v0, v5
    v7:i32 = and v2, 1:i32
    v8:bool = icmp ne v7, 0:i32
    brif v8, block4, block5(v3)
block4:
    v9:f32 = load v6, align 4
    v10:f32 = fadd v3, v9
    v11:f32 = atomic_rmw fadd v0, v10
    jump block5(v11)
block5(v12:f32):
    v13:i32 = iadd v2, 1:i32
    jump block1(v13, v12)
block6:
    v14:i64 = load v0, align 8
    switch v14, [0: block8(1:i32), 5: block7, 4294967296: block8(2:i32), 7: block7], block8(3:i32)
block7:
    unreachable
block8(v15:i32):
    v16:i32 = select v4, v15, v15
    switch v16, [1: block9(v15), 2: block10], block9(5:i32)
block10:
    jump block9(9:i32)
block9(v17:i32):
    brif v4, block11(v17), block11(3:i32)
block11(v18:i32):
    store v0, v18, align 4
    return
}
";

#[test]
fn control_flow() {
    for (_, target) in targets() {
        check_structurized(LOOP, &target);
    }
}

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % n
    }
}

/// Returns a kernel with random edges between `count` blocks. Each block mixes its number into a state that decides the block's
/// branch; a counter ends the kernel.
fn random_graph(rng: &mut Rng, count: u32) -> String {
    let mut text =
        "kernel @k k(a: buffer)\nfn @k() {\nblock0:\n    v0:ptr.global = load_arg 0, 0\n    \
                    v1:i32 = load v0, align 4\n    jump block1(v1, 60:i32)\n"
            .to_string();
    let last = count + 1;
    for i in 1..=count {
        let v = |n: u32| format!("v{}", i * 10 + n);
        let state = v(3);
        let mut target = || {
            let to = match rng.below(10) {
                0 | 1 => 1 + rng.below(count),
                2 => last,
                _ => (i + 1 + rng.below(4)).min(last),
            };
            format!("block{to}({state}, {})", v(4))
        };
        let (a, b, c) = (target(), target(), target());
        let _ = write!(
            text,
            "block{i}({}:i32, {}:i32):\n    {}:i32 = imul {}, 1103515245:i32\n    {state}:i32 = iadd \
             {}, {i}:i32\n    {}:i32 = isub {}, 1:i32\n    {}:bool = icmp eq {}, 0:i32\n    \
             brif {}, block{last}({state}, 0:i32), block{}\nblock{}:\n    {}:i32 = lshr {state}, \
             16:i32\n    {}:i32 = and {}, 3:i32\n",
            v(0),
            v(1),
            v(2),
            v(0),
            v(2),
            v(4),
            v(1),
            v(5),
            v(4),
            v(5),
            i + 1000,
            i + 1000,
            v(6),
            v(7),
            v(6),
        );
        let _ = match rng.below(4) {
            0 => writeln!(text, "    jump {a}"),
            1 => writeln!(text, "    switch {}, [0: {a}, 1: {b}, 2: {a}], {c}", v(7)),
            _ => writeln!(
                text,
                "    {}:bool = icmp ult {}, 2:i32\n    brif {}, {a}, {b}",
                v(8),
                v(7),
                v(8)
            ),
        };
    }
    let _ =
        write!(text, "block{last}(v2:i32, v3:i32):\n    store v0, v2, align 4\n    return\n}}\n");
    text
}

#[test]
fn structured_random_graphs() {
    for seed in 1..=100_u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let count = 2 + rng.below(14);
        check_structurized(&random_graph(&mut rng, count), &Target::generic());
    }
}

#[test]
fn a_loop_of_one_block_may_hold_an_atomic_loop() {
    let text = "\
kernel @k k(a: buffer)
fn @k() {
block0:
    jump block1(0:i32)
block1(v1:i32):
    v0:ptr.global = load_arg 0, 0
    v2:f32 = atomic_rmw fadd v0, 1.0:f32
    v3:i32 = iadd v1, 1:i32
    v4:bool = icmp slt v3, 10:i32
    brif v4, block1(v3), block2(v2)
block2(v5:f32):
    store v0, v5, align 4
    return
}
";
    for (_, target) in targets() {
        check_structurized(text, &target);
    }
}

#[test]
fn single_rounds_to_nearest_where_it_is_divided_if_the_device_needs_it_there_alone() {
    let mut target = targets()[1].1.clone();
    let mut declares = |op: &str, to_divide: bool| {
        let mut lines = Lines::new();
        let a = lines.load("f32");
        let result = lines.def("f32", &format!("{op} {a}, {a}"));
        lines.store("f32", &result);
        target.rounding_rte_32_to_divide = to_divide;
        let kernel = try_emit(&kernel(&lines.text), &Options::default(), &target);
        disassemble(&kernel.expect("kernel").spirv).contains("RoundingModeRTE 32")
    };
    assert!(declares("fadd", false) && declares("fdiv", false) && declares("fdiv", true));
    assert!(!declares("fadd", true) && !declares("fdiv.native", true));
}

#[test]
fn float_controls_follow_options() {
    let mut lines = Lines::new();
    let a = lines.load("f32");
    let sum = lines.def("f32", &format!("fadd {a}, {a}"));
    lines.store("f32", &sum);
    let text = kernel(&lines.text);
    let rich = &targets()[1].1;
    let modes = |options: &str| {
        let options = Options::parse(options).expect("options");
        disassemble(&try_emit(&text, &options, rich).expect("kernel").spirv)
    };
    let strict = modes("");
    for mode in ["SignedZeroInfNanPreserve 32", "DenormPreserve 32", "RoundingModeRTE 32"] {
        assert!(strict.contains(mode), "{mode}");
    }
    assert!(!strict.contains("Preserve 64"));
    assert!(!modes("-cl-fast-relaxed-math").contains("SignedZeroInfNanPreserve"));
    assert!(!modes("-cl-denorms-are-zero").contains("DenormPreserve"));
}

#[test]
fn invariant_loads_are_of_members_that_are_not_writable() {
    let text = |flags: &str| {
        kernel(&format!("    v1:i32x4 = load v0, align 4 {flags}\n    store v0, v1, align 4\n"))
    };
    for (_, target) in targets() {
        let members = |flags: &str| {
            let module = disassemble(&check(&text(flags), &target).spirv);
            module.matches("NonWritable").count()
        };
        assert_eq!(members("invariant"), usize::from(target.has(Quirks::READ_ONLY_LOADS)));
        assert_eq!([members("volatile invariant"), members("")], [0, 0]);
    }
}

#[test]
fn missing_capabilities_are_named() {
    let mut lines = Lines::new();
    let a = lines.load("f64");
    lines.store("f64", &a);
    let text = kernel(&lines.text);
    let error = try_emit(&text, &Options::default(), &Target::minimal());
    let message = error.expect_err("no double").to_string();
    assert_eq!(
        message,
        "double needs 64-bit floats (shaderFloat64), which this device does not have"
    );
    let mut lines = Lines::new();
    let a = lines.load("f64");
    let b = lines.def("f64", &format!("sin {a}"));
    lines.store("f64", &b);
    let error = try_emit(&kernel(&lines.text), &Options::default(), &Target::generic());
    assert!(matches!(error, Err(EmitError::Unsupported(_))), "{error:?}");
}

#[test]
fn large_functions_are_emitted() {
    let mut lines = Lines::new();
    let mut a = lines.load("f32");
    for i in 0..5000 {
        a = match i % 4 {
            0 => lines.def("f32", &format!("fadd {a}, {i}.0:f32")),
            1 => lines.def("f32", &format!("fmul {a}, {a}")),
            2 => lines.def("f32", &format!("fsub {a}, 0.5:f32")),
            _ => lines.def("f32", "load v0, align 4"),
        };
    }
    lines.store("f32", &a);
    let kernel = check(&kernel(&lines.text), &Target::generic());
    assert!(kernel.spirv.len() > 5000 * 5);
}
