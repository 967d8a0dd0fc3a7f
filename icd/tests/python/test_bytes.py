"""Bytes and integers: string search, hashes, bit tricks."""

import hashlib

import numpy as np
import pyopencl as cl

MD5 = """
constant uint K[64] = { %s };
constant uint S[16] = { 7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21 };

void md5_block(uint state[4], const uint w[16])
{
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 64; i++) {
        uint f; int g;
        switch (i / 16) {
        case 0: f = (b & c) | (~b & d); g = i; break;
        case 1: f = (d & b) | (~d & c); g = (5 * i + 1) %% 16; break;
        case 2: f = b ^ c ^ d; g = (3 * i + 5) %% 16; break;
        default: f = c ^ (b | ~d); g = (7 * i) %% 16;
        }
        f += a + K[i] + w[g];
        a = d; d = c; c = b;
        b += rotate(f, S[(i / 16) * 4 + i %% 4]);
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
}

kernel void md5(global const uchar *messages, global const uint *lengths, uint stride,
                global uint4 *digests)
{
    size_t id = get_global_id(0);
    global const uchar *message = messages + id * stride;
    uint length = lengths[id], w[16];
    uint state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
    for (uint start = 0; start < length + 9; start += 64) {
        for (int i = 0; i < 16; i++) {
            w[i] = 0;
            for (int k = 0; k < 4; k++) {
                uint at = start + 4 * i + k;
                uint byte = at < length ? message[at] : at == length ? 0x80 : 0;
                w[i] |= byte << (8 * k);
            }
        }
        if (start + 64 >= length + 9) { w[14] = length << 3; w[15] = length >> 29; }
        md5_block(state, w);
    }
    digests[id] = (uint4)(state[0], state[1], state[2], state[3]);
}
"""

SHA256 = """
constant uint K[64] = { %s };
#define ROR(x, n) rotate((uint)(x), (uint)(32 - (n)))
kernel void sha256(global const uint *blocks, global uint *digests)
{
    size_t id = get_global_id(0);
    uint w[64], h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    for (int i = 0; i < 16; i++)
        w[i] = as_uint(as_uchar4(blocks[id * 16 + i]).wzyx);
    for (int i = 16; i < 64; i++) {
        uint s0 = ROR(w[i - 15], 7) ^ ROR(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint s1 = ROR(w[i - 2], 17) ^ ROR(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint v[8];
    for (int i = 0; i < 8; i++) v[i] = h[i];
    for (int i = 0; i < 64; i++) {
        uint s1 = ROR(v[4], 6) ^ ROR(v[4], 11) ^ ROR(v[4], 25);
        uint t1 = v[7] + s1 + bitselect(v[6], v[5], v[4]) + K[i] + w[i];
        uint s0 = ROR(v[0], 2) ^ ROR(v[0], 13) ^ ROR(v[0], 22);
        uint t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int k = 7; k > 0; k--) v[k] = v[k - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) digests[id * 8 + i] = h[i] + v[i];
}
"""


def test_md5_of_many_messages(m, rng):
    k = ", ".join(hex(int(abs(np.sin(i + 1)) * 2 ** 32)) for i in range(64))
    stride, n = 160, 200
    lengths = rng.integers(0, stride, n).astype(np.uint32)
    messages = rng.integers(0, 256, (n, stride)).astype(np.uint8)
    digests = m.empty(16 * n)
    m.build(MD5 % k).md5(m.queue, (n,), None, m.buffer(messages), m.buffer(lengths),
                         np.uint32(stride), digests)
    result = m.read(digests, np.uint8, (n, 16))
    for i in range(n):
        assert result[i].tobytes() == hashlib.md5(messages[i, :lengths[i]].tobytes()).digest()


def primes(count):
    found = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def cube_root_fraction(p):
    """First 32 bits of the fraction of p's cube root, in integers."""
    target, root = p << 96, 0
    for bit in range(40, -1, -1):
        if (root | 1 << bit) ** 3 <= target:
            root |= 1 << bit
    return root & 0xFFFFFFFF


def test_sha256_of_many_messages(m, rng):
    k = ", ".join(hex(cube_root_fraction(p)) for p in primes(64))
    n = 100
    messages = [rng.integers(0, 256, rng.integers(0, 56)).astype(np.uint8).tobytes()
                for _ in range(n)]
    blocks = np.zeros((n, 64), np.uint8)
    for i, text in enumerate(messages):
        padded = text + b"\x80" + b"\0" * (55 - len(text)) + (8 * len(text)).to_bytes(8, "big")
        blocks[i] = np.frombuffer(padded, np.uint8)
    digests = m.empty(32 * n)
    m.build(SHA256 % k).sha256(m.queue, (n,), None, m.buffer(blocks), digests)
    result = m.read(digests, np.uint32, (n, 8)).astype(">u4")
    for i, text in enumerate(messages):
        assert result[i].tobytes() == hashlib.sha256(text).digest()


def test_string_search_over_uchar(m, rng):
    text = rng.integers(ord("a"), ord("e"), 20000).astype(np.uint8)
    pattern = b"abcad"
    program = m.build("""
        kernel void search(global const uchar *text, uint n, constant uchar *pattern, uint length,
                           global uint *count, global uint *first)
        {
            uint i = get_global_id(0);
            if (i + length > n) return;
            for (uint k = 0; k < length; k++)
                if (text[i + k] != pattern[k]) return;
            atomic_inc(count);
            atomic_min(first, i);
        }""")
    count, first = m.buffer(np.zeros(1, np.uint32)), m.buffer(np.array([0xFFFFFFFF], np.uint32))
    program.search(m.queue, text.shape, None, m.buffer(text), np.uint32(text.size),
                   m.buffer(np.frombuffer(pattern, np.uint8)), np.uint32(len(pattern)), count, first)
    data = text.tobytes()
    hits = [i for i in range(len(data)) if data.startswith(pattern, i)]
    assert m.read(count, np.uint32, 1)[0] == len(hits)
    assert m.read(first, np.uint32, 1)[0] == hits[0]


def test_every_integer_width(m, rng):
    for name, dtype in [("char", np.int8), ("uchar", np.uint8), ("short", np.int16),
                        ("ushort", np.uint16), ("int", np.int32), ("uint", np.uint32),
                        ("long", np.int64), ("ulong", np.uint64)]:
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, 333, dtype=dtype, endpoint=True)
        b = rng.integers(info.min, info.max, 333, dtype=dtype, endpoint=True)
        b[b == 0] = 3
        program = m.build(f"""
            typedef {name} T;
            kernel void ops(global const T *a, global const T *b, global T *out, uint n)
            {{
                uint i = get_global_id(0);
                T x = a[i], y = b[i];
                out[i] = x + y; out[n + i] = x - y; out[2 * n + i] = x * y;
                out[3 * n + i] = x & ~y; out[4 * n + i] = x << (i & 7); out[5 * n + i] = x >> (i & 7);
                out[6 * n + i] = max(x, y); out[7 * n + i] = add_sat(x, y);
                out[8 * n + i] = popcount(x);
            }}""")
        out = m.empty(a.nbytes * 9)
        program.ops(m.queue, a.shape, None, m.buffer(a), m.buffer(b), out, np.uint32(a.size))
        shift = (np.arange(a.size) & 7).astype(dtype)
        with np.errstate(over="ignore"):
            exact = a.astype(object) + b.astype(object)
            saturated = np.clip(exact, info.min, info.max).astype(dtype)
            bits = np.array([bin(int(v) & (2 ** info.bits - 1)).count("1") for v in a], dtype)
            expected = np.stack([a + b, a - b, a * b, a & ~b, a << shift, a >> shift,
                                 np.maximum(a, b), saturated, bits])
        np.testing.assert_array_equal(m.read(out, dtype, (9, a.size)), expected, err_msg=name)


def test_base64(m, rng):
    data = rng.integers(0, 256, 3 * 500).astype(np.uint8)
    program = m.build("""
        constant char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        kernel void encode(global const uchar *in, global char4 *out)
        {
            uchar3 b = vload3(get_global_id(0), in);
            uint v = b.x << 16 | b.y << 8 | b.z;
            out[get_global_id(0)] = (char4)(digits[v >> 18], digits[v >> 12 & 63],
                                            digits[v >> 6 & 63], digits[v & 63]);
        }""")
    import base64
    out = m.empty(4 * 500)
    program.encode(m.queue, (500,), None, m.buffer(data), out)
    assert m.read(out, np.uint8, 2000).tobytes() == base64.b64encode(data.tobytes())


def test_crc32_with_table_in_local_memory(m, rng):
    import zlib
    data = rng.integers(0, 256, (64, 100)).astype(np.uint8)
    program = m.build("""
        kernel void crc(global const uchar *data, uint length, global uint *out)
        {
            local uint table[256];
            for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
                uint c = i;
                for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
                table[i] = c;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint crc = ~0u;
            for (uint i = 0; i < length; i++)
                crc = table[(crc ^ data[get_global_id(0) * length + i]) & 0xFF] ^ (crc >> 8);
            out[get_global_id(0)] = ~crc;
        }""")
    out = m.empty(4 * 64)
    program.crc(m.queue, (64,), (16,), m.buffer(data), np.uint32(100), out)
    expected = [zlib.crc32(row.tobytes()) for row in data]
    np.testing.assert_array_equal(m.read(out, np.uint32, 64), expected)


def test_all_work_items_fill_one_table_of_bytes(m):
    """Every work-item writes the same bytes and reads what it wrote, which is no other's doing."""
    program = m.build("""
        kernel void fill(global const uchar *in, global volatile uchar *room, global int *wrong)
        {
            local volatile uchar table[8];
            int bad = 0;
            for (int k = 0; k < 8; ++k) { table[k] = in[k]; room[k] = in[k]; }
            for (int round = 0; round < 16; ++round)
                for (int k = 0; k < 8; ++k) {
                    table[k] = in[k]; room[k] = in[k];
                    for (int j = 0; j < 8; ++j) bad += (table[j] != in[j]) + (room[j] != in[j]);
                }
            wrong[get_global_id(0)] = bad;
        }""")
    n, data = 16384, (np.arange(8) * 37 + 1).astype(np.uint8)
    wrong = m.empty(4 * n)
    program.fill(m.queue, (n,), (64,), m.buffer(data), m.empty(8), wrong)
    assert not m.read(wrong, np.int32, n).any()
