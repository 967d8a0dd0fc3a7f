"""Program-scope variables in global memory: initial values, lifetime, sharing and linking (OpenCL C 6.7)."""

import numpy as np
import pyopencl as cl
import pytest


def launch(m, program, name, out, *args, size=1, queue=None):
    """Runs a kernel whose first argument is a buffer like `out`; gives its contents."""
    buffer = m.buffer(out)
    cl.Kernel(program, name)(queue or m.queue, (size,), None, buffer, *args)
    result = np.empty_like(out)
    cl.enqueue_copy(queue or m.queue, result, buffer)
    return result


INITIAL = """
struct inner { uchar tag; short values[3]; };
typedef struct { char c; struct inner in[2]; int4 v; } outer;
bool flag = true; char c = -2; uchar3 v3 = (uchar3)(1, 2, 3); static ushort us = 0xfffe;
int plain = 12; const int fixed = 6 * 7; float f = 1.5f, g = -0.0f; ulong wide = 0x123456789abcdef0UL;
float4 lanes = (float4)(1, 2, 3, 4); int8 half_filled[2] = {(int8)(7)};
outer o = {'x', {{1, {2, 3, 4}}, {.values = {[1] = 9}}}, (int4)(5, 6, 7, 8)};
union { float f; uint u; } both = {1.0f}; int table[4] = {1, [2] = 3}; int zero, zeros[100];
char text[] = "abc"; constant char *string = "xyz"; constant int k[3] = {10, 20, 30};
constant int *in_constant = &k[1];
global int *in_table = table + 2; global short *inside = &o.in[1].values[1];
struct node { global struct node *next; int n; }; struct node self = {&self, 3};
struct node ring[2] = {{&ring[1], 1}, {ring, 2}};
global int *constant fixed_pointer = &plain; global int *global *twice = &in_table;

kernel void read(global long *out) {
    int i = 0;
    out[i++] = flag; out[i++] = c; out[i++] = v3.z; out[i++] = us; out[i++] = plain; out[i++] = fixed;
    out[i++] = as_int(f); out[i++] = as_int(g); out[i++] = wide; out[i++] = lanes.w;
    out[i++] = half_filled[0].s7 + half_filled[1].s0; out[i++] = o.c; out[i++] = o.in[0].values[2];
    out[i++] = o.in[1].values[1]; out[i++] = o.in[1].tag; out[i++] = o.v.w; out[i++] = both.u;
    out[i++] = table[0] * 100 + table[1] * 10 + table[2]; out[i++] = zero + zeros[99];
    out[i++] = text[2]; out[i++] = string[1]; out[i++] = in_constant[1]; out[i++] = *in_table;
    out[i++] = *inside; out[i++] = self.next->next->n; out[i++] = ring[0].next->n * 10 + ring[1].next->n;
    out[i++] = *fixed_pointer; out[i++] = **twice; out[i++] = sizeof(text);
}
kernel void change(global long *out, int by) {
    out[0] = plain; plain += by; *in_table = by; in_table = &table[3]; self.next = &ring[1];
}
kernel void look(global long *out) {
    out[0] = plain; out[1] = table[2]; out[2] = *in_table; out[3] = self.next->n;
}
"""
EXPECTED = [
    1, -2, 3, 0xFFFE, 12, 42, 0x3FC00000, -0x80000000, 0x123456789ABCDEF0, 4, 7, ord("x"), 4, 9, 0, 8,
    0x3F800000, 103, 0, ord("c"), ord("y"), 30, 3, 9, 3, 21, 12, 3, 4,
]


def test_initial_values(m):
    program = m.build(INITIAL, ["-cl-std=CL3.0"])
    out = launch(m, program, "read", np.zeros(len(EXPECTED), np.int64))
    assert out.tolist() == EXPECTED


def test_values_last_as_long_as_the_program(m):
    program = m.build(INITIAL, ["-cl-std=CL3.0"])
    four = np.zeros(4, np.int64)
    assert launch(m, program, "change", four, np.int32(5))[0] == 12
    # Of another queue, another kernel object.
    queue = cl.CommandQueue(m.context)
    assert launch(m, program, "look", four, queue=queue).tolist() == [17, 5, 0, 2]
    assert launch(m, program, "change", four, np.int32(1), queue=queue)[0] == 17
    assert launch(m, program, "look", four).tolist() == [18, 5, 1, 2]
    # Another program has variables of its own, also one of the same binary.
    again = m.build(INITIAL, ["-cl-std=CL3.0"])
    assert launch(m, again, "look", four).tolist() == [12, 3, 3, 3]
    loaded = cl.Program(m.context, [m.device], program.binaries).build()
    assert launch(m, loaded, "look", four).tolist() == [12, 3, 3, 3]
    assert launch(m, loaded, "read", np.zeros(len(EXPECTED), np.int64)).tolist() == EXPECTED


def test_static_variables_of_functions(m):
    program = m.build(
        """
        int next(int which) {
            if (which) { static int n; return n++; }
            static int n = 100;
            return n++;
        }
        int *unused;
        kernel void k(global int *out) {
            static global int own = 5; static constant int fixed = 7; extern int late;
            out[0] = next(0); out[1] = next(1); out[2] = own++; out[3] = fixed; out[4] = late++;
        }
        kernel void other(global int *out) { static int own = -1; out[0] = own--; out[1] = next(1); }
        int late = 30;
        """, ["-cl-std=CL3.0"])
    five = np.zeros(5, np.int32)
    for i in range(3):
        assert launch(m, program, "k", five).tolist() == [100 + i, 2 * i, 5 + i, 7, 30 + i]
        assert launch(m, program, "other", five)[:2].tolist() == [-1 - i, 2 * i + 1]


def test_work_items_share_variables(m):
    program = m.build(
        """
        volatile int total; int slots[1000]; int done __attribute__((aligned(4096)));
        kernel void add(global int *out) { int i = get_global_id(0); slots[i] = i; atomic_add(&total, i); }
        kernel void sum(global ulong *out) {
            out[0] = total; out[1] = slots[999] + slots[1]; out[2] = (ulong)&done % 4096;
            out[3] = atomic_xchg(&total, 0);
        }
        """, ["-cl-std=CL3.0"])
    for _ in range(2):
        launch(m, program, "add", np.zeros(1, np.int32), size=1000)
        out = launch(m, program, "sum", np.zeros(4, np.uint64))
        assert out.tolist() == [499500, 1000, 0, 499500]


@pytest.mark.parametrize("through_library", [False, True])
@pytest.mark.parametrize("reload", [False, True])
def test_linked_programs_share_variables(m, through_library, reload):
    user = """
        extern int counter; extern global int table[]; static int own = 1;
        int other(void);
        kernel void k(global int *out) {
            out[0] = counter++; out[1] = table[2]; out[2] = own++; out[3] = other();
        }
    """
    definer = """
        int table[3] = {1, 2, 3}; int counter = 40; static int own = 7; int *dangling;
        global int *at = &counter;
        int other(void) { return *at * 100 + own++; }
    """
    programs = []
    for text in (user, definer):
        program = cl.Program(m.context, text)
        program.compile(options=["-cl-std=CL3.0"])
        programs.append(program)
    if through_library:
        programs[1] = cl.link_program(m.context, programs[1:], options=["-create-library"])
    if reload:
        programs = [cl.Program(m.context, [m.device], p.binaries) for p in programs]
    program = cl.link_program(m.context, programs)
    assert size_of_globals(m, program) == 12 + 4 + 4 + 4 + 8
    four = np.zeros(4, np.int32)
    for i in range(3):
        out = launch(m, program, "k", four).tolist()
        assert out == [40 + i, 3, 1 + i, (41 + i) * 100 + 7 + i]


def size_of_globals(m, program):
    return program.get_build_info(
        m.device, cl.program_build_info.GLOBAL_VARIABLE_TOTAL_SIZE)


def test_queries(m):
    largest = m.device.get_info(cl.device_info.MAX_GLOBAL_VARIABLE_SIZE)
    assert largest >= 64 << 10
    assert m.device.get_info(cl.device_info.GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE) >= 64 << 10
    for text, size in [
        ("kernel void k(global int *p) { *p = 1; }", 0),
        ("constant int c[2] = {1, 2}; kernel void k(global int *p) { *p = c[*p & 1]; }", 0),
        ("int3 a; char b; kernel void k(global int *p) { *p = a.x + b; }", 17),
        ("kernel void k(global int *p) { static long2 s; *p = sizeof(s); static int t; t++; }", 4),
    ]:
        assert size_of_globals(m, m.build(text, ["-cl-std=CL3.0"])) == size
    # The largest that the device promises, beside others, is there and zero.
    program = m.build(
        f"uint first = 5; uint big[{largest // 4}]; uint last[3] = {{1, 2, 3}};"
        "kernel void k(global uint *out) {"
        f" out[0] = big[0] + big[{largest // 4 - 1}]; big[{largest // 4 - 1}]++;"
        " out[1] = first + last[2]; }",
        ["-cl-std=CL3.0"])
    two = np.zeros(2, np.uint32)
    assert [launch(m, program, "k", two).tolist() for _ in range(2)] == [[0, 8], [1, 8]]
    with pytest.raises(cl.RuntimeError, match="exceeds that of program scope variables"):
        m.build(f"char big[{largest + 1}]; kernel void k() {{ }}", ["-cl-std=CL3.0"])
    assert len(program.binaries[0]) < 1 << 16, "a binary does not spell out zeros"


def test_before_opencl_2_there_are_none(m):
    for options in ([], ["-cl-std=CL1.2"]):
        with pytest.raises(cl.RuntimeError, match="must reside in constant address space"):
            m.build("int x; kernel void k(global int *p) { *p = x; }", options)
    text = """
        kernel void k(global int *p) {
        #ifdef __opencl_c_program_scope_global_variables
            *p = __opencl_c_program_scope_global_variables;
        #endif
        }"""
    for options, value in ([], 0), (["-cl-std=CL3.0"], 1):
        assert launch(m, m.build(text, options), "k", np.zeros(1, np.int32))[0] == value
