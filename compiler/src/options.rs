//! The options of clBuildProgram, clCompileProgram (OpenCL API 5.8.6) and clLinkProgram (5.8.7),
//! parsed.

use std::fmt;

/// `-cl-std=`: the version of OpenCL C that a program is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClStd {
    Cl10,
    Cl11,
    #[default]
    Cl12,
    Cl20,
    Cl30,
    Cl31,
}

impl ClStd {
    /// Major and minor number.
    pub fn number(self) -> (u32, u32) {
        match self {
            ClStd::Cl10 => (1, 0),
            ClStd::Cl11 => (1, 1),
            ClStd::Cl12 => (1, 2),
            ClStd::Cl20 => (2, 0),
            ClStd::Cl30 => (3, 0),
            ClStd::Cl31 => (3, 1),
        }
    }
}

impl fmt::Display for ClStd {
    /// `1.2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.number();
        write!(f, "{major}.{minor}")
    }
}

/// `-cl-std=CLC++…`: the version of C++ for OpenCL that a program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CxxStd {
    Cxx10,
    Cxx2021,
}

/// Build options. [`Default`] is the meaning of an empty option string.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `-D name[=value]` and `-U name` in order; `None` undefines. A bare `-D name` has value "1".
    pub macros: Vec<(String, Option<String>)>,
    /// `-I dir` in order.
    pub include_dirs: Vec<String>,
    /// `-cl-std`; OpenCL C 1.2 when none is given.
    pub std: ClStd,
    /// `-cl-std` if it asks for C++ for OpenCL. Programs in this language become modules of SPIR-V before they reach the
    /// compiler.
    pub cxx: Option<CxxStd>,
    /// `-w`: no warnings.
    pub no_warnings: bool,
    /// `-Werror`.
    pub warnings_are_errors: bool,
    /// `-g`.
    pub debug_info: bool,
    /// `-cl-opt-disable`.
    pub opt_disable: bool,
    /// `-cl-kernel-arg-info`.
    pub kernel_arg_info: bool,
    /// `-cl-single-precision-constant`.
    pub single_precision_constant: bool,
    /// `-cl-denorms-are-zero`.
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`.
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-mad-enable`.
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`.
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations` (implied by fast relaxed math).
    pub unsafe_math: bool,
    /// `-cl-finite-math-only` (implied by fast relaxed math).
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`.
    pub fast_relaxed_math: bool,
    /// `-cl-uniform-work-group-size`.
    pub uniform_work_group_size: bool,
    /// `-cl-arm-non-uniform-work-group-size`.
    pub non_uniform_work_group_size: bool,
}

/// An option string that clBuildProgram answers with CL_INVALID_BUILD_OPTIONS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionsError(pub String);

impl Options {
    /// Parses an option string: options separated by white space, quotes as a shell has them.
    pub fn parse(text: &str) -> Result<Options, OptionsError> {
        let mut options = Options::default();
        let words = split_words(text)?;
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            options.apply(&word, &mut words)?;
        }
        Ok(options)
    }

    /// Returns true if all work-groups of a launch must have the same size. Non-uniform work-groups are for OpenCL C 2.0 and
    /// newer (clEnqueueNDRangeKernel), and for 1.x if the program asks for them (cl_arm_non_uniform_work_group_size).
    pub fn uniform_groups(&self) -> bool {
        let older = self.std < ClStd::Cl20 && !self.non_uniform_work_group_size;
        older || self.uniform_work_group_size
    }

    fn apply(
        &mut self,
        word: &str,
        rest: &mut impl Iterator<Item = String>,
    ) -> Result<(), OptionsError> {
        // -D, -U and -I take their operand attached or as the next word.
        for flag in ["-D", "-U", "-I"] {
            if let Some(attached) = word.strip_prefix(flag) {
                let operand = if attached.is_empty() {
                    rest.next()
                        .ok_or_else(|| OptionsError(format!("option '{flag}' needs an operand")))?
                } else {
                    attached.to_string()
                };
                return self.apply_operand(flag, operand);
            }
        }
        if let Some(version) = word.strip_prefix("-cl-std=") {
            self.cxx = match version {
                "CLC++" | "CLC++1.0" => Some(CxxStd::Cxx10),
                "CLC++2021" => Some(CxxStd::Cxx2021),
                _ => None,
            };
            self.std = match version {
                // Versions of C++ for OpenCL stand for the versions of OpenCL C that they are based on.
                "CLC++" | "CLC++1.0" => ClStd::Cl20,
                "CLC++2021" => ClStd::Cl30,
                "CL1.0" => ClStd::Cl10,
                "CL1.1" => ClStd::Cl11,
                "CL1.2" => ClStd::Cl12,
                "CL2.0" => ClStd::Cl20,
                "CL3.0" => ClStd::Cl30,
                "CL3.1" => ClStd::Cl31,
                _ => return Err(OptionsError(format!("unknown language version '{version}'"))),
            };
            return Ok(());
        }
        match word {
            "-w" => self.no_warnings = true,
            "-Werror" => self.warnings_are_errors = true,
            "-g" => self.debug_info = true,
            "-cl-opt-disable" => self.opt_disable = true,
            "-cl-strict-aliasing" | "-cl-no-subgroup-ifp" => {}
            "-cl-kernel-arg-info" => self.kernel_arg_info = true,
            "-cl-single-precision-constant" => self.single_precision_constant = true,
            "-cl-denorms-are-zero" => self.denorms_are_zero = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" => self.correctly_rounded_divide_sqrt = true,
            "-cl-mad-enable" => self.mad_enable = true,
            "-cl-no-signed-zeros" => self.no_signed_zeros = true,
            "-cl-uniform-work-group-size" => self.uniform_work_group_size = true,
            "-cl-arm-non-uniform-work-group-size" => self.non_uniform_work_group_size = true,
            "-cl-unsafe-math-optimizations" => self.set_unsafe_math(),
            "-cl-finite-math-only" => self.finite_math_only = true,
            "-cl-fast-relaxed-math" => {
                self.fast_relaxed_math = true;
                self.finite_math_only = true;
                self.set_unsafe_math();
            }
            _ => return Err(OptionsError(format!("unknown build option '{word}'"))),
        }
        Ok(())
    }

    fn set_unsafe_math(&mut self) {
        self.unsafe_math = true;
        self.mad_enable = true;
        self.no_signed_zeros = true;
    }

    fn apply_operand(&mut self, flag: &str, operand: String) -> Result<(), OptionsError> {
        match flag {
            "-I" => self.include_dirs.push(operand),
            "-U" => self.macros.push((operand, None)),
            _ => {
                let (name, value) = match operand.split_once('=') {
                    Some((name, value)) => (name.to_string(), value.to_string()),
                    None => (operand, "1".to_string()),
                };
                let valid = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
                if !valid {
                    return Err(OptionsError(format!("macro name '{name}' is not an identifier")));
                }
                self.macros.push((name, Some(value)));
            }
        }
        Ok(())
    }
}

/// Link options. [`Default`] is the meaning of an empty option string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkOptions {
    /// `-create-library`.
    pub create_library: bool,
    /// `-enable-link-options`: a later link with the library may change its code by the options below.
    pub enable_link_options: bool,
    /// `-cl-denorms-are-zero`.
    pub denorms_are_zero: bool,
    /// `-cl-no-signed-zeros`, or an option that implies it.
    pub no_signed_zeros: bool,
    /// `-cl-finite-math-only`, or an option that implies it.
    pub finite_math_only: bool,
}

impl LinkOptions {
    /// Parses an option string of clLinkProgram.
    pub fn parse(text: &str) -> Result<LinkOptions, OptionsError> {
        let mut options = LinkOptions::default();
        for word in split_words(text)? {
            match word.as_str() {
                "-create-library" => options.create_library = true,
                "-enable-link-options" => options.enable_link_options = true,
                "-cl-denorms-are-zero" => options.denorms_are_zero = true,
                "-cl-no-signed-zeros" | "-cl-unsafe-math-optimizations" => {
                    options.no_signed_zeros = true;
                }
                "-cl-finite-math-only" => options.finite_math_only = true,
                "-cl-fast-relaxed-math" => {
                    options.no_signed_zeros = true;
                    options.finite_math_only = true;
                }
                "-cl-no-subgroup-ifp" => {}
                _ => return Err(OptionsError(format!("unknown link option '{word}'"))),
            }
        }
        if options.enable_link_options && !options.create_library {
            let message = "'-enable-link-options' needs '-create-library'";
            return Err(OptionsError(message.to_string()));
        }
        Ok(options)
    }

    /// Returns true if infinities, NaNs and the sign of zero need not be kept.
    pub fn finite_only(&self) -> bool {
        self.finite_math_only && self.no_signed_zeros
    }
}

/// Splits at white space; double and single quotes group, a backslash escapes `"`, `\` and space. The quotes of a character
/// constant that is all of a macro's value are its own (`-DCLASS='S'`).
fn split_words(text: &str) -> Result<Vec<String>, OptionsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'')
                if word.as_ref().is_some_and(|word| word.ends_with('='))
                    && is_character(chars.clone()) =>
            {
                let constant = chars.by_ref().take_while(|c| !c.is_whitespace());
                let constant: String = constant.collect();
                words.extend(word.take().map(|word| word + "'" + &constant));
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') if matches!(chars.peek(), Some('"' | '\\' | ' ')) => {
                word.get_or_insert_default().push(chars.next().unwrap_or('\\'));
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(OptionsError("a quote is not closed".to_string()));
    }
    words.extend(word);
    Ok(words)
}

/// Returns true if a word goes on and ends as a character constant (C99 6.4.4.4) whose first quote has been read.
fn is_character(mut rest: impl Iterator<Item = char>) -> bool {
    let escaped = match rest.next() {
        Some('\\') => rest.next(),
        first => first.filter(|&c| c != '\'' && !c.is_whitespace()),
    };
    escaped.is_some() && rest.next() == Some('\'') && rest.next().is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_constants_keep_their_quotes() {
        let values = |text| {
            let macros = Options::parse(text).unwrap().macros;
            macros.into_iter().map(|(_, value)| value.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(
            values(r"-DA='S' -D B='\n' -DC='\'' -I x -D 'D=4'"),
            ["'S'", r"'\n'", r"'\''", "4"]
        );
        assert_eq!(values("-DA='1 + 2' -DB='int' -DC='' '-DD=x'"), ["1 + 2", "int", "", "x"]);
        assert_eq!(values("-DA='\"' -DB=\"'S'\""), ["'\"'", "'S'"]);
    }

    #[test]
    fn macros_keep_order_and_quotes() {
        let o = Options::parse(r#"-D A -DB=2 -U A -D "S=a b" -I dir -I"x y""#).unwrap();
        let expected = [("A", Some("1")), ("B", Some("2")), ("A", None), ("S", Some("a b"))];
        let got: Vec<_> = o.macros.iter().map(|(n, v)| (n.as_str(), v.as_deref())).collect();
        assert_eq!(got, expected);
        assert_eq!(o.include_dirs, ["dir", "x y"]);
    }

    #[test]
    fn fast_relaxed_math_implies_the_others() {
        let o = Options::parse("-cl-fast-relaxed-math").unwrap();
        assert!(o.finite_math_only && o.unsafe_math && o.mad_enable && o.no_signed_zeros);
    }

    #[test]
    fn the_last_language_counts() {
        let of = |text| Options::parse(text).unwrap();
        assert_eq!(of("-cl-std=CLC++").cxx, Some(CxxStd::Cxx10));
        assert_eq!(of("-cl-std=CL1.2 -cl-std=CLC++2021").cxx, Some(CxxStd::Cxx2021));
        let last = of("-cl-std=CLC++1.0 -cl-std=CL3.0");
        assert_eq!((last.cxx, last.std), (None, ClStd::Cl30));
        assert!(Options::parse("-cl-std=CLC++2").is_err());
    }

    #[test]
    fn link_options_are_others() {
        let o = LinkOptions::parse("-create-library -enable-link-options").unwrap();
        assert!(o.create_library && o.enable_link_options && !o.finite_only());
        assert!(LinkOptions::parse("-cl-fast-relaxed-math").unwrap().finite_only());
        for bad in ["-enable-link-options", "-cl-mad-enable", "-D X", "\""] {
            assert!(LinkOptions::parse(bad).is_err(), "{bad}");
        }
        assert!(Options::parse("-create-library").is_err());
    }

    #[test]
    fn unknown_options_are_refused() {
        assert!(Options::parse("-cl-bogus").is_err());
        assert!(Options::parse("-D").is_err());
        assert!(Options::parse("-cl-std=CL9.9").is_err());
        assert!(Options::parse("\"open").is_err());
        assert!(Options::parse("-DX=1 source.cl").is_err());
    }
}
