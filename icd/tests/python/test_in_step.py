"""Work-items that run in step, as many as a sub-group has, pass values through volatile local memory without barriers."""

import numpy as np
import pyopencl as cl

SOURCE = """
kernel void sums(global const int *in, global int *out)
{
    local int shared[2 * SIZE];
    uint l = get_local_id(0);
    int sum = in[get_global_id(0)];
    shared[l] = sum;
    shared[l + SIZE] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile local int *step = shared;
    for (uint n = SIZE / 2; n > 0; n /= 2) step[l] = sum = sum + step[l + n];
    if (l == 0) out[get_group_id(0)] = sum;
}"""


def test_sums_in_step(m):
    """A sum in a work-group that is one sub-group. Nothing but the order of the accesses keeps it right."""
    probe = m.build("kernel void k(global int *o) { o[get_global_id(0)] = 0; }").k
    size = probe.get_work_group_info(cl.kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, m.device)
    kernel = m.build(SOURCE, [f"-DSIZE={size}"]).sums
    values = (np.arange(512 * size) % 7).astype(np.int32)
    out = np.zeros(512, np.int32)
    given, sums = m.buffer(values), m.buffer(out)
    kernel(m.queue, (512 * size,), (size,), given, sums)
    cl.enqueue_copy(m.queue, out, sums)
    assert (out == values.reshape(512, size).sum(1)).all()
