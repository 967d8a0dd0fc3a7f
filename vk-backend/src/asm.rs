//! A very small SPIR-V assembler: enough to write the probe's kernels, and tests, by hand.
