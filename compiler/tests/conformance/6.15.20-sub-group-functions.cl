//! 6.15.20 Sub-Group Functions

//# reject: they require sub-groups
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'sub_group_all' requires sub-groups which this device does not offer
//# error: 3: use of 'sub_group_any' requires sub-groups
//# error: 4: use of 'sub_group_broadcast' requires sub-groups
//# error: 5: use of 'sub_group_reduce_add' requires sub-groups
//# error: 6: use of 'sub_group_scan_exclusive_max' requires sub-groups
//# error: 7: use of 'sub_group_scan_inclusive_min' requires sub-groups
kernel void test(global uint *out) {
    sub_group_all(1);
    sub_group_any(1);
    sub_group_broadcast(1, 0);
    sub_group_reduce_add(1);
    sub_group_scan_exclusive_max(1);
    sub_group_scan_inclusive_min(1);
}

//# reject: so do ballots, rotations, shuffles and the rest
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# error: 2: use of 'sub_group_ballot' requires sub-groups
//# error: 3: use of 'sub_group_elect' requires sub-groups
//# error: 4: use of 'sub_group_shuffle' requires sub-groups
//# error: 5: use of 'sub_group_shuffle_up' requires sub-groups
//# error: 6: use of 'sub_group_rotate' requires sub-groups
//# error: 7: use of 'sub_group_clustered_reduce_add' requires sub-groups
//# error: 8: use of 'sub_group_non_uniform_all' requires sub-groups
//# error: 9: use of 'get_sub_group_eq_mask' requires sub-groups
kernel void test(global uint *out) {
    sub_group_ballot(1);
    sub_group_elect();
    sub_group_shuffle(1, 0);
    sub_group_shuffle_up(1, 1);
    sub_group_rotate(1, 1);
    sub_group_clustered_reduce_add(1, 4);
    sub_group_non_uniform_all(1);
    get_sub_group_eq_mask();
}

//# accept: without sub-groups their macros are not defined
//# options: -cl-std=CL3.0
//# requires: !subgroups
//# expect: 1
kernel void test(global uint *out) {
#if !defined(__opencl_c_subgroups) && !defined(cl_khr_subgroups) && !defined(cl_khr_subgroup_shuffle)
    out[0] = 1;
#endif
}
