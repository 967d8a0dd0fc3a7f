unsigned long int const a = 1;
long unsigned b, *c, d[2][3];
int signed short e; char signed f; unsigned g; long long unsigned h;
typedef unsigned int uint;
typedef float3 vec;
uint u; vec v; size_t s; ptrdiff_t p;
uchar16 c16; half8 h8; double2 d2; ulong3 l3;
constant float table[] = {1.0f, 2.5f, 3e-2f,};
__constant int4 vectors[2] = {(int4)(1, 2, 3, 4), {5, 6, 7, 8}};
int (*fp)(int, float), *(*afp[3])(void);
int (*returns_pointer(int x))[4];
void old();
static inline float helper(float x) { return x; }
extern int variadic(const char *format, ...);
struct point { int x, y; struct { float z; }; union { int i; float f; } u; unsigned bits : 3, : 2, more : 4; };
struct point pt = { .x = 1, .u.f = 2.0f, y: 3 };
int sparse[4] = { [2] = 7, [0] = 1 };
typedef struct node { struct node *next; int value; } node_t __attribute__((aligned(16)));
typedef struct __attribute__((packed)) { char c; int i; } packed_t;
struct late { char c; } __attribute__((__packed__)) late1;
enum color { RED, GREEN = 2, BLUE, } col;
typedef enum { A = 1 << 3 } flags;
kernel void args(global const float *restrict in, __local int *l, constant uint *k,
    read_only image2d_t img, write_only __global float4 *out, sampler_t smp,
    int n, float array[16], int grid[static 4][8], void (*f)(int), uint2, int (node_t)) {}
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) __attribute__((vec_type_hint(float4))) void hinted(void) {}
void __attribute__((always_inline)) inl(int) __attribute__((const));
int __attribute__((aligned(8))) x1, x2 __attribute__((aligned(4))) = 3;
global int *constant *volatile gp;
typeof(int *) t1; __typeof__(1 + 2) t2;
_Static_assert(sizeof(int) == 4, "int");
_Atomic int at; _Atomic(long) al; atomic_int ai;
volatile __global float * const __restrict__ q;
