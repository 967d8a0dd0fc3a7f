"""Pipes: packets come out as they went in, whole and in order; full and empty pipes say so."""

import numpy as np
import pyopencl as cl
import pytest
import spirv_text

CL3 = ["-cl-std=CL3.0"]
READ_WRITE = cl.mem_flags.READ_WRITE

TYPES = {"uchar": ("", 1), "ushort": ("", 2), "int": ("", 4), "float3": ("", 16), "ulong": ("", 8),
         "uint16": ("", 64), "struct odd": ("struct odd { uchar a[3]; };", 3),
         "struct mixed": ("struct mixed { float f; uchar c; float2 v; };", 16),
         "struct large": ("struct large { uint u[33]; };", 132)}


@pytest.fixture
def pipes(m):
    """The machine; the test is skipped on a device without pipes."""
    if not m.device.pipe_support:
        pytest.skip("no pipes on this device")
    return m


def pipe(m, size, count):
    return cl.Pipe(m.context, READ_WRITE, size, count)


def build(m, text, *options):
    """The kernels of a program by name."""
    return {kernel.function_name: kernel for kernel in m.build(text, [*CL3, *options]).all_kernels()}


def run(m, kernel, size, local, *args):
    kernel(m.queue, (size,), local and (local,), *args)


@pytest.mark.parametrize("name", TYPES)
def test_packets_of_many_types(pipes, rng, name):
    """A work-item writes packets and reads them in the same order, several times around the pipe."""
    m, (definition, size) = pipes, TYPES[name]
    kernels = build(m, f"""
        {definition}
        kernel void put(write_only pipe {name} p, global {name} *in, global int *status, int n) {{
            for (int i = 0; i < n; i++) {{
                {name} x = in[i];
                status[i] = write_pipe(p, &x);
            }}
        }}
        kernel void get(read_only pipe {name} p, global {name} *out, global int *status, int n) {{
            for (int i = 0; i < n; i++) {{
                {name} x;
                status[i] = read_pipe(p, &x);
                if (status[i] == 0)
                    out[i] = x;
            }}
        }}""")
    capacity, count = 7, 5
    p, status = pipe(m, size, capacity), m.empty(64)
    lanes = 3 if name == "float3" else None
    for _ in range(4):
        data = rng.integers(1, 255, (count, size), dtype=np.uint8)
        source, out = m.buffer(data), m.buffer(np.zeros_like(data))
        run(m, kernels["put"], 1, None, p, source, status, np.int32(count))
        assert not m.read(status, np.int32, count).any()
        run(m, kernels["get"], 1, None, p, out, status, np.int32(count))
        assert not m.read(status, np.int32, count).any()
        got = m.read(out, np.uint8, data.shape)
        if name == "struct mixed":
            got[:, 5:8] = data[:, 5:8]
        assert (got[:, :12] == data[:, :12]).all() if lanes else (got == data).all()
    run(m, kernels["get"], 1, None, p, out, status, np.int32(1))
    assert m.read(status, np.int32, 1)[0] < 0


def test_full_and_empty(pipes):
    """Of more work-items than there is room for, exactly as many as fit write and read; none twice."""
    m = pipes
    kernels = build(m, """
        kernel void put(write_only pipe uint p, global int *status) {
            uint x = get_global_id(0) + 1;
            status[get_global_id(0)] = write_pipe(p, &x);
        }
        kernel void get(read_only pipe uint p, global uint *out, global int *status) {
            uint x = 0;
            status[get_global_id(0)] = read_pipe(p, &x);
            out[get_global_id(0)] = x;
        }""")
    capacity, count = 1000, 1536
    p, status, out = pipe(m, 4, capacity), m.empty(4 * count), m.empty(4 * count)
    for _ in range(3):
        run(m, kernels["put"], count, 64, p, status)
        written = m.read(status, np.int32, count)
        assert (written == 0).sum() == capacity and (written <= 0).all()
        run(m, kernels["get"], count, 64, p, out, status)
        read, values = m.read(status, np.int32, count), m.read(out, np.uint32, count)
        assert (read == 0).sum() == capacity and (read <= 0).all()
        assert sorted(values[read == 0]) == [i + 1 for i in range(count) if written[i] == 0]


def test_reservations(pipes):
    """The packets of a reservation stay together, in the order of their numbers, whoever else reserves."""
    m = pipes
    kernels = build(m, """
        kernel void put(write_only pipe uint2 p, global int *status) {
            uint i = get_global_id(0);
            reserve_id_t id = reserve_write_pipe(p, 3);
            status[i] = is_valid_reserve_id(id);
            if (is_valid_reserve_id(id)) {
                for (int k = 2; k >= 0; k--) {
                    uint2 x = (uint2)(i, k);
                    status[i] += write_pipe(p, id, k, &x);
                }
                uint2 beyond = 0;
                status[i] += write_pipe(p, id, 3, &beyond) < 0;
                commit_write_pipe(p, id);
            }
        }
        kernel void get(read_only pipe uint2 p, global uint2 *out, global int *status) {
            uint i = get_global_id(0);
            reserve_id_t id = reserve_read_pipe(p, 3);
            status[i] = is_valid_reserve_id(id);
            if (is_valid_reserve_id(id)) {
                for (int k = 0; k < 3; k++)
                    read_pipe(p, id, k, &out[3 * i + k]);
                commit_read_pipe(p, id);
            }
        }""")
    count, capacity = 256, 3 * 200 + 2
    p, status, out = pipe(m, 8, capacity), m.empty(4 * count), m.empty(24 * count)
    for _ in range(3):
        run(m, kernels["put"], count, 32, p, status)
        written = m.read(status, np.int32, count)
        assert sorted(set(written)) == [0, 2] and (written == 2).sum() == 200
        run(m, kernels["get"], count, 32, p, out, status)
        read, values = m.read(status, np.int32, count), m.read(out, np.uint32, (count, 3, 2))
        assert (read == 1).sum() == 200
        values = values[read == 1]
        assert (values[:, :, 0] == values[:, :1, 0]).all() and (values[:, :, 1] == [0, 1, 2]).all()
        assert sorted(values[:, 0, 0]) == np.flatnonzero(written == 2).tolist()


def test_work_group_reservations(pipes):
    """A work-group reserves once for all its work-items; the identifier may be in local memory."""
    m = pipes
    kernels = build(m, """
        kernel void put(write_only pipe uint p, global int *status) {
            local reserve_id_t id;
            id = work_group_reserve_write_pipe(p, get_local_size(0));
            status[get_global_id(0)] = is_valid_reserve_id(id);
            if (is_valid_reserve_id(id)) {
                uint x = get_global_id(0);
                write_pipe(p, id, get_local_id(0), &x);
                work_group_commit_write_pipe(p, id);
            }
        }
        kernel void get(read_only pipe uint p, global uint *out) {
            reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
            out[get_global_id(0)] = ~0u;
            if (is_valid_reserve_id(id)) {
                read_pipe(p, id, get_local_id(0), out + get_global_id(0));
                work_group_commit_read_pipe(p, id);
            }
        }""")
    groups, size = 12, 16
    p = pipe(m, 4, 10 * size + 3)
    status, out = m.empty(4 * groups * size), m.empty(4 * groups * size)
    for _ in range(3):
        run(m, kernels["put"], groups * size, size, p, status)
        written = m.read(status, np.int32, (groups, size))
        assert (written == written[:, :1]).all() and written[:, 0].sum() == 10
        run(m, kernels["get"], groups * size, size, p, out)
        values = m.read(out, np.uint32, (groups, size))
        values = values[values[:, 0] != 2**32 - 1]
        assert len(values) == 10 and (values == values[:, :1] + np.arange(size)).all()
        assert sorted(values[:, 0] // size) == np.flatnonzero(written[:, 0]).tolist()


def test_sub_group_reservations(pipes):
    """A sub-group reserves once for all its work-items."""
    m = pipes
    if "__opencl_c_subgroups" not in [f.name for f in m.device.opencl_c_features]:
        pytest.skip("no sub-groups on this device")
    kernels = build(m, """
        kernel void put(write_only pipe uint2 p, global int *status) {
            reserve_id_t id = sub_group_reserve_write_pipe(p, get_sub_group_size());
            status[get_global_id(0)] = is_valid_reserve_id(id);
            if (is_valid_reserve_id(id)) {
                uint2 x = (uint2)(get_global_id(0), get_sub_group_local_id());
                write_pipe(p, id, get_sub_group_local_id(), &x);
                sub_group_commit_write_pipe(p, id);
            }
        }
        kernel void get(read_only pipe uint2 p, global uint2 *out) {
            reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());
            out[get_global_id(0)] = ~0u;
            if (is_valid_reserve_id(id)) {
                read_pipe(p, id, get_sub_group_local_id(), out + get_global_id(0));
                sub_group_commit_read_pipe(p, id);
            }
        }""")
    count = 256
    p, status, out = pipe(m, 8, count), m.empty(4 * count), m.empty(8 * count)
    for _ in range(3):
        run(m, kernels["put"], count, 64, p, status)
        assert m.read(status, np.int32, count).all()
        run(m, kernels["get"], count, 64, p, out)
        values = m.read(out, np.uint32, (count, 2))
        assert sorted(values[:, 0]) == list(range(count))
        starts = np.flatnonzero(values[:, 1] == 0)
        for start, end in zip(starts, [*starts[1:], count]):
            first = values[start, 0]
            assert values[start:end].tolist() == [[first + i, i] for i in range(end - start)]


def test_commits_in_another_order(pipes):
    """Packets appear in the order of the reservations, once all before them are committed; the queries tell."""
    m = pipes
    kernels = build(m, """
        kernel void put(write_only pipe int p, global uint *out) {
            reserve_id_t a = reserve_write_pipe(p, 2), b = reserve_write_pipe(p, 3);
            for (int i = 0; i < 5; i++) {
                int x = i;
                i < 2 ? write_pipe(p, a, i, &x) : write_pipe(p, b, i - 2, &x);
            }
            out[0] = get_pipe_num_packets(p);
            commit_write_pipe(p, b);
            out[1] = get_pipe_num_packets(p);
            commit_write_pipe(p, a);
            out[2] = get_pipe_num_packets(p);
            out[3] = get_pipe_max_packets(p);
            out[4] = is_valid_reserve_id(reserve_write_pipe(p, 6));
            out[5] = is_valid_reserve_id(reserve_write_pipe(p, 0));
            out[6] = is_valid_reserve_id(reserve_write_pipe(p, 11));
            out[7] = is_valid_reserve_id(reserve_write_pipe(p, ~0u));
        }
        kernel void get(read_only pipe int p, global uint *out) {
            reserve_id_t id = reserve_read_pipe(p, 4);
            for (int i = 0; i < 4; i++)
                read_pipe(p, id, i, (global int *)out + i);
            out[5] = is_valid_reserve_id(reserve_read_pipe(p, 2));
            commit_read_pipe(p, id);
            out[4] = get_pipe_num_packets(p);
        }""")
    p, out = pipe(m, 4, 10), m.empty(32)
    run(m, kernels["put"], 1, None, p, out)
    assert m.read(out, np.uint32, 8).tolist() == [0, 0, 5, 10, 0, 0, 0, 0]
    run(m, kernels["get"], 1, None, p, out)
    assert m.read(out, np.uint32, 6).tolist() == [0, 1, 2, 3, 1, 0]


def test_pipes_of_functions_and_queries(pipes):
    """Pipes go to functions; the API tells what arguments and pipes are."""
    m = pipes
    kernels = build(m, """
        int take(read_only pipe short4 from, short4 *x) { return read_pipe(from, x); }
        kernel void copy(read_only pipe short4 from, write_only pipe short4 to) {
            short4 x;
            while (take(from, &x) == 0)
                write_pipe(to, &x);
        }
        kernel void fill(write_only pipe short4 p) {
            for (short i = 0; i < 3; i++) {
                short4 x = i;
                write_pipe(p, &x);
            }
        }
        kernel void sum(read_only pipe short4 p, global short4 *out) {
            short4 x;
            *out = 0;
            while (read_pipe(p, &x) == 0)
                *out += x + (short4)(0, 1, 2, 3);
        }""", "-cl-kernel-arg-info")
    a, b, out = pipe(m, 8, 3), pipe(m, 8, 4), m.empty(8)
    run(m, kernels["fill"], 1, None, a)
    run(m, kernels["copy"], 1, None, a, b)
    run(m, kernels["sum"], 1, None, b, out)
    assert m.read(out, np.int16, 4).tolist() == [3, 6, 9, 12]
    info, kernel = cl.kernel_arg_info, kernels["copy"]
    assert kernel.get_arg_info(0, info.TYPE_NAME) == "short4"
    assert kernel.get_arg_info(0, info.TYPE_QUALIFIER) == cl.kernel_arg_type_qualifier.PIPE
    assert kernel.get_arg_info(0, info.ACCESS_QUALIFIER) == cl.kernel_arg_access_qualifier.READ_ONLY
    assert kernel.get_arg_info(1, info.ACCESS_QUALIFIER) == cl.kernel_arg_access_qualifier.WRITE_ONLY
    assert kernel.get_arg_info(0, info.ADDRESS_QUALIFIER) == cl.kernel_arg_address_qualifier.GLOBAL
    assert a.get_pipe_info(cl.pipe_info.PACKET_SIZE) == 8
    assert a.get_pipe_info(cl.pipe_info.MAX_PACKETS) == 3
    assert a.type == cl.mem_object_type.PIPE
    assert m.device.max_pipe_args >= 16 and m.device.pipe_max_active_reservations >= 1
    assert m.device.pipe_max_packet_size >= 1024
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        kernels["fill"].set_arg(0, pipe(m, 16, 3))
    with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
        kernels["fill"].set_arg(0, m.empty(64))
    with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
        kernels["sum"].set_arg(1, a)


def from_module(m):
    """The kernels of spirv/pipes.spvasm, on packets of three ints."""
    program = cl.Program(m.context, spirv_text.read("pipes")).build()
    return {kernel.function_name: kernel for kernel in program.all_kernels()}


def test_packets_in_spirv(pipes, rng):
    m, kernels = pipes, from_module(pipes)
    kernels_in_c = build(m, """
        typedef struct { int i[3]; } packet;
        kernel void put(write_only pipe packet p, global packet *in) { write_pipe(p, &in[0]); }
        kernel void get(read_only pipe packet p, global packet *out) { read_pipe(p, &out[0]); }""")
    p, status = pipe(m, 12, 6), m.empty(32)
    data = rng.integers(0, 1 << 30, (8, 3), dtype=np.int32)
    source, out = m.buffer(data), m.buffer(np.zeros_like(data))
    run(m, kernels["put"], 8, None, p, source, status)
    done = m.read(status, np.int32, 8)
    assert (done == 0).sum() == 6 and (done < 0).sum() == 2
    run(m, kernels["count"], 1, None, p, status)
    assert m.read(status, np.int32, 2).tolist() == [6, 6]
    run(m, kernels["get"], 6, None, p, out, status)
    assert not m.read(status, np.int32, 6).any()
    written = data[done == 0]
    assert sorted(map(tuple, m.read(out, np.int32, (6, 3)))) == sorted(map(tuple, written))
    run(m, kernels["get"], 1, None, p, out, status)
    assert m.read(status, np.int32, 1)[0] < 0
    # What one language writes the other reads.
    run(m, kernels_in_c["put"], 1, None, p, source)
    run(m, kernels["get"], 1, None, p, out, status)
    assert (m.read(out, np.int32, 3) == data[0]).all()
    run(m, kernels["put"], 1, None, p, source, status)
    run(m, kernels_in_c["get"], 1, None, p, out)
    assert (m.read(out, np.int32, 3) == data[0]).all()


def test_reservations_in_spirv(pipes, rng):
    m, kernels = pipes, from_module(pipes)
    p, status = pipe(m, 12, 6), m.empty(32)
    data = rng.integers(0, 1 << 30, (4, 3), dtype=np.int32)
    source, out = m.buffer(data), m.buffer(np.zeros_like(data))
    run(m, kernels["put_together"], 4, 4, p, source, status)
    assert (m.read(status, np.int32, 4) == 4).all()
    # There is no room for four more.
    run(m, kernels["put_together"], 4, 4, p, source, status)
    assert (m.read(status, np.int32, 4) < 0).all()
    run(m, kernels["get_pairs"], 2, None, p, out, status)
    assert not m.read(status, np.int32, 2).any()
    pairs = m.read(out, np.int32, (2, 2, 3)).tolist()
    backwards = data[::-1].reshape(2, 2, 3)[:, ::-1]
    assert sorted(pairs) == sorted(backwards.tolist())


@pytest.mark.parametrize("size", [4, 16])
def test_a_pipe_with_packets_of_another_size(pipes, size):
    """A module tells the size where packets are read and written, which the kernel compares with the pipe's."""
    m, kernels = pipes, from_module(pipes)
    p, status = pipe(m, size, 8), m.empty(16)
    data = m.buffer(np.full(32, 7, np.int32))
    run(m, kernels["put"], 4, None, p, data, status)
    assert (m.read(status, np.int32, 4) < 0).all()
    run(m, kernels["put_together"], 4, 4, p, data, status)
    assert (m.read(status, np.int32, 4) < 0).all()
    p = pipe(m, size, 8)
    kernel = build(m, f"""
        typedef struct {{ int i[{size // 4}]; }} packet;
        kernel void put(write_only pipe packet p, global packet *in) {{ write_pipe(p, &in[get_global_id(0)]); }}
        """)["put"]
    run(m, kernel, 4, None, p, data)
    out = m.buffer(np.zeros(32, np.int32))
    run(m, kernels["get"], 4, None, p, out, status)
    assert (m.read(status, np.int32, 4) < 0).all() and not m.read(out, np.int32, 32).any()


def test_a_buffer_is_no_pipe_for_kernels_in_spirv(pipes):
    for kernel in from_module(pipes).values():
        with pytest.raises(cl.LogicError, match="INVALID_MEM_OBJECT"):
            kernel.set_arg(0, pipes.empty(64))
