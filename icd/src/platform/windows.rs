//! Windows.
//!
//! Differences: processes are not forked; files in memory are not mapped twice, so that devices that need this find no shared
//! memory of the host; exit() ends all other threads before any handler runs.

use super::Contents;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::windows::fs::FileExt;
use std::path::Path;

/// The variable that names the folder of temporary files, and its default.
pub const TEMPORARY: (&str, &str) = ("TEMP", r"C:\Windows\Temp");

/// The variable that names the folder which holds the user's caches, and the path of the caches in it.
pub const CACHES: (&str, &str) = ("LOCALAPPDATA", "");

/// True if handlers of [`at_exit`] run while other threads are still running.
pub const THREADS_OUTLIVE_EXIT: bool = false;

const MEM_COMMIT: u32 = 0x1000;
const MEM_RESERVE: u32 = 0x2000;
const MEM_RELEASE: u32 = 0x8000;
const PAGE_NOACCESS: u32 = 0x01;
const PAGE_READWRITE: u32 = 0x04;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(address: *mut c_void, size: usize, kind: u32, protection: u32) -> *mut c_void;
    fn LoadLibraryA(name: *const c_char) -> *mut c_void;
    fn GetModuleHandleA(name: *const c_char) -> *mut c_void;
    fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn GetModuleHandleExW(flags: u32, address: *const c_void, module: *mut *mut c_void) -> i32;
    fn VirtualFree(address: *mut c_void, size: usize, kind: u32) -> i32;
}

unsafe extern "C" {
    fn atexit(f: extern "C" fn()) -> c_int;
}

/// Where Vulkan loaders look for drivers: in no folder, since the registry names the drivers.
pub const VULKAN_MANIFESTS: &[&str] = &[];

/// The folder of the kernel drivers' files of GPUs: there is none.
pub const DEVICE_FILES: Option<&str> = None;

/// True if `.icd` files name drivers to the loader; here the registry does.
pub const HAS_ICD_FILES: bool = false;

/// Like [`CACHES`], for the user's settings.
pub const SETTINGS: (&str, &str) = ("APPDATA", "");

/// The OpenCL ICD loader.
pub const LOADER: &CStr = c"OpenCL.dll";

/// This library's name.
pub const LIBRARY: &str = "hekla.dll";

/// The library of EGL.
pub const EGL: &CStr = c"libEGL.dll";

/// The libraries of GLX: there are none.
pub const GLX: &[&CStr] = &[];

/// The library of X11: there is none.
pub const X11: &CStr = c"libX11.dll";

/// True if contexts of OpenGL can be shared: contexts of WGL cannot.
pub const SHARES_GL: bool = false;

/// A loaded library, which is never unloaded.
pub struct Library(*mut c_void);

impl Library {
    /// Loads a library by its name. The error is the system's own text.
    pub fn open(name: &CStr) -> Result<Library, String> {
        // SAFETY: the name is a string. What a library does when it is loaded is its own affair.
        let library = unsafe { LoadLibraryA(name.as_ptr()) };
        match library.is_null() {
            true => Err(io::Error::last_os_error().to_string()),
            false => Ok(Library(library)),
        }
    }

    /// Returns a library if the process has loaded it already.
    pub fn loaded(name: &CStr) -> Option<Library> {
        // SAFETY: the name is a string, and nothing is loaded.
        let library = unsafe { GetModuleHandleA(name.as_ptr()) };
        (!library.is_null()).then_some(Library(library))
    }

    /// Returns a symbol's address.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is loaded, the name a string.
        let address = unsafe { GetProcAddress(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

/// Files in memory, which Windows does not have here.
pub enum MemoryFile {}

impl MemoryFile {
    /// Returns `None`, since there are no such files.
    pub fn new(_: usize) -> Option<MemoryFile> {
        None
    }
}

/// Maps `size` bytes, whole pages, at `address`, or at any address if it is `None`. Returns the address; `None` if there is no
/// room, or if the process uses some of the pages.
pub fn map(address: Option<usize>, size: usize, contents: Contents<'_>) -> Option<usize> {
    let (kind, protection) = match contents {
        Contents::Nothing => (MEM_RESERVE, PAGE_NOACCESS),
        Contents::Own => (MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE),
        Contents::Of(file) => match *file {},
    };
    let wanted = address.unwrap_or(0) as *mut c_void;
    // SAFETY: new pages; what the process uses already is never given out again.
    let got = unsafe { VirtualAlloc(wanted, size, kind, protection) } as usize;
    if got == 0 {
        return None;
    }
    // The system rounds an address down to a multiple of 64 KiB.
    if address.is_some_and(|address| address != got) {
        // SAFETY: the pages were just made.
        unsafe { unmap(got, size) };
        return None;
    }
    Some(got)
}

/// Unmaps pages.
///
/// # Safety
/// Address and size come from one call of [`map`], and nobody uses the mapping.
pub unsafe fn unmap(address: usize, _: usize) {
    // SAFETY: as the caller promises; a size of 0 stands for all that was made at once.
    unsafe { VirtualFree(address as *mut c_void, 0, MEM_RELEASE) };
}

/// Returns false: the end of the main thread does not wait for devices.
pub fn is_main_thread() -> bool {
    false
}

/// Makes a function run when the process ends; no other thread runs any more then.
pub fn at_exit(f: extern "C" fn()) {
    // SAFETY: the function is one of this library, which calls it when it is unloaded, if that is earlier.
    unsafe { atexit(f) };
}

/// Does nothing, since processes are not forked.
pub fn at_fork(_: unsafe extern "C" fn()) {}

/// Ends the process with a status, and skips the remaining handlers of exit().
pub fn end_process(status: i32) {
    unsafe extern "C" {
        fn _exit(status: i32) -> !;
    }
    // SAFETY: a function of the C library; nothing of this process is used any more.
    unsafe { _exit(status) }
}

/// Does nothing, since processes are not forked.
pub fn end_at_exit(_: fn() -> bool) {}

/// Keeps this library loaded until the process ends, since its threads may be running.
pub fn keep_loaded() {
    const PIN: u32 = 0x1;
    const FROM_ADDRESS: u32 = 0x4;
    let here = keep_loaded as *const c_void;
    let mut module = std::ptr::null_mut();
    // SAFETY: the address is one of this module, the place valid for writing.
    unsafe { GetModuleHandleExW(PIN | FROM_ADDRESS, here, &mut module) };
}

/// Does nothing, since threads are not cancelled.
pub struct Uncancelled;

impl Uncancelled {
    pub fn begin() -> Uncancelled {
        Uncancelled
    }
}

/// Writes to the standard output.
pub fn print(text: &[u8]) {
    // If standard output is closed, there is no other place for the text.
    let _ = io::stdout().lock().write_all(text);
    let _ = io::stdout().lock().flush();
}

/// Makes a folder, and the folders above it. Others may not read it if it is in the user's own folder.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}

/// Creates a file; it must not exist yet.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens a file for writing and reading, and creates it if it does not exist.
pub fn open_sink(path: &Path, append: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(!append)
        .append(append)
        .create(true)
        .truncate(false)
        .open(path)
}

/// Returns true for every folder that exists: by default folders are in the user's own folder, which nobody else can change.
pub fn is_own_folder(path: &Path) -> io::Result<bool> {
    Ok(path.metadata()?.is_dir())
}

/// Succeeds, since there is no such limit.
pub fn check_file_size_limit(_: u64) -> io::Result<()> {
    Ok(())
}

/// Writes all bytes at an offset of a file.
pub fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

/// Returns true, since it is not known.
pub fn is_mapped(_: usize, _: usize) -> bool {
    true
}

/// Returns true, since it is not known.
pub fn has_battery() -> bool {
    true
}
