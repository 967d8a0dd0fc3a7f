//! A module of SPIR-V, word by word: its kernel `run` writes a specialization constant.

/// The SpecId of the constant, and the value that it has without specialization.
pub const ID: u32 = 7;
pub const DEFAULT: u32 = 42;

/// Returns the module of `kernel void run(global uint *out) { *out = constant; }`.
pub fn module() -> Vec<u32> {
    let [void, uint, pointer, ty, kernel, out, block, constant] = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 9, 0];
    let mut add = |opcode: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    };
    add(17, &[4]); // OpCapability Addresses
    add(17, &[6]); // OpCapability Kernel
    add(14, &[2, 2]); // OpMemoryModel Physical64 OpenCL
    add(15, &[6, kernel, u32::from_le_bytes(*b"run\0")]); // OpEntryPoint Kernel
    add(71, &[constant, 1, ID]); // OpDecorate SpecId
    add(19, &[void]); // OpTypeVoid
    add(21, &[uint, 32, 0]); // OpTypeInt
    add(32, &[pointer, 5, uint]); // OpTypePointer CrossWorkgroup
    add(33, &[ty, void, pointer]); // OpTypeFunction
    add(50, &[uint, constant, DEFAULT]); // OpSpecConstant
    add(54, &[void, kernel, 0, ty]); // OpFunction
    add(55, &[pointer, out]); // OpFunctionParameter
    add(248, &[block]); // OpLabel
    add(62, &[out, constant, 2, 4]); // OpStore Aligned 4
    add(253, &[]); // OpReturn
    add(56, &[]); // OpFunctionEnd
    words
}
