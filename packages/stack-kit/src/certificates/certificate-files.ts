// The certificates of other sides in the folder of a connector or provider: `trusted`, and `rejected` with who presented
// each. A file is PEM with a few lines before it, so that it can be read, and moved, by people too.
import type { X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, unfinishedPrefix } from '../replace-file.ts';
import { parseCertificate, parseCertificates, thumbprintOf } from './certificate.ts';

/** Of a certificate that was refused. */
export interface Refusal {
  /** Of the peer that presented it last; empty where that is not known. */
  readonly address: string;
  readonly reason: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

export interface StoredCertificate {
  readonly file: string;
  readonly certificate: X509Certificate;
  /** Undefined where the file does not say. */
  readonly refusal: Refusal | undefined;
}

/** Strangers cannot fill the disk. */
export const maxRejected = 100;
const maxTrusted = 1000;
const maxFileBytes = 256 * 1024;
const maxLineLength = 200;

export type PeerState = 'trusted' | 'rejected';
/** Certificates of authorities that complete chains, and are not trusted for it, are in the folder `issuers`. */
export type CertificateFolderName = PeerState | 'issuers';

/** What is no certificate is passed over. */
export async function readCertificates(folder: string, state: CertificateFolderName): Promise<StoredCertificate[]> {
  const place = join(folder, state);
  const names = (await readdir(place).catch(() => [])).filter((name) => !name.startsWith(unfinishedPrefix));
  const most = state === 'rejected' ? maxRejected : maxTrusted;
  const found: StoredCertificate[] = [];
  for (const name of names.slice(0, most)) {
    const file = join(place, name);
    const bytes = await readFileIfSmall(file);
    const certificate = parseCertificate(bytes);
    if (bytes !== undefined && certificate !== undefined) found.push({ file, certificate, refusal: refusalIn(bytes) });
  }
  return found;
}

/** All certificates of a file that a variable names; none where it cannot be read. */
export async function readCertificateFile(file: string): Promise<X509Certificate[]> {
  const bytes = await readFileIfSmall(file, 1024 * 1024);
  return bytes === undefined ? [] : parseCertificates(bytes);
}

/** Makes the folder where it is missing; at most `maxRejected` stay, the newest. */
export async function storeRejected(folder: string, certificate: X509Certificate, refusal: Refusal): Promise<string> {
  const place = join(folder, 'rejected');
  const file = join(place, `${thumbprintOf(certificate)}.pem`);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await replaceFile(file, textOf(certificate, refusal));
  await keepNewest(place, maxRejected);
  return file;
}

/** Whether it was there in the other state, from which it is gone now. */
export async function moveCertificate(folder: string, thumbprint: string, to: PeerState): Promise<boolean> {
  const from = to === 'trusted' ? 'rejected' : 'trusted';
  const found = (await readCertificates(folder, from)).filter((each) => thumbprintOf(each.certificate) === thumbprint);
  await mkdir(join(folder, to), { recursive: true, mode: 0o700 });
  for (const { file } of found) await rename(file, join(folder, to, `${thumbprint}.pem`));
  return found.length > 0;
}

/** Whether it was there. */
export async function deleteCertificate(
  folder: string,
  thumbprint: string,
  from: Exclude<CertificateFolderName, 'trusted'>,
): Promise<boolean> {
  const stored = await readCertificates(folder, from);
  const found = stored.filter((each) => thumbprintOf(each.certificate) === thumbprint);
  for (const { file } of found) await rm(file, { force: true });
  return found.length > 0;
}

function textOf(certificate: X509Certificate, { address, reason, firstMs, lastMs, count }: Refusal): string {
  const lines = {
    address,
    reason,
    first: new Date(firstMs).toISOString(),
    last: new Date(lastMs).toISOString(),
    count,
  };
  const line = ([name, value]: [string, unknown]) =>
    `${name}: ${String(value)
      .replaceAll(/[^ -~]/g, '?')
      .replaceAll('-----', '?')
      .slice(0, maxLineLength)}\n`;
  return `${Object.entries(lines).map(line).join('')}${certificate.toString()}`;
}

export function refusalIn(bytes: Buffer): Refusal | undefined {
  const text = bytes.toString('latin1', 0, 2048).split('-----BEGIN', 1)[0] ?? '';
  const values = new Map(Array.from(text.matchAll(/^(\w+): (.*)$/gm), ([, name = '', value = '']) => [name, value]));
  const [firstMs, lastMs] = [Date.parse(values.get('first') ?? ''), Date.parse(values.get('last') ?? '')];
  const count = Number(values.get('count'));
  if (Number.isNaN(firstMs) || Number.isNaN(lastMs) || !Number.isSafeInteger(count)) return undefined;
  return { address: values.get('address') ?? '', reason: values.get('reason') ?? '', firstMs, lastMs, count };
}

/** So that who comes later is found there, however many strangers came before. */
async function keepNewest(folder: string, count: number): Promise<void> {
  const files = (await readdir(folder)).map((name) => join(folder, name));
  if (files.length <= count) return;
  const stats = files.map((file) =>
    stat(file).then(
      ({ mtimeMs }) => ({ file, mtimeMs }),
      () => ({ file, mtimeMs: 0 }), // moved meanwhile
    ),
  );
  const old = (await Promise.all(stats)).toSorted((one, other) => other.mtimeMs - one.mtimeMs).slice(count);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}

async function readFileIfSmall(file: string, maxBytes = maxFileBytes): Promise<Buffer | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > maxBytes) return undefined;
  return readFile(file).catch(() => undefined);
}
