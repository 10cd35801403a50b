// Recipes and other SQL: the editor, and what a run prints.
import {$, count, counted, element, Engine, hexOf, hideButton, on,
  tell} from './common.js';
import {showFound} from './filter.js';

const MAX_LINK = 32768; // characters of an address: twice what a recipe in the list takes

// What to do on this page about an error, which its message does not say.
const REMEDIES = [
  [/no such function: writefile/, 'On this page, a BLOB in the results has a link ' +
    'that saves it'],
  [/no such function: readfile/, 'On this page, a file with a filter is read by ' +
    '“A filter of your own” above'],
  [/no such table: generate_series/, 'The sqlite3 shell has it, SQLite itself and this ' +
    'page do not: write WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 ' +
    'FROM n WHERE value < 1000) and use n'],
  [/no such table/, 'Unless “Keep the database” is ticked, each run begins with an empty ' +
    'database: run what makes its tables again, or open their file again'],
];

// A query in which most rows have no partner, and its tables.
const SAMPLE = `CREATE TABLE customer(email TEXT PRIMARY KEY, name TEXT);
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT, at TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO customer SELECT leveldb_hash(i) || '@example.com', 'Customer ' || i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO visit SELECT i, leveldb_hash(CASE WHEN i % 50 THEN i + 2000 ELSE i / 50 END)
  || '@example.com', date('2026-01-01', (i / 20) || ' days') FROM n;

SELECT name, at FROM visit JOIN customer USING (email);
`;

const runs = new Engine();
// What the editor has at first: the example, the tables of the example with a kept
// filter, or a recipe, once they are loaded.
const texts = {};

async function loadRecipes() {
  try {
    Object.assign(texts, (await import('./recipes.js')).texts);
  } catch {
    throw new Error('The recipes do not load: reload this page.');
  }
}

// ---- What a run prints

// A BLOB as its first bytes, a link that saves it, and a button that draws it.
function blobCell(bytes) {
  const link = element('a', '', `save ${counted(bytes.length, 'byte')}`);
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = 'blob.filter';
  const picture = element('button', 'small', 'picture');
  on(picture, 'click', () => showFound(async () => bytes, 'The filter of a result'));
  return element('td', 'blob', `x'${hexOf(bytes, '')}' `, link, ' ', picture);
}

function cell({type, text, bytes}) {
  if (type === 'NULL') return element('td', 'null', 'NULL');
  if (type === 'BLOB') return blobCell(bytes);
  return element('td', type.toLowerCase(), text);
}

function tableOf({columns, rows, more}) {
  const caption = counted(rows.length, 'row') + (more ? ', and there are more' : '');
  const table = element('table', '', element('caption', '', caption),
    element('thead', '', element('tr', '', ...columns.map((name) => element('th', '', name)))),
    element('tbody', '', ...rows.map((row) => element('tr', '', ...row.map(cell)))));
  return element('div', 'scrolled', table);
}

// What is wider than its place can be scrolled by the keyboard, too.
function letScroll(group) {
  for (const scrolled of group.querySelectorAll('.scrolled')) {
    if (scrolled.scrollWidth <= scrolled.clientWidth) continue;
    scrolled.tabIndex = 0;
    scrolled.role = 'group';
    scrolled.ariaLabel = scrolled.querySelector('caption').textContent;
  }
}

function errorOf(message, line) {
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(message)) ?? [];
  return element('p', 'error', `Error in line ${line}: ${message}` +
    (remedy ? `. ${remedy}.` : ''));
}

// Adds a statement that printed nothing, folded together with those before it.
function addSilent(group, statement) {
  if (group.lastChild?.tagName !== 'DETAILS') {
    group.append(element('details', '', element('summary', '')));
  }
  const {lastChild: folded} = group;
  folded.append(statement);
  folded.firstChild.textContent =
    `${counted(folded.children.length - 1, 'statement')} without output`;
}

// One group of statements: its prose, and each statement above what it printed.
function groupOf({prose, parts, expected, differences, failed}) {
  const made = element('div', 'group');
  for (const text of prose.join('\n').split(/\n{2,}/).filter((s) => s)) {
    made.append(element('p', '', text.replace(/\n/g, ' ')));
  }
  for (const {text, line, outputs} of parts) {
    const statement = element('pre', 'statement', text);
    if (outputs.length > 0) made.append(statement);
    else addSilent(made, statement);
    for (const output of outputs) {
      if (output.rows) made.append(tableOf(output));
      else if (output.error === undefined) {
        made.append(element('pre', 'printed', output.text));
      } else if (failed) {
        made.append(errorOf(output.error, line));
      } else {
        made.append(element('p', 'error expected', `Error: ${output.error}`));
      }
    }
  }
  if (expected.length > 0 && differences.length === 0) {
    made.append(element('p', 'agrees', '✓ as the recipe says'));
  }
  for (const {printed = 'nothing', expected = 'nothing'} of differences) {
    made.append(element('p', 'differs',
      `✗ printed: ${printed}; the recipe says: ${expected}`));
  }
  return made;
}

// ---- A run

// Shows that work is running, and its result at the end.
async function working(work) {
  if (!$('stop').hidden) return;
  const began = performance.now();
  const tick = () => tell('run-status',
    `Running for ${((performance.now() - began) / 1000).toFixed(1)} s …`);
  $('stop').hidden = false;
  tick(); // which gives the status its place above the results
  const ticking = setInterval(tick, 100);
  let end;
  try {
    end = await work(began);
  } catch (error) {
    end = error.message;
  }
  clearInterval(ticking);
  hideButton('stop', 'run');
  tell('run-status', end);
}

const drafts = {}; // what stood in the editor, by the recipe that was chosen
let chosen = '';

// ---- Changes that no file has

let fileName = 'bloom.db';
let unsaved = false;

// Whether the user agrees to lose them, if there are any.
const mayLose = (why) => !unsaved || confirm(`${fileName} has changes that are not ` +
  `saved, and ${why}. Do you want to lose them?`);

// A database in place of the one before.
function take(name) {
  fileName = name;
  unsaved = false;
}

// ---- Runs

// Empties the results, and sends the editor's text to the worker.
async function ask(advise, show) {
  const keep = $('keep').checked;
  if (!keep) {
    if (!mayLose('this run would begin with an empty database')) {
      throw new Error(`Nothing ran. To keep the changes of ${fileName}, tick “Keep the ` +
        'database”, or save it.');
    }
    take('bloom.db');
  }
  const sql = $('sql').value;
  for (const {href} of $('results').querySelectorAll('a')) URL.revokeObjectURL(href);
  $('results').replaceChildren();
  if (/^\.read\b/m.test(sql)) await loadRecipes();
  $('save').hidden = false;
  await runs.ask('run', {sql, marks: texts[chosen], keep, advise, recipes: texts}, show);
  unsaved = await runs.ask('changed') && keep;
}

// Runs the editor's text; if `advise`, its last statement is only asked about.
const run = (advise) => working(async (began) => {
  const results = $('results');
  let [statements, agreed, differing, end] = [0, 0, 0, ''];
  await ask(advise, (group) => {
    const made = groupOf(group);
    results.append(made);
    letScroll(made);
    statements += group.parts.length;
    if (group.differences.length > 0) differing++;
    else if (group.expected.length > 0) agreed++;
    if (group.failed) end = `Stopped at the error in line ${group.parts.at(-1).line}.`;
  });
  (results.querySelector('.error:not(.expected), .differs') ??
    results.querySelector('.scrolled, .printed'))?.scrollIntoView({block: 'nearest'});
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  end ||= `${counted(statements, 'statement')} ran in ${seconds} s.`;
  if (agreed > 0) end += ` ${count(agreed)} printed what the recipe says.`;
  if (differing > 0) end += ` ${count(differing)} printed something else: see ✗.`;
  return end;
});

// ---- A database in a file

// Opens the database that a file has.
const openDatabase = (file) => working(async () => {
  const {name} = file;
  if (!mayLose(`${name} would take its place`)) return `${fileName} is still open.`;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let tables;
  try {
    tables = await runs.ask('open', bytes);
  } catch ({message}) {
    throw new Error(`${name} is not opened: ${message}` + (/\.sql$/i.test(name)
      ? '. It is SQL: paste its text into the field above, and run it.' : '.'));
  }
  take(name);
  $('keep').checked = true;
  $('save').hidden = false;
  $('results').replaceChildren();
  return `${name} is open, with ${counted(tables, 'table')} and views, which ` +
    '.schema lists. It stays on your machine: to keep what you change, save it.' +
    (bytes[18] === 2 ? ' It is in WAL mode: what a -wal file beside it has is not here.' : '');
});

const saveDatabase = () => working(async () => {
  const link = element('a', '');
  const bytes = await runs.ask('save');
  unsaved = false;
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return `${fileName} is saved: ${counted(bytes.length, 'byte')}.`;
});

// ---- What is in the editor, which the address of the page has, too

// Puts what differs from the first example into the address: the recipe, and the
// text if it was changed. So a reload keeps it, and a link has it, unless it is long.
function save() {
  const sql = $('sql').value;
  const changed = sql !== texts[chosen];
  $('original').hidden = !changed;
  let held = changed && sql.length > MAX_LINK ? null
    : String(new URLSearchParams({...chosen && {recipe: chosen}, ...changed && {sql}}));
  if (held?.length > MAX_LINK) held = null;
  tell('linked', held === null
    ? 'This SQL is too long for the page’s address: a reload would lose it.'
    : 'The page’s address is a link to this SQL.');
  history.replaceState(null, '', location.pathname + (held ? `#${held}` : ''));
}

// Shows a recipe, as it is or as it was edited, unless another one is chosen while it
// is loaded.
async function put(recipe, sql) {
  $('recipe').value = recipe;
  try {
    if (!Object.hasOwn(texts, recipe)) await loadRecipes();
  } catch ({message}) {
    $('recipe').value = chosen;
    return tell('run-status', message);
  }
  if ($('recipe').value !== recipe) return;
  if (recipe !== chosen) drafts[chosen] = $('sql').value;
  chosen = recipe;
  $('sql').value = sql ?? texts[recipe];
  $('sql').scrollTop = 0;
  save();
}

const choose = (recipe) => put(recipe, drafts[recipe]);

// Takes what an address has. Another one, such as #see, leads there, and gets what
// the editor has.
async function open() {
  const held = new URLSearchParams(location.hash.slice(1));
  const recipe = held.get('recipe') ?? '';
  const known = [...$('recipe').options].some(({value}) => value === recipe);
  if (known && (held.has('sql') || recipe)) {
    drafts[chosen] = $('sql').value;
    await put(recipe, held.get('sql'));
    return $('run-sql').scrollIntoView();
  }
  const target = $(location.hash.slice(1));
  save();
  target?.scrollIntoView();
}

let saving; // the timer that saves what is typed

export function listenToSql() {
  const example = $('sql').defaultValue;
  Object.assign(texts, {'': example, sample: SAMPLE,
    kept: `${example.split('\n\n')[0]}\n\n${$('kept').textContent}`});
  on('recipe', 'change', () => choose($('recipe').value));
  on('original', 'click', () => {
    put(chosen);
    $('sql').focus();
  });
  on('run', 'click', () => run(false));
  on('advise', 'click', () => run(true));
  on('run-kept', 'click', async () => {
    await choose('kept');
    run(false);
  });
  on('database', 'click', () => { // so that the same file can be opened again
    $('database').value = '';
  });
  on('database', 'change', () => {
    const [file] = $('database').files;
    if (file) openDatabase(file);
  });
  on(window, 'beforeunload', (event) => {
    if (unsaved) event.preventDefault();
  });
  on('save', 'click', saveDatabase);
  on('stop', 'click', () => {
    if (!mayLose('stopping ends SQLite and its database')) return;
    take('bloom.db');
    runs.stop('Stopped. The next run begins with an empty database.');
  });
  on('sql', 'input', () => {
    clearTimeout(saving);
    saving = setTimeout(save, 300);
  });
  on('sql', 'keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run(false);
    }
  });
  on(window, 'hashchange', open);
  $('sql').value = example; // a browser may have kept another one
  open();
}
