//! Sampler objects (spec 5.7). Without images there are no samplers.

use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::sampler::Sampler;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// CL_INVALID_OPERATION: no device of the context supports images.
fn no_image_support(context: cl_context) -> Result<cl_sampler> {
    Ref::<Context>::from_handle(context)?;
    fail(CL_INVALID_OPERATION)
}

entry! {
    /// clCreateSamplerWithProperties.
    fn clCreateSamplerWithProperties(
        context: cl_context,
        _sampler_properties: *const cl_sampler_properties,
    ) -> handle cl_sampler {
        no_image_support(context)
    }

    /// clCreateSampler.
    fn clCreateSampler(
        context: cl_context,
        _normalized_coords: cl_bool,
        _addressing_mode: cl_addressing_mode,
        _filter_mode: cl_filter_mode,
    ) -> handle cl_sampler {
        no_image_support(context)
    }

    /// clRetainSampler.
    fn clRetainSampler(sampler: cl_sampler) -> status {
        Ref::<Sampler>::retain(sampler)
    }

    /// clReleaseSampler.
    fn clReleaseSampler(sampler: cl_sampler) -> status {
        Ref::<Sampler>::release(sampler)
    }

    /// clGetSamplerInfo.
    fn clGetSamplerInfo(
        sampler: cl_sampler,
        _param_name: cl_sampler_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) -> status {
        Ref::<Sampler>::from_handle(sampler)?;
        fail(CL_INVALID_VALUE)
    }
}
