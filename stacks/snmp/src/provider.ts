// Serves points as an SNMP agent: their values, qualities, times and names below the base, and of itself what every agent
// has. Owns the socket; `agent.ts` carries out what clients ask.
import type { RemoteInfo, Socket } from 'node:dgram';
import { type Batch, untilAborted } from '@telltale/schema';
import {
  AllowedClients,
  bindDatagrams,
  Fatal,
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  ServedClients,
  ServedMessages,
  ServedPoints,
  type StackAlarm,
  type StackAlarmState,
  type StackPoints,
} from '@telltale/stack-kit';
import { type Account, accountsOf, communityAccount, userAccount } from './account.ts';
import { type Host, parseHosts } from './address.ts';
import { Agent } from './agent.ts';
import { AlarmTraps } from './alarm-traps.ts';
import { integerContent, oidContent, tag } from './ber.ts';
import { Incoming, reportArcs } from './incoming.ts';
import { LocalEngine } from './local-engine.ts';
import { type MibObject, MibView } from './mib-view.ts';
import type { Varbind } from './pdu.ts';
import { type Column, columns, ServedObject } from './served-object.ts';
import { TrapSender } from './trap-sender.ts';
import { accountVariables, type ProviderVariables, trapPort } from './variables.ts';
import { sysUpTime } from './version-1.ts';

export function createProvider(options: ProviderOptions<ProviderVariables>): Provider {
  return new SnmpProvider(options);
}

/** A client is one that has asked within this time. */
const clientMs = 60_000;
const maxClients = 1000;
/** Rejected messages are logged this often at most. */
const logPeriodMs = 60_000;

interface Datagram {
  readonly bytes: Buffer;
  readonly from: RemoteInfo;
}

class SnmpProvider implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #accounts: ReadonlyMap<string, Account>;
  /** Of the provider's own variables, the one that traps are sent as first. */
  readonly #main: readonly Account[];
  readonly #agent: Agent;
  readonly #points = new ServedPoints();
  readonly #alarms: AlarmTraps;
  #senders: readonly TrapSender[] = [];
  readonly #datagrams: ServedMessages<Datagram>;
  #view = new MibView([]);
  #incoming: Incoming | undefined;
  #socket: Socket | undefined;
  #startMs = 0;
  /** When each was last heard, the longest ago first. */
  readonly #clients = new Map<string, number>();
  #logged = { turnedAway: 0, atMs: Number.NEGATIVE_INFINITY };
  #fail: (error: Error) => void = () => {};

  constructor(options: ProviderOptions<ProviderVariables>) {
    const { variables, clock, log, write } = options;
    this.#options = options;
    this.#accounts = accountsOf(accountVariables, variables.accounts);
    this.#main = mainAccounts(variables);
    this.#agent = new Agent({ clock, log, write, view: () => this.#view });
    this.#alarms = new AlarmTraps({
      baseOid: variables.baseOid,
      upTime: () => this.#upTime(),
      measurement: (id) => this.#shown(id),
      send: (varbinds) => {
        for (const sender of this.#senders) sender.send(varbinds);
      },
    });
    const clients = new ServedClients(options);
    this.#datagrams = new ServedMessages({ clients, take: ({ bytes, from }) => this.#hear(bytes, from) });
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    const objects = this.#points.all.map((served) => new ServedObject(served));
    const taken = new Set<string>();
    for (const { served, address } of objects) {
      if (taken.has(address.index))
        this.#options.log.warn(`${served.point.name}: another point is served at ${address.index}`);
      taken.add(address.index);
    }
    this.#view = new MibView([...this.#ofAgent(), ...this.#ofPoints(objects)]);
  }

  publish(batch: Batch): void {
    this.#points.take(batch);
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms.setAlarms(alarms);
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    this.#alarms.publishAlarms(states);
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { variables, clock, log, meter } = this.#options;
    const { host, port, allowedClients } = variables;
    const accounts = [...this.#main, ...this.#accounts.values()];
    const engine = await LocalEngine.startFor(accounts, this.#options);
    this.#incoming = new Incoming({
      clock,
      allowed: AllowedClients.parse(allowedClients),
      openLevel: 'authPriv',
      accounts,
      engine,
      hearsTraps: false,
    });
    signal.throwIfAborted();
    this.#startMs = clock.monotonicMs();
    const socket = await bindDatagrams({ host, port, clock, meter }).catch((error: Error) => {
      throw new NotConnected(`cannot listen on ${host} port ${port}: ${error.message}`);
    });
    this.#socket = socket;
    socket.on('error', (error) => this.#fail(error));
    socket.on('message', (bytes, from) =>
      this.#datagrams.hear(`${from.address} ${from.port}`, { bytes, from }, bytes.length),
    );
    signal.throwIfAborted();
    this.#senders = this.#receivers().map((receiver) => {
      return new TrapSender({ ...receiver, engine, clock, log, informs: variables.informs });
    });
    if (this.#senders.length > 0 && engine !== undefined) {
      // A receiver of traps of version 3 has to be told it.
      log.info(`traps are sent with the engine ID 0x${engine.engineId.toString('hex')}`);
    }
    this.#alarms.begin();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { promise, reject } = Promise.withResolvers<void>();
    this.#fail = (error) => reject(new NotConnected(`the socket failed: ${error.message}`));
    await untilAborted(signal, promise);
  }

  async close(): Promise<void> {
    this.#fail = () => {};
    const socket = this.#socket;
    this.#socket = undefined;
    this.#alarms.end();
    for (const sender of this.#senders) sender.close();
    this.#senders = [];
    this.#clients.clear();
    this.#datagrams.close();
    if (socket === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.close(resolve);
    await promise;
  }

  detail(): InstanceDetail {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [client, atMs] of this.#clients) {
      if (nowMs - atMs <= clientMs) break;
      this.#clients.delete(client);
    }
    return { clients: this.#clients.size };
  }

  #receivers(): { host: Host; account: Account }[] {
    const { trapReceivers } = this.#options.variables;
    const hosts = trapReceivers === '' ? [] : parseHosts(trapReceivers, trapPort);
    return hosts.map((host) => {
      const account = host.account === undefined ? this.#main[0] : this.#accounts.get(host.account);
      if (account === undefined) throw new Fatal(`trapReceivers: there is no account for ${host.name}`);
      return { host, account };
    });
  }

  /** In hundredths of a second. */
  #upTime(): number {
    return Math.floor((this.#options.clock.monotonicMs() - this.#startMs) / 10) % 2 ** 32;
  }

  /** What a trap says of a measurement. */
  #shown(id: number): Varbind[] {
    const served = this.#points.get(id);
    if (served === undefined) return [];
    const { baseOid, badQuality } = this.#options.variables;
    const object = new ServedObject(served);
    const read = (column: Column) =>
      object.read(column, `${baseOid}.${columns[column]}.${object.address.index}`, badQuality === 'lastValue');
    return [read('value'), read('quality')].filter((varbind) => varbind !== undefined);
  }

  #hear(bytes: Buffer, from: RemoteInfo): void {
    const incoming = this.#incoming;
    if (incoming === undefined) return;
    const heard = incoming.hear(bytes, from.address);
    this.#logTurnedAway(incoming);
    if (heard === undefined) return;
    if (Buffer.isBuffer(heard)) {
      this.#send(heard, from);
      return;
    }
    this.#greet(from.address);
    const answer = this.#agent.handle(heard, `${from.address} ${from.port}`);
    if (answer === undefined) incoming.counts.malformed++;
    else if (Buffer.isBuffer(answer)) this.#send(answer, from);
    else answer.then((late) => late && this.#send(late, from)).catch((error) => this.#options.log.error(String(error)));
  }

  #send(bytes: Buffer, { port, address }: RemoteInfo): void {
    // A datagram may claim to come from port 0, to which nothing can be sent. Who cannot be reached asks again.
    if (port > 0) this.#socket?.send(bytes, port, address, () => undefined);
  }

  #greet(address: string): void {
    this.#clients.delete(address);
    this.#clients.set(address, this.#options.clock.monotonicMs());
    const oldest = this.#clients.keys().next().value;
    if (this.#clients.size > maxClients && oldest !== undefined) this.#clients.delete(oldest);
  }

  #logTurnedAway({ counts }: Incoming): void {
    // A client of version 3 asks for the engine first: that is not turned away.
    const { packets: _, unknownEngineIds: __, ...bad } = counts;
    const turnedAway = Object.values(bad).reduce((sum, count) => sum + count, 0);
    const nowMs = this.#options.clock.monotonicMs();
    if (turnedAway === this.#logged.turnedAway || nowMs - this.#logged.atMs < logPeriodMs) return;
    this.#logged = { turnedAway, atMs: nowMs };
    const reasons = Object.entries(bad).filter(([, count]) => count > 0);
    this.#options.log.warn(
      `turned away since the start: ${reasons.map(([name, count]) => `${name} ${count}`).join(', ')}`,
    );
  }

  *#ofPoints(objects: readonly ServedObject[]): Iterable<MibObject> {
    const { baseOid, badQuality } = this.#options.variables;
    const showsBad = badQuality === 'lastValue';
    for (const [column, arc] of Object.entries(columns) as [Column, number][]) {
      for (const each of objects) {
        const oid = `${baseOid}.${arc}.${each.address.index}`;
        const read = () => each.read(column, oid, showsBad);
        yield column === 'value' ? { oid, read, served: each } : { oid, read };
      }
    }
  }

  /** The system group, and how many datagrams came and were turned away, where the standard has them. */
  *#ofAgent(): Iterable<MibObject> {
    const { variables, name } = this.#options;
    const system = '1.3.6.1.2.1.1';
    const value = (oid: string, valueTag: number, content: () => Buffer): MibObject => {
      return { oid, read: () => ({ oid, tag: valueTag, content: content() }) };
    };
    const text = (oid: string, given: string) => value(oid, tag.octets, () => Buffer.from(given, 'utf8'));
    yield text(`${system}.1.0`, 'Telltale');
    yield value(`${system}.2.0`, tag.oid, () => oidContent(variables.baseOid));
    yield value(sysUpTime, tag.timeTicks, () => integerContent(this.#upTime()));
    yield text(`${system}.4.0`, '');
    yield text(`${system}.5.0`, name);
    yield text(`${system}.6.0`, variables.location);
    yield value(`${system}.7.0`, tag.integer, () => integerContent(72));
    const counter = (oid: string, count: () => number | undefined) =>
      value(oid, tag.counter32, () => integerContent((count() ?? 0) % 2 ** 32));
    const counts = () => this.#incoming?.counts;
    yield counter('1.3.6.1.2.1.11.1.0', () => counts()?.packets);
    yield counter('1.3.6.1.2.1.11.4.0', () => counts()?.badCommunityNames);
    yield counter('1.3.6.1.2.1.11.6.0', () => counts()?.malformed);
    yield counter('1.3.6.1.2.1.11.29.0', () => this.#senders.reduce((sum, { sent }) => sum + sent, 0));
    for (const [report, arc] of Object.entries(reportArcs) as [keyof typeof reportArcs, number][]) {
      yield counter(`1.3.6.1.6.3.15.1.1.${arc}.0`, () => counts()?.[report]);
    }
  }
}

function mainAccounts(variables: ProviderVariables): Account[] {
  const { community, writeCommunity, user, userMayWrite } = variables;
  const accounts: Account[] = [];
  if (community !== '') accounts.push(communityAccount('the community that may read', '2c', community, false));
  if (user !== '') accounts.push(userAccount(variables, userMayWrite));
  if (writeCommunity !== '') {
    accounts.push(communityAccount('the community that may write', '2c', writeCommunity, true));
  }
  return accounts;
}
