"""Functions of cl_amd_media_ops and cl_amd_media_ops2, by what the texts of the extensions say of a component."""

import numpy as np
import pyopencl as cl
import pytest

WORD, COUNT = 0xFFFFFFFF, 1024
LANES = (1, 2, 4, 8, 16)


@pytest.fixture(autouse=True)
def offered(m):
    if not m.is_hekla:
        pytest.skip("functions of few platforms")
    assert {"cl_amd_media_ops", "cl_amd_media_ops2"} <= set(m.device.extensions.split())


def bits(x, low, count=8):
    return x >> low & (1 << count) - 1


def signed(x):
    return x - (1 << 32) if x >> 31 else x


def sad(x, y, total, masked=False):
    pairs = [(bits(x, 8 * i), bits(y, 8 * i)) for i in range(4)]
    return total + sum(abs(a - b) for a, b in pairs if b or not masked)


def sadhi(x, y, total):
    return total + (sad(x, y, 0) << 16)


def sadw(x, y, total):
    return total + sum(abs(bits(x, i, 16) - bits(y, i, 16)) for i in (0, 16))


def qsad(x, y, totals, masked=False):
    words = [sad(x >> 8 * i, y, bits(totals, 16 * i, 16), masked) & 0xFFFF for i in range(4)]
    return sum(word << 16 * i for i, word in enumerate(words))


def lerp(x, y, up):
    return sum((bits(x, i) + bits(y, i) + bits(up, i, 1) >> 1) << i for i in (0, 8, 16, 24))


def align(high, low, by):
    return (high << 32 | low) >> by


def bfe(x, offset, width, shift):
    offset, width = offset & 31, width & 31
    if width == 0:
        return 0
    if offset + width < 32:
        return shift(x << (32 - offset - width) & WORD, 32 - width)
    return shift(x, offset)


FUNCTIONS = {
    "amd_unpack0": ("float", ["uint"], lambda x: bits(x, 0)),
    "amd_unpack1": ("float", ["uint"], lambda x: bits(x, 8)),
    "amd_unpack2": ("float", ["uint"], lambda x: bits(x, 16)),
    "amd_unpack3": ("float", ["uint"], lambda x: bits(x, 24)),
    "amd_bitalign": ("uint", ["uint"] * 3, lambda x, y, z: align(x, y, z & 31)),
    "amd_bytealign": ("uint", ["uint"] * 3, lambda x, y, z: align(x, y, (z & 3) * 8)),
    "amd_lerp": ("uint", ["uint"] * 3, lerp),
    "amd_sad": ("uint", ["uint"] * 3, sad),
    "amd_sadhi": ("uint", ["uint"] * 3, sadhi),
    "amd_msad": ("uint", ["uint"] * 3, lambda x, y, z: sad(x, y, z, True)),
    "amd_qsad": ("ulong", ["ulong", "uint", "ulong"], qsad),
    "amd_mqsad": ("ulong", ["ulong", "uint", "ulong"], lambda x, y, z: qsad(x, y, z, True)),
    "amd_sadw": ("uint", ["uint"] * 3, sadw),
    "amd_sadd": ("uint", ["uint"] * 3, lambda x, y, z: z + abs(x - y)),
    "amd_bfm": ("uint", ["uint"] * 2, lambda x, y: ((1 << (x & 31)) - 1) << (y & 31)),
}
OVERLOADED = {
    "amd_bfe": lambda kind: lambda x, y, z: bfe(x, y, z, lambda a, n: (signed(a) if kind == "int" else a) >> n),
    "amd_median3": lambda kind: lambda *args: sorted(args)[1],
    "amd_min3": lambda kind: min,
    "amd_max3": lambda kind: max,
}
CASES = [(name, *rest) for name, rest in FUNCTIONS.items()]
for name in ("amd_median3", "amd_min3", "amd_max3"):
    CASES += [(name, kind, [kind] * 3, OVERLOADED[name](kind)) for kind in ("int", "uint", "float")]
CASES += [("amd_bfe", kind, [kind, "uint", "uint"], OVERLOADED["amd_bfe"](kind)) for kind in ("int", "uint")]
DTYPES = {"uint": np.uint32, "int": np.int32, "float": np.float32, "ulong": np.uint64}


def values(rng, kind, count):
    if kind == "float":
        return rng.normal(size=count).astype(np.float32)
    words = rng.integers(0, 2**64, count, dtype=np.uint64)
    # Bytes that are zero, that are equal and that are greatest.
    words[::3] &= np.uint64(0xFF00FF0000FFFF00)
    words[::5] |= np.uint64(0x00FF0000FF0000FF)
    if DTYPES[kind]().itemsize == 4:
        words[::7] %= np.uint64(40)
        words = words.astype(np.uint32)
    return words.view(DTYPES[kind])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name,result,kinds,model", CASES, ids=[f"{name}-{result}" for name, result, *_ in CASES])
def test_function(m, rng, name, result, kinds, model, lanes):
    extension = "cl_amd_media_ops" if name in list(FUNCTIONS)[:9] else "cl_amd_media_ops2"
    ty = lambda kind: kind if lanes == 1 else f"{kind}{lanes}"  # noqa: E731
    params = ", ".join(f"global {ty(kind)} *p{i}" for i, kind in enumerate(kinds))
    args = ", ".join(f"p{i}[get_global_id(0)]" for i in range(len(kinds)))
    program = m.build(f"""
        #ifndef {extension}
        #error no macro
        #endif
        #pragma OPENCL EXTENSION {extension} : enable
        kernel void f({params}, global {ty(result)} *out) {{ out[get_global_id(0)] = {name}({args}); }}""")
    arrays = [values(rng, kind, COUNT) for kind in kinds]
    dtype = DTYPES[result]
    out = m.empty(COUNT * dtype().itemsize)
    program.f(m.queue, (COUNT // lanes,), None, *map(m.buffer, arrays), out)
    got = m.read(out, dtype, COUNT)
    # The models count with bits of a field, or with numbers that have an order.
    models = [it.view(np.uint32) if name == "amd_bfe" and it.dtype == np.int32 else it for it in arrays]
    want = [model(*row) for row in zip(*(it.tolist() for it in models))]
    if result != "float":
        want = [it % (1 << 8 * dtype().itemsize) for it in want]
        got = got.view(f"u{dtype().itemsize}")
    assert got.tolist() == want


def test_packing(m, rng):
    numbers = rng.uniform(0, 300, (COUNT, 4)).astype(np.float32)
    words = [rng.integers(0, 2**32, shape, dtype=np.uint32) for shape in ((COUNT, 4), (COUNT, 4), (COUNT, 1))]
    program = m.build("""
        kernel void f(global float4 *x, global uint4 *a, global uint4 *b, global uint *c, global uint2 *out) {
            size_t i = get_global_id(0);
            out[i] = (uint2)(amd_pack(x[i]), amd_sad4(a[i], b[i], c[i]));
        }""")
    out = m.empty(8 * COUNT)
    program.f(m.queue, (COUNT,), None, m.buffer(numbers), *map(m.buffer, words), out)
    got = m.read(out, np.uint32, (COUNT, 2))
    packed = [sum((int(x) & 0xFF) << 8 * i for i, x in enumerate(row)) for row in numbers.tolist()]
    sums = [sum(sad(x, y, 0) for x, y in zip(a, b)) + c[0] & WORD for a, b, c in zip(*(it.tolist() for it in words))]
    assert got[:, 0].tolist() == packed and got[:, 1].tolist() == sums


def test_a_wrong_number_of_arguments(m):
    with pytest.raises(cl.RuntimeError, match="no matching function"):
        m.build("kernel void f(global uint *p) { *p = amd_sad4((uint4)1, (uint4)1); }")
