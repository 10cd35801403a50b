// TAP, and how a client of SQLite in JavaScript answers the questions of tests/lib/row.
'use strict';
const fs = require('fs');

let count = 0;
exports.ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);
exports.plan = () => console.log(`1..${count}`);

const first = (row) => Object.values(row ?? {})[0];
exports.first = first;

// What answers on a connection of node:sqlite, better-sqlite3, bun:sqlite and libsql.
exports.connection = (db) => ({
  run: (sql) => { db.exec(sql); },
  get: (sql, ...values) => first(db.prepare(sql).get(...values)),
  open(sql) {
    this.rows = db.prepare(sql).iterate();
    return first(this.rows.next().value);
  },
  close() { // libsql's iterators can only be read to the end
    if (this.rows.return) this.rows.return();
    else while (!this.rows.next().done);
  },
});

// `client` has a function, which may be asynchronous, for each kind of question.
exports.answer = async (client) => {
  for (const line of fs.readFileSync('questions', 'utf8').trim().split('\n')) {
    const [kind, ...fields] = line.split('\t');
    const values = fields.map((field) => /^x[0-9a-f]+$/.test(field) ?
      Buffer.from(field.slice(1), 'hex') : field[0] === '#' ? +field.slice(1) : field);
    let said;
    try {
      said = await client[kind](...values);
    } catch (error) {
      said = `${error.code ?? error.name}: ${error.message}`;
    }
    console.log(said instanceof Uint8Array ?
      `x${Buffer.from(said).toString('hex')}` : String(said ?? ''));
  }
};
