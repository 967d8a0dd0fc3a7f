"""Loops whose variable grows by a value, as in `i += get_global_size(0)`: several rounds between two tests must not run more
rounds than one by one, whatever the value is."""

import numpy as np
import pyopencl as cl
import pytest

MOST = 1000


def rounds(ctype, start, bound, step, inclusive):
    """Returns the indices that a loop goes through; None if it overflows or is long."""
    least, greatest = np.iinfo(ctype).min, np.iinfo(ctype).max
    found = []
    while start < bound or (inclusive and start == bound):
        found.append(start)
        start += step
        if not least <= start <= greatest or len(found) > MOST:
            return None
    return found


def cases(ctype):
    """Yields starts, bounds and steps: usual ones, and those where three steps, or the bound less three steps, overflow."""
    info = np.iinfo(ctype)
    least, greatest, all_ = int(info.min), int(info.max), 1 << info.bits
    steps = [1, 2, 3, 7, 64, all_ // 8 - 1, all_ // 8, all_ // 8 + 1, all_ // 4 + 1, all_ // 3, all_ // 3 + 1, greatest // 4,
             greatest // 4 + 1, greatest // 3 + 1, greatest // 2 + 1, greatest]
    ends = {least, least + 1, least + 5, least + 300, 0, 1, 3, 4, 5, 12, 100, greatest // 2, greatest - 300, greatest - 5,
            greatest - 1, greatest}
    for start in ends:
        for bound in ends:
            for step in steps:
                yield start, bound, step
        yield start, start, -1 % all_ if least == 0 else -1


@pytest.mark.parametrize("test", ["<", "<="])
@pytest.mark.parametrize("name", ["int", "uint", "long", "ulong"])
def test_sums(m, name, test):
    ctype = np.dtype({"int": "i4", "uint": "u4", "long": "i8", "ulong": "u8"}[name])
    source = f"""kernel void k(global const {name} *start, global const {name} *bound, global const {name} *step,
                               global const uint *values, global uint *sums) {{
        size_t n = get_global_id(0);
        uint sum = 0;
        {name} last = bound[n], by = step[n];
        for ({name} i = start[n]; i {test} last; i += by) sum = sum * 3 + values[i & 1023];
        sums[n] = sum;
    }}"""
    taken = [(case, rounds(ctype, *case, test == "<=")) for case in cases(ctype)]
    taken = [(case, found) for case, found in taken if found is not None]
    assert len(taken) > 500
    values = np.random.default_rng(7).integers(0, 1 << 32, 1024, np.uint32)
    expected = []
    for _, found in taken:
        total = 0
        for index in found:
            total = (total * 3 + int(values[index & 1023])) & 0xffffffff
        expected.append(total)
    columns = [np.array([case[part] for case, _ in taken], ctype) for part in range(3)]
    buffers = [m.buffer(column) for column in [*columns, values]]
    out = m.buffer(np.zeros(len(taken), np.uint32))
    program = m.build(source)
    program.k(m.queue, (len(taken),), None, *buffers, out)
    sums = np.empty(len(taken), np.uint32)
    cl.enqueue_copy(m.queue, sums, out)
    wrong = [case for (case, _), got, want in zip(taken, sums, expected) if got != want]
    assert not wrong, wrong[:10]
