//! The application's own bytes and dma_bufs as buffers that are never copied (cl_arm_import_memory).

use crate::common::*;
use crate::vulkan::Sync;
use crate::{both, file_of, is_open};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Import =
    unsafe extern "C" fn(cl_context, u64, *const isize, *mut c_void, usize, *mut cl_int) -> cl_mem;

const DMA_BUF: [isize; 3] = [CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0];

/// Adds a number to each byte, and waits.
fn add(s: &Setup, mem: cl_mem, size: usize, number: u8) {
    let source = "kernel void add(global uchar *p, uchar n) { p[get_global_id(0)] += n; }";
    let kernel = s.kernel(s.program(source, ""), "add");
    s.set(kernel, 0, &mem);
    s.set(kernel, 1, &number);
    check(s.launch(kernel, &[size], None));
    s.finish();
}

#[test]
fn own_bytes_are_never_copied() {
    let s = Setup::new();
    if !s.offers("cl_arm_import_memory_host") {
        return skip("cl_arm_import_memory_host is not offered");
    }
    assert!(s.offers("cl_arm_import_memory"));
    let import: Import = s.extension(c"clImportMemoryARM");
    let mut memory = vec![0u8; 40_000];
    // Memory in whose pages there are other bytes, too.
    let bytes = &mut memory[77..30_077];
    let at: *mut c_void = bytes.as_mut_ptr().cast();
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY;
    let host = [CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0];
    for list in [null(), [0].as_ptr(), host.as_ptr()] {
        let mem = made(|e| unsafe { import(s.context, flags, list, at, 30_000, e) });
        let told: u64 =
            value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_FLAGS, z, p, r) });
        assert_eq!(told, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY);
        for round in 0..3 {
            bytes.fill(round);
            add(&s, mem, 30_000, 5);
            assert!(bytes.iter().all(|byte| *byte == round + 5), "round {round}");
        }
        // A second object with the same bytes is refused.
        let again = refused(|e| unsafe { import(s.context, 0, null(), at, 100, e) });
        assert_eq!(again, CL_INVALID_OPERATION);
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
    assert!(memory[..77].iter().chain(&memory[30_077..]).all(|byte| *byte == 0));
    // No memory is mapped at the second of two pages.
    let (size, own) = (1 << 16, libc::PROT_READ | libc::PROT_WRITE);
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let pages = unsafe { libc::mmap(null_mut(), 2 * size, own, private, -1, 0) };
    assert_ne!(pages, libc::MAP_FAILED);
    assert_eq!(unsafe { libc::munmap(pages.byte_add(size), size) }, 0);
    let code = refused(|e| unsafe { import(s.context, 0, null(), pages, 2 * size, e) });
    assert_eq!(code, CL_INVALID_OPERATION);
    let mem = made(|e| unsafe { import(s.context, 0, null(), pages, size, e) });
    add(&s, mem, size, 9);
    assert_eq!(unsafe { pages.cast::<u8>().add(size - 1).read() }, 9);
}

/// The descriptor remains the application's, and bytes that the other device writes are visible without an acquire.
#[test]
fn dma_bufs_are_never_copied() {
    let Some((s, vulkan)) = both("cl_arm_import_memory_dma_buf") else { return };
    let import: Import = s.extension(c"clImportMemoryARM");
    let size = 100_000;
    let Some(shared) = vulkan.share_dma_buf(size as u64) else { return };
    let (mut fd, file) = (shared.fd, file_of(shared.fd));
    let place: *mut c_void = std::ptr::from_mut(&mut fd).cast();
    let consistent = CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM;
    let told = [CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, consistent, 1, 0];
    for (list, wanted) in [(&DMA_BUF[..], size), (&told[..], CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM)]
    {
        let mem = made(|e| unsafe { import(s.context, 0, list.as_ptr(), place, wanted, e) });
        assert_eq!(file_of(shared.fd), file);
        let all: usize =
            value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_SIZE, z, p, r) });
        assert!(all >= size && (wanted != size || all == size), "{all}");
        for round in 0..3 {
            let bytes = pattern(size, round);
            vulkan.write(&shared, &bytes, Sync::default());
            add(&s, mem, size, 3);
            let sum: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_add(3)).collect();
            assert!(vulkan.read(&shared, None) == sum, "round {round}");
        }
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
    let wrong = |mut fd: i32, size| {
        let place = std::ptr::from_mut(&mut fd).cast();
        refused(|e| unsafe { import(s.context, 0, DMA_BUF.as_ptr(), place, size, e) })
    };
    assert_eq!(wrong(-1, size), CL_INVALID_VALUE);
    assert_eq!(wrong(shared.fd, 1 << 30), CL_INVALID_BUFFER_SIZE);
    let mut pipe = [0; 2];
    assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
    assert_eq!(wrong(pipe[0], size), CL_INVALID_OPERATION);
    assert!(is_open(pipe[0]) && is_open(shared.fd));
}
