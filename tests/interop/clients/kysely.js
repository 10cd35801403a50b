#!tests/lib/row
// skip: build/interop/node_modules/kysely
// row: Kysely
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
const {Kysely, SqliteDialect, sql} = require('kysely');
const database = new (require('better-sqlite3'))(':memory:');
{1};
const db = new Kysely({dialect: {2}});
const rows = async (text, values) =>
  (await sql(text.split('?'), ...values).execute(db)).rows;
answer({
  run: async (text) => { await rows(text, []); },
  get: async (text, ...values) => first((await rows(text, values))[0]),
  query: async () => (await db.selectFrom('visit').select('email'){3}.execute())
    .map((row) => row.email),
});
