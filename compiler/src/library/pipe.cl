// Pipes (OpenCL C 6.15.18): a buffer with a header and the packets behind it. See crate::kernel::pipe_header for the
// fields; writers and readers have four words each.
//
// Positions count packets modulo a multiple of the pipe's capacity. A side takes packets by moving its `taken`
// position with compare-and-exchange. Packets that are done with are counted, in whatever order that happens; once all
// that were taken are done, and at the latest when the last of them is, the count is the new `published` position, up to
// which the other side may go. So nobody ever waits for another work-item, and a reservation's packets
// become visible together and in order.

// As programs have it where the device has the feature.
#define memory_scope_device 2

#define PIPE_CAPACITY 0
#define PIPE_PACKET 1
#define PIPE_MODULUS 2
#define PIPE_PACKETS 16

#define PIPE_WRITERS 4
#define PIPE_READERS 8
#define PIPE_TAKEN 0
#define PIPE_DONE 1
#define PIPE_PUBLISHED 2

#define PIPE_WORD(base, index) ((volatile global atomic_uint *)((base) + (index)))

uint pipe_after(uint position, uint n, uint modulus) {
    uint sum = position + n;
    return sum >= modulus ? sum - modulus : sum;
}

uint pipe_distance(uint from, uint to, uint modulus) {
    return to >= from ? to - from : to + modulus - from;
}

// A reservation: number of packets in the upper half, position of the first in the lower. 0 is none.
ulong pipe_reservation(uint first, uint n) {
    return (ulong)n << 32 | first;
}

ulong __pipe_reserve_write(global uint *base, uint n) {
    uint capacity = base[PIPE_CAPACITY], modulus = base[PIPE_MODULUS];
    volatile global atomic_uint *taken = PIPE_WORD(base, PIPE_WRITERS + PIPE_TAKEN);
    uint old = atomic_load_explicit(taken, memory_order_relaxed, memory_scope_device);
    bool moved = false;
    bool fits = n != 0 && n <= capacity;
    while (fits && !moved) {
        uint read = atomic_load_explicit(PIPE_WORD(base, PIPE_READERS + PIPE_PUBLISHED),
                                         memory_order_acquire, memory_scope_device);
        uint used = pipe_distance(read, old, modulus);
        // More than there can be: the position is stale, and the exchange fails.
        fits = used > capacity || n <= capacity - used;
        if (fits)
            moved = atomic_compare_exchange_strong_explicit(
                taken, &old, pipe_after(old, n, modulus), memory_order_relaxed,
                memory_order_relaxed, memory_scope_device);
    }
    return moved ? pipe_reservation(old, n) : 0;
}

ulong __pipe_reserve_read(global uint *base, uint n) {
    uint modulus = base[PIPE_MODULUS];
    volatile global atomic_uint *taken = PIPE_WORD(base, PIPE_READERS + PIPE_TAKEN);
    uint old = atomic_load_explicit(taken, memory_order_relaxed, memory_scope_device);
    bool moved = false;
    bool fits = n != 0;
    while (fits && !moved) {
        uint written = atomic_load_explicit(PIPE_WORD(base, PIPE_WRITERS + PIPE_PUBLISHED),
                                            memory_order_acquire, memory_scope_device);
        fits = n <= pipe_distance(old, written, modulus);
        if (fits)
            moved = atomic_compare_exchange_strong_explicit(
                taken, &old, pipe_after(old, n, modulus), memory_order_relaxed,
                memory_order_relaxed, memory_scope_device);
    }
    return moved ? pipe_reservation(old, n) : 0;
}

void pipe_commit(global uint *base, uint side, uint n) {
    uint modulus = base[PIPE_MODULUS];
    volatile global atomic_uint *done = PIPE_WORD(base, side + PIPE_DONE);
    uint count = atomic_load_explicit(done, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_strong_explicit(
        done, &count, pipe_after(count, n, modulus), memory_order_acq_rel, memory_order_acquire,
        memory_scope_device))
        ;
    count = pipe_after(count, n, modulus);
    uint taken = atomic_load_explicit(PIPE_WORD(base, side + PIPE_TAKEN), memory_order_relaxed,
                                      memory_scope_device);
    if (count == taken) {
        volatile global atomic_uint *published = PIPE_WORD(base, side + PIPE_PUBLISHED);
        uint old = atomic_load_explicit(published, memory_order_relaxed, memory_scope_device);
        // Another work-item may have published more meanwhile.
        bool behind = true;
        while (behind) {
            uint distance = pipe_distance(old, count, modulus);
            behind = distance != 0 && distance <= modulus / 2 &&
                     !atomic_compare_exchange_strong_explicit(published, &old, count,
                                                              memory_order_acq_rel, memory_order_acquire,
                                                              memory_scope_device);
        }
    }
}

void __pipe_commit_write(global uint *base, ulong reservation) {
    uint n = (uint)(reservation >> 32);
    if (n != 0)
        pipe_commit(base, PIPE_WRITERS, n);
}

void __pipe_commit_read(global uint *base, ulong reservation) {
    uint n = (uint)(reservation >> 32);
    if (n != 0)
        pipe_commit(base, PIPE_READERS, n);
}

// The place of a packet of a reservation; null for one that it does not have.
global uint *__pipe_packet(global uint *base, ulong reservation, uint index) {
    uint slot = pipe_after((uint)reservation, index, base[PIPE_MODULUS]) % base[PIPE_CAPACITY];
    global uchar *packets = (global uchar *)(base + PIPE_PACKETS);
    global uint *packet = (global uint *)(packets + (ulong)slot * base[PIPE_PACKET]);
    return index < (uint)(reservation >> 32) ? packet : 0;
}

uint __pipe_num_packets(global uint *base) {
    uint read = atomic_load_explicit(PIPE_WORD(base, PIPE_READERS + PIPE_TAKEN),
                                     memory_order_acquire, memory_scope_device);
    uint written = atomic_load_explicit(PIPE_WORD(base, PIPE_WRITERS + PIPE_PUBLISHED),
                                        memory_order_relaxed, memory_scope_device);
    return min(pipe_distance(read, written, base[PIPE_MODULUS]), base[PIPE_CAPACITY]);
}

uint __pipe_max_packets(global uint *base) {
    return base[PIPE_CAPACITY];
}
