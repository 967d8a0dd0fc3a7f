"""Drivers that compile a pipeline in its first dispatch do so before CL_PROFILING_COMMAND_START: a dispatch of no work-groups
precedes the timestamp. In processes of their own, whose log tells of it."""

import os
import re
import subprocess

import pytest
from conftest import PYTHON

PROGRAM = """
import ctypes
import numpy as np
import pyopencl as cl

context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
profiling = cl.command_queue_properties.PROFILING_ENABLE
queue = cl.CommandQueue(context, properties=profiling if PROFILES else 0)
program = cl.Program(context, '''
kernel void one(global uint *out) { out[get_global_id(0)] += 1; }
// The last work-group is smaller, so there are two dispatches.
kernel void two(global uint *out) {
    local uint words[64];
    words[get_local_id(0)] = out[get_global_id(0)] + get_local_size(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = words[get_local_size(0) - 1 - get_local_id(0)];
}
kernel void other(global uint *out) { out[get_global_id(0)] *= 2; }
kernel void buffered(global uint *out) { out[get_global_id(0)] += 5; }
''').build("-cl-std=CL3.0")
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4000)
cl.enqueue_fill_buffer(queue, buffer, np.uint32(3), 0, 4000)
events = []
for name, local in [("one", None), ("two", (64,)), ("one", None), ("other", None)]:
    kernel = cl.Kernel(program, name)
    kernel.set_args(buffer)
    events.append(cl.enqueue_nd_range_kernel(queue, kernel, (1000,), local))
    events[-1].wait()
library = ctypes.CDLL("libOpenCL.so.1")
library.clGetExtensionFunctionAddressForPlatform.restype = ctypes.c_void_p
pointer = ctypes.c_void_p


def call(name, result, *arguments):
    address = library.clGetExtensionFunctionAddressForPlatform(
        pointer(context.devices[0].platform.int_ptr), name.encode())
    types = [ctypes.c_uint if isinstance(argument, int) else pointer for argument in arguments]
    return ctypes.CFUNCTYPE(result, *types)(address)(*arguments)


kernel = cl.Kernel(program, "buffered")
kernel.set_args(buffer)
queues = ctypes.byref(pointer(queue.int_ptr))
commands = pointer(call("clCreateCommandBufferKHR", pointer, 1, queues, None, None))
size = ctypes.c_size_t(1000)
call("clCommandNDRangeKernelKHR", ctypes.c_int, commands, None, None, pointer(kernel.int_ptr), 1, None,
     ctypes.byref(size), None, 0, None, None, None)
call("clFinalizeCommandBufferKHR", ctypes.c_int, commands)
for _ in range(2):
    event = pointer()
    call("clEnqueueCommandBufferKHR", ctypes.c_int, 0, None, commands, 0, None, ctypes.byref(event))
    events.append(cl.Event.from_int_ptr(event.value, retain=False))
    events[-1].wait()
call("clReleaseCommandBufferKHR", ctypes.c_int, commands)

out = np.zeros(1000, np.uint32)
cl.enqueue_copy(queue, out, buffer)
assert (out[:960] == 148).all() and (out[960:] == 100).all(), out
if PROFILES:
    times = [time for event in events for time in (event.profile.start, event.profile.end)]
    assert times == sorted(times), times
print(context.devices[0].name)
"""


@pytest.mark.parametrize("profiles", [True, False])
def test_a_profiled_launch_begins_when_its_kernel_is_compiled(profiles):
    environment = dict(os.environ, HEKLA_LOG="debug", HEKLA_CACHE="0")
    environment.pop("HEKLA_TRACE", None)
    source = PROGRAM.replace("PROFILES", str(profiles))
    result = subprocess.run([*PYTHON, "-c", source], env=environment, timeout=300,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    compiled = re.findall(r"a dispatch of no work-groups has '(\w+)' compiled", result.stderr)
    # Once for each pipeline, since the second launch of `one` finds the first one complete.
    needed = profiles and "llvmpipe" in result.stdout
    assert compiled == (["one", "two", "two", "other", "buffered"] if needed else []), compiled
