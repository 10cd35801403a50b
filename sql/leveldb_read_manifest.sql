-- The edits of a MANIFEST, after leveldb_read_log.sql, for the recipes that
-- .read this file. Insert the MANIFEST's bytes into read_log.

CREATE TEMP VIEW IF NOT EXISTS manifest_edit AS
SELECT message, item, what, i, number, string
FROM item_field JOIN format USING (tag) WHERE kind = 'edit';

-- Of each number and of the comparator, the one that was written last counts.
CREATE TEMP VIEW IF NOT EXISTS manifest_state AS
SELECT what, number, string, max(item_field.rowid)
FROM item_field JOIN format USING (tag)
WHERE kind = 'edit' AND i = 1 GROUP BY what;

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
SELECT DISTINCT file AS number, level, size,
  substr(first, 1, length(first) - 8) AS first,
  substr(last, 1, length(last) - 8) AS last
FROM file AS made
WHERE what = 'new file'
  AND NOT EXISTS (SELECT * FROM file AS gone
                  WHERE gone.what = 'deleted file' AND gone.file = made.file
                    AND gone.level = made.level
                    AND gone.message > made.message)
ORDER BY level, number;
