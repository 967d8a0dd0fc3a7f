"""HEKLA_CHECK_REPLAY: the work-group of a finding is run again, and it is told how the value came about."""

import os
import re
import subprocess

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
