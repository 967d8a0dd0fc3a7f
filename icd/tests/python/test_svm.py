"""Shared virtual memory (OpenCL API 5.6): pointers that host and device share."""

import ctypes

import numpy as np
import pyopencl as cl
import pytest

COARSE = cl.device_svm_capabilities.COARSE_GRAIN_BUFFER
FINE = cl.device_svm_capabilities.FINE_GRAIN_BUFFER


@pytest.fixture
def queue(m):
    return m.queue


@pytest.fixture
def svm(m):
    ctx = m.context
    if not ctx.devices[0].svm_capabilities & COARSE:
        pytest.skip("no shared virtual memory")
    return ctx


def allocate(ctx, count, dtype=np.int32):
    return cl.csvm_empty(ctx, (count,), dtype)


def test_kernels_and_maps_see_the_same_bytes(svm, queue):
    a = allocate(svm, 1000)
    with cl.SVM(a).map_rw(queue) as host:
        host[...] = np.arange(1000)
    prg = cl.Program(svm, "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }").build()
    prg.twice(queue, (1000,), None, cl.SVM(a))
    with cl.SVM(a).map_ro(queue) as host:
        assert (host == 2 * np.arange(1000)).all()


def test_a_list_linked_by_the_host_is_walked_by_a_kernel(svm, queue):
    """Pointers in memory mean the same to both."""
    count = 100
    nodes = allocate(svm, 2 * count, np.uint64)
    out = allocate(svm, 1, np.uint64)
    base = nodes.ctypes.data
    order = np.random.default_rng(1).permutation(count)
    with cl.SVM(nodes).map_rw(queue) as host:
        for here, there in zip(order, np.append(order[1:], -1)):
            host[2 * here] = here * here
            host[2 * here + 1] = 0 if there < 0 else base + 16 * int(there)
    prg = cl.Program(
        svm,
        """
        typedef struct Node { ulong value; global struct Node *next; } Node;
        kernel void sum(global Node *first, global ulong *out) {
            ulong total = 0;
            for (global Node *n = first; n; n = n->next) total = total * 3 + n->value;
            out[0] = total;
        }""",
    ).build()
    kernel = prg.sum
    first = np.uint64(base + 16 * int(order[0]))
    lib = ctypes.CDLL("libOpenCL.so.1")
    # The pointer into the middle of the allocation.
    status = lib.clSetKernelArgSVMPointer(ctypes.c_void_p(kernel.int_ptr), 0, ctypes.c_void_p(int(first)))
    assert status == 0
    kernel.set_arg(1, cl.SVM(out))
    cl.enqueue_nd_range_kernel(queue, kernel, (1,), None)
    expected = 0
    for here in order:
        expected = (expected * 3 + int(here) ** 2) % 2**64
    with cl.SVM(out).map_ro(queue) as host:
        assert int(host[0]) == expected


def test_kernels_reach_what_is_before_an_address(svm, queue):
    """An argument may be an address inside an allocation, and in the next launch a buffer again."""
    a, size = allocate(svm, 64), 8
    with cl.SVM(a).map_rw(queue) as host:
        host[...] = np.arange(64)
    buffer = cl.Buffer(svm, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(100, 164, dtype=np.int32))
    out = cl.Buffer(svm, cl.mem_flags.WRITE_ONLY, 4 * size)
    prg = cl.Program(svm, "kernel void near(global const int *p, global int *out, int by) "
                          "{ int i = get_global_id(0); out[i] = p[i + by] * 1000 + p[i * 2 + by + 1]; }").build()
    kernel, lib = prg.near, ctypes.CDLL("libOpenCL.so.1")
    kernel.set_arg(1, out)
    i = np.arange(size)

    def check(first, by):
        kernel.set_arg(2, np.int32(by))
        cl.enqueue_nd_range_kernel(queue, kernel, (size,), None)
        found = np.zeros(size, np.int32)
        cl.enqueue_copy(queue, found, out)
        assert (found == (first + i + by) * 1000 + first + i * 2 + by + 1).all()

    for _ in range(2):
        kernel.set_arg(0, buffer)
        check(100, 3)
        inside = ctypes.c_void_p(a.ctypes.data + 4 * 20)
        assert lib.clSetKernelArgSVMPointer(ctypes.c_void_p(kernel.int_ptr), 0, inside) == 0
        check(20, -16)


def test_copies_and_fills(svm, queue):
    a, b = allocate(svm, 64), allocate(svm, 64)
    plain = np.arange(64, dtype=np.int32)
    cl.enqueue_copy(queue, cl.SVM(a), plain)
    cl.enqueue_copy(queue, cl.SVM(b), cl.SVM(a))
    back = np.zeros(64, np.int32)
    cl.enqueue_copy(queue, back, cl.SVM(b))
    assert (back == plain).all()
    cl.enqueue_svm_memfill(queue, cl.SVM(a), np.int32(7))
    cl.enqueue_copy(queue, back, cl.SVM(a))
    assert (back == 7).all()


def test_a_buffer_over_shared_memory_is_the_same_memory(svm, queue):
    a = allocate(svm, 32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    buffer = cl.Buffer(svm, flags, hostbuf=a)
    assert buffer.get_info(cl.mem_info.USES_SVM_POINTER)
    cl.enqueue_fill_buffer(queue, buffer, np.int32(9), 0, 128)
    with cl.SVM(a).map_ro(queue) as host:
        assert (host == 9).all()


def test_fine_grained_memory_needs_no_maps(svm, queue):
    if not svm.devices[0].svm_capabilities & FINE:
        pytest.skip("coarse-grained only")
    a = cl.fsvm_empty(svm, (256,), np.int32)
    a[...] = 5
    prg = cl.Program(svm, "kernel void inc(global int *p) { p[get_global_id(0)]++; }").build()
    prg.inc(queue, (256,), None, cl.SVM(a))
    queue.finish()
    assert (a == 6).all()
