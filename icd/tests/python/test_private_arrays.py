"""Private arrays with very many accesses, for which kernels begin with a barrier on drivers that take long for them
(compiler/src/emit/array_uses.rs): in work-groups of one and several
sub-groups, with and without barriers of their own."""

import numpy as np
import pyopencl as cl
import pytest

STEPS = 320
SOURCE = """
__attribute__((noinline)) uint step(uint *s, uint x) {
    s[x % 64] ^= x;
    return s[x / 64 % 64] + s[x % 64] * 3;
}
kernel void k(global uint *p, local uint *shared) {
    uint s[64], x = p[get_global_id(0)];
    for (uint i = 0; i < 64; i++)
        s[i] = x * i;
    LOADS
    BARRIER
    p[get_global_id(0)] = x;
}"""
BARRIER = """
    shared[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = shared[get_local_size(0) - 1 - get_local_id(0)];
"""


def expected(x):
    s = x * np.arange(64, dtype=np.uint32)[:, None]
    lanes = np.arange(len(x))
    for i in range(STEPS):
        if i % 2:
            x = s[x % 64, lanes] ^ (x >> np.uint32(i % 31))
        else:
            s[x % 64, lanes] ^= x
            x = s[x // 64 % 64, lanes] + s[x % 64, lanes] * np.uint32(3)
    return x


@pytest.mark.parametrize("barrier", [False, True])
@pytest.mark.parametrize("local", [4, 64])
def test_arrays_are_right_with_many_accesses(m, local, barrier):
    steps = ["x = step(s, x);", "x = s[x % 64] ^ (x >> {});"]
    loads = "\n".join(steps[i % 2].format(i % 31) for i in range(STEPS))
    source = SOURCE.replace("LOADS", loads).replace("BARRIER", BARRIER if barrier else "")
    program = cl.Program(m.context, source).build()
    x = np.random.default_rng(local).integers(0, 1 << 32, 192, np.uint32)
    buffer = cl.Buffer(m.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    kernel = cl.Kernel(program, "k")
    kernel.set_args(buffer, cl.LocalMemory(4 * local))
    cl.enqueue_nd_range_kernel(m.queue, kernel, (192,), (local,))
    out = np.empty_like(x)
    cl.enqueue_copy(m.queue, out, buffer)
    right = expected(x)
    if barrier:
        right = right.reshape(-1, local)[:, ::-1].reshape(-1)
    assert (out == right).all()
