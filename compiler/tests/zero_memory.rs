//! Contexts that want memory to be zero (cl_khr_initialize_memory): the modules are valid for every kind of device, no value in
//! them is undefined, and other contexts get no extra code.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::{compile, Options, Source, Target};
use support::{disassemble, targets, validate};

const TEXT: &str = "
typedef struct { char c; long l; } Record;
__attribute__((noinline)) int many(int n) { int a[64]; int x; int *p = n ? &x : a + n; *p = n; return a[n] + x; }
kernel void test(global int *out, local short *given, int n) {
    local uchar own[5];
    local int words[5];
    Record r; float4 v; int a[9]; ulong wide;
    do { out[0] += given[n] + own[n] + words[n]; barrier(CLK_LOCAL_MEM_FENCE); } while (out[0] < n);
    switch (n) { int x; case 3: out[n] = x + many(n) + many(n + 1); }
    out[1] = r.c + r.l + (int)v.w + a[n] + wide + (n ? x_of(n) : 0);
}";

/// Returns the texts of the kernels' modules, which must be valid.
fn modules(target: &Target) -> Vec<String> {
    let text = format!("int x_of(int n) {{ int x; if (n > 3) x = n; return x; }}{TEXT}");
    let source = Source { text, ..Source::default() };
    let compiled = compile(&source, &Options::default(), target);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    let modules = program.kernels.iter().map(|kernel| {
        let text = disassemble(&kernel.spirv);
        validate(&kernel.spirv).unwrap_or_else(|error| panic!("{error}\n{text}"));
        text
    });
    modules.collect()
}

#[test]
fn modules_are_valid_and_wholly_defined() {
    for (name, target) in targets() {
        let target = Target { zero_local: true, zero_private: true, ..target };
        for module in modules(&target) {
            assert!(!module.contains("OpUndef"), "{name}:\n{module}");
            for line in module.lines().filter(|line| line.contains("= OpVariable")) {
                let private = line.contains(" Function") || line.contains(" Private");
                assert_eq!(line.split_whitespace().count() > 5, private, "{name}: {line}");
            }
        }
    }
}

#[test]
fn others_pay_nothing() {
    for (_, target) in targets() {
        for (zero_local, zero_private) in [(false, false), (true, false), (false, true)] {
            let modules = modules(&Target { zero_local, zero_private, ..target.clone() });
            let barriers = modules[0].matches("OpControlBarrier").count();
            assert_eq!(barriers, if zero_local { 2 } else { 1 });
            assert_eq!(modules[0].contains("OpConstantNull %_arr"), zero_private);
        }
    }
}
