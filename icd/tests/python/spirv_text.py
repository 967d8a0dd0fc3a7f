"""Modules of OpenCL SPIR-V as text: the files in the folder spirv, by spirv-as of the SPIR-V tools.

They begin with what the programs of compiler/tests/conformance begin with, after `;#` in place of `//#`; `version` is
that of SPIR-V.
"""

import array
import functools
import pathlib
import re
import shutil
import subprocess

import pytest
from conformance_files import Program

FOLDER = pathlib.Path(__file__).parent / "spirv"


def encode_floats(module, width, encoding):
    """The module with an encoding for all floats of a width."""
    words, at, out = array.array("I", module), 5, array.array("I")
    out.extend(words[:5])
    while at < len(words):
        inst = words[at:at + (words[at] >> 16)]
        is_meant = inst[0] == 3 << 16 | 22 and inst[2] == width
        out.extend([4 << 16 | 22, inst[1], width, encoding] if is_meant else inst)
        at += len(inst)
    return out.tobytes()


@functools.cache
def assemble(text, version="1.0"):
    """The module of a text, as bytes. `BFloat16KHR` behind the width of floats, which not every spirv-as knows, is the encoding
    of all floats of that width."""
    encoded = re.search(r"OpTypeFloat (\d+)( BFloat16KHR)", text)
    if encoded:
        return encode_floats(assemble(text.replace(encoded[2], ""), version), int(encoded[1]), 0)
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
