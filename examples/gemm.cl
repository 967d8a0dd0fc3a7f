// C = A * B by the matrix units of a device (cl_khr_cooperative_matrix), or without them where USE_MATRICES is not
// defined. A has m x k elements of type T, B k x n, C m x n of type ACC, all row by row; m, n and k are multiples of BM, BN
// and BK. For bfloat16, T is ushort, and ELEMENT is __bf16, as matrices have it.
//
// A work-group computes BM x BN elements of C, each of its sub-groups SM x SN of them as matrices of TM x TN. Blocks of A
// and B of BK columns and rows go through local memory; the next ones are loaded while the current ones are multiplied.

#ifndef GROUP_ROWS
// Rows of blocks that neighbouring work-groups share, so that they find B in the cache.
#define GROUP_ROWS 8
#endif

#ifndef BUFFERS
// 2: there are two blocks each in local memory, and one barrier for each step instead of two.
#define BUFFERS 1
#endif

#ifndef LATE
// 1: the next blocks go to local memory behind the products of a step, rather than before those of the next.
#define LATE 0
#endif

#ifndef HELD
// What a sub-group holds of a step's factors: all of A and one of B at a time (0), all of both (1), or the next ones of both
// as well (2).
#define HELD 0
#endif

#ifndef PAD
// Vectors of 16 bytes behind each row in local memory, so that rows begin in different banks.
#define PAD 1
#endif

// Elements of a vector of 16 bytes.
#define WIDE (16 / (int)sizeof(T))

// Returns row and column of the block of C that a work-group computes.
inline int2 block_of_group(int m, int n)
{
    int group = get_group_id(0), columns = n / BN;
    int first = group / (GROUP_ROWS * columns) * GROUP_ROWS;
    int rows = min(m / BM - first, GROUP_ROWS);
    int in = group % (GROUP_ROWS * columns);
    return (int2)((first + in % rows) * BM, in / rows * BN);
}

#ifdef USE_MATRICES
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable

#ifndef ELEMENT
#define ELEMENT T
#endif

#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
typedef ELEMENT __attribute__((coop_mat(memory_scope_sub_group, TM, TK, CLK_COOPERATIVE_MATRIX_A))) MatA;
typedef ELEMENT __attribute__((coop_mat(memory_scope_sub_group, TK, TN, CLK_COOPERATIVE_MATRIX_B))) MatB;
typedef ACC __attribute__((coop_mat(memory_scope_sub_group, TM, TN, CLK_COOPERATIVE_MATRIX_ACCUMULATOR))) MatC;

// Work-items of a work-group.
#define ITEMS (BM / SM * (BN / SN) * SUB_GROUP)
// Elements from row to row in local memory.
#define STRIDE_A (BK + PAD * WIDE)
#define STRIDE_B (BN + PAD * WIDE)
// Vectors in a row of a block, and of a block for each work-item.
#define WIDE_A (BK / WIDE)
#define WIDE_B (BN / WIDE)
#define LOADS_A (BM * WIDE_A / ITEMS)
#define LOADS_B (BK * WIDE_B / ITEMS)
// Vectors of a block in local memory.
#define SIZE_A (BM * STRIDE_A / WIDE)
#define SIZE_B (BK * STRIDE_B / WIDE)
#define UNROLL __attribute__((opencl_unroll_hint))

// Matrices of a sub-group, below and beside each other, and steps of a block.
#define ROWS_OF (SM / TM)
#define COLUMNS_OF (SN / TN)
#define STEPS (BK / TK)

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm(global const T *restrict a, global const T *restrict b, global ACC *restrict c, int m, int n, int k)
{
    local uint4 rows_a[BUFFERS * SIZE_A], rows_b[BUFFERS * SIZE_B];
    int2 block = block_of_group(m, n);
    int item = get_local_id(0), sub_group = get_sub_group_id();
    int row = sub_group / (BN / SN) * SM, column = sub_group % (BN / SN) * SN;
    global const uint4 *wide_a = (global const uint4 *)a, *wide_b = (global const uint4 *)b;
    // Where this work-item's first vectors are; the others are whole rows of the block below.
    int from_a = ((block.x + item / WIDE_A) * k) / WIDE + item % WIDE_A;
    int from_b = (item / WIDE_B * n + block.y) / WIDE + item % WIDE_B;
    int to_a = item / WIDE_A * (STRIDE_A / WIDE) + item % WIDE_A;
    int to_b = item / WIDE_B * (STRIDE_B / WIDE) + item % WIDE_B;

    MatC sums[ROWS_OF][COLUMNS_OF];
    UNROLL for (int i = 0; i < ROWS_OF; i++)
        UNROLL for (int j = 0; j < COLUMNS_OF; j++)
            sums[i][j] = coop_mat_init(0);

    uint4 next_a[LOADS_A], next_b[LOADS_B];
    UNROLL for (int l = 0; l < LOADS_A; l++) next_a[l] = wide_a[from_a + l * (ITEMS / WIDE_A) * (k / WIDE)];
    UNROLL for (int l = 0; l < LOADS_B; l++) next_b[l] = wide_b[from_b + l * (ITEMS / WIDE_B) * (n / WIDE)];
    if (LATE) {
        UNROLL for (int l = 0; l < LOADS_A; l++) rows_a[to_a + l * (ITEMS / WIDE_A) * (STRIDE_A / WIDE)] = next_a[l];
        UNROLL for (int l = 0; l < LOADS_B; l++) rows_b[to_b + l * (ITEMS / WIDE_B) * (STRIDE_B / WIDE)] = next_b[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int at = 0; at < k; at += BK) {
        int buffer = at / BK % BUFFERS, other = (at / BK + 1) % BUFFERS;
        local T *tile_a = (local T *)(rows_a + buffer * SIZE_A), *tile_b = (local T *)(rows_b + buffer * SIZE_B);
        local uint4 *put_a = rows_a + (LATE ? other : buffer) * SIZE_A, *put_b = rows_b + (LATE ? other : buffer) * SIZE_B;
        if (!LATE) {
            UNROLL for (int l = 0; l < LOADS_A; l++) put_a[to_a + l * (ITEMS / WIDE_A) * (STRIDE_A / WIDE)] = next_a[l];
            UNROLL for (int l = 0; l < LOADS_B; l++) put_b[to_b + l * (ITEMS / WIDE_B) * (STRIDE_B / WIDE)] = next_b[l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        // The last blocks are loaded once more, rather than any beyond the end.
        int step = at + BK < k;
        from_a += step * WIDE_A;
        from_b += step * BK * (n / WIDE);
        UNROLL for (int l = 0; l < LOADS_A; l++) next_a[l] = wide_a[from_a + l * (ITEMS / WIDE_A) * (k / WIDE)];
        UNROLL for (int l = 0; l < LOADS_B; l++) next_b[l] = wide_b[from_b + l * (ITEMS / WIDE_B) * (n / WIDE)];
#if HELD == 0
        UNROLL for (int inner = 0; inner < BK; inner += TK) {
            MatA factors[ROWS_OF];
            UNROLL for (int i = 0; i < ROWS_OF; i++)
                factors[i] = coop_mat_load(tile_a + (row + i * TM) * STRIDE_A + inner, ROWS, STRIDE_A);
            UNROLL for (int j = 0; j < COLUMNS_OF; j++) {
                MatB factor = coop_mat_load(tile_b + inner * STRIDE_B + column + j * TN, ROWS, STRIDE_B);
                UNROLL for (int i = 0; i < ROWS_OF; i++)
                    sums[i][j] = coop_mat_mulAdd(factors[i], factor, sums[i][j]);
            }
        }
#else
        MatA held_a[HELD][ROWS_OF];
        MatB held_b[HELD][COLUMNS_OF];
        // Loads run ahead of products by HELD - 1.
        UNROLL for (int load = 0; load < STEPS + HELD - 1; load++) {
            if (load < STEPS) {
                UNROLL for (int i = 0; i < ROWS_OF; i++)
                    held_a[load % HELD][i] = coop_mat_load(tile_a + (row + i * TM) * STRIDE_A + load * TK, ROWS, STRIDE_A);
                UNROLL for (int j = 0; j < COLUMNS_OF; j++)
                    held_b[load % HELD][j] = coop_mat_load(tile_b + load * TK * STRIDE_B + column + j * TN, ROWS, STRIDE_B);
            }
            if (load + 1 >= HELD) {
                int of = (load + 1 - HELD) % HELD;
                UNROLL for (int i = 0; i < ROWS_OF; i++)
                    UNROLL for (int j = 0; j < COLUMNS_OF; j++)
                        sums[i][j] = coop_mat_mulAdd(held_a[of][i], held_b[of][j], sums[i][j]);
            }
        }
#endif
        if (BUFFERS == 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        if (LATE) {
            UNROLL for (int l = 0; l < LOADS_A; l++) put_a[to_a + l * (ITEMS / WIDE_A) * (STRIDE_A / WIDE)] = next_a[l];
            UNROLL for (int l = 0; l < LOADS_B; l++) put_b[to_b + l * (ITEMS / WIDE_B) * (STRIDE_B / WIDE)] = next_b[l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    UNROLL for (int i = 0; i < ROWS_OF; i++)
        UNROLL for (int j = 0; j < COLUMNS_OF; j++) {
            int place = (block.x + row + i * TM) * n + block.y + column + j * TN;
            coop_mat_store(c + place, sums[i][j], ROWS, n);
        }
}
#else

// Without matrices: 16 x 16 work-items with 4 x 4 elements each.
#undef BM
#undef BN
#undef BK
#define BM 64
#define BN 64
#define BK 16

#ifdef LOADS_HALF
// The device has half in memory alone.
#define LOAD(from, at) vload_half(at, from)
#elif defined(ELEMENT)
// bfloat16 are the upper halves of floats.
#define LOAD(from, at) as_float((uint)(from)[at] << 16)
#else
#define LOAD(from, at) (ACC)(from)[at]
#endif

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gemm(global const T *restrict a, global const T *restrict b, global ACC *restrict c, int m, int n, int k)
{
    local ACC tile_a[BK][BM + 1], tile_b[BK][BN];
    int2 block = block_of_group(m, n);
    int item = get_local_id(0), row = item / 16 * 4, column = item % 16;
    ACC sums[4][4] = {{0}};
    for (int at = 0; at < k; at += BK) {
        for (int i = item; i < BM * BK; i += 256)
            tile_a[i % BK][i / BK] = LOAD(a, (block.x + i / BK) * k + at + i % BK);
        for (int i = item; i < BK * BN; i += 256)
            tile_b[i / BN][i % BN] = LOAD(b, (at + i / BN) * n + block.y + i % BN);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int inner = 0; inner < BK; inner++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += tile_a[inner][row + i] * tile_b[inner][column + 16 * j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(block.x + row + i) * n + block.y + column + 16 * j] = sums[i][j];
}
#endif
