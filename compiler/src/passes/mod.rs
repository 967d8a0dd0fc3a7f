//! Transformations of the IR, one file each.
