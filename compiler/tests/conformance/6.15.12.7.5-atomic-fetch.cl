//! 6.15.12.7.5 The atomic_fetch and modify Functions

//# accept: add and sub wrap around, and return the value before
//# options: -cl-std=CL3.0
//# expect: 0x80000000 0x7fffffff 0xffffffff 0
#define WHERE memory_order_relaxed, memory_scope_work_group
kernel void test(global uint *out) {
    global atomic_int *a = (global atomic_int *)out;
    global atomic_uint *b = (global atomic_uint *)out;
    out[0] = INT_MAX;
    out[1] = atomic_fetch_add_explicit(a, 1, WHERE);
    out[3] = atomic_fetch_sub_explicit(b + 2, 1u, WHERE);
}

//# accept: or, xor, and
//# options: -cl-std=CL3.0
//# expect: 0x0f 0x3c 0x04 0x0c 0x0c 0x0c
#define WHERE memory_order_relaxed, memory_scope_work_group
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    out[0] = out[1] = out[2] = 0x0c;
    out[3] = atomic_fetch_or_explicit(a, 0x03u, WHERE);
    out[4] = atomic_fetch_xor_explicit(a + 1, 0x30u, WHERE);
    out[5] = atomic_fetch_and_explicit(a + 2, 0x06u, WHERE);
}

//# accept: min and max compare as the type says
//# options: -cl-std=CL3.0
//# expect: -1 1 1 -1
#define WHERE memory_order_relaxed, memory_scope_work_group
kernel void test(global uint *out) {
    global atomic_int *a = (global atomic_int *)out;
    global atomic_uint *b = (global atomic_uint *)out;
    out[0] = out[1] = out[2] = out[3] = 1;
    atomic_fetch_min_explicit(a, -1, WHERE);
    atomic_fetch_max_explicit(a + 1, -1, WHERE);
    atomic_fetch_min_explicit(b + 2, 0xffffffffu, WHERE);
    atomic_fetch_max_explicit(b + 3, 0xffffffffu, WHERE);
}

//# accept: all updates count, in global and in local memory
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# global: 64
//# local: 16
//# expect: 64 120 120 120 120
kernel void test(global uint *out) {
    local atomic_uint sum;
    global atomic_uint *a = (global atomic_uint *)out;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 0u);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add(a, 1u);
    atomic_fetch_add(&sum, (uint)get_local_id(0));
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[1 + get_group_id(0)] = atomic_load(&sum);
}

//# accept: by a generic pointer, known only at run time
//# options: -cl-std=CL3.0
//# requires: generic, atomic_order_seq_cst, atomic_scope_device
//# global: 4
//# local: 4
//# expect: 2 2
kernel void test(global uint *out) {
    local atomic_uint l;
    if (get_local_id(0) == 0)
        atomic_init(&l, 0u);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_uint *p = get_local_id(0) % 2 ? (atomic_uint *)&l : (atomic_uint *)(global atomic_uint *)out;
    atomic_fetch_add(p, 1u);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[1] = atomic_load(&l);
}

//# accept: of 64 bits
//# options: -cl-std=CL3.0
//# requires: int64_base_atomics, int64_extended_atomics
//# expect: 0 1 -1 0xffffffff
#define WHERE memory_order_relaxed, memory_scope_work_group
kernel void test(global uint *out) {
    global atomic_ulong *a = (global atomic_ulong *)out;
    out[0] = 0xffffffff;
    atomic_fetch_add_explicit(a, 1UL, WHERE);
    atomic_fetch_sub_explicit((global atomic_long *)a + 1, 1L, WHERE);
}

//# reject: not of floating-point types, but for sums, minima and maxima (cl_ext_float_atomics)
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_fetch_and_explicit'
//# error: 4: no matching function for call to 'atomic_fetch_xor_explicit'
kernel void test(global uint *out) {
    global atomic_float *a = (global atomic_float *)out;
    atomic_fetch_and_explicit(a, 1.0f, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_xor_explicit(a, 1.0f, memory_order_relaxed, memory_scope_work_group);
}

//# reject: the keys are those of the table
//# options: -cl-std=CL3.0
//# error: 3: implicit declaration of function 'atomic_fetch_inc' is invalid
//# error: 4: implicit declaration of function 'atomic_fetch_nand' is invalid
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_fetch_inc(a);
    atomic_fetch_nand(a, 1u);
}

//# reject: not in constant or const memory
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_fetch_add_explicit'
kernel void test(global uint *out) {
    const global atomic_uint *a = (const global atomic_uint *)out;
    atomic_fetch_add_explicit(a, 1u, memory_order_relaxed, memory_scope_work_group);
}

//# accept: denormal doubles are told apart
//# requires: fp64, int64_base_atomics, int64_extended_atomics, ext_fp64_global_atomic_min_max
//# options: -cl-std=CL3.0
//# expect: 0x200 1 0x201 0x80000000
kernel void test(global uint *out) {
    global atomic_double *object = (global atomic_double *)out;
    double least = as_double(0x200ul + out[0]), more = as_double(0x100000201ul + out[0]);
    atomic_store_explicit(object, as_double(0x1ul + out[0]), memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(object, least, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(object, more, memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(object, as_double(0x100000200ul), memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(object + 1, as_double(0x8000000000000200ul), memory_order_relaxed, memory_scope_device);
    atomic_fetch_min_explicit(object + 1, as_double(0x8000000000000201ul), memory_order_relaxed, memory_scope_device);
}
