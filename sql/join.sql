-- A join that skips the rows it need not look up.
.load dist/bloom

SELECT bloom_version();
-- 1.0.0
