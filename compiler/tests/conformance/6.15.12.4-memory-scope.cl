//! 6.15.12.4 Memory Scope

//# accept: memory_scope is a type, whose enumerators are distinct
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    memory_scope a = memory_scope_work_item, b = memory_scope_work_group;
    out[0] = a != b;
}

//# accept: the scope of a work-group
//# options: -cl-std=CL3.0
//# global: 8
//# local: 4
//# expect: 6 6
kernel void test(global uint *out) {
    local atomic_uint sum;
    if (get_local_id(0) == 0)
        atomic_init(&sum, 0u);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, (uint)get_local_id(0), memory_order_relaxed, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = atomic_load_explicit(&sum, memory_order_relaxed, memory_scope_work_group);
}

//# accept: the scope of the device
//# options: -cl-std=CL3.0
//# requires: atomic_scope_device
//# global: 8
//# local: 4
//# expect: 8
kernel void test(global uint *out) {
    atomic_fetch_add_explicit((global atomic_uint *)out, 1u, memory_order_relaxed, memory_scope_device);
}

//# reject: memory_scope_device requires __opencl_c_atomic_scope_device
//# options: -cl-std=CL3.0
//# requires: !atomic_scope_device
//# error: 2: use of undeclared identifier 'memory_scope_device'
kernel void test(global uint *out) {
    out[0] = memory_scope_device;
}

//# reject: memory_scope_all_svm_devices and memory_scope_all_devices require a feature
//# options: -cl-std=CL3.0
//# requires: !atomic_scope_all_devices
//# error: 2: use of undeclared identifier 'memory_scope_all_svm_devices'
//# error: 3: use of undeclared identifier 'memory_scope_all_devices'
kernel void test(global uint *out) {
    out[0] = memory_scope_all_svm_devices;
    out[1] = memory_scope_all_devices;
}

//# reject: memory_scope_sub_group requires sub-groups
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of undeclared identifier 'memory_scope_sub_group'
kernel void test(global uint *out) {
    out[0] = memory_scope_sub_group;
}

//# reject: scopes require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: use of undeclared identifier 'memory_scope_device'
kernel void test(global uint *out) {
    out[0] = memory_scope_device;
}

//# accept: the scope of a sub-group comes with the functions of sub-groups in OpenCL C 2.0 too
//# options: -cl-std=CL2.0
//# requires: subgroups
//# expect: 1
kernel void test(global uint *out) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_sub_group);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    out[0] = 1;
}

//# reject: without sub-groups it is not there
//# options: -cl-std=CL2.0
//# requires: !subgroups
//# error: 2: use of undeclared identifier 'memory_scope_sub_group'
kernel void test(global uint *out) {
    out[0] = memory_scope_sub_group;
}
