"""OpenCL C and C++ for OpenCL compiled to SPIR-V by clang, where one that can do so is installed.

clang emits SPIR-V itself from version 22 on (`--target=spirv64`); `HEKLA_CLANG` names another than the newest of
those on the path. What a device lacks is switched off, as its own compiler does.
"""

import functools
import os
import shutil
import subprocess

import pytest
from conformance_files import device_names

# What `cargo xtask differ --ingest` sets: programs of all tests are compiled by clang, with this option.
LEVEL = os.environ.get("HEKLA_TEST_BY_CLANG")
FIRST_VERSION, LAST_VERSION = 22, 30
TIME_LIMIT_S = 120
# Tests whose programs are others as clang 22 compiles them, by the beginnings of their names, and why.
OTHERS = {
    "test_contraction.py::test_nothing_is_contracted_across_statements[float-r = (T)": "a module has no casts to the same type",
    "test_contraction.py::test_nothing_is_contracted_across_statements[double-r = (T)": "a module has no casts to the same type",
    "test_contraction.py::test_nothing_is_contracted_across_statements[half-r = (T)": "a module has no casts to the same type",
    "test_globals.py::test_queries": "how large a variable may be is checked of text alone",
    "test_images_depth.py::test_order_and_type_in_a_kernel": "clang gives types of channels as SPIR-V numbers them",
    "test_images_mipmaps.py::test_levels_are_written[write_only": "clang writes the level in place of the texel",
    "test_images_queries.py::test_an_argument_says_what_it_is": "clang leaves out names of types",
    "test_images_queries.py::test_sizes_in_a_kernel": "clang gives types of channels as SPIR-V numbers them",
    "test_images_read.py::test_read_imageh": "clang does not know the function",
    "test_long_chains.py::test_logical_operators[1600]": "without optimization clang nests the operators",
    "test_long_chains.py::test_logical_operators[10000]": "clang takes minutes for it",
    "test_subgroup_sizes.py::test_what_is_done_before_a_break": "a module does not tell what is part of a loop that is left",
    "test_subgroups.py::test_what_is_done_before_a_break": "a module does not tell what is part of a loop that is left",
    "test_pipes.py::test_pipes_of_functions_and_queries": "clang leaves out names of types",
}
# The same, of those that are compiled without optimization and run on lavapipe.
NESTED = dict.fromkeys([
    "test_long_chains.py::test_else_if",
    "test_long_chains.py::test_choices[1600]",
    "test_long_chains.py::test_a_choice_is_converted_as_if_nested",
    "test_long_chains.py::test_labels_and_jumps_into_branches[300]",
], "clang nests them deeper than lavapipe has room for")
# Build options of OpenCL that clang does not know.
UNKNOWN = ("-cl-no-subgroup-ifp", "-cl-arm-non-uniform-work-group-size")


class Refused(Exception):
    """clang's diagnostics for a program that it does not compile."""


@functools.cache
def path():
    """The program, or None."""
    if os.environ.get("HEKLA_CLANG"):
        return os.environ["HEKLA_CLANG"]
    names = [f"clang-{version}" for version in range(LAST_VERSION, FIRST_VERSION - 1, -1)]
    return next(filter(None, map(shutil.which, names)), None)


def need():
    """Skips the test where there is no clang."""
    if path() is None:
        pytest.skip(f"clang-{FIRST_VERSION} or newer is not installed")


def why_other(test):
    """Why the programs of a test are others by clang, or None."""
    on_lavapipe = os.environ.get("HEKLA_TEST_DRIVER", "lavapipe").startswith("lavapipe")
    others = OTHERS | NESTED if LEVEL == "-O0" and on_lavapipe else OTHERS
    return next((why for name, why in others.items() if test.startswith(name)), None)


def known(options):
    """The options that clang knows too."""
    return [option for option in options if option not in UNKNOWN]


def compile(source, device, options=()):
    """The SPIR-V of a program for a device, as bytes. The version of the language is OpenCL C 1.2 unless told."""
    options = known(options)
    if not any(option.startswith("-cl-std") for option in options):
        options.insert(0, "-cl-std=CL1.2")
    offered = sorted(name for name in device_names(device)
                     if name.startswith(("cl_khr_", "cl_ext_", "__opencl_c_")))
    features = ",".join(["-all", *(f"+{name}" for name in offered)])
    command = [path(), "--target=spirv64", "-x", "cl", "-Xclang", f"-cl-ext={features}", "-c", *options,
               "-o", "-", "-"]
    done = subprocess.run(command, input=source.encode(), capture_output=True, timeout=TIME_LIMIT_S)
    if done.returncode != 0:
        raise Refused(done.stderr.decode("utf-8", "replace"))
    return done.stdout
