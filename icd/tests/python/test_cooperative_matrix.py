"""Cooperative matrices in modules of SPIR-V (SPV_KHR_cooperative_matrix), against numpy: all products that the device
computes, in both layouts, with strides, in global and local memory."""

import re

import numpy as np
import pyopencl as cl
import pytest
import spirv_text

# OpCapability Addresses, Kernel and CooperativeMatrixKHR, OpMemoryModel Physical64 OpenCL: words, since not every spirv-as
# knows the capability.
CAPABILITY = [0x07230203, 0x10000, 0, 1, 0, 0x20011, 4, 0x20011, 6, 0x20011, 6022, 0x3000E, 2, 2]

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
    try:
        cl.Program(cl_machine.context, np.array(CAPABILITY, np.uint32).tobytes()).build()
    except cl.RuntimeError as error:
        assert "capability CooperativeMatrixKHR is not supported" in str(error)
        pytest.skip("no matrices")
    try:
        wrong = one_matrix("half", 3, 5, 0)
    except AssertionError as error:
        assert "Invalid capability 'CooperativeMatrixKHR'" in str(error)
        pytest.skip("spirv-as knows no matrices")
    log = log_of(cl_machine, wrong)
    found = []
    for a, m, k, b, n, c, result, saturates in PRODUCT.findall(log):
        if "bfloat16" in (a, b, c, result):
            continue  # test_matrices_bfloat16.py
        found.append((a, b, c, result, int(m), int(n), int(k), bool(saturates)))
    assert found, log
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


def of_one(product, body, results=(), variables="", local=""):
    """A module with the accumulator type of a product, whose kernel is given two pointers to elements: %a, %d."""
    _, _, _, kind, rows, columns, _, _ = product
    used = sorted({rows, columns, *range(9), 64})
    constants = "\n".join(f"%c{number} = OpConstant %u32 {number}" for number in used)
    return module(f"""
{declare([kind, *results])}
{constants}
%m = OpTypeCooperativeMatrixKHR {name(kind)} %c3 %c{rows} %c{columns} %c2
%p = OpTypePointer CrossWorkgroup {name(kind)}
%pm = OpTypePointer Function %m
%pe = OpTypePointer Function {name(kind)}
%bool = OpTypeBool
{local}
%fn = OpTypeFunction %void %p %p
%helper_fn = OpTypeFunction %m %m %m
%main = OpFunction %void None %fn
%a = OpFunctionParameter %p
%d = OpFunctionParameter %p
%l = OpLabel
{variables}
%x = OpCooperativeMatrixLoadKHR %m %a %c0 %c{columns}
{body}
OpReturn
OpFunctionEnd
%twice = OpFunction %m None %helper_fn
%q = OpFunctionParameter %m
%r = OpFunctionParameter %m
%lh = OpLabel
%s = {"OpFAdd" if "Float" in spell(kind) else "OpIAdd"} %m %q %r
OpReturnValue %s
OpFunctionEnd
""")


def run_one(m, rng, size, product, body, compute, **parts):
    """Compares what a kernel makes of a matrix with what numpy does."""
    _, _, _, kind, rows, columns, _, _ = product
    kernel = build(m, of_one(product, body + f"\nOpCooperativeMatrixStoreKHR %d %y %c0 %c{columns}", **parts))
    x = draw(rng, (rows, columns), kind)
    out = m.empty(x.nbytes)
    kernel(m.queue, (size,), (size,), m.buffer(x), out)
    np.testing.assert_array_equal(m.read(out, x.dtype, x.shape), compute(x))


def is_float(product):
    return "Float" in spell(product[3])


def op(product, name):
    """An operation of the accumulator's kind."""
    return ("OpF" if is_float(product) else "OpI") + name


def test_elements_are_computed_with(m, rng, size, products):
    for product in products:
        t = name(product[3])
        negate = "OpFNegate" if is_float(product) else "OpSNegate"
        three = f"%three = {'OpConstant ' + t + ' 3'}"
        body = f"""
%n = {negate} %m %x
%s = {op(product, "Sub")} %m %n %x
%k = {op(product, "Mul")} %m %s %x
%f = OpCompositeConstruct %m %three
%g = {op(product, "Add")} %m %k %f
%y = OpMatrixTimesScalar %m %g %three
""".replace("%s", "%s1")
        run_one(m, rng, size, product, body, lambda x: ((-x - x) * x + x.dtype.type(3)) * x.dtype.type(3), local=three)


def test_constants_are_of_all_elements(m, rng, size, products):
    for product in products:
        t = name(product[3])
        local = f"%three = OpConstant {t} 3\n%f = OpConstantComposite %m %three\n%z = OpConstantNull %m"
        body = f"%w = {op(product, 'Add')} %m %x %f\n%y = {op(product, 'Add')} %m %w %z"
        run_one(m, rng, size, product, body, lambda x: x + x.dtype.type(3), local=local)


def test_functions_take_and_give_matrices(m, rng, size, products):
    for product in products:
        run_one(m, rng, size, product, "%y = OpFunctionCall %m %twice %x %x", lambda x: x + x)


def test_variables_hold_matrices(m, rng, size, products):
    for product in products:
        body = "OpStore %v %x\n%w = OpLoad %m %v\n" + f"%y = {op(product, 'Add')} %m %w %x"
        run_one(m, rng, size, product, body, lambda x: x + x, variables="%v = OpVariable %pm Function")


def loop_over_elements(product):
    """Adds 1 to every element that a work-item holds, by its number."""
    return f"""
OpStore %v %x
%len = OpCooperativeMatrixLengthKHR %u32 %m
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %c0 %l %j %cont
%more = OpULessThan %bool %i %len
OpLoopMerge %end %cont None
OpBranchConditional %more %inside %end
%inside = OpLabel
%e = OpAccessChain %pe %v %i
%old = OpLoad {name(product[3])} %e
%new = {op(product, "Add")} {name(product[3])} %old %one
OpStore %e %new
OpBranch %cont
%cont = OpLabel
%j = OpIAdd %u32 %i %c1
OpBranch %head
%end = OpLabel
%y = OpLoad %m %v
"""


def test_elements_are_accessed_by_number(m, rng, size, products):
    for product in products:
        one = f"%one = OpConstant {name(product[3])} 1"
        run_one(m, rng, size, product, loop_over_elements(product), lambda x: x + x.dtype.type(1), local=one,
                variables="%v = OpVariable %pm Function")


def test_branches_choose_matrices(m, rng, size, products):
    for product in products:
        body = f"""
%first = OpLoad {name(product[3])} %a
%same = {"OpFOrdEqual" if is_float(product) else "OpIEqual"} %bool %first %first
OpSelectionMerge %join None
OpBranchConditional %same %yes %join
%yes = OpLabel
%z = {op(product, "Add")} %m %x %x
OpBranch %join
%join = OpLabel
%y = OpPhi %m %x %l %z %yes
"""
        run_one(m, rng, size, product, body, lambda x: x + x)


def test_selections_choose_matrices(m, rng, size, products):
    for product in products:
        body = f"""
%first = OpLoad {name(product[3])} %a
%same = {"OpFOrdEqual" if is_float(product) else "OpIEqual"} %bool %first %first
%z = {op(product, "Add")} %m %x %x
%w = OpSelect %m %same %z %x
%other = OpLogicalNot %bool %same
%u = {op(product, "Add")} %m %w %x
%y = OpSelect %m %other %x %u
"""
        run_one(m, rng, size, product, body, lambda x: x + x + x)


@pytest.mark.parametrize("layout", [0, 1])
def test_matrices_go_through_local_memory(m, rng, size, products, layout):
    for product in products:
        _, _, _, kind, rows, columns, _, _ = product
        stride = columns if layout == 0 else rows
        local = f"""
%cells = OpConstant %u32 {rows * columns}
%array = OpTypeArray {name(kind)} %cells
%pa = OpTypePointer Workgroup %array
%pl = OpTypePointer Workgroup {name(kind)}
%tile = OpVariable %pa Workgroup
%order = OpConstant %u32 272
"""
        body = f"""
%to = OpInBoundsAccessChain %pl %tile %c0
OpCooperativeMatrixStoreKHR %to %x %c{layout} %c{stride}
OpControlBarrier %c2 %c2 %order
%y = OpCooperativeMatrixLoadKHR %m %to %c{1 - layout} %c{columns if layout else rows}
"""

        def compute(x, layout=layout):
            flat = (x if layout == 0 else x.T).ravel()
            return flat.reshape(x.shape[::-1]).T if layout == 0 else flat.reshape(x.shape)

        run_one(m, rng, size, product, body, compute, local=local)


def test_conversions_keep_the_shape(m, rng, size, products):
    shapes = {}
    for product in products:
        shapes.setdefault((product[4], product[5]), set()).add(product[3])
    pairs = [(a, b, shape) for shape, kinds in shapes.items() for a in kinds for b in kinds if name(a) != name(b)]
    for a, b, (rows, columns) in pairs:
        product = (a, a, a, a, rows, columns, rows, False)
        other = "Float" in spell(b)
        there, back = {
            (True, True): ("OpFConvert", "OpFConvert"), (True, False): ("OpConvertFToS", "OpConvertSToF"),
            (False, True): ("OpConvertSToF", "OpConvertFToS"), (False, False): ("OpSConvert", "OpSConvert"),
        }[(is_float(product), other)]
        local = f"%m2 = OpTypeCooperativeMatrixKHR {name(b)} %c3 %c{rows} %c{columns} %c2"
        body = f"%z = {there} %m2 %x\n%y = {back} %m %z"
        run_one(m, rng, size, product, body, lambda x: x, results=[b], local=local)


def test_quotients_know_signs(m, rng, size, products):
    for product in products:
        kind = product[3]
        divide = "OpFDiv" if is_float(product) else "OpSDiv" if kind in ("int", "short", "char", "long") else "OpUDiv"
        four = f"%four = OpConstant {name(kind)} 4"
        body = f"%f = OpCompositeConstruct %m %four\n%y = {divide} %m %x %f"

        def compute(x, divide=divide):
            return x / x.dtype.type(4) if divide == "OpFDiv" else np.trunc(x / 4).astype(x.dtype)

        run_one(m, rng, size, product, body, compute, local=four)


@pytest.mark.parametrize("body, text", [
    ("%y = OpUDiv %m %x %c1", "do not fit"),
    ("%y = OpNot %m %x", "not supported for matrices"),
    ("%y = OpCompositeExtract %u32 %x 0 1", "not one index"),
    ("%y = OpCooperativeMatrixLengthKHR %u32 %u32", "not the type of a matrix"),
    ("%y = OpCooperativeMatrixMulAddKHR %m %x %x %x", "the device has no product"),
    ("%y = OpLoad %m %d", "do not give a result of its type"),
    ("OpCooperativeMatrixStoreKHR %x %x %c0 %c1", "not a pointer"),
    ("OpCooperativeMatrixStoreKHR %d %c1 %c0 %c1", "not a matrix"),
    ("OpCooperativeMatrixStoreKHR %d %x %c7 %c1", "layout"),
    ("OpCooperativeMatrixStoreKHR %d %x %c0", "stride"),
])
def test_mistakes_are_errors_of_the_build(m, products, body, text):
    product = next(product for product in products if product[3] in ("int", "uint"))
    log = log_of(m, of_one(product, body))
    assert text in log and "internal" not in log, log


def test_work_groups_are_whole_sub_groups(m, size, products):
    kernel = build(m, of_one(products[0], "OpCooperativeMatrixStoreKHR %d %x %c0 %c8"))
    out = m.empty(4096)
    for sizes in [((size + 1,), (size + 1,)), ((size + 1,), None)]:
        with pytest.raises(cl.LogicError) as caught:
            kernel(m.queue, *sizes, out, out)
        assert caught.value.code == cl.status_code.INVALID_WORK_GROUP_SIZE
