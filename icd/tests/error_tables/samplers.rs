//! Samplers (5.7).

use crate::prelude::*;
use crate::world::made;

pub fn rows(t: &mut Table, w: &World) {
    property_rows(t, w);

    t.about("clCreateSampler");
    let create = |context, normalized, addressing, filter| {
        code(|e| unsafe { clCreateSampler(context, normalized, addressing, filter, e) })
    };
    let (clamp, nearest) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    t.correct(create(w.context, CL_FALSE, clamp, nearest));
    t.correct(create(w.context, CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |c| create(c, CL_TRUE, clamp, nearest));
    for (what, normalized, addressing, filter) in [
        ("addressing_mode", CL_TRUE, 0, nearest),
        ("addressing_mode", CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT + 1, nearest),
        ("filter_mode", CL_TRUE, clamp, 0),
        ("normalized_coords", 2, clamp, nearest),
        ("the combination of arguments", CL_FALSE, CL_ADDRESS_REPEAT, nearest),
        ("the combination of arguments", CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, nearest),
    ] {
        let got = create(w.context, normalized, addressing, filter);
        t.row(CL_INVALID_VALUE, &format!("{what} is not valid"), got);
    }

    let sampler = made(|e| unsafe { clCreateSampler(w.context, CL_TRUE, clamp, nearest, e) });
    t.about("clGetSamplerInfo");
    let info = |sampler, name, size, place| unsafe {
        clGetSamplerInfo(sampler, name, size, place, null_mut())
    };
    t.query(CL_SAMPLER_CONTEXT, |name, size, place| info(sampler, name, size, place));
    let names =
        (CL_SAMPLER_REFERENCE_COUNT..=CL_SAMPLER_FILTER_MODE).chain([CL_SAMPLER_PROPERTIES]);
    t.answered(names, |name, size, place| info(sampler, name, size, place));
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| {
        info(s, CL_SAMPLER_CONTEXT, 0, null_mut())
    });
    t.about("clRetainSampler");
    t.correct(unsafe { clRetainSampler(sampler) });
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| unsafe { clRetainSampler(s) });
    t.about("clReleaseSampler");
    t.correct(unsafe { clReleaseSampler(sampler) });
    t.correct(unsafe { clReleaseSampler(sampler) });
    t.each(CL_INVALID_SAMPLER, "sampler", w.no_samplers(), |s| unsafe { clReleaseSampler(s) });
}

fn property_rows(t: &mut Table, w: &World) {
    t.about("clCreateSamplerWithProperties");
    let create = |context, list: &[u32]| {
        let list: Vec<_> = list.iter().map(|value| u64::from(*value)).collect();
        code(|e| unsafe { clCreateSamplerWithProperties(context, list.as_ptr(), e) })
    };
    t.correct(code(|e| unsafe { clCreateSamplerWithProperties(w.context, null(), e) }));
    t.correct(create(w.context, &[0]));
    t.correct(create(w.context, &[CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0]));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| create(context, &[0]));
    let (normalized, mode) = (CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE);
    for (what, list) in [
        ("a property name is not supported", &[CL_SAMPLER_CONTEXT, 1, 0][..]),
        ("the mip filter is not valid", &[CL_SAMPLER_MIP_FILTER_MODE, 7, 0]),
        ("a value is not valid", &[mode, CL_FILTER_LINEAR, 0]),
        ("a value is not valid", &[CL_SAMPLER_FILTER_MODE, 1, 0]),
        ("a value is not valid", &[normalized, 7, 0]),
        ("the values do not go together", &[normalized, 0, mode, CL_ADDRESS_REPEAT, 0]),
        ("a property name comes twice", &[normalized, 1, normalized, 1, 0]),
    ] {
        t.row(CL_INVALID_VALUE, what, create(w.context, list));
    }
}
