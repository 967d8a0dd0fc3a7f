"""The rules of OpenCL C, one program each: compiler/tests/conformance.

Programs that follow a rule run, and the words that they write and the lines that they print are
compared; programs that break one must fail to build (compiler/tests/conformance.rs checks with what
message). A program that needs a feature that the device lacks is skipped. `-k 6.3.1` chooses by file
name.
"""

import conformance_files
import numpy as np
import pyopencl as cl
import pytest
import raw

PROGRAMS = conformance_files.read_folder()


@pytest.fixture(scope="module")
def builder(cl_machine):
    return raw.Builder()


@pytest.fixture(scope="module")
def offered(cl_machine):
    """Names of the device's extensions and features."""
    return conformance_files.device_names(cl_machine.device)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_conformance(program, builder, offered, m, capfd):
    if not program.runs_with(offered):
        pytest.skip(f"requires {', '.join(program.requires)}")
    if not program.accept:
        return rejected(program, builder)
    accepted(program, m)
    if program.prints:
        printed = capfd.readouterr().out.splitlines()
        assert printed == program.prints, f"{program.place}: {program.rule}"


def accepted(program, m):
    built = cl.Program(m.context, program.source).build(options=program.options.split())
    check(program, built, m)


def check(program, built, m):
    """Runs a program and compares the words that it writes."""
    out = m.buffer(np.zeros(len(program.expect), np.uint32))
    built.test(m.queue, program.global_size, program.local_size, out)
    got = m.read(out, np.uint32, len(program.expect))
    wrong = [f"out[{i}] is {g:#x}, not {e:#x}"
             for i, (g, e) in enumerate(zip(got.tolist(), program.expect)) if g != e]
    assert not wrong, f"{program.place}: {program.rule}\n" + "\n".join(wrong)


def rejected(program, builder):
    status, log = builder.build(program.source.encode(), program.options.encode())
    expected = raw.CL_INVALID_BUILD_OPTIONS if program.invalid else raw.CL_BUILD_PROGRAM_FAILURE
    assert status == expected, \
        f"{program.place}: {program.rule}\nstatus {status}, log:\n{log}"
