"""Several processes, threads and devices work on one problem: examples/scale/nbody.py, which checks its result itself."""

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import PYTHON

EXAMPLE = Path(__file__).parents[3] / "examples/scale/nbody.py"
# The smallest problem that is one: what is tested is that all see what the others did.
SMALL = ["--bodies", "1024", "--steps", "3"]


def run(words, **variables):
    """Runs a command with one thread for each device of lavapipe, and returns what it printed."""
    environment = {**os.environ, "LP_NUM_THREADS": "1", **variables}
    done = subprocess.run([*words, *SMALL], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(text, members):
    """Each member tells its device, and one the result, which is that of one device to the last bit."""
    assert len(re.findall(r"^\d: ", text, re.MULTILINE)) == members, text
    assert "largest difference 0.0e+00" in text, text


@pytest.mark.parametrize("how", ["--processes", "--threads"])
def test_two_members_compute_what_one_does(m, how):
    if how == "--processes" and len(PYTHON) > 1:
        pytest.skip("the processes that it starts lack the driver's C library")
    check(run([*PYTHON, str(EXAMPLE), how, "2"]), 2)


def test_one_context_of_all_devices(m):
    count = min(len(m.platform.get_devices()), 4)
    check(run([*PYTHON, str(EXAMPLE), "--one-context", str(count)]), count)


def test_more_devices_than_there_are(m):
    words = [*PYTHON, str(EXAMPLE), "--one-context", "99"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and "99 devices are wanted" in done.stderr


@pytest.mark.skipif(not importlib.util.find_spec("mpi4py") or not shutil.which("mpirun"), reason="no MPI")
def test_processes_of_mpi(m):
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", *PYTHON, str(EXAMPLE)]
    check(run(words, OMPI_MCA_btl="tcp,self"), 2)
