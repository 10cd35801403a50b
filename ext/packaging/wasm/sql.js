// Recipes and other SQL: the editor, and what a run prints.
import {$, count, counted, element, Engine, hexOf, on, tell} from './common.js';
import {show} from './filter.js';
import recipes from './recipes.js';

// What to do on this page about an error, which its message does not say.
const REMEDIES = [
  [/no such function: (read|write)file/, 'Here a BLOB of a result can be saved, ' +
    'and a filter file chosen above'],
  [/no such table/, 'Tick “Keep the database” to have those of the last run'],
];

const runs = new Engine();
const texts = Object.fromEntries(recipes.map(({name, sql}) => [name, sql]));

// ---- What a run prints

// A BLOB as its first bytes, a link that saves it, and a button that shows it.
function blobCell(bytes) {
  const link = element('a', '', `save ${counted(bytes.length, 'byte')}`);
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = 'blob.filter';
  const picture = element('button', 'small', 'picture');
  on(picture, 'click', () => {
    picturing(bytes);
    $('see').scrollIntoView();
    $('key').focus({preventScroll: true});
  });
  return element('td', 'blob', `x'${hexOf(bytes, '')}' `, link, ' ', picture);
}

const picturing = (bytes) =>
  show(async () => bytes, null, 'The filter of a result');

function cell({type, text, bytes}) {
  if (type === 'NULL') return element('td', 'null', 'NULL');
  if (type === 'BLOB') return blobCell(bytes);
  return element('td', type.toLowerCase(), text);
}

function tableOf({columns, rows, more, wrong = []}) {
  const caption = counted(rows.length, 'row') + (more ? ', and there are more' : '');
  const table = element('table', '', element('caption', '', caption),
    element('thead', '', element('tr', '', ...columns.map((name) => element('th', '', name)))),
    element('tbody', '', ...rows.map((row, i) =>
      element('tr', wrong.includes(i) ? 'wrong' : '', ...row.map(cell)))));
  const scrolled = element('div', 'scrolled', table);
  scrolled.tabIndex = 0; // so that the keyboard can scroll it, too
  scrolled.role = 'region';
  scrolled.ariaLabel = 'Rows';
  return scrolled;
}

function errorOf(message) {
  const remedy = REMEDIES.find(([pattern]) => pattern.test(message));
  return `Error: ${message}${remedy ? `. ${remedy[1]}.` : ''}`;
}

// One group of statements: its prose, its text, and what it printed.
function groupOf({prose, parts, expected, outputs, differences, failed}) {
  const made = element('div', 'group');
  for (const text of prose.join('\n').split(/\n{2,}/).filter((s) => s)) {
    made.append(element('p', '', text.replace(/\n/g, ' ')));
  }
  if (!/^\.load/.test(parts[0])) made.append(element('pre', '', parts.join('\n')));
  for (const output of outputs) {
    if (output.rows) made.append(tableOf(output));
    else if (output.error === undefined) {
      made.append(element('pre', output.wrong ? 'printed wrong' : 'printed', output.text));
    } else {
      made.append(element('p', failed ? 'error' : 'error expected',
        errorOf(output.error)));
    }
  }
  if (expected.length > 0 && differences.length === 0) {
    made.append(element('p', 'agrees', '✓ as the comment says'));
  }
  for (const {printed = 'nothing', expected = 'nothing'} of differences) {
    made.append(element('p', 'differs',
      `✗ printed: ${printed}; the comment says: ${expected}`));
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
  $('stop').hidden = $('progress').hidden = false;
  $('progress').removeAttribute('value');
  const ticking = setInterval(tick, 100);
  let end;
  try {
    end = await work(began);
  } catch (error) {
    end = error.message;
  }
  clearInterval(ticking);
  $('stop').hidden = $('progress').hidden = true;
  tell('run-status', end);
}

const run = () => working(async (began) => {
  const sql = $('sql').value;
  const results = $('results');
  for (const {href} of results.querySelectorAll('a')) URL.revokeObjectURL(href);
  results.replaceChildren();
  $('progress').max = sql.split('\n').length;
  let [statements, agreed, differing, filter, end] = [0, 0, 0, null, ''];
  await runs.ask('run', {sql, keep: $('keep').checked, recipes: texts},
    (group) => {
      results.append(groupOf(group));
      $('progress').value = group.line;
      statements += group.parts.length;
      if (group.differences.length > 0) differing++;
      else if (group.expected.length > 0) agreed++;
      for (const {rows = []} of group.outputs) {
        for (const {bytes} of rows.flat()) if (bytes?.length > 8) filter = bytes;
      }
      if (group.failed) end = `Stopped at the error near line ${group.line}.`;
    });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  end ||= `${counted(statements, 'statement')} ran in ${seconds} s.`;
  if (agreed > 0) end += ` ${count(agreed)} printed what their comments say.`;
  if (differing > 0) end += ` ${count(differing)} printed something else: see ✗.`;
  if (filter) {
    picturing(filter);
    end += ' The last filter among the results is in the picture above.';
  }
  return end;
});

export function listenToSql() {
  for (const {name, title, listed} of recipes) {
    if (listed) $('recipe').append(new Option(`${name}: ${title}`, name));
  }
  const example = $('sql').value;
  on('recipe', 'change', () => {
    $('sql').value = texts[$('recipe').value] ?? example;
    $('sql').scrollTop = 0;
    runs.stop('stopped');
    setTimeout(run); // after the run that was stopped has ended
  });
  on('run', 'click', run);
  on('stop', 'click', () => runs.stop(
    'Stopped, and the database is gone: the next run begins anew.'));
  on('sql', 'keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
}
