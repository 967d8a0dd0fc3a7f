//! heklac on OpenCL C and on SPIR-V: modules, reflection, specialization constants, and refusals.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ASSEMBLY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/spirv");

fn heklac(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heklac")).args(args).output().unwrap()
}

/// Runs heklac, which must succeed; returns its output.
fn printed(args: &[&str]) -> String {
    let done = heklac(args);
    let errors = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{args:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

/// Runs heklac, which must fail; returns its messages.
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
        assert_eq!(words[..4], hekla_spirv::MAGIC_NUMBER.to_le_bytes());
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

/// Sub-groups are available only where the probe finds them in order; the device file records this.
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

const WRONG: &[u8] = b"\
int sum(const int *p) {
    int s;
    for (int i = 0; i < 4; i++)
        s += p[i]; // init
    return s;
}
kernel void k(global int *a, local int *t) {
    int p[4] = {1, 2, 3, 4}, i = get_local_id(0), x;
    if (a[0] > 3)
        p[4] = 7; // bounds
    if (a[1])
        a[2] = x; // init
    for (int n = 0; n <= 4; n++)
        a[n] += p[n]; // bounds
    a[3] = sum(p) / (i - i); // arith
    global int *q = 0;
    q[3] = 1; // null
    a[4] = *(int *)((char *)p + 2); // align
    if (i < 10) {
        barrier(CLK_LOCAL_MEM_FENCE); // barriers
        a[5] = t[i + 1];
    }
}
kernel void r(global int *a, int n) {
    local int t[8];
    if (get_global_id(0) >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE); // barriers
    t[9] = 1; // bounds
}
";

/// A program in which nothing is certain to be wrong.
const RIGHT: &[u8] = b"\
kernel void k(global int *a, local int *t, int n) {
    int p[4] = {1, 2, 3, 4}, i = get_local_id(0), x;
    if (a[0])
        x = 1;
    if (a[0])
        a[1] = x / n;
    p[n] = 4;
    a[2] = p[n & 3];
    for (int s = 4; s > 0; s /= 2) {
        if (i < s)
            t[i] += t[i + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_group_id(0) == 3 || get_global_id(0) / get_local_size(0) > 4 || a[3])
        barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = i; j < n; j += get_local_size(0))
        a[j] = t[0];
    barrier(CLK_LOCAL_MEM_FENCE);
}
";

#[test]
fn mistakes_that_are_certain_are_told_by_line() {
    let source = file("wrong.cl", WRONG);
    let told = heklac(&[text(&source), "--check=all"]);
    assert!(told.status.success());
    let told = String::from_utf8(told.stderr).unwrap();
    let places: Vec<(usize, &str)> = (told.lines().filter(|line| line.contains(": warning: ")))
        .map(|line| {
            let mut numbers = line[text(&source).len() + 1..].split(':');
            let kind = line.rsplit_once('[').unwrap().1.trim_end_matches(']');
            (numbers.next().unwrap().parse().unwrap(), kind)
        })
        .collect();
    let lines = std::str::from_utf8(WRONG).unwrap().lines().zip(1..);
    let wanted: Vec<(usize, &str)> =
        lines.filter_map(|(line, number)| Some((number, line.split_once("// ")?.1))).collect();
    assert_eq!(places, wanted, "{told}");
    for words in [
        "store of 4 bytes at offset 16 of private variable 'p', which has 16 bytes [bounds]\n        p[4] = 7; // bounds\n        ^\n",
        "through a null pointer, at offset 12 [null]",
        "wrong.cl:15:12: note: called here, by 'k'",
        "wrong.cl:19:9: note: the id of the work-item decides here\n    if (i < 10) {\n        ^\n",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let some = heklac(&[text(&source), "--check=arith,null"]);
    assert_eq!(String::from_utf8_lossy(&some.stderr).matches(": warning: ").count(), 2);
    assert!(refused(&[text(&source), "--check=arith", "-Werror"]).contains("division of 32 bits"));
    assert!(refused(&[text(&source), "--check=nonsense"]).contains("no check 'nonsense'"));
    let right = heklac(&[text(&file("right.cl", RIGHT)), "--check=all", "-Werror"]);
    assert_eq!(
        (right.status.success(), String::from_utf8_lossy(&right.stderr).as_ref()),
        (true, "")
    );
}
