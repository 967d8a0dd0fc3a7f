//! Commands that depend on each other by events, in several queues, on a few buffers; some wait for
//! user events, some for commands of other threads.

use crate::common::*;
use crate::owned::{event, Buffer, Event, Kernel, Numbers, Owned, Queue};
use crate::world::{set_buffers, World};

const WORDS: usize = 64;

/// A buffer all of whose words are one number.
struct Node {
    buffer: Buffer,
    word: u32,
    writer: Event,
    readers: Vec<Event>,
}

fn pick<'a>(numbers: &mut Numbers, queues: &[&'a Queue]) -> &'a Queue {
    queues[numbers.below(queues.len())]
}

pub fn own_queues(world: &World, numbers: &mut Numbers) {
    let queues: Vec<_> = (0..1 + numbers.below(3)).map(|_| world.any_queue(numbers)).collect();
    let queues: Vec<_> = queues.iter().collect();
    graph(world, numbers, &queues);
}

pub fn shared_queues(world: &World, numbers: &mut Numbers) {
    let own = world.any_queue(numbers);
    let queues: Vec<_> = world.queues.iter().chain([&own]).collect();
    graph(world, numbers, &queues);
}

fn fill(world: &World, queue: &Queue, mem: &Buffer, word: u32, waits: &[&Event]) -> Event {
    let pattern = (&raw const word).cast();
    let size = WORDS * 4;
    event(waits, |n, l, e| unsafe {
        (world.cl.clEnqueueFillBuffer)(queue.get(), mem.get(), pattern, 4, 0, size, n, l, e)
    })
}

fn graph(world: &World, numbers: &mut Numbers, queues: &[&Queue]) {
    let cl = world.cl;
    let kernel = made(|e| unsafe { (cl.clCloneKernel)(world.kernel.get(), e) });
    let kernel: Kernel = Owned::new(kernel, cl.clReleaseKernel);
    let mut nodes: Vec<Node> = (0..5)
        .map(|_| {
            let (buffer, word) = (world.buffer(WORDS * 4), numbers.next() as u32);
            let writer = fill(world, pick(numbers, queues), &buffer, word, &[]);
            Node { buffer, word, writer, readers: Vec::new() }
        })
        .collect();
    for _ in 0..10 + numbers.below(80) {
        let (a, b, out) = (numbers.below(5), numbers.below(5), numbers.below(5));
        if a == out || b == out {
            continue;
        }
        let queue = pick(numbers, queues);
        let mut others = std::mem::take(&mut nodes[out].readers);
        if numbers.once_in(12) {
            others.push(world.gate());
        }
        if numbers.once_in(8) {
            others.extend(world.foreign_event(numbers));
        }
        let (done, word) = command(world, numbers, &kernel, queue, (&nodes, [a, b, out]), &others);
        if numbers.once_in(20) {
            world.remember(&done, numbers);
        }
        nodes[a].readers.push(done.share());
        nodes[b].readers.push(done.share());
        nodes[out].word = word;
        nodes[out].writer = done;
        match numbers.below(24) {
            0 => check(unsafe { (cl.clFlush)(queue.get()) }),
            1 => drop(event(&[], |n, l, e| unsafe {
                (cl.clEnqueueBarrierWithWaitList)(queue.get(), n, l, e)
            })),
            2 => drop(event(&[], |n, l, e| unsafe {
                (cl.clEnqueueMarkerWithWaitList)(queue.get(), n, l, e)
            })),
            3 => assert_eq!(nodes[out].writer.status().min(CL_COMPLETE), CL_COMPLETE),
            _ => {}
        }
    }
    for node in &nodes {
        let bytes =
            crate::world::read(pick(numbers, queues), &node.buffer, WORDS * 4, &node.writer);
        assert!(bytes.chunks(4).all(|chunk| chunk == node.word.to_le_bytes()));
    }
    // In-order queues may still have markers behind user events of this graph.
    for queue in queues {
        if numbers.once_in(3) {
            crate::world::finish(queue);
        }
    }
}

/// Enqueues one command that writes the last of three nodes; returns its event, and the word that it writes.
fn command(
    world: &World,
    numbers: &mut Numbers,
    kernel: &Kernel,
    queue: &Queue,
    (nodes, [a, b, out]): (&[Node], [usize; 3]),
    others: &[Event],
) -> (Event, u32) {
    let cl = world.cl;
    let mut waits: Vec<&Event> = [a, b, out].iter().map(|index| &nodes[*index].writer).collect();
    waits.extend(others);
    let [a, b, out] = [a, b, out].map(|index| &nodes[index]);
    match numbers.below(4) {
        0 => {
            let word = numbers.next() as u32;
            (fill(world, queue, &out.buffer, word, &waits), word)
        }
        1 => {
            let (from, to) = (a.buffer.get(), out.buffer.get());
            let copied = event(&waits, |n, l, e| unsafe {
                (cl.clEnqueueCopyBuffer)(queue.get(), from, to, 0, 0, WORDS * 4, n, l, e)
            });
            (copied, a.word)
        }
        _ => {
            set_buffers(kernel, &[&a.buffer, &b.buffer, &out.buffer]);
            let size = WORDS;
            let launched = event(&waits, |n, l, e| unsafe {
                let (none, launch) = (std::ptr::null(), cl.clEnqueueNDRangeKernel);
                launch(queue.get(), kernel.get(), 1, none, &size, none, n, l, e)
            });
            (launched, a.word.wrapping_mul(3).wrapping_add(b.word).wrapping_add(1))
        }
    }
}
