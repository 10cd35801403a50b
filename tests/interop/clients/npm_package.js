#!/usr/bin/env node
// The package for npm that `make dist` makes, in node:sqlite and better-sqlite3.
// skip: build/interop/bin/node
'use strict';
const path = require('path');
const {DatabaseSync} = require('node:sqlite');
const bloom = require(path.resolve(process.env.DIST ?? 'dist', 'npm'));

let count = 0;
const ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);

ok(path.isAbsolute(bloom.getLoadablePath()), bloom.getLoadablePath());

const sql = 'SELECT hex(bloom_build(value, 10)) AS f FROM json_each(?)';
const keys = '["hello","world"]';

const node = new DatabaseSync(':memory:', {allowExtension: true});
bloom.load(node);
ok(node.prepare(sql).get(keys).f === '114000414410401006', 'node:sqlite');

let Database;
try { Database = require('better-sqlite3'); } catch {}
if (Database) {
  const better = new Database(':memory:');
  bloom.load(better);
  ok(better.prepare(sql).get(keys).f === '114000414410401006', 'better-sqlite3');
} else {
  ok(true, 'better-sqlite3 # skip it is not installed');
}
console.log(`1..${count}`);
