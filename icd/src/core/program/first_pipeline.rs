//! The first pipeline of a kernel, made in the background between clCreateKernel and the first launch. The sizes of the first
//! launch are not known yet: kernels whose pipeline depends much on them get none. If a program creates hundreds of kernels at
//! once, only the first ones get a pipeline, since the program will not use all of them soon.

use crate::core::device::Device;
use crate::core::process::background::BACKGROUND;
use crate::core::program::kernel::{BuiltKernel, Kernel, KernelArguments};
use crate::core::program::pipelines::PipelineKey;
use crate::core::program::shape::{LaunchShape, Sizes};
use hekla_compiler::kernel::{ArgKind, Kernel as Metadata};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The delay before a pipeline is made: a program that launches the kernel sooner makes the pipeline itself.
const DELAY: Duration = Duration::from_millis(10);
/// The time in which a pipeline is made that is not costly.
const COSTLY: Duration = Duration::from_millis(100);

/// Makes the likely first pipelines of a kernel that has just been created, in the background, on devices where that saves
/// time.
pub fn prepare(kernel: &Kernel) {
    let arguments = kernel.arguments.lock();
    for (device, built) in kernel.program.devices.iter().zip(&kernel.built) {
        let Some(built) = built.as_ref().filter(|built| built.gpu.prepares_pipelines) else {
            continue;
        };
        let Some(key) = likely_key(device, built, &arguments) else { continue };
        prepare_later(Arc::downgrade(built), key);
    }
}

/// Makes the pipeline for a key later, unless the kernel is launched before. If the launch needs another pipeline, and this
/// takes long, the pipeline for the key is made all the same: many programs first test a kernel with few work-items.
fn prepare_later(built: Weak<BuiltKernel>, key: PipelineKey) {
    BACKGROUND.run_after(DELAY, move || {
        let Some(kernel) = built.upgrade() else { return };
        if !kernel.is_launched() {
            return kernel.prepare(&key);
        }
        BACKGROUND.run_after(COSTLY, move || {
            if let Some(kernel) = built.upgrade() {
                kernel.prepare(&key);
            }
        });
    });
}

/// Returns the key of the pipeline that the first launch most likely needs; `None` if it cannot be guessed.
fn likely_key(
    device: &Device,
    built: &BuiltKernel,
    arguments: &KernelArguments,
) -> Option<PipelineKey> {
    let sizes = likely_sizes(&built.kernel)?;
    LaunchShape::new(device, built, arguments, &sizes).ok().map(|shape| shape.key)
}

/// Returns sizes of a likely launch: many work-items, a multiple of the local size, without offset.
fn likely_sizes(kernel: &Metadata) -> Option<Sizes> {
    let is_local = |kind: &ArgKind| matches!(kind, ArgKind::Local { .. });
    if kernel.args.iter().any(|arg| is_local(&arg.kind)) {
        return None;
    }
    let offset = [0; 3];
    if let Some(local) = kernel.required_local_size.or(kernel.local_size_hint) {
        let local = local.map(|size| size as usize);
        let [x, y, z] = local;
        let global = [x << 20, y, z];
        return Some(Sizes { dimensions: 3, offset, global, local: Some(local) });
    }
    // Kernels that pass this check use the same pipeline for most local sizes.
    if kernel.local_size_visible || !kernel.packs_groups {
        return None;
    }
    let global = match kernel.dimensions {
        0 | 1 => [1 << 20, 1, 1],
        2 => [1 << 10, 1 << 10, 1],
        _ => [1 << 7; 3],
    };
    Some(Sizes { dimensions: kernel.dimensions.max(1), offset, global, local: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hekla_compiler::kernel::{Arg, ArgAddress};

    fn sizes(kernel: Metadata) -> Option<([usize; 3], Option<[usize; 3]>)> {
        likely_sizes(&kernel).map(|sizes| (sizes.global, sizes.local))
    }

    #[test]
    fn launches_are_likely_as_the_kernel_asks() {
        let kernel = || Metadata { local_size_visible: true, ..Metadata::default() };
        let required = Metadata { required_local_size: Some([8, 4, 2]), ..kernel() };
        assert_eq!(sizes(required), Some(([8 << 20, 4, 2], Some([8, 4, 2]))));
        let hint = Metadata { local_size_hint: Some([64, 1, 1]), ..kernel() };
        assert_eq!(sizes(hint), Some(([64 << 20, 1, 1], Some([64, 1, 1]))));
        assert_eq!(sizes(kernel()), None);
    }

    #[test]
    fn launches_of_kernels_that_any_local_size_suits_have_their_dimensions() {
        let open = |dimensions| Metadata { packs_groups: true, dimensions, ..Metadata::default() };
        assert_eq!(sizes(open(0)), Some(([1 << 20, 1, 1], None)));
        assert_eq!(sizes(open(2)), Some(([1 << 10, 1 << 10, 1], None)));
        assert_eq!(sizes(open(3)), Some(([1 << 7; 3], None)));
        // A kernel whose work-items wait for each other keeps the application's local size.
        assert_eq!(sizes(Metadata::default()), None);
    }

    #[test]
    fn sizes_of_local_arguments_are_not_guessed() {
        let local = Arg {
            name: String::new(),
            type_name: String::new(),
            kind: ArgKind::Local { ordinal: 0, align: 4 },
            address: ArgAddress::Local,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        };
        let required_local_size = Some([64, 1, 1]);
        assert_eq!(
            sizes(Metadata { required_local_size, args: vec![local], ..Metadata::default() }),
            None
        );
    }
}
