"""Runs an expression of OpenCV on the processor and, with UMat, on the OpenCL device; prints how far apart
the results are.

Usage: opencv.py EXPRESSION"""

import math
import sys

import cv2
import numpy as np

HEIGHT, WIDTH = 384, 512
# What OpenCV does beyond the edge of a picture is not the same everywhere: that is one grey.
rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
noise = np.random.default_rng(1).random((HEIGHT, WIDTH, 3)).astype(np.float32)
colour = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 3), None, 0, 255, cv2.NORM_MINMAX)
frame = np.ones((HEIGHT, WIDTH), bool)
frame[24:-24, 24:-24] = False
colour[frame] = 128
colour = colour.astype(np.uint8)
grey = np.ascontiguousarray(colour[..., 0])
turn = cv2.getRotationMatrix2D((WIDTH / 2, HEIGHT / 2), 20, 0.8)
perspective = np.vstack([turn, [1e-4, 2e-4, 1]])
waves = (columns + 8 * np.sin(rows / 20), rows + 8 * np.cos(columns / 25))
hog = cv2.HOGDescriptor()

on_device = False


def u(array):
    """Puts an array where it is to be worked on."""
    return cv2.UMat(array) if on_device else array


def result(expression):
    value = eval(expression)
    return np.asarray(value.get() if isinstance(value, cv2.UMat) else value)


cv2.ocl.setUseOpenCL(False)
expected = result(sys.argv[1])
cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.useOpenCL():
    sys.exit("OpenCV finds no OpenCL device")
on_device = True
got = result(sys.argv[1])
cv2.ocl.finish()
if got.size != expected.size:
    sys.exit(f"{got.shape} instead of {expected.shape}")
error = np.mean((got.astype(np.float64).ravel() - expected.astype(np.float64).ravel()) ** 2)
peak = 255 if expected.dtype == np.uint8 else np.abs(expected).max()
print("psnr", 10 * math.log10(peak**2 / error) if error > 0 else "inf")
