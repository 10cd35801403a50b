// SQLite in this worker's memory. This is the part of its C interface that the
// page needs.
import load from './sqlite3-bloom.js';

const OK = 0;
const ROW = 100;
const DONE = 101;
const COPY = -1; // SQLITE_TRANSIENT
const FREEONCLOSE = 1;
const RESIZEABLE = 2;
const TYPES = [, 'INTEGER', 'REAL', 'TEXT', 'BLOB', 'NULL'];

let wasm;
let out; // where C writes its second result, in up to 8 bytes

/** Loads the module. This must come before everything else. */
export async function start() {
  wasm = await load();
  out = wasm._malloc(8);
}

const written = () => wasm.HEAPU32[out >> 2];

// Copies bytes to memory of C's, which it gets from this function of C's.
function place(bytes, allocate) {
  const at = allocate(bytes.length);
  if (at === 0) throw new Error('out of memory');
  wasm.HEAPU8.set(bytes, at);
  return at;
}

// Returns what use(address, size) does with a copy of bytes, or of a string's UTF-8,
// which ends with a NUL that its size does not count.
function withCopy(value, use) {
  const isText = typeof value === 'string';
  const bytes = isText ? new TextEncoder().encode(`${value}\0`) : value;
  const at = place(bytes, wasm._malloc);
  try {
    return use(at, bytes.length - isText);
  } finally {
    wasm._free(at);
  }
}

/** Whether a text ends with a complete statement; the shell asks the same. */
export const isComplete = (sql) =>
  withCopy(sql, (text) => wasm._sqlite3_complete(text) === 1);

export class Database {
  #handle;

  /** Opens a database in memory: an empty one, or that of a file's bytes. */
  constructor(file) {
    const code = withCopy(':memory:', (name) => wasm._sqlite3_open(name, out));
    this.#handle = written();
    try {
      this.check(code);
      if (file?.length) this.#deserialize(file);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  // Takes the database of a file's bytes. SQLite is built without WAL, which two
  // bytes at the head of a file ask for.
  #deserialize(file) {
    const at = place(file, wasm._sqlite3_malloc);
    if (file[18] === 2) wasm.HEAPU8.fill(1, at + 18, at + 20);
    this.check(wasm._sqlite3_deserialize(this.#handle, 0, at, file.length, 0,
      file.length, 0, FREEONCLOSE | RESIZEABLE));
    this.query('SELECT count(*) FROM sqlite_schema'); // fails unless it is a database
  }

  /** The bytes of the file that this database would be. */
  serialize() {
    const at = wasm._sqlite3_serialize(this.#handle, 0, out, 0);
    const size = written();
    if (at === 0 && size > 0) throw new Error('out of memory');
    const bytes = wasm.HEAPU8.slice(at, at + size);
    wasm._sqlite3_free(at);
    return bytes;
  }

  /** Throws SQLite's message for the last call, unless this is the code of success. */
  check(code) {
    if (code === OK) return;
    throw new Error(wasm.UTF8ToString(wasm._sqlite3_errmsg(this.#handle)));
  }

  /**
   * Prepares the first statement of a text, which the caller finalizes. Returns null if
   * there is nothing but comments.
   */
  prepare(sql) {
    withCopy(sql, (text) =>
      this.check(wasm._sqlite3_prepare_v2(this.#handle, text, -1, out, 0)));
    return written() === 0 ? null : new Statement(this, written());
  }

  /** Returns all rows of one statement with these values bound. */
  query(sql, ...values) {
    const statement = this.prepare(sql);
    try {
      values.forEach((value, i) => statement.bind(i + 1, value));
      return [...statement.rows()];
    } finally {
      statement.finalize();
    }
  }

  close() {
    wasm._sqlite3_close(this.#handle);
  }
}

class Statement {
  #database;
  #handle;

  constructor(database, handle) {
    this.#database = database;
    this.#handle = handle;
  }

  /** The names of the parameters; those without a name are `?1` and so on. */
  parameters() {
    const count = wasm._sqlite3_bind_parameter_count(this.#handle);
    return Array.from({length: count}, (_, i) =>
      wasm.UTF8ToString(wasm._sqlite3_bind_parameter_name(this.#handle, i + 1)) ||
      `?${i + 1}`);
  }

  /**
   * Binds the first column of the first row of another statement, of whatever
   * type, or NULL if it has no row.
   */
  bindFirst(parameter, other) {
    const code = wasm._sqlite3_step(other.#handle);
    if (code === ROW) {
      wasm._sqlite3_bind_value(this.#handle, parameter,
        wasm._sqlite3_column_value(other.#handle, 0));
    }
    wasm._sqlite3_reset(other.#handle);
    if (code !== ROW && code !== DONE) this.#database.check(code);
  }

  /** Whether the statement is an EXPLAIN QUERY PLAN. */
  isPlan() {
    return wasm._sqlite3_stmt_isexplain(this.#handle) === 2;
  }

  /** Binds a string as TEXT, a Uint8Array as a BLOB; the first parameter is 1. */
  bind(parameter, value) {
    const bind = typeof value === 'string'
      ? wasm._sqlite3_bind_text
      : wasm._sqlite3_bind_blob;
    withCopy(value, (at, size) =>
      this.#database.check(bind(this.#handle, parameter, at, size, COPY)));
    return this;
  }

  columns() {
    const count = wasm._sqlite3_column_count(this.#handle);
    return Array.from({length: count}, (_, i) =>
      wasm.UTF8ToString(wasm._sqlite3_column_name(this.#handle, i)));
  }

  /**
   * Runs the statement. A row is an array of {type, text}, with the text as
   * SQLite writes the value. A BLOB has bytes instead of text, and NULL has
   * neither.
   */
  *rows() {
    const count = wasm._sqlite3_column_count(this.#handle);
    try {
      let code;
      while ((code = wasm._sqlite3_step(this.#handle)) === ROW) {
        yield Array.from({length: count}, (_, i) => this.#value(i));
      }
      if (code !== DONE) this.#database.check(code);
    } finally {
      wasm._sqlite3_reset(this.#handle);
    }
  }

  #value(column) {
    const type = TYPES[wasm._sqlite3_column_type(this.#handle, column)];
    if (type === 'NULL') return {type};
    const read = type === 'BLOB' ? wasm._sqlite3_column_blob : wasm._sqlite3_column_text;
    const at = read(this.#handle, column);
    const size = wasm._sqlite3_column_bytes(this.#handle, column);
    const bytes = wasm.HEAPU8.slice(at, at + size);
    return type === 'BLOB' ? {type, bytes} : {type, text: new TextDecoder().decode(bytes)};
  }

  finalize() {
    wasm._sqlite3_finalize(this.#handle);
  }
}
