//! cl_ext_float_atomics

//# accept: sums, differences, minima and maxima of floats in global and local memory give the old value
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 3.5f 1.5f 1.5f 4.0f -2.0f 2.0f
kernel void test(global uint *out) {
    global atomic_float *g = (global atomic_float *)out;
    atomic_store(g, 1.5f);
    atomic_store(g + 1, atomic_fetch_add(g, 2.0f));
    atomic_store(g + 2, 4.0f);
    atomic_fetch_sub_explicit(g + 2, 2.5f, memory_order_relaxed, memory_scope_device);
    local atomic_float l;
    atomic_init(&l, 4.0f);
    atomic_store(g + 3, atomic_fetch_min(&l, -2.0f));
    atomic_store(g + 4, atomic_fetch_max_explicit(&l, 2.0f, memory_order_relaxed));
    atomic_store(g + 5, atomic_load(&l));
}

//# accept: of a number and NaN the number is least and greatest
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 1.0f 2.0f 3.0f
kernel void test(global uint *out) {
    global atomic_float *g = (global atomic_float *)out;
    atomic_store(g, NAN);
    atomic_fetch_min(g, 1.0f);
    atomic_store(g + 1, NAN);
    atomic_fetch_max(g + 1, 2.0f);
    atomic_store(g + 2, 3.0f);
    atomic_fetch_max(g + 2, NAN);
    atomic_fetch_min(g + 2, NAN);
}

//# accept: through generic pointers
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 3.0f 5.0f
void add(atomic_float *p, float x) {
    atomic_fetch_add(p, x);
}
kernel void test(global uint *out) {
    global atomic_float *g = (global atomic_float *)out;
    local atomic_float l;
    atomic_store(&l, 2.0f);
    atomic_store(g, 1.0f);
    add(g, 2.0f);
    add(&l, 3.0f);
    atomic_store(g + 1, atomic_load(&l));
}

//# accept: of doubles where there are atomic ones
//# options: -cl-std=CL3.0
//# requires: fp64, int64_base_atomics, atomic_order_seq_cst, atomic_scope_device
//# expect: 0 0x40080000 0 0xc0100000
kernel void test(global uint *out) {
    global atomic_double *g = (global atomic_double *)out;
    atomic_store(g, 1.0);
    atomic_fetch_add(g, 2.0);
    local atomic_double l;
    atomic_store(&l, 8.0);
    atomic_fetch_min(&l, -4.0);
    atomic_store(g + 1, atomic_load(&l));
}

//# accept: macros tell
//# options: -cl-std=CL3.0
//# expect: 1 1 1 1 1
kernel void test(global uint *out) {
    out[0] = cl_ext_float_atomics;
    out[1] = __opencl_c_ext_fp32_global_atomic_add;
    out[2] = __opencl_c_ext_fp32_local_atomic_add;
    out[3] = __opencl_c_ext_fp32_global_atomic_min_max;
    out[4] = __opencl_c_ext_fp32_local_atomic_min_max;
}

//# reject: there are no bits of floats to operate on
//# options: -cl-std=CL3.0
//# error: 2: no matching function for call to 'atomic_fetch_or'
kernel void test(global uint *out) {
    atomic_fetch_or((global atomic_float *)out, 1.0f);
}
