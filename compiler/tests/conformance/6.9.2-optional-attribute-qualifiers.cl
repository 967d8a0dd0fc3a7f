//! 6.9.2 Optional Attribute Qualifiers

//# accept: vec_type_hint takes a built-in vector type
//# expect: 1
kernel __attribute__((vec_type_hint(float4))) void test(global uint *out) { out[0] = 1; }

//# accept: vec_type_hint takes a built-in scalar type
//# expect: 2
kernel __attribute__((vec_type_hint(int))) void test(global uint *out) { out[0] = 2; }

//# accept: vec_type_hint takes a type of two words
//# expect: 2
kernel __attribute__((vec_type_hint(unsigned int))) void test(global uint *out) { out[0] = 2; }

//# accept: vec_type_hint takes double where there is double
//# requires: fp64
//# expect: 3
kernel __attribute__((vec_type_hint(double))) void test(global uint *out) { out[0] = 3; }

//# accept: a hint is a hint: a kernel computes what it would without it
//# global: 3
//# expect: 0 1 4
kernel __attribute__((vec_type_hint(float16))) void test(global uint *out) {
    size_t i = get_global_id(0);
    out[i] = i * i;
}

//# accept: work_group_size_hint does not bind the launch
//# global: 6
//# local: 3
//# expect: 3 3 3 3 3 3
kernel __attribute__((work_group_size_hint(64, 1, 1))) void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# accept: reqd_work_group_size is the local size of the launch
//# global: 4
//# local: 4
//# expect: 4 4 4 4
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# accept: with Y and Z one, work_dim may be 1, 2 or 3
//# global: 2 2 1
//# local: 2 1 1
//# expect: 2 2 2 2
kernel __attribute__((reqd_work_group_size(2, 1, 1))) void test(global uint *out) {
    out[get_global_id(1) * 2 + get_global_id(0)] = get_local_size(0) * get_local_size(1);
}

//# accept: three dimensions
//# global: 2 2 2
//# local: 2 2 2
//# expect: 8 8 8 8 8 8 8 8
kernel __attribute__((reqd_work_group_size(2, 2, 2))) void test(global uint *out) {
    size_t n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    out[(get_local_id(2) * 2 + get_local_id(1)) * 2 + get_local_id(0)] = n;
}

//# accept: the operands are constant expressions
//# global: 8
//# local: 8
//# expect: 8 0 0 0 0 0 0 0
#define WIDTH 4
kernel __attribute__((reqd_work_group_size(2 * WIDTH, 1, 1))) void test(global uint *out) {
    if (get_local_id(0) == 0)
        out[0] = get_local_size(0);
}

//# accept: the three attributes go together, in one list or in several
//# global: 2
//# local: 2
//# expect: 2 2
kernel __attribute__((vec_type_hint(int4), work_group_size_hint(2, 1, 1)))
       __attribute__((reqd_work_group_size(2, 1, 1)))
void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# accept: attributes may stand in a declaration before the definition
//# global: 2
//# local: 2
//# expect: 2 2
kernel __attribute__((reqd_work_group_size(2, 1, 1))) void test(global uint *out);
kernel void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# accept: names of attributes may have underscores around them
//# global: 2
//# local: 2
//# expect: 2 2
kernel __attribute__((__reqd_work_group_size__(2, 1, 1))) void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}

//# reject: vec_type_hint takes no struct
//# error: 2: invalid attribute argument 'struct s' - expecting a vector or vectorizable scalar type
struct s { int x; };
kernel __attribute__((vec_type_hint(struct s))) void test(global uint *out) { }

//# reject: vec_type_hint takes no bool
//# error: 1: invalid attribute argument 'bool' - expecting a vector or vectorizable scalar type
kernel __attribute__((vec_type_hint(bool))) void test(global uint *out) { }

//# reject: vec_type_hint takes no void
//# error: 1: invalid attribute argument 'void' - expecting a vector or vectorizable scalar type
kernel __attribute__((vec_type_hint(void))) void test(global uint *out) { }

//# reject: vec_type_hint takes no pointer
//# error: 1: invalid attribute argument
kernel __attribute__((vec_type_hint(int *))) void test(global uint *out) { }

//# reject: vec_type_hint takes a type
//# error: 1: 'vec_type_hint' attribute requires a type
kernel __attribute__((vec_type_hint(4))) void test(global uint *out) { }

//# reject: reqd_work_group_size takes three operands
//# error: 1: 'reqd_work_group_size' attribute requires exactly 3 arguments
kernel __attribute__((reqd_work_group_size(4, 1))) void test(global uint *out) { }

//# reject: work_group_size_hint takes three operands
//# error: 1: 'work_group_size_hint' attribute requires exactly 3 arguments
kernel __attribute__((work_group_size_hint(4))) void test(global uint *out) { }

//# reject: a size is not zero
//# error: 1: 'reqd_work_group_size' attribute must be greater than 0
kernel __attribute__((reqd_work_group_size(4, 0, 1))) void test(global uint *out) { }

//# reject: a hint of a size is not zero
//# error: 1: 'work_group_size_hint' attribute must be greater than 0
kernel __attribute__((work_group_size_hint(0, 1, 1))) void test(global uint *out) { }

//# reject: a size is not negative
//# error: 1: 'reqd_work_group_size' attribute
kernel __attribute__((reqd_work_group_size(-1, 1, 1))) void test(global uint *out) { }

//# reject: a size is a constant
//# error: 2: 'reqd_work_group_size' attribute requires an integer constant
int n(void);
kernel __attribute__((reqd_work_group_size(n(), 1, 1))) void test(global uint *out) { }

//# reject: a size is an integer
//# error: 1: 'reqd_work_group_size' attribute requires an integer constant
kernel __attribute__((reqd_work_group_size(4.0f, 1, 1))) void test(global uint *out) { }

//# reject: reqd_work_group_size is for kernels
//# error: 1: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
__attribute__((reqd_work_group_size(4, 1, 1))) void f(void) { }
kernel void test(global uint *out) { f(); }

//# reject: work_group_size_hint is for kernels
//# error: 1: attribute 'work_group_size_hint' can only be applied to an OpenCL kernel function
__attribute__((work_group_size_hint(4, 1, 1))) void f(void) { }
kernel void test(global uint *out) { f(); }

//# reject: vec_type_hint is for kernels
//# error: 1: attribute 'vec_type_hint' can only be applied to an OpenCL kernel function
__attribute__((vec_type_hint(int))) void f(void) { }
kernel void test(global uint *out) { f(); }

//# accept: on a variable such an attribute says nothing
//# warn: 2: 'reqd_work_group_size' attribute only applies to functions
//# expect: 1
kernel void test(global uint *out) {
    __attribute__((reqd_work_group_size(4, 1, 1))) int x = 1;
    out[0] = x;
}

//# accept: of two different sizes the first counts
//# warn: 1: attribute 'reqd_work_group_size' is already applied with different arguments
//# global: 2
//# local: 2
//# expect: 2 2
kernel __attribute__((reqd_work_group_size(2, 1, 1))) __attribute__((reqd_work_group_size(4, 1, 1)))
void test(global uint *out) {
    out[get_global_id(0)] = get_local_size(0);
}
