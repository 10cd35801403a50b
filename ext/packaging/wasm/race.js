// A join, plain and filtered, timed alternately.
import {Database} from './database.js';

const ROUNDS = 3; // of each join; the median time counts

const NUMBERS = `WITH RECURSIVE number(n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < CAST(?1 AS INTEGER))`;

// The nth address. The addresses are scattered, so that in the index those of
// no customer are between those of customers.
const ADDRESS = (n) =>
  `'user' || (${n} * 2654435761 % 4294967296) || '@example.com'`;

let tables;
let prepared = 0; // visits; the customers are half as many

function prepare(rows) {
  tables?.close();
  prepared = 0;
  tables = new Database();
  for (const table of ['customer(email TEXT PRIMARY KEY, name TEXT)',
    'visit(id INTEGER PRIMARY KEY, email TEXT)']) {
    tables.query(`CREATE TABLE ${table}`);
  }
  tables.query(`${NUMBERS} INSERT INTO customer
    SELECT ${ADDRESS('n')}, 'Customer ' || n FROM number`, String(rows / 2));
  prepared = rows;
}

function timed(sql) {
  const began = performance.now();
  const [row] = tables.query(sql);
  return {ms: performance.now() - began, row: row.map(({text}) => text)};
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

/**
 * Joins this many visits with half as many customers by two statements, plain
 * and filtered. `share` percent of the visits are a customer's. part() is
 * called with a text that says what is being done.
 */
export function race({rows, share, plain, filtered}, part) {
  part('making the tables');
  if (prepared !== rows) prepare(rows);
  tables.query('DELETE FROM visit');
  tables.query(`${NUMBERS} INSERT INTO visit
    SELECT n, CASE WHEN leveldb_hash(n) % 1000 < ?2 * 10
      THEN ${ADDRESS('(1 + leveldb_hash(n, 1) % (?1 / 2))')}
      ELSE ${ADDRESS('(?1 / 2 + n)')} END
    FROM number`, String(rows), String(share));
  const times = {plain: [], filtered: []};
  let equal = true;
  let row;
  for (let round = 1; round <= ROUNDS; round++) {
    part(`joining, round ${round} of ${ROUNDS}`);
    const one = timed(plain);
    const other = timed(filtered);
    times.plain.push(one.ms);
    times.filtered.push(other.ms);
    row = one.row;
    equal &&= `${one.row}` === `${other.row}`;
  }
  return {rows, share, equal, found: Number(row[0]),
    plain: median(times.plain), filtered: median(times.filtered)};
}
