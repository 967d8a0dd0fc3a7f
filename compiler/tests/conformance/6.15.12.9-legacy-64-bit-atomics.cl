//! 6.15.12.9 Legacy 64-Bit Atomic Extensions

//# accept: the base functions on long and ulong
//# requires: int64_base_atomics
//# expect: 0 1 -1 -1 7 0 9 0 1 0
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void test(global uint *out) {
    global ulong *u = (global ulong *)out;
    global long *s = (global long *)out;
    out[0] = 0xffffffff;
    atom_add(u, 1UL);
    atom_dec(s + 1);
    atom_xchg(u + 2, 7UL);
    atom_cmpxchg(u + 3, 0UL, 9UL);
    atom_inc(s + 4);
}

//# accept: the extended functions
//# requires: int64_extended_atomics
//# expect: -1 -1 1 0 4 0 15 0 3 0
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void test(global uint *out) {
    global ulong *u = (global ulong *)out;
    global long *s = (global long *)out;
    u[2] = 6; u[3] = 12;
    atom_min(s, -1L);
    atom_max(s + 1, 1L);
    atom_and(u + 2, 12UL);
    atom_or(u + 3, 3UL);
    atom_xor(u + 4, 3UL);
}

//# accept: without the extensions their macros are not defined
//# requires: !int64_base_atomics
//# expect: 1
kernel void test(global uint *out) {
#if !defined(cl_khr_int64_base_atomics) && !defined(cl_khr_int64_extended_atomics)
    out[0] = 1;
#endif
}

//# reject: nor can they be required
//# requires: !int64_base_atomics
//# error: 2: 64-bit atomics
#ifndef cl_khr_int64_base_atomics
#error 64-bit atomics
#endif
kernel void test(global uint *out) {}

//# reject: they work on long and ulong in global and local memory
//# error: 4: no matching function for call to 'atom_add'
//# error: 5: no matching function for call to 'atom_xchg'
//# error: 6: no matching function for call to 'atom_cmpxchg'
kernel void test(global uint *out) {
    ulong p = 0;
    global ulong *g = (global ulong *)out;
    atom_add(&p, 1UL);
    atom_xchg((global ulong2 *)g, 1UL);
    atom_cmpxchg(g, 1UL);
}

//# reject: atomic_ functions are of 32 bits alone
//# error: 2: no matching function for call to 'atomic_add'
//# error: 3: no matching function for call to 'atomic_xchg'
kernel void test(global uint *out) {
    atomic_add((global ulong *)out, 1UL);
    atomic_xchg((global long *)out, 1L);
}

//# accept: the base functions in local memory
//# requires: int64_base_atomics
//# expect: 0 64 48 0xffffffc0 7 256 9 0
//# global: 64
//# local: 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void test(global uint *out) {
    local ulong l[4];
    size_t i = get_local_id(0);
    if (i < 4) l[i] = i == 3 ? 5 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(l, 1UL << 32);
    atom_inc((local long *)l + 1);
    if (i < 16) atom_dec(l + 1);
    atom_sub(l + 1, 1UL << 32);
    atom_xchg(l + 2, 1UL << 40 | 7);
    atom_cmpxchg(l + 3, 5UL, 9UL);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4) {
        out[2 * i] = (uint)l[i];
        out[2 * i + 1] = l[i] >> 32;
    }
}

//# accept: local memory that 64-bit atomic operations share with accesses of every width
//# requires: int64_extended_atomics
//# expect: 2016 2016 64 0 64 0x7f7f7f7f 0x00400040 32f 63 77 65 -1
//# global: 64
//# local: 64
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void test(global uint *out) {
    local ulong sums[2];
    local uint counts[2];
    local uchar bytes[4];
    local ushort shorts[2];
    local float total[1];
    local ulong ends[2];
    local uint swapped[2];
    size_t i = get_local_id(0);
    if (i == 0) {
        sums[0] = sums[1] = ends[0] = 0;
        ends[1] = 0xffffffffffffffffUL;
        counts[0] = counts[1] = 0;
        total[0] = 0;
        swapped[0] = 77; swapped[1] = 1;
    }
    if (i < 4) bytes[i] = 0x7f;
    if (i < 2) shorts[i] = 0x40;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(sums, (ulong)i << 32 | i);
    atomic_inc(counts);
    atomic_add(counts + 1, 1u);
    atom_max(ends, (ulong)i);
    atom_min(ends + 1, 0xffffffff00000000UL + i);
    atomic_cmpxchg(swapped + 1, (uint)i + 1, (uint)i + 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < 64; j++) {
        if (i == j) {
            total[0] += 0.5f;
            if (swapped[1] == i + 1) swapped[1]++;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) {
        out[0] = (uint)sums[0];
        out[1] = sums[0] >> 32;
        out[2] = counts[0];
        out[3] = (uint)sums[1];
        out[4] = counts[1];
        out[5] = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
        out[6] = shorts[0] | shorts[1] << 16;
        out[7] = as_uint(total[0]);
        out[8] = ends[0];
        out[9] = atomic_xchg(swapped, 3u);
        out[10] = swapped[1];
        out[11] = ends[1] >> 32;
    }
}
