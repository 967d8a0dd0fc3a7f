//! How a binary is changed: its numbers, bytes, code and texts, alone or together.

use super::super::batch::random::Random;
use super::format::{number, repair, set_number, Parts, MAGIC, PAYLOAD};

/// Numbers that make trouble.
const NUMBERS: [u32; 16] = [
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    64,
    0xFFFF,
    0x1_0000,
    0x3FFF_FFFF,
    0x4000_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
];
/// Words of the text form of the IR, and some that are not.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "4294967295",
    "18446744073709551615",
    "9223372036854775808",
    "1073741824",
    "u8",
    "u16",
    "u32",
    "u64",
    "f32",
    "f64",
    "ptr",
    "global",
    "local",
    "private",
    "generic",
    "void",
    "call",
    "jump",
    "return",
    "v0",
    "block0",
    "\u{fffd}",
];

/// Changes a binary in one to three places. `others` are binaries from which parts are taken. The digest is left as it was.
pub fn change(binary: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    for _ in 0..=random.small(3) {
        let parts = Parts::of(binary);
        match random.below(20) {
            0..=7 => change_number(binary, &parts, random),
            8 | 9 => change_byte(binary, random),
            10..=12 => change_code(binary, &parts, random),
            13..=17 => change_text(binary, &parts, random),
            _ => change_bytes(binary, others, random),
        }
        if binary.len() <= PAYLOAD {
            return;
        }
    }
}

/// Makes the digest right of a binary that is at the end of other bytes.
pub fn repair_within(bytes: &mut [u8]) {
    if let Some(at) = bytes.windows(MAGIC.len()).position(|window| window == MAGIC) {
        repair(&mut bytes[at..]);
    }
}

/// Returns a number that is near another one, or a troublesome one.
fn other(value: u32, random: &mut Random) -> u32 {
    match random.below(8) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        2 => value ^ 1 << random.below(32),
        3 => random.small(1 << 16) as u32,
        _ => *random.of(&NUMBERS),
    }
}

fn change_number(binary: &mut [u8], parts: &Parts, random: &mut Random) {
    if parts.numbers.is_empty() {
        return;
    }
    let mut at = *random.of(&parts.numbers);
    // A small number is mostly a count, a size or a kind. Bytes in front of the SPIR-V are read even where the SPIR-V
    // is not used.
    let code = parts.code.first().map_or(binary.len(), |code| code.start);
    for _ in 0..12 {
        if at < code && number(binary, at).is_some_and(|value| value < 1 << 12) {
            break;
        }
        at = *random.of(&parts.numbers);
    }
    let value = number(binary, at).unwrap_or(0);
    set_number(binary, at, other(value, random));
}

fn change_byte(binary: &mut [u8], random: &mut Random) {
    let at = PAYLOAD + random.below(binary.len() - PAYLOAD);
    match random.below(2) {
        0 => binary[at] ^= 1 << random.below(8),
        _ => binary[at] = random.any() as u8,
    }
}

/// Changes a word of SPIR-V: to another one of the same module more often than not.
fn change_code(binary: &mut [u8], parts: &Parts, random: &mut Random) {
    if parts.code.is_empty() {
        return change_byte(binary, random);
    }
    let code = random.of(&parts.code).clone();
    let words = code.len() / 4;
    let place = |random: &mut Random| code.start + 4 * random.below(words);
    let (at, from) = (place(random), place(random));
    let value = match random.below(3) {
        0 => number(binary, from).unwrap_or(0),
        1 => random.small(256) as u32,
        _ => other(number(binary, at).unwrap_or(0), random),
    };
    set_number(binary, at, value);
}

/// Changes a text; the length in front of it is nearly always changed with it.
fn change_text(binary: &mut Vec<u8>, parts: &Parts, random: &mut Random) {
    if parts.texts.is_empty() {
        return change_byte(binary, random);
    }
    // The longest text is the IR.
    let longest = parts.texts.iter().max_by_key(|text| text.len());
    let place = match longest {
        Some(text) if !random.once_in(4) => text.clone(),
        _ => random.of(&parts.texts).clone(),
    };
    let text = String::from_utf8_lossy(&binary[place.clone()]).into_owned();
    let changed = changed(&text, random).into_bytes();
    let length = place.start - 4;
    let is_length = number(binary, length) == Some(place.len() as u32);
    if is_length && !random.once_in(16) {
        set_number(binary, length, changed.len() as u32);
    }
    binary.splice(place, changed);
}

/// Returns a text with something in it changed, in the middle of a line more often than the lines themselves.
pub fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
    let (at, from) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(12) {
        0 => lines.swap(at, from),
        1 => lines.insert(at, lines[from].clone()),
        2 => drop(lines.remove(at)),
        3..=5 => lines[at] = with_word(&lines[at], &word_of(&lines[from], random), random),
        6..=8 => lines[at] = with_word(&lines[at], WORDS[random.below(WORDS.len())], random),
        9 | 10 => lines[at] = with_number(&lines[at], random),
        _ => {
            let mut bytes = std::mem::take(&mut lines[at]).into_bytes();
            if !bytes.is_empty() {
                let place = random.below(bytes.len());
                bytes[place] = b' ' + random.below(95) as u8;
            }
            lines[at] = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    lines.join("\n")
}

/// Returns a word of a line.
fn word_of(line: &str, random: &mut Random) -> String {
    let words: Vec<&str> = line.split([' ', ',', '(', ')']).filter(|w| !w.is_empty()).collect();
    if words.is_empty() {
        return String::new();
    }
    random.of(&words).to_string()
}

/// Returns a line with one of its words replaced.
fn with_word(line: &str, word: &str, random: &mut Random) -> String {
    let old = word_of(line, random);
    if old.is_empty() {
        return word.to_string();
    }
    line.replacen(&old, word, 1)
}

/// Returns a line with one of its numbers replaced.
fn with_number(line: &str, random: &mut Random) -> String {
    let digits: Vec<usize> =
        line.match_indices(|c: char| c.is_ascii_digit()).map(|m| m.0).collect();
    if digits.is_empty() {
        return line.to_string();
    }
    let start = *random.of(&digits);
    let end = line[start..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |n| start + n);
    let old = line[start..end].parse().unwrap_or(0u32);
    format!("{}{}{}", &line[..start], other(old, random), &line[end..])
}

/// Removes bytes, repeats them, or copies some from another binary; cuts the binary short, or makes it longer.
fn change_bytes(binary: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let size = binary.len();
    let at = PAYLOAD + random.below(size - PAYLOAD);
    let end = (at + 1 + random.small(size - at)).min(size);
    match random.below(6) {
        0 => drop(binary.drain(at..end)),
        1 => {
            let copy = binary[at..end].to_vec();
            binary.splice(at..at, copy);
        }
        2 => binary.truncate(at),
        3 => binary.extend((0..random.small(4096)).map(|byte| byte as u8)),
        4 => {
            let other = random.of(others);
            let from = random.below(other.len());
            let until = (from + 1 + random.small(other.len() - from)).min(other.len());
            binary.splice(at..end, other[from..until].iter().copied());
        }
        _ => {
            // The first half of one binary and the second half of another.
            let other = random.of(others);
            binary.truncate(at);
            binary.extend(other.get(at.min(other.len())..).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_is_changed_and_its_head_is_not() {
        let mut binary = vec![1; PAYLOAD];
        binary.extend(
            [3u32, hekla_spirv::MAGIC_NUMBER, 5, 6, 40].iter().flat_map(|word| word.to_le_bytes()),
        );
        binary.extend(b"func @f(%a: u32) -> u32 {\n  return 0012\n}");
        let others = [binary.clone(), vec![7; 60]];
        let mut random = Random::new(1);
        let mut unchanged = 0;
        for _ in 0..5000 {
            let mut other = binary.clone();
            change(&mut other, &others, &mut random);
            assert_eq!(other[..PAYLOAD], binary[..PAYLOAD]);
            unchanged += usize::from(other == binary);
        }
        assert!(unchanged < 500, "{unchanged}");
    }

    #[test]
    fn the_length_follows_the_text() {
        let mut random = Random::new(2);
        let mut followed = 0;
        for _ in 0..1000 {
            let mut binary = vec![0; PAYLOAD];
            let text = b"func @f(%a: u32) {\nblock0:\n  return 12\n}\n";
            binary.extend((text.len() as u32).to_le_bytes());
            binary.extend(text);
            let parts = Parts::of(&binary);
            change_text(&mut binary, &parts, &mut random);
            let length = number(&binary, PAYLOAD).unwrap() as usize;
            followed += usize::from(length == binary.len() - PAYLOAD - 4);
        }
        assert!((900..1000).contains(&followed), "{followed}");
    }
}
