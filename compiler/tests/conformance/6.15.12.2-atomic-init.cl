//! 6.15.12.2 The atomic_init Function

//# accept: it initializes an object in local memory
//# options: -cl-std=CL3.0
//# global: 4
//# local: 4
//# expect: 46
kernel void test(global uint *out) {
    local atomic_int guide;
    if (get_local_id(0) == 0)
        atomic_init(&guide, 42);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&guide, 1, memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = atomic_load_explicit(&guide, memory_order_relaxed, memory_scope_work_group);
}

//# accept: in global memory, and by a generic pointer
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 5 6 1f
void begin(volatile atomic_uint *a, uint value) {
    atomic_init(a, value);
}
kernel void test(global uint *out) {
    atomic_init((global atomic_int *)out, 5);
    begin((global atomic_uint *)out + 1, 6);
    atomic_init((global atomic_float *)out + 2, 1.0f);
}

//# reject: it takes a pointer to an atomic object and a value
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_init'
//# error: 4: no matching function for call to 'atomic_init'
//# error: 5: no matching function for call to 'atomic_init'
kernel void test(global uint *out) {
    global atomic_uint *a = (global atomic_uint *)out;
    atomic_init(out, 1u);
    atomic_init(a);
    atomic_init(a, (uint2)(1));
}

//# reject: not to what is const
//# options: -cl-std=CL3.0
//# error: 3: no matching function for call to 'atomic_init'
kernel void test(global uint *out) {
    const global atomic_uint *a = (global atomic_uint *)out;
    atomic_init(a, 1u);
}
