//! Recording, order, waiting, timestamps and the lifetime of the objects that commands use.
//!
//! Each test opens a device and closes it. NVIDIA's driver 580 may hang where several threads do that at once (one in
//! vkDestroyDevice and another at its end, as a debugger shows): with it the tests need `--test-threads=1`.

mod common;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use common::{addresses, bytes, download};
use hekla_vk_backend::{
    Buffer, CopyKernel, CopyRegion, Device, Error, MemoryKind, PipelineDesc, Priority, Queue,
    QueueOptions, Quirks, Recorder, Recording,
};

fn upload(device: &Arc<Device>, words: &[u32]) -> Arc<Buffer> {
    let size = words.len() as u64 * 4;
    let staging = device.create_buffer(size, MemoryKind::Upload).unwrap();
    common::write(&staging, 0, &bytes(words)).unwrap();
    let b = device.create_buffer(size, MemoryKind::Device).unwrap();
    let queue = device.create_queue(false).unwrap();
    let ((), value) = queue.record(|r| r.copy(&staging, 0, &b, 0, size));
    queue.wait(value).unwrap();
    b
}

/// Enqueues one in-order command that multiplies the buffer's words by 3 and adds 1.
fn enqueue_step(queue: &Queue, step: &Arc<hekla_vk_backend::Pipeline>, b: &Arc<Buffer>) -> u64 {
    let push = addresses(&[b]);
    let groups = b.size() as u32 / 4 / 64;
    let ((), value) = queue.record(|r| {
        r.barrier();
        r.retain(b.clone());
        common::dispatch(r, step, &push, [groups, 1, 1]);
    });
    value
}

fn stepped(mut x: u32, times: u32) -> u32 {
    for _ in 0..times {
        x = x.wrapping_mul(3).wrapping_add(1);
    }
    x
}

#[test]
fn a_kernel_squares_through_device_addresses() {
    let device = common::device();
    let words: Vec<u32> = (0..4096u32).map(|i| i.wrapping_mul(77_777)).collect();
    let input = upload(&device, &words);
    let queue = device.create_queue(false).unwrap();
    for typed_pointers in [false, true] {
        for local_size in [1, 16, 128] {
            let output = device.create_buffer(input.size(), MemoryKind::Device).unwrap();
            let pipeline = common::square(&device, local_size, typed_pointers);
            let push = addresses(&[&input, &output]);
            let ((), value) = queue.record(|r| {
                r.retain(input.clone());
                r.retain(output.clone());
                common::dispatch(r, &pipeline, &push, [4096 / local_size, 1, 1]);
                common::dispatch(r, &pipeline, &push, [0, 1, 1]);
            });
            queue.wait(value).unwrap();
            let squares: Vec<u32> = words.iter().map(|w| w.wrapping_mul(*w)).collect();
            assert_eq!(download(&output), squares, "local size {local_size}");
        }
    }
}

#[test]
fn each_dispatch_has_its_own_push_constants() {
    let device = common::device();
    let (step, square) = (common::step(&device, 64), common::square(&device, 64, false));
    let [a, b] = [1, 2].map(|word| upload(&device, &[word; 64]));
    let replayed = addresses(&[&b]);
    let (recording, ()) =
        Recording::create(&device, 1, |r| common::dispatch(r, &step, &replayed, [1, 1, 1]))
            .unwrap();
    let queue = device.create_queue(false).unwrap();
    let ((), value) = queue.record(|r| {
        let (only_a, both) = (addresses(&[&a]), addresses(&[&a, &b]));
        [&a, &b].into_iter().for_each(|buffer| r.retain(buffer.clone()));
        let mut dispatch = |pipeline, push| {
            r.barrier();
            match pipeline {
                Some(pipeline) => common::dispatch(r, pipeline, push, [1, 1, 1]),
                None => r.replay(&recording),
            }
        };
        dispatch(Some(&step), &only_a);
        dispatch(Some(&step), &only_a);
        // This pipeline has another layout, which begins with the same address.
        dispatch(Some(&square), &both);
        dispatch(Some(&step), &only_a);
        dispatch(None, &[]);
        dispatch(Some(&step), &only_a);
        dispatch(Some(&step), &replayed);
    });
    queue.wait(value).unwrap();
    assert_eq!(download(&a), [stepped(1, 4); 64]);
    assert_eq!(download(&b), [stepped(stepped(1, 2).pow(2), 2); 64]);
}

#[test]
fn a_recording_is_replayed_while_earlier_replays_are_under_way() {
    let device = common::device();
    let step = common::step(&device, 64);
    let b = upload(&device, &[1; 256]);
    let out = device.create_buffer(b.size(), MemoryKind::Device).unwrap();
    let (recording, ()) = Recording::create(&device, 4, |r| {
        r.retain(b.clone());
        for _ in 0..3 {
            common::dispatch(r, &step, &addresses(&[&b]), [4, 1, 1]);
            r.barrier();
        }
        r.copy(&b, 0, &out, 0, b.size());
    })
    .unwrap();
    let queue = device.create_queue(true).unwrap();
    const TIMES: u32 = 300;
    let mut last = 0;
    for _ in 0..TIMES {
        ((), last) = queue.record(|r| {
            r.barrier();
            r.begin_timestamp();
            r.replay(&recording);
            r.end_timestamp();
        });
        // Between two replays a pipeline is bound that the recording does not contain.
        last = enqueue_step(&queue, &step, &b).max(last);
    }
    // The queue keeps the recordings that it replays.
    drop(recording);
    queue.wait(last).unwrap();
    assert_eq!(download(&b), vec![stepped(1, 4 * TIMES); 256]);
    assert_eq!(download(&out), vec![stepped(1, 4 * TIMES - 1); 256]);
    if let Some(times) = queue.timestamps(1).unwrap() {
        assert!(times.begin_ns <= times.end_ns);
    }
}

#[test]
fn two_queues_replay_one_recording() {
    let device = common::device();
    let step = common::step(&device, 64);
    let b = upload(&device, &[1; 256]);
    let push = addresses(&[&b]);
    let (recording, ()) =
        Recording::create(&device, 1, |r| common::dispatch(r, &step, &push, [4, 1, 1])).unwrap();
    let queues = [device.create_queue(false).unwrap(), device.create_queue(false).unwrap()];
    const TIMES: usize = 200;
    let mut last = 0;
    for turn in 0..TIMES {
        let (queue, other) = (&queues[turn % 2], &queues[(turn + 1) % 2]);
        queue.wait_gpu(other, last).unwrap();
        ((), last) = queue.record(|r| {
            r.barrier();
            r.replay(&recording);
        });
    }
    queues[(TIMES - 1) % 2].wait(last).unwrap();
    assert_eq!(download(&b), vec![stepped(1, TIMES as u32); 256]);
}

#[test]
fn commands_run_in_order_across_batches() {
    let device = common::device();
    let step = common::step(&device, 64);
    let b = upload(&device, &[1; 256]);
    let queue = device.create_queue(false).unwrap();
    const TIMES: u32 = 1500;
    for i in 0..TIMES {
        assert_eq!(enqueue_step(&queue, &step, &b), u64::from(i) + 1);
        if i % 400 == 0 {
            queue.flush().unwrap();
        }
    }
    assert_eq!(queue.issued(), u64::from(TIMES));
    queue.wait(u64::from(TIMES)).unwrap();
    assert_eq!(queue.completed().unwrap(), u64::from(TIMES));
    assert_eq!(queue.submitted(), u64::from(TIMES));
    assert_eq!(download(&b), vec![stepped(1, TIMES); 256]);
}

#[test]
fn two_threads_record_and_wait() {
    let device = common::device();
    let step = common::step(&device, 64);
    let queue = device.create_queue(false).unwrap();
    std::thread::scope(|scope| {
        for seed in [3u32, 1000] {
            let (device, step, queue) = (&device, &step, &queue);
            scope.spawn(move || {
                let b = upload(device, &[seed; 64]);
                for i in 1..=100u32 {
                    let value = enqueue_step(queue, step, &b);
                    if i % 7 == 0 {
                        queue.wait(value).unwrap();
                        assert!(queue.completed().unwrap() >= value);
                        let so_far = stepped(seed, i);
                        assert_eq!(download(&b), vec![so_far; 64]);
                    }
                }
                let last = queue.issued();
                queue.wait(last).unwrap();
                assert_eq!(download(&b), vec![stepped(seed, 100); 64]);
            });
        }
    });
}

#[test]
fn queues_wait_for_each_other_on_the_device() {
    let device = common::device();
    let step = common::step(&device, 64);
    let b = upload(&device, &[9; 64]);
    // More queues than the device's Vulkan queues: some share one.
    let queue = |i: usize| {
        let priority = [Priority::Low, Priority::Medium, Priority::High, Priority::Medium][i % 4];
        device.create_queue_with(QueueOptions { priority, ..QueueOptions::default() }).unwrap()
    };
    let queues: Vec<_> = (0..10).map(queue).collect();
    let mut last: Option<(&Arc<Queue>, u64)> = None;
    for i in 0..120 {
        let queue = &queues[i * 7 % queues.len()];
        if let Some((other, value)) = last {
            queue.wait_gpu(other, value).unwrap();
        }
        last = Some((queue, enqueue_step(queue, &step, &b)));
    }
    let (queue, value) = last.unwrap();
    queue.wait(value).unwrap();
    assert_eq!(download(&b), vec![stepped(9, 120); 64]);

    let unissued = queues[0].issued() + 1;
    assert!(matches!(queues[1].wait_gpu(&queues[0], unissued), Err(Error::Invalid(_))));
    assert!(matches!(queues[0].wait(unissued), Err(Error::Invalid(_))));
    queues[0].wait_gpu(&queues[0], 1).unwrap();
}

/// A wait for a complete command returns at once, whatever the queue has been given since.
#[test]
fn complete_commands_are_not_waited_for_again() {
    let device = common::device();
    let queue = device.create_queue(false).unwrap();
    let step = common::step(&device, 64);
    let small = upload(&device, &[1; 64]);
    let large = upload(&device, &vec![1; 1 << 20]);
    let first = enqueue_step(&queue, &step, &small);
    queue.wait(first).unwrap();
    assert_eq!(queue.completed().unwrap(), first);
    let mut last = first;
    for _ in 0..300 {
        last = enqueue_step(&queue, &step, &large);
    }
    queue.flush().unwrap();
    queue.wait(first).unwrap();
    queue.wait(0).unwrap();
    let reached = queue.completed().unwrap();
    queue.wait(last).unwrap();
    assert!(reached < last, "waited for all");
}

/// A thread that waits for a batch does not wait for batches that were submitted behind it.
#[test]
fn a_wait_ends_with_its_own_batch() {
    let device = common::device();
    let queue = device.create_queue(false).unwrap();
    let step = common::step(&device, 64);
    let large = upload(&device, &vec![1; 1 << 20]);
    let steps = |count| (0..count).fold(0, |_, _| enqueue_step(&queue, &step, &large));
    // This takes long enough for the waiting thread to sleep.
    let first = steps(100);
    queue.flush().unwrap();
    let last = steps(600);
    queue.flush().unwrap();
    queue.wait(first).unwrap();
    let reached = queue.completed().unwrap();
    queue.wait(last).unwrap();
    assert!((first..last).contains(&reached), "{reached} of {last}");
}

#[test]
fn timestamps_are_in_order() {
    let device = common::device();
    let queue = device.create_queue(true).unwrap();
    if !queue.profiling() {
        common::skip("the device has no timestamps");
        return;
    }
    let step = common::step(&device, 64);
    let b = upload(&device, &[2; 4096]);
    let push = addresses(&[&b]);
    let earliest = device.correlate_clocks().unwrap().device_ns;
    let mut commands = Vec::new();
    for i in 0..600 {
        commands.push(queue.record(|r| {
            r.barrier();
            let times = r.begin_timestamp();
            assert!(times.is_some() && r.begin_timestamp().is_none());
            r.retain(b.clone());
            common::dispatch(r, &step, &push, [64, 1, 1]);
            if i != 5 {
                r.end_timestamp();
                r.end_timestamp();
            }
            times.unwrap()
        }));
    }
    let ((), untimed) = queue.record(|r| r.fill(&b, 0, 4, 0));
    queue.wait(untimed).unwrap();
    assert_eq!(queue.timestamps(untimed).unwrap(), None);
    let mut previous = 0;
    for (i, (times, value)) in commands.iter().enumerate() {
        let found = queue.timestamps(*value).unwrap();
        assert_eq!(found, times.get());
        let Some(t) = found else {
            assert_eq!(i, 5, "only the command without an end has no times");
            continue;
        };
        assert!(previous <= t.begin_ns && t.begin_ns <= t.end_ns);
        previous = t.end_ns;
    }
    let clocks = device.correlate_clocks().unwrap();
    println!("{clocks:?}");
    let slack = 2 * clocks.max_deviation_ns + 1_000_000_000;
    assert!(earliest <= previous + slack);
    assert!(previous <= device.correlate_clocks().unwrap().device_ns + slack);
    assert!(!device.create_queue(false).unwrap().profiling());
}

/// Counts its drops, and uses the queue in each of them.
struct Witness {
    drops: Arc<AtomicU32>,
    queue: std::sync::Weak<Queue>,
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
        if let Some(queue) = self.queue.upgrade() {
            // This would deadlock if the queue dropped the objects that it releases under its lock.
            let _ = queue.completed();
        }
    }
}

#[test]
fn batches_keep_what_they_use_until_they_complete() {
    let device = common::device();
    let queue = device.create_queue(false).unwrap();
    let drops = Arc::new(AtomicU32::new(0));
    let target = device.create_buffer(64, MemoryKind::Readback).unwrap();
    let witness = || Arc::new(Witness { drops: drops.clone(), queue: Arc::downgrade(&queue) });
    for i in 0..300 {
        // The test drops its reference to the source at once.
        let source = device.create_buffer(64, MemoryKind::Upload).unwrap();
        common::write(&source, 0, &[i as u8; 64]).unwrap();
        queue.record(|r| {
            r.barrier();
            r.retain(witness());
            r.copy(&source, 0, &target, 0, 64);
        });
    }
    queue.wait(queue.issued()).unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 300);
    let mut out = [0; 64];
    common::read(&target, 0, &mut out).unwrap();
    assert_eq!(out, [299u32 as u8; 64]);
}

#[test]
fn dropping_a_queue_finishes_its_work() {
    let device = common::device();
    let step = common::step(&device, 64);
    let b = upload(&device, &[4; 64]);
    let queue = device.create_queue(true).unwrap();
    for _ in 0..50 {
        enqueue_step(&queue, &step, &b);
    }
    drop(queue);
    assert_eq!(download(&b), vec![stepped(4, 50); 64]);
    drop(device.create_queue(false).unwrap());
}

#[test]
fn a_panic_while_recording_leaves_the_queue_usable() {
    let device = common::device();
    let queue = device.create_queue(false).unwrap();
    let b = device.create_buffer(64, MemoryKind::Device).unwrap();
    let out_of_bounds = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        queue.record(|r| r.fill(&b, 0, 68, 1));
    }));
    assert!(out_of_bounds.is_err());
    let ((), value) = queue.record(|r| r.fill(&b, 0, 64, 6));
    assert_eq!(value, 1);
    queue.wait(value).unwrap();
    assert_eq!(download(&b), [6; 16]);
}

#[test]
fn bad_pipelines_are_refused() {
    let device = common::device();
    let desc = |spirv, push| PipelineDesc {
        spirv,
        entry: "main",
        name: "test",
        specialization: &[],
        push_constant_size: push,
        uses_images: false,
        subgroups: Default::default(),
    };
    assert!(matches!(common::create_pipeline(&device, &desc(&[], 0)), Err(Error::Invalid(_))));
    assert!(matches!(common::create_pipeline(&device, &desc(&[1; 9], 0)), Err(Error::Invalid(_))));
    let limit = device.info().limits.max_push_constants;
    let too_long = common::create_pipeline(&device, &desc(&[1; 9], limit + 4));
    assert!(matches!(too_long, Err(Error::Unsupported(_))));
}

#[test]
fn the_copy_kernel_copies_what_the_driver_would() {
    let device = common::device();
    let kernel = CopyKernel::create(&device).unwrap();
    let words: Vec<u32> = (0..100_003u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let source = upload(&device, &words);
    let size = source.size();
    // Copies of the whole buffer; of an aligned part with a tail; of unaligned parts; of a part that is too small for the
    // kernel.
    for (from, to, length) in
        [(0, 0, size), (16, 4096, 200_012), (4, 16, 300_000), (16, 4, 300_000), (32, 64, 100)]
    {
        let target = upload(&device, &vec![7; words.len()]);
        let queue = device.create_queue(false).unwrap();
        let region = CopyRegion { src_offset: from, dst_offset: to, size: length };
        let ((), value) = queue.record(|r| kernel.copy(r, &source, &target, &[region]));
        queue.wait(value).unwrap();
        let (from, to, length) = (from as usize / 4, to as usize / 4, length as usize / 4);
        let mut expected = vec![7; words.len()];
        expected[to..to + length].copy_from_slice(&words[from..from + length]);
        assert!(download(&target) == expected, "{length} words from {from} to {to}");
    }
}

#[test]
fn the_host_sees_device_memory_when_it_asks() {
    let device = common::device();
    device.pretend_discrete();
    let (queue, other) = (device.create_queue(false).unwrap(), device.create_queue(false).unwrap());
    let b = device.create_buffer(64, MemoryKind::Device).unwrap();
    // Cases: nothing is recorded; a batch makes nothing visible; a batch was expected to make its results visible; the batch is
    // another queue's.
    queue.wait_host_visible(0).unwrap();
    for (word, queue) in [(3u32, &queue), (5, &queue), (7, &other), (9, &queue)] {
        let ((), value) = queue.record(|r| r.fill(&b, 0, 64, word));
        queue.wait_host_visible(value).unwrap();
        assert!(queue.completed().unwrap() >= value);
        if b.mapped().is_some() {
            let mut bytes = [0; 4];
            common::read(&b, 60, &mut bytes).unwrap();
            assert_eq!(u32::from_le_bytes(bytes), word);
        }
    }
    assert!(matches!(queue.wait_host_visible(1000), Err(Error::Invalid(_))));
}

#[test]
fn an_out_of_order_queue_orders_what_it_is_told_to() {
    let device = common::device();
    let step = common::step(&device, 64);
    let options = QueueOptions { out_of_order: true, profiling: true, ..QueueOptions::default() };
    let queue = device.create_queue_with(options).unwrap();
    // Two chains of steps run side by side through several batches; each step follows the last step of its own chain.
    let chains = [upload(&device, &[1; 256]), upload(&device, &[8; 256])];
    let mut last = [0; 2];
    let mut values = Vec::new();
    for i in 0..700u64 {
        let chain = (i % 2) as usize;
        let (b, after) = (&chains[chain], last[chain]);
        let push = addresses(&[b]);
        let ((), value) = queue.record(|r| {
            r.after(after);
            r.begin_timestamp();
            r.retain(b.clone());
            common::dispatch(r, &step, &push, [4, 1, 1]);
            r.end_timestamp();
        });
        values.push((value, after));
        last[chain] = value;
        if i % 150 == 0 {
            queue.flush().unwrap();
        }
    }
    queue.wait(queue.issued()).unwrap();
    assert_eq!(download(&chains[0]), vec![stepped(1, 350); 256]);
    assert_eq!(download(&chains[1]), vec![stepped(8, 350); 256]);
    if !queue.profiling() {
        common::skip("the device has no timestamps");
        return;
    }
    for (value, after) in values {
        let times = queue.timestamps(value).unwrap().expect("times of a complete command");
        assert!(times.begin_ns <= times.end_ns);
        if after > 0 {
            let before = queue.timestamps(after).unwrap().expect("times of what it waited for");
            assert!(before.end_ns <= times.begin_ns, "{value} began before {after} ended");
        }
    }
}

/// Runs all of these tests again with completion markers, which are on by default with some drivers only.
#[test]
fn all_of_this_holds_with_completion_markers() {
    common::run_again_with(&[("HEKLA_COMPLETION_MARKERS", "1"), ("HEKLA_VALIDATE", "0")]);
}

#[test]
fn all_of_this_holds_for_memory_that_is_not_coherent() {
    common::run_again_with(&[("HEKLA_NONCOHERENT", "1")]);
}

/// Runs the tests where queues have Vulkan queues of their own, which wait for each other by semaphores.
#[test]
fn all_of_this_holds_with_several_vulkan_queues() {
    common::run_again_with(&[("HEKLA_QUEUE_COPIES", "3")]);
    let markers = [("HEKLA_COMPLETION_MARKERS", "1"), ("HEKLA_VALIDATE", "0")];
    common::run_again_with(&[markers[0], markers[1], ("HEKLA_QUEUE_COPIES", "3")]);
}

#[test]
fn queues_take_turns_part_and_take_turns_again() {
    let device = common::device();
    let step = common::step(&device, 64);
    let queues: Vec<_> = (0..3).map(|_| device.create_queue(false).unwrap()).collect();
    let shared = upload(&device, &[5; 64]);
    let own: Vec<_> = (0..3).map(|i| upload(&device, &[i; 64])).collect();
    let (mut turns, mut alone) = (0, 0);
    for round in 0..20 {
        let mut last: Option<(usize, u64)> = None;
        for turn in 0..5 + round {
            let at = turn % 2;
            if let Some((other, value)) = last {
                queues[at].wait_gpu(&queues[other], value).unwrap();
            }
            last = Some((at, enqueue_step(&queues[at], &step, &shared)));
            // The third queue and this one get work that nothing waits for.
            if turn % 3 == 2 {
                for i in [2, at] {
                    enqueue_step(&queues[i], &step, &own[i]);
                }
                alone += 1;
            }
            turns += 1;
        }
        // Some rounds begin with idle queues, others follow the end of the round before.
        let (at, value) = last.unwrap();
        match round % 3 {
            0 => queues[at].wait(value).unwrap(),
            1 => queues[1 - at].wait_gpu(&queues[at], value).unwrap(),
            _ => queues[2].wait_gpu(&queues[at], value).unwrap(),
        }
        if round % 3 == 2 {
            // The next round's first turn follows this round's last turn by way of the third queue.
            let value = enqueue_step(&queues[2], &step, &shared);
            queues[0].wait_gpu(&queues[2], value).unwrap();
            turns += 1;
        } else if at != 0 {
            queues[0].wait_gpu(&queues[at], value).unwrap();
        }
    }
    for queue in &queues {
        queue.wait(queue.issued()).unwrap();
    }
    assert_eq!(download(&shared), vec![stepped(5, turns); 64]);
    assert_eq!(download(&own[2]), vec![stepped(2, alone); 64]);
}

#[test]
fn pipelines_are_compiled_ahead_until_one_dispatch_is_complete() {
    let device = common::device_with(Quirks::COMPILES_IN_DISPATCH);
    let (step, square) = (common::step(&device, 64), common::square(&device, 64, false));
    let [a, b] = [1, 2].map(|word| upload(&device, &[word; 64]));
    let (one, both) = (addresses(&[&a]), addresses(&[&a, &b]));
    let (recording, ()) = Recording::create(&device, 1, |r| {
        [&a, &b].into_iter().for_each(|buffer| r.retain(buffer.clone()));
        common::dispatch(r, &square, &both, [1, 1, 1]);
    })
    .unwrap();
    let queue = device.create_queue(false).unwrap();
    let run = || {
        let ((), value) = queue.record(|r| {
            r.barrier();
            r.retain(a.clone());
            common::dispatch(r, &step, &one, [1, 1, 1]);
            r.barrier();
            r.replay(&recording);
        });
        queue.wait(value).unwrap();
    };
    // The compilation has no effect of its own, and sets other state than the dispatch needs.
    let (compiled, value) = queue.record(|r| {
        let first = [r.compile(&step), r.compile(&square), r.compile_recording(&recording)];
        r.barrier();
        common::dispatch(r, &step, &one, [1, 1, 1]);
        (first, r.compile(&step))
    });
    assert_eq!(compiled, ([true; 3], true), "not complete yet");
    queue.wait(value).unwrap();
    assert_eq!(download(&a), [stepped(1, 1); 64]);
    run();
    let after =
        |r: &mut Recorder| [r.compile(&step), r.compile(&square), r.compile_recording(&recording)];
    assert_eq!(queue.record(after).0, [false; 3]);
    let others = common::device();
    if !others.info().quirks.contains(Quirks::COMPILES_IN_DISPATCH) {
        let step = common::step(&others, 64);
        let queue = others.create_queue(true).unwrap();
        assert!(!queue.record(|r| r.compile(&step)).0);
    }
}
