//! The functions of OpenGL and OpenGL ES that sharing needs. OpenGL 3.2 and OpenGL ES 3.1 have all of them, except for the
//! functions in tables of their own.

use crate::platform::function_table;
use std::ffi::{c_char, c_void};

type Sync = *mut c_void;

function_table! {
    /// The functions that OpenGL 3.2 and OpenGL ES 3.1 have in common.
    Functions {
        error c"glGetError": fn() -> u32;
        string c"glGetString": fn(u32) -> *const c_char;
        string_at c"glGetStringi": fn(u32, u32) -> *const c_char;
        integer c"glGetIntegerv": fn(u32, *mut i32);
        finish c"glFinish": fn();
        pixel_store c"glPixelStorei": fn(u32, i32);
        is_sync c"glIsSync": fn(Sync) -> u8;
        wait_sync c"glClientWaitSync": fn(Sync, u32, u64) -> u32;
        delete_sync c"glDeleteSync": fn(Sync);

        gen_buffers c"glGenBuffers": fn(i32, *mut u32);
        delete_buffers c"glDeleteBuffers": fn(i32, *const u32);
        is_buffer c"glIsBuffer": fn(u32) -> u8;
        bind_buffer c"glBindBuffer": fn(u32, u32);
        buffer_parameter c"glGetBufferParameteri64v": fn(u32, u32, *mut i64);
        buffer_data c"glBufferData": fn(u32, isize, *const c_void, u32);
        buffer_sub_data c"glBufferSubData": fn(u32, isize, isize, *const c_void);
        copy_buffer c"glCopyBufferSubData": fn(u32, u32, isize, isize, isize);
        map_buffer c"glMapBufferRange": fn(u32, isize, isize, u32) -> *mut c_void;
        unmap_buffer c"glUnmapBuffer": fn(u32) -> u8;

        gen_textures c"glGenTextures": fn(i32, *mut u32);
        delete_textures c"glDeleteTextures": fn(i32, *const u32);
        is_texture c"glIsTexture": fn(u32) -> u8;
        bind_texture c"glBindTexture": fn(u32, u32);
        texture_integer c"glTexParameteri": fn(u32, u32, i32);
        texture_parameter c"glGetTexParameteriv": fn(u32, u32, *mut i32);
        level_parameter c"glGetTexLevelParameteriv": fn(u32, i32, u32, *mut i32);
        image_2d c"glTexImage2D": fn(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
        sub_image_2d c"glTexSubImage2D":
            fn(u32, i32, i32, i32, i32, i32, u32, u32, *const c_void);
        sub_image_3d c"glTexSubImage3D":
            fn(u32, i32, i32, i32, i32, i32, i32, i32, u32, u32, *const c_void);

        is_renderbuffer c"glIsRenderbuffer": fn(u32) -> u8;
        bind_renderbuffer c"glBindRenderbuffer": fn(u32, u32);
        renderbuffer_parameter c"glGetRenderbufferParameteriv": fn(u32, u32, *mut i32);

        gen_framebuffers c"glGenFramebuffers": fn(i32, *mut u32);
        delete_framebuffers c"glDeleteFramebuffers": fn(i32, *const u32);
        bind_framebuffer c"glBindFramebuffer": fn(u32, u32);
        framebuffer_status c"glCheckFramebufferStatus": fn(u32) -> u32;
        attach_texture c"glFramebufferTexture2D": fn(u32, u32, u32, u32, i32);
        attach_layer c"glFramebufferTextureLayer": fn(u32, u32, u32, i32, i32);
        attach_renderbuffer c"glFramebufferRenderbuffer": fn(u32, u32, u32, u32);
        draw_buffers c"glDrawBuffers": fn(i32, *const u32);
        read_buffer c"glReadBuffer": fn(u32);
        read_pixels c"glReadPixels": fn(i32, i32, i32, i32, u32, u32, *mut c_void);
        blit c"glBlitFramebuffer": fn(i32, i32, i32, i32, i32, i32, i32, i32, u32, u32);
    }
}

function_table! {
    /// The functions that set fences in the application's own context.
    Fencing {
        fence c"glFenceSync": fn(u32, u32) -> Sync;
        flush c"glFlush": fn();
    }
}

function_table! {
    /// The functions of OpenGL 3.2 that OpenGL ES lacks.
    Desktop {
        image c"glGetTexImage": fn(u32, i32, u32, u32, *mut c_void);
        sub_image_1d c"glTexSubImage1D": fn(u32, i32, i32, i32, u32, u32, *const c_void);
        clamp_color c"glClampColor": fn(u32, u32);
    }
}

function_table! {
    /// The function that reports the devices of a context (GL_EXT_memory_object).
    Devices {
        bytes_at c"glGetUnsignedBytei_vEXT": fn(u32, u32, *mut u8);
    }
}
