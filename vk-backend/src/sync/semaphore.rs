//! Binary semaphores that are shared with other APIs and processes.

use std::sync::Arc;

use ash::vk;

use crate::device::Device;
use crate::error::Error;
use crate::physical::SemaphoreHandles;
use crate::platform::Descriptor;

/// A binary semaphore of a device, see [`crate::Queue::record_with_semaphores`]. Submitted commands that use the semaphore keep
/// it alive.
pub struct Semaphore {
    device: Arc<Device>,
    pub(crate) raw: vk::Semaphore,
    exports: SemaphoreHandles,
}

impl Device {
    /// Makes a binary semaphore that can be exported as the given kinds of file descriptor (none: for
    /// [`Semaphore::import`]).
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not export these kinds; out of memory.
    pub fn create_semaphore(
        self: &Arc<Self>,
        exports: SemaphoreHandles,
    ) -> Result<Arc<Semaphore>, Error> {
        Semaphore::create(self, exports)
    }
}

impl Semaphore {
    pub(crate) fn create(
        device: &Arc<Device>,
        exports: SemaphoreHandles,
    ) -> Result<Arc<Semaphore>, Error> {
        device.check_lost()?;
        if !device.info().features.external.semaphore_export.contains(exports) {
            return Err(Error::Unsupported("the device does not export such semaphores".into()));
        }
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::from_raw(exports.bits()));
        let mut info = vk::SemaphoreCreateInfo::default();
        if !exports.is_empty() {
            info = info.push_next(&mut export);
        }
        // SAFETY: the device exports these kinds of handle; the chain outlives the call.
        let raw = unsafe { device.raw.create_semaphore(&info, None) }
            .map_err(|e| device.fault("vkCreateSemaphore", e))?;
        Ok(Arc::new(Semaphore { device: device.clone(), raw, exports }))
    }

    /// Imports a semaphore's payload: permanently from an [`SemaphoreHandles::OPAQUE_FD`], temporarily, until the next wait,
    /// from a [`SemaphoreHandles::SYNC_FD`]. For the latter kind `None` stands for a signalled semaphore.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not import this kind; [`Error::Invalid`] when `fd` is not of
    /// the kind.
    pub fn import(&self, fd: Option<&Descriptor>, kind: SemaphoreHandles) -> Result<(), Error> {
        self.device.check_lost()?;
        let importable = self.device.info().features.external.semaphore_import.contains(kind);
        let Some(functions) = self.device.functions.semaphore_fd.as_ref().filter(|_| importable)
        else {
            return Err(Error::Unsupported("the device does not import such semaphores".into()));
        };
        let temporary = kind == SemaphoreHandles::SYNC_FD;
        if fd.is_none() && !temporary {
            return Err(Error::Invalid("no file descriptor".into()));
        }
        let flags = match temporary {
            true => vk::SemaphoreImportFlags::TEMPORARY,
            false => vk::SemaphoreImportFlags::empty(),
        };
        let number = match fd {
            Some(fd) => fd.duplicate_number().ok_or(Error::OutOfHostMemory)?,
            None => -1,
        };
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(self.raw)
            .flags(flags)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(kind.bits()))
            .fd(number);
        // SAFETY: the semaphore is alive, and the device imports this kind of handle.
        unsafe { functions.import_semaphore_fd(&info) }.map_err(|e| {
            if let Some(fd) = fd {
                fd.close_rejected(number);
            }
            match e {
                vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
                    Error::Invalid("the file descriptor exports no semaphore".into())
                }
                e => self.device.fault("vkImportSemaphoreFdKHR", e),
            }
        })
    }

    /// Exports the semaphore as a file descriptor; `None` for a signalled semaphore as [`SemaphoreHandles::SYNC_FD`]. An export
    /// of that kind copies the payload and resets the semaphore as a wait does, so a signal must be submitted before.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the semaphore was not made for this kind; out of memory or descriptors.
    pub fn export(&self, kind: SemaphoreHandles) -> Result<Option<Descriptor>, Error> {
        self.device.check_lost()?;
        let exportable = self.exports.contains(kind);
        let Some(functions) = self.device.functions.semaphore_fd.as_ref().filter(|_| exportable)
        else {
            return Err(Error::Unsupported(
                "the semaphore was not made for this kind of handle".into(),
            ));
        };
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(self.raw)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(kind.bits()));
        // SAFETY: the semaphore was made for this kind of handle.
        let fd = unsafe { functions.get_semaphore_fd(&info) }
            .map_err(|e| self.device.fault("vkGetSemaphoreFdKHR", e))?;
        // SAFETY: the driver created the descriptor for this call.
        Ok(unsafe { Descriptor::from_driver(fd) })
    }

    /// Returns the device that the semaphore belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: this is the last owner; batches that use the semaphore own it too.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) }
    }
}
