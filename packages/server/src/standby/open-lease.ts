// The lease, as the settings want it. Nothing of it is loaded before.
import { readFileSync } from 'node:fs';
import type { Clock } from '@telltale/schema';
import type { EtcdClient, LeaseSetting, LeaseTimes } from '../lease/index.ts';

export interface LeaseAddress {
  /** Without a password. */
  readonly address: string;
  readonly passwordFile: string | undefined;
  readonly ttlMs: number;
}

/** The message is for the person who starts the server. */
export class UnusableLease extends Error {
  override readonly name = 'UnusableLease';
}

export interface OpenedLease {
  readonly library: typeof import('../lease/index.ts');
  readonly etcd: EtcdClient;
}

/** Asks nobody yet. Rejects with `UnusableLease`. */
export async function openLease({ address, passwordFile, ttlMs }: LeaseAddress, clock: Clock): Promise<OpenedLease> {
  const library = await import('../lease/index.ts');
  const { EtcdClient, leaseTimes, readLeaseSetting } = library;
  let [setting, times]: [LeaseSetting | undefined, LeaseTimes | undefined] = [undefined, undefined];
  try {
    const password = passwordFile === undefined ? undefined : readFileSync(passwordFile, 'utf8').trimEnd();
    setting = readLeaseSetting(address, password);
    times = leaseTimes(ttlMs);
  } catch (error) {
    throw new UnusableLease(`--lease is not usable: ${(error as Error).message}`);
  }
  return { library, etcd: new EtcdClient({ setting, clock, times }) };
}
