'use strict';
const fs = require('fs');
const path = require('path');

function platform() {
  if (process.platform === 'linux') {
    const musl = !process.report.getReport().header.glibcVersionRuntime;
    return `linux-${musl ? 'musl-' : ''}${process.arch}`;
  }
  return `${process.platform}-${process.arch}`;
}

/* The file to give to a connection's loadExtension. */
function getLoadablePath() {
  const folder = path.join(__dirname, platform());
  const suffix = process.platform === 'win32' ? 'dll' : 'so';
  const file = path.join(folder, `bloom.${suffix}`);
  if (!fs.existsSync(file)) {
    throw new Error(`bloom has no binary for ${platform()}: build it from source`);
  }
  return file;
}

/* Loads the extension into a connection, of better-sqlite3, node:sqlite or
 * bun:sqlite. */
function load(db) {
  db.loadExtension(getLoadablePath());
}

module.exports = {getLoadablePath, load};
