//! (docs to come)
