// Contexts: servers that a person has given names, in a file of theirs, and which of them is asked where nothing else is
// said. The file has a version and keeps members that it does not know, so that more can be said of a server later.
import { resolve } from 'node:path';
import { didYouMean } from '@telltale/schema/nearest-name';
import { Refused, UsageError } from './declaration.ts';
import { type Environment, personalFile, readPersonalFile, writePersonalFile } from './personal-files.ts';

const maxContexts = 1000;
const version = 1;

const nameForm = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const maxUrl = 2000;

export interface Context {
  readonly name: string;
  readonly url: string;
  /** Certificates of whom to trust. */
  readonly caFile?: string;
}

export interface Contexts {
  readonly version: typeof version;
  /** The name of the one that is asked where no other is named. */
  readonly current?: string;
  readonly contexts: readonly Context[];
}

export const contextsFile = (environment: Environment, platform?: NodeJS.Platform): string =>
  personalFile('contexts.json', environment, platform);

/** None where there is no file. */
export async function readContexts(file: string): Promise<Contexts> {
  const text = await readPersonalFile(file, { what: 'contexts' });
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
  const { name, url, caFile } = Object(found) as Partial<Record<keyof Context, unknown>>;
  if (caFile !== undefined && typeof caFile !== 'string') return false;
  return typeof name === 'string' && nameForm.test(name) && typeof url === 'string' && url.length <= maxUrl;
}

/** As a whole or not at all. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  if (contexts.contexts.length > maxContexts)
    throw new Refused(`There are ${maxContexts} contexts: remove some first.`);
  await writePersonalFile(file, contexts);
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
export function makeContext(name: string, address: string, caFile?: string): Context {
  if (!nameForm.test(name)) {
    const form = '1 to 64 characters of 0-9, a-z, A-Z, _, - and ., not beginning with - or .';
    throw new UsageError(`${JSON.stringify(name.slice(0, 80))} is not a name: ${form}`);
  }
  return { name, url: readAddress(address), ...(caFile !== undefined && { caFile: resolve(caFile) }) };
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
