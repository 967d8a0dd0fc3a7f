//! Numbers as C's printf writes them (C99 7.19.6.1): signs, digits, padding.

use hekla_compiler::printf::{Conversion, Directive, Flags};

/// The largest width and precision; larger ones are cut. No field of a terminal or file is wider, and a format string must not
/// exhaust memory.
const MAX_FIELD: u32 = 65535;
/// The most digits of a double after its decimal point; further digits are zeros.
const MAX_FRACTION: usize = 1100;

/// Appends `prefix` (a sign, `0x`) and `digits`, padded to the directive's width; with zeros behind
/// the prefix if `zeros` allows.
fn pad(out: &mut Vec<u8>, directive: &Directive, prefix: &str, digits: &str, zeros: bool) {
    let width = directive.width.min(MAX_FIELD) as usize;
    let missing = width.saturating_sub(prefix.len() + digits.len());
    let left = directive.flags.contains(Flags::LEFT);
    let zeros = zeros && !left && directive.flags.contains(Flags::ZERO);
    let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
    if !left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix.as_bytes());
    if zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(digits.as_bytes());
    if left {
        fill(out, b' ');
    }
}

/// Appends bytes, padded with spaces.
pub fn bytes(out: &mut Vec<u8>, directive: &Directive, bytes: &[u8]) {
    let width = directive.width.min(MAX_FIELD) as usize;
    let missing = width.saturating_sub(bytes.len());
    let left = directive.flags.contains(Flags::LEFT);
    if !left {
        out.resize(out.len() + missing, b' ');
    }
    out.extend_from_slice(bytes);
    if left {
        out.resize(out.len() + missing, b' ');
    }
}

fn sign(negative: bool, flags: Flags) -> &'static str {
    match negative {
        true => "-",
        false if flags.contains(Flags::PLUS) => "+",
        false if flags.contains(Flags::SPACE) => " ",
        false => "",
    }
}

/// Appends an integer for `d` or `i`.
pub fn signed(out: &mut Vec<u8>, directive: &Directive, value: i64) {
    let digits = at_least(value.unsigned_abs().to_string(), directive.precision);
    let sign = sign(value < 0, directive.flags);
    pad(out, directive, sign, &digits, directive.precision.is_none());
}

/// Appends an integer for `u`, `o`, `x` or `X`.
pub fn unsigned(out: &mut Vec<u8>, directive: &Directive, value: u64) {
    let alternate = directive.flags.contains(Flags::ALTERNATE);
    let digits = match directive.conversion {
        Conversion::Octal => format!("{value:o}"),
        Conversion::Hex if directive.upper => format!("{value:X}"),
        Conversion::Hex => format!("{value:x}"),
        _ => value.to_string(),
    };
    let mut digits = at_least(digits, directive.precision);
    let mut prefix = "";
    match directive.conversion {
        Conversion::Octal if alternate && !digits.starts_with('0') => digits.insert(0, '0'),
        Conversion::Hex if alternate && value != 0 => {
            prefix = if directive.upper { "0X" } else { "0x" };
        }
        _ => {}
    }
    pad(out, directive, prefix, &digits, directive.precision.is_none());
}

/// Returns the digits with leading zeros up to the precision; no digits for a zero with precision 0.
fn at_least(digits: String, precision: Option<u32>) -> String {
    match precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>width$}", width = precision.min(MAX_FIELD) as usize),
        None => digits,
    }
}

/// Appends a number for `f`, `e`, `g`, `a` or their capitals.
pub fn float(out: &mut Vec<u8>, directive: &Directive, value: f64) {
    let sign = sign(value.is_sign_negative(), directive.flags);
    let value = value.abs();
    let alternate = directive.flags.contains(Flags::ALTERNATE);
    let precision = directive.precision.map(|precision| precision.min(MAX_FIELD) as usize);
    let mut text = match directive.conversion {
        _ if value.is_nan() => "nan".to_string(),
        _ if value.is_infinite() => "inf".to_string(),
        Conversion::Exponent => exponent(value, precision.unwrap_or(6), alternate),
        Conversion::Shortest => shortest(value, precision.unwrap_or(6).max(1), alternate),
        Conversion::HexFloat => hexadecimal(value, precision, alternate),
        _ => fixed(value, precision.unwrap_or(6), alternate),
    };
    let mut prefix = sign.to_string();
    if let Some(rest) = text.strip_prefix("0x") {
        prefix.push_str("0x");
        text = rest.to_string();
    }
    if directive.upper {
        prefix.make_ascii_uppercase();
        text.make_ascii_uppercase();
    }
    pad(out, directive, &prefix, &text, value.is_finite());
}

/// Returns a number as `ddd.ddd`.
fn fixed(value: f64, precision: usize, alternate: bool) -> String {
    let known = precision.min(MAX_FRACTION);
    let mut text = format!("{value:.known$}");
    if precision == 0 && alternate {
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', precision - known));
    text
}

/// Returns the digits `d.ddd` and the decimal exponent of a number rounded to `precision` digits after the
/// first.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let known = precision.min(MAX_FRACTION);
    let text = format!("{value:.known$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = digits.to_string();
    digits.extend(std::iter::repeat_n('0', precision - known));
    (digits, exponent.parse().unwrap_or(0))
}

/// Returns a number as `d.ddde±dd`.
fn exponent(value: f64, precision: usize, alternate: bool) -> String {
    let (mut digits, exponent) = scientific(value, precision);
    if precision == 0 && alternate {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Returns a number as `%g` prints it: in the style that its exponent decides, without trailing zeros.
fn shortest(value: f64, precision: usize, alternate: bool) -> String {
    let (digits, exponent) = scientific(value, precision - 1);
    let trim = |text: String| match alternate || !text.contains('.') {
        true => text,
        false => text.trim_end_matches('0').trim_end_matches('.').to_string(),
    };
    if (-4..precision as i32).contains(&exponent) {
        let precision = (precision as i32 - 1 - exponent).max(0) as usize;
        return trim(fixed(value, precision, alternate));
    }
    let digits = if alternate && precision == 1 { format!("{digits}.") } else { trim(digits) };
    with_exponent(&digits, exponent)
}

/// Returns a number as `0xh.hhhp±d`, with one digit before the point: 1 for normal numbers unless rounding makes it 2.
fn hexadecimal(value: f64, precision: Option<usize>, alternate: bool) -> String {
    const FRACTION_BITS: u32 = 52;
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let biased = (bits >> FRACTION_BITS) as i32;
    let mut fraction = bits & ((1 << FRACTION_BITS) - 1);
    let (first, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    fraction |= first << FRACTION_BITS;
    let shown = precision.unwrap_or(DIGITS);
    if shown < DIGITS {
        fraction = round_to_even(fraction, 4 * (DIGITS - shown) as u32);
    }
    let first = fraction >> FRACTION_BITS;
    let mut digits = format!("{:013x}", fraction & ((1 << FRACTION_BITS) - 1));
    match precision {
        Some(precision) => {
            digits.truncate(precision);
            digits.extend(std::iter::repeat_n('0', precision.saturating_sub(DIGITS)));
        }
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() && !alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{first:x}{point}{digits}p{sign}{}", exponent.unsigned_abs())
}

/// Removes the lowest `bits` bits (fewer than 64), rounding to nearest even.
fn round_to_even(value: u64, bits: u32) -> u64 {
    let (unit, half) = (1u64 << bits, 1u64 << (bits - 1));
    let rest = value & (unit - 1);
    let down = value - rest;
    match rest.cmp(&half) {
        std::cmp::Ordering::Less => down,
        std::cmp::Ordering::Equal if down & unit == 0 => down,
        _ => down + unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hekla_compiler::printf::{pieces, Piece};

    fn directive(format: &str) -> Directive {
        match pieces(format.as_bytes()).next() {
            Some(Piece::Directive(directive)) => directive,
            other => panic!("{format}: {other:?}"),
        }
    }

    fn text(format: &str, value: &str) -> String {
        let (mut out, directive) = (Vec::new(), directive(format));
        match directive.conversion {
            Conversion::Signed => signed(&mut out, &directive, value.parse().unwrap()),
            c if c.is_integer() => {
                unsigned(&mut out, &directive, value.parse::<i64>().unwrap() as u64);
            }
            _ => float(&mut out, &directive, value.parse().unwrap()),
        }
        String::from_utf8(out).unwrap()
    }

    /// The file has `_` in place of a space in a format.
    #[test]
    fn all_is_as_glibc_prints_it() {
        let lines = include_str!("glibc.txt").lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (format, rest) = line.split_once(' ').unwrap();
            let (value, expected) = rest.split_once(' ').unwrap();
            let printed = format!("[{}]", text(&format.replace('_', " "), value));
            assert_eq!(printed, expected, "{format} of {value}");
        }
    }

    #[test]
    fn many_digits_are_exact() {
        assert_eq!(text("%.30f", "0.1"), "0.100000000000000005551115123126");
        assert_eq!(text("%.40e", "0.1"), "1.0000000000000000555111512312578270211816e-01");
        let smallest = text("%.1080f", "5e-324");
        assert!(
            smallest.starts_with("0.000") && smallest.ends_with("447265625000000"),
            "{smallest}"
        );
        assert_eq!(smallest.len(), 1082);
        assert_eq!(text("%.2000f", "0.5").len(), 2002);
        assert_eq!(text("%4294967295d", "0").len(), 65535);
        assert_eq!(text("%.4294967295d", "0").len(), 65535);
    }
}
