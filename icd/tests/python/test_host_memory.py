"""CL_MEM_USE_HOST_PTR on devices whose memory is the host's: programs read and write the memory without a map."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyopencl as cl
import pytest
from conftest import DRIVER, LIMIT_TO, PYTHON
from image_formats import RGBA_UINT, Format
from imaging import KINDS, MF, Images, all_coordinates

SOURCE = """
kernel void add(global uint *p, uint x) { p[get_global_id(0)] += x; }
kernel void copy(global const uchar *from, global uchar *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
"""


EXTENSION = "VK_EXT_external_memory_host"


def device_file(name):
    """The text of a device file: of a short name, or at a path."""
    shipped = Path(__file__).parents[3] / "vk-backend" / "devices" / f"{name}.toml"
    return (shipped if shipped.exists() else Path(name)).read_text()


@pytest.fixture
def unified(m):
    if not m.device.host_unified_memory:
        pytest.skip("the device has memory of its own")
    if {"HEKLA_STAGING", "HEKLA_NONCOHERENT"} & set(os.environ):
        pytest.skip("the device's memory is treated as another's")
    if LIMIT_TO and EXTENSION not in device_file(LIMIT_TO):
        pytest.skip(f"{LIMIT_TO} lacks {EXTENSION}")
    if DRIVER == "swiftshader":
        pytest.skip("SwiftShader does not import the host's memory (VK_EXT_external_memory_host)")
    return m.context


@pytest.fixture
def queue(m):
    return m.queue


def aligned(size, offset, alignment=4096):
    """Returns `size` bytes that begin `offset` bytes behind a multiple of `alignment`."""
    whole = np.zeros(size + offset + alignment, np.uint8)
    start = -whole.ctypes.data % alignment + offset
    return whole[start : start + size]


def shared(context, host):
    """Returns a buffer of the memory."""
    flags = cl.mem_flags
    return cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=host)


# Offsets of memory in a page.
OFFSETS = [0, 256, 16, 4, 4092]


def test_stores_are_seen_without_a_map(m, unified, queue):
    add = cl.Kernel(m.build(SOURCE), "add")
    for offset in OFFSETS:
        host = aligned(4000, offset).view(np.uint32)
        host[:] = np.arange(1000)
        buffer = shared(unified, host)
        add(queue, (1000,), None, buffer, np.uint32(7))
        queue.finish()
        assert np.array_equal(host, np.arange(1000) + 7), offset
        host *= 3
        add(queue, (1000,), None, buffer, np.uint32(1))
        queue.finish()
        assert np.array_equal(host, (np.arange(1000) + 7) * 3 + 1), offset
        assert not buffer.get_info(cl.mem_info.USES_SVM_POINTER)


def test_bytes_around_are_left_alone(m, unified, queue):
    whole = aligned(3 * 4096, 0)
    whole[:] = np.arange(whole.size) % 251
    before = whole.copy()
    buffer = shared(unified, whole[4096 + 512 : 2 * 4096 - 512])
    cl.enqueue_fill_buffer(queue, buffer, np.uint8(9), 0, 3072)
    queue.finish()
    expected = before
    expected[4096 + 512 : 2 * 4096 - 512] = 9
    assert np.array_equal(whole, expected)


def test_maps_are_the_memory_itself(m, unified, queue):
    host = aligned(4096, 0).view(np.uint32)
    buffer = shared(unified, host)
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    array, _ = cl.enqueue_map_buffer(queue, buffer, flags, 256, (64,), np.uint32)
    assert array.ctypes.data == host.ctypes.data + 256
    array[:] = 5
    array.base.release(queue)
    queue.finish()
    assert np.array_equal(host[64:128], np.full(64, 5))


def test_transfers_to_the_memory_itself_keep_their_order(m, unified, queue):
    """A read of a buffer to its own bytes must not come after what the next kernel writes."""
    add = cl.Kernel(m.build(SOURCE), "add")
    host = aligned(1 << 20, 0).view(np.uint32)
    buffer = shared(unified, host)
    other = cl.Buffer(unified, cl.mem_flags.READ_WRITE, host.nbytes)
    for round in range(20):
        add(queue, host.shape, None, buffer, np.uint32(1))
        cl.enqueue_copy(queue, host, buffer, is_blocking=False)
        add(queue, host.shape, None, buffer, np.uint32(1))
        cl.enqueue_copy(queue, buffer, host, is_blocking=False)
        # To another buffer by way of the memory's address, and back.
        cl.enqueue_copy(queue, other, host, is_blocking=False)
        add(queue, host.shape, None, other, np.uint32(1))
        cl.enqueue_copy(queue, host, other, is_blocking=False)
        add(queue, host.shape, None, buffer, np.uint32(1))
    queue.finish()
    assert np.array_equal(host, np.full(host.shape, 80))


def test_overlapping_parts_of_the_memory_are_copied_whole(m, unified, queue):
    host = aligned(8192, 0)
    buffer = shared(unified, host)
    host[:] = np.arange(8192) % 253
    expected = host.copy()
    expected[100:4196] = host[:4096]
    cl.enqueue_copy(queue, host[100:4196], buffer)
    assert np.array_equal(host, expected)


def test_sub_buffers_and_bytes(m, unified, queue):
    copy = cl.Kernel(m.build(SOURCE), "copy")
    host = aligned(4096, 0)
    host[:1024] = np.arange(1024) % 255
    buffer = shared(unified, host)
    parts = [buffer.get_sub_region(start, 1024) for start in (0, 2048)]
    copy(queue, (1023,), None, *parts)
    queue.finish()
    assert np.array_equal(host[2048:3071], np.arange(1023) % 255)
    assert not host[3071:].any()


def test_memory_of_two_buffers_is_taken_twice(m, unified, queue):
    """The second one is a copy (what both do at once is undefined): nothing is lost when either goes."""
    add = cl.Kernel(m.build(SOURCE), "add")
    host = aligned(4096, 0).view(np.uint32)
    first, second = shared(unified, host), shared(unified, host[100:])
    add(queue, (1024,), None, first, np.uint32(2))
    queue.finish()
    assert np.array_equal(host, np.full(1024, 2))
    del first
    array, _ = cl.enqueue_map_buffer(queue, second, cl.map_flags.READ, 0, (924,), np.uint32)
    assert not array[:].any()
    array.base.release(queue)
    host[:] = 4
    third = shared(unified, host)
    add(queue, (1024,), None, third, np.uint32(2))
    queue.finish()
    assert np.array_equal(host, np.full(1024, 6))


@pytest.fixture
def images(m, unified):
    if not m.device.image_support:
        pytest.skip("no images")
    return Images(m)


def texels_at(form, shape, row, slice_pitch, offset=0):
    """Returns texels in memory with these pitches (bytes), and the memory, which begins `offset` bytes into a page."""
    depth, height, width = shape
    memory = aligned(depth * slice_pitch, offset)
    view = np.ndarray((*shape, form.channels), form.dtype, memory, 0,
                      (slice_pitch, row, form.texel_size, form.dtype.itemsize))
    return view, memory


# The layers of a 1D array are a slice apart, and a buffer holds no texels that are not at multiples of their size.
PITCHED = [("1d", 0, 0), ("1d", 0, 16), ("1d_array", 1, 0), ("2d", 0, 0), ("2d", 1, 32), ("2d_array", 1, 4080), ("3d", 1, 0)]


@pytest.mark.parametrize("form", [RGBA_UINT, Format("RGBA", "SIGNED_INT8"), Format("R", "UNSIGNED_INT16")], ids=repr)
@pytest.mark.parametrize("name, more, offset", PITCHED)
def test_images_see_stores_without_a_map(m, images, queue, rng, form, name, more, offset):
    kind = KINDS[name]
    images.need(kind, form)
    if kind.axes == 3:
        images.need_3d_writes()
    depth, height, width = kind.shape
    row = (width + more * 3) * form.texel_size
    # Of an array of lines a line is a slice.
    row, slice_pitch = (row, row * 2) if name == "1d_array" else (row, row * (height + more))
    strides = (0, slice_pitch) if name == "1d_array" else (slice_pitch, row)
    view, memory = texels_at(form, kind.shape, strides[1], strides[0] or height * strides[1], offset)
    view[...] = form.random(rng, kind.shape)
    pitches = {"1d": (0, 0), "1d_array": (row, slice_pitch), "2d": (row, 0)}.get(name, (row, slice_pitch))
    desc = images.descriptor(kind, kind.shape, pitches)
    image = cl.Image(m.context, MF.READ_WRITE | MF.USE_HOST_PTR, form.cl, desc=desc, hostbuf=memory)
    between = memory.copy()
    for _ in range(3):
        view[...] = form.random(rng, kind.shape)
        form.check_read(images.fetch_all(image, kind, form), view)
        new = form.random(rng, kind.shape)
        colours = np.zeros((*kind.shape, 4), new.dtype)
        colours[..., :form.channels] = new
        images.store(image, kind, form, all_coordinates(kind.shape), colours.reshape(-1, 4))
        queue.finish()
        np.testing.assert_array_equal(view, new)
    # Nothing but texels is written.
    after = memory.copy()
    for data in (between, after):
        np.ndarray(view.shape, view.dtype, data, 0, view.strides)[...] = 0
    np.testing.assert_array_equal(between, after)
    assert image.get_image_info(cl.image_info.BUFFER) is None
    assert image.get_info(cl.mem_info.ASSOCIATED_MEMOBJECT) is None
    # The host's commands work on the memory itself.
    images.put(image, form.random(rng, kind.shape))
    queue.finish()
    np.testing.assert_array_equal(images.get(image, form, kind.shape), view)


def test_an_image_of_such_an_image(m, images, queue, rng):
    form = Format("RGBA", "UNORM_INT8")
    images.need(KINDS["2d"], form)
    images.need(KINDS["2d"], Format("sRGBA", "UNORM_INT8"), MF.READ_ONLY)
    view, memory = texels_at(form, (1, 6, 8), 32, 192)
    desc = images.descriptor(KINDS["2d"], (1, 6, 8))
    image = cl.Image(m.context, MF.READ_WRITE | MF.USE_HOST_PTR, form.cl, desc=desc, hostbuf=memory)
    desc = images.descriptor(KINDS["2d"], (1, 6, 8), buffer=image)
    other = cl.Image(m.context, MF.READ_ONLY, Format("sRGBA", "UNORM_INT8").cl, desc=desc)
    assert other.get_image_info(cl.image_info.BUFFER) is None
    for value in (0, 255):
        view[...] = value
        read = images.fetch_all(other, KINDS["2d"], form, (1, 6, 8))
        np.testing.assert_array_equal(read, np.full((1, 6, 8, 4), value / 255, np.float32))


def second_driver(folder):
    """The manifest of a second driver: a copy of the first, which the loader takes for another. `None`: there is no manifest."""
    manifest = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES", "")
    library = re.search(r"/\S*libvulkan_lvp\S*", Path("/proc/self/maps").read_text())
    if not os.path.isfile(manifest) or not library:
        return None
    told = json.loads(Path(manifest).read_text())
    told["ICD"]["library_path"] = str(folder / "libvulkan_second.so")
    shutil.copy(library.group(), told["ICD"]["library_path"])
    second = folder / "second.json"
    second.write_text(json.dumps(told))
    return f"{manifest}:{second}"


def test_devices_share_the_memory(m, unified, tmp_path):
    """Two devices of one context, both with the host's memory: none has a copy."""
    drivers = second_driver(tmp_path)
    if not drivers or "HEKLA_LIMIT_TO" in os.environ:
        pytest.skip("there is one driver, whose manifest is not known")
    environment = {**os.environ, "VK_DRIVER_FILES": drivers, "VK_ICD_FILENAMES": drivers}
    script = Path(__file__).with_name("two_devices_host_memory.py")
    done = subprocess.run([*PYTHON, script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("of_buffer", [False, True])
def test_maps_of_images_in_shared_virtual_memory(m, images, queue, rng, of_buffer):
    """An image of such memory, or of a buffer of it: a map brings what kernels wrote, an unmap what the host wrote."""
    kind, form, shape = KINDS["2d"], RGBA_UINT, (1, 8, 16)
    if of_buffer and "cl_khr_image2d_from_buffer" not in images.extensions:
        pytest.skip("no 2D images of buffers")
    if not m.device.svm_capabilities & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
        pytest.skip("no shared virtual memory")
    memory = cl.csvm_empty(m.context, (8, 16, 4), np.uint32, queue=queue)
    with cl.SVM(memory).map_rw(queue) as view:
        view[...] = form.random(rng, (8, 16))
        flags = MF.READ_WRITE | MF.USE_HOST_PTR
        desc = images.descriptor(kind, shape)
        if of_buffer:
            buffer = cl.Buffer(m.context, flags, hostbuf=view)
            desc = images.descriptor(kind, shape, (256, 0), buffer=buffer)
            image = cl.Image(m.context, MF.READ_WRITE, form.cl, desc=desc)
        else:
            image = cl.Image(m.context, flags, form.cl, desc=desc, hostbuf=view)
    new = form.random(rng, shape)
    images.store(image, kind, form, all_coordinates(shape), new.reshape(-1, 4))
    access = cl.map_flags.READ | cl.map_flags.WRITE
    with images.mapped(image, kind, form, access, (0, 0, 0), shape) as (texels, _, _):
        np.testing.assert_array_equal(texels, new)
        texels[...] = new[:, ::-1]
    queue.finish()
    np.testing.assert_array_equal(images.fetch_all(image, kind, form, shape), new[:, ::-1])
