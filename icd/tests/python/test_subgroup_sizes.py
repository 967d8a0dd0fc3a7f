"""Sub-groups of other sizes than the device's: what test_subgroups.py tests, in kernels that ask for a size.

Smaller ones do all that the device's do. Larger ones do what all work-items of the work-group come to; other kernels are
refused.
"""

import numpy as np
import pyopencl as cl
import pytest
import test_subgroups
from test_subgroups import (  # noqa: F401: tests are collected here, too
    PRELUDE, SHAPES, STD, launch, subgroups, test_all_equal, test_ballots, test_barrier, test_branches_join,
    test_broadcast_first, test_clusters, test_logical_clusters, test_logical_scans, test_loops_of_different_lengths, test_masks, test_queries,
    test_reductions_and_scans, test_scans_by_some, test_shuffles, test_votes, test_what_is_done_before_a_break)

REFUSAL = "depends on what may differ between them"


def native_size(m):
    out = m.empty(4)
    m.build(PRELUDE + "kernel void f(global uint *out) { *out = get_max_sub_group_size(); }", STD).f(
        m.queue, (1,), (1,), out)
    return int(m.read(out, np.uint32, 1)[0])


def limit(m, kernel):
    return kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, m.device)


# Every size is tested with some types, which stand for the others.
SOME_TYPES = ("char", "int", "ulong", "half", "double")


@pytest.fixture(autouse=True, params=[2, 4, 16, 32])
def size(request, m, monkeypatch):
    """The size that kernels ask for. Skips tests that need other sub-groups to be made of the device's."""
    given = getattr(request.node, "callspec").params
    if given.get("name", "int") not in SOME_TYPES or given.get("cluster", 4) not in (4, 8):
        pytest.skip("another type or cluster stands for it")
    if request.param == 4 and given.get("shape", SHAPES[1]) not in (SHAPES[1], SHAPES[5]):
        pytest.skip("another shape stands for it")
    if "cl_intel_required_subgroup_size" not in m.device.extensions:
        pytest.skip("no choice of sizes")
    kernel = f"kernel __attribute__((intel_reqd_sub_group_size({request.param})))"
    monkeypatch.setattr(test_subgroups, "KERNEL", kernel)
    own, build = native_size(m), m.build

    def build_or_skip(source, options=()):
        try:
            program = build(source, options)
        except cl.RuntimeError as error:
            if REFUSAL not in str(error) or request.param <= own:
                raise
            pytest.skip("not all work-items come there")
        if request.param > own and any(limit(m, kernel) == request.param for kernel in program.all_kernels()):
            if "_alone" not in request.node.name:
                pytest.skip("in work-groups of one sub-group alone")
        return program

    monkeypatch.setattr(m, "build", build_or_skip)
    return request.param


def test_the_size(m, size):
    """Kernels see the size that they ask for, in every sub-group of the work-group."""
    source = "kernel void f(global uint *out) { out[SLOT] = get_max_sub_group_size() * 100 + sub_group_reduce_add(1u); }"
    got = launch(m, source, ((64,), (64,)), None, np.uint32)
    assert (got == 101 * size).all()


def test_work_group_functions(m, size, rng):
    """They go by sub-groups, of whatever size these are."""
    data = rng.integers(0, 1000, 150).astype(np.uint32)
    source = """
        kernel void f(global const uint *in, global uint *out)
        {
            uint x = in[SLOT];
            uint r[3] = {work_group_reduce_add(x), work_group_scan_inclusive_max(x), work_group_scan_exclusive_add(x)};
            for (int k = 0; k < 3; ++k) out[3 * SLOT + k] = r[k];
        }"""
    got = launch(m, source, ((150,), (75,)), data, np.uint32, 3)
    for part in (slice(0, 75), slice(75, 150)):
        x = data[part]
        assert (got[part, 0] == x.sum()).all()
        assert (got[part, 1] == np.maximum.accumulate(x)).all()
        assert (got[part, 2] == np.cumsum(x) - x).all()


def test_one_sub_group_alone(m, size):
    """A larger sub-group that does what others do not is there alone in its work-group: it may not be larger."""
    source = """
        kernel void f(global uint *out)
        {
            uint r = 0;
            if (get_group_id(0) + get_sub_group_id() < 3) r = sub_group_reduce_add(get_sub_group_local_id() + 1);
            out[SLOT] = r;
        }"""
    own = native_size(m)
    got = launch(m, source, ((4 * size,), (size,)), None, np.uint32)[:, 0]
    assert (got == np.where(np.arange(4 * size) < 3 * size, size * (size + 1) // 2, 0)).all()
    program = m.build(PRELUDE + source.replace("kernel", test_subgroups.KERNEL), STD)
    assert limit(m, program.f) == size if size > own else limit(m, program.f) > size
    if size > own:
        with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
            program.f(m.queue, (4 * size,), (2 * size,), m.empty(16 * size))


def test_what_memory_decides_alone(m, size):
    """Where the language demands that all of a sub-group come, a larger one that is alone in its work-group does."""
    source = """
        kernel void f(global const uint *in, global uint *out)
        {
            uint r = 7;
            if (in[get_global_id(0)]) r = sub_group_reduce_add(get_sub_group_local_id() + 1);
            out[SLOT] = r;
        }"""
    ones = np.ones(2 * size, np.uint32)
    got = launch(m, source, ((2 * size,), (size,)), ones, np.uint32)[:, 0]
    assert (got == size * (size + 1) // 2).all()
    if size > native_size(m):
        by_some = source.replace("sub_group_reduce_add", "sub_group_non_uniform_reduce_add")
        with pytest.raises(cl.RuntimeError, match=REFUSAL):
            cl.Program(m.context, PRELUDE + by_some.replace("kernel", test_subgroups.KERNEL)).build(options=STD)


def test_different_ways_alone(m, size):
    """Smaller sub-groups of one of the hardware's may go different ways; larger ones are alone then."""
    source = """
        kernel void f(global uint *out)
        {
            uint r = 0;
            if (get_sub_group_id() % 2) r = sub_group_reduce_add(get_sub_group_local_id());
            else r = 1000 + sub_group_broadcast(get_sub_group_id(), 1);
            out[SLOT] = r;
        }"""
    larger = size > native_size(m)
    local = size if larger else 64
    got = launch(m, source, ((64,), (local,)), None, np.uint32)[:, 0]
    number = np.arange(64) % local // size
    assert (got == np.where(number % 2, size * (size - 1) // 2, 1000 + number)).all()
