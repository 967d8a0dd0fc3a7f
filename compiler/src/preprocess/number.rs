//! Integer and floating constants (C99 6.4.4.1, 6.4.4.2; OpenCL C 6.3.1 for the suffix `h`), each
//! rounded once, to nearest even, to each type that it may get.

use super::token::{FloatSuffix, TokenKind};
use std::cmp::Ordering;

/// A number as a token, or the error in it, and maybe a warning.
pub(super) struct Parsed {
    pub kind: Result<TokenKind, String>,
    pub warning: Option<&'static str>,
}

/// Parses a preprocessing number.
pub(super) fn parse(text: &str) -> Parsed {
    let bytes = text.as_bytes();
    let is_hex = bytes.len() > 1 && bytes[0] == b'0' && matches!(bytes[1], b'x' | b'X');
    let is_binary = bytes.len() > 1 && bytes[0] == b'0' && matches!(bytes[1], b'b' | b'B');
    let has = |set: &[u8]| bytes.iter().any(|byte| set.contains(byte));
    let kind = if is_hex && has(b".pP") {
        parse_hex_float(text)
    } else if !is_hex && !is_binary && has(b".eE") {
        return parse_decimal_float(text);
    } else {
        parse_int(text, is_hex, is_binary)
    };
    Parsed { kind, warning: None }
}

fn parse_int(text: &str, is_hex: bool, is_binary: bool) -> Result<TokenKind, String> {
    let (digits, base, name) = match text.as_bytes() {
        _ if is_hex => (&text[2..], 16, "hexadecimal"),
        _ if is_binary => (&text[2..], 2, "binary"),
        [b'0', ..] => (text, 8, "octal"),
        _ => (text, 10, "decimal"),
    };
    let len = digits.bytes().take_while(|&byte| char::from(byte).is_digit(base)).count();
    let (digits, suffix) = digits.split_at(len);
    if let Some(digit @ b'0'..=b'9') = suffix.bytes().next() {
        return Err(format!("invalid digit '{}' in {name} constant", char::from(digit)));
    }
    let Some((unsigned, longs)) = int_suffix(suffix) else {
        return Err(format!("invalid suffix '{suffix}' on integer constant"));
    };
    if digits.is_empty() {
        return Err(format!("invalid suffix '{}' on integer constant", &text[1..]));
    }
    let mut value: u64 = 0;
    for digit in digits.bytes() {
        let digit = u64::from(char::from(digit).to_digit(base).unwrap_or(0));
        let next = value.checked_mul(u64::from(base)).and_then(|v| v.checked_add(digit));
        let Some(next) = next else {
            let message = "integer literal is too large to be represented in any integer type";
            return Err(message.to_string());
        };
        value = next;
    }
    Ok(TokenKind::Int { value, unsigned, longs, decimal: base == 10 })
}

fn int_suffix(suffix: &str) -> Option<(bool, u8)> {
    Some(match suffix {
        "" => (false, 0),
        "u" | "U" => (true, 0),
        "l" | "L" => (false, 1),
        "ll" | "LL" => (false, 2),
        "ul" | "uL" | "Ul" | "UL" | "lu" | "lU" | "Lu" | "LU" => (true, 1),
        "ull" | "uLL" | "Ull" | "ULL" | "llu" | "llU" | "LLu" | "LLU" => (true, 2),
        _ => return None,
    })
}

fn float_suffix(suffix: &str) -> Option<FloatSuffix> {
    Some(match suffix {
        "" => FloatSuffix::None,
        "f" | "F" => FloatSuffix::F,
        "h" | "H" => FloatSuffix::H,
        "l" | "L" => FloatSuffix::D,
        _ => return None,
    })
}

fn bad_float_suffix(suffix: &str) -> String {
    format!("invalid suffix '{suffix}' on floating constant")
}

fn parse_decimal_float(text: &str) -> Parsed {
    let bytes = text.as_bytes();
    let mut end = bytes.iter().take_while(|&&b| b.is_ascii_digit() || b == b'.').count();
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let start = end + 1 + sign;
        let digits = bytes[start.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit());
        let digits = digits.count();
        if digits == 0 {
            return Parsed { kind: Err("exponent has no digits".into()), warning: None };
        }
        end = start + digits;
    }
    let (number, suffix) = text.split_at(end);
    let Some(suffix) = float_suffix(suffix) else {
        return Parsed { kind: Err(bad_float_suffix(suffix)), warning: None };
    };
    let (Ok(double), Ok(single)) = (number.parse::<f64>(), number.parse::<f32>()) else {
        return Parsed { kind: Err(bad_float_suffix(&text[1..])), warning: None };
    };
    let value = if suffix == FloatSuffix::H { decimal_to_half(number, double) } else { double };
    let warning = if double.is_infinite() {
        Some("magnitude of floating-point constant too large for type 'double'")
    } else if suffix == FloatSuffix::F && single.is_infinite() {
        Some("magnitude of floating-point constant too large for type 'float'")
    } else if suffix == FloatSuffix::H && value.is_infinite() {
        Some("magnitude of floating-point constant too large for type 'half'")
    } else {
        None
    };
    Parsed { kind: Ok(TokenKind::Float { value, single, suffix }), warning }
}

fn parse_hex_float(text: &str) -> Result<TokenKind, String> {
    let mut mantissa: u64 = 0;
    let mut sticky = false;
    let mut exponent: i64 = 0;
    let mut seen_point = false;
    let mut seen_digit = false;
    let mut pos = 2;
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(pos) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                seen_digit = true;
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if seen_point { 4 } else { 0 };
                } else {
                    sticky |= digit != 0;
                    exponent += if seen_point { 0 } else { 4 };
                }
            }
            None if byte == b'.' && !seen_point => seen_point = true,
            None => break,
        }
        pos += 1;
    }
    if !seen_digit || !matches!(bytes.get(pos), Some(b'p' | b'P')) {
        return Err("hexadecimal floating constant requires an exponent".into());
    }
    pos += 1;
    let negative = bytes.get(pos) == Some(&b'-');
    pos += usize::from(matches!(bytes.get(pos), Some(b'+' | b'-')));
    let start = pos;
    let mut written: i64 = 0;
    while let Some(digit @ b'0'..=b'9') = bytes.get(pos) {
        written = (written * 10 + i64::from(digit - b'0')).min(1 << 40);
        pos += 1;
    }
    if pos == start {
        return Err("exponent has no digits".into());
    }
    exponent += if negative { -written } else { written };
    let rest = &text[pos..];
    let suffix = float_suffix(rest).ok_or_else(|| bad_float_suffix(rest))?;
    let format = if suffix == FloatSuffix::H { &HALF } else { &DOUBLE };
    let value = round(mantissa, sticky, exponent, format);
    let single = round(mantissa, sticky, exponent, &SINGLE) as f32;
    Ok(TokenKind::Float { value, single, suffix })
}

/// A binary floating-point format.
struct Format {
    /// Bits of the significand, the hidden one included.
    precision: u32,
    /// Exponent of the least subnormal's only bit.
    least: i64,
    /// Exponent of the highest bit of the greatest value.
    greatest: i64,
}

const HALF: Format = Format { precision: 11, least: -24, greatest: 15 };
const SINGLE: Format = Format { precision: 24, least: -149, greatest: 127 };
const DOUBLE: Format = Format { precision: 53, least: -1074, greatest: 1023 };

/// Returns `mantissa * 2^exponent`, plus a little more if `sticky`, rounded to nearest even.
fn round(mut mantissa: u64, sticky: bool, mut exponent: i64, format: &Format) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = mantissa.leading_zeros();
    mantissa <<= shift;
    exponent -= i64::from(shift);
    // Bits to drop: all below the precision or below the least exponent.
    let excess = 64 - i64::from(format.precision);
    let drop = excess.max(format.least - exponent);
    if drop > 64 {
        return 0.0;
    }
    let wide = u128::from(mantissa);
    let mut kept = (wide >> drop) as u64;
    let rest = wide & ((1u128 << drop) - 1);
    let half = 1u128 << (drop - 1);
    let up = match rest.cmp(&half) {
        Ordering::Greater => true,
        Ordering::Equal => sticky || kept & 1 == 1,
        Ordering::Less => false,
    };
    kept += u64::from(up);
    exponent += drop;
    if kept == 0 {
        return 0.0;
    }
    if i64::from(63 - kept.leading_zeros()) + exponent > format.greatest {
        return f64::INFINITY;
    }
    // Exact, in two steps for subnormal doubles.
    let first = exponent.max(-1000);
    kept as f64 * power_of_two(first) * power_of_two(exponent - first)
}

/// 2 to a power between -1022 and 1023.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Returns a decimal number rounded to half once, given it rounded to double. Where the double lies halfway
/// between two halves, the digits decide.
fn decimal_to_half(text: &str, double: f64) -> f64 {
    if !double.is_finite() || double == 0.0 {
        return double;
    }
    let bits = double.to_bits();
    let field = (bits >> 52) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    let a_little_less = round(mantissa * 2 - 1, true, exponent - 1, &HALF);
    let a_little_more = round(mantissa, true, exponent, &HALF);
    if a_little_less == a_little_more {
        return a_little_more;
    }
    match compare_decimal(text, double) {
        Ordering::Equal => round(mantissa, false, exponent, &HALF),
        Ordering::Greater => a_little_more,
        Ordering::Less => a_little_less,
    }
}

/// Compares a decimal number with a double exactly.
fn compare_decimal(text: &str, double: f64) -> Ordering {
    // A double has at most 767 digits; here they are all.
    let exact = format!("{double:.800e}");
    let (a, b) = (normalize(text), normalize(&exact));
    a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0))
}

/// Returns the significant digits of a decimal number, without zeros at either end, and the power of ten
/// of the first.
fn normalize(text: &str) -> (Vec<u8>, i64) {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => {
            let negative = exponent.starts_with('-');
            let limit = if negative { -(1 << 40) } else { 1 << 40 };
            (number, exponent.trim_start_matches('+').parse::<i64>().unwrap_or(limit))
        }
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let power = exponent.saturating_add(whole.len() as i64 - 1 - zeros as i64);
    let end = digits.iter().rposition(|&digit| digit != b'0').map_or(zeros, |last| last + 1);
    (digits[zeros..end].to_vec(), power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float(text: &str) -> (f64, f32, FloatSuffix) {
        match parse(text).kind {
            Ok(TokenKind::Float { value, single, suffix }) => (value, single, suffix),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        let int = |text: &str| match parse(text).kind {
            Ok(TokenKind::Int { value, unsigned, longs, decimal }) => {
                (value, unsigned, longs, decimal)
            }
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(int("0"), (0, false, 0, false));
        assert_eq!(int("42u"), (42, true, 0, true));
        assert_eq!(int("0x7fUL"), (127, true, 1, false));
        assert_eq!(int("017"), (15, false, 0, false));
        assert_eq!(int("0b101LL"), (5, false, 2, false));
        assert_eq!(int("18446744073709551615"), (u64::MAX, false, 0, true));
        assert_eq!(int("0xe"), (14, false, 0, false));
        for (text, message) in [
            (
                "18446744073709551616",
                "integer literal is too large to be represented in any integer type",
            ),
            ("089", "invalid digit '8' in octal constant"),
            ("0b2", "invalid digit '2' in binary constant"),
            ("1uu", "invalid suffix 'uu' on integer constant"),
            ("1lL", "invalid suffix 'lL' on integer constant"),
            ("1f", "invalid suffix 'f' on integer constant"),
            ("0x", "invalid suffix 'x' on integer constant"),
            ("1.0q", "invalid suffix 'q' on floating constant"),
            ("1e+", "exponent has no digits"),
            ("0x1.8", "hexadecimal floating constant requires an exponent"),
            ("0x1p", "exponent has no digits"),
            ("1.2.3", "invalid suffix '.2.3' on floating constant"),
        ] {
            assert_eq!(parse(text).kind, Err(message.to_string()), "{text}");
        }
    }

    #[test]
    fn decimal_floats_are_rounded_once() {
        assert_eq!(float("1.f"), (1.0, 1.0, FloatSuffix::F));
        assert_eq!(float(".5"), (0.5, 0.5, FloatSuffix::None));
        assert_eq!(float("1e-2L"), (0.01, 0.01, FloatSuffix::D));
        // A little above the middle of two floats: if rounded twice, it would be rounded down.
        let text = "1.00000005960464477539062500001f";
        assert_eq!(float(text).1, f32::from_bits(0x3f80_0001));
        assert_eq!(float("1.000000059604644775390625f").1, 1.0);
        // The middle of two halves, 1 + 2^-11, and numbers next to it.
        assert_eq!(float("1.00048828125h").0, 1.0);
        assert_eq!(float("1.000488281250000000000000001h").0, 1.0 + 1.0 / 1024.0);
        assert_eq!(float("1.000488281249999999999999999h").0, 1.0);
        assert_eq!(float("65520.0h").0, f64::INFINITY);
        assert_eq!(float("65519.99999999999999999h").0, 65504.0);
        assert_eq!(float("5.9604644775390625e-8h").0, 2f64.powi(-24));
        assert_eq!(float("2.98023223876953125e-8h").0, 0.0);
        assert!(parse("1e39f").warning.is_some() && parse("1e39").warning.is_none());
    }

    #[test]
    fn hexadecimal_floats_are_rounded_once() {
        assert_eq!(float("0x1.8p1f"), (3.0, 3.0, FloatSuffix::F));
        assert_eq!(float("0x.8p0").0, 0.5);
        assert_eq!(float("0x10.p-4").0, 1.0);
        assert_eq!(float("0x1.fffffep127f").1, f32::MAX);
        assert_eq!(float("0x1.0p-126f").1, f32::MIN_POSITIVE);
        assert_eq!(float("0x1p-149f").1, f32::from_bits(1));
        assert_eq!(float("0x1p-150f").1, 0.0);
        assert_eq!(float("0x1.8p-150f").1, f32::from_bits(1));
        assert_eq!(float("0x1p128f").1, f32::INFINITY);
        assert_eq!(float("0x1.fffffffffffffp1023").0, f64::MAX);
        assert_eq!(float("0x1p-1074").0, f64::from_bits(1));
        assert_eq!(float("0x1p-1075").0, 0.0);
        assert_eq!(float("0x1.fffffffffffff8p1023").0, f64::INFINITY);
        assert_eq!(float("0x1.0000010000000000000001p0f").1, f32::from_bits(0x3f80_0001));
        assert_eq!(float("0x1.ffcp15h").0, 65504.0);
        assert_eq!(float("0x0p0").0, 0.0);
        assert_eq!(float("0x1p99999999999999999999").0, f64::INFINITY);
        assert_eq!(float("0x1p-99999999999999999999").0, 0.0);
    }
}
