// The join, plain and filtered, and the share of matches where the gain ends.
import {$, count, element, Engine, hideButton, on} from './common.js';
import {drawChart} from './picture.js';

const SHARES = [100, 80, 60, 50, 40, 30, 20, 10, 5, 2]; // percent, for the curve
const ENOUGH = 1.2; // times as fast; a smaller gain does not matter

const joins = new Engine();
const gains = new Map(); // times as fast, by share, for this number of rows

const milliseconds = (ms) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
const perRow = (ms, rows) => `${(1000 * ms / rows).toFixed(2)} µs`;

function bar(name, ms, most) {
  const filled = element('span', name);
  filled.style.width = `${100 * ms / most}%`;
  return element('div', 'bar', element('span', '', name),
    element('span', 'track', filled), element('b', '', milliseconds(ms)));
}

// The gain in words.
const compared = (gain) =>
  gain >= ENOUGH ? `the filter makes the join ${gain.toFixed(1)} times as fast`
  : gain > 1 / ENOUGH ? 'the difference is too little to matter: leave the filter out'
  : `the filter makes the join ${(1 / gain).toFixed(1)} times as slow: leave it out`;

function setShare(share) {
  $('share').value = share;
  $('share-now').textContent = `${share} %`;
}

function showResult({rows, share, equal, found, plain, filtered}) {
  const most = Math.max(plain, filtered);
  gains.set(share, plain / filtered);
  setShare(share);
  $('bars').replaceChildren(bar('plain', plain, most),
    bar('filtered', filtered, most));
  $('outcome').className = equal ? '' : 'error';
  $('outcome').textContent = equal
    ? `If ${share} % of the visits match, ${compared(plain / filtered)}. ` +
      `Both joins found the same ${count(found)} of ${count(rows)} visits.`
    : 'The two joins differ. This is a defect: please report it.';
  drawGains();
}

// Says up to which share the filter pays, once all shares have been measured,
// and what the last of them, with the fewest matches, has cost.
function showEnd({rows, share, plain, filtered}) {
  const points = [...gains].sort(([a], [b]) => a - b);
  const i = points.findIndex(([, gain]) => gain < ENOUGH);
  let where = 'at every share that was measured';
  if (i === 0) where = 'at no share that was measured';
  if (i > 0) {
    const [[from, more], [to, less]] = points.slice(i - 1, i + 1);
    const end = from + (to - from) * (more - ENOUGH) / (more - less);
    where = `until about ${Math.round(end)} % of the visits match`;
  }
  $('ends').textContent = `In this browser, the filter pays ${where}. (It pays if ` +
    `the join is at least ${ENOUGH} times as fast.)`;
  $('cost').textContent = `here a row of the join below costs ` +
    `${perRow(plain, rows)} with a lookup, and ${perRow(filtered, rows)} with a ` +
    `filter if ${share} % match`;
}

function drawGains() {
  const points = [...gains].sort(([a], [b]) => a - b);
  if (points.length < 2) return $('gain-plot').replaceChildren();
  const values = points.map(([, gain]) => gain);
  const max = Math.max(2, Math.ceil(Math.max(...values)));
  const ticks = Array.from({length: max + 1}, (_, i) => i)
    .filter((i) => i === 1 || i % Math.ceil(max / 6) === 0);
  drawChart($('gain-plot'), {
    points,
    x: {min: 0, max: 100, ticks: [0, 20, 40, 60, 80, 100],
      text: (share) => `${share} %`, name: 'share of visits that match'},
    y: {min: 0, max, ticks, text: (gain) => `${gain} ×`, name: 'times as fast'},
    level: 1,
    label: 'Times as fast with the filter, over the share of visits that match: ' +
      points.map(([share, gain]) => `${share} %: ${gain.toFixed(1)}`).join(', '),
  });
}

const finished = () => hideButton('stop-gain', 'measure-all');

// Measures the gain at each of these shares, one after the other.
async function measure(shares) {
  const rows = Number($('rows').value);
  const filtered = $('filtered').textContent;
  const [plain] = filtered.split('WHERE');
  coming.disconnect();
  joins.stop('stopped'); // ends what an earlier position of a slider asked for
  $('bars').replaceChildren();
  $('outcome').textContent = '';
  // A screen reader tells the result of one share, or where the gain ends.
  $('outcome').ariaLive = shares.length > 1 ? 'off' : 'polite';
  if (shares.length > 1) $('ends').textContent = '';
  $('stop-gain').hidden = false;
  let result;
  try {
    for (const [i, share] of shares.entries()) {
      const which = shares.length > 1 ? ` (${i + 1} of ${shares.length})` : '';
      result = await joins.ask('race', {rows, share, plain, filtered}, (doing) => {
        $('gain-status').textContent = `Share of ${share} %${which}: ${doing} …`;
      });
      showResult(result);
    }
    if (shares.length > 1) showEnd(result);
    $('gain-status').textContent = '';
    finished();
  } catch (error) {
    if (error.message === 'stopped') return;
    $('gain-status').textContent = `Error: ${error.message}. Choose fewer visits.`;
    finished();
  }
}

// The first run begins when its place comes into view.
const coming = new IntersectionObserver((entries) => {
  if (entries.some(({isIntersecting}) => isIntersecting)) measure(SHARES);
});

export function listenToJoins() {
  const one = () => measure([Number($('share').value)]);
  on('share', 'input', () => {
    setShare($('share').value);
    joins.stop('stopped');
    finished();
    $('bars').replaceChildren();
    $('outcome').textContent = $('gain-status').textContent = '';
  });
  on('share', 'change', one);
  on('rows', 'change', () => {
    gains.clear();
    drawGains();
    $('ends').textContent = '';
    one();
  });
  on('measure', 'click', one);
  on('measure-all', 'click', () => measure(SHARES));
  on('stop-gain', 'click', () => {
    joins.stop('stopped');
    finished();
    $('gain-status').textContent = 'Stopped.';
  });
  on(window, 'resize', drawGains);
  coming.observe($('bars'));
}
