/* What random programs need of OpenCL C, in GNU C with integers of 128 bits. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define VECTORS(T) \
    typedef struct { T s[2]; } T##2; \
    typedef struct { T s[3]; } T##3; \
    typedef struct { T s[4]; } T##4; \
    typedef struct { T s[8]; } T##8; \
    typedef struct { T s[16]; } T##16;
VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint)
VECTORS(long) VECTORS(ulong) VECTORS(float) VECTORS(double)

#define kernel
#define global
#define local
#define private
#define constant const

/* A conversion to a float type in a rounding direction. */
#define ROUNDED(T, value, direction) ({ \
    volatile __typeof__(value) from_ = (value); \
    fesetround(direction); \
    volatile T to_ = (T)from_; \
    fesetround(FE_TONEAREST); \
    (T)to_; })

static __int128 between(__int128 value, __int128 least, __int128 most) {
    return value < least ? least : value > most ? most : value;
}

/* An integral number, cut to a range; a NaN is 0. */
static __int128 integer(double value, __int128 least, __int128 most) {
    if (value != value)
        return 0;
    return value < -1e30 ? least : value > 1e30 ? most : between((__int128)value, least, most);
}

static uint as_uint(float value) {
    uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static ulong as_ulong(double value) {
    ulong bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define GROUP 4
static ulong item;
static ulong get_global_id(uint dimension) { return item; }
static ulong get_local_id(uint dimension) { return item % GROUP; }
static ulong get_group_id(uint dimension) { return item / GROUP; }
