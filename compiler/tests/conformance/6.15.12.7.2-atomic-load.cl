//! 6.15.12.7.2 The atomic_load Functions

//# accept: they return the value
//# options: -cl-std=CL3.0
//# expect: -5 1.5f -5 1.5f
kernel void test(global uint *out) {
    out[0] = -5;
    out[1] = as_uint(1.5f);
    out[2] = atomic_load_explicit((global atomic_int *)out, memory_order_relaxed, memory_scope_work_group);
    ((global float *)out)[3] =
        atomic_load_explicit((global atomic_float *)out + 1, memory_order_relaxed, memory_scope_work_group);
}

//# accept: of the type of the object
//# options: -cl-std=CL3.0
//# expect: 1 1
kernel void test(global uint *out) {
    global atomic_int *a = (global atomic_int *)out;
    global atomic_uint *b = (global atomic_uint *)out;
    out[0] = -1;
    uint r = atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group) < 0;
    uint s = atomic_load_explicit(b, memory_order_relaxed, memory_scope_work_group) > 0;
    out[0] = r;
    out[1] = s;
}

//# accept: the order is not memory_order_release, nor memory_order_acq_rel: a warning
//# options: -cl-std=CL3.0
//# requires: atomic_order_acq_rel
//# expect: 0
//# warn: 3: memory order argument to atomic operation is invalid
//# warn: 4: memory order argument to atomic operation is invalid
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_load_explicit(a, memory_order_release, memory_scope_work_group);
    atomic_load_explicit(a, memory_order_acq_rel, memory_scope_work_group);
}

//# reject: the argument is a pointer to an atomic object
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_load_explicit'
//# error: 4: no matching function for call to 'atomic_load_explicit'
kernel void test(global uint *out) {
    uint p;
    atomic_load_explicit(&p, memory_order_relaxed, memory_scope_work_group);
    atomic_load_explicit(p, memory_order_relaxed, memory_scope_work_group);
}

//# reject: the number of arguments is that of the forms
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_load'
//# error: 4: no matching function for call to 'atomic_load_explicit'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_load(a, memory_order_relaxed);
    atomic_load_explicit(a);
}
