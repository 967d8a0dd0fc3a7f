"""Physics, fractals and random numbers."""

import numpy as np
import pyopencl as cl


def test_n_body_with_float4(m, rng):
    n = 128
    bodies = rng.random((n, 4)).astype(np.float32)
    program = m.build("""
        kernel void forces(global const float4 *bodies, global float4 *out, local float4 *tile)
        {
            float4 me = bodies[get_global_id(0)];
            float3 sum = (float3)(0.0f);
            for (int start = 0; start < get_global_size(0); start += get_local_size(0)) {
                tile[get_local_id(0)] = bodies[start + get_local_id(0)];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = 0; k < get_local_size(0); k++) {
                    float3 d = tile[k].xyz - me.xyz;
                    float inv = rsqrt(dot(d, d) + 0.01f);
                    sum += d * (tile[k].w * inv * inv * inv);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            out[get_global_id(0)] = (float4)(sum, 0.0f);
        }""")
    out = m.empty(bodies.nbytes)
    program.forces(m.queue, (n,), (32,), m.buffer(bodies), out, cl.LocalMemory(16 * 32))
    p, mass = bodies[:, :3].astype(np.float64), bodies[:, 3].astype(np.float64)
    d = p[None] - p[:, None]
    expected = (d * (mass[None] / ((d ** 2).sum(-1) + 0.01) ** 1.5)[..., None]).sum(1)
    result = m.read(out, np.float32, (n, 4))
    np.testing.assert_allclose(result[:, :3], expected, rtol=1e-3, atol=1e-3)
    assert not result[:, 3].any()


def test_mandelbrot_with_double(m):
    w, h, limit = 96, 64, 200
    program = m.build("""
        kernel void mandelbrot(global int *out, double x0, double y0, double dx, int limit)
        {
            int px = get_global_id(0), py = get_global_id(1);
            double cx = x0 + px * dx, cy = y0 + py * dx, x = 0, y = 0;
            int n = 0;
            for (; n < limit && x * x + y * y <= 4.0; n++) {
                double t = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = t;
            }
            out[py * get_global_size(0) + px] = n;
        }""", ["-cl-opt-disable"])
    out = m.empty(4 * w * h)
    x0, y0, dx = -2.2, -1.0, 3.0 / w
    program.mandelbrot(m.queue, (w, h), None, out, np.float64(x0), np.float64(y0), np.float64(dx),
                       np.int32(limit))
    c = (x0 + np.arange(w) * dx)[None] + 1j * (y0 + np.arange(h) * dx)[:, None]
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(limit):
        alive = np.abs(z) ** 2 <= 4.0
        n += alive
        z = np.where(alive, z * z + c, z)
    result = m.read(out, np.int32, (h, w))
    # Contraction may move a pixel on the very border of the set.
    assert np.count_nonzero(result != n) <= w * h // 100


def test_random_numbers_with_ulong(m):
    n = 1000
    program = m.build("""
        ulong next(ulong *state)
        {
            ulong z = (*state += 0x9E3779B97F4A7C15UL);
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
            return z ^ (z >> 31);
        }
        kernel void random(global ulong *out, ulong seed)
        {
            ulong state = seed + get_global_id(0) * 1000003UL;
            ulong sum = 0;
            for (int i = 0; i < 10; i++) sum += next(&state) >> 3;
            out[get_global_id(0)] = sum ^ (next(&state) % 1000000007UL);
        }""")
    out = m.empty(8 * n)
    program.random(m.queue, (n,), None, out, np.uint64(42))
    mask = (1 << 64) - 1

    def splitmix(state):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return state, z ^ (z >> 31)

    expected = []
    for i in range(n):
        state, total = (42 + i * 1000003) & mask, 0
        for _ in range(10):
            state, z = splitmix(state)
            total = (total + (z >> 3)) & mask
        state, z = splitmix(state)
        expected.append(total ^ (z % 1000000007))
    np.testing.assert_array_equal(m.read(out, np.uint64, n), np.array(expected, np.uint64))


def test_monte_carlo_pi(m):
    n = 4096
    program = m.build("""
        uint xorshift(uint x) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
        kernel void pi(global uint *hits)
        {
            uint state = (uint)get_global_id(0) * 2654435761u + 12345u, count = 0;
            for (int i = 0; i < 100; i++) {
                state = xorshift(state); float x = (state >> 8) * 0x1p-24f;
                state = xorshift(state); float y = (state >> 8) * 0x1p-24f;
                count += x * x + y * y < 1.0f;
            }
            atomic_add(hits, count);
        }""")
    hits = m.buffer(np.zeros(1, np.uint32))
    program.pi(m.queue, (n,), None, hits)
    assert abs(4 * m.read(hits, np.uint32, 1)[0] / (n * 100) - np.pi) < 0.02


def test_game_of_life(m, rng):
    h, w = 40, 56
    board = rng.integers(0, 2, (h, w)).astype(np.uint8)
    program = m.build("""
        kernel void life(global const uchar *in, global uchar *out)
        {
            int x = get_global_id(0), y = get_global_id(1);
            int w = get_global_size(0), h = get_global_size(1), n = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    if (dx == 0 && dy == 0) continue;
                    n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
                }
            out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]) ? 1 : 0;
        }""")
    life = cl.Kernel(program, "life")
    buffers = [m.buffer(board), m.empty(board.nbytes)]
    expected = board
    for step in range(5):
        life(m.queue, (w, h), None, buffers[step % 2], buffers[1 - step % 2])
        n = sum(np.roll(expected, (dy, dx), (0, 1))
                for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)
        expected = ((n == 3) | ((n == 2) & (expected == 1))).astype(np.uint8)
    np.testing.assert_array_equal(m.read(buffers[1], np.uint8, (h, w)), expected)


def test_elementary_functions(m, rng):
    x = rng.uniform(0.1, 3.0, 2000).astype(np.float32)
    program = m.build("""
        kernel void f(global const float *x, global float8 *out)
        {
            float v = x[get_global_id(0)];
            out[get_global_id(0)] = (float8)(sin(v), cos(v), exp(v), log(v), sqrt(v), pow(v, 1.5f),
                                             atan2(v, 2.0f), tanh(v));
        }""")
    out = m.empty(32 * x.size)
    program.f(m.queue, x.shape, None, m.buffer(x), out)
    d = x.astype(np.float64)
    expected = np.stack([np.sin(d), np.cos(d), np.exp(d), np.log(d), np.sqrt(d), d ** 1.5,
                         np.arctan2(d, 2.0), np.tanh(d)], axis=1)
    np.testing.assert_allclose(m.read(out, np.float32, (x.size, 8)), expected, rtol=2e-6, atol=4e-7)


def test_elementary_functions_double(m, rng):
    x = rng.uniform(0.1, 3.0, 500)
    program = m.build("""
        kernel void f(global const double *x, global double4 *out)
        {
            double v = x[get_global_id(0)];
            out[get_global_id(0)] = (double4)(sin(v), exp(v), log(v), sqrt(v));
        }""")
    out = m.empty(32 * x.size)
    program.f(m.queue, x.shape, None, m.buffer(x), out)
    expected = np.stack([np.sin(x), np.exp(x), np.log(x), np.sqrt(x)], axis=1)
    np.testing.assert_allclose(m.read(out, np.float64, (x.size, 4)), expected, rtol=1e-14, atol=1e-15)


def test_loops_that_start_with_constants(m):
    """Loops whose first values are constants, beside floats: drivers fold what they can."""
    program = m.build("""
        kernel void f(global float *out)
        {
            float x = 1; int n = 10;
            while (n > 0) { n = max(n - 3, 0); x *= 2; }
            out[0] = x;
            x = 1; uint left = 10;
            while (left) { uint step = min(left, 4u); left -= step; x *= 3; }
            out[1] = x; out[2] = remainder(1234.5f, 123.0f); out[3] = fmod(-1234.5f, 100.0f);
        }""")
    out = m.empty(16)
    program.f(m.queue, (1,), None, out)
    np.testing.assert_array_equal(m.read(out, np.float32, 4), [16, 27, 4.5, -34.5])
