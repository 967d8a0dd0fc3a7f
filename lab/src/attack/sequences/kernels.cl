// The kernels of random sequences. K is a constant that each program has of its own.
#define ID(D) (get_global_id(D) - get_global_offset(D))
#define I ((uint)((ID(2) * get_global_size(1) + ID(1)) * get_global_size(0) + ID(0)))

kernel void add(global uint *to, global const uint *from, uint k) {
    to[I] += (from[I] ^ K) + k;
}

kernel void mix(global uint *to, uint k) {
    to[I] ^= I * 2654435761u + k;
}

kernel void turn(global ulong *to, ulong k) {
    to[I] = rotate(to[I] + I, k) * (2UL * K + 1UL);
}

kernel void bytes(global uchar *to, uint at, uint k) {
    to[at + I] = (uchar)(I * 7 + k);
}

kernel void shorts(global ushort *to, uint at, uint k) {
    to[at + I] = (ushort)(I * 7 + k);
}

kernel void copy(global uchar *to, uint at, global const uchar *from, uint start) {
    to[at + I] = from[start + I];
}

kernel void vectors(global uchar *to, uint at, global const uchar *from, uint start) {
    vstore3(vload3(I, from + start) + (uchar3)(1, 2, 3), I, to + at);
}

kernel void gather(global uint *to, global const uint *from, uint count, uint k) {
    to[I] = from[(I * k + K) % count];
}

kernel void histogram(global uint *bins, uint count, global const uchar *from, uint start) {
    atomic_inc(bins + from[start + I] % count);
}

kernel void total(global uint *to, global const uint *from) {
    atomic_add(to, from[I] + K);
}

kernel void reduce(global uint *to, global const uint *from, local uint *part) {
    uint local_id = get_local_id(0), size = get_local_size(0);
    part[local_id] = from[I];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_id == 0) {
        uint sum = 0;
        for (uint i = 0; i < size; i++)
            sum += part[i];
        atomic_add(to, sum ^ K);
    }
}

kernel void reverse(global uint *to, local uint *line) {
    uint size = get_local_size(0), local_id = get_local_id(0);
    line[local_id] = to[I];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[I] = line[size - 1 - local_id] + K;
}

struct parameters { uchar a; uint b; ushort c; };

kernel void by_value(global uint *to, struct parameters p, uchar3 v) {
    to[I] = to[I] * p.a + p.b + p.c * I + v.s1;
}

kernel void table(global uint *to, constant uint *from, uint count) {
    uint sum = K;
    for (uint i = 0; i <= I % 5; i++)
        sum = sum * 31 + from[(I + i) % count];
    to[I] = sum;
}

kernel void array(global uint *to, uint k) {
    uint part[8];
    for (uint i = 0; i < 8; i++)
        part[i] = to[I] >> (i * 4) & 15;
    uint sum = 0;
    for (uint i = 0; i < 8; i++)
        sum = sum * 17 + part[(i * k + I) % 8];
    to[I] = sum;
}

kernel void indirect(ulong to, uint k) {
    ((global uint *)to)[I] ^= I * K + k;
}

#ifdef IMAGES
// An image's box and host memory: NAME_in takes texels from a buffer, NAME_out puts them there, 4 numbers each.
#define IMAGE(NAME, TYPE, PLACE)                                                                        \
    kernel void NAME##_in(write_only TYPE to, int4 origin, uint mask, global const uint *from) {         \
        int4 p = origin + (int4)((int)ID(0), (int)ID(1), (int)ID(2), 0);                                 \
        write_imageui(to, PLACE, (uint4)(from[4 * I], from[4 * I + 1], from[4 * I + 2], from[4 * I + 3]) & mask); \
    }                                                                                                    \
    kernel void NAME##_out(read_only TYPE from, int4 origin, uint mask, global uint *to) {               \
        int4 p = origin + (int4)((int)ID(0), (int)ID(1), (int)ID(2), 0);                                 \
        vstore4(read_imageui(from, PLACE) ^ mask, I, to);                                                \
    }

IMAGE(one, image1d_t, p.x)
IMAGE(one_buffer, image1d_buffer_t, p.x)
IMAGE(one_array, image1d_array_t, p.xy)
IMAGE(two, image2d_t, p.xy)
IMAGE(two_array, image2d_array_t, p)
IMAGE(three, image3d_t, p)

kernel void two_two(write_only image2d_t to, int4 place, uint mask, read_only image2d_t from, int4 origin) {
    int2 p = (int2)((int)ID(0), (int)ID(1));
    write_imageui(to, place.xy + p, (read_imageui(from, origin.xy + p) + I) & mask);
}
#endif
