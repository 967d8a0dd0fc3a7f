//! Images (5.3): texels on each device of the context, or a view of a buffer's bytes, and the words by which kernels
//! know them.

pub mod boxes;
pub mod desc;
mod gl;
mod import;
pub mod mapping;
pub mod requirements;
pub mod shadow;
mod slots;
pub mod texel;

use super::buffer::Buffer;
use super::flags::{self, ACCESS, HOST_POINTER};
use super::host::HostAddress;
use super::object::MemObject;
use super::operand;
use super::properties::{Import, MemoryProperties};
use super::reservation::{Effect, RangeUse};
use super::residency::Replicas;
use super::spans::Devices;
use super::MemBase;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::image_copy::NewImage;
use crate::core::device::images::format::{self, Layout};
use crate::core::device::images::{Access, Images};
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use desc::{PitchRule, Shape};
use hekla_vk_backend as vk;
use import::Imported;
use mapping::ImageMapping;
use parking_lot::Mutex;
use shadow::Shadows;
use slots::Slots;
use std::ops::Deref;
use std::sync::Arc;

/// An image.
pub struct Image {
    base: MemBase,
    pub format: cl_image_format,
    /// How texels are stored.
    pub layout: Layout,
    pub shape: Shape,
    texels: Texels,
    /// The image that owns the texels, if this image was created from another one.
    parent: Option<Ref<Image>>,
    /// The origin of the memory, if it is another API's.
    pub import: Option<Import>,
    /// The image's slots in the descriptor arrays of each device of the context.
    slots: Vec<Slots>,
    maps: Mutex<Vec<ImageMapping>>,
}

/// The place of an image's texels.
enum Texels {
    /// In an image of the context's only device.
    Single(NewImage),
    /// In an image of each device that needs it, in a context of several devices.
    Replicas(Replicas),
    /// In a buffer or sub-buffer, which kernels access through a typed view.
    Buffer(Ref<Buffer>),
    /// In a buffer or sub-buffer, and in shadows (for each device) while kernels use them.
    Shadowed(Ref<Buffer>, Vec<Shadows>),
    /// In a buffer that belongs to the image alone, of the application's own memory (CL_MEM_USE_HOST_PTR) or of another API's,
    /// and in shadows.
    OwnBuffer(Ref<Buffer>, Vec<Shadows>),
    /// In the parent image.
    Parent,
}

impl Deref for Image {
    type Target = MemBase;
    fn deref(&self) -> &MemBase {
        &self.base
    }
}

impl Kind for Image {
    type Target = _cl_mem;
    const INVALID: cl_int = CL_INVALID_MEM_OBJECT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.has_children()
    }

    fn dropped(&mut self, handle: cl_mem) {
        if let Texels::Single(image) = &self.texels {
            // Once the image is prepared, the queue that prepared it no longer holds it.
            let _ = image.ready(&self.context.gpus[0]);
        }
        self.forget_mappings();
        if let Some(parent) = self.parent() {
            parent.remove_child();
        }
        self.base.call_destructors(handle);
    }
}

/// The arguments for the creation of an image.
pub struct Request<'a> {
    pub flags: cl_mem_flags,
    pub format: Option<cl_image_format>,
    pub desc: Option<&'a cl_image_desc>,
    /// The application's pointer, not NULL when given.
    pub host: Option<HostAddress>,
    pub properties: MemoryProperties,
    /// The error of pitches that are not allowed.
    pub pitch_error: cl_int,
}

impl Image {
    /// clCreateImage and its relatives.
    pub fn new(context: &Ref<Context>, request: Request<'_>) -> Result<Ref<Image>> {
        Ok(Ref::new(Image::made(context, request)?))
    }

    fn made(context: &Ref<Context>, request: Request<'_>) -> Result<Image> {
        ensure!(images_of(context).next().is_some(), CL_INVALID_OPERATION);
        flags::check(request.flags)?;
        let is_import = request.properties.import.is_some();
        if is_import {
            ensure!(request.flags & HOST_POINTER == 0, CL_INVALID_VALUE);
            ensure!(request.host.is_none(), CL_INVALID_HOST_PTR);
        }
        let format = request.format.filter(|format| format::is_valid(*format));
        let format = format.ok_or(ClError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        let desc = request.desc.ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
        let parent = parent_of(desc)?;
        ensure!(parent.is_none() || !is_import, CL_INVALID_IMAGE_DESCRIPTOR);
        let is_view = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let layout = match is_view {
            true => format::layout_in_buffer(format),
            false => format::layout(format),
        };
        // If no device has the format, the size of a texel does not matter.
        let texel = layout.map_or(1, |layout| layout.texel());
        // Applications also give the row pitch of a view of a buffer, although it has only one row.
        let host = request.host.is_some() || parent.is_some() || is_import;
        let error = match &parent {
            Some(MemObject::Buffer(_)) if !is_view => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            _ => request.pitch_error,
        };
        let pitches = PitchRule { host, error };
        let shape = Shape::new(desc, texel, images_of(context).map(|(_, i)| i), pitches)?;
        let wants_host = request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure!(wants_host == request.host.is_some(), CL_INVALID_HOST_PTR);
        if shape.is_mipmap() {
            let in_buffer = matches!(&parent, Some(MemObject::Buffer(_)));
            let depth = format.image_channel_order == CL_DEPTH;
            ensure!(!in_buffer && !depth && !is_import, CL_INVALID_IMAGE_DESCRIPTOR);
            ensure!(request.host.is_none(), CL_INVALID_HOST_PTR);
        }
        let layout = layout.ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        let mut image = match parent {
            Some(MemObject::Buffer(parent)) => {
                Image::of_buffer(context, parent, request.flags, (format, layout), shape)?
            }
            Some(MemObject::Image(parent)) => {
                let shape = match desc.image_row_pitch {
                    0 => Shape { row_pitch: parent.shape.row_pitch, ..shape },
                    _ => shape,
                };
                Image::of_image(context, parent, request.flags, (format, layout), shape)?
            }
            Some(MemObject::Pipe(_)) => return fail(CL_INVALID_IMAGE_DESCRIPTOR),
            None => Image::with_texels(context, &request, (format, layout), shape)?,
        };
        image.base.properties = request.properties.list;
        if let Some(parent) = image.parent() {
            parent.add_child();
        }
        Ok(image)
    }

    /// Returns an image with texels of its own.
    fn with_texels(
        context: &Ref<Context>,
        request: &Request<'_>,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
    ) -> Result<Image> {
        let flags = request.flags;
        flags::check_contents(flags, request.properties.import.is_some())?;
        let flags = flags::with_access(flags);
        let usable = |images: &Images| {
            shape.fits(images) && suits(images.access(shape.image_type, format), flags)
        };
        let home = images_of(context).find(|(_, images)| usable(images));
        let (home, _) = home.ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        let size = shape.texels().and_then(|texels| texels.checked_mul(layout.texel()));
        let most = context.devices[home].max_allocation();
        let size = size.filter(|size| *size as u64 <= most);
        let size = size.ok_or(ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE))?;
        if request.properties.import.is_some() {
            let told = request.desc.is_some_and(|desc| desc.image_row_pitch != 0);
            let Imported { texels, import, shape, size } =
                import::texels(context, flags, &request.properties, (shape, told), &layout)?;
            let image = Image::of(
                MemBase::new(context.clone(), flags, size),
                (format, layout),
                shape,
                texels,
            );
            return Ok(Image { import: Some(import), ..image });
        }
        let host_ptr = request.host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
        let shared =
            host_ptr.and_then(|host| Texels::in_host_memory(context, host, &shape, &layout));
        let texels = match shared {
            Some(texels) => texels,
            None => {
                let desc = shape.image(&layout).ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
                Texels::new(context, home, &desc, request.host.map(|host| (host, shape)))?
            }
        };
        let base = MemBase::new(context.clone(), flags, size);
        Ok(Image::of(MemBase { host_ptr, ..base }, (format, layout), shape, texels))
    }

    /// Returns an image whose texels are a buffer's bytes.
    fn of_buffer(
        context: &Ref<Context>,
        parent: Ref<Buffer>,
        flags: cl_mem_flags,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
    ) -> Result<Image> {
        ensure!(parent.context == *context, CL_INVALID_CONTEXT);
        ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
        // An image of an immutable buffer must have the flag, too (cl_ext_immutable_memory_objects).
        ensure!(parent.flags & !flags & CL_MEM_IMMUTABLE_EXT == 0, CL_INVALID_VALUE);
        let access = flags::inherited_access(parent.flags, flags)?;
        let host_access = flags::inherited_host_access(parent.flags, flags)?;
        let is_view = shape.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let size = shape.size_in_buffer(layout.texel()).filter(|size| *size <= parent.size);
        let size = size.ok_or(ClError(CL_INVALID_IMAGE_SIZE))?;
        let usable = |images: &Images| {
            shape.fits(images) && suits(images.access(shape.image_type, format), access)
        };
        let mut usable = images_of(context).filter(|(_, images)| usable(images));
        let (home, _) = usable.next().ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        let alignment = requirements::base_alignment(&context.devices[home], is_view, &layout);
        let host = parent.used_host_ptr().map_or(0, |host| host.0);
        let aligned = parent.origin.is_multiple_of(alignment) && host.is_multiple_of(alignment);
        ensure!(aligned, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let base = MemBase::new(context.clone(), flags, size);
        let base = MemBase { host_ptr: parent.used_host_ptr(), ..base };
        let texels = match is_view {
            true => Texels::Buffer(parent),
            false => Texels::shadowed(context, parent),
        };
        Ok(Image::of(base, (format, layout), shape, texels))
    }

    fn of(
        base: MemBase,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
        texels: Texels,
    ) -> Image {
        let slots = base.context.gpus.iter().map(|_| Slots::default()).collect();
        let (parent, import, maps) = (None, None, Mutex::default());
        Image { base, format, layout, shape, texels, parent, import, slots, maps }
    }

    /// Returns an image with the texels of another image, whose order of channels is compatible.
    fn of_image(
        context: &Ref<Context>,
        parent: Ref<Image>,
        flags: cl_mem_flags,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
    ) -> Result<Image> {
        ensure!(parent.context == *context, CL_INVALID_CONTEXT);
        ensure!(flags & HOST_POINTER == 0, CL_INVALID_VALUE);
        ensure!(parent.flags & !flags & CL_MEM_IMMUTABLE_EXT == 0, CL_INVALID_VALUE);
        let access = flags::inherited_access(parent.flags, flags)?;
        let host_access = flags::inherited_host_access(parent.flags, flags)?;
        ensure!(shape == parent.shape, CL_INVALID_IMAGE_DESCRIPTOR);
        let compatible = format::is_compatible(format, parent.format);
        ensure!(compatible, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        let usable = |images: &Images| suits(images.access(shape.image_type, format), access);
        let usable = images_of(context).any(|(_, images)| usable(images));
        ensure!(usable, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let base = MemBase::new(context.clone(), flags, parent.size);
        let base = MemBase { host_ptr: parent.host_ptr, ..base };
        let shadows = context.gpus.iter().map(|_| Shadows::default()).collect();
        let texels = match &parent.texels {
            Texels::OwnBuffer(buffer, _) => Texels::OwnBuffer(buffer.clone(), shadows),
            Texels::Buffer(buffer) | Texels::Shadowed(buffer, _) => {
                Texels::Shadowed(buffer.clone(), shadows)
            }
            Texels::Single(_) | Texels::Replicas(_) | Texels::Parent => Texels::Parent,
        };
        let image = Image::of(base, (format, layout), shape, texels);
        Ok(Image { parent: Some(parent), ..image })
    }

    /// Returns the memory object that owns the texels, if the image was created from one.
    pub fn parent(&self) -> Option<MemObject> {
        let image = self.parent.clone().map(MemObject::Image);
        image.or_else(|| self.parent_buffer().cloned().map(MemObject::Buffer))
    }

    /// Returns the application's buffer that holds the texels (CL_IMAGE_BUFFER).
    pub fn parent_buffer(&self) -> Option<&Ref<Buffer>> {
        let is_own = matches!(self.texels, Texels::OwnBuffer(..)) || self.gl.is_some();
        self.buffer().filter(|_| !is_own)
    }

    /// Returns the place of the texels. If the parent is itself an image of a buffer, the texels are in the buffer.
    fn texels(&self) -> &Texels {
        match (&self.texels, &self.parent) {
            (Texels::Parent, Some(parent)) => parent.texels(),
            (texels, _) => texels,
        }
    }

    /// Returns the buffer that holds the texels, whether the application knows the buffer or not.
    pub fn buffer(&self) -> Option<&Ref<Buffer>> {
        match &self.texels {
            Texels::Buffer(bytes) | Texels::Shadowed(bytes, _) | Texels::OwnBuffer(bytes, _) => {
                Some(bytes)
            }
            _ => None,
        }
    }

    /// Returns true if the texels are at the address that a map returns: the application's own memory.
    pub fn is_in_place(&self) -> bool {
        let is_shared = |buffer: &Ref<Buffer>| buffer.svm.is_some() && buffer.host_ptr.is_none();
        self.host_ptr.is_some() && self.buffer().is_some_and(is_shared)
    }

    /// Returns true if kernels access the image as a typed view of a buffer.
    pub fn is_view_of_buffer(&self) -> bool {
        matches!(self.texels, Texels::Buffer(_))
    }

    /// Returns the Vulkan image that has, or will have, the texels on a device of the context; CL_INVALID_MEM_OBJECT if the
    /// texels are in a buffer.
    pub fn on_device(&self, device: usize) -> Result<Arc<vk::Image>> {
        match self.texels() {
            Texels::Single(image) => image.ready(&self.context.gpus[0]).cloned(),
            Texels::Replicas(replicas) => replicas.image(&self.context, device),
            _ => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns the use of all texels.
    pub fn whole(&self, effect: Effect) -> RangeUse<'_> {
        match self.texels() {
            Texels::Single(_) | Texels::Parent => RangeUse::of_replicas(None, 0..1, effect),
            Texels::Replicas(replicas) => RangeUse::of_replicas(Some(replicas), 0..1, effect),
            Texels::Buffer(bytes) | Texels::Shadowed(bytes, _) => {
                RangeUse::new(bytes, 0, self.size, effect)
            }
            Texels::OwnBuffer(bytes, _) => RangeUse::whole(bytes, effect),
        }
    }

    /// Returns true if two images share storage.
    pub fn same_storage(&self, other: &Image) -> bool {
        match (self.texels(), other.texels()) {
            (Texels::Single(one), Texels::Single(two)) => std::ptr::eq(one, two),
            (Texels::Replicas(one), Texels::Replicas(two)) => std::ptr::eq(one, two),
            _ => self.buffer().zip(other.buffer()).is_some_and(|(one, two)| one.same_storage(two)),
        }
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        match &self.texels {
            Texels::Buffer(parent) => parent.map_count(),
            _ => self.maps.lock().len() as u32,
        }
    }
}

impl Texels {
    fn own_buffer(bytes: Buffer) -> Texels {
        let shadows = bytes.context.gpus.iter().map(|_| Shadows::default()).collect();
        Texels::OwnBuffer(Ref::new(bytes), shadows)
    }

    fn shadowed(context: &Context, parent: Ref<Buffer>) -> Texels {
        Texels::Shadowed(parent, context.gpus.iter().map(|_| Shadows::default()).collect())
    }

    /// Returns the texels of an image in the application's own memory; `None` if the devices do not share that memory, or
    /// cannot copy from and to it.
    fn in_host_memory(
        context: &Ref<Context>,
        host: HostAddress,
        shape: &Shape,
        layout: &Layout,
    ) -> Option<Texels> {
        // Vulkan copies texels that begin at multiples of their size and of four bytes (VkBufferImageCopy, bufferOffset).
        if !host.0.is_multiple_of(layout.texel().max(4)) {
            return None;
        }
        shape.size_in_buffer(layout.texel())?;
        let size = shape.host_size(layout.texel())?;
        Some(Texels::own_buffer(Buffer::in_place(context, CL_MEM_READ_WRITE, size, host)?))
    }

    /// Returns the texels of an image. At first one device, `home`, has them; `host` is the address of the initial contents,
    /// and their shape.
    fn new(
        context: &Context,
        home: usize,
        desc: &vk::ImageDesc,
        host: Option<(HostAddress, Shape)>,
    ) -> Result<Texels> {
        let single = context.gpus.len() == 1;
        let Some((host, shape)) = host else {
            if single {
                return Ok(Texels::Single(context.gpus[home].create_image(desc)?));
            }
            return Ok(Texels::Replicas(Replicas::of_image(context, desc, Devices::default())?));
        };
        let gpu = &context.gpus[home];
        let image = gpu.create_image(desc)?;
        let size = shape.host_size(desc.format.bytes() as usize);
        let size = size.ok_or(ClError(CL_INVALID_IMAGE_SIZE))?;
        let shadowed = operand::behind_shadow(context, host, size)?;
        let from = shadowed.as_ref().map_or(host.as_ptr(), |bytes| bytes.as_ptr());
        // SAFETY: clCreateImage requires the image's texels at host_ptr, and has not returned yet.
        unsafe { gpu.write_image_from(&image, from, shape.pitches()) }?;
        if single {
            return Ok(Texels::Single(image));
        }
        let replicas = Replicas::of_image(context, desc, Devices::only(home))?;
        Ok(Texels::Replicas(replicas.with_image(home, image.ready(gpu)?.clone())))
    }
}

/// Returns the memory object in a descriptor, which holds the texels.
fn parent_of(desc: &cl_image_desc) -> Result<Option<MemObject>> {
    let is_view = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    if desc.mem_object.is_null() {
        ensure!(!is_view, CL_INVALID_IMAGE_DESCRIPTOR);
        return Ok(None);
    }
    // Any image can be created from a buffer (cl_ext_image_from_buffer), and a 2D image from another image.
    let is_flat = desc.image_type == CL_MEM_OBJECT_IMAGE2D;
    let parent = MemObject::from_handle(desc.mem_object).ok();
    let parent = parent.filter(|parent| is_flat || parent.buffer().is_some());
    parent.map(Some).ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))
}

/// Returns the positions in a context of the devices that have images.
fn images_of(context: &Context) -> impl Iterator<Item = (usize, &Images)> {
    let devices = context.devices.iter().enumerate();
    devices.filter_map(|(index, device)| Some((index, device.images()?)))
}

/// Returns true if kernels can access images of a format as the flags of an image say.
fn suits(access: Access, flags: cl_mem_flags) -> bool {
    match flags & (ACCESS | CL_MEM_IMMUTABLE_EXT) {
        CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT => access.read,
        CL_MEM_WRITE_ONLY => access.write,
        _ => access.read || access.write,
    }
}
