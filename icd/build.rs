//! Links libhekla.so so that calls from inside bind inside: behind an ICD loader the process has
//! every cl* name twice.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
