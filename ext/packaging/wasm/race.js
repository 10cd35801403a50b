// A join, plain and filtered, timed alternately.
import {Database} from './database.js';

const ROUNDS = 5; // of each join, or more; the shortest time counts
const LEAST = 300; // milliseconds of rounds

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

/**
 * Joins this many visits with half as many customers by two statements, plain
 * and filtered. `share` percent of the visits are a customer's. part() is
 * called with what is being done, a text, and the shortest times so far.
 */
export function race({rows, share, plain, filtered}, part) {
  part({doing: 'making the tables'});
  if (prepared !== rows) prepare(rows);
  tables.query('DELETE FROM visit');
  tables.query(`${NUMBERS} INSERT INTO visit
    SELECT n, CASE WHEN leveldb_hash(n) % 1000 < ?2 * 10
      THEN ${ADDRESS('(1 + leveldb_hash(n, 1) % (?1 / 2))')}
      ELSE ${ADDRESS('(?1 / 2 + n)')} END
    FROM number`, String(rows), String(share));
  const shortest = {plain: Infinity, filtered: Infinity};
  let equal = true;
  let found;
  const began = performance.now();
  for (let round = 1; round <= ROUNDS || performance.now() < began + LEAST; round++) {
    part({doing: `joining, round ${round}`, ...shortest});
    const [one, other] = Object.entries({plain, filtered}).map(([name, sql]) => {
      const {ms, row} = timed(sql);
      shortest[name] = Math.min(shortest[name], ms);
      return row;
    });
    equal &&= `${one}` === `${other}`;
    found = Number(one[0]);
  }
  return {rows, share, equal, found, ...shortest};
}
