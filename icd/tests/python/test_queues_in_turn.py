"""Commands of several queues that wait for each other's events: queues that take turns, part, and meet others."""

import numpy as np
import pyopencl as cl
import pytest

STEP = """
kernel void step(global uint *x, uint c, uint rounds)
{
    uint value = x[get_global_id(0)];
    for (uint i = 0; i < rounds; i++) value = value * 3 + c;
    x[get_global_id(0)] = value;
}
"""

ITEMS = 256


class Chains:
    """Buffers that are each changed by one command at a time, in whatever queues; what they hold depends on the order."""

    def __init__(self, m, count):
        self.m, self.kernel = m, cl.Kernel(m.build(STEP), "step")
        self.buffers = [m.buffer(np.zeros(ITEMS, np.uint32)) for _ in range(count)]
        self.last, self.expected = [None] * count, [0] * count
        # Commands of each chain that `expected` does not count yet: counting takes longer than they do.
        self.uncounted = [[] for _ in range(count)]

    def step(self, queue, chain, c, rounds, others=()):
        waits = [event for event in (self.last[chain], *(self.last[i] for i in others)) if event]
        self.kernel.set_args(self.buffers[chain], np.uint32(c), np.uint32(rounds))
        self.last[chain] = cl.enqueue_nd_range_kernel(queue, self.kernel, (ITEMS,), (64,), wait_for=waits)
        self.uncounted[chain].append((c, rounds))

    def check(self):
        read = []
        for buffer, last in zip(self.buffers, self.last):
            if last:
                last.wait()
            read.append(self.m.read(buffer, np.uint32, ITEMS))
        for chain, values in enumerate(read):
            for c, rounds in self.uncounted[chain]:
                for _ in range(rounds):
                    self.expected[chain] = (self.expected[chain] * 3 + c) & 0xFFFF_FFFF
            self.uncounted[chain].clear()
            assert (values == self.expected[chain]).all()


def queues(m, count, out_of_order=False):
    order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE if out_of_order else 0
    return [cl.CommandQueue(m.context, properties=order) for _ in range(count)]


@pytest.mark.parametrize("flush", [False, True])
def test_two_queues_take_turns(m, flush):
    chains, pair = Chains(m, 1), queues(m, 2)
    for round in range(10):
        for turn in range(40):
            chains.step(pair[turn % 2], 0, turn + 1, 1 + turn % 5)
            if flush:
                pair[turn % 2].flush()
        if round % 2:
            pair[round % 4 // 2].finish()
    chains.check()


def test_queues_part_after_their_turns(m):
    chains, pair = Chains(m, 3), queues(m, 2)
    for round in range(20):
        for turn in range(6):
            chains.step(pair[turn % 2], 0, turn + 1, 3)
            pair[turn % 2].flush()
        # Each works on its own for longer than it stays where they met.
        for turn in range(40):
            for index, queue in enumerate(pair):
                chains.step(queue, 1 + index, turn + 1, 2)
                queue.flush()
    chains.check()


def test_a_command_waits_for_two_queues_that_it_could_join(m):
    """Both of the other queues come behind all of the third; only one of them can be on its Vulkan queue."""
    chains = Chains(m, 3)
    for _ in range(5):
        first, second, third = queues(m, 3)
        # Long enough that each is in flight when the next ones are enqueued.
        chains.step(first, 0, 1, 50_000)
        chains.step(third, 2, 2, 50_000, others=[0])
        # Behind a command that follows its own: it joins the third queue.
        chains.step(first, 0, 3, 200_000, others=[2])
        chains.step(second, 1, 4, 50_000, others=[2])
        chains.step(third, 0, 5, 1, others=[1, 2])
        chains.check()


@pytest.mark.parametrize("out_of_order", [0, 1, 6])
@pytest.mark.parametrize("seed", range(4))
def test_chains_through_random_queues(m, seed, out_of_order):
    rng = np.random.default_rng(seed)
    chains = Chains(m, 5)
    all_queues = queues(m, 6 - out_of_order) + queues(m, out_of_order, True)
    pair = [0, 1]
    for turn in range(600):
        if rng.random() < 0.05:
            pair = rng.choice(len(all_queues), 2, replace=False)
        queue = all_queues[pair[turn % 2] if rng.random() < 0.8 else rng.integers(len(all_queues))]
        chain = 0 if rng.random() < 0.6 else rng.integers(5)
        others = rng.choice(5, rng.integers(3), replace=False)
        chains.step(queue, chain, turn + 1, 1 + rng.integers(200), others)
        kind = rng.random()
        if kind < 0.5:
            queue.flush()
        elif kind < 0.53:
            queue.finish()
        elif kind < 0.56:
            chains.last[chain].wait()
        elif kind < 0.6:
            chains.check()
    chains.check()
