//! 6.2.2 Extensions

//# accept: an extension that is supported has its macro, which is 1
//# expect: 1 1 1 1 1
kernel void test(global uint *out) {
    out[0] = cl_khr_byte_addressable_store;
    out[1] = cl_khr_global_int32_base_atomics;
    out[2] = cl_khr_global_int32_extended_atomics;
    out[3] = cl_khr_local_int32_base_atomics;
    out[4] = cl_khr_local_int32_extended_atomics;
}

//# accept: what began as an extension has its extension macro in OpenCL C 3.0 too
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    out[0] = cl_khr_byte_addressable_store;
}

//# accept: what is not supported has no macro
//# requires: !images, !subgroups
//# expect: 1
#if defined(cl_khr_3d_image_writes) || defined(cl_khr_subgroups) || defined(cl_khr_mipmap_image)
#error
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: a program may insist on an extension
//# requires: !images
//# error: 2: no writes to images
#ifndef cl_khr_3d_image_writes
#error no writes to images
#endif
kernel void test(global uint *out) {}

//# accept: every extension that is listed may be enabled without a warning
//# requires: subgroups, cl_khr_subgroup_shuffle
//# expect: 1
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#ifdef cl_intel_required_subgroup_size
#pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable
#endif
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: what only other makers' compilers have is refused by the name of its extension
//# error: 2: use of type 'float32' requires cl_qcom_extra_vector_types which this device does not offer
kernel void test(global uint *out) {
    private float32 x;
}

//# reject: functions and constants of Qualcomm's extensions
//# error: 2: use of 'qcom_get_physical_sub_group_id' requires one of Qualcomm's extensions which this device does not offer
//# error: 3: use of 'CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM' requires one of Qualcomm's extensions which this device does not offer
kernel void test(global uint *out) {
    out[0] = qcom_get_physical_sub_group_id();
    out[1] = CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM;
}

//# reject: functions of cl_intel_subgroups are there where it is listed, which programs take for Intel's hardware
//# error: 2: use of 'intel_sub_group_shuffle' requires cl_intel_subgroups which this device does not offer
kernel void test(global uint *out) {
    out[0] = intel_sub_group_shuffle(out[1], 0);
}
