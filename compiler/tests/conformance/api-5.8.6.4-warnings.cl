//! API 5.8.6.4 Options to Request or Suppress Warnings

//# accept: without options there are warnings
//# expect: 1
//# warn: 2: argument of type 'float' is widened
kernel void test(global uint *out) {
    out[0] = all(pow((float2)(1), 1.0f) == 1);
}

//# accept: -w inhibits them
//# options: -w
//# expect: 1
kernel void test(global uint *out) {
    out[0] = all(pow((float2)(1), 1.0f) == 1);
}

//# reject: -Werror makes them errors
//# options: -Werror
//# error: 2: argument of type 'float' is widened
kernel void test(global uint *out) {
    out[0] = all(pow((float2)(1), 1.0f) == 1);
}

//# accept: -w with -Werror leaves nothing to make errors of
//# options: -Werror -w
//# expect: 1
kernel void test(global uint *out) {
    out[0] = all(pow((float2)(1), 1.0f) == 1);
}

//# reject: single warnings have no options
//# options: -Wall
//# invalid: unknown build option '-Wall'
kernel void test(global uint *out) {}
