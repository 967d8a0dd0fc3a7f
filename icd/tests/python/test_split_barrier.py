"""cl_intel_split_work_group_barrier: what was written before a work-item arrived is seen behind the wait."""

import numpy as np
import pytest

SOURCE = """
#ifndef cl_intel_split_work_group_barrier
#error no macro
#endif
#pragma OPENCL EXTENSION cl_intel_split_work_group_barrier : enable
kernel void turn(global uint *data, global uint *mine)
{
    local uint shared[256];
    size_t i = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    uint kept = 0;
    for (uint round = 0; round < 8; round++) {
        shared[i] = data[first + i] + round;
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE LOCAL_SCOPE);
        kept += i * round;
        intel_work_group_barrier_wait(CLK_LOCAL_MEM_FENCE LOCAL_SCOPE);
        uint other = shared[(i + 17) % n];
        intel_work_group_barrier_arrive(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE GLOBAL_SCOPE);
        intel_work_group_barrier_wait(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE GLOBAL_SCOPE);
        data[first + (i + 3) % n] = other;
        intel_work_group_barrier_arrive(CLK_GLOBAL_MEM_FENCE);
        intel_work_group_barrier_wait(CLK_GLOBAL_MEM_FENCE);
    }
    mine[first + i] = kept;
}
"""
SCOPES = [("-cl-std=CL1.2", "", ""), ("-cl-std=CL3.0", "", ""),
          ("-cl-std=CL3.0", ", memory_scope_work_group", ", memory_scope_device")]


@pytest.mark.parametrize("version,local_scope,global_scope", SCOPES)
@pytest.mark.parametrize("size", [16, 60, 128])
def test_arriving_and_waiting(m, rng, version, local_scope, global_scope, size):
    if not m.is_hekla:
        pytest.skip("functions of few platforms")
    assert "cl_intel_split_work_group_barrier" in m.device.extensions.split()
    program = m.build(f"#define LOCAL_SCOPE {local_scope}\n#define GLOBAL_SCOPE {global_scope}\n{SOURCE}", [version])
    data = rng.integers(0, 1000, (3, size), dtype=np.uint32)
    buffer, mine = m.buffer(data), m.empty(data.nbytes)
    program.turn(m.queue, (3 * size,), (size,), buffer, mine)
    expected = data
    for number in range(8):
        expected = np.roll(np.roll(expected + np.uint32(number), -17, axis=1), 3, axis=1)
    np.testing.assert_array_equal(m.read(buffer, np.uint32, data.shape), expected)
    np.testing.assert_array_equal(m.read(mine, np.uint32, data.shape), np.broadcast_to(28 * np.arange(size), data.shape))
