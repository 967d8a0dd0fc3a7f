//! Bank conflicts: the number of cycles that work-group memory takes to serve one access of a sub-group.
//!
//! Work-group memory of GPUs has 32 banks. The word at byte `4 * n` lies in bank `n % 32`, and a bank delivers one word at
//! a time (to all work-items that ask for it). Work-items that access a column of `float tile[16][32]` all use the same
//! bank, so the accesses happen one after the other.

use crate::ir::cfg::Cfg;
use crate::ir::fold;
use crate::ir::*;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of banks, and of work-items that access them at the same time.
pub const BANKS: usize = 32;
/// Bytes of the words that banks hold.
const WORD: u32 = 4;
/// Bytes that all banks deliver in one cycle.
pub const CYCLE_BYTES: u32 = BANKS as u32 * WORD;
/// The most instructions in a chain that are followed to compute an index.
const MAX_DEPTH: u32 = 16;

/// A number for each work-item of a sub-group.
pub type Lanes = [u32; BANKS];

/// Computes values of a kernel for the work-items of one sub-group, the first of its work-group, in the first iteration of
/// each loop.
pub struct LaneValues<'a> {
    func: &'a Function,
    ids: [Lanes; 3],
    /// By block parameter, the arguments that branches pass for it. The first is the argument of the first branch to the
    /// block in reverse postorder.
    incoming: FxHashMap<Value, SmallVec<[Value; 2]>>,
    known: FxHashMap<Value, Option<Lanes>>,
}

impl<'a> LaneValues<'a> {
    /// `local_size`: the size of all work-groups, if known.
    pub fn new(func: &'a Function, cfg: &Cfg, local_size: Option<[u32; 3]>) -> LaneValues<'a> {
        let [x, y, _] = local_size.unwrap_or([BANKS as u32, 1, 1]).map(|size| size.max(1));
        let of = |id: &dyn Fn(u32) -> u32| std::array::from_fn(|lane| id(lane as u32));
        let ids = [of(&|lane| lane % x), of(&|lane| lane / x % y), of(&|lane| lane / x / y)];
        let mut incoming: FxHashMap<Value, SmallVec<[Value; 2]>> = FxHashMap::default();
        for &block in cfg.rpo() {
            let Some(last) = func.terminator(block) else { continue };
            func.insts[last].for_each_target(|call: &BlockCall| {
                let params = func.blocks[call.block].params.iter().zip(&call.args);
                params.for_each(|(&param, &arg)| incoming.entry(param).or_default().push(arg));
            });
        }
        LaneValues { func, ids, incoming, known: FxHashMap::default() }
    }

    /// Returns the value of a scalar in each work-item. A part that is unknown but the same in all work-items is left
    /// out. Returns `None` if the value depends on memory, or on instructions that are not followed.
    pub fn of(&mut self, value: Value) -> Option<Lanes> {
        self.within(value, MAX_DEPTH)
    }

    fn within(&mut self, value: Value, depth: u32) -> Option<Lanes> {
        if let Some(bits) = self.func.as_const(value) {
            return Some([bits as u32; BANKS]);
        }
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let lanes = depth.checked_sub(1).and_then(|depth| self.compute(value, depth));
        self.known.insert(value, lanes);
        lanes
    }

    fn compute(&mut self, value: Value, depth: u32) -> Option<Lanes> {
        use WorkItemQuery::*;
        if let Some(incoming) = self.incoming.get(&value).cloned() {
            let lanes = self.within(*incoming.first()?, depth)?;
            // The parameter's value in later iterations must not depend on memory, either.
            self.known.insert(value, Some(lanes));
            let is_known = incoming.into_iter().all(|value| self.within(value, depth).is_some());
            return is_known.then_some(lanes);
        }
        let func = self.func;
        let data = func.def_inst(value)?;
        match *data {
            InstData::WorkItem { query: LocalId | GlobalId | InvocationId, dim } => {
                return Some(self.ids[usize::from(dim)]);
            }
            InstData::WorkItem { query: SubgroupInvocation, .. } => {
                return Some(std::array::from_fn(|lane| lane as u32));
            }
            InstData::WorkItem { .. } | InstData::LoadArg { .. } => return Some([0; BANKS]),
            _ if data.reads_memory() || data.has_side_effect() => return None,
            _ => {}
        }
        let mut args: FxHashMap<Value, Option<Lanes>> = FxHashMap::default();
        data.for_each_arg(|arg| _ = args.insert(arg, self.within(arg, depth)));
        let args: FxHashMap<Value, Lanes> =
            args.into_iter().map(|(arg, lanes)| Some((arg, lanes?))).collect::<Option<_>>()?;
        let is_same = args.values().all(|lanes| lanes.iter().all(|&lane| lane == lanes[0]));
        let args = &args;
        let known = |lane: usize| move |arg| args.get(&arg).map(|lanes| u64::from(lanes[lane]));
        let of_lane = |lane: usize| match *data {
            InstData::Select { args: [cond, a, b] } => {
                known(lane)(if known(lane)(cond)? != 0 { a } else { b })
            }
            _ => fold::inst(func, data, func.ty(value), known(lane)),
        };
        let mut lanes = [0; BANKS];
        for (lane, result) in lanes.iter_mut().enumerate() {
            match of_lane(lane) {
                Some(bits) => *result = bits as u32,
                None if is_same => return Some([0; BANKS]),
                None => return None,
            }
        }
        Some(lanes)
    }
}

/// Returns the cycles of an access to elements of `bytes` bytes with the numbers `indices`: 1 for words without a conflict.
/// If elements are larger than a word, only as many work-items access memory at the same time as the words of all banks
/// allow.
pub fn cycles(indices: &[u32], bytes: u32) -> u32 {
    let words = (bytes / WORD).max(1) as usize;
    let cycles_of = |indices: &[u32]| {
        let mut asked: Vec<u32> = indices
            .iter()
            .flat_map(|&index| {
                let first = (u64::from(index) * u64::from(bytes) / u64::from(WORD)) as u32;
                (0..words as u32).map(move |word| first.wrapping_add(word))
            })
            .collect();
        asked.sort_unstable();
        asked.dedup();
        let mut of_bank = [0; BANKS];
        asked.iter().for_each(|&word| of_bank[word as usize % BANKS] += 1);
        of_bank.into_iter().max().unwrap_or(0)
    };
    indices.chunks((BANKS / words).max(1)).map(cycles_of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles_by(index: impl Fn(u32) -> u32, bytes: u32) -> u32 {
        cycles(&std::array::from_fn::<_, BANKS, _>(|lane| index(lane as u32)), bytes)
    }

    #[test]
    fn accesses_take_a_cycle_for_each_word_of_a_bank() {
        assert_eq!(cycles_by(|lane| lane, 4), 1);
        assert_eq!(cycles_by(|_| 7, 4), 1);
        assert_eq!(cycles_by(|lane| lane * 32, 4), 32);
        assert_eq!(cycles_by(|lane| lane * 33, 4), 1);
        assert_eq!(cycles_by(|lane| lane % 16 * 64 + lane / 16, 4), 16);
        assert_eq!(cycles_by(|lane| lane, 8), 2);
        assert_eq!(cycles_by(|lane| lane * 16, 8), 32);
        assert_eq!(cycles_by(|lane| lane * 17, 8), 2);
        assert_eq!(cycles_by(|lane| lane, 1), 1);
    }

    #[test]
    fn indices_are_computed_for_each_work_item() {
        let text = "fn @f() {
block0:
    v0:i32 = workitem local_id 0
    v1:i32 = workitem local_id 1
    v2:i32 = workitem local_size 0
    v3:i32 = shl v1, 4:i32
    v4:i32 = iadd v0, v3
    v5:i32 = iadd v4, v2
    v6:bool = icmp ult v5, 20:i32
    v7:i32 = select v6, v5, 1:i32
    jump block1(v7)
block1(v8:i32):
    v9:i32 = iadd v8, 1:i32
    v10:bool = icmp ult v9, 100:i32
    brif v10, block1(v9), block2
block2:
    return
}";
        let module = crate::ir::parse::parse_module(text).expect("a module");
        let func = module.functions.values().next().expect("a function");
        let is_sum = |inst: &Inst| func.blocks[func.layout[1]].insts.first() == Some(inst);
        let last = func.layout_insts().find(is_sum).and_then(|inst| func.result(inst)).expect("v9");
        let lanes =
            LaneValues::new(func, &Cfg::compute(func), Some([16, 2, 1])).of(last).expect("known");
        assert_eq!(lanes[..4], [1, 2, 3, 4]);
        assert_eq!(lanes[18..22], [19, 20, 2, 2]);
    }
}
