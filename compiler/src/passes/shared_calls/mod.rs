//! Calls that share a call site, for drivers whose compiler inlines every call, and takes long to compile what becomes of
//! that ([`Target::call_sharing`]): of a large function that is called from many places there is one copy.
//!
//! A function that calls large ones gets a dispatch block in a loop. What leads to a call stores the arguments and the
//! number of the place where it goes on, its *state*, and goes to the dispatch block; that tests the state, calls, and goes
//! on there. Work-items in different states go round more often, each time those that call the same function together.
//!
//! [`Target::call_sharing`]: crate::target::Target::call_sharing

mod choice;
mod dispatch;

use super::{ssa_repair, unreachable};
use crate::ir::{Func, Function, Module, Type};
use crate::target::CallSharing;
pub use choice::choose;
pub use dispatch::share;
use smallvec::SmallVec;

/// A function whose calls in another one share a call site.
#[derive(Debug, Clone)]
pub struct SharedCallee {
    pub func: Func,
    /// The types of its results.
    pub returns: SmallVec<[Type; 1]>,
}

/// Lets all calls share call sites that may, and repairs SSA form; for file tests.
pub fn run(module: &mut Module) -> Result<(), String> {
    let chosen = choose(module, Some(CallSharing::ALL))?;
    for (id, func) in module.functions.iter_mut() {
        if !chosen[id].is_empty() {
            repaired(func, |func| share(func, &chosen[id]));
        }
    }
    Ok(())
}

/// Runs what needs a function without block parameters.
fn repaired(func: &mut Function, pass: impl FnOnce(&mut Function)) {
    unreachable::run(func);
    let size = func.num_insts() + func.layout.len();
    ssa_repair::demote_params(func, &Default::default());
    pass(func);
    ssa_repair::run(func, size);
}
