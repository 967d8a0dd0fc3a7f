//! Memory and semaphores that other APIs share by file descriptor: OpenCL's names for the kinds of handle,
//! and what devices import and export.

use crate::cl::*;
use crate::core::device::Device;
use crate::object::Ref;
use hekla_vk_backend as vk;

/// Kinds of handle that stand for memory.
pub const MEMORY_HANDLES: [(cl_external_memory_handle_type_khr, vk::MemoryHandles); 2] = [
    (CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, vk::MemoryHandles::OPAQUE_FD),
    (CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, vk::MemoryHandles::DMA_BUF),
];

/// Kinds of handle that stand for a semaphore.
pub const SEMAPHORE_HANDLES: [(cl_external_semaphore_handle_type_khr, vk::SemaphoreHandles); 2] = [
    (CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, vk::SemaphoreHandles::OPAQUE_FD),
    (CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, vk::SemaphoreHandles::SYNC_FD),
];

/// Returns the kind of memory handle that a property's name stands for.
pub fn memory_handle(name: u64) -> Option<vk::MemoryHandles> {
    MEMORY_HANDLES.iter().find(|(own, _)| u64::from(*own) == name).map(|(_, kind)| *kind)
}

/// Returns the kind of semaphore handle that a property's name or value stands for.
pub fn semaphore_handle(name: u64) -> Option<vk::SemaphoreHandles> {
    SEMAPHORE_HANDLES.iter().find(|(own, _)| u64::from(*own) == name).map(|(_, kind)| *kind)
}

/// CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.
pub fn memory_imports(info: &vk::DeviceInfo) -> Vec<cl_external_memory_handle_type_khr> {
    let takes = info.features.external.memory_import;
    MEMORY_HANDLES.iter().filter(|(_, kind)| takes.contains(*kind)).map(|(name, _)| *name).collect()
}

/// Returns the names of semaphore handles (CL_DEVICE_SEMAPHORE_{IMPORT,EXPORT}_HANDLE_TYPES_KHR).
pub fn semaphore_names(kinds: vk::SemaphoreHandles) -> Vec<cl_external_semaphore_handle_type_khr> {
    let all = SEMAPHORE_HANDLES.iter();
    all.filter(|(_, kind)| kinds.contains(*kind)).map(|(name, _)| *name).collect()
}

/// Returns the entries that all devices list, for the platform's lists.
pub fn of_all<T: Copy + PartialEq>(
    devices: &[Ref<Device>],
    list: impl Fn(&vk::DeviceInfo) -> Vec<T>,
) -> Vec<T> {
    let mut lists = devices.iter().map(|device| list(device.info()));
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, other| common.into_iter().filter(|x| other.contains(x)).collect())
}
