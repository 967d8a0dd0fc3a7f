//! The accesses to a kernel's memory that remain after all passes.

mod module_support;

use hekla_compiler::{compile_to_ir, IrAt, Options, Source, Target};
use hekla_device::Quirks;
use module_support::{count, module};
use rspirv::spirv::Op;

#[test]
fn a_sum_in_memory_is_stored_behind_its_loop() {
    let stores_in_loop = |qualifier: &str| {
        let text = format!(
            "kernel void k({qualifier} global float *sum, local float *t, int n) {{
                 for (int i = 0; i < n; i++) sum[7] = sum[7] * 2.0f + t[i];
             }}"
        );
        let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
        let options = Options::default();
        let ir = compile_to_ir(&source, &options, &Target::generic(), &IrAt::End).unwrap();
        // The blocks with a product are those of the loop.
        let blocks = ir.split("\nblock");
        blocks
            .filter(|block| block.contains("fmul") || block.contains("fma"))
            .filter(|block| block.contains("store"))
            .count()
    };
    assert_eq!(stores_in_loop(""), 0);
    assert_ne!(stores_in_loop("volatile"), 0);
}

#[test]
fn tiles_are_read_in_vectors_where_that_is_faster() {
    let text = "kernel void k(global float *o) {
             local float tile[16][17];
             tile[get_local_id(0)][get_local_id(1)] = o[get_global_id(0)];
             barrier(CLK_LOCAL_MEM_FENCE);
             float s = 0;
             for (int i = 0; i < 16; i++) s = s * 2.0f + tile[3][i];
             o[get_global_id(0)] = s;
         }";
    let loads =
        |target: &Target| count(&module(text, target), |inst| inst.class.opcode == Op::Load);
    let explicit = Target { workgroup_explicit_layout: true, ..Target::generic() };
    let vectors = Target { quirks: Quirks::WHOLE_LOCAL_VECTORS, ..explicit.clone() };
    // Row 3 begins at byte 204, so that its 16 words lie in five vectors.
    assert_eq!(loads(&explicit) - loads(&vectors), 16 - 5);
}
