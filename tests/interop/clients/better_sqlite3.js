#!tests/lib/row
// skip: build/interop/node_modules/better-sqlite3
// row: Node, Bun
// run: node app.js
// class: SQLITE_(?:ERROR|BUSY)
const Database = require('better-sqlite3');
const db = new Database(':memory:');
{1};
const {answer, connection} = require('{HERE}/tests/lib/client.cjs');
answer(connection(db));
