//! 6.15.12.10 Restrictions

//# reject: atomic types have no operators
//# options: -cl-std=CL3.0
//# error: 3: atomic
//# error: 4: atomic
//# error: 5: atomic
//# error: 6: atomic
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    *a = 1;
    *a += 1;
    (*a)++;
    out[1] = *a + 1;
}

//# reject: nor are they compared or assigned from one another
//# options: -cl-std=CL3.0
//# error: 3: atomic
//# error: 4: atomic
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    out[1] = a[0] == a[1];
    a[0] = a[1];
}

//# reject: types that C11 has and OpenCL C has not
//# options: -cl-std=CL3.0
//# error: 2: 'atomic_bool'
//# error: 3: 'atomic_char'
//# error: 4: 'atomic_uchar'
//# error: 5: 'atomic_short'
//# error: 6: 'atomic_ushort'
//# error: 7: 'atomic_intmax_t'
//# error: 8: 'atomic_uintmax_t'
kernel void test(global uint *out) {
    global atomic_bool *a;
    global atomic_char *b;
    global atomic_uchar *c;
    global atomic_short *d;
    global atomic_ushort *e;
    global atomic_intmax_t *f;
    global atomic_uintmax_t *g;
}

//# reject: _Atomic as a type specifier
//# options: -cl-std=CL3.0
//# error: 2: '_Atomic'
kernel void test(global uint *out) {
    global _Atomic(int) *a;
}

//# reject: _Atomic as a qualifier
//# options: -cl-std=CL3.0
//# error: 2: '_Atomic'
kernel void test(global uint *out) {
    global _Atomic int *a;
}

//# reject: scopes of sub-groups require them
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 3: requires __opencl_c_subgroups which this device does not offer
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_load_explicit(a, memory_order_relaxed, 4);
}

//# reject: the scope of all devices requires __opencl_c_atomic_scope_all_devices
//# options: -cl-std=CL3.0
//# requires: !atomic_scope_all_devices
//# error: 3: requires __opencl_c_atomic_scope_all_devices which this device does not offer
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_load_explicit(a, memory_order_relaxed, 3);
}

//# accept: an order that is known only at run time
//# options: -cl-std=CL3.0
//# requires: atomic_order_seq_cst, atomic_scope_device
//# expect: 3
kernel void test(global uint *out) {
    memory_order order = out[0] ? memory_order_relaxed : memory_order_seq_cst;
    atomic_fetch_add_explicit((global atomic_uint *)out, 3u, order, memory_scope_device);
}
