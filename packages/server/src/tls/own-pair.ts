// The certificate that the service makes for itself, and its key, in the data folder: made once, and then kept.
import { access } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '@telltale/stack-kit';
import { makeSelfSigned } from './self-signed.ts';

export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const folderName = 'tls';
const maxHosts = 50;
const dnsName =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;

/** Makes what is missing; `hosts` are those by which clients ask, besides the names and addresses of this machine. */
export async function ownPair(folder: string, hosts: readonly string[], nowMs: number): Promise<PairFiles> {
  const files = { certFile: join(folder, folderName, 'certificate.pem'), keyFile: join(folder, folderName, 'key.pem') };
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  if ((await isThere(files.certFile)) && (await isThere(files.keyFile))) return files;
  const { certificate, key } = makeSelfSigned({ title: `Telltale on ${hostname()}`, hosts: hostsOf(hosts), nowMs });
  await replaceFile(files.keyFile, key);
  await replaceFile(files.certFile, certificate);
  return files;
}

function hostsOf(given: readonly string[]): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  const names = [...given, hostname()].filter((name) => name.includes(':') || dnsName.test(name));
  const wildcards = new Set(['0.0.0.0', '::']);
  const all = new Set(['localhost', '127.0.0.1', '::1', ...names, ...addresses.filter((each) => !each.includes('%'))]);
  return [...all].filter((each) => !wildcards.has(each)).slice(0, maxHosts);
}
