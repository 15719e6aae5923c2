// Why the store does not take or give something now. Trying again does no harm, and helps with most of them.

/** In a word, for metrics and states; the message is for people. */
export const storeTroubles = [
  'unreachable',
  'silent',
  'credentials',
  'rights',
  'tls',
  'database',
  'version',
  'full',
  'busy',
  'read-only',
  'epoch',
  'refused',
] as const;
export type StoreTrouble = (typeof storeTroubles)[number];

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: StoreTrouble;

  /** The message says what happened, where, and what to do. */
  constructor(trouble: StoreTrouble, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.trouble = trouble;
  }
}
