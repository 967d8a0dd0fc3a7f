//! SPIR-V as words (SPIR-V 2.3): the encoder and the reader that emitter, ingestion, probes, interpreter, laboratory and tests
//! share, with the enumerants of the crate `spirv`.

mod glsl;
mod reader;

pub use glsl::Glsl;
pub use reader::{instructions, string, Instruction, Instructions, WrongLength};
pub use spirv::{self, Op, MAGIC_NUMBER};

/// Words before the first instruction: magic number, version, generator, bound of ids, schema.
pub const HEADER: usize = 5;

/// Returns the header of a module of SPIR-V 1.`minor` whose ids are less than `bound`.
pub const fn header(minor: u32, bound: u32) -> [u32; HEADER] {
    [MAGIC_NUMBER, 1 << 16 | minor << 8, 0, bound, 0]
}

/// Returns the first word of an instruction of `length` words, itself included.
pub const fn first_word(opcode: u32, length: usize) -> u32 {
    (length as u32) << 16 | opcode
}

/// Splits the first word of an instruction into the instruction's length in words and its opcode.
pub const fn split(first: u32) -> (usize, u32) {
    ((first >> 16) as usize, first & 0xFFFF)
}

/// Appends an instruction. The operands begin with the type and the id of the result, if the instruction has them.
#[inline]
pub fn encode(out: &mut Vec<u32>, op: Op, operands: &[u32]) {
    out.push(first_word(op as u32, operands.len() + 1));
    out.extend_from_slice(operands);
}

/// Returns a literal string in words: UTF-8, ended by a zero, padded to whole words.
pub fn string_words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_read() {
        let mut words = header(5, 9).to_vec();
        encode(&mut words, Op::Name, &[&[4], &string_words("four")[..]].concat());
        encode(&mut words, Op::Return, &[]);
        assert_eq!(words[..5], [0x0723_0203, 0x0001_0500, 0, 9, 0]);
        let read: Vec<_> = instructions(&words, HEADER).map(Result::unwrap).collect();
        assert_eq!((read[0].op(), read[0].operands[0], read[0].start), (Some(Op::Name), 4, 5));
        assert_eq!(string(&read[0].operands[1..]), ("four".to_string(), 2));
        assert_eq!((read[1].op(), read[1].operands.len()), (Some(Op::Return), 0));
        assert_eq!((read.len(), read[1].range()), (2, 9..10));
    }

    #[test]
    fn a_wrong_length_ends_the_reading() {
        for first in [first_word(17, 3), first_word(17, 0)] {
            let words = [first_word(253, 1), first, 1];
            let read: Vec<_> = instructions(&words, 0).collect();
            assert_eq!(read.len(), 2);
            assert_eq!(read[1].unwrap_err(), WrongLength { opcode: 17, start: 1 });
        }
    }

    #[test]
    fn strings_end_with_a_zero() {
        assert_eq!(string_words(""), [0]);
        assert_eq!(string_words("main"), [u32::from_le_bytes(*b"main"), 0]);
        assert_eq!(string(&string_words("abc")), ("abc".to_string(), 1));
    }
}
