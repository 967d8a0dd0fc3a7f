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


# Each element of local memory holds a value of its work-group, so that one of another's is noticed.
LOCAL = """
#define GROUP (uint)get_group_id(0)
#define AT (uint)get_local_id(0)
#define SIZE (uint)get_local_size(0)

kernel void variable(global uint *out, uint n) {
    local uint cells[8][5];
    for (uint i = 0; i < 5; i++) cells[AT][i] = GROUP * 1000 + AT * 10 + i;
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum = sum * 3 + cells[AT][(i * 7 + AT) % 5];
    out[get_global_id(0)] = sum;
}
kernel void argument(global uint *out, uint n, local uint *cells) {
    for (uint i = 0; i < 5; i++) cells[AT * 5 + i] = GROUP * 1000 + AT * 10 + i;
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum = sum * 3 + cells[AT * 5 + (i * 7 + AT) % 5];
    out[get_global_id(0)] = sum;
}
kernel void all(global uint *out, uint n, local uint *first, local uint *second) {
    local uint cells[3];
    if (AT == 0) cells[GROUP % 3] = GROUP * 1000;
    for (uint i = 0; i < 5; i++) (i & 1 ? first : second)[AT * 5 + i] = GROUP * 1000 + AT * 10 + i;
    uint sum = 0;
    for (uint i = 0; i < n; i++) {
        uint at = (i * 7 + AT) % 5;
        sum = sum * 3 + (at & 1 ? first : second)[AT * 5 + at];
    }
    out[get_global_id(0)] = AT == 0 ? sum + cells[GROUP % 3] - GROUP * 1000 : sum;
}
__attribute__((noinline)) void fill(local uint *cells, uint first) {
    for (uint i = 0; i < 5; i++) cells[i] = first + i;
}
__attribute__((noinline)) uint cell(local const uint *cells, uint at) { return cells[at % 5]; }
kernel void passed(global uint *out, uint n, local uint *given) {
    local uint own[8 * 5];
    local uint *cells = (GROUP & 1 ? given : own) + AT * 5;
    fill(cells, GROUP * 1000 + AT * 10);
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum = sum * 3 + cell(cells, i * 7 + AT);
    out[get_global_id(0)] = sum;
}
kernel void generic_pointers(global uint *out, uint n, local uint *given) {
    local uint own[8 * 5];
    uint mine[5];
    for (uint i = 0; i < 5; i++) own[AT * 5 + i] = given[AT * 5 + i] = mine[i] = GROUP * 1000 + AT * 10 + i;
    local uint *shared = (GROUP % 3 == 1 ? given : own) + AT * 5;
    uint *cells = GROUP % 3 == 0 ? (uint *)mine : (uint *)shared;
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum = sum * 3 + cells[(i * 7 + AT) % 5];
    out[get_global_id(0)] = sum;
}
kernel void bytes(global uint *out, uint n) {
    local uchar cells[8 * 20];
    local uint *words = (local uint *)cells;
    for (uint i = 0; i < 5; i++) words[AT * 5 + i] = GROUP * 1000 + AT * 10 + i;
    uint sum = 0;
    for (uint i = 0; i < n; i++) {
        uint at = AT * 20 + (i * 7 + AT) % 5 * 4;
        sum = sum * 3 + (cells[at] | cells[at + 1] << 8 | cells[at + 2] << 16 | cells[at + 3] << 24);
    }
    out[get_global_id(0)] = sum;
}
kernel void longs(global uint *out, uint n, local ulong *given) {
    local ushort halves[8 * 5 * 4];
    local ulong *own = (local ulong *)halves;
    for (uint i = 0; i < 5; i++)
        own[AT * 5 + i] = given[AT * 5 + i] = upsample(GROUP * 1000, AT * 10 + i);
    uint sum = 0;
    for (uint i = 0; i < n; i++) {
        uint at = AT * 5 + (i * 7 + AT) % 5;
        sum = sum * 3 + (uint)(given[at] >> 32) + (uint)own[at] + (halves[at * 4] ^ (uint)own[at]);
    }
    out[get_global_id(0)] = sum;
}
kernel void atomics(global uint *out, uint n, local uint *cells) {
    for (uint i = 0; i < 5; i++) cells[AT * 5 + i] = 0;
    for (uint i = 0; i < 5; i++) atomic_add(cells + AT * 5 + i, GROUP * 1000 + AT * 10 + i);
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum = sum * 3 + cells[AT * 5 + (i * 7 + AT) % 5];
    out[get_global_id(0)] = sum;
}
"""


def sums(total, size, n):
    """What the kernels of LOCAL compute."""
    number = np.arange(total, dtype=np.uint32)
    group, at = number // size, number % size
    sum = np.zeros(total, np.uint32)
    for i in range(n):
        sum = sum * 3 + group * 1000 + at * 10 + (i * 7 + at) % 5
    return sum


@pytest.mark.parametrize("size, total", [(8, 8192), (1, 4096), (3, 3 * 1001), (5, 5004), (8, 24)])
@pytest.mark.parametrize("name, arguments", [
    ("variable", []), ("argument", [4]), ("all", [4, 4]), ("passed", [4]), ("generic_pointers", [4]), ("bytes", []),
    ("longs", [8]), ("atomics", [4]),
])
def test_work_groups_have_their_own_local_memory(m, name, arguments, size, total):
    if total % size and not m.device.non_uniform_work_group_support:
        pytest.skip("work-groups of one size")
    program, out, n = m.build(LOCAL, ["-cl-std=CL3.0"]), m.empty(4 * total), 11
    local = [cl.LocalMemory(bytes * 5 * size) for bytes in arguments]
    getattr(program, name)(m.queue, (total,), (size,), out, np.uint32(n), *local)
    np.testing.assert_array_equal(m.read(out, np.uint32, total), sums(total, size, n))


def test_local_memory_bounds_how_many_work_groups_are_packed(m):
    size = m.device.local_mem_size
    program = m.build("""
        kernel void k(global uint *out, local uint *cells, uint words) {
            for (uint i = 0; i < words; i++) cells[i] = get_group_id(0) * 77 + i;
            uint sum = 0;
            for (uint i = 0; i < words; i++) sum = sum * 5 + cells[i * 17 % words];
            out[get_global_id(0)] = sum;
        }""")
    for bytes in (size, size // 2, size // 3 // 4 * 4, 3072):
        words, total = bytes // 4, 64
        # pyopencl asks a kernel once.
        out, kernel = m.empty(4 * total), cl.Kernel(program, "k")
        kernel(m.queue, (total,), (1,), out, cl.LocalMemory(bytes), np.uint32(words))
        expected, group = np.zeros(total, np.uint32), np.arange(total, dtype=np.uint32)
        for i in range(words):
            expected = expected * 5 + group * 77 + i * 17 % words
        np.testing.assert_array_equal(m.read(out, np.uint32, total), expected)
        info = cl.kernel_work_group_info.LOCAL_MEM_SIZE
        assert kernel.get_work_group_info(info, m.device) == bytes
