"""Fixtures of the suite: one context for all tests, and building with a check of refusals.

The suite runs real OpenCL programs through the ICD loader with pyopencl and compares with numpy. It is
run with Hekla as the only OpenCL platform and HEKLA_TEST_DRIVER naming the Vulkan driver below it:
lavapipe, lavapipe-26, swiftshader or gpu. On SwiftShader, which lacks double and more, and where HEKLA_LIMIT_TO restricts
a driver to what another device has, a program may be refused at build time, but only with a diagnostic that names what is
missing; such a test is skipped, everything else must pass. With HEKLA_TEST_ANY=1 it runs on the first OpenCL platform, whatever that is: so the
tests themselves are tested on other people's drivers.
"""

import os
import re
import sys

import clang
import numpy as np
import pyopencl as cl
import pytest
import skips
from imaging import Images

# What is tested is compiled now.
os.environ.setdefault("HEKLA_CACHE", "0")

DRIVER = os.environ.get("HEKLA_TEST_DRIVER", "lavapipe")
# The device file that the driver is restricted to.
LIMIT_TO = os.environ.get("HEKLA_LIMIT_TO", "")
# True where a program may be refused for what the device lacks.
IS_WEAK = DRIVER == "swiftshader" or LIMIT_TO != ""
# How to start another Python. A driver with a C library of its own needs words before the program's name,
# a line each.
PYTHON = [*filter(None, os.environ.get("HEKLA_TEST_PREFIX", "").split("\n")), sys.executable]
ANY_PLATFORM = os.environ.get("HEKLA_TEST_ANY") == "1"
# What the compiler says of a program that the device cannot run: the capability by name.
REFUSAL = re.compile(r"error: .*(?:requires|needs) (.+?) which this device does not offer")


class Machine:
    """A device with its context and queue, and shorthands for what every test does."""

    def __init__(self):
        assert DRIVER in ("lavapipe", "lavapipe-26", "swiftshader", "gpu"), f"HEKLA_TEST_DRIVER={DRIVER}"
        platforms = cl.get_platforms()
        if not ANY_PLATFORM:
            names = [platform.name for platform in platforms]
            assert len(names) == 1 and "Hekla" in names[0], f"Hekla must be alone: {names}"
        self.is_hekla = not ANY_PLATFORM
        self.platform = platforms[0]
        self.device = self.platform.get_devices()[0]
        self.context = cl.Context([self.device])
        # Hardware whose queues have no timestamps offers no profiling.
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        self.has_profiling = bool(self.device.queue_on_host_properties & profiling)
        self.queue = cl.CommandQueue(self.context, properties=profiling if self.has_profiling else 0)

    def build(self, source, options=()):
        """Builds a program; on a weak device, skips the test where a named capability is missing."""
        options = list(options)
        if clang.LEVEL:
            source, options = self.by_clang(source, options)
        try:
            return cl.Program(self.context, source).build(options=options)
        except cl.RuntimeError as error:
            refusal = REFUSAL.search(str(error))
            if refusal and IS_WEAK:
                pytest.skip(f"the device does not offer {refusal[1]}")
            raise

    def by_clang(self, source, options):
        """The program as SPIR-V; the test is skipped if clang does not take it."""
        try:
            return clang.compile(source, self.device, [clang.LEVEL, *options]), clang.known(options)
        except clang.Refused as refusal:
            pytest.skip(f"clang: {refusal}")

    def need_non_uniform_work_groups(self):
        """Skips the test on another platform that has none; Hekla always has them."""
        if not self.is_hekla and not self.device.non_uniform_work_group_support:
            pytest.skip("no non-uniform work-groups on this platform")

    def need_profiling(self):
        """Skips the test on a device whose queues cannot be profiled."""
        if not self.has_profiling:
            pytest.skip("no profiling on this device")

    def fp_config(self, kind):
        """What the device says of its arithmetic with half, float or double."""
        return getattr(self.device, {"float": "single"}.get(kind, kind) + "_fp_config")

    def keeps_denormals(self, kind):
        return bool(self.fp_config(kind) & cl.device_fp_config.DENORM)

    def buffer(self, array, flags=cl.mem_flags.READ_WRITE):
        """A buffer with an array's contents."""
        array = np.ascontiguousarray(array)
        return cl.Buffer(self.context, flags | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)

    def empty(self, nbytes):
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, int(nbytes))

    def read(self, buffer, dtype, shape):
        out = np.empty(shape, dtype)
        cl.enqueue_copy(self.queue, out, buffer)
        return out


def pytest_collection_modifyitems(items):
    for item in items:
        name = item.path.name + item.nodeid[item.nodeid.index("::"):]
        why = clang.why_other(name) if clang.LEVEL else None
        if why:
            item.add_marker(pytest.mark.skip(reason=f"clang: {why}"))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fails the run if other tests were skipped than are expected. Workers of xdist leave that to who started them."""
    if hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    wrong = skips.judge(DRIVER, reporter.stats.get("skipped", []))
    reporter.ensure_newline()
    for line in wrong:
        reporter.write_line(line, red=True)
    if wrong and session.exitstatus == 0:
        session.exitstatus = 1


@pytest.fixture(scope="session")
def cl_machine():
    return Machine()


@pytest.fixture
def m(cl_machine):
    return cl_machine


@pytest.fixture(scope="session")
def all_images(cl_machine):
    return Images(cl_machine)


@pytest.fixture
def images(all_images):
    """Images on the machine; the test is skipped on a device without them."""
    if not all_images.m.device.image_support:
        pytest.skip("no images on this device")
    return all_images


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture(params=["float", "double", "half"])
def kind(request, m):
    """A type of floats that the device computes with."""
    needed = {"double": "cl_khr_fp64", "half": "cl_khr_fp16"}.get(request.param)
    if needed and needed not in m.device.extensions:
        pytest.skip(f"no {needed}")
    return request.param
