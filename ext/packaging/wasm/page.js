import {Database, start} from './database.js';

const MOST_ROWS = 1000; // shown of one statement
const MOST_BYTES = 128 * 1024 * 1024; // of a filter: 100 million keys
const MOST_PROBES = 30; // LevelDB's; above are encodings that it reserves

const $ = (id) => document.getElementById(id);
const count = (n) => n.toLocaleString('en');
const bytesOf = (n) => `${count(n)} ${n === 1 ? 'byte' : 'bytes'}`;

// An element of what is given: its class, and texts or elements.
function element(tag, className, ...content) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
}

// ---- SQL

// A BLOB as its first bytes, and a link that saves it as a file.
function blobCell(bytes) {
  const digits = Array.from(bytes.subarray(0, 16), (byte) =>
    byte.toString(16).padStart(2, '0')).join('');
  const link = element('a', '', `save ${bytesOf(bytes.length)}`);
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = 'blob.filter';
  const dots = bytes.length > 16 ? '…' : '';
  return element('td', 'blob', `x'${digits}${dots}' `, link);
}

function cell({type, text, bytes}) {
  if (type === 'NULL') return element('td', 'null', 'NULL');
  if (type === 'BLOB') return blobCell(bytes);
  return element('td', type.toLowerCase(), text);
}

function heading(name) {
  const made = element('th', '', name);
  made.scope = 'col';
  return made;
}

// Runs a statement; a table of its rows, where it has columns.
function tableOf(statement) {
  const columns = statement.columns();
  const body = element('tbody', '');
  let more = '';
  for (const row of statement.rows()) {
    if (body.rows.length === MOST_ROWS) {
      more = ', and there are more';
      break;
    }
    body.append(element('tr', '', ...row.map(cell)));
  }
  if (columns.length === 0) return [];
  const rows = body.rows.length;
  const caption = `${count(rows)} ${rows === 1 ? 'row' : 'rows'}${more}`;
  const table = element('table', '', element('caption', '', caption),
    element('thead', '', element('tr', '', ...columns.map(heading))), body);
  const scrolled = element('div', 'scrolled', table);
  scrolled.tabIndex = 0; // so that the keyboard scrolls it too
  scrolled.role = 'region';
  scrolled.ariaLabel = 'Rows';
  return [scrolled];
}

function run() {
  const results = $('results');
  for (const {href} of results.querySelectorAll('a')) URL.revokeObjectURL(href);
  results.replaceChildren();
  const database = new Database();
  let ran = 0;
  try {
    for (const statement of database.statements($('sql').value)) {
      results.append(...tableOf(statement));
      ran++;
    }
    results.append(element('p', 'hint',
      `${count(ran)} ${ran === 1 ? 'statement' : 'statements'} ran.`));
  } catch (error) {
    results.append(element('p', 'error', `Error: ${error.message}`));
  } finally {
    database.close();
  }
}

// ---- A filter file

let filters; // the database that probes it
let probe; // the statement that does, with the filter bound
let newest; // the file that was given last: an older one may be read later

// Why bytes are no filter, or one that says nothing; '' where they may be one.
// Bytes cannot prove to be a filter: the format has no mark of its own.
function objection(bytes) {
  if (bytes.length === 0) return 'it is empty';
  if (bytes.length === 1) return 'it has 1 byte, and a filter has 2 or more';
  const probes = bytes[bytes.length - 1];
  if (probes < 1 || probes > MOST_PROBES) {
    return `its last byte is ${probes}, and a filter ends with its number of ` +
      `probes, 1 to ${MOST_PROBES}`;
  }
  if (bytes.subarray(0, -1).every((byte) => byte === 0xff)) {
    return 'all its bits are set: it would answer “perhaps” to every key';
  }
  return '';
}

function refuse(name, why) {
  $('refusal').textContent = `${name} is not taken: ${why}.`;
  $('refusal').hidden = false;
}

function describe(bytes) {
  const info = filters.prepare(`
    SELECT format('%,d', bytes) AS Bytes, probes AS "Probes a key",
      'about ' || format('%,d', keys) AS "Estimated keys",
      format('%.2f %%', 100 * false_positive_rate) AS "False positive rate",
      format('%08x', crc32c(filter)) AS CRC32C
    FROM bloom_info(?)`).bind(1, bytes);
  const names = info.columns();
  const [values] = info.rows();
  info.finalize();
  $('info').replaceChildren(...names.map((name, i) =>
    element('div', '', element('dt', '', name),
      element('dd', '', values[i].text ?? 'unknown'))));
}

function answer() {
  const key = $('key').value;
  $('answer').className = '';
  $('answer').textContent = '';
  if (key === '') return;
  const [[match]] = probe.bind(1, key).rows();
  const perhaps = match.text === '1';
  $('answer').className = perhaps ? 'perhaps' : 'absent';
  $('answer').append(element('strong', '',
    perhaps ? 'perhaps in the set' : 'certainly not in the set'));
}

async function take(file) {
  newest = file;
  probe?.finalize();
  probe = null;
  $('filter').hidden = true;
  $('refusal').hidden = true;
  try {
    if (file.size > MOST_BYTES) {
      return refuse(file.name, `it has ${bytesOf(file.size)}, ` +
        `and this page reads up to ${bytesOf(MOST_BYTES)}`);
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (file !== newest) return;
    const why = objection(bytes);
    if (why) return refuse(file.name, why);
    describe(bytes);
    probe = filters.prepare('SELECT bloom_may_match(?, ?)').bind(2, bytes);
  } catch (error) {
    return refuse(file.name, `it cannot be read (${error.message})`);
  }
  $('name').textContent = file.name;
  $('filter').hidden = false;
  answer();
  $('key').focus();
}

// ---- The page

function listen() {
  $('run').addEventListener('click', run);
  $('sql').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  $('key').addEventListener('input', answer);
  $('file').addEventListener('change', () => {
    if ($('file').files.length > 0) take($('file').files[0]);
  });
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    $('drop').className = 'over';
  });
  for (const end of ['dragleave', 'drop']) {
    document.addEventListener(end, () => { $('drop').className = ''; });
  }
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length === 0) return;
    $('file').value = ''; // it would show the name of another file
    take(event.dataTransfer.files[0]);
  });
}

try {
  await start();
  filters = new Database();
  const version = filters.prepare(
    "SELECT format('bloom %s, SQLite %s.', bloom_version(), sqlite_version())");
  const [[{text}]] = version.rows();
  version.finalize();
  $('version').textContent = text;
  listen();
  for (const id of ['run', 'file']) $(id).disabled = false;
  $('status').hidden = true;
} catch (error) {
  $('status').className = 'error';
  $('status').textContent = `SQLite cannot be loaded: ${error.message}`;
}
