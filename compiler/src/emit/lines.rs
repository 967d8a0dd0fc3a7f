//! The lines of the program, for drivers and debuggers: OpString, OpSource and OpLine, if instructions have their places.

use super::emitter::Emitter;
use super::spirv_builder::{encode, string_words};
use crate::ir::{Inst, Loc, Location};
use rspirv::spirv::{Op, SourceLanguage};

/// The longest text that one instruction holds, in words.
const MAX_WORDS: usize = 60_000;

impl Emitter<'_> {
    /// Emits the line of an instruction, unless it is the line of the previous instruction. For inlined code it is the
    /// innermost line in the program's own text.
    pub fn line(&mut self, inst: Inst) {
        let loc = self.func.location_of(inst);
        if loc != Loc::NONE {
            self.tell(loc);
        }
    }

    fn tell(&mut self, loc: Loc) {
        let place = self.module.locations.in_program(loc);
        let Some(&Location { file, line, column, .. }) = place else { return };
        // Debuggers need to know which of several inlined calls of a function the line belongs to.
        let call = if self.target.non_semantic_info { place.map(|p| p.inlined_at) } else { None };
        if self.lines.current.replace((file, line, column, call))
            == Some((file, line, column, call))
        {
            return;
        }
        let name = match self.lines.files.get(&file) {
            Some(&name) => name,
            None => {
                let name = self.builder.new_id();
                self.lines.files.insert(file, name);
                name
            }
        };
        encode(&mut self.body, Op::Line, &[name, line, column]);
        if self.target.non_semantic_info {
            self.debug_place(loc);
        }
    }

    /// Declares the files of all lines, with their texts if these are available. The version of OpenCL C is left out: a linked
    /// object has none.
    pub fn name_source(&mut self) {
        for (&file, &id) in &self.lines.files {
            let file = &self.module.locations.files()[file as usize];
            let sources = &mut self.builder.sources;
            let name = string_words(&file.name);
            encode(sources, Op::String, &[&[id], &name[..]].concat());
            let mut source = vec![SourceLanguage::OpenCL_C as u32, 0, id];
            // The text is left out if NonSemantic.Shader.DebugInfo has it.
            let text = file.text.as_deref().filter(|_| !self.target.non_semantic_info);
            let text = text.map(string_words);
            source.extend(text.filter(|text| text.len() < MAX_WORDS).unwrap_or_default());
            encode(sources, Op::Source, &source);
        }
    }
}
