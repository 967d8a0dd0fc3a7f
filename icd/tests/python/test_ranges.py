"""Index spaces, control flow, and the commands around kernels."""

import numpy as np
import pyopencl as cl
import pytest

WHERE = """
kernel void where(global uint8 *out)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
           z = get_global_id(2) - get_global_offset(2);
    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[at] = (uint8)(get_global_id(0), get_global_id(1), get_global_id(2),
                      get_local_id(0) + get_local_size(0) * get_group_id(0), get_num_groups(0),
                      get_local_size(1), get_work_dim(), get_group_id(2));
}
"""


@pytest.mark.parametrize("size, local, offset", [
    ((37,), None, None), ((64,), (16,), (5,)), ((12, 10), (4, 5), (100, 7)), ((6, 9), None, (3, 0)),
    ((8, 6, 4), (2, 3, 2), (1, 2, 3)), ((5, 7, 3), None, None), ((1, 1, 1), (1, 1, 1), None),
    ((1000, 3), (100, 1), None), ((131,), None, (1 << 20,)),
])
def test_ranges_with_offsets(m, size, local, offset):
    program = m.build(WHERE)
    total = int(np.prod(size))
    out = m.empty(32 * total)
    program.where(m.queue, size, local, out, global_offset=offset)
    result = m.read(out, np.uint32, (total, 8))
    dims = len(size)
    full = tuple(size) + (1,) * (3 - dims)
    off = tuple(offset or (0,) * dims) + (0,) * (3 - dims)
    z, y, x = np.meshgrid(*(np.arange(n) for n in full[::-1]), indexing="ij")
    ids = np.stack([(x + off[0]).ravel(), (y + off[1]).ravel(), (z + off[2]).ravel()], axis=1)
    np.testing.assert_array_equal(result[:, :3], ids)
    np.testing.assert_array_equal(result[:, 3], x.ravel())
    assert (result[:, 6] == dims).all()
    if local:
        assert (result[:, 4] == size[0] // local[0]).all()
        np.testing.assert_array_equal(
            result[:, 7], (z // (local[2] if dims > 2 else 1)).ravel())


@pytest.mark.parametrize("offset", [None, 5, (1 << 32) - 3])
def test_ids_are_divided(m, offset):
    """Ids are words, or numbers of 64 bits, or both in one dispatch."""
    program = m.build("""
        kernel void divide(global ulong4 *out, uint width)
        {
            size_t i = get_global_id(0), at = i - get_global_offset(0);
            out[at] = (ulong4)(i / width, i % width, i / 10, (long)i % -(long)width);
        }""")
    n, width = 9, 7
    out = m.empty(32 * n)
    program.divide(m.queue, (n,), None, out, np.uint32(width),
                   global_offset=offset and (offset,))
    i = np.arange(n, dtype=np.uint64) + np.uint64(offset or 0)
    expected = np.stack([i // width, i % width, i // 10, i % width], axis=1)
    np.testing.assert_array_equal(m.read(out, np.uint64, (n, 4)), expected)


def test_non_uniform_work_groups(m):
    m.need_non_uniform_work_groups()
    program = m.build("""
        kernel void sizes(global uint4 *out)
        {
            out[get_global_id(0)] = (uint4)(get_local_size(0), get_enqueued_local_size(0),
                                            get_group_id(0), get_local_id(0));
        }""", ["-cl-std=CL3.0"])
    n, local = 103, 16
    out = m.empty(16 * n)
    program.sizes(m.queue, (n,), (local,), out)
    i = np.arange(n)
    size = np.where(i // local == n // local, n % local, local)
    expected = np.stack([size, np.full(n, local), i // local, i % local], axis=1)
    np.testing.assert_array_equal(m.read(out, np.uint32, (n, 4)), expected)


ARM_NON_UNIFORM = "-cl-arm-non-uniform-work-group-size"


def test_non_uniform_work_groups_of_older_programs(m):
    """An option gives them to OpenCL C 1.x, where they are an error without it (cl_arm_non_uniform_work_group_size)."""
    if not m.is_hekla:
        pytest.skip("an option of few platforms")
    assert "cl_arm_non_uniform_work_group_size" in m.device.extensions.split()
    source = """
        #ifndef cl_arm_non_uniform_work_group_size
        #error no macro
        #endif
        kernel void sizes(global uint4 *out)
        {
            size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
            out[at] = (uint4)(get_local_size(0), get_local_size(1), get_group_id(0), get_num_groups(1));
        }"""
    (width, height), local = (37, 5), (8, 2)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    sizes = [np.where(i // size == extent // size, extent % size, size)
             for i, size, extent in zip((x, y), local, (width, height))]
    expected = np.stack([*sizes, x // local[0], np.full(x.shape, 3)], axis=-1)
    for version in ([], ["-cl-std=CL1.1"], ["-cl-std=CL1.2"], ["-cl-std=CL3.0"]):
        program = m.build(source, [*version, ARM_NON_UNIFORM])
        out = m.empty(16 * width * height)
        program.sizes(m.queue, (width, height), local, out)
        np.testing.assert_array_equal(m.read(out, np.uint32, (height, width, 4)), expected)
    for options in (["-cl-std=CL1.2"], [ARM_NON_UNIFORM, "-cl-uniform-work-group-size"]):
        program = m.build(source, options)
        with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
            program.sizes(m.queue, (width, height), local, out)


def test_non_uniform_work_groups_of_linked_programs(m):
    """All of what is linked must be compiled with the option."""
    if not m.is_hekla:
        pytest.skip("an option of few platforms")
    kernel = "void set(global uint *p); kernel void f(global uint *p) { set(p + get_global_id(0)); }"
    function = "void set(global uint *p) { *p = get_local_size(0); }"
    for options, allowed in (([ARM_NON_UNIFORM] * 2, True), ([ARM_NON_UNIFORM, ""], False)):
        parts = [cl.Program(m.context, text).compile([option]) for text, option in zip((kernel, function), options)]
        program = cl.link_program(m.context, parts)
        out = m.empty(4 * 10)
        if allowed:
            program.f(m.queue, (10,), (4,), out)
            assert m.read(out, np.uint32, 10).tolist() == [4] * 8 + [2] * 2
        else:
            with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
                program.f(m.queue, (10,), (4,), out)


def test_control_flow_in_all_shapes(m):
    source = """
        int classify(int x)
        {
            if (x < 0) return -1;
            for (int i = 2; i * i <= x; i++) {
                if (x % i) continue;
                if (i == 7) break;
                return i;
            }
            return x;
        }
        int collatz(int n)
        {
            int steps = 0;
            do {
                if (n == 1) break;
                n = n & 1 ? 3 * n + 1 : n / 2;
            } while (++steps < 1000);
            return steps;
        }
        int duff(int n)
        {
            int sum = 0, k = (n + 3) / 4;
            if (n <= 0) return 0;
            switch (n % 4) {
            case 0: do { sum += 1;
            case 3:      sum += 10;
            case 2:      sum += 100;
            case 1:      sum += 1000;
                    } while (--k > 0);
            }
            return sum;
        }
        int find(int target)
        {
            for (int a = 0; a < 20; a++)
                for (int b = 0; b < 20; b++) {
                    if (a * b == target) return a * 100 + b;
                    if (a + b > 30) goto out;
                }
        out:
            return -target;
        }
        int word(int x)
        {
            switch (x) {
            case 1: case 2: return 5;
            case 3: x += 10;
            case 4: x *= 2; break;
            default: if (x & 1) break; x = 77;
            }
            return x;
        }
        kernel void all_of_it(global int *out, int n)
        {
            int i = get_global_id(0);
            if (i >= n) return;
            out[i * 5] = classify(i - 3);
            out[i * 5 + 1] = collatz(i + 1);
            out[i * 5 + 2] = duff(i);
            out[i * 5 + 3] = find(i);
            out[i * 5 + 4] = word(i);
        }"""

    def classify(x):
        if x < 0:
            return -1
        i = 2
        while i * i <= x:
            if x % i == 0:
                if i == 7:
                    break
                return i
            i += 1
        return x

    def collatz(n):
        steps = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n // 2
            steps += 1
        return steps

    def duff(n):
        return sum([1000, 100, 10, 1][i % 4] if i < n % 4 else 0 for i in range(n % 4)) \
            + (n // 4) * 1111 if n > 0 else 0

    def find(target):
        for a in range(20):
            for b in range(20):
                if a * b == target:
                    return a * 100 + b
                if a + b > 30:
                    return -target
        return -target

    def word(x):
        if x in (1, 2):
            return 5
        if x == 3:
            return 26
        if x == 4:
            return 8
        return x if x & 1 else 77

    n = 120
    program = m.build(source)
    out = m.empty(4 * 5 * n)
    program.all_of_it(m.queue, (128,), (32,), out, np.int32(n))
    expected = [[classify(i - 3), collatz(i + 1), duff(i), find(i), word(i)] for i in range(n)]
    np.testing.assert_array_equal(m.read(out, np.int32, (n, 5)), expected)


def test_kernel_calls_kernel_and_several_kernels(m):
    program = m.build("""
        kernel void twice(global int *v) { v[get_global_id(0)] *= 2; }
        kernel void twice_and_one(global int *v) { twice(v); v[get_global_id(0)] += 1; }""")
    v = m.buffer(np.arange(10, dtype=np.int32))
    assert sorted(k.function_name for k in program.all_kernels()) == ["twice", "twice_and_one"]
    program.twice_and_one(m.queue, (10,), None, v)
    program.twice(m.queue, (10,), None, v)
    np.testing.assert_array_equal(m.read(v, np.int32, 10), 2 * (2 * np.arange(10) + 1))


def test_many_dependent_launches(m):
    program = m.build("kernel void inc(global int *v) { v[get_global_id(0)]++; }")
    v = m.buffer(np.zeros(64, np.int32))
    inc = cl.Kernel(program, "inc")
    for _ in range(1000):
        inc(m.queue, (64,), None, v)
    assert (m.read(v, np.int32, 64) == 1000).all()


def test_profiling_events_are_ordered(m):
    m.need_profiling()
    program = m.build("kernel void one(global int *v) { v[get_global_id(0)] = 1; }")
    v = m.empty(4 * 64)
    one = cl.Kernel(program, "one")
    first = one(m.queue, (64,), None, v)
    second = one(m.queue, (64,), None, v, wait_for=[first])
    second.wait()
    for event in (first, second):
        p = event.profile
        assert 0 < p.queued <= p.submit <= p.start <= p.end
    assert first.profile.end <= second.profile.end


def test_map_fill_and_rectangles(m):
    a = np.arange(64, dtype=np.int32).reshape(8, 8)
    buffer = m.buffer(a)
    mapped, event = cl.enqueue_map_buffer(m.queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE,
                                          0, (8, 8), np.int32)
    np.testing.assert_array_equal(mapped, a)
    mapped[0, :] = -1
    mapped.base.release(m.queue)
    target = m.buffer(np.zeros((8, 8), np.int32))
    cl.enqueue_copy(m.queue, target, buffer, src_origin=(4, 0, 0), dst_origin=(0, 2, 0),
                    region=(12, 3, 1), src_pitches=(32,), dst_pitches=(32,))
    result = m.read(target, np.int32, (8, 8))
    expected = np.zeros((8, 8), np.int32)
    a[0, :] = -1
    expected[2:5, 0:3] = a[0:3, 1:4]
    np.testing.assert_array_equal(result, expected)
    cl.enqueue_fill_buffer(m.queue, target, np.array([1, 2, 3], np.uint8)[:1], 0, 64)
    assert (m.read(target, np.uint8, 256)[:64] == 1).all()
    cl.enqueue_fill_buffer(m.queue, target, np.array([7, 8], np.int32), 8, 64)
    np.testing.assert_array_equal(m.read(target, np.int32, 64)[2:18], [7, 8] * 8)


def test_user_event_holds_back_a_launch(m):
    program = m.build("kernel void set(global int *v) { v[get_global_id(0)] = 5; }")
    v = m.buffer(np.zeros(4, np.int32))
    gate = cl.UserEvent(m.context)
    done = cl.Kernel(program, "set")(m.queue, (4,), None, v, wait_for=[gate])
    m.queue.flush()
    assert done.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    assert (m.read(v, np.int32, 4) == 5).all()


def test_two_queues_with_an_event_between(m):
    program = m.build("""
        kernel void first(global int *v) { v[get_global_id(0)] = get_global_id(0); }
        kernel void second(global int *v) { v[get_global_id(0)] += 100; }""")
    other = cl.CommandQueue(m.context)
    v = m.empty(4 * 1000)
    event = program.first(m.queue, (1000,), None, v)
    event = program.second(other, (1000,), None, v, wait_for=[event])
    out = np.empty(1000, np.int32)
    cl.enqueue_copy(m.queue, out, v, wait_for=[event])
    np.testing.assert_array_equal(out, np.arange(1000) + 100)
