//! Functions of EGL, and of the OpenGL behind it, that a test calls.

/// Declares `Functions`, a table of functions by name with their types. `Functions::load` finds them in libEGL or by
/// eglGetProcAddress, and returns `None` where one is missing.
macro_rules! functions {
    ($($name:ident($($ty:ty),*) $(-> $ret:ty)?;)*) => {
        #[allow(non_snake_case)]
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
        }

        impl Functions {
            fn load() -> Option<Functions> {
                unsafe {
                    let library = libc::dlopen(c"libEGL.so.1".as_ptr(), libc::RTLD_NOW);
                    if library.is_null() {
                        return None;
                    }
                    let address = libc::dlsym(library, c"eglGetProcAddress".as_ptr());
                    type GetProcAddress = unsafe extern "C" fn(*const c_char) -> Handle;
                    let get = std::mem::transmute::<Handle, GetProcAddress>(address);
                    Some(Functions {
                        $($name: {
                            let name = concat!(stringify!($name), "\0").as_ptr().cast();
                            let own = libc::dlsym(library, name);
                            let address = if own.is_null() { get(name) } else { own };
                            if address.is_null() {
                                return None;
                            }
                            std::mem::transmute::<Handle, unsafe extern "C" fn($($ty),*) $(-> $ret)?>(address)
                        },)*
                    })
                }
            }
        }
    };
}
