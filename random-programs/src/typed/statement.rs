//! Statements and declarations.

use super::places::{Kind, Place};
use super::types::{Scalar, Type};
use super::Writer;
use crate::draw::Draw;
use arbitrary::Result;
use std::fmt::Write;

const ASSIGN: &[&str] = &["=", "=", "+=", "-=", "*="];
const ASSIGN_INTEGER: &[&str] = &["=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];

impl Writer<'_, '_> {
    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    /// Variables of a new block of statements.
    pub fn declarations(&mut self) -> Result<()> {
        for _ in 0..self.u.int_in_range(1..=4)? {
            let (ty, name) = (self.ty()?, self.name("v"));
            let constant = self.seldom(5)?;
            let (qualifier, value) =
                (if constant { "const " } else { "" }, self.expression(ty, 2)?);
            let _ = writeln!(self.text, "{qualifier}{} {name} = {value};", ty.name());
            self.places.push(Place::variable(&name, ty, !constant));
        }
        match self.u.int_in_range(0..=5)? {
            0 => {}
            1 | 2 => {
                let (ty, name, count) =
                    (self.ty()?, self.name("array"), self.one(&[2, 4, 16, 64])?);
                let value = self.expression(ty, 1)?;
                let _ = writeln!(self.text, "{} {name}[{count}] = {{ {value} }};", ty.name());
                self.places.push(Place::array(&name, ty, count, true, "private"));
            }
            3 => {
                let (name, value) = (self.name("s"), self.expression(self.members[0], 1)?);
                let _ = writeln!(self.text, "S {name} = {{ .x = {value} }};");
                self.structure(&name);
            }
            4 => {
                let (name, value) = (self.name("u"), self.expression(self.members[3], 1)?);
                let _ = writeln!(self.text, "U {name} = {{ {value} }};");
                self.union(&name);
            }
            _ => self.pointer_declaration()?,
        }
        Ok(())
    }

    fn pointer_declaration(&mut self) -> Result<()> {
        let (ty, name) = (self.ty()?, self.name("q"));
        let space = self.one(&["global", "local", "private", ""])?;
        let value = self.pointer_to(ty, space)?;
        let _ = writeln!(self.text, "{space} {} *{name} = {value};", ty.name());
        self.places.push(Place::pointer(&name, ty, space));
        Ok(())
    }

    pub fn statements(&mut self, depth: u32) -> Result<()> {
        for _ in 0..self.u.int_in_range(0..=4)? {
            self.statement(depth)?;
        }
        Ok(())
    }

    /// Statements in braces with variables of their own.
    fn block(&mut self, depth: u32) -> Result<()> {
        let (places, structures, blocks) =
            (self.places.len(), self.structures.len(), self.blocks.len());
        self.line("{");
        if self.seldom(3)? {
            self.declarations()?;
        }
        self.statements(depth)?;
        self.line("}");
        self.places.truncate(places);
        self.structures.truncate(structures);
        self.blocks.truncate(blocks);
        Ok(())
    }

    fn statement(&mut self, depth: u32) -> Result<()> {
        if depth == 0 || self.u.is_empty() || self.text.len() > super::LONG {
            return self.assignment();
        }
        match self.u.int_in_range(0..=15)? {
            0..=5 => self.assignment(),
            6 => self.branch(depth),
            7 | 8 => self.counted_loop(depth),
            9 => self.conditional_loop(depth),
            10 => self.switch(depth),
            11 => self.jump(depth),
            12 => self.synchronization(),
            13 => self.closure(),
            14 => self.print(),
            _ => self.leave(),
        }
    }

    fn assignment(&mut self) -> Result<()> {
        let writable: Vec<Place> =
            self.places.iter().filter(|place| place.writable).cloned().collect();
        if writable.is_empty() || self.seldom(6)? {
            let call = self.vector_store()?;
            self.line(&format!("{call};"));
            return Ok(());
        }
        let place = self.u.choose(&writable)?.clone();
        let (ty, to) = (place.ty, self.element_of(&place, 2)?);
        let integer = !ty.scalar.is_float() && self.seldom(2)?;
        let op = self.one(if integer { ASSIGN_INTEGER } else { ASSIGN })?;
        if ty.is_vector() && self.seldom(3)? {
            let lane = self.u.int_in_range(0..=ty.lanes - 1)?;
            let value = self.expression(ty.scalar.into(), 4)?;
            self.line(&format!("{to}.s{lane:x} {op} {value};"));
            return Ok(());
        }
        let value = self.expression(ty, 4)?;
        self.line(&format!("{to} {op} {value};"));
        Ok(())
    }

    fn test(&mut self) -> Result<String> {
        let of = self.scalar()?;
        self.expression(of.into(), 3)
    }

    fn branch(&mut self, depth: u32) -> Result<()> {
        let test = self.test()?;
        self.line(&format!("if ({test})"));
        self.block(depth - 1)?;
        if self.seldom(2)? {
            self.line("else");
            self.block(depth - 1)?;
        }
        Ok(())
    }

    fn counted_loop(&mut self, depth: u32) -> Result<()> {
        let (name, scalar) = (self.name("i"), self.integer()?);
        let hint =
            self.one(&["", "", "#pragma unroll\n", "__attribute__((opencl_unroll_hint(2)))\n"])?;
        let bound = match self.seldom(2)? {
            true => self.expression(scalar.into(), 2)?,
            false => self.one(&["4", "1", "9", "64"])?.to_string(),
        };
        self.line(&format!("{hint}for ({} {name} = 0; {name} < {bound}; {name}++)", scalar.name()));
        self.places.push(Place::variable(&name, scalar.into(), false));
        self.block(depth - 1)?;
        self.places.retain(|place| place.name != name);
        Ok(())
    }

    fn conditional_loop(&mut self, depth: u32) -> Result<()> {
        let test = self.test()?;
        let way_out = self.one(&["break;", "continue;", ""])?;
        let post = self.seldom(2)?;
        self.line(&if post { "do {".to_string() } else { format!("while ({test}) {{") });
        self.block(depth - 1)?;
        let inner = self.test()?;
        self.line(&format!("if ({inner}) {{ {way_out} }}"));
        self.line(&if post { format!("}} while ({test});") } else { "}".to_string() });
        Ok(())
    }

    fn switch(&mut self, depth: u32) -> Result<()> {
        let of = self.integer()?;
        let value = self.expression(of.into(), 3)?;
        self.line(&format!("switch ({value}) {{ case 0:"));
        self.block(depth - 1)?;
        let through = self.one(&["", "break;"])?;
        self.line(&format!("{through} case 3: default:"));
        self.block(depth - 1)?;
        self.line("break; case 7:");
        self.block(depth - 1)?;
        self.line("}");
        Ok(())
    }

    /// A jump back, or forward over statements.
    fn jump(&mut self, depth: u32) -> Result<()> {
        let (label, test) = (self.name("L"), self.test()?);
        match self.seldom(2)? {
            true => {
                self.line(&format!("{label}:;"));
                self.block(depth - 1)?;
                self.line(&format!("if ({test}) goto {label};"));
            }
            false => {
                self.line(&format!("if ({test}) goto {label};"));
                self.block(depth - 1)?;
                self.line(&format!("{label}:;"));
            }
        }
        Ok(())
    }

    fn synchronization(&mut self) -> Result<()> {
        let fence = self.one(&["CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE"])?;
        let text = match self.u.int_in_range(0..=3)? {
            0 => format!("barrier({fence});"),
            1 => format!("mem_fence({fence});"),
            2 if self.result.is_none() => format!("{};", self.atomic(2)?),
            _ => format!(
                "atomic_work_item_fence({fence}, memory_order_acq_rel, memory_scope_work_group);"
            ),
        };
        self.line(&text);
        Ok(())
    }

    /// A block (6.14) that may be called from here on.
    fn closure(&mut self) -> Result<()> {
        let (name, result, taken) =
            (self.name("blk"), Type::from(self.scalar()?), Type::from(self.scalar()?));
        // It captures variables as constants, and no arrays.
        let (places, structures) = (self.places.clone(), std::mem::take(&mut self.structures));
        self.places.retain(|place| place.space != "private" || place.kind == Kind::Variable);
        for place in self.places.iter_mut().filter(|place| place.space == "private") {
            (place.writable, place.addressable) = (false, false);
        }
        let (parameter, blocks) = (self.name("p"), std::mem::take(&mut self.blocks));
        self.places.push(Place::variable(&parameter, taken, true));
        let value = self.expression(result, 3)?;
        (self.places, self.structures, self.blocks) = (places, structures, blocks);
        let (result_name, taken_name) = (result.name(), taken.name());
        self.line(&format!(
            "{result_name} (^{name})({taken_name}) = ^({taken_name} {parameter}) {{ return ({result_name})({value}); }};"
        ));
        self.blocks.push((name, result, taken));
        Ok(())
    }

    fn print(&mut self) -> Result<()> {
        let int = self.expression(Scalar::Int.into(), 2)?;
        let long = self.expression(Scalar::Ulong.into(), 2)?;
        let vector = self.expression(Type { scalar: Scalar::Float, lanes: 4 }, 2)?;
        self.line(&format!("printf(\"%d %lu %v4hlf %s\\n\", {int}, {long}, {vector}, \"text\");"));
        Ok(())
    }

    fn leave(&mut self) -> Result<()> {
        let test = self.test()?;
        let value = match self.result {
            Some(ty) => self.expression(ty, 2)?,
            None => String::new(),
        };
        self.line(&format!("if ({test}) return {value};"));
        Ok(())
    }
}
