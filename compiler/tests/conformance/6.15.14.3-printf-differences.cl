//! 6.15.14.3 Differences Between OpenCL C and C99 printf

//# accept: the result is 0, not the number of characters
//# expect: 0
//# prints: 12345
kernel void test(global uint *out) {
    out[0] = printf("12345\n");
}

//# accept: * as a field width is not supported: a warning
//# expect: 1
//# warn: 3: '*' is not supported by OpenCL C
kernel void test(global uint *out) {
    if (out[0])
        printf("%*d\n");
    out[0] = 1;
}

//# accept: nor are j and L
//# expect: 1
//# warn: 3: length modifier 'j' is not supported by OpenCL C
//# warn: 4: length modifier 'L' is not supported by OpenCL C
kernel void test(global uint *out) {
    if (out[0]) {
        printf("%jd\n");
        printf("%Lf\n");
    }
    out[0] = 1;
}

//# accept: a float is no double where there is none; it prints the same
//# expect: 0
//# prints: 0.1 0.100000001
kernel void test(global uint *out) {
    printf("%g %.9g\n", 0.1f, 0.1f);
}

//# accept: s is for literal strings: pointers to others are warned about
//# expect: 1
//# warn: 4: format specifies type '__constant char *' but the argument has type
kernel void test(global uint *out) {
    char p[] = "private";
    if (out[0])
        printf("%s\n", p);
    out[0] = 1;
}

//# reject: there are no other functions of stdio.h
//# error: 2: implicit declaration of function 'puts' is invalid
//# error: 3: implicit declaration of function 'sprintf' is invalid
kernel void test(global uint *out) {
    puts("x");
    sprintf(out, "x");
}
