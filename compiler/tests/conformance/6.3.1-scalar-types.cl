//! 6.3.1 Built-in Scalar Data Types

//# accept: a conditional data type which is either true or false; true is 1 and false is 0
//# expect: 1 0 1 1
kernel void test(global uint *out) {
    bool t = true, f = false, h = 0.5f;
    out[0] = t;
    out[1] = f;
    out[2] = h;
    out[3] = sizeof(bool);
}

//# reject: void is an empty set of values; it is an incomplete type that cannot be completed
//# error: 2: variable has incomplete type 'void'
kernel void test(global uint *out) {
    void v;
}
