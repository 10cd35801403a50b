/** The file to give to a connection's loadExtension. */
export function getLoadablePath(): string;

/** Loads the extension into a connection. An error says what to write instead of a
 * db that is none, or that may not load extensions. */
export function load(db: {loadExtension(file: string): void}): void;

/** A connection of better-sqlite3 or node:sqlite. */
export interface LevelDBConnection {
  function(name: string, f: (...values: any[]) => any): unknown;
  exec(sql: string): unknown;
  prepare(sql: string): any;
}

/** The rows of a LevelDB folder, which is not changed. They are of `newest`, the newest
 * value of each key: {key, value, doubt}, where doubt is 1 if damage may touch the row.
 * With a prefix, only of the keys that begin with it, and with a key of this one, for
 * which the rest is not read. `table` names another SQL table: `newest_text`, `record`
 * (each entry in each file) or `damage`. The tables are TEMP tables of db, into which
 * the extension must be loaded. */
export function leveldb(
  db: LevelDBConnection, folder: string,
  options?: {prefix?: string | Uint8Array; key?: string | Uint8Array;
    table?: 'newest' | 'newest_text' | 'record' | 'damage'},
): IterableIterator<Record<string, unknown>>;
