#!/usr/bin/env node
// The package for npm that `make dist` makes, installed from its file into a
// project of its own, in node:sqlite and better-sqlite3.
// skip: build/interop/bin/node
'use strict';
const {execFileSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {DatabaseSync} = require('node:sqlite');

const dist = path.resolve(process.env.DIST ?? 'dist');
const file = fs.readdirSync(dist).find((name) => /bloom.*\.tgz$/.test(name));
const project = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-'));
process.on('exit', () => fs.rmSync(project, {recursive: true}));
execFileSync('npm', ['install', '--prefix', project, '--offline', '--no-audit',
  '--no-fund', path.join(dist, file)]);
const bloom = require(path.join(project, 'node_modules/sqlite-bloom-leveldb'));

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
