// What a host application knows of one edge node: its births, aliases and sequence. Pure: it says what a message means.
import { hash } from 'node:crypto';
import { decodePayload } from './decode-payload.ts';
import { bdSeqOf, isTemplate, type Metric, type SparkplugPayload, type Template } from './metric.ts';

/** What the birth says of a metric. */
export interface BornMetric extends Metric {
  readonly name: string;
  readonly device: string;
}

export type NodeEvent =
  /** Of the device, empty: of the edge node. Where it is born, all is as the metrics say, and nothing else is there. */
  | {
      readonly kind: 'born' | 'data';
      readonly device: string;
      readonly metrics: readonly Metric[];
      readonly sentMs: number | undefined;
    }
  /** Of the edge node: all its devices are dead as well. */
  | { readonly kind: 'dead'; readonly device: string; readonly sentMs: number | undefined }
  /** A message is missing before this one, which is kept: it may come yet. */
  | { readonly kind: 'early'; readonly reason: string }
  /** Something was missed: only a birth brings the truth. */
  | { readonly kind: 'unclear'; readonly reason: string };

interface Early {
  readonly kind: string;
  readonly device: string;
  readonly bytes: Uint8Array;
  readonly sentMs: number | undefined;
}

/** Of the messages of an edge node that came before their time. */
const maxEarlyBytes = 4 * 1024 * 1024;
/** Of what is kept of the births of an edge node and of all its devices: some million metrics. */
const maxBirthBytes = 256 * 1024 * 1024;
/** A metric, and a device, beside what was sent of them. */
const [metricBytes, deviceBytes] = [256, 1024];

export class NodeSession {
  isBorn = false;
  /** Since its birth: it may have been another birth, after which an alias stands for something else. */
  hasMissed = false;
  /** The hash of the message before: with its sequence number in it, no other is the same. */
  #last = '';
  #bdSeq: string | undefined;
  #nextSeq = 0;
  /** Messages after a gap, by sequence number. */
  readonly #early = new Map<number, Early>();
  #earlyBytes = 0;
  readonly #aliases = new Map<number, BornMetric>();
  /** By device and name. */
  readonly #metrics = new Map<string, Map<string, BornMetric>>();
  /** Of what is kept of their births, by device and in all. */
  readonly #bytes = new Map<string, number>();
  #bytesInAll = 0;
  readonly #definitions = new Map<string, Template>();

  /** What is waited for: messages that came before others which are missing. */
  get isWaiting(): boolean {
    return this.#early.size > 0;
  }

  /**
   * `kind` is the third level of the topic. Several events where a message closes a gap. `mayWait`: a gap may close yet.
   * Throws if the payload is invalid.
   */
  hear(kind: string, device: string, bytes: Uint8Array, mayWait = false): NodeEvent[] {
    // Brokers of MQTT 5 send a copy for each subscription that matches, of a browse as well.
    const last = this.#last;
    this.#last = hash('sha1', bytes, 'base64');
    if (this.#last === last) return [];
    switch (kind) {
      case 'NDEATH':
        return this.#death(decodePayload(bytes));
      case 'NBIRTH':
        return this.#nodeBirth(bytes);
      case 'DBIRTH':
      case 'NDATA':
      case 'DDATA':
      case 'DDEATH':
        return this.#inSequence(kind, device, bytes, mayWait);
      default:
        return [];
    }
  }

  /** The missing messages have not come in time. */
  giveUp(): void {
    this.#dropEarly();
    this.hasMissed = true;
  }

  /** Undefined if it is not in the birth. */
  metric(device: string, name: string): BornMetric | undefined {
    return this.#metrics.get(device)?.get(name);
  }

  metrics(device: string): ReadonlyMap<string, BornMetric> {
    return this.#metrics.get(device) ?? new Map();
  }

  /** Those that are born, the edge node itself among them. */
  devices(): string[] {
    return [...this.#metrics.keys()];
  }

  hasDevice(device: string): boolean {
    return this.#metrics.has(device);
  }

  /** One was asked for: it counts though it is the same as the one before, byte for byte. */
  expectBirth(): void {
    this.#last = '';
  }

  forget(): void {
    this.isBorn = false;
    this.hasMissed = false;
    this.#dropEarly();
    this.#aliases.clear();
    this.#metrics.clear();
    this.#bytes.clear();
    this.#bytesInAll = 0;
    this.#definitions.clear();
  }

  #nodeBirth(bytes: Uint8Array): NodeEvent[] {
    let payload = decodePayload(bytes);
    const definitions = new Map<string, Template>();
    for (const { name = '', value } of payload.metrics) {
      if (isTemplate(value) && value.isDefinition) definitions.set(name, value);
    }
    // Instances may leave to their definition what their members are, which may stand behind them.
    if (definitions.size > 0) payload = decodePayload(bytes, { definition: (name) => definitions.get(name) });
    const { seq = 0, metrics, timestampMs = 0 } = payload;
    const early = [...this.#early];
    this.forget();
    for (const [name, definition] of definitions) this.#definitions.set(name, definition);
    this.isBorn = true;
    this.#nextSeq = (seq + 1) % 256;
    this.#bdSeq = bdSeqOf(metrics);
    // What has overtaken this birth belongs to it; what is older, to the life before.
    for (const [at, message] of early) if ((message.sentMs ?? 0) >= timestampMs) this.#keepEarly(at, message);
    return [this.#birth('', payload, bytes.length), ...this.#followers()];
  }

  #birth(device: string, { metrics, timestampMs }: SparkplugPayload, bytes: number): NodeEvent {
    const born = new Map<string, BornMetric>();
    this.#forgetDevice(device);
    const cost = deviceBytes + metricBytes * metrics.length + bytes;
    if (this.#bytesInAll + cost > maxBirthBytes) throw new RangeError('the edge node has too many devices and metrics');
    this.#bytes.set(device, cost);
    this.#bytesInAll += cost;
    for (const metric of metrics) {
      const { name, alias } = metric;
      if (name === undefined) continue;
      const known = { ...metric, name, device };
      born.set(name, known);
      if (alias !== undefined) this.#aliases.set(alias, known);
    }
    this.#metrics.set(device, born);
    return { kind: 'born', device, metrics, sentMs: timestampMs };
  }

  #inSequence(kind: string, device: string, bytes: Uint8Array, mayWait: boolean): NodeEvent[] {
    const payload = this.#decode(device, bytes);
    const { seq, timestampMs: sentMs } = payload;
    if (!this.isBorn) {
      this.hasMissed = true;
      return [{ kind: 'unclear', reason: 'the edge node was born before' }];
    }
    if (this.hasMissed) return kind === 'DDEATH' ? [this.#deviceDeath(device, sentMs)] : [];
    const expected = this.#nextSeq;
    if (seq !== expected) {
      const reason = `sequence number ${seq} where ${expected} is expected`;
      const isNew = seq !== undefined && seq < 256 && !this.#early.has(seq);
      if (mayWait && isNew && this.#earlyBytes + bytes.length <= maxEarlyBytes) {
        this.#keepEarly(seq, { kind, device, bytes: Buffer.from(bytes), sentMs });
        return [{ kind: 'early', reason }];
      }
      this.giveUp();
      return [{ kind: 'unclear', reason }];
    }
    return [this.#next(kind, device, payload, bytes.length), ...this.#followers()];
  }

  /** Those that were waiting for the message before, as far as they follow one another. */
  #followers(): NodeEvent[] {
    const events: NodeEvent[] = [];
    for (let at = this.#early.get(this.#nextSeq); at !== undefined; at = this.#early.get(this.#nextSeq)) {
      this.#early.delete(this.#nextSeq);
      this.#earlyBytes -= at.bytes.length;
      events.push(this.#next(at.kind, at.device, this.#decode(at.device, at.bytes), at.bytes.length));
      if (this.hasMissed) break;
    }
    return events;
  }

  #next(kind: string, device: string, payload: SparkplugPayload, bytes: number): NodeEvent {
    this.#nextSeq = (this.#nextSeq + 1) % 256;
    if (kind === 'DDEATH') return this.#deviceDeath(device, payload.timestampMs);
    return kind === 'DBIRTH' ? this.#birth(device, payload, bytes) : this.#data(device, payload);
  }

  #data(device: string, { metrics, timestampMs }: SparkplugPayload): NodeEvent {
    // Those that have an alias alone were given their names by it.
    const born = this.metrics(device);
    const strange = metrics.find(({ name }) => name === undefined || !born.has(name));
    if (strange === undefined) return { kind: 'data', device, metrics, sentMs: timestampMs };
    this.giveUp();
    return { kind: 'unclear', reason: `a metric that is not in the birth: ${strange.name ?? strange.alias}` };
  }

  #deviceDeath(device: string, sentMs: number | undefined): NodeEvent {
    this.#forgetDevice(device);
    return { kind: 'dead', device, sentMs };
  }

  /** With the aliases of its birth, unless others have them by now. */
  #forgetDevice(device: string): void {
    for (const metric of this.metrics(device).values()) {
      if (metric.alias !== undefined && this.#aliases.get(metric.alias) === metric) this.#aliases.delete(metric.alias);
    }
    this.#metrics.delete(device);
    this.#bytesInAll -= this.#bytes.get(device) ?? 0;
    this.#bytes.delete(device);
  }

  /** A death that comes late is of a life before this one. */
  #death({ metrics, timestampMs }: SparkplugPayload): NodeEvent[] {
    if (this.isBorn && bdSeqOf(metrics) !== this.#bdSeq) return [];
    this.forget();
    return [{ kind: 'dead', device: '', sentMs: timestampMs }];
  }

  #decode(device: string, bytes: Uint8Array): SparkplugPayload {
    return decodePayload(bytes, {
      known: (name, alias) => this.#find(device, name, alias),
      definition: (name) => this.#definitions.get(name),
    });
  }

  #keepEarly(seq: number, message: Early): void {
    this.#early.set(seq, message);
    this.#earlyBytes += message.bytes.length;
  }

  #dropEarly(): void {
    this.#early.clear();
    this.#earlyBytes = 0;
  }

  #find(device: string, name: string | undefined, alias: number | undefined): BornMetric | undefined {
    if (name !== undefined && name !== '') return this.#metrics.get(device)?.get(name);
    const known = alias === undefined ? undefined : this.#aliases.get(alias);
    return known?.device === device ? known : undefined;
  }
}
