-- The places where a schema may call a function, while the schema is not
-- trusted. Each function works there, since it is innocuous and deterministic.
.load dist/bloom
PRAGMA trusted_schema = OFF;

-- A view.
CREATE VIEW view_of_all AS
SELECT hex(bloom_build('hello', 10, 1)) AS built, hex(bloom_build_distinct('hello')) AS built_distinct,
  bloom_may_match('hello', x'014000010410400006') AS matches,
  bloom_may_match('x', bloom_open(x'014000010410400006')) AS opened,
  hex(bloom_add(x'000000000000000006', 'hello')) AS added,
  hex(bloom_merge(x'0001')) AS merged, (SELECT bytes FROM bloom_info(x'0001')) AS bytes,
  bloom_bits_per_key(0.01) AS bits_per_key, round(bloom_false_positive_rate(10), 4) AS rate,
  leveldb_hash('hello') AS hash, hex(leveldb_fixed32(1)) AS fixed32, hex(leveldb_fixed64(1)) AS fixed64,
  crc32c('abc') AS crc, crc32c_mask(0) AS masked, crc32c_unmask(2726488792) AS unmasked,
  bloom_version() IS NOT NULL AS version,
  bloom_part('hello', 1) AS part, bloom_is_kept('parts', 'none', 'c') AS is_kept, bloom_build_kept('none', 'c', 1, 10, 1500) AS built_kept,
  hex(bloom_bytes(bloom_build_parts('hello', 2), 0)) AS bytes_of_part, bloom_keys(x'014000010410400006') AS keys;
SELECT * FROM view_of_all;
-- 014000010410400006|014000010410400006|1|0|014000010410400006|0001|2|10|0.0084|4153775694|01000000|0100000000000000|910901175|2726488792|0|1|0|0||014000010410400006|1

-- A trigger.
CREATE TABLE item(name TEXT);
CREATE TABLE item_log(matched, f, crc, keys);
CREATE TRIGGER item_added AFTER INSERT ON item WHEN bloom_may_match(new.name, x'114000414410401006') BEGIN
  INSERT INTO item_log SELECT bloom_may_match(new.name, bloom_open(bloom_build(name))),
  hex(bloom_add(x'000000000000000006', new.name)),
    crc32c(new.name), (SELECT keys FROM bloom_info(x'014000010410400006')) FROM item;
END;
INSERT INTO item VALUES ('foo'), ('hello');
SELECT * FROM item_log;
-- 1|014000010410400006|2591144780|1

-- CHECK.
CREATE TABLE block(data BLOB, crc INTEGER CHECK (crc = crc32c_mask(crc32c(data))),
  CHECK (bloom_may_match(data, x'114000414410401006') AND leveldb_hash(data) <> 0
  AND length(bloom_add(x'0006', data)) = 2));
INSERT INTO block VALUES ('hello', crc32c_mask(crc32c('hello')));
INSERT INTO block VALUES ('hello', crc32c('hello'));
-- Error: ...CHECK constraint failed...

INSERT INTO block VALUES ('x', crc32c_mask(crc32c('x')));
-- Error: ...CHECK constraint failed...

SELECT count(*) FROM block;
-- 1

-- A generated column, virtual and stored.
-- since: 3.31
CREATE TABLE page(data TEXT, crc INTEGER AS (crc32c(data)), hash INTEGER AS (leveldb_hash(data)) STORED,
  fixed BLOB AS (leveldb_fixed32(length(data))) STORED, f BLOB AS (bloom_add(x'000000000000000006', data)) STORED);
INSERT INTO page(data) VALUES ('hello'), (NULL);
SELECT crc = crc32c('hello'), hash = leveldb_hash('hello'), hex(fixed), hex(f), bloom_may_match('hello', f) FROM page
WHERE data = 'hello';
-- 1|1|05000000|014000010410400006|1

-- DEFAULT.
CREATE TABLE day(date TEXT, f BLOB DEFAULT (bloom_add(x'000000000000000006', 'hello')),
  crc INTEGER DEFAULT (crc32c('abc')),
  bits INTEGER DEFAULT (bloom_bits_per_key(0.01)), version TEXT DEFAULT (bloom_version()));
INSERT INTO day(date) VALUES ('2026-01-01');
SELECT hex(f), crc, bits, version = bloom_version() FROM day;
-- 014000010410400006|910901175|10|1

-- An index on an expression, and a query that uses it.
CREATE TABLE url(url TEXT);
CREATE INDEX url_hash ON url(leveldb_hash(url));
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO url SELECT 'https://example.com/' || i FROM n;
SELECT url FROM url WHERE leveldb_hash(url) = leveldb_hash('https://example.com/77') AND url = 'https://example.com/77';
-- https://example.com/77

EXPLAIN QUERY PLAN SELECT url FROM url WHERE leveldb_hash(url) = 1;
-- QUERY PLAN
-- `--SEARCH ...url USING INDEX url_hash (<expr>=?)

-- A partial index.
CREATE TABLE word(w TEXT);
INSERT INTO word VALUES ('hello'), ('world'), ('x');
CREATE INDEX word_matching ON word(w) WHERE bloom_may_match(w, x'114000414410401006');
SELECT group_concat(w) FROM (SELECT w FROM word INDEXED BY word_matching WHERE bloom_may_match(w, x'114000414410401006')
  ORDER BY w);
-- hello,world

PRAGMA integrity_check;
-- ok

-- A temporary schema is not trusted either.
CREATE TEMP VIEW opened AS SELECT bloom_may_match('hello', bloom_open(x'114000414410401006')) AS m;
SELECT m FROM opened;
-- 1
