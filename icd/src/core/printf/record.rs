//! Formatting of the records that kernels wrote.

use crate::core::printf::number;
use hekla_compiler::printf::{
    pieces, ArgType, Conversion, Directive, Kind, Length, Piece, RECORD_HEADER_WORDS,
};

/// A program's constant data on a device, which contains signatures and strings.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    pub bytes: &'a [u8],
    /// Size of the data in bytes. It may be larger than `bytes`: the rest is zero.
    pub size: u64,
    /// Device address of the first byte.
    pub address: u64,
}

impl<'a> Image<'a> {
    /// Returns the bytes from a device address on, given the low 32 bits of the address.
    pub fn at_low(&self, low: u32) -> Option<&'a [u8]> {
        self.from(low.wrapping_sub(self.address as u32).into())
    }

    fn at(&self, address: u64) -> Option<&'a [u8]> {
        self.from(address.wrapping_sub(self.address))
    }

    /// Returns the bytes from an offset on, without the zeros at the end that `bytes` lacks; `None` beyond the data.
    fn from(&self, offset: u64) -> Option<&'a [u8]> {
        let given = usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset..));
        (offset < self.size).then(|| given.unwrap_or_default())
    }
}

/// Returns the bytes before the first zero, or all bytes if there is no zero.
fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// One component of an argument.
#[derive(Debug, Clone, Copy)]
enum Value {
    Int(u32),
    Long(u64),
    Float(f64),
    Address(u64),
}

impl Value {
    fn read(kind: Kind, words: &[u32]) -> Option<Value> {
        let low = *words.first()?;
        let both = || Some(u64::from(*words.get(1)?) << 32 | u64::from(low));
        Some(match kind {
            Kind::Int => Value::Int(low),
            Kind::Float => Value::Float(f32::from_bits(low).into()),
            Kind::Long => Value::Long(both()?),
            Kind::Double => Value::Float(f64::from_bits(both()?)),
            Kind::Address => Value::Address(both()?),
        })
    }
}

/// Returns the text of all records in a buffer's words, without the buffer's header. Ends at words that do not form a record,
/// which exist only if a kernel writes beyond its own memory.
pub fn text(mut words: &[u32], image: Image<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(rest) = record(&mut out, words, image) {
        words = rest;
    }
    out
}

/// Appends the text of the first record; returns the words after it.
fn record<'w>(out: &mut Vec<u8>, words: &'w [u32], image: Image<'_>) -> Option<&'w [u32]> {
    let (head, rest) = words.split_at_checked(RECORD_HEADER_WORDS as usize)?;
    let signature = match head[0] {
        0 => return None,
        low => until_zero(image.at_low(low & !1)?),
    };
    let types: Vec<ArgType> =
        signature.iter().map(|&code| ArgType::from_code(code)).collect::<Option<_>>()?;
    let size: u32 = types.iter().map(|ty| ty.words()).sum();
    let (mut words, rest) = rest.split_at_checked(size as usize)?;
    let mut args = types.into_iter().map(|ty| {
        let (arg, others) = words.split_at(ty.words() as usize);
        words = others;
        (ty, arg)
    });
    let format = image.at_low(head[1]).map_or(&[][..], until_zero);
    for piece in pieces(format) {
        match piece {
            Piece::Text(text) | Piece::Invalid(text, _) => out.extend_from_slice(text),
            Piece::Directive(directive) => {
                if let Some((ty, words)) = args.next() {
                    argument(out, &directive, ty, words, image);
                }
            }
        }
    }
    Some(rest)
}

/// Appends an argument: for a vector specifier its components with commas between them.
fn argument(
    out: &mut Vec<u8>,
    directive: &Directive,
    ty: ArgType,
    words: &[u32],
    image: Image<'_>,
) {
    let lanes = words.chunks_exact(ty.lane_words() as usize).take(directive.lanes.into());
    for (index, lane) in lanes.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if let Some(value) = Value::read(ty.kind, lane) {
            component(out, directive, value, image);
        }
    }
}

fn component(out: &mut Vec<u8>, directive: &Directive, value: Value, image: Image<'_>) {
    match directive.conversion {
        Conversion::Signed => number::signed(out, directive, integer(directive, value)),
        Conversion::Unsigned | Conversion::Octal | Conversion::Hex => {
            let value = integer(directive, value) as u64;
            number::unsigned(out, directive, value & mask(bits(directive)));
        }
        Conversion::Char => number::bytes(out, directive, &[integer(directive, value) as u8]),
        Conversion::String => {
            let text = string(value, image);
            let most = directive.precision.map_or(text.len(), |n| text.len().min(n as usize));
            number::bytes(out, directive, &text[..most]);
        }
        Conversion::Pointer => {
            let text = match value {
                Value::Address(0) | Value::Int(0) | Value::Long(0) => "(nil)".to_string(),
                Value::Address(address) => format!("{address:#x}"),
                _ => format!("{:#x}", integer(directive, value)),
            };
            number::bytes(out, directive, text.as_bytes());
        }
        _ => number::float(out, directive, real(value)),
    }
}

/// Returns the number of bits of the integer that a directive prints. Without a length modifier it is 32, as for an int: a long
/// loses its upper bits, as in a C program.
fn bits(directive: &Directive) -> u32 {
    match directive.length {
        Length::Char => 8,
        Length::Short => 16,
        Length::None if directive.lanes == 1 => 32,
        Length::Int => 32,
        Length::None | Length::Long | Length::Size | Length::Difference => 64,
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Returns a value as the integer that a directive prints, sign-extended from its width.
fn integer(directive: &Directive, value: Value) -> i64 {
    let all = match value {
        Value::Int(value) if directive.conversion == Conversion::Signed => i64::from(value as i32),
        Value::Int(value) => i64::from(value),
        Value::Long(value) | Value::Address(value) => value as i64,
        // The argument has the wrong type, which is undefined in C; the converted value is the most sensible result.
        Value::Float(value) => value as i64,
    };
    let unused = 64 - bits(directive);
    all << unused >> unused
}

fn real(value: Value) -> f64 {
    match value {
        Value::Float(value) => value,
        Value::Int(value) => f64::from(value as i32),
        Value::Long(value) | Value::Address(value) => value as i64 as f64,
    }
}

/// Returns the string at an address. Only strings in the program's own data can be read.
fn string<'a>(value: Value, image: Image<'a>) -> &'a [u8] {
    match value {
        Value::Address(address) if address != 0 => {
            image.at(address).map_or(b"(unknown)", until_zero)
        }
        _ => b"(null)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: u64 = 0x7_ffff_fff0;

    /// Returns an image of zero-terminated pieces at even addresses, and the address of each.
    fn image(pieces: &[&[u8]]) -> (Vec<u8>, Vec<u64>) {
        let (mut bytes, mut places) = (vec![0xff; 4], Vec::new());
        for piece in pieces {
            places.push(ADDRESS + bytes.len() as u64);
            bytes.extend_from_slice(piece);
            bytes.push(0);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        (bytes, places)
    }

    /// Returns a signature without arguments behind the format string "abc".
    fn image_of_zeros() -> (Vec<u8>, [u64; 2]) {
        let (bytes, places) = image(&[b"abc", b"", b""]);
        (bytes, [places[2], places[0]])
    }

    fn code(kind: Kind, lanes: u8) -> u8 {
        ArgType { kind, lanes }.code()
    }

    /// Returns the text of a single record.
    fn print(format: &str, signature: &[u8], args: &[u32]) -> String {
        let (bytes, places) = image(&[signature, format.as_bytes(), b"literal"]);
        let mut words = vec![places[0] as u32 | 1, places[1] as u32];
        words.extend_from_slice(args);
        words.extend_from_slice(&[0, 17, 18]);
        let image = Image { bytes: &bytes, size: bytes.len() as u64, address: ADDRESS };
        String::from_utf8(text(&words, image)).unwrap()
    }

    #[test]
    fn records_follow_one_another() {
        let (bytes, places) = image(&[&[code(Kind::Int, 1)], b"<%d>\n", &[], b"no argument\n"]);
        let [int, first, none, second] = places[..] else { panic!() };
        let words = [int as u32 | 1, first as u32, 7, none as u32 | 1, second as u32];
        let image = Image { bytes: &bytes, size: bytes.len() as u64, address: ADDRESS };
        assert_eq!(text(&words, image), b"<7>\nno argument\n");
        assert_eq!(text(&words[..4], image), b"<7>\n");
        // The image's bytes may lack zeros at the end.
        let (bytes, places) = image_of_zeros();
        let words = [places[0] as u32 | 1, places[1] as u32, 0];
        let image = Image { bytes: &bytes[..8], size: bytes.len() as u64, address: ADDRESS };
        assert_eq!(text(&words, image), b"abc");
        assert_eq!(text(&[0x4001, 4, 5], image), b"");
    }

    #[test]
    fn length_modifiers_cut_integers() {
        let int = [code(Kind::Int, 1)];
        assert_eq!(print("%hhd", &int, &[384 - 1]), "127");
        assert_eq!(print("%hhd", &int, &[128]), "-128");
        assert_eq!(print("%hhu", &int, &[u32::MAX]), "255");
        assert_eq!(print("%hx", &int, &[-32767i32 as u32]), "8001");
        assert_eq!(print("%u", &int, &[u32::MAX]), "4294967295");
        assert_eq!(print("%ld", &int, &[u32::MAX]), "-1");
        let long = [code(Kind::Long, 1)];
        assert_eq!(print("%ld", &long, &[0, 0x8000_0000]), "-9223372036854775808");
        assert_eq!(print("%zu", &long, &[0, 0x8000_0000]), "9223372036854775808");
        assert_eq!(print("%d", &long, &[5, 6]), "5");
        assert_eq!(print("%c%c", &[int[0]; 2], &[65, 0x142]), "AB");
    }

    #[test]
    fn vectors_have_commas() {
        let bytes = [code(Kind::Int, 4)];
        assert_eq!(print("%#v4hhx", &bytes, &[0xfa, u32::MAX, 0, 1]), "0xfa,0xff,0,0x1");
        let one = 1f32.to_bits();
        let floats = [code(Kind::Float, 3)];
        assert_eq!(print("%6.2v3hlf|", &floats, &[one; 3]), "  1.00,  1.00,  1.00|");
        assert_eq!(print("%v2d", &[code(Kind::Long, 2)], &[1, 0, 2, 0]), "1,2");
    }

    #[test]
    fn strings_and_pointers() {
        let (signature, format) = ([code(Kind::Address, 1)], "0123");
        let (_, places) = image(&[&signature, format.as_bytes(), b""]);
        let words = |address: u64| [address as u32, (address >> 32) as u32];
        assert_eq!(print("%6.s", &signature, &words(places[2])), "      ");
        assert_eq!(print("[%s", &signature, &words(0)), "[(null)");
        assert_eq!(print("%9s.", &signature, &words(12)), "(unknown).");
        assert_eq!(print("%p", &signature, &words(0x12_3456_789a)), "0x123456789a");
        assert_eq!(print("%-6p|", &signature, &words(0)), "(nil) |");
        let literal = {
            let (_, places) = image(&[&signature, b"%8.3s|", b"literal"]);
            print("%8.3s|", &signature, &words(places[2]))
        };
        assert_eq!(literal, "     lit|");
    }

    #[test]
    fn what_does_not_fit_harms_nothing() {
        assert_eq!(print("%d %d|", &[code(Kind::Int, 1)], &[1]), "1 |");
        assert_eq!(print("%d|", &[code(Kind::Float, 1)], &[2.9f32.to_bits()]), "2|");
        assert_eq!(print("%.1f|", &[code(Kind::Int, 1)], &[3]), "3.0|");
        assert_eq!(print("%y %*d|", &[], &[]), "%y %*d|");
        assert_eq!(print("%v4d|", &[code(Kind::Int, 2)], &[1, 2]), "1,2|");
    }
}
