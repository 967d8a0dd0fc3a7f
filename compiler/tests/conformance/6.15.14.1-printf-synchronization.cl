//! 6.15.14.1 printf Output Synchronization

//# accept: what a kernel printed is there once it is complete
//# expect: 0
//# prints: 1
//# prints: 2
kernel void test(global uint *out) {
    printf("1\n");
    printf("2\n");
}

//# accept: output of one call is not torn by another's
//# global: 4
//# local: 2
//# expect: 0
//# prints: abcdefgh
//# prints: abcdefgh
//# prints: abcdefgh
//# prints: abcdefgh
kernel void test(global uint *out) {
    printf("%c%c%c%s%c\n", 'a', 'b', 'c', "defg", 'h');
}

//# reject: there is no stream to flush
//# error: 2: implicit declaration of function 'fflush' is invalid
kernel void test(global uint *out) {
    fflush(0);
}
