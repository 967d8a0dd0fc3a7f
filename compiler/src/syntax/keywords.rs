//! Words that have a meaning for the parser: keywords (C99 6.4.1, OpenCL C 6.1.9) and the names of
//! built-in types.
//!
//! Keywords cannot be declared as anything else. The names of built-in types can (`typedef unsigned
//! int uint;` is common): they are typedef names of a scope around the whole program.

use super::ast::ScalarName;
use super::scope::Meaning;
use crate::options::ClStd;
use crate::options::Options;
use crate::preprocess::{Interner, Symbol};

/// A keyword; alternative spellings are one keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[rustfmt::skip]
pub(super) enum Keyword {
    // Types.
    Void, Char, Short, Int, Long, Half, Float, Double, Bool, Signed, Unsigned, Complex,
    Struct, Union, Enum, Typeof, Pipe,
    // Qualifiers.
    Const, Volatile, Restrict, Atomic,
    Global, Local, Constant, Private, Generic,
    ReadOnly, WriteOnly, ReadWrite,
    // Other specifiers.
    Typedef, Extern, Static, Auto, Register,
    Kernel, Inline, Noreturn, Attribute, Alignas, Extension, StaticAssert,
    // Operators.
    Sizeof, Alignof, VecStep, Astype, Offsetof, True, False,
    // Statements.
    If, Else, While, Do, For, Switch, Case, Default, Break, Continue, Return, Goto, Asm,
}

#[rustfmt::skip]
const KEYWORDS: &[(&str, Keyword)] = {
    use Keyword::*;
    &[
        ("void", Void), ("char", Char), ("short", Short), ("int", Int), ("long", Long),
        ("half", Half), ("float", Float), ("double", Double), ("bool", Bool), ("_Bool", Bool),
        ("signed", Signed), ("__signed", Signed), ("__signed__", Signed), ("unsigned", Unsigned),
        ("_Complex", Complex), ("_Imaginary", Complex),
        ("struct", Struct), ("union", Union), ("enum", Enum),
        ("typeof", Typeof), ("__typeof", Typeof), ("__typeof__", Typeof),
        ("const", Const), ("__const", Const), ("__const__", Const),
        ("volatile", Volatile), ("__volatile", Volatile), ("__volatile__", Volatile),
        ("restrict", Restrict), ("__restrict", Restrict), ("__restrict__", Restrict),
        ("_Atomic", Atomic),
        ("global", Global), ("__global", Global), ("local", Local), ("__local", Local),
        ("constant", Constant), ("__constant", Constant),
        ("private", Private), ("__private", Private), ("__generic", Generic),
        ("read_only", ReadOnly), ("__read_only", ReadOnly),
        ("write_only", WriteOnly), ("__write_only", WriteOnly),
        ("read_write", ReadWrite), ("__read_write", ReadWrite),
        ("typedef", Typedef), ("extern", Extern), ("static", Static),
        ("auto", Auto), ("register", Register),
        ("kernel", Kernel), ("__kernel", Kernel),
        ("inline", Inline), ("__inline", Inline), ("__inline__", Inline),
        ("_Noreturn", Noreturn),
        ("__attribute__", Attribute), ("__attribute", Attribute), ("_Alignas", Alignas),
        ("__extension__", Extension), ("_Static_assert", StaticAssert),
        ("sizeof", Sizeof), ("_Alignof", Alignof), ("__alignof", Alignof),
        ("__alignof__", Alignof), ("vec_step", VecStep),
        ("__builtin_astype", Astype), ("__builtin_offsetof", Offsetof),
        ("true", True), ("false", False),
        ("if", If), ("else", Else), ("while", While), ("do", Do), ("for", For),
        ("switch", Switch), ("case", Case), ("default", Default), ("break", Break),
        ("continue", Continue), ("return", Return), ("goto", Goto),
        ("asm", Asm), ("__asm", Asm), ("__asm__", Asm),
    ]
};

/// Words that OpenCL C 2.0 reserves (6.1.9) and earlier versions do not.
const SINCE_CL20: &[(&str, Keyword)] = &[("generic", Keyword::Generic), ("pipe", Keyword::Pipe)];

/// A built-in type that has a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BuiltinType {
    Scalar(ScalarName),
    Vector(ScalarName, u8),
    Opaque,
}

/// Scalar types of which there are vectors (OpenCL C table 2).
const VECTOR_ELEMENTS: [ScalarName; 11] = {
    use ScalarName::*;
    [Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double]
};

/// Names of scalar types that are not keywords. Pointers, and therefore sizes, have 64 bits.
const SCALARS: &[(&str, ScalarName)] = &[
    ("uchar", ScalarName::UChar),
    ("ushort", ScalarName::UShort),
    ("uint", ScalarName::UInt),
    ("ulong", ScalarName::ULong),
    ("size_t", ScalarName::ULong),
    ("ptrdiff_t", ScalarName::Long),
    ("intptr_t", ScalarName::Long),
    ("uintptr_t", ScalarName::ULong),
    ("cl_mem_fence_flags", ScalarName::UInt),
    ("kernel_enqueue_flags_t", ScalarName::UInt),
    ("clk_profiling_info", ScalarName::UInt),
    ("memory_order", ScalarName::UInt),
    ("memory_scope", ScalarName::UInt),
];

#[rustfmt::skip]
const OPAQUES: &[&str] = &[
    "image1d_t", "image1d_array_t", "image1d_buffer_t", "image2d_t", "image2d_array_t",
    "image2d_depth_t", "image2d_array_depth_t", "image2d_msaa_t", "image2d_array_msaa_t",
    "image2d_msaa_depth_t", "image2d_array_msaa_depth_t", "image3d_t",
    "sampler_t", "event_t", "queue_t", "ndrange_t", "clk_event_t", "reserve_id_t", "__bf16",
    "atomic_int", "atomic_uint", "atomic_long", "atomic_ulong", "atomic_half", "atomic_float",
    "atomic_double", "atomic_flag", "atomic_size_t", "atomic_ptrdiff_t", "atomic_intptr_t",
    "atomic_uintptr_t",
];

/// Returns the meaning of every known name at the start of a program, by symbol.
pub(super) fn initial_meanings(interner: &mut Interner, options: &Options) -> Vec<Meaning> {
    let mut words: Vec<(Symbol, Meaning)> = Vec::with_capacity(256);
    let since_20 = if options.std >= ClStd::Cl20 { SINCE_CL20 } else { &[] };
    for &(text, keyword) in KEYWORDS.iter().chain(since_20) {
        words.push((interner.intern(text), Meaning::Keyword(keyword)));
    }
    for &(text, scalar) in SCALARS {
        words.push((interner.intern(text), Meaning::Type(BuiltinType::Scalar(scalar))));
    }
    let mut text = String::new();
    for element in VECTOR_ELEMENTS {
        for (lanes, suffix) in [(2, "2"), (3, "3"), (4, "4"), (8, "8"), (16, "16")] {
            text.clear();
            text.push_str(element.spelling());
            text.push_str(suffix);
            let builtin = BuiltinType::Vector(element, lanes);
            words.push((interner.intern(&text), Meaning::Type(builtin)));
        }
    }
    for text in OPAQUES {
        words.push((interner.intern(text), Meaning::Type(BuiltinType::Opaque)));
    }
    let mut meanings = vec![Meaning::Unknown; interner.len()];
    for (symbol, meaning) in words {
        if let Some(entry) = meanings.get_mut(symbol.0 as usize) {
            *entry = meaning;
        }
    }
    meanings
}

impl Keyword {
    /// Returns true if the keyword may begin a type-name, as type specifiers and qualifiers do.
    pub fn starts_type(self) -> bool {
        (self as u8) <= Keyword::ReadWrite as u8
    }

    /// Returns true if the keyword may begin a declaration.
    pub fn starts_declaration(self) -> bool {
        (self as u8) <= Keyword::Alignas as u8
    }

    /// Returns true if the keyword is a type specifier, of which a declaration has one.
    pub fn is_type(self) -> bool {
        (self as u8) <= Keyword::Pipe as u8
    }

    /// Returns true if the keyword may follow a type among specifiers.
    pub fn may_follow_type(self) -> bool {
        self.starts_declaration() && self != Keyword::Attribute
    }

    /// Returns true if the keyword is a qualifier.
    pub fn is_qualifier(self) -> bool {
        self.starts_type() && !self.is_type()
    }
}
