//! Sampler objects. Devices offer no images yet, so none can be made; the type exists so that
//! handles of samplers can be checked.

use crate::cl::*;
use crate::object::Kind;

pub struct Sampler {}

impl Kind for Sampler {
    type Target = _cl_sampler;
    const INVALID: cl_int = CL_INVALID_SAMPLER;
}
