//! 6.5.13 Indirection Operator

//# accept: * gives an l-value of the type pointed to
//# expect: 7 9
kernel void test(global uint *out) {
    int a = 1, *p = &a, **q = &p;
    *p = 7;
    out[0] = a;
    **q += 2;
    out[1] = a;
}

//# accept: &*p is p, without an access: even of a null pointer
//# expect: 1 1
kernel void test(global uint *out) {
    global int *null = (global int *)(size_t)out[0];
    out[0] = &*null == null;
    out[1] = &*out == out;
}

//# reject: * of what is no pointer
//# error: 3: indirection requires pointer operand ('int' invalid)
//# error: 4: indirection requires pointer operand ('int2' invalid)
kernel void test(global uint *out) {
    int a = 1; int2 v = (int2)(1);
    *a = 1;
    *v;
}

//# accept: through pointers to each address space
//# expect: 1 2 3 4
constant uint c = 3;
kernel void test(global uint *out) {
    local uint l;
    uint p = 2;
    global uint *g = out;
    private uint *q = &p;
    local uint *m = &l;
    constant uint *k = &c;
    *g = 1;
    *m = 4;
    out[1] = *q;
    out[2] = *k;
    out[3] = *m;
}

//# reject: * of a pointer to void
//# error: 3: void
kernel void test(global uint *out) {
    global void *p = out;
    out[0] = *p;
}
