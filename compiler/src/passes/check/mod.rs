//! Checks that are compiled into a program (`HEKLA_CHECK`): accesses that are out of bounds, through null pointers or
//! misaligned, divisions by zero, reads of private and work-group variables that were not written before (`init.rs`,
//! `local_init.rs`), barriers that not all work-items reach (`barriers.rs`), and races in work-group memory (`races.rs`) and
//! in the memory of devices (`global_races.rs`). [`crate::checks`] describes how findings are reported.
//!
//! The pass runs after inlining and before all optimizations, because mistakes are undefined behaviour, which optimizations
//! use. Only variables have become values by then, and pointers have known address spaces. Each pointer gets an *extent*
//! (`extents.rs`), and each access a branch: a wrong access is reported and not executed, and reads zero. Code of the
//! built-in library, and code that writes `printf`'s records, is not checked.

mod affine;
mod barriers;
mod certain;
mod conditions;
mod describe;
mod extents;
mod global_races;
mod init;
mod local_init;
mod proofs;
mod races;
mod texels;
mod unwritten;

use super::cursor::Cursor;
use super::legalize::split::Splitter;
use super::{inline, Pipeline};
use super::{mem2reg, INFER_ADDRESS_SPACES, MEM2REG, UNREACHABLE};
use crate::analysis::call_graph::CallGraph;
use crate::analysis::underlying_objects::UnderlyingObject;
use crate::checks::{Certain, Checks, FUNCTIONS};
use crate::ir::cfg::Cfg;
use crate::ir::verify::debug_verify;
use crate::ir::*;
use crate::printf;
use barriers::Barriers;
use cranelift_entity::PrimaryMap;
use describe::Describer;
use extents::{Extent, Extents};
use global_races::GlobalRaces;
use init::Initialized;
use local_init::WrittenWords;
use proofs::{Proofs, Question, Subject};
use races::Races;
use rustc_hash::FxHashSet;
use smallvec::{smallvec, SmallVec};
use unwritten::Unwritten;

/// A function is inlined before it is checked only if its copies beyond the first have at most this many instructions
/// together.
const MAX_COPIES: usize = 50_000;

/// Inlines calls, and turns variables into values. Returns the functions that remain, callees first. If writes to variables
/// have to be tracked (`keeps_variables`), only pointers become values. Calls of `mark` remain. Functions keep their
/// signatures, which optimization can change only once.
fn prepare(
    module: &mut Module,
    pipeline: &Pipeline<'_>,
    keeps_variables: bool,
    mark: Option<Func>,
) -> Result<Vec<Func>, String> {
    pipeline.unfold_recursion(module).map_err(|error| error.to_string())?;
    let graph = CallGraph::compute(module)?;
    let mut kept: FxHashSet<Func> = module.kernels.iter().map(|kernel| kernel.func).collect();
    kept.extend(mark);
    for &func in &graph.order {
        inline::inline_some(module, func, |callee| !kept.contains(&callee))?;
        pipeline.pass(module, func, UNREACHABLE)?;
        promote(module, func, pipeline, keeps_variables)?;
        pipeline.pass(module, func, INFER_ADDRESS_SPACES)?;
        promote(module, func, pipeline, keeps_variables)?;
        let (function, sites) = (&module.functions[func], graph.call_sites[func] as usize);
        let copies = function.num_insts().saturating_mul(sites.saturating_sub(1));
        if function.noinline || copies > MAX_COPIES {
            kept.insert(func);
        }
    }
    let is_left = |func: &Func| kept.contains(func);
    Ok(graph.order.into_iter().filter(is_left).collect())
}

fn promote(
    module: &mut Module,
    func: Func,
    pipeline: &Pipeline<'_>,
    keeps_variables: bool,
) -> Result<(), String> {
    match keeps_variables {
        true => pipeline.run(module, func, "mem2reg", |func, _| mem2reg::run_on_pointers(func)),
        false => pipeline.pass(module, func, MEM2REG),
    }
    .map(|_| ())
}

/// Inlines calls and adds checks to all functions.
///
/// Errors: errors of inlining; the library's functions are missing, as in an object that was compiled without checks.
pub fn run(module: &mut Module, checks: Checks, pipeline: &Pipeline<'_>) -> Result<(), String> {
    instrument(module, checks, pipeline, false).map(|_| ())
}

/// Finds mistakes that happen for certain when a program reaches their places. The module is unusable afterwards.
///
/// Errors: errors of [`run`] and of optimization.
pub fn find_certain(
    module: &mut Module,
    checks: Checks,
    pipeline: &Pipeline<'_>,
) -> Result<Vec<Certain>, String> {
    let probed = instrument(module, checks, pipeline, true)?;
    certain::find(module, checks, &probed, pipeline)
}

/// A module in which checks are only computed: its functions, the function whose calls stand for checks, and the descriptions
/// by place number.
struct Probed {
    functions: Vec<Func>,
    probe: Func,
    descriptions: Vec<Vec<u8>>,
}

/// Inlines calls and adds checks to all functions. With `probes`, checks are only computed and passed to the probe
/// function.
fn instrument(
    module: &mut Module,
    checks: Checks,
    pipeline: &Pipeline<'_>,
    probes: bool,
) -> Result<Probed, String> {
    let mut library = Vec::new();
    for name in FUNCTIONS {
        let found = module.functions.values().find(|function| function.name == name);
        library.push(found.ok_or("a part of the program was compiled without checks")?.clone());
    }
    let mark = texels::mark(module);
    let mut functions = prepare(module, pipeline, checks.contains(Checks::INIT), mark)?;
    functions.retain(|&func| Some(func) != mark);
    unwritten::find_access(module)?;
    let mut functions_of_library = library.into_iter().map(|mut function: Function| {
        function.noinline = true;
        module.functions.push(function)
    });
    let library =
        Library::of(&mut functions_of_library).ok_or("functions of checks are missing")?;
    let checks_local_init = !probes && checks.contains(Checks::INIT) && !pipeline.target.zero_local;
    let mut sites = 0;
    let mut descriptions = Vec::new();
    for &id in &functions {
        let empty = Function::new("", &[], None);
        let mut func = std::mem::replace(&mut module.functions[id], empty);
        let mut globals = std::mem::take(&mut module.globals);
        let instrumenter = Instrumenter {
            module,
            id,
            mark,
            checks,
            checks_local_init,
            room: pipeline.target.local_memory_size,
            library: &library,
            globals: &mut globals,
            sites,
            probed: probes.then_some(&mut descriptions),
        };
        sites = instrumenter.run(&mut func);
        module.globals = globals;
        module.functions[id] = func;
    }
    pipeline.observe("check", module, None);
    debug_verify(module, "check")?;
    Ok(Probed { functions, probe: library.probe, descriptions })
}

/// The library's functions ([`FUNCTIONS`]).
pub(super) struct Library {
    find: Func,
    report: Func,
    barriers_begin: Func,
    barriers_come: Func,
    barriers_tell: Func,
    barriers_end: Func,
    barriers_report: Func,
    written_begin: Func,
    written_note: Func,
    written_test: Func,
    races_begin: Func,
    races_note: Func,
    global_races_begin: Func,
    global_races_note: Func,
    texel: Func,
    probe: Func,
}

impl Library {
    /// Takes the functions in the order of the fields; `None` if there are too few.
    fn of(functions: &mut impl Iterator<Item = Func>) -> Option<Library> {
        Some(Library {
            find: functions.next()?,
            report: functions.next()?,
            barriers_begin: functions.next()?,
            barriers_come: functions.next()?,
            barriers_tell: functions.next()?,
            barriers_end: functions.next()?,
            barriers_report: functions.next()?,
            written_begin: functions.next()?,
            written_note: functions.next()?,
            written_test: functions.next()?,
            races_begin: functions.next()?,
            races_note: functions.next()?,
            global_races_begin: functions.next()?,
            global_races_note: functions.next()?,
            texel: functions.next()?,
            probe: functions.next()?,
        })
    }
}

/// Adds checks to one function.
struct Instrumenter<'a> {
    module: &'a Module,
    id: Func,
    /// The function whose calls stand for checks of texel coordinates.
    mark: Option<Func>,
    checks: Checks,
    /// True if reads of work-group variables are checked (`local_init.rs`).
    checks_local_init: bool,
    /// The device's work-group memory in bytes.
    room: u64,
    library: &'a Library,
    globals: &'a mut PrimaryMap<Global, GlobalData>,
    /// The number of places so far.
    sites: u32,
    /// The descriptions of places, if checks are only computed.
    probed: Option<&'a mut Vec<Vec<u8>>>,
}

/// A check: a value that is true if the instruction is right, and the values that are reported otherwise.
pub(super) struct Check {
    pub ok: Value,
    /// The kinds of mistakes that the check looks for, each with a value that is true if there is none. If there are
    /// several, the last kind is reported.
    pub kinds: SmallVec<[(Checks, Value); 3]>,
    /// Address, start and size, as I64.
    pub words: [Value; 3],
}

impl Check {
    /// Returns a check that reports only its kind.
    pub fn of(c: &mut Cursor<'_>, ok: Value, kind: Checks) -> Check {
        let zero = c.iconst(Type::I64, 0);
        Check { ok, kinds: smallvec![(kind, ok)], words: [zero; 3] }
    }

    /// Returns the kind of the mistake that was found.
    fn kind(&self, c: &mut Cursor<'_>) -> Value {
        let number = |c: &mut Cursor<'_>, kind: Checks| c.iconst(Type::I32, kind.bits().into());
        let Some((first, others)) = self.kinds.split_first() else {
            return number(c, Checks::empty());
        };
        let mut kind = number(c, first.0);
        for &(other, right) in others {
            let other = number(c, other);
            kind = c.select(right, kind, other);
        }
        kind
    }
}

impl Instrumenter<'_> {
    /// Adds the checks. Returns the number of places so far.
    fn run(mut self, func: &mut Function) -> u32 {
        let cfg = Cfg::compute(func);
        let describer = Describer::new(func, &cfg, self.module, self.id, self.globals);
        let entry_of = self.module.kernel_of(self.id);
        let runs = self.probed.is_none() && entry_of.is_some();
        let mut proofs = match entry_of.filter(|_| runs) {
            Some(kernel) => self.proofs(func, kernel, &describer),
            None => Proofs::default(),
        };
        let mut extents = Extents::new(func, &cfg, (entry_of, self.globals), self.library.find);
        let mut init = match self.checks.contains(Checks::INIT) && func.is_located {
            true => Initialized::new(func, describer.objects(), &proofs.written),
            false => Initialized::default(),
        };
        let words = match self.checks_local_init && func.is_located && entry_of.is_some() {
            true => WrittenWords::new(func, describer.objects(), self.globals, self.mark),
            false => WrittenWords::default(),
        };
        let counts = self.checks.contains(Checks::BARRIERS) && runs;
        let barriers = counts.then(|| Barriers::find(func, &describer));
        let (mut races, mut global_races) = (Races::default(), GlobalRaces::default());
        if self.checks.contains(Checks::RACES) && runs {
            let module = self.module;
            let is_own = |func: &Function, inst| is_own(module, func, inst);
            let (globals, sites) = (&mut *self.globals, &mut self.sites);
            if !func.layout_insts().any(|inst| races::may_order(&func.insts[inst], self.mark)) {
                races = Races::new(func, &describer, is_own, globals, self.room, sites);
                global_races = GlobalRaces::new(func, &describer, is_own, globals, sites);
            }
        }
        let races = (&races, &global_races);
        let mut unwritten = match entry_of {
            Some(kernel) if self.checks.contains(Checks::INIT) && runs => Unwritten::new(kernel),
            _ => Unwritten::default(),
        };
        let entry = func.entry();
        for &block in cfg.rpo() {
            let mut s = Splitter::new(func, block);
            let mut begins = block == entry;
            for inst in s.take_insts() {
                s.c.func.stand_at(inst);
                if begins && !matches!(s.c.func.insts[inst], InstData::Alloca { .. }) {
                    begins = false;
                    extents.area = area(&mut s.c);
                    extents.begin(&mut s.c);
                    if let Some(kernel) = entry_of {
                        proofs.begin(&mut s.c, &extents, kernel);
                    }
                    init.begin(&mut s);
                    unwritten.begin(&mut s.c, extents.area);
                    words.begin(&mut s.c, self.library);
                    races.0.begin(&mut s.c, self.library);
                    races.1.begin(&mut s.c, self.library);
                }
                self.instruction(
                    &mut s,
                    inst,
                    (&mut extents, &mut init, (&words, &unwritten), races),
                    (&describer, &proofs),
                );
            }
            s.finish();
        }
        extents.pass_on(func);
        if let Some(barriers) = barriers {
            self.sites =
                barriers.instrument(func, extents.area, self.library, self.globals, self.sites);
        }
        self.sites
    }

    /// Finds the conditions under which checks are not needed.
    fn proofs(&self, func: &Function, kernel: &KernelEntry, describer: &Describer<'_>) -> Proofs {
        let questions = [
            (Question::Inside, Checks::BOUNDS | Checks::NULL | Checks::ALIGN),
            (Question::Written, Checks::INIT),
            (Question::Orderly, Checks::RACES),
        ];
        let asked = questions.iter().filter(|it| self.checks.intersects(it.1));
        let questions: Vec<Question> = asked.map(|it| it.0).collect();
        let subject = Subject {
            kernel,
            objects: describer.objects(),
            globals: self.globals,
            is_own: &|func, inst| is_own(self.module, func, inst),
            questions: &questions,
        };
        Proofs::new(func, &subject)
    }

    /// Writes an instruction, with a branch for each check that may fail.
    fn instruction(
        &mut self,
        s: &mut Splitter<'_>,
        inst: Inst,
        (extents, init, (words, unwritten), (races, global_races)): (
            &mut Extents<'_>,
            &mut Initialized,
            (&WrittenWords, &Unwritten),
            (&Races, &GlobalRaces),
        ),
        (describer, proofs): (&Describer<'_>, &Proofs),
    ) {
        let is_own = is_own(self.module, s.c.func, inst);
        if texels::is_mark(&s.c.func.insts[inst], self.mark) {
            if self.probed.is_some() {
                return;
            }
            let place = (extents.area, self.sites);
            self.sites += 1;
            return texels::look(&mut s.c, inst, place, describer, self.library, self.globals);
        }
        let is_barrier = matches!(s.c.func.insts[inst], InstData::Barrier { .. });
        let result = s.c.func.result(inst);
        let ty = result.map(|value| s.c.ty(value));
        let mut after = None;
        let object = match s.c.func.access(inst) {
            Some((ptr, _)) => describer.objects().of(s.c.func, ptr).object,
            None => UnderlyingObject::Undefined,
        };
        if is_own {
            unless(s, proofs.is_inside(inst, object), |s| {
                if let Some(check) = self.check(&mut s.c, inst, extents) {
                    self.guard(s, inst, check, (extents.area, describer), &mut after);
                }
            });
        }
        if let (true, Some(check)) = (is_own, unwritten.check(&mut s.c, inst, describer.objects()))
        {
            self.guard(s, inst, check, (extents.area, describer), &mut after);
        }
        let shadow = init.shadow(&mut s.c, inst, extents);
        let guarded = after.is_some();
        if let (true, Some(check)) = (is_own, init.check(&mut s.c, inst, guarded, shadow)) {
            self.guard(s, inst, check, (extents.area, describer), &mut after);
        }
        let bytes = words.bytes(s.c.func, inst, extents, describer.objects());
        let is_written = proofs.of(Question::Written, object);
        if is_own && bytes.is_some() && words.reads(s.c.func, inst) {
            unless(s, is_written, |s| {
                if let Some(check) = words.check(&mut s.c, inst, bytes, self.library) {
                    self.guard(s, inst, check, (extents.area, describer), &mut after);
                }
            });
        }
        if races.notes(inst) || global_races.notes(inst) {
            unless(s, proofs.of(Question::Orderly, object), |s| {
                races.note(&mut s.c, inst, extents, describer.objects(), self.library);
                global_races.note(&mut s.c, inst, extents, self.library);
            });
        }
        init.forget_copy(s.c.func, inst);
        match after {
            None => {
                s.c.keep(inst);
                init.note(&mut s.c, inst, false, shadow);
                if bytes.is_some() && words.writes(s.c.func, inst) {
                    unless(s, is_written, |s| words.note(&mut s.c, inst, bytes, self.library));
                }
                races.pass(&mut s.c, is_barrier);
                global_races.pass(&mut s.c, inst, is_own);
            }
            Some(after) => {
                let data = s.c.func.insts[inst].clone();
                let value = match ty {
                    Some(ty) => Some(s.c.inst(data, ty)),
                    None => {
                        s.c.void(data);
                        None
                    }
                };
                init.note(&mut s.c, inst, true, shadow);
                if bytes.is_some() && words.writes(s.c.func, inst) {
                    unless(s, is_written, |s| words.note(&mut s.c, inst, bytes, self.library));
                }
                s.jump(after, value.as_slice());
                s.switch_to(after);
                s.become_param(inst, after);
            }
        }
        if let Some(result) = result {
            extents.define(&mut s.c, result);
        }
    }

    /// Adds a branch that reports a mistake if a check fails, and that continues in the block `after`, behind the
    /// instruction. `after` is created when it is first needed. The current block continues where the check succeeds.
    fn guard(
        &mut self,
        s: &mut Splitter<'_>,
        inst: Inst,
        check: Check,
        (area, describer): (Value, &Describer<'_>),
        after: &mut Option<Block>,
    ) {
        if s.c.func.as_const(check.ok) == Some(1) {
            return;
        }
        let description = describer.describe(s.c.func, inst);
        if let Some(probed) = &mut self.probed {
            let [no, yes, site] = [0, 1, probed.len() as i64].map(|n| s.c.iconst(Type::I32, n));
            let ok = s.c.select(check.ok, yes, no);
            let kind = check.kind(&mut s.c);
            let [at, start, size] = check.words;
            s.c.call(self.library.probe, &[ok, site, kind, at, start, size], None);
            return probed.push(description);
        }
        let [right, wrong] = s.branch(check.ok);
        let after = *after.get_or_insert_with(|| s.new_block());
        s.switch_to(wrong);
        let text = description_address(&mut s.c, self.globals, description);
        let site = s.c.iconst(Type::I32, i64::from(self.sites));
        self.sites += 1;
        let kind = check.kind(&mut s.c);
        let [at, start, size] = check.words;
        s.c.call(self.library.report, &[area, site, text, kind, at, start, size], None);
        let ty = s.c.func.result(inst).map(|value| s.c.ty(value));
        let zero = ty.map(|ty| s.c.iconst(ty, 0));
        s.jump(after, zero.as_slice());
        s.switch_to(right);
    }

    /// Computes whether an instruction is right; `None` if the instruction is not checked.
    fn check(&self, c: &mut Cursor<'_>, inst: Inst, extents: &Extents<'_>) -> Option<Check> {
        match c.func.insts[inst] {
            InstData::Binary { op, args, .. } if self.checks.contains(Checks::ARITH) => {
                division(c, op, args)
            }
            ref data => {
                let (address, ty) = (data.address()?, c.func.access(inst)?.1);
                let align = match *data {
                    InstData::Load { align, .. } | InstData::Store { align, .. } => align,
                    _ => ty.bytes(),
                };
                let bytes = match (data, ty.bytes()) {
                    (InstData::Load { .. } | InstData::Store { .. }, bytes) => bytes,
                    // An atomic operation on a half is one on the word that contains the half.
                    (_, 4) => 2,
                    (_, bytes) => bytes,
                };
                let extent = extents.of(c.func, address)?;
                Some(self.access(c, address, extent, (bytes, align)))
            }
        }
    }

    /// Checks an access of a number of bytes with an alignment.
    fn access(
        &self,
        c: &mut Cursor<'_>,
        address: Value,
        extent: Extent,
        (bytes, align): (u32, u32),
    ) -> Check {
        let (at, start) = match extent {
            Extent::Absolute { start, .. } => {
                (c.convert(ConvertOp::PtrToInt, address, Type::I64), start)
            }
            Extent::Relative { offset, .. } => (offset, c.iconst(Type::I32, 0)),
        };
        let (ty, size) = (c.ty(at), extent.size());
        let offset = c.binary(BinaryOp::ISub, at, start);
        // All but one of these comparisons do not change in a loop, so they can be hoisted.
        let fits = c.icmp_imm(IntCC::Uge, size, i64::from(bytes));
        let last = c.binary_imm(BinaryOp::ISub, size, i64::from(bytes));
        let begins = c.icmp(IntCC::Ule, offset, last);
        let inside = and(c, fits, begins);
        let no_size = c.icmp_imm(IntCC::Eq, size, 0);
        let no_start = c.icmp_imm(IntCC::Eq, start, 0);
        let is_null = c.binary(BinaryOp::And, no_size, no_start);
        let lost = c.binary_imm(BinaryOp::And, at, i64::from(align.max(1)) - 1);
        let is_aligned = c.icmp_imm(IntCC::Eq, lost, 0);
        let truth = c.func.bool_const(true);
        let right = [is_aligned, inside, c.binary(BinaryOp::Xor, is_null, truth)];
        let kinds = [Checks::ALIGN, Checks::BOUNDS, Checks::NULL].into_iter().zip(right);
        let kinds: SmallVec<_> = kinds.filter(|(which, _)| self.checks.contains(*which)).collect();
        let looks_inside = self.checks.contains(Checks::BOUNDS);
        let mut ok = truth;
        for &(which, right) in &kinds {
            // A null pointer has an empty extent, so the comparison of bounds fails for it anyway.
            if which != Checks::NULL || !looks_inside {
                ok = and(c, ok, right);
            }
        }
        let words = [at, start, size].map(|word| match ty == Type::I64 {
            true => word,
            false => c.convert(ConvertOp::SExt, word, Type::I64),
        });
        Check { ok, kinds, words }
    }
}

/// Writes code that is skipped if `is_needless` is true. Afterwards, the current block is the one behind that code.
fn unless(s: &mut Splitter<'_>, is_needless: Option<Value>, write: impl FnOnce(&mut Splitter<'_>)) {
    let Some(is_needless) = is_needless else { return write(s) };
    if s.c.func.as_const(is_needless) == Some(1) {
        return;
    }
    let [after, needed] = s.branch(is_needless);
    s.switch_to(needed);
    write(s);
    s.jump(after, &[]);
    s.switch_to(after);
}

/// Returns true for an instruction that is not in the built-in library.
fn is_own(module: &Module, func: &Function, inst: Inst) -> bool {
    let locations = &module.locations;
    let location = locations.get(func.location_of(inst));
    location.is_none_or(|location| !locations.is_built_in(location))
}

/// Adds a constant variable with a description to the program. Returns the low half of its address.
pub(super) fn description_address(
    c: &mut Cursor<'_>,
    globals: &mut PrimaryMap<Global, GlobalData>,
    description: Vec<u8>,
) -> Value {
    let global = description_variable(globals, description);
    low_address(c, global)
}

/// Adds a constant variable with descriptions to the program.
fn description_variable(globals: &mut PrimaryMap<Global, GlobalData>, bytes: Vec<u8>) -> Global {
    globals.push(GlobalData {
        name: ".check".to_string(),
        size: bytes.len() as u64,
        align: 1,
        space: AddressSpace::Constant,
        is_const: true,
        init: Some(bytes),
        relocations: Vec::new(),
        linkage: Linkage::Internal,
    })
}

/// Returns the low half of the address of a constant variable.
fn low_address(c: &mut Cursor<'_>, global: Global) -> Value {
    let text = c.global_addr(global, AddressSpace::Constant);
    let text = c.convert(ConvertOp::PtrToInt, text, Type::I64);
    c.convert(ConvertOp::Trunc, text, Type::I32)
}

/// Returns `a && b`, without an instruction if one of the values is known to be true.
pub(super) fn and(c: &mut Cursor<'_>, a: Value, b: Value) -> Value {
    match (c.func.as_const(a), c.func.as_const(b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => c.binary(BinaryOp::And, a, b),
    }
}

/// Checks a division of integers in each lane.
fn division(c: &mut Cursor<'_>, op: BinaryOp, [dividend, divisor]: [Value; 2]) -> Option<Check> {
    let is_signed = match op {
        BinaryOp::SDiv | BinaryOp::SRem => true,
        BinaryOp::UDiv | BinaryOp::URem => false,
        _ => return None,
    };
    let ty = c.ty(divisor);
    let least = 1u64 << (ty.scalar.bits() - 1);
    let mut ok = c.func.bool_const(true);
    for lane in 0..ty.lanes {
        let (a, b) = (c.extract(dividend, lane), c.extract(divisor, lane));
        let right = c.icmp_imm(IntCC::Ne, b, 0);
        ok = and(c, ok, right);
        if is_signed {
            let least = c.func.constant(ty.lane(), least);
            let fits = [c.icmp(IntCC::Ne, a, least), c.icmp_imm(IntCC::Ne, b, -1)];
            let fits = match fits.map(|truth| c.func.as_const(truth)) {
                [Some(1), _] | [_, Some(1)] => c.func.bool_const(true),
                _ => c.binary(BinaryOp::Or, fits[0], fits[1]),
            };
            ok = and(c, ok, fits);
        }
    }
    // The operands are reported for scalars only. For vectors, it is not known here which lane is wrong.
    let is_scalar = c.iconst(Type::I64, i64::from(ty.lanes == 1));
    let operands = [dividend, divisor].map(|operand| match ty.lanes {
        1 => c.resize(operand, Type::I64, is_signed),
        _ => is_scalar,
    });
    let kinds = smallvec![(Checks::ARITH, ok)];
    Some(Check { ok, kinds, words: [operands[0], operands[1], is_scalar] })
}

/// Returns the address of the launch's check area.
fn area(c: &mut Cursor<'_>) -> Value {
    let buffer = c.work_item(WorkItemQuery::PrintfBuffer, 0);
    let capacity = c.ptr_add_const(buffer, 4);
    let words = c.load(Type::I32, capacity, 4, MemFlags::INVARIANT);
    // The same offset as that of `checks::area_offset`, in bytes.
    let bytes = c.binary_imm(BinaryOp::Shl, words, 2);
    let fixed = printf::HEADER_BYTES + printf::TRAILER_BYTES + 15;
    let end = c.binary_imm(BinaryOp::IAdd, bytes, i64::from(fixed));
    let offset = c.binary_imm(BinaryOp::And, end, -16);
    let offset = c.convert(ConvertOp::ZExt, offset, Type::I64);
    c.ptr_add(buffer, offset)
}
