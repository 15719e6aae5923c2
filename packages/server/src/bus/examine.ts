// Looks whether a server can work on a bus, from the names of its servers to what it may say and hear there. Nothing that it says is
// for anybody.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Clock, pause } from '@telltale/schema';
import { type BusAddress, type BusServer, serverText } from './connection/bus-address.ts';
import { BusConnection } from './connection/bus-connection.ts';
import { BusError } from './connection/bus-error.ts';
import type { BusFiles } from './connection/bus-files.ts';
import { beats, exchanges, feeds, inboxOf, siteOfBeat, uplink } from './subjects.ts';

export interface BusFinding {
  readonly level: 'ok' | 'note' | 'wrong';
  /** One sentence. */
  readonly text: string;
  /** What to do; null where nothing is to be done. */
  readonly fix: string | null;
}

export interface ExamineBus {
  readonly address: BusAddress;
  readonly files: BusFiles;
  readonly role: 'site' | 'centre';
  /** Of this server. */
  readonly id: string;
  readonly clock: Clock;
}

const connectMs = 7000;
const lookMs = 50;
const answerMs = 3000;
const never = new AbortController().signal;
/** Every site that is there is heard within this time. */
const hearMs = 2500;
/** Nobody is called so. */
const nobody = 'doctor-nobody';

export async function examineBus(asked: ExamineBus): Promise<BusFinding[]> {
  const { address } = asked;
  const found: BusFinding[] = [];
  if (!address.isSecure && address.servers.some(({ host }) => !isOfThisMachine(host))) {
    const text = 'The bus is without TLS: whoever is on the network reads it, and sends commands.';
    found.push({ level: 'note', text, fix: 'give its servers certificates: docs/guides/sites.md, Enrol a site' });
  }
  for (const server of address.servers) found.push(...(await examineServer(asked, server)));
  return found;
}

async function examineServer(asked: ExamineBus, server: BusServer): Promise<BusFinding[]> {
  const { address, files, role, id, clock } = asked;
  const name = `doctor-${id}`;
  const connection = new BusConnection({
    address: { ...address, servers: [server] },
    files,
    name: `telltale ${name}`,
    inbox: inboxOf(role === 'site' ? id : name),
    clock,
  });
  const at = serverText(server);
  const found = await lookUp(server);
  connection.start();
  try {
    const untilMs = clock.monotonicMs() + connectMs;
    const isOpen = () => connection.state.isUp || connection.state.text !== 'not connected yet';
    while (!isOpen() && clock.monotonicMs() < untilMs) await pause(clock, lookMs, never);
    const { isUp, text, version } = connection.state;
    if (!isUp)
      return [...found, wrong(isOpen() ? text : `cannot reach ${at}: it does not answer`, fixOf(text, server))];
    const beganMs = clock.monotonicMs();
    await connection.flushed();
    const tookMs = Math.ceil(clock.monotonicMs() - beganMs);
    const how = address.isSecure ? 'over TLS' : 'not encrypted';
    found.push(ok(`${at} lets us in: NATS server ${version}, ${how}; it answers in ${tookMs} ms.`));
    found.push(
      ...(role === 'site' ? await examineSite(connection, id, at, clock) : await examineCentre(connection, at, clock)),
    );
    return found;
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return [...found, wrong(error.message, `nats-server --signal reload, or look at the log of ${at}`)];
  } finally {
    await connection.stop();
  }
}

async function lookUp({ host }: BusServer): Promise<BusFinding[]> {
  if (isIP(host) !== 0) return [];
  // Where it is unknown, so says who connects.
  const all = await lookup(host, { all: true }).catch(() => []);
  return all.length === 0 ? [] : [ok(`The name ${host} is ${all.map(({ address }) => address).join(', ')}.`)];
}

/** Says what nobody listens to on each of its own subjects, and hears at its inbox that nobody does. */
async function examineSite(connection: BusConnection, id: string, at: string, clock: Clock): Promise<BusFinding[]> {
  const own = [`${inboxOf(id)}.>`, exchanges.toSite(id), feeds.askedOf(id)];
  const refused = await mayHear(connection, own, clock);
  for (const subject of [feeds.ofSite(id), exchanges.fromSite(id)]) {
    const said = subject.replaceAll('*', nobody);
    if ((await answerTo(connection, said)) === 'refused') refused.push(`say ${subject}`);
  }
  // What the store has of an epoch that nobody has had changes nothing.
  const archiver = await answerTo(connection, uplink.newest(id, 0));
  if (archiver === 'refused') refused.push(`say ${uplink.ofSite(id)}`);
  if (refused.length > 0) {
    const text = `${at} does not let this server ${refused.join(', ')}: it is no member with the id ${id}`;
    return [wrong(text, 'telltale site enrol, with a code of the centre')];
  }
  const found = [ok(`A message was written to ${at} below each subject of ${id}, and the answer read.`)];
  if ((await answerTo(connection, uplink.newest(nobody, 0))) !== 'refused') {
    const text = `${at} lets this server speak for every other site: it knows no rights of members.`;
    found.push({
      level: 'note',
      text,
      fix: 'let the centre be the authority of the bus: docs/guides/sites.md, Enrol a site',
    });
  }
  if (archiver === 'answered') return [...found, ok('A centre is there, and takes what this site archives.')];
  const text = 'Nobody on the bus takes what this site archives: it waits here.';
  return [...found, { level: 'note', text, fix: 'start the centre with --store, or telltale doctor there' }];
}

async function examineCentre(connection: BusConnection, at: string, clock: Clock): Promise<BusFinding[]> {
  const sites = new Set<string>();
  connection.subscribe(beats.all, ({ subject }) => {
    const site = siteOfBeat(subject);
    if (site !== undefined) sites.add(site);
  });
  const refused = await mayHear(connection, ['live.*.*', 'from.*.*.*'], clock);
  const before = connection.state.refused;
  connection.publish(exchanges.to(nobody, nobody, 0), '');
  if (await isRefusedSince(connection, before, clock)) refused.push('say to.*.*.*');
  if (refused.length > 0) {
    const text = `${at} does not let this server ${refused.join(', ')}: it is no centre there`;
    return [wrong(text, 'telltale site invite NAME --role centre, at the centre that is the authority of the bus')];
  }
  await pause(clock, hearMs, never);
  const found = [ok(`${at} lets this server say and hear what a centre has to.`)];
  if (sites.size > 0) return [...found, ok(`${sites.size} ${sites.size === 1 ? 'site is' : 'sites are'} heard there.`)];
  return [...found, { level: 'note', text: `No site is heard at ${at}.`, fix: 'telltale doctor at a site' }];
}

/** Which of these are refused. */
async function mayHear(connection: BusConnection, subjects: readonly string[], clock: Clock): Promise<string[]> {
  const refused: string[] = [];
  for (const subject of subjects) {
    const before = connection.state.refused;
    const leave = connection.subscribe(subject, () => {});
    if (await isRefusedSince(connection, before, clock)) refused.push(`hear ${subject}`);
    await leave();
  }
  return refused;
}

/** The server says so before it says that it has taken everything; here it may be known a moment later. */
async function isRefusedSince(connection: BusConnection, before: string | undefined, clock: Clock): Promise<boolean> {
  await connection.flushed();
  await pause(clock, lookMs, never);
  return connection.state.refused !== before;
}

async function answerTo(connection: BusConnection, subject: string): Promise<'answered' | 'not-answered' | 'refused'> {
  try {
    await connection.request(subject, '', answerMs);
    return 'answered';
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    if (error.failure === 'not-permitted') return 'refused';
    // Somebody may have heard it who has nothing to say.
    if (error.failure === 'nobody' || error.failure === 'no-answer') return 'not-answered';
    throw error;
  }
}

function fixOf(text: string, { host, port }: BusServer): string {
  if (/our certificate|credentials/.test(text)) return 'telltale site enrol, with a code of the centre';
  if (/is not trusted|certificate of ours|give the file/.test(text))
    return '--bus-ca, --bus-cert and --bus-key, or telltale site enrol';
  if (/write (tls|nats):/.test(text)) return 'write the other scheme in --bus';
  return `nc -vz ${host} ${port}`;
}

function isOfThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function ok(text: string): BusFinding {
  return { level: 'ok', text, fix: null };
}

function wrong(text: string, fix: string): BusFinding {
  return { level: 'wrong', text: `${text[0]?.toUpperCase()}${text.slice(1)}.`, fix };
}
