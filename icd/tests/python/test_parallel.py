"""Parallel primitives: reductions, scans, sorting, histograms, atomics."""

import numpy as np
import pyopencl as cl


def test_reduction_in_local_memory(m, rng):
    a = rng.integers(-1000, 1000, 1 << 14, dtype=np.int32)
    program = m.build("""
        kernel void reduce(global const int *in, global int *out, local int *scratch)
        {
            int l = get_local_id(0);
            scratch[l] = in[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
                if (l < s) scratch[l] += scratch[l + s];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (l == 0) out[get_group_id(0)] = scratch[0];
        }""")
    groups = a.size // 128
    out = m.empty(4 * groups)
    program.reduce(m.queue, a.shape, (128,), m.buffer(a), out, cl.LocalMemory(4 * 128))
    expected = a.reshape(groups, 128).sum(axis=1)
    np.testing.assert_array_equal(m.read(out, np.int32, groups), expected)


def test_minimum_with_index(m, rng):
    a = rng.standard_normal(4096).astype(np.float32)
    program = m.build("""
        typedef struct { float value; int index; } best_t;
        best_t better(best_t a, best_t b) { return b.value < a.value ? b : a; }
        kernel void argmin(global const float *in, global best_t *out, int n)
        {
            local best_t scratch[64];
            int l = get_local_id(0);
            best_t best = { INFINITY, -1 };
            for (int i = l; i < n; i += 64) {
                best_t here;
                here.value = in[i];
                here.index = i;
                best = better(best, here);
            }
            scratch[l] = best;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 0) {
                for (int i = 1; i < 64; i++) best = better(best, scratch[i]);
                *out = best;
            }
        }""")
    out = m.empty(8)
    program.argmin(m.queue, (64,), (64,), m.buffer(a), out, np.int32(a.size))
    result = m.read(out, np.dtype([("value", np.float32), ("index", np.int32)]), 1)[0]
    assert result["index"] == a.argmin() and result["value"] == a.min()


def test_inclusive_scan(m, rng):
    a = rng.integers(0, 100, 256, dtype=np.uint32)
    program = m.build("""
        kernel void scan(global uint *data)
        {
            local uint buffer[2][256];
            uint l = get_local_id(0), from = 0;
            buffer[0][l] = data[l];
            for (uint step = 1; step < 256; step <<= 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                uint value = buffer[from][l];
                if (l >= step) value += buffer[from][l - step];
                from ^= 1;
                buffer[from][l] = value;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            data[l] = buffer[from][l];
        }""")
    data = m.buffer(a)
    program.scan(m.queue, (256,), (256,), data)
    np.testing.assert_array_equal(m.read(data, np.uint32, 256), np.cumsum(a))


def test_bitonic_sort(m, rng):
    a = rng.standard_normal(1 << 11).astype(np.float32)
    program = m.build("""
        kernel void exchange(global float *data, uint j, uint k)
        {
            uint i = get_global_id(0), other = i ^ j;
            if (other <= i) return;
            float x = data[i], y = data[other];
            if ((x > y) == ((i & k) == 0)) { data[i] = y; data[other] = x; }
        }""")
    exchange = cl.Kernel(program, "exchange")
    data = m.buffer(a)
    k = 2
    while k <= a.size:
        j = k // 2
        while j:
            exchange(m.queue, a.shape, None, data, np.uint32(j), np.uint32(k))
            j //= 2
        k *= 2
    np.testing.assert_array_equal(m.read(data, np.float32, a.shape), np.sort(a))


def test_histogram_with_local_and_global_atomics(m, rng):
    a = rng.integers(0, 256, 1 << 16).astype(np.uint8)
    program = m.build("""
        kernel void histogram(global const uchar *in, global uint *out, uint n)
        {
            local uint bins[256];
            for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) bins[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = get_global_id(0); i < n; i += get_global_size(0))
                atomic_inc(&bins[in[i]]);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
                atomic_add(&out[i], bins[i]);
        }""")
    out = m.buffer(np.zeros(256, np.uint32))
    program.histogram(m.queue, (512,), (64,), m.buffer(a), out, np.uint32(a.size))
    np.testing.assert_array_equal(m.read(out, np.uint32, 256), np.bincount(a, minlength=256))


def test_every_32_bit_atomic(m):
    program = m.build("""
        kernel void atomics(volatile global int *s, volatile global uint *u, global float *f,
                            global int *old)
        {
            int i = get_global_id(0);
            atomic_add(s + 0, i); atomic_sub(s + 1, i); atomic_inc(s + 2); atomic_dec(s + 3);
            atomic_min(s + 4, -i); atomic_max(s + 5, i);
            atomic_and(u + 0, ~(1u << (i & 31))); atomic_or(u + 1, 1u << (i & 31));
            atomic_xor(u + 2, i); atomic_min(u + 3, i + 5u); atomic_max(u + 4, i);
            atomic_xchg(f, 2.5f);
            old[i] = atomic_inc(s + 6);
            int seen;
            do { seen = s[7]; } while (atomic_cmpxchg(s + 7, seen, seen + 3) != seen);
        }""")
    n = 256
    s = m.buffer(np.zeros(8, np.int32))
    u = m.buffer(np.array([0xFFFFFFFF, 0, 0, 0xFFFFFFFF, 0], np.uint32))
    f, old = m.buffer(np.zeros(1, np.float32)), m.empty(4 * n)
    program.atomics(m.queue, (n,), None, s, u, f, old)
    total = n * (n - 1) // 2
    expected = [total, -total, n, -n, -(n - 1), n - 1, n, 3 * n]
    np.testing.assert_array_equal(m.read(s, np.int32, 8), expected)
    np.testing.assert_array_equal(m.read(u, np.uint32, 5), [0, 0xFFFFFFFF, 0, 5, n - 1])
    assert m.read(f, np.float32, 1)[0] == 2.5
    np.testing.assert_array_equal(np.sort(m.read(old, np.int32, n)), np.arange(n))


def test_stream_compaction(m, rng):
    a = rng.integers(0, 1000, 5000, dtype=np.int32)
    program = m.build("""
        kernel void keep(global const int *in, global int *out, global int *count)
        {
            int v = in[get_global_id(0)];
            if (v % 7 == 3) out[atomic_inc(count)] = v;
        }""")
    out, count = m.empty(a.nbytes), m.buffer(np.zeros(1, np.int32))
    program.keep(m.queue, a.shape, None, m.buffer(a), out, count)
    n = m.read(count, np.int32, 1)[0]
    kept = m.read(out, np.int32, a.shape)[:n]
    np.testing.assert_array_equal(np.sort(kept), np.sort(a[a % 7 == 3]))


def test_odd_even_sort_across_groups(m, rng):
    a = rng.integers(0, 1 << 31, 256, dtype=np.uint32)
    program = m.build("""
        kernel void exchange(global uint *data, uint odd, uint n)
        {
            uint i = 2 * get_global_id(0) + odd;
            if (i + 1 < n && data[i] > data[i + 1]) {
                uint t = data[i]; data[i] = data[i + 1]; data[i + 1] = t;
            }
        }""")
    exchange = cl.Kernel(program, "exchange")
    data = m.buffer(a)
    for phase in range(a.size):
        exchange(m.queue, (a.size // 2,), None, data, np.uint32(phase & 1), np.uint32(a.size))
    np.testing.assert_array_equal(m.read(data, np.uint32, a.shape), np.sort(a))
