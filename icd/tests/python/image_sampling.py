"""Samples images as the specification says (OpenCL C, "Image Addressing and Filtering"), in numpy.

Texels are an array (depth, height, width, 4); an image with fewer axes has ones there, and layers take
the place of the first axis that is free. Coordinates are an array (count, 4) of s, t, r and nothing.
"""

import itertools

import numpy as np

NONE, EDGE, CLAMP, REPEAT, MIRRORED = "NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"


def _nearest(s, size, mode, normalized):
    """Indices along one axis; those outside the image mean the border."""
    u = s * size if normalized else s
    if mode == REPEAT:
        index = np.floor((s - np.floor(s)) * size)
        return np.where(index > size - 1, index - size, index)
    if mode == MIRRORED:
        return np.minimum(np.floor(np.abs(s - 2 * np.rint(0.5 * s)) * size), size - 1)
    index = np.floor(u)
    return np.clip(index, 0, size - 1) if mode == EDGE else np.clip(index, -1, size)


def _linear(s, size, mode, normalized):
    """Both indices along one axis, and the weight of the second."""
    u = s * size if normalized else s
    if mode == REPEAT:
        u = (s - np.floor(s)) * size
        first = np.floor(u - 0.5)
        second = first + 1
        first, second = np.where(first < 0, first + size, first), np.where(second > size - 1, second - size, second)
    elif mode == MIRRORED:
        u = np.abs(s - 2 * np.rint(0.5 * s)) * size
        first = np.floor(u - 0.5)
        first, second = np.maximum(first, 0), np.minimum(first + 1, size - 1)
    else:
        low, high = (0, size - 1) if mode == EDGE else (-1, size)
        first = np.floor(u - 0.5)
        first, second = np.clip(first, low, high), np.clip(first + 1, low, high)
    return first, second, u - 0.5 - np.floor(u - 0.5)


def _texels_at(texels, indices, border):
    """Texels at indices (x, y, z); the border's colour outside."""
    sizes = texels.shape[2], texels.shape[1], texels.shape[0]
    inside = np.ones(indices[0].shape, bool)
    safe = []
    for index, size in zip(indices, sizes):
        inside &= (index >= 0) & (index < size)
        safe.append(np.clip(index, 0, size - 1).astype(np.int64))
    return np.where(inside[:, None], texels[safe[2], safe[1], safe[0]], border)


def sample(texels, coords, mode, linear=False, normalized=False, border=(0, 0, 0, 0), axes=2, layered=False):
    """What a sampler gives; `axes` are filtered, and the next selects a layer if the image has layers."""
    coords = np.asarray(coords).astype(np.float64)
    sizes = texels.shape[2], texels.shape[1], texels.shape[0]
    zero = np.zeros(len(coords))
    fixed = [zero] * 3
    if layered:
        fixed[axes] = np.clip(np.rint(coords[:, axes]), 0, sizes[axes] - 1)
    border = np.asarray(border, np.float64)
    if not linear:
        for axis in range(axes):
            fixed[axis] = _nearest(coords[:, axis], sizes[axis], mode, normalized)
        return _texels_at(texels, fixed, border)
    parts = [_linear(coords[:, axis], sizes[axis], mode, normalized) for axis in range(axes)]
    total = np.zeros((len(coords), 4))
    for corner in itertools.product((0, 1), repeat=axes):
        weight = np.ones(len(coords))
        indices = list(fixed)
        for axis, side in enumerate(corner):
            indices[axis] = parts[axis][side]
            weight = weight * (parts[axis][2] if side else 1 - parts[axis][2])
        total += weight[:, None] * _texels_at(texels, indices, border)
    return total
