// Queues on the device (OpenCL C 6.15.17). See crate::device_queue for the words of contexts, rings and records.

#define CONTEXT_RING 0
#define CONTEXT_DEFAULT_QUEUE 2
#define CONTEXT_PROPERTIES 4
#define CONTEXT_LAUNCH 6
#define CONTEXT_TELLS_ERRORS 7

#define RING_WORDS 16
#define RING_USED 0
#define RING_CAPACITY 1
#define RING_FREE_EVENTS 2
#define RING_EVENTS 3
#define RING_RECORDS 4

#define EVENT_WORDS 8
#define EVENT_REFERENCES 0
#define EVENT_STATUS 1
#define EVENT_HAS_TIMES 2
#define EVENT_TIMES 4
#define EVENT_SUBMITTED 2

#define RECORD_SIZE 0
#define RECORD_KIND 1
#define RECORD_KIND_PROFILE 3
#define RECORD_LAUNCH 2
#define RECORD_EVENT 3
#define RECORD_WAITS 6
#define RECORD_LOCALS 7
#define RECORD_CAPTURED 8
#define RECORD_ADDRESS 10
#define RECORD_BYTES 128

#define ENQUEUE_FAILURE 101
#define INVALID_QUEUE 102
#define EVENT_ALLOCATION_FAILURE 100
#define DEVICE_QUEUE_FULL 161

#define INVALID_NDRANGE 160

#define PROPERTY_WORDS 8
#define PROPERTY_UNIFORM 3
#define PROPERTY_LIMITS 4

#define ATOMIC_UINT(base, index) ((volatile global atomic_uint *)((base) + (index)))

global uint *device_queue_ring(global uint *context) {
    return (global uint *)*(global ulong *)(context + CONTEXT_RING);
}

ulong __device_queue_default(global uint *context) {
    return *(global ulong *)(context + CONTEXT_DEFAULT_QUEUE);
}

// A word of what there is to know of a kernel.
uint __device_queue_property(global uint *context, uint word) {
    return ((global uint *)*(global ulong *)(context + CONTEXT_PROPERTIES))[word];
}

// Returns the error of a range for a kernel: CLK_INVALID_NDRANGE, negated, or 0.
uint __device_queue_range_error(global uint *context, uint number, uint dimensions, ulong global_x, ulong global_y,
                                ulong global_z, ulong local_x, ulong local_y, ulong local_z) {
    global uint *properties =
        (global uint *)*(global ulong *)(context + CONTEXT_PROPERTIES) + PROPERTY_WORDS * number;
    ulong sizes[3] = {local_x, local_y, local_z}, all[3] = {global_x, global_y, global_z};
    ulong total = 1, given = 0;
    uint limit = properties[PROPERTY_LIMITS];
    bool good = dimensions - 1 < 3;
    for (uint d = 0; d < 3; d++) {
        ulong size = d < dimensions ? sizes[d] : 1;
        given |= d < dimensions ? size : 0;
        uint most = properties[PROPERTY_LIMITS + 1 + d];
        good &= size != 0 && size <= most;
        // No product overflows: both factors have 32 bits.
        total *= good ? size : 1;
        good &= total <= limit || limit == 0xFFFFFFFF;
        if (limit == 0xFFFFFFFF)
            total = 1;
        if (good && properties[PROPERTY_UNIFORM] && d < dimensions)
            good = all[d] % size == 0;
    }
    return dimensions - 1 < 3 && (good || given == 0) ? 0 : INVALID_NDRANGE;
}

// Returns the handle of an event with one reference that is not complete; 0 if there is none left.
ulong __device_queue_new_event(global uint *context) {
    global uint *ring = device_queue_ring(context);
    volatile global atomic_int *free = (volatile global atomic_int *)(ring + RING_FREE_EVENTS);
    int left = atomic_fetch_sub_explicit(free, 1, memory_order_relaxed, memory_scope_device);
    if (left <= 0) {
        atomic_fetch_add_explicit(free, 1, memory_order_relaxed, memory_scope_device);
        return 0;
    }
    global uint *table = ring + RING_WORDS;
    uint number = table[EVENT_WORDS * ring[RING_EVENTS] + left - 1];
    table[EVENT_WORDS * number + EVENT_REFERENCES] = 1;
    table[EVENT_WORDS * number + EVENT_STATUS] = EVENT_SUBMITTED;
    table[EVENT_WORDS * number + EVENT_HAS_TIMES] = 0;
    return number + 1;
}

// Returns an event's entry, or NULL for what is none.
global uint *device_queue_event(global uint *context, ulong event) {
    global uint *ring = device_queue_ring(context);
    if (event == 0 || event > ring[RING_EVENTS])
        return (global uint *)0;
    global uint *entry = ring + RING_WORDS + EVENT_WORDS * ((uint)event - 1);
    return (int)entry[EVENT_REFERENCES] > 0 ? entry : (global uint *)0;
}

uint __device_queue_is_event(global uint *context, ulong event) {
    return device_queue_event(context, event) != (global uint *)0;
}

void __device_queue_retain(global uint *context, ulong event, uint by) {
    global uint *entry = device_queue_event(context, event);
    if (entry)
        atomic_fetch_add_explicit(ATOMIC_UINT(entry, EVENT_REFERENCES), by, memory_order_relaxed,
                                  memory_scope_device);
}

void __device_queue_set_status(global uint *context, ulong event, int status) {
    global uint *entry = device_queue_event(context, event);
    if (entry && status <= 0)
        entry[EVENT_STATUS] = status;
}

// Returns the address of a new record, or an error: CLK_ENQUEUE_FAILURE and its like, negated. `wants_event` is 1 for a
// command with an event, `error` an error that there is already.
ulong __device_queue_record(global uint *context, ulong queue, uint kind, uint bytes,
                            uint wants_event, uint error) {
    global uint *ring = device_queue_ring(context);
    volatile global atomic_uint *used = ATOMIC_UINT(ring, RING_USED);
    uint capacity = ring[RING_CAPACITY];
    uint start = 0;
    ulong event = 0;
    if (queue == 0)
        error = INVALID_QUEUE;
    if (error == 0 && wants_event) {
        event = __device_queue_new_event(context);
        error = event == 0 ? EVENT_ALLOCATION_FAILURE : 0;
    }
    if (error == 0) {
        bool moved = false;
        start = atomic_load_explicit(used, memory_order_relaxed, memory_scope_device);
        while (!moved && start <= capacity && bytes <= capacity - start)
            moved = atomic_compare_exchange_strong_explicit(used, &start, start + bytes,
                                                            memory_order_relaxed,
                                                            memory_order_relaxed,
                                                            memory_scope_device);
        error = moved ? 0 : DEVICE_QUEUE_FULL;
        if (!moved)
            __device_queue_retain(context, event, 0xFFFFFFFF);
    }
    if (error != 0)
        return context[CONTEXT_TELLS_ERRORS] ? error : ENQUEUE_FAILURE;
    global uint *record = ring + (ring[RING_RECORDS] + start) / 4;
    record[RECORD_SIZE] = bytes;
    record[RECORD_KIND] = kind;
    record[RECORD_LAUNCH] = context[CONTEXT_LAUNCH];
    record[RECORD_EVENT] = (uint)event;
    return (ulong)record;
}

// Writes the times of a command that is complete; else has the runtime write them when it is.
void __device_queue_profile(global uint *context, ulong event, ulong address) {
    global uint *entry = device_queue_event(context, event);
    if (entry && entry[EVENT_HAS_TIMES]) {
        global ulong *times = (global ulong *)(entry + EVENT_TIMES), *to = (global ulong *)address;
        to[0] = times[0];
        to[1] = times[1];
        return;
    }
    ulong at = __device_queue_record(context, 1, RECORD_KIND_PROFILE, RECORD_BYTES, 0, 0);
    if (at < 4096)
        return;
    global uint *record = (global uint *)at;
    record[RECORD_EVENT] = (uint)event;
    record[RECORD_WAITS] = 0;
    record[RECORD_LOCALS] = 0;
    record[RECORD_CAPTURED] = 0;
    *(global ulong *)(record + RECORD_ADDRESS) = address;
}
