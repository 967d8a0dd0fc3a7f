//! The description of the device that the compiler compiles for: plain data, which the runtime sets.

use crate::checks::Checks;
use crate::ir::{AtomicOp, MathOp, Scalar};
use crate::options::{ClStd, Options};
use bitflags::bitflags;
use hekla_device::{MatrixProduct, Quirks};

/// The most bytes of one variable in global memory (CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE). Vulkan devices
/// allocate at least 1 GiB in one piece.
pub const MAX_GLOBAL_VARIABLE_SIZE: u64 = 64 << 20;

/// Most work-items of a work-group, on any device: the runtime offers no larger ones.
pub const MAX_WORK_GROUP_SIZE: u32 = 1 << 16;

/// The dot products of two words of four 8-bit integers for which a device has fast instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct DotProducts {
    pub signed: bool,
    pub unsigned: bool,
    /// Products of signed and unsigned numbers.
    pub mixed: bool,
}

impl DotProducts {
    /// All kinds of products.
    pub const ALL: DotProducts = DotProducts { signed: true, unsigned: true, mixed: true };

    /// Returns true if an operation is one of these dot products.
    pub fn has(self, op: MathOp) -> bool {
        match op {
            MathOp::SDot => self.signed,
            MathOp::UDot => self.unsigned,
            MathOp::SUDot => self.mixed,
            _ => false,
        }
    }
}

/// Capabilities of a Vulkan device that decide how code is emitted. Missing ones are emulated (by legalization), or their
/// use is reported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// shaderInt64; without it 64-bit integers are pairs of 32-bit ones.
    pub int64: bool,
    /// shaderInt16; without it 16-bit arithmetic is done in 32 bits.
    pub int16: bool,
    /// shaderInt8; without it 8-bit arithmetic is done in 32 bits.
    pub int8: bool,
    /// shaderFloat64, or emulated doubles; without either `double` is reported as an error (cl_khr_fp64 is not offered).
    pub float64: bool,
    /// True if doubles are computed by integers, since the device has none ([`Target::with_soft_doubles`]).
    pub soft_float64: bool,
    /// shaderFloat16 and 16-bit storage, for half arithmetic (cl_khr_fp16). It needs `int16`, for access to the bits of
    /// halves. Functions that load and store halves do not need it.
    pub float16: bool,
    /// storageBuffer8BitAccess (loads and stores of 8 bits through device addresses).
    pub storage8: bool,
    /// storageBuffer16BitAccess.
    pub storage16: bool,
    /// scalarBlockLayout; without it vectors in device memory are accessed as a whole only if they are aligned to their
    /// size.
    pub scalar_block_layout: bool,
    /// shaderBufferInt64Atomics.
    pub atomic_int64_buffer: bool,
    /// shaderSharedInt64Atomics.
    pub atomic_int64_shared: bool,
    /// shaderIntegerDotProduct; without it dot products of integers are computed by arithmetic.
    pub integer_dot_product: bool,
    /// The dot products that are faster than arithmetic.
    pub accelerated_dot_products: DotProducts,
    /// shaderSubgroupClock and shaderDeviceClock.
    pub subgroup_clock: bool,
    pub device_clock: bool,
    /// The operations of VK_EXT_shader_atomic_float and VK_EXT_shader_atomic_float2 on global memory.
    pub float_atomics: FloatAtomics,
    /// VK_KHR_workgroup_memory_explicit_layout, with its 8-bit and 16-bit parts.
    pub workgroup_explicit_layout: bool,
    pub workgroup_explicit_layout_8: bool,
    pub workgroup_explicit_layout_16: bool,
    /// vulkanMemoryModel and vulkanMemoryModelDeviceScope.
    pub vulkan_memory_model: bool,
    /// The quirks of the driver. The passes for them are rows of [`crate::quirks`].
    pub quirks: Quirks,
    /// Bytes of the largest object, if they are fewer than 2^32 and the driver computes addresses faster from 32-bit offsets.
    /// The driver reports the number.
    pub narrow_offsets: Option<u32>,
    /// True if accesses of private and local memory must be exact even if their addresses are not aligned to their types, as
    /// with every driver for CPUs. The language leaves such accesses undefined (OpenCL C 6.3.5).
    pub exact_objects: bool,
    /// The bounds within which calls of large functions share call sites, for drivers that inline all calls and take long to
    /// compile the result. Known from the driver.
    pub call_sharing: Option<CallSharing>,
    /// True if the device's samplers find texels where no filter is asked for: they are faster than fetches (known from the
    /// driver), and find the right texels (by probe).
    pub samples_texels: bool,
    /// SignedZeroInfNanPreserve by width (VkPhysicalDeviceFloatControlsProperties).
    pub preserve_signed_zero_inf_nan_16: bool,
    pub preserve_signed_zero_inf_nan_32: bool,
    pub preserve_signed_zero_inf_nan_64: bool,
    /// DenormPreserve by width.
    pub denorm_preserve_16: bool,
    pub denorm_preserve_32: bool,
    pub denorm_preserve_64: bool,
    /// denormBehaviorIndependence: DenormPreserve of 32 bits may be left out if other widths have it.
    pub denorm_independent_32: bool,
    /// RoundingModeRTE by width.
    pub rounding_rte_16: bool,
    pub rounding_rte_32: bool,
    pub rounding_rte_64: bool,
    /// RoundingModeRTE of 32 bits is declared only in modules that divide 32-bit numbers: the device divides correctly only
    /// in this mode, but all its other operations treat denormals in the same way only without it.
    pub rounding_rte_32_to_divide: bool,
    /// The float traits that the probe found, for 16, 32 and 64 bits; [`Target::floats`] returns them by type.
    pub float_traits: [FloatTraits; 3],
    /// By probe: `c ? x : (m & 0x7fffffff) | (x & 0x80000000)` is computed correctly. Otherwise
    /// [`crate::quirks::sign_merge`] rewrites it.
    pub merges_signs: bool,
    /// By probe: GLSL.std.450 Fma is one correctly rounded operation.
    pub fma16_fused: bool,
    pub fma32_fused: bool,
    pub fma64_fused: bool,
    /// By probe: 32-bit division and square root are correctly rounded.
    pub div32_exact: bool,
    pub sqrt32_exact: bool,
    /// By probe: 32-bit Exp2 is accurate enough for the relaxed exponentials near zero, and returns NaN for NaN.
    pub exp2_accurate: bool,
    /// By probe: 32-bit Exp2 is accurate enough for the library's exponentials, for all numbers.
    pub exp2_wide: bool,
    /// By probe: 32-bit Log2 is accurate enough for the relaxed logarithms.
    pub log2_accurate: bool,
    /// True if Log2 is accurate enough also near 1, where the logarithm is small, and correct for zeros, infinities and
    /// negative numbers.
    pub log2_accurate_near_1: bool,
    /// True if Log2 of a denormal number is as accurate as of other numbers, or equals Log2 of zero.
    pub log2_denormals: bool,
    /// The sub-groups of the device; `None` if they are not offered.
    pub subgroups: Option<Subgroups>,
    /// The products of matrices that sub-groups compute, of types that the device has; empty without sub-groups.
    pub matrices: Vec<MatrixProduct>,
    /// The size of sub-groups that is required for kernels which do not require one; `None` for the device's own size.
    pub default_subgroup_size: Option<u32>,
    /// True if there are images and samplers, which need descriptors in arrays that the module indexes.
    pub images: bool,
    /// `read_write` images: shaderStorageImageReadWithoutFormat.
    pub read_write_images: bool,
    /// True if kernels may write to three-dimensional images.
    pub image_writes_3d: bool,
    /// By probe: the device's own linear filter is as exact as OpenCL requires, for images whose words have the bit for it.
    pub hardware_linear: bool,
    /// maxPushConstantsSize in bytes, at least 128.
    pub push_constant_size: u32,
    /// maxComputeWorkGroupInvocations.
    pub max_work_group_size: u32,
    /// maxComputeSharedMemorySize in bytes.
    pub local_memory_size: u64,
    /// SPIR-V version as 0x00MMmm00 (0x00010500 for Vulkan 1.2).
    pub spirv_version: u32,
    /// The newest version of OpenCL that may be reported for the device, as the version of OpenCL C with the same number.
    pub newest: ClStd,
    /// True if work-group memory is zero when a kernel begins: a property of the context
    /// (cl_khr_initialize_memory), not of the device.
    pub zero_local: bool,
    /// Like `zero_local`, for private memory and all other values that a program leaves undefined.
    pub zero_private: bool,
    /// True if modules have the lines of the program's text, whatever the program's options are (`HEKLA_DEBUG`).
    pub lines: bool,
    /// True if the device accepts instructions of non-semantic sets, and so debug information (Vulkan 1.3, or
    /// VK_KHR_shader_non_semantic_info).
    pub non_semantic_info: bool,
    /// The mistakes that kernels check for while they run (`HEKLA_CHECK`).
    pub checks: Checks,
    /// Names of extensions that are listed because a profile shows them, or because the API has them. Programs may lack their
    /// functions.
    pub shown: Vec<&'static str>,
    /// Names of extensions and features that a profile hides: programs have neither their macros nor their functions.
    pub hidden: Vec<String>,
}

/// The conditions on which calls share call sites, in instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallSharing {
    /// The size that a kernel must exceed with all its calls inlined.
    pub kernel_size: usize,
    /// The least size of the called function with its calls inlined.
    pub callee_size: usize,
    /// The least saving: the size of the called function times all call sites but one.
    pub saving: usize,
}

impl CallSharing {
    /// The bounds for a driver that compiles some 10,000 instructions a second.
    pub const DEFAULT: CallSharing =
        CallSharing { kernel_size: 40_000, callee_size: 400, saving: 5_000 };
    /// The bounds for doubles that are computed by integers. Drivers inline calls, and some of their compilers do not finish
    /// with the hundreds of sums and products of a function.
    pub const SOFT_DOUBLES: CallSharing =
        CallSharing { kernel_size: 40_000, callee_size: 60, saving: 600 };
    /// Bounds that share all calls which may share a call site; for tests.
    pub const ALL: CallSharing = CallSharing { kernel_size: 0, callee_size: 0, saving: 0 };
}

/// The guarantee of a device about which work-items are together where control flow joins again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reconvergence {
    /// The device offers no guarantee.
    Unspecified,
    /// VK_KHR_shader_subgroup_uniform_control_flow: work-items of a sub-group that diverged converge again.
    Uniform,
    /// VK_KHR_shader_maximal_reconvergence: all work-items that were together before they diverged converge again.
    Maximal,
}

bitflags! {
    /// Atomic arithmetic on floats in global memory.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub struct FloatAtomics: u8 {
        const ADD_32 = 1;
        const ADD_64 = 2;
        const MIN_MAX_32 = 4;
        const MIN_MAX_64 = 8;
    }
}

/// Sub-groups of a device that has votes, ballots and shuffles, and whose sub-groups have work-items that follow each other
/// in their work-group, in the same order. Operations that are false here are made of votes, ballots and shuffles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subgroups {
    /// The number of work-items of a sub-group if the kernel does not require one: a power of two, at most 128.
    pub size: u32,
    /// The least and the greatest size of the hardware's sub-groups that a kernel may require; zeros if it may not.
    pub sizes: [u32; 2],
    /// True if a sub-group makes progress while another sub-group of its work-group waits. cl_khr_subgroups requires it,
    /// __opencl_c_subgroups does not. Vulkan does not guarantee it; a device may.
    pub forward_progress: bool,
    /// GroupNonUniformArithmetic.
    pub arithmetic: bool,
    /// GroupNonUniformClustered.
    pub clustered: bool,
    /// GroupNonUniformShuffleRelative.
    pub shuffle_relative: bool,
    /// shaderSubgroupExtendedTypes: sub-group operations on types other than 32-bit ones and double.
    pub extended_types: bool,
    /// subgroupBroadcastDynamicId: the number of the work-item in a broadcast need not be a constant.
    pub dynamic_broadcast: bool,
    pub reconvergence: Reconvergence,
}

impl Subgroups {
    /// The largest sub-group that a ballot has bits for.
    pub const MAX_SIZE: u32 = 128;

    /// The least sub-groups: those that every device with sub-groups must have.
    pub const LEAST: Subgroups = Subgroups {
        size: 4,
        sizes: [0, 0],
        forward_progress: false,
        arithmetic: false,
        clustered: false,
        shuffle_relative: false,
        extended_types: false,
        dynamic_broadcast: false,
        reconvergence: Reconvergence::Unspecified,
    };

    /// Returns the sizes that every kernel may require: the hardware's sizes, and smaller ones from two on.
    pub fn required_sizes(&self) -> Vec<u32> {
        let [_, most] = self.sizes;
        let powers = (1..=Subgroups::MAX_SIZE.trailing_zeros()).map(|power| 1 << power);
        powers.filter(|size| *size <= most).collect()
    }

    /// Returns true if kernels may require a size. The build may still refuse the size for some kernels.
    pub fn may_require(&self, size: u32) -> bool {
        self.required_sizes().contains(&size) || self.may_have_pieces(size)
    }

    /// Returns true if kernels may require a size that is larger than the hardware's. They get it if all work-items of a
    /// work-group call each function of sub-groups together.
    pub fn may_have_pieces(&self, size: u32) -> bool {
        let [_, most] = self.sizes;
        let is_between = (1..size.min(33)).contains(&most);
        size.is_power_of_two() && size <= Subgroups::MAX_SIZE && is_between
    }
}

/// The effect of the device's operations on floats of one width on bits that arithmetic may lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatTraits {
    /// True if FNegate and FAbs change only the sign bit, also for denormals and NaN.
    pub sign_alone: bool,
    /// True if FNegate and FAbs of an operand of arithmetic keep everything that the arithmetic would keep.
    pub signs_operands: bool,
    /// True if no operation reads denormal operands as zero or returns zero for denormal results.
    pub keeps_denormals: bool,
    /// True if a conversion to a wider float keeps denormals.
    pub widens: bool,
    /// True if a conversion from the next wider float is correctly rounded to nearest even, denormals included. Means nothing
    /// for single.
    pub narrows: bool,
    /// True if NMin and NMax order denormals correctly.
    pub orders: bool,
}

impl FloatTraits {
    /// The traits that IEEE 754 demands.
    pub const IEEE: FloatTraits = FloatTraits {
        sign_alone: true,
        signs_operands: true,
        keeps_denormals: true,
        widens: true,
        narrows: true,
        orders: true,
    };
}

/// The extension for depth images of OpenGL. Kernels read them like any depth image, so the API decides if it is offered.
const GL_DEPTH_IMAGES: &str = "cl_khr_gl_depth_images";

/// The extension for block accesses to local memory. Its functions exist if the functions for global memory do.
const LOCAL_BLOCK_IO: &str = "cl_intel_subgroup_local_block_io";

impl Target {
    /// Returns true if instructions keep their places in a program's text: `-g`, or the target asks for it.
    pub fn keeps_locations(&self, options: &Options) -> bool {
        options.debug_info || self.lines || !self.checks.is_empty()
    }

    /// Returns true if the device's driver has a quirk.
    pub fn has(&self, quirk: Quirks) -> bool {
        self.quirks.contains(quirk)
    }

    /// Returns true if vectors in work-group memory are accessed as a whole: if it is faster and the device can do it.
    pub fn has_whole_local_vectors(&self) -> bool {
        self.has(Quirks::WHOLE_LOCAL_VECTORS) && self.workgroup_explicit_layout && self.int64
    }

    /// Returns the traits of the operations on a float type.
    pub fn floats(&self, scalar: Scalar) -> FloatTraits {
        match scalar {
            Scalar::F16 => self.float_traits[0],
            Scalar::F64 => self.float_traits[2],
            _ => self.float_traits[1],
        }
    }

    /// Returns true if the device's own conversion of floats to halves is right, and stays where its result is converted back.
    pub fn narrows_halves(&self) -> bool {
        let rounds = self.rounding_rte_16 && self.denorm_preserve_16;
        self.float16
            && rounds
            && self.floats(Scalar::F16).narrows
            && self.has(Quirks::KEPT_NARROWINGS)
    }

    /// Returns true if the device can be made to keep the signs of zeros, infinities and NaNs of a float type.
    pub fn keeps_signed_zeros(&self, scalar: Scalar) -> bool {
        match scalar {
            Scalar::F16 => self.preserve_signed_zero_inf_nan_16,
            Scalar::F64 => self.preserve_signed_zero_inf_nan_64,
            _ => self.preserve_signed_zero_inf_nan_32,
        }
    }

    /// Returns true if the device's own atomic operation on floats in global memory is used. Its treatment of denormals is
    /// not specified, so it is not used for float if other arithmetic keeps denormals.
    pub fn has_float_atomic(&self, op: AtomicOp, scalar: Scalar) -> bool {
        let flushes = scalar == Scalar::F64 || !self.floats(scalar).keeps_denormals;
        let needed = match (op, scalar) {
            (AtomicOp::FAdd, Scalar::F32) => FloatAtomics::ADD_32,
            (AtomicOp::FAdd, Scalar::F64) => FloatAtomics::ADD_64,
            (AtomicOp::FMin | AtomicOp::FMax, Scalar::F32) => FloatAtomics::MIN_MAX_32,
            (AtomicOp::FMin | AtomicOp::FMax, Scalar::F64) => FloatAtomics::MIN_MAX_64,
            _ => return false,
        };
        flushes && self.float_atomics.contains(needed)
    }

    /// Returns true if programs may have matrices. Kernels with checks have none.
    pub fn offers_matrices(&self) -> bool {
        !self.matrices.is_empty() && self.checks.is_empty()
    }

    /// Returns true if arithmetic with denormal doubles is emulated; false if options allow denormals to be zero.
    pub fn emulates_denormals(&self, options: &Options) -> bool {
        let allowed = options.denorms_are_zero || options.unsafe_math;
        self.float64 && !self.floats(Scalar::F64).keeps_denormals && !allowed
    }

    /// Returns true if the device computes with doubles itself.
    pub fn has_native_doubles(&self) -> bool {
        self.float64 && !self.soft_float64
    }

    /// Adds doubles that are computed by integers to a device without doubles: all operations of IEEE 754, also fused ones,
    /// correctly rounded, with denormal numbers. A device that has doubles is returned unchanged.
    pub fn with_soft_doubles(self) -> Target {
        if self.float64 {
            return self;
        }
        let [half, single, _] = self.float_traits;
        Target {
            float64: true,
            soft_float64: true,
            fma64_fused: true,
            preserve_signed_zero_inf_nan_64: true,
            denorm_preserve_64: false,
            rounding_rte_64: false,
            float_traits: [half, single, FloatTraits::IEEE],
            call_sharing: (!self.has(Quirks::SMALL_FRAMES)).then_some(CallSharing::SOFT_DOUBLES),
            float_atomics: self.float_atomics - FloatAtomics::ADD_64 - FloatAtomics::MIN_MAX_64,
            ..self
        }
    }

    /// Returns the macros for the features of this device: its version, extension names, and from OpenCL C 3.0 on the
    /// `__opencl_c_` feature macros (OpenCL C 6.2.1), each defined as 1.
    pub fn feature_macros(&self, std: ClStd) -> Vec<(String, String)> {
        let features = if std >= ClStd::Cl30 { self.features() } else { Vec::new() };
        let images = self.images.then_some("__IMAGE_SUPPORT__");
        let names = self.extensions().into_iter().chain(features).chain(images);
        let (major, minor) = self.version().number();
        let version = ("__OPENCL_VERSION__", format!("{}", 100 * major + 10 * minor));
        let all = names.map(|name| (name, "1".to_string())).chain([version]);
        all.map(|(name, value)| (name.to_string(), value)).collect()
    }

    /// Returns the extensions of the language that work on this device.
    pub fn extensions(&self) -> Vec<&'static str> {
        self.listed(&[
            ("cl_khr_byte_addressable_store", true),
            ("cl_khr_global_int32_base_atomics", true),
            ("cl_khr_global_int32_extended_atomics", true),
            ("cl_khr_local_int32_base_atomics", true),
            ("cl_khr_local_int32_extended_atomics", true),
            ("cl_khr_int64_base_atomics", self.int64_atomics()),
            ("cl_khr_int64_extended_atomics", self.int64_atomics()),
            ("cl_khr_fp64", self.float64),
            ("cl_khr_fp16", self.float16),
            ("cl_khr_3d_image_writes", self.images && self.image_writes_3d),
            ("cl_khr_depth_images", self.images),
            (GL_DEPTH_IMAGES, self.images && self.shown.contains(&GL_DEPTH_IMAGES)),
            ("cl_khr_mipmap_image", self.images),
            ("cl_khr_mipmap_image_writes", self.images),
            ("cl_khr_srgb_image_writes", self.images),
            ("cl_amd_media_ops", true),
            ("cl_amd_media_ops2", true),
            ("cl_arm_integer_dot_product_accumulate_int16", true),
            ("cl_arm_integer_dot_product_accumulate_int8", true),
            ("cl_arm_integer_dot_product_accumulate_saturate_int8", true),
            ("cl_arm_integer_dot_product_int8", true),
            ("cl_arm_non_uniform_work_group_size", true),
            ("cl_ext_float_atomics", true),
            ("cl_khr_kernel_clock", self.device_clock || self.reads_subgroup_clock()),
            ("cl_khr_cooperative_matrix", self.offers_matrices()),
            ("cl_khr_subgroups", self.subgroups.is_some_and(|it| it.forward_progress)),
            ("cl_khr_subgroup_extended_types", self.subgroups.is_some()),
            ("cl_khr_subgroup_non_uniform_vote", self.subgroups.is_some()),
            ("cl_khr_subgroup_ballot", self.subgroups.is_some()),
            ("cl_khr_subgroup_non_uniform_arithmetic", self.subgroups.is_some()),
            ("cl_khr_subgroup_shuffle", self.subgroups.is_some()),
            ("cl_khr_subgroup_shuffle_relative", self.subgroups.is_some()),
            ("cl_khr_subgroup_clustered_reduce", self.subgroups.is_some()),
            ("cl_khr_subgroup_rotate", self.subgroups.is_some()),
            ("cl_intel_bfloat16_conversions", true),
            ("cl_intel_split_work_group_barrier", true),
            ("cl_intel_required_subgroup_size", !self.required_subgroup_sizes().is_empty()),
            ("cl_intel_subgroups", self.intel_subgroups()),
            ("cl_intel_subgroups_char", self.shows_intel("cl_intel_subgroups_char")),
            ("cl_intel_subgroups_short", self.shows_intel("cl_intel_subgroups_short")),
            ("cl_intel_subgroups_long", self.shows_intel("cl_intel_subgroups_long")),
            (LOCAL_BLOCK_IO, self.shows_intel(LOCAL_BLOCK_IO)),
            ("cl_khr_extended_bit_ops", true),
            ("cl_khr_integer_dot_product", true),
            ("cl_khr_extended_async_copies", true),
            ("cl_khr_async_work_group_copy_fence", true),
            ("cl_khr_work_group_uniform_arithmetic", true),
        ])
    }

    /// Returns the optional features of OpenCL C 3.0 and newer that work on this device.
    pub fn features(&self) -> Vec<&'static str> {
        self.listed(&[
            ("__opencl_c_int64", true),
            ("__opencl_c_fp64", self.float64),
            ("__opencl_c_images", self.images),
            ("__opencl_c_3d_image_writes", self.images && self.image_writes_3d),
            ("__opencl_c_read_write_images", self.images && self.read_write_images),
            ("__opencl_c_program_scope_global_variables", true),
            ("__opencl_c_generic_address_space", true),
            ("__opencl_c_work_group_collective_functions", true),
            ("__opencl_c_pipes", self.vulkan_memory_model),
            ("__opencl_c_device_enqueue", self.device_enqueue()),
            ("__opencl_c_subgroups", self.subgroups.is_some()),
            ("__opencl_c_integer_dot_product_input_4x8bit", true),
            ("__opencl_c_integer_dot_product_input_4x8bit_packed", true),
            // A clock that all work-items of the device share is also shared by the work-items of a work-group.
            ("__opencl_c_kernel_clock_scope_device", self.device_clock),
            ("__opencl_c_kernel_clock_scope_work_group", self.device_clock),
            ("__opencl_c_kernel_clock_scope_sub_group", self.reads_subgroup_clock()),
            ("__opencl_c_ext_fp16_global_atomic_load_store", self.half_arithmetic()),
            ("__opencl_c_ext_fp16_local_atomic_load_store", self.half_arithmetic()),
            ("__opencl_c_ext_fp16_global_atomic_add", self.half_arithmetic()),
            ("__opencl_c_ext_fp16_local_atomic_add", self.half_arithmetic()),
            ("__opencl_c_ext_fp16_global_atomic_min_max", self.half_arithmetic()),
            ("__opencl_c_ext_fp16_local_atomic_min_max", self.half_arithmetic()),
            ("__opencl_c_ext_fp32_global_atomic_add", true),
            ("__opencl_c_ext_fp32_local_atomic_add", true),
            ("__opencl_c_ext_fp32_global_atomic_min_max", true),
            ("__opencl_c_ext_fp32_local_atomic_min_max", true),
            ("__opencl_c_ext_fp64_global_atomic_add", self.atomic_double()),
            ("__opencl_c_ext_fp64_local_atomic_add", self.atomic_double()),
            ("__opencl_c_ext_fp64_global_atomic_min_max", self.atomic_double()),
            ("__opencl_c_ext_fp64_local_atomic_min_max", self.atomic_double()),
            ("__opencl_c_atomic_order_acq_rel", self.vulkan_memory_model),
            ("__opencl_c_atomic_order_seq_cst", self.vulkan_memory_model),
            ("__opencl_c_atomic_scope_device", self.vulkan_memory_model),
        ])
    }

    /// Returns true if kernels can enqueue other kernels: their writes must be ordered before the runtime's reads, and 64-bit
    /// numbers must exist.
    pub fn device_enqueue(&self) -> bool {
        self.vulkan_memory_model
    }

    /// Returns true if a profile shows cl_intel_subgroups, and the device has sub-groups.
    pub fn intel_subgroups(&self) -> bool {
        self.subgroups.is_some() && self.shown.contains(&"cl_intel_subgroups")
    }

    /// Returns true if a profile shows an extension of cl_intel_subgroups.
    fn shows_intel(&self, name: &str) -> bool {
        self.intel_subgroups() && self.shown.contains(&name)
    }

    /// Returns true if programs may call functions of sub-groups that need this feature or extension.
    pub fn has_subgroup_functions(&self, extension: &str) -> bool {
        match extension {
            "cl_intel_subgroups" => self.intel_subgroups(),
            _ => self.subgroups.is_some(),
        }
    }

    /// Returns the names whose flag is set and which are not hidden.
    fn listed(&self, names: &[(&'static str, bool)]) -> Vec<&'static str> {
        let is_listed = |&&(name, offered): &&(&str, bool)| {
            offered && !self.hidden.iter().any(|hidden| hidden == name)
        };
        names.iter().filter(is_listed).map(|(name, _)| *name).collect()
    }

    /// Returns true if programs of a version may use an optional feature of OpenCL C 3.0: from 2.0 on, since 2.0 requires the
    /// features that 3.0 makes optional.
    pub fn offers(&self, std: ClStd, feature: &str) -> bool {
        std >= ClStd::Cl20 && self.features().contains(&feature)
    }

    /// Returns the sizes of sub-groups that every kernel may require.
    pub fn required_subgroup_sizes(&self) -> Vec<u32> {
        self.subgroups.map_or_else(Vec::new, |subgroups| subgroups.required_sizes())
    }

    /// Returns true if kernels may require sub-groups of a size. The build may still refuse the size for some kernels.
    pub fn may_require_subgroup_size(&self, size: u32) -> bool {
        self.subgroups.is_some_and(|subgroups| subgroups.may_require(size))
    }

    /// Returns the size of sub-groups that a kernel requires, or the default size if it requires none.
    pub fn required_subgroup_size(&self, asked: Option<u32>) -> Option<u32> {
        asked.or(self.default_subgroup_size)
    }

    /// Returns true if sub-groups of a size are made of several sub-groups of the hardware.
    pub fn has_pieces(&self, size: u32) -> bool {
        size > self.hardware_subgroup_size(Some(size))
    }

    /// Returns the number of work-items of the hardware's sub-groups for kernels that require the size `required`.
    pub fn hardware_subgroup_size(&self, required: Option<u32>) -> u32 {
        let subgroups = self.subgroups.unwrap_or(Subgroups::LEAST);
        let [least, most] = subgroups.sizes;
        match required {
            Some(size) if most > 0 => size.clamp(least, most),
            _ => subgroups.size,
        }
    }

    /// Returns the number of work-items of a sub-group for kernels that require the size `required`.
    pub fn subgroup_size(&self, required: Option<u32>) -> u32 {
        required.unwrap_or(self.subgroups.unwrap_or(Subgroups::LEAST).size)
    }

    /// Returns true if sub-groups exchange and combine numbers of a type without a conversion.
    pub fn has_in_subgroups(&self, scalar: Scalar) -> bool {
        let extended = self.subgroups.is_some_and(|subgroups| subgroups.extended_types);
        match scalar {
            Scalar::I8 => extended && self.int8,
            Scalar::I16 => extended && self.int16,
            Scalar::I64 => extended && self.int64,
            Scalar::F16 => extended,
            Scalar::F64 => !self.soft_float64,
            _ => true,
        }
    }

    /// Returns true if work-groups combine numbers of a type by their sub-groups: if the device does it as exactly as other
    /// arithmetic, and guarantees that a sub-group is together where all of its work-group is.
    pub fn combines_in_subgroups(&self, scalar: Scalar) -> bool {
        let is_together =
            |it: Subgroups| it.arithmetic && it.reconvergence != Reconvergence::Unspecified;
        let is_exact = scalar != Scalar::F64 || self.floats(Scalar::F64).keeps_denormals;
        is_exact && self.has_in_subgroups(scalar) && self.subgroups.is_some_and(is_together)
    }

    /// Returns the most sub-groups that a work-group can have, with the least size that a kernel may require.
    pub fn most_subgroups(&self) -> u32 {
        let sizes = self.required_subgroup_sizes().into_iter();
        let least = sizes.chain([self.subgroup_size(None)]).min().unwrap_or(1);
        self.max_work_group_size.div_ceil(least.max(1))
    }

    /// Returns the version of OpenCL that the device has, as the version of OpenCL C with the same number. Of the features that
    /// 3.1 makes mandatory (OpenCL API appendix E), a device can lack only sub-groups.
    pub fn version(&self) -> ClStd {
        match self.subgroups {
            Some(_) => self.newest,
            None => self.newest.min(ClStd::Cl30),
        }
    }

    /// Returns true if programs in a version of OpenCL C are compiled. Programs in 2.0 are compiled also on devices that lack a
    /// part of it, since few programs need all of it: uses of missing features are refused.
    pub fn takes(&self, std: ClStd) -> bool {
        std == ClStd::Cl20 || self.c_versions().contains(&std)
    }

    /// Returns the versions of OpenCL C that the device has completely. In 2.0, pipes, queues on the device and read-write
    /// images are not optional.
    pub fn c_versions(&self) -> &'static [ClStd] {
        use ClStd::*;
        const ALL: &[ClStd] = &[Cl10, Cl11, Cl12, Cl20, Cl30, Cl31];
        const WITHOUT_20: &[ClStd] = &[Cl10, Cl11, Cl12, Cl30, Cl31];
        let listed = if self.has_c_20() { ALL } else { WITHOUT_20 };
        let newer = listed.iter().rev().take_while(|std| **std > self.version()).count();
        &listed[..listed.len() - newer]
    }

    /// Returns true if the device has all features that OpenCL C 2.0 requires and 3.0 makes optional.
    fn has_c_20(&self) -> bool {
        self.device_enqueue() && (self.read_write_images || !self.images)
    }

    /// Returns true if cl_khr_fp16 is offered: programs may compute with half.
    pub fn half_arithmetic(&self) -> bool {
        self.extensions().contains(&"cl_khr_fp16")
    }

    /// Returns true if kernels can read the clock of a sub-group.
    pub fn reads_subgroup_clock(&self) -> bool {
        self.subgroup_clock && self.subgroups.is_some()
    }

    /// Returns true if there are atomic objects that hold doubles.
    pub fn atomic_double(&self) -> bool {
        self.float64 && self.int64_atomics()
    }

    /// Returns true if 64-bit atomics work on global and on local memory.
    pub fn int64_atomics(&self) -> bool {
        self.int64 && self.atomic_int64_buffer && self.atomic_int64_shared
    }

    /// Returns a capable device, but without half and without an explicit layout of work-group memory. The
    /// offline compiler's default.
    pub fn generic() -> Target {
        Target {
            int64: true,
            int16: true,
            int8: true,
            float64: true,
            soft_float64: false,
            float16: false,
            storage8: true,
            storage16: true,
            scalar_block_layout: true,
            atomic_int64_buffer: true,
            atomic_int64_shared: true,
            integer_dot_product: false,
            accelerated_dot_products: DotProducts::default(),
            subgroup_clock: false,
            device_clock: false,
            float_atomics: FloatAtomics::empty(),
            workgroup_explicit_layout: false,
            workgroup_explicit_layout_8: false,
            workgroup_explicit_layout_16: false,
            vulkan_memory_model: true,
            quirks: Quirks::empty(),
            narrow_offsets: None,
            exact_objects: false,
            call_sharing: None,
            samples_texels: false,
            preserve_signed_zero_inf_nan_16: false,
            preserve_signed_zero_inf_nan_32: true,
            preserve_signed_zero_inf_nan_64: true,
            denorm_preserve_16: false,
            denorm_preserve_32: false,
            denorm_preserve_64: false,
            denorm_independent_32: true,
            rounding_rte_16: false,
            rounding_rte_32: false,
            rounding_rte_64: false,
            rounding_rte_32_to_divide: false,
            float_traits: [FloatTraits::IEEE; 3],
            merges_signs: true,
            fma16_fused: false,
            fma32_fused: false,
            fma64_fused: false,
            div32_exact: false,
            sqrt32_exact: false,
            exp2_accurate: false,
            exp2_wide: false,
            log2_accurate: false,
            log2_accurate_near_1: false,
            log2_denormals: false,
            subgroups: Some(Subgroups {
                size: 32,
                sizes: [8, 32],
                forward_progress: true,
                arithmetic: true,
                clustered: true,
                shuffle_relative: true,
                extended_types: true,
                dynamic_broadcast: true,
                reconvergence: Reconvergence::Unspecified,
            }),
            matrices: Vec::new(),
            default_subgroup_size: None,
            images: true,
            read_write_images: true,
            image_writes_3d: true,
            hardware_linear: false,
            push_constant_size: 256,
            max_work_group_size: 1024,
            local_memory_size: 32768,
            spirv_version: 0x0001_0500,
            newest: ClStd::Cl31,
            zero_local: false,
            zero_private: false,
            lines: false,
            non_semantic_info: true,
            checks: Checks::empty(),
            shown: Vec::new(),
            hidden: Vec::new(),
        }
    }

    /// Returns the weakest device that is supported: what SwiftShader offers (no 64-, 16- or 8-bit integers,
    /// no double, no small storage).
    pub fn minimal() -> Target {
        Target {
            non_semantic_info: false,
            int64: false,
            int16: false,
            int8: false,
            float64: false,
            storage8: false,
            storage16: false,
            scalar_block_layout: false,
            atomic_int64_buffer: false,
            atomic_int64_shared: false,
            preserve_signed_zero_inf_nan_64: false,
            subgroups: Some(Subgroups::LEAST),
            default_subgroup_size: None,
            images: false,
            read_write_images: false,
            image_writes_3d: false,
            push_constant_size: 128,
            max_work_group_size: 256,
            local_memory_size: 16384,
            ..Target::generic()
        }
    }
}
