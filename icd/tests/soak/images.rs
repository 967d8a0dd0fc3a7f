//! Images that are written, filled, copied by commands and by kernels, and read, compared with a model in ordinary memory.

use crate::common::*;
use crate::owned::{Buffer, Numbers, Owned, Queue};
use crate::world::{finish, kernel, World};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const SOURCE: &str = "
kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, s, at));
}
";

const FORMAT: cl_image_format =
    cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };

/// Width and height of the images: work-groups of one size make up each. (Those at an edge are a dispatch of their own, and
/// the validation layer does not know that two dispatches write to different texels.)
const SIZES: [[usize; 2]; 4] = [[1, 5], [64, 48], [150, 1], [128, 96]];

/// An image, and what its texels must be.
struct Picture {
    mem: Buffer,
    width: usize,
    texels: Vec<[u8; 4]>,
}

/// A box in an image: where it begins, and its size.
#[derive(Clone, Copy)]
struct Part {
    origin: [usize; 3],
    size: [usize; 3],
}

impl Part {
    /// Returns a part of an image.
    fn of(numbers: &mut Numbers, size: [usize; 2]) -> Part {
        let origin = size.map(|size| numbers.below(size));
        let [width, height] = [0, 1].map(|dim| 1 + numbers.below(size[dim] - origin[dim]));
        Part { origin: [origin[0], origin[1], 0], size: [width, height, 1] }
    }

    fn texels(&self) -> usize {
        self.size[0] * self.size[1]
    }
}

fn texels(numbers: &mut Numbers, count: usize) -> Vec<[u8; 4]> {
    (0..count).map(|_| (numbers.next() as u32).to_le_bytes()).collect()
}

impl Picture {
    fn new(world: &World, numbers: &mut Numbers, [width, height]: [usize; 2]) -> Picture {
        let mut texels = texels(numbers, width * height);
        let desc = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_width: width,
            image_height: height,
            image_depth: 0,
            image_array_size: 0,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            mem_object: null_mut(),
        };
        let (context, host) = (world.context.get(), texels.as_mut_ptr().cast());
        let create = world.cl.clCreateImage;
        let mem =
            made(|e| unsafe { create(context, CL_MEM_COPY_HOST_PTR, &FORMAT, &desc, host, e) });
        Picture { mem: Owned::new(mem, world.cl.clReleaseMemObject), width, texels }
    }

    /// Returns the indices of a part's texels.
    fn indices(&self, part: Part) -> impl Iterator<Item = usize> {
        let (width, [x, y, _], [columns, rows, _]) = (self.width, part.origin, part.size);
        (y..y + rows).flat_map(move |y| (x..x + columns).map(move |x| y * width + x))
    }

    fn set(&mut self, part: Part, texels: impl IntoIterator<Item = [u8; 4]>) {
        let indices: Vec<_> = self.indices(part).collect();
        indices.into_iter().zip(texels).for_each(|(index, texel)| self.texels[index] = texel);
    }

    fn get(&self, part: Part) -> Vec<[u8; 4]> {
        self.indices(part).map(|index| self.texels[index]).collect()
    }

    /// Reads and compares a part.
    fn compare(&self, world: &World, queue: &Queue, part: Part) {
        let mut read = vec![[0u8; 4]; part.texels()];
        let (origin, size, place) =
            (part.origin.as_ptr(), part.size.as_ptr(), read.as_mut_ptr().cast());
        let (call, mem, none) = (world.cl.clEnqueueReadImage, self.mem.get(), null_mut());
        check(unsafe {
            call(queue.get(), mem, CL_TRUE, origin, size, 0, 0, place, 0, null(), none)
        });
        assert!(read == self.get(part), "an image differs");
    }
}

/// Runs commands on images in an in-order queue.
pub fn images(world: &World, numbers: &mut Numbers) {
    let Some(program) = &world.image_program else { return };
    let (cl, queue) = (world.cl, world.in_order_queue(numbers));
    let q = queue.get();
    // There are few sizes: lavapipe compiles code for each, and keeps the code.
    let size = *numbers.pick(&SIZES);
    // Host memory that must outlive the commands: declared before, dropped after.
    let mut kept: Vec<Vec<[u8; 4]>> = Vec::new();
    let mut one = Picture::new(world, numbers, size);
    let mut two = Picture::new(world, numbers, size);
    for _ in 0..10 {
        let part = Part::of(numbers, size);
        let (origin, region, none) = (part.origin.as_ptr(), part.size.as_ptr(), null_mut());
        match numbers.below(5) {
            0 => {
                let texels = texels(numbers, part.texels());
                let (write, from) = (cl.clEnqueueWriteImage, texels.as_ptr().cast());
                let (blocks, mem) = (numbers.below(2) as u32, one.mem.get());
                check(unsafe {
                    write(q, mem, blocks, origin, region, 0, 0, from, 0, null(), none)
                });
                one.set(part, texels.iter().copied());
                kept.push(texels);
            }
            1 => {
                let colour = [(); 4].map(|()| numbers.below(256) as u32);
                let (fill, from) = (cl.clEnqueueFillImage, colour.as_ptr().cast());
                check(unsafe { fill(q, one.mem.get(), from, origin, region, 0, null(), none) });
                one.set(part, std::iter::repeat(colour.map(|c| c as u8)));
            }
            2 => {
                let to = [0, 1].map(|dim| numbers.below(size[dim] - part.size[dim] + 1));
                let to = Part { origin: [to[0], to[1], 0], ..part };
                let (source, target) = (one.mem.get(), two.mem.get());
                let (copy, at) = (cl.clEnqueueCopyImage, to.origin.as_ptr());
                check(unsafe { copy(q, source, target, origin, at, region, 0, null(), none) });
                two.set(to, one.get(part));
            }
            3 => {
                copy_by_kernel(world, &queue, program, &one, &two, size);
                two.texels = one.texels.clone();
            }
            _ => one.compare(world, &queue, part),
        }
        if numbers.once_in(3) {
            std::mem::swap(&mut one, &mut two);
        }
    }
    let whole = Part { origin: [0; 3], size: [size[0], size[1], 1] };
    one.compare(world, &queue, whole);
    two.compare(world, &queue, whole);
    finish(&queue);
}

/// Threads create `images` images in all, use them in a kernel with a sampler, and release them. Their slots in the
/// device's descriptor set are free again afterwards.
pub fn come_and_go(world: &Arc<World>, threads: u64, images: usize) {
    let some = |world: &World, seed: u64, count: usize| {
        let Some(program) = &world.image_program else { return };
        let mut numbers = Numbers::new(seed);
        let queue = world.in_order_queue(&mut numbers);
        for round in 0..count.div_ceil(2) {
            let from = Picture::new(world, &mut numbers, SIZES[1]);
            let mut to = Picture::new(world, &mut numbers, SIZES[1]);
            copy_by_kernel(world, &queue, program, &from, &to, SIZES[1]);
            if round % 16 == 0 {
                to.texels = from.texels.clone();
                let [width, height] = SIZES[1];
                to.compare(world, &queue, Part { origin: [0; 3], size: [width, height, 1] });
            }
        }
        finish(&queue);
    };
    let slots = || {
        let gpus = crate::footprint::gpus();
        gpus.iter().map(|gpu| gpu.device.slots_in_use()).sum::<u32>()
    };
    some(world, 0, 2);
    let (before, start) = (slots(), Instant::now());
    let each = images.div_ceil(threads as usize);
    let workers: Vec<_> = (0..threads)
        .map(|seed| {
            let world = world.clone();
            std::thread::spawn(move || some(&world, seed, each))
        })
        .collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{images} images by {threads} threads in {seconds:.1} s: {before} slots, then {}",
        slots()
    );
    let patience = Instant::now() + Duration::from_secs(20);
    while slots() > before && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(slots() <= before, "slots are left behind: {before}, then {}", slots());
}

/// Copies all texels by a kernel, whose objects do not outlive the call.
fn copy_by_kernel(
    world: &World,
    queue: &Queue,
    program: &crate::owned::Program,
    from: &Picture,
    to: &Picture,
    size: [usize; 2],
) {
    let (cl, kernel) = (world.cl, kernel(program, c"copy"));
    let sampler = made(|e| unsafe {
        let (mode, filter) = (CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
        (cl.clCreateSampler)(world.context.get(), CL_FALSE, mode, filter, e)
    });
    let sampler = Owned::new(sampler, cl.clReleaseSampler);
    let (k, set) = (kernel.get(), cl.clSetKernelArg);
    let (from, to, sampler) = (from.mem.get(), to.mem.get(), sampler.get());
    let handle = size_of_val(&from);
    unsafe {
        check(set(k, 0, handle, (&raw const from).cast()));
        check(set(k, 1, handle, (&raw const to).cast()));
        check(set(k, 2, handle, (&raw const sampler).cast()));
        let (launch, local) = (cl.clEnqueueNDRangeKernel, null());
        let none = null_mut();
        check(launch(queue.get(), k, 2, null(), size.as_ptr(), local, 0, null(), none));
    }
}
