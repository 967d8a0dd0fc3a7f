//! Finding and describing devices.

mod common;

use common::MemoryStore;
use hekla_device::DriverId;
use hekla_vk_backend::{
    Device, DeviceFile, Error, Features, FloatOp, FloatWidth, Instance, Quirks,
};

#[test]
fn every_device_is_described() {
    let instance = Instance::load().unwrap();
    for p in instance.physical_devices() {
        println!("{:#?}", p.info);
        assert!(!p.info.name.is_empty());
        assert!(p.info.limits.max_workgroup_invocations >= 128);
        assert!(p.info.limits.max_push_constants >= 128);
        if let Some(why) = &p.info.refusal {
            let message = format!("{} {why}", p.info.name);
            assert_eq!(Device::open(&p).unwrap_err(), Error::Unsupported(message));
            continue;
        }
        let (limits, features) = (&p.info.limits, &p.info.features);
        assert!(features.buffer_device_address && features.timeline_semaphore);
        assert!(features.spirv_version >= 0x0001_0500);
        assert!(features.subgroup_size.is_power_of_two());
        let [least, most] = features.subgroup_size_range;
        assert!(least <= features.subgroup_size && features.subgroup_size <= most);
        assert!(limits.queue_count >= 1);
        assert!(limits.max_buffer_size >= 1 << 27);
        assert!(p.info.memory.device_local_bytes > 0);
        assert_eq!(p.info.memory.host_import, features.external_memory_host);
        assert_ne!(p.info.device_uuid, [0; 16]);
        assert!(!p.info.driver_name.is_empty());
    }
}

/// Checks the drivers of the table of quirks that no device file names.
#[test]
fn drivers_have_the_numbers_that_vulkan_gives_them() {
    for (ours, vulkans) in [
        (DriverId::NVIDIA_PROPRIETARY, ash::vk::DriverId::NVIDIA_PROPRIETARY),
        (DriverId::GOOGLE_SWIFTSHADER, ash::vk::DriverId::GOOGLE_SWIFTSHADER),
        (DriverId::MESA_LLVMPIPE, ash::vk::DriverId::MESA_LLVMPIPE),
    ] {
        assert_eq!(ours.0, vulkans.as_raw());
    }
}

#[test]
fn a_device_opens_twice_and_outlives_its_instance() {
    let first = common::device();
    let second = common::device();
    assert_eq!(first.info(), second.info());
    drop(second);
    first.wait_idle().unwrap();
    assert!(!first.is_lost());
}

#[test]
fn pipelines_are_made_from_what_was_learnt() {
    let device = common::device();
    let plain = common::square(&device, 32, false).creation();
    let tells = device.info().features.pipeline_creation_feedback;
    assert!(plain.given == 0 && (tells || plain.found.is_none()), "{plain:?}");

    let learnt = MemoryStore::default();
    learnt.set_for(&device);
    let first = common::square(&device, 32, false).creation();
    assert_eq!(first.given, 0);
    let other = common::device();
    learnt.set_for(&other);
    let again = common::square(&other, 32, false).creation();
    let kept: Vec<usize> = learnt.0.lock().unwrap().values().map(Vec::len).collect();
    match kept[..] {
        [] => common::skip("the driver keeps nothing of pipelines"),
        [size] => {
            assert_eq!(again.given, size);
            assert!(!tells || again.found == Some(true), "{again:?}");
        }
        _ => panic!("one pipeline, kept as {kept:?}"),
    }

    // Cache data of another driver is not given to this one.
    learnt.0.lock().unwrap().values_mut().for_each(|data| data[16] ^= 1);
    assert_eq!(common::square(&other, 32, false).creation().given, 0);
}

#[test]
fn the_probe_answers_once_and_plausibly() {
    let device = common::device();
    let answer = device.probe().unwrap();
    println!("{}: {answer:#?}", device.info().name);
    assert_eq!(device.probe().unwrap(), answer);
    if !device.info().features.float64 {
        assert!(!answer.fma64_fused && !answer.div64_exact);
        assert!(answer.floats.get(FloatWidth::Double, FloatOp::Add).is_none());
    }
    // Vulkan requires correctly rounded sums and products (appendix "Precision of Individual Operations") and, where kernels
    // ask for it, that NaNs are preserved.
    assert!(answer.nearest32);
    // Vulkan does not require it, but all tested drivers fill subgroups in order.
    assert!(answer.subgroups_in_order);
    let quirks = device.info().quirks;
    if quirks.contains(Quirks::SUBGROUPS_IN_ORDER) {
        assert_eq!(answer.subgroups_progress, quirks.contains(Quirks::SUBGROUPS_PROGRESS));
    }
    use FloatOp::*;
    let sum =
        [Add, Subtract, Multiply].map(|op| answer.floats.get(FloatWidth::Single, op).unwrap());
    assert!(sum.iter().all(|b| b.nearest_even));
    if device.info().features.preserve_signed_zero_inf_nan_32 {
        assert!(sum.iter().all(|b| b.nans && b.signed_zeros));
    }
    if device.info().features.denorm_preserve_32 {
        assert!(sum.iter().all(|b| b.keeps_denormals()));
    }
}

#[test]
fn the_driver_has_no_defect() {
    let device = common::device();
    assert_eq!(device.find_defect().unwrap(), None, "{}", device.info().name);
}

#[test]
fn a_description_is_a_device_file_of_the_device() {
    let device = common::device();
    let info = device.info();
    let probe = device.probe().unwrap();
    let instance = Instance::load().unwrap();
    let physical = instance.physical_devices().into_iter().find(|it| it.info.name == info.name);
    let text = physical.as_ref().unwrap().describe(Some(&probe));
    assert!(text.contains("assumed = false"), "{text}");
    let read = DeviceFile::parse("test", &text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let read = read.device();
    assert_eq!(read.probe, Some(probe));
    assert_eq!((read.info.quirks, read.info.driver_id), (info.quirks, info.driver_id));
    assert_eq!(read.info.refusal, None);
    // Features that only memory and its import show are not in the file.
    let features = Features {
        external: info.features.external,
        buffer_marker: info.features.buffer_marker,
        external_memory_host: info.features.external_memory_host,
        sparse_binding: info.features.sparse_binding,
        ..read.info.features
    };
    assert_eq!(features, info.features);

    // Without a probe the file has the answers of good hardware.
    let assumed = physical.unwrap().describe(None);
    assert!(assumed.contains("assumed = true"), "{assumed}");
    let assumed = DeviceFile::parse("test", &assumed).unwrap().device().probe.unwrap();
    assert!(assumed.fma32_fused && assumed.subgroups_in_order && !assumed.div32_exact);
    assert_eq!(assumed.fma64_fused, info.features.float64);
}
