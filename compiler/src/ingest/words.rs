//! The words of a module, and its instructions.

use super::{grammar, validate};
use hekla_spirv::{split, Instruction, MAGIC_NUMBER};
pub(super) use hekla_spirv::{string, HEADER};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::RangeInclusive;

/// The most ids of a module (SPIR-V 2.18, universal limits).
const MAX_BOUND: u32 = 0x3F_FFFF;
/// The versions that are supported: 1.0 and so on.
pub const MINOR_VERSIONS: RangeInclusive<u32> = 0..=6;
/// The most words of a module: a gibibyte.
const MAX_WORDS: usize = 1 << 28;

/// The words of a module in host order, and where its instructions are.
#[derive(Debug, Clone)]
pub(super) struct Words {
    words: Vec<u32>,
    instructions: Vec<Located>,
    /// The instruction that defines each id, counted from 0.
    definitions: FxHashMap<u32, u32>,
}

/// The place of an instruction.
#[derive(Debug, Clone, Copy)]
struct Located {
    start: u32,
    op: Op,
    has_type: bool,
    has_result: bool,
}

/// An instruction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inst<'a> {
    /// The instruction's number, counted from 1.
    pub(super) number: usize,
    pub(super) op: Op,
    /// The id of the result's type; 0 if there is none.
    pub(super) ty: u32,
    /// The id of the result; 0 if there is none.
    pub(super) id: u32,
    /// The words behind the result.
    pub(super) args: &'a [u32],
}

/// Writes the instruction as the place of an error.
impl fmt::Display for Inst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "instruction {} (Op{:?}", self.number, self.op)?;
        if self.id != 0 {
            write!(f, " %{}", self.id)?;
        }
        f.write_str(")")
    }
}

impl<'a> Inst<'a> {
    /// Returns an operand behind the result.
    pub(super) fn arg(&self, index: usize) -> Result<u32, String> {
        self.args.get(index).copied().ok_or_else(|| "an operand is missing".to_string())
    }

    /// Returns the first `N` operands behind the result.
    pub(super) fn get<const N: usize>(&self) -> Result<[u32; N], String> {
        let args = self.args.get(..N).and_then(|args| args.try_into().ok());
        args.ok_or_else(|| "an operand is missing".to_string())
    }

    /// Returns the string that begins at an operand.
    pub(super) fn string(&self, index: usize) -> String {
        string(self.args.get(index..).unwrap_or_default()).0
    }

    /// Returns the instruction that an OpSpecConstantOp computes.
    pub(super) fn operation(&self) -> Result<Inst<'a>, String> {
        let row = grammar::row(self.arg(0)?).ok_or("unknown opcode")?;
        Ok(Inst { op: row.op, args: self.rest(1), ..*self })
    }

    /// Returns the operands from an index on.
    pub(super) fn rest(&self, index: usize) -> &'a [u32] {
        self.args.get(index..).unwrap_or_default()
    }
}

impl Words {
    /// Reads the header and finds the instructions. Words may be in either order of bytes.
    pub(super) fn read(bytes: &[u8]) -> Result<Words, String> {
        let words = host_order(bytes)?;
        check_header(&words)?;
        let mut instructions = Vec::new();
        for (number, instruction) in (1..).zip(hekla_spirv::instructions(&words, HEADER)) {
            let Instruction { start, opcode, operands } = instruction.map_err(|wrong| {
                let message = "its length is not that of the module's words";
                format!("instruction {number} (opcode {}): {message}", wrong.opcode)
            })?;
            let Some(row) = grammar::row(opcode) else {
                return Err(format!("instruction {number}: unknown opcode {opcode}"));
            };
            if operands.len() < usize::from(row.has_type) + usize::from(row.has_result) {
                return Err(format!("instruction {number} (Op{:?}): it is too short", row.op));
            }
            instructions.push(Located {
                start: start as u32,
                op: row.op,
                has_type: row.has_type,
                has_result: row.has_result,
            });
        }
        let mut words = Words { words, instructions, definitions: FxHashMap::default() };
        words.definitions = validate::check(&words)?;
        Ok(words)
    }

    /// Returns the instruction that defines an id.
    pub(super) fn definition(&self, id: u32) -> Option<Inst<'_>> {
        self.definitions.get(&id).map(|&index| self.at(index as usize))
    }

    /// Returns the module's bound: all ids are less.
    pub(super) fn bound(&self) -> u32 {
        self.words[3]
    }

    /// Returns major and minor version.
    pub(super) fn version(&self) -> (u32, u32) {
        (self.words[1] >> 16 & 0xFF, self.words[1] >> 8 & 0xFF)
    }

    /// Returns the words as they are.
    pub(super) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the instruction in a place, counted from 0.
    pub(super) fn at(&self, index: usize) -> Inst<'_> {
        let Located { start, op, has_type, has_result } = self.instructions[index];
        let start = start as usize;
        let words = &self.words[start..start + split(self.words[start]).0];
        let (mut ty, mut id, mut next) = (0, 0, 1);
        if has_type {
            ty = words[next];
            next += 1;
        }
        if has_result {
            id = words[next];
            next += 1;
        }
        Inst { number: index + 1, op, ty, id, args: &words[next..] }
    }

    /// Returns the instructions in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Inst<'_>> {
        (0..self.instructions.len()).map(|index| self.at(index))
    }

    /// Returns the instructions in a range of places, counted from 0.
    pub(super) fn range(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl Iterator<Item = Inst<'_>> + Clone {
        range.map(|index| self.at(index))
    }
}

/// Returns words from bytes, whose order the magic number shows.
fn host_order(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let count = bytes.len() / 4;
    if !bytes.len().is_multiple_of(4) || !(HEADER..=MAX_WORDS).contains(&count) {
        return Err("the module's size is not that of a SPIR-V module".to_string());
    }
    let (chunks, _) = bytes.as_chunks::<4>();
    let first = chunks[0];
    let from = match () {
        () if u32::from_le_bytes(first) == MAGIC_NUMBER => u32::from_le_bytes,
        () if u32::from_be_bytes(first) == MAGIC_NUMBER => u32::from_be_bytes,
        () => return Err("the module does not begin with SPIR-V's magic number".to_string()),
    };
    Ok(chunks.iter().map(|&chunk| from(chunk)).collect())
}

/// Checks version, bound and schema (SPIR-V 2.3).
fn check_header(words: &[u32]) -> Result<(), String> {
    let version = words[1];
    let (major, minor) = (version >> 16, version >> 8 & 0xFF);
    if major != 1 || !MINOR_VERSIONS.contains(&minor) || version & 0xFF != 0 {
        return Err(format!("SPIR-V version {major}.{minor} is not supported"));
    }
    if words[3] == 0 || words[3] > MAX_BOUND {
        return Err(format!("the bound of ids, {}, is not from 1 to {MAX_BOUND}", words[3]));
    }
    match words[4] {
        0 => Ok(()),
        schema => Err(format!("instruction schema {schema} is not supported")),
    }
}
