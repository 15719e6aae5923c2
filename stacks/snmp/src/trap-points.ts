// The measurements that traps bring: the value of an object that a trap carries, or how often a trap itself has come.
import { Batch, type Clock, form, quality, traitsOf } from '@telltale/schema';
import type { ReadingTrace, StackPoint } from '@telltale/stack-kit';
import type { Address } from './address.ts';
import { oidOf, tag } from './ber.ts';
import { nameOfOid } from './object-names.ts';
import type { Pdu, Varbind } from './pdu.ts';
import { addReading, hexOf, readValue, textOf, typeName } from './snmp-value.ts';
import { snmpTrapAddress, snmpTrapOid } from './version-1.ts';

const maxText = 4096;

interface Happened {
  readonly varbind: Varbind | undefined;
  readonly trap: string;
  readonly sender: string;
  readonly text: string;
  readonly count: number;
  readonly timeUs: number;
  /** During which it has come. */
  readonly link: number;
}

interface TrapPoint {
  readonly point: StackPoint;
  readonly address: Address;
}

export interface TrapPointsOptions {
  readonly clock: Clock;
  readonly publish: (batch: Batch) => void;
  /** Whether the address is one of the agent's. */
  readonly isAgent: (agent: string, address: string) => boolean;
}

export class TrapPoints {
  readonly #options: TrapPointsOptions;
  #byOid = new Map<string, TrapPoint[]>();
  /** By address, so that it outlives a change of the points. */
  #happened = new Map<string, Happened>();
  /** Counts up. Between two links, traps may have been missed. */
  #link = 0;

  constructor(options: TrapPointsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byOid.size;
  }

  setPoints(points: readonly TrapPoint[]): void {
    this.#byOid = Map.groupBy(points, ({ address }) => address.oid);
    const addresses = new Set(points.map(({ point }) => point.address));
    this.#happened = new Map([...this.#happened].filter(([address]) => addresses.has(address)));
  }

  /** After a reconnect: known values may be stale. */
  begin(): void {
    this.#link++;
  }

  publishAll(): void {
    const batch = new Batch();
    for (const { point, address } of [...this.#byOid.values()].flat()) {
      const happened = this.#happened.get(point.address);
      if (happened === undefined) batch.none(point.id, quality.bad.notConnected, this.#options.clock.now());
      else this.#add(batch, { point, address }, happened);
    }
    if (batch.count > 0) this.#options.publish(batch);
  }

  take(pdu: Pdu, sender: string): void {
    const timeUs = this.#options.clock.now();
    const [trap] = pdu.varbinds.filter(({ oid, tag: valueTag }) => oid === snmpTrapOid && valueTag === tag.oid);
    const trapOid = trap === undefined ? '' : oidOf(trap.content);
    const text = describe(trapOid, pdu);
    const [address] = pdu.varbinds.filter(({ oid, tag: valueTag }) => oid === snmpTrapAddress && valueTag === tag.ip);
    const senders = address === undefined ? [sender] : [sender, [...address.content].join('.')];
    const batch = new Batch();
    const happen = (oid: string, varbind: Varbind | undefined) => {
      const fresh = new Map<string, Happened>();
      for (const each of this.#byOid.get(oid) ?? []) {
        const { agent } = each.address;
        if (agent !== undefined && !senders.some((each) => this.#options.isAgent(agent, each))) continue;
        const name = each.point.address;
        const count = (this.#happened.get(name)?.count ?? 0) + 1;
        const happened = fresh.get(name) ?? { varbind, trap: trapOid, sender, text, count, timeUs, link: this.#link };
        fresh.set(name, happened);
        this.#add(batch, each, happened);
      }
      for (const [name, happened] of fresh) this.#happened.set(name, happened);
    };
    happen(trapOid, undefined);
    for (const varbind of pdu.varbinds) {
      if (varbind !== trap) happen(varbind.oid, varbind);
    }
    if (batch.count > 0) this.#options.publish(batch);
  }

  explain({ address, datatype }: StackPoint, { form }: Address): ReadingTrace | undefined {
    const happened = this.#happened.get(address);
    if (happened === undefined) return undefined;
    const { varbind, trap, sender, text, count, timeUs } = happened;
    return {
      timeUs,
      request: `trap ${nameOfOid(trap)} from ${sender}`,
      raw: varbind === undefined ? text : `${typeName(varbind.tag)} ${hexOf(varbind.content)}`,
      value: varbind === undefined ? count : readValue(varbind, datatype, form),
      error: undefined,
      device: sender,
      scanPeriodMs: undefined,
    };
  }

  #add(batch: Batch, { point, address }: TrapPoint, { varbind, text, count, timeUs, link }: Happened): void {
    const at = batch.count;
    const { form: held, isBoolean } = traitsOf(point.datatype);
    if (varbind !== undefined) addReading(batch, point, varbind, address.form, timeUs);
    else if (held === form.text) batch.text(point.id, text, quality.good, timeUs);
    else if (isBoolean) batch.number(point.id, 1, quality.good, timeUs);
    else if (held === form.long) batch.long(point.id, BigInt(count), quality.good, timeUs);
    else batch.number(point.id, count, quality.good, timeUs);
    if (link !== this.#link && batch.qualities[at] === quality.good) {
      batch.qualities[at] = quality.uncertain.lastUsableValue;
    }
  }
}

function describe(trapOid: string, { varbinds }: Pdu): string {
  const shown = varbinds
    .filter(({ oid }) => oid !== snmpTrapOid)
    .map((varbind) => `${nameOfOid(varbind.oid)}=${textOf(varbind, undefined)}`);
  return [nameOfOid(trapOid), ...shown].join(' ').slice(0, maxText).toWellFormed();
}
