//! OpenCL C out of bytes whose results the specification fixes to the bit: what two drivers make of such
//! a program may be compared, and what a C compiler makes of the same program in C ([`mod@reference`]).
//!
//! No overflow of signed integers, no division by zero, no index out of bounds, no order of evaluation
//! that matters, nothing read that was not written, no two work-items on one element, no bits of a NaN,
//! and floats in operations that are exact or rounded in one way (contraction is off). Every loop has
//! fuel. Each kernel ends with a hash of all its variables in `out[get_global_id(0)]`.

mod c;
pub mod reference;

use crate::draw::{compared, Draw, COMPARE, ROUNDING};
use crate::typed::types::{Scalar, Type, LANES, SCALARS};
use arbitrary::{Result, Unstructured};
use std::fmt::Write;

/// Elements that belong to one work-item in every array and behind every pointer.
const OWN: u32 = 4;
const DEPTH: u32 = 4;
/// Expressions and statements beyond which only leaves are added.
const LONG: u32 = 700;

/// The language that a program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    OpenCl,
    /// GNU C; vectors are structures, and operations on them functions.
    C,
}

/// Returns the bytes that the program of a number is made of.
pub fn bytes(number: u64) -> Vec<u8> {
    // Knuth's MMIX generator; its high bits are the better ones.
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    (0..400 + 37 * (number % 64)).map(next).collect()
}

/// Returns the program of a number; see [`program`].
pub fn numbered(number: u64, double: bool, language: Language) -> Result<String> {
    program(&mut Unstructured::new(&bytes(number)), double, language)
}

/// Returns a program with a kernel `k(global const uint *in, global ulong *words, local uint *cells, global uint
/// *out)`: four elements of each of the first three belong to a work-item, one of the last. `double`:
/// whether such a type may occur. The same bytes give the same program in either language.
pub fn program(u: &mut Unstructured<'_>, double: bool, language: Language) -> Result<String> {
    let double = double && u.ratio(1, 4)?;
    let scalars =
        SCALARS.into_iter().filter(|s| *s != Scalar::Half && (double || *s != Scalar::Double));
    let mut w = Exact {
        u,
        language,
        helpers: Vec::new(),
        nodes: 0,
        scalars: scalars.collect(),
        text: String::new(),
        places: Vec::new(),
        functions: Vec::new(),
        members: [Scalar::Int.into(); 3],
        result: None,
        names: 0,
    };
    w.prelude()?;
    for _ in 0..w.u.int_in_range(0..=3)? {
        w.function()?;
    }
    w.kernel()?;
    Ok(w.helpers.concat() + &w.text)
}

/// Something with a value: a variable, or an array whose first `count` elements may be used.
#[derive(Clone)]
struct Place {
    name: String,
    ty: Type,
    count: u32,
    writable: bool,
    space: &'static str,
}

struct Function {
    name: String,
    result: Type,
    values: Vec<Type>,
    /// Where a pointer of a last parameter points to.
    pointer: Option<(Type, &'static str)>,
}

struct Exact<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    language: Language,
    /// Functions of the C program that stand for operations of OpenCL C.
    helpers: Vec<String>,
    /// Expressions and statements so far.
    nodes: u32,
    scalars: Vec<Scalar>,
    text: String,
    places: Vec<Place>,
    functions: Vec<Function>,
    /// Types of `struct S`'s members x, y[4] and z.
    members: [Type; 3],
    result: Option<Type>,
    names: u32,
}

impl<'b> Draw<'b> for Exact<'_, 'b> {
    fn bytes(&mut self) -> &mut Unstructured<'b> {
        self.u
    }

    fn expression(&mut self, ty: Type, depth: u32) -> Result<String> {
        self.nodes += 1;
        if depth == 0 || self.u.is_empty() || self.nodes > LONG {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.u.int_in_range(0..=12)? {
            0 => self.leaf(ty),
            1..=3 => self.arithmetic(ty, depth),
            4 => self.conversion(ty, depth),
            5 => self.reinterpretation(ty, depth),
            6 => {
                let vector = ty.is_vector() && self.seldom(2)?;
                let test = match vector {
                    true => self.expression(ty.of(ty.scalar.signed()), depth)?,
                    false => self.expression(Scalar::Int.into(), depth)?,
                };
                let (a, b) = (self.expression(ty, depth)?, self.expression(ty, depth)?);
                Ok(self.chosen(ty, vector, &test, &a, &b))
            }
            7 => self.comparison(ty, depth),
            8 => self.components(ty, depth),
            9 => self.vector(ty, depth),
            10 => match self.place_of(|place| place.ty == ty)? {
                Some(place) => self.element(&place, depth),
                None => self.literal(ty),
            },
            _ => self.builtin(ty, depth),
        }
    }

    fn selected(&mut self, from: Type, to: Type, of: &str, which: &str) -> String {
        match self.language {
            Language::OpenCl => format!("({of}).{which}"),
            Language::C => self.c_selected(from, to, of, which),
        }
    }

    fn built(&mut self, ty: Type, parts: &[(Type, String)]) -> String {
        let texts: Vec<&str> = parts.iter().map(|(_, part)| part.as_str()).collect();
        match self.language {
            Language::C if ty.is_vector() => self.c_built(ty, parts),
            _ => format!("({})({})", ty.name(), texts.join(", ")),
        }
    }
}

impl Exact<'_, '_> {
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn ty(&mut self) -> Result<Type> {
        let scalar = self.u.choose(&self.scalars).copied()?;
        let lanes = if self.seldom(3)? { self.one(&LANES)? } else { 1 };
        Ok(Type { scalar, lanes })
    }

    fn integer(&mut self) -> Result<Type> {
        Ok(Type::from(self.one(&SCALARS.map(|s| if s.is_float() { Scalar::Int } else { s }))?))
    }

    fn place(&mut self, name: &str, ty: Type, count: u32, writable: bool, space: &'static str) {
        self.places.push(Place { name: name.to_string(), ty, count, writable, space });
    }

    fn prelude(&mut self) -> Result<()> {
        self.line("#pragma OPENCL FP_CONTRACT OFF");
        self.members = [self.ty()?, self.ty()?, self.ty()?];
        let [x, y, z] = self.members.map(Type::name);
        let packed = if self.seldom(4)? { "__attribute__((packed)) " } else { "" };
        self.line(&format!("typedef struct {packed}S {{ {x} x; {y} y[{OWN}]; {z} z; }} S;"));
        let lanes = self.ty()?.lanes;
        let (ty, name) = (Type { lanes, ..self.integer()? }, self.name("table"));
        let values: Vec<String> = (0..OWN).map(|_| self.constant(ty)).collect::<Result<_>>()?;
        self.line(&format!("constant {} {name}[{OWN}] = {{ {} }};", ty.name(), values.join(", ")));
        self.place(&name, ty, OWN, false, "constant");
        Ok(())
    }

    fn function(&mut self) -> Result<()> {
        let (scope, name, result) = (self.places.len(), self.name("helper"), self.ty()?);
        let (mut list, mut values, mut pointer) = (Vec::new(), Vec::new(), None);
        for _ in 0..self.u.int_in_range(0..=3)? {
            let (ty, name) = (self.ty()?, self.name("p"));
            list.push(format!("{} {name}", ty.name()));
            self.place(&name, ty, 0, true, "private");
            values.push(ty);
        }
        if self.seldom(2)? {
            let (ty, name, space) = (self.ty()?, self.name("p"), "private");
            list.push(format!("{space} {} *{name}", ty.name()));
            self.place(&name, ty, OWN, true, space);
            pointer = Some((ty, space));
        }
        let inline = self.one(&["", "static ", "inline static "])?;
        self.line(&format!("{inline}{} {name}({}) {{", result.name(), list.join(", ")));
        self.result = Some(result);
        self.line("int fuel = 20;");
        self.declarations()?;
        self.statements(DEPTH - 1)?;
        let value = self.expression(result, 3)?;
        self.line(&format!("return {value};\n}}"));
        self.places.truncate(scope);
        self.functions.push(Function { name, result, values, pointer });
        Ok(())
    }

    fn kernel(&mut self) -> Result<()> {
        self.line(
            "kernel void k(global const uint *in, global ulong *words, local uint *cells, global uint *out) {\n\
             in += 4 * get_global_id(0); words += 4 * get_global_id(0); cells += 4 * get_local_id(0);\n\
             for (int n = 0; n < 4; n++) cells[n] = in[n] ^ n;\n\
             int fuel = 60;",
        );
        self.place("in", Scalar::Uint.into(), OWN, false, "global const");
        self.place("words", Scalar::Ulong.into(), OWN, true, "global");
        self.place("cells", Scalar::Uint.into(), OWN, true, "local");
        self.result = None;
        for _ in 0..self.u.int_in_range(0..=2)? {
            self.view()?;
        }
        self.declarations()?;
        self.declarations()?;
        let written = self.places.len();
        for _ in 0..3 {
            self.statements(DEPTH)?;
        }
        // What statements declare may have been jumped over.
        self.places.truncate(written);
        self.line("goto end; end:;\nuint hash = 1;");
        for place in self.places.clone() {
            self.hash(&place);
        }
        self.line("out[get_global_id(0)] = hash;\n}");
        Ok(())
    }

    /// Takes every bit of a place's value into the hash, but no bits of NaNs.
    fn hash(&mut self, place: &Place) {
        if place.count > 0 {
            let _ = write!(self.text, "for (int n = 0; n < {}; n++) {{ ", place.count);
        }
        for lane in 0..place.ty.lanes {
            let index = if place.count > 0 { "[n]" } else { "" };
            let element = format!("{}{index}", place.name);
            let value = match place.ty.is_vector() {
                true => self.lane(&element, lane),
                false => element,
            };
            let bits = match place.ty.scalar {
                Scalar::Float => format!("(isnan({value}) ? 1u : as_uint({value}))"),
                Scalar::Double => {
                    format!("(isnan({value}) ? 1u : (uint)(as_ulong({value}) ^ as_ulong({value}) >> 32))")
                }
                scalar if scalar.bits() == 64 => format!("(uint)({value} ^ (ulong){value} >> 32)"),
                _ => format!("(uint){value}"),
            };
            let _ = writeln!(self.text, "hash = hash * 31 + {bits};");
        }
        if place.count > 0 {
            self.line("}");
        }
    }

    fn declarations(&mut self) -> Result<()> {
        for _ in 0..self.u.int_in_range(1..=4)? {
            let (ty, name) = (self.ty()?, self.name("v"));
            let value = self.expression(ty, 2)?;
            self.line(&format!("{} {name} = {value};", ty.name()));
            self.place(&name, ty, 0, true, "private");
        }
        if self.seldom(2)? {
            let (ty, name, count) = (self.ty()?, self.name("array"), self.one(&[4, 8, 16])?);
            let values = [self.expression(ty, 1)?, self.expression(ty, 1)?].join(", ");
            self.line(&format!("{} {name}[{count}] = {{ {values} }};", ty.name()));
            self.place(&name, ty, count, true, "private");
            if self.seldom(3)? {
                self.view()?;
            }
        }
        if self.seldom(3)? {
            let (name, value) = (self.name("s"), self.expression(self.members[0], 1)?);
            self.line(&format!("S {name} = {{ .x = {value} }};"));
            let [x, y, z] = self.members;
            self.place(&format!("{name}.x"), x, 0, true, "member");
            self.place(&format!("{name}.y"), y, OWN, true, "member");
            self.place(&format!("{name}.z"), z, 0, true, "member");
        }
        if self.seldom(3)? {
            self.pointer()?;
        }
        Ok(())
    }

    /// A pointer to something that is in scope.
    fn pointer(&mut self) -> Result<()> {
        let all: Vec<Place> =
            self.places.iter().filter(|p| p.count >= OWN && p.space != "member").cloned().collect();
        if let Ok(place) = self.u.choose(&all).cloned() {
            let name = self.name("q");
            self.line(&format!("{} {} *{name} = {};", place.space, place.ty.name(), place.name));
            self.place(&name, place.ty, OWN, place.writable, place.space);
        }
        Ok(())
    }

    /// A pointer to the memory of integers in scope as others, which are no larger. (Floats would show the bits
    /// of NaNs, vectors of three have padding.)
    fn view(&mut self) -> Result<()> {
        let fits = |p: &&Place| {
            let space = ["private", "global", "local"].contains(&p.space);
            space && p.count >= OWN && p.writable && !p.ty.scalar.is_float() && p.ty.lanes != 3
        };
        let all: Vec<Place> = self.places.iter().filter(fits).cloned().collect();
        let (Ok(place), scalar) = (self.u.choose(&all).cloned(), self.integer()?.scalar) else {
            return Ok(());
        };
        let lanes = self.one(&[1, 1, 2, 4])?;
        let (ty, bits) = (Type { scalar, lanes }, place.ty.scalar.bits() * place.ty.lanes);
        if ty.scalar.bits() * ty.lanes > bits {
            return Ok(());
        }
        let (name, space) = (self.name("w"), place.space);
        let pointer = format!("{space} {} *", ty.name());
        self.line(&format!("{pointer}{name} = ({pointer}){};", place.name));
        let count = place.count * bits / (ty.scalar.bits() * ty.lanes);
        self.place(&name, ty, count, true, space);
        Ok(())
    }

    fn statements(&mut self, depth: u32) -> Result<()> {
        for _ in 0..self.u.int_in_range(0..=4)? {
            self.statement(depth)?;
        }
        Ok(())
    }

    fn block(&mut self, depth: u32) -> Result<()> {
        let scope = self.places.len();
        self.line("{");
        if self.seldom(3)? {
            self.declarations()?;
        }
        self.statements(depth)?;
        self.line("}");
        self.places.truncate(scope);
        Ok(())
    }

    fn statement(&mut self, depth: u32) -> Result<()> {
        self.nodes += 1;
        if depth == 0 || self.u.is_empty() || self.nodes > LONG {
            return self.assignment();
        }
        let inner = depth - 1;
        match self.u.int_in_range(0..=12)? {
            0..=4 => self.assignment()?,
            5 => {
                let test = self.test()?;
                self.line(&format!("if ({test})"));
                self.block(inner)?;
                if self.seldom(2)? {
                    self.line("else");
                    self.block(inner)?;
                }
            }
            6 => {
                let (name, ty) = (self.name("i"), self.integer()?);
                let bound = if self.seldom(2)? { self.expression(ty, 2)? } else { "5".to_string() };
                let hint = self.one(&["", "", "#pragma unroll\n"])?;
                let counter = ty.name();
                self.line(&format!(
                    "{hint}for ({counter} {name} = 0; {name} < {bound} && fuel-- > 0; {name}++)"
                ));
                self.place(&name, ty, 0, false, "private");
                self.block(inner)?;
                self.places.pop();
            }
            7 => {
                let (test, out) = (self.test()?, self.one(&["break;", "continue;", ""])?);
                self.line(&format!("while (fuel-- > 0 && {test}) {{"));
                self.block(inner)?;
                let stop = self.test()?;
                self.line(&format!("if ({stop}) {{ {out} }}"));
                self.block(inner)?;
                self.line("}");
            }
            8 => {
                let test = self.test()?;
                self.line("do");
                self.block(inner)?;
                self.line(&format!("while (fuel-- > 0 && {test});"));
            }
            9 => {
                let of = self.integer()?;
                let (value, through) = (self.expression(of, 3)?, self.one(&["", "break;"])?);
                self.line(&format!("switch ({value}) {{ case 0:"));
                self.block(inner)?;
                self.line(&format!("{through} case 3: default:"));
                self.block(inner)?;
                self.line("break; case 7:");
                self.block(inner)?;
                self.line("}");
            }
            10 => {
                let (label, test) = (self.name("L"), self.test()?);
                let back = self.seldom(2)?;
                let jump = format!("if (fuel-- > 0 && {test}) goto {label};");
                self.line(if back { "" } else { &jump });
                self.line(if back { format!("{label}:;") } else { String::new() }.as_str());
                self.block(inner)?;
                self.line(&if back { jump } else { format!("{label}:;") });
            }
            11 => self.call()?,
            _ => {
                let test = self.test()?;
                let leave = match self.result {
                    Some(ty) => format!("return {}", self.expression(ty, 2)?),
                    None => "goto end".to_string(),
                };
                self.line(&format!("if ({test}) {leave};"));
            }
        }
        Ok(())
    }

    fn test(&mut self) -> Result<String> {
        let scalar = self.u.choose(&self.scalars).copied()?;
        let value = self.expression(scalar.into(), 3)?;
        Ok(format!("({value})"))
    }

    /// Returns one of the places that fit, if there are any.
    fn place_of(&mut self, fits: impl Fn(&Place) -> bool) -> Result<Option<Place>> {
        let all: Vec<&Place> = self.places.iter().filter(|place| fits(place)).collect();
        Ok(if all.is_empty() { None } else { Some((*self.u.choose(&all)?).clone()) })
    }

    fn element(&mut self, place: &Place, depth: u32) -> Result<String> {
        Ok(match place.count {
            0 => place.name.clone(),
            count if depth == 0 => {
                format!("{}[{}]", place.name, self.u.int_in_range(0..=count - 1)?)
            }
            count => {
                let of = self.integer()?;
                format!(
                    "{}[({}) & {}]",
                    place.name,
                    self.expression(of, depth.min(2) - 1)?,
                    count - 1
                )
            }
        })
    }

    fn assignment(&mut self) -> Result<()> {
        let Some(place) = self.place_of(|place| place.writable)? else { return Ok(()) };
        let (ty, to) = (place.ty, self.element(&place, 2)?);
        let op = match ty.scalar.is_float() {
            true => "=",
            false => self.one(&["=", "=", "^=", "|=", "&=", "<<=", ">>="])?,
        };
        let (ty, to) = match ty.is_vector() && self.seldom(3)? {
            true => {
                let lane = self.u.int_in_range(0..=ty.lanes - 1)?;
                (ty.scalar.into(), self.lane(&to, lane))
            }
            false => (ty, to),
        };
        let value = self.expression(ty, 4)?;
        let line = match self.language {
            Language::OpenCl => format!("{to} {op} {value};"),
            Language::C => self.c_assigned(ty, &to, op, &value),
        };
        self.line(&line);
        Ok(())
    }

    /// A call stands alone: what it writes is then in order.
    fn call(&mut self) -> Result<()> {
        if self.functions.is_empty() {
            return Ok(());
        }
        let index = self.u.choose_index(self.functions.len())?;
        let Function { name, result, values, pointer } = &self.functions[index];
        let (name, result, values, pointer) = (name.clone(), *result, values.clone(), *pointer);
        let mut list = Vec::new();
        for ty in values {
            list.push(self.expression(ty, 2)?);
        }
        if let Some((ty, space)) = pointer {
            let fits = |p: &&Place| p.ty == ty && p.space == space && p.count >= OWN && p.writable;
            let Some(to) = self.places.iter().filter(fits).map(|p| p.name.clone()).next_back()
            else {
                return Ok(());
            };
            list.push(to);
        }
        let variable = self.name("v");
        self.line(&format!("{} {variable} = {name}({});", result.name(), list.join(", ")));
        self.place(&variable, result, 0, true, "private");
        Ok(())
    }

    /// Returns a component of a vector in a place.
    fn lane(&self, of: &str, lane: u32) -> String {
        match self.language {
            Language::OpenCl => format!("{of}.s{lane:x}"),
            Language::C => format!("{of}.s[{lane}]"),
        }
    }

    fn literal(&mut self, ty: Type) -> Result<String> {
        let value = self.number(ty)?.to_string();
        Ok(self.built(ty, &[(ty.scalar.into(), value)]))
    }

    /// Returns a literal that may initialize what is static.
    fn constant(&mut self, ty: Type) -> Result<String> {
        let value = self.number(ty)?;
        let (scalar, name) = (ty.scalar.name(), ty.name());
        Ok(match self.language {
            Language::C if ty.is_vector() => {
                let lanes = vec![format!("({scalar})({value})"); ty.lanes as usize];
                format!("{{{{ {} }}}}", lanes.join(", "))
            }
            _ => format!("({name})({value})"),
        })
    }

    fn number(&mut self, ty: Type) -> Result<&'static str> {
        Ok(match ty.scalar {
            Scalar::Float => self.one(&["1.0f", "0.5f", "-2.25e7f", "INFINITY", "NAN", "3e-3f"])?,
            Scalar::Double => self.one(&["1.0", "0.1", "-1e300", "7e9"])?,
            _ => {
                self.one(&["0", "1", "-1", "31", "0x7f", "0x80000000u", "0xfedcba9876543210UL"])?
            }
        })
    }

    fn leaf(&mut self, ty: Type) -> Result<String> {
        let all: Vec<Place> = self.places.iter().filter(|p| p.ty == ty).cloned().collect();
        if all.is_empty() || self.seldom(4)? {
            return self.literal(ty);
        }
        let place = self.u.choose(&all)?.clone();
        self.element(&place, 0)
    }

    fn arithmetic(&mut self, ty: Type, depth: u32) -> Result<String> {
        let (a, b) = (self.expression(ty, depth)?, self.expression(ty, depth)?);
        let (ops, kind): (&[&str], _) = match ty.scalar.is_float() {
            true => (&["+", "-", "*"], 4),
            false => match self.u.int_in_range(0..=4)? {
                0 | 1 => (&["+", "-", "*"], 0),
                2 => (&["/", "%"], 2),
                3 => (&["<<", ">>"], 3),
                _ => (&["&", "|", "^"], 4),
            },
        };
        let op = self.one(ops)?;
        if self.language == Language::C && (ty.is_vector() || kind == 3) {
            return Ok(self.c_arithmetic(ty, op, &a, &b));
        }
        let name = ty.name();
        Ok(match kind {
            _ if ty.scalar.is_float() => format!("({a} {op} {b})"),
            0 => {
                // Unsigned: signed overflow is undefined, and narrow types are promoted to int.
                let unsigned = match (ty.is_vector(), ty.scalar.bits()) {
                    (false, 8 | 16) => "uint".to_string(),
                    _ => ty.of(ty.scalar.unsigned()).name(),
                };
                let (back, to) = match ty.is_vector() {
                    true => (format!("as_{name}"), format!("as_{unsigned}")),
                    false => (format!("({name})"), format!("({unsigned})")),
                };
                format!("{back}({to}({a}) {op} {to}({b}))")
            }
            2 => format!("({name})({a} {op} (({b} & ({name})(0x3f)) + ({name})(1)))"),
            _ => format!("({name})({a} {op} {b})"),
        })
    }

    /// Returns one of two values.
    fn chosen(&mut self, ty: Type, by_lane: bool, test: &str, a: &str, b: &str) -> String {
        match (self.language, by_lane) {
            (Language::C, true) => self.c_chosen(ty, test, a, b),
            (Language::C, false) if ty.is_vector() => format!("({test} ? {a} : {b})"),
            _ => format!("({})({test} ? {a} : {b})", ty.name()),
        }
    }

    fn conversion(&mut self, ty: Type, depth: u32) -> Result<String> {
        let from = ty.of(self.u.choose(&self.scalars).copied()?);
        let value = self.expression(from, depth)?;
        let mode = self.one(ROUNDING)?;
        // What does not fit is defined between integers, and where it saturates.
        let sat = !ty.scalar.is_float() && (from.scalar.is_float() || self.seldom(2)?);
        if self.language == Language::C {
            return Ok(self.c_converted(from, ty, sat, mode, &value));
        }
        if from.scalar.is_float() && sat {
            let zero = format!("({})(0)", from.name());
            let test = match (ty.is_vector(), from.scalar.bits()) {
                (true, _) => "",
                (false, 64) => "(long)",
                (false, _) => "(int)",
            };
            return Ok(format!(
                "convert_{}_sat{mode}(select({value}, {zero}, {test}isnan({value})))",
                ty.name()
            ));
        }
        Ok(format!("convert_{}{}{mode}({value})", ty.name(), if sat { "_sat" } else { "" }))
    }

    fn reinterpretation(&mut self, ty: Type, depth: u32) -> Result<String> {
        if ty.scalar.is_float() || ty.lanes == 3 {
            return self.arithmetic(ty, depth);
        }
        let bits = ty.scalar.bits() * ty.lanes;
        let mut from = Vec::new();
        for scalar in self.scalars.iter().filter(|s| !s.is_float()) {
            let lanes = [1, 2, 4, 8, 16].into_iter().filter(|lanes| scalar.bits() * lanes == bits);
            from.extend(lanes.map(|lanes| Type { scalar: *scalar, lanes }));
        }
        let from = self.one(&from)?;
        let value = self.expression(from, depth)?;
        Ok(match self.language {
            Language::OpenCl => format!("as_{}({value})", ty.name()),
            Language::C => self.c_reinterpreted(from, ty, &value),
        })
    }

    fn comparison(&mut self, ty: Type, depth: u32) -> Result<String> {
        let of = compared(ty, &self.scalars);
        if of.is_empty() {
            return self.arithmetic(ty, depth);
        }
        let operand = ty.of(self.one(&of)?);
        let (a, b) = (self.expression(operand, depth)?, self.expression(operand, depth)?);
        match !ty.is_vector() && self.seldom(3)? {
            true => Ok(format!("({a} {} {b})", self.one(&["&&", "||"])?)),
            false => {
                let op = self.one(COMPARE)?;
                Ok(match self.language {
                    Language::C if ty.is_vector() => self.c_compared(operand, ty, op, &a, &b),
                    _ => format!("({a} {op} {b})"),
                })
            }
        }
    }

    fn builtin(&mut self, ty: Type, depth: u32) -> Result<String> {
        let (names, count): (&[&str], usize) =
            match (ty.scalar.is_float(), self.u.int_in_range(0..=6)?) {
                (true, 0 | 1) => (&["fabs", "floor", "ceil", "trunc", "rint", "round", "sign"], 1),
                (true, 2) => (&["fma"], 3),
                (true, 3) => (&["fmod", "nextafter", "fdim"], 2),
                (false, 0) => (&["clz", "popcount"], 1),
                (false, 1) => (&["mad_hi", "mad_sat"], 3),
                (false, 2) => (&["bitselect"], 3),
                (false, 3) if !ty.scalar.is_signed() => {
                    let from = ty.of(self.one(&[ty.scalar, ty.scalar.signed()])?);
                    let (a, b) = (self.expression(from, depth)?, self.expression(from, depth)?);
                    return Ok(match self.seldom(2)? {
                        true => self.called("abs", ty, &[(from, a)]),
                        false => self.called("abs_diff", ty, &[(from, a), (from, b)]),
                    });
                }
                (_, 4) => {
                    let by = ty.of(self.one(&[ty.scalar.signed(), ty.scalar.unsigned()])?);
                    let (a, b, c) = (
                        self.expression(ty, depth)?,
                        self.expression(ty, depth)?,
                        self.expression(by, depth)?,
                    );
                    return Ok(self.called("select", ty, &[(ty, a), (ty, b), (by, c)]));
                }
                (_, 5) if ty.is_vector() && ty.lanes != 3 => {
                    let mask = ty.of(ty.scalar.unsigned());
                    let (a, b, c) = (
                        self.expression(ty, depth)?,
                        self.expression(ty, depth)?,
                        self.expression(mask, depth)?,
                    );
                    return Ok(self.called("shuffle2", ty, &[(ty, a), (ty, b), (mask, c)]));
                }
                (false, 6) if ty == Scalar::Int.into() => {
                    let (scalar, lanes) =
                        (self.one(&[Scalar::Int, Scalar::Char, Scalar::Long])?, self.one(&LANES)?);
                    let of = Type { scalar, lanes };
                    let value = self.expression(of, depth)?;
                    let name = self.one(&["any", "all"])?;
                    return Ok(self.called(name, ty, &[(of, value)]));
                }
                (false, 6) if ty == Scalar::Ulong.into() => {
                    return Ok(format!(
                        "{}(0)",
                        self.one(&["get_global_id", "get_local_id", "get_group_id"])?
                    ))
                }
                (false, 6) if ty.scalar.narrower().is_some() => {
                    let half = ty.scalar.narrower().unwrap_or(Scalar::Char);
                    let (high, low) = (ty.of(half), ty.of(half.unsigned()));
                    let args = [
                        (high, self.expression(high, depth)?),
                        (low, self.expression(low, depth)?),
                    ];
                    return Ok(self.called("upsample", ty, &args));
                }
                (true, _) => (&["fabs", "floor"], 1),
                (false, _) => {
                    (&["add_sat", "hadd", "rhadd", "max", "min", "mul_hi", "rotate", "sub_sat"], 2)
                }
            };
        let name = self.one(names)?;
        let list: Vec<(Type, String)> =
            (0..count).map(|_| Ok((ty, self.expression(ty, depth)?))).collect::<Result<_>>()?;
        Ok(self.called(name, ty, &list))
    }

    /// Returns a call of a built-in function.
    fn called(&mut self, name: &str, ty: Type, args: &[(Type, String)]) -> String {
        if self.language == Language::C {
            return self.c_called(name, ty, args);
        }
        let list: Vec<&str> = args.iter().map(|(_, arg)| arg.as_str()).collect();
        format!("{name}({})", list.join(", "))
    }
}
