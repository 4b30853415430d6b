//! The glue: everything that exporting a cache of one's own takes.

pub mod cache;
mod scope;

use cache::{Key, SimpleCache};
use lockstep_export::{export_lockstep, ScopeKey, TokenCache};

fn key(scope: &ScopeKey) -> Key {
    let &ScopeKey { model, tokenizer, adapter, tenant } = scope;
    Key { model, tokenizer, adapter, tenant }
}

impl TokenCache for SimpleCache {
    fn new(budget_bytes: u64, max_scopes: u64, key_len: u64) -> Result<Self, String> {
        SimpleCache::new(budget_bytes, max_scopes, key_len)
    }
    fn insert(&mut self, scope: ScopeKey, tokens: &[u32]) {
        SimpleCache::insert(self, key(&scope), tokens)
    }
    fn propose(&mut self, scope: &ScopeKey, history: &[u32], max_len: usize) -> Option<Vec<u32>> {
        SimpleCache::propose(self, &key(scope), history, max_len)
    }
    fn stored_tokens(&self, scope: &ScopeKey) -> u64 {
        SimpleCache::stored_tokens(self, &key(scope))
    }
    fn scope_count(&self) -> usize {
        SimpleCache::scope_count(self)
    }
}

export_lockstep!(SimpleCache, "rust_simple_cache");
