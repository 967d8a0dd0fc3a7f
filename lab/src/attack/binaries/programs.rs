//! The programs whose binaries are forged: one for each fact about kernels that a binary records.

/// How a program is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Make {
    /// Built from source.
    Build,
    /// Compiled from source, and left an object.
    Object,
    /// Compiled from source and linked to a library.
    Library,
    /// Two sources compiled, and linked to an executable.
    Link,
    /// Built from SPIR-V text.
    Module,
}

/// A program.
pub struct Source {
    pub name: &'static str,
    pub make: Make,
    pub options: &'static str,
    /// The program's texts: one, or two that are linked.
    pub texts: &'static [&'static str],
}

/// The options of most programs: their binaries have the names of arguments.
const USUAL: &str = "-cl-std=CL3.0 -cl-kernel-arg-info";

const fn build(name: &'static str, texts: &'static [&'static str]) -> Source {
    Source { name, make: Make::Build, options: USUAL, texts }
}

const fn made(name: &'static str, make: Make, texts: &'static [&'static str]) -> Source {
    Source { name, make, options: USUAL, texts }
}

const TRIPLE: &str = "uint triple(uint x) { return x * 3; }";
const CALLS_TRIPLE: &str = "uint triple(uint x);
kernel void calls(global uint *out, uint n) {
    out[get_global_id(0)] = triple(n) + get_global_id(0);
}";

/// All programs. Each needs what every device has, or is left out where it does not build.
pub const ALL: &[Source] = &[
    build(
        "plain",
        &["kernel void plain(global uint *out, uint n, global const uint *in) {
            size_t i = get_global_id(0); out[i] = in[i] * n + 1; }"],
    ),
    build(
        "loops",
        &["kernel void loops(global uint *out, uint n) {
            uint sum = 0;
            for (uint i = 0; i < n + 4; i++) if (out[i] & 1) sum += out[i]; else sum ^= i;
            out[get_global_id(0)] = sum; }"],
    ),
    build(
        "images",
        &["kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s,
                global float4 *to) {
            int2 at = (int2)(get_global_id(0), 0);
            to[at.x] = read_imagef(in, s, at);
            write_imagef(out, at, (float4)(at.x)); }"],
    ),
    build(
        "locals",
        &["kernel void locals(global uint *out, local uint *a, local uchar *b, local double *c) {
            local uint own[8];
            size_t i = get_local_id(0);
            a[i & 7] = i; b[i & 7] = i; own[i & 7] = out[i];
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = a[(i + 1) & 7] + b[i & 7] + own[(i + 2) & 7]; }"],
    ),
    build(
        "printf",
        &["kernel void prints(global uint *out, uint n) {
            printf(\"%u %s %f\\n\", n, \"text\", 1.5f); out[0] = n; }"],
    ),
    build(
        "variables",
        &["global uint counter = 5; global uint *global to = &counter;
        constant uint table[8] = {1, 2, 3, 5, 7, 11, 13, 17};
        kernel void variables(global uint *out) {
            size_t i = get_global_id(0); out[i] = *to + table[i & 7]; }"],
    ),
    build(
        "structs",
        &["typedef struct { char a; int b[3]; float4 c; struct { short d; long e; } f; } record;
        kernel void structs(global uint *out, record r, uint3 v, long l) {
            out[get_global_id(0)] = r.a + r.b[v.x & 1] + (int)r.c.w + r.f.d + (int)r.f.e + v.y + l; }"],
    ),
    build(
        "many arguments",
        &["kernel void many(global uint *a, ulong16 b, ulong16 c, float16 d, global uint *e, char f,
                constant uint *g, short h) {
            a[get_global_id(0)] = b.s3 + c.sf + (uint)d.s1 + e[0] + f + g[1] + h; }"],
    ),
    build(
        "sub-groups",
        &["kernel void groups(global uint *out) {
            out[get_global_id(0)] = sub_group_reduce_add((uint)get_global_id(0)) + get_sub_group_size(); }"],
    ),
    build(
        "attributes",
        &["kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global uint *out) {
            out[get_global_linear_id()] = get_local_size(0) + get_local_linear_id(); }
        kernel __attribute__((work_group_size_hint(8, 1, 1))) __attribute__((vec_type_hint(float4)))
        void hinted(global uint *out) {
            out[get_global_id(0)] = get_global_size(0) + get_work_dim() + get_global_offset(0)
                + get_num_groups(0) + get_group_id(0); }"],
    ),
    build(
        "private",
        &["kernel void stack(global uint *out, uint n) {
            uint a[32]; uint *p = a;
            for (uint i = 0; i < 32; i++) a[i] = out[i];
            for (uint i = 0; i < 32; i++) p = p == a + (n & 15) ? a : a + (out[i] & 31);
            *p = 7;
            out[get_global_id(0)] = a[n & 31]; }"],
    ),
    Source {
        name: "without names",
        make: Make::Build,
        options: "-cl-std=CL1.2 -cl-fast-relaxed-math",
        texts: &["kernel void nameless(global float *out, float x, local float *l) {
            l[get_local_id(0) & 15] = x; out[get_global_id(0)] = sin(x) / out[1] + l[0]; }"],
    },
    made("object", Make::Object, &[CALLS_TRIPLE, TRIPLE]),
    made("object of a library", Make::Object, &[TRIPLE, CALLS_TRIPLE]),
    made("library", Make::Library, &[TRIPLE, CALLS_TRIPLE]),
    made("linked", Make::Link, &[CALLS_TRIPLE, TRIPLE]),
    Source { name: "module", make: Make::Module, options: "", texts: &[MODULE] },
];

/// A short form of the module that clang makes.
const MODULE: &str = "OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %test \"test\" %id
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %factor SpecId 7
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%v3ulong = OpTypeVector %ulong 3
%pointer = OpTypePointer CrossWorkgroup %uint
%input = OpTypePointer Input %v3ulong
%type = OpTypeFunction %void %pointer %uint
%factor = OpSpecConstant %uint 3
%id = OpVariable %input Input
%test = OpFunction %void None %type
%out = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%entry = OpLabel
%all = OpLoad %v3ulong %id
%x = OpCompositeExtract %ulong %all 0
%at = OpInBoundsPtrAccessChain %pointer %out %x
%old = OpLoad %uint %at Aligned 4
%product = OpIMul %uint %old %factor
%sum = OpIAdd %uint %product %n
OpStore %at %sum Aligned 4
OpReturn
OpFunctionEnd
";
