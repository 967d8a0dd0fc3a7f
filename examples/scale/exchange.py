"""Two devices of one context that pass a buffer on, and that share one. The contents are checked.

usage: python3 exchange.py [--mib N] [--rounds N] [--platform TEXT (a part of the platform's name)]
"""

import argparse
import sys
import time

import numpy as np
import pyopencl as cl

KERNELS = """
kernel void add(global uint *x, uint n) { x[get_global_id(0)] += n; }
kernel void stir(global uint *x, uint rounds)
{
    uint v = x[get_global_id(0)];
    for (uint i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;
    x[get_global_id(0)] = v;
}
"""


class Pair:
    """Two devices, in one context, with a queue each."""

    def __init__(self, platform):
        found = [device for p in cl.get_platforms() if platform.lower() in p.name.lower() for device in p.get_devices()]
        if len(found) < 2:
            sys.exit(f"two devices are wanted, there are {len(found)}")
        self.devices = found[:2]
        self.context = cl.Context(self.devices)
        self.queues = [cl.CommandQueue(self.context, device) for device in self.devices]
        self.program = cl.Program(self.context, KERNELS).build()
        self.kernels = {}

    def buffer(self, words):
        buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4 * words)
        cl.enqueue_fill_buffer(self.queues[0], buffer, np.uint32(0), 0, 4 * words)
        self.finish()
        return buffer

    def launch(self, device, name, buffer, words, number):
        """Starts a kernel; each device has kernel objects of its own."""
        key = (device, name)
        if key not in self.kernels:
            self.kernels[key] = cl.Kernel(self.program, name)
        return self.kernels[key](self.queues[device], (words,), None, buffer, np.uint32(number))

    def finish(self):
        for queue in self.queues:
            queue.finish()

    def read(self, device, buffer, words):
        numbers = np.empty(words, np.uint32)
        cl.enqueue_copy(self.queues[device], numbers, buffer)
        return numbers


def expect(numbers, value):
    if not (numbers == value).all():
        sys.exit(f"wrong: {numbers[numbers != value][:4]} is not {value}")


def migrate(pair, device, buffers):
    """Moves buffers, each to its device, at once. Returns the seconds."""
    start = time.perf_counter()
    for to, buffer in buffers:
        cl.enqueue_migrate_mem_objects(pair.queues[to], [buffer])
    pair.finish()
    return time.perf_counter() - start


def ping_pong(pair, words, rounds):
    """A buffer goes to and fro; each device writes all of it before. Returns the best seconds to each device."""
    buffer, best = pair.buffer(words), [1e9, 1e9]
    for number in range(2 * rounds):
        here, there = number % 2, (number + 1) % 2
        pair.launch(here, "add", buffer, words, 1)
        pair.finish()
        best[there] = min(best[there], migrate(pair, there, [(there, buffer)]))
    expect(pair.read(0, buffer, words), 2 * rounds)
    return best


def cross(pair, words, rounds):
    """Two buffers pass each other. Returns the best seconds."""
    both, best = [pair.buffer(words) for _ in range(2)], 1e9
    for number in range(2 * rounds):
        for index, buffer in enumerate(both):
            pair.launch((number + index) % 2, "add", buffer, words, 1)
        pair.finish()
        there = [((number + index + 1) % 2, buffer) for index, buffer in enumerate(both)]
        best = min(best, migrate(pair, None, there))
    for buffer in both:
        expect(pair.read(0, buffer, words), 2 * rounds)
    return best


def halves(pair, rounds, work=20000):
    """Launches on one buffer: whole on one device, and on the halves of both. Returns the seconds of each."""
    words = 1 << (24 if pair.devices[0].type & cl.device_type.GPU else 14)
    buffer = pair.buffer(words)

    def timed(launches):
        for launch in launches:
            launch()
        pair.finish()
        start = time.perf_counter()
        for _ in range(rounds):
            for launch in launches:
                launch()
            for queue in pair.queues:
                queue.flush()
        pair.finish()
        return time.perf_counter() - start

    one = timed([lambda: pair.launch(0, "stir", buffer, words, work)])
    alone = pair.read(0, buffer, words)
    again = pair.buffer(words)
    parts = [again.get_sub_region(2 * words * half, 2 * words) for half in range(2)]
    two = timed([lambda half=half: pair.launch(half, "stir", parts[half], words // 2, work) for half in range(2)])
    if not (pair.read(0, again, words) == alone).all():
        sys.exit("wrong: the halves differ from the whole")
    return one, two


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--platform", default="")
    options = parser.parse_args()
    pair = Pair(options.platform)
    for index, device in enumerate(pair.devices):
        print(f"{index}: {device.name}")
    words, size = options.mib << 18, options.mib << 20
    there = ping_pong(pair, words, options.rounds)
    print(f"{options.mib} MiB to the second device: {size / there[1] / 1e9:.1f} GB/s, "
          f"back: {size / there[0] / 1e9:.1f} GB/s", flush=True)
    print(f"two buffers that pass each other: {size / cross(pair, words, options.rounds) / 1e9:.1f} GB/s each way",
          flush=True)
    one, two = halves(pair, options.rounds)
    print(f"halves of a buffer on both devices: {one / two:.2f} times as fast as all of it on one")


if __name__ == "__main__":
    main()
