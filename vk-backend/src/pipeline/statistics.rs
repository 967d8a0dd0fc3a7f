//! The driver's statistics on a pipeline's code: registers, stack and the like (VK_KHR_pipeline_executable_properties).

use std::ffi::{c_char, CStr};
use std::fmt;

use ash::vk;

use crate::device::Device;
use crate::physical::Features;

/// One number that the driver reports for a pipeline, under the driver's own name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Statistic {
    name: String,
    value: f64,
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.value)
    }
}

/// Returns true if pipelines must be created such that the driver reports statistics: while the log shows them.
pub(super) fn wanted(features: &Features) -> bool {
    features.pipeline_executable_info && tracing::enabled!(tracing::Level::DEBUG)
}

/// Returns the driver's statistics on a pipeline that was created with CAPTURE_STATISTICS; empty if a query fails.
pub(super) fn of(device: &Device, pipeline: vk::Pipeline) -> Vec<Statistic> {
    let Some(functions) = &device.functions.executables else { return Vec::new() };
    // A compute pipeline has one executable.
    let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline is alive and was created to be asked, as the caller says.
    let told = unsafe { functions.get_pipeline_executable_statistics(&info) };
    told.unwrap_or_default().iter().map(statistic).collect()
}

fn statistic(told: &vk::PipelineExecutableStatisticKHR<'_>) -> Statistic {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    // SAFETY: the format says which member the driver wrote; all are 8 bytes of plain numbers.
    let value = unsafe {
        match told.format {
            Format::BOOL32 => f64::from(told.value.b32),
            Format::INT64 => told.value.i64 as f64,
            Format::FLOAT64 => told.value.f64,
            _ => told.value.u64 as f64,
        }
    };
    Statistic { name: text(&told.name), value }
}

fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}
