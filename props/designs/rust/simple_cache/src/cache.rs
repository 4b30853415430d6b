//! The contract in safe Rust, with an interface of its own as an engine's type would have.

use lockstep_export::OutOfMemory;

use crate::scope::{Geometry, Scope};

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub model: u64,
    pub tokenizer: u64,
    pub adapter: u64,
    pub tenant: u64,
}

pub struct SimpleCache {
    geometry: Geometry,
    max_scopes: u64,
    /// The most recently used last.
    scopes: Vec<(Key, Scope)>,
}

impl SimpleCache {
    pub fn new(budget_bytes: u64, max_scopes: u64, key_len: u64) -> Result<Self, String> {
        if max_scopes == 0 || key_len == 0 {
            return Err("max_scopes and key_len must be at least 1".to_string());
        }
        let per_scope = budget_bytes / max_scopes;
        let slots = match per_scope / 16 {
            0 => 0,
            most => 1 << most.ilog2(),
        };
        let ring_tokens = (per_scope - 8 * slots) / 4;
        if slots == 0 || ring_tokens < 1024 {
            return Err(format!(
                "each scope would get {per_scope} bytes and needs 6144; \
                 raise budget_bytes or lower max_scopes"
            ));
        }
        if key_len >= ring_tokens - 1 {
            return Err(format!(
                "key_len {key_len} leaves no room in a ring of {ring_tokens} tokens; \
                 lower key_len or raise budget_bytes"
            ));
        }
        let geometry = Geometry {
            slots: slots as usize,
            ring_tokens: ring_tokens as usize,
            key_len: key_len as usize,
        };
        Ok(SimpleCache { geometry, max_scopes, scopes: Vec::new() })
    }

    pub fn insert(&mut self, key: Key, doc: &[u32]) {
        if doc.len() <= self.geometry.key_len {
            return;
        }
        self.use_or_make(key).insert(doc);
    }

    pub fn propose(&mut self, key: &Key, history: &[u32], max_len: usize) -> Option<Vec<u32>> {
        self.use_scope(key)?.propose(history, max_len)
    }

    pub fn stored_tokens(&self, key: &Key) -> u64 {
        self.scopes.iter().find(|(k, _)| k == key).map_or(0, |(_, scope)| scope.stored_tokens())
    }

    pub fn scope_count(&self) -> usize {
        self.scopes.len()
    }

    fn use_scope(&mut self, key: &Key) -> Option<&mut Scope> {
        // From the back: what was used last is likely to be used next.
        let index = self.scopes.iter().rposition(|(k, _)| k == key)?;
        self.scopes[index..].rotate_left(1);
        self.scopes.last_mut().map(|(_, scope)| scope)
    }

    fn use_or_make(&mut self, key: Key) -> &mut Scope {
        if self.use_scope(&key).is_none() {
            if self.scopes.len() as u64 >= self.max_scopes {
                // The new scope takes over the memory of the one it drops, so this cannot fail.
                self.scopes.rotate_left(1);
                let (last_key, last_scope) = &mut self.scopes[self.max_scopes as usize - 1];
                *last_key = key;
                last_scope.clear();
            } else {
                let made = self.scopes.try_reserve(1).and_then(|()| Scope::new(self.geometry));
                self.scopes.push((key, made.unwrap_or_else(|_| OutOfMemory::throw())));
            }
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last].1
    }
}
