-- What leveldb_read_log.sql has read, as the edits of a MANIFEST, for the
-- recipes that .read this file.

CREATE TEMP TABLE IF NOT EXISTS manifest_edit(
  message INTEGER, item INTEGER, what TEXT, i INTEGER, number INTEGER,
  string BLOB
);
DELETE FROM manifest_edit;
INSERT INTO manifest_edit
SELECT message, item, what, i, number, string
FROM item_field JOIN format USING (kind, tag) WHERE kind = 'edit'
ORDER BY message, item, i;

-- A table is live if no later edit deletes it from its level. (An edit that
-- moves a table deletes it from one level and adds it to another.) A key of a
-- table ends with 8 bytes of type and sequence number.
CREATE TEMP VIEW IF NOT EXISTS live_file AS
WITH file AS (
  SELECT message, item, what,
         max(CASE i WHEN 1 THEN number END) AS level,
         max(CASE i WHEN 2 THEN number END) AS file,
         max(CASE i WHEN 3 THEN number END) AS size,
         max(CASE i WHEN 4 THEN string END) AS first,
         max(CASE i WHEN 5 THEN string END) AS last
  FROM manifest_edit WHERE what IN ('new file', 'deleted file')
  GROUP BY message, item, what
)
SELECT file AS number, level, size,
       CAST(substr(first, 1, length(first) - 8) AS TEXT) AS first,
       CAST(substr(last, 1, length(last) - 8) AS TEXT) AS last
FROM file AS made
WHERE what = 'new file'
  AND NOT EXISTS (SELECT * FROM file AS gone
                  WHERE gone.what = 'deleted file' AND gone.file = made.file
                    AND gone.level = made.level
                    AND gone.message > made.message)
ORDER BY level, number;
