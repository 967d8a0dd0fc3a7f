//! Sub-groups: their built-in variables and instructions.

use rspirv::spirv::BuiltIn;

/// Returns the function of OpenCL C that gives a built-in variable of sub-groups, if there is one.
pub(super) fn input(_: BuiltIn) -> Option<&'static str> {
    None
}
