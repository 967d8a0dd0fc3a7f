//! Commands on buffers: reads, writes, copies and fills, of ranges and of boxes.

use super::api::{call, Result};
use super::host::HostMemory;
use super::layout::{copy_rows, Block, Pitch};
use super::object::Object;
use super::slot::Slot;
use super::world::{Command, World};

/// An object, and the offset of a range in it.
type Range = (usize, usize);

impl World<'_> {
    /// Returns the offset and the size of a range of an object, in bytes; the size is at least one.
    pub fn range(&mut self, object: usize) -> (usize, usize) {
        let all = self.objects[object].bytes;
        if self.random.once_in(5) {
            return (0, all);
        }
        let bytes = self.random.size(all);
        (self.random.below(all - bytes + 1), bytes)
    }

    /// Writes bytes of the model, counted from an object's start.
    pub fn put(&mut self, object: usize, at: usize, bytes: &[u8]) {
        let Object { store, base, .. } = self.objects[object];
        self.stores[store].bytes[base + at..base + at + bytes.len()].copy_from_slice(bytes);
    }

    /// Returns bytes of the model, counted from an object's start.
    pub fn get(&self, object: usize, at: usize, bytes: usize) -> &[u8] {
        let Object { store, base, .. } = self.objects[object];
        &self.stores[store].bytes[base + at..base + at + bytes]
    }

    /// Returns all bytes of an object.
    pub fn whole(&self, object: usize) -> &[u8] {
        self.get(object, 0, self.objects[object].bytes)
    }

    /// Reads a range, and checks it at once or later.
    pub fn read_buffer(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && o.host.read) else { return Ok(()) };
        let (at, bytes) = self.range(object);
        self.read_range(object, at, bytes)
    }

    /// Reads a range of a buffer.
    pub fn read_range(&mut self, object: usize, at: usize, bytes: usize) -> Result<()> {
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, bytes, None);
        let span = self.objects[object].span(object, &[at], bytes);
        let what = format!("read {bytes} bytes of object {object} from {at}");
        let (mem, to) = (self.objects[object].mem(), memory.address());
        let (mut expected, start) = memory.all();
        let stores = vec![self.objects[object].store];
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let call = |s: Slot| {
            call!(clEnqueueReadBuffer(
                s.queue,
                mem,
                blocking.into(),
                at,
                bytes,
                to,
                s.count,
                s.list,
                s.event
            ))
        };
        let enqueued = self.submit(command, call)?;
        expected[start..start + bytes].copy_from_slice(self.get(object, at, bytes));
        self.expect(&enqueued, memory, expected, &what, stores, blocking)
    }

    /// Writes random bytes to a range.
    pub fn write_buffer(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && o.host.write) else { return Ok(()) };
        let (at, bytes) = self.range(object);
        let blocking = self.random.once_in(3);
        let data = self.random.bytes(bytes);
        let memory = HostMemory::of(&mut self.random, &data, None);
        let span = self.objects[object].span(object, &[at], bytes).written();
        let what = format!("write {bytes} bytes to object {object} from {at}");
        let (mem, from) = (self.objects[object].mem(), memory.address());
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let call = |s: Slot| {
            call!(clEnqueueWriteBuffer(
                s.queue,
                mem,
                blocking.into(),
                at,
                bytes,
                from,
                s.count,
                s.list,
                s.event
            ))
        };
        let enqueued = self.submit(command, call)?;
        self.put(object, at, &data);
        let (expected, stores) = (memory.all().0, vec![self.objects[object].store]);
        self.expect(&enqueued, memory, expected, &what, stores, blocking)
    }

    /// Returns a box of an object, and a box of the same size in host memory.
    fn boxes(&mut self, object: usize) -> Option<(Block, Block)> {
        let all = self.objects[object].bytes;
        let width = self.random.size(all.min(4096));
        let most = [width, (all / width).clamp(1, 24), 4];
        let region = [width, self.random.between(1, most[1]), self.random.between(1, most[2])];
        let block = self.place(region, all)?;
        let host = self.place(region, usize::MAX)?;
        Some((block, host))
    }

    /// Places a region in memory of `all` bytes, with pitches and an origin; returns none where it does not fit.
    fn place(&mut self, region: [usize; 3], all: usize) -> Option<Block> {
        let random = &mut self.random;
        let row = region[0] + if random.once_in(2) { 0 } else { random.below(40) };
        // A slice pitch is a multiple of the row pitch (OpenCL 5.2.2).
        let slice = row * (region[1] + if random.once_in(2) { 0 } else { random.below(3) });
        let pitch = Pitch { row, slice };
        let origin = [random.below(row - region[0] + 1), random.below(3), random.below(2)];
        [origin, [0; 3]]
            .into_iter()
            .map(|origin| Block { origin, region, pitch })
            .find(|block| block.end() <= all)
    }

    /// Reads a box.
    pub fn read_rect(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && o.host.read) else { return Ok(()) };
        let Some((block, host)) = self.boxes(object) else { return Ok(()) };
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, host.end(), None);
        let (rows, length) = (block.rows(), block.region[0]);
        let span = self.objects[object].span(object, &rows, length);
        let what = format!("read {block:?} of object {object} to {host:?}");
        let (mem, to) = (self.objects[object].mem(), memory.address());
        let (mut expected, start) = memory.all();
        let stores = vec![self.objects[object].store];
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let (a, b) = (block, host);
        let call = |s: Slot| {
            let (origin, there, region) = (a.origin.as_ptr(), b.origin.as_ptr(), a.region.as_ptr());
            let (row, slice, host_row, host_slice) =
                (a.pitch.row, a.pitch.slice, b.pitch.row, b.pitch.slice);
            call!(clEnqueueReadBufferRect(
                s.queue,
                mem,
                blocking.into(),
                origin,
                there,
                region,
                row,
                slice,
                host_row,
                host_slice,
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

    /// Writes a box.
    pub fn write_rect(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| o.is_buffer() && o.host.write) else { return Ok(()) };
        let Some((block, host)) = self.boxes(object) else { return Ok(()) };
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, host.end(), None);
        let (rows, length) = (block.rows(), block.region[0]);
        let span = self.objects[object].span(object, &rows, length).written();
        let what = format!("write {host:?} to {block:?} of object {object}");
        let (mem, from) = (self.objects[object].mem(), memory.address());
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let (a, b) = (block, host);
        let call = |s: Slot| {
            let (origin, there, region) = (a.origin.as_ptr(), b.origin.as_ptr(), a.region.as_ptr());
            let (row, slice, host_row, host_slice) =
                (a.pitch.row, a.pitch.slice, b.pitch.row, b.pitch.slice);
            call!(clEnqueueWriteBufferRect(
                s.queue,
                mem,
                blocking.into(),
                origin,
                there,
                region,
                row,
                slice,
                host_row,
                host_slice,
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

    /// Copies a range to another place, perhaps of the same buffer.
    pub fn copy_buffer(&mut self) -> Result<()> {
        match self.pick_ranges(Object::is_buffer) {
            Some((from, to, bytes)) => self.copy_range(from, to, bytes),
            None => Ok(()),
        }
    }

    /// Picks ranges of equal size, in two objects of a kind or in one, that do not overlap. Returns object and offset
    /// of each, and the size.
    pub fn pick_ranges(&mut self, is_meant: fn(&Object) -> bool) -> Option<(Range, Range, usize)> {
        let (from, to) = (self.pick(is_meant)?, self.pick(is_meant)?);
        let bytes = self.random.size(self.objects[from].bytes.min(self.objects[to].bytes));
        let source = self.random.below(self.objects[from].bytes - bytes + 1);
        let place = self.random.below(self.objects[to].bytes - bytes + 1);
        let read = self.objects[from].span(from, &[source], bytes);
        let write = self.objects[to].span(to, &[place], bytes).written();
        (!read.conflicts(&write)).then_some(((from, source), (to, place), bytes))
    }

    /// Copies a range of one object to a place in another.
    pub fn copy_range(
        &mut self,
        (from, source): Range,
        (to, place): Range,
        bytes: usize,
    ) -> Result<()> {
        let read = self.objects[from].span(from, &[source], bytes);
        let write = self.objects[to].span(to, &[place], bytes).written();
        let what = format!(
            "copy {bytes} bytes of object {from} from {source} to object {to} from {place}"
        );
        let (a, b) = (self.objects[from].mem(), self.objects[to].mem());
        let command = Command { what, spans: vec![read, write], blocking: false };
        let call = |s: Slot| s.copy_buffer(a, b, source, place, bytes);
        self.apply(command, call, move |world| {
            let data = world.get(from, source, bytes).to_vec();
            world.put(to, place, &data);
        })
    }

    /// Copies a box to another buffer.
    pub fn copy_rect(&mut self) -> Result<()> {
        let (Some(from), Some(to)) = (self.pick(Object::is_buffer), self.pick(Object::is_buffer))
        else {
            return Ok(());
        };
        let Some((source, _)) = self.boxes(from) else { return Ok(()) };
        let all = self.objects[to].bytes;
        let place = match from == to {
            // Within a buffer, the pitches are the same (OpenCL 5.2.4).
            true => {
                let after = source.origin[2] + source.region[2] + self.random.below(2);
                let place =
                    Block { origin: [source.origin[0], self.random.below(3), after], ..source };
                (place.end() <= all).then_some(place)
            }
            false => self.place(source.region, all),
        };
        let Some(place) = place else { return Ok(()) };
        let length = source.region[0];
        let read = self.objects[from].span(from, &[0], source.end());
        let write = self.objects[to].span(to, &place.rows(), length).written();
        let is_other_view = from != to && self.objects[from].store == self.objects[to].store;
        if read.conflicts(&write) || is_other_view {
            return Ok(());
        }
        let read = self.objects[from].span(from, &source.rows(), length);
        let what = format!("copy {source:?} of object {from} to {place:?} of object {to}");
        let mems = (self.objects[from].mem(), self.objects[to].mem());
        let command = Command { what, spans: vec![read, write], blocking: false };
        let boxes = [source.origin, place.origin, source.region];
        let (a, b) = (source.pitch, place.pitch);
        let call = |s: Slot| s.copy_rect(mems, boxes, [a.row, a.slice, b.row, b.slice]);
        self.apply(command, call, move |world| {
            world.copy_rows(from, &source.rows(), to, &place.rows(), length);
        })
    }

    /// Copies rows of `length` bytes in the model, from one object to another.
    pub fn copy_rows(
        &mut self,
        from: usize,
        from_rows: &[usize],
        to: usize,
        to_rows: &[usize],
        length: usize,
    ) {
        let data = self.whole(from).to_vec();
        let Object { store, base, .. } = self.objects[to];
        copy_rows(&data, from_rows, &mut self.stores[store].bytes[base..], to_rows, length);
    }

    /// Fills a range with a pattern.
    pub fn fill_buffer(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_buffer) else { return Ok(()) };
        let size = 1 << self.random.below(8);
        let all = self.objects[object].bytes / size;
        if all == 0 {
            return Ok(());
        }
        let count = self.random.size(all);
        let (at, bytes) = (self.random.below(all - count + 1) * size, count * size);
        let pattern = self.random.bytes(size);
        let span = self.objects[object].span(object, &[at], bytes).written();
        let what = format!("fill {bytes} bytes of object {object} from {at} with {pattern:02x?}");
        let mem = self.objects[object].mem();
        let command = Command { what, spans: vec![span], blocking: false };
        let data = pattern.repeat(count);
        let call = |s: Slot| s.fill_buffer(mem, &pattern, at, bytes);
        self.apply(command, call, move |world| world.put(object, at, &data))
    }

    /// Migrates an object; its bytes do not change.
    pub fn migrate(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| !o.is_svm()) else { return Ok(()) };
        let mem = self.objects[object].mem();
        // None, or CL_MIGRATE_MEM_OBJECT_HOST: the other flag would make the contents undefined.
        let flags = self.random.below(2) as u64;
        let bytes = self.objects[object].bytes;
        // The migration touches the whole object, as if it wrote all of it.
        let span = self.objects[object].span(object, &[0], bytes).written();
        let what = format!("migrate object {object}, flags {flags}");
        let command = Command { what, spans: vec![span], blocking: false };
        let call = |s: Slot| {
            call!(clEnqueueMigrateMemObjects(s.queue, 1, &mem, flags, s.count, s.list, s.event))
        };
        self.submit(command, call).map(drop)
    }
}
