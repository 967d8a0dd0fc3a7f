// Names of the double unit: the other files are written once for float and double in these terms.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define REAL2 double2
#define BITS ulong
#define SBITS long
#define NAME(f) __##f##_f64
#define R(literal) literal
#define PAIR(a, b) ((REAL2)((a), (b)))
#define PAIR_OF(type, a, b) ((type##2)((a), (b)))
#define TO_BITS as_ulong
#define FROM_BITS as_double
#define TO_SBITS as_long
// The words of a number, so that what changes one does not meet the other.
#define HIGH(x) (as_uint2((double)(x)).s1)
#define LOW(x) (as_uint2((double)(x)).s0)
#define WORDS(low, high) as_double((uint2)((low), (high)))
#define WIDTH 64
#define MANT 52
// Without the sign. A comparison may take the magnitude of a denormal number for zero.
#define MAGNITUDE(x) FROM_BITS(TO_BITS(x) & MAG_MASK)
#define LEAST_NORMAL 0x1p-1022
// Products and quotients that may be denormal, or of numbers that may be.
#if HEKLA_RAISED_DENORMALS
#define TIMES(a, b) __ieee_mul_f64(a, b)
#define OVER(a, b) __ieee_div_f64(a, b)
// A function's value for x: `own` for a tiny x where the device would flush a denormal one, else `value`.
#define IF_TINY(x, own, value) (__is_tiny_f64(x) ? (own) : (value))
#define KEEPS_DENORMALS 0
#else
#define TIMES(a, b) ((a) * (b))
#define OVER(a, b) ((a) / (b))
#define IF_TINY(x, own, value) (value)
#define KEEPS_DENORMALS 1
#endif
// Clears the low half of a significand.
#define SPLIT_MASK 0xfffffffff8000000ul
// Added before clearing, to round: then the rest, which has a sign, fits into 26 digits.
#define SPLIT_ROUND 0x4000000ul
// Bits by which a significand can be shifted left in BITS.
#define SPARE_BITS 11

// The high parts of LN2 and LOG10_2 have so few bits that a product with any exponent is exact;
// pairs hold a constant to twice the precision; HALF_PI_1 to 4 add up to pi / 2.
#define LN2_HIGH 0.69314718055966296
#define LN2_LOW 2.8235290563031577e-13
#define LOG10_2_HIGH 0.30102999566383914
#define LOG10_2_LOW 1.4205023227266099e-13
#define LOG2E 1.4426950408889634
#define LOG2_10 3.3219280948873622
#define PI 3.1415926535897931
#define ONE_OVER_PI 0.31830988618379069
#define SQRT_TWO_PI 2.5066282746310007
#define HALF_LOG_TWO_PI 0.91893853320467278
#define LN2 0.69314718055994529
#define LOG10E 0.43429448190325182
// What these leave.
#define LOG2E_2 2.0355273740931033e-17
#define LOG10E_2 1.0983196502167651e-17
#define LOG2E_PAIR PAIR(1.4426950408889634, 2.0355273740931033e-17)
// In a high part of 26 bits, as SPLIT_MASK leaves, and the rest.
#define LOG2E_HIGH 1.4426950216293335
#define LOG2E_LOW 1.9259629911266175e-08
#define LOG10E_HIGH 0.43429447710514069
#define LOG10E_LOW 4.7981111416159728e-09
#define TWO_THIRDS_PAIR PAIR(0.66666666666666663, 3.7007434154171883e-17)
#define PI_PAIR PAIR(3.1415926535897931, 1.2246467991473532e-16)
#define HALF_PI_PAIR PAIR(1.5707963267948966, 6.123233995736766e-17)
#define QUARTER_PI_PAIR PAIR(0.78539816339744828, 3.061616997868383e-17)
#define HALF_PI_1 1.5707963267341256
#define HALF_PI_2 6.077100506303966e-11
#define HALF_PI_3 2.0222662487111665e-21
#define HALF_PI_4 8.4784276603688996e-32
// Results beyond these over- and underflow: ln of the largest and half the least positive number.
#define EXP_OVERFLOW 709.78271289338397
#define EXP_UNDERFLOW -745.13321910194122
// Results within this are normal numbers.
#define EXP_NORMAL 708.0
// e^x is below half an ulp of 1 from here.
#define EXPM1_MINUS_ONE -38.0
// |log2(x)| is above 2^-53 unless x is 1, so that powers with larger exponents overflow or vanish.
#define POW_LARGE 0x1p65
// erfc vanishes from here.
#define ERFC_ZERO 27.23
#define STIRLING_FROM 10.0
#define LSTIRLING_FROM 8.0
#define TGAMMA_OVERFLOW 171.625
#define TGAMMA_UNDERFLOW -184.0
// Squares beyond these could over- or underflow; a scale that brings them back.
#define SQUARE_LARGE 0x1p510
#define SQUARE_SMALL 0x1p-400
#define SQUARE_SCALE 0x1p700
// Newton steps from 2^-13 to the type's precision.
#define CBRT_STEPS 2
// Whether functions are those of the files short_*.cl: they need a fused fma, and but for trigonometric functions one
// that keeps denormal numbers.
#define SHORT (HEKLA_FUSED_FMA && !HEKLA_RAISED_DENORMALS)
#define SHORT_EXP SHORT
#define SHORT_ROOTS SHORT
#define SHORT_TRIG HEKLA_FUSED_FMA
// As those of float.
#define EXACT_RESIDUAL HEKLA_FUSED_FMA
#define QUOTIENT(a, b) ((a) / (b))
#if SHORT
#define NEAR_QUOTIENT(a, b) ((a) * __inverse_f64(b))
#define NEAR_ROOT(x) __root_f64(x)
#else
#define NEAR_QUOTIENT(a, b) ((a) / (b))
#define NEAR_ROOT(x) sqrt(x)
#endif
#define DIVISOR_LEAST 0x1p-900
#define DIVISOR_END 0x1p1022
#define QUOTIENT_END 0x1p30
// pi / 2 in three positive parts, so that a zero keeps its sign, and from where on that is not enough.
#define HALF_PI_A 1.5707963267948966
#define HALF_PI_B 6.123233995736765e-17
#define HALF_PI_C 1.0828566739219139e-32
#define TRIG_LARGE 0x1p30
#define TWO_OVER_PI 0.63661977236758134
// Added to a number it leaves the nearest integer in the last bits.
#define ROUND_BITS 6755399441055744.0
