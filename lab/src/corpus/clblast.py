"""Makes CLBlast build all its programs, and runs some of them: `clblast.py FOLDER`, where FOLDER
holds libclblast.so.1 somewhere.

`CLBlastFillCache` builds the programs of most routines in every precision that the device has. The
others build theirs on first use. Results are compared with numpy's; the exit status says how it went.
"""

import ctypes
import pathlib
import sys

import numpy as np
import pyopencl as cl

ROW_MAJOR, NO, LEFT, LOWER, NON_UNIT, CROSS_CORRELATION = 101, 111, 141, 122, 131, 151

clblast = ctypes.CDLL(str(next(pathlib.Path(sys.argv[1]).rglob("libclblast.so.1"))))
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
random = np.random.default_rng(1)
failures = []


class Buffer:
    """An array on the device."""

    def __init__(self, array):
        self.array = np.ascontiguousarray(array, np.float32)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.memory = cl.Buffer(context, flags, hostbuf=self.array)

    def read(self):
        result = np.empty_like(self.array)
        cl.enqueue_copy(queue, result, self.memory)
        return result


def argument(value):
    """A Python value as CLBlast's C interface takes it."""
    if isinstance(value, Buffer):
        return ctypes.c_void_p(value.memory.int_ptr)
    if isinstance(value, float):
        return ctypes.c_float(value)
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.c_size_t(value)


def call(name, *values):
    """Calls a routine on the queue; a failure is noted."""
    handle = ctypes.c_void_p(queue.int_ptr)
    status = getattr(clblast, "CLBlast" + name)(*map(argument, values), ctypes.byref(handle), None)
    if status:
        failures.append(f"{name}: status {status}")
    return status == 0


def compare(name, result, expected):
    """Notes a result that is not what numpy has."""
    error = np.abs(result - expected).max() / max(1, np.abs(expected).max())
    print(f"{name}: relative error {error:.1e}")
    if not error < 1e-4:
        failures.append(f"{name}: relative error {error}")


def matrix(rows, columns):
    return random.uniform(-1, 1, (rows, columns)).astype(np.float32)


def gemm(m, n, k):
    a, b, c = matrix(m, k), matrix(k, n), matrix(m, n)
    out = Buffer(c)
    if call("Sgemm", ROW_MAJOR, NO, NO, m, n, k, 1.5, Buffer(a), 0, k, Buffer(b), 0, n, 0.5, out, 0, n):
        compare(f"Sgemm {m}x{n}x{k}", out.read(), 1.5 * a @ b + 0.5 * c)


def gemm_batched(count, size):
    a, b = matrix(count * size, size), matrix(count * size, size)
    offsets = np.arange(count, dtype=np.uintp) * size * size
    ones, zeros = np.ones(count, np.float32), np.zeros(count, np.float32)
    shapes = [x.reshape(count, size, size) for x in (a, b)]
    expected = (shapes[0] @ shapes[1]).reshape(a.shape)
    out = Buffer(np.zeros_like(a))
    if call("SgemmBatched", ROW_MAJOR, NO, NO, size, size, size, ones, Buffer(a), offsets, size, Buffer(b),
            offsets, size, zeros, out, offsets, size, count):
        compare("SgemmBatched", out.read(), expected)
    out, step = Buffer(np.zeros_like(a)), size * size
    if call("SgemmStridedBatched", ROW_MAJOR, NO, NO, size, size, size, 1.0, Buffer(a), 0, size, step,
            Buffer(b), 0, size, step, 0.0, out, 0, size, step, count):
        compare("SgemmStridedBatched", out.read(), expected)


def triangular(n):
    a, b = np.tril(matrix(n, n)) + 4 * np.eye(n, dtype=np.float32), matrix(n, n)
    out = Buffer(b)
    if call("Strsm", ROW_MAJOR, LEFT, LOWER, NO, NON_UNIT, n, n, 1.0, Buffer(a), 0, n, out, 0, n):
        compare("Strsm", out.read(), np.linalg.solve(a, b))
    out = Buffer(b[:, 0])
    if call("Strsv", ROW_MAJOR, LOWER, NO, NON_UNIT, n, Buffer(a), 0, n, out, 0, 1):
        compare("Strsv", out.read(), np.linalg.solve(a, b[:, 0]))


def vectors(n):
    x, y, z = matrix(1, n), matrix(1, n), matrix(1, n)
    out = Buffer(z)
    if call("Shad", n, 2.0, Buffer(x), 0, 1, Buffer(y), 0, 1, 0.5, out, 0, 1):
        compare("Shad", out.read(), 2 * x * y + 0.5 * z)
    half, offsets = n // 2, np.array([0, n // 2], np.uintp)
    out = Buffer(y)
    if call("SaxpyBatched", half, np.array([2, 3], np.float32), Buffer(x), offsets, 1, out, offsets, 1, 2):
        scale = np.repeat(np.array([2, 3], np.float32), half)
        compare("SaxpyBatched", out.read(), y + scale * x)


def convolution(channels, size, kernels):
    """3x3 kernels on one image, padded by 1."""
    image, weights = matrix(channels * size, size), matrix(kernels * channels, 9)
    padded = np.pad(image.reshape(channels, size, size), ((0, 0), (1, 1), (1, 1)))
    windows = [padded[:, y:y + size, x:x + size] for y in range(3) for x in range(3)]
    columns = np.stack(windows, 1).reshape(channels * 9, size * size)
    shape = (CROSS_CORRELATION, channels, size, size, 3, 3, 1, 1, 1, 1, 1, 1)
    out = Buffer(np.zeros_like(columns))
    if call("Sim2col", *shape, Buffer(image), 0, out, 0):
        compare("Sim2col", out.read(), columns)
    call("Scol2im", *shape, Buffer(columns), 0, Buffer(image), 0)
    out = Buffer(np.zeros((kernels, size * size)))
    if call("Sconvgemm", *shape, kernels, 1, Buffer(image), 0, Buffer(weights), 0, out, 0):
        compare("Sconvgemm", out.read(), weights.reshape(kernels, -1) @ columns)


status = clblast.CLBlastFillCache(ctypes.c_void_p(device.int_ptr))
if status:
    failures.append(f"FillCache: status {status}")
gemm(33, 17, 65)
gemm(512, 512, 256)
gemm_batched(3, 20)
triangular(70)
vectors(1024)
convolution(2, 16, 4)
queue.finish()
sys.exit("\n".join(failures) or 0)
