"""Kernels in C++ for OpenCL 2021, compiled to SPIR-V by clang: what numpy computes must come out.

Each reads `in` and writes `out`, ints or floats, one element for each work-item. Skipped without clang.
"""

import clang
import numpy as np
import pyopencl as cl
import pytest

N = 64
INTS = np.arange(N, dtype=np.int32) * 37 % 101 - 50
FLOATS = (np.arange(N, dtype=np.float32) - 20) / np.float32(8)

KERNELS = []


def kernel(values, *features):
    """Adds a kernel: the function's docstring is the program, its result what must come out for the input."""
    def add(function):
        KERNELS.append(pytest.param(function.__doc__, values, function, features, id=function.__name__))
        return function
    return add


@kernel(INTS)
def template_function(x):
    """
    template <typename T> T twice(T x) { return x + x; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = twice(in[i]) + (int)twice<short>(3);
    }
    """
    return x + x + 6


@kernel(FLOATS)
def template_of_vectors(x):
    """
    template <typename T> struct lane_sum;
    template <> struct lane_sum<float2> { static float of(float2 v) { return v.x + v.y; } };
    template <> struct lane_sum<float4> { static float of(float4 v) { return v.x + v.y + v.z + v.w; } };
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        out[i] = lane_sum<float2>::of((float2)(in[i], 1.0f)) + lane_sum<float4>::of((float4)(in[i]));
    }
    """
    return (x + 1) + 4 * x


@kernel(INTS)
def non_type_parameters(x):
    """
    template <int N> struct power { static int of(int x) { return x * power<N - 1>::of(x); } };
    template <> struct power<0> { static int of(int) { return 1; } };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = power<4>::of(in[i]);
    }
    """
    return x ** 4


@kernel(INTS)
def variadic_template(x):
    """
    int sum() { return 0; }
    template <typename T, typename... Rest> int sum(T first, Rest... rest) { return first + sum(rest...); }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = sum(in[i], (short)2, 3u, (char)4);
    }
    """
    return x + 9


@kernel(INTS)
def fold_expression(x):
    """
    template <typename... T> int product(T... factors) { return (1 * ... * factors); }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = product(in[i], 2, 3);
    }
    """
    return x * 6


@kernel(INTS)
def class_with_methods(x):
    """
    class counter {
        int value;
    public:
        explicit counter(int start) : value(start) {}
        counter &add(int by) { value += by; return *this; }
        int get() const { return value; }
    };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = counter(in[i]).add(5).add(-2).get();
    }
    """
    return x + 3


@kernel(INTS)
def constructor_and_destructor(x):
    """
    struct guard {
        int *place;
        guard(int *p) : place(p) { *place += 1; }
        ~guard() { *place *= 2; }
    };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        int value = in[i];
        { guard a(&value); guard b(&value); }
        out[i] = value;
    }
    """
    return (x + 2) * 4


@kernel(INTS)
def inheritance(x):
    """
    struct base { int a; base(int v) : a(v) {} int get() const { return a; } };
    struct derived : base { int b; derived(int v, int w) : base(v), b(w) {} int get() const { return base::get() * b; } };
    int of(const base &b) { return b.get(); }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        derived d(in[i], 7);
        out[i] = d.get() + of(d);
    }
    """
    return x * 8


@kernel(INTS)
def curiously_recurring(x):
    """
    template <typename D> struct shape { int area() const { return static_cast<const D &>(*this).side() * 2; } };
    struct square : shape<square> { int s; int side() const { return s; } };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        square q;
        q.s = in[i];
        out[i] = q.area();
    }
    """
    return x * 2


@kernel(FLOATS)
def operator_overloading(x):
    """
    struct complex {
        float re, im;
        complex(float r, float i) : re(r), im(i) {}
        complex operator*(const complex &o) const { return complex(re * o.re - im * o.im, re * o.im + im * o.re); }
        complex &operator+=(const complex &o) { re += o.re; im += o.im; return *this; }
        bool operator==(const complex &o) const { return re == o.re && im == o.im; }
    };
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        complex z(in[i], 1.0f);
        complex w = z * z;
        w += complex(0.5f, 0.0f);
        out[i] = w == z ? 0.0f : w.re + w.im;
    }
    """
    return x * x - 1 + np.float32(0.5) + 2 * x


@kernel(INTS)
def subscript_and_call_operators(x):
    """
    struct table {
        int values[4];
        int &operator[](int i) { return values[i & 3]; }
        int operator()(int a, int b) const { return values[a] - values[b]; }
        operator int() const { return values[0]; }
    };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        table t = {{1, 2, 3, 4}};
        t[in[i]] = in[i];
        out[i] = t(3, 0) + t[2] + (int)t;
    }
    """
    t = np.tile(np.array([1, 2, 3, 4]), (len(x), 1))
    t[np.arange(len(x)), x & 3] = x
    return t[:, 3] + t[:, 2]


@kernel(INTS)
def lambda_by_value(x):
    """
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        int by = 11;
        auto add = [by](int v) { return v + by; };
        by = 0;
        out[i] = add(in[i]) + by;
    }
    """
    return x + 11


@kernel(INTS)
def lambda_by_reference(x):
    """
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        int count = 0;
        auto visit = [&](int v) { if (v > 0) count += v; };
        for (int k = 0; k < 4; k++) visit(in[i] - k);
        out[i] = count;
    }
    """
    return sum(np.maximum(x - k, 0) for k in range(4))


@kernel(INTS)
def generic_lambda(x):
    """
    template <typename F> int apply(F f, int a, float b) { return f(a) + (int)f(b); }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = apply([](auto v) { return v * 2; }, in[i], 1.75f);
    }
    """
    return x * 2 + 3


@kernel(INTS)
def constant_expressions(x):
    """
    constexpr int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    static_assert(fibonacci(10) == 55, "");
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        constexpr int f = fibonacci(12);
        int room[fibonacci(6)];
        out[i] = in[i] + f + (int)(sizeof(room) / sizeof(room[0]));
    }
    """
    return x + 144 + 8


@kernel(INTS)
def constant_table(x):
    """
    struct squares { int v[16]; };
    constexpr squares make() { squares s = {}; for (int i = 0; i < 16; i++) s.v[i] = i * i; return s; }
    __constant constexpr squares table = make();
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = table.v[in[i] & 15];
    }
    """
    return (x & 15) ** 2


@kernel(INTS)
def if_constexpr(x):
    """
    template <int Kind> int choose(int v) {
        if constexpr (Kind == 0) return v + 1;
        else if constexpr (Kind == 1) return v * 3;
        else return -v;
    }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = choose<0>(in[i]) + choose<1>(in[i]) + choose<2>(in[i]);
    }
    """
    return x + 1 + x * 3 - x


@kernel(INTS)
def references(x):
    """
    void order(int &a, int &b) { if (a > b) { int t = a; a = b; b = t; } }
    int &larger(int &a, int &b) { return a > b ? a : b; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        int a = in[i], b = 10;
        order(a, b);
        larger(a, b) += 100;
        out[i] = a * 1000 + b;
    }
    """
    return np.minimum(x, 10) * 1000 + np.where(np.minimum(x, 10) == np.maximum(x, 10), 110, np.maximum(x, 10) + 100)


@kernel(INTS)
def overloads_and_defaults(x):
    """
    int f(int a, int b = 4) { return a + b; }
    int f(float a) { return (int)(a * 10.0f); }
    int f(int2 a) { return a.x * a.y; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = f(in[i]) + f(in[i], 1) + f(0.5f) + f((int2)(in[i], 2));
    }
    """
    return (x + 4) + (x + 1) + 5 + 2 * x


@kernel(INTS)
def namespaces(x):
    """
    namespace outer { inline namespace v1 { int f(int v) { return v + 1; } } namespace { int g(int v) { return v * 2; } } }
    using namespace outer;
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = f(g(in[i])) + outer::v1::f(0);
    }
    """
    return x * 2 + 2


@kernel(INTS)
def scoped_enumerations(x):
    """
    enum class op : uchar { add, sub, mul };
    int run(op o, int a, int b) {
        switch (o) { case op::add: return a + b; case op::sub: return a - b; case op::mul: return a * b; }
        return 0;
    }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        out[i] = run(static_cast<op>(i % 3), in[i], 7);
    }
    """
    i = np.arange(len(x)) % 3
    return np.choose(i, [x + 7, x - 7, x * 7])


@kernel(INTS)
def range_for(x):
    """
    template <typename T, int N> struct array { T v[N]; T *begin() { return v; } T *end() { return v + N; } };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        array<int, 5> a;
        int k = 0;
        for (auto &e : a) e = in[i] + k++;
        int sum = 0;
        for (int e : a) sum += e;
        out[i] = sum;
    }
    """
    return 5 * x + 10


@kernel(INTS)
def structured_bindings(x):
    """
    struct pair { int first, second; };
    pair split(int v) { return {v / 10, v % 10}; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        auto [q, r] = split(in[i]);
        out[i] = q * 100 + r;
    }
    """
    q = np.trunc(x / 10).astype(np.int32)
    return q * 100 + (x - q * 10)


@kernel(INTS)
def type_traits(x):
    """
    template <bool B, typename A, typename C> struct conditional { typedef A type; };
    template <typename A, typename C> struct conditional<false, A, C> { typedef C type; };
    template <typename A, typename B> struct same { static constexpr bool value = false; };
    template <typename A> struct same<A, A> { static constexpr bool value = true; };
    template <typename T> using wide = typename conditional<(sizeof(T) < 8), long, T>::type;
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        wide<int> v = in[i];
        static_assert(same<wide<int>, long>::value && same<wide<ulong>, ulong>::value, "");
        out[i] = (int)((v << 33) >> 32);
    }
    """
    return x * 2


@kernel(INTS)
def pointer_to_member(x):
    """
    struct point { int x, y; };
    template <int point::*M> int get(const point &p) { return p.*M; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        point p = {in[i], 3};
        out[i] = get<&point::x>(p) - get<&point::y>(p);
    }
    """
    return x - 3


@kernel(INTS)
def local_memory_in_a_template(x):
    """
    template <typename T, typename Op> T reduce(local T *scratch, T value, Op op) {
        size_t l = get_local_id(0);
        scratch[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
            if (l < n) scratch[l] = op(scratch[l], scratch[l + n]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        return scratch[0];
    }
    kernel void test(global const int *in, global int *out) {
        local int scratch[64];
        size_t i = get_global_id(0);
        int sum = reduce(scratch, in[i], [](int a, int b) { return a + b; });
        barrier(CLK_LOCAL_MEM_FENCE);
        int most = reduce(scratch, in[i], [](int a, int b) { return max(a, b); });
        out[i] = sum * 1000 + most;
    }
    """
    groups = x.reshape(-1, 16)
    return np.repeat(groups.sum(1) * 1000 + groups.max(1), 16)


@kernel(INTS)
def address_space_casts(x):
    """
    template <typename T> int first(T *p) { return p[0]; }
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        local int shared;
        if (get_local_id(0) == 0) shared = 5;
        barrier(CLK_LOCAL_MEM_FENCE);
        int own = 2;
        const int *anywhere = i % 2 ? static_cast<const int *>(in + i) : static_cast<const int *>(&own);
        int *to = out + i;
        global int *back = addrspace_cast<global int *>(to);
        *back = first(&shared) + first(&own) + *anywhere;
    }
    """
    return 7 + np.where(np.arange(len(x)) % 2, x, 2)


@kernel(INTS)
def methods_of_global_objects(x):
    """
    struct cell {
        int v;
        int get() const { return v + 1; }
        int get() const global { return v + 2; }
        int get() const local { return v + 3; }
    };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        global const cell *far = (global const cell *)in;
        local cell near;
        if (get_local_id(0) == 0) near.v = 100;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = far[i].get() + near.get();
    }
    """
    return x + 2 + 103


@kernel(INTS)
def new_in_place(x):
    """
    inline void *operator new(size_t, void *p) { return p; }
    struct pair { int a, b; pair(int v) : a(v), b(v * 2) {} };
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        alignas(pair) uchar room[sizeof(pair)];
        pair *p = new (room) pair(in[i]);
        out[i] = p->a + p->b;
    }
    """
    return x * 3


@kernel(INTS)
def atomics(x):
    """
    kernel void test(global const int *in, global int *out) {
        size_t i = get_global_id(0);
        local atomic_int total;
        if (get_local_id(0) == 0) atomic_init(&total, 0);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        atomic_fetch_add_explicit(&total, in[i], memory_order_relaxed, memory_scope_work_group);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = atomic_load_explicit(&total, memory_order_relaxed, memory_scope_work_group);
    }
    """
    return np.repeat(x.reshape(-1, 16).sum(1), 16)


@kernel(FLOATS)
def expression_templates(x):
    """
    struct leaf { float v; float at(int) const { return v; } };
    struct index { float at(int i) const { return i; } };
    template <typename L, typename R> struct sum { L l; R r; float at(int i) const { return l.at(i) + r.at(i); } };
    template <typename L, typename R> struct product { L l; R r; float at(int i) const { return l.at(i) * r.at(i); } };
    template <typename L, typename R> sum<L, R> operator+(L l, R r) { return {l, r}; }
    template <typename L, typename R> product<L, R> operator*(L l, R r) { return {l, r}; }
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        leaf a = {in[i]};
        auto expression = (a + index()) * (a + leaf{2.0f});
        float total = 0;
        for (int k = 0; k < 4; k++) total += expression.at(k);
        out[i] = total;
    }
    """
    return sum((x + np.float32(k)) * (x + 2) for k in range(4)).astype(np.float32)


@kernel(FLOATS, "fp64")
def doubles_in_a_template(x):
    """
    template <typename Real> Real horner(Real x) { Real r = 0; for (int i = 1; i <= 5; i++) r = r * x + Real(1) / Real(i); return r; }
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        out[i] = (float)horner<double>(in[i]);
    }
    """
    r = np.zeros(len(x))
    for i in range(1, 6):
        r = r * x.astype(np.float64) + 1.0 / i
    return r.astype(np.float32)


@kernel(FLOATS)
def conversions_by_template(x):
    """
    template <typename To, typename From> To convert(From v);
    template <> int convert<int, float>(float v) { return convert_int_sat_rte(v * 1.0e9f); }
    template <> uint convert<uint, float>(float v) { return convert_uint_sat(v); }
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        out[i] = (float)convert<int>(in[i]) + (float)convert<uint>(in[i]);
    }
    """
    wide = np.clip(np.rint(x * np.float32(1.0e9)).astype(np.float64), -2.0 ** 31, 2.0 ** 31 - 1)
    return wide.astype(np.float32) + np.trunc(np.maximum(x, 0)).astype(np.float32)


@kernel(FLOATS)
def swizzles(x):
    """
    kernel void test(global const float *in, global float *out) {
        size_t i = get_global_id(0);
        float4 v = (float4)(in[i], 2.0f, 3.0f, 4.0f);
        float4 w = v.wzyx;
        w.xy = v.yx;
        w.even += v.odd;
        float8 all = (float8)(v, w);
        out[i] = all.s0 + 10.0f * all.s4 + 100.0f * all.hi.s2 + all.lo.rgba.a;
    }
    """
    # v = x 2 3 4; w = 4 3 2 x; w.xy = 2 x; w.even += 2 4.
    return x + 10 * np.float32(4) + 100 * np.float32(6) + 4


def test_there_are_enough():
    assert len(KERNELS) >= 25


@pytest.mark.parametrize("optimization", ["-O0", "-O2"])
@pytest.mark.parametrize("source, values, expected, features", KERNELS)
def test_kernel(source, values, expected, features, optimization, m):
    clang.need()
    for feature in features:
        if f"cl_khr_{feature}" not in m.device.extensions:
            pytest.skip(f"no {feature} on this device")
    module = clang.compile(source, m.device, ["-cl-std=CLC++2021", optimization])
    built = cl.Program(m.context, module).build()
    out = m.empty(values.nbytes)
    built.test(m.queue, (N,), (16,), m.buffer(values), out)
    got = m.read(out, values.dtype, N)
    np.testing.assert_array_equal(got, expected(values).astype(values.dtype))
