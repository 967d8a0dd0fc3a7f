//! Budgets: the sizes of typical kernels in SPIR-V. A change that makes kernels larger fails here and must be justified; one
//! that makes them smaller lowers the numbers.

use hekla_compiler::{compile, Options, Source, Target};
use rspirv::dr::{load_words, Module};
use rspirv::spirv::Op;

/// A kernel and the size of the module that it becomes.
struct Budget {
    kernel: &'static str,
    text: &'static str,
    /// The number of instructions in functions.
    instructions: usize,
    /// The numbers of loop merges, of selection merges, and of loads.
    loops: usize,
    selections: usize,
    loads: usize,
}

macro_rules! budget {
    ($kernel:literal, $instructions:literal, $loops:literal, $selections:literal, $loads:literal) => {
        Budget {
            kernel: $kernel,
            text: include_str!(concat!("budgets/", $kernel, ".cl")),
            instructions: $instructions,
            loops: $loops,
            selections: $selections,
            loads: $loads,
        }
    };
}

/// The check of bounds, in kernels that can have it, takes 15 instructions, among them a selection and four loads.
const BUDGETS: [Budget; 11] = [
    budget!("adjacent", 57, 0, 1, 12),
    budget!("axpy", 94, 0, 2, 21),
    budget!("dot", 129, 2, 3, 23),
    budget!("invariant", 64, 1, 3, 13),
    budget!("nbody", 133, 2, 2, 16),
    budget!("reads", 60, 0, 2, 12),
    budget!("reduction", 98, 2, 4, 17),
    budget!("search", 73, 1, 4, 14),
    budget!("sgemm", 227, 1, 1, 49),
    budget!("sha256", 1550, 1, 2, 238),
    budget!("stencil", 114, 1, 3, 22),
];

fn emitted(budget: &Budget) -> Module {
    let (name, text) = (format!("{}.cl", budget.kernel), budget.text.to_string());
    let source = Source { name, text, headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), &Target::generic());
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    load_words(&program.kernels[0].spirv).unwrap()
}

#[test]
fn kernels_keep_to_their_budgets() {
    let mut exceeded = String::new();
    for budget in &BUDGETS {
        let module = emitted(budget);
        let blocks = module.functions.iter().flat_map(|function| &function.blocks);
        let ops: Vec<Op> =
            blocks.flat_map(|block| &block.instructions).map(|inst| inst.class.opcode).collect();
        let count = |op: Op| ops.iter().filter(|found| **found == op).count();
        let found = (ops.len(), count(Op::LoopMerge), count(Op::SelectionMerge), count(Op::Load));
        let limits = (budget.instructions, budget.loops, budget.selections, budget.loads);
        if found != limits {
            exceeded += &format!("{}: {found:?}, not {limits:?}\n", budget.kernel);
        }
    }
    assert!(exceeded.is_empty(), "(instructions, loops, selections, loads)\n{exceeded}");
}
