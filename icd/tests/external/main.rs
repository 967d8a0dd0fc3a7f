//! Memory and semaphores shared with another Vulkan device by file descriptor (cl_khr_external_memory and
//! cl_khr_external_semaphore with opaque_fd; cl_arm_import_memory). Tests of functions that the driver does not offer
//! are skipped, with a message.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod arm;
#[path = "../common/mod.rs"]
mod common;
mod images;
#[path = "../common/vulkan.rs"]
mod vulkan;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use vulkan::{Shared, Sync, Vulkan};

const SIZE: usize = 1 << 20;
const MEMORY_FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;
const SEMAPHORE_FD: u64 = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;
const BINARY: [u64; 2] = [CL_SEMAPHORE_TYPE_KHR as u64, CL_SEMAPHORE_TYPE_BINARY_KHR as u64];

type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Create = unsafe extern "C" fn(cl_context, *const u64, *mut cl_int) -> cl_semaphore_khr;
type Operate = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_semaphore_khr,
    *const u64,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Export = unsafe extern "C" fn(
    cl_semaphore_khr,
    cl_device_id,
    cl_uint,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;

/// OpenCL's device, and another of the same GPU; `None`, with a message, where one lacks an extension.
fn both(extension: &str) -> Option<(Setup, Vulkan)> {
    let s = Setup::new();
    if !s.offers(extension) {
        skip(format!("{extension} is not offered"));
        return None;
    }
    let name = CL_DEVICE_UUID;
    let uuid: [u8; 16] =
        value(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, name, z, p, r) });
    let vulkan = Vulkan::new(uuid)?;
    Some((s, vulkan))
}

/// Returns both devices, if both have semaphores.
fn both_with_semaphores() -> Option<(Setup, Vulkan)> {
    both("cl_khr_external_semaphore_opaque_fd").filter(|(s, v)| {
        let memory = s.offers("cl_khr_external_memory_opaque_fd");
        let all = memory && v.has_semaphores();
        if !all {
            skip("not both memory and semaphores are shared");
        }
        all
    })
}

fn create(s: &Setup, list: &[u64], flags: u64, size: usize, host: *mut c_void) -> (cl_mem, cl_int) {
    let (mut code, create) = (1, s.cl.clCreateBufferWithProperties);
    (unsafe { create(s.context, list.as_ptr(), flags, size, host, &mut code) }, code)
}

fn import(s: &Setup, shared: &Shared) -> cl_mem {
    let (mem, code) =
        create(s, &[MEMORY_FD, shared.fd as u64, 0], 0, shared.size as usize, null_mut());
    check(code);
    mem
}

fn hand_over(s: &Setup, acquire: bool, mem: cl_mem) -> cl_event {
    let function: HandOver = s.extension(match acquire {
        true => c"clEnqueueAcquireExternalMemObjectsKHR",
        false => c"clEnqueueReleaseExternalMemObjectsKHR",
    });
    let mut event = null_mut();
    check(unsafe { function(s.queue, 1, &mem, 0, null(), &mut event) });
    event
}

/// A kernel that adds 1 to each byte.
fn add(s: &Setup, mem: cl_mem) {
    let program = s.program("kernel void add(global uchar *p) { p[get_global_id(0)] += 1; }", "");
    let kernel = s.kernel(program, "add");
    s.set(kernel, 0, &mem);
    check(s.launch(kernel, &[SIZE], None));
}

fn plus_one(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte.wrapping_add(1)).collect()
}

fn is_open(fd: i32) -> bool {
    unsafe { libc::fcntl(fd, libc::F_GETFD) >= 0 }
}

/// Returns the file that an open descriptor refers to, since another thread may get the number of a descriptor that was
/// closed.
fn file_of(fd: i32) -> Option<(u64, u64)> {
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    (unsafe { libc::fstat(fd, &mut status) } == 0).then_some((status.st_dev, status.st_ino))
}

#[test]
fn queries_list_the_handles() {
    let s = Setup::new();
    let device = |name| bytes(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, name, z, p, r) });
    let platform =
        |name| bytes(|z, p, r| unsafe { (s.cl.clGetPlatformInfo)(s.platform, name, z, p, r) });
    let holds = |list: &[u8], handle: u32| list.chunks(4).any(|item| item == handle.to_ne_bytes());
    let memory = device(CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR);
    for (name, handle) in [
        ("cl_khr_external_memory_opaque_fd", CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR),
        ("cl_khr_external_memory_dma_buf", CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR),
    ] {
        assert_eq!(holds(&memory, handle), s.offers(name), "{name}");
    }
    assert_eq!(s.offers("cl_khr_external_memory"), !memory.is_empty());
    let semaphores = [
        device(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR),
        device(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR),
    ];
    for (name, handle) in [
        ("cl_khr_external_semaphore_opaque_fd", CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR),
        ("cl_khr_external_semaphore_sync_fd", CL_SEMAPHORE_HANDLE_SYNC_FD_KHR),
    ] {
        let listed = semaphores.iter().any(|list| holds(list, handle));
        assert_eq!(listed, s.offers(name), "{name}");
    }
    // There is one device, so the platform's answer is the device's.
    assert_eq!(platform(CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR), memory);
    assert_eq!(platform(CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR), semaphores[0]);
    assert_eq!(platform(CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR), semaphores[1]);
    let linear = CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR;
    // The images have a pitch, since their memory is in rows.
    assert_eq!(device(linear), memory);
}

#[test]
fn memory_is_shared_both_ways() {
    let Some((s, vulkan)) = both("cl_khr_external_memory_opaque_fd") else { return };
    let shared = vulkan.share(SIZE as u64);
    let contents = pattern(SIZE, 1);
    vulkan.write(&shared, &contents, Sync::default());
    let mem = import(&s, &shared);
    let event = hand_over(&s, true, mem);
    let name = CL_EVENT_COMMAND_TYPE;
    let kind: u32 = value(|z, p, r| unsafe { (s.cl.clGetEventInfo)(event, name, z, p, r) });
    assert_eq!(kind, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    assert!(s.read(mem, 0, SIZE) == contents);
    add(&s, mem);
    s.write(mem, true, 8, &[77; 8]);
    hand_over(&s, false, mem);
    s.finish();
    let mut expected = plus_one(&contents);
    expected[8..16].fill(77);
    assert!(vulkan.read(&shared, None) == expected);

    // The same once more.
    vulkan.write(&shared, &contents, Sync::default());
    hand_over(&s, true, mem);
    add(&s, mem);
    add(&s, mem);
    assert!(s.read(mem, 0, SIZE) == plus_one(&plus_one(&contents)));
    hand_over(&s, false, mem);
    s.finish();
    assert!(vulkan.read(&shared, None) == plus_one(&plus_one(&contents)));
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

#[test]
fn imported_memory_outlives_its_maker() {
    let Some((s, vulkan)) = both("cl_khr_external_memory_opaque_fd") else { return };
    let shared = vulkan.share(SIZE as u64);
    let contents = pattern(SIZE, 2);
    vulkan.write(&shared, &contents, Sync::default());
    let mem = import(&s, &shared);
    drop(vulkan);
    hand_over(&s, true, mem);
    assert!(s.read(mem, 0, SIZE) == contents);
    // Sub-buffers, mappings and copies work as with any buffer.
    let region = cl_buffer_region { origin: 4096, size: 4096 };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = made(|e| unsafe { (s.cl.clCreateSubBuffer)(mem, 0, kind, region, e) });
    assert!(s.read(part, 0, 4096) == contents[4096..8192]);
    let map = s.cl.clEnqueueMapBuffer;
    let pointer = made(|e| unsafe {
        map(s.queue, mem, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, null(), null_mut(), e)
    });
    let seen = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), SIZE) };
    assert!(seen == contents);
    let unmap = s.cl.clEnqueueUnmapMemObject;
    check(unsafe { unmap(s.queue, mem, pointer, 0, null(), null_mut()) });
    s.finish();
}

/// An import that succeeds takes the descriptor; one that fails leaves it to the application.
#[test]
fn descriptors_have_one_owner() {
    let Some((s, vulkan)) = both("cl_khr_external_memory_opaque_fd") else { return };
    let mut shared = vulkan.share(SIZE as u64);
    // A number that no other test of the process will get.
    let high = unsafe { libc::fcntl(shared.fd, libc::F_DUPFD, 700) };
    unsafe { libc::close(shared.fd) };
    shared.fd = high;
    let list = [MEMORY_FD, high as u64, 0];
    assert_eq!(create(&s, &list, 0, 0, null_mut()).1, CL_INVALID_BUFFER_SIZE);
    assert!(is_open(high));
    import(&s, &shared);
    assert!(!is_open(high));
    assert_eq!(create(&s, &list, 0, SIZE, null_mut()), (null_mut(), CL_INVALID_VALUE));
}

#[test]
fn errors_of_memory_are_told() {
    let Some((s, vulkan)) = both("cl_khr_external_memory_opaque_fd") else { return };
    let shared = vulkan.share(SIZE as u64);
    let fd = shared.fd as u64;
    let devices = u64::from(CL_MEM_DEVICE_HANDLE_LIST_KHR);
    let own = s.device as u64;
    let code = |list: &[u64]| create(&s, list, 0, SIZE, null_mut()).1;
    assert_eq!(code(&[MEMORY_FD, fd, MEMORY_FD, fd, 0]), CL_INVALID_PROPERTY);
    let other = u64::from(CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    assert_eq!(code(&[MEMORY_FD, fd, other, fd, 0]), CL_INVALID_PROPERTY);
    assert_eq!(code(&[devices, own, 0, 0]), CL_INVALID_PROPERTY);
    assert_eq!(code(&[MEMORY_FD, fd, devices, 0, 0]), CL_INVALID_DEVICE);
    assert_eq!(code(&[MEMORY_FD, fd, devices, s.context as u64, 0, 0]), CL_INVALID_DEVICE);
    assert_eq!(code(&[MEMORY_FD, -1i64 as u64, 0]), CL_INVALID_VALUE);
    if !s.offers("cl_khr_external_memory_dma_buf") {
        assert_eq!(code(&[other, fd, 0]), CL_INVALID_DEVICE);
    }
    let list = [MEMORY_FD, fd, 0];
    let mut host = [0u8; 64];
    let host = host.as_mut_ptr().cast();
    for flags in [CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR] {
        assert_eq!(create(&s, &list, flags, 64, host).1, CL_INVALID_VALUE);
    }
    assert_eq!(create(&s, &list, CL_MEM_ALLOC_HOST_PTR, 64, null_mut()).1, CL_INVALID_VALUE);
    assert_eq!(create(&s, &list, 0, 64, host).1, CL_INVALID_HOST_PTR);
    // Descriptors of anything but memory are refused.
    let mut pipe = [0; 2];
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let (mem, refused) = create(&s, &[MEMORY_FD, pipe[0] as u64, 0], 0, SIZE, null_mut());
    assert!(mem.is_null() && refused < 0, "{refused}");
    assert!(is_open(pipe[0]));

    let acquire: HandOver = s.extension(c"clEnqueueAcquireExternalMemObjectsKHR");
    let plain = s.buffer(0, 64);
    let mem = {
        let (mem, code) = create(&s, &[MEMORY_FD, fd, devices, own, 0, 0], 0, SIZE, null_mut());
        check(code);
        mem
    };
    unsafe {
        let none = null_mut();
        let call = |queue, count, list, n, events| acquire(queue, count, list, n, events, none);
        check(call(s.queue, 0, null(), 0, null()));
        assert_eq!(call(s.queue, 0, &mem, 0, null()), CL_INVALID_VALUE);
        assert_eq!(call(s.queue, 1, null(), 0, null()), CL_INVALID_VALUE);
        assert_eq!(call(s.queue, 1, &plain, 0, null()), CL_INVALID_MEM_OBJECT);
        assert_eq!(call(s.queue, 1, &null_mut(), 0, null()), CL_INVALID_MEM_OBJECT);
        assert_eq!(call(null_mut(), 1, &mem, 0, null()), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(call(s.queue, 1, &mem, 1, null()), CL_INVALID_EVENT_WAIT_LIST);
    }
}

/// The extension's functions on semaphores.
struct Functions {
    create: Create,
    wait: Operate,
    signal: Operate,
    export: Export,
}

impl Functions {
    fn of(s: &Setup) -> Functions {
        Functions {
            create: s.extension(c"clCreateSemaphoreWithPropertiesKHR"),
            wait: s.extension(c"clEnqueueWaitSemaphoresKHR"),
            signal: s.extension(c"clEnqueueSignalSemaphoresKHR"),
            export: s.extension(c"clGetSemaphoreHandleForTypeKHR"),
        }
    }

    fn make(&self, s: &Setup, list: &[u64]) -> (cl_semaphore_khr, cl_int) {
        let (mut code, list) = (1, [&BINARY, list, &[0]].concat());
        (unsafe { (self.create)(s.context, list.as_ptr(), &mut code) }, code)
    }

    fn exportable(&self, s: &Setup) -> cl_semaphore_khr {
        let (semaphore, code) = self.make(s, &[EXPORTS, SEMAPHORE_FD, 0]);
        check(code);
        semaphore
    }

    fn handle(&self, s: &Setup, semaphore: cl_semaphore_khr) -> i32 {
        let (mut fd, mut size, kind) = (-1i32, 0, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
        let place = (&raw mut fd).cast();
        check(unsafe { (self.export)(semaphore, s.device, kind, 4, place, &mut size) });
        assert!(fd >= 0 && size == 4);
        fd
    }

    fn payload(&self, s: &Setup, semaphore: cl_semaphore_khr) -> u64 {
        type Query =
            unsafe extern "C" fn(cl_semaphore_khr, u32, usize, *mut c_void, *mut usize) -> cl_int;
        let query: Query = s.extension(c"clGetSemaphoreInfoKHR");
        value(|z, p, r| unsafe { query(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, z, p, r) })
    }

    fn operate(&self, operate: Operate, queue: cl_command_queue, semaphore: cl_semaphore_khr) {
        check(unsafe { operate(queue, 1, &semaphore, null(), 0, null(), null_mut()) });
    }
}

/// Nothing waits on the host: the other device writes and signals, OpenCL waits, computes and signals, the
/// other device waits and reads.
#[test]
fn devices_take_turns_by_semaphores() {
    let Some((s, vulkan)) = both_with_semaphores() else { return };
    let f = Functions::of(&s);
    let shared = vulkan.share(SIZE as u64);
    let mem = import(&s, &shared);
    let written = vulkan.semaphore();
    let (wait, code) = f.make(&s, &[SEMAPHORE_FD, vulkan.export(written) as u64]);
    check(code);
    let signal = f.exportable(&s);
    let computed = vulkan.import(f.handle(&s, signal));
    for round in 0..5 {
        let contents = pattern(SIZE, round);
        vulkan.write(&shared, &contents, Sync { wait: None, signal: Some(written) });
        f.operate(f.wait, s.queue, wait);
        hand_over(&s, true, mem);
        add(&s, mem);
        hand_over(&s, false, mem);
        f.operate(f.signal, s.queue, signal);
        assert!(vulkan.read(&shared, Some(computed)) == plus_one(&contents), "round {round}");
    }
    s.finish();
}

/// A semaphore that was exported and imported again is one semaphore.
#[test]
fn imports_share_the_semaphore() {
    let Some((s, _)) = both_with_semaphores() else { return };
    let f = Functions::of(&s);
    let signal = f.exportable(&s);
    let (wait, code) = f.make(&s, &[SEMAPHORE_FD, f.handle(&s, signal) as u64]);
    check(code);
    let (a, b) = (s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [1; 64]), s.buffer(0, 64));
    let other = s.second_queue();
    let (fill, copy, byte) = (s.cl.clEnqueueFillBuffer, s.cl.clEnqueueCopyBuffer, 5u8);
    unsafe {
        let value = (&raw const byte).cast();
        check(fill(s.queue, a, value, 1, 0, 64, 0, null(), null_mut()));
        f.operate(f.signal, s.queue, signal);
        f.operate(f.wait, other, wait);
        check(copy(other, a, b, 0, 0, 64, 0, null(), null_mut()));
        check((s.cl.clFinish)(other));
    }
    assert_eq!(s.read(b, 0, 64), [5; 64]);
    // In the queue that signals, the semaphore can be waited for as well.
    f.operate(f.signal, s.queue, signal);
    f.operate(f.wait, s.queue, signal);
    s.finish();
}

#[test]
fn errors_of_semaphores_are_told() {
    let s = Setup::new();
    let f = Functions::of(&s);
    let mut pipe = [0; 2];
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    let fd = pipe[0] as u64;
    let code = |list: &[u64]| f.make(&s, list).1;
    let two = [EXPORTS, SEMAPHORE_FD, SEMAPHORE_FD, 0];
    assert_eq!(code(&two), CL_INVALID_VALUE);
    assert_eq!(code(&[EXPORTS, 0x1234, 0]), CL_INVALID_PROPERTY);
    assert_eq!(code(&[SEMAPHORE_FD, fd, EXPORTS, SEMAPHORE_FD, 0]), CL_INVALID_OPERATION);
    let sync = u64::from(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    assert_eq!(code(&[SEMAPHORE_FD, fd, sync, fd]), CL_INVALID_PROPERTY);
    let plain = {
        let (semaphore, code) = f.make(&s, &[]);
        check(code);
        semaphore
    };
    let kind = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    let export = |semaphore, device, kind, size| {
        let mut fd = -1i32;
        unsafe { (f.export)(semaphore, device, kind, size, (&raw mut fd).cast(), null_mut()) }
    };
    assert_eq!(export(null_mut(), s.device, kind, 4), CL_INVALID_SEMAPHORE_KHR);
    assert_eq!(export(plain, null_mut(), kind, 4), CL_INVALID_DEVICE);
    assert_eq!(export(plain, s.device, kind, 4), CL_INVALID_VALUE);
    type Reimport = unsafe extern "C" fn(cl_semaphore_khr, *mut u64, i32) -> cl_int;
    let reimport: Reimport = s.extension(c"clReImportSemaphoreSyncFdKHR");
    assert_eq!(unsafe { reimport(plain, null_mut(), -1) }, CL_INVALID_SEMAPHORE_KHR);
    assert_eq!(unsafe { reimport(null_mut(), null_mut(), -1) }, CL_INVALID_SEMAPHORE_KHR);
    if !s.offers("cl_khr_external_semaphore_opaque_fd") {
        assert_eq!(code(&[SEMAPHORE_FD, fd]), CL_INVALID_DEVICE);
        assert_eq!(code(&[EXPORTS, SEMAPHORE_FD, 0]), CL_INVALID_PROPERTY);
        skip("in part: cl_khr_external_semaphore_opaque_fd is not offered");
        return;
    }
    assert_eq!(code(&[SEMAPHORE_FD, -1i64 as u64]), CL_INVALID_PROPERTY);
    let exportable = f.exportable(&s);
    assert_eq!(export(exportable, s.device, kind, 3), CL_INVALID_VALUE);
    let sync = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    assert_eq!(export(exportable, s.device, sync, 4), CL_INVALID_VALUE);
}

/// The payload is 1 from the signal that a sync file brings to the wait for it.
#[test]
fn payloads_follow_imported_sync_files() {
    let s = Setup::new();
    if !s.offers("cl_khr_external_semaphore_sync_fd") {
        skip("cl_khr_external_semaphore_sync_fd is not offered");
        return;
    }
    let f = Functions::of(&s);
    let kind = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    let import = |fd: i32| {
        let (semaphore, code) = f.make(&s, &[kind.into(), fd as i64 as u64]);
        check(code);
        semaphore
    };
    let signalled = import(-1);
    assert_eq!(f.payload(&s, signalled), 1);
    f.operate(f.wait, s.queue, signalled);
    s.finish();
    assert_eq!(f.payload(&s, signalled), 0);
    // A signal by OpenCL sets the payload to 1 again.
    f.operate(f.signal, s.queue, signalled);
    s.finish();
    assert_eq!(f.payload(&s, signalled), 1);
    f.operate(f.wait, s.queue, signalled);
    s.finish();

    let (signal, code) = f.make(&s, &[EXPORTS, kind.into(), 0]);
    check(code);
    f.operate(f.signal, s.queue, signal);
    let mut fd = -7i32;
    let place = (&raw mut fd).cast();
    check(unsafe { (f.export)(signal, s.device, kind, 4, place, null_mut()) });
    let copy = import(fd);
    s.finish();
    assert_eq!(f.payload(&s, copy), 1);
}

/// A sync file is a copy of the state at its export.
#[test]
fn sync_files_carry_the_state() {
    let s = Setup::new();
    if !s.offers("cl_khr_external_semaphore_sync_fd") {
        skip("cl_khr_external_semaphore_sync_fd is not offered");
        return;
    }
    let f = Functions::of(&s);
    let kind = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
    let (signal, code) = f.make(&s, &[EXPORTS, kind.into(), 0]);
    check(code);
    let export = || {
        let mut fd = -7i32;
        let place = (&raw mut fd).cast();
        (unsafe { (f.export)(signal, s.device, kind, 4, place, null_mut()) }, fd)
    };
    assert_eq!(export().0, CL_INVALID_OPERATION);
    f.operate(f.signal, s.queue, signal);
    let (code, fd) = export();
    check(code);
    assert!(fd >= -1);
    let (wait, code) = f.make(&s, &[kind.into(), fd as u64]);
    check(code);
    f.operate(f.wait, s.second_queue(), wait);
    s.finish();
    // A sync file of -1 is signalled already; the second queue may not have waited yet.
    type Reimport = unsafe extern "C" fn(cl_semaphore_khr, *mut u64, i32) -> cl_int;
    let reimport: Reimport = s.extension(c"clReImportSemaphoreSyncFdKHR");
    check(unsafe { reimport(wait, null_mut(), -1) });
    assert_eq!(f.payload(&s, wait), 1);
    f.operate(f.wait, s.queue, wait);
    s.finish();
    assert_eq!(f.payload(&s, wait), 0);
    assert_eq!(unsafe { reimport(wait, null_mut(), 9999) }, CL_INVALID_VALUE);
    assert_eq!(unsafe { reimport(wait, &mut 1, -1) }, CL_INVALID_VALUE);
}

#[test]
fn validation_has_nothing_to_say() {
    run_again("0");
}
