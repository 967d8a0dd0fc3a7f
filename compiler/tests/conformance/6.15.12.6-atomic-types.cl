//! 6.15.12.6 Atomic Integer and Floating-point Types

//# accept: atomic types have the sizes of their regular types; atomic_flag has 32 bits
//# options: -cl-std=CL3.0
//# expect: 4 4 4 4
kernel void test(global uint *out) {
    out[0] = sizeof(atomic_int);
    out[1] = sizeof(atomic_uint);
    out[2] = sizeof(atomic_float);
    out[3] = sizeof(atomic_flag);
}

//# accept: those of 64 bits where there are 64-bit atomics
//# options: -cl-std=CL3.0
//# requires: int64_base_atomics, int64_extended_atomics
//# expect: 8 8 8 8 8 8
kernel void test(global uint *out) {
    out[0] = sizeof(atomic_long);
    out[1] = sizeof(atomic_ulong);
    out[2] = sizeof(atomic_size_t);
    out[3] = sizeof(atomic_ptrdiff_t);
    out[4] = sizeof(atomic_intptr_t);
    out[5] = sizeof(atomic_uintptr_t);
}

//# reject: without them there are none
//# options: -cl-std=CL3.0
//# requires: !int64_base_atomics
//# error: 2: 'atomic_long'
//# error: 3: 'atomic_ulong'
//# error: 4: 'atomic_size_t'
//# error: 5: 'atomic_double'
kernel void test(global uint *out) {
    global atomic_long *a;
    global atomic_ulong *b;
    global atomic_size_t *c;
    global atomic_double *d;
}

//# accept: they are members of structs and elements of arrays
//# options: -cl-std=CL3.0
//# global: 4
//# local: 4
//# expect: 10 0 4
struct sums { atomic_uint a[2]; atomic_int b; };
kernel void test(global uint *out) {
    global struct sums *s = (global struct sums *)out;
    atomic_fetch_add_explicit(&s->a[0], 1u + (uint)get_local_id(0), memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(&s->b, 1, memory_order_relaxed, memory_scope_work_group);
}

//# reject: the other integer types have none
//# options: -cl-std=CL3.0
//# error: 2: 'atomic_char'
//# error: 3: 'atomic_ushort'
//# error: 4: 'atomic_bool'
kernel void test(global uint *out) {
    global atomic_char *a;
    global atomic_ushort *b;
    global atomic_bool *c;
}
