//! Another user of the GPU: a Vulkan device of its own, which shares memory and semaphores with OpenCL by file
//! descriptor as a graphics application would.

use crate::common::skip;
use ash::{ext, khr, vk};
use std::cell::RefCell;

const OPAQUE_MEMORY: vk::ExternalMemoryHandleTypeFlags =
    vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
pub const OPAQUE: vk::ExternalSemaphoreHandleTypeFlags =
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;

pub struct Vulkan {
    _entry: ash::Entry,
    instance: ash::Instance,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    memory_fd: khr::external_memory_fd::Device,
    semaphore_fd: Option<khr::external_semaphore_fd::Device>,
    dma_bufs: bool,
    /// Buffers with their memory, freed when this device is dropped.
    made: RefCell<Vec<(vk::Buffer, vk::DeviceMemory)>>,
    images: RefCell<Vec<(vk::Image, vk::DeviceMemory)>>,
    semaphores: RefCell<Vec<vk::Semaphore>>,
}

/// A buffer whose memory is shared.
#[derive(Clone, Copy)]
pub struct Shared {
    pub buffer: vk::Buffer,
    pub size: u64,
    /// The file descriptor of the memory; an import takes it over.
    pub fd: i32,
}

/// An image in rows (VK_IMAGE_TILING_LINEAR) whose memory is shared.
#[derive(Clone, Copy)]
pub struct SharedImage {
    image: vk::Image,
    extent: vk::Extent3D,
    texel: u32,
    /// Bytes from row to row and from slice to slice.
    pub pitches: [usize; 2],
    /// The file descriptor of the memory; an import takes it over.
    pub fd: i32,
}

impl SharedImage {
    fn region(&self) -> vk::BufferImageCopy {
        let color = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        vk::BufferImageCopy::default().image_subresource(color).image_extent(self.extent)
    }

    /// Returns the bytes of the texels, closely packed.
    pub fn bytes(&self) -> usize {
        (self.extent.width * self.extent.height * self.extent.depth * self.texel) as usize
    }
}

/// Semaphores of one submission.
#[derive(Clone, Copy, Default)]
pub struct Sync {
    pub wait: Option<vk::Semaphore>,
    pub signal: Option<vk::Semaphore>,
}

impl Vulkan {
    /// Returns a device of the physical device with this UUID; `None`, with a message, where the physical device does
    /// not export memory.
    pub fn new(uuid: [u8; 16]) -> Option<Vulkan> {
        unsafe {
            let entry = ash::Entry::load().unwrap();
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).unwrap();
            let same = |p: &vk::PhysicalDevice| {
                let mut id = vk::PhysicalDeviceIDProperties::default();
                let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
                instance.get_physical_device_properties2(*p, &mut all);
                id.device_uuid == uuid
            };
            let all = instance.enumerate_physical_devices().unwrap();
            let physical = all.into_iter().find(same).expect("the device, by its UUID");
            let offered = instance.enumerate_device_extension_properties(physical).unwrap();
            let has = |name| offered.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
            if !has(khr::external_memory_fd::NAME) {
                skip("the driver exports no memory");
                return None;
            }
            let mut names = vec![khr::external_memory_fd::NAME.as_ptr()];
            let dma_bufs = has(ext::external_memory_dma_buf::NAME);
            if dma_bufs {
                names.push(ext::external_memory_dma_buf::NAME.as_ptr());
            }
            let semaphores = has(khr::external_semaphore_fd::NAME);
            if semaphores {
                names.push(khr::external_semaphore_fd::NAME.as_ptr());
            }
            let family = 0;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&priorities)];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&names);
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(family, 0);
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&info, None).unwrap();
            let memory_fd = khr::external_memory_fd::Device::new(&instance, &device);
            let semaphore_fd =
                semaphores.then(|| khr::external_semaphore_fd::Device::new(&instance, &device));
            Some(Vulkan {
                _entry: entry,
                instance,
                physical,
                device,
                family,
                queue,
                pool,
                memory_fd,
                semaphore_fd,
                dma_bufs,
                made: RefCell::default(),
                images: RefCell::default(),
                semaphores: RefCell::default(),
            })
        }
    }

    pub fn has_semaphores(&self) -> bool {
        self.semaphore_fd.is_some()
    }

    /// Returns a buffer. `shared`: the handle type as which its memory can be exported; `flags`: properties of the
    /// memory. `None` where there is no such memory.
    fn buffer(
        &self,
        size: u64,
        shared: Option<vk::ExternalMemoryHandleTypeFlags>,
        flags: vk::MemoryPropertyFlags,
    ) -> Option<(vk::Buffer, vk::DeviceMemory)> {
        let handle = shared.unwrap_or_default();
        let shared = shared.is_some();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle);
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::STORAGE_BUFFER;
        let mut info = vk::BufferCreateInfo::default().size(size).usage(usage);
        if shared {
            info = info.push_next(&mut external);
        }
        unsafe {
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let fits = |i: &u32| {
                let offered = types.memory_types[*i as usize].property_flags;
                needs.memory_type_bits & (1 << i) != 0 && offered.contains(flags)
            };
            let index = (0..types.memory_type_count).find(fits).unwrap();
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(handle);
            let mut info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index);
            if shared {
                info = info.push_next(&mut export);
            }
            let Ok(memory) = self.device.allocate_memory(&info, None) else {
                self.device.destroy_buffer(buffer, None);
                return None;
            };
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            self.made.borrow_mut().push((buffer, memory));
            Some((buffer, memory))
        }
    }

    /// Returns a buffer in the device's memory, to be imported elsewhere.
    pub fn share(&self, size: u64) -> Shared {
        self.share_as(OPAQUE_MEMORY, size).unwrap()
    }

    /// Returns a buffer in the device's memory, to be imported elsewhere as a dma_buf; `None`, with a message, where
    /// the driver has no dma_bufs.
    pub fn share_dma_buf(&self, size: u64) -> Option<Shared> {
        let handle = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
        let shared = self.dma_bufs.then(|| self.share_as(handle, size)).flatten();
        if shared.is_none() {
            skip("in part: the driver makes no dma_bufs");
        }
        shared
    }

    fn share_as(&self, handle: vk::ExternalMemoryHandleTypeFlags, size: u64) -> Option<Shared> {
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let (buffer, memory) = self.buffer(size, Some(handle), local)?;
        let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(handle);
        let fd = unsafe { self.memory_fd.get_memory_fd(&info) }.unwrap();
        Some(Shared { buffer, size, fd })
    }

    /// Returns an image in rows, to be imported elsewhere for use by kernels; `None`, with a message, where the driver
    /// has no such images. `texel`: the size of a texel in bytes.
    pub fn share_image(
        &self,
        kind: vk::ImageType,
        (format, texel): (vk::Format, u32),
        [width, height, depth]: [u32; 3],
    ) -> Option<SharedImage> {
        let extent = vk::Extent3D { width, height, depth };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE;
        let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(OPAQUE_MEMORY);
        let info = vk::ImageCreateInfo::default()
            .image_type(kind)
            .format(format)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::LINEAR)
            .usage(usage)
            .push_next(&mut external);
        unsafe {
            let offered = self.instance.get_physical_device_image_format_properties(
                self.physical,
                format,
                kind,
                vk::ImageTiling::LINEAR,
                usage,
                vk::ImageCreateFlags::empty(),
            );
            if offered.is_err() {
                skip(format!(
                    "in part: the driver has no such image in rows: {kind:?}, {format:?}"
                ));
                return None;
            }
            let image = self.device.create_image(&info, None).unwrap();
            let needs = self.device.get_image_memory_requirements(image);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
            let fits = |i: &u32| {
                let flags = types.memory_types[*i as usize].property_flags;
                needs.memory_type_bits & (1 << i) != 0 && flags.contains(local)
            };
            let index = (0..types.memory_type_count).find(fits).unwrap();
            let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE_MEMORY);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index)
                .push_next(&mut export);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_image_memory(image, memory, 0).unwrap();
            self.images.borrow_mut().push((image, memory));
            let color = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
            let rows = self.device.get_image_subresource_layout(image, color);
            let info = vk::MemoryGetFdInfoKHR::default().memory(memory).handle_type(OPAQUE_MEMORY);
            let fd = self.memory_fd.get_memory_fd(&info).unwrap();
            let pitches = [rows.row_pitch as usize, rows.depth_pitch as usize];
            Some(SharedImage { image, extent, texel, pitches, fd })
        }
    }

    /// Makes the device write texels, closely packed, and releases the image to other APIs. `first`: the image's former
    /// contents do not matter. Returns when the write is done.
    pub fn write_image(&self, shared: &SharedImage, texels: &[u8], first: bool) {
        let (staging, memory) = self.staging(shared);
        unsafe {
            let none = vk::MemoryMapFlags::empty();
            let base = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, none).unwrap();
            std::ptr::copy_nonoverlapping(texels.as_ptr(), base.cast(), texels.len());
            self.device.unmap_memory(memory);
        }
        let (own, external) = (self.family, vk::QUEUE_FAMILY_EXTERNAL);
        self.run(Sync::default(), |device, commands| unsafe {
            let general = vk::ImageLayout::GENERAL;
            match first {
                true => self.hand_over_image(
                    commands,
                    shared,
                    [vk::QUEUE_FAMILY_IGNORED; 2],
                    vk::ImageLayout::UNDEFINED,
                ),
                false => self.hand_over_image(commands, shared, [external, own], general),
            }
            let region = [shared.region()];
            device.cmd_copy_buffer_to_image(commands, staging, shared.image, general, &region);
            self.hand_over_image(commands, shared, [own, external], general);
        });
    }

    /// Takes the image over from other APIs and reads all of it, closely packed.
    pub fn read_image(&self, shared: &SharedImage) -> Vec<u8> {
        let (staging, memory) = self.staging(shared);
        let (own, external) = (self.family, vk::QUEUE_FAMILY_EXTERNAL);
        self.run(Sync::default(), |device, commands| unsafe {
            let general = vk::ImageLayout::GENERAL;
            self.hand_over_image(commands, shared, [external, own], general);
            let region = [shared.region()];
            device.cmd_copy_image_to_buffer(commands, shared.image, general, staging, &region);
            let seen = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
            let none = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(commands, from, to, none, &seen, &[], &[]);
        });
        unsafe {
            let none = vk::MemoryMapFlags::empty();
            let base = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, none).unwrap();
            let texels = std::slice::from_raw_parts(base.cast::<u8>(), shared.bytes()).to_vec();
            self.device.unmap_memory(memory);
            texels
        }
    }

    /// Returns a buffer of the host's for all texels.
    fn staging(&self, shared: &SharedImage) -> (vk::Buffer, vk::DeviceMemory) {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        self.buffer(shared.bytes() as u64, None, flags).unwrap()
    }

    fn hand_over_image(
        &self,
        commands: vk::CommandBuffer,
        shared: &SharedImage,
        [from, to]: [u32; 2],
        old: vk::ImageLayout,
    ) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let external = vk::QUEUE_FAMILY_EXTERNAL;
        let ours = |family| if family == external { vk::AccessFlags::empty() } else { all };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .level_count(1)
            .layer_count(1);
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(ours(from))
            .dst_access_mask(ours(to))
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .old_layout(old)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(shared.image)
            .subresource_range(range)];
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        unsafe {
            self.device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &[], &barrier);
        }
    }

    /// Makes the device write bytes, and releases the buffer to other APIs. Waits for the end of the write, unless a
    /// semaphore is to be signalled at its end.
    pub fn write(&self, shared: &Shared, bytes: &[u8], sync: Sync) {
        self.run(sync, |device, commands| unsafe {
            for (i, part) in bytes.chunks(65536).enumerate() {
                device.cmd_update_buffer(commands, shared.buffer, 65536 * i as u64, part);
            }
            self.hand_over(commands, shared, [self.family, vk::QUEUE_FAMILY_EXTERNAL]);
        });
    }

    /// Takes the buffer over from other APIs and reads all of it.
    pub fn read(&self, shared: &Shared, wait: Option<vk::Semaphore>) -> Vec<u8> {
        let flags = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let (target, memory) = self.buffer(shared.size, None, flags).unwrap();
        self.run(Sync { wait, signal: None }, |device, commands| unsafe {
            self.hand_over(commands, shared, [vk::QUEUE_FAMILY_EXTERNAL, self.family]);
            let region = vk::BufferCopy::default().size(shared.size);
            device.cmd_copy_buffer(commands, shared.buffer, target, &[region]);
            let seen = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
            let none = vk::DependencyFlags::empty();
            device.cmd_pipeline_barrier(commands, from, to, none, &seen, &[], &[]);
        });
        unsafe {
            let none = vk::MemoryMapFlags::empty();
            let base = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, none).unwrap();
            let bytes =
                std::slice::from_raw_parts(base.cast::<u8>(), shared.size as usize).to_vec();
            self.device.unmap_memory(memory);
            bytes
        }
    }

    fn hand_over(&self, commands: vk::CommandBuffer, shared: &Shared, [from, to]: [u32; 2]) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let ours = |family| if family == self.family { all } else { vk::AccessFlags::empty() };
        let barrier = [vk::BufferMemoryBarrier::default()
            .src_access_mask(ours(from))
            .dst_access_mask(ours(to))
            .src_queue_family_index(from)
            .dst_queue_family_index(to)
            .buffer(shared.buffer)
            .size(vk::WHOLE_SIZE)];
        let stage = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        unsafe {
            self.device.cmd_pipeline_barrier(commands, stage, stage, none, &[], &barrier, &[]);
        }
    }

    /// Records and submits commands; waits for their end unless a semaphore is to be signalled at their end.
    fn run(&self, sync: Sync, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) {
        let device = &self.device;
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).unwrap();
            let info = vk::CommandBufferBeginInfo::default();
            device.begin_command_buffer(commands[0], &info).unwrap();
            record(device, commands[0]);
            device.end_command_buffer(commands[0]).unwrap();
            let (waits, signals) = (Vec::from_iter(sync.wait), Vec::from_iter(sync.signal));
            let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
            let info = vk::SubmitInfo::default()
                .command_buffers(&commands)
                .wait_semaphores(&waits)
                .wait_dst_stage_mask(&stages)
                .signal_semaphores(&signals);
            device.queue_submit(self.queue, &[info], vk::Fence::null()).unwrap();
            if signals.is_empty() {
                device.queue_wait_idle(self.queue).unwrap();
            }
        }
    }

    /// Returns a binary semaphore that can be exported.
    pub fn semaphore(&self) -> vk::Semaphore {
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(OPAQUE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut export);
        let semaphore = unsafe { self.device.create_semaphore(&info, None) }.unwrap();
        self.semaphores.borrow_mut().push(semaphore);
        semaphore
    }

    /// Returns a semaphore that OpenCL exported.
    pub fn import(&self, fd: i32) -> vk::Semaphore {
        let semaphore = self.semaphore();
        let info =
            vk::ImportSemaphoreFdInfoKHR::default().semaphore(semaphore).handle_type(OPAQUE).fd(fd);
        let functions = self.semaphore_fd.as_ref().unwrap();
        unsafe { functions.import_semaphore_fd(&info) }.unwrap();
        semaphore
    }

    pub fn export(&self, semaphore: vk::Semaphore) -> i32 {
        let info = vk::SemaphoreGetFdInfoKHR::default().semaphore(semaphore).handle_type(OPAQUE);
        unsafe { self.semaphore_fd.as_ref().unwrap().get_semaphore_fd(&info) }.unwrap()
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        unsafe {
            self.device.device_wait_idle().unwrap();
            for (buffer, memory) in self.made.borrow_mut().drain(..) {
                self.device.destroy_buffer(buffer, None);
                self.device.free_memory(memory, None);
            }
            for (image, memory) in self.images.borrow_mut().drain(..) {
                self.device.destroy_image(image, None);
                self.device.free_memory(memory, None);
            }
            for semaphore in self.semaphores.borrow_mut().drain(..) {
                self.device.destroy_semaphore(semaphore, None);
            }
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
