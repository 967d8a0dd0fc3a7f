//! Objects of OpenGL from which memory objects were created: their properties, and whether OpenCL has acquired them.

use super::constants::*;
use super::format::Texels;
use crate::cl::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Buffer,
    /// A level of a texture or of a face of a cube map: the target and the level that the application gave.
    Texture {
        target: u32,
        level: i32,
    },
    /// A texture whose texels are a buffer's bytes, from an offset on (GL_TEXTURE_BUFFER).
    BufferTexture {
        buffer: u32,
        offset: usize,
    },
    Renderbuffer,
}

/// The properties of an object when a memory object was created from it.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    pub source: Source,
    pub name: u32,
    /// Width, height and depth or layers in texels; for a buffer, its bytes, 1 and 1.
    pub size: [usize; 3],
    /// The format of the texels; `None` for buffers.
    pub texels: Option<Texels>,
    /// True for the first level of a texture that has several levels.
    pub has_levels: bool,
}

impl Object {
    /// Returns the bytes of the contents.
    pub fn bytes(&self) -> usize {
        let texel = self.texels.map_or(1, |texels| texels.transfer.texel());
        self.size.iter().product::<usize>() * texel
    }

    /// Returns true for depths beside a stencil: OpenCL only reads them.
    pub fn is_read_only(&self) -> bool {
        let order = self.texels.map(|texels| texels.image.image_channel_order);
        order == Some(CL_DEPTH_STENCIL)
    }

    /// Returns the target that the object is bound to.
    pub(super) fn target(&self) -> u32 {
        match self.source {
            Source::Texture { target, .. } => bound_target(target),
            Source::BufferTexture { .. } => TEXTURE_BUFFER,
            Source::Renderbuffer => RENDERBUFFER,
            Source::Buffer => COPY_READ_BUFFER,
        }
    }

    /// Returns CL_GL_TEXTURE_TARGET and CL_GL_MIPMAP_LEVEL of a texture.
    pub fn texture(&self) -> Option<(u32, i32)> {
        match self.source {
            Source::Texture { target, level } => Some((target, level)),
            Source::BufferTexture { .. } => Some((TEXTURE_BUFFER, 0)),
            Source::Renderbuffer | Source::Buffer => None,
        }
    }

    /// Returns the type of the object (clGetGLObjectInfo).
    pub fn object_type(&self) -> cl_gl_object_type {
        match self.source {
            Source::Buffer => CL_GL_OBJECT_BUFFER,
            Source::Renderbuffer => CL_GL_OBJECT_RENDERBUFFER,
            Source::BufferTexture { .. } => CL_GL_OBJECT_TEXTURE_BUFFER,
            Source::Texture { target, .. } => match target {
                TEXTURE_1D => CL_GL_OBJECT_TEXTURE1D,
                TEXTURE_1D_ARRAY => CL_GL_OBJECT_TEXTURE1D_ARRAY,
                TEXTURE_2D_ARRAY => CL_GL_OBJECT_TEXTURE2D_ARRAY,
                TEXTURE_3D => CL_GL_OBJECT_TEXTURE3D,
                _ => CL_GL_OBJECT_TEXTURE2D,
            },
        }
    }

    /// Returns the type of the image that is created from the object.
    pub fn image_type(&self) -> cl_mem_object_type {
        match self.source {
            Source::Buffer => CL_MEM_OBJECT_BUFFER,
            Source::BufferTexture { .. } => CL_MEM_OBJECT_IMAGE1D_BUFFER,
            Source::Renderbuffer => CL_MEM_OBJECT_IMAGE2D,
            Source::Texture { target, .. } => match target {
                TEXTURE_1D => CL_MEM_OBJECT_IMAGE1D,
                TEXTURE_1D_ARRAY => CL_MEM_OBJECT_IMAGE1D_ARRAY,
                TEXTURE_2D_ARRAY => CL_MEM_OBJECT_IMAGE2D_ARRAY,
                TEXTURE_3D => CL_MEM_OBJECT_IMAGE3D,
                _ => CL_MEM_OBJECT_IMAGE2D,
            },
        }
    }
}

/// Returns true for the faces of cube maps.
pub(super) fn is_face(target: u32) -> bool {
    (TEXTURE_CUBE_MAP_POSITIVE_X..=TEXTURE_CUBE_MAP_NEGATIVE_Z).contains(&target)
}

/// Returns the target that textures of a target are bound to; for a face, the target of cube maps.
pub(super) fn bound_target(target: u32) -> u32 {
    if is_face(target) {
        TEXTURE_CUBE_MAP
    } else {
        target
    }
}

/// Returns true for the targets from which images can be created (clCreateFromGLTexture).
pub fn is_target(target: u32) -> bool {
    is_face(target)
        || matches!(
            target,
            TEXTURE_1D
                | TEXTURE_1D_ARRAY
                | TEXTURE_BUFFER
                | TEXTURE_2D
                | TEXTURE_2D_ARRAY
                | TEXTURE_3D
                | TEXTURE_RECTANGLE
        )
}

/// The object from which a memory object was created.
pub struct Shared {
    pub object: Object,
    acquired: AtomicBool,
}

impl Shared {
    /// Returns an object that OpenCL has not acquired.
    pub fn new(object: Object) -> Shared {
        Shared { object, acquired: AtomicBool::new(false) }
    }

    /// Notes that a command that is being enqueued acquires or releases the object.
    pub fn set_acquired(&self, acquired: bool) {
        self.acquired.store(acquired, Ordering::Release);
    }

    /// Returns true if commands may use the object.
    pub fn is_acquired(&self) -> bool {
        self.acquired.load(Ordering::Acquire)
    }
}
