//! Block literals (OpenCL C 6.14.3): `^int (int x) { ... }`.

use super::ast::{BlockLiteral, Derivation, Expr, ExprKind, TypeName};
use super::declarator::Naming;
use super::parser::{PResult, Parser};
use super::specs::Context;
use crate::options::ClStd;
use crate::preprocess::Punct;

impl Parser<'_> {
    /// Reports the block at the cursor, if the version of OpenCL C has no blocks.
    pub fn check_blocks(&mut self) -> PResult<()> {
        match self.std < ClStd::Cl20 {
            true => self.fail(self.span(), "blocks need OpenCL C 2.0 or newer"),
            false => Ok(()),
        }
    }

    /// Returns true if a block literal begins at the `^`.
    pub fn at_block(&self) -> bool {
        self.at_ahead(1, Punct::LBrace) || self.at_ahead(1, Punct::LParen) || self.starts_type(1)
    }

    /// Parses a block literal, at its `^`. Its parameters and return type may be missing.
    pub fn block_literal(&mut self) -> PResult<Expr> {
        let start = self.span();
        self.check_blocks()?;
        self.advance();
        self.names.open_scope();
        let literal = self.nested(Self::block_parts);
        self.names.close_scope();
        let span = start.to(self.last_span());
        Ok(Expr { kind: ExprKind::Block(Box::new(literal?)), span })
    }

    fn block_parts(&mut self) -> PResult<BlockLiteral> {
        let start = self.span();
        let (mut ret, mut function) = (None, None);
        if self.at(Punct::LParen) {
            function = Some(self.parameters(start)?);
        } else if !self.at(Punct::LBrace) {
            let specs = self.specs(Context::TypeName, Vec::new())?;
            let mut declarator = self.declarator(Naming::Forbidden)?;
            if declarator.is_function() {
                function = declarator.derivations.pop();
            }
            let span = start.to(self.last_span());
            ret = Some(TypeName { specs, declarator, span });
        }
        let (params, is_variadic) = match function {
            Some(Derivation::Function { params, is_variadic }) => (params, is_variadic),
            _ => (Vec::new(), false),
        };
        if !self.at(Punct::LBrace) {
            return self.fail(self.span(), "expected '{' in block literal");
        }
        for param in &params {
            self.declare(&param.declarator, None);
        }
        let was_in_function = std::mem::replace(&mut self.in_function, true);
        let body = self.block();
        self.in_function = was_in_function;
        Ok(BlockLiteral { ret, params, is_variadic, body: body? })
    }
}
