//! Built-in functions that a program cannot call: functions of later versions of OpenCL C, and of
//! optional features that the device lacks. The diagnostic of a call names the version or feature that
//! the function needs.

use crate::builtins::{Builtin, Check};
use crate::sema::Sema;
use crate::source::Span;

/// Features that devices may lack, each with the names of its functions.
const FEATURES: &[(&str, &[&str])] = &[
    (
        "device-side enqueue",
        &[
            "enqueue_kernel",
            "enqueue_marker",
            "get_default_queue",
            "get_kernel_work_group_size",
            "get_kernel_preferred_work_group_size_multiple",
            "get_kernel_max_sub_group_size_for_ndrange",
            "get_kernel_sub_group_count_for_ndrange",
            "ndrange_1D",
            "ndrange_2D",
            "ndrange_3D",
            "create_user_event",
            "set_user_event_status",
            "retain_event",
            "release_event",
            "is_valid_event",
            "capture_event_profiling_info",
        ],
    ),
    (
        "pipes",
        &[
            "read_pipe",
            "write_pipe",
            "reserve_read_pipe",
            "reserve_write_pipe",
            "commit_read_pipe",
            "commit_write_pipe",
            "is_valid_reserve_id",
            "work_group_reserve_read_pipe",
            "work_group_reserve_write_pipe",
            "work_group_commit_read_pipe",
            "work_group_commit_write_pipe",
            "get_pipe_num_packets",
            "get_pipe_max_packets",
        ],
    ),
    (
        "image support",
        &[
            "read_imagef",
            "read_imagei",
            "read_imageui",
            "read_imageh",
            "write_imagef",
            "write_imagei",
            "write_imageui",
            "write_imageh",
            "get_image_width",
            "get_image_height",
            "get_image_depth",
            "get_image_channel_data_type",
            "get_image_channel_order",
            "get_image_dim",
            "get_image_array_size",
        ],
    ),
    (
        "cl_khr_cooperative_matrix",
        &["coop_mat_load", "coop_mat_store", "coop_mat_mulAdd", "coop_mat_init", "coop_mat_length"],
    ),
    ("cl_khr_gl_msaa_sharing", &["get_image_num_samples"]),
    ("cl_khr_mipmap_image", &["get_image_num_mip_levels"]),
];

/// Prefixes of the names of such functions, each with its feature.
const PREFIXES: &[(&str, &str)] = &[
    ("sub_group_", "sub-groups"),
    ("clock_read_", "cl_khr_kernel_clock"),
    ("qcom_", "one of Qualcomm's extensions"),
];

/// Returns the feature that an unavailable function needs.
fn feature_of(name: &str) -> Option<&'static str> {
    let listed = FEATURES.iter().find(|(_, names)| names.contains(&name));
    let by_prefix = || PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix));
    listed.map(|(feature, _)| *feature).or_else(|| by_prefix().map(|(_, feature)| *feature))
}

impl Sema<'_> {
    /// Reports that there is no function of a name, and which version or feature has it.
    pub(in crate::sema) fn no_function(&mut self, name: &str, at: Span) {
        let builtin = Builtin::named(name);
        let version = builtin.map(Builtin::since).filter(|since| *since > self.options.std);
        let collective = builtin.is_some_and(|builtin| builtin.check() == Check::Collective);
        let extension = builtin.and_then(|builtin| match builtin.check() {
            Check::Subgroup(name) | Check::Clustered(name) => Some(name),
            _ => None,
        });
        let feature = match version {
            None if extension.is_some() => extension,
            None if collective => Some("__opencl_c_work_group_collective_functions"),
            None => feature_of(name),
            Some(_) => None,
        };
        if let Some(feature) = feature {
            let message =
                format!("use of '{name}' requires {feature} which this device does not offer");
            return self.error(at, message);
        }
        self.error(at, format!("implicit declaration of function '{name}' is invalid in OpenCL"));
        if let Some(version) = version {
            self.diags
                .note(None, format!("'{name}' is a function of OpenCL C {version} and later"));
        }
    }
}
