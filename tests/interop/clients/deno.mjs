#!tests/lib/row
// skip: build/interop/bin/deno
// row: Deno 2, `node:sqlite`
// run: {3}
// class: .+
import {DatabaseSync} from 'node:sqlite';
{1}
const db = new DatabaseSync('app.db', {allowExtension: true});
{2};
import client from '{HERE}/tests/lib/client.cjs';
client.answer(client.connection(db));
