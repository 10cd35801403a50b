#!tests/lib/row
// skip: build/interop/node_modules/typeorm
// row: TypeORM
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
const {DataSource, EntitySchema} = require('typeorm');
const visit = new EntitySchema({
  name: 'visit', columns: {email: {type: 'text', primary: true}}});
const db = new DataSource(
  {type: 'better-sqlite3', database: ':memory:', entities: [visit], {1}});
db.initialize().then(() => answer({
  run: async (text) => { await db.query(text); },
  get: async (text, ...values) => first((await db.query(text, values))[0]),
  query: async () => (await db.getRepository('visit').createQueryBuilder('visit')
    {2}.getMany()).map((row) => row.email),
}));
