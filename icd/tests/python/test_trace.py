"""HEKLA_TRACE: a Chrome trace of calls and commands on one clock, valid JSON however the process ends.
HEKLA_LOG_FILE: where the log goes. Each in a process of its own, since variables hold for a process."""

import json
import os
import subprocess
import time

import pytest
from conftest import PYTHON

PROGRAM = """
import ctypes, os, sys
import numpy as np
import pyopencl as cl

context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(context)
program = cl.Program(context, '''
kernel void été_count(global uint *out) {
    uint sum = 0;
    for (uint i = 0; i < 20000; i++) sum += i ^ out[get_global_id(0)];
    out[get_global_id(0)] = sum;
}''').build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
cl.enqueue_fill_buffer(queue, buffer, np.uint32(3), 0, 4096)
kernel = cl.Kernel(program, "été_count")
kernel.set_args(buffer)
for _ in range(3):
    cl.enqueue_nd_range_kernel(queue, kernel, (1024,), None)
queue.finish()
try:
    cl.Buffer(context, cl.mem_flags.READ_WRITE, 0)
except cl.Error:
    pass
END
"""

ENDS = {
    "released": "del kernel, program, buffer, queue, context",
    "exit": "ctypes.CDLL(None).exit(0)",
    "child": """
child = os.fork()
if child == 0:
    ctypes.CDLL(None).exit(0)
os.waitpid(child, 0)
""",
    "killed": "sys.stdout.flush(); os.kill(os.getpid(), 9)",
}


def run(end, **variables):
    environment = dict(os.environ, **{name: str(value) for name, value in variables.items()})
    source = PROGRAM.replace("END", end)
    return subprocess.run([*PYTHON, "-c", source], env=environment, timeout=300,
                          capture_output=True, text=True)


@pytest.mark.parametrize("how", ENDS)
def test_the_trace_is_whole(tmp_path, how, m):
    m.need_profiling()
    path = tmp_path / "trace-%p.json"
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
    result = run(ENDS[how], HEKLA_TRACE=path)
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1000
    assert result.returncode == (-9 if how == "killed" else 0), result.stderr
    [file] = tmp_path.iterdir()
    assert file.name[6:-5].isdigit()
    events = json.loads(file.read_text())
    if how == "killed":
        # Nobody had a chance to write the rest.
        return
    calls = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    commands = [event for event in events if event["ph"] == "X" and event["pid"] == 2]
    launches = [c for c in calls if c["name"] == "clEnqueueNDRangeKernel"]
    assert len(launches) == 3
    [finish] = [c for c in calls if c["name"] == "clFinish"]
    assert {"error": -61} in [c.get("args") for c in calls if c["name"].startswith("clCreateBuffer")]
    for event in calls + commands:
        assert before <= event["ts"] and event["ts"] + event["dur"] <= after
    # The first launch makes the pipeline.
    [pipeline] = [c for c in calls if c["name"] == "pipeline of été_count"]
    assert pipeline["args"]["known bytes"] >= 0 and pipeline["args"]["found"] in (None, False, True)
    assert launches[0]["ts"] <= pipeline["ts"]
    end = pipeline["ts"] + pipeline["dur"]
    assert end <= launches[0]["ts"] + launches[0]["dur"] + 0.002
    # Of the device, on the host's clock: after the call that enqueued it, in order, and done when
    # clFinish returned. A millisecond for clocks that are correlated by running a command.
    runs = [c for c in commands if c["name"] == "été_count"]
    assert len(runs) == 3
    assert sum(c["name"] == "fill" for c in commands) == 1
    for launch, command in zip(launches, runs):
        assert command["ts"] >= launch["ts"] - 1000
        assert command["ts"] + command["dur"] <= finish["ts"] + finish["dur"] + 1000
        assert command["dur"] > 0
    for first, second in zip(runs, runs[1:]):
        assert first["ts"] + first["dur"] <= second["ts"] + 0.002
    names = [event["args"]["name"] for event in events if event["name"] == "thread_name"]
    assert any(name.startswith("queue 1, ") for name in names)


SIZES = """
program = cl.Program(context, '''
kernel void blind(global uint *out) { out[get_global_id(0)] += 3; }
kernel void seeing(global uint *out) { out[get_global_id(0)] += 2 + get_local_size(0) / get_local_size(0); }
''').build()
sums = np.zeros(1 << 16, np.uint32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=sums)
for kernel in program.all_kernels():
    kernel.set_args(buffer)
    for local in (1, 4, 16, 64, 128):
        cl.enqueue_nd_range_kernel(queue, kernel, sums.shape, (local,))
cl.enqueue_copy(queue, sums, buffer)
assert (sums == 2 * 5 * 3).all()
"""


def test_one_pipeline_serves_all_sizes_that_a_kernel_cannot_tell(tmp_path):
    path = tmp_path / "trace.json"
    result = run(SIZES, HEKLA_TRACE=path, HEKLA_PACK="", HEKLA_PREPARE="off")
    assert result.returncode == 0, result.stderr
    names = [event["name"] for event in json.loads(path.read_text())]
    assert names.count("pipeline of blind") == 1
    assert names.count("pipeline of seeing") > 1


OPEN_SIZES = """
program = cl.Program(context, '''
kernel void blind(global uint *out) { out[get_global_id(1) * 64 + get_global_id(0)] = 1; }
kernel void seeing(global uint *out) { out[get_global_id(1) * 64 + get_global_id(0)] = get_local_size(0); }
''').build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 64 * 64)
for kernel in program.all_kernels():
    kernel.set_args(buffer)
    for x in range(30, 64):
        cl.enqueue_nd_range_kernel(queue, kernel, (x, 97 - x), None)
queue.finish()
"""


def test_few_pipelines_serve_all_global_sizes_that_a_kernel_checks(tmp_path, cl_machine):
    path = tmp_path / "trace.json"
    result = run(OPEN_SIZES, HEKLA_TRACE=path, HEKLA_PACK="", HEKLA_PREPARE="off")
    assert result.returncode == 0, result.stderr
    names = [event["name"] for event in json.loads(path.read_text())]
    assert names.count("pipeline of seeing") > 10
    # Where masks are software kernels check no bounds.
    assert names.count("pipeline of blind") <= 2 or "llvmpipe" in cl_machine.device.name


def test_a_trace_that_cannot_be_written_costs_nothing(tmp_path):
    result = run("print('done')", HEKLA_TRACE=tmp_path / "missing" / "trace.json")
    assert result.returncode == 0 and "done" in result.stdout
    result = run("print('done')", HEKLA_TRACE="/dev/full", HEKLA_LOG="warn")
    assert result.returncode == 0 and "done" in result.stdout
    assert "hekla: WARN: HEKLA_TRACE" in result.stderr


def test_the_log_has_levels_and_a_file(tmp_path):
    file = tmp_path / "log-%p.txt"
    result = run("os.close(2)", HEKLA_LOG="debug", HEKLA_LOG_FILE=file)
    assert result.returncode == 0 and "hekla:" not in result.stderr
    [written] = tmp_path.iterdir()
    text = written.read_text()
    assert "hekla: INFO: " in text and "is offered" in text
    assert "hekla: DEBUG: clCreateBuffer: error -61" in text
    assert "TRACE" not in text
    result = run("pass", HEKLA_LOG="info")
    assert "is offered" in result.stderr and "DEBUG" not in result.stderr
    assert "none of off, error" in run("pass", HEKLA_LOG="loud").stderr
