"""Unified shared memory (cl_intel_unified_shared_memory): allocations of the host, of the device, and of both."""

import ctypes
import itertools

import numpy as np
import pyopencl as cl
import pytest
import spirv_text
import usm as u
from usm import Failure, Usm, view

KINDS = ["host", "device", "shared"]
CL_INVALID_VALUE, CL_INVALID_ARG_INDEX, CL_INVALID_ARG_VALUE = -30, -49, -50
# A bit of CL_DEVICE_SVM_CAPABILITIES.
FINE_GRAIN_SYSTEM = 4
CL_MEM_COPY_OVERLAP, CL_INVALID_HOST_PTR = -8, -37


class Freeing(Usm):
    """Frees in the end what is left."""

    def __init__(self, m):
        super().__init__(m.context, m.queue)
        self.left = set()

    def allocate(self, kind, size, alignment=0, flags=None, device=None):
        address = super().allocate(kind, size, alignment, flags, device)
        self.left.add(address)
        return address

    def free(self, address):
        super().free(address)
        self.left.discard(address)

    def blocking_free(self, address):
        super().blocking_free(address)
        self.left.discard(address)


@pytest.fixture
def usm(m):
    if "cl_intel_unified_shared_memory" not in m.device.extensions.split():
        pytest.skip("no unified shared memory")
    usm = Freeing(m)
    for which in (u.HOST_CAPABILITIES, u.SINGLE_CAPABILITIES):
        if not usm.capabilities(which):
            pytest.skip("memory of the device alone")
    yield usm
    m.queue.finish()
    for address in list(usm.left):
        usm.free(address)


def test_capabilities_are_what_holds(usm):
    known = u.ACCESS | u.ATOMIC | u.CONCURRENT | 8
    for which in (u.HOST_CAPABILITIES, u.DEVICE_CAPABILITIES, u.SINGLE_CAPABILITIES,
                  u.CROSS_CAPABILITIES, u.SYSTEM_CAPABILITIES):
        capabilities = usm.capabilities(which)
        assert capabilities & ~known == 0
        assert capabilities == 0 or capabilities & u.ACCESS
    assert usm.capabilities(u.DEVICE_CAPABILITIES) & u.ACCESS
    if usm.device.svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_BUFFER:
        assert usm.capabilities(u.HOST_CAPABILITIES) & u.CONCURRENT


@pytest.mark.parametrize("kind", KINDS)
def test_queries_tell_what_was_allocated(usm, kind):
    kinds = {"host": u.HOST_TYPE, "device": u.DEVICE_TYPE, "shared": u.SHARED_TYPE}
    address = usm.allocate(kind, 1000, 64, u.WRITE_COMBINED)
    assert address % 64 == 0
    for inside in (0, 1, 999):
        assert usm.info(address + inside, u.TYPE) == kinds[kind]
        assert usm.info(address + inside, u.BASE) == address
        assert usm.info(address + inside, u.SIZE) == 1000
        assert usm.info(address + inside, u.DEVICE) == (0 if kind == "host" else usm.device.int_ptr)
        assert usm.info(address + inside, u.FLAGS) == u.WRITE_COMBINED
    usm.free(address)
    for name, nothing in ((u.TYPE, u.UNKNOWN), (u.BASE, 0), (u.SIZE, 0), (u.DEVICE, 0), (u.FLAGS, 0)):
        assert usm.info(address, name) == nothing
        assert usm.info(None, name) == nothing
        assert usm.info(np.zeros(4).ctypes.data, name) == nothing


def test_shared_virtual_memory_is_another_kind(usm, m):
    if not m.device.svm_capabilities:
        pytest.skip("no shared virtual memory")
    svm = cl.csvm_empty(m.context, (16,), np.int32)
    assert usm.info(svm.ctypes.data, u.TYPE) == u.UNKNOWN
    with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
        usm.free(svm.ctypes.data)


@pytest.mark.parametrize("kind", ["host", "shared"])
def test_host_and_device_see_the_same_bytes(usm, m, kind):
    count = 5000
    address = usm.allocate(kind, 4 * count)
    bytes_ = view(address, count)
    bytes_[:] = np.arange(count)
    kernel = m.build("kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }").twice
    usm.set_arg(kernel, 0, address)
    for times in (2, 4):
        cl.enqueue_nd_range_kernel(m.queue, kernel, (count,), None).wait()
        assert (bytes_ == times * np.arange(count)).all()
    # The host's changes count, too.
    bytes_[7] = -3
    cl.enqueue_nd_range_kernel(m.queue, kernel, (count,), None).wait()
    assert bytes_[7] == -6 and bytes_[8] == 64


@pytest.mark.parametrize("kind", KINDS)
def test_pointers_into_the_middle_are_arguments(usm, m, kind, rng):
    count, offset = 300, 12
    numbers = rng.integers(-1000, 1000, count + offset, dtype=np.int32)
    address = usm.allocate(kind, 4 * (count + offset))
    usm.write(address, numbers)
    kernel = m.build(
        "kernel void add(global int *p, constant int *q) { p[get_global_id(0)] += q[1]; }").add
    usm.set_arg(kernel, 0, address + 4 * offset)
    usm.set_arg(kernel, 1, address)
    cl.enqueue_nd_range_kernel(m.queue, kernel, (count,), None)
    numbers[offset:] += numbers[1]
    assert (usm.read(address, count + offset) == numbers).all()


def test_any_pointer_is_an_argument(usm, m):
    """Since version 1.1.0: a kernel may compute with it."""
    kernel = m.build(
        "kernel void k(global int *p, global ulong *out) { *out = (ulong)p; }").k
    out = usm.allocate("shared", 8)
    usm.set_arg(kernel, 1, out)
    for value in (None, 1, np.zeros(1).ctypes.data, 2**63 + 5):
        usm.set_arg(kernel, 0, value)
        cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), None).wait()
        assert view(out, 1, np.uint64)[0] == (value or 0)
    with pytest.raises(Failure, match=str(CL_INVALID_ARG_INDEX)):
        usm.set_arg(kernel, 2, out)
    kernel = m.build("kernel void k(int n, local int *l, global int *g) { *g = n + *l; }").k
    for index in (0, 1):
        with pytest.raises(Failure, match=str(CL_INVALID_ARG_VALUE)):
            usm.set_arg(kernel, index, out)


@pytest.mark.parametrize("named", [False, True])
def test_a_list_through_all_kinds_of_memory_is_walked(usm, m, rng, named):
    """Pointers in structures in memory, to memory that is no argument."""
    count = 60
    nodes = [usm.allocate(KINDS[i % 3], 64) for i in range(count)]
    order = rng.permutation(count)
    for here, there in zip(order, np.append(order[1:], -1)):
        link = 0 if there < 0 else nodes[there] + 16
        usm.write(nodes[here] + 16, np.array([here * here, link], np.uint64))
    out = usm.allocate("host", 8)
    kernel = m.build("""
        typedef struct Node { ulong value; global struct Node *next; } Node;
        kernel void sum(global Node *first, global ulong *out) {
            ulong total = 0;
            for (global Node *n = first; n; n = n->next) {
                total = total * 3 + n->value;
                n->value = total;
            }
            *out = total;
        }""").sum
    usm.set_arg(kernel, 0, nodes[order[0]] + 16)
    usm.set_arg(kernel, 1, out)
    if named:
        usm.exec_info(kernel, u.USM_PTRS, (ctypes.c_void_p * count)(*nodes))
    else:
        usm.may_reach(kernel, *KINDS)
    cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), None)
    m.queue.finish()
    expected = 0
    for here in order:
        expected = (expected * 3 + int(here) ** 2) % 2**64
        assert usm.read(nodes[here] + 16, 1, np.uint64)[0] == expected
    assert view(out, 1, np.uint64)[0] == expected


FOLLOW = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %follow "follow"
%void = OpTypeVoid
%ulong = OpTypeInt 64 0
%three = OpConstant %ulong 3
%pointer = OpTypePointer CrossWorkgroup %ulong
%link = OpTypePointer CrossWorkgroup %pointer
%type = OpTypeFunction %void %link
%follow = OpFunction %void None %type
%list = OpFunctionParameter %link
%entry = OpLabel
%first = OpLoad %pointer %list Aligned 8
%again = OpBitcast %link %first
%second = OpLoad %pointer %again Aligned 8
%value = OpLoad %ulong %second Aligned 8
%sum = OpIAdd %ulong %value %three
OpStore %second %sum Aligned 8
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize("kinds", list(itertools.permutations(KINDS)), ids="-".join)
def test_kernels_in_spirv_follow_pointers(usm, m, kinds):
    kernel = cl.Program(m.context, spirv_text.assemble(FOLLOW, "1.0")).build().follow
    places = [usm.allocate(kind, 80) for kind in kinds]
    for place, content in zip(places, [places[1] + 8, places[2] + 16, 2**40]):
        usm.write(place + 8 * places.index(place), np.array([content], np.uint64))
    usm.may_reach(kernel, *KINDS)
    usm.set_arg(kernel, 0, places[0])
    cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), None)
    assert usm.read(places[2] + 16, 1, np.uint64)[0] == 2**40 + 3


def test_settings_of_indirect_access(usm, m):
    kernel = m.build("kernel void k(global int *p) { *p = 1; }").k
    for name in u.INDIRECT.values():
        for value in (1, 0, 7):
            usm.exec_info(kernel, name, ctypes.c_uint(value))
        for wrong in (ctypes.c_ulong(1), ctypes.c_ubyte(1), None):
            with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
                usm.exec_info(kernel, name, wrong)
    usm.exec_info(kernel, u.USM_PTRS, (ctypes.c_void_p * 2)(0, 5))
    usm.exec_info(kernel, u.USM_PTRS, None)
    with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
        usm.exec_info(kernel, u.USM_PTRS, ctypes.c_uint(1))


@pytest.mark.parametrize("source, target", list(itertools.product(["plain", *KINDS], repeat=2)))
def test_copies_between_all_kinds(usm, m, rng, source, target):
    for size, blocking in itertools.product((1, 4, 1000, 3 << 20), (False, True)):
        numbers = rng.integers(0, 256, size + 16, dtype=np.uint8)
        before = rng.integers(0, 256, size + 16, dtype=np.uint8)
        plain = numbers.copy(), before.copy()
        places = []
        for kind, array in ((source, plain[0]), (target, plain[1])):
            if kind == "plain":
                places.append(array.ctypes.data)
            else:
                places.append(usm.allocate(kind, size + 16))
                usm.write(places[-1], array)
        event = usm.copy(places[1] + 3, places[0] + 5, size, blocking)
        if blocking and target == "plain":
            assert (plain[1][3:3 + size] == numbers[5:5 + size]).all()
        assert event.command_type == u.COMMANDS["copy"]
        event.wait()
        before[3:3 + size] = numbers[5:5 + size]
        got = plain[1] if target == "plain" else usm.read(places[1], size + 16, np.uint8)
        assert (got == before).all()
        for kind, place in zip((source, target), places):
            if kind != "plain":
                usm.free(place)


def test_copies_that_are_not_allowed(usm):
    address = usm.allocate("device", 100)
    host = np.zeros(100, np.uint8)
    for to, source, size, code in (
            (address, address + 10, 11, CL_MEM_COPY_OVERLAP),
            (address, address, 1, CL_MEM_COPY_OVERLAP),
            (address, None, 4, CL_INVALID_VALUE), (None, address, 4, CL_INVALID_VALUE),
            (address, None, 0, CL_INVALID_VALUE), (None, address, 0, CL_INVALID_VALUE),
            (address + 1, host.ctypes.data, 100, CL_INVALID_VALUE),
            (host.ctypes.data, address + 99, 2, CL_INVALID_VALUE)):
        with pytest.raises(Failure, match=str(code)):
            usm.copy(to, source, size)
    usm.copy(address, host.ctypes.data, 0).wait()
    usm.copy(address + 10, address, 10).wait()


@pytest.mark.parametrize("kind", KINDS)
def test_fills(usm, rng, m, kind):
    address = usm.allocate(kind, 4096)
    expected = np.zeros(4096, np.uint8)
    usm.fill(address, b"\0", 4096)
    for power in range(8):
        pattern = rng.integers(0, 256, 1 << power, dtype=np.uint8)
        start = 128 * power
        event = usm.fill(address + start, pattern.tobytes(), 384)
        assert event.command_type == u.COMMANDS["fill"]
        expected[start:start + 384] = np.resize(pattern, 384)
    assert (usm.read(address, 4096, np.uint8) == expected).all()
    usm.fill(address, b"1234", 0).wait()
    host = np.zeros(64, np.uint8)
    for to, pattern, size in (
            (None, b"1", 4), (address + 2, b"1234", 4), (address, b"123", 3),
            (address, b"1" * 256, 256), (address, b"1234", 6), (address, b"", 4),
            (address + 4092, b"1234", 8)):
        with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
            usm.fill(to, pattern, size)
    if m.device.svm_capabilities & FINE_GRAIN_SYSTEM:
        usm.fill(host.ctypes.data, b"1", 4).wait()
        assert host[:5].tobytes() == b"1111\0"
    else:
        with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
            usm.fill(host.ctypes.data, b"1", 4)


def test_hints_are_commands(usm, m):
    address = usm.allocate("shared", 1000, flags=u.PLACE_ON_DEVICE)
    for flags in (0, 1, 2, 3):
        event = usm.migrate(address, 1000, flags)
        assert event.command_type == u.COMMANDS["migrate"]
        event.wait()
    event = usm.advise(address, 1000, waits=[event])
    assert event.command_type == u.COMMANDS["advise"]
    event.wait()
    for wrong in (lambda: usm.migrate(address, 1000, 4), lambda: usm.advise(address, 1000, 0x4208)):
        with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
            wrong()


def test_commands_wait_for_events(usm, m):
    """Copies read the host's memory in their turn, not when they are enqueued."""
    a, b = usm.allocate("device", 4000), usm.allocate("shared", 4000)
    source, back = np.full(1000, 5, np.int32), np.zeros(1000, np.int32)
    gate = cl.UserEvent(m.context)
    first = usm.copy(a, source.ctypes.data, 4000, waits=[gate])
    second = usm.fill(a, np.int32(9).tobytes(), 400, waits=[first])
    third = usm.copy(b, a, 4000, waits=[second])
    last = usm.copy(back.ctypes.data, b, 4000, waits=[third])
    hint = usm.advise(b, 4000, waits=[last])
    source[:] = 6
    gate.set_status(cl.command_execution_status.COMPLETE)
    hint.wait()
    assert (back == np.where(np.arange(1000) < 100, 9, 6)).all()
    assert (view(b, 1000) == back).all()


@pytest.mark.parametrize("ordered", [False, True])
def test_commands_in_both_kinds_of_queue(usm, m, ordered):
    properties = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(m.context, properties=0 if ordered else properties)
    kernel = m.build("kernel void inc(global int *p) { p[get_global_id(0)]++; }").inc
    count, events = 10000, []
    waits = lambda: [] if ordered else events[-1:]  # noqa: E731
    a, b = usm.allocate("device", 4 * count), usm.allocate("host", 4 * count)
    events.append(usm.fill(a, np.int32(1).tobytes(), 4 * count, queue=queue))
    for round_ in range(20):
        for address in (a, b):
            usm.set_arg(kernel, 0, address)
            if address == b:
                events.append(usm.copy(b, a, 4 * count, queue=queue, waits=waits()))
            events.append(
                cl.enqueue_nd_range_kernel(queue, kernel, (count,), None, wait_for=waits()))
        events.append(usm.copy(a, b, 4 * count, queue=queue, waits=waits()))
    queue.finish()
    assert (view(b, count) == 41).all()


@pytest.mark.parametrize("kind", KINDS)
def test_addresses_are_host_pointers_of_other_commands(usm, m, rng, kind):
    numbers = rng.integers(-1000, 1000, 1000, dtype=np.int32)
    address = usm.allocate(kind, 4000)
    usm.write(address, numbers)
    pointer = (ctypes.c_char * 4000).from_address(address)
    lib = ctypes.CDLL("libOpenCL.so.1")
    p, size = ctypes.c_void_p, ctypes.c_size_t
    for function in (lib.clEnqueueReadBuffer, lib.clEnqueueWriteBuffer):
        function.argtypes = [p, p, ctypes.c_uint, size, size, p, ctypes.c_uint, p, p]
    buffer = m.empty(4000)
    arguments = (m.queue.int_ptr, buffer.int_ptr, 0, 0, 4000, ctypes.addressof(pointer), 0, None, None)
    assert lib.clEnqueueWriteBuffer(*arguments) == 0
    assert (m.read(buffer, np.int32, 1000) == numbers).all()
    cl.enqueue_fill_buffer(m.queue, buffer, np.int32(3), 0, 2000)
    assert lib.clEnqueueReadBuffer(*arguments) == 0
    numbers[:500] = 3
    assert (usm.read(address, 1000) == numbers).all()
    # Initial contents.
    create = lib.clCreateBuffer
    create.restype, create.argtypes = p, [p, ctypes.c_ulong, size, p, p]
    code = ctypes.c_int()
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    made = create(m.context.int_ptr, int(flags), 3000, address + 400, ctypes.byref(code))
    assert code.value == 0
    copied = cl.Buffer.from_int_ptr(made, retain=False)
    assert (m.read(copied, np.int32, 750) == numbers[100:850]).all()


@pytest.mark.parametrize("kind", ["host", "shared"])
def test_a_buffer_over_it_is_the_same_memory(usm, m, kind):
    address = usm.allocate(kind, 4096)
    array = view(address, 1024)
    array[:] = 1
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    buffer = cl.Buffer(m.context, flags, hostbuf=array)
    cl.enqueue_fill_buffer(m.queue, buffer, np.int32(9), 4, 4088)
    m.queue.finish()
    mapped, event = cl.enqueue_map_buffer(
        m.queue, buffer, cl.map_flags.READ, 0, (1024,), np.int32, is_blocking=True)
    assert mapped.ctypes.data == address
    assert mapped[0] == 1 and (mapped[1:1023] == 9).all() and mapped[1023] == 1
    mapped.base.release(m.queue)
    m.queue.finish()


def test_what_is_no_allocation_cannot_be_freed(usm):
    address = usm.allocate("shared", 100)
    for free in (usm.free, usm.blocking_free):
        free(None)
        for wrong in (address + 1, address + 100, np.zeros(1).ctypes.data, 1):
            with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
                free(wrong)
    usm.free(address)
    for free in (usm.free, usm.blocking_free):
        with pytest.raises(Failure, match=str(CL_INVALID_VALUE)):
            free(address)


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_shared_virtual_memory_take_it(usm, m, rng, kind):
    """As chipStar uses it: only allocated by the extension."""
    if not m.device.svm_capabilities:
        pytest.skip("no shared virtual memory")
    lib, p, size = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_void_p, ctypes.c_size_t
    lib.clEnqueueSVMMemcpy.argtypes = [p, ctypes.c_uint, p, p, size, ctypes.c_uint, p, p]
    lib.clEnqueueSVMMemFill.argtypes = [p, p, p, size, size, ctypes.c_uint, p, p]
    lib.clEnqueueSVMMigrateMem.argtypes = [p, ctypes.c_uint, p, p, ctypes.c_ulong, ctypes.c_uint, p, p]
    lib.clSetKernelArgSVMPointer.argtypes = [p, ctypes.c_uint, p]
    lib.clEnqueueSVMMap.argtypes = [p, ctypes.c_uint, ctypes.c_ulong, p, size, ctypes.c_uint, p, p]
    numbers, back = rng.integers(-99, 99, 1000, dtype=np.int32), np.zeros(1000, np.int32)
    address, queue = usm.allocate(kind, 4000), m.queue.int_ptr
    assert lib.clEnqueueSVMMemcpy(queue, 0, address, numbers.ctypes.data, 4000, 0, None, None) == 0
    word = ctypes.byref(ctypes.c_int(5))
    assert lib.clEnqueueSVMMemFill(queue, address + 4, word, 4, 8, 0, None, None) == 0
    places, sizes = (p * 1)(address), (size * 1)(4000)
    assert lib.clEnqueueSVMMigrateMem(queue, 1, places, sizes, 0, 0, None, None) == 0
    kernel = m.build("kernel void inc(global int *p) { p[get_global_id(0)]++; }").inc
    assert lib.clSetKernelArgSVMPointer(kernel.int_ptr, 0, address) == 0
    cl.enqueue_nd_range_kernel(m.queue, kernel, (1000,), None)
    assert lib.clEnqueueSVMMemcpy(queue, 1, back.ctypes.data, address, 4000, 0, None, None) == 0
    numbers[1:3] = 5
    assert (back == numbers + 1).all()
    # But it has no maps, and clSVMFree does not free it.
    assert lib.clEnqueueSVMMap(queue, 1, 1, address, 4000, 0, None, None) == CL_INVALID_VALUE
    lib.clSVMFree.argtypes = [p, p]
    lib.clSVMFree(m.context.int_ptr, address)
    assert usm.info(address, u.SIZE) == 4000


SLOW = """
typedef struct { global uint *at; } Pointer;
kernel void slow(global Pointer *list, uint rounds) {
    global uint *p = list[get_global_id(0)].at;
    uint x = 1;
    for (uint i = 0; i < rounds; i++) x = x * 1664525 + p[x % 2] % 2 + i;
    p[1] = x | 1;
}"""


@pytest.mark.parametrize("indirect", [False, True])
def test_a_blocking_free_waits_for_kernels(usm, m, indirect):
    out, memory = usm.allocate("host", 8), usm.allocate("shared", 8)
    kernel = m.build(SLOW).slow
    for name in ("list", "inner"):
        view(out, 1, np.uint64)[0] = memory
        view(memory, 2, np.uint32)[:] = 0
        usm.set_arg(kernel, 0, out)
        kernel.set_arg(1, np.uint32(30_000_000))
        if indirect:
            usm.may_reach(kernel, "shared")
        else:
            usm.exec_info(kernel, u.USM_PTRS, ctypes.c_void_p(memory))
        event = cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), None)
        m.queue.flush()
        # It uses both; the first is an argument.
        usm.blocking_free({"list": out, "inner": memory}[name])
        assert event.command_execution_status == cl.command_execution_status.COMPLETE
        if name == "list":
            assert view(memory, 2, np.uint32)[1] & 1
            out = usm.allocate("host", 8)


def test_a_blocking_free_does_not_wait_for_others(usm, m):
    """Commands that wait for the application and do not use the memory."""
    used, other = usm.allocate("device", 64), usm.allocate("device", 64)
    gate = cl.UserEvent(m.context)
    event = usm.fill(used, b"1", 64, waits=[gate])
    usm.blocking_free(other)
    assert event.command_execution_status == cl.command_execution_status.QUEUED
    gate.set_status(cl.command_execution_status.COMPLETE)
    usm.blocking_free(used)
    assert event.command_execution_status == cl.command_execution_status.COMPLETE


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_freed_while_commands_use_it(usm, m, kind):
    """clMemFreeINTEL does not wait; what devices have been given keeps the memory."""
    kernel = m.build(SLOW).slow
    usm.may_reach(kernel, *KINDS)
    kept = usm.allocate("host", 8)
    for _ in range(5):
        pointers = usm.allocate("shared", 8)
        memory = usm.allocate(kind, 4096)
        view(pointers, 1, np.uint64)[0] = memory
        usm.fill(memory, b"\0", 4096)
        usm.set_arg(kernel, 0, pointers)
        kernel.set_arg(1, np.uint32(3_000_000))
        cl.enqueue_nd_range_kernel(m.queue, kernel, (1,), None)
        usm.copy(kept, memory, 8)
        m.queue.flush()
        usm.free(memory)
        usm.free(pointers)
        # What is allocated next gets other memory.
        usm.free(usm.allocate(kind, 4096))
        m.queue.finish()
        assert view(kept, 2, np.uint32)[1] & 1


def test_the_host_writes_while_a_kernel_runs(usm, m):
    """Concurrent access, to neighbouring bytes."""
    if not usm.capabilities(u.HOST_CAPABILITIES) & u.CONCURRENT:
        pytest.skip("no concurrent access")
    kernel = m.build("""
        kernel void change(volatile global uchar *p) {
            volatile global uchar *own = p + 2 * get_global_id(0);
            for (int i = 0; i < 200; i++) *own += 1;
        }""").change
    count = 20000
    for kind in ("host", "shared"):
        address = usm.allocate(kind, 2 * count)
        memory = view(address, 2 * count, np.uint8)
        memory[:] = 1
        usm.set_arg(kernel, 0, address)
        event = cl.enqueue_nd_range_kernel(m.queue, kernel, (count,), None)
        m.queue.flush()
        rounds = 0
        while event.command_execution_status != cl.command_execution_status.COMPLETE:
            memory[1::2] += 1
            rounds += 1
        assert rounds > 0
        assert (memory[1::2] == (1 + rounds) % 256).all()
        assert (memory[::2] == 201).all()


def test_many_allocations(usm, m, rng):
    sizes = rng.integers(1, 20000, 300)
    places = [usm.allocate(KINDS[i % 3], int(size)) for i, size in enumerate(sizes)]
    ordered = sorted(zip(places, sizes))
    assert all(a + size <= b for (a, size), (b, _) in zip(ordered, ordered[1:]))
    for number, (place, size) in enumerate(zip(places, sizes)):
        usm.fill(place, bytes([number % 251]), int(size))
    for number in rng.permutation(len(places)):
        got = usm.read(places[number], int(sizes[number]), np.uint8)
        assert (got == number % 251).all()
        usm.free(places[number])


def test_errors_of_properties(usm):
    for kind, flags in (("host", u.PLACE_ON_HOST), ("device", u.PLACE_ON_DEVICE), ("host", 8),
                        ("shared", u.PLACE_ON_DEVICE | u.PLACE_ON_HOST)):
        with pytest.raises(Failure, match="-64"):
            usm.allocate(kind, 64, flags=flags)
    for flags in (0, u.PLACE_ON_HOST, u.PLACE_ON_DEVICE | u.WRITE_COMBINED):
        assert usm.info(usm.allocate("shared", 64, flags=flags), u.FLAGS) == flags
