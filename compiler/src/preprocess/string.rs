//! Character constants and string literals (C99 6.4.4.4, 6.4.5).

use super::lexer::PpToken;
use super::state::Preprocessor;

/// A decoded literal: its bytes, and the errors and warnings about it.
struct Decoded {
    bytes: Vec<u8>,
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Preprocessor<'_> {
    /// Returns the bytes of a string literal or character constant.
    pub(super) fn decode_literal(&mut self, token: PpToken) -> Vec<u8> {
        let text = self.interner.resolve(token.symbol);
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        if !inner.contains('\\') {
            return inner.as_bytes().to_vec();
        }
        let decoded = decode(inner);
        for message in decoded.errors {
            self.diags.error(token.span, message);
        }
        for message in decoded.warnings {
            self.diags.warning(token.span, message);
        }
        decoded.bytes
    }

    /// Returns the value of a character constant: of type int, from a signed char. Several characters make
    /// one number, the first the most significant, as in gcc and clang.
    pub(super) fn char_value(&mut self, token: PpToken) -> i64 {
        let bytes = self.decode_literal(token);
        match bytes.as_slice() {
            [] => {
                self.diags.error(token.span, "empty character constant");
                0
            }
            &[byte] => i64::from(byte as i8),
            many => {
                let text = self.interner.resolve(token.symbol);
                if !text.is_ascii() {
                    let message = "character too large for enclosing character literal type";
                    self.diags.error(token.span, message);
                } else if many.len() > 4 {
                    self.diags.warning(token.span, "character constant too long for its type");
                } else {
                    self.diags.warning(token.span, "multi-character character constant");
                }
                let value = many.iter().fold(0u32, |value, &byte| value << 8 | u32::from(byte));
                i64::from(value as i32)
            }
        }
    }
}

/// Replaces the escape sequences of a literal's inner text.
fn decode(text: &str) -> Decoded {
    let mut decoded = Decoded { bytes: Vec::new(), errors: Vec::new(), warnings: Vec::new() };
    let mut rest = text;
    while let Some(position) = rest.find('\\') {
        decoded.bytes.extend_from_slice(&rest.as_bytes()[..position]);
        rest = decoded.escape(&rest[position + 1..]);
    }
    decoded.bytes.extend_from_slice(rest.as_bytes());
    // One error and one warning are enough.
    decoded.errors.truncate(1);
    decoded.warnings.truncate(1);
    decoded
}

impl Decoded {
    /// Decodes the escape sequence after a backslash; returns the text after it.
    fn escape<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(c) = text.chars().next() else { return "" };
        let rest = &text[c.len_utf8()..];
        let byte = match c {
            'a' => 7,
            'b' => 8,
            't' => b'\t',
            'n' => b'\n',
            'v' => 11,
            'f' => 12,
            'r' => b'\r',
            'e' => 27,
            '\\' | '\'' | '"' | '?' => c as u8,
            '0'..='7' => return self.octal(text),
            'x' => return self.hex(rest),
            'u' => return self.universal(rest, 4),
            'U' => return self.universal(rest, 8),
            _ => {
                if self.warnings.is_empty() {
                    self.warnings.push(format!("unknown escape sequence '\\{c}'"));
                }
                self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return rest;
            }
        };
        self.bytes.push(byte);
        rest
    }

    fn octal<'a>(&mut self, text: &'a str) -> &'a str {
        let len = text.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let value = u32::from_str_radix(&text[..len], 8).unwrap_or(0);
        self.push_value(value, "octal");
        &text[len..]
    }

    fn hex<'a>(&mut self, text: &'a str) -> &'a str {
        let len = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        if len == 0 && self.errors.is_empty() {
            self.errors.push("\\x used with no following hex digits".to_string());
        }
        let digits = text[..len].trim_start_matches('0');
        let value = match digits.len() {
            0 => 0,
            1..=8 => u32::from_str_radix(digits, 16).unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        self.push_value(value, "hex");
        &text[len..]
    }

    fn push_value(&mut self, value: u32, base: &str) {
        if value > 0xff && self.errors.is_empty() {
            self.errors.push(format!("{base} escape sequence out of range"));
        }
        self.bytes.push(value as u8);
    }

    /// `\u` and `\U` (C99 6.4.3), as UTF-8.
    fn universal<'a>(&mut self, text: &'a str, digits: usize) -> &'a str {
        let len = text.bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
        let value = u32::from_str_radix(&text[..len], 16).unwrap_or(u32::MAX);
        match char::from_u32(value) {
            Some(c) if len == digits => {
                self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ if len < digits => self.errors.push("incomplete universal character name".into()),
            _ => self.errors.push("invalid universal character".into()),
        }
        &text[len..]
    }
}
