//! What the fuzz targets share: a grammar that makes OpenCL C out of bytes, and the check of what the
//! compiler makes of that.

pub mod check;
mod draw;
pub mod exact;
pub mod grammar;
pub mod mutate;
pub mod typed;
