//! 6.15.14.2 printf Format String

//# accept: ordinary characters are copied, %% is a percent sign
//# expect: 0
//# prints: 100% of "x\y"
kernel void test(global uint *out) {
    printf("100%% of \"x\\y\"\n");
}

//# accept: a field width pads on the left; the flag - on the right
//# expect: 0
//# prints: [   42][42   ][123456]
kernel void test(global uint *out) {
    printf("[%5d][%-5d][%5d]\n", 42, 42, 123456);
}

//# accept: a precision is a number of digits, or of characters of a string
//# expect: 0
//# prints: [0042][][2.50][1.5e+00][te][3]
kernel void test(global uint *out) {
    printf("[%.4d][%.0d][%.2f][%.1e][%.2s][%.f]\n", 42, 0, 2.5f, 1.5f, "text", 3.0f);
}

//# accept: + and space give a sign
//# expect: 0
//# prints: [+42][-42][ 42][+42][+1.5]
kernel void test(global uint *out) {
    printf("[%+d][%+d][% d][% +d][%+.1f]\n", 42, -42, 42, 42, 1.5f);
}

//# accept: # is the alternative form
//# expect: 0
//# prints: [052][0x2a][0X2A][0][2.][1.50000][0]
kernel void test(global uint *out) {
    printf("[%#o][%#x][%#X][%#x][%#.0f][%#g][%#.0o]\n", 42, 42, 42, 0, 2.0f, 1.5f, 0);
}

//# accept: 0 pads with zeros, but not left-justified, beside a precision or before infinity
//# expect: 0
//# prints: [00042][-0042][42   ][  042][  inf][0x00002a]
kernel void test(global uint *out) {
    printf("[%05d][%05d][%-05d][%05.3d][%05f][%#08x]\n", 42, -42, 42, 42, INFINITY, 42);
}

//# accept: hh and h convert to char and short before printing
//# expect: 0
//# prints: -56 200 255 -25536 40000 ff
kernel void test(global uint *out) {
    printf("%hhd %hhu %hhu %hd %hu %hhx\n", 200, 200, -1, 40000, 40000, 255);
}

//# accept: l is long and ulong
//# expect: 0
//# prints: -1 18446744073709551615 123456789abcdef0 9223372036854775807
kernel void test(global uint *out) {
    printf("%ld %lu %lx %li\n", -1L, ULONG_MAX, 0x123456789abcdef0L, LONG_MAX);
}

//# accept: d, i, o, u, x, X
//# expect: 0
//# prints: -42 -42 52 4294967254 2a 2A
kernel void test(global uint *out) {
    int n = 42;
    printf("%d %i %o %u %x %X\n", -n, -n, n, -n, n, n);
}

//# accept: f and F; six digits where no precision is told
//# expect: 0
//# prints: -2.500000 0.000000 inf -INF nan
kernel void test(global uint *out) {
    printf("%f %f %f %F %f\n", -2.5f, 0.0f, INFINITY, -INFINITY, fabs(NAN));
}

//# accept: e and E: one digit before the point, two of the exponent at least
//# expect: 0
//# prints: 1.500000e+00 1.5E-10 0e+00 1.0e+38
kernel void test(global uint *out) {
    printf("%e %.1E %.0e %.1e\n", 1.5f, 1.5e-10f, 0.0f, 1e38f);
}

//# accept: g and G choose by the exponent, and drop trailing zeros
//# expect: 0
//# prints: 0.0001 1e-05 100000 1e+06 1E+06 1.5 0
kernel void test(global uint *out) {
    printf("%g %g %g %g %G %g %g\n", 0.0001f, 0.00001f, 100000.0f, 1e6f, 1e6f, 1.5f, 0.0f);
}

//# accept: a and A are hexadecimal and exact
//# expect: 0
//# prints: 0x1p+0 -0X1.8P+1 0x1.0p-1 0x0p+0
kernel void test(global uint *out) {
    printf("%a %A %.1a %a\n", 1.0f, -3.0f, 0.5f, 0.0f);
}

//# accept: c writes a character
//# expect: 0
//# prints: [A][  b][c  ]
kernel void test(global uint *out) {
    printf("[%c][%3c][%-3c]\n", 65, 'b', 'c');
}

//# accept: s writes a literal string
//# expect: 0
//# prints: [text][  text][text  ][]
kernel void test(global uint *out) {
    printf("[%s][%6s][%-6s][%s]\n", "text", "text", "text", "");
}

//# accept: p writes a pointer to any address space
//# expect: 0
//# prints: (nil)
kernel void test(global uint *out) {
    printf("%p\n", (global void *)0);
}

//# accept: vectors by v, separated by commas; flags and width hold for each element
//# expect: 0
//# prints: f4 = 1.00,2.00,3.00,4.00
//# prints: uc = 0xfa,0xfb,0xfc,0xfd
//# prints: [  1, -2]
kernel void test(global uint *out) {
    float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    uchar4 uc = (uchar4)(0xFA, 0xFB, 0xFC, 0xFD);
    printf("f4 = %2.2v4hlf\n", f);
    printf("uc = %#v4hhx\n", uc);
    printf("[%3v2hld]\n", (int2)(1, -2));
}

//# accept: of 2, 3, 4, 8 and 16 elements; hh char, h short, hl int and float, l long
//# expect: 0
//# prints: -1,2 -3,4,5 6,7,8,9
//# prints: 1,2,3,4,5,6,7,8
//# prints: 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
kernel void test(global uint *out) {
    printf("%v2hhd %v3hd %v4hld\n", (char2)(-1, 2), (short3)(-3, 4, 5), (int4)(6, 7, 8, 9));
    printf("%v8ld\n", (long8)(1, 2, 3, 4, 5, 6, 7, 8));
    printf("%v16hlg\n", (float16)(1));
}

//# accept: doubles, and vectors of them
//# requires: fp64
//# expect: 0
//# prints: 0.10000000000000001 1.5,-2.5
kernel void test(global uint *out) {
    printf("%.17g %v2lg\n", 0.1, (double2)(1.5, -2.5));
}

//# accept: halfs, and vectors of them
//# requires: cl_khr_fp16
//# expect: 0
//# prints: 1.5 1,2
kernel void test(global uint *out) {
    half h = 1.5h;
    printf("%g %v2hg\n", h, (half2)(1, 2));
}

//# accept: too few arguments: a warning
//# expect: 1
//# warn: 3: more '%' conversions than data arguments
kernel void test(global uint *out) {
    if (out[0])
        printf("%d %d\n", 1);
    out[0] = 1;
}

//# accept: arguments of the wrong type: warnings
//# expect: 1
//# warn: 5: format specifies type 'int' but the argument has type 'float'
//# warn: 6: format specifies type 'double' but the argument has type 'int'
//# warn: 7: format specifies type
//# warn: 8: format specifies type
//# warn: 9: format specifies type '__constant char *'
kernel void test(global uint *out) {
    uint2 ui = (uint2)(0x12345678, 0x87654321);
    global char *s = (global char *)out;
    if (out[0]) {
        printf("%d\n", 1.5f);
        printf("%f\n", 1);
        printf("unsigned short value = (%#v2hx)\n", ui);
        printf("unsigned char value = (%#v2hhx)\n", ui);
        printf("%s\n", s);
    }
    out[0] = 1;
}

//# accept: invalid directives: warnings
//# expect: 1
//# warn: 3: invalid conversion specifier 'n'
//# warn: 4: invalid conversion specifier 'y'
//# warn: 5: incomplete format specifier
//# warn: 6: invalid vector specifier
kernel void test(global uint *out) {
    if (out[0]) {
        printf("%n\n");
        printf("%y\n");
        printf("%");
        printf("%v5hld\n");
    }
    out[0] = 1;
}

//# reject: with -Werror these are errors
//# options: -Werror
//# error: 2: invalid conversion specifier 'y'
kernel void test(global uint *out) {
    printf("%y\n");
}
