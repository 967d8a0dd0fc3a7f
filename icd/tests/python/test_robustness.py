"""Texts made to crash, hang or exhaust a compiler: each gives a log or builds, and the process lives.

Each is built in a process of its own, so that a crash is one failed test and a hang ends.
"""

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
import raw
from conftest import PYTHON

RAW = Path(__file__).with_name("raw.py")
# Far more than any of these should take anywhere: a hang ends, nothing is measured.
SECONDS = 120

HEAD = b"kernel void f(global int *a)\n{\n    "
DEEP = 100_000


def random_bytes(size, alphabet=None):
    generator = random.Random(5)
    if alphabet:
        return bytes(generator.choices(alphabet, k=size))
    return generator.randbytes(size)


def macro_bomb():
    lines = [b"#define M0 a[0] + a[1] + a[2] + a[3] + a[4]"]
    for i in range(1, 30):
        lines.append(b"#define M%d M%d + M%d + M%d" % (i, i - 1, i - 1, i - 1))
    return b"\n".join(lines) + b"\n" + HEAD + b"a[0] = M29;\n}\n"


def function_macro_bomb():
    lines = [b"#define F0(x) x + x + x + x"]
    for i in range(1, 20):
        lines.append(b"#define F%d(x) F%d(F%d(x))" % (i, i - 1, i - 1))
    return b"\n".join(lines) + b"\n" + HEAD + b"a[0] = F19(a[1]);\n}\n"


def paste_bomb():
    lines = [b"#define CAT_(x, y) x ## y", b"#define CAT(x, y) CAT_(x, y)", b"#define S0 aaaaaaaaaaaaaaaa"]
    for i in range(1, 40):
        lines.append(b"#define S%d CAT(S%d, S%d)" % (i, i - 1, i - 1))
    return b"\n".join(lines) + b"\n" + HEAD + b"int S39 = 1;\n}\n"


def giant_switch():
    cases = b"".join(b"    case %d: a[1] = %d; break;\n" % (7 * i, i) for i in range(5000))
    return HEAD + b"switch (a[0]) {\n" + cases + b"    }\n}\n"


def nested_structs(depth):
    body = b"int x;"
    for i in range(depth):
        body = b"struct { %s } m%d;" % (body, i)
    return b"struct s { %s };\n" % body + HEAD + b"struct s t; a[0] = sizeof(t);\n}\n"


def doubling_structs():
    lines = [b"struct s0 { int x[1024]; };"]
    for i in range(1, 70):
        lines.append(b"struct s%d { struct s%d a, b, c, d; };" % (i, i - 1))
    return b"\n".join(lines) + b"\n" + HEAD + b"struct s69 t; t.a.b = t.a.c; a[0] = 1;\n}\n"


def many_functions():
    functions = b"".join(b"int g%d(int x) { return g%d(x) + g%d(x); }\n" % (i, i - 1, i - 1)
                         for i in range(1, 60))
    return b"int g0(int x) { return x + 1; }\n" + functions + HEAD + b"a[0] = g59(1);\n}\n"


def many_mistakes():
    return HEAD + b"".join(b"a[%d] = nowhere%d;\n" % (i, i) for i in range(50_000)) + b"}\n"


def block(opening, closing):
    return HEAD + opening * DEEP + closing * DEEP + b"\n}\n"


# Texts of which none can be built.
FAIL = {
    "random bytes": lambda: random_bytes(10_000_000),
    "random text": lambda: random_bytes(3_000_000, b"abcxyz019 \n\t(){}[]<>;:,.+-*/%&|^~!?='\"\\#"),
    "random punctuation": lambda: random_bytes(1_000_000, b"(){}[]<>;,+-*&!?:#\n"),
    "only #": lambda: b"#\n#if\n" * 200_000,
    "parentheses open": lambda: HEAD + b"a[0] = " + b"(" * DEEP,
    "parentheses close": lambda: HEAD + b"a[0] = " + b")" * DEEP,
    "braces open": lambda: HEAD + b"{" * DEEP,
    "braces close": lambda: HEAD + b"}" * DEEP,
    "brackets open": lambda: HEAD + b"a" + b"[" * DEEP,
    "brackets in a declaration": lambda: HEAD + b"int x" + b"[2]" * DEEP + b";\n}\n",
    "#if open": lambda: b"#if 1\n" * DEEP,
    "casts": lambda: HEAD + b"a[0] = " + b"(int)" * DEEP + b";\n}\n",
    "initializers open": lambda: HEAD + b"int x[2] = " + b"{" * DEEP,
    "conditional open": lambda: HEAD + b"a[0] = " + b"a[1] ? " * DEEP,
    "struct open": lambda: b"struct {" * DEEP,
    "function parameters open": lambda: b"void f(" * DEEP,
    "attributes open": lambda: b"__attribute__((" * DEEP,
    "macro bomb": macro_bomb,
    "function macro bomb": function_macro_bomb,
    "paste bomb": paste_bomb,
    "huge array": lambda: HEAD + b"int x[0x7fffffffffffffff]; a[0] = x[1];\n}\n",
    "huge product of arrays": lambda: HEAD + b"int x" + b"[0x10000]" * 8 + b"; a[0] = 1;\n}\n",
    "huge local array": lambda: HEAD + b"local int x[0x40000000]; x[0] = 1; a[0] = x[0];\n}\n",
    "doubling structs": doubling_structs,
    "struct that holds itself": lambda: b"struct s { int x; struct s t; };\n" + HEAD + b"}\n",
    "many mistakes": many_mistakes,
    "unterminated string of a megabyte": lambda: HEAD + b"\"" + b"x" * 1_000_000,
    "unterminated comment of a megabyte": lambda: b"/*" + b"*" * 1_000_000,
    "line that continues": lambda: b"\\\n" * 500_000 + b"nope",
}

# Texts that a compiler may build or refuse.
EITHER = {
    "else if": lambda: HEAD + b"if (a[0]) a[1] = 1; else " * DEEP + b";;\n}\n",
    "nothing": lambda: b"",
    "#if with parentheses": lambda: b"#if " + b"(" * DEEP + b"1" + b")" * DEEP + b"\n#endif\n",
    "zero bytes": lambda: b"\0" * 1_000_000,
    "parentheses": lambda: HEAD + b"a[0] = " + b"(" * DEEP + b"1" + b")" * DEEP + b";\n}\n",
    "braces": lambda: block(b"{", b"}"),
    "brackets": lambda: HEAD + b"a[0] = " + b"a[" * DEEP + b"1" + b"]" * DEEP + b";\n}\n",
    "minus": lambda: HEAD + b"a[0] = " + b"- " * DEEP + b"a[1];\n}\n",
    "not": lambda: HEAD + b"a[0] = " + b"!" * DEEP + b"a[1];\n}\n",
    "stars": lambda: HEAD + b"global int " + b"*" * DEEP + b"p = 0;\n}\n",
    "sum": lambda: HEAD + b"a[0] = " + b" + ".join([b"a[1]"] * 50_000) + b";\n}\n",
    "assignments": lambda: HEAD + b"a[0] = " * 50_000 + b"1;\n}\n",
    "commas": lambda: HEAD + b"a[0] = 1, " * 50_000 + b"a[1] = 2;\n}\n",
    "conditionals": lambda: HEAD + b"a[0] = " + b"a[1] ? 1 : " * 20_000 + b"2;\n}\n",
    "loops": lambda: HEAD + b"for (;;) " * DEEP + b";\n}\n",
    "many blocks": lambda: HEAD + b"if (a[0]) a[1]++;\n" * 5_000 + b"}\n",
    "many loops": lambda: HEAD + b"while (a[0] < 9) a[0]++;\n" * 2_000 + b"}\n",
    "long identifier": lambda: HEAD + b"int " + b"x" * 1_000_000 + b" = 1;\n}\n",
    "long string": lambda: b'constant char s[] = "' + b"x" * 1_000_000 + b'";\n' + HEAD + b"a[0] = s[9];\n}\n",
    "long number": lambda: HEAD + b"float x = 0." + b"123" * 300_000 + b"f; a[0] = x;\n}\n",
    "huge exponent": lambda: HEAD + b"float x = 1e999999999999999999f; a[0] = x;\n}\n",
    "long line of blanks": lambda: b" " * 5_000_000 + HEAD + b"}\n",
    "many lines": lambda: b"\n" * 5_000_000 + HEAD + b"}\n",
    "giant switch": giant_switch,
    "nested structs": lambda: nested_structs(10_000),
    "functions called twice by the next": many_functions,
    "many parameters": lambda: b"kernel void f(" + b", ".join(
        b"global int *a%d" % i for i in range(5_000)) + b") { }\n",
    "many variables": lambda: HEAD + b"".join(b"int x%d = a[%d];\n" % (i, i) for i in range(10_000)) + b"}\n",
    "big initializer": lambda: b"constant int c[] = { " + b"1, " * 100_000 + b"};\n" + HEAD +
                               b"a[0] = c[a[1]];\n}\n",
    "designator at the end": lambda: HEAD + b"int x[100000] = { [99999] = 1 }; a[0] = x[a[1]];\n}\n",
    "shift and division of extremes": lambda: HEAD + b"a[0] = 1 << 99; a[1] = 1 / 0; a[2] = 1 % 0; "
                                      b"a[3] = (-0x7fffffff - 1) / -1; a[4] = 1 >> -3;\n}\n",
}


# Of selections nested as deep as this, spirv-val takes minutes (its time grows with the square of the depth), so
# the modules are not dumped for it; those of shorter chains are (test_long_chains.py).
NOT_DUMPED = {"else if"}


def build(source, options=(), dumped=True):
    """Builds in a process of its own; gives the status and the log."""
    environment = {name: value for name, value in os.environ.items() if dumped or name != "HEKLA_DUMP"}
    child = subprocess.run([*PYTHON, RAW, *options], input=source, stdout=subprocess.PIPE,
                           timeout=SECONDS, check=False, env=environment)
    assert child.returncode == 0, f"the process ended with {child.returncode}"
    status, log = child.stdout.decode("utf-8", "replace").split("\n", 1)
    return int(status), log


def check_failure(status, log):
    assert status == raw.CL_BUILD_PROGRAM_FAILURE, f"status {status}: {log[:300]}"
    assert re.search(r"\berror: \S", log), f"no error in the log: {log[:300]}"
    assert len(log) < 5_000_000, "the log is endless"


def check_survival(status, log):
    if status != raw.CL_SUCCESS:
        check_failure(status, log)


@pytest.mark.parametrize("name", FAIL)
def test_refused(m, name):
    check_failure(*build(FAIL[name]()))


@pytest.mark.parametrize("name", EITHER)
def test_survived(m, name):
    check_survival(*build(EITHER[name](), dumped=name not in NOT_DUMPED))


def test_header_that_includes_itself(m, tmp_path):
    (tmp_path / "self.h").write_text('#include "self.h"\n')
    status, log = build(b'#include "self.h"\n' + HEAD + b"}\n", ["-I", str(tmp_path)])
    check_failure(status, log)
    assert "self.h" in log


def test_two_headers_that_include_each_other_twice(m, tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n#include "a.h"\n')
    check_failure(*build(b'#include "a.h"\n' + HEAD + b"}\n", ["-I", str(tmp_path)]))


def test_include_of_a_folder_and_of_a_device(m, tmp_path):
    check_failure(*build(b'#include "."\n', ["-I", str(tmp_path)]))
    check_survival(*build(b'#include "/dev/zero"\n'))


def test_deep_macros_on_the_command_line(m):
    options = [f"-DM{i}=M{i + 1}" for i in range(500)] + ["-DM500=7"]
    status, log = build(HEAD + b"a[0] = M0;\n}\n", options)
    assert status == raw.CL_SUCCESS, log
