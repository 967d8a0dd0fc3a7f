//! Doubles that are computed by integers: the modules for devices without doubles.

use hekla_compiler::{compile, Compiled, Options, Quirks, Source, Target};

fn compiled(text: &str, target: &Target) -> Compiled {
    let source = Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse("-cl-std=CL3.0").unwrap_or_else(|e| panic!("{}", e.0));
    compile(&source, &options, target)
}

/// Returns the words of a program's kernel.
fn words(text: &str, target: &Target) -> Vec<u32> {
    let Compiled { program, log, .. } = compiled(text, target);
    program.unwrap_or_else(|| panic!("{log}")).kernels[0].spirv.clone()
}

/// Returns true if a module declares a float of 64 bits (OpTypeFloat), or the capability Float64.
fn has_doubles(words: &[u32]) -> bool {
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        let (count, op) = ((first >> 16) as usize, first & 0xffff);
        let is_type = op == 22 && rest[2] == 64;
        let is_capability = op == 17 && rest[1] == 10;
        if is_type || is_capability {
            return true;
        }
        rest = &rest[count..];
    }
    false
}

fn without_doubles() -> Target {
    Target { float64: false, ..Target::generic() }
}

const EVERYTHING: &str = "
    typedef struct { double4 v; double s; } both;
    kernel void k(global both *p, double x, local double *l, global float *f, global long *n) {
        size_t i = get_global_id(0);
        double sums[4];
        for (int j = 0; j < 4; j++) sums[j] = j == (int)i ? p[i].s : fma(x, p[j].s, (double)f[j]);
        l[get_local_id(0)] = sums[i & 3];
        barrier(CLK_LOCAL_MEM_FENCE);
        double4 v = p[i].v / l[0] + sqrt(p[i].v.wzyx) * (double4)(sums[0], sums[1], as_double(n[i]), x);
        v = select(v, -v, isless(v, (double4)x)) + work_group_reduce_add(x) + sub_group_reduce_max(x);
        p[i].v = convert_double4_rtz(convert_long4_sat_rte(v)) + sin(v) + floor(v) + fmin(v, x) + rint(v);
        vstore_half(v.x, i, (global half *)f);
        f[i] = v.y;
        n[i] = v.z < x;
        printf(\"%f %v4g\\n\", x, v);
    }";

#[test]
fn no_module_has_doubles_that_the_device_lacks() {
    for target in [without_doubles(), Target::minimal()] {
        assert!(compiled(EVERYTHING, &target).program.is_none());
        assert!(!has_doubles(&words(EVERYTHING, &target.with_soft_doubles())));
    }
    assert!(has_doubles(&words(EVERYTHING, &Target::generic())));
}

#[test]
fn devices_with_doubles_and_programs_without_stay_as_they_are() {
    let generic = Target::generic();
    assert_eq!(generic.clone().with_soft_doubles(), generic);
    let floats =
        "kernel void k(global float *p, global long *n) { p[0] = sin(p[1]) / p[2]; n[0] = p[3]; }";
    let target = without_doubles();
    assert_eq!(words(floats, &target), words(floats, &target.clone().with_soft_doubles()));
}

/// Constant expressions are folded as doubles, before integers replace these.
#[test]
fn constants_are_folded() {
    let target = without_doubles().with_soft_doubles();
    let folded =
        words("kernel void k(global double *p) { p[0] = sqrt(2.0) * 3.0 + 1 / 7.0; }", &target);
    let stored = words("kernel void k(global long *p) { p[0] = 1; }", &target);
    assert!(folded.len() <= stored.len() + 4);
}

#[test]
fn kernels_that_a_driver_cannot_compile_are_refused() {
    let target = Target { quirks: Quirks::SMALL_FRAMES, ..Target::minimal() }.with_soft_doubles();
    let kernel = |name| format!("kernel void k(global double *p) {{ p[0] = {name}(p[1], p[2]); }}");
    let log = compiled(&kernel("pow"), &target).log;
    assert!(log.contains("larger frames which this device does not offer"), "{log}");
    assert!(compiled(&kernel("atan2"), &target).program.is_some());
    let other = Target::minimal().with_soft_doubles();
    assert!(compiled(&kernel("pow"), &other).program.is_some());
}
