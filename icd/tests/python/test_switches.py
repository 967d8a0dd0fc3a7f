"""Switches whose cases fall through, a default in the middle, and cases that end under a condition."""

import random

import numpy as np
import pytest


class Case:
    """What a case does: whether it ends at once for some numbers, how it changes the number, whether it goes on."""

    def __init__(self, rng, label, falls):
        self.label, self.factor, self.addend = label, rng.randrange(3, 99, 2), rng.randrange(1000)
        self.ends_at = rng.choice([0, 0, 1 << rng.randrange(6)])
        self.falls = rng.random() < falls

    def text(self):
        label = "default" if self.label is None else f"case {self.label}"
        early = f"if (r & {self.ends_at}) break; " if self.ends_at else ""
        return f"{label}: {early}r = r * {self.factor} + {self.addend};{'' if self.falls else ' break;'}"


def run(cases, x, r):
    labels = [case.label for case in cases]
    start = labels.index(x) if x in labels else labels.index(None) if None in labels else len(cases)
    for case in cases[start:]:
        if r & case.ends_at:
            break
        r = (r * case.factor + case.addend) % 2**32
        if not case.falls:
            break
    return r


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("seed, count, falls", [(1, 3, 1.0), (2, 7, 0.5), (3, 8, 0.9), (4, 40, 0.3), (5, 2000, 0.34)])
def test_cases_fall_through(m, seed, count, falls, loop):
    rng = random.Random(seed)
    labels = rng.sample(range(3 * count), count)
    labels[rng.randrange(count)] = None
    cases = [Case(rng, label, falls) for label in labels]
    switch = "switch (x) {\n" + "\n".join(case.text() for case in cases) + "\n}"
    if loop:
        switch = f"for (int k = 0; k < 3; k++) {{ if (r % 5 == 4) continue; {switch} }}"
    program = m.build(f"""kernel void test(global uint *out, global const uint *in)
    {{
        uint i = get_global_id(0), x = in[i], r = i;
        {switch}
        out[i] = r;
    }}""")
    data = np.array([rng.randrange(3 * count) for _ in range(min(4 * count, 256))], np.uint32)
    out = m.buffer(np.zeros(len(data), np.uint32))
    program.test(m.queue, (len(data),), None, out, m.buffer(data))
    expected = list(range(len(data)))
    for i, x in enumerate(data):
        for _ in range(3 if loop else 1):
            if not loop or expected[i] % 5 != 4:
                expected[i] = run(cases, int(x), expected[i])
    assert m.read(out, np.uint32, len(data)).tolist() == expected
