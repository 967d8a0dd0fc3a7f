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


LEFT_BEHIND = "what leaves a loop so stands behind it in a module (docs/unsupported.md)"
# What a device that is known to have little may say of a module.
LACKING = re.compile(r"capability \w+ is not supported")
# Programs that are others by clang 22, by file, the beginning of their rule, and why: what they tell of the compiler, and
# where it is wrong.
OTHERS = [
    ("6.12-preprocessor", "OpenCL C 1.0 is compared with the names", "clang has no CL_VERSION_3_1"),
    ("6.12-preprocessor", "OpenCL C 1.1 is compared with the names", "clang has no CL_VERSION_3_1"),
    ("6.12-preprocessor", "OpenCL C 1.2 is compared with the names", "clang has no CL_VERSION_3_1"),
    ("6.12-preprocessor", "OpenCL C 3.0 is compared with the names", "clang has no CL_VERSION_3_1"),
    ("6.12-preprocessor", "__ROUNDING_MODE__ is rte", "clang has no __ROUNDING_MODE__"),
    ("6.12-preprocessor", "feature macros are of OpenCL C 3.0", "clang defines feature macros for OpenCL C 1.2 too"),
    ("6.13.1-attributes", "aligned without a factor", "the largest alignment of any type is 16 there"),
    ("6.13.3-attributes", "aligned without a factor", "the largest alignment of any type is 16 there"),
    ("6.15.11-async", "a copy from global to local memory", "clang takes an array in local memory for one element"),
    ("6.15.11-async", "a strided copy gathers", "clang takes an array in local memory for one element"),
    ("6.15.11-async", "elements of every type", "clang takes vectors in an array of uchar for an array"),
    ("6.15.15.1-samplers", "constants of program scope", "clang drops a constant sampler that initializes a variable"),
    ("6.15.17-work-group-uniform", "the macro is defined", "clang does not know the extension"),
    ("6.15.18-pipe", "pipes are of values and of structures", "pipes are refused in SPIR-V, by the capability's name"),
    ("6.15.20-sub-group", "those that leave a loop by break", "clang moves what a sub-group does in a loop"),
    ("6.15.20-sub-group", "those that return from within loops", LEFT_BEHIND),
    ("6.15.20-sub-group", "those that leave loops by goto", LEFT_BEHIND),
    ("6.4.2-explicit-casts", "bool to a floating-point vector", "clang converts a bool to a vector as -1"),
    ("6.4.3-explicit-conversions", "convert_T converts", "clang converts uchar to uint with its sign"),
    ("6.4.3-explicit-conversions", "a type converts to itself", "clang saturates int to int as if it were uint"),
    ("6.4.3-explicit-conversions", "vectors with modifiers", "clang converts uchar to uint with its sign"),
    ("6.4.3.3-saturated", "_sat clamps integers", "clang saturates by the wrong sign"),
    ("6.4.3.4-conversion-examples", "the specification's examples", "clang saturates by the wrong sign"),
    ("6.5.2-unary", "the least long can be written", "clang takes 2^63 for an integer of 16 bytes"),
    ("6.5.9-selection", "a vector condition of the width", "clang widens a vector condition without its sign"),
    ("clang-hints", "an expected value is the value", "clang does not evaluate what a constant is expected to be"),
    ("c99-6.9-functions", "inline with a definition", "clang leaves an inline function to other files, as C99 has it"),
]


def why_other(program):
    """Why a program is another by clang, or None."""
    found = (why for file, rule, why in OTHERS if program.place.startswith(file) and program.rule.startswith(rule))
    return next(found, None)


def test_others_are_programs():
    for file, rule, _ in OTHERS:
        assert any(p.place.startswith(file) and p.rule.startswith(rule) for p in PROGRAMS), (file, rule)


@pytest.fixture(scope="module")
def offered(cl_machine):
    return conformance_files.device_names(cl_machine.device)


@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_same_by_clang(program, offered, m, capfd):
    clang.need()
    if why := why_other(program):
        pytest.skip(why)
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
