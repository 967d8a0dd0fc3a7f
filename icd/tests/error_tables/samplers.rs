//! Samplers (5.7) on devices without images.

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    let no_images = "no device of context supports images";
    t.about("clCreateSamplerWithProperties");
    let create = |context| code(|e| unsafe { clCreateSamplerWithProperties(context, null(), e) });
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);
    t.row(CL_INVALID_OPERATION, no_images, create(w.context));

    t.about("clCreateSampler");
    let create = |context| {
        let (addressing, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
        code(|e| unsafe { clCreateSampler(context, CL_FALSE, addressing, filter, e) })
    };
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);
    t.row(CL_INVALID_OPERATION, no_images, create(w.context));

    t.about("clRetainSampler");
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| unsafe { clRetainSampler(s) });
    t.about("clReleaseSampler");
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| unsafe { clReleaseSampler(s) });
    t.about("clGetSamplerInfo");
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| unsafe {
        clGetSamplerInfo(s, CL_SAMPLER_CONTEXT, 0, null_mut(), null_mut())
    });
}
