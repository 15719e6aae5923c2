// The certificates and keys of an encrypted connection, from the folder of the connector or provider.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectionOptions, createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { NotConnected } from '@telltale/stack-kit';
import type { BrokerVariables } from './broker-variables.ts';

/**
 * Throws `NotConnected` where a file cannot be read, or is not what it should be: somebody may be about to put it there, and
 * nothing is open yet.
 */
export async function readTls(variables: BrokerVariables, folder: string): Promise<ConnectionOptions> {
  const { caFile, certFile, keyFile } = variables;
  const read = async (name: string) => {
    const path = join(folder, name);
    try {
      return await readFile(path);
    } catch (error) {
      throw new NotConnected(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const name = peerNameOf(variables);
  const isAddress = /^[0-9.]+$|:/.test(name);
  const files = {
    ...(caFile !== '' && { ca: await read(caFile) }),
    ...(certFile !== '' && { cert: await read(certFile) }),
    ...(keyFile !== '' && { key: await read(keyFile) }),
  };
  return {
    secureContext: contextOf(files, folder),
    host: name,
    ...(!isAddress && { servername: name }),
    // `TlsPeer` decides: it knows what a person has trusted.
    rejectUnauthorized: false,
  };
}

function contextOf(files: SecureContextOptions, folder: string): SecureContext {
  try {
    return createSecureContext({ ...files, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new NotConnected(`the certificates in ${folder} cannot be used: ${(error as Error).message}`);
  }
}

/** What the certificate of the broker must contain. */
export function peerNameOf({ serverName, host }: BrokerVariables): string {
  return serverName || host;
}
