//! Tables of functions that are found by name at run time.

use super::Library;
use std::ffi::CStr;
use std::sync::OnceLock;

/// Returns what `look_up` finds in the first of these libraries that the process has loaded, once it has found it. Loads none.
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

/// Declares a struct of functions of C: for each the field, the name and the type. `look_up` makes one with a function that
/// finds an address by its name; it returns `None` where one is missing. Whoever declares a table vouches for the types.
macro_rules! function_table {
    ($(#[$doc:meta])* $table:ident { $($field:ident $name:literal: fn($($ty:ty),*) $(-> $ret:ty)?;)* }) => {
        $(#[$doc])*
        pub(super) struct $table {
            $(pub(super) $field: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
        }

        impl $table {
            /// Looks all functions up; `None` where one is missing.
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
