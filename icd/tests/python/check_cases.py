"""Wrong kernels, and what HEKLA_CHECK must find in them.

A case is a kernel `k` whose wrong line ends in `// HERE`. Its arguments are `("buffer", bytes)`, `("sub", origin, size)` of
a buffer of 4096 bytes, `("local", bytes)`, `("null",)`, `("svm", bytes)`, `("address", bytes)`: a buffer with the address of
shared memory of so many bytes, which is then the argument `("shared",)`, `("freed", bytes)`:
one with the address of shared memory that is there no more, `("same",)`: the first buffer again, `("rest", origin, size)`: another
sub-buffer of the same buffer as the first, `("image", (width, ...), layers)` with texels of four floats 1, `("texels", n)`: an image of
the first buffer, `("sampler", "none" or "clamp")`, `("new", bytes, way)`: a buffer without contents, or with ints 3 that came in one
of the ways of check_runner.py, or numbers. Buffers hold the ints 0, 1, 2, ...
"""

from dataclasses import dataclass, field


@dataclass
class Case:
    name: str
    kind: str
    source: str
    args: list
    # Part of the message.
    says: str
    # Global id and local id of the work-item, where it is one alone.
    id: tuple | None = None
    times: int = 1
    size: tuple = (8, 8)
    # What the first buffer holds afterwards, by index of ints.
    leaves: dict = field(default_factory=dict)
    options: list = field(default_factory=list)
    # Of SPIR-V: the line that it tells, or 0.
    line: int | None = None
    # Of a race: what the note of the other place says, where one of the two lines alone is the one that may be told.
    note: str = ""


def one(body, parameters="global int *a"):
    """A kernel in which work-item 5 alone does something wrong."""
    return f"kernel void k({parameters}) {{\n    int i = get_global_id(0);\n    if (i == 5) {{\n{body}\n    }}\n}}\n"


FIVE = ((5, 0, 0), (5, 0, 0))
BUFFER = [("buffer", 64)]
LOAD, STORE = "load of 4 bytes at offset ", "store of 4 bytes at offset "

BOUNDS = [
    Case("beyond an argument", "bounds", one("        a[16] = 7; // HERE"), BUFFER,
         STORE + "64 of argument 'a', which has 64 bytes", FIVE),
    Case("a load gives zero", "bounds", one("        a[0] = a[i * 1000] + 3; // HERE"), BUFFER,
         LOAD + "20000 of argument 'a', which has 64 bytes", FIVE, leaves={0: 3, 1: 1}),
    Case("before an argument", "bounds", one("        a[-1] = 7; // HERE"), BUFFER,
         STORE + "-4 of argument 'a'", FIVE),
    Case("across the end", "bounds", one("        *(global ulong *)(a + 15) = 7; // HERE"), BUFFER,
         "store of 8 bytes at offset 60 of argument 'a'", FIVE, leaves={15: 15}),
    Case("one byte", "bounds", one("        a[64] = 7; // HERE", "global char *a"), BUFFER,
         "store of 1 byte at offset 64 of argument 'a'", FIVE),
    Case("all work-items but the first", "bounds",
         "kernel void k(global int *a) {\n    a[get_global_id(0) * 16] = 1; // HERE\n}\n", BUFFER,
         "of argument 'a', which has 64 bytes", times=7, leaves={0: 1}),
    Case("in an inlined function", "bounds",
         "void f(global int *p, int n) {\n    p[n] = 7; // HERE\n}\n" + one("        f(a, 20);"), BUFFER,
         STORE + "80 of argument 'a'", FIVE),
    Case("in a function that is not inlined", "bounds",
         "__attribute__((noinline)) void f(global int *p, int n) {\n    p[n] = 7; // HERE\n}\n"
         + one("        f(a, 20);"), BUFFER, STORE + "80 of", FIVE),
    Case("a pointer in a loop", "bounds",
         one("        global int *p = a, *end = a + 17;\n        int s = 0;\n        while (p != end)\n"
             "            s += *p++; // HERE\n        a[0] = s;"), BUFFER,
         LOAD + "64 of argument 'a'", FIVE, leaves={0: 120}),
    Case("a choice between two arguments", "bounds",
         one("        (i > 100 ? b : a)[20] = 1; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 4096)], STORE + "80 of an allocation, which has 64 bytes", FIVE),
    Case("a struct that a variable begins with", "bounds",
         "struct S { int x[8]; };\n" + one("        struct S s = a[2]; // HERE\n        a[1] = s;", "global struct S *a"), BUFFER,
         LOAD + "64 of argument 'a', which has 64 bytes", FIVE, leaves={8: 0}),
    Case("a struct that a function returns", "bounds",
         "struct S { int x; };\nstruct S f(global struct S *a, int n) {\n    return a[n]; // HERE\n}\n"
         + one("        a[0] = f(a, 17);", "global struct S *a"), BUFFER, LOAD + "68 of argument 'a'", FIVE, leaves={0: 0}),
    Case("a struct that is an argument", "bounds",
         "struct S { int x; };\nint f(struct S s, int n) { return s.x + n; }\n"
         + one("        a[0].x = f(\n            a[19], // HERE\n            3);", "global struct S *a"), BUFFER,
         LOAD + "76 of argument 'a'", FIVE, leaves={0: 3}),
    Case("a struct in memory", "bounds",
         "struct S { int x; float y; int z[2]; };\n" + one("        a[4].z[1] = 7; // HERE", "global struct S *a"),
         BUFFER, STORE + "76 of argument 'a'", FIVE),
    Case("a vector", "bounds", one("        a[3] += (int4)(1); // HERE", "global int4 *a"), [("buffer", 60)],
         "load of 16 bytes at offset 48 of argument 'a', which has 60 bytes", FIVE),
    Case("vload3", "bounds", one("        a[0] = vload3(5, a).x; // HERE"), BUFFER,
         "load of 12 bytes at offset 60 of argument 'a'", FIVE, leaves={0: 0}),
    Case("a lane of a vector", "bounds", one("        a[4].y = 7; // HERE", "global int4 *a"), BUFFER,
         STORE + "68 of argument 'a'", FIVE),
    Case("a sub-buffer", "bounds", one("        a[64] = 7; // HERE"), [("sub", 1024, 256)],
         STORE + "256 of argument 'a', which has 256 bytes", FIVE),
    Case("before a sub-buffer", "bounds", one("        a[-256] = 7; // HERE"), [("sub", 1024, 256)],
         STORE + "-1024 of argument 'a'", FIVE),
    Case("constant memory", "bounds", one("        a[0] = c[i + 11]; // HERE", "global int *a, constant int *c"),
         [("buffer", 64), ("buffer", 64)], LOAD + "64 of argument 'c'", FIVE, leaves={0: 0}),
    Case("a constant variable", "bounds", "constant int table[3] = {1, 2, 3};\n"
         + one("        a[0] = table[i]; // HERE"), BUFFER,
         LOAD + "20 of constant variable 'table', which has 12 bytes", FIVE, leaves={0: 0}),
    Case("a program-scope variable", "bounds", "global int counts[4];\n" + one("        counts[i] = a[0]; // HERE"),
         BUFFER, STORE + "20 of variable 'counts', which has 16 bytes", FIVE, options=["-cl-std=CL2.0"]),
    Case("a local variable", "bounds",
         "kernel void k(global int *a) {\n    local int t[4];\n    int i = get_local_id(0);\n    if (i == 5)\n"
         "        t[i] = 1; // HERE\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = i;\n}\n", BUFFER,
         STORE + "20 of local variable 't', which has 16 bytes", FIVE),
    Case("a row of a local array", "bounds",
         "kernel void k(global int *a) {\n    local int t[2][4];\n    int i = get_local_id(0);\n"
         "    t[(i + 4) / 4][i % 4] = i; // HERE\n    a[i] = i;\n}\n", BUFFER,
         "of local variable 't', which has 32 bytes", times=4),
    Case("a local argument", "bounds", one("        t[6] = 1; // HERE", "global int *a, local int *t"),
         [("buffer", 64), ("local", 24)], STORE + "24 of argument 't', which has 24 bytes", FIVE),
    Case("a local pointer in a loop", "bounds",
         "kernel void k(global int *a, local int *t) {\n    local int *p = t + get_local_id(0);\n    for (int n = 0; n < 2; n++) {\n"
         "        *p = n; // HERE\n        p += 8;\n    }\n    a[get_local_id(0)] = *(p - 16);\n}\n",
         [("buffer", 64), ("local", 60)], STORE + "60 of argument 't', which has 60 bytes", ((7, 0, 0), (7, 0, 0)),
         leaves={3: 0, 7: 0}),
    Case("a private array", "bounds",
         one("        int p[4] = {1, 2, 3, 4};\n        a[0] = p[i]; // HERE"), BUFFER,
         LOAD + "20 of private variable 'p', which has 16 bytes", FIVE, leaves={0: 0}),
    Case("a private array that is written", "bounds",
         one("        int p[4] = {1, 2, 3, 4};\n        p[i - 6] = 9; // HERE\n        a[0] = p[0] + p[i - 2];"), BUFFER,
         STORE + "-4 of private variable 'p'", FIVE, leaves={0: 5}),
    Case("an array in a private struct", "bounds",
         "struct S { int n; int x[3]; };\n"
         + one("        struct S s = {1, {2, 3, 4}};\n        a[0] = s.x[i]; // HERE"), BUFFER,
         LOAD + "24 of private variable 's', which has 16 bytes", FIVE, leaves={0: 0}),
    Case("a pointer to a private array", "bounds",
         "int sum(const int *p, int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s += p[i]; // HERE\n"
         "    return s;\n}\n" + one("        int p[4] = {1, 2, 3, 4};\n        a[0] = sum(p, i);"), BUFFER,
         LOAD + "16 of private variable 'p'", FIVE, leaves={0: 10}),
    Case("a generic pointer", "bounds",
         "void f(int *p, int n)\n{\n    p[n] = 7; // HERE\n}\n" + one("        f(a, 30);"), BUFFER,
         STORE + "120 of argument 'a'", FIVE, options=["-cl-std=CL2.0"]),
    Case("an atomic operation", "bounds", one("        atomic_inc(a + 16); // HERE"), BUFFER,
         "atomic operation of 4 bytes at offset 64 of argument 'a'", FIVE),
    Case("an atomic operation in local memory", "bounds",
         one("        atomic_add(t + i, 1); // HERE", "global int *a, local int *t"), [("buffer", 64), ("local", 16)],
         "atomic operation of 4 bytes at offset 20 of argument 't'", FIVE),
    Case("an argument of printf", "bounds", one('        printf("%d\\n", a[99]); // HERE'), BUFFER,
         LOAD + "396 of argument 'a'", FIVE),
    Case("shared memory", "bounds", one("        a[16] = 1; // HERE"), [("svm", 64)],
         STORE + "64 of argument 'a', which has 64 bytes", FIVE),
    Case("the middle of shared memory", "bounds", one("        a[0] = 1;\n        a[-9] = 1; // HERE"), [("svm", 64, 32)],
         STORE + "-4 of argument 'a', which has 64 bytes", FIVE),
    Case("a pointer in memory", "bounds",
         one("        global int *p = *a;\n        p[16] = 1; // HERE", "global int *global *a, global int *b"),
         [("address", 64), ("shared",)],
         STORE + "64 of an allocation, which has 64 bytes", FIVE, options=["-cl-std=CL2.0"]),
    Case("shared memory that was freed", "bounds",
         one("        global int *p = (global int *)a[0];\n        a[1] = *p; // HERE", "global ulong *a"), [("freed", 1 << 20)],
         ", in no memory that the kernel may reach", FIVE),
    Case("an address of nothing", "bounds",
         one("        *(global int *)0x123456789aUL = 1; // HERE"), BUFFER,
         "store of 4 bytes at address 0x123456789a, in no memory that the kernel may reach", FIVE),
    Case("async_work_group_copy", "bounds",
         "kernel void k(global int *a, local int *t) {\n"
         "    event_t e = async_work_group_copy(t, a, 20, 0); // HERE\n    wait_group_events(1, &e);\n}\n",
         [("buffer", 64), ("local", 80)], "of argument 'a', which has 64 bytes", times=4),
]

NULL = [
    Case("an argument", "null", one("        a[2] = b[3]; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("null",)], "load of 4 bytes through argument 'b', which is null, at offset 12", FIVE,
         leaves={2: 0}),
    Case("a constant", "null", one("        global int *p = 0;\n        p[i] = 1; // HERE"), BUFFER,
         "store of 4 bytes through a null pointer, at offset 20", FIVE),
    Case("a pointer in memory", "null",
         one("        global int *p = (global int *)a[1];\n        *p = 1; // HERE", "global ulong *a"),
         [("zeros", 64)], "store of 4 bytes through a null pointer, at offset 0", FIVE),
    Case("a member of a struct", "null",
         "struct S { int x, y; struct S global *next; };\n"
         + one("        a->next->y = 1; // HERE", "global struct S *a"), [("zeros", 64)],
         "store of 4 bytes through a null pointer, at offset 4", FIVE),
    Case("a choice", "null", one("        global int *p = i > 4 ? 0 : a;\n        a[0] = *p; // HERE"), BUFFER,
         "load of 4 bytes through a null pointer", FIVE, leaves={0: 0}),
    Case("in an inlined function", "null",
         "void f(global int *p) {\n    *p = 1; // HERE\n}\n" + one("        f(b);", "global int *a, global int *b"),
         [("buffer", 64), ("null",)], "through argument 'b', which is null", FIVE),
    Case("local memory", "null", one("        local int *p = 0;\n        *p = a[0]; // HERE"), BUFFER,
         "store of 4 bytes through a null pointer", FIVE),
    Case("a vector", "null", one("        a[0] = b[1].x; // HERE", "global int *a, constant int4 *b"),
         [("buffer", 64), ("null",)], "load of 4 bytes through argument 'b', which is null, at offset 16", FIVE),
]

ALIGN = [
    Case("a word of bytes", "align", one("        *(global int *)(a + i) = 7; // HERE", "global char *a"), BUFFER,
         "misaligned store of 4 bytes at offset 5 of argument 'a'", FIVE, leaves={1: 1}),
    Case("a vector of ints", "align",
         one("        int4 v = *(global int4 *)(a + 2); // HERE\n        a[0] = v.x + v.y;"), BUFFER,
         "misaligned load of 16 bytes at offset 8 of argument 'a'", FIVE, leaves={0: 0}),
    Case("a long", "align", one("        *(global long *)(a + 1) = 7; // HERE"), BUFFER,
         "misaligned store of 8 bytes at offset 4 of argument 'a'", FIVE, leaves={1: 1}),
    Case("a struct", "align", "struct S { char c; int n; };\n"
         + one("        ((global struct S *)((global char *)a + 2))->n = 1; // HERE"), BUFFER,
         "misaligned store of 4 bytes at offset 6 of argument 'a'", FIVE),
    Case("local memory", "align",
         one("        *(local int *)(t + 2) = 7; // HERE", "global int *a, local char *t"),
         [("buffer", 64), ("local", 64)], "misaligned store of 4 bytes at offset 2 of argument 't'", FIVE),
    Case("a private array", "align",
         one("        char p[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n        a[0] = *(int *)(p + i - 4); // HERE"), BUFFER,
         "misaligned load of 4 bytes at offset 1 of private variable 'p'", FIVE, leaves={0: 0}),
    Case("an atomic operation", "align",
         one("        atomic_inc((global int *)((global char *)a + 6)); // HERE"), BUFFER,
         "misaligned atomic operation of 4 bytes at offset 6 of argument 'a'", FIVE),
    Case("in an inlined function", "align",
         "void f(global char *p) {\n    *(global short *)p = 1; // HERE\n}\n"
         + one("        f(a + 3);", "global char *a"), BUFFER,
         "misaligned store of 2 bytes at offset 3 of argument 'a'", FIVE),
]

ARITH = [
    Case("ints", "arith", one("        a[0] = 7 / (i - 5); // HERE"), BUFFER, "division of 32 bits: 7 by 0", FIVE,
         leaves={0: 0}),
    Case("a remainder of uints", "arith", one("        a[0] = 7u % (uint)a[0]; // HERE"), BUFFER,
         "remainder of 32 bits: 7 by 0", FIVE, leaves={0: 0}),
    Case("longs", "arith", one("        a[0] = (long)i / ((long)a[0] << 33); // HERE"), BUFFER,
         "division of 64 bits: 5 by 0", FIVE),
    Case("the least int by -1", "arith", one("        a[0] = (INT_MIN + a[0]) / (i - 6); // HERE"), BUFFER,
         "division of 32 bits: -2147483648 by -1", FIVE, leaves={0: 0}),
    Case("a vector", "arith", one("        a[0] = ((int2)(8, 9) / (int2)(i, a[0])).x; // HERE"), BUFFER,
         "division of 32 bits by zero, or with a result that does not fit", FIVE),
    Case("bytes", "arith", one("        a[0] = (uchar)i / (uchar)(i - 5); // HERE"), BUFFER,
         "division of 32 bits: 5 by 0", FIVE),
    Case("in an inlined function", "arith",
         "int f(int x, int y) {\n    return x % y; // HERE\n}\n" + one("        a[0] = f(i, a[0]);"), BUFFER,
         "remainder of 32 bits: 5 by 0", FIVE),
    Case("an assignment", "arith", one("        a[1] /= a[0]; // HERE"), BUFFER,
         "division of 32 bits: 1 by 0", FIVE, leaves={1: 0}),
]

# In SPIR-V: lines are those of OpLine, or there are none.
MODULE = """OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
LINES%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%far = OpConstant %ulong 16
%zero = OpConstant %uint 0
%k = OpFunction %void None %type
%a = OpFunctionParameter %pointer
%entry = OpLabel
%x = OpLoad %uint %a
%place = OpInBoundsPtrAccessChain %pointer %a %far
PLACEACTION
OpReturn
OpFunctionEnd
"""


def module(action, line=0):
    """A module whose `action`, of the load %x from and the pointer %place beyond the argument, is in a line if any."""
    lines = '%file = OpString "<source>"\n' if line else ""
    place = f"OpLine %file {line} 1\n" if line else ""
    return MODULE.replace("LINES", lines).replace("PLACE", place).replace("ACTION", action)


SPIRV = [
    Case("a module with lines", "bounds", module("OpStore %place %zero", 17), BUFFER,
         STORE + "64 of argument 0, which has 64 bytes", times=8, line=17),
    Case("a module without lines", "bounds", module("OpStore %place %zero"), BUFFER,
         STORE + "64 of argument 0, which has 64 bytes", times=8, line=0),
    Case("a division of a module", "arith", module("%y = OpUDiv %uint %x %zero\nOpStore %a %y", 3), [("buffer", 64)],
         "division of 32 bits: 0 by 0", times=8, line=3),
]

NOT_WRITTEN = " that were not written before"
INIT = [
    Case("a variable that is written on one way", "init",
         "kernel void k(global int *a) {\n    int i = get_global_id(0), x;\n    if (i != 5)\n        x = 1;\n"
         "    a[i] = x; // HERE\n}\n", BUFFER, "load of 4 bytes of private variable 'x'" + NOT_WRITTEN, FIVE,
         leaves={4: 1, 5: 0}),
    Case("a sum without a start", "init",
         one("        float s;\n        for (int n = 0; n < 3; n++)\n            s += a[n]; // HERE\n        a[0] = s;"),
         BUFFER, "load of 4 bytes of private variable 's'" + NOT_WRITTEN, FIVE, leaves={0: 3}),
    Case("an element of an array", "init",
         one("        int p[8];\n        for (int n = 0; n < i; n++)\n            p[n] = n;\n        a[0] = p[4] + p[5]; // HERE"),
         BUFFER, "load of 4 bytes of private variable 'p'" + NOT_WRITTEN, FIVE, leaves={0: 4}),
    Case("through a pointer", "init",
         "int sum(const int *p, int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++)\n        s += p[i]; // HERE\n"
         "    return s;\n}\n" + one("        int p[4];\n        p[0] = p[1] = p[3] = 2;\n        a[0] = sum(p, 4);"),
         BUFFER, "load of 4 bytes of private variable 'p'" + NOT_WRITTEN, FIVE, leaves={0: 6}),
    Case("a lane of a vector", "init",
         one("        float4 v;\n        v.x = 1;\n        v.yz = (float2)(2, 3);\n        a[0] = v.x + v.w; // HERE"), BUFFER,
         "load of 4 bytes of private variable 'v'" + NOT_WRITTEN, FIVE, leaves={0: 1}),
    Case("a member of a struct", "init",
         "struct S { int x; float y; };\n"
         + one("        struct S s;\n        s.x = 3;\n        a[0] = s.x + (int)s.y; // HERE"), BUFFER,
         "load of 4 bytes of private variable 's'" + NOT_WRITTEN, FIVE, leaves={0: 3}),
    Case("a member of a copy", "init",
         "struct S { int x; float y; };\n"
         + one("        struct S s, t;\n        s.x = 3;\n        t = s;\n        a[0] = t.x + (int)t.y; // HERE"), BUFFER,
         "load of 4 bytes of private variable 't'" + NOT_WRITTEN, FIVE, leaves={0: 3}),
    Case("a condition", "init", one("        bool b;\n        if (a[0])\n            b = true;\n        a[1] = b ? 7 : 8; // HERE"),
         BUFFER, "load of 1 byte of private variable 'b'" + NOT_WRITTEN, FIVE, leaves={1: 8}),
    Case("an index", "init", one("        int n;\n        a[n] = 7; // HERE"), BUFFER,
         "load of 4 bytes of private variable 'n'" + NOT_WRITTEN, FIVE, leaves={0: 7}),
]

SYNC = "    barrier(CLK_LOCAL_MEM_FENCE);\n"
HEAD = "kernel void k(global int *a) {\n    int i = get_local_id(0);\n"
INIT += [
    Case("an element of a local array", "init",
         HEAD + "    local int t[8];\n    if (i != 5)\n        t[i] = 1;\n" + SYNC + "    a[i] = t[7 - i]; // HERE\n}\n", BUFFER,
         "load of 4 bytes of local variable 't'" + NOT_WRITTEN, ((2, 0, 0), (2, 0, 0)), leaves={1: 1, 2: 0}),
    Case("a local number", "init", HEAD + "    local int n;\n    if (i == 100)\n        n = 1;\n" + SYNC
         + "    if (i == 5)\n        a[i] = n + 2; // HERE\n}\n", BUFFER,
         "load of 4 bytes of local variable 'n'" + NOT_WRITTEN, FIVE, leaves={5: 2}),
    Case("a lane of a local vector", "init", HEAD + "    local float4 v[8];\n    v[i].xyz = (float3)(i);\n" + SYNC
         + "    if (i == 5)\n        a[i] = (int)v[i].w; // HERE\n}\n", BUFFER,
         "load of 4 bytes of local variable 'v'" + NOT_WRITTEN, FIVE, leaves={5: 0}),
    Case("local memory by way of a function", "init",
         "int get(local int *p, int n) {\n    return p[n]; // HERE\n}\n" + HEAD
         + "    local int t[2][8];\n    t[0][i] = 3;\n" + SYNC + "    a[i] = get(t[i / 7], 4);\n}\n", BUFFER,
         "load of 4 bytes of local variable 't'" + NOT_WRITTEN, ((7, 0, 0), (7, 0, 0)), leaves={6: 3, 7: 0}),
    Case("a local counter", "init", HEAD + "    local int n;\n    if (i == 5)\n        atomic_inc(&n); // HERE\n}\n", BUFFER,
         "atomic operation of 4 bytes of local variable 'n'" + NOT_WRITTEN, FIVE),
]

TWO = "global int *a, global const int *b"
NEVER = [("buffer", 64), ("new", 64)]
INIT += [
    Case("a local argument", "init", "kernel void k(global int *a, local int *t) {\n    int i = get_local_id(0);\n    if (i != 5)\n"
         "        t[i] = 1;\n" + SYNC + "    a[i] = t[7 - i]; // HERE\n}\n", [("buffer", 64), ("local", 32)],
         "load of 4 bytes of argument 't'" + NOT_WRITTEN, ((2, 0, 0), (2, 0, 0)), leaves={1: 1, 2: 0}),
    Case("a buffer that nobody wrote", "init", one("        a[0] = b[2]; // HERE", TWO), NEVER,
         "load of 4 bytes of argument 'b'" + NOT_WRITTEN, FIVE, leaves={0: 0}),
    Case("such a buffer whose kernel may write it", "init", one("        a[0] = b[2] + 7; // HERE", "global int *a, global int *b"), NEVER,
         "load of 4 bytes of argument 'b'" + NOT_WRITTEN, FIVE, leaves={0: 7}),
    Case("such a buffer through a pointer", "init",
         "int sum(global const int *p, int n) {\n    int s = 0;\n    while (n-- > 0)\n        s += *p++; // HERE\n"
         "    return s;\n}\n" + one("        a[0] = sum(b + 1, 1);", TWO), NEVER, "load of 4 bytes of argument 'b'" + NOT_WRITTEN, FIVE,
         leaves={0: 0}),
    Case("constant memory that nobody wrote", "init", one("        a[0] = b[1].y; // HERE", "global int *a, constant int4 *b"), NEVER,
         "load of 4 bytes of argument 'b'" + NOT_WRITTEN, FIVE, leaves={0: 0}),
    Case("a struct in memory that nobody wrote", "init", "struct S { char c; int x; };\n"
         + one("        a[0] = b[3].x; // HERE", "global int *a, global const struct S *b"), NEVER,
         "load of 4 bytes of argument 'b'" + NOT_WRITTEN, FIVE, leaves={0: 0}),
]

BARRIER = "    barrier(CLK_LOCAL_MEM_FENCE); // HERE\n"
ONCE = "this work-item comes to the barrier never, another one once"
BARRIERS = [
    Case("behind a return", "barriers",
         "kernel void k(global int *a) {\n    int i = get_local_id(0);\n    if (i == 5)\n        return;\n"
         + BARRIER + "    a[i] = 7;\n}\n", BUFFER, ONCE, FIVE, leaves={4: 7, 5: 5}),
    Case("in a branch", "barriers",
         "kernel void k(global int *a) {\n    int i = get_local_id(0);\n    if (i < 7) {\n    " + BARRIER
         + "    }\n    a[i] = 7;\n}\n", BUFFER, ONCE, ((7, 0, 0), (7, 0, 0))),
    Case("in a loop", "barriers",
         "kernel void k(global int *a) {\n    int i = get_local_id(0);\n    for (int n = 0; n < (i == 2 ? 1 : 3); n++)\n    "
         + BARRIER + "    a[i] = 7;\n}\n", BUFFER,
         "this work-item comes to the barrier once, another one 3 times", ((2, 0, 0), (2, 0, 0))),
    Case("in an inlined function", "barriers",
         "void f(local int *t, int i) {\n    t[i] = i;\n" + BARRIER + "}\n"
         "kernel void k(global int *a, local int *t) {\n    int i = get_local_id(0);\n    if (i != 3)\n        f(t, i);\n"
         "    a[i] = 7;\n}\n", [("buffer", 64), ("local", 64)], ONCE, ((3, 0, 0), (3, 0, 0))),
    Case("behind a break", "barriers",
         "kernel void k(global int *a) {\n    int i = get_local_id(0);\n    for (int n = 0; n < 2; n++) {\n"
         "        if (a[i] == 6)\n            break;\n    " + BARRIER + "    }\n    a[i] = 9;\n}\n", BUFFER,
         "this work-item comes to the barrier never, another one 2 times", ((6, 0, 0), (6, 0, 0))),
] + [
    # A device need not go on behind these: how often others come there, and which work-item ends first, is its own.
    Case(f"in a loop, by {who}", "barriers",
         f"kernel void k(global int *a) {{\n    int i = get_local_id(0);\n    if ({condition})\n        for (int n = 0; n < 3; n++)\n"
         f"            barrier(CLK_LOCAL_MEM_FENCE); // {who}: // HERE\n}}\n", BUFFER, "this work-item comes to the barrier never, another one ", size=(64, 64))
    for who, condition in [("the first ones", "i < 4"), ("the last ones", "i >= 60"), ("some", "i % 16 == 9"), ("all but one", "i != 31")]
] + [
    Case(f"{function} in a branch", "barriers",
         f"kernel void k(global int *a) {{\n    int i = get_local_id(0);\n    if (i < 4)\n        a[i] = {function}; // HERE\n}}\n",
         BUFFER, "this work-item comes to the barrier never, another one ", size=(64, 64), options=["-cl-std=CL2.0"])
    for function in ("work_group_reduce_add(i)", "work_group_any(i)", "work_group_broadcast(i, 1)")
]

# Races: the one line ends in `// HERE`, or both do.
RACE = " of local variable 't', which another work-item "


def race(body, declared="local int t[16];", parameters="global int *a", before=""):
    """A kernel of work-groups of 8 work-items with a local variable."""
    return (before + f"kernel void k({parameters}) {{\n    {declared}\n    int i = get_local_id(0);\n{body}\n}}\n")


RACES = [
    Case("a barrier that is missing", "races",
         race("    t[i] = i; // HERE\n    a[i] = t[7 - i]; // HERE"), BUFFER, RACE, note="local id ("),
    Case("all write one element", "races", race("    t[3] = i; // HERE\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[3];"),
         BUFFER, "store of 4 bytes at offset 12" + RACE + "writes", times=7, note="store of 4 bytes of the other one"),
    Case("one barrier of two in a loop", "races",
         race("    for (int n = 0; n < 3; n++) {\n        t[i] = n; // HERE\n        barrier(CLK_LOCAL_MEM_FENCE);\n"
              "        a[i] = t[7 - i]; // HERE\n    }"), BUFFER, RACE, note="local id ("),
    Case("a read by many, then a store", "races",
         race("    t[i] = i;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[2]; // HERE\n    if (i == 2)\n        t[2] = i; // HERE"),
         BUFFER, "at offset 8" + RACE, note=" of "),
    Case("through a pointer to an argument", "races",
         "kernel void k(global int *a, local int *t) {\n    int i = get_local_id(0);\n    local int *p = t + 1;\n"
         "    p[i] = i; // HERE\n    a[i] = p[i ^ 1]; // HERE\n}\n", [("buffer", 64), ("local", 64)],
         " of argument 't', which another work-item ", note="local id ("),
    Case("a struct", "races",
         race("    s.y = i; // HERE\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = s.y;", "local struct S s;",
              before="struct S { int x; int y; };\n"), BUFFER,
         "store of 4 bytes at offset 4 of local variable 's', which another work-item writes", times=7, note="the other one"),
    Case("a vector", "races", race("    t[i] = (int4)(i); // HERE\n    a[i] = t[i ^ 1].y; // HERE", "local int4 t[8];"), BUFFER,
         RACE, note="local id ("),
    Case("one byte", "races", race("    t[i] = i; // HERE\n    a[i] = t[i ^ 1]; // HERE", "local uchar t[8];"), BUFFER,
         " of 1 byte at offset ", note="local id ("),
    Case("in an inlined function", "races",
         race("    f(t, i);\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[1];",
              before="void f(local int *t, int i) {\n    t[1] = i; // HERE\n}\n"), BUFFER,
         "store of 4 bytes at offset 4" + RACE + "writes", times=7, note="the other one"),
    Case("atomic operations and a plain store", "races",
         race("    if (i == 0)\n        t[0] = 0; // HERE\n    atomic_inc(t); // HERE\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
              "    a[i] = t[0];"), BUFFER, "at offset 0" + RACE, note=" of "),
    Case("atomic operations and a plain load", "races",
         race("    if (i == 0)\n        t[0] = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    atomic_inc(t); // HERE\n"
              "    a[i] = t[0]; // HERE"), BUFFER, "at offset 0" + RACE, note=" of "),
]

# Races in memory of devices, in one work-group or between two.
OF_A = " of argument 'a', which another work-item "
NO_BARRIER = " without a barrier for global memory between"
GROUPS = " of argument 'a', which a work-item of another work-group "
TWO_GROUPS = (16, 8)
WHOLE = "barrier(CLK_GLOBAL_MEM_FENCE);"


def shared(body, parameters="global int *a", before=""):
    """A kernel whose work-items share global memory: i is the local id, g the global one."""
    return (before + f"kernel void k({parameters}) {{\n    int i = get_local_id(0), g = get_global_id(0);\n{body}\n}}\n")


RACES += [
    Case("global: a barrier that is missing", "races", shared("    a[i] = i; // HERE\n    b[i] = a[7 - i]; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], OF_A, note="local id ("),
    Case("global: a barrier for local memory", "races",
         shared("    a[i] = i; // HERE\n    barrier(CLK_LOCAL_MEM_FENCE);\n    b[i] = a[7 - i]; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], NO_BARRIER, note="local id ("),
    Case("global: all write one element", "races", shared("    a[3] = i; // HERE"), BUFFER,
         "store of 4 bytes at offset 12" + OF_A + "writes" + NO_BARRIER, times=7, note="store of 4 bytes of the other one, local id ("),
    Case("global: the same constant by all", "races", shared("    a[3] = 1; // HERE"), BUFFER,
         "store of 4 bytes at offset 12" + OF_A + "writes", times=7, note="local id ("),
    Case("global: between work-groups", "races", shared(f"    if (i == 2)\n        a[0] = g; // HERE\n    {WHOLE}"), BUFFER,
         "store of 4 bytes at offset 0" + GROUPS + "writes", size=TWO_GROUPS, note="of the other one, work-group ("),
    Case("global: a barrier does not order work-groups", "races",
         shared(f"    a[g] = g; // HERE\n    {WHOLE}\n    b[g] = a[15 - g]; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], GROUPS, size=TWO_GROUPS, note=" of "),
    Case("global: through a pointer", "races",
         shared("    global int *p = a + 1, *end = p + 9;\n    for (p += i; p < end; p += 8)\n        *p = i; // HERE\n"
                "    b[i] = p[-8] + p[-7]; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], OF_A, note=" of "),
    Case("global: a struct", "races", shared("    a[1].y = i; // HERE", "global struct S *a", "struct S { int x; int y; };\n"), BUFFER,
         "store of 4 bytes at offset 12" + OF_A + "writes", times=7, note="local id ("),
    Case("global: a vector", "races",
         shared("    a[i] = (int4)(i); // HERE\n    b[i] = a[i ^ 1].y; // HERE", "global int4 *a, global int *b"),
         [("buffer", 128), ("buffer", 64)], OF_A, note="local id ("),
    Case("global: vstore3", "races", shared("    vstore3((int3)(i), 0, a + i); // HERE"), BUFFER,
         "store of 12 bytes at offset", note="of the other one"),
    Case("global: one byte", "races",
         shared("    a[i] = i; // HERE\n    b[i] = a[i ^ 1]; // HERE", "global uchar *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], " of 1 byte at offset ", note="local id ("),
    Case("global: in an inlined function", "races",
         shared("    f(a, i);", before="void f(global int *p, int i) {\n    p[1] = i; // HERE\n}\n"), BUFFER,
         "store of 4 bytes at offset 4" + OF_A + "writes", times=7, note="the other one"),
    Case("global: a sub-buffer", "races", shared("    a[i / 2] = i; // HERE"), [("sub", 1024, 256)], OF_A + "writes", note="local id ("),
    Case("global: two arguments of one buffer", "races",
         shared("    a[i] = i; // HERE\n    int x = b[7 - i]; // HERE\n    c[i] = x;", "global int *a, global int *b, global int *c"),
         [("buffer", 64), ("same",), ("buffer", 64)], ", which another work-item ", note="local id ("),
    Case("global: shared memory", "races", shared("    a[g % 8] = g; // HERE"), [("svm", 64)], GROUPS, size=TWO_GROUPS, note="work-group ("),
    Case("global: atomic operations and a plain store", "races",
         shared("    if (g == 0)\n        a[0] = 0; // HERE\n    atomic_inc(a); // HERE"), BUFFER, "at offset 0" + OF_A[:15], note=" of "),
    Case("global: a read by many, then a store", "races",
         shared("    b[i] = a[2]; // HERE\n    if (i == 2)\n        a[2] = i; // HERE", "global int *a, global int *b"),
         [("buffer", 64), ("buffer", 64)], "at offset 8" + OF_A, note=" of "),
    Case("global: the far end of a large buffer", "races",
         shared("    for (int n = 0; n < 512; n++)\n        a[(1 << 20) - 512 + n] = g + n; // HERE"), [("zeros", 1 << 22)],
         OF_A[:15], size=TWO_GROUPS, note="of the other one"),
]

# Coordinates beyond images, of which nothing is defined. Texels that are read so are some of the image.
IMAGE = [("buffer", 64), ("image", (4, 3))]
READS = "global int *a, read_only image2d_t t"
NONE = "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
NEW = ["-cl-std=CL2.0"]
IMAGES = [
    Case("a read without a sampler", "bounds", one("        a[0] = (int)read_imagef(t, (int2)(i - 1, 1)).x; // HERE", READS), IMAGE,
         "read of a texel at (4, 1) of argument 't', which has 4 x 3 texels", FIVE, leaves={0: 1}, options=NEW),
    Case("before an image", "bounds", one("        a[0] = (int)read_imagef(t, (int2)(1, 4 - i)).x; // HERE", READS), IMAGE,
         "read of a texel at (1, -1) of argument 't', which has 4 x 3 texels", FIVE, leaves={0: 1}, options=NEW),
    Case("a read with a sampler of no mode", "bounds", NONE + one("        a[0] = (int)read_imagef(t, s, (int2)(3, i)).x; // HERE", READS), IMAGE,
         "read of a texel at (3, 5) of argument 't'", FIVE, leaves={0: 1}),
    Case("a read with a sampler that is an argument", "bounds",
         one("        a[0] = (int)read_imagef(t, s, (int2)(3, i)).x; // HERE", READS + ", sampler_t s"), [*IMAGE, ("sampler", "none")],
         "read of a texel at (3, 5) of argument 't'", FIVE, leaves={0: 1}),
    Case("a place between texels", "bounds", NONE + one("        a[0] = (int)read_imagef(t, s, (float2)(-0.1f, i - 2.5f)).x; // HERE", READS), IMAGE,
         "read of a texel at (-1, 2) of argument 't'", FIVE, leaves={0: 1}),
    Case("a write", "bounds", one("        write_imagef(t, (int2)(i, 0), (float4)(2)); // HERE", "global int *a, write_only image2d_t t"), IMAGE,
         "write of a texel at (5, 0) of argument 't', which has 4 x 3 texels", FIVE),
    Case("an image of one dimension", "bounds", one("        write_imagef(t, i, (float4)(2)); // HERE", "global int *a, write_only image1d_t t"),
         [("buffer", 64), ("image", (5,))], "write of a texel at (5) of argument 't', which has 5 texels", FIVE),
    Case("an image of three dimensions", "bounds",
         NONE + one("        a[0] = (int)read_imagef(t, s, (int4)(0, 1, i, 0)).x; // HERE", "global int *a, read_only image3d_t t"),
         [("buffer", 64), ("image", (2, 2, 4))], "read of a texel at (0, 1, 5) of argument 't', which has 2 x 2 x 4 texels", FIVE, leaves={0: 1}),
    Case("a layer", "bounds",
         one("        a[0] = (int)read_imagef(t, (int4)(0, 1, i, 0)).x; // HERE", "global int *a, read_only image2d_array_t t"),
         [("buffer", 64), ("image", (2, 2), 3)], "read of a texel at (0, 1, 5) of argument 't', which has 2 x 2 x 3 texels", FIVE, leaves={0: 1},
         options=NEW),
    Case("an image of a buffer", "bounds", one("        b[0] = (int)read_imagef(t, i).x; // HERE", "global int *a, global int *b, read_only image1d_buffer_t t"),
         [("buffer", 64), ("buffer", 64), ("texels", 4)], "read of a texel at (5) of argument 't', which has 4 texels", FIVE, options=NEW),
    Case("an image in an inlined function", "bounds",
         "void f(write_only image2d_t t, int x) {\n    write_imagef(t, (int2)(0, x), (float4)(2)); // HERE\n}\n"
         + one("        f(t, i);", "global int *a, write_only image2d_t t"), IMAGE, "write of a texel at (0, 5) of argument 't'", FIVE),
]

# Right programs, of which nothing is to be said.
RIGHT = [
    Case("copies of what is not written", "", "struct S { int x; float y; char c; };\n"
         "struct S f(struct S s) {\n    s.x++;\n    return s;\n}\n"
         + one("        struct S s, t;\n        s.x = 3;\n        t = f(s);\n        s = t;\n        a[0] = s.x;"), BUFFER, "",
         leaves={0: 4}),
    Case("conditions that do not read", "",
         one("        int x;\n        bool known = a[0] != 0;\n        if (known)\n            x = 1;\n"
             "        a[0] = known && x > 0 ? x : 9;"), BUFFER, "", leaves={0: 9}),
    Case("lanes one by one", "", one("        int4 v;\n        v.s0 = 1;\n        v.s1 = 2;\n        v.hi = (int2)(3, 4);\n"
                                       "        v.s2 += v[i - 5];\n        a[0] = v.x + v.y + v.z + v.w;"), BUFFER, "",
         leaves={0: 11}),
    Case("barriers that all or none come to", "",
         "kernel void k(global int *a) {\n    local int t[8];\n    int i = get_local_id(0);\n    for (int n = 0; n < 3; n++) {\n"
         "        t[i] = n;\n        barrier(CLK_LOCAL_MEM_FENCE);\n        if (i == 0 && a[9] == 0)\n            return;\n"
         "        a[i] = t[7 - i];\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n    if (a[9] == 100)\n        return;\n"
         "    barrier(CLK_GLOBAL_MEM_FENCE);\n}\n", BUFFER, "", leaves={0: 2}),
    Case("local memory in bytes and in turns", "",
         "kernel void k(global int *a) {\n    local uchar c[10];\n    local int s[2][8];\n    int i = get_local_id(0);\n    c[i] = i;\n"
         "    s[0][i] = i;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    local int *from = s[0], *to = s[1];\n"
         "    for (int n = 0; n < 3; n++) {\n        to[i] = from[7 - i] + c[i];\n        barrier(CLK_LOCAL_MEM_FENCE);\n"
         "        local int *old = from;\n        from = to;\n        to = old;\n    }\n    a[i] = from[i];\n}\n", BUFFER, "",
         leaves={0: 14, 7: 14}),
    Case("local memory that work-items take turns with", "",
         race("    t[i] = i;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    for (int n = 4; n > 0; n /= 2) {\n        if (i < n)\n"
              "            t[i] += t[i + n];\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n    a[i] = t[0];"), BUFFER, "",
         leaves={0: 28, 7: 28}),
    Case("bytes of one word", "",
         race("    t[i] = i;\n    t[i]++;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[7 - i];", "local uchar t[8];"), BUFFER, "",
         leaves={0: 8, 7: 1}),
    Case("lanes of one vector", "",
         race("    if (i == 0)\n        t[0].x = 5;\n    if (i == 1)\n        t[0].y = 6;\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
              "    a[i] = i == 0 ? t[0].x : t[0].y;", "local int2 t[1];"), BUFFER, "", leaves={0: 5, 1: 6}),
    Case("counters of atomic operations", "",
         race("    if (i == 0)\n        t[0] = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    atomic_inc(t);\n    atomic_add(t, 2);\n"
              "    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[0];"), BUFFER, "", leaves={0: 24, 7: 24}),
    Case("the same constant by all", "",
         race("    t[0] = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (i > 2)\n        t[0] = 1;\n"
              "    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[0];"), BUFFER, "", leaves={0: 1}),
    Case("a fence and a counter", "",
         race("    if (i == 0)\n        n = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    t[i] = i;\n    mem_fence(CLK_LOCAL_MEM_FENCE);\n"
              "    if (atomic_inc(&n) == 7)\n        for (int j = 0; j < 8; j++)\n            a[j] = t[j] + 1;",
              "local int n, t[8];"), BUFFER, "", leaves={0: 1, 7: 8}),
    Case("more barriers than are counted", "",
         race("    for (int n = 0; n < 1500; n++) {\n        t[n + i & 7] = n;\n        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n"
              "    a[i] = t[0];"), BUFFER, "", leaves={0: 1499}),
    Case("the last bytes", "", one("        a[15] = *(a + 14) + vload2(7, a).y;"), BUFFER, "", leaves={15: 29}),
    Case("pointers to ends", "",
         one("        global int *p = a + 16;\n        while (p > a)\n            *--p = 1;"), BUFFER, "", leaves={0: 1, 15: 1}),
    Case("null that is not used", "", one("        a[0] = b ? *b : 5;", "global int *a, global int *b"),
         [("buffer", 64), ("null",)], "", leaves={0: 5}),
]

RIGHT += [
    Case("global: work-items' own elements", "", shared("    for (int n = 0; n < 3; n++)\n        a[g] += n + g;\n    a[g] = a[g] * 2;"), BUFFER, "",
         size=TWO_GROUPS, leaves={0: 6, 15: 126}),
    Case("global: bytes of one word", "",
         shared("    a[g] = g;\n    a[g] ^= 1;", "global uchar *a"), BUFFER, "", size=TWO_GROUPS, leaves={0: 0x02030001, 3: 0x0e0f0c0d}),
    Case("global: lanes of one vector", "",
         shared("    if (g & 1)\n        a[g / 2].x = g;\n    else\n        a[g / 2].y = g;", "global int2 *a"), BUFFER, "", size=TWO_GROUPS,
         leaves={0: 1, 1: 0, 14: 15, 15: 14}),
    Case("global: counters of atomic operations", "",
         shared("    atomic_inc(a);\n    atomic_add(a, 2);\n    atomic_max(a + 1, g);"), BUFFER, "", size=TWO_GROUPS, leaves={0: 48, 1: 15}),
    Case("global: a barrier for global memory", "",
         shared(f"    a[g] = g;\n    {WHOLE}\n    int x = a[g ^ 7];\n    {WHOLE}\n    a[g] = x;"), BUFFER, "", size=TWO_GROUPS,
         leaves={0: 7, 15: 8}),
    Case("global: a reduction", "",
         shared(f"    a[g] = g;\n    for (int n = 4; n > 0; n /= 2) {{\n        {WHOLE}\n        if (i < n)\n            a[g] += a[g + n];\n"
                f"    }}\n    {WHOLE}\n    b[g] = a[g - i];", "global int *a, global int *b"), [("buffer", 64), ("buffer", 64)], "",
         size=TWO_GROUPS, leaves={0: 28, 8: 92}),
    Case("global: a barrier of both kinds in a loop", "",
         shared("    for (int n = 0; n < 600; n++) {\n        a[g - i + (i + n) % 8] = n;\n"
                "        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n    }"), BUFFER, "", size=TWO_GROUPS, leaves={0: 599, 15: 599}),
    Case("global: the last work-group sums up", "",
         shared(f"    local int last;\n    b[g] = g;\n    write_mem_fence(CLK_GLOBAL_MEM_FENCE);\n    {WHOLE}\n    if (i == 0)\n"
                "        last = atomic_inc(a) == 1;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (last && i == 0) {\n        int s = 0;\n"
                "        for (int n = 0; n < 16; n++)\n            s += b[n];\n        a[1] = s;\n    }",
                "global int *a, volatile global int *b"), [("zeros", 64), ("zeros", 64)], "", size=TWO_GROUPS, leaves={0: 2, 1: 120}),
    Case("global: the last work-group, by a barrier", "",
         shared(f"    local int last;\n    b[g] = g;\n    {WHOLE}\n    if (i == 0)\n        last = atomic_inc(a) == 1;\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (last && i == 0)\n        for (int n = 0; n < 16; n++)\n            a[1] += b[n];",
                "global int *a, global int *b"), [("zeros", 64), ("zeros", 64)], "", size=TWO_GROUPS, leaves={0: 2, 1: 120}),
    Case("global: a lock", "",
         shared("    if (i != 0)\n        return;\n    while (atomic_cmpxchg(a, 0, 1) != 0)\n        ;\n    a[1] += 1;\n    atomic_xchg(a, 0);",
                "volatile global int *a"), [("zeros", 64)], "", size=(8, 8), leaves={0: 0, 1: 1}),
    Case("global: a sum of floats by retries", "",
         shared("    int old;\n    do {\n        old = a[0];\n    } while (atomic_cmpxchg(a, old, old + 1) != old);", "global int *a"), [("zeros", 64)], "",
         size=TWO_GROUPS, leaves={0: 16}),
    Case("global: all read what none writes", "",
         shared("    a[g] = b[0] + b[15 - g];", "global int *a, global int *b"), [("zeros", 64), ("buffer", 64)], "", size=TWO_GROUPS,
         leaves={0: 15, 15: 0}),
    Case("global: sub-buffers that touch", "",
         shared("    a[i] = i + 1;\n    b[i] = a[i] + 1;", "global int *a, global int *b"), [("sub", 0, 256), ("rest", 256, 256)], "",
         leaves={0: 1, 7: 8}),
    Case("global: structs side by side", "",
         shared("    struct S s = {g, g + 1, g + 2};\n    a[g] = s;\n    s = a[g];\n    s.z = s.x;\n    a[g] = s;", "global struct S *a",
                "struct S { char x; int y; char z; };\n"), [("zeros", 192)], "", size=TWO_GROUPS, leaves={1: 1, 46: 16}),
    Case("global: an exchange by async copies", "",
         "kernel void k(global int *a) {\n    local int t[8];\n    int o = get_group_id(0) * 8, i = get_local_id(0);\n"
         "    event_t e = async_work_group_copy(t, a + o, 8, 0);\n    wait_group_events(1, &e);\n    a[o + i] = t[7 - i];\n}\n", BUFFER, "",
         size=TWO_GROUPS, leaves={0: 7, 15: 8}),
]

RIGHT += [
    Case("texels of the image", "",
         NONE + one("        a[0] = (int)(read_imagef(t, s, (int2)(3, 2)).x + read_imagef(t, (int2)(0, 2)).x + read_imagef(t, s, (float2)(3.9f, 0)).x);",
                    READS), IMAGE, "", leaves={0: 3}, options=NEW),
    Case("texels beyond an image that has an edge", "",
         "constant sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST, b = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
         + one("        a[0] = (int)(read_imagef(t, s, (int2)(9, -2)).x + 2 * read_imagef(t, b, (float2)(-9, 1)).x + read_imagef(t, c, (int2)(8)).x);",
               READS + ", sampler_t c"), [*IMAGE, ("sampler", "clamp")], "", leaves={0: 1}),
    Case("layers with a sampler, which takes the last one", "",
         NONE + one("        a[0] = (int)read_imagef(t, s, (int4)(0, 1, i, 0)).x;", "global int *a, read_only image2d_array_t t"),
         [("buffer", 64), ("image", (2, 2), 3)], "", leaves={0: 1}),
    Case("texels that are written", "", one("        write_imagef(t, (int2)(3, 2), (float4)(2));", "global int *a, write_only image2d_t t"), IMAGE, "",
         leaves={0: 0}),
]

RIGHT += [
    Case(f"a buffer that was written by {way}", "", one("        a[0] = b[2] + b[15];", TWO), [("buffer", 64), ("new", 64, way)], "", leaves={0: 6})
    for way in ("write", "fill", "copy", "map", "part", "kernel")
] + [
    Case("a buffer that its kernel writes", "", one("        a[0] = 4;\n        a[1] = a[0];"), [("new", 64)], "", leaves={0: 4, 1: 4}),
    Case("one buffer as two arguments", "", one("        a[0] = 4;\n        a[1] = b[0];", TWO), [("new", 64), ("same",)], "", leaves={1: 4}),
    Case("a local argument of a few bytes", "",
         "kernel void k(global int *a, local uchar *t, local int *u) {\n    int i = get_local_id(0);\n    t[i] = i;\n    u[i] = t[i];\n" + SYNC
         + "    a[i] = u[7 - i] + t[i];\n}\n", [("buffer", 64), ("local", 8), ("local", 32)], "", leaves={0: 7, 7: 7}),
    Case("a local argument by an async copy", "",
         "kernel void k(global int *a, local int *t) {\n    event_t e = async_work_group_copy(t, a, 8, 0);\n    wait_group_events(1, &e);\n"
         "    int i = get_local_id(0);\n    a[i + 8] = t[7 - i];\n}\n", [("buffer", 64), ("local", 32)], "", leaves={8: 7, 15: 0}),
    Case("a large local argument", "",
         "kernel void k(global int *a, local int *t) {\n    int i = get_local_id(0);\n    for (int n = 0; n < 3000; n += 8)\n        t[n + i] = n;\n"
         + SYNC + "    a[i] = t[2047 - i] + t[2999 - i];\n}\n", [("buffer", 64), ("local", 12000)], "", leaves={0: 5032, 7: 5032}),
]

CASES = BOUNDS + IMAGES + NULL + ALIGN + ARITH + SPIRV + INIT + BARRIERS + RACES + RIGHT
