"""Programs in SPIR-V: clCreateProgramWithIL, specialization constants, linking, binaries, queries and refusals."""

import struct

import numpy as np
import pyopencl as cl
import pytest
import raw
import spirv_text
from test_conformance import check

PROGRAMS = spirv_text.programs()
CL_DEVICE_ILS_WITH_VERSION = 0x1061
CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS = 0x12B9
CL_DEVICE_SPIRV_EXTENSIONS = 0x12BA
CL_DEVICE_SPIRV_CAPABILITIES = 0x12BB
# Linkage, Addresses, Kernel, Vector16, Float16Buffer, Int64, Int16, Int8: of every device of the full profile.
REQUIRED_CAPABILITIES = [5, 4, 6, 7, 8, 11, 22, 39]
FLOAT64 = 10

KERNEL = """
{capabilities}
OpMemoryModel {model} OpenCL
OpEntryPoint Kernel %test "test"
{decorations}
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%n = OpConstant %uint 5
{types}
%test = OpFunction %void None %type
%out = OpFunctionParameter %pointer
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
"""


def module(body="OpStore %out %n Aligned 4", capabilities=(), types="", model="Physical64", decorations="",
           version="1.0"):
    """A module with one kernel."""
    names = ["Addresses", "Kernel", *capabilities]
    text = KERNEL.format(capabilities="\n".join(f"OpCapability {name}" for name in names), body=body, types=types,
                         model=model, decorations=decorations)
    return spirv_text.assemble(text, version)


def run(program, m, count=1):
    out = m.buffer(np.zeros(count, np.uint32))
    program.test(m.queue, (1,), None, out)
    return m.read(out, np.uint32, count).tolist()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_sample(program, m, capfd):
    built = cl.Program(m.context, spirv_text.read(program.place)).build()
    check(program, built, m)
    if program.prints:
        assert capfd.readouterr().out.splitlines() == program.prints


def test_a_fence_keeps_floats_apart(m):
    """lavapipe takes the sum less one of its operands for the other one, where it may reorder and nothing is between."""
    program = cl.Program(m.context, spirv_text.read("arithmetic_fence")).build("-cl-fast-relaxed-math")
    assert run(program, m) == [0]


def test_either_order_of_bytes(m):
    words = struct.unpack(f"<{len(module()) // 4}I", module())
    swapped = struct.pack(f">{len(words)}I", *words)
    # pyopencl knows modules by their first word in the order of the host.
    created = cl.Program(cl._cl._create_program_with_il(m.context, swapped))
    assert run(created.build(), m) == [5]


def test_program_information(m):
    il = module()
    program = cl.Program(m.context, il)
    assert raw.program_info(program.int_ptr, raw.CL_PROGRAM_IL) == il
    assert raw.program_info(program.int_ptr, raw.CL_PROGRAM_SOURCE) == b"\0"
    other = cl._cl._Program(m.context, "kernel void test(global uint *out) {}")
    assert raw.program_info(other.int_ptr, raw.CL_PROGRAM_IL) == b""
    program.build()
    assert program.get_info(cl.program_info.KERNEL_NAMES) == "test"


def test_device_information(m):
    versions = m.device.il_version.split()
    assert versions == [f"SPIR-V_1.{minor}" for minor in range(6, -1, -1)]
    pairs = m.device.get_info(CL_DEVICE_ILS_WITH_VERSION)
    assert [(pair.name, pair.version >> 22, pair.version >> 12 & 0x3FF) for pair in pairs] == \
        [("SPIR-V", 1, minor) for minor in range(6, -1, -1)]
    assert "cl_khr_il_program" in m.device.extensions.split()
    assert "OpenCL.std" in raw.device_texts(m.device.int_ptr, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS)
    extensions = raw.device_texts(m.device.int_ptr, CL_DEVICE_SPIRV_EXTENSIONS)
    assert {"SPV_KHR_linkonce_odr", "SPV_KHR_no_integer_wrap_decoration"} <= set(extensions)
    capabilities = np.frombuffer(raw.device_info(m.device.int_ptr, CL_DEVICE_SPIRV_CAPABILITIES), np.uint32)
    assert set(REQUIRED_CAPABILITIES) <= set(capabilities.tolist())
    assert (FLOAT64 in capabilities) == ("cl_khr_fp64" in m.device.extensions.split())


def test_debug_information(m):
    types = "%nothing = OpExtInst %void %debug DebugInfoNone"
    capabilities = ["Int8\n%debug = OpExtInstImport \"OpenCL.DebugInfo.100\""]
    body = "%here = OpExtInst %void %debug DebugInfoNone\nOpStore %out %n Aligned 4"
    assert run(cl.Program(m.context, module(body, capabilities, types)).build(), m) == [5]


def test_specialization_constants(m):
    program = cl.Program(m.context, spirv_text.read("specialization"))
    prg = program._get_prg()
    prg.set_specialization_constant(10, np.array([100], np.uint32))
    prg.set_specialization_constant(11, np.array([0], np.uint8))
    prg.set_specialization_constant(12, np.array([0x700000002], np.uint64))
    prg.set_specialization_constant(13, np.array([41.75], np.float32))
    prg.set_specialization_constant(14, np.array([255], np.uint8))
    prg.set_specialization_constant(15, np.array([200], np.uint8))
    program.build()
    assert run(program, m, 7) == [100, 0, 300, 2, 41, 200, 1]
    # What is set after a build is for the next one; the last value counts.
    other = cl.Program(m.context, spirv_text.read("specialization"))
    other._get_prg().set_specialization_constant(10, np.array([1], np.uint32))
    other._get_prg().set_specialization_constant(10, np.array([2], np.uint32))
    other.build()
    assert run(other, m, 7)[0] == 2
    assert run(program, m, 7)[0] == 100


@pytest.mark.parametrize("spec, size, error", [
    (9, 4, "INVALID_SPEC_ID"), (10, 8, "INVALID_VALUE"), (10, 2, "INVALID_VALUE"), (11, 4, "INVALID_VALUE"),
    (12, 4, "INVALID_VALUE"), (15, 4, "INVALID_VALUE")])
def test_wrong_specialization(spec, size, error, m):
    program = cl.Program(m.context, spirv_text.read("specialization"))
    with pytest.raises(cl.Error, match=error):
        program._get_prg().set_specialization_constant(spec, np.zeros(size, np.uint8))


def test_specialization_of_source(m):
    prg = cl._cl._Program(m.context, "kernel void test(global uint *out) {}")
    with pytest.raises(cl.Error, match="INVALID_PROGRAM"):
        prg.set_specialization_constant(0, np.zeros(4, np.uint8))


TRIPLE = "uint triple(uint x) { return x * 3; }"
CALLER = "uint triple(uint x); kernel void test(global uint *out) { *out = triple(20); }"


@pytest.mark.parametrize("parts, expected", [
    (["importer", "library"], 42), (["library", "importer"], 42), (["importer", TRIPLE], 42), ([CALLER, "library"], 60)],
    ids=["both", "reversed", "library in C", "kernel in C"])
def test_linking(parts, expected, m):
    programs = []
    for part in parts:
        source = part if " " in part else spirv_text.read(part)
        programs.append(cl.Program(m.context, source).compile())
    linked = cl.link_program(m.context, programs)
    assert run(linked, m) == [expected]


def test_import_without_definition(m):
    importer = cl.Program(m.context, spirv_text.read("importer"))
    with pytest.raises(cl.Error, match="triple"):
        importer.build()


@pytest.mark.parametrize("kind", ["executable", "object"])
def test_binaries(kind, m):
    if kind == "executable":
        program = cl.Program(m.context, module()).build()
        loaded = cl.Program(m.context, [m.device], program.binaries).build()
        assert run(loaded, m) == [5]
    else:
        objects = [cl.Program(m.context, spirv_text.read(name)).compile() for name in ("importer", "library")]
        loaded = [cl.Program(m.context, [m.device], part.get_info(cl.program_info.BINARIES)) for part in objects]
        assert run(cl.link_program(m.context, loaded), m) == [42]


def broken(change):
    """Modules that are none."""
    words = list(struct.unpack(f"<{len(module()) // 4}I", module()))
    changed = change(words)
    return struct.pack(f"<{len(changed)}I", *changed)


@pytest.mark.parametrize("change", [
    lambda words: words[:-3], lambda words: [words[0], 0x00020000, *words[2:]],
    lambda words: [*words[:3], 0, *words[4:]], lambda words: [*words[:5], 0, *words[6:]],
    lambda words: [*words[:5], words[5] | 0x7FFF0000, *words[6:]]],
    ids=["cut", "version", "bound", "no length", "too long"])
def test_malformed(change, m):
    data = broken(change)
    with pytest.raises(cl.Error, match="INVALID_VALUE"):
        cl.Program(m.context, data)


@pytest.mark.parametrize("arguments, named", [
    ({"capabilities": ["PipeStorage"], "version": "1.1"}, "PipeStorage"),
    ({"capabilities": ["NamedBarrier"], "version": "1.1"}, "NamedBarrier"),
    ({"capabilities": ["Shader"]}, "Shader"),
    ({"model": "Physical32"}, "Physical32"),
    ({"body": "%x = OpIAdd %uint %n %out"}, "IAdd"),
    ({"body": "%x = OpLoad %uint %n Aligned 4"}, "Load")], ids=lambda value: value if isinstance(value, str) else "")
def test_refused_with_its_name(arguments, named, m):
    program = cl.Program(m.context, module(**arguments))
    with pytest.raises(cl.RuntimeError) as refusal:
        program.build()
    assert refusal.value.code == cl.status_code.BUILD_PROGRAM_FAILURE
    assert named in str(refusal.value)


def test_built_again_after_a_failure(m):
    program = cl.Program(m.context, module(capabilities=["Shader"]))
    for _ in range(2):
        with pytest.raises(cl.RuntimeError, match="Shader"):
            program.build()


def test_hints(m):
    body = """%hinted = OpExpectKHR %uint %n %n
%true = OpIEqual %bool %hinted %n
OpAssumeTrueKHR %true
OpStore %out %hinted Aligned 4"""
    capabilities = ['ExpectAssumeKHR\nOpExtension "SPV_KHR_expect_assume"']
    assert run(cl.Program(m.context, module(body, capabilities, "%bool = OpTypeBool")).build(), m) == [5]


DOT_TYPES = """
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%ulong = OpTypeInt 64 0
%v4uchar = OpTypeVector %uchar 4
%most = OpConstant %uint 0x7ffffff0
%all = OpConstant %uint 0xfffffff0
%near = OpConstant %ushort 0x7ff0
""" + "\n".join(f"%i{n} = OpConstant %uint {n}" for n in range(10))
DOTS = [
    ("%r = OpSDot %uint %x %y PackedVectorFormat4x8Bit", "ss"),
    ("%r = OpUDot %uint %x %y PackedVectorFormat4x8Bit", "uu"),
    ("%r = OpSUDot %uint %x %y PackedVectorFormat4x8Bit", "su"),
    ("%r = OpSDot %uint %vx %vy", "ss"),
    ("%r = OpUDot %uint %vx %vy", "uu"),
    ("%r = OpSUDot %uint %vx %vy", "su"),
    ("%r = OpSDotAccSat %uint %vx %vy %most", "ss+0x7ffffff0"),
    ("%r = OpUDotAccSat %uint %x %y %all PackedVectorFormat4x8Bit", "uu+0xfffffff0"),
    ("%s = OpSDot %ulong %vx %vy\n%r = OpUConvert %uint %s", "ss"),
    ("%s = OpSUDotAccSat %ushort %vx %vy %near\n%r = OpSConvert %uint %s", "su+0x7ff0"),
]


@pytest.mark.parametrize("words", [(0x80FF7F01, 0x7F80FF02), (0xFFFFFFFF, 0xFFFFFFFF), (0x01020304, 0x05060708)])
def test_integer_dot_products(words, m):
    body = ["%x = OpLoad %uint %out Aligned 4", "%p = OpInBoundsPtrAccessChain %pointer %out %i1",
            "%y = OpLoad %uint %p Aligned 4", "%vx = OpBitcast %v4uchar %x", "%vy = OpBitcast %v4uchar %y"]
    for n, (lines, _) in enumerate(DOTS):
        body.append(lines.replace("%r", f"%r{n}").replace("%s ", f"%s{n} ").replace("%s\n", f"%s{n}\n"))
        body[-1] = body[-1].removesuffix("%s") + (f"%s{n}" if body[-1].endswith("%s") else "")
        body += [f"%q{n} = OpInBoundsPtrAccessChain %pointer %out %i{n}", f"OpStore %q{n} %r{n} Aligned 4"]
    capabilities = ["Int8", "Int16", "Int64", "DotProduct", "DotProductInput4x8Bit", "DotProductInput4x8BitPacked"]
    program = cl.Program(m.context, module("\n".join(body), capabilities, DOT_TYPES, version="1.6")).build()
    out = m.buffer(np.array([*words, *[0] * 8], np.uint32))
    program.test(m.queue, (1,), None, out)

    def lanes(word, sign):
        return np.array([word], np.uint32).view(np.int8 if sign == "s" else np.uint8).astype(int)

    for (_, kind), got in zip(DOTS, m.read(out, np.uint32, 10).tolist()):
        signs, _, addend = kind.partition("+")
        value = int(lanes(words[0], signs[0]) @ lanes(words[1], signs[1])) + int(addend or "0", 0)
        if addend:
            greatest = {"0x7ffffff0": 2 ** 31 - 1, "0xfffffff0": 2 ** 32 - 1, "0x7ff0": 2 ** 15 - 1}[addend]
            value = min(value, greatest)
        assert got == value & 0xFFFFFFFF, kind


ARGUMENTS = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float64
OpCapability Vector16
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %test "test"
{names}
OpDecorate %small FuncParamAttr Zext
OpDecorate %object FuncParamAttr ByVal
OpDecorate %quick FuncParamAttr NoAlias
%void = OpTypeVoid
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%float4 = OpTypeVector %float 4
%double16 = OpTypeVector %double 16
%four = OpConstant %uint 4
%array = OpTypeArray %uint %four
%point = OpTypeStruct %float %uint
%image = OpTypeImage %void 2D 0 1 0 0 Unknown WriteOnly
%sampler = OpTypeSampler
%floats = OpTypePointer CrossWorkgroup %float4
%chars = OpTypePointer UniformConstant %uchar
%longs = OpTypePointer Workgroup %ulong
%points = OpTypePointer CrossWorkgroup %point
%arrays = OpTypePointer CrossWorkgroup %array
%objects = OpTypePointer Function %point
%type = OpTypeFunction %void %floats %chars %longs %points %arrays %objects %ushort %ulong %double16 %image %sampler
%test = OpFunction %void None %type
%quick = OpFunctionParameter %floats
%constants = OpFunctionParameter %chars
%locals = OpFunctionParameter %longs
%records = OpFunctionParameter %points
%rows = OpFunctionParameter %arrays
%object = OpFunctionParameter %objects
%small = OpFunctionParameter %ushort
%large = OpFunctionParameter %ulong
%wide = OpFunctionParameter %double16
%pictures = OpFunctionParameter %image
%how = OpFunctionParameter %sampler
%entry = OpLabel
OpReturn
OpFunctionEnd
"""
TYPE_NAMES = ["float4*", "char*", "long*", "{}*", "int[4]*", "{}", "ushort", "long", "double16", "image2d_array_t",
              "sampler_t"]


@pytest.mark.parametrize("names, record", [
    ("", "struct"), ('OpName %point "struct.point"', "struct point"), ('OpName %point "union.anon"', "union"),
    ('OpName %point "point_t"', "point_t")])
def test_types_of_arguments_are_told_by_the_module(m, names, record):
    if not m.device.double_fp_config or not m.device.image_support:
        pytest.skip("the kernel has doubles and images")
    program = cl.Program(m.context, spirv_text.assemble(ARGUMENTS.format(names=names))).build()
    kernel, info = program.test, cl.kernel_arg_info
    told = [kernel.get_arg_info(index, info.TYPE_NAME) for index in range(len(TYPE_NAMES))]
    assert told == [name.format(record) for name in TYPE_NAMES]
    address, access = cl.kernel_arg_address_qualifier, cl.kernel_arg_access_qualifier
    addresses = [kernel.get_arg_info(index, info.ADDRESS_QUALIFIER) for index in range(10)]
    assert addresses == [address.GLOBAL, address.CONSTANT, address.LOCAL, address.GLOBAL, address.GLOBAL,
                         *[address.PRIVATE] * 4, address.GLOBAL]
    assert kernel.get_arg_info(9, info.ACCESS_QUALIFIER) == access.WRITE_ONLY
    assert kernel.get_arg_info(0, info.TYPE_QUALIFIER) == cl.kernel_arg_type_qualifier.RESTRICT


def test_names_of_arguments_are_told_if_the_module_has_them(m):
    program = cl.Program(m.context, module(decorations='OpName %out "results"')).build()
    assert program.test.get_arg_info(0, cl.kernel_arg_info.NAME) == "results"
    kernel = cl.Program(m.context, module()).build().test
    with pytest.raises(cl.RuntimeError, match="KERNEL_ARG_INFO_NOT_AVAILABLE"):
        kernel.get_arg_info(0, cl.kernel_arg_info.NAME)
    assert kernel.get_arg_info(0, cl.kernel_arg_info.TYPE_NAME) == "int*"
