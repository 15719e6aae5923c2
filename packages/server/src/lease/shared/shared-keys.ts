// Where in etcd the shared state of a site is, and the form of its values: short ones as they are, long ones as a list of parts that
// are stored under their hashes.
import { type Entry, type KeyRange, keysUnder } from '../etcd/etcd-kv.ts';
import { fieldsOf } from '../leader-key.ts';
import { keyPart } from '../lease-setting.ts';
import { NewerForm } from './shared-errors.ts';

/** Of a value that is stored in parts. */
export interface LargeValue {
  readonly length: number;
  /** Their hashes, in order. */
  readonly parts: readonly string[];
}

export interface SharedKey {
  readonly family: string;
  readonly name: string;
}

export interface SharedEntry extends SharedKey {
  readonly value: Buffer | LargeValue;
  /** At which it was written. */
  readonly revision: number;
}

/** Of all that a site shares, as the head says it. Who finds a higher one takes nothing: it would be something else than was meant. */
export const sharedForm = 1;

const [inlineMark, largeMark] = [Buffer.from('='), Buffer.from('#')];

export class SharedKeys {
  readonly leader: string;
  /** Written by every change: who has written it last, and in which transaction. */
  readonly head: string;
  readonly #state: string;
  readonly #parts: string;

  /** `base` is that of the site. */
  constructor(base: string) {
    this.leader = `${base}/leader`;
    this.#state = `${base}/state/`;
    // An entry has one more slash.
    this.head = `${this.#state}head`;
    this.#parts = `${base}/parts/`;
  }

  /** All entries, and the head. */
  get state(): KeyRange {
    return keysUnder(this.#state);
  }

  get parts(): KeyRange {
    return keysUnder(this.#parts);
  }

  entry({ family, name }: SharedKey): string {
    return `${this.#state}${keyPart(family, 'A family')}/${keyPart(name, 'An entry')}`;
  }

  part(hash: string): string {
    return this.#parts + hash;
  }

  hashOf(part: string): string {
    return part.slice(this.#parts.length);
  }

  /** Undefined for the head, and for what is none of ours. */
  keyOf(key: string): SharedKey | undefined {
    const [, family, name] = /^([^/]+)\/([^/]+)$/.exec(key.slice(this.#state.length)) ?? [];
    if (family === undefined || name === undefined) return undefined;
    try {
      return { family: decodeURIComponent(family), name: decodeURIComponent(name) };
    } catch {
      return undefined;
    }
  }

  read({ key, value, modRevision }: Entry): SharedEntry | undefined {
    const [sharedKey, read] = [this.keyOf(key), readValue(value)];
    return sharedKey && read && { ...sharedKey, value: read, revision: modRevision };
  }
}

export function inlineValue(bytes: Uint8Array): Buffer {
  return Buffer.concat([inlineMark, bytes]);
}

export function largeValue(value: LargeValue): Buffer {
  return Buffer.concat([largeMark, Buffer.from(JSON.stringify(value))]);
}

/** Throws `NewerForm`. */
export function checkForm(head: Buffer): void {
  const { form = 1 } = fieldsOf(head);
  if (!(typeof form === 'number' && form <= sharedForm)) throw new NewerForm(String(form));
}

/** Undefined where somebody else has written it. */
function readValue(stored: Buffer): Buffer | LargeValue | undefined {
  if (stored[0] === inlineMark[0]) return stored.subarray(1);
  if (stored[0] !== largeMark[0]) return undefined;
  const { length, parts } = fieldsOf(stored.subarray(1));
  const isLarge = typeof length === 'number' && Array.isArray(parts) && parts.every((hash) => typeof hash === 'string');
  return isLarge ? { length, parts } : undefined;
}
