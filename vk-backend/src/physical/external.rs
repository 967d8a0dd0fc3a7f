//! The kinds of file descriptor by which a device shares memory and semaphores with other APIs and processes.

use ash::{ext, khr, vk};

use crate::config::{self, Validation};
use crate::physical::extensions::Extensions;
use crate::physical::limits::BUFFER_USAGE;
use crate::platform;

bitflags::bitflags! {
    /// Kinds of file descriptor that stand for memory (VkExternalMemoryHandleTypeFlagBits).
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct MemoryHandles: u32 {
        /// A descriptor of Vulkan's own, between drivers of the same device and build.
        const OPAQUE_FD = 0x1;
        /// A Linux dma_buf.
        const DMA_BUF = 0x200;
    }
}

bitflags::bitflags! {
    /// Kinds of file descriptor that stand for a semaphore (VkExternalSemaphoreHandleTypeFlagBits).
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct SemaphoreHandles: u32 {
        /// A descriptor of Vulkan's own: both sides share one semaphore.
        const OPAQUE_FD = 0x1;
        /// A Linux sync file: a copy of the semaphore's state.
        const SYNC_FD = 0x10;
    }
}

/// The handles of memory and semaphores that a device imports and exports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct External {
    /// Kinds of memory that can be imported for buffers.
    pub memory_import: MemoryHandles,
    /// Kinds of `memory_import` whose memory may have only one buffer (VkMemoryDedicatedAllocateInfo).
    pub(crate) memory_dedicated: MemoryHandles,
    /// True if images of dma_bufs can be made whose texels are in the order that a DRM format modifier names.
    pub modifiers: bool,
    /// Kinds of descriptor that binary semaphores can be imported from.
    pub semaphore_import: SemaphoreHandles,
    /// Kinds of descriptor that binary semaphores can be exported as.
    pub semaphore_export: SemaphoreHandles,
}

impl External {
    /// Queries a device of Vulkan 1.1 or later.
    pub(crate) fn query(
        instance: &ash::Instance,
        device: vk::PhysicalDevice,
        extensions: &Extensions,
    ) -> External {
        let mut external = External::default();
        if !platform::HAS_DESCRIPTORS {
            return external;
        }
        let has = |name| extensions.has(name);
        let p = (instance, device);
        if has(khr::external_memory_fd::NAME) {
            external.query_memory(p, MemoryHandles::OPAQUE_FD);
            if has(ext::external_memory_dma_buf::NAME) {
                external.query_memory(p, MemoryHandles::DMA_BUF);
                // Validation layers (1.3.239) look modifiers up by common bits, so the modifier 0, which is that of rows, has
                // no features there.
                external.modifiers = has(ext::image_drm_format_modifier::NAME)
                    && external.memory_import.contains(MemoryHandles::DMA_BUF)
                    && config::validation() == Validation::Off;
            }
        }
        if has(khr::external_semaphore_fd::NAME) {
            external.query_semaphores(p, SemaphoreHandles::OPAQUE_FD);
            external.query_semaphores(p, SemaphoreHandles::SYNC_FD);
        }
        external
    }

    fn query_memory(
        &mut self,
        (instance, device): (&ash::Instance, vk::PhysicalDevice),
        handle: MemoryHandles,
    ) {
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(BUFFER_USAGE)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(handle.bits()));
        let mut answer = vk::ExternalBufferProperties::default();
        // SAFETY: the physical device belongs to the living instance and knows the kind of handle.
        unsafe {
            instance.get_physical_device_external_buffer_properties(device, &info, &mut answer);
        }
        let features = answer.external_memory_properties.external_memory_features;
        let has = |feature| features.contains(feature);
        self.memory_import.set(handle, has(vk::ExternalMemoryFeatureFlags::IMPORTABLE));
        self.memory_dedicated.set(handle, has(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY));
    }

    fn query_semaphores(
        &mut self,
        (instance, device): (&ash::Instance, vk::PhysicalDevice),
        handle: SemaphoreHandles,
    ) {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default()
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(handle.bits()));
        let mut answer = vk::ExternalSemaphoreProperties::default();
        // SAFETY: the physical device belongs to the living instance and knows the kind of handle.
        unsafe {
            instance.get_physical_device_external_semaphore_properties(device, &info, &mut answer);
        }
        let has = |feature| answer.external_semaphore_features.contains(feature);
        self.semaphore_import.set(handle, has(vk::ExternalSemaphoreFeatureFlags::IMPORTABLE));
        self.semaphore_export.set(handle, has(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE));
    }

    /// Returns true if semaphores of any kind can be imported or exported.
    pub(crate) fn has_semaphores(&self) -> bool {
        !(self.semaphore_import | self.semaphore_export).is_empty()
    }
}
