// The bus of a centre that is its authority: the files of the servers of the bus, the centre's own certificate, and how the servers
// read the list of members again.
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { replaceFile } from '@telltale/stack-kit';
import { newKeys, pemOf } from './authority.ts';
import { authorizationFile, Enrolment, type EnrolmentOptions, thumbprintOf } from './enrolment.ts';
import { ownFiles } from './files/index.ts';
import { readIfThere } from './read-if-there.ts';

export interface OwnBusOptions extends Pick<EnrolmentOptions, 'clock' | 'authorizationOf' | 'commonNameOf'> {
  /** Of all data of the centre. */
  readonly data: string;
  /** Of the centre, on the bus. */
  readonly id: string;
  readonly title: string;
  /** Of the servers of the bus, and the port at which they listen. */
  readonly hosts: readonly string[];
  readonly port: number;
  /** The configuration of a server, whose files are beside it. */
  readonly configurationOf: (
    files: BusFileNames & { readonly listen: string; readonly authorization: string },
  ) => string;
  readonly log: { info(text: string): void; warn(text: string): void };
}

interface BusFileNames {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly pid: string;
}

/** Everything that a server of the bus needs is in one folder, by names alone: it can be copied to another machine as it is. */
const names: BusFileNames = {
  authority: 'authority.pem',
  certificate: 'server.pem',
  key: 'server-key.pem',
  pid: 'nats.pid',
};
const configurationName = 'nats.conf';
const loopback = new Set(['127.0.0.1', '::1', 'localhost']);
const dayMs = 86_400_000;
/** Before its certificate ends, a server gets another one. */
const renewDays = 365;

/** For the servers of the bus. */
function serverFolder(data: string): string {
  return join(data, 'bus', 'nats');
}

/** Makes what is missing. Rejects with the system's errors, and where what is there cannot be used. */
export async function openOwnBus(options: OwnBusOptions): Promise<Enrolment> {
  const { data, clock, authorizationOf, commonNameOf, log } = options;
  const publicFolder = serverFolder(data);
  await mkdir(publicFolder, { recursive: true, mode: 0o700 });
  const enrolment = await Enrolment.open({
    folder: join(data, 'bus'),
    publicFolder,
    clock,
    authorizationOf,
    commonNameOf,
    reload: () => reloadServer(join(publicFolder, names.pid)),
  });
  await prepareServer(enrolment, options, publicFolder);
  await admitOurselves(enrolment, options);
  log.info(
    `the bus: nats-server -c ${configurationName}, in ${publicFolder}, serves it by the rights in ${authorizationFile}`,
  );
  return enrolment;
}

async function prepareServer(enrolment: Enrolment, options: OwnBusOptions, folder: string): Promise<void> {
  const { hosts, port, configurationOf, clock, log } = options;
  const path = (name: string) => join(folder, name);
  await replaceFile(path(names.authority), enrolment.authority);
  const known = certificateIn(await readIfThere(path(names.certificate)));
  const all = [...new Set([...hosts, ...loopback])];
  const isGood =
    known?.checkIssued(new X509Certificate(enrolment.authority)) === true &&
    known.validToDate.getTime() - clock.now() / 1000 > renewDays * dayMs &&
    all.every((host) => (isIP(host) === 0 ? known.checkHost(host) : known.checkIP(host)) !== undefined);
  if (!isGood) {
    const pair = enrolment.makeServerPair(all);
    await replaceFile(path(names.key), pair.key);
    await replaceFile(path(names.certificate), pair.certificate);
    if (known !== undefined)
      log.warn(`the bus: ${path(names.certificate)} is another one: give it to all servers of the bus`);
  }
  // Whoever looks after it may have changed it.
  if ((await readIfThere(path(configurationName))) !== undefined) return;
  const isLocal = hosts.every((host) => loopback.has(host));
  const listen = `${isLocal ? '127.0.0.1' : '0.0.0.0'}:${port}`;
  await replaceFile(path(configurationName), configurationOf({ ...names, listen, authorization: authorizationFile }));
}

/** With a key of its own, made again where it, or its place on the list, is gone. */
async function admitOurselves(enrolment: Enrolment, { data, id, title }: OwnBusOptions): Promise<void> {
  const files = ownFiles(data);
  const [certificate, key] = [certificateIn(await readIfThere(files.certificate)), await readIfThere(files.key)];
  await replaceFile(files.authority, enrolment.authority);
  const member = enrolment.members.find(({ name, role }) => name === id && role === 'centre');
  if (certificate !== undefined && key !== undefined && member?.title === title) {
    const isOurs = certificate.checkIssued(new X509Certificate(enrolment.authority));
    if (isOurs && thumbprintOf(createPublicKey(createPrivateKey(key))) === member.key) return;
  }
  const { publicKey, privateKey } = newKeys();
  const made = await enrolment.admit({ role: 'centre', name: id, title, by: 'this centre' }, publicKey);
  await replaceFile(files.key, pemOf(privateKey));
  await replaceFile(files.certificate, made);
}

/** Where a server runs on this machine, as a user whom we may signal; others have to see to it themselves. */
async function reloadServer(pidFile: string): Promise<void> {
  const pid = Number.parseInt((await readIfThere(pidFile)) ?? '', 10);
  // A file that was left over may name anybody.
  if (!(pid > 1) || (await readIfThere(`/proc/${pid}/comm`))?.trim() !== 'nats-server') return;
  try {
    process.kill(pid, 'SIGHUP');
  } catch {
    // It has ended, or is another user's.
  }
}

function certificateIn(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
