//! Memory and semaphores that are shared with other APIs and processes by file descriptor: which kinds of
//! descriptor a device takes and gives.

use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use ash::{ext, khr, vk};

use crate::physical::PhysicalDevice;
use crate::Error;

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

/// What a device shares with others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct External {
    /// Memory that buffers can be made of.
    pub memory_import: MemoryHandles,
    /// Of those, what may only be memory of one buffer (VkMemoryDedicatedAllocateInfo).
    pub(crate) memory_dedicated: MemoryHandles,
    /// Descriptors that binary semaphores can be made of.
    pub semaphore_import: SemaphoreHandles,
    /// Descriptors that binary semaphores can give.
    pub semaphore_export: SemaphoreHandles,
}

impl External {
    /// Asks the device, of Vulkan 1.1 or later.
    pub(crate) fn query(p: &PhysicalDevice) -> External {
        let mut external = External::default();
        let has = |name| p.extensions.has(name);
        if has(khr::external_memory_fd::NAME) {
            external.query_memory(p, MemoryHandles::OPAQUE_FD);
            if has(ext::external_memory_dma_buf::NAME) {
                external.query_memory(p, MemoryHandles::DMA_BUF);
            }
        }
        if has(khr::external_semaphore_fd::NAME) {
            external.query_semaphores(p, SemaphoreHandles::OPAQUE_FD);
            external.query_semaphores(p, SemaphoreHandles::SYNC_FD);
        }
        external
    }

    fn query_memory(&mut self, p: &PhysicalDevice, handle: MemoryHandles) {
        let info = vk::PhysicalDeviceExternalBufferInfo::default()
            .usage(crate::buffer::USAGE)
            .handle_type(vk::ExternalMemoryHandleTypeFlags::from_raw(handle.bits()));
        let mut answer = vk::ExternalBufferProperties::default();
        let instance = &p.instance.raw;
        // SAFETY: the physical device belongs to the living instance and knows the kind of handle.
        unsafe {
            instance.get_physical_device_external_buffer_properties(p.raw, &info, &mut answer);
        }
        let features = answer.external_memory_properties.external_memory_features;
        let has = |feature| features.contains(feature);
        self.memory_import.set(handle, has(vk::ExternalMemoryFeatureFlags::IMPORTABLE));
        self.memory_dedicated.set(handle, has(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY));
    }

    fn query_semaphores(&mut self, p: &PhysicalDevice, handle: SemaphoreHandles) {
        let info = vk::PhysicalDeviceExternalSemaphoreInfo::default()
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(handle.bits()));
        let mut answer = vk::ExternalSemaphoreProperties::default();
        let instance = &p.instance.raw;
        // SAFETY: as above.
        unsafe {
            instance.get_physical_device_external_semaphore_properties(p.raw, &info, &mut answer);
        }
        let has = |feature| answer.external_semaphore_features.contains(feature);
        self.semaphore_import.set(handle, has(vk::ExternalSemaphoreFeatureFlags::IMPORTABLE));
        self.semaphore_export.set(handle, has(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE));
    }

    /// Whether any descriptor of a semaphore is taken or given.
    pub(crate) fn has_semaphores(&self) -> bool {
        !(self.semaphore_import | self.semaphore_export).is_empty()
    }
}

/// Another descriptor of what `fd` stands for, which a driver may have.
pub(crate) fn one_more(fd: &OwnedFd) -> Result<RawFd, Error> {
    fd.try_clone().map(IntoRawFd::into_raw_fd).map_err(|_| Error::OutOfHostMemory)
}

/// Closes `copy`, made by [`one_more`], after an import that failed. It should still be open, but some
/// drivers close it (lavapipe 22.3 does): what is no descriptor of the same thing any more is left alone.
pub(crate) fn discard(copy: RawFd, fd: &OwnedFd) {
    let identity = |number: RawFd| {
        let mut found = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: a number that is no descriptor is refused; zeros are a valid `stat`.
        let (code, found) =
            unsafe { (libc::fstat(number, found.as_mut_ptr()), found.assume_init()) };
        (code == 0).then_some((found.st_dev, found.st_ino))
    };
    if identity(copy).is_some_and(|copied| Some(copied) == identity(fd.as_raw_fd())) {
        // SAFETY: the descriptor is the one made for the driver, which did not take it.
        unsafe { libc::close(copy) };
    }
}
