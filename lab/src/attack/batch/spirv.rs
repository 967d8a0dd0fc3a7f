//! The assembler of SPIR-V.

use std::io::Write;
use std::process::{Command, Stdio};

/// Returns the module of a text, by spirv-as (package spirv-tools), which keeps its ids.
pub fn assemble(text: &str) -> Result<Vec<u8>, String> {
    let mut child = Command::new("spirv-as")
        .args(["--preserve-numeric-ids", "--target-env", "spv1.6", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-as (package spirv-tools): {error}"))?;
    let mut stdin = child.stdin.take().ok_or("spirv-as takes nothing")?;
    let text = text.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
