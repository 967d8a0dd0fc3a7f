//! 6.15.11 Async Copies From Global to Local Memory, Local to Global Memory, and Prefetch

//# accept: a copy from global to local memory and back
//# global: 4
//# local: 4
//# expect: 4 3 2 1 4 3 2 1
kernel void test(global uint *out) {
    local uint l[4];
    size_t i = get_local_id(0);
    out[i] = 4 - i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t e = async_work_group_copy(l, out, 4, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + 4, l, 4, 0);
    wait_group_events(1, &e);
}

//# accept: fewer and more elements than work-items
//# global: 3
//# local: 3
//# expect: 0 1 2 3 4 5 6 0
kernel void test(global uint *out) {
    local uint l[8];
    for (size_t i = get_local_id(0); i < 8; i += 3)
        l[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, l, 7, 0);
    wait_group_events(1, &e);
}

//# accept: an event that is passed is the one returned, so that copies share it
//# global: 2
//# local: 2
//# expect: 1 2 3 4 1
kernel void test(global uint *out) {
    local uint l[4];
    if (get_local_id(0) == 0)
        for (int i = 0; i < 4; i++)
            l[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t first = async_work_group_copy(out, l, 2, 0);
    event_t second = async_work_group_copy(out + 2, l + 2, 2, first);
    wait_group_events(1, &second);
    out[4] = 1;
}

//# accept: 0 converts to event_t, implicitly and by a cast
//# expect: 1 2
kernel void test(global uint *out) {
    local uint l[2];
    l[0] = 1; l[1] = 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t none = 0;
    event_t e[2];
    e[0] = async_work_group_copy(out, l, 1, none);
    e[1] = async_work_group_copy(out + 1, l + 1, 1, (event_t)0);
    wait_group_events(2, e);
}

//# accept: elements of every type, three components count as four
//# global: 2
//# local: 2
//# expect: 1 2 3 4 0x04030201
kernel void test(global uint *out) {
    local uint3 v;
    local uchar c[4];
    local uchar4 *p = (local uchar4 *)c;
    if (get_local_id(0) == 0) {
        vstore4((uint4)(1, 2, 3, 4), 0, (local uint *)&v);
        *p = (uchar4)(1, 2, 3, 4);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy((global uint3 *)out, &v, 1, 0);
    e = async_work_group_copy((global uchar4 *)out + 4, p, 1, e);
    wait_group_events(1, &e);
    // Whether the fourth word of a vector of three comes along is not said.
    if (get_local_id(0) == 0)
        out[3] = 4;
}

//# accept: of short, long and float, vectors of 2, 8 and 16
//# global: 2
//# local: 2
//# expect: 1 1 1
kernel void test(global uint *out) {
    local short2 s[2];
    local long8 l;
    local float16 f;
    local uint space[16];
    if (get_local_id(0) == 0) {
        s[0] = (short2)(1, 2);
        s[1] = (short2)(3, 4);
        l = (long8)(5);
        f = (float16)(2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy((global short2 *)out, s, 2, 0);
    wait_group_events(1, &e);
    uint ok = out[0] == 0x00020001 && out[1] == 0x00040003;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        out[0] = ok;
        out[1] = l.s7 == 5;
        out[2] = f.sf == 2;
    }
}

//# accept: a strided copy gathers elements into local memory
//# global: 2
//# local: 2
//# expect: 0 1 2 3 4 5 0 2 4
kernel void test(global uint *out) {
    local uint l[3];
    for (size_t i = get_local_id(0); i < 6; i += 2)
        out[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(l, out, 3, 2, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(out + 6, l, 3, 0);
    wait_group_events(1, &e);
}

//# accept: and scatters them to global memory
//# global: 2
//# local: 2
//# expect: 1 0 0 2 0 0 3
kernel void test(global uint *out) {
    local uint l[3];
    for (size_t i = get_local_id(0); i < 3; i += 2)
        l[i] = i + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(out, l, 3, 3, 0);
    wait_group_events(1, &e);
}

//# accept: a copy in a conditional statement that all work-items enter, and in a loop
//# global: 4
//# local: 2
//# expect: 5 6 5 6
kernel void test(global uint *out) {
    local uint l[2];
    l[get_local_id(0)] = 5 + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 2; i++)
        if (get_group_id(0) == i) {
            event_t e = async_work_group_copy(out + 2 * i, l, 2, 0);
            wait_group_events(1, &e);
        }
}

//# accept: const sources; prefetch does not affect what a kernel does
//# expect: 3
kernel void test(global uint *out) {
    const global uint *p = out;
    local uint l[1];
    prefetch(p, 1);
    prefetch((global uchar4 *)out, 1);
    event_t e = async_work_group_copy(l, p, 1, 0);
    wait_group_events(1, &e);
    out[0] = l[0] + 3;
}

//# accept: waiting for no events
//# expect: 1
kernel void test(global uint *out) {
    event_t e = 0;
    wait_group_events(0, &e);
    out[0] = 1;
}

//# accept: of double and half where there are such
//# requires: fp64, cl_khr_fp16
//# expect: 0x00000000 0x3ff00000 0x40003c00
kernel void test(global uint *out) {
    local double d[1];
    local half2 h[1];
    d[0] = 1;
    h[0] = (half2)(1, 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy((global double *)out, d, 1, 0);
    e = async_work_group_copy((global half2 *)out + 2, h, 1, e);
    wait_group_events(1, &e);
}

//# reject: a copy is between global and local memory
//# error: 4: no matching function for call to 'async_work_group_copy'
//# error: 5: no matching function for call to 'async_work_group_copy'
//# error: 6: no matching function for call to 'async_work_group_copy'
kernel void test(global uint *out) {
    local uint l[4];
    uint p[4];
    async_work_group_copy(out, out + 4, 4, 0);
    async_work_group_copy(l, l + 2, 2, 0);
    async_work_group_copy(p, out, 4, 0);
}

//# reject: nor from constant memory, nor to what is const
//# error: 4: no matching function for call to 'async_work_group_copy'
//# error: 5: no matching function for call to 'async_work_group_copy'
constant uint c[4] = {1, 2, 3, 4};
kernel void test(global uint *out) {
    local uint l[4]; const global uint *p = out;
    async_work_group_copy(l, c, 4, 0);
    async_work_group_copy(p, l, 4, 0);
}

//# reject: source and destination are of one type
//# error: 3: no matching function for call to 'async_work_group_copy'
//# error: 4: no matching function for call to 'async_work_group_copy'
kernel void test(global uint *out) {
    local float l[4]; local uint2 v[2];
    async_work_group_copy(l, out, 4, 0);
    async_work_group_copy(out, v, 4, 0);
}

//# reject: of structs there are no async copies
//# error: 4: no matching function for call to 'async_work_group_copy'
struct pair { int a, b; };
kernel void test(global uint *out) {
    local struct pair l[1];
    async_work_group_copy(l, (global struct pair *)out, 1, 0);
}

//# reject: the number of arguments is that of the table
//# error: 3: no matching function for call to 'async_work_group_copy'
//# error: 4: no matching function for call to 'async_work_group_strided_copy'
//# error: 5: no matching function for call to 'prefetch'
kernel void test(global uint *out) {
    local uint l[4];
    async_work_group_copy(l, out, 4);
    async_work_group_strided_copy(l, out, 4, 0);
    prefetch(out);
}

//# reject: only 0 converts to event_t
//# error: 3: event_t
//# error: 4: event_t
kernel void test(global uint *out) {
    local uint l[4];
    async_work_group_copy(l, out, 4, 1);
    event_t e = out[0];
}

//# reject: wait_group_events takes a pointer to events
//# error: 3: no matching function for call to 'wait_group_events'
//# error: 4: no matching function for call to 'wait_group_events'
kernel void test(global uint *out) {
    event_t e = 0;
    wait_group_events(1, e);
    wait_group_events(1, out);
}

//# reject: prefetch is of global memory
//# error: 3: no matching function for call to 'prefetch'
//# error: 4: no matching function for call to 'prefetch'
kernel void test(global uint *out) {
    local uint l[4]; uint p[4];
    prefetch(l, 4);
    prefetch(p, 4);
}

//# reject: strided copies require OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 3: implicit declaration of function 'async_work_group_strided_copy' is invalid
kernel void test(global uint *out) {
    local uint l[4];
    async_work_group_strided_copy(l, out, 4, 2, 0);
}

//# accept: no events are waited for, by the null pointer
//# expect: 7
kernel void test(global uint *out) {
    local uint l[4];
    event_t e = async_work_group_copy(l, out, 1, 0);
    wait_group_events(0, NULL);
    wait_group_events(1, &e);
    wait_group_events(0, (void *)0);
    out[0] = l[0] + 7;
}

//# reject: nothing else is passed for events
//# error: 3: no matching function for call to 'wait_group_events'
//# error: 4: no matching function for call to 'wait_group_events'
kernel void test(global uint *out) {
    void *p = out[0] ? &out : 0;
    wait_group_events(1, p);
    wait_group_events(0, (global uint *)0);
}
