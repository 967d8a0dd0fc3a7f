"""Queues on the device (OpenCL C 6.15.17): kernels enqueue blocks, which run as if the host had."""

import numpy as np
import pyopencl as cl
import pytest

OUT_OF_ORDER, PROFILING, ON_DEVICE, DEFAULT = 1, 2, 4, 8
CL_QUEUE_PROPERTIES, CL_QUEUE_SIZE = 0x1093, 0x1094
READ_WRITE = cl.mem_flags.READ_WRITE
CLK_ENQUEUE_FAILURE, CLK_INVALID_QUEUE = -101, -102
CLK_INVALID_NDRANGE = -160
CLK_INVALID_EVENT_WAIT_LIST, CLK_DEVICE_QUEUE_FULL, CLK_EVENT_ALLOCATION_FAILURE = -57, -161, -100


def on_device(m, bits=DEFAULT, size=None):
    """A queue on the device, the default one unless told otherwise."""
    profiling = PROFILING if m.has_profiling else 0
    properties = [CL_QUEUE_PROPERTIES, ON_DEVICE | OUT_OF_ORDER | profiling | bits]
    if size is not None:
        properties += [CL_QUEUE_SIZE, size]
    return cl.CommandQueue(m.context, m.device, properties=properties)


@pytest.fixture
def device_queue(m):
    """A default queue; the test is skipped on a device without."""
    if not m.device.device_enqueue_capabilities:
        pytest.skip("no queues on this device")
    return on_device(m)


def build(m, text, *options):
    return {k.function_name: k for k in m.build(text, ["-cl-std=CL2.0", *options]).all_kernels()}


def run(m, kernel, size, count, *args, local=None, fill=0):
    """Runs a kernel whose first argument is `count` ints; returns them."""
    out = np.full(count, fill, np.int32)
    buffer = cl.Buffer(m.context, READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    kernel(m.queue, (size,), local and (local,), buffer, *args)
    cl.enqueue_copy(m.queue, out, buffer)
    return out


def test_blocks_capture_values_arrays_and_vectors(m, device_queue):
    """What a block captured is what it was when the literal was evaluated, in each work-item; arrays go along."""
    kernels = build(m, """
        struct pair { char c; long l; };
        kernel void k(global int *out, long big, float4 v) {
            size_t i = get_global_id(0);
            int a[5] = {10, 20, 30, 40, (int)i};
            struct pair p = {(char)i, big};
            bool odd = i & 1;
            void (^block)(void) = ^{
                out[i] = a[1] + a[4] + p.c + (int)(p.l >> 32) + (int)v.y + odd * 1000 + (int)get_global_id(0);
            };
            p.l = 0; odd = true; v.y = -1;
            int e = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), block);
            if (e != CLK_SUCCESS)
                out[i] = e;
        }""")
    got = run(m, kernels["k"], 100, 100, np.int64(5 << 32), np.array([1, 2, 3, 4], np.float32))
    i = np.arange(100)
    assert list(got) == list(20 + i + i + 5 + 2 + (i & 1) * 1000)


@pytest.mark.parametrize("order", ["RGBA", "BGRA"])
def test_blocks_write_captured_images(m, device_queue, order):
    """An image that a block captured keeps the order of its components, though it is no argument of the block."""
    kernels = build(m, """
        kernel void k(write_only image2d_t image) {
            void (^block)(void) = ^{
                write_imagef(image, (int2)(get_global_id(0), 0), (float4)(1.0f, 0.6f, 0.2f, 0.0f));
            };
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), block);
        }""")
    form = cl.ImageFormat(getattr(cl.channel_order, order), cl.channel_type.UNORM_INT8)
    image = cl.Image(m.context, READ_WRITE, form, shape=(4, 1))
    kernels["k"](m.queue, (1,), None, image)
    got = np.zeros((4, 4), np.uint8)
    cl.enqueue_copy(m.queue, got, image, origin=(0, 0), region=(4, 1))
    assert (got == ([255, 153, 51, 0] if order == "RGBA" else [51, 153, 255, 0])).all()


def test_ranges_of_all_dimensions(m, device_queue):
    """Offsets, global and local sizes come as they were given."""
    kernels = build(m, """
        kernel void k(global int *out) {
            queue_t q = get_default_queue();
            size_t o[3] = {1, 2, 3}, g[3] = {4, 6, 8}, l[3] = {2, 3, 4};
            void (^tell)(void) = ^{
                int at = atomic_add(out, 1);
                atomic_max(out + 1, (int)get_global_id(0)); atomic_max(out + 2, (int)get_global_id(1));
                atomic_max(out + 3, (int)get_global_id(2)); atomic_max(out + 4, (int)get_local_size(0));
                atomic_max(out + 5, (int)get_local_size(1)); atomic_max(out + 6, (int)get_local_size(2));
                atomic_max(out + 7, (int)get_work_dim()); atomic_max(out + 8, (int)get_num_groups(1));
            };
            out[9] = enqueue_kernel(q, 0, ndrange_3D(o, g, l), tell);
            void (^two)(void) = ^{
                atomic_add(out + 10, 1); atomic_max(out + 11, (int)get_global_id(1));
                atomic_max(out + 12, (int)(get_local_size(0) * get_local_size(1)));
            };
            out[13] = enqueue_kernel(q, 0, ndrange_2D(g), two);
            out[14] = enqueue_kernel(q, 0, ndrange_1D(7, 10, 5), ^{ atomic_add(out + 15, (int)get_global_id(0)); });
            ndrange_t none = ndrange_1D(0);
            out[16] = enqueue_kernel(q, 0, none, ^{ out[17] = 1; });
        }""")
    got = run(m, kernels["k"], 1, 20)
    assert list(got[:10]) == [192, 4, 7, 10, 2, 3, 4, 3, 2, 0]
    assert (got[10], got[11], got[13]) == (24, 5, 0)
    assert (got[14], got[15]) == (0, sum(range(7, 17)))
    assert (got[16], got[17]) == (0, 0)


def test_local_arguments(m, device_queue):
    """A block gets local memory of the sizes that the call names."""
    kernels = build(m, """
        kernel void k(global int *out, uint n) {
            out[64] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(64, 16),
                ^(local void *a, local void *b) {
                    local int *ints = a; local long *longs = b;
                    uint i = get_local_id(0);
                    ints[i] = get_global_id(0); longs[i] = ints[i] * 2;
                    barrier(CLK_LOCAL_MEM_FENCE);
                    out[get_global_id(0)] = ints[15 - i] + (int)longs[i];
                }, n * 4, (uint)(16 * sizeof(long)));
        }""")
    got = run(m, kernels["k"], 1, 65, np.uint32(16))
    i = np.arange(64)
    assert list(got[:64]) == list(i // 16 * 16 + 15 - i % 16 + 2 * i) and got[64] == 0


def test_blocks_enqueue_blocks(m, device_queue):
    """A function that a block calls enqueues that block: 2 + 4 + ... + 2^n work-items."""
    kernels = build(m, """
        void next(global int *out, int left) {
            if (left == 0)
                return;
            void (^block)(void) = ^{ atomic_inc(out); next(out, left - 1); };
            int e = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), block);
            if (e)
                out[1] = e;
        }
        kernel void k(global int *out, int levels) { next(out, levels); }
        kernel void inner(global int *out) {
            int x = 5;
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{
                int y = x * 2;
                out[0] = y;
                enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = x + y; });
            });
        }""")
    for levels in (1, 4, 8):
        assert list(run(m, kernels["k"], 1, 2, np.int32(levels))) == [2 ** (levels + 1) - 2, 0]
    assert list(run(m, kernels["inner"], 1, 2)) == [10, 15]


def test_commands_behind_see_what_was_enqueued(m, device_queue):
    """A command of the host's queue, in order or by its event, runs behind all that the kernel led to."""
    kernels = build(m, """
        void chain(global int *out, int left) {
            out[0] += 1;
            if (left > 1)
                enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ chain(out, left - 1); });
        }
        kernel void k(global int *out) { chain(out, 5); }
        kernel void twice(global int *out) { out[0] *= 2; }""")
    out = np.zeros(1, np.int32)
    buffer = cl.Buffer(m.context, READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    for _ in range(3):
        kernels["k"](m.queue, (1,), None, buffer)
        kernels["twice"](m.queue, (1,), None, buffer)
    cl.enqueue_copy(m.queue, out, buffer)
    assert out[0] == ((5 * 2) + 5) * 2 * 2 + 5 * 2
    other = cl.CommandQueue(m.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    first = kernels["k"](other, (1,), None, buffer)
    second = kernels["twice"](other, (1,), None, buffer, wait_for=[first])
    second.wait()
    cl.enqueue_copy(m.queue, out, buffer)
    assert out[0] == (70 + 5) * 2
    kernels["k"](other, (1,), None, buffer)
    other.finish()
    cl.enqueue_copy(m.queue, out, buffer)
    assert out[0] == 155


def test_events_order_blocks(m, device_queue):
    """Wait lists, markers and user events, which another block sets."""
    kernels = build(m, """
        kernel void k(global int *out) {
            queue_t q = get_default_queue();
            clk_event_t user = create_user_event(), first, second, marker;
            out[0] = is_valid_event(user) && !is_valid_event(CLK_NULL_EVENT);
            int e = enqueue_kernel(q, 0, ndrange_1D(1), 1, &user, &first, ^{ out[1] = out[2] + 1; });
            e |= enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &second, ^{
                out[2] = 7;
                set_user_event_status(user, CL_COMPLETE);
            });
            clk_event_t both[2] = {first, second};
            e |= enqueue_marker(q, 2, both, &marker);
            e |= enqueue_kernel(q, 0, ndrange_1D(1), 1, &marker, NULL, ^{ out[3] = out[1] + out[2]; });
            retain_event(first);
            release_event(first); release_event(first); release_event(second); release_event(marker);
            out[4] = e;
        }
        kernel void failing(global int *out) {
            queue_t q = get_default_queue();
            clk_event_t user = create_user_event(), next;
            set_user_event_status(user, -5);
            out[0] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &user, &next, ^{ out[1] = 1; });
            out[2] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &next, NULL, ^{ out[3] = 1; });
        }
        kernel void forgotten(global int *out) {
            clk_event_t user = create_user_event();
            out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 1, &user, NULL, ^{ out[1] = 1; });
        }""")
    assert list(run(m, kernels["k"], 1, 5)) == [1, 8, 7, 15, 0]
    # What waits for a failure does not run; nor does what waits for ever, and the host does not wait for it.
    assert list(run(m, kernels["failing"], 1, 4)) == [0, 0, 0, 0]
    assert list(run(m, kernels["forgotten"], 1, 2)) == [0, 0]


def test_an_event_is_complete_with_what_its_block_enqueued(m, device_queue):
    kernels = build(m, """
        kernel void k(global int *out) {
            queue_t q = get_default_queue();
            clk_event_t first;
            enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &first, ^{
                enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[0] = 3; });
            });
            enqueue_kernel(q, 0, ndrange_1D(1), 1, &first, NULL, ^{ out[1] = out[0] * 2; });
        }""")
    assert list(run(m, kernels["k"], 1, 2)) == [3, 6]


def test_many_blocks_and_many_events(m, device_queue):
    """More events and bytes than there are at once, in one launch after the other of a chain."""
    kernels = build(m, """
        void chain(global int *out, int left) {
            if (left == 0)
                return;
            clk_event_t events[64];
            for (int i = 0; i < 64; i++) {
                int e = enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), 0, NULL, &events[i],
                                       ^{ atomic_inc(out); });
                if (e)
                    out[1] = e;
            }
            int e = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 64, events, NULL,
                                   ^{ if (out[0] % 256) out[2] = 1; chain(out, left - 1); });
            if (e)
                out[1] = e;
            for (int i = 0; i < 64; i++)
                release_event(events[i]);
        }
        kernel void k(global int *out, int n) { chain(out, n); }""")
    assert list(run(m, kernels["k"], 1, 3, np.int32(100))) == [25600, 0, 0]


def test_errors_are_those_of_the_specification(m, device_queue):
    """Without -g every error is CLK_ENQUEUE_FAILURE. The ring is as large as the default queue."""
    context = cl.Context([m.device])
    queue = cl.CommandQueue(context)
    default = cl.CommandQueue(context, m.device, properties=[
        CL_QUEUE_PROPERTIES, ON_DEVICE | OUT_OF_ORDER | DEFAULT, CL_QUEUE_SIZE, 64 << 10])

    def run(kernel, *args):
        out = np.zeros(10, np.int32)
        buffer = cl.Buffer(context, READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
        kernel(queue, (1,), None, buffer, *args)
        cl.enqueue_copy(queue, out, buffer)
        return out

    text = """
        kernel void k(global int *out, queue_t q) {
            clk_event_t event;
            out[0] = enqueue_kernel(CLK_NULL_QUEUE, 0, ndrange_1D(1), ^{ out[9] = 1; });
            out[1] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, NULL, ^{ out[9] = 1; });
            out[2] = enqueue_marker(q, 0, &event, NULL);
            out[3] = 0;
            for (int i = 0; i < 1000 && out[3] == 0; i++)
                out[3] = enqueue_kernel(q, 0, ndrange_1D(1), ^{ atomic_inc(out + 4); });
            out[5] = out[3];
        }
        kernel void events(global int *out) {
            out[0] = 0;
            for (int i = 0; i < 100000 && out[0] == 0; i++) {
                clk_event_t event;
                out[0] = enqueue_marker(get_default_queue(), 0, NULL, &event);
            }
            out[1] = is_valid_event(create_user_event());
        }"""
    failing = [CLK_INVALID_QUEUE, CLK_INVALID_EVENT_WAIT_LIST, CLK_INVALID_EVENT_WAIT_LIST, CLK_DEVICE_QUEUE_FULL]
    assert 64 << 10 <= m.device.queue_on_device_preferred_size <= m.device.queue_on_device_max_size
    for options, want in (((), [CLK_ENQUEUE_FAILURE] * 4), (("-g",), failing)):
        program = cl.Program(context, text).build(["-cl-std=CL2.0", *options])
        got = run(program.k, default)
        assert list(got[:4]) == want
        assert 64 * got[4] >= 64 << 8 and got[9] == 0
        got = run(program.events)
        # Either may be the first to be used up.
        assert got[0] in ((CLK_EVENT_ALLOCATION_FAILURE, CLK_DEVICE_QUEUE_FULL) if options else (CLK_ENQUEUE_FAILURE,))


def test_ranges_that_are_none_are_refused(m, device_queue):
    """A kernel learns of work-groups that its block cannot have; those that the block cannot tell are cut as it takes."""
    most, sizes = m.device.max_work_group_size, m.device.max_work_item_sizes
    kernels = build(m, f"""
        kernel void k(global int *out, ulong huge) {{
            queue_t q = get_default_queue();
            size_t some[2] = {{8, 8}}, part[2] = {{4, 0}}, deep[3] = {{1, 1, {sizes[2] + 1}}}, all[3] = {{2, 1, {2 * sizes[2]}}};
            void (^sees)(void) = ^{{ atomic_add(out + 8, (int)get_local_size(0)); }};
            void (^blind)(void) = ^{{ atomic_inc(out + 9); }};
            out[0] = enqueue_kernel(q, 0, ndrange_1D({most * 2}, {most + 1}), sees);
            out[1] = enqueue_kernel(q, 0, ndrange_2D(some, part), sees);
            out[2] = enqueue_kernel(q, 0, ndrange_3D(all, deep), sees);
            out[3] = enqueue_kernel(q, 0, ndrange_1D(64, huge), sees);
            out[4] = enqueue_kernel(q, 0, ndrange_3D(all, deep), blind);
            out[5] = enqueue_kernel(q, 0, ndrange_1D(100, {4 * most}), blind);
            out[6] = enqueue_kernel(q, 0, ndrange_1D(10, 4), sees);
        }}""", "-g")
    got = run(m, kernels["k"], 1, 10, np.uint64(1 << 33))
    assert list(got[:7]) == [CLK_INVALID_NDRANGE] * 4 + [0, 0, 0]
    assert got[8] == 4 * 8 + 2 * 2 and got[9] == 4 * sizes[2] + 100
    uniform = build(m, """
        kernel void k(global int *out) {
            out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(10, 4), ^{ out[1] = 1; });
            out[2] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(12, 4), ^{ out[3] = 1; });
        }""", "-g", "-cl-uniform-work-group-size")
    assert list(run(m, uniform["k"], 1, 4)) == [CLK_INVALID_NDRANGE, 0, 0, 1]


def test_kernels_learn_of_the_kernels_of_blocks(m, device_queue):
    kernels = build(m, """
        kernel void k(global int *out) {
            void (^block)(void) = ^{ out[9] = 1; };
            void (^with)(local void *) = ^(local void *p) { *(local int *)p = 1; };
            out[0] = get_kernel_work_group_size(block);
            out[1] = get_kernel_work_group_size(with);
            out[2] = get_kernel_preferred_work_group_size_multiple(block);
            out[3] = get_kernel_work_group_size(^{ out[0] = 2; });
        }""")
    got = run(m, kernels["k"], 1, 10)
    most = m.device.max_work_group_size
    assert all(0 < size <= most for size in (got[0], got[1], got[3])) and got[9] == 0
    assert got[2] == kernels["k"].get_work_group_info(
        cl.kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE, m.device)


def test_times_are_told(m, device_queue):
    """START to END of the command, and to the end of what it led to."""
    m.need_profiling()
    kernels = build(m, """
        kernel void k(global int *out, global ulong *times) {
            clk_event_t event;
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), 0, NULL, &event, ^{
                enqueue_kernel(get_default_queue(), 0, ndrange_1D(64), ^{ atomic_inc(out); });
            });
            capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, times + 1);
            release_event(event);
        }""")
    times = cl.Buffer(m.context, READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(4, np.uint64))
    assert run(m, kernels["k"], 1, 1, times)[0] == 64
    told = np.empty(4, np.uint64)
    cl.enqueue_copy(m.queue, told, times)
    assert told[0] == told[3] == 0 and 0 < told[1] < told[2]


def test_without_a_queue_nothing_is_enqueued(m):
    """A kernel that runs where no queue on the device exists learns that, and the host does not wait for ever."""
    if not m.device.device_enqueue_capabilities:
        pytest.skip("no queues on this device")
    context = cl.Context([m.device])
    queue = cl.CommandQueue(context)
    text = """
        kernel void k(global int *out) {
            out[0] = 1;
            out[1] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[2] = 1; });
        }"""
    kernel = cl.Program(context, text).build(["-cl-std=CL2.0"]).k
    out = np.zeros(3, np.int32)
    buffer = cl.Buffer(context, READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    kernel(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    assert list(out) == [1, CLK_ENQUEUE_FAILURE, 0]


def test_queues_on_the_device_are_no_queues_of_the_host(m, device_queue):
    """They have a size, one of them is the default, and the application enqueues nothing there."""
    assert on_device(m) == device_queue
    other = on_device(m, bits=0, size=32 << 10)
    assert other != device_queue
    buffer = cl.Buffer(m.context, READ_WRITE, 64)
    with pytest.raises(cl.LogicError, match="INVALID_COMMAND_QUEUE"):
        cl.enqueue_copy(other, np.zeros(4, np.uint8), buffer)
    with pytest.raises(cl.LogicError, match="INVALID_DEVICE_QUEUE"):
        build(m, "kernel void k(queue_t q) {}")["k"].set_arg(0, m.queue)
    with pytest.raises(cl.LogicError, match="INVALID_QUEUE_PROPERTIES"):
        on_device(m, bits=0, size=m.device.queue_on_device_max_size + 1)
    kernels = build(m, """
        kernel void k(global int *out, queue_t q) {
            out[0] = enqueue_kernel(q, 0, ndrange_1D(3), ^{ atomic_inc(out + 1); });
        }""")
    assert list(run(m, kernels["k"], 1, 2, other)) == [0, 3]


def test_blocks_are_no_kernels_of_the_program(m, device_queue):
    program = m.build("""
        kernel void k(global int *out) {
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[0] = 1; });
        }
        kernel void other(global int *out) { out[0] = 5; }""", ["-cl-std=CL3.0"])
    assert program.num_kernels == 2 and program.kernel_names == "k;other"
    assert [kernel.function_name for kernel in program.all_kernels()] == ["k", "other"]


def test_blocks_survive_linking_and_binaries(m, device_queue):
    """Kernels of blocks have other numbers in a linked program."""
    first, second = (cl.Program(m.context, f"""
        void help{i}(global int *out) {{
            enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{{ out[{i}] = {i + 10}; }});
        }}
        {"void help1(global int *); kernel void k(global int *out) { help0(out); help1(out); }" if i == 0 else ""}
        """).compile(["-cl-std=CL3.0"]) for i in (0, 1))
    program = cl.link_program(m.context, [second, first])
    assert list(run(m, program.k, 1, 2)) == [10, 11]
    binary = program.get_info(cl.program_info.BINARIES)[0]
    again = cl.Program(m.context, [m.device], [binary]).build()
    assert list(run(m, again.k, 1, 2)) == [10, 11]
