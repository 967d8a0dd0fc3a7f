//! The choice of functions whose calls share call sites.

use super::SharedCallee;
use crate::analysis::call_graph::{bottom_up, calls};
use crate::analysis::waits::{self, Observes};
use crate::ir::sparse_map::SparseMap;
use crate::ir::{Func, Function, InstData, MemFlags, Module, SyncSemantics};
use crate::passes::irreducible;
use crate::target::CallSharing;

/// By function, the callees for which its calls share a call site.
pub type Shared = SparseMap<Func, Vec<SharedCallee>>;

/// Properties of a function, including all functions that it calls.
#[derive(Debug, Clone, Copy, Default)]
struct Summary {
    /// The number of instructions with all calls inlined (`inlined`), and with only those calls inlined that share no
    /// call site (`shared`).
    inlined: usize,
    shared: usize,
    observes: Observes,
    /// True if work-items act together in the function.
    is_convergent: bool,
    /// True if the function accesses memory in an order that other work-items may observe.
    is_ordered: bool,
}

/// Chooses functions of the kernels that are too large if all calls are inlined.
///
/// Errors: recursion.
pub fn choose(module: &Module, bounds: Option<CallSharing>) -> Result<Shared, String> {
    let mut shared = Shared::new();
    let Some(bounds) = bounds else { return Ok(shared) };
    let mut summaries: SparseMap<Func, Summary> = SparseMap::new();
    let order = bottom_up(module, module.kernels.iter().map(|kernel| kernel.func))?;
    for &id in &order {
        summaries[id] = Summary::of(&module.functions[id], &summaries);
    }
    let is_large = |func: &Func| summaries[*func].inlined > bounds.kernel_size;
    let large = module.kernels.iter().map(|kernel| kernel.func).filter(is_large);
    for id in bottom_up(module, large)? {
        let func = &module.functions[id];
        let may_share = may_share(func, summaries[id], &summaries);
        let mut size = func.num_insts();
        for (callee, sites) in sites(func) {
            let Summary { shared: bytes, is_convergent, is_ordered, .. } = summaries[callee];
            let saved = bytes.saturating_mul(sites - 1);
            let pays = sites > 1 && bytes >= bounds.callee_size && saved >= bounds.saving;
            if pays && may_share && !is_convergent && !is_ordered {
                let returns = module.functions[callee].returns.clone();
                shared[id].push(SharedCallee { func: callee, returns });
                size = size.saturating_add(bytes);
            } else {
                size = size.saturating_add(bytes.saturating_mul(sites));
            }
        }
        summaries[id].shared = size;
    }
    Ok(shared)
}

/// Returns the functions that a function calls, in the order of their numbers, and the number of calls of each.
fn sites(func: &Function) -> Vec<(Func, usize)> {
    let mut callees: Vec<Func> = calls(func).map(|(callee, _)| callee).collect();
    callees.sort_unstable();
    callees.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
}

/// Returns true if work-items may reach a function's calls in another order, and not at the same time as their neighbours:
/// they neither act together nor wait for each other.
fn may_share(func: &Function, summary: Summary, summaries: &SparseMap<Func, Summary>) -> bool {
    let observes =
        |data: &InstData| waits::observed_by(func, data, |callee| summaries[callee].observes);
    let may_wait = summary.observes != Observes::Nothing
        && (!irreducible::is_reducible(func) || waits::may_wait(func, observes));
    !summary.is_convergent && !may_wait
}

impl Summary {
    /// Returns the summary of a function, given the summaries of its callees.
    fn of(func: &Function, summaries: &SparseMap<Func, Summary>) -> Summary {
        let mut summary = Summary { inlined: func.num_insts(), ..Summary::default() };
        for inst in func.layout_insts() {
            let data = &func.insts[inst];
            let observed = waits::observed_by(func, data, |callee| summaries[callee].observes);
            summary.observes = summary.observes.max(observed);
            summary.is_convergent |= data.is_convergent();
            summary.is_ordered |= is_ordered(data);
            if let InstData::Call { func: callee, .. } = *data {
                let callee = summaries[callee];
                summary.inlined = summary.inlined.saturating_add(callee.inlined);
                summary.is_convergent |= callee.is_convergent;
                summary.is_ordered |= callee.is_ordered;
            }
        }
        summary.shared = summary.inlined;
        summary
    }
}

/// Returns true for atomic operations, fences and volatile accesses, but not for the parts of plain stores.
fn is_ordered(data: &InstData) -> bool {
    match *data {
        InstData::Load { flags, .. } | InstData::Store { flags, .. } => {
            flags.contains(MemFlags::VOLATILE)
        }
        InstData::AtomicRmw { sync, .. } => sync != SyncSemantics::PART_OF_STORE,
        InstData::AtomicCmpXchg { .. }
        | InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. }
        | InstData::Fence { .. } => true,
        _ => false,
    }
}
