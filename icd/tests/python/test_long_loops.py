"""Loops of more rounds than some drivers make (lavapipe of Mesa: 65,535, those of all loops together)."""

import numpy as np
import pyopencl as cl


def test_rounds_of_one_loop(m):
    program = m.build("""
        kernel void rounds(global uint *out, uint n)
        {
            uint made = 0, hash = 0;
            for (uint i = 0; i < n; i++) {
                made++;
                hash = hash * 1664525u + i;
                out[2 * get_global_id(0)] = made;
            }
            out[2 * get_global_id(0) + 1] = hash;
        }""")
    out = m.empty(2 * 4 * 16)
    n = 400_000
    program.rounds(m.queue, (16,), (8,), out, np.uint32(n))
    expected = 0
    for i in range(n):
        expected = (expected * 1664525 + i) & 0xffffffff
    np.testing.assert_array_equal(m.read(out, np.uint32, (16, 2)), [[n, expected]] * 16)


def test_loops_one_after_the_other(m):
    program = m.build("""
        kernel void loops(global uint *out, uint n)
        {
            uint i, j, k;
            for (i = 0; i < n; i++) out[3] = i;
            for (j = 0; j < 2 * n; j++) out[4] = j;
            for (k = 0; k < 3 * n; k++) out[5] = k;
            out[0] = i; out[1] = j; out[2] = k;
        }""")
    out = m.empty(4 * 6)
    program.loops(m.queue, (1,), None, out, np.uint32(60_000))
    found = m.read(out, np.uint32, 6)
    np.testing.assert_array_equal(found, [60_000, 120_000, 180_000, 59_999, 119_999, 179_999])


def test_ways_out_of_a_loop(m):
    program = m.build("""
        uint find(global const uchar *in, uint n, uint *skipped)
        {
            for (uint i = 0; i < n; i++) {
                if (in[i] == 1) { ++*skipped; continue; }
                if (in[i] == 2) break;
                if (in[i] == 3) return i;
            }
            return n;
        }
        kernel void leave(global const uchar *in, global uint *out, uint n)
        {
            uint g = get_global_id(0), skipped = 0;
            out[2 * g] = find(in + n * g, n, &skipped);
            out[2 * g + 1] = skipped;
        }""")
    n, items = 150_000, 8
    data = np.zeros((items, n), np.uint8)
    data[:, ::5] = 1
    ends = [(3, 149_001), (2, 149_001), (3, 99_998), (2, 3), (3, 2), (2, 65_536), (3, 131_072)]
    expected = []
    for row, (what, at) in zip(data, ends):
        row[at] = what
        expected.append((at if what == 3 else n, (row[:at] == 1).sum()))
    expected.append((n, n // 5))
    out = m.empty(2 * 4 * items)
    program.leave(m.queue, (items,), None, m.buffer(data), out, np.uint32(n))
    np.testing.assert_array_equal(m.read(out, np.uint32, (items, 2)), expected)


def test_loops_inside_of_others(m):
    program = m.build("""
        kernel void inside(global uint *out, uint n, uint inner)
        {
            uint known = 0, unknown = 0;
            for (uint i = 0; i < n; i++) {
                for (int k = 0; k < 40; k++) known += out[k & 3] + k;
                for (uint k = 0; k < inner; k++) { unknown += k ^ i; out[6] = k; }
            }
            out[4] = known;
            out[5] = unknown;
        }""")
    n, inner = 2_000, 100
    out = m.buffer(np.zeros(7, np.uint32))
    program.inside(m.queue, (1,), None, out, np.uint32(n), np.uint32(inner))
    unknown = (np.arange(inner)[None] ^ np.arange(n)[:, None]).sum()
    np.testing.assert_array_equal(m.read(out, np.uint32, 7)[4:], [n * 780, unknown, inner - 1])


def test_barriers_in_a_loop(m):
    program = m.build("""
        kernel void turns(global uint *out, uint n, local uint *place)
        {
            uint l = get_local_id(0), size = get_local_size(0);
            place[l] = l;
            for (uint i = 0; i < n; i++) {
                barrier(CLK_LOCAL_MEM_FENCE);
                uint next = place[(l + 1) % size];
                barrier(CLK_LOCAL_MEM_FENCE);
                place[l] = next + 1;
            }
            out[get_global_id(0)] = place[l];
        }""")
    n, size = 100_003, 16
    out = m.empty(4 * 2 * size)
    program.turns(m.queue, (2 * size,), (size,), out, np.uint32(n), cl.LocalMemory(4 * size))
    expected = np.tile((np.arange(size) + n) % size + n, 2)
    np.testing.assert_array_equal(m.read(out, np.uint32, 2 * size), expected)


def test_loops_that_end_by_what_memory_holds(m):
    """Also in groups that fill no vector of the processor."""
    program = m.build("""
        kernel void count(global uint *out, global uint *place)
        {
            uint i = get_global_id(0), rounds = 0;
            do { place[i] += 1; rounds++; } while (place[i] < 5);
            out[i] = 100 * rounds + place[i];
        }""")
    for size in (1, 3, 4, 8, 12, 16):
        out = m.empty(4 * size)
        program.count(m.queue, (size,), (size,), out, m.buffer(np.zeros(size, np.uint32)))
        np.testing.assert_array_equal(m.read(out, np.uint32, size), [505] * size)
