#!/usr/bin/env bun
// Bun's own bun:sqlite.
// skip: build/interop/bin/bun
'use strict';
const {Database, SQLiteError} = require('bun:sqlite');
const {extension, plan, test} = require('../../lib/client.js');

const db = new Database(':memory:');
db.loadExtension(extension);
test(db, '1', (error) => error instanceof SQLiteError);
plan();
