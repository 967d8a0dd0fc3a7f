//! Lowering of statements, expressions, memory and calls, tested by the results of lowered programs.

mod lower_support;

use hekla_compiler::ir::{InstData, MemFlags, Module};
use hekla_compiler::kernel::{ArgAddress, ArgKind};
use hekla_compiler::Target;
use lower_support::interpreter::Machine;
use lower_support::{lower_text, run_floats, run_on, run_words, try_lower};

/// Returns the number of instructions, in all functions, for which `pick` is true.
fn count(module: &Module, pick: impl Fn(&InstData) -> bool) -> usize {
    let functions = module.functions.values();
    let blocks = functions.flat_map(|f| f.layout.iter().map(move |&block| (f, block)));
    let insts = blocks.flat_map(|(f, block)| f.blocks[block].insts.iter().map(|&i| &f.insts[i]));
    insts.filter(|inst| pick(inst)).count()
}

#[test]
fn loops_break_and_continue() {
    let text = "kernel void k(global int *p) {
        int sum = 0;
        for (int i = 0; i < 100; i++) {
            if (i % 2) continue;
            if (i > 10) break;
            sum += i;
        }
        p[0] = sum;
        int n = 0;
        do { n++; if (n == 3) continue; } while (n < 7);
        p[1] = n;
        while (1) { if (--n == 2) break; }
        p[2] = n;
        for (;;) { n += 5; if (n > 20) { p[3] = n; return; } }
    }";
    assert_eq!(run_words(text, &[0; 4]), [30, 7, 2, 22]);
}

#[test]
fn switches_fall_through_and_match_ranges() {
    let text = "int f(int x) {
        int r = 0;
        switch (x) {
            case 1: r += 1;
            case 2: r += 2; break;
            case -3: r = 30; break;
            case 1000 ... 5000: r = 40; break;
            case -900 ... -800: r = 50; break;
            default: r = 99;
            case 7: r += 7;
        }
        return r;
    }
    kernel void k(global int *p) { for (int i = 0; i < 9; i++) p[i] = f(p[i]); }";
    let input = [1, 2, -3, 1000, 5000, 5001, 7, -850, -901].map(|x: i32| x as u32);
    assert_eq!(run_words(text, &input), [3, 2, 30, 40, 40, 106, 7, 50, 106]);
}

#[test]
fn goto_jumps_both_ways() {
    let text = "kernel void k(global int *p) {
        int i = 0;
    again:
        if (i >= 5) goto out;
        p[0] += i++;
        goto again;
    out:
        p[1] = i;
    }";
    assert_eq!(run_words(text, &[0, 0]), [10, 5]);
}

#[test]
fn logic_evaluates_only_what_it_must() {
    let text = "int touch(global int *p) { p[0]++; return 1; }
    kernel void k(global int *p) {
        int a = p[1];
        if (a && touch(p)) p[2] = 1;
        if (!a || touch(p)) p[3] = 1;
        p[4] = a ? touch(p) : 7;
        p[5] = (a == 0) ? 3 : touch(p);
        p[6] = (a < 1 && a > -1) + 2 * (a || a == 0);
    }";
    assert_eq!(run_words(text, &[0; 7]), [0, 0, 0, 1, 7, 3, 3]);
}

#[test]
fn cheap_logic_does_not_branch() {
    let module =
        lower_text("kernel void k(global int *p, int a, int b) { p[0] = a < 3 && b > 4 ? a : b; }");
    assert_eq!(count(&module, |inst| matches!(inst, InstData::Brif { .. })), 0);
}

#[test]
fn records_are_copied_passed_and_returned() {
    let text = "typedef struct { int a; float f[3]; struct { char c; short s; } in; } S;
    S twice(S s) { s.a *= 2; s.in.s += 1; return s; }
    kernel void k(global int *p) {
        S s = { 21, { 1.0f, 2.0f, 3.0f }, { 'x', 5 } };
        S t = twice(s);
        p[0] = s.a; p[1] = t.a; p[2] = t.in.s; p[3] = (int)t.f[2]; p[4] = t.in.c;
        p[5] = twice(t).a;
        global S *g = (global S *)(p + 8);
        *g = t;
        g[0].in.c = 'y';
        S u = *g;
        p[6] = u.a + u.in.c;
        s = p[0] ? t : u;
        p[7] = s.in.s;
    }";
    let out = run_words(text, &[0; 16]);
    assert_eq!(out[..8], [21, 42, 6, 3, 120, 84, 42 + 121, 6]);
}

#[test]
fn unions_and_large_arrays_are_copied_whole() {
    let text = "typedef union { float f; uint u; uchar b[8]; } U;
    typedef struct { int a[200]; U u; } Big;
    kernel void k(global uint *p) {
        Big x;
        for (int i = 0; i < 200; i++) x.a[i] = i * i;
        x.u.f = 1.0f;
        Big y = x;
        p[0] = y.a[199]; p[1] = y.u.u; p[2] = y.u.b[3];
        int z[300] = { 5 };
        p[3] = z[0] + z[299] + z[150];
    }";
    assert_eq!(run_words(text, &[0; 4]), [39601, 0x3f80_0000, 0x3f, 5]);
}

#[test]
fn vectors_swizzle_and_index() {
    let text = "kernel void k(global float *p) {
        float4 v = (float4)(1, 2, 3, 4);
        v.xw = v.wx;
        v.hi.x += 10;
        v[p[0] > 0 ? 1 : 2] = 7;
        p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w;
        global float4 *g = (global float4 *)(p + 4);
        g->zx = (float2)(8, 9);
        (*g)[1] = v[3];
        float3 t = vload3(0, p);
        p[8] = t.z;
        vstore3(t * 2.0f, 1, p + 6);
    }";
    let out = run_floats(text, &[1.0, 0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(out, [4.0, 7.0, 13.0, 1.0, 9.0, 1.0, 8.0, 5.0, 13.0, 8.0, 14.0, 26.0]);
}

#[test]
fn components_in_shared_memory_are_written_alone() {
    let text = "kernel void k(global float4 *p) { p->y = 1; }";
    let module = lower_text(text);
    let scalar_stores = count(&module, |inst| matches!(inst, InstData::Store { align: 4, .. }));
    assert_eq!(scalar_stores, 1);
    assert_eq!(run_floats(text, &[2.0; 4]), [2.0, 1.0, 2.0, 2.0]);
}

#[test]
fn pointers_step_compare_and_subtract() {
    let text = "typedef struct { int a, b, c; } T;
    kernel void k(global int *p) {
        global T *t = (global T *)p;
        global T *e = t + 4;
        int n = 0;
        while (t < e) { t->b = n++; t++; }
        p[2] = (int)(e - (global T *)p);
        p[5] = (int)(t == e);
        int a[4] = { 1, 2, 3, 4 };
        int *q = a + 3;
        p[8] = *q-- + *q;
        p[11] = (int)(q - a);
        int *r[2] = { a, q };
        p[0] = *r[1] + r[0][1];
    }";
    let out = run_words(text, &[0; 12]);
    assert_eq!([out[1], out[4], out[7], out[10]], [0, 1, 2, 3]);
    assert_eq!([out[0], out[2], out[5], out[8], out[11]], [5, 4, 1, 7, 2]);
}

#[test]
fn shifts_take_the_amount_modulo_the_width() {
    let text = "kernel void k(global uint *p) {
        p[0] = 1u << p[1];
        int s = -8;
        p[2] = s >> p[1];
        uint4 v = (uint4)(1, 2, 3, 4) << (uint4)(33, 32, 1, p[1]);
        p[3] = v.x + v.y * 100 + v.w * 10000;
        uchar c = 0x81;
        c >>= 1;
        p[4] = c;
    }";
    assert_eq!(run_words(text, &[0, 34, 0, 0, 0]), [4, 34, -2i32 as u32, 2 + 200 + 160_000, 64]);
}

#[test]
fn increments_and_compound_assignments() {
    let text = "kernel void k(global int *p) {
        int i = p[0]++;
        int j = ++p[0];
        p[1] += i * 10 + j;
        char c = 127;
        c += 2;
        p[2] = c;
        float f = 1.5f;
        int n = 3;
        n *= f;
        p[3] = n;
        bool b = true;
        b--;
        p[4] = b;
    }";
    assert_eq!(run_words(text, &[5, 0, 0, 0, 0]), [7, 57, -127i32 as u32, 4, 0]);
}

#[test]
fn constants_carry_their_relocations() {
    let text = "constant int table[3] = { 10, 20, 30 };
    constant int *constant where = table + 1;
    kernel void k(global int *p) { p[0] = table[p[0]] + *where; }";
    let module = lower_text(text);
    let data: Vec<_> = module.globals.values().collect();
    assert!(data.iter().all(|global| global.is_const));
    assert_eq!(data.iter().map(|global| global.relocations.len()).sum::<usize>(), 1);
    let invariant = |inst: &InstData| match inst {
        InstData::Load { flags, .. } => flags.contains(MemFlags::INVARIANT),
        _ => false,
    };
    assert_eq!(count(&module, invariant), 3);
    assert_eq!(run_words(text, &[2]), [50]);
}

#[test]
fn volatile_accesses_say_so() {
    let module = lower_text("kernel void k(volatile global int *p) { p[0] = p[1]; }");
    let volatile = |inst: &InstData| match inst {
        InstData::Load { flags, .. } | InstData::Store { flags, .. } => {
            flags.contains(MemFlags::VOLATILE)
        }
        _ => false,
    };
    assert_eq!(count(&module, volatile), 2);
}

#[test]
fn kernel_arguments_are_described_and_read() {
    let text = "typedef struct { char c; int2 v; double d[2]; } S;
    kernel void k(global float *a, local int *b, constant short *c, float4 v, S s, uchar u) {
        a[0] = s.v.y + s.d[1] + v.z + u;
        b[0] = c[0];
    }";
    let module = lower_text(text);
    let kernel = &module.kernels[0];
    let kinds: Vec<_> = kernel.args.iter().map(|arg| arg.kind).collect();
    assert_eq!(
        kinds,
        [
            ArgKind::Buffer,
            ArgKind::Local { ordinal: 0, align: 16 },
            ArgKind::Buffer,
            ArgKind::Value { size: 16 },
            ArgKind::Value { size: 32 },
            ArgKind::Value { size: 1 },
        ]
    );
    assert_eq!(kernel.args[2].address, ArgAddress::Constant);
    assert_eq!(kernel.args[0].type_name, "float*");

    let mut machine = Machine::new(&module);
    let buffer = machine.allocate(vec![0; 4]);
    let shorts = machine.allocate(vec![9, 0]);
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut record = vec![0; 32];
    record[12..16].copy_from_slice(&20i32.to_le_bytes());
    record[24..32].copy_from_slice(&300f64.to_le_bytes());
    machine.args = vec![
        buffer.to_le_bytes().to_vec(),
        0u64.to_le_bytes().to_vec(),
        shorts.to_le_bytes().to_vec(),
        floats(&[0.0, 0.0, 4000.0, 0.0]),
        record,
        vec![5],
    ];
    machine.run_kernel(0);
    assert_eq!(machine.global_bytes(buffer, 4), floats(&[4325.0]));
}

#[test]
fn packed_members_are_read_byte_by_byte_aligned() {
    let text = "typedef struct __attribute__((packed)) { char c; int i; } P;
    kernel void k(global P *p) { p[0].i = 0x01020304; p[1].i = p[0].i + 1; }";
    let out = run_on(text, vec![7; 10]);
    assert_eq!(out, [7, 4, 3, 2, 1, 7, 5, 3, 2, 1]);
}

#[test]
fn undefined_functions_are_diagnosed() {
    let log = try_lower(
        "int f(int);\nkernel void k(global int *p) { p[0] = f(1); }",
        "",
        &Target::generic(),
    );
    assert!(log.unwrap_err().contains("undefined function 'f'"));
}
