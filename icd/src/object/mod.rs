//! Objects as C sees them: a dispatch pointer at the beginning, a reference count, and a handle that is checked against the set
//! of live objects before it is dereferenced.

pub mod callbacks;
pub mod notify;
mod recent;
pub mod registry;
pub mod slow_path;

use crate::cl::error::{fail, ClError, Result};
use crate::cl::*;
use notify::Notifier;
use std::any::Any;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::Arc;

/// A kind of OpenCL object, implemented by the type of the object's body.
pub trait Kind: Sized + Send + Sync + 'static {
    /// The C structure that handles of this kind point to.
    type Target;
    /// Error code for a handle that is not a live object of this kind.
    const INVALID: cl_int;

    /// Returns true if the handle is valid although the application holds no reference, because a query of another live object
    /// returns it (a buffer's context, a kernel's program).
    fn reachable(&self) -> bool {
        false
    }

    /// Returns the notifier of the object's context.
    fn notifier(&self) -> Option<&Arc<Notifier>> {
        None
    }

    /// Called once when the object is destroyed, with its handle.
    fn dropped(&mut self, _handle: *mut Self::Target) {}
}

/// The memory behind a handle.
///
/// Layout: cl_khr_icd 2.0 wants the dispatch table's address first and a word for the loader second.
#[repr(C)]
struct Object<T: Kind> {
    dispatch: *const c_void,
    dispatch_data: AtomicPtr<c_void>,
    /// The number of references that clRetain… and clRelease… count. Each of them is one strong reference.
    api_references: AtomicU32,
    registered: AtomicBool,
    body: T,
}

// SAFETY: `dispatch` points to an immutable static; everything else is Send and Sync by itself.
unsafe impl<T: Kind> Send for Object<T> {}
// SAFETY: `dispatch` points to an immutable static; everything else is Send and Sync by itself.
unsafe impl<T: Kind> Sync for Object<T> {}

impl<T: Kind> Drop for Object<T> {
    fn drop(&mut self) {
        let handle: *mut Object<T> = self;
        if *self.registered.get_mut() {
            registry::remove(handle as usize);
        }
        self.body.dropped(handle.cast());
    }
}

/// The address of the table that ICD loaders call through.
static DISPATCH_TABLE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the dispatch table of all objects. Must be called before the first object is created.
pub fn set_dispatch_table(table: *const c_void) {
    DISPATCH_TABLE.store(table.cast_mut(), Ordering::Release);
}

/// The word that a loader stores in every object of the platform (clIcdSetPlatformDispatchDataKHR).
static DISPATCH_DATA: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the loader's word for objects that are created from now on.
pub fn set_dispatch_data(data: *mut c_void) {
    DISPATCH_DATA.store(data, Ordering::Relaxed);
}

/// A counted reference from inside the library to an object.
pub struct Ref<T: Kind>(Arc<Object<T>>);

impl<T: Kind> Clone for Ref<T> {
    fn clone(&self) -> Self {
        Ref(self.0.clone())
    }
}

impl<T: Kind> Deref for Ref<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0.body
    }
}

impl<T: Kind> PartialEq for Ref<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Kind> Eq for Ref<T> {}

/// A reference that does not keep the object alive.
pub struct WeakRef<T: Kind>(std::sync::Weak<Object<T>>);

impl<T: Kind> Clone for WeakRef<T> {
    fn clone(&self) -> Self {
        WeakRef(self.0.clone())
    }
}

impl<T: Kind> WeakRef<T> {
    /// Returns the object, if it still lives.
    pub fn upgrade(&self) -> Option<Ref<T>> {
        self.0.upgrade().map(Ref)
    }

    /// Returns true if the application holds a reference, and the object thus lives.
    fn is_held(&self) -> bool {
        // SAFETY: a weak reference keeps the memory, and dropping an object leaves its count as it is: 0. The pointer is not null,
        // since every weak reference was made from an object.
        let count = unsafe {
            AtomicU32::from_ptr((&raw const (*self.0.as_ptr()).api_references).cast_mut().cast())
        };
        count.load(Ordering::Acquire) > 0
    }

    /// Returns true if `handle` is this object's handle, and the application holds a reference.
    pub fn is_of(&self, handle: *mut T::Target) -> bool {
        // This weak reference keeps the object's memory, so that no other object has the address.
        std::ptr::addr_eq(self.0.as_ptr(), handle) && self.is_held()
    }
}

/// A [`WeakRef`] to an object of any kind, for modules that must not know the kind.
pub struct ErasedWeakRef(std::sync::Weak<dyn Any + Send + Sync>);

impl ErasedWeakRef {
    /// Returns the object, if it still lives and is of this kind.
    pub fn upgrade<T: Kind>(&self) -> Option<Ref<T>> {
        self.0.upgrade()?.downcast().ok().map(Ref)
    }
}

impl<T: Kind> WeakRef<T> {
    /// Returns the same reference without its kind.
    pub fn erase(self) -> ErasedWeakRef {
        ErasedWeakRef(self.0)
    }
}

impl<T: Kind> Ref<T> {
    /// Returns a new object without a handle; see [`Ref::expose`].
    pub fn new(body: T) -> Ref<T> {
        Ref(Arc::new(Object {
            dispatch: DISPATCH_TABLE.load(Ordering::Acquire),
            dispatch_data: AtomicPtr::new(DISPATCH_DATA.load(Ordering::Relaxed)),
            api_references: AtomicU32::new(0),
            registered: AtomicBool::new(false),
            body,
        }))
    }

    /// Gives the application one reference and returns the handle.
    pub fn expose(&self) -> *mut T::Target {
        self.register();
        self.0.api_references.fetch_add(1, Ordering::AcqRel);
        // This strong reference belongs to the application until release().
        std::mem::forget(self.0.clone());
        self.handle()
    }

    /// Makes the handle known without giving the application a reference: it is valid while the object
    /// lives, if [`Kind::reachable`] says so.
    pub fn register(&self) -> *mut T::Target {
        if !self.0.registered.swap(true, Ordering::AcqRel) {
            registry::insert(self.address(), &self.0);
        }
        self.handle()
    }

    /// Returns the handle, for queries and callbacks. This adds no reference.
    pub fn handle(&self) -> *mut T::Target {
        Arc::as_ptr(&self.0).cast_mut().cast()
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Returns the object of a handle that C gave, or the kind's error code.
    // Nearly every entry point calls this function first.
    #[inline(always)]
    pub fn from_handle(handle: *mut T::Target) -> Result<Ref<T>> {
        let object = registry::find::<Object<T>>(handle as usize).ok_or(ClError(T::INVALID))?;
        let held = object.api_references.load(Ordering::Acquire) > 0;
        if !held && !object.body.reachable() {
            return fail(T::INVALID);
        }
        notify::enter(|| object.body.notifier());
        Ok(Ref(object))
    }

    /// Adds a reference of the application (clRetain…).
    pub fn retain(handle: *mut T::Target) -> Result<()> {
        Self::from_handle(handle)?.expose();
        Ok(())
    }

    /// Removes a reference of the application (clRelease…).
    // Rust 1.95 deprecates `fetch_update` in favour of a name that older versions lack.
    #[allow(deprecated)]
    pub fn release(handle: *mut T::Target) -> Result<()> {
        let object = Self::from_handle(handle)?;
        let one_less = |count: u32| count.checked_sub(1);
        let count = &object.0.api_references;
        if count.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_less).is_err() {
            return fail(T::INVALID);
        }
        // SAFETY: the count said that expose() forgot one strong reference that no release has
        // taken back; this takes it back.
        unsafe { Arc::decrement_strong_count(Arc::as_ptr(&object.0)) };
        Ok(())
    }

    /// Returns the count that CL_…_REFERENCE_COUNT reports.
    pub fn reference_count(&self) -> u32 {
        self.0.api_references.load(Ordering::Acquire)
    }

    /// Returns a reference that does not keep the object alive.
    pub fn downgrade(&self) -> WeakRef<T> {
        WeakRef(Arc::downgrade(&self.0))
    }

    /// Stores the loader's word in this object.
    pub fn set_dispatch_data(&self, data: *mut c_void) {
        self.0.dispatch_data.store(data, Ordering::Relaxed);
    }
}

/// A reference that counts as one of the application's, like a reference of clRetain….
pub struct Retained<T: Kind>(Ref<T>);

impl<T: Kind> Retained<T> {
    pub fn new(object: &Ref<T>) -> Retained<T> {
        object.expose();
        Retained(object.clone())
    }
}

impl<T: Kind> Deref for Retained<T> {
    type Target = Ref<T>;
    fn deref(&self) -> &Ref<T> {
        &self.0
    }
}

impl<T: Kind> Drop for Retained<T> {
    fn drop(&mut self) {
        // The release fails only if the application has released more references than it held.
        let _ = Ref::<T>::release(self.0.handle());
    }
}
