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
