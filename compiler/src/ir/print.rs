//! The printer of the IR's text form.
//!
//! ```text
//! ; a comment runs to the end of the line
//! global @table: constant, size 8, align 4, const = 01000000_02000000
//! global @entry: constant, size 8, align 8, const = 0000000000000000 reloc 0 @table 4
//! kernel @f_entry f(a: buffer, n: value 4, t: local 0 align 16) reqd 64 1 1
//!
//! fn @f_entry() {
//! block0:
//!     v0:ptr.global = load_arg 0, 0
//!     v1:i64 = workitem global_id 0
//!     v2:f32x4 = load v0, align 16
//!     v3:f32x4 = fadd.nc v2, v2
//!     store v0, v3, align 16 volatile
//!     v4:bool = icmp slt v1, 5:i64
//!     brif v4, block1(1.5:f32), block2
//! block1(v5:f32):
//!     call @g(v5, true, undef:i32)
//!     switch v1, [0: block2, 7: block1(v5)], block2
//! block2:
//!     return
//! }
//! ```
//!
//! If a program's locations are kept ([`super::location`]), the text begins with the table of locations,
//! `loc @"a.cl" 12 9 @f at 3` (line, column, function, and where the function is inlined), and instructions end with the
//! number of their location, `!4`. Texts of files that are available come before the table, as names in quotes:
//! `file @"a.cl" @"..."`.
//!
//! A loop's header may have `unroll`, `unroll 4` or `nounroll` before the colon. Every result has its type behind it.
//! Constants are decimal (integers signed, floats in the shortest form that parses to the same value; infinities and NaNs as
//! their bits in hexadecimal), with their type after a colon. Parameters of the entry block are in the function's head.
//! [`super::parse`] parses the text.

use super::entities::{Block, Func, Global, Inst, Value};
use super::function::{Constant, Function, UnrollHint, ValueDef};
use super::inst::{BlockCall, OpFlags};
use super::location::Locations;
use super::module::{Gathering, KernelEntry, Linkage, Module};
use super::names::{linkage_name, space_name, OP_FLAGS};
use super::types::{Scalar, Type};
use crate::kernel::ArgKind;
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::HashSet;
use std::fmt::{self, Write};

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_module(self, false))
    }
}

impl fmt::Display for Function {
    /// Prints calls and globals as `@fn0` and `@global0`, since no module gives their names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        Printer { out: &mut out, names: None, func: self, numbering: None }.function(&self.name);
        f.write_str(&out)
    }
}

/// Returns the text of a module. `renumber` renumbers values and blocks in the order of the text, so that equal
/// programs have equal texts; otherwise entities keep their own numbers.
pub fn print_module(module: &Module, renumber: bool) -> String {
    let mut out = String::new();
    let names = Names::new(module);
    print_locations(&mut out, &module.locations);
    for (global, data) in module.globals.iter() {
        print_global(&mut out, &names, global, data);
    }
    for kernel in module.kernels.iter() {
        print_kernel(&mut out, &names, kernel);
    }
    for (id, func) in module.functions.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        let numbering = renumber.then(|| Numbering::new(func));
        let mut printer = Printer { out: &mut out, names: Some(&names), func, numbering };
        printer.function(&names.funcs[id.index()]);
    }
    out
}

/// Returns the text of one function, with other functions named as in the module's text.
pub fn print_function(module: &Module, id: Func) -> String {
    let mut out = String::new();
    let names = Names::new(module);
    let func = &module.functions[id];
    let mut printer = Printer { out: &mut out, names: Some(&names), func, numbering: None };
    printer.function(&names.funcs[id.index()]);
    out
}

/// Returns the text of one instruction, as in the function's text.
pub fn print_inst(func: &Function, inst: Inst) -> String {
    let mut out = String::new();
    Printer { out: &mut out, names: None, func, numbering: None }.inst(inst);
    out
}

/// Unique names of functions and globals, by number.
struct Names {
    funcs: Vec<String>,
    globals: Vec<String>,
}

impl Names {
    fn new(module: &Module) -> Names {
        let funcs = module.functions.values();
        let funcs = unique(funcs.map(|f| (f.name.as_str(), f.linkage)));
        let globals = module.globals.values();
        let globals = unique(globals.map(|g| (g.name.as_str(), g.linkage)));
        Names { funcs, globals }
    }
}

/// Makes names unique: appends the index to internal names that occurred before. Names that other modules know do not
/// change. Where a name was changed, the text has the name itself behind `named`.
fn unique<'a>(names: impl Iterator<Item = (&'a str, Linkage)> + Clone) -> Vec<String> {
    let known = names.clone().filter(|(_, linkage)| *linkage != Linkage::Internal);
    let mut seen: HashSet<String> = known.map(|(name, _)| name.to_string()).collect();
    let mut out = Vec::new();
    for (i, (name, linkage)) in names.enumerate() {
        let mut name = if name.is_empty() { "_".to_string() } else { name.to_string() };
        if linkage == Linkage::Internal && !seen.insert(name.clone()) {
            let _ = write!(name, ".{i}");
            while !seen.insert(name.clone()) {
                name.push('_');
            }
        }
        out.push(name);
    }
    out
}

/// Prints `@name`. The name is quoted if it contains other characters than those of identifiers and dots. In a quoted
/// name, quotes, backslashes and control characters, which names in SPIR-V may have, are `\{hexadecimal number}`.
fn at(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        format!("@{name}")
    } else {
        let mut text = "@\"".to_string();
        for c in name.chars() {
            match c {
                '"' | '\\' => text.push_str(&format!("\\{{{:x}}}", c as u32)),
                c if c.is_control() => text.push_str(&format!("\\{{{:x}}}", c as u32)),
                c => text.push(c),
            }
        }
        text.push('"');
        text
    }
}

/// Prints the table of locations. The number of a location is its place in the table, from 1.
fn print_locations(out: &mut String, locations: &Locations) {
    for file in locations.files() {
        if let Some(text) = &file.text {
            let _ = writeln!(out, "file {} {}", at(&file.name), at(text));
        }
    }
    for location in locations.iter() {
        let file = at(&locations.file_of(location).name);
        let function = at(locations.function_of(location));
        let _ = write!(out, "loc {file} {} {} {function}", location.line, location.column);
        if location.inlined_at.is_some() {
            let _ = write!(out, " at {}", location.inlined_at.number());
        }
        out.push('\n');
    }
}

fn print_global(out: &mut String, names: &Names, id: Global, data: &super::module::GlobalData) {
    let _ = write!(
        out,
        "global {}: {}, size {}, align {}",
        at(&names.globals[id.index()]),
        space_name(data.space),
        data.size,
        data.align
    );
    if data.is_const {
        out.push_str(", const");
    }
    if let Some(word) = linkage_name(data.linkage) {
        let _ = write!(out, ", {word}");
    }
    if names.globals[id.index()] != data.name {
        let _ = write!(out, ", named {}", at(&data.name));
    }
    if let Some(init) = &data.init {
        out.push_str(" = ");
        for (i, byte) in init.iter().enumerate() {
            if i > 0 && i % 8 == 0 {
                out.push('_');
            }
            let _ = write!(out, "{byte:02x}");
        }
    }
    for &(offset, target, addend) in &data.relocations {
        let target = names.globals.get(target.index()).map_or("?", |n| n);
        let _ = write!(out, " reloc {offset} {} {addend}", at(target));
    }
    out.push('\n');
}

fn print_kernel(out: &mut String, names: &Names, kernel: &KernelEntry) {
    let func = names.funcs.get(kernel.func.index()).map_or("?", |n| n);
    let _ = write!(out, "kernel {} {}(", at(func), kernel.name);
    for (i, arg) in kernel.args.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let name = if arg.name.is_empty() { "_" } else { &arg.name };
        let _ = match arg.kind {
            ArgKind::Value { size } => write!(out, "{name}: value {size}"),
            ArgKind::Buffer => write!(out, "{name}: buffer"),
            ArgKind::Local { ordinal, align } => {
                write!(out, "{name}: local {ordinal} align {align}")
            }
            ArgKind::Image { dim, depth, access } => {
                let depth = if depth { " depth" } else { "" };
                write!(out, "{name}: image {} {}{depth}", dim.name(), access.name())
            }
            ArgKind::Sampler => write!(out, "{name}: sampler"),
            ArgKind::Pipe { access, packet } => {
                write!(out, "{name}: pipe {} {packet}", access.name())
            }
            ArgKind::Queue => write!(out, "{name}: queue"),
        };
        if let Some(align) = kernel.pointee_alignments.get(i).filter(|&&align| align != 0) {
            let _ = write!(out, " aligned {align}");
        }
        out.push_str(if arg.is_restrict { " restrict" } else { "" });
    }
    out.push(')');
    if let Some([x, y, z]) = kernel.required_local_size {
        let _ = write!(out, " reqd {x} {y} {z}");
    }
    if let Some(size) = kernel.required_subgroup_size {
        let _ = write!(out, " subgroup {size}");
    }
    if let Some(count) = kernel.required_subgroups {
        let _ = write!(out, " subgroups {count}");
    }
    out.push_str(if kernel.is_block { " block" } else { "" });
    out.push_str(match kernel.gathering {
        Gathering::Some => "",
        Gathering::Whole => " whole",
        Gathering::Alone => " alone",
    });
    out.push('\n');
}

/// Consecutive numbers of the values and blocks of a function in the order of its text.
struct Numbering {
    values: SecondaryMap<Value, u32>,
    blocks: SecondaryMap<Block, u32>,
}

impl Numbering {
    fn new(func: &Function) -> Numbering {
        let mut numbering = Numbering { values: SecondaryMap::new(), blocks: SecondaryMap::new() };
        let mut next = 0;
        let mut number = |value: Value, values: &mut SecondaryMap<Value, u32>| {
            values[value] = next;
            next += 1;
        };
        for (i, &block) in func.layout.iter().enumerate() {
            numbering.blocks[block] = i as u32;
            for &param in &func.blocks[block].params {
                number(param, &mut numbering.values);
            }
            for &inst in &func.blocks[block].insts {
                if let Some(result) = func.result(inst) {
                    number(result, &mut numbering.values);
                }
            }
        }
        numbering
    }
}

pub(super) struct Printer<'a> {
    pub(super) out: &'a mut String,
    names: Option<&'a Names>,
    func: &'a Function,
    numbering: Option<Numbering>,
}

impl Printer<'_> {
    fn function(&mut self, name: &str) {
        let func = self.func;
        let _ = write!(self.out, "fn {}", at(name));
        let params = func.layout.first().map_or(&[][..], |&b| &func.blocks[b].params);
        self.params(params);
        for (i, ty) in func.returns.iter().enumerate() {
            let _ = write!(self.out, "{}{ty}", if i == 0 { " -> " } else { ", " });
        }
        if func.noinline {
            self.out.push_str(" noinline");
        }
        if func.is_located {
            self.out.push_str(" located");
        }
        if let Some(word) = linkage_name(func.linkage) {
            let _ = write!(self.out, " {word}");
        }
        if name != func.name {
            let _ = write!(self.out, " named {}", at(&func.name));
        }
        self.out.push_str(" {\n");
        for (i, &block) in func.layout.iter().enumerate() {
            self.block(block);
            if i > 0 && !func.blocks[block].params.is_empty() {
                self.params(&func.blocks[block].params);
            }
            match func.blocks[block].unroll.filter(|_| i > 0) {
                Some(UnrollHint::Full) => self.out.push_str(" unroll"),
                Some(UnrollHint::Count(count)) => _ = write!(self.out, " unroll {count}"),
                Some(UnrollHint::Disable) => self.out.push_str(" nounroll"),
                None => {}
            }
            self.out.push_str(":\n");
            for &inst in &func.blocks[block].insts {
                self.out.push_str("    ");
                self.inst(inst);
                if func.location_of(inst).is_some() {
                    let _ = write!(self.out, " !{}", func.location_of(inst).number());
                }
                self.out.push('\n');
            }
        }
        self.out.push_str("}\n");
    }

    fn params(&mut self, params: &[Value]) {
        self.out.push('(');
        for (i, &param) in params.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(param);
            let _ = write!(self.out, ":{}", self.func.ty(param));
        }
        self.out.push(')');
    }

    fn block(&mut self, block: Block) {
        let number = self.numbering.as_ref().map_or(block.as_u32(), |n| n.blocks[block]);
        let _ = write!(self.out, "block{number}");
    }

    fn value(&mut self, value: Value) {
        let data = &self.func.values[value];
        if let ValueDef::Const(constant) = data.def {
            print_const(self.out, data.ty, constant);
        } else {
            let number = self.numbering.as_ref().map_or(value.as_u32(), |n| n.values[value]);
            let _ = write!(self.out, "v{number}");
        }
    }

    pub(super) fn values(&mut self, values: &[Value]) {
        for (i, &value) in values.iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { " " });
            self.value(value);
        }
    }

    pub(super) fn call(&mut self, target: &BlockCall) {
        self.block(target.block);
        if !target.args.is_empty() {
            self.args(&target.args);
        }
    }

    pub(super) fn args(&mut self, args: &[Value]) {
        self.out.push('(');
        for (i, &arg) in args.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(arg);
        }
        self.out.push(')');
    }

    /// Prints the flags of a float operation, behind its name.
    pub(super) fn op_flags(&mut self, flags: OpFlags) {
        for (name, flag) in OP_FLAGS {
            if flags.contains(flag) {
                let _ = write!(self.out, ".{name}");
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        if let Some(result) = self.func.result(inst) {
            self.value(result);
            let _ = write!(self.out, ":{} = ", self.func.ty(result));
        }
        self.func.insts[inst].print(self);
    }

    pub(super) fn global_name(&mut self, global: Global) {
        let name = self.names.and_then(|n| n.globals.get(global.index()));
        let name = name.map_or_else(|| format!("@{global}"), |n| at(n));
        let _ = write!(self.out, " {name}");
    }

    pub(super) fn func_name(&mut self, func: Func) {
        let name = self.names.and_then(|n| n.funcs.get(func.index()));
        let name = name.map_or_else(|| format!("@{func}"), |n| at(n));
        let _ = write!(self.out, " {name}");
    }
}

/// Prints a constant: `5:i32`, `1.5:f32`, `true`, `undef:f32x4`.
fn print_const(out: &mut String, ty: Type, constant: Constant) {
    let Constant::Bits(bits) = constant else {
        let _ = write!(out, "undef:{ty}");
        return;
    };
    let _ = match ty.scalar {
        Scalar::Bool => write!(out, "{}", bits != 0),
        Scalar::I8 => write!(out, "{}:{ty}", bits as i8),
        Scalar::I16 => write!(out, "{}:{ty}", bits as i16),
        Scalar::I32 => write!(out, "{}:{ty}", bits as i32),
        Scalar::I64 => write!(out, "{}:{ty}", bits as i64),
        Scalar::Ptr(_) | Scalar::Matrix(_) => write!(out, "{bits}:{ty}"),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => match float_value(ty.scalar, bits) {
            Some(text) => write!(out, "{text}:{ty}"),
            None => write!(out, "{bits:#x}:{ty}"),
        },
    };
}

/// Returns the shortest decimal that parses to the same float, for finite floats.
fn float_value(scalar: Scalar, bits: u64) -> Option<String> {
    match scalar {
        Scalar::F16 => {
            let value = half::f16::from_bits(bits as u16);
            value.is_finite().then(|| format!("{:?}", value.to_f32()))
        }
        Scalar::F32 => {
            let value = f32::from_bits(bits as u32);
            value.is_finite().then(|| format!("{value:?}"))
        }
        _ => {
            let value = f64::from_bits(bits);
            value.is_finite().then(|| format!("{value:?}"))
        }
    }
}
