//! The format of binaries, as far as a forger must know it (`icd/src/core/program/binary/mod.rs`): where the digest is,
//! and how it is computed. No other file knows the format. The seal of executables cannot be forged: its key is the
//! library's.

use std::ops::Range;

/// The first bytes of every binary.
pub const MAGIC: &[u8] = b"HEKLABIN";
/// "HEKLABIN" | u32 version | u64 target hash | u64 payload hash | payload
const DIGEST: Range<usize> = 20..28;
/// The first byte of the payload.
pub const PAYLOAD: usize = DIGEST.end;
/// The first bytes of a module of SPIR-V.
const SPIRV: [u8; 4] = hekla_spirv::MAGIC_NUMBER.to_le_bytes();
/// A run of this many characters is text, and not a coincidence.
const TEXT: usize = 24;

/// Makes the digest of a binary right for its payload.
pub fn repair(binary: &mut [u8]) {
    if binary.len() < PAYLOAD {
        return;
    }
    let digest = blake3::hash(&binary[PAYLOAD..]);
    binary[DIGEST].copy_from_slice(&digest.as_bytes()[..8]);
}

/// The places of the parts of a binary.
pub struct Parts {
    /// Modules of SPIR-V, by their lengths.
    pub code: Vec<Range<usize>>,
    /// Texts: of the IR, of names and attributes.
    pub texts: Vec<Range<usize>>,
    /// The places of numbers that are neither code nor text.
    pub numbers: Vec<usize>,
}

impl Parts {
    /// Finds the parts of a binary.
    pub fn of(binary: &[u8]) -> Parts {
        let mut parts = Parts { code: Vec::new(), texts: Vec::new(), numbers: Vec::new() };
        let mut at = PAYLOAD;
        while at < binary.len() {
            let rest = &binary[at..];
            let text = rest.iter().take_while(|byte| is_text(**byte)).count();
            if rest.starts_with(&SPIRV) {
                // The length in words is in front of the module.
                let words = number(binary, at - 4).unwrap_or(0) as usize;
                let end = (at + words.saturating_mul(4)).clamp(at + 4, binary.len());
                parts.code.push(at..end);
                at = end;
            } else if text >= TEXT {
                parts.texts.push(at..at + text);
                at += text;
            } else {
                parts.numbers.push(at);
                at += 1;
            }
        }
        parts
    }
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

/// Returns the 32-bit number at a place.
pub fn number(binary: &[u8], at: usize) -> Option<u32> {
    let bytes = binary.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Writes a 32-bit number, as far as there is room.
pub fn set_number(binary: &mut [u8], at: usize, value: u32) {
    for (place, byte) in binary.iter_mut().skip(at).zip(value.to_le_bytes()) {
        *place = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_told_apart() {
        let mut binary = vec![0; PAYLOAD];
        let words = |binary: &mut Vec<u8>, all: &[u32]| {
            binary.extend(all.iter().flat_map(|word| word.to_le_bytes()));
        };
        words(&mut binary, &[0, 3, hekla_spirv::MAGIC_NUMBER, 1, 2, 26]);
        binary.extend(b"func @f(%a: u32) -> u32 {\n");
        words(&mut binary, &[1]);
        let parts = Parts::of(&binary);
        assert_eq!((parts.code.len(), &parts.code[0]), (1, &(36..48)));
        assert_eq!((parts.texts.len(), &parts.texts[0]), (1, &(52..78)));
        assert_eq!(
            parts.numbers,
            [28..36, 48..52, 78..82].into_iter().flatten().collect::<Vec<_>>()
        );
        assert_eq!((number(&binary, 32), number(&binary, 80)), (Some(3), None));
        set_number(&mut binary, 80, 0x0102_0304);
        assert_eq!(binary[78..], [1, 0, 4, 3]);
    }

    #[test]
    fn the_digest_is_that_of_the_payload_alone() {
        let mut binary: Vec<u8> = (0..40).collect();
        repair(&mut binary);
        let digest = binary[DIGEST].to_vec();
        binary[0] = 9;
        repair(&mut binary);
        assert_eq!(binary[DIGEST], digest);
        binary[30] = 9;
        repair(&mut binary);
        assert_ne!(binary[DIGEST], digest);
        repair(&mut [1, 2, 3]);
    }
}
