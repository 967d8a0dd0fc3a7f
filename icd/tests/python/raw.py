"""The C interface through ctypes: builds any bytes, and gives the exact status and log.

pyopencl decodes sources, caches binaries and adds to options and logs; tests of bad input want none
of that. Used as a program, it builds standard input with the options of its arguments on the first
device and prints the status, then the log: so that a test can watch over the whole process.
"""

import ctypes
import sys

import numpy as np

CL_SUCCESS = 0
CL_BUILD_PROGRAM_FAILURE = -11
CL_INVALID_BUILD_OPTIONS = -43
CL_DEVICE_TYPE_ALL = 0xFFFFFFFF
CL_PROGRAM_SOURCE = 0x1164
CL_PROGRAM_IL = 0x1169
CL_PROGRAM_BUILD_LOG = 0x1183

_cl = ctypes.CDLL("libOpenCL.so.1")
_handle, _size, _int, _uint = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint
for _name, _result, _arguments in [
        ("clGetPlatformIDs", _int, [_uint, _handle, _handle]),
        ("clGetDeviceIDs", _int, [_handle, ctypes.c_ulong, _uint, _handle, _handle]),
        ("clCreateContext", _handle, [_handle, _uint, _handle, _handle, _handle, _handle]),
        ("clReleaseContext", _int, [_handle]),
        ("clCreateProgramWithSource", _handle, [_handle, _uint, _handle, _handle, _handle]),
        ("clBuildProgram", _int, [_handle, _uint, _handle, ctypes.c_char_p, _handle, _handle]),
        ("clGetDeviceInfo", _int, [_handle, _uint, _size, _handle, _handle]),
        ("clGetProgramInfo", _int, [_handle, _uint, _size, _handle, _handle]),
        ("clGetProgramBuildInfo", _int, [_handle, _handle, _uint, _size, _handle, _handle]),
        ("clReleaseProgram", _int, [_handle])]:
    getattr(_cl, _name).restype = _result
    getattr(_cl, _name).argtypes = _arguments


def _info(query, handle, name):
    size = _size()
    assert query(handle, name, 0, None, ctypes.byref(size)) == CL_SUCCESS
    value = ctypes.create_string_buffer(size.value or 1)
    assert query(handle, name, size, value, None) == CL_SUCCESS
    return value.raw[:size.value]


def program_info(program, name):
    """The bytes that clGetProgramInfo gives."""
    return _info(_cl.clGetProgramInfo, program, name)


def device_info(device, name):
    """The bytes that clGetDeviceInfo gives."""
    return _info(_cl.clGetDeviceInfo, device, name)


def device_texts(device, name):
    """The strings of a query whose answer is an array of pointers."""
    addresses = np.frombuffer(device_info(device, name), np.uint64)
    return [ctypes.string_at(int(address)).decode() for address in addresses]


class Builder:
    """A context on the first device of the first platform, for building alone."""

    def __init__(self):
        platform, self.device, status = _handle(), _handle(), _int()
        assert _cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == CL_SUCCESS
        assert _cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, ctypes.byref(self.device),
                                  None) == CL_SUCCESS
        self.context = _cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None,
                                           ctypes.byref(status))
        assert status.value == CL_SUCCESS

    def build(self, source, options=b""):
        """Builds bytes; gives clBuildProgram's status and the log."""
        status, text, length = _int(), ctypes.c_char_p(source), _size(len(source))
        program = _cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text),
                                                ctypes.byref(length), ctypes.byref(status))
        assert status.value == CL_SUCCESS, f"clCreateProgramWithSource gives {status.value}"
        built = _cl.clBuildProgram(program, 1, ctypes.byref(self.device), options, None, None)
        size = _size()
        assert _cl.clGetProgramBuildInfo(program, self.device, CL_PROGRAM_BUILD_LOG, 0, None,
                                         ctypes.byref(size)) == CL_SUCCESS
        log = ctypes.create_string_buffer(size.value + 1)
        assert _cl.clGetProgramBuildInfo(program, self.device, CL_PROGRAM_BUILD_LOG, size, log,
                                         None) == CL_SUCCESS
        assert _cl.clReleaseProgram(program) == CL_SUCCESS
        return built, log.value.decode("utf-8", "replace")


if __name__ == "__main__":
    result, message = Builder().build(sys.stdin.buffer.read(), " ".join(sys.argv[1:]).encode())
    print(result)
    print(message)
