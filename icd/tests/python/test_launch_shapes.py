"""A kernel's launches by the same sizes again, with what changes between them."""

import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
kernel void k(global uint *out, local uint *first, local uint *second, uint n) {
    size_t l = get_local_id(0), size = get_local_size(0);
    for (uint i = l; i < n; i += size) { first[i] = i; second[i] = 1000 * (uint)get_group_id(0) + i; }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < n; i++) sum += second[i] - first[i];
    out[get_global_id(0)] = sum + (uint)get_global_offset(0) + (uint)get_num_groups(0);
}
"""


def launch(m, kernel, out, n, size=64, local=16, offset=None):
    kernel.set_args(out, cl.LocalMemory(4 * n), cl.LocalMemory(4 * n), np.uint32(n))
    cl.enqueue_nd_range_kernel(m.queue, kernel, (size,), (local,), offset)
    start = offset[0] if offset else 0
    got = m.read(out, np.uint32, size + start)[start:]
    groups = np.arange(size) // local
    np.testing.assert_array_equal(got, 1000 * groups * n + start + size // local)


def test_local_arguments_change_while_sizes_do_not(m):
    kernel, out = m.build(SOURCE).k, m.empty(4 * 96)
    for n in [1, 300, 7, 1500, 1500, 40, 300]:
        launch(m, kernel, out, n)


def test_sizes_change_while_arguments_do_not(m):
    kernel, out = m.build(SOURCE).k, m.empty(4 * 96)
    for size, local, offset in [(64, 16, None), (64, 8, None), (64, 8, (32,)), (32, 8, (32,)), (64, 16, None), (64, 16, (4,))]:
        launch(m, kernel, out, 100, size, local, offset)


def test_refused_sizes_stay_refused(m):
    kernel, out = m.build(SOURCE).k, m.empty(4 * 96)
    launch(m, kernel, out, 10)
    too_much = m.device.local_mem_size + 4
    kernel.set_arg(1, cl.LocalMemory(too_much))
    for _ in range(2):
        with pytest.raises(cl.RuntimeError) as error:
            cl.enqueue_nd_range_kernel(m.queue, kernel, (64,), (16,))
        assert error.value.code == cl.status_code.OUT_OF_RESOURCES
    launch(m, kernel, out, 10)
    too_large = m.device.max_work_group_size * 2
    for _ in range(2):
        with pytest.raises(cl.LogicError) as error:
            cl.enqueue_nd_range_kernel(m.queue, kernel, (too_large,), (too_large,))
        assert error.value.code in (cl.status_code.INVALID_WORK_GROUP_SIZE, cl.status_code.INVALID_WORK_ITEM_SIZE)
    launch(m, kernel, out, 10)


def test_a_clone_has_its_own_local_arguments(m):
    kernel, out = m.build(SOURCE).k, m.empty(4 * 96)
    launch(m, kernel, out, 10)
    clone = kernel.clone()
    launch(m, clone, out, 1000)
    launch(m, kernel, out, 10)
