#!/usr/bin/env -S php -d sqlite3.extension_dir=${DIST}
<?php
// PHP's SQLite3 class. It loads from the folder that the setting
// sqlite3.extension_dir names, absolute, and from nowhere else.
// skip: /usr/bin/php
if (!class_exists('SQLite3')) {
  exit("1..0 # skip php-sqlite3 is not installed\n");
}

$count = 0;
function ok(bool $passed, string $name): void {
  global $count;
  $count++;
  echo $passed ? 'ok' : 'not ok', " $count - $name\n";
}

$db = new SQLite3(':memory:');
$db->enableExceptions(true);
$db->loadExtension('bloom.so');

$db->exec('CREATE TABLE key(k)');
$db->exec("INSERT INTO key VALUES ('hello'), ('world')");
$db->exec('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
$f = $db->querySingle('SELECT f FROM filter');
ok(bin2hex($f) === '114000414410401006', 'a filter is a string of bytes');

// A string is bound as TEXT unless its type is given.
$probe = $db->prepare('SELECT bloom_may_match(?, ?)');
function may_match($key, $filter, int $type = SQLITE3_BLOB): int {
  global $probe;
  $probe->bindValue(1, $key);
  $probe->bindValue(2, $filter, $type);
  return $probe->execute()->fetchArray(SQLITE3_NUM)[0];
}
ok(may_match('hello', $f) === 1 && may_match('foo', $f) === 0,
   'a filter bound as a parameter');

$number = $db->querySingle('SELECT bloom_build(42)');
ok(may_match(42, $number) === 1 && may_match(42.0, $number) === 1,
   'a number, whole or float, is the key that 42 is in SQL');

$message = 'none';
try {
  may_match('hello', 1, SQLITE3_INTEGER);
} catch (Exception $error) {
  $message = $error->getMessage();
}
ok(str_ends_with($message,
  'bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)'),
  "an error is an exception: $message");

// A result runs until it is finalized or its last row was fetched.
$probe->close();
$db->exec('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
$create = "SELECT bloom_create_parts('page', 'url')";
ok($db->querySingle($create) === 'page_url_filter', 'one call keeps a filter');
$db->exec("INSERT INTO page(url) VALUES ('/'), ('/a')");
$known = "SELECT bloom_may_match('/', filter) || bloom_may_match('/x', filter)
  FROM page_url_filter";
ok($db->querySingle($known) === '10', 'a key that was inserted since is in it');
$rows = $db->query('SELECT url FROM page');
$rows->fetchArray();
$message = 'none';
try {
  $db->querySingle($create);
} catch (Exception $error) {
  $message = $error->getMessage();
}
ok(str_contains($message, 'another statement of this connection is running'),
   "a result that was not read to its end: $message");
$rows->finalize();
ok($db->querySingle($create) === 'page_url_filter', 'finalized, it passes');

// query() runs a statement up to its first row, and fetchArray() runs it again.
$message = 'none';
try {
  $db->query("SELECT bloom_drop_parts('page', 'url')")->fetchArray();
} catch (Exception $error) {
  $message = $error->getMessage();
}
ok(str_contains($message, 'made nothing here'),
   "query() and fetchArray() call twice: $message");
echo "1..$count\n";
