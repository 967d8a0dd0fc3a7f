//! How the library is linked: calls from inside bind inside, since behind an ICD loader the process has every cl* name
//! twice; and it is never unloaded, since its event thread may be running.
//!
//! That takes flags of ELF linkers. On macOS and Windows names bind to one library in any case; there
//! `platform::keep_loaded` and thread-local variables keep the library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let vendor = std::env::var("CARGO_CFG_TARGET_VENDOR").unwrap_or_default();
    if system != "windows" && vendor != "apple" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
