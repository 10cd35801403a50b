// Up to which share of matches a filter pays, judged from times that vary.

/** A filter pays if it makes a join this many times as fast. */
export const ENOUGH = 1.2;

// A visit that matches costs the plain join this much more than one that does not (half
// as much again). Of 0, 0.5, 1, 1.5 and 2, it is the value with which most lines, nine
// of ten, are within 1.25 times of what was measured at 2 % in the recorded runs.
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
 * apart give a slope, and a share where nothing more is saved. The median slope gives
 * gain(share), which never rises, and the shares without their tails are the range
 * {from, to}: a few wrong times hardly move them (this is Theil and Sen's estimator).
 */
export function judge(points) {
  const plainAt = (share) => 1 + MATCH * share / 100;
  const left = points.map(({share, plain, filtered}) =>
    [share, plainAt(share) * (1 / ENOUGH - filtered / plain)]);
  const slopes = [];
  const ends = [];
  for (const [one, high] of left) {
    for (const [other, low] of left) {
      if (other - one < APART) continue;
      const slope = Math.min(0, (low - high) / (other - one));
      const end = slope < 0 ? one - high / slope : high > 0 ? 100 : 0;
      slopes.push(slope);
      ends.push(Math.min(100, Math.max(0, end)));
    }
  }
  const middle = at(0.5, slopes);
  const start = at(0.5, left.map(([share, saved]) => saved - middle * share));
  const slope = Math.min(middle, start * MATCH / 100); // or the gain would rise
  const least = Math.min(...points.map(({plain, filtered}) => filtered / plain));
  const gain = (share) => 1 / Math.max(least,
    1 / ENOUGH - (start + slope * share) / plainAt(share));
  return {from: at(TAIL, ends), to: at(1 - TAIL, ends), gain};
}
