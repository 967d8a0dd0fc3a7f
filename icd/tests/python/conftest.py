"""Fixtures of the suite: one context for all tests, and building with a check of refusals.

The suite runs real OpenCL programs through the ICD loader with pyopencl and compares with numpy. On a
driver that lacks a capability (SwiftShader has no double) a program may be refused at build time, but
only with a diagnostic that names what is missing; such a test is skipped, everything else must pass.
"""

import numpy as np
import pyopencl as cl
import pytest


class Machine:
    """A device with its context and queue, and shorthands for what every test does."""

    def __init__(self):
        platforms = cl.get_platforms()
        assert platforms
        self.platform = platforms[0]
        self.device = self.platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(
            self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)

    def build(self, source, options=()):
        """Builds a program; skips the test if the device is refused for a named capability."""
        try:
            return cl.Program(self.context, source).build(options=list(options))
        except cl.RuntimeError as error:
            if "this device does not offer" in str(error):
                pytest.skip(str(error).splitlines()[0])
            raise

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


@pytest.fixture(scope="session")
def cl_machine():
    return Machine()


@pytest.fixture
def m(cl_machine):
    return cl_machine


@pytest.fixture
def rng():
    return np.random.default_rng(7)
