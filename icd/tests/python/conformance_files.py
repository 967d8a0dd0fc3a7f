"""The format of the conformance files in compiler/tests/conformance (docs/testing.md)."""

import pathlib
import re
import struct

import pyopencl as cl

CL_DEVICE_OPENCL_C_FEATURES = 0x106F
FOLDER = pathlib.Path(__file__).resolve().parents[3] / "compiler" / "tests" / "conformance"


class Program:
    """One program with the rule that it tests and what must come of it."""

    def __init__(self, place, kind, rule):
        self.place, self.accept, self.rule = place, kind == "accept", rule
        self.options, self.invalid, self.requires = "", False, []
        self.global_size, self.local_size = (1,), None
        self.expect, self.prints, self.lines = [], [], []

    @property
    def source(self):
        return "\n".join(self.lines) + "\n"

    def apply(self, key, value):
        if key == "options":
            self.options = value
        elif key == "requires":
            self.requires = [name.strip() for name in value.split(",")]
        elif key == "global":
            self.global_size = tuple(int(size) for size in value.split())
        elif key == "local":
            self.local_size = tuple(int(size) for size in value.split())
        elif key == "expect":
            self.expect += [word(item) for item in value.split()]
        elif key == "invalid":
            self.invalid = True
        elif key == "prints":
            self.prints.append(value)
        else:
            assert key in ("error", "warn"), f"{self.place}: unknown header '{key}'"

    def runs_with(self, offered):
        """Whether a device that offers these extensions and features can have this program."""
        return all(not offers(offered, name[1:]) if name.startswith("!") else offers(offered, name)
                   for name in self.requires)


def device_names(device):
    """Names of a pyopencl device's extensions and features."""
    names = device.extensions.split()
    try:
        names += [feature.name for feature in device.get_info(CL_DEVICE_OPENCL_C_FEATURES)]
    except (cl.Error, ValueError):
        pass  # An OpenCL 1.2 device of another platform has no features.
    return names


def offers(offered, name):
    """`fp64` stands for cl_khr_fp64, `generic` for __opencl_c_generic_address_space."""
    names = set(offered) | {re.sub("^(cl_khr_|__opencl_c_)", "", full) for full in offered}
    return any(full == name or full.startswith(name + "_") for full in names)


def word(item):
    """A word: an integer that fits 32 bits with or without sign, or the bits of a float (1.5f)."""
    if item.endswith("f") and not item.startswith("0x"):
        return struct.unpack("<I", struct.pack("<f", float(item[:-1])))[0]
    return int(item, 0) & 0xFFFFFFFF


def read_folder():
    """Every program of every file."""
    programs = []
    for path in sorted(FOLDER.glob("*.cl")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            header = re.match(r"//#\s*(\w+)\s*:?\s*(.*)", line)
            if header and header[1] in ("accept", "reject"):
                programs.append(Program(f"{path.name}:{number}", header[1], header[2]))
            elif header:
                programs[-1].apply(header[1], header[2].strip())
            elif not line.startswith("//!"):
                programs[-1:] and programs[-1].lines.append(line)
    return programs
