//! The atomic functions of OpenCL C 2.0 (6.15.12): their types, and what their order and scope
//! arguments need of the device.

use super::signature::{Elements, Family, Sig, Spaces, TypePattern, SCALAR};
use crate::options::ClStd;
use crate::sema::hir::Expr;
use crate::sema::types::Scalar;
use crate::sema::Sema;
use crate::source::Span;
use TypePattern::{Void, G};

const OBJECT: TypePattern = TypePattern::Atomic(Spaces::ATOMIC);
const EXPECTED: TypePattern = TypePattern::OutElement(Spaces::WRITABLE);
const BOOL: TypePattern = TypePattern::S(Scalar::Bool);
const ORDER: TypePattern = TypePattern::S(Scalar::Int);
const SCOPE: TypePattern = TypePattern::S(Scalar::Int);

const fn any(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::ATOMIC, ret, params).lanes(SCALAR)
}

const fn integer(params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::I32_I64, G, params).lanes(SCALAR)
}

const fn flag(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::FLAG, ret, params).lanes(SCALAR)
}

const fn c11(names: &'static [&'static str], sigs: &'static [Sig]) -> Family {
    Family::new(names, sigs).since(ClStd::Cl20)
}

pub(super) const FAMILIES: &[Family] = &[
    c11(&["atomic_init", "atomic_store"], &[any(Void, &[OBJECT, G])]),
    c11(
        &["atomic_store_explicit"],
        &[any(Void, &[OBJECT, G, ORDER]), any(Void, &[OBJECT, G, ORDER, SCOPE])],
    ),
    c11(&["atomic_load"], &[any(G, &[OBJECT])]),
    c11(&["atomic_load_explicit"], &[any(G, &[OBJECT, ORDER]), any(G, &[OBJECT, ORDER, SCOPE])]),
    c11(&["atomic_exchange"], &[any(G, &[OBJECT, G])]),
    c11(
        &["atomic_exchange_explicit"],
        &[any(G, &[OBJECT, G, ORDER]), any(G, &[OBJECT, G, ORDER, SCOPE])],
    ),
    c11(
        &["atomic_compare_exchange_strong", "atomic_compare_exchange_weak"],
        &[any(BOOL, &[OBJECT, EXPECTED, G])],
    ),
    c11(
        &["atomic_compare_exchange_strong_explicit", "atomic_compare_exchange_weak_explicit"],
        &[
            any(BOOL, &[OBJECT, EXPECTED, G, ORDER, ORDER]),
            any(BOOL, &[OBJECT, EXPECTED, G, ORDER, ORDER, SCOPE]),
        ],
    ),
    c11(
        &[
            "atomic_fetch_add",
            "atomic_fetch_sub",
            "atomic_fetch_or",
            "atomic_fetch_xor",
            "atomic_fetch_and",
            "atomic_fetch_min",
            "atomic_fetch_max",
        ],
        &[integer(&[OBJECT, G])],
    ),
    c11(
        &[
            "atomic_fetch_add_explicit",
            "atomic_fetch_sub_explicit",
            "atomic_fetch_or_explicit",
            "atomic_fetch_xor_explicit",
            "atomic_fetch_and_explicit",
            "atomic_fetch_min_explicit",
            "atomic_fetch_max_explicit",
        ],
        &[integer(&[OBJECT, G, ORDER]), integer(&[OBJECT, G, ORDER, SCOPE])],
    ),
    c11(&["atomic_flag_test_and_set"], &[flag(BOOL, &[OBJECT])]),
    c11(
        &["atomic_flag_test_and_set_explicit"],
        &[flag(BOOL, &[OBJECT, ORDER]), flag(BOOL, &[OBJECT, ORDER, SCOPE])],
    ),
    c11(&["atomic_flag_clear"], &[flag(Void, &[OBJECT])]),
    c11(
        &["atomic_flag_clear_explicit"],
        &[flag(Void, &[OBJECT, ORDER]), flag(Void, &[OBJECT, ORDER, SCOPE])],
    ),
];

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

/// The order and scope arguments of a function.
struct Synchronization {
    /// Position of the first order.
    first: usize,
    orders: usize,
    /// Orders without meaning for the function, for the first order and for the second.
    wrong: [&'static [i128]; 2],
}

/// `None` for functions without order and scope.
fn synchronization(name: &str) -> Option<Synchronization> {
    let name = name.strip_prefix("atomic_")?;
    let base = name.strip_suffix("_explicit").unwrap_or(name);
    let (first, wrong): (_, &[i128]) = match base {
        "work_item_fence" => (1, &[]),
        "store" => (2, &[ACQUIRE, BOTH]),
        "load" => (1, &[RELEASE, BOTH]),
        "flag_clear" => (1, &[ACQUIRE, BOTH]),
        "flag_test_and_set" => (1, &[]),
        "exchange" => (2, &[]),
        "compare_exchange_strong" | "compare_exchange_weak" => (3, &[]),
        _ if base.starts_with("fetch_") => (2, &[]),
        _ => return None,
    };
    let orders = if first == 3 { 2 } else { 1 };
    Some(Synchronization { first, orders, wrong: [wrong, &[RELEASE, BOTH]] })
}

impl Sema<'_> {
    /// Returns true if the device offers the order and scope of a call (6.15.12.10). Warns of orders that the
    /// function cannot have.
    pub(super) fn synchronization_offered(&mut self, name: &str, args: &[Expr], at: Span) -> bool {
        let Some(sync) = synchronization(name) else { return true };
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
                    ACQUIRE | RELEASE | BOTH if name != "atomic_work_item_fence" => {
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
                // In OpenCL C 2.0; without shared virtual memory it means no more than the device.
                Some(3) if self.options.std == ClStd::Cl20 => needed.push(SCOPE_DEVICE),
                Some(3) => needed.push(SCOPE_ALL_DEVICES),
                Some(4) => needed.push(SUBGROUPS),
                _ => {}
            }
        }
        let missing = needed.into_iter().find(|name| !self.target.offers(self.options.std, name));
        if let Some(feature) = missing {
            let message =
                format!("this use of '{name}' requires {feature} which this device does not offer");
            self.error(at, message);
        }
        missing.is_none()
    }
}
