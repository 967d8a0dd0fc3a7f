"""Modules of OpenCL SPIR-V as text: the files in the folder spirv, by spirv-as of the SPIR-V tools.

They begin with what the programs of compiler/tests/conformance begin with, after `;#` in place of `//#`; `version` is
that of SPIR-V.
"""

import functools
import pathlib
import re
import shutil
import subprocess

import pytest
from conformance_files import Program

FOLDER = pathlib.Path(__file__).parent / "spirv"


@functools.cache
def assemble(text, version="1.0"):
    """The module of a text, as bytes."""
    if shutil.which("spirv-as") is None:
        pytest.skip("spirv-as is not installed")
    done = subprocess.run(["spirv-as", "--target-env", f"spv{version}", "-o", "-", "-"], input=text.encode(),
                          capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def read(name):
    """The module in a file."""
    text = (FOLDER / f"{name}.spvasm").read_text()
    return assemble(text, re.search(r"^;# version: (\S+)", text, re.M)[1])


def programs():
    """The programs of all files that hold whole ones."""
    found = []
    for path in sorted(FOLDER.glob("*.spvasm")):
        headers = re.findall(r"^;#\s*(\w+)\s*:\s*(.*)$", path.read_text(), re.M)
        if headers[0][0] == "accept":
            program = Program(path.stem, *headers[0])
            for key, value in headers[1:]:
                if key != "version":
                    program.apply(key, value.strip())
            found.append(program)
    return found
