//! A cache of rendered pages. An entry is valid for one generation of the index.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of pages.
const MAX_PAGES: usize = 128;
/// Maximum size of all pages in bytes.
const MAX_BYTES: usize = 24 << 20;

/// Rendered pages, the most recent first. Requests share it.
#[derive(Default)]
pub struct PageCache(Mutex<VecDeque<CachedPage>>);

struct CachedPage {
    key: String,
    generation: u64,
    content: (&'static str, Arc<[u8]>),
}

impl PageCache {
    /// The page of a request in a generation.
    pub(crate) fn get(&self, key: &str, generation: u64) -> Option<(&'static str, Arc<[u8]>)> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = pages.iter().position(|page| page.generation == generation && page.key == key)?;
        let page = pages.remove(at)?;
        let content = page.content.clone();
        pages.push_front(page);
        Some(content)
    }

    /// Adds a page. Pages of other generations and the least recently used ones are dropped.
    pub(crate) fn put(&self, key: String, generation: u64, content: (&'static str, Arc<[u8]>)) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| page.generation == generation && page.key != key);
        pages.push_front(CachedPage { key, generation, content });
        let mut bytes = 0;
        let fits = |page: &CachedPage| {
            bytes += page.content.1.len();
            bytes <= MAX_BYTES
        };
        let kept = pages.iter().take(MAX_PAGES).take_while({
            let mut fits = fits;
            move |page| fits(page)
        });
        let kept = kept.count();
        pages.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(size: usize) -> (&'static str, Arc<[u8]>) {
        ("text/html", vec![b'x'; size].into())
    }

    #[test]
    fn a_page_is_valid_in_its_generation_only() {
        let cache = PageCache::default();
        cache.put("/map".to_owned(), 1, page(10));
        assert!(cache.get("/map", 1).is_some());
        assert!(cache.get("/map", 2).is_none());
        cache.put("/".to_owned(), 2, page(10));
        assert!(cache.get("/map", 1).is_none(), "a new generation drops the pages of the old one");
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = PageCache::default();
        for number in 0..2 * MAX_PAGES {
            cache.put(number.to_string(), 1, page(1));
        }
        assert!(cache.get("0", 1).is_none());
        assert!(cache.get(&(2 * MAX_PAGES - 1).to_string(), 1).is_some());
        cache.put("large".to_owned(), 1, page(MAX_BYTES));
        cache.put("small".to_owned(), 1, page(1));
        assert!(cache.get("large", 1).is_none());
    }
}
