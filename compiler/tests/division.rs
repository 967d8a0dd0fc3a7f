//! Divisions of 64-bit numbers that usually fit 32 bits: ids without an offset are divided in 32 bits alone.

use hekla_compiler::ir::{parse, Module};
use hekla_compiler::{compile_to_ir, passes, IrAt, Options, Source, Target};

/// Returns a kernel's IR as a driver sees it that knows that the launch has no global offset.
fn without_offset(text: &str) -> Module {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let ir = compile_to_ir(&source, &Options::default(), &Target::generic(), &IrAt::End).unwrap();
    assert!(ir.contains(" = udiv ") || ir.contains(" = urem "), "{ir}");
    let ir = ir.replace("workitem has_offset 0", "icmp ne 0:i32, 0:i32");
    let mut module = parse::parse_module(&ir).unwrap();
    for pass in ["simplify", "dce"] {
        passes::run_named(&mut module, pass).unwrap().unwrap();
    }
    module
}

/// Returns the numbers of divisions in 32 bits and in 64 bits.
fn divisions(text: &str) -> [usize; 2] {
    let ir = without_offset(text).to_string();
    let count = |ty: &str| {
        let is_division = |op| ir.matches(&format!(":{ty} = {op} ")).count();
        ["udiv", "urem", "sdiv", "srem"].into_iter().map(is_division).sum()
    };
    ["i32", "i64"].map(count)
}

#[test]
fn ids_are_divided_in_32_bits() {
    let text = "kernel void k(global uint *out, uint w) {
        size_t i = get_global_id(0), row = i / w, column = i % w;
        out[column * w + row] = i / 10 + get_group_id(1) % get_local_size(0);
    }";
    assert_eq!(divisions(text), [4, 0]);
}

#[test]
fn what_may_be_more_is_divided_in_either() {
    let text = "kernel void k(global ulong *out, ulong w) {
        size_t i = get_global_id(0);
        out[i] = i / w ^ i % w;
    }";
    assert_eq!(divisions(text), [2, 2]);
    let by_constant =
        "kernel void k(global ulong *out) { out[0] /= 10; out[1] = 5000000000 / out[1]; }";
    assert_eq!(divisions(by_constant), [0, 2]);
}
