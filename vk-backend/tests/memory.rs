//! Buffers: the host's view, copies, fills, imports and limits.

mod common;

use std::sync::Arc;

use common::{bytes, download};
use hekla_vk_backend::{CopyRegion, Error, MemoryKind};

#[test]
fn host_memory_is_written_and_read() {
    let device = common::device();
    for kind in [MemoryKind::Upload, MemoryKind::Readback] {
        let b = device.create_buffer(1000, kind).unwrap();
        assert_eq!(b.size(), 1000);
        assert!(b.mapped().is_some());
        let data: Vec<u8> = (0..1000).map(|i| (i * 7) as u8).collect();
        common::write(&b, 0, &data).unwrap();
        common::write(&b, 999, &[42]).unwrap();
        let mut out = vec![0; 10];
        common::read(&b, 990, &mut out).unwrap();
        assert_eq!(out[..9], data[990..999]);
        assert_eq!(out[9], 42);
        assert!(matches!(common::write(&b, 999, &[1, 2]), Err(Error::Invalid(_))));
        assert!(matches!(common::read(&b, u64::MAX, &mut out), Err(Error::Invalid(_))));
        common::write(&b, 1000, &[]).unwrap();
    }
}

#[test]
fn device_memory_is_mapped_when_unified() {
    let device = common::device();
    let b = device.create_buffer(64, MemoryKind::Device).unwrap();
    if device.info().memory.unified {
        let simulated = std::env::var_os("HEKLA_NONCOHERENT").is_some();
        assert!(b.mapped().is_some() && b.is_coherent() != simulated);
    } else {
        assert!(matches!(common::write(&b, 0, &[1]), Err(Error::Invalid(_))));
    }
}

#[test]
fn addresses_are_aligned_and_buffers_apart() {
    let device = common::device();
    let sizes = [1, 3, 16, 255, 256, 257, 4096, 100_000, 3 << 20, 70 << 20];
    let mut spans = Vec::new();
    let mut buffers = Vec::new();
    for round in 0..5u64 {
        for size in sizes {
            let kind = [MemoryKind::Device, MemoryKind::Upload][(round % 2) as usize];
            if size > 64 << 20 && round > 0 {
                continue;
            }
            let b = device.create_buffer(size, kind).unwrap();
            assert!(b.address() != 0 && b.address().is_multiple_of(256), "{:#x}", b.address());
            spans.push((b.address(), b.address() + size.next_multiple_of(16)));
            buffers.push(b);
        }
    }
    spans.sort_unstable();
    assert!(spans.windows(2).all(|w| w[0].1 <= w[1].0), "buffers overlap");
}

#[test]
fn copies_fills_and_updates() {
    let device = common::device();
    let words: Vec<u32> = (0..256).collect();
    let source = device.create_buffer(1024, MemoryKind::Upload).unwrap();
    common::write(&source, 0, &bytes(&words)).unwrap();
    let target = device.create_buffer(1024, MemoryKind::Device).unwrap();
    let queue = device.create_queue(false).unwrap();
    let ((), value) = queue.record(|r| {
        r.fill(&target, 0, 1024, 0xdead_beef);
        r.barrier();
        r.copy(&source, 16, &target, 0, 64);
        let regions = [
            CopyRegion { src_offset: 0, dst_offset: 512, size: 4 },
            CopyRegion { src_offset: 1020, dst_offset: 516, size: 4 },
            CopyRegion { src_offset: 1, dst_offset: 900, size: 0 },
        ];
        r.copy_regions(&source, &target, &regions);
        r.update(&target, 1020, &7u32.to_ne_bytes());
    });
    queue.wait(value).unwrap();
    let mut expected = vec![0xdead_beef; 256];
    expected[..16].copy_from_slice(&words[4..20]);
    expected[128] = 0;
    expected[129] = 255;
    expected[255] = 7;
    assert_eq!(download(&target), expected);
}

#[test]
fn large_buffers_have_memory_of_their_own() {
    let device = common::device();
    let size = 80 << 20;
    let b = device.create_buffer(size, MemoryKind::Device).unwrap();
    let queue = device.create_queue(false).unwrap();
    let tail = device.create_buffer(8, MemoryKind::Readback).unwrap();
    let ((), value) = queue.record(|r| {
        r.fill(&b, 0, size, 5);
        r.barrier();
        r.copy(&b, size - 8, &tail, 0, 8);
    });
    queue.wait(value).unwrap();
    assert_eq!(download(&tail), [5, 5]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let device = common::device();
    let limit = device.info().limits.max_buffer_size;
    for size in [limit + 1, u64::MAX] {
        let e = device.create_buffer(size, MemoryKind::Device).err();
        assert_eq!(e, Some(Error::TooLarge { size, limit }));
    }
    assert!(matches!(device.create_buffer(0, MemoryKind::Device), Err(Error::Invalid(_))));
}

#[test]
fn memory_comes_back() {
    let device = common::device();
    // The buffers are larger in all than the device's memory, but few exist at once.
    let size = 256 << 20;
    let count = (device.info().memory.device_local_bytes / size + 2).min(20);
    for _ in 0..count {
        let b = device.create_buffer(size, MemoryKind::Device).unwrap();
        assert_eq!(b.size(), size);
    }
    for _ in 0..1000 {
        device.create_buffer(5 << 20, MemoryKind::Device).unwrap();
    }
}

#[test]
fn host_memory_is_imported() {
    let device = common::device();
    if !device.info().memory.host_import {
        common::skip("the device imports no host memory");
        return;
    }
    let alignment = device.info().limits.min_imported_host_pointer_alignment as usize;
    let size = 4 * alignment;
    let layout = std::alloc::Layout::from_size_align(size, alignment).unwrap();
    // SAFETY: the layout's size is not 0.
    let memory = unsafe { std::alloc::alloc_zeroed(layout) };
    assert!(!memory.is_null());
    // SAFETY: `memory` is aligned and lives until after the buffer is dropped.
    let b = unsafe { device.import_host(memory, size as u64) }.unwrap();
    assert_eq!(b.mapped().unwrap().as_ptr(), memory);
    let words: Vec<u32> = (0..size as u32 / 4).collect();
    common::write(&b, 0, &bytes(&words)).unwrap();

    let out = device.create_buffer(size as u64, MemoryKind::Device).unwrap();
    let pipeline = common::square(&device, 64, false);
    let queue = device.create_queue(false).unwrap();
    let push = common::addresses(&[&b, &out]);
    let groups = words.len() as u32 / 64;
    let ((), value) = queue.record(|r| {
        r.retain(b.clone());
        r.retain(out.clone());
        common::dispatch(r, &pipeline, &push, [groups, 1, 1]);
        r.barrier();
        r.fill(&b, 0, 4, 99);
    });
    queue.wait(value).unwrap();
    let squares: Vec<u32> = words.iter().map(|w| w.wrapping_mul(*w)).collect();
    assert_eq!(download(&out), squares);
    // SAFETY: the memory is alive and the device is done with it.
    assert_eq!(unsafe { memory.cast::<u32>().read() }, 99);

    let part = b.part(alignment as u64, alignment as u64, Arc::new(())).unwrap();
    assert_eq!(part.address(), b.address() + alignment as u64);
    assert_eq!(part.mapped().unwrap().as_ptr(), memory.wrapping_add(alignment));
    let ((), value) = queue.record(|r| r.fill(&part, 4, 4, 77));
    queue.wait(value).unwrap();
    // SAFETY: the memory is alive and the device is done with it.
    assert_eq!(unsafe { memory.add(alignment + 4).cast::<u32>().read() }, 77);
    for (offset, size) in [(0, size as u64 + 1), (size as u64, 4), (1, 4), (u64::MAX, 4)] {
        assert!(b.part(offset, size, Arc::new(())).is_err(), "{offset} {size}");
    }
    drop(part);

    // SAFETY: an unaligned or null pointer is refused before it is used.
    let (unaligned, null) = unsafe {
        (device.import_host(memory.add(1), 64), device.import_host(std::ptr::null_mut(), 64))
    };
    assert!(matches!(unaligned, Err(Error::Invalid(_))));
    assert!(matches!(null, Err(Error::Invalid(_))));
    drop((b, queue));
    // SAFETY: allocated above with this layout; the buffer is gone.
    unsafe { std::alloc::dealloc(memory, layout) };
}

/// In memory that is not coherent, the flush after a write covers whole non-coherent atoms.
#[test]
fn a_write_of_a_few_bytes_keeps_those_beside_them() {
    let device = common::device();
    let queue = device.create_queue(false).unwrap();
    for kind in [MemoryKind::Device, MemoryKind::Readback, MemoryKind::Upload] {
        let b = device.create_buffer(1024, kind).unwrap();
        if b.mapped().is_none() {
            continue;
        }
        // The host writes zeros, and then the device writes other bytes.
        common::write(&b, 0, &[0; 1024]).unwrap();
        let ((), value) = queue.record(|r| r.fill(&b, 0, 1024, 0x0101_0101));
        queue.wait(value).unwrap();
        common::write(&b, 61, &[7; 6]).unwrap();
        common::write(&b, 1023, &[8]).unwrap();
        let mut expected = [1u8; 1024];
        expected[61..67].fill(7);
        expected[1023] = 8;
        assert_eq!(download(&b), common::words(&expected), "{kind:?}");
        let mut seen = [0; 1024];
        common::read(&b, 0, &mut seen).unwrap();
        assert_eq!(seen, expected, "{kind:?}");
    }
}

#[test]
fn all_of_this_holds_for_memory_that_is_not_coherent() {
    common::run_again_with(&[("HEKLA_NONCOHERENT", "1")]);
}

/// A large buffer is kept when it is freed, and is the next one of its size and kind.
#[test]
fn large_buffers_are_used_again() {
    let device = common::device();
    let is_mapped = device.info().memory.unified;
    if !is_mapped || std::env::var_os("HEKLA_NONCOHERENT").is_some() {
        return;
    }
    let make = |size, kind| device.create_buffer(size, kind).unwrap();
    let (size, mark) = (16 << 20, [1, 2, 3, 4]);
    let is_marked = |buffer: &hekla_vk_backend::Buffer| {
        let mut out = [0; 4];
        common::read(buffer, buffer.size() - 4, &mut out).unwrap();
        out == mark
    };
    let first = make(size, MemoryKind::Device);
    let address = first.address();
    common::write(&first, size - 4, &mark).unwrap();
    drop(first);
    // Other sizes and kinds are not that one.
    assert_ne!(make(size, MemoryKind::Upload).address(), address);
    assert_ne!(make(size + 4096, MemoryKind::Device).address(), address);
    let again = make(size, MemoryKind::Device);
    assert_eq!(again.address(), address);
    assert!(is_marked(&again));
    // It lives, so another one is new.
    let other = make(size, MemoryKind::Device);
    assert_ne!(other.address(), address);
    assert!(!is_marked(&other));
}

/// What is kept is freed when somebody is asked to, and asked again as long as something is kept.
#[test]
fn unused_buffers_are_freed_later() {
    let device = common::device();
    let (tell, told) = std::sync::mpsc::channel();
    device.set_free_later(Box::new(move |time| tell.send(time).unwrap()));
    let make = || device.create_buffer(1 << 20, MemoryKind::Upload).unwrap();
    drop(make());
    let time = told.try_recv().unwrap();
    drop(make());
    device.free_unused();
    assert!(told.try_recv().is_err());
    std::thread::sleep(time);
    drop(make());
    // Nobody has freed it, so somebody is asked again.
    let time = told.try_recv().unwrap();
    std::thread::sleep(time);
    device.free_unused();
    // Nothing is left.
    assert!(told.try_recv().is_err());
}
