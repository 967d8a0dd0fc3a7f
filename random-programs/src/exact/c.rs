//! How operations of OpenCL C are written in C: those that C lacks become functions, which are added to the
//! program when they are first used. What they compute is said here once more, by the text of the
//! specification and with other means than the compiler's.

use super::Exact;
use crate::typed::types::{Scalar, Type};

/// Bits of wide arithmetic: what no operation on 64 bits exceeds.
fn wide(scalar: Scalar) -> &'static str {
    if scalar.is_signed() {
        "__int128"
    } else {
        "unsigned __int128"
    }
}

/// Returns least and greatest value of an integer type.
fn range(scalar: Scalar) -> (String, String) {
    let bits = scalar.bits();
    match (scalar.is_signed(), bits) {
        (true, 64) => ("(-9223372036854775807 - 1)".into(), "9223372036854775807".into()),
        (true, _) => {
            (format!("({})", -(1i64 << (bits - 1))), ((1i64 << (bits - 1)) - 1).to_string())
        }
        (false, _) => ("0".into(), format!("{}u", u64::MAX >> (64 - bits))),
    }
}

/// Returns an expression cut to the range of a type.
fn saturated(scalar: Scalar, value: &str) -> String {
    let (least, most) = range(scalar);
    let most = format!("({value}) > {most} ? {most} : ({value})");
    match scalar.is_signed() {
        true => format!("({value}) < {least} ? {least} : {most}"),
        false => most,
    }
}

impl Exact<'_, '_> {
    /// Adds a function unless it is there.
    fn helper(&mut self, text: String) {
        if !self.helpers.contains(&text) {
            self.helpers.push(text);
        }
    }

    /// Returns a call of a function that computes each component by an expression of `A`, `B` and `C`, the
    /// arguments' components.
    fn lanewise(&mut self, name: &str, ty: Type, args: &[(Type, String)], lane: &str) -> String {
        let types: Vec<String> = args.iter().map(|(arg, _)| arg.name()).collect();
        let name = format!("{name}_{}_{}", ty.name(), types.join("_"));
        let names = &["a", "b", "c"][..args.len()];
        let params: Vec<String> =
            types.iter().zip(names).map(|(ty, name)| format!("{ty} {name}")).collect();
        let mut text = format!("static {} {name}({}) {{ ", ty.name(), params.join(", "));
        let lanes = if ty.is_vector() { ".s[i]" } else { "" };
        let mut expression = String::new();
        // Split between identifiers and everything else, which is kept.
        for part in lane.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
            expression += &match word {
                "A" | "B" | "C" => word.to_lowercase() + lanes,
                _ => word.to_string(),
            };
            expression += &part[word.len()..];
        }
        text += &match ty.is_vector() {
            true => format!(
                "{} r; for (int i = 0; i < {}; i++) r.s[i] = ({})({expression}); return r; }}\n",
                ty.name(),
                ty.lanes,
                ty.scalar.name()
            ),
            false => format!("return ({})({expression}); }}\n", ty.name()),
        };
        self.helper(text);
        self.call_text(&name, args)
    }

    fn call_text(&self, name: &str, args: &[(Type, String)]) -> String {
        let list: Vec<&str> = args.iter().map(|(_, arg)| arg.as_str()).collect();
        format!("{name}({})", list.join(", "))
    }

    /// Components of a vector, by the letters of OpenCL C.
    pub(super) fn c_selected(&mut self, from: Type, to: Type, of: &str, which: &str) -> String {
        let half = from.lanes / 2;
        let lanes: Vec<u32> = match which {
            "lo" => (0..half).collect(),
            "hi" => (half..from.lanes).collect(),
            "even" => (0..half).map(|lane| 2 * lane).collect(),
            "odd" => (0..half).map(|lane| 2 * lane + 1).collect(),
            letters => letters.chars().skip(1).filter_map(|c| c.to_digit(16)).collect(),
        };
        let (name, from, result) = (format!("{which}_{}", from.name()), from.name(), to.name());
        let parts: Vec<String> = lanes.iter().map(|lane| format!("a.s[{lane}]")).collect();
        let parts = parts.join(", ");
        self.helper(match to.is_vector() {
            true => format!(
                "static {result} {name}({from} a) {{ return ({result}){{{{ {parts} }}}}; }}\n"
            ),
            false => format!("static {result} {name}({from} a) {{ return {parts}; }}\n"),
        });
        format!("{name}({of})")
    }

    /// Returns a vector of parts, or of one scalar for all lanes.
    pub(super) fn c_built(&mut self, ty: Type, parts: &[(Type, String)]) -> String {
        let result = ty.name();
        if let [(Type { lanes: 1, .. }, value)] = parts {
            let scalar = ty.scalar.name();
            let lanes = vec!["a"; ty.lanes as usize].join(", ");
            self.helper(format!(
                "static {result} same_{result}({scalar} a) {{ return ({result}){{{{ {lanes} }}}}; }}\n"
            ));
            return format!("same_{result}({value})");
        }
        let (mut name, mut params, mut lanes) = (format!("make_{result}"), Vec::new(), Vec::new());
        for (i, (part, _)) in parts.iter().enumerate() {
            name += &format!("_{}", part.lanes);
            params.push(format!("{} p{i}", part.name()));
            match part.is_vector() {
                true => lanes.extend((0..part.lanes).map(|lane| format!("p{i}.s[{lane}]"))),
                false => lanes.push(format!("p{i}")),
            }
        }
        self.helper(format!(
            "static {result} {name}({}) {{ return ({result}){{{{ {} }}}}; }}\n",
            params.join(", "),
            lanes.join(", ")
        ));
        self.call_text(&name, parts)
    }

    /// Returns one of two vectors for each component, by the sign of the test's.
    pub(super) fn c_chosen(&mut self, ty: Type, test: &str, a: &str, b: &str) -> String {
        let by = ty.of(ty.scalar.signed());
        let args = [(by, test.to_string()), (ty, a.to_string()), (ty, b.to_string())];
        self.lanewise("choose", ty, &args, "A < 0 ? B : C")
    }

    /// Returns an operation on vectors, or a shift of scalars.
    pub(super) fn c_arithmetic(&mut self, ty: Type, op: &str, a: &str, b: &str) -> String {
        let args = [(ty, a.to_string()), (ty, b.to_string())];
        let name = match op {
            "+" => "add",
            "-" => "subtract",
            "*" => "multiply",
            "/" => "divide",
            "%" => "remainder",
            "<<" => "left",
            ">>" => "right",
            "&" => "and",
            "|" => "or",
            _ => "xor",
        };
        // A scalar is promoted before it is shifted, a vector's component is not.
        let width = if ty.is_vector() { ty.scalar.bits() } else { ty.scalar.bits().max(32) };
        let lane = match op {
            _ if ty.scalar.is_float() => format!("A {op} B"),
            "+" | "-" | "*" => format!("(ulong)A {op} (ulong)B"),
            "/" | "%" => format!("A {op} ((B & 0x3f) + 1)"),
            "<<" => format!("(ulong)A << (B & {})", width - 1),
            ">>" => format!("A >> (B & {})", width - 1),
            _ => format!("A {op} B"),
        };
        self.lanewise(name, ty, &args, &lane)
    }

    /// Returns an assignment, also one that computes.
    pub(super) fn c_assigned(&mut self, ty: Type, to: &str, op: &str, value: &str) -> String {
        match op.strip_suffix('=') {
            Some(op) if !op.is_empty() => {
                format!("{to} = {};", self.c_arithmetic(ty, op, to, value))
            }
            _ => format!("{to} = {value};"),
        }
    }

    /// Returns a conversion (OpenCL C 6.4.3).
    pub(super) fn c_converted(
        &mut self,
        from: Type,
        ty: Type,
        sat: bool,
        mode: &str,
        value: &str,
    ) -> String {
        let args = [(from, value.to_string())];
        let (source, dest) = (from.scalar, ty.scalar);
        let direction = match mode {
            "_rtz" => "FE_TOWARDZERO",
            "_rtp" => "FE_UPWARD",
            "_rtn" => "FE_DOWNWARD",
            _ => "FE_TONEAREST",
        };
        let lane = match (source.is_float(), dest.is_float()) {
            (_, true) => format!("ROUNDED({}, (A), {direction})", dest.name()),
            (true, false) => {
                let round = match mode {
                    "_rte" => "rint",
                    "_rtp" => "ceil",
                    "_rtn" => "floor",
                    _ => "trunc",
                };
                let (least, most) = range(dest);
                format!("integer({round}((double)A), {least}, {most})")
            }
            (false, false) if sat => {
                let (least, most) = range(dest);
                format!("between(A, {least}, {most})")
            }
            (false, false) => "A".to_string(),
        };
        let sat = if sat { "_sat" } else { "" };
        self.lanewise(&format!("convert{sat}{mode}"), ty, &args, &lane)
    }

    /// Returns the same bits as another type.
    pub(super) fn c_reinterpreted(&mut self, from: Type, ty: Type, value: &str) -> String {
        let (from, to) = (from.name(), ty.name());
        let name = format!("as_{to}_{from}");
        self.helper(format!(
            "static {to} {name}({from} a) {{ {to} r; memcpy(&r, &a, sizeof r); return r; }}\n"
        ));
        format!("{name}({value})")
    }

    /// Returns a comparison of vectors: -1 where it holds.
    pub(super) fn c_compared(&mut self, of: Type, ty: Type, op: &str, a: &str, b: &str) -> String {
        let name = match op {
            "<" => "less",
            ">" => "greater",
            "<=" => "at_most",
            ">=" => "at_least",
            "==" => "equal",
            _ => "unequal",
        };
        let args = [(of, a.to_string()), (of, b.to_string())];
        self.lanewise(name, ty, &args, &format!("-(A {op} B)"))
    }

    /// Returns a call of a built-in function.
    pub(super) fn c_called(&mut self, name: &str, ty: Type, args: &[(Type, String)]) -> String {
        match name {
            "any" | "all" => self.c_any(name, args),
            "shuffle2" => self.c_shuffled(ty, args),
            _ => {
                let lane = match ty.scalar.is_float() {
                    true => float_lane(name, ty),
                    false => integer_lane(name, ty, args[0].0),
                };
                self.lanewise(name, ty, args, &lane)
            }
        }
    }

    fn c_any(&mut self, name: &str, args: &[(Type, String)]) -> String {
        let from = args[0].0;
        let (first, op) = if name == "any" { ("0", "|=") } else { ("1", "&=") };
        let function = format!("{name}_{}", from.name());
        self.helper(format!(
            "static int {function}({} a) {{ int r = {first}; \
             for (int i = 0; i < {}; i++) r {op} a.s[i] < 0; return r; }}\n",
            from.name(),
            from.lanes
        ));
        self.call_text(&function, args)
    }

    fn c_shuffled(&mut self, ty: Type, args: &[(Type, String)]) -> String {
        let (result, mask, n) = (ty.name(), args[2].0.name(), ty.lanes);
        let name = format!("shuffle2_{result}");
        self.helper(format!(
            "static {result} {name}({result} a, {result} b, {mask} c) {{ {result} r; \
             for (int i = 0; i < {n}; i++) {{ uint k = c.s[i] & {}; \
             r.s[i] = k < {n} ? a.s[k] : b.s[k - {n}]; }} return r; }}\n",
            2 * n - 1
        ));
        self.call_text(&name, args)
    }
}

/// Returns a component of a function of floats.
fn float_lane(name: &str, ty: Type) -> String {
    // Exact as a double is; these four are not, or are of the type.
    let suffix = if ty.scalar == Scalar::Float { "f" } else { "" };
    match name {
        "fma" => format!("fma{suffix}(A, B, C)"),
        "fmod" | "nextafter" | "fdim" => format!("{name}{suffix}(A, B)"),
        "select" => select_lane(ty),
        "sign" => "A != A ? 0 : A > 0 ? 1 : A < 0 ? -1 : A".to_string(),
        _ => format!("{name}((double)A)"),
    }
}

/// Returns a component of `select`: by a vector's sign bits, by a scalar as a whole.
fn select_lane(ty: Type) -> String {
    match ty.is_vector() {
        true => format!("(ulong)C >> {} & 1 ? B : A", ty.scalar.bits() - 1),
        false => "C ? B : A".to_string(),
    }
}

/// Returns a component of a function of integers whose first argument is of a type.
fn integer_lane(name: &str, ty: Type, first: Type) -> String {
    let (scalar, bits) = (ty.scalar, ty.scalar.bits());
    let (unsigned, wide) = (scalar.unsigned().name(), wide(scalar));
    let top = bits - 1;
    match name {
        "clz" => format!("A == 0 ? {bits} : __builtin_clzll(({unsigned})A) - {}", 64 - bits),
        "popcount" => format!("__builtin_popcountll(({unsigned})A)"),
        "mul_hi" => format!("({wide})A * B >> {bits}"),
        "mad_hi" => format!("(ulong)(({wide})A * B >> {bits}) + (ulong)C"),
        "mad_sat" => saturated(scalar, &format!("({wide})A * B + C")),
        "add_sat" => saturated(scalar, &format!("({wide})A + B")),
        "sub_sat" if scalar.is_signed() => saturated(scalar, &format!("({wide})A - B")),
        "sub_sat" => "A > B ? A - B : 0".to_string(),
        "bitselect" => "(A & ~C) | (B & C)".to_string(),
        "abs" if first.scalar.is_signed() => "A < 0 ? 0 - (ulong)A : (ulong)A".to_string(),
        "abs" => "A".to_string(),
        "abs_diff" => "A > B ? (ulong)A - (ulong)B : (ulong)B - (ulong)A".to_string(),
        "select" => select_lane(ty),
        "upsample" => format!("(ulong)A << {} | B", bits / 2),
        "hadd" => format!("(({wide})A + B) >> 1"),
        "rhadd" => format!("(({wide})A + B + 1) >> 1"),
        "max" => "A > B ? A : B".to_string(),
        "min" => "A < B ? A : B".to_string(),
        "rotate" => format!(
            "({unsigned})A << (B & {top}) | ({unsigned})A >> ({bits} - (B & {top}) & {top})"
        ),
        other => format!("unknown_{other}"),
    }
}
