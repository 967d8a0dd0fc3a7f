//! The limits of one compilation's preprocessing.

/// The most tokens of one compilation.
pub(super) const MAX_TOKENS: usize = 16 << 20;
/// The most texts being read at once, each included by the one before.
pub(super) const MAX_DEPTH: usize = 64;
/// The most bytes read in one compilation, every inclusion counted.
pub(super) const MAX_TEXT: usize = 64 << 20;
/// The most tokens that macro expansion may produce in one compilation.
pub(super) const MAX_EXPANDED: usize = 8 << 20;
/// The most bytes of text that `#` and `##` may make in one compilation.
pub(super) const MAX_SPELLED: usize = 32 << 20;

/// The bounded resources of a compilation, and how much of them is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResourceUsage {
    pub text_read: usize,
    pub expanded: usize,
    pub spelled: usize,
}

impl ResourceUsage {
    pub fn plus(self, other: &ResourceUsage) -> ResourceUsage {
        ResourceUsage {
            text_read: self.text_read + other.text_read,
            expanded: self.expanded + other.expanded,
            spelled: self.spelled + other.spelled,
        }
    }

    pub fn minus(self, other: &ResourceUsage) -> ResourceUsage {
        ResourceUsage {
            text_read: self.text_read - other.text_read,
            expanded: self.expanded - other.expanded,
            spelled: self.spelled - other.spelled,
        }
    }

    pub fn is_allowed(self) -> bool {
        self.text_read <= MAX_TEXT && self.expanded <= MAX_EXPANDED && self.spelled <= MAX_SPELLED
    }
}
