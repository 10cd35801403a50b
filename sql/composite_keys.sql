-- Keys of several columns. A filter takes a single value as a key, so the
-- columns are combined into one text. The expression that combines them must be
-- the same where the filter is built and where it is probed.
-- since: 3.31
.load dist/bloom

CREATE TABLE stock(warehouse TEXT, sku TEXT, pieces INTEGER,
                   PRIMARY KEY (warehouse, sku));
INSERT INTO stock VALUES ('EU-1', '1234', 7), ('EU-11', '234', 5),
  ('US', 'it''s, new', 1);

CREATE TABLE order_line(id INTEGER PRIMARY KEY, warehouse TEXT, sku TEXT);
INSERT INTO order_line(warehouse, sku) VALUES ('EU-1', '1234'),
  ('EU-11', '1234'), ('EU-112', '34'), ('US', 'it''s, new'), ('EU-1', NULL);

-- Concatenating two columns is ambiguous: EU-1 1234 and EU-11 234 become the
-- same key, and so does EU-112 34, which is not in stock. This is still safe,
-- because the join that follows tells them apart, but such keys pass the filter
-- needlessly.
SELECT group_concat(id) FROM order_line
WHERE bloom_may_match(warehouse || sku,
        (SELECT bloom_open(bloom_build(warehouse || sku)) FROM stock));
-- 1,3,4

-- quote() with a comma between the columns is unambiguous: each text is in
-- quotes, and a quote within it is doubled. (json_array(warehouse, sku) works
-- as well, if the library has JSON.)
SELECT quote(warehouse) || ',' || quote(sku) AS key FROM stock;
-- 'EU-1','1234'
-- 'EU-11','234'
-- 'US','it''s, new'

-- An expression that must be the same in two places is best kept in the schema:
-- in a view for the set, in a generated column for the rows that are probed, or
-- both.
CREATE VIEW stock_key AS
SELECT quote(warehouse) || ',' || quote(sku) AS key FROM stock;
ALTER TABLE order_line
ADD COLUMN stock_key TEXT AS (quote(warehouse) || ',' || quote(sku));

CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB NOT NULL);
INSERT INTO filters SELECT 'stock', bloom_build(key) FROM stock_key;

SELECT order_line.id, warehouse, sku, pieces
FROM order_line JOIN stock USING (warehouse, sku)
WHERE bloom_may_match(stock_key, (SELECT bloom_open(f) FROM filters
                                  WHERE name = 'stock'))
ORDER BY order_line.id;
-- 1|EU-1|1234|7
-- 4|US|it's, new|1

-- With =, a key that contains a NULL equals no other key. The operator || makes
-- the whole text NULL, which bloom_build skips and a WHERE rejects, so the
-- answer is that of the join. quote(NULL), however, is the text NULL, so the
-- key matches others like it, as with IS.
SELECT bloom_may_match('EU-1' || NULL, f) IS NULL,
  bloom_may_match(quote('EU-1') || ',' || quote(NULL), f)
FROM filters;
-- 1|0

-- Both sides must have the same type. quote(7) and quote('7') differ, although
-- a join of an INTEGER column with a TEXT column may treat 7 and '7' as equal.
-- Use CAST where the types differ.
SELECT quote(7) = quote('7'), quote(CAST(7 AS TEXT)) = quote('7');
-- 0|1

-- Do not use a REAL in such a key, because versions of SQLite differ in how
-- they convert it to text. On its own a REAL is a good key: it is hashed as its
-- 8 bytes, or as the integer that it equals.
SELECT bloom_build(1.0) = bloom_build(1),
  bloom_may_match(0.1, bloom_build(0.1));
-- 1|1

-- A filter in parts (parts.sql) is built from the same expression.
SELECT group_concat(id) FROM order_line
WHERE bloom_may_match(stock_key,
        (SELECT bloom_build_parts(key, 2) FROM stock_key));
-- 1,4

-- The generated column can have a filter for each block of rows (block_filters.sql),
-- in which a query finds the rows of both values without an index on them.
SELECT bloom_create_blocks('order_line', 'stock_key');
-- order_line_stock_key_spans

SELECT k.id
FROM order_line_stock_key_spans AS s
CROSS JOIN order_line AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
WHERE bloom_may_match(quote('EU-11') || ',' || quote('1234'), s.f)
  AND k.warehouse = 'EU-11' AND k.sku = '1234';
-- 2
