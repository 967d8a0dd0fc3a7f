//! Tables of functions that are found by name at run time.

use super::Library;
use std::ffi::CStr;
use std::sync::OnceLock;

/// Returns the result of `look_up` for the first of these libraries that the process has loaded. The result is kept for later
/// calls. Loads no library.
pub(crate) fn of_process<T>(
    found: &'static OnceLock<T>,
    names: &[&CStr],
    look_up: impl FnOnce(&Library) -> Option<T>,
) -> Option<&'static T> {
    if let Some(found) = found.get() {
        return Some(found);
    }
    let library = names.iter().find_map(|name| Library::loaded(name))?;
    let functions = look_up(&library)?;
    Some(found.get_or_init(|| functions))
}

/// Declares a struct of C functions from their fields, names and types. `look_up` makes the struct with a function that finds
/// an address by its name, and returns `None` if a function is missing. The author of a table is responsible for the types.
macro_rules! function_table {
    ($(#[$doc:meta])* $table:ident { $($field:ident $name:literal: fn($($ty:ty),*) $(-> $ret:ty)?;)* }) => {
        $(#[$doc])*
        pub(super) struct $table {
            $(pub(super) $field: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
        }

        impl $table {
            /// Looks up all functions; `None` if one is missing.
            pub(super) fn look_up(
                find: impl Fn(&std::ffi::CStr) -> Option<*mut std::ffi::c_void>,
            ) -> Option<$table> {
                Some($table {
                    $($field: {
                        let address = find($name)?;
                        // SAFETY: the function of this name has this type, as the declaration of the table says.
                        unsafe {
                            std::mem::transmute::<
                                *mut std::ffi::c_void,
                                unsafe extern "C" fn($($ty),*) $(-> $ret)?,
                            >(address)
                        }
                    },)*
                })
            }
        }
    };
}

pub(crate) use function_table;
