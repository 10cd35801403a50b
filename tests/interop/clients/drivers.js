#!tests/lib/row
// skip: build/interop/node_modules/libsql
// row: Node
// run: node app.js node:sqlite
// run: node app.js better-sqlite3
// run: node app.js libsql
// run: bun app.js bun:sqlite
// class: (?:ERR_)?SQLITE_(?:ERROR|BUSY)
const name = process.argv[2];
const {Database = require(name), DatabaseSync = Database} = require(name);
const db = new DatabaseSync(':memory:', {allowExtension: true});
{1};
const {answer, connection} = require('{HERE}/tests/lib/client.cjs');
answer(connection(db));
