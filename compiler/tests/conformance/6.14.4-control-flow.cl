//! 6.14.4 Control Flow of Blocks

//# accept: loops, switches and goto work within a block
//# options: -cl-std=CL3.0
//# expect: 6 20 3
kernel void test(global uint *out) {
    out[0] = ^(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 9) break; s += i; } return s; }(4);
    out[1] = ^(int n) { switch (n) { case 1: return 10; default: return 20; } }(2);
    out[2] = ^{ int i = 0; again: if (++i < 3) goto again; return i; }();
}

//# accept: return leaves the block alone
//# options: -cl-std=CL3.0
//# expect: 1 2
kernel void test(global uint *out) {
    ^{ out[0] = 1; return; }();
    out[1] = 2;
}

//# accept: a label may have the name of one of the function
//# options: -cl-std=CL3.0
//# expect: 3
kernel void test(global uint *out) {
    ^{ goto end; end: out[0] = 3; }();
    goto end;
end:
    return;
}

//# reject: break does not escape the block
//# options: -cl-std=CL3.0
//# error: 2: 'break' statement not in loop or switch statement
kernel void test(global uint *out) {
    while (1) { ^{ break; }(); }
}

//# reject: continue does not escape the block
//# options: -cl-std=CL3.0
//# error: 2: 'continue' statement not in loop statement
kernel void test(global uint *out) {
    for (;;) { ^{ continue; }(); }
}

//# reject: goto does not escape the block
//# options: -cl-std=CL3.0
//# error: 2: use of undeclared label 'end'
kernel void test(global uint *out) {
    ^{ goto end; }();
end:
    return;
}

//# reject: nor does goto enter it
//# options: -cl-std=CL3.0
//# error: 2: use of undeclared label 'inside'
kernel void test(global uint *out) {
    goto inside;
    ^{ inside: return; }();
}

//# reject: a case in a block is none of a switch around it
//# options: -cl-std=CL3.0
//# error: 2: 'case' statement not in switch statement
kernel void test(global uint *out) {
    switch (out[0]) { default: ^{ case 1: return; }(); }
}
