"""printf (OpenCL C 6.15.14) and cl_arm_printf: what reaches stdout or the callback, and when."""

import time
import ctypes
import os
import subprocess
import textwrap

import numpy as np
import pyopencl as cl
import pytest
from conftest import PYTHON

# Format and arguments as OpenCL C, what is printed.
CASES = [
    ('"%d|%5d|%-5d|%05d|%+d|% d|%.4d", n, n, n, n, n, n, n', "42|   42|42   |00042|+42| 42|0042"),
    ('"%i|%u|%o|%x|%X|%#o|%#x|%#X", n, n, n, n, n, n, n, n', "42|42|52|2a|2A|052|0x2a|0X2A"),
    ('"%d|%u", -n, -n', "-42|4294967254"),
    ('"%hhd|%hhu|%hd|%hx", 200, -1, 40000, -1', "-56|255|-25536|ffff"),
    ('"%ld|%lu|%lx|%lo", big, big, -big, big',
     "1311768467463790320|1311768467463790320|edcba98765432110|110642547423257157360"),
    ('"%zu|%td|%lld", (size_t)n, (ptrdiff_t)-n, big', "42|-42|1311768467463790320"),
    ('"%d %d %d %d", (char)-n, (uchar)200, (short)-300, (bool)n', "-42 200 -300 1"),
    ('"%f|%.1f|%8.2f|%-8.2f|%+.0f|%08.3f", x, x, x, x, x, x',
     "-2.500000|-2.5|   -2.50|-2.50   |-2|-002.500"),
    ('"%e|%.1E|%g|%G|%#g", x, x, x, 1e-7f, x', "-2.500000e+00|-2.5E+00|-2.5|1E-07|-2.50000"),
    ('"%a|%A|%.1a", x, x, x', "-0x1.4p+1|-0X1.4P+1|-0x1.4p+1"),
    ('"%f|%F|%5g|%05f", INFINITY, INFINITY, -INFINITY, INFINITY', "inf|INF| -inf|  inf"),
    ('"%s|%6s|%-6s|%.2s|%6.1s|", "text", "text", "text", "text", "text"',
     "text|  text|text  |te|     t|"),
    ('"%c%c|%3c|%-3c|", 72, \'i\', \'x\', \'y\'', "Hi|  x|y  |"),
    ('"%%|%d%%|%%d", n', "%|42%|%d"),
    ('"%v4hlf|%.1v4hle|%v3hlg", v, v, v.xyz',
     "1.000000,2.000000,3.000000,4.000000|1.0e+00,2.0e+00,3.0e+00,4.0e+00|1,2,3"),
    ('"%#v4hhx|%v2hhd|%v2hd|%v8hu", (uchar4)(0xfa, 0xfb, 0, 1), (char2)(-1, 2),'
     ' (short2)(-300, 7), (ushort8)(65535)',
     "0xfa,0xfb,0,0x1|-1,2|-300,7|" + ",".join(["65535"] * 8)),
    ('"%3v2hld|%v16hli|%v2lu", (int2)(1, -2), (int16)(n), (ulong2)(big, 1)',
     "  1, -2|" + ",".join(["42"] * 16) + "|1311768467463790320,1"),
    ('"%s|%s", n > 1 ? "yes" : "no", n < 1 ? "yes" : "no"', "yes|no"),
    ('n > 1 ? "first %d" : "second %d", n', "first 42"),
    ('n < 1 ? "first %d" : "second %d", n', "second 42"),
    ('"%s|%s|%.3s", in_array, pointer, &in_array[3]', "in an array|pointed to|an "),
    ('array_format, n', "format 42 in an array"),
    ('pointer_format, n', "format 42 by pointer"),
    ('"%p|%5p|%s", (global int *)0, (global int *)0, (constant char *)0', "(nil)|(nil)|(null)"),
    ('"%d %s %ld %g %v2hld %c|", 1, "two", 3L, 4.5f, (int2)(5, 6), \'7\'', "1 two 3 4.5 5,6 7|"),
    ('""', ""),
    ('"\\"\\\\\\t\\a"', '"\\\t\a'),
]
PROLOGUE = """
constant char in_array[] = "in an array", array_format[] = "format %d in an array";
constant char *constant pointer = "pointed to", *constant pointer_format = "format %d by pointer";
"""


def launch(m, source, size=1, args=(), local=None, options=()):
    """Runs the only kernel of a program and waits."""
    kernel, = m.build(source, options).all_kernels()
    kernel(m.queue, (size,), local and (local,), *args)
    m.queue.finish()


def test_conversions(m, capfd):
    calls = "\n".join(f'printf({call}); printf("\\n");' for call, _ in CASES)
    source = PROLOGUE + """
    kernel void k(int n, long big, float x, float4 v) { %s }""" % calls
    launch(m, source, args=[np.int32(42), np.int64(0x123456789ABCDEF0), np.float32(-2.5),
                            np.array([1, 2, 3, 4], np.float32)])
    assert capfd.readouterr().out.split("\n")[:-1] == [expected for _, expected in CASES]


def test_doubles(m, capfd):
    source = r"""
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
    kernel void k(double x) {
        printf("%.17g %f %a %v2lf %.3f %g\n", x, x, x, (double2)(x, -x), 0.1f, nan(0ul));
    }"""
    launch(m, source, args=[np.float64(0.1)])
    out = capfd.readouterr().out
    assert out.replace("-nan", "nan") == \
        "0.10000000000000001 0.100000 0x1.999999999999ap-4 0.100000,-0.100000 0.100 nan\n"


def test_an_address_is_the_buffers(m, capfd):
    source = r"""
    kernel void k(global ulong *out) {
        local int shared; int own = 1;
        printf("%p %p %p\n", out, &shared, &own); out[0] = (ulong)out;
    }"""
    buffer = m.empty(8)
    launch(m, source, args=[buffer])
    assert int(capfd.readouterr().out.split()[0], 16) == m.read(buffer, np.uint64, 1)[0]


def test_work_items_do_not_mix_their_records(m, capfd):
    source = r"""
    kernel void k(global float *f) {
        uint i = get_global_id(0);
        printf("%u %s %g %v4hld\n", i, i % 3 ? "no" : "yes", f[i], (int4)(i, i + 1, i + 2, i + 3));
        if (i % 5 == 0)
            for (uint k = 0; k < i % 4; k++) printf("%u/%u\n", i, k);
    }"""
    n = 3000
    values = np.arange(n, dtype=np.float32) / 4
    launch(m, source, n, [m.buffer(values)])
    expected = []
    for i in range(n):
        expected.append(f"{i} {'no' if i % 3 else 'yes'} {i / 4:g} {i},{i + 1},{i + 2},{i + 3}")
        expected += [f"{i}/{k}" for k in range(i % 4)] if i % 5 == 0 else []
    assert sorted(capfd.readouterr().out.split("\n")[:-1]) == sorted(expected)


def test_functions_that_stay_functions_print(m, capfd):
    source = r"""
    __attribute__((noinline)) int show(constant char *what, int n) {
        int total = 0;
        for (int i = 0; i < n; i++) total += printf("%s %d\n", what, i) + 1;
        return total;
    }
    kernel void k(global int *p) { p[0] = show("one", p[0]) * 10 + show("two", p[1]); }"""
    buffer = m.buffer(np.array([2, 3], np.int32))
    launch(m, source, args=[buffer])
    assert capfd.readouterr().out == "one 0\none 1\ntwo 0\ntwo 1\ntwo 2\n"
    assert m.read(buffer, np.int32, 2)[0] == 23


def test_ranges_with_a_rest(m, capfd):
    m.need_non_uniform_work_groups()
    source = r"""
    kernel void k() { printf("%zu\n", get_global_id(0)); }"""
    launch(m, source, 70, local=32, options=["-cl-std=CL3.0"])
    assert sorted(map(int, capfd.readouterr().out.split())) == list(range(70))


def test_commands_print_in_order(m, capfd):
    program = m.build(r"""
    kernel void a(int n) { printf("a %d\n", n); }
    kernel void b(int n) { if (n % 2) printf("b %d\n", n); }
    kernel void silent(global int *p) { p[0] += 1; }""")
    a, b, silent = program.a, program.b, program.silent
    counter = m.buffer(np.zeros(1, np.int32))
    expected = ""
    for n in range(50):
        a(m.queue, (1,), None, np.int32(n))
        silent(m.queue, (1,), None, counter)
        b(m.queue, (1,), None, np.int32(n))
        expected += f"a {n}\n" + (f"b {n}\n" if n % 2 else "")
    m.queue.finish()
    assert capfd.readouterr().out == expected
    assert m.read(counter, np.int32, 1)[0] == 50


def test_queues_keep_their_output(m, capfd):
    queues = [cl.CommandQueue(m.context) for _ in range(4)]
    kernel = m.build(r'kernel void k(int q, int n) { printf("%d:%d\n", q, n); }').k
    for n in range(20):
        for index, queue in enumerate(queues):
            kernel(queue, (1,), None, np.int32(index), np.int32(n))
    for queue in queues:
        queue.finish()
    lines = [line.split(":") for line in capfd.readouterr().out.split()]
    for index in range(4):
        assert [int(n) for q, n in lines if int(q) == index] == list(range(20))


@pytest.mark.parametrize("how", ["event", "events", "read", "callback", "other queue", "released"])
def test_complete_commands_have_printed(m, capfd, how):
    kernel = m.build(r'kernel void k(global int *p) { printf("done\n"); p[0] = 7; }').k
    buffer, out = m.buffer(np.zeros(1, np.int32)), np.zeros(1, np.int32)
    queue = cl.CommandQueue(m.context)
    event = kernel(queue, (1,), None, buffer)
    if how == "event":
        event.wait()
    elif how == "events":
        cl.wait_for_events([event])
    elif how == "read":
        cl.enqueue_copy(queue, out, buffer)
    elif how == "callback":
        from threading import Event
        called, seen = Event(), []

        def complete(status):
            seen.append(capfd.readouterr().out)
            called.set()
        event.set_callback(cl.command_execution_status.COMPLETE, complete)
        assert called.wait(30)
        assert seen == ["done\n"]
        return
    elif how == "other queue":
        cl.enqueue_copy(m.queue, out, buffer, wait_for=[event])
    else:
        # A release does not wait for the device: the text comes when the command is complete.
        del event, queue
        text, end = "", time.monotonic() + 30
        while not text and time.monotonic() < end:
            time.sleep(0.01)
            text = capfd.readouterr().out
        assert text == "done\n"
        return
    assert capfd.readouterr().out == "done\n"


def test_held_back_commands_print_once_they_run(m, capfd):
    kernel = m.build(r'kernel void k(int n) { printf("%d\n", n); }').k
    gate = cl.UserEvent(m.context)
    events = [kernel(m.queue, (1,), None, np.int32(n), wait_for=[gate]) for n in range(3)]
    m.queue.flush()
    assert capfd.readouterr().out == ""
    gate.set_status(cl.command_execution_status.COMPLETE)
    events[-1].wait()
    assert capfd.readouterr().out == "0\n1\n2\n"


def test_printf_gives_zero(m, capfd):
    buffer = m.buffer(np.full(1, 5, np.int32))
    launch(m, r'kernel void k(global int *p) { p[0] = printf("%s\n", "x"); }', args=[buffer])
    assert m.read(buffer, np.int32, 1)[0] == 0
    assert capfd.readouterr().out == "x\n"


@pytest.mark.parametrize("source", [
    # Records of one size, and of two, so that a small one would fit behind a large one that did not.
    r'r[i] = printf("%u\n", (uint)i);',
    r'r[i] = i % 7 ? printf("%u\n", (uint)i) : printf("%u %v16lu\n", (uint)i, (ulong16)(i));',
])
def test_a_full_buffer_drops_whole_records(m, capfd, source):
    n = 200_000
    results = m.buffer(np.full(n, 9, np.int32))
    launch(m, "kernel void k(global int *r) { size_t i = get_global_id(0); %s }" % source, n,
           [results])
    results = m.read(results, np.int32, n)
    lines = capfd.readouterr().out.split("\n")[:-1]
    printed = sorted(int(line.split()[0]) for line in lines)
    assert 0 < len(printed) < n
    assert set(np.unique(results)) == {-1, 0}
    assert printed == np.flatnonzero(results == 0).tolist()
    for line in lines:
        first, _, rest = line.partition(" ")
        assert rest in ("", ",".join([first] * 16))


def test_a_full_buffer_is_empty_for_the_next_launch(m, capfd):
    kernel = m.build(r'kernel void k(int n) { printf("%d some text\n", n); }').k
    kernel(m.queue, (200_000,), None, np.int32(1))
    kernel(m.queue, (3,), None, np.int32(2))
    m.queue.finish()
    lines = capfd.readouterr().out.split("\n")[:-1]
    assert lines[-3:] == ["2 some text"] * 3
    assert set(lines[:-3]) == {"1 some text"}


def test_linked_programs_print(m, capfd):
    callee = cl.Program(m.context, r'void say(int n) { printf("callee %d %s\n", n, "text"); }')
    caller = cl.Program(m.context, r"""
        void say(int n);
        kernel void k(int n) { printf("caller %d\n", n); say(n + 1); }""")
    program = cl.link_program(m.context, [callee.compile(), caller.compile()])
    program.k(m.queue, (1,), None, np.int32(1))
    m.queue.finish()
    assert capfd.readouterr().out == "caller 1\ncallee 2 text\n"


def test_binaries_print(m, capfd):
    binary = m.build(r'kernel void k(int n) { printf("%d %s\n", n, "text"); }').binaries[0]
    program = cl.Program(m.context, [m.device], [binary]).build()
    program.k(m.queue, (1,), None, np.int32(1))
    m.queue.finish()
    assert capfd.readouterr().out == "1 text\n"


PRINTF_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t,
                                   ctypes.c_size_t, ctypes.c_void_p)
CL_PRINTF_CALLBACK_ARM, CL_PRINTF_BUFFERSIZE_ARM = 0x40B0, 0x40B1


def context_with(m, properties, user_data=None):
    """A context with properties that pyopencl does not know, or the error."""
    create = ctypes.CDLL("libOpenCL.so.1").clCreateContext
    create.restype = ctypes.c_void_p
    create.argtypes = [ctypes.c_void_p, ctypes.c_uint] + [ctypes.c_void_p] * 4
    listed = [0x1084, m.platform.int_ptr, *properties, 0]
    device, status = ctypes.c_void_p(m.device.int_ptr), ctypes.c_int()
    context = create((ctypes.c_ssize_t * len(listed))(*listed), 1, ctypes.byref(device), None,
                     user_data, ctypes.byref(status))
    return cl.Context.from_int_ptr(context, retain=False) if context else status.value


def test_the_callback_gets_the_output(m, capfd):
    if "cl_arm_printf" not in m.device.extensions:
        pytest.skip("no cl_arm_printf")
    calls = []
    callback = PRINTF_CALLBACK(
        lambda text, length, complete, data: calls.append((text[:length], complete, data)))
    pointer = ctypes.cast(callback, ctypes.c_void_p).value
    context = context_with(m, [CL_PRINTF_CALLBACK_ARM, pointer], user_data=0x1234)
    queue = cl.CommandQueue(context)
    kernel = cl.Program(context, r'kernel void k(int n) { printf("%d%c\n", n, 0); }').build().k
    for n in range(3):
        kernel(queue, (1,), None, np.int32(n))
    queue.finish()
    assert b"".join(text for text, _, _ in calls) == b"0\0\n1\0\n2\0\n"
    assert all(data == 0x1234 for _, _, data in calls) and calls[-1][1] != 0
    assert capfd.readouterr().out == ""


def test_the_buffers_size_can_be_chosen(m, capfd):
    if "cl_arm_printf" not in m.device.extensions:
        pytest.skip("no cl_arm_printf")
    printed = []
    for size in (1, 4096, 4 << 20):
        context = context_with(m, [CL_PRINTF_BUFFERSIZE_ARM, size])
        queue = cl.CommandQueue(context)
        kernel = cl.Program(context, r'kernel void k() { printf("%d\n", 7); }').build().k
        kernel(queue, (200_000,), None)
        queue.finish()
        printed.append(capfd.readouterr().out.count("7\n"))
    assert 0 < printed[0] < printed[1] < printed[2] == 200_000


@pytest.mark.parametrize("properties", [
    [CL_PRINTF_CALLBACK_ARM, 0],
    [CL_PRINTF_BUFFERSIZE_ARM, 4096, CL_PRINTF_BUFFERSIZE_ARM, 4096],
])
def test_bad_properties(m, properties):
    if "cl_arm_printf" not in m.device.extensions:
        pytest.skip("no cl_arm_printf")
    assert context_with(m, properties) == -64  # CL_INVALID_PROPERTY


def test_output_takes_its_place_in_cs_stdout(m):
    """Piped, C's stdout is a buffer: what kernels print must not overtake what lies there."""
    script = textwrap.dedent(r"""
        import ctypes, numpy as np, pyopencl as cl
        c = ctypes.CDLL(None)
        context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
        queue = cl.CommandQueue(context)
        k = cl.Program(context, 'kernel void k(int n) { printf("kernel %d\\n", n); }').build().k
        for n in range(3):
            c.printf(b"host %d\n", n)
            k(queue, (1,), None, np.int32(n))
            queue.finish()
    """)
    # As on a device whose memory the host does not see.
    for staging in "01":
        env = {**os.environ, "HEKLA_STAGING": staging, "PYOPENCL_NO_CACHE": "1"}
        done = subprocess.run([*PYTHON, "-c", script], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "".join(f"host {n}\nkernel {n}\n" for n in range(3))
