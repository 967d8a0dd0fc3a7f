//! heklac on OpenCL C and on SPIR-V: modules, reflection, specialization constants, and what it refuses.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ASSEMBLY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/spirv");

fn heklac(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heklac")).args(args).output().unwrap()
}

/// Returns what it prints; it must succeed.
fn printed(args: &[&str]) -> String {
    let done = heklac(args);
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{args:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

/// Returns what it complains of; it must fail.
fn refused(args: &[&str]) -> String {
    let done = heklac(args);
    assert!(!done.status.success(), "{args:?}");
    String::from_utf8(done.stderr).unwrap()
}

fn file(name: &str, contents: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn kernels_of_opencl_c_are_described() {
    let source = file(
        "two.cl",
        b"kernel void a(global int *p, float x) { *p = (int)x; } kernel void b(local int *q) { *q = 1; }",
    );
    let output = source.with_extension("spv");
    let json = printed(&[text(&source), "-o", text(&output), "--reflection"]);
    for kernel in ["a", "b"] {
        let module = output.with_extension(format!("{kernel}.spv"));
        assert!(
            json.contains(&format!("\"name\": \"{kernel}\", \"module\": \"{}\"", text(&module)))
        );
        let words = std::fs::read(module).unwrap();
        assert_eq!(words[..4], 0x0723_0203u32.to_le_bytes());
    }
    assert!(json.contains(r#""kind": "value", "size": 4, "offset": 8"#), "{json}");
}

#[test]
fn modules_are_compiled() {
    let assembly = format!("{ASSEMBLY}/specialization.spvasm");
    let module = file("specialization.spv", &[]);
    let mut assembler = Command::new("spirv-as");
    assembler.args(["--target-env", "spv1.0", "-o", text(&module), &assembly]);
    if !assembler.status().is_ok_and(|status| status.success()) {
        return println!("not tested: spirv-as is not installed");
    }
    let unnamed = file("specialization.bin", &std::fs::read(&module).unwrap());
    for input in [&assembly, text(&module), text(&unnamed)] {
        let ir = printed(&[input, "--emit=ir"]);
        assert!(ir.contains("store") && ir.contains(", 21:i32"), "{input}: {ir}");
        let ir = printed(&[input, "--spec", "10=100", "--spec", "13=0x42280000", "--emit=ir"]);
        assert!(ir.contains(", 300:i32") && ir.contains(", 42:i32"), "{input}: {ir}");
        let json = printed(&[input, "--reflection"]);
        assert!(json.contains(r#""name": "test""#), "{json}");
    }
    let message = refused(&[text(&module), "--spec", "ten=1"]);
    assert!(message.contains("--spec ten=1 is not ID=N"), "{message}");
}

#[test]
fn what_is_no_module_is_refused() {
    let cut = file("cut.spv", &[3, 2, 0x23, 7, 0, 0]);
    assert!(refused(&[text(&cut), "--emit=ir"]).contains("cut.spv: "));
    let source = file("source.spv", b"kernel void k() {}");
    assert!(refused(&[text(&source), "--emit=ir"]).contains("source.spv: "));
    assert!(refused(&["no such file.spv"]).contains("no such file.spv: "));
}

/// Sub-groups are there only where the probe finds them in order, which the file of a device says.
#[test]
fn a_device_that_describes_itself_can_be_compiled_for() {
    let text = printed(&["--describe"]);
    let (probed, _) = text.split_once("[probed]").expect("a table of the probe's answers");
    let source = file(
        "described.cl",
        b"kernel void f(global uint *out) { *out = sub_group_reduce_add((uint)get_local_id(0)); }",
    );
    let [source, whole, without] =
        [source, file("described.toml", text.as_bytes()), file("unprobed.toml", probed.as_bytes())]
            .map(|path| path.display().to_string());
    let compile = |device: &str| heklac(&[&source, "-cl-std=CL3.0", "--limit-to", device]);
    let done = compile(&whole);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(!compile(&without).status.success());
}
