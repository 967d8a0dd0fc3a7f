//! Cooperative matrices: the types in the modules have the signs of products that the device lists.

use hekla_compiler::{compile, MatrixComponent, MatrixProduct, Options, Source, Target};
use rspirv::spirv::Op;
use std::collections::BTreeMap;

use MatrixComponent::{BF16, F16, F32, I32, I8, U32, U8};

fn product(a: MatrixComponent, b: MatrixComponent, c: MatrixComponent) -> MatrixProduct {
    MatrixProduct { m: 16, n: 16, k: 32, a, b, c, result: c, saturates: false }
}

fn target(matrices: &[MatrixProduct]) -> Target {
    Target { float16: true, matrices: matrices.to_vec(), ..Target::generic() }
}

/// Returns a kernel with a product for each pair of names of element types: factors of `char` and a sum of `int`, and so on.
fn kernel(products: &[(&str, &str)]) -> String {
    let mut text =
        String::from("#define MAT(t, r, c, u) t __attribute__((coop_mat(4, r, c, u)))\n");
    let mut params = Vec::new();
    let mut body = String::new();
    for (i, (factor, sum)) in products.iter().enumerate() {
        text += &format!(
            "typedef MAT({factor}, 16, 32, 0) A{i};\ntypedef MAT({factor}, 32, 16, 1) B{i};\n\
             typedef MAT({sum}, 16, 16, 2) C{i};\n"
        );
        params.push(format!("global {factor} *f{i}, global {sum} *s{i}"));
        body += &format!(
            "A{i} a{i} = coop_mat_load(f{i}, 0, 32);\nB{i} b{i} = coop_mat_load(f{i}, 1, 32);\n\
             C{i} c{i} = coop_mat_load(s{i}, 0, 16);\nc{i} = coop_mat_mulAdd(a{i}, b{i}, c{i});\n\
             for (uint i = 0; i < coop_mat_length(c{i}); i++) c{i}[i] *= 2;\nc{i} = -c{i} * 3;\n\
             coop_mat_store(s{i}, c{i}, 0, 16);\n"
        );
    }
    format!("{text}kernel void f({}) {{\n{body}}}\n", params.join(", "))
}

fn build(text: &str, target: &Target) -> Result<Vec<u32>, String> {
    let options = Options::parse("-cl-std=CL3.0").expect("options");
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &options, target);
    let program = compiled.program.ok_or(compiled.log)?;
    Ok(program.kernels[0].spirv.clone())
}

/// Returns the components of a module's matrix types, and the number of conversions between signs.
fn found(words: &[u32]) -> (Vec<String>, usize) {
    let (mut types, mut matrices, mut bitcasts) = (BTreeMap::new(), BTreeMap::new(), 0);
    let mut at = 5;
    while at < words.len() {
        let (count, op) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let operands = &words[at + 1..at + count];
        match Op::from_u32(op) {
            Some(Op::TypeInt) => {
                let sign = if operands[2] == 1 { "s" } else { "u" };
                types.insert(operands[0], format!("{sign}{}", operands[1]));
            }
            Some(Op::TypeFloat) => {
                // The only encoding is that of bfloat16.
                let kind = if operands.len() > 2 { "bf" } else { "f" };
                types.insert(operands[0], format!("{kind}{}", operands[1]));
            }
            Some(Op::TypeCooperativeMatrixKHR) => {
                matrices.insert(operands[0], types[&operands[1]].clone());
            }
            Some(Op::Bitcast) if matrices.contains_key(&operands[0]) => bitcasts += 1,
            _ => {}
        }
        at += count;
    }
    let mut components: Vec<String> = matrices.into_values().collect();
    components.sort();
    (components, bitcasts)
}

#[test]
fn types_have_the_signs_of_the_products() {
    let all = [product(F16, F16, F32), product(U8, U8, U32), product(I8, I8, I32)];
    let device = target(&all);
    for (names, components) in [
        (("half", "float"), ["f16", "f16", "f32"]),
        (("uchar", "uint"), ["u32", "u8", "u8"]),
        (("char", "int"), ["s32", "s8", "s8"]),
    ] {
        let words = build(&kernel(&[names]), &device).expect("a module");
        assert_eq!(found(&words), (components.map(String::from).to_vec(), 0), "{names:?}");
    }
}

#[test]
fn products_of_both_signs_convert_one() {
    let device = target(&[product(U8, U8, U32), product(I8, I8, I32)]);
    let words = build(&kernel(&[("char", "int"), ("uchar", "uint")]), &device).expect("a module");
    let (components, bitcasts) = found(&words);
    assert_eq!(components, ["s32", "s8", "s8", "u32", "u8", "u8"]);
    // Both factors, the summand and the sum are converted.
    assert_eq!(bitcasts, 4);
}

#[test]
fn matrices_of_no_product_are_of_those_that_the_device_has() {
    let text = "typedef int __attribute__((coop_mat(4, 16, 16, 2))) C;\n\
                kernel void f(global int *p) { C c = coop_mat_load(p, 0, 16); coop_mat_store(p, c, 1, 16); }";
    for (products, component) in
        [(vec![product(I8, I8, I32)], "s32"), (vec![product(U8, U8, U32)], "u32")]
    {
        let words = build(text, &target(&products)).expect("a module");
        assert_eq!(found(&words), (vec![component.to_string()], 0));
    }
}

#[test]
fn halves_and_bfloat16_are_different_types() {
    let text = "typedef half __attribute__((coop_mat(4, 16, 32, 0))) A;\n\
                typedef __bf16 __attribute__((coop_mat(4, 16, 32, 0))) B;\n\
                kernel void f(global half *p, global ushort *q) {\n\
                A a = coop_mat_load(p, 0, 32); coop_mat_store(p, a, 1, 16);\n\
                B b = coop_mat_load(q, 0, 32); coop_mat_store(q, b, 1, 16); }";
    let half = product(F16, F16, F32);
    let words = build(text, &target(&[half, product(BF16, BF16, F32)])).expect("a module");
    assert_eq!(found(&words), (vec!["bf16".to_string(), "f16".to_string()], 0));
    let log = build(text, &target(&[half])).expect_err("an error");
    assert!(log.contains("the device has no matrix of bf16 with 16 rows and 32 columns"), "{log}");
}

#[test]
fn addresses_are_aligned_as_vulkan_asks() {
    let device = target(&[product(F16, F16, F32), product(I8, I8, I32)]);
    let words = build(&kernel(&[("half", "float")]), &device).expect("a module");
    let mut at = 5;
    let mut alignments = Vec::new();
    while at < words.len() {
        let (count, op) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let first = match Op::from_u32(op) {
            Some(Op::CooperativeMatrixLoadKHR) => 6,
            Some(Op::CooperativeMatrixStoreKHR) => 5,
            _ => count,
        };
        if first + 1 < count {
            assert_ne!(words[at + first] & 2, 0, "Aligned");
            alignments.push(words[at + first + 1]);
        }
        at += count;
    }
    assert_eq!(alignments, [16, 16, 16, 16]);
}

#[test]
fn kernels_that_check_themselves_have_no_matrices() {
    let device = target(&[product(F16, F16, F32)]);
    let checked = Target { checks: hekla_compiler::checks::Checks::all(), ..device.clone() };
    assert!(device.extensions().contains(&"cl_khr_cooperative_matrix"));
    assert!(!checked.extensions().contains(&"cl_khr_cooperative_matrix"));
    let log = build(&kernel(&[("half", "float")]), &checked).expect_err("an error");
    assert!(log.contains("requires cl_khr_cooperative_matrix"), "{log}");
}

/// The macros of `examples/gemm.cl` for matrices of 16 x 16 with sub-groups of 32.
fn gemm_options(factor: &str, sum: &str, deep: u32) -> String {
    format!(
        "-cl-std=CL3.0 -DUSE_MATRICES -DT={factor} -DACC={sum} -DSUB_GROUP=32 -DTM=16 -DTN=16 -DTK={deep} -DSM=64 -DSN=64 \
         -DBM=128 -DBN=256 -DBK={}",
        2 * deep
    )
}

#[test]
fn a_large_product_keeps_its_sums_in_registers() {
    let k16 = |a, c| MatrixProduct { k: 16, ..product(a, a, c) };
    let device = Target {
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        quirks: hekla_compiler::Quirks::WHOLE_LOCAL_VECTORS,
        ..target(&[k16(F16, F32), product(I8, I8, I32)])
    };
    for (factor, sum, deep) in [("half", "float", 16), ("char", "int", 32)] {
        let options = Options::parse(&gemm_options(factor, sum, deep)).expect("options");
        let text = include_str!("../../examples/gemm.cl").into();
        let source = Source { name: "gemm.cl".into(), text, headers: Vec::new() };
        let compiled = compile(&source, &options, &device);
        let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
        let words = &program.kernels[0].spirv;
        let count = |op: Op, test: &dyn Fn(&[u32]) -> bool| {
            instructions(words).filter(|inst| inst[0] & 0xffff == op as u32 && test(inst)).count()
        };
        // 4 x 4 sums, in each of the two steps through a block.
        assert_eq!(count(Op::CooperativeMatrixMulAddKHR, &|_| true), 32, "{factor}");
        assert_eq!(found(words).1, 0, "{factor}");
        let is_of_function = |inst: &[u32]| inst[3] == rspirv::spirv::StorageClass::Function as u32;
        assert_eq!(count(Op::Variable, &is_of_function), 0, "{factor}");
    }
}

/// Returns the instructions of a module.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = &words[5..];
    std::iter::from_fn(move || {
        let (inst, more) = rest.split_at_checked((rest.first()? >> 16) as usize)?;
        rest = more;
        Some(inst)
    })
}
