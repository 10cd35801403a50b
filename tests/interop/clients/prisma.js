#!tests/lib/row
// skip: build/interop/node_modules/@prisma/adapter-better-sqlite3
// row: Prisma, its adapter for better-sqlite3
// run: node app.js
// asks: run get query
const {answer, first} = require('{HERE}/tests/lib/client.cjs');
// What PrismaClient does with a factory. `prisma generate` needs the network, so the
// client itself is not here.
const {PrismaBetterSqlite3} = require('@prisma/adapter-better-sqlite3');
const factory = new PrismaBetterSqlite3({url: ':memory:'});
{1};
{2};
factory.connect().then((db) => {
  const query = async (sql, ...args) => (await db.queryRaw({sql, args,
    argTypes: args.map((value) => ({arity: 'scalar',
      scalarType: Buffer.isBuffer(value) ? 'bytes' : typeof value}))})).rows;
  const $queryRaw = ([sql]) => query(sql);
  return answer({
    run: async (sql) => { await db.executeScript(sql); },
    get: async (...question) => first((await query(...question))[0]),
    query: () => {5},
  });
});
