"""Products of large matrices by a device's matrix units, from OpenCL C (cl_khr_cooperative_matrix).

For half, bfloat16 and char with the accumulators that the device lists, it multiplies, compares a sample of the elements
with numpy, and prints TFLOP/s (of char: TOP/s). Without matrix units a plain kernel does the same.

usage: gemm.py [--size N] [--kinds half,bfloat16,char] [--plain] [--seconds S] [--sweep] [--options "-DBM=128 -DBN=256 ..."]

--sweep tries several sizes of blocks, and what gemm.cl may do with them (BUFFERS, LATE, HELD, PAD, GROUP_ROWS); --options gives
them.
"""

import argparse
import ctypes
import itertools
import pathlib
import re
import time

import numpy as np
import pyopencl as cl

SOURCE = (pathlib.Path(__file__).parent / "gemm.cl").read_text()
DEFAULT_VARIANTS = 0x1078
# VK_COMPONENT_TYPE_BFLOAT16_KHR, for which OpenCL's draft has no number of its own yet.
BFLOAT16 = 1000141000
# OpenCL's numbers of component types, by the elements of the factors; names and types of factors and sums. A bfloat16 is a float
# here, and an integer with its bits in memory.
KINDS = {"half": (0, np.float16, {1: ("float", np.float32), 0: ("half", np.float16)}),
         "bfloat16": (BFLOAT16, np.float32, {1: ("float", np.float32)}),
         "char": (3, np.int8, {5: ("int", np.int32)}),
         "uchar": (7, np.uint8, {9: ("uint", np.uint32)})}


def in_memory(kind, x):
    """An array as kernels are given it: of bfloat16 the bits, rounded to the nearest even."""
    x = np.ascontiguousarray(x)
    if kind != "bfloat16":
        return x
    bits = x.astype(np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)


def variants(device):
    """What the device computes: m, n, k, the types of a, b, c and the result, and whether the sum saturates."""
    if "cl_khr_cooperative_matrix" not in device.extensions.split():
        return []
    library = ctypes.CDLL("libOpenCL.so.1")
    find = library.clGetExtensionFunctionAddressForPlatform
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    kind = ctypes.CFUNCTYPE(ctypes.c_int, pointer, ctypes.c_uint, size, pointer, size, pointer, pointer)
    query = kind(find(device.platform.int_ptr, b"clGetDeviceCooperativeMatrixInfoKHR"))
    length = size()
    assert query(device.int_ptr, DEFAULT_VARIANTS, 0, None, 0, None, ctypes.byref(length)) == 0
    words = np.zeros(length.value // 4, np.uint32)
    assert query(device.int_ptr, DEFAULT_VARIANTS, 0, None, length.value, words.ctypes.data, None) == 0
    return words.reshape(-1, 8).tolist()


class Multiplier:
    """Multiplies on a device: by matrices where it has them, else, or if `plain`, without. `blocks` are sizes of blocks in
    matrices, in the place of the usual ones: SM, SN, BM and BN."""

    def __init__(self, context, queue, plain=False, blocks=None):
        self.blocks = blocks or {}
        self.context, self.queue, self.device = context, queue, queue.device
        self.variants = [] if plain else variants(self.device)
        self.sub_group = self.sub_group_size() if self.variants else 0
        self.kernels = {}

    def sub_group_size(self):
        source = "kernel void f(global uint *o) { *o = get_max_sub_group_size(); }"
        out = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4)
        cl.Program(self.context, source).build(["-cl-std=CL3.0"]).f(self.queue, (1,), (1,), out)
        word = np.empty(1, np.uint32)
        cl.enqueue_copy(self.queue, word, out)
        return int(word[0])

    def variant(self, kind, result):
        """Sizes of a listed product, the largest first; nothing without one."""
        number = KINDS[kind][0]
        fit = [row for row in self.variants if row[3:7] == [number, number, result, result] and not row[7]]
        return max((row[:3] for row in fit), key=lambda row: (row == [16, 16, 16], row[0] * row[1] * row[2]), default=None)

    def options(self, kind, result):
        """Sizes of blocks, as macros."""
        factor, sums = KINDS[kind][1], KINDS[kind][2][result]
        macros = {"T": kind, "ACC": sums[0]}
        if kind == "bfloat16":
            macros.update(T="ushort", ELEMENT="__bf16")
        variant = self.variant(kind, result)
        if variant is None:
            if kind == "half" and "cl_khr_fp16" not in self.device.extensions.split():
                macros["LOADS_HALF"] = 1
            return {**macros, "BM": 64, "BN": 64, "BK": 16}
        m, n, k = variant
        # Usually blocks of sub-groups of 4 x 4 matrices, 2 x 2 of them, of bytes 2 x 4; 64 elements of each row of A: the best of
        # 61 on an H200.
        deep = max(64, k)
        usual = {"SM": 4, "SN": 4, "BM": 8, "BN": 16 if factor().itemsize == 1 else 8}
        blocks = {name: count * (m if name[1] == "M" else n) for name, count in {**usual, **self.blocks}.items()}
        return {**macros, "USE_MATRICES": 1, "SUB_GROUP": self.sub_group, "TM": m, "TN": n, "TK": k, **blocks, "BK": deep}

    def kernel(self, macros):
        """The kernel, and the work-items of its work-groups."""
        key = tuple(sorted(macros.items()))
        if key not in self.kernels:
            options = ["-cl-std=CL3.0"] + [f"-D{name}={value}" for name, value in macros.items()]
            self.kernels[key] = cl.Program(self.context, SOURCE).build(options).gemm
        items = 256
        if "USE_MATRICES" in macros:
            items = macros["BM"] // macros["SM"] * (macros["BN"] // macros["SN"]) * macros["SUB_GROUP"]
        return self.kernels[key], items

    def enqueue(self, a, b, c, sizes, macros):
        """Multiplies buffers; the sizes (m, n, k) are multiples of the blocks'."""
        m, n, k = sizes
        assert m % macros["BM"] == 0 and n % macros["BN"] == 0 and k % macros["BK"] == 0, f"{sizes} in blocks of {macros}"
        kernel, items = self.kernel(macros)
        groups = m // macros["BM"] * (n // macros["BN"])
        return kernel(self.queue, (groups * items,), (items,), a, b, c, *(np.int32(size) for size in sizes))

    def multiply(self, a, b, kind="half", result=1):
        """The product of two arrays of any size, padded with zeros to whole blocks: one call, whatever the device has."""
        macros = self.options(kind, result)
        (m, k), n = a.shape, b.shape[1]
        whole = [-(-size // macros[block]) * macros[block] for size, block in ((m, "BM"), (n, "BN"), (k, "BK"))]
        padded = [np.pad(x, [(0, w - s) for s, w in zip(x.shape, shape)])
                  for x, shape in ((a, (whole[0], whole[2])), (b, (whole[2], whole[1])))]
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(self.context, flags, hostbuf=in_memory(kind, x)) for x in padded]
        out = np.empty(whole[:2], KINDS[kind][2][result][1])
        c = cl.Buffer(self.context, cl.mem_flags.WRITE_ONLY, out.nbytes)
        self.enqueue(*buffers, c, whole, macros)
        cl.enqueue_copy(self.queue, out, c)
        return out[:m, :n]


def check(rng, got, a, b):
    """Compares rows of a product with numpy's; numbers are small and whole, and sums exact."""
    rows = rng.choice(len(a), min(16, len(a)), replace=False)
    expected = (a[rows].astype(np.float64) @ b.astype(np.float64)).astype(got.dtype)
    assert np.array_equal(got[rows], expected), "the product is wrong"


class Problem:
    """Square matrices of a kind on the device."""

    def __init__(self, multiplier, kind, result, size):
        self.multiplier, self.sizes, self.rng = multiplier, (size, size, size), np.random.default_rng(1)
        factor, (name, sums) = KINDS[kind][1], KINDS[kind][2][result]
        # Sums of half stay exact up to 2048.
        most = 1 if name == "half" else 2
        low = 0 if np.issubdtype(factor, np.unsignedinteger) else -most
        draw = self.rng.integers
        self.a, self.b = (draw(low, most + 1, (size, size), dtype=np.int8).astype(factor) for _ in range(2))
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        self.buffers = [cl.Buffer(multiplier.context, flags, hostbuf=in_memory(kind, x))
                        for x in (self.a, self.b)]
        self.out = np.empty((size, size), sums)
        self.c = cl.Buffer(multiplier.context, cl.mem_flags.WRITE_ONLY, self.out.nbytes)

    def enqueue(self, macros):
        self.multiplier.enqueue(*self.buffers, self.c, self.sizes, macros)

    def measure(self, seconds, macros):
        """TFLOP/s, once a sample is found right."""
        queue = self.multiplier.queue
        cl.enqueue_fill_buffer(queue, self.c, np.uint8(77), 0, self.out.nbytes)
        self.enqueue(macros)
        cl.enqueue_copy(queue, self.out, self.c)
        check(self.rng, self.out, self.a, self.b)
        count, best, end = 1, np.inf, time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            for _ in range(count):
                self.enqueue(macros)
            queue.finish()
            taken = time.perf_counter() - start
            best = min(best, taken / count)
            if taken < 0.05:
                count *= 2
        return 2 * self.sizes[0]**3 / best / 1e12


# What blocks of each size may do besides (gemm.cl).
ORDERS = [{"BUFFERS": buffers, "LATE": late, "HELD": held}
          for buffers, late, held in itertools.product((1, 2), (0, 1), (0, 1, 2))]
PLACES = [{"PAD": pad, "GROUP_ROWS": rows} for pad, rows in itertools.product((0, 1, 2), (4, 8, 16))]


def fits(macros, size, local_memory):
    """True if a work-group's loads come out even, its blocks fit into local memory, and the matrices into blocks."""
    wide = 1 if macros["T"] in ("char", "uchar") else 2
    items = macros["BM"] // macros["SM"] * (macros["BN"] // macros["SN"]) * macros["SUB_GROUP"]
    lines = [macros["BK"] * wide // 16, macros["BN"] * wide // 16]
    vectors = [macros["BM"] * lines[0], macros["BK"] * lines[1]]
    pad = macros.get("PAD", 1)
    used = 16 * macros.get("BUFFERS", 1) * (vectors[0] + pad * macros["BM"] + vectors[1] + pad * macros["BK"])
    even = all(v % items == 0 and v >= items for v in vectors) and all(items % line == 0 for line in lines)
    whole = macros["BK"] % macros["TK"] == 0 and all(size % macros[block] == 0 for block in ("BM", "BN", "BK"))
    return even and whole and used <= local_memory and 128 <= items <= 512


def sweep(base, size, local_memory, measure):
    """Tries sizes of blocks around the usual ones, then orders of loads and products with the four best of them, then places
    in memory with the best. `measure` tells the rate of what it is given."""
    def best_of(tried, count):
        tried = [macros for macros in tried if fits(macros, size, local_memory)]
        return [macros for _, macros in sorted(((measure(macros), macros) for macros in tried), key=lambda one: -one[0])[:count]]

    shapes = itertools.product(((2, 4), (4, 2), (4, 4), (4, 8), (8, 4)), (1, 2, 4), (1, 2, 4), (1, 2, 4))
    sizes = []
    for (sm, sn), rows, columns, deep in shapes:
        macros = {**base, "SM": sm * base["TM"], "SN": sn * base["TN"]}
        wide = 1 if base["T"] in ("char", "uchar") else 2
        sizes.append({**macros, "BM": rows * macros["SM"], "BN": columns * macros["SN"], "BK": deep * 32 // wide})
    chosen = best_of([base, *sizes], 4)
    ordered = best_of([{**macros, **order} for macros in chosen for order in ORDERS], 1)
    for macros in ordered:
        best_of([{**macros, **place} for place in PLACES], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--kinds", default="half,bfloat16,char")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--options", default="")
    args = parser.parse_args()
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    multiplier = Multiplier(context, cl.CommandQueue(context), args.plain)
    print(f"{device.name}, {len(multiplier.variants)} products listed, sub-groups of {multiplier.sub_group}")
    rng = np.random.default_rng(2)
    for kind in args.kinds.split(","):
        for result, (name, _) in KINDS[kind][2].items():
            title = f"{kind} -> {name}"
            if name == "half" and "cl_khr_fp16" not in device.extensions.split():
                print(f"{title}: the device does not compute with half")
                continue
            if multiplier.variants and not multiplier.variant(kind, result):
                print(f"{title}: not listed; without matrix units:")
            # Sizes that are no multiples of anything.
            factor = KINDS[kind][1]
            a, b = rng.integers(0, 3, (77, 131)).astype(factor), rng.integers(0, 3, (131, 45)).astype(factor)
            check(rng, multiplier.multiply(a, b, kind, result), a, b)
            macros = multiplier.options(kind, result)
            found = re.findall(r"-D(\w+)=(\d+)", args.options)
            macros.update((key, int(value)) for key, value in found)
            problem, rates = Problem(multiplier, kind, result, args.size), {}

            def measure(macros):
                shown = " ".join(f"{key}={value}" for key, value in macros.items() if key not in ("T", "ELEMENT", "ACC", "USE_MATRICES"))
                try:
                    rates[shown] = problem.measure(args.seconds, macros)
                except cl.Error as error:
                    print(f"{title}: {shown}: {str(error).splitlines()[0]}")
                    return 0
                print(f"{title} {args.size}^3: {rates[shown]:.4g} TFLOP/s ({shown})", flush=True)
                return rates[shown]

            if args.sweep and "USE_MATRICES" in macros:
                sweep(macros, args.size, device.local_mem_size, measure)
                shown = max(rates, key=rates.get, default="")
                print(f"{title} {args.size}^3: best {rates.get(shown, 0):.4g} TFLOP/s ({shown})", flush=True)
            else:
                measure(macros)


if __name__ == "__main__":
    main()
