//! Linux, Android, macOS and their kin.

use super::{linux, Contents};
use std::ffi::{c_void, CStr};
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

pub use linux::{
    has_battery, is_main_thread, is_mapped, CACHES, DEVICE_FILES, LIBRARY, LOADER, SETTINGS,
    VULKAN_MANIFESTS,
};

/// The variable that names the folder of temporary files, and its default.
pub const TEMPORARY: (&str, &str) = ("TMPDIR", "/tmp");

/// True if handlers of [`at_exit`] run while other threads are still running.
pub const THREADS_OUTLIVE_EXIT: bool = true;

/// True if `.icd` files name drivers to the loader.
pub const HAS_ICD_FILES: bool = true;

/// The library of EGL.
pub const EGL: &CStr = c"libEGL.so.1";

/// The libraries of GLX, each of which has all of its functions.
pub const GLX: &[&CStr] = &[c"libGLX.so.0", c"libGL.so.1"];

/// The library of X11.
pub const X11: &CStr = c"libX11.so.6";

/// True if contexts of OpenGL can be shared: contexts of EGL and GLX can.
pub const SHARES_GL: bool = true;

/// A loaded library, which is never unloaded.
pub struct Library(*mut c_void);

impl Library {
    /// Loads a library by its name. The error is the system's own text.
    pub fn open(name: &CStr) -> Result<Library, String> {
        // SAFETY: the name is a string. What a library does when it is loaded is its own affair.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            // SAFETY: after a failure the text is there until the next call.
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(text.to_string_lossy().into_owned());
        }
        Ok(Library(library))
    }

    /// Returns a library if the process has loaded it already.
    pub fn loaded(name: &CStr) -> Option<Library> {
        let flags = libc::RTLD_NOW | libc::RTLD_NOLOAD;
        // SAFETY: the name is a string, and nothing is loaded.
        let library = unsafe { libc::dlopen(name.as_ptr(), flags) };
        (!library.is_null()).then_some(Library(library))
    }

    /// Returns a symbol's address.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is loaded, the name a string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

/// A file that exists in memory alone.
pub struct MemoryFile(OwnedFd);

impl MemoryFile {
    /// Returns a file of `size` zeros; `None` if the system cannot make one.
    pub fn new(size: usize) -> Option<MemoryFile> {
        let number = linux::memory_file();
        if number < 0 {
            return None;
        }
        // SAFETY: the system has just opened it for this function.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(number) });
        file.set_len(size.try_into().ok()?).ok()?;
        Some(MemoryFile(file.into()))
    }
}

/// Maps `size` bytes, whole pages, at `address`, or at any address if it is `None`. Returns the address; `None` if there is no
/// room, or if the process uses some of the pages.
pub fn map(address: Option<usize>, size: usize, contents: Contents<'_>) -> Option<usize> {
    let protection = match contents {
        Contents::Nothing => libc::PROT_NONE,
        Contents::Own | Contents::Of(_) => libc::PROT_READ | libc::PROT_WRITE,
    };
    let (sharing, file) = match contents {
        Contents::Nothing | Contents::Own => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
        Contents::Of(file) => (libc::MAP_SHARED, file.0.as_raw_fd()),
    };
    let fixed = if address.is_some() { linux::NO_REPLACE } else { 0 };
    let flags = sharing | libc::MAP_NORESERVE | fixed;
    let wanted = address.unwrap_or(0) as *mut c_void;
    // SAFETY: a new mapping, which leaves alone what is mapped already.
    let got = unsafe { libc::mmap(wanted, size, protection, flags, file, 0) };
    if got == libc::MAP_FAILED {
        return None;
    }
    let got = got as usize;
    // If the address is only a hint (systems and kernels without NOREPLACE), the pages may be at another one.
    if address.is_some_and(|address| address != got) {
        // SAFETY: the pages were just mapped.
        unsafe { unmap(got, size) };
        return None;
    }
    Some(got)
}

/// Unmaps pages.
///
/// # Safety
/// Address and size come from one call of [`map`], and nobody uses the mapping.
pub unsafe fn unmap(address: usize, size: usize) {
    // SAFETY: as the caller promises.
    unsafe { libc::munmap(address as *mut c_void, size) };
}

/// Makes a function run when the process ends.
pub fn at_exit(f: extern "C" fn()) {
    // SAFETY: the function is one of this library, which is never unloaded.
    unsafe { libc::atexit(f) };
}

/// Makes a function run in processes that are forked off this one.
pub fn at_fork(f: unsafe extern "C" fn()) {
    // SAFETY: callers give functions that do nothing that is not allowed after fork; the library is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(f)) };
}

/// Ends the process with a status: writes its files, and skips the remaining handlers of exit().
pub fn end_process(status: i32) {
    // SAFETY: null stands for all open streams; nothing of this process is used any more.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(status);
    }
}

/// Lets a process for which `is_over` returns true end at exit() without the handlers that were registered before, and with its
/// files written. Works only with the GNU C library: others do not pass the status to handlers.
pub fn end_at_exit(is_over: fn() -> bool) {
    #[cfg(target_env = "gnu")]
    gnu::end_at_exit(is_over);
    #[cfg(not(target_env = "gnu"))]
    let _ = is_over;
}

/// Functions that only the GNU C library has.
#[cfg(target_env = "gnu")]
mod gnu {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        /// Like atexit, but the function receives the status.
        fn on_exit(f: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }

    pub fn end_at_exit(is_over: fn() -> bool) {
        // SAFETY: the functions belong to this library, which is never unloaded.
        unsafe { on_exit(end, is_over as *mut c_void) };
    }

    extern "C" fn end(status: c_int, is_over: *mut c_void) {
        // SAFETY: the argument is the function that was registered.
        let is_over: fn() -> bool = unsafe { std::mem::transmute(is_over) };
        if is_over() {
            // SAFETY: null stands for all open streams; nothing of this process is used any more.
            unsafe {
                libc::fflush(std::ptr::null_mut());
                libc::_exit(status);
            }
        }
    }
}

/// Prevents the cancellation of this thread (pthread_cancel) until it is dropped: cancellation unwinds the thread's frames, and
/// the frames of this library must not unwind. A request to cancel waits until the call is over.
pub struct Uncancelled(#[cfg(not(target_os = "android"))] std::ffi::c_int);

#[cfg(not(target_os = "android"))]
unsafe extern "C" {
    /// POSIX: a thread's cancelability state.
    fn pthread_setcancelstate(state: std::ffi::c_int, old: *mut std::ffi::c_int)
        -> std::ffi::c_int;
}

#[cfg(not(target_os = "android"))]
impl Uncancelled {
    /// PTHREAD_CANCEL_DISABLE.
    const DISABLE: std::ffi::c_int = if cfg!(target_vendor = "apple") { 0 } else { 1 };

    #[inline]
    pub fn begin() -> Uncancelled {
        let mut old = Self::DISABLE;
        // SAFETY: the place is valid for writing.
        unsafe { pthread_setcancelstate(Self::DISABLE, &mut old) };
        Uncancelled(old)
    }
}

#[cfg(not(target_os = "android"))]
impl Drop for Uncancelled {
    #[inline]
    fn drop(&mut self) {
        let mut before = 0;
        // SAFETY: the state is one that the system gave.
        unsafe { pthread_setcancelstate(self.0, &mut before) };
    }
}

/// Android has no cancellation.
#[cfg(target_os = "android")]
impl Uncancelled {
    pub fn begin() -> Uncancelled {
        Uncancelled()
    }
}

/// Does nothing: the library is linked so that it stays loaded until the process ends.
pub fn keep_loaded() {}

/// Writes to C's own stream, so that the text keeps its position among the application's output.
pub fn print(text: &[u8]) {
    unsafe extern "C" {
        #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
        static stdout: *mut libc::FILE;
    }
    // SAFETY: the stream is C's, which keeps it valid and locks it for each call; the text is as
    // long as is said.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}

/// Makes a folder, and those above it, for this user alone.
pub fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates a file for this user alone; it must not exist yet.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a file for writing and reading, and creates it if it does not exist. It must be a regular file under this very name:
/// not a link to another file, and not a pipe, which would make the program wait.
///
/// # Errors
/// Errors of the system; `InvalidInput` for anything but a regular file.
pub fn open_sink(path: &Path, append: bool) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(!append)
        .append(append)
        .create(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Returns true if only this user can change a folder and its contents: the folder belongs to the user or the administrator,
/// and nobody else may write to it. The folders above it must not let others exchange it: nobody else may own them, or write to
/// them unless each user can remove only their own files there, as in `/tmp`.
///
/// # Errors
/// Errors of the system, also for a file that does not exist.
pub fn is_own_folder(path: &Path) -> io::Result<bool> {
    const STICKY: u32 = 0o1000;
    const OTHERS_WRITE: u32 = 0o002;
    const GROUP_WRITES: u32 = 0o020;
    // SAFETY: a query without preconditions.
    let user = unsafe { libc::geteuid() };
    let path = path.canonicalize()?;
    let metadata = path.metadata()?;
    let is_ours = |metadata: &Metadata| metadata.uid() == user || metadata.uid() == 0;
    if !metadata.is_dir()
        || !is_ours(&metadata)
        || metadata.mode() & (OTHERS_WRITE | GROUP_WRITES) != 0
    {
        return Ok(false);
    }
    for above in path.ancestors().skip(1) {
        let metadata = above.metadata()?;
        let is_open = metadata.mode() & OTHERS_WRITE != 0 && metadata.mode() & STICKY == 0;
        if !is_ours(&metadata) || is_open {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fails if a file of `size` bytes exceeds the limit on file sizes: writing beyond it would end the process with a
/// signal.
pub fn check_file_size_limit(size: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    match known && size > limit.rlim_cur {
        true => Err(io::Error::from_raw_os_error(libc::EFBIG)),
        false => Ok(()),
    }
}

/// Writes all bytes at an offset of a file.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}
