//! Platforms (4.1), unloading of their compilers (5.8.8), and how loaders find them (cl_khr_icd).

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clGetPlatformIDs");
    t.list(|room, list, count| unsafe { clGetPlatformIDs(room, list, count) });

    t.about("clIcdGetPlatformIDsKHR");
    t.list(|room, list, count| unsafe { clIcdGetPlatformIDsKHR(room, list, count) });

    t.about("clGetPlatformInfo");
    let info = |platform, name, size, place| unsafe {
        clGetPlatformInfo(platform, name, size, place, null_mut())
    };
    t.query(CL_PLATFORM_NAME, |name, size, place| info(w.platform, name, size, place));
    let all = (CL_PLATFORM_PROFILE..=CL_PLATFORM_EXTENSIONS_WITH_VERSION)
        .chain([CL_PLATFORM_ICD_SUFFIX_KHR]);
    t.answered(all, |name, size, place| info(w.platform, name, size, place));
    t.each(CL_INVALID_PLATFORM, "platform", w.no_platforms(), |platform| {
        info(platform, CL_PLATFORM_NAME, 0, null_mut())
    });

    t.about("clIcdSetPlatformDispatchDataKHR");
    let set = |platform| unsafe { clIcdSetPlatformDispatchDataKHR(platform, null_mut()) };
    t.each(CL_INVALID_PLATFORM, "platform", w.no_platforms(), set);
    t.row(CL_INVALID_PLATFORM, "platform is NULL", set(null_mut()));

    t.about("clUnloadPlatformCompiler");
    let unload = |platform| unsafe { clUnloadPlatformCompiler(platform) };
    t.correct(unload(w.platform));
    t.each(CL_INVALID_PLATFORM, "platform", w.no_platforms(), unload);
    t.row(CL_INVALID_PLATFORM, "platform is NULL", unload(null_mut()));

    t.about("clUnloadCompiler");
    t.correct(unsafe { clUnloadCompiler() });
}
