// Chance that repeats itself: the same seed and name give the same numbers.

/** Numbers from 0 up to 1, 1 not among them. */
export type Random = () => number;

export function randomOf(seed: number, name: string): Random {
  let state = hash(seed, name);
  // mulberry32: a few operations a number, and good enough for a simulated plant.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a, begun with the seed. */
function hash(seed: number, text: string): number {
  let bits = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  return bits;
}
