//! The capabilities of a device: queried, and all enabled when it is opened.

use std::ffi::CStr;

use ash::{amd, ext, khr, vk};

use crate::config::{self, Validation};
use crate::physical::bfloat16::Bfloat16Features;
use crate::physical::dot_products::DotProducts;
use crate::physical::extensions::Extensions;
use crate::physical::external::{External, MemoryHandles};

bitflags::bitflags! {
    /// Groups of subgroup operations that compute shaders may use.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub struct SubgroupOps: u32 {
        /// Elect, barrier.
        const BASIC = 1;
        /// Votes: any, all, all equal.
        const VOTE = 2;
        /// Reductions and scans.
        const ARITHMETIC = 4;
        /// Ballot and broadcast.
        const BALLOT = 8;
        /// Shuffle, shuffle xor.
        const SHUFFLE = 16;
        /// Shuffle up and down.
        const SHUFFLE_RELATIVE = 32;
        /// Clustered reductions.
        const CLUSTERED = 64;
        /// Quad operations.
        const QUAD = 128;
    }
}

/// For which bit widths a float control can be chosen independently of the others
/// (VkShaderFloatControlsIndependence).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Independence {
    /// The mode of 32 bits is independent of the others.
    Float32Only,
    /// Each width has a mode of its own.
    All,
    /// All widths must have the same mode.
    #[default]
    None,
}

impl Independence {
    pub(crate) fn from_vk(i: vk::ShaderFloatControlsIndependence) -> Independence {
        match i {
            vk::ShaderFloatControlsIndependence::ALL => Independence::All,
            vk::ShaderFloatControlsIndependence::TYPE_32_ONLY => Independence::Float32Only,
            _ => Independence::None,
        }
    }
}

/// Capabilities of a device. [`crate::Device::open`] enables those that are true.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features {
    /// bufferDeviceAddress.
    pub buffer_device_address: bool,
    /// timelineSemaphore.
    pub timeline_semaphore: bool,
    /// shaderInt64.
    pub int64: bool,
    /// shaderInt16.
    pub int16: bool,
    /// shaderInt8.
    pub int8: bool,
    /// shaderFloat64.
    pub float64: bool,
    /// shaderFloat16, if the device has shaderInt16 too: kernels access the bits of a half as a 16-bit integer.
    pub float16: bool,
    /// storageBuffer8BitAccess.
    pub storage8: bool,
    /// storageBuffer16BitAccess.
    pub storage16: bool,
    /// uniformAndStorageBuffer8BitAccess.
    pub uniform_storage8: bool,
    /// uniformAndStorageBuffer16BitAccess.
    pub uniform_storage16: bool,
    /// storagePushConstant8.
    pub push_constant8: bool,
    /// storagePushConstant16.
    pub push_constant16: bool,
    /// shaderBufferInt64Atomics.
    pub atomic_int64_buffer: bool,
    /// shaderSharedInt64Atomics.
    pub atomic_int64_shared: bool,
    /// VK_EXT_shader_atomic_float: shaderBufferFloat32Atomics (load, store, exchange).
    pub atomic_float32_buffer: bool,
    /// shaderBufferFloat32AtomicAdd.
    pub atomic_float32_buffer_add: bool,
    /// shaderSharedFloat32Atomics (load, store, exchange).
    pub atomic_float32_shared: bool,
    /// shaderSharedFloat32AtomicAdd.
    pub atomic_float32_shared_add: bool,
    /// shaderBufferFloat64Atomics (load, store, exchange).
    pub atomic_float64_buffer: bool,
    /// shaderBufferFloat64AtomicAdd.
    pub atomic_float64_buffer_add: bool,
    /// shaderSharedFloat64Atomics (load, store, exchange).
    pub atomic_float64_shared: bool,
    /// shaderSharedFloat64AtomicAdd.
    pub atomic_float64_shared_add: bool,
    /// VK_EXT_shader_atomic_float2: shaderBufferFloat32AtomicMinMax.
    pub atomic_float32_buffer_min_max: bool,
    /// shaderSharedFloat32AtomicMinMax.
    pub atomic_float32_shared_min_max: bool,
    /// shaderBufferFloat64AtomicMinMax.
    pub atomic_float64_buffer_min_max: bool,
    /// shaderSharedFloat64AtomicMinMax.
    pub atomic_float64_shared_min_max: bool,
    /// shaderIntegerDotProduct (Vulkan 1.3 or VK_KHR_shader_integer_dot_product).
    pub integer_dot_product: bool,
    /// Which dot products of 8-bit numbers packed in a word are accelerated.
    pub accelerated_dot_products: DotProducts,
    /// cooperativeMatrix (VK_KHR_cooperative_matrix), in compute shaders.
    pub cooperative_matrix: bool,
    /// shaderBFloat16Type and shaderBFloat16CooperativeMatrix (VK_KHR_shader_bfloat16).
    pub bfloat16_matrix: bool,
    /// shaderSubgroupClock (VK_KHR_shader_clock).
    pub subgroup_clock: bool,
    /// shaderDeviceClock.
    pub device_clock: bool,
    /// VK_KHR_workgroup_memory_explicit_layout: workgroupMemoryExplicitLayout.
    pub workgroup_explicit_layout: bool,
    /// workgroupMemoryExplicitLayoutScalarBlockLayout.
    pub workgroup_explicit_layout_scalar: bool,
    /// workgroupMemoryExplicitLayout8BitAccess.
    pub workgroup_explicit_layout_8: bool,
    /// workgroupMemoryExplicitLayout16BitAccess.
    pub workgroup_explicit_layout_16: bool,
    /// vulkanMemoryModel.
    pub vulkan_memory_model: bool,
    /// vulkanMemoryModelDeviceScope.
    pub vulkan_memory_model_device_scope: bool,
    /// scalarBlockLayout.
    pub scalar_block_layout: bool,
    /// variablePointersStorageBuffer.
    pub variable_pointers_storage_buffer: bool,
    /// variablePointers.
    pub variable_pointers: bool,
    /// shaderSubgroupExtendedTypes.
    pub subgroup_extended_types: bool,
    /// shaderStorageImageReadWithoutFormat.
    pub storage_image_read_without_format: bool,
    /// shaderStorageImageWriteWithoutFormat.
    pub storage_image_write_without_format: bool,
    /// Descriptor indexing as images need it: arrays of images, texel buffers and samplers that are indexed with
    /// uniform values, partially bound and written while bound.
    pub descriptor_indexing: bool,
    /// hostQueryReset.
    pub host_query_reset: bool,
    /// sparseBinding, and a queue that binds sparse memory: several allocations may be bound to one buffer.
    pub sparse_binding: bool,
    /// maintenance4 (Vulkan 1.3 or VK_KHR_maintenance4); LocalSizeId may be used.
    pub maintenance4: bool,
    /// VK_AMD_buffer_marker.
    pub buffer_marker: bool,
    /// VK_EXT_external_memory_host, and buffers can be imported through it.
    pub external_memory_host: bool,
    /// Memory and semaphores shared by file descriptor.
    pub external: External,
    /// Vulkan 1.3 or VK_EXT_pipeline_creation_feedback: the driver reports whether a pipeline was in its cache.
    pub pipeline_creation_feedback: bool,
    /// pipelineCreationCacheControl (Vulkan 1.3 or VK_EXT_pipeline_creation_cache_control): a pipeline may be created
    /// from its cache or not at all.
    pub pipeline_creation_cache_control: bool,
    /// pipelineExecutableInfo (VK_KHR_pipeline_executable_properties): the driver reports a pipeline's registers and the like.
    pub pipeline_executable_info: bool,
    /// deviceFault (VK_EXT_device_fault): the driver reports details of the loss of a device.
    pub device_fault: bool,
    /// VK_EXT_calibrated_timestamps or its KHR form.
    pub calibrated_timestamps: bool,

    /// SignedZeroInfNanPreserve for 16 bits.
    pub preserve_signed_zero_inf_nan_16: bool,
    /// SignedZeroInfNanPreserve for 32 bits.
    pub preserve_signed_zero_inf_nan_32: bool,
    /// SignedZeroInfNanPreserve for 64 bits.
    pub preserve_signed_zero_inf_nan_64: bool,
    /// DenormPreserve for 16 bits.
    pub denorm_preserve_16: bool,
    /// DenormPreserve for 32 bits.
    pub denorm_preserve_32: bool,
    /// DenormPreserve for 64 bits.
    pub denorm_preserve_64: bool,
    /// DenormFlushToZero for 32 bits.
    pub denorm_flush_to_zero_32: bool,
    /// RoundingModeRTE for 16 bits.
    pub rounding_rte_16: bool,
    /// RoundingModeRTE for 32 bits.
    pub rounding_rte_32: bool,
    /// RoundingModeRTE for 64 bits.
    pub rounding_rte_64: bool,
    /// RoundingModeRTZ for 32 bits.
    pub rounding_rtz_32: bool,
    /// denormBehaviorIndependence.
    pub denorm_independence: Independence,
    /// roundingModeIndependence.
    pub rounding_independence: Independence,

    /// The number of invocations in a subgroup.
    pub subgroup_size: u32,
    /// Least and most invocations of a subgroup; both `subgroup_size` without subgroup size control.
    pub subgroup_size_range: [u32; 2],
    /// Subgroup operations in compute shaders.
    pub subgroup_ops: SubgroupOps,
    /// subgroupSizeControl (Vulkan 1.3 or VK_EXT_subgroup_size_control), in compute shaders.
    pub subgroup_size_control: bool,
    /// The most subgroups in a work-group of a pipeline that asks for a subgroup size.
    pub max_workgroup_subgroups: u32,
    /// subgroupBroadcastDynamicId.
    pub subgroup_broadcast_dynamic_id: bool,
    /// shaderMaximalReconvergence.
    pub maximal_reconvergence: bool,
    /// shaderSubgroupUniformControlFlow.
    pub subgroup_uniform_control_flow: bool,
    /// computeFullSubgroups.
    pub compute_full_subgroups: bool,

    /// Vulkan 1.3 or VK_KHR_shader_non_semantic_info: modules may have instructions that have no meaning to the device.
    pub non_semantic_info: bool,
    /// Highest SPIR-V version that the device accepts, as 0x00MMmm00: 1.5 for Vulkan 1.2, 1.6 for 1.3.
    pub spirv_version: u32,
}

/// Returns the extensions to enable on a device of core version `api_version` that offers `offered` and has
/// the features `f`.
pub(crate) fn extensions_to_enable(
    offered: &Extensions,
    api_version: u32,
    f: &Features,
) -> Vec<&'static CStr> {
    let before_1_3 = api_version < vk::API_VERSION_1_3;
    let dma_buf = MemoryHandles::DMA_BUF;
    let ext_clock = offered.has(ext::calibrated_timestamps::NAME);
    let table = [
        (amd::buffer_marker::NAME, f.buffer_marker),
        (ext::external_memory_host::NAME, f.external_memory_host),
        (khr::external_memory_fd::NAME, !f.external.memory_import.is_empty()),
        (ext::external_memory_dma_buf::NAME, f.external.memory_import.contains(dma_buf)),
        (ext::image_drm_format_modifier::NAME, f.external.modifiers),
        (khr::external_semaphore_fd::NAME, f.external.has_semaphores()),
        (khr::workgroup_memory_explicit_layout::NAME, f.workgroup_explicit_layout),
        (ext::shader_atomic_float::NAME, true),
        (ext::shader_atomic_float2::NAME, true),
        (khr::shader_integer_dot_product::NAME, before_1_3 && f.integer_dot_product),
        (khr::shader_non_semantic_info::NAME, before_1_3),
        (khr::cooperative_matrix::NAME, f.cooperative_matrix),
        (Bfloat16Features::EXTENSION, f.bfloat16_matrix),
        (khr::shader_clock::NAME, f.subgroup_clock || f.device_clock),
        (ext::subgroup_size_control::NAME, before_1_3),
        (khr::shader_maximal_reconvergence::NAME, f.maximal_reconvergence),
        (khr::shader_subgroup_uniform_control_flow::NAME, f.subgroup_uniform_control_flow),
        (khr::maintenance4::NAME, before_1_3 && f.maintenance4),
        (ext::pipeline_creation_feedback::NAME, before_1_3 && f.pipeline_creation_feedback),
        (ext::pipeline_creation_cache_control::NAME, before_1_3),
        (khr::pipeline_executable_properties::NAME, f.pipeline_executable_info),
        (ext::device_fault::NAME, f.device_fault),
        (ext::calibrated_timestamps::NAME, f.calibrated_timestamps),
        (khr::calibrated_timestamps::NAME, f.calibrated_timestamps && !ext_clock),
        // This extension must be enabled where it is offered.
        (c"VK_KHR_portability_subset", true),
    ];
    table.into_iter().filter(|(name, on)| *on && offered.has(name)).map(|(name, _)| name).collect()
}

/// The feature structures that are queried and enabled. Only those that the device knows are linked.
#[derive(Clone, Default)]
pub(crate) struct FeatureChain {
    pub(crate) core: vk::PhysicalDeviceFeatures,
    pub(super) v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub(super) v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub(super) maintenance4: Option<vk::PhysicalDeviceMaintenance4Features<'static>>,
    pub(super) subgroup: Option<vk::PhysicalDeviceSubgroupSizeControlFeatures<'static>>,
    pub(super) maximal: Option<vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>>,
    pub(super) uniform:
        Option<vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>>,
    pub(super) workgroup:
        Option<vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>>,
    pub(super) atomic_float: Option<vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>>,
    pub(super) atomic_float2: Option<vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>>,
    pub(super) dot_product: Option<vk::PhysicalDeviceShaderIntegerDotProductFeatures<'static>>,
    pub(super) matrix: Option<vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>>,
    pub(super) bfloat16: Option<Bfloat16Features>,
    pub(super) clock: Option<vk::PhysicalDeviceShaderClockFeaturesKHR<'static>>,
    pub(super) cache_control:
        Option<vk::PhysicalDevicePipelineCreationCacheControlFeatures<'static>>,
    pub(super) executables:
        Option<vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'static>>,
    pub(super) fault: Option<vk::PhysicalDeviceFaultFeaturesEXT<'static>>,
}

impl FeatureChain {
    /// Makes a chain of the structures that a device knows, with all features off.
    pub(crate) fn new(api_version: u32, extensions: &Extensions) -> FeatureChain {
        let v13 = api_version >= vk::API_VERSION_1_3;
        let mut chain = FeatureChain::default();
        if v13 || extensions.has(khr::maintenance4::NAME) {
            chain.maintenance4 = Some(Default::default());
        }
        if v13 || extensions.has(ext::subgroup_size_control::NAME) {
            chain.subgroup = Some(Default::default());
        }
        // Validation layers may be older than the extension, and take unknown structures for errors.
        let is_validated = config::validation() != Validation::Off;
        if extensions.has(khr::shader_maximal_reconvergence::NAME) && !is_validated {
            chain.maximal = Some(Default::default());
        }
        if extensions.has(khr::shader_subgroup_uniform_control_flow::NAME) {
            chain.uniform = Some(Default::default());
        }
        if extensions.has(khr::workgroup_memory_explicit_layout::NAME) {
            chain.workgroup = Some(Default::default());
        }
        if extensions.has(ext::shader_atomic_float::NAME) {
            chain.atomic_float = Some(Default::default());
        }
        if extensions.has(ext::shader_atomic_float2::NAME) {
            chain.atomic_float2 = Some(Default::default());
        }
        if v13 || extensions.has(khr::shader_integer_dot_product::NAME) {
            chain.dot_product = Some(Default::default());
        }
        if extensions.has(khr::cooperative_matrix::NAME) {
            chain.matrix = Some(Default::default());
        }
        if extensions.has(Bfloat16Features::EXTENSION) && !is_validated {
            chain.bfloat16 = Some(Default::default());
        }
        if extensions.has(khr::shader_clock::NAME) {
            chain.clock = Some(Default::default());
        }
        if v13 || extensions.has(ext::pipeline_creation_cache_control::NAME) {
            chain.cache_control = Some(Default::default());
        }
        if extensions.has(khr::pipeline_executable_properties::NAME) {
            chain.executables = Some(Default::default());
        }
        if extensions.has(ext::device_fault::NAME) {
            chain.fault = Some(Default::default());
        }
        chain
    }

    /// Links the structures. Must be called once on a chain; the borrow keeps it from moving while the result
    /// is in use.
    pub(crate) fn link(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut head = vk::PhysicalDeviceFeatures2::default()
            .features(self.core)
            .push_next(&mut self.v11)
            .push_next(&mut self.v12);
        if let Some(s) = &mut self.maintenance4 {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.subgroup {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.maximal {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.uniform {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.workgroup {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.atomic_float {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.atomic_float2 {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.dot_product {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.matrix {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.bfloat16 {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.clock {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.cache_control {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.executables {
            head = head.push_next(s);
        }
        if let Some(s) = &mut self.fault {
            head = head.push_next(s);
        }
        head
    }

    /// Reads the features from the chain after a query.
    pub(crate) fn read(&self) -> Features {
        let on = |b: vk::Bool32| b == vk::TRUE;
        let mut f = Features {
            buffer_device_address: on(self.v12.buffer_device_address),
            timeline_semaphore: on(self.v12.timeline_semaphore),
            int64: on(self.core.shader_int64),
            int16: on(self.core.shader_int16),
            int8: on(self.v12.shader_int8),
            float64: on(self.core.shader_float64),
            float16: on(self.v12.shader_float16) && on(self.core.shader_int16),
            storage8: on(self.v12.storage_buffer8_bit_access),
            storage16: on(self.v11.storage_buffer16_bit_access),
            uniform_storage8: on(self.v12.uniform_and_storage_buffer8_bit_access),
            uniform_storage16: on(self.v11.uniform_and_storage_buffer16_bit_access),
            push_constant8: on(self.v12.storage_push_constant8),
            push_constant16: on(self.v11.storage_push_constant16),
            atomic_int64_buffer: on(self.v12.shader_buffer_int64_atomics),
            atomic_int64_shared: on(self.v12.shader_shared_int64_atomics),
            vulkan_memory_model: on(self.v12.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(self.v12.vulkan_memory_model_device_scope),
            scalar_block_layout: on(self.v12.scalar_block_layout),
            variable_pointers_storage_buffer: on(self.v11.variable_pointers_storage_buffer),
            variable_pointers: on(self.v11.variable_pointers),
            subgroup_extended_types: on(self.v12.shader_subgroup_extended_types),
            subgroup_broadcast_dynamic_id: on(self.v12.subgroup_broadcast_dynamic_id),
            storage_image_read_without_format: on(self
                .core
                .shader_storage_image_read_without_format),
            storage_image_write_without_format: on(self
                .core
                .shader_storage_image_write_without_format),
            descriptor_indexing: self.clone().descriptor_indexing_mut().iter().all(|f| on(**f)),
            host_query_reset: on(self.v12.host_query_reset),
            sparse_binding: on(self.core.sparse_binding),
            ..Features::default()
        };
        self.read_extensions(&mut f);
        f
    }

    /// Returns the features that make up [`Features::descriptor_indexing`].
    fn descriptor_indexing_mut(&mut self) -> [&mut vk::Bool32; 12] {
        let (core, v12) = (&mut self.core, &mut self.v12);
        [
            &mut core.shader_sampled_image_array_dynamic_indexing,
            &mut core.shader_storage_image_array_dynamic_indexing,
            &mut v12.shader_uniform_texel_buffer_array_dynamic_indexing,
            &mut v12.shader_storage_texel_buffer_array_dynamic_indexing,
            &mut v12.descriptor_binding_sampled_image_update_after_bind,
            &mut v12.descriptor_binding_storage_image_update_after_bind,
            &mut v12.descriptor_binding_uniform_texel_buffer_update_after_bind,
            &mut v12.descriptor_binding_storage_texel_buffer_update_after_bind,
            &mut v12.descriptor_binding_update_unused_while_pending,
            &mut v12.descriptor_binding_partially_bound,
            &mut v12.runtime_descriptor_array,
            &mut v12.descriptor_indexing,
        ]
    }

    fn read_extensions(&self, f: &mut Features) {
        let on = |b: vk::Bool32| b == vk::TRUE;
        f.maintenance4 = self.maintenance4.as_ref().is_some_and(|s| on(s.maintenance4));
        f.pipeline_creation_cache_control =
            self.cache_control.as_ref().is_some_and(|s| on(s.pipeline_creation_cache_control));
        f.pipeline_executable_info =
            self.executables.as_ref().is_some_and(|s| on(s.pipeline_executable_info));
        f.device_fault = self.fault.as_ref().is_some_and(|s| on(s.device_fault));
        if let Some(s) = &self.maximal {
            f.maximal_reconvergence = on(s.shader_maximal_reconvergence);
        }
        if let Some(s) = &self.uniform {
            f.subgroup_uniform_control_flow = on(s.shader_subgroup_uniform_control_flow);
        }
        if let Some(s) = &self.subgroup {
            f.subgroup_size_control = on(s.subgroup_size_control);
            f.compute_full_subgroups = on(s.compute_full_subgroups);
        }
        if let Some(s) = &self.workgroup {
            f.workgroup_explicit_layout = on(s.workgroup_memory_explicit_layout);
            f.workgroup_explicit_layout_scalar =
                on(s.workgroup_memory_explicit_layout_scalar_block_layout);
            f.workgroup_explicit_layout_8 = on(s.workgroup_memory_explicit_layout8_bit_access);
            f.workgroup_explicit_layout_16 = on(s.workgroup_memory_explicit_layout16_bit_access);
        }
        if let Some(s) = &self.atomic_float {
            f.atomic_float32_buffer = on(s.shader_buffer_float32_atomics);
            f.atomic_float32_buffer_add = on(s.shader_buffer_float32_atomic_add);
            f.atomic_float32_shared = on(s.shader_shared_float32_atomics);
            f.atomic_float32_shared_add = on(s.shader_shared_float32_atomic_add);
            f.atomic_float64_buffer = on(s.shader_buffer_float64_atomics);
            f.atomic_float64_buffer_add = on(s.shader_buffer_float64_atomic_add);
            f.atomic_float64_shared = on(s.shader_shared_float64_atomics);
            f.atomic_float64_shared_add = on(s.shader_shared_float64_atomic_add);
        }
        if let Some(s) = &self.atomic_float2 {
            f.atomic_float32_buffer_min_max = on(s.shader_buffer_float32_atomic_min_max);
            f.atomic_float32_shared_min_max = on(s.shader_shared_float32_atomic_min_max);
            f.atomic_float64_buffer_min_max = on(s.shader_buffer_float64_atomic_min_max);
            f.atomic_float64_shared_min_max = on(s.shader_shared_float64_atomic_min_max);
        }
        f.integer_dot_product =
            self.dot_product.as_ref().is_some_and(|s| on(s.shader_integer_dot_product));
        f.cooperative_matrix = self.matrix.as_ref().is_some_and(|s| on(s.cooperative_matrix));
        let has_bfloat16 = |s: &Bfloat16Features| on(s.types) && on(s.matrices);
        f.bfloat16_matrix =
            f.cooperative_matrix && self.bfloat16.as_ref().is_some_and(has_bfloat16);
        if let Some(s) = &self.clock {
            f.subgroup_clock = on(s.shader_subgroup_clock);
            f.device_clock = on(s.shader_device_clock);
        }
    }

    /// Turns on the features in `f`: the inverse of [`FeatureChain::read`].
    pub(crate) fn enable(&mut self, f: &Features) {
        let b = |on: bool| on as vk::Bool32;
        self.core.shader_int64 = b(f.int64);
        self.core.shader_int16 = b(f.int16);
        self.core.shader_float64 = b(f.float64);
        self.core.sparse_binding = b(f.sparse_binding);
        self.core.shader_storage_image_read_without_format = b(f.storage_image_read_without_format);
        self.core.shader_storage_image_write_without_format =
            b(f.storage_image_write_without_format);
        self.v11.storage_buffer16_bit_access = b(f.storage16);
        self.v11.uniform_and_storage_buffer16_bit_access = b(f.uniform_storage16);
        self.v11.storage_push_constant16 = b(f.push_constant16);
        self.v11.variable_pointers_storage_buffer = b(f.variable_pointers_storage_buffer);
        self.v11.variable_pointers = b(f.variable_pointers);
        self.v12.buffer_device_address = b(f.buffer_device_address);
        self.v12.timeline_semaphore = b(f.timeline_semaphore);
        self.v12.shader_int8 = b(f.int8);
        self.v12.shader_float16 = b(f.float16);
        self.v12.storage_buffer8_bit_access = b(f.storage8);
        self.v12.uniform_and_storage_buffer8_bit_access = b(f.uniform_storage8);
        self.v12.storage_push_constant8 = b(f.push_constant8);
        self.v12.shader_buffer_int64_atomics = b(f.atomic_int64_buffer);
        self.v12.shader_shared_int64_atomics = b(f.atomic_int64_shared);
        self.v12.vulkan_memory_model = b(f.vulkan_memory_model);
        self.v12.vulkan_memory_model_device_scope = b(f.vulkan_memory_model_device_scope);
        self.v12.scalar_block_layout = b(f.scalar_block_layout);
        self.v12.shader_subgroup_extended_types = b(f.subgroup_extended_types);
        self.v12.subgroup_broadcast_dynamic_id = b(f.subgroup_broadcast_dynamic_id);
        for feature in self.descriptor_indexing_mut() {
            *feature = b(f.descriptor_indexing);
        }
        self.v12.host_query_reset = b(f.host_query_reset);
        self.enable_extensions(f);
    }

    fn enable_extensions(&mut self, f: &Features) {
        let b = |on: bool| on as vk::Bool32;
        if let Some(s) = &mut self.maintenance4 {
            s.maintenance4 = b(f.maintenance4);
        }
        if let Some(s) = &mut self.cache_control {
            s.pipeline_creation_cache_control = b(f.pipeline_creation_cache_control);
        }
        if let Some(s) = &mut self.executables {
            s.pipeline_executable_info = b(f.pipeline_executable_info);
        }
        if let Some(s) = &mut self.fault {
            s.device_fault = b(f.device_fault);
        }
        if let Some(s) = &mut self.maximal {
            s.shader_maximal_reconvergence = b(f.maximal_reconvergence);
        }
        if let Some(s) = &mut self.uniform {
            s.shader_subgroup_uniform_control_flow = b(f.subgroup_uniform_control_flow);
        }
        if let Some(s) = &mut self.subgroup {
            s.subgroup_size_control = b(f.subgroup_size_control);
            s.compute_full_subgroups = b(f.compute_full_subgroups);
        }
        if let Some(s) = &mut self.workgroup {
            s.workgroup_memory_explicit_layout = b(f.workgroup_explicit_layout);
            s.workgroup_memory_explicit_layout_scalar_block_layout =
                b(f.workgroup_explicit_layout_scalar);
            s.workgroup_memory_explicit_layout8_bit_access = b(f.workgroup_explicit_layout_8);
            s.workgroup_memory_explicit_layout16_bit_access = b(f.workgroup_explicit_layout_16);
        }
        if let Some(s) = &mut self.atomic_float {
            s.shader_buffer_float32_atomics = b(f.atomic_float32_buffer);
            s.shader_buffer_float32_atomic_add = b(f.atomic_float32_buffer_add);
            s.shader_shared_float32_atomics = b(f.atomic_float32_shared);
            s.shader_shared_float32_atomic_add = b(f.atomic_float32_shared_add);
            s.shader_buffer_float64_atomics = b(f.atomic_float64_buffer);
            s.shader_buffer_float64_atomic_add = b(f.atomic_float64_buffer_add);
            s.shader_shared_float64_atomics = b(f.atomic_float64_shared);
            s.shader_shared_float64_atomic_add = b(f.atomic_float64_shared_add);
        }
        if let Some(s) = &mut self.atomic_float2 {
            s.shader_buffer_float32_atomic_min_max = b(f.atomic_float32_buffer_min_max);
            s.shader_shared_float32_atomic_min_max = b(f.atomic_float32_shared_min_max);
            s.shader_buffer_float64_atomic_min_max = b(f.atomic_float64_buffer_min_max);
            s.shader_shared_float64_atomic_min_max = b(f.atomic_float64_shared_min_max);
        }
        if let Some(s) = &mut self.dot_product {
            s.shader_integer_dot_product = b(f.integer_dot_product);
        }
        if let Some(s) = &mut self.matrix {
            s.cooperative_matrix = b(f.cooperative_matrix);
        }
        if let Some(s) = &mut self.bfloat16 {
            (s.types, s.matrices) = (b(f.bfloat16_matrix), b(f.bfloat16_matrix));
        }
        if let Some(s) = &mut self.clock {
            s.shader_subgroup_clock = b(f.subgroup_clock);
            s.shader_device_clock = b(f.device_clock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_need_integers_of_16_bits() {
        let mut chain = FeatureChain::default();
        chain.v12.shader_float16 = vk::TRUE;
        assert!(!chain.read().float16);
        chain.core.shader_int16 = vk::TRUE;
        assert!(chain.read().float16);
    }
}
