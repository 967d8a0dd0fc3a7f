//! 6.15.16 Work-group Collective Functions

//# accept: work_group_all and work_group_any
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 4
//# local: 4
//# expect: 1 0 1 0
kernel void test(global uint *out) {
    int i = get_local_id(0);
    int a = work_group_all(i >= 0), b = work_group_all(i > 0);
    int c = work_group_any(i == 3), d = work_group_any(i > 3);
    out[i] = (i == 0 ? a : i == 1 ? b : i == 2 ? c : d) != 0;
}

//# accept: each work-group for itself
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 8
//# local: 4
//# expect: 0 0 0 0 1 1 1 1
kernel void test(global uint *out) {
    out[get_global_id(0)] = work_group_any(get_global_id(0) == 5) != 0;
}

//# accept: work_group_broadcast gives the value of one work-item
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 4
//# local: 4
//# expect: 12 12 12 12
kernel void test(global uint *out) {
    uint i = get_local_id(0);
    out[i] = work_group_broadcast(10 + i, 2);
}

//# accept: by two and three local identifiers
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 2 2 2
//# local: 2 2 2
//# expect: 5 5 5 5 5 5 5 5
kernel void test(global uint *out) {
    uint i = get_local_linear_id();
    out[i] = work_group_broadcast(i, 1, 0, 1);
}

//# accept: work_group_reduce_add, min and max
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 8
//# local: 8
//# expect: 25 0 7
constant int p[] = {3, 1, 7, 0, 4, 1, 6, 3};
kernel void test(global uint *out) {
    int x = p[get_local_id(0)];
    int sum = work_group_reduce_add(x), least = work_group_reduce_min(x), most = work_group_reduce_max(x);
    out[0] = sum;
    out[1] = least;
    out[2] = most;
}

//# accept: work_group_scan_inclusive_add
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 8
//# local: 8
//# expect: 3 4 11 11 15 16 22 25
constant int p[] = {3, 1, 7, 0, 4, 1, 6, 3};
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    out[i] = work_group_scan_inclusive_add(p[i]);
}

//# accept: work_group_scan_exclusive_add begins with 0
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 8
//# local: 8
//# expect: 0 3 4 11 11 15 16 22
constant int p[] = {3, 1, 7, 0, 4, 1, 6, 3};
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    out[i] = work_group_scan_exclusive_add(p[i]);
}

//# accept: inclusive scans of min and max
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 4
//# local: 4
//# expect: 3 1 1 0 3 3 7 7
constant int p[] = {3, 1, 7, 0};
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    out[i] = work_group_scan_inclusive_min(p[i]);
    out[4 + i] = work_group_scan_inclusive_max(p[i]);
}

//# accept: exclusive scans of min begin with the greatest, of max with the least number of the type
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# expect: 0x7fffffff 0x80000000 0xffffffff 0 inff -inff 1 1
kernel void test(global uint *out) {
    out[0] = work_group_scan_exclusive_min(5);
    out[1] = work_group_scan_exclusive_max(5);
    out[2] = work_group_scan_exclusive_min(5u);
    out[3] = work_group_scan_exclusive_max(5u);
    ((global float *)out)[4] = work_group_scan_exclusive_min(5.0f);
    ((global float *)out)[5] = work_group_scan_exclusive_max(5.0f);
    out[6] = work_group_scan_exclusive_min(5L) == LONG_MAX;
    out[7] = work_group_scan_exclusive_max(5UL) == 0;
}

//# accept: of long, ulong and float
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 4
//# local: 4
//# expect: 1 1 10f
kernel void test(global uint *out) {
    size_t i = get_local_id(0);
    long s = work_group_reduce_add((long)i << 32);
    ulong m = work_group_reduce_max((ulong)i << 40);
    float f = work_group_reduce_add(1.0f + i);
    out[0] = s == 6L << 32;
    out[1] = m == 3UL << 40;
    ((global float *)out)[2] = f;
}

//# accept: of double
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions, fp64
//# global: 4
//# local: 4
//# expect: 1
kernel void test(global uint *out) {
    double d = work_group_reduce_add(1.5 + get_local_id(0));
    out[0] = d == 12;
}

//# accept: of half
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions, cl_khr_fp16
//# global: 4
//# local: 4
//# expect: 1
kernel void test(global uint *out) {
    half x = 1.5h + (half)(int)get_local_id(0);
    half d = work_group_reduce_max(x);
    out[0] = d == 4.5h;
}

//# accept: the order of scans in two dimensions is that of linear identifiers
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 2 3
//# local: 2 3
//# expect: 0 1 3 6 10 15
kernel void test(global uint *out) {
    uint i = get_local_linear_id();
    out[i] = work_group_scan_inclusive_add(i);
}

//# accept: work-groups of many sub-groups, of which the last is not whole
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 101
//# local: 101
//# expect: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
kernel void test(global uint *out) {
    uint i = get_local_id(0), n = 101;
    uint before = i * (i - 1) / 2, all = n * (n - 1) / 2;
    int x = i == 77 ? -5 : i == 100 ? 300 : i;
    uint right = work_group_reduce_add(i) == all;
    right &= work_group_scan_exclusive_add(i) == before;
    right &= work_group_scan_inclusive_add(i) == before + i;
    right &= work_group_reduce_min(x) == -5 && work_group_reduce_max(x) == 300;
    right &= work_group_scan_exclusive_min(x) == (i == 0 ? INT_MAX : i <= 77 ? 0 : -5);
    right &= work_group_scan_inclusive_max(x) == (i == 77 ? 76 : i == 100 ? 300 : (int)i);
    right &= work_group_reduce_add(0.5f * i) == 0.5f * all;
    right &= work_group_scan_exclusive_add((ulong)i << 32) == (ulong)before << 32;
    right &= work_group_all(x != 5) == 0 && work_group_any(x == -5) != 0 && work_group_any(x == 77) == 0;
    right &= work_group_all(x > -6) != 0;
    out[i] = right;
}

//# accept: a sum of floats is the same for all, so that loops may end by it
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# global: 15 3
//# local: 15 3
//# expect: 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5
kernel void test(global uint *out) {
    uint i = get_local_linear_id();
    float x = 1.0f / (i + 1), first = work_group_reduce_add(x);
    uint rounds = 0;
    while (work_group_reduce_add(x) == work_group_broadcast(first, 0)) {
        if (++rounds == 5) x *= 2;
    }
    out[i] = rounds;
}

//# reject: they take scalars of int, uint, long, ulong and floating-point types
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# error: 2: no matching function for call to 'work_group_reduce_add'
//# error: 3: no matching function for call to 'work_group_broadcast'
//# error: 4: no matching function for call to 'work_group_scan_inclusive_add'
kernel void test(global uint *out) {
    work_group_reduce_add((int2)(1));
    work_group_broadcast(out, 0);
    work_group_scan_inclusive_add((float4)(1));
}

//# reject: the number of arguments is that of the table
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# error: 2: no matching function for call to 'work_group_all'
//# error: 3: no matching function for call to 'work_group_broadcast'
//# error: 4: no matching function for call to 'work_group_broadcast'
//# error: 5: no matching function for call to 'work_group_reduce_min'
kernel void test(global uint *out) {
    work_group_all();
    work_group_broadcast(1);
    work_group_broadcast(1, 0, 0, 0, 0);
    work_group_reduce_min(1, 2);
}

//# reject: the operations are add, min and max
//# options: -cl-std=CL3.0
//# requires: work_group_collective_functions
//# error: 2: implicit declaration of function 'work_group_sum' is invalid
kernel void test(global uint *out) {
    work_group_sum(1);
}

//# reject: they require OpenCL C 2.0 or later
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'work_group_reduce_add' is invalid
//# error: 3: implicit declaration of function 'work_group_all' is invalid
//# error: 4: implicit declaration of function 'work_group_broadcast' is invalid
kernel void test(global uint *out) {
    work_group_reduce_add(1);
    work_group_all(1);
    work_group_broadcast(1, 0);
}

//# reject: and the feature __opencl_c_work_group_collective_functions
//# options: -cl-std=CL3.0
//# requires: !work_group_collective_functions
//# error: 2: use of 'work_group_reduce_add' requires __opencl_c_work_group_collective_functions
kernel void test(global uint *out) {
    work_group_reduce_add(1);
}
