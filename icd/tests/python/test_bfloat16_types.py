"""bfloat16 as a type of modules of SPIR-V (SPV_KHR_bfloat16): it is loaded, stored and converted on every device."""

import numpy as np
import pyopencl as cl
import pytest
import raw
import spirv_text
from test_bfloat16 import rounded

# Capability BFloat16TypeKHR is a number, since not every spirv-as knows it.
MODULE = """
OpCapability Addresses
OpCapability Kernel
OpCapability Vector16
OpCapability Int16
OpCapability Int64
OpCapability !5116
OpExtension "SPV_KHR_bfloat16"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %narrow "narrow" %id
OpEntryPoint Kernel %widen "widen" %id
OpEntryPoint Kernel %integers "integers" %id
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3 = OpTypeVector %u64 3
%pid = OpTypePointer Input %v3
%float = OpTypeFloat 32
%brain = OpTypeFloat 16 BFloat16KHR
{types}
%global_floats = OpTypePointer CrossWorkgroup %floats
%global_brains = OpTypePointer CrossWorkgroup %brains
%global_ints = OpTypePointer CrossWorkgroup %ints
%of_narrow = OpTypeFunction %void %global_floats %global_brains
%of_integers = OpTypeFunction %void %global_ints %global_brains
%id = OpVariable %pid Input
{functions}
"""

# A kernel that converts from what one argument points to to what another does.
FUNCTION = """
%{name} = OpFunction %void None %of_{kind}
%{name}_x = OpFunctionParameter %global_{first}
%{name}_b = OpFunctionParameter %global_brains
%{name}_l = OpLabel
%{name}_ids = OpLoad %v3 %id
%{name}_i = OpCompositeExtract %u64 %{name}_ids 0
%{name}_px = OpInBoundsPtrAccessChain %global_{first} %{name}_x %{name}_i
%{name}_pb = OpInBoundsPtrAccessChain %global_brains %{name}_b %{name}_i
{body}
OpReturn
OpFunctionEnd
"""

NARROW = """
%narrow_v = OpLoad %floats %narrow_px
%narrow_c = OpFConvert %brains %narrow_v
OpStore %narrow_pb %narrow_c
"""
WIDEN = """
%widen_v = OpLoad %brains %widen_pb
%widen_c = OpFConvert %floats %widen_v
OpStore %widen_px %widen_c
"""
INTEGERS = """
%integers_v = OpLoad %ints %integers_px
%integers_c = OpConvertSToF %brains %integers_v
OpStore %integers_pb %integers_c
%integers_r = OpConvertFToS %ints %integers_c
OpStore %integers_px %integers_r
"""


def build(m, lanes):
    if lanes == 1:
        types, names = "", {"%floats": "%float", "%brains": "%brain", "%ints": "%u32"}
    else:
        types = "\n".join(f"%{name}s = OpTypeVector {of} {lanes}"
                          for name, of in (("float", "%float"), ("brain", "%brain"), ("int", "%u32")))
        names = {}
    functions = "".join(FUNCTION.format(name=name, kind=kind, first=first, body=body) for name, kind, first, body in [
        ("narrow", "narrow", "floats", NARROW), ("widen", "narrow", "floats", WIDEN),
        ("integers", "integers", "ints", INTEGERS)])
    text = MODULE.format(types=types, functions=functions)
    for name, other in names.items():
        text = text.replace(f"{name} ", f"{other} ").replace(f"{name}\n", f"{other}\n")
    return cl.Program(m.context, spirv_text.assemble(text)).build()


@pytest.fixture(autouse=True)
def known(m):
    if not m.is_hekla:
        pytest.skip("functions of few platforms")


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_narrowing(m, rng, lanes):
    halves = np.arange(1 << 16, dtype=np.uint32) << 16
    ends = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    words = np.concatenate([(halves[:, None] | ends).flatten(), rng.integers(0, 2**32, 3 << 15, dtype=np.uint32)])
    out = m.empty(2 * len(words))
    build(m, lanes).narrow(m.queue, (len(words) // lanes,), None, m.buffer(words), out)
    np.testing.assert_array_equal(m.read(out, np.uint16, len(words)), rounded(words))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_widening(m, lanes):
    halves = np.arange(1 << 16, dtype=np.uint16)
    out = m.empty(4 * len(halves))
    build(m, lanes).widen(m.queue, (len(halves) // lanes,), None, out, m.buffer(halves))
    np.testing.assert_array_equal(m.read(out, np.uint32, len(halves)), halves.astype(np.uint32) << 16)


def test_integers(m, rng):
    """Integers become floats first, and then bfloat16."""
    ints = np.concatenate([np.arange(-1 << 12, 1 << 12), rng.integers(-1 << 30, 1 << 30, 4096)]).astype(np.int32)
    given, out = m.buffer(ints), m.empty(2 * len(ints))
    build(m, 1).integers(m.queue, (len(ints),), None, given, out)
    expected = rounded(ints.astype(np.float32).view(np.uint32))
    np.testing.assert_array_equal(m.read(out, np.uint16, len(ints)), expected)
    back = (expected.astype(np.uint32) << 16).view(np.float32).astype(np.int32)
    np.testing.assert_array_equal(m.read(given, np.int32, len(ints)), back)


def test_the_type_stands_for_elements_of_matrices_alone(m):
    built, log = raw.Builder().build(b"kernel void f(global __bf16 *p) {}", b"-cl-std=CL3.0")
    assert built == raw.CL_BUILD_PROGRAM_FAILURE and "type '__bf16' can only be used as that" in log, log
