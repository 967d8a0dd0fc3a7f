//! Reasons why a dispatch was not run to its end.

/// An error of a module, or of a program that the module came from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The interpreter does not know an instruction, or an operand of it.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The module breaks a rule of SPIR-V.
    #[error("invalid module: {0}")]
    Invalid(String),
    /// The program does something without a defined result: an access out of bounds or misaligned, a branch on a value that was
    /// never written, a barrier that not all work-items reach.
    #[error("undefined behaviour: {0}")]
    Undefined(String),
    /// The program runs longer than allowed.
    #[error("the limit of {0} instructions is reached")]
    Limit(u64),
}

/// The result of a step.
pub type Res<T> = Result<T, Error>;

impl Error {
    /// Returns the error as a result.
    pub(crate) fn undefined<T>(what: impl Into<String>) -> Res<T> {
        Err(Error::Undefined(what.into()))
    }

    /// Returns the error as a result.
    pub(crate) fn invalid<T>(what: impl Into<String>) -> Res<T> {
        Err(Error::Invalid(what.into()))
    }

    /// Returns the same error, with the place in the module where the error occurred.
    pub(crate) fn at(self, place: impl FnOnce() -> String) -> Error {
        match self {
            Error::Unsupported(what) => Error::Unsupported(format!("{what} ({})", place())),
            Error::Invalid(what) => Error::Invalid(format!("{what} ({})", place())),
            Error::Undefined(what) => Error::Undefined(format!("{what} ({})", place())),
            limit => limit,
        }
    }
}
