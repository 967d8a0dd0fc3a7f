//! A row of the table of functions: how a kernel calls it, what its exact result is, and its error bounds.

use super::format::Format;
use super::quad::Quad;

/// The exact function, evaluated with more precision than the results have.
#[derive(Clone, Copy)]
pub enum Reference<T> {
    One(fn(f64) -> T),
    Two(fn(f64, f64) -> T),
    Three(fn(f64, f64, f64) -> T),
    /// A function of a list of values, the last of which is an integer if the function takes one.
    List(fn(&[f64]) -> T),
    /// The reference of a function whose result depends on the type.
    Typed(fn(&[f64], Format) -> T),
}

impl<T> Reference<T> {
    pub fn call(&self, values: &[f64], format: Format) -> T {
        match (self, values) {
            (Reference::One(f), [x, ..]) => f(*x),
            (Reference::Two(f), [x, y, ..]) => f(*x, *y),
            (Reference::Three(f), [x, y, z, ..]) => f(*x, *y, *z),
            (Reference::List(f), values) => f(values),
            (Reference::Typed(f), values) => f(values, format),
            _ => unreachable!("every row has as many values as its reference takes"),
        }
    }
}

/// The requirement of 7.4 on a result.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    /// At most this error, in ulp.
    Ulp(f64),
    /// The nearest number: "correctly rounded", or "0 ulp" where the exact result is a number of the type.
    Rounded,
    /// At most an absolute error, which may depend on the values.
    Absolute(fn(&[f64], Format) -> f64),
    /// No requirement.
    None,
    /// The function does not exist for the type.
    Absent,
}

impl Bound {
    /// Returns the largest error that is allowed, in ulp or in absolute errors.
    pub fn limit(self) -> f64 {
        match self {
            Bound::Ulp(ulp) => ulp,
            Bound::Rounded => 0.5,
            Bound::Absolute(_) => 1.0,
            Bound::None | Bound::Absent => f64::INFINITY,
        }
    }

    pub fn text(self) -> String {
        match self {
            Bound::Ulp(ulp) => format!("{ulp}"),
            Bound::Rounded => "rounded".to_string(),
            Bound::Absolute(_) => "absolute".to_string(),
            Bound::None => "none".to_string(),
            Bound::Absent => String::new(),
        }
    }
}

/// The choice of arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// Arguments from the whole range.
    Any,
    /// Arguments such that x^y is a number of the type.
    Power,
    /// Arguments between two numbers; other ones are left out.
    Range(f64, f64),
}

/// A function, with its references and bounds.
pub struct Row {
    pub name: &'static str,
    /// A statement that sets `r` from the values `x`, `y`, `z`, `w`, `x2` to `w2` of type `T` and `n` of type int; it
    /// may use `p` of type `T` and `q` of type int.
    pub body: &'static str,
    /// The number of values of type `T`.
    pub values: usize,
    /// True if the function takes an integer.
    pub integer: bool,
    /// The reference in doubles: exact enough for halves and floats.
    pub near: Reference<f64>,
    /// The reference in quads, for doubles; `None` where the nearest double is the result.
    pub wide: Option<Reference<Quad>>,
    /// True if quads are the reference for all types.
    pub always_wide: bool,
    /// The largest error of the reference in doubles, in ulp of a double.
    pub near_error: f64,
    /// The bounds for half, float and double.
    pub bounds: [Bound; 3],
    pub choice: Choice,
    /// Returns false for values for which the result is undefined.
    pub defined: fn(&[f64], Format) -> bool,
    /// True if a zero may have either sign.
    pub either_zero: bool,
}

/// Returns bounds in ulp for half, float and double.
pub const fn ulps(half: f64, float: f64, double: f64) -> [Bound; 3] {
    [Bound::Ulp(half), Bound::Ulp(float), Bound::Ulp(double)]
}

pub const ROUNDED: [Bound; 3] = [Bound::Rounded; 3];
/// Bounds of functions that exist for floats only.
pub const HALF_PREFIX: [Bound; 3] = [Bound::Absent, Bound::Ulp(8192.0), Bound::Absent];
pub const NATIVE: [Bound; 3] = [Bound::Absent, Bound::None, Bound::Absent];

impl Row {
    /// Returns the row of a function whose results are exact in doubles, or rounded to them.
    pub const fn exact(name: &'static str, body: &'static str, near: Reference<f64>) -> Row {
        let values = match near {
            Reference::One(_) => 1,
            Reference::Two(_) | Reference::List(_) | Reference::Typed(_) => 2,
            Reference::Three(_) => 3,
        };
        Row {
            name,
            body,
            values,
            integer: false,
            near,
            wide: None,
            always_wide: false,
            near_error: 1.0,
            bounds: ROUNDED,
            choice: Choice::Any,
            defined: |_, _| true,
            either_zero: false,
        }
    }

    /// Returns the row of a function whose results are rounded; it has a reference in doubles and one in quads.
    pub const fn rounded(
        name: &'static str,
        body: &'static str,
        near: Reference<f64>,
        wide: Reference<Quad>,
        bounds: [Bound; 3],
    ) -> Row {
        Row { wide: Some(wide), bounds, ..Row::exact(name, body, near) }
    }

    /// Returns the row of a function of floats alone.
    pub const fn of_float(
        name: &'static str,
        body: &'static str,
        near: Reference<f64>,
        bounds: [Bound; 3],
    ) -> Row {
        Row { bounds, ..Row::exact(name, body, near) }
    }

    pub const fn bounds(self, bounds: [Bound; 3]) -> Row {
        Row { bounds, ..self }
    }

    pub const fn values(self, values: usize) -> Row {
        Row { values, ..self }
    }

    /// Marks the last of the reference's values as an integer.
    pub const fn integer(self) -> Row {
        Row { integer: true, values: 1, ..self }
    }

    pub const fn choice(self, choice: Choice) -> Row {
        Row { choice, ..self }
    }

    pub const fn defined(self, defined: fn(&[f64], Format) -> bool) -> Row {
        Row { defined, ..self }
    }

    pub const fn either_zero(self) -> Row {
        Row { either_zero: true, ..self }
    }

    pub const fn always_wide(self) -> Row {
        Row { always_wide: true, ..self }
    }

    pub const fn near_error(self, near_error: f64) -> Row {
        Row { near_error, ..self }
    }

    pub fn bound(&self, format: Format) -> Bound {
        self.bounds[format as usize]
    }

    /// Returns the number of all different calls, if it is not more than 2^32.
    pub fn all_calls(&self, format: Format) -> Option<u64> {
        let bits = format.width() * self.values as u32;
        (bits <= 32 && !self.integer).then(|| 1 << bits)
    }

    /// Returns true if quads are the reference for a type.
    pub fn is_wide(&self, format: Format) -> bool {
        self.wide.is_some() && (self.always_wide || format == Format::Double)
    }

    /// Returns true if results for the values count.
    pub fn counts(&self, values: &[f64], format: Format) -> bool {
        let within = match self.choice {
            Choice::Range(low, high) => values.iter().all(|x| (low..=high).contains(x)),
            Choice::Any | Choice::Power => true,
        };
        within && (self.defined)(values, format)
    }
}
