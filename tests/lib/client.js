// What every client of SQLite in JavaScript is asked: whether filters, keys and
// errors are what they are in SQL, and whether a kept filter keeps its keys.
'use strict';
const path = require('path');

let count = 0;
const ok = (passed, name) =>
  console.log(`${passed ? 'ok' : 'not ok'} ${++count} - ${name}`);

// What a function throws.
const thrown = (run) => {
  try { run(); } catch (error) { return error; }
};

exports.ok = ok;
exports.thrown = thrown;
exports.plan = () => console.log(`1..${count}`);
exports.extension = path.resolve(process.env.DIST ?? 'dist', 'bloom');

// The connection has loaded the extension. `got` is what its error says of the
// number 1, and isError whether an error is of the client's own kind.
exports.test = (db, got, isError) => {
  const get = (sql, ...values) =>
    Object.values(db.prepare(sql).get(...values) ?? {})[0];

  db.exec('CREATE TABLE key(k)');
  for (const k of ['hello', 'world']) {
    db.prepare('INSERT INTO key VALUES (?)').run(k);
  }
  db.exec('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key');
  const f = get('SELECT f FROM filter');
  ok(f instanceof Uint8Array &&
    Buffer.from(f).toString('hex') === '114000414410401006', 'a filter is bytes');

  const probe = (key, filter) => get('SELECT bloom_may_match(?, ?)', key, filter);
  ok(probe('hello', f) === 1 && probe('foo', f) === 0,
    'a filter bound as a parameter');

  const opened =
    'SELECT 1 WHERE bloom_may_match(?, (SELECT bloom_open(f) FROM filter))';
  ok(['hello', 'x', 'world'].filter((k) => get(opened, k)).join() === 'hello,world',
    'a stored filter through bloom_open');

  const number = get('SELECT bloom_build(42)');
  ok(probe(42, number) === 1 && probe(42n, number) === 1,
    'a number, 42 or 42n, is the key that 42 is in SQL');

  let error = thrown(() => probe('hello', 1));
  ok(isError(error) && error.message ===
    `bloom_may_match: filter must be a BLOB or a bloom_open() handle, got ${got}, ` +
    'which is not an open handle (a handle ends with its statement, or when that has ' +
    'opened too many others: store the filter, and open it again)',
    `an error is ${error?.name} ${error?.code}: ${error?.message}`);

  db.exec('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)');
  const create = "SELECT bloom_create_parts('page', 'url')";
  ok(get(create) === 'page_url_filter', 'one call keeps a filter');
  db.exec("INSERT INTO page(url) VALUES ('/'), ('/a')");
  const known = 'SELECT bloom_may_match(?, filter) FROM page_url_filter';
  ok(get(known, '/') === 1 && get(known, '/x') === 0,
    'a key that was inserted since is in it');
  error = thrown(() => {
    for (const _ of db.prepare('SELECT url FROM page').iterate()) get(create);
  });
  ok(error?.message.includes('another statement of this connection is running'),
    `rows that are not read to the end: ${error?.code}: ${error?.message}`);
  ok(get(create) === 'page_url_filter', 'once they are let go, it passes');
};
