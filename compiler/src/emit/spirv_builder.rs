//! The SPIR-V builder: assembles a module word by word, with its ids, capabilities, and types and constants interned in
//! maps.
//!
//! Words are written directly, not as `rspirv::dr` instructions: a kernel of some thousand
//! instructions is then emitted in about a millisecond, and module-level deduplication is a map
//! lookup where rspirv's builder searches a list.

use super::error::{EmitError, EmitResult};
use crate::target::Target;
pub(super) use hekla_spirv::{encode, string_words, Glsl};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass, MAGIC_NUMBER,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// A module under construction: everything but its functions.
#[derive(Default)]
pub(super) struct SpirvBuilder {
    next_id: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    execution_modes: Vec<(ExecutionMode, Option<u32>)>,
    /// Names of the program's files, and their texts.
    pub sources: Vec<u32>,
    decorations: Vec<u32>,
    /// Instructions of NonSemantic.Shader.DebugInfo.100 outside of functions.
    pub debug: Vec<u32>,
    /// The id of the import of NonSemantic.Shader.DebugInfo.100; 0 if the module does not import it.
    debug_set: u32,
    /// Types, constants and module-scope variables.
    globals: Vec<u32>,
    interface: Vec<u32>,
    interned: FxHashMap<SmallVec<[u32; 6]>, u32>,
    small_constants: FxHashMap<u32, u32>,
    /// Blocks of one member: its type, its decoration and the block.
    member_blocks: Vec<(u32, Option<Decoration>, u32)>,
    /// Runtime arrays: the element's type and the array.
    runtime_arrays: Vec<(u32, u32, u32)>,
    /// Structs of one member, with the member and its offset.
    structs: Vec<(u32, u32, u32)>,
    /// The import of GLSL.std.450.
    pub glsl: u32,
    pub void: u32,
    pub bool: u32,
    pub u32: u32,
    /// The entry point's function.
    pub main: u32,
}

impl SpirvBuilder {
    pub fn new() -> SpirvBuilder {
        let mut builder = SpirvBuilder { next_id: 1, ..SpirvBuilder::default() };
        builder.glsl = builder.new_id();
        builder.main = builder.new_id();
        builder.void = builder.intern(Op::TypeVoid, None, &[]);
        builder.bool = builder.intern(Op::TypeBool, None, &[]);
        builder.u32 = builder.int(32);
        builder.require_capability(Capability::Shader);
        builder.require_capability(Capability::PhysicalStorageBufferAddresses);
        builder
    }

    /// Returns a new id.
    pub fn new_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    pub fn require_capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Declares Vulkan's memory model for the module. It is an error if the device has only GLSL's.
    pub fn use_vulkan_memory_model(&mut self, target: &Target) -> EmitResult<()> {
        if !target.vulkan_memory_model {
            let what = "an atomic operation or fence that orders accesses of other work-groups";
            return Err(EmitError::missing(what, "vulkanMemoryModelDeviceScope"));
        }
        self.require_capability(Capability::VulkanMemoryModel);
        self.require_capability(Capability::VulkanMemoryModelDeviceScope);
        Ok(())
    }

    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Imports NonSemantic.Shader.DebugInfo.100, and returns the id of the import.
    pub fn import_debug_info(&mut self) -> u32 {
        self.extension("SPV_KHR_non_semantic_info");
        self.debug_set = self.new_id();
        self.debug_set
    }

    pub fn execution_mode(&mut self, mode: ExecutionMode, operand: Option<u32>) {
        self.execution_modes.push((mode, operand));
    }

    pub fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let mut words: SmallVec<[u32; 4]> = SmallVec::from_slice(&[id, decoration as u32]);
        words.extend_from_slice(operands);
        encode(&mut self.decorations, Op::Decorate, &words);
    }

    /// Returns a block struct of one member, always a new one.
    pub fn block(&mut self, member: u32) -> u32 {
        let id = self.declare(Op::TypeStruct, None, &[member]);
        self.decorate(id, Decoration::Block, &[]);
        let words = [id, 0, Decoration::Offset as u32, 0];
        encode(&mut self.decorations, Op::MemberDecorate, &words);
        id
    }

    /// Emits a module-scope instruction that exists once for given operands: a type or constant.
    pub fn intern(&mut self, op: Op, ty: Option<u32>, operands: &[u32]) -> u32 {
        let mut key: SmallVec<[u32; 6]> = SmallVec::new();
        key.push(op as u32);
        key.push(ty.unwrap_or(0));
        key.extend_from_slice(operands);
        if let Some(&id) = self.interned.get(&key) {
            return id;
        }
        let id = self.declare(op, ty, operands);
        self.interned.insert(key, id);
        id
    }

    /// Emits a module-scope instruction, always a new one.
    pub fn declare(&mut self, op: Op, ty: Option<u32>, operands: &[u32]) -> u32 {
        let id = self.new_id();
        let mut words: SmallVec<[u32; 8]> = SmallVec::new();
        words.extend(ty);
        words.push(id);
        words.extend_from_slice(operands);
        encode(&mut self.globals, op, &words);
        id
    }

    /// Returns an integer type (no capability is declared for it).
    pub fn int(&mut self, bits: u32) -> u32 {
        self.intern(Op::TypeInt, None, &[bits, 0])
    }

    /// Returns true if the module has a float type with this number of bits.
    pub fn has_float(&self, bits: u32) -> bool {
        let key: SmallVec<[u32; 6]> = SmallVec::from_slice(&[Op::TypeFloat as u32, 0, bits]);
        self.interned.contains_key(&key)
    }

    pub fn float(&mut self, bits: u32) -> u32 {
        self.intern(Op::TypeFloat, None, &[bits])
    }

    pub fn vector(&mut self, element: u32, lanes: u32) -> u32 {
        self.intern(Op::TypeVector, None, &[element, lanes])
    }

    /// Returns the type of two 32-bit words, which are an address or integer of 64 bits on devices without 64-bit integers.
    pub fn pair(&mut self) -> u32 {
        self.vector(self.u32, 2)
    }

    /// Returns the result type of the extended arithmetic: low and high part.
    pub fn result_pair(&mut self, element: u32) -> u32 {
        self.intern(Op::TypeStruct, None, &[element, element])
    }

    pub fn pointer(&mut self, class: StorageClass, pointee: u32) -> u32 {
        self.intern(Op::TypePointer, None, &[class as u32, pointee])
    }

    /// Returns an array without layout; `length` is the id of a constant.
    pub fn array(&mut self, element: u32, length: u32) -> u32 {
        self.intern(Op::TypeArray, None, &[element, length])
    }

    /// Returns a block struct of one member, which may have a decoration.
    pub fn member_block(&mut self, member: u32, decoration: Option<Decoration>) -> u32 {
        let mut known = self.member_blocks.iter();
        if let Some(&(_, _, block)) = known.find(|known| (known.0, known.1) == (member, decoration))
        {
            return block;
        }
        let block = self.block(member);
        if let Some(decoration) = decoration {
            self.decorate_member(block, decoration);
        }
        self.member_blocks.push((member, decoration, block));
        block
    }

    /// Returns a runtime array with `stride` bytes from one element to the next.
    pub fn runtime_array(&mut self, element: u32, stride: u32) -> u32 {
        let mut known = self.runtime_arrays.iter();
        if let Some(&(_, _, array)) = known.find(|known| (known.0, known.1) == (element, stride)) {
            return array;
        }
        let array = self.declare(Op::TypeRuntimeArray, None, &[element]);
        self.decorate(array, Decoration::ArrayStride, &[stride]);
        self.runtime_arrays.push((element, stride, array));
        array
    }

    /// Returns a struct of one member that is `offset` bytes behind its start.
    pub fn struct_at(&mut self, member: u32, offset: u32) -> u32 {
        let mut known = self.structs.iter();
        if let Some(&(_, _, found)) = known.find(|known| (known.0, known.1) == (member, offset)) {
            return found;
        }
        let found = self.declare(Op::TypeStruct, None, &[member]);
        let words = [found, 0, Decoration::Offset as u32, offset];
        encode(&mut self.decorations, Op::MemberDecorate, &words);
        self.structs.push((member, offset, found));
        found
    }

    /// Decorates the only member of a block struct.
    pub fn decorate_member(&mut self, block: u32, decoration: Decoration) {
        let words = [block, 0, decoration as u32];
        encode(&mut self.decorations, Op::MemberDecorate, &words);
    }

    /// Returns a block struct of one array with the given stride.
    pub fn block_of_array(&mut self, element: u32, length: u32, stride: u32) -> u32 {
        let array = self.strided(element, length, stride);
        self.block(array)
    }

    fn strided(&mut self, element: u32, length: u32, stride: u32) -> u32 {
        let array = self.declare(Op::TypeArray, None, &[element, length]);
        self.decorate(array, Decoration::ArrayStride, &[stride]);
        array
    }

    /// Returns a block struct of arrays that lie one behind the other: element, length, and stride of each.
    pub fn block_of_arrays(&mut self, arrays: &[(u32, u32, u32)]) -> u32 {
        let mut members = Vec::new();
        for &(element, length, stride) in arrays {
            let length = self.const_u32(length);
            members.push(self.strided(element, length, stride));
        }
        let id = self.declare(Op::TypeStruct, None, &members);
        self.decorate(id, Decoration::Block, &[]);
        let mut offset = 0;
        for (number, &(_, length, stride)) in (0..).zip(arrays) {
            let words = [id, number, Decoration::Offset as u32, offset];
            encode(&mut self.decorations, Op::MemberDecorate, &words);
            offset += length * stride;
        }
        id
    }

    /// Returns a 32-bit constant.
    pub fn const_u32(&mut self, value: u32) -> u32 {
        if let Some(&id) = self.small_constants.get(&value) {
            return id;
        }
        let id = self.intern(Op::Constant, Some(self.u32), &[value]);
        self.small_constants.insert(value, id);
        id
    }

    /// Returns a constant of an integer or float type of 8 to 64 bits. Literals of narrow types are
    /// zero-extended to a word, as SPIR-V requires for types without sign.
    pub fn constant(&mut self, ty: u32, bits: u32, value: u64) -> u32 {
        match bits {
            64 => self.intern(Op::Constant, Some(ty), &[value as u32, (value >> 32) as u32]),
            _ => self.intern(Op::Constant, Some(ty), &[value as u32]),
        }
    }

    pub fn bool_const(&mut self, value: bool) -> u32 {
        let op = if value { Op::ConstantTrue } else { Op::ConstantFalse };
        self.intern(op, Some(self.bool), &[])
    }

    /// Returns a 32-bit specialization constant.
    pub fn spec_const_u32(&mut self, spec_id: u32, default: u32) -> u32 {
        let id = self.declare(Op::SpecConstant, Some(self.u32), &[default]);
        self.decorate(id, Decoration::SpecId, &[spec_id]);
        id
    }

    /// Returns a boolean specialization constant.
    pub fn spec_const_bool(&mut self, spec_id: u32, default: bool) -> u32 {
        let op = if default { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
        let id = self.declare(op, Some(self.bool), &[]);
        self.decorate(id, Decoration::SpecId, &[spec_id]);
        id
    }

    /// Returns a module-scope variable, listed in the entry point's interface.
    pub fn variable(&mut self, class: StorageClass, pointee: u32) -> u32 {
        self.initialized_variable(class, pointee, None)
    }

    /// Like [`SpirvBuilder::variable`], with an initializer: the id of a constant.
    pub fn initialized_variable(
        &mut self,
        class: StorageClass,
        pointee: u32,
        initializer: Option<u32>,
    ) -> u32 {
        let ty = self.pointer(class, pointee);
        let mut operands: SmallVec<[u32; 2]> = SmallVec::from_slice(&[class as u32]);
        operands.extend(initializer);
        let id = self.declare(Op::Variable, Some(ty), &operands);
        self.interface.push(id);
        id
    }

    /// Returns the finished module. `code` holds its functions.
    pub fn assemble(self, version: u32, code: &[u32]) -> Result<Vec<u32>, EmitError> {
        let mut out = Vec::with_capacity(code.len() + self.globals.len() + 256);
        out.extend([MAGIC_NUMBER, version, 0, self.next_id, 0]);
        for &capability in &self.capabilities {
            encode(&mut out, Op::Capability, &[capability]);
        }
        for name in &self.extensions {
            encode(&mut out, Op::Extension, &string_words(name));
        }
        let mut import = vec![self.glsl];
        import.extend(string_words("GLSL.std.450"));
        encode(&mut out, Op::ExtInstImport, &import);
        if self.debug_set != 0 {
            let name = string_words("NonSemantic.Shader.DebugInfo.100");
            encode(&mut out, Op::ExtInstImport, &[&[self.debug_set], &name[..]].concat());
        }
        let vulkan = self.capabilities.contains(&(Capability::VulkanMemoryModel as u32));
        let model = if vulkan { MemoryModel::Vulkan } else { MemoryModel::GLSL450 };
        let model = [AddressingModel::PhysicalStorageBuffer64 as u32, model as u32];
        encode(&mut out, Op::MemoryModel, &model);
        let mut entry = vec![ExecutionModel::GLCompute as u32, self.main];
        entry.extend(string_words("main"));
        entry.extend(&self.interface);
        encode(&mut out, Op::EntryPoint, &entry);
        for &(mode, operand) in &self.execution_modes {
            let mut words: SmallVec<[u32; 3]> = SmallVec::from_slice(&[self.main, mode as u32]);
            words.extend(operand);
            encode(&mut out, Op::ExecutionMode, &words);
        }
        out.extend(&self.sources);
        out.extend(&self.decorations);
        out.extend(&self.globals);
        out.extend(&self.debug);
        out.extend(code);
        Ok(out)
    }
}
