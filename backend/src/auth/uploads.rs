//! How many uploads one user may have under way: each takes memory, disk and a processor until it is read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Uploads of one user at once.
pub const UPLOADS_PER_USER: u32 = 2;

/// The uploads of this process, by user.
#[derive(Clone, Default)]
pub struct Uploads(Arc<Mutex<HashMap<i64, u32>>>);

/// One upload under way, until it is dropped.
pub struct Upload {
    user_id: i64,
    uploads: Uploads,
}

impl Uploads {
    /// `None`: the user has [`UPLOADS_PER_USER`] under way.
    pub fn begin(&self, user_id: i64) -> Option<Upload> {
        let mut counts = self.counts();
        let count = counts.entry(user_id).or_default();
        if *count >= UPLOADS_PER_USER {
            return None;
        }
        *count += 1;
        Some(Upload { user_id, uploads: self.clone() })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<i64, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.uploads.counts().entry(self.user_id) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_two_at_once_and_nothing_is_kept_of_those_that_ended() {
        let uploads = Uploads::default();
        let (first, second) = (uploads.begin(1), uploads.begin(1));
        assert!(first.is_some() && second.is_some() && uploads.begin(1).is_none());
        assert!(uploads.begin(2).is_some(), "another user's");
        drop(first);
        assert!(uploads.begin(1).is_some());
        drop(second);
        assert!(uploads.counts().is_empty());
    }
}
