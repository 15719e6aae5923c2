// What archive/SPEC.md says of changes, periods and leaders of measurements, in plain words and without a care for speed.
import { type Datatype, isGood, type Measurement, type StoredValue } from '@telltale/schema';
import type { Handed } from './archiving-bench.ts';

export interface Published {
  readonly datatype: Datatype;
  readonly value: StoredValue;
  readonly timeUs: number;
  readonly quality: number;
}

interface Modelled {
  rule: Measurement;
  last: { value: StoredValue; timeUs: number; quality: number; isForced: boolean } | undefined;
  deviceUs: number;
  recordedMs: number;
}

const isForced = (quality: number) => (quality & 0x8000) !== 0 || (quality & 0xff) === 0x18;

/** The low byte; of a simulated value with its mark, and good as local override. */
const stored = (quality: number) => {
  if (quality < 0x8000) return quality & 0xff;
  return (isGood(quality) ? 0xd8 : quality & 0xff) | 0x400;
};

export class ArchivingModel {
  readonly points = new Map<string, Modelled>();
  records: Handed[] = [];
  held = { valueDeadband: 0, timeDeadband: 0 };
  readonly #published: (name: string) => Published;
  nowUs: number;
  nowMs = 0;

  constructor(nowUs: number, published: (name: string) => Published) {
    this.nowUs = nowUs;
    this.#published = published;
  }

  put(rule: Measurement): void {
    const { name, archMode, archPeriod = 0, leader, datatype } = rule;
    const before = this.points.get(name);
    this.points.delete(name);
    if (archMode === 'none') return;
    if (archMode !== 'change' && archPeriod === 0 && leader === undefined) return;
    const isSame = before?.rule.datatype === datatype;
    const point = isSame ? before : { rule, last: undefined, deviceUs: 0, recordedMs: this.nowMs };
    point.rule = rule;
    this.points.set(name, point);
    const { timeUs, quality } = this.#published(name);
    if (archMode !== 'change' || point.last !== undefined || this.#isEmpty(name)) return;
    if (!isForced(quality)) point.deviceUs = timeUs;
    this.#record(name, timeUs, 0x100);
  }

  change(name: string): void {
    const point = this.points.get(name);
    const { value, timeUs, quality, datatype } = this.#published(name);
    if (point?.rule.archMode !== 'change' || point.rule.datatype !== datatype || this.#isEmpty(name)) return;
    const { last, deviceUs } = point;
    if (!isForced(quality)) point.deviceUs = timeUs;
    if (last !== undefined && last.quality === stored(quality)) {
      if (last.timeUs === timeUs && Object.is(last.value, value)) return;
      if (this.#isNear(point, value)) {
        this.held.valueDeadband++;
        return;
      }
      const elapsedUs = timeUs - last.timeUs;
      if (elapsedUs >= 0 && elapsedUs < 1000 * (point.rule.archTimeDeadband ?? 0)) {
        this.held.timeDeadband++;
        return;
      }
    }
    const isBack = last?.isForced && !isForced(quality) && timeUs === deviceUs && timeUs < last.timeUs;
    this.#recordAndLead(name, isBack ? this.nowUs : timeUs);
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.points]
        .map(([name, { rule, recordedMs }]) => ({ name, dueMs: recordedMs + (rule.archPeriod || Number.NaN) }))
        .filter(({ dueMs }) => dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      this.#moveTo(Math.max(this.nowMs, next.dueMs));
      (this.points.get(next.name) as Modelled).recordedMs = this.nowMs;
      if (!this.#isEmpty(next.name) && !this.#isRepeated(next.name, this.nowUs)) {
        this.#recordAndLead(next.name, this.nowUs);
      }
    }
    this.#moveTo(endMs);
  }

  #moveTo(ms: number): void {
    this.nowUs += (ms - this.nowMs) * 1000;
    this.nowMs = ms;
  }

  #isEmpty(name: string): boolean {
    const { timeUs, quality } = this.#published(name);
    return timeUs === 0 && (quality & 0xff) === 0x08;
  }

  #isNear({ rule, last }: Modelled, value: StoredValue): boolean {
    const { archValueDeadband } = rule;
    if (archValueDeadband === undefined || last === undefined) return false;
    if (typeof value === 'number') return Math.abs(value - Number(last.value)) < Number(archValueDeadband);
    if (typeof value === 'string') return false;
    const move = value - (last.value as bigint);
    return (move < 0n ? -move : move) < BigInt(archValueDeadband);
  }

  #isRepeated(name: string, timeUs: number): boolean {
    const last = this.points.get(name)?.last;
    const { value, quality } = this.#published(name);
    return last?.timeUs === timeUs && last.quality === stored(quality) && Object.is(last.value, value);
  }

  #record(name: string, timeUs: number, bits: number): void {
    const point = this.points.get(name) as Modelled;
    const { datatype, value, quality } = this.#published(name);
    point.last = { value, timeUs, quality: stored(quality), isForced: isForced(quality) };
    point.recordedMs = this.nowMs;
    this.records.push([name, `${datatype}${value}`, timeUs, stored(quality) | bits]);
  }

  #recordAndLead(name: string, timeUs: number, led = new Set<string>()): void {
    this.#record(name, timeUs, 0);
    led.add(name);
    for (const [follower, { rule }] of this.points) {
      if (rule.leader !== name || led.has(follower)) continue;
      if (rule.datatype !== this.#published(follower).datatype) continue;
      if (this.#isEmpty(follower) || this.#isRepeated(follower, timeUs)) continue;
      this.#recordAndLead(follower, timeUs, led);
    }
  }
}
