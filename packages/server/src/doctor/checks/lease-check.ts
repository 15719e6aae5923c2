// The lease of the site, where the server has one: from the names of etcd's members to a key that is written and read.
import { readFileSync } from 'node:fs';
import { type Check, wrong } from '../finding.ts';

const check = 'lease';

export const checkLease: Check = async ({ settings, machine: { clock } }) => {
  const { lease: address, site, 'lease-password-file': file, 'lease-ttl': ttlMs } = settings;
  if (address === undefined || site === undefined) return [];
  const { examineLease, readLeaseSetting } = await import('../../lease/index.ts');
  try {
    const password = file === undefined ? undefined : readFileSync(file, 'utf8').trimEnd();
    const setting = readLeaseSetting(address, password);
    return (await examineLease({ setting, ttlMs, site, clock })).map((each) => ({ check, ...each }));
  } catch (error) {
    return [wrong(check, `--lease is not usable: ${(error as Error).message}.`, 'npm start -- --help')];
  }
};
