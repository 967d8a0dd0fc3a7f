//! Flags of the linker. Calls inside the library bind to the library's own functions, since behind an ICD loader every
//! cl* name exists twice in the process. The library is never unloaded, since its event thread may be running.
//!
//! The flags are those of ELF linkers. On macOS and Windows names bind to one library in any case; there
//! `platform::keep_loaded` and thread-local variables keep the library loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let vendor = std::env::var("CARGO_CFG_TARGET_VENDOR").unwrap_or_default();
    if system != "windows" && vendor != "apple" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
