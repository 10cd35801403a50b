-- The sqlite3 shell.
.load dist/bloom

CREATE TABLE filter(f BLOB);
INSERT INTO filter
  SELECT bloom_build(value, 10) FROM json_each('["hello","world"]');
SELECT hex(f) FROM filter;
-- 114000414410401006

.parameter init
.parameter set :f "(SELECT f FROM filter)"
SELECT bloom_may_match('hello', :f), bloom_may_match('foo', :f);
-- 1|0

SELECT count(*) FROM json_each('["hello","x","foo","world"]')
WHERE bloom_may_match(value, (SELECT bloom_open(f) FROM filter));
-- 2

SELECT bloom_may_match('hello', 1);
-- Error: ...bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)

CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT);
SELECT bloom_create_parts('page', 'url');
-- page_url_filter

INSERT INTO page(url) VALUES ('/');
SELECT bloom_may_match('/', filter), bloom_may_match('/x', filter)
FROM page_url_filter;
-- 1|0
