//! 6.15.17 Work-group Collective Uniform Arithmetic Functions

//# reject: they require cl_khr_work_group_uniform_arithmetic
//# options: -cl-std=CL3.0
//# requires: !work_group_uniform_arithmetic
//# error: 2: use of 'work_group_reduce_logical_and' requires cl_khr_work_group_uniform_arithmetic which this device does not offer
//# error: 3: use of 'work_group_scan_inclusive_logical_xor' requires cl_khr_work_group_uniform_arithmetic
//# error: 4: use of 'work_group_reduce_or' requires cl_khr_work_group_uniform_arithmetic
//# error: 5: use of 'work_group_scan_exclusive_and' requires cl_khr_work_group_uniform_arithmetic
//# error: 6: use of 'work_group_reduce_mul' requires cl_khr_work_group_uniform_arithmetic
kernel void test(global uint *out) {
    work_group_reduce_logical_and(1);
    work_group_scan_inclusive_logical_xor(1);
    work_group_reduce_or(1);
    work_group_scan_exclusive_and(1);
    work_group_reduce_mul(1);
}

//# accept: where they are not offered the macro is not defined
//# options: -cl-std=CL3.0
//# requires: !work_group_uniform_arithmetic
//# expect: 1
kernel void test(global uint *out) {
#ifndef cl_khr_work_group_uniform_arithmetic
    out[0] = 1;
#endif
}
