"""cl_intel_subgroups and its kin: shuffles of two sources, and blocks. Run by test_profiles.py in a process where the
profile that lists them is in use."""

import numpy as np
import pyopencl as cl
import pytest
from test_subgroups import TYPES, launch, members, random_values, scanned

SHAPE = ((66,), (33,))
SHUFFLED = [(name, lanes) for name in TYPES for lanes in ([1, 2, 3, 4, 8, 16] if name in ("int", "float", "uchar") else [1, 2])]


def stored(lanes):
    return 4 if lanes == 3 else lanes


def spelled(name, lanes):
    return name if lanes == 1 else f"{name}{lanes}"


def test_the_extensions_are_listed(m):
    listed = m.device.extensions.split()
    macros = [f"cl_intel_subgroups{kind}" for kind in ("", "_char", "_short", "_long")]
    assert set(macros) <= set(listed)
    wrong = " ".join(f"\n#ifndef {macro}\n#error {macro}\n#endif\n" for macro in macros)
    m.build(wrong + "kernel void f(global uint *p) { *p = intel_sub_group_shuffle(*p, 0); }")


@pytest.mark.parametrize("name,lanes", SHUFFLED)
def test_shuffles(m, rng, name, lanes):
    dtype, ty = TYPES[name], spelled(name, lanes)
    groups = members(m, SHAPE)
    size = len(groups[0])
    first, second = (random_values(rng, dtype, 66 * stored(lanes)).reshape(66, -1) for _ in range(2))
    deltas = rng.integers(0, size + 1, 66, np.uint32)
    source = f"""
        kernel void f(global const {ty} *in, global const {ty} *other, global const uint *deltas, global {ty} *out)
        {{
            {ty} x = in[SLOT], y = other[SLOT];
            uint d = deltas[SLOT];
            out[4 * SLOT] = intel_sub_group_shuffle(x, d);
            out[4 * SLOT + 1] = intel_sub_group_shuffle_xor(x, d & 3);
            out[4 * SLOT + 2] = intel_sub_group_shuffle_down(x, y, d);
            out[4 * SLOT + 3] = intel_sub_group_shuffle_up(y, x, d);
        }}"""
    got = launch_many(m, source, SHAPE, [first, second, deltas], dtype, 4 * stored(lanes))
    got = got.reshape(66, 4, -1)[:, :, :lanes]
    first, second = first[:, :lanes], second[:, :lanes]
    for group in groups:
        for number, slot in enumerate(group):
            d = int(deltas[slot])
            if d < len(group):
                np.testing.assert_array_equal(got[slot, 0], first[group[d]])
            if number ^ (d & 3) < len(group):
                np.testing.assert_array_equal(got[slot, 1], first[group[number ^ (d & 3)]])
            for k, index in ((2, number + d), (3, number - d)):
                source_of = first if 0 <= index < size else second
                if index % size < len(group):
                    np.testing.assert_array_equal(got[slot, k], source_of[group[index % size]])


def launch_many(m, source, shape, arrays, dtype, lanes):
    """As `launch`, with several arrays."""
    from test_subgroups import PRELUDE, STD
    if "half" in source.split() and "cl_khr_fp16" not in m.device.extensions:
        pytest.skip("no half")
    program = m.build(PRELUDE + source, STD)
    count = int(np.prod(shape[0]))
    out = m.empty(np.dtype(dtype).itemsize * count * lanes)
    program.f(m.queue, *shape, *[m.buffer(array) for array in arrays], out)
    return m.read(out, dtype, (count, lanes))


@pytest.mark.parametrize("name", ["char", "uchar", "short", "ushort"])
def test_scans_of_narrow_integers(m, rng, name):
    dtype = TYPES[name]
    for op in ("add", "min", "max"):
        data = random_values(rng, dtype, 66, op)
        source = f"""
            kernel void f(global const {name} *in, global {name} *out)
            {{
                {name} x = in[SLOT];
                out[4 * SLOT] = intel_sub_group_reduce_{op}(x);
                out[4 * SLOT + 1] = intel_sub_group_scan_inclusive_{op}(x);
                out[4 * SLOT + 2] = intel_sub_group_scan_exclusive_{op}(x);
                out[4 * SLOT + 3] = intel_sub_group_broadcast(x, 0);
            }}"""
        got = launch(m, source, SHAPE, data, dtype, 4)
        for group in members(m, SHAPE):
            expected = np.column_stack([scanned(op, data[group], dtype), np.full(len(group), data[group[0]])])
            np.testing.assert_array_equal(got[group], expected, op)


BLOCKS = [("uint", "", (1, 2, 4, 8)), ("uint", "_ui", (1, 2, 4, 8)), ("uchar", "_uc", (1, 2, 4, 8, 16)),
          ("ushort", "_us", (1, 2, 4, 8, 16)), ("ulong", "_ul", (1, 2, 4, 8))]


@pytest.mark.parametrize("name,suffix,lanes", [(n, s, k) for n, s, counts in BLOCKS for k in counts])
def test_blocks(m, rng, name, suffix, lanes):
    """The block of a sub-group is read, changed in each work-item by its number, and written to another place."""
    dtype, ty = TYPES[name], spelled(name, lanes)
    shape = ((64,), (32,))
    groups = members(m, shape)
    size, gap = len(groups[0]), 16 // np.dtype(dtype).itemsize
    count = 64 * lanes
    data = random_values(rng, dtype, count + 4)
    number = "" if lanes == 1 else lanes
    source = f"""
        kernel void f(global const {name} *in, global {name} *out)
        {{
            size_t place = (get_group_id(0) * get_num_sub_groups() + get_sub_group_id()) * get_max_sub_group_size() * {lanes};
            {ty} x = intel_sub_group_block_read{suffix}{number}(in + 4 + place);
            x += ({name})get_sub_group_local_id();
            intel_sub_group_block_write{suffix}{number}(out + {gap} + place, x);
        }}"""
    program = m.build(source, ["-cl-std=CL3.0"])
    out = m.buffer(np.full(count + gap, 7, dtype))
    program.f(m.queue, *shape, m.buffer(data), out)
    got = m.read(out, dtype, (count + gap,))
    assert (got[:gap] == 7).all()
    blocks = data[4:].reshape(-1, lanes, size)
    with np.errstate(over="ignore"):
        expected = blocks + np.arange(size, dtype=dtype)
    np.testing.assert_array_equal(got[gap:].reshape(blocks.shape), expected)


@pytest.mark.parametrize("name,suffix,lanes", [(n, s, k) for n, s, counts in BLOCKS for k in counts])
def test_blocks_in_local_memory(m, rng, name, suffix, lanes):
    """The same in local memory (cl_intel_subgroup_local_block_io)."""
    dtype, ty = TYPES[name], spelled(name, lanes)
    shape = ((64,), (32,))
    size = len(members(m, shape)[0])
    count = 64 * lanes
    data = random_values(rng, dtype, count)
    number = "" if lanes == 1 else lanes
    source = f"""
        #ifndef cl_intel_subgroup_local_block_io
        #error no macro
        #endif
        kernel void f(global const {name} *in, global {name} *out)
        {{
            local {name} from[{32 * lanes}] __attribute__((aligned(16))), to[{32 * lanes}] __attribute__((aligned(16)));
            size_t l = get_local_id(0), first = get_group_id(0) * {32 * lanes};
            for (size_t i = l; i < {32 * lanes}; i += 32) from[i] = in[first + i];
            barrier(CLK_LOCAL_MEM_FENCE);
            size_t place = get_sub_group_id() * get_max_sub_group_size() * {lanes};
            {ty} x = intel_sub_group_block_read{suffix}{number}((const local {name} *)from + place);
            x += ({name})get_sub_group_local_id();
            intel_sub_group_block_write{suffix}{number}(to + place, x);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (size_t i = l; i < {32 * lanes}; i += 32) out[first + i] = to[i];
        }}"""
    program = m.build(source, ["-cl-std=CL3.0"])
    assert "cl_intel_subgroup_local_block_io" in m.device.extensions.split()
    out = m.empty(data.nbytes)
    program.f(m.queue, *shape, m.buffer(data), out)
    blocks = data.reshape(-1, lanes, size)
    with np.errstate(over="ignore"):
        expected = blocks + np.arange(size, dtype=dtype)
    np.testing.assert_array_equal(m.read(out, dtype, blocks.shape), expected)


def image(m, image_format, data, width, height):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.create_image(m.context, flags, image_format, shape=(width, height), hostbuf=data)


FORMATS = [("R", "UNSIGNED_INT8", 1), ("A", "UNORM_INT8", 1), ("RG", "UNORM_INT8", 2), ("R", "SIGNED_INT16", 2),
           ("R", "HALF_FLOAT", 2), ("RGBA", "UNORM_INT8", 4), ("BGRA", "UNORM_INT8", 4), ("RGBA", "SIGNED_INT8", 4),
           ("sRGBA", "UNORM_INT8", 4), ("RG", "UNSIGNED_INT16", 4), ("R", "FLOAT", 4), ("R", "UNSIGNED_INT32", 4)]


@pytest.mark.parametrize("order,kind,texel", FORMATS)
@pytest.mark.parametrize("name,suffix,lanes", [("uint", "", 2), ("uchar", "_uc", 4), ("ushort", "_us", 1), ("ulong", "_ul", 2)])
def test_blocks_of_images(m, rng, order, kind, texel, name, suffix, lanes):
    """Bytes of one image go to another place of another, whatever they are as texels."""
    image_format = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, kind))
    listed = cl.get_supported_image_formats(m.context, cl.mem_flags.READ_WRITE, cl.mem_object_type.IMAGE2D)
    if not m.device.image_support or image_format not in listed:
        pytest.skip("no such images")
    width, height, nbytes = 640, 9, np.dtype(TYPES[name]).itemsize
    if kind in ("HALF_FLOAT", "FLOAT"):
        data = rng.uniform(-4, 4, (height, width // texel)).astype(np.float16 if texel == 2 else np.float32).view(np.uint8)
    else:
        data = rng.integers(0, 256, (height, width), np.uint8)
    source = image(m, image_format, data, width // texel, height)
    target = image(m, image_format, np.zeros_like(data), width // texel, height)
    ty, number = spelled(name, lanes), "" if lanes == 1 else lanes
    program = m.build(f"""
        kernel void f(read_only image2d_t in, write_only image2d_t out)
        {{
            int place = get_sub_group_id() * get_max_sub_group_size() * {nbytes};
            {ty} x = intel_sub_group_block_read{suffix}{number}(in, (int2)(16 + place, 3));
            intel_sub_group_block_write{suffix}{number}(out, (int2)(40 + place, 1), x);
        }}""", ["-cl-std=CL3.0"])
    program.f(m.queue, (32,), (32,), source, target)
    got = np.empty_like(data)
    cl.enqueue_copy(m.queue, got, target, origin=(0, 0), region=(width // texel, height))
    expected = np.zeros_like(data)
    expected[1:1 + lanes, 40:40 + 32 * nbytes] = data[3:3 + lanes, 16:16 + 32 * nbytes]
    np.testing.assert_array_equal(got, expected)


def test_blocks_at_the_edge_of_an_image(m):
    """What lies beyond is read as the texel at the edge, and not written."""
    image_format = cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT32)
    if not m.device.image_support:
        pytest.skip("no images")
    data = np.arange(1, 21, dtype=np.uint32).reshape(4, 5)
    source, target = image(m, image_format, data, 5, 4), image(m, image_format, np.zeros_like(data), 5, 4)
    out = m.empty(4 * 32 * 2)
    program = m.build("""
        kernel void f(read_only image2d_t in, write_only image2d_t image, global uint2 *out)
        {
            out[get_local_id(0)] = intel_sub_group_block_read2(in, (int2)(-8, 3));
            if (get_sub_group_id() == 0) intel_sub_group_block_write2(image, (int2)(-8, 3), (uint2)(get_local_id(0) + 100, 7));
        }""", ["-cl-std=CL3.0"])
    program.f(m.queue, (32,), (32,), source, target, out)
    size = len(members(m, SHAPE)[0])
    columns = np.clip(np.arange(32) % size - 2, 0, 4)
    np.testing.assert_array_equal(m.read(out, np.uint32, (32, 2)), np.stack([data[3, columns]] * 2, axis=1))
    got = np.empty_like(data)
    cl.enqueue_copy(m.queue, got, target, origin=(0, 0), region=(5, 4))
    expected = np.zeros_like(data)
    expected[3, :max(0, min(5, size - 2))] = 102 + np.arange(max(0, min(5, size - 2)))
    np.testing.assert_array_equal(got, expected)


def test_other_types_are_no_blocks(m):
    with pytest.raises(cl.RuntimeError, match="no matching function"):
        m.build("kernel void f(global float *p) { *p = intel_sub_group_block_read(p); }")
