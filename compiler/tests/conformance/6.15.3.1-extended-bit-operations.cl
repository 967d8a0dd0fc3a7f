//! 6.15.3.1 Extended Bit Operations

//# reject: they require cl_khr_extended_bit_ops or OpenCL C 3.1
//# requires: !extended_bit_ops
//# error: 2: use of 'bitfield_insert' requires cl_khr_extended_bit_ops which this device does not offer
//# error: 3: use of 'bitfield_extract_signed' requires cl_khr_extended_bit_ops
//# error: 4: use of 'bitfield_extract_unsigned' requires cl_khr_extended_bit_ops
//# error: 5: use of 'bit_reverse' requires cl_khr_extended_bit_ops
kernel void test(global uint *out) {
    out[0] = bitfield_insert(1, 2, 3u, 4u);
    out[0] = bitfield_extract_signed(1, 2u, 3u);
    out[0] = bitfield_extract_unsigned(1, 2u, 3u);
    out[0] = bit_reverse(1);
}

//# accept: where they are not offered their names are free
//# requires: !extended_bit_ops
//# expect: 0x80000000
uint bit_reverse(uint x) {
    uint r = 0;
    for (int i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}
kernel void test(global uint *out) {
    out[0] = bit_reverse(1);
}

//# accept: and the macro is not defined
//# requires: !extended_bit_ops
//# expect: 1
kernel void test(global uint *out) {
#ifndef cl_khr_extended_bit_ops
    out[0] = 1;
#endif
}
