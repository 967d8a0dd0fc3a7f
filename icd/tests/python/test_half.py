"""Half arithmetic (cl_khr_fp16) against numpy's float16: on all halves where one argument is enough."""

from fractions import Fraction

import numpy as np
import pyopencl as cl
import pytest

ALL = np.arange(65536, dtype=np.uint16).view(np.float16)
FINITE = ALL[np.isfinite(ALL)]


@pytest.fixture(autouse=True)
def only_where_offered(m):
    """Everywhere else the extension, its macro and its type are absent together."""
    if "cl_khr_fp16" in m.device.extensions:
        return
    assert m.device.half_fp_config == 0 and m.device.preferred_vector_width_half == 0
    with pytest.raises(cl.RuntimeError, match="half"):
        cl.Program(m.context, """
            #ifdef cl_khr_fp16
            #error "the macro is there without the extension"
            #endif
            kernel void k(global half *p) { p[0] = p[1] + p[2]; }""").build()
    pytest.skip("no cl_khr_fp16")


def test_what_the_device_says(m):
    config = m.device.half_fp_config
    nearest, inf_nan = cl.device_fp_config.ROUND_TO_NEAREST, cl.device_fp_config.INF_NAN
    assert config & nearest and config & inf_nan
    assert m.device.preferred_vector_width_half > 0


def run(m, body, *arrays, out=np.float16, count=1):
    """`body` gives `count` results for the halves a, b, c; one row of results for each."""
    size = len(arrays[0])
    params = "".join(f", global const half *p{i}" for i in range(len(arrays)))
    loads = "".join(f" half {'abc'[i]} = p{i}[i];" for i in range(len(arrays)))
    name = {np.float16: "half", np.int32: "int", np.float32: "float", np.int16: "short",
            np.uint8: "uchar", np.int64: "long"}[out]
    source = f"""
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(global {name} *out{params}) {{
        size_t i = get_global_id(0), n = get_global_size(0);{loads}
        {body}
    }}"""
    result = m.empty(size * count * np.dtype(out).itemsize)
    m.build(source).k(m.queue, (size,), None, result, *map(m.buffer, arrays))
    return m.read(result, out, (count, size))


def equal(got, expected):
    expected = expected.astype(got.dtype)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    bad = np.flatnonzero(~same)
    assert bad.size == 0, [(i, got[i], expected[i]) for i in bad[:5]]


def same_sign(got, expected, where=True):
    """Equal, zeros with their signs; what is not a number has none."""
    numbers = ~np.isnan(expected) & where
    equal(got[numbers].view(np.uint16), expected[numbers].astype(np.float16).view(np.uint16))


def normal(x):
    """Denormals, which a device may flush, as zeros of their sign."""
    return np.where(np.abs(x) < 2.0**-14, np.copysign(np.float16(0), x), x).astype(np.float16)


@pytest.fixture
def abc(rng):
    """All halves but denormals, in three orders."""
    halves = normal(ALL)
    return halves, rng.permutation(halves), rng.permutation(halves)


@np.errstate(all="ignore")
def test_arithmetic_is_correctly_rounded(m, abc):
    a, b, _ = abc
    add, sub, mul, neg = run(
        m, "out[i] = a + b; out[n + i] = a - b; out[2 * n + i] = a * b; out[3 * n + i] = -a;",
        a, b, count=4)
    equal(normal(add), normal(a + b))
    equal(normal(sub), normal(a - b))
    equal(normal(mul), normal(a * b))
    same_sign(neg, -a)


@np.errstate(all="ignore")
def test_division_and_roots(m, abc):
    a, b, _ = abc
    quotient, root, inverse = run(
        m, "out[i] = a / b; out[n + i] = sqrt(a); out[2 * n + i] = rsqrt(a);", a, b, count=3)
    wide = a.astype(np.float64)
    for got, exact in [(quotient, wide / b.astype(np.float64)), (root, np.sqrt(wide)),
                       (inverse, 1 / np.sqrt(wide))]:
        within(got, exact, 1)


def within(got, exact, ulp):
    """Errors in units of the last place of a half."""
    rounded = exact.astype(np.float16)
    finite = np.isfinite(rounded) & (np.abs(exact) >= 2.0**-14)
    unit = np.spacing(np.abs(rounded[finite])).astype(np.float64)
    error = np.abs(got[finite].astype(np.float64) - exact[finite]) / unit
    assert not error.size or error.max() <= ulp, error.max()
    equal(np.isnan(got), np.isnan(exact))
    infinite = np.isinf(exact)
    equal(got[infinite], rounded[infinite])


def nearest(exact):
    """A fraction as the nearest half: through the double whose last bit tells of what it lost."""
    double = float(exact)
    if Fraction(double) != exact:
        bits = np.float64(double).view(np.int64)
        if bits & 1 == 0:
            bits += 1 if (exact > Fraction(double)) == (double > 0) else -1
        double = bits.view(np.float64)
    return np.float64(double).astype(np.float16)


@np.errstate(all="ignore")
def test_fma_rounds_once(m, rng):
    a, b = (rng.choice(FINITE, 20000) for _ in range(2))
    # Addends near the product and near half a unit of it, where rounding twice goes wrong.
    c = (a.astype(np.float32) * b.astype(np.float32) * 2.0 ** rng.integers(-14, 14, 20000))
    c = normal(np.where(np.isfinite(c.astype(np.float16)), c, 1).astype(np.float16))
    a, b = normal(a), normal(b)
    got = run(m, "out[i] = fma(a, b, c);", a, b, c)[0]
    expected = np.array([nearest(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)))
                         for x, y, z in zip(a, b, c)], np.float16)
    equal(normal(got), normal(expected))


@np.errstate(all="ignore")
def test_nextafter_and_parts_of_numbers(m, abc):
    a, b, _ = abc
    got = run(m, """
        half whole, f; int e;
        out[i] = nextafter(a, b); f = fract(a, &whole); out[n + i] = f; out[2 * n + i] = whole;
        f = modf(a, &whole); out[3 * n + i] = f; out[4 * n + i] = whole;
        f = frexp(a, &e); out[5 * n + i] = ldexp(f, isfinite(a) ? e : 0);
        out[6 * n + i] = copysign(a, b);""", a, b, count=7)
    equal(normal(got[0]), normal(np.nextafter(a, b)))
    floor = np.floor(a)
    inf = np.isinf(a)
    equal(got[1], np.where(inf, np.copysign(np.float16(0), a),
                           np.minimum(a.astype(np.float64) - floor, 1 - 2.0**-11)))
    equal(got[2], floor)
    part, whole = np.modf(a)
    equal(got[3], part)
    equal(got[4], whole)
    equal(got[5], a)
    same_sign(got[6], np.where(np.isnan(b), a, np.copysign(a, b)), ~np.isnan(b))


# Function, numpy's, and the most units in the last place that table 42 of the extension allows.
FUNCTIONS = [("sin", np.sin, 2), ("cos", np.cos, 2), ("tan", np.tan, 2), ("exp", np.exp, 2),
             ("exp2", np.exp2, 2), ("log", np.log, 2), ("log2", np.log2, 2), ("log10", np.log10, 2),
             ("atan", np.arctan, 2), ("asin", np.arcsin, 2), ("acos", np.arccos, 2),
             ("sinh", np.sinh, 2), ("tanh", np.tanh, 2), ("cbrt", np.cbrt, 2), ("floor", np.floor, 0),
             ("rint", np.rint, 0), ("degrees", np.degrees, 2), ("radians", np.radians, 2)]


@np.errstate(all="ignore")
@pytest.mark.parametrize("name, exact, ulp", FUNCTIONS, ids=[name for name, _, _ in FUNCTIONS])
def test_functions_of_every_half(m, name, exact, ulp):
    halves = normal(ALL)
    within(run(m, f"out[i] = {name}(a);", halves)[0], exact(halves.astype(np.float64)), ulp)


@np.errstate(all="ignore")
def test_relations(m, abc):
    a, b, _ = abc
    got = run(m, """
        out[i] = a < b; out[n + i] = a == b; out[2 * n + i] = isgreater(a, b);
        out[3 * n + i] = isnan(a); out[4 * n + i] = isinf(a); out[5 * n + i] = isnormal(a);
        out[6 * n + i] = signbit(a); out[7 * n + i] = isunordered(a, b); out[8 * n + i] = !a;
        out[9 * n + i] = (isless((half2)(a, b), (half2)(b, a)).x) == -1;""",
              a, b, out=np.int32, count=10)
    normals = np.isfinite(a) & (np.abs(a) >= 2.0**-14)
    unordered = np.isnan(a) | np.isnan(b)
    expected = [a < b, a == b, a > b, np.isnan(a), np.isinf(a), normals, np.signbit(a), unordered,
                a == 0, a < b]
    for row, want in zip(got, expected):
        equal(row != 0, want)


@np.errstate(all="ignore")
def test_conversions(m, rng):
    floats = np.concatenate([ALL.astype(np.float32), rng.standard_normal(30000).astype(np.float32)
                             * 2.0 ** rng.integers(-12, 17, 30000).astype(np.float32)])
    source = """
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(global const float *in, global half *out, global int *ints) {
        size_t i = get_global_id(0), n = get_global_size(0); float x = in[i];
        out[i] = x; out[n + i] = convert_half_rtz(x); out[2 * n + i] = convert_half_rtp(x);
        out[3 * n + i] = convert_half_rtn(x); out[4 * n + i] = (half)(int)x;
        ints[i] = convert_int_sat((half)x); ints[n + i] = convert_uchar_sat_rte((half)x);
    }"""
    n = len(floats)
    out, ints = m.empty(10 * n), m.empty(8 * n)
    m.build(source).k(m.queue, (n,), None, m.buffer(floats), out, ints)
    out, ints = m.read(out, np.float16, (5, n)), m.read(ints, np.int32, (2, n))
    near = floats.astype(np.float16)
    wide, back = floats.astype(np.float64), near.astype(np.float64)
    down = np.where(back > wide, np.nextafter(near, np.float16(-np.inf)), near)
    up = np.where(back < wide, np.nextafter(near, np.float16(np.inf)), near)
    equal(normal(out[0]), normal(near))
    equal(normal(out[1]), normal(np.where(wide < 0, up, down)))
    equal(normal(out[2]), normal(up))
    equal(normal(out[3]), normal(down))
    small = np.abs(wide) < 2.0**31
    equal(out[4][small], np.trunc(wide[small]).astype(np.float16))
    limit = np.clip(np.nan_to_num(np.trunc(back), nan=0), -2.0**31, 2.0**31 - 1)
    equal(ints[0].astype(np.float64), limit)
    equal(ints[1], np.clip(np.nan_to_num(np.rint(back), nan=0), 0, 255).astype(np.int32))


def test_vectors_literals_memory(m):
    source = r"""
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    #ifndef cl_khr_fp16
    #error "the macro is missing"
    #endif
    struct pair { char tag; half x; half2 v; };
    constant half table[3] = { 1.5h, -2.0h, HALF_MAX };
    half twice(half x) { return 2 * x; }
    kernel void k(half scale, half4 add, global half *out, local half *scratch) {
        int i = get_local_id(0);
        half4 v = (half4)(1.0h, 2.0h, 3.0h, 4.0h) * scale + add;
        scratch[i] = v.s3 + i;
        private half array[4]; vstore4(v, 0, array);
        struct pair p = { 1, table[i % 3], v.xy };
        barrier(CLK_LOCAL_MEM_FENCE);
        out[8 * i] = scratch[1 - i]; out[8 * i + 1] = array[i + 1]; out[8 * i + 2] = p.x;
        out[8 * i + 3] = p.v.y; out[8 * i + 4] = twice(v.x);
        out[8 * i + 5] = as_half((ushort)0x3c01); out[8 * i + 6] = dot(v, v) / 16;
        out[8 * i + 7] = vload2(0, array).y + shuffle(v, (ushort4)(3)).x;
    }"""
    out = m.empty(32)
    add = np.array([0.5, 0.25, 0, 0], np.float16)
    m.build(source).k(m.queue, (2,), (2,), np.float16(0.5), add, out, cl.LocalMemory(4))
    v = np.array([1, 2, 3, 4], np.float16) * np.float16(0.5) + add
    expected = []
    for i in range(2):
        expected += [v[3] + (1 - i), v[i + 1], [1.5, -2][i], v[1], 2 * v[0], 1 + 2.0**-10,
                     np.float16((v.astype(np.float64)**2).sum()) / 16, v[1] + v[3]]
    equal(m.read(out, np.float16, 16), np.array(expected))


def test_printf_of_halves(m, capfd):
    m.build(r"""
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void k(half x, half4 v) { printf("%g %.2f %v4hg %a\n", x, x, v, x); }""").k(
        m.queue, (1,), None, np.float16(1.5), np.array([1, 2, 3, 65504], np.float16))
    m.queue.finish()
    assert capfd.readouterr().out == "1.5 1.50 1,2,3,65504 0x1.8p+0\n"
