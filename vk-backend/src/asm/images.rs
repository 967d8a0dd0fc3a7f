//! Images and samplers in kernels: the arrays of the device's descriptor set, and the instructions on their elements.

use super::{Capability, Decoration, KernelBuilder, Op, Section, StorageClass};
use crate::device::Binding;
use crate::physical::ImageKind;
use hekla_spirv::spirv::{Dim, ImageFormat, ImageOperands};

/// The image operand with the level of detail.
const LOD: u32 = ImageOperands::LOD.bits();

/// A variable that holds an array of images of one kind, or of samplers.
#[derive(Debug, Clone, Copy)]
pub struct DescriptorArray {
    variable: u32,
    element: u32,
    /// The type of a texel: four components.
    texel: u32,
}

impl KernelBuilder {
    /// Declares the images of a binding, of one kind, with texels of four `component`s, which is a 32-bit type.
    pub fn images(&mut self, binding: Binding, kind: ImageKind, component: u32) -> DescriptorArray {
        let (dim, arrayed) = match kind {
            ImageKind::D1 => (Dim::Dim1D, 0),
            ImageKind::D1Array => (Dim::Dim1D, 1),
            ImageKind::D2 => (Dim::Dim2D, 0),
            ImageKind::D2Array => (Dim::Dim2D, 1),
            ImageKind::D3 => (Dim::Dim3D, 0),
        };
        let is_storage = binding == Binding::StorageImage;
        self.require(Capability::RuntimeDescriptorArray);
        if is_storage {
            self.require(Capability::StorageImageArrayDynamicIndexing);
        } else {
            self.require(Capability::SampledImageArrayDynamicIndexing);
        }
        if dim == Dim::Dim1D {
            self.require(if is_storage { Capability::Image1D } else { Capability::Sampled1D });
        }
        let sampled = if is_storage { 2 } else { 1 };
        let unknown_format = ImageFormat::Unknown as u32;
        let operands = [component, dim as u32, 0, arrayed, 0, sampled, unknown_format];
        let element = self.declare(Op::TypeImage, &operands);
        let texel = self.vector(component, 4);
        DescriptorArray { variable: self.descriptors(binding, element), element, texel }
    }

    /// Declares the texel buffers of a binding, with texels of four `component`s, which is a 32-bit type.
    pub fn texel_buffers(&mut self, binding: Binding, component: u32) -> DescriptorArray {
        let is_storage = binding == Binding::StorageTexelBuffer;
        self.require(Capability::RuntimeDescriptorArray);
        if is_storage {
            self.require(Capability::StorageTexelBufferArrayDynamicIndexing);
            self.require(Capability::ImageBuffer);
        } else {
            self.require(Capability::UniformTexelBufferArrayDynamicIndexing);
            self.require(Capability::SampledBuffer);
        }
        let sampled = if is_storage { 2 } else { 1 };
        let (dim, unknown_format) = (Dim::DimBuffer as u32, ImageFormat::Unknown as u32);
        let operands = [component, dim, 0, 0, 0, sampled, unknown_format];
        let element = self.declare(Op::TypeImage, &operands);
        let texel = self.vector(component, 4);
        DescriptorArray { variable: self.descriptors(binding, element), element, texel }
    }

    /// Declares the samplers.
    pub fn samplers(&mut self) -> DescriptorArray {
        self.require(Capability::RuntimeDescriptorArray);
        self.require(Capability::SampledImageArrayDynamicIndexing);
        let element = self.declare(Op::TypeSampler, &[]);
        DescriptorArray { variable: self.descriptors(Binding::Sampler, element), element, texel: 0 }
    }

    /// Returns the texel at integer coordinates of the first level of a sampled image.
    pub fn fetch(&mut self, images: DescriptorArray, slot: u32, coordinates: u32) -> u32 {
        let image = self.element(images, slot);
        let zero = self.constant(0);
        self.value(Op::ImageFetch, images.texel, &[image, coordinates, LOD, zero])
    }

    /// Returns the texel at an integer coordinate of a texel buffer that is only read.
    pub fn fetch_from_buffer(&mut self, buffers: DescriptorArray, slot: u32, at: u32) -> u32 {
        let buffer = self.element(buffers, slot);
        self.value(Op::ImageFetch, buffers.texel, &[buffer, at])
    }

    /// Returns the texel that a sampler gives for the first level of a sampled image at float coordinates.
    pub fn sample(
        &mut self,
        (images, slot): (DescriptorArray, u32),
        (samplers, sampler): (DescriptorArray, u32),
        coordinates: u32,
    ) -> u32 {
        let image = self.element(images, slot);
        let sampler = self.element(samplers, sampler);
        let combined = self.declare(Op::TypeSampledImage, &[images.element]);
        let combined = self.value(Op::SampledImage, combined, &[image, sampler]);
        let float = self.float(32);
        let zero = self.float_constant(float, &[0]);
        let operands = [combined, coordinates, LOD, zero];
        self.value(Op::ImageSampleExplicitLod, images.texel, &operands)
    }

    /// Returns the texel at integer coordinates of a storage image.
    pub fn read_image(&mut self, images: DescriptorArray, slot: u32, coordinates: u32) -> u32 {
        self.require(Capability::StorageImageReadWithoutFormat);
        let image = self.element(images, slot);
        self.value(Op::ImageRead, images.texel, &[image, coordinates])
    }

    /// Sets the texel at integer coordinates of a storage image or a storage texel buffer.
    pub fn write_image(
        &mut self,
        images: DescriptorArray,
        slot: u32,
        coordinates: u32,
        texel: u32,
    ) {
        self.require(Capability::StorageImageWriteWithoutFormat);
        let image = self.element(images, slot);
        self.emit(Section::Body, Op::ImageWrite, &[image, coordinates, texel]);
    }

    /// Returns the low word of a push constant.
    pub fn push_word(&mut self, number: u32) -> u32 {
        let uint = self.uint();
        let pair = self.uints(2);
        let pair = self.push_constant(number, pair);
        self.value(Op::CompositeExtract, uint, &[pair, 0])
    }

    /// Returns a vector of components.
    pub fn compose(&mut self, vector: u32, components: &[u32]) -> u32 {
        self.value(Op::CompositeConstruct, vector, components)
    }

    /// Declares a runtime array of descriptors.
    fn descriptors(&mut self, binding: Binding, element: u32) -> u32 {
        let array = self.declare(Op::TypeRuntimeArray, &[element]);
        let variable = self.variable(StorageClass::UniformConstant, array);
        self.decorate(variable, &[Decoration::DescriptorSet as u32, 0]);
        self.decorate(variable, &[Decoration::Binding as u32, binding.number()]);
        self.interface.push(variable);
        variable
    }

    /// Returns the image or sampler in a slot.
    fn element(&mut self, array: DescriptorArray, slot: u32) -> u32 {
        let pointer =
            self.declare(Op::TypePointer, &[StorageClass::UniformConstant as u32, array.element]);
        let place = self.value(Op::AccessChain, pointer, &[array.variable, slot]);
        self.value(Op::Load, array.element, &[place])
    }
}
