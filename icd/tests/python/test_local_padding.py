"""Arrays in work-group memory that are accessed by columns, which the compiler pads: every element must still be its own."""

import numpy as np
import pyopencl as cl
import pytest

TRANSPOSE = """
kernel %(attribute)s void transpose(global const %(type)s *in, global %(type)s *out)
{
    local %(type)s tile[%(rows)d][%(columns)d];
    const %(index)s x = get_local_id(0), y = get_local_id(1), group = get_group_id(0) * %(rows)d * %(columns)d;
    for (%(index)s i = y; i < %(rows)d; i += get_local_size(1))
        for (%(index)s j = x; j < %(columns)d; j += get_local_size(0)) tile[i][j] = in[group + i * %(columns)d + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (%(index)s j = y; j < %(columns)d; j += get_local_size(1))
        for (%(index)s i = x; i < %(rows)d; i += get_local_size(0)) out[group + j * %(rows)d + i] = tile[i][j];
}
"""


@pytest.mark.parametrize("index", ["int", "size_t", "short"])
@pytest.mark.parametrize("local_size", [(16, 16), (32, 4), (8, 8)])
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("shape", [(32, 32), (16, 64), (64, 32), (32, 16)])
@pytest.mark.parametrize("type", ["float", "ulong"])
def test_transposition(m, type, shape, required, local_size, index):
    rows, columns = shape
    attribute = f"__attribute__((reqd_work_group_size({local_size[0]}, {local_size[1]}, 1)))" if required else ""
    names = {"type": type, "rows": rows, "columns": columns, "attribute": attribute, "index": index}
    kernel = cl.Kernel(m.build(TRANSPOSE % names), "transpose")
    groups, dtype = 3, {"float": np.float32, "ulong": np.uint64}[type]
    data = np.arange(groups * rows * columns).astype(dtype).reshape(groups, rows, columns)
    source, result = m.buffer(data), m.buffer(np.zeros_like(data))
    kernel(m.queue, (groups * local_size[0], local_size[1]), local_size, source, result)
    expected = data.transpose(0, 2, 1)
    assert (m.read(result, dtype, data.size).reshape(expected.shape) == expected).all()


ROTATIONS = """
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void rotations(global const uint *in, global uint *out, int shift)
{
    local uint a[64 * 32];
    local uint between[64];
    local uint b[32][64];
    const int id = get_local_id(0);
    between[id] = id;
    for (int i = 0; i < 32; i++) {
        a[id * 32 + ((i + shift) & 31)] = in[get_group_id(0) * 2048 + id * 32 + i];
        b[i][63 - id] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // By columns, from the end, with constants on either side of an index that is negative at times.
    for (int i = -32; i < 0; i++) atomic_add(&b[i + 32][id], a[(64 - id) * 32 + i] + between[63 - id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++) atomic_xchg(&a[id * 32 + i * 4 + 3], b[i * 4 + 3][id]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 32; i++) out[get_group_id(0) * 2048 + i * 64 + id] = a[id * 32 + i] ^ b[i][id];
}
"""


@pytest.mark.parametrize("shift", [0, 5, -7])
def test_atomics_and_negative_indices(m, shift):
    kernel = cl.Kernel(m.build(ROTATIONS), "rotations")
    data = np.random.default_rng(3).integers(0, 2**32, (2, 64, 32), np.uint32)
    source, result = m.buffer(data), m.buffer(np.zeros_like(data))
    kernel(m.queue, (128,), (64,), source, result, np.int32(shift))
    a = np.roll(data, shift, axis=2)
    ids = np.arange(64, dtype=np.uint32)
    b = (a[:, ::-1, :] + ids[::-1][None, :, None]).transpose(0, 2, 1)
    a[:, :, 3::4] = b.transpose(0, 2, 1)[:, :, 3::4]
    expected = a.transpose(0, 2, 1) ^ b
    assert (m.read(result, np.uint32, data.size).reshape(expected.shape) == expected).all()


FULL = """
kernel void full(global uint *out)
{
    local uint all[%(words)d];
    const uint id = get_local_id(0);
    for (uint i = 0; i < 64; i++) all[id * 64 + i] = id + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < 64; i++) sum += all[i * %(stride)d + id];
    out[id] = sum;
}
"""


def test_memory_is_padded_only_where_there_is_enough(m):
    words = m.device.local_mem_size // 4
    items = min(words // 64, 64)
    kernel = cl.Kernel(m.build(FULL % {"words": words, "stride": items}), "full")
    result = m.buffer(np.zeros(items, np.uint32))
    kernel(m.queue, (items,), (items,), result)
    assert kernel.get_work_group_info(cl.kernel_work_group_info.LOCAL_MEM_SIZE, m.device) <= 4 * words
    all_words = (np.arange(items)[:, None] + np.arange(64)[None, :]).ravel()
    expected = all_words[: 64 * items].reshape(64, items).sum(axis=0)
    assert (m.read(result, np.uint32, items) == expected).all()
