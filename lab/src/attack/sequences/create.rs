//! Creating objects, and releasing them.

use super::api::*;
use super::host::HostMemory;
use super::layout::{copy_rows, Pitch};
use super::object::{Format, HostAccess, Image, Kind, Object, Shape, Store};
use super::world::World;
use cl3::types::{cl_buffer_region, cl_image_desc, cl_image_format, cl_mem};
use std::ffi::c_void;
use std::ptr::{from_ref, null_mut};

const CL_R: u32 = 0x10B0;
const CL_RG: u32 = 0x10B2;
const CL_RGBA: u32 = 0x10B5;
const CL_BUFFER_CREATE_TYPE_REGION: u32 = 0x1220;

/// Formats that every device has for reading and writing, by the specification (OpenCL 5.3.1.4) or in fact.
const FORMATS: [Format; 9] = [
    Format { order: CL_R, channel: 0x10DA, channels: 1, bytes: 1 },
    Format { order: CL_RG, channel: 0x10DB, channels: 2, bytes: 2 },
    Format { order: CL_RGBA, channel: 0x10DA, channels: 4, bytes: 1 },
    Format { order: CL_RGBA, channel: 0x10DB, channels: 4, bytes: 2 },
    Format { order: CL_R, channel: 0x10DC, channels: 1, bytes: 4 },
    Format { order: CL_RGBA, channel: 0x10DC, channels: 4, bytes: 4 },
    Format { order: CL_RGBA, channel: 0x10DE, channels: 4, bytes: 4 },
    Format { order: CL_RGBA, channel: 0x10D2, channels: 4, bytes: 1 },
    Format { order: CL_RGBA, channel: 0x10D8, channels: 4, bytes: 2 },
];

fn channels(format: Format) -> cl_image_format {
    cl_image_format { image_channel_order: format.order, image_channel_data_type: format.channel }
}

/// Where an object's first bytes come from.
struct Source {
    flags: u64,
    memory: Option<HostMemory>,
    is_used: bool,
}

impl World<'_> {
    /// Makes an object of any kind.
    pub fn create(&mut self) -> Result<()> {
        let images = if self.device.images { 5 } else { 0 };
        match self.random.below(7 + images) {
            0..3 => self.create_buffer(),
            3..5 => self.create_sub_buffer(),
            5..7 => self.create_svm(),
            7..10 => self.create_image(),
            _ => self.create_view(),
        }
    }

    /// Returns flags for an object with these bytes, and host memory where the flags need it.
    fn first_bytes(&mut self, data: &[u8], align: usize) -> Source {
        let (copied, used) = (CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR);
        let flags = *self.random.pick(&[
            0,
            CL_MEM_ALLOC_HOST_PTR,
            copied,
            used,
            copied | CL_MEM_ALLOC_HOST_PTR,
        ]);
        if flags & (copied | used) == 0 {
            return Source { flags, memory: None, is_used: false };
        }
        let is_used = flags & used != 0;
        // Memory for CL_MEM_USE_HOST_PTR may have any alignment that suits its elements, also a page's.
        let align = match is_used {
            true => Some(*self.random.pick(&[align, align, 64, 4096])),
            false => None,
        };
        Source { flags, memory: Some(HostMemory::of(&mut self.random, data, align)), is_used }
    }

    fn host_flags(&mut self) -> (u64, HostAccess) {
        match self.random.below(12) {
            0 => (CL_MEM_HOST_READ_ONLY, HostAccess { read: true, write: false }),
            1 => (CL_MEM_HOST_WRITE_ONLY, HostAccess { read: false, write: true }),
            2 => (CL_MEM_HOST_NO_ACCESS, HostAccess { read: false, write: false }),
            _ => (0, HostAccess { read: true, write: true }),
        }
    }

    /// Adds an object with memory of its own, and fills it if it was created without contents.
    fn adopt(
        &mut self,
        object: Object,
        data: Vec<u8>,
        source: Source,
        what: &str,
    ) -> Result<usize> {
        let index = self.objects.len();
        let is_empty = source.memory.is_none();
        let host = source.memory.filter(|_| source.is_used);
        self.stores.push(Store { bytes: data, _host: host });
        let store = object.store;
        self.line(
            format!("create object {index}: {what}, {:?}, flags {:#x}", object.host, source.flags),
            vec![store],
        );
        self.objects.push(object);
        if is_empty {
            self.fill_first(index)?;
        }
        Ok(index)
    }

    /// Makes a buffer of any size and kind.
    fn create_buffer(&mut self) -> Result<()> {
        let most = if self.random.once_in(100) { 20 << 20 } else { 1 << 20 };
        let bytes = self.random.size(most);
        let host = self.host_flags();
        self.create_buffer_of(bytes, host)
    }

    /// Makes a buffer that the host may read.
    pub fn create_readable(&mut self, bytes: usize) -> Result<()> {
        self.create_buffer_of(bytes, (0, HostAccess { read: true, write: true }))
    }

    fn create_buffer_of(
        &mut self,
        bytes: usize,
        (host_flags, host): (u64, HostAccess),
    ) -> Result<()> {
        let data = self.random.bytes(bytes);
        let source = self.first_bytes(&data, 16);
        let read_only = self.random.once_in(10);
        let access = if read_only { CL_MEM_READ_ONLY } else { CL_MEM_READ_WRITE };
        let pointer = source.memory.as_ref().map(HostMemory::address);
        let flags = source.flags | host_flags | access;
        let place = pointer.unwrap_or(null_mut());
        let made_now = make!(clCreateBuffer(self.context.handle(), flags, bytes, place));
        let handle = made("clCreateBuffer", made_now)?;
        let object = Object {
            handle,
            kind: Kind::Buffer,
            store: self.stores.len(),
            base: 0,
            bytes,
            host,
            read_only,
            host_pointer: pointer.filter(|_| source.is_used),
            host_pitch: Pitch::default(),
            is_view: false,
        };
        self.adopt(object, data, source, &format!("buffer of {bytes} bytes at {pointer:?}"))
            .map(drop)
    }

    /// Makes a sub-buffer of a buffer.
    pub fn create_sub_buffer(&mut self) -> Result<()> {
        let align = self.device.sub_align;
        let Some(parent) = self.pick(|o| o.is_buffer() && !o.is_view && o.bytes > align) else {
            return Ok(());
        };
        let Object { store, bytes: all, host, read_only, host_pointer, .. } = self.objects[parent];
        let origin = self.random.below((all - 1) / align + 1) * align;
        let bytes = self.random.size(all - origin);
        let region = cl_buffer_region { origin, size: bytes };
        let (mem, place) = (self.objects[parent].mem(), from_ref(&region).cast());
        let handle = made(
            "clCreateSubBuffer",
            make!(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, place)),
        )?;
        let index = self.objects.len();
        self.line(
            format!("create object {index}: {bytes} bytes of object {parent} from {origin}"),
            vec![store],
        );
        self.objects.push(Object {
            handle,
            kind: Kind::Buffer,
            store,
            base: origin,
            bytes,
            host,
            read_only,
            host_pointer: host_pointer.map(|pointer| pointer.wrapping_byte_add(origin)),
            host_pitch: Pitch::default(),
            is_view: true,
        });
        Ok(())
    }

    /// Allocates shared virtual memory, coarse or fine.
    pub fn create_svm(&mut self) -> Result<()> {
        let fine = self.device.svm & 2 != 0 && self.random.once_in(2);
        if self.device.svm & 1 == 0 {
            return Ok(());
        }
        let bytes = self.random.size(1 << 18);
        let data = self.random.bytes(bytes);
        let flags = CL_MEM_READ_WRITE | if fine { CL_MEM_SVM_FINE_GRAIN_BUFFER } else { 0 };
        let align = *self.random.pick(&[0, 8, 64]);
        let allocated = cl().clSVMAlloc(self.context.handle(), flags, bytes, align);
        let handle =
            allocated.filter(|address| !address.is_null()).ok_or("clSVMAlloc gives nothing")?;
        let object = Object {
            handle,
            kind: Kind::Svm { fine, align: if align == 0 { 128 } else { align as usize } },
            store: self.stores.len(),
            base: 0,
            bytes,
            host: HostAccess { read: true, write: true },
            read_only: false,
            host_pointer: None,
            host_pitch: Pitch::default(),
            is_view: false,
        };
        let source = Source { flags, memory: None, is_used: false };
        self.adopt(object, data, source, &format!("shared memory of {bytes} bytes")).map(drop)
    }

    /// Makes an image with memory of its own.
    pub fn create_image(&mut self) -> Result<()> {
        let shapes =
            [Shape::One, Shape::OneArray, Shape::Two, Shape::Two, Shape::TwoArray, Shape::Three];
        let (shape, format) = (*self.random.pick(&shapes), *self.random.pick(&FORMATS));
        let mut size = [self.random.size(200), self.random.size(40), self.random.size(12)];
        match shape {
            Shape::One => size = [size[0], 1, 1],
            Shape::OneArray | Shape::Two => size[2] = 1,
            _ => {}
        }
        let row = size[0] * format.texel();
        let pitch = Pitch { row, slice: row * size[1] };
        let image = Image { shape, format, size, pitch };
        let bytes = pitch.slice * size[2];
        // Host memory may have gaps between rows, according to the row pitch.
        let gap = if self.random.once_in(2) { 0 } else { self.random.below(6) * format.texel() };
        let in_host = Pitch { row: row + gap, slice: (row + gap) * size[1] };
        let given = self.random.bytes(in_host.slice * size[2]);
        let (mut data, host) = (vec![0; bytes], Image { pitch: in_host, ..image });
        let rows = |image: Image| image.block([0; 3], size).rows();
        copy_rows(&given, &rows(host), &mut data, &rows(image), row);
        let source = self.first_bytes(&given, 16);
        let named = if source.memory.is_some() && gap > 0 { in_host.row } else { 0 };
        let (host_flags, host) = self.host_flags();
        let pointer = source.memory.as_ref().map(HostMemory::address);
        let flags = source.flags | host_flags | CL_MEM_READ_WRITE;
        let place = pointer.unwrap_or(null_mut());
        let Some(handle) = self.new_image(image, flags, named, null_mut(), place)? else {
            return Ok(());
        };
        let object = Object {
            handle,
            kind: Kind::Image(image),
            store: self.stores.len(),
            base: 0,
            bytes,
            host,
            read_only: false,
            host_pointer: pointer.filter(|_| source.is_used),
            host_pitch: in_host,
            is_view: false,
        };
        self.adopt(object, data, source, &format!("{image:?}, rows of {named} bytes")).map(drop)
    }

    fn new_image(
        &self,
        image: Image,
        flags: u64,
        row_pitch: usize,
        buffer: cl_mem,
        pointer: *mut c_void,
    ) -> Result<Option<cl_mem>> {
        let format = channels(image.format);
        let [width, height, depth] = image.size;
        let layers = match image.shape {
            Shape::OneArray => height,
            Shape::TwoArray => depth,
            _ => 1,
        };
        let desc = cl_image_desc {
            image_type: image.shape as u32,
            image_width: width,
            image_height: if image.shape == Shape::OneArray { 1 } else { height },
            image_depth: if image.shape == Shape::Three { depth } else { 1 },
            image_array_size: layers,
            image_row_pitch: row_pitch,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer,
        };
        let made_now = make!(clCreateImage(self.context.handle(), flags, &format, &desc, pointer));
        match made_now {
            Ok(handle) => Ok(Some(handle)),
            Err(CL_IMAGE_FORMAT_NOT_SUPPORTED) if !self.has_format(image)? => Ok(None),
            Err(status) => {
                Err(format!("clCreateImage gives {status} for {image:?}, flags {flags:#x}"))
            }
        }
    }

    /// Returns true if the device lists an image's format.
    fn has_format(&self, image: Image) -> Result<bool> {
        let (context, own) = (self.context.handle(), channels(image.format));
        let (shape, flags) = (image.shape as u32, CL_MEM_READ_WRITE);
        let mut count = 0;
        done!(clGetSupportedImageFormats(context, flags, shape, 0, null_mut(), &mut count))?;
        let mut all = vec![own; count as usize];
        let place = all.as_mut_ptr();
        done!(clGetSupportedImageFormats(context, flags, shape, count, place, null_mut()))?;
        Ok(all.iter().any(|format| {
            format.image_channel_order == own.image_channel_order
                && format.image_channel_data_type == own.image_channel_data_type
        }))
    }

    /// Makes an image over a buffer.
    pub fn create_view(&mut self) -> Result<()> {
        let format = *self.random.pick(&FORMATS);
        let texel = format.texel();
        let Some(parent) = self.pick(|o| o.is_buffer() && !o.is_view && o.bytes >= texel) else {
            return Ok(());
        };
        let Object { store, bytes: all, host, read_only, host_pointer, .. } = self.objects[parent];
        let texels = all / texel;
        // Host memory is aligned as the device asks (OpenCL 5.3.1, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR): for a 2D image at most
        // to a page, for a view of texels to 64 bytes in most drivers, and 256 at most (Vulkan, table of required limits).
        let is_aligned =
            |to: usize| host_pointer.is_none_or(|pointer| pointer.addr().is_multiple_of(to));
        if !is_aligned(256) {
            return Ok(());
        }
        let align = self.device.pitch_align.filter(|align| texels >= *align && is_aligned(4096));
        let image = match align.filter(|_| self.random.once_in(2)) {
            None => {
                let width = self.random.size(texels.min(4096));
                let pitch = Pitch { row: width * texel, slice: width * texel };
                Image { shape: Shape::OneBuffer, format, size: [width, 1, 1], pitch }
            }
            Some(align) => {
                let pitch =
                    self.random.size((texels / align).min(512 / align.min(512) + 1)) * align;
                let height = self.random.size((texels / pitch).min(64));
                let (width, row) = (self.random.between(1, pitch), pitch * texel);
                let pitch = Pitch { row, slice: row * height };
                Image { shape: Shape::Two, format, size: [width, height, 1], pitch }
            }
        };
        let named = if image.shape == Shape::Two { image.pitch.row } else { 0 };
        let buffer = self.objects[parent].mem();
        let Some(handle) = self.new_image(image, 0, named, buffer, null_mut())? else {
            return Ok(());
        };
        let index = self.objects.len();
        self.line(format!("create object {index}: over object {parent}, {image:?}"), vec![store]);
        let bytes = image.block([0; 3], image.size).end();
        self.objects.push(Object {
            handle,
            kind: Kind::Image(image),
            store,
            base: 0,
            bytes,
            host,
            read_only,
            host_pointer: None,
            host_pitch: Pitch::default(),
            is_view: true,
        });
        Ok(())
    }

    /// Releases an object, even if commands still use it.
    pub fn release(&mut self) -> Result<()> {
        let Some(object) = self.pick(|o| !o.is_svm()) else { return Ok(()) };
        if self.is_mapped(object) {
            return Ok(());
        }
        let store = self.objects[object].store;
        self.line(format!("release object {object}"), vec![store]);
        let handle = std::mem::replace(&mut self.objects[object].handle, null_mut());
        done!(clReleaseMemObject(handle))
    }
}
