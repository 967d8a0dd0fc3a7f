//! Source locations: instructions keep them through the text form and the passes, and modules report them.

use hekla_compiler::ir::parse::parse_module;
use hekla_compiler::ir::verify::verify_module;
use hekla_compiler::{
    compile, compile_il, compile_il_to_ir, compile_linked, compile_to_ir, compile_to_linked, Il,
    IrAt, Options, Source, Target,
};
use rspirv::spirv::Op;
use std::io::Write;
use std::process::{Command, Stdio};

const PROGRAM: &str = "\
int helper(global int *a, int i) {
    return a[i] * 2;
}
kernel void k(global int *a, global int *o, int n) {
    int i = get_global_id(0);
    if (i < n)
        o[i] = helper(a, i) + (int)sin((float)i);
}
";

fn source(text: &str) -> Source {
    Source { name: "a.cl".into(), text: text.into(), headers: Vec::new() }
}

fn words(options: &str, target: &Target) -> Vec<u32> {
    let options = Options::parse(options).unwrap();
    let compiled = compile(&source(PROGRAM), &options, target);
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.log)).kernels.remove(0).spirv
}

/// Returns the opcodes and operands of a module.
fn instructions(words: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let (mut at, mut all) = (5, Vec::new());
    while at < words.len() {
        let size = (words[at] >> 16) as usize;
        all.push((words[at] & 0xffff, words[at + 1..at + size].to_vec()));
        at += size;
    }
    all
}

/// Returns the lines that the OpLine instructions of a module name.
fn lines(words: &[u32]) -> Vec<u32> {
    let all = instructions(words).into_iter();
    let mut lines: Vec<u32> =
        all.filter(|(op, _)| *op == Op::Line as u32).map(|(_, args)| args[1]).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[test]
fn modules_tell_lines_where_they_are_asked_to() {
    let target = Target { non_semantic_info: false, ..Target::generic() };
    assert_eq!(lines(&words("", &target)), []);
    let plain = instructions(&words("", &target));
    let names = [Op::String, Op::Source].map(|op| op as u32);
    assert!(!plain.iter().any(|(op, _)| names.contains(op)));
    let told = words("-g", &target);
    // Inlined code has its own line; the library's functions have the line of the call.
    for line in [2, 5, 6, 7] {
        assert!(lines(&told).contains(&line), "{line}: {:?}", lines(&told));
    }
    assert!(lines(&told).iter().all(|&line| (1..=7).contains(&line)));
    // Except for the lines, nothing has changed.
    let debug = [Op::String, Op::Source, Op::Line].map(|op| op as u32);
    let ops = |all: Vec<(u32, Vec<u32>)>| -> Vec<u32> {
        all.into_iter().map(|(op, _)| op).filter(|op| !debug.contains(op)).collect()
    };
    assert_eq!(ops(instructions(&told)), ops(plain));
    assert_eq!(words("", &Target { lines: true, ..target }), told);
}

/// Returns the instructions of NonSemantic.Shader.DebugInfo.100 of a module: number in the set, result, operands.
fn debug_info(words: &[u32]) -> Vec<(u32, u32, Vec<u32>)> {
    let all = instructions(words);
    let name = "NonSemantic.Shader".as_bytes();
    let mut imports = all.iter().filter(|(op, _)| *op == Op::ExtInstImport as u32);
    let import = imports.find(|(_, args)| {
        let text: Vec<u8> = args[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
        text.starts_with(name)
    });
    let Some(set) = import.map(|(_, args)| args[0]) else { return Vec::new() };
    let own = all.iter().filter(|(op, args)| *op == Op::ExtInst as u32 && args[2] == set);
    own.map(|(_, args)| (args[3], args[1], args[4..].to_vec())).collect()
}

/// Returns the text of an OpString of a module.
fn string(words: &[u32], id: u32) -> String {
    let all = instructions(words);
    let found = all.iter().find(|(op, args)| *op == Op::String as u32 && args[0] == id).unwrap();
    let bytes: Vec<u8> = found.1[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
    String::from_utf8(bytes).unwrap().trim_end_matches('\0').to_string()
}

#[test]
fn debuggers_are_told_functions_and_what_is_inlined_where() {
    const FUNCTION: u32 = 20;
    const SCOPE: u32 = 23;
    const INLINED_AT: u32 = 25;
    const SOURCE: u32 = 35;
    const DEFINITION: u32 = 101;
    let target = Target::generic();
    assert!(debug_info(&words("", &target)).is_empty());
    let words = words("-g", &target);
    let all = debug_info(&words);
    let of = |number: u32| all.iter().filter(move |(own, ..)| *own == number);
    let names: Vec<String> = of(FUNCTION).map(|(_, _, args)| string(&words, args[0])).collect();
    assert!(names.contains(&"helper".to_string()) && names.contains(&"k".to_string()), "{names:?}");
    let (_, _, source) = of(SOURCE).next().unwrap();
    assert_eq!(
        (string(&words, source[0]).as_str(), string(&words, source[1]).as_str()),
        ("a.cl", PROGRAM)
    );
    // The kernel has one definition, for the module's function.
    let function = |name: &str| {
        let found = of(FUNCTION).find(|(_, _, args)| string(&words, args[0]) == name);
        found.map(|(_, id, _)| *id).unwrap()
    };
    let definitions: Vec<_> = of(DEFINITION).collect();
    assert_eq!(definitions.len(), 1);
    assert_eq!(definitions[0].2[0], function("k"));
    // helper was inlined in line 7 of the kernel, which all scopes of helper name.
    let (_, call, args) = of(INLINED_AT).find(|(_, _, args)| args[1] == function("k")).unwrap();
    let seven = instructions(&words).into_iter().find_map(|(op, constant)| {
        (op == Op::Constant as u32 && constant[1] == args[0]).then(|| constant[2])
    });
    assert_eq!(seven, Some(7));
    let of_helper: Vec<_> =
        of(SCOPE).filter(|(_, _, args)| args[0] == function("helper")).collect();
    assert!(
        !of_helper.is_empty() && of_helper.iter().all(|(_, _, args)| args.get(1) == Some(call))
    );
    assert!(of(SCOPE).any(|(_, _, args)| args[..] == [function("k")]));
}

#[test]
fn the_text_form_keeps_locations() {
    let options = Options::parse("-g").unwrap();
    let target = Target::generic();
    for at in [IrAt::Lowered, IrAt::End] {
        let text = compile_to_ir(&source(PROGRAM), &options, &target, &at).unwrap();
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify_module(&module).unwrap();
        assert!(!module.locations.is_empty());
        let table = |text: &str| -> Vec<String> {
            let is_row = |line: &&str| line.starts_with("loc ") || line.starts_with("file ");
            text.lines().filter(is_row).map(str::to_string).collect()
        };
        assert_eq!(table(&module.to_string()), table(&text));
        let inst = text.lines().find(|line| line.contains("= load v") && line.contains('!'));
        assert!(inst.is_some(), "{text}");
    }
    // Inlined instructions have the location of the call.
    let text = compile_to_ir(&source(PROGRAM), &options, &target, &IrAt::End).unwrap();
    let inlined = |line: &&str| line.starts_with("loc @a.cl 2 ") && line.contains(" at ");
    assert!(text.lines().any(|line| inlined(&line)), "{text}");
    let plain = compile_to_ir(&source(PROGRAM), &Options::default(), &target, &IrAt::End).unwrap();
    assert!(!plain.contains("loc ") && !plain.contains("file ") && !plain.contains('!'));
}

#[test]
fn linked_objects_keep_locations() {
    let options = Options::parse("-g").unwrap();
    let target = Target::generic();
    let object = compile_to_linked(&source(PROGRAM), &options, &target).object.unwrap();
    let program = compile_linked(&object, &target).program.unwrap();
    assert!(lines(&program.kernels[0].spirv).contains(&2));
}

#[test]
fn wrong_locations_are_refused() {
    let text = "loc @a.cl 1 1 @f\nfn @f() {\nblock0:\n    return !1\n}\n";
    let mut module = parse_module(text).unwrap();
    verify_module(&module).unwrap();
    let func = module.functions.keys().next().unwrap();
    module.functions[func].is_located = true;
    verify_module(&module).unwrap();
    let block = module.functions[func].entry();
    let inst = module.functions[func].blocks[block].insts[0];
    module.functions[func].set_location(inst, hekla_compiler::ir::Loc::NONE);
    let error = verify_module(&module).unwrap_err().to_string();
    assert!(error.contains("it has no location"), "{error}");
    for wrong in [
        "fn @f() {\nblock0:\n    return !1\n}\n",
        "loc @a.cl 1 1 @f at 1\n",
        "loc @a.cl 1 1 @f\nloc @a.cl 1 1 @f\n",
        "loc @a.cl 1 @f\n",
    ] {
        assert!(parse_module(wrong).is_err(), "{wrong}");
    }
}

const MODULE: &str = "\
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k \"k\"
%file = OpString \"b.cl\"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pointer = OpTypePointer CrossWorkgroup %uint
%type = OpTypeFunction %void %pointer
%seven = OpConstant %uint 7
OpLine %file 10 1
%k = OpFunction %void None %type
%out = OpFunctionParameter %pointer
%entry = OpLabel
OpLine %file 11 5
%x = OpLoad %uint %out
OpLine %file 12 9
%y = OpIMul %uint %x %seven
OpNoLine
%z = OpIAdd %uint %y %seven
OpLine %file 13 2
OpStore %out %z
OpReturn
OpFunctionEnd
";

#[test]
fn lines_of_modules_are_kept() {
    let mut command = Command::new("spirv-as");
    command.args(["--target-env", "spv1.0", "-o", "-", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("spirv-as (package spirv-tools)");
    child.stdin.take().unwrap().write_all(MODULE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let il = Il::read(&output.stdout).unwrap();
    let build = |options: &str| {
        let options = Options::parse(options).unwrap();
        let compiled = compile_il(&il, &[], &options, &Target::generic());
        compiled.program.unwrap_or_else(|| panic!("{}", compiled.log)).kernels.remove(0).spirv
    };
    assert_eq!(lines(&build("-g")), [11, 12, 13]);
    assert_eq!(lines(&build("")), []);
    let options = Options::parse("-g").unwrap();
    let text = compile_il_to_ir(&il, &[], &options, &Target::generic(), &IrAt::Lowered).unwrap();
    assert!(text.contains("loc @b.cl 12 9 @id"), "{text}");
    let sum = text.lines().find(|line| line.contains("iadd"));
    assert!(sum.is_some_and(|line| !line.contains('!')), "OpNoLine: {text}");
}
