"""cl_intel_unified_shared_memory through ctypes, for pyopencl's objects: pyopencl does not know it."""

import ctypes

import numpy as np
import pyopencl as cl

HOST_CAPABILITIES, DEVICE_CAPABILITIES, SINGLE_CAPABILITIES = 0x4190, 0x4191, 0x4192
CROSS_CAPABILITIES, SYSTEM_CAPABILITIES = 0x4193, 0x4194
ACCESS, ATOMIC, CONCURRENT = 1, 2, 4
FLAGS, TYPE, BASE, SIZE, DEVICE = 0x4195, 0x419A, 0x419B, 0x419C, 0x419D
UNKNOWN, HOST_TYPE, DEVICE_TYPE, SHARED_TYPE = 0x4196, 0x4197, 0x4198, 0x4199
WRITE_COMBINED, PLACE_ON_DEVICE, PLACE_ON_HOST = 1, 2, 4
INDIRECT = {"host": 0x4200, "device": 0x4201, "shared": 0x4202}
USM_PTRS = 0x4203
COMMANDS = {"fill": 0x4204, "copy": 0x4205, "migrate": 0x4206, "advise": 0x4207}

_cl = ctypes.CDLL("libOpenCL.so.1")
_p, _size, _int, _uint, _ulong = (
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint, ctypes.c_ulong)
_cl.clGetExtensionFunctionAddressForPlatform.restype = _p
_cl.clGetExtensionFunctionAddressForPlatform.argtypes = [_p, ctypes.c_char_p]
_cl.clSetKernelExecInfo.argtypes = [_p, _uint, _size, _p]
_cl.clGetDeviceInfo.argtypes = [_p, _uint, _size, _p, _p]
_EVENTS = [_uint, _p, _p]
FUNCTIONS = {
    "clHostMemAllocINTEL": (_p, [_p, _p, _size, _uint, _p]),
    "clDeviceMemAllocINTEL": (_p, [_p, _p, _p, _size, _uint, _p]),
    "clSharedMemAllocINTEL": (_p, [_p, _p, _p, _size, _uint, _p]),
    "clMemFreeINTEL": (_int, [_p, _p]),
    "clMemBlockingFreeINTEL": (_int, [_p, _p]),
    "clGetMemAllocInfoINTEL": (_int, [_p, _p, _uint, _size, _p, _p]),
    "clSetKernelArgMemPointerINTEL": (_int, [_p, _uint, _p]),
    "clEnqueueMemFillINTEL": (_int, [_p, _p, _p, _size, _size, *_EVENTS]),
    "clEnqueueMemcpyINTEL": (_int, [_p, _uint, _p, _p, _size, *_EVENTS]),
    "clEnqueueMigrateMemINTEL": (_int, [_p, _p, _size, _ulong, *_EVENTS]),
    "clEnqueueMemAdviseINTEL": (_int, [_p, _p, _size, _uint, *_EVENTS]),
}


class Failure(Exception):
    """A call that did not succeed."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


def check(code):
    if code != 0:
        raise Failure(code)


class Usm:
    """The extension's functions on a context, with a queue for commands."""

    def __init__(self, context, queue):
        self.context, self.queue = context, queue
        self.handle = context.int_ptr
        self.device = context.devices[0]
        platform = self.device.platform.int_ptr
        self.call = {}
        for name, (result, arguments) in FUNCTIONS.items():
            address = _cl.clGetExtensionFunctionAddressForPlatform(platform, name.encode())
            assert address, f"{name} is not there"
            self.call[name] = ctypes.CFUNCTYPE(result, *arguments)(address)

    def capabilities(self, which, device=None):
        value = ctypes.c_ulong(0xAA)
        device = device or self.device
        check(_cl.clGetDeviceInfo(device.int_ptr, which, 8, ctypes.byref(value), None))
        return value.value

    def allocate(self, kind, size, alignment=0, flags=None, device=None):
        """The address of a new allocation of a kind: host, device or shared."""
        code = _int(0xAA)
        properties = None if flags is None else (_ulong * 3)(FLAGS, flags, 0)
        owner = [] if kind == "host" else [(device or self.device).int_ptr]
        function = self.call[f"cl{kind.title()}MemAllocINTEL"]
        address = function(self.handle, *owner, properties, size, alignment, ctypes.byref(code))
        check(code.value)
        assert address
        return address

    def free(self, address):
        check(self.call["clMemFreeINTEL"](self.handle, address))

    def blocking_free(self, address):
        check(self.call["clMemBlockingFreeINTEL"](self.handle, address))

    def info(self, address, name):
        value, size = ctypes.c_ulong(0), _size()
        function = self.call["clGetMemAllocInfoINTEL"]
        check(function(self.handle, address, name, 8, ctypes.byref(value), ctypes.byref(size)))
        assert size.value == (4 if name == TYPE else 8)
        return value.value

    def set_arg(self, kernel, index, address):
        check(self.call["clSetKernelArgMemPointerINTEL"](kernel.int_ptr, index, address))

    def exec_info(self, kernel, name, value):
        check(_cl.clSetKernelExecInfo(
            kernel.int_ptr, name, 0 if value is None else ctypes.sizeof(value),
            None if value is None else ctypes.byref(value)))

    def may_reach(self, kernel, *kinds):
        for kind in kinds:
            self.exec_info(kernel, INDIRECT[kind], _uint(1))

    def _enqueue(self, name, *arguments, waits=(), queue=None):
        events = (_p * len(waits))(*[event.int_ptr for event in waits]) if waits else None
        made = _p()
        queue = queue or self.queue
        check(self.call[name](
            queue.int_ptr, *arguments, len(waits), events, ctypes.byref(made)))
        return cl.Event.from_int_ptr(made.value, retain=False)

    def copy(self, to, source, size, blocking=False, **rest):
        return self._enqueue("clEnqueueMemcpyINTEL", int(blocking), to, source, size, **rest)

    def fill(self, to, pattern, size, **rest):
        return self._enqueue("clEnqueueMemFillINTEL", to, pattern, len(pattern), size, **rest)

    def migrate(self, address, size, flags=0, **rest):
        return self._enqueue("clEnqueueMigrateMemINTEL", address, size, flags, **rest)

    def advise(self, address, size, advice=0, **rest):
        return self._enqueue("clEnqueueMemAdviseINTEL", address, size, advice, **rest)

    def write(self, address, array, **rest):
        """Copies an array there, and waits."""
        array = np.ascontiguousarray(array)
        self.copy(address, array.ctypes.data, array.nbytes, blocking=True, **rest)

    def read(self, address, count, dtype=np.int32, **rest):
        """Copies an array from there, and waits."""
        array = np.zeros(count, dtype)
        self.copy(array.ctypes.data, address, array.nbytes, blocking=True, **rest)
        return array


def view(address, count, dtype=np.int32):
    """Memory that the host sees, as an array."""
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
