//! 6.15.3.1 Extended Bit Operations

//# accept: bits outside of the field come from the base, those inside from the insert
//# expect: 0xffffff4f 0xa5 0x5a 0x1234 0xab 0xff00ffff
kernel void test(global uint *out) {
    volatile uint offset = 4, count = 4;
    out[0] = bitfield_insert(0xffffffffu, 0x54u, offset, count);
    out[1] = bitfield_insert((uchar)0xa5, (uchar)0x5a, offset, 0u);
    out[2] = bitfield_insert((uchar)0xa5, (uchar)0x5a, 0u, count * 2);
    out[3] = bitfield_insert((ushort)0x1004, (ushort)0x23, 4u, 8u);
    ulong wide = bitfield_insert(0x00ffffffff000000ul, 0xabul, offset * 8, count * 2);
    out[4] = (uint)(wide >> 32) & 0xff;
    out[5] = (uint)(bitfield_insert(0xfffffffffffffffful, 0ul, 48u, 8u) >> 32);
}

//# accept: a field is sign extended or zero extended, whatever its type was
//# expect: 0xfffffffe 14 0 0xffffff80 0x80 0xffffffff 15 -1
kernel void test(global uint *out) {
    volatile uint offset = 4, count = 4;
    out[0] = bitfield_extract_signed(0xe3u, offset, count);
    out[1] = bitfield_extract_unsigned(0xe3, offset, count);
    out[2] = bitfield_extract_signed(-1, offset, 0u);
    out[3] = bitfield_extract_signed((uchar)0x80, 0u, count * 2);
    out[4] = bitfield_extract_unsigned((char)-128, 0u, count * 2);
    out[5] = bitfield_extract_unsigned(-1, 0u, count * 8);
    out[6] = (uint)bitfield_extract_unsigned(-1l, 60u, count);
    out[7] = (uint)bitfield_extract_signed(0x8000000000000000ul, 63u, 1u);
}

//# accept: bits are reversed in the width of the type
//# expect: 0x80000000 0x80 0x8000 0x80000000 0
kernel void test(global uint *out) {
    volatile uint one = 1;
    out[0] = bit_reverse(one);
    out[1] = bit_reverse((uchar)one);
    out[2] = bit_reverse((ushort)one);
    ulong wide = bit_reverse((ulong)one);
    out[3] = (uint)(wide >> 32);
    out[4] = (uint)wide;
}

//# accept: vectors are taken by components, with one offset and count for all
//# expect: 0x12 0x34 0xffff00f1 0xffff00f2
kernel void test(global uint *out) {
    ushort2 a = bitfield_extract_unsigned((short2)(0x0123, 0x0345), 4u, 8u);
    out[0] = a.x;
    out[1] = a.y;
    uint2 b = bitfield_insert((uint2)(0xffffffff), (uint2)(0xf1, 0xf2), 0u, 16u);
    out[2] = b.x;
    out[3] = b.y;
}

//# reject: bases are integers
//# error: 2: call to 'bit_reverse' is ambiguous
kernel void test(global uint *out) {
    out[0] = bit_reverse(1.0f);
}

//# accept: the macro is defined
//# expect: 1
kernel void test(global uint *out) {
    out[0] = cl_khr_extended_bit_ops;
}

//# accept: a program may have a function of its own of such a name
//# expect: 7
uint bit_reverse(uint x) {
    return x + 6;
}
kernel void test(global uint *out) {
    out[0] = bit_reverse(1u);
}
