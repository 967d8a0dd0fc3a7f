"""Accesses whose addresses contradict the alignment of their types: undefined, but programs have them, and processors allow them."""

import numpy as np
import pytest

# Blocks as those of quantized models: a scale, and bytes of which some are read as words.
BLOCKS = """
struct block { ushort scale; uchar high[4]; uchar low[16]; };
kernel void words(global const struct block *blocks, global uint *out)
{
    global const uchar *high = (global const uchar *)(blocks + get_global_id(0)) + 2;
    out[get_global_id(0)] = *(global const uint *)high;
}
kernel void write(global struct block *blocks, uint base)
{
    global uchar *high = (global uchar *)(blocks + get_global_id(0)) + 2;
    *(global uint *)high = base + get_global_id(0);
}
"""

# A record of two floats and vectors.
RECORDS = """
kernel void vectors(global const float *records, global TYPE *out)
{
    global const float *record = records + get_global_id(0) * STRIDE;
    out[get_global_id(0)] = *(global const TYPE *)(record + 2);
}
kernel void write(global float *records, global const TYPE *in)
{
    global float *record = records + get_global_id(0) * STRIDE;
    *(global TYPE *)(record + 2) = in[get_global_id(0)];
}
kernel void local_vectors(global const float *records, global TYPE *out)
{
    local float copy[64 * STRIDE];
    size_t i = get_local_id(0);
    for (int j = 0; j < STRIDE; j++) copy[i * STRIDE + j] = records[get_global_id(0) * STRIDE + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *(local const TYPE *)(copy + (i ^ 1) * STRIDE + 2);
}
"""


def test_words_in_a_structure_of_22_bytes(m, rng):
    program = m.build(BLOCKS)
    data = rng.integers(0, 256, (64, 22), np.uint8)
    expected = data[:, 2:6].copy().view(np.uint32).ravel()
    blocks, out = m.buffer(data), m.buffer(np.zeros(64, np.uint32))
    program.words(m.queue, (64,), None, blocks, out)
    assert (m.read(out, np.uint32, 64) == expected).all()
    program.write(m.queue, (64,), None, blocks, np.uint32(0x8081_8283))
    data[:, 2:6] = (0x8081_8283 + np.arange(64, dtype=np.uint32)).view(np.uint8).reshape(64, 4)
    assert (m.read(blocks, np.uint8, data.size) == data.ravel()).all()


@pytest.mark.parametrize("name, lanes", [("float2", 2), ("float4", 4), ("float8", 8)])
@pytest.mark.parametrize("stride", [10, 11, 13, 18])
def test_vectors_behind_two_floats(m, rng, name, lanes, stride):
    program = m.build(RECORDS.replace("TYPE", name), [f"-DSTRIDE={stride}"])
    data = rng.random((64, stride), np.float32)
    records, out = m.buffer(data), m.buffer(np.zeros((64, lanes), np.float32))
    program.vectors(m.queue, (64,), (64,), records, out)
    vectors = data[:, 2:2 + lanes]
    assert (m.read(out, np.float32, 64 * lanes) == vectors.ravel()).all()
    program.local_vectors(m.queue, (64,), (64,), records, out)
    swapped = vectors.reshape(32, 2, lanes)[:, ::-1]
    assert (m.read(out, np.float32, 64 * lanes) == swapped.ravel()).all()
    data[:, 2:2 + lanes] = rng.random((64, lanes), np.float32)
    program.write(m.queue, (64,), (64,), records, m.buffer(data[:, 2:2 + lanes].copy()))
    assert (m.read(records, np.float32, data.size) == data.ravel()).all()
