//! The built-in functions of OpenCL C 6.15: one row for each holds its signatures and its lowering.
//!
//! A file holds the rows of a chapter and what they lower to. A row is for one function, or for several that
//! share all of it. A function is a few signature patterns over the generic types of the specification
//! (`gentype`), not a list of overloads; the front end finds out which overload a call means. Lowering takes
//! values of the IR, and the part of their types that the IR leaves out ([`Number`]), so that every front end
//! uses the same rows.
//!
//! Names are looked up once ([`Builtin::named`]); from there on a function is its [`Builtin`]. Conversions
//! (`convert_`, `as_`) are named after types and have no rows; [`convert`] lowers them.

mod async_copy;
mod atomics;
mod bfloat16;
mod c11_atomics;
mod clocks;
mod collective;
mod collective_by_items;
mod collective_by_subgroups;
mod common;
pub mod convert;
mod device_queue;
mod dot_product;
mod enqueue;
mod exact_math;
mod extended_async_copy;
mod extended_bits;
mod fast_math;
mod filters;
mod fma;
mod fptrunc;
mod geometric;
mod half;
mod half_atomics;
mod image_functions;
mod images;
mod integer;
mod intel_subgroups;
mod library_call;
mod lowerer;
mod math;
mod media;
mod memory;
mod nearest;
mod pipes;
mod printf;
mod relational;
mod row;
mod scratch;
mod shuffle;
pub mod signature;
mod spaces;
mod subgroups;
mod sync;
mod texel_checks;
mod uniform_arithmetic;
mod work_item;

pub use convert::{Number, Rounding};
pub use device_queue::Range;
pub use enqueue::{Enqueued, Events};
pub use lowerer::{ArgType, Call, FrontEnd, Lowerer};
pub use pipes::Packet;
pub use row::{Check, PipeArguments, Row, Synchronization};

use crate::options::ClStd;
use rustc_hash::FxHashMap;
use signature::Sig;
use std::fmt;
use std::sync::LazyLock;

/// The rows of every chapter.
const CHAPTERS: &[&[Row]] = &[
    work_item::ROWS,
    math::ROWS,
    fast_math::ROWS,
    integer::ROWS,
    dot_product::ROWS,
    media::ROWS,
    bfloat16::ROWS,
    extended_bits::ROWS,
    common::ROWS,
    geometric::ROWS,
    relational::ROWS,
    memory::ROWS,
    sync::ROWS,
    spaces::ROWS,
    async_copy::ROWS,
    extended_async_copy::ROWS,
    atomics::ROWS,
    c11_atomics::ROWS,
    shuffle::ROWS,
    printf::ROWS,
    collective::ROWS,
    image_functions::ROWS,
    pipes::ROWS,
    device_queue::ROWS,
    clocks::ROWS,
];

/// A built-in function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Builtin(u16);

/// All functions in the order of the rows, and their numbers by name.
struct Index {
    functions: Vec<(&'static str, &'static Row)>,
    by_name: FxHashMap<&'static str, Builtin>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let rows = CHAPTERS.iter().chain(uniform_arithmetic::ROWS);
    let rows = rows.chain(subgroups::ROWS).chain(intel_subgroups::ROWS).copied().flatten();
    let functions: Vec<_> =
        rows.flat_map(|row| row.names.iter().map(move |&name| (name, row))).collect();
    let names = functions.iter().zip(0..);
    let by_name = names.map(|(&(name, _), number)| (name, Builtin(number))).collect();
    Index { functions, by_name }
});

impl Builtin {
    /// Returns the function of a name.
    pub fn named(name: &str) -> Option<Builtin> {
        INDEX.by_name.get(name).copied()
    }

    /// Returns every function.
    pub fn all() -> impl Iterator<Item = Builtin> {
        (0..INDEX.functions.len() as u16).map(Builtin)
    }

    pub fn name(self) -> &'static str {
        INDEX.functions[usize::from(self.0)].0
    }

    /// Returns the function's patterns; none if patterns cannot describe its types ([`Builtin::check`]).
    pub fn sigs(self) -> &'static [Sig] {
        self.row().sigs
    }

    /// Returns the first version of OpenCL C whose programs may call the function.
    pub fn since(self) -> ClStd {
        self.row().since
    }

    /// Returns the rule that calls must fulfil in addition to the patterns.
    pub fn check(self) -> Check {
        self.row().check
    }

    fn row(self) -> &'static Row {
        INDEX.functions[usize::from(self.0)].1
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
