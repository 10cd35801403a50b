#!/usr/bin/env node
// better-sqlite3 on Node.
// skip: build/interop/node_modules/better-sqlite3
'use strict';
const Database = require('better-sqlite3');

let count = 0;
const ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);

const db = new Database(':memory:');
db.loadExtension(require('path').resolve(process.env.DIST ?? 'dist', 'bloom'));

db.exec('CREATE TABLE key(k)');
for (const k of ['hello', 'world']) {
  db.prepare('INSERT INTO key VALUES (?)').run(k);
}
db.exec('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
const f = db.prepare('SELECT f FROM filter').pluck().get();
ok(f.toString('hex') === '114000414410401006', 'a filter is a Buffer');

const probe = db.prepare('SELECT bloom_may_match(?, ?)').pluck();
ok(probe.get('hello', f) === 1 && probe.get('foo', f) === 0,
  'a filter bound as a parameter');

const opened = db.prepare(
  'SELECT 1 WHERE bloom_may_match(?, (SELECT bloom_open(f) FROM filter))');
ok(['hello', 'x', 'world'].filter((k) => opened.get(k)).join() === 'hello,world',
  'a stored filter through bloom_open');

const number = db.prepare('SELECT bloom_build(42)').pluck().get();
ok(probe.get(42, number) === 1 && probe.get(42n, number) === 1,
  'a number, 42 or 42n, is the key that 42 is in SQL');

// A number is bound as REAL.
let error;
try { probe.get('hello', 1); } catch (e) { error = e; }
ok(error instanceof Database.SqliteError && error.message ===
  'bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1.0',
  `an error is SqliteError ${error?.code}: ${error?.message}`);

db.exec('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
const create = db.prepare("SELECT bloom_create_parts('page', 'url')").pluck();
ok(create.get() === 'page_url_filter', 'one call keeps a filter');
db.exec("INSERT INTO page(url) VALUES ('/'), ('/a')");
const known = db.prepare(
  'SELECT bloom_may_match(?, filter) FROM page_url_filter').pluck();
ok(known.get('/') === 1 && known.get('/x') === 0,
  'a key that was inserted since is in it');
error = null;
try {
  for (const _ of db.prepare('SELECT url FROM page').iterate()) create.get();
} catch (e) { error = e; }
ok(error?.message.includes('another statement of this connection is running'),
  `rows that are not read to the end: ${error?.code}: ${error?.message}`);
error = null;
try {
  db.transaction(() => {
    db.prepare("SELECT bloom_drop_parts('page', 'url')").get();
    throw new Error('undo');
  })();
} catch (e) { error = e; }
ok(error?.message === 'undo' && known.get('/a') === 1,
  'a call in a transaction is rolled back with it');
console.log(`1..${count}`);
