//! 6.15.18 Pipe Functions

//# accept: pipes are of values and of structures, read-only unless said otherwise
//# options: -cl-std=CL3.0
//# requires: pipes
//# expect: 1
typedef struct { float4 a; char b[3]; } packet;
void helper(write_only pipe packet out, pipe int in) {
    int x;
    packet y;
    y.b[0] = read_pipe(in, &x);
    write_pipe(out, &y);
}
kernel void other(pipe int in, __write_only pipe packet out, read_only pipe float4 v) {
    float4 x;
    read_pipe(v, &x);
    helper(out, in);
}
kernel void test(global uint *out) {
    out[0] = __opencl_c_pipes;
}

//# accept: an invalid reservation is no reservation
//# options: -cl-std=CL3.0
//# requires: pipes
//# expect: 0 0 8
kernel void test(global uint *out) {
    reserve_id_t id = CLK_NULL_RESERVE_ID;
    local reserve_id_t shared;
    shared = id;
    out[0] = is_valid_reserve_id(id);
    out[1] = is_valid_reserve_id(shared);
    out[2] = sizeof(reserve_id_t);
}

//# reject: a pipe is not read and written
//# options: -cl-std=CL3.0
//# requires: pipes
//# error: 1: access qualifier 'read_write' can not be used for 'pipe'
kernel void f(read_write pipe int p) {}
kernel void test(global uint *out) {}

//# reject: functions ask for their access
//# options: -cl-std=CL3.0
//# requires: pipes
//# error: 3: invalid pipe access modifier (expecting write_only)
//# error: 4: invalid pipe access modifier (expecting read_only)
kernel void f(read_only pipe int p, write_only pipe int q) {
    int x;
    write_pipe(p, &x);
    reserve_read_pipe(q, 1);
}
kernel void test(global uint *out) {}

//# reject: and for their arguments
//# options: -cl-std=CL3.0
//# requires: pipes
//# error: 4: invalid argument type to function 'read_pipe'
//# error: 5: invalid number of arguments to function: 'read_pipe'
//# error: 6: first argument to 'read_pipe' must be a pipe type
//# error: 7: invalid argument type to function 'read_pipe'
//# error: 8: first argument to 'get_pipe_num_packets' must be a pipe type
kernel void f(read_only pipe int p) {
    float x;
    int y;
    read_pipe(p, &x);
    read_pipe(p);
    read_pipe(y, &y);
    read_pipe(p, (const int *)&y);
    get_pipe_num_packets(y);
}
kernel void test(global uint *out) {}

//# reject: pipes are arguments of functions and nothing else
//# options: -cl-std=CL3.0
//# requires: pipes
//# error: 1: declaring function return value of type '__read_only pipe int' is not allowed
//# error: 2: the '__read_only pipe int' type cannot be used to declare a program scope variable
//# error: 3: the '__read_only pipe int' type cannot be used to declare a structure or union field
//# error: 4: pointer to type '__read_only pipe int' is invalid
//# error: 5: type '__read_only pipe int' can only be used as a function parameter
//# error: 6: invalid argument type '__read_only pipe int' to unary expression
//# error: 7: array of '__read_only pipe int' type is invalid
pipe int f(int x);
pipe int global_pipe;
struct s { pipe int p; };
void g(pipe int *p);
kernel void k(pipe int p) { pipe int q;
    &p;
    pipe int r[2];
}
kernel void test(global uint *out) {}

//# reject: packets hold values
//# options: -cl-std=CL3.0
//# requires: pipes
//# error: 1: packets of a pipe cannot be of type 'event_t'
//# error: 2: packets of a pipe cannot be of type 'void'
kernel void f(pipe event_t p) {}
kernel void g(pipe void p) {}
kernel void test(global uint *out) {}

//# accept: before OpenCL C 2.0 pipe is a name like others
//# options: -cl-std=CL1.2
//# expect: 3
kernel void test(global uint *out) {
    uint pipe = 3 + out[0];
    out[0] = pipe;
}
