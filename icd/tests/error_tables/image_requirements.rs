//! Queries of the requirements of images (cl_ext_image_requirements_info).

use crate::images::{desc, FORMAT};
use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    t.about("clGetImageRequirementsInfoEXT");
    let ask = |context, properties: &[cl_mem_properties], flags, format, desc, name, room| {
        let mut value = [0u64; 2];
        let place = value.as_mut_ptr().cast();
        let properties = if properties.is_empty() { null() } else { properties.as_ptr() };
        unsafe {
            clGetImageRequirementsInfoEXT(
                context,
                properties,
                flags,
                format,
                desc,
                name,
                room,
                place,
                null_mut(),
            )
        }
    };
    let desc = desc();
    let size = CL_IMAGE_REQUIREMENTS_SIZE_EXT;
    let of = |format: *const cl_image_format, desc: *const cl_image_desc, name| {
        ask(w.context, &[], 0, format, desc, name, 8)
    };
    t.correct(of(&FORMAT, &desc, size));
    t.correct(ask(w.context, &[0], CL_MEM_KERNEL_READ_AND_WRITE, &FORMAT, &desc, size, 8));
    for name in [
        CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
        CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
        CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
    ] {
        t.correct(of(null(), null(), name));
        t.correct(of(&FORMAT, null(), name));
    }
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| {
        ask(context, &[], 0, &FORMAT, &desc, size, 8)
    });
    let got = ask(w.context, &[0x4242, 1, 0], 0, &FORMAT, &desc, size, 8);
    t.row(CL_INVALID_PROPERTY, "a property is not supported", got);
    for flags in [1 << 30, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY] {
        let got = ask(w.context, &[], flags, &FORMAT, &desc, size, 8);
        t.row(CL_INVALID_VALUE, "flags is not valid", got);
    }
    let bad = cl_image_format { image_channel_order: 7, ..FORMAT };
    let got = of(&bad, &desc, size);
    t.row(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is not valid", got);
    t.row(CL_INVALID_VALUE, "there is no format", of(null(), &desc, size));
    t.row(CL_INVALID_VALUE, "there is no descriptor", of(&FORMAT, null(), size));
    t.row(CL_INVALID_VALUE, "param_name is not valid", of(&FORMAT, &desc, 0x1234));
    let got = ask(w.context, &[], 0, &FORMAT, &desc, size, 4);
    t.row(CL_INVALID_VALUE, "param_value_size is too small", got);
    for bad in [
        cl_image_desc { image_type: CL_MEM_OBJECT_BUFFER, ..desc },
        cl_image_desc { image_type: 0, ..desc },
        cl_image_desc { num_samples: 4, ..desc },
        cl_image_desc { image_width: 0, ..desc },
        cl_image_desc { image_height: 1 << 30, ..desc },
        cl_image_desc { image_row_pitch: 3, ..desc },
    ] {
        let got = of(&FORMAT, &bad, size);
        t.row(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is not valid", got);
    }
    for (name, image_type) in [
        (CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D),
        (CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D_ARRAY),
        (CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D_BUFFER),
        (CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, CL_MEM_OBJECT_IMAGE2D),
        (CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, CL_MEM_OBJECT_IMAGE2D_ARRAY),
        (CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, CL_MEM_OBJECT_IMAGE3D),
    ] {
        let given = cl_image_desc { image_type, ..desc };
        let got = of(&FORMAT, &given, name);
        t.row(CL_INVALID_IMAGE_DESCRIPTOR, "the type has no such dimension", got);
    }
}
