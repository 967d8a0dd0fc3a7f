//! Every instruction of OpenCL.std, in every instance of its types, is translated on every kind of device, or the log
//! says what the device lacks; other numbers and types are refused.

use hekla_compiler::builtins::signature::{Scalar as Name, Shape, Sig, TypePattern};
use hekla_compiler::builtins::Builtin;
use hekla_compiler::ingest::instruction_name;
use hekla_compiler::{compile_il, Il, Options, Target};
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, ExecutionModel, FunctionControl, MemoryModel, StorageClass, Word,
};

/// A module under construction.
struct Module {
    b: Builder,
    set: Word,
    kernels: u32,
}

impl Module {
    fn new(target: &Target) -> Module {
        use Capability::*;
        let mut b = Builder::new();
        b.set_version(1, 2);
        let needed = [Addresses, Kernel, Int8, Int16, Int64, Vector16, Float16Buffer];
        let floats = [target.float64.then_some(Float64), target.float16.then_some(Float16)];
        needed.into_iter().chain(floats.into_iter().flatten()).for_each(|one| b.capability(one));
        let set = b.ext_inst_import("OpenCL.std");
        b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
        Module { b, set, kernels: 0 }
    }

    fn scalar(&mut self, name: Name) -> Word {
        match name {
            Name::Bool => self.b.type_bool(),
            Name::Half => self.b.type_float(16, None),
            Name::Float => self.b.type_float(32, None),
            Name::Double => self.b.type_float(64, None),
            _ => self.b.type_int(name.size() * 8, 0),
        }
    }

    fn number(&mut self, (name, lanes): Shape) -> Word {
        let scalar = self.scalar(name);
        match lanes {
            1 => scalar,
            _ => self.b.type_vector(scalar, u32::from(lanes)),
        }
    }

    fn pointer(&mut self, class: StorageClass, shape: Shape) -> Word {
        let pointee = self.number(shape);
        self.b.type_pointer(None, class, pointee)
    }

    /// Adds a kernel that loads the numeric operands through pointers, executes an instruction, and writes its result.
    fn kernel(
        &mut self,
        number: u32,
        operands: &[Parameter],
        literal: Option<u32>,
        result: Option<Shape>,
    ) {
        let global = StorageClass::CrossWorkgroup;
        let mut types: Vec<Word> = Vec::new();
        for operand in operands {
            types.push(match *operand {
                Parameter::Number(shape) => self.pointer(global, shape),
                Parameter::Pointer(class, shape) => self.pointer(class, shape),
            });
        }
        types.extend(result.map(|shape| self.pointer(global, shape)));
        let void = self.b.type_void();
        let ty = self.b.type_function(void, types.iter().copied());
        let function = self.b.begin_function(void, None, FunctionControl::NONE, ty).unwrap();
        let params: Vec<Word> =
            types.iter().map(|&ty| self.b.function_parameter(ty).unwrap()).collect();
        self.b.begin_block(None).unwrap();
        let mut ids = Vec::new();
        for (operand, &param) in operands.iter().zip(&params) {
            ids.push(Operand::IdRef(match *operand {
                Parameter::Number(shape) => {
                    let ty = self.number(shape);
                    self.b.load(ty, None, param, None, []).unwrap()
                }
                Parameter::Pointer(..) => param,
            }));
        }
        ids.extend(literal.map(Operand::LiteralBit32));
        let ty = result.map_or(void, |shape| self.number(shape));
        let value = self.b.ext_inst(ty, None, self.set, number, ids).unwrap();
        if result.is_some() {
            self.b.store(params[operands.len()], value, None, []).unwrap();
        }
        self.b.ret().unwrap();
        self.b.end_function().unwrap();
        let name = format!("k{}", self.kernels);
        self.b.entry_point(ExecutionModel::Kernel, function, name, []);
        self.kernels += 1;
    }

    /// Returns the build log of the module, and the number of kernels in the program.
    fn build(self, target: &Target, options: &str) -> (String, u32) {
        let words = self.b.module().assemble();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let il = Il::read(&bytes).unwrap();
        let compiled = compile_il(&il, &[], &Options::parse(options).unwrap(), target);
        let kernels = compiled.program.map_or(0, |program| program.kernels.len() as u32);
        (compiled.log, kernels)
    }
}

/// An operand of an instruction.
#[derive(Debug, Clone, Copy)]
enum Parameter {
    Number(Shape),
    Pointer(StorageClass, Shape),
}

/// Returns the names in OpenCL C of an instruction, one for each literal operand that it may have.
fn spellings(name: &str) -> Vec<(String, Option<u32>)> {
    let renamed = match name {
        "fclamp" => "clamp",
        "fmax_common" => "max",
        "fmin_common" => "min",
        _ => name.strip_prefix("s_").or(name.strip_prefix("u_")).unwrap_or(name),
    };
    let lanes = [2, 3, 4, 8, 16];
    let modes = ["_rte", "_rtz", "_rtp", "_rtn"];
    match name {
        "vloadn" | "vload_halfn" | "vloada_halfn" => {
            let stem = name.trim_end_matches('n');
            lanes.map(|n| (format!("{stem}{n}"), Some(n))).to_vec()
        }
        "vstoren" | "vstore_halfn" | "vstorea_halfn" => {
            let stem = name.trim_end_matches('n');
            lanes.map(|n| (format!("{stem}{n}"), None)).to_vec()
        }
        "vstore_half_r" => {
            (0..).zip(modes).map(|(n, mode)| (format!("vstore_half{mode}"), Some(n))).collect()
        }
        "vstore_halfn_r" | "vstorea_halfn_r" => {
            let stem = name.trim_end_matches("n_r");
            let of = |n| (0..).zip(modes).map(move |(r, m)| (format!("{stem}{n}{m}"), Some(r)));
            lanes.into_iter().flat_map(of).collect()
        }
        _ => vec![(renamed.to_string(), None)],
    }
}

/// Returns true if an instruction takes elements of a type, as the instruction's name says.
fn suits(name: &str, element: Name) -> bool {
    let is_float = matches!(element, Name::Half | Name::Float | Name::Double);
    match () {
        () if name.starts_with("s_") => !is_float && element.is_signed(),
        () if name.starts_with("u_") => !is_float && !element.is_signed(),
        () if matches!(name, "fclamp" | "fmax_common" | "fmin_common") => is_float,
        () => true,
    }
}

fn has_type(target: &Target, element: Name) -> bool {
    match element {
        Name::Double => target.float64,
        Name::Half => target.float16,
        _ => true,
    }
}

fn parameter(pattern: TypePattern, shape: Shape) -> Parameter {
    use TypePattern::*;
    let class = |spaces: u8| match spaces & 2 {
        0 => StorageClass::Function,
        _ => StorageClass::CrossWorkgroup,
    };
    let (element, lanes) = shape;
    match pattern {
        Out(spaces) | In(spaces) => Parameter::Pointer(class(spaces.0), shape),
        OutElement(spaces) | InElement(spaces) => Parameter::Pointer(class(spaces.0), (element, 1)),
        OutLike(spaces, scalar) => Parameter::Pointer(class(spaces.0), (scalar, lanes)),
        InHalf(spaces) | OutHalf(spaces) => Parameter::Pointer(class(spaces.0), (Name::Half, 1)),
        _ => Parameter::Number(pattern.number(shape).unwrap()),
    }
}

fn add(module: &mut Module, number: u32, sig: &Sig, shape: Shape, literal: Option<u32>) {
    let operands: Vec<Parameter> =
        sig.params.iter().map(|&pattern| parameter(pattern, shape)).collect();
    module.kernel(number, &operands, literal, sig.ret.number(shape));
}

/// Adds instances of the instructions whose types no pattern describes.
fn special(module: &mut Module, number: u32, name: &str, target: &Target) {
    let constant = StorageClass::UniformConstant;
    let float4 = Parameter::Number((Name::Float, 4));
    if name == "printf" {
        let format = Parameter::Pointer(constant, (Name::Char, 1));
        let (int, long) = (Parameter::Number((Name::Int, 1)), Parameter::Number((Name::Long, 16)));
        let result = Some((Name::Int, 1));
        module.kernel(number, &[format], None, result);
        module.kernel(number, &[format, int, long, float4, format], None, result);
        return;
    }
    let elements = [Name::UChar, Name::Short, Name::Float, Name::ULong, Name::Double, Name::Half];
    for element in elements.into_iter().filter(|&element| has_type(target, element)) {
        for (from, to) in [(2, 16), (16, 2), (4, 4), (8, 2)] {
            let mask = Parameter::Number((element.unsigned_of_width(), to));
            let source = Parameter::Number((element, from));
            let operands = match name {
                "shuffle" => vec![source, mask],
                _ => vec![source, source, mask],
            };
            module.kernel(number, &operands, None, Some((element, to)));
        }
    }
}

fn every_instruction(target: &Target, options: &str) {
    let mut found = 0;
    for number in 0..=255 {
        let Some(name) = instruction_name(number) else { continue };
        found += 1;
        let mut module = Module::new(target);
        if matches!(name.as_str(), "shuffle" | "shuffle2" | "printf") {
            special(&mut module, number, &name, target);
        }
        for (spelling, literal) in spellings(&name) {
            let builtin = Builtin::named(&spelling).unwrap_or_else(|| panic!("{name}: {spelling}"));
            for sig in builtin.sigs() {
                let shapes = sig
                    .shapes()
                    .filter(|&(element, _)| suits(&name, element) && has_type(target, element));
                shapes.for_each(|shape| add(&mut module, number, sig, shape, literal));
            }
        }
        let kernels = module.kernels;
        assert!(kernels > 0, "{name} has no instance");
        let (log, built) = module.build(target, options);
        assert_eq!((built, log.as_str()), (kernels, ""), "{name}");
    }
    assert_eq!(found, 162);
}

#[test]
fn every_instruction_on_a_generic_device() {
    every_instruction(&Target::generic(), "");
}

#[test]
fn every_instruction_on_the_weakest_device() {
    every_instruction(&Target::minimal(), "-cl-fast-relaxed-math");
}

#[test]
fn every_instruction_with_halves() {
    every_instruction(&Target { float16: true, ..Target::generic() }, "");
}

/// Returns the build log of a module with one instruction.
fn log(number: u32, operands: &[Parameter], literal: Option<u32>, result: Option<Shape>) -> String {
    let mut module = Module::new(&Target::generic());
    module.kernel(number, operands, literal, result);
    module.build(&Target::generic(), "").0
}

#[test]
fn other_numbers_and_types_are_refused() {
    let of =
        |name| (0..=255).find(|&number| instruction_name(number).as_deref() == Some(name)).unwrap();
    let number = |name, lanes| Parameter::Number((name, lanes));
    let (float, int, long) = (number(Name::Float, 1), number(Name::Int, 1), number(Name::ULong, 1));
    let bytes = Parameter::Pointer(StorageClass::CrossWorkgroup, (Name::Float, 1));
    for (n, operands, literal, result, message) in [
        (111, vec![float], None, Name::Float, "no instruction 111"),
        (of("sin"), vec![int], None, Name::Int, "sin of OpenCL.std does not take"),
        (of("sin"), vec![float], None, Name::Int, "sin of OpenCL.std does not take"),
        (of("sin"), vec![float, float], None, Name::Float, "sin of OpenCL.std does not take"),
        (of("fclamp"), vec![int, int, int], None, Name::Int, "fclamp of OpenCL.std does not"),
        (of("s_max"), vec![float, float], None, Name::Float, "s_max of OpenCL.std does not"),
        (of("pown"), vec![float, float], None, Name::Float, "pown of OpenCL.std does not"),
        (of("vloadn"), vec![long, bytes], Some(2), Name::Float, "another number of components"),
        (of("vloadn"), vec![long, bytes], Some(1), Name::Float, "not there for 1 components"),
        (
            of("shuffle"),
            vec![number(Name::Float, 4), number(Name::ULong, 4)],
            None,
            Name::Float,
            "shuffle of",
        ),
        (of("printf"), vec![bytes], None, Name::Int, "the format of printf is not known"),
    ] {
        let log = log(n, &operands, literal, Some((result, 1)));
        assert!(log.contains(message), "{message}: {log}");
        assert!(log.contains("OpExtInst"), "{log}");
    }
    let store =
        vec![float, long, Parameter::Pointer(StorageClass::CrossWorkgroup, (Name::Half, 1))];
    let log = log(of("vstore_half_r"), &store, Some(9), None);
    assert!(log.contains("unknown rounding mode"), "{log}");
}
