#!tests/lib/row
// skip: build/interop/node_modules/drizzle-orm
// row: Drizzle
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
const {drizzle} = require('drizzle-orm/better-sqlite3');
const {sql} = require('drizzle-orm');
const {sqliteTable, text} = require('drizzle-orm/sqlite-core');
const db = drizzle(':memory:');
{1};
const visit = sqliteTable('visit', {email: text()});
// sql`...` with values in the place of each ?.
const bound = (text, values) => sql(text.split('?'), ...values);
answer({
  run: (text) => { db.run(text); },
  get: (text, ...values) => first(db.get(bound(text, values))),
  query: () => db.select().from(visit){2}.all().map((row) => row.email),
});
