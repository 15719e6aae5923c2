// The certificates in the data folder: whether they have expired, or soon do, and fit the private key beside them.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expiryNoticeDays } from '@telltale/schema';
import { type Check, type Finding, note, ok, quoted, wrong } from '../finding.ts';

const check = 'certificates';
const soonMs = expiryNoticeDays * 86_400_000;
const [mostDepth, mostFiles, mostBytes] = [5, 2000, 2 ** 20];
/** Of peers that somebody has turned away, and what was renewed. */
const passedOver: ReadonlySet<string> = new Set(['rejected', 'certificate-before.pem']);

interface Found {
  readonly path: string;
  readonly folder: string;
  readonly content: Buffer;
}

export const checkCertificates: Check = ({ folder, machine }) => {
  const files = ['stacks', 'secrets', 'tls']
    .flatMap((name) => filesBelow(join(folder, name), mostDepth))
    .slice(0, mostFiles);
  const certificates = files.flatMap((file) => {
    const certificate = certificateIn(file.content);
    return certificate === undefined ? [] : [{ ...file, certificate }];
  });
  const nowMs = machine.clock.now() / 1000;
  const found = certificates.flatMap(({ path, folder: place, certificate }) => [
    ...expiry(path, certificate, nowMs),
    ...keys(
      path,
      certificate,
      files.filter((file) => file.folder === place),
    ),
  ]);
  if (found.length > 0) return found;
  return [
    ok(
      check,
      certificates.length === 0
        ? 'There are none.'
        : `${certificates.length} of them, each valid for ${expiryNoticeDays} days or more.`,
    ),
  ];
};

function expiry(path: string, { validFromDate, validToDate }: X509Certificate, nowMs: number): Finding[] {
  const fix = `openssl x509 -noout -subject -dates -in ${quoted(path)}`;
  const day = (date: Date) => date.toISOString().slice(0, 10);
  if (validToDate.getTime() < nowMs) return [wrong(check, `${path} has expired on ${day(validToDate)}.`, fix)];
  if (validFromDate.getTime() > nowMs) return [wrong(check, `${path} is not valid before ${day(validFromDate)}.`, fix)];
  return validToDate.getTime() < nowMs + soonMs ? [note(check, `${path} expires on ${day(validToDate)}.`, fix)] : [];
}

/** Where there are keys beside it, and none of those that can be read fits. */
function keys(path: string, certificate: X509Certificate, beside: readonly Found[]): Finding[] {
  const readable = beside.flatMap(({ content }) => privateKeyIn(content) ?? []);
  if (readable.length === 0 || readable.some((key) => certificate.checkPrivateKey(key))) return [];
  return [
    wrong(
      check,
      `${path} does not belong to the private key beside it.`,
      'put the certificate there that was made for that key',
    ),
  ];
}

function filesBelow(folder: string, depth: number): Found[] {
  if (depth === 0) return [];
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.slice(0, mostFiles).flatMap((entry): Found[] => {
    if (passedOver.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, depth - 1);
    const content = entry.isFile() ? contentOf(path) : undefined;
    return content === undefined ? [] : [{ path, folder, content }];
  });
}

function contentOf(path: string): Buffer | undefined {
  try {
    return statSync(path).size > mostBytes ? undefined : readFileSync(path);
  } catch {
    return undefined;
  }
}

function certificateIn(content: Buffer): X509Certificate | undefined {
  const isPem = content.includes('-----BEGIN CERTIFICATE-----');
  if (!isPem && content[0] !== 0x30) return undefined; // as every DER does
  try {
    return new X509Certificate(content);
  } catch {
    return undefined;
  }
}

function privateKeyIn(content: Buffer) {
  if (!content.includes('PRIVATE KEY-----')) return undefined;
  try {
    return createPrivateKey(content);
  } catch {
    return undefined; // it has a passphrase
  }
}
