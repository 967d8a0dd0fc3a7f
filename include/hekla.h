/* libhekla.so's C interface: the OpenCL API without an ICD loader.
 * Written by cbindgen from icd/src; do not edit. SPDX-License-Identifier: MIT OR Apache-2.0 */

#ifndef HEKLA_H
#define HEKLA_H

#include <stddef.h>
#include <stdint.h>
#ifdef __OPENCL_CL_H
#error "hekla.h stands in for CL/cl.h: include one of them"
#endif

#define CL_SUCCESS 0

#define CL_DEVICE_NOT_FOUND -1

#define CL_DEVICE_NOT_AVAILABLE -2

#define CL_COMPILER_NOT_AVAILABLE -3

#define CL_MEM_OBJECT_ALLOCATION_FAILURE -4

#define CL_OUT_OF_RESOURCES -5

#define CL_OUT_OF_HOST_MEMORY -6

#define CL_PROFILING_INFO_NOT_AVAILABLE -7

#define CL_MEM_COPY_OVERLAP -8

#define CL_IMAGE_FORMAT_MISMATCH -9

#define CL_IMAGE_FORMAT_NOT_SUPPORTED -10

#define CL_BUILD_PROGRAM_FAILURE -11

#define CL_MAP_FAILURE -12

#define CL_MISALIGNED_SUB_BUFFER_OFFSET -13

#define CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST -14

#define CL_COMPILE_PROGRAM_FAILURE -15

#define CL_LINKER_NOT_AVAILABLE -16

#define CL_LINK_PROGRAM_FAILURE -17

#define CL_DEVICE_PARTITION_FAILED -18

#define CL_KERNEL_ARG_INFO_NOT_AVAILABLE -19

#define CL_INVALID_VALUE -30

#define CL_INVALID_DEVICE_TYPE -31

#define CL_INVALID_PLATFORM -32

#define CL_INVALID_DEVICE -33

#define CL_INVALID_CONTEXT -34

#define CL_INVALID_QUEUE_PROPERTIES -35

#define CL_INVALID_COMMAND_QUEUE -36

#define CL_INVALID_HOST_PTR -37

#define CL_INVALID_MEM_OBJECT -38

#define CL_INVALID_IMAGE_FORMAT_DESCRIPTOR -39

#define CL_INVALID_IMAGE_SIZE -40

#define CL_INVALID_SAMPLER -41

#define CL_INVALID_BINARY -42

#define CL_INVALID_BUILD_OPTIONS -43

#define CL_INVALID_PROGRAM -44

#define CL_INVALID_PROGRAM_EXECUTABLE -45

#define CL_INVALID_KERNEL_NAME -46

#define CL_INVALID_KERNEL_DEFINITION -47

#define CL_INVALID_KERNEL -48

#define CL_INVALID_ARG_INDEX -49

#define CL_INVALID_ARG_VALUE -50

#define CL_INVALID_ARG_SIZE -51

#define CL_INVALID_KERNEL_ARGS -52

#define CL_INVALID_WORK_DIMENSION -53

#define CL_INVALID_WORK_GROUP_SIZE -54

#define CL_INVALID_WORK_ITEM_SIZE -55

#define CL_INVALID_GLOBAL_OFFSET -56

#define CL_INVALID_EVENT_WAIT_LIST -57

#define CL_INVALID_EVENT -58

#define CL_INVALID_OPERATION -59

#define CL_INVALID_GL_OBJECT -60

#define CL_INVALID_BUFFER_SIZE -61

#define CL_INVALID_MIP_LEVEL -62

#define CL_INVALID_GLOBAL_WORK_SIZE -63

#define CL_INVALID_PROPERTY -64

#define CL_INVALID_IMAGE_DESCRIPTOR -65

#define CL_INVALID_COMPILER_OPTIONS -66

#define CL_INVALID_LINKER_OPTIONS -67

#define CL_INVALID_DEVICE_PARTITION_COUNT -68

#define CL_INVALID_PIPE_SIZE -69

#define CL_INVALID_DEVICE_QUEUE -70

#define CL_INVALID_SPEC_ID -71

#define CL_MAX_SIZE_RESTRICTION_EXCEEDED -72

#define CL_FALSE 0

#define CL_TRUE 1

#define CL_BLOCKING 1

#define CL_NON_BLOCKING 0

#define CL_PLATFORM_PROFILE 2304

#define CL_PLATFORM_VERSION 2305

#define CL_PLATFORM_NAME 2306

#define CL_PLATFORM_VENDOR 2307

#define CL_PLATFORM_EXTENSIONS 2308

#define CL_PLATFORM_HOST_TIMER_RESOLUTION 2309

#define CL_PLATFORM_NUMERIC_VERSION 2310

#define CL_PLATFORM_EXTENSIONS_WITH_VERSION 2311

#define CL_DEVICE_TYPE_DEFAULT (1 << 0)

#define CL_DEVICE_TYPE_CPU (1 << 1)

#define CL_DEVICE_TYPE_GPU (1 << 2)

#define CL_DEVICE_TYPE_ACCELERATOR (1 << 3)

#define CL_DEVICE_TYPE_CUSTOM (1 << 4)

#define CL_DEVICE_TYPE_ALL 4294967295

#define CL_DEVICE_TYPE 4096

#define CL_DEVICE_VENDOR_ID 4097

#define CL_DEVICE_MAX_COMPUTE_UNITS 4098

#define CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS 4099

#define CL_DEVICE_MAX_WORK_GROUP_SIZE 4100

#define CL_DEVICE_MAX_WORK_ITEM_SIZES 4101

#define CL_DEVICE_MAX_WORK_GROUP_SIZES 4101

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR 4102

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT 4103

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT 4104

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG 4105

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT 4106

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE 4107

#define CL_DEVICE_MAX_CLOCK_FREQUENCY 4108

#define CL_DEVICE_ADDRESS_BITS 4109

#define CL_DEVICE_MAX_READ_IMAGE_ARGS 4110

#define CL_DEVICE_MAX_WRITE_IMAGE_ARGS 4111

#define CL_DEVICE_MAX_MEM_ALLOC_SIZE 4112

#define CL_DEVICE_IMAGE2D_MAX_WIDTH 4113

#define CL_DEVICE_IMAGE2D_MAX_HEIGHT 4114

#define CL_DEVICE_IMAGE3D_MAX_WIDTH 4115

#define CL_DEVICE_IMAGE3D_MAX_HEIGHT 4116

#define CL_DEVICE_IMAGE3D_MAX_DEPTH 4117

#define CL_DEVICE_IMAGE_SUPPORT 4118

#define CL_DEVICE_MAX_PARAMETER_SIZE 4119

#define CL_DEVICE_MAX_SAMPLERS 4120

#define CL_DEVICE_MEM_BASE_ADDR_ALIGN 4121

#define CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE 4122

#define CL_DEVICE_SINGLE_FP_CONFIG 4123

#define CL_DEVICE_GLOBAL_MEM_CACHE_TYPE 4124

#define CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE 4125

#define CL_DEVICE_GLOBAL_MEM_CACHE_SIZE 4126

#define CL_DEVICE_GLOBAL_MEM_SIZE 4127

#define CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE 4128

#define CL_DEVICE_MAX_CONSTANT_ARGS 4129

#define CL_DEVICE_LOCAL_MEM_TYPE 4130

#define CL_DEVICE_LOCAL_MEM_SIZE 4131

#define CL_DEVICE_ERROR_CORRECTION_SUPPORT 4132

#define CL_DEVICE_PROFILING_TIMER_RESOLUTION 4133

#define CL_DEVICE_ENDIAN_LITTLE 4134

#define CL_DEVICE_AVAILABLE 4135

#define CL_DEVICE_COMPILER_AVAILABLE 4136

#define CL_DEVICE_EXECUTION_CAPABILITIES 4137

#define CL_DEVICE_QUEUE_PROPERTIES 4138

#define CL_DEVICE_QUEUE_ON_HOST_PROPERTIES 4138

#define CL_DEVICE_NAME 4139

#define CL_DEVICE_VENDOR 4140

#define CL_DRIVER_VERSION 4141

#define CL_DEVICE_PROFILE 4142

#define CL_DEVICE_VERSION 4143

#define CL_DEVICE_EXTENSIONS 4144

#define CL_DEVICE_PLATFORM 4145

#define CL_DEVICE_DOUBLE_FP_CONFIG 4146

#define CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF 4148

#define CL_DEVICE_HOST_UNIFIED_MEMORY 4149

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR 4150

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT 4151

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_INT 4152

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG 4153

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT 4154

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE 4155

#define CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF 4156

#define CL_DEVICE_OPENCL_C_VERSION 4157

#define CL_DEVICE_LINKER_AVAILABLE 4158

#define CL_DEVICE_BUILT_IN_KERNELS 4159

#define CL_DEVICE_IMAGE_MAX_BUFFER_SIZE 4160

#define CL_DEVICE_IMAGE_MAX_ARRAY_SIZE 4161

#define CL_DEVICE_PARENT_DEVICE 4162

#define CL_DEVICE_PARTITION_MAX_SUB_DEVICES 4163

#define CL_DEVICE_PARTITION_PROPERTIES 4164

#define CL_DEVICE_PARTITION_AFFINITY_DOMAIN 4165

#define CL_DEVICE_PARTITION_TYPE 4166

#define CL_DEVICE_REFERENCE_COUNT 4167

#define CL_DEVICE_PREFERRED_INTEROP_USER_SYNC 4168

#define CL_DEVICE_PRINTF_BUFFER_SIZE 4169

#define CL_DEVICE_IMAGE_PITCH_ALIGNMENT 4170

#define CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT 4171

#define CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS 4172

#define CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE 4173

#define CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES 4174

#define CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE 4175

#define CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE 4176

#define CL_DEVICE_MAX_ON_DEVICE_QUEUES 4177

#define CL_DEVICE_MAX_ON_DEVICE_EVENTS 4178

#define CL_DEVICE_SVM_CAPABILITIES 4179

#define CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE 4180

#define CL_DEVICE_MAX_PIPE_ARGS 4181

#define CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS 4182

#define CL_DEVICE_PIPE_MAX_PACKET_SIZE 4183

#define CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT 4184

#define CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT 4185

#define CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT 4186

#define CL_DEVICE_IL_VERSION 4187

#define CL_DEVICE_MAX_NUM_SUB_GROUPS 4188

#define CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS 4189

#define CL_DEVICE_NUMERIC_VERSION 4190

#define CL_DEVICE_EXTENSIONS_WITH_VERSION 4192

#define CL_DEVICE_ILS_WITH_VERSION 4193

#define CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION 4194

#define CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 4195

#define CL_DEVICE_ATOMIC_FENCE_CAPABILITIES 4196

#define CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT 4197

#define CL_DEVICE_OPENCL_C_ALL_VERSIONS 4198

#define CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 4199

#define CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT 4200

#define CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT 4201

#define CL_DEVICE_UUID 4202

#define CL_DRIVER_UUID 4203

#define CL_DEVICE_LUID_VALID 4204

#define CL_DEVICE_LUID 4205

#define CL_DEVICE_NODE_MASK 4206

#define CL_DEVICE_OPENCL_C_FEATURES 4207

#define CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES 4208

#define CL_DEVICE_PIPE_SUPPORT 4209

#define CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED 4210

#define CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES 4211

#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT 4212

#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED 4213

#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 4214

#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 16945

#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 16946

#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 16947

#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 4793

#define CL_DEVICE_SPIRV_EXTENSIONS 4794

#define CL_DEVICE_SPIRV_CAPABILITIES 4795

#define CL_FP_DENORM (1 << 0)

#define CL_FP_INF_NAN (1 << 1)

#define CL_FP_ROUND_TO_NEAREST (1 << 2)

#define CL_FP_ROUND_TO_ZERO (1 << 3)

#define CL_FP_ROUND_TO_INF (1 << 4)

#define CL_FP_FMA (1 << 5)

#define CL_FP_SOFT_FLOAT (1 << 6)

#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT (1 << 7)

#define CL_NONE 0

#define CL_READ_ONLY_CACHE 1

#define CL_READ_WRITE_CACHE 2

#define CL_LOCAL 1

#define CL_GLOBAL 2

#define CL_EXEC_KERNEL (1 << 0)

#define CL_EXEC_NATIVE_KERNEL (1 << 1)

#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE (1 << 0)

#define CL_QUEUE_PROFILING_ENABLE (1 << 1)

#define CL_QUEUE_ON_DEVICE (1 << 2)

#define CL_QUEUE_ON_DEVICE_DEFAULT (1 << 3)

#define CL_CONTEXT_REFERENCE_COUNT 4224

#define CL_CONTEXT_DEVICES 4225

#define CL_CONTEXT_PROPERTIES 4226

#define CL_CONTEXT_NUM_DEVICES 4227

#define CL_CONTEXT_PLATFORM 4228

#define CL_CONTEXT_INTEROP_USER_SYNC 4229

#define CL_CONTEXT_MEMORY_INITIALIZE_KHR 8240

#define CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR (1 << 0)

#define CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR (1 << 1)

#define CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT 16944

#define CL_PRINTF_CALLBACK_ARM 16560

#define CL_PRINTF_BUFFERSIZE_ARM 16561

#define CL_DEVICE_PARTITION_EQUALLY 4230

#define CL_DEVICE_PARTITION_BY_COUNTS 4231

#define CL_DEVICE_PARTITION_BY_COUNTS_LIST_END 0

#define CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN 4232

#define CL_DEVICE_AFFINITY_DOMAIN_NUMA (1 << 0)

#define CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE (1 << 1)

#define CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE (1 << 2)

#define CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE (1 << 3)

#define CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE (1 << 4)

#define CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE (1 << 5)

#define CL_DEVICE_SVM_COARSE_GRAIN_BUFFER (1 << 0)

#define CL_DEVICE_SVM_FINE_GRAIN_BUFFER (1 << 1)

#define CL_DEVICE_SVM_FINE_GRAIN_SYSTEM (1 << 2)

#define CL_DEVICE_SVM_ATOMICS (1 << 3)

#define CL_QUEUE_CONTEXT 4240

#define CL_QUEUE_DEVICE 4241

#define CL_QUEUE_REFERENCE_COUNT 4242

#define CL_QUEUE_PROPERTIES 4243

#define CL_QUEUE_SIZE 4244

#define CL_QUEUE_DEVICE_DEFAULT 4245

#define CL_QUEUE_PRIORITY_KHR 4246

#define CL_QUEUE_THROTTLE_KHR 4247

#define CL_QUEUE_PROPERTIES_ARRAY 4248

#define CL_QUEUE_PRIORITY_HIGH_KHR (1 << 0)

#define CL_QUEUE_PRIORITY_MED_KHR (1 << 1)

#define CL_QUEUE_PRIORITY_LOW_KHR (1 << 2)

#define CL_QUEUE_THROTTLE_HIGH_KHR (1 << 0)

#define CL_QUEUE_THROTTLE_MED_KHR (1 << 1)

#define CL_QUEUE_THROTTLE_LOW_KHR (1 << 2)

#define CL_MEM_READ_WRITE (1 << 0)

#define CL_MEM_WRITE_ONLY (1 << 1)

#define CL_MEM_READ_ONLY (1 << 2)

#define CL_MEM_USE_HOST_PTR (1 << 3)

#define CL_MEM_ALLOC_HOST_PTR (1 << 4)

#define CL_MEM_COPY_HOST_PTR (1 << 5)

#define CL_MEM_HOST_WRITE_ONLY (1 << 7)

#define CL_MEM_HOST_READ_ONLY (1 << 8)

#define CL_MEM_HOST_NO_ACCESS (1 << 9)

#define CL_MEM_IMMUTABLE_EXT (1 << 6)

#define CL_MEM_SVM_FINE_GRAIN_BUFFER (1 << 10)

#define CL_MEM_SVM_ATOMICS (1 << 11)

#define CL_MEM_KERNEL_READ_AND_WRITE (1 << 12)

#define CL_MIGRATE_MEM_OBJECT_HOST (1 << 0)

#define CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED (1 << 1)

#define CL_R 4272

#define CL_A 4273

#define CL_RG 4274

#define CL_RA 4275

#define CL_RGB 4276

#define CL_RGBA 4277

#define CL_BGRA 4278

#define CL_ARGB 4279

#define CL_INTENSITY 4280

#define CL_LUMINANCE 4281

#define CL_Rx 4282

#define CL_RGx 4283

#define CL_RGBx 4284

#define CL_DEPTH 4285

#define CL_sRGB 4287

#define CL_sRGBx 4288

#define CL_sRGBA 4289

#define CL_sBGRA 4290

#define CL_ABGR 4291

#define CL_SNORM_INT8 4304

#define CL_SNORM_INT16 4305

#define CL_UNORM_INT8 4306

#define CL_UNORM_INT16 4307

#define CL_UNORM_SHORT_565 4308

#define CL_UNORM_SHORT_555 4309

#define CL_UNORM_INT_101010 4310

#define CL_SIGNED_INT8 4311

#define CL_SIGNED_INT16 4312

#define CL_SIGNED_INT32 4313

#define CL_UNSIGNED_INT8 4314

#define CL_UNSIGNED_INT16 4315

#define CL_UNSIGNED_INT32 4316

#define CL_HALF_FLOAT 4317

#define CL_FLOAT 4318

#define CL_UNORM_INT_101010_2 4320

#define CL_MEM_OBJECT_BUFFER 4336

#define CL_MEM_OBJECT_IMAGE2D 4337

#define CL_MEM_OBJECT_IMAGE3D 4338

#define CL_MEM_OBJECT_IMAGE2D_ARRAY 4339

#define CL_MEM_OBJECT_IMAGE1D 4340

#define CL_MEM_OBJECT_IMAGE1D_ARRAY 4341

#define CL_MEM_OBJECT_IMAGE1D_BUFFER 4342

#define CL_MEM_OBJECT_PIPE 4343

#define CL_MEM_TYPE 4352

#define CL_MEM_FLAGS 4353

#define CL_MEM_SIZE 4354

#define CL_MEM_HOST_PTR 4355

#define CL_MEM_MAP_COUNT 4356

#define CL_MEM_REFERENCE_COUNT 4357

#define CL_MEM_CONTEXT 4358

#define CL_MEM_ASSOCIATED_MEMOBJECT 4359

#define CL_MEM_OFFSET 4360

#define CL_MEM_USES_SVM_POINTER 4361

#define CL_MEM_PROPERTIES 4362

#define CL_IMAGE_FORMAT 4368

#define CL_IMAGE_ELEMENT_SIZE 4369

#define CL_IMAGE_ROW_PITCH 4370

#define CL_IMAGE_SLICE_PITCH 4371

#define CL_IMAGE_WIDTH 4372

#define CL_IMAGE_HEIGHT 4373

#define CL_IMAGE_DEPTH 4374

#define CL_IMAGE_ARRAY_SIZE 4375

#define CL_IMAGE_BUFFER 4376

#define CL_IMAGE_NUM_MIP_LEVELS 4377

#define CL_IMAGE_NUM_SAMPLES 4378

#define CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT 4752

#define CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT 4753

#define CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT 4754

#define CL_IMAGE_REQUIREMENTS_SIZE_EXT 4786

#define CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT 4787

#define CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT 4788

#define CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT 4789

#define CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT 4790

#define CL_PIPE_PACKET_SIZE 4384

#define CL_PIPE_MAX_PACKETS 4385

#define CL_PIPE_PROPERTIES 4386

#define CL_ADDRESS_NONE 4400

#define CL_ADDRESS_CLAMP_TO_EDGE 4401

#define CL_ADDRESS_CLAMP 4402

#define CL_ADDRESS_REPEAT 4403

#define CL_ADDRESS_MIRRORED_REPEAT 4404

#define CL_FILTER_NEAREST 4416

#define CL_FILTER_LINEAR 4417

#define CL_SAMPLER_REFERENCE_COUNT 4432

#define CL_SAMPLER_CONTEXT 4433

#define CL_SAMPLER_NORMALIZED_COORDS 4434

#define CL_SAMPLER_ADDRESSING_MODE 4435

#define CL_SAMPLER_FILTER_MODE 4436

#define CL_SAMPLER_MIP_FILTER_MODE 4437

#define CL_SAMPLER_LOD_MIN 4438

#define CL_SAMPLER_LOD_MAX 4439

#define CL_SAMPLER_PROPERTIES 4440

#define CL_MAP_READ (1 << 0)

#define CL_MAP_WRITE (1 << 1)

#define CL_MAP_WRITE_INVALIDATE_REGION (1 << 2)

#define CL_PROGRAM_REFERENCE_COUNT 4448

#define CL_PROGRAM_CONTEXT 4449

#define CL_PROGRAM_NUM_DEVICES 4450

#define CL_PROGRAM_DEVICES 4451

#define CL_PROGRAM_SOURCE 4452

#define CL_PROGRAM_BINARY_SIZES 4453

#define CL_PROGRAM_BINARIES 4454

#define CL_PROGRAM_NUM_KERNELS 4455

#define CL_PROGRAM_KERNEL_NAMES 4456

#define CL_PROGRAM_IL 4457

#define CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT 4458

#define CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT 4459

#define CL_PROGRAM_BUILD_STATUS 4481

#define CL_PROGRAM_BUILD_OPTIONS 4482

#define CL_PROGRAM_BUILD_LOG 4483

#define CL_PROGRAM_BINARY_TYPE 4484

#define CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE 4485

#define CL_PROGRAM_BINARY_TYPE_NONE 0

#define CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT 1

#define CL_PROGRAM_BINARY_TYPE_LIBRARY 2

#define CL_PROGRAM_BINARY_TYPE_EXECUTABLE 4

#define CL_BUILD_SUCCESS 0

#define CL_BUILD_NONE -1

#define CL_BUILD_ERROR -2

#define CL_BUILD_IN_PROGRESS -3

#define CL_KERNEL_FUNCTION_NAME 4496

#define CL_KERNEL_NUM_ARGS 4497

#define CL_KERNEL_REFERENCE_COUNT 4498

#define CL_KERNEL_CONTEXT 4499

#define CL_KERNEL_PROGRAM 4500

#define CL_KERNEL_ATTRIBUTES 4501

#define CL_KERNEL_ARG_ADDRESS_QUALIFIER 4502

#define CL_KERNEL_ARG_ACCESS_QUALIFIER 4503

#define CL_KERNEL_ARG_TYPE_NAME 4504

#define CL_KERNEL_ARG_TYPE_QUALIFIER 4505

#define CL_KERNEL_ARG_NAME 4506

#define CL_KERNEL_ARG_ADDRESS_GLOBAL 4507

#define CL_KERNEL_ARG_ADDRESS_LOCAL 4508

#define CL_KERNEL_ARG_ADDRESS_CONSTANT 4509

#define CL_KERNEL_ARG_ADDRESS_PRIVATE 4510

#define CL_KERNEL_ARG_ACCESS_READ_ONLY 4512

#define CL_KERNEL_ARG_ACCESS_WRITE_ONLY 4513

#define CL_KERNEL_ARG_ACCESS_READ_WRITE 4514

#define CL_KERNEL_ARG_ACCESS_NONE 4515

#define CL_KERNEL_ARG_TYPE_NONE 0

#define CL_KERNEL_ARG_TYPE_CONST (1 << 0)

#define CL_KERNEL_ARG_TYPE_RESTRICT (1 << 1)

#define CL_KERNEL_ARG_TYPE_VOLATILE (1 << 2)

#define CL_KERNEL_ARG_TYPE_PIPE (1 << 3)

#define CL_KERNEL_WORK_GROUP_SIZE 4528

#define CL_KERNEL_COMPILE_WORK_GROUP_SIZE 4529

#define CL_KERNEL_LOCAL_MEM_SIZE 4530

#define CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 4531

#define CL_KERNEL_PRIVATE_MEM_SIZE 4532

#define CL_KERNEL_GLOBAL_WORK_SIZE 4533

#define CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE 8243

#define CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE 8244

#define CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT 4536

#define CL_KERNEL_MAX_NUM_SUB_GROUPS 4537

#define CL_KERNEL_COMPILE_NUM_SUB_GROUPS 4538

#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 16648

#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 16649

#define CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL 16650

#define CL_KERNEL_EXEC_INFO_SVM_PTRS 4534

#define CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM 4535

#define CL_EVENT_COMMAND_QUEUE 4560

#define CL_EVENT_COMMAND_TYPE 4561

#define CL_EVENT_REFERENCE_COUNT 4562

#define CL_EVENT_COMMAND_EXECUTION_STATUS 4563

#define CL_EVENT_CONTEXT 4564

#define CL_COMMAND_NDRANGE_KERNEL 4592

#define CL_COMMAND_TASK 4593

#define CL_COMMAND_NATIVE_KERNEL 4594

#define CL_COMMAND_READ_BUFFER 4595

#define CL_COMMAND_WRITE_BUFFER 4596

#define CL_COMMAND_COPY_BUFFER 4597

#define CL_COMMAND_READ_IMAGE 4598

#define CL_COMMAND_WRITE_IMAGE 4599

#define CL_COMMAND_COPY_IMAGE 4600

#define CL_COMMAND_COPY_IMAGE_TO_BUFFER 4601

#define CL_COMMAND_COPY_BUFFER_TO_IMAGE 4602

#define CL_COMMAND_MAP_BUFFER 4603

#define CL_COMMAND_MAP_IMAGE 4604

#define CL_COMMAND_UNMAP_MEM_OBJECT 4605

#define CL_COMMAND_MARKER 4606

#define CL_COMMAND_ACQUIRE_GL_OBJECTS 4607

#define CL_COMMAND_RELEASE_GL_OBJECTS 4608

#define CL_COMMAND_READ_BUFFER_RECT 4609

#define CL_COMMAND_WRITE_BUFFER_RECT 4610

#define CL_COMMAND_COPY_BUFFER_RECT 4611

#define CL_COMMAND_USER 4612

#define CL_COMMAND_BARRIER 4613

#define CL_COMMAND_MIGRATE_MEM_OBJECTS 4614

#define CL_COMMAND_FILL_BUFFER 4615

#define CL_COMMAND_FILL_IMAGE 4616

#define CL_COMMAND_SVM_FREE 4617

#define CL_COMMAND_SVM_MEMCPY 4618

#define CL_COMMAND_SVM_MEMFILL 4619

#define CL_COMMAND_SVM_MAP 4620

#define CL_COMMAND_SVM_UNMAP 4621

#define CL_COMMAND_SVM_MIGRATE_MEM 4622

#define CL_COMPLETE 0

#define CL_RUNNING 1

#define CL_SUBMITTED 2

#define CL_QUEUED 3

#define CL_BUFFER_CREATE_TYPE_REGION 4640

#define CL_PROFILING_COMMAND_QUEUED 4736

#define CL_PROFILING_COMMAND_SUBMIT 4737

#define CL_PROFILING_COMMAND_START 4738

#define CL_PROFILING_COMMAND_END 4739

#define CL_PROFILING_COMMAND_COMPLETE 4740

#define CL_DEVICE_ATOMIC_ORDER_RELAXED (1 << 0)

#define CL_DEVICE_ATOMIC_ORDER_ACQ_REL (1 << 1)

#define CL_DEVICE_ATOMIC_ORDER_SEQ_CST (1 << 2)

#define CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM (1 << 3)

#define CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP (1 << 4)

#define CL_DEVICE_ATOMIC_SCOPE_DEVICE (1 << 5)

#define CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES (1 << 6)

#define CL_DEVICE_QUEUE_SUPPORTED (1 << 0)

#define CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT (1 << 1)

#define CL_KHRONOS_VENDOR_ID_CODEPLAY 65540

#define CL_UUID_SIZE 16

#define CL_LUID_SIZE 8

#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)

#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)

#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)

#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)

#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)

#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)

#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)

#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)

#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)

#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED (1 << 0)

#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT (1 << 1)

#define CL_PLATFORM_NOT_FOUND_KHR -1001

#define CL_PLATFORM_ICD_SUFFIX_KHR 2336

#define CL_PLATFORM_UNLOADABLE_KHR 2337

#define CL_DEVICE_HALF_FP_CONFIG 4147

#define CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR 4191

#define CL_DEVICE_PCI_BUS_INFO_KHR 16655

#define CL_ICD2_TAG_KHR 5715144129571992369

#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 20480

#define CL_MEM_DEVICE_ADDRESS_EXT 20481

#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 20482

#define CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL 16784

#define CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL 16785

#define CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL 16786

#define CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL 16787

#define CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL 16788

#define CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL (1 << 0)

#define CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL (1 << 1)

#define CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL (1 << 2)

#define CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL (1 << 3)

#define CL_MEM_ALLOC_FLAGS_INTEL 16789

#define CL_MEM_ALLOC_WRITE_COMBINED_INTEL (1 << 0)

#define CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL (1 << 1)

#define CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL (1 << 2)

#define CL_MEM_TYPE_UNKNOWN_INTEL 16790

#define CL_MEM_TYPE_HOST_INTEL 16791

#define CL_MEM_TYPE_DEVICE_INTEL 16792

#define CL_MEM_TYPE_SHARED_INTEL 16793

#define CL_MEM_ALLOC_TYPE_INTEL 16794

#define CL_MEM_ALLOC_BASE_PTR_INTEL 16795

#define CL_MEM_ALLOC_SIZE_INTEL 16796

#define CL_MEM_ALLOC_DEVICE_INTEL 16797

#define CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL 16896

#define CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL 16897

#define CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL 16898

#define CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL 16899

#define CL_COMMAND_MEMFILL_INTEL 16900

#define CL_COMMAND_MEMCPY_INTEL 16901

#define CL_COMMAND_MIGRATEMEM_INTEL 16902

#define CL_COMMAND_MEMADVISE_INTEL 16903

#define CL_INVALID_COMMAND_BUFFER_KHR -1138

#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139

#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140

#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 4762

#define CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR 4777

#define CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR 4778

#define CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR (1 << 0)

#define CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR (1 << 1)

#define CL_COMMAND_BUFFER_FLAGS_KHR 4755

#define CL_COMMAND_BUFFER_QUEUES_KHR 4756

#define CL_COMMAND_BUFFER_NUM_QUEUES_KHR 4757

#define CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR 4758

#define CL_COMMAND_BUFFER_STATE_KHR 4759

#define CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR 4760

#define CL_COMMAND_BUFFER_CONTEXT_KHR 4761

#define CL_COMMAND_BUFFER_STATE_RECORDING_KHR 0

#define CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR 1

#define CL_COMMAND_COMMAND_BUFFER_KHR 4776

#define CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR (1 << 2)

#define CL_INVALID_MUTABLE_COMMAND_KHR -1141

#define CL_COMMAND_BUFFER_STATE_FINALIZED_KHR 2

#define CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR (1 << 0)

#define CL_COMMAND_BUFFER_MUTABLE_KHR (1 << 1)

#define CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR (1 << 2)

#define CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR 4791

#define CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR 4784

#define CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR 4785

#define CL_MUTABLE_DISPATCH_ASSERTS_KHR 4792

#define CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR (1 << 0)

#define CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR (1 << 0)

#define CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR (1 << 1)

#define CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR (1 << 2)

#define CL_MUTABLE_DISPATCH_ARGUMENTS_KHR (1 << 3)

#define CL_MUTABLE_DISPATCH_EXEC_INFO_KHR (1 << 4)

#define CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR 4768

#define CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR 4769

#define CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR 4770

#define CL_MUTABLE_DISPATCH_KERNEL_KHR 4771

#define CL_MUTABLE_DISPATCH_DIMENSIONS_KHR 4772

#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR 4773

#define CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR 4774

#define CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR 4775

#define CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR 4781

#define CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR 0

#define CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR 8260

#define CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR 8263

#define CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR 8264

#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR 8271

#define CL_MEM_DEVICE_HANDLE_LIST_KHR 8273

#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0

#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 8274

#define CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR 8288

#define CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR 8295

#define CL_INVALID_SEMAPHORE_KHR -1142

#define CL_SEMAPHORE_TYPE_BINARY_KHR 1

#define CL_PLATFORM_SEMAPHORE_TYPES_KHR 8246

#define CL_SEMAPHORE_CONTEXT_KHR 8249

#define CL_SEMAPHORE_REFERENCE_COUNT_KHR 8250

#define CL_SEMAPHORE_PROPERTIES_KHR 8251

#define CL_SEMAPHORE_PAYLOAD_KHR 8252

#define CL_SEMAPHORE_TYPE_KHR 8253

#define CL_COMMAND_SEMAPHORE_WAIT_KHR 8258

#define CL_COMMAND_SEMAPHORE_SIGNAL_KHR 8259

#define CL_DEVICE_SEMAPHORE_TYPES_KHR 8268

#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 8275

#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0

#define CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR 8247

#define CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR 8248

#define CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR 8255

#define CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR 0

#define CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR 8269

#define CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR 8270

#define CL_SEMAPHORE_EXPORTABLE_KHR 8276

#define CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR 8277

#define CL_SEMAPHORE_HANDLE_SYNC_FD_KHR 8280

#define CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR -1000

#define CL_INVALID_EGL_OBJECT_KHR -1093

#define CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR 8198

#define CL_DEVICES_FOR_GL_CONTEXT_KHR 8199

#define CL_GL_CONTEXT_KHR 8200

#define CL_EGL_DISPLAY_KHR 8201

#define CL_GLX_DISPLAY_KHR 8202

#define CL_WGL_HDC_KHR 8203

#define CL_CGL_SHAREGROUP_KHR 8204

#define CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR 8237

#define CL_COMMAND_RELEASE_EGL_OBJECTS_KHR 8238

#define HEKLA_TARGET_GENERIC 0

#define HEKLA_TARGET_MINIMAL 1

#define HEKLA_ARGUMENT_VALUE 0

#define HEKLA_ARGUMENT_BUFFER 1

#define HEKLA_ARGUMENT_LOCAL 2

#define HEKLA_ARGUMENT_IMAGE 3

#define HEKLA_ARGUMENT_SAMPLER 4

#define HEKLA_ARGUMENT_PIPE 5

#define HEKLA_ARGUMENT_QUEUE 6

#define HEKLA_FIELD_GLOBAL_BASE 0

#define HEKLA_FIELD_GROUP_BASE 1

#define HEKLA_FIELD_GLOBAL_OFFSET 2

#define HEKLA_FIELD_GLOBAL_SIZE 3

#define HEKLA_FIELD_NUM_GROUPS 4

#define HEKLA_FIELD_ENQUEUED_LOCAL_SIZE 5

#define HEKLA_FIELD_WORK_DIM 6

#define HEKLA_FIELD_DATA_ADDRESS 7

#define HEKLA_FIELD_PRINTF_BUFFER 8

#define HEKLA_FIELD_ORDER_WORD 9

#define HEKLA_FIELD_BOUNDS 10

#define HEKLA_FIELD_QUEUE_CONTEXT 11

#define HEKLA_NO_OFFSET 4294967295



#define MAX_REGIONS 1024

#define MAX_ALIGNMENT 128

#define ON_DEVICE_PREFERRED_SIZE (16 << 20)

#define ON_DEVICE_MAX_SIZE (64 << 20)

#define MAX_ON_DEVICE_QUEUES 16

#define MAX_ON_DEVICE_EVENTS 8192

#define MAX_PIPE_ARGS 16

#define PIPE_MAX_ACTIVE_RESERVATIONS 1024

#define PIPE_MAX_PACKET_SIZE 1024

#define PRINTF_BUFFER_SIZE (1 << 20)

#define MAX_READ_ARGS 128

#define MAX_WRITE_ARGS 64

#define MAX_SAMPLERS 16

#define MIN_CHUNK (1 << 20)

#define CHUNKS_IN_FLIGHT 6

#define PAGE 4096



#define MAX_PENDING 16

#define PREFERRED_TOTAL 256

typedef struct Order Order;

typedef struct _cl_GLsync _cl_GLsync;

typedef struct _cl_command_buffer_khr _cl_command_buffer_khr;

typedef struct _cl_command_queue _cl_command_queue;

typedef struct _cl_context _cl_context;

typedef struct _cl_device_id _cl_device_id;

typedef struct _cl_event _cl_event;

typedef struct _cl_kernel _cl_kernel;

typedef struct _cl_mem _cl_mem;

typedef struct _cl_mutable_command_khr _cl_mutable_command_khr;

typedef struct _cl_platform_id _cl_platform_id;

typedef struct _cl_program _cl_program;

typedef struct _cl_sampler _cl_sampler;

typedef struct _cl_semaphore_khr _cl_semaphore_khr;

typedef struct _hekla_program _hekla_program;

typedef struct _cl_mem *cl_mem;

typedef struct _cl_context *cl_context;

typedef uint64_t cl_ulong;

typedef cl_ulong cl_bitfield;

typedef cl_bitfield cl_mem_flags;

typedef int32_t cl_int;

typedef cl_ulong cl_properties;

typedef cl_properties cl_mem_properties;

typedef uint32_t cl_uint;

typedef cl_uint cl_buffer_create_type;

typedef struct _cl_command_queue *cl_command_queue;

typedef cl_uint cl_bool;

typedef struct _cl_event *cl_event;

typedef cl_bitfield cl_map_flags;

typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;

typedef cl_properties cl_command_buffer_properties_khr;

typedef cl_uint cl_command_buffer_info_khr;

typedef struct _cl_kernel *cl_kernel;

typedef ptrdiff_t cl_context_properties;

typedef struct _cl_device_id *cl_device_id;

typedef void (*ContextNotify)(const char*, const void*, size_t, void*);

typedef cl_bitfield cl_device_type;

typedef cl_uint cl_context_info;

typedef void (*ContextDestructor)(cl_context, void*);

typedef struct _cl_platform_id *cl_platform_id;

typedef cl_uint cl_device_info;

typedef ptrdiff_t cl_device_partition_property;

typedef cl_uint cl_event_info;

typedef void (*EventNotify)(cl_event, cl_int, void*);

typedef cl_uint cl_profiling_info;

typedef cl_uint cl_GLenum;

typedef cl_int cl_GLint;

typedef cl_uint cl_GLuint;

typedef struct _cl_GLsync *cl_GLsync;

typedef cl_uint cl_gl_object_type;

typedef cl_uint cl_gl_texture_info;

typedef cl_uint cl_gl_context_info;

typedef void *CLeglDisplayKHR;

typedef void *CLeglImageKHR;

typedef ptrdiff_t cl_egl_image_properties_khr;

typedef void *CLeglSyncKHR;

typedef struct cl_image_format {
  cl_uint image_channel_order;
  cl_uint image_channel_data_type;
} cl_image_format;

typedef cl_uint cl_mem_object_type;

typedef struct cl_image_desc {
  cl_mem_object_type image_type;
  size_t image_width;
  size_t image_height;
  size_t image_depth;
  size_t image_array_size;
  size_t image_row_pitch;
  size_t image_slice_pitch;
  cl_uint num_mip_levels;
  cl_uint num_samples;
  cl_mem mem_object;
} cl_image_desc;

typedef cl_uint cl_image_requirements_info_ext;

typedef cl_uint cl_image_info;

typedef struct _cl_program *cl_program;

typedef cl_ulong cl_mem_device_address_ext;

typedef cl_uint cl_kernel_exec_info;

typedef cl_uint cl_kernel_info;

typedef cl_uint cl_kernel_arg_info;

typedef cl_uint cl_kernel_work_group_info;

typedef void (*MemDestructor)(cl_mem, void*);

typedef cl_uint cl_mem_info;

typedef cl_bitfield cl_mem_migration_flags;

typedef cl_uint cl_command_buffer_update_type_khr;

typedef struct _cl_mutable_command_khr *cl_mutable_command_khr;

typedef cl_uint cl_mutable_command_info_khr;

typedef void (*NativeKernel)(void*);

typedef struct _hekla_program *hekla_program;

typedef struct hekla_spec_value {
  cl_uint id;
  cl_ulong bits;
} hekla_spec_value;

typedef struct hekla_compile_info {
  size_t struct_size;
  cl_uint target;
  const char *options;
  const char *file_name;
  size_t num_spec_values;
  const struct hekla_spec_value *spec_values;
} hekla_compile_info;

typedef struct hekla_argument {
  const char *name;
  const char *type_name;
  cl_uint kind;
  cl_uint address;
  cl_uint access;
  cl_uint offset;
  cl_uint size;
  cl_uint align;
  cl_uint specialization;
  cl_uint image_type;
  cl_bool depth;
  cl_uint packet_size;
} hekla_argument;

typedef struct hekla_field {
  cl_uint kind;
  cl_uint offset;
  cl_uint size;
} hekla_field;

typedef struct hekla_kernel {
  const char *name;
  const char *attributes;
  size_t num_words;
  const cl_uint *words;
  size_t num_arguments;
  const struct hekla_argument *arguments;
  size_t num_fields;
  const struct hekla_field *fields;
  cl_uint argument_buffer_size;
  cl_bool arguments_in_push_constants;
  cl_uint required_local_size[3];
  cl_uint local_size_hint[3];
  cl_ulong local_static_size;
  cl_uint local_element_size;
  cl_ulong private_size;
  cl_uint registers;
  cl_bool uses_barrier;
  cl_bool local_size_visible;
  cl_bool uses_images;
  cl_uint required_subgroup_size;
} hekla_kernel;

typedef struct hekla_reflection {
  size_t num_kernels;
  const struct hekla_kernel *kernels;
  cl_ulong data_size;
  cl_uint data_align;
  size_t num_data_bytes;
  const uint8_t *data_bytes;
  size_t num_relocations;
  const cl_uint *relocations;
  cl_bool uniform_groups;
  cl_uint local_size_ids[3];
  cl_uint has_global_offset_id;
  cl_uint local_block_length_id;
  cl_uint sampled_images_binding;
  cl_uint storage_images_binding;
  cl_uint uniform_texel_buffers_binding;
  cl_uint storage_texel_buffers_binding;
  cl_uint samplers_binding;
} hekla_reflection;

typedef cl_properties cl_queue_properties;

typedef cl_ulong cl_device_partition_property_ext;

typedef ptrdiff_t cl_pipe_properties;

typedef cl_uint cl_pipe_info;

typedef cl_uint cl_platform_info;

typedef void (*ProgramNotify)(cl_program, void*);

typedef cl_uint cl_program_info;

typedef cl_uint cl_program_build_info;

typedef cl_bitfield cl_command_queue_properties;

typedef cl_uint cl_command_queue_info;

typedef cl_properties cl_command_properties_khr;

typedef cl_uint cl_sync_point_khr;

typedef struct _cl_sampler *cl_sampler;

typedef cl_properties cl_sampler_properties;

typedef cl_uint cl_addressing_mode;

typedef cl_uint cl_filter_mode;

typedef cl_uint cl_sampler_info;

typedef struct _cl_semaphore_khr *cl_semaphore_khr;

typedef cl_properties cl_semaphore_properties_khr;

typedef cl_ulong cl_semaphore_payload_khr;

typedef cl_uint cl_semaphore_info_khr;

typedef cl_uint cl_external_semaphore_handle_type_khr;

typedef cl_properties cl_semaphore_reimport_properties_khr;

typedef cl_uint cl_kernel_sub_group_info;

typedef cl_bitfield cl_svm_mem_flags;

typedef void (*SvmFreeNotify)(cl_command_queue, cl_uint, void**, void*);

typedef cl_bitfield cl_mem_properties_intel;

typedef cl_uint cl_mem_info_intel;

typedef cl_uint cl_mem_advice_intel;

typedef uint32_t Number;

typedef cl_bitfield cl_mutable_dispatch_fields_khr;

typedef cl_bitfield cl_device_unified_shared_memory_capabilities_intel;

typedef cl_device_unified_shared_memory_capabilities_intel Capabilities;

#define ROOT 0

#define COMMAND_BUFFER_CAPABILITIES (CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR)

#define COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES 0

#define MUTABLE_DISPATCH_CAPABILITIES ((((CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR) | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR) | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR) | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)

#define DEVICE_CAPABILITIES (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL)

#define ACCESS ((CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY) | CL_MEM_READ_ONLY)

#define HOST_POINTER ((CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR) | CL_MEM_COPY_HOST_PTR)

#define HOST_ACCESS ((CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY) | CL_MEM_HOST_NO_ACCESS)





#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

cl_mem clCreateBuffer(cl_context context,
                      cl_mem_flags flags,
                      size_t size,
                      void *host_ptr,
                      cl_int *errcode_ret);

cl_mem clCreateBufferWithProperties(cl_context context,
                                    const cl_mem_properties *properties,
                                    cl_mem_flags flags,
                                    size_t size,
                                    void *host_ptr,
                                    cl_int *errcode_ret);

cl_mem clCreateSubBuffer(cl_mem buffer,
                         cl_mem_flags flags,
                         cl_buffer_create_type buffer_create_type,
                         const void *buffer_create_info,
                         cl_int *errcode_ret);

cl_int clEnqueueReadBuffer(cl_command_queue command_queue,
                           cl_mem buffer,
                           cl_bool blocking_read,
                           size_t offset,
                           size_t size,
                           void *ptr,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list,
                           cl_event *event);

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue,
                            cl_mem buffer,
                            cl_bool blocking_write,
                            size_t offset,
                            size_t size,
                            const void *ptr,
                            cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list,
                            cl_event *event);

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue,
                               cl_mem buffer,
                               cl_bool blocking_read,
                               const size_t *buffer_origin,
                               const size_t *host_origin,
                               const size_t *region,
                               size_t buffer_row_pitch,
                               size_t buffer_slice_pitch,
                               size_t host_row_pitch,
                               size_t host_slice_pitch,
                               void *ptr,
                               cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list,
                               cl_event *event);

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue,
                                cl_mem buffer,
                                cl_bool blocking_write,
                                const size_t *buffer_origin,
                                const size_t *host_origin,
                                const size_t *region,
                                size_t buffer_row_pitch,
                                size_t buffer_slice_pitch,
                                size_t host_row_pitch,
                                size_t host_slice_pitch,
                                const void *ptr,
                                cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list,
                                cl_event *event);

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue,
                           cl_mem src_buffer,
                           cl_mem dst_buffer,
                           size_t src_offset,
                           size_t dst_offset,
                           size_t size,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list,
                           cl_event *event);

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue,
                               cl_mem src_buffer,
                               cl_mem dst_buffer,
                               const size_t *src_origin,
                               const size_t *dst_origin,
                               const size_t *region,
                               size_t src_row_pitch,
                               size_t src_slice_pitch,
                               size_t dst_row_pitch,
                               size_t dst_slice_pitch,
                               cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list,
                               cl_event *event);

cl_int clEnqueueFillBuffer(cl_command_queue command_queue,
                           cl_mem buffer,
                           const void *pattern,
                           size_t pattern_size,
                           size_t offset,
                           size_t size,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list,
                           cl_event *event);

void *clEnqueueMapBuffer(cl_command_queue command_queue,
                         cl_mem buffer,
                         cl_bool blocking_map,
                         cl_map_flags map_flags,
                         size_t offset,
                         size_t size,
                         cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list,
                         cl_event *event,
                         cl_int *errcode_ret);

cl_command_buffer_khr clCreateCommandBufferKHR(cl_uint num_queues,
                                               const cl_command_queue *queues,
                                               const cl_command_buffer_properties_khr *properties,
                                               cl_int *errcode_ret);

cl_int clRetainCommandBufferKHR(cl_command_buffer_khr command_buffer);

cl_int clReleaseCommandBufferKHR(cl_command_buffer_khr command_buffer);

cl_int clFinalizeCommandBufferKHR(cl_command_buffer_khr command_buffer);

cl_int clEnqueueCommandBufferKHR(cl_uint num_queues,
                                 cl_command_queue *queues,
                                 cl_command_buffer_khr command_buffer,
                                 cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list,
                                 cl_event *event);

cl_int clGetCommandBufferInfoKHR(cl_command_buffer_khr command_buffer,
                                 cl_command_buffer_info_khr param_name,
                                 size_t param_value_size,
                                 void *param_value,
                                 size_t *param_value_size_ret);

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue,
                              cl_kernel kernel,
                              cl_uint work_dim,
                              const size_t *global_work_offset,
                              const size_t *global_work_size,
                              const size_t *local_work_size,
                              cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list,
                              cl_event *event);

cl_int clEnqueueTask(cl_command_queue command_queue,
                     cl_kernel kernel,
                     cl_uint num_events_in_wait_list,
                     const cl_event *event_wait_list,
                     cl_event *event);

cl_int clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue,
                                         cl_kernel kernel,
                                         cl_uint work_dim,
                                         const size_t *global_work_offset,
                                         const size_t *global_work_size,
                                         size_t *suggested_local_work_size);

cl_int clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                                   cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list,
                                   cl_event *event);

cl_int clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
                                    cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list,
                                    cl_event *event);

cl_int clEnqueueMarker(cl_command_queue command_queue, cl_event *event);

cl_int clEnqueueWaitForEvents(cl_command_queue command_queue,
                              cl_uint num_events,
                              const cl_event *event_list);

cl_int clEnqueueBarrier(cl_command_queue command_queue);

cl_context clCreateContext(const cl_context_properties *properties,
                           cl_uint num_devices,
                           const cl_device_id *devices,
                           ContextNotify pfn_notify,
                           void *user_data,
                           cl_int *errcode_ret);

cl_context clCreateContextFromType(const cl_context_properties *properties,
                                   cl_device_type device_type,
                                   ContextNotify pfn_notify,
                                   void *user_data,
                                   cl_int *errcode_ret);

cl_int clRetainContext(cl_context context);

cl_int clReleaseContext(cl_context context);

cl_int clGetContextInfo(cl_context context,
                        cl_context_info param_name,
                        size_t param_value_size,
                        void *param_value,
                        size_t *param_value_size_ret);

cl_int clSetContextDestructorCallback(cl_context context,
                                      ContextDestructor pfn_notify,
                                      void *user_data);

cl_int clGetDeviceIDs(cl_platform_id platform,
                      cl_device_type device_type,
                      cl_uint num_entries,
                      cl_device_id *devices,
                      cl_uint *num_devices);

cl_int clGetDeviceInfo(cl_device_id device,
                       cl_device_info param_name,
                       size_t param_value_size,
                       void *param_value,
                       size_t *param_value_size_ret);

cl_int clCreateSubDevices(cl_device_id in_device,
                          const cl_device_partition_property *properties,
                          cl_uint _num_devices,
                          cl_device_id *_out_devices,
                          cl_uint *_num_devices_ret);

cl_int clRetainDevice(cl_device_id device);

cl_int clReleaseDevice(cl_device_id device);

cl_int clGetDeviceAndHostTimer(cl_device_id device,
                               cl_ulong *device_timestamp,
                               cl_ulong *host_timestamp);

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_timestamp);

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret);

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status);

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list);

cl_int clGetEventInfo(cl_event event,
                      cl_event_info param_name,
                      size_t param_value_size,
                      void *param_value,
                      size_t *param_value_size_ret);

cl_int clSetEventCallback(cl_event event,
                          cl_int command_exec_callback_type,
                          EventNotify pfn_notify,
                          void *user_data);

cl_int clRetainEvent(cl_event event);

cl_int clReleaseEvent(cl_event event);

cl_int clGetEventProfilingInfo(cl_event event,
                               cl_profiling_info param_name,
                               size_t param_value_size,
                               void *param_value,
                               size_t *param_value_size_ret);

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *func_name);

void *clGetExtensionFunctionAddress(const char *func_name);

cl_int clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue command_queue,
                                             cl_uint num_mem_objects,
                                             const cl_mem *mem_objects,
                                             cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list,
                                             cl_event *event);

cl_int clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue command_queue,
                                             cl_uint num_mem_objects,
                                             const cl_mem *mem_objects,
                                             cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list,
                                             cl_event *event);

cl_mem clCreateFromGLTexture(cl_context context,
                             cl_mem_flags _flags,
                             cl_GLenum _target,
                             cl_GLint _miplevel,
                             cl_GLuint _texture,
                             cl_int *errcode_ret);

cl_mem clCreateFromGLTexture2D(cl_context context,
                               cl_mem_flags _flags,
                               cl_GLenum _target,
                               cl_GLint _miplevel,
                               cl_GLuint _texture,
                               cl_int *errcode_ret);

cl_mem clCreateFromGLTexture3D(cl_context context,
                               cl_mem_flags _flags,
                               cl_GLenum _target,
                               cl_GLint _miplevel,
                               cl_GLuint _texture,
                               cl_int *errcode_ret);

cl_int clEnqueueAcquireGLObjects(cl_command_queue command_queue,
                                 cl_uint num_objects,
                                 const cl_mem *mem_objects,
                                 cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list,
                                 cl_event *event);

cl_int clEnqueueReleaseGLObjects(cl_command_queue command_queue,
                                 cl_uint num_objects,
                                 const cl_mem *mem_objects,
                                 cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list,
                                 cl_event *event);

cl_int clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue,
                                     cl_uint num_objects,
                                     const cl_mem *mem_objects,
                                     cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list,
                                     cl_event *event);

cl_int clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue,
                                     cl_uint num_objects,
                                     const cl_mem *mem_objects,
                                     cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list,
                                     cl_event *event);

cl_mem clCreateFromGLBuffer(cl_context context,
                            cl_mem_flags _flags,
                            cl_GLuint _bufobj,
                            cl_int *errcode_ret);

cl_mem clCreateFromGLRenderbuffer(cl_context context,
                                  cl_mem_flags _flags,
                                  cl_GLuint _renderbuffer,
                                  cl_int *errcode_ret);

cl_event clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync _sync, cl_int *errcode_ret);

cl_int clGetGLObjectInfo(cl_mem memobj,
                         cl_gl_object_type *_gl_object_type,
                         cl_GLuint *_gl_object_name);

cl_int clGetGLTextureInfo(cl_mem memobj,
                          cl_gl_texture_info _param_name,
                          size_t _param_value_size,
                          void *_param_value,
                          size_t *_param_value_size_ret);

cl_int clGetGLContextInfoKHR(const cl_context_properties *properties,
                             cl_gl_context_info param_name,
                             size_t _param_value_size,
                             void *_param_value,
                             size_t *_param_value_size_ret);

cl_mem clCreateFromEGLImageKHR(cl_context context,
                               CLeglDisplayKHR _egldisplay,
                               CLeglImageKHR _eglimage,
                               cl_mem_flags _flags,
                               const cl_egl_image_properties_khr *_properties,
                               cl_int *errcode_ret);

cl_event clCreateEventFromEGLSyncKHR(cl_context context,
                                     CLeglSyncKHR _sync,
                                     CLeglDisplayKHR _display,
                                     cl_int *errcode_ret);

cl_int clEnqueueReadImage(cl_command_queue command_queue,
                          cl_mem image,
                          cl_bool blocking_read,
                          const size_t *origin,
                          const size_t *region,
                          size_t row_pitch,
                          size_t slice_pitch,
                          void *ptr,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list,
                          cl_event *event);

cl_int clEnqueueWriteImage(cl_command_queue command_queue,
                           cl_mem image,
                           cl_bool blocking_write,
                           const size_t *origin,
                           const size_t *region,
                           size_t input_row_pitch,
                           size_t input_slice_pitch,
                           const void *ptr,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list,
                           cl_event *event);

cl_int clEnqueueFillImage(cl_command_queue command_queue,
                          cl_mem image,
                          const void *fill_color,
                          const size_t *origin,
                          const size_t *region,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list,
                          cl_event *event);

cl_int clEnqueueCopyImage(cl_command_queue command_queue,
                          cl_mem src_image,
                          cl_mem dst_image,
                          const size_t *src_origin,
                          const size_t *dst_origin,
                          const size_t *region,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list,
                          cl_event *event);

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue,
                                  cl_mem src_image,
                                  cl_mem dst_buffer,
                                  const size_t *src_origin,
                                  const size_t *region,
                                  size_t dst_offset,
                                  cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list,
                                  cl_event *event);

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue,
                                  cl_mem src_buffer,
                                  cl_mem dst_image,
                                  size_t src_offset,
                                  const size_t *dst_origin,
                                  const size_t *region,
                                  cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list,
                                  cl_event *event);

void *clEnqueueMapImage(cl_command_queue command_queue,
                        cl_mem image,
                        cl_bool blocking_map,
                        cl_map_flags map_flags,
                        const size_t *origin,
                        const size_t *region,
                        size_t *image_row_pitch,
                        size_t *image_slice_pitch,
                        cl_uint num_events_in_wait_list,
                        const cl_event *event_wait_list,
                        cl_event *event,
                        cl_int *errcode_ret);

cl_mem clCreateImage(cl_context context,
                     cl_mem_flags flags,
                     const struct cl_image_format *image_format,
                     const struct cl_image_desc *image_desc,
                     void *host_ptr,
                     cl_int *errcode_ret);

cl_mem clCreateImageWithProperties(cl_context context,
                                   const cl_mem_properties *properties,
                                   cl_mem_flags flags,
                                   const struct cl_image_format *image_format,
                                   const struct cl_image_desc *image_desc,
                                   void *host_ptr,
                                   cl_int *errcode_ret);

cl_mem clCreateImage2D(cl_context context,
                       cl_mem_flags flags,
                       const struct cl_image_format *image_format,
                       size_t image_width,
                       size_t image_height,
                       size_t image_row_pitch,
                       void *host_ptr,
                       cl_int *errcode_ret);

cl_mem clCreateImage3D(cl_context context,
                       cl_mem_flags flags,
                       const struct cl_image_format *image_format,
                       size_t image_width,
                       size_t image_height,
                       size_t image_depth,
                       size_t image_row_pitch,
                       size_t image_slice_pitch,
                       void *host_ptr,
                       cl_int *errcode_ret);

cl_int clGetSupportedImageFormats(cl_context context,
                                  cl_mem_flags flags,
                                  cl_mem_object_type image_type,
                                  cl_uint num_entries,
                                  struct cl_image_format *image_formats,
                                  cl_uint *num_image_formats);

cl_int clGetImageRequirementsInfoEXT(cl_context context,
                                     const cl_mem_properties *properties,
                                     cl_mem_flags flags,
                                     const struct cl_image_format *image_format,
                                     const struct cl_image_desc *image_desc,
                                     cl_image_requirements_info_ext param_name,
                                     size_t param_value_size,
                                     void *param_value,
                                     size_t *param_value_size_ret);

cl_int clGetImageInfo(cl_mem image,
                      cl_image_info param_name,
                      size_t param_value_size,
                      void *param_value,
                      size_t *param_value_size_ret);

cl_kernel clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret);

cl_int clCreateKernelsInProgram(cl_program program,
                                cl_uint num_kernels,
                                cl_kernel *kernels,
                                cl_uint *num_kernels_ret);

cl_kernel clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret);

cl_int clRetainKernel(cl_kernel kernel);

cl_int clReleaseKernel(cl_kernel kernel);

cl_int clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value);

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value);

cl_int clSetKernelArgDevicePointerEXT(cl_kernel kernel,
                                      cl_uint arg_index,
                                      cl_mem_device_address_ext arg_value);

cl_int clSetKernelExecInfo(cl_kernel kernel,
                           cl_kernel_exec_info param_name,
                           size_t param_value_size,
                           const void *param_value);

cl_int clGetKernelInfo(cl_kernel kernel,
                       cl_kernel_info param_name,
                       size_t param_value_size,
                       void *param_value,
                       size_t *param_value_size_ret);

cl_int clGetKernelArgInfo(cl_kernel kernel,
                          cl_uint arg_indx,
                          cl_kernel_arg_info param_name,
                          size_t param_value_size,
                          void *param_value,
                          size_t *param_value_size_ret);

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel,
                                cl_device_id device,
                                cl_kernel_work_group_info param_name,
                                size_t param_value_size,
                                void *param_value,
                                size_t *param_value_size_ret);

cl_int clEnqueueUnmapMemObject(cl_command_queue command_queue,
                               cl_mem memobj,
                               void *mapped_ptr,
                               cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list,
                               cl_event *event);

cl_int clRetainMemObject(cl_mem memobj);

cl_int clReleaseMemObject(cl_mem memobj);

cl_int clSetMemObjectDestructorCallback(cl_mem memobj, MemDestructor pfn_notify, void *user_data);

cl_int clGetMemObjectInfo(cl_mem memobj,
                          cl_mem_info param_name,
                          size_t param_value_size,
                          void *param_value,
                          size_t *param_value_size_ret);

cl_int clEnqueueMigrateMemObjects(cl_command_queue command_queue,
                                  cl_uint num_mem_objects,
                                  const cl_mem *mem_objects,
                                  cl_mem_migration_flags flags,
                                  cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list,
                                  cl_event *event);

cl_int clUpdateMutableCommandsKHR(cl_command_buffer_khr command_buffer,
                                  cl_uint num_configs,
                                  const cl_command_buffer_update_type_khr *config_types,
                                  const void *const *configs);

cl_int clGetMutableCommandInfoKHR(cl_mutable_command_khr command,
                                  cl_mutable_command_info_khr param_name,
                                  size_t param_value_size,
                                  void *param_value,
                                  size_t *param_value_size_ret);

cl_int clEnqueueNativeKernel(cl_command_queue command_queue,
                             NativeKernel user_func,
                             void *args,
                             size_t cb_args,
                             cl_uint num_mem_objects,
                             const cl_mem *mem_list,
                             const void *const *args_mem_loc,
                             cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list,
                             cl_event *event);

hekla_program heklaCompile(const void *input,
                           size_t input_size,
                           const struct hekla_compile_info *info,
                           cl_int *errcode_ret);

const char *heklaProgramLog(hekla_program program);

const char *heklaProgramReflectionJson(hekla_program program);

const struct hekla_reflection *heklaProgramReflection(hekla_program program);

cl_int heklaReleaseProgram(hekla_program program);

cl_command_queue clCreateCommandQueueWithPropertiesKHR(cl_context context,
                                                       cl_device_id device,
                                                       const cl_queue_properties *properties,
                                                       cl_int *errcode_ret);

cl_program clCreateProgramWithILKHR(cl_context context,
                                    const void *il,
                                    size_t length,
                                    cl_int *errcode_ret);

cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue,
                                            cl_kernel kernel,
                                            cl_uint work_dim,
                                            const size_t *global_work_offset,
                                            const size_t *global_work_size,
                                            size_t *suggested_local_work_size);

cl_int clRetainDeviceEXT(cl_device_id device);

cl_int clReleaseDeviceEXT(cl_device_id device);

cl_int clCreateSubDevicesEXT(cl_device_id in_device,
                             const cl_device_partition_property_ext *properties,
                             cl_uint _num_entries,
                             cl_device_id *_out_devices,
                             cl_uint *_num_devices);

cl_mem clCreatePipe(cl_context context,
                    cl_mem_flags flags,
                    cl_uint pipe_packet_size,
                    cl_uint pipe_max_packets,
                    const cl_pipe_properties *properties,
                    cl_int *errcode_ret);

cl_int clGetPipeInfo(cl_mem pipe,
                     cl_pipe_info param_name,
                     size_t param_value_size,
                     void *param_value,
                     size_t *param_value_size_ret);

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries,
                              cl_platform_id *platforms,
                              cl_uint *num_platforms);

void *clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name);

cl_int clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);

cl_int clGetPlatformInfo(cl_platform_id platform,
                         cl_platform_info param_name,
                         size_t param_value_size,
                         void *param_value,
                         size_t *param_value_size_ret);

cl_program clCreateProgramWithSource(cl_context context,
                                     cl_uint count,
                                     const char *const *strings,
                                     const size_t *lengths,
                                     cl_int *errcode_ret);

cl_program clCreateProgramWithIL(cl_context context,
                                 const void *il,
                                 size_t length,
                                 cl_int *errcode_ret);

cl_program clCreateProgramWithBinary(cl_context context,
                                     cl_uint num_devices,
                                     const cl_device_id *device_list,
                                     const size_t *lengths,
                                     const uint8_t *const *binaries,
                                     cl_int *binary_status,
                                     cl_int *errcode_ret);

cl_program clCreateProgramWithBuiltInKernels(cl_context context,
                                             cl_uint num_devices,
                                             const cl_device_id *device_list,
                                             const char *kernel_names,
                                             cl_int *errcode_ret);

cl_int clRetainProgram(cl_program program);

cl_int clReleaseProgram(cl_program program);

cl_int clSetProgramReleaseCallback(cl_program program, ProgramNotify pfn_notify, void *_user_data);

cl_int clSetProgramSpecializationConstant(cl_program program,
                                          cl_uint spec_id,
                                          size_t spec_size,
                                          const void *spec_value);

cl_int clBuildProgram(cl_program program,
                      cl_uint num_devices,
                      const cl_device_id *device_list,
                      const char *options,
                      ProgramNotify pfn_notify,
                      void *user_data);

cl_int clCompileProgram(cl_program program,
                        cl_uint num_devices,
                        const cl_device_id *device_list,
                        const char *options,
                        cl_uint num_input_headers,
                        const cl_program *input_headers,
                        const char *const *header_include_names,
                        ProgramNotify pfn_notify,
                        void *user_data);

cl_program clLinkProgram(cl_context context,
                         cl_uint num_devices,
                         const cl_device_id *device_list,
                         const char *options,
                         cl_uint num_input_programs,
                         const cl_program *input_programs,
                         ProgramNotify pfn_notify,
                         void *user_data,
                         cl_int *errcode_ret);

cl_int clUnloadPlatformCompiler(cl_platform_id platform);

cl_int clUnloadCompiler(void);

cl_int clGetProgramInfo(cl_program program,
                        cl_program_info param_name,
                        size_t param_value_size,
                        void *param_value,
                        size_t *param_value_size_ret);

cl_int clGetProgramBuildInfo(cl_program program,
                             cl_device_id device,
                             cl_program_build_info param_name,
                             size_t param_value_size,
                             void *param_value,
                             size_t *param_value_size_ret);

cl_command_queue clCreateCommandQueueWithProperties(cl_context context,
                                                    cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *errcode_ret);

cl_command_queue clCreateCommandQueue(cl_context context,
                                      cl_device_id device,
                                      cl_command_queue_properties properties,
                                      cl_int *errcode_ret);

cl_int clSetDefaultDeviceCommandQueue(cl_context context,
                                      cl_device_id device,
                                      cl_command_queue command_queue);

cl_int clRetainCommandQueue(cl_command_queue command_queue);

cl_int clReleaseCommandQueue(cl_command_queue command_queue);

cl_int clGetCommandQueueInfo(cl_command_queue command_queue,
                             cl_command_queue_info param_name,
                             size_t param_value_size,
                             void *param_value,
                             size_t *param_value_size_ret);

cl_int clSetCommandQueueProperty(cl_command_queue command_queue,
                                 cl_command_queue_properties _properties,
                                 cl_bool _enable,
                                 cl_command_queue_properties *_old_properties);

cl_int clFlush(cl_command_queue command_queue);

cl_int clFinish(cl_command_queue command_queue);

cl_int clCommandBarrierWithWaitListKHR(cl_command_buffer_khr command_buffer,
                                       cl_command_queue command_queue,
                                       const cl_command_properties_khr *properties,
                                       cl_uint num_sync_points_in_wait_list,
                                       const cl_sync_point_khr *sync_point_wait_list,
                                       cl_sync_point_khr *sync_point,
                                       cl_mutable_command_khr *mutable_handle);

cl_int clCommandCopyBufferKHR(cl_command_buffer_khr command_buffer,
                              cl_command_queue command_queue,
                              const cl_command_properties_khr *properties,
                              cl_mem src_buffer,
                              cl_mem dst_buffer,
                              size_t src_offset,
                              size_t dst_offset,
                              size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle);

cl_int clCommandCopyBufferRectKHR(cl_command_buffer_khr command_buffer,
                                  cl_command_queue command_queue,
                                  const cl_command_properties_khr *properties,
                                  cl_mem src_buffer,
                                  cl_mem dst_buffer,
                                  const size_t *src_origin,
                                  const size_t *dst_origin,
                                  const size_t *region,
                                  size_t src_row_pitch,
                                  size_t src_slice_pitch,
                                  size_t dst_row_pitch,
                                  size_t dst_slice_pitch,
                                  cl_uint num_sync_points_in_wait_list,
                                  const cl_sync_point_khr *sync_point_wait_list,
                                  cl_sync_point_khr *sync_point,
                                  cl_mutable_command_khr *mutable_handle);

cl_int clCommandFillBufferKHR(cl_command_buffer_khr command_buffer,
                              cl_command_queue command_queue,
                              const cl_command_properties_khr *properties,
                              cl_mem buffer,
                              const void *pattern,
                              size_t pattern_size,
                              size_t offset,
                              size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle);

cl_int clCommandSVMMemcpyKHR(cl_command_buffer_khr command_buffer,
                             cl_command_queue command_queue,
                             const cl_command_properties_khr *properties,
                             void *dst_ptr,
                             const void *src_ptr,
                             size_t size,
                             cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle);

cl_int clCommandSVMMemFillKHR(cl_command_buffer_khr command_buffer,
                              cl_command_queue command_queue,
                              const cl_command_properties_khr *properties,
                              void *svm_ptr,
                              const void *pattern,
                              size_t pattern_size,
                              size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle);

cl_int clCommandNDRangeKernelKHR(cl_command_buffer_khr command_buffer,
                                 cl_command_queue command_queue,
                                 const cl_command_properties_khr *properties,
                                 cl_kernel kernel,
                                 cl_uint work_dim,
                                 const size_t *global_work_offset,
                                 const size_t *global_work_size,
                                 const size_t *local_work_size,
                                 cl_uint num_sync_points_in_wait_list,
                                 const cl_sync_point_khr *sync_point_wait_list,
                                 cl_sync_point_khr *sync_point,
                                 cl_mutable_command_khr *mutable_handle);

cl_int clCommandCopyImageKHR(cl_command_buffer_khr command_buffer,
                             cl_command_queue command_queue,
                             const cl_command_properties_khr *properties,
                             cl_mem src_image,
                             cl_mem dst_image,
                             const size_t *src_origin,
                             const size_t *dst_origin,
                             const size_t *region,
                             cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle);

cl_int clCommandCopyImageToBufferKHR(cl_command_buffer_khr command_buffer,
                                     cl_command_queue command_queue,
                                     const cl_command_properties_khr *properties,
                                     cl_mem src_image,
                                     cl_mem dst_buffer,
                                     const size_t *src_origin,
                                     const size_t *region,
                                     size_t dst_offset,
                                     cl_uint num_sync_points_in_wait_list,
                                     const cl_sync_point_khr *sync_point_wait_list,
                                     cl_sync_point_khr *sync_point,
                                     cl_mutable_command_khr *mutable_handle);

cl_int clCommandCopyBufferToImageKHR(cl_command_buffer_khr command_buffer,
                                     cl_command_queue command_queue,
                                     const cl_command_properties_khr *properties,
                                     cl_mem src_buffer,
                                     cl_mem dst_image,
                                     size_t src_offset,
                                     const size_t *dst_origin,
                                     const size_t *region,
                                     cl_uint num_sync_points_in_wait_list,
                                     const cl_sync_point_khr *sync_point_wait_list,
                                     cl_sync_point_khr *sync_point,
                                     cl_mutable_command_khr *mutable_handle);

cl_int clCommandFillImageKHR(cl_command_buffer_khr command_buffer,
                             cl_command_queue command_queue,
                             const cl_command_properties_khr *properties,
                             cl_mem image,
                             const void *fill_color,
                             const size_t *origin,
                             const size_t *region,
                             cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle);

cl_sampler clCreateSamplerWithProperties(cl_context context,
                                         const cl_sampler_properties *sampler_properties,
                                         cl_int *errcode_ret);

cl_sampler clCreateSampler(cl_context context,
                           cl_bool normalized_coords,
                           cl_addressing_mode addressing_mode,
                           cl_filter_mode filter_mode,
                           cl_int *errcode_ret);

cl_int clRetainSampler(cl_sampler sampler);

cl_int clReleaseSampler(cl_sampler sampler);

cl_int clGetSamplerInfo(cl_sampler sampler,
                        cl_sampler_info param_name,
                        size_t param_value_size,
                        void *param_value,
                        size_t *param_value_size_ret);

cl_semaphore_khr clCreateSemaphoreWithPropertiesKHR(cl_context context,
                                                    const cl_semaphore_properties_khr *sema_props,
                                                    cl_int *errcode_ret);

cl_int clRetainSemaphoreKHR(cl_semaphore_khr sema_object);

cl_int clReleaseSemaphoreKHR(cl_semaphore_khr sema_object);

cl_int clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue,
                                  cl_uint num_sema_objects,
                                  const cl_semaphore_khr *sema_objects,
                                  const cl_semaphore_payload_khr *_sema_payload_list,
                                  cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list,
                                  cl_event *event);

cl_int clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue,
                                    cl_uint num_sema_objects,
                                    const cl_semaphore_khr *sema_objects,
                                    const cl_semaphore_payload_khr *_sema_payload_list,
                                    cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list,
                                    cl_event *event);

cl_int clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object,
                             cl_semaphore_info_khr param_name,
                             size_t param_value_size,
                             void *param_value,
                             size_t *param_value_size_ret);

cl_int clGetSemaphoreHandleForTypeKHR(cl_semaphore_khr sema_object,
                                      cl_device_id device,
                                      cl_external_semaphore_handle_type_khr handle_type,
                                      size_t handle_size,
                                      void *handle_ptr,
                                      size_t *handle_size_ret);

cl_int clReImportSemaphoreSyncFdKHR(cl_semaphore_khr sema_object,
                                    cl_semaphore_reimport_properties_khr *reimport_props,
                                    int32_t fd);

cl_int clGetKernelSubGroupInfo(cl_kernel kernel,
                               cl_device_id device,
                               cl_kernel_sub_group_info param_name,
                               size_t input_value_size,
                               const void *input_value,
                               size_t param_value_size,
                               void *param_value,
                               size_t *param_value_size_ret);

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel,
                                  cl_device_id device,
                                  cl_kernel_sub_group_info param_name,
                                  size_t input_value_size,
                                  const void *input_value,
                                  size_t param_value_size,
                                  void *param_value,
                                  size_t *param_value_size_ret);

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment);

void clSVMFree(cl_context context, void *svm_pointer);

cl_int clEnqueueSVMFree(cl_command_queue command_queue,
                        cl_uint num_svm_pointers,
                        void **svm_pointers,
                        SvmFreeNotify pfn_free_func,
                        void *user_data,
                        cl_uint num_events_in_wait_list,
                        const cl_event *event_wait_list,
                        cl_event *event);

cl_int clEnqueueSVMMemcpy(cl_command_queue command_queue,
                          cl_bool blocking_copy,
                          void *dst_ptr,
                          const void *src_ptr,
                          size_t size,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list,
                          cl_event *event);

cl_int clEnqueueSVMMemFill(cl_command_queue command_queue,
                           void *svm_ptr,
                           const void *pattern,
                           size_t pattern_size,
                           size_t size,
                           cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list,
                           cl_event *event);

cl_int clEnqueueSVMMap(cl_command_queue command_queue,
                       cl_bool blocking_map,
                       cl_map_flags flags,
                       void *svm_ptr,
                       size_t size,
                       cl_uint num_events_in_wait_list,
                       const cl_event *event_wait_list,
                       cl_event *event);

cl_int clEnqueueSVMUnmap(cl_command_queue command_queue,
                         void *svm_ptr,
                         cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list,
                         cl_event *event);

cl_int clEnqueueSVMMigrateMem(cl_command_queue command_queue,
                              cl_uint num_svm_pointers,
                              const void *const *svm_pointers,
                              const size_t *sizes,
                              cl_mem_migration_flags flags,
                              cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list,
                              cl_event *event);

void *clHostMemAllocINTEL(cl_context context,
                          const cl_mem_properties_intel *properties,
                          size_t size,
                          cl_uint alignment,
                          cl_int *errcode_ret);

void *clDeviceMemAllocINTEL(cl_context context,
                            cl_device_id device,
                            const cl_mem_properties_intel *properties,
                            size_t size,
                            cl_uint alignment,
                            cl_int *errcode_ret);

void *clSharedMemAllocINTEL(cl_context context,
                            cl_device_id device,
                            const cl_mem_properties_intel *properties,
                            size_t size,
                            cl_uint alignment,
                            cl_int *errcode_ret);

cl_int clMemFreeINTEL(cl_context context, void *ptr);

cl_int clMemBlockingFreeINTEL(cl_context context, void *ptr);

cl_int clGetMemAllocInfoINTEL(cl_context context,
                              const void *ptr,
                              cl_mem_info_intel param_name,
                              size_t param_value_size,
                              void *param_value,
                              size_t *param_value_size_ret);

cl_int clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value);

cl_int clEnqueueMemFillINTEL(cl_command_queue command_queue,
                             void *dst_ptr,
                             const void *pattern,
                             size_t pattern_size,
                             size_t size,
                             cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list,
                             cl_event *event);

cl_int clEnqueueMemcpyINTEL(cl_command_queue command_queue,
                            cl_bool blocking,
                            void *dst_ptr,
                            const void *src_ptr,
                            size_t size,
                            cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list,
                            cl_event *event);

cl_int clEnqueueMigrateMemINTEL(cl_command_queue command_queue,
                                const void *_ptr,
                                size_t _size,
                                cl_mem_migration_flags flags,
                                cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list,
                                cl_event *event);

cl_int clEnqueueMemAdviseINTEL(cl_command_queue command_queue,
                               const void *_ptr,
                               size_t _size,
                               cl_mem_advice_intel advice,
                               cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list,
                               cl_event *event);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HEKLA_H */
