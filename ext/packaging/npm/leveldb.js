'use strict';
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const NAME = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:ldb|sst|log))$/;
const TABLES = ['newest', 'newest_text', 'record', 'damage'];
const MOST = {maxOutputLength: 2 ** 28}; // bytes of a block

/* What the function returns, or null if it throws. */
function orNull(read) {
  try {
    return read();
  } catch {
    return null;
  }
}

/* The functions that the SQL needs. The drivers count their arguments. */
const readFile = (file) => orNull(() => fs.readFileSync(file));
const inflate = (type, stored) => orNull(() => {
  if (Number(type) === 4) return zlib.inflateRawSync(stored, MOST);
  if (Number(type) !== 2) return null;
  const isZstd = Buffer.from(stored).readUInt32LE(0) === 0xfd2fb528;
  return (isZstd ? zlib.zstdDecompressSync : zlib.inflateSync)(stored, MOST);
});

/* Reads a LevelDB folder: see index.d.ts. */
module.exports = function leveldb(db, folder, {prefix, key, table = 'newest'} = {}) {
  if (typeof db?.function !== 'function') {
    throw new TypeError('leveldb: db must be a connection of better-sqlite3 or ' +
      'node:sqlite into which the extension is loaded');
  }
  if (!TABLES.includes(table)) {
    throw new RangeError(`leveldb: table must be one of ${TABLES.join(', ')}, got ${table}`);
  }
  if (prefix != null && key != null) {
    throw new TypeError('leveldb: prefix and key must not both be given');
  }
  const names = fs.readdirSync(folder).filter((name) => NAME.test(name) &&
    fs.statSync(path.join(folder, name)).isFile());
  if (names.length === 0) throw new Error(`leveldb: no LevelDB folder: ${folder}`);
  db.function('readfile', readFile);
  db.function('leveldb_inflate', inflate);
  db.exec(`DROP TABLE IF EXISTS temp.file; DROP TABLE IF EXISTS temp.wanted;
    CREATE TEMP TABLE file(name TEXT PRIMARY KEY, path TEXT, content BLOB);
    CREATE TEMP TABLE wanted(form TEXT, key BLOB)`);
  const insert = db.prepare('INSERT INTO temp.file(name, path) VALUES (?, ?)');
  for (const name of names) insert.run(name, path.join(folder, name));
  const wanted = key ?? prefix;
  db.prepare('INSERT INTO temp.wanted VALUES (?, ?)').run(key == null ? 'table' : 'get',
    typeof wanted === 'string' ? Buffer.from(wanted) : wanted ?? null);
  db.exec(fs.readFileSync(path.join(__dirname, 'leveldb_folder.sql'), 'utf8'));
  const {harm} = db.prepare(
    "SELECT count(*) AS harm FROM temp.damage WHERE effect <> 'none'").get();
  if (harm > 0 && table !== 'damage') {
    process.emitWarning(`leveldb: ${harm} rows of damage: see {table: 'damage'}`);
  }
  return db.prepare(`SELECT * FROM temp.${table}`).iterate();
};
