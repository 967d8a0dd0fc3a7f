//! What the fuzz targets share: a grammar that makes OpenCL C out of bytes, and the check of what the
//! compiler makes of that.

pub mod check;
pub mod grammar;
pub mod mutate;

pub use hekla_random_programs::typed;
