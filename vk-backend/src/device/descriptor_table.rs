//! The descriptor set of a device: arrays of images, texel buffers and samplers that kernels index with numbers among
//! their arguments.
//!
//! A device has one set. It is bound once per command buffer and written while it is bound (descriptor indexing, Vulkan 1.2),
//! so that a launch needs no set of its own.

use ash::vk;
use parking_lot::Mutex;

use crate::device::Device;
use crate::error::Error;
use crate::physical::Limits;

/// The arrays of the set, in the order of their bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binding {
    /// Images that kernels read, through a sampler or without.
    SampledImage,
    /// Images that kernels write, or read and write.
    StorageImage,
    /// Typed views of buffers that kernels read.
    UniformTexelBuffer,
    /// Typed views of buffers that kernels write.
    StorageTexelBuffer,
    /// Samplers.
    Sampler,
}

impl Binding {
    /// All bindings, in the order of their numbers.
    pub const ALL: [Binding; 5] = [
        Binding::SampledImage,
        Binding::StorageImage,
        Binding::UniformTexelBuffer,
        Binding::StorageTexelBuffer,
        Binding::Sampler,
    ];

    /// Returns the binding's number in the module of a kernel.
    pub fn number(self) -> u32 {
        self as u32
    }

    pub(crate) fn descriptor_type(self) -> vk::DescriptorType {
        match self {
            Binding::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            Binding::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            Binding::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Binding::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Binding::Sampler => vk::DescriptorType::SAMPLER,
        }
    }

    /// Returns how many slots a device has in the binding's array.
    fn slots(self, limits: &Limits) -> u32 {
        match self {
            Binding::Sampler => limits.sampler_slots,
            _ => limits.image_slots,
        }
    }
}

/// The number of neighbouring slots that are taken together.
pub(crate) const ROW: u32 = 16;

/// The slots of one array that are not in use.
#[derive(Default)]
struct FreeSlots {
    /// Indices that were in use before, the one returned last at the end.
    returned: Vec<u32>,
    /// The first slots of rows of [`ROW`] slots that were in use before.
    returned_rows: Vec<u32>,
    /// The first slot that was never in use.
    fresh: u32,
}

/// The descriptor set, and which of its slots are in use.
pub(crate) struct DescriptorTable {
    layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    pub(crate) set: vk::DescriptorSet,
    free: [Mutex<FreeSlots>; Binding::ALL.len()],
}

impl Device {
    /// Returns the descriptor set, which the first call makes.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on devices without descriptor indexing.
    pub(crate) fn descriptor_table(&self) -> Result<&DescriptorTable, Error> {
        self.descriptor_table.get_or_try_init(|| {
            if !self.info().features.descriptor_indexing {
                return Err(Error::Unsupported("the device has no descriptor indexing".into()));
            }
            DescriptorTable::create(&self.raw, &self.info().limits, &|call, e| self.fault(call, e))
        })
    }
}

impl DescriptorTable {
    fn create(
        raw: &ash::Device,
        limits: &Limits,
        fault: &dyn Fn(&'static str, vk::Result) -> Error,
    ) -> Result<DescriptorTable, Error> {
        let layout = create_set_layout(raw, limits, fault)?;
        let mut table = DescriptorTable {
            layout,
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            free: Default::default(),
        };
        match table.allocate(raw, limits, fault) {
            Ok(()) => Ok(table),
            Err(e) => {
                table.destroy(raw);
                Err(e)
            }
        }
    }

    fn allocate(
        &mut self,
        raw: &ash::Device,
        limits: &Limits,
        fault: &dyn Fn(&'static str, vk::Result) -> Error,
    ) -> Result<(), Error> {
        let sizes = Binding::ALL.map(|binding| {
            vk::DescriptorPoolSize::default()
                .ty(binding.descriptor_type())
                .descriptor_count(binding.slots(limits))
        });
        let info = vk::DescriptorPoolCreateInfo::default()
            .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the counts are within the device's limits; `info` outlives the call.
        self.pool = unsafe { raw.create_descriptor_pool(&info, None) }
            .map_err(|e| fault("vkCreateDescriptorPool", e))?;
        let layouts = [self.layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        // SAFETY: the pool was just made for one set of this layout.
        let sets = unsafe { raw.allocate_descriptor_sets(&info) };
        self.set = sets.map_err(|e| fault("vkAllocateDescriptorSets", e))?[0];
        Ok(())
    }

    /// Returns the layout of the set.
    pub(crate) fn layout(&self) -> vk::DescriptorSetLayout {
        self.layout
    }

    /// Takes a slot of an array; `None` if all are in use.
    pub(crate) fn take(&self, binding: Binding, limits: &Limits) -> Option<u32> {
        let mut free = self.free[binding as usize].lock();
        if let Some(slot) = free.returned.pop() {
            return Some(slot);
        }
        if let Some(slot) = free.take_fresh(1, binding.slots(limits)) {
            return Some(slot);
        }
        let row = free.returned_rows.pop()?;
        free.returned.extend(row + 1..row + ROW);
        Some(row)
    }

    /// Takes [`ROW`] neighbouring slots of an array, and returns the first; `None` if no such row is free.
    pub(crate) fn take_row(&self, binding: Binding, limits: &Limits) -> Option<u32> {
        let mut free = self.free[binding as usize].lock();
        let returned = free.returned_rows.pop();
        returned.or_else(|| free.take_fresh(ROW, binding.slots(limits)))
    }

    /// Gives back a slot that nothing uses any more.
    pub(crate) fn give_back(&self, binding: Binding, slot: u32) {
        self.free[binding as usize].lock().returned.push(slot);
    }

    /// Gives back [`ROW`] slots, from a first one on, that nothing uses any more.
    pub(crate) fn give_back_row(&self, binding: Binding, first: u32) {
        self.free[binding as usize].lock().returned_rows.push(first);
    }

    /// Returns how many slots of all arrays are in use.
    pub(crate) fn used(&self) -> u32 {
        let of = |free: &Mutex<FreeSlots>| {
            let free = free.lock();
            free.fresh - free.returned.len() as u32 - free.returned_rows.len() as u32 * ROW
        };
        self.free.iter().map(of).sum()
    }

    /// Destroys the set.
    pub(crate) fn destroy(&self, raw: &ash::Device) {
        // SAFETY: no submitted work uses the set; null handles are ignored.
        unsafe {
            raw.destroy_descriptor_pool(self.pool, None);
            raw.destroy_descriptor_set_layout(self.layout, None);
        }
    }
}

impl FreeSlots {
    /// Takes `count` neighbouring slots that were never in use, and returns the first; `None` if fewer are left.
    fn take_fresh(&mut self, count: u32, slots: u32) -> Option<u32> {
        let first = self.fresh;
        (slots - first >= count).then(|| {
            self.fresh += count;
            first
        })
    }
}

/// Creates the layout of the set, on the device itself or on its compile device.
pub(crate) fn create_set_layout(
    raw: &ash::Device,
    limits: &Limits,
    fault: &dyn Fn(&'static str, vk::Result) -> Error,
) -> Result<vk::DescriptorSetLayout, Error> {
    let bindings = Binding::ALL.map(|binding| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(binding.number())
            .descriptor_type(binding.descriptor_type())
            .descriptor_count(binding.slots(limits))
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    });
    // Slots of other launches are written while a set is in use, and most are never written.
    let flags = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
        | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
        | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
    let flags = [flags; Binding::ALL.len()];
    let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
        .bindings(&bindings)
        .push_next(&mut flags);
    // SAFETY: the device has descriptor indexing; the counts are within its limits.
    unsafe { raw.create_descriptor_set_layout(&info, None) }
        .map_err(|e| fault("vkCreateDescriptorSetLayout", e))
}
