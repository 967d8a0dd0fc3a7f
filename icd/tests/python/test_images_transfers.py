"""The host reads, writes, copies and maps images, with origins, regions and pitches."""

import numpy as np
import pyopencl as cl
import pytest
from image_formats import RGBA_BYTES, RGBA_UINT, Format
from imaging import KINDS, MF, region_of

D2, D3 = KINDS["2d"], KINDS["3d"]
MAP = cl.map_flags
# Texels of 1, 2, 4, 8, 16 bytes.
FORMATS = [Format("R", "UNSIGNED_INT8"), Format("R", "SIGNED_INT16"), RGBA_BYTES, Format("RGBA", "HALF_FLOAT"),
           RGBA_UINT]
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=repr)
EVERY_SIZE = pytest.mark.parametrize("form", FORMATS, ids=repr)


def box(rng, shape):
    """A random part: origin (x, y, z) and shape (z, y, x)."""
    low = [int(rng.integers(0, n)) for n in shape]
    size = [int(rng.integers(1, n - a + 1)) for n, a in zip(shape, low)]
    return tuple(reversed(low)), tuple(size)


def part(origin, shape):
    return tuple(slice(o, o + n) for o, n in zip(reversed(origin), shape))


def pitched(kind, form, shape, row, slice_pitch):
    """A host array over pitches, with what lies between, and its view as texels."""
    layers_of_rows = kind.layered and kind.axes == 1
    depth, height, width = shape
    between = slice_pitch if layers_of_rows else row
    size = depth * (slice_pitch or row * height) if not layers_of_rows else height * slice_pitch
    memory = np.full(size, 0xA5, np.uint8)
    strides = (slice_pitch, between, form.texel_size, form.dtype.itemsize)
    return memory, np.ndarray((*shape, form.channels), form.dtype, memory, strides=strides)


def pitches_for(kind, form, shape):
    """Pitches with room to spare; a slice pitch where there are slices or layers."""
    row = (shape[2] + 3) * form.texel_size
    if kind.axes == 1 and kind.layered:
        # Both are a layer's size; other drivers take the row pitch for it, where it is the slice pitch.
        return row, row
    return row, row * (shape[1] + 2) if kind.axes == 3 or kind.layered else 0


@EVERY_SIZE
@EVERY_KIND
def test_parts_are_written_and_read(images, rng, kind, form):
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels)
    for _ in range(10):
        origin, shape = box(rng, kind.shape)
        new = form.random(rng, shape)
        images.put(image, new, origin)
        texels[part(origin, shape)] = new
        origin, shape = box(rng, kind.shape)
        np.testing.assert_array_equal(images.get(image, form, shape, origin), texels[part(origin, shape)])
    np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)


@EVERY_SIZE
@EVERY_KIND
def test_pitches_of_reads_and_writes(images, rng, kind, form):
    """What lies between the rows of the host's memory is neither taken nor touched."""
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels)
    for _ in range(5):
        origin, shape = box(rng, kind.shape)
        row, slice_pitch = pitches_for(kind, form, shape)
        memory, view = pitched(kind, form, shape, row, slice_pitch)
        new = form.random(rng, shape)
        view[...] = new
        images.write(image, memory, origin, region_of(shape), row, slice_pitch)
        texels[part(origin, shape)] = new
        origin, shape = box(rng, kind.shape)
        row, slice_pitch = pitches_for(kind, form, shape)
        memory, view = pitched(kind, form, shape, row, slice_pitch)
        expected, expected_view = pitched(kind, form, shape, row, slice_pitch)
        expected_view[...] = texels[part(origin, shape)]
        images.read(image, memory, origin, region_of(shape), row, slice_pitch)
        np.testing.assert_array_equal(memory, expected)


def test_the_layers_of_a_1d_array_are_a_slice_apart(images, rng):
    """Not a row ("slice_pitch ... each image of a 1D or 2D image array")."""
    kind, form = KINDS["1d_array"], RGBA_UINT
    if not images.m.is_hekla:
        pytest.skip("other drivers take the row pitch")
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    row = kind.shape[2] * form.texel_size
    memory, view = pitched(kind, form, kind.shape, row, 2 * row)
    view[...] = texels
    image = images.create(kind, form)
    images.write(image, memory, (0, 0, 0), region_of(kind.shape), row, 2 * row)
    np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)
    desc = images.descriptor(kind, kind.shape, (row, 2 * row))
    image = cl.Image(images.m.context, MF.READ_WRITE | MF.COPY_HOST_PTR, form.cl, desc=desc, hostbuf=memory)
    memory, view = pitched(kind, form, kind.shape, row, 3 * row)
    images.read(image, memory, (0, 0, 0), region_of(kind.shape), row, 3 * row)
    np.testing.assert_array_equal(view, texels)


@EVERY_KIND
def test_initial_contents_with_pitches(images, rng, kind):
    """COPY_HOST_PTR and USE_HOST_PTR."""
    form = RGBA_BYTES
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    pitches = pitches_for(kind, form, kind.shape)
    for flags in (MF.READ_WRITE | MF.COPY_HOST_PTR, MF.READ_WRITE | MF.USE_HOST_PTR,
                  MF.READ_ONLY | MF.COPY_HOST_PTR | MF.ALLOC_HOST_PTR):
        for some in [(0, 0), pitches] if kind.axes + kind.layered > 1 else [(0, 0)]:
            memory, view = pitched(kind, form, kind.shape, *pitches) if any(some) else (texels.copy(), None)
            if view is not None:
                view[...] = texels
            desc = images.descriptor(kind, kind.shape, some)
            image = cl.Image(images.m.context, flags, form.cl, desc=desc, hostbuf=memory)
            if not flags & MF.USE_HOST_PTR:
                memory[...] = 0
            np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)
            form.check_read(images.fetch_all(image, kind, form), texels)


@EVERY_KIND
def test_host_memory_in_use_is_current_while_mapped(images, rng, kind):
    """A kernel writes; a map makes the host's own memory hold it. Then the other way round."""
    form = RGBA_UINT
    images.need(kind, form)
    if kind.axes == 3:
        images.need_3d_writes()
    memory = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=memory, flags=MF.READ_WRITE | MF.USE_HOST_PTR)
    at, new = np.zeros((1, 4), np.int32), np.array([[7, 8, 9, 10]], np.uint32)
    images.store(image, kind, form, at, new)
    with images.mapped(image, kind, form, MAP.READ | MAP.WRITE, (0, 0, 0), kind.shape) as (view, _, _):
        assert view.ctypes.data == memory.ctypes.data
        np.testing.assert_array_equal(memory[0, 0, 0], new[0])
        memory[-1, -1, -1] = 77
    np.testing.assert_array_equal(images.fetch_all(image, kind, form), memory)


@pytest.mark.parametrize("kind", [D2, D3, KINDS["2d_array"]], ids=repr)
def test_maps_of_host_memory_in_use_are_in_place(images, rng, kind):
    """A part is mapped where it lies in the host's memory, at the pitches that it was given with."""
    form = RGBA_BYTES
    images.need(kind, form)
    row, slice_pitch = pitches_for(kind, form, kind.shape)
    memory, view = pitched(kind, form, kind.shape, row, slice_pitch)
    texels = form.random(rng, kind.shape)
    view[...] = texels
    desc = images.descriptor(kind, kind.shape, (row, slice_pitch))
    image = cl.Image(images.m.context, MF.READ_WRITE | MF.USE_HOST_PTR, form.cl, desc=desc, hostbuf=memory)
    for _ in range(5):
        origin, shape = box(rng, kind.shape)
        with images.mapped(image, kind, form, MAP.READ | MAP.WRITE, origin, shape) as (part_view, *pitches):
            assert pitches == [row, slice_pitch]
            assert part_view.ctypes.data == view[part(origin, shape)].ctypes.data
            np.testing.assert_array_equal(part_view, texels[part(origin, shape)])
            new = form.random(rng, shape)
            part_view[...] = new
            texels[part(origin, shape)] = new
        np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)


def test_images_migrate(images, m, rng):
    """To the device, to the host, and contents given up."""
    images.need(D2, RGBA_UINT)
    texels = RGBA_UINT.random(rng, D2.shape)
    image = images.create(D2, RGBA_UINT, texels=texels)
    cl.enqueue_migrate_mem_objects(m.queue, [image, m.empty(64)], 0)
    cl.enqueue_migrate_mem_objects(m.queue, [image], cl.mem_migration_flags.HOST)
    np.testing.assert_array_equal(images.fetch_all(image, D2, RGBA_UINT), texels)
    cl.enqueue_migrate_mem_objects(m.queue, [image], cl.mem_migration_flags.CONTENT_UNDEFINED)
    images.put(image, texels[:, ::-1])
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, D2.shape), texels[:, ::-1])


@EVERY_SIZE
@EVERY_KIND
def test_maps(images, rng, kind, form):
    """Parts are mapped for reading, for writing and to be overwritten, by the pitches that the map gives."""
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels)
    for flags in (MAP.READ, MAP.READ | MAP.WRITE, MAP.WRITE_INVALIDATE_REGION, MAP.WRITE, MAP.READ):
        origin, shape = box(rng, kind.shape)
        with images.mapped(image, kind, form, flags, origin, shape) as (view, row, slice_pitch):
            assert row >= shape[2] * form.texel_size
            # Zero for images that have neither slices nor layers.
            assert slice_pitch >= row if kind.axes == 3 or kind.layered else slice_pitch == 0
            if not flags & MAP.WRITE_INVALIDATE_REGION:
                np.testing.assert_array_equal(view, texels[part(origin, shape)])
            if flags != MAP.READ:
                new = form.random(rng, shape)
                view[...] = new
                texels[part(origin, shape)] = new
        np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)


def test_two_maps_at_once(images, rng):
    images.need(D2, RGBA_UINT)
    texels = RGBA_UINT.random(rng, (1, 16, 16))
    image = images.create(D2, RGBA_UINT, texels=texels)
    with images.mapped(image, D2, RGBA_UINT, MAP.WRITE, (0, 0, 0), (1, 8, 16)) as (upper, _, _), \
            images.mapped(image, D2, RGBA_UINT, MAP.WRITE, (0, 8, 0), (1, 8, 16)) as (lower, _, _):
        upper[...] = texels[:, 8:]
        lower[...] = texels[:, :8]
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, (1, 16, 16)), np.roll(texels, 8, 1))


@EVERY_SIZE
@EVERY_KIND
def test_copies_of_parts(images, rng, kind, form):
    images.need(kind, form)
    texels = [form.random(rng, kind.shape) for _ in range(2)]
    both = [images.create(kind, form, texels=t) for t in texels]
    for turn in range(8):
        source, target = turn & 1, turn & 1 ^ 1
        origin, shape = box(rng, kind.shape)
        to = tuple(int(rng.integers(0, n - s + 1)) for n, s in zip(reversed(kind.shape), reversed(shape)))
        images.copy(both[source], both[target], origin, to, region_of(shape))
        texels[target][part(to, shape)] = texels[source][part(origin, shape)]
    for image, expected in zip(both, texels):
        np.testing.assert_array_equal(images.get(image, form, kind.shape), expected)


def test_a_copy_within_an_image(images, rng):
    """Parts that do not overlap."""
    images.need(D2, RGBA_UINT)
    texels = RGBA_UINT.random(rng, (1, 16, 20))
    image = images.create(D2, RGBA_UINT, texels=texels)
    images.copy(image, image, (1, 2, 0), (11, 7, 0), (8, 5, 1))
    texels[:, 7:12, 11:19] = texels[:, 2:7, 1:9]
    np.testing.assert_array_equal(images.get(image, RGBA_UINT, (1, 16, 20)), texels)
    status = None
    try:
        images.copy(image, image, (1, 2, 0), (3, 4, 0), (8, 5, 1))
    except cl.Error as error:
        status = error.code
    assert status == cl.status_code.MEM_COPY_OVERLAP


@pytest.mark.parametrize("source, target, regions", [
    ("2d", "3d", [((1, 2, 0), (0, 1, 3), (6, 4, 1))]), ("3d", "2d", [((1, 2, 3), (5, 6, 0), (6, 4, 1))]),
    ("2d_array", "3d", [((1, 2, 1), (0, 1, 2), (6, 4, 3))]), ("2d", "2d_array", [((4, 0, 0), (1, 2, 3), (5, 4, 1))]),
    ("1d", "2d", [((4, 0, 0), (1, 7, 0), (15, 1, 1))]), ("1d_array", "1d", [((3, 2, 0), (10, 0, 0), (15, 1, 1))]),
    ("3d", "2d_array", [((0, 0, 0), (0, 0, 0), (7, 6, 4))])])
def test_copies_between_kinds(images, rng, source, target, regions):
    """Regions count the same axes whatever the kind."""
    kinds, form = (KINDS[source], KINDS[target]), Format("RG", "UNSIGNED_INT16")
    for kind in kinds:
        images.need(kind, form)
    texels = [form.random(rng, kind.shape) for kind in kinds]
    both = [images.create(kind, form, texels=t) for kind, t in zip(kinds, texels)]
    for origin, to, region in regions:
        images.copy(*both, origin, to, region)
        shape = tuple(reversed(region))
        texels[1][part(to, shape)] = texels[0][part(origin, shape)]
    np.testing.assert_array_equal(images.get(both[1], form, kinds[1].shape), texels[1])


@EVERY_SIZE
@EVERY_KIND
def test_images_and_buffers(images, m, rng, kind, form):
    """Parts go to a buffer and back, at odd offsets of whole elements, close together."""
    images.need(kind, form)
    texels = form.random(rng, kind.shape)
    image = images.create(kind, form, texels=texels)
    for _ in range(4):
        origin, shape = box(rng, kind.shape)
        size, offset = int(np.prod(shape)) * form.texel_size, int(rng.integers(0, 9)) * form.texel_size
        data = rng.integers(0, 256, size + offset + 7, np.uint8)
        buffer = m.buffer(data)
        cl._cl._enqueue_copy_image_to_buffer(m.queue, image, buffer, origin, region_of(shape), offset)
        data[offset:offset + size] = np.ascontiguousarray(texels[part(origin, shape)]).view(np.uint8).ravel()
        np.testing.assert_array_equal(m.read(buffer, np.uint8, data.shape), data)
        new = form.random(rng, shape)
        data[offset:offset + size] = new.view(np.uint8).ravel()
        buffer = m.buffer(data)
        cl._cl._enqueue_copy_buffer_to_image(m.queue, buffer, image, offset, origin, region_of(shape))
        texels[part(origin, shape)] = new
    np.testing.assert_array_equal(images.get(image, form, kind.shape), texels)


def test_commands_in_a_row_without_a_wait(images, m, rng):
    """Write, copy, launch, copy to a buffer, read: none of them blocks, one wait at the end."""
    images.need(D2, RGBA_UINT)
    kernel = cl.Kernel(images.program("""
        kernel void twice(read_only image2d_t from, write_only image2d_t to)
        {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            write_imageui(to, p, read_imageui(from, p) * 2 + 1);
        }"""), "twice")
    shape = (1, 33, 65)
    a, b, c = (images.create(D2, RGBA_UINT, shape) for _ in range(3))
    buffer, size = m.empty(16 * 33 * 65), (65, 33, 1)
    results = []
    for _ in range(10):
        texels, out = RGBA_UINT.random(rng, shape), np.zeros((*shape, 4), np.uint32)
        event = images.write(a, texels, (0, 0, 0), size, blocking=False)
        images.copy(a, b, (0, 0, 0), (0, 0, 0), size)
        kernel(m.queue, size[:2], None, b, c)
        cl._cl._enqueue_copy_image_to_buffer(m.queue, c, buffer, (0, 0, 0), size, 0)
        cl._cl._enqueue_copy_buffer_to_image(m.queue, buffer, a, 0, (0, 0, 0), size)
        images.read(a, out, (0, 0, 0), size, blocking=False)
        results.append((texels, out, event))
    m.queue.finish()
    for texels, out, _ in results:
        np.testing.assert_array_equal(out, texels * np.uint32(2) + np.uint32(1))


@pytest.mark.parametrize("kind", [D2, D3], ids=repr)
def test_a_large_image_comes_back(images, rng, kind):
    """More than a staging ring may hold at once."""
    images.need(kind, RGBA_BYTES)
    shape = (1, 2048, 3000) if kind is D2 else (130, 200, 240)
    texels = rng.integers(0, 256, (*shape, 4), np.uint8)
    image = images.create(kind, RGBA_BYTES, shape)
    images.put(image, texels)
    np.testing.assert_array_equal(images.get(image, RGBA_BYTES, shape), texels)
    with images.mapped(image, kind, RGBA_BYTES, MAP.READ, (0, 0, 0), shape) as (view, _, _):
        np.testing.assert_array_equal(view, texels)
