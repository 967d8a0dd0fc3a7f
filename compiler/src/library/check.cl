// What kernels do that look for their own mistakes (HEKLA_CHECK). See crate::checks for the words of the area.

#define CHECK_RANGES 0
#define CHECK_IS_PARTIAL 1
#define CHECK_FINDINGS (2080 / 4)
#define CHECK_FIRST_RANGE (67616 / 8)
#define CHECK_SLOT_WORDS 16
#define CHECK_SLOTS 1024
// The least address that is not near null.
#define CHECK_LEAST 4096

// The number of the work-item in its work-group, and how many there are.
uint __check_item(void) {
    uint x = get_local_size(0), y = get_local_size(1);
    return (uint)get_local_id(0) + x * ((uint)get_local_id(1) + y * (uint)get_local_id(2));
}

uint __check_items(void) {
    return (uint)get_local_size(0) * (uint)get_local_size(1) * (uint)get_local_size(2);
}

// Counts the ranges that begin at an address or below it. Each has `stride` words, the first of which is its start; they ascend.
uint __check_count_below(global const ulong *ranges, uint stride, uint count, ulong address) {
    uint low = 0, high = count;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (ranges[stride * middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Returns the start of the allocation in which an address lies, and its size. Of size 0: null, with start 0, or no
// allocation.
ulong2 __check_find(global const uint *area, ulong address) {
    global const ulong *ranges = (global const ulong *)area + CHECK_FIRST_RANGE;
    uint below = __check_count_below(ranges, 2, area[CHECK_RANGES], address);
    if (below > 0) {
        ulong start = ranges[2 * below - 2], size = ranges[2 * below - 1];
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

// Counts a finding. Returns the slot of its place for the first one, which is to fill the rest of it, else 0.
global uint *__check_begin_report(global uint *area, uint site, uint description, uint kind) {
    global uint *slot = area + CHECK_FINDINGS + (site & (CHECK_SLOTS - 1)) * CHECK_SLOT_WORDS;
    if (atomic_inc((volatile global uint *)slot) != 0)
        return 0;
    slot[1] = description;
    slot[2] = kind;
    return slot;
}

// Counts a finding, and notes the first of its place.
void __check_report(global uint *area, uint site, uint description, uint kind, ulong at, ulong start, ulong size) {
    global uint *slot = __check_begin_report(area, site, description, kind);
    if (slot == 0)
        return;
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

// Reports a texel that is none of its image, of which sizes of 0 are of no direction.
void __check_texel(global uint *area, uint site, uint description, uint kind, int4 at, int4 size) {
    uint4 index = as_uint4(at), sizes = as_uint4(size);
    if (index.x < sizes.x && (index.y < sizes.y || sizes.y == 0) && (index.z < sizes.z || sizes.z == 0))
        return;
    __check_report(area, site, description, kind, index.x | (ulong)index.y << 32, index.z | (ulong)sizes.x << 32,
                   sizes.y | (ulong)sizes.z << 32);
}

// Stands for a check that is only computed, for what is certain before a program runs.
void __check_probe(uint ok, uint site, uint kind, ulong at, ulong start, ulong size) {}

// Barriers: the words of a work-group are how many work-items have ended, and for each barrier the least number of times
// that one which has ended had come to it, with its number; the greatest number of times that one has come to it; and whether
// the barrier was told, and by one whose finding has the slot.
#define CHECK_MOST 0xffff
#define CHECK_TOLD 1
#define CHECK_HAS_SLOT 2

// Clears the words, before any work-item goes on.
void __check_barriers_begin(local uint *words, uint barriers) {
    words[0] = 0;
    for (uint b = 0; b < barriers; b++) {
        words[1 + 3 * b] = ~0u;
        words[2 + 3 * b] = 0;
        words[3 + 3 * b] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Reports a barrier to which one work-item, which has ended, has come less often than another. Once for each work-group; the
// last work-item to end notes who came least often.
void __check_barriers_report(global uint *area, uint site, uint description, uint kind, local uint *words, uint b, uint is_last) {
    uint least = atomic_or((volatile local uint *)words + 1 + 3 * b, 0u);
    uint most = atomic_or((volatile local uint *)words + 2 + 3 * b, 0u);
    if (least >> 16 >= most)
        return;
    uint told = atomic_or((volatile local uint *)words + 3 + 3 * b, (uint)CHECK_TOLD);
    global uint *slot = area + CHECK_FINDINGS + (site & (CHECK_SLOTS - 1)) * CHECK_SLOT_WORDS;
    if (told == 0)
        slot = __check_begin_report(area, site, description, kind);
    else if (is_last == 0 || (told & CHECK_HAS_SLOT) == 0)
        return;
    if (slot == 0)
        return;
    uint item = least & 0xffff;
    for (uint d = 0; d < 3; d++) {
        uint size = (uint)get_local_size(d), id = item % size;
        slot[3 + d] = (uint)(get_global_id(d) - get_local_id(d)) + id;
        slot[6 + d] = id;
        item /= size;
    }
    slot[9] = least >> 16;
    slot[10] = 0;
    slot[11] = most;
    for (uint word = 12; word < 15; word++)
        slot[word] = 0;
    atomic_or((volatile local uint *)words + 3 + 3 * b, (uint)CHECK_HAS_SLOT);
}

// Notes that this work-item comes to a barrier, before it waits there, and reports it if another one has ended without.
void __check_barriers_come(global uint *area, uint site, uint description, uint kind, local uint *words, uint b, uint times) {
    volatile local uint *own = words + 1 + 3 * b;
    times = min(times, (uint)CHECK_MOST);
    if (own[1] < times)
        atomic_max(own + 1, times);
    if (own[0] >> 16 < times)
        __check_barriers_report(area, site, description, kind, words, b, 0);
}

// Tells how often this work-item, which ends, has come to a barrier. Returns true if another one has come more often.
bool __check_barriers_tell(local uint *words, uint b, uint times) {
    uint item = __check_item();
    times = min(times, (uint)CHECK_MOST);
    atomic_min((volatile local uint *)words + 1 + 3 * b, times << 16 | item);
    return atomic_or((volatile local uint *)words + 2 + 3 * b, 0u) > times;
}

// Returns true for the last work-item to end.
bool __check_barriers_end(local uint *words) {
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return atomic_inc((volatile local uint *)words) == __check_items() - 1;
}

// Work-group variables: a bit for each word that was written.

// Clears the bits, before any work-item goes on.
void __check_written_begin(local uint *bits, uint words) {
    uint all = __check_items();
    for (uint w = __check_item(); w < words; w += all)
        bits[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Notes that bytes were written, at an offset in an object: its first word, and how many words are watched.
void __check_written_note(local uint *bits, uint word, uint words, uint offset, uint bytes) {
    uint end = word + min((offset + bytes + 3) / 4, words);
    volatile local uint *words_of_bits = bits;
    for (uint w = word + offset / 4; w < end; w++) {
        // What is there already need not be put there one work-item after the other.
        if ((words_of_bits[w / 32] >> w % 32 & 1) == 0)
            atomic_or(words_of_bits + w / 32, 1u << w % 32);
    }
}

// Returns true if bytes were written.
bool __check_written_test(local uint *bits, uint word, uint words, uint offset, uint bytes) {
    uint end = word + min((offset + bytes + 3) / 4, words), all = 1;
    for (uint w = word + offset / 4; w < end; w++)
        all &= ((volatile local uint *)bits)[w / 32] >> w % 32;
    return all != 0;
}

// Races: two words of work-group memory for each word that is watched: who wrote it last, and who read it last, as
// epoch << 23 | work-item << 12 | bytes << 8 | atomic << 7 | place. The epoch is how many barriers the work-item has passed,
// from 1 on; at the last one nothing is looked for any more.
#define CHECK_LAST_EPOCH 511
#define CHECK_MANY_ITEMS 0x7ff
#define CHECK_PLACE 0x7f
#define CHECK_ATOMIC 0x80
#define CHECK_BYTES 0xf00
// Of modes alone.
#define CHECK_WRITES 0x100
#define CHECK_SAME 0x200
#define CHECK_RACES 64
// An id in 64 bits.
#define CHECK_ID(x, y, z) ((ulong)(x) | (ulong)(y) << 21 | (ulong)(z) << 42)
// True for the same bytes in the same epoch by two work-items.
#define CHECK_MEET_AS(a, b, who, when) ((((a) ^ (b)) & (when)) == 0 && (((a) ^ (b)) & (who)) != 0 && ((a) & (b) & CHECK_BYTES) != 0)
#define CHECK_ITEMS (CHECK_MANY_ITEMS << 12)
#define CHECK_EPOCHS 0xff800000
#define CHECK_MEET(a, b) CHECK_MEET_AS(a, b, CHECK_ITEMS, CHECK_EPOCHS)

// Clears the words, before any work-item goes on. Returns the first epoch.
uint __check_races_begin(local uint *shadow, uint words) {
    uint all = __check_items();
    for (uint w = __check_item(); w < words; w += all)
        shadow[w] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return all < CHECK_MANY_ITEMS ? 1 : CHECK_LAST_EPOCH;
}

// Notes an access of bytes at an offset in an object of which so many words are watched, and reports it where it is a race.
void __check_races_note(global uint *area, local uint *shadow, uint words, uint offset, uint bytes, uint mode, uint epoch,
                        uint site, uint texts, uint stride) {
    if (epoch >= CHECK_LAST_EPOCH)
        return;
    uint x = get_local_size(0), y = get_local_size(1), item = __check_item();
    uint hit = 0, is_read = 0;
    uint end = offset + bytes;
    for (uint w = offset / 4; w < words && 4 * w < end; w++) {
        uint from = max(offset, 4 * w) - 4 * w, to = min(end - 4 * w, 4u);
        uint mask = (0xfu << from) & (0xfu >> (4 - to));
        uint mine = epoch << 23 | item << 12 | mask << 8 | (mode & 0xff);
        volatile local uint *writer = (volatile local uint *)shadow + 2 * w, *reader = writer + 1;
        uint written, read = 0;
        // What this access is comes first: of two at once, one at least sees the other.
        if ((mode & CHECK_WRITES) != 0) {
            // Of several atomic operations and a plain store, the latter stays known.
            written = (mode & CHECK_ATOMIC) != 0 ? atomic_or(writer, 0u) : *writer == mine ? mine : 0;
            if (written != mine && (written >> 23 != epoch || (written & CHECK_ATOMIC) != 0))
                written = atomic_xchg(writer, mine);
            read = atomic_or(reader, 0u);
        } else {
            uint known = *reader;
            bool is_known = known == mine || (known & CHECK_ITEMS) == CHECK_ITEMS && known >> 23 == epoch
                                                 && (mine & ~known & CHECK_BYTES) == 0;
            if ((mode & CHECK_ATOMIC) == 0 && !is_known) {
                uint before = atomic_xchg(reader, mine);
                // Whoever writes what two have read is another one than one of them.
                if (CHECK_MEET(before, mine))
                    atomic_xchg(reader, epoch << 23 | CHECK_MANY_ITEMS << 12 | (before & mine & CHECK_BYTES) | (before & 0xff));
            }
            written = atomic_or(writer, 0u);
        }
        bool is_same = (mode & CHECK_SAME) != 0 && ((written ^ mine) & CHECK_PLACE) == 0;
        if (hit == 0 && CHECK_MEET(written, mine) && (written & mine & CHECK_ATOMIC) == 0 && !is_same)
            hit = written;
        if (hit == 0 && CHECK_MEET(read, mine)) {
            hit = read;
            is_read = 1;
        }
    }
    if (hit == 0)
        return;
    uint other = hit >> 12 & CHECK_MANY_ITEMS;
    __check_report(area, site, texts + (mode & CHECK_PLACE) * stride, CHECK_RACES,
                   offset | (ulong)is_read << 32,
                   (texts + (hit & CHECK_PLACE) * stride) | (ulong)(other == CHECK_MANY_ITEMS) << 32,
                   CHECK_ID(other % x, other / x % y, other / x / y));
}

// Races in memory that all work-groups share: four words for each word that is watched. The last two are as in work-group memory:
// barriers that order global memory begin epochs. The first two are who wrote it last, and who read it last, as
// work-group << 12 | bytes << 8 | atomic << 7 | place: nothing orders what work-groups do.
#define CHECK_WATCHED 2
#define CHECK_FIRST_WATCHED (133152 / 8)
#define CHECK_SHADOW (134688 / 4)
#define CHECK_BLOCK_WORDS 64
#define CHECK_MANY_GROUPS 0xfffff

// Returns the first epoch.
uint __check_global_races_begin(void) {
    return __check_items() < CHECK_MANY_ITEMS ? 1 : CHECK_LAST_EPOCH;
}

// Notes an access in a word and the one behind it: of a work-group, or of a work-item in an epoch. `who`: the bits that tell them apart;
// `when`: those of the epoch. Returns the access of another one that makes a race of it, if there is one; `reads` becomes 1 if that reads.
uint __check_meet(volatile global uint *word, uint mine, uint who, uint when, uint mode, uint *reads) {
    volatile global uint *reader = word + 1;
    uint written, read = 0;
    if ((mode & CHECK_WRITES) != 0) {
        written = (mode & CHECK_ATOMIC) != 0 ? atomic_or(word, 0u) : *word == mine ? mine : 0;
        bool is_old = ((written ^ mine) & when) != 0 || (written & CHECK_BYTES) == 0;
        if (written != mine && (is_old || (written & CHECK_ATOMIC) != 0))
            written = atomic_xchg(word, mine);
        read = atomic_or(reader, 0u);
    } else {
        uint known = *reader;
        // Where many are known to read these bytes one more tells nothing new.
        bool is_known = known == mine || (known & who) == who && ((known ^ mine) & when) == 0 && (mine & ~known & CHECK_BYTES) == 0;
        if ((mode & CHECK_ATOMIC) == 0 && !is_known) {
            uint before = atomic_xchg(reader, mine);
            if (CHECK_MEET_AS(before, mine, who, when))
                atomic_xchg(reader, (mine & when) | who | (before & mine & CHECK_BYTES) | (before & 0xff));
        }
        written = atomic_or(word, 0u);
    }
    if (CHECK_MEET_AS(written, mine, who, when) && (written & mine & CHECK_ATOMIC) == 0)
        return written;
    *reads = CHECK_MEET_AS(read, mine, who, when);
    return *reads ? read : 0;
}

// Notes an access of bytes at an address in an object from `start` on, and reports it where it is a race.
void __check_global_races_note(global uint *area, ulong address, ulong start, uint bytes, uint mode, uint epoch, uint site,
                               uint texts, uint stride) {
    global const ulong *watched = (global const ulong *)area + CHECK_FIRST_WATCHED;
    uint below = __check_count_below(watched, 3, area[CHECK_WATCHED], address);
    if (below == 0)
        return;
    watched += 3 * (below - 1);
    ulong at = address - watched[0], size = watched[1];
    if (at >= size)
        return;
    uint first = (uint)watched[2], every = (uint)(watched[2] >> 32);
    uint x = get_local_size(0), y = get_local_size(1), item = __check_item();
    uint across = get_num_groups(0), down = get_num_groups(1);
    ulong group = get_group_id(0) + (ulong)across * (get_group_id(1) + (ulong)down * get_group_id(2));
    uint hit = 0, reads = 0, of_group = 0;
    ulong end = min(at + bytes, size);
    for (ulong w = at / 4; 4 * w < end && hit == 0; w++) {
        uint block = (uint)(w / CHECK_BLOCK_WORDS);
        if (block % every != 0)
            continue;
        uint from = (uint)(max(at, 4 * w) - 4 * w), to = (uint)min(end - 4 * w, 4UL);
        uint what = ((0xfu << from) & (0xfu >> (4 - to))) << 8 | (mode & 0xff);
        uint index = first + block / every * CHECK_BLOCK_WORDS + (uint)w % CHECK_BLOCK_WORDS;
        volatile global uint *words = (volatile global uint *)area + CHECK_SHADOW + 4 * (ulong)index;
        // What the work-item's own group does is looked at in any case, so that nothing is left out there.
        uint other = epoch < CHECK_LAST_EPOCH ? __check_meet(words + 2, epoch << 23 | item << 12 | what, CHECK_ITEMS, CHECK_EPOCHS, mode, &reads) : 0;
        hit = group < CHECK_MANY_GROUPS ? __check_meet(words, (uint)group << 12 | what, CHECK_MANY_GROUPS << 12, 0, mode, &of_group) : 0;
        if (hit != 0) {
            reads = of_group;
            of_group = 1;
        } else {
            hit = other;
            of_group = 0;
        }
    }
    if (hit == 0)
        return;
    uint other = of_group ? hit >> 12 : hit >> 12 & CHECK_MANY_ITEMS;
    bool is_many = other == (of_group ? CHECK_MANY_GROUPS : CHECK_MANY_ITEMS);
    if (of_group)
        x = across, y = down;
    ulong offset = address - start;
    __check_report(area, site, texts + (mode & CHECK_PLACE) * stride, CHECK_RACES,
                   (offset & 0xffffffff) | offset >> 32 << 40 | (ulong)(reads | 2 | of_group << 2) << 32,
                   (texts + (hit & CHECK_PLACE) * stride) | (ulong)is_many << 32,
                   CHECK_ID(other % x, other / x % y, other / x / y));
}
