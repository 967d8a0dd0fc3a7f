"""Integer functions of OpenCL C 3.1 against numpy: extended bit operations of all types and dot products."""

import numpy as np
import pyopencl as cl
import pytest

TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16,
         "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
COUNT = 64


def random_words(rng, dtype, count):
    bits = rng.integers(0, 2**64, count, dtype=np.uint64)
    return bits.astype(f"u{np.dtype(dtype).itemsize}").view(dtype)


def fields(bits):
    """All offsets and counts of a type's fields."""
    return [(offset, count) for offset in range(bits + 1) for count in range(bits + 1 - offset)]


def run(m, source, arrays, out, size):
    program = m.build(source)
    buffers = [m.buffer(array) for array in arrays] + [m.buffer(out)]
    program.test(m.queue, (size,), None, *buffers)
    return m.read(buffers[-1], out.dtype, out.shape)


@pytest.mark.parametrize("name", TYPES)
def test_bit_fields(m, rng, name):
    """Inserts and extracts every field of a type."""
    dtype = TYPES[name]
    bits = 8 * np.dtype(dtype).itemsize
    unsigned = name if name.startswith("u") else "u" + name
    signed = unsigned[1:]
    all_fields = np.array(fields(bits), np.uint32)
    count = len(all_fields)
    base, insert = random_words(rng, dtype, count), random_words(rng, dtype, count)
    source = f"""
        kernel void test(global {name} *base, global {name} *insert, global uint2 *field,
                         global {unsigned} *out) {{
            size_t i = get_global_id(0);
            out[4 * i] = bitfield_insert(base[i], insert[i], field[i].x, field[i].y);
            out[4 * i + 1] = bitfield_extract_unsigned(base[i], field[i].x, field[i].y);
            {signed} s = bitfield_extract_signed(base[i], field[i].x, field[i].y);
            out[4 * i + 2] = s;
            out[4 * i + 3] = bit_reverse(base[i]);
        }}"""
    u = TYPES[unsigned]
    got = run(m, source, [base, insert, all_fields], np.zeros((count, 4), u), count)
    for i, (offset, width) in enumerate(all_fields.tolist()):
        b, n = int(base.view(u)[i]), int(insert.view(u)[i])
        ones = (1 << width) - 1
        field = b >> offset & ones
        wide = field - (1 << width) if width and field >> (width - 1) else field
        want = [b & ~(ones << offset) | (n & ones) << offset, field, wide % (1 << bits),
                int(format(b, f"0{bits}b")[::-1], 2)]
        assert got[i].tolist() == want, (offset, width)


@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("name", ["char", "ushort", "int", "ulong"])
def test_bit_fields_of_vectors(m, rng, name, lanes):
    """One offset and count are for all components."""
    dtype = TYPES[name]
    values = random_words(rng, dtype, 2 * COUNT * lanes)
    source = f"""
        kernel void test(global {name} *in, global {name} *out) {{
            size_t i = get_global_id(0);
            {name}{lanes} a = vload{lanes}(2 * i, in), b = vload{lanes}(2 * i + 1, in);
            vstore{lanes}(bitfield_insert(a, b, 3u, 4u), 3 * i, out);
            vstore{lanes}(bit_reverse(a), 3 * i + 1, out);
            vstore{lanes}(as_{name}{lanes}(bitfield_extract_signed(b, 1u, 5u)), 3 * i + 2, out);
        }}"""
    out = run(m, source, [values], np.zeros((COUNT, 3, lanes), dtype), COUNT)
    u = np.dtype(f"u{np.dtype(dtype).itemsize}")
    bits = 8 * u.itemsize
    a, b = (values.view(u).reshape(COUNT, 2, lanes)[:, i] for i in (0, 1))
    mask = u.type(0x78)
    assert (out.view(u)[:, 0] == (a & ~mask | (b << u.type(3)) & mask)).all()
    flipped = [int(format(int(x), f"0{bits}b")[::-1], 2) for x in a.flat]
    assert out.view(u)[:, 1].flatten().tolist() == flipped
    field = (b.astype(np.int64) >> 1) & 31
    assert (out.view(u)[:, 2] == np.where(field > 15, field - 32, field).astype(u)).all()


def dot(a, b):
    return (a.astype(np.int64) * b.astype(np.int64)).sum(axis=1)


@pytest.mark.parametrize("signs", ["uu", "ss", "us", "su"])
def test_dot_products(m, rng, signs):
    """Of vectors and of packed words, added to numbers near the bounds and far from them."""
    kinds = [np.int8 if sign == "s" else np.uint8 for sign in signs]
    count = 4096
    a, b = (rng.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, (count, 4)).astype(kind)
            for kind in kinds)
    a[:16], b[:16] = np.iinfo(kinds[0]).max, np.iinfo(kinds[1]).max
    a[16:32], b[16:32] = np.iinfo(kinds[0]).min, np.iinfo(kinds[1]).min
    name = "uint" if signs == "uu" else "int"
    bounds = np.iinfo(TYPES[name])
    acc = random_words(rng, TYPES[name], count)
    acc[:64] = rng.integers(bounds.max - 100000, bounds.max, 64)
    acc[64:128] = rng.integers(bounds.min, bounds.min + 100000, 64)
    types = ["char4" if sign == "s" else "uchar4" for sign in signs]
    source = f"""
        kernel void test(global {types[0]} *a, global {types[1]} *b, global {name} *acc,
                         global {name} *out) {{
            size_t i = get_global_id(0);
            uint x = as_uint(a[i]), y = as_uint(b[i]);
            out[4 * i] = dot(a[i], b[i]);
            out[4 * i + 1] = dot_acc_sat(a[i], b[i], acc[i]);
            out[4 * i + 2] = dot_4x8packed_{signs}_{name}(x, y);
            out[4 * i + 3] = dot_acc_sat_4x8packed_{signs}_{name}(x, y, acc[i]);
        }}"""
    got = run(m, source, [a, b, acc], np.zeros((count, 4), TYPES[name]), count)
    product = dot(a, b)
    sums = np.clip(product + acc.astype(np.int64), bounds.min, bounds.max)
    for column, want in enumerate([product, sums, product, sums]):
        assert (got[:, column] == want).all(), column


@pytest.mark.parametrize("element,lanes", [("char", 4), ("uchar", 4), ("short", 2), ("ushort", 2)])
def test_dot_products_by_other_names(m, rng, element, lanes):
    """cl_arm_integer_dot_product: sums that wrap, and those of bytes that saturate."""
    if not m.is_hekla:
        pytest.skip("functions of few platforms")
    count, kind = 4096, np.iinfo(TYPES[element])
    a, b = (rng.integers(kind.min, kind.max + 1, (count, lanes)).astype(TYPES[element]) for _ in range(2))
    a[:16], b[:16] = kind.max, kind.max
    a[16:32], b[16:32] = kind.min, kind.min
    name = "uint" if element.startswith("u") else "int"
    acc = random_words(rng, TYPES[name], count)
    bounds = np.iinfo(TYPES[name])
    acc[:64] = rng.integers(bounds.max - 100000, bounds.max, 64)
    acc[64:128] = rng.integers(bounds.min, bounds.min + 100000, 64)
    of_bytes = lanes == 4
    extensions = ["int8", "accumulate_int8", "accumulate_saturate_int8"] if of_bytes else ["accumulate_int16"]
    checks = "".join(f"""
        #ifndef cl_arm_integer_dot_product_{extension}
        #error no macro
        #endif
        #pragma OPENCL EXTENSION cl_arm_integer_dot_product_{extension} : enable
        """ for extension in extensions)
    calls = ["arm_dot(a[i], b[i])", "arm_dot_acc_sat(a[i], b[i], acc[i])"] if of_bytes else ["0", "0"]
    source = f"""{checks}
        kernel void test(global {element}{lanes} *a, global {element}{lanes} *b, global {name} *acc, global {name} *out) {{
            size_t i = get_global_id(0);
            out[3 * i] = arm_dot_acc(a[i], b[i], acc[i]);
            out[3 * i + 1] = {calls[0]};
            out[3 * i + 2] = {calls[1]};
        }}"""
    got = run(m, source, [a, b, acc], np.zeros((count, 3), TYPES[name]), count)
    assert all(f"cl_arm_integer_dot_product_{it}" in m.device.extensions.split() for it in extensions)
    product = dot(a, b)
    sums = product + acc.astype(np.int64)
    assert (got[:, 0].view(np.uint32) == sums.astype(np.uint32)).all()
    if of_bytes:
        assert (got[:, 1] == product).all()
        assert (got[:, 2] == np.clip(sums, bounds.min, bounds.max)).all()


def test_other_dot_products_are_none(m):
    if not m.is_hekla:
        pytest.skip("functions of few platforms")
    for call in ("arm_dot((char4)1, (uchar4)1)", "arm_dot((short2)1, (short2)1)", "arm_dot_acc_sat((short2)1, (short2)1, 1)"):
        with pytest.raises(cl.RuntimeError, match="no matching function"):
            m.build(f"kernel void f(global int *p) {{ *p = {call}; }}")
    # A program's own function of the name is not the extension's.
    own = "int arm_dot(int a, int b) { return a - b; } kernel void test(global int *p) { *p = arm_dot(5, 3); }"
    assert run(m, own, [], np.zeros(1, np.int32), 1).tolist() == [2]
