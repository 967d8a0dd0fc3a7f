#!/bin/sh
# Makes the modules of gemm.comp, which are checked in: glslangValidator of at least 13 (GL_KHR_cooperative_matrix), spirv-as,
# spirv-dis and spirv-val of at least 2025 (SPV_KHR_bfloat16) must be in the PATH.
set -e
cd "$(dirname "$0")"
glslangValidator -V --target-env vulkan1.3 --quiet -g0 -DT=float16_t -DACC=float -DBYTES=2 gemm.comp -o gemm_half.spv
glslangValidator -V --target-env vulkan1.3 --quiet -g0 -DT=int8_t -DACC=int -DBYTES=1 gemm.comp -o gemm_char.spv
# Only the type of the factors is another: that of elements in memory is no part of the module.
spirv-dis --raw-id gemm_half.spv | sed -e 's/OpTypeFloat 16$/OpTypeFloat 16 BFloat16KHR/' \
    -e 's/OpCapability Float16/OpCapability BFloat16TypeKHR\nOpCapability BFloat16CooperativeMatrixKHR/' \
    -e 's/\(OpExtension "SPV_KHR_cooperative_matrix"\)/\1\nOpExtension "SPV_KHR_bfloat16"/' |
    spirv-as --target-env spv1.6 --preserve-numeric-ids -o gemm_bfloat16.spv -
for module in gemm_half.spv gemm_char.spv gemm_bfloat16.spv; do
    spirv-val --target-env vulkan1.3 "$module"
done
