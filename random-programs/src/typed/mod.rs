//! OpenCL C out of bytes: programs whose types are right, so that they reach lowering, the passes and
//! the emitter. (`grammar` makes programs that seldom are.)
//!
//! A program is structures, globals, functions that call one another and a kernel. What may be read
//! and written at a point stands in a scope of places; every expression is asked for by its type.

mod calls;
mod expression;
mod places;
mod statement;
pub mod types;

use crate::draw::Draw;
use arbitrary::{Result, Unstructured};
use places::{Function, Parameter, Place};
use std::fmt::Write;
use types::{Scalar, Type, LANES, SCALARS};

/// The most height of statements within each other.
const DEPTH: u32 = 4;
/// Bytes of a text beyond which only leaves are added.
const LONG: usize = 12_000;
const SPACES: &[&str] = &["global", "local", "private", "constant", "", "const global"];

/// A program and the optional types that it uses.
pub struct Program {
    pub text: String,
    pub double: bool,
    pub half: bool,
}

/// Returns a program out of bytes.
pub fn program(u: &mut Unstructured<'_>) -> Result<Program> {
    let (double, half) = (u.ratio(1, 3)?, u.ratio(1, 4)?);
    let mut w = Writer {
        u,
        text: String::new(),
        scalars: SCALARS.into_iter().filter(|s| offered(*s, double, half)).collect(),
        places: Vec::new(),
        functions: Vec::new(),
        blocks: Vec::new(),
        structures: Vec::new(),
        members: [Scalar::Int.into(); 4],
        result: None,
        names: 0,
    };
    if half {
        w.text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    }
    w.globals()?;
    for _ in 0..w.u.int_in_range(0..=3)? {
        w.function()?;
    }
    w.kernel()?;
    Ok(Program { text: w.text, double, half })
}

fn offered(scalar: Scalar, double: bool, half: bool) -> bool {
    match scalar {
        Scalar::Double => double,
        Scalar::Half => half,
        _ => true,
    }
}

struct Writer<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    text: String,
    /// The scalars that this program may use.
    scalars: Vec<Scalar>,
    /// The entities in scope, the innermost last.
    places: Vec<Place>,
    /// The functions defined so far.
    functions: Vec<Function>,
    /// Blocks in scope: name, result, parameter.
    blocks: Vec<(String, Type, Type)>,
    /// Variables of type `S` in scope.
    structures: Vec<String>,
    /// The types of the members of `S` (x, y, z) and of `U` (m).
    members: [Type; 4],
    /// The return type of the function that is being written.
    result: Option<Type>,
    names: u32,
}

impl Writer<'_, '_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn scalar(&mut self) -> Result<Scalar> {
        self.u.choose(&self.scalars).copied()
    }

    fn integer(&mut self) -> Result<Scalar> {
        self.one(&SCALARS.map(|s| if s.is_float() { Scalar::Int } else { s }))
    }

    fn ty(&mut self) -> Result<Type> {
        let lanes = match self.seldom(3)? {
            true => self.one(&LANES)?,
            false => 1,
        };
        Ok(Type { scalar: self.scalar()?, lanes })
    }

    fn globals(&mut self) -> Result<()> {
        let (x, y, z, m) = (self.ty()?, self.ty()?, self.ty()?, self.ty()?);
        let packed = if self.seldom(4)? { " __attribute__((packed))" } else { "" };
        let _ = write!(
            self.text,
            "typedef struct{packed} S {{ {} x; {} y[4]; {} z; }} S;\n\
             typedef union {{ {} m; uchar bytes[8]; }} U;\n",
            x.name(),
            y.name(),
            z.name(),
            m.name()
        );
        self.members = [x, y, z, m];
        for space in ["constant", "global"] {
            let (ty, name) = (self.ty()?, self.name("table"));
            let values: Vec<String> = (0..4).map(|_| self.literal(ty)).collect::<Result<_>>()?;
            let _ = writeln!(
                self.text,
                "{space} {} {name}[4] = {{ {} }};",
                ty.name(),
                values.join(", ")
            );
            self.places.push(Place::array(&name, ty, 4, space != "constant", space));
        }
        Ok(())
    }

    fn function(&mut self) -> Result<()> {
        let scope = self.places.len();
        let (name, result) = (self.name("helper"), self.ty()?);
        let mut parameters = Vec::new();
        for _ in 0..self.u.int_in_range(0..=4)? {
            parameters.push(self.parameter()?);
        }
        let list: Vec<String> = parameters.iter().map(|(text, _)| text.clone()).collect();
        let inline = self.one(&["", "static ", "inline static ", "__attribute__((noinline)) "])?;
        let _ = writeln!(self.text, "{inline}{} {name}({}) {{", result.name(), list.join(", "));
        self.result = Some(result);
        self.declarations()?;
        self.statements(DEPTH - 1)?;
        let value = self.expression(result, 3)?;
        let _ = writeln!(self.text, "return {value};\n}}");
        self.places.truncate(scope);
        self.structures.clear();
        self.blocks.clear();
        let parameters = parameters.into_iter().map(|(_, parameter)| parameter).collect();
        self.functions.push(Function { name, result, parameters });
        Ok(())
    }

    /// Returns a parameter's declaration, and puts its name into scope.
    fn parameter(&mut self) -> Result<(String, Parameter)> {
        let (ty, name) = (self.ty()?, self.name("p"));
        Ok(match self.u.int_in_range(0..=3)? {
            0 | 1 => {
                self.places.push(Place::variable(&name, ty, true));
                (format!("{} {name}", ty.name()), Parameter::Value(ty))
            }
            2 => {
                let space = self.one(SPACES)?;
                self.places.push(Place::pointer(&name, ty, space));
                (format!("{space} {} *{name}", ty.name()), Parameter::Pointer(ty, space))
            }
            _ => {
                self.structure(&name);
                (format!("S {name}"), Parameter::Structure)
            }
        })
    }

    fn kernel(&mut self) -> Result<()> {
        let mut list = Vec::new();
        for space in ["global", "local", "constant", "const global"] {
            let (ty, name) = (self.ty()?, self.name("p"));
            let restrict = if self.seldom(2)? { "restrict " } else { "" };
            list.push(format!("{space} {} *{restrict}{name}", ty.name()));
            self.places.push(Place::pointer(&name, ty, space));
        }
        let (ty, name) = (self.ty()?, self.name("p"));
        list.push(format!("{} {name}", ty.name()));
        self.places.push(Place::variable(&name, ty, true));
        list.push("S value".to_string());
        self.structure("value");
        list.push("global atomic_int *counters, global uint *words, local int *cells".to_string());
        self.places.push(Place::pointer("words", Scalar::Uint.into(), "global"));
        self.places.push(Place::pointer("cells", Scalar::Int.into(), "local"));
        let size = self.one(&["", "", "__attribute__((reqd_work_group_size(8, 1, 1))) "])?;
        let _ = writeln!(self.text, "kernel {size}void k({}) {{", list.join(", "));
        self.result = None;
        let (shared, ty) = (self.name("shared"), self.ty()?);
        let _ = writeln!(self.text, "local {} {shared}[16];", ty.name());
        self.places.push(Place::array(&shared, ty, 16, true, "local"));
        self.declarations()?;
        self.statements(DEPTH)?;
        self.statements(DEPTH)?;
        let value = self.expression(Scalar::Uint.into(), 4)?;
        let _ = writeln!(self.text, "words[get_global_id(0)] = {value};\n}}");
        Ok(())
    }
}
