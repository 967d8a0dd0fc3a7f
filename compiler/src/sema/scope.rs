//! Scopes (C99 6.2.1): the meaning of each name at a place of the text.

use super::blocks::BlockValue;
use super::hir::{FunctionId, GlobalId, LocalId};
use super::typename::QualType;
use super::types::{RecordId, TypeId};
use crate::preprocess::Symbol;
use crate::source::Span;

/// The entity that an ordinary identifier names.
#[derive(Debug, Clone)]
pub(super) enum Entity {
    Local(LocalId, QualType),
    Global(GlobalId, QualType),
    /// The overloads of a function, in order of declaration.
    Functions(Vec<FunctionId>),
    Enumerator(u64, TypeId),
    Typedef(QualType),
    /// A block variable (OpenCL C 6.14).
    Block(BlockValue),
}

/// The entity that a struct, union or enum tag names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tag {
    Record(RecordId, TypeId),
    Enum(TypeId),
}

/// A name's meaning and the place of its declaration.
#[derive(Debug, Clone)]
pub(super) struct Binding<T> {
    pub entity: T,
    pub span: Span,
    /// Nesting of the scope: 0 is file scope.
    pub depth: u32,
}

/// One name space: the current meaning of each symbol, and a log to restore meanings at the end of scopes.
#[derive(Debug)]
struct Names<T> {
    current: Vec<Option<Binding<T>>>,
    log: Vec<(Symbol, Option<Binding<T>>)>,
}

impl<T> Names<T> {
    fn get(&self, name: Symbol) -> Option<&Binding<T>> {
        self.current.get(name.0 as usize)?.as_ref()
    }

    fn set(&mut self, name: Symbol, binding: Binding<T>) {
        let index = name.0 as usize;
        if index >= self.current.len() {
            self.current.resize_with(index + 1, || None);
        }
        let old = self.current[index].replace(binding);
        self.log.push((name, old));
    }

    fn undo_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((name, old)) = self.log.pop() {
                self.current[name.0 as usize] = old;
            }
        }
    }
}

/// Both name spaces of OpenCL C that have scopes: ordinary identifiers and tags.
#[derive(Debug)]
pub(super) struct Scopes {
    names: Names<Entity>,
    tags: Names<Tag>,
    marks: Vec<(usize, usize)>,
}

impl Scopes {
    /// Returns the scopes at file scope, with nothing declared; `symbols` is the number of names to expect.
    pub fn new(symbols: usize) -> Scopes {
        let names = Names { current: Vec::with_capacity(symbols), log: Vec::new() };
        let tags = Names { current: Vec::new(), log: Vec::new() };
        Scopes { names, tags, marks: Vec::new() }
    }

    pub fn push(&mut self) {
        self.marks.push((self.names.log.len(), self.tags.log.len()));
    }

    pub fn pop(&mut self) {
        if let Some((names, tags)) = self.marks.pop() {
            self.names.undo_to(names);
            self.tags.undo_to(tags);
        }
    }

    /// Nesting of the current scope: 0 is file scope.
    pub fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub fn find(&self, name: Symbol) -> Option<&Binding<Entity>> {
        self.names.get(name)
    }

    /// Returns the meaning that is declared in the current scope itself.
    pub fn find_here(&self, name: Symbol) -> Option<&Binding<Entity>> {
        self.find(name).filter(|binding| binding.depth == self.depth())
    }

    pub fn declare(&mut self, name: Symbol, entity: Entity, span: Span) {
        let depth = self.depth();
        self.names.set(name, Binding { entity, span, depth });
    }

    /// Declares a function at file scope from any scope. Declarations of the name in inner scopes hide it.
    pub fn declare_overload(&mut self, name: Symbol, function: FunctionId, span: Span) {
        if let Some(Some(binding)) = self.names.current.get_mut(name.0 as usize) {
            if let Entity::Functions(list) = &mut binding.entity {
                list.push(function);
                return;
            }
        }
        self.declare(name, Entity::Functions(vec![function]), span);
    }

    pub fn find_tag(&self, name: Symbol) -> Option<&Binding<Tag>> {
        self.tags.get(name)
    }

    /// Returns the tag that is declared in the current scope itself.
    pub fn find_tag_here(&self, name: Symbol) -> Option<&Binding<Tag>> {
        self.find_tag(name).filter(|binding| binding.depth == self.depth())
    }

    pub fn declare_tag(&mut self, name: Symbol, tag: Tag, span: Span) {
        let depth = self.depth();
        self.tags.set(name, Binding { entity: tag, span, depth });
    }
}
