//! Buffers larger than one allocation: several allocations are bound to them where the device can do that (sparse binding).
//! `HEKLA_MAX_ALLOCATION` limits allocations to small sizes. The software drivers that are tested do not bind sparsely: with
//! them the tests show that one allocation is made nevertheless; the rest is for GPUs.

mod common;

use std::sync::Arc;

use common::{bytes, download};
use hekla_vk_backend::{Device, Error, MemoryKind};

const MIB: u64 = 1 << 20;
/// The size in bytes beyond which allocations fail.
const PIECE: u64 = 16 * MIB;
/// The bytes that one dispatch of the tests works on.
const PART: u64 = 12 * MIB;

fn device() -> Arc<Device> {
    // Every test of this process sets the same value.
    std::env::set_var("HEKLA_MAX_ALLOCATION", PIECE.to_string());
    common::device()
}

#[test]
fn what_the_host_maps_is_one_allocation() {
    let device = device();
    for kind in [MemoryKind::Upload, MemoryKind::Readback] {
        assert!(device.create_buffer(PIECE, kind).is_ok());
        let (size, limit) = (PIECE + 1, PIECE);
        assert_eq!(device.create_buffer(size, kind).err(), Some(Error::TooLarge { size, limit }));
    }
}

#[test]
fn kernels_and_commands_cross_the_seams() {
    let device = device();
    let size = 5 * PIECE + 4096;
    let buffers = [(); 3].map(|()| device.create_buffer(size, MemoryKind::Device).unwrap());
    let [a, b, c] = &buffers;
    if device.info().features.sparse_binding {
        assert!(buffers.iter().all(|buffer| buffer.mapped().is_none()));
    } else {
        common::skip("one allocation each: the device does not bind sparsely");
    }
    let queue = device.create_queue(false).unwrap();
    let square = common::square(&device, 64, false);
    // The buffer has 7 everywhere except at the seams, where other words cross them.
    let words: Vec<u32> = (100..108).collect();
    let host = device.create_buffer(32, MemoryKind::Upload).unwrap();
    common::write(&host, 0, &bytes(&words)).unwrap();
    let seams: Vec<u64> = (1..=5).map(|i| i * PIECE).collect();
    let ((), value) = queue.record(|r| {
        buffers.iter().for_each(|buffer| r.retain(buffer.clone()));
        r.fill(a, 0, size, 7);
        r.barrier();
        seams.iter().for_each(|seam| r.copy(&host, 0, a, seam - 16, 32));
        r.barrier();
        // The parts have another size than an allocation, so that dispatches cross the seams.
        for start in (0..size).step_by(PART as usize) {
            let push = [a, b].map(|buffer| (buffer.address() + start).to_le_bytes()).concat();
            let groups = PART.min(size - start) / (4 * 64);
            common::dispatch(r, &square, &push, [groups as u32, 1, 1]);
        }
        r.barrier();
        r.copy(b, 0, c, 0, size);
    });
    queue.wait(value).unwrap();
    let pieces = device.create_buffer(48, MemoryKind::Readback).unwrap();
    for seam in seams.iter().copied() {
        let ((), value) = queue.record(|r| {
            r.barrier();
            r.copy(c, seam - 24, &pieces, 0, 48);
        });
        queue.wait(value).unwrap();
        let squares = words.iter().map(|word| word * word);
        let expected: Vec<u32> = [49; 2].into_iter().chain(squares).chain([49; 2]).collect();
        assert_eq!(download(&pieces), expected, "at {seam:#x}");
    }
}

#[test]
fn large_buffers_give_their_memory_back() {
    let device = device();
    // The buffers are larger in all than the device's memory.
    let size = 256 * MIB;
    let count = (device.info().memory.device_local_bytes / size + 2).min(20);
    for _ in 0..count {
        assert_eq!(device.create_buffer(size, MemoryKind::Device).unwrap().size(), size);
    }
}

#[test]
fn more_than_there_is_is_an_error() {
    let device = device();
    if !device.info().features.sparse_binding {
        common::skip("the device does not bind sparsely");
        return;
    }
    let info = device.info();
    let size = (info.memory.device_local_bytes + (1 << 30)).min(info.limits.max_buffer_size);
    if size > info.memory.device_local_bytes {
        let made = device.create_buffer(size, MemoryKind::Device).err();
        assert_eq!(made, Some(Error::OutOfDeviceMemory));
    }
    // Nothing of the failed attempt is kept.
    assert!(device.create_buffer(64 * MIB, MemoryKind::Device).is_ok());
}
