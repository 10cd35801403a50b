// A session of the sqlite3 shell, as far as the recipes of sql/ need one: its
// list mode, and the commands below. As in the project's tests, a recipe's comment
// lines right below a statement are what it must print: `...` stands for any
// text, an error is `-- Error: MESSAGE`, and a blank line ends them.
import {Database, isComplete} from './database.js';

const MAX_ROWS = 1000; // of one statement that are shown

/**
 * A text's groups: the statements and commands of successive lines, each with its
 * line's number, the prose of the comments before them, and what the
 * comments below say they print. Only comment lines among `marks` say that.
 */
export function groupsOf(text, marks = new Set()) {
  const groups = [];
  let now = null;
  let prose = [];
  let pending = '';
  let first; // the line where `pending` begins
  const add = (part) => {
    const [ahead] = part.match(/^(\s|\/\*[^]*?\*\/)*/);
    now.parts.push({text: part.trimEnd(), line: first + ahead.split('\n').length - 1});
  };
  text.split(/\r?\n/).forEach((line, i) => {
    const comment = pending === '' && line.match(/^--(?: (.*))?$/);
    if (comment && now && marks.has(line)) {
      now.expected.push(comment[1] ?? '');
    } else if (comment) {
      now = null;
      prose.push(comment[1] ?? '');
    } else if (pending === '' && line.trim() === '') {
      now = null;
      if (prose.length > 0) prose.push('');
    } else {
      if (pending === '') {
        first = i + 1;
        if (!now || now.expected.length > 0) {
          now = {prose, parts: [], expected: []};
          prose = [];
          groups.push(now);
        }
      }
      let end = pending.length;
      pending += `${line}\n`;
      if (pending.startsWith('.')) {
        add(pending);
        pending = '';
      }
      while ((end = pending.indexOf(';', end) + 1) > 0) {
        if (!isComplete(pending.slice(0, end))) continue;
        // A comment on the same line belongs to the statement.
        const [, comment, rest] = pending.slice(end).match(/^(\s*(?:--.*\n)?)([^]*)$/);
        add(pending.slice(0, end) + comment);
        [pending, first, end] = [rest, i + 1, 0];
      }
    }
  });
  if (pending.trim() !== '') add(pending);
  return groups;
}

/** Whether a line is what was expected, in which `...` is any text. */
function agrees(line, expected) {
  const parts = expected?.split('...').map((part) =>
    part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return expected !== undefined && line !== undefined &&
    new RegExp(`^${parts.join('.*')}$`).test(line);
}

// A row as the shell's list mode prints it.
function listed(row) {
  return row.map(({text, bytes}) =>
    text ?? (bytes ? new TextDecoder().decode(bytes) : '')).join('|');
}

// The rows of an EXPLAIN QUERY PLAN (id, parent, unused, detail), drawn as the
// shell draws them.
function planOf(rows) {
  const lines = ['QUERY PLAN'];
  const draw = (parent, indent) => {
    const steps = rows.filter((row) => row[1].text === parent);
    steps.forEach((row, i) => {
      const last = i === steps.length - 1;
      lines.push(`${indent}${last ? '`' : '|'}--${row[3].text}`);
      draw(row[0].text, indent + (last ? '   ' : '|  '));
    });
  };
  draw('0', '');
  return lines;
}

// A command's words, without quotes or in quotes of either kind.
function wordsOf(command) {
  return [...command.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\S+/g)].map(
    ([word, single, double]) =>
      single ?? double?.replace(/\\(.)/g, '$1') ?? word);
}

// Commands that only set how the shell prints and stops. They do nothing here.
const IGNORED = ['bail', 'changes', 'echo', 'headers', 'limit', 'mode', 'timer',
  'width'];

// What a user can write besides SQL.
const HELP = [
  '.help               this list',
  '.tables [PATTERN]   the tables and views, or those whose names are LIKE PATTERN',
  '.schema [PATTERN]   the statements that made them',
  '.parameter set NAME VALUE, .parameter unset NAME, .parameter clear',
  '.print TEXT         prints it',
  '.read NAME          runs a recipe, or what .once or .output wrote',
  '.once NAME          writes what the next statement prints to a file in memory',
  '.output [NAME]      writes all that follows, or without a name ends that',
  '.load FILE/bloom    does nothing: the extension is there',
  `.${IGNORED.join(', .')}: do nothing`,
];

export class Session {
  #database;
  #files = new Map(); // what .once and .output wrote, by name
  #outputs; // of the part that is running
  #written; // lines for a file in place of the page, or null
  #once = false;
  #recipes;

  /** Begins with an empty database, or with that of a file's bytes. */
  constructor(file) {
    this.#database = new Database(file);
  }

  /**
   * Runs a text, group by group, and gives each to show({..., differences,
   * failed}) when it has run. It ends at the first error that no comment
   * expects, and only comments among `marks` do. Each of the group's parts that
   * have run has its outputs: a table's {columns, rows, more}, or {text} or {error}.
   * .read finds what was written, and these recipes: their texts by name. If `advise`,
   * bloom_advise is asked about the last statement in its place.
   */
  run(text, {marks, recipes, advise}, show) {
    this.#recipes = recipes;
    const groups = groupsOf(text, new Set(marks.split('\n')));
    if (advise) {
      const last = groups.at(-1)?.parts.at(-1);
      if (!last) throw new Error('There is no query in the editor.');
      const quoted = last.text.replaceAll("'", "''");
      last.text = `SELECT advice, sql FROM bloom_advise('${quoted}');`;
      groups.at(-1).expected = [];
    }
    for (const group of groups) {
      const expectsError = group.expected.some((s) => s.startsWith('Error: '));
      const ran = [];
      for (const part of group.parts) {
        ran.push(part);
        part.outputs = this.#outputs = [];
        if (!this.#part(part.text) && !expectsError) break;
      }
      const outputs = ran.flatMap((part) => part.outputs);
      const differences = this.#compare(outputs, group.expected);
      const failed = outputs.some(({error}) => error !== undefined) &&
        (group.expected.length === 0 || differences.length > 0);
      show({...group, parts: ran, differences, failed});
      if (failed) return;
    }
  }

  #part(part) {
    try {
      if (part.startsWith('.')) this.#command(part);
      else this.#statement(part);
      return true;
    } catch (error) {
      this.#outputs.push({error: error.message});
      return false;
    } finally {
      if (this.#once && !part.startsWith('.')) this.#written = null;
    }
  }

  // The lines that differ from what comments say: {printed, expected}, one of which may lack.
  #compare(outputs, expected) {
    if (expected.length === 0) return [];
    const printed = outputs.flatMap(({rows, text, error}) =>
      rows?.map(listed) ?? text ?? `Error: ${error}`).flatMap((line) => line.split('\n'));
    return Array.from({length: Math.max(printed.length, expected.length)}, (_, i) =>
      ({printed: printed[i], expected: expected[i]}))
      .filter((line) => !agrees(line.printed, line.expected));
  }

  // Binds parameters to their values, which are in a table, as in the shell.
  #bind(statement) {
    const names = statement.parameters();
    if (names.length === 0) return;
    let values;
    try {
      values = this.#database.prepare(
        'SELECT value FROM temp.sqlite_parameters WHERE key = ?1');
    } catch {
      return; // without the table, all are NULL
    }
    names.forEach((name, i) =>
      statement.bindFirst(i + 1, values.bind(1, name)));
    values.finalize();
  }

  #statement(sql) {
    const statement = this.#database.prepare(sql);
    if (statement === null) return; // a comment
    try {
      this.#bind(statement);
      const columns = statement.columns();
      const rows = [];
      let more = false;
      for (const row of statement.rows()) {
        more = rows.length === MAX_ROWS && !this.#written;
        if (more) break;
        rows.push(row);
      }
      if (this.#written) rows.forEach((row) => this.#print(listed(row)));
      else if (statement.isPlan()) planOf(rows).forEach((s) => this.#print(s));
      else if (columns.length > 0) this.#outputs.push({columns, rows, more});
    } finally {
      statement.finalize();
    }
  }

  #print(text) {
    if (this.#written) this.#written.push(text);
    else this.#outputs.push({text});
  }

  #command(line) {
    const [name, ...words] = wordsOf(line.slice(1));
    if (name === 'print') this.#print(words.join(' '));
    else if (name === 'parameter') this.#parameter(words);
    else if (name === 'read') this.#read(words[0] ?? '');
    else if (name === 'help') HELP.forEach((line) => this.#print(line));
    else if (name === 'tables') this.#tables(words[0]);
    else if (name === 'schema') this.#schema(words[0]);
    else if (name === 'once' || name === 'output') this.#write(name, words.at(-1));
    else if (name === 'load' && /(^|\/)bloom$/.test(words[0])); // it is linked in
    else if (!IGNORED.includes(name)) {
      throw new Error(`.${line.slice(1)} is not understood on this page: leave ` +
        'the line out, or run this in the sqlite3 shell (.help lists what is)');
    }
  }

  /** The names of the tables and views that are LIKE this, as .tables has them. */
  names(pattern) {
    return this.#database.query(`
      SELECT schema || name FROM (
        SELECT '' AS schema, * FROM sqlite_schema
        UNION ALL SELECT 'temp.', * FROM sqlite_temp_schema)
      WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND name LIKE ? ORDER BY 1`, pattern).map(([{text}]) => text);
  }

  // Prints names in columns of lines of 80 characters, as the shell does.
  #tables(pattern = '%') {
    const names = this.names(pattern);
    const width = Math.max(...names.map((name) => name.length));
    const rows = Math.ceil(names.length / Math.max(1, Math.floor(80 / (width + 2))));
    for (let row = 0; row < rows; row++) {
      this.#print(names.filter((_, i) => i % rows === row)
        .map((name) => name.padEnd(width)).join('  '));
    }
  }

  // Prints the statements of a schema. To a view the shell adds its columns.
  #schema(pattern = '%') {
    for (const [{text}, {text: schema}] of this.#database.query(`
      SELECT sql || CASE type WHEN 'view' THEN (
          SELECT printf(char(10) || '/* %s(%s) */', s.name, group_concat(name))
          FROM pragma_table_info(s.name)) ELSE '' END || ';', schema
      FROM (SELECT '' AS schema, * FROM sqlite_schema
            UNION ALL SELECT 'temp.', * FROM sqlite_temp_schema) AS s
      WHERE sql IS NOT NULL AND (name LIKE ?1 OR tbl_name LIKE ?1)`, pattern)) {
      this.#print(text.replace(/^CREATE (VIRTUAL |UNIQUE )?\w+ /, `$&${schema}`));
    }
  }

  // A table of this name can only be made while the schema is writable.
  #parameter([what, name, value]) {
    const run = (sql, ...values) => this.#database.query(sql, ...values);
    run('PRAGMA writable_schema = ON');
    run('CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(' +
      'key TEXT PRIMARY KEY, value) WITHOUT ROWID');
    run('PRAGMA writable_schema = OFF');
    if (what === 'clear') run('DELETE FROM sqlite_parameters');
    if (what === 'unset') run('DELETE FROM sqlite_parameters WHERE key = ?', name);
    if (what !== 'set') return;
    const replace = 'REPLACE INTO sqlite_parameters VALUES (?1, ';
    try {
      run(`${replace}${value})`, name);
    } catch { // what is not an expression is a text
      run(`${replace}?2)`, name, value);
    }
  }

  #read(name) {
    const text = this.#files.get(name)?.join('\n') ??
      this.#recipes[name.replace(/^.*\//, '').replace(/\.sql$/, '')];
    if (text === undefined) {
      throw new Error(`cannot open "${name}": here .read finds the recipes, and ` +
        'what .once or .output wrote');
    }
    for (const {parts} of groupsOf(text)) {
      for (const {text} of parts) if (!this.#part(text)) return;
    }
  }

  #write(command, name) {
    this.#once = command === 'once';
    this.#written = null;
    if (name === undefined || name === 'stdout') return;
    this.#written = [];
    this.#files.set(name, this.#written);
  }

  /** A text that is another one when the database has changed. */
  state() {
    return this.#database.query("SELECT total_changes() || ' ' || schema_version " +
      'FROM pragma_schema_version')[0][0].text;
  }

  /** The bytes of the database's file. */
  save() {
    return this.#database.serialize();
  }

  close() {
    this.#database.close();
  }
}
