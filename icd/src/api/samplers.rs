//! Sampler objects (spec 5.7).

use super::args;
use super::property_list::{self, Shape};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::memory::sampler::{Sampler, Sampling};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns a cl_bool; CL_INVALID_VALUE if it is neither of the two.
fn boolean(value: u64) -> Result<bool> {
    ensure!(value <= u64::from(CL_TRUE), CL_INVALID_VALUE);
    Ok(value != 0)
}

/// Returns a value of 32 bits; CL_INVALID_VALUE if it is larger.
fn word(value: u64) -> Result<u32> {
    value.try_into().map_err(|_| ClError(CL_INVALID_VALUE))
}

/// Returns the shape of the value of a sampler's property; `None` for an unknown name.
fn shape(name: u64) -> Option<Shape> {
    let names = [
        CL_SAMPLER_NORMALIZED_COORDS,
        CL_SAMPLER_ADDRESSING_MODE,
        CL_SAMPLER_FILTER_MODE,
        CL_SAMPLER_MIP_FILTER_MODE,
        CL_SAMPLER_LOD_MIN,
        CL_SAMPLER_LOD_MAX,
    ];
    names.iter().any(|known| u64::from(*known) == name).then_some(Shape::One)
}

/// Returns the sampling that a property list describes, with defaults for properties that are not in the list.
fn sampling(entries: &[(cl_properties, Vec<cl_properties>)]) -> Result<Sampling> {
    let mut sampling = Sampling::default();
    for (name, values) in entries {
        let value = values.first().copied().unwrap_or_default();
        match *name as u32 {
            CL_SAMPLER_NORMALIZED_COORDS => sampling.normalized = boolean(value)?,
            CL_SAMPLER_ADDRESSING_MODE => sampling.addressing = word(value)?,
            CL_SAMPLER_MIP_FILTER_MODE => sampling.mip_filter = word(value)?,
            // The bits of a float.
            CL_SAMPLER_LOD_MIN => sampling.lod[0] = value as u32,
            CL_SAMPLER_LOD_MAX => sampling.lod[1] = value as u32,
            _ => sampling.filter = word(value)?,
        }
    }
    Ok(sampling)
}

entry! {
    /// clCreateSamplerWithProperties.
    fn clCreateSamplerWithProperties(
        context: cl_context,
        sampler_properties: *const cl_sampler_properties,
    ) -> handle cl_sampler {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        let list = unsafe { property_list::read(sampler_properties, shape) };
        let list = list.map_err(|_| ClError(CL_INVALID_VALUE))?;
        let sampling = sampling(&list.entries)?;
        Ok(Sampler::new(context, sampling, list.flat)?.expose())
    }

    /// clCreateSampler.
    fn clCreateSampler(
        context: cl_context,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) -> handle cl_sampler {
        let context = Ref::<Context>::from_handle(context)?;
        let sampling = Sampling {
            normalized: boolean(u64::from(normalized_coords))?,
            addressing: addressing_mode,
            filter: filter_mode,
            ..Sampling::default()
        };
        Ok(Sampler::new(context, sampling, Vec::new())?.expose())
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
        param_name: cl_sampler_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let sampler = Ref::<Sampler>::from_handle(sampler)?;
        let Sampling { normalized, addressing, filter, mip_filter, lod } = sampler.sampling;
        let value = match param_name {
            CL_SAMPLER_REFERENCE_COUNT => Some(Value::of(sampler.reference_count())),
            CL_SAMPLER_CONTEXT => Some(Value::of(sampler.context.handle())),
            CL_SAMPLER_NORMALIZED_COORDS => Some(Value::bool(normalized)),
            CL_SAMPLER_ADDRESSING_MODE => Some(Value::of(addressing)),
            CL_SAMPLER_FILTER_MODE => Some(Value::of(filter)),
            CL_SAMPLER_MIP_FILTER_MODE => Some(Value::of(mip_filter)),
            CL_SAMPLER_LOD_MIN => Some(Value::of(lod[0])),
            CL_SAMPLER_LOD_MAX => Some(Value::of(lod[1])),
            CL_SAMPLER_PROPERTIES => Some(Value::list(&sampler.properties)),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
