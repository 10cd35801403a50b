// The picture of a filter.
import {element} from './common.js';

/** A filter of more bits is drawn by regions. */
export const MAX_BITS = 2048;

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

/**
 * Draws a filter's bits as squares, or if they are many, its regions by their shares of
 * bits that are set. The probes of a key are marked: by what was found, or in one
 * colour for a flash. Returns whether they have numbers.
 */
export function drawGrid(grid, filter, regions, probes, flash) {
  const bytes = Math.max(0, filter.length - 1);
  const byRegions = bytes * 8 > MAX_BITS;
  const shares = byRegions ? [...regions]
    : Array.from({length: bytes * 8}, (_, bit) => filter[bit >> 3] >> bit % 8 & 1);
  const columns = [16, 24, 32].find((n) => shares.length <= n * n) ?? 64;
  const cells = shares.map((share) => {
    const cell = element('span', '');
    cell.style.setProperty('--share', share);
    return cell;
  });
  grid.style.setProperty('--columns', columns);
  grid.style.setProperty('--rows', Math.ceil(cells.length / columns));
  grid.replaceChildren(...cells);
  const numbered = columns < 32;
  probes.forEach(({bit, set}, i) => {
    // As in worker.js, byte b is in the region floor(b * regions / bytes).
    const cell = cells[byRegions
      ? Math.floor(Math.floor(bit / 8) * regions.length / bytes) : bit];
    cell.className = flash ? 'flash' : set ? 'set' : 'unset';
    cell.style.setProperty('--n', i + 1);
    if (numbered) cell.textContent = i + 1;
  });
  return numbered;
}
