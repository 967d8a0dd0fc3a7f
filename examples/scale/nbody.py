"""Bodies that attract each other, computed by several OpenCL devices together: each moves its share of them, and all
exchange positions after every step. The result is checked against one device that computes everything.

usage: mpirun -n N python3 nbody.py [OPTIONS]    one process a device, by MPI (mpi4py), on one or several machines
       python3 nbody.py --processes N [OPTIONS]  one process a device, on this machine
       python3 nbody.py --threads N [OPTIONS]    one process; a thread, a context and a queue for each device
       python3 nbody.py --one-context N [OPTIONS]
                                                 one process; one context of N devices, a queue for each
options: --bodies N, --steps N, --platform TEXT (a part of the platform's name)

Processes and threads take the platform's devices in turn, so that there may be more of them than devices.
"""

import argparse
import multiprocessing
import os
import sys
import threading
import time
from multiprocessing import shared_memory

import numpy as np
import pyopencl as cl

KERNEL = """
kernel void move(global const float4 *all, global float4 *moved, global float4 *velocity,
                 int count, int first, float time)
{
    int i = get_global_id(0);
    float4 me = all[first + i];
    float3 pull = (float3)(0.0f);
    for (int j = 0; j < count; j++) {
        float3 way = all[j].xyz - me.xyz;
        float inverse = rsqrt(dot(way, way) + 1e-3f);
        pull += way * (all[j].w * inverse * inverse * inverse);
    }
    float3 v = velocity[i].xyz + pull * time;
    velocity[i] = (float4)(v, 0.0f);
    moved[i] = (float4)(me.xyz + v * time, me.w);
}
"""
TIME = np.float32(1e-3)
FLOAT4 = 16
# No step takes as long: what waits longer waits for someone who has failed.
LIMIT = 600


def initial(count):
    """Positions and masses of bodies at the start."""
    bodies = np.random.default_rng(1).uniform(-1, 1, (count, 4)).astype(np.float32)
    bodies[:, 3] = np.abs(bodies[:, 3]) / count
    return bodies


class Share:
    """One device's part of the bodies."""

    def __init__(self, device, bodies, first, count):
        context = cl.Context([device])
        self.queue = cl.CommandQueue(context)
        self.kernel = cl.Kernel(cl.Program(context, KERNEL).build(), "move")
        self.all = cl.Buffer(context, cl.mem_flags.READ_ONLY, bodies * FLOAT4)
        self.moved = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, count * FLOAT4)
        self.velocity = cl.Buffer(context, cl.mem_flags.READ_WRITE, count * FLOAT4)
        self.bodies, self.first, self.count = bodies, first, count

    def rest(self):
        """Makes all bodies stand still."""
        cl.enqueue_fill_buffer(self.queue, self.velocity, np.float32(0), 0, self.count * FLOAT4)

    def step(self, positions):
        """Returns the new positions of the share."""
        cl.enqueue_copy(self.queue, self.all, positions, is_blocking=False)
        self.kernel(self.queue, (self.count,), None, self.all, self.moved, self.velocity,
                    np.int32(self.bodies), np.int32(self.first), TIME)
        moved = np.empty((self.count, 4), np.float32)
        cl.enqueue_copy(self.queue, moved, self.moved)
        return moved


class Alone:
    """A team of one."""

    rank, size = 0, 1

    def wait(self):
        pass

    def exchange(self, positions, moved):
        positions[:] = moved


class Mpi:
    """The processes that mpirun has started."""

    def __init__(self):
        from mpi4py import MPI

        self.all = MPI.COMM_WORLD
        self.rank, self.size = self.all.Get_rank(), self.all.Get_size()

    def wait(self):
        """Waits for all without taking a processor from those that still compute."""
        request = self.all.Ibarrier()
        while not request.Test():
            time.sleep(1e-3)

    def exchange(self, positions, moved):
        self.all.Allgather(moved, positions)


class Sharing:
    """Processes or threads of this machine, whose positions are one array."""

    def __init__(self, rank, size, barrier):
        self.rank, self.size, self.barrier = rank, size, barrier

    def wait(self):
        self.barrier.wait(LIMIT)

    def exchange(self, positions, moved):
        self.wait()
        first = self.rank * len(moved)
        positions[first:first + len(moved)] = moved
        self.wait()


def simulate(share, team, positions, steps):
    """Runs a number of steps from the start, and returns the seconds of one."""
    share.rest()
    if team.rank == 0 or isinstance(team, Mpi):
        positions[:] = initial(len(positions))
    team.wait()
    start = time.perf_counter()
    for _ in range(steps):
        team.exchange(positions, share.step(positions))
    team.wait()
    return (time.perf_counter() - start) / steps


def devices_of(platform):
    """The devices of the platforms whose name has a text."""
    platforms = [p for p in cl.get_platforms() if platform.lower() in p.name.lower()]
    found = [device for p in platforms for device in p.get_devices()]
    return found or sys.exit(f"no OpenCL device of a platform '{platform}'")


def seconds_alone(device, options):
    """Returns the seconds of a step where one device computes everything, and the positions in the end."""
    share, positions = Share(device, options.bodies, 0, options.bodies), initial(options.bodies)
    simulate(share, Alone(), positions, 1)
    return simulate(share, Alone(), positions, options.steps), positions


def report(what, options, seconds, positions, alone):
    """Prints what the first member has found; ends with an error where the result is another than that of one device."""
    seconds_of_one, expected = alone
    worst = float(np.abs(positions - expected).max())
    print(f"{options.bodies} bodies, {options.steps} steps: one device {seconds_of_one:.4f} s a step, "
          f"{what} {seconds:.4f} s: {seconds_of_one / seconds:.2f} times as fast; largest difference {worst:.1e}",
          flush=True)
    if not worst < 1e-4:
        sys.exit("the result is wrong")


def member(team, options, positions):
    """What each member of a team does."""
    devices = devices_of(options.platform)
    device = devices[team.rank % len(devices)]
    # With its end of line in one piece, since threads print at once.
    print(f"{team.rank}: {device.name}\n", end="", flush=True)
    count = options.bodies // team.size
    share = Share(device, options.bodies, team.rank * count, count)
    simulate(share, team, positions, 1)
    alone = seconds_alone(device, options) if team.rank == 0 else None
    team.wait()
    seconds = simulate(share, team, positions, options.steps)
    if alone:
        report(f"{team.size} {options.members}", options, seconds, positions, alone)
    # Nobody leaves while the first one reads.
    team.wait()


def process(rank, barrier, name, options):
    """A process of `--processes`."""
    memory = shared_memory.SharedMemory(name)
    positions = np.ndarray((options.bodies, 4), np.float32, memory.buf)
    try:
        member(Sharing(rank, options.processes, barrier), options, positions)
    except BaseException:
        barrier.abort()
        raise
    finally:
        del positions
        memory.close()


def run_processes(options):
    """One process a device, on this machine."""
    spawn = multiprocessing.get_context("spawn")
    memory = shared_memory.SharedMemory(create=True, size=options.bodies * FLOAT4)
    barrier = spawn.Barrier(options.processes)
    all_processes = [spawn.Process(target=process, args=(rank, barrier, memory.name, options))
                     for rank in range(options.processes)]
    for each in all_processes:
        each.start()
    for each in all_processes:
        each.join()
    memory.close()
    memory.unlink()
    if any(each.exitcode for each in all_processes):
        sys.exit("a process failed")


def run_threads(options):
    """One thread a device."""
    positions, barrier = initial(options.bodies), threading.Barrier(options.threads)
    failures = []

    def thread(rank):
        try:
            member(Sharing(rank, options.threads, barrier), options, positions)
        except BaseException as error:
            failures.append(error)
            barrier.abort()

    threads = [threading.Thread(target=thread, args=(rank,)) for rank in range(options.threads)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failures:
        sys.exit(f"a thread failed: {failures[0]!r}")


def run_one_context(options):
    """One context of several devices. Each writes its part of a buffer that all read in the next step: the driver
    moves what a device lacks."""
    devices = devices_of(options.platform)[:options.one_context]
    if len(devices) < options.one_context:
        sys.exit(f"{options.one_context} devices are wanted, there are {len(devices)}")
    for rank, device in enumerate(devices):
        print(f"{rank}: {device.name}")
    context = cl.Context(devices)
    program = cl.Program(context, KERNEL).build()
    queues = [cl.CommandQueue(context, device) for device in devices]
    kernels = [cl.Kernel(program, "move") for _ in devices]
    bodies, count = options.bodies, options.bodies // len(devices)
    both = [cl.Buffer(context, cl.mem_flags.READ_WRITE, bodies * FLOAT4) for _ in range(2)]
    parts = [[buffer.get_sub_region(rank * count * FLOAT4, count * FLOAT4) for rank in range(len(devices))]
             for buffer in both]
    velocities = [cl.Buffer(context, cl.mem_flags.READ_WRITE, count * FLOAT4) for _ in devices]

    def run(steps):
        cl.enqueue_copy(queues[0], both[0], initial(bodies))
        for queue, velocity in zip(queues, velocities):
            cl.enqueue_fill_buffer(queue, velocity, np.float32(0), 0, count * FLOAT4)
            queue.finish()
        start = time.perf_counter()
        before = []
        for step in range(steps):
            now, then = both[step % 2], parts[(step + 1) % 2]
            before = [
                kernel(queue, (count,), None, now, then[rank], velocities[rank], np.int32(bodies),
                       np.int32(rank * count), TIME, wait_for=before)
                for rank, (queue, kernel) in enumerate(zip(queues, kernels))]
            for queue in queues:
                queue.flush()
        positions = np.empty((bodies, 4), np.float32)
        cl.enqueue_copy(queues[0], positions, both[steps % 2], wait_for=before)
        return (time.perf_counter() - start) / steps, positions

    run(1)
    seconds, positions = run(options.steps)
    what = f"one context of {len(devices)} devices"
    report(what, options, seconds, positions, seconds_alone(devices[0], options))


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    for kind in ("--processes", "--threads", "--one-context"):
        parser.add_argument(kind, type=int)
    parser.add_argument("--bodies", type=int)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--platform", default="")
    return parser.parse_args()


def main():
    options = parse()
    by_mpi = any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"))
    team = Mpi() if by_mpi else None
    size = team.size if team else options.processes or options.threads or options.one_context
    if not size:
        sys.exit("usage: " + __doc__.split("usage: ")[1])
    is_gpu = devices_of(options.platform)[0].type & cl.device_type.GPU
    bodies = options.bodies or (131072 if is_gpu else 16384)
    # Shares are equal, and begin where a sub-buffer may begin.
    options.bodies = -(-bodies // (size * 256)) * size * 256
    if team:
        options.members = "processes of MPI"
        member(team, options, np.empty((options.bodies, 4), np.float32))
    elif options.processes:
        options.members = "processes"
        run_processes(options)
    elif options.threads:
        options.members = "threads"
        run_threads(options)
    else:
        run_one_context(options)


if __name__ == "__main__":
    main()
