"""cl_intel_bfloat16_conversions against arithmetic of integers, for all bfloat16 and for floats near ties."""

import numpy as np
import pytest

LANES = (1, 2, 3, 4, 8, 16)
SOURCE = """
#ifndef cl_intel_bfloat16_conversions
#error no macro
#endif
#pragma OPENCL EXTENSION cl_intel_bfloat16_conversions : enable
kernel void narrow(global FROM *in, global ushort *out) { size_t i = get_global_id(0); STORE(NARROW(AS_FLOAT(LOAD)), i, out); }
kernel void widen(global ushort *in, global uint *out) { size_t i = get_global_id(0); STORE(AS_UINT(WIDEN(LOAD)), i, out); }
"""


@pytest.fixture(autouse=True)
def offered(m):
    if not m.is_hekla:
        pytest.skip("functions of few platforms")
    assert "cl_intel_bfloat16_conversions" in m.device.extensions.split()


def build(m, lanes):
    n = "" if lanes == 1 else lanes
    macros = {"FROM": "uint", "NARROW": f"intel_convert_bfloat16{n}_as_ushort{n}",
              "WIDEN": f"intel_convert_as_bfloat16{n}_float{n}", "AS_FLOAT": f"as_float{n}", "AS_UINT": f"as_uint{n}",
              "LOAD": f"vload{n}(i,in)" if n else "in[i]",
              "STORE(x,i,p)": f"vstore{n}(x,i,p)" if n else "p[i]=x"}
    return m.build("".join(f"#define {name} {text}\n" for name, text in macros.items()) + SOURCE)


def rounded(words):
    """The nearest upper halves, even ones in the middle; NaNs become quiet."""
    words = words.astype(np.uint64)
    nearest = (words + 0x7FFF + (words >> 16 & 1)) >> 16
    is_nan = (words & 0x7FFFFFFF) > 0x7F800000
    return np.where(is_nan, words >> 16 | 0x40, nearest).astype(np.uint16)


@pytest.mark.parametrize("lanes", LANES)
def test_narrowing(m, rng, lanes):
    halves = np.arange(1 << 16, dtype=np.uint32) << 16
    ends = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    words = np.concatenate([(halves[:, None] | ends).flatten(), rng.integers(0, 2**32, 3 << 16, dtype=np.uint32)])
    out = m.empty(2 * len(words))
    build(m, lanes).narrow(m.queue, (len(words) // lanes,), None, m.buffer(words), out)
    np.testing.assert_array_equal(m.read(out, np.uint16, len(words)), rounded(words))


@pytest.mark.parametrize("lanes", LANES)
def test_widening(m, lanes):
    halves = np.resize(np.arange(1 << 16, dtype=np.uint16), 3 << 16)
    out = m.empty(4 * len(halves))
    build(m, lanes).widen(m.queue, (len(halves) // lanes,), None, m.buffer(halves), out)
    np.testing.assert_array_equal(m.read(out, np.uint32, len(halves)), halves.astype(np.uint32) << 16)
