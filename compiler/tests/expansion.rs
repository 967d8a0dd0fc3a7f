//! The emitter maps instructions one to one: operations that a device lacks are emulated in the IR, so that no instruction of
//! the IR becomes more than a few of SPIR-V.

use hekla_compiler::emit::emit_observed;
use hekla_compiler::ir::{parse, print, Function, Inst, InstData, TexelComponent};
use hekla_compiler::passes::Pipeline;
use hekla_compiler::{compile_to_ir, IrAt, Options, Source, Target};

/// The most instructions of SPIR-V that one instruction of the IR becomes.
const LIMIT: usize = 3;

/// Returns the most instructions of SPIR-V that an instruction may become: one more for texels of signed integers, whose type
/// differs from that in the IR.
fn limit(data: &InstData) -> usize {
    match data {
        InstData::ImageFetch { view, .. }
        | InstData::ImageRead { view, .. }
        | InstData::ImageWrite { view, .. }
            if view.component == TexelComponent::Int =>
        {
            LIMIT + 1
        }
        // Loads an image and a sampler, and combines them.
        InstData::ImageSample { .. } => 2 * LIMIT,
        _ => LIMIT,
    }
}

const KERNELS: [(&str, &str); 16] = [
    ("axpy", include_str!("budgets/axpy.cl")),
    ("nbody", include_str!("budgets/nbody.cl")),
    ("reduction", include_str!("budgets/reduction.cl")),
    ("search", include_str!("budgets/search.cl")),
    ("sgemm", include_str!("budgets/sgemm.cl")),
    ("sha256", include_str!("budgets/sha256.cl")),
    ("stencil", include_str!("budgets/stencil.cl")),
    (
        "longs",
        "kernel void k(global long *a, global ulong *b, long c, uint d) {
            size_t i = get_global_id(0);
            long x = a[i], y = a[i + 1] + c;
            b[i] = (x / y) ^ (b[i] % (ulong)y) ^ mul_hi(x, y) ^ (x << (d & 63)) ^ (x >> 5) ^ max(x, y);
            b[i + 1] = popcount(x) + clz(y) + (x < y) + abs(x - y) + rotate(x, y) + (x == c ? d : 7UL);
            switch (x) { case 1: a[i] = 0; break; case 1L << 40: a[i] = y; break; default: a[i] = -x; }
        }",
    ),
    (
        "chars",
        "kernel void k(global char *a, global ushort4 *b, short c) {
            int i = get_global_id(0);
            char x = a[i], y = a[i + 1];
            a[i + 2] = x / y + (x % 3) * c - (x >> (y & 7)) + abs(x) + add_sat(x, y) + clz(y);
            b[i] += b[i + 1] * (ushort4)(c, 1, 2, x < y);
            switch (y) { case -1: a[i] = 0; break; case 100: a[i] = x; break; default: a[i]++; }
        }",
    ),
    (
        "floats",
        "kernel void k(global float *a, global half *h, global int *n, global long *l) {
            size_t i = get_global_id(0);
            float x = vload_half(i, h) + n[i] + (uchar)n[i + 1] + l[i];
            l[i] = convert_long_sat(x);
            n[i] = isnan(x) + isinf(x) + signbit(x) + convert_uchar_sat(x);
            a[i] = fmin(x, -x) * fabs(x) + (x < 1.0f) + sqrt(x) + native_sin(x);
            vstore_half_rte(x, i, h);
        }",
    ),
    (
        "pointers",
        "void noinline_sum(global long *p, local int *q, long n) __attribute__((noinline));
        void noinline_sum(global long *p, local int *q, long n) { p[n] += q[n & 7] + n; }
        kernel void k(global long *a, global char *s, local int *t, long n) {
            int own[8];
            for (int i = 0; i < 8; i++) own[i] = (int)(a[i] >> i);
            t[get_local_id(0)] = own[n & 7];
            barrier(CLK_LOCAL_MEM_FENCE);
            noinline_sum(a + n, t, n - 1);
            a[0] = (long)(s + n) - (long)a + (s == 0) + ((global long *)s < a);
            for (long i = n; i > 0; i /= 3) s[i] = (char)i;
        }",
    ),
    (
        "vectors",
        "kernel void k(global long4 *a, global short8 *b, global float3 *c, int n) {
            int i = get_global_id(0);
            a[i] = select(a[i + 1], a[i].wzyx, a[i] < 5);
            b[i] = b[i].s76543210 + (short)n;
            c[i] = normalize(c[i + 1]) * convert_float3(a[i].xyz);
        }",
    ),
    (
        "arrays",
        "constant int table[4] = {1, 2, 3, 4};
        constant char *constant names[2] = {\"a\", \"b\"};
        kernel void k(global int *a, local char *s, local int *t, uint n) {
            local short u[64];
            local float4 v[16];
            int own[16];
            char bytes[64];
            for (uint i = 0; i < 16; i++) { own[i] = a[i]; bytes[i + n] = (char)i; }
            size_t l = get_local_id(0);
            s[l] = bytes[n]; t[l + 1] = own[n] + table[n & 3]; u[l] = bytes[n + 1]; v[l & 15] = (float4)(n);
            barrier(CLK_LOCAL_MEM_FENCE);
            local int *p = n > 3 ? t : t + n;
            a[l] = s[n] + *p + p[l] + u[n + 1] + (int)v[n].y + names[n][0] + *(local int *)(s + 4 * n);
            atomic_add(t + n, 1);
        }",
    ),
    (
        "many_arguments",
        "kernel void k(global float *a, float16 d, float16 b, float16 c, long16 e, char x, ushort2 y) {
            size_t i = get_global_id(0) + get_global_offset(1);
            a[i] = b.s3 * c.sf + d.sa + x + y.y + (float)e.s7;
            if (i == 7) a[i + get_num_groups(0)] = c.s2;
        }",
    ),
    (
        "images",
        "kernel void k(image2d_t a, image1d_buffer_t b, image3d_t c, write_only image1d_array_t d,
                       write_only image2d_t e, sampler_t s, global float4 *f) {
            int i = get_global_id(0);
            f[0] = read_imagef(a, s, (float2)(i)) + read_imagef(c, s, (float4)(i));
            f[1] = as_float4(read_imagei(b, i)) + as_float4(read_imageui(b, i + 1));
            write_imagei(d, (int2)(i), (int4)(i));
            write_imagef(e, (int2)(i), f[3]);
            f[2].x = get_image_width(d) + get_image_array_size(d) + get_image_channel_order(a);
        }",
    ),
    (
        "fences",
        "kernel void k(global int *a, global char *b, local int *t) {
            size_t i = get_global_id(0);
            a[i] = b[i] + 1;
            b[i + 1] = (char)i;
            mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
            if (atomic_inc(a) == 3) a[1] = t[i & 3];
            barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
            a[i + 1] += t[0];
        }",
    ),
];

/// Returns the instructions of a program that become more instructions of SPIR-V than they may.
fn excesses(name: &str, text: &str, target: &Target) -> String {
    let source = Source { name: format!("{name}.cl"), text: text.to_string(), headers: Vec::new() };
    let options = Options::default();
    let ir = compile_to_ir(&source, &options, target, &IrAt::Lowered).unwrap();
    let mut module = parse::parse_module(&ir).unwrap();
    let pipeline = Pipeline::new(target);
    pipeline.optimize_module(&mut module).unwrap();
    pipeline.legalize(&mut module, target, None).unwrap();
    let structures = pipeline.structurize(&mut module, None).unwrap();
    let mut found = String::new();
    for kernel in module.kernels.iter() {
        let mut observer = |func: &Function, inst: Inst, count: usize| {
            if count > limit(&func.insts[inst]) {
                found += &format!("{name}: {count} of {}\n", print::print_inst(func, inst));
            }
        };
        let observer: Option<&mut hekla_compiler::emit::Observer<'_>> = Some(&mut observer);
        emit_observed(&module, kernel, &structures, &options, target, observer).unwrap();
    }
    found
}

#[test]
fn instructions_become_at_most_three() {
    let targets = [
        ("generic", Target::generic()),
        ("minimal", Target::minimal()),
        ("no_int64", Target { int64: false, ..Target::generic() }),
        ("no_int8", Target { int8: false, ..Target::generic() }),
        ("no_memory_model", Target { vulkan_memory_model: false, ..Target::generic() }),
        (
            "no_int8_no_memory_model",
            Target { vulkan_memory_model: false, int8: false, int16: false, ..Target::generic() },
        ),
    ];
    let mut found = String::new();
    for (device, target) in &targets {
        for (name, text) in KERNELS {
            if name == "images" && !target.images {
                continue;
            }
            let excesses = excesses(name, text, target);
            found.extend(excesses.lines().map(|line| format!("{device}: {line}\n")));
        }
    }
    assert!(found.is_empty(), "{found}");
}
