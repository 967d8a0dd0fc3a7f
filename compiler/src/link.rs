//! Linking: the modules of several objects become one, in which names refer to their definitions (C99 6.2.2).
//!
//! Entities that are internal to an object stay apart from entities of the same name in other objects. An external entity may
//! have one definition, and any number of definitions with linkage LinkOnceODR, the first of which is used if there is no
//! other; every import needs a definition in a program, but not in a library.

use crate::ir::names::space_name;
use crate::ir::{
    AddressSpace, Func, Function, Global, GlobalData, InstData, Linkage, Loc, Module, Type, Value,
};
use crate::object::{ModuleFlags, Object};
use crate::options::LinkOptions;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::collections::HashMap;

/// The most errors that are reported; there may be more.
const ERROR_LIMIT: usize = 20;

/// Merges objects into one.
///
/// Errors, one line each: two definitions of a symbol, declarations that disagree with it, and,
/// unless a library is made, symbols without a definition.
pub fn link(objects: &[&Object], options: &LinkOptions) -> Result<Object, Vec<String>> {
    let mut linker = Linker::default();
    for (index, object) in objects.iter().enumerate() {
        linker.declare(index, &object.module);
    }
    let module = linker.merge(objects);
    if !options.create_library && linker.errors.is_empty() {
        linker.errors = undefined(&module);
    }
    linker.errors.truncate(ERROR_LIMIT);
    match linker.errors.is_empty() {
        true => Ok(Object { module, flags: flags(objects, options) }),
        false => Err(linker.errors),
    }
}

/// Returns the flags of a program: those that all its objects have. Link options add flags if every
/// object allows it (OpenCL API 5.8.7.2).
fn flags(objects: &[&Object], options: &LinkOptions) -> ModuleFlags {
    let all = |flag: fn(&ModuleFlags) -> bool| objects.iter().all(|object| flag(&object.flags));
    let open = all(|flags| !flags.fixed);
    ModuleFlags {
        finite_only: all(|flags| flags.finite_only) || open && options.finite_only(),
        flush_denorms: all(|flags| flags.flush_denorms) || open && options.denorms_are_zero,
        uniform_groups: !all(|flags| !flags.uniform_groups),
        fixed: options.create_library && !options.enable_link_options,
    }
}

/// The entity that a symbol names in the merged module.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Symbol {
    Func(Func),
    Global(Global),
}

/// Number of an object.
type Index = usize;

#[derive(Default)]
struct Linker {
    symbols: HashMap<String, Symbol>,
    /// The object and the function there that has the body of each merged function.
    functions: PrimaryMap<Func, (Index, Func)>,
    globals: PrimaryMap<Global, (Index, Global)>,
    /// The merged entity for each entity of each object.
    entity_maps: Vec<EntityMap>,
    function_types: SecondaryMap<Func, FunctionType>,
    variable_types: SecondaryMap<Global, Option<VariableType>>,
    errors: Vec<String>,
}

#[derive(Default)]
struct EntityMap {
    functions: SecondaryMap<Func, Option<Func>>,
    globals: SecondaryMap<Global, Option<Global>>,
}

/// The kind of definition that a declaration is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Definition {
    #[default]
    None,
    /// One of several equal definitions.
    Once,
    Only,
}

impl Definition {
    fn of(linkage: Linkage) -> Definition {
        match linkage {
            Linkage::External => Definition::Only,
            Linkage::LinkOnce => Definition::Once,
            Linkage::Internal | Linkage::Import => Definition::None,
        }
    }

    /// Returns true if this definition replaces an older one.
    fn replaces(self, old: Definition) -> bool {
        match self {
            Definition::None => false,
            Definition::Once => old == Definition::None,
            Definition::Only => old != Definition::Only,
        }
    }

    fn conflicts(self, old: Definition) -> bool {
        (self, old) == (Definition::Only, Definition::Only)
    }
}

/// The types that all declarations of a function must have.
#[derive(Debug, Clone, Default, PartialEq)]
struct FunctionType {
    params: Vec<Type>,
    ret: Option<Type>,
    definition: Definition,
}

impl FunctionType {
    fn of(function: &Function) -> FunctionType {
        let params = function.params().iter().map(|&param| function.ty(param)).collect();
        let definition = Definition::of(function.linkage);
        FunctionType { params, ret: function.ret(), definition }
    }

    fn text(&self) -> String {
        let params: Vec<String> = self.params.iter().map(Type::to_string).collect();
        let ret = self.ret.map_or("void".to_string(), |ty| ty.to_string());
        format!("{ret} ({})", params.join(", "))
    }
}

/// The properties that all declarations of a variable must have.
#[derive(Debug, Clone, Copy)]
struct VariableType {
    space: AddressSpace,
    /// Bytes; 0 in a declaration of an array without bounds.
    size: u64,
    /// The greatest alignment that any of the declarations asks for.
    align: u32,
    definition: Definition,
}

impl Linker {
    /// Assigns each entity of an object an entity of the merged module.
    fn declare(&mut self, index: Index, module: &Module) {
        let mut map = EntityMap::default();
        for (id, function) in module.functions.iter() {
            map.functions[id] = Some(self.function(index, id, function));
        }
        for (id, global) in module.globals.iter() {
            map.globals[id] = Some(self.global(index, id, global));
        }
        self.entity_maps.push(map);
    }

    fn function(&mut self, index: Index, id: Func, function: &Function) -> Func {
        if function.linkage == Linkage::Internal {
            return self.functions.push((index, id));
        }
        let new = FunctionType::of(function);
        let name = &function.name;
        let Some(&symbol) = self.symbols.get(name) else {
            let func = self.functions.push((index, id));
            self.symbols.insert(name.clone(), Symbol::Func(func));
            self.function_types[func] = new;
            return func;
        };
        let Symbol::Func(func) = symbol else {
            self.errors.push(format!("symbol '{name}' is both a variable and a function"));
            return self.functions.push((index, id));
        };
        let old = &self.function_types[func];
        if (&old.params, old.ret) != (&new.params, new.ret) {
            let (old, new) = (old.text(), new.text());
            self.errors.push(format!("conflicting types for symbol '{name}': {old} and {new}"));
        } else if new.definition.conflicts(old.definition) {
            self.errors.push(format!("duplicate symbol: {name}"));
        } else if new.definition.replaces(old.definition) {
            self.functions[func] = (index, id);
            self.function_types[func] = new;
        }
        func
    }

    fn global(&mut self, index: Index, id: Global, global: &GlobalData) -> Global {
        if global.linkage == Linkage::Internal {
            return self.globals.push((index, id));
        }
        let GlobalData { space, size, align, .. } = *global;
        let definition = Definition::of(global.linkage);
        let new = VariableType { space, size, align, definition };
        let name = &global.name;
        let Some(&symbol) = self.symbols.get(name) else {
            let place = self.globals.push((index, id));
            self.symbols.insert(name.clone(), Symbol::Global(place));
            self.variable_types[place] = Some(new);
            return place;
        };
        let Symbol::Global(place) = symbol else {
            self.errors.push(format!("symbol '{name}' is both a function and a variable"));
            return self.globals.push((index, id));
        };
        let Some(old) = &mut self.variable_types[place] else { return place };
        old.align = old.align.max(align);
        if old.space != new.space {
            let spaces = (space_name(old.space), space_name(new.space));
            self.errors.push(format!(
                "conflicting address spaces for symbol '{name}': {} and {}",
                spaces.0, spaces.1
            ));
        } else if old.size != new.size && old.size != 0 && new.size != 0 {
            let (old, new) = (old.size, new.size);
            self.errors
                .push(format!("conflicting types for symbol '{name}': {old} bytes and {new}"));
        } else if new.definition.conflicts(old.definition) {
            self.errors.push(format!("duplicate symbol: {name}"));
        } else if new.definition.replaces(old.definition) {
            self.globals[place] = (index, id);
            *old = VariableType { align: old.align, ..new };
        }
        place
    }

    /// Returns the merged module, with everything that was declared.
    fn merge(&mut self, objects: &[&Object]) -> Module {
        let mut module = Module::default();
        let locations = objects.iter().map(|object| &object.module.locations);
        let locations: Vec<Vec<Loc>> =
            locations.map(|other| module.locations.adopt(other)).collect();
        for (index, id) in self.functions.values() {
            let mut function = objects[*index].module.functions[*id].clone();
            self.entity_maps[*index].rename(&mut function);
            function.map_locations(|loc| locations[*index][loc.number() as usize]);
            module.functions.push(function);
        }
        for (place, (index, id)) in self.globals.iter() {
            let mut global = objects[*index].module.globals[*id].clone();
            global.align = self.variable_types[place].map_or(global.align, |shape| shape.align);
            for (_, target, _) in &mut global.relocations {
                *target = self.entity_maps[*index].globals[*target].unwrap_or(*target);
            }
            module.globals.push(global);
        }
        for (object, map) in objects.iter().zip(&self.entity_maps) {
            for kernel in object.module.kernels.iter() {
                let mut kernel = kernel.clone();
                kernel.func = map.functions[kernel.func].unwrap_or(kernel.func);
                module.kernels.push(kernel);
            }
        }
        module
    }
}

impl EntityMap {
    /// Replaces the callees and variables that a function uses by the merged ones.
    fn rename(&self, function: &mut Function) {
        for inst in function.insts.values_mut() {
            match inst {
                InstData::Call { func, .. } | InstData::KernelNumber { kernel: func } => {
                    *func = self.functions[*func].unwrap_or(*func);
                }
                InstData::GlobalAddr { global } => {
                    *global = self.globals[*global].unwrap_or(*global);
                }
                _ => {}
            }
        }
    }
}

/// Returns an error for each import that no object defines, with a function that uses it.
fn undefined(module: &Module) -> Vec<String> {
    let functions = module.functions.values().filter(|f| f.linkage == Linkage::Import);
    let globals = module.globals.values().filter(|g| g.linkage == Linkage::Import);
    let names = functions.map(|f| f.name.as_str()).chain(globals.map(|g| g.name.as_str()));
    let mut users: HashMap<&str, &str> = HashMap::new();
    for function in module.functions.values() {
        for inst in function.layout_insts() {
            let used = match &function.insts[inst] {
                InstData::Call { func, .. } => &module.functions[*func].name,
                InstData::GlobalAddr { global } => &module.globals[*global].name,
                _ => continue,
            };
            users.entry(used).or_insert(&function.name);
        }
    }
    let message = |name: &str| match users.get(name) {
        Some(user) => format!("undefined symbol: {name} (referenced by {user})"),
        None => format!("undefined symbol: {name}"),
    };
    names.map(message).collect()
}

/// Replaces the numbers of kernels by constants, in a program without undefined imports.
pub fn number_kernels(module: &mut Module) {
    let numbers: HashMap<Func, u64> =
        module.kernels.iter().zip(0..).map(|(kernel, number)| (kernel.func, number)).collect();
    for function in module.functions.values_mut() {
        let mut constants: HashMap<Value, Value> = HashMap::new();
        for inst in function.layout_insts().collect::<Vec<_>>() {
            let InstData::KernelNumber { kernel } = function.insts[inst] else { continue };
            // A function that is not a kernel gets a number that the runtime refuses.
            let number = numbers.get(&kernel).copied().unwrap_or(u64::from(u32::MAX));
            if let Some(result) = function.result(inst) {
                constants.insert(result, function.constant(Type::I32, number));
            }
        }
        if !constants.is_empty() {
            function.replace_uses(|value| constants.get(&value).copied().unwrap_or(value));
        }
    }
}

/// Empties the variables that no kernel uses, after all passes.
pub fn drop_unused(module: &mut Module) {
    let mut used: SecondaryMap<Global, bool> = SecondaryMap::new();
    let mut pending = Vec::new();
    for function in module.functions.values() {
        pending.extend(function.layout_insts().filter_map(|inst| match function.insts[inst] {
            InstData::GlobalAddr { global } => Some(global),
            _ => None,
        }));
    }
    while let Some(global) = pending.pop() {
        if !std::mem::replace(&mut used[global], true) {
            let targets = &module.globals[global].relocations;
            pending.extend(targets.iter().map(|(_, target, _)| *target));
        }
    }
    for (id, global) in module.globals.iter_mut() {
        if !used[id] {
            global.size = 0;
            global.init = None;
            global.relocations.clear();
        }
    }
}
