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
