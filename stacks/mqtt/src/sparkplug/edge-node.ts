// A Sparkplug B edge node: births, data, deaths and commands, with their sequence numbers.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Batch, isBad, isGood, untilAborted } from '@telltale/schema';
import {
  NotConnected,
  type Provider,
  type ProviderOptions,
  Refused,
  type ServedPoint,
  ServedPoints,
  type StackPoints,
} from '@telltale/stack-kit';
import type { IPublishPacket } from 'mqtt';
import { BrokerLink } from '../broker-link.ts';
import { CommandIntake } from '../command-intake.ts';
import type { ProviderVariables } from '../provider-variables.ts';
import { decodePayload, encodePayload, type Metric, metricQuality, metricType, typeOfDatatype } from './payload.ts';
import { type ServedMetric, servedMetric } from './served-metric.ts';

const bdSeqName = 'bdSeq';
const rebirthName = 'Node Control/Rebirth';
/** Metrics of every edge node, which are no points. */
const ownNames = [bdSeqName, rebirthName];
/** Changes are gathered for so long into one message of a device. */
const gatherMs = 50;
const metricsAMessage = 1000;
/** Messages that the system has not taken yet. */
const maxInFlight = 100;
/** A host that asks for births again and again gets them so often. */
const rebirthPauseMs = 1000;

/** The edge node itself is the device without a name. */
const itself = '';

interface SentMetric extends ServedMetric {
  readonly alias: number;
}

export class EdgeNode implements Provider {
  readonly #options: ProviderOptions<ProviderVariables>;
  readonly #points = new ServedPoints();
  /** What the host application does not have yet. */
  readonly #changed = new Set<ServedPoint>();
  readonly #intake: CommandIntake;
  #devices = new Map<string, ServedPoint[]>();
  #metrics = new Map<ServedPoint, SentMetric>();
  #byAlias = new Map<number, ServedPoint>();
  /** By the name of the device, a slash and the name of the metric: the device's has none. */
  #byName = new Map<string, ServedPoint>();
  /** By the same. None is used for another metric later: a command on its way would go to the wrong one. */
  readonly #aliases = new Map<string, number>();
  #link: BrokerLink | undefined;
  #bdSeq = -1;
  #seq = 0;
  /** Devices whose birth the host application has. */
  #born: Set<string> | undefined;
  #inFlight = 0;
  #cancelData: (() => void) | undefined;
  #cancelBirth: (() => void) | undefined;
  #bornMs = Number.NEGATIVE_INFINITY;
  #hostTimestamp = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderOptions<ProviderVariables>) {
    this.#options = options;
    this.#intake = new CommandIntake(options.write);
  }

  setPoints(points: StackPoints): void {
    this.#points.setPoints(points);
    this.#changed.clear();
    this.#devices = new Map([[itself, []]]);
    this.#metrics = new Map();
    this.#byAlias = new Map();
    this.#byName = new Map();
    for (const served of this.#points.all) {
      const { device, metric } = servedMetric(served.point);
      const name = `${device}/${metric}`;
      if (this.#byName.has(name) || (device === itself && ownNames.includes(metric))) {
        this.#options.log.warn(`${served.point.name} is not served: another point has the same metric name`);
        continue;
      }
      const metrics = this.#devices.get(device) ?? [];
      metrics.push(served);
      this.#devices.set(device, metrics);
      const alias = this.#aliases.get(name) ?? this.#aliases.size + 1;
      this.#aliases.set(name, alias);
      this.#metrics.set(served, { device, metric, alias });
      this.#byAlias.set(alias, served);
      this.#byName.set(name, served);
    }
    if (this.#born !== undefined) this.#birth();
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { name, variables, clock, folder, log } = this.#options;
    const { group, node, primaryHost } = variables;
    await this.#nextBdSeq();
    const will = { topic: this.#topic('NDEATH'), payload: this.#death(), qos: 1 as const, retain: false };
    const onMessage = (topic: string, payload: Buffer | undefined, packet: IPublishPacket) => {
      if (payload !== undefined) this.#hear(topic, payload, packet);
      return undefined;
    };
    const link = await BrokerLink.open(
      { name, variables, clock, folder, log, cleanStart: true, will, onMessage },
      signal,
    );
    this.#link = link;
    this.#hostTimestamp = Number.NEGATIVE_INFINITY;
    const states = primaryHost === '' ? [] : [`spBv1.0/STATE/${primaryHost}`];
    const filters = [`spBv1.0/${group}/NCMD/${node}`, `spBv1.0/${group}/DCMD/${node}/+`, ...states];
    const refused = await link.whileWanted(signal, () => link.subscribe(filters, 1));
    for (const [topic, why] of refused) throw new NotConnected(`${topic}: ${why}`);
    if (primaryHost === '') this.#birth();
  }

  async run(signal: AbortSignal): Promise<void> {
    const link = this.#link;
    if (link === undefined) throw new NotConnected('not connected');
    const reason = await untilAborted(signal, link.ended);
    if (reason !== undefined) throw reason;
  }

  publish(batch: Batch): void {
    this.#points.take(batch, (served) => this.#changed.add(served));
    this.#dataSoon();
  }

  async close(): Promise<void> {
    const link = this.#link;
    this.#cancelData?.();
    this.#cancelBirth?.();
    this.#cancelData = undefined;
    this.#cancelBirth = undefined;
    // The last will does not come where the connection ends in order.
    if (link?.isUp && this.#born !== undefined) await this.#sayDeath(link);
    this.#link = undefined;
    this.#born = undefined;
    await link?.close();
  }

  /** Everything there is, from the first sequence number on. */
  #birth(): void {
    const { clock } = this.#options;
    this.#bornMs = clock.monotonicMs();
    const nowMs = Math.floor(clock.now() / 1000);
    for (const device of this.#born ?? []) {
      if (device !== itself && !this.#devices.has(device)) this.#send('DDEATH', device, []);
    }
    this.#changed.clear();
    this.#seq = 0;
    const control: Metric[] = [
      { name: bdSeqName, timestampMs: nowMs, type: metricType.int64, value: BigInt(this.#bdSeq) },
      { name: rebirthName, timestampMs: nowMs, type: metricType.boolean, value: false },
    ];
    this.#born = new Set(this.#devices.keys());
    for (const [device, points] of this.#devices) {
      const metrics = points.map((served) => this.#metric(served, true));
      if (device === itself) this.#send('NBIRTH', device, [...control, ...metrics]);
      else this.#send('DBIRTH', device, metrics);
    }
  }

  #dataSoon(): void {
    if (this.#born === undefined) return;
    this.#cancelData ??= this.#options.clock.after(gatherMs, () => {
      this.#cancelData = undefined;
      this.#data();
    });
  }

  /** What has changed; what the system does not take now waits for its newest value. */
  #data(): void {
    for (const [device, points] of this.#devices) {
      const due = points.filter((served) => this.#changed.has(served));
      for (let at = 0; at < due.length; at += metricsAMessage) {
        if (this.#inFlight >= maxInFlight || !this.#link?.isUp) return;
        const part = due.slice(at, at + metricsAMessage);
        for (const served of part) this.#changed.delete(served);
        const metrics = part.map((served) => this.#metric(served, false));
        this.#send(device === itself ? 'NDATA' : 'DDATA', device, metrics);
      }
    }
  }

  #send(type: 'NBIRTH' | 'DBIRTH' | 'NDATA' | 'DDATA' | 'DDEATH', device: string, metrics: Metric[]): void {
    const link = this.#link;
    if (!link?.isUp) return;
    const seq = this.#seq;
    this.#seq = (seq + 1) % 256;
    const payload = encodePayload({ timestampMs: Math.floor(this.#options.clock.now() / 1000), seq, metrics });
    this.#inFlight++;
    const settled = () => {
      this.#inFlight--;
      if (this.#changed.size > 0) this.#dataSoon();
    };
    link.publish(this.#topic(type, device), payload, { qos: 0 }).then(settled, settled);
  }

  #metric(served: ServedPoint, isBirth: boolean): Metric {
    const { point, value, quality, timeUs } = served;
    const { eu } = point;
    const { metric, alias } = this.#metrics.get(served) ?? {};
    return {
      ...(isBirth && { name: metric, ...(eu !== undefined && eu !== '' && { unit: eu }) }),
      alias,
      // That there is no value is true now.
      timestampMs: Math.floor((timeUs === 0 ? this.#options.clock.now() : timeUs) / 1000),
      type: typeOfDatatype(point.datatype),
      isNull: value === undefined,
      quality: isGood(quality) ? metricQuality.good : isBad(quality) ? metricQuality.bad : metricQuality.stale,
      value,
    };
  }

  #hear(topic: string, payload: Buffer, { retain, dup }: IPublishPacket): void {
    if (topic.startsWith('spBv1.0/STATE/')) this.#hearState(payload);
    else if (!retain && !dup) this.#hearCommand(topic, payload);
  }

  #hearCommand(topic: string, payload: Buffer): void {
    const { log } = this.#options;
    const [, , type, , device = itself] = topic.split('/');
    const find = (name: string | undefined, alias: number | undefined) => {
      const byAlias = alias === undefined ? undefined : this.#byAlias.get(alias);
      // An unknown alias, such as 0 of an encoder that always writes one, is ignored if there is a name.
      if (name) {
        const served = this.#byName.get(`${device}/${name}`);
        return byAlias === undefined || byAlias === served ? served : undefined;
      }
      return byAlias !== undefined && this.#metrics.get(byAlias)?.device === device ? byAlias : undefined;
    };
    const typeOf = (name: string | undefined, alias: number | undefined) => {
      const served = find(name, alias);
      return served === undefined ? undefined : typeOfDatatype(served.point.datatype);
    };
    let metrics: readonly Metric[];
    try {
      ({ metrics } = decodePayload(payload, typeOf));
    } catch (error) {
      log.warn(`a command at ${topic} cannot be read: ${(error as Error).message}`);
      return;
    }
    for (const metric of metrics) {
      if (type === 'NCMD' && metric.name === rebirthName) {
        if (metric.value === true) this.#rebirth();
        continue;
      }
      const served = find(metric.name, metric.alias);
      if (!served?.isCommand) {
        log.warn(`a command at ${topic} for ${metric.name ?? metric.alias}, which does not exist, is ignored`);
        continue;
      }
      this.#intake.write(served.point, metric.value).catch((error: Error) => {
        if (!(error instanceof Refused)) {
          // The device may have it: that the old value stays would be saying too much.
          log.warn(`${served.point.name} may have been written or not: ${error.message}`);
          return;
        }
        log.warn(`${served.point.name} is not written: ${error.message}`);
        // Sparkplug has no other answer than the value that stays.
        this.#changed.add(served);
        this.#dataSoon();
      });
    }
  }

  #rebirth(): void {
    if (this.#born === undefined) return;
    const { clock } = this.#options;
    const waitMs = this.#bornMs + rebirthPauseMs - clock.monotonicMs();
    if (waitMs <= 0) this.#birth();
    else
      this.#cancelBirth ??= clock.after(waitMs, () => {
        this.#cancelBirth = undefined;
        if (this.#born !== undefined) this.#birth();
      });
  }

  #hearState(payload: Buffer): void {
    const state = readState(payload);
    if (state === undefined || state.timestamp < this.#hostTimestamp) return;
    this.#hostTimestamp = state.timestamp;
    if (state.online && this.#born === undefined) this.#birth();
    else if (!state.online && this.#born !== undefined) {
      const link = this.#link;
      this.#born = undefined;
      if (link === undefined) return;
      this.#sayDeath(link).then(() => link.reset('the primary host application is offline'));
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
    return `spBv1.0/${group}/${type}/${node}${device === itself ? '' : `/${device}`}`;
  }

  /** Another one for each connection, after a restart as well: a death that comes late is not this one's. */
  async #nextBdSeq(): Promise<void> {
    const { folder } = this.#options;
    const path = join(folder, 'bdseq');
    if (this.#bdSeq < 0) this.#bdSeq = Number(await readFile(path, 'utf8').catch(() => '-1')) || 0;
    this.#bdSeq = (this.#bdSeq + 1) & 0xff;
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(path, `${this.#bdSeq}\n`);
    } catch (error) {
      this.#options.log.warn(`the death sequence number could not be stored: ${(error as Error).message}`);
    }
  }
}

function readState(payload: Buffer): { online: boolean; timestamp: number } | undefined {
  try {
    const { online, timestamp } = JSON.parse(payload.toString());
    return typeof online === 'boolean' && typeof timestamp === 'number' ? { online, timestamp } : undefined;
  } catch {
    return undefined;
  }
}
