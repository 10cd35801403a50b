// A join, plain and filtered, timed by bloom_compare.
import {Database} from './database.js';

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

/**
 * Joins this many visits with half as many customers by two statements, plain
 * and filtered. `share` percent of the visits are a customer's. part() is
 * called with what is being done.
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
  part('joining');
  const [[same, ...times]] = tables.query(
    'SELECT same, plain_ms, filtered_ms FROM bloom_compare(?, ?)', plain, filtered);
  const [plainTime, filteredTime] = times.map(({text}) => Number(text));
  const [[found]] = tables.query(plain);
  return {rows, share, equal: same.text === '1', found: Number(found.text),
    plain: plainTime, filtered: filteredTime};
}
