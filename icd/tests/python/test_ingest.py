"""The programs of compiler/tests/conformance, compiled to SPIR-V by clang: they must write and print what they do when
they are compiled here.

It takes minutes: `cargo xtask differ --ingest` runs it, without and with optimization by clang
(HEKLA_TEST_BY_CLANG), and CI does not.
"""

import os

import clang
import conformance_files
import pyopencl as cl
import pytest
from test_conformance import check

PROGRAMS = [program for program in conformance_files.read_folder() if program.accept]
LEVEL = os.environ.get("HEKLA_TEST_BY_CLANG")

pytestmark = pytest.mark.skipif(not LEVEL, reason="by cargo xtask differ --ingest")


@pytest.fixture(scope="module")
def offered(cl_machine):
    return conformance_files.device_names(cl_machine.device)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_same_by_clang(program, offered, m, capfd):
    clang.need()
    if not program.runs_with(offered):
        pytest.skip(f"requires {', '.join(program.requires)}")
    options = program.options.split()
    try:
        module = clang.compile(program.source, m.device, [LEVEL, *options])
    except clang.Refused as refusal:
        pytest.skip(f"clang: {refusal}")
    built = cl.Program(m.context, module).build(options=clang.known(options))
    check(program, built, m)
    if program.prints:
        assert capfd.readouterr().out.splitlines() == program.prints, f"{program.place}: {program.rule}"
