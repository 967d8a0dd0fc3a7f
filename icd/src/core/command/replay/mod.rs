//! Launches that can be run again (`HEKLA_CHECK_REPLAY`): a launch of a checked kernel keeps a copy of the memory that it may
//! reach, as it was before. If it finds something, all that its dispatches need goes to a file, which `heklac --replay` runs
//! in an interpreter.

mod file;

pub use file::{Argument, Dispatch, Image, Piece, Replay};

use crate::cl::error::Result;
use crate::config::{self, KeepReplays};
use crate::core::check::{tell, Cause};
use crate::core::device::open::Gpu;
use crate::core::program::kernel::BuiltKernel;
use crate::platform;
use hekla_vk_backend as vk;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Once};

/// The most bytes of memory that are kept for one launch, or for all of a command buffer.
pub const MOST: u64 = 512 << 20;

/// Memory that is kept: a buffer, and the part of it.
pub struct Kept {
    pub buffer: Arc<vk::Buffer>,
    pub offset: u64,
    pub size: u64,
}

/// An image that is kept: the name of its argument, the number of its binding, and the texels that the kernel sees.
pub struct KeptImage {
    pub name: String,
    pub binding: u32,
    pub seen: vk::SeenTexels,
}

/// The address from which on copies of images lie in a replay: where devices have no memory.
const TEXELS: u64 = 0xf << 60;

/// What a launch keeps to be run again.
pub struct Capture {
    pub kernel: Arc<BuiltKernel>,
    pub dispatches: Vec<Dispatch>,
    pub arguments: Vec<Argument>,
    kept: Vec<Kept>,
    images: Vec<KeptImage>,
    /// The levels of images, each once.
    levels: Vec<(Arc<vk::Image>, u32)>,
    copy: Arc<vk::Buffer>,
}

impl Capture {
    /// Makes room for the contents of memory. `None`, after a message, if it is more than `most` bytes. Pieces of one buffer
    /// must not overlap.
    pub fn new(
        kernel: Arc<BuiltKernel>,
        dispatches: Vec<Dispatch>,
        arguments: Vec<Argument>,
        (kept, images): (Vec<Kept>, Vec<KeptImage>),
        most: u64,
    ) -> Result<Option<Capture>> {
        let levels = levels_of(&images);
        let memory = kept.iter().map(|it| it.size);
        let all = memory.chain(levels.iter().map(|(image, level)| bytes_of(image, *level)));
        let total: u64 = all.map(|size| size.next_multiple_of(16)).sum();
        if total > most {
            static TOLD: Once = Once::new();
            TOLD.call_once(|| {
                let (megabytes, most) = (total >> 20, most >> 20);
                tell(&format!(
                    "hekla: HEKLA_CHECK_REPLAY: a launch may reach {megabytes} MiB, more than the {most} that are kept\n"
                ));
            });
            return Ok(None);
        }
        let copy = kernel.gpu.device.create_buffer(total.max(16), vk::MemoryKind::Readback)?;
        Ok(Some(Capture { kernel, dispatches, arguments, kept, images, levels, copy }))
    }

    /// Returns the number of bytes that are kept.
    pub fn size(&self) -> u64 {
        self.copy.size()
    }

    /// Records the copies, behind all commands before.
    pub fn record(&self, recorder: &mut vk::Recorder) {
        recorder.barrier();
        for (kept, at) in self.places() {
            recorder.copy(&kept.buffer, kept.offset, &self.copy, at, kept.size);
        }
        for (image, level, at) in self.places_of_levels() {
            recorder.copy_from_image(image, vk::ImageBox::of_level(image, level), &self.copy, at);
        }
        recorder.barrier();
    }

    /// Returns what is kept, with its offset in the copy.
    fn places(&self) -> impl Iterator<Item = (&Kept, u64)> {
        let mut end = 0;
        self.kept.iter().map(move |kept| {
            let at = end;
            end += kept.size.next_multiple_of(16);
            (kept, at)
        })
    }

    /// Returns the levels of images that are kept, with their offsets in the copy.
    fn places_of_levels(&self) -> impl Iterator<Item = (&Arc<vk::Image>, u32, u64)> {
        let mut end: u64 = self.kept.iter().map(|it| it.size.next_multiple_of(16)).sum();
        self.levels.iter().map(move |(image, level)| {
            let at = end;
            end += bytes_of(image, *level).next_multiple_of(16);
            (image, *level, at)
        })
    }

    /// Returns an image as a replay has it.
    fn described(&self, KeptImage { name, binding, seen }: &KeptImage) -> Image {
        let levels = match &seen.place {
            vk::SeenPlace::Buffer(buffer, first, texels) => {
                vec![(buffer.address() + first, [*texels as u32, 1, 1])]
            }
            vk::SeenPlace::Levels(image, levels) => {
                let places = self.places_of_levels();
                let own = places
                    .filter(|(of, level, _)| Arc::ptr_eq(of, image) && levels.contains(level));
                own.map(|(_, level, at)| (TEXELS + at, image.size_of_level(level))).collect()
            }
        };
        let source = |component| match component {
            vk::Component::Zero => '0',
            vk::Component::One => '1',
            vk::Component::R => 'R',
            vk::Component::G => 'G',
            vk::Component::B => 'B',
            vk::Component::A => 'A',
        };
        Image {
            name: name.clone(),
            binding: *binding,
            slot: seen.slot,
            format: seen.format.name().unwrap_or_default().to_string(),
            components: seen.components.map(source).into_iter().collect(),
            levels,
        }
    }

    /// Writes what the launch, which must be complete, needs to be run again to a file, and has heklac run it.
    pub fn keep(&self, gpu: &Gpu, causes: Vec<Cause>, to: &KeepReplays) -> Result<()> {
        let mut pieces = Vec::new();
        for (kept, at) in self.places() {
            let mut bytes = vec![0; kept.size as usize];
            gpu.read_now(&self.copy, at, &mut bytes)?;
            pieces.push(Piece { address: kept.buffer.address() + kept.offset, bytes });
        }
        for (image, level, at) in self.places_of_levels() {
            let mut bytes = vec![0; bytes_of(image, level) as usize];
            gpu.read_now(&self.copy, at, &mut bytes)?;
            pieces.push(Piece { address: TEXELS + at, bytes });
        }
        let replay = Replay {
            spirv: self.kernel.kernel.spirv.clone(),
            subgroup_size: self.kernel.subgroup_size(),
            dispatches: self.dispatches.clone(),
            arguments: self.arguments.clone(),
            pieces,
            images: self.images.iter().map(|image| self.described(image)).collect(),
            causes,
        };
        let written = create(to, &self.kernel.kernel.name)
            .and_then(|(mut file, path)| file.write_all(&replay.write()).map(|()| path));
        match written {
            Ok(path) => run_again(&path, matches!(to, KeepReplays::Folder(_))),
            Err(error) => tell(&format!("hekla: HEKLA_CHECK_REPLAY: {error}\n")),
        }
        Ok(())
    }
}

/// Returns the levels that images show, each once.
fn levels_of(images: &[KeptImage]) -> Vec<(Arc<vk::Image>, u32)> {
    let mut found: Vec<(Arc<vk::Image>, u32)> = Vec::new();
    for image in images {
        let vk::SeenPlace::Levels(image, levels) = &image.seen.place else { continue };
        for level in levels.clone() {
            if !found.iter().any(|(of, known)| Arc::ptr_eq(of, image) && *known == level) {
                found.push((image.clone(), level));
            }
        }
    }
    found
}

/// Returns the number of bytes of a level of an image.
fn bytes_of(image: &vk::Image, level: u32) -> u64 {
    vk::ImageBox::of_level(image, level).texels() * u64::from(image.desc().format.bytes())
}

/// Creates a file that was not there, which others cannot read: it contains the program's data.
fn create(to: &KeepReplays, kernel: &str) -> std::io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = kernel.chars().filter(|c| is_plain(*c)).take(100).collect();
    let folder = match to {
        KeepReplays::Folder(folder) => {
            std::fs::create_dir_all(folder)?;
            folder.clone()
        }
        KeepReplays::Briefly => config::temporary_folder(),
    };
    let process = std::process::id();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{name}-{process}-{number}.replay"));
    Ok((platform::create_private_file(&path)?, path))
}

/// Runs the heklac on PATH for a file. The file is removed unless it `stays`, or there is no heklac.
fn run_again(path: &Path, stays: bool) {
    let name = format!("heklac{}", std::env::consts::EXE_SUFFIX);
    let mut known = config::program_folders().into_iter().map(|folder| folder.join(&name));
    let show = path.display();
    let Some(program) = known.find(|path| path.is_file()) else {
        tell(&format!("hekla: run the work-group again by: heklac --replay {show}\n"));
        return;
    };
    match Command::new(program).arg("--replay").arg(path).output() {
        Ok(output) => {
            tell(&String::from_utf8_lossy(&output.stdout));
            tell(&String::from_utf8_lossy(&output.stderr));
        }
        Err(error) => tell(&format!("hekla: heklac: {error}\n")),
    }
    if stays {
        tell(&format!("hekla: this again: heklac --replay {show}\n"));
    } else {
        let _ = std::fs::remove_file(path);
    }
}
