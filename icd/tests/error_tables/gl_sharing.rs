//! Objects shared with OpenGL and EGL, and partitions: here no context comes from OpenGL, no object from either, no device has
//! parts. (`gl_sharing` and `egl_images` have the errors that take OpenGL.)

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    creation_rows(t, w);
    query_rows(t, w);
    command_rows(t, w);
    device_rows(t, w);
}

fn creation_rows(t: &mut Table, w: &World) {
    type Create = (&'static str, fn(cl_context) -> cl_int);
    let nothing = null_mut();
    let from_gl: [Create; 6] = [
        ("clCreateFromGLBuffer", |c| code(|e| unsafe { clCreateFromGLBuffer(c, 0, 1, e) })),
        ("clCreateFromGLTexture", |c| code(|e| unsafe { clCreateFromGLTexture(c, 0, 0, 0, 1, e) })),
        ("clCreateFromGLTexture2D", |c| {
            code(|e| unsafe { clCreateFromGLTexture2D(c, 0, 0, 0, 1, e) })
        }),
        ("clCreateFromGLTexture3D", |c| {
            code(|e| unsafe { clCreateFromGLTexture3D(c, 0, 0, 0, 1, e) })
        }),
        ("clCreateFromGLRenderbuffer", |c| {
            code(|e| unsafe { clCreateFromGLRenderbuffer(c, 0, 1, e) })
        }),
        ("clCreateEventFromGLsyncKHR", |c| {
            code(|e| unsafe { clCreateEventFromGLsyncKHR(c, null_mut(), e) })
        }),
    ];
    for (name, create) in from_gl {
        t.about(name);
        t.row(CL_INVALID_CONTEXT, "context is NULL", create(null_mut()));
        t.row(CL_INVALID_CONTEXT, "context is a queue", create(w.queue.cast()));
        t.row(CL_INVALID_CONTEXT, "context was not created from a GL context", create(w.context));
    }
    t.about("clCreateEventFromEGLSyncKHR");
    let create = |context| {
        code(|e| unsafe { clCreateEventFromEGLSyncKHR(context, null_mut(), null_mut(), e) })
    };
    t.row(CL_INVALID_CONTEXT, "context is NULL", create(null_mut()));
    t.row(CL_INVALID_CONTEXT, "context is a queue", create(w.queue.cast()));
    t.row(CL_INVALID_EGL_OBJECT_KHR, "sync is not a valid EGLSyncKHR object", create(w.context));
    t.about("clCreateFromEGLImageKHR");
    let create = |context| {
        code(|e| unsafe { clCreateFromEGLImageKHR(context, nothing, nothing, 0, null(), e) })
    };
    t.row(CL_INVALID_CONTEXT, "context is NULL", create(null_mut()));
    t.row(CL_INVALID_EGL_OBJECT_KHR, "image is not a valid EGLImage object", create(w.context));
}

fn query_rows(t: &mut Table, w: &World) {
    t.about("clGetGLObjectInfo");
    let object = |mem| unsafe { clGetGLObjectInfo(mem, null_mut(), null_mut()) };
    t.row(CL_INVALID_MEM_OBJECT, "memobj is NULL", object(null_mut()));
    t.row(CL_INVALID_GL_OBJECT, "no GL object is associated", object(w.buffer));
    t.about("clGetGLTextureInfo");
    let texture = |mem| unsafe { clGetGLTextureInfo(mem, 0x2004, 0, null_mut(), null_mut()) };
    t.row(CL_INVALID_MEM_OBJECT, "memobj is NULL", texture(null_mut()));
    t.row(CL_INVALID_GL_OBJECT, "no GL texture is associated", texture(w.buffer));
    t.about("clGetGLContextInfoKHR");
    let context = |list: &[isize], query| unsafe {
        clGetGLContextInfoKHR(list.as_ptr(), query, 0, null_mut(), null_mut())
    };
    let (name, egl, glx) =
        (CL_GL_CONTEXT_KHR as isize, CL_EGL_DISPLAY_KHR as isize, CL_GLX_DISPLAY_KHR as isize);
    let query = CL_DEVICES_FOR_GL_CONTEXT_KHR;
    let group = CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR;
    let list = [name, 1, egl, 1, 0];
    t.row(CL_INVALID_OPERATION, "the process has no such window system", context(&list, query));
    t.row(group, "no context is specified", context(&[0], query));
    let two = context(&[name, 1, egl, 1, glx, 1, 0], query);
    t.row(CL_INVALID_OPERATION, "two window-system bindings are specified", two);
    t.row(CL_INVALID_VALUE, "a property's name is invalid", context(&[0x1234, 1, 0], query));
    t.row(CL_INVALID_VALUE, "param_name is not supported", context(&list, 0x2005));
}

fn command_rows(t: &mut Table, w: &World) {
    type Command = unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_mem,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    let commands: [(&'static str, Command, cl_int); 4] = [
        ("clEnqueueAcquireGLObjects", clEnqueueAcquireGLObjects, CL_INVALID_GL_OBJECT),
        ("clEnqueueReleaseGLObjects", clEnqueueReleaseGLObjects, CL_INVALID_GL_OBJECT),
        ("clEnqueueAcquireEGLObjectsKHR", clEnqueueAcquireEGLObjectsKHR, CL_INVALID_EGL_OBJECT_KHR),
        ("clEnqueueReleaseEGLObjectsKHR", clEnqueueReleaseEGLObjectsKHR, CL_INVALID_EGL_OBJECT_KHR),
    ];
    for (name, function, foreign) in commands {
        t.about(name);
        let call = |queue, count, list: *const cl_mem, waits: Waits| unsafe {
            function(queue, count, list, waits.count, waits.list, null_mut())
        };
        let none = Waits::NONE;
        t.correct(call(w.queue, 0, null(), none));
        t.wait_lists(w, |waits| call(w.queue, 0, null(), waits));
        t.row(CL_INVALID_COMMAND_QUEUE, "NULL", call(null_mut(), 0, null(), none));
        t.row(CL_INVALID_VALUE, "no list", call(w.queue, 1, null(), none));
        t.row(CL_INVALID_VALUE, "num_objects is 0", call(w.queue, 0, &w.buffer, none));
        let wrong = call(w.queue, 1, &w.queue.cast(), none);
        t.row(CL_INVALID_MEM_OBJECT, "a queue is no memory object", wrong);
        let other = call(w.queue, 1, &w.other.buffer, none);
        t.row(CL_INVALID_MEM_OBJECT, "a memory object of another context", other);
        t.row(foreign, "the object was not created from one", call(w.queue, 1, &w.buffer, none));
    }
}

fn device_rows(t: &mut Table, w: &World) {
    t.about("clCreateSubDevicesEXT");
    let create = |device, list: *const cl_device_partition_property_ext| unsafe {
        clCreateSubDevicesEXT(device, list, 0, null_mut(), null_mut())
    };
    let equally = [0x4050, 1, 0];
    t.row(CL_INVALID_DEVICE, "in_device is NULL", create(null_mut(), equally.as_ptr()));
    t.row(CL_INVALID_VALUE, "properties is NULL", create(w.device, null()));
    let unsupported = create(w.device, equally.as_ptr());
    t.row(CL_INVALID_VALUE, "the partition is not supported", unsupported);
    type Count = unsafe extern "C" fn(cl_device_id) -> cl_int;
    let counts: [(&'static str, Count); 2] =
        [("clRetainDeviceEXT", clRetainDeviceEXT), ("clReleaseDeviceEXT", clReleaseDeviceEXT)];
    for (name, count) in counts {
        t.about(name);
        t.correct(unsafe { count(w.device) });
        t.row(CL_INVALID_DEVICE, "device is NULL", unsafe { count(null_mut()) });
    }
}
