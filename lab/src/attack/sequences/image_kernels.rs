//! The kernels on images, and what they do to the model.

use super::api::Result;
use super::kernels::words;
use super::launch::{uint, Arg, Sizes};
use super::object::{Image, Object, Shape};
use super::span::Span;
use super::world::World;

/// Returns the beginning of the names of kernels for a type of image.
fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::One => "one",
        Shape::OneBuffer => "one_buffer",
        Shape::OneArray => "one_array",
        Shape::Two => "two",
        Shape::TwoArray => "two_array",
        Shape::Three => "three",
    }
}

/// Returns the bits that a channel holds.
fn mask(image: Image) -> u32 {
    u32::MAX >> (32 - 8 * image.format.bytes)
}

/// Returns a texel's channels as kernels see them: missing channels are 0, 0 and 1.
fn channels(image: Image, texel: &[u8]) -> [u32; 4] {
    let mut all = [0, 0, 0, 1];
    for (value, bytes) in all.iter_mut().zip(texel.chunks_exact(image.format.bytes)) {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        *value = u32::from_le_bytes(word);
    }
    all
}

/// Returns the texel with these channels.
fn texel(image: Image, channels: &[u32]) -> Vec<u8> {
    let kept = &channels[..image.format.channels];
    kept.iter().flat_map(|value| value.to_le_bytes()[..image.format.bytes].to_vec()).collect()
}

fn origin_arg(origin: [usize; 3]) -> Arg {
    Arg::Bytes(origin.into_iter().chain([0]).flat_map(|axis| (axis as i32).to_le_bytes()).collect())
}

impl World<'_> {
    /// Launches any kernel on images.
    pub fn image_kernel(&mut self) -> Result<()> {
        match self.random.below(5) {
            0 => self.image_to_image(),
            1 | 2 => self.image_in(),
            _ => self.image_out(),
        }
    }

    /// Returns the origin of a region that is small enough for a kernel, the region, and the sizes of the launch.
    fn launch_region(&mut self, image: Image) -> ([usize; 3], [usize; 3], Sizes) {
        let (origin, region) = self.region(image.size);
        let region = [region[0].min(50), region[1].min(20), region[2].min(4)];
        let dimensions = match image.shape {
            Shape::One | Shape::OneBuffer => 1,
            Shape::OneArray | Shape::Two => 2,
            _ => 3,
        };
        let global = region[..dimensions].to_vec();
        let (local, offset) = (self.local(&global), self.offset(dimensions));
        (origin, region, Sizes { offset, global, local })
    }

    /// Returns the places of the rows of a region's texels, counted from the object's start.
    fn texels(&self, image: Image, origin: [usize; 3], region: [usize; 3]) -> Vec<usize> {
        let size = image.format.texel();
        image
            .block(origin, region)
            .rows()
            .iter()
            .flat_map(|row| (0..region[0]).map(move |x| row + x * size))
            .collect()
    }

    /// Returns the span of texels that a kernel writes. For an image over a buffer the span is the whole image: an
    /// implementation may keep the texels apart from the bytes while a kernel runs, and bytes that a command modifies
    /// while another one uses them are undefined (OpenCL API appendix A, "Shared OpenCL Objects").
    fn texel_span(&self, object: usize, rows: &[usize], length: usize) -> Span {
        let own = &self.objects[object];
        let is_bytes = |other: &Object| other.store == own.store && other.image().is_none();
        match self.objects.iter().any(is_bytes) {
            true => self.whole_span(object),
            false => own.span(object, rows, length),
        }
    }

    /// Writes texels from a buffer.
    fn image_in(&mut self) -> Result<()> {
        let Some((to, image)) = self.pick_image(|o, i| !o.read_only && i.format.is_uint()) else {
            return Ok(());
        };
        let (origin, region, sizes) = self.launch_region(image);
        let places = self.texels(image, origin, region);
        let bytes = 16 * places.len();
        let whole = self.whole_span(to).written();
        let Some(from) = self.pick(|o| o.image().is_none() && o.bytes >= bytes) else {
            return Ok(());
        };
        let read = self.objects[from].span(from, &[0], bytes);
        if read.conflicts(&whole) {
            return Ok(());
        }
        let rows = image.block(origin, region).rows();
        let write = self.texel_span(to, &rows, region[0] * image.format.texel()).written();
        let mask = mask(image);
        let args = [Arg::Object(to), origin_arg(origin), uint(mask), Arg::Object(from)];
        self.launch(
            &format!("{}_in", name(image.shape)),
            &args,
            &sizes,
            vec![read, write],
            move |world| {
                let data = words(world.get(from, 0, bytes));
                for (i, place) in places.iter().enumerate() {
                    let values: Vec<u32> =
                        data[4 * i..4 * i + 4].iter().map(|value| value & mask).collect();
                    world.put(to, *place, &texel(image, &values));
                }
            },
        )
    }

    /// Reads texels to a buffer.
    fn image_out(&mut self) -> Result<()> {
        let Some((from, image)) = self.pick_image(|_, i| i.format.is_uint()) else { return Ok(()) };
        let (origin, region, sizes) = self.launch_region(image);
        let places = self.texels(image, origin, region);
        let bytes = 16 * places.len();
        let suits = |o: &Object| o.image().is_none() && !o.read_only && o.bytes >= bytes;
        let Some(to) = self.pick(suits) else { return Ok(()) };
        let write = self.objects[to].span(to, &[0], bytes).written();
        if write.conflicts(&self.whole_span(from)) {
            return Ok(());
        }
        let rows = image.block(origin, region).rows();
        let read = self.objects[from].span(from, &rows, region[0] * image.format.texel());
        let k = self.random.number() as u32;
        let args = [Arg::Object(from), origin_arg(origin), uint(k), Arg::Object(to)];
        self.launch(
            &format!("{}_out", name(image.shape)),
            &args,
            &sizes,
            vec![read, write],
            move |world| {
                let size = image.format.texel();
                let seen = |place: &usize| {
                    channels(image, world.get(from, *place, size)).map(|value| value ^ k)
                };
                let data: Vec<u8> =
                    places.iter().flat_map(seen).flat_map(u32::to_le_bytes).collect();
                world.put(to, 0, &data);
            },
        )
    }

    /// Computes texels of a 2D image from texels of another.
    fn image_to_image(&mut self) -> Result<()> {
        let suits = |i: Image| i.shape == Shape::Two && i.format.is_uint();
        let Some((from, image)) = self.pick_image(|_, i| suits(i)) else { return Ok(()) };
        let Some((to, other)) = self.pick_image(|o, i| suits(i) && !o.read_only) else {
            return Ok(());
        };
        if self.whole_span(from).conflicts(&self.whole_span(to).written()) {
            return Ok(());
        }
        let common =
            Image { size: [0, 1, 2].map(|axis| image.size[axis].min(other.size[axis])), ..image };
        let (_, region, sizes) = self.launch_region(common);
        let mut origin = |size: [usize; 3]| {
            [0, 1, 2].map(|axis| self.random.below(size[axis] - region[axis] + 1))
        };
        let (source, place) = (origin(image.size), origin(other.size));
        let read_rows = image.block(source, region).rows();
        let write_rows = other.block(place, region).rows();
        let read = self.objects[from].span(from, &read_rows, region[0] * image.format.texel());
        let write = self.texel_span(to, &write_rows, region[0] * other.format.texel()).written();
        let mask = mask(other);
        let args =
            [Arg::Object(to), origin_arg(place), uint(mask), Arg::Object(from), origin_arg(source)];
        self.launch("two_two", &args, &sizes, vec![read, write], move |world| {
            let sources = world.texels(image, source, region);
            let places = world.texels(other, place, region);
            for (i, (source, place)) in sources.into_iter().zip(places).enumerate() {
                let seen = channels(image, world.get(from, source, image.format.texel()));
                let values = seen.map(|value| value.wrapping_add(i as u32) & mask);
                world.put(to, place, &texel(other, &values));
            }
        })
    }
}
