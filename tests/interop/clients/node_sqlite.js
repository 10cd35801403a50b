#!/usr/bin/env node
// Node's own node:sqlite, which binds a number as REAL.
// skip: build/interop/bin/node
'use strict';
const {DatabaseSync} = require('node:sqlite');
const {extension, plan, test} = require('../../lib/client.js');

const db = new DatabaseSync(':memory:', {allowExtension: true});
db.loadExtension(`${extension}.so`); // the file's whole name, suffix included
db.enableLoadExtension(false);
test(db, '1.0', (error) => error?.code === 'ERR_SQLITE_ERROR');
plan();
