//! What is emitted for drivers of Mesa for GPUs alone.

mod module_support;

use hekla_compiler::target::FloatTraits;
use hekla_compiler::{Quirks, Target};
use module_support::{count, module};
use rspirv::spirv::Op;

/// Returns the number of instructions with an opcode, with a quirk and without.
fn counts(op: Op, quirks: Quirks, text: &str) -> [usize; 2] {
    [quirks, Quirks::empty()].map(|quirks| {
        let module = module(text, &Target { quirks, ..Target::generic() });
        count(&module, |inst| inst.class.opcode == op)
    })
}

#[test]
fn divisions_that_overflow_need_no_guard() {
    let text =
        "kernel void k(global int *a, int x, int y) { a[0] = x / y; a[1] = x % y; a[2] = x % 7; }";
    // One select makes the divisor harmless.
    assert_eq!(counts(Op::Select, Quirks::QUIET_DIVISIONS, text), [0, 1]);
    assert_eq!(counts(Op::SDiv, Quirks::QUIET_DIVISIONS, text), [2, 2]);
}

#[test]
fn loops_stay_as_they_are() {
    let text = "kernel void k(global float *a, uint n) {
        float s = 0; for (uint i = 0; i < n; i++) s += a[i]; a[0] = s; }";
    assert_eq!(counts(Op::LoopMerge, Quirks::PLAIN_LOOPS, text), [1, 2]);
    let hint = "__attribute__((opencl_unroll_hint(2))) for";
    let asked = text.replace("for", hint);
    assert_eq!(counts(Op::LoopMerge, Quirks::PLAIN_LOOPS, &asked), [2, 2]);
}

#[test]
fn halves_are_made_by_the_device() {
    let text = "kernel void k(global half *a, float x) { vstore_half(x, 0, a); }";
    let device = Target {
        float16: true,
        rounding_rte_16: true,
        denorm_preserve_16: true,
        quirks: Quirks::KEPT_NARROWINGS,
        ..Target::generic()
    };
    let conversions =
        |target: &Target| count(&module(text, target), |inst| inst.class.opcode == Op::FConvert);
    assert_eq!(conversions(&device), 1);
    assert_eq!(conversions(&Target { quirks: Quirks::empty(), ..device.clone() }), 0);
    assert_eq!(conversions(&Target { rounding_rte_16: false, ..device.clone() }), 0);
    assert_eq!(conversions(&Target { denorm_preserve_16: false, ..device.clone() }), 0);
    let wrong = FloatTraits { narrows: false, ..FloatTraits::IEEE };
    assert_eq!(conversions(&Target { float_traits: [wrong; 3], ..device }), 0);
}

#[test]
fn words_become_vectors() {
    let text = "kernel void k(global const float *restrict a, global float *restrict b, ulong i) {
        for (int j = 0; j < 7; j++) b[i * 7 + j] = a[j + 1]; }";
    assert_eq!(counts(Op::Store, Quirks::WORD_VECTORS, text), [2, 7]);
    // Not without scalarBlockLayout, by which vectors need no more alignment than their lanes.
    let quirks = Quirks::WORD_VECTORS;
    let weak = Target { quirks, scalar_block_layout: false, ..Target::generic() };
    assert_eq!(count(&module(text, &weak), |inst| inst.class.opcode == Op::Store), 7);
    // Nor where addresses are pairs of words.
    let weak = Target { quirks, int64: false, ..Target::generic() };
    assert_eq!(count(&module(text, &weak), |inst| inst.class.opcode == Op::Store), 7);
    // Nor of what is smaller than words.
    let bytes = "kernel void k(global uchar *b, uint i, uchar x) { b[i] = x; b[i + 1] = x; }";
    assert_eq!(counts(Op::Store, quirks, bytes), [2, 2]);
}

#[test]
fn tests_of_loops_break() {
    let quirk = Quirks::COSTLY_SELECTIONS;
    let text =
        "kernel void k(global float *a, uint n) { for (uint i = 0; i < n; i++) a[i * i] = 1; }";
    assert_eq!(counts(Op::SelectionMerge, quirk, text), [1, 2]);
    let inner = "kernel void k(global float *a, uint n) {
        for (uint i = 0; i < n; i++) { if (a[i] < 0) break; a[i * i] = 1; if (a[i] > 2) a[i + 1] = 3; } }";
    let [with, without] = counts(Op::SelectionMerge, quirk, inner);
    assert!(with < without && with >= 1, "{with} {without}");
    let ordinary = "kernel void k(global float *a, uint n) { if (n) a[n] = 1; }";
    let [with, without] = counts(Op::SelectionMerge, quirk, ordinary);
    assert_eq!(with, without);
}

/// What is behind the only exit of a loop is not done in it, where work-items leave one after the other.
#[test]
fn what_follows_a_loop_is_behind_it() {
    let text = "kernel void k(global float *a, uint n) {
        float v[16]; for (uint i = 0; i < 16; i++) v[i] = a[i * n];
        for (uint i = 1; i < n; i++) {
            float x = v[i & 15]; uint j = i;
            while (v[j & 15] > x) { v[(j + 1) & 15] = v[j & 15]; j--; }
            v[(j + 1) & 15] = x;
        }
        a[n] = v[n & 15]; }";
    assert_eq!(counts(Op::SelectionMerge, Quirks::COSTLY_SELECTIONS, text), [1, 3]);
}

#[test]
fn addresses_are_numbers_of_64_bits() {
    let quirk = Quirks::SPLIT_ADDRESSES;
    // An array of the two addresses, and one of the words behind them.
    let text = "kernel void k(global uint *a, global uint *b, uint n) { b[0] = a[0] + n; }";
    assert_eq!(counts(Op::TypeArray, quirk, text), [2, 1]);
    // What tells the size of the launch follows.
    let mixed = "kernel void k(global uint *a, uint n, global uint *b) { b[0] = a[0] + n; }";
    assert_eq!(counts(Op::TypeArray, quirk, mixed), [4, 1]);
    // Not without such numbers.
    let weak = Target { quirks: quirk, int64: false, ..Target::generic() };
    assert_eq!(count(&module(mixed, &weak), |inst| inst.class.opcode == Op::TypeArray), 1);
}

#[test]
fn halves_of_products_are_made_at_once() {
    let text = "kernel void k(global uint *a, uint x, uint y) { a[0] = x * y; a[1] = mul_hi(y, x); a[2] = x * 3; }";
    assert_eq!(counts(Op::IMul, Quirks::PAIRED_PRODUCTS, text), [1, 2]);
    assert_eq!(counts(Op::UMulExtended, Quirks::PAIRED_PRODUCTS, text), [1, 1]);
}

#[test]
fn indices_are_products_of_words() {
    let quirk = Quirks::SPLIT_PRODUCTS;
    // The offset of the launch is multiplied on its own.
    let places = "kernel void k(global uint3 *a) { a[get_global_id(0) * 3] = 0; }";
    assert_eq!(counts(Op::UMulExtended, quirk, places), [1, 0]);
    assert_eq!(counts(Op::IMul, quirk, places), [1, 1]);
    let signed = "kernel void k(global uint *a, int i) { a[i] = 0; }";
    assert_eq!(counts(Op::SMulExtended, quirk, signed), [1, 0]);
    // Shifts of words without signs stay, and what is no word.
    for text in [
        "kernel void k(global uint *a, uint i) { a[i] = 0; }",
        "kernel void k(global uint3 *a, ulong i) { a[i * 3] = 0; }",
    ] {
        assert_eq!(counts(Op::UMulExtended, quirk, text), [0, 0]);
    }
    // The factor is no signed word.
    let large = "kernel void k(global ulong *a, int i) {
        a[0] = (long)i * 0x80000000; a[1] = (long)i << 31; a[2] = (ulong)i * 0xfffffffb; }";
    assert_eq!(counts(Op::SMulExtended, quirk, large), [0, 0]);
    let large = "kernel void k(global ulong *a, uint i) { a[0] = (ulong)i * 0xfffffffb; a[1] = i * 0x100000003; }";
    assert_eq!(counts(Op::UMulExtended, quirk, large), [1, 0]);
    // Not where 64-bit integers are pairs of words.
    let weak = Target { quirks: quirk, int64: false, ..Target::generic() };
    assert_eq!(count(&module(signed, &weak), |inst| inst.class.opcode == Op::SMulExtended), 0);
}

#[test]
fn products_a_step_away_are_sums() {
    let text = "kernel void k(global float *a, global const float *b, int w) {
        int x = get_global_id(0), y = get_global_id(1);
        a[x] = b[(y - 1) * w + x] + b[y * w + x] + b[(y + 1) * w + x]; }";
    assert_eq!(counts(Op::IMul, Quirks::SLOW_PRODUCTS, text), [1, 3]);
}

#[test]
fn high_halves_are_chained_sums() {
    let text = "kernel void k(global ulong *a, ulong x, ulong y) { a[0] = mul_hi(x, y); }";
    assert_eq!(counts(Op::UMulExtended, Quirks::SUMMED_PRODUCTS, text), [1, 0]);
    assert_eq!(counts(Op::IMul, Quirks::SUMMED_PRODUCTS, text), [3, 4]);
    assert_eq!(counts(Op::BitwiseAnd, Quirks::SUMMED_PRODUCTS, text), [0, 4]);
}

#[test]
fn loops_of_known_length_are_the_drivers() {
    let quirk = Quirks::UNROLLED_BY_DRIVER;
    let text = "kernel void k(global const float *a, global float *b, constant float *c) {
        uint x = get_global_id(0); float s = 0;
        for (int i = 0; i < 31; i++) s += a[x + i * 3] * c[i] + c[i * 2];
        b[x] = s; }";
    assert_eq!(counts(Op::LoopMerge, quirk, text), [1, 2]);
    let more = text.replace("31;", "33;");
    assert_eq!(counts(Op::LoopMerge, quirk, &more), [2, 2]);
    let asked = text.replace("for", "__attribute__((opencl_unroll_hint(2))) for");
    assert_eq!(counts(Op::LoopMerge, quirk, &asked), [2, 2]);
}
