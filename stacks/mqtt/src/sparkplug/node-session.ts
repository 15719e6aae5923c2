// What a host application knows of one edge node: its births, aliases and sequence. Pure: it says what a message means.
import { hash } from 'node:crypto';
import { decodePayload, type Metric, type SparkplugPayload } from './payload.ts';

export interface BornMetric {
  readonly device: string;
  readonly name: string;
  readonly type: number | undefined;
  readonly alias: number | undefined;
  /** Its value came as 64 bits: libraries differ in that for UInt32. */
  readonly isLong: boolean;
}

export type NodeEvent =
  /** Of the device, empty: of the edge node. Where it is born, all is as the metrics say, and nothing else is there. */
  | {
      readonly kind: 'born' | 'data';
      readonly device: string;
      readonly metrics: ReadonlyMap<string, Metric>;
      readonly sentMs: number | undefined;
    }
  /** Of the edge node: all its devices are dead as well. */
  | { readonly kind: 'dead'; readonly device: string }
  /** Something was missed: only a birth brings the truth. */
  | { readonly kind: 'unclear'; readonly reason: string };

export class NodeSession {
  isBorn = false;
  /** Since its birth: it may have been another birth, after which an alias stands for something else. */
  hasMissed = false;
  /** The hash of the message before: with its sequence number in it, no other is the same. */
  #last = '';
  #bdSeq: string | undefined;
  #nextSeq = 0;
  readonly #aliases = new Map<number, BornMetric>();
  /** By device and name. */
  #metrics = new Map<string, Map<string, BornMetric>>();

  /** `kind` is the third level of the topic. Throws if the payload is invalid. */
  hear(kind: string, device: string, bytes: Uint8Array): NodeEvent | undefined {
    // Brokers of MQTT 5 send a copy for each subscription that matches, of a browse as well.
    const last = this.#last;
    this.#last = hash('sha1', bytes, 'base64');
    if (this.#last === last) return undefined;
    const typeOf = (name: string | undefined, alias: number | undefined) => this.#find(device, name, alias)?.type;
    switch (kind) {
      case 'NDEATH':
        return this.#death(decodePayload(bytes));
      case 'NBIRTH':
        return this.#birth('', decodePayload(bytes));
      case 'DBIRTH':
      case 'NDATA':
      case 'DDATA':
      case 'DDEATH': {
        const payload = decodePayload(bytes, typeOf);
        const unclear = this.#follow(payload.seq);
        if (unclear !== undefined) {
          this.hasMissed = true;
          return { kind: 'unclear', reason: unclear };
        }
        if (kind === 'DDEATH') {
          this.#metrics.delete(device);
          return { kind: 'dead', device };
        }
        if (this.hasMissed) return undefined;
        return kind === 'DBIRTH' ? this.#birth(device, payload) : this.#data(device, payload);
      }
      default:
        return undefined;
    }
  }

  /** Undefined if it is not in the birth. */
  metric(device: string, name: string): BornMetric | undefined {
    return this.#metrics.get(device)?.get(name);
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
    this.#aliases.clear();
    this.#metrics.clear();
  }

  #birth(device: string, { seq, metrics, timestampMs }: SparkplugPayload): NodeEvent {
    if (device === '') {
      this.forget();
      this.isBorn = true;
      this.#nextSeq = ((seq ?? 0) + 1) % 256;
      this.#bdSeq = bdSeqOf(metrics);
    }
    const born = new Map<string, BornMetric>();
    const values = new Map<string, Metric>();
    for (const metric of metrics) {
      if (metric.name === undefined) continue;
      const { name, type, alias, value } = metric;
      const known = { device, name, type, alias, isLong: typeof value === 'bigint' };
      born.set(name, known);
      values.set(name, metric);
      if (alias !== undefined) this.#aliases.set(alias, known);
    }
    this.#metrics.set(device, born);
    return { kind: 'born', device, metrics: values, sentMs: timestampMs };
  }

  #data(device: string, { metrics, timestampMs }: SparkplugPayload): NodeEvent {
    const values = new Map<string, Metric>();
    for (const metric of metrics) {
      const known = this.#find(device, metric.name, metric.alias);
      if (known === undefined) {
        return { kind: 'unclear', reason: `a metric that is not in the birth: ${metric.name ?? metric.alias}` };
      }
      if (!metric.isHistorical) values.set(known.name, metric);
    }
    return { kind: 'data', device, metrics: values, sentMs: timestampMs };
  }

  /** A death that comes late is of a life before this one. */
  #death({ metrics }: SparkplugPayload): NodeEvent | undefined {
    if (this.isBorn && bdSeqOf(metrics) !== this.#bdSeq) return undefined;
    this.forget();
    return { kind: 'dead', device: '' };
  }

  /** What is wrong with the sequence. */
  #follow(seq: number | undefined): string | undefined {
    if (!this.isBorn) return 'the edge node was born before';
    const expected = this.#nextSeq;
    this.#nextSeq = ((seq ?? expected) + 1) % 256;
    return seq === expected ? undefined : `sequence number ${seq} where ${expected} is expected`;
  }

  #find(device: string, name: string | undefined, alias: number | undefined): BornMetric | undefined {
    if (name !== undefined && name !== '') return this.#metrics.get(device)?.get(name);
    const known = alias === undefined ? undefined : this.#aliases.get(alias);
    return known?.device === device ? known : undefined;
  }
}

function bdSeqOf(metrics: readonly Metric[]): string | undefined {
  const value = metrics.find(({ name }) => name === 'bdSeq')?.value;
  return value === undefined ? undefined : String(value);
}
