//! Commands on shared virtual memory.

use super::api::{call, cl, done, made, make, Result, CL_MEM_READ_WRITE};
use super::host::{peek, poke, HostMemory};
use super::object::{Kind, Object};
use super::slot::Slot;
use super::span::Span;
use super::world::{Command, Enqueued, World};
use std::ptr::null_mut;

impl World<'_> {
    /// Checks host memory that a command fills or reads: now if the command was blocking, else later.
    pub fn expect(
        &mut self,
        enqueued: &Enqueued,
        memory: HostMemory,
        expected: Vec<u8>,
        what: &str,
        stores: Vec<usize>,
        blocking: bool,
    ) -> Result<()> {
        self.check_later(enqueued, memory, expected, what, stores);
        match blocking {
            true => self.settle_last(),
            false => Ok(()),
        }
    }

    /// Copies between shared memory and host memory, or between two ranges of shared memory.
    pub fn svm_copy(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_svm) else { return Ok(()) };
        match self.random.below(3) {
            0 => self.svm_to_svm(),
            way => {
                let (at, bytes) = self.range(object);
                self.svm_and_host(object, (at, bytes), way == 1)
            }
        }
    }

    /// Copies a range of shared memory to host memory, or back.
    pub fn svm_and_host(
        &mut self,
        object: usize,
        (at, bytes): (usize, usize),
        to_host: bool,
    ) -> Result<()> {
        let blocking = self.random.once_in(3);
        let memory = HostMemory::new(&mut self.random, bytes, None);
        let span = self.objects[object].span(object, &[at], bytes);
        let span = if to_host { span } else { span.written() };
        let there = self.objects[object].handle.wrapping_byte_add(at);
        let here = memory.address();
        let (to, from) = if to_host { (here, there) } else { (there, here) };
        let way = if to_host { "to" } else { "from" };
        let what =
            format!("copy {bytes} bytes of shared object {object} from {at} {way} host memory");
        let (mut expected, start) = memory.all();
        let store = self.objects[object].store;
        let command = Command { what: what.clone(), spans: vec![span], blocking };
        let call = |s: Slot| {
            call!(clEnqueueSVMMemcpy(
                s.queue,
                blocking.into(),
                to,
                from,
                bytes,
                s.count,
                s.list,
                s.event
            ))
        };
        let enqueued = self.submit(command, call)?;
        if to_host {
            expected[start..start + bytes].copy_from_slice(self.get(object, at, bytes));
        }
        if !to_host {
            let data = expected[start..start + bytes].to_vec();
            self.put(object, at, &data);
        }
        self.expect(&enqueued, memory, expected, &what, vec![store], blocking)
    }

    /// Copies a range of shared memory to another.
    pub fn svm_to_svm(&mut self) -> Result<()> {
        let ranges = self.pick_ranges(Object::is_svm);
        let Some(((from, source), (to, place), bytes)) = ranges else { return Ok(()) };
        let read = self.objects[from].span(from, &[source], bytes);
        let write = self.objects[to].span(to, &[place], bytes).written();
        let blocking = self.random.once_in(5);
        let what = format!(
            "copy {bytes} bytes of shared object {from} from {source} to {to} from {place}"
        );
        let a = self.objects[from].handle.wrapping_byte_add(source);
        let b = self.objects[to].handle.wrapping_byte_add(place);
        let command = Command { what, spans: vec![read, write], blocking };
        let call = |s: Slot| s.copy_shared(blocking, b, a, bytes);
        self.apply(command, call, move |world| {
            let data = world.get(from, source, bytes).to_vec();
            world.put(to, place, &data);
        })
    }

    /// Fills a range of shared memory with a pattern. The range's address is a multiple of the pattern's size.
    pub fn svm_fill(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_svm) else { return Ok(()) };
        let Kind::Svm { align, .. } = self.objects[object].kind else { return Ok(()) };
        let size = (1 << self.random.below(8)).min(align);
        let all = self.objects[object].bytes / size;
        if all == 0 {
            return Ok(());
        }
        let count = self.random.size(all);
        let (at, bytes) = (self.random.below(all - count + 1) * size, count * size);
        let pattern = self.random.bytes(size);
        self.svm_fill_range(object, at, bytes, &pattern)
    }

    fn svm_fill_range(
        &mut self,
        object: usize,
        at: usize,
        bytes: usize,
        pattern: &[u8],
    ) -> Result<()> {
        let span = self.objects[object].span(object, &[at], bytes).written();
        let what =
            format!("fill {bytes} bytes of shared object {object} from {at} with {pattern:02x?}");
        let to = self.objects[object].handle.wrapping_byte_add(at);
        let command = Command { what, spans: vec![span], blocking: false };
        let call = |s: Slot| s.fill_shared(to, pattern, bytes);
        let data = pattern.repeat(bytes / pattern.len());
        self.apply(command, call, move |world| world.put(object, at, &data))
    }

    /// Migrates a range of shared memory: its contents do not change.
    pub fn svm_migrate(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_svm) else { return Ok(()) };
        let (at, bytes) = self.range(object);
        let flags = self.random.below(2) as u64;
        let all = self.objects[object].bytes;
        let span = self.objects[object].span(object, &[0], all).written();
        let what =
            format!("migrate {bytes} bytes of shared object {object} from {at}, flags {flags}");
        let place = self.objects[object].handle.wrapping_byte_add(at).cast_const();
        let command = Command { what, spans: vec![span], blocking: false };
        let call = |s: Slot| {
            call!(clEnqueueSVMMigrateMem(
                s.queue, 1, &place, &bytes, flags, s.count, s.list, s.event
            ))
        };
        self.submit(command, call).map(drop)
    }

    /// Reads and writes fine-grained memory by the host, when no command uses it.
    pub fn svm_touch(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| matches!(o.kind, Kind::Svm { fine: true, .. })) else {
            return Ok(());
        };
        self.unmap_object(object)?;
        self.finish()?;
        let (at, bytes) = self.range(object);
        let place = self.objects[object].handle.wrapping_byte_add(at);
        let span = self.objects[object].span(object, &[at], bytes);
        // SAFETY: the range is the allocation's, and no command runs.
        let found = unsafe { peek(place, bytes) };
        let what = format!("fine-grained object {object} from {at}");
        self.compare(&found, self.get(object, at, bytes), &what, std::slice::from_ref(&span))?;
        let data = self.random.bytes(bytes);
        // SAFETY: the range is the allocation's, and no command runs.
        unsafe { poke(place, &data) };
        self.put(object, at, &data);
        self.line(
            format!("host writes {bytes} bytes of shared object {object} from {at}"),
            vec![span.store],
        );
        Ok(())
    }

    fn unmap_object(&mut self, object: usize) -> Result<()> {
        let all = self.objects[object].bytes;
        let span = self.objects[object].span(object, &[0], all).written();
        self.unmap_conflicting(&[span])
    }

    /// Frees shared memory behind all commands that use it.
    pub fn svm_free(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_svm) else { return Ok(()) };
        self.unmap_object(object)?;
        let Object { handle: address, store, .. } = self.objects[object];
        self.recorded.retain(|buffer| !buffer.spans.iter().any(|span| span.store == store));
        let place = address.cast_const();
        if self.random.once_in(2) {
            self.finish()?;
            self.objects[object].handle = null_mut();
            self.line(format!("free shared object {object}"), vec![self.objects[object].store]);
            cl().clSVMFree(self.context.handle(), address);
            return Ok(());
        }
        let all = self.objects[object].bytes;
        let span = self.objects[object].span(object, &[0], all).written();
        let what = format!("free shared object {object}");
        let command = Command { what, spans: vec![span], blocking: false };
        let call = |s: Slot| {
            call!(clEnqueueSVMFree(s.queue, 1, &place, None, null_mut(), s.count, s.list, s.event))
        };
        self.submit(command, call)?;
        self.objects[object].handle = null_mut();
        Ok(())
    }

    /// Gives contents to an object that was made without any: by a fill, or a copy from a buffer.
    pub fn fill_first(&mut self, object: usize) -> Result<()> {
        let bytes = self.objects[object].bytes;
        let Object { kind, store, .. } = self.objects[object];
        let pattern = self.random.bytes(1);
        match kind {
            Kind::Svm { .. } => self.svm_fill_range(object, 0, bytes, &pattern),
            Kind::Buffer | Kind::Image(_) => {
                let data = self.stores[store].bytes.clone();
                let memory = HostMemory::of(&mut self.random, &data, None);
                let flags = CL_MEM_READ_WRITE | super::api::CL_MEM_COPY_HOST_PTR;
                let made_now =
                    make!(clCreateBuffer(self.context.handle(), flags, bytes, memory.address()));
                let from = made("clCreateBuffer", made_now)?;
                let to = self.objects[object].mem();
                let span = self.objects[object].span(object, &[0], bytes).written();
                let what = format!("copy first contents to object {object}");
                let command = Command { what, spans: vec![span], blocking: false };
                let call = |s: Slot| match kind {
                    Kind::Image(image) => {
                        let (origin, region) = ([0; 3].as_ptr(), image.size.as_ptr());
                        call!(clEnqueueCopyBufferToImage(
                            s.queue, from, to, 0, origin, region, s.count, s.list, s.event
                        ))
                    }
                    _ => call!(clEnqueueCopyBuffer(
                        s.queue, from, to, 0, 0, bytes, s.count, s.list, s.event
                    )),
                };
                self.submit(command, call)?;
                done!(clReleaseMemObject(from))
            }
        }
    }

    /// Returns a span of a whole object.
    pub fn whole_span(&self, object: usize) -> Span {
        self.objects[object].span(object, &[0], self.objects[object].bytes)
    }
}
