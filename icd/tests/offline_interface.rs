//! The offline compiler's C interface: from C, by the example that is compiled with cc against the header; from C++;
//! and wrong calls.
// Nearly every call is unsafe, for the reason that docs/offline.md gives.
#![allow(clippy::undocumented_unsafe_blocks)]

use hekla::api::*;
use hekla::cl::*;
use std::ffi::{c_char, c_void, CStr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::ptr::{null, null_mut};

const SOURCE: &str = "constant int table[2] = {1, 2};
kernel void k(global float *out, local int *scratch, int unused, float4 v) {
    scratch[get_local_id(0)] = table[get_local_id(0)];
    out[get_global_id(0)] = v.x + scratch[get_local_id(0)];
}
kernel __attribute__((reqd_work_group_size(8, 1, 1))) void draw(write_only image2d_t im) {
    write_imagef(im, (int2)(get_global_id(0), 0), (float4)(1));
}
";
const INFO: hekla_compile_info = hekla_compile_info {
    struct_size: size_of::<hekla_compile_info>(),
    target: HEKLA_TARGET_GENERIC,
    options: null(),
    file_name: null(),
    num_spec_values: 0,
    spec_values: null(),
};

/// Compiles; returns the program and the code.
fn compile(input: &[u8], info: Option<&hekla_compile_info>) -> (hekla_program, cl_int) {
    let mut code = 77;
    let info = info.map_or(null(), |info| &raw const *info);
    let program = unsafe { heklaCompile(input.as_ptr().cast(), input.len(), info, &raw mut code) };
    (program, code)
}

fn log(program: hekla_program) -> String {
    let log = unsafe { heklaProgramLog(program) };
    assert!(!log.is_null());
    unsafe { CStr::from_ptr(log) }.to_str().unwrap().to_string()
}

fn text<'a>(place: *const c_char) -> &'a str {
    unsafe { CStr::from_ptr(place) }.to_str().unwrap()
}

fn list<'a, T>(place: *const T, count: usize) -> &'a [T] {
    unsafe { std::slice::from_raw_parts(place, count) }
}

#[test]
fn a_program_is_described() {
    let options = c"-cl-kernel-arg-info -cl-std=CL3.1";
    let info = hekla_compile_info { options: options.as_ptr(), ..INFO };
    let (program, code) = compile(SOURCE.as_bytes(), Some(&info));
    assert_eq!((code, log(program).as_str()), (CL_SUCCESS, ""));
    let reflection = unsafe { &*heklaProgramReflection(program) };
    let kernels = list(reflection.kernels, reflection.num_kernels);
    let [k, draw] = kernels else { panic!("{} kernels", kernels.len()) };
    assert_eq!([text(k.name), text(draw.name)], ["k", "draw"]);
    assert_eq!(draw.required_local_size, [8, 1, 1]);
    assert_eq!((k.required_local_size, k.uses_images, draw.uses_images), ([0; 3], 0, 1));
    for kernel in kernels {
        assert_eq!(list(kernel.words, kernel.num_words)[0], hekla_spirv::MAGIC_NUMBER);
    }
    let arguments = list(k.arguments, k.num_arguments);
    let seen: Vec<_> =
        arguments.iter().map(|a| (text(a.name), text(a.type_name), a.kind, a.size)).collect();
    let expected = [
        ("out", "float*", HEKLA_ARGUMENT_BUFFER, 8),
        ("scratch", "int*", HEKLA_ARGUMENT_LOCAL, 0),
        ("unused", "int", HEKLA_ARGUMENT_VALUE, 4),
        ("v", "float4", HEKLA_ARGUMENT_VALUE, 16),
    ];
    assert_eq!(seen, expected);
    assert_eq!((arguments[0].offset, arguments[2].offset), (0, HEKLA_NO_OFFSET));
    assert_eq!(arguments[1].specialization, 8);
    assert!(arguments[3].offset + 16 <= k.argument_buffer_size);
    let image = list(draw.arguments, draw.num_arguments)[0];
    assert_eq!((image.kind, image.image_type), (HEKLA_ARGUMENT_IMAGE, CL_MEM_OBJECT_IMAGE2D));
    assert_eq!(image.access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    let fields = list(k.fields, k.num_fields);
    assert!(fields.iter().any(|field| field.kind == HEKLA_FIELD_DATA_ADDRESS && field.size == 8));
    let data = list(reflection.data_bytes, reflection.num_data_bytes);
    assert_eq!((reflection.data_size, data), (8, &[1, 0, 0, 0, 2, 0, 0, 0][..]));
    let json = text(unsafe { heklaProgramReflectionJson(program) });
    assert!(json.contains(r#""name": "draw""#), "{json}");
    assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
}

#[test]
fn errors_are_told() {
    let (program, code) = compile(b"kernel void k() { x; }", None);
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log(program).contains("use of undeclared identifier 'x'"), "{}", log(program));
    assert!(unsafe { heklaProgramReflection(program) }.is_null());
    assert!(unsafe { heklaProgramReflectionJson(program) }.is_null());
    assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
    let info = hekla_compile_info { options: c"-no-such".as_ptr(), ..INFO };
    let (program, code) = compile(SOURCE.as_bytes(), Some(&info));
    assert_eq!(code, CL_INVALID_BUILD_OPTIONS);
    assert!(log(program).contains("-no-such"), "{}", log(program));
    assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
    // The input is only the beginning of a module.
    let (program, code) = compile(&[3, 2, 0x23, 7, 0, 0, 1, 0], None);
    assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
    assert!(log(program).starts_with("error: "), "{}", log(program));
    assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
}

#[test]
fn mistakes_give_their_codes() {
    let bytes: *const c_void = SOURCE.as_ptr().cast();
    let mut code = 0;
    for (input, size) in [(null(), 5), (bytes, 0)] {
        assert!(unsafe { heklaCompile(input, size, null(), &raw mut code) }.is_null());
        assert_eq!(code, CL_INVALID_VALUE);
    }
    for wrong in [
        hekla_compile_info { struct_size: 8, ..INFO },
        hekla_compile_info { target: 2, ..INFO },
        hekla_compile_info { num_spec_values: 1, ..INFO },
    ] {
        let (program, code) = compile(SOURCE.as_bytes(), Some(&wrong));
        assert!(program.is_null() && code == CL_INVALID_VALUE);
    }
    let (program, _) = compile(SOURCE.as_bytes(), Some(&INFO));
    assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
    for none in [program, null_mut()] {
        assert!(unsafe { heklaProgramLog(none) }.is_null());
        assert!(unsafe { heklaProgramReflection(none) }.is_null());
        assert!(unsafe { heklaProgramReflectionJson(none) }.is_null());
        assert_eq!(unsafe { heklaReleaseProgram(none) }, CL_INVALID_PROGRAM);
    }
}

#[test]
fn the_weakest_device_has_no_double() {
    let source = b"kernel void k(global double *p) { *p = 1; }";
    for (target, expected) in
        [(HEKLA_TARGET_GENERIC, CL_SUCCESS), (HEKLA_TARGET_MINIMAL, CL_BUILD_PROGRAM_FAILURE)]
    {
        let (program, code) = compile(source, Some(&hekla_compile_info { target, ..INFO }));
        assert_eq!(code, expected, "{}", log(program));
        assert_eq!(unsafe { heklaReleaseProgram(program) }, CL_SUCCESS);
    }
}

/// Compiles a program against the header, and links it to the library that this test is built with.
fn compiled(compiler: &str, standard: &str, source: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut compile = Command::new(compiler);
    compile.args([standard, "-pedantic", "-Wall", "-Wextra", "-Werror"]).arg(root.join(source));
    compile.arg("-I").arg(root.join("include")).arg("-o").arg(&program);
    compile.arg(library()).arg(format!("-Wl,-rpath,{}", library().parent().unwrap().display()));
    let done = compile.output().unwrap_or_else(|error| panic!("{compiler}: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}\n(packages gcc, g++ and opencl-c-headers)");
    program
}

/// Returns libhekla.so beside the test binaries, where `cargo test` builds it.
fn library() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libhekla.so")
}

fn run(program: &Path, args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Command::new(program).args(args).current_dir(folder).output().unwrap()
}

#[test]
fn the_example_compiles_a_kernel() {
    let program = compiled("cc", "-std=c99", "examples/offline.c", "offline-example");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("offline-example.cl"), SOURCE).unwrap();
    let done = run(&program, &["offline-example.cl", "-cl-std=CL3.0"]);
    let (printed, errors) =
        (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{errors}");
    for part in [
        "kernel k: magic 07230203, ",
        "  float* out: buffer, 8 bytes at 0\n",
        "  int* scratch: local, its offset is specialization constant 8\n",
        "  int unused: value, not read\n",
        "  image2d_t im: image, 4 bytes at ",
        "program-scope variables: 8 bytes\n",
        "\"entry_point\": \"main\"",
    ] {
        assert!(printed.contains(part), "{part} in\n{printed}");
    }
    let words = std::fs::read(folder.join("draw.spv")).unwrap();
    assert_eq!(words[..4], hekla_spirv::MAGIC_NUMBER.to_le_bytes());
    std::fs::write(folder.join("offline-example.cl"), "kernel void k() { x; }").unwrap();
    let done = run(&program, &["offline-example.cl"]);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(
        !done.status.success() && errors.contains("offline-example.cl:1:19: error"),
        "{errors}"
    );
    assert!(errors.contains("error -11"), "{errors}");
}

#[test]
fn the_header_is_of_cpp_too() {
    let source = "icd/tests/header/after_cl.cpp";
    let program = compiled("c++", "-std=c++11", source, "offline-example-cpp");
    let done = run(&program, &[]);
    let printed = String::from_utf8_lossy(&done.stdout);
    let kinds = [HEKLA_ARGUMENT_BUFFER, HEKLA_ARGUMENT_LOCAL, HEKLA_ARGUMENT_QUEUE];
    let [buffer, local, queue] = kinds;
    assert_eq!(printed, format!("k: {buffer} {local} {queue}\n"));
    assert!(done.status.success());
}
