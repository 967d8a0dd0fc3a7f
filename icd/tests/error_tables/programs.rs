//! Programs (5.8).

#[path = "../common/spirv.rs"]
mod spirv;

use crate::prelude::*;
use crate::world::made;
use std::ffi::{c_char, CStr};

const GOOD: &CStr = c"kernel void none(void) {}";

pub fn rows(t: &mut Table, w: &World) {
    source_rows(t, w);
    binary_rows(t, w);
    built_in_rows(t, w);
    let program = CL_INVALID_PROGRAM;
    t.about("clRetainProgram");
    t.correct(unsafe { clRetainProgram(w.program) });
    t.each(program, "program", w.no_programs(), |p| unsafe { clRetainProgram(p) });
    t.about("clReleaseProgram");
    t.correct(unsafe { clReleaseProgram(w.program) });
    t.each(program, "program", w.no_programs(), |p| unsafe { clReleaseProgram(p) });
    intermediate_rows(t, w);
    build_rows(t, w);
    compile_rows(t, w);
    link_rows(t, w);
    query_rows(t, w);
}

fn source_rows(t: &mut Table, w: &World) {
    t.about("clCreateProgramWithSource");
    let create = |context, count, strings: *const *const c_char| {
        code(|e| unsafe { clCreateProgramWithSource(context, count, strings, null(), e) })
    };
    let strings = [GOOD.as_ptr(), c"".as_ptr()];
    t.correct(create(w.context, 2, strings.as_ptr()));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, 2, strings.as_ptr()));
    t.row(CL_INVALID_VALUE, "count is 0", create(w.context, 0, strings.as_ptr()));
    t.row(CL_INVALID_VALUE, "strings is NULL", create(w.context, 1, null()));
    let hole = [GOOD.as_ptr(), null()];
    t.row(CL_INVALID_VALUE, "an entry of strings is NULL", create(w.context, 2, hole.as_ptr()));
}

/// Returns the binary of a built program.
fn binary_of(program: cl_program) -> Vec<u8> {
    let mut size = 0usize;
    let place = (&raw mut size).cast();
    unsafe { clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, 8, place, null_mut()) };
    let mut bytes = vec![0u8; size];
    let mut pointer = bytes.as_mut_ptr();
    let place = (&raw mut pointer).cast();
    unsafe { clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, place, null_mut()) };
    bytes
}

/// Arguments of clCreateProgramWithBinary.
#[derive(Clone, Copy)]
struct Binary<'a> {
    context: cl_context,
    count: cl_uint,
    devices: *const cl_device_id,
    bytes: Option<&'a [u8]>,
    lengths: bool,
    binaries: bool,
}

fn from_binary(b: Binary) -> (cl_int, cl_int) {
    let length = b.bytes.map_or(64, <[u8]>::len);
    let pointer = b.bytes.map_or(null(), <[u8]>::as_ptr);
    let lengths = if b.lengths { &raw const length } else { null() };
    let binaries = if b.binaries { &raw const pointer } else { null() };
    let mut status = 1;
    let place = &raw mut status;
    let got = code(|e| unsafe {
        clCreateProgramWithBinary(b.context, b.count, b.devices, lengths, binaries, place, e)
    });
    (got, status)
}

fn binary_rows(t: &mut Table, w: &World) {
    t.about("clCreateProgramWithBinary");
    let whole = binary_of(w.program);
    let good = Binary {
        context: w.context,
        count: 1,
        devices: &w.device,
        bytes: Some(&whole),
        lengths: true,
        binaries: true,
    };
    let (got, status) = from_binary(good);
    t.correct(got);
    t.row(CL_SUCCESS, "binary_status of a good binary", status);
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| {
        from_binary(Binary { context, ..good }).0
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "device_list is NULL", from_binary(Binary { devices: null(), ..good }).0);
    t.row(value, "num_devices is 0", from_binary(Binary { count: 0, ..good }).0);
    t.row(value, "lengths is NULL", from_binary(Binary { lengths: false, ..good }).0);
    t.row(value, "binaries is NULL", from_binary(Binary { binaries: false, ..good }).0);
    let hole = from_binary(Binary { bytes: None, ..good });
    t.row(value, "an entry of binaries is NULL", hole.0);
    t.row(value, "binary_status of an entry that is NULL", hole.1);
    let empty = from_binary(Binary { bytes: Some(&whole[..0]), ..good });
    t.row(value, "an entry of lengths is 0", empty.0);
    t.each(CL_INVALID_DEVICE, "a device", w.no_devices(), |device| {
        from_binary(Binary { devices: &device, ..good }).0
    });
    if let Some(stranger) = &w.stranger {
        let got = from_binary(Binary { devices: stranger, ..good }).0;
        t.row(CL_INVALID_DEVICE, "a device is not of context", got);
    }
    let mut broken = whole.clone();
    *broken.last_mut().unwrap() ^= 1;
    let middle = whole.len() / 2;
    for bytes in [&b"no binary"[..], &whole[..middle], &broken] {
        let (got, status) = from_binary(Binary { bytes: Some(bytes), ..good });
        t.row(CL_INVALID_BINARY, "an invalid program binary", got);
        t.row(CL_INVALID_BINARY, "binary_status of an invalid binary", status);
    }
}

fn built_in_rows(t: &mut Table, w: &World) {
    t.about("clCreateProgramWithBuiltInKernels");
    let create = |context, count, devices: *const cl_device_id, names| {
        code(|e| unsafe { clCreateProgramWithBuiltInKernels(context, count, devices, names, e) })
    };
    let names = c"nobody_has_this".as_ptr();
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, 1, &w.device, names));
    let value = CL_INVALID_VALUE;
    t.row(value, "device_list is NULL", create(w.context, 1, null(), names));
    t.row(value, "num_devices is 0", create(w.context, 0, &w.device, names));
    t.row(value, "kernel_names is NULL", create(w.context, 1, &w.device, null()));
    let condition = "a kernel name is not supported by any device";
    t.row(value, condition, create(w.context, 1, &w.device, names));
    t.each(CL_INVALID_DEVICE, "a device", w.no_devices(), |d| create(w.context, 1, &d, names));
    if let Some(stranger) = &w.stranger {
        let condition = "a device is not of context";
        t.row(CL_INVALID_DEVICE, condition, create(w.context, 1, stranger, names));
    }
}

/// Returns a module of SPIR-V 1.0 with the kernel `none` and the specialization constant 7, a 32-bit integer.
pub fn module() -> Vec<u32> {
    spirv::module("none")
}

/// Adds rows for functions of intermediate languages and program-scope destructors, of which there are none.
fn intermediate_rows(t: &mut Table, w: &World) {
    let il = module();
    let size = il.len() * 4;
    t.about("clCreateProgramWithIL");
    let create = |context, il: &[u32], size| {
        code(|e| unsafe { clCreateProgramWithIL(context, il.as_ptr().cast(), size, e) })
    };
    t.correct(create(w.context, &il, size));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, &il, size));
    let nothing = code(|e| unsafe { clCreateProgramWithIL(w.context, null(), size, e) });
    t.row(CL_INVALID_VALUE, "il is NULL", nothing);
    t.row(CL_INVALID_VALUE, "length is 0", create(w.context, &il, 0));
    for (what, bytes) in [("", size - 12), (" (a part of a word)", size - 2), (" (no header)", 16)]
    {
        let condition = format!("il is not well-formed{what}");
        t.row(CL_INVALID_VALUE, &condition, create(w.context, &il, bytes));
    }
    t.row(CL_INVALID_VALUE, "il is not SPIR-V", create(w.context, &[0; 16], 64));

    t.about("clSetProgramSpecializationConstant");
    let program =
        made(|e| unsafe { clCreateProgramWithIL(w.context, il.as_ptr().cast(), size, e) });
    let value = [1u32; 3];
    let set = |program, id, size, value: *const u32| unsafe {
        clSetProgramSpecializationConstant(program, id, size, value.cast())
    };
    t.correct(set(program, 7, 4, value.as_ptr()));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| set(p, 7, 4, value.as_ptr()));
    let condition = "program is not created from an intermediate language";
    t.row(CL_INVALID_PROGRAM, condition, set(w.program, 7, 4, value.as_ptr()));
    t.row(CL_INVALID_SPEC_ID, "spec_id is no constant's", set(program, 8, 4, value.as_ptr()));
    t.row(CL_INVALID_VALUE, "spec_value is NULL", set(program, 7, 4, null()));
    for size in [0, 1, 8, 12] {
        let condition = "spec_size is not that of the constant";
        t.row(CL_INVALID_VALUE, condition, set(program, 7, size, value.as_ptr()));
    }

    t.about("clCompileProgram");
    let name = c"a.h".as_ptr();
    // Programs in an intermediate language ignore headers, even invalid ones.
    t.correct(unsafe {
        clCompileProgram(program, 0, null(), null(), 1, null(), &raw const name, None, null_mut())
    });
    unsafe { clReleaseProgram(program) };

    t.about("clSetProgramReleaseCallback");
    unsafe extern "C" fn ignore(_: cl_program, _: *mut c_void) {}
    let set =
        |program, function| unsafe { clSetProgramReleaseCallback(program, function, null_mut()) };
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| set(p, Some(ignore)));
    t.row(CL_INVALID_VALUE, "pfn_notify is NULL", set(w.program, None));
    let condition = "no devices support destructors of program-scope variables";
    t.row(CL_INVALID_OPERATION, condition, set(w.program, Some(ignore)));
}

unsafe extern "C" fn ignore(_: cl_program, _: *mut c_void) {}

/// The arguments that clBuildProgram, clCompileProgram and clLinkProgram have in common.
#[derive(Clone, Copy)]
struct Building<'a> {
    program: cl_program,
    count: cl_uint,
    devices: *const cl_device_id,
    options: &'a CStr,
    notify: ProgramNotify,
    data: *mut c_void,
}

/// Adds the rows that clBuildProgram, clCompileProgram and clLinkProgram have in common.
fn common_rows(t: &mut Table, w: &World, good: Building, call: impl Fn(Building) -> cl_int) {
    let value = CL_INVALID_VALUE;
    let condition = "device_list is NULL and num_devices is not 0";
    t.row(value, condition, call(Building { count: 1, devices: null(), ..good }));
    let condition = "device_list is not NULL and num_devices is 0";
    t.row(value, condition, call(Building { count: 0, devices: &w.device, ..good }));
    let condition = "pfn_notify is NULL and user_data is not";
    let data = (&raw const *w).cast_mut().cast();
    t.row(value, condition, call(Building { notify: None, data, ..good }));
    t.each(CL_INVALID_DEVICE, "a device", w.no_devices(), |device| {
        call(Building { count: 1, devices: &device, ..good })
    });
    if let Some(stranger) = &w.stranger {
        let got = call(Building { count: 1, devices: stranger, ..good });
        t.row(CL_INVALID_DEVICE, "a device is not of the context", got);
    }
}

fn new_building(program: cl_program) -> Building<'static> {
    let (count, devices, options) = (0, null(), c"");
    Building { program, count, devices, options, notify: None, data: null_mut() }
}

fn build(b: Building) -> cl_int {
    let options = b.options.as_ptr();
    unsafe { clBuildProgram(b.program, b.count, b.devices, options, b.notify, b.data) }
}

fn build_rows(t: &mut Table, w: &World) {
    t.about("clBuildProgram");
    let good = new_building(w.source(GOOD));
    t.correct(build(good));
    t.correct(build(Building { count: 1, devices: &w.device, notify: Some(ignore), ..good }));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| {
        build(Building { program: p, ..good })
    });
    common_rows(t, w, good, build);
    for options in [c"-no-such-option", c"-cl-std=CL9.9", c"-D"] {
        let got = build(Building { options, ..good });
        t.row(CL_INVALID_BUILD_OPTIONS, "the build options are invalid", got);
    }
    let broken = new_building(w.source(c"kernel void none(void) { return 1 +; }"));
    t.row(CL_BUILD_PROGRAM_FAILURE, "the program does not build", build(broken));
    let attached = new_building(w.program);
    t.row(CL_INVALID_OPERATION, "kernel objects are attached", build(attached));
    let linked = new_building(linked(w));
    t.row(CL_INVALID_OPERATION, "the program is one that was linked", build(linked));
    let object = binary_of(compiled(w, GOOD));
    let program = program_from(w, &object);
    let condition = "the binary that is loaded is none of an executable";
    t.row(CL_INVALID_BINARY, condition, build(new_building(program)));
}

fn program_from(w: &World, bytes: &[u8]) -> cl_program {
    let (length, pointer) = (bytes.len(), bytes.as_ptr());
    let device = &raw const w.device;
    made(|e| unsafe {
        clCreateProgramWithBinary(w.context, 1, device, &length, &pointer, null_mut(), e)
    })
}

/// Returns a compiled program, to be linked.
fn compiled(w: &World, source: &CStr) -> cl_program {
    let program = w.source(source);
    assert_eq!(compile(new_building(program), &[], &[]), CL_SUCCESS);
    program
}

fn linked(w: &World) -> cl_program {
    let input = compiled(w, GOOD);
    made(|e| unsafe { clLinkProgram(w.context, 0, null(), null(), 1, &input, None, null_mut(), e) })
}

fn compile(b: Building, headers: &[cl_program], names: &[*const c_char]) -> cl_int {
    let list = |empty: bool, pointer| if empty { null() } else { pointer };
    let programs = list(headers.is_empty(), headers.as_ptr().cast::<c_void>()).cast();
    let names = list(names.is_empty(), names.as_ptr().cast::<c_void>()).cast();
    let (count, options) = (headers.len() as u32, b.options.as_ptr());
    unsafe {
        clCompileProgram(
            b.program, b.count, b.devices, options, count, programs, names, b.notify, b.data,
        )
    }
}

fn compile_rows(t: &mut Table, w: &World) {
    t.about("clCompileProgram");
    let good = new_building(w.source(GOOD));
    let call = |b: Building| compile(b, &[], &[]);
    t.correct(call(good));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| {
        call(Building { program: p, ..good })
    });
    common_rows(t, w, good, call);
    let (header, name) = (w.source(c"int x;"), c"x.h".as_ptr());
    t.correct(compile(good, &[header], &[name]));
    let value = CL_INVALID_VALUE;
    let names = "header_include_names is NULL and num_input_headers is not 0";
    t.row(value, names, compile(good, &[header], &[]));
    let raw = |count, programs, names| unsafe {
        let n = null_mut();
        clCompileProgram(good.program, 0, null(), null(), count, programs, names, None, n)
    };
    let headers = "input_headers is NULL and num_input_headers is not 0";
    t.row(value, headers, raw(1, null(), &name));
    let condition = "num_input_headers is 0 and input_headers is not NULL";
    t.row(value, condition, raw(0, &header, null()));
    let condition = "num_input_headers is 0 and header_include_names is not NULL";
    t.row(value, condition, raw(0, null(), &name));
    t.each(CL_INVALID_PROGRAM, "a header", w.no_programs(), |h| compile(good, &[h], &[name]));
    let condition = "a header is of another context";
    t.row(CL_INVALID_CONTEXT, condition, compile(good, &[w.other.program], &[name]));
    let options = c"-no-such-option";
    let condition = "the compiler options are invalid";
    t.row(CL_INVALID_COMPILER_OPTIONS, condition, call(Building { options, ..good }));
    let broken = new_building(w.source(c"kernel void none(void) { return 1 +; }"));
    t.row(CL_COMPILE_PROGRAM_FAILURE, "the program does not compile", call(broken));
    let attached = new_building(w.program);
    t.row(CL_INVALID_OPERATION, "kernel objects are attached", call(attached));
    let condition = "the program has no source";
    t.row(CL_INVALID_OPERATION, condition, call(new_building(linked(w))));
    let binary = program_from(w, &binary_of(w.program));
    t.row(CL_INVALID_OPERATION, condition, call(new_building(binary)));
}

fn link_rows(t: &mut Table, w: &World) {
    t.about("clLinkProgram");
    // A link that fails returns a program as well as the code, since the program has the log.
    let link = |context, b: Building, count, inputs| unsafe {
        let (mut code, options) = (1, b.options.as_ptr());
        let (notify, data) = (b.notify, b.data);
        clLinkProgram(context, b.count, b.devices, options, count, inputs, notify, data, &mut code);
        code
    };
    let input = compiled(w, GOOD);
    let good = new_building(null_mut());
    let call = |b: Building| link(w.context, b, 1, &input);
    t.correct(call(good));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| link(c, good, 1, &input));
    common_rows(t, w, good, call);
    let inputs = |list: &[cl_program]| link(w.context, good, list.len() as u32, list.as_ptr());
    let foreign = inputs(&[input, w.other.program]);
    t.row(CL_INVALID_CONTEXT, "an input is of another context", foreign);
    let value = CL_INVALID_VALUE;
    t.row(value, "no inputs", link(w.context, good, 0, null()));
    t.row(value, "inputs without a number", link(w.context, good, 0, &input));
    t.row(value, "a number without inputs", link(w.context, good, 1, null()));
    t.each(CL_INVALID_PROGRAM, "an input", w.no_programs(), |p| inputs(&[input, p]));
    let options = c"-no-such-option";
    let condition = "the linker options are invalid";
    t.row(CL_INVALID_LINKER_OPTIONS, condition, call(Building { options, ..good }));
    let condition = "an input is neither compiled nor a library";
    t.row(CL_INVALID_OPERATION, condition, inputs(&[input, w.source(GOOD)]));
    let open = compiled(w, c"int missing(void); kernel void k(global int *p) { *p = missing(); }");
    t.row(CL_LINK_PROGRAM_FAILURE, "a function is missing", inputs(&[open]));
    t.row(
        CL_LINK_PROGRAM_FAILURE,
        "a kernel is defined twice",
        inputs(&[input, compiled(w, GOOD)]),
    );
}

fn query_rows(t: &mut Table, w: &World) {
    t.about("clGetProgramInfo");
    let info = |program, name, size, place| unsafe {
        clGetProgramInfo(program, name, size, place, null_mut())
    };
    t.query(CL_PROGRAM_CONTEXT, |name, size, place| info(w.program, name, size, place));
    // For binaries the query takes an array of addresses; NULL addresses are skipped.
    let all = CL_PROGRAM_REFERENCE_COUNT..=CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT;
    t.answered(all, |name, size, place| {
        unsafe { place.cast::<u8>().write_bytes(0, size) };
        info(w.program, name, size, place)
    });
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |program| {
        info(program, CL_PROGRAM_CONTEXT, 0, null_mut())
    });
    let unbuilt = w.source(GOOD);
    for name in [
        CL_PROGRAM_NUM_KERNELS,
        CL_PROGRAM_KERNEL_NAMES,
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    ] {
        t.correct(info(w.program, name, 0, null_mut()));
        let condition = "the program has no executable";
        t.row(CL_INVALID_PROGRAM_EXECUTABLE, condition, info(unbuilt, name, 0, null_mut()));
    }

    t.about("clGetProgramBuildInfo");
    let info = |program, device, name, size, place| unsafe {
        clGetProgramBuildInfo(program, device, name, size, place, null_mut())
    };
    let status = CL_PROGRAM_BUILD_STATUS;
    t.query(status, |name, size, place| info(w.program, w.device, name, size, place));
    let all = status..=CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
    t.answered(all, |name, size, place| info(w.program, w.device, name, size, place));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |program| {
        info(program, w.device, status, 0, null_mut())
    });
    t.each(CL_INVALID_DEVICE, "device", w.no_devices(), |device| {
        info(w.program, device, status, 0, null_mut())
    });
    if let Some(stranger) = w.stranger {
        let got = info(w.program, stranger, status, 0, null_mut());
        t.row(CL_INVALID_DEVICE, "device is not of the program", got);
    }
}
