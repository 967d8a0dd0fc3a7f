//! Wrong calls on images and on shared memory.

use super::api::*;
use super::object::{Image, Object};
use super::world::World;
use super::wrong::HUGE;
use std::ptr::{null, null_mut};

impl World<'_> {
    /// Returns a region that an image does not have.
    fn wrong_region(&mut self, size: [usize; 3]) -> ([usize; 3], [usize; 3]) {
        let axis = self.random.below(3);
        let (mut origin, mut region) = ([0; 3], [1; 3]);
        let huge = *self.random.pick(&HUGE);
        match self.random.below(5) {
            0 => origin[axis] = huge,
            1 => region[axis] = huge,
            2 => origin[axis] = size[axis],
            3 => region[axis] = size[axis] + 1,
            _ => region[axis] = 0,
        }
        (origin, region)
    }

    /// Transfers a region that an image does not have, or with pitches that are too small.
    pub fn wrong_image(&mut self) -> Result<()> {
        let Some((object, image)) = self.pick_image(|_, _| true) else { return Ok(()) };
        let mem = self.objects[object].mem();
        let queue = self.queues[0].handle();
        let mut memory = self.random.bytes(64);
        let place = memory.as_mut_ptr().cast();
        let (from, to) = self.wrong_region(image.size);
        let (origin, region) = (from.as_ptr(), to.as_ptr());
        let (none, event) = (null(), null_mut());
        let what = format!("{to:?} of object {object} at {from:?}");
        let codes = [CL_INVALID_VALUE, CL_INVALID_OPERATION];
        match self.random.below(6) {
            0 => {
                let status = call!(clEnqueueReadImage(
                    queue, mem, 1, origin, region, 0, 0, place, 0, none, event
                ));
                self.refuse(&format!("read {what}"), status, &codes)
            }
            1 => {
                let status = call!(clEnqueueWriteImage(
                    queue, mem, 1, origin, region, 0, 0, place, 0, none, event
                ));
                self.refuse(&format!("write {what}"), status, &codes)
            }
            2 => {
                let status =
                    call!(clEnqueueFillImage(queue, mem, place, origin, region, 0, none, event));
                self.refuse(&format!("fill {what}"), status, &codes)
            }
            3 => {
                let (mut row, mut slice) = (0, 0);
                let mapped = make!(clEnqueueMapImage(
                    queue,
                    mem,
                    1,
                    CL_MAP_READ,
                    origin,
                    region,
                    &mut row,
                    &mut slice,
                    0,
                    none,
                    event
                ));
                self.refuse(&format!("map {what}"), mapped.err().unwrap_or(0), &codes)
            }
            4 => {
                let (origin, region) = ([0; 3].as_ptr(), image.size.as_ptr());
                let row = (image.size[0] * image.format.texel()).saturating_sub(1).max(1);
                if row >= image.size[0] * image.format.texel() {
                    return Ok(());
                }
                let status = call!(clEnqueueWriteImage(
                    queue, mem, 1, origin, region, row, 0, place, 0, none, event
                ));
                self.refuse(
                    &format!("write object {object} with rows of {row} bytes"),
                    status,
                    &codes,
                )
            }
            _ => {
                let status = call!(clEnqueueFillBuffer(queue, mem, place, 1, 0, 1, 0, none, event));
                self.refuse("fill an image for a buffer", status, &[CL_INVALID_MEM_OBJECT])
            }
        }
    }

    /// Copies boxes that overlap, texels of another format, or regions that do not fit into a buffer.
    pub fn wrong_box_copy(&mut self) -> Result<()> {
        let queue = self.queues[0].handle();
        let (none, event) = (null(), null_mut());
        let zero = [0; 3];
        if self.random.once_in(3) {
            let Some(object) = self.pick(|o| o.is_buffer() && o.bytes >= 64) else { return Ok(()) };
            let mem = self.objects[object].mem();
            let (next, region) = ([1, 1, 0], [4, 4, 2]);
            let (from, to, region) = (zero.as_ptr(), next.as_ptr(), region.as_ptr());
            let status = call!(clEnqueueCopyBufferRect(
                queue, mem, mem, from, to, region, 6, 30, 6, 30, 0, none, event
            ));
            return self.refuse("copy to an overlapping box", status, &[CL_MEM_COPY_OVERLAP]);
        }
        let Some((object, image)) = self.pick_image(|_, _| true) else { return Ok(()) };
        let mem = self.objects[object].mem();
        let region = image.size.as_ptr();
        if self.random.once_in(2) {
            let bytes = image.format.texel() * image.size.iter().product::<usize>();
            let Some(buffer) = self.pick(|o| o.is_buffer()) else { return Ok(()) };
            let at = self.objects[buffer].bytes.saturating_sub(bytes) + 1;
            let at = *self.random.pick(&[at, usize::MAX, usize::MAX - bytes + 1, 1 << 63]);
            let other = self.objects[buffer].mem();
            let status = match self.random.once_in(2) {
                true => call!(clEnqueueCopyImageToBuffer(
                    queue,
                    mem,
                    other,
                    zero.as_ptr(),
                    region,
                    at,
                    0,
                    none,
                    event
                )),
                false => call!(clEnqueueCopyBufferToImage(
                    queue,
                    other,
                    mem,
                    at,
                    zero.as_ptr(),
                    region,
                    0,
                    none,
                    event
                )),
            };
            return self.refuse(
                &format!("copy an image and a buffer at {at}"),
                status,
                &[CL_INVALID_VALUE],
            );
        }
        let differs = |_: &Object, other: Image| other.format != image.format;
        let Some((other, _)) = self.pick_image(differs) else { return Ok(()) };
        let (to, one, zero) = (self.objects[other].mem(), [1; 3], zero.as_ptr());
        let status =
            call!(clEnqueueCopyImage(queue, mem, to, zero, zero, one.as_ptr(), 0, none, event));
        self.refuse("copy texels of another format", status, &[CL_IMAGE_FORMAT_MISMATCH])
    }

    /// Uses ranges of shared memory that overlap, patterns of no size, and NULL.
    pub fn wrong_shared(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_svm() && o.bytes > 2) else { return Ok(()) };
        let Object { handle, bytes, .. } = self.objects[object];
        let queue = self.queues[0].handle();
        let (none, event) = (null(), null_mut());
        let pattern = self.random.bytes(256);
        let from = pattern.as_ptr().cast();
        match self.random.below(4) {
            0 => {
                let place = handle.wrapping_byte_add(1);
                let status =
                    call!(clEnqueueSVMMemcpy(queue, 1, place, handle, bytes - 1, 0, none, event));
                self.refuse("copy to an overlapping range", status, &[CL_MEM_COPY_OVERLAP])
            }
            1 => {
                let size = *self.random.pick(&[0, 3, 256, usize::MAX]);
                let status =
                    call!(clEnqueueSVMMemFill(queue, handle, from, size, bytes, 0, none, event));
                self.refuse(
                    &format!("fill with a pattern of {size} bytes"),
                    status,
                    &[CL_INVALID_VALUE],
                )
            }
            2 => {
                let status =
                    call!(clEnqueueSVMMemFill(queue, null_mut(), from, 1, 1, 0, none, event));
                self.refuse("fill NULL", status, &[CL_INVALID_VALUE])
            }
            _ => {
                let status =
                    call!(clEnqueueSVMMap(queue, 1, CL_MAP_READ, handle, 0, 0, none, event));
                self.refuse("map nothing", status, &[CL_INVALID_VALUE])
            }
        }
    }
}
