//! The preprocessor, tested against the rules of C99 6.10 and OpenCL C 6.12.

use hekla_compiler::preprocess::{
    preprocess, ExtensionBehaviour, FloatSuffix, FpContract, Interner, Pragma, Token, TokenKind,
};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{Options, Source};

struct Output {
    tokens: Vec<Token>,
    interner: Interner,
    sources: SourceMap,
    log: String,
}

fn run_source(source: &Source, options: &str, predefined: &[(&str, &str)]) -> Output {
    let options = Options::parse(options).unwrap();
    let predefined: Vec<(String, String)> =
        predefined.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(source, &options, &predefined, &mut sources, &mut interner, &mut diags);
    let log = diags.render(&sources);
    assert_eq!(tokens.last().map(|token| token.kind), Some(TokenKind::Eof));
    Output { tokens, interner, sources, log }
}

fn source(text: &str) -> Source {
    Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() }
}

fn run(text: &str) -> Output {
    run_source(&source(text), "", &[])
}

/// Returns tokens as text, with one space between each two.
fn spell(output: &Output) -> String {
    let words = output.tokens.iter().filter_map(|token| {
        Some(match token.kind {
            TokenKind::Ident(symbol) => output.interner.resolve(symbol).to_string(),
            TokenKind::Int { value, unsigned, longs, .. } => {
                let suffix = if unsigned { "u" } else { "" };
                format!("{value}{suffix}{}", "l".repeat(usize::from(longs)))
            }
            TokenKind::Float { value, single, suffix } => match suffix {
                FloatSuffix::F => format!("{single:?}f"),
                FloatSuffix::H => format!("{value:?}h"),
                _ => format!("{value:?}"),
            },
            TokenKind::Char(value) => format!("'{value}'"),
            TokenKind::Str(id) => {
                format!("{:?}", String::from_utf8_lossy(output.interner.bytes(id)))
            }
            TokenKind::Punct(punct) => punct.as_str().to_string(),
            TokenKind::Pragma(pragma) => match pragma {
                Pragma::Extension { name, behaviour } => {
                    format!("[{} {behaviour:?}]", output.interner.resolve(name))
                }
                other => format!("[{other:?}]"),
            },
            TokenKind::Eof => return None,
        })
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Checks the tokens of a text that has no diagnostic.
#[track_caller]
fn gives(text: &str, expected: &str) {
    let output = run(text);
    assert_eq!(output.log, "", "{text}");
    assert_eq!(spell(&output), expected, "{text}");
}

/// Checks that the log has a line with this end.
#[track_caller]
fn says(text: &str, expected: &str) {
    let output = run(text);
    assert!(output.log.lines().any(|line| line == expected), "{text}\n{}", output.log);
}

#[test]
fn object_like_macros() {
    gives("#define A 1\nA B A", "1 B 1");
    gives("#define A\nA x A", "x");
    gives("#define A B\n#define B C\n#define C 7\nA", "7");
    gives("#define A B\n#define B A\nA B", "A B");
    gives("#define A A + 1\nA", "A + 1");
    gives("#define A 1\n#undef A\nA", "A");
    gives("#undef NEVER\n#define A ( x )\nA", "( x )");
    gives("#define A \\\n 1 \\\n + 2\nA", "1 + 2");
    gives("#define A 1 // comment\n#define B /* c */ 2 /* d\n e */ + 3\nA B", "1 2 + 3");
}

#[test]
fn function_like_macros() {
    gives("#define F(x) [x]\nF(1) F (2) F\n(3) F", "[ 1 ] [ 2 ] [ 3 ] F");
    gives("#define F() 1\nF() F( ) F", "1 1 F");
    gives("#define F(x) x\nF() F((a,b)) F(F)(1)", "( a , b ) F ( 1 )");
    gives("#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(x, MAX(y, z))",
        "( ( x ) > ( ( ( y ) > ( z ) ? ( y ) : ( z ) ) ) ? ( x ) : ( ( ( y ) > ( z ) ? ( y ) : ( z ) ) ) )");
    gives("#define F(a,b) a-b\nF(,) F(1,) F(,2)", "- 1 - - 2");
    gives("#define F(x) <x>\n#define G F\nG(1)", "< 1 >");
    gives("#define EMPTY\n#define F(x) x\nF EMPTY (1)", "F ( 1 )");
    gives("#define F(x) x\n#define LP (\n#define G(x) F LP x)\nG(1)", "F ( 1 )");
    gives("#define F(x) x\n#if 1\nF(\n#ifdef Q\n0\n#else\n1\n#endif\n)\n#endif", "1");
}

#[test]
fn rescanning_follows_the_standard() {
    // A text like C99 6.10.3.5, example 3.
    let text = "#define n 3
#define h(a) h(n * (a))
#undef n
#define n 2
#define k h
#define p q[0]
#define w 0,1
#define o(a) a(w)
#define m(a) a(w)
#define r() int
#define s(x) x
#define u(x, y) x ## y
#define v(x) # x
";
    gives(&format!("{text}h(y+1) + h(h(0)) % k(k(0) + k)(1);"),
        "h ( 2 * ( y + 1 ) ) + h ( 2 * ( h ( 2 * ( 0 ) ) ) ) % h ( 2 * ( h ( 2 * ( 0 ) ) + h ) ) ( 1 ) ;");
    gives(
        &format!("{text}k(n+(3,4)-w) | h(~ 5) & m(h)(0,1);"),
        "h ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | h ( 2 * ( ~ 5 ) ) & h ( 0 , 1 ) ( 0 , 1 ) ;"
            .replace("h ( 0 , 1 ) ( 0 , 1 )", "h ( 2 * ( 0 , 1 ) ) ( 0 , 1 )")
            .as_str(),
    );
    gives(
        &format!("{text}r() i[s()] = {{ s(1), s(u(2,3)), u(4,), u(,5), u(,) }};"),
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;",
    );
    gives(&format!("{text}v(hello) v() v( a  b )"), "\"helloa b\"");
    gives(&format!("{text}p p"), "q [ 0 ] q [ 0 ]");
    // A macro's name, met while its expansion is rescanned, is never expanded again.
    gives("#define f(x) x f\nf(1)(2)", "1 f ( 2 )");
    gives("#define NIL(xxx) xxx\n#define G0(x) NIL(G1)(x)\n#define G1(x) NIL(x)\nG0(42)", "42");
    gives("#define foo foo a bar\n#define bar foo 12\nfoo", "foo a foo 12");
    gives("#define x x.y\n#define id(a) a\nid(x) id(id(x))", "x . y x . y");
    gives("#define AA BB\n#define BB AA\n#define F(x) x BB\nF(AA)", "AA BB");
}

#[test]
fn stringify() {
    gives("#define S(x) #x\nS(a+b)", "\"a+b\"");
    gives("#define S(x) #x\nS(  a  +\n b  )", "\"a + b\"");
    gives(
        r#"#define S(x) # x
S("a\n" '\\' "\"")"#,
        r#""\"a\\n\" '\\\\' \"\\\"\"""#,
    );
    gives("#define S(x) #x\n#define T(x) S(x)\n#define A 1\nS(A); T(A)", "\"A\" ; \"1\"");
    gives("#define S(...) #__VA_ARGS__\nS(a, b ,c)", "\"a, b ,c\"");
    gives("#define H # not a parameter\nH", "# not a parameter");
    gives("#define S(x) #x\nS(<: %:%:)", "\"<: %:%:\"");
}

#[test]
fn paste() {
    gives(
        "#define P(a,b) a##b\nP(x,1) P(1,2) P(<,<=) P(.,5) P(,) P(x,) P(,x)",
        "x1 12 <<= 0.5 x x",
    );
    gives("#define P(a,b) a ## b\n#define XY 9\n#define X 1\nP(X,Y) P(X Y,Z W)", "9 1 YZ W");
    gives("#define HH # ## #\nHH", "##");
    gives("#define mk(a) # a\n#define IN(a) mk(a)\n#define HH # ## #\n#define J(c, d) IN(c HH d)\nJ(x, y);",
        "\"x ## y\" ;");
    gives("#define T(x,y,z) x ## y ## z\nT(1,2,3) T(,4,5) T(6,,7) T(8,9,) T(10,,) T(,11,) T(,,12) T(,,)",
        "123 45 67 89 10 11 12");
    gives("#define EX(n) int ## n\n#define CAT(a,b) EX(a)b\nCAT(8,x)", "int8 x");
    gives("#define S(x) #x\n#define F(x) S(x) L##x\nF(a)", "\"a\" La");
    says(
        "#define P(a,b) a##b\nP(+,x)",
        "k.cl:2:1: error: pasting formed '+x', an invalid preprocessing token",
    );
    says(
        "#define P(a,b) a##b\nP(/,/)",
        "k.cl:2:1: error: pasting formed '//', an invalid preprocessing token",
    );
}

#[test]
fn variadic_macros() {
    gives("#define F(...) f(__VA_ARGS__)\nF() F(1) F(1,2)", "f ( ) f ( 1 ) f ( 1 , 2 )");
    gives("#define F(a, ...) a:__VA_ARGS__\nF(1) F(1,) F(1,2,(3,4))", "1 : 1 : 1 : 2 , ( 3 , 4 )");
    gives(
        "#define F(a, ...) f(a, ##__VA_ARGS__)\nF(1) F(1,2) F(1,2,3)",
        "f ( 1 ) f ( 1 , 2 ) f ( 1 , 2 , 3 )",
    );
    gives("#define F(a, rest...) f(a, ## rest)\n#define T 3\nF(1) F(1,T)", "f ( 1 ) f ( 1 , 3 )");
    gives("#define COUNT(...) PICK(__VA_ARGS__, 3, 2, 1)\n#define PICK(a,b,c,n,...) n\nCOUNT(x) COUNT(x,y) COUNT(x,y,z)",
        "1 2 3");
}

#[test]
fn conditionals() {
    gives("#if 1\na\n#else\nb\n#endif\nc", "a c");
    gives("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b");
    gives("#ifdef X\na\n#elif defined Y\nb\n#else\nc\n#endif", "c");
    gives("#define X\n#ifndef X\na\n#endif\n#ifdef X\nb\n#endif", "b");
    gives("#if 0\n#if 1\na\n#else\nb\n#endif\n#bogus\n'\n#elif 1\nc\n#endif", "c");
    gives("#if 0\n/* #endif */ \"/*\"\n// */ don't\n#endif // x\nafter", "after");
    gives("#if 1\n#elif 1/0\n#else\n#endif\nx", "x");
    gives("#if 0\n#else\n#define A 5\n#endif\nA", "5");
    gives("  #  if 1\na\n /* c */ # endif\n%: define B 2\nB", "a 2");
    gives("#if 0\nx \\\n#endif\ny\n#endif\nz", "z");
    gives("#\n# \nx", "x");
}

#[test]
fn conditions() {
    let holds = |condition: &str| {
        gives(&format!("#if {condition}\nyes\n#else\nno\n#endif"), "yes");
    };
    holds("1 + 2 * 3 == 7 && (1 + 2) * 3 == 9");
    holds("-1 < 0 && -1 > 0u");
    holds("(2 || 1/0) && !(0 && 1/0) && (1 ? 2 : 1/0) == 2");
    holds("1 << 3 == 8 && -8 >> 1 == -4 && (0xffffffffffffffff >> 60) == 15");
    holds("5 / 2 == 2 && -5 / 2 == -2 && -5 % 2 == -1 && ~0 == -1");
    holds("'a' == 97 && '\\n' == 10 && '\\377' < 0 && '\\x41' == 65");
    holds("undefined_name == 0 && !defined undefined_name && !defined(undefined_name)");
    holds("0x7fffffffffffffff + 1 < 0");
    holds("1 ? 0 ? 0 : 1 : 0");
    holds("(1 ? -1 : 0u) > 0");
    holds("defined __LINE__ && defined(__ENDIAN_LITTLE__) && __OPENCL_C_VERSION__ >= 120");
    holds("0x8000000000000000 / -1 == 0");
    holds("(-0x7fffffffffffffff - 1) / -1 < 0");
    holds("(3 & 6) == 2 && (3 | 6) == 7 && (3 ^ 6) == 5");
    gives("#define D defined(X)\n#define X\n#if D\na\n#endif", "a");
    gives("#define F(x) x\n#if F(1) && F(\\\n1)\na\n#endif", "a");
    says("#if\n#endif", "k.cl:1:1: error: expected value in expression");
    says("#if 1 +\n#endif", "k.cl:1:8: error: expected value in expression");
    says("#if (1\n#endif", "k.cl:1:7: error: expected ')' in preprocessor expression");
    says("#if 1/0\n#endif", "k.cl:1:6: error: division by zero in preprocessor expression");
    says("#if 1.0\n#endif", "k.cl:1:5: error: floating point literal in preprocessor expression");
    says(
        "#if 1 2\n#endif",
        "k.cl:1:7: error: token is not a valid binary operator in a preprocessor subexpression",
    );
    says(
        "#if \"x\"\n#endif",
        "k.cl:1:5: error: invalid token at start of a preprocessor expression",
    );
    says("#if F(1)\n#endif", "k.cl:1:5: error: function-like macro 'F' is not defined");
    says("#if defined\n#endif", "k.cl:1:5: error: macro name missing");
    says("#if defined(X\n#endif", "k.cl:1:5: error: missing ')' after 'defined'");
}

#[test]
fn lexical_matters() {
    gives("fo\\\no ba\\  \nr 1\\\n2 +\\\n+ \"a\\\nb\"", "foo bar 12 ++ \"ab\"");
    gives("a/\\\n/ comment \\\n still\nb /\\\n* c *\\\n/ d", "a b d");
    gives("a\\\r\nb\r\nc", "ab c");
    gives("x+++++y a->b ... .. <<= >>= <: :> <% %>", "x ++ ++ + y a -> b ... . . <<= >>= [ ] { }");
    gives("\"a\" /* x */ \"b\"\n\"c\" 'd'", "\"abc\" '100'");
    gives(
        r#""\a\b\t\n\v\f\r\\\'\"\?\0\101\x42\u00e9""#,
        "\"\\u{7}\\u{8}\\t\\n\\u{b}\\u{c}\\r\\\\'\\\"?\\0ABé\"",
    );
    gives("'\\0' '\\377' 'a'", "'0' '-1' '97'");
    gives("1 0x1F 017 1u 1UL 1.5f .5 1e3 0x1p-1 1.h", "1 31 15 1u 1ul 1.5f 0.5 1000.0 0.5 1.0h");
    gives("\u{feff}a\0b\u{a0}c", "a b c");
    gives("größe", "größe");
    gives("/**/x/***/y/*/ */z", "x y z");
    says("'ab'", "k.cl:1:1: warning: multi-character character constant");
    says("''", "k.cl:1:1: error: empty character constant");
    says("\"abc", "k.cl:1:1: error: missing terminating '\"' character");
    says("'", "k.cl:1:1: error: missing terminating ''' character");
    says("a @ b", "k.cl:1:3: error: unexpected character '@'");
    says("\u{1}", "k.cl:1:1: error: unexpected character <U+0001>");
    says("a \u{fffd}", "k.cl:1:3: error: unexpected character <U+FFFD>");
    says("/* open", "k.cl:1:1: error: unterminated /* comment");
    says("\"\\q\"", "k.cl:1:1: warning: unknown escape sequence '\\q'");
    says("089", "k.cl:1:1: error: invalid digit '8' in octal constant");
}

#[test]
fn directives_are_diagnosed() {
    says("#bogus", "k.cl:1:2: error: invalid preprocessing directive");
    says("#error out of  cheese", "k.cl:1:1: error: out of  cheese");
    says("#warning beware", "k.cl:1:1: warning: beware");
    says("#if 1", "k.cl:1:1: error: unterminated conditional directive");
    says("#endif", "k.cl:1:1: error: #endif without #if");
    says("#else", "k.cl:1:1: error: #else without #if");
    says("#elif 1", "k.cl:1:1: error: #elif without #if");
    says("#if 1\n#else\n#else\n#endif", "k.cl:3:1: error: #else after #else");
    says("#if 0\n#else\n#elif 1\n#endif", "k.cl:3:1: error: #elif after #else");
    says("#ifdef\n#endif", "k.cl:1:1: error: macro name missing");
    says("#ifdef 1\n#endif", "k.cl:1:8: error: macro name must be an identifier");
    says("#define", "k.cl:1:1: error: macro name missing");
    says("#define 1", "k.cl:1:9: error: macro name must be an identifier");
    says("#define defined", "k.cl:1:9: error: 'defined' cannot be used as a macro name");
    says("#define F(x,x)", "k.cl:1:13: error: duplicate macro parameter name 'x'");
    says("#define F(x", "k.cl:1:9: error: missing ')' in macro parameter list");
    says("#define F(1)", "k.cl:1:11: error: expected identifier in macro parameter list");
    says("#define F(x y)", "k.cl:1:13: error: expected comma in macro parameter list");
    says("#define F(x) #y", "k.cl:1:14: error: '#' is not followed by a macro parameter");
    says("#define F ##x", "k.cl:1:11: error: '##' cannot appear at start of macro expansion");
    says("#define F x##", "k.cl:1:12: error: '##' cannot appear at end of macro expansion");
    says("#define F+1", "k.cl:1:10: warning: ISO C99 requires whitespace after the macro name");
    says("#define F(x) x\nF(1", "k.cl:2:1: error: unterminated function-like macro invocation");
    says(
        "#define F(x) x\nF(1,2)",
        "k.cl:2:1: error: too many arguments provided to function-like macro invocation",
    );
    says(
        "#define F(x,y) x\nF(1)",
        "k.cl:2:1: error: too few arguments provided to function-like macro invocation",
    );
    says("#define F(x,y) x\nF(1)", "k.cl:1:9: note: macro 'F' defined here");
    says("#include", "k.cl:1:1: error: expected \"FILENAME\" or <FILENAME>");
    says("#include \"no.h\"", "k.cl:1:10: fatal error: 'no.h' file not found");
    says("#include \"\"", "k.cl:1:10: error: empty filename");
    says("#line x", "k.cl:1:7: error: #line directive requires a positive integer argument");
    says("#ifdef A B\n#endif", "k.cl:1:10: warning: extra tokens at end of #ifdef directive");
    says("#pragma strange", "k.cl:1:1: warning: unknown pragma ignored");
    says("_Pragma(1)", "k.cl:1:1: error: _Pragma takes a parenthesized string literal");
}

#[test]
fn redefinition() {
    gives("#define A 1 + 2\n#define A 1  +  2\n#define F(x) x\n#define F(x) x\nA", "1 + 2");
    says("#define A 1\n#define A 2", "k.cl:2:9: warning: 'A' macro redefined");
    says("#define A 1\n#define A 2", "k.cl:1:9: note: previous definition is here");
    says("#define F(x) x\n#define F(y) y", "k.cl:2:9: warning: 'F' macro redefined");
    says("#define A 1+2\n#define A 1 +2", "k.cl:2:9: warning: 'A' macro redefined");
    says("#define __LINE__ 1", "k.cl:1:9: warning: redefining builtin macro");
    gives("#define M_PI_F 3\n#undef FLT_MAX\nM_PI_F FLT_MAX", "3 FLT_MAX");
    assert_eq!(spell(&run("#define A 1\n#define A 2\nA")), "2");
}

#[test]
fn place_macros() {
    gives("__LINE__\n__LINE__ __FILE__", "1 2 \"k.cl\"");
    gives("__COUNTER__ __COUNTER__", "0 1");
    gives("#line 100\n__LINE__\n__LINE__", "100 101");
    gives("#line 7 \"gen \\\"x\\\".cl\"\n__FILE__ __LINE__", "\"gen \\\"x\\\".cl\" 7");
    gives(
        "#define L 5\n#line L \"z\"\n__LINE__ __FILE__\n#line 9\n__FILE__",
        "5 \"z\" \"z\"".replace("\"z\" \"z\"", "\"zz\"").as_str(),
    );
    gives("# 33 \"m.cl\" 1 3\n__LINE__ __FILE__", "33 \"m.cl\"");
    gives("#define L __LINE__\n\nL", "3");
    says("#line 50 \"gen.cl\"\n\n@", "gen.cl:51:1: error: unexpected character '@'");
}

/// The names of all versions are defined in every version (6.12), so that programs can compare with them.
#[test]
fn versions() {
    let text = "CL_VERSION_1_0 CL_VERSION_1_1 CL_VERSION_1_2 CL_VERSION_2_0 CL_VERSION_3_0 \
                CL_VERSION_3_1 __OPENCL_C_VERSION__";
    let numbers = [100, 110, 120, 200, 300, 310];
    let names = ["1_0", "1_1", "1_2", "2_0", "3_0", "3_1"];
    for (std, version) in [
        ("CL1.0", 100),
        ("CL1.1", 110),
        ("CL1.2", 120),
        ("CL2.0", 200),
        ("CL3.0", 300),
        ("CL3.1", 310),
    ] {
        let options = format!("-cl-std={std}");
        let output = run_source(&source(text), &options, &[]);
        assert_eq!(spell(&output), format!("100 110 120 200 300 310 {version}"), "{std}");
        for (name, number) in names.iter().zip(numbers) {
            let text =
                format!("#if __OPENCL_C_VERSION__ >= CL_VERSION_{name}\nyes\n#else\nno\n#endif");
            let output = run_source(&source(&text), &options, &[]);
            let expected = if version >= number { "yes" } else { "no" };
            assert_eq!(spell(&output), expected, "{std} >= CL_VERSION_{name}");
        }
    }
}

#[test]
fn predefined_macros() {
    gives("__OPENCL_C_VERSION__ CL_VERSION_1_2 CL_VERSION_2_0 __ENDIAN_LITTLE__", "120 120 200 1");
    let output = run_source(
        &source("__OPENCL_C_VERSION__ CL_VERSION_3_0 __FAST_RELAXED_MATH__"),
        "-cl-std=CL3.0 -cl-fast-relaxed-math",
        &[],
    );
    assert_eq!(spell(&output), "300 300 1");
    gives("__FAST_RELAXED_MATH__", "__FAST_RELAXED_MATH__");
    gives(
        "__kernel_exec(8, float4)",
        "__kernel __attribute__ ( ( work_group_size_hint ( 8 , 1 , 1 ) ) ) \
        __attribute__ ( ( vec_type_hint ( float4 ) ) )",
    );
    gives(
        "M_PI_F INT_MAX INT_MIN CHAR_MIN FLT_MAX CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        "3.1415927f 2147483647 ( - 2147483647 - 1 ) ( - 127 - 1 ) 3.4028235e38f 1 | 2",
    );
    gives("INFINITY NULL", "inff ( ( void * ) 0 )");
    gives("M_PI DBL_MAX HALF_MAX", "M_PI DBL_MAX HALF_MAX");
    let output = run_source(
        &source("M_PI DBL_MAX M_PI_H cl_khr_fp64"),
        "",
        &[("cl_khr_fp64", "1"), ("cl_khr_fp16", "1")],
    );
    assert_eq!(spell(&output), "3.141592653589793 1.7976931348623157e308 3.140625h 1");
    gives(
        "#if INT_MIN < 0 && ULONG_MAX == 0xffffffffffffffff && FLT_MAX_EXP == 128\nx\n#endif",
        "x",
    );
}

#[test]
fn macros_of_options() {
    let with = |options: &str, text: &str| {
        let output = run_source(&source(text), options, &[("F", "1")]);
        assert_eq!(output.log, "");
        spell(&output)
    };
    assert_eq!(with("-D A -DB=2 -D A2=A -U B", "A B A2"), "1 B 1");
    assert_eq!(with("-D 'SQ(x)=((x)*(x))'", "SQ(3)"), "( ( 3 ) * ( 3 ) )");
    assert_eq!(with("-U F -U M_PI_F", "F M_PI_F"), "F M_PI_F");
    assert_eq!(with("-D M_PI_F=3", "M_PI_F"), "3");
    let output = run_source(&source("A"), "-D F(x)=#y", &[]);
    let message = "<command line>:1:14: error: '#' is not followed by a macro parameter";
    assert!(output.log.starts_with(message), "{}", output.log);
}

#[test]
fn includes_of_given_headers() {
    let mut main = source("#include \"a.h\"\n#include <dir/b.h>\n#define H \"a.h\"\n#include H\n#define P a.h\n#define Q <P>\n#include Q\n");
    main.headers = vec![
        ("a.h".into(), "A __FILE__;\n".into()),
        ("dir/b.h".into(), "#include \"c.h\"\n".into()),
        ("dir/c.h".into(), "C;\n".into()),
    ];
    let output = run_source(&main, "", &[]);
    assert_eq!(output.log, "");
    assert_eq!(spell(&output), "A \"a.h\" ; C ; A \"a.h\" ; A \"a.h\" ;");
    let mut main =
        source("#include \"o.h\"\n#include \"o.h\"\n#include \"g.h\"\n#include \"g.h\"\n");
    main.headers = vec![
        ("o.h".into(), "#pragma once\nO".into()),
        ("g.h".into(), "#ifndef G\n#define G\nG_\n#endif".into()),
    ];
    assert_eq!(spell(&run_source(&main, "", &[])), "O G_");
    let mut main = source("#include \"bad.h\"\n");
    main.headers = vec![("bad.h".into(), "\n  @\n#if 1".into())];
    let log = run_source(&main, "", &[]).log;
    assert!(log.contains("bad.h:2:3: error: unexpected character '@'\n  @\n  ^\n"), "{log}");
    assert!(log.contains("bad.h:3:1: error: unterminated conditional directive"), "{log}");
}

#[test]
fn includes_from_disk() {
    let directory = std::env::temp_dir().join(format!("hekla-include-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("sub")).unwrap();
    std::fs::write(directory.join("x.h"), "X\n#include \"sub/y.h\"\n").unwrap();
    std::fs::write(directory.join("sub/y.h"), "Y\n#include \"z.h\"\n").unwrap();
    std::fs::write(directory.join("sub/z.h"), "#pragma once\nZ\n").unwrap();
    let options = format!("-I \"{}\"", directory.display());
    let output = run_source(&source("#include <x.h>\n#include \"sub/z.h\"\nend"), &options, &[]);
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(output.log, "");
    assert_eq!(spell(&output), "X Y Z end");
}

#[test]
fn pragmas() {
    gives(
        "#pragma OPENCL FP_CONTRACT OFF\n#pragma STDC FP_CONTRACT ON\nx",
        "[FpContract(Off)] [FpContract(On)] x",
    );
    gives("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nx", "[cl_khr_fp64 Enable] x");
    gives(
        "#define N 4\n#pragma unroll\n#pragma unroll 8\n#pragma unroll(N*2)\n#pragma nounroll",
        "[Unroll(None)] [Unroll(Some(8))] [Unroll(Some(8))] [Unroll(Some(1))]",
    );
    gives("a _Pragma(\"unroll 2\") b", "a [Unroll(Some(2))] b");
    gives(
        "#define LOOP(n) _Pragma(U(unroll n)) for\n#define U(x) #x\nLOOP(3)",
        "[Unroll(Some(3))] for",
    );
    let output = run("#pragma OPENCL EXTENSION all : disable");
    assert!(matches!(
        output.tokens[0].kind,
        TokenKind::Pragma(Pragma::Extension { behaviour: ExtensionBehaviour::Disable, .. })
    ));
    let output = run("_Pragma(\"OPENCL FP_CONTRACT DEFAULT\")");
    assert_eq!(output.tokens[0].kind, TokenKind::Pragma(Pragma::FpContract(FpContract::Default)));
}

#[test]
fn spans_point_at_the_users_text() {
    let output = run("#define ADD(a, b) (a + b)\nx = ADD(y, 2);");
    let texts: Vec<&str> =
        output.tokens.iter().map(|token| output.sources.text(token.span)).collect();
    assert_eq!(texts, ["x", "=", "ADD", "y", "ADD", "2", "ADD", ";", ""]);
    let output = run("#define IN (1\n#define OUT IN )\nOUT \"a\" \"b\"");
    let texts: Vec<&str> =
        output.tokens.iter().map(|token| output.sources.text(token.span)).collect();
    assert_eq!(texts, ["OUT", "OUT", "OUT", "\"a\" \"b\"", ""]);
    // The log has a note about the macro's definition.
    let log = run("#define BAD @\nint x = BAD;").log;
    assert_eq!(log, "k.cl:2:9: error: unexpected character '@'\nint x = BAD;\n        ^~~\n\
        k.cl:1:9: note: expanded from macro 'BAD'\n#define BAD @\n        ^~~\n1 error generated.\n");
}

#[test]
fn the_log_reads_like_clangs() {
    let log = run("\t@\n#warning w\n").log;
    assert_eq!(
        log,
        "k.cl:1:2: error: unexpected character '@'\n\t@\n\t^\n\
        k.cl:2:1: warning: w\n#warning w\n^~~~~~~~\n1 warning and 1 error generated.\n"
    );
    let quiet = run_source(&source("#warning w"), "-w", &[]);
    assert_eq!(quiet.log, "");
    let strict = run_source(&source("#warning w"), "-Werror", &[]);
    assert!(strict.log.starts_with("k.cl:1:1: error: w"), "{}", strict.log);
    let many = run(&"@\n".repeat(50)).log;
    assert_eq!(many.matches(": error:").count(), 20);
    assert!(
        many.ends_with(
            "fatal error: too many errors emitted, stopping now\n20 errors generated.\n"
        ),
        "{many}"
    );
}

#[test]
fn hostile_texts_end_in_a_diagnostic() {
    let mut main = source("#include \"self.h\"");
    main.headers = vec![("self.h".into(), "#include \"self.h\"\n#include \"self.h\"\n".into())];
    let log = run_source(&main, "", &[]).log;
    assert!(log.contains("fatal error: #include nested too deeply"), "{log}");

    let mut bomb = String::from("#define B0 x\n");
    for i in 1..64 {
        bomb += &format!("#define B{i} B{} B{}\n", i - 1, i - 1);
    }
    let log = run(&(bomb + "B63")).log;
    assert!(log.contains("macro expansion produces too many tokens"), "{log}");

    let mut bomb = String::from("#define F0(x) x x\n");
    for i in 1..64 {
        bomb += &format!("#define F{i}(x) F{}(F{}(x))\n", i - 1, i - 1);
    }
    let log = run(&(bomb + "F63(a)\n#if F63(1)\n#endif")).log;
    assert!(log.contains("macro expansion produces too many tokens"), "{log}");

    let mut bomb =
        String::from("#define S(x) #x\n#define P(x) x##x\n#define Q(x) P(x)\n#define T(x) S(x)\n");
    bomb += &format!("{}\"{}\n", "T(".repeat(60), "\"".to_string() + &")".repeat(60));
    bomb += &format!("{}a{}\n", "Q(".repeat(60), ")".repeat(60));
    let log = run(&bomb).log;
    assert!(log.contains("macro expansion produces too much text"), "{log}");

    let deep = format!("#define F(x) x\n{}{}", "F(".repeat(1000), ")".repeat(1000));
    assert!(run(&deep).log.contains("macro invocations nested too deeply"));
    let deep = deep.replace("F(F(", &"F(".repeat(200)).replace("))", &")".repeat(200));
    assert!(run(&deep).log.contains("fatal error: macro"));
    let deep = format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000));
    assert!(run(&deep).log.contains("preprocessor expression nested too deeply"));
    let deep = format!("#if {}1\n#endif", "- ".repeat(100_000));
    assert!(run(&deep).log.contains("nested too deeply"));
    let open = "#if 1\n".repeat(100_000);
    assert!(run(&open).log.contains("too many errors emitted"));
}

#[test]
fn noise_ends_in_a_short_log() {
    let mut state = 1u64;
    let mut bytes = Vec::with_capacity(2 << 20);
    while bytes.len() < 2 << 20 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        bytes.extend_from_slice(&state.to_le_bytes()[3..]);
    }
    let log = run(&String::from_utf8_lossy(&bytes)).log;
    assert!(log.contains("too many errors emitted") && log.len() < 20_000, "{}", log.len());
    // The same text without line ends, and one token after ten million spaces.
    let line: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\n').collect();
    let log = run(&String::from_utf8_lossy(&line)).log;
    assert!(log.len() < 20_000, "{}", log.len());
    let log = run(&format!("{}@", " ".repeat(10_000_000))).log;
    assert!(log.contains("k.cl:1:10000001: error") && log.len() < 1000, "{}", log.len());
    for text in
        ["\\\n", "/", "\"\\\n", "#", "##\n", "%:", "/*\\\n", "'\\", "a\\\n", "+\\\n", "1e+\\\n"]
    {
        run(&text.repeat(50_000));
    }
}

#[test]
fn prefixes_of_a_program_never_fail() {
    let text = "#define F(a,...) #a a##__VA_ARGS__ '\\x41' \"s\\n\" 0x1.8p3f\n#if F(1) && defined(X)\n\
        #elif 1\n/* c */ F(x, y) \\\n z // end\n#else\n#endif\n#include <q>\n_Pragma(\"unroll\")\n#line 3 \"f\"\n";
    for end in 0..=text.len() {
        run(&text[..end]);
        run(&text[end..]);
    }
}
