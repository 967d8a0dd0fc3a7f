//! Mapped regions of an image, and the memory behind them.

use super::boxes::overlap;
use super::Image;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::host_ranges::HostRange;
use crate::core::device::open::Gpu;
use crate::core::device::pages::Pages;
use crate::core::device::staging::Staging;
use crate::core::memory::host::HostAddress;
use crate::core::memory::rect::Rect;
use hekla_vk_backend::ImageBox;
use smallvec::smallvec;
use std::sync::Arc;

/// A mapped region.
#[derive(Clone)]
pub struct ImageMapping {
    pub at: ImageBox,
    /// The texels in the application's address space; the offset is an address.
    pub rect: Rect,
    pub flags: cl_map_flags,
    /// Coherent staging memory behind the addresses, where the texels are closely packed.
    pub staging: Option<Arc<Staging>>,
    /// Ordinary memory behind the addresses. If there is neither staging nor ordinary memory, the addresses are of the
    /// application's own memory (CL_MEM_USE_HOST_PTR).
    pub pages: Option<Arc<Pages>>,
}

impl ImageMapping {
    /// Returns the address of the region's first texel.
    pub fn pointer(&self) -> HostAddress {
        HostAddress(self.rect.offset)
    }

    /// Returns the region's first address and its end.
    pub fn span(&self) -> (usize, usize) {
        (self.rect.offset, self.rect.end().unwrap_or(usize::MAX))
    }

    /// Returns true if the addresses lead to memory that exists only for the mapping.
    pub fn is_copy(&self) -> bool {
        self.staging.is_some() || self.pages.is_some()
    }

    /// Returns true if the map copies the texels to the addresses.
    pub fn reads(&self) -> bool {
        self.flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
    }

    /// Returns true if the unmap copies texels to the device.
    pub fn writes(&self) -> bool {
        self.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0
    }

    /// Returns true if both regions are for writing and have texels in common.
    fn conflicts(&self, other: &ImageMapping) -> bool {
        self.writes() && other.writes() && overlap(&self.at, &other.at)
    }
}

impl Image {
    /// Returns true if a box is all of the image.
    pub fn is_whole(&self, at: &ImageBox) -> bool {
        !self.shape.is_mipmap() && at.size.map(|n| n as usize) == self.shape.extent()
    }

    /// Returns true if the image has slices or layers.
    pub fn has_slices(&self) -> bool {
        self.shape.layers > 0 || self.shape.depth > 0
    }

    /// Returns the row pitch and the slice pitch of a mapped region in bytes (slice pitch 0 for images without slices or
    /// layers).
    pub fn mapped_pitches(&self, mapping: &ImageMapping) -> [usize; 2] {
        let rect = &mapping.rect;
        match self.shape.image_type {
            // The lines of an array are its slices.
            CL_MEM_OBJECT_IMAGE1D_ARRAY if mapping.is_copy() => [rect.width, rect.row_pitch],
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [self.shape.row_pitch, rect.row_pitch],
            _ => [rect.row_pitch, if self.has_slices() { rect.slice_pitch } else { 0 }],
        }
    }

    /// Returns memory in which the application will see a region: its own memory (CL_MEM_USE_HOST_PTR), staging memory or, if
    /// there is not enough, ordinary memory.
    ///
    /// # Errors
    /// CL_MAP_FAILURE when there is no memory.
    pub fn place_mapping(
        &self,
        gpu: &Gpu,
        flags: cl_map_flags,
        at: ImageBox,
    ) -> Result<ImageMapping> {
        let of = |rect| ImageMapping { at, rect, flags, staging: None, pages: None };
        if let Some(host) = self.host_ptr {
            let [x, y, z] = at.origin.map(|n| n as usize);
            let [row, slice] = self.shape.pitches();
            let start = host.0 + z * slice + y * row + x * self.layout.texel();
            let [_, height, depth] = at.size.map(|n| n as usize);
            let width = at.size[0] as usize * self.layout.texel();
            let rect =
                Rect { offset: start, width, height, depth, row_pitch: row, slice_pitch: slice };
            return Ok(of(rect));
        }
        let packed = self.rect(&at, 0, 0, 0)?;
        let size = packed.bytes();
        if size as u64 <= gpu.device.info().limits.max_allocation_size {
            let staging = gpu.readback.take(size as u64);
            if let Some(staging) = staging.ok().filter(|s| s.buffer.is_coherent()) {
                let Some(base) = staging.buffer.mapped() else { return fail(CL_MAP_FAILURE) };
                let mapping = of(packed.shifted(base.as_ptr() as usize));
                return Ok(ImageMapping { staging: Some(staging), ..mapping });
            }
        }
        let pages = Arc::new(Pages::new(size).ok_or(ClError(CL_MAP_FAILURE))?);
        let mapping = of(packed.shifted(pages.address()));
        Ok(ImageMapping { pages: Some(pages), ..mapping })
    }

    /// Notes a mapping; CL_INVALID_OPERATION if it overlaps another mapping and both are for writing.
    pub fn add_mapping(&self, mapping: ImageMapping) -> Result<()> {
        let mut maps = self.maps.lock();
        ensure!(!maps.iter().any(|other| other.conflicts(&mapping)), CL_INVALID_OPERATION);
        if let Some(staging) = &mapping.staging {
            let (start, end) = mapping.span();
            // Commands with these host addresses use the staging memory directly.
            self.context.host_ranges.add(HostRange {
                start,
                end,
                buffers: smallvec![staging.buffer.clone()],
                offset: 0,
                in_place: true,
                staging: Some(staging.clone()),
            });
        }
        maps.push(mapping);
        Ok(())
    }

    /// Removes and returns the mapping at a pointer; CL_INVALID_VALUE if no region is mapped there.
    pub fn take_mapping(&self, pointer: HostAddress) -> Result<ImageMapping> {
        let mut maps = self.maps.lock();
        let found = maps.iter().rposition(|mapping| mapping.pointer() == pointer);
        let mapping = maps.remove(found.ok_or(ClError(CL_INVALID_VALUE))?);
        self.forget_addresses(&mapping);
        Ok(mapping)
    }

    /// Forgets all mapped regions.
    pub(super) fn forget_mappings(&self) {
        self.maps.lock().drain(..).for_each(|mapping| self.forget_addresses(&mapping));
    }

    fn forget_addresses(&self, mapping: &ImageMapping) {
        if mapping.staging.is_some() {
            self.context.host_ranges.remove(mapping.pointer().0);
        }
    }
}
