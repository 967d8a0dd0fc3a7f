//! 6.9.1 kernel

//# accept: kernel declares a function that the host can execute
//# expect: 7
kernel void test(global uint *out) {
    out[0] = 7;
}

//# accept: __kernel is the same word
//# expect: 8
__kernel void test(__global uint *out) {
    out[0] = 8;
}

//# accept: the qualifier may stand behind the return type
//# expect: 9
void kernel test(global uint *out) {
    out[0] = 9;
}

//# accept: a kernel called by a kernel is a regular function
//# expect: 3 4
kernel void inner(global uint *out, uint index, uint value) {
    out[index] = value;
}
kernel void test(global uint *out) {
    inner(out, 0, 3);
    inner(out, 1, 4);
}

//# accept: a kernel called by a function is a regular function too
//# expect: 12
kernel void inner(global uint *out, uint value) {
    out[0] += value;
}
void between(global uint *out) {
    inner(out, 5);
    inner(out, 7);
}
kernel void test(global uint *out) {
    between(out);
}

//# accept: what a called kernel returns from is that kernel alone
//# expect: 1 2
kernel void inner(global uint *out, int early) {
    out[0] = 1;
    if (early)
        return;
    out[0] = 100;
}
kernel void test(global uint *out) {
    inner(out, 1);
    out[1] = 2;
}

//# accept: a kernel with local variables can be called by the host
//# global: 4
//# local: 4
//# expect: 3 2 1 0
kernel void test(global uint *out) {
    local uint swap[4];
    swap[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = swap[3 - get_local_id(0)];
}

//# accept: the value arguments of a called kernel are its own
//# expect: 10 4
kernel void inner(global uint *out, uint n) {
    n += 6;
    out[0] = n;
}
kernel void test(global uint *out) {
    uint n = 4;
    inner(out, n);
    out[1] = n;
}

//# accept: a kernel may be declared before it is defined
//# expect: 5
kernel void test(global uint *out);
kernel void test(global uint *out) {
    out[0] = 5;
}

//# accept: a program may have many kernels
//# expect: 2
kernel void first(global uint *out) { out[0] = 1; }
kernel void test(global uint *out) { out[0] = 2; }
kernel void last(global uint *out) { out[0] = 3; }

//# reject: kernel is reserved and cannot name a variable
//# error: 2: expected
kernel void test(global uint *out) {
    int kernel = 1;
}

//# reject: __kernel is reserved and cannot name a function
//# error: 1: expected identifier or '('
int __kernel(int x) { return x; }
kernel void test(global uint *out) { }

//# reject: kernel qualifies functions alone, not variables
//# error: 1: 'kernel' attribute only applies to functions
kernel constant int x = 1;
kernel void test(global uint *out) { out[0] = x; }

//# reject: a kernel cannot be overloaded
//# error: 1: kernel functions cannot be overloaded
kernel void __attribute__((overloadable)) test(global uint *out) { }

//# reject: a kernel is not static
//# error: 1: kernel functions cannot be declared static
static kernel void test(global uint *out) { }

//# reject: an argument of a called kernel is checked as that of any function
//# error: 4: changes address space of pointer
kernel void inner(global uint *out) { out[0] = 1; }
kernel void test(global uint *out) {
    local uint x;
    inner(&x);
}

//# reject: kernel says nothing of the return type, which must be there
//# error: 1: type specifier missing, defaults to 'int'
kernel test(global uint *out) { }
