//! One sequence: objects, random commands, and a comparison of everything at the end.

use super::api::Result;
use super::device::{Context, Device};
use super::object::Object;
use super::program::Program;
use super::queue::Queue;
use super::random::Random;
use super::world::World;
use std::sync::Arc;

/// Objects that successive sequences share: making them takes longer than using them.
pub struct Base {
    pub context: Context,
    program: Arc<Program>,
}

/// The number of successive seeds, from a multiple of it on, that share the context and the program.
pub const SHARED: u64 = 4;

/// The number of operations and of refused calls of a sequence.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub operations: u64,
    pub refused: u64,
}

impl Base {
    /// Makes the objects that a seed shares with neighbouring seeds.
    pub fn new(device: &Device, seed: u64) -> Result<Base> {
        let context = device.context()?;
        let program = Program::new(device, &context, &mut Random::new(seed / SHARED))?;
        Ok(Base { context, program: Arc::new(program) })
    }
}

/// Runs the sequence of a seed. Sometimes several threads run it, each with objects of its own, perhaps with the same queues.
pub fn run(device: &Device, base: &Base, seed: u64) -> Result<Counts> {
    let mut random = Random::new(seed);
    let queues = (0..random.between(1, 4)).map(|_| Queue::new(device, &base.context, &mut random));
    let queues: Vec<Queue> = queues.collect::<Result<_>>()?;
    if !random.once_in(5) {
        return run_one(device, base, queues, random.number());
    }
    let mut parts = Vec::new();
    for _ in 0..random.between(2, 4) {
        let own = match random.once_in(2) {
            true => vec![Queue::new(device, &base.context, &mut random)?],
            false => queues.clone(),
        };
        parts.push((own, random.number()));
    }
    drop(queues);
    std::thread::scope(|scope| {
        let run = |(own, seed)| scope.spawn(move || run_one(device, base, own, seed));
        let threads: Vec<_> = parts.into_iter().map(run).collect();
        let mut all = Counts::default();
        for (number, thread) in threads.into_iter().enumerate() {
            let ended = thread.join().unwrap_or_else(|_| Err("it panicked".to_string()));
            let told = ended.map_err(|text| format!("thread {number}: {text}"))?;
            all.operations += told.operations;
            all.refused += told.refused;
        }
        Ok(all)
    })
}

fn run_one(device: &Device, base: &Base, queues: Vec<Queue>, seed: u64) -> Result<Counts> {
    let mut world = World::new(device, &base.context, queues, base.program.clone(), seed);
    let ended = world.live();
    if ended.is_err() {
        // Other threads may wait for commands behind the user events of this thread.
        world.fail_users();
    }
    ended.map(|()| Counts { operations: world.operations, refused: world.refused })
}

impl World<'_> {
    /// Makes objects, runs random commands on them, and compares everything.
    fn live(&mut self) -> Result<()> {
        for _ in 0..self.random.between(2, 6) {
            self.create()?;
        }
        for _ in 0..self.random.size(250) + 15 {
            self.step()?;
        }
        self.look_at_all()
    }

    /// Makes a random step.
    fn step(&mut self) -> Result<()> {
        if self.random.once_in(20) {
            return self.wrong_call();
        }
        match self.random.below(100) {
            0..6 => self.create(),
            6..12 => self.read_buffer(),
            12..18 => self.write_buffer(),
            18..22 => self.read_rect(),
            22..26 => self.write_rect(),
            26..31 => self.copy_buffer(),
            31..34 => self.copy_rect(),
            34..38 => self.fill_buffer(),
            38 => self.migrate(),
            39..43 => self.read_image(),
            43..47 => self.write_image(),
            47..50 => self.copy_image(),
            50..53 => self.fill_image(),
            53..57 => self.copy_image_and_buffer(),
            57..61 => self.map_range(),
            61..64 => self.map_image(),
            64..66 => self.touch_one(),
            66..69 => self.unmap_one(),
            69..72 => self.svm_copy(),
            72..74 => self.svm_fill(),
            74 => self.svm_migrate(),
            75 => self.svm_touch(),
            76 => self.svm_free(),
            77..85 => self.kernel(),
            85..90 => self.image_kernel(),
            90 => self.record(),
            91 => self.replay(),
            92 => self.release(),
            93 if self.random.once_in(2) => self.barrier(),
            93 => self.native_kernel(),
            94 => self.marker(),
            95 => self.settle_one(),
            96 if self.random.once_in(2) => self.flush_one(),
            96 => self.replace_queue(),
            97 => self.finish_one(),
            98 if self.random.once_in(2) => self.complete_users(),
            98 => self.failing_fill(),
            _ if self.random.once_in(4) => self.rebuild(),
            _ => self.finish(),
        }
    }

    /// Makes a random step that can be recorded into a command buffer.
    pub fn recordable(&mut self) -> Result<()> {
        match self.random.below(12) {
            0 | 1 => self.copy_buffer(),
            2 => self.copy_rect(),
            3 => self.fill_buffer(),
            4 => self.copy_image(),
            5 => self.fill_image(),
            6 => self.copy_image_and_buffer(),
            7 => self.svm_to_svm(),
            8 => self.svm_fill(),
            9 => self.image_kernel(),
            _ => self.kernel(),
        }
    }

    /// Reads all objects that are left, and compares them.
    fn look_at_all(&mut self) -> Result<()> {
        self.unmap_all()?;
        for object in 0..self.objects.len() {
            let Object { bytes, host, .. } = self.objects[object];
            if !self.objects[object].is_alive() {
                continue;
            }
            match self.objects[object].image() {
                _ if self.objects[object].is_svm() => {
                    self.svm_and_host(object, (0, bytes), true)?
                }
                Some(image) if host.read => self.read_region(object, image, [0; 3], image.size)?,
                None if host.read => self.read_range(object, 0, bytes)?,
                _ => self.read_copy(object)?,
            }
        }
        self.finish()?;
        self.check_calls()
    }

    /// Reads an object that the host may not read, by way of a copy.
    fn read_copy(&mut self, object: usize) -> Result<()> {
        let (index, bytes) = (self.objects.len(), self.objects[object].bytes);
        self.create_readable(bytes)?;
        match self.objects[object].image() {
            Some(image) => self.copy_region(false, (object, [0; 3], image.size), (index, 0))?,
            None => self.copy_range((object, 0), (index, 0), bytes)?,
        }
        self.read_range(index, 0, bytes)
    }
}
