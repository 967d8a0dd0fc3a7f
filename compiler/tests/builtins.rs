//! Every built-in function, in every instance of its signatures, lowers on every kind of device, or the log says what
//! the device lacks.

use hekla_compiler::builtins::signature::{Shape, Sig, Spaces, TypePattern};
use hekla_compiler::builtins::{Builtin, Check, PipeArguments};
use hekla_compiler::kernel::{ImageAccess, ImageDim, ImageType};
use hekla_compiler::syntax::ast::ScalarName;
use hekla_compiler::{compile, compile_to_ir, FloatAtomics, IrAt, Options, Source, Target};
use std::collections::BTreeSet;

/// Returns devices, from the weakest to one that has everything.
fn devices() -> [(&'static str, Target); 4] {
    let showing = |target| Target { shown: vec!["cl_intel_subgroups"], ..target };
    let generic = || showing(Target::generic());
    let full = Target {
        float16: true,
        integer_dot_product: true,
        device_clock: true,
        subgroup_clock: true,
        float_atomics: FloatAtomics::all(),
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        fma16_fused: true,
        fma32_fused: true,
        fma64_fused: true,
        div32_exact: true,
        sqrt32_exact: true,
        exp2_accurate: true,
        exp2_wide: true,
        log2_accurate: true,
        ..generic()
    };
    let without_order = Target { vulkan_memory_model: false, ..generic() };
    [
        ("generic", generic()),
        ("minimal", showing(Target::minimal())),
        ("full", full),
        ("without a memory model", without_order),
    ]
}

fn spelling((element, lanes): Shape) -> String {
    match lanes {
        1 => element.spelling().to_string(),
        lanes => format!("{}{lanes}", element.spelling()),
    }
}

/// Returns true if programs for a device may use a scalar type.
fn has_type(target: &Target, element: ScalarName) -> bool {
    match element {
        ScalarName::Double => target.float64,
        ScalarName::Half => target.float16,
        _ => true,
    }
}

const ADDRESS_SPACES: [(u8, &str); 4] =
    [(2, "global"), (4, "local"), (8, "constant"), (1, "private")];

/// Returns the type that a pointer parameter points to, with its address spaces.
fn pointee(pattern: TypePattern, shape: Shape) -> Option<(String, Spaces)> {
    let (element, lanes) = shape;
    Some(match pattern {
        TypePattern::Out(spaces) | TypePattern::In(spaces) => (spelling(shape), spaces),
        TypePattern::OutElement(spaces) | TypePattern::InElement(spaces) => {
            (spelling((element, 1)), spaces)
        }
        TypePattern::OutLike(spaces, scalar) => (spelling((scalar, lanes)), spaces),
        TypePattern::InHalf(spaces) | TypePattern::OutHalf(spaces) => ("half".into(), spaces),
        TypePattern::InAny(spaces) | TypePattern::OutAny(spaces) => ("void".into(), spaces),
        TypePattern::Atomic(spaces) => (format!("atomic_{}", element.spelling()), spaces),
        _ => return None,
    })
}

/// Returns the type of an image parameter: the `choice`-th type that the pattern accepts.
fn image_type(pattern: TypePattern, choice: usize) -> Option<String> {
    let accesses = ImageAccess::ALL.into_iter();
    let types = accesses.flat_map(|access| {
        let of = |depth| ImageDim::ALL.map(|dim| ImageType { dim, depth, access });
        [of(false), of(true)].concat()
    });
    let image = types.filter(|&image| pattern.takes_image(image)).nth(choice)?;
    Some(format!("{} {}", image.access.name(), image.name()))
}

/// Returns a kernel that calls an instance of a function with pointers to the `choice`-th address space that each parameter may
/// point to; `None` if no parameter allows that many.
fn kernel(name: &str, number: usize, sig: &Sig, shape: Shape, choice: usize) -> Option<String> {
    let mut params = Vec::new();
    let mut args = Vec::new();
    let mut locals = String::new();
    let mut chosen = choice == 0;
    for (i, &pattern) in sig.params.iter().enumerate() {
        if let Some(value) = pattern.number(shape) {
            params.push(format!("global const {} *p{i}", spelling(value)).replace("bool", "int"));
            args.push(format!("*p{i}"));
        } else if let Some((ty, spaces)) = pointee(pattern, shape) {
            let mut allowed = ADDRESS_SPACES.iter().filter(|(bit, _)| spaces.0 & bit != 0);
            let count = allowed.clone().count();
            chosen |= choice < count;
            let (_, space) = allowed.nth(choice.min(count - 1))?;
            match *space {
                "private" => {
                    locals += &format!(" ulong v{i}[16];");
                    args.push(format!("(private {ty} *)v{i}"));
                }
                _ => {
                    params.push(format!("{space} {ty} *p{i}"));
                    args.push(format!("p{i}"));
                }
            }
        } else if let Some(first) = image_type(pattern, 0) {
            let other = image_type(pattern, choice);
            chosen |= other.is_some();
            params.push(format!("{} p{i}", other.unwrap_or(first)));
            args.push(format!("p{i}"));
        } else if pattern == TypePattern::Sampler {
            params.push(format!("sampler_t p{i}"));
            args.push(format!("p{i}"));
        } else if pattern == TypePattern::Events {
            locals += " event_t event = 0;";
            args.push("&event".into());
        } else {
            args.push("(event_t)0".into());
        }
    }
    let call = format!("{name}({})", args.join(", "));
    let statement = match sig.ret.number(shape) {
        Some(value) => {
            params.push(format!("global {} *result", spelling(value)).replace("bool", "int"));
            format!("*result = {call};")
        }
        None => format!("{call};"),
    };
    let params = params.join(", ");
    chosen.then(|| format!("kernel void k{number}({params}) {{{locals} {statement} }}\n"))
}

/// Returns calls of a function whose parameters no pattern describes.
fn special(builtin: Builtin, target: &Target) -> Vec<String> {
    let name = builtin.name();
    let shapes = [ScalarName::Char, ScalarName::Float, ScalarName::ULong, ScalarName::Double];
    match builtin.check() {
        Check::Shuffle(sources) => {
            let mut kernels = Vec::new();
            for element in shapes.into_iter().filter(|&element| has_type(target, element)) {
                let (from, to) = (spelling((element, 4)), spelling((element, 8)));
                let mask = spelling((element.unsigned_of_width(), 8));
                let vectors = ["*p", "*p"][..sources].join(", ");
                let n = kernels.len();
                kernels.push(format!(
                    "kernel void k{n}(global {from} *p, global {mask} *m, global {to} *q) \
                     {{ *q = {name}({vectors}, *m); }}\n"
                ));
            }
            kernels
        }
        Check::Pipe { access, arguments } => pipes(name, access, arguments),
        Check::Reservation => {
            vec!["kernel void k0(global int *p) { reserve_id_t id = CLK_NULL_RESERVE_ID; *p = is_valid_reserve_id(id); }\n".into()]
        }
        Check::DeviceQueue => {
            let args = match name {
                "get_default_queue" | "create_user_event" => "",
                "set_user_event_status" => "e, 0",
                "capture_event_profiling_info" => "e, CLK_PROFILING_COMMAND_EXEC_TIME, p",
                _ => "e",
            };
            vec![format!(
                "kernel void k0(global int *p) {{ clk_event_t e = CLK_NULL_EVENT; {name}({args}); }}\n"
            )]
        }
        Check::Space(Some(_)) => {
            vec![format!("kernel void k0(global int *p) {{ int *g = p; *p = {name}(g) != 0; }}\n")]
        }
        Check::Space(None) => {
            vec![format!("kernel void k0(global int *p) {{ int *g = p; *p = {name}(g); }}\n")]
        }
        _ => vec![format!(
            "kernel void k0(global float4 *p, long n) {{ {name}(\"%v4hlf %ld %d %p %s\", *p, n, 1, p, \"s\"); }}\n"
        )],
    }
}

/// Returns a kernel's text with a constant where the function wants one.
fn with_constants(builtin: Builtin, sig: &Sig, text: String) -> String {
    match builtin.check() {
        Check::Clustered(_) => text.replace(&format!("*p{})", sig.params.len() - 1), "4)"),
        _ => text,
    }
}

/// Returns calls of a pipe function, for packets of scalar and vector types, and for structures.
fn pipes(name: &str, access: Option<ImageAccess>, arguments: PipeArguments) -> Vec<String> {
    let access = access.map_or("read_only", ImageAccess::name);
    let forms: &[&str] = match arguments {
        PipeArguments::Packet => &[", x", ", id, 1, x"],
        PipeArguments::Count => &[", 2"],
        PipeArguments::Reservation => &[", id"],
        PipeArguments::Nothing => &[""],
    };
    let mut kernels = vec!["struct s { char c[40]; float f; };\n".to_string()];
    for packet in ["int", "ushort3", "struct s"] {
        for form in forms {
            let n = kernels.len();
            kernels.push(format!(
                "kernel void k{n}({access} pipe {packet} p, global {packet} *x) {{ \
                 reserve_id_t id = CLK_NULL_RESERVE_ID; {name}(p{form}); }}\n"
            ));
        }
    }
    kernels
}

/// Returns kernels with every call of a function that a device may have, in two lists: the first kernel for each type of
/// element and each signature, and the rest.
fn kernels(builtin: Builtin, target: &Target) -> (Vec<String>, Vec<String>) {
    if builtin.sigs().is_empty() {
        return (special(builtin, target), Vec::new());
    }
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    let has_image = |sig: &&Sig| sig.params.iter().any(|&it| image_type(it, 0).is_some());
    for sig in builtin.sigs().iter().filter(|sig| target.images || !has_image(sig)) {
        let mut seen = BTreeSet::new();
        for shape in sig.shapes().filter(|shape| has_type(target, shape.0)) {
            let is_first = seen.insert(shape.0);
            for choice in 0..ADDRESS_SPACES.len() {
                let number = first.len() + rest.len();
                let text = kernel(builtin.name(), number, sig, shape, choice);
                let text = text.map(|text| with_constants(builtin, sig, text));
                if is_first && choice == 0 {
                    first.extend(text)
                } else {
                    rest.extend(text)
                }
            }
        }
    }
    (first, rest)
}

fn source(target: &Target, kernels: &[String]) -> Source {
    let pragma = match target.float16 {
        true => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
        false => "",
    };
    Source {
        name: "t.cl".into(),
        text: format!("{pragma}{}", kernels.concat()),
        headers: Vec::new(),
    }
}

/// Fails if a log has errors, unless they name something that the device lacks. Only atomics, fences and halves may need
/// anything that a device may lack.
fn check(builtin: Builtin, device: &str, log: &str, text: &str) {
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("rror: ")).collect();
    let may_lack = matches!(builtin.check(), Check::Atomic64 | Check::Synchronization(_))
        || builtin.name() == "atomic_init";
    let excused = |line: &&str| may_lack && line.contains("which this device does not ");
    let wrong = errors.iter().find(|line| !excused(line));
    assert!(wrong.is_none(), "{} on {device}: {log}\n{text}", builtin.name());
}

fn every_row(target: &Target, device: &str, options: &str) {
    let options = Options::parse(&format!("-cl-std=CL3.0 {options}")).unwrap();
    for builtin in Builtin::all() {
        let (first, rest) = kernels(builtin, target);
        // A device may have no images; without halves there are no functions for images of them.
        let is_image = builtin.check() == Check::Images;
        let is_pipe = matches!(builtin.check(), Check::Pipe { .. } | Check::Reservation);
        let is_queue = builtin.check() == Check::DeviceQueue;
        let lacks = match builtin.check() {
            Check::Feature(name) => !target.features().contains(&name),
            _ => (is_pipe || is_queue) && !target.vulkan_memory_model,
        };
        if lacks {
            continue;
        }
        if is_image && (!target.images || first.is_empty() && !target.half_arithmetic()) {
            continue;
        }
        assert!(!first.is_empty(), "{} has no instance on {device}", builtin.name());
        let whole = source(target, &first);
        check(builtin, device, &compile(&whole, &options, target).log, &whole.text);
        if !rest.is_empty() {
            let lowered = source(target, &rest);
            let log = compile_to_ir(&lowered, &options, target, &IrAt::Lowered).err();
            check(builtin, device, log.as_deref().unwrap_or_default(), &lowered.text);
        }
    }
}

#[test]
fn every_row_lowers_on_a_generic_device() {
    every_row(&devices()[0].1, devices()[0].0, "");
}

#[test]
fn every_row_lowers_on_the_weakest_device() {
    every_row(&devices()[1].1, devices()[1].0, "");
}

#[test]
fn every_row_lowers_on_a_device_with_everything() {
    every_row(&devices()[2].1, devices()[2].0, "-cl-fast-relaxed-math");
}

#[test]
fn every_row_lowers_or_is_refused_without_a_memory_model() {
    every_row(&devices()[3].1, devices()[3].0, "-cl-fp32-correctly-rounded-divide-sqrt");
}

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<&str> = Builtin::all().map(Builtin::name).collect();
    assert_eq!(names.len(), Builtin::all().count());
    assert!(Builtin::all().all(|builtin| Builtin::named(builtin.name()) == Some(builtin)));
    for name in ["", "convert_int", "as_float4", "half_fma", "vload5", "vstore_half4_rtx", "vload"]
    {
        assert_eq!(Builtin::named(name), None, "{name}");
    }
}
