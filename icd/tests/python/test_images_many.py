"""Images in several queues and threads, with events, and released while they are in use."""

import threading

import numpy as np
import pyopencl as cl
from image_formats import RGBA_BYTES, RGBA_UINT
from imaging import KINDS, MF

D2 = KINDS["2d"]
SOURCE = """
kernel void add(read_only image2d_t from, write_only image2d_t to, uint k)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, p, read_imageui(from, p) + k);
}
kernel void slow(read_only image2d_t from, write_only image2d_t to, uint rounds)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    uint4 v = read_imageui(from, p);
    for (uint i = 0; i < rounds; i++) v = v * 1664525u + 1013904223u;
    write_imageui(to, p, v);
}"""


def after_rounds(texels, rounds):
    for _ in range(rounds):
        texels = texels * np.uint32(1664525) + np.uint32(1013904223)
    return texels


def test_two_queues_by_events(images, m, rng):
    """A chain of launches that goes to and fro."""
    images.need(D2, RGBA_UINT)
    add = cl.Kernel(images.program(SOURCE), "add")
    queues = [cl.CommandQueue(m.context), cl.CommandQueue(m.context)]
    texels = RGBA_UINT.random(rng, D2.shape)
    both = [images.create(D2, RGBA_UINT, texels=texels), images.create(D2, RGBA_UINT)]
    event = None
    for i in range(60):
        event = add(queues[i % 2], (17, 11), None, both[i % 2], both[i % 2 ^ 1], np.uint32(i),
                    wait_for=[event] if event else None)
        queues[i % 2].flush()
    event.wait()
    np.testing.assert_array_equal(images.get(both[0], RGBA_UINT, D2.shape), texels + np.uint32(sum(range(60))))


def test_commands_behind_a_user_event(images, m, rng):
    """Write, launch, copy and read wait for the host, then run in order."""
    images.need(D2, RGBA_UINT)
    add = cl.Kernel(images.program(SOURCE), "add")
    queue = cl.CommandQueue(m.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    texels, out, region = RGBA_UINT.random(rng, D2.shape), np.zeros((*D2.shape, 4), np.uint32), (17, 11, 1)
    a, b, c = (images.create(D2, RGBA_UINT) for _ in range(3))
    gate = cl.UserEvent(m.context)
    written = images.write(a, texels, (0, 0, 0), region, queue=queue, wait_for=[gate], blocking=False)
    added = add(queue, (17, 11), None, a, b, np.uint32(9), wait_for=[written])
    copied = cl._cl._enqueue_copy_image(queue, b, c, (0, 0, 0), (0, 0, 0), region, [added])
    done = images.read(c, out, (0, 0, 0), region, queue=queue, wait_for=[copied], blocking=False)
    queue.flush()
    assert not out.any()
    gate.set_status(cl.command_execution_status.COMPLETE)
    done.wait()
    np.testing.assert_array_equal(out, texels + np.uint32(9))


def test_events_name_their_commands(images, m):
    images.need(D2, RGBA_UINT)
    image, other, kind = images.create(D2, RGBA_UINT), images.create(D2, RGBA_UINT), cl.command_type
    host, region, zero = np.zeros((*D2.shape, 4), np.uint32), (17, 11, 1), (0, 0, 0)
    buffer = m.empty(host.nbytes)
    events = {
        kind.WRITE_IMAGE: images.write(image, host, zero, region, blocking=False),
        kind.READ_IMAGE: images.read(image, host, zero, region, blocking=False),
        kind.COPY_IMAGE: images.copy(image, other, zero, zero, region),
        kind.COPY_IMAGE_TO_BUFFER: cl._cl._enqueue_copy_image_to_buffer(m.queue, image, buffer, zero, region, 0),
        kind.COPY_BUFFER_TO_IMAGE: cl._cl._enqueue_copy_buffer_to_image(m.queue, buffer, image, 0, zero, region),
        kind.FILL_IMAGE: cl.enqueue_fill_image(m.queue, image, np.zeros(4, np.uint32), zero, region),
    }
    anchor, events[kind.MAP_IMAGE], _, _ = cl.enqueue_map_image(
        m.queue, image, cl.map_flags.READ, zero, region, (1,), np.uint8)
    anchor.base.release(m.queue)
    for expected, event in events.items():
        event.wait()
        assert event.command_type == expected
        profile = event.profile if m.has_profiling else None
        assert profile is None or profile.queued <= profile.submit <= profile.start <= profile.end


def test_released_while_a_launch_is_pending(images, m, rng):
    """The handles go at once, the images with the last launch that has them."""
    images.need(D2, RGBA_UINT)
    program = images.program(SOURCE)
    slow, add = cl.Kernel(program, "slow"), cl.Kernel(program, "add")
    texels = RGBA_UINT.random(rng, D2.shape)
    final = images.create(D2, RGBA_UINT)
    for _ in range(5):
        first, second = images.create(D2, RGBA_UINT, texels=texels), images.create(D2, RGBA_UINT)
        slow(m.queue, (17, 11), None, first, second, np.uint32(100_000))
        add(m.queue, (17, 11), None, second, final, np.uint32(3))
        first.release()
        second.release()
        # New images may take the places of those released, but not yet.
        others = [images.create(D2, RGBA_UINT, texels=np.zeros_like(texels)) for _ in range(8)]
        m.queue.flush()
        del others
    expected = texels.astype(np.uint64)
    # The generator's hundred thousandth step by repeated squaring.
    factor, addend, k = 1664525, 1013904223, 100_000
    total_factor, total_addend = 1, 0
    while k:
        if k & 1:
            total_factor, total_addend = total_factor * factor % 2 ** 32, (total_addend * factor + addend) % 2 ** 32
        factor, addend, k = factor * factor % 2 ** 32, (factor + 1) * addend % 2 ** 32, k >> 1
    expected = (expected * np.uint64(total_factor) + np.uint64(total_addend + 3)).astype(np.uint32)
    np.testing.assert_array_equal(images.get(final, RGBA_UINT, D2.shape), expected)


def test_many_images_come_and_go(images, rng):
    """More than a table of slots may hold at once, each of them used by a kernel."""
    images.need(D2, RGBA_BYTES)
    texels = RGBA_BYTES.random(rng, (1, 2, 3))
    at = np.array([[x, y, 0, 0] for y in range(2) for x in range(3)], np.int32)
    for i in range(3000):
        image = images.create(D2, RGBA_BYTES, texels=texels, flags=MF.READ_ONLY)
        if i % 10 == 0:
            RGBA_BYTES.check_read(images.sample(image, D2, RGBA_BYTES, at), texels.reshape(-1, 4))


def test_many_images_at_once(images, m, rng):
    """A thousand live images, read in another order."""
    images.need(D2, RGBA_UINT)
    add = cl.Kernel(images.program(SOURCE), "add")
    texels = RGBA_UINT.random(rng, (1000, 1, 2, 2))
    some = [images.create(D2, RGBA_UINT, texels=t[None, 0]) for t in texels]
    target = images.create(D2, RGBA_UINT, (1, 2, 2))
    for i in rng.permutation(1000)[:200]:
        add(m.queue, (2, 2), None, some[i], target, np.uint32(i))
        np.testing.assert_array_equal(images.get(target, RGBA_UINT, (1, 2, 2))[0], texels[i, 0] + np.uint32(i))


def test_images_by_eight_threads(images, m):
    """Each makes, writes, launches on, copies, reads and drops images, in a queue of its own."""
    images.need(D2, RGBA_UINT)
    program, failures = images.program(SOURCE), []

    def work(number):
        try:
            rng = np.random.default_rng(number)
            queue, add = cl.CommandQueue(m.context), cl.Kernel(program, "add")
            for i in range(150):
                height, width = (int(n) for n in rng.integers(1, 20, 2))
                texels, region = RGBA_UINT.random(rng, (1, height, width)), (width, height, 1)
                a, b = (images.create(D2, RGBA_UINT, (1, height, width)) for _ in range(2))
                out = np.zeros_like(texels)
                images.write(a, texels, (0, 0, 0), region, queue=queue, blocking=bool(i & 1))
                add(queue, (width, height), None, a, b, np.uint32(number))
                cl._cl._enqueue_copy_image(queue, b, a, (0, 0, 0), (0, 0, 0), region)
                add(queue, (width, height), None, a, b, np.uint32(i))
                b_or_a, extra = (b, number + i) if i % 3 else (a, number)
                images.read(b_or_a, out, (0, 0, 0), region, queue=queue)
                np.testing.assert_array_equal(out, texels + np.uint32(extra))
        except BaseException as error:  # Shown by the test below.
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_one_image_by_four_queues(images, m, rng):
    """All read it at once."""
    images.need(D2, RGBA_UINT)
    program = images.program(SOURCE)
    texels = RGBA_UINT.random(rng, (1, 64, 64))
    source = images.create(D2, RGBA_UINT, texels=texels, flags=MF.READ_ONLY)
    queues, targets = [cl.CommandQueue(m.context) for _ in range(4)], []
    for i in range(40):
        targets.append(images.create(D2, RGBA_UINT, (1, 64, 64)))
        cl.Kernel(program, "slow")(queues[i % 4], (64, 64), None, source, targets[-1], np.uint32(i))
    for queue in queues:
        queue.finish()
    for i, target in enumerate(targets):
        np.testing.assert_array_equal(images.get(target, RGBA_UINT, (1, 64, 64)), after_rounds(texels, i))
