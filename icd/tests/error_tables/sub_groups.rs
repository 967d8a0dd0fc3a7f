//! Sub-groups of kernels (5.9.4).

use crate::prelude::*;

/// The type that both functions have in common.
type Info = unsafe extern "C" fn(
    cl_kernel,
    cl_device_id,
    cl_kernel_sub_group_info,
    usize,
    *const c_void,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;

const WORD: usize = size_of::<usize>();

pub fn rows(t: &mut Table, w: &World) {
    t.about("clGetKernelSubGroupInfo");
    info_rows(t, w, clGetKernelSubGroupInfo);
    t.about("clGetKernelSubGroupInfoKHR");
    info_rows(t, w, clGetKernelSubGroupInfoKHR);
}

fn info_rows(t: &mut Table, w: &World, function: Info) {
    let local = [4usize, 2, 1, 1];
    // Each query answers with up to three words.
    let ask = |kernel, device, name, given, size: usize| unsafe {
        let (from, mut to) = (local.as_ptr().cast(), [0usize; 3]);
        let place = to.as_mut_ptr().cast();
        function(kernel, device, name, given, from, size, place, null_mut())
    };
    let most = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| ask(k, w.device, most, WORD, WORD));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices().into_iter().skip(1), |device| {
        ask(w.kernel, device, most, WORD, WORD)
    });
    if let Some(pair) = &w.pair {
        let got = ask(pair.kernel, null_mut(), most, WORD, WORD);
        t.row(CL_INVALID_DEVICE, "device is NULL and the kernel has several", got);
    }
    let mut count: cl_uint = 0;
    let (size, place) = (size_of::<cl_uint>(), (&raw mut count).cast());
    let name = CL_DEVICE_MAX_NUM_SUB_GROUPS;
    unsafe { clGetDeviceInfo(w.device, name, size, place, null_mut()) };
    if count == 0 {
        let got = ask(w.kernel, w.device, most, WORD, WORD);
        return t.row(CL_INVALID_OPERATION, "device does not support sub-groups", got);
    }
    t.correct(ask(w.kernel, null_mut(), most, WORD, WORD));
    let counted = CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
    let sized = CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    for (name, numbers) in [(most, 3), (counted, 3), (sized, 1)] {
        for given in 1..=numbers {
            t.correct(ask(w.kernel, w.device, name, given * WORD, WORD));
        }
        for given in [0, WORD - 1, (numbers + 1) * WORD] {
            let got = ask(w.kernel, w.device, name, given, WORD);
            t.row(CL_INVALID_VALUE, "input_value_size is not valid", got);
        }
        let mut to = [0usize; 3];
        let place = to.as_mut_ptr().cast();
        let got =
            unsafe { function(w.kernel, w.device, name, WORD, null(), WORD, place, null_mut()) };
        t.row(CL_INVALID_VALUE, "input_value is NULL", got);
    }
    for name in [most, counted, CL_KERNEL_MAX_NUM_SUB_GROUPS, CL_KERNEL_COMPILE_NUM_SUB_GROUPS] {
        t.correct(ask(w.kernel, w.device, name, WORD, WORD));
        let got = ask(w.kernel, w.device, name, WORD, WORD - 1);
        t.row(CL_INVALID_VALUE, "param_value_size is too small", got);
    }
    let got = ask(w.kernel, w.device, CL_KERNEL_WORK_GROUP_SIZE, WORD, WORD);
    t.row(CL_INVALID_VALUE, "param_name is not supported", got);
}
