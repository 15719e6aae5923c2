// Keys, values and transactions in the words of etcd's JSON gateway: bytes as Base64, whole numbers of 64 bits as text.

export interface KeyRange {
  readonly key: string;
  readonly range_end?: string;
}

/** Of a key that is there. */
export interface Entry {
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
}

export type Comparison = KeyRange & Readonly<Record<string, string>>;

export type Operation =
  | { readonly request_put: { readonly key: string; readonly value: string; readonly lease?: string } }
  | { readonly request_delete_range: KeyRange }
  | { readonly request_range: KeyRange };

export interface Transaction {
  readonly compare?: readonly Comparison[];
  readonly success: readonly Operation[];
  /** Where a comparison does not hold. */
  readonly failure?: readonly Operation[];
}

export interface RawEntry {
  readonly key: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
}

export function oneKey(key: string): KeyRange {
  return { key: base64(key) };
}

/** All keys that begin so. */
export function keysUnder(prefix: string): KeyRange {
  const end = Buffer.from(prefix);
  // No byte of UTF-8 is 0xff.
  end[end.length - 1] = (end[end.length - 1] ?? 0) + 1;
  return { key: base64(prefix), range_end: end.toString('base64') };
}

/** The key is there and was created at this revision; at 0: is not there. */
export function createdAt(key: string, revision: number): Comparison {
  return { ...oneKey(key), target: 'CREATE', result: 'EQUAL', create_revision: String(revision) };
}

/** The key was last written at this revision; at 0: is not there. */
export function writtenAt(key: string, revision: number): Comparison {
  return { ...oneKey(key), target: 'MOD', result: 'EQUAL', mod_revision: String(revision) };
}

/** The key is there. */
export function exists(key: string): Comparison {
  return { ...oneKey(key), target: 'CREATE', result: 'GREATER', create_revision: '0' };
}

/** With a lease of etcd, the key goes when that expires. */
export function put(key: string, value: string | Uint8Array, lease?: string): Operation {
  return { request_put: { ...oneKey(key), value: base64(value), ...(lease !== undefined && { lease }) } };
}

export function remove(range: KeyRange): Operation {
  return { request_delete_range: range };
}

export function get(range: KeyRange): Operation {
  return { request_range: range };
}

export function entryOf({ key, value = '', create_revision, mod_revision }: RawEntry): Entry {
  return {
    key: Buffer.from(key, 'base64').toString(),
    value: Buffer.from(value, 'base64'),
    createRevision: Number(create_revision ?? 0),
    modRevision: Number(mod_revision ?? 0),
  };
}

function base64(bytes: string | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString('base64');
}
