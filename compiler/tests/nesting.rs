//! Deeply nested control flow gets fewer levels on drivers that keep the masks of invocations by software.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::Quirks;
use hekla_compiler::{compile, Compiled, Options, Source, Target};
use rspirv::dr::load_words;
use rspirv::spirv::Op;
use std::collections::HashMap;

fn compiled(text: String) -> Compiled {
    let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
    let target = Target { quirks: Quirks::BOUNDED_NESTING, ..Target::generic() };
    compile(&source, &Options::default(), &target)
}

/// Returns branches within each other, with operations at every level.
fn nest(depth: usize, innermost: &str) -> String {
    let heads: String = (0..depth).map(|n| format!("if (p[{n}] > a) {{ p[{n}] = b; ")).collect();
    let tails: String = (0..depth).map(|n| format!("}} p[{n}] += b;")).collect();
    format!("kernel void k(global int *p, int a, int b) {{ {heads}{innermost}{tails} }}")
}

/// Returns the depth of the deepest nesting of constructs in the functions of a module.
fn most_levels(spirv: &[u32]) -> usize {
    let module = load_words(spirv).unwrap();
    let mut most = 0;
    for function in &module.functions {
        let mut depths: HashMap<u32, usize> = HashMap::new();
        for block in &function.blocks {
            let depth =
                depths.get(&block.label.as_ref().unwrap().result_id.unwrap()).copied().unwrap_or(0);
            most = most.max(depth);
            let mut inner = depth;
            for inst in &block.instructions {
                let ids: Vec<u32> = inst.operands.iter().filter_map(|o| o.id_ref_any()).collect();
                match inst.class.opcode {
                    Op::SelectionMerge | Op::LoopMerge => {
                        depths.insert(ids[0], depth);
                        inner = depth + 1;
                    }
                    Op::Branch | Op::BranchConditional | Op::Switch => {
                        for id in ids {
                            depths.entry(id).or_insert(inner);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    most
}

#[test]
fn deep_nests_are_cut() {
    for depth in [10, 31, 33, 64, 100, 127] {
        let compiled = compiled(nest(depth, ""));
        assert_eq!(compiled.log, "", "{depth}");
        let kernel = &compiled.program.unwrap().kernels[0];
        support::validate(&kernel.spirv).unwrap();
        let levels = most_levels(&kernel.spirv);
        assert!(levels <= if depth > 64 { 32 } else { depth } + 1, "{depth}: {levels}");
    }
}

#[test]
fn where_work_items_act_together_they_are_refused() {
    let of_depth = |depth| compiled(nest(depth, "barrier(CLK_LOCAL_MEM_FENCE);"));
    let deep = of_depth(90);
    assert!(deep.program.is_none());
    assert!(deep.log.contains("control flow is nested"), "{}", deep.log);
    assert!(of_depth(60).program.is_some());
}
