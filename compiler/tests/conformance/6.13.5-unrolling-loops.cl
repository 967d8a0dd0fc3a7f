//! 6.13.5 Specifying Attribute For Unrolling Loops

//# accept: opencl_unroll_hint before for, while and do
//# options: -cl-std=CL3.0
//# expect: 6 6 6
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint))
    for (int i = 0; i < 4; i++) out[0] += i;
    int j = 0;
    __attribute__((opencl_unroll_hint))
    while (j < 4) out[1] += j++;
    int k = 0;
    __attribute__((opencl_unroll_hint))
    do out[2] += k; while (++k < 4);
}

//# accept: with a factor that divides the count, one that does not, and one that is larger
//# options: -cl-std=CL3.0
//# expect: 28 28 28
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(2)))
    for (int i = 0; i < 8; i++) out[0] += i;
    __attribute__((opencl_unroll_hint(3)))
    for (int i = 0; i < 8; i++) out[1] += i;
    __attribute__((opencl_unroll_hint(100)))
    for (int i = 0; i < 8; i++) out[2] += i;
}

//# accept: a factor of 1 disables unrolling
//# options: -cl-std=CL3.0
//# expect: 496
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(1)))
    for (int i = 0; i < 32; i++) out[0] += i;
}

//# accept: a loop whose count is known only at run time
//# options: -cl-std=CL3.0
//# global: 5
//# expect: 0 1 3 6 10
kernel void test(global uint *out) {
    uint n = get_global_id(0), sum = 0;
    __attribute__((opencl_unroll_hint(2)))
    while (n != 0) sum += n--;
    out[get_global_id(0)] = sum;
}

//# accept: the loop may have continue and break in it
//# options: -cl-std=CL3.0
//# expect: 12
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(4)))
    for (int i = 0; i < 100; i++) {
        if (i & 1) continue;
        if (i > 7) break;
        out[0] += i;
    }
}

//# accept: the factor is a constant expression
//# options: -cl-std=CL3.0
//# expect: 45
#define FACTOR 2
enum { TWO = 2 };
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(FACTOR * TWO + sizeof(int))))
    for (int i = 0; i < 10; i++) out[0] += i;
}

//# accept: the hint is recognized in OpenCL C 1.2 too
//# options: -cl-std=CL1.2
//# expect: 45
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(2)))
    for (int i = 0; i < 10; i++) out[0] += i;
}

//# reject: the factor is not negative
//# options: -cl-std=CL3.0
//# error: 2: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(-1)))
    while (out[0] < 3) out[0]++;
}

//# reject: the factor is not zero
//# options: -cl-std=CL3.0
//# error: 2: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(0)))
    while (out[0] < 3) out[0]++;
}

//# reject: the hint is for loops, not for if
//# options: -cl-std=CL3.0
//# error: 2: OpenCL only supports 'opencl_unroll_hint' attribute on for, while, and do statements
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint))
    if (out[0] == 0) { out[0] = 1; }
}

//# reject: nor for blocks
//# options: -cl-std=CL3.0
//# error: 2: OpenCL only supports 'opencl_unroll_hint' attribute on for, while, and do statements
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(2))) { out[0] = 1; }
}

//# reject: the factor is a constant
//# options: -cl-std=CL3.0
//# error: 3: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
kernel void test(global uint *out) {
    int x = out[0];
    __attribute__((opencl_unroll_hint(x)))
    for (int i = 0; i < x; i++) out[0]++;
}

//# reject: the factor is an integer
//# options: -cl-std=CL3.0
//# error: 2: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(2.0f)))
    for (int i = 0; i < 3; i++) out[0]++;
}

//# reject: there is one factor
//# options: -cl-std=CL3.0
//# error: 2: 'opencl_unroll_hint' attribute takes no more than 1 argument
kernel void test(global uint *out) {
    __attribute__((opencl_unroll_hint(2, 3)))
    for (int i = 0; i < 3; i++) out[0]++;
}

//# reject: the hint stands immediately before the loop
//# options: -cl-std=CL3.0
//# error: 2: OpenCL only supports 'opencl_unroll_hint' attribute on for, while, and do statements
kernel void test(global uint *out) {
    for __attribute__((opencl_unroll_hint(2))) (int i = 0; i < 3; i++) out[0]++;
}
