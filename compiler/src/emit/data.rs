//! Lays out program-scope variables in the one data image that all kernels of a program share.

use super::error::EmitError;
use crate::ir::{AddressSpace, Global, GlobalData, Module};
use crate::kernel::DataImage;
use cranelift_entity::SecondaryMap;

/// Rounds up to a power of two.
pub(super) fn align_up(offset: u64, align: u32) -> u64 {
    let mask = u64::from(align.max(1)) - 1;
    offset.saturating_add(mask) & !mask
}

/// Returns true if a variable's initial bytes are not all zero.
fn is_initialized(data: &GlobalData) -> bool {
    data.init.is_some() || !data.relocations.is_empty()
}

/// The place of each variable.
pub(super) struct DataLayout {
    /// Byte offset in the data image of each program-scope variable (not of local ones).
    pub offsets: SecondaryMap<Global, u64>,
    /// End of those whose bytes are given.
    initialized: u64,
    /// End of all; the rest is zero.
    size: u64,
}

/// Places the variables: first those with initial values, then those that are zero.
pub(super) fn layout(module: &Module) -> Result<DataLayout, EmitError> {
    let mut layout = DataLayout { offsets: SecondaryMap::new(), initialized: 0, size: 0 };
    for initialized in [true, false] {
        for (global, data) in module.globals.iter() {
            if data.space == AddressSpace::Local || is_initialized(data) != initialized {
                continue;
            }
            let start = align_up(layout.size, data.align);
            layout.offsets[global] = start;
            layout.size = start.saturating_add(data.size);
            if layout.size > DataImage::MAX_SIZE {
                let name = &data.name;
                return Err(EmitError::Unsupported(format!(
                    "program-scope variables take more than {} bytes (at '{name}')",
                    DataImage::MAX_SIZE
                )));
            }
        }
        if initialized {
            layout.initialized = layout.size;
        }
    }
    Ok(layout)
}

/// Returns the data image of a program and the byte offset of each variable in it (0 for local ones).
///
/// # Errors
/// When the variables take more than 1 GiB.
pub fn layout_data(module: &Module) -> Result<(DataImage, SecondaryMap<Global, u64>), EmitError> {
    let DataLayout { offsets, initialized, size } = layout(module)?;
    let mut image = DataImage {
        size,
        align: 1,
        global_size: 0,
        bytes: vec![0; initialized as usize],
        relocations: Vec::new(),
    };
    for (global, data) in module.globals.iter() {
        if data.space == AddressSpace::Local {
            continue;
        }
        image.align = image.align.max(data.align);
        if data.space == AddressSpace::Global {
            image.global_size += data.size;
        }
        let start = offsets[global] as usize;
        if let Some(init) = &data.init {
            let length = init.len().min(data.size as usize);
            image.bytes[start..start + length].copy_from_slice(&init[..length]);
        }
        for &(at, target, addend) in &data.relocations {
            if u64::from(at) + 8 > data.size {
                return Err(EmitError::Malformed(format!("relocation outside '{}'", data.name)));
            }
            let at = start + at as usize;
            let address = offsets[target].wrapping_add_signed(addend);
            image.bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
            image.relocations.push(at as u32);
        }
    }
    Ok((image, offsets))
}
