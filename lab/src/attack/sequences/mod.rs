//! `attack sequences`: random sequences of OpenCL commands, checked against a model in host memory.
//!
//! Each command depends explicitly on the former ones that touch the same bytes, so there is one right result; the
//! model executes each command on host copies when it is enqueued. A seed makes one sequence, always the same. Children
//! run blocks of seeds ([`child`]); the parent counts the outcomes ([`parent`]).

mod api;
mod check;
mod child;
mod create;
mod device;
mod event;
mod host;
mod image_kernels;
mod images;
mod kernels;
mod launch;
mod layout;
mod mapping;
mod native;
mod object;
mod parent;
mod program;
mod queue;
mod queues;
mod random;
mod recording;
mod sequence;
mod settings;
mod slot;
mod span;
mod story;
mod svm;
mod transfer;
mod users;
mod world;
mod wrong;
mod wrong_image;

use super::Request;
use crate::Outcome;

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    match request.is_child {
        true => child::run(request),
        false => parent::run(request),
    }
}
