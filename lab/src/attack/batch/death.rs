//! Where a process died: in Hekla, or in the Vulkan driver that it calls.

use crate::platform::attack::DEATH;
use std::ops::Range;

/// The code in which a process died: the library, the driver, or other code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Culprit {
    Hekla,
    /// A Vulkan driver, or the code that it makes of kernels.
    Driver,
    /// This program, which attacks.
    Here,
    /// The process reported nothing: a stack that had no room left, or a process that something else killed.
    Unknown,
}

/// The end of a process, as the process reported it (`platform::attack::report_death`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    pub place: Culprit,
    /// The objects on the stack, innermost first, with the offsets of return addresses in them.
    pub stack: Vec<String>,
}

/// Names of objects that belong to nobody: their caller is the one that counts.
const COMMON: [&str; 8] =
    ["libc.so", "libc-", "ld-linux", "libgcc_s", "libstdc++", "libm.so", "libpthread", "[vdso]"];
/// Names of Vulkan drivers, of libraries that they use, and of the layers and the loader in front of them.
const DRIVERS: [&str; 8] = [
    "libvulkan",
    "libvk_swiftshader",
    "libLLVM",
    "libgallium",
    "libnvidia",
    "libGLX_nvidia",
    "libVkLayer",
    "libSPIRV-Tools",
];

/// A mapping of an object into memory.
struct Mapping<'a> {
    addresses: Range<u64>,
    /// True if the mapping is of the beginning of its file.
    is_first: bool,
    executable: bool,
    name: &'a str,
}

/// An allocation of fewer bytes has a size that no caller chose.
const SMALL: u64 = 4 << 20;

/// The C library's message before it ends a process with the code 127: a thread reads a thread-local variable of a
/// library for the first time, and there is no memory for that library's variables. (LLVM throws an exception where
/// memory ends, and libstdc++ counts the exceptions of each thread.)
const NO_THREAD_LOCALS: &str = "cannot allocate memory for thread-local data: ABORT";

/// Returns true if a process died because there was no memory for something small.
pub fn is_starved(errors: &str) -> bool {
    if errors.lines().next_back() == Some(NO_THREAD_LOCALS) {
        return true;
    }
    let mut sizes = errors.lines().rev().filter_map(|line| {
        line.strip_prefix("memory allocation of ")?.strip_suffix(" bytes failed")?.parse().ok()
    });
    sizes.next().is_some_and(|size: u64| size < SMALL)
}

/// Reads what a dying process wrote, if it wrote something.
pub fn read(errors: &str) -> Option<Death> {
    let (_, report) = errors.rsplit_once(DEATH)?;
    let (addresses, maps) = report.split_once("maps\n").unwrap_or((report, ""));
    let mappings: Vec<Mapping<'_>> = maps.lines().filter_map(mapping).collect();
    let addresses: Vec<u64> = addresses.lines().filter_map(address).collect();
    let Some((&pc, frames)) = addresses.split_first() else {
        return Some(Death { place: Culprit::Unknown, stack: Vec::new() });
    };
    // The handler's own frames come first; the frames from the place of the signal on begin with its address.
    let start = frames.iter().position(|&frame| frame == pc).map_or(0, |at| at + 1);
    let stack: Vec<u64> = [pc].into_iter().chain(frames[start..].iter().copied()).collect();
    let owner = stack.iter().find_map(|&at| owner(at, &mappings)).unwrap_or(Culprit::Unknown);
    // An exception of the driver's, in C++, passed through functions of C.
    let is_foreign = errors.contains("Rust cannot catch foreign exceptions");
    let place = if is_foreign { Culprit::Driver } else { owner };
    Some(Death { place, stack: stack.iter().map(|&at| named(at, &mappings)).collect() })
}

/// Reads a line `pc ADDRESS` or `at ADDRESS`.
fn address(line: &str) -> Option<u64> {
    let digits = line.strip_prefix("pc ").or_else(|| line.strip_prefix("at "))?;
    u64::from_str_radix(digits, 16).ok()
}

/// Reads a line of /proc/PID/maps.
fn mapping(line: &str) -> Option<Mapping<'_>> {
    let mut fields = line.split_whitespace();
    let (from, to) = fields.next()?.split_once('-')?;
    let permissions = fields.next()?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (from, to) = (number(from)?, number(to)?);
    let is_first = number(fields.next()?)? == 0;
    let name = fields.nth(2).unwrap_or("");
    let executable = permissions.contains('x');
    Some(Mapping { addresses: from..to, is_first, executable, name })
}

fn find<'m, 't>(address: u64, mappings: &'m [Mapping<'t>]) -> Option<&'m Mapping<'t>> {
    mappings.iter().find(|mapping| mapping.addresses.contains(&address))
}

fn file<'a>(mapping: &Mapping<'a>) -> &'a str {
    mapping.name.rsplit('/').next().unwrap_or(mapping.name)
}

/// Returns whose code is at an address; nothing for code of nobody.
fn owner(address: u64, mappings: &[Mapping<'_>]) -> Option<Culprit> {
    // A jump to an address without code: the next frame is the code that jumped.
    let mapping = find(address, mappings).filter(|mapping| mapping.executable)?;
    let name = file(mapping);
    let is = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    if is(&COMMON) {
        None
    } else if name.contains("hekla") {
        Some(Culprit::Hekla)
    // Code that a driver has compiled is in memory without a name.
    } else if name.is_empty() || name.starts_with("memfd:") || is(&DRIVERS) {
        Some(Culprit::Driver)
    } else if name.starts_with("lab") {
        Some(Culprit::Here)
    } else {
        None
    }
}

fn named(address: u64, mappings: &[Mapping<'_>]) -> String {
    match find(address, mappings) {
        None => format!("{address:#x}"),
        Some(mapping) if mapping.name.is_empty() => format!("(made at run time) {address:#x}"),
        Some(mapping) => {
            // Addresses in an object count from its first mapping; a reader of its symbols may have mapped it once more.
            let first = |other: &&Mapping<'_>| other.is_first && other.name == mapping.name;
            let starts = mappings.iter().filter(first).map(|other| other.addresses.start);
            let base = starts.filter(|start| *start <= address).max().unwrap_or_default();
            format!("{}+{:#x}", file(mapping), address.saturating_sub(base))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "maps\n\
        1000-2000 r-xp 00000000 00:00 1 /usr/lib/libc.so.6\n\
        1000-1800 r--p 00000000 00:00 2 /w/libhekla.so\n\
        2000-3000 r--p 00000000 00:00 2 /w/libhekla.so\n\
        3000-4000 r-xp 00001000 00:00 2 /w/libhekla.so\n\
        5000-6000 r-xp 00000000 00:00 3 /usr/lib/libvulkan_lvp.so\n\
        7000-8000 rwxp 00000000 00:00 0\n\
        9000-a000 rw-p 00000000 00:00 0 [heap]\n\
        b000-c000 r-xp 00000000 00:00 4 /w/lab\n";

    fn death(lines: &str) -> Death {
        read(&format!("noise\n{DEATH}11\n{lines}{MAPS}")).unwrap()
    }

    #[test]
    fn the_innermost_owner_is_where_it_died() {
        // The handler's frames, in the program that attacks, do not belong to the crash.
        let handler = "at 000000000000b001\nat 0000000000001001\n";
        let hekla = death(&format!("pc 0000000000003010\n{handler}at 0000000000003010\nat 5001\n"));
        assert_eq!((hekla.place, hekla.stack[0].as_str()), (Culprit::Hekla, "libhekla.so+0x1010"));
        assert_eq!(hekla.stack.len(), 2);
        let abort = death(&format!("pc 1005\n{handler}at 1005\nat 1008\nat 3020\nat 5001\n"));
        assert_eq!(abort.place, Culprit::Hekla);
        let driver = death(&format!("pc 1005\n{handler}at 1005\nat 5001\nat 3020\n"));
        assert_eq!(driver.place, Culprit::Driver);
        assert_eq!(death("pc 7005\nat 7005\n").place, Culprit::Driver);
        assert_eq!(death("pc 9005\nat 9005\nat 3001\n").place, Culprit::Hekla);
        assert_eq!(death("pc 0\nat 0\nat b001\n").place, Culprit::Here);
        assert_eq!(death("").place, Culprit::Unknown);
        assert_eq!(read("memory allocation of 8 bytes failed"), None);
        let thrown = format!("Rust cannot catch foreign exceptions\n{DEATH}06\npc 3005\n{MAPS}");
        assert_eq!(read(&thrown).unwrap().place, Culprit::Driver);
    }

    #[test]
    fn small_allocations_are_told_from_those_that_callers_choose() {
        assert!(is_starved("x\nmemory allocation of 4096 bytes failed\nattack: died"));
        assert!(!is_starved("memory allocation of 3221225472 bytes failed"));
        assert!(!is_starved("panicked at x"));
        assert!(is_starved(&format!("x\n{NO_THREAD_LOCALS}\n")));
        assert!(!is_starved(&format!("{NO_THREAD_LOCALS}\npanicked at x\n")));
    }
}
