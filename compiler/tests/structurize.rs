//! The structurizer on random graphs: the function computes the same as before, and its structure obeys SPIR-V's rules.

mod interpreter;

use hekla_compiler::analysis::call_graph::calls;
use hekla_compiler::ir::cfg::Cfg;
use hekla_compiler::ir::dominators::DomTree;
use hekla_compiler::ir::{
    verify, BinaryOp, Block, BlockCall, Func, Function, InstData, IntCC, Merge, Module, Structure,
    SwitchCase, Type, Value,
};
use hekla_compiler::passes::shared_calls::SharedCallee;
use hekla_compiler::passes::structurize;
use hekla_compiler::Quirks;
use hekla_compiler::{compile, Options, Source, Target};
use interpreter::Machine;
use rspirv::spirv::Op;
use smallvec::smallvec;

/// A small generator of pseudo-random numbers (xorshift), so that failures repeat.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as u32 % n
    }
}

/// Fills the block of the list with the `usize` as its number. The last block is the exit; the values are the block's state and
/// fuel.
type Fill = fn(&mut Function, &mut Rng, &[Block], Block, usize, Value, Value);

/// Returns a function of `count` blocks with random edges. Each block mixes its number into a state that
/// decides its branch, passes it on as a block parameter, and stops when the fuel is used up.
fn random_function(rng: &mut Rng, count: u32) -> Function {
    function_of(rng, count, 60, fill_block)
}

/// Returns a function of `count` blocks that `fill` fills, each with a state and fuel as its parameters.
fn function_of(rng: &mut Rng, count: u32, fuel: u64, fill: Fill) -> Function {
    let mut func = Function::new("random", &[], Some(Type::I32));
    let entry = func.entry();
    let blocks: Vec<Block> = (0..count).map(|_| func.add_block()).collect();
    let params: Vec<[Value; 2]> = blocks
        .iter()
        .map(|&b| [func.add_param(b, Type::I32), func.add_param(b, Type::I32)])
        .collect();
    let exit = func.add_block();
    let result = func.add_param(exit, Type::I32);
    func.append(exit, InstData::Return { values: smallvec![result] }, None);
    let seed = func.constant(Type::I32, u64::from(rng.below(1 << 30)));
    let fuel = func.constant(Type::I32, fuel);
    let first = BlockCall::with_args(blocks[0], &[seed, fuel]);
    func.append(entry, InstData::Jump { target: first }, None);
    for (i, &[state, fuel]) in params.iter().enumerate() {
        fill(&mut func, rng, &blocks, exit, i, state, fuel);
    }
    func
}

/// Appends an operation on a value and a constant.
fn binary(func: &mut Function, block: Block, op: BinaryOp, a: Value, bits: u64) -> Value {
    let b = func.constant(Type::I32, bits);
    let data = InstData::Binary { op, args: [a, b], flags: Default::default() };
    func.append(block, data, Some(Type::I32)).unwrap()
}

/// Lets a block branch to `exit` with its state if the fuel is used up, else to a new block, which is returned.
fn stop_without_fuel(
    func: &mut Function,
    block: Block,
    exit: Block,
    state: Value,
    fuel: Value,
) -> Block {
    let zero = func.constant(Type::I32, 0);
    let cond = InstData::ICmp { cc: IntCC::Eq, args: [fuel, zero] };
    let cond = func.append(block, cond, Some(Type::BOOL)).unwrap();
    let next = func.add_block();
    let then = BlockCall::with_args(exit, &[state]);
    let data = InstData::Brif { cond, then, otherwise: BlockCall::new(next) };
    func.append(block, data, None);
    next
}

fn fill_block(
    func: &mut Function,
    rng: &mut Rng,
    blocks: &[Block],
    exit: Block,
    i: usize,
    state: Value,
    fuel: Value,
) {
    let mut block = blocks[i];
    let state = binary(func, block, BinaryOp::IMul, state, 1_103_515_245);
    let state = binary(func, block, BinaryOp::IAdd, state, 12345 + i as u64);
    let fuel = binary(func, block, BinaryOp::ISub, fuel, 1);
    let bits = binary(func, block, BinaryOp::LShr, state, 16);
    let target = |rng: &mut Rng| {
        // Most edges lead forward to a near block, some to any block.
        let n = blocks.len() as u32;
        let to = match rng.below(10) {
            0 | 1 => rng.below(n),
            2 => return BlockCall::with_args(exit, &[state]),
            _ => i as u32 + 1 + rng.below(4),
        };
        match blocks.get(to as usize) {
            Some(&b) => BlockCall::with_args(b, &[state, fuel]),
            None => BlockCall::with_args(exit, &[state]),
        }
    };
    if rng.below(2) == 0 {
        block = stop_without_fuel(func, block, exit, state, fuel);
    }
    let data = match rng.below(8) {
        0 => InstData::Jump { target: target(rng) },
        1 => InstData::Switch {
            value: binary(func, block, BinaryOp::And, bits, 3),
            cases: (0..3).map(|value| SwitchCase { value, target: target(rng) }).collect(),
            default: target(rng),
        },
        2 if rng.below(3) == 0 => InstData::Return { values: smallvec![state] },
        _ => {
            let bit = binary(func, block, BinaryOp::And, bits, 1);
            let zero = func.constant(Type::I32, 0);
            let cond = InstData::ICmp { cc: IntCC::Ne, args: [bit, zero] };
            let cond = func.append(block, cond, Some(Type::BOOL)).unwrap();
            InstData::Brif { cond, then: target(rng), otherwise: target(rng) }
        }
    };
    func.append(block, data, None);
}

/// Returns the functions that [`fill_calling`] calls: one with two results, and one with one result.
fn callees() -> [Function; 2] {
    let mut pair = Function::new("pair", &[Type::I32, Type::I32], Some(Type::I32));
    pair.returns.push(Type::I32);
    let mut single = Function::new("single", &[Type::I32], Some(Type::I32));
    let (entry, args) = (pair.entry(), pair.params().to_vec());
    let product = binary(&mut pair, entry, BinaryOp::IMul, args[0], 77_777);
    let sum = binary(&mut pair, entry, BinaryOp::IAdd, args[1], 3);
    pair.append(entry, InstData::Return { values: smallvec![product, sum] }, None);
    let (entry, arg) = (single.entry(), single.params()[0]);
    let mixed = binary(&mut single, entry, BinaryOp::Xor, arg, 0x5555);
    single.append(entry, InstData::Return { values: smallvec![mixed] }, None);
    [pair, single]
}

/// Like [`fill_block`], but the block makes a few calls first. Each call makes a new state and may change the fuel, which is
/// added to the state after the next call.
fn fill_calling(
    func: &mut Function,
    rng: &mut Rng,
    blocks: &[Block],
    exit: Block,
    i: usize,
    state: Value,
    fuel: Value,
) {
    let block = blocks[i];
    let (mut state, mut other) = (state, fuel);
    for _ in 0..rng.below(3) {
        let args = if rng.below(2) == 0 { smallvec![state, fuel] } else { smallvec![state] };
        let callee = Func::from_u32(2 - args.len() as u32);
        let is_pair = args.len() == 2;
        let call = InstData::Call { func: callee, args };
        let next = func.append(block, call, Some(Type::I32)).unwrap();
        let sum =
            InstData::Binary { op: BinaryOp::IAdd, args: [next, other], flags: Default::default() };
        if is_pair {
            let data = InstData::CallResult { call: next, index: 1 };
            other = func.append(block, data, Some(Type::I32)).unwrap();
        }
        state = func.append(block, sum, Some(Type::I32)).unwrap();
    }
    fill_block(func, rng, blocks, exit, i, state, fuel);
}

/// Fills block `i` with branches to the next block and to the block that is as far from the list's end as `i` is from its
/// beginning, or one nearer. Each such pair of edges makes cycles around the earlier cycles, many with several entries.
fn fill_nested(
    func: &mut Function,
    rng: &mut Rng,
    blocks: &[Block],
    exit: Block,
    i: usize,
    state: Value,
    fuel: Value,
) {
    let block = blocks[i];
    let product = binary(func, block, BinaryOp::IMul, state, 1_103_515_245);
    let next_state = binary(func, block, BinaryOp::IAdd, product, 12345 + i as u64);
    let next_fuel = binary(func, block, BinaryOp::ISub, fuel, 1);
    let bits = binary(func, block, BinaryOp::LShr, next_state, 16);
    let value = binary(func, block, BinaryOp::And, bits, 3);
    let decide = stop_without_fuel(func, block, exit, next_state, next_fuel);
    let to = |at: usize| match blocks.get(at) {
        Some(&next) => BlockCall::with_args(next, &[next_state, next_fuel]),
        None => BlockCall::with_args(exit, &[next_state]),
    };
    let far = blocks.len() - 1 - (i + rng.below(2) as usize).min(blocks.len() - 1);
    let cases = vec![SwitchCase { value: 0, target: to(far) }];
    func.append(decide, InstData::Switch { value, cases, default: to(i + 1) }, None);
}

/// Returns what a function without parameters returns; `None` after too many instructions.
fn interpret(module: &Module, func: Func, limit: u64) -> Option<u64> {
    let mut machine = Machine::new(module);
    machine.steps = limit;
    match machine.call(func, Vec::new()) {
        Ok(values) => values.first().map(|lanes| lanes[0]),
        Err(error) if error.contains("too long") => None,
        Err(error) => panic!("{error}\n{module}"),
    }
}

/// Returns the distinct targets of a switch's cases, in the order in which OpSwitch lists them.
fn listed_targets(data: &InstData) -> Vec<Block> {
    let InstData::Switch { cases, .. } = data else { return Vec::new() };
    let mut targets: Vec<Block> = cases.iter().map(|case| case.target.block).collect();
    targets.dedup();
    targets
}

/// Checks that a case falls through to at most one other case, to which no third case falls through, and which is next in the
/// list.
fn check_cases(func: &Function) {
    let cfg = Cfg::compute(func);
    let doms = DomTree::compute(&cfg);
    for &block in &func.layout {
        let Some(switch) = func.terminator(block).map(|last| &func.insts[last]) else { continue };
        let InstData::Switch { default, .. } = switch else { continue };
        let listed = listed_targets(switch);
        let mut all = listed.clone();
        all.push(default.block);
        all.sort_unstable();
        all.dedup();
        for &to in &all {
            let goes_on = |from: &&Block| {
                **from != to && cfg.preds(to).iter().any(|&pred| doms.dominates(**from, pred))
            };
            let sources: Vec<Block> = all.iter().filter(goes_on).copied().collect();
            assert!(sources.len() < 2, "{sources:?} go on to {to}");
            if let (&[from], true) = (&sources[..], to != default.block) {
                let next = listed.iter().position(|&target| target == from).unwrap() + 1;
                assert_eq!(listed.get(next), Some(&to), "{from} goes on to {to}");
                assert_eq!(listed.iter().filter(|&&target| target == to).count(), 1, "{to}");
            }
        }
    }
}

/// Checks the rules that can be checked locally: loop headers have one back edge, from the continue target; every two-way
/// branch has a merge, unless a side leaves the loop, or leaves a case for the next case; merges are not shared.
fn check_structure(func: &Function, structure: &Structure) {
    check_cases(func);
    let mut merges = Vec::new();
    let last = |&block: &Block| func.terminator(block).map(|last| &func.insts[last]);
    let targets = |data: &InstData| {
        let InstData::Switch { default, .. } = data else { return Vec::new() };
        [&listed_targets(data)[..], &[default.block]].concat()
    };
    let cases: Vec<Block> = func.layout.iter().filter_map(last).flat_map(targets).collect();
    for &block in &func.layout {
        let position = |b: Block| func.layout.iter().position(|&x| x == b).unwrap();
        match structure.merges[block] {
            Merge::None => {
                let successors = func.successors(block);
                let stay = successors.iter().filter(|to| !cases.contains(to)).count();
                let is_fine = successors.len() < 2 || successors.len() == 2 && stay < 2;
                assert!(is_fine, "{block} branches without a merge");
            }
            Merge::Selection { merge } => merges.push(merge),
            Merge::Loop { merge, continue_target, .. } => {
                merges.push(merge);
                let sources: Vec<Block> = func
                    .layout
                    .iter()
                    .copied()
                    .filter(|&b| func.successors(b).contains(&block))
                    .filter(|&b| position(b) >= position(block))
                    .collect();
                assert_eq!(sources, [continue_target], "back edges of {block}");
            }
        }
        for succ in func.successors(block) {
            let is_back_edge = matches!(structure.merges[succ], Merge::Loop { continue_target, .. }
                if continue_target == block);
            assert!(is_back_edge || position(succ) > position(block), "{block} jumps back");
        }
    }
    assert!(merges.iter().all(|merge| func.layout.contains(merge)), "a merge block is missing");
    let count = merges.len();
    merges.sort();
    merges.dedup();
    assert_eq!(merges.len(), count, "a merge block serves two constructs");
}

#[test]
fn random_graphs_keep_their_meaning() {
    for seed in 1..3000_u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let count = 2 + rng.below(14);
        let func = random_function(&mut rng, count);
        let mut module = Module::default();
        let id = module.functions.push(func);
        let expected = interpret(&module, id, 100_000);
        let structure = structurize::run(&mut module.functions[id]);
        if let Err(error) = verify::verify_module(&module) {
            panic!("seed {seed}: {error}\n{module}");
        }
        let func = &module.functions[id];
        check_structure(func, &structure);
        if expected.is_some() {
            assert_eq!(interpret(&module, id, 10_000_000), expected, "seed {seed}\n{module}");
        }
    }
}

#[test]
fn calls_that_share_call_sites_keep_their_meaning() {
    for seed in 1..3000_u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let count = 2 + rng.below(14);
        let mut module = Module::default();
        let callees = callees().map(|callee| SharedCallee {
            returns: callee.returns.clone(),
            func: module.functions.push(callee),
        });
        let id = module.functions.push(function_of(&mut rng, count, 60, fill_calling));
        let expected = interpret(&module, id, 100_000);
        // Some functions share call sites with one callee alone.
        let shared = &callees[..2 - rng.below(2) as usize];
        let structure =
            structurize::run_and_share(&mut module.functions[id], shared, Quirks::empty());
        if let Err(error) = verify::verify_module(&module) {
            panic!("seed {seed}: {error}\n{module}");
        }
        let func = &module.functions[id];
        check_structure(func, &structure);
        for shared in shared {
            let sites = calls(func).filter(|&(callee, _)| callee == shared.func).count();
            assert!(sites <= 1, "seed {seed}");
        }
        if expected.is_some() {
            assert_eq!(interpret(&module, id, 10_000_000), expected, "seed {seed}\n{module}");
        }
    }
}

#[test]
fn cycles_around_hundreds_of_cycles_keep_their_meaning() {
    for (seed, count) in [(1, 150), (2, 300), (3, 700), (4, 1000)] {
        let mut rng = Rng(seed);
        let mut module = Module::default();
        let id = module.functions.push(function_of(&mut rng, count, 5000, fill_nested));
        let expected = interpret(&module, id, 1_000_000);
        assert!(expected.is_some(), "seed {seed}");
        structurize::run(&mut module.functions[id]);
        verify::verify_module(&module).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(interpret(&module, id, 1_000_000_000), expected, "seed {seed}");
    }
}

#[test]
fn a_plain_loop_needs_no_selector() {
    // while (i != 10) i++; return i;
    let mut func = Function::new("count", &[], Some(Type::I32));
    let entry = func.entry();
    let (head, body, exit) = (func.add_block(), func.add_block(), func.add_block());
    let i = func.add_param(head, Type::I32);
    let (zero, one, ten) =
        (func.constant(Type::I32, 0), func.constant(Type::I32, 1), func.constant(Type::I32, 10));
    func.append(entry, InstData::Jump { target: BlockCall::with_args(head, &[zero]) }, None);
    let cond = InstData::ICmp { cc: IntCC::Ne, args: [i, ten] };
    let cond = func.append(head, cond, Some(Type::BOOL)).unwrap();
    let (then, otherwise) = (BlockCall::new(body), BlockCall::new(exit));
    func.append(head, InstData::Brif { cond, then, otherwise }, None);
    let add = InstData::Binary { op: BinaryOp::IAdd, args: [i, one], flags: Default::default() };
    let next = func.append(body, add, Some(Type::I32)).unwrap();
    func.append(body, InstData::Jump { target: BlockCall::with_args(head, &[next]) }, None);
    func.append(exit, InstData::Return { values: smallvec![i] }, None);
    let structure = structurize::run(&mut func);
    check_structure(&func, &structure);
    let params: usize = func.layout.iter().map(|&b| func.blocks[b].params.len()).sum();
    assert_eq!(params, 1, "only the counter is carried\n{func}");
    let mut module = Module::default();
    let id = module.functions.push(func);
    assert_eq!(interpret(&module, id, 1000), Some(10));
}

/// Returns the numbers of words and of comparisons in the module of a switch with this number of cases, every third of which
/// falls through.
fn falling_through(cases: usize) -> (usize, usize) {
    let case = |i: usize| {
        let end = if i.is_multiple_of(3) { "" } else { " break;" };
        format!("case {}: r = r * {} + {i};{end}\n", 7 * i, i + 3)
    };
    let cases: String = (0..cases).map(case).collect();
    let head = "kernel void k(global uint *p) { uint r = p[1]; switch (p[0]) {\n";
    let text = format!("{head}{cases}default: r ^= 5; }} p[2] = r; }}");
    let source = Source { name: "k.cl".into(), text, headers: Vec::new() };
    let program = compile(&source, &Options::default(), &Target::generic()).program.unwrap();
    let words = &program.kernels[0].spirv;
    let comparisons = [Op::IEqual, Op::INotEqual];
    let module = rspirv::dr::load_words(words).unwrap();
    let count = module.all_inst_iter().filter(|i| comparisons.contains(&i.class.opcode)).count();
    (words.len(), count)
}

#[test]
fn cases_that_fall_through_take_no_tests() {
    let ((small, _), (large, comparisons)) = (falling_through(300), falling_through(600));
    assert!(large < 2 * small + 100, "{small} words, {large} for twice as many cases");
    assert!(comparisons < 10, "{comparisons}");
}
