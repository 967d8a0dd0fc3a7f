//! The answers of clGetDeviceInfo (table 5 of the spec): the properties of the device as Vulkan reports them, the least that
//! the spec allows where Vulkan reports nothing, and a negative answer for optional features that are not offered.

use super::{
    capabilities, driver_version, frequency, images, language, matrices, platform, spirv, usm,
};
use crate::cl::info::Value;
use crate::cl::*;
use crate::config;
use crate::core::clang;
use crate::core::device::external;
use crate::core::device::open;
use crate::core::device::subgroups::SubgroupsFound;
use crate::core::device::{Device, BASE_ALIGNMENT, MAX_PARAMETER_SIZE};
use crate::object::Ref;
use crate::platform::SHARES_GL;
use hekla_compiler::target::MAX_GLOBAL_VARIABLE_SIZE;
use hekla_compiler::Target;
use hekla_vk_backend as vk;

const V1: cl_version = make_version(1, 0, 0);
const V2: cl_version = make_version(2, 0, 0);
const V3: cl_version = make_version(3, 0, 0);

/// Returns the compiler's target for the device, without the properties that only probes on the open device find out.
pub fn compiled_for(device: &Device) -> Target {
    let SubgroupsFound { in_order, progress } = device.subgroups_found();
    let probe = vk::Probe {
        subgroups_in_order: in_order,
        subgroups_progress: progress,
        ..vk::Probe::default()
    };
    open::target(device.info(), &probe, device.image_features(), device.profile)
}

/// OpenCL C versions that the compiler takes.
fn c_versions(device: &Device) -> Vec<(&'static str, cl_version)> {
    let versions = compiled_for(device).c_versions().iter();
    versions.map(|version| ("OpenCL C", platform::version_number(*version))).collect()
}

/// Returns the extensions that work on the device: the compiler's, and the API's.
pub fn extensions(device: &Device) -> Vec<(&'static str, cl_version)> {
    let info = device.info();
    let version = |name| match name {
        "cl_khr_integer_dot_product" => V2,
        "cl_intel_subgroups_short" => make_version(1, 1, 0),
        _ => V1,
    };
    let mut all: Vec<_> =
        compiled_for(device).extensions().into_iter().map(|name| (name, version(name))).collect();
    all.extend([
        ("cl_arm_printf", make_version(2, 0, 0)),
        ("cl_ext_buffer_device_address", make_version(1, 0, 2)),
        ("cl_ext_immutable_memory_objects", V1),
        ("cl_khr_command_buffer", make_version(0, 9, 8)),
        ("cl_khr_command_buffer_mutable_dispatch", make_version(0, 9, 5)),
        ("cl_intel_unified_shared_memory", make_version(1, 2, 0)),
        ("cl_khr_create_command_queue", V1),
        ("cl_khr_device_uuid", V1),
        ("cl_khr_expect_assume", V1),
        ("cl_khr_extended_versioning", V1),
        ("cl_khr_il_program", V1),
        ("cl_khr_initialize_memory", V1),
        ("cl_khr_priority_hints", V1),
        ("cl_khr_spirv_extended_debug_info", V1),
        ("cl_khr_spirv_linkonce_odr", V1),
        ("cl_khr_spirv_no_integer_wrap_decoration", V1),
        ("cl_khr_spirv_queries", V1),
        ("cl_khr_suggested_local_work_size", V1),
        ("cl_khr_throttle_hints", V1),
    ]);
    if clang::is_installed() {
        all.push(("cl_ext_cxx_for_opencl", V1));
    }
    if info.pci.is_some() {
        all.push(("cl_khr_pci_bus_info", V1));
    }
    all.push(("cl_khr_semaphore", V1));
    if device.images().is_some() {
        all.push(("cl_khr_image2d_from_buffer", V1));
        all.push(("cl_ext_image_requirements_info", make_version(0, 5, 0)));
        all.push(("cl_ext_image_from_buffer", V1));
        // EGL exports images as dma_bufs.
        if info.features.external.memory_import.contains(vk::MemoryHandles::DMA_BUF) {
            all.push(("cl_khr_egl_image", V1));
        }
    }
    if SHARES_GL {
        let names = ["cl_khr_gl_sharing", "cl_khr_gl_event", "cl_khr_egl_event"];
        all.extend(names.map(|name| (name, V1)));
    }
    all.extend(external_extensions(&info.features.external));
    if info.memory.unified && !config::always_stage() {
        all.extend(arm_imports(info));
    }
    all.retain(|(name, _)| !device.profile.is_some_and(|profile| profile.hides(name)));
    all
}

/// Returns the extensions for sharing with other APIs.
fn external_extensions(external: &vk::External) -> Vec<(&'static str, cl_version)> {
    use vk::{MemoryHandles as M, SemaphoreHandles as S};
    let (memory, semaphores) =
        (external.memory_import, external.semaphore_import | external.semaphore_export);
    let all = [
        ("cl_khr_external_memory", make_version(1, 0, 1), !memory.is_empty()),
        ("cl_khr_external_memory_dma_buf", V1, memory.contains(M::DMA_BUF)),
        ("cl_khr_external_memory_opaque_fd", V1, memory.contains(M::OPAQUE_FD)),
        ("cl_khr_external_semaphore", make_version(1, 0, 1), !semaphores.is_empty()),
        ("cl_khr_external_semaphore_opaque_fd", V1, semaphores.contains(S::OPAQUE_FD)),
        ("cl_khr_external_semaphore_sync_fd", V1, semaphores.contains(S::SYNC_FD)),
    ];
    let offered = all.into_iter().filter(|(_, _, offered)| *offered);
    offered.map(|(name, version, _)| (name, version)).collect()
}

/// Returns the extensions for imported memory that is never copied, on devices whose memory is the host's.
fn arm_imports(info: &vk::DeviceInfo) -> Vec<(&'static str, cl_version)> {
    let dma_bufs = info.features.external.memory_import.contains(vk::MemoryHandles::DMA_BUF);
    let all = [
        ("cl_arm_import_memory", info.memory.host_import || dma_bufs),
        ("cl_arm_import_memory_host", info.memory.host_import),
        ("cl_arm_import_memory_dma_buf", dma_bufs),
    ];
    let offered = all.into_iter().filter(|(_, offered)| *offered);
    offered.map(|(name, _)| (name, V1)).collect()
}

/// Optional features of OpenCL C 3.0 and newer that the compiler supports on the device.
fn c_features(device: &Device) -> Vec<(&'static str, cl_version)> {
    compiled_for(device).features().into_iter().map(|name| (name, V3)).collect()
}

fn vendor_name(info: &vk::DeviceInfo) -> String {
    let known = match info.vendor_id {
        0x1002 => "Advanced Micro Devices, Inc.",
        0x1010 => "Imagination Technologies",
        0x106B => "Apple",
        0x10DE => "NVIDIA Corporation",
        0x13B5 => "ARM",
        0x14E4 => "Broadcom",
        0x1AE0 => "Google",
        0x5143 => "QUALCOMM",
        0x8086 => "Intel(R) Corporation",
        0x10001 => "Vivante",
        0x10002 => "VeriSilicon",
        0x10005 => "Mesa",
        0x10006 => "PoCL",
        other => return format!("PCI vendor {other:#06x}"),
    };
    known.to_string()
}

fn device_name(device: &Device) -> String {
    let own = device.info().name.trim();
    let told = device.profile.and_then(|profile| profile.device_name(own));
    told.unwrap_or_else(|| own.to_string())
}

fn device_vendor(device: &Device) -> String {
    let own = vendor_name(device.info());
    device.profile.and_then(|profile| profile.device_vendor(&own)).unwrap_or(own)
}

/// Answers a query; `None` for a name that is not one of clGetDeviceInfo's.
pub fn query(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    identity(device, name)
        .or_else(|| limits(device, name))
        .or_else(|| arithmetic(device, name))
        .or_else(|| memory(device, name))
        .or_else(|| execution(device, name))
        .or_else(|| sharing(device, name))
        .or_else(|| language::query(device.info(), &compiled_for(device), name))
        .or_else(|| matrices::query(device, name))
        .or_else(|| spirv::query(&compiled_for(device), name))
        .or_else(|| images::info::query(device.images(), name))
        .or_else(|| absent_features(name))
}

/// Answers queries about names, versions and lists.
fn identity(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    let info = device.info();
    Some(match name {
        CL_DEVICE_TYPE => Value::of(device.device_type),
        CL_DEVICE_VENDOR_ID => {
            let told = device.profile.and_then(|profile| profile.device_vendor_id);
            Value::of(told.unwrap_or(info.vendor_id))
        }
        CL_DEVICE_NAME => Value::text(&device_name(device)),
        CL_DEVICE_VENDOR => Value::text(&device_vendor(device)),
        CL_DRIVER_VERSION => Value::text(&driver_version::of(info)),
        CL_DEVICE_PROFILE => Value::text(platform::PROFILE),
        CL_DEVICE_VERSION => Value::text(&platform::version_text(compiled_for(device).version())),
        CL_DEVICE_NUMERIC_VERSION => {
            Value::of(platform::version_number(compiled_for(device).version()))
        }
        CL_DEVICE_OPENCL_C_VERSION => {
            Value::text(concat!("OpenCL C 1.2 Hekla ", env!("CARGO_PKG_VERSION")))
        }
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => Value::of(make_version(1, 2, 0)),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => Value::names(&c_versions(device)),
        // The version of `-cl-std=CLC++`; a cl_version has no room for 2021.
        CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT if clang::is_installed() => Value::of(V1),
        CL_DEVICE_OPENCL_C_FEATURES => Value::names(&c_features(device)),
        CL_DEVICE_EXTENSIONS => {
            let names: Vec<_> = extensions(device).into_iter().map(|(name, _)| name).collect();
            Value::text(&names.join(" "))
        }
        CL_DEVICE_EXTENSIONS_WITH_VERSION => Value::names(&extensions(device)),
        CL_DEVICE_PLATFORM => Value::of(platform::platform().handle()),
        // The form that the spec gives for implementations that are not conformant yet.
        // None was passed yet; the form vYYYY-MM-DD-XX needs a valid month and day nevertheless.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => Value::text("v0000-01-01-00"),
        CL_DEVICE_UUID => Value::list(&info.device_uuid),
        CL_DRIVER_UUID => Value::list(&info.driver_uuid),
        CL_DEVICE_LUID_VALID => Value::bool(info.luid.is_some()),
        CL_DEVICE_LUID => Value::list(&info.luid.unwrap_or_default()),
        CL_DEVICE_NODE_MASK => Value::of(u32::from(info.luid.is_some())),
        CL_DEVICE_PCI_BUS_INFO_KHR => {
            let pci = info.pci.as_ref()?;
            Value::of(cl_device_pci_bus_info_khr {
                pci_domain: pci.domain,
                pci_bus: pci.bus,
                pci_device: pci.device,
                pci_function: pci.function,
            })
        }
        CL_DEVICE_REFERENCE_COUNT => Value::of(1u32),
        CL_DEVICE_PARENT_DEVICE => Value::of(std::ptr::null_mut::<_cl_device_id>()),
        _ => return None,
    })
}

/// Answers queries about compute units, work-groups and clocks.
fn limits(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    let info = device.info();
    Some(match name {
        CL_DEVICE_MAX_COMPUTE_UNITS => Value::of(compute_units(info)),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Value::of(3u32),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => Value::of(device.max_work_group_size()),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => Value::list(&device.max_work_item_sizes()),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            Value::of(info.features.subgroup_size.max(1) as usize)
        }
        CL_DEVICE_MAX_NUM_SUB_GROUPS => Value::of(device.max_num_subgroups() as u32),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
            Value::bool(device.subgroups().is_some_and(|subgroups| subgroups.forward_progress))
        }
        CL_DEVICE_SUB_GROUP_SIZES_INTEL if !device.subgroup_sizes().is_empty() => {
            Value::list(&device.subgroup_sizes())
        }
        CL_DEVICE_MAX_CLOCK_FREQUENCY => Value::of(frequency::in_mhz(info)),
        CL_DEVICE_ADDRESS_BITS => Value::of(64u32),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => {
            Value::of((info.limits.timestamp_period.ceil() as usize).max(1))
        }
        _ => return None,
    })
}

/// Returns the number of compute units: a processor's threads. A GPU's number is known from vendors' extensions only;
/// a medium one suits the programs that size their launches by it.
fn compute_units(info: &vk::DeviceInfo) -> u32 {
    match info.device_type {
        vk::DeviceType::Cpu => {
            std::thread::available_parallelism().map_or(1, |count| count.get() as u32)
        }
        _ => info.limits.compute_units.unwrap_or(16),
    }
}

/// Answers queries about vector widths and floating point.
fn arithmetic(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    let features = &device.info().features;
    Some(match name {
        // Work-items are scalar to Vulkan drivers.
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => Value::of(1u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            Value::of(u32::from(compiled_for(device).float64))
        }
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            Value::of(u32::from(has_half(features)))
        }
        CL_DEVICE_SINGLE_FP_CONFIG => Value::of(single_config(device)),
        CL_DEVICE_DOUBLE_FP_CONFIG => Value::of(double_config(device)),
        CL_DEVICE_HALF_FP_CONFIG => Value::of(half_config(device)),
        CL_DEVICE_ENDIAN_LITTLE => Value::bool(true),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Value::of(
            CL_DEVICE_ATOMIC_ORDER_RELAXED
                | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                | atomic_capabilities(device),
        ),
        // Every device has fences within a work-group.
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => Value::of(
            CL_DEVICE_ATOMIC_ORDER_RELAXED
                | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
                | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM
                | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
                | atomic_capabilities(device),
        ),
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => Value::of(0u32),
        _ => return None,
    })
}

/// Returns the optional orders and scopes of atomic operations, from the compiler's features.
fn atomic_capabilities(device: &Device) -> cl_bitfield {
    let features = compiled_for(device).features();
    let capabilities = [
        ("__opencl_c_atomic_order_acq_rel", CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        ("__opencl_c_atomic_order_seq_cst", CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        ("__opencl_c_atomic_scope_device", CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        ("__opencl_c_atomic_scope_all_devices", CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ];
    let offered = capabilities.into_iter().filter(|(feature, _)| features.contains(feature));
    offered.fold(0, |all, (_, capability)| all | capability)
}

/// Returns the results of the probe of the device's arithmetic.
fn single_config(device: &Ref<Device>) -> cl_device_fp_config {
    let mut config =
        CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | denormals(device, vk::FloatWidth::Single);
    let Ok(gpu) = device.gpu() else { return config };
    let probe = &gpu.probe;
    if probe.fma32_fused {
        config |= CL_FP_FMA;
    }
    if probe.div32_exact && probe.sqrt32_exact {
        config |= CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    }
    config
}

/// Returns true if cl_khr_fp16 is offered.
fn has_half(features: &vk::Features) -> bool {
    features.float16 && features.storage16
}

/// Returns the capabilities of half precision, which are those of single precision.
fn half_config(device: &Ref<Device>) -> cl_device_fp_config {
    if !has_half(&device.info().features) {
        return 0;
    }
    CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | denormals(device, vk::FloatWidth::Half)
}

/// Double precision is offered with all that the spec requires of it, or not at all. Where the device
/// flushes denormals, or has no doubles, the compiler's arithmetic keeps them.
fn double_config(device: &Ref<Device>) -> cl_device_fp_config {
    let target = compiled_for(device);
    if !target.float64 {
        return 0;
    }
    let by_device = target.has_native_doubles() && denormals(device, vk::FloatWidth::Double) != 0;
    CL_FP_FMA
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_INF_NAN
        | CL_FP_DENORM
        | if by_device { 0 } else { CL_FP_SOFT_FLOAT }
}

/// Returns CL_FP_DENORM if no operation on floats of a width flushes denormals, otherwise 0.
fn denormals(device: &Ref<Device>, width: vk::FloatWidth) -> cl_device_fp_config {
    let kept = device.gpu().is_ok_and(|gpu| gpu.probe.floats.keeps_denormals(width));
    if kept {
        CL_FP_DENORM
    } else {
        0
    }
}

/// Answers queries about memory.
fn memory(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    let info = device.info();
    Some(match name {
        CL_DEVICE_GLOBAL_MEM_SIZE => Value::of(device.global_memory()),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => Value::of(device.max_allocation()),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Value::of(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Value::of(64u32),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Value::of(cache_size(info)),
        // Constant memory is global memory, and larger buffers work too. Programs that fill what is
        // reported should not have to fill all memory.
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => {
            Value::of(device.max_allocation().min(MAX_GLOBAL_VARIABLE_SIZE))
        }
        CL_DEVICE_MAX_CONSTANT_ARGS => Value::of(64u32),
        CL_DEVICE_LOCAL_MEM_TYPE => Value::of(match info.device_type {
            vk::DeviceType::Cpu => CL_GLOBAL,
            _ => CL_LOCAL,
        }),
        CL_DEVICE_LOCAL_MEM_SIZE => Value::of(device.local_memory()),
        CL_DEVICE_HOST_UNIFIED_MEMORY => Value::bool(info.memory.unified),
        CL_DEVICE_MAX_PARAMETER_SIZE => Value::of(MAX_PARAMETER_SIZE),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => Value::of(8 * BASE_ALIGNMENT as u32),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Value::of(BASE_ALIGNMENT as u32),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => Value::bool(false),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            Value::of(MAX_GLOBAL_VARIABLE_SIZE as usize)
        }
        CL_DEVICE_PRINTF_BUFFER_SIZE => Value::of(capabilities::PRINTF_BUFFER_SIZE),
        CL_DEVICE_SVM_CAPABILITIES => {
            Value::of(device.gpu().map_or(0, |gpu| svm_capabilities(&gpu)))
        }
        CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => Value::of(usm::DEVICE_CAPABILITIES),
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
            Value::of(device.gpu().map_or(0, |gpu| usm::common_capabilities(&gpu)))
        }
        CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => {
            Value::of(device.gpu().map_or(0, |gpu| usm::cross_device_capabilities(&gpu)))
        }
        // Memory of malloc is offered only where kernels reach all of the host's memory.
        CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => {
            Value::of(device.gpu().map_or(0, |gpu| usm::system_capabilities(&gpu)))
        }
        _ => return None,
    })
}

/// Returns the size in bytes of the outermost cache of a processor; Vulkan does not report a GPU's.
fn cache_size(info: &vk::DeviceInfo) -> u64 {
    if info.device_type != vk::DeviceType::Cpu {
        return 0;
    }
    let read = |index: u32| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = std::fs::read_to_string(path).ok()?;
        text.trim().strip_suffix('K')?.parse::<u64>().ok()
    };
    (0..4).rev().find_map(read).unwrap_or(0) * 1024
}

/// Answers queries about queues and kernels.
fn execution(device: &Ref<Device>, name: cl_device_info) -> Option<Value> {
    Some(match name {
        CL_DEVICE_AVAILABLE => Value::bool(device.is_available()),
        CL_DEVICE_COMPILER_AVAILABLE | CL_DEVICE_LINKER_AVAILABLE => Value::bool(true),

        CL_DEVICE_EXECUTION_CAPABILITIES => {
            let native = device.gpu().is_ok_and(|gpu| gpu.runs_native_kernels());
            Value::of(CL_EXEC_KERNEL | if native { CL_EXEC_NATIVE_KERNEL } else { 0 })
        }
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            Value::of(capabilities::queue_properties(device.info()))
        }
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => {
            let enqueues = match language::on_device_properties(device) {
                0 => 0,
                _ => CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR,
            };
            Value::of(capabilities::COMMAND_BUFFER_CAPABILITIES | enqueues)
        }
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => {
            Value::of(capabilities::COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES)
        }
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
            Value::of(capabilities::queue_properties(device.info()))
        }
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => {
            Value::of(capabilities::MUTABLE_DISPATCH_CAPABILITIES)
        }
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => Value::bool(true),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Value::bool(true),
        CL_DEVICE_BUILT_IN_KERNELS => Value::text(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Value::names(&[]),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => Value::of(0u32),
        CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => Value::of(0isize),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => Value::of(0u64),
        _ => return None,
    })
}

/// Answers queries about semaphores and memory of other APIs.
fn sharing(device: &Device, name: cl_device_info) -> Option<Value> {
    let info = device.info();
    let external = &info.features.external;
    Some(match name {
        CL_DEVICE_SEMAPHORE_TYPES_KHR => Value::list(&[CL_SEMAPHORE_TYPE_BINARY_KHR]),
        CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => {
            Value::list(&external::semaphore_names(external.semaphore_import))
        }
        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
            Value::list(&external::semaphore_names(external.semaphore_export))
        }
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => {
            Value::list(&external::memory_imports(info))
        }
        // For every kind of handle, rows are where the image's pitches say.
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR => {
            let imports = device.images().map(|_| external::memory_imports(info));
            Value::list(&imports.unwrap_or_default())
        }
        _ => return None,
    })
}

/// Answers queries about optional features that are not offered.
fn absent_features(name: cl_device_info) -> Option<Value> {
    Some(match name {
        // No extended instruction set, extension or capability of SPIR-V is accepted.
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS
        | CL_DEVICE_SPIRV_EXTENSIONS
        | CL_DEVICE_SPIRV_CAPABILITIES => Value::list::<u32>(&[]),
        _ => return None,
    })
}

/// Returns CL_DEVICE_SVM_CAPABILITIES.
fn svm_capabilities(gpu: &super::open::Gpu) -> u64 {
    let system = if gpu.reaches_system() { CL_DEVICE_SVM_FINE_GRAIN_SYSTEM } else { 0 };
    gpu.sharing().capabilities() | system
}
