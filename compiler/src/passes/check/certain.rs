//! Mistakes that are certain before a program runs: checks that fail for certain, as optimization shows, and barriers behind
//! branches whose conditions depend on the ids of work-items.

use super::describe::Describer;
use super::Probed;
use crate::analysis::divergent_barriers::divergent_barriers;
use crate::checks::{Certain, Checks, Description, Finding};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::passes::inline::FunctionPasses;
use crate::passes::Pipeline;

/// Optimizes the probed functions, and returns the checks in them that fail for certain. Each place is reported once.
pub(super) fn find(
    module: &mut Module,
    checks: Checks,
    probed: &Probed,
    pipeline: &Pipeline<'_>,
) -> Result<Vec<Certain>, String> {
    let mut found = Vec::new();
    for &id in &probed.functions {
        pipeline.simplify_early(module, id)?;
        if checks.contains(Checks::BARRIERS) && module.kernel_of(id).is_some() {
            found.extend(barriers(module, id));
        }
        pipeline.optimize(module, id)?;
        let func = &module.functions[id];
        found.extend(func.layout_insts().filter_map(|inst| failure(func, inst, probed)));
    }
    let place = |it: &Certain| {
        let first = it.description.places.first();
        first.map(|place| (place.file.clone(), place.line, place.column))
    };
    // A finding without a place in the program is of no use.
    found.retain(|it| place(it).is_some());
    found.sort_by_key(|it| (place(it), it.finding.kind.bits(), it.finding.address));
    found.dedup_by_key(|it| (place(it), it.finding.kind.bits()));
    Ok(found)
}

/// Returns the finding of a check that fails in any case, if all that is reported is known.
fn failure(func: &Function, inst: Inst, probed: &Probed) -> Option<Certain> {
    let InstData::Call { func: callee, args } = &func.insts[inst] else { return None };
    let &[ok, site, kind, at, start, size] = &args[..] else { return None };
    if *callee != probed.probe || func.as_const(ok)? != 0 {
        return None;
    }
    let kind = Checks::from_bits_truncate(func.as_const(kind)? as u32);
    let words = [at, start, size].map(|word| func.as_const(word));
    let [address, start, size] = match words {
        [Some(at), Some(start), Some(size)] => [at, start, size],
        [None, Some(0), Some(0)] => [distance_from_null(func, at)?, 0, 0],
        // The dividend is unknown.
        _ if kind == Checks::ARITH => [0; 3],
        _ => return None,
    };
    let description = probed.descriptions.get(func.as_const(site)? as usize)?;
    Some(Certain {
        finding: Finding { address, start, size, ..finding(kind) },
        description: Description::decode(description)?,
        condition: None,
    })
}

/// Returns the address as a number, if it was computed from a null pointer.
fn distance_from_null(func: &Function, at: Value) -> Option<u64> {
    let Some(&InstData::Convert { op: ConvertOp::PtrToInt, arg }) = func.def_inst(at) else {
        return None;
    };
    let (base, offset) = func.base_and_offset(arg);
    (func.as_const(base)? == 0).then_some(offset as u64)
}

/// Returns a finding of which only the kind is known.
fn finding(kind: Checks) -> Finding {
    Finding {
        count: 1,
        description: 0,
        kind,
        global_id: [0; 3],
        local_id: [0; 3],
        address: 0,
        start: 0,
        size: 0,
    }
}

/// Returns the barriers that not all work-items of a work-group reach.
fn barriers(module: &Module, id: Func) -> Vec<Certain> {
    let func = &module.functions[id];
    let describer = Describer::new(func, &Cfg::compute(func), module, id, &module.globals);
    let describe = |inst| Description::decode(&describer.describe(func, inst));
    let divergent = divergent_barriers(func).into_iter();
    let certain = |(barrier, condition)| {
        let (description, condition) = (describe(barrier)?, describe(condition));
        Some(Certain { finding: finding(Checks::BARRIERS), description, condition })
    };
    divergent.filter_map(certain).collect()
}
