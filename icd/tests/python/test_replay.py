"""HEKLA_CHECK_REPLAY: the work-group of a finding is run again, and it is told how the value came about."""

import os
import re
import subprocess
import textwrap

import pytest
from conftest import PYTHON

PROGRAM = """
import sys
import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
source, size, group, *numbers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *map(np.int32, sys.argv[4:])
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
a, b = (cl.Buffer(context, flags, hostbuf=np.arange(16, dtype=np.int32)) for _ in range(2))
kernel = cl.Program(context, source).build().k
# The first launch finds nothing and changes b.
for n in (np.int32(0), *numbers):
    kernel(queue, (size,), (group,), a, b, n)
queue.finish()
"""

PREAMBLE = """
import ctypes
import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
mf = cl.mem_flags
def buffer(array):
    return cl.Buffer(context, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=array)
def image(kind, order, channel, texels, flags=mf.READ_WRITE):
    shape, form = texels.shape[:kind][::-1], cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, channel))
    return cl.create_image(context, flags | mf.COPY_HOST_PTR, form, shape=shape, hostbuf=texels)
def command_buffer(kernels, size, rounds):
    library, pointer = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_void_p
    library.clGetExtensionFunctionAddressForPlatform.restype = pointer
    def call(name, result, *arguments):
        platform = pointer(context.devices[0].platform.int_ptr)
        address = library.clGetExtensionFunctionAddressForPlatform(platform, name.encode())
        types = [ctypes.c_uint if isinstance(argument, int) else pointer for argument in arguments]
        return ctypes.CFUNCTYPE(result, *types)(address)(*arguments)
    queues = ctypes.byref(pointer(queue.int_ptr))
    commands = pointer(call("clCreateCommandBufferKHR", pointer, 1, queues, None, None))
    size = ctypes.byref(ctypes.c_size_t(size))
    for kernel in kernels:
        assert call("clCommandNDRangeKernelKHR", ctypes.c_int, commands, None, None, pointer(kernel.int_ptr), 1, None,
                    size, None, 0, None, None, None) == 0
    assert call("clFinalizeCommandBufferKHR", ctypes.c_int, commands) == 0
    for _ in range(rounds):
        assert call("clEnqueueCommandBufferKHR", ctypes.c_int, 0, None, commands, 0, None, None) == 0
    queue.finish()
    call("clReleaseCommandBufferKHR", ctypes.c_int, commands)
"""

TILE = """kernel void k(global int *a, global int *b, int n) {
    local int tile[4];
    tile[get_local_id(0)] = b[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int j = tile[3 - get_local_id(0)];
    if (n != 0)
        a[j + n] = 7;
    b[get_global_id(0)] = n != 0 ? 100 : j % 4;
}
"""


def library():
    """The path of the tested library."""
    folder = os.environ["OCL_ICD_VENDORS"]
    files = [folder] if os.path.isfile(folder) else [os.path.join(folder, name) for name in os.listdir(folder)]
    return open(files[0]).read().strip()


HEKLAC = os.path.join(os.path.dirname(library()), "heklac")
FOLDERS = os.environ["PATH"].split(os.pathsep)
WITHOUT_HEKLAC = os.pathsep.join(folder for folder in FOLDERS if not os.path.exists(os.path.join(folder, "heklac")))


def start(source, size, group, *numbers, **environment):
    variables = {**os.environ, "HEKLA_CACHE": "0", "PYOPENCL_NO_CACHE": "1", "HEKLA_CHECK": "bounds,arith", **environment}
    arguments = [PROGRAM, source, *map(str, (size, group, *numbers))]
    result = subprocess.run([*PYTHON, "-c", *arguments], env=variables, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    return result.stderr


def begin(program, **environment):
    """Runs a program of its own, as `start` does; returns what it wrote to standard error."""
    variables = {**os.environ, "HEKLA_CACHE": "0", "PYOPENCL_NO_CACHE": "1", "HEKLA_CHECK": "bounds", **environment}
    result = subprocess.run([*PYTHON, "-c", PREAMBLE + textwrap.dedent(program)], env=variables, capture_output=True, text=True,
                            timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stderr


def steps(report):
    """Places and values that a report tells."""
    return re.findall(r"^  <source>:(\d+):(\d+): (.*)$", report, re.M)


def again(file):
    """What heklac reports of a file."""
    result = subprocess.run([*PYTHON[:-1], HEKLAC, "--replay", file], capture_output=True, text=True, timeout=600)
    return result.returncode, result.stdout, result.stderr


def test_a_value_is_followed_through_local_memory_to_argument_and_buffer(tmp_path):
    errors = start(TILE, 16, 4, 13, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    assert f"hekla: run the work-group again by: heklac --replay {file}\n" in errors
    # It contains the program's data.
    assert file.stat().st_mode & 0o077 == 0
    found = re.search(r"store of 4 bytes at offset (\d+) of argument 'a', which has 64 bytes .*local id \((\d), 0, 0\)", errors)
    j, item = int(found[1]) // 4 - 13, int(found[2])
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:7:9: bounds: store of 4 bytes at offset "), report
    told = steps(report)
    # b held 0 to 3 in each group, the other way round, after the first launch; the second one ends with 100.
    assert ("5", "13", f"{j}, read, written by local id ({3 - item}, 0, 0) at <source>:3:5") in told, report
    assert any(step[2] == "13, of argument 'n'" for step in told), report
    assert j == item
    assert "\n        int j = tile[3 - get_local_id(0)];\n                ^\n" in report


def test_heklac_is_run_at_once_where_it_is_on_the_path(tmp_path):
    source = "kernel void k(global int *a, global int *b, int n) {\n    int d = b[3] - n;\n    if (n != 0)\n        a[0] = 5 / d;\n}\n"
    path = os.path.dirname(HEKLAC) + os.pathsep + os.environ["PATH"]
    errors = start(source, 1, 1, 3, HEKLA_CHECK_REPLAY="1", PATH=path, TMPDIR=str(tmp_path))
    report = errors[errors.index("replay of: <source>:4:16: arith: division of 32 bits: 5 by 0"):]
    told = steps(report[:report.index("hekla: ")])
    assert ("2", "13", "3, read at offset 12 of argument 'b', where it was before the launch") in told, errors
    assert any(step[2] == "3, of argument 'n'" for step in told) and told[-1][2] == "0", errors
    assert not list(tmp_path.glob("*.replay"))


def test_what_other_work_groups_do_is_told_not_to_happen_alone(tmp_path):
    source = "kernel void k(global int *a, global int *b, int n) {\n    if (n != 0)\n        a[0] = get_group_id(0);\n}\n"
    start(source, 4, 1, 1, HEKLA_CHECK="races", HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    assert "  not found when its work-group runs alone" in again(file)[1]


@pytest.mark.parametrize("keep", [0, 1, 100, -1])
def test_files_that_are_none_are_errors(tmp_path, keep):
    start(TILE, 16, 4, 13, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    contents = file.read_bytes()
    file.write_bytes(contents[:keep])
    code, report, errors = again(file)
    assert code == 1 and report == "" and errors.startswith(f"heklac: {file}: it is ")
    assert again(tmp_path / "none")[0] == 1


def test_launches_in_slices_are_run_again(tmp_path):
    """The memory is kept before the first slice; the finding is in the last one."""
    told = begin("""
        kernel = cl.Program(context, '''kernel void k(global uint *a, global uint *b, uint n) {
            uint x = get_global_id(0);
            for (uint i = 0; i < n; i++)
                x = x * 1664525u + 1013904223u;
            uint j = get_global_id(0) + (x & n >> 30) + b[1];
            a[j] = 7;
        }''').build().k
        size = 1 << 14
        a, b = buffer(np.zeros(size, np.uint32)), buffer(np.array([5, 1], np.uint32))
        kernel(queue, (size,), (16,), a, b, np.uint32(20000))
        queue.finish()
        """, HEKLA_SLICE_MS="5", HEKLA_CHECK_REPLAY=str(tmp_path), HEKLA_LOG="debug", PATH=WITHOUT_HEKLAC)
    assert told.count("a slice of") > 4, told
    [file] = tmp_path.iterdir()
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:6:"), report
    told = steps(report)
    # Only the last work-item is wrong.
    assert ("5", "49", "1, read at offset 4 of argument 'b', where it was before the launch") in told, report
    assert any(step[0] == "5" and step[2] == str(1 << 14) for step in told), report


def test_launches_of_command_buffers_are_run_again(tmp_path):
    """Each replay of a command buffer keeps the memory before each of its launches."""
    begin("""
        kernels = cl.Program(context, '''kernel void first(global uint *a, global uint *b) {
            b[get_global_id(0)] += 3;
        }
        kernel void second(global uint *a, global uint *b) {
            uint j = b[get_global_id(0)];
            a[j * 4] = j;
        }''').build()
        a, b = buffer(np.zeros(64, np.uint32)), buffer(np.arange(4, dtype=np.uint32))
        first, second = kernels.first, kernels.second
        first.set_args(a, b)
        second.set_args(a, b)
        command_buffer([first, second], 4, 5)
        """, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:6:"), report
    # 16 and above are out of bounds, to which the fifth round comes first.
    value, offset = re.search(r"^  <source>:5:14: (\d+), read at offset (\d+) of argument 'b'", report, re.M).groups()
    assert int(value) == 15 + int(offset) // 4 >= 16, report


# Kernel, images, and what is told of the value that the store depends on. The store is out of bounds by the texel's value.
TEXELS = {
    "integers": ("read_only image2d_t i", "read_imageui(i, (int2)(2, 1)).y",
                 "image(2, 'RGBA', 'UNSIGNED_INT8', np.arange(48, dtype=np.uint8).reshape(3, 4, 4) + 50)",
                 "(74, 75, 76, 77)", "texel (2, 1, 0) of argument 'i'"),
    "another order": ("read_only image2d_t i", "(uint)(read_imagef(i, (int2)(2, 1)).x * 255.0f + 0.5f)",
                      "image(2, 'BGRA', 'UNORM_INT8', np.arange(48, dtype=np.uint8).reshape(3, 4, 4) + 50)",
                      None, "texel (2, 1, 0) of argument 'i'"),
    "a linear filter": ("read_only image2d_t i",
                        "(uint)read_imagef(i, CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR, "
                        "(float2)(1.75f, 1.5f)).x",
                        "image(2, 'R', 'FLOAT', np.arange(12, dtype=np.float32).reshape(3, 4) * 100)",
                        None, "texel (1, 1, 0) of argument 'i'"),
    "three dimensions": ("read_only image3d_t i", "read_imageui(i, (int4)(1, 2, 1, 0)).x",
                         "image(3, 'R', 'UNSIGNED_INT32', np.arange(24, dtype=np.uint32).reshape(2, 3, 4) + 50)",
                         "(71, 0, 0, 1)", "texel (1, 2, 1) of argument 'i'"),
    "texels of a buffer": ("read_only image1d_buffer_t i", "read_imageui(i, 5).x",
                           "cl.create_image(context, mf.READ_ONLY, cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT32), "
                           "shape=(16,), buffer=buffer(np.arange(16, dtype=np.uint32) + 50))",
                           "(55, 0, 0, 1)", "texel (5, 0, 0) of argument 'i'"),
}


@pytest.mark.parametrize("name", TEXELS)
def test_values_come_from_texels(tmp_path, name):
    argument, value, image, told, place = TEXELS[name]
    begin(f"""
        kernel = cl.Program(context, '''kernel void k(global uint *a, {argument}) {{
            uint j =
                {value};
            a[j] = 7;
        }}''').build().k
        kernel(queue, (1,), (1,), buffer(np.zeros(16, np.uint32)), {image})
        queue.finish()
        """, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:4:"), report
    texels = [step[2] for step in steps(report) if step[2].endswith(f", read at {place}, where it was before the launch")]
    assert texels and (told is None or texels[-1].startswith(told)), report
    # The step of a float's conversion has the index of the finding.
    offset = int(re.search(r"at offset (\d+) of argument 'a'", report)[1])
    assert told or any(step[2] == str(offset // 4) for step in steps(report)), report


def test_texels_that_another_work_item_wrote_are_followed(m, tmp_path):
    if not m.device.max_read_write_image_args:
        pytest.skip("no read_write images")
    begin("""
        kernel = cl.Program(context, '''kernel void k(global uint *a, read_write image2d_t i) {
            int x = get_local_id(0);
            write_imageui(i, (int2)(x, 1), (uint4)(x + 30));
            work_group_barrier(CLK_IMAGE_MEM_FENCE);
            uint j = read_imageui(i, (int2)(3 - x, 1)).x;
            if (x == 1)
                a[j] = 7;
        }''').build("-cl-std=CL3.0").k
        texels = image(2, 'R', 'UNSIGNED_INT32', np.zeros((3, 4), np.uint32))
        kernel(queue, (4,), (4,), buffer(np.zeros(16, np.uint32)), texels)
        queue.finish()
        """, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:7:"), report
    written = "(32, 0, 0, 1), read at texel (2, 1, 0) of argument 'i', written by local id (2, 0, 0) at <source>:3:"
    assert any(step[2].startswith(written) for step in steps(report)), report


def test_coordinates_beyond_an_image_are_followed(tmp_path):
    """In an image whose texels are a buffer's, which a launch sees through a copy."""
    begin("""
        kernel = cl.Program(context, '''kernel void k(global uint *a, read_only image2d_t i, write_only image2d_t o) {
            int x =
                read_imageui(i, (int2)(1, 2)).x;
            write_imageui(o, (int2)(0, x), (uint4)(1));
        }''').build().k
        source = buffer(np.arange(256, dtype=np.uint32))
        form = cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT32)
        desc = cl.ImageDescriptor()
        desc.image_type, desc.shape, desc.pitches, desc.buffer = cl.mem_object_type.IMAGE2D, (4, 4, 1), (256, 0), source
        desc.array_size, desc.num_mip_levels, desc.num_samples = 0, 0, 0
        texels, written = cl.Image(context, mf.READ_ONLY, form, desc=desc), image(2, 'R', 'UNSIGNED_INT32', np.zeros((3, 4), np.uint32))
        kernel(queue, (1,), (1,), buffer(np.zeros(16, np.uint32)), texels, written)
        queue.finish()
        """, HEKLA_CHECK_REPLAY=str(tmp_path), PATH=WITHOUT_HEKLAC)
    [file] = tmp_path.iterdir()
    code, report, _ = again(file)
    assert code == 0 and report.startswith("replay of: <source>:4:"), report
    assert any(step[2].startswith("(129, 0, 0, 1), read at texel (1, 2, 0) of argument 'i'") for step in steps(report)), report
