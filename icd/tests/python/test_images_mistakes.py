"""Kernels with one mistake each in what they do with images and samplers (see test_mistakes.py)."""

import pytest
import raw
from test_mistakes import check

R = "kernel void f(read_only image2d_t im, sampler_t s, global float4 *v)\n{\n"
W = "kernel void f(write_only image2d_t im, global float4 *v)\n{\n"
NO_MATCH = r"no matching (overloaded )?function|no matching built-?in"

MISTAKES = {
    "a read of a write_only image": (W + "    v[0] = «read_imagef(im, (int2)(0, 0))»;\n}",
                                     NO_MATCH + r"|write_only|access"),
    "a write of a read_only image": (R + "    «write_imagef(im, (int2)(0, 0), v[0])»;\n}",
                                     NO_MATCH + r"|read_only|access"),
    "a coordinate of another size": (R + "    v[0] = «read_imagef(im, s, (int4)(0))»;\n}", NO_MATCH),
    "a float coordinate without a sampler": (R + "    v[0] = «read_imagef(im, (float2)(0, 0))»;\n}", NO_MATCH),
    "a buffer for an image": (R + "    v[0] = «read_imagef(v, s, (int2)(0, 0))»;\n}", NO_MATCH),
    "a colour of another type": (W + "    «write_imagef(im, (int2)(0, 0), \"text\")»;\n}", NO_MATCH),
    "an image that is a variable": (R + "    image2d_t «x»;\n}", r"image|cannot be|must be"),
    "an image in a structure": ("struct s { image2d_t «x»; };\n", r"image2d_t|field|member"),
    "an array of images": ("kernel void f(«read_only image2d_t x[2]») { }", r"image2d_t"),
    "a pointer to an image": ("kernel void f(«global image2d_t *x») { }", r"image2d_t|pointer"),
    "a result that is an image": ("«image2d_t g(read_only image2d_t im) { return im; }»", r"image2d_t"),
    "a sampler that is no constant": ("kernel void f(int a) { const «sampler_t s = a»; }",
                                      r"constant|sampler"),
    "a sampler in a structure": ("struct s { sampler_t «x»; };\n", r"sampler_t"),
    "a sum of samplers": ("kernel void f(sampler_t a, global int *v) { v[0] = «a + 1»; }", r"sampler_t"),
    "an access qualifier on a number": ("kernel void f(«read_only int a») { }", r"access qualifier|image"),
    "two access qualifiers": ("kernel void f(«read_only write_only image2d_t a») { }",
                              r"multiple access|access qualifier|conflict|duplicate"),
    "an image of another access": ("float4 g(write_only image2d_t a, int2 p) { write_imagef(a, p, 0); return 0; }\n"
                                   + R + "    v[0] = «g(im, (int2)(0, 0))»;\n}", r"incompatible|no matching|passing"),
    "an image of another kind": ("float4 g(read_only image3d_t a) { return read_imagef(a, (int4)(0)); }\n"
                                 + R + "    v[0] = «g(im)»;\n}", r"incompatible|no matching|passing"),
}


@pytest.fixture(scope="module")
def builder(cl_machine):
    return raw.Builder()


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(images, builder, m, name):
    check(builder, m, *MISTAKES[name])
