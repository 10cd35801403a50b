// Writes a LevelDB database with classic-level, and prints the keys and values
// that it then has, in hexadecimal:
//
//   node leveldb_write.js FOLDER KEYS
'use strict';
const {ClassicLevel} = require('classic-level');

async function main([folder, keys]) {
  const db = new ClassicLevel(folder, {writeBufferSize: 65536, blockSize: 1024});
  const key = (i) => `key ${String(i).padStart(6, '0')}`;
  for (let i = 0; i < keys; i++) {
    await db.put(key(i), `value ${i} `.repeat(i % 40));
  }
  await db.batch(Array.from({length: keys / 10}, (_, i) => [
    {type: 'put', key: key(10 * i), value: 'again'},
    {type: 'del', key: key(10 * i + 3)},
  ]).flat());
  const hex = (text) => Buffer.from(text).toString('hex').toUpperCase();
  for await (const [k, value] of db.iterator()) {
    console.log(`${hex(k)}|${hex(value)}`);
  }
  await db.close();
}

main(process.argv.slice(2));
