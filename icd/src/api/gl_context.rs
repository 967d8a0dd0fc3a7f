//! Contexts of OpenGL: the properties that name one (cl_khr_gl_sharing), and the devices that share with it.

use super::args;
use super::devices::devices_of_type;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::device::platform::platform;
use crate::core::device::Device;
use crate::core::gl::{Binding, Sharing, WindowSystem};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// The properties that name a context of OpenGL; `None` for those that are not given.
#[derive(Default)]
pub struct GlProperties {
    context: Option<isize>,
    egl: Option<isize>,
    glx: Option<isize>,
    wgl: Option<isize>,
    cgl: Option<isize>,
}

impl GlProperties {
    /// Takes a property's value: false if it was given before. `None` for other properties.
    pub fn set(&mut self, name: u64, value: isize) -> Option<bool> {
        let place = match u32::try_from(name).ok()? {
            CL_GL_CONTEXT_KHR => &mut self.context,
            CL_EGL_DISPLAY_KHR => &mut self.egl,
            CL_GLX_DISPLAY_KHR => &mut self.glx,
            CL_WGL_HDC_KHR => &mut self.wgl,
            CL_CGL_SHAREGROUP_KHR => &mut self.cgl,
            _ => return None,
        };
        Some(place.replace(value).is_none())
    }

    /// Returns the context of OpenGL that the properties name; `None` if they name none.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION for several displays, and for window systems that this system lacks;
    /// CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR for a context without a display, or a display without one.
    pub fn binding(&self) -> Result<Option<Binding>> {
        let given = |value: Option<isize>| value.filter(|value| *value != 0);
        let displays = [self.egl, self.glx, self.wgl, self.cgl].map(given);
        let context = given(self.context);
        if context.is_none() && displays == [None; 4] {
            return Ok(None);
        }
        ensure!(displays.iter().flatten().count() <= 1, CL_INVALID_OPERATION);
        // WGL and CGL do not exist on the systems for which this library shares contexts.
        ensure!(displays[2].is_none() && displays[3].is_none(), CL_INVALID_OPERATION);
        let invalid = ClError(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
        let context = context.ok_or(invalid)? as usize;
        let (system, display) = match displays {
            [Some(display), ..] => (WindowSystem::Egl, display),
            [None, Some(display), ..] => (WindowSystem::Glx, display),
            _ => return Err(invalid),
        };
        Ok(Some(Binding { system, display: display as usize, context }))
    }
}

/// Reads the properties of a query: those that name a context of OpenGL, and others of contexts, which do not matter.
///
/// # Safety
/// `list` is NULL or the start of a property list.
unsafe fn binding(list: *const cl_context_properties) -> Result<Binding> {
    let mut all = GlProperties::default();
    // SAFETY: as the caller promises.
    for pair in unsafe { args::property_list(list, 2) }.chunks_exact(2) {
        if all.set(pair[0] as u64, pair[1]).is_some() {
            continue;
        }
        match u32::try_from(pair[0]) {
            Ok(CL_CONTEXT_PLATFORM | CL_CONTEXT_INTEROP_USER_SYNC) => {}
            _ => return fail(CL_INVALID_VALUE),
        }
    }
    all.binding()?.ok_or(ClError(CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR))
}

/// Returns the devices that can share with a context of OpenGL, its own device first. Every device can, because contents are
/// copied where memory cannot be shared. Where OpenGL does not report its device, or OpenCL does not have that device, the
/// usual order remains.
fn sharing_devices(binding: Binding) -> Result<Vec<Ref<Device>>> {
    let sharing = Sharing::new(binding)?;
    let mut devices = devices_of_type(platform(), CL_DEVICE_TYPE_ALL).unwrap_or_default();
    let is_own = |device: &Ref<Device>| sharing.devices.contains(&device.info().device_uuid);
    devices.sort_by_key(|device| !is_own(device));
    Ok(devices)
}

entry! {
    /// clGetGLContextInfoKHR.
    fn clGetGLContextInfoKHR(
        properties: *const cl_context_properties,
        param_name: cl_gl_context_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let known = [CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, CL_DEVICES_FOR_GL_CONTEXT_KHR];
        ensure!(known.contains(&param_name), CL_INVALID_VALUE);
        // SAFETY: the list is as the API requires.
        let mut devices = sharing_devices(unsafe { binding(properties) }?)?;
        if param_name == CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR {
            devices.truncate(1);
        }
        let handles: Vec<_> = devices.iter().map(Ref::handle).collect();
        let value = Some(Value::list(&handles));
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
