//! Numeric limits and memory sizes of a device.

use ash::vk;

/// The usage flags of every buffer.
pub(crate) const BUFFER_USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER.as_raw()
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS.as_raw(),
);

/// Buffers are padded to a multiple of this many bytes, so that kernels may load whole words at the end.
pub(crate) const BUFFER_PADDING: u64 = 16;

/// The most slots of each array of images and texel buffers.
const MAX_IMAGE_SLOTS: u32 = 1 << 16;
/// The most slots of samplers: far more than the number of different samplers.
const MAX_SAMPLER_SLOTS: u32 = 512;

/// Numeric limits of a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// maxComputeWorkGroupSize: most invocations in a work-group, per dimension.
    pub max_workgroup_size: [u32; 3],
    /// maxComputeWorkGroupInvocations: most invocations in a work-group.
    pub max_workgroup_invocations: u32,
    /// maxComputeWorkGroupCount: most work-groups in one dispatch, per dimension.
    pub max_workgroup_count: [u32; 3],
    /// maxComputeSharedMemorySize in bytes.
    pub max_compute_shared_memory: u32,
    /// maxPushConstantsSize in bytes.
    pub max_push_constants: u32,
    /// maxStorageBufferRange in bytes (bounds descriptors only, not device addresses).
    pub max_storage_buffer_range: u32,
    /// Largest buffer of [`crate::MemoryKind::Device`] that [`crate::Device::create_buffer`] makes, in
    /// bytes: maxBufferSize where memory of several allocations can be bound to a buffer.
    pub max_buffer_size: u64,
    /// Largest single allocation in bytes, and so the largest buffer of the other kinds: maxMemoryAllocationSize, or the value
    /// of `HEKLA_MAX_ALLOCATION` if that is less.
    pub max_allocation_size: u64,
    /// maxMemoryAllocationCount.
    pub max_allocation_count: u32,
    /// Nanoseconds per timestamp tick.
    pub timestamp_period: f32,
    /// Meaningful low bits of a timestamp on the compute queues; 0 when they have no
    /// timestamps. At most `HEKLA_TIMESTAMP_BITS`.
    pub timestamp_valid_bits: u32,
    /// minImportedHostPointerAlignment in bytes; 0 when host memory cannot be imported.
    pub min_imported_host_pointer_alignment: u64,
    /// nonCoherentAtomSize in bytes.
    pub non_coherent_atom_size: u64,
    /// minStorageBufferOffsetAlignment in bytes.
    pub min_storage_buffer_offset_alignment: u64,
    /// maxTimelineSemaphoreValueDifference.
    pub max_timeline_difference: u64,
    /// maxImageDimension1D, 2D, 3D in texels.
    pub max_image_dimension: [u32; 3],
    /// maxImageArrayLayers.
    pub max_image_array_layers: u32,
    /// maxTexelBufferElements.
    pub max_texel_buffer_elements: u32,
    /// minTexelBufferOffsetAlignment in bytes.
    pub min_texel_buffer_offset_alignment: u64,
    /// maxPerStageDescriptorSampledImages.
    pub max_sampled_images: u32,
    /// maxPerStageDescriptorStorageImages.
    pub max_storage_images: u32,
    /// maxPerStageDescriptorSamplers.
    pub max_samplers: u32,
    /// Slots for images of each kind in the descriptor set; 0 without descriptor indexing.
    pub image_slots: u32,
    /// Slots for samplers in the descriptor set.
    pub sampler_slots: u32,
    /// Streaming multiprocessors or compute units; `None` without a vendor's extension that reports them.
    pub compute_units: Option<u32>,
    /// 32-bit registers that the work-items of a group share; `None` where the number is not known.
    pub registers: Option<u32>,
    /// Vulkan queues of the device that are opened (several [`crate::Queue`]s may share one).
    pub queue_count: u32,
}

impl Limits {
    /// Returns the limits that Vulkan 1.0 reports; the others are filled in where they are queried.
    pub(crate) fn from_core(l: &vk::PhysicalDeviceLimits) -> Limits {
        Limits {
            max_workgroup_size: l.max_compute_work_group_size,
            max_workgroup_invocations: l.max_compute_work_group_invocations,
            max_workgroup_count: l.max_compute_work_group_count,
            max_compute_shared_memory: l.max_compute_shared_memory_size,
            max_push_constants: l.max_push_constants_size,
            max_storage_buffer_range: l.max_storage_buffer_range,
            max_allocation_count: l.max_memory_allocation_count,
            timestamp_period: l.timestamp_period,
            non_coherent_atom_size: l.non_coherent_atom_size.max(1),
            min_storage_buffer_offset_alignment: l.min_storage_buffer_offset_alignment,
            max_image_dimension: [
                l.max_image_dimension1_d,
                l.max_image_dimension2_d,
                l.max_image_dimension3_d,
            ],
            max_image_array_layers: l.max_image_array_layers,
            max_texel_buffer_elements: l.max_texel_buffer_elements,
            min_texel_buffer_offset_alignment: l.min_texel_buffer_offset_alignment.max(1),
            max_sampled_images: l.max_per_stage_descriptor_sampled_images,
            max_storage_images: l.max_per_stage_descriptor_storage_images,
            max_samplers: l.max_per_stage_descriptor_samplers,
            ..Limits::default()
        }
    }

    /// Computes the numbers of slots from the limits of descriptor indexing.
    pub(crate) fn take_slots(&mut self, p: &vk::PhysicalDeviceVulkan12Properties<'_>) {
        let samplers = MAX_SAMPLER_SLOTS
            .min(p.max_descriptor_set_update_after_bind_samplers)
            .min(p.max_per_stage_descriptor_update_after_bind_samplers);
        // Sampled images and uniform texel buffers share a limit, and so do both kinds of storage.
        let of_kind = [
            p.max_descriptor_set_update_after_bind_sampled_images / 2,
            p.max_per_stage_descriptor_update_after_bind_sampled_images / 2,
            p.max_descriptor_set_update_after_bind_storage_images / 2,
            p.max_per_stage_descriptor_update_after_bind_storage_images / 2,
            p.max_per_stage_update_after_bind_resources.saturating_sub(samplers) / 4,
            p.max_update_after_bind_descriptors_in_all_pools.saturating_sub(samplers) / 4,
        ];
        self.image_slots = of_kind.into_iter().fold(MAX_IMAGE_SLOTS, u32::min);
        self.sampler_slots = samplers;
    }
}

/// The memory of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes of the largest device-local heap.
    pub device_local_bytes: u64,
    /// Bytes of the largest heap that the host can map.
    pub host_visible_bytes: u64,
    /// Bytes that buffers of [`crate::MemoryKind::Device`] can have altogether: device-local memory and, on
    /// integrated devices, the host's heap.
    pub global_bytes: u64,
    /// Bytes of the largest heap from which [`crate::MemoryKind::Device`] buffers are allocated: no buffer can be larger.
    pub largest_heap_bytes: u64,
    /// True for an integrated or CPU device whose memory the host can map: [`crate::MemoryKind::Device`] buffers are
    /// mapped where their memory type allows.
    pub unified: bool,
    /// True for a discrete device all of whose memory the host can map (PCIe resizable BAR): smaller
    /// [`crate::MemoryKind::Device`] buffers are mapped ([`crate::HostAccess::Rebar`]).
    pub rebar: bool,
    /// True if [`crate::Device::import_host`] works.
    pub host_import: bool,
}
