//! 6.12 Preprocessor Directives and Macros

//# accept: #if, #elif, #else and #endif choose a group
//# expect: 1 2 3
#define N 2
kernel void test(global uint *out) {
#if N == 2
    out[0] = 1;
#elif N == 2
    out[0] = 100;
#else
    out[0] = 200;
#endif
#if N == 1
    out[1] = 100;
#elif N == 2
    out[1] = 2;
#endif
#if 0
    out[2] = 100;
#elif 0
    out[2] = 200;
#else
    out[2] = 3;
#endif
}

//# accept: groups nest, and what is skipped is only tokenized
//# expect: 1
kernel void test(global uint *out) {
#if 0
# if 1
    this is no program '
# else
#  error skipped
# endif
# unknown directive
#else
    out[0] = 1;
#endif
}

//# accept: #ifdef, #ifndef and defined
//# expect: 1 2 3 4
#define A
#undef B
kernel void test(global uint *out) {
#ifdef A
    out[0] = 1;
#endif
#ifndef B
    out[1] = 2;
#endif
#if defined A && !defined(B)
    out[2] = 3;
#endif
#if defined(B) || 0
#else
    out[3] = 4;
#endif
}

//# accept: in #if a name that is no macro is 0, and arithmetic has 64 bits
//# expect: 1 1 1 1
kernel void test(global uint *out) {
#if UNDEFINED == 0
    out[0] = 1;
#endif
#if 0x7fffffff + 1 > 0
    out[1] = 1;
#endif
#if -1 > 0u
    out[2] = 1;
#endif
#if (2 || 1 / 0) && 'a' == 97
    out[3] = 1;
#endif
}

//# accept: macros without parameters are rescanned
//# expect: 7
#define A B
#define B C
#define C 7
kernel void test(global uint *out) { out[0] = A; }

//# accept: a macro is not expanded in its own expansion
//# expect: 5
#define x x + 1
kernel void test(global uint *out) {
#undef x
    uint x = 4;
#define x x + 1
    out[0] = x;
}

//# accept: macros with parameters; arguments are expanded first
//# expect: 12 7
#define ADD(a, b) ((a) + (b))
#define TWICE(a) ADD(a, a)
#define SIX 6
kernel void test(global uint *out) {
    out[0] = TWICE(SIX);
    out[1] = ADD(ADD(1, 2), 4);
}

//# accept: a macro with parameters is one only before a parenthesis
//# expect: 3 8
#define f(x) 8
kernel void test(global uint *out) {
    uint f = 3;
    out[0] = f;
    out[1] = f
        (1);
}

//# accept: arguments may be empty and may have parentheses and commas in them
//# expect: 1 5
#define FIRST(a, b) 1 a b
#define SUM(a) sum a
uint sum(uint a, uint b) { return a + b; }
kernel void test(global uint *out) {
    out[0] = FIRST(,);
    out[1] = SUM((2, 3));
}

//# accept: # makes a string of an argument as it is written
//# expect: 97 32 43 32 66 0
#define TEXT(x) #x
#define B 3
kernel void test(global uint *out) {
    constant char *text = TEXT(  a  +   B );
    for (int i = 0; i < 6; i++)
        out[i] = text[i];
}

//# accept: ## makes one token of two, arguments not expanded
//# expect: 4 12
#define GLUE(a, b) a##b
#define GLUE2(a, b) GLUE(a, b)
#define ONE 1
kernel void test(global uint *out) {
    uint xONE = 4;
    out[0] = GLUE(x, ONE);
    out[1] = GLUE2(ONE, 2);
}

//# accept: #undef forgets a macro; undefining what is none is allowed
//# expect: 1 2
#define N 1
kernel void test(global uint *out) {
    out[0] = N;
#undef N
#undef NEVER_DEFINED
#define N 2
    out[1] = N;
}

//# accept: a definition may be repeated
//# expect: 3
#define N (1 + 2)
#define N (1   +  2)
kernel void test(global uint *out) { out[0] = N; }

//# accept: options define and undefine macros in order
//# options: -D A -D B=5 -D C=1 -U C -D C=9
//# expect: 1 5 9
kernel void test(global uint *out) {
    out[0] = A;
    out[1] = B;
    out[2] = C;
}

//# accept: lines are spliced at a backslash, comments are a space
//# expect: 3 4
#define SUM(a, b) \
    ((a) + \
     (b))
kernel void test(global uint *out) {
    out[0] = SUM(1, /* two
    lines */ 2);
    ou\
t[1] = 4; // to the end \
    out[1] = 5;
}

//# accept: a hash alone is a directive that does nothing; spaces may stand around it
//# expect: 1
#
  #  define N 1
kernel void test(global uint *out) { out[0] = N; }

//# accept: digraphs are other spellings of brackets and hashes
//# expect: 6
%:define SIX 6
kernel void test(global uint *out) <% out<:0:> = SIX; %>

//# accept: __LINE__ is the line in the file
//# expect: 2 3
kernel void test(global uint *out) {
    out[0] = __LINE__;
    out[1] = __LINE__;
}

//# accept: #line tells which line the next one is
//# expect: 100 101 7
#define LINE 100
kernel void test(global uint *out) {
#line LINE
    out[0] = __LINE__;
    out[1] = __LINE__;
#line 7 "other.cl"
    out[2] = __LINE__;
}

//# accept: #line tells the name of the file, which __FILE__ is
//# expect: 97 46 99 108 0 5
#line 1 "a.cl"
constant char name[] = __FILE__;
kernel void test(global uint *out) {
    for (int i = 0; i < 5; i++)
        out[i] = name[i];
    out[5] = sizeof name;
}

//# accept: __FILE__ is a string literal
//# expect: 1
kernel void test(global uint *out) {
    constant char *name = "" __FILE__;
    out[0] = sizeof(__FILE__) > 1 && name[0] != 0;
}

//# accept: __func__ is the function's name
//# expect: 105 110 110 101 114 0 116
void inner(global uint *out) {
    for (int i = 0; i < 6; i++)
        out[i] = __func__[i];
}
kernel void test(global uint *out) {
    inner(out);
    out[6] = __func__[0];
}

//# accept: without -cl-std the language is OpenCL C 1.2
//# expect: 120
kernel void test(global uint *out) { out[0] = __OPENCL_C_VERSION__; }

//# accept: __OPENCL_VERSION__ is the version of the device, whatever the language
//# options: -cl-std=CL1.1
//# expect: 1
kernel void test(global uint *out) { out[0] = __OPENCL_VERSION__ >= 300; }

//# accept: the macros of OpenCL C 1.0, with the names of all versions
//# options: -cl-std=CL1.0
//# expect: 100 110 120 200 300 310 100
kernel void test(global uint *out) {
    out[0] = CL_VERSION_1_0;
    out[1] = CL_VERSION_1_1;
    out[2] = CL_VERSION_1_2;
    out[3] = CL_VERSION_2_0;
    out[4] = CL_VERSION_3_0;
    out[5] = CL_VERSION_3_1;
    out[6] = __OPENCL_C_VERSION__;
}

//# accept: OpenCL C 1.0 is compared with the names of versions
//# options: -cl-std=CL1.0
//# expect: 0 0 0 0 0
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = out[3] = out[4] = 0;
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_1
    out[0] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_2
    out[1] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_2_0
    out[2] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0
    out[3] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_1
    out[4] = 1;
#endif
}

//# accept: the macros of OpenCL C 1.1, with the names of all versions
//# options: -cl-std=CL1.1
//# expect: 100 110 120 200 300 310 110
kernel void test(global uint *out) {
    out[0] = CL_VERSION_1_0;
    out[1] = CL_VERSION_1_1;
    out[2] = CL_VERSION_1_2;
    out[3] = CL_VERSION_2_0;
    out[4] = CL_VERSION_3_0;
    out[5] = CL_VERSION_3_1;
    out[6] = __OPENCL_C_VERSION__;
}

//# accept: OpenCL C 1.1 is compared with the names of versions
//# options: -cl-std=CL1.1
//# expect: 1 0 0 0 0
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = out[3] = out[4] = 0;
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_1
    out[0] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_2
    out[1] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_2_0
    out[2] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0
    out[3] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_1
    out[4] = 1;
#endif
}

//# accept: the macros of OpenCL C 1.2, with the names of all versions
//# options: -cl-std=CL1.2
//# expect: 100 110 120 200 300 310 120
kernel void test(global uint *out) {
    out[0] = CL_VERSION_1_0;
    out[1] = CL_VERSION_1_1;
    out[2] = CL_VERSION_1_2;
    out[3] = CL_VERSION_2_0;
    out[4] = CL_VERSION_3_0;
    out[5] = CL_VERSION_3_1;
    out[6] = __OPENCL_C_VERSION__;
}

//# accept: OpenCL C 1.2 is compared with the names of versions
//# options: -cl-std=CL1.2
//# expect: 1 1 0 0 0
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = out[3] = out[4] = 0;
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_1
    out[0] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_2
    out[1] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_2_0
    out[2] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0
    out[3] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_1
    out[4] = 1;
#endif
}

//# accept: the macros of OpenCL C 3.0, with the names of all versions
//# options: -cl-std=CL3.0
//# expect: 100 110 120 200 300 310 300
kernel void test(global uint *out) {
    out[0] = CL_VERSION_1_0;
    out[1] = CL_VERSION_1_1;
    out[2] = CL_VERSION_1_2;
    out[3] = CL_VERSION_2_0;
    out[4] = CL_VERSION_3_0;
    out[5] = CL_VERSION_3_1;
    out[6] = __OPENCL_C_VERSION__;
}

//# accept: OpenCL C 3.0 is compared with the names of versions
//# options: -cl-std=CL3.0
//# expect: 1 1 1 1 0
kernel void test(global uint *out) {
    out[0] = out[1] = out[2] = out[3] = out[4] = 0;
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_1
    out[0] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_1_2
    out[1] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_2_0
    out[2] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0
    out[3] = 1;
#endif
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_1
    out[4] = 1;
#endif
}

//# accept: the macros of OpenCL C 2.0
//# options: -cl-std=CL2.0
//# expect: 200 110 1 0 2
kernel void test(global uint *out) {
    out[0] = __OPENCL_C_VERSION__;
    out[1] = CL_VERSION_1_1;
    out[2] = CLK_ENQUEUE_FLAGS_WAIT_KERNEL;
    out[3] = CLK_SUCCESS;
    out[4] = memory_scope_device;
}

//# reject: OpenCL C 3.1 is for devices with sub-groups
//# requires: !subgroups
//# options: -cl-std=CL3.1
//# error: 0: '-cl-std=CL3.1' needs OpenCL C 3.1 which this device does not offer
kernel void test(global uint *out) { }

//# accept: versions are integers that #if can compare
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0 && __OPENCL_C_VERSION__ > CL_VERSION_1_2
    out[0] = 1;
#endif
}

//# accept: the device is little endian
//# expect: 1 0x44
kernel void test(global uint *out) {
    out[0] = __ENDIAN_LITTLE__;
    uint x = 0x11223344;
    out[1] = *(private uchar *)&x;
}

//# accept: __ROUNDING_MODE__ is rte
//# options: -cl-std=CL1.0
//# expect: 114 116 101 0
#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
kernel void test(global uint *out) {
    constant char *mode = EXPANDED(__ROUNDING_MODE__);
    for (int i = 0; i < 4; i++)
        out[i] = mode[i];
}

//# accept: __kernel_exec declares a kernel with hints
//# expect: 1
__kernel_exec(16, float4) void test(global uint *out) { out[0] = 1; }

//# accept: so does kernel_exec
//# expect: 2
kernel_exec(16, int) void test(global uint *out) { out[0] = 2; }

//# accept: __IMAGE_SUPPORT__ is undefined where there are no images
//# requires: !images
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
#ifndef __IMAGE_SUPPORT__
    out[0] = 1;
#endif
}

//# accept: __IMAGE_SUPPORT__ is 1 where there are images
//# requires: images
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
    out[0] = __IMAGE_SUPPORT__;
}

//# accept: __FAST_RELAXED_MATH__ is undefined without -cl-fast-relaxed-math
//# options: -cl-unsafe-math-optimizations -cl-finite-math-only
//# expect: 1
kernel void test(global uint *out) {
#ifndef __FAST_RELAXED_MATH__
    out[0] = 1;
#endif
}

//# accept: __FAST_RELAXED_MATH__ is 1 with it
//# options: -cl-fast-relaxed-math
//# expect: 1
kernel void test(global uint *out) { out[0] = __FAST_RELAXED_MATH__; }

//# accept: NULL is a null pointer constant
//# options: -cl-std=CL3.0
//# expect: 1 1 1
kernel void test(global uint *out) {
    global uint *g = NULL;
    local int *l = NULL;
    out[0] = g == NULL;
    out[1] = !l;
    out[2] = out != NULL;
}

//# accept: the integer constant 0 and 0 as pointer to void are null pointer constants
//# expect: 1 1
kernel void test(global uint *out) {
    global uint *g = 0;
    constant int *c = (void *)0;
    out[0] = g == 0;
    out[1] = c == 0;
}

//# accept: __opencl_c_int64 tells of 64-bit integers since OpenCL C 3.0
//# requires: __opencl_c_int64
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) { out[0] = __opencl_c_int64; }

//# accept: feature macros are of OpenCL C 3.0 and newer
//# options: -cl-std=CL1.2
//# expect: 1
kernel void test(global uint *out) {
#if !defined __opencl_c_int64 && !defined __opencl_c_fp64
    out[0] = 1;
#endif
}

//# accept: __opencl_c_fp64 tells of double
//# requires: fp64
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) { out[0] = __opencl_c_fp64; }

//# accept: it is undefined where there is no double
//# requires: !fp64
//# options: -cl-std=CL3.0
//# expect: 1
kernel void test(global uint *out) {
#if !defined __opencl_c_fp64 && !defined cl_khr_fp64
    out[0] = 1;
#endif
}

//# accept: a feature macro that needs another comes with it
//# options: -cl-std=CL3.0
//# expect: 0
kernel void test(global uint *out) {
#if defined __opencl_c_device_enqueue && !(defined __opencl_c_generic_address_space && defined __opencl_c_program_scope_global_variables)
    out[0] = 1;
#endif
#if defined __opencl_c_pipes && !defined __opencl_c_generic_address_space
    out[0] = 2;
#endif
#if (defined __opencl_c_read_write_images || defined __opencl_c_3d_image_writes) && !defined __opencl_c_images
    out[0] = 3;
#endif
#if defined __opencl_c_integer_dot_product_input_4x8bit && !defined __opencl_c_integer_dot_product_input_4x8bit_packed
    out[0] = 4;
#endif
}

//# accept: C99's macros that OpenCL C has
//# expect: 1 1
kernel void test(global uint *out) {
    out[0] = __STDC_VERSION__ == 199901L;
    out[1] = sizeof(__DATE__) == 12 && sizeof(__TIME__) == 9;
}

//# reject: an #if needs its #endif
//# error: 1: unterminated conditional directive
#if 1
kernel void test(global uint *out) { }

//# reject: an #endif needs its #if
//# error: 2: #endif without #if
kernel void test(global uint *out) { }
#endif

//# reject: an #else needs its #if
//# error: 1: #else without #if
#else
kernel void test(global uint *out) { }

//# reject: nothing chooses after #else
//# error: 3: #elif after #else
#if 0
#else
#elif 1
#endif
kernel void test(global uint *out) { }

//# reject: #error is an error with its text
//# error: 2: "no such luck"
#if 1
#error "no such luck"
#endif
kernel void test(global uint *out) { }

//# reject: a directive must be known
//# error: 1: invalid preprocessing directive
#frobnicate
kernel void test(global uint *out) { }

//# reject: #include needs a file that exists
//# error: 1: 'missing.h' file not found
#include "missing.h"
kernel void test(global uint *out) { }

//# reject: a macro has as many arguments as parameters
//# error: 3: too few arguments provided to function-like macro invocation
//# error: 3: expected expression
#define ADD(a, b) ((a) + (b))
kernel void test(global uint *out) {
    out[0] = ADD(1);
}

//# reject: and no more
//# error: 3: too many arguments provided to function-like macro invocation
//# error: 3: expected expression
#define ADD(a, b) ((a) + (b))
kernel void test(global uint *out) {
    out[0] = ADD(1, 2, 3);
}

//# accept: another definition of a macro is reported and counts
//# warn: 2: 'N' macro redefined
//# expect: 2
#define N 1
#define N 2
kernel void test(global uint *out) { out[0] = N; }

//# reject: # stands before a parameter
//# error: 1: '#' is not followed by a macro parameter
#define BAD(x) #y
kernel void test(global uint *out) { }

//# reject: ## stands between two tokens
//# error: 1: '##' cannot appear at end of macro expansion
#define BAD(x) x ##
kernel void test(global uint *out) { }

//# reject: what ## makes is a token
//# error: 3: pasting formed '+-', an invalid preprocessing token
#define GLUE(a, b) a##b
kernel void test(global uint *out) {
    out[0] = 1 GLUE(+, -) 2;
}

//# reject: defined is no macro
//# error: 1: 'defined' cannot be used as a macro name
#define defined 1
kernel void test(global uint *out) { }

//# reject: #if needs an expression
//# error: 1: expected value in expression
#if
#endif
kernel void test(global uint *out) { }

//# reject: #if does not divide by zero
//# error: 1: division by zero in preprocessor expression
#if 1 / 0
#endif
kernel void test(global uint *out) { }

//# reject: #if knows no floating-point constants
//# error: 1: floating point literal in preprocessor expression
#if 1.0
#endif
kernel void test(global uint *out) { }

//# reject: messages tell the line that #line says
//# error: 41: use of undeclared identifier 'nothing'
kernel void test(global uint *out) {
#line 41
    out[0] = nothing;
}

//# reject: #line takes a number
//# error: 1: #line directive requires a positive integer argument
#line here
kernel void test(global uint *out) { }

//# accept: the macros of compilers of C are there
//# expect: 8 4 8 2147483647 1 2 4
kernel void test(global uint *out) {
    out[0] = __CHAR_BIT__;
    out[1] = sizeof(__UINT32_TYPE__);
    out[2] = sizeof(__SIZE_TYPE__);
    out[3] = __INT_MAX__;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && defined(__LITTLE_ENDIAN__) && __SIZEOF_POINTER__ == 8
    out[4] = (__FLT_MIN__ > 0) & (1 + __FLT_EPSILON__ > 1) & (__FLT_MAX__ == FLT_MAX);
#endif
    out[5] = sizeof(__INT16_TYPE__) == __SIZEOF_SHORT__ ? 2 : 0;
    out[6] = __SIZEOF_FLOAT__;
}
