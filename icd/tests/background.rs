//! Builds in the background: the answers to queries during a build, and the callback at its end. The tests have a
//! binary of their own: files in the folder of `HEKLA_DUMP` hold builds up, and the variable holds for a whole process.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::{c_void, CString};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::OnceLock;
use std::thread::{self, ThreadId};

const SQUARE: &str =
    "kernel void run(global int *data) { data[get_global_id(0)] *= data[get_global_id(0)]; }";

/// Returns the dump's folder.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("held");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::env::set_var("HEKLA_DUMP", &folder);
        folder
    })
}

/// Returns a setup; sets the environment before any other thread reads it.
fn setup() -> Setup {
    folder();
    Setup::new()
}

/// A text whose compilation does not begin before [`Held::go`].
struct Held {
    hold: PathBuf,
}

impl Held {
    fn new(text: &str, options: &str) -> Held {
        let key = [text.as_bytes(), &[0], options.as_bytes()].concat();
        let hash = hekla::core::cache::digest::hash(&key);
        let hold = folder().join(format!("program-{hash:016x}.hold"));
        std::fs::File::create_new(&hold).expect("each text is held once");
        Held { hold }
    }

    fn go(&self) {
        std::fs::remove_file(&self.hold).unwrap();
    }
}

fn source(s: &Setup, text: &str) -> cl_program {
    let text = CString::new(text).unwrap();
    let pointer = text.as_ptr();
    made(|e| unsafe { (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, null(), e) })
}

fn status(s: &Setup, program: cl_program) -> cl_int {
    let name = CL_PROGRAM_BUILD_STATUS;
    value(|z, p, r| unsafe { (s.cl.clGetProgramBuildInfo)(program, s.device, name, z, p, r) })
}

/// The callback's end of a channel: each call sends the program's handle and the thread of the call.
struct Told(Sender<(usize, ThreadId)>);

impl Told {
    /// Returns both ends. The sender is never dropped, since the receiver does not know when the callback has returned.
    fn channel() -> (&'static Told, Receiver<(usize, ThreadId)>) {
        let (sender, receiver) = channel();
        (Box::leak(Box::new(Told(sender))), receiver)
    }

    /// Returns this object as the `user_data` of [`tell`].
    fn data(&'static self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

unsafe extern "C" fn tell(program: cl_program, data: *mut c_void) {
    let told = unsafe { &*data.cast::<Told>() };
    told.0.send((program as usize, thread::current().id())).unwrap();
}

fn start(s: &Setup, program: cl_program, told: &'static Told) -> cl_int {
    let (devices, options) = (null(), null());
    unsafe { (s.cl.clBuildProgram)(program, 0, devices, options, Some(tell), told.data()) }
}

fn build(s: &Setup, program: cl_program) -> cl_int {
    unsafe { (s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()) }
}

fn run(s: &Setup, program: cl_program) {
    let kernel = s.kernel(program, "run");
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [7, 0, 0, 0, 9, 0, 0, 0]);
    s.set(kernel, 0, &data);
    check(s.launch(kernel, &[2], None));
    assert_eq!(s.read(data, 0, 8), [49, 0, 0, 0, 81, 0, 0, 0]);
    check(unsafe { (s.cl.clReleaseKernel)(kernel) });
}

#[test]
fn a_build_with_a_callback_returns_at_once() {
    let held = Held::new(SQUARE, "");
    let s = setup();
    let (told, calls) = Told::channel();
    let program = source(&s, SQUARE);
    check(start(&s, program, told));
    // The compiler has not even read the text yet.
    assert_eq!(status(&s, program), CL_BUILD_IN_PROGRESS);
    assert_eq!(build(&s, program), CL_INVALID_OPERATION);
    assert_eq!(start(&s, program, told), CL_INVALID_OPERATION);
    let options = null();
    let compile = s.cl.clCompileProgram;
    let code =
        unsafe { compile(program, 0, null(), options, 0, null(), null(), Some(tell), told.data()) };
    assert_eq!(code, CL_INVALID_OPERATION);
    let code = refused(|e| unsafe { (s.cl.clCreateKernel)(program, c"run".as_ptr(), e) });
    assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
    let code = refused(|e| unsafe {
        let data = null_mut();
        (s.cl.clLinkProgram)(s.context, 0, null(), null(), 1, &program, None, data, e)
    });
    assert_eq!(code, CL_INVALID_OPERATION);
    held.go();
    let (handle, thread) = calls.recv().unwrap();
    assert_eq!(handle, program as usize);
    assert_ne!(thread, thread::current().id());
    assert_eq!(status(&s, program), CL_BUILD_SUCCESS);
    run(&s, program);
    check(unsafe { (s.cl.clReleaseProgram)(program) });
    // The callback was called once for the build, and never for the builds that were refused.
    assert!(calls.try_recv().is_err());
}

#[test]
fn builds_do_not_wait_for_each_other() {
    let texts: Vec<String> = (0..2).map(|i| format!("{SQUARE} // held {i}")).collect();
    let held: Vec<Held> = texts.iter().map(|text| Held::new(text, "")).collect();
    let s = setup();
    let (told, calls) = Told::channel();
    let programs: Vec<cl_program> = texts.iter().map(|text| source(&s, text)).collect();
    for program in &programs {
        check(start(&s, *program, told));
    }
    let other = source(&s, &format!("{SQUARE} // free"));
    check(build(&s, other));
    run(&s, other);
    for (program, held) in programs.iter().zip(&held).rev() {
        held.go();
        assert_eq!(calls.recv().unwrap().0, *program as usize);
        run(&s, *program);
    }
}

#[test]
fn a_program_may_be_released_while_it_is_built() {
    let text = format!("{SQUARE} // released");
    let held = Held::new(&text, "");
    let s = setup();

    struct Seen(Setup, Sender<(cl_int, cl_int)>);
    unsafe extern "C" fn look(program: cl_program, data: *mut c_void) {
        let Seen(s, sender) = unsafe { &*data.cast::<Seen>() };
        // The handle is good until the callback returns.
        let kernel = s.kernel(program, "run");
        let code = unsafe { (s.cl.clReleaseKernel)(kernel) };
        sender.send((status(s, program), code)).unwrap();
    }

    let (sender, seen) = channel();
    let program = source(&s, &text);
    let data: &Seen = Box::leak(Box::new(Seen(s, sender)));
    let s = &data.0;
    let place = std::ptr::from_ref(data).cast_mut().cast();
    check(unsafe { (s.cl.clBuildProgram)(program, 0, null(), null(), Some(look), place) });
    check(unsafe { (s.cl.clReleaseProgram)(program) });
    held.go();
    assert_eq!(seen.recv().unwrap(), (CL_BUILD_SUCCESS, CL_SUCCESS));
}

#[test]
fn failures_are_told_by_status_and_log() {
    let s = setup();
    let (told, calls) = Told::channel();
    let program = source(&s, "kernel void run(global int *p) {\n  p[0] = undeclared;\n}");
    check(start(&s, program, told));
    calls.recv().unwrap();
    assert_eq!(status(&s, program), CL_BUILD_ERROR);
    let log = s.build_log(program);
    assert!(log.contains(":2:") && log.contains("undeclared"), "{log}");
    // An error of the call itself is the call's result: there is no callback.
    let bad = c"-cl-bogus".as_ptr();
    let code = unsafe { (s.cl.clBuildProgram)(program, 0, null(), bad, Some(tell), told.data()) };
    assert_eq!(code, CL_INVALID_BUILD_OPTIONS);
    check(unsafe { (s.cl.clReleaseProgram)(program) });
    assert!(calls.try_recv().is_err());
}

#[test]
fn compiling_and_linking_go_on_behind() {
    let text = format!("{SQUARE} // compiled");
    let held = Held::new(&text, "");
    let s = setup();
    let (told, calls) = Told::channel();
    let object = source(&s, &text);
    let (options, none) = (c"".as_ptr(), null());
    let compile = s.cl.clCompileProgram;
    check(unsafe { compile(object, 0, null(), options, 0, null(), none, Some(tell), told.data()) });
    assert_eq!(status(&s, object), CL_BUILD_IN_PROGRESS);
    held.go();
    assert_eq!(calls.recv().unwrap().0, object as usize);
    assert_eq!(status(&s, object), CL_BUILD_SUCCESS);

    let link = |text: &str| {
        let inputs = [object, source(&s, text)];
        let data = null_mut();
        check(unsafe { compile(inputs[1], 0, null(), options, 0, null(), null(), None, data) });
        let (count, inputs) = (2, inputs.as_ptr());
        let (notify, data) = (Some(tell as _), told.data());
        made(|e| unsafe {
            (s.cl.clLinkProgram)(s.context, 0, null(), options, count, inputs, notify, data, e)
        })
    };
    let program = link("int unused(int x) { return x; }");
    assert_eq!(calls.recv().unwrap().0, program as usize);
    assert_eq!(status(&s, program), CL_BUILD_SUCCESS);
    run(&s, program);
    let program = link(&format!("{SQUARE} // defined twice"));
    assert_eq!(calls.recv().unwrap().0, program as usize);
    assert_eq!(status(&s, program), CL_BUILD_ERROR);
    assert!(s.build_log(program).contains("run"), "{}", s.build_log(program));
}

#[test]
fn a_callback_may_build_and_wait() {
    // More builds than processors; the callback of each waits for another build.
    struct Chain(Setup, Sender<cl_int>);
    unsafe extern "C" fn next(_: cl_program, data: *mut c_void) {
        let Chain(s, sender) = unsafe { &*data.cast::<Chain>() };
        let (told, calls) = Told::channel();
        let program = source(s, SQUARE_AGAIN);
        let code = start(s, program, told);
        calls.recv().unwrap();
        run(s, program);
        sender.send(code).unwrap();
    }
    const SQUARE_AGAIN: &str =
        "kernel void run(global int *data) { int x = data[get_global_id(0)]; data[get_global_id(0)] = x * x; }";

    let (sender, codes) = channel();
    let data: &Chain = Box::leak(Box::new(Chain(setup(), sender)));
    let s = &data.0;
    let place = std::ptr::from_ref(data).cast_mut().cast();
    let count = 2 * thread::available_parallelism().map_or(2, usize::from) + 2;
    for _ in 0..count {
        let program = source(s, SQUARE_AGAIN);
        check(unsafe { (s.cl.clBuildProgram)(program, 0, null(), null(), Some(next), place) });
    }
    for _ in 0..count {
        check(codes.recv().unwrap());
    }
}
