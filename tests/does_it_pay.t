#!/bin/sh
# The recipe sql/does_it_pay.sql, run for views of one's own, tells a filter that
# pays from one that takes long to build and from one that most rows pass. Where one
# time must be longer than another, it is some hundred times as long.
. tests/lib/tap.sh

database=$work/mine.db
$SQLITE3 "$database" <<'END'
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100000
)
INSERT INTO visit SELECT n, 'visitor ' || n FROM number;
CREATE TABLE customer(email TEXT PRIMARY KEY);
INSERT INTO customer SELECT email FROM visit WHERE id % 10000 = 0;
END

# says SENTENCE PLAIN PROBED BUILT: the last line, for views of these queries.
says() {
  cat >"$work/mine.sql" <<END
CREATE TEMP VIEW plain AS $2;
CREATE TEMP VIEW probed AS SELECT $3 AS k FROM visit;
CREATE TEMP VIEW built AS SELECT email AS k FROM $4;
END
  $SQLITE3 -cmd ".read $work/mine.sql" "$database" <"$work/recipe.sql" \
    >"$work/out" 2>&1
  tail -1 "$work/out" | grep -q "^$1"
  ok $? "$1: $(tail -2 "$work/out" | tr '\n' ' ')"
}
sed "s,^\.load .*,.load $DIST/bloom," sql/does_it_pay.sql >"$work/recipe.sql"

join='SELECT count(*) FROM visit AS v JOIN visit AS w ON w.id < v.id WHERE v.id < 2500'
says Go "$join" email customer
says 'Stop: most rows pass' "$join" "'visitor ' || (id % 10 * 10000)" customer
says 'Stop: the filter takes' 'SELECT 1' email visit
says 'There are too few rows' "$join" 'CASE WHEN id < 4 THEN email END' customer

grep -q '^10 keys, built in' "$work/out"
ok $? 'it says how many keys there are'
$SQLITE3 "$database" .schema >"$work/schema"
test "$(grep -c 'CREATE' "$work/schema")" = 2
ok $? 'it writes nothing into the database'
tap_done
