#!tests/lib/row
// skip: build/interop/bin/bun
// row: Node, Bun
// run: bun app.js
// class: SQLITE_(?:ERROR|BUSY)
const {Database} = require('bun:sqlite');
const db = new Database(':memory:');
{1};
const {answer, connection} = require('{HERE}/tests/lib/client.cjs');
answer(connection(db));
