//! Names and decorations of ids (SPIR-V 3.20), among them those from groups of decorations.

use super::words::{string, Inst, Words};
use rspirv::spirv::{Decoration, Op};
use rustc_hash::FxHashMap;

/// The names and decorations of a module.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    names: FxHashMap<u32, String>,
    of_ids: FxHashMap<u32, Vec<(Decoration, Vec<u32>)>>,
    of_members: FxHashMap<(u32, u32), Vec<Decoration>>,
    /// Words of decorations that ids have from groups, so far.
    grouped: usize,
}

/// The most words of decorations that ids have from groups.
const MAX_GROUPED: usize = 1 << 20;

/// How an entity is linked (SPIR-V 3.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkageType {
    Export,
    Import,
    /// Other modules may have the same definition.
    LinkOnce,
}

impl Decorations {
    /// Reads the names and decorations of a module.
    pub(super) fn read(words: &Words) -> Result<Decorations, String> {
        let mut decorations = Decorations::default();
        for inst in words.iter() {
            decorations.instruction(&inst).map_err(|message| format!("{inst}: {message}"))?;
        }
        Ok(decorations)
    }

    fn instruction(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::Name => {
                self.names.insert(inst.arg(0)?, inst.string(1));
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let [target, decoration] = inst.get()?;
                let decoration = known(decoration)?;
                let entry = (decoration, inst.rest(2).to_vec());
                self.of_ids.entry(target).or_default().push(entry);
            }
            Op::MemberDecorate | Op::MemberDecorateString => {
                let [target, member, decoration] = inst.get()?;
                self.of_members.entry((target, member)).or_default().push(known(decoration)?);
            }
            Op::GroupDecorate => {
                let group = self.group(inst)?;
                for &target in inst.rest(1) {
                    self.of_ids.entry(target).or_default().extend(group.iter().cloned());
                }
            }
            Op::GroupMemberDecorate => {
                let group = self.group(inst)?;
                for pair in inst.rest(1).chunks_exact(2) {
                    let entry = self.of_members.entry((pair[0], pair[1])).or_default();
                    entry.extend(group.iter().map(|(decoration, _)| *decoration));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the decorations of the group that an instruction applies to its targets.
    fn group(&mut self, inst: &Inst<'_>) -> Result<Vec<(Decoration, Vec<u32>)>, String> {
        let group = self.of_ids.get(&inst.arg(0)?).cloned().unwrap_or_default();
        let words: usize = group.iter().map(|(_, operands)| 1 + operands.len()).sum();
        self.grouped = self.grouped.saturating_add(words.saturating_mul(inst.args.len()));
        match self.grouped <= MAX_GROUPED {
            true => Ok(group),
            false => Err("groups decorate too much".to_string()),
        }
    }

    /// Returns the name of an id; if the module does not name it, a name made of its number.
    pub(super) fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("id{id}"),
        }
    }

    /// Returns the name that the module gives to an id, or nothing.
    pub(super) fn given_name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    fn all(&self, id: u32) -> impl Iterator<Item = &(Decoration, Vec<u32>)> {
        self.of_ids.get(&id).into_iter().flatten()
    }

    /// Returns true if an id has a decoration.
    pub(super) fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.all(id).any(|(found, _)| *found == decoration)
    }

    /// Returns the first operand of an id's decoration.
    pub(super) fn operand(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.operands(id, decoration).next()
    }

    /// Returns the first operands of all an id's decorations of a kind.
    pub(super) fn operands(
        &self,
        id: u32,
        decoration: Decoration,
    ) -> impl Iterator<Item = u32> + '_ {
        let all = self.all(id).filter(move |(found, _)| *found == decoration);
        all.filter_map(|(_, operands)| operands.first().copied())
    }

    /// Returns the name and kind of an id's linkage.
    pub(super) fn linkage(&self, id: u32) -> Result<Option<(String, LinkageType)>, String> {
        let mut all = self.all(id).filter(|(found, _)| *found == Decoration::LinkageAttributes);
        let Some((_, operands)) = all.next() else { return Ok(None) };
        let (name, taken) = string(operands);
        let kind = match operands.get(taken) {
            Some(0) => LinkageType::Export,
            Some(1) => LinkageType::Import,
            Some(2) => LinkageType::LinkOnce,
            _ => return Err("unknown linkage type".to_string()),
        };
        if name.is_empty() || name.chars().any(|c| c == '"' || c.is_control()) {
            return Err(format!("the linkage name {name:?} is not supported"));
        }
        Ok(Some((name, kind)))
    }
}

fn known(decoration: u32) -> Result<Decoration, String> {
    Decoration::from_u32(decoration).ok_or_else(|| format!("unknown decoration {decoration}"))
}
