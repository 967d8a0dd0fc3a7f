"""Denormal numbers, signs and narrowing, bit by bit, against numpy.

Doubles keep their denormals on every device that offers doubles. Floats and halves do where the device
says so (CL_FP_DENORM); elsewhere a denormal number may count as zero, but what only moves bits (signs,
choices, loads and stores) loses none.
"""

import math
import warnings

import numpy as np
import pyopencl as cl
import pytest

TYPES = {"half": (np.float16, np.uint16), "float": (np.float32, np.uint32), "double": (np.float64, np.uint64)}


def operands(kind):
    """Pairs of numbers of every exponent that matters, and of random fractions."""
    real, bits = TYPES[kind]
    info = np.finfo(real)
    digits, width = info.nmant, np.dtype(real).itemsize * 8
    random = np.random.default_rng(11)
    count = 1 << 15
    top = (1 << (width - 1 - digits)) - 1
    # Beside a number whose last digits are those of denormal ones, these count still.
    last = [digits - 1, digits, digits + 2]
    exponents = random.choice([0, 0, 1, 2, *last, top // 4, top // 2 - 1, top // 2, top // 2 + 1, top - 1], (2, count))
    values = random.integers(0, 1 << digits, (2, count)) | exponents << digits
    values = values.astype(np.uint64) | random.integers(0, 2, (2, count)).astype(np.uint64) << np.uint64(width - 1)
    values = values.astype(bits).view(real)
    special = np.array([0.0, -0.0, info.tiny, -info.tiny, np.inf, -np.inf, np.nan, 1.0], real)
    special = np.append(special, np.nextafter(real(0), real(1)))
    some = np.stack([g.ravel() for g in np.meshgrid(special, special)])
    return np.concatenate([values, some], axis=1)


def run(m, kind, out, expression, a, b, c=None, declared=""):
    """`expression` of a and b for each pair, and of the c beside it."""
    names = {np.int32: "int", np.uint16: "ushort", np.uint32: "uint", np.float32: "float",
             np.float16: "half", np.float64: "double"}
    pragma = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" if kind == "half" else ""
    result = m.empty(a.size * np.dtype(out).itemsize)
    m.build(f"""{pragma}
        #pragma OPENCL FP_CONTRACT OFF
        kernel void k(global {names[out]} *out, global const {kind} *p, global const {kind} *q,
                      global const {kind} *r) {{
            size_t i = get_global_id(0);
            {kind} a = p[i], b = q[i], c = r[i];
            {declared}
            out[i] = {expression};
        }}""").k(m.queue, a.shape, None, result, m.buffer(a), m.buffer(b), m.buffer(a if c is None else c))
    return m.read(result, out, a.size)


def check(got, want, *args):
    """Equal bits, or NaN both."""
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[got.dtype.itemsize]
    same = (got.view(bits) == want.astype(got.dtype).view(bits)) | (np.isnan(got) & np.isnan(want))
    bad = np.flatnonzero(~same)
    assert bad.size == 0, [(*(x[i].item().hex() for x in args), got[i].item().hex(), want[i].item().hex())
                           for i in bad[:5]]


def test_every_device_with_doubles_keeps_their_denormals(m):
    if "cl_khr_fp64" in m.device.extensions:
        assert m.keeps_denormals("double")


@pytest.mark.parametrize("operation", ["a + b", "a - b", "a * b", "a / b"])
def test_arithmetic(m, kind, operation):
    if not m.keeps_denormals(kind):
        pytest.skip(f"no denormals of {kind}")
    if kind == "float" and "/" in operation:
        if not m.fp_config(kind) & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            pytest.skip("division is not correctly rounded")
    a, b = operands(kind)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        want = eval(operation)
    check(run(m, kind, TYPES[kind][0], operation, a, b), want, a, b)


@pytest.mark.parametrize("operation", ["a * b + c", "c + a * b", "a * b - c", "c - a * b", "a * b + b * c",
                                       "(a * b + c) * (a * b)"])
def test_sums_with_products(m, kind, operation):
    """Rounded twice: a device may compute both at once, but not as fma."""
    if not m.keeps_denormals(kind):
        pytest.skip(f"no denormals of {kind}")
    a, b = operands(kind)
    # All sizes of addends, and those that nearly cancel the product.
    c = np.random.default_rng(12).permutation(a)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        c = np.where(np.arange(c.size) % 4 == 0, -np.nextafter(a * b, c), c)
        want = eval(operation)
    got = run(m, kind, TYPES[kind][0], operation, a, b, c)
    check(got, want, a, b, c)


def test_roots(m, kind):
    if not m.keeps_denormals(kind) or kind == "float":
        pytest.skip(f"no denormals of {kind}, or roots that may be off")
    a, b = operands(kind)
    with np.errstate(all="ignore"):
        check(run(m, kind, TYPES[kind][0], "sqrt(a)", a, b), np.sqrt(a), a)


@pytest.mark.parametrize("operation", ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b"])
def test_comparisons(m, kind, operation):
    if not m.keeps_denormals(kind):
        pytest.skip(f"no denormals of {kind}")
    a, b = operands(kind)
    got = run(m, kind, np.int32, operation, a, b)
    bad = np.flatnonzero(got != eval(operation))
    assert bad.size == 0, [(a[i].item().hex(), b[i].item().hex()) for i in bad[:5]]


@pytest.mark.parametrize("function", ["fmin", "fmax"])
def test_the_smaller_and_the_larger_are_whole(m, kind, function):
    a, b = operands(kind)
    with np.errstate(all="ignore"):
        want = getattr(np, function)(a, b)
    got = run(m, kind, TYPES[kind][0], f"{function}(a, b)", a, b)
    zeros = (got == 0) & (want == 0)
    if not m.keeps_denormals(kind):
        # A zero in place of a denormal number is allowed, another number is not.
        zeros |= (got == 0) & (np.abs(want) < np.finfo(TYPES[kind][0]).tiny)
    check(np.where(zeros, want, got), want, a, b)


@pytest.mark.parametrize("function", ["maxmag", "minmag"])
def test_magnitudes_are_told_apart(m, kind, function):
    a, b = operands(kind)
    larger, smaller = (np.abs(a) > np.abs(b), np.abs(a) < np.abs(b))
    first, second = (larger, smaller) if function == "maxmag" else (smaller, larger)
    got = run(m, kind, TYPES[kind][0], f"{function}(a, b)", a, b)
    want = np.where(first, a, np.where(second, b, got))
    if not m.keeps_denormals(kind):
        want = np.where((got == 0) & (np.abs(want) < np.finfo(TYPES[kind][0]).tiny), got, want)
    check(got, want, a, b)


@pytest.mark.parametrize("expression,want", [
    ("fabs(a)", lambda a, b: np.abs(a)),
    ("-a", lambda a, b: -a),
    ("copysign(a, b)", np.copysign),
    ("isgreater(b, ({0})1) ? a : copysign(a, b)", lambda a, b: np.where(b > 1, a, np.copysign(a, b))),
    ("isgreater(b, ({0})1) ? b : copysign(a, b)", lambda a, b: np.where(b > 1, b, np.copysign(a, b))),
], ids=["fabs", "negation", "copysign", "a or copysign", "b or copysign"])
def test_signs_lose_nothing(m, kind, expression, want):
    a, b = operands(kind)
    keep = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[keep], b[keep]
    got = run(m, kind, TYPES[kind][0], expression.format(kind), a, b)
    check(got, want(a, b), a, b)


def test_copysign_takes_the_sign_of_nan(m, kind):
    real, bits = TYPES[kind]
    nan = np.full(64, np.nan, real)
    sign = bits(1) << bits(nan.dtype.itemsize * 8 - 1)
    nan = np.where(np.arange(64) % 2 == 0, nan, (nan.view(bits) | sign).view(real))
    a = np.full(64, 3, real)
    check(run(m, kind, real, "copysign(a, b)", a, nan), np.copysign(a, nan), a)


def narrowed(x, real, mode):
    """Doubles as narrower floats, rounded in a direction: numpy's nearest, and a step."""
    with np.errstate(all="ignore"):
        near = x.astype(real)
        down, up = np.nextafter(near, real(-np.inf)), np.nextafter(near, real(np.inf))
        wide = near.astype(np.float64)
        if mode == "rtp":
            result = np.where(wide < x, up, near)
        elif mode == "rtn":
            result = np.where(wide > x, down, near)
        elif mode == "rtz":
            result = np.where(np.abs(wide) > np.abs(x), np.where(x > 0, down, up), near)
        else:
            result = near
    # Zeros that a step gave have the sign of x.
    return np.where(result == 0, np.copysign(real(0), x).astype(real), result)


@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
@pytest.mark.parametrize("real", [np.float16, np.float32], ids=["half", "float"])
def test_narrowing_of_doubles(m, real, mode):
    if "cl_khr_fp64" not in m.device.extensions:
        pytest.skip("no cl_khr_fp64")
    info = np.finfo(real)
    random = np.random.default_rng(5)
    least = int(np.log2(float(info.tiny))) - info.nmant - 3
    exponents = random.integers(least, int(np.log2(float(info.max))) + 3, 1 << 16)
    x = np.ldexp(1 + random.random(exponents.size), exponents) * random.choice([-1, 1], exponents.size)
    # Ties, and just beside them.
    ties = random.integers(1, 1 << (info.nmant + 2), 1 << 14) * np.ldexp(1.0, random.integers(
        least, least + 12, 1 << 14))
    x = np.concatenate([x, ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf), [float.fromhex("0x1.4020000000001p+1")]])
    if real is np.float16:
        result = m.empty(x.size * 2)
        m.build(f"""kernel void k(global half *out, global const double *p) {{
            size_t i = get_global_id(0);
            vstore_half_{mode}(p[i], i, out); }}""").k(m.queue, x.shape, None, result, m.buffer(x))
        got = m.read(result, np.float16, x.size)
    else:
        got = run(m, "double", np.float32, f"convert_float_{mode}(a)", x, x)
    want = narrowed(x, real, mode)
    if mode == "rte" and real is np.float32 and not m.keeps_denormals("float"):
        want = np.where((np.abs(want) < info.tiny) & (got == 0), got, want)
    check(got, want, x)


def test_fract_of_denormals(m, kind):
    if kind == "half":
        pytest.skip("computed in float, of which no half is a denormal")
    real, bits = TYPES[kind]
    small = np.arange(1, 65, dtype=bits).view(real)
    a = np.concatenate([small, -small])
    whole = m.empty(a.nbytes)
    result = m.empty(a.nbytes)
    m.build(f"""kernel void k(global {kind} *out, global {kind} *whole, global const {kind} *p) {{
        size_t i = get_global_id(0);
        out[i] = fract(p[i], whole + i); }}""").k(m.queue, a.shape, None, result, whole, m.buffer(a))
    one_below = np.nextafter(real(1), real(0))
    got, got_whole = m.read(result, real, a.size), m.read(whole, real, a.size)
    want, want_whole = np.where(a > 0, a, one_below), np.where(a > 0, real(0), real(-1))
    if not m.keeps_denormals(kind):
        # As of a zero.
        flushed = (got == 0) & (got_whole == 0)
        want, want_whole = np.where(flushed, got, want), np.where(flushed, got_whole, want_whole)
    check(got, want, a)
    check(got_whole, want_whole, a)


@pytest.mark.parametrize("function", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p",
                                      "cbrt", "trunc", "fabs", "sinpi", "tanpi", "asinpi", "atanpi"])
def test_functions_of_denormal_doubles(m, kind, function):
    """Functions that are their operand, or its product with pi, where it is tiny."""
    if kind != "double":
        pytest.skip("floats may be taken for zero")
    a, _ = operands(kind)
    a = a[np.abs(a) < np.finfo(float).tiny]
    got = run(m, kind, np.float64, f"{function}(a)", a, a)
    want = {"cbrt": np.cbrt, "trunc": np.trunc, "fabs": np.abs}.get(function, lambda a: a)(a)
    if "pi" in function:
        want = a * np.pi if function in ("sinpi", "tanpi") else a / np.pi
    off = np.abs(got.view(np.int64) - want.view(np.int64))
    assert (np.signbit(got) == np.signbit(want)).all() and off.max() <= 6, (a[off > 6][:5], got[off > 6][:5])


def test_remainders_of_denormal_doubles(m, kind):
    if kind != "double":
        pytest.skip("floats may be taken for zero")
    a, b = operands(kind)
    tiny = np.abs(a) < 16 * np.finfo(float).tiny
    a, b = a[tiny], b[tiny]
    with np.errstate(invalid="ignore"):
        check(run(m, kind, np.float64, "fmod(a, b)", a, b), np.fmod(a, b), a, b)
    finite = np.isfinite(b) & (b != 0)
    a, b = a[finite], b[finite]
    want = np.array([np.float64(math.remainder(x, y)) for x, y in zip(a, b)])
    check(run(m, kind, np.float64, "remainder(a, b)", a, b), want, a, b)
    check(run(m, kind, np.float64, "remquo(a, b, &quotient)", a, b, declared="int quotient;"), want, a, b)
    check(run(m, kind, np.float64, "modf(a, &whole)", a, b, declared="double whole;"), a, a)
