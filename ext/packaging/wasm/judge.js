// Up to which share of matches a filter pays, judged from times that vary.

/** A filter pays if it makes a join this many times as fast. */
export const ENOUGH = 1.2;

const APART = 30; // percent between the shares of a pair, or more
const TAIL = 0.2; // of the pairs, on either side of the range

const at = (place, values) =>
  values.sort((a, b) => a - b)[Math.round(place * (values.length - 1))];

/**
 * Judges the times of two joins, {share, plain, filtered}, in the order of the
 * shares: percent of the rows that match. The logarithm of the gain, plain over
 * filtered, falls nearly by a line. So each two shares that are far apart give a
 * slope, and a share where the gain is ENOUGH. The median slope gives gain(share),
 * which never rises, and the shares without their tails are the range {from, to}: a
 * few wrong times hardly move them (this is Theil and Sen's estimator).
 */
export function judge(points) {
  const gains = points.map(({share, plain, filtered}) =>
    [share, Math.log(plain / filtered)]);
  const slopes = [];
  const ends = [];
  for (const [one, high] of gains) {
    for (const [other, low] of gains) {
      if (other - one < APART) continue;
      const slope = Math.min(0, (low - high) / (other - one));
      const above = high - Math.log(ENOUGH);
      const end = slope < 0 ? one - above / slope : above > 0 ? 100 : 0;
      slopes.push(slope);
      ends.push(Math.min(100, Math.max(0, end)));
    }
  }
  const slope = at(0.5, slopes);
  const start = at(0.5, gains.map(([share, gain]) => gain - slope * share));
  return {from: at(TAIL, ends), to: at(1 - TAIL, ends),
    gain: (share) => Math.exp(start + slope * share)};
}
