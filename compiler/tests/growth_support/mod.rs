//! Shapes of programs in OpenCL C and in SPIR-V that repeat a construct, with the number of repetitions as a parameter. Tests
//! and `cargo xtask attack growth` compile each shape at two sizes and compare what the compilations take.

#![allow(dead_code)] // Each user takes its part.

pub mod bombs;
mod calls;
mod control;
mod data;
mod expressions;
mod modules;
mod preprocessing;
mod values;
pub mod words;

/// A program to compile: a text or a module.
pub enum Program {
    /// OpenCL C.
    Text(String),
    /// The words of a module of SPIR-V.
    Module(Vec<u32>),
}

impl Program {
    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Program::Text(text) => text.len(),
            Program::Module(words) => 4 * words.len(),
        }
    }

    /// Returns the extension by which `heklac` recognizes the file.
    pub fn extension(&self) -> &'static str {
        match self {
            Program::Text(_) => "cl",
            Program::Module(_) => "spv",
        }
    }

    /// Returns the program's bytes, as a file has them.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Program::Text(text) => text.clone().into_bytes(),
            Program::Module(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        }
    }
}

/// A shape: the name of the construct that it repeats, and a function from the number of repetitions to the program.
pub struct Shape {
    pub name: &'static str,
    make: fn(usize) -> Program,
}

impl Shape {
    /// Returns the size in bytes from which on the compiler bounds what the program becomes. Smaller programs may become the
    /// square of their text: the bound has to be as large as many programs are.
    pub fn least(&self) -> usize {
        let bounded = BOUNDED.iter().find(|(name, _)| *name == self.name);
        bounded.map_or(0, |(_, bytes)| *bytes)
    }

    pub fn of_count(&self, count: usize) -> Program {
        (self.make)(count)
    }

    /// Returns the largest program that has at most this number of bytes.
    pub fn of_bytes(&self, bytes: usize) -> Program {
        let (mut fits, mut exceeds) = (1, bytes.max(2));
        while exceeds - fits > 1 + fits / 1000 {
            let middle = fits + (exceeds - fits) / 2;
            // Most shapes take more than one byte per count: the first guesses would be huge.
            match middle <= fits.saturating_mul(2) {
                true if self.of_count(middle).size() <= bytes => fits = middle,
                true => exceeds = middle,
                false if self.of_count(2 * fits).size() <= bytes => fits *= 2,
                false => exceeds = 2 * fits,
            }
        }
        self.of_count(fits)
    }
}

/// Returns all shapes.
pub fn shapes() -> Vec<Shape> {
    let chapters = [
        calls::SHAPES,
        control::SHAPES,
        values::SHAPES,
        data::SHAPES,
        expressions::SHAPES,
        preprocessing::SHAPES,
        modules::SHAPES,
    ];
    let rows = chapters.into_iter().flatten();
    rows.map(|&(name, make)| Shape { name, make }).collect()
}

/// Shapes for which a bound holds only from a size on, in bytes.
const BOUNDED: &[(&str, usize)] = &[
    ("kernels that call kernels", 120_000),
    // The text has a large part that does not grow with the count.
    ("kernels that share variables", 60_000),
];

/// A row of a submodule's table: the name of a shape and its function.
type Row = (&'static str, fn(usize) -> Program);

/// Returns the texts that `part` makes of the numbers below `count`, joined in order.
fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |text, i| text + &part(i))
}

/// Returns `count` copies of a line.
fn lines(count: usize, line: &str) -> String {
    each(count, |_| format!("{line}\n"))
}

/// Returns a kernel with a body behind other declarations.
fn kernel(declarations: &str, body: &str) -> Program {
    Program::Text(format!(
        "{declarations}kernel void k(global int *p, global float *q, int n) {{\n{body}\n}}\n"
    ))
}

/// Returns a kernel with a body.
fn body(body: &str) -> Program {
    kernel("", body)
}
