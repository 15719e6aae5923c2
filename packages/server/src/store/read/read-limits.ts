// How much of the store is loaded at once.

export interface ReadLimits {
  readonly rows: number;
  /** Rows with their arrays, where most of them are read. */
  readonly arrays: number;
  /** Of what is not sealed. */
  readonly unsealedBytes: number;
}

/** Some megabytes of numbers. */
export const usualLimits: ReadLimits = { rows: 2048, arrays: 64, unsealedBytes: 2 ** 27 };
