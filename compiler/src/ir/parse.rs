//! The parser of the IR's text form, the inverse of [`super::print`], for file tests and `heklac`.
//!
//! Values and blocks are renumbered. The parser checks syntax and names; [`super::verify`] checks types.

use super::entities::{Block, Func, Global, Value};
use super::function::{Function, UnrollHint, ValueData, ValueDef};
use super::inst::*;
use super::location::{Loc, Location, Locations};
use super::module::{Gathering, GlobalData, KernelEntry, Linkage, Module};
use super::names::*;
use super::types::{Scalar, Type};
use crate::kernel::{Arg, ArgAddress, ArgKind, ImageAccess, ImageDim};
use cranelift_entity::EntityRef;
use smallvec::SmallVec;
use std::collections::HashMap;

/// The reason why a text is not valid IR.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// 1-based line.
    pub line: u32,
    pub message: String,
}

/// Parses a module.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let tokens = tokenize(text)?;
    let mut parser = Parser { tokens, at: 0, funcs: HashMap::new(), globals: HashMap::new() };
    let mut module = Module::default();
    parser.declare(&mut module)?;
    while let Some(token) = parser.peek().cloned() {
        match token.kind {
            Kind::Word(word) if word == "file" => parser.file(&mut module.locations)?,
            Kind::Word(word) if word == "loc" => parser.location(&mut module.locations)?,
            Kind::Word(word) if word == "global" => parser.global(&mut module)?,
            Kind::Word(word) if word == "kernel" => parser.kernel(&mut module)?,
            Kind::Word(word) if word == "fn" => parser.function(&mut module)?,
            _ => return parser.fail("expected 'global', 'kernel' or 'fn'"),
        }
    }
    Ok(module)
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Letters, digits, `_` and `.`; also numbers (with sign and exponent).
    Word(String),
    /// A name `@name`.
    At(String),
    /// A punctuation character; `->` becomes `>`.
    Punct(char),
}

#[derive(Debug, Clone)]
struct Token {
    line: u32,
    kind: Kind,
}

/// Undoes the printer's quoting of a name; `None` if an escape is not the number of a character.
fn unquoted(text: &str) -> Option<String> {
    let mut pieces = text.split("\\{");
    let mut name = pieces.next()?.to_string();
    for piece in pieces {
        let (number, rest) = piece.split_once('}')?;
        name.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        name.push_str(rest);
    }
    Some(name)
}

fn tokenize(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut tokens = Vec::new();
    for (index, line_text) in text.lines().enumerate() {
        let line = index as u32 + 1;
        let fail = |message: &str| ParseError { line, message: message.to_string() };
        let bytes = line_text.as_bytes();
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let mut i = 0;
        while let Some(&byte) = bytes.get(i) {
            let start = i;
            i += 1;
            let kind = match byte {
                b';' => break,
                b' ' | b'\t' | b'\r' => continue,
                b'@' if bytes.get(i) == Some(&b'"') => {
                    let rest = line_text.get(i + 1..).unwrap_or("");
                    let end = rest.find('"').ok_or_else(|| fail("a quote is not closed"))?;
                    i += end + 2;
                    Kind::At(unquoted(&rest[..end]).ok_or_else(|| fail("an unknown character"))?)
                }
                b'@' => {
                    while bytes.get(i).is_some_and(|&b| is_word(b)) {
                        i += 1;
                    }
                    Kind::At(line_text[start + 1..i].to_string())
                }
                b'-' if bytes.get(i) == Some(&b'>') => {
                    i += 1;
                    Kind::Punct('>')
                }
                b if is_word(b) || b == b'-' => {
                    let number = b == b'-' || b.is_ascii_digit();
                    let decimal = number && !line_text[start..].starts_with("0x");
                    while let Some(&b) = bytes.get(i) {
                        let exponent = decimal
                            && matches!(b, b'-' | b'+')
                            && matches!(bytes[i - 1], b'e' | b'E');
                        if !is_word(b) && !exponent {
                            break;
                        }
                        i += 1;
                    }
                    Kind::Word(line_text[start..i].to_string())
                }
                b'(' | b')' | b'{' | b'}' | b'[' | b']' | b':' | b',' | b'=' | b'!' => {
                    Kind::Punct(byte as char)
                }
                _ => return Err(fail("unexpected character")),
            };
            tokens.push(Token { line, kind });
        }
    }
    Ok(tokens)
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    funcs: HashMap<String, Func>,
    globals: HashMap<String, Global>,
}

pub(super) type Parse<T> = Result<T, ParseError>;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn line(&self) -> u32 {
        let last = self.at.min(self.tokens.len().saturating_sub(1));
        self.tokens.get(last).map_or(1, |t| t.line)
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(ParseError { line: self.line(), message: message.into() })
    }

    /// Returns an error at the token just read.
    pub(super) fn fail_back<T>(&mut self, message: impl Into<String>) -> Parse<T> {
        self.at = self.at.saturating_sub(1);
        self.fail(message)
    }

    fn next(&mut self) -> Option<Kind> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token.kind.clone())
    }

    fn is_punct(&self, punct: char) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Punct(punct))
    }

    fn eat(&mut self, punct: char) -> bool {
        let found = self.is_punct(punct);
        self.at += usize::from(found);
        found
    }

    /// Returns true if the next token is the given word.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|t| matches!(&t.kind, Kind::Word(w) if w == word))
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, punct: char) -> Parse<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let shown = if punct == '>' { "->".to_string() } else { punct.to_string() };
        self.fail(format!("expected '{shown}'"))
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.fail(format!("expected '{word}'"))
    }

    pub(super) fn word(&mut self, what: &str) -> Parse<String> {
        match self.next() {
            Some(Kind::Word(word)) => Ok(word),
            _ => self.fail_back(format!("expected {what}")),
        }
    }

    fn name(&mut self) -> Parse<String> {
        match self.next() {
            Some(Kind::At(name)) => Ok(name),
            _ => self.fail_back("expected a name after '@'"),
        }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Parse<T> {
        let word = self.word("a number")?;
        match word.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail_back(format!("'{word}' is not a number that fits here")),
        }
    }

    /// Returns what `from_name` returns for the next token, if that is a word with such a name.
    pub(super) fn eat_name<T>(&mut self, from_name: impl Fn(&str) -> Option<T>) -> Option<T> {
        let Some(Token { kind: Kind::Word(word), .. }) = self.peek() else { return None };
        let named = from_name(word)?;
        self.at += 1;
        Some(named)
    }

    fn ty(&mut self) -> Parse<Type> {
        let word = self.word("a type")?;
        match type_from_name(&word) {
            Some(ty) => Ok(ty),
            None => self.fail_back(format!("'{word}' is not a type")),
        }
    }

    /// Finds the names of all functions and globals, so that each may be used before its definition.
    fn declare(&mut self, module: &mut Module) -> Parse<()> {
        for i in 0..self.tokens.len().saturating_sub(1) {
            let (Kind::Word(word), Kind::At(name)) =
                (&self.tokens[i].kind, &self.tokens[i + 1].kind)
            else {
                continue;
            };
            let (word, name) = (word.clone(), name.clone());
            let fresh = match word.as_str() {
                "fn" => {
                    let func = module.functions.push(Function::new(name.clone(), &[], None));
                    self.funcs.insert(name.clone(), func).is_none()
                }
                "global" => {
                    let global = module.globals.push(empty_global(&name));
                    self.globals.insert(name.clone(), global).is_none()
                }
                _ => true,
            };
            if !fresh {
                self.at = i;
                return self.fail(format!("'@{name}' is defined twice"));
            }
        }
        Ok(())
    }

    pub(super) fn global_ref(&mut self) -> Parse<Global> {
        let name = self.name()?;
        match self.globals.get(&name) {
            Some(&global) => Ok(global),
            None => self.fail_back(format!("no global '@{name}'")),
        }
    }

    pub(super) fn func_ref(&mut self) -> Parse<Func> {
        let name = self.name()?;
        match self.funcs.get(&name) {
            Some(&func) => Ok(func),
            None => self.fail_back(format!("no function '@{name}'")),
        }
    }

    /// Parses the text of a source file of the program.
    fn file(&mut self, locations: &mut Locations) -> Parse<()> {
        self.expect_word("file")?;
        let (name, text) = (self.name()?, self.name()?);
        locations.file(&name, Some(&text.into()));
        Ok(())
    }

    /// Parses a row of the table of locations. The number behind `at` must be that of an earlier row.
    fn location(&mut self, locations: &mut Locations) -> Parse<()> {
        self.expect_word("loc")?;
        let file = self.name()?;
        let (line, column) = (self.number()?, self.number()?);
        let function = self.name()?;
        let inlined_at = match self.eat_word("at") {
            true => self.number()?,
            false => 0,
        };
        let Some(inlined_at) = Loc::numbered(inlined_at, locations.len()) else {
            return self.fail_back("a location is inlined at a later one");
        };
        let (file, function) = (locations.file(&file, None), locations.function(&function));
        let before = locations.len();
        locations.intern(Location { file, line, column, function, inlined_at });
        match locations.len() == before {
            true => self.fail_back("the location stands there twice"),
            false => Ok(()),
        }
    }

    fn global(&mut self, module: &mut Module) -> Parse<()> {
        self.expect_word("global")?;
        let global = self.global_ref()?;
        self.expect(':')?;
        let space = self.word("an address space")?;
        let Some(space) = space_from_name(&space) else {
            return self.fail_back(format!("'{space}' is not an address space"));
        };
        self.expect(',')?;
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect(',')?;
        self.expect_word("align")?;
        let align = self.number()?;
        let (mut is_const, mut linkage, mut own_name) = (false, Linkage::default(), None);
        while self.eat(',') {
            if self.eat_word("named") {
                own_name = Some(self.name()?);
            } else if let Some(known) = self.eat_name(linkage_from_name) {
                linkage = known;
            } else {
                self.expect_word("const")?;
                is_const = true;
            }
        }
        let init = if self.eat('=') {
            let line = self.line();
            // An empty initializer has no word.
            let empty = size == 0;
            let text = if empty { String::new() } else { self.word("bytes in hexadecimal")? };
            let bytes = hex_bytes(&text);
            let message = "bytes in hexadecimal expected".to_string();
            Some(bytes.ok_or(ParseError { line, message })?)
        } else {
            None
        };
        let mut relocations = Vec::new();
        while self.eat_word("reloc") {
            relocations.push((self.number()?, self.global_ref()?, self.number()?));
        }
        let data = &mut module.globals[global];
        let name = own_name.unwrap_or_else(|| std::mem::take(&mut data.name));
        *data = GlobalData { name, size, align, space, is_const, init, relocations, linkage };
        Ok(())
    }

    fn kernel(&mut self, module: &mut Module) -> Parse<()> {
        self.expect_word("kernel")?;
        let func = self.func_ref()?;
        let name = self.word("the kernel's name")?;
        let (mut args, mut pointee_alignments) = (Vec::new(), Vec::new());
        self.expect('(')?;
        while !self.eat(')') {
            if !args.is_empty() {
                self.expect(',')?;
            }
            let name = self.word("an argument's name")?;
            self.expect(':')?;
            let kind = self.arg_kind()?;
            pointee_alignments.push(if self.eat_word("aligned") { self.number()? } else { 0 });
            let is_restrict = self.eat_word("restrict");
            args.push(Arg { is_restrict, ..plain_arg(name, kind) });
        }
        let required_local_size = if self.eat_word("reqd") {
            Some([self.number()?, self.number()?, self.number()?])
        } else {
            None
        };
        let required_subgroup_size = match self.eat_word("subgroup") {
            true => Some(self.number()?),
            false => None,
        };
        let required_subgroups = match self.eat_word("subgroups") {
            true => Some(self.number()?),
            false => None,
        };
        let is_block = self.eat_word("block");
        let gathering = match (self.eat_word("whole"), self.eat_word("alone")) {
            (true, _) => Gathering::Whole,
            (_, true) => Gathering::Alone,
            _ => Gathering::Some,
        };
        module.kernels.push(KernelEntry {
            func,
            name,
            args,
            required_local_size,
            local_size_hint: None,
            required_subgroup_size,
            required_subgroups,
            gathering,
            attributes: String::new(),
            arg_info: false,
            is_block,
            pointee_alignments,
            access: Vec::new(),
        });
        Ok(())
    }

    fn arg_kind(&mut self) -> Parse<ArgKind> {
        let word = self.word("a kind of argument")?;
        Ok(match word.as_str() {
            "value" => ArgKind::Value { size: self.number()? },
            "buffer" => ArgKind::Buffer,
            "local" => {
                let ordinal = self.number()?;
                self.expect_word("align")?;
                ArgKind::Local { ordinal, align: self.number()? }
            }
            "image" => {
                let dim = self.eat_name(ImageDim::from_name);
                let access = self.eat_name(ImageAccess::from_name);
                let (Some(dim), Some(access)) = (dim, access) else {
                    return self.fail("expected the dimensions of an image and an access");
                };
                ArgKind::Image { dim, depth: self.eat_word("depth"), access }
            }
            "sampler" => ArgKind::Sampler,
            "pipe" => {
                let Some(access) = self.eat_name(ImageAccess::from_name) else {
                    return self.fail("expected the access of a pipe");
                };
                ArgKind::Pipe { access, packet: self.number()? }
            }
            "queue" => ArgKind::Queue,
            _ => {
                return self.fail_back(
                    "expected 'value', 'buffer', 'local', 'image', 'sampler', 'pipe' or 'queue'",
                )
            }
        })
    }

    fn function(&mut self, module: &mut Module) -> Parse<()> {
        self.expect_word("fn")?;
        let id = self.func_ref()?;
        let name = module.functions[id].name.clone();
        let mut body = Body {
            func: Function::new(name, &[], None),
            locations: module.locations.len(),
            op_flags: OpFlags::empty(),
            values: HashMap::new(),
            blocks: HashMap::new(),
        };
        let entry = body.func.entry();
        self.params(&mut body, entry)?;
        if self.eat('>') {
            body.func.returns.push(self.ty()?);
            while self.eat(',') {
                body.func.returns.push(self.ty()?);
            }
        }
        body.func.noinline = self.eat_word("noinline");
        body.func.is_located = self.eat_word("located");
        body.func.linkage = self.eat_name(linkage_from_name).unwrap_or_default();
        if self.eat_word("named") {
            body.func.name = self.name()?;
        }
        self.expect('{')?;
        body.func.layout.clear();
        while !self.eat('}') {
            self.block(&mut body, entry)?;
        }
        if body.func.layout.is_empty() {
            return self.fail_back("a function has at least one block");
        }
        for state in body.blocks.values() {
            if !state.defined {
                let message = "a branch leads to a block that is not there".to_string();
                return Err(ParseError { line: state.line, message });
            }
        }
        for state in body.values.values() {
            if !state.defined {
                let message = "a value is used that is defined nowhere".to_string();
                return Err(ParseError { line: state.line, message });
            }
        }
        module.functions[id] = body.func;
        Ok(())
    }

    /// Parses `(v0:i32, v1:f32)`, the parameters of a block.
    fn params(&mut self, body: &mut Body, block: Block) -> Parse<()> {
        self.expect('(')?;
        let mut first = true;
        while !self.eat(')') {
            if !first {
                self.expect(',')?;
            }
            first = false;
            let index = body.func.blocks[block].params.len() as u32;
            let value = self.value_def(body, ValueDef::Param(block, index))?;
            body.func.blocks[block].params.push(value);
        }
        Ok(())
    }

    /// Parses the definition of a value, `v0:i32`.
    fn value_def(&mut self, body: &mut Body, def: ValueDef) -> Parse<Value> {
        let word = self.word("a value")?;
        let Some(number) = numbered(&word, "v") else {
            return self.fail_back(format!("'{word}' is not a value"));
        };
        let line = self.line();
        let state = body.value(number, line);
        if std::mem::replace(&mut state.defined, true) {
            return self.fail_back(format!("'{word}' is defined twice"));
        }
        let value = state.entity;
        self.expect(':')?;
        let ty = self.ty()?;
        body.func.values[value] = ValueData { ty, def };
        Ok(value)
    }

    fn block_name(&mut self, body: &mut Body) -> Parse<(u32, Block)> {
        let word = self.word("a block")?;
        let Some(number) = numbered(&word, "block") else {
            return self.fail_back(format!("'{word}' is not a block"));
        };
        let line = self.line();
        let func = &mut body.func;
        let state = body.blocks.entry(number).or_insert_with(|| {
            let entity = func.blocks.push(Default::default());
            ForwardReference { entity, defined: false, line }
        });
        Ok((number, state.entity))
    }

    fn block(&mut self, body: &mut Body, entry: Block) -> Parse<()> {
        let line = self.line();
        if body.func.layout.is_empty() {
            // The first block is the entry, whose parameters are in the function's head.
            let word = self.word("a block")?;
            let Some(number) = numbered(&word, "block") else {
                return self.fail_back("expected a block");
            };
            body.blocks.insert(number, ForwardReference { entity: entry, defined: true, line });
            body.func.layout.push(entry);
            self.expect(':')?;
            return self.insts(body, entry);
        }
        let (number, block) = self.block_name(body)?;
        let state = body.blocks.get_mut(&number);
        if state.is_some_and(|s| std::mem::replace(&mut s.defined, true)) {
            return self.fail_back(format!("block{number} is defined twice"));
        }
        body.func.layout.push(block);
        if self.is_punct('(') {
            self.params(body, block)?;
        }
        body.func.blocks[block].unroll = self.unroll_hint()?;
        self.expect(':')?;
        self.insts(body, block)
    }

    fn unroll_hint(&mut self) -> Parse<Option<UnrollHint>> {
        if self.eat_word("nounroll") {
            return Ok(Some(UnrollHint::Disable));
        }
        if !self.eat_word("unroll") {
            return Ok(None);
        }
        Ok(Some(match self.is_punct(':') {
            true => UnrollHint::Full,
            false => UnrollHint::Count(self.number()?),
        }))
    }

    /// Parses instructions up to the terminator.
    fn insts(&mut self, body: &mut Body, block: Block) -> Parse<()> {
        loop {
            let inst = body.func.insts.push(InstData::Unreachable);
            let mut result = None;
            let has_result =
                self.tokens.get(self.at + 1).is_some_and(|t| t.kind == Kind::Punct(':'));
            if has_result {
                let value = self.value_def(body, ValueDef::Inst(inst))?;
                body.func.results[inst] = Some(value);
                result = Some(value);
                self.expect('=')?;
            }
            let data = self.inst(body)?;
            if data.is_terminator() && result.is_some() {
                return self.fail_back("a terminator has no result");
            }
            let last = data.is_terminator();
            if self.is_punct('!') {
                self.expect('!')?;
                let number = self.number()?;
                let Some(loc) = Loc::numbered(number, body.locations) else {
                    return self.fail_back("there is no such location");
                };
                body.func.set_location(inst, loc);
            }
            body.func.insts[inst] = data;
            body.func.blocks[block].insts.push(inst);
            if last {
                return Ok(());
            }
        }
    }

    /// Parses a value or constant.
    pub(super) fn value(&mut self, body: &mut Body) -> Parse<Value> {
        let word = self.word("a value")?;
        if let Some(number) = numbered(&word, "v") {
            let line = self.line();
            return Ok(body.value(number, line).entity);
        }
        match word.as_str() {
            "true" => return Ok(body.func.bool_const(true)),
            "false" => return Ok(body.func.bool_const(false)),
            _ => {}
        }
        self.expect(':')?;
        let ty = self.ty()?;
        if word == "undef" {
            return Ok(body.func.undef(ty));
        }
        match constant_bits(&word, ty) {
            Some(bits) => Ok(body.func.constant(ty, bits)),
            None => self.fail(format!("'{word}' is not a constant of type {ty}")),
        }
    }

    /// Parses a list of values; the list is empty if the next token is not a value.
    pub(super) fn values<A: smallvec::Array<Item = Value>>(
        &mut self,
        body: &mut Body,
    ) -> Parse<SmallVec<A>> {
        let mut out = SmallVec::new();
        if !self.is_at_value() {
            return Ok(out);
        }
        out.push(self.value(body)?);
        while self.eat(',') {
            out.push(self.value(body)?);
        }
        Ok(out)
    }

    /// Returns true if the next token is a value or constant, and neither a block nor the end of the function.
    fn is_at_value(&self) -> bool {
        self.peek().is_some_and(|token| match &token.kind {
            Kind::Word(word) => numbered(word, "block").is_none(),
            _ => false,
        })
    }

    /// Parses a list `[a, b]`, which may be empty.
    pub(super) fn brackets<T, C: Default + Extend<T>>(
        &mut self,
        mut item: impl FnMut(&mut Parser) -> Parse<T>,
    ) -> Parse<C> {
        self.expect('[')?;
        let mut out = C::default();
        let mut first = true;
        while !self.eat(']') {
            if !std::mem::take(&mut first) {
                self.expect(',')?;
            }
            out.extend([item(self)?]);
        }
        Ok(out)
    }

    pub(super) fn block_args<A: smallvec::Array<Item = Value>>(
        &mut self,
        body: &mut Body,
    ) -> Parse<SmallVec<A>> {
        if !self.eat('(') || self.eat(')') {
            return Ok(SmallVec::new());
        }
        let out = self.values(body)?;
        self.expect(')')?;
        Ok(out)
    }

    pub(super) fn target(&mut self, body: &mut Body) -> Parse<BlockCall> {
        let (_, block) = self.block_name(body)?;
        Ok(BlockCall { block, args: self.block_args(body)? })
    }

    /// Parses an instruction; its result has been parsed already.
    fn inst(&mut self, body: &mut Body) -> Parse<InstData> {
        let word = self.word("an instruction")?;
        let mut parts = word.split('.');
        let name = parts.next().unwrap_or("");
        let Some(flags) = op_flags(parts) else {
            return self.fail_back(format!("unknown flag in '{word}'"));
        };
        body.op_flags = flags;
        match InstData::parse(name, self, body)? {
            Some(inst) => Ok(inst),
            None => self.fail_back(format!("unknown instruction '{name}'")),
        }
    }
}

/// An entity whose name has been used, and whether its definition has been parsed.
struct ForwardReference<T> {
    entity: T,
    defined: bool,
    /// The line of its first use.
    line: u32,
}

/// A function that is being parsed.
pub(super) struct Body {
    func: Function,
    /// The number of locations of the module.
    locations: usize,
    /// The flags behind the mnemonic of the current instruction.
    pub(super) op_flags: OpFlags,
    values: HashMap<u32, ForwardReference<Value>>,
    blocks: HashMap<u32, ForwardReference<Block>>,
}

impl Body {
    fn value(&mut self, number: u32, line: u32) -> &mut ForwardReference<Value> {
        let func = &mut self.func;
        self.values.entry(number).or_insert_with(|| {
            let def = ValueDef::Param(Block::new(0), 0);
            let entity = func.values.push(ValueData { ty: Type::I32, def });
            ForwardReference { entity, defined: false, line }
        })
    }
}

/// Returns the number in `v12` or `block3`.
fn numbered(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix)?.parse().ok()
}

fn op_flags<'a>(names: impl Iterator<Item = &'a str>) -> Option<OpFlags> {
    let mut flags = OpFlags::empty();
    for name in names {
        flags |= OP_FLAGS.iter().find(|(n, _)| *n == name)?.1;
    }
    Some(flags)
}

/// Returns the bits of a constant of a scalar type in text form, if it is in the type's range.
fn constant_bits(word: &str, ty: Type) -> Option<u64> {
    if ty.lanes != 1 {
        return None;
    }
    if let Some(hex) = word.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    match ty.scalar {
        Scalar::F16 => word.parse().ok().map(|f| u64::from(half::f16::from_f32(f).to_bits())),
        Scalar::F32 => word.parse::<f32>().ok().map(|f| u64::from(f.to_bits())),
        Scalar::F64 => word.parse::<f64>().ok().map(f64::to_bits),
        _ => {
            let number = word.parse::<i128>().ok()?;
            let bits = ty.scalar.bits();
            let fits = number >= -(1 << (bits - 1)) && number < (1 << bits);
            fits.then_some(number as u64)
        }
    }
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().filter(|&c| c != '_').map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits?;
    let exact = digits.len() % 2 == 0;
    exact.then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

fn empty_global(name: &str) -> GlobalData {
    GlobalData {
        name: name.to_string(),
        size: 0,
        align: 1,
        space: super::types::AddressSpace::Constant,
        is_const: false,
        init: None,
        relocations: Vec::new(),
        linkage: Linkage::default(),
    }
}

fn plain_arg(name: String, kind: ArgKind) -> Arg {
    let address = match kind {
        ArgKind::Value { .. } | ArgKind::Sampler | ArgKind::Queue => ArgAddress::Private,
        ArgKind::Buffer | ArgKind::Image { .. } | ArgKind::Pipe { .. } => ArgAddress::Global,
        ArgKind::Local { .. } => ArgAddress::Local,
    };
    let type_name = String::new();
    let (is_const, is_restrict, is_volatile) = (false, false, false);
    Arg { name, type_name, kind, address, is_const, is_restrict, is_volatile }
}
