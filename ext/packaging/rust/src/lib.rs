//! LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension that is linked
//! in. SQLite itself comes with another crate, such as rusqlite.

use std::os::raw::{c_char, c_int, c_void};

extern "C" {
    /// Gives a connection the functions: a `sqlite3 *`, the address for an
    /// error message, and a `const sqlite3_api_routines *`, which may be null.
    /// It is made for `sqlite3_auto_extension`, as the README shows.
    pub fn sqlite3_bloom_init(
        db: *mut c_void,
        error: *mut *mut c_char,
        api: *const c_void,
    ) -> c_int;
}
