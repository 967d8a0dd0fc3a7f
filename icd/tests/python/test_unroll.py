"""Loops of every number of rounds, which the compiler unrolls by itself or as hints say: bounds around zero and at the
ends of the types, steps that jump over the bound, and work-items that leave at different times."""

import numpy as np
import pytest

# Head of a loop over i from `from` as long as it compares with `to`, its type, and the same in Python.
HEADS = {
    "up": ("int", "for (i = from; i < to; i++)", lambda i, to: i < to, 1),
    "up to": ("int", "for (i = from; i <= to; i++)", lambda i, to: i <= to, 1),
    "by three": ("int", "for (i = from; i < to; i += 3)", lambda i, to: i < to, 3),
    "down": ("int", "for (i = from; i > to; i--)", lambda i, to: i > to, -1),
    "down to by two": ("int", "for (i = from; i >= to; i -= 2)", lambda i, to: i >= to, -2),
    "unsigned": ("uint", "for (i = from; i < to; i++)", lambda i, to: i < to, 1),
    "unsigned by five": ("uint", "for (i = from; i < to; i += 5)", lambda i, to: i < to, 5),
    "unsigned down": ("uint", "for (i = from; i > to; i--)", lambda i, to: i > to, -1),
    "not": ("uint", "for (i = from; i != to; i++)", lambda i, to: i != to, 1),
    "not, down": ("int", "for (i = from; i != to; i--)", lambda i, to: i != to, -1),
    "less three": ("int", "for (i = from; i < to - 3; i++)", lambda i, to: i < to - 3, 1),
    "long": ("long", "for (i = from; i < to; i++)", lambda i, to: i < to, 1),
    "ulong down": ("ulong", "for (i = from; i > to; i -= 2)", lambda i, to: i > to, -2),
    "while": ("int", "i = from; while (to > i++)", None, 1),
}
# Hints, and what the loop does: load; store as well; branch as well.
HINTS = ["", "#pragma unroll\n", "#pragma unroll 3\n", "__attribute__((opencl_unroll_hint(2)))",
         "__attribute__((opencl_unroll_hint(5)))", "__attribute__((opencl_unroll_hint))", "#pragma nounroll\n"]
BODIES = {
    "load": "h = h * 31u + t[i & 63];",
    "store": "h = h * 31u + t[i & 63]; out[3 * g] = h;",
    "branch": "if (t[i & 63] & 1) h = h * 31u + t[i & 63]; else out[3 * g] = h;",
    "invariant": "h = h * 31u + *k + t[i & 63];",
}
DTYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
TABLE = (np.arange(64, dtype=np.uint64) ** 3 * 2654435761 >> 7).astype(np.uint32)


def wrap(value, ty):
    bits = 64 if "long" in ty else 32
    value &= (1 << bits) - 1
    return value - (1 << bits) if ty[0] != "u" and value >> (bits - 1) else value


def ranges(ty, step):
    """Pairs of first value and bound, none with many rounds or overflow that C leaves undefined."""
    bits = 64 if "long" in ty else 32
    least, greatest = (0, 2**bits - 1) if ty[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    up = step > 0
    pairs = [(n, n + (m if up else -m)) for m in range(18) for n in (30, 1000)]
    pairs += [(-9, m - 9) if up else (m - 9, -9) for m in range(18)] if least else []
    # The other side of the bound, by little and by much.
    pairs += [(7, 6), (7, 3), (20, 0), (greatest, 5), (5, least)] if up else [(6, 7), (3, 7), (5, greatest)]
    room = 3 * abs(step)
    for m in range(10):
        if up:
            pairs += [(greatest - room - m, greatest - room), (least, least + m)]
        else:
            pairs += [(least + room + m, least + room), (greatest, greatest - m)]
    return [(a, b) for a, b in pairs if least <= a <= greatest and least <= b <= greatest]


def expected(name, body, first, bound):
    ty, _, goes_on, step = HEADS[name]
    h, rounds, i, out = 1, 0, first, None
    while True:
        if goes_on is None:
            i, goes = wrap(i + 1, ty), bound > i
        else:
            goes = goes_on(i, bound)
        if not goes:
            return h, rounds, i & 0xffffffff
        odd = TABLE[i & 63] & 1
        if body != "branch" or odd:
            h = (h * 31 + (77 if body == "invariant" else 0) + int(TABLE[i & 63])) & 0xffffffff
        rounds += 1
        i = i if goes_on is None else wrap(i + step, ty)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", HEADS)
def test_counted_loops(m, name, body):
    ty, head, goes_on, step = HEADS[name]
    if ty in ("long", "ulong") and body != "load":
        pytest.skip("as for int")
    setup, _, loop = head.rpartition("; while") if "while" in head else ("", "", head)
    loop = "while" + loop if setup else loop
    kernels = "".join(f"""
        kernel void k{n}(global const uint *t, global const uint *k, global const {ty} *a, global const {ty} *b,
                         global uint *restrict out)
        {{
            uint g = get_global_id(0), h = 1, rounds = 0;
            {ty} from = a[g], to = b[g], i;
            {setup + ";" if setup else ""}
            {hint} {loop} {{ {BODIES[body]} rounds++; }}
            out[3 * g] = h; out[3 * g + 1] = rounds; out[3 * g + 2] = (uint)i;
        }}""" for n, hint in enumerate(HINTS))
    program = m.build(kernels)
    pairs = ranges(ty, step)
    if name.startswith("not"):
        pairs = [(a, b) for a, b in pairs if abs(a - b) < 100 and (b - a) * step >= 0]
        pairs += [(2**32 - 3, 2), (2**32 - 5, 7), (2**32 - 1, 0)] if ty == "uint" else []
    if name == "while":
        pairs = [(a, b) for a, b in pairs if a < 2**31 - 1]
    if name == "less three":
        pairs = [(a, b) for a, b in pairs if b > -2**31 + 3]
    first, bound = (np.array([pair[n] for pair in pairs], DTYPES[ty]) for n in (0, 1))
    right = [expected(name, body, *pair) for pair in pairs]
    for n in range(len(HINTS)):
        out = m.empty(12 * len(pairs))
        program.__getattr__(f"k{n}")(m.queue, (len(pairs),), None, m.buffer(TABLE), m.buffer(np.uint32([77])),
                                     m.buffer(first), m.buffer(bound), out)
        np.testing.assert_array_equal(m.read(out, np.uint32, (len(pairs), 3)), right, f"{HINTS[n]!r}")


ENDLESS = "for (;;) { h = h * 1664525u + t[i & 63]; i++; if (i >= n) break; }"
LEFT = {
    "do": "do { h = h * 1664525u + t[i & 63]; i++; } while (i < n);",
    "guarded": "if (n > 3) do { h = h * 1664525u + t[i & 63]; i++; } while (i < n);",
    "invariant": "for (; i < n; i++) h = h * 1664525u + t[5];",
    "break": ENDLESS,
    "load in the test": "while (h = h * 1664525u + t[i & 63], ++i < n) ;",
    "nest": "for (uint k = 0; k < 3; k++) { i = 0; " + ENDLESS + " }",
    "varying nest": "uint k = 0; do { i = 0; " + ENDLESS + " k += t[k + 1]; } while (k < n);",
}


@pytest.mark.parametrize("name", LEFT)
def test_values_that_loops_are_left_with(m, name):
    """Work-items leave at different times with what they have computed from memory."""
    program = m.build(f"""
        kernel void leave(global uint *out, global const uint *ns, global const uint *t)
        {{
            uint g = get_global_id(0), n = ns[g], i = 0, h = g;
            {LEFT[name]}
            out[2 * g] = h; out[2 * g + 1] = i;
        }}""")
    size = 64
    ns, table = (np.arange(size) * 7 % 13).astype(np.uint32), np.arange(2, size + 2, dtype=np.uint32)
    out = m.empty(8 * size)
    program.leave(m.queue, (size,), (16,), out, m.buffer(ns), m.buffer(table))
    right = []
    for g, n in enumerate(ns):
        h, i, k = g, 0, 0
        while {"guarded": n > 3, "invariant": n > 0}.get(name, True):
            i = 0
            while True:
                h = (h * 1664525 + int(table[5 if name == "invariant" else i])) & 0xffffffff
                i += 1
                if i >= n:
                    break
            k += {"nest": 1, "varying nest": int(table[k + 1])}.get(name, size)
            if k >= (3 if name == "nest" else n):
                break
        right.append((h, i))
    np.testing.assert_array_equal(m.read(out, np.uint32, (size, 2)), right)
