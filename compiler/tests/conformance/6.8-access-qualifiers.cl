//! 6.8 Access Qualifiers

//# reject: read_only is reserved
//# error: 2: expected
kernel void test(global uint *out) {
    int read_only = 1;
}

//# reject: write_only is reserved
//# error: 2: expected
kernel void test(global uint *out) {
    int write_only = 1;
}

//# reject: read_write is reserved
//# error: 2: expected
kernel void test(global uint *out) {
    int read_write = 1;
}

//# reject: so are the names with underscores
//# error: 2: expected
kernel void test(global uint *out) {
    int __read_only = 1;
}

//# reject: access qualifiers are for images and pipes
//# error: 1: access qualifier can only be used for pipe and image type
kernel void other(read_only global int *p) { }
kernel void test(global uint *out) { }

//# accept: what is not an image needs no access qualifier: const says that it is read
//# expect: 3 4
void add(const global uint *a, global uint *b) {
    *b = *a + 1;
}
kernel void test(global uint *out) {
    out[0] = 3;
    add(out, out + 1);
}

//# reject: an image is passed on as what it is declared for
//# requires: images
//# error: 3: passing '__write_only image2d_t' to parameter of incompatible type '__read_only image2d_t'
void read(read_only image2d_t a) {}
kernel void f(write_only image2d_t a) {
    read(a);
}
kernel void test(global uint *out) { }

//# reject: an image has one access qualifier
//# requires: images
//# error: 1: multiple access qualifiers
kernel void f(read_only write_only image2d_t a) { }
kernel void test(global uint *out) { }

//# reject: read_write is of OpenCL C 2.0 and later
//# options: -cl-std=CL1.2
//# requires: images
//# error: 1: access qualifier 'read_write' can not be used for 'image2d_t' prior to OpenCL C version 2.0
kernel void f(read_write image2d_t a) { }
kernel void test(global uint *out) { }

//# accept: a name for an image type may be qualified
//# requires: images
//# expect: 5
typedef image2d_t picture;
kernel void f(read_only picture a, write_only picture b) {
    write_imagef(b, (int2)(0), read_imagef(a, (int2)(0)));
}
kernel void test(global uint *out) {
    out[0] = 5;
}
