//! The exported functions around a cache that misbehaves on request.

use std::ffi::CStr;
use std::ptr;

use lockstep_export::abi::{Config, Proposal, Status};
use lockstep_export::{export_lockstep, OutOfMemory, ScopeKey, TokenCache};

const SCOPE: ScopeKey = ScopeKey { model: 1, tokenizer: 2, adapter: 3, tenant: 4 };

/// Returns the last document as the draft; some first tokens make it panic.
struct Moody(Vec<u32>);

impl TokenCache for Moody {
    fn new(budget_bytes: u64, max_scopes: u64, _key_len: u64) -> Result<Self, String> {
        match (budget_bytes, max_scopes) {
            (0, _) => Err("no budget".to_string()),
            (_, 0) => panic!("divided by {max_scopes}"),
            _ => Ok(Moody(Vec::new())),
        }
    }

    fn insert(&mut self, _scope: ScopeKey, tokens: &[u32]) {
        match tokens.first() {
            Some(13) => panic!("thirteen"),
            Some(14) => OutOfMemory::throw(),
            _ => self.0 = tokens.to_vec(),
        }
    }

    fn propose(&mut self, _: &ScopeKey, history: &[u32], max_len: usize) -> Option<Vec<u32>> {
        assert!(history.len() < 4, "too long a history");
        let len = if history.is_empty() { max_len.min(self.0.len()) } else { self.0.len() };
        Some(self.0[..len].to_vec())
    }

    fn stored_tokens(&self, _scope: &ScopeKey) -> u64 {
        self.0.len() as u64
    }

    fn scope_count(&self) -> usize {
        1
    }
}

export_lockstep!(Moody, "moody");

fn last_error() -> String {
    unsafe { CStr::from_ptr(lockstep_last_error()) }.to_str().unwrap().to_string()
}

fn create(budget_bytes: u64, max_scopes: u64) -> (Status, *mut Moody) {
    let config = Config { budget_bytes, max_scopes, key_len: 1 };
    let mut cache = ptr::NonNull::dangling().as_ptr();
    let status = unsafe { lockstep_cache_create(&config, &mut cache) };
    (status, cache)
}

fn insert(cache: *mut Moody, tokens: &[u32]) -> Status {
    unsafe { lockstep_cache_insert(cache, &SCOPE, tokens.as_ptr(), tokens.len()) }
}

#[test]
fn bad_configuration_is_invalid_argument() {
    assert_eq!(last_error(), "");
    assert_eq!(create(0, 1), (Status::InvalidArgument, ptr::null_mut()));
    assert_eq!(last_error(), "no budget");
}

#[test]
fn panic_in_new_is_internal() {
    assert_eq!(create(1, 0), (Status::Internal, ptr::null_mut()));
    assert_eq!(last_error(), "divided by 0");
}

#[test]
fn panic_in_insert_is_internal_and_out_of_memory_is_not() {
    let (_, cache) = create(1, 1);
    assert_eq!(insert(cache, &[13]), Status::Internal);
    assert_eq!(last_error(), "thirteen");
    assert_eq!(insert(cache, &[14]), Status::ResourceExhausted);
    assert_eq!(insert(cache, &[15, 16]), Status::Ok);
    assert_eq!(unsafe { lockstep_cache_stored_tokens(cache, &SCOPE) }, 2);
    unsafe { lockstep_cache_destroy(cache) };
}

#[test]
fn reserved_token_never_reaches_the_cache() {
    let (_, cache) = create(1, 1);
    assert_eq!(insert(cache, &[1, 2]), Status::Ok);
    assert_eq!(insert(cache, &[3, u32::MAX]), Status::InvalidArgument);
    assert!(last_error().contains("reserved"));
    let mut out = [9; 3];
    let count = unsafe {
        lockstep_cache_propose(cache, &SCOPE, ptr::null(), 0, out.as_mut_ptr(), out.len())
    };
    assert_eq!((count, out), (2, [1, 2, 9]));
    unsafe { lockstep_cache_destroy(cache) };
}

#[test]
fn nothing_is_written_past_max_len_and_too_long_a_draft_stays_visible() {
    let (_, cache) = create(1, 1);
    assert_eq!(insert(cache, &[1, 2, 3]), Status::Ok);
    let mut out = [9; 3];
    let count =
        unsafe { lockstep_cache_propose(cache, &SCOPE, [5].as_ptr(), 1, out.as_mut_ptr(), 2) };
    assert_eq!((count, out), (3, [1, 2, 9]));
    unsafe { lockstep_cache_destroy(cache) };
}

#[test]
fn null_arrays_and_a_null_cache_are_fine() {
    let (_, cache) = create(1, 1);
    unsafe {
        assert_eq!(lockstep_cache_insert(cache, &SCOPE, ptr::null(), 0), Status::Ok);
        let count = lockstep_cache_propose(cache, &SCOPE, ptr::null(), 0, ptr::null_mut(), 0);
        assert_eq!(count, 0);
        lockstep_cache_destroy(cache);
        lockstep_cache_destroy(ptr::null_mut());
    }
}

#[test]
fn batch_runs_in_order_and_a_panic_gives_nothing() {
    let (_, cache) = create(1, 1);
    assert_eq!(insert(cache, &[1, 2]), Status::Ok);
    let long = [0; 4];
    let mut out = [9; 4];
    let one = |history: *const u32, count, out: *mut u32| Proposal {
        scope: SCOPE,
        history,
        count,
        out,
        max_len: 2,
        written: 77,
    };
    let mut batch = [
        one(long.as_ptr(), 4, out.as_mut_ptr()),
        one(ptr::null(), 0, unsafe { out.as_mut_ptr().add(2) }),
    ];
    unsafe { lockstep_cache_propose_batch(cache, batch.as_mut_ptr(), 2) };
    assert_eq!((batch[0].written, batch[1].written, out), (0, 2, [9, 9, 1, 2]));
    assert_eq!(last_error(), "too long a history");
    unsafe { lockstep_cache_destroy(cache) };
}
