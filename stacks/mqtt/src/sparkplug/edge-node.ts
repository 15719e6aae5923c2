// A Sparkplug B edge node: births, data, deaths and commands, with their sequence numbers.
import { type Batch, pause, untilAborted } from '@telltale/schema';
import {
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ProviderOptions,
  ServedPoints,
  type StackPoints,
} from '@telltale/stack-kit';
import type { IPublishPacket } from 'mqtt';
import { BrokerLink } from '../broker-link.ts';
import { BrokerList } from '../broker-list.ts';
import type { BrokerVariables } from '../broker-variables.ts';
import { CommandIntake } from '../command-intake.ts';
import { Forwarder, type PastValue } from '../forward/forwarder.ts';
import type { ProviderVariables } from '../provider-variables.ts';
import { nextBdSeq } from './bd-seq.ts';
import { decodePayload } from './decode-payload.ts';
import { encodePayload } from './encode-payload.ts';
import { isTemplate, type Metric, metricType, scalarOf } from './metric.ts';
import { namespace } from './metric-address.ts';
import { PrimaryHost } from './primary-host.ts';
import {
  hasChanged,
  isLost,
  type NodeMetric,
  noteLink,
  type SentPoint,
  type ServedDevice,
  sendAgain,
} from './sent-point.ts';
import { firstOf, senderOf } from './sent-whole.ts';
import { bdSeqName, itself, rebirthName, ServedMetrics } from './served-metrics.ts';

/** Changes are gathered for so long into one message of a device. */
const gatherMs = 50;
const metricsAMessage = 1000;
/** Messages that the system has not taken yet. */
const maxInFlight = 100;
/** A host that asks for births again and again gets them so often. The first time after a connection it gets them at once: no
 * data is sent until births that were asked for are, and what changes twice meanwhile would be missing. */
const rebirthPauseMs = 1000;

type MessageKind = 'NBIRTH' | 'DBIRTH' | 'NDATA' | 'DDATA' | 'DDEATH';

export class EdgeNode implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #brokers: BrokerList;
  readonly #host: PrimaryHost;
  readonly #points = new ServedPoints();
  readonly #metrics = new ServedMetrics();
  /** What the host application does not have yet, by device. */
  readonly #changed = new Map<ServedDevice, Set<SentPoint>>();
  readonly #intake: CommandIntake;
  readonly #forwarder: Forwarder;
  #link: BrokerLink | undefined;
  #bdSeq = -1;
  #seq = 0;
  /** Devices whose birth the host application has; undefined: not even that of the edge node. */
  #born: Set<string> | undefined;
  #inFlight = 0;
  #cancelData: (() => void) | undefined;
  #cancelBirth: (() => void) | undefined;
  #rebornMs = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    this.#brokers = new BrokerList(options.variables, options.clock);
    this.#host = new PrimaryHost(options.clock);
    this.#intake = new CommandIntake(options.write);
    this.#forwarder = new Forwarder({
      ...options,
      ...options.variables,
      points: () => this.#metrics.withPast,
      send: (values, signal) => this.#sendPast(values, signal),
    });
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    this.#changed.clear();
    this.#metrics.setPoints(this.#points.all, this.#options.log);
    if (this.#born !== undefined) this.#birth();
  }

  connect(signal: AbortSignal): Promise<void> {
    return this.#brokers.connect(signal, this.#connectTo.bind(this), () => this.close());
  }

  async run(signal: AbortSignal): Promise<void> {
    const link = this.#link;
    if (link === undefined) throw new NotConnected('not connected');
    const reason = await untilAborted(signal, link.ended);
    if (reason === undefined) return;
    this.#brokers.lost(reason.message);
    throw reason;
  }

  publish(batch: Batch): void {
    const touched = new Set<ServedDevice>();
    this.#points.take(batch, (served) => {
      const point = this.#metrics.get(served);
      if (point === undefined) return;
      noteLink(point);
      touched.add(point.device);
      if (hasChanged(point)) this.#note(point);
    });
    for (const device of touched) if (isLost(device)) this.#lose(device);
    this.#dataSoon();
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#cancelData?.();
    this.#cancelBirth?.();
    this.#cancelData = undefined;
    this.#cancelBirth = undefined;
    await this.#forwarder.end(link?.isUp === true && this.#born !== undefined);
    if (link?.isUp && this.#born !== undefined) await this.#sayDeath(link);
    this.#link = undefined;
    this.#born = undefined;
    await link?.close(true);
  }

  detail(): InstanceDetail {
    const forwarding = this.#forwarder.detail();
    return { devices: this.#brokers.detail(), ...(forwarding !== undefined && { forwarding }) };
  }

  /** Each connection has another number, that of its death, which the broker has with it. */
  async #connectTo(broker: BrokerVariables, signal: AbortSignal): Promise<void> {
    const { name, variables, clock, folder, log } = this.#options;
    const { primaryHost, timeoutMs } = variables;
    this.#bdSeq = await nextBdSeq(folder, this.#bdSeq, log);
    const will = { topic: this.#topic('NDEATH'), payload: this.#death(), qos: 1 as const, retain: false };
    const onMessage = (topic: string, payload: Buffer | undefined, packet: IPublishPacket) => {
      if (payload !== undefined) this.#hear(topic, payload, packet);
      return undefined;
    };
    this.#host.forget();
    const link = await BrokerLink.open(
      { name, variables: broker, clock, names: this.#brokers.names, folder, log, cleanStart: true, will, onMessage },
      signal,
    );
    this.#link = link;
    const states = primaryHost === '' ? [] : [`${namespace}STATE/${primaryHost}`];
    const filters = [this.#topic('NCMD'), this.#topic('DCMD', '+'), ...states];
    const refused = await link.whileWanted(signal, () => link.subscribe(filters, 1));
    for (const [topic, why] of refused) throw new NotConnected(`${topic}: ${why}`);
    if (primaryHost === '') await this.#begin();
    else if (this.#brokers.count > 1) {
      // At the only broker there is, it is waited for; else it may be at another.
      const isThere = await link.whileWanted(signal, () => this.#host.isOnlineWithin(timeoutMs));
      if (!link.isUp) throw await link.ended;
      if (!isThere) throw new NotConnected(`the primary host application ${primaryHost} is not online there`);
    }
  }

  /** Who receives is there from now on. */
  async #begin(): Promise<void> {
    this.#rebornMs = Number.NEGATIVE_INFINITY;
    this.#birth();
    await this.#forwarder.begin();
  }

  /** Values of an outage, beside present ones. A device that is lost is born for as long as it takes. */
  async #sendPast(values: readonly PastValue[], signal: AbortSignal): Promise<number> {
    let count = 0;
    for (const [device, part] of Map.groupBy(values, ({ served }) => this.#metrics.get(served)?.device)) {
      if (device === undefined) continue;
      while (this.#inFlight >= maxInFlight / 2 || this.#cancelBirth !== undefined) {
        await pause(this.#options.clock, gatherMs, signal);
        signal.throwIfAborted();
      }
      if (!this.#link?.isUp || this.#born === undefined) throw new NotConnected('the link is lost');
      if (!this.#born.has(device.name)) this.#deviceBirth(device);
      const metrics = part.flatMap(({ served, record }) => {
        const point = this.#metrics.get(served);
        return (point && this.#metrics.past(point, record)) ?? [];
      });
      this.#send(device.name === itself ? 'NDATA' : 'DDATA', device.name, metrics);
      count += metrics.length;
      if (isLost(device)) this.#lose(device);
    }
    return count;
  }

  /** Everything there is, from the first sequence number on. Devices that are lost are born when they are back. */
  #birth(): void {
    const { clock } = this.#options;
    const { devices } = this.#metrics;
    this.#cancelBirth?.();
    this.#cancelBirth = undefined;
    const nowUs = clock.now();
    const timestampMs = Math.floor(nowUs / 1000);
    for (const device of this.#born ?? []) {
      if (device !== itself && !devices.has(device)) this.#send('DDEATH', device, []);
    }
    this.#changed.clear();
    this.#seq = 0;
    this.#born = new Set();
    for (const device of devices.values()) {
      if (device.name !== itself) {
        if (!isLost(device)) this.#deviceBirth(device);
        continue;
      }
      this.#born.add(itself);
      this.#send('NBIRTH', itself, [
        { name: bdSeqName, timestampMs, type: metricType.int64, value: BigInt(this.#bdSeq) },
        { name: rebirthName, timestampMs, type: metricType.boolean, value: false },
        ...this.#metrics.definitions(timestampMs),
        ...this.#metrics.birth(device, nowUs),
      ]);
    }
  }

  #deviceBirth(device: ServedDevice): void {
    this.#born?.add(device.name);
    this.#changed.delete(device);
    this.#send('DBIRTH', device.name, this.#metrics.birth(device, this.#options.clock.now()));
  }

  /** What is behind it is lost: whoever looks at the device must not take its last values for present ones. */
  #lose(device: ServedDevice): void {
    if (device.name === itself) return;
    this.#changed.delete(device);
    if (this.#born?.delete(device.name)) this.#send('DDEATH', device.name, []);
  }

  #note(point: SentPoint): void {
    const changed = this.#changed.get(point.device) ?? new Set();
    this.#changed.set(point.device, changed.add(senderOf(point)));
  }

  #dataSoon(): void {
    if (this.#born === undefined || this.#changed.size === 0) return;
    this.#cancelData ??= this.#options.clock.after(gatherMs, () => {
      this.#cancelData = undefined;
      this.#data();
    });
  }

  /** What has changed; what the system does not take now waits for its newest value. */
  #data(): void {
    // Births that were asked for bring everything: until then nothing is sent.
    if (this.#born === undefined || this.#cancelBirth !== undefined) return;
    for (const device of [...this.#changed.keys()]) {
      if (isLost(device) && device.name !== itself) this.#changed.delete(device);
      else if (!this.#born.has(device.name)) this.#deviceBirth(device);
    }
    for (const [device, changed] of this.#changed) {
      while (changed.size > 0) {
        if (this.#inFlight >= maxInFlight || !this.#link?.isUp) return;
        const part = firstOf(changed, metricsAMessage);
        for (const point of part) changed.delete(point);
        const metrics = this.#metrics.data(part, this.#options.clock.now());
        this.#send(device.name === itself ? 'NDATA' : 'DDATA', device.name, metrics);
      }
      this.#changed.delete(device);
    }
  }

  #send(kind: MessageKind, device: string, metrics: readonly Metric[]): void {
    const link = this.#link;
    if (!link?.isUp) return;
    const seq = this.#seq;
    this.#seq = (seq + 1) % 256;
    const timestampMs = Math.floor(this.#options.clock.now() / 1000);
    // Sparkplug wants them in the order of their times.
    const inOrder = metrics.toSorted((one, other) => (one.timestampMs ?? 0) - (other.timestampMs ?? 0));
    const payload = encodePayload({ timestampMs, seq, metrics: inOrder });
    this.#inFlight++;
    const settled = () => {
      this.#inFlight--;
      this.#dataSoon();
    };
    link.publish(this.#topic(kind, device), payload, { qos: 0 }).then(settled, settled);
  }

  #hear(topic: string, payload: Buffer, { retain, dup }: IPublishPacket): void {
    if (topic.startsWith(`${namespace}STATE/`)) this.#hearState(payload);
    else if (!retain && !dup) this.#hearCommand(topic, payload);
  }

  #hearCommand(topic: string, payload: Buffer): void {
    const { log } = this.#options;
    const [, , kind, , device = itself] = topic.split('/');
    let metrics: readonly Metric[];
    try {
      const known = this.#metrics.known.bind(this.#metrics, device);
      ({ metrics } = decodePayload(payload, { known }));
    } catch (error) {
      log.warn(`a command at ${topic} cannot be read: ${(error as Error).message}`);
      return;
    }
    for (const metric of metrics) {
      const { name, alias, value, isHistorical } = metric;
      if (isHistorical) log.warn(`a command at ${topic} for ${name ?? alias} is historical: it is ignored`);
      else if (kind === 'NCMD' && name === rebirthName) {
        if (value === true) this.#rebirth();
      } else this.#command(topic, metric, this.#metrics.find(device, name, alias));
    }
  }

  /** A metric, or the members of an instance. */
  #command(topic: string, { name, alias, value }: Metric, metric: NodeMetric | undefined): void {
    const members = isTemplate(value) ? value.members : [{ name: '', value }];
    for (const member of members) {
      const point = metric?.points.get(member.name ?? '');
      if (point?.served.isCommand) this.#write(point, member);
      else {
        const path = [name ?? alias, member.name].filter(Boolean).join('/');
        this.#options.log.warn(`a command at ${topic} for ${path}, which does not exist, is ignored`);
      }
    }
  }

  async #write(point: SentPoint, { value }: Metric): Promise<void> {
    const { log } = this.#options;
    const { point: command } = point.served;
    const result = await this.#intake.write(command, scalarOf(value));
    if (result.kind === 'accepted') return;
    if (result.kind === 'unknown') {
      // The device may have it: that the old value stays would be saying too much.
      log.warn(`${command.name} may have been written or not: ${result.reason}`);
      return;
    }
    log.warn(`${command.name} is not written: ${result.reason}`);
    // Sparkplug has no other answer than the value that stays.
    if (this.#metrics.get(point.served) !== point) return;
    sendAgain(point);
    this.#note(point);
    this.#dataSoon();
  }

  #rebirth(): void {
    if (this.#born === undefined) return;
    const { clock } = this.#options;
    const again = () => {
      if (this.#born === undefined) return;
      this.#rebornMs = clock.monotonicMs();
      this.#birth();
    };
    const waitMs = this.#rebornMs + rebirthPauseMs - clock.monotonicMs();
    if (waitMs <= 0) again();
    else
      this.#cancelBirth ??= clock.after(waitMs, () => {
        this.#cancelBirth = undefined;
        again();
      });
  }

  #hearState(payload: Buffer): void {
    const isOnline = this.#host.hear(payload);
    if (isOnline === true && this.#born === undefined) this.#begin();
    else if (isOnline === false && this.#born !== undefined) {
      const link = this.#link;
      this.#born = undefined;
      this.#forwarder.end(false);
      if (link === undefined) return;
      this.#sayDeath(link).then(() => link.close(true, 'the primary host application is offline'));
    }
  }

  async #sayDeath(link: BrokerLink): Promise<void> {
    await Promise.try(() => link.publish(this.#topic('NDEATH'), this.#death(), { qos: 0 })).catch(() => undefined);
  }

  #death(): Buffer {
    const metrics = [{ name: bdSeqName, type: metricType.int64, value: BigInt(this.#bdSeq) }];
    return encodePayload({ timestampMs: Math.floor(this.#options.clock.now() / 1000), metrics });
  }

  #topic(type: string, device = itself): string {
    const { group, node } = this.#options.variables;
    return `${namespace}${group}/${type}/${node}${device === itself ? '' : `/${device}`}`;
  }
}
