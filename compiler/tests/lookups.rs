//! The report of a compilation on the headers that it looked for on disk. Caches rely on the report, so it must be the same
//! when headers are remembered from earlier programs of the process.

use hekla_compiler::{compile, Options, Source, Target};
use std::path::Path;

#[test]
fn every_place_is_told_each_time() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lookups");
    let (first, second) = (folder.join("first"), folder.join("second"));
    for folder in [&first, &second] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(second.join("outer.h"), "#pragma once\n#include \"inner.h\"\n").unwrap();
    std::fs::write(second.join("inner.h"), "#define VALUE 7\nint f(int x);\n").unwrap();
    let options = format!("-I {} -I {}", first.display(), second.display());
    let options = Options::parse(&options).unwrap();
    let expected = [
        (first.join("inner.h"), None),
        (first.join("outer.h"), None),
        (second.join("inner.h"), Some("#define VALUE 7\nint f(int x);\n")),
        (second.join("outer.h"), Some("#pragma once\n#include \"inner.h\"\n")),
    ];
    for round in 0..4 {
        let text =
            format!("#include <outer.h>\nkernel void k{round}(global int *p) {{ *p = VALUE; }}");
        let source = Source { text, ..Source::default() };
        let compiled = compile(&source, &options, &Target::generic());
        assert!(compiled.program.is_some(), "{}", compiled.log);
        let mut lookups = compiled.lookups;
        lookups.sort_by(|a, b| a.path.cmp(&b.path));
        let told: Vec<_> = lookups.iter().map(|l| (l.path.clone(), l.text.as_deref())).collect();
        assert_eq!(told, expected, "round {round}");
    }
}
