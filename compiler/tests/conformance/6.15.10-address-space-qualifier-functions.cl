//! 6.15.10 Address Space Qualifier Functions

//# accept: to_global, to_local and to_private give the pointer, or NULL where it points elsewhere
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 0 0 0 1 0 0 0 1
void tell(int *p, global uint *out) {
    out[0] = to_global(p) != NULL;
    out[1] = to_local(p) != NULL;
    out[2] = to_private(p) != NULL;
}
kernel void test(global uint *out) {
    local int l;
    int p;
    tell((global int *)out, out);
    tell(&l, out + 3);
    tell(&p, out + 6);
}

//# accept: the result points to the same object
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 7 8 9
kernel void test(global uint *out) {
    local uint l;
    uint p;
    uint *a = out, *b = &l, *c = &p;
    *to_global(a) = 7;
    *to_local(b) = 8;
    *to_private(c) = 9;
    out[1] = l;
    out[2] = p;
}

//# accept: where it is known only at run time
//# options: -cl-std=CL3.0
//# requires: generic
//# global: 3
//# local: 3
//# expect: 0x100 0x010 0x001
kernel void test(global uint *out) {
    local uint l;
    uint p, i = get_global_id(0);
    uint *q = i == 0 ? out : i == 1 ? (uint *)&l : (uint *)&p;
    uint r = (to_global(q) != NULL) << 8 | (to_local(q) != NULL) << 4 | (to_private(q) != NULL);
    out[i] = r;
}

//# accept: get_fence gives a fence flag for the memory pointed to
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 1
kernel void test(global uint *out) {
    local uint l;
    uint *a = out, *b = &l;
    out[0] = get_fence(a) == CLK_GLOBAL_MEM_FENCE;
    out[1] = get_fence(b) == CLK_LOCAL_MEM_FENCE;
}

//# accept: pointers to any type, user-defined ones too, and to const
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 5 1 1
struct pair { int a, b; };
kernel void test(global uint *out) {
    struct pair x = {4, 5};
    struct pair *p = &x;
    private struct pair *q = to_private(p);
    out[0] = q->b;
    const struct pair *c = &x;
    const private struct pair *d = to_private(c);
    out[1] = d->a == 4;
    void *v = out;
    out[2] = to_global(v) == (global void *)out;
}

//# accept: NULL points to no address space
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1 1
kernel void test(global uint *out) {
    int *p = NULL;
    out[0] = to_global(p) == NULL && to_local(p) == NULL;
    out[1] = to_private(p) == NULL;
}

//# reject: a pointer to constant memory is not generic
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 3: expecting a generic pointer type
//# error: 4: no matching function for call to 'get_fence'
constant int c = 1;
kernel void test(global uint *out) {
    out[0] = *to_global(&c);
    out[1] = get_fence(&c);
}

//# reject: nor are numbers pointers
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 2: expecting a generic pointer type
//# error: 3: no matching function for call to 'get_fence'
kernel void test(global uint *out) {
    out[0] = to_local(1) == 0;
    out[1] = get_fence(out[0]);
}

//# reject: they take one argument
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 2: too few arguments to function call, expected 1, have 0
//# error: 3: too many arguments to function call, expected 1, have 2
kernel void test(global uint *out) {
    to_global();
    to_local(out, out);
}

//# accept: const is not lost: a warning, as for any pointer to const
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 1
//# warn: 4: discards qualifiers
kernel void test(global uint *out) {
    const int x = 1;
    const int *p = &x;
    private int *q = to_private(p);
    out[0] = *q;
}

//# reject: the result's address space is another than the pointer's that it is assigned to
//# options: -cl-std=CL3.0
//# requires: generic
//# error: 3: changes address space of pointer
kernel void test(global uint *out) {
    uint *p = out;
    local uint *l = to_global(p);
}

//# reject: they require OpenCL C 2.0, or 3.0 with the generic address space
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'to_global' is invalid
//# error: 3: implicit declaration of function 'get_fence' is invalid
kernel void test(global uint *out) {
    to_global(out);
    get_fence(out);
}
