"""Contraction (C99 6.5 p8): a product may be rounded with the sum that it is part of, once, but only within one
expression, and not where FP_CONTRACT is OFF."""

from fractions import Fraction

import numpy as np
import pyopencl as cl
import pytest

TYPES = {"float": np.float32, "double": np.float64, "half": np.float16}

# What may be contracted: (a, b, c) to a number that is rounded once; its parts rounded each.
MAY = {
    "a * b + c": (1, 1),
    "c + a * b": (1, 1),
    "a * b - c": (1, -1),
    "c - a * b": (-1, 1),
    "-(a * b) + c": (-1, 1),
    "-a * b - c": (-1, -1),
    "(T)(a) * b + c": (1, 1),
    "r += a * b": (1, 1),
    "r -= a * b": (-1, 1),
}

# What may not: the product is rounded in between.
MAY_NOT = {
    "T t = a * b; r = t + c;": (1, 1),
    "r = c; r = a * b; r = r - c;": (1, -1),
    "r = (T)(a * b) + c;": (1, 1),
    "r = product(a, b) + c;": (1, 1),
    "T t; r = (t = a * b) + c;": (1, 1),
    "T t = a; t *= b; r = c - t;": (-1, 1),
    "T t[2] = { a * b, c }; r = t[get_global_id(1)] + t[1];": (1, 1),
}


@pytest.fixture(params=TYPES)
def kind(request, m):
    needed = {"double": "cl_khr_fp64", "half": "cl_khr_fp16"}.get(request.param)
    if needed and needed not in m.device.extensions:
        pytest.skip(f"no {needed}")
    return request.param


def operands(real):
    """Numbers whose product is inexact, and such as cancel all of it but what rounding lost."""
    rng = np.random.default_rng(5)
    count = 2048
    a, b = (rng.uniform(1, 2, count).astype(real) for _ in range(2))
    c = (-(a * b)).astype(real)
    c[::3] = rng.uniform(-8, 8, len(c[::3])).astype(real)
    return a, b, c


def once(a, b, c, real):
    """a * b + c rounded once: to odd at twice the digits, then to nearest."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return real(nearest(exact, np.finfo(real).nmant))


def nearest(exact, digits):
    """The nearest number with as many digits behind the first, ties to even."""
    if exact == 0:
        return 0.0
    magnitude, exponent = abs(exact), 0
    while magnitude >= 2:
        magnitude, exponent = magnitude / 2, exponent + 1
    while magnitude < 1:
        magnitude, exponent = magnitude * 2, exponent - 1
    rounded = Fraction(round(magnitude * 2**digits), 2**digits) * Fraction(2) ** exponent
    return float(-rounded if exact < 0 else rounded)


def run(m, kind, statement, options=(), pragma="", lanes=1):
    real = TYPES[kind]
    a, b, c = operands(real)
    ty = kind if lanes == 1 else f"{kind}{lanes}"
    source = f"""
    #ifdef cl_khr_fp16
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    #endif
    {pragma}
    typedef {ty} T;
    T product(T a, T b) {{ return a * b; }}
    kernel void k(global T *out, global const T *pa, global const T *pb, global const T *pc) {{
        size_t i = get_global_id(0);
        T a = pa[i], b = pb[i], c = pc[i], r = c;
        {statement}
        out[i] = r;
    }}"""
    result = m.empty(a.nbytes)
    m.build(source, options).k(m.queue, (len(a) // lanes,), None, result, *map(m.buffer, (a, b, c)))
    return m.read(result, real, len(a)), (a, b, c)


def both(numbers, signs, real):
    """The results with one rounding and with two. (Numbers that are denormal are let alone.)"""
    a, b, c = numbers
    product, addend = signs
    fused = np.array([once(product * x, y, addend * z, real) for x, y, z in zip(a, b, c)])
    return fused, (product * (a * b) + addend * c).astype(real)


def statement(expression):
    return f"{expression};" if "=" in expression else f"r = {expression};"


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
@pytest.mark.parametrize("expression", MAY)
def test_one_expression_is_rounded_once_or_twice(m, kind, expression, lanes):
    if lanes > 2 and not expression.startswith("c"):
        pytest.skip("alike")
    real = TYPES[kind]
    got, numbers = run(m, kind, statement(expression), lanes=lanes)
    fused, unfused = both(numbers, MAY[expression], real)
    small = np.abs(fused) < np.finfo(real).tiny
    assert ((got == fused) | (got == unfused) | small).all()
    # All alike: where the device has such an operation that is what is used, and if not then nowhere.
    differ = (fused != unfused) & ~small
    assert differ.any() and len(set(got[differ] == fused[differ])) == 1


@pytest.mark.parametrize("body", MAY_NOT)
def test_nothing_is_contracted_across_statements(m, kind, body):
    got, numbers = run(m, kind, body)
    assert (got == both(numbers, MAY_NOT[body], TYPES[kind])[1]).all()


@pytest.mark.parametrize("expression", MAY)
def test_nothing_is_contracted_where_that_is_off(m, kind, expression):
    real = TYPES[kind]
    for lanes in (1, 4):
        got, numbers = run(
            m, kind, statement(expression), pragma="#pragma OPENCL FP_CONTRACT OFF", lanes=lanes)
        assert (got == both(numbers, MAY[expression], real)[1]).all()
    # The pragma of a block holds for it alone; an option that allows more does not undo it.
    got, numbers = run(m, kind, "#pragma OPENCL FP_CONTRACT OFF\n" + statement(expression),
                       options=["-cl-mad-enable"])
    assert (got == both(numbers, MAY[expression], real)[1]).all()


@pytest.mark.parametrize("option", ["-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"])
@pytest.mark.parametrize("body", MAY_NOT)
def test_options_allow_more(m, kind, body, option):
    real = TYPES[kind]
    got, numbers = run(m, kind, body, options=[option])
    fused, unfused = both(numbers, MAY_NOT[body], real)
    assert ((got == fused) | (got == unfused) | (np.abs(fused) < np.finfo(real).tiny)).all()


def test_what_splits_numbers_is_exact(m, kind):
    """Dekker's product and Knuth's sum: errors are found exactly, if each statement is rounded."""
    real = TYPES[kind]
    # So large that no error is a denormal half.
    a, b = (8 * x for x in operands(real)[:2])
    digits = np.finfo(real).nmant + 1
    source = f"""
    #ifdef cl_khr_fp16
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    #endif
    typedef {kind} T;
    kernel void k(global T *high, global T *low, global const T *pa, global const T *pb, T splitter) {{
        size_t i = get_global_id(0);
        T a = pa[i], b = pb[i];
        T t = splitter * a, d = t - a, a1 = t - d, a2 = a - a1;
        t = splitter * b; d = t - b;
        T b1 = t - d, b2 = b - b1;
        T p = a * b, q = a1 * b1, e = q - p;
        q = a1 * b2; e = e + q;
        q = a2 * b1; e = e + q;
        q = a2 * b2; e = e + q;
        high[i] = p;
        low[i] = e;
    }}"""
    high, low = m.empty(a.nbytes), m.empty(a.nbytes)
    splitter = real(2 ** ((digits + 1) // 2) + 1)
    m.build(source).k(m.queue, (len(a),), None, high, low, m.buffer(a), m.buffer(b), splitter)
    high, low = m.read(high, real, len(a)), m.read(low, real, len(a))
    assert (high == a * b).all()
    exact = [Fraction(float(x)) * Fraction(float(y)) for x, y in zip(a, b)]
    assert all(Fraction(float(h)) + Fraction(float(e)) == z for h, e, z in zip(high, low, exact))
