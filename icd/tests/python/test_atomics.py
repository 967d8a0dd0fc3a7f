"""The atomic functions of OpenCL C 2.0 and 3.0 (6.15.12), by what work-items see of each other."""

import clang
import numpy as np
import pyopencl as cl
import pytest

ITEMS = 1024


def run(m, program, name, size, *arrays, local=None):
    """Runs a kernel on buffers like the arrays and gives their contents afterwards."""
    buffers = [m.buffer(array) if isinstance(array, np.ndarray) else array for array in arrays]
    cl.Kernel(program, name)(m.queue, (size,), local and (local,), *buffers)
    out = []
    for buffer, array in zip(buffers, arrays):
        if isinstance(array, np.ndarray):
            out.append(np.empty_like(array))
            cl.enqueue_copy(m.queue, out[-1], buffer)
    return out


@pytest.fixture
def build(m):
    """Builds a program that needs orders and the device's scope, if there are such."""
    offered = {version.name for version in m.device.get_info(cl.device_info.OPENCL_C_FEATURES)}
    if "__opencl_c_atomic_scope_device" not in offered:
        pytest.skip("no atomics of device scope")
    return lambda source: m.build(source, ["-cl-std=CL3.0"])


# Each with no order, an order, an order and a scope.
CALLS = [
    ("", "", ""),
    ("_explicit", ", memory_order_relaxed", ""),
    ("_explicit", ", memory_order_acq_rel", ", memory_scope_device"),
    ("_explicit", ", memory_order_seq_cst", ", memory_scope_work_group"),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("space", ["global", "local", "generic"])
def test_fetch_and_modify(m, build, call, space):
    name, order, scope = call
    functions = ["add", "sub", "or", "xor", "and", "min", "max"]
    generic = "(i & 1 ? (atomic_int *)g : (atomic_int *)l)"
    object_at = {"global": "g", "local": "l", "generic": generic}
    lines = "\n".join(
        f"old[{n} * {ITEMS} + i] = atomic_fetch_{function}{name}(at + {n}, operand[i]{order}{scope});"
        for n, function in enumerate(functions))
    program = build(f"""
        kernel void k(global atomic_int *g, global const int *operand, global int *old, global int *last,
                      local atomic_int *l) {{
            int i = get_global_id(0);
            if (i < 7) atomic_init(&l[i], -5);
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
            {'' if space == 'generic' else space} atomic_int *at = {object_at[space]};
            {lines}
            work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            if (i < 7) {{ last[i] = atomic_load(&g[i]); last[7 + i] = atomic_load(&l[i]); }}
        }}""")
    # One work-group, so that local memory, too, is one.
    size = min(64, m.device.max_work_group_size)
    operand = np.random.default_rng(1).integers(-1000, 1000, ITEMS).astype(np.int32)
    start = np.full(7, -5, np.int32)
    _, _, old, last = run(
        m, program, "k", size, start, operand, np.zeros(7 * ITEMS, np.int32), np.zeros(14, np.int32),
        cl.LocalMemory(28), local=size)
    reduce = [np.add, np.subtract, np.bitwise_or, np.bitwise_xor, np.bitwise_and, np.minimum, np.maximum]
    mine = operand[:size]
    halves = {"global": [mine, mine[:0]], "local": [mine[:0], mine], "generic": [mine[1::2], mine[::2]]}
    for n, function in enumerate(reduce):
        for half, found in zip(halves[space], (last[n], last[7 + n])):
            expected = np.int32(-5)
            for value in half:
                expected = function(expected, value)
            assert found == expected, functions[n]
        # Each old value of an addition is what some other addition, or the start, left there.
        if functions[n] == "add" and space != "generic":
            seen = old[n * ITEMS:n * ITEMS + size]
            left = np.append(seen + mine, -5)
            end = last[n] if space == "global" else last[7 + n]
            assert (np.sort(left) == np.sort(np.append(seen, end))).all()


@pytest.mark.parametrize("call", CALLS)
def test_exchanges_of_every_type(m, build, call):
    name, order, scope = call
    both = order and order * 2
    if order == ", memory_order_acq_rel":
        both = ", memory_order_acq_rel, memory_order_acquire"
    program = build(f"""
        kernel void k(global atomic_uint *u, global atomic_float *f, global uint *seen, global float *sum) {{
            uint i = get_global_id(0);
            seen[i] = atomic_exchange{name}(u, i + 1{order}{scope});
            float old = atomic_load(f);
            do sum[i] = old;
            while (!atomic_compare_exchange_weak{name}(f, &old, old + 0.5f{both}{scope}));
            global uint *expected = seen + {ITEMS} + i; *expected = 7;
            if (atomic_compare_exchange_strong{name}(u + 1, expected, i{both}{scope})) *expected = 12345;
        }}
        kernel void one(global atomic_uint *u, global uint *out) {{
            uint expected = 5;
            out[0] = atomic_compare_exchange_strong{name}(u, &expected, 6{both}{scope}); out[1] = expected;
            out[2] = atomic_compare_exchange_strong{name}(u, &expected, 7{both}{scope}); out[3] = expected;
            atomic_store(u + 1, 9); out[4] = atomic_load(u + 1);
        }}""")
    u, f, seen, total = run(
        m, program, "k", ITEMS, np.array([0, 7], np.uint32), np.array([1], np.float32),
        np.zeros(2 * ITEMS, np.uint32), np.zeros(ITEMS, np.float32))
    # Every value went in once and came out once, or is there still.
    assert sorted(np.append(seen[:ITEMS], u[0])) == list(range(ITEMS + 1))
    assert f[0] == 1 + ITEMS / 2
    assert (np.sort(total) == 1 + np.arange(ITEMS) / 2).all()
    # Of those that expect 7, one has it, and the others see what that one stored.
    won = np.flatnonzero(seen[ITEMS:] == 12345)
    assert 7 in won or len(won) == 1 and u[1] == won[0]
    u, out = run(m, program, "one", 1, np.array([4, 0], np.uint32), np.zeros(5, np.uint32))
    assert out.tolist() == [0, 4, 1, 4, 9] and u.tolist() == [7, 9]


def test_flags_guard_critical_sections(m, build):
    """Of the work-items that find a flag clear, one at a time is inside."""
    if clang.LEVEL not in (None, "-O0"):
        pytest.skip("clang moves what is inside behind the loop, where no work-item of a vector gets to alone")
    program = build("""
        atomic_flag guard = ATOMIC_FLAG_INIT;
        kernel void k(global int *count, global int *entered) {
            for (int done = 0; !done;) {
                if (!atomic_flag_test_and_set_explicit(&guard, memory_order_acquire)) {
                    entered[*count] = get_global_id(0);
                    *count += 1;
                    done = 1;
                    atomic_flag_clear_explicit(&guard, memory_order_release);
                }
            }
        }""")
    count, entered = run(m, program, "k", ITEMS, np.zeros(1, np.int32), np.zeros(ITEMS, np.int32))
    assert count[0] == ITEMS and sorted(entered) == list(range(ITEMS))


@pytest.mark.parametrize("write,read", [
    ("atomic_store_explicit(flag, 1, memory_order_release);",
     "atomic_load_explicit(flag, memory_order_acquire)"),
    ("atomic_store(flag, 1);", "atomic_load(flag)"),
    ("atomic_fetch_add_explicit(flag, 1, memory_order_release, memory_scope_device);",
     "atomic_fetch_or_explicit(flag, 0, memory_order_acquire, memory_scope_device)"),
    ("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);"
     "atomic_store_explicit(flag, 1, memory_order_relaxed);",
     "(seen = atomic_load_explicit(flag, memory_order_relaxed),"
     "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device), seen)"),
])
def test_messages_between_work_groups(m, build, write, read):
    """Who sees the flag sees what was written before it."""
    program = build(f"""
        kernel void k(global atomic_int *flags, global int *data, global int *bad) {{
            int i = get_group_id(0), other = (i + 1) % get_num_groups(0), seen;
            global atomic_int *flag = flags + i;
            data[i * 16] = i + 1; data[i * 16 + 8] = -i;
            {write}
            flag = flags + other;
            for (int tries = 0; tries < 1000; tries++)
                if ({read}) {{
                    if (data[other * 16] != other + 1 || data[other * 16 + 8] != -other) bad[i] = 1;
                    break;
                }}
        }}""")
    groups = 256
    zeros = np.zeros(groups, np.int32)
    flags, _, bad = run(m, program, "k", groups, zeros, np.zeros(16 * groups, np.int32), zeros, local=1)
    assert flags.all() and not bad.any()


@pytest.mark.parametrize("scopes", [("work_group", "device"), ("device", "work_group")])
@pytest.mark.parametrize("space, flags", [("global", "shared"), ("local", "own")])
def test_scopes_need_not_be_the_same(m, build, scopes, space, flags):
    """Both include the other's work-item, which is enough since OpenCL 3.1 (API 3.3.5, inclusive scopes)."""
    program = build(f"""
        kernel void k(global atomic_int *shared, global int *data, global int *bad) {{
            local atomic_int own[64];
            int i = get_local_id(0), other = (i + 33) % 64, seen;
            atomic_init({flags} + i, 0);
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            data[i * 16] = i + 1; data[i * 16 + 8] = -i;
            atomic_store_explicit({flags} + i, 1, memory_order_release, memory_scope_{scopes[0]});
            for (int tries = 0; tries < 1000; tries++)
                if (atomic_load_explicit({flags} + other, memory_order_acquire, memory_scope_{scopes[1]})) {{
                    bad[i] = data[other * 16] != other + 1 || data[other * 16 + 8] != -other ? 2 : 1;
                    break;
                }}
        }}""")
    zeros = np.zeros(64, np.int32)
    _, _, bad = run(m, program, "k", 64, zeros, np.zeros(16 * 64, np.int32), zeros, local=64)
    assert (bad < 2).all() and bad.any()


@pytest.mark.parametrize("ends", [
    "atomic_store(mine, 1); out[i] = atomic_load(other);",
    "atomic_exchange_explicit(mine, 1, memory_order_relaxed);"
    "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);"
    "out[i] = atomic_load_explicit(other, memory_order_relaxed);",
    "atomic_store(mine, 1); int expected = 2; atomic_compare_exchange_strong(other, &expected, 3);"
    "out[i] = expected;",
])
def test_store_buffers_are_seen_through(m, build, ends):
    """Of two work-items that each set a flag and look at the other's, one sees it set."""
    program = build(f"""
        kernel void k(global atomic_int *flags, global int *out) {{
            int i = get_global_id(0), pairs = get_global_size(0) / 2;
            global atomic_int *mine = flags + i, *other = flags + (i + pairs) % (2 * pairs);
            {ends}
        }}""")
    zeros = np.zeros(2 * ITEMS, np.int32)
    for _ in range(5):
        _, out = run(m, program, "k", 2 * ITEMS, zeros, zeros)
        assert (out[:ITEMS] | out[ITEMS:]).all()


def test_fences_of_some_work_items_alone(m):
    """A fence is no barrier: work-items may execute different numbers of them (6.15.12.4)."""
    program = m.build("""
        kernel void k(global int *out, local int *scratch) {
            int l = get_local_id(0);
            for (int i = 0; i < l; i++) { scratch[l] = i; FENCE; }
            out[get_global_id(0)] = l ? scratch[l] : -1;
        }""", ["-cl-std=CL3.0", "-DFENCE=mem_fence(CLK_LOCAL_MEM_FENCE)"])
    size = min(128, m.device.max_work_group_size)
    out, = run(m, program, "k", size, np.zeros(size, np.int32), cl.LocalMemory(4 * size), local=size)
    assert out.tolist() == [l - 1 for l in range(size)]


def test_atomic_objects_of_a_program(m, build):
    program = build("""
        atomic_int hits = ATOMIC_VAR_INIT(5); global atomic_uint table[4]; atomic_float f = 1.5f;
        struct { atomic_int n; int plain; } record = {7, 8};
        kernel void k(global int *out) {
            local atomic_int inside;
            if (get_local_id(0) == 0) atomic_init(&inside, 0);
            work_group_barrier(CLK_LOCAL_MEM_FENCE);
            atomic_fetch_add(&hits, 1); atomic_fetch_max(&table[get_global_id(0) & 3], get_global_id(0));
            atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed, memory_scope_work_group);
            work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
            if (get_local_id(0) == 0) atomic_fetch_add(&record.n, atomic_load(&inside));
        }
        kernel void look(global int *out) {
            out[0] = atomic_load(&hits); for (int i = 0; i < 4; i++) out[1 + i] = atomic_load(&table[i]);
            out[5] = atomic_load(&f) * 2; out[6] = atomic_load(&record.n); out[7] = record.plain;
        }""")
    for n in (1, 2):
        run(m, program, "k", ITEMS, np.zeros(1, np.int32))
        out, = run(m, program, "look", 1, np.zeros(8, np.int32))
        last = [ITEMS - 4, ITEMS - 3, ITEMS - 2, ITEMS - 1]
        assert out.tolist() == [5 + n * ITEMS, *last, 3, 7 + n * ITEMS, 8]


def test_queries_agree(m):
    info = cl.device_info
    features = {version.name for version in m.device.get_info(info.OPENCL_C_FEATURES)}
    memory = m.device.get_info(info.ATOMIC_MEMORY_CAPABILITIES)
    fences = m.device.get_info(info.ATOMIC_FENCE_CAPABILITIES)
    assert memory & 1 and memory & 1 << 4, "relaxed, work-group"
    assert fences & 1 and fences & 1 << 1 and fences & 1 << 4, "relaxed, acq_rel, work-group"
    for bit, feature in enumerate(
            ["order_acq_rel", "order_seq_cst", None, None, "scope_device", "scope_all_devices"], 1):
        if feature:
            assert bool(memory >> bit & 1) == (f"__opencl_c_atomic_{feature}" in features), feature
            assert not memory >> bit & 1 or fences >> bit & 1, feature


# How programs of OpenCL C 1.2 publish what a work-group wrote, and how the last one sees it.
PUBLISHED = [
    ("mem_fence(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE);", ""),
    ("write_mem_fence(CLK_GLOBAL_MEM_FENCE); barrier(CLK_LOCAL_MEM_FENCE);",
     "read_mem_fence(CLK_GLOBAL_MEM_FENCE);"),
    ("barrier(CLK_GLOBAL_MEM_FENCE);", ""),
]


@pytest.mark.parametrize("publish,acquire", PUBLISHED)
def test_the_last_work_group_sees_what_all_wrote(m, publish, acquire):
    groups, size, rounds = 96, 32, 100
    program = m.build(f"""
        kernel void sum(global const uint *in, global uint *partial, volatile global uint *counter,
                        global uint *out, uint round) {{
            local uint last;
            size_t i = get_local_id(0), group = get_group_id(0);
            // Each work-item writes, and the last group reads what others wrote before and has seen older.
            uint before = partial[((group + 1) % get_num_groups(0)) * get_local_size(0) + i];
            partial[group * get_local_size(0) + i] = in[get_global_id(0)] * round;
            {publish}
            if (i == 0) last = atomic_inc(counter) == get_num_groups(0) - 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (!last) return;
            {acquire}
            uint sum = 0;
            for (size_t g = 0; g < get_num_groups(0); g++) sum += partial[g * get_local_size(0) + i];
            out[i] = sum + (before == 0xffffffff);
            if (i == 0) *counter = 0;
        }}""")
    values = np.random.default_rng(7).integers(0, 1000, groups * size).astype(np.uint32)
    given, partial = m.buffer(values), m.buffer(np.zeros_like(values))
    counter, out = m.buffer(np.zeros(1, np.uint32)), m.buffer(np.zeros(size, np.uint32))
    expected = values.reshape(groups, size).sum(axis=0, dtype=np.uint32)
    kernel = cl.Kernel(program, "sum")
    for number in range(1, rounds + 1):
        kernel(m.queue, (groups * size,), (size,), given, partial, counter, out, np.uint32(number))
        assert (m.read(out, np.uint32, size) == expected * np.uint32(number)).all(), number
