//! 6.14.1 Declaring and Using a Block

//# accept: a block variable is used as a function is, and the block uses variables of its scope
//# options: -cl-std=CL3.0
//# expect: 21
kernel void test(global uint *out) {
    int multiplier = 7;
    int (^myBlock)(int) = ^(int num) {
        return num * multiplier;
    };
    out[0] = myBlock(3);
}

//# accept: a block is called as often as one likes, with other arguments
//# options: -cl-std=CL3.0
//# global: 3
//# expect: 11 13 15
kernel void test(global uint *out) {
    uint i = get_global_id(0);
    uint (^add)(uint, uint) = ^(uint a, uint b) { return a + b + i; };
    out[i] = add(add(1, 2), 8 + i - i) + 0 * add(3, 4) - 0;
}

//# accept: arguments are converted to the types of the parameters
//# options: -cl-std=CL3.0
//# expect: 3 1.0f
kernel void test(global uint *out) {
    int (^whole)(int) = ^(int x) { return x; };
    float (^real)(float) = ^(float x) { return x; };
    out[0] = whole(3.9f);
    out[1] = as_uint(real(1));
}

//# accept: a block may be without value
//# options: -cl-std=CL3.0
//# expect: 5 6
kernel void test(global uint *out) {
    void (^store)(int, uint) = ^(int i, uint x) { out[i] = x; };
    store(0, 5);
    store(1, 6);
}

//# reject: OpenCL C 1.2 has no blocks
//# options: -cl-std=CL1.2
//# error: 2: blocks need OpenCL C 2.0 or newer
kernel void test(global uint *out) {
    int (^b)(int) = ^(int x) { return x; };
}

//# reject: a call has as many arguments as the block has parameters
//# options: -cl-std=CL3.0
//# error: 3: too few arguments to block call, expected 2, have 1
//# error: 4: too many arguments to block call, expected 2, have 3
kernel void test(global uint *out) {
    int (^add)(int, int) = ^(int a, int b) { return a + b; };
    out[0] = add(1);
    out[0] = add(1, 2, 3);
}

//# reject: arguments have types that convert
//# options: -cl-std=CL3.0
//# error: 4: passing 'struct s' to parameter of incompatible type 'int'
struct s { int x; };
kernel void test(global uint *out) {
    int (^f)(int) = ^(int a) { return a; };
    struct s s = {1}; out[0] = f(s);
}

//# reject: enqueueing a block is another feature
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 2: use of 'enqueue_kernel' requires device-side enqueue which this device does not offer
kernel void test(global uint *out) {
    enqueue_kernel(0, 0, 0, ^{ out[0] = 1; });
}

//# reject: and so are queues
//# options: -cl-std=CL3.0
//# requires: !device_enqueue
//# error: 1: use of type 'queue_t' requires device-side enqueue which this device does not offer
kernel void other(queue_t q) { }
kernel void test(global uint *out) { }
