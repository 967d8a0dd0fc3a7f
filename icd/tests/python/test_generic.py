"""The generic address space: pointers to global, local or private memory, known or not.

Which space a pointer is of mostly depends on the work-item here, so that no compiler knows it.
"""

from math import lgamma

import numpy as np
import pyopencl as cl
import pytest

STD = ["-cl-std=CL3.0"]

# A pointer to one of three objects, by the work-item: global, local or private.
PICK = """
#define PICK(i, g, l, p) ((i) % 3 == 0 ? (g) : (i) % 3 == 1 ? (l) : (p))
"""


def run(m, source, n, args, dtype, shape, local=None):
    """Runs kernel `f` of a program over n work-items: what it leaves in its first argument."""
    program = m.build(PICK + source, STD)
    out = m.buffer(np.zeros(shape, dtype))
    program.f(m.queue, (n,), local and (local,), out, *args)
    return m.read(out, dtype, shape)


@pytest.mark.parametrize("name, dtype", [
    ("char", np.int8), ("ushort", np.uint16), ("int", np.int32), ("ulong", np.uint64),
    ("float", np.float32), ("double", np.float64)])
@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 8, 16])
def test_loads_and_stores(m, rng, name, dtype, lanes):
    """Read, changed and written through a pointer of any space; the neighbours stay as they are."""
    type_name = name if lanes == 1 else f"{name}{lanes}"
    slots = 4 if lanes == 3 else lanes
    n = 24
    source = f"""
        void step({type_name} *p) {{ p[1] = p[0] + p[1]; }}
        kernel void f(global {type_name} *out, global const {type_name} *in,
                      local {type_name} *tile)
        {{
            int i = get_global_id(0), j = get_local_id(0);
            {type_name} own[3];
            for (int k = 0; k < 3; ++k)
                out[3 * i + k] = tile[3 * j + k] = own[k] = in[3 * i + k];
            {type_name} *p = PICK(i, ({type_name} *)(out + 3 * i), ({type_name} *)(tile + 3 * j), own);
            step(p);
            for (int k = 0; k < 3; ++k) out[3 * i + k] = p[k];
        }}"""
    data = rng.integers(0, 60, (n, 3, slots)).astype(dtype)
    local = cl.LocalMemory(data.itemsize * 3 * slots * 8)
    got = run(m, source, n, [m.buffer(data), local], dtype, data.shape, 8)
    expected = data.copy()
    expected[:, 1] += expected[:, 0]
    np.testing.assert_array_equal(got[..., :lanes], expected[..., :lanes])


def test_copies_between_all_spaces(m, rng):
    """A memcpy of bytes, with every pair of spaces and every alignment."""
    n, size = 9 * 16, 40
    source = f"""
        void copy(void *to, const void *from, int bytes)
        {{
            char *t = to; const char *s = from;
            while (bytes--) *t++ = *s++;
        }}
        kernel void f(global uchar *out, global const uchar *in)
        {{
            local uchar tile[16][2][{size}];
            int i = get_global_id(0), j = get_local_id(0);
            uchar own[2][{size}];
            global uchar *mine = out + i * 2 * {size};
            for (int k = 0; k < {size}; ++k)
                mine[k] = tile[j][0][k] = own[0][k] = in[i * {size} + k];
            const uchar *from = PICK(i / 16, (uchar *)mine, (uchar *)tile[j][0], (uchar *)own[0]);
            uchar *to = PICK(i / 48, (uchar *)(mine + {size}), (uchar *)tile[j][1], (uchar *)own[1]);
            for (int k = 0; k < {size}; ++k) to[k] = 0;
            copy(to + i % 4, from + i / 4 % 4, 30);
            for (int k = 0; k < {size}; ++k) mine[{size} + k] = to[k];
        }}"""
    data = rng.integers(0, 256, (n, size)).astype(np.uint8)
    got = run(m, source, n, [m.buffer(data)], np.uint8, (n, 2, size), 16)
    expected = np.zeros((n, size), np.uint8)
    for i in range(n):
        expected[i, i % 4:i % 4 + 30] = data[i, i // 4 % 4:i // 4 % 4 + 30]
    np.testing.assert_array_equal(got[:, 0], data)
    np.testing.assert_array_equal(got[:, 1], expected)


def test_pointers_in_structs_and_arrays(m, rng):
    """A table of structs with pointers to all spaces, indexed by a value of the data."""
    n = 64
    source = """
        typedef struct { int *where; int add; } entry;
        void visit(entry *e) { *e->where = 2 * *e->where + e->add; }
        kernel void f(global int *out, global const int *in)
        {
            local int tile[16];
            int i = get_global_id(0), j = get_local_id(0), own = 7;
            tile[j] = 5; out[i] = 3;
            entry table[3] = {{out + i, 1}, {&tile[j], 2}, {&own, 4}};
            for (int k = 0; k < 4; ++k) visit(&table[in[4 * i + k]]);
            entry copy = table[in[4 * i]];
            *copy.where += 100;
            out[i] += 1000 * tile[j] + 1000000 * own;
        }"""
    data = rng.integers(0, 3, (n, 4)).astype(np.int32)
    got = run(m, source, n, [m.buffer(data)], np.int32, n, 16)
    expected = []
    for row in data:
        cells = [3, 5, 7]
        for k in row:
            cells[k] = 2 * cells[k] + [1, 2, 4][k]
        cells[row[0]] += 100
        expected.append(cells[0] + 1000 * cells[1] + 1000000 * cells[2])
    np.testing.assert_array_equal(got, expected)


def test_pointers_stored_in_local_and_global_memory(m):
    """Work-items leave pointers in local and global memory; their neighbours follow them."""
    n = 64
    source = """
        kernel void f(global int *out, global int *data, int *global *links)
        {
            local int tile[16];
            int *local table[16];
            int i = get_global_id(0), j = get_local_id(0);
            data[i] = 100 + i; tile[j] = 200 + i;
            links[i] = table[j] = i % 2 ? (int *)&tile[j] : (int *)&data[i];
            work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            int next = (j + 1) % 16;
            out[2 * i] = *table[next];
            out[2 * i + 1] = *links[i - j + next];
        }"""
    args = [m.empty(4 * n), m.empty(8 * n)]
    got = run(m, source, n, args, np.int32, (n, 2), 16)
    i = np.arange(n)
    following = i - i % 16 + (i % 16 + 1) % 16
    expected = following + np.where(following % 2, 200, 100)
    np.testing.assert_array_equal(got, np.stack([expected, expected], 1))


def test_a_list_through_all_spaces(m):
    """A linked list whose nodes lie in all three spaces, searched until null."""
    n = 48
    source = """
        struct node { struct node *next; int value; };
        int find(const struct node *at, int value)
        {
            int steps = 0;
            while (at && at->value != value) { at = at->next; ++steps; }
            return at ? steps : -1;
        }
        kernel void f(global int *out, global struct node *pool)
        {
            local struct node tile[2 * 16];
            int i = get_global_id(0), j = get_local_id(0);
            struct node own[2];
            global struct node *g = pool + 2 * i;
            local struct node *l = tile + 2 * j;
            struct node *order[6] = {g, own, l, l + 1, g + 1, own + 1};
            struct node *head = NULL;
            for (int k = 5; k >= 0; --k) {
                order[k]->next = head; order[k]->value = 10 * k;
                head = order[k];
            }
            out[2 * i] = find(head, 10 * (i % 8));
            int sum = 0;
            for (struct node *at = head; at; at = at->next) sum = 3 * sum + at->value / 10;
            out[2 * i + 1] = sum;
        }"""
    got = run(m, source, n, [m.empty(16 * 2 * n)], np.int32, (n, 2), 16)
    steps = np.arange(n) % 8
    expected = np.where(steps < 6, steps, -1)
    total = 0
    for k in range(6):
        total = 3 * total + k
    np.testing.assert_array_equal(got[:, 0], expected)
    np.testing.assert_array_equal(got[:, 1], total)


def test_null_is_null_in_every_space(m):
    source = """
        int count(int *a, int *b, int *c) { return !a + 2 * (b == NULL) + 4 * (c == 0); }
        kernel void f(global int *out)
        {
            int i = get_global_id(0);
            local int first;
            int mine;
            int bits = i % 8;
            global int *g = bits & 1 ? 0 : out;
            local int *l = bits & 2 ? 0 : &first;
            private int *p = bits & 4 ? 0 : &mine;
            int *any = PICK(i, (int *)g, (int *)l, (int *)p);
            out[4 * i] = count(g, l, p);
            out[4 * i + 1] = any == NULL;
            out[4 * i + 2] = (uintptr_t)any == 0;
            out[4 * i + 3] = to_global(any) || to_local(any) || to_private(any);
        }"""
    got = run(m, source, 24, [], np.int32, (24, 4))
    i = np.arange(24)
    is_null = (i % 8) >> (i % 3) & 1
    expected = np.stack([i % 8, is_null, is_null, 1 - is_null], 1)
    np.testing.assert_array_equal(got, expected)


def test_where_a_pointer_points(m):
    """to_global, to_local, to_private and get_fence of pointers of unknown spaces."""
    source = """
        kernel void f(global int *out)
        {
            local int tile;
            int own, i = get_global_id(0);
            int *p = PICK(i, (int *)(out + i), (int *)&tile, &own);
            global int *g = to_global(p); local int *l = to_local(p); private int *q = to_private(p);
            int result = (g == out + i) + 2 * (l == &tile) + 4 * (q == &own);
            result += 10 * (!g + 2 * !l + 4 * !q);
            cl_mem_fence_flags fence = get_fence(p);
            bool right = fence == (l ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
            work_group_barrier(fence);
            const volatile char *byte = (const volatile char *)p + 1;
            right = right && (to_global(byte) == 0) == (g == 0) && to_local((void *)p) == l;
            if (g) *g = 0;
            out[i] = right ? result : -1;
        }"""
    got = run(m, source, 12, [], np.int32, 12, 4)
    np.testing.assert_array_equal(got, [10 * (7 - bit) + bit for bit in [1, 2, 4]] * 4)


def test_where_a_known_pointer_points(m):
    """The same where the compiler knows the answer, through calls."""
    source = """
        int which(const void *p) { return to_global(p) ? 1 : to_local(p) ? 2 : to_private(p) ? 3 : 0; }
        kernel void f(global int *out)
        {
            local float tile[2];
            float own[2];
            int i = get_global_id(0);
            out[i] = which(out) + 10 * which(tile + 1) + 100 * which(&own[i]) + 1000 * which(NULL);
        }"""
    np.testing.assert_array_equal(run(m, source, 2, [], np.int32, 2), [321, 321])


def test_comparisons_and_differences(m):
    source = """
        kernel void f(global int *out, global int *data)
        {
            local int tile[8];
            int own[8], i = get_global_id(0);
            int *p = PICK(i, (int *)data, (int *)tile, own), *q = p + i % 8;
            int bits = (p < q) | (p <= q) << 1 | (q > p) << 2 | (q >= p) << 3 | (p == q) << 4 | (p != q) << 5;
            bits |= (data == p) << 6 | (q - i % 8 == tile) << 7;
            out[3 * i] = bits; out[3 * i + 1] = q - p; out[3 * i + 2] = (char *)p - (char *)q;
        }"""
    got = run(m, source, 24, [m.empty(32)], np.int32, (24, 3))
    i = np.arange(24)
    k = i % 8
    bits = np.where(k > 0, 0b101111, 0b011010) | (i % 3 == 0) << 6 | (i % 3 == 1) << 7
    np.testing.assert_array_equal(got, np.stack([bits, k, -4 * k], 1))


def test_pointers_as_integers_and_back(m):
    source = """
        kernel void f(global int *out, global ulong *saved)
        {
            local int tile[16];
            int own[2], i = get_global_id(0), j = get_local_id(0);
            int *p = PICK(i, (int *)(out + i), (int *)(tile + j), own + i % 2);
            saved[i] = (ulong)p;
            *(int *)saved[i] = 5 + i;
            union { int *p; uint words[2]; } u = {.p = p};
            union { uint words[2]; int *p; } v = {.words = {u.words[0], u.words[1]}};
            out[i] = *v.p;
        }"""
    got = run(m, source, 48, [m.empty(8 * 48)], np.int32, 48, 16)
    np.testing.assert_array_equal(got, 5 + np.arange(48))


def test_pointers_change_space_in_loops(m, rng):
    """Loops and branches, in which pointers wander between the spaces, diverging."""
    n, steps = 64, 30
    source = """
        kernel void f(global int *out, global const uchar *moves, int steps)
        {
            local int tile[16][4];
            int own[4], i = get_global_id(0), j = get_local_id(0);
            global int *mine = out + 12 * i;
            for (int k = 0; k < 4; ++k) mine[k] = tile[j][k] = own[k] = 0;
            int *at = own, *before = NULL;
            for (int s = 0; s < steps; ++s) {
                uchar move = moves[i * steps + s];
                int *old = at;
                switch (move % 5) {
                case 0: at = mine + move / 5 % 4; break;
                case 1: at = tile[j] + move / 5 % 4; break;
                case 2: at = own + move / 5 % 4; break;
                case 3: if (!before) continue; at = before; before = old; break;
                default: for (int k = 0; k < move / 5 % 3; ++k) *at += 7;
                }
                *at += s + 1;
                before = old;
                if (*at > 300) break;
            }
            for (int k = 0; k < 4; ++k) { mine[4 + k] = tile[j][k]; mine[8 + k] = own[k]; }
        }"""
    moves = rng.integers(0, 256, (n, steps)).astype(np.uint8)
    got = run(m, source, n, [m.buffer(moves), np.int32(steps)], np.int32, (n, 12), 16)
    expected = np.zeros((n, 12), np.int32)
    for i in range(n):
        cells, at, before = expected[i], 8, None
        for s in range(steps):
            kind, rest = int(moves[i, s]) % 5, int(moves[i, s]) // 5
            old = at
            if kind < 3:
                at = 4 * kind + rest % 4
            elif kind == 3:
                if before is None:
                    continue
                at, before = before, old
            else:
                cells[at] += 7 * (rest % 3)
            cells[at] += s + 1
            before = old
            if cells[at] > 300:
                break
    np.testing.assert_array_equal(got, expected)


def test_pointers_to_pointers_and_results(m):
    """Functions that give and change pointers."""
    source = """
        int *further(int *p, int n) { return p + n; }
        void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
        int *larger(int *a, int *b) { return *a > *b ? a : b; }
        kernel void f(global int *out)
        {
            local int tile[16][2];
            int own[2] = {20, 40}, i = get_global_id(0), j = get_local_id(0);
            out[4 * i] = i; out[4 * i + 1] = 30;
            tile[j][0] = 25; tile[j][1] = 35;
            int *a = out + 4 * i, *b = tile[j], *c = own;
            if (i % 2) swap(&a, &b);
            if (i % 3) swap(&b, &c);
            int *top = larger(larger(a, b), c);
            *further(top, 1) += 3;
            out[4 * i + 2] = *a + 100 * *b + 10000 * *c;
            out[4 * i + 3] = out[4 * i + 1] + 100 * tile[j][1] + 10000 * own[1];
        }"""
    got = run(m, source, 48, [], np.int32, (48, 4), 16)
    expected = []
    for i in range(48):
        order, seconds = [i, 25, 20], [30, 35, 40]
        names = [0, 1, 2]
        if i % 2:
            names[0], names[1] = names[1], names[0]
        if i % 3:
            names[1], names[2] = names[2], names[1]
        a, b, c = names
        top = a if order[a] > order[b] else b
        top = top if order[top] > order[c] else c
        seconds[top] += 3
        values = order[a] + 100 * order[b] + 10000 * order[c]
        expected.append([i, seconds[0], values, seconds[0] + 100 * seconds[1] + 10000 * seconds[2]])
    np.testing.assert_array_equal(got, expected)


def test_structs_copied_through_pointers(m):
    source = """
        typedef struct { char tag; float3 v; short s[3]; struct { uchar a, b; } c; long l; } item;
        void assign(item *to, const item *from) { *to = *from; to->c.b++; to->v.yz += 0.5f; }
        kernel void f(global float *out, global item *pool)
        {
            local item tile[8];
            item own = {1, (float3)(1, 2, 3), {4, 5, 6}, {7, 8}, 9};
            int i = get_global_id(0), j = get_local_id(0);
            pool[i] = tile[j] = own;
            pool[i].tag = 2; tile[j].tag = 3;
            item second, *a = PICK(i, (item *)&pool[i], (item *)&tile[j], &own);
            assign(&second, a);
            a = PICK(i / 3, (item *)&pool[i], (item *)&tile[j], &own);
            assign(a, &second);
            out[i] = a->tag + 10 * a->v.z + 100 * a->s[2] + 1000 * a->c.b + 10000 * a->l;
        }"""
    got = run(m, source, 72, [m.empty(64 * 72)], np.float32, 72, 8)
    tags = np.array([2, 3, 1])[np.arange(72) % 3]
    np.testing.assert_allclose(got, tags + 40 + 600 + 10000 + 90000)


@pytest.mark.parametrize("vector", ["float", "float3", "float4", "double2"])
def test_math_functions_with_results_through_pointers(m, rng, vector):
    """What fract, modf, sincos, frexp, lgamma_r and remquo write is the same in every space."""
    lanes = int(vector[-1]) if vector[-1].isdigit() else 1
    slots = 4 if lanes == 3 else lanes
    scalar = vector.rstrip("0123456789")
    ints = "int" + vector[len(scalar):]
    n = 24
    source = f"""
        kernel void f(global {scalar} *out, global const {vector} *in)
        {{
            local {vector} tile[8]; local {ints} counts[8];
            int i = get_global_id(0), j = get_local_id(0);
            global {vector} *room = (global {vector} *)out + 14 * i;
            {vector} own, *p = PICK(i, ({vector} *)room, ({vector} *)&tile[j], &own);
            {ints} count, *q = PICK(i / 3, ({ints} *)(room + 1), ({ints} *)&counts[j], &count);
            {vector} x = in[2 * i], y = in[2 * i + 1];
            room[2] = fract(x, p); room[3] = *p;
            room[4] = modf(x, p); room[5] = *p;
            room[6] = sincos(x, p); room[7] = *p;
            room[8] = frexp(x, q); room[9] = convert_{vector}(*q);
            room[10] = lgamma_r(y, q); room[11] = convert_{vector}(*q);
            room[12] = remquo(x, y, q); room[13] = convert_{vector}(*q);
        }}"""
    dtype = np.float64 if scalar == "double" else np.float32
    x = rng.uniform(-9, 9, (n, slots))
    y = rng.uniform(1, 5, (n, slots))
    data = np.stack([x, y], 1).astype(dtype)
    got = run(m, source, n, [m.buffer(data)], dtype, (n, 14, slots), 8)[..., :lanes]
    x, y = (data[:, k, :lanes].astype(np.float64) for k in (0, 1))
    mantissa, exponent = np.frexp(x)
    quotient = np.rint(x / y)
    expected = [x - np.floor(x), np.floor(x), x - np.trunc(x), np.trunc(x), np.sin(x), np.cos(x),
                mantissa, exponent, np.vectorize(lgamma)(y), np.ones_like(x), x - quotient * y, quotient]
    for k, want in enumerate(expected):
        np.testing.assert_allclose(got[:, 2 + k], want, rtol=1e-5, atol=5e-6, err_msg=str(k))


@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16])
def test_vector_loads_and_stores(m, rng, lanes):
    """vload, vstore and those of half, at addresses that are aligned to elements only."""
    n, size = 24, 48
    source = f"""
        kernel void f(global short *out, global const short *in, global const float *floats)
        {{
            local short tile[8][{size}];
            short own[{size}];
            int i = get_global_id(0), j = get_local_id(0);
            global short *mine = out + {size} * i;
            for (int k = 0; k < {size}; ++k) mine[k] = tile[j][k] = own[k] = in[{size} * i + k];
            short *p = PICK(i, (short *)mine, (short *)tile[j], (short *)own) + 1;
            short{lanes} v = vload{lanes}(1, p);
            vstore{lanes}(v + (short)1, 0, p);
            half *h = (half *)(p + 2 * {lanes} - 1);
            float{lanes} x = vload{lanes}(i, floats);
            vstore_half{lanes}(x, 0, h);
            vstore_half{lanes}_rtz(vload_half{lanes}(0, h) * 2, 0, h);
            for (int k = 0; k < {size}; ++k) mine[k] = (p - 1)[k];
        }}"""
    data = rng.integers(-100, 100, (n, size)).astype(np.int16)
    floats = rng.uniform(-8, 8, (n, lanes)).astype(np.float32)
    got = run(m, source, n, [m.buffer(data), m.buffer(floats)], np.int16, (n, size), 8)
    expected = data.copy()
    expected[:, 1:1 + lanes] = data[:, 1 + lanes:1 + 2 * lanes] + 1
    expected[:, 2 * lanes:3 * lanes] = (floats.astype(np.float16) * np.float16(2)).view(np.int16)
    np.testing.assert_array_equal(got, expected)


def test_one_function_for_every_space(m, rng):
    """A reduction and a sort written once, called with all three spaces, statically known."""
    n, size = 16, 10
    source = f"""
        void sort(int *a, int n)
        {{
            for (int i = 1; i < n; ++i) {{
                int x = a[i], j = i;
                for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
                a[j] = x;
            }}
        }}
        int sum(const int *a, int n) {{ int s = 0; while (n--) s += *a++; return s; }}
        kernel void f(global int *out, global const int *in)
        {{
            local int tile[4][{size}];
            int own[{size}], i = get_global_id(0), j = get_local_id(0);
            global int *mine = out + i * {3 * size + 3};
            for (int k = 0; k < {size}; ++k)
                mine[k] = tile[j][k] = own[k] = in[i * {size} + k];
            sort(mine, {size}); sort(tile[j], {size}); sort(own, {size});
            for (int k = 0; k < {size}; ++k) {{ mine[{size} + k] = tile[j][k]; mine[{2 * size} + k] = own[k]; }}
            mine[{3 * size}] = sum(mine, {size}); mine[{3 * size + 1}] = sum(tile[j], {size});
            mine[{3 * size + 2}] = sum(own, {size});
        }}"""
    data = rng.integers(-1000, 1000, (n, size)).astype(np.int32)
    got = run(m, source, n, [m.buffer(data)], np.int32, (n, 3 * size + 3), 4)
    expected = np.concatenate([np.sort(data)] * 3 + [data.sum(1, keepdims=True)] * 3, 1)
    np.testing.assert_array_equal(got, expected)


def test_the_device_says_what_the_compiler_does(m):
    """The query, the list of features, the macro and the versions agree."""
    device = m.device
    assert device.get_info(0x1069)  # CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT
    features = [f.name for f in device.opencl_c_features]
    assert "__opencl_c_generic_address_space" in features
    source = """
        #ifndef __opencl_c_generic_address_space
        #error the feature is not defined
        #endif
        kernel void f(global int *out) { int *p = out; *p = 1; }"""
    assert run(m, source, 1, [], np.int32, 1)[0] == 1
    versions = {f.version >> 22: f for f in device.opencl_c_all_versions}
    for major, std in [(1, "CL1.2"), (2, "CL2.0"), (3, "CL3.0")]:
        program = cl.Program(m.context, "kernel void f(global int *p) { *p = 1; }")
        # Programs in 2.0 are refused only for what they need.
        if major in versions or major == 2:
            program.build([f"-cl-std={std}"])
        else:
            with pytest.raises(cl.RuntimeError, match=f"{std}.*does not offer"):
                program.build([f"-cl-std={std}"])
