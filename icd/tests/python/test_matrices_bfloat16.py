"""Cooperative matrices of bfloat16 (cl_khr_cooperative_matrix, SPV_KHR_bfloat16), in OpenCL C and in modules, against numpy:
all products that the device computes. In memory and alone, a bfloat16 is an integer with its bits."""

import numpy as np
import pyopencl as cl
import pytest
import raw
import spirv_text
from matrices import DTYPES, group_size, is_listed, products
from test_bfloat16 import rounded

STD = ["-cl-std=CL3.0"]
MEMORY = {"bfloat16": "ushort"}
ELEMENT = {"bfloat16": "__bf16"}
LETTERS = {"R": "ROWS", "C": "COLUMNS"}

HEAD = """
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable
#define MAT(t, rows, columns, use) t __attribute__((coop_mat(memory_scope_sub_group, rows, columns, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
"""


@pytest.fixture(scope="module")
def listed(cl_machine):
    found = [p for p in products(cl_machine) if p.has_bfloat16()] if is_listed(cl_machine) else []
    if not found:
        pytest.skip("no matrices of bfloat16")
    return found


@pytest.fixture(scope="module")
def size(cl_machine, listed):
    return group_size(cl_machine)


def memory(kind):
    return MEMORY.get(kind, kind)


def encode(kind, numbers):
    """Numbers as memory has them."""
    if kind == "bfloat16":
        return rounded(np.ascontiguousarray(numbers, np.float32).view(np.uint32))
    return np.ascontiguousarray(numbers).astype(DTYPES[kind])


def dtype(kind):
    return np.dtype(np.uint16 if kind == "bfloat16" else DTYPES[kind])


def draw(rng, shape):
    """Whole numbers, of which sums of products are exact; some are too large for a half."""
    numbers = rng.integers(-3, 4, shape).astype(np.float32)
    return numbers * np.where(rng.integers(0, 8, shape) == 0, np.float32(2**17), np.float32(1))


def small(rng, shape):
    """Small numbers, of which sums of products are exact in bfloat16."""
    return (rng.integers(0, 16, shape) == 0).astype(np.float32)


def lay_out(matrix, layout, pad):
    lines = matrix if layout == "ROWS" else matrix.T
    return np.pad(lines, ((0, 0), (0, pad)), constant_values=77)


def head(p):
    a, b, c, d = (ELEMENT.get(kind, kind) for kind in (p.a, p.b, p.c, p.result))
    return HEAD + f"""
typedef MAT({a}, {p.m}, {p.k}, CLK_COOPERATIVE_MATRIX_A) MatA;
typedef MAT({b}, {p.k}, {p.n}, CLK_COOPERATIVE_MATRIX_B) MatB;
typedef MAT({c}, {p.m}, {p.n}, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) MatC;
typedef MAT({d}, {p.m}, {p.n}, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) MatD;
"""


def numbers_of(p, rng):
    shapes = (p.m, p.k), (p.k, p.n), (p.m, p.n)
    of = draw if p.result == "float" and p.c == "float" else small
    return [of(rng, shape) for shape in shapes]


@pytest.mark.parametrize("place", ["global", "local"])
@pytest.mark.parametrize("pad", [0, 16])
@pytest.mark.parametrize("layouts", ["RRRR", "CCCC", "RCRC", "CRCR"])
def test_products(m, rng, size, listed, layouts, pad, place):
    layouts = [LETTERS[letter] for letter in layouts]
    for p in listed:
        shapes = [(p.m, p.k), (p.k, p.n), (p.m, p.n), (p.m, p.n)]
        strides = [(columns if layout == "ROWS" else rows) + pad for (rows, columns), layout in zip(shapes, layouts)]
        counts = [((rows if layout == "ROWS" else columns)) * stride
                  for (rows, columns), layout, stride in zip(shapes, layouts, strides)]
        through = {"global": "a b", "local": "tile_a tile_b"}[place].split()
        tiles = f"""
    local {memory(p.a)} tile_a[{counts[0]}];
    local {memory(p.b)} tile_b[{counts[1]}];
    for (int i = get_local_id(0); i < {counts[0]}; i += get_local_size(0)) tile_a[i] = a[i];
    for (int i = get_local_id(0); i < {counts[1]}; i += get_local_size(0)) tile_b[i] = b[i];
    barrier(CLK_LOCAL_MEM_FENCE);""" if place == "local" else ""
        source = head(p) + f"""
kernel void f(global const {memory(p.a)} *a, global const {memory(p.b)} *b, global {memory(p.c)} *c,
              global {memory(p.result)} *d) {{
    {tiles}
    MatA x = coop_mat_load({through[0]}, {layouts[0]}, {strides[0]});
    MatB y = coop_mat_load({through[1]}, {layouts[1]}, {strides[1]});
    MatC z = coop_mat_load(c, {layouts[2]}, {strides[2]});
    MatD r = coop_mat_mulAdd(x, y, z);
    coop_mat_store(d, r, {layouts[3]}, {strides[3]});
}}"""
        kernel = m.build(source, STD).f
        a, b, c = numbers_of(p, rng)
        expected = encode(p.result, (a.astype(np.float64) @ b + c).astype(np.float32))
        inputs = [m.buffer(encode(kind, lay_out(x, layout, pad)))
                  for kind, x, layout in zip((p.a, p.b, p.c), (a, b, c), layouts)]
        before = lay_out(np.full((p.m, p.n), 5, dtype(p.result)), layouts[3], pad)
        out = m.buffer(before)
        kernel(m.queue, (size,), (size,), *inputs, out)
        np.testing.assert_array_equal(m.read(out, before.dtype, before.shape), lay_out(expected, layouts[3], pad), str(p))


def uses(p):
    """The types of bfloat16 in a product, by name, with rows and columns."""
    all_of = [("MatA", p.a, p.m, p.k), ("MatB", p.b, p.k, p.n), ("MatC", p.c, p.m, p.n), ("MatD", p.result, p.m, p.n)]
    return [(name, rows, columns) for name, kind, rows, columns in all_of if kind == "bfloat16"]


def test_elements_are_bits(m, rng, size, listed):
    """Of every use: loaded, made of floats, accessed by number, in arrays and through functions; stored."""
    for p in listed:
        for name, rows, columns in uses(p):
            source = head(p) + f"""
{name} same({name} x) {{ return x; }}
kernel void f(global ushort *in, global ushort *out) {{
    {name} x = coop_mat_load(in, ROWS, {columns});
    for (uint i = 0; i < coop_mat_length(x); i++) x[i] ^= 0x8000;
    {name} y[2] = {{ coop_mat_init(1.00390625f), x }};
    coop_mat_store(out, same(y[1]), COLUMNS, {rows});
    coop_mat_store(out + {rows * columns}, y[get_global_size(0) == 0], ROWS, {columns});
}}"""
            x = encode("bfloat16", draw(rng, (rows, columns)))
            out = m.empty(2 * x.nbytes)
            m.build(source, STD).f(m.queue, (size,), (size,), m.buffer(x), out)
            got = m.read(out, np.uint16, 2 * x.size)
            np.testing.assert_array_equal(got[:x.size].reshape(columns, rows), (x ^ 0x8000).T, f"{p} {name}")
            # Halfway between two: to the even one.
            np.testing.assert_array_equal(got[x.size:], 0x3F80, f"{p} {name}")


def test_accumulators_are_converted(m, rng, size, listed):
    done = 0
    for p in listed:
        if p.result != "bfloat16" or not any(q.result == "float" and (q.m, q.n) == (p.m, p.n) for q in listed):
            continue
        source = head(p) + f"""
typedef MAT(float, {p.m}, {p.n}, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) Wide;
kernel void f(global ushort *in, global float *wide, global ushort *narrow) {{
    MatD x = coop_mat_load(in, ROWS, {p.n});
    Wide y = (Wide)x;
    coop_mat_store(wide, y, ROWS, {p.n});
    MatD z = (MatD)y;
    coop_mat_store(narrow, z, ROWS, {p.n});
}}"""
        numbers = draw(rng, (p.m, p.n))
        x = encode("bfloat16", numbers)
        wide, narrow = m.empty(2 * x.nbytes), m.empty(x.nbytes)
        m.build(source, STD).f(m.queue, (size,), (size,), m.buffer(x), wide, narrow)
        np.testing.assert_array_equal(m.read(wide, np.float32, x.shape), numbers)
        np.testing.assert_array_equal(m.read(narrow, np.uint16, x.shape), x)
        done += 1
    if not done:
        pytest.skip("no accumulators of bfloat16")


# What modules with matrices of bfloat16 begin with; capabilities are numbers, since not every spirv-as knows them.
MODULE = """
OpCapability Addresses
OpCapability Kernel
OpCapability !5116
OpCapability !5118
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_KHR_bfloat16"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%float = OpTypeFloat 32
%brain = OpTypeFloat 16 BFloat16KHR
"""


def assemble(text):
    try:
        return spirv_text.assemble(text, "1.6")
    except AssertionError as error:
        assert "Invalid capability 'CooperativeMatrixKHR'" in str(error)
        pytest.skip("spirv-as knows no matrices")


def test_modules_compute_products(m, rng, size, listed):
    for p in listed:
        if (p.a, p.b, p.c, p.result) != ("bfloat16", "bfloat16", "float", "float"):
            continue
        numbers = "\n".join(f"%c{n} = OpConstant %u32 {n}" for n in sorted({0, 1, 2, 3, p.m, p.n, p.k}))
        text = MODULE + f"""
{numbers}
%pb = OpTypePointer CrossWorkgroup %brain
%pf = OpTypePointer CrossWorkgroup %float
%ma = OpTypeCooperativeMatrixKHR %brain %c3 %c{p.m} %c{p.k} %c0
%mb = OpTypeCooperativeMatrixKHR %brain %c3 %c{p.k} %c{p.n} %c1
%mc = OpTypeCooperativeMatrixKHR %float %c3 %c{p.m} %c{p.n} %c2
%fn = OpTypeFunction %void %pb %pb %pf
%main = OpFunction %void None %fn
%a = OpFunctionParameter %pb
%b = OpFunctionParameter %pb
%c = OpFunctionParameter %pf
%l = OpLabel
%va = OpCooperativeMatrixLoadKHR %ma %a %c0 %c{p.k}
%vb = OpCooperativeMatrixLoadKHR %mb %b %c1 %c{p.k}
%vc = OpCooperativeMatrixLoadKHR %mc %c %c0 %c{p.n}
%vd = OpCooperativeMatrixMulAddKHR %mc %va %vb %vc
OpCooperativeMatrixStoreKHR %c %vd %c0 %c{p.n}
OpReturn
OpFunctionEnd
"""
        kernel = cl.Kernel(cl.Program(m.context, assemble(text)).build(), "main")
        a, b, c = numbers_of(p, rng)
        out = m.buffer(c)
        kernel(m.queue, (size,), (size,), m.buffer(encode("bfloat16", a)), m.buffer(encode("bfloat16", b.T)), out)
        np.testing.assert_array_equal(m.read(out, np.float32, c.shape), a @ b + c)


def test_devices_without_them_say_what_they_have(cl_machine):
    found = products(cl_machine) if is_listed(cl_machine) else []
    if not found or any(p.has_bfloat16() for p in found):
        pytest.skip("no matrices, or all")
    source = f"typedef __bf16 __attribute__((coop_mat(4, {found[0].m}, {found[0].k}, 0))) A;"
    built, log = raw.Builder().build(source.encode(), b"-cl-std=CL3.0")
    assert built == raw.CL_BUILD_PROGRAM_FAILURE
    assert "the device has no matrix of bf16" in log and f"it computes {found[0]}" in log, log
    with pytest.raises(cl.RuntimeError) as caught:
        function = "%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
        cl.Program(cl_machine.context, assemble(MODULE + function)).build()
    assert "capability BFloat16CooperativeMatrixKHR is not supported" in str(caught.value)
