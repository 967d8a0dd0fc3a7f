//! The behaviour of each float operation of a device with denormal numbers, zeros and NaN, and its rounding, as data.

use std::fmt;

/// A width of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatWidth {
    Half,
    Single,
    Double,
}

impl FloatWidth {
    /// All widths.
    pub const ALL: [FloatWidth; 3] = [FloatWidth::Half, FloatWidth::Single, FloatWidth::Double];

    /// Returns the width in bits: 16, 32 or 64.
    pub fn bits(self) -> u32 {
        16 << self as u32
    }

    /// Returns the number of bits of the fraction.
    pub(crate) fn fraction(self) -> u32 {
        [10, 23, 52][self as usize]
    }

    /// Returns the exponent of the least normal number.
    pub(crate) fn least_exponent(self) -> i32 {
        [-14, -126, -1022][self as usize]
    }

    /// Returns the next wider type, which half and single alone have.
    pub(crate) fn wider(self) -> FloatWidth {
        if self == FloatWidth::Half {
            FloatWidth::Single
        } else {
            FloatWidth::Double
        }
    }

    pub(crate) fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Returns a quiet NaN with a payload.
    pub(crate) fn nan(self) -> u64 {
        let infinity = (self.sign_bit() - 1) >> self.fraction() << self.fraction();
        infinity | 1 << (self.fraction() - 1) | 0x25
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign_bit() - 1) > (self.nan() >> self.fraction()) << self.fraction()
    }

    /// Returns the bits of a number that the width holds exactly, even as a denormal number.
    pub(crate) fn encode(self, x: f64) -> u64 {
        let wide = x.to_bits();
        if self == FloatWidth::Double {
            return wide;
        }
        let sign = if x.is_sign_negative() { self.sign_bit() } else { 0 };
        let least = f64::exp2(f64::from(self.least_exponent()));
        if x.is_infinite() {
            return sign | (self.sign_bit() - 1) >> self.fraction() << self.fraction();
        }
        if x.abs() < least {
            return sign | (x.abs() / least * f64::exp2(f64::from(self.fraction()))) as u64;
        }
        let exponent = (wide >> 52 & 0x7ff) as i64 - 1023 - i64::from(self.least_exponent()) + 1;
        let fraction = (wide & ((1 << 52) - 1)) >> (52 - self.fraction());
        sign | (exponent as u64) << self.fraction() | fraction
    }
}

/// An operation that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    Fma,
    Negate,
    Absolute,
    Minimum,
    Maximum,
    Less,
    Equal,
    Floor,
    Ceil,
    /// Conversion from a 32-bit integer.
    FromInt,
    /// Conversion to the next wider float: half to single, single to double; no operation for double.
    Widen,
    /// Conversion from double to single, or from single to half; no operation for single.
    Narrow,
}

impl FloatOp {
    /// All operations, in the order of [`FloatTable`].
    pub const ALL: [FloatOp; 17] = {
        use FloatOp::*;
        [
            Add, Subtract, Multiply, Divide, SquareRoot, Fma, Negate, Absolute, Minimum, Maximum,
            Less, Equal, Floor, Ceil, FromInt, Widen, Narrow,
        ]
    };
}

/// In what an operation agrees with IEEE 754. A property that does not apply to an operation is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// Denormal operands keep their values: they are not taken for zero.
    pub keeps_inputs: bool,
    /// Denormal results are kept: they do not become zero.
    pub keeps_results: bool,
    /// Zeros have the right sign.
    pub signed_zeros: bool,
    /// A NaN operand gives a NaN, and so does infinity less infinity; negation and magnitude change nothing but a NaN's sign.
    pub nans: bool,
    /// Results are the nearest numbers, or the even one of two on a tie.
    pub nearest_even: bool,
}

impl Behaviour {
    pub(crate) const RIGHT: Behaviour = Behaviour {
        keeps_inputs: true,
        keeps_results: true,
        signed_zeros: true,
        nans: true,
        nearest_even: true,
    };

    pub(crate) fn both(self, other: Behaviour) -> Behaviour {
        Behaviour {
            keeps_inputs: self.keeps_inputs && other.keeps_inputs,
            keeps_results: self.keeps_results && other.keeps_results,
            signed_zeros: self.signed_zeros && other.signed_zeros,
            nans: self.nans && other.nans,
            nearest_even: self.nearest_even && other.nearest_even,
        }
    }

    /// Returns true if the operation is as IEEE 754 has it.
    pub fn is_right(self) -> bool {
        self == Behaviour::RIGHT
    }

    /// Returns true if denormal operands and denormal results are both kept.
    pub fn keeps_denormals(self) -> bool {
        self.keeps_inputs && self.keeps_results
    }
}

/// The behaviour of every operation of every width; `None` for widths that the device lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FloatTable([Option<[Behaviour; FloatOp::ALL.len()]>; 3]);

impl FloatTable {
    /// Returns the behaviour of an operation; `None` if the device does not have the width.
    pub fn get(&self, width: FloatWidth, op: FloatOp) -> Option<Behaviour> {
        Some(self.0[width as usize]?[op as usize])
    }

    /// Returns true if a condition holds for all of some operations of a width; false if the device does not have the width.
    pub fn all(
        &self,
        width: FloatWidth,
        which: impl Fn(FloatOp) -> bool,
        holds: impl Fn(Behaviour) -> bool,
    ) -> bool {
        let ops = FloatOp::ALL.iter().filter(|op| which(**op));
        self.0[width as usize].is_some_and(|row| ops.copied().all(|op| holds(row[op as usize])))
    }

    /// Returns true if sums, products, quotients and Fma of a width either all keep denormals or all flush
    /// them. True if there is no such width.
    pub fn is_consistent(&self, width: FloatWidth) -> bool {
        use FloatOp::*;
        let Some(row) = self.0[width as usize] else { return true };
        let [sum, others @ ..] =
            [Add, Subtract, Multiply, Divide, Fma].map(|op| row[op as usize].keeps_denormals());
        others.iter().all(|keeps| *keeps == sum)
    }

    /// Returns the properties that two tables of one device have in common.
    pub(crate) fn both(&self, other: &FloatTable) -> FloatTable {
        let mut both = *self;
        for (row, others) in both.0.iter_mut().zip(&other.0) {
            let rows = row.iter_mut().flatten().zip(others.iter().flatten());
            rows.for_each(|(behaviour, other)| *behaviour = behaviour.both(*other));
        }
        both
    }

    /// Returns true if Fma of halves rounds once, and treats denormals as sums of halves do.
    pub fn half_fma(&self) -> bool {
        let row = |op| self.get(FloatWidth::Half, op);
        let (Some(fma), Some(sum)) = (row(FloatOp::Fma), row(FloatOp::Add)) else { return false };
        fma.nearest_even && fma.keeps_denormals() == sum.keeps_denormals()
    }

    pub(crate) fn row_mut(
        &mut self,
        width: FloatWidth,
    ) -> &mut Option<[Behaviour; FloatOp::ALL.len()]> {
        &mut self.0[width as usize]
    }

    /// Returns true if negation and magnitude change the sign bit and nothing else.
    pub fn sign_alone(&self, width: FloatWidth) -> bool {
        let is_sign = |op| matches!(op, FloatOp::Negate | FloatOp::Absolute);
        self.all(width, is_sign, |b| b == Behaviour::RIGHT)
    }

    /// Returns true if negation and magnitude keep denormals, or the operations that use their results flush them anyway. (Of a
    /// NaN they make a NaN, whatever its sign.)
    pub fn signs_operands(&self, width: FloatWidth) -> bool {
        use FloatOp::*;
        let computes = |op| matches!(op, Add | Subtract | Multiply | Divide | Fma);
        let is_sign = |op| matches!(op, Negate | Absolute);
        self.all(width, is_sign, Behaviour::keeps_denormals)
            || self.all(width, computes, |b| !b.keeps_inputs)
    }

    /// Returns true if minimum and maximum distinguish denormal numbers.
    pub fn orders(&self, width: FloatWidth) -> bool {
        let is_choice = |op| matches!(op, FloatOp::Minimum | FloatOp::Maximum);
        self.all(width, is_choice, Behaviour::keeps_denormals)
    }

    /// Returns true if no operation flushes denormals of a width. Operations on the sign bit and the conversion to a wider
    /// float do not count: integers can do both.
    pub fn keeps_denormals(&self, width: FloatWidth) -> bool {
        use FloatOp::*;
        let others = |op| !matches!(op, Negate | Absolute | Widen | Narrow);
        // The narrowing conversion is in the row of the other width.
        let narrowed = width != FloatWidth::Single
            || self.get(FloatWidth::Double, Narrow).is_none_or(Behaviour::keeps_denormals);
        narrowed && self.all(width, others, Behaviour::keeps_denormals)
    }
}

impl fmt::Display for FloatTable {
    /// Writes a line for each operation: the properties that it lacks, by width.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for op in FloatOp::ALL {
            write!(f, "{:<12}", format!("{op:?}"))?;
            for width in FloatWidth::ALL {
                let text = self.get(width, op).map_or("-".to_string(), |b| {
                    let wrong: Vec<&str> = [
                        (b.keeps_inputs, "flushes inputs"),
                        (b.keeps_results, "flushes results"),
                        (b.signed_zeros, "zeros"),
                        (b.nans, "NaN"),
                        (b.nearest_even, "rounding"),
                    ]
                    .into_iter()
                    .filter_map(|(right, what)| (!right).then_some(what))
                    .collect();
                    if wrong.is_empty() {
                        "as IEEE 754".to_string()
                    } else {
                        wrong.join(", ")
                    }
                });
                write!(f, " | {:<48}", format!("{width:?}: {text}"))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLUSHES: Behaviour =
        Behaviour { keeps_inputs: false, keeps_results: false, ..Behaviour::RIGHT };

    /// Returns the table of a device on which some operations on single flush denormals.
    fn flushing(ops: &[FloatOp]) -> FloatTable {
        let mut table = FloatTable::default();
        let mut row = [Behaviour::RIGHT; FloatOp::ALL.len()];
        ops.iter().for_each(|op| row[*op as usize] = FLUSHES);
        *table.row_mut(FloatWidth::Single) = Some(row);
        table
    }

    #[test]
    fn signs_of_operands_may_flush_only_what_arithmetic_flushes() {
        use FloatOp::*;
        let signs = |ops: &[FloatOp]| flushing(ops).signs_operands(FloatWidth::Single);
        assert!(signs(&[]) && signs(&[Add, Fma]));
        assert!(!signs(&[Negate]) && !signs(&[Absolute]) && !signs(&[Absolute, Add]));
        assert!(signs(&[Negate, Absolute, Add, Subtract, Multiply, Divide, Fma]));
        let changes_nans = Behaviour { nans: false, ..Behaviour::RIGHT };
        let mut table = flushing(&[]);
        let row = table.row_mut(FloatWidth::Single).as_mut().unwrap();
        [Negate, Absolute].iter().for_each(|op| row[*op as usize] = changes_nans);
        assert!(table.signs_operands(FloatWidth::Single) && !table.sign_alone(FloatWidth::Single));
    }
}
