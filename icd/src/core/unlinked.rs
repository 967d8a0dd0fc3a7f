//! What clLinkProgram takes: the object of one program, or a library.
//!
//! Reading an object from disk takes longer than compiling it again: it is the IR of all that other
//! programs may call, megabytes of it where kernels include large headers. So the disk cache knows of a
//! text only that it compiles. The object is made when it is needed, which it no longer is where the
//! program that it was linked into is in the cache too.

use super::cache::digest::Digest;
use crate::api::cl::*;
use crate::core::error::{ClError, Result};
use hekla_compiler::{self as compiler, Object, Options, Source, Target};
use once_cell::sync::OnceCell;

pub struct Unlinked {
    /// Of all that the object depends on.
    identity: Digest,
    object: OnceCell<Object>,
    recipe: Option<Recipe>,
}

/// What an object is compiled from: no headers but those in `source`.
pub struct Recipe {
    pub source: Source,
    pub options: Options,
    pub target: Target,
}

impl Unlinked {
    /// An object that is at hand.
    pub fn new(identity: Digest, object: Object) -> Unlinked {
        Unlinked { identity, object: OnceCell::with_value(object), recipe: None }
    }

    /// An object that can be compiled without errors.
    pub fn later(identity: Digest, recipe: Recipe) -> Unlinked {
        Unlinked { identity, object: OnceCell::new(), recipe: Some(recipe) }
    }

    /// Objects with the same identity are the same.
    pub fn identity(&self) -> Digest {
        self.identity
    }

    /// The object, compiled now where it was not needed before. CL_OUT_OF_RESOURCES when there is no
    /// thread for that.
    pub fn object(&self) -> Result<&Object> {
        self.object.get_or_try_init(|| {
            let failed = ClError(CL_OUT_OF_RESOURCES);
            let Recipe { source, options, target } = self.recipe.as_ref().ok_or(failed)?;
            let compiled = compiler::compile_object(source, options, target);
            compiled.object.ok_or_else(|| {
                tracing::warn!("what compiled before does no longer:\n{}", compiled.log);
                failed
            })
        })
    }
}
