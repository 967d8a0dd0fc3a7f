//! The device that sequences run on, and what it can do.

use super::api::{call, done, made, make, Result};
use super::recording::Api;
use cl3::types::{cl_context, cl_device_id, cl_platform_id};
use std::ffi::{c_void, CStr};
use std::ptr::{null, null_mut};

const CL_DEVICE_TYPE_ALL: u64 = 0xFFFF_FFFF;
const CL_DEVICE_MAX_WORK_GROUP_SIZE: u32 = 0x1004;
const CL_DEVICE_MAX_WORK_ITEM_SIZES: u32 = 0x1005;
const CL_DEVICE_IMAGE_SUPPORT: u32 = 0x1016;
const CL_DEVICE_MEM_BASE_ADDR_ALIGN: u32 = 0x1019;
const CL_DEVICE_EXECUTION_CAPABILITIES: u32 = 0x1029;
const CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: u32 = 0x102A;
const CL_DEVICE_EXTENSIONS: u32 = 0x1030;
const CL_DEVICE_IMAGE_PITCH_ALIGNMENT: u32 = 0x104A;
const CL_DEVICE_SVM_CAPABILITIES: u32 = 0x1053;
const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: u32 = 0x1065;

/// What a device can do.
#[derive(Debug, Clone)]
pub struct Device {
    platform: usize,
    id: usize,
    pub images: bool,
    /// The least common alignment of sub-buffers, in bytes.
    pub sub_align: usize,
    /// Alignment of the pitch of 2D images over buffers, in texels; nothing where there are none.
    pub pitch_align: Option<usize>,
    pub native: bool,
    /// CL_DEVICE_QUEUE_ON_HOST_PROPERTIES.
    pub queue_properties: u64,
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub svm: u64,
    pub non_uniform: bool,
    /// The largest work-group, and its largest size in each dimension.
    pub group: usize,
    pub items: Vec<usize>,
    extensions: String,
    /// The functions of cl_khr_command_buffer.
    pub command_buffers: Option<Api>,
}

impl Device {
    /// Returns the first device of the only platform.
    pub fn first() -> Result<Device> {
        let (mut platform, mut id): (cl_platform_id, cl_device_id) = (null_mut(), null_mut());
        done!(clGetPlatformIDs(1, &mut platform, null_mut()))?;
        done!(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mut id, null_mut()))?;
        let number = |what| number(id, what);
        let extensions = String::from_utf8_lossy(&info(id, CL_DEVICE_EXTENSIONS)?).into_owned();
        let pitch = number(CL_DEVICE_IMAGE_PITCH_ALIGNMENT).unwrap_or(0) as usize;
        let mut device = Device {
            platform: platform.expose_provenance(),
            id: id.expose_provenance(),
            images: number(CL_DEVICE_IMAGE_SUPPORT)? != 0,
            sub_align: number(CL_DEVICE_MEM_BASE_ADDR_ALIGN)? as usize / 8,
            pitch_align: (pitch > 0).then_some(pitch),
            native: number(CL_DEVICE_EXECUTION_CAPABILITIES)? & 2 != 0,
            queue_properties: number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)?,
            svm: number(CL_DEVICE_SVM_CAPABILITIES)?,
            non_uniform: number(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT)? & 1 != 0,
            items: info(id, CL_DEVICE_MAX_WORK_ITEM_SIZES)?.chunks_exact(8).map(size).collect(),
            group: number(CL_DEVICE_MAX_WORK_GROUP_SIZE)? as usize,
            extensions,
            command_buffers: None,
        };
        device.command_buffers = Api::of(&device)?;
        Ok(device)
    }

    /// Returns the handle.
    pub fn id(&self) -> cl_device_id {
        std::ptr::with_exposed_provenance_mut(self.id)
    }

    /// Returns true if the device lists an extension.
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.split([' ', '\0']).any(|name| name == extension)
    }

    /// Returns a new context of the device.
    pub fn context(&self) -> Result<Context> {
        let id = self.id();
        let made_now = make!(clCreateContext(null(), 1, &id, None, null_mut()));
        let context = made("clCreateContext", made_now)?;
        Ok(Context { handle: context.expose_provenance() })
    }

    /// Returns a function of an extension.
    ///
    /// # Safety
    /// `F` is the type of pointers to the function.
    pub unsafe fn extension<F: Copy>(&self, name: &CStr) -> Result<F> {
        let platform = std::ptr::with_exposed_provenance_mut(self.platform);
        let address = super::api::cl()
            .clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr().cast_mut());
        let missing = || format!("the platform lacks {}", name.to_string_lossy());
        let address: *mut c_void =
            address.filter(|address| !address.is_null()).ok_or_else(missing)?;
        assert_eq!(size_of::<F>(), size_of_val(&address), "F is a pointer");
        // SAFETY: as the caller promises.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

/// A context, which several threads use.
#[derive(Debug)]
pub struct Context {
    handle: usize,
}

impl Context {
    pub fn handle(&self) -> cl_context {
        std::ptr::with_exposed_provenance_mut(self.handle)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        call!(clReleaseContext(self.handle()));
    }
}

fn info(device: cl_device_id, what: u32) -> Result<Vec<u8>> {
    let mut size = 0;
    done!(clGetDeviceInfo(device, what, 0, null_mut(), &mut size))?;
    let mut bytes = vec![0u8; size];
    done!(clGetDeviceInfo(device, what, size, bytes.as_mut_ptr().cast(), null_mut()))?;
    Ok(bytes)
}

fn size(bytes: &[u8]) -> usize {
    bytes.try_into().map_or(0, usize::from_ne_bytes)
}

fn number(device: cl_device_id, what: u32) -> Result<u64> {
    let mut bytes = info(device, what)?;
    bytes.resize(8, 0);
    Ok(u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()))
}
