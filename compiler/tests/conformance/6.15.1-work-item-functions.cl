//! 6.15.1 Work-Item Functions

//# accept: get_work_dim is the number of dimensions in use: 1
//# expect: 1
kernel void test(global uint *out) {
    out[0] = get_work_dim();
}

//# accept: get_work_dim is 2 of a launch in two dimensions
//# global: 2 2
//# expect: 2
kernel void test(global uint *out) {
    out[0] = get_work_dim();
}

//# accept: get_work_dim is 3 of a launch in three dimensions, even where all sizes are 1
//# global: 1 1 1
//# expect: 3
kernel void test(global uint *out) {
    out[0] = get_work_dim();
}

//# accept: sizes and identifiers are of type size_t, get_work_dim is of type uint
//# expect: 8 8 8 8 8 8 8 4
kernel void test(global uint *out) {
    out[0] = sizeof(get_global_size(0));
    out[1] = sizeof(get_global_id(0));
    out[2] = sizeof(get_local_size(0));
    out[3] = sizeof(get_local_id(0));
    out[4] = sizeof(get_num_groups(0));
    out[5] = sizeof(get_group_id(0));
    out[6] = sizeof(get_global_offset(0));
    out[7] = sizeof(get_work_dim());
}

//# accept: get_global_size is the number of work-items in each dimension
//# global: 4 3 2
//# expect: 4 3 2
kernel void test(global uint *out) {
    for (uint d = 0; d < 3; d++)
        out[d] = get_global_size(d);
}

//# accept: get_global_size is 1 in dimensions that are not in use
//# global: 2
//# expect: 2 1 1 1 1
kernel void test(global uint *out) {
    for (uint d = 0; d < 4; d++)
        out[d] = get_global_size(d);
    out[4] = get_global_size(0xffffffffu);
}

//# accept: get_global_id numbers the work-items of each dimension from 0
//# global: 4 2
//# expect: 0x00 0x01 0x02 0x03 0x10 0x11 0x12 0x13
kernel void test(global uint *out) {
    size_t x = get_global_id(0), y = get_global_id(1);
    out[y * 4 + x] = y << 4 | x;
}

//# accept: get_global_id is 0 in dimensions that are not in use
//# global: 3
//# expect: 0 0 0
kernel void test(global uint *out) {
    if (get_global_id(0) == 2)
        for (uint d = 1; d < 4; d++)
            out[d - 1] = get_global_id(d);
}

//# accept: get_local_size is the number of work-items of a work-group
//# global: 8 6
//# local: 4 2
//# expect: 4 2 1 1
kernel void test(global uint *out) {
    for (uint d = 0; d < 4; d++)
        out[d] = get_local_size(d);
}

//# accept: get_local_id numbers the work-items within a work-group
//# global: 6
//# local: 3
//# expect: 0 1 2 0 1 2 0 0
kernel void test(global uint *out) {
    out[get_global_id(0)] = get_local_id(0);
    out[6] = get_local_id(1);
    out[7] = get_local_id(3);
}

//# accept: get_num_groups is the number of work-groups
//# global: 8 6
//# local: 4 2
//# expect: 2 3 1 1
kernel void test(global uint *out) {
    for (uint d = 0; d < 4; d++)
        out[d] = get_num_groups(d);
}

//# accept: get_group_id is from 0 to get_num_groups - 1
//# global: 6
//# local: 2
//# expect: 0 0 1 1 2 2 0 0
kernel void test(global uint *out) {
    out[get_global_id(0)] = get_group_id(0);
    out[6] = get_group_id(2);
    out[7] = get_group_id(7);
}

//# accept: get_global_offset is 0 where the launch has none, and in dimensions that are not in use
//# global: 2
//# expect: 0 0 0 0
kernel void test(global uint *out) {
    for (uint d = 0; d < 4; d++)
        out[d] += get_global_offset(d);
}

//# accept: a dimension that is known only at run time
//# global: 4 3 2
//# local: 2 1 1
//# expect: 4 3 2 1 2 1 1 1 2 3 2 1
kernel void test(global uint *out) {
    uint first = out[0] & 0;
    for (uint d = first; d < first + 4; d++) {
        out[d] = get_global_size(d);
        out[4 + d] = get_local_size(d);
        out[8 + d] = get_num_groups(d);
    }
}

//# accept: get_enqueued_local_size is get_local_size in a uniform launch
//# options: -cl-std=CL3.0
//# global: 8 4
//# local: 4 2
//# expect: 4 2 1 1
kernel void test(global uint *out) {
    for (uint d = 0; d < 4; d++)
        out[d] = get_enqueued_local_size(d);
}

//# accept: in a launch of non-uniform work-groups it is that of the uniform ones, everywhere
//# options: -cl-std=CL3.0
//# global: 7
//# local: 4
//# expect: 4 4 4 4 3 3 3 4 4 4 4 4 4 4
kernel void test(global uint *out) {
    size_t i = get_global_id(0);
    out[i] = get_local_size(0);
    out[7 + i] = get_enqueued_local_size(0);
}

//# accept: get_global_linear_id in one dimension is the global identifier
//# options: -cl-std=CL3.0
//# global: 4
//# expect: 0 1 2 3
kernel void test(global uint *out) {
    out[get_global_id(0)] = get_global_linear_id();
}

//# accept: get_global_linear_id in two and three dimensions counts the first one fastest
//# options: -cl-std=CL3.0
//# global: 3 2 2
//# expect: 0 1 2 3 4 5 6 7 8 9 10 11
kernel void test(global uint *out) {
    out[(get_global_id(2) * 2 + get_global_id(1)) * 3 + get_global_id(0)] = get_global_linear_id();
}

//# accept: get_local_linear_id counts the first dimension fastest
//# options: -cl-std=CL3.0
//# global: 4 4
//# local: 2 2
//# expect: 0 1 0 1 2 3 2 3 0 1 0 1 2 3 2 3
kernel void test(global uint *out) {
    out[get_global_id(1) * 4 + get_global_id(0)] = get_local_linear_id();
}

//# accept: get_local_linear_id in three dimensions
//# options: -cl-std=CL3.0
//# global: 2 3 2
//# local: 2 3 2
//# expect: 0 1 2 3 4 5 6 7 8 9 10 11
kernel void test(global uint *out) {
    out[(get_local_id(2) * 3 + get_local_id(1)) * 2 + get_local_id(0)] = get_local_linear_id();
}

//# reject: the dimension is an argument of its own
//# error: 2: no matching function for call to 'get_global_id'
//# error: 3: no matching function for call to 'get_local_size'
//# error: 4: no matching function for call to 'get_work_dim'
kernel void test(global uint *out) {
    out[0] = get_global_id();
    out[1] = get_local_size(0, 1);
    out[2] = get_work_dim(0);
}

//# reject: the dimension is an integer
//# error: 3: no matching function for call to 'get_global_id'
//# error: 4: no matching function for call to 'get_group_id'
kernel void test(global uint *out) {
    uint2 v = (uint2)(0, 1);
    out[0] = get_global_id(v);
    out[1] = get_group_id(out);
}

//# reject: linear identifiers take no argument
//# options: -cl-std=CL3.0
//# error: 2: no matching function for call to 'get_global_linear_id'
//# error: 3: no matching function for call to 'get_local_linear_id'
kernel void test(global uint *out) {
    out[0] = get_global_linear_id(0);
    out[1] = get_local_linear_id(1);
}

//# reject: get_enqueued_local_size and the linear identifiers require OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 2: implicit declaration of function 'get_enqueued_local_size' is invalid
//# error: 3: implicit declaration of function 'get_global_linear_id' is invalid
//# error: 4: implicit declaration of function 'get_local_linear_id' is invalid
kernel void test(global uint *out) {
    out[0] = get_enqueued_local_size(0);
    out[1] = get_global_linear_id();
    out[2] = get_local_linear_id();
}

//# accept: so that their names are free before
//# options: -cl-std=CL1.2
//# expect: 3
uint get_global_linear_id(uint x) {
    return x + 1;
}
kernel void test(global uint *out) {
    out[0] = get_global_linear_id(2);
}

//# reject: get_global_offset requires OpenCL C 1.1
//# options: -cl-std=CL1.0
//# error: 2: implicit declaration of function 'get_global_offset' is invalid
kernel void test(global uint *out) {
    out[0] = get_global_offset(0);
}

//# reject: work-item functions of sub-groups require __opencl_c_subgroups
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'get_sub_group_size' requires __opencl_c_subgroups which this device does not offer
//# error: 3: use of 'get_max_sub_group_size' requires __opencl_c_subgroups which this device does not offer
//# error: 4: use of 'get_num_sub_groups' requires __opencl_c_subgroups which this device does not offer
//# error: 5: use of 'get_enqueued_num_sub_groups' requires __opencl_c_subgroups which this device does not offer
//# error: 6: use of 'get_sub_group_id' requires __opencl_c_subgroups which this device does not offer
//# error: 7: use of 'get_sub_group_local_id' requires __opencl_c_subgroups which this device does not offer
kernel void test(global uint *out) {
    out[0] = get_sub_group_size();
    out[1] = get_max_sub_group_size();
    out[2] = get_num_sub_groups();
    out[3] = get_enqueued_num_sub_groups();
    out[4] = get_sub_group_id();
    out[5] = get_sub_group_local_id();
}
