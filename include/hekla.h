/* libhekla.so's own C interface: the offline compiler, for programs that bring kernels to Vulkan themselves.
 * docs/offline.md describes it, and examples/offline.c uses it. And a callback for HEKLA_CHECK (docs/check.md).
 *
 * Needs C99 or C++, and Khronos' OpenCL headers for types, error codes and OpenCL's own functions, which libhekla.so
 * exports as well.
 *
 * Written by cbindgen from icd/src; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0 */

#ifndef HEKLA_H
#define HEKLA_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR

/**
 * cl_khr_cooperative_matrix, a draft (OpenCL-Docs pull request 1533). clGetExtensionFunctionAddressForPlatform finds
 * clGetDeviceCooperativeMatrixInfoKHR.
 */
#define cl_khr_cooperative_matrix 1

/**
 * Asks clGetDeviceCooperativeMatrixInfoKHR for the products (cl_device_cooperative_matrix_variant_khr[]) of sub-groups of
 * the default size. There is no input.
 */
#define CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR 0x1078

/**
 * Asks clGetDeviceCooperativeMatrixInfoKHR for the products of sub-groups of the size that the input (cl_uint) is.
 */
#define CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR 0x1079

/**
 * Asks clGetDeviceInfo for the alignment in bytes (cl_uint) of pointers that matrices are loaded from and stored to.
 */
#define CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR 0x107A

/**
 * Asks clGetDeviceInfo for the number of bytes (cl_uint) that strides are multiples of.
 */
#define CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR 0x107B

/**
 * A query of clGetDeviceCooperativeMatrixInfoKHR.
 */
typedef cl_uint cl_device_cooperative_matrix_info_khr;

/**
 * The type of a matrix's elements: 0 to 2 half, float and double; 3 to 6 integers with a sign of 8 to 64 bits; 7 to 10
 * those without.
 */
typedef cl_uint cl_device_cooperative_matrix_component_type_khr;

/**
 * A product that a cooperative_matrix device computes: A * B + C.
 */
typedef struct cl_device_cooperative_matrix_variant_khr {
  /**
   * Rows of A, C and the result.
   */
  cl_uint m_size;
  /**
   * Columns of B, C and the result.
   */
  cl_uint n_size;
  /**
   * Columns of A and rows of B.
   */
  cl_uint k_size;
  /**
   * Elements of A.
   */
  cl_device_cooperative_matrix_component_type_khr a_type;
  /**
   * Elements of B.
   */
  cl_device_cooperative_matrix_component_type_khr b_type;
  /**
   * Elements of C.
   */
  cl_device_cooperative_matrix_component_type_khr c_type;
  /**
   * Elements of the result.
   */
  cl_device_cooperative_matrix_component_type_khr result_type;
  /**
   * CL_TRUE if the sum saturates.
   */
  cl_bool saturating_accumulation;
} cl_device_cooperative_matrix_variant_khr;

/**
 * The type of clGetDeviceCooperativeMatrixInfoKHR.
 */
typedef cl_int(CL_API_CALL *clGetDeviceCooperativeMatrixInfoKHR_fn)(
    cl_device_id device, cl_device_cooperative_matrix_info_khr param_name, size_t input_value_size,
    const void *input_value, size_t param_value_size, void *param_value, size_t *param_value_size_ret);

#endif

/**
 * Compiles for a device that has 64-, 16- and 8-bit integers, storage of 8 and 16 bits, and double.
 */
#define HEKLA_TARGET_GENERIC 0

/**
 * Compiles for a device that has 32-bit integers and float alone. A program that uses double has errors.
 */
#define HEKLA_TARGET_MINIMAL 1

/**
 * An argument of a scalar, vector or structure type. The argument buffer holds its bytes.
 */
#define HEKLA_ARGUMENT_VALUE 0

/**
 * A pointer to global or constant memory. The argument buffer holds a 64-bit device address.
 */
#define HEKLA_ARGUMENT_BUFFER 1

/**
 * A pointer to local memory. The argument buffer holds nothing of it: a specialization constant is its byte offset in
 * the work-group's memory.
 */
#define HEKLA_ARGUMENT_LOCAL 2

/**
 * An image. The argument buffer holds a 32-bit word: bits 0 to 15 are the number of its descriptor in the array of
 * descriptors, bits 16 to 20 the channel order less 0x10B0, bits 21 to 25 the channel data type less 0x10D0.
 */
#define HEKLA_ARGUMENT_IMAGE 3

/**
 * A sampler. The argument buffer holds a 32-bit word: bit 0 is set for normalized coordinates, bits 1 to 3 are the
 * addressing mode (0 none, 1 clamp to edge, 2 clamp, 3 repeat, 4 mirrored repeat), bit 4 is set for a linear filter.
 */
#define HEKLA_ARGUMENT_SAMPLER 4

/**
 * A pipe. The argument buffer holds the 64-bit device address of the pipe's buffer.
 */
#define HEKLA_ARGUMENT_PIPE 5

/**
 * A queue_t. The argument buffer holds a 64-bit handle, which only the OpenCL driver makes.
 */
#define HEKLA_ARGUMENT_QUEUE 6

/**
 * Three 64-bit numbers: the global id of the first work-item of the dispatch, global offset included.
 */
#define HEKLA_FIELD_GLOBAL_BASE 0

/**
 * Three 64-bit numbers: the id of the first work-group of the dispatch.
 */
#define HEKLA_FIELD_GROUP_BASE 1

/**
 * Three 64-bit numbers: the global offset of the launch, in work-items.
 */
#define HEKLA_FIELD_GLOBAL_OFFSET 2

/**
 * Three 64-bit numbers: the global size of the launch, in work-items.
 */
#define HEKLA_FIELD_GLOBAL_SIZE 3

/**
 * Three 64-bit numbers: the work-groups of the launch.
 */
#define HEKLA_FIELD_NUM_GROUPS 4

/**
 * Three 32-bit numbers: the local size of the launch, in work-items.
 */
#define HEKLA_FIELD_ENQUEUED_LOCAL_SIZE 5

/**
 * A 32-bit number: the dimensions of the launch, 1 to 3.
 */
#define HEKLA_FIELD_WORK_DIM 6

/**
 * A 64-bit device address: of the buffer of program-scope variables.
 */
#define HEKLA_FIELD_DATA_ADDRESS 7

/**
 * A 64-bit device address: of the buffer that printf writes to.
 */
#define HEKLA_FIELD_PRINTF_BUFFER 8

/**
 * A 64-bit device address: of four bytes, which must be the same ones in all launches.
 */
#define HEKLA_FIELD_ORDER_WORD 9

/**
 * Three 32-bit numbers: the work-items of the dispatch, beyond which work-items do nothing where the module is
 * specialized for it.
 */
#define HEKLA_FIELD_BOUNDS 10

/**
 * A 64-bit device address: of what a kernel that enqueues kernels writes to. Only the OpenCL driver runs such kernels.
 */
#define HEKLA_FIELD_QUEUE_CONTEXT 11

/**
 * The offset of an argument that is not in the argument buffer: the kernel does not read it, or it is a local one.
 */
#define HEKLA_NO_OFFSET 4294967295

/**
 * A compiled program, or the log of one that has errors.
 */
typedef struct _hekla_program _hekla_program;

/**
 * The handle of a program.
 *
 * heklaCompile returns it, and its caller owns it until heklaReleaseProgram. Any thread may use it, several at once;
 * none may use it, or what it gave, during or after the call that releases it.
 */
typedef struct _hekla_program *hekla_program;

/**
 * The value of a specialization constant of OpenCL SPIR-V.
 */
typedef struct hekla_spec_value {
  /**
   * The constant's SpecId. A constant that the module lacks is ignored.
   */
  cl_uint id;
  /**
   * The value's bits, in the low ones of these 64.
   */
  cl_ulong bits;
} hekla_spec_value;

/**
 * What a program is compiled with. heklaCompile copies what it needs: nothing of it must live longer than the call.
 */
typedef struct hekla_compile_info {
  /**
   * The size of this structure in bytes.
   */
  size_t struct_size;
  /**
   * HEKLA_TARGET_GENERIC or HEKLA_TARGET_MINIMAL.
   */
  cl_uint target;
  /**
   * Build options as clBuildProgram takes them, ended by a zero byte; NULL for none.
   */
  const char *options;
  /**
   * The file's name in the log, ended by a zero byte; NULL for none.
   */
  const char *file_name;
  /**
   * The number of values at spec_values.
   */
  size_t num_spec_values;
  /**
   * Values of specialization constants, for OpenCL SPIR-V alone; may be NULL if there are none.
   */
  const struct hekla_spec_value *spec_values;
} hekla_compile_info;

/**
 * An argument of a kernel.
 */
typedef struct hekla_argument {
  /**
   * The name, ended by a zero byte; empty for a module without names.
   */
  const char *name;
  /**
   * The type as the program spells it, ended by a zero byte.
   */
  const char *type_name;
  /**
   * What the argument is: one of HEKLA_ARGUMENT_VALUE to HEKLA_ARGUMENT_QUEUE.
   */
  cl_uint kind;
  /**
   * The address space: one of CL_KERNEL_ARG_ADDRESS_GLOBAL to CL_KERNEL_ARG_ADDRESS_PRIVATE.
   */
  cl_uint address;
  /**
   * How an image or pipe may be accessed: one of CL_KERNEL_ARG_ACCESS_READ_ONLY to CL_KERNEL_ARG_ACCESS_NONE.
   */
  cl_uint access;
  /**
   * The byte offset in the argument buffer; HEKLA_NO_OFFSET if the argument is not there.
   */
  cl_uint offset;
  /**
   * Bytes in the argument buffer; 0 for a local argument.
   */
  cl_uint size;
  /**
   * For a local argument: its alignment in bytes, a power of two. 0 for others.
   */
  cl_uint align;
  /**
   * For a local argument: the SpecId of its byte offset in the work-group's memory. 0 for others.
   */
  cl_uint specialization;
  /**
   * For an image: its kind, as CL_MEM_OBJECT_IMAGE2D. 0 for others.
   */
  cl_uint image_type;
  /**
   * For an image: CL_TRUE if it is a depth image. CL_FALSE for others.
   */
  cl_bool depth;
  /**
   * For a pipe: bytes of a packet, or 0 if the kernel takes packets of any size. 0 for others.
   */
  cl_uint packet_size;
} hekla_argument;

/**
 * A part of the argument buffer that is not an argument: what OpenCL's work-item functions return.
 */
typedef struct hekla_field {
  /**
   * What it is: one of HEKLA_FIELD_GLOBAL_BASE to HEKLA_FIELD_QUEUE_CONTEXT.
   */
  cl_uint kind;
  /**
   * The byte offset in the argument buffer.
   */
  cl_uint offset;
  /**
   * Bytes there.
   */
  cl_uint size;
} hekla_field;

/**
 * A kernel with its module of Vulkan SPIR-V, whose entry point is "main".
 */
typedef struct hekla_kernel {
  /**
   * The name, ended by a zero byte.
   */
  const char *name;
  /**
   * Attributes as CL_KERNEL_ATTRIBUTES reports them, ended by a zero byte.
   */
  const char *attributes;
  /**
   * 32-bit words of the module.
   */
  size_t num_words;
  /**
   * The module's words, in the host's order of bytes.
   */
  const cl_uint *words;
  /**
   * The number of arguments.
   */
  size_t num_arguments;
  /**
   * The arguments in the order of their indices.
   */
  const struct hekla_argument *arguments;
  /**
   * The number of fields.
   */
  size_t num_fields;
  /**
   * What the argument buffer holds beside the arguments, by ascending offset.
   */
  const struct hekla_field *fields;
  /**
   * Bytes of the argument buffer, a multiple of 4; 0 if the kernel reads nothing of it.
   */
  cl_uint argument_buffer_size;
  /**
   * CL_TRUE if the push constants are the argument buffer; CL_FALSE if they are its 64-bit device address.
   */
  cl_bool arguments_in_push_constants;
  /**
   * The local size that the kernel requires, in work-items; zeros if it requires none.
   */
  cl_uint required_local_size[3];
  /**
   * The local size that the kernel prefers, in work-items; zeros if it prefers none.
   */
  cl_uint local_size_hint[3];
  /**
   * Bytes of work-group memory of the kernel's own variables, which lie before the memory of the arguments.
   */
  cl_ulong local_static_size;
  /**
   * Bytes of an element of the work-group's memory, a power of two.
   */
  cl_uint local_element_size;
  /**
   * Bytes of private memory of a work-item that are not registers, by estimate.
   */
  cl_ulong private_size;
  /**
   * 32-bit registers of a work-item that are in use at once, by estimate.
   */
  cl_uint registers;
  /**
   * CL_TRUE if the kernel executes work-group barriers.
   */
  cl_bool uses_barrier;
  /**
   * CL_TRUE if the local size changes what the kernel computes: it reads its size or ids, local memory or barriers.
   */
  cl_bool local_size_visible;
  /**
   * CL_TRUE if the module declares descriptor set 0, at the bindings of hekla_reflection.
   */
  cl_bool uses_images;
  /**
   * Work-items of a sub-group, which the pipeline must require; 0 if any number will do.
   */
  cl_uint required_subgroup_size;
} hekla_kernel;

/**
 * A program's metadata. All that it points to belongs to the program, and lives until it is released.
 */
typedef struct hekla_reflection {
  /**
   * The number of kernels.
   */
  size_t num_kernels;
  /**
   * The kernels, in the order of the source.
   */
  const struct hekla_kernel *kernels;
  /**
   * Bytes of the buffer of program-scope variables, which all kernels share; 0 if there are none.
   */
  cl_ulong data_size;
  /**
   * The alignment of that buffer in bytes, a power of two.
   */
  cl_uint data_align;
  /**
   * The number of bytes at data_bytes, at most data_size.
   */
  size_t num_data_bytes;
  /**
   * What the buffer begins with; the rest is zero at first.
   */
  const uint8_t *data_bytes;
  /**
   * The number of offsets at relocations.
   */
  size_t num_relocations;
  /**
   * Byte offsets of 64-bit words of the buffer, to each of which the buffer's device address must be added.
   */
  const cl_uint *relocations;
  /**
   * CL_TRUE if the global size must be a multiple of the local size in each dimension.
   */
  cl_bool uniform_groups;
  /**
   * The SpecIds of the local size, in work-items; all modules have them.
   */
  cl_uint local_size_ids[3];
  /**
   * The SpecId of a boolean, which all modules have: true if the global base, the group base or the global offset is
   * not zero, or if the launch has more than 2^31 work-items in a dimension.
   */
  cl_uint has_global_offset_id;
  /**
   * The SpecId of the elements of the work-group's memory, at least 1; all modules have it.
   */
  cl_uint local_block_length_id;
  /**
   * The binding in descriptor set 0 of images that are only read.
   */
  cl_uint sampled_images_binding;
  /**
   * The binding in descriptor set 0 of images that are written.
   */
  cl_uint storage_images_binding;
  /**
   * The binding in descriptor set 0 of buffer images that are only read.
   */
  cl_uint uniform_texel_buffers_binding;
  /**
   * The binding in descriptor set 0 of buffer images that are written.
   */
  cl_uint storage_texel_buffers_binding;
  /**
   * The binding in descriptor set 0 of samplers.
   */
  cl_uint samplers_binding;
} hekla_reflection;

/**
 * What a place in a kernel has found in one launch, as HEKLA_CHECK tells it. All strings end with a zero byte, and live
 * until the callback returns.
 */
typedef struct hekla_check_finding {
  /**
   * The bytes of this structure; later versions may be longer.
   */
  size_t struct_size;
  /**
   * The kind, as HEKLA_CHECK names it: bounds, null, align, arith, init, barriers or races.
   */
  const char *kind;
  /**
   * The kernel's name; empty where it is in a function of several kernels.
   */
  const char *kernel;
  /**
   * The file of the place, as the program names it; empty where it is not known.
   */
  const char *file;
  /**
   * The line of the place, from 1 on; 0 where it is not known.
   */
  cl_uint line;
  /**
   * The column of the place, from 1 on; 0 where it is not known.
   */
  cl_uint column;
  /**
   * The global id of the first work-item that came to the place: 32 bits in each dimension.
   */
  cl_uint global_id[3];
  /**
   * Its local id.
   */
  cl_uint local_id[3];
  /**
   * How often the place has found it in this launch.
   */
  cl_ulong count;
  /**
   * What is wrong, in a line.
   */
  const char *what;
  /**
   * All that standard error is told of it, in lines.
   */
  const char *message;
} hekla_check_finding;

/**
 * A function of the program that is told of findings.
 *
 * The library calls it without a lock of its own, before a call returns that waits for the launch, or at any time after the
 * launch is complete; it may call OpenCL's functions, but must not wait for a thread that waits for the same queue.
 */
typedef void (*hekla_check_callback)(const struct hekla_check_finding *finding, void *user_data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Compiles a program of OpenCL C, or of OpenCL SPIR-V if the input begins with its magic number.
 *
 * Neither a device nor Vulkan is needed. Several threads may compile at once; each call returns when its program is
 * compiled.
 *
 * input: the text or the module; the function copies it. It need not end with a zero byte.
 * input_size: bytes of the input.
 * info: the target and the build options; NULL for HEKLA_TARGET_GENERIC without options.
 * errcode_ret: receives the code; may be NULL.
 *
 * Returns a program, which the caller must release with heklaReleaseProgram, and CL_SUCCESS. A program with errors is
 * returned as well, with CL_BUILD_PROGRAM_FAILURE or, if it is the options that are wrong, CL_INVALID_BUILD_OPTIONS; it
 * has nothing but its log. Returns NULL and CL_INVALID_VALUE if input is NULL or empty, if struct_size or target of
 * info is not a known one, or if spec_values is NULL and num_spec_values is not 0; CL_OUT_OF_HOST_MEMORY if there is
 * no memory for the input; CL_OUT_OF_RESOURCES in a child of a process that uses a device. Where memory or
 * threads run short while the program is compiled, the code is CL_OUT_OF_HOST_MEMORY or CL_OUT_OF_RESOURCES, and the
 * program that is returned has nothing but its log.
 */
hekla_program heklaCompile(const void *input,
                           size_t input_size,
                           const struct hekla_compile_info *info,
                           cl_int *errcode_ret);

/**
 * Returns a program's warnings and errors.
 *
 * The text ends with a zero byte, is empty if there are none, and lives until the program is released. Any thread may
 * call this. Returns NULL for what is not a program.
 */
const char *heklaProgramLog(hekla_program program);

/**
 * Returns a program's metadata as a JSON object, which docs/offline.md describes.
 *
 * The text ends with a zero byte and lives until the program is released. Any thread may call this. Returns NULL for
 * a program with errors, and for what is not a program.
 */
const char *heklaProgramReflectionJson(hekla_program program);

/**
 * Returns a program's metadata and the modules of its kernels.
 *
 * The structure, and all that it points to, lives until the program is released; the caller must not change it. Any
 * thread may call this. Returns NULL for a program with errors, and for what is not a program.
 */
const struct hekla_reflection *heklaProgramReflection(hekla_program program);

/**
 * Frees a program with all that these functions returned of it.
 *
 * No thread may use them during or after this call. Returns CL_SUCCESS, or CL_INVALID_PROGRAM for what is not a
 * program.
 */
cl_int heklaReleaseProgram(hekla_program program);

/**
 * Sets the function that is told, for each launch, what its kernel has found wrong in itself: once for each place that did.
 *
 * Findings are those of the kinds that HEKLA_CHECK names, of all contexts of the process; without it there are none. They are
 * told on standard error as well. clGetExtensionFunctionAddressForPlatform finds this function.
 *
 * callback: the function, which stays valid until another one is set and what ran by then is complete; NULL for none.
 * user_data: what it is given.
 *
 * Returns CL_SUCCESS.
 */
cl_int clSetCheckCallbackHEKLA(hekla_check_callback callback,
                               void *user_data);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEKLA_H */
