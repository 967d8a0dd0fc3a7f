//! Source locations: where in a program's text an instruction comes from.
//!
//! A [`Loc`] is a number in the module's table of [`Location`]s, 0 for none. A [`Function`] keeps one per instruction, in a
//! map that takes no memory until the first is set, and a *current* location ([`Function::location`]), which every new
//! instruction gets. This gives the rule for passes: code that rewrites an instruction first makes the instruction's location
//! the current one ([`Function::stand_at`]), so that the instructions that replace it inherit the location; clones copy
//! ([`Function::copy_location`]); inlining adds the place of the call ([`Locations::inlined`]).
//!
//! Locations are kept for programs that ask for them (`-g`, checks); for all others no instruction has a location.

use super::entities::Inst;
use super::function::Function;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// The number of a location; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Loc(u32);

impl Loc {
    /// The number for an unknown location.
    pub const NONE: Loc = Loc(0);

    /// Returns the number, 0 for none.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the location with a number that an IR text contains; `None` if the module has fewer than `number`
    /// locations.
    pub(super) fn numbered(number: u32, count: usize) -> Option<Loc> {
        (number as usize <= count).then_some(Loc(number))
    }

    /// Returns true for a location that is not [`Loc::NONE`].
    pub fn is_some(self) -> bool {
        self != Loc::NONE
    }
}

/// A place in a program's text, and the call that brought it into another function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file, as an index in [`Locations::files`].
    pub file: u32,
    /// Line, from 1; 0 in the built-in library, whose text programs do not see.
    pub line: u32,
    /// Column in bytes, from 1; 0 if unknown.
    pub column: u32,
    /// The function whose text contains the place, as an index in the names of functions.
    pub function: u32,
    /// The location of the call by which the function was inlined, if it was.
    pub inlined_at: Loc,
}

/// A file of a program.
#[derive(Debug, Clone)]
pub struct LocationFile {
    /// The name of the file as diagnostics show it.
    pub name: Arc<str>,
    /// The text of the file, if it is available: not for files that `#line` names.
    pub text: Option<Arc<str>>,
    /// Byte offsets of the starts of lines. Set when a line is first asked for.
    lines: OnceLock<Vec<u32>>,
}

/// The locations of a module. Each occurs once.
#[derive(Debug, Clone, Default)]
pub struct Locations {
    files: Vec<LocationFile>,
    functions: Vec<Arc<str>>,
    list: Vec<Location>,
    file_numbers: FxHashMap<Arc<str>, u32>,
    function_numbers: FxHashMap<Arc<str>, u32>,
    numbers: FxHashMap<Location, Loc>,
}

impl Locations {
    /// The name of the file of instructions that come from no text of the program.
    pub const BUILT_IN: &'static str = "<built-in>";

    /// Returns true if there are no locations.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of a file. A file without text gets `text`.
    pub fn file(&mut self, name: &str, text: Option<&Arc<str>>) -> u32 {
        let number = match self.file_numbers.get(name) {
            Some(&number) => number,
            None => {
                let (number, name): (u32, Arc<str>) = (self.files.len() as u32, name.into());
                self.files.push(LocationFile {
                    name: name.clone(),
                    text: None,
                    lines: OnceLock::new(),
                });
                self.file_numbers.insert(name, number);
                number
            }
        };
        let file = &mut self.files[number as usize];
        if let (None, Some(text)) = (&file.text, text) {
            file.text = Some(text.clone());
        }
        number
    }

    /// Returns the number of a function's name.
    pub fn function(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.function_numbers.get(name) {
            return number;
        }
        let (number, name): (u32, Arc<str>) = (self.functions.len() as u32, name.into());
        self.functions.push(name.clone());
        self.function_numbers.insert(name, number);
        number
    }

    /// Returns the number of a location. A new location gets a new number.
    pub fn intern(&mut self, location: Location) -> Loc {
        let next = Loc(self.list.len() as u32 + 1);
        let number = *self.numbers.entry(location).or_insert(next);
        if number == next {
            self.list.push(location);
        }
        number
    }

    /// Returns a location by its number; `None` for [`Loc::NONE`].
    pub fn get(&self, loc: Loc) -> Option<&Location> {
        self.list.get((loc.0 as usize).checked_sub(1)?)
    }

    /// Returns the number of locations.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns all locations, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &Location> {
        self.list.iter()
    }

    /// Returns the files.
    pub fn files(&self) -> &[LocationFile] {
        &self.files
    }

    /// Returns the name of a location's file.
    pub fn file_of(&self, location: &Location) -> &LocationFile {
        &self.files[location.file as usize]
    }

    /// Returns the name of a location's function.
    pub fn function_of(&self, location: &Location) -> &str {
        &self.functions[location.function as usize]
    }

    /// Returns true for a place in the built-in library.
    pub fn is_built_in(&self, location: &Location) -> bool {
        location.line == 0
    }

    /// Returns the line of the program's text that contains a location, if the text is available.
    pub fn line_text(&self, location: &Location) -> Option<&str> {
        let file = self.file_of(location);
        let text = file.text.as_deref()?;
        let starts = file.lines.get_or_init(|| {
            let ends = text.match_indices('\n').map(|(end, _)| end as u32 + 1);
            std::iter::once(0).chain(ends).collect()
        });
        let start = *starts.get(location.line.checked_sub(1)? as usize)?;
        text.get(start as usize..)?.lines().next()
    }

    /// Returns a location and the locations at which it was inlined, the innermost first.
    pub fn chain(&self, loc: Loc) -> impl Iterator<Item = &Location> {
        std::iter::successors(self.get(loc), |location| self.get(location.inlined_at))
    }

    /// Returns the innermost place of a location that is in the program's own text.
    pub fn in_program(&self, loc: Loc) -> Option<&Location> {
        self.chain(loc).find(|location| !self.is_built_in(location))
    }

    /// Returns the location of a clone of an instruction at `loc`, inlined by the call at `call`. `known`: locations already
    /// made for this call.
    pub fn inlined(&mut self, loc: Loc, call: Loc, known: &mut FxHashMap<Loc, Loc>) -> Loc {
        let Some(&location) = self.get(loc) else { return call };
        if call == Loc::NONE {
            return loc;
        }
        if let Some(&known) = known.get(&loc) {
            return known;
        }
        // The chain is at most as long as calls are deep, which the parser and the passes bound.
        let inlined_at = self.inlined(location.inlined_at, call, known);
        let new = self.intern(Location { inlined_at, ..location });
        known.insert(loc, new);
        new
    }

    /// Adds the locations of another module. Returns, by number in the other module, the number in this one.
    pub fn adopt(&mut self, other: &Locations) -> Vec<Loc> {
        let mut map = vec![Loc::NONE];
        for location in other.iter() {
            let file = other.file_of(location);
            let file = self.file(&file.name, file.text.as_ref());
            let function = self.function(other.function_of(location));
            let inlined_at = map.get(location.inlined_at.0 as usize).copied().unwrap_or_default();
            map.push(self.intern(Location { file, function, inlined_at, ..*location }));
        }
        map
    }

    /// Checks that every chain of inlined locations ends: a location may be inlined only at a location with a lower number.
    ///
    /// Errors: the number of a location for which this does not hold.
    pub fn verify(&self) -> Result<(), String> {
        for (index, location) in self.list.iter().enumerate() {
            if location.inlined_at.0 as usize > index {
                return Err(format!("location {} is inlined at a later one", index + 1));
            }
        }
        Ok(())
    }
}

impl Function {
    /// Returns the location of an instruction.
    #[inline]
    pub fn location_of(&self, inst: Inst) -> Loc {
        self.locations.as_ref().map_or(Loc::NONE, |locations| locations[inst])
    }

    /// Sets the location of an instruction.
    pub fn set_location(&mut self, inst: Inst, loc: Loc) {
        // There is no map for programs without locations.
        if self.location_of(inst) != loc {
            self.locations.get_or_insert_with(Box::default)[inst] = loc;
        }
    }

    /// Gives new instructions the location of `inst`, which they are made from.
    pub fn stand_at(&mut self, inst: Inst) {
        self.location = self.location_of(inst);
    }

    /// Renumbers all locations.
    pub fn map_locations(&mut self, new: impl Fn(Loc) -> Loc) {
        self.location = new(self.location);
        let known = self.locations.iter_mut().flat_map(|locations| locations.values_mut());
        known.for_each(|loc| *loc = new(*loc));
    }

    /// Gives an instruction the location of the instruction that it is a clone of.
    pub fn copy_location(&mut self, from: Inst, to: Inst) {
        let loc = self.location_of(from);
        self.set_location(to, loc);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(locations: &mut Locations, function: &str, line: u32) -> Loc {
        let file = locations.file("a.cl", None);
        let function = locations.function(function);
        locations.intern(Location { file, line, column: 1, function, inlined_at: Loc::NONE })
    }

    #[test]
    fn inlining_adds_the_call_at_the_end_of_the_chain() {
        let mut all = Locations::default();
        let (inner, call) = (at(&mut all, "f", 1), at(&mut all, "g", 5));
        let in_g = all.inlined(inner, call, &mut FxHashMap::default());
        let outer = at(&mut all, "k", 9);
        let in_k = all.inlined(in_g, outer, &mut FxHashMap::default());
        let lines: Vec<u32> = all.chain(in_k).map(|location| location.line).collect();
        assert_eq!(lines, [1, 5, 9]);
        assert_eq!(all.inlined(in_g, outer, &mut FxHashMap::default()), in_k);
        assert_eq!(all.inlined(Loc::NONE, outer, &mut FxHashMap::default()), outer);
        assert_eq!(all.verify(), Ok(()));
        let mut other = Locations::default();
        at(&mut other, "z", 7);
        let map = other.adopt(&all);
        let new = other.chain(map[in_k.number() as usize]).map(|l| l.line);
        assert_eq!(new.collect::<Vec<_>>(), [1, 5, 9]);
    }

    #[test]
    fn lines_are_found_in_texts() {
        let mut all = Locations::default();
        let text: Arc<str> = "one\ntwo\r\nthree".into();
        all.file("a.cl", Some(&text));
        let loc = at(&mut all, "f", 2);
        let location = *all.get(loc).unwrap();
        assert_eq!(all.line_text(&location), Some("two"));
        assert_eq!(all.line_text(&Location { line: 4, ..location }), None);
        assert_eq!(all.get(Loc::NONE), None);
    }
}
