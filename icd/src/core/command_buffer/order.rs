//! The order of a command buffer's commands. Sync points and barriers become steps, with one barrier of the device between two
//! steps.

use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;

/// The number of a step. Commands of one step need not wait for each other.
pub type Step = u32;

/// Assigns steps to commands, one command after the other.
///
/// A command belongs to the step after the last step of the commands that it depends on. Independent chains of commands thus
/// share their barriers, whatever the order in which they were recorded.
pub struct Order {
    /// True if each command waits for the one before it (the queue is in order).
    in_order: bool,
    /// The first step in which commands that wait for a sync point may begin, by sync point.
    ends: Vec<Step>,
    /// The first step in which commands may begin: behind the last barrier.
    floor: Step,
    /// The step before which all commands so far have ended.
    last: Step,
}

/// The kind of a command, as far as the order depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A command that does something and takes a step.
    Work,
    /// A marker, which does nothing.
    Empty,
    /// A barrier, which does nothing, and which all later commands wait for.
    Barrier,
}

impl Order {
    pub fn new(in_order: bool) -> Order {
        Order { in_order, ends: Vec::new(), floor: 0, last: 0 }
    }

    /// CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if one of these is not a sync point of the command buffer.
    pub fn check(&self, waits: &[cl_sync_point_khr]) -> Result<()> {
        let known = |point: &cl_sync_point_khr| (1..=self.ends.len()).contains(&(*point as usize));
        ensure!(waits.iter().all(known), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        Ok(())
    }

    /// Places the next command behind sync points, which [`Order::check`] has checked; a barrier without sync points is placed
    /// behind all commands. Returns the step and the command's own sync point; CL_OUT_OF_RESOURCES if no number is left for a
    /// sync point.
    pub fn place(
        &mut self,
        kind: Kind,
        waits: &[cl_sync_point_khr],
    ) -> Result<(Step, cl_sync_point_khr)> {
        let point = cl_sync_point_khr::try_from(self.ends.len() + 1);
        let point = point.map_err(|_| ClError(CL_OUT_OF_RESOURCES))?;
        let ends = waits.iter().map(|point| self.ends[*point as usize - 1]);
        let mut start = ends.fold(self.floor, Step::max);
        if self.in_order {
            start = self.ends.last().map_or(start, |end| start.max(*end));
        }
        if kind == Kind::Barrier && waits.is_empty() {
            start = self.last;
        }
        let end = start + Step::from(kind == Kind::Work);
        if kind == Kind::Barrier {
            self.floor = end;
        }
        self.last = self.last.max(end);
        self.ends.push(end);
        Ok((start, point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the steps of commands `(kind, waits)`.
    fn steps(in_order: bool, commands: &[(Kind, &[u32])]) -> Vec<Step> {
        let mut order = Order::new(in_order);
        let place = |(kind, waits): &(Kind, &[u32])| {
            order.check(waits).unwrap();
            order.place(*kind, waits).unwrap().0
        };
        commands.iter().map(place).collect()
    }

    use Kind::{Barrier, Empty, Work};

    #[test]
    fn in_order_each_command_has_a_step() {
        assert_eq!(
            steps(true, &[(Work, &[]), (Work, &[]), (Empty, &[]), (Work, &[])]),
            [0, 1, 2, 2]
        );
    }

    #[test]
    fn two_chains_share_their_steps() {
        let chains: &[(Kind, &[u32])] =
            &[(Work, &[]), (Work, &[1]), (Work, &[]), (Work, &[3]), (Work, &[2, 4])];
        assert_eq!(steps(false, chains), [0, 1, 0, 1, 2]);
    }

    #[test]
    fn a_barrier_without_a_list_waits_for_all() {
        let commands: &[(Kind, &[u32])] =
            &[(Work, &[]), (Work, &[1]), (Work, &[]), (Barrier, &[]), (Work, &[]), (Work, &[1])];
        assert_eq!(steps(false, commands), [0, 1, 0, 2, 2, 2]);
    }

    #[test]
    fn a_barrier_with_a_list_waits_for_that_and_holds_back_what_follows() {
        let commands: &[(Kind, &[u32])] =
            &[(Work, &[]), (Work, &[1]), (Barrier, &[1]), (Work, &[]), (Work, &[2])];
        assert_eq!(steps(false, commands), [0, 1, 1, 1, 2]);
    }

    #[test]
    fn sync_points_are_those_of_commands_before() {
        let mut order = Order::new(false);
        assert!(order.check(&[1]).is_err());
        let (_, point) = order.place(Work, &[]).unwrap();
        assert!(order.check(&[point]).is_ok());
        assert!(order.check(&[0]).is_err());
        assert!(order.check(&[point, point + 1]).is_err());
    }
}
