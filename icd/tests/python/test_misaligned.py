"""Accesses whose addresses contradict the alignment of their types: undefined, but programs have them, and processors allow them."""

import numpy as np
import pyopencl as cl
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


# Objects of private and local memory, whose bytes are found at places that only the launch knows.
OBJECTS = """
kernel void stores(global uchar *out, global const TYPE *in, uint at)
{
    SPACE uchar bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = i;
    *(SPACE TYPE *)(bytes + at) = in[0];
    for (int i = 0; i < 64; i++) out[i] = bytes[i];
}
kernel void loads(global TYPE *out, global const uchar *in, uint at)
{
    SPACE uchar bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = in[i];
    out[0] = *(SPACE TYPE *)(bytes + at);
}
kernel void words(global uchar *out, global const TYPE *in, uint at)
{
    SPACE uint words[16];
    for (int i = 0; i < 16; i++) words[i] = 0x03020100 + 0x04040404 * i;
    *(SPACE TYPE *)((SPACE uchar *)words + at) = in[0];
    for (int i = 0; i < 64; i++) out[i] = ((SPACE uchar *)words)[i];
}
kernel void rows(global uchar *out, global const TYPE *in, uint at)
{
    SPACE uchar bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = i;
    for (uint i = 0; i + sizeof(TYPE) + at <= 64; i += sizeof(TYPE)) *(SPACE TYPE *)(bytes + at + i) = in[0];
    for (int i = 0; i < 64; i++) out[i] = bytes[i];
}
kernel void walk(global uchar *out, global const TYPE *in, uint at)
{
    SPACE uchar bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = i;
    SPACE TYPE *p = (SPACE TYPE *)(bytes + at);
    for (uint i = (64 - at) / sizeof(TYPE); i > 0; i--) *p++ = in[0];
    for (int i = 0; i < 64; i++) out[i] = bytes[i];
}
"""


@pytest.mark.parametrize("space", ["private", "local"])
@pytest.mark.parametrize("name", ["ushort", "uint", "ulong", "float", "uint2", "ushort4", "ulong2", "float4"])
def test_objects_of_work_items_and_groups(m, rng, space, name):
    if not m.device.type & cl.device_type.CPU:
        pytest.skip("undefined, and only processors are exact")
    program = m.build(OBJECTS.replace("TYPE", name).replace("SPACE", space))
    stores, loads, words = program.stores, program.loads, program.words
    filling = [program.rows, program.walk]
    scalar, lanes = name.rstrip("24"), int(name[-1]) if name[-1] in "24" else 1
    size = lanes * {"ushort": 2, "uint": 4, "float": 4, "ulong": 8}[scalar]
    value, data = rng.integers(0, 256, size, np.uint8), rng.integers(0, 256, 64, np.uint8)
    places = [0, 1, 2, 3, 4, 6, 7, 8, 11, 64 - size]
    for at in places:
        stored = np.arange(64, dtype=np.uint8)
        stored[at:at + size] = value
        for kernel in [stores, words]:
            out = m.buffer(np.zeros(64, np.uint8))
            kernel(m.queue, (1,), None, out, m.buffer(value), np.uint32(at))
            assert (m.read(out, np.uint8, 64) == stored).all(), (kernel.function_name, at)
        out = m.buffer(np.zeros(size, np.uint8))
        loads(m.queue, (1,), None, out, m.buffer(data), np.uint32(at))
        assert (m.read(out, np.uint8, size) == data[at:at + size]).all(), at
        stored = np.arange(64, dtype=np.uint8)
        count = (64 - at) // size
        stored[at:at + count * size] = np.tile(value, count)
        for kernel in filling:
            out = m.buffer(np.zeros(64, np.uint8))
            kernel(m.queue, (1,), None, out, m.buffer(value), np.uint32(at))
            assert (m.read(out, np.uint8, 64) == stored).all(), (kernel.function_name, at)


def test_objects_of_callers(m):
    """Functions that are not inlined write where their callers' addresses are, also through others."""
    if not m.device.type & cl.device_type.CPU:
        pytest.skip("undefined, and only processors are exact")
    kernel = m.build("""
        __attribute__((noinline)) void put(uchar *place, ulong value) { *(ulong *)place = value; }
        __attribute__((noinline)) void twice(uchar *place, ulong value) { put(place, value); put(place + 9, ~value); }
        __attribute__((noinline)) ulong get(local uchar *place) { return *(local ulong *)place; }
        kernel void test(global ulong *out, uint n)
        {
            local uchar shared[32];
            ulong words[4] = {0, 0, 0, 0};
            twice((uchar *)words + n, 0x0807060504030201ul);
            for (int i = 0; i < 32; i++) shared[i] = i;
            for (int i = 0; i < 4; i++) out[i] = words[i];
            out[4] = get(shared + n);
        }""").test
    for at in range(12):
        out = m.empty(40)
        kernel(m.queue, (1,), None, out, np.uint32(at))
        got = m.read(out, np.uint8, 40)
        want = np.zeros(32, np.uint8)
        want[at:at + 8] = np.arange(1, 9)
        want[at + 9:at + 17] = ~np.arange(1, 9, dtype=np.uint8)
        assert (got[:32] == want).all(), at
        assert (got[32:] == np.arange(at, at + 8)).all(), at
