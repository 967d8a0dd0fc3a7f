//! The model's memory, and the objects that use it.

use super::api::call;
use super::host::HostMemory;
use super::layout::{Block, Pitch};
use super::span::Span;
use cl3::types::cl_mem;
use std::ffi::c_void;

/// The kind of an object, with its layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Buffer,
    /// Memory of clSVMAlloc; it has an address in place of a handle.
    Svm {
        fine: bool,
        /// The alignment of its address, in bytes.
        align: usize,
    },
    Image(Image),
}

/// Types of images, by their CL_MEM_OBJECT numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Two = 0x10F1,
    Three = 0x10F2,
    TwoArray = 0x10F3,
    One = 0x10F4,
    OneArray = 0x10F5,
    OneBuffer = 0x10F6,
}

/// A texel's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    pub order: u32,
    pub channel: u32,
    pub channels: usize,
    /// Bytes of a channel.
    pub bytes: usize,
}

impl Format {
    pub fn texel(self) -> usize {
        self.channels * self.bytes
    }

    /// Returns true for unsigned integers, which kernels of sequences read and write.
    pub fn is_uint(self) -> bool {
        matches!(self.channel, 0x10DA..=0x10DC)
    }
}

/// An image: texels in the store from the object's start on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    pub shape: Shape,
    pub format: Format,
    /// Width, height (layers of a 1D array), depth (layers of a 2D array).
    pub size: [usize; 3],
    pub pitch: Pitch,
}

impl Image {
    /// Returns a box of texels as bytes from the object's start on.
    pub fn block(&self, origin: [usize; 3], region: [usize; 3]) -> Block {
        let texel = self.format.texel();
        Block {
            origin: [origin[0] * texel, origin[1], origin[2]],
            region: [region[0] * texel, region[1], region[2]],
            pitch: self.pitch,
        }
    }

    /// Returns how the rows of host memory follow each other: slices are the layers of a 1D array (OpenCL 5.3.3).
    pub fn host_pitch(&self, pitch: Pitch) -> Pitch {
        match self.shape {
            Shape::OneArray => Pitch { row: pitch.slice, slice: 0 },
            _ => pitch,
        }
    }
}

/// What the host may do with an object, by its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostAccess {
    pub read: bool,
    pub write: bool,
}

/// An object with memory.
pub struct Object {
    /// Its handle, or the address of shared virtual memory; null once it is released.
    pub handle: *mut c_void,
    pub kind: Kind,
    pub store: usize,
    /// The offset of the object in the store.
    pub base: usize,
    pub bytes: usize,
    pub host: HostAccess,
    /// True if kernels may not write the object.
    pub read_only: bool,
    /// CL_MEM_USE_HOST_PTR: the address of its first byte.
    pub host_pointer: Option<*mut c_void>,
    /// The pitch of an image's rows in host memory.
    pub host_pitch: Pitch,
    /// True for an object that was made of another one.
    pub is_view: bool,
}

impl Object {
    pub fn is_alive(&self) -> bool {
        !self.handle.is_null()
    }

    pub fn mem(&self) -> cl_mem {
        self.handle
    }

    pub fn image(&self) -> Option<Image> {
        match self.kind {
            Kind::Image(image) => Some(image),
            _ => None,
        }
    }

    pub fn is_buffer(&self) -> bool {
        self.kind == Kind::Buffer
    }

    pub fn is_svm(&self) -> bool {
        matches!(self.kind, Kind::Svm { .. })
    }

    /// Returns a span of this object, which has the number `index`; `rows` count from its start.
    pub fn span(&self, index: usize, rows: &[usize], length: usize) -> Span {
        let rows: Vec<usize> = rows.iter().map(|row| row + self.base).collect();
        Span::new(self.store, index, self.base..self.base + self.bytes, &rows, length)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.is_alive() && !self.is_svm() {
            call!(clReleaseMemObject(self.handle));
        }
    }
}

/// Memory of the model.
pub struct Store {
    pub bytes: Vec<u8>,
    /// The memory of a CL_MEM_USE_HOST_PTR object, which lives until the end.
    pub _host: Option<HostMemory>,
}
