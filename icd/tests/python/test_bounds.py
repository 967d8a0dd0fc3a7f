"""Launches of kernels that cannot tell their local size: work-groups may reach beyond the global size there."""

import numpy as np
import pyopencl as cl
import pytest

# What is counted twice, or beyond the index space, is seen.
TOUCH = """
kernel void touch(global uint *counts, uint before)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1), z = get_global_id(2);
    atomic_inc(&counts[before + (z * get_global_size(1) + y) * get_global_size(0) + x]);
}
kernel void blind(global uint *counts, uint before, uint width, uint height)
{
    atomic_inc(&counts[before + (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0)]);
}
kernel void large(struct { uint n[70]; } many, global uint *counts, uint before, uint width, uint height)
{
    uint i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    atomic_add(&counts[before + i], many.n[i % 70]);
}
"""
MARGIN = 4096


def touched(m, launch, size):
    """Returns how often each work-item ran, if there was none beyond the index space."""
    total = int(np.prod(size))
    counts = m.buffer(np.zeros(total + 2 * MARGIN, np.uint32))
    launch(counts)
    found = m.read(counts, np.uint32, (total + 2 * MARGIN,))
    assert not found[:MARGIN].any() and not found[MARGIN + total:].any()
    return found[MARGIN:MARGIN + total]


@pytest.mark.parametrize("standard", ["CL1.2", "CL3.0"])
@pytest.mark.parametrize("size", [
    (1,), (3,), (100,), (255,), (257,), (1009,), (100_003,), (1, 1), (13, 9), (1, 300), (300, 1), (5, 4099), (641, 479),
    (13, 9, 7), (1, 1, 100), (2, 3, 500), (65, 33, 5),
])
def test_each_work_item_runs_once(m, standard, size):
    program = cl.Program(m.context, TOUCH).build([f"-cl-std={standard}"])
    full = size + (1,) * (3 - len(size))
    touch = lambda counts: program.touch(m.queue, size, None, counts, np.uint32(MARGIN))
    assert (touched(m, touch, size) == 1).all()
    sizes = [np.uint32(n) for n in (MARGIN, full[0], full[1])]
    blind = lambda counts: program.blind(m.queue, size, None, counts, *sizes)
    assert (touched(m, blind, size) == 1).all()
    numbers = np.arange(1, 71, dtype=np.uint32)
    large = lambda counts: program.large(m.queue, size, None, numbers, counts, *sizes)
    found = touched(m, large, size)
    np.testing.assert_array_equal(found, numbers[np.arange(len(found)) % 70])


@pytest.mark.parametrize("size, local", [
    ((100_003,), (64,)), ((100_003,), (1,)), ((1000,), (96,)), ((1921, 1081), (16, 16)), ((643, 479), (1, 1)),
    ((85, 3001), (1, 1)), ((17, 9, 100), (8, 4, 4)), ((500, 3), (512, 1)),
])
def test_local_sizes_of_the_application_may_leave_remainders(m, size, local):
    if np.prod(local) > m.device.max_work_group_size:
        pytest.skip("the device has no such work-groups")
    program = cl.Program(m.context, TOUCH).build(["-cl-std=CL3.0"])
    offset = (7,) + (0,) * (len(size) - 1)
    touch = lambda counts: program.touch(m.queue, size, local, counts, np.uint32(MARGIN), global_offset=offset)
    assert (touched(m, touch, size) == 1).all()


def test_an_offset_is_no_part_of_the_size(m):
    program = cl.Program(m.context, TOUCH).build()
    for offset in (1, 1 << 20, (1 << 40) + 3):
        touch = lambda counts: program.touch(m.queue, (999,), None, counts, np.uint32(MARGIN), global_offset=(offset,))
        assert (touched(m, touch, (999,)) == 1).all()
