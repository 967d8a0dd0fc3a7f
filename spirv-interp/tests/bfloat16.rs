//! Cooperative matrices of bfloat16 in OpenCL C: no driver that runs the tests has them, so the interpreter does.

mod support;

use hekla_compiler::target::Subgroups as Subgroup;
use hekla_compiler::{MatrixComponent, MatrixProduct, Target};
use hekla_spirv_interp::spirv::{Capability, Op};
use hekla_spirv_interp::Launch;
use support::Device;

/// The size of all matrices here, and of sub-groups.
const SIZE: usize = 8;

const HEAD: &str = "
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(__bf16, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(__bf16, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(__bf16, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) S;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
";

/// Returns a device whose products have sums of float and of bfloat16.
fn device() -> Device {
    let capable = support::capable();
    let subgroups = capable.target.subgroups.expect("sub-groups");
    let a = MatrixComponent::BF16;
    let product = |c| MatrixProduct { m: 8, n: 8, k: 8, a, b: a, c, result: c, saturates: false };
    let matrices = [MatrixComponent::F32, a].map(product).to_vec();
    let sizes = [SIZE as u32; 2];
    let subgroups = Some(Subgroup { size: SIZE as u32, sizes, ..subgroups });
    let target = Target { subgroups, matrices, ..capable.target.clone() };
    Device { name: "one with bfloat16", target, ..capable }
}

fn build(text: &str) -> Result<hekla_compiler::Program, String> {
    support::build(&format!("{HEAD}{text}"), "-cl-std=CL3.0", &device().target)
}

/// Runs a kernel, in one sub-group, on words in memory.
fn run(text: &str, words: &[u32]) -> Vec<u32> {
    let (device, program) = (device(), build(text).expect("a program"));
    let kernel = support::kernel(&program, "test").expect("the kernel");
    let global = [SIZE as u64, 1, 1];
    let local = [SIZE as u32, 1, 1];
    let subgroups = device.subgroups(kernel);
    let launch = Launch { global, local, subgroups, floats: device.floats, ..Launch::default() };
    support::run_on_words(&program, kernel, words, launch).expect("a result")
}

/// Returns the bits of the bfloat16 that is nearest to a float.
fn nearest(x: f32) -> u16 {
    let bits = x.to_bits();
    ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

fn number(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Returns the halves of words, the low one first.
fn halves(words: &[u32]) -> Vec<u16> {
    words.iter().flat_map(|word| [*word as u16, (word >> 16) as u16]).collect()
}

fn words(halves: &[u16]) -> Vec<u32> {
    halves.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect()
}

/// Returns 64 numbers, some of which no half could hold.
fn numbers(seed: usize) -> Vec<u16> {
    let at = |i: usize| ((i * 37 + seed * 11) % 23) as f32 - 11.0;
    (0..64).map(|i| nearest(if i % 9 == 0 { at(i) * 1e9 } else { at(i) * 0.125 })).collect()
}

/// Returns the product of two matrices, one row by row and one column by column, added to a third.
fn product(a: &[u16], b: &[u16], c: impl Fn(usize) -> f32) -> Vec<f32> {
    let sum = |i: usize, j: usize| {
        (0..8).fold(c(8 * i + j), |sum, k| sum + number(a[8 * i + k]) * number(b[8 * j + k]))
    };
    (0..64).map(|at| sum(at / 8, at % 8)).collect()
}

#[test]
fn products_are_summed_in_float() {
    let (a, b) = (numbers(1), numbers(2));
    let mut memory = [words(&a), words(&b)].concat();
    memory.extend((0..64).map(|i| (i as f32).to_bits()));
    let text = "
kernel void test(global ushort *p) {
    local short tile[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) tile[i] = p[64 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(p, ROWS, 8);
    B b = coop_mat_load(tile, COLUMNS, 8);
    C c = coop_mat_load((global float *)p + 64, ROWS, 8);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store((global float *)p + 64, c, ROWS, 8);
}";
    let result = run(text, &memory);
    let expected: Vec<u32> =
        product(&a, &b, |at| at as f32).into_iter().map(f32::to_bits).collect();
    assert_eq!(result[64..], expected);
    assert_eq!(result[..64], memory[..64]);
}

#[test]
fn or_in_bfloat16() {
    let (a, b, c) = (numbers(3), numbers(4), numbers(5));
    let memory = [words(&a), words(&b), words(&c)].concat();
    let text = "
kernel void test(global ushort *p) {
    A a = coop_mat_load(p, ROWS, 8);
    B b = coop_mat_load(p + 64, COLUMNS, 8);
    S c = coop_mat_load(p + 128, ROWS, 8);
    S d = coop_mat_mulAdd(a, b, c);
    coop_mat_store(p + 128, d, ROWS, 8);
}";
    let result = halves(&run(text, &memory)[64..]);
    let expected = product(&a, &b, |at| number(c[at]));
    assert_eq!(result, expected.into_iter().map(nearest).collect::<Vec<_>>());
}

#[test]
fn elements_are_bits_and_matrices_are_made_of_floats() {
    let a = numbers(6);
    let text = "
kernel void test(global ushort *p) {
    S x = coop_mat_load(p, ROWS, 8);
    for (uint i = 0; i < coop_mat_length(x); i++) x[i] ^= 0x8000;
    coop_mat_store(p + 384, x, COLUMNS, 8);
    S y[2] = { coop_mat_init(1.00390625f), coop_mat_init(-3) };
    for (uint i = 0; i < coop_mat_length(y[1]); i++)
        if (i == 0) y[1][i] = intel_convert_bfloat16_as_ushort(0.5f);
    coop_mat_store(p + 64, y[0], ROWS, 8);
    coop_mat_store(p + 128, y[1], ROWS, 8);
    C wide = (C)x;
    coop_mat_store((global float *)(p + 192), wide, ROWS, 8);
    C rough = coop_mat_init(1.01171875f);
    S narrow = (S)rough;
    coop_mat_store(p + 320, narrow, ROWS, 8);
}";
    let memory = [words(&a), vec![0; 192]].concat();
    let result = run(text, &memory);
    let stored = halves(&result);
    for at in 0..64 {
        let (row, column) = (at / 8, at % 8);
        assert_eq!(stored[384 + 8 * column + row], a[at] ^ 0x8000);
        // Halfway between two: to the even one.
        assert_eq!(stored[64 + at], 0x3f80);
        assert_eq!(stored[128 + at], if at < 8 { 0x3f00 } else { 0xc040 });
        assert_eq!(result[96 + at], u32::from(a[at] ^ 0x8000) << 16);
        assert_eq!(stored[320 + at], 0x3f82);
    }
}

#[test]
fn modules_name_what_they_need() {
    let text = "
kernel void test(global ushort *p) {
    A a = coop_mat_load(p, ROWS, 8);
    coop_mat_store(p, a, COLUMNS, 8);
}";
    let program = build(text).expect("a program");
    let words = &program.kernels[0].spirv;
    let declared: Vec<u32> = words[5..]
        .chunks_exact(2)
        .take_while(|words| words[0] == 2 << 16 | Op::Capability as u32)
        .map(|words| words[1])
        .collect();
    for needed in [Capability::BFloat16TypeKHR, Capability::BFloat16CooperativeMatrixKHR] {
        assert!(declared.contains(&(needed as u32)), "{needed:?}");
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    assert!(has(b"SPV_KHR_bfloat16\0"));
}

#[test]
fn mistakes_are_errors_of_the_build() {
    for (text, message) in [
        ("void g(A a) { a = a + a; }", "matrices of '__bf16' are not computed with"),
        ("void g(A a) { a = -a; }", "invalid argument type"),
        ("void g(A a) { a = a * 2; }", "matrices of '__bf16' are not computed with"),
        ("void g(A a) { a *= 2; }", "matrices of '__bf16' are not computed with"),
        ("void g(A a) { a -= a; }", "matrices of '__bf16' are not computed with"),
        ("__bf16 x;", "type '__bf16' can only be used as that of a cooperative matrix's elements"),
        ("void g(__bf16 x) {}", "type '__bf16' can only be used as"),
        ("void g(global __bf16 *x) {}", "type '__bf16' can only be used as"),
        ("int g() { return sizeof(__bf16); }", "type '__bf16' can only be used as"),
        ("struct s { __bf16 x; };", "type '__bf16' can only be used as"),
        ("typedef __bf16 T;", "type '__bf16' can only be used as"),
        ("typedef MAT(__bf16, 2) T[2]; __bf16 f(void);", "type '__bf16' can only be used as"),
        (
            "typedef __bf16 __attribute__((coop_mat(4, 8, 16, 0))) T;",
            "no matrix of bf16 with 8 rows and 16 columns for use A; it computes bfloat16 8x8 * bfloat16 8x8 + float -> float",
        ),
        ("typedef MAT(half, 0) T;", "the device has no matrix of f16"),
        (
            "typedef MAT(float, 2) T; void g(A a, B b, S c) { T x = coop_mat_mulAdd(a, b, c); }",
            "the device has no product bf16 8x8 * bf16 8x8 + bf16 8x8 -> f32 8x8",
        ),
        (
            "void g(global half *p) { A a = coop_mat_load(p, ROWS, 8); }",
            "inconsistent between cooperative matrix element type and buffer pointer type",
        ),
        (
            "void g(global uint *p, A a) { coop_mat_store(p, a, ROWS, 8); }",
            "inconsistent between cooperative matrix element type and buffer pointer type",
        ),
        ("kernel void test(global ushort *p, A a) {}", "cannot be used as the type of a kernel"),
    ] {
        let log = build(text).err().unwrap_or_default();
        assert!(log.contains(message), "{text}: {log}");
    }
}
