"""What the tests of images share: kinds of images, making them, and kernels that read and write texels.

Texels are numpy arrays (depth, height, width, channels); an image with fewer axes has ones there, and
the layers of an array take the first axis that is free, as in origins and regions.
"""

import ctypes
import os
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import pyopencl as cl
import pytest
from image_formats import TYPES, Format, format_of

MF, OBJECT = cl.mem_flags, cl.mem_object_type


class Kind:
    """A type of image: its axes, and how a kernel writes a coordinate, from an int4 or float4 `c`."""

    def __init__(self, name, c_type, cl_type, axes, layered, coordinate, shape):
        self.name, self.c_type, self.cl_type = name, c_type, cl_type
        self.axes, self.layered, self.coordinate = axes, layered, coordinate
        # The array's shape of tests that need no other.
        self.shape = shape

    def __repr__(self):
        return self.name

    def layers(self, shape=None):
        """The layers of an array."""
        return (shape or self.shape)[2 - self.axes]


KINDS = {kind.name: kind for kind in [
    Kind("1d", "image1d_t", OBJECT.IMAGE1D, 1, False, "(c).x", (1, 1, 37)),
    Kind("1d_array", "image1d_array_t", OBJECT.IMAGE1D_ARRAY, 1, True, "(c).xy", (1, 5, 19)),
    Kind("2d", "image2d_t", OBJECT.IMAGE2D, 2, False, "(c).xy", (1, 11, 17)),
    Kind("2d_array", "image2d_array_t", OBJECT.IMAGE2D_ARRAY, 2, True, "(c)", (4, 7, 9)),
    Kind("3d", "image3d_t", OBJECT.IMAGE3D, 3, False, "(c)", (5, 6, 7)),
]}
BUFFER = Kind("1d_buffer", "image1d_buffer_t", OBJECT.IMAGE1D_BUFFER, 1, False, "(c).x", (1, 1, 61))

READS = """
PRAGMA
kernel void fetched(ACCESS IMAGE im, global const int4 *at, global VALUE *out)
{ size_t i = get_global_id(0); out[i] = READ(im, C(at[i])); }
#ifdef SAMPLED
kernel void sampled_int(read_only IMAGE im, sampler_t s, global const int4 *at, global VALUE *out)
{ size_t i = get_global_id(0); out[i] = READ(im, s, C(at[i])); }
kernel void sampled_float(read_only IMAGE im, sampler_t s, global const float4 *at, global VALUE *out)
{ size_t i = get_global_id(0); out[i] = READ(im, s, C(at[i])); }
#endif
"""
WRITES = """
PRAGMA
kernel void written(ACCESS IMAGE im, global const int4 *at, global const VALUE *values)
{ size_t i = get_global_id(0); WRITE(im, C(at[i]), values[i]); }
"""
DEPTH_PRAGMA = "#ifdef cl_khr_depth_images\n#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n#endif\n"
PRAGMA_3D = ("#ifdef cl_khr_3d_image_writes\n"
             "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n#endif\n")


def status(call, *arguments, **named):
    """The status that a call fails with; 0 if it succeeds."""
    try:
        call(*arguments, **named)
    except cl.Error as error:
        return error.code
    return 0


# True if linear filters are arithmetic in single precision, not the device's samplers.
EXACT_FILTERS = os.environ.get("HEKLA_LINEAR") == "exact"


def all_coordinates(shape):
    """Integer coordinates (x, y, z, 0) of all texels, in the order of memory."""
    z, y, x = np.indices(shape)
    return np.stack([x, y, z, 0 * x], -1).reshape(-1, 4).astype(np.int32)


def region_of(shape):
    return tuple(reversed(shape[:3]))


class Images:
    """Makes images on a machine, and reads and writes them in kernels."""

    def __init__(self, machine):
        self.m = machine
        self.program = lru_cache(maxsize=None)(self._program)
        self.formats = lru_cache(maxsize=None)(self._formats)
        self.extensions = machine.device.extensions.split()

    def _program(self, source, options=()):
        return self.m.build(source, options)

    def _formats(self, kind, flags):
        """The formats that are listed for a kind of image, of those that the tests know."""
        listed = cl.get_supported_image_formats(self.m.context, flags, kind.cl_type)
        return [f for f in map(format_of, listed) if f]

    def formats_of(self, kind, channel_type, flags):
        """The listed formats of one channel type, without depth; skips the test where none is."""
        found = [f for f in self.formats(kind, flags) if f.type == channel_type and not f.is_depth]
        if not found:
            pytest.skip(f"no {channel_type} of {kind}")
        return found

    def need(self, kind, form, flags=MF.READ_WRITE):
        """Skips the test where a format is not listed."""
        listed = [repr(f) for f in self.formats(kind, flags)]
        if repr(form) not in listed:
            pytest.skip(f"{form} is not listed for {kind}")

    def need_3d_writes(self):
        if "cl_khr_3d_image_writes" not in self.extensions:
            pytest.skip("no writes of 3D images")

    def descriptor(self, kind, shape, pitches=(0, 0), buffer=None, unused=0):
        """A cl_image_desc; `unused` is in the fields that a kind has no use for."""
        desc = cl.ImageDescriptor()
        depth, height, width = shape
        desc.image_type = kind.cl_type
        desc.shape = (width, height if kind.axes > 1 else unused, depth if kind.axes > 2 else unused)
        desc.array_size = kind.layers(shape) if kind.layered else unused
        desc.pitches = pitches
        desc.num_mip_levels = desc.num_samples = 0
        desc.buffer = buffer
        return desc

    def create(self, kind, form, shape=None, texels=None, flags=MF.READ_WRITE, pitches=(0, 0), buffer=None):
        """An image; with texels (any array, read with the pitches), COPY_HOST_PTR unless flags say how."""
        if texels is not None:
            texels = np.ascontiguousarray(texels) if pitches == (0, 0) else texels
            shape = shape or texels.shape[:3]
            if not flags & MF.USE_HOST_PTR:
                flags |= MF.COPY_HOST_PTR
        desc = self.descriptor(kind, shape or kind.shape, pitches, buffer)
        return cl.Image(self.m.context, flags, form.cl, desc=desc, hostbuf=texels)

    def sampler(self, mode, linear=False, normalized=False):
        filters = cl.filter_mode
        return cl.Sampler(self.m.context, normalized, getattr(cl.addressing_mode, mode),
                          filters.LINEAR if linear else filters.NEAREST)

    def _defines(self, kind, form, access):
        c_type = kind.c_type.replace("_t", "_depth_t") if form.is_depth else kind.c_type
        pragma = DEPTH_PRAGMA if form.is_depth else ""
        if kind.axes == 3 and access != "read_only":
            pragma += PRAGMA_3D
        sampled = "#define SAMPLED\n" if kind is not BUFFER else ""
        return (f"#define IMAGE {c_type}\n#define ACCESS {access}\n#define VALUE {form.vector}\n{sampled}"
                f"#define C(c) {kind.coordinate}\n#define READ read_image{form.suffix}\n"
                f"#define WRITE write_image{form.suffix}\n"), pragma

    def kernel(self, kind, form, name, access):
        """A kernel of READS or WRITES."""
        defines, pragma = self._defines(kind, form, access)
        body = (WRITES if name == "written" else READS).replace("PRAGMA", pragma)
        options = ("-cl-std=CL3.0",) if access == "read_write" or form.is_depth else ()
        return cl.Kernel(self.program(defines + body, options), name)

    def sample(self, image, kind, form, coords, sampler=None, access="read_only"):
        """What a kernel reads at coordinates (count, 4): float4 with a sampler, or int4."""
        coords = np.ascontiguousarray(coords)
        is_int = np.issubdtype(coords.dtype, np.integer)
        coords = coords.astype(np.int32 if is_int else np.float32)
        name = "fetched" if sampler is None else "sampled_int" if is_int else "sampled_float"
        lanes = 1 if form.is_depth else 4
        out = self.m.empty(4 * lanes * len(coords))
        kernel = self.kernel(kind, form, name, access)
        samplers = [] if sampler is None else [sampler]
        kernel(self.m.queue, (len(coords),), None, image, *samplers, self.m.buffer(coords), out)
        shape = (len(coords),) if form.is_depth else (len(coords), 4)
        return self.m.read(out, form.value, shape)

    def fetch_all(self, image, kind, form, shape=None, access="read_only"):
        """What a kernel reads of all texels, without a sampler: in the shape of texels."""
        shape = (shape or kind.shape)[:3]
        got = self.sample(image, kind, form, all_coordinates(shape), access=access)
        return got.reshape((*shape, 4) if got.ndim == 2 else shape)

    def store(self, image, kind, form, coords, colours, access="write_only"):
        """Writes colours (count, 4) in a kernel."""
        coords = np.ascontiguousarray(coords, np.int32)
        kernel = self.kernel(kind, form, "written", access)
        kernel(self.m.queue, (len(coords),), None, image, self.m.buffer(coords),
               self.m.buffer(form.colours(colours)))

    def read(self, image, host, origin, region, row=0, slice_pitch=0, queue=None, wait_for=None, blocking=True):
        """clEnqueueReadImage. (pyopencl's enqueue_copy knows no images of one dimension.)"""
        return cl._cl._enqueue_read_image(queue or self.m.queue, image, origin, region, host, row, slice_pitch,
                                          wait_for, blocking)

    def write(self, image, host, origin, region, row=0, slice_pitch=0, queue=None, wait_for=None, blocking=True):
        """clEnqueueWriteImage."""
        return cl._cl._enqueue_write_image(queue or self.m.queue, image, origin, region, host, row, slice_pitch,
                                           wait_for, blocking)

    def copy(self, source, target, source_origin, target_origin, region, wait_for=None):
        """clEnqueueCopyImage."""
        return cl._cl._enqueue_copy_image(self.m.queue, source, target, source_origin, target_origin, region,
                                          wait_for)

    def get(self, image, form, shape, origin=(0, 0, 0)):
        """Texels that the host reads."""
        out = np.zeros((*shape[:3], form.channels), form.dtype)
        self.read(image, out, origin, region_of(shape))
        return out

    def put(self, image, texels, origin=(0, 0, 0)):
        """Texels that the host writes."""
        self.write(image, np.ascontiguousarray(texels), origin, region_of(texels.shape))

    @contextmanager
    def mapped(self, image, kind, form, flags, origin, shape, queue=None):
        """A mapped region as an array over the mapping's pitches; gives it with both pitches."""
        queue = queue or self.m.queue
        region = region_of(shape)
        anchor, _, row, slice_pitch = cl.enqueue_map_image(
            queue, image, flags, origin, region, (1,), np.uint8)
        address = anchor.__array_interface__["data"][0]
        size, depth, height, width = form.texel_size, *shape[:3]
        # The layers of a 1D array are a slice apart.
        between = slice_pitch if kind.layered and kind.axes == 1 else row
        length = (depth - 1) * slice_pitch + (height - 1) * between + width * size
        data = (ctypes.c_uint8 * length).from_address(address)
        view = np.ndarray((*shape[:3], form.channels), form.dtype, data,
                          strides=(slice_pitch, between, size, form.dtype.itemsize))
        try:
            yield view, row, slice_pitch
        finally:
            anchor.base.release(queue)


ALL_TYPES = list(TYPES)
