//! 6.15.12.8 OpenCL C 1.x Legacy Atomics

//# accept: atomic_add and atomic_sub return the old value
//# expect: 5 -3 2 0
kernel void test(global uint *out) {
    out[0] = 2;
    out[2] = atomic_add(out, 3u);
    out[3] = atomic_sub((global int *)out + 1, 3);
}

//# accept: atomic_inc and atomic_dec
//# expect: 1 -1 0 0
kernel void test(global uint *out) {
    out[2] = atomic_inc(out);
    out[3] = atomic_dec((global int *)out + 1);
}

//# accept: atomic_xchg, of float too
//# expect: 7 1.5f 3 0
kernel void test(global uint *out) {
    out[0] = 3;
    out[2] = atomic_xchg(out, 7u);
    out[3] = as_uint(atomic_xchg((global float *)out + 1, 1.5f));
}

//# accept: atomic_cmpxchg stores where the old value is the one compared with
//# expect: 9 4 5 4
kernel void test(global uint *out) {
    out[0] = 5;
    out[1] = 4;
    out[2] = atomic_cmpxchg(out, 5u, 9u);
    out[3] = atomic_cmpxchg((global int *)out + 1, 5, 9);
}

//# accept: atomic_min and atomic_max compare as the type says
//# expect: -1 1 1 -1
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = out[3] = 1;
    atomic_min((global int *)out, -1);
    atomic_max((global int *)out + 1, -1);
    atomic_min(out + 2, 0xffffffffu);
    atomic_max(out + 3, 0xffffffffu);
}

//# accept: atomic_and, atomic_or, atomic_xor
//# expect: 0x04 0x0f 0x3c 0x0c
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = 0x0c;
    out[3] = atomic_and(out, 0x06u);
    atomic_or(out + 1, 0x03u);
    atomic_xor(out + 2, 0x30u);
}

//# accept: all updates of a work-group in local memory, of all work-groups in global memory
//# global: 64
//# local: 16
//# expect: 64 120 120 120 120
kernel void test(global uint *out) {
    local uint sum;
    if (get_local_id(0) == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(out);
    atomic_add(&sum, (uint)get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[1 + get_group_id(0)] = sum;
}

//# accept: the pointer may be volatile; the value is converted
//# expect: 3 2
kernel void test(global uint *out) {
    volatile global int *p = (volatile global int *)out;
    atomic_add(p, 3u);
    atomic_add(out + 1, 2);
}

//# accept: by the names of the extensions, in OpenCL C 1.0 too
//# options: -cl-std=CL1.0
//# requires: global_int32_base_atomics, global_int32_extended_atomics
//# expect: 4 1 -1 3 9 0x0c 0x0f 0x03 2
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_extended_atomics : enable
kernel void test(global uint *out) {
    atom_add(out, 4u);
    atom_inc(out + 1);
    atom_dec((global int *)out + 2);
    atom_xchg(out + 3, 3u);
    atom_cmpxchg(out + 4, 0u, 9u);
    out[5] = 0x0d;
    atom_and(out + 5, 0x0eu);
    atom_or(out + 6, 0x0fu);
    atom_xor(out + 7, 0x03u);
    atom_max(out + 8, 2u);
    atom_min(out + 8, 3u);
    atom_sub(out, 0u);
}

//# accept: the same in local memory
//# options: -cl-std=CL1.0
//# requires: local_int32_base_atomics, local_int32_extended_atomics
//# expect: 4 2
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
kernel void test(global uint *out) {
    local int l[2];
    l[0] = l[1] = 0;
    atom_add(l, 4);
    atom_max(l + 1, 2);
    out[0] = l[0];
    out[1] = l[1];
}

//# reject: atomic_ functions require OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 2: implicit declaration of function 'atomic_add' is invalid
//# error: 3: implicit declaration of function 'atomic_cmpxchg' is invalid
kernel void test(global uint *out) {
    atomic_add(out, 1u);
    atomic_cmpxchg(out, 1u, 2u);
}

//# reject: they work on int and uint in global and local memory
//# error: 4: no matching function for call to 'atomic_add'
//# error: 5: no matching function for call to 'atomic_add'
//# error: 6: no matching function for call to 'atomic_inc'
kernel void test(global uint *out) {
    uint p = 0;
    global float *f = (global float *)out; global ushort *s = (global ushort *)out;
    atomic_add(&p, 1u);
    atomic_add(f, 1.0f);
    atomic_inc(s);
}

//# reject: of float only atomic_xchg
//# error: 3: no matching function for call to 'atomic_cmpxchg'
//# error: 4: no matching function for call to 'atomic_max'
kernel void test(global uint *out) {
    global float *f = (global float *)out;
    atomic_cmpxchg(f, 1.0f, 2.0f);
    atomic_max(f, 1.0f);
}

//# reject: not on const memory
//# error: 3: no matching function for call to 'atomic_add'
kernel void test(global uint *out) {
    const global uint *p = out;
    atomic_add(p, 1u);
}

//# reject: the number of arguments is that of the table
//# error: 2: no matching function for call to 'atomic_add'
//# error: 3: no matching function for call to 'atomic_inc'
//# error: 4: no matching function for call to 'atomic_cmpxchg'
kernel void test(global uint *out) {
    atomic_add(out);
    atomic_inc(out, 1u);
    atomic_cmpxchg(out, 1u);
}

//# reject: on vectors there are none
//# error: 2: no matching function for call to 'atomic_add'
kernel void test(global uint *out) {
    atomic_add((global uint2 *)out, (uint2)(1));
}
