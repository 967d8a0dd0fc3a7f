//! Lays out program-scope variables in the one data image that all kernels of a program share.

use super::EmitError;
use crate::ir::{AddressSpace, Global, Module};
use crate::kernel::DataImage;
use cranelift_entity::SecondaryMap;

/// Most bytes that all program-scope variables together may take.
const MAX_DATA: u64 = 1 << 30;

/// Rounds up to a power of two.
pub(super) fn align_up(offset: u64, align: u32) -> u64 {
    let mask = u64::from(align.max(1)) - 1;
    offset.saturating_add(mask) & !mask
}

/// Byte offset in the data image of each program-scope variable (not of local ones), and the
/// image's size.
pub(super) fn data_offsets(module: &Module) -> Result<(SecondaryMap<Global, u64>, u64), EmitError> {
    let mut offsets = SecondaryMap::new();
    let mut end = 0;
    for (global, data) in module.globals.iter() {
        if data.space == AddressSpace::Local {
            continue;
        }
        let start = align_up(end, data.align);
        offsets[global] = start;
        end = start.saturating_add(data.size);
        if end > MAX_DATA {
            let name = &data.name;
            return Err(EmitError::Unsupported(format!(
                "program-scope variables take more than {MAX_DATA} bytes (at '{name}')"
            )));
        }
    }
    Ok((offsets, end))
}

/// The data image of a program and the byte offset of each variable in it (0 for local ones).
///
/// # Errors
/// When the variables take more than 1 GiB.
pub fn layout_data(module: &Module) -> Result<(DataImage, SecondaryMap<Global, u64>), EmitError> {
    let (offsets, size) = data_offsets(module)?;
    let mut image = DataImage { bytes: vec![0; size as usize], relocations: Vec::new() };
    for (global, data) in module.globals.iter() {
        if data.space == AddressSpace::Local {
            continue;
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
