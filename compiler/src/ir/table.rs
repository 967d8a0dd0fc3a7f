//! The macros that make enumerations with names, and the instructions, from tables.

/// Makes an enumeration whose variants have names in the text form. Each variant may also have a value of type `$row`,
/// which `rule` returns.
macro_rules! operations {
    ($(#[$meta:meta])* $name:ident {
        $($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Returns the name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }

            /// Inverts [`Self::name`].
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
    ($(#[$meta:meta])* $name:ident: $row:ty {
        $($(#[$doc:meta])* $variant:ident = $text:literal => $value:expr),* $(,)?
    }) => {
        operations! { $(#[$meta])* $name { $($(#[$doc])* $variant = $text),* } }

        impl $name {
            /// Returns the operation's row.
            fn rule(self) -> &'static $row {
                const RULES: &[$row] = &[$($value),*];
                &RULES[self as usize]
            }
        }
    };
}

/// Makes [`super::InstData`] from rows of the form
///
/// ```text
/// /// What it does.
/// Variant { field: Type, ... } ["mnemonic" field, field]
///     PROPERTIES, speculation;
///     |checker, result_type| { the type rule }
/// ```
///
/// The second part is the text form. It begins with the mnemonic, or with the operation whose name it is. A comma is
/// printed as it is, a literal is a word, and [`super::fields::Field`] prints a field; `(field)` is a list in parentheses,
/// and `field unless VALUE` is left out when the field has that value. Properties, speculation and rule may use the fields.
macro_rules! instructions {
    ($(
        $(#[$doc:meta])*
        $variant:ident $({ $($field:ident: $ty:ty),* $(,)? })? [$($text:tt)*]
            $properties:expr, $speculation:expr;
            |$checker:tt, $result:tt| $rule:expr
    )*) => {
        /// An instruction. Result types are in the function's value table.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum InstData { $($(#[$doc])* $variant $({ $($field: $ty),* })?),* }

        #[allow(unused_variables)] // Not every row uses all fields.
        impl InstData {
            /// Calls `f` for every operand in order, including branch arguments.
            pub fn for_each_arg(&self, mut f: impl FnMut(Value)) {
                match self {
                    $(InstData::$variant { $($($field),*)? } => {
                        $($($field.for_each_arg(&mut f);)*)?
                    })*
                }
            }

            /// Replaces every operand, including branch arguments.
            pub fn map_args(&mut self, mut f: impl FnMut(Value) -> Value) {
                match self {
                    $(InstData::$variant { $($($field),*)? } => {
                        $($($field.map_args(&mut f);)*)?
                    })*
                }
            }

            /// Calls `f` for every branch target, in order (then, else; cases, default).
            pub fn for_each_target<'a>(&'a self, mut f: impl FnMut(&'a BlockCall)) {
                match self {
                    $(InstData::$variant { $($($field),*)? } => {
                        $($($field.for_each_target(&mut f);)*)?
                    })*
                }
            }

            /// Like [`InstData::for_each_target`], with mutable targets.
            pub fn for_each_target_mut(&mut self, mut f: impl FnMut(&mut BlockCall)) {
                match self {
                    $(InstData::$variant { $($($field),*)? } => {
                        $($($field.for_each_target_mut(&mut f);)*)?
                    })*
                }
            }

            pub fn properties(&self) -> Properties {
                match self { $(InstData::$variant { $($($field),*)? } => $properties),* }
            }

            /// Returns where the instruction may be executed although the program would not execute it there.
            pub fn speculation(&self) -> Speculation {
                match self { $(InstData::$variant { $($($field),*)? } => $speculation),* }
            }

            /// Checks the types of operands and result.
            pub(super) fn check_types(&self, checker: &Checker<'_>, result: Type) -> Check {
                match self {
                    $(InstData::$variant { $($($field),*)? } => {
                        let ($checker, $result) = (checker, result);
                        $rule
                    })*
                }
            }

            pub(super) fn print(&self, p: &mut Printer<'_>) {
                match self {
                    $(InstData::$variant { $($($field),*)? } => print_row!(p, $($text)*),)*
                }
            }

            /// Parses the fields behind the mnemonic `name`; `None` if no instruction has this mnemonic.
            pub(super) fn parse(name: &str, p: &mut Parser, body: &mut Body) -> Parse<Option<InstData>> {
                $(parse_row!(name, p, body, InstData::$variant { $($($field),*)? }, $($text)*);)*
                Ok(None)
            }
        }
    };
}

/// Prints the text form of a row.
macro_rules! print_row {
    ($p:ident, $mnemonic:literal $($rest:tt)*) => {{
        $p.out.push_str($mnemonic);
        print_fields!($p, $($rest)*)
    }};
    ($p:ident, $op:ident $($rest:tt)*) => {{
        $p.out.push_str($op.name());
        print_fields!($p, $($rest)*)
    }};
}

macro_rules! print_fields {
    ($p:ident,) => {{}};
    ($p:ident, , $($rest:tt)*) => {{ $p.out.push(','); print_fields!($p, $($rest)*) }};
    ($p:ident, ($args:ident) $($rest:tt)*) => {{ $p.args($args); print_fields!($p, $($rest)*) }};
    ($p:ident, $field:ident unless $usual:path) => {
        if *$field != $usual {
            $field.print($p);
        }
    };
    ($p:ident, $field:ident $($rest:tt)*) => {{ $field.print($p); print_fields!($p, $($rest)*) }};
    ($p:ident, $word:literal $($rest:tt)*) => {{
        $p.out.push(' ');
        $p.out.push_str($word);
        print_fields!($p, $($rest)*)
    }};
}

/// Returns the instruction of a row, if `$name` is the row's mnemonic.
macro_rules! parse_row {
    ($name:ident, $p:ident, $body:ident, $inst:expr, $mnemonic:literal $($rest:tt)*) => {
        if $name == $mnemonic {
            parse_fields!($p, $body, $($rest)*);
            return Ok(Some($inst));
        }
    };
    ($name:ident, $p:ident, $body:ident, $inst:expr, $op:ident $($rest:tt)*) => {
        if let Some($op) = Named::named($name) {
            parse_fields!($p, $body, $($rest)*);
            return Ok(Some($inst));
        }
    };
}

macro_rules! parse_fields {
    ($p:ident, $body:ident,) => {};
    ($p:ident, $body:ident, , $($rest:tt)*) => {
        $p.expect(',')?;
        parse_fields!($p, $body, $($rest)*);
    };
    ($p:ident, $body:ident, ($args:ident) $($rest:tt)*) => {
        let $args = $p.block_args($body)?;
        parse_fields!($p, $body, $($rest)*);
    };
    ($p:ident, $body:ident, $field:ident unless $usual:path) => {
        let $field = Field::parse_optional($p, $body)?.unwrap_or($usual);
    };
    ($p:ident, $body:ident, $field:ident $($rest:tt)*) => {
        let $field = Field::parse($p, $body)?;
        parse_fields!($p, $body, $($rest)*);
    };
    ($p:ident, $body:ident, $word:literal $($rest:tt)*) => {
        $p.expect_word($word)?;
        parse_fields!($p, $body, $($rest)*);
    };
}
