//! Exports the C interface of a token cache around a Rust type, so that the harness can judge it.
//!
//! Implement [`TokenCache`] for the type, call [`export_lockstep!`] once, and build a `cdylib`.

#[doc(hidden)]
pub mod abi;

/// Never a token id. The wrapper refuses documents that hold it before they reach the cache.
pub const RESERVED_TOKEN: u32 = 0xFFFF_FFFF;

/// Two keys are the same scope only when all four fields are equal in all 64 bits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeKey {
    pub model: u64,
    pub tokenizer: u64,
    pub adapter: u64,
    pub tenant: u64,
}

/// A token cache in the shape of the serving engine's own type.
///
/// A panic in any of these is caught and reported as `INTERNAL`, with its message as the last
/// error; `propose`, `stored_tokens` and `scope_count`, which return no status, then give 0.
pub trait TokenCache: Sized {
    /// An error becomes `INVALID_ARGUMENT`, with the text as the last error.
    fn new(budget_bytes: u64, max_scopes: u64, key_len: u64) -> Result<Self, String>;

    /// `tokens` never holds [`RESERVED_TOKEN`].
    fn insert(&mut self, scope: ScopeKey, tokens: &[u32]);

    /// Returns at most `max_len` tokens. If it returns more, none past `max_len` is written, but
    /// their number is returned as it is: it is the harness's to see, not the wrapper's to hide.
    fn propose(&mut self, scope: &ScopeKey, history: &[u32], max_len: usize) -> Option<Vec<u32>>;

    fn stored_tokens(&self, scope: &ScopeKey) -> u64;

    fn scope_count(&self) -> usize;
}

/// What a cache unwinds with when it notices a failed allocation, before it has changed anything: it
/// becomes `RESOURCE_EXHAUSTED`.
#[derive(Debug)]
pub struct OutOfMemory;

impl OutOfMemory {
    /// Unwinds without the message on stderr that a panic prints.
    pub fn throw() -> ! {
        std::panic::resume_unwind(Box::new(OutOfMemory))
    }
}

/// `export_lockstep!(Type, "name")`: exports the whole C interface around `Type: TokenCache`.
#[macro_export]
macro_rules! export_lockstep {
    ($cache:ty, $name:literal) => {
        #[no_mangle]
        pub extern "C" fn lockstep_abi_version() -> u32 {
            1
        }

        #[no_mangle]
        pub extern "C" fn lockstep_impl_name() -> *const ::std::ffi::c_char {
            concat!($name, "\0").as_ptr().cast()
        }

        #[no_mangle]
        pub extern "C" fn lockstep_last_error() -> *const ::std::ffi::c_char {
            $crate::abi::last_error()
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_create(
            config: *const $crate::abi::Config,
            out: *mut *mut $cache,
        ) -> $crate::abi::Status {
            unsafe { $crate::abi::create(config, out) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_destroy(cache: *mut $cache) {
            unsafe { $crate::abi::destroy(cache) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_insert(
            cache: *mut $cache,
            scope: *const $crate::ScopeKey,
            tokens: *const u32,
            count: usize,
        ) -> $crate::abi::Status {
            unsafe { $crate::abi::insert(cache, scope, tokens, count) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_propose(
            cache: *mut $cache,
            scope: *const $crate::ScopeKey,
            history: *const u32,
            count: usize,
            out: *mut u32,
            max_len: usize,
        ) -> usize {
            unsafe { $crate::abi::propose(cache, scope, history, count, out, max_len) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_stored_tokens(
            cache: *const $cache,
            scope: *const $crate::ScopeKey,
        ) -> u64 {
            unsafe { $crate::abi::stored_tokens(cache, scope) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_scope_count(cache: *const $cache) -> usize {
            unsafe { $crate::abi::scope_count(cache) }
        }

        #[no_mangle]
        #[allow(clippy::missing_safety_doc)] // The C header says what is asked of the caller.
        pub unsafe extern "C" fn lockstep_cache_propose_batch(
            cache: *mut $cache,
            proposals: *mut $crate::abi::Proposal,
            count: usize,
        ) {
            unsafe { $crate::abi::propose_batch(cache, proposals, count) }
        }
    };
}
