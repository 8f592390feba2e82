//! The contents that were read last, in memory: a search reads the same files again and again.

use crate::contents::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of all contents together.
const MAX_BYTES: usize = 256 << 20;

/// Contents by their hash. Two generations: a content that is not read while the younger one fills up is dropped with the older one.
pub(crate) struct DecompressedContents {
    generations: Mutex<[Generation; 2]>,
    most: usize,
}

#[derive(Default)]
struct Generation {
    contents: HashMap<Hash, Arc<[u8]>>,
    bytes: usize,
}

impl Default for DecompressedContents {
    fn default() -> Self {
        Self { generations: Mutex::default(), most: MAX_BYTES }
    }
}

impl DecompressedContents {
    pub(crate) fn get(&self, hash: &Hash) -> Option<Arc<[u8]>> {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *generations;
        if let Some(content) = young.contents.get(hash) {
            return Some(content.clone());
        }
        let content = old.contents.remove(hash)?;
        old.bytes -= content.len();
        self.put(&mut generations, *hash, content.clone());
        Some(content)
    }

    /// Keeps a content whose hash was checked.
    pub(crate) fn add(&self, hash: Hash, content: Arc<[u8]>) {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        self.put(&mut generations, hash, content);
    }

    fn put(&self, [young, old]: &mut [Generation; 2], hash: Hash, content: Arc<[u8]>) {
        if young.bytes + content.len() > self.most / 2 {
            *old = std::mem::take(young);
        }
        young.bytes += content.len();
        if let Some(same) = young.contents.insert(hash, content) {
            young.bytes -= same.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_stays_and_the_rest_makes_room() {
        let memory = DecompressedContents { most: 8, ..DecompressedContents::default() };
        let hash = |number: u8| [number; 32];
        for number in 1..=4 {
            memory.add(hash(number), Arc::from([number; 2].as_slice()));
            memory.get(&hash(1));
        }
        let kept: Vec<u8> = (1..=4).filter(|number| memory.get(&hash(*number)).is_some()).collect();
        assert!(kept.contains(&1) && kept.contains(&4) && !kept.contains(&2), "{kept:?}");
        let generations = memory.generations.lock().expect("not poisoned");
        for generation in &*generations {
            let bytes: usize = generation.contents.values().map(|content| content.len()).sum();
            assert!(bytes == generation.bytes && bytes <= 4, "{bytes}");
        }
    }
}
