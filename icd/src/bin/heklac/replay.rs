//! `heklac --replay FILE`: runs the work-groups in which a launch found mistakes again, in the interpreter of SPIR-V, and
//! tells how the values came about that the findings name.

use hekla::core::check::{with_caret, Cause};
use hekla::core::command::replay::{Argument, Dispatch, Image, Piece, Replay};
use hekla_spirv_interp::{self as interp, Bytes, Memory, Outcome, Source, Step, Subgroups};
use std::path::Path;

/// The most steps that are told of one finding; the last ones are.
const MOST_STEPS: usize = 40;
/// Numbers that are so near to memory are its addresses.
const NEAR: u64 = 1 << 32;
/// The most instructions of a work-group.
const LIMIT: u64 = 200_000_000;

/// Runs the findings of a file again; returns the report.
pub fn run(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let replay = Replay::read(&bytes).map_err(|error| error.to_string())?;
    Ok(replay.causes.iter().map(|cause| report(&replay, cause)).collect())
}

/// Returns the report of one finding.
fn report(replay: &Replay, cause: &Cause) -> String {
    let first = cause.message.lines().next().unwrap_or_default();
    let mut text = format!("replay of: {first}\n");
    match again(replay, cause) {
        Err(error) => text.push_str(&format!("  it cannot be run again: {error}\n")),
        Ok(Outcome::Ended) => text.push_str(
            "  not found when its work-group runs alone: it depends on other work-groups, or on the order of work-items\n",
        ),
        Ok(Outcome::Found { steps, .. }) => {
            let told: Vec<String> = steps.iter().filter_map(|step| tell(replay, cause, step)).collect();
            let skipped = told.len().saturating_sub(MOST_STEPS);
            match (told.is_empty(), skipped) {
                (true, _) => text.push_str("  no value that was computed decides it\n"),
                (_, 0) => {}
                _ => text.push_str(&format!("  {skipped} earlier steps are left out\n")),
            }
            text.extend(told.into_iter().skip(skipped));
        }
    }
    text
}

/// Runs the work-group of a finding again.
fn again(replay: &Replay, cause: &Cause) -> Result<Outcome, String> {
    let (dispatch, group, item) = replay
        .dispatches
        .iter()
        .find_map(|it| place(it, cause))
        .ok_or("no dispatch has its work-item")?;
    let run = interp::Dispatch {
        groups: dispatch.groups,
        push_constants: dispatch.push.clone(),
        specialization: dispatch.constants.iter().copied().collect(),
        subgroups: Subgroups { size: replay.subgroup_size.max(1), ..Subgroups::default() },
        limit: LIMIT,
        ..interp::Dispatch::default()
    };
    let memory = || {
        let mut memory = Memory::new();
        for piece in &replay.pieces {
            memory.place(piece.address, Bytes::new(&piece.bytes))?;
        }
        for image in &replay.images {
            memory.place_image(image.binding, image.slot, seen(image)?);
        }
        Ok(memory)
    };
    let outcome = interp::trace(&replay.spirv, &run, group, item, cause.counter, &memory);
    outcome.map_err(|error| error.to_string())
}

/// Returns an image as the interpreter has it.
fn seen(image: &Image) -> interp::Res<interp::Image> {
    let mut components = [interp::Component::Zero; 4];
    for (component, letter) in components.iter_mut().zip(image.components.chars()) {
        *component = match "RGBA".find(letter) {
            Some(index) => interp::Component::Stored(index),
            None if letter == '1' => interp::Component::One,
            None => interp::Component::Zero,
        };
    }
    let level = |&(address, size): &_| interp::Level { address, size };
    let levels = image.levels.iter().map(level).collect();
    Ok(interp::Image { format: interp::Format::named(&image.format)?, components, levels })
}

/// Returns the place of an address in the images of a replay, as text.
fn texel(replay: &Replay, address: u64) -> Option<String> {
    replay.images.iter().find_map(|image| {
        let bytes = interp::Format::named(&image.format).ok()?.bytes as u64;
        let (start, size) = image.levels.iter().find(|(start, size)| {
            let size = size.iter().fold(bytes, |all, n| all.saturating_mul((*n).into()));
            address.wrapping_sub(*start) < size
        })?;
        let number = (address - start) / bytes;
        let [width, height, _] = size.map(u64::from);
        let (x, y, z) = (number % width, number / width % height, number / width / height);
        Some(format!("texel ({x}, {y}, {z}) of argument '{}'", image.name))
    })
}

/// Returns the dispatch, work-group and place in it of a finding's work-item.
fn place<'r>(dispatch: &'r Dispatch, cause: &Cause) -> Option<(&'r Dispatch, [u32; 3], [u32; 3])> {
    let (mut group, mut item) = ([0; 3], [0; 3]);
    for d in 0..3 {
        // Findings have the low 32 bits of ids.
        let at = cause.global_id[d].wrapping_sub(dispatch.base[d] as u32);
        let local = dispatch.local[d].max(1);
        (group[d], item[d]) = (at / local, at % local);
        if group[d] >= dispatch.groups[d] {
            return None;
        }
    }
    Some((dispatch, group, item))
}

/// Returns a step as text: place, value and source, then the line with a caret. `None` for addresses and their parts, and
/// what only the check reads.
fn tell(replay: &Replay, cause: &Cause, step: &Step) -> Option<String> {
    let Step { file, line, column, value, from, text } = step;
    let from = match from {
        Some(from) => source(replay, cause, from)?,
        None => String::new(),
    };
    let address = value.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let near = |it: &Piece| address.is_some_and(|at| at.abs_diff(it.address) < NEAR);
    if replay.pieces.iter().any(near) {
        return None;
    }
    let mut told = format!("  {file}:{line}:{column}: {value}{from}\n");
    if let Some(text) = text {
        told.extend(with_caret(text, *column).lines().map(|line| format!("    {line}\n")));
    }
    Some(told)
}

/// Returns where a loaded value comes from, as the end of a sentence; `None` for a part of an address, and for the memory that
/// findings are written to.
fn source(replay: &Replay, cause: &Cause, from: &Source) -> Option<String> {
    let of = |address: &u64| {
        if let Some(texel) = texel(replay, *address) {
            return texel;
        }
        let inside = |it: &&Argument| address.wrapping_sub(it.memory.0) < it.memory.1;
        replay.arguments.iter().find(inside).map_or_else(
            || format!("address {address:#x}"),
            |it| format!("offset {} of argument '{}'", address - it.memory.0, it.name),
        )
    };
    let is_in = |address: u64, piece: &Piece| {
        address.wrapping_sub(piece.address) < piece.bytes.len() as u64
    };
    let of_findings = replay.pieces.iter().find(|it| is_in(cause.counter, it));
    Some(match from {
        Source::Before { address } if of_findings.is_some_and(|it| is_in(*address, it)) => {
            return None
        }
        Source::PushConstants { offset } => return field(replay, *offset),
        Source::Ids => ", of the ids of the work-item".to_string(),
        Source::Before { address } => match replay.in_argument_buffer(*address) {
            Some(offset) => return field(replay, offset),
            None => format!(", read at {}, where it was before the launch", of(address)),
        },
        Source::Nothing => ", read where nothing was written".to_string(),
        Source::Store { local_id: [x, y, z], file, line, column, address } => {
            let at =
                address.as_ref().map_or_else(String::new, |address| format!(" at {}", of(address)));
            format!(", read{at}, written by local id ({x}, {y}, {z}) at {file}:{line}:{column}")
        }
    })
}

/// Returns the argument at an offset of the kernel-argument buffer; `None` for an address, and for the launch's sizes.
fn field(replay: &Replay, offset: u64) -> Option<String> {
    let inside = |it: &&Argument| offset.wrapping_sub(it.field.0.into()) < it.field.1.into();
    let argument = replay.arguments.iter().find(inside).filter(|it| it.memory.1 == 0)?;
    Some(format!(", of argument '{}'", argument.name))
}
