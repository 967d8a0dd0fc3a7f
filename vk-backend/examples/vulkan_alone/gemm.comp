// The kernel of examples/gemm.cl by hand: the same blocks, local memory, loads and products, for `vulkan_alone gemm`.
//
// gemm.sh makes a module of it for each type of elements. Memory is accessed by vectors of 16 bytes, so that the types of
// matrices alone tell what elements are; sizes are specialization constants.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(constant_id = 0) const int TM = 16;
layout(constant_id = 1) const int TN = 16;
layout(constant_id = 2) const int TK = 16;
layout(constant_id = 3) const int SM = 64;
layout(constant_id = 4) const int SN = 64;
layout(constant_id = 5) const int BM = 128;
layout(constant_id = 6) const int BN = 128;
layout(constant_id = 7) const int BK = 64;
layout(constant_id = 8) const int ITEMS = 128;
layout(constant_id = 9) const int BUFFERS = 1;
layout(constant_id = 10) const int GROUP_ROWS = 8;
// Vectors of 16 bytes behind each row in local memory.
layout(constant_id = 11) const int PAD = 1;
// As the macros of gemm.cl.
layout(constant_id = 12) const int LATE = 0;
layout(constant_id = 13) const int HELD = 0;
layout(local_size_x_id = 8, local_size_y = 1, local_size_z = 1) in;

// Elements of a vector of 16 bytes; vectors from row to row in local memory, in a row, for each work-item, of a block.
const int WIDE = 16 / BYTES;
const int STRIDE_A = BK / WIDE + PAD, STRIDE_B = BN / WIDE + PAD;
const int WIDE_A = BK / WIDE, WIDE_B = BN / WIDE;
const int LOADS_A = BM * WIDE_A / ITEMS, LOADS_B = BK * WIDE_B / ITEMS;
const int SIZE_A = BM * STRIDE_A, SIZE_B = BK * STRIDE_B;
const int ROWS = SM / TM, COLUMNS = SN / TN, STEPS = BK / TK;
// An array has at least one element.
const int KEPT = HELD > 0 ? HELD : 1;

#define MatA coopmat<T, gl_ScopeSubgroup, TM, TK, gl_MatrixUseA>
#define MatB coopmat<T, gl_ScopeSubgroup, TK, TN, gl_MatrixUseB>
#define MatC coopmat<ACC, gl_ScopeSubgroup, TM, TN, gl_MatrixUseAccumulator>
#define BY_ROWS gl_CooperativeMatrixLayoutRowMajor

layout(buffer_reference, std430, buffer_reference_align = 16) restrict readonly buffer Factor { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) restrict writeonly buffer Sums { ACC at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments
{
    Factor a, b;
    Sums c;
    int m, n, k;
};
layout(push_constant) uniform Place { Arguments arguments; };

shared uvec4 rows_a[BUFFERS * SIZE_A];
shared uvec4 rows_b[BUFFERS * SIZE_B];

ivec2 block_of_group(int m, int n)
{
    int group = int(gl_WorkGroupID.x), columns = n / BN;
    int first = group / (GROUP_ROWS * columns) * GROUP_ROWS;
    int rows = min(m / BM - first, GROUP_ROWS);
    int inside = group % (GROUP_ROWS * columns);
    return ivec2((first + inside % rows) * BM, inside / rows * BN);
}

void main()
{
    Factor a = arguments.a, b = arguments.b;
    Sums c = arguments.c;
    int m = arguments.m, n = arguments.n, k = arguments.k;
    ivec2 block = block_of_group(m, n);
    int item = int(gl_LocalInvocationIndex), sub_group = int(gl_SubgroupID);
    int row = sub_group / (BN / SN) * SM, column = sub_group % (BN / SN) * SN;
    int from_a = ((block.x + item / WIDE_A) * k) / WIDE + item % WIDE_A;
    int from_b = (item / WIDE_B * n + block.y) / WIDE + item % WIDE_B;
    int to_a = item / WIDE_A * STRIDE_A + item % WIDE_A;
    int to_b = item / WIDE_B * STRIDE_B + item % WIDE_B;

    MatC sums[ROWS][COLUMNS];
    [[unroll]] for (int i = 0; i < ROWS; i++)
        [[unroll]] for (int j = 0; j < COLUMNS; j++)
            sums[i][j] = MatC(0);

    uvec4 next_a[LOADS_A], next_b[LOADS_B];
    [[unroll]] for (int l = 0; l < LOADS_A; l++) next_a[l] = a.at[from_a + l * (ITEMS / WIDE_A) * (k / WIDE)];
    [[unroll]] for (int l = 0; l < LOADS_B; l++) next_b[l] = b.at[from_b + l * (ITEMS / WIDE_B) * (n / WIDE)];

    if (LATE == 1) {
        [[unroll]] for (int l = 0; l < LOADS_A; l++) rows_a[to_a + l * (ITEMS / WIDE_A) * STRIDE_A] = next_a[l];
        [[unroll]] for (int l = 0; l < LOADS_B; l++) rows_b[to_b + l * (ITEMS / WIDE_B) * STRIDE_B] = next_b[l];
        barrier();
    }

    for (int at = 0; at < k; at += BK) {
        int buffered = at / BK % BUFFERS, other = LATE == 1 ? (at / BK + 1) % BUFFERS : buffered;
        int now_a = buffered * SIZE_A, now_b = buffered * SIZE_B;
        int put_a = other * SIZE_A + to_a, put_b = other * SIZE_B + to_b;
        if (LATE == 0) {
            [[unroll]] for (int l = 0; l < LOADS_A; l++) rows_a[put_a + l * (ITEMS / WIDE_A) * STRIDE_A] = next_a[l];
            [[unroll]] for (int l = 0; l < LOADS_B; l++) rows_b[put_b + l * (ITEMS / WIDE_B) * STRIDE_B] = next_b[l];
            barrier();
        }
        int next = at + BK < k ? 1 : 0;
        from_a += next * WIDE_A;
        from_b += next * BK * (n / WIDE);
        [[unroll]] for (int l = 0; l < LOADS_A; l++) next_a[l] = a.at[from_a + l * (ITEMS / WIDE_A) * (k / WIDE)];
        [[unroll]] for (int l = 0; l < LOADS_B; l++) next_b[l] = b.at[from_b + l * (ITEMS / WIDE_B) * (n / WIDE)];
        if (HELD == 0) {
            [[unroll]] for (int inner = 0; inner < BK; inner += TK) {
                MatA factors[ROWS];
                [[unroll]] for (int i = 0; i < ROWS; i++)
                    coopMatLoad(factors[i], rows_a, now_a + (row + i * TM) * STRIDE_A + inner / WIDE, STRIDE_A, BY_ROWS);
                [[unroll]] for (int j = 0; j < COLUMNS; j++) {
                    MatB factor;
                    coopMatLoad(factor, rows_b, now_b + inner * STRIDE_B + (column + j * TN) / WIDE, STRIDE_B, BY_ROWS);
                    [[unroll]] for (int i = 0; i < ROWS; i++)
                        sums[i][j] = coopMatMulAdd(factors[i], factor, sums[i][j]);
                }
            }
        } else {
            MatA held_a[KEPT][ROWS];
            MatB held_b[KEPT][COLUMNS];
            [[unroll]] for (int load = 0; load < STEPS + HELD - 1; load++) {
                if (load < STEPS) {
                    int from = now_a + load * TK / WIDE;
                    [[unroll]] for (int i = 0; i < ROWS; i++)
                        coopMatLoad(held_a[load % KEPT][i], rows_a, from + (row + i * TM) * STRIDE_A, STRIDE_A, BY_ROWS);
                    from = now_b + load * TK * STRIDE_B;
                    [[unroll]] for (int j = 0; j < COLUMNS; j++)
                        coopMatLoad(held_b[load % KEPT][j], rows_b, from + (column + j * TN) / WIDE, STRIDE_B, BY_ROWS);
                }
                if (load + 1 >= HELD) {
                    int of = (load + 1 - HELD) % KEPT;
                    [[unroll]] for (int i = 0; i < ROWS; i++)
                        [[unroll]] for (int j = 0; j < COLUMNS; j++)
                            sums[i][j] = coopMatMulAdd(held_a[of][i], held_b[of][j], sums[i][j]);
                }
            }
        }
        if (BUFFERS == 1)
            barrier();
        if (LATE == 1) {
            [[unroll]] for (int l = 0; l < LOADS_A; l++) rows_a[put_a + l * (ITEMS / WIDE_A) * STRIDE_A] = next_a[l];
            [[unroll]] for (int l = 0; l < LOADS_B; l++) rows_b[put_b + l * (ITEMS / WIDE_B) * STRIDE_B] = next_b[l];
            barrier();
        }
    }
    [[unroll]] for (int i = 0; i < ROWS; i++)
        [[unroll]] for (int j = 0; j < COLUMNS; j++)
            coopMatStore(sums[i][j], c.at, (block.x + row + i * TM) * n + block.y + column + j * TN, n, BY_ROWS);
}
