// Includes Khronos' header and then Hekla's in C++, and calls a function of each: `offline_interface.rs` compiles and runs it.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include "hekla.h"

#include <cstdio>
#include <cstring>

// The types are those of the documentation, in C++ as well.
static hekla_program (*const compile)(const void *, size_t, const hekla_compile_info *, cl_int *) = heklaCompile;
static_assert(sizeof(clGetDeviceCooperativeMatrixInfoKHR_fn) == sizeof(void *), "a function");
static_assert(sizeof(cl_device_cooperative_matrix_variant_khr) == 32, "eight words");
static const hekla_reflection *(*const reflect)(hekla_program) = heklaProgramReflection;

int main()
{
    cl_uint platforms = 0;
    const char text[] = "kernel void k(global int *p, local int *q, queue_t r) { *p = *q; }";
    hekla_compile_info info = {sizeof info, HEKLA_TARGET_GENERIC, "-cl-std=CL3.0", "k.cl", 0, nullptr};
    cl_int code = CL_INVALID_VALUE;
    // Without a device the code is another one; the program links in any case.
    clGetPlatformIDs(0, nullptr, &platforms);
    hekla_program program = compile(text, std::strlen(text), &info, &code);
    const hekla_reflection *reflection = reflect(program);
    if (reflection == nullptr || reflection->num_kernels != 1) {
        std::printf("error %d\n%s", code, heklaProgramLog(program));
        return 1;
    }
    const hekla_kernel &kernel = reflection->kernels[0];
    std::printf("%s: %u %u %u\n", kernel.name, kernel.arguments[0].kind, kernel.arguments[1].kind,
                kernel.arguments[2].kind);
    return heklaReleaseProgram(program) == CL_SUCCESS ? 0 : 1;
}
