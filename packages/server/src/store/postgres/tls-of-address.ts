// How a connection to PostgreSQL is secured, by sslmode and what belongs to it.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StoreError } from '../store-error.ts';
import type { PostgresAddress } from './address.ts';

export type Security = ConnectionOptions | false;

/**
 * What is tried, in this order; files are read each time, since they may have been renewed. As with libpq, `require` checks no
 * certificate unless there is one to check it by. Throws `StoreError`.
 */
export function securitiesOf(address: PostgresAddress): readonly Security[] {
  const { tls, rootFile, certificateFile, keyFile } = address;
  if (tls === 'disable' || address.hosts.every(({ host }) => host.startsWith('/'))) return [false];
  const options: ConnectionOptions = {
    ...(rootFile === undefined || rootFile === 'system' ? {} : { ca: read('sslrootcert', rootFile) }),
    ...(certificateFile === undefined ? {} : { cert: read('sslcert', certificateFile) }),
    ...(keyFile === undefined ? {} : { key: read('sslkey', keyFile) }),
  };
  if (tls === 'verify-full') return [options];
  if (tls === 'verify-ca' || (tls === 'require' && rootFile !== undefined)) {
    return [{ ...options, checkServerIdentity: () => undefined }];
  }
  const unchecked = { ...options, rejectUnauthorized: false };
  if (tls === 'require') return [unchecked];
  return tls === 'prefer' ? [unchecked, false] : [false, unchecked];
}

function read(parameter: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { message } = error as Error;
    throw new StoreError('tls', `${parameter} in the address of the store cannot be read: ${message}`, error);
  }
}
