// The picture of a filter, and whether a key may be in it.
import {$, count, counted, element, Engine, on, percent, tell} from './common.js';
import {drawGrid, MAX_BITS, probesOf} from './picture.js';

const MAX_BYTES = 128 * 1024 * 1024; // the largest filter: 100 million keys
const FLASH = 1500; // milliseconds for which an edited key's bits are marked
const ROOM = 12; // keys that the filter of a smaller set has room for, too

export const filters = new Engine();

let shown = null; // {bytes, keys: the set if it is known, info, key, probes, flash}
let newest; // the newest filter; an older one may arrive after it
let asked = 0; // number of keys asked for; only the last one counts

// ---- Which filter

const bitsPerKey = () => Number($('bits').value);
const setOf = () => [...new Set($('set').value.split('\n').filter((s) => s))];

async function showSet() {
  const keys = setOf();
  const bits = bitsPerKey();
  tell('bits-now', bits);
  $('file').value = '';
  const room = Math.max(keys.length, ROOM);
  await show(() => filters.ask('build', {keys, bits, room}), keys,
    `The filter of ${counted(keys.length, 'key')}, ` +
    `${keys.length < ROOM ? `with room for ${ROOM}, ` : ''}${counted(bits, 'bit')} per key` +
    (room * bits < 64 ? ': 64 bits, LevelDB’s minimum' : ''));
}

// Shows the set that has been edited, and marks the bits of the line at the
// caret for a moment.
async function showEdit() {
  await showSet();
  const at = $('set').selectionStart;
  const before = $('set').value.slice(0, at).split('\n').at(-1);
  const [after] = $('set').value.slice(at).split('\n');
  const key = before + after;
  if (!shown || key === '') return;
  const mine = shown;
  const {hash} = await filters.ask('ask', {key});
  if (shown !== mine) return;
  mine.flash = {key, probes: probesOf(mine.bytes, hash)};
  draw();
  setTimeout(() => {
    if (shown !== mine) return;
    mine.flash = undefined;
    draw();
  }, FLASH);
}

async function showFile(file) {
  await showFound(async () => {
    if (file.size > MAX_BYTES) {
      throw new Error(`it has ${count(file.size)} bytes, and this page reads up ` +
        `to ${count(MAX_BYTES)}: test it in the sqlite3 shell`);
    }
    return new Uint8Array(await file.arrayBuffer());
  }, file.name);
}

/** Shows the filter that read() gives, in place of the sample, and goes to it. */
export async function showFound(read, name) {
  await show(read, null, name);
  $('see').scrollIntoView();
  $('key').focus({preventScroll: true});
}

// Shows the filter that read() gives; keys are its set, if it is known.
async function show(read, keys, name) {
  const mine = newest = {};
  tell('refusal', '');
  try {
    const bytes = await read();
    if (mine !== newest) return;
    const info = await filters.ask('take', bytes);
    if (mine !== newest) return;
    shown = {bytes, keys, info, key: '', probes: []};
  } catch (error) {
    if (mine !== newest) return;
    shown = null;
    tell('refusal', `${name} is not shown: ${error.message}.`);
  }
  $('filter').hidden = $('rates').hidden = !shown;
  $('sample').hidden = !keys;
  $('to-sample').hidden = Boolean(keys);
  $('tries').hidden = !keys || keys.length === 0;
  tell('name', shown ? name : '');
  tell('warning', !shown ? ''
    : !keys ? warnings(shown.bytes, shown.info).join(' ')
    : keys.length === 0 ? 'The set is empty: every key is absent.' : '');
  if (!shown) return clear();
  draw();
  answer();
  tellRate();
}

// Whether bytes begin as a text does. A filter of more than a few bytes hardly
// ever does, whatever its last byte is.
function isText(bytes) {
  const text = new TextDecoder().decode(bytes.subarray(0, 1000), {stream: true});
  return !/[^\P{Cc}\s]|\ufffd/u.test(text);
}

// The reasons why these bytes are probably no useful filter. Nothing proves
// that bytes are a filter, since the format has no signature.
function warnings(bytes, {fill: share}) {
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
  if (isText(bytes)) found.push('It begins as a text does.');
  if (found.length > 0) found.push('Is it the filter that you meant?');
  return found;
}

function draw() {
  const {bytes, info, flash} = shown;
  const {bits, regions} = info;
  const {key, probes} = flash ?? shown;
  const numbered = drawGrid($('grid'), bytes, regions, probes, flash !== undefined);
  const each = bits > MAX_BITS
    ? `Each square is a region of about ${count(Math.round(
      bits / regions.length))} bits: the more are set, the stronger.`
    : 'Each square is one bit, and filled if it is set.';
  const marks = numbered ? 'number' : 'frame';
  tell('legend', each + (probes.length === 0 ? ''
    : ` The ${marks}${probes.length === 1 ? ' marks the bit' : 's mark the bits'} ` +
      `of “${key.length > 40 ? `${key.slice(0, 40)}…` : key}”.`));
  $('grid').ariaLabel = `The filter’s ${count(bits)} bits. ${each}`;
}

// ---- Whether a key may be in it

async function answer() {
  const mine = ++asked;
  const key = $('key').value;
  const isSql = $('is-sql').checked;
  if (!shown) return;
  let found;
  try {
    tell('key-error', '');
    if (key === '') return clear();
    found = await filters.ask('ask', {key, isSql});
  } catch (error) {
    if (mine !== asked) return;
    clear();
    return tell('key-error', error.message);
  }
  if (mine !== asked) return;
  clear();
  shown.key = key;
  shown.probes = probesOf(shown.bytes, found.hash);
  list(shown.probes);
  say(found.match, shown.probes, isSql ? undefined : shown.keys?.includes(key));
  draw();
}

function clear() {
  $('answer').className = '';
  $('answer').textContent = '';
  $('probes').replaceChildren();
  if (!shown) return;
  shown.probes = [];
  draw();
}

// Lists the probes, which the style lights one by one.
function list(probes) {
  $('probes').replaceChildren(...probes.map(({bit, set}, i) => {
    const item = element('li', set ? 'set' : 'unset',
      `bit ${count(bit)}: `, element('b', '', set ? 'set' : 'not set'));
    item.dataset.bit = bit;
    item.style.setProperty('--n', i + 1);
    return item;
  }));
}

// Shows the verdict. `known` is whether the set has the key, if that is known.
function say(match, probes, known) {
  const unset = probes.find(({set}) => !set);
  const all = probes.length === 1 ? 'Its bit is set'
    : `All ${probes.length} of its bits are set`;
  const [kind, verdict, why] =
    unset ? ['absent', 'certainly absent', `Its bit ${count(unset.bit)} is not ` +
      'set, and adding the key would have set it.']
    : probes.length === 0 ? [match ? 'perhaps' : 'absent',
      match ? 'possibly present' : 'certainly absent',
      'LevelDB gives this answer for every key.']
    : known === undefined ? ['perhaps', 'possibly present', `${all}: by this key ` +
      `or, as for ${percent(shown.info.rate)} of the absent keys, by others.`]
    : known ? ['perhaps', 'possibly present', `${all}. The filter cannot be sure; ` +
      'your set does have this key.']
    : ['false', 'false positive', `${all}, but by other keys. The filter says ` +
      '“possibly present”; your set does not have this key.'];
  $('answer').className = kind;
  $('answer').replaceChildren(element('strong', '', verdict), ` ${why}`);
}

// ---- The rate

function tellRate() {
  const {info, keys} = shown;
  const listed = keys && new TextEncoder().encode(keys.join('\n') + '\n');
  tell('rates', (keys ? `The set takes ${counted(listed.length, 'byte')} as a list and ` +
      `${count(info.bytes)} as a filter, which`
    : `This filter has ${counted(info.bytes, 'byte')}, of whose bits ` +
      `${percent(info.fill ?? 0)} are set, and ${info.keys === null
        ? 'an unknown number of keys' : `about ${counted(info.keys, 'key')}`}. ` +
      `It tests ${counted(info.probes ?? 0, 'bit')} per key, and`) +
    ` lets ${percent(info.rate)} of the absent keys through.`);
}

// ---- The section

function tryKey(key) {
  $('is-sql').checked = false;
  $('key').value = key;
  answer();
}

async function tryFalsePositive() {
  const key = await filters.ask('falsePositive', shown.keys);
  if (key !== null) return tryKey(key);
  tell('key-error', 'There is none among 100,000 keys: choose fewer bits per key.');
}

export function listenToFilter() {
  on('set', 'input', showEdit);
  on('bits', 'input', showSet);
  for (const id of ['key', 'is-sql']) on(id, 'input', answer);
  on('try-member', 'click', () =>
    tryKey(shown.keys[Math.floor(Math.random() * shown.keys.length)]));
  on('try-absent', 'click', () =>
    tryKey(`key ${Math.floor(Math.random() * 1e6)}`));
  on('try-false', 'click', tryFalsePositive);
  on('back', 'click', async () => {
    await showSet();
    $('set').focus();
  });
  on('file', 'change', () => {
    if ($('file').files.length > 0) showFile($('file').files[0]);
  });
  return showSet();
}
