"""Launches in slices (HEKLA_SLICE_MS): a launch that takes long becomes several dispatches, and nobody sees it."""

import os
import re
import subprocess
import textwrap

import pytest
from conftest import PYTHON

PREAMBLE = """
import sys, numpy as np, pyopencl as cl
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
def buffer(array):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)
def read(mem, like):
    result = np.empty_like(like)
    cl.enqueue_copy(queue, result, mem)
    return result
def forget():
    queue.finish()
    print("forget", file=sys.stderr, flush=True)
WORK = "uint work(uint n) { uint x = n; for (uint i = 0; i < n; i++) x = x * 1664525u + 1013904223u; return x; }"
"""


def run(body, milliseconds, **variables):
    """Runs a program with slices of so many milliseconds. Returns what it printed, and the work-items of each slice since it
    called `forget`."""
    environment = {**os.environ, "HEKLA_LOG": "debug", "HEKLA_SLICE_MS": str(milliseconds), **variables}
    program = PREAMBLE + textwrap.dedent(body)
    done = subprocess.run([*PYTHON, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    slices = re.findall(r"a slice of (\d+) work-items took (\d+) us", done.stderr.rpartition("forget\n")[2])
    return done.stdout, [(int(items), int(time)) for items, time in slices]


def test_launches_are_cut(m):
    """One that takes long, into slices that cover it; one that is known to be short is not."""
    _, slices = run("""
        program = cl.Program(context, WORK + '''
            kernel void k(global uint *out, uint n) { out[get_global_id(0)] += work(n) * 2u + 1u; }''').build()
        kernel, size = program.k, 1 << 16
        out = buffer(np.zeros(size, np.uint32))
        x = n = 20000
        for i in range(n):
            x = (x * 1664525 + 1013904223) % 2**32
        for round in range(3):
            event = kernel(queue, (size,), (64,), out, np.uint32(n))
            event.wait()
            assert event.profile.end > event.profile.start >= event.profile.submit >= event.profile.queued
            assert (read(out, np.zeros(size, np.uint32)) == (x * 2 + 1) * (round + 1) % 2**32).all()
        """, 10)
    assert len(slices) > 3 * 4 and sum(items for items, _ in slices) == 3 << 16, slices
    _, slices = run("""
        kernel = cl.Program(context, "kernel void k(global uint *out) { out[get_global_id(0)]++; }").build().k
        out = buffer(np.zeros(1 << 16, np.uint32))
        for round in range(5):
            kernel(queue, (1 << 16,), (64,), out)
            # The first one has measured the kernel by then.
            queue.finish()
        assert (read(out, np.zeros(1 << 16, np.uint32)) == 5).all()
        """, 2000)
    assert sum(items for items, _ in slices) == 1 << 16, slices


def test_a_launch_behind_a_short_one_is_cut(m):
    """A kernel that was warmed up with few rounds is not taken to be short with many."""
    _, slices = run("""
        kernel = cl.Program(context, WORK + 'kernel void k(global uint *out, uint n) { out[get_global_id(0)] = work(n); }').build().k
        out = buffer(np.zeros(1 << 16, np.uint32))
        for n in [4, 4, 4, 100000]:
            if n > 4:
                forget()
            kernel(queue, (1 << 16,), (64,), out, np.uint32(n))
            queue.finish()
        """, 500)
    assert len(slices) > 2 and sum(items for items, _ in slices) == 1 << 16, slices


@pytest.mark.parametrize("range", [
    "(40000,), (64,), None", "(40001,), (64,), (7,)", "(150, 90), (8, 4), (3, 5)", "(13, 40, 34), (4, 2, 2), (1, 2, 3)",
    "(60, 60, 40), None, None",
])
def test_every_id_is_right(m, range):
    """Ids of work-items and work-groups, sizes and offsets, with remainders."""
    m.need_non_uniform_work_groups()
    _, slices = run(f"""
        size, local, offset = {range}
        program = cl.Program(context, WORK + '''
            kernel void k(global ulong *out, uint n) {{
                size_t i = get_global_linear_id(), d = get_work_dim();
                ulong wrong = work(n) == 0u;
                for (uint j = 0; j < 3; j++) {{
                    size_t id = get_global_id(j) - get_global_offset(j);
                    wrong |= id != get_group_id(j) * get_enqueued_local_size(j) + get_local_id(j);
                    wrong |= get_group_id(j) >= get_num_groups(j) || get_local_id(j) >= get_local_size(j);
                    wrong |= id >= get_global_size(j);
                }}
                out[i] += wrong ? 1000ul : i + 1;
            }}''').build(['-cl-std=CL3.0'])
        count = int(np.prod(size))
        out = buffer(np.zeros(count, np.uint64))
        program.k(queue, size, local, out, np.uint32(20000), global_offset=offset)
        got = read(out, np.zeros(count, np.uint64))
        assert (got == np.arange(count) + 1).all(), np.flatnonzero(got != np.arange(count) + 1)[:10]
        """, 4)
    assert len(slices) > 4, slices


def test_collectives_and_printing(m):
    _, slices = run("""
        program = cl.Program(context, WORK + '''
            kernel void sums(global uint *out, uint n) {
                local uint part[64];
                uint l = get_local_id(0);
                part[l] = (uint)get_global_id(0) + (work(n) & n >> 30);
                for (uint step = 32; step; step /= 2) {
                    barrier(CLK_LOCAL_MEM_FENCE);
                    if (l < step) part[l] += part[l + step];
                }
                if (l == 0) out[get_group_id(0)] = part[0];
                if (get_global_id(0) % 4096 == 0) printf("item %u\\\\n", (uint)get_global_id(0));
            }''').build()
        groups = 1024
        out = buffer(np.zeros(groups, np.uint32))
        program.sums(queue, (64 * groups,), (64,), out, np.uint32(20000))
        expected = np.arange(64 * groups, dtype=np.uint32).reshape(groups, 64).sum(axis=1, dtype=np.uint32)
        assert (read(out, expected) == expected).all()
        """, 10)
    assert len(slices) > 4, slices


def test_what_is_ordered_behind_a_launch_waits_for_all_of_it(m):
    """In an in-order queue, by events in other queues, and by clFinish; a user event holds the launch up."""
    _, slices = run("""
        program = cl.Program(context, WORK + '''
            kernel void slow(global uint *out, uint n) { out[get_global_id(0)] = 1u + (work(n) & n >> 30); }
            kernel void twice(global uint *out) { out[get_global_id(0)] *= 2u; }''').build()
        slow, twice, size = program.slow, program.twice, 1 << 16
        out_of_order = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
        out, n = buffer(np.zeros(size, np.uint32)), np.uint32(10000)
        slow(queue, (size,), (64,), out, n)
        twice(queue, (size,), (64,), out)
        assert (read(out, np.zeros(size, np.uint32)) == 2).all()
        for other in (queue, out_of_order):
            gate = cl.UserEvent(context)
            first = slow(other, (size,), (64,), out, n, wait_for=[gate])
            second = twice(out_of_order, (size,), (64,), out, wait_for=[first])
            assert first.command_execution_status > 0
            gate.set_status(cl.command_execution_status.COMPLETE)
            third = twice(out_of_order, (size,), (64,), out, wait_for=[second])
            out_of_order.finish()
            assert third.command_execution_status == first.command_execution_status == 0
            assert (read(out, np.zeros(size, np.uint32)) == 4).all()
        """, 10)
    assert len(slices) > 12, slices
