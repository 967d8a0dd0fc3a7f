//! cl_khr_cooperative_matrix (a draft; OpenCL C as in clang's)

//# accept: a product of halves is summed in float
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 210 0xfffffff0 173 0xfffffff6 0xffffff67 6 0xffffff24 221
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: or in half
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 210 0xfffffff0 173 0xfffffff6 0xffffff67 6 0xffffff24 221
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local half z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (half)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: a product of signed integers
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 210 0xfffffff0 173 0xfffffff6 0xffffff67 6 0xffffff24 221
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(char, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(char, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(int, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local char x[64], y[64];
    local int z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (char)((i * 3 + 1) % 7 - 3);
        y[i] = (char)((i * 5 + 2) % 9 - 4);
        z[i] = (int)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: a product of unsigned integers
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 0x498ed2 0x2c3ff0 0x44a7ad 0x300ff6 0x2d5a67 0x45c406 0x286d24 0x498edd
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(uchar, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(uchar, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(uint, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local uchar x[64], y[64];
    local uint z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (uchar)((i * 3 + 1) % 7 - 3);
        y[i] = (uchar)((i * 5 + 2) % 9 - 4);
        z[i] = (uint)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: columns may be stored one after the other
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 150 0xffffff5a 0xffffffe7 0xffffff93 36 84 20 161
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    a = coop_mat_load(x, COLUMNS, 8);
    b = coop_mat_load(y, COLUMNS, 8);
    c = coop_mat_mulAdd(a, b, c);
    coop_mat_store(z, c, COLUMNS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    c = coop_mat_load(z, COLUMNS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: operators are of each element (float)
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 151 165 122 172 110 151 165 122
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    C d = (-c + c * c) * (float)3;
    d -= (float)3 * c;
    C three = coop_mat_init(3);
    c = d / three;
    for (uint i = 0; i < coop_mat_length(c); i++) c[i] += 2;
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: operators are of each element (int)
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 151 165 122 172 110 151 165 122
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(char, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(char, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(int, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local char x[64], y[64];
    local int z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (char)((i * 3 + 1) % 7 - 3);
        y[i] = (char)((i * 5 + 2) % 9 - 4);
        z[i] = (int)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    C d = (-c + c * c) * (int)3;
    d -= (int)3 * c;
    C three = coop_mat_init(3);
    c = d / three;
    for (uint i = 0; i < coop_mat_length(c); i++) c[i] += 2;
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: matrices are kept in arrays and passed to functions
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 5679 71 4538 422 0xfffff1ba 783 0xffffed27 5690
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
C twice(C m) { return m + m; }
C filled(int n) { C m = coop_mat_init(n); return m; }
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    C sums[2][2] = {{c}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) sums[i][j] = filled(2 * i + j);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) sums[i][j] = coop_mat_mulAdd(a, b, sums[i][j]);
    for (int i = 0; i < 4; i++) c = c + twice(sums[i / 2][i % 2]);
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: conversions keep size and use
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 0xffffffc8 0xfffffff8 11 0xffffffc2 115 0xffffffc8 0xfffffff8 11
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) H;
typedef MAT(int, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) I;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    H h = (H)c;
    I i = (I)(c * 5.5f);
    c = (C)h + (C)i;
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: a condition chooses a whole matrix
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 0xffffff2e 16 0xffffff53 10 153 0xfffffffa 220 0xffffff23
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
typedef MAT(half, CLK_COOPERATIVE_MATRIX_A) A;
typedef MAT(half, CLK_COOPERATIVE_MATRIX_B) B;
typedef MAT(float, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local half x[64], y[64];
    local float z[64];
    for (int i = get_local_id(0); i < 64; i += get_local_size(0)) {
        x[i] = (half)((i * 3 + 1) % 7 - 3);
        y[i] = (half)((i * 5 + 2) % 9 - 4);
        z[i] = (float)(i % 5 - 2);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    A a = coop_mat_load(x, ROWS, 8);
    B b = coop_mat_load(y, ROWS, 8);
    C c = coop_mat_load(z, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    C d = coop_mat_mulAdd(a, b, c);
    for (int i = 0; i < 4; i++) c = i & 1 ? d : c + c;
    if (get_global_size(0) == 32) c = -c;
    coop_mat_store(z, c, ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) {
        int sum = 0;
        for (int i = 0; i < 8; i++) sum += (int)z[8 * get_local_id(0) + i] * (i + 1);
        out[get_local_id(0)] = sum;
    }
}

//# accept: work-items hold all elements together
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 64
kernel void test(global uint *out) {
    float __attribute__((coop_mat(memory_scope_sub_group, 8, 8, CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) c;
    c = coop_mat_init(1);
    uint all = sub_group_reduce_add(coop_mat_length(c));
    if (get_local_id(0) == 0) out[0] = all;
}

//# reject: scope, use and type must be known, and the device have the size
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# error: 1: invalid 'scope' argument of cooperative matrix attribute
//# error: 2: invalid 'use' argument of cooperative matrix attribute
//# error: 3: 'bool' is invalid cooperative matrix element type
//# error: 4: the device has no matrix of f32 with 3 rows and 5 columns for use Accumulator; it computes
typedef float __attribute__((coop_mat(1, 8, 8, 2))) X;
typedef float __attribute__((coop_mat(memory_scope_sub_group, 8, 8, 3))) Y;
typedef bool __attribute__((coop_mat(memory_scope_sub_group, 8, 8, 2))) Z;
typedef float __attribute__((coop_mat(memory_scope_sub_group, 3, 5, 2))) W;
kernel void test(global uint *out) {}

//# reject: what a load gives has the type of where it stands
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# error: 4: builtin return value should be assigned to cooperative matrix type variable
//# error: 5: builtin return value should be assigned to cooperative matrix type variable
//# error: 6: inconsistent between cooperative matrix element type and buffer pointer type
//# error: 7: incompatible cooperative matrix types
typedef float __attribute__((coop_mat(memory_scope_sub_group, 8, 8, 2))) C;
typedef half __attribute__((coop_mat(memory_scope_sub_group, 8, 8, 0))) A;
kernel void test(global float *p) {
    float x = coop_mat_load(p, 0, 8);
    coop_mat_init(1);
    A a = coop_mat_load(p, 0, 8);
    C c = a;
}

//# reject: without them neither types nor functions are there
//# requires: !cooperative_matrix
//# error: 1: use of attribute 'coop_mat' requires cl_khr_cooperative_matrix which this device does not offer
//# error: 3: use of 'coop_mat_length' requires cl_khr_cooperative_matrix which this device does not offer
typedef float __attribute__((coop_mat(4, 8, 8, 2))) C;
kernel void test(global uint *out) {
    out[0] = coop_mat_length(1);
}

//# accept: arrays of matrices may have any index
//# options: -cl-std=CL3.0
//# requires: cooperative_matrix
//# global: 32
//# local: 32
//# expect: 11 12 13 14 21 22 23 24
#define MAT(t, use) t __attribute__((coop_mat(memory_scope_sub_group, 8, 8, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
typedef MAT(int, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) C;
kernel void test(global uint *out) {
    local int z[8][64];
    C sums[2][4];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) {
            sums[i][j] = coop_mat_init(10 * i);
            for (uint e = 0; e < coop_mat_length(sums[i][j]); e++) sums[i][j][e] += j;
        }
    int eight = get_local_size(0) / 4;
    for (int i = 0; i < eight; i++) {
        C ones = coop_mat_init(11);
        sums[i % 2][i / 2] = sums[i % 2][i / 2] + ones;
    }
    for (int i = 0; i < eight; i++) coop_mat_store(z[i], sums[i / 4][i % 4], ROWS, 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 8) out[get_local_id(0)] = z[get_local_id(0)][9 * (get_local_id(0) % 7)];
}
