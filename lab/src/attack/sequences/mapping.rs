//! Mapped regions: between mapping and unmapping their contents are compared and written.

use super::api::{call, done, Result, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
use super::event::Event;
use super::host::{peek, poke};
use super::object::{Image, Kind, Object, Shape};
use super::slot::Slot;
use super::span::Span;
use super::world::{Command, World};
use std::ffi::c_void;
use std::sync::Arc;

/// A region that is mapped.
pub struct Mapping {
    object: usize,
    span: Span,
    flags: u64,
    address: *mut c_void,
    /// The places of its rows, counted from the address and in the object, and their length.
    rows: Vec<usize>,
    object_rows: Vec<usize>,
    length: usize,
    /// The map's event, if it has one, and its queue, until somebody has waited for the map.
    pending: Option<(Option<Arc<Event>>, usize)>,
    touched: bool,
}

impl World<'_> {
    fn map_flags(&mut self, object: usize) -> Option<u64> {
        let access = self.objects[object].host;
        let flags = *self.random.pick(&[
            CL_MAP_READ,
            CL_MAP_WRITE,
            CL_MAP_READ | CL_MAP_WRITE,
            CL_MAP_WRITE_INVALIDATE_REGION,
        ]);
        let fits =
            (access.read || flags & CL_MAP_READ == 0) && (access.write || flags == CL_MAP_READ);
        fits.then_some(flags)
    }

    fn map_span(&self, object: usize, rows: &[usize], length: usize, flags: u64) -> Span {
        let span = self.objects[object].span(object, rows, length);
        if flags == CL_MAP_READ {
            span
        } else {
            span.written()
        }
    }

    /// Maps a range of a buffer or of shared virtual memory.
    pub fn map_range(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.image().is_none()) else { return Ok(()) };
        let Some(flags) = self.map_flags(object) else { return Ok(()) };
        let (at, bytes) = self.range(object);
        let blocking = self.random.once_in(2);
        let span = self.map_span(object, &[at], bytes, flags);
        let what = format!("map {bytes} bytes of object {object} from {at}, flags {flags}");
        let command = Command { what, spans: vec![span.clone()], blocking };
        let Object { handle, .. } = self.objects[object];
        let mut address = handle.wrapping_byte_add(at);
        let is_svm = self.objects[object].is_svm();
        let call = |s: Slot| {
            let Slot { queue, count, list, event, .. } = s;
            if is_svm {
                return call!(clEnqueueSVMMap(
                    queue,
                    blocking.into(),
                    flags,
                    address,
                    bytes,
                    count,
                    list,
                    event
                ));
            }
            let mut status = 0;
            let mapped = super::api::cl().clEnqueueMapBuffer(
                queue,
                handle,
                blocking.into(),
                flags,
                at,
                bytes,
                count,
                list,
                event,
                &mut status,
            );
            address = mapped.unwrap_or(std::ptr::null_mut());
            status
        };
        let enqueued = self.submit(command, call)?;
        if let Some(pointer) = self.objects[object].host_pointer {
            if address != pointer.wrapping_byte_add(at) {
                return Err(self.report(
                    enqueued.step,
                    "the mapping lies elsewhere than its memory",
                    &[span],
                ));
            }
        }
        let pending = (!blocking).then_some((enqueued.event, enqueued.queue));
        let (rows, object_rows, length) = (vec![0], vec![at], bytes);
        let touched = false;
        let mapping =
            Mapping { object, span, flags, address, rows, object_rows, length, pending, touched };
        self.mappings.push(mapping);
        Ok(())
    }

    /// Maps a region of an image.
    pub fn map_image(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.image().is_some()) else { return Ok(()) };
        let Some(image) = self.objects[object].image() else { return Ok(()) };
        let Some(flags) = self.map_flags(object) else { return Ok(()) };
        let (origin, region) = self.region(image.size);
        let blocking = self.random.once_in(2);
        let block = image.block(origin, region);
        let (object_rows, length) = (block.rows(), block.region[0]);
        let span = self.map_span(object, &object_rows, length, flags);
        let what = format!("map {region:?} of object {object} at {origin:?}, flags {flags}");
        let command = Command { what, spans: vec![span.clone()], blocking };
        let mem = self.objects[object].mem();
        let (mut address, mut row, mut slice) = (std::ptr::null_mut(), 0, 0);
        let call = |s: Slot| {
            let mut status = 0;
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            let mapped = super::api::cl().clEnqueueMapImage(
                s.queue,
                mem,
                blocking.into(),
                flags,
                origin,
                region,
                &mut row,
                &mut slice,
                s.count,
                s.list,
                s.event,
                &mut status,
            );
            address = mapped.unwrap_or(std::ptr::null_mut());
            status
        };
        let enqueued = self.submit(command, call)?;
        let step = if image.shape == Shape::OneArray { slice } else { row };
        if row < length || (region[1] > 1 && step < length) || (region[2] > 1 && slice < row) {
            let text = format!("pitches {row} and {slice} of rows of {length} bytes");
            return Err(self.report(enqueued.step, &text, &[span]));
        }
        if let Some(pointer) = self.objects[object].host_pointer {
            let pitch = self.objects[object].host_pitch;
            let there = Image { pitch, ..image }.block(origin, [1; 3]).rows()[0];
            let is_there = address == pointer.wrapping_byte_add(there);
            if !is_there || (region[1] > 1 && step != pitch.row) {
                let text = format!("the mapping has rows of {row} and slices of {slice} bytes, or it lies elsewhere than its memory");
                return Err(self.report(enqueued.step, &text, &[span]));
            }
        }
        let rows = (0..region[2])
            .flat_map(|z| (0..region[1]).map(move |y| z * slice + y * step))
            .collect();
        let pending = (!blocking).then_some((enqueued.event, enqueued.queue));
        let touched = false;
        let mapping =
            Mapping { object, span, flags, address, rows, object_rows, length, pending, touched };
        self.mappings.push(mapping);
        Ok(())
    }

    /// Picks a mapping; `None` if there is none.
    fn any_mapping(&mut self) -> Option<usize> {
        let count = self.mappings.len();
        (count > 0).then(|| self.random.below(count))
    }

    /// Compares a mapped region, and writes to it.
    pub fn touch_one(&mut self) -> Result<()> {
        self.any_mapping().map_or(Ok(()), |index| self.touch(index))
    }

    fn touch(&mut self, index: usize) -> Result<()> {
        if let Some((event, queue)) = self.mappings[index].pending.take() {
            self.complete_users()?;
            match event {
                Some(event) => event.wait()?,
                None => done!(clFinish(self.queues[queue].handle()))?,
            }
        }
        let mapping = &self.mappings[index];
        let Mapping { object, flags, length, .. } = *mapping;
        let (address, span) = (mapping.address, mapping.span.clone());
        let pairs: Vec<(usize, usize)> =
            mapping.rows.iter().copied().zip(mapping.object_rows.iter().copied()).collect();
        let (is_new, all) = (!mapping.touched, flags == CL_MAP_WRITE_INVALIDATE_REGION);
        self.mappings[index].touched = true;
        for (row, at) in pairs {
            let place = address.wrapping_byte_add(row);
            if !(all && is_new) {
                // SAFETY: the region is mapped, and its command is complete.
                let found = unsafe { peek(place, length) };
                let what = format!("mapped object {object}, row at {at}");
                self.compare(
                    &found,
                    self.get(object, at, length),
                    &what,
                    std::slice::from_ref(&span),
                )?;
            }
            if flags == CL_MAP_READ {
                continue;
            }
            // A region that is mapped to be overwritten is undefined until all of it is written.
            let (from, bytes) = match all && is_new {
                true => (0, length),
                false => {
                    let bytes = self.random.size(length);
                    (self.random.below(length - bytes + 1), bytes)
                }
            };
            let data = self.random.bytes(bytes);
            // SAFETY: as above, and the region is mapped for writing.
            unsafe { poke(place.wrapping_byte_add(from), &data) };
            self.put(object, at + from, &data);
        }
        Ok(())
    }

    /// Compares and writes the regions whose maps in a queue have no event to wait for.
    pub fn touch_pending(&mut self, queue: usize) -> Result<()> {
        let pending =
            |mapping: &Mapping| matches!(mapping.pending, Some((None, own)) if own == queue);
        while let Some(index) = self.mappings.iter().position(pending) {
            self.touch(index)?;
        }
        Ok(())
    }

    /// Unmaps a region, which has been compared before.
    pub fn unmap_one(&mut self) -> Result<()> {
        self.any_mapping().map_or(Ok(()), |index| self.unmap(index))
    }

    fn unmap(&mut self, index: usize) -> Result<()> {
        if !self.mappings[index].touched || self.random.once_in(4) {
            self.touch(index)?;
        }
        let mapping = self.mappings.swap_remove(index);
        let what =
            format!("unmap object {}, mapped at {:?}", mapping.object, mapping.object_rows.first());
        let command = Command { what, spans: vec![mapping.span], blocking: false };
        let Object { handle, kind, .. } = self.objects[mapping.object];
        let address = mapping.address;
        let call = |s: Slot| match kind {
            Kind::Svm { .. } => {
                call!(clEnqueueSVMUnmap(s.queue, address, s.count, s.list, s.event))
            }
            _ => call!(clEnqueueUnmapMemObject(s.queue, handle, address, s.count, s.list, s.event)),
        };
        self.submit(command, call).map(drop)
    }

    /// Unmaps all regions that a command conflicts with.
    pub fn unmap_conflicting(&mut self, spans: &[Span]) -> Result<()> {
        while let Some(index) =
            self.mappings.iter().position(|m| spans.iter().any(|span| span.conflicts(&m.span)))
        {
            self.unmap(index)?;
        }
        Ok(())
    }

    /// Returns true if a region of an object is mapped.
    pub fn is_mapped(&self, object: usize) -> bool {
        self.mappings.iter().any(|mapping| mapping.object == object)
    }

    /// Unmaps all regions.
    pub fn unmap_all(&mut self) -> Result<()> {
        while !self.mappings.is_empty() {
            self.unmap(0)?;
        }
        Ok(())
    }
}
