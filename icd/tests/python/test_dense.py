"""Dense linear algebra and stencils."""

import numpy as np
import pyopencl as cl


def test_vector_add(m, rng):
    a, b = (rng.standard_normal(10007).astype(np.float32) for _ in range(2))
    program = m.build("""
        kernel void add(global const float *a, global const float *b, global float *c)
        { int i = get_global_id(0); c[i] = a[i] + b[i]; }""")
    c = m.empty(a.nbytes)
    program.add(m.queue, a.shape, None, m.buffer(a), m.buffer(b), c)
    np.testing.assert_array_equal(m.read(c, np.float32, a.shape), a + b)


def test_saxpy(m, rng):
    x, y = (rng.standard_normal(4096).astype(np.float32) for _ in range(2))
    program = m.build("""
        kernel void saxpy(float a, global const float *x, global float *y, uint n)
        { size_t i = get_global_id(0); if (i < n) y[i] += a * x[i]; }""")
    out = m.buffer(y)
    program.saxpy(m.queue, (4224,), (64,), np.float32(2.5), m.buffer(x), out, np.uint32(4096))
    expected = y + np.float32(2.5) * x
    np.testing.assert_allclose(m.read(out, np.float32, y.shape), expected, rtol=1e-6, atol=1e-6)


def test_tiled_matrix_product(m, rng):
    n, tile = 96, 8
    a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
    program = m.build("""
        kernel void matmul(global const float *a, global const float *b, global float *c, int n)
        {
            local float ta[TILE][TILE], tb[TILE][TILE];
            int col = get_global_id(0), row = get_global_id(1);
            int x = get_local_id(0), y = get_local_id(1);
            float sum = 0.0f;
            for (int t = 0; t < n; t += TILE) {
                ta[y][x] = a[row * n + t + x];
                tb[y][x] = b[(t + y) * n + col];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = 0; k < TILE; k++)
                    sum += ta[y][k] * tb[k][x];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            c[row * n + col] = sum;
        }""", [f"-DTILE={tile}"])
    c = m.empty(a.nbytes)
    program.matmul(m.queue, (n, n), (tile, tile), m.buffer(a), m.buffer(b), c, np.int32(n))
    np.testing.assert_allclose(m.read(c, np.float32, (n, n)), a @ b, rtol=1e-4, atol=1e-4)


def test_double_dot(m, rng):
    a, b = (rng.standard_normal(1 << 12) for _ in range(2))
    program = m.build("""
        #pragma OPENCL EXTENSION cl_khr_fp64 : enable
        kernel void dot_parts(global const double *a, global const double *b, global double *parts,
                              local double *sums)
        {
            int l = get_local_id(0), n = get_local_size(0);
            sums[l] = a[get_global_id(0)] * b[get_global_id(0)];
            for (int half_n = n / 2; half_n > 0; half_n /= 2) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (l < half_n) sums[l] += sums[l + half_n];
            }
            if (l == 0) parts[get_group_id(0)] = sums[0];
        }""")
    parts = m.empty(8 * 64)
    program.dot_parts(m.queue, a.shape, (64,), m.buffer(a), m.buffer(b), parts,
                      cl.LocalMemory(8 * 64))
    assert np.isclose(m.read(parts, np.float64, 64).sum(), a @ b, rtol=1e-12)


def test_stencil_five_point(m, rng):
    h, w = 65, 131
    a = rng.random((h, w)).astype(np.float32)
    program = m.build("""
        kernel void stencil(global const float *in, global float *out, int w, int h)
        {
            int x = get_global_id(0), y = get_global_id(1);
            float centre = in[y * w + x];
            float left = x > 0 ? in[y * w + x - 1] : centre;
            float right = x < w - 1 ? in[y * w + x + 1] : centre;
            float up = y > 0 ? in[(y - 1) * w + x] : centre;
            float down = y < h - 1 ? in[(y + 1) * w + x] : centre;
            out[y * w + x] = 0.25f * (left + right + up + down) - centre;
        }""")
    out = m.empty(a.nbytes)
    program.stencil(m.queue, (w, h), None, m.buffer(a), out, np.int32(w), np.int32(h))
    p = np.pad(a, 1, mode="edge")
    expected = np.float32(0.25) * (p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]) - a
    np.testing.assert_allclose(m.read(out, np.float32, a.shape), expected, atol=1e-6)


def test_sparse_matrix_vector(m, rng):
    n = 500
    dense = np.where(rng.random((n, n)) < 0.03, rng.standard_normal((n, n)), 0).astype(np.float32)
    rows, columns = np.nonzero(dense)
    values = dense[rows, columns]
    starts = np.searchsorted(rows, np.arange(n + 1)).astype(np.int32)
    x = rng.standard_normal(n).astype(np.float32)
    program = m.build("""
        kernel void spmv(global const int *starts, global const int *columns,
                         global const float *values, global const float *x, global float *y)
        {
            int row = get_global_id(0);
            float sum = 0;
            for (int k = starts[row]; k < starts[row + 1]; ++k)
                sum = mad(values[k], x[columns[k]], sum);
            y[row] = sum;
        }""")
    y = m.empty(4 * n)
    program.spmv(m.queue, (n,), None, m.buffer(starts), m.buffer(columns.astype(np.int32)),
                 m.buffer(values), m.buffer(x), y)
    np.testing.assert_allclose(m.read(y, np.float32, n), dense @ x, rtol=1e-4, atol=1e-4)


def test_transpose_through_local_memory(m, rng):
    h, w = 64, 96
    a = rng.integers(0, 1 << 30, (h, w), dtype=np.int32)
    program = m.build("""
        kernel __attribute__((reqd_work_group_size(16, 16, 1)))
        void transpose(global const int *in, global int *out, int w, int h)
        {
            local int tile[16][17];
            int lx = get_local_id(0), ly = get_local_id(1);
            int gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
            tile[ly][lx] = in[(gy + ly) * w + gx + lx];
            barrier(CLK_LOCAL_MEM_FENCE);
            out[(gx + ly) * h + gy + lx] = tile[lx][ly];
        }""")
    out = m.empty(a.nbytes)
    program.transpose(m.queue, (w, h), (16, 16), m.buffer(a), out, np.int32(w), np.int32(h))
    np.testing.assert_array_equal(m.read(out, np.int32, (w, h)), a.T)


def test_convolution_with_constant_filter(m, rng):
    x = rng.standard_normal(1000).astype(np.float32)
    program = m.build("""
        constant float weights[5] = { 0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f };
        kernel void blur(global const float *in, global float *out, int n)
        {
            int i = get_global_id(0);
            float sum = 0;
            for (int k = -2; k <= 2; k++)
                sum += weights[k + 2] * in[clamp(i + k, 0, n - 1)];
            out[i] = sum;
        }""")
    out = m.empty(x.nbytes)
    program.blur(m.queue, x.shape, None, m.buffer(x), out, np.int32(x.size))
    p = np.pad(x, 2, mode="edge")
    w = np.array([0.0625, 0.25, 0.375, 0.25, 0.0625], np.float32)
    expected = sum(w[k] * p[k:k + x.size] for k in range(5))
    np.testing.assert_allclose(m.read(out, np.float32, x.shape), expected, rtol=1e-5, atol=1e-6)
