// The certificates and keys of an encrypted connection, from the folder of the connector or provider.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { NotConnected } from '@telltale/stack-kit';
import type { BrokerVariables } from './broker-variables.ts';

/** Throws `NotConnected`, with the whole path, where a file cannot be read: somebody may be about to put it there. */
export async function readTls(variables: BrokerVariables, folder: string): Promise<ConnectionOptions> {
  const { caFile, certFile, keyFile, host, serverName } = variables;
  const read = async (name: string) => {
    const path = join(folder, name);
    try {
      return await readFile(path);
    } catch (error) {
      throw new NotConnected(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const name = serverName || host;
  const isAddress = /^[0-9.]+$|:/.test(name);
  return {
    ...(caFile !== '' && { ca: await read(caFile) }),
    ...(certFile !== '' && { cert: await read(certFile) }),
    ...(keyFile !== '' && { key: await read(keyFile) }),
    host: name,
    ...(!isAddress && { servername: name }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  };
}
