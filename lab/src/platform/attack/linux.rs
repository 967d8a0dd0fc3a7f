//! Linux: its C library's functions.

use super::{Limit, DEATH};
use std::ffi::{c_int, c_void, CString};
use std::io;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest number of frames of a stack that are reported.
const FRAMES: usize = 96;
/// Signals that end a process in which something went wrong. By SIGABRT a parent also makes a hanging process report
/// where it is.
const DEADLY: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS];

/// Makes this process write to standard error where a deadly signal struck, as lines of text: [`DEATH`] and the signal,
/// `pc ADDRESS`, `at ADDRESS` for every frame, the innermost first, `maps`, and /proc/self/maps.
pub fn report_death() {
    // Libraries that backtrace() loads at its first call must not be loaded in a handler.
    let mut frame = null_mut();
    // SAFETY: there is room for one frame.
    unsafe { libc::backtrace(&mut frame, 1) };
    for signal in DEADLY {
        // SAFETY: zero is a valid value of the struct, whose other fields are set here; the handler calls what
        // handlers may call.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_death as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(signal, &action, null_mut());
        }
    }
}

extern "C" fn on_death(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    // Several threads of a driver may be struck at once: one of them reports.
    while TOLD.swap(true, Ordering::Relaxed) {
        // SAFETY: it only waits.
        unsafe { libc::pause() };
    }
    write(DEATH.as_bytes());
    write(&[b'0' + (signal / 10) as u8, b'0' + (signal % 10) as u8, b'\n']);
    line(b"pc ", program_counter(context));
    let mut frames = [null_mut(); FRAMES];
    // SAFETY: there is room for that many frames.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as c_int) };
    for frame in &frames[..count.max(0) as usize] {
        line(b"at ", *frame as usize);
    }
    write(b"maps\n");
    copy_maps();
    // SAFETY: handlers may call these. The signal is blocked until this handler returns, and then ends the process.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Returns the address at which a signal struck; 0 on processors for which it is not known how to find the address.
fn program_counter(context: *mut c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the kernel gives handlers the context.
    return unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] as usize };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the kernel gives handlers the context.
    return unsafe { (*context).uc_mcontext.pc as usize };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return context as usize & 0;
}

fn write(bytes: &[u8]) {
    // SAFETY: the bytes are there. What cannot be written is not.
    unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
}

/// Writes a word and an address in hexadecimal digits.
fn line(word: &[u8], address: usize) {
    let mut digits = [0; 17];
    for (index, digit) in digits[..16].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[address >> (60 - 4 * index) & 15];
    }
    digits[16] = b'\n';
    write(word);
    write(&digits);
}

fn copy_maps() {
    // SAFETY: the path ends with a zero, and the buffer is as large as read is told.
    unsafe {
        let file = libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY);
        let mut buffer = [0u8; 2048];
        loop {
            let read = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            if read <= 0 {
                break;
            }
            write(&buffer[..read as usize]);
        }
    }
}

/// Makes a hanging child report where it hangs, and end.
pub fn ask_to_die(child: &std::process::Child) {
    // SAFETY: the child has not been waited for, so its number is its own.
    unsafe { libc::kill(child.id() as i32, libc::SIGABRT) };
}

/// Limits a resource of this process; what the process has already counts. Without a number the limit is lifted.
pub fn limit(what: Limit, most: Option<u64>) -> io::Result<()> {
    let resource = match what {
        Limit::Memory => libc::RLIMIT_AS,
        Limit::FileSize => libc::RLIMIT_FSIZE,
        Limit::Files => libc::RLIMIT_NOFILE,
        Limit::Threads => libc::RLIMIT_NPROC,
    };
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the place is there.
    result(unsafe { libc::getrlimit(resource, &mut limit) })?;
    limit.rlim_cur = most.unwrap_or(limit.rlim_max).min(limit.rlim_max);
    // SAFETY: the place is there.
    result(unsafe { libc::setrlimit(resource, &limit) })
}

/// Returns the number of bytes of this process' address space.
pub fn address_space() -> io::Result<u64> {
    statm("self", 0)
}

/// Returns the number of bytes of memory that a process uses.
pub fn resident(process: u32) -> io::Result<u64> {
    statm(&process.to_string(), 1)
}

fn statm(process: &str, field: usize) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm"))?;
    let pages = text.split(' ').nth(field).and_then(|pages| pages.parse::<u64>().ok());
    // SAFETY: it only asks.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    pages.map(|pages| pages * page).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns how many hundredths of a second of processor time a process has used, all threads together.
pub fn ticks(process: u32) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in brackets, may have spaces.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
    match (number(11), number(12)) {
        (Some(user), Some(system)) => Ok(user + system),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

fn result(code: c_int) -> io::Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn path(path: &Path) -> io::Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// Makes a named pipe.
pub fn make_fifo(place: &Path) -> io::Result<()> {
    // SAFETY: the path ends with a zero.
    result(unsafe { libc::mkfifo(path(place)?.as_ptr(), 0o600) })
}

/// Sets the permissions of a file's owner, group and others.
pub fn set_mode(place: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode))
}

/// Gives a file to another user; only root can.
pub fn give(place: &Path, user: u32) -> io::Result<()> {
    std::os::unix::fs::lchown(place, Some(user), Some(user))
}

/// Makes this process run as another user; only root can.
pub fn become_user(user: u32) -> io::Result<()> {
    // SAFETY: no other thread relies on whose this process is.
    unsafe {
        result(libc::setgroups(0, std::ptr::null()))?;
        result(libc::setgid(user))?;
        result(libc::setuid(user))
    }
}

/// Returns true if this process is root's.
pub fn is_root() -> bool {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() == 0 }
}

/// Mounts a file system in memory, of a size in bytes, on a folder; only root can.
pub fn mount_small(folder: &Path, bytes: u64) -> io::Result<()> {
    let options = CString::new(format!("size={bytes},mode=700"))?;
    let (kind, folder) = (c"tmpfs".as_ptr(), path(folder)?);
    // SAFETY: all texts end with a zero.
    result(unsafe { libc::mount(kind, folder.as_ptr(), kind, 0, options.as_ptr().cast()) })
}

/// Unmounts the file system of a folder, even if it is in use.
pub fn unmount(folder: &Path) -> io::Result<()> {
    // SAFETY: the path ends with a zero.
    result(unsafe { libc::umount2(path(folder)?.as_ptr(), libc::MNT_DETACH) })
}

/// Closes the standard streams.
pub fn close_standard_streams() {
    for file in 0..3 {
        // SAFETY: what writes to them is told that they are closed, and nothing of memory depends on them.
        unsafe { libc::close(file) };
    }
}

/// Sends this process SIGALRM every `microseconds` from now on, to a handler that does nothing and lets system calls be
/// interrupted.
pub fn interrupt_always(microseconds: u32) {
    extern "C" fn nothing(_: c_int) {}
    let every = libc::timeval { tv_sec: 0, tv_usec: microseconds.into() };
    let timer = libc::itimerval { it_interval: every, it_value: every };
    // SAFETY: zero is a valid value of the struct; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigaction(libc::SIGALRM, &action, null_mut());
        libc::setitimer(libc::ITIMER_REAL, &timer, null_mut());
    }
}

/// Runs a function in a fork of this process, and returns the status of waitpid: 0 if the function returned. Kills the
/// fork and returns `None` if it has not ended within `seconds`.
pub fn fork_and_run(seconds: u32, run: impl FnOnce()) -> io::Result<Option<i32>> {
    // SAFETY: the child calls what the attack is about, and ends without the handlers of exit().
    unsafe {
        match libc::fork() {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                run();
                libc::_exit(0)
            }
            child => {
                for _ in 0..seconds * 100 {
                    let mut status = 0;
                    if libc::waitpid(child, &mut status, libc::WNOHANG) == child {
                        return Ok(Some(status));
                    }
                    std::thread::sleep(std::time::Duration::from_millis(10));
                }
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, null_mut(), 0);
                Ok(None)
            }
        }
    }
}

/// Address space without memory, which reads as zeros.
pub struct Zeros {
    place: *mut u8,
    bytes: usize,
}

impl Zeros {
    /// Reserves address space; returns an error if there is not enough.
    pub fn new(bytes: usize) -> io::Result<Zeros> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping, of no file.
        let place = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        match place == libc::MAP_FAILED {
            true => Err(io::Error::last_os_error()),
            false => Ok(Zeros { place: place.cast(), bytes }),
        }
    }

    /// Returns the address of the first byte.
    pub fn place(&self) -> *mut u8 {
        self.place
    }

    /// Returns all bytes; the first ones are set to `head`.
    pub fn with(&self, head: &[u8]) -> &[u8] {
        let length = head.len().min(self.bytes);
        // SAFETY: the mapping has that many bytes, which nobody else has a reference to while they are written.
        unsafe {
            std::ptr::copy_nonoverlapping(head.as_ptr(), self.place, length);
            std::slice::from_raw_parts(self.place, self.bytes)
        }
    }
}

impl Drop for Zeros {
    fn drop(&mut self) {
        // SAFETY: nobody refers to the mapping any more.
        unsafe { libc::munmap(self.place.cast(), self.bytes) };
    }
}

/// Ignores the signal that a write beyond the limit on files raises: the write fails.
pub fn ignore_large_files() {
    // SAFETY: no handler is given.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Runs `wait` in a thread that is cancelled during the call, then `complete` in this thread, and waits for the thread's end.
pub fn cancel(wait: &dyn Fn(), complete: &dyn Fn()) -> io::Result<()> {
    extern "C" fn start(wait: *mut c_void) -> *mut c_void {
        // SAFETY: it is the place below, which outlives the thread.
        let wait = unsafe { *wait.cast::<&dyn Fn()>() };
        wait();
        null_mut()
    }
    let mut thread: libc::pthread_t = 0;
    let place = (&raw const wait).cast_mut().cast();
    // SAFETY: the thread is joined here, so that what it refers to is there.
    unsafe {
        let code = libc::pthread_create(&mut thread, std::ptr::null(), start, place);
        if code != 0 {
            return Err(io::Error::from_raw_os_error(code));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        libc::pthread_cancel(thread);
        std::thread::sleep(std::time::Duration::from_millis(20));
        complete();
        libc::pthread_join(thread, null_mut());
    }
    Ok(())
}
