"""Cooperative matrices in modules of SPIR-V (SPV_KHR_cooperative_matrix), against numpy: all products that the device
computes, in both layouts, with strides, in global and local memory."""

import re

import numpy as np
import pyopencl as cl
import pytest
import spirv_text

TYPES = {
    "half": (np.float16, "OpTypeFloat 16"), "float": (np.float32, "OpTypeFloat 32"),
    "double": (np.float64, "OpTypeFloat 64"), "char": (np.int8, "OpTypeInt 8 0"), "short": (np.int16, "OpTypeInt 16 0"),
    "int": (np.int32, "OpTypeInt 32 0"), "long": (np.int64, "OpTypeInt 64 0"), "uchar": (np.uint8, "OpTypeInt 8 0"),
    "ushort": (np.uint16, "OpTypeInt 16 0"), "uint": (np.uint32, "OpTypeInt 32 0"), "ulong": (np.uint64, "OpTypeInt 64 0"),
}
PRODUCT = re.compile(r"(\w+) (\d+)x(\d+) \* (\w+) \d+x(\d+) \+ (\w+) -> (\w+)( \(saturating\))?")
PAD = 16

HEAD = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
{capabilities}
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"{interface}
{decorations}
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
"""


def spell(kind):
    """The SPIR-V type of a type of OpenCL C."""
    return TYPES[kind][1]


def name(kind):
    """The id of a type of OpenCL C, the same for both signs."""
    return "%t" + spell(kind).replace("OpType", "").replace(" ", "_")


def declare(kinds):
    """Declares types, each once."""
    known = {"%tInt_32_0": "", "%tInt_64_0": ""}
    lines = []
    for kind in kinds:
        if name(kind) not in known:
            known[name(kind)] = lines.append(f"{name(kind)} = {spell(kind)}")
    return "\n".join(lines).replace("%tInt_32_0", "%u32").replace("%tInt_64_0", "%u64")


def module(body, capabilities="", interface="", decorations=""):
    """The bytes of a module."""
    head = HEAD.format(capabilities=capabilities, interface=interface, decorations=decorations)
    text = (head + body).replace("%tInt_32_0", "%u32").replace("%tInt_64_0", "%u64")
    return spirv_text.assemble(text, "1.6")


def build(m, binary):
    """The kernel of a module."""
    return cl.Kernel(cl.Program(m.context, binary).build(), "main")


def log_of(m, binary):
    """What a build that must fail says."""
    with pytest.raises(cl.RuntimeError) as caught:
        build(m, binary)
    return str(caught.value)


def one_matrix(kind, rows, columns, use):
    """A module that declares a matrix."""
    return module(f"""
{declare([kind])}
%fn = OpTypeFunction %void
%scope = OpConstant %u32 3
%rows = OpConstant %u32 {rows}
%columns = OpConstant %u32 {columns}
%use = OpConstant %u32 {use}
%m = OpTypeCooperativeMatrixKHR {name(kind)} %scope %rows %columns %use
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
""")


@pytest.fixture(scope="module")
def products(cl_machine):
    """What the device computes: (a, b, c, result, m, n, k, saturates)."""
    log = log_of(cl_machine, one_matrix("half", 3, 5, 0))
    if "has no matri" not in log:
        pytest.skip("no matrices")
    found = []
    for a, m, k, b, n, c, result, saturates in PRODUCT.findall(log):
        found.append((a, b, c, result, int(m), int(n), int(k), bool(saturates)))
    if not found:
        pytest.skip("no matrices")
    return found


@pytest.fixture(scope="module")
def size(cl_machine):
    """Work-items of a sub-group."""
    source = "kernel void f(global uint *o) { *o = get_max_sub_group_size(); }"
    out = cl_machine.empty(4)
    kernel = cl.Program(cl_machine.context, source).build(["-cl-std=CL3.0"]).f
    kernel(cl_machine.queue, (1,), (1,), out)
    return int(cl_machine.read(out, np.uint32, 1)[0])


def draw(rng, shape, kind):
    """Small numbers, of which sums of products are exact."""
    dtype = TYPES[kind][0]
    low = 0 if np.issubdtype(dtype, np.unsignedinteger) else -7
    return rng.integers(low, 8, shape).astype(dtype)


def lay_out(matrix, layout, pad):
    """A matrix in memory: row by row (0), or column by column (1), with `pad` elements behind each."""
    rows = matrix if layout == 0 else matrix.T
    return np.pad(rows, ((0, 0), (0, pad)), constant_values=77)


def signs(product):
    """The operands of the product."""
    a, b, c, result, *_, saturates = product
    signed = [np.issubdtype(TYPES[kind][0], np.signedinteger) for kind in (a, b, c, result)]
    return sum(bit << i for i, bit in enumerate([*signed, saturates]))


def prologue(product, layouts, pad):
    """Types and constants of a kernel that computes a product; its four arguments point to the matrices."""
    a, b, c, result, m, n, k, _ = product
    names = [name(kind) for kind in (a, b, c, result)]
    shapes = [(m, k, 0), (k, n, 1), (m, n, 2), (m, n, 2)]
    used = sorted({number for shape in shapes for number in shape} | {0, 1, 2, 3, 64, *range(8)})
    strides = [(columns if layout == 0 else rows) + pad for (rows, columns, _), layout in zip(shapes, layouts)]
    lines = [declare([a, b, c, result])]
    lines += [f"%c{number} = OpConstant %u32 {number}" for number in sorted({*used, *strides})]
    known = {}
    for i, (element, (rows, columns, use)) in enumerate(zip(names, shapes)):
        if element not in known:
            known[element] = f"%p{i}"
            lines.append(f"%p{i} = OpTypePointer CrossWorkgroup {element}")
        lines.append(f"%m{i} = OpTypeCooperativeMatrixKHR {element} %c3 %c{rows} %c{columns} %c{use}"
                     if i < 3 or names[3] != names[2] else "")
    types = ["%m0", "%m1", "%m2", "%m2" if names[3] == names[2] else "%m3"]
    pointers = [known[element] for element in names]
    return "\n".join(lines), types, pointers, strides


def run_product(m, rng, size, product, layouts, pad, extra=""):
    """Compares a product with numpy's."""
    a, b, c, result, rows, n, k, _ = product
    head, types, pointers, strides = prologue(product, layouts, pad)
    body = f"""
{head}
%fn = OpTypeFunction %void {" ".join(pointers)}
%main = OpFunction %void None %fn
%a = OpFunctionParameter {pointers[0]}
%b = OpFunctionParameter {pointers[1]}
%c = OpFunctionParameter {pointers[2]}
%d = OpFunctionParameter {pointers[3]}
%l = OpLabel
%va = OpCooperativeMatrixLoadKHR {types[0]} %a %c{layouts[0]} %c{strides[0]}
%vb = OpCooperativeMatrixLoadKHR {types[1]} %b %c{layouts[1]} %c{strides[1]}
%vc = OpCooperativeMatrixLoadKHR {types[2]} %c %c{layouts[2]} %c{strides[2]} Aligned 4
%vd = OpCooperativeMatrixMulAddKHR {types[3]} %va %vb %vc {operands(product)}
OpCooperativeMatrixStoreKHR %d %vd %c{layouts[3]} %c{strides[3]}
OpReturn
OpFunctionEnd
"""
    kernel = build(m, module(body))
    va, vb, vc = draw(rng, (rows, k), a), draw(rng, (k, n), b), draw(rng, (rows, n), c)
    wide = np.float64 if "Float" in spell(result) else np.int64
    expected = (va.astype(wide) @ vb.astype(wide) + vc.astype(wide)).astype(TYPES[result][0])
    before = lay_out(np.full((rows, n), 5, TYPES[result][0]), layouts[3], pad)
    out = m.buffer(before)
    inputs = [m.buffer(lay_out(x, layout, pad)) for x, layout in zip((va, vb, vc), layouts)]
    kernel(m.queue, (size,), (size,), *inputs, out)
    after = lay_out(expected, layouts[3], pad)
    np.testing.assert_array_equal(m.read(out, before.dtype, before.shape), after)


def operands(product):
    """The operands of the product, as text."""
    names = ["MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR", "MatrixCSignedComponentsKHR",
             "MatrixResultSignedComponentsKHR", "SaturatingAccumulationKHR"]
    return "|".join(text for i, text in enumerate(names) if signs(product) >> i & 1)


@pytest.mark.parametrize("pad", [0, 16])
@pytest.mark.parametrize("layouts", [(0, 0, 0, 0), (1, 1, 1, 1), (0, 1, 0, 1), (1, 0, 1, 0)])
def test_products(m, rng, size, products, layouts, pad):
    for product in products:
        run_product(m, rng, size, product, layouts, pad)


@pytest.mark.parametrize("binary, text", [
    (("half", 3, 5, 0), "no matrix of f16 with 3 rows and 5 columns for use A; it computes"),
    (("half", 8, 8, 3), "unknown use of a matrix"),
])
def test_other_matrices_are_refused(m, products, binary, text):
    assert text in log_of(m, one_matrix(*binary))
