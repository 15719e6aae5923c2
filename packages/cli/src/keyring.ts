// The keyring: the tokens that `telltale login` has made for this person, each for one server. A token goes to the address
// that it was made at and to no other, whatever becomes of a context.
import type { Key } from './chosen.ts';
import { Refused } from './declaration.ts';
import { type Environment, personalFile, readPersonalFile, writePersonalFile } from './personal-files.ts';

const version = 1;
const maxEntries = 1000;

interface Keyring {
  readonly version: typeof version;
  readonly keys: readonly Key[];
}

/** Which server a key is for. */
export type Lock = Pick<Key, 'url' | 'context'>;

export const keyringFile = (environment: Environment): string => personalFile('keyring.json', environment);

/** That of the context, else that of the address. */
export async function findKey(environment: Environment, { url, context }: Lock): Promise<Key | undefined> {
  const { keys } = await readKeyring(environment);
  const fitting = keys.filter((key) => key.url === addressOf(url));
  return fitting.find((key) => key.context === context) ?? fitting.find((key) => key.context === undefined);
}

/** Instead of the one for the same server, if there is one. */
export async function storeKey(environment: Environment, key: Key): Promise<void> {
  const stored = { ...key, url: addressOf(key.url) };
  await change(environment, (keys) => [...keys.filter((each) => !isSame(each, stored)), stored]);
}

export async function removeKey(environment: Environment, key: Key): Promise<void> {
  await change(environment, (keys) => keys.filter((each) => !isSame(each, key)));
}

/** With the context itself. */
export async function removeKeysOf(environment: Environment, context: string): Promise<void> {
  await change(environment, (keys) => keys.filter((each) => each.context !== context));
}

function isSame(one: Lock, other: Lock): boolean {
  return one.url === other.url && one.context === other.context;
}

/** As it is compared: with a slash at its end, without what does not lead anywhere else. */
function addressOf(url: string): string {
  const found = URL.parse(url);
  if (found === null) return url;
  found.search = '';
  found.hash = '';
  if (!found.pathname.endsWith('/')) found.pathname += '/';
  return found.href;
}

async function change(environment: Environment, changed: (keys: readonly Key[]) => readonly Key[]): Promise<void> {
  const keyring = await readKeyring(environment);
  const keys = changed(keyring.keys);
  if (keys.length > maxEntries) throw new Refused(`There are ${maxEntries} sign-ins: telltale logout ends one.`);
  if (keys.length === 0 && keyring.keys.length === 0) return;
  await writePersonalFile(keyringFile(environment), { ...keyring, keys });
}

async function readKeyring(environment: Environment): Promise<Keyring> {
  const file = keyringFile(environment);
  const ifOthersRead = `chmod 600 ${file}, end its sessions with telltale logout, and sign in again with telltale login.`;
  const text = await readPersonalFile(file, { what: 'tokens', ifOthersRead });
  if (text === undefined) return { version, keys: [] };
  const wrong = (why: string) => new Refused(`${file} ${why}. Remove it, and sign in again: telltale login`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw wrong('is not JSON');
  }
  const { version: given, keys } = Object(found) as Partial<Record<keyof Keyring, unknown>>;
  if (given !== version) throw wrong(`has no version ${version}`);
  if (!Array.isArray(keys) || keys.length > maxEntries || !keys.every(isKey)) throw wrong('is no keyring');
  return found as Keyring;
}

function isKey(found: unknown): found is Key {
  const { url, context, user, name, token, expires } = Object(found) as Partial<Record<keyof Key, unknown>>;
  const isText = [url, user, name, token].every((each) => typeof each === 'string' && each.length <= 2000);
  return isText && (context === undefined || typeof context === 'string') && typeof expires === 'number';
}
