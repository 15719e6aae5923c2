// The certificates and keys of encrypted connections, from the folder of the connector or provider.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from 'node:tls';
import { NotConnected } from '../connector.ts';

/** Names of files in the folder; empty: none. */
export interface TlsFileNames {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsServerName {
  readonly host: string;
  /** Empty: the host. */
  readonly serverName: string;
}

/**
 * Throws `NotConnected` where a file cannot be read, or is not what it should be: somebody may be about to put it there, and
 * nothing is open yet.
 */
export async function readTlsFiles(names: TlsFileNames, folder: string): Promise<SecureContextOptions> {
  const { caFile, certFile, keyFile } = names;
  const read = async (name: string) => {
    const path = join(folder, name);
    try {
      return await readFile(path);
    } catch (error) {
      throw new NotConnected(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const options: SecureContextOptions = {
    ...(caFile !== '' && { ca: await read(caFile) }),
    ...(certFile !== '' && { cert: await read(certFile) }),
    ...(keyFile !== '' && { key: await read(keyFile) }),
    minVersion: 'TLSv1.2',
  };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new NotConnected(`the certificates in ${folder} cannot be used: ${(error as Error).message}`);
  }
  return options;
}

/** For `tls.connect`; `TlsPeer` decides on the server. Throws as `readTlsFiles` does. */
export async function readTls(variables: TlsFileNames & TlsServerName, folder: string): Promise<ConnectionOptions> {
  const name = peerNameOf(variables);
  const isAddress = /^[0-9.]+$|:/.test(name);
  return {
    secureContext: createSecureContext(await readTlsFiles(variables, folder)),
    host: name,
    ...(!isAddress && { servername: name }),
    // `TlsPeer` decides: it knows what a person has trusted.
    rejectUnauthorized: false,
  };
}

/** What the certificate of the server must contain. */
export function peerNameOf({ serverName, host }: TlsServerName): string {
  return serverName || host;
}
