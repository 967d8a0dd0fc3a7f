//! Headers from disk give the same result when the process remembers them as when they are first read, and the same result as
//! headers that are given with the source, which are not cached.

use hekla_compiler::preprocess::{preprocess, Interner, TokenKind};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{compile, Options, Source, Target};
use std::path::{Path, PathBuf};

/// A folder that is removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("hekla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn write(&self, text: &str) {
        self.write_file("h.h", text);
    }

    fn write_file(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("a header");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MAIN: &str = "#include \"h.h\"\nlast\n";

/// Returns the tokens of a text that includes a header, with their places, and the messages. Without a folder the header is
/// given with the source.
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

/// Reads a header repeatedly with each of the options, from disk and given with the source, and compares the results.
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

/// Headers by name, and main texts that include them from disk. The log and the kernels' code of each main text are compared.
struct Programs<'a> {
    headers: &'a [(&'a str, &'a str)],
    mains: &'a [&'a str],
}

impl Programs<'_> {
    /// Compiles a main text, with the headers given with the source or read from a folder.
    fn compile(&self, main: &str, options: &str, folder: Option<&Path>) -> (String, Vec<u32>) {
        let mut options = Options::parse(options).expect("options");
        let mut headers = Vec::new();
        match folder {
            Some(folder) => options.include_dirs.push(folder.display().to_string()),
            None => {
                headers.extend(self.headers.iter().map(|(n, t)| (n.to_string(), t.to_string())))
            }
        }
        let source = Source { name: "main.cl".to_string(), text: main.to_string(), headers };
        let compiled = compile(&source, &options, &Target::generic());
        let kernels = compiled.program.map(|program| program.kernels).unwrap_or_default();
        let place = folder.map_or(String::new(), |folder| folder.join("").display().to_string());
        (compiled.log.replace(&place, ""), kernels.into_iter().flat_map(|k| k.spirv).collect())
    }

    /// Compiles all main texts with all options repeatedly, in both orders.
    fn check(&self, name: &str, options: &[&str]) {
        let folder = Folder::new(name);
        self.headers.iter().for_each(|(name, text)| folder.write_file(name, text));
        let forth = self.mains.iter().flat_map(|main| options.iter().map(move |o| (main, o)));
        let back = self.mains.iter().rev().flat_map(|main| options.iter().map(move |o| (main, o)));
        for (main, options) in forth.chain(back) {
            let given = self.compile(main, options, None);
            assert_eq!(self.compile(main, options, Some(&folder.0)), given, "{options} {main}");
        }
    }
}

#[test]
fn headers_within_headers() {
    let programs = Programs {
        headers: &[
            ("a.h", "#ifndef A\n#define A\n#include \"b.h\"\nint a(int x) { return b(x) + N; }\n#endif\n"),
            ("b.h", "#ifndef B\n#define B\n#ifndef N\n#define N 3\n#endif\nint b(int x) { return x * N; }\n#endif\n"),
        ],
        mains: &[
            "#include \"a.h\"\n#include \"b.h\"\nkernel void k(global int *p) { *p = a(*p) + N; }",
            "#include \"b.h\"\n#include \"a.h\"\nkernel void k(global int *p) { *p = b(*p) + N; }",
            "#define N 5\n#include \"b.h\"\n#undef N\n#define N 7\n#include \"a.h\"\n#include \"a.h\"\n\
             kernel void k(global int *p) { *p = a(*p) + N; }",
            "#define B\n#define N 2\nint b(int x);\n#include \"a.h\"\nint b(int x) { return x; }\n\
             kernel void k(global int *p) { *p = a(*p); }",
        ],
    };
    programs.check("within", &["", "-DN=9"]);
}

#[test]
fn headers_read_once() {
    let programs = Programs {
        headers: &[
            ("a.h", "#pragma once\n#include \"b.h\"\n#include \"b.h\"\nint a(int x) { return b(x); }\n"),
            ("b.h", "#pragma once\nint b(int x) { return x + 1; }\n"),
        ],
        mains: &[
            "#include \"a.h\"\n#include \"a.h\"\n#include \"b.h\"\n\
             kernel void k(global int *p) { *p = a(*p); }",
            "#include \"b.h\"\n#include \"a.h\"\nkernel void k(global int *p) { *p = a(*p) + b(2); }",
            "#include \"b.h\"\n#include \"b.h\"\nkernel void k(global int *p) { *p = b(*p); }",
        ],
    };
    programs.check("once", &[""]);
}

#[test]
fn headers_within_declarations_and_bodies() {
    let programs = Programs {
        headers: &[
            ("body.h", "int y = x * 2;\nif (y > 3) {\n"),
            ("list.h", "1, 2, 3\n"),
            ("open.h", "struct s { int x; }; int f(int x) {\n"),
            ("tail.h", "return x + 1; }\nint g(int x) { return f(x); }\nint"),
        ],
        mains: &[
            "constant int t[] = {\n#include \"list.h\"\n};\nint h(int x) {\n#include \"body.h\"\n\
             return y; }\nreturn t[x]; }\nkernel void k(global int *p) { *p = h(*p); }",
            "#include \"open.h\"\n#include \"tail.h\"\nh(int x) { return g(x); }\n\
             kernel void k(global int *p) {\nint x = *p;\n#include \"body.h\"\n*p = h(y); } }",
        ],
    };
    programs.check("amid", &[""]);
}

#[test]
fn messages_about_headers() {
    let programs = Programs {
        headers: &[(
            "a.h",
            "#define TWICE(x) ((x) + (x))\nint a(int x) { return TWICE(y); }\n\
             int b(int x) { return ADD(x, z); }\nint c(T x) { return x.q; }\n\
             int d(int x) { if (x) return 1; }\n",
        )],
        mains: &[
            "#define ADD(x, y) x + y\ntypedef int4 T;\n#include \"a.h\"\nkernel void k() {}",
            "constant int y = 1, z = 2;\n#define ADD(x, y) x * y\ntypedef int4 T;\n#include \"a.h\"\n\
             kernel void k(global int *p) { *p = TWICE(q); }",
            "constant int y = 1, z = 2;\n\n#define ADD(x, y) x + y\ntypedef struct { int q; } T;\n\
             #include \"a.h\"\nkernel void k(global int *p) { *p = d(*p); }",
        ],
    };
    programs.check("messages", &["", "-w", "-Werror"]);
}

#[test]
fn macros_that_tell_the_place() {
    let programs = Programs {
        headers: &[
            ("a.h", "int a() { return __LINE__ + __COUNTER__; }\n#pragma pack(push, 1)\n"),
            ("b.h", "#line 40 \"other.h\"\nint b() { return __LINE__; }\n#define HERE __LINE__\n"),
        ],
        mains: &[
            "#include \"a.h\"\nstruct s { char c; int i; };\n\
             kernel void k(global int *p) { *p = a() + sizeof(struct s) + __COUNTER__; }",
            "#include \"b.h\"\n\nkernel void k(global int *p) { *p = b() + HERE + e; }",
            "#include \"b.h\"\n#include \"a.h\"\n\nkernel void k(global int *p) { *p = b() + HERE; }",
        ],
    };
    programs.check("place", &[""]);
}

#[test]
fn a_header_that_an_inner_one_changes_under() {
    let folder = Folder::new("inner");
    folder.write("#include \"i.h\"\nint h = N;");
    let read_main = || {
        let options =
            Options { include_dirs: vec![folder.0.display().to_string()], ..Options::default() };
        let text = "#include \"h.h\"\nkernel void k(global int *p) { *p = N; }".to_string();
        let source = Source { name: "main.cl".to_string(), text, headers: Vec::new() };
        compile(&source, &options, &Target::generic()).log
    };
    for _ in 0..2 {
        folder.write_file("i.h", "#define N 3\n");
        assert!(!read_main().contains("undeclared"));
        folder.write_file("i.h", "#define M 3\n");
        assert!(read_main().contains("use of undeclared identifier 'N'"));
    }
}
