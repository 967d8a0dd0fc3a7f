"""The programs of compiler/tests/conformance, compiled to SPIR-V by clang: they must write and print what they do when
they are compiled here.

It takes minutes: `cargo xtask differ --ingest` runs it, without and with optimization by clang
(HEKLA_TEST_BY_CLANG), and CI does not.
"""

import re

import clang
import conformance_files
import pyopencl as cl
import pytest
from conftest import IS_WEAK
from test_conformance import check

PROGRAMS = [program for program in conformance_files.read_folder() if program.accept]

pytestmark = pytest.mark.skipif(not clang.LEVEL, reason="by cargo xtask differ --ingest")


# What a device that is known to have little may say of a module.
LACKING = re.compile(r"capability \w+ is not supported")
# Programs that are others by clang 22: what they tell of the compiler, and where it is wrong.
OTHERS = {
    "6.12-preprocessor.cl:266": "clang has no CL_VERSION_3_1",
    "6.12-preprocessor.cl:301": "clang has no CL_VERSION_3_1",
    "6.12-preprocessor.cl:336": "clang has no CL_VERSION_3_1",
    "6.12-preprocessor.cl:376": "clang has no CL_VERSION_3_1",
    "6.12-preprocessor.cl:420": "clang has no __ROUNDING_MODE__",
    "6.12-preprocessor.cl:497": "clang defines feature macros for OpenCL C 1.2 too",
    "6.13.1-attributes-of-types.cl:57": "the largest alignment of any type is 16 there",
    "6.13.3-attributes-of-variables.cl:36": "the largest alignment of any type is 16 there",
    "6.15.11-async-copies.cl:3": "clang takes an array in local memory for one element",
    "6.15.11-async-copies.cl:108": "clang takes an array in local memory for one element",
    "6.15.11-async-copies.cl:60": "clang takes vectors in an array of uchar for an array",
    "6.15.15.1-samplers.cl:36": "clang drops a constant sampler that a variable is initialized with",
    "6.15.18-pipe-functions.cl:3": "pipes are refused in SPIR-V, by the capability's name",
    "6.15.20-sub-group-functions.cl:684": "clang moves what a sub-group does in a loop",
    "6.15.20-sub-group-functions.cl:715": "what returns from a loop stands behind it in a module (docs/unsupported.md)",
    "6.4.2-explicit-casts.cl:63": "clang converts a bool to a vector as -1",
    "6.4.3-explicit-conversions.cl:3": "clang converts uchar to uint with its sign",
    "6.4.3-explicit-conversions.cl:22": "clang saturates int to int as if it were uint",
    "6.4.3-explicit-conversions.cl:30": "clang converts uchar to uint with its sign",
    "6.4.3.3-saturated-conversions.cl:3": "clang saturates by the wrong sign",
    "6.4.3.4-conversion-examples.cl:3": "clang saturates by the wrong sign",
    "6.5.9-selection.cl:67": "clang widens a vector condition without its sign",
    "clang-hints.cl:3": "clang does not evaluate what a constant is expected to be",
    "c99-6.9-functions.cl:133": "clang leaves an inline function to other files, as C99 has it",
}


@pytest.fixture(scope="module")
def offered(cl_machine):
    return conformance_files.device_names(cl_machine.device)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_same_by_clang(program, offered, m, capfd):
    clang.need()
    if program.place in OTHERS:
        pytest.skip(OTHERS[program.place])
    if not program.runs_with(offered):
        pytest.skip(f"requires {', '.join(program.requires)}")
    options = program.options.split()
    try:
        module = clang.compile(program.source, m.device, [clang.LEVEL, *options])
    except clang.Refused as refusal:
        pytest.skip(f"clang: {refusal}")
    try:
        built = cl.Program(m.context, module).build(options=clang.known(options))
    except cl.RuntimeError as error:
        # clang asks for more than a program uses: for Float16 wherever there is a pointer to a half.
        lacking = LACKING.search(str(error))
        if not lacking or not IS_WEAK:
            raise
        pytest.skip(lacking[0])
    check(program, built, m)
    if program.prints:
        assert capfd.readouterr().out.splitlines() == program.prints, f"{program.place}: {program.rule}"
