//! Messages of `cargo test` on standard error that decide whether its results count: those of the validation layer, and
//! those of tests that report that they do not run (`vk-backend/tests/common/report.rs`).

use crate::{system, Outcome};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Tests that do not run on lavapipe, in whole or in part.
const NOT_ON_LAVAPIPE: [&str; 10] = [
    // lavapipe keeps nothing of pipelines.
    "cache::the_next_process_finds_the_pipelines",
    "compile_device::a_second_device_is_opened_where_something_must_be_compiled",
    "devices::pipelines_are_made_from_what_was_learnt",
    // lavapipe has no semaphores of file descriptors.
    "external::devices_take_turns_by_semaphores",
    "external::errors_of_semaphores_are_told",
    "external::payloads_follow_imported_sync_files",
    "external::imports_share_the_semaphore",
    "external::sync_files_carry_the_state",
    // The test would take hours.
    "large::a_launch_has_2_to_the_40_work_items",
    // lavapipe shares no memory with SwiftShader.
    "unified_memory::both_devices_and_the_host_reach_memory_of_all",
];

/// Tests that run only on machines that allow them.
const BY_MACHINE: [&str; 38] = [
    // Where a file system can be mounted.
    "cache::a_full_disk_costs_nothing",
    // Where HEKLA_CLANG names a clang.
    "clang::what_clang_compiles_gives_the_same",
    // Where the driver's manifest has its library's path.
    "device_copies::the_same_across_a_bus",
    // Where there is /dev/udmabuf.
    "external::arm::dma_bufs_are_never_copied",
    "external::images::dma_bufs_are_images",
    // Where an EGL exports images to the device.
    "egl_images::errors_are_told",
    "egl_images::textures_are_images",
    // Where an EGL makes contexts without a window, and there is an X server.
    "gl_sharing::contents::buffers_have_the_same_bytes",
    "gl_sharing::contents::depths_have_the_same_texels",
    "gl_sharing::contents::first_levels_are_shared_as_others_are",
    "gl_sharing::contents::renderbuffers_have_the_same_texels",
    "gl_sharing::contents::textures_of_buffers_have_the_same_texels",
    "gl_sharing::contents::textures_of_every_format_have_the_same_texels",
    "gl_sharing::contents::textures_of_every_target_and_level_have_the_same_texels",
    "gl_sharing::contents::textures_of_opengl_es_have_the_same_texels",
    "gl_sharing::contents::views_have_the_texels_of_their_level",
    "gl_sharing::errors::buffers_and_renderbuffers_are_checked",
    "gl_sharing::errors::contexts_name_one_of_opengl",
    "gl_sharing::errors::contexts_tell_their_devices",
    "gl_sharing::errors::textures_are_checked",
    "gl_sharing::glx::displays_of_x11_may_be_closed_first",
    "gl_sharing::lifetime::contexts_of_opengl_may_go_first",
    "gl_sharing::lifetime::objects_that_are_gone_are_errors",
    "gl_sharing::lifetime::threads_have_contexts_of_their_own",
    "gl_sharing::lifetime::two_contexts_share_with_one",
    "gl_sharing::order::copies_are_in_the_order_of_commands",
    "gl_sharing::order::copies_behind_a_failed_event_fail",
    "gl_sharing::order::fences_are_events",
    "gl_sharing::order::fences_of_egl_are_events",
    "gl_sharing::order::objects_are_used_while_they_are_acquired",
    "gl_sharing::order::one_command_copies_several_objects",
    "gl_sharing::order::opengl_on_this_thread_is_in_order",
    "gl_sharing::order::what_is_drawn_is_in_order",
    "gl_sharing::random::any_calls_answer_as_the_specification_says",
    "gl_sharing::random::threads_share_one_context",
    "gl_sharing::ways_that_are_not_the_best_work_too",
    "gl_two_devices::objects_are_on_the_device_that_uses_them",
    // Where the user is root, who alone can make root's programs.
    "setuid::a_setuid_program_obeys_nobody",
];

/// The scope of a run of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All tests of the workspace, on the lavapipe for which [`NOT_ON_LAVAPIPE`] holds.
    Workspace,
    /// The tests that use Vulkan, on another lavapipe, which may have more features.
    Vulkan,
}

/// The messages on standard error so far.
#[derive(Debug, Default)]
pub struct Heard {
    /// The first fault that was found.
    wrong: Option<String>,
    /// The message that a test provokes at present, and whether it came.
    provoking: Option<(String, bool)>,
    /// The number of messages that were provoked and came.
    provoked: usize,
    /// Tests that did not run, and the reasons.
    skipped: BTreeMap<String, String>,
}

impl Heard {
    /// Evaluates a line of standard error.
    pub fn line(&mut self, line: &str) {
        if let Some(message) = line.split_once("hekla: validation:").map(|(_, message)| message) {
            match &mut self.provoking {
                Some((identifier, came)) if message.contains(identifier.as_str()) => *came = true,
                _ => self.complain(format!("the validation layer: {line}")),
            }
        }
        let Some((_, report)) = line.split_once("hekla-test: ") else { return };
        match report.split_once(' ') {
            Some(("provokes", identifier)) => {
                self.provoking = Some((identifier.to_string(), false));
            }
            Some(("provoked", identifier)) => match self.provoking.take() {
                Some((expected, true)) if expected == identifier => self.provoked += 1,
                _ => self.complain(format!("the validation layer said nothing of {identifier}")),
            },
            Some(("skipped", test)) => {
                let (name, why) = test.split_once(": ").unwrap_or((test, ""));
                self.skipped.insert(name.to_string(), why.to_string());
            }
            _ => self.complain(format!("not a report of a test: {line}")),
        }
    }

    fn complain(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    /// Prints the tests that did not run, and judges the run.
    ///
    /// # Errors
    /// Messages of the validation layer that no test provoked; the lack of any provoked message, since the layer may be
    /// absent or mute; tests that did not run though they should, or ran though they are listed among those that do
    /// not.
    pub fn judge(self, scope: Scope) -> Outcome {
        println!("{} tests did not run, in whole or in part", self.skipped.len());
        for (name, why) in &self.skipped {
            println!("  {name}: {why}");
        }
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        if self.provoked == 0 {
            return Err("no test has provoked a message of the validation layer".to_string());
        }
        let is_known = |name: &str| NOT_ON_LAVAPIPE.contains(&name) || BY_MACHINE.contains(&name);
        if let Some((name, why)) = self.skipped.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!("{name} did not run: {why}"));
        }
        let ran = NOT_ON_LAVAPIPE.into_iter().find(|name| !self.skipped.contains_key(*name));
        match ran {
            Some(name) if scope == Scope::Workspace => {
                Err(format!("{name} runs now: take it from the list in {}", file!()))
            }
            _ => Ok(()),
        }
    }
}

/// Fails on a test that prints that it is skipped, which libtest hides, instead of reporting it.
pub fn check_sources() -> Outcome {
    for folder in ["icd/tests", "vk-backend/tests", "compiler/tests", "spirv-interp/tests"] {
        for path in rust_files(&system::root().join(folder))? {
            let text = system::read_text(&path)?;
            if let Some(number) = text.lines().position(prints_skip) {
                let place = path.strip_prefix(system::root()).unwrap_or(&path).display();
                return Err(format!("{place}:{}: a skip is reported by `skip`", number + 1));
            }
        }
    }
    Ok(())
}

fn prints_skip(line: &str) -> bool {
    line.contains("println!(\"skipped")
}

/// Returns the Rust sources of a folder and its subfolders.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = system::read_folder(folder)?;
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROVOKED: [&str; 3] = [
        "hekla-test: provokes VUID-x-00703",
        "hekla: validation: [ VUID-x-00703 ] of a layout",
        "hekla-test: provoked VUID-x-00703",
    ];

    /// Returns the judgement of these lines, added to reports that the tests that do not run on lavapipe are skipped.
    fn judged(lines: &[&str]) -> Outcome {
        let mut heard = Heard::default();
        for name in NOT_ON_LAVAPIPE {
            heard.line(&format!("hekla-test: skipped {name}: it does not"));
        }
        lines.iter().for_each(|line| heard.line(line));
        heard.judge(Scope::Workspace)
    }

    fn complaint(lines: &[&str]) -> String {
        judged(lines).expect_err("something is wrong")
    }

    #[test]
    fn a_provoked_message_is_excused() {
        assert_eq!(judged(&PROVOKED), Ok(()));
    }

    #[test]
    fn it_must_come() {
        let mute = [PROVOKED[0], PROVOKED[2]];
        assert!(complaint(&mute).contains("said nothing of VUID-x-00703"));
        assert!(complaint(&[]).contains("no test has provoked"));
        assert!(complaint(&PROVOKED[..2]).contains("no test has provoked"));
    }

    #[test]
    fn it_is_excused_nowhere_else() {
        let after = [&PROVOKED[..], &PROVOKED[1..2]].concat();
        assert!(complaint(&after).contains("the validation layer: "));
        let other = "hekla: validation: [ VUID-y-1 ]";
        let between = [PROVOKED[0], PROVOKED[1], other, PROVOKED[2]];
        assert_eq!(complaint(&between), format!("the validation layer: {other}"));
    }

    #[test]
    fn tests_that_do_not_run_are_expected_ones() {
        let more = ["hekla-test: skipped events::waits: there is no device"];
        let found = complaint(&[&PROVOKED[..], &more].concat());
        assert_eq!(found, "events::waits did not run: there is no device");
        for name in BY_MACHINE {
            let may = format!("hekla-test: skipped {name}: not here");
            assert_eq!(judged(&[&PROVOKED[..], &[may.as_str()]].concat()), Ok(()));
        }
    }

    #[test]
    fn printed_skips_are_found() {
        assert!(prints_skip("        eprintln!(\"skipped: the device has none\");"));
        assert!(!prints_skip("        skip(\"the device has none\");"));
        assert_eq!(check_sources(), Ok(()));
    }

    #[test]
    fn the_list_of_tests_that_do_not_run_is_up_to_date() {
        for scope in [Scope::Workspace, Scope::Vulkan] {
            let mut all_run = Heard::default();
            PROVOKED.iter().for_each(|line| all_run.line(line));
            assert_eq!(all_run.judge(scope).is_ok(), scope == Scope::Vulkan);
        }
    }
}
