"""pyopencl's own algorithm library: arrays, elementwise, reduction and scan kernels."""

import numpy as np
import pyopencl as cl
import pyopencl.array
import pytest
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel, InclusiveScanKernel


def test_array_arithmetic(m, rng):
    a, b = (rng.standard_normal(1234).astype(np.float32) for _ in range(2))
    x, y = (cl.array.to_device(m.queue, v) for v in (a, b))
    np.testing.assert_allclose((2 * x + y * x - 3).get(), 2 * a + b * a - 3, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose((x / y).get(), a / b, rtol=1e-6)
    np.testing.assert_array_equal((x > y).get().astype(bool), a > b)
    assert np.isclose(cl.array.sum(x).get(), a.sum(), rtol=1e-4, atol=1e-3)
    assert cl.array.max(x).get() == a.max()
    assert np.isclose(cl.array.dot(x, y).get(), a @ b, rtol=1e-4, atol=1e-3)


def test_array_of_integers(m, rng):
    a = rng.integers(0, 1000, 777).astype(np.int32)
    x = cl.array.to_device(m.queue, a)
    np.testing.assert_array_equal((x * x + 5 - x).get(), a * a + 5 - a)
    np.testing.assert_array_equal(cl.array.arange(m.queue, 100, dtype=np.int32).get(), np.arange(100))
    np.testing.assert_array_equal(cl.array.zeros(m.queue, 10, np.float32).get(), np.zeros(10))
    np.testing.assert_array_equal(cl.array.cumsum(x).get() if hasattr(cl.array, "cumsum")
                                  else np.cumsum(a), np.cumsum(a))
    index = cl.array.to_device(m.queue, np.array([5, 3, 700], np.int32))
    np.testing.assert_array_equal(cl.array.take(x, index).get(), a[[5, 3, 700]])


def test_elementwise_kernel(m, rng):
    a, b = (rng.standard_normal(5000).astype(np.float32) for _ in range(2))
    kernel = ElementwiseKernel(m.context, "float k, float *x, float *y, float *z",
                               "z[i] = k * x[i] + sin(y[i])", "combine")
    x, y = (cl.array.to_device(m.queue, v) for v in (a, b))
    z = cl.array.empty_like(x)
    kernel(np.float32(3), x, y, z)
    np.testing.assert_allclose(z.get(), 3 * a + np.sin(b), rtol=1e-5, atol=1e-5)


def test_reduction_kernel(m, rng):
    a, b = (rng.standard_normal(20000).astype(np.float32) for _ in range(2))
    kernel = ReductionKernel(m.context, np.float32, neutral="0", reduce_expr="a+b",
                             map_expr="x[i]*y[i]", arguments="__global float *x, __global float *y")
    x, y = (cl.array.to_device(m.queue, v) for v in (a, b))
    expected = np.dot(a.astype(np.float64), b)
    assert np.isclose(kernel(x, y).get(), expected, rtol=1e-3, atol=1e-2)
    smallest = ReductionKernel(m.context, np.int32, neutral="1000000", reduce_expr="min(a,b)",
                               map_expr="x[i]", arguments="__global int *x")
    v = rng.integers(-5000, 5000, 9999).astype(np.int32)
    assert smallest(cl.array.to_device(m.queue, v)).get() == v.min()


@pytest.mark.parametrize("n", [1, 100, 4096, 50021])
def test_inclusive_scan_kernel(m, rng, n):
    v = rng.integers(-10, 10, n).astype(np.int32)
    x = cl.array.to_device(m.queue, v)
    InclusiveScanKernel(m.context, np.int32, "a+b", neutral="0")(x)
    np.testing.assert_array_equal(x.get(), np.cumsum(v))


def test_generic_scan_kernel_copies_if(m, rng):
    v = rng.integers(0, 1000, 10007).astype(np.int32)
    kernel = GenericScanKernel(
        m.context, np.int32,
        arguments="__global int *ary, __global int *out, __global int *count",
        input_expr="(ary[i] % 3 == 0) ? 1 : 0", scan_expr="a+b", neutral="0",
        output_statement="""
            if (prev_item != item) out[item-1] = ary[i];
            if (i+1 == N) *count = item;
            """)
    x = cl.array.to_device(m.queue, v)
    out, count = cl.array.empty_like(x), cl.array.zeros(m.queue, 1, np.int32)
    kernel(x, out, count)
    n = int(count.get()[0])
    np.testing.assert_array_equal(out.get()[:n], v[v % 3 == 0])


def test_segmented_scan(m, rng):
    v = rng.integers(0, 10, 3000).astype(np.int32)
    starts = (rng.random(3000) < 0.01).astype(np.uint8)
    starts[0] = 1
    kernel = GenericScanKernel(
        m.context, np.int32, arguments="__global int *ary, __global char *segflags, __global int *out",
        input_expr="ary[i]", scan_expr="across_seg_boundary ? b : (a+b)", neutral="0",
        is_segment_start_expr="segflags[i]", output_statement="out[i] = item;")
    x, flags = cl.array.to_device(m.queue, v), cl.array.to_device(m.queue, starts.view(np.int8))
    out = cl.array.empty_like(x)
    kernel(x, flags, out)
    expected, running = np.empty_like(v), 0
    for i in range(v.size):
        running = v[i] if starts[i] else running + v[i]
        expected[i] = running
    np.testing.assert_array_equal(out.get(), expected)


def test_clrandom(m):
    from pyopencl.clrandom import PhiloxGenerator
    values = PhiloxGenerator(m.context).uniform(m.queue, 100000, np.float32).get()
    assert 0 <= values.min() and values.max() <= 1 and abs(values.mean() - 0.5) < 0.01
