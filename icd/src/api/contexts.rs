//! Contexts (spec 4.4).

use super::args;
use super::devices::devices_of_type;
use super::gl_context::GlProperties;
use super::platforms::platform_of;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::{Context, Initialize};
use crate::core::device::platform::{platform, Platform};
use crate::core::device::Device;
use crate::core::gl::Sharing;
use crate::core::printf::output::{PrintfCallback, Sink};
use crate::dispatch::boundary::entry;
use crate::object::callbacks::UserData;
use crate::object::notify::{self, Notifier};
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

/// Context properties.
#[derive(Default)]
struct Properties {
    /// The list as the application gave it, with the terminating zero.
    list: Vec<cl_context_properties>,
    platform: Option<&'static Ref<Platform>>,
    printf_callback: Option<PrintfCallback>,
    printf_buffer_size: Option<usize>,
    initialize: Option<Initialize>,
    gl: GlProperties,
}

impl Properties {
    /// Checks that the application gave data for callbacks only together with a callback, and opens the devices.
    fn context(
        self,
        devices: Vec<Ref<Device>>,
        notifier: Option<Arc<Notifier>>,
        data: *mut c_void,
    ) -> Result<Ref<Context>> {
        let called = notifier.is_some() || self.printf_callback.is_some();
        ensure!(called || data.is_null(), CL_INVALID_VALUE);
        let sink = self
            .printf_callback
            .map_or(Sink::Stdout, |function| Sink::Callback(function, UserData(data)));
        let initialize = self.initialize.unwrap_or_default();
        let gl = self.gl.binding()?.map(Sharing::new).transpose()?;
        Context::new(devices, self.list, notifier, sink, self.printf_buffer_size, initialize, gl)
    }
}

/// Returns the notifier of a context, which receives errors from the beginning of its creation on.
fn notifier(function: ContextNotify, data: *mut c_void) -> Option<Arc<Notifier>> {
    let notifier = Notifier::new(function, UserData(data));
    notify::enter(|| notifier.as_ref());
    notifier
}

/// Reads and checks context properties: CL_INVALID_PROPERTY for an unknown, repeated or badly valued
/// one, CL_INVALID_PLATFORM for a handle that is not a platform.
///
/// # Safety
/// `pointer` is NULL or the start of a property list.
unsafe fn properties(pointer: *const cl_context_properties) -> Result<Properties> {
    // SAFETY: as the caller promises.
    let list = unsafe { args::property_list(pointer, 2) };
    let mut all = Properties::default();
    let mut sync_given = false;
    for pair in list.chunks_exact(2) {
        match (pair[0] as u64, pair[1]) {
            (name, value) if name == u64::from(CL_CONTEXT_PLATFORM) => {
                ensure!(all.platform.is_none(), CL_INVALID_PROPERTY);
                ensure!(value != 0, CL_INVALID_PLATFORM);
                all.platform = Some(platform_of(value as cl_platform_id)?);
            }
            (name, 0 | 1) if name == u64::from(CL_CONTEXT_INTEROP_USER_SYNC) => {
                ensure!(!sync_given, CL_INVALID_PROPERTY);
                sync_given = true;
            }
            (name, value) if name == u64::from(CL_CONTEXT_MEMORY_INITIALIZE_KHR) => {
                ensure!(all.initialize.is_none(), CL_INVALID_PROPERTY);
                all.initialize = Some(initialize(value as u64)?);
            }
            (name, value) if name == u64::from(CL_PRINTF_CALLBACK_ARM) => {
                ensure!(all.printf_callback.is_none() && value != 0, CL_INVALID_PROPERTY);
                // SAFETY: cl_arm_printf requires the value to be such a function.
                let function = unsafe { std::mem::transmute::<isize, PrintfCallback>(value) };
                all.printf_callback = Some(function);
            }
            (name, value) if name == u64::from(CL_PRINTF_BUFFERSIZE_ARM) => {
                ensure!(all.printf_buffer_size.is_none(), CL_INVALID_PROPERTY);
                all.printf_buffer_size = Some(value as usize);
            }
            (name, value) => {
                let is_new = all.gl.set(name, value).ok_or(ClError(CL_INVALID_PROPERTY))?;
                ensure!(is_new, CL_INVALID_PROPERTY);
            }
        }
    }
    all.list = list;
    Ok(all)
}

/// Returns the kinds of memory that a cl_context_memory_initialize_khr names.
fn initialize(kinds: u64) -> Result<Initialize> {
    let (local, private) =
        (CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR, CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR);
    ensure!(kinds & !(local | private) == 0, CL_INVALID_PROPERTY);
    Ok(Initialize { local: kinds & local != 0, private: kinds & private != 0 })
}

entry! {
    /// clCreateContext.
    fn clCreateContext(
        properties: *const cl_context_properties,
        num_devices: cl_uint,
        devices: *const cl_device_id,
        pfn_notify: ContextNotify,
        user_data: *mut c_void,
    ) -> handle cl_context {
        let notifier = notifier(pfn_notify, user_data);
        // SAFETY: the list is as the API requires.
        let properties = unsafe { self::properties(properties) }?;
        ensure!(!devices.is_null() && num_devices > 0, CL_INVALID_VALUE);
        // SAFETY: the array is as the API requires.
        let all = unsafe { args::objects::<Device>(devices, num_devices) }?;
        let mut distinct: Vec<Ref<Device>> = Vec::new();
        for device in all {
            // Duplicates are ignored (clCreateContext).
            if !distinct.contains(&device) {
                distinct.push(device);
            }
        }
        Ok(properties.context(distinct, notifier, user_data)?.expose())
    }

    /// clCreateContextFromType.
    fn clCreateContextFromType(
        properties: *const cl_context_properties,
        device_type: cl_device_type,
        pfn_notify: ContextNotify,
        user_data: *mut c_void,
    ) -> handle cl_context {
        let notifier = notifier(pfn_notify, user_data);
        // SAFETY: the list is as the API requires.
        let properties = unsafe { self::properties(properties) }?;
        let platform = properties.platform.unwrap_or(platform());
        let devices = devices_of_type(platform, device_type)?;
        Ok(properties.context(devices, notifier, user_data)?.expose())
    }

    /// clRetainContext.
    fn clRetainContext(context: cl_context) -> status {
        Ref::<Context>::retain(context)
    }

    /// clReleaseContext.
    fn clReleaseContext(context: cl_context) -> status {
        Ref::<Context>::release(context)
    }

    /// clGetContextInfo.
    fn clGetContextInfo(
        context: cl_context,
        param_name: cl_context_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        let value = match param_name {
            CL_CONTEXT_REFERENCE_COUNT => Some(Value::of(context.reference_count())),
            CL_CONTEXT_NUM_DEVICES => Some(Value::of(context.devices.len() as cl_uint)),
            CL_CONTEXT_DEVICES => {
                let handles: Vec<_> = context.devices.iter().map(Ref::handle).collect();
                Some(Value::list(&handles))
            }
            CL_CONTEXT_PROPERTIES => Some(Value::list(&context.properties)),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clSetContextDestructorCallback.
    fn clSetContextDestructorCallback(
        context: cl_context,
        pfn_notify: ContextDestructor,
        user_data: *mut c_void,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        ensure!(pfn_notify.is_some(), CL_INVALID_VALUE);
        context.add_destructor(pfn_notify, UserData(user_data));
        Ok(())
    }
}
