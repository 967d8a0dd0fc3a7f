"""Run by test_host_memory.py in a process of its own: a context of two devices whose memory is the host's."""

import numpy as np
import pyopencl as cl

devices = cl.get_platforms()[0].get_devices()
assert len(devices) == 2, devices
context = cl.Context(devices)
queues = [cl.CommandQueue(context, device) for device in devices]
program = cl.Program(context, "kernel void add(global uint *p, uint x) { p[get_global_id(0)] += x; }").build()
add = cl.Kernel(program, "add")
host = np.zeros(4096, np.uint32)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
buffer = cl.Buffer(context, flags, hostbuf=host)
for _ in range(50):
    for value, queue in enumerate(queues):
        add(queue, host.shape, None, buffer, np.uint32(value))
        queue.finish()
        host += 1
assert (host == 150).all(), host
# Behind each other by events, without the host.
last = None
for turn in range(20):
    last = add(queues[turn % 2], host.shape, None, buffer, np.uint32(1), wait_for=[last] if last else None)
last.wait()
assert (host == 170).all(), host
# A map is the memory itself on both.
for queue in queues:
    array, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE, 64, (64,), np.uint32)
    assert array.ctypes.data == host.ctypes.data + 64
    array[:] += 1
    array.base.release(queue)
    queue.finish()
assert (host[16:80] == 172).all() and (host[80:] == 170).all(), host
for queue in queues:
    part = buffer.get_sub_region(4096, 256)
    copy = np.zeros(64, np.uint32)
    cl.enqueue_copy(queue, part, np.full(64, 9, np.uint32))
    cl.enqueue_copy(queue, copy, part)
    assert (copy == 9).all() and (host[1024:1088] == 9).all()
    host[1024:1088] = 0

if devices[0].image_support:
    texels = np.zeros((8, 16, 4), np.uint32)
    format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT32)
    image = cl.Image(context, flags, format, shape=(16, 8), hostbuf=texels)
    source = """kernel void put(write_only image2d_t im, uint x)
    { int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imageui(im, at, (uint4)(at.x, at.y, x, 7)); }
    kernel void get(read_only image2d_t im, global uint4 *out)
    { int2 at = (int2)(get_global_id(0), get_global_id(1)); out[at.y * 16 + at.x] = read_imageui(im, at); }"""
    program = cl.Program(context, source).build()
    put, get = cl.Kernel(program, "put"), cl.Kernel(program, "get")
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, texels.nbytes)
    for value, queue in enumerate(queues):
        put(queue, (16, 8), None, image, np.uint32(value))
        queue.finish()
        assert (texels[..., 2] == value).all() and (texels[3, 5] == [5, 3, value, 7]).all()
        texels[1, 2] = 99
        other = queues[1 - value]
        get(other, (16, 8), None, image, out)
        read = np.zeros_like(texels)
        cl.enqueue_copy(other, read, out)
        assert np.array_equal(read, texels)
print("done")
