"""Sub-groups: queries, votes, ballots, shuffles, reductions and scans of every type, by all work-items and by some."""

import numpy as np
import pyopencl as cl
import pytest
import spirv_text

STD = ["-cl-std=CL3.0"]
# Shapes of work-groups: full sub-groups, a last one that is not full, one work-item, two and three dimensions, and
# work-groups of several sizes. (Global size, local size.)
SHAPES = [((128,), (64,)), ((66,), (33,)), ((3,), (1,)), ((12, 10), (6, 5)), ((8, 6, 6), (4, 2, 3)), ((100,), (64,))]
TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
         "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32,
         "double": np.float64}
INTEGERS = [name for name, dtype in TYPES.items() if np.issubdtype(dtype, np.integer)]
# What declares kernels; test_subgroup_sizes.py asks for sizes there.
KERNEL = "kernel"
PRELUDE = """
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
size_t group_start()
{
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    return group * get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
}
#define SLOT (group_start() + get_local_linear_id())
#define ID get_sub_group_local_id()
"""
MAP = """
kernel void map(global uint *out)
{
    uint values[6] = {get_sub_group_id(), get_sub_group_local_id(), get_sub_group_size(),
                      get_max_sub_group_size(), get_num_sub_groups(), get_enqueued_num_sub_groups()};
    for (int k = 0; k < 6; ++k) out[6 * SLOT + k] = values[k];
}
"""


@pytest.fixture(autouse=True)
def subgroups(m):
    if "cl_khr_subgroup_shuffle" not in m.device.extensions:
        pytest.skip("no sub-groups on this device")


def slots(shape):
    """Each work-group's slice of the work-items in the order of groups and of linear local ids."""
    size, local = (int(np.prod(part)) for part in shape)
    return [slice(start, min(start + local, size)) for start in range(0, size, local)]


def launch(m, source, shape, data, dtype, lanes=1, name="f"):
    """Runs a kernel; returns a row for each work-item."""
    if "half" in source.split() and "cl_khr_fp16" not in m.device.extensions:
        pytest.skip("no half")
    program = m.build(PRELUDE + (MAP + source).replace("kernel void", f"{KERNEL} void"), STD)
    count = int(np.prod(shape[0]))
    out = m.empty(max(1, np.dtype(dtype).itemsize * count * lanes))
    args = [out] if data is None else [m.buffer(data), out]
    getattr(program, name)(m.queue, shape[0], shape[1], *args)
    return m.read(out, dtype, (count, lanes))


def members(m, shape):
    """The work-items of each sub-group by their numbers: arrays of slots."""
    table = launch(m, "", shape, None, np.uint32, 6, "map")
    groups = []
    for part in slots(shape):
        rows = table[part]
        for sub in range(rows[0, 4]):
            mine = np.flatnonzero(rows[:, 0] == sub)
            groups.append(part.start + mine[np.argsort(rows[mine, 1])])
    return groups


@pytest.mark.parametrize("shape", SHAPES)
def test_queries(m, shape):
    table = launch(m, "", shape, None, np.uint32, 6, "map")
    most = table[0, 3]
    assert most & (most - 1) == 0
    for part in slots(shape):
        rows = table[part]
        count = -(-len(rows) // int(most))
        assert (rows[:, 3] == most).all() and (rows[:, 4] == count).all()
        assert (rows[:, 5] == -(-int(np.prod(shape[1])) // int(most))).all()
        for sub in range(count):
            mine = rows[rows[:, 0] == sub]
            size = most if sub + 1 < count else len(rows) - most * (count - 1)
            assert (mine[:, 2] == size).all()
            assert sorted(mine[:, 1]) == list(range(size))


NUMPY = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
         "or": np.bitwise_or, "xor": np.bitwise_xor}


def identity(op, dtype):
    if np.issubdtype(dtype, np.floating):
        return {"add": 0, "mul": 1, "min": np.inf, "max": -np.inf}[op]
    limits = np.iinfo(dtype)
    return {"add": 0, "mul": 1, "min": limits.max, "max": limits.min, "and": np.array(-1).astype(dtype), "or": 0,
            "xor": 0}[op]


def random_values(rng, dtype, count, op="add"):
    """Numbers whose sums and products are exact."""
    if not np.issubdtype(dtype, np.floating):
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, count, dtype, endpoint=True)
    if op == "mul":
        return rng.choice(np.array([1, -1, 2, 0.5], dtype), count)
    return rng.integers(-20, 20, count).astype(dtype)


def scanned(op, values, dtype):
    """What reduction, inclusive and exclusive scan give each of some values."""
    with np.errstate(over="ignore"):
        inclusive = NUMPY[op].accumulate(values, dtype=dtype) if len(values) else values
    exclusive = np.concatenate([[np.array(identity(op, dtype)).astype(dtype)], inclusive[:-1]]) if len(values) else values
    return np.stack([np.full(len(values), inclusive[-1] if len(values) else 0, dtype), inclusive, exclusive], axis=1)


KINDS = ["reduce", "scan_inclusive", "scan_exclusive"]


def check_scans(m, rng, shape, name, prefix, ops, active):
    """Runs all scans in the work-items that `active`, in words of OpenCL C and of Python, picks."""
    dtype, n = TYPES[name], int(np.prod(shape[0]))
    groups = members(m, shape)
    condition, chosen = active
    for op in ops:
        data = random_values(rng, dtype, n, op)
        calls = " ".join(f"r[{k}] = sub_group_{prefix}{kind}_{op}(x);" for k, kind in enumerate(KINDS))
        source = f"""
            kernel void f(global const {name} *in, global {name} *out)
            {{
                {name} x = in[SLOT], r[3] = {{42, 42, 42}};
                if ({condition}) {{ {calls} }}
                for (int k = 0; k < 3; ++k) out[3 * SLOT + k] = r[k];
            }}"""
        got = launch(m, source, shape, data, dtype, 3)
        for group in groups:
            mask = np.array([chosen(number) for number in range(len(group))], bool)
            expected = np.full((len(group), 3), 42, dtype)
            expected[mask] = scanned(op, data[group[mask]], dtype)
            np.testing.assert_array_equal(got[group], expected, f"{op} of {name}")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TYPES)
def test_reductions_and_scans(m, rng, name, shape):
    check_scans(m, rng, shape, name, "", ["add", "min", "max"], ("true", lambda _: True))


ACTIVE = [("true", lambda _: True), ("ID % 3 != 1", lambda i: i % 3 != 1), ("ID == 2", lambda i: i == 2),
          ("ID > 2", lambda i: i > 2)]


@pytest.mark.parametrize("active", ACTIVE, ids=lambda a: a[0])
@pytest.mark.parametrize("name", TYPES)
def test_scans_by_some(m, rng, name, active):
    ops = ["add", "mul", "min", "max"] + (["and", "or", "xor"] if name in INTEGERS else [])
    check_scans(m, rng, ((66,), (33,)), name, "non_uniform_", ops, active)


@pytest.mark.parametrize("active", ACTIVE, ids=lambda a: a[0])
def test_logical_scans(m, rng, active):
    shape = ((66,), (33,))
    condition, chosen = active
    data = rng.integers(0, 2, 66, np.int32) * 5
    ops = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
    calls = " ".join(f"r[{3 * j + k}] = sub_group_non_uniform_{kind}_logical_{op}(x) != 0;"
                     for j, op in enumerate(ops) for k, kind in enumerate(KINDS))
    source = f"""
        kernel void f(global const int *in, global int *out)
        {{
            int x = in[SLOT], r[9] = {{7, 7, 7, 7, 7, 7, 7, 7, 7}};
            if ({condition}) {{ {calls} }}
            for (int k = 0; k < 9; ++k) out[9 * SLOT + k] = r[k];
        }}"""
    got = launch(m, source, shape, data, np.int32, 9)
    for group in members(m, shape):
        mask = np.array([chosen(number) for number in range(len(group))], bool)
        x = data[group[mask]] != 0
        for j, (op, ufunc) in enumerate(ops.items()):
            expected = np.full((len(group), 3), 7)
            if len(x):
                inclusive = ufunc.accumulate(x)
                exclusive = np.concatenate([[op == "and"], inclusive[:-1]])
                expected[mask] = np.stack([np.full(len(x), inclusive[-1]), inclusive, exclusive], axis=1)
            np.testing.assert_array_equal(got[group][:, 3 * j:3 * j + 3], expected, op)


@pytest.mark.parametrize("cluster", [1, 2, 4, 8])
@pytest.mark.parametrize("name", TYPES)
def test_clusters(m, rng, name, cluster):
    shape, dtype = ((66,), (33,)), TYPES[name]
    ops = ["add", "mul", "min", "max"] + (["and", "or", "xor"] if name in INTEGERS else [])
    groups = members(m, shape)
    if cluster > len(groups[0]):
        pytest.skip("sub-groups are smaller")
    for op in ops:
        data = random_values(rng, dtype, 66, op)
        source = f"""
            kernel void f(global const {name} *in, global {name} *out)
            {{
                {name} x = in[SLOT], r = 42;
                if (ID % 5 != 3) r = sub_group_clustered_reduce_{op}(x, {cluster});
                out[SLOT] = r;
            }}"""
        got = launch(m, source, shape, data, dtype)[:, 0]
        for group in groups:
            numbers = np.arange(len(group))
            expected = np.full(len(group), 42, dtype)
            for start in range(0, len(group), cluster):
                there = numbers[(numbers // cluster == start // cluster) & (numbers % 5 != 3)]
                if len(there):
                    expected[there] = scanned(op, data[group[there]], dtype)[:, 0]
            np.testing.assert_array_equal(got[group], expected, f"{op} of {name}")


def test_logical_clusters(m, rng):
    shape, data = ((66,), (33,)), rng.integers(0, 2, 66, np.int32)
    source = """
        kernel void f(global const int *in, global int *out)
        {
            int x = in[SLOT];
            int r[3] = {sub_group_clustered_reduce_logical_and(x, 4), sub_group_clustered_reduce_logical_or(x, 4),
                        sub_group_clustered_reduce_logical_xor(x, 4)};
            for (int k = 0; k < 3; ++k) out[3 * SLOT + k] = r[k] != 0;
        }"""
    got = launch(m, source, shape, data, np.int32, 3)
    for group in members(m, shape):
        for start in range(0, len(group), 4):
            there = group[start:start + 4]
            x = data[there]
            assert (got[there] == [x.all(), x.any(), x.sum() % 2]).all()


def test_votes(m, rng):
    shape, data = ((66,), (33,)), rng.integers(0, 8, 66, np.int32)
    data[33:] = 5
    source = """
        kernel void f(global const int *in, global int *out)
        {
            int x = in[SLOT], r[7] = {0};
            r[0] = sub_group_all(x > 0) != 0;
            r[1] = sub_group_any(x == 7) != 0;
            if (ID % 3 == 1) {
                r[2] = sub_group_non_uniform_all(x > 0) != 0;
                r[3] = sub_group_non_uniform_any(x == 7) != 0;
                r[4] = sub_group_elect() != 0;
                r[5] = sub_group_non_uniform_all_equal(x) != 0;
            }
            for (int k = 0; k < 7; ++k) out[7 * SLOT + k] = r[k];
        }"""
    got = launch(m, source, shape, data, np.int32, 7)
    for group in members(m, shape):
        x, rows = data[group], got[group]
        assert (rows[:, 0] == (x > 0).all()).all() and (rows[:, 1] == (x == 7).any()).all()
        some = np.arange(len(group)) % 3 == 1
        assert (rows[~some][:, 2:] == 0).all()
        if some.any():
            y = x[some]
            expected = np.zeros((len(y), 4), int)
            expected[:] = [(y > 0).all(), (y == 7).any(), 0, (y == y[0]).all()]
            expected[0, 2] = 1
            np.testing.assert_array_equal(rows[some][:, 2:6], expected)


@pytest.mark.parametrize("name", TYPES)
def test_all_equal(m, name):
    """Also of numbers that differ in a high bit only, of zeros of both signs, and NaN."""
    dtype, shape = TYPES[name], ((64,), (32,))
    floats = np.issubdtype(dtype, np.floating)
    cases = {"same": np.full(64, 3, dtype), "high": np.full(64, 3, dtype)}
    cases["high"][1::2] = -3 if floats else np.array(3 | 1 << (8 * np.dtype(dtype).itemsize - 2)).astype(dtype)
    expected = {"same": 1, "high": 0, "zeros": 1, "nan": 0}
    if floats:
        cases["zeros"] = np.where(np.arange(64) % 2 == 0, 0.0, -0.0).astype(dtype)
        cases["nan"] = np.full(64, np.nan, dtype)
    source = f"""
        kernel void f(global const {name} *in, global int *out)
        {{ out[SLOT] = sub_group_non_uniform_all_equal(in[SLOT]) != 0; }}"""
    for case, data in cases.items():
        got = launch(m, source, shape, data, np.int32)
        assert (got == expected[case]).all(), case


@pytest.mark.parametrize("name", TYPES)
def test_shuffles(m, rng, name):
    """Where a value comes from a work-item that is there; what the others get is not defined."""
    shape, dtype = ((66,), (33,)), TYPES[name]
    data = random_values(rng, dtype, 66)
    source = f"""
        kernel void f(global const {name} *in, global {name} *out)
        {{
            {name} x = in[SLOT];
            {name} r[9];
            r[0] = sub_group_shuffle(x, (ID * 5 + 1) % get_sub_group_size());
            r[1] = sub_group_shuffle_xor(x, 1);
            r[2] = sub_group_shuffle_up(x, 2);
            r[3] = sub_group_shuffle_down(x, 1);
            r[4] = sub_group_rotate(x, 3);
            r[5] = sub_group_rotate(x, -1);
            r[6] = sub_group_clustered_rotate(x, 1, 4);
            r[7] = sub_group_broadcast(x, get_sub_group_size() - 1);
            r[8] = sub_group_broadcast(x, 0);
            for (int k = 0; k < 9; ++k) out[9 * SLOT + k] = r[k];
        }}"""
    got = launch(m, source, shape, data, dtype, 9)
    groups = members(m, shape)
    most = len(groups[0])
    for group in groups:
        size, i = len(group), np.arange(len(group))
        sources = [(i * 5 + 1) % size, i ^ 1, i - 2, i + 1, (i + 3) % most, (i - 1) % most,
                   i // 4 * 4 + (i + 1) % 4, np.full(size, size - 1), np.zeros(size, int)]
        for k, source in enumerate(sources):
            there = (source >= 0) & (source < size)
            np.testing.assert_array_equal(got[group[there], k], data[group[source[there]]], str(k))


@pytest.mark.parametrize("name", ["char", "short", "int", "ulong", "half", "float", "double"])
@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16])
def test_broadcasts_of_vectors(m, rng, name, lanes):
    shape, dtype = ((66,), (33,)), TYPES[name]
    data = random_values(rng, dtype, 66 * lanes)
    source = f"""
        kernel void f(global const {name} *in, global {name} *out)
        {{
            {name}{lanes} x = vload{lanes}(SLOT, in);
            {name}{lanes} y = sub_group_broadcast(x, 0), z = y;
            if (ID % 2 == 0) z = sub_group_non_uniform_broadcast(x, get_sub_group_size() / 2 * 2 / 3 * 2 % 4);
            vstore{lanes}(y, 2 * SLOT, out);
            vstore{lanes}(z, 2 * SLOT + 1, out);
        }}"""
    got = launch(m, source, shape, data, dtype, 2 * lanes).reshape(66, 2, lanes)
    rows = data.reshape(66, lanes)
    for group in members(m, shape):
        size, some = len(group), np.arange(len(group)) % 2 == 0
        index = size // 2 * 2 // 3 * 2 % 4
        assert (got[group][:, 0] == rows[group[0]]).all()
        if index < size:
            assert (got[group[some]][:, 1] == rows[group[index]]).all()
        assert (got[group[~some]][:, 1] == rows[group[0]]).all()


@pytest.mark.parametrize("name", TYPES)
def test_broadcast_first(m, rng, name):
    shape, dtype = ((66,), (33,)), TYPES[name]
    data = random_values(rng, dtype, 66)
    source = f"""
        kernel void f(global const {name} *in, global {name} *out)
        {{
            {name} x = in[SLOT], r;
            if (ID % 4 == 3) r = sub_group_broadcast_first(x); else r = sub_group_broadcast_first(x);
            out[SLOT] = r;
        }}"""
    got = launch(m, source, shape, data, dtype)[:, 0]
    for group in members(m, shape):
        last = np.arange(len(group)) % 4 == 3
        for part in (group[last], group[~last]):
            assert len(part) == 0 or (got[part] == data[part[0]]).all()


def test_ballots(m, rng):
    shape, data = ((66,), (33,)), rng.integers(0, 2, 66, np.uint32)
    source = """
        kernel void f(global const uint *in, global uint *out)
        {
            uint x = in[SLOT], r[16] = {0};
            if (ID % 5 != 2) {
                uint4 b = sub_group_ballot(x);
                uint4 all = sub_group_ballot(1);
                vstore4(b, 0, r);
                r[4] = sub_group_inverse_ballot(b) != 0;
                r[5] = sub_group_ballot_bit_extract(b, 1) != 0;
                r[6] = sub_group_ballot_bit_count((uint4)(0xffffffff));
                r[7] = sub_group_ballot_bit_count(b);
                r[8] = sub_group_ballot_inclusive_scan(b);
                r[9] = sub_group_ballot_exclusive_scan(b);
                r[10] = sub_group_ballot_find_lsb(all);
                r[11] = sub_group_ballot_find_msb(all);
                r[12] = sub_group_ballot_find_msb((uint4)(0xffffffff));
                r[13] = any(as_int4(b & ~all) != 0);
            }
            for (int k = 0; k < 14; ++k) out[14 * SLOT + k] = r[k];
        }"""
    got = launch(m, source, shape, data, np.uint32, 14)
    groups = members(m, shape)
    most = len(groups[0])
    for group in groups:
        numbers = np.arange(len(group))
        some = numbers % 5 != 2
        bits = [int(n) for n in numbers[some] if data[group[n]]]
        words = [sum(1 << (bit % 32) for bit in bits if bit // 32 == word) for word in range(4)]
        assert (got[group[~some]] == 0).all()
        for n in numbers[some]:
            expected = words + [n in bits, 1 in bits, most, len(bits), sum(bit <= n for bit in bits),
                                sum(bit < n for bit in bits), 0, numbers[some][-1], most - 1, 0]
            np.testing.assert_array_equal(got[group[n]], expected, str(n))


def test_masks(m):
    shape = ((66,), (33,))
    source = """
        kernel void f(global uint *out)
        {
            uint4 masks[5] = {get_sub_group_eq_mask(), get_sub_group_ge_mask(), get_sub_group_gt_mask(),
                              get_sub_group_le_mask(), get_sub_group_lt_mask()};
            for (int k = 0; k < 5; ++k) vstore4(masks[k], 5 * SLOT + k, out);
        }"""
    got = launch(m, source, shape, None, np.uint32, 20)
    groups = members(m, shape)
    most = len(groups[0])
    for group in groups:
        for n, slot in enumerate(group):
            picks = [lambda b: b == n, lambda b: b >= n, lambda b: b > n, lambda b: b <= n, lambda b: b < n]
            for k, pick in enumerate(picks):
                whole = sum(1 << b for b in range(most) if pick(b))
                words = [whole >> (32 * word) & 0xffffffff for word in range(4)]
                assert got[slot][4 * k:4 * k + 4].tolist() == words


def test_loops_of_different_lengths(m, rng):
    """In each round those take part that are still in the loop, and all after it."""
    shape, data = ((64,), (32,)), rng.integers(1, 9, 64, np.uint32)
    source = """
        kernel void f(global const uint *in, global uint *out)
        {
            uint n = in[SLOT], sum = 0;
            for (uint i = 0; i < n; ++i) {
                if (i % 3 == 2) continue;
                sum += sub_group_non_uniform_reduce_add(1u) * (i + 1);
            }
            out[2 * SLOT] = sum;
            out[2 * SLOT + 1] = sub_group_reduce_max(n);
        }"""
    got = launch(m, source, shape, data, np.uint32, 2)
    for group in members(m, shape):
        n = data[group]
        for slot, mine in zip(group, n):
            total = sum(int((n > i).sum()) * (i + 1) for i in range(mine) if i % 3 != 2)
            assert got[slot].tolist() == [total, n.max()]


def test_what_is_done_before_a_break(m, rng):
    """Those that leave a loop in a round do what is in front of the break by themselves."""
    shape, data = ((64,), (32,)), rng.integers(1, 5, 64, np.uint32)
    source = """
        kernel void f(global const uint *in, global uint *out)
        {
            uint n = in[SLOT], r[4] = {0};
            for (uint i = 0; ; ++i) {
                if (i == n) { r[0] = sub_group_non_uniform_reduce_add(1u); break; }
            }
            for (uint i = 0; i < 3; ++i) {
                if (i == n) { r[1] = sub_group_non_uniform_reduce_add(1u); break; }
                r[2] += sub_group_non_uniform_reduce_add(1u);
            }
            uint k = 0;
            do {
                if (k == n) { if (ID % 2) r[3] = sub_group_non_uniform_reduce_add(1u); break; }
                ++k;
            } while (k < 4);
            out[5 * SLOT + 4] = sub_group_reduce_add(1u);
            for (int j = 0; j < 4; ++j) out[5 * SLOT + j] = r[j];
        }"""
    got = launch(m, source, shape, data, np.uint32, 5)
    for group in members(m, shape):
        n, odd = data[group], np.arange(len(group)) % 2 == 1
        for slot, mine, second in zip(group, n, odd):
            same = (n == mine).sum()
            third = sum((n > i).sum() for i in range(min(mine, 3)))
            fourth = ((n == mine) & odd).sum() if second and mine < 4 else 0
            assert got[slot].tolist() == [same, same if mine < 3 else 0, third, fourth, len(group)]


def test_branches_join(m, rng):
    """After a branch, a switch and an early return of some, those that are left are together again."""
    shape, data = ((64,), (32,)), rng.integers(0, 4, 64, np.uint32)
    source = """
        uint helper(uint x)
        {
            if (x == 1) return sub_group_non_uniform_reduce_add(1u);
            uint y = 100 * sub_group_non_uniform_reduce_add(1u);
            return y;
        }
        kernel void f(global const uint *in, global uint *out)
        {
            uint x = in[SLOT], r[4] = {0};
            switch (x) {
            case 0: r[0] = sub_group_non_uniform_reduce_add(1u); break;
            case 2: r[0] = sub_group_non_uniform_reduce_add(10u); break;
            default: r[0] = sub_group_non_uniform_reduce_add(1000u);
            }
            r[1] = sub_group_reduce_add(1u);
            r[2] = helper(x);
            r[3] = sub_group_reduce_add(1u);
            for (int k = 0; k < 4; ++k) out[4 * SLOT + k] = r[k];
        }"""
    got = launch(m, source, shape, data, np.uint32, 4)
    for group in members(m, shape):
        x = data[group]
        for slot, mine in zip(group, x):
            count = (x == mine).sum()
            first = {0: count, 2: 10 * count}.get(mine, 1000 * ((x == 1) | (x == 3)).sum())
            helper = count if mine == 1 else 100 * (x != 1).sum()
            assert got[slot].tolist() == [first, len(group), helper, len(group)]


def test_barrier(m):
    """What work-items wrote to local and global memory before it the others see."""
    shape = ((64,), (32,))
    source = """
        kernel void f(global uint *out)
        {
            local uint words[32];
            uint sum = 0, next = (ID + 1) % get_sub_group_size(), start = get_sub_group_id() * get_max_sub_group_size();
            for (uint round = 0; round < 10; ++round) {
                words[start + ID] = 100 * round + ID;
                sub_group_barrier(CLK_LOCAL_MEM_FENCE);
                sum += words[start + next];
                sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
            }
            size_t base = group_start() + start;
            out[base + ID] = sum;
            sub_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
            uint other = out[base + next];
            sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
            out[base + ID] = other;
        }"""
    got = launch(m, source, shape, None, np.uint32)[:, 0]
    for group in members(m, shape):
        n = np.arange(len(group))
        assert (got[group] == 4500 + 10 * ((n + 2) % len(group))).all()


def test_required_size(m):
    """A kernel that asks for one of the device's sizes has sub-groups of that; other sizes are refused."""
    if "cl_intel_required_subgroup_size" not in m.device.extensions:
        pytest.skip("no choice of sizes")
    source = "__attribute__((intel_reqd_sub_group_size(%d))) kernel void f(global uint *out) " \
             "{ out[SLOT] = get_max_sub_group_size() * 100 + sub_group_reduce_add(1u); }"
    size = int(launch(m, "", ((1,), (1,)), None, np.uint32, 6, "map")[0, 3])
    got = launch(m, source % size, ((64,), (64,)), None, np.uint32)
    assert (got == 101 * size).all()
    for wrong in (3, 1, 1024):
        with pytest.raises(cl.RuntimeError, match="the device has no sub-groups of"):
            m.build(PRELUDE + source % wrong, STD)


def sub_group_info(m, kernel, name, given, words=1):
    """Answers of clGetKernelSubGroupInfo, by way of the C library: pyopencl has not the whole of it."""
    import ctypes
    library = ctypes.CDLL("libOpenCL.so.1")
    given = (ctypes.c_size_t * max(1, len(given)))(*given), len(given) * 8
    out, size = (ctypes.c_size_t * words)(), ctypes.c_size_t()
    code = library.clGetKernelSubGroupInfo(
        ctypes.c_void_p(kernel.int_ptr), ctypes.c_void_p(m.device.int_ptr), name, ctypes.c_size_t(given[1]), given[0],
        ctypes.c_size_t(8 * words), out, ctypes.byref(size))
    assert code == 0 and size.value == 8 * words
    return list(out)


def test_sub_groups_of_kernels(m):
    """What the API tells of a kernel's sub-groups is what the kernel sees."""
    kernel = m.build(PRELUDE + MAP, STD).map
    most, = sub_group_info(m, kernel, 0x2033, [64])
    assert most == int(launch(m, "", ((64,), (64,)), None, np.uint32, 6, "map")[0, 3])
    for local in [(64,), (33,), (6, 5), (4, 2, 3)]:
        table = launch(m, "", (local, local), None, np.uint32, 6, "map")
        assert sub_group_info(m, kernel, 0x2034, local) == [table[0, 4]]
    count, = sub_group_info(m, kernel, 0x11B9, [])
    assert 0 < count <= m.device.max_num_sub_groups
    assert sub_group_info(m, kernel, 0x11B8, [3], 3) == [3 * most, 1, 1]
    assert sub_group_info(m, kernel, 0x11B8, [count], 1) == [count * most]
    assert sub_group_info(m, kernel, 0x11B8, [10 ** 6], 2) == [0, 0]
    assert sub_group_info(m, kernel, 0x11BA, []) == [0]


# A kernel that writes the number of its work-group's sub-groups, of which it demands two.
DEMANDING = """
OpCapability Addresses
OpCapability Kernel
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %test "test" %number
OpExecutionMode %test SubgroupsPerWorkgroup 2
OpDecorate %number BuiltIn NumSubgroups
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%input = OpTypePointer Input %uint
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%number = OpVariable %input Input
%test = OpFunction %void None %type
%out = OpFunctionParameter %pointer
%entry = OpLabel
%n = OpLoad %uint %number
OpStore %out %n Aligned 4
OpReturn
OpFunctionEnd
"""


def test_demanded_number_of_sub_groups(m):
    kernel = cl.Program(m.context, spirv_text.assemble(DEMANDING, "1.1")).build().test
    most, = sub_group_info(m, kernel, 0x2033, [64])
    assert sub_group_info(m, kernel, 0x11BA, []) == [2] == sub_group_info(m, kernel, 0x11B9, [])
    assert sub_group_info(m, kernel, 0x11B8, [2], 1) == [2 * most] and sub_group_info(m, kernel, 0x11B8, [1], 1) == [0]
    out = m.empty(4)
    for local in (None, (2 * most,), (most + 1,), (most, 2), (1, most + 1)):
        global_size = tuple(2 * n for n in local) if local else (4 * most,)
        cl.enqueue_fill_buffer(m.queue, out, np.uint32(9), 0, 4)
        kernel(m.queue, global_size, local, out)
        assert m.read(out, np.uint32, 1)[0] == 2, local
    for local in [(most,), (1,), (2 * most + 1,), (most, 3)]:
        with pytest.raises(cl.LogicError, match="INVALID_WORK_GROUP_SIZE"):
            kernel(m.queue, local, local, out)
    # A program's binary tells it as well.
    binary = kernel.program.get_info(cl.program_info.BINARIES)
    loaded = cl.Program(m.context, [m.device], binary).build().test
    assert sub_group_info(m, loaded, 0x11BA, []) == [2]


def test_in_older_versions(m):
    """The functions are there in every version of OpenCL C."""
    source = """
        #ifndef cl_khr_subgroup_shuffle
        #error no sub-groups
        #endif
        kernel void f(global uint *out) { out[get_global_id(0)] = sub_group_reduce_add((uint)get_local_id(0)); }"""
    program = m.build(source, ["-cl-std=CL1.2"])
    out = m.empty(4 * 4)
    program.f(m.queue, (4,), (4,), out)
    assert (m.read(out, np.uint32, 4) == 6).all()


def test_independent_progress(m):
    """CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, the extension and its macro say the same; where they say yes, sub-groups
    wait for each other in loops, upwards and downwards."""
    promised = bool(m.device.get_info(0x105D))
    assert ("cl_khr_subgroups" in m.device.extensions.split()) == promised
    source = """
        #ifdef cl_khr_subgroups
        constant uint listed = 1;
        #else
        constant uint listed = 0;
        #endif
        kernel void said(global uint *out) { *out = listed; }
        kernel void turns(global atomic_uint *turn, global uint *out)
        {
            local atomic_uint taken;
            uint groups = get_num_sub_groups(), group = get_sub_group_id(), waited = 0;
            if (get_local_id(0) == 0) atomic_store(&taken, 0);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint round = 0; round < 100; ++round) {
                uint mine = round * groups + (round & 1 ? groups - 1 - group : group);
                while (atomic_load_explicit(&turn[get_group_id(0)], memory_order_acquire, memory_scope_work_group) != mine)
                    ++waited;
                if (sub_group_elect())
                    atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed, memory_scope_work_group);
                sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
                if (get_sub_group_local_id() == 0)
                    atomic_store_explicit(&turn[get_group_id(0)], mine + 1, memory_order_release, memory_scope_work_group);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) out[get_group_id(0)] = atomic_load(&taken);
        }"""
    program = m.build(source, STD)
    out = m.buffer(np.zeros(64, np.uint32))
    program.said(m.queue, (1,), None, out)
    assert m.read(out, np.uint32, 64)[0] == promised
    if not promised:
        pytest.skip("sub-groups of this device need not go on")
    size = m.device.max_work_group_size
    turn = m.buffer(np.zeros(64, np.uint32))
    turns = program.turns
    turns(m.queue, (64 * size,), (size,), turn, out)
    groups = sub_group_info(m, turns, 0x2034, [size])[0]
    assert groups > 1 and (m.read(turn, np.uint32, 64) == 100 * groups).all()
    assert (m.read(out, np.uint32, 64) == 100 * groups).all()
