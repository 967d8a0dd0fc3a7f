//! The syntax tree as text: s-expressions, with one statement in a line.
//!
//! ```text
//! (function kernel void f ((a (ptr global int)))
//!   (= (index a 0) 1))
//! ```

use hekla_compiler::preprocess::{Interner, Pragma, Symbol};
use hekla_compiler::syntax::ast::*;

/// Returns the text of a tree.
pub fn print(unit: &TranslationUnit, interner: &Interner) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, interner };
    for item in &unit.items {
        printer.item(item);
        printer.out.push('\n');
    }
    printer.out
}

struct Printer<'a> {
    out: String,
    indent: usize,
    interner: &'a Interner,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, symbol: Symbol) {
        self.out.push_str(self.interner.resolve(symbol));
    }

    /// Writes a word and a space.
    fn word(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push(' ');
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// Writes `(head children)`.
    fn node(&mut self, head: &str, children: impl FnOnce(&mut Self)) {
        self.out.push('(');
        self.out.push_str(head);
        children(self);
        self.out.push(')');
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Pragma(pragma, _) => self.pragma(pragma),
        }
    }

    fn function(&mut self, function: &FunctionDef) {
        self.text("(function ");
        self.spec_words(&function.specs);
        let derivations = &function.declarator.derivations;
        let Some((Derivation::Function { params, is_variadic }, rest)) = derivations.split_last()
        else {
            return self.text("?)");
        };
        self.ty(&function.specs, rest);
        self.text(" ");
        self.declared_name(&function.declarator);
        self.text(" ");
        self.params(params, *is_variadic);
        self.attributes(&function.declarator.attributes);
        self.body(&function.body.stmts);
        self.text(")");
    }

    /// Writes statements, each on a line of its own, indented.
    fn body(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        for stmt in stmts {
            self.line();
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn sub(&mut self, stmt: &Stmt) {
        self.body(std::slice::from_ref(stmt));
    }

    fn pragma(&mut self, pragma: &Pragma) {
        match pragma {
            Pragma::FpContract(switch) => {
                let switch = format!("{switch:?}").to_lowercase();
                self.node("pragma fp_contract ", |p| p.text(&switch));
            }
            Pragma::Extension { name, behaviour } => {
                let behaviour = format!("{behaviour:?}").to_lowercase();
                self.node("pragma extension ", |p| {
                    p.name(*name);
                    p.text(" ");
                    p.text(&behaviour);
                });
            }
            Pragma::Unroll(count) => {
                let count = format!("{count:?}");
                self.node("pragma unroll ", |p| p.text(&count));
            }
            Pragma::Pack(n) => self.node("pragma pack ", |p| p.text(&n.to_string())),
        }
    }

    fn static_assert(&mut self, assertion: &StaticAssert) {
        self.node("static_assert ", |p| {
            p.expr(&assertion.cond);
            if let Some(message) = &assertion.message {
                p.text(" ");
                p.string(message);
            }
        });
    }

    // Declarations and types.

    fn declaration(&mut self, declaration: &Declaration) {
        self.text("(decl ");
        self.spec_words(&declaration.specs);
        if declaration.declarators.is_empty() {
            self.ty(&declaration.specs, &[]);
        }
        for (i, declared) in declaration.declarators.iter().enumerate() {
            self.separate(i);
            self.text("(");
            self.declared(&declaration.specs, &declared.declarator);
            if let Some(init) = &declared.init {
                self.text(" ");
                self.initializer(init);
            }
            self.text(")");
        }
        self.text(")");
    }

    fn separate(&mut self, i: usize) {
        if i > 0 {
            self.text(" ");
        }
    }

    /// Writes `name type attributes`.
    fn declared(&mut self, specs: &DeclSpecs, declarator: &Declarator) {
        self.declared_name(declarator);
        self.text(" ");
        self.ty(specs, &declarator.derivations);
        self.attributes(&declarator.attributes);
    }

    fn declared_name(&mut self, declarator: &Declarator) {
        match declarator.name {
            Some(name) => self.name(name),
            None => self.text("_"),
        }
    }

    /// Writes everything of specifiers except the type, with a space after each word.
    fn spec_words(&mut self, specs: &DeclSpecs) {
        if let Some(storage) = specs.storage {
            self.word(&format!("{storage:?}").to_lowercase());
        }
        if specs.is_inline {
            self.word("inline");
        }
        if specs.is_kernel {
            self.word("kernel");
        }
        for attribute in &specs.attributes {
            self.attribute(attribute);
            self.text(" ");
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.text(" ");
            self.attribute(attribute);
        }
    }

    /// Writes `[name args]`.
    fn attribute(&mut self, attribute: &Attribute) {
        self.text("[");
        self.name(attribute.name);
        if let Some(ty) = &attribute.type_arg {
            self.text(" ");
            self.type_name(ty);
        }
        for arg in &attribute.args {
            self.text(" ");
            self.expr(arg);
        }
        self.text("]");
    }

    fn type_name(&mut self, ty: &TypeName) {
        self.ty(&ty.specs, &ty.declarator.derivations);
    }

    /// Writes the specified type with derivations around it.
    fn ty(&mut self, specs: &DeclSpecs, derivations: &[Derivation]) {
        for derivation in derivations.iter().rev() {
            match derivation {
                Derivation::Pointer(quals) => {
                    self.text("(ptr ");
                    self.quals(quals);
                }
                Derivation::BlockPointer(quals) => {
                    self.text("(block ");
                    self.quals(quals);
                }
                Derivation::Array(None) => self.text("(array _ "),
                Derivation::Array(Some(length)) => {
                    self.text("(array ");
                    self.expr(length);
                    self.text(" ");
                }
                Derivation::Function { params, is_variadic } => {
                    self.text("(fn ");
                    self.params(params, *is_variadic);
                    self.text(" ");
                }
            }
        }
        self.quals(&specs.quals);
        self.type_spec(&specs.ty);
        self.out.extend(std::iter::repeat_n(')', derivations.len()));
    }

    fn params(&mut self, params: &[ParamDecl], is_variadic: bool) {
        self.text("(");
        for (i, param) in params.iter().enumerate() {
            self.separate(i);
            self.text("(");
            self.spec_words(&param.specs);
            self.declared(&param.specs, &param.declarator);
            self.text(")");
        }
        if is_variadic {
            self.text(" ...");
        }
        self.text(")");
    }

    fn quals(&mut self, quals: &Quals) {
        let flags = [
            (quals.is_const, "const"),
            (quals.is_volatile, "volatile"),
            (quals.is_restrict, "restrict"),
            (quals.is_atomic, "_Atomic"),
        ];
        for (is_set, word) in flags {
            if is_set {
                self.word(word);
            }
        }
        if let Some(space) = quals.space {
            self.word(&format!("{space:?}").to_lowercase());
        }
        match quals.access {
            Some(Access::ReadOnly) => self.word("read_only"),
            Some(Access::WriteOnly) => self.word("write_only"),
            Some(Access::ReadWrite) => self.word("read_write"),
            None => {}
        }
    }

    fn type_spec(&mut self, ty: &TypeSpec) {
        match ty {
            TypeSpec::Void => self.text("void"),
            TypeSpec::Missing => self.text("missing"),
            TypeSpec::Scalar(name) => self.text(name.spelling()),
            TypeSpec::Vector(name, lanes) => self.text(&format!("{}{lanes}", name.spelling())),
            TypeSpec::Typedef(name) | TypeSpec::Opaque(name) => self.name(*name),
            TypeSpec::Pipe(packet) => self.node("pipe ", |p| p.type_spec(packet)),
            TypeSpec::TypeofExpr(expr) => self.node("typeof ", |p| p.expr(expr)),
            TypeSpec::TypeofType(ty) => self.node("typeof-type ", |p| p.type_name(ty)),
            TypeSpec::Record { is_union, tag, fields, attributes, .. } => {
                self.text(if *is_union { "(union " } else { "(struct " });
                self.tag(*tag);
                self.attributes(attributes);
                self.fields(fields.as_deref());
                self.text(")");
            }
            TypeSpec::Enum { tag, enumerators, attributes } => {
                self.text("(enum ");
                self.tag(*tag);
                self.attributes(attributes);
                self.enumerators(enumerators.as_deref());
                self.text(")");
            }
        }
    }

    fn tag(&mut self, tag: Option<Name>) {
        match tag {
            Some(tag) => self.name(tag.symbol),
            None => self.text("_"),
        }
    }

    fn fields(&mut self, fields: Option<&[FieldDecl]>) {
        let Some(fields) = fields else { return };
        self.text(" {");
        for (i, field) in fields.iter().enumerate() {
            self.separate(i);
            self.spec_words(&field.specs);
            if field.declarators.is_empty() {
                self.text("(");
                self.ty(&field.specs, &[]);
                self.text(")");
            }
            for (i, declared) in field.declarators.iter().enumerate() {
                self.separate(i);
                self.text("(");
                self.declared(&field.specs, &declared.declarator);
                if let Some(width) = &declared.bit_width {
                    self.text(" : ");
                    self.expr(width);
                }
                self.text(")");
            }
        }
        self.text("}");
    }

    fn enumerators(&mut self, enumerators: Option<&[Enumerator]>) {
        let Some(enumerators) = enumerators else { return };
        self.text(" {");
        for (i, enumerator) in enumerators.iter().enumerate() {
            self.separate(i);
            match &enumerator.value {
                None => self.name(enumerator.name),
                Some(value) => {
                    self.text("(");
                    self.name(enumerator.name);
                    self.text(" ");
                    self.expr(value);
                    self.text(")");
                }
            }
        }
        self.text("}");
    }

    fn initializer(&mut self, init: &Initializer) {
        match init {
            Initializer::Expr(expr) => self.expr(expr),
            Initializer::List(list, _) => {
                self.text("{");
                for (i, part) in list.iter().enumerate() {
                    self.separate(i);
                    for designator in &part.designators {
                        match designator {
                            Designator::Field(name, _) => {
                                self.text(".");
                                self.name(*name);
                            }
                            Designator::Index(index) => {
                                self.text("[");
                                self.expr(index);
                                self.text("]");
                            }
                            Designator::Range(first, last) => {
                                self.text("[");
                                self.expr(first);
                                self.text(" ... ");
                                self.expr(last);
                                self.text("]");
                            }
                        }
                    }
                    if !part.designators.is_empty() {
                        self.text("=");
                    }
                    self.initializer(&part.init);
                }
                self.text("}");
            }
        }
    }

    // Statements.

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => self.text("(empty)"),
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::Block(block) => self.node("block", |p| p.body(&block.stmts)),
            StmtKind::If { cond, then, otherwise } => self.node("if ", |p| {
                p.expr(cond);
                p.sub(then);
                if let Some(otherwise) = otherwise {
                    p.sub(otherwise);
                }
            }),
            StmtKind::IfChain { branches, otherwise } => self.node("ifs", |p| {
                for (cond, then) in branches {
                    p.text(" ");
                    p.expr(cond);
                    p.sub(then);
                }
                if let Some(otherwise) = otherwise {
                    p.sub(otherwise);
                }
            }),
            StmtKind::While { cond, body, unroll } => self.node("while ", |p| {
                p.unroll(unroll.as_ref());
                p.expr(cond);
                p.sub(body);
            }),
            StmtKind::DoWhile { body, cond, unroll } => self.node("do ", |p| {
                p.unroll(unroll.as_ref());
                p.expr(cond);
                p.sub(body);
            }),
            StmtKind::For { init, cond, step, body, unroll } => self.node("for ", |p| {
                p.unroll(unroll.as_ref());
                match init {
                    Some(init) => p.stmt(init),
                    None => p.text("_"),
                }
                for part in [cond, step] {
                    p.text(" ");
                    match part {
                        Some(part) => p.expr(part),
                        None => p.text("_"),
                    }
                }
                p.sub(body);
            }),
            StmtKind::Switch { value, body } => self.node("switch ", |p| {
                p.expr(value);
                p.sub(body);
            }),
            StmtKind::Case { low, high, body } => self.node("case ", |p| {
                p.expr(low);
                if let Some(high) = high {
                    p.text("...");
                    p.expr(high);
                }
                p.sub(body);
            }),
            StmtKind::Default(body) => self.node("default", |p| p.sub(body)),
            StmtKind::Break => self.text("(break)"),
            StmtKind::Continue => self.text("(continue)"),
            StmtKind::Return(None) => self.text("(return)"),
            StmtKind::Return(Some(value)) => self.node("return ", |p| p.expr(value)),
            StmtKind::Goto(name) => self.node("goto ", |p| p.name(name.symbol)),
            StmtKind::Label(name, body) => self.node("label ", |p| {
                p.name(*name);
                p.sub(body);
            }),
            StmtKind::Pragma(pragma) => self.pragma(pragma),
        }
    }

    fn unroll(&mut self, hint: Option<&UnrollHint>) {
        match hint {
            None => {}
            Some(UnrollHint::Pragma(Unroll::Full) | UnrollHint::Attribute(None, _)) => {
                self.word("[unroll]");
            }
            Some(UnrollHint::Pragma(Unroll::Disable)) => self.word("[nounroll]"),
            Some(UnrollHint::Pragma(Unroll::Count(count))) => {
                self.word(&format!("[unroll {count}]"));
            }
            Some(UnrollHint::Attribute(Some(factor), _)) => {
                self.text("[unroll ");
                self.expr(factor);
                self.text("] ");
            }
        }
    }

    // Expressions.

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Ident(name) => self.name(*name),
            ExprKind::Bool(truth) => self.text(if *truth { "true" } else { "false" }),
            ExprKind::Int(literal) => {
                let suffix = match (literal.is_unsigned, literal.is_long) {
                    (false, false) => "",
                    (true, false) => "u",
                    (false, true) => "l",
                    (true, true) => "ul",
                };
                self.text(&format!("{}{suffix}", literal.value));
            }
            ExprKind::Float(literal) => self.text(&match literal {
                FloatLiteral::Plain { double, .. } => format!("{double:?}"),
                FloatLiteral::Single(value) => format!("{value:?}f"),
                FloatLiteral::Half(bits) => format!("{:?}h", half::f16::from_bits(*bits)),
                FloatLiteral::Double(value) => format!("{value:?}l"),
            }),
            ExprKind::Char(value) => self.text(&format!("'{value}'")),
            ExprKind::Str(bytes) => self.string(bytes),
            ExprKind::Unary(op, a) => self.list(unary_word(*op), &[a]),
            ExprKind::Binary(op, a, b) => self.list(binary_word(*op), &[a, b]),
            ExprKind::Chain(first, links) => {
                // Chains are printed as if each link were nested in the next one.
                for link in links.iter().rev() {
                    let head = link.op.map_or(",", binary_word);
                    self.text(&format!("({head} "));
                }
                self.expr(first);
                for link in links {
                    self.text(" ");
                    self.expr(&link.operand);
                    self.text(")");
                }
            }
            ExprKind::Assign(op, a, b) => {
                let head = format!("{}=", op.map_or("", compound_word));
                self.list(&head, &[a, b]);
            }
            ExprKind::Conditional(c, Some(a), b) => self.list("?", &[c, a, b]),
            ExprKind::Conditional(c, None, b) => self.list("?:", &[c, b]),
            ExprKind::Choices(choices, last) => {
                for (cond, then) in choices {
                    self.text("(? ");
                    self.expr(cond);
                    self.text(" ");
                    self.expr(then);
                    self.text(" ");
                }
                self.expr(last);
                self.text(&")".repeat(choices.len()));
            }
            ExprKind::Comma(a, b) => self.list(",", &[a, b]),
            ExprKind::Call(function, args) => self.node("call ", |p| {
                p.expr(function);
                p.exprs(args);
            }),
            ExprKind::Index(a, b) => self.list("index", &[a, b]),
            ExprKind::Member { base, name, arrow, .. } => {
                self.node(if *arrow { "-> " } else { ". " }, |p| {
                    p.expr(base);
                    p.text(" ");
                    p.name(*name);
                });
            }
            ExprKind::Cast(ty, value) => self.typed("cast", ty, std::slice::from_ref(value)),
            ExprKind::VectorLiteral(ty, parts) => self.typed("vector", ty, parts),
            ExprKind::CompoundLiteral(ty, init) => self.node("literal ", |p| {
                p.type_name(ty);
                p.text(" ");
                p.initializer(init);
            }),
            ExprKind::SizeofExpr(value) => self.list("sizeof", &[value]),
            ExprKind::SizeofType(ty) => self.node("sizeof-type ", |p| p.type_name(ty)),
            ExprKind::AlignofType(ty) => self.node("alignof-type ", |p| p.type_name(ty)),
            ExprKind::VecStep(ty) => self.node("vec_step-type ", |p| p.type_name(ty)),
            ExprKind::AsType(value, ty) => self.typed("astype", ty, std::slice::from_ref(value)),
            ExprKind::Block(literal) => self.node("block ", |p| {
                match &literal.ret {
                    Some(ret) => p.type_name(ret),
                    None => p.text("_"),
                }
                p.text(" ");
                p.params(&literal.params, literal.is_variadic);
                p.body(&literal.body.stmts);
            }),
            ExprKind::StmtExpr(block) => self.node("stmt-expr", |p| p.body(&block.stmts)),
        }
    }

    fn list(&mut self, head: &str, parts: &[&Expr]) {
        self.node(head, |p| {
            for part in parts {
                p.text(" ");
                p.expr(part);
            }
        });
    }

    fn typed<E: std::borrow::Borrow<Expr>>(&mut self, head: &str, ty: &TypeName, parts: &[E]) {
        self.node(head, |p| {
            p.text(" ");
            p.type_name(ty);
            for part in parts {
                p.text(" ");
                p.expr(part.borrow());
            }
        });
    }

    fn exprs(&mut self, parts: &[Expr]) {
        for part in parts {
            self.text(" ");
            self.expr(part);
        }
    }

    fn string(&mut self, bytes: &[u8]) {
        let text = bytes.escape_ascii().to_string();
        self.text(&format!("\"{text}\""));
    }
}

fn unary_word(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "plus",
        UnaryOp::Minus => "neg",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
        UnaryOp::Deref => "deref",
        UnaryOp::AddressOf => "addr",
        UnaryOp::PreInc => "++_",
        UnaryOp::PreDec => "--_",
        UnaryOp::PostInc => "_++",
        UnaryOp::PostDec => "_--",
    }
}

fn compound_word(op: CompoundOp) -> &'static str {
    match op {
        CompoundOp::Arith(ArithOp::Mul) => "*",
        CompoundOp::Arith(ArithOp::Div) => "/",
        CompoundOp::Arith(ArithOp::Rem) => "%",
        CompoundOp::Arith(ArithOp::Add) => "+",
        CompoundOp::Arith(ArithOp::Sub) => "-",
        CompoundOp::Arith(ArithOp::And) => "&",
        CompoundOp::Arith(ArithOp::Xor) => "^",
        CompoundOp::Arith(ArithOp::Or) => "|",
        CompoundOp::Shl => "<<",
        CompoundOp::Shr => ">>",
    }
}

fn binary_word(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Compound(op) => compound_word(op),
        BinaryOp::Compare(CompareOp::Lt) => "<",
        BinaryOp::Compare(CompareOp::Gt) => ">",
        BinaryOp::Compare(CompareOp::Le) => "<=",
        BinaryOp::Compare(CompareOp::Ge) => ">=",
        BinaryOp::Compare(CompareOp::Eq) => "==",
        BinaryOp::Compare(CompareOp::Ne) => "!=",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}
