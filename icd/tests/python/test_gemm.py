"""examples/gemm.py: products of matrices of any size, by matrix units where the device has them, else by its plain kernel."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples"))
import gemm  # noqa: E402

KINDS = [(kind, result) for kind, (_, _, results) in gemm.KINDS.items() for result in results]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("kind, result", KINDS)
def test_products_of_any_size(m, rng, kind, result, plain):
    if result == 0 and "cl_khr_fp16" not in m.device.extensions.split():
        pytest.skip("no half")
    # Small blocks, since drivers that compile for processors take long over large ones.
    multiplier = gemm.Multiplier(m.context, m.queue, plain, {"SM": 2, "SN": 2, "BM": 4, "BN": 4})
    factor, (_, sums) = gemm.KINDS[kind][1], gemm.KINDS[kind][2][result]
    for rows, deep, columns in [(1, 1, 1), (70, 33, 130), (64, 100, 16)]:
        a, b = rng.integers(0, 3, (rows, deep)).astype(factor), rng.integers(0, 3, (deep, columns)).astype(factor)
        expected = (a.astype(np.int64) @ b.astype(np.int64)).astype(sums)
        np.testing.assert_array_equal(multiplier.multiply(a, b, kind, result), expected)


@pytest.mark.parametrize("blocks, macros", [
    ({"SM": 2, "SN": 1, "BM": 4, "BN": 4}, {"BUFFERS": 2}),
    ({"SM": 1, "SN": 2, "BM": 2, "BN": 4}, {"GROUP_ROWS": 2}),
    ({"SM": 2, "SN": 2, "BM": 4, "BN": 4}, {"LATE": 1}),
    ({"SM": 2, "SN": 2, "BM": 4, "BN": 4}, {"LATE": 1, "BUFFERS": 2, "HELD": 1, "PAD": 0}),
    ({"SM": 2, "SN": 1, "BM": 4, "BN": 4}, {"BUFFERS": 2, "HELD": 2, "PAD": 2}),
])
def test_blocks_may_have_other_sizes(m, rng, blocks, macros):
    multiplier = gemm.Multiplier(m.context, m.queue, blocks=blocks)
    options = multiplier.options("half", 1)
    if "USE_MATRICES" not in options:
        pytest.skip("no matrices")
    multiplier.options = lambda kind, result: {**options, **macros}
    a, b = rng.integers(-2, 3, (130, 100)).astype(np.float16), rng.integers(-2, 3, (100, 70)).astype(np.float16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(multiplier.multiply(a, b), expected)
