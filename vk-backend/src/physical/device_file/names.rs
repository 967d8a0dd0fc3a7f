//! The features, properties and limits that a device file may name, each by its name in Vulkan, with its field in the
//! structures that the driver fills in.

use ash::vk;

use crate::physical::features::FeatureChain;
use crate::physical::properties::Properties;

/// A feature: its name, and its field in a chain; `None` where the chain lacks the structure.
pub(super) type FeatureRow = (&'static str, fn(&mut FeatureChain) -> Option<&mut vk::Bool32>);

/// Makes a table of features: first the features of structures that every chain has, then those of other structures.
macro_rules! features {
    ({$($name:literal => $part:ident.$field:ident,)*} {$($other:literal => $maybe:ident.$of:ident,)*}) => {
        pub(super) const FEATURES: &[FeatureRow] = &[
            $(($name, |chain| Some(&mut chain.$part.$field)),)*
            $(($other, |chain| chain.$maybe.as_mut().map(|part| &mut part.$of)),)*
        ];
    };
}

features! {
    {
        "shaderInt64" => core.shader_int64,
        "shaderInt16" => core.shader_int16,
        "shaderFloat64" => core.shader_float64,
        "sparseBinding" => core.sparse_binding,
        "shaderStorageImageReadWithoutFormat" => core.shader_storage_image_read_without_format,
        "shaderStorageImageWriteWithoutFormat" => core.shader_storage_image_write_without_format,
        "shaderSampledImageArrayDynamicIndexing" => core.shader_sampled_image_array_dynamic_indexing,
        "shaderStorageImageArrayDynamicIndexing" => core.shader_storage_image_array_dynamic_indexing,
        "storageBuffer16BitAccess" => v11.storage_buffer16_bit_access,
        "uniformAndStorageBuffer16BitAccess" => v11.uniform_and_storage_buffer16_bit_access,
        "storagePushConstant16" => v11.storage_push_constant16,
        "variablePointersStorageBuffer" => v11.variable_pointers_storage_buffer,
        "variablePointers" => v11.variable_pointers,
        "bufferDeviceAddress" => v12.buffer_device_address,
        "timelineSemaphore" => v12.timeline_semaphore,
        "hostQueryReset" => v12.host_query_reset,
        "shaderInt8" => v12.shader_int8,
        "shaderFloat16" => v12.shader_float16,
        "storageBuffer8BitAccess" => v12.storage_buffer8_bit_access,
        "uniformAndStorageBuffer8BitAccess" => v12.uniform_and_storage_buffer8_bit_access,
        "storagePushConstant8" => v12.storage_push_constant8,
        "shaderBufferInt64Atomics" => v12.shader_buffer_int64_atomics,
        "shaderSharedInt64Atomics" => v12.shader_shared_int64_atomics,
        "vulkanMemoryModel" => v12.vulkan_memory_model,
        "vulkanMemoryModelDeviceScope" => v12.vulkan_memory_model_device_scope,
        "scalarBlockLayout" => v12.scalar_block_layout,
        "shaderSubgroupExtendedTypes" => v12.shader_subgroup_extended_types,
        "subgroupBroadcastDynamicId" => v12.subgroup_broadcast_dynamic_id,
        "descriptorIndexing" => v12.descriptor_indexing,
        "runtimeDescriptorArray" => v12.runtime_descriptor_array,
        "shaderUniformTexelBufferArrayDynamicIndexing" =>
            v12.shader_uniform_texel_buffer_array_dynamic_indexing,
        "shaderStorageTexelBufferArrayDynamicIndexing" =>
            v12.shader_storage_texel_buffer_array_dynamic_indexing,
        "descriptorBindingSampledImageUpdateAfterBind" =>
            v12.descriptor_binding_sampled_image_update_after_bind,
        "descriptorBindingStorageImageUpdateAfterBind" =>
            v12.descriptor_binding_storage_image_update_after_bind,
        "descriptorBindingUniformTexelBufferUpdateAfterBind" =>
            v12.descriptor_binding_uniform_texel_buffer_update_after_bind,
        "descriptorBindingStorageTexelBufferUpdateAfterBind" =>
            v12.descriptor_binding_storage_texel_buffer_update_after_bind,
        "descriptorBindingUpdateUnusedWhilePending" =>
            v12.descriptor_binding_update_unused_while_pending,
        "descriptorBindingPartiallyBound" => v12.descriptor_binding_partially_bound,
    }
    {
        "maintenance4" => maintenance4.maintenance4,
        "subgroupSizeControl" => subgroup.subgroup_size_control,
        "computeFullSubgroups" => subgroup.compute_full_subgroups,
        "shaderMaximalReconvergence" => maximal.shader_maximal_reconvergence,
        "shaderSubgroupUniformControlFlow" => uniform.shader_subgroup_uniform_control_flow,
        "workgroupMemoryExplicitLayout" => workgroup.workgroup_memory_explicit_layout,
        "workgroupMemoryExplicitLayoutScalarBlockLayout" =>
            workgroup.workgroup_memory_explicit_layout_scalar_block_layout,
        "workgroupMemoryExplicitLayout8BitAccess" =>
            workgroup.workgroup_memory_explicit_layout8_bit_access,
        "workgroupMemoryExplicitLayout16BitAccess" =>
            workgroup.workgroup_memory_explicit_layout16_bit_access,
        "shaderBufferFloat32Atomics" => atomic_float.shader_buffer_float32_atomics,
        "shaderBufferFloat32AtomicAdd" => atomic_float.shader_buffer_float32_atomic_add,
        "shaderBufferFloat64Atomics" => atomic_float.shader_buffer_float64_atomics,
        "shaderBufferFloat64AtomicAdd" => atomic_float.shader_buffer_float64_atomic_add,
        "shaderSharedFloat32Atomics" => atomic_float.shader_shared_float32_atomics,
        "shaderSharedFloat32AtomicAdd" => atomic_float.shader_shared_float32_atomic_add,
        "shaderSharedFloat64Atomics" => atomic_float.shader_shared_float64_atomics,
        "shaderSharedFloat64AtomicAdd" => atomic_float.shader_shared_float64_atomic_add,
        "shaderBufferFloat32AtomicMinMax" => atomic_float2.shader_buffer_float32_atomic_min_max,
        "shaderBufferFloat64AtomicMinMax" => atomic_float2.shader_buffer_float64_atomic_min_max,
        "shaderSharedFloat32AtomicMinMax" => atomic_float2.shader_shared_float32_atomic_min_max,
        "shaderSharedFloat64AtomicMinMax" => atomic_float2.shader_shared_float64_atomic_min_max,
        "shaderIntegerDotProduct" => dot_product.shader_integer_dot_product,
        "cooperativeMatrix" => matrix.cooperative_matrix,
        "shaderBFloat16Type" => bfloat16.types,
        "shaderBFloat16DotProduct" => bfloat16.dot_products,
        "shaderBFloat16CooperativeMatrix" => bfloat16.matrices,
        "shaderSubgroupClock" => clock.shader_subgroup_clock,
        "shaderDeviceClock" => clock.shader_device_clock,
        "pipelineCreationCacheControl" => cache_control.pipeline_creation_cache_control,
        "pipelineExecutableInfo" => executables.pipeline_executable_info,
        "deviceFault" => fault.device_fault,
    }
}

/// A property that is true or false: its name, and its field.
pub(super) type FlagRow = (&'static str, fn(&mut Properties) -> &mut vk::Bool32);

macro_rules! flags {
    ($($name:literal => $part:ident.$field:ident,)*) => {
        pub(super) const FLAGS: &[FlagRow] = &[$(($name, |p| &mut p.$part.$field),)*];
    };
}

flags! {
    "shaderSignedZeroInfNanPreserveFloat16" => v12.shader_signed_zero_inf_nan_preserve_float16,
    "shaderSignedZeroInfNanPreserveFloat32" => v12.shader_signed_zero_inf_nan_preserve_float32,
    "shaderSignedZeroInfNanPreserveFloat64" => v12.shader_signed_zero_inf_nan_preserve_float64,
    "shaderDenormPreserveFloat16" => v12.shader_denorm_preserve_float16,
    "shaderDenormPreserveFloat32" => v12.shader_denorm_preserve_float32,
    "shaderDenormPreserveFloat64" => v12.shader_denorm_preserve_float64,
    "shaderDenormFlushToZeroFloat32" => v12.shader_denorm_flush_to_zero_float32,
    "shaderRoundingModeRTEFloat16" => v12.shader_rounding_mode_rte_float16,
    "shaderRoundingModeRTEFloat32" => v12.shader_rounding_mode_rte_float32,
    "shaderRoundingModeRTEFloat64" => v12.shader_rounding_mode_rte_float64,
    "shaderRoundingModeRTZFloat32" => v12.shader_rounding_mode_rtz_float32,
    "integerDotProduct4x8BitPackedSignedAccelerated" =>
        dot.integer_dot_product4x8_bit_packed_signed_accelerated,
    "integerDotProduct4x8BitPackedUnsignedAccelerated" =>
        dot.integer_dot_product4x8_bit_packed_unsigned_accelerated,
    "integerDotProduct4x8BitPackedMixedSignednessAccelerated" =>
        dot.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated,
    "integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated" =>
        dot.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated,
    "integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated" =>
        dot.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated,
    "integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated" =>
        dot.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated,
}

/// The field of a limit.
pub(super) enum Slot<'a> {
    U32(&'a mut u32),
    U64(&'a mut u64),
    Dimensions(&'a mut [u32; 3]),
}

/// How the limits of two devices combine to one limit that both devices keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Common {
    /// The lesser value, for a maximum.
    Least,
    /// The greater value, for an alignment.
    Greatest,
}

/// A limit: its name, the choice of the value that both devices keep, and its field.
pub(super) type LimitRow = (&'static str, Common, for<'a> fn(&'a mut Properties) -> Slot<'a>);

macro_rules! limits {
    ($($name:literal => $kind:ident $part:ident.$field:ident $common:ident,)*) => {
        pub(super) const LIMITS: &[LimitRow] = &[
            $(($name, Common::$common, |p| Slot::$kind(&mut p.$part.$field)),)*
        ];
    };
}

limits! {
    "maxComputeWorkGroupSize" => Dimensions core.max_compute_work_group_size Least,
    "maxComputeWorkGroupInvocations" => U32 core.max_compute_work_group_invocations Least,
    "maxComputeWorkGroupCount" => Dimensions core.max_compute_work_group_count Least,
    "maxComputeSharedMemorySize" => U32 core.max_compute_shared_memory_size Least,
    "maxPushConstantsSize" => U32 core.max_push_constants_size Least,
    "maxStorageBufferRange" => U32 core.max_storage_buffer_range Least,
    "maxMemoryAllocationCount" => U32 core.max_memory_allocation_count Least,
    "nonCoherentAtomSize" => U64 core.non_coherent_atom_size Greatest,
    "minStorageBufferOffsetAlignment" => U64 core.min_storage_buffer_offset_alignment Greatest,
    "minTexelBufferOffsetAlignment" => U64 core.min_texel_buffer_offset_alignment Greatest,
    "maxImageDimension1D" => U32 core.max_image_dimension1_d Least,
    "maxImageDimension2D" => U32 core.max_image_dimension2_d Least,
    "maxImageDimension3D" => U32 core.max_image_dimension3_d Least,
    "maxImageArrayLayers" => U32 core.max_image_array_layers Least,
    "maxTexelBufferElements" => U32 core.max_texel_buffer_elements Least,
    "maxPerStageDescriptorSampledImages" => U32 core.max_per_stage_descriptor_sampled_images Least,
    "maxPerStageDescriptorStorageImages" => U32 core.max_per_stage_descriptor_storage_images Least,
    "maxPerStageDescriptorSamplers" => U32 core.max_per_stage_descriptor_samplers Least,
    "sparseAddressSpaceSize" => U64 core.sparse_address_space_size Least,
    "maxMemoryAllocationSize" => U64 v11.max_memory_allocation_size Least,
    "maxDescriptorSetUpdateAfterBindSamplers" =>
        U32 v12.max_descriptor_set_update_after_bind_samplers Least,
    "maxPerStageDescriptorUpdateAfterBindSamplers" =>
        U32 v12.max_per_stage_descriptor_update_after_bind_samplers Least,
    "maxDescriptorSetUpdateAfterBindSampledImages" =>
        U32 v12.max_descriptor_set_update_after_bind_sampled_images Least,
    "maxPerStageDescriptorUpdateAfterBindSampledImages" =>
        U32 v12.max_per_stage_descriptor_update_after_bind_sampled_images Least,
    "maxDescriptorSetUpdateAfterBindStorageImages" =>
        U32 v12.max_descriptor_set_update_after_bind_storage_images Least,
    "maxPerStageDescriptorUpdateAfterBindStorageImages" =>
        U32 v12.max_per_stage_descriptor_update_after_bind_storage_images Least,
    "maxPerStageUpdateAfterBindResources" =>
        U32 v12.max_per_stage_update_after_bind_resources Least,
    "maxUpdateAfterBindDescriptorsInAllPools" =>
        U32 v12.max_update_after_bind_descriptors_in_all_pools Least,
    "maxTimelineSemaphoreValueDifference" =>
        U64 v12.max_timeline_semaphore_value_difference Least,
    "maxComputeWorkgroupSubgroups" => U32 subgroup.max_compute_workgroup_subgroups Least,
    "maxBufferSize" => U64 maintenance4.max_buffer_size Least,
}

/// The extensions that this crate uses and that are not part of Vulkan 1.2.
pub(super) const EXTENSIONS: &[&str] = &[
    "VK_AMD_buffer_marker",
    "VK_AMD_shader_core_properties",
    "VK_AMD_shader_core_properties2",
    "VK_EXT_calibrated_timestamps",
    "VK_EXT_device_fault",
    "VK_EXT_external_memory_dma_buf",
    "VK_EXT_external_memory_host",
    "VK_EXT_image_drm_format_modifier",
    "VK_EXT_pci_bus_info",
    "VK_EXT_pipeline_creation_cache_control",
    "VK_EXT_pipeline_creation_feedback",
    "VK_EXT_shader_atomic_float",
    "VK_EXT_shader_atomic_float2",
    "VK_EXT_subgroup_size_control",
    "VK_KHR_calibrated_timestamps",
    "VK_KHR_cooperative_matrix",
    "VK_KHR_external_memory_fd",
    "VK_KHR_external_semaphore_fd",
    "VK_KHR_maintenance4",
    "VK_KHR_pipeline_executable_properties",
    "VK_KHR_shader_bfloat16",
    "VK_KHR_shader_clock",
    "VK_KHR_shader_integer_dot_product",
    "VK_KHR_shader_maximal_reconvergence",
    "VK_KHR_shader_non_semantic_info",
    "VK_KHR_shader_subgroup_uniform_control_flow",
    "VK_KHR_workgroup_memory_explicit_layout",
    "VK_NV_shader_sm_builtins",
];
