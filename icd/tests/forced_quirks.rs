//! Quirks of drivers that are not there, forced by a device file's `quirks` (`HEKLA_LIMIT_TO`): what is emitted for such a
//! driver computes right on the one that is there. The environment holds for a process, so each quirk has processes of its own.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The device to which the one that is there is restricted: 32-bit offsets reach all of its buffers.
const DEVICE: &str = "../vk-backend/devices/radv-navi31.toml";

/// A folder that is removed with its owner.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs `role` in a process of its own on the device with some quirks and without `lacking`, a feature. Returns the words of
/// the modules that were made there.
fn run(role: &str, quirks: &str, lacking: &str) -> Vec<Vec<u8>> {
    let name = format!("hekla-quirks-{role}-{quirks}-{lacking}-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    std::fs::create_dir_all(&folder.0).unwrap();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DEVICE)).unwrap();
    let list = if quirks.is_empty() { String::new() } else { format!("'{quirks}'") };
    let text = format!("quirks = [{list}]\n{}", text.replace(&format!("\"{lacking}\","), ""));
    let file = folder.0.join("device.toml");
    std::fs::write(&file, text).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", role, "--nocapture"])
        .env("HEKLA_TEST_ROLE", role)
        .env("HEKLA_CACHE", "0")
        .env("HEKLA_DUMP", &folder.0)
        .env("HEKLA_LIMIT_TO", &file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{role} with {quirks}: {}\n{text}", output.status);
    let files = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let is_module = |path: &PathBuf| path.extension().is_some_and(|e| e == "spv");
    let mut modules: Vec<PathBuf> = files.filter(is_module).collect();
    modules.sort();
    modules.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Returns true in the process that [`run`] started for a role.
fn plays(role: &str) -> bool {
    std::env::var("HEKLA_TEST_ROLE").is_ok_and(|asked| asked == role)
}

/// Runs a role with a quirk and without: the modules differ, so the quirk was heeded.
fn differs(role: &str, quirk: &str) {
    let (with, without) = (run(role, quirk, ""), run(role, "", ""));
    assert!(!with.is_empty() && with.len() == without.len() && with != without, "{role}: {quirk}");
}

/// Offsets of 32 bits are unsigned, so an argument that is an address takes the wide ones.
#[test]
fn addresses_in_the_middle_with_narrow_offsets() {
    differs("addresses", "NARROW_OFFSETS");
}

#[test]
fn addresses() {
    if !plays("addresses") {
        return;
    }
    let s = Setup::new();
    let source = "kernel void behind(global const int *p, global int *out, int i) { *out = p[i]; }";
    let (kernel, out) = (s.kernel(s.program(source, ""), "behind"), s.buffer(0, 4));
    s.set(kernel, 1, &out);
    let launch = |i: i32| {
        s.set(kernel, 2, &i);
        check(s.launch(kernel, &[1], None));
        i32::from_ne_bytes(s.read(out, 0, 4).try_into().unwrap())
    };
    let numbers: Vec<i32> = (100..116).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    // The start of a buffer, an address, and the start again: shapes of launches are kept.
    let plain = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes.clone());
    s.set(kernel, 0, &plain);
    assert_eq!(launch(9), 109);
    assert!(s.offers("cl_ext_buffer_device_address"));
    let create = s.cl.clCreateBufferWithProperties;
    let list = [u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), u64::from(CL_TRUE), 0];
    let host = bytes.as_ptr().cast_mut().cast();
    let mem = made(|e| unsafe {
        create(s.context, list.as_ptr(), CL_MEM_COPY_HOST_PTR, bytes.len(), host, e)
    });
    let address: u64 = value(|z, p, r| unsafe {
        (s.cl.clGetMemObjectInfo)(mem, CL_MEM_DEVICE_ADDRESS_EXT, z, p, r)
    });
    type SetPointer = unsafe extern "C" fn(cl_kernel, cl_uint, cl_mem_device_address_ext) -> cl_int;
    let set: SetPointer = s.extension(c"clSetKernelArgDevicePointerEXT");
    check(unsafe { set(kernel, 0, address + 20) });
    assert_eq!([-5, -1, 0, 10].map(launch), [100, 104, 105, 115]);
    s.set(kernel, 0, &plain);
    assert_eq!(launch(15), 115);
    let pointer = unsafe { (s.cl.clSVMAlloc)(s.context, CL_MEM_READ_WRITE, bytes.len(), 0) };
    if pointer.is_null() {
        skip("the device has no shared virtual memory");
        return;
    }
    let pointer = pointer.cast::<u8>();
    let (queue, size, source) = (s.queue, bytes.len(), bytes.as_ptr().cast());
    let copy = s.cl.clEnqueueSVMMemcpy;
    check(unsafe {
        copy(
            queue,
            CL_TRUE,
            pointer.cast(),
            source,
            size,
            0,
            std::ptr::null(),
            std::ptr::null_mut(),
        )
    });
    check(unsafe { (s.cl.clSetKernelArgSVMPointer)(kernel, 0, pointer.add(20).cast()) });
    assert_eq!([-5, -1, 0, 10].map(launch), [100, 104, 105, 115]);
    s.finish();
    unsafe { (s.cl.clSVMFree)(s.context, pointer.cast()) };
}

/// Vectors of words need scalarBlockLayout: without it they are aligned to their size.
#[test]
fn words_as_vectors() {
    differs("words", "WORD_VECTORS");
    let lacking = "scalarBlockLayout";
    assert_eq!(run("words", "WORD_VECTORS", lacking), run("words", "", lacking));
}

#[test]
fn words() {
    if !plays("words") {
        return;
    }
    let s = Setup::new();
    let source = "kernel void copy(global const uint *restrict a, global uint *restrict b) {
        size_t i = get_global_id(0); for (int j = 0; j < 7; j++) b[i * 7 + j + 1] = a[i * 7 + j] + j; }
    kernel void gaps(global uint *b) { size_t i = get_global_id(0); b[i * 5] = 1; b[i * 5 + 1] = 2; b[i * 5 + 3] = 3; }";
    let program = s.program(source, "");
    let kernel = s.kernel(program, "copy");
    let numbers: Vec<u32> = (0..70).map(|i| i * i).collect();
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    s.set(kernel, 0, &s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes));
    let out = s.buffer(0, bytes.len() + 4);
    s.set(kernel, 1, &out);
    check(s.launch(kernel, &[10], None));
    let read = s.read(out, 4, bytes.len());
    let found: Vec<u32> =
        read.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    let wanted: Vec<u32> = numbers.iter().enumerate().map(|(i, x)| x + i as u32 % 7).collect();
    assert_eq!(found, wanted);
    // What is not stored stays.
    let kernel = s.kernel(program, "gaps");
    let nines = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [9, 0, 0, 0].repeat(20));
    s.set(kernel, 0, &nines);
    check(s.launch(kernel, &[4], None));
    let read = s.read(nines, 0, 80);
    let found: Vec<u8> = read.iter().copied().step_by(4).collect();
    assert_eq!(found, [1, 2, 9, 3, 9].repeat(4));
}

/// Addresses among arguments of other sizes, in push constants as numbers of 64 bits.
#[test]
fn arguments_with_long_addresses() {
    differs("arguments", "SPLIT_ADDRESSES");
    assert_eq!(
        run("arguments", "SPLIT_ADDRESSES", "shaderInt64"),
        run("arguments", "", "shaderInt64")
    );
}

#[test]
fn arguments() {
    if !plays("arguments") {
        return;
    }
    let s = Setup::new();
    let source = "kernel void k(char c, global const uint *a, ulong l, short4 v, global const uint *b, uint n,
            local uint *t, uchar3 u, global uint *o) {
        size_t i = get_global_id(0);
        t[0] = c + (uint)l + (uint)(l >> 32) + v.x + v.w + n + u.z;
        o[i] = a[i] * 3 + b[i] + t[0] + (uint)get_global_offset(0); }";
    let kernel = s.kernel(s.program(source, ""), "k");
    let buffer = |first: u32| {
        let numbers: Vec<u32> = (0..16).map(|i| first + i * i).collect();
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes)
    };
    let out = s.buffer(0, 64);
    s.set(kernel, 0, &-7i8);
    s.set(kernel, 1, &buffer(100));
    s.set(kernel, 2, &(0x5_0000_0009u64));
    s.set(kernel, 3, &[11i16, 0, 0, -2]);
    s.set(kernel, 4, &buffer(70000));
    s.set(kernel, 5, &1000u32);
    check(unsafe { (s.cl.clSetKernelArg)(kernel, 6, 4, std::ptr::null()) });
    s.set(kernel, 7, &[0u8, 0, 77, 0]);
    s.set(kernel, 8, &out);
    check(s.launch(kernel, &[16], Some(&[1])));
    let found: Vec<u32> = s
        .read(out, 0, 64)
        .chunks(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
        .collect();
    let scalar = 1000 + 77 + 11 - 2 + 9 + 5 - 7;
    let wanted: Vec<u32> = (0..16).map(|i| (100 + i * i) * 3 + 70000 + i * i + scalar).collect();
    assert_eq!(found, wanted);
}

/// Enqueues `size` work-items whose ids begin with an offset.
fn launch_from(s: &Setup, kernel: cl_kernel, offset: usize, size: usize) -> cl_int {
    let (none, event) = (std::ptr::null(), std::ptr::null_mut());
    unsafe {
        (s.cl.clEnqueueNDRangeKernel)(
            s.queue,
            kernel,
            1,
            &offset,
            &size,
            none,
            0,
            none.cast(),
            event,
        )
    }
}

/// Products of words that have 64 bits, as indices and as numbers, with an offset of the launch.
#[test]
fn products_of_words() {
    differs("products", "SPLIT_PRODUCTS");
    assert_eq!(
        run("products", "SPLIT_PRODUCTS", "shaderInt64"),
        run("products", "", "shaderInt64")
    );
}

#[test]
fn products() {
    if !plays("products") {
        return;
    }
    let s = Setup::new();
    let source = "kernel void k(global const long *a, global long *o) {
        size_t i = get_global_id(0) - get_global_offset(0);
        int x = a[i]; uint y = a[i];
        global long *to = o + i * 5;
        to[0] = (long)x * 4; to[1] = (long)x * 0x7fffffff; to[2] = (ulong)y * 0xfffffffb; to[3] = (long)x << 31;
        to[4] = get_global_id(0) * 12; }";
    let kernel = s.kernel(s.program(source, ""), "k");
    let numbers: Vec<i64> =
        [0, 1, -1, 7, i32::MIN, i32::MAX, -123_456_789, 0x4000_0001].map(i64::from).to_vec();
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    s.set(kernel, 0, &s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes));
    for offset in [0, 1 << 30, 5] {
        let out = s.buffer(0, bytes.len() * 5);
        s.set(kernel, 1, &out);
        check(launch_from(&s, kernel, offset, numbers.len()));
        let read = s.read(out, 0, bytes.len() * 5);
        let found: Vec<i64> =
            read.chunks(8).map(|word| i64::from_ne_bytes(word.try_into().unwrap())).collect();
        let of = |(i, &x): (usize, &i64)| {
            let unsigned = i64::from(x as u32).wrapping_mul(0xffff_fffb);
            [x * 4, x * 0x7fff_ffff, unsigned, x << 31, (offset + i) as i64 * 12]
        };
        assert_eq!(found, numbers.iter().enumerate().flat_map(of).collect::<Vec<_>>());
    }
}
