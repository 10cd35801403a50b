// What else does the job: a filter of ours, an index, SQLite's own Bloom filter, a scan,
// DuckDB, Turso, and coleifer's sqlite3-bloomfilter, on tables of 1 million keys and 2 million
// rows, in one process, in turn. All results must be equal. SQLite is Node's, with a page
// cache that holds every table; DuckDB may use all processors.
//
// usage: node tests/bench/rivals.js EXTENSION FOLDER [FILTER]
// The files are made in a folder in FOLDER, which is removed. FILTER is coleifer's
// extension, compiled (github.com/coleifer/sqlite3-bloomfilter).
'use strict';
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { DatabaseSync } = require('node:sqlite');
const { DuckDBInstance, version } = require('@duckdb/node-api');
const turso = require('@tursodatabase/database');

const [extension, parent, filter] = process.argv.slice(2);
const smaller = Number(process.env.BENCH_SMALLER || 1);
const rounds = Number(process.env.BENCH_ROUNDS || 7);
const keys = Math.max(1e6 / smaller, 5000), rows = 2 * keys, added = keys / 20;
const transaction = 1000;
const folder = fs.mkdtempSync(path.join(parent, 'rivals-'));
const OURS = 'a filter of ours', INDEX = 'an index', OWN = "SQLite's own filter",
  SCAN = 'no index', DUCK = `DuckDB ${version().replace(/^v/, '')}`,
  TURSO = `Turso ${versionOf('@tursodatabase/database')}`, PEER = "coleifer's filter";

function versionOf(name) {
  const file = require.resolve(name).replace(/dist.*/, 'package.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).version;
}

const key = (n) => crypto.createHash('md5').update(String(n)).digest('hex');
const line = (n) => crypto.createHash('sha512').update(String(n)).digest('hex').slice(0, 100);
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

function open(name) {
  const db = new DatabaseSync(path.join(folder, name), { allowExtension: true });
  db.loadExtension(extension);
  if (filter) db.loadExtension(filter);
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-500000');
  return db;
}

// Seconds of each way in each round, all in turn.
async function measure(ways, turns, unit) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let turn = 0; turn < turns; turn++) {
    const found = {};
    for (const [name, way] of Object.entries(ways)) {
      const began = process.hrtime.bigint();
      found[name] = Number(await way(turn));
      times[name].push(Number(process.hrtime.bigint() - began) / 1e9);
    }
    if (new Set(Object.values(found)).size > 1) throw new Error(JSON.stringify(found));
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [name, median(list) / unit]));
}

function report(name, values) {
  console.log(name, values);
  if (!process.env.BENCH_JSON) return;
  const columns = Object.keys(values);
  fs.appendFileSync(process.env.BENCH_JSON, JSON.stringify({
    section: 'rivals', group: '', name, columns,
    values: columns.map((column) => Number(values[column].toPrecision(5))),
    sqlite: new DatabaseSync(':memory:').prepare('SELECT sqlite_version() AS v').get().v,
  }) + '\n');
}

async function main() {
  const scan = open('scan'), blocks = open('blocks'), index = open('index');
  const instance = await DuckDBInstance.create(path.join(folder, 'duck'));
  const duck = await instance.connect();
  const asked = async (sql) => (await duck.runAndReadAll(sql)).getRows()[0][0];

  // The logs, and in each database the rows that are added to it.
  const sources = [scan, blocks, index];
  for (const sql of ['CREATE TABLE log(id INTEGER PRIMARY KEY, key TEXT, line TEXT)',
    'CREATE TABLE source(id INTEGER PRIMARY KEY, key TEXT, line TEXT)']) {
    for (const db of sources) db.exec(sql);
    await duck.run(sql.replace(' PRIMARY KEY', ''));
  }
  blocks.exec("SELECT bloom_create_blocks('log', 'key')");
  index.exec('CREATE INDEX log_key ON log(key)');
  for (const [table, first, end] of [['log', 0, keys], ['source', keys, keys + added]]) {
    for (const db of sources) {
      const insert = db.prepare(`INSERT INTO ${table} VALUES(?, ?, ?)`);
      db.exec('BEGIN');
      for (let n = first; n < end; n++) insert.run(n, key(n), line(n));
      db.exec('COMMIT');
    }
    const appender = await duck.createAppender(table);
    for (let n = first; n < end; n++) {
      appender.appendInteger(n);
      appender.appendVarchar(key(n));
      appender.appendVarchar(line(n));
      appender.endRow();
    }
    appender.closeSync();
  }

  const wanted = (turn) => key(Math.floor(keys / rounds * (turn + 0.5)));
  const plain = 'SELECT sum(id) AS id FROM log WHERE key = ?';
  const find = (db, sql, values) => {
    const query = db.prepare(sql);
    return (turn) => query.get(...values(wanted(turn))).id;
  };
  const lookup = await duck.prepare(plain.replace('?', '$1'));
  report(`finding one of ${keys / 1e6} million keys, ms`, await measure({
    [OURS]: find(blocks, 'SELECT sum(k.id) AS id FROM log_key_spans AS s CROSS JOIN log AS k NOT INDEXED'
      + ' ON k.id BETWEEN s.first AND s.last WHERE bloom_may_match(?, s.f) AND k.key = ?',
    (one) => [one, one]),
    [INDEX]: find(index, plain, (one) => [one]),
    [SCAN]: find(scan, plain, (one) => [one]),
    [DUCK]: async (turn) => {
      lookup.bindVarchar(1, wanted(turn));
      return (await lookup.runAndReadAll()).getRows()[0][0];
    },
  }, rounds, 1e-3));

  // 1 % of the rows find one of the keys. Both come in no order, or as ids do: the rows in
  // the order of the keys, which are spread among them.
  const inNoOrder = (keyOf) => [keyOf,
    (n) => keyOf(n % 100 === 0 ? n % (keys / 10) : n + 2 * rows)];
  const byId = [(n) => n * 20, (n) => n % 20 === 0 && n % 100 !== 0 ? n + 1 : n];
  const kinds = [['TEXT', 'hex TEXT', inNoOrder(key)],
    ['INTEGER', 'INTEGER', inNoOrder((n) => parseInt(key(n).slice(0, 12), 16))],
    ['INTEGER', 'ascending INTEGER', byId]];
  for (const [type, what, [memberOf, rowOf]] of kinds) {
    const [visit, chosen] = ['visit', 'chosen'].map((name) => `"${name} ${what}"`);
    for (const sql of [`CREATE TABLE ${visit}(id INTEGER, key ${type})`,
      `CREATE TABLE ${chosen}(key ${type} PRIMARY KEY, name INTEGER)`]) {
      scan.exec(sql);
      await duck.run(sql.replace(' PRIMARY KEY', '').replace('key INTEGER', 'key BIGINT'));
    }
    for (const [table, count, keyOf] of [[chosen, keys / 10, memberOf], [visit, rows, rowOf]]) {
      const insert = scan.prepare(`INSERT INTO ${table} VALUES(?, ?)`);
      const appender = await duck.createAppender(table.slice(1, -1));
      const append = (value, isKey) => typeof value === 'string' ? appender.appendVarchar(value)
        : isKey ? appender.appendBigInt(BigInt(value)) : appender.appendInteger(value);
      scan.exec('BEGIN');
      for (let n = 0; n < count; n++) {
        const values = table === visit ? [[n, false], [keyOf(n), true]] : [[keyOf(n), true], [n, false]];
        insert.run(...values.map(([value]) => value));
        for (const value of values) append(...value);
        appender.endRow();
      }
      scan.exec('COMMIT');
      appender.closeSync();
    }
    scan.exec('ANALYZE');
    // SQLite has a filter of its own only if there is a restriction. All rows meet this one.
    const join = (and) => `SELECT sum(name) AS sum FROM ${visit} JOIN ${chosen} USING (key)${and}`;
    const restricted = join(' WHERE name >= 0');
    const plan = scan.prepare(`EXPLAIN QUERY PLAN ${restricted}`).all();
    if (!plan.some((step) => step.detail.startsWith('BLOOM FILTER ON'))) {
      throw new Error('SQLite has no filter of its own in this join');
    }
    const sum = (sql) => {
      const query = scan.prepare(sql);
      return () => query.get().sum;
    };
    const ways = {
      [OURS]: sum(join(` WHERE bloom_may_match(${visit}.key,`
        + ` (SELECT bloom_open(bloom_build(key)) FROM ${chosen}))`)),
      [INDEX]: sum(join('')),
      [OWN]: sum(restricted),
      [DUCK]: () => asked(join('')),
    };
    // Turso reads a file of SQLite's. It takes seconds, so it makes one join.
    if (type === 'TEXT') {
      const copy = path.join(folder, 'turso');
      scan.exec(`ATTACH '${copy}' AS copy`);
      for (const table of [visit, chosen]) {
        const { sql } = scan.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table.slice(1, -1));
        scan.exec(sql.replace(table, `copy.${table}`));
        scan.exec(`INSERT INTO copy.${table} SELECT * FROM main.${table}`);
      }
      scan.exec('ANALYZE copy; DETACH copy');
      const db = await turso.connect(copy);
      await db.exec('PRAGMA cache_size=-500000');
      const query = await db.prepare(join(''));
      ways[TURSO] = async () => (await query.get()).sum;
    }
    if (filter) {
      ways[PEER] = sum(join(` WHERE bloom_contains(${visit}.key,`
        + ` (SELECT bloomfilter(key, ${keys / 8}) FROM ${chosen}))`));
    }
    report(`joining ${rows / 1e6} million rows with ${(keys / 10).toLocaleString('en')} ${what} keys, of`
      + ' which 1 % match, ms', await measure(ways, Math.min(rounds, 5), 1e-3));
  }

  // What is sent, if another machine is to know the set of keys.
  const megabytes = (name) => fs.statSync(path.join(folder, name)).size / 1e6;
  const bytes = (sql) => scan.prepare(sql).get().n / 1e6;
  scan.exec(`ATTACH '${path.join(folder, 'sent')}' AS sent`);
  scan.exec('CREATE TABLE sent.k(key TEXT PRIMARY KEY) WITHOUT ROWID;'
    + 'INSERT INTO sent.k SELECT key FROM log ORDER BY key; DETACH sent');
  await duck.run(`ATTACH '${path.join(folder, 'sent.duck')}' AS sent`);
  await duck.run('CREATE TABLE sent.k AS SELECT key FROM log ORDER BY key');
  await duck.run('DETACH sent');
  const sent = {
    [OURS]: bytes('SELECT length(bloom_build(key)) AS n FROM log'),
    [INDEX]: megabytes('sent'),
    [SCAN]: bytes('SELECT sum(length(key) + 1) AS n FROM log'),
    [DUCK]: megabytes('sent.duck'),
  };
  if (filter) sent[PEER] = bytes(`SELECT length(bloomfilter(key, ${keys * 10 / 8})) AS n FROM log`);
  report(`sending a set of ${keys / 1e6} million keys, MB`, sent);

  // Rows are added in transactions of 1,000.
  const add = 'INSERT INTO log SELECT * FROM source WHERE id >= $1 AND id < $2';
  const adder = await duck.prepare(add);
  const first = (turn) => keys + turn * transaction;
  const into = (db) => {
    const insert = db.prepare(add.replaceAll('$', '?'));
    return (turn) => insert.run(first(turn), first(turn) + transaction).changes;
  };
  report(`adding a row to a log of ${keys / 1e6} million, us`, await measure({
    [OURS]: into(blocks), [INDEX]: into(index), [SCAN]: into(scan),
    [DUCK]: async (turn) => {
      adder.bindInteger(1, first(turn));
      adder.bindInteger(2, first(turn) + transaction);
      return (await adder.run()).rowsChanged;
    },
  }, Math.max(1, Math.floor(added / transaction)), transaction * 1e-6));
}

main().finally(() => fs.rmSync(folder, { recursive: true }));
