#!/usr/bin/env node
// The package for npm that `make dist` makes, installed from its file into a
// project of its own. Its drivers are tested by their rows.
// skip: build/interop/bin/deno
'use strict';
const {execFileSync, spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {ok, plan} = require('../../lib/client.cjs');

const run = (program, ...args) =>
  execFileSync(program, args, {cwd: project, encoding: 'utf8', env: {
    ...process.env, NODE_PATH: path.resolve('build/interop/node_modules')}});

const dist = path.resolve(process.env.DIST ?? 'dist');
const file = fs.readdirSync(dist).find((name) => /^sqlite-.*\.tgz$/.test(name));
const project = fs.mkdtempSync(path.join(os.tmpdir(), 'npm-'));
process.on('exit', () => fs.rmSync(project, {recursive: true}));
run('npm', 'install', '--prefix', project, '--offline', '--no-audit',
  '--no-fund', path.join(dist, file));
const folder = path.join(project, 'node_modules/sqlite-bloom-leveldb');
const {version} = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));
ok(file === `sqlite-bloom-leveldb-${version}.tgz`, `${file} is installed`);

// What npm itself would publish from that folder is what the file holds.
const [packed] = JSON.parse(run('npm', 'pack', folder, '--dry-run', '--json'));
const files = fs.readdirSync(folder, {recursive: true, withFileTypes: true})
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
ok(packed.files.map((entry) => entry.path).sort().join() === files.sort().join(),
  `npm pack: ${files.length} files`);

// Deno says which permission is missing, and asks for no other than those of the page.
fs.writeFileSync(path.join(project, 'deno.cjs'), `const {DatabaseSync} =
  require('node:sqlite'); require('sqlite-bloom-leveldb').load(
    new DatabaseSync(':memory:', {allowExtension: true})); console.log('loaded');`);
const permissions = ['--allow-ffi', '--allow-read'];
for (const missing of [...permissions, 'loaded']) {
  const {stdout, stderr} = spawnSync('deno', ['run',
    ...permissions.filter((flag) => flag !== missing), 'deno.cjs'],
  {cwd: project, encoding: 'utf8', input: ''});
  ok((stdout + stderr).includes(missing), `Deno: ${missing}`);
}

// What load() says of anything that it cannot load into.
const advice = "new DatabaseSync('my.db', {allowExtension: true})";
const not = (got) => 'TypeError: load: db must be a connection of node:sqlite, ' +
  `better-sqlite3 or bun:sqlite, got ${got}: write load(${advice})`;
for (const [db, expected] of [
  ['', not('undefined')],
  ['null', not('null')],
  ["'my.db'", not("the path 'my.db'")],
  ['{}', not('a value without loadExtension, Object')],
  ['DatabaseSync', not('a value without loadExtension, Function')],
  ["new DatabaseSync(':memory:')", 'Error: load: extension loading is not allowed: ' +
    `open the database with ${advice} ERR_INVALID_STATE`],
  ['closed', 'Error: database is not open'],
]) {
  const said = run('node', '-e', `const {DatabaseSync} = require('node:sqlite');
    const closed = new DatabaseSync(':memory:', {allowExtension: true});
    closed.close();
    try { require('sqlite-bloom-leveldb').load(${db}); }
    catch (e) { console.log(e.name + ': ' + e.message, e.cause?.code ?? ''); }`).trim();
  ok(said === expected, `load(${db}): ${said}`);
}

// The README's example, as it stands.
const [, example] = fs.readFileSync(path.join(folder, 'README.md'), 'utf8')
  .match(/```js\n([^]*?)```/);
fs.writeFileSync(path.join(project, 'example.js'), example);
ok(run('node', 'example.js') === '1 0\n', "the README's example");

// Its log of statements.
const [logTo] = fs.readFileSync(path.join(folder, 'README.md'), 'utf8')
  .match(/function logTo[^]*?\n}\n/);
const logged = run('node', '-e', `const Database = require('better-sqlite3');
  const log = new Database(':memory:'), db = new Database(':memory:');
  ${logTo}
  logTo(log, db);
  db.exec('CREATE TABLE t(x)');
  db.prepare('INSERT INTO t VALUES (?)').run(7);
  db.prepare('SELECT x FROM t WHERE x = @a').all({a: 7});
  const {x} = db.prepare('SELECT x FROM t WHERE x > ? AND x < ?').get([1, 9]);
  try { db.prepare('SELECT abs(?)').get(-9223372036854775808n); } catch {}
  db.prepare('SELECT ?').bind(5n).get();
  db.prepare('SELECT ?').get(new Uint8Array([1, 2]));
  db.prepare('SELECT ?').get([Buffer.from('xyz')]);
  console.log(x, JSON.stringify(log.prepare('SELECT sql, parameters, ms >= 0 FROM log').raw().all()));`);
ok(logged === '7 ' + JSON.stringify([['INSERT INTO t VALUES (?)', '[7]', 1],
  ['SELECT x FROM t WHERE x = @a', '{"a":7}', 1],
  ['SELECT x FROM t WHERE x > ? AND x < ?', '[1,9]', 1],
  ['SELECT abs(?)', '[-9223372036854776000]', 1],
  ['SELECT ?', '[5]', 1]]) + '\n', `a log: ${logged}`);

fs.writeFileSync(path.join(project, 'module.mjs'),
  `import {getLoadablePath} from 'sqlite-bloom-leveldb';
   console.log(getLoadablePath());`);
const loadable = run('node', 'module.mjs').trim();
ok(path.isAbsolute(loadable) && fs.existsSync(loadable),
  `import: getLoadablePath() is ${path.relative(project, loadable)}`);

// Another machine's file: its name if it was built, and what is said where there is
// none.
for (const [platform, arch, name, built] of [
  ['darwin', 'arm64', 'darwin-arm64/bloom.dylib', true],
  ['darwin', 'x64', 'darwin-x64/bloom.dylib', true],
  ['win32', 'arm64', 'win32-arm64/bloom.dll', true],
  ['win32', 'ia32', 'win32-ia32/bloom.dll', false],
  ['android', 'arm64', 'android-arm64/bloom.so', false],
]) {
  const where = path.join(folder, name);
  const found = run('node', '-e',
    `Object.defineProperties(process, {platform: {value: '${platform}'},
       arch: {value: '${arch}'}});
     try { console.log(require('sqlite-bloom-leveldb').getLoadablePath()); }
     catch (e) { console.log(e.message); }`).trim();
  ok(found === (built && fs.existsSync(where) ? where : `bloom has no binary for ` +
    `${platform}-${arch}: build it from the sources, and copy it to ${where}`),
    `${name}: ${path.relative(project, found)}`);
}

// In Electron, JavaScript is in an archive, and the binaries are beside it.
const unpacked = path.join(project, 'my.app.asar', 'app.asar.unpacked', 'bloom');
const archive = path.join(project, 'my.app.asar', 'app.asar', 'bloom');
fs.cpSync(folder, unpacked, {recursive: true});
fs.mkdirSync(archive, {recursive: true});
for (const name of ['index.js', 'leveldb.js']) {
  fs.copyFileSync(path.join(folder, name), path.join(archive, name));
}
const beside = run('node', '-p',
  `require(${JSON.stringify(archive)}).getLoadablePath()`).trim();
ok(path.dirname(path.dirname(beside)) === unpacked,
  `Electron: ${path.relative(project, beside)}`);
plan();
