//! How libhekla.so is linked: calls from inside bind inside, since behind an ICD loader the process
//! has every cl* name twice; and it is never unloaded, since its event thread may be running.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
