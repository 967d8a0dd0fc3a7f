"""cl_ext_float_atomics: many work-items on few numbers, in global and in local memory."""

import numpy as np
import pytest

CL3 = ["-cl-std=CL3.0"]
COUNT, PLACES = 1 << 12, 5


@pytest.mark.parametrize("order", ["", "_explicit"])
@pytest.mark.parametrize("memory", ["global", "local"])
@pytest.mark.parametrize("name, dtype", [("half", np.float16), ("float", np.float32), ("double", np.float64)])
def test_arithmetic(m, rng, name, dtype, memory, order):
    """Sums of whole numbers are exact in any order; the least and the greatest number are some of those given."""
    where = ", memory_order_relaxed, memory_scope_work_group" if order else ""
    if memory == "global" and order:
        where = where.replace("work_group", "device")
    local = memory == "local"
    start = f"""
        local atomic_{name} numbers[{4 * PLACES}];
        for (size_t i = get_local_id(0); i < {4 * PLACES}; i += get_local_size(0))
            atomic_init(numbers + i, out[i]);
        barrier(CLK_LOCAL_MEM_FENCE);""" if local else f"""
        global atomic_{name} *numbers = (global atomic_{name} *)out;"""
    end = f"""
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t i = get_local_id(0); i < {4 * PLACES}; i += get_local_size(0))
            out[i] = atomic_load_explicit(numbers + i, memory_order_relaxed,
                                          memory_scope_work_group);""" if local else ""
    if name == "half" and "cl_khr_fp16" not in m.device.extensions:
        pytest.skip("no halves on this device")
    program = m.build(f"""
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void test(const global {name} *in, global {name} *out, global {name} *old) {{
            {start}
            for (size_t i = get_global_id(0); i < {COUNT}; i += get_global_size(0)) {{
                {name} x = in[i];
                size_t place = 4 * (i % {PLACES});
                old[i] = atomic_fetch_add{order}(numbers + place, x{where});
                atomic_fetch_sub{order}(numbers + place + 1, x{where});
                atomic_fetch_min{order}(numbers + place + 2, x{where});
                atomic_fetch_max{order}(numbers + place + 3, x{where});
            }}
            {end}
        }}""", CL3)
    # Sums of halves are exact up to 2048.
    most = 2 if name == "half" else 1000
    data = rng.integers(-most, most + 1, COUNT).astype(dtype)
    first = np.zeros((PLACES, 4), dtype)
    out, old = m.buffer(first), m.empty(data.nbytes)
    program.test(m.queue, (64 if local else 512,), (64,), m.buffer(data), out, old)
    got = m.read(out, dtype, first.shape)
    for place in range(PLACES):
        numbers = data[place::PLACES].astype(np.float64)
        total = numbers.sum()
        assert got[place].tolist() == [total, -total, min(numbers.min(), 0), max(numbers.max(), 0)]
        # The old values are partial sums: each but the last is what another work-item found.
        before = m.read(old, dtype, COUNT)[place::PLACES].astype(np.float64)
        after = np.sort(before + numbers)
        assert (np.sort(np.append(before, total)) == np.sort(np.append(after, 0))).all()


@pytest.mark.parametrize("name, dtype, bits", [("float", np.float32, np.uint32), ("double", np.float64, np.uint64)])
def test_special_numbers(m, name, dtype, bits):
    """NaN gives way to numbers, infinities are extremes, denormal numbers count where the device keeps them."""
    program = m.build(f"""
        kernel void test(global {name} *in, global atomic_{name} *out) {{
            atomic_fetch_min(out, in[0]);
            atomic_fetch_max(out + 1, in[1]);
            atomic_fetch_min(out + 2, in[2]);
            atomic_fetch_max(out + 3, in[3]);
            atomic_fetch_add(out + 4, in[4]);
            atomic_fetch_add(out + 5, in[5]);
            atomic_fetch_max(out + 6, in[6]);
            atomic_fetch_min(out + 7, in[7]);
        }}""", CL3)
    tiny = np.finfo(dtype).tiny
    config = m.device.single_fp_config if name == "float" else m.device.double_fp_config
    keeps = config & 1
    small = dtype(tiny / 4) if keeps else dtype(tiny * 4)
    data = np.array([np.nan, 1, -np.inf, np.inf, small, np.inf, small, -small], dtype)
    start = np.array([2, np.nan, 3, 3, small, -np.inf, small / 2, -small / 2], dtype)
    out = m.buffer(start)
    program.test(m.queue, (1,), None, m.buffer(data), out)
    got = m.read(out, dtype, 8)
    assert got[:4].tolist() == [2, 1, -np.inf, np.inf]
    assert got[4] == 2 * small and np.isnan(got[5])
    assert got[6:].tolist() == [small, -small]


def test_halves_beside_each_other(m):
    """Halves that share a word are loaded, stored and exchanged without disturbing each other."""
    if "cl_khr_fp16" not in m.device.extensions:
        pytest.skip("no halves on this device")
    program = m.build("""
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void test(global atomic_half *a, global half *old) {
            size_t i = get_global_id(0);
            old[i] = atomic_exchange(a + i, (half)(i + 0.5h));
            atomic_store_explicit(a + i, atomic_load(a + i) * 2.0h, memory_order_relaxed);
        }""", CL3)
    count = 513
    data = np.arange(count).astype(np.float16) * 3
    a, old = m.buffer(data), m.empty(data.nbytes)
    program.test(m.queue, (count,), None, a, old)
    assert (m.read(old, np.float16, count) == data).all()
    assert (m.read(a, np.float16, count) == np.arange(count) * 2 + 1).all()


def test_sums_of_halves_keep_what_nans_are(m):
    """A NaN keeps its sign and payload, the first one of two; infinities that cancel give the negative quiet one."""
    if "cl_khr_fp16" not in m.device.extensions:
        pytest.skip("no halves on this device")
    program = m.build("""
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void test(global half *in, global atomic_half *out) {
            size_t i = get_global_id(0);
            atomic_fetch_add(out + i, in[i]);
        }""", CL3)
    start = np.array([0xfe12, 0x7e34, 0x3c00, 0x3c00, 0x7c01, 0xfe01, 0x7c00, 0x3c00], np.uint16)
    data = np.array([0x3c00, 0x7c00, 0xfe56, 0x7d78, 0x4000, 0x7e02, 0xfc00, 0x3c00], np.uint16)
    out = m.buffer(start)
    program.test(m.queue, start.shape, None, m.buffer(data), out)
    wanted = [0xfe12, 0x7e34, 0xfe56, 0x7f78, 0x7e01, 0xfe01, 0xfe00, 0x4000]
    assert [hex(bits) for bits in m.read(out, np.uint16, 8)] == [hex(bits) for bits in wanted]
