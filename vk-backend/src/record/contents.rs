//! The commands of a batch, described for the log of a device that stalls or is lost.

use std::fmt;

use crate::pipeline::Pipeline;
use crate::record::batch::Retained;
use crate::record::recording::Recording;

/// One command.
enum Content {
    /// A transfer of this kind.
    Transfer(&'static str),
    /// A number of work-groups of a pipeline, which has this index among the objects that the batch retains.
    Dispatch { pipeline: usize, groups: [u32; 3] },
    /// The commands of a recording, which has this index among those objects.
    Replay { recording: usize },
}

/// The commands of a batch, in their order.
#[derive(Default)]
pub(crate) struct Contents(Vec<Content>);

impl Contents {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a transfer, of a `kind` for logs.
    pub(crate) fn add_transfer(&mut self, kind: &'static str) {
        self.0.push(Content::Transfer(kind));
    }

    /// Adds a dispatch of the pipeline with an index among the objects that the batch retains.
    pub(crate) fn add_dispatch(&mut self, pipeline: usize, groups: [u32; 3]) {
        self.0.push(Content::Dispatch { pipeline, groups });
    }

    /// Adds the recording with an index among the objects that the batch retains.
    pub(crate) fn add_replay(&mut self, recording: usize) {
        self.0.push(Content::Replay { recording });
    }

    /// Writes the commands of a batch that retains these objects: `; copy; runs spin in 16 x 1 x 1 work-groups`. Equal commands
    /// behind each other are counted.
    pub(crate) fn describe(
        &self,
        retained: &[Retained],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let mut commands = Vec::new();
        self.collect(retained, &mut commands);
        for equal in commands.chunk_by(|a, b| a == b) {
            write!(f, "; {}", equal[0])?;
            match equal.len() {
                1 => {}
                count => write!(f, " ({count} times)")?,
            }
        }
        Ok(())
    }

    /// Adds the description of each command. (If the batch has released the objects that it retained, only the kinds of its
    /// commands are known.)
    fn collect(&self, retained: &[Retained], commands: &mut Vec<String>) {
        for content in &self.0 {
            match *content {
                Content::Transfer(kind) => commands.push(kind.to_string()),
                Content::Dispatch { pipeline, groups: [x, y, z] } => {
                    let pipeline =
                        retained.get(pipeline).and_then(|r| r.downcast_ref::<Pipeline>());
                    let name = pipeline.map_or("a kernel", Pipeline::name);
                    commands.push(format!("runs {name} in {x} x {y} x {z} work-groups"));
                }
                Content::Replay { recording } => {
                    let recording = retained.get(recording);
                    if let Some(recording) = recording.and_then(|r| r.downcast_ref::<Recording>()) {
                        recording.batch.contents.collect(&recording.batch.retained, commands);
                    }
                }
            }
        }
    }
}
