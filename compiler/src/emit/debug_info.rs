//! NonSemantic.Shader.DebugInfo.100: the functions of the program, and which of them were inlined where, for debuggers and
//! profilers (RenderDoc, Nsight, RGP). Drivers may ignore it. OpLine, in contrast, has lines alone.
//!
//! Source: KhronosGroup/SPIRV-Registry, nonsemantic/NonSemantic.Shader.DebugInfo.100.

use super::emitter::Emitter;
use super::position::DebugInfo;
use super::spirv_builder::{encode, string_words, SpirvBuilder};
use crate::ir::{Loc, Location, Locations};
use rspirv::spirv::{Op, SourceLanguage};

/// The instructions of the set that the emitter uses.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Debug {
    CompilationUnit = 1,
    TypeFunction = 8,
    Function = 20,
    Scope = 23,
    InlinedAt = 25,
    Source = 35,
    FunctionDefinition = 101,
    SourceContinued = 102,
    Line = 103,
}

/// The version of the instruction set, and the version of DWARF whose terms it uses.
const VERSION: u32 = 100;
const DWARF: u32 = 4;
/// The most bytes of text in one OpString: an instruction's number of words has 16 bits.
const MOST_BYTES: usize = 200_000;

impl Emitter<'_> {
    /// Emits the function and the line of the following instructions in this block.
    pub(super) fn debug_place(&mut self, loc: Loc) {
        let locations = &self.module.locations;
        let Some(place) = locations.in_program(loc) else { return };
        let mut writer = Writer { builder: &mut self.builder, debug: &mut self.debug, locations };
        writer.begin(place.file);
        let scope = writer.function(place);
        let inlined_at = writer.inlined_at(place);
        let outermost = locations.chain(loc).filter(|place| !locations.is_built_in(place)).last();
        if let Some(outermost) = outermost.filter(|_| !writer.debug.defined) {
            let own = writer.function(outermost);
            let id = self.current_function;
            let definition = writer.instruction(Debug::FunctionDefinition, &[own, id]).1;
            encode(&mut self.entry_code, Op::ExtInst, &definition);
            writer.debug.defined = true;
        }
        let operands = [Some(scope), inlined_at];
        let operands: Vec<u32> = operands.into_iter().flatten().collect();
        let scope = writer.instruction(Debug::Scope, &operands).1;
        let source = writer.source(place.file);
        let [line, column] = [place.line, place.column].map(|n| writer.builder.const_u32(n));
        let line = writer.instruction(Debug::Line, &[source, line, line, column, column]).1;
        encode(&mut self.body, Op::ExtInst, &scope);
        encode(&mut self.body, Op::ExtInst, &line);
    }
}

/// Writes the instructions outside of functions.
struct Writer<'a> {
    builder: &'a mut SpirvBuilder,
    debug: &'a mut DebugInfo,
    locations: &'a Locations,
}

impl Writer<'_> {
    /// Declares the set and the compilation unit, whose source is `file`, unless it has been done.
    fn begin(&mut self, file: u32) {
        if self.debug.set != 0 {
            return;
        }
        self.debug.first_lines = first_lines(self.locations);
        self.debug.set = self.builder.import_debug_info();
        let source = self.source(file);
        let [version, dwarf, language] = [VERSION, DWARF, SourceLanguage::OpenCL_C as u32]
            .map(|number| self.builder.const_u32(number));
        self.debug.unit = self.declare(Debug::CompilationUnit, &[version, dwarf, source, language]);
        // Types are left out: every function is declared without parameters and results.
        let (flags, void) = (self.builder.const_u32(0), self.builder.void);
        self.debug.function_type = self.declare(Debug::TypeFunction, &[flags, void]);
    }

    /// Returns a new id for an instruction of the set, and the words of its OpExtInst.
    fn instruction(&mut self, what: Debug, operands: &[u32]) -> (u32, Vec<u32>) {
        let id = self.builder.new_id();
        let words = [&[self.builder.void, id, self.debug.set, what as u32], operands].concat();
        (id, words)
    }

    /// Writes an instruction outside of functions, and returns its id.
    fn declare(&mut self, what: Debug, operands: &[u32]) -> u32 {
        let (id, words) = self.instruction(what, operands);
        encode(&mut self.builder.debug, Op::ExtInst, &words);
        id
    }

    fn string(&mut self, text: &str) -> u32 {
        let id = self.builder.new_id();
        let words = [&[id], &string_words(text)[..]].concat();
        encode(&mut self.builder.sources, Op::String, &words);
        id
    }

    /// Returns the DebugSource of a file, with its text where that is at hand.
    fn source(&mut self, file: u32) -> u32 {
        if let Some(&id) = self.debug.sources.get(&file) {
            return id;
        }
        let known = &self.locations.files()[file as usize];
        let name = self.string(&known.name);
        let mut pieces = pieces(known.text.as_deref().unwrap_or_default()).into_iter();
        let first = pieces.next().map(|text| self.string(text));
        let operands: Vec<u32> = [Some(name), first].into_iter().flatten().collect();
        let id = self.declare(Debug::Source, &operands);
        for text in pieces {
            let text = self.string(text);
            self.declare(Debug::SourceContinued, &[text]);
        }
        self.debug.sources.insert(file, id);
        id
    }

    /// Returns the DebugFunction of the function whose text has a place.
    fn function(&mut self, place: &Location) -> u32 {
        if let Some(&id) = self.debug.functions.get(&place.function) {
            return id;
        }
        let name = self.locations.function_of(place);
        let name = self.string(name);
        let source = self.source(place.file);
        let line = self.debug.first_lines[place.function as usize];
        let [line, zero] = [line, 0].map(|number| self.builder.const_u32(number));
        let (ty, unit) = (self.debug.function_type, self.debug.unit);
        let operands = [name, ty, source, line, zero, unit, name, zero, line];
        let id = self.declare(Debug::Function, &operands);
        self.debug.functions.insert(place.function, id);
        id
    }

    /// Returns the DebugInlinedAt of the inlined call that a place comes from, if the call is in the program. A kernel's entry
    /// and its function count as one: a call between them is skipped.
    fn inlined_at(&mut self, inner: &Location) -> Option<u32> {
        let place = *self.locations.in_program(inner.inlined_at)?;
        if place.function == inner.function {
            return self.inlined_at(&place);
        }
        if let Some(&id) = self.debug.inlined.get(&place) {
            return Some(id);
        }
        // The depth of this recursion is the depth of nested calls, which the passes limit.
        let outer = self.inlined_at(&place);
        let line = self.builder.const_u32(place.line);
        let scope = self.function(&place);
        let operands = [Some(line), Some(scope), outer];
        let operands: Vec<u32> = operands.into_iter().flatten().collect();
        let id = self.declare(Debug::InlinedAt, &operands);
        self.debug.inlined.insert(place, id);
        Some(id)
    }
}

/// Returns the first known line of each function of the program, by the function's number among the locations.
fn first_lines(locations: &Locations) -> Vec<u32> {
    let mut lines = Vec::new();
    for place in locations.iter().filter(|place| !locations.is_built_in(place)) {
        let at = place.function as usize;
        if lines.len() <= at {
            lines.resize(at + 1, u32::MAX);
        }
        lines[at] = place.line.min(lines[at]);
    }
    lines
}

/// Splits a text into pieces that fit an OpString each.
fn pieces(text: &str) -> Vec<&str> {
    let (mut rest, mut pieces) = (text, Vec::new());
    while !rest.is_empty() {
        let mut end = rest.len().min(MOST_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = format!("a{}", "\u{e4}".repeat(MOST_BYTES));
        let pieces = pieces(&text);
        assert_eq!(pieces.concat(), text);
        assert!(pieces.len() == 3 && pieces.iter().all(|piece| piece.len() <= MOST_BYTES));
        assert!(super::pieces("").is_empty());
    }
}
