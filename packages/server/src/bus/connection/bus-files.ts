// The files with which a client shows who it is, and by which it knows the servers. Read at each attempt to connect, so that
// renewed ones take effect.
import { readFile } from 'node:fs/promises';
import type { ConnectionOptions as SecureOptions } from 'node:tls';
import type { Authenticator } from '@nats-io/nats-core/internal';
import { BusProblem } from './bus-problem.ts';
import type { NatsLibrary } from './nats-library.ts';

/** Paths. */
export interface BusFiles {
  /** Of the authority of the servers' certificates, in PEM; without it, those of the system. */
  readonly authority?: string | undefined;
  /** Our certificate and its key, in PEM. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** The seed of an NKEY. */
  readonly seed?: string | undefined;
  /** A file of credentials: a JWT and the seed that belongs to it. */
  readonly credentials?: string | undefined;
}

export async function secureOptions({ authority, certificate, key }: BusFiles): Promise<SecureOptions> {
  const [ca, cert, secret] = await Promise.all([authority, certificate, key].map(readNamed));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(secret && { key: secret }) };
}

/** Undefined: by none of these files. */
export async function authenticatorOf(library: NatsLibrary, files: BusFiles): Promise<Authenticator | undefined> {
  const [seed, credentials] = await Promise.all([files.seed, files.credentials].map(readNamed));
  if (credentials !== undefined) return library.credsAuthenticator(credentials);
  if (seed !== undefined) return library.nkeyAuthenticator(new TextEncoder().encode(seed.toString('latin1').trim()));
  return undefined;
}

async function readNamed(path: string | undefined): Promise<Buffer | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw new BusProblem(`cannot read ${path}: ${(error as Error).message}`);
  }
}
