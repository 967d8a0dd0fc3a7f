//! 6.13.2 Specifying Attributes of Functions

//# accept: attributes stand before or behind the declarator of a declaration
//# expect: 3
uint f(uint x) __attribute__((pure));
__attribute__((always_inline)) uint f(uint x) {
    return x + 1;
}
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void test(global uint *out) {
    out[0] = f(2);
}

//# accept: noinline and always_inline do not change what a function computes
//# expect: 12
__attribute__((noinline)) uint f(uint x) {
    return x * 2;
}
inline __attribute__((always_inline)) uint g(uint x) {
    return f(x) + 2;
}
kernel void test(global uint *out) {
    out[0] = g(5 + out[0]);
}

//# accept: overloadable functions of one name
//# expect: 1 2
uint __attribute__((overloadable)) f(uint x) {
    return 1;
}
uint __attribute__((overloadable)) f(float x) {
    return 2;
}
kernel void test(global uint *out) {
    out[0] = f(1u);
    out[1] = f(1.0f);
}

//# reject: without the attribute there is one function of a name
//# error: 4: conflicting types for 'f'
uint f(uint x) {
    return 1;
}
uint f(float x) {
    return 2;
}
kernel void test(global uint *out) {}
