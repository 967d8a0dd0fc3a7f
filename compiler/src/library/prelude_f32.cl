// Names of the float unit: the other files are written once for float and double in these terms.
#define REAL float
#define REAL2 float2
#define BITS uint
#define SBITS int
#define NAME(f) __##f##_f32
#define R(literal) literal##f
#define PAIR(a, b) ((REAL2)((a), (b)))
#define TO_BITS as_uint
#define FROM_BITS as_float
#define TO_SBITS as_int
#define WIDTH 32
#define MANT 23
#define BIAS 127
#define SIGN_BIT 0x80000000u
#define MAG_MASK 0x7fffffffu
#define INF_BITS 0x7f800000u
#define NAN_BITS 0x7fc00000u
#define FRAC_MASK 0x007fffffu
#define LEADING_BIT 0x00800000u
// Products and quotients that may be denormal, or of numbers that may be.
#define TIMES(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
// A function's value for x: `own` for a tiny x where the device would flush a denormal one, else `value`.
#define IF_TINY(x, own, value) (value)
#define KEEPS_DENORMALS 1
// Clears the low half of a significand.
#define SPLIT_MASK 0xfffff000u
// Added before clearing: nothing, the low half has 12 digits.
#define SPLIT_ROUND 0u
// Bits by which a significand can be shifted left in BITS.
#define SPARE_BITS 8

// The high parts of LN2 and LOG10_2 have so few bits that a product with any exponent is exact;
// pairs hold a constant to twice the precision; HALF_PI_1 to 4 add up to pi / 2.
#define LN2_HIGH 0.693145752f
#define LN2_LOW 1.42860677e-06f
#define LOG10_2_HIGH 0.301025391f
#define LOG10_2_LOW 4.60503907e-06f
#define LOG2E 1.44269502f
#define LOG2_10 3.32192802f
#define PI 3.14159274f
#define ONE_OVER_PI 0.318309873f
#define SQRT_TWO_PI 2.50662827f
#define HALF_LOG_TWO_PI 0.918938518f
#define LN2 0.693147182f
#define LOG2E_PAIR PAIR(1.44269502f, 1.92596303e-08f)
// In a high part of 12 bits, as SPLIT_MASK leaves, and the rest.
#define LOG2E_HIGH 1.4423828125f
#define LOG2E_LOW 0.000312228396f
#define LOG10E_HIGH 0.4342041015625f
#define LOG10E_LOW 9.03803375e-05f
#define PI_PAIR PAIR(3.14159274f, -8.74227766e-08f)
#define HALF_PI_PAIR PAIR(1.57079637f, -4.37113883e-08f)
#define QUARTER_PI_PAIR PAIR(0.785398185f, -2.18556941e-08f)
#define HALF_PI_1 1.5703125f
#define HALF_PI_2 0.000483751297f
#define HALF_PI_3 7.54953362e-08f
#define HALF_PI_4 2.56334407e-12f
// Results beyond these over- and underflow: ln of the largest and half the least positive number.
#define EXP_OVERFLOW 88.7228394f
#define EXP_UNDERFLOW -103.972084f
// Results within this are normal numbers.
#define EXP_NORMAL 87.0f
// e^x is below half an ulp of 1 from here.
#define EXPM1_MINUS_ONE -18.0f
// |log2(x)| is above 2^-25 unless x is 1, so that powers with larger exponents overflow or vanish.
#define POW_LARGE 0x1p34f
// erfc vanishes from here.
#define ERFC_ZERO 10.06f
// That of short_gamma.cl is more.
#define STIRLING_FROM (HEKLA_FUSED_FMA ? 8.0f : 6.0f)
#define LSTIRLING_FROM 3.0f
#define TGAMMA_OVERFLOW 35.05f
#define TGAMMA_UNDERFLOW -42.5f
// Squares beyond these could over- or underflow; a scale that brings them back.
#define SQUARE_LARGE 0x1p62f
#define SQUARE_SMALL 0x1p-40f
#define SQUARE_SCALE 0x1p100f
// Newton steps from 2^-13 to the type's precision.
#define CBRT_STEPS 1
// Whether functions are those of the files short_*.cl: they need a fused fma, exponentials a good 2^x of the device too.
#define SHORT HEKLA_FUSED_FMA
#define SHORT_ROOTS SHORT
#define SHORT_TRIG SHORT
#define SHORT_EXP (HEKLA_FUSED_FMA && HEKLA_EXP2)
// A quotient as the device has it, of numbers that are in range with their quotient.
#define QUOTIENT(a, b) native_divide(a, b)
// Those and roots of numbers that are in the middle of the range, of which a function's bound leaves room for errors.
#define NEAR_QUOTIENT(a, b) QUOTIENT(a, b)
#define NEAR_ROOT(x) sqrt(x)
// Whether residual is exact.
#define EXACT_RESIDUAL 1
// Divisors within these have reciprocals, and remainders with them are not denormal; quotients below the third are
// within 1/8 of what the device makes of them. Without a fused fma, the product of both is finite.
#define DIVISOR_LEAST 0x1p-100f
#define DIVISOR_END (HEKLA_FUSED_FMA ? 0x1p126f : 0x1p100f)
#define QUOTIENT_END 0x1p20f
// pi / 2 in three positive parts, so that a zero keeps its sign, and from where on that is not enough.
#define HALF_PI_A 1.57079625f
#define HALF_PI_B 7.54978942e-08f
#define HALF_PI_C 5.39030253e-15f
#define TRIG_LARGE 0x1p17f
#define TWO_OVER_PI 0.636619747f
// Added to a number it leaves the nearest integer in the last bits.
#define ROUND_BITS 12582912.0f
