//! Headers from disk are read the same the second time, when the process remembers their tokens, as
//! the first; and as a header given with the source, of which nothing is remembered.

use hekla_compiler::preprocess::{preprocess, Interner, TokenKind};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{Options, Source};
use std::path::{Path, PathBuf};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("hekla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn write(&self, text: &str) {
        std::fs::write(self.0.join("h.h"), text).expect("a header");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MAIN: &str = "#include \"h.h\"\nlast\n";

/// Tokens with their places, and messages. Without a folder the header is given with the source.
fn read(header: &str, options: &str, folder: Option<&Path>) -> Vec<String> {
    let mut options = Options::parse(options).expect("options");
    let mut headers = Vec::new();
    match folder {
        Some(folder) => options.include_dirs.push(folder.display().to_string()),
        None => headers.push(("h.h".to_string(), header.to_string())),
    }
    let main = Source { name: "main.cl".to_string(), text: MAIN.to_string(), headers };
    let (mut sources, mut names) = (SourceMap::new(), Interner::new());
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&main, &options, &[], &mut sources, &mut names, &mut diags);
    let mut out: Vec<String> = tokens
        .iter()
        .map(|token| {
            let text = match token.kind {
                TokenKind::Ident(symbol) => names.resolve(symbol).to_string(),
                TokenKind::Str(id) => format!("{:?}", names.bytes(id)),
                kind => format!("{kind:?}"),
            };
            format!("{text} {}..{}", token.span.start, token.span.end)
        })
        .collect();
    out.extend(
        diags.list().iter().map(|d| format!("{:?} {:?}", d.message, d.span.map(|s| s.start))),
    );
    out
}

/// Reads a header with some options again and again.
fn check(name: &str, header: &str, options: &[&str]) {
    let folder = Folder::new(name);
    folder.write(header);
    for round in 0..3 {
        for options in options {
            let given = read(header, options, None);
            assert_eq!(read(header, options, Some(&folder.0)), given, "{round} {options} {header}");
        }
    }
}

#[test]
fn tokens_of_all_kinds() {
    let header = "\
        // A comment\n/* and\nanother */ int a = 0x1fu + 1.5e+3f, b['c'];\n\
        char s[] = \"x\" \"\\n\" \"\"; a <<= b ## c; %: <: x ... y\n\t\u{e4}\u{df} @ `\n\
        spl\\\nice \"lo\\\nng\" f\\\n(1) a /* in */ b\n";
    check("kinds", header, &[""]);
}

#[test]
fn groups_that_differ_from_reading_to_reading() {
    let header = "\
        before\n#if A\none /* x */ A\n#elif B\ntwo 'x' B\n#else\nthree \"x\" C\n#endif\nbetween\n\
        #ifdef C\n#define D(x) x x\n#endif\nD(4) after\n";
    check("groups", header, &["", "-DA", "-DB=2", "-DA=2 -DC=1", "-DC=x -DB", "-DD(x)=-x"]);
}

#[test]
fn invocations_over_lines_and_directives() {
    let header = "\
        #define F(x, y) [x|y]\n#define G F\n#define H() h\nF (1,\n2) F\n(3, 4) F /* c */ (5, 6)\n\
        F F(7, 8) G(9, G\n(10, 11)) H ( ) F\n#define I 1\n(12, 13) F(14,\n#if I\n15)\n#else\n16)\n\
        #endif\nF\n";
    check("calls", header, &["", "-DI=0"]);
    check("calls", "#define F(x) x\nF(1", &[""]);
    check("calls", "#define F(x) x\nF\n#undef F\n(1) F", &[""]);
}

#[test]
fn mistakes() {
    check("mistakes", "a /* no end", &[""]);
    check("mistakes", "a\n#if X\nb /* no end\n#endif", &["", "-DX"]);
    check("mistakes", "\"no end\n'x\nb #c\n#error why\nd", &[""]);
    check("mistakes", "", &[""]);
    check("mistakes", "\u{feff}a b", &[""]);
}

#[test]
fn what_changed_on_disk_is_read_anew() {
    let folder = Folder::new("changes");
    for header in ["int a;", "int b;", "int a;", "#define a\nint a;"] {
        folder.write(header);
        for _ in 0..2 {
            assert_eq!(read(header, "", Some(&folder.0)), read(header, "", None));
        }
    }
}

#[test]
fn readings_at_the_same_time() {
    let header: String =
        (0..200).map(|i| format!("#if X > {i}\na{i} b{i}\n#else\nc{i} a{i}\n#endif\n")).collect();
    let folder = Folder::new("threads");
    folder.write(&header);
    std::thread::scope(|scope| {
        for x in [0, 50, 100, 200] {
            let (folder, header) = (&folder, &header);
            scope.spawn(move || {
                let options = format!("-DX={x}");
                let given = read(header, &options, None);
                for _ in 0..20 {
                    assert_eq!(read(header, &options, Some(&folder.0)), given);
                }
            });
        }
    });
}
