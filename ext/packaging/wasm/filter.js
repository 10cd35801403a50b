// The picture of a filter, and whether a key may be in it.
import {$, count, counted, element, Engine, hexOf, on, percent, tell}
  from './common.js';
import {drawChart, drawGrid, probesOf} from './picture.js';

const MAX_BYTES = 128 * 1024 * 1024; // the largest filter: 100 million keys
const STEP = 200; // at most this many milliseconds from one probe to the next
const BITS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20]; // of the curve

export const filters = new Engine();

let shown = null; // {bytes, keys: the set if it is known, info, probes}
let newest; // the newest filter; an older one may arrive after it
let lighting; // the timer that lights the probes
let asked = 0; // number of keys asked for; only the last one counts

// ---- Which filter

const setOf = () => [...new Set($('set').value.split('\n').filter((s) => s))];

async function showSet() {
  const keys = setOf();
  const bits = Number($('bits').value);
  $('bits-now').textContent = bits;
  $('file').value = '';
  await show(() => filters.ask('build', {keys, bits}), keys,
    `The filter of ${counted(keys.length, 'key')}, ${bits} bits for each`);
}

async function showFile(file) {
  await show(async () => {
    if (file.size > MAX_BYTES) {
      throw new Error(`it has ${count(file.size)} bytes, and this page reads up ` +
        `to ${count(MAX_BYTES)}: ask it in the sqlite3 shell`);
    }
    return new Uint8Array(await file.arrayBuffer());
  }, null, file.name);
}

/** Shows the filter that read() gives; keys are its set, if it is known. */
export async function show(read, keys, name) {
  const mine = newest = {};
  clearTimeout(lighting);
  tell('refusal', '');
  try {
    const bytes = await read();
    if (mine !== newest) return;
    const info = await filters.ask('take', bytes);
    if (mine !== newest) return;
    shown = {bytes, keys, info, probes: []};
  } catch (error) {
    if (mine !== newest) return;
    shown = null;
    $('filter').hidden = true;
    tell('refusal', `${name} is not shown: ${error.message}.`);
    return;
  }
  $('filter').hidden = false;
  $('name').textContent = name;
  $('tries').hidden = !keys || keys.length === 0;
  tell('warning', warnings(shown.bytes, shown.info).join(' '));
  describe(shown.info);
  draw();
  answer();
  await drawCurve(mine);
}

// The reasons why these bytes are probably no useful filter. Nothing proves
// that bytes are a filter, since the format has no signature.
function warnings(bytes, {fill: share, places}) {
  if (bytes.length < 2) {
    return [`It has ${counted(bytes.length, 'byte')}: LevelDB takes it for a ` +
      'filter without keys.'];
  }
  const found = [];
  const probes = bytes.at(-1);
  if (probes < 1 || probes > 30) { // above are encodings that LevelDB reserves
    found.push(`Its last byte, the number of probes, is ${probes} and not 1 to ` +
      '30: LevelDB takes every key for possibly present.');
  }
  if (share === 0) {
    found.push('No bit is set: every key is absent.');
  } else if (share < 0.001) {
    found.push('Fewer than one bit in 1,000 is set: it has room for far more ' +
      'keys than it holds.');
  } else if (share > 0.9) {
    found.push(`${percent(share)} of its bits are set, where half would be ` +
      'best: it holds more keys than it has room for, and lets most absent ' +
      'keys through.');
  }
  const deviation = Math.sqrt(share * (1 - share) / (bytes.length - 1));
  if (places.some((set) => Math.abs(set - share) > 0.05 + 6 * deviation)) {
    found.push('Its bits lie unevenly within the bytes, as those of a text do.');
  }
  if (found.length > 0) found.push('Is it the filter that you meant?');
  return found;
}

function describe({bytes, probes, fill, keys, rate}) {
  const facts = [
    ['Size', counted(bytes, 'byte')],
    ['Bits set', percent(fill ?? 0)],
    ['Probes for a key', probes ?? 0],
    ['Keys, estimated', keys === null ? 'unknown' : `about ${count(keys)}`],
    ['Absent keys let through, measured', percent(rate)],
  ];
  $('info').replaceChildren(...facts.map(([name, value]) =>
    element('div', '', element('dt', '', name), element('dd', '', value))));
}

function draw() {
  const {bytes, info, probes} = shown;
  const {bits} = info;
  drawGrid($('grid'), bytes, info.regions, probes);
  const each = info.regions.length > 0 && bits > 4096
    ? `Each square is a region of some ${count(Math.round(
      bits / info.regions.length))} bits: the more are set, the stronger.`
    : 'Each square is one bit, and filled where it is set.';
  $('legend').textContent = each;
  $('grid').ariaLabel = `The filter’s ${count(bits)} bits. ${each}`;
}

// ---- Whether a key may be in it

// The value that is bound for a key that is typed as this type.
function valueOf(type, text) {
  switch (type) {
    case 'INTEGER':
      if (!/^[+-]?\d+$/.test(text) || BigInt.asIntN(64, BigInt(text)) !==
          BigInt(text)) {
        throw new Error('Type an INTEGER of 64 bits in digits: 42 or -7.');
      }
      return text;
    case 'REAL':
      if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
        throw new Error('Type a REAL as a number: 1.5 or 6.02e23.');
      }
      return text;
    case 'BLOB':
      if (!/^x'([0-9a-f]{2})*'$/i.test(text)) {
        throw new Error("Type a BLOB as in SQL, in hexadecimal: x'00ff'.");
      }
      return Uint8Array.from(text.slice(2, -1).match(/../g) ?? [],
        (digits) => parseInt(digits, 16));
  }
  return text;
}

// The bytes that a key becomes, in hexadecimal and as a text.
function bytesText(type, bytes) {
  if (bytes === null) return '';
  const what = {
    TEXT: 'its UTF-8',
    INTEGER: 'its decimal text',
    REAL: /^-?\d+$/.test(new TextDecoder().decode(bytes))
      ? 'the text of the integer that it equals'
      : 'IEEE 754, little-endian',
    BLOB: 'as it is',
  }[type];
  return `The key’s bytes: ${hexOf(bytes, ' ') || 'none'} (${what}).`;
}

async function answer() {
  const mine = ++asked;
  clearTimeout(lighting);
  const type = $('type').value;
  const text = $('key').value;
  if (!shown) return;
  let found;
  try {
    tell('key-error', '');
    if (text === '') return clear();
    found = await filters.ask('ask', {type, value: valueOf(type, text)});
  } catch (error) {
    if (mine !== asked) return;
    clear();
    return tell('key-error', error.message);
  }
  if (mine !== asked) return;
  clear();
  $('bytes').textContent = bytesText(type, found.bytes);
  light(probesOf(shown.bytes, found.hash), found.match, type === 'TEXT' && text);
}

function clear() {
  shown.probes = [];
  $('answer').className = '';
  $('answer').textContent = $('bytes').textContent = '';
  $('probes').replaceChildren();
  draw();
}

// Lights the probes one by one, and shows the verdict as soon as it is known.
function light(probes, match, text) {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const step = Math.min(STEP, 1500 / probes.length);
  const verdict = () => say(match, probes, text);
  if (probes.length === 0) return verdict();
  let n = 0;
  const next = () => {
    do {
      const {bit, set} = probes[n++];
      const item = element('li', set ? 'set' : 'unset',
        `bit ${count(bit)}: `, element('b', '', set ? 'set' : 'not set'));
      item.dataset.bit = bit;
      $('probes').append(item);
      if (!set && !$('answer').textContent) verdict();
    } while (still && n < probes.length);
    shown.probes = probes.slice(0, n);
    draw();
    if (n < probes.length) lighting = setTimeout(next, step);
    else if (match) verdict();
  };
  next();
}

function say(match, probes, text) {
  const rate = percent(shown.info.rate);
  const unset = probes.find(({set}) => !set);
  let why = 'LevelDB says so of every key, whatever the bits are.';
  if (unset) {
    why = `Bit ${count(unset.bit)} is not set. Adding the key would have set ` +
      'it, so the key was never added.';
  } else if (probes.length > 0) {
    why = `${probes.length === 1 ? 'Its bit is' :
      `All ${probes.length} bits are`} set: by this key, or by chance by ` +
      `others, as happens to ${rate} of the keys that are absent.`;
    if (shown.keys && text) {
      why += shown.keys.includes(text) ? ' (Your list has it.)'
        : ' (Your list does not have it: this is such a false positive.)';
    }
  }
  $('answer').className = match ? 'perhaps' : 'absent';
  $('answer').replaceChildren(element('strong', '',
    match ? 'possibly present' : 'certainly absent'), ` ${why}`);
}

// ---- The rate over the bits for each key

async function drawCurve(mine) {
  const keys = shown.keys?.length ?? shown.info.keys;
  $('curve').hidden = !keys;
  if (!keys) return;
  const points = [];
  for (const bits of BITS) {
    points.push([bits, await filters.ask('rate', {bits, keys})]);
    if (mine !== newest) return;
  }
  shown.curve = {points, keys};
  redrawCurve();
}

function redrawCurve() {
  if (!shown?.curve) return;
  const {points, keys} = shown.curve;
  const own = [shown.info.bits / keys, shown.info.rate];
  const at10 = points.find(([bits]) => bits === 10)[1];
  const text = 'The more bits for each key, the fewer absent keys are let ' +
    `through: of ${counted(keys, 'key')}, 10 bits for each let ${percent(at10)} ` +
    `through. This filter has ${own[0].toFixed(1)} bits for each key, and lets ` +
    `${percent(own[1])} through.`;
  $('curve-text').textContent = text;
  drawChart($('curve-plot'), {
    points,
    x: {min: 1, max: 20, ticks: [1, 5, 10, 15, 20], text: String,
      name: 'bits for each key'},
    y: {min: 0.0001, max: 1, ticks: [1, 0.1, 0.01, 0.001, 0.0001], log: true,
      text: (share) => `${100 * share} %`, name: 'absent keys let through'},
    own: {point: own, name: 'this filter'},
    label: text,
  });
}

// ---- The section

function tryKey(key) {
  $('type').value = 'TEXT';
  $('key').value = key;
  answer();
}

async function tryFalsePositive() {
  const key = await filters.ask('falsePositive', shown.keys);
  if (key !== null) return tryKey(key);
  tell('key-error', 'None in 100,000 keys: choose fewer bits for each.');
}

export function listenToFilter() {
  for (const id of ['set', 'bits']) on(id, 'input', showSet);
  for (const id of ['key', 'type']) on(id, 'input', answer);
  on('try-member', 'click', () =>
    tryKey(shown.keys[Math.floor(Math.random() * shown.keys.length)]));
  on('try-stranger', 'click', () =>
    tryKey(`key ${Math.floor(Math.random() * 1e6)}`));
  on('try-false', 'click', tryFalsePositive);
  on('file', 'change', () => {
    if ($('file').files.length > 0) showFile($('file').files[0]);
  });
  on(document, 'dragover', (event) => {
    event.preventDefault();
    $('drop').className = 'over';
  });
  for (const end of ['dragleave', 'drop']) {
    on(document, end, () => { $('drop').className = ''; });
  }
  on(document, 'drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length === 0) return;
    $('file').value = ''; // it would show the name of another file
    showFile(event.dataTransfer.files[0]);
  });
  const redraw = () => {
    if (shown) draw();
    redrawCurve();
  };
  on(window, 'resize', redraw);
  on(matchMedia('(prefers-color-scheme: dark)'), 'change', redraw);
  return showSet();
}
