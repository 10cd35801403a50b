#!tests/lib/row
// skip: build/interop/node_modules/knex
// row: Knex
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
const db = require('knex')({client: 'better-sqlite3', useNullAsDefault: true,
  connection: {filename: ':memory:'}, {1}});
answer({
  run: async (text) => { await db.raw(text); },
  get: async (text, ...values) => first((await db.raw(text, values))[0]),
  query: () => db('visit'){2}.pluck('email'),
}).then(() => db.destroy());
