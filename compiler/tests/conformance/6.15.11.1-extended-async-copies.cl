//! 6.15.11.1 Extended Async Copy Functions

//# reject: they require cl_khr_extended_async_copies
//# requires: !extended_async_copies
//# error: 4: use of 'async_work_group_copy_2D2D' requires cl_khr_extended_async_copies which this device does not offer
//# error: 5: use of 'async_work_group_copy_3D3D' requires cl_khr_extended_async_copies
kernel void test(global uint *out) {
    local uint l[4];
    event_t e = 0;
    e = async_work_group_copy_2D2D(l, 0, out, 0, 4, 2, 2, 2, 2, e);
    e = async_work_group_copy_3D3D(l, 0, out, 0, 4, 2, 2, 1, 2, 4, 2, 4, e);
}

//# accept: where they are not offered the macro is not defined
//# requires: !extended_async_copies
//# expect: 1
kernel void test(global uint *out) {
#ifndef cl_khr_extended_async_copies
    out[0] = 1;
#endif
}
