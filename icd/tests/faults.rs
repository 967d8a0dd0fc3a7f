//! Faults around a program: a lost device, a lack of memory, fork, dlclose, exit at any moment. Each happens in a
//! process of its own, this binary again, which must come to its end.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::{c_void, CStr, CString};
use std::process::{Command, Stdio};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

const ROLE: &str = "HEKLA_TEST_ROLE";
/// The time after which a process counts as hanging.
const LIMIT: Duration = Duration::from_secs(120);
const SOURCE: &str = "
kernel void add(global uint *out, uint x) { out[get_global_id(0)] += x; }
kernel void spin(global uint *out, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; i++) x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x;
}";

/// Runs the test `role` of this binary in a process of its own, where it does not return at once. Returns the output.
fn process(role: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", role, "--nocapture", "--test-threads=1"]).env(ROLE, role);
    command.envs(variables.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            panic!("{role} hangs\n{}", String::from_utf8_lossy(&output.stderr));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{role}: {}\n{text}\n{said}", output.status);
    text
}

fn plays(role: &str) -> bool {
    std::env::var(ROLE).is_ok_and(|value| value == role)
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn maps(library: &str) -> bool {
    std::fs::read_to_string("/proc/self/maps").unwrap().contains(library)
}

#[test]
fn enumerating_platforms_costs_nothing() {
    process("role_enumerate", &[]);
}

#[test]
fn role_enumerate() {
    if !plays("role_enumerate") {
        return;
    }
    let before = threads();
    let (cl, mut platform, mut count) = (cl(), null_mut(), 0);
    unsafe {
        check((cl.clGetPlatformIDs)(1, &mut platform, &mut count));
        let name = text(|z, p, r| (cl.clGetPlatformInfo)(platform, CL_PLATFORM_NAME, z, p, r));
        assert_eq!(name, "Hekla");
    }
    assert!(maps("libhekla.so"));
    assert!(!maps("libvulkan"), "Vulkan is loaded");
    assert_eq!(threads(), before);
    // The first look at devices loads Vulkan.
    unsafe {
        let all = CL_DEVICE_TYPE_ALL;
        check((cl.clGetDeviceIDs)(platform, all, 0, null_mut(), &mut count));
    }
    assert!(maps("libvulkan"));
}

#[test]
fn without_opengl_nothing_of_it_is_loaded() {
    process("role_without_opengl", &[]);
}

/// Launches start no thread for OpenGL. Neither launches nor contexts that ask for OpenGL load a library of OpenGL.
#[test]
fn role_without_opengl() {
    if !plays("role_without_opengl") {
        return;
    }
    let s = Setup::new();
    assert!(s.offers("cl_khr_gl_sharing"));
    let kernel = s.kernel(s.program(SOURCE, ""), "add");
    s.set(kernel, 0, &s.buffer(0, 1024));
    s.set(kernel, 1, &1u32);
    check(s.launch(kernel, &[256], None));
    s.finish();
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    for task in tasks {
        let name = std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        assert!(
            !name.starts_with("hekla gl")
                && !name.starts_with("hekla-gl")
                && !name.starts_with("hekla egl"),
            "{name}"
        );
    }
    for display in [CL_EGL_DISPLAY_KHR, CL_GLX_DISPLAY_KHR] {
        let list = [CL_GL_CONTEXT_KHR as isize, 8, display as isize, 8, 0];
        let code = refused(|e| unsafe {
            (s.cl.clCreateContext)(list.as_ptr(), 1, &s.device, None, null_mut(), e)
        });
        assert_eq!(code, CL_INVALID_OPERATION);
    }
    for library in ["libEGL", "libGL.", "libGLX", "libGLES", "libOpenGL", "libGLdispatch"] {
        assert!(!maps(library), "{library} is loaded");
    }
}

unsafe extern "C" fn ended(_: cl_event, status: cl_int, data: *mut c_void) {
    let sender = unsafe { &*data.cast::<std::sync::mpsc::Sender<cl_int>>() };
    sender.send(status).unwrap();
}

#[test]
fn a_lost_device_is_told_and_the_program_ends() {
    // These numbers come after the submissions of the probe.
    let faults = [
        "hang:32",
        "hang:39",
        "silent:32",
        "silent:39",
        "submit:32",
        "submit:40",
        "call:200",
        "call:321",
    ];
    for fault in faults {
        for queue in ["in", "out"] {
            process("role_lose", &[("HEKLA_FAULT", fault), ("HEKLA_TEST_ORDER", queue)]);
        }
    }
}

#[test]
fn the_log_tells_what_ran_when_a_device_was_lost() {
    let file = std::env::temp_dir().join(format!("hekla-loss-{}", std::process::id()));
    let log = ("HEKLA_LOG_FILE", file.to_str().unwrap());
    process(
        "role_lose",
        &[log, ("HEKLA_LOG", "error"), ("HEKLA_FAULT", "hang:39"), ("HEKLA_TEST_ORDER", "in")],
    );
    let told = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let is_head = |line: &str| line.contains(": this was not complete when it was lost. Queues: ");
    assert_eq!(told.lines().filter(|line| is_head(line)).count(), 1, "{told}");
    let mut queues = told.lines().skip_while(|line| !is_head(line));
    assert!(queues.any(|line| line.ends_with("; runs add in 1 x 1 x 1 work-groups")), "{told}");
}

#[test]
fn the_log_tells_what_a_device_that_stalls_was_given() {
    let file = std::env::temp_dir().join(format!("hekla-stall-{}", std::process::id()));
    let log = ("HEKLA_LOG_FILE", file.to_str().unwrap());
    process("role_stall", &[("HEKLA_LOG", "warn"), log, ("HEKLA_STALL", "1")]);
    let told = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let mut lines =
        told.lines().skip_while(|line| !line.contains(": a thread has waited for 1 s. Queues: "));
    assert!(lines.next().is_some(), "{told}");
    let queues: Vec<&str> = lines.collect();
    let is_queue = |line: &&str| line.starts_with("queue of Vulkan queue ");
    assert!(queues.iter().any(is_queue), "{told}");
    let spins = |line: &&str| line.ends_with("; runs spin in 1 x 1 x 1 work-groups");
    assert!(queues.iter().any(spins), "{told}");
    let is_behind = |line: &&str| line.contains("; waits for") || line.contains("; comes behind");
    let adds = |line: &&str| line.ends_with("; runs add in 1 x 1 x 1 work-groups");
    assert!(queues.iter().any(|line| adds(line) && is_behind(line)), "{told}");
}

#[test]
fn role_stall() {
    if !plays("role_stall") {
        return;
    }
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let kernels = ["spin", "add"].map(|name| s.kernel(program, name));
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 256]);
    for kernel in kernels {
        s.set(kernel, 0, &data);
        s.set(kernel, 1, &1u32);
    }
    // The log reports a wait that has lasted for a second.
    let mut rounds = 1u32 << 24;
    let start = Instant::now();
    let queues = [(); 2]
        .map(|()| made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, 0, e) }));
    let run = |rounds: u32| {
        s.set(kernels[0], 1, &rounds);
        let (mut spins, global) = (null_mut(), 1);
        let start = Instant::now();
        unsafe {
            let (enqueue, none) = (s.cl.clEnqueueNDRangeKernel, null());
            check(enqueue(queues[0], kernels[0], 1, none, &global, none, 0, null(), &mut spins));
            check(enqueue(queues[1], kernels[1], 1, none, &global, none, 1, &spins, null_mut()));
            check((s.cl.clFinish)(queues[1]));
        }
        start.elapsed()
    };
    while run(rounds) < Duration::from_millis(2500) {
        assert!(start.elapsed() < LIMIT / 2, "the kernel never takes long");
        rounds = rounds.saturating_mul(2);
    }
}

/// Adds numbers by a kernel.
fn computes(s: &Setup) {
    let built = s.program(SOURCE, "");
    let kernel = s.kernel(built, "add");
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut pattern(256, 1));
    s.set(kernel, 0, &data);
    s.set(kernel, 1, &0x0101_0101_u32);
    check(s.launch(kernel, &[64], None));
    let expected: Vec<u8> = pattern(256, 1)
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()).wrapping_add(0x0101_0101))
        .flat_map(u32::to_le_bytes)
        .collect();
    assert_eq!(s.read(data, 0, 256), expected);
    unsafe {
        check((s.cl.clReleaseMemObject)(data));
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseProgram)(built));
    }
}

#[test]
fn role_lose() {
    if !plays("role_lose") {
        return;
    }
    let s = Setup::new();
    let out_of_order = std::env::var("HEKLA_TEST_ORDER").unwrap() == "out";
    let order = if out_of_order { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } else { 0 };
    let queue = made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, order, e) });
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "add");
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 256]);
    s.set(kernel, 0, &data);
    s.set(kernel, 1, &1u32);
    let mut complete = 0;
    let lost = loop {
        assert!(complete < 1000, "the device is never lost");
        let (mut event, global) = (null_mut(), 64);
        let code = unsafe {
            let none = null();
            let enqueue = s.cl.clEnqueueNDRangeKernel;
            enqueue(queue, kernel, 1, none, &global, none, 0, null(), &mut event)
        };
        if code != CL_SUCCESS {
            assert_eq!(code, CL_OUT_OF_RESOURCES);
            break None;
        }
        let (sender, statuses) = std::sync::mpsc::channel::<cl_int>();
        let sender = std::ptr::from_ref(Box::leak(Box::new(sender))).cast_mut().cast();
        check(unsafe {
            (s.cl.clSetEventCallback)(event, CL_COMPLETE as cl_int, Some(ended), sender)
        });
        let code = unsafe { (s.cl.clWaitForEvents)(1, &event) };
        // The callback is called in any case, with the event's status.
        assert_eq!(statuses.recv().unwrap(), s.status(event));
        if code != CL_SUCCESS {
            assert_eq!(s.status(event), CL_OUT_OF_RESOURCES);
            break Some((code, event));
        }
        assert_eq!(s.status(event), CL_COMPLETE as cl_int);
        check(unsafe { (s.cl.clReleaseEvent)(event) });
        complete += 1;
    };
    assert!(complete > 0, "nothing was complete before");
    if let Some((code, event)) = lost {
        assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        // A dependent command fails too.
        let mut marker = null_mut();
        let mark = s.cl.clEnqueueMarkerWithWaitList;
        let code = unsafe { mark(s.queue, 1, &event, &mut marker) };
        assert!(code == CL_OUT_OF_RESOURCES || s.status(marker) < 0, "{code}");
    }
    // A new context computes.
    let available: cl_bool =
        value(|n, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_AVAILABLE, n, p, r) });
    assert_eq!(available, CL_TRUE);
    let anew = Setup::new();
    assert_eq!(anew.device, s.device);
    computes(&anew);
    // In the old context every call that computes fails from now on; objects can still be released.
    let launch = s.launch(kernel, &[64], None);
    let finished = unsafe { (s.cl.clFinish)(queue) };
    assert!(launch == CL_OUT_OF_RESOURCES || finished == CL_OUT_OF_RESOURCES);
    let mut bytes = [0u8; 256];
    let place = bytes.as_mut_ptr().cast();
    let read = s.cl.clEnqueueReadBuffer;
    let code = unsafe { read(s.queue, data, CL_TRUE, 0, 256, place, 0, null(), null_mut()) };
    assert_eq!(code, CL_OUT_OF_RESOURCES);
    unsafe {
        check((s.cl.clReleaseMemObject)(data));
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseProgram)(program));
        check((s.cl.clReleaseCommandQueue)(queue));
        check((s.cl.clReleaseCommandQueue)(s.queue));
        check((s.cl.clReleaseContext)(s.context));
    }
}

#[test]
fn memory_that_runs_out_is_an_error() {
    process("role_exhaust", &[]);
}

#[test]
fn role_exhaust() {
    if !plays("role_exhaust") {
        return;
    }
    let s = Setup::new();
    let information = s.cl.clGetDeviceInfo;
    let memory: u64 =
        value(|n, p, r| unsafe { information(s.device, CL_DEVICE_GLOBAL_MEM_SIZE, n, p, r) });
    let software =
        s.device_type() & CL_DEVICE_TYPE_CPU != 0 || std::env::var("HEKLA_DEVICE_TYPE").is_ok();
    let size = if software { 64 << 20 } else { memory as usize / 5 };
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "add");
    let first = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut pattern(4096, 1));
    s.read(first, 0, 16);
    // On a software device, the process's own memory is the device's.
    if software {
        leave(700 << 20);
    }
    for round in 0..3 {
        let mut buffers = Vec::new();
        let code = loop {
            assert!(buffers.len() < 100, "memory never runs out");
            let mut code = 1;
            let (none, flags) = (null_mut(), CL_MEM_READ_WRITE);
            let buffer = unsafe { (s.cl.clCreateBuffer)(s.context, flags, size, none, &mut code) };
            if buffer.is_null() {
                break code;
            }
            buffers.push(buffer);
            // Where memory is allocated at the first use, the first use fails.
            s.set(kernel, 0, &buffer);
            s.set(kernel, 1, &7u32);
            code = s.launch(kernel, &[1024], None);
            if code != CL_SUCCESS {
                break code;
            }
            s.finish();
        };
        let allowed =
            [CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY];
        assert!(allowed.contains(&code), "round {round}: {code}");
        assert!(buffers.len() > 1, "round {round}");
        // Earlier buffers are unharmed, and released memory can be allocated again.
        assert_eq!(s.read(first, 0, 4096), pattern(4096, 1));
        for buffer in buffers {
            check(unsafe { (s.cl.clReleaseMemObject)(buffer) });
        }
    }
}

/// Returns the bytes of address space that this process uses.
fn address_space() -> u64 {
    let used = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = used.split(' ').next().unwrap().parse().unwrap();
    pages * 4096
}

/// Leaves this process `bytes` bytes of address space to allocate.
fn leave(bytes: u64) {
    let rlim_cur = bytes.checked_add(address_space()).unwrap_or(libc::RLIM_INFINITY);
    let limit = libc::rlimit { rlim_cur, rlim_max: libc::RLIM_INFINITY };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

/// A build without enough memory does not return CL_BUILD_PROGRAM_FAILURE, which would mean that the program is wrong.
#[test]
fn a_system_without_threads_is_no_fault_of_the_program() {
    process("role_no_thread", &[]);
}

#[test]
fn role_no_thread() {
    if !plays("role_no_thread") {
        return;
    }
    let s = Setup::new();
    let pointer = SOURCE.as_ptr().cast();
    let program = made(|e| unsafe {
        (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, &SOURCE.len(), e)
    });
    let build = s.cl.clBuildProgram;
    let build = || unsafe { build(program, 0, null(), null(), None, null_mut()) };
    // Fewer bytes than the stack of the thread that compiles.
    leave(100 << 20);
    assert_eq!(build(), CL_OUT_OF_RESOURCES);
    leave(u64::MAX);
    check(build());
}

/// Memory of a size that the application chooses is allocated in a way that may fail.
#[test]
fn sizes_that_memory_does_not_suffice_for_are_errors() {
    process("role_no_room", &[]);
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

#[test]
fn role_no_room() {
    if !plays("role_no_room") {
        return;
    }
    let s = Setup::new();
    let text = "// Nothing at all.\n".repeat(1 << 20);
    let pointers = [text.as_ptr().cast(); 200];
    let lengths = [text.len(); 200];
    let options = CString::new("-DA=1 ".repeat(200 << 20)).unwrap();
    let statements: String = (0..3_000_000).map(|i| format!("p[{i}] += n;\n")).collect();
    let many = format!("kernel void k(global int *p, int n) {{\n{statements}}}");
    let program = |text: &str| {
        let (pointer, length) = (text.as_ptr().cast(), text.len());
        made(|e| unsafe { (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, &length, e) })
    };
    let (small, large) = (program(SOURCE), program(&many));
    let zeros = unsafe {
        let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        libc::mmap(null_mut(), 3 << 30, access, kind | libc::MAP_NORESERVE, -1, 0)
    };
    leave(700 << 20);
    let mut code = CL_SUCCESS;
    let none = unsafe {
        let create = s.cl.clCreateProgramWithSource;
        create(s.context, 200, pointers.as_ptr(), lengths.as_ptr(), &mut code)
    };
    assert!(none.is_null());
    assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
    let build = s.cl.clBuildProgram;
    let code = unsafe { build(small, 0, null(), options.as_ptr(), None, null_mut()) };
    assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
    let code = unsafe { build(large, 0, null(), null(), None, null_mut()) };
    assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
    let native = s.cl.clEnqueueNativeKernel;
    let code = unsafe {
        let none = (null(), null(), null(), null_mut());
        native(s.queue, Some(nothing), zeros, 3 << 30, 0, none.0, none.1, 0, none.2, none.3)
    };
    // A device whose memory the host does not see has no such commands.
    assert!([CL_OUT_OF_HOST_MEMORY, CL_INVALID_OPERATION].contains(&code), "{code}");
    // Programs for which there is memory still build.
    check(unsafe { build(small, 0, null(), null(), None, null_mut()) });
}

#[test]
fn forked_processes_get_errors_and_parents_notice_nothing() {
    process("role_fork", &[]);
}

#[test]
fn role_fork() {
    if !plays("role_fork") {
        return;
    }
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "add");
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 256]);
    s.set(kernel, 0, &data);
    s.set(kernel, 1, &3u32);
    for _ in 0..5 {
        // Commands are under way, and other threads hold locks at any time.
        check(s.launch(kernel, &[64], None));
        check(s.launch(kernel, &[64], None));
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut code = 0;
            let made = unsafe { (s.cl.clCreateUserEvent)(s.context, &mut code) };
            let mut bytes = [0u8; 4];
            let place = bytes.as_mut_ptr().cast();
            let read = s.cl.clEnqueueReadBuffer;
            let (none, no_event) = (null(), null_mut());
            let codes = unsafe {
                [
                    code,
                    s.launch(kernel, &[64], None),
                    (s.cl.clFinish)(s.queue),
                    read(s.queue, data, CL_TRUE, 0, 4, place, 0, none, no_event),
                    (s.cl.clReleaseCommandQueue)(s.queue),
                    (s.cl.clReleaseContext)(s.context),
                ]
            };
            let right = made.is_null() && codes.iter().all(|code| *code == CL_OUT_OF_RESOURCES);
            // This runs the handlers registered with atexit.
            unsafe { libc::exit(if right { 42 } else { 1 }) };
        }
        s.finish();
        let mut status = 0;
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status), "{status}");
        assert_eq!(libc::WEXITSTATUS(status), 42);
    }
    let result = s.read(data, 0, 256);
    assert!(result.chunks(4).all(|word| word == [30, 0, 0, 0]), "{result:?}");
}

#[test]
fn a_process_forked_off_before_devices_are_looked_at_may_use_them() {
    process("role_fork_early", &[]);
}

#[test]
fn role_fork_early() {
    if !plays("role_fork_early") {
        return;
    }
    let (cl, mut platform) = (cl(), null_mut());
    check(unsafe { (cl.clGetPlatformIDs)(1, &mut platform, null_mut()) });
    let child = unsafe { libc::fork() };
    let s = Setup::new();
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [5; 64]);
    assert_eq!(s.read(data, 0, 64), [5; 64]);
    if child == 0 {
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
}

#[test]
fn the_library_may_be_closed_and_loaded_again() {
    process("role_reload", &[]);
}

#[test]
fn role_reload() {
    if !plays("role_reload") {
        return;
    }
    let path = CString::new(library_path().to_str().unwrap()).unwrap();
    for round in 0..3 {
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!library.is_null());
        use_directly(library, round);
        assert_eq!(unsafe { libc::dlclose(library) }, 0);
        // The library stays loaded, since its threads still run.
        assert!(maps("libhekla.so"));
    }
}

/// Looks an entry point of the library itself up.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> F {
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!address.is_null(), "{name:?}");
    assert_eq!(size_of::<F>(), size_of_val(&address));
    unsafe { std::mem::transmute_copy(&address) }
}

/// Calls the library's own functions. In the first rounds it leaves an event with a callback behind, which starts a thread.
fn use_directly(library: *mut c_void, round: u32) {
    let all = CL_DEVICE_TYPE_ALL;
    unsafe {
        type FromType = unsafe extern "C" fn(
            *const isize,
            u64,
            ContextNotify,
            *mut c_void,
            *mut cl_int,
        ) -> cl_context;
        let create: FromType = function(library, c"clCreateContextFromType");
        let user: unsafe extern "C" fn(cl_context, *mut cl_int) -> cl_event =
            function(library, c"clCreateUserEvent");
        let notify: unsafe extern "C" fn(cl_event, cl_int, EventNotify, *mut c_void) -> cl_int =
            function(library, c"clSetEventCallback");
        let set: unsafe extern "C" fn(cl_event, cl_int) -> cl_int =
            function(library, c"clSetUserEventStatus");
        let release: unsafe extern "C" fn(cl_context) -> cl_int =
            function(library, c"clReleaseContext");
        let context = made(|e| create(null(), all, None, null_mut(), e));
        let event = made(|e| user(context, e));
        let (sender, statuses) = std::sync::mpsc::channel::<cl_int>();
        let sender = std::ptr::from_ref(Box::leak(Box::new(sender))).cast_mut().cast();
        check(notify(event, CL_COMPLETE as cl_int, Some(ended), sender));
        check(set(event, CL_COMPLETE as cl_int));
        assert_eq!(statuses.recv().unwrap(), CL_COMPLETE as cl_int);
        if round == 2 {
            check(release(context));
        }
    }
}

#[test]
fn a_process_may_exit_in_the_middle() {
    for round in 0..4 {
        let text = process("role_exit", &[("HEKLA_TEST_ROUND", &round.to_string())]);
        assert!(text.contains("complete: 7"), "{text}");
    }
}

#[test]
fn role_exit() {
    if !plays("role_exit") {
        return;
    }
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (add, spin) = (s.kernel(program, "add"), s.kernel(program, "spin"));
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 256]);
    s.set(add, 0, &data);
    s.set(add, 1, &7u32);
    check(s.launch(add, &[64], None));
    // The result of a command that is reported complete is in memory.
    let first = s.read(data, 0, 4);
    println!("complete: {}", first[0]);
    let long = s.buffer(0, 4 << 16);
    s.set(spin, 0, &long);
    s.set(spin, 1, &2_000u32);
    for _ in 0..3 {
        check(s.launch(spin, &[1 << 16], None));
    }
    let mut event = null_mut();
    let bytes = Box::leak(vec![0u8; 4 << 16].into_boxed_slice());
    unsafe {
        let place = bytes.as_mut_ptr().cast();
        let read = s.cl.clEnqueueReadBuffer;
        check(read(s.queue, long, CL_FALSE, 0, 4 << 16, place, 0, null(), &mut event));
        if std::env::var("HEKLA_TEST_ROUND").unwrap() != "0" {
            check((s.cl.clFlush)(s.queue));
        }
        if std::env::var("HEKLA_TEST_ROUND").unwrap() == "2" {
            // A thread of the library waits for the event, and another one builds.
            let (sender, statuses) = std::sync::mpsc::channel::<cl_int>();
            let sender = std::ptr::from_ref(Box::leak(Box::new(sender))).cast_mut().cast();
            std::mem::forget(statuses);
            check((s.cl.clSetEventCallback)(event, CL_COMPLETE as cl_int, Some(ended), sender));
            let body: String =
                (0..2000).map(|i| format!("x = x * {i} + (x >> {});", i % 31)).collect();
            let source = format!("kernel void k(global uint *p) {{ uint x = *p; {body} *p = x; }}");
            let (pointer, length) = (source.as_ptr().cast(), source.len());
            let program =
                made(|e| (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, &length, e));
            unsafe extern "C" fn built(_: cl_program, _: *mut c_void) {}
            check((s.cl.clBuildProgram)(program, 0, null(), null(), Some(built), null_mut()));
        }
        // A command that waits for ever.
        let user = s.user_event();
        check((s.cl.clEnqueueMarkerWithWaitList)(s.queue, 1, &user, null_mut()));
        libc::exit(0);
    }
}
