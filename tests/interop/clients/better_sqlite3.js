#!/usr/bin/env node
// better-sqlite3 on Node, which binds a number as REAL.
// skip: build/interop/node_modules/better-sqlite3
'use strict';
const Database = require('better-sqlite3');
const {extension, ok, plan, test, thrown} = require('../../lib/client.js');

const db = new Database(':memory:');
db.loadExtension(extension);
test(db, '1.0', (error) => error instanceof Database.SqliteError);

const error = thrown(db.transaction(() => {
  db.prepare("SELECT bloom_drop_parts('page', 'url')").get();
  throw new Error('undo');
}));
ok(error?.message === 'undo' && db.prepare(
  "SELECT bloom_may_match('/a', filter) FROM page_url_filter").pluck().get() === 1,
  'a call in a transaction is rolled back with it');
plan();
