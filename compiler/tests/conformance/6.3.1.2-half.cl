//! 6.3.1.2 The half Data Type

//# accept: pointers to half in every address space, arithmetic on them, and passing them
//# expect: 2.5f 1.5f -1f 4
float first(global half *p) {
    return vload_half(0, p);
}
kernel void test(global uint *out) {
    local ushort words[2];
    local half *l = (local half *)words;
    global half *g = (global half *)out;
    ushort bits = 0x3e00;
    private half *p = (private half *)&bits;
    vstore_half(-1.0f, 1, l);
    vstore_half(2.5f, 1, g);
    global float *f = (global float *)out;
    float a = first(g + 1), b = vload_half(0, p), c = vload_half(1, l);
    f[0] = a;
    f[1] = b;
    f[2] = c;
    out[3] = (global char *)(g + 2) - (global char *)g;
}

//# accept: 1 sign bit, 5 exponent bits with bias 15, 10 mantissa bits
//# expect: 1f -2f 65504f 1.0009765625f 0.00006103515625f inff -inff
constant ushort bits[] = {0x3c00, 0xc000, 0x7bff, 0x3c01, 0x0400, 0x7c00, 0xfc00};
kernel void test(global uint *out) {
    for (int i = 0; i < 7; i++)
        out[i] = as_uint(vload_half(i, (constant half *)bits));
}

//# accept: denormal halfs are not flushed, neither in loads nor in stores
//# expect: 0x33800000 0x387fc000 0x00010001 0x000083ff
constant ushort bits[] = {0x0001, 0x03ff};
kernel void test(global uint *out) {
    float least = vload_half(0, (constant half *)bits), most = vload_half(1, (constant half *)bits);
    out[0] = as_uint(least);
    out[1] = as_uint(most);
    global half *h = (global half *)(out + 2);
    vstore_half(least, 0, h);
    vstore_half(0x1p-24f * (out[2] == 1), 1, h);
    vstore_half(-most, 2, h);
}

//# accept: float to half rounds correctly to 11 bits of precision; ties to even
//# expect: 0x3c003c00 0x3c023c01 0x7bff7c00 0x00010000
kernel void test(global uint *out) {
    global half *h = (global half *)out;
    float zero = out[0];
    vstore_half(zero + 1.00048828125f, 0, h);
    vstore_half(zero + 1.0004f, 1, h);
    vstore_half(zero + 1.0005f, 2, h);
    vstore_half(zero + 1.00146484375f, 3, h);
    vstore_half(zero + 65520.0f, 4, h);
    vstore_half(zero + 65519.996f, 5, h);
    vstore_half(zero + 0x1p-25f, 6, h);
    vstore_half(zero + 0x1.8p-25f, 7, h);
}

//# accept: NaN stays NaN both ways
//# expect: 1 1
kernel void test(global uint *out) {
    ushort bits = 0x7e01 + out[0];
    out[0] = isnan(vload_half(0, (private half *)&bits));
    vstore_half(nan(0u), 0, (private half *)&bits);
    out[1] = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
}

//# accept: double to half rounds once
//# requires: fp64
//# expect: 0x3c01
kernel void test(global uint *out) {
    // Rounded to float first this would be the tie 1.00048828125, and then 1.
    double d = 1.00048828125 + 0x1p-40 + out[0];
    vstore_half(d, 0, (global half *)out);
}

//# accept: half to double is lossless
//# requires: fp64
//# expect: 0 0x3e700000
constant ushort bits[] = {0x0001};
kernel void test(global uint *out) {
    double d = vload_half(0, (constant half *)bits);
    out[0] = (uint)as_ulong(d);
    out[1] = (uint)(as_ulong(d) >> 32);
}

//# reject: without cl_khr_fp16 half is no type of variables
//# requires: !cl_khr_fp16
//# error: 2: declaring variable of type 'half' is not allowed
//# error: 3: declaring variable of type 'half[100]' is not allowed
kernel void test(global uint *out) {
    half a;
    half b[100];
}

//# reject: without cl_khr_fp16 a half cannot be loaded or stored by assignment
//# requires: !cl_khr_fp16
//# error: 3: from pointer to type 'half' requires cl_khr_fp16
//# error: 4: to pointer to type 'half' requires cl_khr_fp16
kernel void test(global uint *out) {
    global half *p = (global half *)out;
    float a = *p;
    *p = 1.0f;
}

//# reject: without cl_khr_fp16 half is no type of parameters and results
//# requires: !cl_khr_fp16
//# error: 1: declaring function parameter of type 'half' is not allowed
//# error: 2: declaring function return value of type 'half' is not allowed
void f(half h);
half g(void);
kernel void test(global uint *out) {}

//# accept: with cl_khr_fp16 half is a type of variables, arrays, members, parameters and results
//# requires: cl_khr_fp16
//# expect: 2 0x3e00 0x4400 0x4480
struct s { half a, b[2]; };
half twice(half x) {
    return x * 2;
}
kernel void test(global uint *out) {
    half a = 1.5h + (half)(int)out[0];
    half b[3] = {a, twice(a + 0.5h), 4.5h};
    struct s x = {b[1], {b[2], b[0]}};
    out[0] = sizeof(half);
    out[1] = as_ushort(x.b[1]);
    out[2] = as_ushort(x.a);
    out[3] = as_ushort(x.b[0]);
}

//# accept: with cl_khr_fp16 literals have the suffix h or H
//# requires: cl_khr_fp16
//# expect: 2 0x3c00 0x3800 0x7bff 0x3555
kernel void test(global uint *out) {
    out[0] = sizeof(1.0h);
    out[1] = as_ushort(1.0H);
    out[2] = as_ushort(0x1p-1h);
    out[3] = as_ushort(65504.0h);
    out[4] = as_ushort(1.0h / 3);
}

//# accept: with cl_khr_fp16 arithmetic is that of half, rounded to 11 bits
//# requires: cl_khr_fp16
//# expect: 0x6800 0x3c01 0x7c00 0xfc00 1 0
kernel void test(global uint *out) {
    half zero = (half)(int)out[0];
    half big = 2048 + zero;
    out[0] = as_ushort(big + 1.0h);
    out[1] = as_ushort(1.0h + 0x1p-10h + zero);
    out[2] = as_ushort(65504.0h * (2 + zero));
    out[3] = as_ushort(-65504.0h - 65504.0h + zero);
    out[4] = isnan(zero / zero);
    out[5] = (zero / zero) == (zero / zero);
}

//# accept: with cl_khr_fp16 halfs convert to and from the other types
//# requires: cl_khr_fp16
//# expect: 2.5f 2 0x4200 0x3e00 0x3c00
kernel void test(global uint *out) {
    half h = 2.5h + (half)(int)out[0];
    float f = h;
    int i = h;
    half fromInt = 3, fromFloat = 1.5f, fromBool = out[0] == 0;
    out[0] = as_uint(f);
    out[1] = i;
    out[2] = as_ushort(fromInt);
    out[3] = as_ushort(fromFloat);
    out[4] = as_ushort(fromBool);
}

//# accept: with cl_khr_fp16 comparisons of halfs give int, of vectors short
//# requires: cl_khr_fp16
//# expect: 1 0 4 4 -1 0
kernel void test(global uint *out) {
    half a = 1 + (half)(int)out[0], b = 2;
    out[0] = a < b;
    out[1] = a == b;
    out[2] = sizeof(a < b);
    half2 v = (half2)(1, 2), w = (half2)(2);
    out[3] = sizeof(v < w);
    short2 r = v < w;
    out[4] = r.x;
    out[5] = r.y;
}

//# accept: with cl_khr_fp16 a half beside a float becomes float, beside an int the int becomes half
//# requires: cl_khr_fp16
//# expect: 4 2 4
kernel void test(global uint *out) {
    half h = 1;
    out[0] = sizeof(h + 1.0f);
    out[1] = sizeof(h + 1);
    out[2] = sizeof((half2)(1) + h);
}

//# accept: with cl_khr_fp16 halfs are loaded and stored by assignment
//# requires: cl_khr_fp16
//# expect: 0x3c003c00 0x4000
kernel void test(global uint *out) {
    global half *p = (global half *)out;
    p[0] = 1;
    p[1] = p[0];
    p[2] = p[0] + p[1];
    local half l;
    l = p[2];
    p[2] = l;
}

//# accept: with cl_khr_fp16 kernels take halfs by value
//# requires: cl_khr_fp16
//# expect: 1
kernel void other(half a, half4 b, global half *c) {
    *c = a + b.w;
}
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: with cl_khr_fp16 a half is no integer
//# requires: cl_khr_fp16
//# error: 3: invalid operands to binary expression
//# error: 4: invalid operands to binary expression
//# error: 5: invalid argument type 'half' to unary expression
kernel void test(global uint *out) {
    half h = 1;
    h % h;
    h << 1;
    ~h;
}

//# reject: without cl_khr_fp16 there are no literals of half
//# requires: !cl_khr_fp16
//# error: 2: half
kernel void test(global uint *out) {
    float f = 1.0h;
}

//# accept: a constant of double becomes a half by one rounding
//# requires: cl_khr_fp16, fp64
//# expect: 0x3c01 0x3c00 1 0 0x3c01 0x7bff 0xfc00 0x3c01
constant half above = 1.0 + 0x1p-11 + 0x1p-40;
constant half table[4] = { 1.0 + 0x1p-11, 0x1p-25 + 0x1p-70, 0x1p-25, (half)(1.0 + 0x1p-11 + 0x1p-52) };
kernel void test(global uint *out) {
    out[0] = as_ushort(above);
    for (int i = 0; i < 4; i++)
        out[1 + i] = as_ushort(table[i]);
    half largest = 65520.0 - 0x1p-30;
    out[5] = as_ushort(largest);
    out[6] = as_ushort((half)-65520.0);
    const double d = 1.0 + 0x1p-11;
    out[7] = as_ushort((half)(d + 0x1p-45));
}

//# accept: an integer constant becomes a half by one rounding
//# requires: cl_khr_fp16
//# expect: 0x6801 0x6802 0x7bff 0x7c00 0x7c00 0xf801
constant half table[6] = { 2051 - 1, 2051, 65519, 65520, 0xffffffffffffffffUL, -32769 - 16 + 0 * 2L };
kernel void test(global uint *out) {
    for (int i = 0; i < 6; i++)
        out[i] = as_ushort(table[i]);
}
