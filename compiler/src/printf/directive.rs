//! Format strings in pieces: text, and directives with all their parts (OpenCL C 6.15.14.2).

use bitflags::bitflags;

bitflags! {
    /// The flag characters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Flags: u8 {
        /// `-`
        const LEFT = 1;
        /// `+`
        const PLUS = 2;
        /// A space.
        const SPACE = 4;
        /// `#`
        const ALTERNATE = 8;
        /// `0`
        const ZERO = 16;
    }
}

/// The length modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `hl`, with vectors only.
    Int,
    /// `l`; also `ll`, which OpenCL C reserves.
    Long,
    /// `z` (OpenCL C 3.1).
    Size,
    /// `t` (OpenCL C 3.1).
    Difference,
}

/// The conversion specifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// `d`, `i`
    Signed,
    /// `u`
    Unsigned,
    /// `o`
    Octal,
    /// `x`, `X`
    Hex,
    /// `f`, `F`
    Fixed,
    /// `e`, `E`
    Exponent,
    /// `g`, `G`
    Shortest,
    /// `a`, `A`
    HexFloat,
    /// `c`
    Char,
    /// `s`
    String,
    /// `p`
    Pointer,
}

impl Conversion {
    fn of(letter: u8) -> Option<Conversion> {
        Some(match letter {
            b'd' | b'i' => Conversion::Signed,
            b'u' => Conversion::Unsigned,
            b'o' => Conversion::Octal,
            b'x' | b'X' => Conversion::Hex,
            b'f' | b'F' => Conversion::Fixed,
            b'e' | b'E' => Conversion::Exponent,
            b'g' | b'G' => Conversion::Shortest,
            b'a' | b'A' => Conversion::HexFloat,
            b'c' => Conversion::Char,
            b's' => Conversion::String,
            b'p' => Conversion::Pointer,
            _ => return None,
        })
    }

    /// Returns true for the integer directives, in any base.
    pub fn is_integer(self) -> bool {
        use Conversion::*;
        matches!(self, Signed | Unsigned | Octal | Hex)
    }

    /// Returns true for the floating-point directives.
    pub fn is_float(self) -> bool {
        use Conversion::*;
        matches!(self, Fixed | Exponent | Shortest | HexFloat)
    }
}

/// A conversion specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directive {
    pub flags: Flags,
    /// Least number of characters; 0 when none is given.
    pub width: u32,
    pub precision: Option<u32>,
    /// Components of the vector specifier; 1 without one.
    pub lanes: u8,
    pub length: Length,
    pub conversion: Conversion,
    /// True if the conversion specifier is a capital letter.
    pub upper: bool,
}

/// The error in a conversion specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The string ends before the conversion specifier.
    Incomplete,
    /// This letter is not a conversion specifier.
    Specifier(char),
    /// `*` for width or precision.
    Star,
    /// A vector size that does not exist.
    VectorSize,
    /// `j`, `L`, or `hl` without a vector.
    Length(&'static str),
}

/// A part of a format string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that is printed unchanged.
    Text(&'a [u8]),
    /// Takes an argument.
    Directive(Directive),
    /// An invalid specification: its text, and the error in it.
    Invalid(&'a [u8], Mistake),
}

/// Returns the pieces of a format string (without its terminating zero), in order.
pub fn pieces(format: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = format;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let text = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
        if text > 0 {
            let (head, tail) = rest.split_at(text);
            rest = tail;
            return Some(Piece::Text(head));
        }
        let mut scanner = Scanner(&rest[1..]);
        let piece = scanner.specification();
        let (head, tail) = rest.split_at(rest.len() - scanner.0.len());
        rest = tail;
        Some(match piece {
            Ok(Some(directive)) => Piece::Directive(directive),
            Ok(None) => Piece::Text(b"%"),
            Err(mistake) => Piece::Invalid(head, mistake),
        })
    })
}

/// A scanner of the rest of a format string.
struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn accept(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Reads digits as a number, if there are any; numbers beyond 32 bits become the largest number of 32 bits.
    fn number(&mut self) -> Option<u32> {
        let mut number: Option<u32> = None;
        while let Some(&digit @ b'0'..=b'9') = self.0.first() {
            let value = number.unwrap_or(0).saturating_mul(10);
            number = Some(value.saturating_add(u32::from(digit - b'0')));
            self.next();
        }
        number
    }

    /// Parses a specification behind its `%`. Returns `None` for `%%`, which prints a `%`.
    fn specification(&mut self) -> Result<Option<Directive>, Mistake> {
        let flags = self.flags();
        let mut star = self.accept(b"*");
        let width = self.number().unwrap_or(0);
        let precision = self.accept(b".").then(|| {
            star |= self.accept(b"*");
            self.number().unwrap_or(0)
        });
        let vector = self.accept(b"v");
        let lanes = if vector { self.number().unwrap_or(0) } else { 1 };
        let (length, length_text) = self.length();
        let Some(letter) = self.next() else { return Err(Mistake::Incomplete) };
        if letter == b'%' {
            return Ok(None);
        }
        let Some(conversion) = Conversion::of(letter) else {
            return Err(Mistake::Specifier(letter.into()));
        };
        if star {
            return Err(Mistake::Star);
        }
        let of_numbers = conversion.is_integer() || conversion.is_float();
        if vector && !(of_numbers && matches!(lanes, 2 | 3 | 4 | 8 | 16)) {
            return Err(Mistake::VectorSize);
        }
        let length = match length {
            Some(Length::Int) if !vector => return Err(Mistake::Length(length_text)),
            Some(length) => length,
            None => return Err(Mistake::Length(length_text)),
        };
        let (lanes, upper) = (lanes as u8, letter.is_ascii_uppercase());
        Ok(Some(Directive { flags, width, precision, lanes, length, conversion, upper }))
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::empty();
        loop {
            flags |= match self.0.first() {
                Some(b'-') => Flags::LEFT,
                Some(b'+') => Flags::PLUS,
                Some(b' ') => Flags::SPACE,
                Some(b'#') => Flags::ALTERNATE,
                Some(b'0') => Flags::ZERO,
                _ => return flags,
            };
            self.next();
        }
    }

    /// Returns the length modifier and its text; `None` for a modifier that OpenCL C does not have.
    fn length(&mut self) -> (Option<Length>, &'static str) {
        let known = [
            ("hh", Some(Length::Char)),
            ("hl", Some(Length::Int)),
            ("h", Some(Length::Short)),
            ("ll", Some(Length::Long)),
            ("l", Some(Length::Long)),
            ("z", Some(Length::Size)),
            ("t", Some(Length::Difference)),
            ("j", None),
            ("L", None),
        ];
        let found = known.into_iter().find(|(text, _)| self.accept(text.as_bytes()));
        found.map_or((Some(Length::None), ""), |(text, length)| (length, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(format: &str) -> Directive {
        match pieces(format.as_bytes()).collect::<Vec<_>>()[..] {
            [Piece::Directive(directive)] => directive,
            ref other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_parts_of_a_directive() {
        let d = one("%-+ #012.34v16hlX");
        assert_eq!(d.flags, Flags::all());
        assert_eq!((d.width, d.precision, d.lanes), (12, Some(34), 16));
        assert_eq!((d.length, d.conversion, d.upper), (Length::Int, Conversion::Hex, true));
        assert_eq!(one("%.f").precision, Some(0));
        assert_eq!(one("%99999999999d").width, u32::MAX);
        assert_eq!(one("%lld").length, Length::Long);
        assert_eq!(one("%zu").length, Length::Size);
    }

    #[test]
    fn text_and_percent_signs() {
        let all: Vec<_> = pieces(b"a%%b%s%5%").collect();
        assert_eq!(all[..3], [Piece::Text(b"a"), Piece::Text(b"%"), Piece::Text(b"b")]);
        assert!(matches!(all[3], Piece::Directive(_)));
        assert_eq!(all[4..], [Piece::Text(b"%")]);
    }

    #[test]
    fn what_means_nothing_is_kept_as_text() {
        let wrong = [
            ("%", Mistake::Incomplete),
            ("%5.2", Mistake::Incomplete),
            ("%y", Mistake::Specifier('y')),
            ("%n", Mistake::Specifier('n')),
            ("%*d", Mistake::Star),
            ("%.*f", Mistake::Star),
            ("%v5d", Mistake::VectorSize),
            ("%vd", Mistake::VectorSize),
            ("%v2s", Mistake::VectorSize),
            ("%hld", Mistake::Length("hl")),
            ("%Lf", Mistake::Length("L")),
            ("%jd", Mistake::Length("j")),
        ];
        for (text, mistake) in wrong {
            let all: Vec<_> = pieces(text.as_bytes()).collect();
            assert_eq!(all, [Piece::Invalid(text.as_bytes(), mistake)], "{text}");
        }
    }
}
