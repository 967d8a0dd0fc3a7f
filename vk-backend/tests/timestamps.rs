//! Timestamps of few bits, which `HEKLA_TIMESTAMP_BITS` simulates on any device: they wrap around while the tests run.

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hekla_vk_backend::{Device, Error, Instance, MemoryKind, PhysicalDevice, Queue, Timestamps};

/// Opens the first usable device with timestamps that have `bits` bits. The tests of this file take turns.
fn device_with_bits(bits: u32) -> Arc<Device> {
    std::env::set_var("HEKLA_TIMESTAMP_BITS", bits.to_string());
    let device = common::device();
    std::env::remove_var("HEKLA_TIMESTAMP_BITS");
    device
}

/// Returns the first usable device and the number of bits with which its timestamps wrap around every one to two
/// seconds.
fn bits_of_a_second() -> Option<u32> {
    let usable = |p: &PhysicalDevice| p.info.refusal.is_none();
    let device = Instance::load().ok()?.physical_devices().into_iter().find(usable)?;
    let limits = &device.info.limits;
    let bits = (1e9 / limits.timestamp_period).log2().ceil() as u32;
    (limits.timestamp_valid_bits >= bits).then_some(bits)
}

/// Runs a timed command that fills `b` often enough to take some time, and returns its times.
fn timed_command(queue: &Queue, b: &Arc<hekla_vk_backend::Buffer>, fills: u32) -> Timestamps {
    let (times, value) = queue.record(|r| {
        r.barrier();
        let times = r.begin_timestamp().expect("the queue profiles");
        for i in 0..fills {
            r.barrier();
            r.fill(b, 0, b.size(), i);
        }
        r.end_timestamp();
        times
    });
    queue.wait(value).unwrap();
    let found = queue.timestamps(value).unwrap();
    assert_eq!(found, times.get());
    found.expect("the command is complete")
}

fn times_are_right_over_wraps() {
    let Some(bits) = bits_of_a_second() else {
        common::skip("timestamps have too few bits");
        return;
    };
    let device = device_with_bits(bits);
    assert_eq!(device.info().limits.timestamp_valid_bits, bits);
    let wrap = f64::from(device.info().limits.timestamp_period) * f64::from(bits).exp2() / 1e9;
    let wrap = Duration::from_secs_f64(wrap);
    println!("{} with {bits} bits: a wrap every {wrap:?}", device.info().name);
    let queue = device.create_queue(true).unwrap();
    assert!(queue.profiling());
    let b = device.create_buffer(16 << 20, MemoryKind::Device).unwrap();

    // Commands run one after the other for some periods, so that timestamps wrap within commands.
    let start = Instant::now();
    let first = timed_command(&queue, &b, 1);
    let (mut busy, mut last, mut fills) = (0, first, 1);
    while start.elapsed() < 3 * wrap {
        let begun = Instant::now();
        let times = timed_command(&queue, &b, fills);
        let took = begun.elapsed();
        assert!(last.end_ns <= times.begin_ns, "{last:?}, then {times:?}");
        let duration = times.end_ns - times.begin_ns;
        assert!(duration > 0, "{times:?}");
        assert!(u128::from(duration) <= took.as_nanos() * 11 / 10, "{times:?} within {took:?}");
        busy += duration;
        last = times;
        if took < wrap / 10 {
            fills = (fills * 2).min(1 << 12);
        }
    }
    assert!(u128::from(busy) > wrap.as_nanos(), "busy for {busy} ns of {:?}", start.elapsed());
    // The queue is idle for more than a period.
    std::thread::sleep(wrap * 5 / 4);
    let after = timed_command(&queue, &b, 1);
    let elapsed = start.elapsed().as_nanos() as i128;
    let by_device = i128::from(after.end_ns - first.begin_ns);
    let error = (elapsed - by_device).abs();
    assert!(
        error < wrap.as_nanos() as i128 * 3 / 4,
        "{by_device} ns by the device, {elapsed} ns by the host"
    );
    let clocks = device.correlate_clocks().unwrap();
    assert!(clocks.device_ns >= after.end_ns - 2 * clocks.max_deviation_ns, "{clocks:?}");
}

fn without_timestamps_there_is_no_profiling() {
    let device = device_with_bits(0);
    assert_eq!(device.info().limits.timestamp_valid_bits, 0);
    let queue = device.create_queue(true).unwrap();
    assert!(!queue.profiling());
    let (times, value) = queue.record(|r| r.begin_timestamp());
    queue.wait(value).unwrap();
    assert!(times.is_none() && queue.timestamps(value).unwrap().is_none());
    assert!(matches!(device.correlate_clocks(), Err(Error::Unsupported(_))));
}

/// Both tests set the same variable, so they run one after the other.
#[test]
fn timestamps_of_few_bits() {
    times_are_right_over_wraps();
    without_timestamps_there_is_no_profiling();
}
