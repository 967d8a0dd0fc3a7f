//! 6.15.17 Work-group Collective Uniform Arithmetic Functions

//# reject: they require cl_khr_work_group_uniform_arithmetic
//# options: -cl-std=CL3.0
//# requires: !work_group_uniform_arithmetic
//# error: 2: use of 'work_group_reduce_logical_and' requires cl_khr_work_group_uniform_arithmetic which this device does not offer
kernel void test(global uint *out) {
    work_group_reduce_logical_and(1);
}

//# reject: the bitwise functions take integers
//# options: -cl-std=CL3.0
//# error: 2: call to 'work_group_reduce_and' is ambiguous
//# error: 3: call to 'work_group_scan_inclusive_xor' is ambiguous
kernel void test(global uint *out) {
    work_group_reduce_and(1.0f);
    work_group_scan_inclusive_xor(1.0f);
}

//# accept: the macro is defined
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic
//# expect: 1
kernel void test(global uint *out) {
#ifdef cl_khr_work_group_uniform_arithmetic
    out[0] = 1;
#endif
}

//# accept: reductions of truth: any number but zero is true
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic
//# global: 5
//# local: 5
//# expect: 1 0 1 0 1 0
kernel void test(global uint *out) {
    int i = get_local_id(0);
    int all = work_group_reduce_logical_and(i + 7), not_all = work_group_reduce_logical_and(i);
    int some = work_group_reduce_logical_or(i & 4), none = work_group_reduce_logical_or(0);
    int odd = work_group_reduce_logical_xor(i < 3 ? 8 : 0), even = work_group_reduce_logical_xor(i < 2 ? i + 2 : 0);
    if (i == 3) {
        out[0] = all != 0;
        out[1] = not_all != 0;
        out[2] = some != 0;
        out[3] = none != 0;
        out[4] = odd != 0;
        out[5] = even != 0;
    }
}

//# accept: scans of truth; exclusive ones begin with what changes nothing
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic
//# global: 4
//# local: 4
//# expect: 1 1 0 0 0 0 1 1 0 1 1 0 1 1 1 0 0 0 0 1 0 0 1 1
constant int ones[] = {4, 2, 0, 2}, bits[] = {0, 0, 3, 0}, flips[] = {0, 5, 0, 5};
kernel void test(global uint *out) {
    int i = get_local_id(0);
    out[i] = work_group_scan_inclusive_logical_and(ones[i]) != 0;
    out[4 + i] = work_group_scan_inclusive_logical_or(bits[i]) != 0;
    out[8 + i] = work_group_scan_inclusive_logical_xor(flips[i]) != 0;
    out[12 + i] = work_group_scan_exclusive_logical_and(ones[i]) != 0;
    out[16 + i] = work_group_scan_exclusive_logical_or(bits[i]) != 0;
    out[20 + i] = work_group_scan_exclusive_logical_xor(flips[i]) != 0;
}

//# accept: bits
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic
//# global: 3
//# local: 3
//# expect: 0x10 0x17 0x7 0x13 0x12 0x10 0xffffffff 0x13 0x12 0x13 0x17 0x17 0 0x13 0x17 0 0x13 0x5 1
constant uint words[] = {0x13, 0x16, 0x12};
constant uint masks[] = {0x13, 0x12, 0x10};
constant uint parts[] = {0x13, 0x4, 0x10};
kernel void test(global uint *out) {
    int i = get_local_id(0);
    uint all = work_group_reduce_and(masks[i]), any = work_group_reduce_or(parts[i]), odd = work_group_reduce_xor(parts[i]);
    if (i == 0) {
        out[0] = all;
        out[1] = any;
        out[2] = odd;
    }
    out[3 + i] = work_group_scan_inclusive_and(masks[i]);
    out[6 + i] = work_group_scan_exclusive_and(masks[i]);
    out[9 + i] = work_group_scan_inclusive_or(parts[i]);
    out[12 + i] = work_group_scan_exclusive_or(parts[i]);
    out[15 + i] = work_group_scan_exclusive_xor(words[i]);
    ulong wide = work_group_reduce_or(1UL << (20 * i));
    if (i == 0)
        out[18] = wide == 0x10000100001UL;
}

//# accept: products
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic
//# global: 3
//# local: 3
//# expect: 6 1 2 6 1 1 2 6f 1f 1
kernel void test(global uint *out) {
    int i = get_local_id(0);
    int x = i + 1;
    int product = work_group_reduce_mul(x);
    float real = work_group_reduce_mul((float)x), before = work_group_scan_exclusive_mul((float)x);
    ulong wide = work_group_reduce_mul((ulong)x << 20);
    out[1 + i] = work_group_scan_inclusive_mul(x);
    out[4 + i] = work_group_scan_exclusive_mul(x);
    if (i == 0) {
        out[0] = product;
        ((global float *)out)[7] = real;
        ((global float *)out)[8] = before;
        out[9] = wide == 6UL << 60;
    }
}

//# accept: products of doubles
//# options: -cl-std=CL3.0
//# requires: work_group_uniform_arithmetic, fp64
//# global: 3
//# local: 3
//# expect: 1
kernel void test(global uint *out) {
    double product = work_group_reduce_mul(get_local_id(0) + 1.5);
    out[0] = product == 1.5 * 2.5 * 3.5;
}
