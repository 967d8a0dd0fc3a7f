"""Exact operations of doubles, computed in a process of its own: `python soft_doubles.py FILE` writes what the device gives for
each pair of operands as arrays by operation, or nothing where it has no doubles."""

import sys

import numpy as np
import pyopencl as cl

INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
MODES = ["", "_rte", "_rtz", "_rtp", "_rtn"]
UNARY = ["-a", "fabs(a)", "sqrt(a)", "floor(a)", "ceil(a)", "trunc(a)", "rint(a)", "round(a)", "logb(a)",
         "modf(a, &d)", "(modf(a, &d), d)", "frexp(a, &i)", "ldexp(a, (int)(n & 0xfff) - 2048)", "fract(a, &d)"]
BINARY = ["a + b", "a - b", "a * b", "a / b", "fma(a, b, c)", "fma(a, b, -(a * b))", "fmin(a, b)", "fmax(a, b)",
          "fmod(a, b)", "remainder(a, b)", "remquo(a, b, &i)", "nextafter(a, b)", "copysign(a, b)", "fdim(a, b)",
          "maxmag(a, b)", "minmag(a, b)", "a < b ? a : b", "select(a, b, n)", "bitselect(a, b, c)",
          "dot((double2)(a, b), (double2)(b, a))", "as_double(as_long(a) ^ 1)"]
TESTS = ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "islessgreater(a, b)", "isunordered(a, b)", "isnan(a)",
         "isinf(a)", "isnormal(a)", "isfinite(a)", "signbit(a)", "ilogb(a)", "!a", "a && b", "(int)(a != a)",
         "(frexp(a, &i), i)", "(remquo(a, b, &i), i)"]


def expressions():
    """Types of results and what gives them."""
    for one in UNARY + BINARY:
        yield "double", one
    for one in TESTS:
        yield "int", one
    for mode in MODES:
        for name in INTEGERS:
            yield name, f"convert_{name}_sat{mode}(a)"
        yield "float", f"convert_float{mode}(a)"
        yield "double", f"convert_double{mode}(n)"
        yield "double", f"convert_double{mode}((ulong)n)"
        yield "double", f"convert_double{mode}((int)n)"
        yield "double", f"convert_double{mode}((uint)n)"
        yield "double", f"convert_double{mode}((short)n)"
    yield "double", "as_float((int)n)"
    yield "float", "(float)a"


def operands():
    """Numbers of all exponents, those where rounding is decided by little, and special ones."""
    random = np.random.default_rng(64)
    count = 1 << 14
    near = [0, 1, 2, 51, 52, 53, 54, 511, 512, 896, 897, 1022, 1023, 1024, 1075, 1076, 1086, 1151, 2045, 2046]
    near = np.array(near, np.uint64)
    exponents = np.stack([random.integers(0, 2048, (3, count)), random.integers(990, 1100, (3, count)),
                          near[random.integers(0, near.size, (3, count))]]).astype(np.uint64)
    exponents = exponents[random.integers(0, 3, count), :, np.arange(count)].T
    fractions = random.integers(0, 1 << 52, (3, count)).astype(np.uint64)
    short = np.uint64((1 << 52) - 1) << random.integers(0, 53, (3, count)).astype(np.uint64) & np.uint64((1 << 52) - 1)
    fractions = np.where(random.integers(0, 2, (3, count)) == 0, fractions, fractions & short)
    signs = random.integers(0, 2, (3, count)).astype(np.uint64) << np.uint64(63)
    values = (exponents << np.uint64(52) | fractions | signs).view(np.float64)
    special = np.array([0.0, 1.0, 0.5, 1.5, 2.5, np.nextafter(0, 1), 2.0**-1022, np.finfo(float).max, np.inf, np.nan, 2.0**31,
                        2.0**63, 2.0**64, 127.5, 255.5, 2.0**53 + 2])
    special = np.concatenate([special, -special])
    a, b = (grid.ravel() for grid in np.meshgrid(special, special))
    pairs = np.stack([a, b, random.permutation(a)])
    # Products of half a unit of the addend and 2^-78 of that, which decides how their sum is rounded.
    near_half, powers = slice(count // 8, count // 4), random.integers(-900, 900, count // 8)
    values[0, near_half] = (1 + 2.0**-26) * random.choice([-1, 1], count // 8)
    values[1, near_half] = np.ldexp(1 - 2.0**-26 + 2.0**-52, powers - 53)
    values[2, near_half] = np.ldexp(1 + random.integers(0, 1 << 52, count // 8) * 2.0**-52, powers)
    # Operands that all but cancel.
    with np.errstate(all="ignore"):
        values[1, : count // 8] = -np.nextafter(values[0, : count // 8], values[2, : count // 8])
    return np.ascontiguousarray(np.concatenate([values, pairs], axis=1))


def integers(count):
    random = np.random.default_rng(65)
    return (random.integers(-(1 << 63), 1 << 63, count) >> random.integers(0, 64, count)).astype(np.int64)


def compute(file):
    [platform] = cl.get_platforms()
    [device, *_] = platform.get_devices()
    if "cl_khr_fp64" not in device.extensions:
        return
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    (a, b, c), flags = operands(), cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    n = integers(a.size)
    buffers = [cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(one)) for one in (a, b, c, n)]
    types = {"double": np.uint64, "float": np.uint32, "char": np.int8, "uchar": np.uint8, "short": np.int16,
             "ushort": np.uint16, "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64}
    results = {}
    every = list(expressions())
    for first in range(0, len(every), 12):
        some = every[first : first + 12]
        text = "".join(f"""
            kernel void k{number}(global const double *p, global const double *q, global const double *r, global const long *s,
                                  global {ty} *out) {{
                size_t g = get_global_id(0);
                double a = p[g], b = q[g], c = r[g], d = 0; long n = s[g]; int i = 0;
                {ty} result = {expression};
                out[g] = result;
            }}""" for number, (ty, expression) in enumerate(some))
        program = cl.Program(context, "#pragma OPENCL FP_CONTRACT OFF\n" + text).build()
        for number, (ty, expression) in enumerate(some):
            out = np.empty(a.size, types[ty])
            result = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, out.nbytes)
            getattr(program, f"k{number}")(queue, a.shape, None, *buffers, result)
            cl.enqueue_copy(queue, out, result)
            results[f"{ty}: {expression}"] = out
    np.savez(file, **results)


if __name__ == "__main__":
    compute(sys.argv[1])
