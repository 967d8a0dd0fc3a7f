//! `include/hekla.h`: the functions of libhekla.so besides OpenCL, made from some files of `icd` with their documentation.

use crate::{system, Outcome};
use std::path::Path;

/// The files that declare the interface. Macros declare nothing in them, so that cbindgen can read them.
const SOURCES: [&str; 4] = [
    "icd/src/cl/offline.rs",
    "icd/src/cl/check.rs",
    "icd/src/api/offline.rs",
    "icd/src/api/check.rs",
];

/// Parts of the names in the header: names of Hekla's own, and of an extension that Khronos' headers lack.
const OURS: [&str; 6] =
    ["hekla", "HEKLA_", "HEKLA(", "cooperative_matrix", "COOPERATIVE_MATRIX", "CooperativeMatrix"];

/// Writes include/hekla.h.
pub fn write() -> Outcome {
    generate(&system::root().join("include/hekla.h"))
}

/// Checks that include/hekla.h agrees with the sources, has nothing but Hekla's own items, and documents each.
pub fn check() -> Outcome {
    let fresh = system::target().join("hekla.h");
    generate(&fresh)?;
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let header = read(&fresh);
    if header != read(&system::root().join("include/hekla.h")) {
        return Err("include/hekla.h is stale: run `cargo xtask header`".to_string());
    }
    match wrong_items(&header)[..] {
        [] => Ok(()),
        [ref first, ..] => Err(format!("include/hekla.h: {first}")),
    }
}

fn generate(path: &Path) -> Outcome {
    let config = cbindgen::Config::from_file(system::root().join("icd/cbindgen.toml"))
        .map_err(|e| format!("icd/cbindgen.toml: {e}"))?;
    let builder = cbindgen::Builder::new().with_config(config);
    let builder = SOURCES.iter().fold(builder, |builder, name| {
        let path = system::root().join(name);
        builder.with_src(path)
    });
    builder.generate().map_err(|e| format!("cbindgen: {e}"))?.write_to_file(path);
    Ok(())
}

/// Returns the faults in the items of a header that cbindgen wrote: items without a comment above them, and items with
/// names that are not Hekla's.
///
/// An item is a constant, a function, a type, or a member of a structure; each begins a line of its own. Lines that
/// belong to the file and not to the interface have no comment: the file's guard, and `extern "C"`.
fn wrong_items(header: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mut documented, mut in_structure, mut in_comment) = (false, false, false);
    // True within an item that continues in the next line: the arguments of a function.
    let mut unfinished = false;
    for line in header.lines() {
        let text = line.trim();
        if in_comment || text.starts_with("/*") {
            documented = (in_comment && documented) || text.contains(char::is_alphabetic);
            in_comment = !text.ends_with("*/");
            continue;
        }
        if unfinished {
            unfinished = !text.ends_with(';');
            continue;
        }
        if text.is_empty() {
            documented = false;
            continue;
        }
        if is_frame(text) {
            continue;
        }
        if text.starts_with('}') {
            in_structure = false;
            continue;
        }
        let is_ours = in_structure || OURS.iter().any(|name| text.contains(name));
        if !is_ours {
            wrong.push(format!("`{text}` is not Hekla's own"));
        }
        if !documented {
            wrong.push(format!("`{text}` has no documentation"));
        }
        documented = false;
        in_structure |= text.ends_with('{');
        unfinished = !in_structure && !text.starts_with('#') && !text.ends_with(';');
    }
    wrong
}

/// Returns true for a line that belongs to the file and not to the interface.
fn is_frame(text: &str) -> bool {
    let directives = ["#ifndef", "#ifdef", "#endif", "#include", "#define HEKLA_H"];
    let is_directive = |directive: &&str| match text.strip_prefix(*directive) {
        Some(rest) => rest.is_empty() || rest.starts_with(' '),
        None => false,
    };
    directives.iter().any(is_directive) || text == "extern \"C\" {" || text == "}  // extern \"C\""
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "#ifndef HEKLA_H\n#define HEKLA_H\n\n#include <CL/cl.h>\n\n/**\n * One.\n */\n\
        #define HEKLA_ONE 1\n\n/**\n * A structure.\n */\ntypedef struct hekla_pair {\n  /**\n   * First.\n   */\n  \
        cl_uint first;\n  /**\n   * Second.\n   */\n  cl_uint second;\n} hekla_pair;\n\n\
        #ifdef __cplusplus\nextern \"C\" {\n#endif  // __cplusplus\n\n/**\n * Adds.\n */\n\
        cl_uint heklaAdd(cl_uint a,\n                 cl_uint b);\n\n\
        #ifdef __cplusplus\n}  // extern \"C\"\n#endif  // __cplusplus\n\n#endif  /* HEKLA_H */\n";

    #[test]
    fn a_documented_header_is_good() {
        assert_eq!(wrong_items(GOOD), [""; 0]);
    }

    #[test]
    fn an_item_without_documentation_is_wrong() {
        for (comment, item) in [
            ("One.", "#define HEKLA_ONE 1"),
            ("A structure.", "typedef struct hekla_pair {"),
            ("First.", "cl_uint first;"),
            ("Second.", "cl_uint second;"),
            ("Adds.", "cl_uint heklaAdd(cl_uint a,"),
        ] {
            let empty = GOOD.replace(&format!("* {comment}"), "*");
            let bare = format!("/**\n * {comment}\n */\n");
            let indented = format!("/**\n   * {comment}\n   */\n");
            let without = GOOD.replace(&bare, "").replace(&indented, "");
            assert_eq!(wrong_items(&without), [format!("`{item}` has no documentation")]);
            assert_eq!(wrong_items(&empty), [format!("`{item}` has no documentation")]);
        }
    }

    #[test]
    fn an_item_of_others_is_wrong() {
        let leaking = GOOD.replace("HEKLA_ONE", "CL_ONE");
        assert_eq!(wrong_items(&leaking), ["`#define CL_ONE 1` is not Hekla's own"]);
    }

    #[test]
    fn the_header_is_documented() {
        let header = std::fs::read_to_string(system::root().join("include/hekla.h")).unwrap();
        assert_eq!(wrong_items(&header), [""; 0]);
        assert!(header.contains("heklaCompile(") && header.contains("#define HEKLA_NO_OFFSET"));
    }
}
