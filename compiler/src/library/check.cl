// What kernels do that look for their own mistakes (HEKLA_CHECK). See crate::checks for the words of the area.

#define CHECK_RANGES 0
#define CHECK_IS_PARTIAL 1
#define CHECK_FINDINGS (2064 / 4)
#define CHECK_FIRST_RANGE (67600 / 8)
#define CHECK_SLOT_WORDS 16
#define CHECK_SLOTS 1024
// The least address that is not near null.
#define CHECK_LEAST 4096

// Returns the start of the allocation in which an address lies, and its size. Of size 0: null, with start 0, or no
// allocation.
ulong2 __check_find(global const uint *area, ulong address) {
    global const ulong *ranges = (global const ulong *)area + CHECK_FIRST_RANGE;
    uint low = 0, high = area[CHECK_RANGES];
    while (low < high) {
        uint middle = (low + high) / 2;
        if (ranges[2 * middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0) {
        ulong start = ranges[2 * low - 2], size = ranges[2 * low - 1];
        // A pointer to the end is one of the allocation.
        if (address - start <= size)
            return (ulong2)(start, size);
    }
    if (address < CHECK_LEAST)
        return (ulong2)(0, 0);
    // Other memory has tags there.
    bool is_unknown = area[CHECK_IS_PARTIAL] != 0 || address >> 61 != 0;
    return is_unknown ? (ulong2)(0, ~0UL) : (ulong2)(address, 0);
}

// Counts a finding, and notes the first of its place.
void __check_report(global uint *area, uint site, uint description, uint kind, ulong at, ulong start, ulong size) {
    global uint *slot = area + CHECK_FINDINGS + (site & (CHECK_SLOTS - 1)) * CHECK_SLOT_WORDS;
    if (atomic_inc((volatile global uint *)slot) != 0)
        return;
    slot[1] = description;
    slot[2] = kind;
    for (uint d = 0; d < 3; d++) {
        slot[3 + d] = (uint)get_global_id(d);
        slot[6 + d] = (uint)get_local_id(d);
    }
    slot[9] = (uint)at;
    slot[10] = (uint)(at >> 32);
    slot[11] = (uint)start;
    slot[12] = (uint)(start >> 32);
    slot[13] = (uint)size;
    slot[14] = (uint)(size >> 32);
}
