//! 6.15.18 Pipe Functions

//# reject: pipes require __opencl_c_pipes
//# options: -cl-std=CL3.0
//# requires: !pipes
//# error: 1: use of type 'pipe' requires pipes which this device does not offer
kernel void f(read_only pipe int p) {}
kernel void test(global uint *out) {}

//# reject: so do the functions that read and write them
//# options: -cl-std=CL3.0
//# requires: !pipes
//# error: 3: use of 'read_pipe' requires pipes which this device does not offer
//# error: 4: use of 'write_pipe' requires pipes
//# error: 5: use of 'reserve_read_pipe' requires pipes
//# error: 6: use of 'commit_write_pipe' requires pipes
//# error: 7: use of 'is_valid_reserve_id' requires pipes
kernel void test(global uint *out) {
    uint x;
    read_pipe(out, &x);
    write_pipe(out, &x);
    reserve_read_pipe(out, 1);
    commit_write_pipe(out, 1);
    is_valid_reserve_id(1);
}

//# reject: those of work-groups
//# options: -cl-std=CL3.0
//# requires: !pipes
//# error: 2: use of 'work_group_reserve_read_pipe' requires pipes
//# error: 3: use of 'work_group_commit_write_pipe' requires pipes
kernel void test(global uint *out) {
    work_group_reserve_read_pipe(out, 1);
    work_group_commit_write_pipe(out, 1);
}

//# reject: and the queries
//# options: -cl-std=CL3.0
//# requires: !pipes
//# error: 2: use of 'get_pipe_num_packets' requires pipes
//# error: 3: use of 'get_pipe_max_packets' requires pipes
kernel void test(global uint *out) {
    get_pipe_num_packets(out);
    get_pipe_max_packets(out);
}

//# accept: before OpenCL C 2.0 pipe is a name like others
//# options: -cl-std=CL1.2
//# expect: 3
kernel void test(global uint *out) {
    uint pipe = 3 + out[0];
    out[0] = pipe;
}
