// The files of TLS that the settings name: whether the server can use them, and who else can read the key.
import { statSync } from 'node:fs';
import { expiryNoticeDays } from '@telltale/schema';
import { readTls, UnusableTls } from '../../tls/index.ts';
import { type Check, type Finding, note, ok, quoted, wrong } from '../finding.ts';

const check = 'tls';
const soonMs = expiryNoticeDays * 86_400_000;

export const checkTls: Check = async ({ settings, machine }) => {
  const { 'tls-cert': certFile, 'tls-key': keyFile } = settings;
  if (certFile === undefined || keyFile === undefined) return [];
  const [clientCaFile, clientCrlFile] = [settings['tls-client-ca'], settings['tls-client-crl']];
  try {
    const { certificate } = await readTls({ certFile, keyFile, clientCaFile, clientCrlFile });
    const until = certificate.validToDate;
    const on = until.toISOString().slice(0, 10);
    const leftMs = until.getTime() - machine.clock.now() / 1000;
    if (leftMs < 0) return [wrong(check, `${certFile} has expired on ${on}.`, 'replace it and its key')];
    if (leftMs < soonMs)
      return [note(check, `${certFile} expires on ${on}.`, 'replace it and its key'), ...keyMode(keyFile)];
    return [ok(check, `${certFile} is valid until ${on}, and fits its key.`), ...keyMode(keyFile)];
  } catch (error) {
    if (!(error instanceof UnusableTls)) throw error;
    const { message } = error;
    return [wrong(check, `${message[0]?.toUpperCase()}${message.slice(1)}.`, 'npm start -- --help')];
  }
};

function keyMode(keyFile: string): Finding[] {
  const { mode } = statSync(keyFile);
  return (mode & 0o077) === 0 ? [] : [note(check, `Others can read ${keyFile}.`, `chmod 600 ${quoted(keyFile)}`)];
}
