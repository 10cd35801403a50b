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

/** Loads the module. This must come before everything else. */
export async function start() {
  wasm = await load();
}

/** Whether a text ends with a complete statement; the shell asks the same. */
export function isComplete(sql) {
  const [text] = place(`${sql}\0`);
  const complete = wasm._sqlite3_complete(text) === 1;
  wasm._free(text);
  return complete;
}

// Copies bytes, or a string's UTF-8, to memory that C can read and that the
// caller frees.
function place(value) {
  const bytes =
    typeof value === 'string' ? new TextEncoder().encode(value) : value;
  const at = wasm._malloc(bytes.length);
  if (at === 0) throw new Error('out of memory');
  wasm.HEAPU8.set(bytes, at);
  return [at, bytes.length];
}

export class Database {
  #handle;

  /** Opens a database in memory: an empty one, or that of a file's bytes. */
  constructor(file) {
    const [name] = place(':memory:\0');
    const [out] = place(new Uint8Array(4));
    const code = wasm._sqlite3_open(name, out);
    this.#handle = wasm.HEAPU32[out >> 2];
    wasm._free(name);
    wasm._free(out);
    if (code !== OK) throw this.error();
    if (!file?.length) return;
    try {
      this.#deserialize(file);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  // Takes the database of a file's bytes. SQLite is built without WAL, which two
  // bytes at the head of a file ask for.
  #deserialize(file) {
    const at = wasm._sqlite3_malloc(file.length);
    if (at === 0) throw new Error('out of memory');
    wasm.HEAPU8.set(file, at);
    if (file[18] === 2) wasm.HEAPU8.fill(1, at + 18, at + 20);
    const [schema] = place('main\0');
    const code = wasm._sqlite3_deserialize(this.#handle, schema, at, file.length, 0,
      file.length, 0, FREEONCLOSE | RESIZEABLE);
    wasm._free(schema);
    if (code !== OK) throw this.error();
    this.query('SELECT count(*) FROM sqlite_schema'); // fails unless it is a database
  }

  /** The bytes of the file that this database would be. */
  serialize() {
    const [schema] = place('main\0');
    const [out] = place(new Uint8Array(8));
    const at = wasm._sqlite3_serialize(this.#handle, schema, out, 0);
    const size = wasm.HEAPU32[out >> 2];
    wasm._free(schema);
    wasm._free(out);
    if (at === 0 && size > 0) throw new Error('out of memory');
    const bytes = wasm.HEAPU8.slice(at, at + size);
    wasm._sqlite3_free(at);
    return bytes;
  }

  /** SQLite's error message for the last call, which failed. */
  error() {
    return new Error(wasm.UTF8ToString(wasm._sqlite3_errmsg(this.#handle)));
  }

  // Returns the first statement of the text at an address, or null if there is
  // none, and the address of what follows.
  #prepare(text) {
    const [out] = place(new Uint8Array(8));
    const code = wasm._sqlite3_prepare_v2(this.#handle, text, -1, out, out + 4);
    const [handle, end] = wasm.HEAPU32.subarray(out >> 2, (out >> 2) + 2);
    wasm._free(out);
    if (code !== OK) throw this.error();
    return [handle === 0 ? null : new Statement(this, handle), end];
  }

  /** Prepares one statement, which the caller finalizes. */
  prepare(sql) {
    const [text] = place(`${sql}\0`);
    try {
      return this.#prepare(text)[0];
    } finally {
      wasm._free(text);
    }
  }

  /**
   * The statements of a text. Each is prepared when it is asked for, since it
   * may need what the one before it has made, and it is finalized afterwards.
   */
  *statements(sql) {
    const [text] = place(`${sql}\0`);
    let statement = null;
    try {
      for (let at = text; wasm.HEAPU8[at] !== 0;) {
        [statement, at] = this.#prepare(at);
        if (statement === null) continue; // a comment
        yield statement;
        statement.finalize();
        statement = null;
      }
    } finally {
      statement?.finalize();
      wasm._free(text);
    }
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
    return Array.from({length: count}, (_, i) => {
      const name = wasm._sqlite3_bind_parameter_name(this.#handle, i + 1);
      return name === 0 ? `?${i + 1}` : wasm.UTF8ToString(name);
    });
  }

  /**
   * Binds the first column of the first row of another statement, of whatever
   * type, or NULL if it has no row.
   */
  bindFirst(parameter, other) {
    if (wasm._sqlite3_step(other.#handle) === ROW) {
      wasm._sqlite3_bind_value(this.#handle, parameter,
        wasm._sqlite3_column_value(other.#handle, 0));
    }
    wasm._sqlite3_reset(other.#handle);
  }

  /** Whether the statement is an EXPLAIN QUERY PLAN. */
  isPlan() {
    return wasm._sqlite3_stmt_isexplain(this.#handle) === 2;
  }

  /** Binds a string as TEXT, a Uint8Array as a BLOB; the first parameter is 1. */
  bind(parameter, value) {
    const [at, size] = place(value);
    const bind = typeof value === 'string'
      ? wasm._sqlite3_bind_text
      : wasm._sqlite3_bind_blob;
    const code = bind(this.#handle, parameter, at, size, COPY);
    wasm._free(at);
    if (code !== OK) throw this.#database.error();
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
      if (code !== DONE) throw this.#database.error();
    } finally {
      wasm._sqlite3_reset(this.#handle);
    }
  }

  #value(column) {
    const type = TYPES[wasm._sqlite3_column_type(this.#handle, column)];
    if (type === 'NULL') return {type};
    const read =
      type === 'BLOB' ? wasm._sqlite3_column_blob : wasm._sqlite3_column_text;
    const at = read(this.#handle, column);
    const size = wasm._sqlite3_column_bytes(this.#handle, column);
    const bytes = wasm.HEAPU8.slice(at, at + size);
    return type === 'BLOB'
      ? {type, bytes}
      : {type, text: new TextDecoder().decode(bytes)};
  }

  finalize() {
    wasm._sqlite3_finalize(this.#handle);
  }
}
