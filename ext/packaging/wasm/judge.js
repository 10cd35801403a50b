// Up to which share of matches a filter pays, judged from times that vary.

/** A filter pays if it makes a join this many times as fast. */
export const ENOUGH = 1.2;

// A visit that matches costs the plain join this much more than one that does not.
const MATCH = 0.5;
const APART = 30; // percent between the shares of a pair, or more
const TAIL = 0.2; // of the pairs, on either side of the range

const at = (place, values) =>
  values.sort((a, b) => a - b)[Math.round(place * (values.length - 1))];

/**
 * Judges the times of two joins, {share, plain, filtered}, in the order of the
 * shares: percent of the rows that match. The time of either join is a line over the
 * share, and so is what the filter saves beyond what it must save to pay. It is
 * divided by the time of the plain join, which a busy processor lengthens as much,
 * and multiplied by what that time is on an idle one. Each two shares that are far
 * apart give a share where nothing more is saved. Without their tails, these are the
 * range {from, to}: a few wrong times hardly move it.
 */
export function judge(points) {
  const saved = points.map(({share, plain, filtered}) =>
    [share, (1 + MATCH * share / 100) * (1 / ENOUGH - filtered / plain)]);
  const ends = [];
  for (const [one, high] of saved) {
    for (const [other, low] of saved) {
      if (other - one < APART) continue;
      const slope = (low - high) / (other - one);
      const end = slope < 0 ? one - high / slope : high > 0 ? 100 : 0;
      ends.push(Math.min(100, Math.max(0, end)));
    }
  }
  return {from: at(TAIL, ends), to: at(1 - TAIL, ends)};
}
