//! The layout of program-scope variables in the one data image that all kernels of a program share.

use crate::ir::{AddressSpace, Global, GlobalData, Module};
use cranelift_entity::SecondaryMap;

/// Rounds up to a power of two.
pub fn align_up(offset: u64, align: u32) -> u64 {
    let mask = u64::from(align.max(1)) - 1;
    offset.saturating_add(mask) & !mask
}

/// The offset of each variable, and the size of the image.
#[derive(Default)]
pub struct DataLayout {
    /// Byte offset in the data image of each program-scope variable (not of local ones).
    pub offsets: SecondaryMap<Global, u64>,
    /// End of the variables with initial values, as a byte offset.
    pub initialized: u64,
    /// End of all variables, as a byte offset. Bytes from `initialized` on are zero.
    pub size: u64,
}

impl DataLayout {
    /// Places the variables: first variables with initial values, then variables that are zero.
    pub fn compute(module: &Module) -> DataLayout {
        let mut layout = DataLayout::default();
        for initialized in [true, false] {
            for (global, data) in module.globals.iter() {
                if data.space == AddressSpace::Local || is_initialized(data) != initialized {
                    continue;
                }
                let start = align_up(layout.size, data.align);
                layout.offsets[global] = start;
                layout.size = start.saturating_add(data.size);
            }
            if initialized {
                layout.initialized = layout.size;
            }
        }
        layout
    }
}

/// Returns true if a variable's initial bytes are not all zero.
fn is_initialized(data: &GlobalData) -> bool {
    data.init.is_some() || !data.relocations.is_empty()
}
