//! The reader of IR text, and what follows it, on objects whose text was tampered with.
#![no_main]

use arbitrary::Unstructured;
use hekla_compiler::{compile_object, link, LinkOptions, Object, Options};
use hekla_fuzz::{check, mutate, typed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(bytewise) = u.ratio(1, 4) else { return };
    let Ok(program) = typed::program(&mut u) else { return };
    let (target, options) =
        (check::everything(), Options::parse("-cl-std=CL3.0").expect("an option"));
    let compiled = compile_object(&check::source(&program.text), &options, &target);
    let Some(object) = compiled.object else { return };
    let text = match bytewise {
        true => String::from_utf8_lossy(u.take_rest()).into_owned(),
        false => match mutate::lines(&object.text(), &mut u) {
            Ok(text) => text,
            Err(_) => return,
        },
    };
    if let Ok(read) = Object::read(&text, object.module.kernels.clone(), object.flags) {
        // What no lowering writes may be refused late, by the emitter, as its own error.
        if let Some(program) = link(&[&read], &LinkOptions::default(), &target).program {
            check::is_valid(&program);
        }
    }
});
