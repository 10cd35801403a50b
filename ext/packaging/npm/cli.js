#!/usr/bin/env node
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {parseArgs} = require('util');
const {load} = require('./index.js');

const NAME = 'sqlite-bloom-leveldb';
const HELP = fs.readFileSync(path.join(__dirname, 'terminal.txt'), 'utf8').trimEnd();
const [USAGE] = HELP.split('\n\n');
const STATUS = {'advised': 0, 'no filter needed': 0, 'nothing gains': 1, 'error': 2,
  'nothing tried': 3};
// A JSON object of the parameters, from one whose values are all texts.
const PARAMETERS = `(SELECT json_group_object(key, CASE WHEN json_valid(value)
    THEN json(value) ELSE value END) FROM json_each(?))`;

const say = (text) => fs.writeSync(2, `${text}\n`);

/* The options and the other arguments of a command line. */
function parse(args) {
  const flag = {type: 'boolean'};
  try {
    const {values: options, positionals: names} = parseArgs({args, allowPositionals: true,
      options: {seconds: {type: 'string'}, param: {type: 'string', multiple: true},
        copy: flag, check: flag, json: flag, help: flag, version: flag}});
    const [least, most, form] = options.check ?
      [1, 3, 'DATABASE [TABLE [COLUMN]]'] : [2, 2, 'DATABASE QUERY'];
    if (!options.help && !options.version && (names.length < least || names.length > most)) {
      throw new Error(`the arguments must be ${form}, got ${names.length}`);
    }
    return {options, names};
  } catch (error) {
    throw new Error(`${error.message}\n${USAGE}`, {cause: error});
  }
}

function parameter(text) {
  const [, name, value] = text.match(/^([^=]+)=([^]*)$/) ?? [];
  if (!name) throw new Error(`--param must be NAME=VALUE, got ${text}`);
  return [name, value];
}

/* The beginning of a file, or nothing of a pipe. */
function head(file) {
  const found = fs.statSync(file, {throwIfNoEntry: false});
  if (!found) throw new Error(`there is no file ${file}`);
  if (found.isDirectory()) throw new Error(`${file} is a folder`);
  if (!found.isFile()) return '';
  const bytes = Buffer.alloc(20);
  const opened = fs.openSync(file);
  fs.readSync(opened, bytes);
  fs.closeSync(opened);
  return bytes.toString('latin1');
}

function sqlite() {
  try {
    return require('node:sqlite');
  } catch {
    throw new Error('this program needs node:sqlite, of Node 22.13 or later (in Node 23, ' +
      `23.5 or later), and this is Node ${process.versions.node}`);
  }
}

/* A connection to a copy of a database. */
async function copyOf(db, file) {
  const {backup, DatabaseSync} = sqlite();
  if (!backup) throw new Error('--copy needs Node 22.16 or later (in Node 23, 23.8 or later)');
  say(`copying ${file}`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-'));
  const remove = () => fs.rmSync(folder, {recursive: true, force: true});
  let copy;
  process.on('exit', () => { copy?.close(); remove(); });
  await backup(db, path.join(folder, 'copy.db'), {rate: 2 ** 31 - 1});
  db.close();
  copy = new DatabaseSync(path.join(folder, 'copy.db'), {allowExtension: true});
  copy.exec('PRAGMA journal_mode = DELETE'); // which needs no other file to read
  if (process.platform !== 'win32') remove(); // it stays until it is closed
  return copy;
}

/* A connection that only reads, of a database or of its copy. */
async function open(file, copy) {
  const {DatabaseSync} = sqlite();
  const isWal = head(file).endsWith('\x02\x02');
  let db;
  try {
    db = new DatabaseSync(file, {readOnly: true, allowExtension: true});
    db.exec('PRAGMA busy_timeout = 5000; BEGIN; SELECT count(*) FROM sqlite_master');
    if (copy) db = await copyOf(db, file);
    else db.exec('COMMIT');
  } catch (error) {
    const hint = isWal && /unable to open|readonly/.test(error.message);
    throw new Error(`${file}: ${error.message}` + (hint ?
      `. It is in WAL mode: reading it needs ${file}-wal and ${file}-shm, which ` +
      'SQLite makes and writes. Copy it, with its -wal file, to a folder of yours' : ''));
  }
  if (!copy && !isWal) {
    say(`${file} is not in WAL mode: until this ends, programs that write to it ` +
      'wait, and may fail. --copy reads a copy instead');
  }
  load(db);
  db.function('bloom_progress', say);
  return db;
}

/* The text of a query: an argument, a file or standard input. */
function queryOf(name) {
  if (name === '-') return fs.readFileSync(0, 'utf8');
  if (!fs.existsSync(name) && /[\s(]/.test(name)) return name;
  if (head(name).startsWith('SQLite format 3\0')) {
    throw new Error(`${name} is a database, not a query: name the database first`);
  }
  return fs.readFileSync(name, 'utf8');
}

/* What bloom_advise says: the verdict, a line for each filter, and the query, which may
 * end with a comment. */
function advice([verdict, ...filters]) {
  const lines = [verdict, ...filters].map((row) => row.advice);
  return verdict.sql === null ? lines : [...lines, '', verdict.sql, ';'];
}

/* What bloom_check says: a line for each problem. */
function problems(rows) {
  return rows.length ? rows.map((row) =>
    `${row.table}.${row.column} (${row.form}): ${row.problem}`) :
    ['the check found no problem'];
}

async function main(words) {
  const {options, names: [file, ...names]} = parse(words);
  if (options.help) return {text: HELP, status: 0};
  if (options.version) {
    const db = new (sqlite().DatabaseSync)(':memory:', {allowExtension: true});
    load(db);
    const {bloom, own} = db.prepare(
      'SELECT bloom_version() AS bloom, sqlite_version() AS own').get();
    return {text: `${NAME} ${bloom}, SQLite ${own}`, status: 0};
  }
  const values = options.check ? names : [queryOf(names[0]), options.seconds ?? null,
    JSON.stringify(Object.fromEntries((options.param ?? []).map(parameter)))];
  const call = options.check ? `bloom_check(${names.map(() => '?').join(', ')})` :
    `bloom_advise(?, ?, ${PARAMETERS})`;
  const rows = (await open(file, options.copy)).prepare(`SELECT * FROM ${call}`)
    .all(...values);
  const status = options.check ? Math.min(rows.length, 1) : STATUS[rows[0].outcome];
  if (status === 2) throw new Error(rows[0].advice);
  return {status, text: options.json ? JSON.stringify(rows, null, 2) :
    (options.check ? problems : advice)(rows).join('\n')};
}

function fail(error) {
  say(`${NAME}: ${error.message}`);
  process.exitCode = 2;
}

process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') fail(error); // else whoever reads has read enough
});
main(process.argv.slice(2)).then(({text, status}) => {
  console.log(text);
  process.exitCode = status;
}, fail);
