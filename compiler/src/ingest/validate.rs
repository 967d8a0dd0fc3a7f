//! The rules that hold for all instructions: the form of operands, and the definitions of ids.

use super::grammar;
use super::words::Words;
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

/// Checks a module. Returns the index of the instruction that defines each id.
pub(super) fn check(words: &Words) -> Result<FxHashMap<u32, u32>, String> {
    let bound = words.bound();
    let mut definitions: FxHashMap<u32, u32> = FxHashMap::default();
    for (index, inst) in words.iter().enumerate() {
        let has_result = grammar::row(inst.op as u32).is_some_and(|row| row.has_result);
        if has_result {
            if inst.id == 0 || inst.id >= bound {
                return Err(format!("{inst}: its id is not from 1 to {}", bound - 1));
            }
            if definitions.insert(inst.id, index as u32).is_some() {
                return Err(format!("{inst}: its id is defined twice"));
            }
        }
    }
    for inst in words.iter() {
        let check = |id: u32| match definitions.contains_key(&id) {
            true => Ok(()),
            false => Err(format!("%{id} is not defined")),
        };
        let row = grammar::row(inst.op as u32);
        let operands = match row.is_some_and(|row| row.has_type) {
            true => check(inst.ty),
            false => Ok(()),
        };
        let operands = operands.and_then(|()| match inst.op {
            // Names may refer to ids whose debug information was stripped.
            Op::Name | Op::MemberName => grammar::operands(&inst, |_| Ok(())),
            _ => grammar::operands(&inst, check),
        });
        operands.map_err(|message| format!("{inst}: {message}"))?;
    }
    Ok(definitions)
}
