//! The device features that order and scope arguments of the atomic functions of OpenCL C 2.0 (6.15.12) need.

use crate::builtins::{Builtin, Synchronization};
use crate::options::ClStd;
use crate::sema::hir::Expr;
use crate::sema::Sema;
use crate::source::Span;

const ACQ_REL: &str = "__opencl_c_atomic_order_acq_rel";
const SEQ_CST: &str = "__opencl_c_atomic_order_seq_cst";
const SCOPE_DEVICE: &str = "__opencl_c_atomic_scope_device";
const SCOPE_ALL_DEVICES: &str = "__opencl_c_atomic_scope_all_devices";
const SUBGROUPS: &str = "__opencl_c_subgroups";

// Values of memory_order.
const ACQUIRE: i128 = 2;
const RELEASE: i128 = 3;
const BOTH: i128 = 4;
const SEQUENTIAL: i128 = 5;

impl Sema<'_> {
    /// Returns true if the device offers the order and scope of a call (6.15.12.10). Warns of orders that the
    /// function cannot have.
    pub(super) fn synchronization_offered(
        &mut self,
        function: Builtin,
        sync: Synchronization,
        args: &[Expr],
        at: Span,
    ) -> bool {
        let mut needed: Vec<&str> = Vec::new();
        if args.len() == sync.first {
            needed.extend([SEQ_CST, SCOPE_DEVICE]);
        } else {
            for (order, wrong) in args.iter().skip(sync.first).take(sync.orders).zip(sync.wrong) {
                let Some(value) = self.eval_int(order) else { continue };
                if wrong.contains(&value) {
                    let message = "memory order argument to atomic operation is invalid";
                    self.diags.warning(order.span, message);
                }
                match value {
                    ACQUIRE | RELEASE | BOTH if !sync.is_fence => {
                        needed.push(ACQ_REL);
                    }
                    SEQUENTIAL => needed.push(SEQ_CST),
                    _ => {}
                }
            }
            let scope = args.get(sync.first + sync.orders);
            let value = scope.map_or(Some(2), |scope| self.eval_int(scope));
            match value {
                Some(2) => needed.push(SCOPE_DEVICE),
                // OpenCL C 2.0 has the scope of all devices; without shared virtual memory it is the same as the device's.
                Some(3) if self.options.std == ClStd::Cl20 => needed.push(SCOPE_DEVICE),
                Some(3) => needed.push(SCOPE_ALL_DEVICES),
                Some(4) => needed.push(SUBGROUPS),
                _ => {}
            }
        }
        let missing = needed.into_iter().find(|name| !self.target.offers(self.options.std, name));
        if let Some(feature) = missing {
            let message = format!(
                "this use of '{}' requires {feature} which this device does not offer",
                function.name()
            );
            self.error(at, message);
        }
        missing.is_none()
    }
}
