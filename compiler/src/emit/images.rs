//! Images: the instructions on the elements of the arrays of descriptor set 0.
//!
//! The index is the same in all work-items, since images are arguments of the kernel.

use super::descriptor_arrays::{capability_of, dimensions, place, DescriptorArray};
use super::emitter::Emitter;
use super::error::EmitResult;
use crate::ir::{ImageView, TexelComponent, Type, Value};
use crate::kernel::binding;
use rspirv::spirv::{Capability, Decoration, ImageFormat, ImageOperands, Op, StorageClass};
use smallvec::{smallvec, SmallVec};

impl Emitter<'_> {
    /// Returns the array of images of a type.
    fn descriptor_array(&mut self, view: ImageView) -> EmitResult<&mut DescriptorArray> {
        let known = self.images.arrays.iter().position(|array| array.view == view);
        let index = match known {
            Some(index) => index,
            None => {
                let array = self.declare_images(view)?;
                self.images.arrays.push(array);
                self.images.arrays.len() - 1
            }
        };
        Ok(&mut self.images.arrays[index])
    }

    fn declare_images(&mut self, view: ImageView) -> EmitResult<DescriptorArray> {
        let (dim, is_array) = dimensions(view.dim);
        let (binding, indexing) = place(view);
        let component = match view.component {
            TexelComponent::Float => self.builder.float(32),
            TexelComponent::Int => self.builder.intern(Op::TypeInt, None, &[32, 1]),
            TexelComponent::Uint => self.builder.u32,
        };
        let builder = &mut self.builder;
        builder.require_capability(Capability::RuntimeDescriptorArray);
        builder.require_capability(indexing);
        if let Some(capability) = capability_of(dim, view.storage) {
            builder.require_capability(capability);
        }
        let sampled = if view.storage { 2 } else { 1 };
        let format = ImageFormat::Unknown as u32;
        let operands = [component, dim as u32, 0, u32::from(is_array), 0, sampled, format];
        let image = builder.intern(Op::TypeImage, None, &operands);
        let array = builder.intern(Op::TypeRuntimeArray, None, &[image]);
        let variable = builder.variable(StorageClass::UniformConstant, array);
        builder.decorate(variable, Decoration::DescriptorSet, &[0]);
        builder.decorate(variable, Decoration::Binding, &[binding]);
        let pointer = builder.pointer(StorageClass::UniformConstant, image);
        let texel = builder.vector(component, 4);
        let (is_read, is_written) = (false, false);
        Ok(DescriptorArray { view, variable, image, pointer, texel, is_read, is_written })
    }

    /// Decorates the storage images by how the module accesses them.
    pub fn decorate_images(&mut self) {
        let coherent = !self.info.ordered && self.info.uses_barrier;
        for array in self.images.arrays.iter().filter(|array| array.view.storage) {
            let decorations = [
                (!array.is_read, Decoration::NonReadable),
                (!array.is_written, Decoration::NonWritable),
                (coherent && array.is_read && array.is_written, Decoration::Coherent),
            ];
            for (_, decoration) in decorations.into_iter().filter(|(holds, _)| *holds) {
                self.builder.decorate(array.variable, decoration, &[]);
            }
        }
    }

    /// Returns the image in a slot.
    fn image(&mut self, array: DescriptorArray, slot: Value) -> EmitResult<u32> {
        let slot = self.id(slot)?;
        let place = self.op(Op::AccessChain, array.pointer, &[array.variable, slot]);
        Ok(self.op(Op::Load, array.image, &[place]))
    }

    /// Converts a texel to its type in the IR, whose integers have no sign.
    fn signless(&mut self, texel: u32, view: ImageView) -> EmitResult<u32> {
        if view.component != TexelComponent::Int {
            return Ok(texel);
        }
        let ty = self.ty(view.component.texel())?;
        Ok(self.op(Op::Bitcast, ty, &[texel]))
    }

    /// Returns the operands with which accesses to storage images make written texels visible to other
    /// work-items.
    fn shared_texel(&self) -> SmallVec<[u32; 1]> {
        match self.info.ordered {
            true => smallvec![ImageOperands::NON_PRIVATE_TEXEL.bits()],
            false => SmallVec::new(),
        }
    }

    /// ImageFetch.
    pub fn image_fetch(
        &mut self,
        view: ImageView,
        slot: Value,
        coords: Value,
        level: Value,
    ) -> EmitResult<u32> {
        let array = *self.descriptor_array(view)?;
        let image = self.image(array, slot)?;
        let mut operands: SmallVec<[u32; 4]> = smallvec![image, self.id(coords)?];
        if !view.is_buffer() {
            operands.extend([ImageOperands::LOD.bits(), self.id(level)?]);
        }
        let texel = self.op(Op::ImageFetch, array.texel, &operands);
        self.signless(texel, view)
    }

    /// ImageSample.
    pub fn image_sample(
        &mut self,
        view: ImageView,
        slot: Value,
        sampler: Value,
        coords: Value,
    ) -> EmitResult<u32> {
        let array = *self.descriptor_array(view)?;
        let (variable, sampler_type) = self.sampler_array();
        let pointer = self.builder.pointer(StorageClass::UniformConstant, sampler_type);
        let image = self.image(array, slot)?;
        let sampler = self.id(sampler)?;
        let place = self.op(Op::AccessChain, pointer, &[variable, sampler]);
        let sampler = self.op(Op::Load, sampler_type, &[place]);
        let combined = self.builder.intern(Op::TypeSampledImage, None, &[array.image]);
        let combined = self.op(Op::SampledImage, combined, &[image, sampler]);
        let float = self.builder.float(32);
        let level = self.builder.constant(float, 32, 0);
        let operands = [combined, self.id(coords)?, ImageOperands::LOD.bits(), level];
        let texel = self.op(Op::ImageSampleExplicitLod, array.texel, &operands);
        self.signless(texel, view)
    }

    /// Returns the array of samplers, and the type of its elements.
    fn sampler_array(&mut self) -> (u32, u32) {
        let builder = &mut self.builder;
        let sampler = builder.intern(Op::TypeSampler, None, &[]);
        let variable = *self.images.samplers.get_or_insert_with(|| {
            builder.require_capability(Capability::RuntimeDescriptorArray);
            builder.require_capability(Capability::SampledImageArrayDynamicIndexing);
            let array = builder.intern(Op::TypeRuntimeArray, None, &[sampler]);
            let variable = builder.variable(StorageClass::UniformConstant, array);
            builder.decorate(variable, Decoration::DescriptorSet, &[0]);
            builder.decorate(variable, Decoration::Binding, &[binding::SAMPLER]);
            variable
        });
        (variable, sampler)
    }

    /// ImageRead.
    pub fn image_read(&mut self, view: ImageView, slot: Value, coords: Value) -> EmitResult<u32> {
        self.builder.require_capability(Capability::StorageImageReadWithoutFormat);
        let array = self.descriptor_array(view)?;
        array.is_read = true;
        let array = *array;
        let image = self.image(array, slot)?;
        let mut operands: SmallVec<[u32; 4]> = smallvec![image, self.id(coords)?];
        operands.extend(self.shared_texel());
        let texel = self.op(Op::ImageRead, array.texel, &operands);
        self.signless(texel, view)
    }

    /// ImageWrite.
    pub fn image_write(
        &mut self,
        view: ImageView,
        slot: Value,
        coords: Value,
        texel: Value,
    ) -> EmitResult<()> {
        self.builder.require_capability(Capability::StorageImageWriteWithoutFormat);
        let array = self.descriptor_array(view)?;
        array.is_written = true;
        let array = *array;
        let image = self.image(array, slot)?;
        let mut texel = self.id(texel)?;
        if view.component == TexelComponent::Int {
            texel = self.op(Op::Bitcast, array.texel, &[texel]);
        }
        let mut operands: SmallVec<[u32; 4]> = smallvec![image, self.id(coords)?, texel];
        operands.extend(self.shared_texel());
        self.op_void(Op::ImageWrite, &operands);
        Ok(())
    }

    /// ImageSize.
    pub fn image_size(&mut self, view: ImageView, slot: Value, level: Value) -> EmitResult<u32> {
        self.builder.require_capability(Capability::ImageQuery);
        let array = *self.descriptor_array(view)?;
        let image = self.image(array, slot)?;
        let ty = self.ty(view.coordinates())?;
        if view.storage || view.is_buffer() {
            return Ok(self.op(Op::ImageQuerySize, ty, &[image]));
        }
        let level = self.id(level)?;
        Ok(self.op(Op::ImageQuerySizeLod, ty, &[image, level]))
    }

    /// ImageLevels.
    pub fn image_levels(&mut self, view: ImageView, slot: Value) -> EmitResult<u32> {
        self.builder.require_capability(Capability::ImageQuery);
        let array = *self.descriptor_array(view)?;
        let image = self.image(array, slot)?;
        let ty = self.ty(Type::I32)?;
        Ok(self.op(Op::ImageQueryLevels, ty, &[image]))
    }
}
