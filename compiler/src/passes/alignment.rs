//! Lowers the alignment of loads and stores that constants in the address contradict, so that legalization splits the accesses.
//!
//! A pointer has to be aligned as its type demands (OpenCL C 6.3.5), but programs do read a `uint` two bytes into a
//! structure of 22 bytes, or a `float4` behind two floats: processors and some GPUs allow it. Other GPUs, as NVIDIA's, read
//! other bytes and report no error.

use crate::analysis::call_graph::{calls, CallGraph};
use crate::analysis::known_bits::KnownBits;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most instructions in a chain that are followed back from an address.
const MAX_DEPTH: u32 = 12;
/// The same limit for addresses whose unknown parts count ([`Addresses::is_exact`]). Beyond it an access is split into
/// bytes.
const MAX_EXACT_DEPTH: u32 = 64;
/// The most values that are visited for one exact address.
const MAX_VISITS: u32 = 512;
/// The exponent of an alignment that nothing contradicts.
const ANY: u32 = 63;

/// Lowers the alignments of a function's loads and stores. Returns true if any changed.
pub fn run(func: &mut Function) -> bool {
    run_with(func, FxHashMap::default())
}

/// On a processor, lowers the alignments in called functions by the arguments of their callers, if these are addresses in
/// objects that the callers know. Returns true if any changed.
///
/// # Errors
/// Recursion.
pub fn run_on_called(module: &mut Module) -> Result<bool, String> {
    let mut changed = false;
    // For each parameter the least exponent of the arguments; `None` if an argument may not be an address in a known
    // object.
    let mut passed: FxHashMap<(Func, usize), Option<u32>> = FxHashMap::default();
    // Callers first.
    for &id in CallGraph::compute(module)?.order.iter().rev() {
        let func = &mut module.functions[id];
        let given = func.params().iter().enumerate().filter_map(|(place, &param)| {
            let exponent = passed.get(&(id, place))?.as_ref()?;
            Some((param, *exponent))
        });
        let given: Exponents = given.collect();
        if !given.is_empty() {
            changed |= run_with(func, given.clone());
        }
        let mut addresses = Addresses::new(func, given);
        for (callee, args) in calls(func) {
            for (place, &arg) in args.iter().enumerate() {
                let exponent = addresses.in_object(arg, ANY);
                let least = passed.entry((callee, place)).or_insert(Some(ANY));
                *least = least.zip(exponent).map(|(a, b)| a.min(b));
            }
        }
    }
    Ok(changed)
}

/// By value, the exponent of its alignment.
type Exponents = FxHashMap<Value, u32>;

/// Like [`run`], with known exponents for some parameters. These parameters are addresses in objects.
fn run_with(func: &mut Function, params: Exponents) -> bool {
    let mut lowered = Vec::new();
    let mut addresses = Addresses::new(func, params);
    for inst in func.layout_insts() {
        if let InstData::Load { ptr, align, .. } | InstData::Store { ptr, align, .. } =
            func.insts[inst]
        {
            if align <= 1 {
                continue;
            }
            let exponent = addresses.of(ptr, align.trailing_zeros());
            if exponent < align.trailing_zeros() {
                lowered.push((inst, 1 << exponent));
            }
        }
    }
    for &(inst, lower) in &lowered {
        if let InstData::Load { align, .. } | InstData::Store { align, .. } = &mut func.insts[inst]
        {
            *align = lower;
        }
    }
    !lowered.is_empty()
}

/// Exponents of the greatest powers of two that divide addresses and integers, as far as the constants in them show. Unknown
/// parts may be multiples of anything. On a processor, nothing is assumed about unknown parts of addresses in objects of
/// private and local memory: a byte of an object is found by an index in an array, not by an address
/// ([`Target::exact_objects`]).
///
/// [`Target::exact_objects`]: crate::target::Target::exact_objects
struct Addresses<'a> {
    func: &'a Function,
    known: KnownBits<'a>,
    /// By block parameter, the arguments that branches pass for it. Empty without exact objects.
    incoming: SecondaryMap<Value, SmallVec<[Value; 2]>>,
    /// True if the unknown parts of the current address count, too.
    is_exact: bool,
    /// The exponent that the access needs. Greater exponents need not be distinguished from it.
    needed: u32,
    visits: u32,
    /// Parameters that are being visited.
    open: SmallVec<[Value; 4]>,
    /// Exponents that were found for the current access while no parameter was being visited.
    found: Exponents,
    /// The function's parameters that are addresses in objects, with their exponents.
    params: Exponents,
}

impl<'a> Addresses<'a> {
    fn new(func: &'a Function, params: Exponents) -> Addresses<'a> {
        let mut incoming = SecondaryMap::<Value, SmallVec<[Value; 2]>>::new();
        for &block in func.layout.iter().filter(|_| func.exact_objects) {
            let Some(last) = func.terminator(block) else { continue };
            func.insts[last].for_each_target(|call| {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    incoming[param].push(arg);
                }
            });
        }
        let known = KnownBits::new(func, None);
        let (is_exact, needed, visits) = (false, 0, 0);
        let (open, found) = Default::default();
        Addresses { func, known, incoming, is_exact, needed, visits, open, found, params }
    }

    /// Returns the exponent of an access's address. If that is at least `needed`, the result may be any number from
    /// `needed` on.
    fn of(&mut self, ptr: Value, needed: u32) -> u32 {
        self.in_object(ptr, needed).unwrap_or_else(|| {
            self.begin(false, needed);
            self.pointer(ptr, MAX_DEPTH)
        })
    }

    /// Returns the exponent of an address in an object, where unknown parts count; `None` for other addresses.
    fn in_object(&mut self, ptr: Value, needed: u32) -> Option<u32> {
        let space = self.func.ty(ptr).space();
        let is_object = matches!(space, Some(AddressSpace::Private | AddressSpace::Local));
        self.begin(true, needed);
        if !is_object || !self.func.exact_objects || !self.is_in_object(ptr, MAX_EXACT_DEPTH) {
            return None;
        }
        self.visits = 0;
        Some(self.pointer(ptr, MAX_EXACT_DEPTH))
    }

    /// Begins the search for another address.
    fn begin(&mut self, is_exact: bool, needed: u32) {
        (self.is_exact, self.needed, self.visits) = (is_exact, needed, 0);
        self.found.clear();
    }

    /// Returns true for an address in an object that the function knows.
    fn is_in_object(&mut self, ptr: Value, depth: u32) -> bool {
        self.visits += 1;
        let Some(depth) = depth.checked_sub(1).filter(|_| self.visits < MAX_VISITS) else {
            return false;
        };
        match self.func.def_inst(ptr) {
            Some(&InstData::PtrAdd { ptr, .. }) => self.is_in_object(ptr, depth),
            Some(&InstData::Select { args: [_, a, b] }) => {
                self.is_in_object(a, depth) && self.is_in_object(b, depth)
            }
            Some(
                InstData::Alloca { .. } | InstData::GlobalAddr { .. } | InstData::LoadArg { .. },
            ) => true,
            None if self.params.contains_key(&ptr) => true,
            None if self.has_incoming(ptr) => self.on_incoming(
                ptr,
                true,
                |this, arg| this.is_in_object(arg, depth),
                |a, b| a && b,
            ),
            _ => false,
        }
    }

    fn pointer(&mut self, ptr: Value, depth: u32) -> u32 {
        self.once(ptr, |this| this.pointer_anew(ptr, depth))
    }

    /// Returns the exponent that was found for a value before, or finds it with `find`. A value of a chain of selects
    /// is reachable in several ways, so that it would be visited again and again.
    fn once(&mut self, value: Value, find: impl FnOnce(&mut Self) -> u32) -> u32 {
        if let Some(&found) = self.found.get(&value).filter(|_| self.open.is_empty()) {
            return found;
        }
        let found = find(self);
        if self.open.is_empty() && self.visits < MAX_VISITS {
            self.found.insert(value, found);
        }
        found
    }

    fn pointer_anew(&mut self, ptr: Value, depth: u32) -> u32 {
        self.visits += 1;
        let depth = depth.checked_sub(1).filter(|_| !self.is_exact || self.visits < MAX_VISITS);
        let Some(depth) = depth else { return if self.is_exact { 0 } else { ANY } };
        match self.func.def_inst(ptr) {
            Some(&InstData::PtrAdd { ptr, offset, .. }) => {
                self.integer(offset, depth).min(self.pointer(ptr, depth))
            }
            Some(&InstData::Select { args: [_, a, b] }) if self.is_exact => {
                self.pointer(a, depth).min(self.pointer(b, depth))
            }
            None if self.is_exact => {
                if let Some(&exponent) = self.params.get(&ptr) {
                    return exponent;
                }
                self.on_incoming(ptr, ANY, |this, arg| this.pointer(arg, depth), u32::min)
            }
            _ => ANY,
        }
    }

    /// Returns true for a block parameter for which branches pass arguments.
    fn has_incoming(&self, value: Value) -> bool {
        self.open.contains(&value) || !self.incoming[value].is_empty()
    }

    /// Joins the results of `of` for all arguments of a block parameter. While a parameter is being visited, its result is
    /// assumed to be `open`: the parameter of a loop then has the result of its start value, if each iteration keeps it.
    fn on_incoming<T: Copy>(
        &mut self,
        param: Value,
        open: T,
        mut of: impl FnMut(&mut Self, Value) -> T,
        join: impl Fn(T, T) -> T,
    ) -> T {
        if self.open.contains(&param) {
            return open;
        }
        let incoming = std::mem::take(&mut self.incoming[param]);
        self.open.push(param);
        let joined = incoming.iter().fold(open, |joined, &arg| join(joined, of(self, arg)));
        self.open.pop();
        self.incoming[param] = incoming;
        joined
    }

    fn integer(&mut self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.func.as_const(value) {
            return bits.trailing_zeros().min(ANY);
        }
        self.once(value, |this| this.integer_anew(value, depth))
    }

    fn integer_anew(&mut self, value: Value, depth: u32) -> u32 {
        self.visits += 1;
        let depth = depth.checked_sub(1).filter(|_| !self.is_exact || self.visits < MAX_VISITS);
        let Some(depth) = depth else { return self.unknown(value) };
        let exponent = match self.func.def_inst(value) {
            Some(&InstData::Binary { op, args: [a, b], .. }) => match op {
                BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::Or => {
                    self.integer(a, depth).min(self.integer(b, depth))
                }
                BinaryOp::IMul => match [a, b].map(|arg| self.func.as_signed_const(arg)) {
                    [_, Some(factor)] => self.multiple(a, factor, depth),
                    [Some(factor), _] => self.multiple(b, factor, depth),
                    _ => self.unknown(value),
                },
                BinaryOp::Shl => match self.func.as_const(b) {
                    Some(by) if by >= u64::from(self.needed) => ANY,
                    Some(by) => self.integer(a, depth) + by as u32,
                    None => self.unknown(value),
                },
                _ => self.unknown(value),
            },
            Some(&InstData::Convert {
                op: ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc,
                arg,
            }) => self.integer(arg, depth),
            Some(&InstData::Select { args: [_, a, b] }) if self.is_exact => {
                self.integer(a, depth).min(self.integer(b, depth))
            }
            None if self.is_exact && self.has_incoming(value) => {
                self.on_incoming(value, ANY, |this, arg| this.integer(arg, depth), u32::min)
            }
            _ => self.unknown(value),
        };
        exponent.min(ANY)
    }

    fn unknown(&self, value: Value) -> u32 {
        match self.is_exact {
            true => self.known.trailing_zeros(value),
            false => ANY,
        }
    }

    /// Returns the exponent of a product with a constant. A power of two is the size of an element, and programs index as
    /// many elements as keep vectors aligned. Another constant is the size of a structure, of which any number may be
    /// skipped.
    fn multiple(&mut self, value: Value, factor: i64, depth: u32) -> u32 {
        let own = factor.trailing_zeros();
        if own >= self.needed {
            return own;
        }
        match factor.unsigned_abs().is_power_of_two() {
            true => self.integer(value, depth) + own,
            false => self.known.trailing_zeros(value) + own,
        }
    }
}
