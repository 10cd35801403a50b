#!/usr/bin/tclsh
# Tcl's sqlite3.
# skip: /usr/bin/tclsh
if {[catch {package require sqlite3}]} {
  puts "1..0 # skip libsqlite3-tcl is not installed"
  exit
}

set count 0
proc ok {passed name} {
  puts "[expr {$passed ? {ok} : {not ok}}] [incr ::count] - $name"
}

set dist [expr {[info exists env(DIST)] ? $env(DIST) : {dist}}]
sqlite3 db :memory:
db enable_load_extension 1
db eval {SELECT load_extension($dist || '/bloom')}
db enable_load_extension 0

db eval {CREATE TABLE key(k)}
foreach k {hello world} { db eval {INSERT INTO key VALUES ($k)} }
db eval {CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key}
set f [db onecolumn {SELECT f FROM filter}]
ok [expr {[binary encode hex $f] eq "114000414410401006"}] \
  "a filter is a byte array"

# A variable that stands as @f is bound as a BLOB.
set answers {}
foreach k {hello foo} {
  lappend answers [db onecolumn {SELECT bloom_may_match($k, @f)}]
}
ok [expr {$answers eq {1 0}}] "a filter bound as a parameter"

set number [db onecolumn {SELECT bloom_build(42)}]
set k [expr {6 * 7}]
ok [db onecolumn {SELECT bloom_may_match($k, @number)}] \
  "a number is the key that 42 is in SQL"

set failed [catch {db onecolumn {SELECT bloom_may_match('hello', 1)}} message]
ok [expr {$failed && $message eq \
  "bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)"}] \
  "an error is a Tcl error: $message"

db eval {CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)}
set create {SELECT bloom_create_parts('page', 'url')}
ok [expr {[db onecolumn $create] eq "page_url_filter"}] "one call keeps a filter"
db eval {INSERT INTO page(url) VALUES ('/'), ('/a')}
set answers [db eval {
  SELECT bloom_may_match('/', filter), bloom_may_match('/x', filter)
  FROM page_url_filter
}]
ok [expr {$answers eq {1 0}}] "a key that was inserted since is in it"
set failed [catch {db eval {SELECT url FROM page} {db onecolumn $create}} message]
ok [expr {$failed && \
  [string match "*another statement of this connection is running*" $message]}] \
  "rows that are not read to the end: $message"
catch {db transaction {db eval {SELECT bloom_drop_parts('page', 'url')}; error undo}} \
  message
ok [expr {$message eq "undo" && [db onecolumn {
  SELECT bloom_may_match('/a', filter) FROM page_url_filter}]}] \
  "a call in a transaction is rolled back with it"
puts "1..$count"
