// The bits of doubles, for their functions and for the arithmetic that takes their place.
#define BIAS 1023
#define SIGN_BIT 0x8000000000000000ul
#define MAG_MASK 0x7ffffffffffffffful
#define INF_BITS 0x7ff0000000000000ul
#define NAN_BITS 0x7ff8000000000000ul
#define FRAC_MASK 0x000ffffffffffffful
#define LEADING_BIT 0x0010000000000000ul
