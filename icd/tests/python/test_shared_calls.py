"""Kernels that call large functions from many places, which on lavapipe share a call site: results are those of numpy
where work-items go different ways through the calls."""

import numpy as np
import pytest
from conftest import DRIVER

ITEMS = 128
ROUNDS = 200
# Where functions are called: a kernel of more than 40,000 instructions with all of them inlined.
SITES = 30


def rotate(x, by):
    return x << np.uint32(by) | x >> np.uint32(32 - by)


def body(name, rounds):
    """Returns a function of OpenCL C, and the same of numpy: `name(h, w)` changes four words by sixteen."""
    steps = [(i % 13 + 3, i % 16, i * 2654435761 % 2**32) for i in range(rounds)]
    text = "\n".join(
        f"t = rotate(a, {by}u) + (b & c ^ ~b & d) + w[{word}] + {add}u; w[{word}] = t ^ w[{(word + 5) % 16}];"
        f" d = c; c = rotate(b, {word + 1}u); b = a; a = t;"
        for by, word, add in steps
    )
    source = f"""
    uint {name}(uint *h, const uint *m) {{
        uint a = h[0], b = h[1], c = h[2], d = h[3], t, w[16];
        for (int i = 0; i < 16; i++) w[i] = m[i];
        {text}
        h[0] += a; h[1] += b; h[2] += c; h[3] += d;
        return t;
    }}"""

    def run(h, m):
        a, b, c, d = h
        w = list(m)
        for by, word, add in steps:
            t = rotate(a, by) + (b & c ^ ~b & d) + w[word] + np.uint32(add)
            w[word] = t ^ w[(word + 5) % 16]
            d, c, b, a = c, rotate(b, word + 1), a, t
        return [h[0] + a, h[1] + b, h[2] + c, h[3] + d], t

    return source, run


F, run_f = body("f", ROUNDS)
G, run_g = body("g", ROUNDS // 2)

# A function that calls another one from several places, and is called from several places itself.
NESTED = """
__attribute__((noinline)) uint nested(uint *h, uint *m, uint x) {
    x ^= f(h, m);
    for (uint i = 0; i < x % 4; i++) {
        m[i] = x;
        if (f(h, m) & 1) { x += h[i]; return f(h, m) + x; }
    }
    return x * f(h, m);
}"""


def kernel():
    """Calls in a row, behind conditions, in loops of different lengths, before and after a return."""
    calls = "\n".join(
        {
            0: f"x ^= f(h, m); m[{i % 16}] += x;",
            1: f"if ((h[{i % 4}] & 3) == {i % 3}) {{ x += g(h, m); }} else if (x & 1) {{ f(h, m); x ^= {i}; }}",
            2: f"for (uint j = 0; j < (h[1] + {i}) % 3; j++) {{ h[j] ^= x; x += f(h, m); if (x % 5 == 1) break; }}",
            3: f"if (x % 11 == {i % 11}) {{ out[id] = x ^ h[3]; return; }} m[x % 16] = h[0];",
        }[i % 4]
        for i in range(SITES)
    )
    return f"""{F} {G} {NESTED}
    kernel void k(global const uint *in, global uint *out) {{
        uint id = get_global_id(0), h[4], m[16], x = id;
        for (int i = 0; i < 4; i++) h[i] = in[id] * (i + 1);
        for (int i = 0; i < 16; i++) m[i] = in[i] + id;
        {calls}
        x += nested(h, m, x);
        if (x & 4) {{ x -= nested(h, m, 1); }} else {{ x += nested(h, m, h[2]); }}
        out[id] = x + h[0] + h[1] + h[2] + h[3];
    }}"""


class Items:
    """All work-items of the kernel, as numpy has them: what a mask leaves out stays as it was."""

    def __init__(self, data):
        self.id = np.arange(ITEMS, dtype=np.uint32)
        self.h = [data * np.uint32(i + 1) for i in range(4)]
        self.m = [data[i] + self.id for i in range(16)]
        self.x = self.id.copy()
        self.out = np.zeros(ITEMS, np.uint32)
        self.live = np.ones(ITEMS, bool)

    def call(self, run, mask):
        h, t = run(self.h, self.m)
        self.h = [np.where(mask, new, old) for new, old in zip(h, self.h)]
        return t

    def statement(self, i):
        one = np.uint32(1)
        if i % 4 == 0:
            self.x = np.where(self.live, self.x ^ self.call(run_f, self.live), self.x)
            self.m[i % 16] = np.where(self.live, self.m[i % 16] + self.x, self.m[i % 16])
        elif i % 4 == 1:
            first = self.live & ((self.h[i % 4] & np.uint32(3)) == i % 3)
            second = self.live & ~first & ((self.x & one) == 1)
            self.x = np.where(first, self.x + self.call(run_g, first), self.x)
            self.call(run_f, second)
            self.x = np.where(second, self.x ^ np.uint32(i), self.x)
        elif i % 4 == 2:
            goes_on = self.live
            for j in range(3):
                goes_on = goes_on & (j < (self.h[1] + np.uint32(i)) % np.uint32(3))
                self.h[j] = np.where(goes_on, self.h[j] ^ self.x, self.h[j])
                self.x = np.where(goes_on, self.x + self.call(run_f, goes_on), self.x)
                goes_on = goes_on & (self.x % np.uint32(5) != 1)
        else:
            ends = self.live & (self.x % np.uint32(11) == i % 11)
            self.out = np.where(ends, self.x ^ self.h[3], self.out)
            self.live = self.live & ~ends
            for word in range(16):
                here = self.live & (self.x % np.uint32(16) == word)
                self.m[word] = np.where(here, self.h[0], self.m[word])

    def nested(self, mask, x):
        x = x ^ self.call(run_f, mask)
        goes_on, result = mask, x
        for i in range(4):
            goes_on = goes_on & (i < x % np.uint32(4))
            self.m[i] = np.where(goes_on, x, self.m[i])
            ends = goes_on & (self.call(run_f, goes_on) & np.uint32(1) == 1)
            x = np.where(ends, x + self.h[i], x)
            result = np.where(ends, self.call(run_f, ends) + x, result)
            goes_on, mask = goes_on & ~ends, mask & ~ends
        return np.where(mask, x * self.call(run_f, mask), result)

    def run(self):
        for i in range(SITES):
            self.statement(i)
        self.x = self.x + self.nested(self.live, self.x)
        first = self.live & (self.x & np.uint32(4) != 0)
        second = self.live & ~first
        self.x = np.where(first, self.x - self.nested(first, np.uint32(1)), self.x)
        self.x = np.where(second, self.x + self.nested(second, self.h[2]), self.x)
        end = self.x + self.h[0] + self.h[1] + self.h[2] + self.h[3]
        return np.where(self.live, end, self.out)


@pytest.mark.skipif(not DRIVER.startswith("lavapipe"), reason="compiles for long where call sites are not shared")
def test_calls_of_large_functions(m, rng):
    data = rng.integers(0, 2**32, ITEMS, dtype=np.uint32)
    program = m.build(kernel())
    out = m.empty(4 * ITEMS)
    program.k(m.queue, (ITEMS,), (32,), m.buffer(data), out)
    np.testing.assert_array_equal(m.read(out, np.uint32, ITEMS), Items(data).run())
