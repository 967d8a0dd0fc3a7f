//! Conversions and built-in functions, tested by the results of lowered programs.

mod lower_support;

use hekla_compiler::Target;
use lower_support::{run_doubles, run_floats, run_module, run_on, run_words, try_lower};

/// Bodies of kernels with the parameter `global T *p`.
fn kernel(element: &str, body: &str) -> String {
    format!("kernel void k(global {element} *p) {{ {body} }}")
}

#[test]
fn saturating_conversions_clamp() {
    let text = kernel(
        "int",
        "float big = 1e20f, low = -1e20f, nan = as_float(0x7fc00000);
         p[0] = convert_int_sat(big); p[1] = convert_int_sat(low); p[2] = convert_int_sat(nan);
         p[3] = convert_uchar_sat(300); p[4] = convert_uchar_sat(-5); p[5] = convert_char_sat(200u);
         p[6] = convert_uchar_sat(254.9f); p[7] = convert_ushort_sat(-1.0f);
         p[8] = convert_uint_sat(-3) + convert_uint_sat(7L);
         p[9] = convert_char_sat_rte(-128.4f); p[10] = convert_int_sat(3000000000u);
         p[11] = (int)convert_ulong_sat(low) + (int)(convert_ulong_sat(big) >> 63);",
    );
    let max = i32::MAX as u32;
    let expected = [max, 1 << 31, 0, 255, 0, 127, 254, 0, 7, -128i32 as u32, max, 1];
    assert_eq!(run_words(&text, &[0; 12]), expected);
}

#[test]
fn conversions_to_integers_round_as_told() {
    let text = kernel(
        "int",
        "float x = as_float(p[0]);
         p[0] = convert_int(x); p[1] = convert_int_rte(x); p[2] = convert_int_rtp(x);
         p[3] = convert_int_rtn(x);",
    );
    let run = |x: f32| run_words(&text, &[x.to_bits(), 0, 0, 0]).map_signed();
    assert_eq!(run(2.5), [2, 2, 3, 2]);
    assert_eq!(run(-2.5), [-2, -2, -2, -3]);
    assert_eq!(run(3.5), [3, 4, 4, 3]);
}

trait Signed {
    fn map_signed(self) -> Vec<i32>;
}

impl Signed for Vec<u32> {
    fn map_signed(self) -> Vec<i32> {
        self.into_iter().map(|word| word as i32).collect()
    }
}

#[test]
fn conversions_to_floats_round_as_told() {
    let text = kernel(
        "float",
        "int n = as_int(p[0]);
         p[0] = convert_float_rte(n); p[1] = convert_float_rtz(n); p[2] = convert_float_rtp(n);
         p[3] = convert_float_rtn(n);",
    );
    let run = |n: i32| run_floats(&text, &[f32::from_bits(n as u32), 0.0, 0.0, 0.0]);
    assert_eq!(run(16_777_217), [16_777_216.0, 16_777_216.0, 16_777_218.0, 16_777_216.0]);
    assert_eq!(run(-16_777_219), [-16_777_220.0, -16_777_218.0, -16_777_218.0, -16_777_220.0]);
    assert_eq!(run(i32::MIN), [-2_147_483_648.0; 4]);
    assert_eq!(run(7), [7.0; 4]);

    let text = kernel(
        "double",
        "double x = p[0];
         p[0] = convert_float(x); p[1] = convert_float_rtz(x); p[2] = convert_float_rtp(x);
         p[3] = convert_float_rtn(x);",
    );
    let x = 1.0 + 1e-12;
    let next = f64::from(f32::from_bits(1.0f32.to_bits() + 1));
    assert_eq!(run_doubles(&text, &[x, 0.0, 0.0, 0.0]), [1.0, 1.0, next, 1.0]);
    assert_eq!(run_doubles(&text, &[-x, 0.0, 0.0, 0.0]), [-1.0, -1.0, -1.0, -next]);
    let max = f64::from(f32::MAX);
    let inf = f64::INFINITY;
    assert_eq!(run_doubles(&text, &[1e39, 0.0, 0.0, 0.0]), [inf, max, inf, max]);
}

#[test]
fn integer_functions() {
    let text = kernel(
        "int",
        "int a = p[0], b = p[1]; uint u = 0xfffffff0u;
         p[0] = abs(a); p[1] = abs_diff(a, b); p[2] = add_sat(0x7fffffff, 5);
         p[3] = sub_sat((int)0x80000000, 1); p[4] = hadd(-3, -4); p[5] = rhadd(-3, -4);
         p[6] = mul_hi(0x40000000, 8); p[7] = mad_sat(0x40000000, 2, -1);
         p[8] = rotate(0x80000001u, 4u); p[9] = upsample((short)-1, (ushort)2);
         p[10] = popcount(255) + clz(1) * 100; p[11] = clamp(a, -5, 5);
         p[12] = add_sat(u, 100u); p[13] = mad_sat((uchar)16, (uchar)16, (uchar)1);
         p[14] = mul_hi((char)-128, (char)127); p[15] = mad24(3, -4, 5);
         p[16] = clz((uchar)1); p[17] = max(a, b) * 1000 + min(b, 3);",
    );
    let mut input = vec![0; 18];
    (input[0], input[1]) = (-7i32 as u32, 9);
    let expected: [i32; 18] = [
        7,
        16,
        i32::MAX,
        i32::MIN,
        -4,
        -3,
        2,
        i32::MAX,
        0x18,
        -65534,
        3108,
        -5,
        -1,
        255,
        -64,
        -7,
        7,
        9003,
    ];
    assert_eq!(run_words(&text, &input).map_signed(), expected);
}

#[test]
fn relational_functions() {
    let text = kernel(
        "int",
        "float nan = as_float(0x7fc00000), inf = as_float(0x7f800000);
         p[0] = isnan(nan) + 2 * isinf(-inf) + 4 * isfinite(1.0f) + 8 * isnormal(1e-40f);
         p[1] = signbit(-0.0f) + 2 * isordered(nan, 1.0f) + 4 * isunordered(nan, 1.0f);
         int2 v = isless((float2)(1, 2), (float2)(2, 1));
         p[2] = v.x; p[3] = v.y; p[4] = any(v) + 2 * all(v);
         p[5] = select(1, 2, p[5]); 
         int2 s = select((int2)(1, 2), (int2)(3, 4), (int2)(-1, 1));
         p[6] = s.x * 10 + s.y; p[7] = bitselect(0x0f, 0xf0, 0x3c);
         p[8] = isequal(nan, nan) + 2 * isnotequal(nan, nan) + 4 * islessgreater(1.0f, 2.0f);",
    );
    let mut input = vec![0; 9];
    input[5] = 9;
    let expected = [7, 5, -1, 0, 1, 2, 32, 0x33, 6];
    assert_eq!(run_words(&text, &input).map_signed(), expected);
}

#[test]
fn geometric_and_common_functions() {
    let text = kernel(
        "float",
        "float4 a = (float4)(1, 2, 3, 4); float3 x = (float3)(1, 0, 0), y = (float3)(0, 1, 0);
         p[0] = dot(a, a); p[1] = cross(x, y).z; p[2] = length((float2)(3, 4));
         p[3] = normalize((float2)(0, 5)).y; p[4] = distance(x, y);
         p[5] = mix(1.0f, 3.0f, 0.5f); p[6] = step(2.0f, 1.0f); p[7] = smoothstep(0.0f, 1.0f, 0.5f);
         p[8] = sign(-3.0f); p[9] = clamp(9.0f, 0.0f, 1.0f); p[10] = degrees(3.14159265f);
         p[11] = max((float2)(1, 5), 3.0f).x; p[12] = length((float2)(3e30f, 4e30f));",
    );
    let out = run_floats(&text, &[0.0; 13]);
    let expected = [30.0, 1.0, 5.0, 1.0, 2f32.sqrt(), 2.0, 0.0, 0.5, -1.0, 1.0, 180.0, 3.0, 5e30];
    for (got, want) in out.iter().zip(expected) {
        assert!((got - want).abs() <= want.abs() * 1e-6, "{out:?}");
    }
}

#[test]
fn halves_are_converted_without_16_bit_floats() {
    let loads = "kernel void k(global ushort *p) {
        global half *h = (global half *)p;
        for (int i = 0; i < 8; i++) {
            float f = vload_half(i, h);
            vstore_half(f, i + 8, h);
        }
    }";
    let halves: [u16; 8] = [0x3c00, 0xc000, 0x0001, 0x83ff, 0x7bff, 0x7c00, 0x0400, 0x8000];
    let mut buffer: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
    buffer.extend([0; 16]);
    let out = run_on(loads, buffer.clone());
    assert_eq!(out[16..], buffer[..16]);

    let stores = "kernel void k(global float *p) {
        float x = p[0];
        global half *h = (global half *)(p + 1);
        vstore_half_rte(x, 0, h); vstore_half_rtz(x, 1, h); vstore_half_rtp(x, 2, h);
        vstore_half_rtn(x, 3, h);
    }";
    let run = |x: f32| {
        let out = run_words(stores, &[x.to_bits(), 0, 0]);
        [out[1] & 0xffff, out[1] >> 16, out[2] & 0xffff, out[2] >> 16]
    };
    assert_eq!(run(65519.0), [0x7bff, 0x7bff, 0x7c00, 0x7bff]);
    assert_eq!(run(65520.0), [0x7c00, 0x7bff, 0x7c00, 0x7bff]);
    assert_eq!(run(-1e9), [0xfc00, 0xfbff, 0xfbff, 0xfc00]);
    assert_eq!(run(1.0 + 1.0 / 2048.0), [0x3c00, 0x3c00, 0x3c01, 0x3c00]);
    assert_eq!(run(1.0 + 3.0 / 2048.0), [0x3c02, 0x3c01, 0x3c02, 0x3c01]);
    assert_eq!(run(f32::from_bits(1)), [0, 0, 1, 0]);
    assert_eq!(run(2f32.powi(-25)), [0, 0, 1, 0]);
    assert_eq!(run(f32::NAN)[0] & 0x7e00, 0x7e00);
}

#[test]
fn vload_and_vstore_need_only_the_elements_alignment() {
    let text = "kernel void k(global uint *p) {
        uint4 v = vload4(0, p + 1);
        vstore4(v.wzyx, 1, p + 1);
        uint2 w = vload2(1, p + 1);
        p[0] = w.x;
    }";
    assert_eq!(run_words(text, &[0, 1, 2, 3, 4, 0, 0, 0, 0]), [3, 1, 2, 3, 4, 4, 3, 2, 1]);
}

#[test]
fn atomics_give_the_old_value() {
    let text = "kernel void k(global int *p) {
        p[1] = atomic_add(p, 5); p[2] = atomic_inc(p); p[3] = atomic_max(p, -1);
        p[4] = atomic_cmpxchg(p, 8, 100); p[5] = atomic_xchg(p, 3);
        p[6] = (int)atomic_xchg((volatile global float *)p, 2.0f); p[7] = atomic_sub(p + 7, 1);
    }";
    let out = run_words(text, &[2, 0, 0, 0, 0, 0, 0, 9]);
    assert_eq!(out, [2f32.to_bits(), 2, 7, 8, 8, 100, 0, 9]);
}

#[test]
fn shuffles_pick_components() {
    let text = kernel(
        "uint",
        "uint4 a = vload4(0, p), b = vload4(1, p);
         vstore4(shuffle(a, (uint4)(3, 0, 5, 2)), 0, p);
         vstore4(shuffle2(a, b, (uint4)(p[8], 4, 1, 15)), 1, p);",
    );
    let out = run_words(&text, &[1, 2, 3, 4, 5, 6, 7, 8, 6]);
    assert_eq!(out[..8], [4, 1, 2, 3, 7, 5, 2, 8]);
}

#[test]
fn async_copies_move_every_element() {
    let text = "kernel void k(global int *p) {
        local int l[4];
        event_t e = async_work_group_copy(l, p, 4, 0);
        wait_group_events(1, &e);
        e = async_work_group_strided_copy(p + 4, l, 4, 2, 0);
        wait_group_events(1, &e);
    }";
    let out = run_words(text, &[1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(out, [1, 2, 3, 4, 1, 0, 2, 0, 3, 0, 4]);
}

#[test]
fn work_item_functions_beyond_three_dimensions() {
    let text = kernel(
        "uint",
        "p[0] = get_global_size(3) + get_local_size(7) * 10 + get_num_groups(p[3]) * 100;
         p[1] = get_global_id(5) + get_group_id(p[3]) + get_global_offset(9);
         p[2] = get_work_dim() + get_local_linear_id() + get_global_linear_id();",
    );
    let module = try_lower(&text, "-cl-std=CL3.0", &Target::generic());
    let module = module.unwrap_or_else(|log| panic!("{log}"));
    let words = [9u32, 9, 9, 4];
    let out = run_module(&module, words.iter().flat_map(|w| w.to_le_bytes()).collect());
    let expected = [111u32, 0, 1].map(u32::to_le_bytes).concat();
    assert_eq!(out[..12], expected);
}
