//! The dispatch table of cl_khr_icd: entry points in the order of `_cl_icd_dispatch` in cl_icd.h.
//! Its address is the first word of every object.

use crate::api::*;
use crate::cl::CL_ICD2_TAG_KHR;
use std::ffi::{c_void, CStr};

/// One word of the table: a function's address, NULL, or the tag of cl_khr_icd 2.0.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Slot(*const c_void);

// SAFETY: the table holds addresses of functions and is never written.
unsafe impl Sync for Slot {}
// SAFETY: the table holds addresses of functions and is never written.
unsafe impl Send for Slot {}

impl Slot {
    /// Returns the address in the slot.
    pub fn address(self) -> *const c_void {
        self.0
    }
}

/// Builds [`TABLE`] and [`FUNCTIONS`] from one list. `core` names a function of this library. `absent` names a function of an
/// extension that is not offered: it has a slot for loaders that forward calls unchecked. `alias` names a function of an
/// extension that is offered. `none` names a function that this operating system does not have. `tag` names a function whose
/// slot holds the tag of ICD 2 objects; there are two, which are never called through an object.
macro_rules! dispatch_table {
    ($($kind:ident $name:ident,)*) => {
        /// Names of all slots in order.
        pub static NAMES: &[&str] = &[$(stringify!($name)),*];
        /// The table.
        pub static TABLE: [Slot; NAMES.len()] = [$(dispatch_table!(@slot $kind $name)),*];
        /// Every core function, by name.
        static FUNCTIONS: &[Option<(&str, Slot)>] = &[$(dispatch_table!(@function $kind $name)),*];
    };
    (@slot alias $name:ident) => { Slot($name as *const c_void) };
    (@slot absent $name:ident) => { Slot($name as *const c_void) };
    (@slot core $name:ident) => { Slot($name as *const c_void) };
    (@slot tag $name:ident) => { Slot(CL_ICD2_TAG_KHR as *const c_void) };
    (@slot none $name:ident) => { Slot(std::ptr::null()) };
    (@function core $name:ident) => { Some((stringify!($name), Slot($name as *const c_void))) };
    (@function tag $name:ident) => { Some((stringify!($name), Slot($name as *const c_void))) };
    (@function $kind:ident $name:ident) => { None };
}

dispatch_table! {
    tag clGetPlatformIDs,
    core clGetPlatformInfo,
    core clGetDeviceIDs,
    core clGetDeviceInfo,
    core clCreateContext,
    core clCreateContextFromType,
    core clRetainContext,
    core clReleaseContext,
    core clGetContextInfo,
    core clCreateCommandQueue,
    core clRetainCommandQueue,
    core clReleaseCommandQueue,
    core clGetCommandQueueInfo,
    core clSetCommandQueueProperty,
    core clCreateBuffer,
    core clCreateImage2D,
    core clCreateImage3D,
    core clRetainMemObject,
    core clReleaseMemObject,
    core clGetSupportedImageFormats,
    core clGetMemObjectInfo,
    core clGetImageInfo,
    core clCreateSampler,
    core clRetainSampler,
    core clReleaseSampler,
    core clGetSamplerInfo,
    core clCreateProgramWithSource,
    core clCreateProgramWithBinary,
    core clRetainProgram,
    core clReleaseProgram,
    core clBuildProgram,
    tag clUnloadCompiler,
    core clGetProgramInfo,
    core clGetProgramBuildInfo,
    core clCreateKernel,
    core clCreateKernelsInProgram,
    core clRetainKernel,
    core clReleaseKernel,
    core clSetKernelArg,
    core clGetKernelInfo,
    core clGetKernelWorkGroupInfo,
    core clWaitForEvents,
    core clGetEventInfo,
    core clRetainEvent,
    core clReleaseEvent,
    core clGetEventProfilingInfo,
    core clFlush,
    core clFinish,
    core clEnqueueReadBuffer,
    core clEnqueueWriteBuffer,
    core clEnqueueCopyBuffer,
    core clEnqueueReadImage,
    core clEnqueueWriteImage,
    core clEnqueueCopyImage,
    core clEnqueueCopyImageToBuffer,
    core clEnqueueCopyBufferToImage,
    core clEnqueueMapBuffer,
    core clEnqueueMapImage,
    core clEnqueueUnmapMemObject,
    core clEnqueueNDRangeKernel,
    core clEnqueueTask,
    core clEnqueueNativeKernel,
    core clEnqueueMarker,
    core clEnqueueWaitForEvents,
    core clEnqueueBarrier,
    core clGetExtensionFunctionAddress,
    alias clCreateFromGLBuffer,
    alias clCreateFromGLTexture2D,
    alias clCreateFromGLTexture3D,
    alias clCreateFromGLRenderbuffer,
    alias clGetGLObjectInfo,
    alias clGetGLTextureInfo,
    alias clEnqueueAcquireGLObjects,
    alias clEnqueueReleaseGLObjects,
    alias clGetGLContextInfoKHR,
    none clGetDeviceIDsFromD3D10KHR,
    none clCreateFromD3D10BufferKHR,
    none clCreateFromD3D10Texture2DKHR,
    none clCreateFromD3D10Texture3DKHR,
    none clEnqueueAcquireD3D10ObjectsKHR,
    none clEnqueueReleaseD3D10ObjectsKHR,
    core clSetEventCallback,
    core clCreateSubBuffer,
    core clSetMemObjectDestructorCallback,
    core clCreateUserEvent,
    core clSetUserEventStatus,
    core clEnqueueReadBufferRect,
    core clEnqueueWriteBufferRect,
    core clEnqueueCopyBufferRect,
    absent clCreateSubDevicesEXT,
    absent clRetainDeviceEXT,
    absent clReleaseDeviceEXT,
    alias clCreateEventFromGLsyncKHR,
    core clCreateSubDevices,
    core clRetainDevice,
    core clReleaseDevice,
    core clCreateImage,
    core clCreateProgramWithBuiltInKernels,
    core clCompileProgram,
    core clLinkProgram,
    core clUnloadPlatformCompiler,
    core clGetKernelArgInfo,
    core clEnqueueFillBuffer,
    core clEnqueueFillImage,
    core clEnqueueMigrateMemObjects,
    core clEnqueueMarkerWithWaitList,
    core clEnqueueBarrierWithWaitList,
    core clGetExtensionFunctionAddressForPlatform,
    alias clCreateFromGLTexture,
    none clGetDeviceIDsFromD3D11KHR,
    none clCreateFromD3D11BufferKHR,
    none clCreateFromD3D11Texture2DKHR,
    none clCreateFromD3D11Texture3DKHR,
    none clCreateFromDX9MediaSurfaceKHR,
    none clEnqueueAcquireD3D11ObjectsKHR,
    none clEnqueueReleaseD3D11ObjectsKHR,
    none clGetDeviceIDsFromDX9MediaAdapterKHR,
    none clEnqueueAcquireDX9MediaSurfacesKHR,
    none clEnqueueReleaseDX9MediaSurfacesKHR,
    alias clCreateFromEGLImageKHR,
    alias clEnqueueAcquireEGLObjectsKHR,
    alias clEnqueueReleaseEGLObjectsKHR,
    alias clCreateEventFromEGLSyncKHR,
    core clCreateCommandQueueWithProperties,
    core clCreatePipe,
    core clGetPipeInfo,
    core clSVMAlloc,
    core clSVMFree,
    core clEnqueueSVMFree,
    core clEnqueueSVMMemcpy,
    core clEnqueueSVMMemFill,
    core clEnqueueSVMMap,
    core clEnqueueSVMUnmap,
    core clCreateSamplerWithProperties,
    core clSetKernelArgSVMPointer,
    core clSetKernelExecInfo,
    alias clGetKernelSubGroupInfoKHR,
    core clCloneKernel,
    core clCreateProgramWithIL,
    core clEnqueueSVMMigrateMem,
    core clGetDeviceAndHostTimer,
    core clGetHostTimer,
    core clGetKernelSubGroupInfo,
    core clSetDefaultDeviceCommandQueue,
    core clSetProgramReleaseCallback,
    core clSetProgramSpecializationConstant,
    core clCreateBufferWithProperties,
    core clCreateImageWithProperties,
    core clSetContextDestructorCallback,
    core clGetKernelSuggestedLocalWorkSize,
}

/// Lists functions by name.
macro_rules! by_name {
    ($($name:ident,)*) => { &[$((stringify!($name), Slot($name as *const c_void))),*] };
}

/// Functions of extensions, found by name only.
static EXTENSION_FUNCTIONS: &[(&str, Slot)] = by_name! {
    clIcdGetPlatformIDsKHR,
    clIcdGetFunctionAddressForPlatformKHR,
    clIcdSetPlatformDispatchDataKHR,
    clCreateCommandQueueWithPropertiesKHR,
    clCreateProgramWithILKHR,
    clGetKernelSuggestedLocalWorkSizeKHR,
    clGetKernelSubGroupInfoKHR,
    clGetImageRequirementsInfoEXT,
    clSetKernelArgDevicePointerEXT,
    clGetDeviceCooperativeMatrixInfoKHR,
    clSetCheckCallbackHEKLA,
    clHostMemAllocINTEL,
    clDeviceMemAllocINTEL,
    clSharedMemAllocINTEL,
    clMemFreeINTEL,
    clMemBlockingFreeINTEL,
    clGetMemAllocInfoINTEL,
    clSetKernelArgMemPointerINTEL,
    clEnqueueMemFillINTEL,
    clEnqueueMemcpyINTEL,
    clEnqueueMigrateMemINTEL,
    clEnqueueMemAdviseINTEL,
    clCreateSemaphoreWithPropertiesKHR,
    clRetainSemaphoreKHR,
    clReleaseSemaphoreKHR,
    clEnqueueWaitSemaphoresKHR,
    clEnqueueSignalSemaphoresKHR,
    clGetSemaphoreInfoKHR,
    clGetSemaphoreHandleForTypeKHR,
    clReImportSemaphoreSyncFdKHR,
    clEnqueueAcquireExternalMemObjectsKHR,
    clEnqueueReleaseExternalMemObjectsKHR,
    clImportMemoryARM,
    clCreateCommandBufferKHR,
    clRetainCommandBufferKHR,
    clReleaseCommandBufferKHR,
    clFinalizeCommandBufferKHR,
    clEnqueueCommandBufferKHR,
    clCommandBarrierWithWaitListKHR,
    clCommandCopyBufferKHR,
    clCommandCopyBufferRectKHR,
    clCommandCopyBufferToImageKHR,
    clCommandCopyImageKHR,
    clCommandCopyImageToBufferKHR,
    clCommandFillBufferKHR,
    clCommandFillImageKHR,
    clCommandNDRangeKernelKHR,
    clCommandSVMMemcpyKHR,
    clCommandSVMMemFillKHR,
    clGetCommandBufferInfoKHR,
    clUpdateMutableCommandsKHR,
    clGetMutableCommandInfoKHR,
    clCreateFromGLBuffer,
    clCreateFromGLTexture,
    clCreateFromGLTexture2D,
    clCreateFromGLTexture3D,
    clCreateFromGLRenderbuffer,
    clGetGLObjectInfo,
    clGetGLTextureInfo,
    clEnqueueAcquireGLObjects,
    clEnqueueReleaseGLObjects,
    clGetGLContextInfoKHR,
    clCreateEventFromGLsyncKHR,
    clCreateFromEGLImageKHR,
    clEnqueueAcquireEGLObjectsKHR,
    clEnqueueReleaseEGLObjectsKHR,
    clCreateEventFromEGLSyncKHR,
};

/// Returns the names of the functions of extensions that are found by name only.
pub fn extension_names() -> impl Iterator<Item = &'static str> {
    EXTENSION_FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Address of an extension's function, or NULL.
pub fn extension_function(name: &CStr) -> *mut c_void {
    find(name, EXTENSION_FUNCTIONS.iter().copied())
}

/// Address of any function of the library, core or extension, or NULL.
pub fn any_function(name: &CStr) -> *mut c_void {
    let core = find(name, FUNCTIONS.iter().flatten().copied());
    if core.is_null() {
        extension_function(name)
    } else {
        core
    }
}

fn find(name: &CStr, mut functions: impl Iterator<Item = (&'static str, Slot)>) -> *mut c_void {
    functions
        .find(|(candidate, _)| candidate.as_bytes() == name.to_bytes())
        .map_or(std::ptr::null_mut(), |(_, slot)| slot.0.cast_mut())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_slots_are_where_cl_icd_h_has_them() {
        let at = |name| NAMES.iter().position(|n| *n == name);
        assert_eq!(at("clGetPlatformIDs"), Some(0));
        assert_eq!(at("clGetExtensionFunctionAddress"), Some(65));
        assert_eq!(at("clSetEventCallback"), Some(81));
        assert_eq!(at("clCreateSubDevices"), Some(93));
        assert_eq!(at("clCreateCommandQueueWithProperties"), Some(123));
        assert_eq!(at("clSetContextDestructorCallback"), Some(NAMES.len() - 2));
        assert_eq!(at("clGetKernelSuggestedLocalWorkSize"), Some(NAMES.len() - 1));
        assert_eq!(FUNCTIONS.iter().flatten().count(), 115);
    }

    #[test]
    fn functions_are_found_by_name() {
        assert!(!any_function(c"clFinish").is_null());
        assert!(extension_function(c"clFinish").is_null());
        assert!(any_function(c"clNoSuchFunction").is_null());
    }
}
