//! Analyses: facts about a program in the IR, for passes and for emission. Analyses change nothing.

pub mod access_types;
pub mod alias;
pub mod argument_access;
pub mod argument_alias;
pub mod bank_conflicts;
pub mod branch_facts;
pub mod call_graph;
pub mod data_layout;
mod dependence;
pub mod divergent_barriers;
pub mod known_bits;
pub mod memory_versions;
pub mod recursion;
pub mod register_pressure;
pub mod trip_count;
pub mod underlying_objects;
pub mod uniformity;
pub mod waits;
