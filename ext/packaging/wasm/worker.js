// Answers the page's requests to SQLite. It runs in a worker, which can be
// ended at any time and does not block the page. A message is {id, what,
// argument}. The answer is {id, result} or {id, error}, after any number of
// {id, part}.
import {Database, start} from './database.js';
import {Session} from './session.js';
import {race} from './race.js';

const MAX_REGIONS = 2048; // in the picture of a large filter

let database;
let session;
let saved; // the state of its database when it was made, opened or saved
let filter; // the statement that probes the filter that is shown

// ---- SQL

// Makes a new database, unless that of the run before is kept.
function begin(keep) {
  if (keep && session) return;
  session?.close();
  session = new Session();
  saved = session.state();
}

// Whether the database has changes that were not saved.
const changed = () => session.state() !== saved;

// Runs a text. Its comment lines say what must be printed if the text `marks` has them.
function run({keep, sql, ...options}, part) {
  begin(keep);
  session.run(sql, options, part);
}

// Opens the database of a file's bytes in place of the one before, and returns how
// many tables and views it has.
function open(bytes) {
  const opened = new Session(bytes);
  session?.close();
  session = opened;
  saved = session.state();
  return session.names('%').length;
}

function save() {
  saved = session?.state();
  return session?.save() ?? new Uint8Array();
}

// ---- A filter

// The filter of these keys, with room for so many. NULL is no key, but with it, the filter
// of no key has its room, too.
function build({keys, bits, room}) {
  const [[{bytes}]] = database.query(
    'SELECT bloom_build(value, ?2, ?3) FROM json_each(?1)',
    JSON.stringify([null, ...keys]), String(bits), String(room));
  return bytes;
}

// The shares of bits that are set in each region of a filter, at most MAX_REGIONS.
function regionsOf(bytes) {
  const size = Math.max(0, bytes.length - 1);
  const regions = new Float32Array(Math.min(size, MAX_REGIONS));
  for (let region = 0; region < regions.length; region++) {
    const first = Math.ceil(region * size / regions.length);
    const end = Math.ceil((region + 1) * size / regions.length);
    let set = 0;
    for (let i = first; i < end; i++) {
      for (let left = bytes[i]; left > 0; left &= left - 1) set++;
    }
    regions[region] = set / (8 * (end - first));
  }
  return regions;
}

// Takes the filter that is to be probed, and returns what is known about it.
function take(bytes) {
  filter?.finalize();
  const names = ['bytes', 'bits', 'probes', 'fill', 'keys', 'rate'];
  const [row] = database.query(`SELECT bytes, bits, probes, fill, keys,
    false_positive_rate FROM bloom_info(?)`, bytes);
  const info = Object.fromEntries(row.map(({text}, i) =>
    [names[i], text === undefined ? null : Number(text)]));
  filter = database.prepare('SELECT leveldb_hash(?1), bloom_may_match(?1, ?2)').bind(2, bytes);
  return {...info, regions: regionsOf(bytes)};
}

// A key's hash, and whether the key, a text or SQL, may be in the filter.
function ask({key, isSql}) {
  if (isSql) {
    const value = database.prepare(`SELECT (${key}\n)`);
    filter.bindFirst(1, value);
    value.finalize();
  } else {
    filter.bind(1, key);
  }
  const [[hash, match]] = filter.rows();
  if (hash.type === 'NULL') throw new Error('NULL is no key.');
  return {hash: Number(hash.text), match: match.text === '1'};
}

// A key that the filter matches and that is not in this list.
function falsePositive(keys) {
  for (let n = 1; n <= 100000; n++) {
    const key = `key ${n}`;
    if (ask({key}).match && !keys.includes(key)) return key;
  }
  return null;
}

function version() {
  return database.query("SELECT format('bloom %s, SQLite %s.', " +
    'bloom_version(), sqlite_version())')[0][0].text;
}

// ---- Messages

const answers = {ask, build, changed, falsePositive, open, race, run,
  save, take, version};

const started = start().then(() => { database = new Database(); });

onmessage = async ({data: {id, what, argument}}) => {
  try {
    await started;
    const result = answers[what](argument, (part) => postMessage({id, part}));
    postMessage({id, result});
  } catch (error) {
    postMessage({id, error: error.message,
      ended: error instanceof WebAssembly.RuntimeError});
  }
};
