//! Actions without a defined result are errors that name the action.

mod support;

use hekla_spirv_interp::{Error, Launch};

/// Runs `kernel void test(global uint *out)` with a body, on one work-group of four work-items and a buffer of 8 words.
fn run(body: &str) -> Result<Vec<u32>, Error> {
    let text = format!("kernel void test(global uint *out) {{ {body} }}");
    let program = support::build(&text, "", &support::capable().target).expect("a program");
    let launch = Launch { global: [4, 1, 1], local: [4, 1, 1], ..Launch::default() };
    support::run_on_words(&program, &program.kernels[0], &[0; 8], launch)
}

fn undefined(body: &str, what: &str) {
    match run(body) {
        Err(Error::Undefined(message)) if message.contains(what) => {}
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn a_correct_program_runs() {
    let body = "local uint x[4]; uint i = get_local_id(0); x[i] = i; barrier(CLK_LOCAL_MEM_FENCE);
                out[i] = x[3 - i];";
    assert_eq!(run(body).unwrap(), [3, 2, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn accesses_out_of_bounds_are_found() {
    undefined("out[5 + get_local_id(0)] = 1;", "which lie in no allocation");
    undefined("out[-1] = 1;", "which lie in no allocation");
    undefined("local uint x[4]; x[out[0] + 4] = 1; out[0] = x[0];", "index 4 of an array of 4");
    undefined(
        "uint x[4]; for (int i = 0; i < 4; i++) x[out[i]] = i; out[0] = x[out[0] + 4];",
        "index 4 of an array of 4",
    );
}

#[test]
fn accesses_that_are_not_aligned_are_found() {
    undefined("*(global ulong *)(out + get_local_id(0)) = 1;", "is no multiple of 8");
    undefined(
        "*(global uint *)((global uchar *)out + get_local_id(0)) = 1;",
        "is no multiple of 4",
    );
}

#[test]
fn accesses_whose_addresses_contradict_their_alignment_are_cut() {
    let body = "*(global ulong *)(out + 1) = 0x200000001; *(global uint *)((global uchar *)out + 14) = 0x40003;";
    assert_eq!(run(body).unwrap(), [0, 1, 2, 3 << 16, 4, 0, 0, 0]);
}

#[test]
fn what_was_never_written_is_found_where_it_matters() {
    undefined("local uint x[4]; if (x[get_local_id(0)] > 5) out[0] = 1;", "a branch depends on");
    undefined("local uint x[4]; out[x[0]] = 1;", "never written");
    undefined("local uint x[4]; out[0] = x[1];", "of a result was never written");
    // A byte of a word is defined even if its neighbours are not.
    let body =
        "local uchar x[16]; x[get_local_id(0)] = 7; out[get_local_id(0)] = x[get_local_id(0)];";
    assert_eq!(run(body).unwrap()[..4], [7; 4]);
}

#[test]
fn barriers_that_not_all_reach_are_found() {
    let what = "a barrier that not all work-items of a work-group reach";
    undefined("if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE); out[0] = 1;", what);
    undefined(
        "for (uint i = 0; i < get_local_id(0); i++) barrier(CLK_LOCAL_MEM_FENCE); out[0] = 1;",
        what,
    );
}

#[test]
fn operations_without_a_result_are_found() {
    undefined("out[0] = 1 << (out[0] - out[1]) / out[2];", "of a result was never written");
}

#[test]
fn a_program_that_does_not_end_is_stopped() {
    let program = "kernel void test(global volatile uint *out) { while (out[0] == 0) ; }";
    let program = support::build(program, "", &support::weak().target).expect("a program");
    let launch = Launch { limit: 10_000, ..Launch::default() };
    let result = support::run_on_words(&program, &program.kernels[0], &[0], launch);
    assert_eq!(result, Err(Error::Limit(10_000)));
}
