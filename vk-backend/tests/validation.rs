//! The Khronos validation layer checks everything and reports nothing. The test has a process of its own, since an environment
//! variable requests the layer.

mod common;

use hekla_vk_backend::asm::KernelBuilder;
use hekla_vk_backend::{validation_message_count, MemoryKind, PipelineDesc};

#[test]
fn the_layer_is_silent_until_there_is_cause() {
    std::env::set_var("HEKLA_VALIDATE", "1");
    let device = common::device();
    exercise(&device);
    assert_eq!(validation_message_count(), 0, "see stderr for the messages");

    // The layout lacks the push constants that the kernel declares, which is wrong but harmless.
    let mut kernel = KernelBuilder::new(1);
    let (uint, zero) = (kernel.uint(), kernel.constant(0));
    let x = kernel.load(0, uint, zero);
    kernel.store(0, uint, zero, x);
    let desc = PipelineDesc {
        spirv: &kernel.finish(),
        entry: "main",
        name: "test",
        specialization: &[],
        push_constant_size: 0,
        uses_images: false,
        subgroups: Default::default(),
    };
    common::provoke("VUID-VkComputePipelineCreateInfo-layout-00703", || {
        let _ = common::create_pipeline(&device, &desc);
    });
    let heard = validation_message_count();
    if !layer_is_installed() {
        common::skip("the validation layer is not installed");
        return;
    }
    assert!(heard > 0, "the validation layer is installed and was not heard");
    drop(device);
    assert_eq!(validation_message_count(), heard, "see stderr for the messages");
}

/// Asks Vulkan itself, and not the library, whose messenger may be at fault.
fn layer_is_installed() -> bool {
    // SAFETY: the loader is not unloaded while `entry` lives.
    let entry = unsafe { ash::Entry::load() }.expect("the Vulkan loader");
    // SAFETY: the function takes no handles.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.expect("a list of layers");
    layers.iter().any(|it| it.layer_name_as_c_str() == Ok(c"VK_LAYER_KHRONOS_validation"))
}

fn exercise(device: &std::sync::Arc<hekla_vk_backend::Device>) {
    device.probe().unwrap();
    let step = common::step(device, 64);
    let b = device.create_buffer(100 << 20, MemoryKind::Device).unwrap();
    let small = device.create_buffer(7, MemoryKind::Readback).unwrap();
    let (timed, other) = (device.create_queue(true).unwrap(), device.create_queue(false).unwrap());
    let push = common::addresses(&[&b]);
    for i in 0..700 {
        let ((), value) = timed.record(|r| {
            r.barrier();
            r.begin_timestamp();
            r.retain(b.clone());
            common::dispatch(r, &step, &push, [4, 1, 1]);
            r.end_timestamp();
        });
        if i % 50 == 0 {
            other.wait_gpu(&timed, value).unwrap();
            other.record(|r| {
                r.fill(&small, 0, 8, i);
                r.barrier();
                r.copy(&b, 0, &small, 0, 7);
            });
        }
    }
    other.wait(other.issued()).unwrap();
    timed.wait(timed.issued()).unwrap();
    assert!(!timed.profiling() || timed.timestamps(700).unwrap().is_some());
    device.correlate_clocks().unwrap();
    if device.info().memory.host_import {
        let alignment = device.info().limits.min_imported_host_pointer_alignment as usize;
        let layout = std::alloc::Layout::from_size_align(alignment, alignment).unwrap();
        // SAFETY: the size is not 0; the memory is never freed.
        let buffer = unsafe {
            let memory = std::alloc::alloc_zeroed(layout);
            device.import_host(memory, alignment as u64).unwrap()
        };
        let ((), value) = other.record(|r| r.fill(&buffer, 0, 16, 3));
        other.wait(value).unwrap();
    }
}
