//! Half arithmetic (cl_khr_fp16) is offered exactly where the device has it.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::{compile, Compiled, Options, Source, Target};

const PROGRAM: &str = "
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    constant half table[2] = { 1.0h, HALF_MAX };
    kernel void k(half s, half3 v, global half4 *out, local half *l) {
        half whole; int e; half sine, cosine;
        l[get_local_id(0)] = fma(s, v.x, table[1]) / v.y;
        barrier(CLK_LOCAL_MEM_FENCE);
        half f = fract(l[0], &whole) + frexp(s, &e) + nextafter(s, v.z);
        sine = sincos(s, &cosine);
        out[0] = normalize((half4)(f, whole, sine, cosine)) * (half4)(s);
        out[1] = convert_half4_rtz(convert_float4(out[0])) + (half4)(length(v), e, pown(s, 3), 1);
        out[2] = isless(v.x, v.y) ? select(out[0], out[1], as_short4(out[2])) : clamp(out[1], 0, 1);
        out[3] = convert_half4_sat(v.xxyy) == out[2] ? out[1] : out[0];
    }";

fn compiled(text: &str, target: &Target) -> Compiled {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    compile(&source, &Options::default(), target)
}

#[test]
fn halves_are_computed_with_where_the_device_can() {
    let text = PROGRAM.replace("convert_half4_sat(v.xxyy) == out[2]", "v.xxyy == out[2]");
    for (name, target) in support::targets() {
        let compiled = compiled(&text, &target);
        if !target.float16 {
            assert!(compiled.program.is_none(), "{name}");
            assert!(compiled.log.contains("half"), "{name}: {}", compiled.log);
            continue;
        }
        let program = compiled.program.unwrap_or_else(|| panic!("{name}: {}", compiled.log));
        if let Err(message) = support::validate(&program.kernels[0].spirv) {
            panic!("{name}: {message}\n{}", support::disassemble(&program.kernels[0].spirv));
        }
    }
}

#[test]
fn halves_do_not_saturate() {
    let (_, rich) = support::targets().swap_remove(1);
    let log = compiled(PROGRAM, &rich).log;
    assert!(log.contains("no matching function for call to 'convert_half4_sat'"), "{log}");
}

#[test]
fn the_macro_tells() {
    let text = "#ifdef cl_khr_fp16\n#error \"half\"\n#endif\nkernel void k() {}";
    for (name, target) in support::targets() {
        assert_eq!(compiled(text, &target).program.is_none(), target.float16, "{name}");
    }
}

/// Memory that a module views as 16-bit integers may hold halves: to convert one to the other is arithmetic on such integers,
/// for which the module declares a capability. (Found by fuzzing.)
#[test]
fn halves_in_memory_of_integers_are_declared() {
    let text = "
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(local half *halves, local uint *words, global uint *out) {
            halves[get_local_id(0)] = get_local_id(0) > 1 ? 0.5h : 2.0h;
            words[0] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[0] = halves[0] < 1.0h;
        }";
    for (name, target) in support::targets().into_iter().filter(|(_, target)| target.float16) {
        let compiled = compiled(text, &target);
        let program = compiled.program.unwrap_or_else(|| panic!("{name}: {}", compiled.log));
        let spirv = &program.kernels[0].spirv;
        if let Err(message) = support::validate(spirv) {
            panic!("{name}: {message}\n{}", support::disassemble(spirv));
        }
    }
}
