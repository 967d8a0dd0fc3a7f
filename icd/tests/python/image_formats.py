"""Image formats in numpy: how texels lie in memory, what a kernel reads of them, and what it stores."""

import numpy as np
import pyopencl as cl

# Their numbers in the C interface, from CL_R and CL_SNORM_INT8 on. (pyopencl lacks a few names.)
ORDER_NUMBERS = {name: 0x10B0 + i for i, name in enumerate(
    "R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH DEPTH_STENCIL sRGB sRGBx sRGBA sBGRA "
    "ABGR".split())}
TYPE_NUMBERS = {name: 0x10D0 + i for i, name in enumerate(
    "SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 UNORM_INT_101010 SIGNED_INT8 "
    "SIGNED_INT16 SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 HALF_FLOAT FLOAT UNORM_INT24 "
    "UNORM_INT_101010_2".split())}
# For every channel order: the components as they lie in memory ('x' is padding), and what of them a
# kernel reads (0 and 1 are constants). Its writes take the component of the colour by the same letter.
ORDERS = {
    "R": ("R", "R001"), "Rx": ("R", "R001"), "A": ("A", "000A"), "INTENSITY": ("R", "RRRR"),
    "LUMINANCE": ("R", "RRR1"), "DEPTH": ("R", "RRRR"), "RG": ("RG", "RG01"), "RGx": ("RG", "RG01"),
    "RA": ("RA", "R00A"), "RGB": ("RGB", "RGB1"), "RGBx": ("RGBx", "RGB1"),
    "RGBA": ("RGBA", "RGBA"), "BGRA": ("BGRA", "RGBA"), "ARGB": ("ARGB", "RGBA"),
    "ABGR": ("ABGR", "RGBA"), "sRGB": ("RGB", "RGB1"), "sRGBx": ("RGBx", "RGB1"),
    "sRGBA": ("RGBA", "RGBA"), "sBGRA": ("BGRA", "RGBA"),
}
# The orders whose border colour has alpha one ("Determining the Border Color or Value").
OPAQUE_BORDER = {"R", "RG", "RGB", "LUMINANCE"}
# For every channel type: its numpy type, the built-in functions' suffix and the largest integer of
# normalized ones.
TYPES = {
    "SNORM_INT8": (np.int8, "f", 127), "SNORM_INT16": (np.int16, "f", 32767),
    "UNORM_INT8": (np.uint8, "f", 255), "UNORM_INT16": (np.uint16, "f", 65535),
    "SIGNED_INT8": (np.int8, "i", 0), "SIGNED_INT16": (np.int16, "i", 0),
    "SIGNED_INT32": (np.int32, "i", 0), "UNSIGNED_INT8": (np.uint8, "ui", 0),
    "UNSIGNED_INT16": (np.uint16, "ui", 0), "UNSIGNED_INT32": (np.uint32, "ui", 0),
    "HALF_FLOAT": (np.float16, "f", 0), "FLOAT": (np.float32, "f", 0),
    "UNORM_SHORT_565": (np.uint16, "f", 0), "UNORM_SHORT_555": (np.uint16, "f", 0),
    "UNORM_INT_101010": (np.uint32, "f", 0), "UNORM_INT_101010_2": (np.uint32, "f", 0),
}
# Shift and width of each component of the packed types, in the order R, G, B, A.
PACKED = {
    "UNORM_SHORT_565": ((11, 5), (5, 6), (0, 5)), "UNORM_SHORT_555": ((10, 5), (5, 5), (0, 5)),
    "UNORM_INT_101010": ((20, 10), (10, 10), (0, 10)),
    "UNORM_INT_101010_2": ((22, 10), (12, 10), (2, 10), (0, 2)),
}


def to_linear(c):
    """sRGB in [0, 1] to linear."""
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def to_srgb(c):
    """Linear in [0, 1] to sRGB."""
    return np.where(c < 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


class Format:
    """A channel order with a channel type."""

    def __init__(self, order, kind):
        self.order, self.type = order, kind
        self.stored, self.read = ORDERS[order]
        self.dtype, self.suffix, self.scale = TYPES[kind]
        self.packed = PACKED.get(kind)
        self.dtype = np.dtype(self.dtype)
        self.channels = 1 if self.packed else len(self.stored)
        self.texel_size = self.channels * self.dtype.itemsize
        self.cl = cl.ImageFormat(ORDER_NUMBERS[order], TYPE_NUMBERS[kind])
        self.is_float = kind in ("FLOAT", "HALF_FLOAT")
        self.is_srgb = order.startswith("s")
        self.is_depth = order == "DEPTH"
        # What a kernel reads and writes.
        self.value = {"f": np.float32, "i": np.int32, "ui": np.uint32}[self.suffix]
        self.vector = {"f": "float", "i": "int", "ui": "uint"}[self.suffix] + ("" if self.is_depth else "4")
        self.border = np.array([0, 0, 0, int(order in OPAQUE_BORDER)], np.float64)

    def __repr__(self):
        return f"{self.order} {self.type}"

    def random(self, rng, shape):
        """Random texels: any bits of integers, moderate numbers of floats."""
        if self.is_float:
            return rng.uniform(-4, 4, (*shape, self.channels)).astype(self.dtype)
        low, high = (np.iinfo(self.dtype).min, np.iinfo(self.dtype).max)
        if self.is_depth:
            low = 0
        return rng.integers(low, high, (*shape, self.channels), self.dtype, endpoint=True)

    def _components(self, texels):
        """The components by letter, as numbers."""
        if self.packed:
            word = texels[..., 0].astype(np.uint64)
            return {letter: (word >> np.uint64(shift) & np.uint64((1 << width) - 1)) / ((1 << width) - 1)
                    for letter, (shift, width) in zip("RGBA", self.packed)}
        wide = texels.astype(np.float64)
        if self.scale:
            wide = np.maximum(wide / self.scale, -1)
        parts = {letter: wide[..., i] for i, letter in enumerate(self.stored)}
        if self.is_srgb:
            parts.update({letter: to_linear(parts[letter]) for letter in "RGB"})
        return parts

    def decode(self, texels):
        """What a kernel reads: four numbers for each texel."""
        parts = self._components(texels)
        constant = {"0": np.zeros(texels.shape[:-1]), "1": np.ones(texels.shape[:-1])}
        return np.stack([parts.get(c, constant.get(c)) for c in self.read], -1)

    def colours(self, values):
        """A depth image takes numbers where the others take vectors of four."""
        values = np.ascontiguousarray(values, self.value)
        return np.ascontiguousarray(values[..., 0]) if self.is_depth else values

    def expected_store(self, colours):
        """What four components are stored as, before rounding to integers: (texels, channels)."""
        wide = np.asarray(colours).astype(np.float64)
        if self.is_srgb:
            rgb = to_srgb(np.clip(np.nan_to_num(wide[..., :3], nan=0), 0, 1))
            wide = np.concatenate([rgb, wide[..., 3:]], -1)
        letters = "RGBA"[:len(self.packed)] if self.packed else self.stored.replace("x", "")
        wide = np.stack([wide[..., "RGBA".index(letter)] for letter in letters], -1)
        if self.packed:
            return np.clip(wide, 0, 1) * [(1 << width) - 1 for _, width in self.packed]
        if self.scale:
            low = 0 if self.type.startswith("U") else -1
            return np.clip(np.nan_to_num(wide, nan=0, posinf=1e9, neginf=-1e9), low, 1) * self.scale
        if not self.is_float:
            limits = np.iinfo(self.dtype)
            return np.clip(wide, limits.min, limits.max)
        return wide

    def check_store(self, texels, colours):
        """Texels hold what a kernel wrote, as near as the specification asks ("Conversion Rules")."""
        expected = self.expected_store(colours)
        if self.packed:
            word = texels[..., 0].astype(np.int64)
            parts = [word >> shift & ((1 << width) - 1) for shift, width in self.packed]
            got = np.stack(parts, -1).astype(np.float64)
        else:
            kept = [i for i, letter in enumerate(self.stored) if letter != "x"]
            got = texels[..., kept].astype(np.float64)
        if self.type == "HALF_FLOAT":
            near = expected.astype(np.float16)
            # Toward zero is allowed as well.
            over = np.abs(near.astype(np.float64)) > np.abs(expected)
            toward = np.where(over, np.nextafter(near, np.float16(0)), near)
            same = (got == near) | (got == toward) | (np.isnan(got) & np.isnan(expected))
            assert same.all(), f"{self}: {got[~same][:4]} for {expected[~same][:4]}"
        elif self.is_float or not (self.packed or self.scale):
            np.testing.assert_array_equal(got, expected, err_msg=str(self))
        else:
            # Both of the smallest numbers of a signed type stand for -1.
            got = np.maximum(got, -self.scale) if self.scale else got
            # The product in float may be off by its last bit.
            np.testing.assert_allclose(got, expected, rtol=1e-7, atol=0.6, err_msg=str(self))

    def check_read(self, got, texels):
        """A kernel has read these texels, as near as the specification asks."""
        expected = self.decode(texels)
        if self.is_depth:
            expected = expected[..., 0]
        if self.is_srgb:
            colour, alpha = got[..., :3].astype(np.float64), got[..., 3]
            np.testing.assert_allclose(255 * to_srgb(colour), 255 * to_srgb(expected[..., :3]),
                                       rtol=0, atol=0.5, err_msg=str(self))
            np.testing.assert_allclose(alpha, expected[..., 3], rtol=2e-7, err_msg=str(self))
        elif self.is_float or self.suffix != "f":
            np.testing.assert_array_equal(got.astype(np.float64), expected, err_msg=str(self))
        else:
            # 1.5 ulp.
            np.testing.assert_allclose(got.astype(np.float64), expected, rtol=1.8e-7, atol=0,
                                       err_msg=str(self))


def format_of(image_format):
    """The Format of a pyopencl format, or None of one that the tests do not know."""
    def name(numbers, value):
        return next((name for name, number in numbers.items() if number == value), None)
    order = name(ORDER_NUMBERS, image_format.channel_order)
    kind = name(TYPE_NUMBERS, image_format.channel_data_type)
    return Format(order, kind) if order in ORDERS and kind in TYPES else None


RGBA_FLOAT = Format("RGBA", "FLOAT")
RGBA_UINT = Format("RGBA", "UNSIGNED_INT32")
RGBA_INT = Format("RGBA", "SIGNED_INT32")
RGBA_BYTES = Format("RGBA", "UNORM_INT8")
