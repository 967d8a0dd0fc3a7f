//! A cursor for rewrites that need control flow: one instruction may be replaced by several blocks.

use crate::ir::*;
use crate::passes::cursor::Cursor;

/// Rewrites one block. If an instruction is replaced by several blocks, the rest of the block moves to the last of
/// them.
pub struct Splitter<'a> {
    pub c: Cursor<'a>,
    /// The block being written.
    block: Block,
}

impl<'a> Splitter<'a> {
    pub fn new(func: &'a mut Function, block: Block) -> Splitter<'a> {
        Splitter { c: Cursor::new(func), block }
    }

    /// Takes the block's instructions, to write new ones. Allocas come first, so that they stay in the entry block.
    pub fn take_insts(&mut self) -> Vec<Inst> {
        let mut insts = self.c.begin(self.block);
        if self.block == self.c.func.entry() {
            insts.sort_by_key(|&inst| !matches!(self.c.func.insts[inst], InstData::Alloca { .. }));
        }
        insts
    }

    pub fn new_block(&mut self) -> Block {
        self.c.func.add_block()
    }

    /// Continues in another block. The current block must have been ended.
    pub fn switch_to(&mut self, block: Block) {
        debug_assert!(self.c.out.is_empty());
        self.block = block;
    }

    /// Ends the current block with its terminator.
    pub fn terminate(&mut self, data: InstData) {
        self.c.void(data);
        self.finish();
    }

    /// Ends the current block by a jump.
    pub fn jump(&mut self, block: Block, args: &[Value]) {
        self.terminate(InstData::Jump { target: BlockCall::with_args(block, args) });
    }

    /// Ends the current block by a branch to two existing blocks.
    pub fn branch_to(&mut self, cond: Value, then: Block, otherwise: Block) {
        let (then, otherwise) = (BlockCall::new(then), BlockCall::new(otherwise));
        self.terminate(InstData::Brif { cond, then, otherwise });
    }

    /// Ends the current block by a branch to two new blocks, which it returns.
    pub fn branch(&mut self, cond: Value) -> [Block; 2] {
        let blocks = [self.new_block(), self.new_block()];
        self.branch_to(cond, blocks[0], blocks[1]);
        blocks
    }

    /// Makes an instruction's result, if it has one, a parameter of a block.
    pub fn become_param(&mut self, inst: Inst, block: Block) {
        let Some(result) = self.c.func.results[inst].take() else { return };
        self.c.func.push_param(block, result);
    }

    /// Ends the current block, whose terminator has been written.
    pub fn finish(&mut self) {
        self.c.finish(self.block);
    }
}
