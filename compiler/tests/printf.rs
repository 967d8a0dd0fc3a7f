//! `printf`: the diagnostics of its calls, the code that calls become on every kind of device, and the data of calls that
//! linking keeps.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::kernel::Field;
use hekla_compiler::{
    compile, compile_object, link, Compiled, LinkOptions, Object, Options, Source, Target,
};

fn source(text: &str) -> Source {
    Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() }
}

fn compiled(text: &str) -> Compiled {
    compile(&source(text), &Options::default(), &Target::generic())
}

/// Returns the line of the first diagnostic for a call in a kernel with variables of common types.
fn said(call: &str) -> String {
    let text = format!(
        "struct S {{ int x; }}; constant char named[] = \"%d\\n\";\n\
         kernel void k(global int *p, int i, long l, float f, float4 v, char2 c, double d,\n\
                       constant char *fmt) {{ struct S s; {call}; }}"
    );
    compiled(&text).log.lines().next().unwrap_or_default().to_string()
}

#[track_caller]
fn fine(call: &str) {
    assert_eq!(said(call), "", "{call}");
}

#[track_caller]
fn says(call: &str, message: &str) {
    let said = said(call);
    assert!(said.starts_with("t.cl:3:") && said.ends_with(message), "{call}: {said}");
}

#[test]
fn good_calls_are_passed_in_silence() {
    fine("printf(\"hello\\n\")");
    fine("printf(\"%d %i %u %o %x %X %hhd %hd\", i, i, i, i, i, i, i, i)");
    fine("printf(\"%ld %lu %lx %zu %td\", l, l, l, l, l)");
    fine("printf(\"%f %e %g %a %F %lf\", f, f, f, f, d, d)");
    fine("printf(\"%v4hlf %v2hhd %.2v4f\", v, c, v)");
    fine("printf(\"%c %s %p %p\", 'x', \"text\", p, &i)");
    fine("printf(\"%d%%\", (char)i)");
    fine("printf(i ? \"%d\" : \"%x\", i)");
    fine("printf(named, i)");
    fine("printf(\"%s\", i > 1 ? \"a\" : \"b\")");
}

#[test]
fn what_does_not_fit_the_format_is_told() {
    let wrong = |expected: &str, have: &str| {
        format!("warning: format specifies type '{expected}' but the argument has type '{have}'")
    };
    says("printf(\"%d\", f)", &wrong("int", "float"));
    says("printf(\"%d\", l)", &wrong("int", "long"));
    says("printf(\"%lu\", i)", &wrong("ulong", "int"));
    says("printf(\"%f\", i)", &wrong("double", "int"));
    says("printf(\"%f\", v)", &wrong("double", "float4"));
    says("printf(\"%v4hld\", v)", &wrong("int4", "float4"));
    says("printf(\"%v2hld\", c)", &wrong("int2", "char2"));
    says("printf(\"%v4lf\", v)", &wrong("double4", "float4"));
    says("printf(\"%s\", p)", &wrong("__constant char *", "__global int *"));
    says("printf(\"%p\", i)", &wrong("void *", "int"));
    says("printf(\"%c\", f)", &wrong("int", "float"));
    says("printf(i ? \"%d\" : \"%f\", i)", &wrong("double", "int"));
    says("printf(named, f)", &wrong("int", "float"));
}

#[test]
fn missing_and_superfluous_arguments_are_told() {
    says("printf(\"%d %d\", i)", "warning: more '%' conversions than data arguments");
    says("printf(\"%d\", i, f)", "warning: data argument not used by format string");
}

#[test]
fn what_no_format_string_may_have_is_told() {
    says("printf(\"100%\")", "warning: incomplete format specifier");
    says("printf(\"%y\", i)", "warning: invalid conversion specifier 'y'");
    says("printf(\"%n\", p)", "warning: invalid conversion specifier 'n'");
    says("printf(\"%*d\", i)", "warning: '*' is not supported by OpenCL C (in '%*d')");
    says("printf(\"%v5d\", i)", "warning: invalid vector specifier in '%v5d'");
    let length = "warning: length modifier 'L' is not supported by OpenCL C (in '%Lf')";
    says("printf(\"%Lf\", d)", length);
    says("printf(fmt, i)", "warning: format string is not a string literal");
}

#[test]
fn calls_without_meaning_are_errors() {
    says("printf()", "error: too few arguments to function call, expected at least 1, have 0");
    says("printf(\"%d\", s)", "error: cannot pass an object of type 'struct S' to printf");
    assert!(
        said("printf(p)").contains("error: passing '__global int *' to parameter"),
        "{}",
        said("printf(p)")
    );
    assert!(said("printf(i)").contains("error: incompatible integer to pointer conversion"));
    let many = format!("printf(\"\"{})", ", i".repeat(300));
    says(&many, "error: too many arguments to function call, expected at least 1, have 301");
}

/// A program may declare the function that it calls.
#[test]
fn printf_may_be_declared() {
    let compiled = compiled(
        "int printf(constant char *format, ...);
         kernel void k(global int *p) { p[0] = printf(\"%d %s\\n\", p[0], \"text\"); }",
    );
    assert_eq!(compiled.log, "");
    assert!(compiled.program.is_some());
}

const PRINTS: &str = "
    int show(int n, float4 v) { return n ? printf(\"%d %v4hlf\\n\", n, v) : 0; }
    kernel void prints(global int *p, global float4 *v, global short4 *h, global void *any) {
        local int shared;
        int own = p[1];
        for (int i = 0; i < p[0]; i++) {
            if (show(i, v[i]) < 0) break;
            p[i] = printf(\"%s %v4hd %ld %p %p %p\\n\", i & 1 ? \"odd\" : \"even\", h[i], (long)i,
                          any, &shared, &own);
        }
    }
    kernel void silent(global int *p) { p[0] = 1; }";

#[test]
fn every_kind_of_device_prints() {
    for (name, target) in support::targets() {
        let compiled = compile(&source(PRINTS), &Options::default(), &target);
        let program = compiled.program.unwrap_or_else(|| panic!("{name}: {}", compiled.log));
        for kernel in &program.kernels {
            let prints =
                kernel.argument_fields.iter().any(|entry| entry.field == Field::PrintfBuffer);
            assert_eq!(prints, kernel.name == "prints", "{name}");
            if let Err(message) = support::validate(&kernel.spirv) {
                panic!("{name}: {message}\n{}", support::disassemble(&kernel.spirv));
            }
        }
        let data = String::from_utf8_lossy(&program.data.bytes);
        assert!(data.contains("%d %v4hlf\n") && data.contains("odd\0"), "{name}: {data}");
    }
}

#[test]
fn formats_are_linked_and_read_back() {
    let object = |text: &str| {
        let compiled = compile_object(&source(text), &Options::default(), &Target::generic());
        let object = compiled.object.unwrap_or_else(|| panic!("{}", compiled.log));
        Object::read(&object.text(), object.module.kernels.to_vec(), object.flags).unwrap()
    };
    let callee = object("void say(int x) { printf(\"callee %d\\n\", x); }");
    let caller = object(
        "void say(int x); void unused() { printf(\"unused\"); }
         kernel void k(int x) { say(x); printf(\"caller\\n\"); }",
    );
    let linked = link(&[&callee, &caller], &LinkOptions::default(), &Target::generic());
    let program = linked.program.unwrap_or_else(|| panic!("{}", linked.log));
    let data = String::from_utf8_lossy(&program.data.bytes);
    assert!(data.contains("callee %d\n\0") && data.contains("caller\n\0"), "{data}");
    assert!(!data.contains("unused"), "{data}");
}
