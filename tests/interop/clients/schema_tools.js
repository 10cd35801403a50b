#!/usr/bin/env node
// What Prisma's engine for `db pull` and `db push`, and drizzle-kit, do where a table has
// kept filters: they cannot load the extension, and fail at the filters' views. They work
// once the filters are dropped, as the page of packages says.
// skip: build/interop/node_modules/@prisma/schema-engine-wasm
'use strict';
const {spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {ok, plan} = require('../../lib/client.cjs');
const Database = require('better-sqlite3');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'schema_tools-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true}));
const file = path.join(folder, 'my.db');
const db = new Database(file);
db.loadExtension(path.resolve(process.env.DIST ?? 'dist', 'bloom'));
db.exec('CREATE TABLE customer(id INTEGER PRIMARY KEY NOT NULL, email TEXT)');

const call = (verb) => db.prepare(`SELECT bloom_${verb}_parts('customer', 'email'),
  bloom_${verb}_blocks('customer', 'email')`).get();
const schema = () => db.prepare('SELECT group_concat(sql) FROM sqlite_master').pluck().get();
const columns = () => db.pragma('table_info(customer)').map(({name}) => name).join(' ');

// The tool fails and changes nothing, and does its work without the filters. Then these
// are made again.
const drops = async (name, tool, works) => {
  call('create');
  const before = schema();
  const failed = await tool();
  ok(failed && schema() === before, `${name} fails, and changes nothing: ${failed}`);
  call('drop');
  const error = await tool();
  ok(!error && works(), `${name} works once the filters are dropped: ${error}`);
  call('create');
  db.exec("INSERT INTO customer(email) VALUES ('ann')");
  ok(db.prepare('SELECT * FROM bloom_check()').all().length === 0,
    `after ${name}, the filters can be made again`);
};

const prisma = async () => {
  const {SchemaEngine} = await import(require.resolve('@prisma/schema-engine-wasm'));
  const {PrismaBetterSqlite3} = require('@prisma/adapter-better-sqlite3');
  const {bindMigrationAwareSqlAdapterFactory} = require('@prisma/driver-adapter-utils');
  const source = 'datasource db {\n  provider = "sqlite"\n}\n';
  const files = (content) => ({files: [{path: 'schema.prisma', content}]});
  const engine = await SchemaEngine.new({datamodels: [['schema.prisma', source]]}, () => {},
    bindMigrationAwareSqlAdapterFactory(new PrismaBetterSqlite3({url: `file:${file}`})));
  const errorOf = (promise) =>
    promise.then(() => '', ({message}) => message.split('\n')[0]);
  let pulled;
  await drops('db pull', () => errorOf(engine.introspect({schema: files(source), force: true,
    baseDirectoryPath: folder, compositeTypeDepth: -1, namespaces: null})
    .then((answer) => { pulled = answer.schema.files[0].content; })),
  () => pulled.match(/^model .*/gm).join() === 'model customer {');
  const wanted = files(pulled.replace('email String?', 'email String?\n  name String?'));
  await drops('db push', () => errorOf(engine.schemaPush({force: false, schema: wanted,
    filters: {externalTables: [], externalEnums: []}})),
  () => columns() === 'id email name');
};

const drizzle = async () => {
  fs.writeFileSync(path.join(folder, 'schema.js'), `
    const {sqliteTable, integer, text} = require('drizzle-orm/sqlite-core');
    exports.customer = sqliteTable('customer', {id: integer().primaryKey().notNull(),
      email: text(), name: text(), city: text()});`);
  fs.writeFileSync(path.join(folder, 'drizzle.config.js'), `module.exports = {
    dialect: 'sqlite', schema: './schema.js', dbCredentials: {url: 'my.db'}}`);
  const kit = path.join(path.dirname(require.resolve('drizzle-kit')), 'bin.cjs');
  await drops('drizzle-kit push', () => {
    const {status} = spawnSync(process.execPath, [kit, 'push', '--force'], {cwd: folder});
    return status && `status ${status}`;
  }, () => columns() === 'id email name city');
};

prisma().then(drizzle).then(plan);
