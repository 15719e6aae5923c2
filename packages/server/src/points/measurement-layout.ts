// Where the table has what the hot path needs of a measurement: its cells, words and bits.

/** What a measurement is and has, as bits. */
export const flag = {
  live: 1,
  scaled: 2,
  deduplicated: 4,
  deadband: 8,
  /** Turns bad when the link of its connector is lost. */
  linked: 16,
  simulated: 32,
  /** Numbers in, the same or doubles out, never anything that is not finite, and a raw range that rises, if there is one. */
  plain: 64,
  /** The raw range runs downwards. */
  falling: 128,
  /** Its readings are whole numbers; those beyond 32 bits go the long way. */
  int32: 256,
  /** Its readings are singles. */
  single: 512,
} as const;

/**
 * Everything that the hot path needs of a measurement lies in eight doubles behind each other: one line of the
 * processor's cache. A 64-bit integer has its value in the same cell, as bits. `low` and `high` are the ends of the raw
 * range in order; where nothing is scaled they lie beyond all values of the datatype; `euLo` belongs to `low`. Moves
 * below `threshold` are no change: it is the deadband, and where there is none the smallest number there is, for the
 * deduplicator. The last double is two words: flags and the number of the connector; quality, and the position of the
 * measurement among the pending changes, if it is among them.
 */
export const cell = { value: 0, time: 1, low: 2, high: 3, euLo: 4, gain: 5, threshold: 6 } as const;
export const cellShift = 3;
export const word = { flags: 14, quality: 15 } as const;
export const wordShift = 4;
export const connectorShift = 10;
export const positionShift = 16;
