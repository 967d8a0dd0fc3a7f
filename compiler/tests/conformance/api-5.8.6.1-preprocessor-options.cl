//! API 5.8.6.1 Preprocessor Options

//# accept: -D name defines a macro as 1
//# options: -D NAME
//# expect: 1
kernel void test(global uint *out) {
    out[0] = NAME;
}

//# accept: -D name=definition
//# options: -D NAME=5 -DOTHER=(NAME+2)
//# expect: 5 7
kernel void test(global uint *out) {
    out[0] = NAME;
    out[1] = OTHER;
}

//# accept: the definition is tokenized, and may be empty
//# options: -D PLUS=+ -D EMPTY=
//# expect: 3
kernel void test(global uint *out) {
    out[0] = 1 PLUS 2 EMPTY;
}

//# accept: options are processed in order: the last definition counts
//# options: -D NAME=1 -D NAME=2
//# expect: 2
kernel void test(global uint *out) {
    out[0] = NAME;
}

//# accept: -U takes a definition back
//# options: -D NAME=1 -U NAME
//# expect: 7
kernel void test(global uint *out) {
#ifndef NAME
    out[0] = 7;
#endif
}

//# accept: a program may undefine what an option defined
//# options: -D NAME=1
//# expect: 2
#undef NAME
#define NAME 2
kernel void test(global uint *out) {
    out[0] = NAME;
}

//# accept: -I names a folder for headers, which need not exist
//# options: -I /nowhere
//# expect: 1
kernel void test(global uint *out) {
    out[0] = 1;
}

//# reject: a header that no folder has
//# options: -I /nowhere
//# error: 1: 'absent.h' file not found
#include "absent.h"
kernel void test(global uint *out) {}

//# reject: -D needs a name
//# options: -D
//# invalid: option '-D' needs an operand
kernel void test(global uint *out) {}

//# reject: that is an identifier
//# options: -D 1=2
//# invalid: is not an identifier
kernel void test(global uint *out) {}
