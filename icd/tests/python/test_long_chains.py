"""Chains of thousands of operators and branches, which are no nesting: what they compute.

Branches are as many as the drivers' own compilers take in seconds; compiler/tests/chains.rs has more.
"""

import numpy as np
import pytest

COUNTS = [100, 1600, 10_000]
# Longest statement, in characters, that SwiftShader's compiler is given.
SWIFTSHADER_TEXT = 12_000


def run(m, statement, a):
    """Runs a kernel of one work-item for each value of `a`; gives the results."""
    if "SwiftShader" in m.device.name and len(statement) > SWIFTSHADER_TEXT:
        pytest.skip("SwiftShader's own compiler ends the process, or takes minutes, for chains of this length")
    program = m.build("kernel void k(global const int *in, global int *out, global const int *values) {\n"
                      f"int i = get_global_id(0), a = values[i], r = 0;\n{statement}\nout[i] = r;\n}}")
    values = np.array(a, np.int32)
    given = np.arange(20_000, dtype=np.int32) * 7 + 3
    out = m.buffer(np.zeros_like(values))
    program.k(m.queue, values.shape, None, m.buffer(given), out, m.buffer(values))
    return m.read(out, np.int32, values.shape).tolist(), given


@pytest.mark.parametrize("count", COUNTS)
def test_sums(m, count):
    if count > 1600 and " Mesa 26" in m.device.driver_version:
        pytest.skip("LLVM 22 splits a block at each load that is masked, which takes minutes and 8 GB for so many")
    terms = "".join(f" {'+-'[n % 2]} in[{n}] * {n % 5}" for n in range(1, count))
    out, given = run(m, f"r = a{terms};", [5, -9])
    rest = sum((1 if n % 2 == 0 else -1) * int(given[n]) * (n % 5) for n in range(1, count))
    assert out == [5 + rest, -9 + rest]


@pytest.mark.parametrize("count", COUNTS)
def test_logical_operators(m, count):
    # Operands behind the one that decides are not evaluated.
    terms = "".join(f" && (r = {n}, a != {n})" for n in range(1, count))
    a = [1, 31, 32, 33, 64, 65, count - 1, count]
    out, _ = run(m, f"int all = 1{terms}; r = all ? -r : r;", a)
    assert out == [min(n, count - 1) if n < count else 1 - count for n in a]


def test_else_if(m):
    branches = "".join(f"else if (a == {n}) r = in[{n}];\n" for n in range(1, 1600))
    a = [0, 1, 31, 32, 33, 64, 1599, 1600, -1]
    out, given = run(m, f"if (a == 0) r = 77;\n{branches} else r = -1;", a)
    assert out == [77 if n == 0 else int(given[n]) if 0 < n < 1600 else -1 for n in a]


@pytest.mark.parametrize("count", [31, 34, 100])
def test_branches(m, count):
    branches = "".join(f"else if (a == {n}) {{ r += in[{n}]; if (a % 3 == 1) continue; r++; }}\n" for n in range(1, count))
    a = [0, 1, 2, 30, 31, 32, 33, 63, 64, 65, count - 1, count, -1]
    out, given = run(m, f"for (int j = 0; j < 2; j++) {{ if (a == 0) r = 77;\n{branches} else r = -1; r *= 2; }}", a)

    def expected(n):
        r = 0
        for _ in range(2):
            if n == 0:
                r = 77
            elif 0 < n < count:
                r = r + int(given[n])
                if n % 3 == 1:
                    continue
                r += 1
            else:
                r = -1
            r *= 2
        return r

    assert out == [expected(n) for n in a]


@pytest.mark.parametrize("count", [100, 1600])
def test_choices(m, count):
    choices = "".join(f"a == {n} ? in[{n}] : " for n in range(count))
    a = [0, 1, 31, 32, 127, 128, 129, 256, count - 1, count]
    out, given = run(m, f"r = {choices} -4;", a)
    assert out == [int(given[n]) if n < count else -4 for n in a]


def test_a_choice_is_converted_as_if_nested(m):
    # An int that becomes float on its way to double loses digits; one in the outer operators does not.
    if "cl_khr_fp64" not in m.device.extensions:
        pytest.skip("no double")
    inner = "".join(f"a == {n} ? 16777217 : " for n in range(200, 400))
    outer = "".join(f"a == {n} ? 16777217.0 : " for n in range(200))
    a = [0, 199, 200, 399, 400]
    out, _ = run(m, f"r = (int)({outer}{inner}a == 400 ? 16777219 : 1.5f);", a)
    assert out == [16777217, 16777217, 16777216, 16777216, 16777220]


@pytest.mark.parametrize("count", [100, 300])
def test_labels_and_jumps_into_branches(m, count):
    labels = "".join(f"case {n}: " for n in range(count))
    branches = "".join(f"else if (a == -{n}) {{ case_{n}: r += {n}; }}\n" for n in range(1, count))
    out, _ = run(m, f"""
        switch (a) {{ {labels} r = 1; }}
        if (a == 5) goto case_{count - 1};
        if (a == 6) goto case_1;
        if (a == -{count}) r = 3;
        {branches}
        else r += 100;""", [0, 5, 6, count - 1, count, -1, -count + 1])
    assert out == [101, count, 2, 101, 100, 1, count - 1]
