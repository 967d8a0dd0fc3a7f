//! 6.7.6 Usage for Declaration Scopes and Variable Types

//# accept: pointers of program scope to global memory
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# expect: 5 5
global uint baz = 5;
global uint *global ptr = &baz;
global uint *constant cptr = &baz;
kernel void test(global uint *out) {
    out[0] = *ptr;
    out[1] = *cptr;
}

//# accept: local and constant variables in the outermost scope of a kernel
//# expect: 3
kernel void test(global uint *out) {
    private uint a = 1;
    local uint b;
    constant uint c = 2;
    b = a + c;
    out[0] = b;
}

//# reject: local variables are not declared in inner scopes
//# error: 3: variables in the local address space can only be declared in the outermost scope of a kernel function
kernel void test(global uint *out) {
    if (out[0]) {
        local float c;
    }
}

//# reject: nor in functions that are no kernels
//# error: 1: non-kernel function variable cannot be declared in local address space
void f(void) { local int x; }
kernel void test(global uint *out) { f(); }

//# reject: program scope variables are constant before OpenCL C 2.0
//# options: -cl-std=CL1.2
//# error: 1: program scope variable must reside in constant address space
global int x;
kernel void test(global uint *out) { }

//# reject: a pointer to constant does not point to global memory
//# options: -cl-std=CL3.0
//# requires: program_scope_global_variables
//# error: 2: changes address space of pointer
global int baz;
constant int *global ptr = &baz;
kernel void test(global uint *out) { }

//# accept: the name of an array whose length its initializer gives is known in that initializer
//# expect: 6 3 5
typedef struct node { int value; struct node *next; } node;
kernel void test(global uint *out)
{
    node nodes[] = {{1, 0}, {2, nodes}, {3, nodes + 1}};
    int sum = 0;
    for (node *it = &nodes[2]; it; it = it->next)
        sum += it->value;
    out[0] = sum;
    out[1] = sizeof nodes / sizeof *nodes;
    int nodes_of_five[] = {sizeof *nodes_of_five + 1};
    out[2] = nodes_of_five[0];
}

//# reject: its size is not
//# error: 3: invalid application of 'sizeof' to an incomplete type
kernel void test(global uint *out)
{
    int values[] = {1, sizeof values};
    out[0] = values[1];
}
