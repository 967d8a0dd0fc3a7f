"""clBuildProgram of C++ for OpenCL (cl_ext_cxx_for_opencl), which takes clang."""

import os
import subprocess

import clang
import numpy as np
import pyopencl as cl
import pytest
import raw
from conftest import PYTHON

CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT = 0x4230
TEMPLATE = """
template <typename T> T times(T x, int n) { return n == 0 ? T(0) : x + times<T>(x, n - 1); }
template <typename T, int N> struct sum { static T of(T x) { return x + sum<T, N - 1>::of(x); } };
template <typename T> struct sum<T, 0> { static T of(T) { return T(0); } };
kernel void test(global uint *out) {
    out[0] = sum<uint, 5>::of(out[0]);
    out[1] = __OPENCL_CPP_VERSION__;
    out[2] = GIVEN;
}
"""


@pytest.fixture
def installed(m):
    clang.need()
    if not m.is_hekla:
        pytest.skip("builds by Hekla")
    assert "cl_ext_cxx_for_opencl" in m.device.extensions.split()


def run(m, program, first=3):
    out = m.buffer(np.array([first, 0, 0], np.uint32))
    program.test(m.queue, (1,), None, out)
    return m.read(out, np.uint32, 3).tolist()


@pytest.mark.parametrize("std,version", [("CLC++", 100), ("CLC++1.0", 100), ("CLC++2021", 202100)])
def test_versions(m, installed, std, version):
    source = TEMPLATE[TEMPLATE.index("template <typename T, int N>"):]
    program = cl.Program(m.context, source).build([f"-cl-std={std}", "-DGIVEN=7", "-cl-mad-enable", "-w"])
    assert run(m, program) == [15, version, 7]
    # The log of a build that has nothing to tell, and what the device says.
    assert program.get_build_info(m.device, cl.program_build_info.LOG).strip() == ""
    told = raw.device_info(m.device.int_ptr, CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT)
    assert int.from_bytes(told, "little") == 1 << 22


def test_binaries(m, installed):
    source = "template <class T> T f(T x) { return x * 2; } kernel void test(global uint *p) { p[0] = f(p[0]); }"
    program = cl.Program(m.context, source).build(["-cl-std=CLC++2021"])
    binary = program.get_info(cl.program_info.BINARIES)
    again = cl.Program(m.context, [m.device], binary).build()
    assert run(m, again) == [6, 0, 0]
    assert program.get_info(cl.program_info.SOURCE) == source


def test_mistakes_are_told(m, installed):
    with pytest.raises(cl.RuntimeError, match=r"<stdin>:2:\d+: error: use of undeclared identifier 'missing'"):
        cl.Program(m.context, "kernel void test(global int *p) {\n*p = missing; }").build(["-cl-std=CLC++"])
    source = "kernel void test(global int *p) { *p = 1; }\n#warning look here\n"
    program = cl.Program(m.context, source).build(["-cl-std=CLC++2021"])
    assert "look here" in program.get_build_info(m.device, cl.program_build_info.LOG)
    with pytest.raises(cl.RuntimeError, match="look here"):
        cl.Program(m.context, source).build(["-cl-std=CLC++2021", "-Werror"])


def test_headers_and_linking(m, installed):
    """Headers by their names, in folders too, and a function of OpenCL C."""
    headers = [("sizes/twice.h", cl.Program(m.context, "template <class T> T twice(T x) { return x + x; }"))]
    source = """
        #include <sizes/twice.h>
        extern "C" uint other(uint x);
        kernel void test(global uint *p) { p[0] = other(twice(p[0])); }"""
    parts = [cl.Program(m.context, source).compile(["-cl-std=CLC++2021"], headers=headers),
             cl.Program(m.context, "uint other(uint x) { return x + 100; }").compile()]
    assert run(m, cl.link_program(m.context, parts)) == [106, 0, 0]
    program = cl.Program(m.context, source)
    with pytest.raises(cl.RuntimeError, match="COMPILE_PROGRAM_FAILURE"):
        program.compile(["-cl-std=CLC++2021"], headers=[("../twice.h", headers[0][1])])
    assert "'include/../twice.h' leads elsewhere" in program.get_build_info(m.device, cl.program_build_info.LOG)


def test_nothing_is_left_behind(m, installed, tmp_path):
    """Files of a build are gone afterwards; options are no words of a shell."""
    script = """
import pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
text = "kernel void test(global int *p) { *p = 1; }"
cl.Program(context, text).build(["-cl-std=CLC++2021", "-DX=;touch${IFS}marker", "-I", "$(touch${IFS}marker)"])
print("built")
"""
    done = subprocess.run([*PYTHON, "-c", script], env={**os.environ, "TMPDIR": str(tmp_path)}, cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.stdout == "built\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_clang(m):
    """It is not listed, and a build says what to install."""
    if not m.is_hekla:
        pytest.skip("builds by Hekla")
    script = """
import pyopencl as cl
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
print("cl_ext_cxx_for_opencl" in device.extensions)
try:
    cl.Program(context, "kernel void test(global int *p) { *p = 1; }").build(["-cl-std=CLC++"])
except cl.RuntimeError as error:
    print("install clang-22" in str(error))
try:
    device.get_info(0x4230)
except cl.LogicError as error:
    print(error.code)
"""
    # A folder that depends on where the process is does not count.
    done = subprocess.run([*PYTHON, "-c", script], env={**os.environ, "PATH": "."}, cwd="/usr/bin",
                          capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", str(cl.status_code.INVALID_VALUE)], done.stderr
