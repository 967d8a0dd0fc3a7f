"""Cooperative matrices in OpenCL C (cl_khr_cooperative_matrix), against numpy: all products that the device computes, in
both layouts, with strides, in global and local memory; and what is done with the elements."""

import itertools

import numpy as np
import pyopencl as cl
import pytest
import raw
from matrices import DTYPES, group_size, is_listed, products

STD = ["-cl-std=CL3.0"]

HEAD = """
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable
#define SCOPE memory_scope_sub_group
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef {a} __attribute__((coop_mat(SCOPE, {m}, {k}, CLK_COOPERATIVE_MATRIX_A))) MatA;
typedef {b} __attribute__((coop_mat(SCOPE, {k}, {n}, CLK_COOPERATIVE_MATRIX_B))) MatB;
typedef {c} __attribute__((coop_mat(SCOPE, {m}, {n}, CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) MatC;
typedef {result} __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, {m}, {n},
                                         CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) MatD;
"""


@pytest.fixture(scope="module")
def listed(cl_machine):
    if not is_listed(cl_machine):
        pytest.skip("no matrices")
    # Those of bfloat16 are in test_matrices_bfloat16.py.
    return [p for p in products(cl_machine) if not p.has_bfloat16()]


@pytest.fixture(scope="module")
def size(cl_machine, listed):
    return group_size(cl_machine)


def head(product):
    return HEAD.format(**vars(product))


def draw(rng, shape, kind):
    """Small numbers, of which sums of products are exact."""
    low = 0 if np.issubdtype(DTYPES[kind], np.unsignedinteger) else -7
    return rng.integers(low, 8, shape).astype(DTYPES[kind])


def lay_out(matrix, layout, pad):
    """A matrix in memory, row by row or column by column, with `pad` elements behind each."""
    lines = matrix if layout == "ROWS" else matrix.T
    return np.pad(lines, ((0, 0), (0, pad)), constant_values=77)


def exact(kind):
    return np.float64 if np.issubdtype(DTYPES[kind], np.floating) else np.int64


@pytest.mark.parametrize("pad", [0, 16])
@pytest.mark.parametrize("layouts", ["RRRR", "CCCC", "RCRC", "CRCR"])
def test_products(m, rng, size, listed, layouts, pad):
    layouts = [{"R": "ROWS", "C": "COLUMNS"}[letter] for letter in layouts]
    for p in listed:
        shapes = [(p.m, p.k), (p.k, p.n), (p.m, p.n), (p.m, p.n)]
        strides = [(columns if layout == "ROWS" else rows) + pad for (rows, columns), layout in zip(shapes, layouts)]
        how = ", CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION" if p.saturates else ""
        source = head(p) + f"""
kernel void f(global const {p.a} *a, constant {p.b} *b, global {p.c} *c, global {p.result} *d, uint4 strides) {{
    MatA x; MatB y; MatD r;
    x = coop_mat_load(a, {layouts[0]}, strides.x);
    y = coop_mat_load(b, {layouts[1]}, strides.y);
    MatC z = coop_mat_load(c, {layouts[2]}, strides.z);
    r = coop_mat_mulAdd(x, y, z{how});
    coop_mat_store(d, r, {layouts[3]}, strides.w);
}}"""
        kernel = m.build(source, STD).f
        a, b, c = (draw(rng, shape, kind) for shape, kind in zip(shapes, (p.a, p.b, p.c)))
        wide = exact(p.result)
        expected = (a.astype(wide) @ b.astype(wide) + c.astype(wide)).astype(DTYPES[p.result])
        before = lay_out(np.full((p.m, p.n), 5, DTYPES[p.result]), layouts[3], pad)
        out = m.buffer(before)
        inputs = [m.buffer(lay_out(x, layout, pad)) for x, layout in zip((a, b, c), layouts)]
        kernel(m.queue, (size,), (size,), *inputs, out, np.array(strides, np.uint32))
        np.testing.assert_array_equal(m.read(out, before.dtype, before.shape), lay_out(expected, layouts[3], pad), str(p))


def run_one(m, rng, size, p, body, compute, before=""):
    """Compares what statements make of an accumulator `x` with what numpy does."""
    source = head(p) + f"""
typedef {p.result} T;
{before}
kernel void f(global T *in, global T *out) {{
    MatD x = coop_mat_load(in, ROWS, {p.n});
    {body}
    coop_mat_store(out, x, ROWS, {p.n});
}}"""
    kernel = m.build(source, STD).f
    x = draw(rng, (p.m, p.n), p.result)
    out = m.empty(x.nbytes)
    kernel(m.queue, (size,), (size,), m.buffer(x), out)
    np.testing.assert_array_equal(m.read(out, x.dtype, x.shape), compute(x), f"{p}: {body}")


def number(x, value):
    return x.dtype.type(value)


@pytest.mark.parametrize("body, compute", [
    ("MatD y = x + x; x = y - x * x;", lambda x: x + x - x * x),
    ("x = -x;", lambda x: -x),
    ("x = x * (T)3; x = 2 * x;", lambda x: x * number(x, 3) * number(x, 2)),
    ("x += x; x *= (T)2; MatD y = x; y -= x; x -= y;", lambda x: x * number(x, 4)),
    ("MatD y = coop_mat_init(4); x = x / y;",
     lambda x: x / number(x, 4) if np.issubdtype(x.dtype, np.floating) else np.trunc(x / 4).astype(x.dtype)),
    ("MatD y = coop_mat_init(4); x /= y; x = (x, y);", lambda x: np.full_like(x, 4)),
    ("MatD y; y = coop_mat_init(1); x = get_global_size(0) > 1000000 ? y : x;", lambda x: x),
    ("MatD y = coop_mat_init(1); x = get_global_size(0) < 1000000 ? y : x;", np.ones_like),
    ("MatD y[3] = { coop_mat_init(1), x }; x = y[0] + y[1] + y[2];", lambda x: x + number(x, 1)),
    ("MatD y[2][2]; for (int i = 0; i < 4; i++) y[i / 2][i % 2] = x;\n"
     "for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) x += y[i][j];", lambda x: x * number(x, 5)),
    ("for (uint i = 0; i < coop_mat_length(x); i++) x[i] += (T)1;", lambda x: x + number(x, 1)),
    ("for (uint i = 0; i < coop_mat_length(x); i++) { T e = x[i]; x[i] = e * e; }", lambda x: x * x),
    ("for (int i = 0; i < 3; i++) { if (i == 1) continue; x = x + x; }", lambda x: x * number(x, 4)),
    ("x = twice(x); x = twice(coop_mat_init(3)) + x;", lambda x: x + x + number(x, 6)),
    ("x = made();", lambda x: np.full_like(x, 2)),
    ("volatile int i = 0; if (i) x = coop_mat_init(7);", lambda x: x),
])
def test_values(m, rng, size, listed, body, compute):
    before = "MatD twice(MatD y) { return y + y; }\nMatD made(void) { return coop_mat_init(2); }"
    for p in listed:
        run_one(m, rng, size, p, body, compute, before)


def test_lengths_add_up(m, size, listed):
    for p, (kind, shape) in itertools.product(listed, [("MatA", "mk"), ("MatB", "kn"), ("MatC", "mn")]):
        source = head(p) + f"""
kernel void f(global uint *out) {{
    {kind} x = coop_mat_init(0);
    out[get_global_id(0)] = coop_mat_length(x);
}}"""
        out = m.empty(4 * size)
        m.build(source, STD).f(m.queue, (size,), (size,), out)
        assert m.read(out, np.uint32, size).sum() == getattr(p, shape[0]) * getattr(p, shape[1])


def test_conversions_keep_the_shape(m, rng, size, listed):
    shapes = {}
    for p in listed:
        shapes.setdefault((p.m, p.n), {})[p.result] = p
    for kinds in shapes.values():
        for a, b in itertools.permutations(kinds, 2):
            p = kinds[a]
            source = head(p) + f"""
typedef {b} __attribute__((coop_mat(SCOPE, {p.m}, {p.n}, CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) Other;
kernel void f(global {a} *in, global {b} *out) {{
    MatD x = coop_mat_load(in, ROWS, {p.n});
    Other y = (Other)x;
    coop_mat_store(out, y, ROWS, {p.n});
}}"""
            x = draw(rng, (p.m, p.n), a)
            x = abs(x) if np.issubdtype(DTYPES[b], np.unsignedinteger) else x
            out = m.empty(x.size * DTYPES[b]().itemsize)
            m.build(source, STD).f(m.queue, (size,), (size,), m.buffer(x), out)
            np.testing.assert_array_equal(m.read(out, DTYPES[b], x.shape), x.astype(DTYPES[b]))


@pytest.mark.parametrize("layout", ["ROWS", "COLUMNS"])
def test_local_memory(m, rng, size, listed, layout):
    for p in listed:
        stride, other = (p.n, p.m) if layout == "ROWS" else (p.m, p.n)
        body = f"""
    coop_mat_store(tile, x, {layout}, {stride});
    barrier(CLK_LOCAL_MEM_FENCE);
    x = coop_mat_load(tile, {'COLUMNS' if layout == 'ROWS' else 'ROWS'}, {other});"""
        source = head(p) + f"""
kernel void f(global {p.result} *in, global {p.result} *out) {{
    local {p.result} tile[{p.m * p.n}];
    MatD x = coop_mat_load(in, ROWS, {p.n});
    {body}
    coop_mat_store(out, x, ROWS, {p.n});
}}"""
        x = draw(rng, (p.m, p.n), p.result)
        flat = (x if layout == "ROWS" else x.T).ravel()
        expected = flat.reshape(p.n, p.m).T if layout == "ROWS" else flat.reshape(p.m, p.n)
        out = m.empty(x.nbytes)
        m.build(source, STD).f(m.queue, (size,), (size,), m.buffer(x), out)
        np.testing.assert_array_equal(m.read(out, x.dtype, x.shape), expected)


def test_vectors_fill_local_memory(m, rng, size, listed):
    """Local memory that vectors are stored to and matrices loaded from, one sub-group after the other."""
    for p in listed:
        count = p.m * p.n
        if count % 4:
            continue
        source = head(p) + f"""
typedef {p.result} T;
kernel void f(global const T *in, global T *out, local T *tile) {{
    for (int i = 4 * get_local_id(0); i < {count}; i += 4 * get_local_size(0))
        *(local {p.result}4 *)(tile + i) = *(global const {p.result}4 *)(in + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    MatD x = coop_mat_load(tile, ROWS, {p.n});
    coop_mat_store(out + {count} * get_sub_group_id(), x + x, ROWS, {p.n});
}}"""
        x = draw(rng, (p.m, p.n), p.result)
        out = m.empty(2 * x.nbytes)
        m.build(source, STD).f(m.queue, (2 * size,), (2 * size,), m.buffer(x), out, cl.LocalMemory(x.nbytes))
        np.testing.assert_array_equal(m.read(out, x.dtype, (2, *x.shape)), np.stack([x + x, x + x]))


MISTAKES = [
    ("typedef T __attribute__((coop_mat(0, M, N, 2))) X;", "invalid 'scope' argument of cooperative matrix attribute"),
    ("typedef T __attribute__((coop_mat(SCOPE, M, N, 9))) X;", "invalid 'use' argument of cooperative matrix attribute"),
    ("typedef T __attribute__((coop_mat(SCOPE, M, N))) X;", "'coop_mat' attribute requires exactly 4 arguments"),
    ("typedef bool __attribute__((coop_mat(SCOPE, M, N, 2))) X;", "'bool' is invalid cooperative matrix element type"),
    ("typedef T4 __attribute__((coop_mat(SCOPE, M, N, 2))) X;", "is invalid cooperative matrix element type"),
    ("typedef T __attribute__((coop_mat(SCOPE, 3, 5, 2))) X;", "with 3 rows and 5 columns for use Accumulator; it computes"),
    ("typedef T X __attribute__((coop_mat(SCOPE, M, N, 2)));", "must stand before the declarator"),
    ("struct s { MatD x; };", "type cannot be used to declare a structure or union field"),
    ("struct s { MatD x[2]; };", "type cannot be used to declare a structure or union field"),
    ("global MatD x;", "type cannot be used to declare a program scope variable"),
    ("void g(MatD *x);", "is invalid in OpenCL"),
    ("void g(MatD x[2]);", "is invalid in OpenCL"),
    ("kernel void g(MatD x) {}", "'MatD' cannot be used as the type of a kernel parameter"),
    ("kernel void g() { local MatD x; }", "can only be used with __private address space qualifier"),
    ("void g(MatD x) { (void)&x; }", "invalid argument type"),
    ("ulong g(MatD x) { return sizeof(x); }", "invalid application of 'sizeof' to a cooperative matrix type"),
    ("ulong g() { return sizeof(MatD[2]); }", "invalid application of 'sizeof' to a cooperative matrix type"),
    ("void g(global T *p) { float x; x = coop_mat_load(p, ROWS, 16); }", "should be assigned to cooperative matrix type"),
    ("void g(global T *p) { coop_mat_load(p, ROWS, 16); }", "should be assigned to cooperative matrix type variable"),
    ("void g(global T *p) { (void)coop_mat_init(1); }", "should be assigned to cooperative matrix type variable"),
    ("void g(global T *p) { MatD x = coop_mat_load(p, 9, 16); }", "memory layout for cooperative matrix load/store should"),
    ("void g(global T *p, MatD x) { coop_mat_store(p, x, 9, 16); }", "memory layout for cooperative matrix load/store"),
    ("void g(global T *p) { MatD x = coop_mat_load(p, ROWS, 1.5f); }", "stride argument for load/store of cooperative"),
    ("void g(global T *p) { MatD x = coop_mat_load(p, ROWS); }", "too few arguments to function call, expected 3, have 2"),
    ("void g(global T4 *p) { MatD x = coop_mat_load(p, ROWS, 16); }", "inconsistent between cooperative matrix element"),
    ("void g(int p) { MatD x = coop_mat_load(p, ROWS, 16); }", "first argument must be a pointer"),
    ("void g(private T *p) { MatD x = coop_mat_load(p, ROWS, 16); }", "are in global, local or constant memory"),
    ("void g(T *p) { MatD x = coop_mat_load(p, ROWS, 16); }", "are in global, local or constant memory"),
    ("void g(constant T *p, MatD x) { coop_mat_store(p, x, ROWS, 16); }", "read-only variable is not assignable"),
    ("void g(global T *p) { coop_mat_store(p, 1, ROWS, 16); }", "argument must be a valid cooperative matrix type"),
    ("void g(MatA a, MatB b) { MatD x = coop_mat_mulAdd(a, b, 1); }", "argument must be a valid cooperative matrix type"),
    ("void g(MatB b, MatC c) { MatD x = coop_mat_mulAdd(b, b, c); }", "must have 'CLK_COOPERATIVE_MATRIX_A' use"),
    ("void g(MatA a, MatC c) { MatD x = coop_mat_mulAdd(a, a, c); }", "must have 'CLK_COOPERATIVE_MATRIX_B' use"),
    ("void g(MatA a, MatB b) { coop_mat_mulAdd(a, b, a); }", "must have 'CLK_COOPERATIVE_MATRIX_ACCUMULATOR' use"),
    ("void g(MatA a, MatB b, MatC c) { MatD x = coop_mat_mulAdd(a, b, c, 16.2f); }", "fourth argument of 'coop_mat_mulAdd'"),
    ("void g(MatA a, MatB b, MatC c) { MatD x = coop_mat_mulAdd(a, b, c, 3); }", "fourth argument of 'coop_mat_mulAdd'"),
    ("void g(MatA a, MatD b) { b = a; }", "incompatible cooperative matrix types"),
    ("MatD g(MatA a) { return a; }", "incompatible cooperative matrix types"),
    ("void g(MatA a) { MatD b = (MatD)a; }", "incompatible cooperative matrix types"),
    ("void g(MatD a) { MatD b = (MatD)1; }", "incompatible cooperative matrix types"),
    ("void g(MatA a, MatD b) { b = b + a; }", "incompatible cooperative matrix types"),
    ("void g(MatD a) { a = a & a; }", "unsupported cooperative matrix binary operator"),
    ("void g(MatD a) { a %= a; }", "unsupported cooperative matrix binary operator"),
    ("void g(MatD a) { a <<= 1; }", "unsupported cooperative matrix binary operator"),
    ("void g(MatD a) { a = a / 2; }", "unsupported cooperative matrix scalar operator"),
    ("void g(MatD a) { a = a + (float2)(1, 2); }", "unsupported cooperative matrix scalar operator"),
    ("int g(MatD a) { return a == a; }", "invalid operands to binary expression"),
    ("int g(MatD a) { return !a; }", "invalid argument type"),
    ("void g(MatD a) { a++; }", "cannot increment value of type"),
    ("int g(MatD a) { return a ? 1 : 2; }", "statement requires expression of scalar type"),
    ("int g(MatD a) { return (int)a; }", "incompatible cooperative matrix types"),
    ("int g(MatD a) { return as_int(a); }", "invalid reinterpretation"),
    ("void g(MatD a) { a[1.5f] = 1; }", "array subscript is not an integer"),
    ("T g(MatD a) { return (a + a)[0]; }", "subscripted cooperative matrix is not a variable"),
    ("void g(MatD a) { printf(\"%f\", a); }", "cannot pass an object of type"),
    ("void g(MatD a) { void (^b)(void) = ^{ MatD c = a; }; b(); }", "a block cannot capture a cooperative matrix"),
    ("kernel void g(global T *p, int i) { MatD a[65]; a[i] = coop_mat_init(1);\n"
     "coop_mat_store(p, a[i + 1], ROWS, 16); }", "an array of more than 64 cooperative matrices is indexed"),
]


@pytest.mark.parametrize("source, text", MISTAKES)
def test_mistakes_are_errors_of_the_build(listed, source, text):
    p = listed[0]
    macros = f"#define M {p.m}\n#define N {p.n}\ntypedef {p.result} T;\ntypedef {p.result}4 T4;\n"
    built, log = raw.Builder().build((head(p) + macros + source).encode(), b"-cl-std=CL3.0")
    assert built == raw.CL_BUILD_PROGRAM_FAILURE and text in log and "internal" not in log, log


def test_products_that_the_device_lacks_are_named(listed):
    p = next(p for p in listed if p.result not in ("half", "float", "double"))
    source = head(p) + "void g(MatA a, MatB b, MatC c) { MatD x = coop_mat_mulAdd(a, b, c, %s); }"
    other = "CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION"
    wrong = [x for x in (0, other) if not any(
        (q.a, q.b, q.c, q.result, q.m, q.n, q.k, q.saturates) ==
        (p.a, p.b, p.c, p.result, p.m, p.n, p.k, bool(x)) for q in listed)]
    for how in wrong:
        built, log = raw.Builder().build((source % how).encode(), b"-cl-std=CL3.0")
        assert built == raw.CL_BUILD_PROGRAM_FAILURE and "the device has no product" in log, log


def test_devices_without_matrices_refuse_them(cl_machine):
    if is_listed(cl_machine):
        pytest.skip("the device has matrices")
    for source in ("typedef float __attribute__((coop_mat(4, 16, 16, 2))) X;",
                   "void f(global float *p) { coop_mat_store(p, 1, 0, 16); }"):
        built, log = raw.Builder().build(source.encode(), b"-cl-std=CL3.0")
        assert built == raw.CL_BUILD_PROGRAM_FAILURE
        assert "requires cl_khr_cooperative_matrix which this device does not offer" in log


def test_arrays_have_any_index(m, listed):
    """Read and written by indexes that only the device knows, of two dimensions, and element by element."""
    p = listed[0]
    body = """
        MatD sums[2][3];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++) {
                sums[i][j] = coop_mat_init(i * 3 + j);
                for (uint e = 0; e < coop_mat_length(sums[i][j]); e++) sums[i][j][e] += 10;
            }
        for (int i = 0; i < n; i++) {
            MatD two = sums[(i + 1) % 2][i % 3] * (T)2;
            sums[i % 2][(i + 1) % 3] = two;
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++) coop_mat_store(out + (i * 3 + j) * M * N, sums[i][j], ROWS, N);"""
    source = f"""#define M {p.m}
#define N {p.n}
typedef {p.result} T;
{head(p)}
kernel void g(global T *out, int n) {{ {body} }}"""
    size = group_size(m)
    out = m.empty(6 * p.m * p.n * DTYPES[p.result]().itemsize)
    m.build(source, ["-cl-std=CL3.0"]).g(m.queue, (size,), (size,), out, np.int32(7))
    sums = np.arange(10, 16).reshape(2, 3)
    for i in range(7):
        sums[i % 2, (i + 1) % 3] = 2 * sums[(i + 1) % 2, i % 3]
    got = m.read(out, DTYPES[p.result], 6 * p.m * p.n).reshape(6, -1)
    np.testing.assert_array_equal(got, np.repeat(sums.reshape(6, 1), p.m * p.n, 1).astype(got.dtype))
