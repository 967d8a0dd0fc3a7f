"""Work-group collective functions: votes, broadcasts, reductions and scans over whole work-groups."""

import os
import subprocess

import numpy as np
import pyopencl as cl
import pytest
from conftest import PYTHON

STD = ["-cl-std=CL3.0"]
# Shapes of work-groups, powers of two and not; (global size, local size).
SHAPES = [((64,), (64,)), ((3,), (1,)), ((100,), (50,)), ((12, 10), (6, 5)), ((8, 6, 6), (4, 2, 3)),
          ((100,), (64,))]
TYPES = {"int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64,
         "float": np.float32, "double": np.float64}
LINEAR = """
size_t group_start()
{
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    return group * get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
}
#define SLOT (group_start() + get_local_linear_id())
"""


def slots(shape):
    """Each work-group's slice of the work-items in the order of groups and of linear local ids."""
    size, local = (np.prod(part) for part in shape)
    return [slice(start, min(start + local, size)) for start in range(0, size, local)]


def run(m, source, shape, data, dtype):
    program = m.build(LINEAR + source, STD)
    out = m.empty(np.dtype(dtype).itemsize * len(data))
    program.f(m.queue, shape[0], shape[1], m.buffer(data), out)
    return m.read(out, dtype, len(data))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TYPES)
def test_reductions_and_scans(m, rng, name, shape):
    """Every operation in one kernel, one after the other, in the order of linear local ids."""
    dtype, n = TYPES[name], np.prod(shape[0])
    operations = [(kind, op) for kind in ("reduce", "scan_inclusive", "scan_exclusive")
                  for op in ("add", "min", "max")]
    calls = [f"r[{k}] = work_group_{kind}_{op}(x);" for k, (kind, op) in enumerate(operations)]
    source = f"""
        kernel void f(global const {name} *in, global {name} *out)
        {{
            {name} x = in[SLOT], r[9];
            {' '.join(calls)}
            for (int k = 0; k < 9; ++k) out[9 * SLOT + k] = r[k];
        }}"""
    if dtype in (np.float32, np.float64):
        data = rng.integers(-50, 50, n).astype(dtype)
    else:
        info = np.iinfo(dtype)
        data = rng.integers(info.min // 64, info.max // 64, n).astype(dtype)
    program = m.build(LINEAR + source, STD)
    out = m.empty(9 * data.nbytes)
    program.f(m.queue, shape[0], shape[1], m.buffer(data), out)
    got = m.read(out, dtype, (n, 9))
    ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum}
    limits = (-np.inf, np.inf) if data.dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    identity = {"add": 0, "min": limits[1], "max": limits[0]}
    for group in slots(shape):
        x = data[group]
        for k, (kind, op) in enumerate(operations):
            scan = ufunc[op].accumulate(x)
            want = {"reduce": np.full_like(x, scan[-1]), "scan_inclusive": scan,
                    "scan_exclusive": np.concatenate([np.array([identity[op]], dtype), scan[:-1]])}
            np.testing.assert_array_equal(got[group, k], want[kind], err_msg=f"{kind} {op}")


@pytest.mark.parametrize("shape", SHAPES)
def test_votes(m, rng, shape):
    n = np.prod(shape[0])
    source = """kernel void f(global const int *in, global int *out)
        {
            int x = in[SLOT], all = work_group_all(x), any = work_group_any(x);
            out[SLOT] = !!all + 2 * !!any + 4 * !!work_group_any(x == 5) + 8 * !!work_group_all(x != 5);
        }"""
    data = np.zeros(n, np.int32)
    groups = slots(shape)
    expected = np.zeros(n, np.int32)
    for number, group in enumerate(groups):
        x = [np.zeros, np.ones, lambda k: np.arange(k), lambda k: -np.arange(1, k + 1)][number % 4]
        data[group] = x = x(group.stop - group.start)
        five = (x == 5).any()
        expected[group] = x.all() + 2 * x.any() + 4 * five + 8 * (not five)
    np.testing.assert_array_equal(run(m, source, shape, data, np.int32), expected)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", SHAPES[:5])
def test_broadcasts(m, rng, name, shape):
    """From a work-item that depends on the work-group, by as many ids as there are dimensions."""
    dims, n = len(shape[0]), int(np.prod(shape[0]))
    ids = ["1 % get_local_size(0)", "(get_group_id(0) + 1) % get_local_size(1)", "get_local_size(2) - 1"]
    source = f"""kernel void f(global const {name} *in, global {name} *out)
        {{
            {name} x = in[SLOT], y = work_group_broadcast(x, {', '.join(ids[:dims])});
            for (int k = 0; k < 3; ++k) y += work_group_broadcast(x, {', '.join(['0'] * dims)}) * k;
            out[SLOT] = y;
        }}"""
    data = rng.integers(0, 100, n).astype(TYPES[name])
    got = run(m, source, shape, data, TYPES[name])
    local = list(shape[1]) + [1] * (3 - dims)
    groups_x = shape[0][0] // shape[1][0]
    for number, group in enumerate(slots(shape)):
        at = [1 % local[0], (number % groups_x + 1) % local[1], local[2] - 1]
        source_item = (at[2] * local[1] + at[1]) * local[0] + at[0] if dims > 1 else at[0]
        x = data[group]
        np.testing.assert_array_equal(got[group], x[source_item] + 3 * x[0])


def test_in_loops_and_functions_with_other_local_memory(m, rng):
    """A sum of many rounds in a function, beside the kernel's own bytes in local memory."""
    source = """
        int rounds(int x, int n)
        {
            int sum = 0;
            for (int k = 0; k < n; ++k) { sum += work_group_scan_exclusive_add(x + k); x = work_group_reduce_max(x) - x; }
            return sum;
        }
        kernel void f(global const int *in, global int *out)
        {
            local uchar bytes[64];
            bytes[get_local_id(0)] = get_local_id(0);
            int r = rounds(in[get_global_id(0)], 5);
            out[get_global_id(0)] = r + bytes[63 - get_local_id(0)];
        }"""
    n = 128
    data = rng.integers(0, 1000, n).astype(np.int32)
    got = run(m, source, ((n,), (64,)), data, np.int32)
    for start in (0, 64):
        x, total = data[start:start + 64].copy(), np.zeros(64, np.int32)
        for k in range(5):
            total += np.concatenate([[0], np.cumsum(x + k)[:-1]]).astype(np.int32)
            x = x.max() - x
        np.testing.assert_array_equal(got[start:start + 64], total + 63 - np.arange(64))


@pytest.mark.skipif(os.environ.get("HEKLA_VALIDATE") != "1", reason="nothing is validated anyway")
def test_by_sub_groups():
    """All of the above without the validation layer, which keeps from devices what tells when a sub-group is together."""
    command = [*PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, "-k", "reductions or votes or loops"]
    # spirv-val may be as old as the layer.
    env = {**{k: v for k, v in os.environ.items() if k != "HEKLA_DUMP"}, "HEKLA_VALIDATE": "0"}
    done = subprocess.run(command, env=env, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout.decode()


def test_the_feature(m):
    """The query, the macro and the functions go together; older programs have none of them."""
    assert m.device.get_info(0x1068)  # CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
    feature = "__opencl_c_work_group_collective_functions"
    assert feature in [f.name for f in m.device.opencl_c_features]
    text = f"#ifdef {feature}\n#error defined\n#endif\nint work_group_all(int x) {{ return x; }}"
    cl.Program(m.context, text + "kernel void f(global int *p) { *p = work_group_all(*p); }").build()
    for source in ["work_group_any(1)", "work_group_reduce_add(1)"]:
        with pytest.raises(cl.RuntimeError, match="implicit declaration of function"):
            cl.Program(m.context, f"kernel void f(global int *p) {{ *p = {source}; }}").build()
