//! Recursion that ends by constants: each recursive function becomes a copy for each set of constants that it is called
//! with, in which branches on the constants are decided. OpenCL C has no recursion (6.11.i), but programs write such
//! functions as templates: `f(x, 9)` calls `f(x, 8)`, and `f(x, 0)` calls nothing.
//!
//! A call with constants that are known already calls the existing copy, so that functions with several calls of
//! themselves need no more copies than there are different constants. If copies still call themselves, and constants may be
//! in objects that are passed by address, as structures are, the calls are inlined into the kernels level by level.
//! Recursion that remains is decided at run time, if at all, and is refused.

use super::inline::{self, FunctionPasses};
use super::{unreachable, unroll};
use crate::analysis::call_graph::calls;
use crate::analysis::recursion::Recursion;
use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt;

/// The most copies of functions in a module.
const MAX_COPIES: usize = 4096;
/// The most calls between a kernel and a copy.
const MAX_DEPTH: u32 = 1024;
/// The most instructions that all copies have together when they are made: for each instruction of the module, and in
/// any module.
const GROWTH: usize = 4;
const MIN_GROWTH: usize = 200_000;
/// The most levels of calls that are inlined, and the most instructions that all kernels may have together then.
const MAX_LEVELS: usize = 64;
const MAX_INLINED: usize = 30_000;
/// The most searches for constants in a function. Loops are unrolled between two searches.
const ROUNDS: usize = 4;

/// The reason why recursion cannot be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Constants do not end the recursion. Contains the names of the functions that call each other.
    Endless(Vec<String>),
    /// A pass breaks a rule of the IR. Occurs in debug builds only.
    Pass(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Endless(functions) => {
                let name = functions.first().map_or("", String::as_str);
                write!(f, "recursion is not supported: '{name}' calls itself")
            }
            Error::Pass(message) => f.write_str(message),
        }
    }
}

impl From<String> for Error {
    fn from(message: String) -> Error {
        Error::Pass(message)
    }
}

/// Removes all recursion from the functions that kernels reach.
///
/// Errors: recursion that is decided at run time, or that takes too many copies.
pub fn run(module: &mut Module, passes: &impl FunctionPasses) -> Result<(), Error> {
    let recursion = Recursion::compute(module);
    if recursion.cycles.is_empty() {
        return Ok(());
    }
    let mut unfolding = Unfolding::new(module, &recursion);
    while let Some((func, depth)) = unfolding.pending.pop_front() {
        find_constants(module, func, passes, |callee| recursion.is_led_to_by(callee))?;
        unfolding.redirect_calls(module, func, depth)?;
    }
    let left = Recursion::compute(module);
    if left.cycles.is_empty() || inline_levels(module, passes, &left)? {
        return Ok(());
    }
    let left = Recursion::compute(module);
    let members = left.cycles.iter().flatten();
    Err(unfolding
        .refused(module, members.filter_map(|func| unfolding.originals.get(func).copied())))
}

/// A function and its constant arguments; `None` for arguments that are not constant.
type Instance = (Func, SmallVec<[Option<u64>; 8]>);

/// The copies of functions that have been made so far.
struct Unfolding<'a> {
    recursion: &'a Recursion,
    /// The original kernels' entries.
    entries: FxHashMap<Func, Function>,
    copies: FxHashMap<Instance, Func>,
    /// By copy, the function that it is a copy of.
    originals: FxHashMap<Func, Func>,
    /// Copies whose calls have yet to be visited, each with the number of calls between it and a kernel.
    pending: VecDeque<(Func, u32)>,
    room: usize,
}

impl Unfolding<'_> {
    fn new<'a>(module: &Module, recursion: &'a Recursion) -> Unfolding<'a> {
        let size: usize = module.functions.values().map(Function::num_insts).sum();
        let mut unfolding = Unfolding {
            recursion,
            entries: FxHashMap::default(),
            copies: FxHashMap::default(),
            originals: FxHashMap::default(),
            pending: VecDeque::new(),
            room: size.saturating_mul(GROWTH).saturating_add(MIN_GROWTH),
        };
        for kernel in module.kernels.iter().filter(|k| recursion.is_led_to_by(k.func)) {
            let entry = module.functions[kernel.func].clone();
            if unfolding.entries.insert(kernel.func, entry).is_none() {
                unfolding.originals.insert(kernel.func, kernel.func);
                unfolding.pending.push_back((kernel.func, 0));
            }
        }
        unfolding
    }

    /// Redirects the calls in a function to copies.
    fn redirect_calls(&mut self, module: &mut Module, func: Func, depth: u32) -> Result<(), Error> {
        let insts: Vec<Inst> = module.functions[func].layout_insts().collect();
        for inst in insts {
            let function = &module.functions[func];
            let InstData::Call { func: callee, args } = &function.insts[inst] else { continue };
            if !self.recursion.is_led_to_by(*callee) {
                continue;
            }
            let constants = args.iter().map(|&arg| function.as_const(arg)).collect();
            let copy = self.copy(module, (*callee, constants), depth + 1)?;
            if let InstData::Call { func: callee, .. } = &mut module.functions[func].insts[inst] {
                *callee = copy;
            }
        }
        Ok(())
    }

    /// Returns the copy of a function for constant arguments.
    fn copy(&mut self, module: &mut Module, key: Instance, depth: u32) -> Result<Func, Error> {
        if let Some(&known) = self.copies.get(&key) {
            return Ok(known);
        }
        let (func, constants) = &key;
        let mut body = self.entries.get(func).unwrap_or(&module.functions[*func]).clone();
        // Each function has a cost of its own.
        let left = self.room.checked_sub(body.num_insts() + 8);
        let (Some(left), true) = (left, self.copies.len() < MAX_COPIES && depth <= MAX_DEPTH)
        else {
            return Err(self.refused(module, [*func]));
        };
        self.room = left;
        body.linkage = Linkage::Internal;
        let known: FxHashMap<Value, Value> = std::iter::zip(body.params().to_vec(), constants)
            .filter_map(|(param, &constant)| {
                Some((param, body.constant(body.ty(param), constant?)))
            })
            .collect();
        body.replace_uses(|value| known.get(&value).copied().unwrap_or(value));
        let original = *func;
        let copy = module.functions.push(body);
        self.originals.insert(copy, original);
        self.copies.insert(key, copy);
        self.pending.push_back((copy, depth));
        Ok(copy)
    }

    /// Returns the error for recursion to which the given functions lead.
    fn refused(&self, module: &Module, funcs: impl IntoIterator<Item = Func>) -> Error {
        let mut functions: Vec<Func> = Vec::new();
        for func in funcs {
            match self.recursion.cycle_of(func) {
                [] => functions.extend(self.recursion.cycles.concat()),
                cycle => functions.extend(cycle),
            }
        }
        functions.sort_unstable();
        functions.dedup();
        let name = |func: Func| module.functions[func].name.clone();
        Error::Endless(functions.into_iter().map(name).collect())
    }
}

/// Finds the calls of `is_wanted` functions that remain in a function once constants have been propagated, and their
/// constant arguments.
fn find_constants(
    module: &mut Module,
    func: Func,
    passes: &impl FunctionPasses,
    is_wanted: impl Fn(Func) -> bool,
) -> Result<(), String> {
    for round in 1..=ROUNDS {
        passes.simplify_early(module, func)?;
        let function = &mut module.functions[func];
        unreachable::run(function);
        let is_done = !calls(function).any(|(callee, _)| is_wanted(callee));
        if is_done
            || round == ROUNDS
            || !unroll::run_around_calls(function, &is_wanted) && round > 1
        {
            break;
        }
    }
    Ok(())
}

/// Inlines functions that lead to recursion into the kernels, level by level. Returns true if no call of such a
/// function remains.
fn inline_levels(
    module: &mut Module,
    passes: &impl FunctionPasses,
    left: &Recursion,
) -> Result<bool, String> {
    let is_by_address = |func: &Func| takes_objects(&module.functions[*func]);
    if !left.cycles.iter().all(|cycle| cycle.iter().any(is_by_address)) {
        return Ok(false);
    }
    let mut room = MAX_INLINED;
    let kernels: Vec<Func> = module.kernels.iter().map(|kernel| kernel.func).collect();
    for kernel in kernels {
        if !inline_kernel_levels(module, kernel, passes, left, &mut room)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if a function takes addresses of objects in private memory.
fn takes_objects(func: &Function) -> bool {
    let is_private =
        |space: AddressSpace| matches!(space, AddressSpace::Private | AddressSpace::Generic);
    func.params().iter().any(|&param| func.ty(param).space().is_some_and(is_private))
}

/// Like [`inline_levels`], for one kernel. Inlined instructions reduce `room`.
fn inline_kernel_levels(
    module: &mut Module,
    kernel: Func,
    passes: &impl FunctionPasses,
    left: &Recursion,
    room: &mut usize,
) -> Result<bool, String> {
    for _ in 0..MAX_LEVELS {
        let callees: Vec<Func> = calls(&module.functions[kernel]).map(|(func, _)| func).collect();
        if !callees.iter().any(|&callee| left.is_led_to_by(callee)) {
            return Ok(true);
        }
        // Functions that may change such objects are inlined, too.
        let mut wanted: SparseMap<Func, bool> = SparseMap::new();
        for callee in callees {
            let function = &module.functions[callee];
            wanted[callee] = left.is_led_to_by(callee) || takes_objects(function);
            let size = if wanted[callee] { function.num_insts() } else { 0 };
            let Some(rest) = room.checked_sub(size) else { return Ok(false) };
            *room = rest;
        }
        if inline::inline_some(module, kernel, |callee| wanted[callee]).is_err() {
            return Ok(false);
        }
        find_constants(module, kernel, passes, |callee| left.is_led_to_by(callee))?;
        if ends_here(module, kernel, passes, left)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the remaining calls from a kernel if it turns out that they never run. As long as they exist, the objects whose
/// addresses they take do not become values, which would decide the branches.
fn ends_here(
    module: &mut Module,
    kernel: Func,
    passes: &impl FunctionPasses,
    left: &Recursion,
) -> Result<bool, String> {
    let mut mark = Function::new("deeper", &[], None);
    mark.append(mark.entry(), InstData::Return { values: SmallVec::new() }, None);
    let mark = module.functions.push(mark);
    let mut tried = module.functions[kernel].clone();
    let insts: Vec<Inst> = tried.layout_insts().collect();
    let mut results = FxHashMap::default();
    for inst in insts {
        if matches!(tried.insts[inst], InstData::Call { func, .. } if left.is_led_to_by(func)) {
            tried.insts[inst] = InstData::Call { func: mark, args: Default::default() };
            if let Some(result) = tried.results[inst].take() {
                results.insert(result, tried.undef(tried.ty(result)));
            }
        }
    }
    tried.replace_uses(|value| results.get(&value).copied().unwrap_or(value));
    let whole = std::mem::replace(&mut module.functions[kernel], tried);
    find_constants(module, kernel, passes, |callee| callee == mark)?;
    let ends = !calls(&module.functions[kernel]).any(|(callee, _)| callee == mark);
    if !ends {
        module.functions[kernel] = whole;
    }
    Ok(ends)
}
