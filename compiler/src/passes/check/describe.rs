//! Descriptions of checked instructions, which the host prints.

use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::checks::{Description, Place, OF_A_TEXEL};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// The most bytes of a line of the program's text that a description contains. Longer lines are left out.
const MAX_LINE: usize = 200;

/// Describes the instructions of one function.
pub struct Describer<'a> {
    objects: UnderlyingObjects,
    module: &'a Module,
    id: Func,
    /// The names of the module's variables.
    variables: Vec<String>,
    /// By value that is passed to a call, the number of the kernel's argument that the value is. It may have been
    /// stored in a variable.
    arguments: FxHashMap<Value, u32>,
}

impl<'a> Describer<'a> {
    pub fn new(
        func: &Function,
        cfg: &Cfg,
        module: &'a Module,
        id: Func,
        globals: &PrimaryMap<Global, GlobalData>,
    ) -> Describer<'a> {
        let objects = UnderlyingObjects::compute(func, cfg);
        let variables = globals.values().map(describe_variable).collect();
        let mut stored: FxHashMap<Value, Option<Value>> = FxHashMap::default();
        for inst in func.layout_insts() {
            if let InstData::Store { ptr, value, .. } = func.insts[inst] {
                let is_variable = matches!(func.def_inst(ptr), Some(InstData::Alloca { .. }));
                if is_variable {
                    stored.entry(ptr).and_modify(|known| *known = None).or_insert(Some(value));
                }
            }
        }
        let mut arguments = FxHashMap::default();
        for inst in func.layout_insts() {
            if let InstData::Call { args, .. } = &func.insts[inst] {
                let known =
                    args.iter().filter_map(|&arg| Some((arg, argument_of(func, &stored, arg)?)));
                arguments.extend(known);
            }
        }
        Describer { objects, module, id, variables, arguments }
    }

    /// Returns the underlying objects of pointers.
    pub fn objects(&self) -> &UnderlyingObjects {
        &self.objects
    }

    /// Returns the encoded description of an instruction.
    pub fn describe(&self, func: &Function, inst: Inst) -> Vec<u8> {
        let locations = &self.module.locations;
        let loc = func.location_of(inst);
        let own = locations.chain(loc).filter(|location| !locations.is_built_in(location));
        let mut places: Vec<Place> = own
            .map(|location| Place {
                file: locations.file_of(location).name.to_string(),
                line: location.line,
                column: location.column,
                function: locations.function_of(location).to_string(),
            })
            .collect();
        // The kernel's body is a function that the kernel's entry calls. This call is left out.
        if let [.., body, entry] = &places[..] {
            if self.module.kernel_of(self.id).is_some() && body.function == entry.function {
                places.pop();
            }
        }
        let text = locations.in_program(loc).and_then(|place| locations.line_text(place));
        let text = text.filter(|text| text.len() <= MAX_LINE).unwrap_or_default();
        let data = &func.insts[inst];
        let (action, object) = match func.access(inst) {
            Some((ptr, ty)) => {
                let bytes = ty.bytes();
                let verb = match data {
                    InstData::Load { .. } => "load",
                    InstData::Store { .. } => "store",
                    _ => "atomic operation",
                };
                let plural = if bytes == 1 { "" } else { "s" };
                (format!("{verb} of {bytes} byte{plural}"), self.object(func, ptr))
            }
            None if matches!(data, InstData::Call { .. }) => self.texel(func, data),
            None if matches!(data, InstData::Barrier { .. }) => ("barrier".into(), String::new()),
            None => (describe_division(func, data), String::new()),
        };
        let kernel = self.module.kernel_of(self.id);
        let kernel = kernel.map_or_else(String::new, |kernel| kernel.name.clone());
        Description { action, object, kernel, text: text.to_string(), places }.encode()
    }

    /// Describes the object that a pointer points into, if it is known.
    fn object(&self, func: &Function, ptr: Value) -> String {
        match self.objects.of(func, ptr).object {
            UnderlyingObject::Variable(global) => {
                self.variables.get(global.as_u32() as usize).cloned().unwrap_or_default()
            }
            UnderlyingObject::KernelArgument(index) => self.argument(index),
            UnderlyingObject::Alloca(inst) => match self.variable_at(func.location_of(inst)) {
                Some(name) => format!("private variable '{name}'"),
                None => "a private variable".to_string(),
            },
            _ => String::new(),
        }
    }

    /// Describes a call that stands for the check of a texel's coordinates, and the image if it is an argument.
    fn texel(&self, func: &Function, data: &InstData) -> (String, String) {
        let InstData::Call { args, .. } = data else { return Default::default() };
        let &[.., image, writes] = &args[..] else { return Default::default() };
        let verb = if func.as_const(writes) == Some(1) { "write" } else { "read" };
        let argument = self.arguments.get(&image);
        let object = argument.map_or_else(String::new, |&arg| self.argument(arg));
        (format!("{verb}{OF_A_TEXEL}"), object)
    }

    /// Returns the name of an argument as it is printed.
    fn argument(&self, index: u32) -> String {
        let args = self.module.kernel_of(self.id).map(|kernel| &kernel.args);
        match args.and_then(|args| args.get(index as usize)) {
            Some(arg) if !arg.name.is_empty() => format!("argument '{}'", arg.name),
            _ => format!("argument {index}"),
        }
    }

    /// Returns the name at the place where a variable is declared.
    fn variable_at(&self, loc: Loc) -> Option<&str> {
        let locations = &self.module.locations;
        let place = locations.get(loc)?;
        let rest = locations.line_text(place)?.get(place.column.checked_sub(1)? as usize..)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
    }
}

/// Returns the number of the argument that a value is. The value may have been stored in variables that are written
/// once.
fn argument_of(
    func: &Function,
    stored: &FxHashMap<Value, Option<Value>>,
    mut value: Value,
) -> Option<u32> {
    // The number of steps is limited, since a variable may be stored to itself.
    for _ in 0..=stored.len() {
        value = match *func.def_inst(value)? {
            InstData::LoadArg { arg, .. } => return Some(arg),
            InstData::Load { ptr, .. } => (*stored.get(&ptr)?)?,
            _ => return None,
        };
    }
    None
}

fn describe_variable(data: &GlobalData) -> String {
    let kind = match data.space {
        AddressSpace::Local => "local variable",
        AddressSpace::Constant => "constant variable",
        _ => "variable",
    };
    format!("{kind} '{}'", data.name)
}

fn describe_division(func: &Function, data: &InstData) -> String {
    let InstData::Binary { op, args, .. } = *data else { return String::new() };
    let what = match op {
        BinaryOp::SRem | BinaryOp::URem => "remainder",
        _ => "division",
    };
    let bits = func.ty(args[0]).scalar.bits();
    format!("{what} of {bits} bits")
}
