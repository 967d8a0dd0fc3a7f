"""fma rounds once (OpenCL C 6.15.2, table 6.15: 0 ulp), also where the device's own does not.

References are exact: the sum as a fraction, rounded to nearest even.
"""

import itertools
import math
from fractions import Fraction

import numpy as np

KERNEL = """
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
kernel void f(global const REAL *a, global const REAL *b, global const REAL *c, global REAL *out)
{
    size_t i = get_global_id(0);
    out[i] = fma(a[i], b[i], c[i]);
}
"""

# Each with its digits, the exponent of its least number, its least normal one and its largest.
FORMATS = {
    "half": (np.float16, 11, -24, 2.0**-14, 65504.0),
    "float": (np.float32, 24, -149, 2.0**-126, 3.4028234663852886e38),
    "double": (np.float64, 53, -1074, 2.0**-1022, 1.7976931348623157e308),
}


def rounded(exact, form):
    """Returns a fraction other than 0 rounded to a format, as a Python float."""
    _, digits, least, _, most = form
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= magnitude < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    value = round(magnitude / unit) * unit
    value = math.inf if value > most else float(value)
    return -value if exact < 0 else value


def reference(a, b, c, form):
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        # Products that are zero keep their sign; what cancels is +0.
        return a * b + c if 0 in (a, b) else 0.0
    return rounded(exact, form)


def numbers(form, rng):
    """Returns arguments: all combinations of special ones, ties and what is just beside them, and random ones."""
    real, digits, least, least_normal, most = form
    one_up = 1 + 2.0 ** (1 - digits)
    special = [0.0, 1.0, one_up, 2 - 2.0 ** (1 - digits), 3.0, 2.0 ** -(digits // 2), 2.0 ** (digits // 2) + 1]
    special += [2.0**least, least_normal, least_normal - 2.0**least, math.sqrt(least_normal), most, most / 2, math.inf]
    special += [-x for x in special]
    rows = list(itertools.product(special + [math.nan], repeat=3))
    for _ in range(6000):
        bits = int(rng.integers(2, digits + 1))
        a, b, c = (float(rng.integers(1, 2**bits)) for _ in range(3))
        spread = int(rng.integers(-digits - 3, digits + 4))
        # Sums whose last bits decide; short factors have ties.
        rows.append((a, b, math.ldexp(c, spread) * rng.choice([-1, 1])))
        # What a product leaves, which is a denormal number for the smaller of them.
        a, b = (float(real(rng.uniform(1, 2))) for _ in range(2))
        rows.append((a, b, -float(real(a * b))))
        a *= least_normal * 2.0 ** int(rng.integers(0, 2 * digits))
        rows.append((a, b, -float(real(a * b))))
        # A tie but for the last digit of the product.
        scale = least_normal * 2.0 ** int(rng.integers(0, 3 * digits))
        rows.append((one_up * scale, one_up, 4 * scale * rng.choice([-1, 1])))
        # A tie but for what is far below.
        tie = float(real(1 + 2.0 ** (1 - digits) * int(rng.integers(0, 2))))
        tiny = 2.0 ** -int(rng.integers(digits, 2 * digits + 3))
        rows.append((float(real(2.0**-digits * rng.choice([1, -1]))), float(real(1 + rng.choice([-1, 0, 1]) * tiny)), tie))
        # Anywhere.
        low, high = least + digits, math.frexp(most)[1]
        a, b, c = (math.ldexp(rng.uniform(-1, 1), int(rng.integers(low, high))) for _ in range(3))
        rows.append((a, b, c))
    with np.errstate(over="ignore"):
        return np.array(rows).astype(real)


def test_every_sum_is_rounded_once(m, kind):
    form = FORMATS[kind]
    args = numbers(form, np.random.default_rng(25))
    columns = [np.ascontiguousarray(column) for column in args.T]
    out = m.empty(columns[0].nbytes)
    kernel = m.build(KERNEL, [f"-DREAL={kind}"]).f
    kernel(m.queue, columns[0].shape, None, *map(m.buffer, columns), out)
    results = m.read(out, form[0], len(args))
    keeps_denormals = m.keeps_denormals(kind)
    wrong = []
    for x, y, z, result in zip(*map(np.ndarray.tolist, columns), results.tolist()):
        expected = reference(x, y, z, form)
        same = result == expected and math.copysign(1, result) == math.copysign(1, expected)
        same |= math.isnan(result) and math.isnan(expected)
        may_flush = not keeps_denormals and any(0 < abs(value) < form[3] for value in (x, y, z, expected))
        if not same and not may_flush:
            wrong.append([value.hex() for value in (x, y, z, result, expected)])
    assert not wrong, f"{len(wrong)} of {len(args)}, such as {wrong[:5]}"
