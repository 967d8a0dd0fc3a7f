"""What OpenCL 3.1 makes mandatory (OpenCL API appendix E, "3.0 to 3.1"), and platforms and devices of 3.0."""

import os
import subprocess

import numpy as np
import pyopencl as cl
import pytest
from conftest import PYTHON
from raw import device_info

CL_DEVICE_ILS_WITH_VERSION = 0x1061
CL_DEVICE_OPENCL_C_ALL_VERSIONS = 0x1066
CL_DEVICE_NUMERIC_VERSION = 0x105E
CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES = 0x1073
# API 4.2.1, "extensions that must be reported".
EXTENSIONS = """cl_khr_device_uuid cl_khr_extended_bit_ops cl_khr_integer_dot_product cl_khr_spirv_queries
    cl_khr_subgroup_extended_types cl_khr_subgroup_rotate cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative
    cl_khr_suggested_local_work_size""".split()


def versions(device, name):
    """The (major, minor) numbers of a list of cl_name_version."""
    listed = device_info(device.int_ptr, name)
    numbers = [int.from_bytes(listed[at:at + 4], "little") for at in range(0, len(listed), 68)]
    return [(number >> 22, number >> 12 & 1023) for number in numbers]


def newest(device):
    """The version of OpenCL that a device has, after a check that all queries agree."""
    text = device.version.split()[1]
    number = int.from_bytes(device_info(device.int_ptr, CL_DEVICE_NUMERIC_VERSION), "little")
    assert text == f"{number >> 22}.{number >> 12 & 1023}" and number & 4095 == 0
    return text


@pytest.fixture
def new(m):
    """The machine, if its device has OpenCL 3.1."""
    if newest(m.device) != "3.1":
        pytest.skip("the device has no OpenCL 3.1")
    return m


def test_a_device_with_sub_groups_has_31(m):
    if not m.is_hekla:
        pytest.skip("another platform's choice")
    assert m.device.platform.version.startswith("OpenCL 3.1 Hekla ")
    assert newest(m.device) == ("3.1" if m.device.max_num_sub_groups else "3.0")
    # OpenCL C 2.0 has images that are read and written, where there are any.
    images = not m.device.image_support or m.device.max_read_write_image_args > 0
    has_20 = bool(m.device.device_enqueue_capabilities) and images
    expected = [(1, 0), (1, 1), (1, 2)] + [(2, 0)] * has_20 + [(3, 0)] + [(3, 1)] * (m.device.max_num_sub_groups > 0)
    assert versions(m.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS) == expected


def test_what_a_device_of_31_has(new):
    assert set(EXTENSIONS) <= set(new.device.extensions.split())
    assert new.device.max_num_sub_groups >= 1
    assert {(1, minor) for minor in range(5)} <= set(versions(new.device, CL_DEVICE_ILS_WITH_VERSION))
    dot_products = device_info(new.device.int_ptr, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES)
    assert int.from_bytes(dot_products, "little") & 1, "packed dot products"


def test_what_a_program_in_31_has(new):
    """Of every extension that was promoted to OpenCL C 3.1 a function, and the macros."""
    program = new.build("""
        kernel void test(global uint *out) {
            uint i = get_sub_group_local_id();
            uint ok = __OPENCL_C_VERSION__ == 310 && __OPENCL_VERSION__ == 310 && CL_VERSION_3_1 == 310;
            ok &= __opencl_c_subgroups == 1 && __opencl_c_integer_dot_product_input_4x8bit_packed == 1;
            ok &= bit_reverse(1u) == 0x80000000u;
            ok &= dot_4x8packed_uu_uint(0x01020304u, 0x01010101u) == 10;
            ok &= sub_group_broadcast((uchar2)(i, 7), 0).y == 7;
            ok &= sub_group_shuffle(i, 0) == 0 && sub_group_shuffle_xor(i, 0) == i;
            ok &= sub_group_shuffle_up(i, 0) == i && sub_group_rotate(i, 0) == i;
            out[0] = ok;
        }""", ["-cl-std=CL3.1"])
    out = new.empty(4)
    program.test(new.queue, (1,), None, out)
    assert new.read(out, np.uint32, 1)[0] == 1


def test_local_arguments_of_no_size(new):
    program = new.build("""
        kernel void test(global uint *out, local uint *none, local uint *some, uint n) {
            some[get_local_id(0)] = get_local_id(0) + 5;
            for (uint i = 0; i < n; i++) none[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = some[3 - get_local_id(0)];
        }""")
    out = new.buffer(np.zeros(4, np.uint32))
    program.test(new.queue, (4,), (4,), out, cl.LocalMemory(0), cl.LocalMemory(16), np.uint32(0))
    np.testing.assert_array_equal(new.read(out, np.uint32, 4), [8, 7, 6, 5])


OLD = """
import pyopencl as cl
platform = cl.get_platforms()[0]
device = platform.get_devices()[0]
print(platform.version.split()[1], device.version.split()[1])
context = cl.Context([device])
def build(text, options=""):
    return cl.Program(context, text).build(options)
try:
    build("kernel void test() {}", "-cl-std=CL3.1")
except cl.RuntimeError as error:
    print("'-cl-std=CL3.1' needs OpenCL C 3.1 which this device does not offer" in str(error))
build("#if __OPENCL_VERSION__ != 300\\n#error version\\n#endif", "-cl-std=CL3.0")
kernel = build("kernel void test(local int *p) {}").test
try:
    kernel.set_arg(0, cl.LocalMemory(0))
except cl.LogicError as error:
    print(error.code == cl.status_code.INVALID_ARG_SIZE)
print(any(version.version == 3 << 22 | 1 << 12 for version in device.get_info(cl.device_info.OPENCL_C_ALL_VERSIONS)))
"""


def test_a_platform_of_30_on_request(m):
    if not m.is_hekla:
        pytest.skip("HEKLA_VERSION is Hekla's")
    environment = {**os.environ, "HEKLA_VERSION": "3.0", "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run([*PYTHON, "-c", OLD], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["3.0 3.0", "True", "True", "False"], done.stdout + done.stderr


DISORDER = '''
import pyopencl as cl, numpy as np
device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
print(device.version.split()[1], device.max_num_sub_groups, "cl_khr_subgroup" in device.extensions)
features = "".join(feature.name for feature in device.get_info(cl.device_info.OPENCL_C_FEATURES))
print("__opencl_c_subgroups" in features)
try:
    cl.Program(context, "kernel void f(global uint *o) { *o = get_sub_group_size(); }").build("-cl-std=CL3.0")
except cl.RuntimeError as error:
    print("get_sub_group_size" in str(error))
text = "kernel void f(global uint *o) { *o = work_group_reduce_add((uint)get_local_id(0)); }"
program = cl.Program(context, text)
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
queue = cl.CommandQueue(context)
program.build("-cl-std=CL3.0").f(queue, (24,), (24,), out)
got = np.zeros(1, np.uint32)
cl.enqueue_copy(queue, got, out)
print(got[0])
'''


def test_a_device_without_order_has_no_sub_groups(m):
    """Where sub-groups are not filled in the order of work-items, all queries say that there are none."""
    if not m.is_hekla:
        pytest.skip("faults are Hekla's")
    environment = {**os.environ, "HEKLA_FAULT": "subgroups", "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run([*PYTHON, "-c", DISORDER], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["3.0 0 False", "False", "True", "276"], done.stdout + done.stderr
