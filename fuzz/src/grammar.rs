//! OpenCL C out of bytes: programs that mostly parse, often type-check, and nest in every way.
//!
//! Variables of all types are in scope of every expression, so that conversions and overloads meet in
//! combinations that nobody would write.

use arbitrary::{Result, Unstructured};
use std::fmt::Write;

/// Most height of expressions and of statements within each other.
const DEPTH: u32 = 5;

const SCALARS: &[&str] = &[
    "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
    "size_t", "half",
];
const LANES: &[&str] = &["2", "3", "4", "8", "16"];
const SPACES: &[&str] = &["global", "local", "private", "constant", "generic", "__global", ""];
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", ">", "<=",
    ">=", ",",
];
const ASSIGN: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
const UNARY: &[&str] = &["-", "+", "!", "~", "*", "&", "++", "--", "sizeof "];
const SWIZZLES: &[&str] = &[
    "x", "xy", "wzyx", "lo", "hi", "even", "odd", "s0", "s0f", "S3210", "rgba", "xx", "m", "next",
];
const CALLS: &[&str] = &[
    "get_global_id",
    "min",
    "max",
    "clamp",
    "fma",
    "sin",
    "pow",
    "dot",
    "cross",
    "length",
    "select",
    "as_int",
    "as_float4",
    "convert_uchar4_sat",
    "convert_int_rte",
    "vload4",
    "vstore3",
    "barrier",
    "atomic_add",
    "atomic_cmpxchg",
    "mad24",
    "popcount",
    "shuffle",
    "shuffle2",
    "mul_hi",
    "rotate",
    "any",
    "all",
    "isnan",
    "frexp",
    "modf",
    "fract",
    "sincos",
    "ldexp",
    "printf",
    "helper",
    "other",
    "vload_half",
    "async_work_group_copy",
    "step",
    "bitselect",
    "nextafter",
    "hypot",
    "upsample",
];
const NAMES: &[&str] = &[
    "a", "b", "c", "d", "e", "f", "v", "w", "p", "q", "r", "s", "t", "arr", "loc", "glob", "i", "j",
];
const LITERALS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "0x7fffffff",
    "0x80000000",
    "4294967296",
    "0xffffffffffffffffUL",
    "1.0f",
    "0.5",
    "1e38f",
    "1e400",
    "0x1p-149f",
    "'a'",
    "\"text\"",
    "1.0h",
    "NAN",
    "INFINITY",
    "M_PI",
    "INT_MIN",
    "LONG_MAX",
    "true",
    "__LINE__",
    "sizeof(struct S)",
];

/// Returns a whole program.
pub fn program(u: &mut Unstructured<'_>) -> Result<String> {
    let mut g = Grammar { u, text: String::new(), labels: 0 };
    g.prelude()?;
    for _ in 0..g.u.int_in_range(0..=2)? {
        g.function()?;
    }
    g.kernel()?;
    Ok(g.text)
}

struct Grammar<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    text: String,
    labels: u32,
}

impl Grammar<'_, '_> {
    fn one(&mut self, of: &[&'static str]) -> Result<&'static str> {
        self.u.choose(of).copied()
    }

    /// Returns true one time in `n`.
    fn seldom(&mut self, n: u32) -> Result<bool> {
        self.u.ratio(1, n)
    }

    fn prelude(&mut self) -> Result<()> {
        let packed = if self.seldom(4)? { "__attribute__((packed))" } else { "" };
        let (one, two, three) = (self.plain_type()?, self.plain_type()?, self.plain_type()?);
        let _ = write!(
            self.text,
            "typedef struct S {{ {one} x; {two} y[3]; {three} z; struct S *next; }} {packed} S;\n\
             typedef union U {{ {two} m; uchar bytes[8]; {three} n; }} U;\n\
             constant {one} table[4] = {{ 1, 2, 3 }};\n\
             #define TWICE(x) ((x) + (x))\n"
        );
        let init = self.expression(2)?;
        let ty = self.plain_type()?;
        let _ = writeln!(self.text, "constant {ty} fixed = {init};");
        Ok(())
    }

    fn function(&mut self) -> Result<()> {
        let (result, name) = (self.plain_type()?, self.one(&["helper", "other"])?);
        let (space, one, two) = (self.one(SPACES)?, self.plain_type()?, self.plain_type()?);
        let inline = self.one(&["", "static", "inline", "__attribute__((overloadable))"])?;
        let _ = writeln!(self.text, "{inline} {result} {name}({one} a, {space} {two} *p) {{");
        self.locals()?;
        self.statements(3)?;
        let value = self.expression(3)?;
        let _ = writeln!(self.text, "return {value};\n}}");
        Ok(())
    }

    fn kernel(&mut self) -> Result<()> {
        let (one, two, three) = (self.plain_type()?, self.plain_type()?, self.plain_type()?);
        let attribute = match self.seldom(4)? {
            true => "__attribute__((reqd_work_group_size(8, 1, 1)))",
            false => "",
        };
        let _ = writeln!(
            self.text,
            "kernel {attribute} void k(global {one} *p, local {two} *q, constant {three} *r, \
             {one} a, S s, {three} b, global int *out) {{"
        );
        self.locals()?;
        let loc = self.plain_type()?;
        let _ = writeln!(self.text, "local {loc} loc[16];");
        self.statements(DEPTH)?;
        let value = self.expression(DEPTH)?;
        let _ = writeln!(self.text, "out[get_global_id(0)] = {value};\n}}");
        Ok(())
    }

    fn locals(&mut self) -> Result<()> {
        let _ = writeln!(self.text, "int i = 0, j = 1; S t = {{0}}; U e;");
        for name in ["c", "d", "f", "v", "w"] {
            let (ty, init) = (self.plain_type()?, self.expression(1)?);
            let _ = writeln!(self.text, "{ty} {name} = {init};");
        }
        let (ty, count) = (self.plain_type()?, self.u.int_in_range(1..=9)?);
        let _ = writeln!(self.text, "{ty} arr[{count}];");
        Ok(())
    }

    fn plain_type(&mut self) -> Result<String> {
        Ok(match self.u.int_in_range(0..=9)? {
            0..=4 => self.one(SCALARS)?.to_string(),
            5..=7 => format!("{}{}", self.one(&SCALARS[1..11])?, self.one(LANES)?),
            8 => "S".to_string(),
            _ => "U".to_string(),
        })
    }

    fn statements(&mut self, depth: u32) -> Result<()> {
        for _ in 0..self.u.int_in_range(0..=4)? {
            self.statement(depth)?;
        }
        Ok(())
    }

    fn statement(&mut self, depth: u32) -> Result<()> {
        if depth == 0 {
            return self.simple();
        }
        match self.u.int_in_range(0..=13)? {
            0..=4 => self.simple()?,
            5 => {
                let test = self.expression(2)?;
                let _ = writeln!(self.text, "if ({test}) {{");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "}} else {{");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "}}");
            }
            6 => {
                let (bound, hint) = (self.expression(1)?, self.one(&["", "#pragma unroll\n"])?);
                let _ = writeln!(self.text, "\n{hint}for (int i = 0; i < {bound}; ++i) {{");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "}}");
            }
            7 => {
                let test = self.expression(2)?;
                let _ = writeln!(self.text, "while ({test}) {{");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "if (j++ > 3) break; else continue; }}");
            }
            8 => {
                let test = self.expression(2)?;
                let _ = writeln!(self.text, "do {{");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "}} while ({test});");
            }
            9 => {
                let value = self.expression(2)?;
                let _ = writeln!(self.text, "switch ({value}) {{ case 0:");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "case 1 ... 3: default:");
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "break; case 7: ; }}");
            }
            10 => {
                self.labels += 1;
                let label = self.labels;
                let _ = writeln!(self.text, "L{label}: if (j++ < 4) {{");
                self.statements(depth - 1)?;
                let to = self.u.int_in_range(1..=label)?;
                let _ = writeln!(self.text, "goto L{to}; }}");
            }
            11 => {
                let _ = writeln!(self.text, "{{");
                self.locals()?;
                self.statements(depth - 1)?;
                let _ = writeln!(self.text, "}}");
            }
            12 => {
                let _ = writeln!(self.text, "barrier(CLK_LOCAL_MEM_FENCE);");
            }
            _ => {
                let _ = writeln!(self.text, "return;");
            }
        }
        Ok(())
    }

    fn simple(&mut self) -> Result<()> {
        let value = self.expression(DEPTH)?;
        if self.u.arbitrary()? {
            let (target, op) = (self.place()?, self.one(ASSIGN)?);
            let _ = writeln!(self.text, "{target} {op} {value};");
        } else {
            let _ = writeln!(self.text, "{value};");
        }
        Ok(())
    }

    /// Something that may be assigned to.
    fn place(&mut self) -> Result<String> {
        let name = self.one(NAMES)?;
        Ok(match self.u.int_in_range(0..=5)? {
            0 | 1 => name.to_string(),
            2 => format!("{name}[{}]", self.expression(1)?),
            3 => format!("{name}.{}", self.one(SWIZZLES)?),
            4 => format!("{name}->{}", self.one(SWIZZLES)?),
            _ => format!("*({name} + {})", self.expression(1)?),
        })
    }

    fn expression(&mut self, depth: u32) -> Result<String> {
        if depth == 0 || self.u.is_empty() {
            let leaves = if self.u.arbitrary()? { NAMES } else { LITERALS };
            return Ok(self.one(leaves)?.to_string());
        }
        let depth = depth - 1;
        Ok(match self.u.int_in_range(0..=13)? {
            0 => self.one(LITERALS)?.to_string(),
            1 | 2 => self.place()?,
            3..=5 => {
                let (a, op, b) =
                    (self.expression(depth)?, self.one(BINARY)?, self.expression(depth)?);
                format!("({a} {op} {b})")
            }
            6 => format!("{}({})", self.one(UNARY)?, self.expression(depth)?),
            7 => format!("({})({})", self.plain_type()?, self.expression(depth)?),
            8 => format!(
                "({}{})({})",
                self.one(&SCALARS[1..11])?,
                self.one(LANES)?,
                self.list(depth)?
            ),
            9 => format!("({} {} *)({})", self.one(SPACES)?, self.plain_type()?, self.place()?),
            10 => {
                let test = self.expression(depth)?;
                format!("({test} ? {} : {})", self.expression(depth)?, self.expression(depth)?)
            }
            11 | 12 => format!("{}({})", self.one(CALLS)?, self.list(depth)?),
            _ => format!("TWICE({})", self.expression(depth)?),
        })
    }

    fn list(&mut self, depth: u32) -> Result<String> {
        let mut all = Vec::new();
        for _ in 0..self.u.int_in_range(0..=4)? {
            all.push(self.expression(depth)?);
        }
        Ok(all.join(", "))
    }
}
