//! Why a kernel cannot be emitted.

/// Why a kernel cannot be emitted. The text is a sentence for the build log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The device lacks what the kernel needs, or a limit is exceeded.
    #[error("{0}")]
    Unsupported(String),
    /// The IR breaks a rule that earlier stages guarantee.
    #[error("internal error: {0}")]
    Malformed(String),
}

impl EmitError {
    /// Makes the error of a device that lacks a feature which `what` needs.
    pub(super) fn missing(what: &str, feature: &str) -> EmitError {
        EmitError::Unsupported(format!("{what} needs {feature}, which this device does not have"))
    }

    pub(super) fn malformed(what: impl Into<String>) -> EmitError {
        EmitError::Malformed(what.into())
    }
}

pub(super) type EmitResult<T> = Result<T, EmitError>;
