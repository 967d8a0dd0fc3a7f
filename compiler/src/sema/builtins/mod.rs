//! The built-in functions of OpenCL C 6.15: which there are, and which overload a call means.
//!
//! A function is a few signature patterns over the generic types of the spec (`gentype`), not a list
//! of overloads. A call chooses among all instances of its patterns the one whose parameters need
//! the cheapest conversions.

mod atomics;
mod common;
mod integer;
mod math;
mod memory;
mod printf;
mod resolve;
mod signature;
mod spaces;
mod special;
mod unavailable;
mod workitem;

use crate::options::ClStd;
use rustc_hash::FxHashMap;
use signature::{Family, Sig};
use std::sync::LazyLock;

/// A built-in function by name.
#[derive(Debug, Clone, Copy)]
struct Builtin {
    name: &'static str,
    sigs: &'static [Sig],
    since: ClStd,
}

/// All families of built-in functions that programs may call.
const FAMILIES: &[&[Family]] = &[
    math::FAMILIES,
    integer::FAMILIES,
    common::FAMILIES,
    memory::FAMILIES,
    atomics::FAMILIES,
    workitem::FAMILIES,
];

static BUILTINS: LazyLock<FxHashMap<&'static str, Builtin>> =
    LazyLock::new(|| index(FAMILIES.iter().copied().flatten()));

fn index<'f>(families: impl IntoIterator<Item = &'f Family>) -> FxHashMap<&'static str, Builtin> {
    let mut map = FxHashMap::default();
    for family in families {
        for &name in family.names {
            map.insert(name, Builtin { name, sigs: family.sigs, since: family.since });
        }
    }
    map
}
