"""Bytes that are stored one after the other in private memory at a place that only the run tells, as messages of hash functions are built."""

import numpy as np
import pytest

# LENGTH bytes of a row go to its number in a copy of 40 words, in the order of bytes that FLIP gives.
COPY = """
kernel void copy(global const uchar *rows, global ulong *out)
{
    ulong message[20], data[(LENGTH + 7) / 8];
    size_t id = get_global_id(0);
    uint p = FIRST + (uint)id;
    for (int i = 0; i < 20; i++) message[i] = 0x0101010101010101ul * (i + 1);
    for (int i = 0; i < (LENGTH + 7) / 8; i++) data[i] = ((global const ulong *)rows)[id * 9 + i];
    for (uint k = 0; k < LENGTH; k++) ((uchar *)message + OFFSET)[(p + k) ^ FLIP] = SOURCE;
    for (int i = 0; i < 20; i++) out[id * 20 + i] = message[i];
}
"""

# A byte of the data by its place in the order of memory, or from the high one of each number on, and a computed one.
SOURCES = {
    "memory": "((uchar *)data)[k]",
    "numbers": "((uchar *)data)[k ^ 7]",
    "computed": "(uchar)(((uchar *)data)[k] * 3 + k)",
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("flip", [0, 3, 4, 7, 15, 1])
@pytest.mark.parametrize("length, first, offset", [(64, 0, 0), (16, 16, 8), (11, 3, 4), (8, 0, 16), (7, 1, 0)])
def test_bytes_at_any_place(m, rng, source, flip, length, first, offset):
    options = [f"-DLENGTH={length}", f"-DFIRST={first}", f"-DOFFSET={offset}", f"-DFLIP={flip}"]
    program = m.build(COPY, options + [f"-DSOURCE={SOURCES[source]}".replace(" ", "")])
    rows = rng.integers(0, 256, (64, 72), np.uint8)
    places = 64 if length < 64 else 32
    out = m.buffer(np.zeros((places, 20), np.uint64))
    program.copy(m.queue, (places,), None, m.buffer(rows), out)
    expected = np.repeat(np.arange(1, 21, dtype=np.uint8), 8)[None].repeat(places, 0)
    for row in range(places):
        for k in range(length):
            byte = {"memory": rows[row, k], "numbers": rows[row, k ^ 7]}.get(source)
            if byte is None:
                byte = (int(rows[row, k]) * 3 + k) & 255
            expected[row, offset + ((first + row + k) ^ flip)] = byte
    assert (m.read(out, np.uint8, expected.size).reshape(expected.shape) == expected).all()


READ_BETWEEN = """
kernel void between(global uint *out)
{
    uint words[8];
    uint p = get_global_id(0), seen = 0;
    for (int i = 0; i < 8; i++) words[i] = 0x03020100u + 0x04040404u * i;
    for (uint k = 0; k < 16; k++) {
        ((uchar *)words)[p + k] = 100 + k;
        if (k == 9) seen = words[2];
    }
    ((uchar *)words)[p + 3] = 7;
    for (int i = 0; i < 8; i++) out[p * 9 + i] = words[i];
    out[p * 9 + 8] = seen;
}
"""


def test_reads_between_see_what_was_stored_before(m):
    program = m.build(READ_BETWEEN)
    out = m.buffer(np.zeros((16, 9), np.uint32))
    program.between(m.queue, (16,), None, out)
    results = m.read(out, np.uint32, 16 * 9).reshape(16, 9)
    for p in range(16):
        expected = np.arange(32, dtype=np.uint8)
        expected[p : p + 10] = np.arange(100, 110)
        seen = expected.view(np.uint32)[2]
        expected[p : p + 16] = np.arange(100, 116)
        expected[p + 3] = 7
        assert (results[p, :8] == expected.view(np.uint32)).all()
        assert results[p, 8] == seen
