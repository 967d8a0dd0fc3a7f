"""Control flow that is nested deeper than drivers with masks in software have room for (lavapipe: 80 levels)."""

import numpy as np
import pytest

import pyopencl as cl

DEPTHS = [20, 40, 75, 80, 120]


def launch(m, body, size):
    """Runs a kernel of one work-item for each value below `size`; gives the results and what `in` holds."""
    program = m.build("kernel void k(global const int *in, global int *out) {\n"
                      f"int i = get_global_id(0), a = i, r = 0;\n{body}\nout[i] = r;\n}}")
    given = np.arange(1000, dtype=np.int32) * 7 + 3
    out = m.empty(4 * size)
    program.k(m.queue, (size,), None, m.buffer(given), out)
    return m.read(out, np.int32, (size,)).tolist(), given.tolist()


@pytest.mark.parametrize("depth", DEPTHS)
def test_branches(m, depth):
    heads = "".join(f"if (a > {n}) {{ r += in[{n}]; " for n in range(depth))
    tails = "".join(f"}} else {{ r ^= in[{n}] * 3; }} r += {n};" for n in reversed(range(depth)))
    found, given = launch(m, heads + tails, depth + 5)
    for a, result in enumerate(found):
        taken = min(a, depth)
        expected = sum(given[:taken])
        if taken < depth:
            expected = (expected ^ given[taken] * 3) + taken
        assert result == expected + sum(range(taken)), a


@pytest.mark.parametrize("depth", DEPTHS)
def test_branches_within_a_loop(m, depth):
    heads = "".join(f"if (a > {n}) {{ r += in[{n} + j]; " for n in range(depth))
    tails = "".join(f"if (r == in[{n}]) continue; }} r -= j;" for n in reversed(range(depth)))
    found, given = launch(m, f"for (int j = 0; j < 3; j++) {{ {heads} r++; {tails} }}", depth + 5)
    for a, result in enumerate(found):
        r, taken = 0, min(a, depth)
        for j in range(3):
            for n in range(taken):
                r += given[n + j]
            if taken == depth:
                r += 1
            for n in reversed(range(depth)):
                if n < taken and r == given[n]:
                    break
                # What follows a branch that was not reached is skipped as well.
                if n <= taken:
                    r -= j
        assert result == r, a


def test_work_items_that_act_together_are_refused_or_right(m):
    depth = 90
    heads = "".join(f"if (in[{n}] > 0) {{ " for n in range(depth))
    body = f"local int cell; {heads} if (a == 0) cell = 7; barrier(CLK_LOCAL_MEM_FENCE); r = cell; {'}' * depth}"
    try:
        found, _ = launch(m, body, 4)
    except (cl.RuntimeError, cl.LogicError) as error:
        assert "levels deep" in str(error)
        return
    assert found == [7] * 4
