//! The macros that OpenCL C defines, as a table (OpenCL C 6.12, 6.15.2, 6.15.3, 6.15.12, 6.15.14).
//!
//! A macro of the table is defined at the first use of its name in a program, so that the table costs
//! nothing to programs that do not use it.

use super::definitions::Special;
use crate::options::ClStd;
use crate::options::Options;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The features of program and device that decide which macros are defined.
#[derive(Debug)]
pub(super) struct Features {
    std: ClStd,
    fp64: bool,
    fp16: bool,
    fast_relaxed_math: bool,
    seq_cst: bool,
    scope_device: bool,
    scope_all_devices: bool,
    subgroups: bool,
    pipes: bool,
    device_enqueue: bool,
    matrices: bool,
}

impl Features {
    /// Returns the features that follow from the options and the caller's macros.
    pub fn new(options: &Options, predefined: &[(String, String)]) -> Features {
        let has = |wanted: &str| predefined.iter().any(|(name, _)| name == wanted);
        let since_20 = |feature: &str| options.std == ClStd::Cl20 || has(feature);
        Features {
            std: options.std,
            fp64: has("cl_khr_fp64") || has("__opencl_c_fp64"),
            fp16: has("cl_khr_fp16"),
            fast_relaxed_math: options.fast_relaxed_math,
            seq_cst: since_20("__opencl_c_atomic_order_seq_cst"),
            scope_device: since_20("__opencl_c_atomic_scope_device"),
            scope_all_devices: since_20("__opencl_c_atomic_scope_all_devices"),
            // OpenCL C 2.0 has no macro for the functions of sub-groups, which the extension comes with.
            subgroups: has("__opencl_c_subgroups")
                || options.std == ClStd::Cl20 && has("cl_khr_subgroup_extended_types"),
            pipes: has("__opencl_c_pipes"),
            matrices: has("cl_khr_cooperative_matrix"),
            device_enqueue: since_20("__opencl_c_device_enqueue"),
        }
    }

    fn meet(&self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::Nothing => true,
            Requirement::Std(std) => self.std >= std,
            Requirement::Fp64 => self.fp64,
            Requirement::Fp16 => self.fp16,
            Requirement::FastMath => self.fast_relaxed_math,
            Requirement::SeqCst => self.seq_cst,
            Requirement::ScopeDevice => self.scope_device,
            Requirement::ScopeAllDevices => self.scope_all_devices,
            Requirement::Subgroups => self.subgroups,
            Requirement::Pipes => self.pipes,
            Requirement::DeviceEnqueue => self.device_enqueue,
            Requirement::Matrices => self.matrices,
        }
    }
}

/// The requirements of a group of macros.
#[derive(Debug, Clone, Copy)]
enum Requirement {
    Nothing,
    /// Needs this version of OpenCL C or a later one.
    Std(ClStd),
    Fp64,
    Fp16,
    FastMath,
    /// This requirement and those below need OpenCL C 2.0, or an optional feature of 3.0.
    SeqCst,
    ScopeDevice,
    ScopeAllDevices,
    Subgroups,
    Pipes,
    DeviceEnqueue,
    Matrices,
}

/// A built-in macro's definition.
pub(super) enum Builtin {
    Special(Special),
    /// A macro with a body. `params` has the parameters in parentheses; it is empty for an object-like macro.
    Text {
        params: &'static str,
        body: &'static str,
    },
}

/// Returns the definition of a name, if it is the name of a built-in macro.
pub(super) fn find(name: &str, features: &Features) -> Option<Builtin> {
    static INDEX: LazyLock<FxHashMap<&str, (Requirement, &str, &str)>> = LazyLock::new(|| {
        let groups = GROUPS.iter().flat_map(|&(requirement, group)| {
            group.iter().map(move |&(name, body)| {
                let paren = name.find('(').unwrap_or(name.len());
                let (name, params) = name.split_at(paren);
                (name, (requirement, params, body))
            })
        });
        groups.collect()
    });
    let special = match name {
        "__LINE__" => Some(Special::Line),
        "__FILE__" => Some(Special::File),
        "__COUNTER__" => Some(Special::Counter),
        "__INCLUDE_LEVEL__" => Some(Special::IncludeLevel),
        _ => None,
    };
    if let Some(special) = special {
        return Some(Builtin::Special(special));
    }
    if name == "__OPENCL_C_VERSION__" {
        let body = match features.std {
            ClStd::Cl10 => "100",
            ClStd::Cl11 => "110",
            ClStd::Cl12 => "120",
            ClStd::Cl20 => "200",
            ClStd::Cl30 => "300",
            ClStd::Cl31 => "310",
        };
        return Some(Builtin::Text { params: "", body });
    }
    let &(requirement, params, body) = INDEX.get(name)?;
    features.meet(requirement).then_some(Builtin::Text { params, body })
}

type Group = &'static [(&'static str, &'static str)];

/// All groups. No name is in two.
static GROUPS: &[(Requirement, Group)] = &[
    (Requirement::Nothing, VERSIONS),
    (Requirement::Nothing, VERSION_NUMBERS),
    (Requirement::FastMath, &[("__FAST_RELAXED_MATH__", "1")]),
    (Requirement::Nothing, KEYWORDS),
    (Requirement::Nothing, HINTS),
    (Requirement::Nothing, COMPILER),
    (Requirement::Nothing, INTEGERS),
    (Requirement::Nothing, FLOATS),
    (Requirement::Fp64, DOUBLES),
    (Requirement::Fp16, HALVES),
    (Requirement::Nothing, FENCES),
    (Requirement::Std(ClStd::Cl20), ATOMICS),
    (Requirement::SeqCst, &[("memory_order_seq_cst", "5")]),
    (Requirement::ScopeDevice, &[("memory_scope_device", "2")]),
    (Requirement::ScopeAllDevices, ALL_DEVICES),
    (Requirement::Subgroups, &[("memory_scope_sub_group", "4")]),
    (Requirement::Pipes, &[("CLK_NULL_RESERVE_ID", "((reserve_id_t)0)")]),
    (Requirement::DeviceEnqueue, DEVICE_ENQUEUE),
    (Requirement::Matrices, MATRICES),
    (Requirement::Nothing, SAMPLERS),
    (Requirement::Nothing, CHANNELS),
];

/// Macros of OpenCL C 6.12 and C99 6.10.8. The date is fixed, so that the same text gives the same program.
/// `__OPENCL_VERSION__` is among the device's macros.
static VERSIONS: Group = &[
    ("__ENDIAN_LITTLE__", "1"),
    ("__ROUNDING_MODE__", "rte"),
    ("__STDC__", "1"),
    ("__STDC_VERSION__", "199901L"),
    ("__STDC_HOSTED__", "0"),
    ("__DATE__", "\"Jan  1 1970\""),
    ("__TIME__", "\"00:00:00\""),
];

/// OpenCL C 6.12: the names of versions. All are defined in every version: programs compare
/// `__OPENCL_C_VERSION__` with them, and an undefined one would count as 0.
static VERSION_NUMBERS: Group = &[
    ("CL_VERSION_1_0", "100"),
    ("CL_VERSION_1_1", "110"),
    ("CL_VERSION_1_2", "120"),
    ("CL_VERSION_2_0", "200"),
    ("CL_VERSION_3_0", "300"),
    ("CL_VERSION_3_1", "310"),
];

/// OpenCL C 6.15.17: flags, errors and nulls of queues on the device.
static DEVICE_ENQUEUE: Group = &[
    ("CLK_ENQUEUE_FLAGS_NO_WAIT", "0x0"),
    ("CLK_ENQUEUE_FLAGS_WAIT_KERNEL", "0x1"),
    ("CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP", "0x2"),
    ("CLK_PROFILING_COMMAND_EXEC_TIME", "0x1"),
    ("CLK_NULL_EVENT", "((clk_event_t)0)"),
    ("CLK_NULL_QUEUE", "((queue_t)0)"),
    ("CLK_SUCCESS", "0"),
    ("CLK_ENQUEUE_FAILURE", "-101"),
    ("CLK_INVALID_QUEUE", "-102"),
    ("CLK_INVALID_NDRANGE", "-160"),
    ("CLK_INVALID_EVENT_WAIT_LIST", "-57"),
    ("CLK_DEVICE_QUEUE_FULL", "-161"),
    ("CLK_INVALID_ARG_SIZE", "-51"),
    ("CLK_EVENT_ALLOCATION_FAILURE", "-100"),
    ("CLK_OUT_OF_RESOURCES", "-5"),
    ("CL_COMPLETE", "0x0"),
    ("CL_RUNNING", "0x1"),
    ("CL_SUBMITTED", "0x2"),
    ("CL_QUEUED", "0x3"),
];

static KEYWORDS: Group = &[
    ("__kernel_exec(X, typen)", KERNEL_EXEC),
    ("kernel_exec(X, typen)", KERNEL_EXEC),
    ("NULL", "((void*)0)"),
];

/// `__has_builtin`, as in clang. It is 1 for the functions below. For others it expands to an unknown name, which is 0 in
/// `#if`.
static HINTS: Group = &[
    ("__has_builtin(name)", "__has_builtin_##name"),
    ("__has_builtin___builtin_expect", "1"),
    ("__has_builtin___builtin_expect_with_probability", "1"),
    ("__has_builtin___builtin_assume", "1"),
    ("__has_builtin___builtin_unreachable", "1"),
];

/// Macros that all compilers of C define beside those of the language. OpenCL's other compilers are such, and headers that
/// programs share with their hosts rely on them.
static COMPILER: Group = &[
    ("__BYTE_ORDER__", "1234"),
    ("__ORDER_LITTLE_ENDIAN__", "1234"),
    ("__ORDER_BIG_ENDIAN__", "4321"),
    ("__LITTLE_ENDIAN__", "1"),
    ("__CHAR_BIT__", "8"),
    ("__SCHAR_MAX__", "127"),
    ("__SHRT_MAX__", "32767"),
    ("__INT_MAX__", "2147483647"),
    ("__LONG_MAX__", "0x7fffffffffffffffL"),
    ("__FLT_MAX__", "0x1.fffffep127f"),
    ("__FLT_MIN__", "0x1.0p-126f"),
    ("__FLT_EPSILON__", "0x1.0p-23f"),
    ("__SIZEOF_SHORT__", "2"),
    ("__SIZEOF_INT__", "4"),
    ("__SIZEOF_LONG__", "8"),
    ("__SIZEOF_FLOAT__", "4"),
    ("__SIZEOF_POINTER__", "8"),
    ("__SIZEOF_SIZE_T__", "8"),
    ("__SIZE_TYPE__", "ulong"),
    ("__PTRDIFF_TYPE__", "long"),
    ("__INTPTR_TYPE__", "long"),
    ("__UINTPTR_TYPE__", "ulong"),
    ("__INT8_TYPE__", "char"),
    ("__INT16_TYPE__", "short"),
    ("__INT32_TYPE__", "int"),
    ("__INT64_TYPE__", "long"),
    ("__UINT8_TYPE__", "uchar"),
    ("__UINT16_TYPE__", "ushort"),
    ("__UINT32_TYPE__", "uint"),
    ("__UINT64_TYPE__", "ulong"),
];

const KERNEL_EXEC: &str = "__kernel __attribute__((work_group_size_hint(X, 1, 1))) \
    __attribute__((vec_type_hint(typen)))";

/// OpenCL C 6.15.3, integer macros.
static INTEGERS: Group = &[
    ("CHAR_BIT", "8"),
    ("CHAR_MAX", "SCHAR_MAX"),
    ("CHAR_MIN", "SCHAR_MIN"),
    ("INT_MAX", "2147483647"),
    ("INT_MIN", "(-2147483647 - 1)"),
    ("LONG_MAX", "0x7fffffffffffffffL"),
    ("LONG_MIN", "(-0x7fffffffffffffffL - 1)"),
    ("SCHAR_MAX", "127"),
    ("SCHAR_MIN", "(-127 - 1)"),
    ("SHRT_MAX", "32767"),
    ("SHRT_MIN", "(-32767 - 1)"),
    ("UCHAR_MAX", "255"),
    ("USHRT_MAX", "65535"),
    ("UINT_MAX", "0xffffffff"),
    ("ULONG_MAX", "0xffffffffffffffffUL"),
];

/// OpenCL C 6.15.2, floating-point macros of type float.
static FLOATS: Group = &[
    ("FLT_DIG", "6"),
    ("FLT_MANT_DIG", "24"),
    ("FLT_MAX_10_EXP", "+38"),
    ("FLT_MAX_EXP", "+128"),
    ("FLT_MIN_10_EXP", "-37"),
    ("FLT_MIN_EXP", "-125"),
    ("FLT_RADIX", "2"),
    ("FLT_MAX", "0x1.fffffep127f"),
    ("FLT_MIN", "0x1.0p-126f"),
    ("FLT_EPSILON", "0x1.0p-23f"),
    ("FP_ILOGB0", "(-2147483647 - 1)"),
    ("FP_ILOGBNAN", "2147483647"),
    ("MAXFLOAT", "0x1.fffffep127f"),
    // A constant beyond the greatest float is infinity.
    ("HUGE_VALF", "0x1.0p128f"),
    ("INFINITY", "0x1.0p128f"),
    ("NAN", "as_float(0x7fc00000)"),
    ("M_E_F", "2.71828182845904523536028747135266250f"),
    ("M_LOG2E_F", "1.44269504088896340735992468100189214f"),
    ("M_LOG10E_F", "0.434294481903251827651128918916605082f"),
    ("M_LN2_F", "0.693147180559945309417232121458176568f"),
    ("M_LN10_F", "2.30258509299404568401799145468436421f"),
    ("M_PI_F", "3.14159265358979323846264338327950288f"),
    ("M_PI_2_F", "1.57079632679489661923132169163975144f"),
    ("M_PI_4_F", "0.785398163397448309615660845819875721f"),
    ("M_1_PI_F", "0.318309886183790671537767526745028724f"),
    ("M_2_PI_F", "0.636619772367581343075535053490057448f"),
    ("M_2_SQRTPI_F", "1.12837916709551257389615890312154517f"),
    ("M_SQRT2_F", "1.41421356237309504880168872420969808f"),
    ("M_SQRT1_2_F", "0.707106781186547524400844362104849039f"),
];

/// OpenCL C 6.15.2, floating-point macros of type double, on devices with double.
static DOUBLES: Group = &[
    ("DBL_DIG", "15"),
    ("DBL_MANT_DIG", "53"),
    ("DBL_MAX_10_EXP", "+308"),
    ("DBL_MAX_EXP", "+1024"),
    ("DBL_MIN_10_EXP", "-307"),
    ("DBL_MIN_EXP", "-1021"),
    ("DBL_MAX", "0x1.fffffffffffffp1023"),
    ("DBL_MIN", "0x1.0p-1022"),
    ("DBL_EPSILON", "0x1.0p-52"),
    ("DBL_RADIX", "2"),
    ("HUGE_VAL", "0x1.0p1024"),
    ("M_E", "2.71828182845904523536028747135266250"),
    ("M_LOG2E", "1.44269504088896340735992468100189214"),
    ("M_LOG10E", "0.434294481903251827651128918916605082"),
    ("M_LN2", "0.693147180559945309417232121458176568"),
    ("M_LN10", "2.30258509299404568401799145468436421"),
    ("M_PI", "3.14159265358979323846264338327950288"),
    ("M_PI_2", "1.57079632679489661923132169163975144"),
    ("M_PI_4", "0.785398163397448309615660845819875721"),
    ("M_1_PI", "0.318309886183790671537767526745028724"),
    ("M_2_PI", "0.636619772367581343075535053490057448"),
    ("M_2_SQRTPI", "1.12837916709551257389615890312154517"),
    ("M_SQRT2", "1.41421356237309504880168872420969808"),
    ("M_SQRT1_2", "0.707106781186547524400844362104849039"),
];

/// OpenCL C 6.15.2, floating-point macros of type half, with cl_khr_fp16.
static HALVES: Group = &[
    ("HALF_DIG", "3"),
    ("HALF_MANT_DIG", "11"),
    ("HALF_MAX_10_EXP", "+4"),
    ("HALF_MAX_EXP", "+16"),
    ("HALF_MIN_10_EXP", "-4"),
    ("HALF_MIN_EXP", "-13"),
    ("HALF_RADIX", "2"),
    ("HALF_MAX", "0x1.ffcp15h"),
    ("HALF_MIN", "0x1.0p-14h"),
    ("HALF_EPSILON", "0x1.0p-10h"),
    ("M_E_H", "2.71828182845904523536028747135266250h"),
    ("M_LOG2E_H", "1.44269504088896340735992468100189214h"),
    ("M_LOG10E_H", "0.434294481903251827651128918916605082h"),
    ("M_LN2_H", "0.693147180559945309417232121458176568h"),
    ("M_LN10_H", "2.30258509299404568401799145468436421h"),
    ("M_PI_H", "3.14159265358979323846264338327950288h"),
    ("M_PI_2_H", "1.57079632679489661923132169163975144h"),
    ("M_PI_4_H", "0.785398163397448309615660845819875721h"),
    ("M_1_PI_H", "0.318309886183790671537767526745028724h"),
    ("M_2_PI_H", "0.636619772367581343075535053490057448h"),
    ("M_2_SQRTPI_H", "1.12837916709551257389615890312154517h"),
    ("M_SQRT2_H", "1.41421356237309504880168872420969808h"),
    ("M_SQRT1_2_H", "0.707106781186547524400844362104849039h"),
];

/// OpenCL C 6.15.9: cl_mem_fence_flags, in the values that OpenCL SPIR-V producers use.
static FENCES: Group = &[
    ("CLK_LOCAL_MEM_FENCE", "0x01"),
    ("CLK_GLOBAL_MEM_FENCE", "0x02"),
    ("CLK_IMAGE_MEM_FENCE", "0x04"),
];

/// OpenCL C 6.15.12: the enumerations memory_order and memory_scope, and initializers.
static ATOMICS: Group = &[
    ("ATOMIC_VAR_INIT(value)", "(value)"),
    ("ATOMIC_FLAG_INIT", "0"),
    ("memory_order_relaxed", "0"),
    ("memory_order_acquire", "2"),
    ("memory_order_release", "3"),
    ("memory_order_acq_rel", "4"),
    ("memory_scope_work_item", "0"),
    ("memory_scope_work_group", "1"),
];

static ALL_DEVICES: Group =
    &[("memory_scope_all_svm_devices", "3"), ("memory_scope_all_devices", "3")];

/// cl_khr_cooperative_matrix, according to clang's draft; the last macro is Hekla's own. The scope is
/// memory_scope_sub_group.
static MATRICES: Group = &[
    ("CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP", "4"),
    ("CLK_COOPERATIVE_MATRIX_A", "0"),
    ("CLK_COOPERATIVE_MATRIX_B", "1"),
    ("CLK_COOPERATIVE_MATRIX_ACCUMULATOR", "2"),
    ("CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR", "0"),
    ("CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR", "1"),
    ("CLK_COOPERATIVE_MATRIX_OPERAND_NONE", "0"),
    ("CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION", "0x10"),
];

/// OpenCL C 6.15.15, samplers: the bits of a [`crate::kernel::sampler_word`].
static SAMPLERS: Group = &[
    ("CLK_NORMALIZED_COORDS_FALSE", "0x00"),
    ("CLK_NORMALIZED_COORDS_TRUE", "0x01"),
    ("CLK_ADDRESS_NONE", "0x00"),
    ("CLK_ADDRESS_CLAMP_TO_EDGE", "0x02"),
    ("CLK_ADDRESS_CLAMP", "0x04"),
    ("CLK_ADDRESS_REPEAT", "0x06"),
    ("CLK_ADDRESS_MIRRORED_REPEAT", "0x08"),
    ("CLK_FILTER_NEAREST", "0x00"),
    ("CLK_FILTER_LINEAR", "0x10"),
];

/// The results of get_image_channel_data_type and get_image_channel_order: the API's values.
static CHANNELS: Group = &[
    ("CLK_SNORM_INT8", "0x10D0"),
    ("CLK_SNORM_INT16", "0x10D1"),
    ("CLK_UNORM_INT8", "0x10D2"),
    ("CLK_UNORM_INT16", "0x10D3"),
    ("CLK_UNORM_SHORT_565", "0x10D4"),
    ("CLK_UNORM_SHORT_555", "0x10D5"),
    ("CLK_UNORM_INT_101010", "0x10D6"),
    ("CLK_SIGNED_INT8", "0x10D7"),
    ("CLK_SIGNED_INT16", "0x10D8"),
    ("CLK_SIGNED_INT32", "0x10D9"),
    ("CLK_UNSIGNED_INT8", "0x10DA"),
    ("CLK_UNSIGNED_INT16", "0x10DB"),
    ("CLK_UNSIGNED_INT32", "0x10DC"),
    ("CLK_HALF_FLOAT", "0x10DD"),
    ("CLK_FLOAT", "0x10DE"),
    ("CLK_UNORM_INT24", "0x10DF"),
    ("CLK_UNORM_INT_101010_2", "0x10E0"),
    ("CLK_R", "0x10B0"),
    ("CLK_A", "0x10B1"),
    ("CLK_RG", "0x10B2"),
    ("CLK_RA", "0x10B3"),
    ("CLK_RGB", "0x10B4"),
    ("CLK_RGBA", "0x10B5"),
    ("CLK_BGRA", "0x10B6"),
    ("CLK_ARGB", "0x10B7"),
    ("CLK_INTENSITY", "0x10B8"),
    ("CLK_LUMINANCE", "0x10B9"),
    ("CLK_Rx", "0x10BA"),
    ("CLK_RGx", "0x10BB"),
    ("CLK_RGBx", "0x10BC"),
    ("CLK_DEPTH", "0x10BD"),
    ("CLK_DEPTH_STENCIL", "0x10BE"),
    ("CLK_sRGB", "0x10BF"),
    ("CLK_sRGBx", "0x10C0"),
    ("CLK_sRGBA", "0x10C1"),
    ("CLK_sBGRA", "0x10C2"),
    ("CLK_ABGR", "0x10C3"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_defined_twice() {
        let mut names: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, group)| group.iter())
            .map(|(name, _)| name.split('(').next().unwrap_or(""))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
