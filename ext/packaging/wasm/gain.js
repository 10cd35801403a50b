// The join, plain and filtered, and the share of matches where the gain ends.
import {$, count, element, Engine, on, tell} from './common.js';
import {drawChart} from './picture.js';

const SHARES = [0, 1, 2, 5, 10, 20, 40, 60, 80, 100]; // percent, for the curve

const joins = new Engine();
const gains = new Map(); // times faster, by share, for this number of rows

const milliseconds = (ms) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

function bar(name, ms, most) {
  const filled = element('span', name);
  filled.style.width = `${100 * ms / most}%`;
  return element('div', 'bar', element('span', '', name),
    element('span', 'track', filled), element('b', '', milliseconds(ms)));
}

// The gain in words.
const compared = (gain) => gain > 1.05 ? `${gain.toFixed(1)} times faster`
  : gain < 0.95 ? `${(1 / gain).toFixed(1)} times slower` : 'about as fast';

function showResult({rows, share, equal, sqlite, found, plain, filtered}) {
  const gain = plain / filtered;
  const most = Math.max(plain, filtered);
  gains.set(share, gain);
  $('bars').replaceChildren(bar('plain', plain, most),
    bar('filtered', filtered, most));
  const why = gain > 1.2
    ? 'The filter excludes most visits, for less than it takes to look them up.'
    : 'Too few visits are excluded: leave the filter out.';
  $('outcome').className = equal ? '' : 'error';
  $('outcome').textContent = equal
    ? `With the filter it is ${compared(gain)} in SQLite ${sqlite}. ${why} ` +
      `Both joins found the same ${count(found)} of ${count(rows)} visits.`
    : 'The two joins differ. This is a defect: please report it.';
  drawGains();
}

function drawGains() {
  const points = [...gains].sort(([a], [b]) => a - b);
  $('gain-plot').hidden = points.length < 2;
  if (points.length < 2) return;
  const values = points.map(([, gain]) => gain);
  const max = Math.max(2, Math.ceil(Math.max(...values)));
  const ticks = Array.from({length: max + 1}, (_, i) => i)
    .filter((i) => i === 1 || i % Math.ceil(max / 6) === 0);
  drawChart($('gain-plot'), {
    points,
    x: {min: 0, max: 100, ticks: [0, 20, 40, 60, 80, 100],
      text: (share) => `${share} %`, name: 'share of visits that match'},
    y: {min: 0, max, ticks, text: (gain) => `${gain} ×`, name: 'times faster'},
    level: 1,
    label: 'Times faster with the filter, over the share of visits that match: ' +
      points.map(([share, gain]) => `${share} %: ${gain.toFixed(1)}`).join(', '),
  });
}

// Measures the gain at each of these shares, one after the other.
async function measure(shares) {
  const rows = Number($('rows').value);
  const filtered = $('filtered').textContent;
  const [plain] = filtered.split('WHERE');
  joins.stop('stopped'); // ends what an earlier position of a slider asked for
  $('stop-gain').hidden = false;
  try {
    for (const [i, share] of shares.entries()) {
      const which = shares.length > 1 ? `${i + 1} of ${shares.length}, ` : '';
      showResult(await joins.ask('race', {rows, share, plain, filtered}, (doing) =>
        tell('gain-status', `Share ${which}${share} %: ${doing} …`)));
    }
    tell('gain-status', '');
    $('stop-gain').hidden = true;
  } catch (error) {
    if (error.message === 'stopped') return;
    tell('gain-status', `Error: ${error.message}. Choose fewer visits.`);
    $('stop-gain').hidden = true;
  }
}

export function listenToJoins() {
  const one = () => measure([Number($('share').value)]);
  on('share', 'input', () => {
    $('share-now').textContent = `${$('share').value} %`;
  });
  on('share', 'change', one);
  on('rows', 'change', () => {
    gains.clear();
    one();
  });
  on('measure', 'click', one);
  on('measure-all', 'click', () => measure(SHARES));
  on('stop-gain', 'click', () => {
    joins.stop('stopped');
    $('stop-gain').hidden = true;
    tell('gain-status', 'Stopped.');
  });
  on(window, 'resize', drawGains);
}
