//! 6.5.9 Ternary Selection Operator

//# accept: only the chosen operand of a scalar selection is evaluated
//# expect: 5 1 0
kernel void test(global uint *out) {
    int a = 0, b = 0, c = out[0];
    out[0] = c ? ++b : (a++, 5);
    out[1] = a;
    out[2] = b;
}

//# accept: any scalar that compares unequal to 0 chooses the first: float and pointer too
//# expect: 1 2 1 2 1
kernel void test(global uint *out) {
    float f = 0.5f + out[0], g = -0.0f * f;
    global uint *null = (global uint *)(size_t)out[0];
    out[0] = f ? 1 : 2;
    out[1] = g ? 1 : 2;
    out[2] = out ? 1 : 2;
    out[3] = null ? 1 : 2;
    out[4] = 0x100000000L + out[4] ? 1 : 2;
}

//# accept: the operands of a scalar selection get their common type
//# expect: 0x40a00000 1 8 4
kernel void test(global uint *out) {
    int i = 5;
    float f = 2;
    out[0] = as_uint(i > 3 ? i : f);
    out[1] = (i ? -1 : 0u) > 0;
    out[2] = sizeof(i ? 1 : 1L);
    out[3] = sizeof(i ? (char)1 : (char)2);
}

//# accept: selections nest to the right
//# expect: 1 2 3
kernel void test(global uint *out) {
    for (int i = 0; i < 3; i++)
        out[i] = i == 0 ? 1 : i == 1 ? 2 : 3;
}

//# accept: a scalar condition chooses between vectors
//# expect: 3 4
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2), b = (uint2)(3, 4);
    vstore2(out[0] ? a : b, 0, out);
}

//# accept: a vector condition chooses by the most significant bit of each component
//# expect: 1 20 30 4
kernel void test(global uint *out) {
    int4 c = (int4)(-1, 1, 0x7fffffff, (int)0x80000000);
    vstore4(c ? (uint4)(1, 2, 3, 4) : (uint4)(10, 20, 30, 40), 0, out);
}

//# accept: a vector condition evaluates both operands
//# expect: 1 1 7 8
kernel void test(global uint *out) {
    int a = 0, b = 0;
    int2 v = (int2)(-1, 0) ? (int2)(7, ++a) : (int2)(++b, 8);
    out[0] = a;
    out[1] = b;
    out[2] = v.x;
    out[3] = v.y;
}

//# accept: a vector condition of the width of the operands' elements: char, short, long
//# expect: 1 4 5 8 9 12
kernel void test(global uint *out) {
    int2 w = (int2)(-1, 0) + (int)out[0];
    char2 a = convert_char2(w) ? (char2)(1, 2) : (char2)(3, 4);
    ushort2 b = convert_ushort2(w) >> (ushort)15 ? (ushort2)(7, 7) : (ushort2)(5, 8);
    long2 c = convert_long2(w) ? (long2)(9, 10) : (long2)(11, 12);
    out[0] = a.x;
    out[1] = a.y;
    out[2] = b.x;
    out[3] = b.y;
    out[4] = (uint)c.x;
    out[5] = (uint)c.y;
}

//# accept: a comparison of floats as the condition
//# expect: 1f 0f 3f 0f
kernel void test(global uint *out) {
    float4 f = (float4)(1, 2, 3, 4), g = (float4)(2, 2, 4, 3);
    vstore4(f < g ? f : (float4)(0), 0, (global float *)out);
}

//# accept: a scalar operand is widened to the vector beside it
//# expect: 1 9 9 4
kernel void test(global uint *out) {
    int4 c = (int4)(-1, 0, 0, -1);
    vstore4(c ? (int4)(1, 2, 3, 4) : 9, 0, (global int *)out);
}

//# accept: a selection of structs, and of pointers with a null pointer
//# expect: 2 1 1
typedef struct { int a; } s;
kernel void test(global uint *out) {
    s x = {1}, y = {2};
    out[0] = (out[0] ? x : y).a;
    int *p = out[1] ? 0 : &x.a;
    out[1] = *p;
    out[2] = (out[2] ? p : (void *)0) == 0;
}

//# accept: void operands
//# expect: 7
void set(global uint *p) { *p = 7; }
void clear(global uint *p) { *p = 0; }
kernel void test(global uint *out) {
    out[0] ? clear(out) : set(out);
}

//# accept: without a middle operand the condition's value is the result, evaluated once
//# expect: 1 1 9 3 5
kernel void test(global uint *out) {
    int n = 0;
    out[0] = ++n ?: 7;
    out[1] = n;
    out[2] = out[2] ?: 9;
    out[3] = 0 ?: 0 ?: 3;
    int a[2 ?: 1] = {4, 5};
    out[4] = (out[4] ? 0 : &a[1]) ? *(out[4] ? 0 : &a[1]) : 0;
}

//# accept: the omitted operand has the common type; pointers and vectors work too
//# expect: 0x40000000 6 -1 8
constant int table[2 ?: 3] = {1, 6};
constant int five = 0 ?: 6;
kernel void test(global uint *out) {
    out[0] = as_uint(2 + (int)out[0] ?: 0.5f);
    private int x = five, *p = 0;
    out[1] = *(p ?: &x);
    int2 v = (int2)(-1, 0) + (int)out[3] ?: (int2)(7, 8);
    out[2] = v.x;
    out[3] = v.y;
}

//# reject: a vector condition of floats
//# error: 3: used type 'float2' where integer vector type is required
kernel void test(global uint *out) {
    float2 f = (float2)(1);
    f = f ? f : f;
}

//# reject: a vector condition of other width or number of components
//# error: 3: do not have elements of the same size
//# error: 4: do not have the same number of elements
kernel void test(global uint *out) {
    int2 c = (int2)(1); long2 l = (long2)(1); int4 i = (int4)(1);
    l = c ? l : l;
    i = c ? i : i;
}

//# reject: operands without a common type
//# error: 3: incompatible operand types ('struct s' and 'int')
//# error: 4: cannot convert between vector values ('int2' and 'float2')
//# error: 5: incompatible operand types ('__global uint *' and 'float')
kernel void test(global uint *out) {
    struct s { int a; } x = {1}; int2 i = (int2)(1); float2 f = (float2)(1);
    out[0] ? x : 1;
    out[0] ? i : f;
    out[0] ? out : 1.0f;
}

//# reject: a condition that is a struct
//# error: 3: statement requires expression of scalar type ('struct s' invalid)
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    out[0] = x ? 1 : 2;
}

//# reject: a selection is no l-value
//# error: 3: expression is not assignable
//# error: 4: cannot take the address of an rvalue
kernel void test(global uint *out) {
    int a, b;
    (out[0] ? a : b) = 1;
    &(out[0] ? a : b);
}
