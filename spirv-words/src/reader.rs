//! Reads words as instructions.

use crate::{split, Op};
use std::ops::Range;

/// An instruction in the words of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Index of its first word.
    pub start: usize,
    /// The opcode, which may be unknown.
    pub opcode: u32,
    /// The words after the first.
    pub operands: &'a [u32],
}

impl Instruction<'_> {
    /// Returns the opcode by its name; `None` if it is unknown.
    pub fn op(&self) -> Option<Op> {
        Op::from_u32(self.opcode)
    }

    /// Returns the range of the instruction's words.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + 1 + self.operands.len()
    }
}

/// An error: an instruction has a length of no words, or of more words than are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongLength {
    /// The instruction's opcode.
    pub opcode: u32,
    /// Index of the instruction's first word.
    pub start: usize,
}

/// An iterator over the instructions of some words, which ends after the first wrong length.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    words: &'a [u32],
    at: usize,
}

/// Returns the instructions from word `at` on, [`crate::HEADER`] for a whole module.
pub fn instructions(words: &[u32], at: usize) -> Instructions<'_> {
    Instructions { words, at }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, WrongLength>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let (length, opcode) = split(*self.words.get(start)?);
        match self.words.get(start + 1..start + length) {
            Some(operands) if length > 0 => {
                self.at += length;
                Some(Ok(Instruction { start, opcode, operands }))
            }
            _ => {
                self.at = self.words.len();
                Some(Err(WrongLength { opcode, start }))
            }
        }
    }
}

/// Returns the string at the beginning of words, and the number of words that it takes. Bytes that are not UTF-8 are replaced.
pub fn string(words: &[u32]) -> (String, usize) {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    let text: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
    let taken = text.len() / 4 + 1;
    (String::from_utf8_lossy(&text).into_owned(), taken)
}
