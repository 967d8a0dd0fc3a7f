"""HEKLA_PREPARE: the pipeline that a kernel's first launch most likely takes is made in the background. Each in a process of
its own, with a trace, which shows pipelines and calls."""

import json
import os
import subprocess

import pytest
from conftest import PYTHON

PROGRAM = """
import ctypes, os, time
import numpy as np
import pyopencl as cl

context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void one(global uint *out) { out[get_global_id(0)] = 1; }
kernel void two(global uint *out) { out[get_global_id(1) * 64 + get_global_id(0)] = 2; }
kernel void three(global uint *out) { out[get_global_id(2) * 512 + get_global_id(1) * 32 + get_global_id(0)] = 3; }
kernel __attribute__((reqd_work_group_size(8, 4, 2))) void required(global uint *out) {
    out[(get_global_id(2) * 16 + get_global_id(1)) * 16 + get_global_id(0)] = get_local_size(1);
}
kernel __attribute__((work_group_size_hint(32, 2, 1))) void hinted(global uint *out) {
    out[get_global_id(1) * 64 + get_global_id(0)] = get_local_size(0);
}
kernel void seeing(global uint *out) { out[get_global_id(0)] = get_local_size(0); }
kernel void given(global uint *out, local uint *words) {
    words[get_local_id(0)] = 7;
    out[get_global_id(0)] = words[get_local_id(0)];
}
''').build()
"""

# Kernels with the sizes of their first launch, and what they write.
LAUNCHES = {
    "one": ((4096,), None, 1),
    "two": ((64, 64), None, 2),
    "three": ((32, 16, 8), None, 3),
    "required": ((16, 16, 16), (8, 4, 2), 4),
    "hinted": ((64, 64), (32, 2), 32),
    "seeing": ((4096,), (16,), 16),
    "given": ((4096,), (16,), 7),
}
OPEN = {"one", "two", "three", "required", "hinted"}

LAUNCH = f"""
kernels = [cl.Kernel(program, name) for name in {list(LAUNCHES)}]
time.sleep(WAIT)
for kernel, (sizes, local, value) in zip(kernels, {list(LAUNCHES.values())}):
    out = np.zeros(4096, np.uint32)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    kernel.set_arg(0, buffer)
    if kernel.function_name == "given":
        kernel.set_arg(1, cl.LocalMemory(64))
    cl.enqueue_nd_range_kernel(queue, kernel, sizes, local)
    cl.enqueue_copy(queue, out, buffer)
    assert (out == value).all(), (kernel.function_name, out)
"""


def run(source, **variables):
    environment = dict(os.environ, HEKLA_PACK="", **variables)
    return subprocess.run([*PYTHON, "-c", PROGRAM + source], env=environment, timeout=300, capture_output=True,
                          text=True)


def pipelines(path):
    """Returns for each kernel if each of its pipelines was made before the first launch."""
    events = json.loads(path.read_text())
    first = min(event["ts"] for event in events if event["name"] == "clEnqueueNDRangeKernel")
    made = {}
    for event in events:
        _, is_pipeline, kernel = event["name"].partition("pipeline of ")
        if is_pipeline:
            made.setdefault(kernel, []).append(event["ts"] < first)
    return made


def test_likely_pipelines_are_made_before_the_first_launch(tmp_path):
    path = tmp_path / "trace.json"
    # What is made in time depends on the machine.
    for wait in (0.3, 3, 20):
        result = run(LAUNCH.replace("WAIT", str(wait)), HEKLA_TRACE=str(path), HEKLA_PREPARE="always")
        assert result.returncode == 0, result.stderr
        made = pipelines(path)
        if all(made[name][0] for name in OPEN):
            break
    assert made == {name: [name in OPEN] for name in LAUNCHES}


def test_without_it_launches_make_them(tmp_path):
    path = tmp_path / "trace.json"
    result = run(LAUNCH.replace("WAIT", "0.1"), HEKLA_TRACE=str(path), HEKLA_PREPARE="off")
    assert result.returncode == 0, result.stderr
    assert pipelines(path) == {name: [False] for name in LAUNCHES}


MANY = """
source = '''
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k%d(global float *out) {
    float x = get_global_id(0) + %d;
    for (int i = 0; i < 30; i++) { x = sin(x) * exp(x) + tgamma(x); if (x > 9) x = fmod(x, 3); }
    out[get_global_id(0)] = x;
}'''
many = cl.Program(context, ''.join(source % (i, i) for i in range(12))).build().all_kernels()
"""

# What a program does while pipelines are made.
MEANWHILE = {
    "exit": "ctypes.CDLL(None).exit(0)",
    "exit in a thread": """
import threading
threading.Thread(target=ctypes.CDLL(None).exit, args=(0,)).start()
time.sleep(60)
""",
    "release": "del many, program, queue, context",
    "fork": """
child = os.fork()
if child == 0:
    ctypes.CDLL(None).exit(0)
assert os.waitpid(child, 0)[1] == 0
""",
    "launch": """
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 1024)
for kernel in many:
    kernel.set_arg(0, buffer)
    cl.enqueue_nd_range_kernel(queue, kernel, (1024,), (64,))
queue.finish()
""",
}


@pytest.mark.parametrize("delay", [0, 0.05])
@pytest.mark.parametrize("what", MEANWHILE)
def test_programs_end_and_go_on_meanwhile(what, delay):
    result = run(MANY + f"time.sleep({delay})\n" + MEANWHILE[what], HEKLA_PREPARE="always", HEKLA_CACHE="0")
    assert result.returncode == 0, result.stderr
