//! Commands on images: reads, writes, copies, fills, and copies from and to buffers.

use super::api::{call, Result};
use super::host::HostMemory;
use super::layout::{copy_rows, Block, Pitch};
use super::object::{Image, Object, Shape};
use super::slot::Slot;
use super::world::{Command, World};

impl World<'_> {
    /// Returns the origin and the size of a region of an image.
    pub fn region(&mut self, size: [usize; 3]) -> ([usize; 3], [usize; 3]) {
        if self.random.once_in(5) {
            return ([0; 3], size);
        }
        let region = size.map(|all| self.random.between(1, all));
        let origin = [0, 1, 2].map(|axis| self.random.below(size[axis] - region[axis] + 1));
        (origin, region)
    }

    /// Picks an image.
    pub fn pick_image(&mut self, suits: impl Fn(&Object, Image) -> bool) -> Option<(usize, Image)> {
        let object = self.pick(|o| o.image().is_some_and(|image| suits(o, image)))?;
        Some((object, self.objects[object].image()?))
    }

    /// Returns the pitches that a transfer names, 0 for the smallest ones, and the layout of the host memory.
    fn host_block(&mut self, image: Image, region: [usize; 3]) -> (Pitch, Block) {
        let length = region[0] * image.format.texel();
        let random = &mut self.random;
        let mut named = Pitch { row: 0, slice: 0 };
        let has_slices = !matches!(image.shape, Shape::One | Shape::Two | Shape::OneBuffer);
        if random.once_in(2) {
            named.row = length + random.below(50);
        }
        let row = named.row.max(length);
        let height = if image.shape == Shape::OneArray { 1 } else { region[1] };
        if has_slices && random.once_in(2) {
            named.slice = row * height + random.below(100);
        }
        let slice = named.slice.max(row * height);
        let pitch = image.host_pitch(Pitch { row, slice });
        (named, Block { origin: [0; 3], region: [length, region[1], region[2]], pitch })
    }

    /// Reads a region of an image.
    pub fn read_image(&mut self) -> Result<()> {
        let Some((object, image)) = self.pick_image(|o, _| o.host.read) else { return Ok(()) };
        let (origin, region) = self.region(image.size);
        self.read_region(object, image, origin, region)
    }

    /// Reads a region of an image, and checks it at once or later.
    pub fn read_region(
        &mut self,
        object: usize,
        image: Image,
        origin: [usize; 3],
        region: [usize; 3],
    ) -> Result<()> {
        let (named, host) = self.host_block(image, region);
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, host.end(), None);
        let (rows, length) = (image.block(origin, region).rows(), host.region[0]);
        let span = self.objects[object].span(object, &rows, length);
        let what = format!("read {region:?} of object {object} at {origin:?}, {named:?}");
        let (mem, to) = (self.objects[object].mem(), memory.address());
        let (mut expected, start) = memory.all();
        let stores = vec![self.objects[object].store];
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let call = |s: Slot| {
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            call!(clEnqueueReadImage(
                s.queue,
                mem,
                blocking.into(),
                origin,
                region,
                named.row,
                named.slice,
                to,
                s.count,
                s.list,
                s.event
            ))
        };
        let enqueued = self.submit(command, call)?;
        copy_rows(self.whole(object), &rows, &mut expected[start..], &host.rows(), length);
        self.expect(&enqueued, memory, expected, &what, stores, blocking)
    }

    /// Writes a region of an image.
    pub fn write_image(&mut self) -> Result<()> {
        let Some((object, image)) = self.pick_image(|o, _| o.host.write) else { return Ok(()) };
        let (origin, region) = self.region(image.size);
        let (named, host) = self.host_block(image, region);
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, host.end(), None);
        let (rows, length) = (image.block(origin, region).rows(), host.region[0]);
        let span = self.objects[object].span(object, &rows, length).written();
        let what = format!("write {region:?} of object {object} at {origin:?}, {named:?}");
        let (mem, from) = (self.objects[object].mem(), memory.address());
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let call = |s: Slot| {
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            call!(clEnqueueWriteImage(
                s.queue,
                mem,
                blocking.into(),
                origin,
                region,
                named.row,
                named.slice,
                from,
                s.count,
                s.list,
                s.event
            ))
        };
        let enqueued = self.submit(command, call)?;
        let (data, start) = memory.all();
        let Object { store, base, .. } = self.objects[object];
        copy_rows(
            &data[start..],
            &host.rows(),
            &mut self.stores[store].bytes[base..],
            &rows,
            length,
        );
        self.expect(&enqueued, memory, data, &what, vec![store], blocking)
    }

    /// Copies a region to another image of the same format.
    pub fn copy_image(&mut self) -> Result<()> {
        let Some((from, image)) = self.pick_image(|_, _| true) else { return Ok(()) };
        let same = |o: &Object, other: Image| !o.read_only && other.format == image.format;
        let Some((to, other)) = self.pick_image(same) else { return Ok(()) };
        let common = [0, 1, 2].map(|axis| image.size[axis].min(other.size[axis]));
        let (_, region) = self.region(common);
        let mut origin = |size: [usize; 3]| {
            [0, 1, 2].map(|axis| self.random.below(size[axis] - region[axis] + 1))
        };
        let (source, place) = (origin(image.size), origin(other.size));
        let (read_rows, write_rows) =
            (image.block(source, region).rows(), other.block(place, region).rows());
        let length = region[0] * image.format.texel();
        let read = self.objects[from].span(from, &read_rows, length);
        let write = self.objects[to].span(to, &write_rows, length).written();
        if read.conflicts(&write) {
            return Ok(());
        }
        let what =
            format!("copy {region:?} of object {from} at {source:?} to object {to} at {place:?}");
        let mems = (self.objects[from].mem(), self.objects[to].mem());
        let command = Command { what, spans: vec![read, write], blocking: false };
        let call = |s: Slot| s.copy_image(mems, [source, place, region]);
        self.apply(command, call, move |world| {
            world.copy_rows(from, &read_rows, to, &write_rows, length);
        })
    }

    /// Fills a region with a colour.
    pub fn fill_image(&mut self) -> Result<()> {
        let Some((object, image)) = self.pick_image(|o, _| !o.read_only) else { return Ok(()) };
        let (origin, region) = self.region(image.size);
        let (colour, texel) = self.colour(image);
        let (rows, length) = (image.block(origin, region).rows(), region[0] * texel.len());
        let span = self.objects[object].span(object, &rows, length).written();
        let what = format!("fill {region:?} of object {object} at {origin:?} with {texel:02x?}");
        let mem = self.objects[object].mem();
        let command = Command { what, spans: vec![span], blocking: false };
        let call = |s: Slot| s.fill_image(mem, colour, [origin, region]);
        let line = texel.repeat(region[0]);
        self.apply(command, call, move |world| {
            rows.iter().for_each(|row| world.put(object, *row, &line));
        })
    }

    /// Returns a colour as clEnqueueFillImage takes it, and the texel that it becomes.
    fn colour(&mut self, image: Image) -> ([u32; 4], Vec<u8>) {
        let mut colour = [0u32; 4];
        let mut texel = Vec::new();
        let bits = 8 * image.format.bytes as u32;
        for (channel, value) in colour.iter_mut().enumerate() {
            let random = self.random.number() as u32;
            let bytes = match image.format.channel {
                // CL_FLOAT and CL_UNORM_INT8: values that are exact.
                0x10DE => {
                    *value = (f32::from(random as i16) / 8.0).to_bits();
                    value.to_le_bytes().to_vec()
                }
                0x10D2 => {
                    *value = ((random & 1) as f32).to_bits();
                    vec![if random & 1 == 1 { 255 } else { 0 }]
                }
                // Signed integers.
                0x10D7..=0x10D9 => {
                    *value = (random.cast_signed() >> (32 - bits)).cast_unsigned();
                    value.to_le_bytes()[..image.format.bytes].to_vec()
                }
                _ => {
                    *value = random >> (32 - bits);
                    value.to_le_bytes()[..image.format.bytes].to_vec()
                }
            };
            if channel < image.format.channels {
                texel.extend(bytes);
            }
        }
        (colour, texel)
    }

    /// Copies a region of an image to a buffer, or back.
    pub fn copy_image_and_buffer(&mut self) -> Result<()> {
        let to_image = self.random.once_in(2);
        let Some((object, image)) = self.pick_image(|o, _| !(to_image && o.read_only)) else {
            return Ok(());
        };
        let (origin, region) = self.region(image.size);
        let bytes = image.format.texel() * region.iter().product::<usize>();
        let Some(buffer) = self.pick(|o| o.is_buffer() && o.bytes >= bytes) else { return Ok(()) };
        let at = self.random.below(self.objects[buffer].bytes - bytes + 1);
        self.copy_region(to_image, (object, origin, region), (buffer, at))
    }

    /// Copies a region of an image to a place in a buffer, or back.
    pub fn copy_region(
        &mut self,
        to_image: bool,
        (object, origin, region): (usize, [usize; 3], [usize; 3]),
        (buffer, at): (usize, usize),
    ) -> Result<()> {
        let Some(image) = self.objects[object].image() else { return Ok(()) };
        let block = image.block(origin, region);
        let (rows, length) = (block.rows(), block.region[0]);
        let bytes = rows.len() * length;
        let packed: Vec<usize> = (0..rows.len()).map(|row| at + row * length).collect();
        let in_image = self.objects[object].span(object, &rows, length);
        let in_buffer = self.objects[buffer].span(buffer, &[at], bytes);
        let (read, write) = if to_image {
            (in_buffer, in_image.written())
        } else {
            (in_image, in_buffer.written())
        };
        if read.conflicts(&write) {
            return Ok(());
        }
        let way = if to_image { "from" } else { "to" };
        let what = format!(
            "copy {region:?} of object {object} at {origin:?} {way} object {buffer} at {at}"
        );
        let (a, b) = (self.objects[object].mem(), self.objects[buffer].mem());
        let command = Command { what, spans: vec![read, write], blocking: false };
        let call = |s: Slot| match to_image {
            true => s.copy_buffer_to_image(b, a, [origin, region], at),
            false => s.copy_image_to_buffer(a, b, [origin, region], at),
        };
        self.apply(command, call, move |world| match to_image {
            true => world.copy_rows(buffer, &packed, object, &rows, length),
            false => world.copy_rows(object, &rows, buffer, &packed, length),
        })
    }
}
