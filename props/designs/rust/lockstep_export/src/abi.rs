//! What the exported functions do, for any cache. Everything unsafe is in this file; each function
//! trusts its caller with what the C header asks of one.
#![allow(clippy::missing_safety_doc)]

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::{ptr, slice};

use crate::{OutOfMemory, ScopeKey, TokenCache, RESERVED_TOKEN};

#[cfg(panic = "abort")]
compile_error!("panic = \"abort\" cannot be caught at the C interface; build with \"unwind\"");

#[repr(C)]
pub struct Config {
    pub budget_bytes: u64,
    pub max_scopes: u64,
    pub key_len: u64,
}

#[repr(C)]
pub struct Proposal {
    pub scope: ScopeKey,
    pub history: *const u32,
    pub count: usize,
    pub out: *mut u32,
    pub max_len: usize,
    pub written: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    InvalidArgument = 1,
    ResourceExhausted = 2,
    Internal = 3,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

pub fn last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

fn fail(status: Status, why: &str) -> Status {
    let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
    LAST_ERROR.with(|last| *last.borrow_mut() = text);
    status
}

fn report(panic: Box<dyn Any + Send>) -> Status {
    if panic.is::<OutOfMemory>() {
        return fail(Status::ResourceExhausted, "out of memory; lower budget_bytes");
    }
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "a panic without a message",
    };
    let status = fail(Status::Internal, text);
    // What was thrown may itself panic when it is dropped.
    std::mem::forget(panic);
    status
}

fn guarded<R>(body: impl FnOnce() -> R) -> Result<R, Status> {
    catch_unwind(AssertUnwindSafe(body)).map_err(report)
}

/// A null array is fine when its count is 0, which a Rust slice does not allow.
unsafe fn tokens_at<'a>(tokens: *const u32, count: usize) -> &'a [u32] {
    if count == 0 {
        &[]
    } else {
        slice::from_raw_parts(tokens, count)
    }
}

pub unsafe fn create<T: TokenCache>(config: *const Config, out: *mut *mut T) -> Status {
    *out = ptr::null_mut();
    let config = &*config;
    let made =
        guarded(|| T::new(config.budget_bytes, config.max_scopes, config.key_len).map(Box::new));
    match made {
        Ok(Ok(cache)) => {
            *out = Box::into_raw(cache);
            Status::Ok
        }
        Ok(Err(why)) => fail(Status::InvalidArgument, &why),
        Err(status) => status,
    }
}

pub unsafe fn destroy<T: TokenCache>(cache: *mut T) {
    if !cache.is_null() {
        let _ = guarded(|| drop(Box::from_raw(cache)));
    }
}

pub unsafe fn insert<T: TokenCache>(
    cache: *mut T,
    scope: *const ScopeKey,
    tokens: *const u32,
    count: usize,
) -> Status {
    let tokens = tokens_at(tokens, count);
    if tokens.contains(&RESERVED_TOKEN) {
        let why = "the document holds the reserved token 0xFFFFFFFF; leave it out";
        return fail(Status::InvalidArgument, why);
    }
    match guarded(|| (*cache).insert(*scope, tokens)) {
        Ok(()) => Status::Ok,
        Err(status) => status,
    }
}

pub unsafe fn propose<T: TokenCache>(
    cache: *mut T,
    scope: *const ScopeKey,
    history: *const u32,
    count: usize,
    out: *mut u32,
    max_len: usize,
) -> usize {
    let history = tokens_at(history, count);
    let Ok(Some(draft)) = guarded(|| (*cache).propose(&*scope, history, max_len)) else {
        return 0;
    };
    let written = draft.len().min(max_len);
    if written > 0 {
        ptr::copy_nonoverlapping(draft.as_ptr(), out, written);
    }
    draft.len()
}

pub unsafe fn stored_tokens<T: TokenCache>(cache: *const T, scope: *const ScopeKey) -> u64 {
    guarded(|| (*cache).stored_tokens(&*scope)).unwrap_or(0)
}

pub unsafe fn scope_count<T: TokenCache>(cache: *const T) -> usize {
    guarded(|| (*cache).scope_count()).unwrap_or(0)
}

pub unsafe fn propose_batch<T: TokenCache>(cache: *mut T, proposals: *mut Proposal, count: usize) {
    for index in 0..count {
        let one = &mut *proposals.add(index);
        one.written = propose(cache, &one.scope, one.history, one.count, one.out, one.max_len);
    }
}
