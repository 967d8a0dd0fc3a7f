"""Memory of malloc in kernels (CL_DEVICE_SVM_FINE_GRAIN_SYSTEM), where the device runs in this process."""

import ctypes

import numpy as np
import pyopencl as cl
import pytest

SYSTEM = 1 << 2
SHARED_SYSTEM = 0x4194
EXEC_INFO_SYSTEM = 0x11B7
SOURCE = """
kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
kernel void copy(global const uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void slow(global uint *p, uint n) {
    uint x = p[get_global_id(0)];
    for (uint i = 0; i < n; i++) x = x * 1664525u + 1u;
    if (x == n) p[get_global_id(0)] = p[get_global_id(0)];
}
struct list { global struct list *next; uint value; };
kernel void sum(global struct list *first, global uint *out) {
    uint all = 0;
    for (struct list *l = first; l; l = l->next) all += l->value;
    *out = all;
}
"""


@pytest.fixture
def library(m):
    capabilities = m.device.svm_capabilities
    value = ctypes.c_uint64()
    library = ctypes.CDLL("libOpenCL.so.1")
    device = ctypes.c_void_p(m.device.int_ptr)
    assert library.clGetDeviceInfo(device, SHARED_SYSTEM, 8, ctypes.byref(value), None) == 0
    assert (value.value != 0) == (capabilities & SYSTEM != 0)
    if not capabilities & SYSTEM:
        pytest.skip("the device reaches no memory of malloc")
    return library


def pointer(kernel, index, array, library, offset=0):
    """Sets an argument to the address of an array's bytes."""
    address = ctypes.c_void_p(array.ctypes.data + offset)
    assert library.clSetKernelArgSVMPointer(ctypes.c_void_p(kernel.int_ptr), index, address) == 0


def words(count, seed):
    return np.random.default_rng(seed).integers(0, 2**32, count, np.uint32)


def test_kernels_read_and_write_it(m, library):
    """Arrays of numpy, at any address, without a map or a copy."""
    kernel = m.build(SOURCE, ["-cl-std=CL3.0"]).add
    for count in (1, 7, 100_003):
        array = words(count, count)
        expected = array + np.uint32(5)
        pointer(kernel, 0, array, library)
        kernel.set_arg(1, np.uint32(5))
        cl.enqueue_nd_range_kernel(m.queue, kernel, (count,), None)
        m.queue.finish()
        assert (array == expected).all()


def test_lists_are_followed(m, library):
    """Pointers in memory lead anywhere, where the kernel says so."""
    program = m.build(SOURCE, ["-cl-std=CL3.0"])
    kernel = program.sum

    class List(ctypes.Structure):
        _fields_ = [("next", ctypes.c_void_p), ("value", ctypes.c_uint32)]

    lists = [List(None, value) for value in range(1, 101)]
    for one, other in zip(lists, lists[1:]):
        one.next = ctypes.addressof(other)
    on = ctypes.c_uint32(1)
    handle = ctypes.c_void_p(kernel.int_ptr)
    assert library.clSetKernelExecInfo(handle, EXEC_INFO_SYSTEM, 4, ctypes.byref(on)) == 0
    assert library.clSetKernelArgSVMPointer(handle, 0, ctypes.c_void_p(ctypes.addressof(lists[0]))) == 0
    out = m.buffer(np.zeros(1, np.uint32))
    kernel.set_arg(1, out)
    cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), (1,))
    assert m.read(out, np.uint32, 1)[0] == 5050


def test_it_is_in_the_order_of_commands(m, library):
    """What commands before a kernel write there it reads, and what it writes those behind it read, none of them waited for."""
    kernel = m.build(SOURCE, ["-cl-std=CL3.0"])
    add, copy, slow, count = kernel.add, kernel.copy, kernel.slow, 1 << 18
    source = words(count, 1)
    from_device, back = m.buffer(source), m.buffer(np.zeros(count, np.uint32))
    for properties in (0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE):
        queue = cl.CommandQueue(m.context, properties=properties)
        host, other = np.zeros(count, np.uint32), np.zeros(count, np.uint32)
        # The device is at work, so that the host has its part of the read before it.
        waits = []
        for _ in range(10):
            waits = [slow(queue, (count,), None, from_device, np.uint32(300), wait_for=waits)]
        read = cl.enqueue_copy(queue, host, from_device, is_blocking=False, wait_for=waits)
        pointer(add, 0, host, library)
        add.set_arg(1, np.uint32(3))
        added = cl.enqueue_nd_range_kernel(queue, add, (count,), None, wait_for=[read])
        written = cl.enqueue_copy(queue, back, host, is_blocking=False, wait_for=[added])
        pointer(copy, 0, host, library)
        pointer(copy, 1, other, library)
        copied = cl.enqueue_nd_range_kernel(queue, copy, (count,), None, wait_for=[added])
        cl.wait_for_events([written, copied])
        assert (host == source + np.uint32(3)).all()
        assert (other == host).all()
        assert (m.read(back, np.uint32, count) == host).all()


def test_commands_take_it(m, library):
    """Fills, copies, maps and migrations of shared memory."""
    queue = ctypes.c_void_p(m.queue.int_ptr)
    one, two = words(1000, 2), words(1000, 3)
    address = lambda array: ctypes.c_void_p(array.ctypes.data)
    pattern = ctypes.c_uint32(0x1234567)
    fill, copy, size = library.clEnqueueSVMMemFill, library.clEnqueueSVMMemcpy, ctypes.c_size_t(4000)
    assert fill(queue, address(one), ctypes.byref(pattern), ctypes.c_size_t(4), size, 0, None, None) == 0
    assert copy(queue, 1, address(two), address(one), size, 0, None, None) == 0
    assert (one == 0x1234567).all() and (two == one).all()
    assert library.clEnqueueSVMMap(queue, 1, ctypes.c_uint64(1), address(one), size, 0, None, None) == 0
    assert library.clEnqueueSVMUnmap(queue, address(one), 0, None, None) == 0
    list_of = (ctypes.c_void_p * 1)(one.ctypes.data)
    migrate = library.clEnqueueSVMMigrateMem
    assert migrate(queue, 1, list_of, None, ctypes.c_uint64(0), 0, None, None) == 0
    m.queue.finish()
