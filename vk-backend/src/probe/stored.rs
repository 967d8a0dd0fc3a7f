//! The probe's answers as bytes, so that many processes can use the answers that one process found.

use crate::physical::found::{
    Behaviour, FloatOp, FloatTable, FloatWidth, Probe, ANSWERS, BEHAVIOUR,
};

/// Distinguishes versions of the probe and of the search for defects: a hash (FNV-1a) of their sources. The answers of another
/// version may be answers to other questions.
pub const PROBE_BUILD: u64 = {
    let sources: [&[u8]; 16] = [
        include_bytes!("../asm.rs"),
        include_bytes!("../asm/images.rs"),
        include_bytes!("../physical/found/float_controls.rs"),
        include_bytes!("../physical/found/float_table.rs"),
        include_bytes!("../physical/found/mod.rs"),
        include_bytes!("../physical/found/named.rs"),
        include_bytes!("arithmetic.rs"),
        include_bytes!("controls.rs"),
        include_bytes!("defects.rs"),
        include_bytes!("filter.rs"),
        include_bytes!("floats.rs"),
        include_bytes!("mod.rs"),
        include_bytes!("nearest.rs"),
        include_bytes!("run.rs"),
        include_bytes!("stored.rs"),
        include_bytes!("subgroups.rs"),
    ];
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut file = 0;
    while file < sources.len() {
        let mut at = 0;
        while at < sources[file].len() {
            hash = (hash ^ sources[file][at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        file += 1;
    }
    hash
};

impl Probe {
    /// Returns the answers as bytes, one byte for each answer.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.clone().visit(&mut |answer| bytes.push(u8::from(*answer)));
        bytes
    }

    /// Returns the probe that [`Probe::to_bytes`] of the same [`PROBE_BUILD`] wrote; `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Probe> {
        let mut rest = bytes.iter();
        let mut good = true;
        let mut probe = Probe::default();
        probe.visit(&mut |answer| match rest.next() {
            Some(0) => *answer = false,
            Some(1) => *answer = true,
            _ => good = false,
        });
        (good && rest.next().is_none()).then_some(probe)
    }

    /// Calls `f` with each answer, in an order that is always the same.
    fn visit(&mut self, f: &mut impl FnMut(&mut bool)) {
        let controls = &mut self.controls;
        for modes in [
            &mut controls.signed_zero_inf_nan,
            &mut controls.denorm_preserve,
            &mut controls.rounding_rte,
        ] {
            modes.iter_mut().for_each(&mut *f);
        }
        ANSWERS.iter().for_each(|(_, place)| f(place(self)));
        self.floats.visit(f);
    }
}

impl FloatTable {
    fn visit(&mut self, f: &mut impl FnMut(&mut bool)) {
        for width in FloatWidth::ALL {
            let row = self.row_mut(width);
            let mut is_there = row.is_some();
            f(&mut is_there);
            if !is_there {
                *row = None;
                continue;
            }
            let row = row.get_or_insert([Behaviour::RIGHT; FloatOp::ALL.len()]);
            for behaviour in row {
                BEHAVIOUR.iter().for_each(|(_, place)| f(place(behaviour)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a probe in which neighbouring answers differ.
    fn some_probe() -> Probe {
        let mut probe = Probe::default();
        *probe.floats.row_mut(FloatWidth::Single) = Some([Behaviour::RIGHT; FloatOp::ALL.len()]);
        *probe.floats.row_mut(FloatWidth::Double) = Some([Behaviour::RIGHT; FloatOp::ALL.len()]);
        let mut count = 0;
        let present = |row: usize| [21, 22, 108].contains(&row);
        probe.visit(&mut |answer| {
            if !present(count) {
                *answer = count % 3 == 0;
            }
            count += 1;
        });
        probe
    }

    #[test]
    fn what_is_written_is_read() {
        let probe = some_probe();
        let bytes = probe.to_bytes();
        assert!(bytes.contains(&0) && bytes.contains(&1));
        assert_eq!(Probe::from_bytes(&bytes), Some(probe));
        assert_eq!(Probe::from_bytes(&Probe::default().to_bytes()), Some(Probe::default()));
    }

    #[test]
    fn other_bytes_are_refused() {
        let bytes = some_probe().to_bytes();
        assert_eq!(Probe::from_bytes(&[]), None);
        assert_eq!(Probe::from_bytes(&bytes[1..]), None);
        assert_eq!(Probe::from_bytes(&[&bytes[..], &[0]].concat()), None);
        let mut bad = bytes.clone();
        bad[5] = 2;
        assert_eq!(Probe::from_bytes(&bad), None);
    }
}
