-- What made 1.0-handle.db, as 1.0.sql says: bloom_open was deterministic in 1.0,
-- so that SQLite took it into an index and a generated column, where it was
-- always NULL. From 1.1 on it is not, and SQLite refuses a schema that has one
-- (tests/without_extension.t: drop it where the extension is not loaded).
PRAGMA page_size = 512;
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB) WITHOUT ROWID;
INSERT INTO filters SELECT 'hello', bloom_build('hello');
CREATE INDEX filters_handle ON filters(bloom_open(f));
