#!tests/lib/row
// skip: build/interop/bin/node
// row: Node, Bun
// run: node app.js
// class: ERR_SQLITE_ERROR
const {DatabaseSync} = require('node:sqlite');
const db = new DatabaseSync(':memory:', {allowExtension: true});
{1};
const {answer, connection} = require('{HERE}/tests/lib/client.cjs');
answer(connection(db));
