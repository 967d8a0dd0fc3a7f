//! 6.7.8 Inference

//# accept: variables of program scope and static ones are global
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables, generic
//# expect: 1 2 1 1
uint foo = 1;
static uint bar = 2;
kernel void test(global uint *out) {
    static uint baz;
    global uint *p = &foo;
    global uint *q = &bar;
    global uint *r = &baz;
    out[0] = *p;
    out[1] = *q;
    out[2] = r == &baz;
    out[3] = to_global(&foo) == p;
}

//# accept: pointers without address space are generic where there is one
//# options: -cl-std=CL3.0
//# requires: generic
//# expect: 3 3
void set(uint *p) { *p = 3; }
kernel void test(global uint *out) {
    uint x;
    set(&x);
    set(out);
    out[1] = x;
}

//# reject: they are private before
//# options: -cl-std=CL1.2
//# error: 3: changes address space of pointer
void set(uint *p) { *p = 3; }
kernel void test(global uint *out) {
    set(out);
}

//# accept: string literals are constant
//# expect: 72
kernel void test(global uint *out) {
    constant char *s = "Hello";
    out[0] = s[0];
}

//# reject: and nothing else
//# options: -cl-std=CL3.0
//# error: 2: changes address space of pointer
kernel void test(global uint *out) {
    const char *s = "Hello";
}
