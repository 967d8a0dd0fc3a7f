//! Binary semaphores that other APIs and processes share with this one.

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::Arc;

use ash::vk;

use crate::external::{discard, one_more, SemaphoreHandles};
use crate::{Device, Error};

/// A binary semaphore of a device, see [`crate::Queue::exchange`].
///
/// It must not be dropped while submitted commands use it: those keep it alive.
pub struct Semaphore {
    device: Arc<Device>,
    pub(crate) raw: vk::Semaphore,
    exports: SemaphoreHandles,
}

impl Semaphore {
    pub(crate) fn create(
        device: &Arc<Device>,
        exports: SemaphoreHandles,
    ) -> Result<Arc<Semaphore>, Error> {
        device.check_lost()?;
        if !device.info().features.external.semaphore_export.contains(exports) {
            return Err(Error::Unsupported("the device does not give such semaphores".into()));
        }
        let mut export = vk::ExportSemaphoreCreateInfo::default()
            .handle_types(vk::ExternalSemaphoreHandleTypeFlags::from_raw(exports.bits()));
        let mut info = vk::SemaphoreCreateInfo::default();
        if !exports.is_empty() {
            info = info.push_next(&mut export);
        }
        // SAFETY: the device gives these kinds of handle; the chain outlives the call.
        let raw = unsafe { device.raw.create_semaphore(&info, None) }
            .map_err(|e| device.fault("vkCreateSemaphore", e))?;
        Ok(Arc::new(Semaphore { device: device.clone(), raw, exports }))
    }

    /// Takes over what `fd` stands for: the semaphore itself for [`SemaphoreHandles::OPAQUE_FD`]; its present
    /// state, until that is waited for, for [`SemaphoreHandles::SYNC_FD`], where `None` stands for one that
    /// is signalled.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device does not take this kind; [`Error::Invalid`] when `fd` is
    /// nothing of the kind.
    pub fn import(&self, fd: Option<OwnedFd>, kind: SemaphoreHandles) -> Result<(), Error> {
        self.device.check_lost()?;
        let takes = self.device.info().features.external.semaphore_import.contains(kind);
        let Some(functions) = self.device.semaphore_fd.as_ref().filter(|_| takes) else {
            return Err(Error::Unsupported("the device does not take such semaphores".into()));
        };
        let temporary = kind == SemaphoreHandles::SYNC_FD;
        if fd.is_none() && !temporary {
            return Err(Error::Invalid("no file descriptor".into()));
        }
        let flags = match temporary {
            true => vk::SemaphoreImportFlags::TEMPORARY,
            false => vk::SemaphoreImportFlags::empty(),
        };
        let number = fd.as_ref().map_or(Ok(-1), one_more)?;
        let info = vk::ImportSemaphoreFdInfoKHR::default()
            .semaphore(self.raw)
            .flags(flags)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(kind.bits()))
            .fd(number);
        // SAFETY: the semaphore is alive, and the device takes this kind of handle.
        unsafe { functions.import_semaphore_fd(&info) }.map_err(|e| {
            if let Some(fd) = &fd {
                discard(number, fd);
            }
            match e {
                vk::Result::ERROR_INVALID_EXTERNAL_HANDLE => {
                    Error::Invalid("the file descriptor is no semaphore".into())
                }
                e => self.device.fault("vkImportSemaphoreFdKHR", e),
            }
        })
    }

    /// A file descriptor for the semaphore; `None` for one of [`SemaphoreHandles::SYNC_FD`] that is
    /// signalled. That kind copies the state, as a wait would use it up: a signal must be submitted.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the semaphore was not made for it; out of memory or descriptors.
    pub fn export(&self, kind: SemaphoreHandles) -> Result<Option<OwnedFd>, Error> {
        self.device.check_lost()?;
        let gives = self.exports.contains(kind);
        let Some(functions) = self.device.semaphore_fd.as_ref().filter(|_| gives) else {
            return Err(Error::Unsupported("the semaphore was not made to be shared so".into()));
        };
        let info = vk::SemaphoreGetFdInfoKHR::default()
            .semaphore(self.raw)
            .handle_type(vk::ExternalSemaphoreHandleTypeFlags::from_raw(kind.bits()));
        // SAFETY: the semaphore was made for this kind of handle.
        let fd = unsafe { functions.get_semaphore_fd(&info) }
            .map_err(|e| self.device.fault("vkGetSemaphoreFdKHR", e))?;
        // SAFETY: the driver made the descriptor for us.
        Ok((fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The device it belongs to.
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
