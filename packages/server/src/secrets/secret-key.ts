// The key with which secrets are sealed: from a file, or from a credential of systemd.
import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { SealKeys } from './seal.ts';

/** The key cannot be used; the message is for the person who starts the server. */
export class BadKey extends Error {
  override readonly name = 'BadKey';
}

export interface KeySource {
  /** As the setting says. */
  readonly file: string | undefined;
  /** The folder of the credentials that systemd hands over. */
  readonly credentials: string | undefined;
  /** The data folder. */
  readonly data: string;
}

export interface FoundKeys {
  readonly keys: SealKeys;
  /** What is wrong with where it is kept, a sentence each. */
  readonly warnings: readonly string[];
}

/** Of systemd: LoadCredential=telltale-secret-key:/path. */
export const credentialName = 'telltale-secret-key';
const keyBytes = 32;
const mostBytes = 4096;

/** Throws `BadKey` where there is a file and no key in it. */
export function readKeys({ file, credentials, data }: KeySource): FoundKeys {
  const credential = credentials === undefined ? undefined : join(credentials, credentialName);
  const path = file ?? (credential !== undefined && isThere(credential) ? credential : undefined);
  if (path === undefined) return { keys: [], warnings: [] };
  const lines = contentOf(path)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map(
    (line) => keyIn(line) ?? fail(path, 'has a line that is not 32 bytes in base64 or hexadecimal'),
  );
  if (keys.length === 0) fail(path, 'is empty');
  return { keys, warnings: path === credential ? [] : warningsOf(path, data) };
}

function contentOf(path: string): string {
  try {
    if (statSync(path).size > mostBytes) fail(path, `has more than ${mostBytes} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof BadKey) throw error;
    return fail(path, `cannot be read: ${(error as Error).message}`);
  }
}

function keyIn(line: string): string | undefined {
  const bytes = Buffer.from(line, /^[0-9a-fA-F]{64}$/.test(line) ? 'hex' : 'base64');
  return bytes.length === keyBytes && /^[A-Za-z0-9+/_=-]+$/.test(line) ? bytes.toString('base64') : undefined;
}

function warningsOf(path: string, data: string): string[] {
  const isOpen = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
  const isInside = !/^\.\.(?:[/\\]|$)/.test(relative(resolve(data), resolve(path)));
  return [
    ...(isOpen ? [`${path}, the key of the secrets, can be read by other users: chmod 600 it`] : []),
    ...(isInside ? [`${path}, the key of the secrets, is in the data folder: who copies the folder has both`] : []),
  ];
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function fail(path: string, what: string): never {
  throw new BadKey(`The key file ${path} ${what}. Make one with: openssl rand -base64 32`);
}
