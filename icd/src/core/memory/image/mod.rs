//! Images (5.3): texels on each device of the context, or a view of a buffer's bytes, and the words by which kernels
//! know them.

pub mod boxes;
pub mod desc;
pub mod mapping;
mod slots;
pub mod texel;

use super::buffer::Buffer;
use super::flags::{self, ACCESS, HOST_POINTER};
use super::host::HostAddress;
use super::operand;
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
use mapping::ImageMapping;
use parking_lot::Mutex;
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
    /// The places of the image in the descriptor set of each device of the context.
    slots: Vec<Slots>,
    maps: Mutex<Vec<ImageMapping>>,
}

/// Where the texels are.
enum Texels {
    /// The context has one device.
    Single(NewImage),
    /// The context has several devices.
    Replicas(Replicas),
    /// In a buffer or sub-buffer.
    Buffer(Ref<Buffer>),
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

    fn dropped(&mut self, handle: cl_mem) {
        if let Texels::Single(image) = &self.texels {
            // The queue that prepared it lets go of it.
            let _ = image.ready(&self.context.gpus[0]);
        }
        self.forget_mappings();
        if let Texels::Buffer(parent) = &self.texels {
            parent.remove_child();
        }
        self.base.call_destructors(handle);
    }
}

/// What an image is made from.
pub struct Request<'a> {
    pub flags: cl_mem_flags,
    pub format: Option<cl_image_format>,
    pub desc: Option<&'a cl_image_desc>,
    /// The application's pointer, not NULL when given.
    pub host: Option<HostAddress>,
    /// As given to clCreateImageWithProperties.
    pub properties: Vec<cl_mem_properties>,
    /// The error of pitches that are not allowed.
    pub pitch_error: cl_int,
}

impl Image {
    /// clCreateImage and its relatives.
    pub fn new(context: &Ref<Context>, request: Request<'_>) -> Result<Ref<Image>> {
        ensure!(images_of(context).next().is_some(), CL_INVALID_OPERATION);
        flags::check(request.flags)?;
        let format = request.format.filter(|format| format::is_valid(*format));
        let format = format.ok_or(ClError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        let desc = request.desc.ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
        let of_buffer = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
        if desc.image_type == CL_MEM_OBJECT_IMAGE2D {
            // 2D images of other memory objects are optional.
            ensure!(desc.mem_object.is_null(), CL_INVALID_OPERATION);
        }
        ensure!(desc.mem_object.is_null() != of_buffer, CL_INVALID_IMAGE_DESCRIPTOR);
        let layout = match of_buffer {
            true => format::layout_in_buffer(format),
            false => format::layout(format),
        };
        // The size of a texel of formats that no device has does not matter.
        let texel = layout.map_or(1, |layout| layout.texel());
        // Applications give the row pitch of a view of a buffer as well, which has one row.
        let host = request.host.is_some() || of_buffer;
        let pitches = PitchRule { host, error: request.pitch_error };
        let shape = Shape::new(desc, texel, images_of(context).map(|(_, i)| i), pitches)?;
        let wants_host = request.flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
        ensure!(wants_host == request.host.is_some(), CL_INVALID_HOST_PTR);
        let layout = layout.ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        let mut image = if of_buffer {
            let parent = Ref::<Buffer>::from_handle(desc.mem_object);
            let parent = parent.map_err(|_| ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
            Image::of_buffer(context, parent, request.flags, (format, layout), shape)?
        } else {
            Image::with_texels(context, &request, (format, layout), shape)?
        };
        image.base.properties = request.properties;
        if let Texels::Buffer(parent) = &image.texels {
            parent.add_child();
        }
        Ok(Ref::new(image))
    }

    /// Returns an image with texels of its own.
    fn with_texels(
        context: &Ref<Context>,
        request: &Request<'_>,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
    ) -> Result<Image> {
        let flags = request.flags;
        flags::check_contents(flags, false)?;
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
        let desc = shape.image(&layout).ok_or(ClError(CL_INVALID_IMAGE_DESCRIPTOR))?;
        let texels = Texels::new(context, home, &desc, request.host.map(|host| (host, shape)))?;
        let base = MemBase::new(context.clone(), flags, size);
        let host_ptr = request.host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
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
        // It is to be said of the image as well (cl_ext_immutable_memory_objects).
        ensure!(parent.flags & !flags & CL_MEM_IMMUTABLE_EXT == 0, CL_INVALID_VALUE);
        let access = flags::inherited_access(parent.flags, flags)?;
        let host_access = flags::inherited_host_access(parent.flags, flags)?;
        let size = shape.width.checked_mul(layout.texel()).filter(|size| *size <= parent.size);
        let size = size.ok_or(ClError(CL_INVALID_IMAGE_SIZE))?;
        let usable = |images: &Images| {
            shape.fits(images) && suits(images.access(shape.image_type, format), access)
        };
        let mut usable = images_of(context).filter(|(_, images)| usable(images));
        let (home, _) = usable.next().ok_or(ClError(CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        let alignment = context.devices[home].info().limits.min_texel_buffer_offset_alignment;
        let aligned = (parent.origin as u64).is_multiple_of(alignment);
        ensure!(aligned, CL_MISALIGNED_SUB_BUFFER_OFFSET);
        let flags = access | host_access | parent.flags & HOST_POINTER;
        let base = MemBase::new(context.clone(), flags, size);
        let base = MemBase { host_ptr: parent.host_ptr, ..base };
        Ok(Image::of(base, (format, layout), shape, Texels::Buffer(parent)))
    }

    fn of(
        base: MemBase,
        (format, layout): (cl_image_format, Layout),
        shape: Shape,
        texels: Texels,
    ) -> Image {
        let slots = base.context.gpus.iter().map(|_| Slots::default()).collect();
        Image { base, format, layout, shape, texels, slots, maps: Mutex::default() }
    }

    /// Returns the buffer whose bytes the texels are.
    pub fn buffer(&self) -> Option<&Ref<Buffer>> {
        match &self.texels {
            Texels::Buffer(parent) => Some(parent),
            _ => None,
        }
    }

    /// Returns where the texels are, or will be, on a device of the context; CL_INVALID_MEM_OBJECT if they are in a
    /// buffer.
    pub fn on_device(&self, device: usize) -> Result<Arc<vk::Image>> {
        match &self.texels {
            Texels::Single(image) => image.ready(&self.context.gpus[0]).cloned(),
            Texels::Replicas(replicas) => replicas.image(&self.context, device),
            Texels::Buffer(_) => fail(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Returns the use of all texels.
    pub fn whole(&self, effect: Effect) -> RangeUse<'_> {
        match &self.texels {
            Texels::Single(_) => RangeUse::of_replicas(None, 0..1, effect),
            Texels::Replicas(replicas) => RangeUse::of_replicas(Some(replicas), 0..1, effect),
            Texels::Buffer(parent) => RangeUse::new(parent, 0, self.size, effect),
        }
    }

    /// Returns true if two images share storage.
    pub fn same_storage(&self, other: &Image) -> bool {
        match (&self.texels, &other.texels) {
            (Texels::Single(one), Texels::Single(two)) => std::ptr::eq(one, two),
            (Texels::Replicas(one), Texels::Replicas(two)) => std::ptr::eq(one, two),
            (Texels::Buffer(one), Texels::Buffer(two)) => one.same_storage(two),
            _ => false,
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
    /// Returns the texels of an image, which one device has at first; `host` is where their contents are, and how they
    /// lie there.
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

/// Returns the devices of a context that have images, by their positions.
fn images_of(context: &Context) -> impl Iterator<Item = (usize, &Images)> {
    let devices = context.devices.iter().enumerate();
    devices.filter_map(|(index, device)| Some((index, device.images()?)))
}

/// Returns true if what kernels can do with images is what the flags of one say that they do.
fn suits(access: Access, flags: cl_mem_flags) -> bool {
    match flags & (ACCESS | CL_MEM_IMMUTABLE_EXT) {
        CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT => access.read,
        CL_MEM_WRITE_ONLY => access.write,
        _ => access.read || access.write,
    }
}
