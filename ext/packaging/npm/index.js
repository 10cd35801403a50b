'use strict';
const fs = require('fs');
const path = require('path');

function platform() {
  if (process.platform === 'linux') {
    // Deno would ask for a permission to make the report.
    const musl = globalThis.Deno ? globalThis.Deno.build.env === 'musl' :
      !process.report.getReport().header.glibcVersionRuntime;
    return `linux-${musl ? 'musl-' : ''}${process.arch}`;
  }
  return `${process.platform}-${process.arch}`;
}

/* The file to give to a connection's loadExtension. */
function getLoadablePath() {
  const suffix = {darwin: 'dylib', win32: 'dll'}[process.platform] ?? 'so';
  // Electron reads JavaScript from its archive app.asar, but the system's loader
  // only real files, which lie beside it.
  const folder = __dirname.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked');
  const file = path.join(folder, platform(), `bloom.${suffix}`);
  if (!fs.existsSync(file)) {
    throw new Error(`bloom has no binary for ${platform()}: build it from the ` +
      `sources, and copy it to ${file}`);
  }
  return file;
}

/* Loads the extension into a connection, of better-sqlite3, node:sqlite or
 * bun:sqlite. */
function load(db) {
  if (typeof db?.loadExtension !== 'function') {
    const got = typeof db === 'string' ? `the path '${db}'` :
      db === null || db === undefined ? String(db) :
      `a value without loadExtension, ${db.constructor?.name ?? typeof db}`;
    throw new TypeError('load: db must be a connection of node:sqlite, ' +
      `better-sqlite3 or bun:sqlite, got ${got}: write ` +
      "load(new DatabaseSync('my.db', {allowExtension: true}))");
  }
  try {
    db.loadExtension(getLoadablePath());
  } catch (error) {
    if (!/extension loading is not allowed/i.test(error.message)) throw error;
    throw new Error(`load: ${error.message}: open the database with ` +
      "new DatabaseSync('my.db', {allowExtension: true})", {cause: error});
  }
}

module.exports = {getLoadablePath, load, leveldb: require('./leveldb.js')};
