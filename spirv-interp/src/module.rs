//! A module prepared for execution: types, constants with their specialization, functions.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::image::ImageType;
use crate::types::{Held, Type, Types};
use crate::value::{Bits, Place, Pointer, Value};
use crate::{alu, memory::Bytes};
use rspirv::grammar::{OperandKind, INSTRUCTION_TABLE};
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, FPEncoding, Op, StorageClass, MAGIC_NUMBER,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// One instruction.
#[derive(Debug, Clone)]
pub struct Inst {
    pub op: Op,
    /// Id of the result's type; 0 if there is none.
    pub ty: u32,
    /// Id of the result; 0 if there is none.
    pub id: u32,
    /// The place in the program's text.
    pub line: Option<Line>,
    /// The other operands, as a range of the module's words.
    operands: Range<usize>,
}

/// A place in a program's text (OpLine): the id of the file's name, line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

/// One function.
#[derive(Debug, Default)]
pub struct Function {
    pub params: Vec<u32>,
    /// The instructions of all blocks.
    pub code: Vec<Inst>,
    /// The index in `code` of the first instruction behind each label.
    pub labels: HashMap<u32, usize>,
    /// The range of the ids of results, by which values are numbered.
    pub ids: Range<u32>,
}

/// A variable of the work-item or work-group.
#[derive(Debug, Clone)]
pub struct Object {
    pub size: u64,
    /// The object's initial contents; undefined without any.
    pub contents: Option<Bytes>,
}

/// A module for one dispatch.
#[derive(Debug, Default)]
pub struct Module {
    words: Vec<u32>,
    pub types: Types,
    /// Constants and module-scope variables, by id.
    constants: Vec<Option<Value>>,
    /// The type of each result, by id.
    result_types: Vec<u32>,
    pub functions: Vec<Function>,
    function_ids: HashMap<u32, usize>,
    pub main: usize,
    pub local_size: [u32; 3],
    /// Private variables of module scope.
    pub private: Vec<Object>,
    /// Objects of the work-group. Aliased variables are views of the same object.
    pub shared: Vec<Object>,
    pub capabilities: BTreeSet<u32>,
    pub glsl: u32,
    /// The number of work-items of a sub-group, over which matrices are distributed.
    subgroup_size: u32,
    entry: u32,
    decorations: Decorations,
    /// The texts of OpString, by id.
    strings: HashMap<u32, String>,
    /// The text of each file, by its name, and the name of the last one.
    sources: HashMap<String, String>,
    last_source: String,
    /// The id of the set of debug information.
    debug: u32,
}

#[derive(Debug, Default)]
struct Decorations {
    spec_ids: HashMap<u32, u32>,
    strides: HashMap<u32, u64>,
    offsets: HashMap<(u32, u32), u64>,
    built_ins: HashMap<u32, u32>,
    bindings: HashMap<u32, u32>,
    aliased: BTreeSet<u32>,
    /// The object that aliased variables are views of.
    alias: Option<usize>,
}

impl Module {
    /// Reads a module and specializes its constants.
    ///
    /// # Errors
    /// When the words are not a module, or hold something unknown.
    pub fn load(
        words: &[u32],
        specialization: &BTreeMap<u32, u32>,
        subgroup_size: u32,
    ) -> Res<Module> {
        if words.len() < hekla_spirv::HEADER || words[0] != MAGIC_NUMBER {
            return Error::invalid("no SPIR-V module");
        }
        let bound = words[3] as usize;
        if bound > 1 << 24 {
            return Error::invalid("too many ids");
        }
        let mut module = Module {
            words: words.to_vec(),
            constants: vec![None; bound],
            result_types: vec![0; bound],
            local_size: [1; 3],
            subgroup_size: subgroup_size.max(1),
            ..Module::default()
        };
        let mut current: Option<Function> = None;
        let mut line = None;
        for instruction in hekla_spirv::instructions(words, hekla_spirv::HEADER) {
            let Ok(instruction) = instruction else {
                return Error::invalid("an instruction that ends beyond the module");
            };
            let mut inst = module.decode(instruction)?;
            match (inst.op, module.operands(&inst)) {
                (Op::Line, &[file, number, column]) => {
                    line = Some(Line { file, line: number, column });
                }
                (Op::NoLine | Op::Label, _) => line = None,
                _ => {}
            }
            inst.line = line;
            if inst.op == Op::Function {
                module.function_ids.insert(inst.id, module.functions.len());
                current = Some(Function::default());
            } else if inst.op == Op::FunctionEnd {
                module.functions.extend(current.take());
            } else if let Some(function) = &mut current {
                if inst.op != Op::ExtInst || module.operand(&inst, 0)? == module.glsl {
                    function.add(inst);
                }
            } else {
                module.global(&inst, specialization).map_err(|e| e.at(|| inst.to_string()))?;
            }
        }
        module.main = module.function(module.entry)?;
        Ok(module)
    }

    fn decode(&mut self, instruction: hekla_spirv::Instruction<'_>) -> Res<Inst> {
        let number = instruction.opcode;
        let (Some(op), Some((typed, result))) = (instruction.op(), shape(number)) else {
            return Err(Error::Unsupported(format!("opcode {number}")));
        };
        let end = instruction.range().end;
        let mut first = instruction.start + 1;
        let mut take = |present: bool| match present {
            true => {
                first += 1;
                self.words.get(first - 1).copied().unwrap_or(0)
            }
            false => 0,
        };
        let (ty, id) = (take(typed), take(result));
        if first > end || (result && (id == 0 || id as usize >= self.constants.len())) {
            return Error::invalid(format!("Op{op:?} without a proper result"));
        }
        self.result_types[id as usize] = ty;
        Ok(Inst { op, ty, id, line: None, operands: first..end })
    }

    /// Returns the file's name of a place in the program's text, and the text of its line if the module contains it.
    pub fn place(&self, line: Line) -> (String, Option<String>) {
        let name = self.strings.get(&line.file).cloned().unwrap_or_default();
        let number = (line.line as usize).wrapping_sub(1);
        let text = self.sources.get(&name).and_then(|text| text.lines().nth(number));
        (name, text.map(str::to_string))
    }

    /// Returns the operands of an instruction behind its type and result.
    pub fn operands(&self, inst: &Inst) -> &[u32] {
        &self.words[inst.operands.clone()]
    }

    /// Returns an operand of an instruction.
    pub fn operand(&self, inst: &Inst, index: usize) -> Res<u32> {
        match self.operands(inst).get(index) {
            Some(word) => Ok(*word),
            None => Error::invalid("an operand is missing"),
        }
    }

    /// Returns the type of a value.
    pub fn type_of(&self, id: u32) -> Res<u32> {
        match self.result_types.get(id as usize) {
            Some(&ty) if ty != 0 => Ok(ty),
            _ => Error::invalid(format!("%{id} has no type")),
        }
    }

    /// Returns a constant or a module-scope variable.
    pub fn constant(&self, id: u32) -> Option<&Value> {
        self.constants.get(id as usize).and_then(Option::as_ref)
    }

    /// Returns the index of a function.
    pub fn function(&self, id: u32) -> Res<usize> {
        match self.function_ids.get(&id) {
            Some(&index) if index < self.functions.len() => Ok(index),
            _ => Error::invalid(format!("%{id} is no function")),
        }
    }

    /// Returns true if a capability is declared.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities.contains(&(capability as u32))
    }

    fn value(&self, id: u32) -> Res<&Value> {
        match self.constant(id) {
            Some(value) => Ok(value),
            None => Error::invalid(format!("%{id} is no constant")),
        }
    }

    /// Reads an instruction that is outside of functions.
    fn global(&mut self, inst: &Inst, specialization: &BTreeMap<u32, u32>) -> Res<()> {
        let operands = self.operands(inst).to_vec();
        match inst.op {
            Op::Capability => {
                self.capabilities.extend(operands);
            }
            Op::EntryPoint => self.entry = self.operand(inst, 1)?,
            // Instructions of non-semantic sets have no effect.
            Op::ExtInstImport if operands.first() == Some(&u32::from_le_bytes(*b"GLSL")) => {
                self.glsl = inst.id;
            }
            Op::ExtInstImport => {
                if hekla_spirv::string(&operands).0.starts_with("NonSemantic.Shader.DebugInfo") {
                    self.debug = inst.id;
                }
            }
            Op::ExtInst => self.source(&operands),
            Op::String => {
                self.strings.insert(inst.id, hekla_spirv::string(&operands).0);
            }
            Op::ExecutionMode => self.execution_mode(&operands)?,
            Op::Extension | Op::MemoryModel | Op::Name | Op::Source => {}
            Op::Decorate => self.decorate(&operands)?,
            Op::MemberDecorate => {
                if let [ty, member, decoration, offset] = operands[..] {
                    if decoration == Decoration::Offset as u32 {
                        self.decorations.offsets.insert((ty, member), u64::from(offset));
                    }
                }
            }
            Op::Variable => self.variable(inst)?,
            op if op == Op::TypeCooperativeMatrixKHR
                || (Op::TypeVoid as u32..=Op::TypeForwardPointer as u32).contains(&(op as u32)) =>
            {
                let ty = self.declared_type(inst, &operands)?;
                self.types.insert(inst.id, ty);
            }
            _ => {
                let value = self.constant_value(inst, &operands, specialization)?;
                self.constants[inst.id as usize] = Some(value);
                if self.decorations.built_ins.get(&inst.id)
                    == Some(&(BuiltIn::WorkgroupSize as u32))
                {
                    self.set_local_size(inst.id)?;
                }
            }
        }
        Ok(())
    }

    /// Keeps the text of a file (DebugSource and DebugSourceContinued of NonSemantic.Shader.DebugInfo.100).
    fn source(&mut self, operands: &[u32]) {
        const DEBUG_SOURCE: u32 = 35;
        const DEBUG_SOURCE_CONTINUED: u32 = 102;
        let string = |id| self.strings.get(&id).cloned().unwrap_or_default();
        match *operands {
            [set, DEBUG_SOURCE, file, text, ..] if set == self.debug => {
                self.last_source = string(file);
                self.sources.insert(self.last_source.clone(), string(text));
            }
            [set, DEBUG_SOURCE_CONTINUED, text, ..] if set == self.debug => {
                let text = string(text);
                self.sources.entry(self.last_source.clone()).or_default().push_str(&text);
            }
            _ => {}
        }
    }

    fn set_local_size(&mut self, id: u32) -> Res<()> {
        let size = self.value(id)?.members()?.clone();
        for (to, size) in self.local_size.iter_mut().zip(size.iter()) {
            *to = size.defined("the local size")? as u32;
        }
        Ok(())
    }

    fn execution_mode(&mut self, operands: &[u32]) -> Res<()> {
        let known = [
            ExecutionMode::LocalSize,
            ExecutionMode::SignedZeroInfNanPreserve,
            ExecutionMode::DenormPreserve,
            ExecutionMode::RoundingModeRTE,
            // Modes that [`crate::subgroup`] obeys in any case.
            ExecutionMode::MaximallyReconvergesKHR,
            ExecutionMode::SubgroupUniformControlFlowKHR,
        ];
        match operands {
            [_, mode, x, y, z] if *mode == ExecutionMode::LocalSize as u32 => {
                self.local_size = [*x, *y, *z];
            }
            [_, mode, ..] if known.iter().any(|known| *known as u32 == *mode) => {}
            _ => return Err(Error::Unsupported(format!("execution mode {operands:?}"))),
        }
        Ok(())
    }

    fn decorate(&mut self, operands: &[u32]) -> Res<()> {
        let all = &mut self.decorations;
        let is = |decoration: Decoration, word: u32| decoration as u32 == word;
        match *operands {
            [id, d, spec] if is(Decoration::SpecId, d) => {
                all.spec_ids.insert(id, spec);
            }
            [id, d, stride] if is(Decoration::ArrayStride, d) => {
                all.strides.insert(id, u64::from(stride));
            }
            [id, d, number] if is(Decoration::BuiltIn, d) => {
                all.built_ins.insert(id, number);
            }
            [id, d, binding] if is(Decoration::Binding, d) => {
                all.bindings.insert(id, binding);
            }
            [_, d, 0] if is(Decoration::DescriptorSet, d) => {}
            [id, d] if is(Decoration::Aliased, d) => {
                all.aliased.insert(id);
            }
            [_, d, ..]
                if [
                    Decoration::Block,
                    Decoration::NoContraction,
                    Decoration::AliasedPointer,
                    Decoration::NonReadable,
                    Decoration::NonWritable,
                    Decoration::Coherent,
                ]
                .iter()
                .any(|known| is(*known, d)) => {}
            _ => return Err(Error::Unsupported(format!("decoration {operands:?}"))),
        }
        Ok(())
    }

    /// Returns a type, or an error for a type of a width that no capability allows.
    fn declared_type(&self, inst: &Inst, operands: &[u32]) -> Res<Type> {
        Ok(match (inst.op, operands) {
            (Op::TypeVoid, _) => Type::Void,
            (Op::TypeBool, _) => Type::Bool,
            (Op::TypeInt, [width, _]) => {
                self.check_width(*width, false)?;
                Type::Int { width: *width }
            }
            (Op::TypeFloat, [16, encoding]) if *encoding == FPEncoding::BFloat16KHR as u32 => {
                self.check_capability(Capability::BFloat16TypeKHR)?;
                Type::BFloat16
            }
            (Op::TypeFloat, [width]) => {
                self.check_width(*width, true)?;
                Type::Float { width: *width }
            }
            (Op::TypeVector, [element, count]) => Type::Vector { element: *element, count: *count },
            (Op::TypeArray, [element, length]) => {
                let stride = match self.decorations.strides.get(&inst.id) {
                    Some(stride) => *stride,
                    None => self.types.size(*element)?,
                };
                let length = self.value(*length)?.defined("the length of an array")?;
                Type::Array { element: *element, length, stride }
            }
            (Op::TypeRuntimeArray, [element]) => match self.decorations.strides.get(&inst.id) {
                Some(stride) => Type::RuntimeArray { element: *element, stride: *stride },
                // Of images and samplers: places in it are counted.
                None if matches!(self.types.get(*element)?, Type::Image(_) | Type::Sampler) => {
                    Type::RuntimeArray { element: *element, stride: 1 }
                }
                None => return Error::invalid("an array without a stride"),
            },
            (Op::TypeStruct, members) => self.structure(inst.id, members)?,
            (Op::TypePointer, [class, pointee]) => match StorageClass::from_u32(*class) {
                Some(class) => Type::Pointer { class, pointee: *pointee },
                None => return Error::invalid("a storage class"),
            },
            (Op::TypeCooperativeMatrixKHR, [element, _, rows, columns, _]) => {
                if matches!(self.types.get(*element)?, Type::BFloat16) {
                    self.check_capability(Capability::BFloat16CooperativeMatrixKHR)?;
                }
                let number = |id: u32| self.value(id)?.defined("the size of a matrix");
                let (rows, columns) = (number(*rows)?, number(*columns)?);
                let items = u64::from(self.subgroup_size);
                Type::Matrix(Held { element: *element, rows, columns, items })
            }
            (Op::TypeImage, operands) => Type::Image(ImageType::read(operands)?),
            (Op::TypeSampledImage, [image]) => Type::SampledImage { image: *image },
            (Op::TypeSampler, _) => Type::Sampler,
            (Op::TypeFunction, _) => Type::Function,
            _ => return Err(Error::Unsupported(format!("Op{:?}", inst.op))),
        })
    }

    fn check_capability(&self, needed: Capability) -> Res<()> {
        match self.has(needed) {
            true => Ok(()),
            false => Error::invalid(format!("a type without {needed:?}")),
        }
    }

    fn check_width(&self, width: u32, float: bool) -> Res<()> {
        use Capability as C;
        let any: &[Capability] = match (width, float) {
            (32, _) => return Ok(()),
            (8, false) => &[
                C::Int8,
                C::StorageBuffer8BitAccess,
                C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            ],
            (16, false) => &[
                C::Int16,
                C::StorageBuffer16BitAccess,
                C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            ],
            (64, false) => &[C::Int64],
            (16, true) => &[C::Float16, C::StorageBuffer16BitAccess],
            (64, true) => &[C::Float64],
            _ => return Err(Error::Unsupported(format!("a scalar of {width} bits"))),
        };
        match any.iter().any(|capability| self.has(*capability)) {
            true => Ok(()),
            false => Error::invalid(format!("a type of {width} bits without a capability")),
        }
    }

    fn structure(&self, id: u32, types: &[u32]) -> Res<Type> {
        let (mut members, mut end) = (Vec::new(), 0);
        for (member, &ty) in types.iter().enumerate() {
            // Results of extended arithmetic and of calls are structures that never are in memory.
            let size = self.types.size(ty).unwrap_or(0);
            let offset = self.decorations.offsets.get(&(id, member as u32)).copied();
            let offset = offset.unwrap_or(end);
            members.push((ty, offset));
            end = end.max(offset + size);
        }
        Ok(Type::Struct { members, size: end })
    }

    fn variable(&mut self, inst: &Inst) -> Res<()> {
        let (class, pointee) = self.pointee(inst.ty)?;
        let place = match class {
            StorageClass::Input => match self.decorations.built_ins.get(&inst.id) {
                Some(number) => Place::BuiltIn(*number),
                None => return Error::invalid("an input that is no built-in"),
            },
            StorageClass::PushConstant => Place::PushConstants,
            StorageClass::UniformConstant => match self.decorations.bindings.get(&inst.id) {
                Some(binding) => Place::Descriptors(*binding),
                None => return Error::invalid("images without a binding"),
            },
            StorageClass::Private => {
                let object = self.object(inst, 1, pointee)?;
                self.private.push(object);
                Place::Own(self.private.len() - 1)
            }
            StorageClass::Workgroup => {
                let object = self.object(inst, 1, pointee)?;
                match self.decorations.aliased.contains(&inst.id) {
                    true => Place::Shared(self.alias(object)),
                    false => {
                        self.shared.push(object);
                        Place::Shared(self.shared.len() - 1)
                    }
                }
            }
            _ => return Err(Error::Unsupported(format!("a variable in {class:?}"))),
        };
        self.constants[inst.id as usize] = Some(Value::Pointer(Pointer { place, offset: 0 }));
        Ok(())
    }

    fn alias(&mut self, object: Object) -> usize {
        match self.decorations.alias {
            Some(index) => {
                let size = &mut self.shared[index].size;
                *size = object.size.max(*size);
                index
            }
            None => {
                self.shared.push(object);
                *self.decorations.alias.insert(self.shared.len() - 1)
            }
        }
    }

    /// Returns the storage class and the type that a pointer type points to.
    pub fn pointee(&self, ty: u32) -> Res<(StorageClass, u32)> {
        match self.types.get(ty)? {
            Type::Pointer { class, pointee } => Ok((*class, *pointee)),
            _ => Error::invalid(format!("%{ty} is no pointer type")),
        }
    }

    /// Returns the object of a variable, with its initial contents if the instruction has an operand with the index
    /// `initializer`.
    pub fn object(&self, inst: &Inst, initializer: usize, pointee: u32) -> Res<Object> {
        let size = self.types.size(pointee)?;
        let contents = match self.operands(inst).get(initializer) {
            Some(id) => {
                let mut bytes = Bytes::undefined(size as usize);
                let mut scalars = Vec::new();
                self.value(*id)?.flatten(&mut scalars)?;
                let mut scalars = scalars.into_iter();
                self.types.scalars(pointee, 0, &mut |ty, at| match scalars.next() {
                    Some(bits) => bytes.write(at, self.types.size(ty)? as usize, bits),
                    None => Error::invalid("an initializer of another type"),
                })?;
                Some(bytes)
            }
            None => None,
        };
        Ok(Object { size, contents })
    }

    fn constant_value(
        &self,
        inst: &Inst,
        operands: &[u32],
        specialization: &BTreeMap<u32, u32>,
    ) -> Res<Value> {
        let spec = self.decorations.spec_ids.get(&inst.id).and_then(|id| specialization.get(id));
        let bool_of = |value: bool| Bits::new(u64::from(value));
        Ok(match inst.op {
            Op::ConstantTrue => bool_of(true).into(),
            Op::ConstantFalse => bool_of(false).into(),
            Op::SpecConstantTrue => bool_of(spec.is_none_or(|word| *word != 0)).into(),
            Op::SpecConstantFalse => bool_of(spec.is_some_and(|word| *word != 0)).into(),
            Op::Constant | Op::SpecConstant => {
                let low = u64::from(*spec.unwrap_or(&self.operand(inst, 0)?));
                let high = u64::from(operands.get(1).copied().unwrap_or(0));
                Bits::new((low | high << 32) & crate::value::ones(self.types.width(inst.ty)?))
                    .into()
            }
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let members: Res<Vec<Value>> =
                    operands.iter().map(|id| self.value(*id).cloned()).collect();
                Value::Composite(members?.into())
            }
            Op::ConstantNull => self.types.fill(inst.ty, &|_| Bits::new(0))?,
            Op::Undef => self.types.fill(inst.ty, &Bits::undefined)?,
            Op::SpecConstantOp => {
                let op = self.operand(inst, 0)?;
                let Some(op) = Op::from_u32(op) else {
                    return Err(Error::Unsupported(format!("opcode {op}")));
                };
                let ids = &operands[1..];
                let values: Res<Vec<&Value>> =
                    alu::value_operands(op, ids).iter().map(|id| self.value(*id)).collect();
                let operation = Inst { op, ..inst.clone() };
                alu::evaluate(self, Floats::default(), &operation, ids, &values?)?
            }
            op => return Err(Error::Unsupported(format!("Op{op:?}"))),
        })
    }
}

/// Returns whether an instruction has a result type, and whether it has a result.
fn shape(opcode: u32) -> Option<(bool, bool)> {
    static SHAPES: OnceLock<HashMap<u32, (bool, bool)>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| {
        let all = INSTRUCTION_TABLE.iter().map(|inst| {
            let has = |kind| inst.operands.iter().take(2).any(|operand| operand.kind == kind);
            (inst.opcode as u32, (has(OperandKind::IdResultType), has(OperandKind::IdResult)))
        });
        all.collect()
    });
    shapes.get(&opcode).copied()
}

impl Function {
    fn add(&mut self, inst: Inst) {
        if inst.id != 0 {
            let first = if self.ids.is_empty() { inst.id } else { self.ids.start.min(inst.id) };
            self.ids = first..self.ids.end.max(inst.id + 1);
        }
        match inst.op {
            Op::FunctionParameter => self.params.push(inst.id),
            Op::Label => {
                self.labels.insert(inst.id, self.code.len());
            }
            Op::Line | Op::NoLine => {}
            _ => self.code.push(inst),
        }
    }
}

impl std::fmt::Display for Inst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.id {
            0 => write!(f, "Op{:?}", self.op),
            id => write!(f, "%{id} = Op{:?}", self.op),
        }
    }
}
