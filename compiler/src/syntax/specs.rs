//! Declaration specifiers (C99 6.7, OpenCL C 6.3 and 6.7 to 6.9): storage, qualifiers and type, in
//! any order; and type-names, which are specifiers with a nameless declarator.

use super::ast::{
    Access, AddressSpace, Attribute, DeclSpecs, Quals, ScalarName, StorageClass, TypeName, TypeSpec,
};
use super::declarator::Naming;
use super::keywords::{BuiltinType, Keyword};
use super::parser::{PResult, Parser, Reported};
use super::scope::Meaning;
use crate::options::ClStd;
use crate::preprocess::{Punct, Symbol, TokenKind};
use crate::source::Span;

/// The construct that the specifiers belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    File,
    Block,
    /// The first part of a `for`.
    For,
    Field,
    Param,
    TypeName,
}

/// Specifiers read so far.
#[derive(Default)]
struct Specs {
    storage: Option<StorageClass>,
    is_inline: bool,
    is_kernel: bool,
    quals: Quals,
    attributes: Vec<Attribute>,
    is_signed: Option<bool>,
    length: Length,
    base: Option<Base>,
    is_pipe: bool,
    /// The last type specifier, for messages.
    last_type: Option<Symbol>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Length {
    #[default]
    Plain,
    Short,
    Long,
    LongLong,
}

/// The part of a type that is neither sign nor length.
enum Base {
    Char,
    Int,
    Double,
    /// A type that neither sign nor length can change.
    Other(TypeSpec),
}

impl Specs {
    fn has_type(&self) -> bool {
        self.base.is_some() || self.is_signed.is_some() || self.length != Length::Plain
    }
}

impl Parser<'_> {
    /// Reads specifiers; `attributes` are those in front of them. It reads at least one token or fails.
    pub fn specs(&mut self, context: Context, attributes: Vec<Attribute>) -> PResult<DeclSpecs> {
        let start = self.span();
        let position = self.position();
        let mut specs = Specs { attributes, ..Specs::default() };
        while let Some((symbol, meaning)) = self.word_ahead(0) {
            let goes_on = match meaning {
                Meaning::Keyword(keyword) => {
                    self.keyword_spec(&mut specs, symbol, keyword, context)?
                }
                Meaning::Type(builtin) => self.builtin_spec(&mut specs, symbol, builtin),
                Meaning::Typedef if specs.has_type() => false,
                Meaning::Typedef => {
                    self.advance();
                    specs.base = Some(Base::Other(TypeSpec::Typedef(symbol)));
                    specs.last_type = Some(symbol);
                    true
                }
                _ => self.unknown_type(&mut specs, symbol, context),
            };
            if !goes_on || self.assumed_semi {
                break;
            }
        }
        if self.position() == position && self.name_ahead(0).is_none() {
            let message = match context {
                Context::Field => "type name requires a specifier or qualifier",
                Context::Param => "expected parameter declarator",
                Context::TypeName => "expected a type",
                _ => "expected identifier or '('",
            };
            return self.fail(start, message);
        }
        let span = if self.position() == position { start } else { start.to(self.last_span()) };
        Ok(self.finish_specs(specs, span))
    }

    /// Reads a type-name (C99 6.7.6).
    pub fn type_name(&mut self) -> PResult<TypeName> {
        let start = self.span();
        let specs = self.specs(Context::TypeName, Vec::new())?;
        let declarator = self.declarator(Naming::Forbidden)?;
        Ok(TypeName { specs, declarator, span: start.to(self.last_span()) })
    }

    /// Reads the specifier that a keyword begins. Returns false if it begins none.
    fn keyword_spec(
        &mut self,
        specs: &mut Specs,
        symbol: Symbol,
        keyword: Keyword,
        context: Context,
    ) -> PResult<bool> {
        use Keyword as K;
        if keyword == K::Atomic && self.at_ahead(1, Punct::LParen) {
            let ty = self.typeof_spec()?;
            specs.quals.is_atomic = true;
            self.set_base(specs, symbol, Base::Other(ty));
            return Ok(true);
        }
        if keyword.is_qualifier() {
            self.qualifier(keyword, &mut specs.quals);
            return Ok(true);
        }
        match keyword {
            K::Struct | K::Union | K::Enum | K::Typeof => {
                let ty = self.written_type(keyword, context)?;
                self.set_base(specs, symbol, Base::Other(ty));
                return Ok(true);
            }
            K::Attribute => return self.attributes(&mut specs.attributes).map(|_| true),
            K::Alignas => return self.alignas(&mut specs.attributes).map(|_| true),
            _ => {}
        }
        if !keyword.starts_declaration() && keyword != K::Extension {
            return Ok(false);
        }
        match keyword {
            K::Typedef => self.set_storage(specs, StorageClass::Typedef, context),
            K::Extern => self.set_storage(specs, StorageClass::Extern, context),
            K::Static => self.set_storage(specs, StorageClass::Static, context),
            K::Auto | K::Register => self.unsupported_storage(symbol),
            K::Kernel => specs.is_kernel = true,
            K::Inline => specs.is_inline = true,
            K::Pipe => specs.is_pipe = true,
            K::Noreturn | K::Extension => {}
            _ => self.type_keyword(specs, symbol, keyword),
        }
        self.advance();
        Ok(true)
    }

    /// Reads a struct, union, enum or typeof specifier.
    fn written_type(&mut self, keyword: Keyword, context: Context) -> PResult<TypeSpec> {
        let ty = match keyword {
            Keyword::Enum => self.enumeration()?,
            Keyword::Typeof => self.typeof_spec()?,
            _ => self.record(keyword == Keyword::Union)?,
        };
        match &ty {
            TypeSpec::Record { fields: Some(_), is_union, .. } => {
                self.check_end_of_tag(if *is_union { "union" } else { "struct" }, context);
            }
            TypeSpec::Enum { enumerators: Some(_), .. } => self.check_end_of_tag("enum", context),
            _ => {}
        }
        Ok(ty)
    }

    fn type_keyword(&mut self, specs: &mut Specs, symbol: Symbol, keyword: Keyword) {
        use Keyword as K;
        let scalar = |name| Base::Other(TypeSpec::Scalar(name));
        match keyword {
            K::Signed | K::Unsigned => {
                let is_signed = keyword == K::Signed;
                if specs.is_signed.is_some_and(|before| before != is_signed) {
                    self.cannot_combine(specs);
                }
                specs.is_signed = Some(is_signed);
            }
            K::Short | K::Long => {
                specs.length = match (specs.length, keyword) {
                    (Length::Plain, K::Short) => Length::Short,
                    (Length::Plain, _) => Length::Long,
                    (Length::Long, K::Long) => Length::LongLong,
                    (before, _) => {
                        self.cannot_combine(specs);
                        before
                    }
                };
            }
            K::Void => return self.set_base(specs, symbol, Base::Other(TypeSpec::Void)),
            K::Char => return self.set_base(specs, symbol, Base::Char),
            K::Int => return self.set_base(specs, symbol, Base::Int),
            K::Double => return self.set_base(specs, symbol, Base::Double),
            K::Float => return self.set_base(specs, symbol, scalar(ScalarName::Float)),
            K::Half => return self.set_base(specs, symbol, scalar(ScalarName::Half)),
            K::Bool => return self.set_base(specs, symbol, scalar(ScalarName::Bool)),
            _ => {
                let word = self.text(symbol).to_string();
                self.error(self.span(), format!("'{word}' is not supported in OpenCL C"));
            }
        }
        specs.last_type = Some(symbol);
    }

    /// Reads a built-in type's name as a type specifier. Returns false if there is a specifier already: the
    /// name is then the declared one, except for the mistake `unsigned char4 x`.
    fn builtin_spec(&mut self, specs: &mut Specs, symbol: Symbol, builtin: BuiltinType) -> bool {
        if specs.has_type() {
            let declares = self.name_ahead(1).is_none()
                && !matches!(self.keyword_ahead(1), Some(k) if k.is_qualifier());
            if declares {
                return false;
            }
        }
        let ty = match builtin {
            // These are typedefs, so that sema can refuse them as types of kernel arguments (OpenCL C 6.11).
            BuiltinType::Scalar(_) if self.has_host_size(symbol) => TypeSpec::Typedef(symbol),
            BuiltinType::Scalar(name) => TypeSpec::Scalar(name),
            BuiltinType::Vector(name, lanes) => TypeSpec::Vector(name, lanes),
            BuiltinType::Opaque => TypeSpec::Opaque(symbol),
        };
        if specs.has_type() {
            self.cannot_combine(specs);
            (specs.is_signed, specs.length) = (None, Length::Plain);
        }
        specs.base = Some(Base::Other(ty));
        specs.last_type = Some(symbol);
        self.advance();
        true
    }

    /// Returns true if a type's size is the implementation's choice.
    fn has_host_size(&self, symbol: Symbol) -> bool {
        matches!(self.text(symbol), "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t")
    }

    /// Handles a name that is not the name of a type: the following tokens decide if it is a mistyped type, which then counts
    /// as int, or the declared name.
    fn unknown_type(&mut self, specs: &mut Specs, symbol: Symbol, context: Context) -> bool {
        if specs.has_type() || specs.is_pipe {
            return false;
        }
        let in_list = matches!(context, Context::Param | Context::TypeName);
        let is_type = match self.kind_ahead(1) {
            TokenKind::Ident(_) => self.keyword_ahead(1).is_none_or(Keyword::may_follow_type),
            TokenKind::Punct(Punct::Star) => true,
            TokenKind::Punct(Punct::Comma | Punct::RParen | Punct::LBracket) => in_list,
            _ => false,
        };
        if is_type {
            self.unknown_type_error(symbol);
            self.advance();
            if !self.at_type_of_declarator() {
                specs.base = Some(Base::Int);
                specs.last_type = Some(symbol);
            }
        }
        is_type
    }

    /// Returns true if a type is at the cursor: an unknown name before it may be an undefined macro.
    fn at_type_of_declarator(&self) -> bool {
        match self.keyword() {
            Some(keyword) => keyword.may_follow_type() && !keyword.is_qualifier(),
            None => {
                self.starts_type(0)
                    && (self.name_ahead(1).is_some() || self.at_ahead(1, Punct::Star))
            }
        }
    }

    /// Reports the name at the cursor, where a type should be.
    pub fn unknown_type_error(&mut self, symbol: Symbol) {
        let name = self.text(symbol);
        let message = match self.names.tag(symbol) {
            Some(word) => format!("must use '{word}' tag to refer to type '{name}'"),
            None if name == "__block" => "the __block storage type is not permitted".to_string(),
            None if is_vector_of_32(name) => {
                let extension = "cl_qcom_extra_vector_types which this device does not offer";
                format!("use of type '{name}' requires {extension}")
            }
            None => format!("unknown type name '{name}'"),
        };
        self.error(self.span(), message);
    }

    fn set_base(&mut self, specs: &mut Specs, symbol: Symbol, base: Base) {
        if specs.base.is_some() {
            self.cannot_combine(specs);
            return;
        }
        specs.base = Some(base);
        specs.last_type = Some(symbol);
    }

    fn cannot_combine(&mut self, specs: &Specs) {
        let last = specs.last_type.map_or("", |symbol| self.text(symbol));
        let message = format!("cannot combine with previous '{last}' declaration specifier");
        self.error(self.span(), message);
    }

    /// Reports a storage class that the version of OpenCL C lacks: no version has `auto` and `register`, and
    /// the first two versions have only `typedef` (OpenCL C 6.10).
    fn unsupported_storage(&mut self, word: Symbol) {
        let (version, word) = (self.std, self.text(word));
        let message = format!(
            "OpenCL C version {version} does not support the '{word}' storage class specifier"
        );
        self.error(self.span(), message);
    }

    fn set_storage(&mut self, specs: &mut Specs, storage: StorageClass, context: Context) {
        let is_typedef = storage == StorageClass::Typedef;
        let misplaced = match context {
            Context::Param => Some("invalid storage class specifier in function declarator"),
            Context::Field | Context::TypeName => {
                Some("type name does not allow storage class to be specified")
            }
            _ => None,
        };
        if let Some(message) = misplaced {
            self.error(self.span(), message);
            return;
        }
        if let (false, true, TokenKind::Ident(word)) =
            (is_typedef, self.std < ClStd::Cl12, self.kind())
        {
            return self.unsupported_storage(word);
        }
        if let Some(before) = specs.storage {
            let before = storage_word(before);
            if before == storage_word(storage) {
                let message = format!("duplicate '{before}' declaration specifier");
                self.warning(self.span(), message);
            } else {
                let message =
                    format!("cannot combine with previous '{before}' declaration specifier");
                self.error(self.span(), message);
            }
        }
        specs.storage = Some(storage);
    }

    /// Reads a qualifier, at the cursor.
    pub fn qualifier(&mut self, keyword: Keyword, quals: &mut Quals) {
        use Keyword as K;
        let flag = match keyword {
            K::Const => Some((&mut quals.is_const, "const")),
            K::Volatile => Some((&mut quals.is_volatile, "volatile")),
            K::Restrict => Some((&mut quals.is_restrict, "restrict")),
            K::Atomic => Some((&mut quals.is_atomic, "_Atomic")),
            _ => None,
        };
        if let Some((flag, word)) = flag {
            if std::mem::replace(flag, true) {
                let message = format!("duplicate '{word}' declaration specifier");
                self.warning(self.span(), message);
            }
        } else if let Some(space) = address_space(keyword) {
            if quals.space.replace(space).is_some_and(|before| before != space) {
                self.error(self.span(), "multiple address spaces specified for type");
            }
        } else if let Some(access) = access(keyword) {
            if quals.access.replace(access).is_some_and(|before| before != access) {
                self.error(self.span(), "multiple access qualifiers");
            }
        }
        self.advance();
    }

    /// Reads `typeof(...)` or `_Atomic(...)`.
    fn typeof_spec(&mut self) -> PResult<TypeSpec> {
        let atomic = self.at_keyword(Keyword::Atomic);
        self.advance();
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, "expected '(' after 'typeof'");
        }
        self.nested(|p| {
            p.advance();
            let spec = if atomic || p.starts_type(0) {
                TypeSpec::TypeofType(Box::new(p.type_name()?))
            } else {
                TypeSpec::TypeofExpr(Box::new(p.expression()?))
            };
            p.expect_close(Punct::RParen, opened)?;
            Ok(spec)
        })
    }

    fn finish_specs(&mut self, specs: Specs, span: Span) -> DeclSpecs {
        let ty = match self.combine(&specs, span) {
            Ok(ty) => ty,
            Err(Reported) => TypeSpec::Scalar(ScalarName::Int),
        };
        let ty = match (ty, specs.base) {
            (TypeSpec::Missing, Some(Base::Other(ty))) => ty,
            (ty, _) => ty,
        };
        DeclSpecs {
            storage: specs.storage,
            is_inline: specs.is_inline,
            is_kernel: specs.is_kernel,
            quals: specs.quals,
            ty: match specs.is_pipe {
                true => TypeSpec::Pipe(Box::new(ty)),
                false => ty,
            },
            attributes: specs.attributes,
            span,
        }
    }

    /// Returns the type that sign, length and base form together (C99 6.7.2p2). It is `Missing` if the base alone
    /// is the type, or if nothing was written.
    fn combine(&mut self, specs: &Specs, span: Span) -> PResult<TypeSpec> {
        use ScalarName::*;
        let is_signed = specs.is_signed != Some(false);
        let pick = |signed, unsigned| if is_signed { signed } else { unsigned };
        let scalar = match (&specs.base, specs.length) {
            (None, Length::Plain) if specs.is_signed.is_none() => return Ok(TypeSpec::Missing),
            (Some(Base::Char), Length::Plain) => pick(Char, UChar),
            (None | Some(Base::Int), Length::Plain) => pick(Int, UInt),
            (None | Some(Base::Int), Length::Short) => pick(Short, UShort),
            (None | Some(Base::Int), Length::Long) => pick(Long, ULong),
            (None | Some(Base::Int), Length::LongLong) => pick(LongLong, ULongLong),
            (Some(Base::Double), Length::Plain) if specs.is_signed.is_none() => Double,
            (Some(Base::Double), Length::Long) if specs.is_signed.is_none() => {
                return self.fail(span, "'long double' is not supported in OpenCL C");
            }
            (Some(Base::Other(_)), Length::Plain) if specs.is_signed.is_none() => {
                return Ok(TypeSpec::Missing);
            }
            (base, length) => {
                let name = match base {
                    Some(Base::Char) => "char",
                    Some(Base::Double) => "double",
                    Some(Base::Other(TypeSpec::Void)) => "void",
                    Some(Base::Other(TypeSpec::Scalar(name))) => name.spelling(),
                    _ => "type",
                };
                let message = match length {
                    Length::Plain => format!("'{name}' cannot be signed or unsigned"),
                    Length::Short => format!("'short {name}' is invalid"),
                    Length::Long => format!("'long {name}' is invalid"),
                    Length::LongLong => format!("'long long {name}' is invalid"),
                };
                return self.fail(span, message);
            }
        };
        Ok(TypeSpec::Scalar(scalar))
    }
}

fn storage_word(storage: StorageClass) -> &'static str {
    match storage {
        StorageClass::Typedef => "typedef",
        StorageClass::Extern => "extern",
        StorageClass::Static => "static",
    }
}

fn address_space(keyword: Keyword) -> Option<AddressSpace> {
    Some(match keyword {
        Keyword::Global => AddressSpace::Global,
        Keyword::Local => AddressSpace::Local,
        Keyword::Constant => AddressSpace::Constant,
        Keyword::Private => AddressSpace::Private,
        Keyword::Generic => AddressSpace::Generic,
        _ => return None,
    })
}

fn access(keyword: Keyword) -> Option<Access> {
    Some(match keyword {
        Keyword::ReadOnly => Access::ReadOnly,
        Keyword::WriteOnly => Access::WriteOnly,
        Keyword::ReadWrite => Access::ReadWrite,
        _ => return None,
    })
}

/// Returns true for the name of a vector of 32 components, which only Qualcomm's compilers have.
fn is_vector_of_32(name: &str) -> bool {
    let element = name.strip_suffix("32");
    element.is_some_and(|element| ScalarName::ALL.iter().any(|scalar| scalar.spelling() == element))
}
