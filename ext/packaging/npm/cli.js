#!/usr/bin/env node
'use strict';
const fs = require('fs');
const {load} = require('./index.js');

const USAGE = `usage: sqlite-bloom-leveldb [--json] DATABASE QUERY
       sqlite-bloom-leveldb --check [--json] DATABASE [TABLE [COLUMN]]`;
const HELP = `${USAGE}

The first says which filters make a query faster, and prints the query with them.
QUERY is a SELECT, a file that contains one, or - for standard input. It is run
several times, with filters and without. The second probes every row of the tables
that have kept filters. Neither writes to the database.

  --json  print the rows of bloom_advise or bloom_check for a program to read
  --help  print this text

The exit status is 0 if a filter is advised, or the check finds no problem; 1 if not;
2 after an error.`;

// How bloom_advise begins if the query itself is wrong.
const WRONG_QUERY = /^(query\b|the query cannot be run)/;

/* The flags and the other arguments of a command line. */
function parse(words) {
  const flags = new Set();
  const names = [];
  for (const word of words) {
    if (!/^--?\w[\w-]*$/.test(word)) names.push(word);
    else if (/^--(check|json|help)$/.test(word)) flags.add(word);
    else throw new Error(`there is no option ${word}\n${USAGE}`);
  }
  const [least, most, form] = flags.has('--check') ?
    [1, 3, 'DATABASE [TABLE [COLUMN]]'] : [2, 2, 'DATABASE QUERY'];
  if (!flags.has('--help') && (names.length < least || names.length > most)) {
    throw new Error(`the arguments must be ${form}, got ${names.length}\n${USAGE}`);
  }
  return {flags, names};
}

/* A connection that only reads. */
function open(file) {
  let sqlite;
  try {
    sqlite = require('node:sqlite');
  } catch {
    throw new Error('this program needs node:sqlite, of Node 22.13 or later (in Node 23, ' +
      `23.5 or later), and this is Node ${process.versions.node}`);
  }
  if (!fs.existsSync(file)) throw new Error(`there is no file ${file}`);
  const db = new sqlite.DatabaseSync(file, {readOnly: true, allowExtension: true});
  load(db);
  return db;
}

/* The text of a query: an argument, a file or standard input. */
function queryOf(name) {
  if (name === '-') return fs.readFileSync(0, 'utf8');
  return fs.existsSync(name) ? fs.readFileSync(name, 'utf8') : name;
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

function main(words) {
  const {flags, names: [file, ...names]} = parse(words);
  if (flags.has('--help')) {
    console.log(HELP);
    return 0;
  }
  const check = flags.has('--check');
  const places = check ? names.map(() => '?').join(', ') : '?';
  const rows = open(file).prepare(
    `SELECT * FROM bloom_${check ? 'check' : 'advise'}(${places})`)
    .all(...(check ? names : [queryOf(names[0])]));
  if (!check && WRONG_QUERY.test(rows[0].advice)) throw new Error(rows[0].advice);
  console.log(flags.has('--json') ? JSON.stringify(rows, null, 2) :
    (check ? problems : advice)(rows).join('\n'));
  return check ? Math.min(rows.length, 1) : Number(rows[0].sql === null);
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(`sqlite-bloom-leveldb: ${error.message}`);
  process.exitCode = 2;
}
