//! Sub-groups of the size that a kernel asks for, on hardware with sub-groups of another size: smaller ones are clusters of
//! the hardware's ([`clusters`]), larger ones consist of several of the hardware's ([`pieces`]). Queries become arithmetic on
//! the hardware's values.
//!
//! After this pass, all operations are on the hardware's sub-groups.

mod clusters;
mod pieces;

use super::work_items::query;
use crate::analysis::uniformity::Uniformity;
use crate::ir::*;
use crate::passes::cursor::{replace_values, rewrite_insts, Cursor};
use crate::target::Target;

/// The sizes of sub-groups in work-items, both powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The size of sub-groups that the kernel sees.
    pub asked: u32,
    /// The size with which the hardware runs the kernel.
    pub hardware: u32,
}

impl Sizes {
    /// Returns the sizes for a kernel that requires sub-groups of `required` work-items.
    pub fn of(target: &Target, required: Option<u32>) -> Sizes {
        Sizes {
            asked: target.subgroup_size(required),
            hardware: target.hardware_subgroup_size(required),
        }
    }
}

/// Legalizes the kernels' functions. Calls `changed` for each function that has changed.
///
/// # Errors
/// If only some work-items of a kernel may reach an operation that needs all of them because the kernel's sub-groups are not
/// the hardware's.
pub fn run(
    module: &mut Module,
    target: &Target,
    mut changed: impl FnMut(Func),
) -> Result<(), String> {
    let mut scratch = None;
    for number in 0..module.kernels.len() {
        let kernel = &module.kernels[number];
        let (id, sizes) = (kernel.func, Sizes::of(target, kernel.required_subgroup_size));
        let is_of_subgroup = |inst| module.functions[id].insts[inst].is_of_subgroup();
        if !module.functions[id].layout_insts().any(is_of_subgroup) {
            continue;
        }
        let Some(kernel) = module.kernels.at_mut(number) else { continue };
        let local = kernel.required_local_size.map(|size| size.iter().product::<u32>());
        kernel.gathering = check(&module.functions[id], sizes, local, kernel.gathering)
            .map_err(|why| format!("kernel '{}': {why}", kernel.name))?;
        if sizes.asked > sizes.hardware && scratch.is_none() {
            scratch = Some(module.globals.push(pieces::scratch(target)));
        }
        let func = &mut module.functions[id];
        if sizes.asked > sizes.hardware {
            rewrite_insts(func, |c, inst| pieces::barrier(&c.func.insts[inst]));
            changed(id);
        }
        let replaced =
            replace_values(func, |c, inst| Resizer { c, sizes, scratch }.replacement(inst));
        if replaced {
            changed(id);
        }
    }
    Ok(())
}

/// Checks that all work-items of the work-group reach the operations that need them all because the hardware's
/// sub-groups have another size. Returns which work-items reach them: if need be, all of a work-group that has only one
/// sub-group. `local` is the number of work-items that the kernel requires.
fn check(
    func: &Function,
    sizes: Sizes,
    local: Option<u32>,
    known: Gathering,
) -> Result<Gathering, String> {
    let Sizes { asked, hardware } = sizes;
    if asked == hardware {
        return Ok(known);
    }
    let may_be_alone = asked > hardware && local.is_none_or(|items| items <= asked);
    match all_come(func, sizes, false) {
        Err(_) if may_be_alone && known == Gathering::Whole => Ok(Gathering::Alone),
        Err(_) if may_be_alone => all_come(func, sizes, true).map(|()| Gathering::Alone),
        result => result.map(|()| known),
    }
}

fn all_come(func: &Function, sizes: Sizes, one_subgroup: bool) -> Result<(), String> {
    let Sizes { asked, hardware } = sizes;
    let uniformity = Uniformity::compute(func, one_subgroup);
    for &block in func.layout.iter().filter(|&&block| !uniformity.is_uniform(block)) {
        for &inst in &func.blocks[block].insts {
            let data = &func.insts[inst];
            let needs_all = match data {
                InstData::Barrier { .. } | InstData::WorkItem { .. } => false,
                InstData::SubgroupBarrier { .. } => true,
                data => asked > hardware && data.is_convergent(),
            };
            if needs_all {
                return Err(format!(
                    "the device has no sub-groups of {asked} but those of {hardware}, with which it does as if only where \
                     all work-items of the work-group come to a function of sub-groups, which here depends on what may \
                     differ between them"
                ));
            }
        }
    }
    Ok(())
}

/// Replaces sub-group instructions of one function.
struct Resizer<'a, 'f> {
    c: &'a mut Cursor<'f>,
    sizes: Sizes,
    /// The work-group memory that [`pieces`] uses.
    scratch: Option<Global>,
}

impl Resizer<'_, '_> {
    /// Returns the value that replaces an instruction's result; `None` if the instruction stays.
    fn replacement(&mut self, inst: Inst) -> Option<Value> {
        let data = self.c.func.insts[inst].clone();
        match data {
            InstData::WorkItem { query, .. } => self.query(query),
            _ if self.sizes.asked < self.sizes.hardware => self.in_clusters(&data),
            _ if self.sizes.asked > self.sizes.hardware => self.in_pieces(&data),
            _ => None,
        }
    }

    fn word(&mut self, value: u32) -> Value {
        self.c.iconst(Type::I32, i64::from(value))
    }

    fn query(&mut self, of: WorkItemQuery) -> Option<Value> {
        use WorkItemQuery::*;
        let size = self.sizes.asked;
        let shift = i64::from(size.trailing_zeros());
        Some(match of {
            SubgroupInvocation | SubgroupId if size == self.sizes.hardware => return None,
            SubgroupInvocation => self.id(),
            SubgroupId => self.number(),
            SubgroupMaxSize => self.word(size),
            SubgroupSize => {
                let (id, count) = (self.number(), self.work_items(LocalSize));
                let first = self.c.binary_imm(BinaryOp::Shl, id, shift);
                let rest = self.c.binary(BinaryOp::ISub, count, first);
                let whole = self.word(size);
                self.c.binary(BinaryOp::UMin, rest, whole)
            }
            NumSubgroups | EnqueuedNumSubgroups => {
                let of = if of == NumSubgroups { LocalSize } else { EnqueuedLocalSize };
                let count = self.work_items(of);
                let up = self.c.binary_imm(BinaryOp::IAdd, count, i64::from(size) - 1);
                self.c.binary_imm(BinaryOp::LShr, up, shift)
            }
            _ => return None,
        })
    }

    /// Returns the number of work-items of a work-group. `size` is the query of its size.
    fn work_items(&mut self, size: WorkItemQuery) -> Value {
        let [x, y, z] = [0, 1, 2].map(|dim| query(self.c, size, dim));
        let area = self.c.binary(BinaryOp::IMul, x, y);
        self.c.binary(BinaryOp::IMul, area, z)
    }

    /// Returns the index of the work-item in the hardware's sub-group.
    fn lane(&mut self) -> Value {
        query(self.c, WorkItemQuery::SubgroupInvocation, 0)
    }

    /// Returns the index of the work-item in its work-group.
    fn linear(&mut self) -> Value {
        let (lane, group) = (self.lane(), query(self.c, WorkItemQuery::SubgroupId, 0));
        let shift = i64::from(self.sizes.hardware.trailing_zeros());
        let first = self.c.binary_imm(BinaryOp::Shl, group, shift);
        self.c.binary(BinaryOp::Or, first, lane)
    }

    /// Returns the index of the work-item in its sub-group.
    fn id(&mut self) -> Value {
        let Sizes { asked, hardware } = self.sizes;
        let number = if asked > hardware { self.linear() } else { self.lane() };
        match asked == hardware {
            true => number,
            false => self.c.binary_imm(BinaryOp::And, number, i64::from(asked) - 1),
        }
    }

    /// Returns the index of the sub-group in its work-group.
    fn number(&mut self) -> Value {
        let Sizes { asked, hardware } = self.sizes;
        match asked == hardware {
            true => query(self.c, WorkItemQuery::SubgroupId, 0),
            false => {
                let linear = self.linear();
                self.c.binary_imm(BinaryOp::LShr, linear, i64::from(asked.trailing_zeros()))
            }
        }
    }

    /// Returns whether a number equals `first`, the first work-item's number. Floats are compared as floats.
    fn same(&mut self, value: Value, first: Value) -> Value {
        match self.c.ty(value).scalar.is_float() {
            true => self.c.fcmp(FloatCC::Oeq, value, first),
            false => self.c.icmp(IntCC::Eq, value, first),
        }
    }

    fn not(&mut self, truth: Value) -> Value {
        let always = self.c.func.bool_const(true);
        self.c.binary(BinaryOp::Xor, truth, always)
    }

    /// Returns whether any bit of the words is set.
    fn any_bit(&mut self, words: &[Value]) -> Value {
        let mut all = self.word(0);
        for &word in words {
            all = self.c.binary(BinaryOp::Or, all, word);
        }
        self.c.icmp_imm(IntCC::Ne, all, 0)
    }

    /// Returns a ballot of four words: the given words, then zeros.
    fn ballot_of(&mut self, words: &[Value]) -> Value {
        let mut all = [self.word(0); 4];
        all[..words.len()].copy_from_slice(words);
        self.c.build(&all)
    }

    /// Returns the size of a cluster for an instruction's cluster size; no cluster is larger than the sub-group.
    fn cluster(&self, cluster: u32) -> u32 {
        match cluster {
            0 => self.sizes.asked,
            cluster => cluster.min(self.sizes.asked),
        }
    }
}
