/* Compiles an OpenCL C or OpenCL SPIR-V file with libhekla.so, without a device, and tells what a program on Vulkan needs
 * to run its kernels: the compiler's C interface (docs/offline.md).
 *
 * Khronos' OpenCL headers must be installed (Debian: opencl-c-headers).
 *
 *     cc examples/offline.c -Iinclude -Ltarget/release -lhekla -o offline
 *     LD_LIBRARY_PATH=target/release ./offline FILE [BUILD OPTIONS]
 *
 * Each kernel's module is written to KERNEL.spv in the current folder. */

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include "hekla.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a file's bytes; NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0, count = 0;
    if (file == NULL)
        return NULL;
    do {
        if (count == room) {
            char *larger = realloc(bytes, room = 2 * room + 4096);
            if (larger == NULL)
                break;
            bytes = larger;
        }
        *size = count += fread(bytes + count, 1, room - count, file);
    } while (count == room);
    fclose(file);
    return bytes;
}

/* Writes a kernel's module. */
static int write_module(const struct hekla_kernel *kernel)
{
    char path[256];
    FILE *file;
    snprintf(path, sizeof path, "%s.spv", kernel->name);
    file = fopen(path, "wb");
    if (file == NULL)
        return 0;
    size_t written = fwrite(kernel->words, sizeof *kernel->words, kernel->num_words, file);
    return fclose(file) == 0 && written == kernel->num_words;
}

static void describe(const struct hekla_kernel *kernel)
{
    static const char *const kinds[] = {"value",   "buffer", "local", "image",
                                        "sampler", "pipe",   "queue"};
    printf("kernel %s: magic %08x, %zu words, %u bytes of arguments in %s\n", kernel->name, kernel->words[0],
           kernel->num_words, kernel->argument_buffer_size,
           kernel->arguments_in_push_constants ? "push constants" : "a buffer");
    for (size_t i = 0; i < kernel->num_arguments; i++) {
        const struct hekla_argument *argument = &kernel->arguments[i];
        printf("  %s %s: %s", argument->type_name, argument->name, kinds[argument->kind]);
        if (argument->kind == HEKLA_ARGUMENT_LOCAL)
            printf(", its offset is specialization constant %u\n", argument->specialization);
        else if (argument->offset == HEKLA_NO_OFFSET)
            printf(", not read\n");
        else
            printf(", %u bytes at %u\n", argument->size, argument->offset);
    }
}

int main(int argc, char **argv)
{
    struct hekla_compile_info info = {sizeof info, HEKLA_TARGET_GENERIC, NULL, NULL, 0, NULL};
    char options[1024] = "-cl-kernel-arg-info";
    size_t size = 0;
    cl_int code;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [BUILD OPTIONS]\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        size_t length = strlen(options);
        snprintf(options + length, sizeof options - length, " %s", argv[i]);
    }
    char *input = read_file(argv[1], &size);
    if (input == NULL) {
        perror(argv[1]);
        return 1;
    }
    info.options = options;
    info.file_name = argv[1];
    hekla_program program = heklaCompile(input, size, &info, &code);
    free(input);
    const char *log = heklaProgramLog(program);
    if (log != NULL)
        fputs(log, stderr);
    const struct hekla_reflection *reflection = heklaProgramReflection(program);
    if (code != CL_SUCCESS || reflection == NULL) {
        fprintf(stderr, "error %d\n", code);
        heklaReleaseProgram(program);
        return 1;
    }
    for (size_t i = 0; i < reflection->num_kernels; i++) {
        describe(&reflection->kernels[i]);
        if (!write_module(&reflection->kernels[i]))
            perror(reflection->kernels[i].name);
    }
    printf("program-scope variables: %llu bytes\n", (unsigned long long)reflection->data_size);
    printf("%s", heklaProgramReflectionJson(program));
    return heklaReleaseProgram(program) == CL_SUCCESS ? 0 : 1;
}
