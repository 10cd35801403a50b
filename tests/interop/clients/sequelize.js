#!tests/lib/row
// skip: build/interop/node_modules/sequelize
// skip: build/interop/node_modules/sqlite3/build/Release/node_sqlite3.node
// row: Sequelize 6
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
const {Sequelize, DataTypes} = require('sequelize');
{1};
{2}
const db = new Sequelize({dialect: 'sqlite', storage: 'app.db', logging: false, {3}});
const visit = db.define('visit', {email: {type: DataTypes.TEXT, primaryKey: true}},
  {tableName: 'visit', timestamps: false});
answer({
  run: async (text) => { await db.query(text); },
  get: async (text, ...replacements) => first((await db.query(text, {replacements}))[0][0]),
  // The connection of a transaction is another one.
  query: () => db.transaction(async (transaction) =>
    (await visit.findAll({transaction, {4}})).map(({email}) => email)),
});
