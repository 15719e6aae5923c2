// Password hashes as texts (PHC string format): argon2id with its parameters, salt and hash.

export interface Argon2 {
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

export interface HashedPassword extends Argon2 {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const form = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Whatever a text says, no check takes more than this. */
const most: Argon2 = { memory: 256 << 10, passes: 16, parallelism: 4 };

/** Undefined where the text is none of argon2id, or asks for more than a check may take. */
export function parsePhc(text: string): HashedPassword | undefined {
  const [, m, t, p, salt, hash] = form.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
  if (memory > most.memory || passes > most.passes || parallelism > most.parallelism) return undefined;
  if (passes < 1 || parallelism < 1 || memory < 8 * parallelism) return undefined;
  return { memory, passes, parallelism, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

export function formatPhc({ memory, passes, parallelism, salt, hash }: HashedPassword): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}
