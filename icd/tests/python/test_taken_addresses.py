"""Shared allocations in a process that uses the addresses at which the device's memory lies."""

import ctypes
import subprocess

import numpy as np
import pyopencl as cl
import pytest
import usm as u
from conftest import PYTHON
from usm import Usm, view

PRIVATE_ANONYMOUS_FIXED_NOREPLACE = 0x02 | 0x20 | 0x100000
PAGES = 0x10000
TAKEN = 48 << 20
SOURCE = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }"


def take(start, size):
    """Maps what is free between addresses, for nothing. Returns the number of bytes."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    arguments = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mmap.argtypes = arguments
    start -= start % PAGES
    at = range(start, start + size, PAGES)
    mapped = [libc.mmap(a, PAGES, 0, PRIVATE_ANONYMOUS_FIXED_NOREPLACE, -1, 0) == a for a in at]
    return sum(mapped) * PAGES


def twice(queue, usm, kernel, kind, size):
    """Checks an allocation's contents after a kernel has doubled them; returns the address."""
    count = min(size // 4, 1 << 20)
    numbers = np.arange(count, dtype=np.int32)
    address = usm.allocate(kind, size)
    usm.write(address, numbers)
    usm.set_arg(kernel, 0, address)
    cl.enqueue_nd_range_kernel(queue, kernel, (count,), None).wait()
    result = usm.read(address, count) if kind == "device" else view(address, count)
    assert (result == 2 * numbers).all(), (kind, size)
    return address


def svm_twice(context, queue, kernel):
    numbers = np.arange(1000, dtype=np.int32)
    svm = cl.SVM(cl.csvm_empty(context, (1000,), np.int32))
    with svm.map_rw(queue) as mapped:
        mapped[:] = numbers
    kernel.set_arg(0, svm)
    cl.enqueue_nd_range_kernel(queue, kernel, (1000,), None).wait()
    with svm.map_ro(queue) as mapped:
        assert (mapped == 2 * numbers).all()


def main():
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    usm = Usm(context, queue)
    kernel = cl.Program(context, SOURCE).build().twice
    kinds = ["device"]
    if usm.capabilities(u.HOST_CAPABILITIES):
        kinds += ["host", "shared"]
    first = {kind: usm.allocate(kind, 4096) for kind in kinds}
    print({kind: take(address, TAKEN) for kind, address in first.items()})
    for kind in kinds:
        sizes = [4096, 100, 5 << 20, 65536] * 4
        addresses = [twice(queue, usm, kernel, kind, size) for size in sizes]
        ranges = sorted(zip(addresses, sizes, strict=True))
        assert all(a + n <= b for (a, n), (b, _) in zip(ranges, ranges[1:], strict=False))
        # What is freed is there again; the others' bytes stay.
        for address in addresses[::2]:
            usm.blocking_free(address)
        for size in sizes[::2]:
            usm.blocking_free(twice(queue, usm, kernel, kind, size))
        if kind != "device":
            for address, size in list(zip(addresses, sizes, strict=True))[1::2]:
                assert view(address, 25)[24] == 48, size
        for address in addresses[1::2]:
            usm.blocking_free(address)
    if context.devices[0].svm_capabilities:
        svm_twice(context, queue, kernel)
    print("done")


def test_allocations_lie_where_the_host_has_nothing(m):
    if "cl_intel_unified_shared_memory" not in m.device.extensions.split():
        pytest.skip("no unified shared memory")
    ended = subprocess.run([*PYTHON, __file__], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0 and "done" in ended.stdout, ended.stdout + ended.stderr


if __name__ == "__main__":
    main()
