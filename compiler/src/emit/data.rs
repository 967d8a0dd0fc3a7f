//! The data image: the bytes of program-scope variables that all kernels of a program share.

use super::error::EmitError;
use crate::analysis::data_layout::DataLayout;
use crate::ir::{AddressSpace, Global, Module};
use crate::kernel::DataImage;
use cranelift_entity::SecondaryMap;

/// Returns the data image of a program and the byte offset of each variable in it (0 for local ones).
///
/// # Errors
/// When the variables take more than 1 GiB.
pub fn layout_data(module: &Module) -> Result<(DataImage, SecondaryMap<Global, u64>), EmitError> {
    let DataLayout { offsets, initialized, size } = DataLayout::compute(module);
    if size > DataImage::MAX_SIZE {
        let first = module.globals.iter().find(|(global, data)| {
            offsets[*global].saturating_add(data.size) > DataImage::MAX_SIZE
        });
        let name = first.map_or("", |(_, data)| data.name.as_str());
        return Err(EmitError::Unsupported(format!(
            "program-scope variables take more than {} bytes (at '{name}')",
            DataImage::MAX_SIZE
        )));
    }
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
