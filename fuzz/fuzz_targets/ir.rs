//! The reader of IR text, and what follows it, on objects whose text was tampered with.
#![no_main]

use arbitrary::Unstructured;
use hekla_compiler::{compile_object, link, LinkOptions, Object, Options, Target};
use hekla_fuzz::{check, grammar, mutate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(bytewise) = u.ratio(1, 4) else { return };
    let Ok(program) = grammar::program(&mut u) else { return };
    let target = Target::generic();
    let compiled = compile_object(&check::source(&program), &Options::default(), &target);
    let Some(object) = compiled.object else { return };
    let text = match bytewise {
        true => String::from_utf8_lossy(u.take_rest()).into_owned(),
        false => match mutate::lines(&object.text(), &mut u) {
            Ok(text) => text,
            Err(_) => return,
        },
    };
    if let Ok(read) = Object::read(&text, object.module.kernels.clone(), object.modes) {
        // What no lowering writes may be refused late, by the emitter, as its own error.
        if let Some(program) = link(&[&read], &LinkOptions::default(), &target).program {
            check::is_valid(&program);
        }
    }
});
