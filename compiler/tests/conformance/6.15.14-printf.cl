//! 6.15.14 printf

//# accept: it prints and returns 0
//# expect: 0
//# prints: Hello, world
kernel void test(global uint *out) {
    out[0] = printf("Hello, world\n");
}

//# accept: arguments beyond the format are evaluated and ignored
//# expect: 0 2
//# prints: 1
//# warn: 3: data argument not used by format string
kernel void test(global uint *out) {
    int i = 1;
    out[0] = printf("%d\n", i, i++);
    out[1] = i;
}

//# accept: from each work-item
//# global: 3
//# local: 3
//# expect: 0
//# prints: x
//# prints: x
//# prints: x
kernel void test(global uint *out) {
    printf("x\n");
}

//# accept: in functions, loops and conditional statements
//# expect: 0
//# prints: 0: zero
//# prints: 1: more
void tell(int i) {
    printf("%d: %s\n", i, i == 0 ? "zero" : "more");
}
kernel void test(global uint *out) {
    for (int i = 0; i < 2; i++)
        tell(i);
}

//# reject: the format is in the constant address space
//# error: 3: changes address space of pointer
//# error: 5: changes address space of pointer
kernel void test(global uint *out) {
    global char *g = (global char *)out;
    printf(g);
    char p[] = "private";
    printf(p);
}

//# accept: it is known when the program is compiled: else a warning
//# expect: 7
//# warn: 4: format string is not a string literal
kernel void test(global uint *out) {
    constant char *f = 0;
    if (out[0])
        printf(f);
    out[0] = 7;
}

//# reject: a format is an argument, and it is no number
//# error: 2: too few arguments to function call, expected at least 1, have 0
//# error: 3: incompatible integer to pointer conversion
kernel void test(global uint *out) {
    printf();
    printf(5);
}

//# reject: structs cannot be passed
//# error: 3: cannot pass an object of type 'struct s' to printf
kernel void test(global uint *out) {
    struct s { int a; } x = {1};
    printf("%d\n", x);
}

//# reject: printf requires OpenCL C 1.2
//# options: -cl-std=CL1.1
//# error: 2: implicit declaration of function 'printf' is invalid
kernel void test(global uint *out) {
    printf("x\n");
}

//# accept: so that its name is free before
//# options: -cl-std=CL1.1
//# expect: 5
int printf(int x) {
    return x + 1;
}
kernel void test(global uint *out) {
    out[0] = printf(4);
}
