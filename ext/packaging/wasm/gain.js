// The join with and without a filter, and up to which share of matches it pays.
import {$, count, element, Engine, hideButton, on, tell} from './common.js';
import {ENOUGH, judge} from './judge.js';

const SHARES = [2, 5, 10, 20, 30, 40, 50, 60, 80, 100]; // percent, to be judged
const STOPPED = 'Stopped.';

const joins = new Engine();
let points = []; // what was measured to be judged
let running = 0; // measurements

// A bar of this class, whose length is its share of the longest one.
function bar(className, name, length, longest, text) {
  const filled = element('span', className);
  filled.style.width = `${100 * length / longest}%`;
  return element('div', 'bar', element('span', '', name),
    element('span', 'track', filled), element('b', '', text));
}

// The gain in words.
const compared = (gain) =>
  gain >= ENOUGH ? `the filter makes the join ${gain.toFixed(1)} times as fast`
  : gain > 1 / ENOUGH ? 'the difference is too little to matter: leave the filter out'
  : `the filter makes the join ${(1 / gain).toFixed(1)} times as slow: leave it out`;

function showResult({rows, share, equal, found, plain, filtered}) {
  $('bars').replaceChildren(...Object.entries({plain, filtered}).map(([name, ms]) =>
    bar(name, name, ms, Math.max(plain, filtered), `${ms.toFixed(ms < 10 ? 1 : 0)} ms`)));
  $('outcome').classList.toggle('error', !equal);
  $('outcome').textContent = equal
    ? `If ${share} % of the visits match, ${compared(plain / filtered)}. ` +
      `Both joins found the same ${count(found)} of ${count(rows)} visits.`
    : 'The two joins differ. This is a defect: please report it.';
}

// Says up to which share the filter pays, in steps of 5 %.
function showEnds(rows, {from, to}) {
  const [least, most] = [Math.floor(from / 5) * 5, Math.ceil(to / 5) * 5];
  const where = to === 0 ? 'at no share of matches'
    : from === 100 ? 'at every share of matches'
    : `until ${least} to ${most} % of the visits match`;
  tell('ends', `With ${count(rows)} visits in this browser, the filter pays ` +
    `${where}. (It pays if the join is at least ${ENOUGH} times as fast.)`);
}

function drawGains() {
  const gains = points.map(({plain, filtered}) => plain / filtered);
  $('gains').replaceChildren(...points.map(({share}, i) =>
    bar(gains[i] < ENOUGH ? 'plain' : 'filtered', `${share} %`, gains[i],
      Math.max(...gains), `${gains[i].toFixed(1)} ×`)));
}

// ---- Measurements. They run in turn in one worker, so that none disturbs another.

const wanted = () => ({rows: Number($('rows').value),
  share: Number($('share').value)});

function race(at, which = '') {
  const filtered = $('filtered').textContent;
  const [plain] = filtered.split('WHERE');
  return joins.ask('race', {...at, plain, filtered}, (doing) => tell('gain-status',
    `${at.share} % of ${count(at.rows)} visits${which}: ${doing} …`));
}

// Shows Stop while work runs. If it fails, the element with this id says why.
async function working(id, work) {
  running++;
  $('stop-gain').hidden = false;
  try {
    await work();
  } catch ({message}) {
    tell(id, message === STOPPED ? message
      : `Error: ${message}. Choose fewer visits.`);
  }
  if (--running > 0) return;
  tell('gain-status', '');
  hideButton('stop-gain', 'measure-all');
}

let racing = false;

// Measures the share that is chosen, anew if another one is chosen meanwhile.
function measure() {
  $('bars').replaceChildren(element('p', '',
    `SQLite makes ${count(wanted().rows)} visits and joins them …`));
  $('outcome').textContent = '';
  if (racing) return;
  racing = true;
  working('outcome', async () => {
    try {
      for (;;) {
        const {rows, share} = wanted();
        const result = await race({rows, share});
        const now = wanted();
        if (now.rows === rows && now.share === share) return showResult(result);
      }
    } finally {
      racing = false;
    }
  });
}

let all = 0; // number of times that all shares were measured; only the last counts

function measureAll() {
  const mine = ++all;
  const {rows} = wanted();
  points = [];
  drawGains();
  tell('ends', '');
  working('ends', async () => {
    for (const [i, share] of SHARES.entries()) {
      const point = await race({rows, share}, ` (${i + 1} of ${SHARES.length})`);
      if (mine !== all) return;
      points.push(point);
      drawGains();
    }
    showEnds(rows, judge(points));
  });
}

export function listenToJoins() {
  on('share', 'input', () => {
    tell('share-now', `${$('share').value} %`);
  });
  on('share', 'change', measure);
  on('rows', 'change', measure);
  on('measure', 'click', measure);
  on('measure-all', 'click', measureAll);
  on('stop-gain', 'click', () => joins.stop(STOPPED));
  measure();
}
