//! The form of instructions: the number of operands, and which of them are ids (SPIR-V 3.49).

use super::words::{string, Inst};
use rspirv::grammar::{self, LogicalOperand, OperandKind, OperandQuantifier, INSTRUCTION_TABLE};
use rspirv::spirv::{self, Op};
use std::sync::LazyLock;

/// The form of an instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) op: Op,
    pub(super) has_type: bool,
    pub(super) has_result: bool,
    /// Operands behind the result.
    operands: &'static [LogicalOperand],
}

/// Rows by opcode; sorted.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows: Vec<Row> = INSTRUCTION_TABLE.iter().map(row_of).collect();
    rows.sort_by_key(|row| row.op as u32);
    rows
});

fn row_of(inst: &'static grammar::Instruction<'static>) -> Row {
    let has = |kind| inst.operands.iter().take(2).any(|operand| operand.kind == kind);
    let (has_type, has_result) = (has(OperandKind::IdResultType), has(OperandKind::IdResult));
    let skipped = usize::from(has_type) + usize::from(has_result);
    Row { op: inst.opcode, has_type, has_result, operands: &inst.operands[skipped..] }
}

/// Returns the row of an opcode, if there is one.
pub(super) fn row(opcode: u32) -> Option<&'static Row> {
    let at = ROWS.binary_search_by_key(&opcode, |row| row.op as u32).ok()?;
    Some(&ROWS[at])
}

/// Walks over the operands of an instruction behind its result, and calls `id` with each id among them. It is an error if
/// there are too few or too many operands.
pub(super) fn operands(
    inst: &Inst<'_>,
    mut id: impl FnMut(u32) -> Result<(), String>,
) -> Result<(), String> {
    let row = row(inst.op as u32).ok_or("unknown opcode")?;
    let mut walk = Walk { words: inst.args };
    if matches!(inst.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
        // The operands behind the number depend on the set: ids, and literals at the end.
        return id(walk.take()?).and_then(|()| walk.take().map(|_| ()));
    }
    for operand in row.operands {
        match operand.quantifier {
            OperandQuantifier::One => walk.operand(&operand.kind, &mut id)?,
            OperandQuantifier::ZeroOrOne => {
                if !walk.words.is_empty() {
                    walk.operand(&operand.kind, &mut id)?;
                }
            }
            OperandQuantifier::ZeroOrMore => {
                while !walk.words.is_empty() {
                    walk.operand(&operand.kind, &mut id)?;
                }
            }
        }
    }
    match walk.words.is_empty() || ends_openly(inst.op) {
        true => Ok(()),
        false => Err("it has too many operands".to_string()),
    }
}

/// Returns true for instructions whose last operands depend on a number before them.
fn ends_openly(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Decorate
            | MemberDecorate
            | DecorateId
            | UntypedPrefetchKHR
            | DecorateString
            | MemberDecorateString
            | ExecutionMode
            | ExecutionModeId
            | SpecConstantOp
            | Constant
            | SpecConstant
            | Switch
            // clang 22 writes one word too many for null events.
            | ConstantNull
    )
}

struct Walk<'a> {
    words: &'a [u32],
}

impl Walk<'_> {
    fn take(&mut self) -> Result<u32, String> {
        let (&word, rest) = self.words.split_first().ok_or("an operand is missing")?;
        self.words = rest;
        Ok(word)
    }

    fn operand(
        &mut self,
        kind: &OperandKind,
        id: &mut impl FnMut(u32) -> Result<(), String>,
    ) -> Result<(), String> {
        use OperandKind::*;
        match kind {
            IdRef | IdScope | IdMemorySemantics | IdResultType | IdResult => id(self.take()?),
            LiteralString => {
                let (_, words) = string(self.words);
                self.words = self.words.get(words..).ok_or("a string does not end")?;
                Ok(())
            }
            PairIdRefLiteralInteger => {
                id(self.take()?)?;
                self.take().map(|_| ())
            }
            PairIdRefIdRef => {
                id(self.take()?)?;
                id(self.take()?)
            }
            // The literals have the selector's size; the translation checks it.
            PairLiteralIntegerIdRef => {
                self.words = &[];
                Ok(())
            }
            LiteralContextDependentNumber => {
                self.take()?;
                self.words = &[];
                Ok(())
            }
            MemoryAccess => self.memory_access(id),
            ImageOperands => self.image_operands(id),
            LoopControl => self.loop_control(),
            _ => self.take().map(|_| ()),
        }
    }

    /// Walks over memory operands: a mask, whose bits say which operands follow (SPIR-V 3.26).
    fn memory_access(
        &mut self,
        id: &mut impl FnMut(u32) -> Result<(), String>,
    ) -> Result<(), String> {
        let mask = spirv::MemoryAccess::from_bits(self.take()?).ok_or("unknown memory operands")?;
        if mask.contains(spirv::MemoryAccess::ALIGNED) {
            self.take()?;
        }
        let ids = spirv::MemoryAccess::MAKE_POINTER_AVAILABLE
            | spirv::MemoryAccess::MAKE_POINTER_VISIBLE
            | spirv::MemoryAccess::ALIAS_SCOPE_INTEL_MASK
            | spirv::MemoryAccess::NO_ALIAS_INTEL_MASK;
        (mask & ids).iter().try_for_each(|_| id(self.take()?))
    }

    /// SPIR-V 3.14.
    fn image_operands(
        &mut self,
        id: &mut impl FnMut(u32) -> Result<(), String>,
    ) -> Result<(), String> {
        let mask = spirv::ImageOperands::from_bits(self.take()?).ok_or("unknown image operands")?;
        let none = spirv::ImageOperands::SIGN_EXTEND
            | spirv::ImageOperands::ZERO_EXTEND
            | spirv::ImageOperands::NON_PRIVATE_TEXEL
            | spirv::ImageOperands::VOLATILE_TEXEL
            | spirv::ImageOperands::NONTEMPORAL;
        for bit in (mask - none).iter() {
            id(self.take()?)?;
            if bit == spirv::ImageOperands::GRAD {
                id(self.take()?)?;
            }
        }
        Ok(())
    }

    /// Walks over a loop control: a mask, and the literals of its hints.
    fn loop_control(&mut self) -> Result<(), String> {
        self.take()?;
        self.words = &[];
        Ok(())
    }
}
