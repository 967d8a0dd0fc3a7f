"""The Mandelbrot set, computed by OpenCL through pyopencl and written as a PNG with nothing but
Python's standard library.

usage: mandelbrot.py OUTPUT.png [WIDTH HEIGHT]
"""

import struct
import sys
import time
import zlib

import numpy as np
import pyopencl as cl

KERNEL = """
kernel void mandelbrot(global uchar *out, int width, int height, int limit,
                       float x0, float y0, float step)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= width || py >= height)
        return;
    float2 c = (float2)(x0 + px * step, y0 + py * step);
    float2 z = (float2)(0.0f);
    int n = 0;
    while (n < limit && dot(z, z) < 16.0f) {
        z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        n++;
    }
    uchar3 colour = (uchar3)(0);
    if (n < limit) {
        float t = (n + 1 - log2(log2(dot(z, z)))) / 40.0f;
        colour = convert_uchar3_sat((float3)(255.0f) *
            (0.5f + 0.5f * cos((float3)(3.0f, 3.6f, 4.4f) + 6.28318f * t)));
    }
    vstore3(colour, py * width + px, out);
}
"""


def write_png(path, pixels):
    """Writes rows of RGB bytes, shape (height, width, 3)."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    path = sys.argv[1]
    width, height = (int(n) for n in sys.argv[2:4]) if len(sys.argv) > 3 else (1920, 1280)
    device = cl.get_platforms()[0].get_devices()[0]
    print(f"device: {device.name}")
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    start = time.perf_counter()
    program = cl.Program(context, KERNEL).build()
    print(f"built in {1e3 * (time.perf_counter() - start):.1f} ms")
    pixels = np.empty((height, width, 3), np.uint8)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, pixels.nbytes)
    start = time.perf_counter()
    step = 3.0 / width
    program.mandelbrot(queue, (width, height), None, buffer, np.int32(width), np.int32(height),
                       np.int32(1000), np.float32(-2.2), np.float32(-step * height / 2),
                       np.float32(step))
    cl.enqueue_copy(queue, pixels, buffer)
    print(f"computed in {1e3 * (time.perf_counter() - start):.1f} ms")
    inside = np.count_nonzero(pixels.sum(axis=2) == 0) / (width * height)
    if not 0.1 < inside < 0.4:
        sys.exit(f"the image is wrong: {inside:.0%} of it is inside the set")
    write_png(path, pixels)
    print(f"wrote {path}: {width} x {height}")


if __name__ == "__main__":
    main()
