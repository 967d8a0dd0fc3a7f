//! A module of SPIR-V, word by word: its kernel writes a specialization constant.

use hekla_spirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionModel, MemoryAccess, MemoryModel, Op,
    StorageClass,
};
use hekla_spirv::{encode, header, string_words};

/// The SpecId of the constant, and the value that it has without specialization.
pub const ID: u32 = 7;
pub const DEFAULT: u32 = 42;

/// Returns the module of `kernel void NAME(global uint *out) { *out = constant; }`, SPIR-V 1.0.
pub fn module(name: &str) -> Vec<u32> {
    let [void, uint, pointer, ty, kernel, out, block, constant] = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut words = header(0, 9).to_vec();
    let mut add = |op, operands: &[u32]| encode(&mut words, op, operands);
    add(Op::Capability, &[Capability::Addresses as u32]);
    add(Op::Capability, &[Capability::Kernel as u32]);
    add(Op::MemoryModel, &[AddressingModel::Physical64 as u32, MemoryModel::OpenCL as u32]);
    let entry = [ExecutionModel::Kernel as u32, kernel];
    add(Op::EntryPoint, &[&entry[..], &string_words(name)].concat());
    add(Op::Decorate, &[constant, Decoration::SpecId as u32, ID]);
    add(Op::TypeVoid, &[void]);
    add(Op::TypeInt, &[uint, 32, 0]);
    add(Op::TypePointer, &[pointer, StorageClass::CrossWorkgroup as u32, uint]);
    add(Op::TypeFunction, &[ty, void, pointer]);
    add(Op::SpecConstant, &[uint, constant, DEFAULT]);
    add(Op::Function, &[void, kernel, 0, ty]);
    add(Op::FunctionParameter, &[pointer, out]);
    add(Op::Label, &[block]);
    add(Op::Store, &[out, constant, MemoryAccess::ALIGNED.bits(), 4]);
    add(Op::Return, &[]);
    add(Op::FunctionEnd, &[]);
    words
}
