"""More kernels for HEKLA_CHECK: what it leaves out as needless is left out of right kernels, and of none that are almost like them."""

from check_cases import BUFFER, CASES as OTHERS, Case, one, race, shared

ROW = "global int *a, int n"
SYNC = "    barrier(CLK_LOCAL_MEM_FENCE);\n"
PAIR = [("buffer", 64), ("buffer", 64)]
# Two work-groups of 8 times 2 work-items.
FLAT = ((16, 2), (8, 2))


def tile(body, size=16, before="", parameters="global int *a"):
    """A kernel with an array in local memory, which work-items number themselves in."""
    return (f"kernel void k({parameters}) {{\n    local int t[{size}];\n    int i = get_local_id(0), j = get_local_id(1);\n{before}{body}\n}}\n")


# Each work-item, or each but few, has bytes of its own.
RACES = [
    Case("own bytes: a row of no length", "races", shared("    a[get_global_id(1) * n + g] = i; // HERE", ROW), [("buffer", 256), 0],
         "store of 4 bytes at offset ", size=((8, 2), (8, 2)), note="of the other one"),
    Case("own bytes: rows shorter than the launch", "races", shared("    a[n * get_global_id(1) + g] = i; // HERE", ROW), [("buffer", 256), 15],
         "store of 4 bytes at offset 60", size=FLAT, note="of the other one"),
    Case("own bytes: a dimension that does not count", "races", shared("    a[g] = i + get_global_id(1); // HERE"), [("buffer", 256)],
         "store of 4 bytes at offset ", size=FLAT, note="of the other one"),
    Case("own bytes: an argument as the stride", "races", shared("    a[g * n] = i; // HERE", ROW), [("buffer", 64), 0],
         "store of 4 bytes at offset 0", times=7, note="local id ("),
    Case("own bytes: neighbours that meet", "races", shared("    for (int m = 0; m < 3; m++)\n        a[2 * g + m] = m; // HERE"), [("buffer", 128)],
         "store of 4 bytes at offset ", note="local id ("),
    Case("own bytes: the next one's, too", "races", shared("    a[g] = 1; // HERE\n    a[g + 1] = 2; // HERE"), [("buffer", 128)],
         "store of 4 bytes at offset ", note="local id ("),
    Case("own bytes: of work-items in each group", "races", shared("    a[get_local_id(0)] = g; // HERE"), BUFFER,
         "which a work-item of another work-group writes", size=(16, 8), note="work-group ("),
    Case("own bytes: vectors at half their size", "races", shared("    vstore4((int4)(i), 0, a + 2 * g); // HERE"), [("buffer", 256)],
         "store of 16 bytes at offset ", note="of the other one"),
    Case("own bytes: a product that wraps around", "races", shared("    a[(uint)(8 * g) * (uint)n] = i; // HERE", ROW), [("buffer", 64), 0x20000000],
         "store of 4 bytes at offset 0", size=(16, 16), note="local id ("),
    Case("own bytes: a small product that wraps around", "races", shared("    if (g % 64 == 0)\n        a[(uint)g * (uint)n] = g; // HERE", ROW),
         [("buffer", 64), 1 << 26], "store of 4 bytes at offset 0", size=(128, 8), note="work-group ("),
    Case("an argument that is read: a sub-buffer of it is written", "races",
         shared("    c[i] = b[7 - i]; // HERE\n    a[64 + i] = i; // HERE", "global int *a, global const int *b, global int *c"),
         [("sub", 0, 512), ("rest", 256, 256), ("buffer", 64)], "which another work-item ", note="local id ("),
    Case("an argument that is read: through a pointer in memory", "races",
         shared("    int x = b[7 - i]; // HERE\n    ((global int *)p[0])[i] = x; // HERE", "global ulong *p, global const int *b", "")
         .replace("a[", "b["), [("address", 64), ("shared",)], "which another work-item ", note="local id ("),
    Case("one barrier around a loop", "races",
         race("    int s = 0;\n    for (int n = 0; n < 3; n++) {\n        t[i] = n; // HERE\n        barrier(CLK_LOCAL_MEM_FENCE);\n        s += t[(i + 1) % 8]; // HERE\n"
              "    }\n    a[i] = s;"), BUFFER, "which another work-item ", note="local id ("),
    Case("own words: a column of two", "races", tile("    t[i * 2 + j] = i; // HERE\n" + SYNC + "    a[i + 4 * j] = t[i];", 64), BUFFER,
         "which another work-item writes", size=((4, 3), (4, 3)), note="local id ("),
    Case("own words: the same in each row", "races", tile("    t[i] = j; // HERE\n" + SYNC + "    a[i + 8 * j] = t[i];"), BUFFER,
         "which another work-item writes", size=((8, 2), (8, 2)), note="local id ("),
    Case("volatile local memory", "races",
         "kernel void k(global int *a) {\n    volatile local int t[1];\n    t[0] = get_local_id(0); // HERE\n" + SYNC + "    a[get_local_id(0)] = t[0];\n}\n",
         BUFFER, "which another work-item writes", times=7, note="local id ("),
]

INIT = [
    Case("a tile larger than the work-group", "init", tile("    t[i] = i;\n" + SYNC + "    a[i] = t[15 - i]; // HERE"), BUFFER,
         "of local variable 't' that were not written before", times=8, leaves={0: 0}),
    Case("a tile with holes", "init", tile("    t[2 * i] = i;\n" + SYNC + "    a[i] = t[i]; // HERE"), BUFFER,
         "of local variable 't' that were not written before", times=4, leaves={1: 0, 2: 1}),
    Case("a tile of which some write", "init", tile("    if (i < 6)\n        t[i] = i;\n" + SYNC + "    a[i] = t[i]; // HERE", 8), BUFFER,
         "of local variable 't' that were not written before", times=2, leaves={5: 5, 6: 0}),
    Case("a tile that is written below", "init", tile("    a[i] = t[i]; // HERE\n" + SYNC + "    t[i] = i;\n" + SYNC + "    a[i] += t[i];", 8), BUFFER,
         "of local variable 't' that were not written before", times=8, leaves={3: 3}),
    Case("a tile that some rows are missing of", "init", tile("    t[4 * j + i] = i;\n" + SYNC + "    a[4 * j + i] = t[15 - 4 * j - i]; // HERE"), BUFFER,
         "of local variable 't' that were not written before", size=((4, 2), (4, 2)), times=8),
    Case("a loop that stops before the end", "init",
         shared("    int p[8], s = 0;\n    for (int n = 0; n < 7; n++)\n        p[n] = n;\n    a[i] = p[i]; // HERE"), BUFFER,
         "of private variable 'p' that were not written before", ((7, 0, 0), (7, 0, 0)), leaves={6: 6, 7: 0}),
    Case("a loop with another step", "init",
         shared("    int p[8];\n    for (int n = 0; n < 8; n += 2)\n        p[n] = n;\n    a[i] = p[0 + i]; // HERE"), BUFFER,
         "of private variable 'p' that were not written before", times=4, leaves={2: 2, 3: 0}),
    Case("a loop with a way out", "init",
         shared("    int p[8];\n    for (int n = 0; n < 8; n++) {\n        p[n] = n;\n        if (n == i)\n            break;\n    }\n    a[i] = p[(i + 1) % 8]; // HERE"),
         BUFFER, "of private variable 'p' that were not written before", times=7, leaves={7: 0, 3: 0}),
    Case("a loop that writes in some rounds", "init",
         shared("    int p[8];\n    for (int n = 0; n < 8; n++)\n        if (n != i)\n            p[n] = n;\n    a[i] = p[1 * i]; // HERE"),
         BUFFER, "of private variable 'p' that were not written before", times=8, leaves={3: 0}),
    Case("a loop around one of no rounds", "init",
         shared("    int p[8];\n    for (int n = 0; n < 8; n++)\n        for (int m = 0; m < b[0]; m++)\n            p[n] = m;\n    a[i] = p[i + 0]; // HERE",
                "global int *a, global const int *b"), [("zeros", 64), ("zeros", 64)], "of private variable 'p' that were not written before", times=8, leaves={3: 0}),
    Case("a read in the loop that writes", "init",
         shared("    int p[8], s = 0;\n    for (int n = 0; n < 8; n++) {\n        s += p[(n + 1) % 8]; // HERE\n        p[n] = n;\n    }\n    a[i] = s;"), BUFFER,
         "of private variable 'p' that were not written before", times=56),
]

INIT += [
    Case("a lane of a copy of a vector", "init",
         one("        float4 v, u;\n        v.xyz = (float3)(1, 2, 3);\n        u = v;\n        a[0] = u.x + u.w; // HERE"), BUFFER,
         "load of 4 bytes of private variable 'u' that were not written before", ((5, 0, 0), (5, 0, 0)), leaves={0: 1}),
    Case("a vector", "init", one("        float4 v;\n        a[0] = 7 + (int)dot(v, v); // HERE"), BUFFER,
         "load of 16 bytes of private variable 'v' that were not written before", ((5, 0, 0), (5, 0, 0)), leaves={0: 7}),
    Case("a vector that is copied and used", "init",
         one("        float4 v, u, w;\n        u = v; // HERE\n        w = u;\n        a[0] = 7 + (int)dot(w, u);"), BUFFER,
         "load of 16 bytes of private variable 'v' that were not written before", ((5, 0, 0), (5, 0, 0)), leaves={0: 7}),
]

BOUNDS = [
    Case("a counted loop that ends outside", "bounds", shared("    int s = 0;\n    for (int m = 0; m < n; m++)\n        s += b[m]; // HERE\n    a[i] = s;",
                                                               "global int *a, global const int *b, int n"), [*PAIR, 17],
         "load of 4 bytes at offset 64 of argument 'b'", times=8, leaves={0: 120}),
    Case("a counted loop from a row on", "bounds", shared("    int s = 0;\n    for (int m = 0; m < 9; m++)\n        s += b[i + m]; // HERE\n    a[i] = s;",
                                                           "global int *a, global const int *b"), [("buffer", 64), ("buffer", 60)],
         "load of 4 bytes at offset 60 of argument 'b'", ((7, 0, 0), (7, 0, 0))),
    Case("a counted loop in local memory", "bounds",
         tile("    for (int m = 0; m < 3; m++)\n        t[8 * m + i] = m; // HERE\n" + SYNC + "    a[i] = t[8 + i];"), BUFFER,
         "of local variable 't', which has 64 bytes", times=8, leaves={0: 1}),
    Case("a counted loop with a step over the end", "bounds",
         shared("    int s = 0;\n    for (int m = 0; m < n; m += 5)\n        s += b[m + 1]; // HERE\n    a[i] = s;", "global int *a, global const int *b, int n"),
         [*PAIR, 16], "load of 4 bytes at offset 64 of argument 'b'", times=8),
    Case("what is behind a counted loop", "bounds",
         shared("    int m;\n    if (i != 5)\n        return;\n    for (m = 0; m < 16; m++)\n        b[m] = m;\n    for (int o = 0; o < 1; o++)\n        b[m] = 7; // HERE", "global int *a, global int *b"),
         PAIR, "store of 4 bytes at offset 64 of argument 'b'", ((5, 0, 0), (5, 0, 0))),
]

RIGHT = [
    Case("three numbers in a vector of four", "",
         "float4 f(float x) {\n    float4 v;\n    v.x = x;\n    v.y = x + 1;\n    v.z = x + 2;\n    return v;\n}\n"
         + one("        float4 v = f(3), u;\n        u = v * 2;\n        a[0] = u.x + u.y + u.z + dot(v.xyz, v.xyz);"), BUFFER, "", leaves={0: 74}),
    Case("rows that touch", "", shared("    a[get_global_id(1) * n + g] = i;\n    a[get_global_id(1) * n + g] += 1;", ROW), [("zeros", 128), 16], "",
         size=FLAT, leaves={0: 1, 31: 8}),
    Case("own bytes by a loop", "", shared("    for (int m = 0; m < 2; m++)\n        a[2 * g + m] = m;"), [("zeros", 64)], "", leaves={0: 0, 15: 1}),
    Case("a product of matrices", "",
         "kernel void k(global int *c, global const int *a, global const int *b, int n) {\n    local int s[4][4], t[4][4];\n"
         "    int i = get_local_id(0), j = get_local_id(1), x = get_global_id(0), y = get_global_id(1), sum = 0;\n    for (int m = 0; m < n; m += 4) {\n"
         "        s[j][i] = a[y * n + m + i];\n        t[j][i] = b[(m + j) * n + x];\n" + SYNC
         + "        for (int o = 0; o < 4; o++)\n            sum += s[j][o] * t[o][i];\n" + SYNC + "    }\n    c[y * n + x] = sum;\n}\n",
         [("zeros", 256), ("buffer", 256), ("buffer", 256), 8], "", size=((8, 8), (4, 4)), leaves={0: 1120, 63: 16996}),
    Case("a tile of the work-group's size", "", tile("    t[i + 8 * j] = i + j;\n" + SYNC + "    a[i + 8 * j] = t[15 - i - 8 * j];"), BUFFER, "",
         size=((8, 2), (8, 2)), leaves={0: 8, 15: 0}),
    Case("an array that a loop fills", "", shared("    int p[8], s = 0;\n    for (int n = 0; n < 8; n++)\n        p[n] = n;\n"
                                                  "    for (int n = 0; n < 64; n++)\n        s += p[n * i & 7];\n    a[i] = s;"), BUFFER, "", leaves={0: 0, 1: 224}),
]

CASES = OTHERS + RACES + INIT + BOUNDS + RIGHT
