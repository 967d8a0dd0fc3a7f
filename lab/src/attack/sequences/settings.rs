//! The settings of Hekla for sequences: each holds for a share of the seeds.

use super::random::Random;

/// The number of successive seeds, from a multiple of it on, that have the same settings and run in one process.
pub const BLOCK: u64 = 16;

/// Environment variables.
pub type Settings = Vec<(&'static str, &'static str)>;

/// Devices that lack features, so that kernels or commands work in another way (docs/weak-devices.md).
const WEAK: [&str; 5] = ["pi4-v3dv", "pi5-v3dv", "android", "adreno-turnip", "apple-kosmickrisp"];

/// Returns the settings of a seed: none for a third of the blocks, else one or several.
pub fn of(seed: u64) -> Settings {
    let all = [
        ("HEKLA_STAGING", "1"),
        ("HEKLA_NONCOHERENT", "1"),
        ("HEKLA_QUEUE_COPIES", "3"),
        ("HEKLA_MAX_ALLOCATION", "8388608"),
        ("HEKLA_PACK", "always"),
        ("HEKLA_PREPARE", "always"),
        ("HEKLA_COMPLETION_MARKERS", "1"),
        // Other processes run without the cache; the parent names a folder for it.
        ("HEKLA_CACHE", "1"),
    ];
    let mut random = Random::new((seed / BLOCK) ^ 0x5E77_1265);
    let mut settings = Settings::new();
    if random.once_in(5) {
        settings.push(("HEKLA_LIMIT_TO", *random.pick(&WEAK)));
    }
    for _ in 0..[0, 0, 0, 1, 1, 2][random.below(6)] {
        let setting = *random.pick(&all);
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_of_a_block_share_their_settings_and_blocks_differ() {
        assert!((0..BLOCK).all(|seed| of(seed) == of(0)));
        let some = (0..40).filter(|block| !of(block * BLOCK).is_empty()).count();
        assert!((10..30).contains(&some), "{some}");
    }
}
