"""Programs with images: linked, from binaries, cloned kernels, many arguments, offsets, whole algorithms."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_FLOAT, RGBA_INT, RGBA_UINT, Format
from imaging import EXACT_FILTERS, KINDS, MF, all_coordinates

D2, D3 = KINDS["2d"], KINDS["3d"]
SUM = """
int4 texel(read_only image2d_t im, sampler_t s, int2 p);
kernel void k(read_only image2d_t im, sampler_t s, global int4 *out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    out[p.y * get_image_width(im) + p.x] = texel(im, s, p) + texel(im, s, p + 1);
}"""
TEXEL = "int4 texel(read_only image2d_t im, sampler_t s, int2 p) { return read_imagei(im, s, p); }"


def check_sum(images, kernel, rng):
    m = images.m
    texels = rng.integers(-1000, 1000, (1, 11, 17, 4), np.int32)
    out = m.empty(texels.nbytes)
    kernel(m.queue, (17, 11), None, images.create(D2, RGBA_INT, texels=texels), images.sampler("CLAMP_TO_EDGE"), out)
    expected = texels + np.pad(texels, ((0, 0), (0, 1), (0, 1), (0, 0)), "edge")[:, 1:, 1:]
    np.testing.assert_array_equal(m.read(out, np.int32, texels.shape), expected)


def test_linked_programs(images, m, rng):
    """A function that takes an image and a sampler comes from another program."""
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    parts = [cl.Program(m.context, source) for source in (SUM, TEXEL)]
    for part in parts:
        part.compile()
    check_sum(images, cl.Kernel(cl.link_program(m.context, parts), "k"), rng)


def test_programs_of_binaries(images, m, rng):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    binary = cl.Program(m.context, TEXEL + SUM).build().get_info(cl.program_info.BINARIES)[0]
    program = cl.Program(m.context, [m.device], [binary]).build()
    check_sum(images, cl.Kernel(program, "k"), rng)


def test_a_cloned_kernel_keeps_its_images(images, m, rng):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    kernel = cl.Kernel(images.program(TEXEL + SUM), "k")
    some = rng.integers(-99, 99, (2, 1, 4, 4, 4), np.int32)
    # A kernel does not keep its arguments alive; launches do.
    outs, sampler = [m.empty(256) for _ in some], images.sampler("CLAMP")
    both = [images.create(D2, RGBA_INT, texels=texels) for texels in some]
    kernel.set_args(both[0], sampler, outs[0])
    clone = kernel.clone()
    kernel.set_arg(0, both[1])
    kernel.set_arg(2, outs[1])
    for each in (kernel, clone):
        cl.enqueue_nd_range_kernel(m.queue, each, (4, 4), None)
    for texels, out in zip(some, outs):
        expected = texels[0] + np.pad(texels[0], ((0, 1), (0, 1), (0, 0)))[1:, 1:]
        np.testing.assert_array_equal(m.read(out, np.int32, (4, 4, 4)), expected)


def test_images_among_many_arguments(images, m, rng):
    """Numbers, vectors, structures, pointers and local memory around images and samplers."""
    images.need(D2, RGBA_FLOAT)
    program = images.program("""
        typedef struct { float k; int2 shift; } params;
        kernel void k(char a, read_only image2d_t from, double_or_float b, global float *sum, sampler_t s,
                      params p, write_only image2d_t to, local float *tile, float16 wide, uchar3 small)
        {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            tile[get_local_id(0)] = read_imagef(from, s, at + p.shift).x;
            barrier(CLK_LOCAL_MEM_FENCE);
            float v = tile[get_local_size(0) - 1 - get_local_id(0)];
            write_imagef(to, at, (float4)(v * p.k, a, b, wide.sf + small.z));
            sum[at.y * get_global_size(0) + at.x] = v;
        }""".replace("double_or_float", "float"))
    texels = RGBA_FLOAT.random(rng, (1, 12, 16))
    params = np.zeros((), np.dtype({"names": ["k", "shift"], "formats": [np.float32, (np.int32, 2)],
                                    "offsets": [0, 8], "itemsize": 16}))
    params["k"], params["shift"] = 3, [1, -2]
    sums, target = m.empty(4 * 12 * 16), images.create(D2, RGBA_FLOAT, (1, 12, 16))
    wide, small = np.arange(16, dtype=np.float32), np.array([1, 2, 3, 0], np.uint8)
    program.k(m.queue, (16, 12), (8, 1), np.int8(-5), images.create(D2, RGBA_FLOAT, texels=texels), np.float32(2.5),
              sums, images.sampler("CLAMP"), params, target, cl.LocalMemory(32), wide, small)
    shifted = np.pad(texels[0, ..., 0], ((2, 0), (0, 1)))[:12, 1:17]
    turned = shifted.reshape(12, 2, 8)[..., ::-1].reshape(12, 16)
    np.testing.assert_array_equal(m.read(sums, np.float32, (12, 16)), turned)
    rest = np.broadcast_to(np.float32([-5, 2.5, 18]), (12, 16, 3))
    np.testing.assert_array_equal(images.get(target, RGBA_FLOAT, (1, 12, 16))[0],
                                  np.concatenate([3 * turned[..., None], rest], -1))


def test_global_offsets(images, m):
    images.need(D2, RGBA_UINT)
    image = images.create(D2, RGBA_UINT, texels=np.zeros((1, 11, 17, 4), np.uint32))
    program = images.program("""
        kernel void k(write_only image2d_t im)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imageui(im, p, (uint4)(p.x, p.y, get_global_offset(0), 1));
        }""")
    cl.enqueue_nd_range_kernel(m.queue, _with(program.k, image), (5, 4), None, global_work_offset=(3, 6))
    expected = np.zeros((11, 17, 4), np.uint32)
    y, x = np.indices((4, 5))
    expected[6:10, 3:8] = np.stack([x + 3, y + 6, 0 * x + 3, 0 * x + 1], -1)
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, (1, 11, 17))[0], expected)


def _with(kernel, *arguments):
    kernel.set_args(*arguments)
    return kernel


def test_a_kernel_without_images_in_a_program_with(images, m, rng):
    """Kernels of one program, launched by turns."""
    images.need(D2, RGBA_INT)
    program = images.program("""
        kernel void plain(global int4 *a) { a[get_global_id(0)] += 1; }
        kernel void reads(read_only image2d_t im, global int4 *a)
        { int i = get_global_id(0); a[i] += read_imagei(im, (int2)(i, 0)); }
        kernel void writes(write_only image2d_t im, global const int4 *a)
        { int i = get_global_id(0); write_imagei(im, (int2)(i, 0), a[i]); }""")
    plain, reads, writes = (cl.Kernel(program, name) for name in ("plain", "reads", "writes"))
    a = rng.integers(-99, 99, (8, 4), np.int32)
    buffer, image = m.buffer(a), images.create(D2, RGBA_INT, texels=a.reshape(1, 1, 8, 4))
    total, stored = a.copy(), a.copy()
    for _ in range(6):
        plain(m.queue, (8,), None, buffer)
        reads(m.queue, (8,), None, image, buffer)
        writes(m.queue, (8,), None, image, buffer)
        total = total + 1 + stored
        stored = total.copy()
    np.testing.assert_array_equal(m.read(buffer, np.int32, (8, 4)), total)
    np.testing.assert_array_equal(images.get(image, RGBA_INT, (1, 1, 8))[0, 0], stored)


@pytest.mark.parametrize("options", [(), ("-cl-std=CL1.2",), ("-cl-std=CL3.0",), ("-cl-opt-disable",),
                                     ("-cl-fast-relaxed-math",)], ids=lambda o: " ".join(o) or "none")
def test_options(images, m, rng, options):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    check_sum(images, cl.Kernel(images.program(TEXEL + SUM, options), "k"), rng)


def test_macros_of_images(images, m):
    """What the compiler says it has is what the device says."""
    out = m.empty(16)
    images.program("""
        kernel void k(global int *out)
        {
        #ifdef __IMAGE_SUPPORT__
            out[0] = __IMAGE_SUPPORT__;
        #endif
            out[1] = 0; out[2] = 0; out[3] = 0;
        #ifdef __opencl_c_images
            out[1] = 1;
        #endif
        #ifdef __opencl_c_read_write_images
            out[2] = 1;
        #endif
        #ifdef __opencl_c_3d_image_writes
            out[3] = 1;
        #endif
        }""", ("-cl-std=CL3.0",)).k(m.queue, (1,), None, out)
    has_3d = "cl_khr_3d_image_writes" in images.extensions
    has_read_write = bool(images.formats(D2, MF.KERNEL_READ_AND_WRITE))
    np.testing.assert_array_equal(m.read(out, np.int32, 4), [1, 1, has_read_write, has_3d])


def test_printf_beside_images(images, m, capfd):
    images.need(D2, RGBA_INT, MF.READ_ONLY)
    program = images.program("""
        kernel void k(read_only image2d_t im)
        { int4 v = read_imagei(im, (int2)(get_global_id(0), 0)); if (v.x == 5) printf("texel %v4d\\n", v); }""")
    texels = np.arange(20, dtype=np.int32).reshape(1, 1, 5, 4)
    texels[0, 0, 2, 0] = 5
    program.k(m.queue, (5,), None, images.create(D2, RGBA_INT, texels=texels))
    m.queue.finish()
    if m.is_hekla:
        assert capfd.readouterr().out == "texel 5,9,10,11\n"


def test_resizing_by_linear_sampling(images, m, rng):
    """As programs scale pictures: normalized coordinates, bytes in and out."""
    images.need(D2, RGBA_BYTES)
    program = images.program("""
        constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
        kernel void scale(read_only image2d_t from, write_only image2d_t to)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float2 at = (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(to));
            write_imagef(to, p, read_imagef(from, s, at));
        }""")
    texels = RGBA_BYTES.random(rng, (1, 20, 30))
    for width, height in [(60, 40), (15, 10), (45, 33)]:
        target = images.create(D2, RGBA_BYTES, (1, height, width))
        program.scale(m.queue, (width, height), None, images.create(D2, RGBA_BYTES, texels=texels), target)
        x = np.clip((np.arange(width) + 0.5) / width * 30 - 0.5, 0, 29)
        y = np.clip((np.arange(height) + 0.5) / height * 20 - 0.5, 0, 19)
        x0, y0 = np.minimum(x.astype(int), 28), np.minimum(y.astype(int), 18)
        a, b = (x - x0)[None, :, None], (y - y0)[:, None, None]
        t = texels[0].astype(np.float64)
        expected = (1 - b) * ((1 - a) * t[y0][:, x0] + a * t[y0][:, x0 + 1]) + \
            b * ((1 - a) * t[y0 + 1][:, x0] + a * t[y0 + 1][:, x0 + 1])
        got = images.get(target, RGBA_BYTES, (1, height, width))[0]
        np.testing.assert_allclose(got, expected, atol=0.61 if EXACT_FILTERS else 2.5)


def test_a_ray_through_a_volume(images, m, rng):
    """Samples a 3D image along slanted rays, in a loop that ends by what it finds."""
    form = Format("R", "FLOAT")
    images.need(D3, form, MF.READ_ONLY)
    program = images.program("""
        kernel void march(read_only image3d_t volume, sampler_t s, global float *out, global int *steps)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float4 at = (float4)(p.x + 0.5f, p.y + 0.5f, 0.5f, 0), along = (float4)(0.25f, 0.125f, 0.5f, 0);
            float sum = 0;
            int step = 0;
            for (; step < 60 && sum < 4; step++, at += along) sum += read_imagef(volume, s, at).x;
            out[p.y * 8 + p.x] = sum;
            steps[p.y * 8 + p.x] = step;
        }""")
    texels = (rng.integers(0, 8, (16, 8, 8, 1)) / 16).astype(np.float32)
    out, steps = m.empty(256), m.empty(256)
    program.march(m.queue, (8, 8), None, images.create(D3, form, texels=texels), images.sampler("CLAMP"), out, steps)
    for (y, x), sum_, count in zip(np.ndindex(8, 8), m.read(out, np.float32, 64), m.read(steps, np.int32, 64)):
        total, k = 0.0, 0
        while k < 60 and total < 4:
            i, j, n = (int(np.floor(v)) for v in (x + 0.5 + k / 4, y + 0.5 + k / 8, 0.5 + k / 2))
            total += float(texels[n, j, i, 0]) if i < 8 and j < 8 and n < 16 else 0
            k += 1
        assert (sum_, count) == (total, k)


def test_histogram_of_a_picture(images, m, rng):
    """Atomics in local and global memory beside image reads."""
    form = Format("R", "UNSIGNED_INT8")
    images.need(D2, form, MF.READ_ONLY)
    program = images.program("""
        kernel void count(read_only image2d_t im, global uint *bins)
        {
            local uint mine[256];
            int l = get_local_id(1) * get_local_size(0) + get_local_id(0);
            for (int i = l; i < 256; i += 64) mine[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            if (all(p < get_image_dim(im))) atomic_inc(&mine[read_imageui(im, p).x]);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = l; i < 256; i += 64) if (mine[i]) atomic_add(&bins[i], mine[i]);
        }""")
    texels = rng.integers(0, 256, (1, 45, 77, 1), np.uint8)
    bins = m.buffer(np.zeros(256, np.uint32))
    program.count(m.queue, (80, 48), (8, 8), images.create(D2, form, texels=texels), bins)
    np.testing.assert_array_equal(m.read(bins, np.uint32, 256), np.bincount(texels.ravel(), minlength=256))


def test_all_texels_are_each_work_items_own(images, rng):
    """A large launch writes every texel once; a read of all finds each where it belongs."""
    images.need(D2, RGBA_UINT)
    shape = (1, 500, 700)
    at = all_coordinates(shape)
    image = images.create(D2, RGBA_UINT, shape)
    images.store(image, D2, RGBA_UINT, rng.permutation(at), np.ones((len(at), 4), np.uint32))
    images.store(image, D2, RGBA_UINT, at, np.stack([at[:, 0], at[:, 1], at[:, 0] ^ at[:, 1], at[:, 0]], -1))
    got = images.fetch_all(image, D2, RGBA_UINT, shape)[0]
    y, x = np.indices((500, 700))
    np.testing.assert_array_equal(got, np.stack([x, y, x ^ y, x], -1))
