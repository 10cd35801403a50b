#!tests/lib/row
// skip: build/interop/node_modules/libsql
// row: libsql, from npm
// run: node app.js
// class: SQLITE_(?:ERROR|BUSY)
const Database = require('libsql');
const db = new Database(':memory:');
{1};
const {answer, connection} = require('{HERE}/tests/lib/client.cjs');
answer(connection(db));
