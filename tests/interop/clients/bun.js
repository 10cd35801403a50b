#!/usr/bin/env bun
// Bun's own bun:sqlite.
// skip: build/interop/bin/bun
'use strict';
const {Database, SQLiteError} = require('bun:sqlite');
const {extension, plan, test} = require('../../lib/client.js');

const db = new Database(':memory:');
db.loadExtension(extension);
test(db, '1, which is not an open handle (a handle ends with its statement, ' +
  'or when that has opened too many others: store the filter, and open it again)', (error) => error instanceof SQLiteError);
plan();
