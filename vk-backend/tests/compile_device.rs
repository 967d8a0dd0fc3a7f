//! Pipelines that a second Vulkan device compiles, because the driver must not compile while others submit. Every driver is
//! treated as if it had this defect.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use common::MemoryStore;
use hekla_vk_backend::asm::{KernelBuilder, Op};
use hekla_vk_backend::{
    validation_message_count, Device, DeviceInfo, Error, MemoryKind, Pipeline, PipelineDesc,
    PipelineStore, Quirks,
};

/// VK_DRIVER_ID_NVIDIA_PROPRIETARY.
const NVIDIA_PROPRIETARY: u32 = 4;

/// Returns a device to which another thread has submitted.
fn device() -> Arc<Device> {
    let device = common::device_with(Quirks::SERIALIZED_PIPELINES);
    submit_in_another_thread(&device);
    device
}

fn submit_in_another_thread(device: &Arc<Device>) {
    let submit = || {
        let queue = device.create_queue(false).unwrap();
        let word = device.create_buffer(4, MemoryKind::Readback).unwrap();
        let ((), value) = queue.record(|r| r.fill(&word, 0, 4, 7));
        queue.wait(value).unwrap();
    };
    std::thread::scope(|scope| scope.spawn(submit).join().unwrap());
}

/// A store that has for each pipeline the data of an empty cache.
struct Nothing;

impl PipelineStore for Nothing {
    fn load(&self, info: &DeviceInfo, _: &PipelineDesc<'_>) -> Option<Vec<u8>> {
        let words = [32, 1, info.vendor_id, info.device_id];
        let header = words.iter().flat_map(|word: &u32| word.to_ne_bytes());
        Some(header.chain(info.pipeline_cache_uuid).collect())
    }

    fn store(&self, _: &DeviceInfo, _: &PipelineDesc<'_>, _: &[u8]) {}
}

/// Returns a pipeline that computes data[0] = (data[0] * factor) ^ term, and that no other caller has.
fn kernel(device: &Arc<Device>, factor: u32, term: u32) -> Arc<Pipeline> {
    let mut k = KernelBuilder::new(1);
    let uint = k.uint();
    let [at, factor, term] = [0, factor, term].map(|value| k.constant(value));
    let x = k.load(0, uint, at);
    let product = k.binary(Op::IMul, uint, x, factor);
    let result = k.binary(Op::BitwiseXor, uint, product, term);
    k.store(0, uint, at, result);
    let words = k.finish();
    let (specialization, push_constant_size) = (&[][..], 8);
    let desc = PipelineDesc {
        spirv: &words,
        entry: "main",
        name: "test",
        specialization,
        push_constant_size,
        uses_images: false,
        subgroups: Default::default(),
    };
    common::create_pipeline(device, &desc).expect("a pipeline")
}

/// Makes kernels, runs each on a number and drops it; each must compute the right result.
fn make_and_run(device: &Arc<Device>, kernels: impl Iterator<Item = u32>) {
    let queue = device.create_queue(false).unwrap();
    for number in kernels {
        let (factor, term) = (number.wrapping_mul(0x9e37_79b9) | 1, !number);
        let pipeline = kernel(device, factor, term);
        let word = device.create_buffer(4, MemoryKind::Readback).unwrap();
        common::write(&word, 0, &number.to_ne_bytes()).unwrap();
        let push = common::addresses(&[&word]);
        let ((), value) = queue.record(|r| common::dispatch(r, &pipeline, &push, [1, 1, 1]));
        drop(pipeline);
        queue.wait(value).unwrap();
        let mut bytes = [0; 4];
        common::read(&word, 0, &mut bytes).unwrap();
        assert_eq!(u32::from_ne_bytes(bytes), number.wrapping_mul(factor) ^ term);
    }
}

/// Makes and runs kernels in eight threads at once; pairs of threads make the same kernels.
fn make_and_run_in_threads(device: &Arc<Device>) {
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            scope.spawn(move || make_and_run(device, (0..30).map(|i| thread / 2 * 1000 + i)));
        }
    });
    expect_silence();
}

/// Asserts that the validation layer, if it is loaded, has sent no message.
fn expect_silence() {
    assert_eq!(validation_message_count(), 0, "see stderr for the messages");
}

#[test]
fn pipelines_that_many_threads_make_use_and_drop_compute_right_results() {
    let device = device();
    make_and_run_in_threads(&device);
    assert!(device.has_compile_device());
    MemoryStore::default().set_for(&device);
    make_and_run_in_threads(&device);
    make_and_run_in_threads(&device);
}

#[test]
fn without_a_second_device_the_first_compiles() {
    let device = device();
    device.pretend_single();
    make_and_run_in_threads(&device);
    assert!(!device.has_compile_device());
    assert_eq!(kernel(&device, 3, 4).creation().precompiled, None);
}

#[test]
fn a_second_device_is_opened_where_something_must_be_compiled() {
    let proper = common::device();
    let needed = proper.info().quirks.contains(Quirks::SERIALIZED_PIPELINES);
    submit_in_another_thread(&proper);
    kernel(&proper, 3, 4);
    assert_eq!(proper.has_compile_device(), needed);

    let (device, known) = (device(), MemoryStore::default());
    known.set_for(&device);
    assert!(!device.has_compile_device());
    let creation = kernel(&device, 3, 4).creation();
    assert!(device.has_compile_device());
    assert!(creation.given == 0 && creation.found != Some(true), "{creation}");
    let precompiled = creation.precompiled.expect("the compile device compiled it");
    assert!(precompiled.duration <= creation.duration);
    if known.0.lock().unwrap().is_empty() {
        common::skip("the driver keeps nothing of pipelines");
        return;
    }
    // Only the pipeline's creation is left to the device itself, in this process and in the next.
    assert!(precompiled.used, "{creation}");
    let next = common::device_with(Quirks::SERIALIZED_PIPELINES);
    known.set_for(&next);
    let creation = kernel(&next, 3, 4).creation();
    assert!(creation.given > 0 && creation.found != Some(false), "{creation}");
    assert!(creation.precompiled.is_none() && !next.has_compile_device());
}

#[test]
fn a_thread_that_submits_alone_compiles_on_the_device_itself() {
    let device = common::device_with(Quirks::SERIALIZED_PIPELINES);
    make_and_run(&device, 0..3);
    assert_eq!(kernel(&device, 3, 4).creation().precompiled, None);
    assert!(!device.has_compile_device());
    // Another thread runs another first kernel.
    std::thread::scope(|scope| scope.spawn(|| kernel(&device, 5, 6)).join().unwrap());
    assert!(device.has_compile_device());
    expect_silence();
}

#[test]
fn a_second_device_that_is_open_compiles_whoever_submits() {
    let device = common::device_with(Quirks::SERIALIZED_PIPELINES);
    device.open_compile_device();
    assert!(device.has_compile_device());
    assert!(kernel(&device, 3, 4).creation().precompiled.is_some());
    make_and_run(&device, 0..3);
    assert!(kernel(&device, 5, 6).creation().precompiled.is_some());
    let proper = common::device();
    proper.open_compile_device();
    let needed = proper.info().quirks.contains(Quirks::SERIALIZED_PIPELINES);
    assert_eq!(proper.has_compile_device(), needed);
    expect_silence();
}

#[test]
fn what_is_missing_from_an_earlier_process_is_precompiled() {
    let device = device();
    // SAFETY: a header is complete data, of a cache that is empty.
    unsafe { device.set_pipeline_store(Box::new(Nothing)) };
    make_and_run(&device, 0..3);
    let creation = kernel(&device, 3, 4).creation();
    assert!(creation.given == 32 && creation.found != Some(true), "{creation}");
    expect_silence();
    // A driver that cannot be forbidden to compile has compiled the pipeline. NVIDIA's (580) compiles all the same.
    let may_refuse = device.info().features.pipeline_creation_cache_control;
    let compiles = device.info().driver_id == NVIDIA_PROPRIETARY || !may_refuse;
    assert!(creation.precompiled.is_some() || compiles, "{creation}");
}

#[test]
fn submissions_go_on_while_a_pipeline_compiles() {
    let device = device();
    // Opens the second device.
    kernel(&device, 3, 4);
    device.delay_compilation(Duration::from_secs(2));
    let queue = device.create_queue(false).unwrap();
    let word = device.create_buffer(4, MemoryKind::Readback).unwrap();
    let (begun, done) = (AtomicBool::new(false), AtomicBool::new(false));
    let mut meanwhile = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            begun.store(true, Ordering::Release);
            let pipeline = kernel(&device, 5, 6);
            done.store(true, Ordering::Release);
            assert!(pipeline.creation().duration >= Duration::from_secs(2));
        });
        while !begun.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        while !done.load(Ordering::Acquire) {
            let ((), value) = queue.record(|r| r.fill(&word, 0, 4, 7));
            queue.wait(value).unwrap();
            meanwhile += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    expect_silence();
    // The bound excludes one submission before the compilation, and one after it.
    assert!(meanwhile > 10, "{meanwhile} submissions in two seconds");
}

#[test]
fn what_cannot_be_compiled_is_an_error() {
    let device = device();
    let words = [1, 2, 3, 4, 5];
    let (specialization, push_constant_size) = (&[][..], 0);
    let desc = PipelineDesc {
        spirv: &words,
        entry: "main",
        name: "test",
        specialization,
        push_constant_size,
        uses_images: false,
        subgroups: Default::default(),
    };
    let error = common::create_pipeline(&device, &desc).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    let limit = device.info().limits.max_push_constants;
    let desc = PipelineDesc { push_constant_size: limit + 4, ..desc };
    let error = common::create_pipeline(&device, &desc).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    assert!(!device.has_compile_device());
    expect_silence();
}

#[test]
fn all_again_under_validation() {
    common::run_again_with(&[("HEKLA_VALIDATE", "1")]);
}
