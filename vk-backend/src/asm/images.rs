//! Images and samplers in kernels: the arrays of the device's descriptor set, and the instructions on their elements.

use super::{decoration, op, storage, KernelBuilder, Section};
use crate::device::Binding;
use crate::physical::ImageKind;

mod capability {
    pub const SAMPLED_IMAGE_ARRAY_DYNAMIC_INDEXING: u32 = 29;
    pub const STORAGE_IMAGE_ARRAY_DYNAMIC_INDEXING: u32 = 31;
    pub const SAMPLED_1D: u32 = 43;
    pub const IMAGE_1D: u32 = 44;
    pub const SAMPLED_BUFFER: u32 = 46;
    pub const IMAGE_BUFFER: u32 = 47;
    pub const STORAGE_IMAGE_READ_WITHOUT_FORMAT: u32 = 55;
    pub const STORAGE_IMAGE_WRITE_WITHOUT_FORMAT: u32 = 56;
    pub const RUNTIME_DESCRIPTOR_ARRAY: u32 = 5302;
    pub const UNIFORM_TEXEL_BUFFER_ARRAY_DYNAMIC_INDEXING: u32 = 5304;
    pub const STORAGE_TEXEL_BUFFER_ARRAY_DYNAMIC_INDEXING: u32 = 5305;
}
/// The image operand that gives the level of detail.
const LOD: u32 = 2;

/// A variable that is an array of images of one kind, or of samplers.
#[derive(Debug, Clone, Copy)]
pub struct DescriptorArray {
    variable: u32,
    element: u32,
    /// The type of a texel: four components.
    texel: u32,
}

impl KernelBuilder {
    /// Declares the images of a binding as images of a kind with texels of four `component`s, a 32-bit type.
    pub fn images(&mut self, binding: Binding, kind: ImageKind, component: u32) -> DescriptorArray {
        let (dim, arrayed) = match kind {
            ImageKind::D1 => (0, 0),
            ImageKind::D1Array => (0, 1),
            ImageKind::D2 => (1, 0),
            ImageKind::D2Array => (1, 1),
            ImageKind::D3 => (2, 0),
        };
        let is_storage = binding == Binding::StorageImage;
        self.require(capability::RUNTIME_DESCRIPTOR_ARRAY);
        if is_storage {
            self.require(capability::STORAGE_IMAGE_ARRAY_DYNAMIC_INDEXING);
        } else {
            self.require(capability::SAMPLED_IMAGE_ARRAY_DYNAMIC_INDEXING);
        }
        if dim == 0 {
            self.require(if is_storage { capability::IMAGE_1D } else { capability::SAMPLED_1D });
        }
        let sampled = if is_storage { 2 } else { 1 };
        let unknown_format = 0;
        let operands = [component, dim, 0, arrayed, 0, sampled, unknown_format];
        let element = self.declare(op::TYPE_IMAGE, &operands);
        let texel = self.vector(component, 4);
        DescriptorArray { variable: self.descriptors(binding, element), element, texel }
    }

    /// Declares the texel buffers of a binding, with texels of four `component`s, a 32-bit type.
    pub fn texel_buffers(&mut self, binding: Binding, component: u32) -> DescriptorArray {
        let is_storage = binding == Binding::StorageTexelBuffer;
        self.require(capability::RUNTIME_DESCRIPTOR_ARRAY);
        if is_storage {
            self.require(capability::STORAGE_TEXEL_BUFFER_ARRAY_DYNAMIC_INDEXING);
            self.require(capability::IMAGE_BUFFER);
        } else {
            self.require(capability::UNIFORM_TEXEL_BUFFER_ARRAY_DYNAMIC_INDEXING);
            self.require(capability::SAMPLED_BUFFER);
        }
        let (dim, sampled, unknown_format) = (5, if is_storage { 2 } else { 1 }, 0);
        let operands = [component, dim, 0, 0, 0, sampled, unknown_format];
        let element = self.declare(op::TYPE_IMAGE, &operands);
        let texel = self.vector(component, 4);
        DescriptorArray { variable: self.descriptors(binding, element), element, texel }
    }

    /// Declares the samplers.
    pub fn samplers(&mut self) -> DescriptorArray {
        self.require(capability::RUNTIME_DESCRIPTOR_ARRAY);
        self.require(capability::SAMPLED_IMAGE_ARRAY_DYNAMIC_INDEXING);
        let element = self.declare(op::TYPE_SAMPLER, &[]);
        DescriptorArray { variable: self.descriptors(Binding::Sampler, element), element, texel: 0 }
    }

    /// Returns the texel at integer coordinates of the first level of a sampled image.
    pub fn fetch(&mut self, images: DescriptorArray, slot: u32, coordinates: u32) -> u32 {
        let image = self.element(images, slot);
        let zero = self.constant(0);
        self.value(op::IMAGE_FETCH, images.texel, &[image, coordinates, LOD, zero])
    }

    /// Returns the texel at an integer coordinate of a texel buffer that is only read.
    pub fn fetch_from_buffer(&mut self, buffers: DescriptorArray, slot: u32, at: u32) -> u32 {
        let buffer = self.element(buffers, slot);
        self.value(op::IMAGE_FETCH, buffers.texel, &[buffer, at])
    }

    /// Returns what a sampler makes of the first level of a sampled image at float coordinates.
    pub fn sample(
        &mut self,
        (images, slot): (DescriptorArray, u32),
        (samplers, sampler): (DescriptorArray, u32),
        coordinates: u32,
    ) -> u32 {
        let image = self.element(images, slot);
        let sampler = self.element(samplers, sampler);
        let combined = self.declare(op::TYPE_SAMPLED_IMAGE, &[images.element]);
        let combined = self.value(op::SAMPLED_IMAGE, combined, &[image, sampler]);
        let float = self.float(32);
        let zero = self.float_constant(float, &[0]);
        let operands = [combined, coordinates, LOD, zero];
        self.value(op::IMAGE_SAMPLE_EXPLICIT_LOD, images.texel, &operands)
    }

    /// Returns the texel at integer coordinates of a storage image.
    pub fn read_image(&mut self, images: DescriptorArray, slot: u32, coordinates: u32) -> u32 {
        self.require(capability::STORAGE_IMAGE_READ_WITHOUT_FORMAT);
        let image = self.element(images, slot);
        self.value(op::IMAGE_READ, images.texel, &[image, coordinates])
    }

    /// Sets the texel at integer coordinates of a storage image or a storage texel buffer.
    pub fn write_image(
        &mut self,
        images: DescriptorArray,
        slot: u32,
        coordinates: u32,
        texel: u32,
    ) {
        self.require(capability::STORAGE_IMAGE_WRITE_WITHOUT_FORMAT);
        let image = self.element(images, slot);
        self.emit(Section::Body, op::IMAGE_WRITE, &[image, coordinates, texel]);
    }

    /// Returns the low word of a push constant.
    pub fn push_word(&mut self, number: u32) -> u32 {
        let uint = self.uint();
        let pair = self.uints(2);
        let pair = self.push_constant(number, pair);
        self.value(op::COMPOSITE_EXTRACT, uint, &[pair, 0])
    }

    /// Returns a vector of components.
    pub fn compose(&mut self, vector: u32, components: &[u32]) -> u32 {
        self.value(op::COMPOSITE_CONSTRUCT, vector, components)
    }

    /// Declares a runtime array of descriptors.
    fn descriptors(&mut self, binding: Binding, element: u32) -> u32 {
        let array = self.declare(op::TYPE_RUNTIME_ARRAY, &[element]);
        let variable = self.variable(storage::UNIFORM_CONSTANT, array);
        self.decorate(variable, &[decoration::DESCRIPTOR_SET, 0]);
        self.decorate(variable, &[decoration::BINDING, binding.number()]);
        self.interface.push(variable);
        variable
    }

    /// Returns the image or sampler in a slot.
    fn element(&mut self, array: DescriptorArray, slot: u32) -> u32 {
        let pointer = self.declare(op::TYPE_POINTER, &[storage::UNIFORM_CONSTANT, array.element]);
        let place = self.value(op::ACCESS_CHAIN, pointer, &[array.variable, slot]);
        self.value(op::LOAD, array.element, &[place])
    }
}
