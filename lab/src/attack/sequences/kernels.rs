//! The kernels on buffers, and what they do to the model.

use super::api::Result;
use super::launch::{uint, Arg, Sizes};
use super::object::Object;
use super::span::Span;
use super::world::World;

/// The largest number of work-items of a launch.
const ITEMS: usize = 3000;

/// Returns true if kernels can get the object as a pointer to bytes.
fn is_memory(object: &Object) -> bool {
    object.image().is_none()
}

/// Reads numbers of 4 bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl World<'_> {
    /// Launches any kernel on buffers.
    pub fn kernel(&mut self) -> Result<()> {
        match self.random.below(15) {
            0 => self.add(),
            1 => self.in_place("mix"),
            2 => self.in_place("array"),
            3 => self.turn(),
            4 => self.stores(1),
            5 => self.stores(2),
            6 => self.copy_bytes(1),
            7 => self.copy_bytes(3),
            8 => self.gather(),
            9 => self.histogram(),
            10 => self.total(),
            11 => self.groups(),
            12 => self.by_value(),
            13 => self.indirect(),
            _ => self.table(),
        }
    }

    /// Picks memory of at least `least` bytes that a kernel writes; returns its number and its size.
    fn target(&mut self, least: usize) -> Option<(usize, usize)> {
        let object = self.pick(|o| is_memory(o) && !o.read_only && o.bytes >= least)?;
        Some((object, self.objects[object].bytes))
    }

    /// Picks memory that a kernel reads while it writes `to`; returns none if the two overlap.
    fn source(&mut self, least: usize, to: usize) -> Option<(usize, usize)> {
        let object = self.pick(|o| is_memory(o) && o.bytes >= least)?;
        let overlaps = self.whole_span(object).conflicts(&self.whole_span(to).written());
        (!overlaps).then(|| (object, self.objects[object].bytes))
    }

    fn span_at(&self, object: usize, at: usize, bytes: usize) -> Span {
        self.objects[object].span(object, &[at], bytes)
    }

    fn add(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        // A kernel may read and write the same memory: each work-item reads what it writes.
        let both = self.random.once_in(6).then_some((to, all));
        let Some((from, source)) = both.or_else(|| self.source(4, to)) else { return Ok(()) };
        let (sizes, n) = self.sizes((all.min(source) / 4).min(ITEMS));
        let k = self.random.number() as u32;
        let spans = vec![self.span_at(to, 0, 4 * n).written(), self.span_at(from, 0, 4 * n)];
        let constant = self.kernels.constant();
        self.launch(
            "add",
            &[Arg::Object(to), Arg::Object(from), uint(k)],
            &sizes,
            spans,
            move |world| {
                let b = words(world.get(from, 0, 4 * n));
                world.update(to, n, |i, a| a.wrapping_add(b[i] ^ constant).wrapping_add(k));
            },
        )
    }

    /// Replaces the first numbers of an object.
    fn update(&mut self, object: usize, n: usize, new: impl Fn(usize, u32) -> u32) {
        let old = words(self.get(object, 0, 4 * n));
        let all: Vec<u32> = old.iter().enumerate().map(|(i, word)| new(i, *word)).collect();
        self.put(object, 0, &bytes_of(&all));
    }

    fn in_place(&mut self, name: &'static str) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / 4).min(ITEMS));
        let k = self.random.number() as u32;
        let spans = vec![self.span_at(to, 0, 4 * n).written()];
        self.launch(name, &[Arg::Object(to), uint(k)], &sizes, spans, move |world| {
            let mix = |i: usize, a: u32| a ^ (i as u32).wrapping_mul(2_654_435_761).wrapping_add(k);
            let array = |i: usize, a: u32| {
                (0..8u32).fold(0u32, |sum, step| {
                    let place = step.wrapping_mul(k).wrapping_add(i as u32) % 8;
                    sum.wrapping_mul(17).wrapping_add(a >> (place * 4) & 15)
                })
            };
            match name {
                "mix" => world.update(to, n, mix),
                _ => world.update(to, n, array),
            }
        })
    }

    fn turn(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(8) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / 8).min(ITEMS));
        let k = self.random.number();
        let spans = vec![self.span_at(to, 0, 8 * n).written()];
        let factor = u64::from(self.kernels.constant()) * 2 + 1;
        let arg = Arg::Bytes(k.to_le_bytes().to_vec());
        self.launch("turn", &[Arg::Object(to), arg], &sizes, spans, move |world| {
            let new = |(i, word): (usize, &[u8])| {
                let old = u64::from_le_bytes(word.try_into().unwrap_or_default());
                old.wrapping_add(i as u64)
                    .rotate_left((k % 64) as u32)
                    .wrapping_mul(factor)
                    .to_le_bytes()
            };
            let all: Vec<u8> =
                world.get(to, 0, 8 * n).chunks_exact(8).enumerate().flat_map(new).collect();
            world.put(to, 0, &all);
        })
    }

    /// Stores bytes or shorts from any offset on.
    fn stores(&mut self, size: usize) -> Result<()> {
        let Some((to, all)) = self.target(size) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / size).min(ITEMS));
        let at = self.random.below(all / size - n + 1);
        let k = self.random.number() as u32;
        let spans = vec![self.span_at(to, at * size, n * size).written()];
        let name = if size == 1 { "bytes" } else { "shorts" };
        let (pointer, first) = self.pointer(to, size, at);
        self.launch(name, &[pointer, uint(first), uint(k)], &sizes, spans, move |world| {
            let value = |i: usize| (i as u32).wrapping_mul(7).wrapping_add(k).to_le_bytes();
            let data: Vec<u8> = (0..n).flat_map(|i| value(i)[..size].to_vec()).collect();
            world.put(to, at * size, &data);
        })
    }

    /// Copies bytes, one or three per work-item, from any offset to any other.
    fn copy_bytes(&mut self, each: usize) -> Result<()> {
        let Some((to, all)) = self.target(each) else { return Ok(()) };
        let Some((from, source)) = self.source(each, to) else { return Ok(()) };
        let (sizes, n) = self.sizes((all.min(source) / each).min(ITEMS));
        let bytes = n * each;
        let (at, start) =
            (self.random.below(all - bytes + 1), self.random.below(source - bytes + 1));
        let spans = vec![self.span_at(to, at, bytes).written(), self.span_at(from, start, bytes)];
        let name = if each == 1 { "copy" } else { "vectors" };
        let (target, first) = self.pointer(to, 1, at);
        let (origin, second) = self.pointer(from, 1, start);
        let args = [target, uint(first), origin, uint(second)];
        self.launch(name, &args, &sizes, spans, move |world| {
            let mut data = world.get(from, start, bytes).to_vec();
            if each == 3 {
                data.iter_mut()
                    .enumerate()
                    .for_each(|(i, byte)| *byte = byte.wrapping_add((i % 3 + 1) as u8));
            }
            world.put(to, at, &data);
        })
    }

    fn gather(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let Some((from, source)) = self.source(4, to) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / 4).min(ITEMS));
        let (count, k) = (self.random.size(source / 4), self.random.number() as u32);
        let spans = vec![self.span_at(to, 0, 4 * n).written(), self.span_at(from, 0, 4 * count)];
        let constant = self.kernels.constant();
        let args = [Arg::Object(to), Arg::Object(from), uint(count as u32), uint(k)];
        self.launch("gather", &args, &sizes, spans, move |world| {
            let b = words(world.get(from, 0, 4 * count));
            let place =
                |i: usize| (i as u32).wrapping_mul(k).wrapping_add(constant) as usize % count;
            world.update(to, n, |i, _| b[place(i)]);
        })
    }

    fn histogram(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let Some((from, source)) = self.source(1, to) else { return Ok(()) };
        let (sizes, n) = self.sizes(source.min(ITEMS));
        let (count, start) =
            (self.random.size((all / 4).min(300)), self.random.below(source - n + 1));
        let spans = vec![self.span_at(to, 0, 4 * count).written(), self.span_at(from, start, n)];
        let args = [Arg::Object(to), uint(count as u32), Arg::Object(from), uint(start as u32)];
        self.launch("histogram", &args, &sizes, spans, move |world| {
            let mut bins = words(world.get(to, 0, 4 * count));
            for byte in world.get(from, start, n) {
                let bin = &mut bins[usize::from(*byte) % count];
                *bin = bin.wrapping_add(1);
            }
            world.put(to, 0, &bytes_of(&bins));
        })
    }

    fn total(&mut self) -> Result<()> {
        let Some((to, _)) = self.target(4) else { return Ok(()) };
        let Some((from, source)) = self.source(4, to) else { return Ok(()) };
        let (sizes, n) = self.sizes((source / 4).min(ITEMS));
        let spans = vec![self.span_at(to, 0, 4).written(), self.span_at(from, 0, 4 * n)];
        let constant = self.kernels.constant();
        self.launch("total", &[Arg::Object(to), Arg::Object(from)], &sizes, spans, move |world| {
            let sum = words(world.get(from, 0, 4 * n))
                .into_iter()
                .fold(0u32, |sum, word| sum.wrapping_add(word.wrapping_add(constant)));
            world.update(to, 1, |_, old| old.wrapping_add(sum));
        })
    }

    /// Launches a kernel with barriers and local memory: a sum of each work-group, or its numbers in reverse.
    fn groups(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let size = self.random.size(self.device.group.min(64));
        let constant = self.kernels.constant();
        if self.random.once_in(2) {
            let groups = self.random.size((all / 4 / size).min(40));
            let n = groups * size;
            if 4 * n > all {
                return Ok(());
            }
            let sizes = Sizes { offset: self.offset(1), global: vec![n], local: Some(vec![size]) };
            let spans = vec![self.span_at(to, 0, 4 * n).written()];
            return self.launch(
                "reverse",
                &[Arg::Object(to), Arg::Local(4 * size)],
                &sizes,
                spans,
                move |world| {
                    let old = words(world.get(to, 0, 4 * n));
                    world.update(to, n, |i, _| {
                        old[i / size * size + size - 1 - i % size].wrapping_add(constant)
                    });
                },
            );
        }
        let Some((from, source)) = self.source(4 * size, to) else { return Ok(()) };
        let n = self.random.size((source / 4 / size).min(40)) * size;
        let sizes = Sizes { offset: self.offset(1), global: vec![n], local: Some(vec![size]) };
        let spans = vec![self.span_at(to, 0, 4).written(), self.span_at(from, 0, 4 * n)];
        let more = self.random.below(64);
        let args = [Arg::Object(to), Arg::Object(from), Arg::Local(4 * size + more)];
        self.launch("reduce", &args, &sizes, spans, move |world| {
            let numbers = words(world.get(from, 0, 4 * n));
            let group = |part: &[u32]| {
                part.iter().fold(0u32, |sum, word| sum.wrapping_add(*word)) ^ constant
            };
            let sum = numbers.chunks(size).fold(0u32, |sum, part| sum.wrapping_add(group(part)));
            world.update(to, 1, |_, old| old.wrapping_add(sum));
        })
    }

    fn by_value(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / 4).min(ITEMS));
        let (data, vector) = (self.random.bytes(12), self.random.bytes(4));
        let spans = vec![self.span_at(to, 0, 4 * n).written()];
        let (a, c) = (u32::from(data[0]), u32::from(u16::from_le_bytes([data[8], data[9]])));
        let (b, v) = (words(&data)[1], u32::from(vector[1]));
        self.launch(
            "by_value",
            &[Arg::Object(to), Arg::Bytes(data), Arg::Bytes(vector)],
            &sizes,
            spans,
            move |world| {
                world.update(to, n, |i, old| {
                    let sum =
                        old.wrapping_mul(a).wrapping_add(b).wrapping_add(c.wrapping_mul(i as u32));
                    sum.wrapping_add(v)
                });
            },
        )
    }

    /// Launches a kernel that is given the address of shared memory as a number.
    fn indirect(&mut self) -> Result<()> {
        let Some(to) = self.pick(|o| o.is_svm() && o.bytes >= 4) else { return Ok(()) };
        let first = self.random.below(self.objects[to].bytes / 4);
        let (sizes, n) = self.sizes((self.objects[to].bytes / 4 - first).min(ITEMS));
        let (k, constant) = (self.random.number() as u32, self.kernels.constant());
        let spans = vec![self.span_at(to, 4 * first, 4 * n).written()];
        let args = [Arg::Number(to, 4 * first), uint(k)];
        self.launch("indirect", &args, &sizes, spans, move |world| {
            let old = words(world.get(to, 4 * first, 4 * n));
            let new =
                |(i, word): (usize, &u32)| word ^ (i as u32).wrapping_mul(constant).wrapping_add(k);
            let all: Vec<u32> = old.iter().enumerate().map(new).collect();
            world.put(to, 4 * first, &bytes_of(&all));
        })
    }

    /// Returns an argument for memory with an offset: an address may stand for both.
    fn pointer(&mut self, object: usize, size: usize, at: usize) -> (Arg, u32) {
        match self.objects[object].is_svm() && self.random.once_in(2) {
            true => (Arg::Address(object, at * size), 0),
            false => (Arg::Object(object), at as u32),
        }
    }

    fn table(&mut self) -> Result<()> {
        let Some((to, all)) = self.target(4) else { return Ok(()) };
        let Some((from, source)) = self.source(4, to) else { return Ok(()) };
        let (sizes, n) = self.sizes((all / 4).min(ITEMS));
        let count = self.random.size(source / 4);
        let spans = vec![self.span_at(to, 0, 4 * n).written(), self.span_at(from, 0, 4 * count)];
        let constant = self.kernels.constant();
        let args = [Arg::Object(to), Arg::Object(from), uint(count as u32)];
        self.launch("table", &args, &sizes, spans, move |world| {
            let b = words(world.get(from, 0, 4 * count));
            world.update(to, n, |i, _| {
                (0..=i % 5).fold(constant, |sum, step| {
                    sum.wrapping_mul(31).wrapping_add(b[(i + step) % count])
                })
            });
        })
    }
}
