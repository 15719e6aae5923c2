// Contexts: servers that a person has given names, in a file of theirs, and which of them is asked where nothing else is
// said. The file has a version and keeps members that it does not know, so that more can be said of a server later.
import { mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { didYouMean } from '@telltale/schema/nearest-name';
import { Refused, UsageError } from './declaration.ts';
import { asRefused, isSystemError, writeFileWhole } from './files.ts';

const maxContexts = 1000;
const maxFileBytes = 1 << 20;
const version = 1;
/** Nobody else reads it: it may have access tokens one day. */
const fileMode = 0o600;
const folderMode = 0o700;

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const maxUrl = 2000;

export interface Context {
  readonly name: string;
  readonly url: string;
}

export interface Contexts {
  readonly version: typeof version;
  /** The name of the one that is asked where no other is named. */
  readonly current?: string;
  readonly contexts: readonly Context[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** By the XDG Base Directory Specification; on Windows, in the roaming folder of applications. */
export function contextsFile(environment: Environment, platform = process.platform): string {
  const { XDG_CONFIG_HOME: xdg = '', APPDATA: roaming = '', HOME: home = '' } = environment;
  const own = join(home === '' ? homedir() : home, '.config');
  const folder = isAbsolute(xdg) ? xdg : platform === 'win32' && roaming !== '' ? roaming : own;
  return join(folder, 'telltale', 'contexts.json');
}

/** None where there is no file. */
export async function readContexts(file: string): Promise<Contexts> {
  const text = await readSmall(file);
  if (text === undefined) return { version, contexts: [] };
  const wrong = (why: string) => new Refused(`${file} ${why}. Correct it, or remove it and add the contexts again.`);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw wrong('is not JSON');
  }
  const { version: given, current, contexts } = Object(found) as Partial<Record<keyof Contexts, unknown>>;
  if (typeof given === 'number' && given > version) {
    throw new Refused(`${file} was written by a newer version of telltale: use that one, or --url.`);
  }
  if (given !== version) throw wrong(`has no version ${version}`);
  if (current !== undefined && typeof current !== 'string') throw wrong('has a current context that is no name');
  if (!Array.isArray(contexts) || contexts.length > maxContexts)
    throw wrong(`has no list of at most ${maxContexts} contexts`);
  const unfit = contexts.findIndex((each) => !isContext(each));
  if (unfit >= 0) throw wrong(`has no name and URL in its context ${unfit + 1}`);
  return found as Contexts;
}

function isContext(found: unknown): found is Context {
  const { name, url } = Object(found) as Partial<Record<keyof Context, unknown>>;
  return typeof name === 'string' && nameForm.test(name) && typeof url === 'string' && url.length <= maxUrl;
}

/** As a whole or not at all. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  if (contexts.contexts.length > maxContexts)
    throw new Refused(`There are ${maxContexts} contexts: remove some first.`);
  try {
    await mkdir(dirname(file), { recursive: true, mode: folderMode });
  } catch (error) {
    throw asRefused(error, `${dirname(file)} cannot be made`);
  }
  const bytes = Buffer.from(`${JSON.stringify(contexts, undefined, 2)}\n`);
  await writeFileWhole(
    file,
    (async function* all() {
      yield bytes;
    })(),
    fileMode,
  );
}

/** Throws where there is none of this name. */
export function contextOf({ contexts }: Contexts, name: string): Context {
  const found = contexts.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = contexts.map((each) => each.name);
  const hint = names.length === 0 ? ' There are none: telltale context add NAME URL' : didYouMean(name, names);
  throw new Refused(`There is no context ${JSON.stringify(name.slice(0, 64))}.${hint}`);
}

/** Throws where the name or the address cannot be used. */
export function makeContext(name: string, address: string): Context {
  if (!nameForm.test(name)) {
    const form = '1 to 64 characters of 0-9, a-z, A-Z, _, - and ., not beginning with - or .';
    throw new UsageError(`${JSON.stringify(name.slice(0, 80))} is not a name: ${form}`);
  }
  return { name, url: readAddress(address) };
}

function readAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.href.length > maxUrl || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`${JSON.stringify(text.slice(0, 60))} is not an address: http://HOST:PORT/ is expected.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('An address with a user or a password is not stored: leave them out.');
  }
  return url.href;
}

async function readSmall(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file);
    const buffer = Buffer.alloc(maxFileBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxFileBytes) throw new Refused(`${file} is larger than 1 MiB: it has no contexts.`);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw asRefused(error, `${file} cannot be read`);
  }
}
