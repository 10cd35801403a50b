// The pictures: a filter's bits, and lines over two axes.
import {element} from './common.js';

/** A filter of more bits is drawn by regions. */
export const MAX_BITS = 2048;

const COLUMNS = 64; // and 32 rows, of regions
const SIZE = 26; // of a cell, at most, in pixels

/** A key's probes, as LevelDB's KeyMayMatch makes them from its hash. */
export function probesOf(filter, hash) {
  const bits = (filter.length - 1) * 8;
  const probes = filter.at(-1);
  if (bits <= 0 || probes > 30) return [];
  const delta = (hash >>> 17 | hash << 15) >>> 0;
  return Array.from({length: probes}, (_, i) => {
    const bit = (hash + i * delta) % 2 ** 32 % bits;
    return {bit, set: (filter[Math.floor(bit / 8)] >> bit % 8 & 1) === 1};
  });
}

// How the cells of a filter are arranged in this width, and how dark each one is.
function layout(filter, regions, width) {
  const bytes = Math.max(0, filter.length - 1);
  const bits = bytes * 8;
  if (bits <= MAX_BITS) {
    const tallest = width > 400 ? width : 200; // on a phone it stays in view
    return {columns: [16, 24, 32].find((n) =>
      Math.ceil(bits / n) * Math.min(width / n, SIZE) <= tallest) ?? COLUMNS,
      cells: bits, share: (i) => filter[i >> 3] >> i % 8 & 1,
      cellOf: (bit) => bit};
  }
  // Region r begins at byte floor(r * bytes / regions), as worker.js has it.
  return {columns: COLUMNS, cells: regions.length, share: (i) => regions[i],
    cellOf: (bit) =>
      Math.ceil((Math.floor(bit / 8) + 1) * regions.length / bytes) - 1};
}

/**
 * Draws a filter's bits, with these probes of a key marked: by what was found, or
 * in one colour for a flash. Returns whether they have numbers.
 */
export function drawGrid(canvas, filter, regions, probes, flash) {
  const room = canvas.parentElement.clientWidth;
  const {columns, cells, share, cellOf} = layout(filter, regions, room);
  const colour = (name) => {
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  };
  const size = Math.min(room / columns, SIZE);
  const width = size * columns;
  const height = size * Math.ceil(cells / columns);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  const gap = size > 8 ? 2 : 0.5;
  const [empty, bit, card] = ['empty', 'bit', 'card'].map(colour);
  const fill = (i, style, alpha) => {
    context.globalAlpha = alpha;
    context.fillStyle = style;
    context.fillRect(i % columns * size, Math.floor(i / columns) * size,
      size - gap, size - gap);
  };
  for (let i = 0; i < cells; i++) {
    fill(i, empty, 1);
    fill(i, bit, share(i));
  }
  const numbered = size >= 13;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = `600 ${size * 0.6}px system-ui, sans-serif`;
  context.lineWidth = size > 8 ? 3 : 2;
  const lit = probes.map(({bit, set}, n) => {
    const cell = cellOf(bit);
    const verdict = colour(flash ? 'accent' : set ? 'perhaps' : 'absent');
    if (numbered) fill(cell, set ? verdict : card, 1);
    const [x, y] = [cell % columns * size, Math.floor(cell / columns) * size];
    const around = numbered ? -context.lineWidth / 2 : context.lineWidth / 2;
    context.globalAlpha = 1;
    context.strokeStyle = verdict;
    context.strokeRect(x - around, y - around, size - gap + 2 * around,
      size - gap + 2 * around);
    context.fillStyle = set ? card : verdict;
    if (numbered) {
      context.fillText(n + 1, x + (size - gap) / 2, y + (size - gap) / 2 + 1);
    }
    return cell;
  });
  canvas.dataset.lit = lit.join(' ');
  canvas.dataset.flash = flash;
  canvas.dataset.columns = columns;
  return numbered;
}

function shape(name, attributes, ...content) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

/**
 * Draws points and a line through others, each [x, y], into an element. An axis
 * is {min, max, ticks, name, text: of a tick, log: whether it is logarithmic}.
 * `own` is a point that is highlighted, `level` is {at: a tick of y, name} whose
 * line stands out, and `label` describes the picture in words.
 */
export function drawChart(into, {points, line, x, y, own, level, label}) {
  const [width, height] = [Math.min(into.clientWidth, 640), 240];
  const [left, right, top, bottom] = [56, width - 24, 28, height - 44];
  const along = (axis, value, from, to) => {
    const f = axis.log ? Math.log : Number;
    const inside = Math.min(axis.max, Math.max(axis.min, value));
    return from + (to - from) * (f(inside) - f(axis.min)) /
      (f(axis.max) - f(axis.min));
  };
  const at = ([px, py]) => [along(x, px, left, right), along(y, py, bottom, top)];
  const text = (tx, ty, anchor, content, name = '') =>
    shape('text', {x: tx, y: ty, 'text-anchor': anchor, class: name}, content);
  const drawn = shape('svg', {width, height, role: 'img', 'aria-label': label});
  for (const value of x.ticks) {
    const px = along(x, value, left, right);
    drawn.append(text(px, bottom + 18, 'middle', x.text(value)));
  }
  for (const value of y.ticks) {
    const py = along(y, value, bottom, top);
    drawn.append(shape('line', {x1: left, x2: right, y1: py, y2: py,
      class: value === level?.at ? 'level' : 'rule'}),
      text(left - 8, py + 4, 'end', y.text(value)));
  }
  drawn.append(text(right, height - 4, 'end', x.name),
    text(0, 12, 'start', y.name));
  if (level) {
    drawn.append(text(right, along(y, level.at, bottom, top) - 6, 'end', level.name));
  }
  drawn.append(shape('polyline', {points: line.map(at).join(' ')}));
  for (const point of points) {
    const [cx, cy] = at(point);
    drawn.append(shape('circle', {cx, cy, r: 2.5}));
  }
  if (own) {
    const [cx, cy] = at(own.point);
    const anchor = cx > (left + right) / 2 ? 'end' : 'start';
    drawn.append(shape('circle', {cx, cy, r: 6, class: 'own'}),
      text(cx + (anchor === 'end' ? -10 : 10), cy - 8, anchor, own.name, 'own'));
  }
  into.replaceChildren(drawn);
}
