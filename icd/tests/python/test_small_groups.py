"""Work-groups smaller than a sub-group of the hardware, of which several run as one where a kernel cannot tell."""

import numpy as np
import pyopencl as cl
import pytest

# Each value in a range of its own, so that one that takes another's place is noticed.
IDS = """
ulong at(void)
{
    ulong3 id = (ulong3)(get_global_id(0) - get_global_offset(0), get_global_id(1), get_global_id(2));
    return (id.z * get_global_size(1) + id.y) * get_global_size(0) + id.x;
}
kernel void ids(global uint8 *first, global uint8 *second)
{
    first[at()] = (uint8)(get_local_id(0), get_local_id(1), get_group_id(0), get_group_id(1), get_local_size(0),
                          get_local_size(1), get_num_groups(0), get_enqueued_local_size(0));
    second[at()] = (uint8)(get_global_id(0), get_global_id(1), get_local_linear_id(), get_global_linear_id(),
                           get_local_id(2), get_group_id(2), get_work_dim(), get_num_groups(1));
}
"""


@pytest.mark.parametrize("size, local, offset", [
    ((4096,), (1,), 0), ((4096,), (2,), 5), ((4100,), (4,), 0), ((10_007,), (1,), 0), ((3003,), (3,), 1 << 20),
    ((9000,), (5,), 0), ((3007,), (3,), 7), ((70_000,), (1,), 0), ((512, 16), (1, 1), 0), ((513, 16), (1, 2), 3),
    ((96, 10, 4), (3, 1, 1), 0), ((1, 4096), (1, 1), 0), ((300, 30), (1, 7), 0),
])
def test_ids(m, size, local, offset):
    options = ["-cl-std=CL3.0"]
    program = cl.Program(m.context, IDS).build(options)
    total, dims = int(np.prod(size)), len(size)
    first, second = m.empty(32 * total), m.empty(32 * total)
    program.ids(m.queue, size, local, first, second, global_offset=(offset,) + (0,) * (dims - 1))
    full, group = size + (1,) * (3 - dims), local + (1,) * (3 - dims)
    z, y, x = (axis.ravel() for axis in np.meshgrid(*(np.arange(n) for n in full[::-1]), indexing="ij"))
    counts = [-(-n // k) for n, k in zip(full, group)]
    # The last work-group of a dimension may be smaller (API 5.8).
    sizes = [np.minimum(k, n - i // k * k) for n, k, i in zip(full, group, (x, y, z))]
    linear = (z % group[2] * sizes[1] + y % group[1]) * sizes[0] + x % group[0]
    expected = np.stack([x % group[0], y % group[1], x // group[0], y // group[1], sizes[0], sizes[1],
                         x * 0 + counts[0], x * 0 + group[0]], axis=1)
    np.testing.assert_array_equal(m.read(first, np.uint32, (total, 8)), expected)
    expected = np.stack([x + offset, y, linear, (z * full[1] + y) * full[0] + x, z % group[2], z // group[2],
                         x * 0 + dims, x * 0 + counts[1]], axis=1)
    np.testing.assert_array_equal(m.read(second, np.uint32, (total, 8)), expected.astype(np.uint32))


@pytest.mark.parametrize("local", [(1,), (4,)])
def test_work_groups_have_their_own_local_memory_and_barriers(m, local):
    program = m.build("""
        kernel void k(global const int *in, global int *out) {
            local int cell[4];
            size_t i = get_local_id(0), n = get_local_size(0);
            cell[i] = in[get_global_id(0)];
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = cell[n - 1 - i];
        }""")
    n = 8192
    values = np.arange(n, dtype=np.int32)
    given, out = m.buffer(values), m.empty(4 * n)
    program.k(m.queue, (n,), local, given, out)
    expected = values.reshape(-1, local[0])[:, ::-1].ravel()
    np.testing.assert_array_equal(m.read(out, np.int32, n), expected)


@pytest.mark.parametrize("take, give", [
    ("while (atomic_cmpxchg(lock, 0, 1)) ;", "atomic_xchg(lock, 0);"),
    ("while (atomic_xchg(lock, 1)) ;", "atomic_xchg(lock, 0);"),
    ("int mine = atomic_inc(lock); while (atomic_or(lock + 1, 0) != mine) ;", "atomic_inc(lock + 1);"),
    ("int mine = atomic_inc(lock); while (*(volatile global int *)(lock + 1) != mine) mem_fence(CLK_GLOBAL_MEM_FENCE);",
     "atomic_inc(lock + 1);"),
])
def test_one_work_item_a_group_may_wait_for_another(m, take, give):
    """OpenCL promises no progress, but programs count on it where each work-group has one work-item."""
    program = m.build(f"""
        kernel void k(volatile global int *lock, volatile global int *sum) {{
            {take}
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            *sum = *sum + 1;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            {give}
        }}""")
    n = 2048
    lock, total = m.buffer(np.zeros(2, np.int32)), m.buffer(np.zeros(1, np.int32))
    program.k(m.queue, (n,), (1,), lock, total)
    assert m.read(total, np.int32, 1)[0] == n


def test_a_histogram_by_work_groups_of_one(m):
    program = m.build("""
        kernel void k(global const uchar *in, global uint *bins, global uint *last) {
            uint bin = in[get_group_id(0)];
            atomic_inc(bins + bin);
            atomic_max(last + bin, (uint)get_group_id(0));
        }""")
    values = np.random.default_rng(5).integers(0, 256, 50_000).astype(np.uint8)
    bins, last = m.buffer(np.zeros(256, np.uint32)), m.buffer(np.zeros(256, np.uint32))
    program.k(m.queue, (len(values),), (1,), m.buffer(values), bins, last)
    np.testing.assert_array_equal(m.read(bins, np.uint32, 256), np.bincount(values, minlength=256))
    expected = np.zeros(256, np.uint32)
    np.maximum.at(expected, values, np.arange(len(values), dtype=np.uint32))
    np.testing.assert_array_equal(m.read(last, np.uint32, 256), expected)
