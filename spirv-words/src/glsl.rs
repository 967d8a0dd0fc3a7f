//! The extended instruction set GLSL.std.450.

/// The instructions of GLSL.std.450 that are emitted or run here, by their names and numbers in its specification.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Glsl {
    RoundEven = 2,
    Trunc = 3,
    FAbs = 4,
    SAbs = 5,
    Floor = 8,
    Ceil = 9,
    Sin = 13,
    Cos = 14,
    Tan = 15,
    Pow = 26,
    Exp2 = 29,
    Log2 = 30,
    Sqrt = 31,
    InverseSqrt = 32,
    UMin = 38,
    Fma = 50,
    Ldexp = 53,
    UnpackHalf2x16 = 62,
    FindILsb = 73,
    FindUMsb = 75,
    NMin = 79,
    NMax = 80,
}

impl Glsl {
    /// Every instruction of the table, by number.
    const ALL: [Glsl; 22] = {
        use Glsl::*;
        [
            RoundEven,
            Trunc,
            FAbs,
            SAbs,
            Floor,
            Ceil,
            Sin,
            Cos,
            Tan,
            Pow,
            Exp2,
            Log2,
            Sqrt,
            InverseSqrt,
            UMin,
            Fma,
            Ldexp,
            UnpackHalf2x16,
            FindILsb,
            FindUMsb,
            NMin,
            NMax,
        ]
    };

    /// Returns the instruction with a number; `None` if it is not in the table.
    pub fn from_u32(number: u32) -> Option<Glsl> {
        Glsl::ALL.into_iter().find(|instruction| *instruction as u32 == number)
    }
}
