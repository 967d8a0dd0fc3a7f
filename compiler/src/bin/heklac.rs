//! The offline compiler: `heklac FILE.cl [OpenCL build options] -o FILE.spv`.
fn main() {}
