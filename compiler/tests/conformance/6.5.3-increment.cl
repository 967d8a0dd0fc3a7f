//! 6.5.3 Pre- and Post-Operators

//# accept: the value of a pre-operator is the new one, of a post-operator the old one
//# expect: 6 6 5 6 4 4 5 4
kernel void test(global uint *out) {
    int a = 5 + out[0];
    out[0] = ++a;
    out[1] = a;
    a = 5;
    out[2] = a++;
    out[3] = a;
    a = 5;
    out[4] = --a;
    out[5] = a;
    a = 5;
    out[6] = a--;
    out[7] = a;
}

//# accept: on integers of every width, with overflow of the unsigned ones
//# expect: 0 255 0 0xffffffff 0xffffffff 1
kernel void test(global uint *out) {
    uchar a = 255 + out[0], b = out[0];
    ushort c = 65535 + out[0];
    ulong d = out[0], e = 0xffffffff + (ulong)out[0];
    a++;
    b--;
    ++c;
    --d;
    e++;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = (uint)d;
    out[4] = (uint)(d >> 32);
    out[5] = (uint)(e >> 32);
}

//# accept: on vectors, component by component
//# expect: 2 3 1 2 0 1
kernel void test(global uint *out) {
    uint2 a = (uint2)(1, 2) + out[0];
    uint2 old = a++;
    vstore2(a, 0, out);
    vstore2(old, 1, out);
    a--;
    vstore2(--a, 2, out);
}

//# accept: on components of vectors
//# expect: 2 2 3 5
kernel void test(global uint *out) {
    uint4 a = (uint4)(1, 2, 3, 4) + out[0];
    a.x++;
    ++a.w;
    vstore4(a, 0, out);
}

//# accept: on bool and on pointers
//# expect: 1 1
kernel void test(global uint *out) {
    bool b = out[0] != 0;
    b++;
    b++;
    out[0] = b;
    global uint *p = out;
    p++;
    *p-- = 1;
}

//# accept: on objects in global and local memory, evaluated once
//# expect: 1 7 1
kernel void test(global uint *out) {
    local short l[2];
    l[0] = 5;
    int i = 0;
    out[i++]++;
    l[i - 1]++;
    out[1] = ++l[0];
    out[2] = i;
}

//# reject: the operand is an l-value
//# error: 2: expression is not assignable
//# error: 3: expression is not assignable
//# error: 5: expression is not assignable
kernel void test(global uint *out) {
    5++;
    --(out[0] + 1);
    int a = 1;
    a++++;
}

//# reject: the operand is not const, nor of a type without arithmetic
//# error: 3: cannot assign to variable 'a' with const-qualified type 'const int'
//# error: 4: cannot increment value of type 'struct s'
kernel void test(global uint *out) {
    const int a = 1; struct s { int a; } x = {1};
    a++;
    x++;
}
