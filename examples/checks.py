"""Tells a program what its kernels find out about themselves (HEKLA_CHECK, docs/check.md): a callback for pyopencl.

usage: HEKLA_CHECK=all checks.py
"""

import ctypes

import numpy as np
import pyopencl as cl


class Finding(ctypes.Structure):
    """hekla_check_finding of hekla.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("kind", ctypes.c_char_p), ("kernel", ctypes.c_char_p), ("file", ctypes.c_char_p),
                ("line", ctypes.c_uint32), ("column", ctypes.c_uint32), ("global_id", ctypes.c_uint32 * 3),
                ("local_id", ctypes.c_uint32 * 3), ("count", ctypes.c_uint64), ("what", ctypes.c_char_p), ("message", ctypes.c_char_p)]


CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(Finding), ctypes.c_void_p)


def set_callback(platform, function):
    """Has `function` called with each finding, a Finding that is valid until it returns; None for no function. Returns what must
    live as long as it may be called."""
    library = ctypes.CDLL("libOpenCL.so.1")
    find = library.clGetExtensionFunctionAddressForPlatform
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    setter = ctypes.CFUNCTYPE(ctypes.c_int, CALLBACK, ctypes.c_void_p)(find(platform.int_ptr, b"clSetCheckCallbackHEKLA"))
    callback = CALLBACK(lambda finding, _: function(finding.contents)) if function else CALLBACK()
    assert setter(callback, None) == 0
    return callback


SOURCE = """
kernel void shift(global int *a, int n) {
    int i = get_global_id(0);
    a[i + n] = i;
}
"""


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    kept = set_callback(queue.device.platform, lambda it: print(
        f"{it.kernel.decode()}, line {it.line}: {it.kind.decode()} by work-item {tuple(it.global_id)}, {it.count} times: {it.what.decode()}"))
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(16, np.int32))
    kernel = cl.Program(context, SOURCE).build().shift
    for n in (0, 3, 5):
        kernel(queue, (16,), None, buffer, np.int32(n))
        queue.finish()
    set_callback(queue.device.platform, None)
    kernel(queue, (16,), None, buffer, np.int32(7))
    queue.finish()
    del kept


if __name__ == "__main__":
    main()
