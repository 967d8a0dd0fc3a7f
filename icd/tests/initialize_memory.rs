//! cl_khr_initialize_memory: what kernels of a context find in work-group and private memory.
//!
//! Each program has a kernel that leaves memory full of ones behind, and one that reports what it finds
//! before it has written anything.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::{c_void, CStr};
use std::ptr::{null, null_mut};

const LOCAL: u64 = CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR;
const PRIVATE: u64 = CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;

/// Returns a context that wants kinds of memory initialized.
fn context_with(kinds: u64) -> Setup {
    let s = Setup::new();
    let properties = [CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize, kinds as isize, 0];
    let (list, device) = (properties.as_ptr(), &raw const s.device);
    let context = made(|e| unsafe { (s.cl.clCreateContext)(list, 1, device, None, null_mut(), e) });
    let queue = made(|e| unsafe { (s.cl.clCreateCommandQueue)(context, s.device, 0, e) });
    Setup { context, queue, ..s }
}

/// Work-items of a launch and of a work-group: the last work-group is smaller.
const ITEMS: usize = 37;
const GROUP: usize = 16;
/// Elements of each local array.
const ELEMENTS: usize = 77;

/// Both kernels take a buffer with a word per work-item, and `ELEMENTS` elements of local memory.
const LOCAL_MEMORY: &str = "
kernel void dirty(global uint *out, local TYPE *given) {
    local TYPE own[77];
    for (uint i = get_local_id(0); i < 77; i += get_local_size(0)) {
        own[i] = (TYPE)~0u;
        given[i] = (TYPE)~0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = own[76 - get_local_id(0)] != 0 && given[76 - get_local_id(0)] != 0;
}
kernel void seen(global uint *out, local TYPE *given) {
    local TYPE own[77];
    uint found = 0;
    for (uint i = 0; i < 77; ++i) found += own[i] != 0;
    for (uint i = 0; i < 77; ++i) found += given[i] != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    own[get_local_id(0)] = given[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = found + (own[get_local_id(0)] != 1) + (given[get_local_id(0)] != 1);
}";

/// Sets the arguments of a kernel of [`LOCAL_MEMORY`], runs it and returns what it wrote.
fn run_with_local(s: &Setup, program: cl_program, name: &str, element: usize) -> Vec<u8> {
    let kernel = s.kernel(program, name);
    let out = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0xAA; 4 * ITEMS]);
    s.set(kernel, 0, &out);
    check(unsafe { (s.cl.clSetKernelArg)(kernel, 1, ELEMENTS * element, null()) });
    check(s.launch(kernel, &[ITEMS], Some(&[GROUP])));
    let found = s.read(out, 0, 4 * ITEMS);
    unsafe {
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseMemObject)(out));
    }
    found
}

#[test]
fn local_memory_is_zero() {
    let s = context_with(LOCAL);
    let types = [("uint", 4), ("uchar", 1), ("short", 2), ("ulong", 8), ("float", 4), ("half", 2)];
    for (name, size) in types.into_iter().filter(|t| t.0 != "half" || s.offers("cl_khr_fp16")) {
        let program = s.program(LOCAL_MEMORY, &format!("-cl-std=CL3.0 -DTYPE={name}"));
        run_with_local(&s, program, "dirty", size);
        assert_eq!(run_with_local(&s, program, "seen", size), [0; 4 * ITEMS], "{name}");
    }
}

#[test]
fn local_memory_of_several_types_is_zero() {
    let s = context_with(LOCAL | PRIVATE);
    let text = "
kernel void dirty(global uint *out, local uchar *given) {
    local ulong wide[5];
    local uchar narrow[5];
    uint i = get_local_id(0);
    if (i < 5) wide[i] = narrow[i] = 0xFF;
    given[i] = given[76 - i] = 0xFF;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = wide[i % 5] + narrow[i % 5] + given[i];
}
kernel void seen(global uint *out, local uchar *given) {
    local ulong wide[5];
    local uchar narrow[5];
    uint found = 0;
    for (int i = 0; i < 5; ++i) found += (wide[i] != 0) + (narrow[i] != 0);
    for (int i = 0; i < 77; ++i) found += given[i] != 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    wide[get_local_id(0) % 5] = 1;
    narrow[get_local_id(0) % 5] = 1;
    out[get_global_id(0)] = found;
}";
    let program = s.program(text, "-cl-std=CL3.0");
    run_with_local(&s, program, "dirty", 1);
    assert_eq!(run_with_local(&s, program, "seen", 1), [0; 4 * ITEMS]);
}

/// The first statement of a kernel is a loop; memory is cleared before it, once.
#[test]
fn local_memory_is_cleared_once() {
    let s = context_with(LOCAL);
    let text = "
kernel void test(global uint *out) {
    local uint sum[1];
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) sum[0] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (sum[0] < 5);
    out[get_local_id(0)] = sum[0];
}";
    let kernel = s.kernel(s.program(text, ""), "test");
    let out = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 16]);
    s.set(kernel, 0, &out);
    check(s.launch(kernel, &[4], Some(&[4])));
    assert_eq!(s.read(out, 0, 16), [5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0]);
}

/// Each work-item adds the values of variables that nothing has initialized to `out[get_global_id(0)]`; `n` is 3.
const PRIVATE_MEMORY: [(&str, &str); 7] = [
    ("a scalar", "int x; if (n < 0) x = 1; out[i] = x;"),
    ("a scalar each time round a loop", "for (int k = 0; k < n; ++k) { int x; if (k == 0) x = 7; else out[i] += x; }"),
    ("a vector", "float4 v; v.y = 0.0f; int4 w = as_int4(v); out[i] = w.x | w.y | w.z | w.w;"),
    ("an array", "uint a[100]; a[n] = 0; for (int k = 0; k < 100; ++k) out[i] += a[(k * n) % 100];"),
    ("an array each time round a loop",
     "for (int k = 0; k < n; ++k) { uchar a[9]; out[i] += a[(k + n) % 9]; for (int j = 0; j < 9; ++j) a[(j * n) % 9] = 7; out[i] += a[n] - 7; }"),
    ("a variable whose declaration is jumped over",
     "switch (n) { int x; uint a[9]; case 3: out[i] += x + a[n * 2]; a[n] = 1; out[i] += a[n] - 1; }"),
    ("what a function leaves and returns",
     "out[i] = spoil(n) * 0; out[i] += untouched(n); out[i] += nothing(n); out[i] += escaped(n);"),
];

const FUNCTIONS: &str = "
typedef struct { char c; int i; long2 d; short s[7]; } Record;
__attribute__((noinline)) uint spoil(int n) {
    uint a[64];
    for (int k = 0; k < 64; ++k) a[(k * n) % 64] = ~0u;
    uint *p = n > 2 ? a + n : a;
    return *p;
}
__attribute__((noinline)) uint untouched(int n) {
    Record r;
    char *bytes = (char *)&r;
    uint sum = 0;
    for (int k = 0; k < sizeof(Record); ++k) sum += bytes[k] != 0;
    return sum;
}
__attribute__((noinline)) uint nothing(int n) { if (n < 0) return 1; }
uint look(uint *p, int n) { uint sum = 0; for (int k = 0; k < n; ++k) sum += p[k]; return sum; }
__attribute__((noinline)) uint escaped(int n) {
    uint a[8], b[16];
    uint *p = n > 5 ? a : b;
    uint sum = look(p, 4 + n);
    p[n] = 9;
    return sum + a[n] + (b[n] - 9);
}";

fn private_text(body: &str) -> String {
    format!(
        "{FUNCTIONS}
        kernel void test(global uint *out, int n) {{ uint i = get_global_id(0); {body} }}"
    )
}

fn run_private(s: &Setup, program: cl_program) -> Vec<u8> {
    let kernel = s.kernel(program, "test");
    let out = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 4 * ITEMS]);
    s.set(kernel, 0, &out);
    s.set(kernel, 1, &3);
    check(s.launch(kernel, &[ITEMS], None));
    s.read(out, 0, 4 * ITEMS)
}

#[test]
fn private_memory_is_zero() {
    let (plain, s) = (Setup::new(), context_with(PRIVATE));
    for (what, body) in PRIVATE_MEMORY {
        let text = private_text(body);
        // Programs that were compiled for other contexts, and may be cached, are different ones.
        plain.program(&text, "");
        assert_eq!(run_private(&s, s.program(&text, "")), [0; 4 * ITEMS], "{what}");
    }
}

fn compiled(s: &Setup, text: &CStr) -> cl_program {
    let (text, none, options) = (text.as_ptr(), null_mut(), c"".as_ptr());
    unsafe {
        let program = made(|e| (s.cl.clCreateProgramWithSource)(s.context, 1, &text, null(), e));
        let no_headers = null();
        let names = null();
        check((s.cl.clCompileProgram)(
            program,
            0,
            null(),
            options,
            0,
            no_headers,
            names,
            None,
            none,
        ));
        program
    }
}

fn linked(s: &Setup, inputs: &[cl_program]) -> cl_program {
    let (count, list, options) = (inputs.len() as u32, inputs.as_ptr(), c"".as_ptr());
    made(|e| unsafe {
        (s.cl.clLinkProgram)(s.context, 0, null(), options, count, list, None, null_mut(), e)
    })
}

const CALLS: &CStr = c"
uint find(int n);
kernel void test(global uint *out, int n) {
    local uint shared[9];
    uint a[9];
    uint i = get_global_id(0);
    out[i] = find(n) + a[n] + shared[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[n] = i;
}";
const FIND: &CStr = c"
uint find(int n) {
    uint sum = 0;
    for (int k = 0; k < n; ++k) { uint x; if (k == 0) x = 7; else sum += x; }
    return sum;
}";

#[test]
fn separately_compiled_programs_find_zero_memory() {
    let s = context_with(LOCAL | PRIVATE);
    let inputs = [compiled(&s, CALLS), compiled(&s, FIND)];
    for _ in 0..2 {
        assert_eq!(run_private(&s, linked(&s, &inputs)), [0; 4 * ITEMS]);
    }
}

fn binary(s: &Setup, program: cl_program) -> Vec<u8> {
    let query = s.cl.clGetProgramInfo;
    let size: usize = value(|z, p, r| unsafe { query(program, CL_PROGRAM_BINARY_SIZES, z, p, r) });
    let mut binary = vec![0u8; size];
    let mut place: *mut c_void = binary.as_mut_ptr().cast();
    let places = (&raw mut place).cast();
    check(unsafe { query(program, CL_PROGRAM_BINARIES, size_of::<usize>(), places, null_mut()) });
    binary
}

/// Returns the program of a binary, or the error, which the device's status names too.
fn loaded(s: &Setup, binary: &[u8]) -> Result<cl_program, cl_int> {
    let (size, bytes) = (binary.len(), binary.as_ptr());
    let (mut status, mut code) = (1, 1);
    let create = s.cl.clCreateProgramWithBinary;
    let program = unsafe { create(s.context, 1, &s.device, &size, &bytes, &mut status, &mut code) };
    assert_eq!(status, code);
    if program.is_null() {
        Err(code)
    } else {
        Ok(program)
    }
}

/// Code that was compiled to find what memory holds is not run where memory must be zero.
#[test]
fn binaries_are_those_of_contexts_alike() {
    let contexts =
        [Setup::new(), context_with(LOCAL), context_with(PRIVATE), context_with(LOCAL | PRIVATE)];
    let text = private_text(PRIVATE_MEMORY[1].1);
    for (i, from) in contexts.iter().enumerate() {
        let executable = binary(from, from.program(&text, ""));
        let object = binary(from, compiled(from, FIND));
        for (j, to) in contexts.iter().enumerate() {
            if i != j {
                assert_eq!(loaded(to, &executable), Err(CL_INVALID_BINARY));
                assert_eq!(loaded(to, &object), Err(CL_INVALID_BINARY));
                continue;
            }
            let program = loaded(to, &executable).unwrap();
            let build = to.cl.clBuildProgram;
            check(unsafe { build(program, 0, null(), null(), None, null_mut()) });
            if j >= 2 {
                assert_eq!(run_private(to, program), [0; 4 * ITEMS]);
            }
            let object = loaded(to, &object).unwrap();
            linked(to, &[compiled(to, CALLS), object]);
        }
    }
}

#[test]
fn contexts_tell_what_they_initialize() {
    let s = context_with(LOCAL | PRIVATE);
    assert!(s.offers("cl_khr_initialize_memory"));
    let properties: [isize; 3] = value(|z, p, r| unsafe {
        (s.cl.clGetContextInfo)(s.context, CL_CONTEXT_PROPERTIES, z, p, r)
    });
    assert_eq!(properties, [CL_CONTEXT_MEMORY_INITIALIZE_KHR as isize, 3, 0]);
}

/// Code that was compiled for other contexts, and is in the disk cache, is not used.
#[test]
fn all_again_with_a_cache_and_under_validation() {
    let folder = std::env::temp_dir().join(format!("hekla-initialize-{}", std::process::id()));
    let cache = folder.to_str().unwrap();
    let environment = [("HEKLA_CACHE", "1"), ("XDG_CACHE_HOME", cache), ("HEKLA_VALIDATE", "1")];
    run_again_with(&environment);
    let _ = std::fs::remove_dir_all(folder);
}
