"""CL_MEM_USE_HOST_PTR on devices whose memory is the host's: programs read and write the memory without a map."""

import os

import numpy as np
import pyopencl as cl
import pytest
from conftest import DRIVER

SOURCE = """
kernel void add(global uint *p, uint x) { p[get_global_id(0)] += x; }
kernel void copy(global const uchar *from, global uchar *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
"""


@pytest.fixture
def unified(m):
    if not m.device.host_unified_memory:
        pytest.skip("the device has memory of its own")
    if {"HEKLA_STAGING", "HEKLA_NONCOHERENT"} & set(os.environ):
        pytest.skip("the device's memory is treated as another's")
    if DRIVER == "swiftshader":
        pytest.skip("SwiftShader does not import the host's memory (VK_EXT_external_memory_host)")
    return m.context


@pytest.fixture
def queue(m):
    return m.queue


def aligned(size, offset, alignment=4096):
    """Returns `size` bytes that begin `offset` bytes behind a multiple of `alignment`."""
    whole = np.zeros(size + offset + alignment, np.uint8)
    start = -whole.ctypes.data % alignment + offset
    return whole[start : start + size]


def shared(context, host):
    """Returns a buffer of the memory."""
    flags = cl.mem_flags
    return cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=host)


# Offsets of memory in a page.
OFFSETS = [0, 256, 16, 4, 4092]


def test_stores_are_seen_without_a_map(m, unified, queue):
    add = cl.Kernel(m.build(SOURCE), "add")
    for offset in OFFSETS:
        host = aligned(4000, offset).view(np.uint32)
        host[:] = np.arange(1000)
        buffer = shared(unified, host)
        add(queue, (1000,), None, buffer, np.uint32(7))
        queue.finish()
        assert np.array_equal(host, np.arange(1000) + 7), offset
        host *= 3
        add(queue, (1000,), None, buffer, np.uint32(1))
        queue.finish()
        assert np.array_equal(host, (np.arange(1000) + 7) * 3 + 1), offset
        assert not buffer.get_info(cl.mem_info.USES_SVM_POINTER)


def test_bytes_around_are_left_alone(m, unified, queue):
    whole = aligned(3 * 4096, 0)
    whole[:] = np.arange(whole.size) % 251
    before = whole.copy()
    buffer = shared(unified, whole[4096 + 512 : 2 * 4096 - 512])
    cl.enqueue_fill_buffer(queue, buffer, np.uint8(9), 0, 3072)
    queue.finish()
    expected = before
    expected[4096 + 512 : 2 * 4096 - 512] = 9
    assert np.array_equal(whole, expected)


def test_maps_are_the_memory_itself(m, unified, queue):
    host = aligned(4096, 0).view(np.uint32)
    buffer = shared(unified, host)
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    array, _ = cl.enqueue_map_buffer(queue, buffer, flags, 256, (64,), np.uint32)
    assert array.ctypes.data == host.ctypes.data + 256
    array[:] = 5
    array.base.release(queue)
    queue.finish()
    assert np.array_equal(host[64:128], np.full(64, 5))


def test_transfers_to_the_memory_itself_keep_their_order(m, unified, queue):
    """A read of a buffer to its own bytes must not come after what the next kernel writes."""
    add = cl.Kernel(m.build(SOURCE), "add")
    host = aligned(1 << 20, 0).view(np.uint32)
    buffer = shared(unified, host)
    other = cl.Buffer(unified, cl.mem_flags.READ_WRITE, host.nbytes)
    for round in range(20):
        add(queue, host.shape, None, buffer, np.uint32(1))
        cl.enqueue_copy(queue, host, buffer, is_blocking=False)
        add(queue, host.shape, None, buffer, np.uint32(1))
        cl.enqueue_copy(queue, buffer, host, is_blocking=False)
        # To another buffer by way of the memory's address, and back.
        cl.enqueue_copy(queue, other, host, is_blocking=False)
        add(queue, host.shape, None, other, np.uint32(1))
        cl.enqueue_copy(queue, host, other, is_blocking=False)
        add(queue, host.shape, None, buffer, np.uint32(1))
    queue.finish()
    assert np.array_equal(host, np.full(host.shape, 80))


def test_overlapping_parts_of_the_memory_are_copied_whole(m, unified, queue):
    host = aligned(8192, 0)
    buffer = shared(unified, host)
    host[:] = np.arange(8192) % 253
    expected = host.copy()
    expected[100:4196] = host[:4096]
    cl.enqueue_copy(queue, host[100:4196], buffer)
    assert np.array_equal(host, expected)


def test_sub_buffers_and_bytes(m, unified, queue):
    copy = cl.Kernel(m.build(SOURCE), "copy")
    host = aligned(4096, 0)
    host[:1024] = np.arange(1024) % 255
    buffer = shared(unified, host)
    parts = [buffer.get_sub_region(start, 1024) for start in (0, 2048)]
    copy(queue, (1023,), None, *parts)
    queue.finish()
    assert np.array_equal(host[2048:3071], np.arange(1023) % 255)
    assert not host[3071:].any()


def test_memory_of_two_buffers_is_taken_twice(m, unified, queue):
    """The second one is a copy (what both do at once is undefined): nothing is lost when either goes."""
    add = cl.Kernel(m.build(SOURCE), "add")
    host = aligned(4096, 0).view(np.uint32)
    first, second = shared(unified, host), shared(unified, host[100:])
    add(queue, (1024,), None, first, np.uint32(2))
    queue.finish()
    assert np.array_equal(host, np.full(1024, 2))
    del first
    array, _ = cl.enqueue_map_buffer(queue, second, cl.map_flags.READ, 0, (924,), np.uint32)
    assert not array[:].any()
    array.base.release(queue)
    host[:] = 4
    third = shared(unified, host)
    add(queue, (1024,), None, third, np.uint32(2))
    queue.finish()
    assert np.array_equal(host, np.full(1024, 6))
