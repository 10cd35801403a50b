#!/usr/bin/env bun
// Bun's own bun:sqlite.
// skip: build/interop/bin/bun
import {Database, SQLiteError} from 'bun:sqlite';
import {resolve} from 'path';

let count = 0;
const ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);

const db = new Database(':memory:');
db.loadExtension(resolve(process.env.DIST ?? 'dist', 'bloom'));

db.run('CREATE TABLE key(k)');
for (const k of ['hello', 'world']) db.run('INSERT INTO key VALUES (?)', [k]);
db.run('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
const {f} = db.query('SELECT f FROM filter').get();
ok(Buffer.from(f).toString('hex') === '114000414410401006',
  'a filter is a Uint8Array');

const probe = db.query('SELECT bloom_may_match(?, ?) AS m');
ok(probe.get('hello', f).m === 1 && probe.get('foo', f).m === 0,
  'a filter bound as a parameter');

const opened = db.query(
  'SELECT ? AS k WHERE bloom_may_match(?1, (SELECT bloom_open(f) FROM filter))');
ok(['hello', 'x', 'world'].filter((k) => opened.get(k)).join() === 'hello,world',
  'a stored filter through bloom_open');

const number = db.query('SELECT bloom_build(42) AS f').get().f;
ok(probe.get(42, number).m === 1 && probe.get(42n, number).m === 1,
  'a number, 42 or 42n, is the key that 42 is in SQL');

let error;
try { probe.get('hello', 1); } catch (e) { error = e; }
ok(error instanceof SQLiteError && error.message ===
  'bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others)',
  `an error is SQLiteError ${error?.code}: ${error?.message}`);

db.run('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
const create = db.query("SELECT bloom_create_parts('page', 'url') AS name");
ok(create.get().name === 'page_url_filter', 'one call keeps a filter');
db.run("INSERT INTO page(url) VALUES ('/'), ('/a')");
const known = db.query(
  'SELECT bloom_may_match(?, filter) AS m FROM page_url_filter');
ok(known.get('/').m === 1 && known.get('/x').m === 0,
  'a key that was inserted since is in it');
error = null;
try {
  for (const _ of db.query('SELECT url FROM page').iterate()) create.get();
} catch (e) { error = e; }
ok(error?.message.includes('another statement of this connection is running'),
  `rows that are not read to the end: ${error?.code}: ${error?.message}`);
ok(create.get().name === 'page_url_filter', 'once they are let go, it passes');
console.log(`1..${count}`);
