"""Every math function keeps the specification's error bound on this device, in float and double.

References are numpy's: double for float, the 80-bit long double for double. Denormal arguments and
results may be flushed (OpenCL C 7.5.3), so arguments are normal numbers, zeros, infinities and NaN,
and a denormal result may be 0.
"""

import math

import numpy as np
import pyopencl as cl
import pytest

PI = np.longdouble("3.14159265358979323846264338327950288")


def sinpi(x):
    y = np.fmod(x, 2)
    a = np.abs(y)
    fold = np.where(a > 1.5, a - 2, np.where(a > 0.5, 1 - a, a))
    return np.copysign(np.sin(fold * PI), np.where(fold == 0, x, y * fold))


def cospi(x):
    a = np.abs(np.fmod(x, 2))
    return sinpi(0.5 - np.minimum(a, 2 - a)) + 0.0


def exp10(x):
    return np.power(np.longdouble(10), x)


def by_element(function):
    def one(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:  # A pole: of gamma at 0 one with a sign.
            if function is math.lgamma:
                return math.inf
            return math.copysign(math.inf, x) if x == 0 else math.nan
    return lambda x: np.array([one(float(v)) for v in x], dtype=np.longdouble)


def powr(x, y):
    undefined = (x < 0) | ((y == 0) & ((x == 0) | np.isinf(x))) | ((x == 1) & np.isinf(y))
    return np.where(undefined | np.isnan(x) | np.isnan(y), np.nan, np.power(np.abs(x), y))


# Name: (bound in ulp, reference, ordinary arguments from, to). The bounds are those of OpenCL C 7.4.
UNARY = {
    "acos": (4, np.arccos, -1, 1), "acosh": (4, np.arccosh, 1, 5),
    "acospi": (5, lambda x: np.arccos(x) / PI, -1, 1), "asin": (4, np.arcsin, -1, 1),
    "asinh": (4, np.arcsinh, -4, 4), "asinpi": (5, lambda x: np.arcsin(x) / PI, -1, 1),
    "atan": (5, np.arctan, -4, 4), "atanh": (5, np.arctanh, -1, 1),
    "atanpi": (5, lambda x: np.arctan(x) / PI, -4, 4), "cbrt": (2, np.cbrt, -9, 9),
    "ceil": (0, np.ceil, -9, 9), "cos": (4, np.cos, -20, 20), "cosh": (4, np.cosh, -4, 4),
    "cospi": (4, cospi, -5, 5), "exp": (3, np.exp, -80, 80), "exp2": (3, np.exp2, -120, 120),
    "exp10": (3, exp10, -36, 38), "expm1": (3, np.expm1, -3, 3), "fabs": (0, np.abs, -9, 9),
    "floor": (0, np.floor, -9, 9), "log": (3, np.log, 0.1, 10), "log2": (3, np.log2, 0.1, 10),
    "log10": (3, np.log10, 0.1, 10), "log1p": (2, np.log1p, -1, 3), "rint": (0, np.rint, -9, 9),
    "round": (0, lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), -9, 9),
    "rsqrt": (2, lambda x: 1 / np.sqrt(x), 0, 9), "sin": (4, np.sin, -20, 20),
    "sinh": (4, np.sinh, -4, 4), "sinpi": (4, sinpi, -5, 5), "sqrt": (3, np.sqrt, 0, 9),
    "tan": (5, np.tan, -20, 20), "tanh": (5, np.tanh, -3, 3), "trunc": (0, np.trunc, -9, 9),
}
# The references of these are only double, so they judge float alone.
FLOAT_ONLY = {
    "erf": (16, by_element(math.erf), -5, 5), "erfc": (16, by_element(math.erfc), -5, 9),
    "tgamma": (16, by_element(math.gamma), 0.1, 34),
    "lgamma": (64, by_element(math.lgamma), 3, 1000),
}
BINARY = {
    "atan2": (6, np.arctan2, -4, 4), "atan2pi": (6, lambda y, x: np.arctan2(y, x) / PI, -4, 4),
    "copysign": (0, np.copysign, -9, 9), "fdim": (0.5, lambda x, y: np.where(
        np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0)), -9, 9),
    "fmod": (0, np.fmod, -99, 99), "hypot": (4, np.hypot, -9, 9),
    "pow": (16, np.power, 0.1, 12), "powr": (16, powr, 0.1, 12),
    "nextafter": (0, None, -9, 9),
}


def arguments(dtype, low, high, seed):
    """Ordinary numbers, any normal numbers, and special ones."""
    random = np.random.default_rng(seed)
    info = np.finfo(dtype)
    ordinary = random.uniform(low, high, 3000).astype(dtype)
    exponents = random.uniform(info.minexp + 1, info.maxexp - 1, 1000).astype(dtype)
    wide = np.exp2(exponents) * random.choice([-1, 1], 1000).astype(dtype)
    special = np.array([0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 8, 1e9, info.max, info.tiny, np.inf, np.nan])
    special = np.concatenate([special, -special]).astype(dtype)
    return np.concatenate([np.where(ordinary == 0, dtype(1), ordinary), wide, special])


def ulps(got, want):
    """Distances from the wanted values in units in the last place of the type of `got`."""
    info = np.finfo(got.dtype)
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
        exponent = np.maximum(np.frexp(want)[1] - 1, info.minexp)
        unit = np.ldexp(np.longdouble(1), exponent - info.nmant)
        # An infinity stands for the number after the largest one.
        after = np.copysign(np.ldexp(np.longdouble(1), info.maxexp), got)
        error = np.abs(np.where(np.isinf(got), after, got.astype(np.longdouble)) - want) / unit
        exact = np.abs(want - rounded.astype(np.longdouble)) / unit
        error = np.where(same, np.where(np.isfinite(exact), exact, 0), error)
        flushed = (got == 0) & (np.abs(want) < info.tiny)
    return np.where(flushed, 0, np.where(np.isnan(error), np.inf, error))


def run(machine, dtype, name, *args):
    ty = {np.float32: "float", np.float64: "double"}[dtype]
    params = "".join(f"global const {ty} *a{i}, " for i in range(len(args)))
    values = ", ".join(f"a{i}[g]" for i in range(len(args)))
    program = machine.build(f"""
        kernel void k({params}global {ty} *out) {{
            size_t g = get_global_id(0);
            out[g] = {name}({values});
        }}""")
    out = np.empty_like(args[0])
    buffers = [machine.buffer(arg) for arg in args]
    result = machine.buffer(out)
    program.k(machine.queue, out.shape, None, *buffers, result)
    return machine.read(result, out.dtype, out.shape)


def judge(machine, dtype, name, entry, args):
    bound, reference = entry[:2]
    if name == "sqrt" and dtype is np.float64:
        bound = 0.5
    got = run(machine, dtype, name, *args)
    with np.errstate(all="ignore"):
        if reference is None:
            want = np.nextafter(*args).astype(np.longdouble)
        else:
            want = np.asarray(reference(*(arg.astype(np.longdouble) for arg in args)))
    error = ulps(got, want)
    # Half an ulp is rounding, in functions that round at all.
    worst = int(np.argmax(error))
    at = ", ".join(repr(arg[worst]) for arg in args)
    message = f"{name}({at}) = {got[worst]!r}, not {want[worst]!r}: {error[worst]} ulp"
    assert error[worst] <= max(bound, 0.501), message


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*UNARY, *FLOAT_ONLY])
def test_functions_of_one_argument(m, name, dtype):
    if name in FLOAT_ONLY and dtype is np.float64:
        pytest.skip("no reference is precise enough")
    entry = UNARY.get(name) or FLOAT_ONLY[name]
    args = arguments(dtype, *entry[2:], seed=1)
    if name == "lgamma":  # It has no bound; near its zeros, which are negative, it is not relative.
        args = np.abs(args)
    judge(m, dtype, name, entry, [args])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_arguments(m, name, dtype):
    entry = BINARY[name]
    x = arguments(dtype, *entry[2:], seed=2)
    y = np.random.default_rng(3).permutation(arguments(dtype, *entry[2:], seed=4))
    judge(m, dtype, name, entry, [x, y])


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("width", [2, 3, 4])
def test_normalize_of_any_vector(m, width):
    """normalize neither overflows nor loses what is small beside the rest (OpenCL C 7.5.1)."""
    random = np.random.default_rng(5)
    exponents = random.uniform(-125, 127, (4000, 4)).astype(np.float32)
    x = (np.exp2(exponents) * random.choice([-1, 1], (4000, 4))).astype(np.float32)
    x[0] = 0
    x[:, width:] = 0
    program = m.build(f"""
        kernel void k(global const float *a, global float *out) {{
            size_t g = get_global_id(0);
            float{width} v = normalize(vload{width}(0, a + 4 * g));
            vstore{width}(v, 0, out + 4 * g);
        }}""")
    result = m.buffer(np.zeros_like(x))
    program.k(m.queue, (len(x),), None, m.buffer(x), result)
    got = m.read(result, x.dtype, x.shape)
    wide = x.astype(np.longdouble)
    length = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    error = ulps(got, wide / np.where(length == 0, 1, length))
    worst = np.unravel_index(np.argmax(error), error.shape)
    assert error[worst] <= 2 + width, f"{x[worst[0]]} gives {got[worst[0]]}: {error[worst]} ulp"


def test_normalize_of_infinities(m):
    x = np.array([[INF, 1], [-INF, INF], [NAN, INF], [1, NAN], [-0.0, -INF]], np.float32)
    want = np.array([[1, 0], [-0.5 ** 0.5, 0.5 ** 0.5], [NAN, NAN], [NAN, NAN], [-0.0, -1]])
    program = m.build("""
        kernel void k(global const float2 *a, global float2 *out) {
            out[get_global_id(0)] = normalize(a[get_global_id(0)]);
        }""")
    result = m.buffer(np.zeros_like(x))
    program.k(m.queue, (len(x),), None, m.buffer(x), result)
    got = m.read(result, x.dtype, x.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    assert np.signbit(got[4]).all()


def test_fast_geometry(m):
    x = np.random.default_rng(6).uniform(-9, 9, (500, 4)).astype(np.float32)
    x[7] = 0
    program = m.build("""
        kernel void k(global const float4 *a, global float4 *unit, global float2 *scalars) {
            size_t g = get_global_id(0);
            unit[g] = fast_normalize(a[g]);
            scalars[g] = (float2)(fast_length(a[g]), fast_distance(a[g], (float4)(1, 2, 3, 4)));
        }""")
    unit, scalars = m.buffer(np.zeros_like(x)), m.buffer(np.zeros((500, 2), np.float32))
    program.k(m.queue, (len(x),), None, m.buffer(x), unit, scalars)
    length = np.linalg.norm(x, axis=1)
    want = x / np.where(length == 0, 1, length)[:, None]
    np.testing.assert_allclose(m.read(unit, x.dtype, x.shape), want, rtol=1e-3)
    distance = np.linalg.norm(x - np.array([1, 2, 3, 4], np.float32), axis=1)
    got = m.read(scalars, x.dtype, (500, 2))
    np.testing.assert_allclose(got, np.stack([length, distance], axis=1), rtol=1e-3)


@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_relaxed_logarithms_of_denormals(m, name):
    """They are logarithms of the number; zero, to which a device may flush it, has none."""
    x = np.array([2.0 ** -126, 0.125, 3e38], np.float32)
    if m.device.single_fp_config & cl.device_fp_config.DENORM:
        x = np.append(x, np.array([2.0 ** -141, 2.0 ** -127, 1e-40], np.float32))
    program = m.build(f"""
        kernel void k(global const float *a, global float *out) {{
            out[get_global_id(0)] = {name}(a[get_global_id(0)]);
        }}""", options=["-cl-fast-relaxed-math"])
    result = m.buffer(np.zeros_like(x))
    program.k(m.queue, x.shape, None, m.buffer(x), result)
    got = m.read(result, x.dtype, x.shape)
    np.testing.assert_allclose(got, getattr(np, name)(x.astype(np.float64)), rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fract_of_special_numbers(m, dtype):
    """Zeros and infinities keep their sign, NaN stays, and nothing rounds up to 1 (OpenCL C 7.5.1)."""
    if dtype == np.float64 and "cl_khr_fp64" not in m.device.extensions:
        pytest.skip("no double")
    one_below = np.nextafter(dtype(1), dtype(0))
    cases = [
        (0.0, 0.0, 0.0), (-0.0, -0.0, -0.0), (np.inf, 0.0, np.inf), (-np.inf, -0.0, -np.inf), (np.nan, np.nan, np.nan),
        (-1e-30, one_below, -1.0), (3.0, 0.0, 3.0), (-3.0, 0.0, -3.0), (-2.5, 0.5, -3.0), (1e30, 0.0, 1e30),
    ]
    x, fraction, whole = np.array(cases, dtype).T.copy()
    kind = {np.float32: "float", np.float64: "double"}[dtype]
    results = m.empty(x.nbytes), m.empty(x.nbytes)
    m.build(f"""kernel void k(global {kind} *out, global {kind} *whole, global const {kind} *p) {{
        size_t i = get_global_id(0);
        out[i] = fract(p[i], whole + i); }}""").k(m.queue, x.shape, None, *results, m.buffer(x))
    for result, want in zip(results, (fraction, whole)):
        got = m.read(result, dtype, x.size)
        np.testing.assert_array_equal(got, want)
        numbers = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(want)[numbers])


@pytest.mark.parametrize("name", ["half_sin", "half_cos", "half_tan"])
def test_half_trigonometry(m, name):
    """Below 8192 ulp for arguments within 2^16 (OpenCL C 6.15.2), those beside multiples of pi / 2, too."""
    rng = np.random.default_rng(5)
    beside = (np.arange(-41721, 41722) * (np.pi / 2)).astype(np.float32)
    spread = np.float32(65536) * rng.uniform(-1, 1, 1 << 16).astype(np.float32)
    small = np.ldexp(rng.uniform(-1, 1, 1 << 12), rng.integers(-126, 0, 1 << 12)).astype(np.float32)
    x = np.concatenate([beside, spread, small, np.float32([0.0, -0.0])])
    got = run(m, np.float32, name, x)
    want = getattr(np, name[5:])(x.astype(np.longdouble))
    assert ulps(got, want).max() < 8192
    np.testing.assert_array_equal(np.signbit(got[-2:]), np.signbit(want[-2:]))
    if name != "half_cos":
        assert np.isnan(run(m, np.float32, name, np.float32([np.nan, np.inf]))).all()
