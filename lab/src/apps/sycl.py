"""Evaluates an expression with numpy and, by SYCL on the OpenCL device, with dpnp; prints how far apart the results are.

Usage: sycl.py EXPRESSION"""

import sys

import dpctl
import dpnp
import numpy as np

random = np.random.default_rng(1)
ARRAYS = {
    "f": random.random(1 << 14, dtype=np.float32),
    "d": random.random(5000),
    "i": random.integers(-1000, 1000, 5000).astype(np.int32),
    "k": random.integers(0, 100, 3000),
    "b": random.integers(-128, 127, 3001).astype(np.int8),
    "h": random.random(1000).astype(np.float16),
    "c": (random.random(1024) + 1j * random.random(1024)).astype(np.complex64),
    "m": random.random((64, 48), dtype=np.float32),
    "n": random.random((48, 80), dtype=np.float32),
    "s": random.random((32, 32)) + 32 * np.eye(32),
}
# What results may be off by, of their size.
TOLERANCES = {np.float16: 2e-3, np.float32: 2e-5, np.complex64: 2e-5}


def evaluate(xp, array):
    """Returns the expression's value; `array` makes an array of a kind of memory, or of any."""
    kinds = {kind: lambda x, kind=kind: array(x, kind) for kind in ("device", "shared", "host")}
    arrays = {name: array(value, None) for name, value in ARRAYS.items()}
    return eval(sys.argv[1], {"xp": xp, **kinds, **arrays})


def on_device(value, kind):
    """Copies an array, or what is on the device already, to memory of a kind."""
    return dpnp.asarray(value, usm_type=kind)


queue = dpctl.SyclQueue()
if queue.backend != dpctl.backend_type.opencl:
    sys.exit(f"the device is of {queue.backend}")
expected = np.asarray(evaluate(np, lambda value, _: value))
got = np.asarray(dpnp.asnumpy(evaluate(dpnp, on_device)))
if got.shape != expected.shape:
    sys.exit(f"{got.shape} in place of {expected.shape}")
if expected.dtype.kind not in "fc":
    error, tolerance = np.count_nonzero(got != expected), 0
else:
    tolerance = TOLERANCES.get(got.dtype.type, 1e-11)
    size = np.abs(expected).max()
    error = np.abs(got.astype(np.complex128) - expected).max() / size
if not error <= tolerance:
    wrong = np.flatnonzero(np.ravel(~np.isclose(got, expected)))
    sys.exit(f"off by {error}: {wrong.size} of {got.size}, the first is number {wrong[:1]}")
print(f"result {got.dtype} {got.shape} off by {error:.1e}")
