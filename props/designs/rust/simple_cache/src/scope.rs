//! One scope: a ring of tokens and a table from n-grams to the positions that followed them.

use std::collections::TryReserveError;

/// Marks the end of a stored run.
const RUN_END: u32 = 0xFFFF_FFFF;
/// So many duplicates in a row end a run.
const MAX_DUPLICATES: u64 = 32;

#[derive(Clone, Copy)]
pub struct Geometry {
    pub slots: usize,
    pub ring_tokens: usize,
    pub key_len: usize,
}

pub struct Scope {
    geometry: Geometry,
    /// Positions; 0 is empty. The number of slots is a power of two.
    slots: Vec<u64>,
    /// Grows to `ring_tokens` within the memory reserved when the scope was made.
    ring: Vec<u32>,
    /// The next position to be written; position p lives in cell p mod `ring_tokens`.
    head: u64,
}

impl Scope {
    pub fn new(geometry: Geometry) -> Result<Self, TryReserveError> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(geometry.slots)?;
        let mut ring = Vec::new();
        ring.try_reserve_exact(geometry.ring_tokens)?;
        slots.resize(geometry.slots, 0);
        let mut scope = Scope { geometry, slots, ring, head: 0 };
        scope.clear();
        Ok(scope)
    }

    /// As if made anew, in the same memory.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.ring.clear();
        // Position 0 never exists, but its cell does.
        self.ring.push(RUN_END);
        self.head = 1;
    }

    pub fn stored_tokens(&self) -> u64 {
        self.head - 1
    }

    pub fn insert(&mut self, doc: &[u32]) {
        let key_len = self.geometry.key_len;
        let doc = &doc[doc.len().saturating_sub(self.geometry.ring_tokens - 1)..];
        let mut writing = false;
        let mut duplicates = 0;
        for end in key_len..doc.len() {
            let (key, token) = (&doc[end - key_len..end], doc[end]);
            let duplicate = self.find(key).is_some_and(|found| self.at(found) == token);
            duplicates = if duplicate { duplicates + 1 } else { 0 };
            if writing && duplicates == MAX_DUPLICATES {
                self.write(RUN_END);
                writing = false;
            }
            if duplicate && !writing {
                continue;
            }
            if !writing {
                key.iter().for_each(|&token| self.write(token));
                writing = true;
            }
            let slot = self.slot(key);
            self.slots[slot] = self.head;
            self.write(token);
        }
        if writing {
            self.write(RUN_END);
        }
    }

    pub fn propose(&self, history: &[u32], max_len: usize) -> Option<Vec<u32>> {
        let key_len = self.geometry.key_len;
        if max_len == 0 || history.len() < key_len {
            return None;
        }
        let found = self.find(&history[history.len() - key_len..])?;
        let run = (found..self.head).map(|position| self.at(position));
        Some(run.take_while(|&token| token != RUN_END).take(max_len).collect())
    }

    /// The live position that followed the key.
    fn find(&self, key: &[u32]) -> Option<u64> {
        let position = self.slots[self.slot(key)];
        let oldest = self.head.saturating_sub(self.geometry.ring_tokens as u64).max(1);
        let key_len = key.len() as u64;
        if position == 0 || position >= self.head || position < oldest + key_len {
            return None;
        }
        let stored = (position - key_len..position).map(|position| self.at(position));
        stored.eq(key.iter().copied()).then_some(position)
    }

    fn slot(&self, key: &[u32]) -> usize {
        let hash = key.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &token| {
            (hash ^ u64::from(token)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
        });
        let bits = self.geometry.slots.trailing_zeros();
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed.checked_shr(64 - bits).unwrap_or(0) as usize
    }

    fn cell(&self, position: u64) -> usize {
        (position % self.geometry.ring_tokens as u64) as usize
    }

    fn at(&self, position: u64) -> u32 {
        self.ring[self.cell(position)]
    }

    fn write(&mut self, token: u32) {
        let cell = self.cell(self.head);
        if cell == self.ring.len() {
            self.ring.push(token);
        } else {
            self.ring[cell] = token;
        }
        self.head += 1;
    }
}
