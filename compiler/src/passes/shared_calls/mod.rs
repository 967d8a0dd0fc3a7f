//! Calls that share a call site, for drivers whose compiler inlines every call and takes long to compile the result
//! ([`Target::call_sharing`]): a large function that is called from many places is copied only once.
//!
//! A function that calls large functions gets a dispatch block in a loop. In place of a call, a block stores the arguments
//! and the number of the place where it continues, its *state*, and jumps to the dispatch block. The dispatch block tests
//! the state, calls, and branches to the place of the state. If work-items are in different states the loop runs more
//! iterations, in each of which the work-items that call the same function do so together.
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

/// A function that another function calls through a shared call site.
#[derive(Debug, Clone)]
pub struct SharedCallee {
    pub func: Func,
    /// The types of the function's results.
    pub returns: SmallVec<[Type; 1]>,
}

/// Makes all calls share call sites that may do so, and repairs SSA form; for file tests.
pub fn run(module: &mut Module) -> Result<(), String> {
    let chosen = choose(module, Some(CallSharing::ALL))?;
    for (id, func) in module.functions.iter_mut() {
        if !chosen[id].is_empty() {
            repaired(func, |func| share(func, &chosen[id]));
        }
    }
    Ok(())
}

/// Runs a pass that needs a function without block parameters, and repairs SSA form.
fn repaired(func: &mut Function, pass: impl FnOnce(&mut Function)) {
    unreachable::run(func);
    let size = func.num_insts() + func.layout.len();
    ssa_repair::demote_params(func, &Default::default());
    pass(func);
    ssa_repair::run(func, size);
}
