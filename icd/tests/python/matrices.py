"""Cooperative matrices through the loader: what a device computes (cl_khr_cooperative_matrix)."""

import ctypes

import numpy as np

NAME = "cl_khr_cooperative_matrix"
DEFAULT_VARIANTS, VARIANTS, ALIGNMENT, STRIDE = 0x1078, 0x1079, 0x107A, 0x107B
# The sizes of a product, its four types, and whether it saturates.
WORDS = 8
# By the numbers of component types.
KINDS = ["half", "float", "double", "char", "short", "int", "long", "uchar", "ushort", "uint", "ulong"]
# VK_COMPONENT_TYPE_BFLOAT16_KHR.
BFLOAT16 = 1000141000
NAMES = {**dict(enumerate(KINDS)), BFLOAT16: "bfloat16"}
DTYPES = dict(zip(KINDS, [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8,
                          np.uint16, np.uint32, np.uint64]))

_cl = ctypes.CDLL("libOpenCL.so.1")
_cl.clGetExtensionFunctionAddressForPlatform.restype = ctypes.c_void_p
_cl.clGetExtensionFunctionAddressForPlatform.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


class Queries:
    """clGetDeviceCooperativeMatrixInfoKHR, and the device that is asked."""

    def __init__(self, m):
        address = _cl.clGetExtensionFunctionAddressForPlatform(
            m.platform.int_ptr, b"clGetDeviceCooperativeMatrixInfoKHR")
        assert address, "the function is not found"
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        kind = ctypes.CFUNCTYPE(ctypes.c_int, pointer, ctypes.c_uint, size, pointer, size, pointer, pointer)
        self.function, self.device = kind(address), m.device.int_ptr

    def ask(self, name, group_size=None, room=1 << 16):
        """The status, and the rows of the answer."""
        given = None if group_size is None else ctypes.c_uint(group_size)
        place, length = ctypes.create_string_buffer(max(room, 1)), ctypes.c_size_t(0)
        status = self.function(self.device, name, 0 if given is None else 4,
                               None if given is None else ctypes.byref(given), room, place, ctypes.byref(length))
        return status, np.frombuffer(place.raw[:length.value], np.uint32).reshape(-1, WORDS)


class Product:
    """A product that the device computes: `a` (m x k) * `b` (k x n) + `c` -> `result` (m x n)."""

    def __init__(self, row):
        self.m, self.n, self.k, *kinds, saturates = (int(word) for word in row)
        self.a, self.b, self.c, self.result = (NAMES[kind] for kind in kinds)
        self.saturates = bool(saturates)

    def has_bfloat16(self):
        """True if a matrix is of bfloat16."""
        return "bfloat16" in (self.a, self.b, self.c, self.result)

    def __repr__(self):
        how = " (saturating)" if self.saturates else ""
        return f"{self.a} {self.m}x{self.k} * {self.b} {self.k}x{self.n} + {self.c} -> {self.result}{how}"


def is_listed(m):
    """True if the device offers the extension."""
    return NAME in m.device.extensions.split()


def products(m):
    """All products that the device computes."""
    status, rows = Queries(m).ask(DEFAULT_VARIANTS)
    assert status == 0
    return [Product(row) for row in rows]


def group_size(m):
    """Work-items of a sub-group."""
    source = "kernel void f(global uint *o) { *o = get_max_sub_group_size(); }"
    out = m.empty(4)
    m.build(source, ["-cl-std=CL3.0"]).f(m.queue, (1,), (1,), out)
    return int(m.read(out, np.uint32, 1)[0])
