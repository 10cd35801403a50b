#!/usr/bin/env node
// Node's own node:sqlite.
// skip: build/interop/bin/node
'use strict';
const {DatabaseSync} = require('node:sqlite');

let count = 0;
const ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);

const db = new DatabaseSync(':memory:', {allowExtension: true});
// The file's whole name, suffix included.
db.loadExtension(require('path').resolve(process.env.DIST ?? 'dist', 'bloom.so'));
db.enableLoadExtension(false);

db.exec('CREATE TABLE key(k)');
for (const k of ['hello', 'world']) {
  db.prepare('INSERT INTO key VALUES (?)').run(k);
}
db.exec('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
const {f} = db.prepare('SELECT f FROM filter').get();
ok(Buffer.from(f).toString('hex') === '114000414410401006',
  'a filter is a Uint8Array');

const probe = db.prepare('SELECT bloom_may_match(?, ?) AS m');
ok(probe.get('hello', f).m === 1 && probe.get('foo', f).m === 0,
  'a filter bound as a parameter');

const opened = db.prepare(
  'SELECT ? AS k WHERE bloom_may_match(?1, (SELECT bloom_open(f) FROM filter))');
ok(['hello', 'x', 'world'].filter((k) => opened.get(k)).join() === 'hello,world',
  'a stored filter through bloom_open');

const number = db.prepare('SELECT bloom_build(42) AS f').get().f;
ok(probe.get(42, number).m === 1 && probe.get(42n, number).m === 1,
  'a number, 42 or 42n, is the key that 42 is in SQL');

// A number is bound as REAL.
let error;
try { probe.get('hello', 1); } catch (e) { error = e; }
ok(error?.code === 'ERR_SQLITE_ERROR' && error.message ===
  'bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1.0',
  `an error is ${error?.code}: ${error?.message}`);

db.exec('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
const create = db.prepare("SELECT bloom_create_parts('page', 'url') AS name");
ok(create.get().name === 'page_url_filter', 'one call keeps a filter');
db.exec("INSERT INTO page(url) VALUES ('/'), ('/a')");
const known = db.prepare(
  'SELECT bloom_may_match(?, filter) AS m FROM page_url_filter');
ok(known.get('/').m === 1 && known.get('/x').m === 0,
  'a key that was inserted since is in it');
error = null;
const rows = db.prepare('SELECT url FROM page').iterate();
rows.next();
try { create.get(); } catch (e) { error = e; }
ok(error?.message.includes('another statement of this connection is running'),
  `rows that are not read to the end: ${error?.code}: ${error?.message}`);
rows.return();
ok(create.get().name === 'page_url_filter', 'once they are let go, it passes');
console.log(`1..${count}`);
