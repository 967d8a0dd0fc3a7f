//! 6.15.15.4 Built-in Image Write Functions

//# reject: they require image support
//# requires: !images
//# error: 2: use of 'write_imagef' requires image support which this device does not offer
//# error: 3: use of 'write_imagei' requires image support
//# error: 4: use of 'write_imageui' requires image support
kernel void test(global uint *out) {
    write_imagef(out, (int2)(0), (float4)(1));
    write_imagei(out, (int2)(0), (int4)(1));
    write_imageui(out, (int2)(0), (uint4)(1));
}

//# accept: without it a program may have its own
//# requires: !images
//# expect: 0 9
void write_imageui(global uint *image, int at, uint value) {
    image[at] = value;
}
kernel void test(global uint *out) {
    write_imageui(out, 1, 9);
}
