//! The memory types of a device, ranked for each kind of buffer.
//!
//! The ranked types are tried for a buffer one after the other, until one has memory for it.

use ash::vk;
use smallvec::SmallVec;

use crate::physical::limits::MemoryInfo;

/// The use of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Kernels work on the memory: device-local; mapped as well when the memory is unified. On integrated devices it may also
    /// come from the host's heap, which is the same physical memory.
    Device,
    /// The host writes, the device reads: mapped and coherent, slow for the host to read.
    Upload,
    /// The device writes, the host reads: mapped and, where the device offers that, cached.
    Readback,
}

/// The placement of a device's buffers in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The device has memory of its own.
    Discrete,
    /// The device has memory of its own, and the buffer will be mapped through resizable BAR.
    Rebar,
    /// The device shares the host's memory.
    Shared,
}

/// The memory types and heaps of a device.
#[derive(Clone)]
pub(crate) struct MemoryTypes {
    properties: vk::PhysicalDeviceMemoryProperties,
    /// True if the device is integrated or a CPU.
    shares_memory: bool,
}

type Flags = vk::MemoryPropertyFlags;

impl MemoryTypes {
    pub(crate) fn new(
        properties: vk::PhysicalDeviceMemoryProperties,
        shares_memory: bool,
    ) -> MemoryTypes {
        MemoryTypes { properties, shares_memory }
    }

    /// Returns the property flags of a type.
    pub(crate) fn flags(&self, index: u32) -> Flags {
        self.properties.memory_types[index as usize].property_flags
    }

    /// Returns the size in bytes of the heap of a type.
    pub(crate) fn heap_size(&self, index: u32) -> u64 {
        self.properties.memory_heaps[self.heap(index)].size
    }

    fn heap(&self, index: u32) -> usize {
        self.properties.memory_types[index as usize].heap_index as usize
    }

    /// Returns the memory types among `bits` that suit `kind`, best first; with `rebar`, for device memory of a discrete device
    /// that will be mapped.
    pub(crate) fn ranked(&self, bits: u32, kind: MemoryKind, rebar: bool) -> SmallVec<[u32; 8]> {
        let placement = match (self.shares_memory, rebar) {
            (true, _) => Placement::Shared,
            (false, true) => Placement::Rebar,
            (false, false) => Placement::Discrete,
        };
        let mut ranked: SmallVec<[(u8, u32); 8]> = (0..self.properties.memory_type_count)
            .filter(|index| bits & (1 << index) != 0)
            .filter_map(|index| Some((rank(kind, self.flags(index), placement)?, index)))
            .collect();
        // The sort is stable: of equal types the driver lists the faster one first.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, index)| index).collect()
    }

    /// Returns the memory types that suit imported memory among `bits`, best first: types for [`MemoryKind::Device`], then
    /// types for [`MemoryKind::Readback`].
    pub(crate) fn ranked_for_import(&self, bits: u32) -> SmallVec<[u32; 8]> {
        let mut types = self.ranked(bits, MemoryKind::Device, false);
        for other in self.ranked(bits, MemoryKind::Readback, false) {
            if !types.contains(&other) {
                types.push(other);
            }
        }
        types
    }

    /// Returns a summary of the heaps.
    pub(crate) fn info(&self) -> MemoryInfo {
        let all = 0..self.properties.memory_type_count;
        let with = |flags: Flags| all.clone().filter(move |i| self.flags(*i).contains(flags));
        let largest = |types: &mut dyn Iterator<Item = u32>| {
            types.map(|index| self.heap_size(index)).max().unwrap_or(0)
        };
        let device_local_bytes = largest(&mut with(Flags::DEVICE_LOCAL));
        let coherent = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let window = largest(&mut with(Flags::DEVICE_LOCAL | coherent));
        let usable = self.ranked(u32::MAX, MemoryKind::Device, false);
        let mapped = usable.iter().any(|index| self.flags(*index).contains(Flags::HOST_VISIBLE));
        // Each heap counts once, however many types it has. A small heap of a discrete device may be a window into the large
        // one.
        let mut heaps: SmallVec<[usize; 8]> =
            usable.iter().map(|index| self.heap(*index)).collect();
        heaps.sort_unstable();
        heaps.dedup();
        let total = heaps.iter().map(|heap| self.properties.memory_heaps[*heap].size).sum();
        MemoryInfo {
            device_local_bytes,
            host_visible_bytes: largest(&mut with(Flags::HOST_VISIBLE)),
            global_bytes: if self.shares_memory { total } else { device_local_bytes },
            largest_heap_bytes: largest(&mut usable.iter().copied()),
            unified: self.shares_memory && mapped,
            // Without resizable BAR the host maps a heap of 256 MB, which is left to the driver.
            rebar: !self.shares_memory && window > 0 && window == device_local_bytes,
            host_import: false,
        }
    }
}

/// Returns the rank of memory with `flags` for `kind`, 0 for the best; `None` if it does not suit at all.
fn rank(kind: MemoryKind, flags: Flags, placement: Placement) -> Option<u8> {
    let unsuitable = Flags::PROTECTED
        | Flags::LAZILY_ALLOCATED
        | Flags::DEVICE_COHERENT_AMD
        | Flags::DEVICE_UNCACHED_AMD
        | Flags::RDMA_CAPABLE_NV;
    if flags.intersects(unsuitable) {
        return None;
    }
    let visible = flags.contains(Flags::HOST_VISIBLE);
    let coherent = flags.contains(Flags::HOST_COHERENT);
    let local = flags.contains(Flags::DEVICE_LOCAL);
    let cached = flags.contains(Flags::HOST_CACHED);
    // The host reads uncached memory a hundred times slower than cached memory; flushes and invalidations of
    // cached memory cost little.
    let for_host = match (visible, cached, coherent) {
        (true, true, true) => 0,
        (true, true, false) => 1,
        (true, false, _) => 2,
        (false, ..) => 3,
    };
    match (kind, placement) {
        (MemoryKind::Device, Placement::Shared) if local => Some(for_host),
        (MemoryKind::Device, Placement::Shared) => visible.then_some(4 + for_host),
        (MemoryKind::Device, _) if !local => None,
        (MemoryKind::Device, Placement::Rebar) => Some(u8::from(!(visible && coherent))),
        (MemoryKind::Device, Placement::Discrete) => Some(u8::from(visible)),
        (MemoryKind::Upload, _) => {
            (visible && coherent).then_some(2 * u8::from(local) + u8::from(cached))
        }
        (MemoryKind::Readback, _) => visible.then_some(2 * for_host + u8::from(local)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const MIB: u64 = 1 << 20;
    const LOCAL: Flags = Flags::DEVICE_LOCAL;
    const VISIBLE: Flags = Flags::HOST_VISIBLE;
    const COHERENT: Flags = Flags::HOST_COHERENT;
    const CACHED: Flags = Flags::HOST_CACHED;

    /// Returns a device whose heaps have `sizes`, with memory types that are given by heap and flags.
    fn device(shares_memory: bool, sizes: &[u64], types: &[(u32, Flags)]) -> MemoryTypes {
        let mut properties = vk::PhysicalDeviceMemoryProperties {
            memory_type_count: types.len() as u32,
            memory_heap_count: sizes.len() as u32,
            ..Default::default()
        };
        for (heap, size) in properties.memory_heaps.iter_mut().zip(sizes) {
            heap.size = *size;
        }
        for (t, (heap_index, property_flags)) in properties.memory_types.iter_mut().zip(types) {
            *t = vk::MemoryType { heap_index: *heap_index, property_flags: *property_flags };
        }
        MemoryTypes::new(properties, shares_memory)
    }

    fn ranked(device: &MemoryTypes, kind: MemoryKind) -> Vec<u32> {
        device.ranked(u32::MAX, kind, device.info().rebar).to_vec()
    }

    #[test]
    fn an_apu_with_a_small_carve_out_falls_back_to_the_host_heap() {
        // AMD's own driver: 512 MB of carve-out, of which the host sees half, and 15 GB of the host's.
        let apu = device(
            true,
            &[256 * MIB, 15 * GIB, 256 * MIB],
            &[
                (0, LOCAL),
                (1, VISIBLE | COHERENT),
                (2, LOCAL | VISIBLE | COHERENT),
                (1, VISIBLE | COHERENT | CACHED),
                (
                    2,
                    LOCAL
                        | VISIBLE
                        | COHERENT
                        | Flags::DEVICE_COHERENT_AMD
                        | Flags::DEVICE_UNCACHED_AMD,
                ),
            ],
        );
        assert_eq!(ranked(&apu, MemoryKind::Device), [2, 0, 3, 1]);
        assert_eq!(ranked(&apu, MemoryKind::Upload), [1, 3, 2]);
        assert_eq!(ranked(&apu, MemoryKind::Readback), [3, 1, 2]);
        let info = apu.info();
        assert_eq!(info.global_bytes, 15 * GIB + 512 * MIB);
        assert_eq!(info.largest_heap_bytes, 15 * GIB);
        assert_eq!(info.device_local_bytes, 256 * MIB);
        assert!(info.unified && !info.rebar);
        // Only types that the buffer allows are returned.
        assert_eq!(apu.ranked(0b01001, MemoryKind::Device, false).to_vec(), [0, 3]);
    }

    #[test]
    fn heaps_of_several_types_count_once() {
        // RADV on an APU: two thirds of the memory count as the device's.
        let apu = device(
            true,
            &[5 * GIB, 10 * GIB],
            &[
                (1, LOCAL),
                (0, VISIBLE | COHERENT),
                (1, LOCAL | VISIBLE | COHERENT),
                (0, VISIBLE | COHERENT | CACHED),
            ],
        );
        assert_eq!(ranked(&apu, MemoryKind::Device), [2, 0, 3, 1]);
        assert_eq!(apu.info().global_bytes, 15 * GIB);
        assert_eq!(apu.info().largest_heap_bytes, 10 * GIB);
    }

    #[test]
    fn cached_memory_is_preferred_on_arm_gpus() {
        // Mali: one heap; coherent uncached memory first, cached memory without coherency after it.
        let mali = device(
            true,
            &[8 * GIB],
            &[
                (0, LOCAL | VISIBLE | COHERENT),
                (0, LOCAL | VISIBLE | CACHED),
                (0, LOCAL | Flags::LAZILY_ALLOCATED),
                (0, LOCAL | Flags::PROTECTED),
            ],
        );
        assert_eq!(ranked(&mali, MemoryKind::Device), [1, 0]);
        assert_eq!(ranked(&mali, MemoryKind::Upload), [0]);
        assert_eq!(ranked(&mali, MemoryKind::Readback), [1, 0]);
        assert_eq!(mali.info().global_bytes, 8 * GIB);
        // Cached memory that is also coherent is the best.
        let coherent = device(
            true,
            &[8 * GIB],
            &[
                (0, LOCAL | VISIBLE | COHERENT),
                (0, LOCAL | VISIBLE | CACHED),
                (0, LOCAL | VISIBLE | COHERENT | CACHED),
            ],
        );
        assert_eq!(ranked(&coherent, MemoryKind::Device), [2, 1, 0]);
        assert_eq!(ranked(&coherent, MemoryKind::Readback), [2, 1, 0]);
    }

    #[test]
    fn one_heap_is_all_there_is_on_intel_igpus_and_lavapipe() {
        let intel = device(
            true,
            &[24 * GIB],
            &[(0, LOCAL | VISIBLE | COHERENT | CACHED), (0, LOCAL | VISIBLE | COHERENT)],
        );
        assert_eq!(ranked(&intel, MemoryKind::Device), [0, 1]);
        assert_eq!(ranked(&intel, MemoryKind::Upload), [1, 0]);
        assert_eq!(intel.info().global_bytes, 24 * GIB);
        let lavapipe = device(true, &[8 * GIB], &[(0, LOCAL | VISIBLE | COHERENT | CACHED)]);
        for kind in [MemoryKind::Device, MemoryKind::Upload, MemoryKind::Readback] {
            assert_eq!(ranked(&lavapipe, kind), [0]);
        }
        let info = lavapipe.info();
        assert_eq!((info.global_bytes, info.largest_heap_bytes), (8 * GIB, 8 * GIB));
        assert!(info.unified);
    }

    #[test]
    fn discrete_devices_use_their_own_memory() {
        // NVIDIA: without resizable BAR the host maps a window of 246 MB of the memory, with it all of the memory.
        let types = |window: u32| {
            [
                (1, Flags::empty()),
                (0, LOCAL),
                (1, VISIBLE | COHERENT),
                (1, VISIBLE | COHERENT | CACHED),
                (window, LOCAL | VISIBLE | COHERENT),
            ]
        };
        let small = device(false, &[8 * GIB, 32 * GIB, 246 * MIB], &types(2));
        assert_eq!(ranked(&small, MemoryKind::Device), [1, 4]);
        assert_eq!(ranked(&small, MemoryKind::Upload), [2, 3, 4]);
        assert_eq!(ranked(&small, MemoryKind::Readback), [3, 2, 4]);
        let info = small.info();
        assert_eq!((info.global_bytes, info.largest_heap_bytes), (8 * GIB, 8 * GIB));
        assert!(!info.unified && !info.rebar);
        let whole = device(false, &[8 * GIB, 32 * GIB], &types(0));
        assert!(whole.info().rebar);
        assert_eq!(ranked(&whole, MemoryKind::Device), [4, 1]);
        assert_eq!(whole.ranked(u32::MAX, MemoryKind::Device, false).to_vec(), [1, 4]);
        assert_eq!(whole.info().global_bytes, 8 * GIB);
    }
}
