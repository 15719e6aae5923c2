// Triggers by number in typed arrays: which alarms a changed measurement touches, whether their conditions hold, and
// for how long already. What becomes of an alarm is the caller's; the number of a trigger is the handle of its alarm.
import { type Alarm, type Clock, isBad } from '@telltale/schema';
import type { Changes, MeasurementReader } from '../points/index.ts';
import {
  type AnyCondition,
  type Condition,
  longHolds,
  numberHolds,
  readCondition,
  textHolds,
} from './trigger-condition.ts';

/** A measurement by name, and the first of its triggers; -1: none, or the measurement is not there. */
interface Subject {
  readonly name: string;
  measurement: number;
  first: number;
}

interface Trigger {
  alarm: Alarm;
  readonly subject: Subject;
  readonly onDelayMs: number;
  readonly offDelayMs: number;
  condition: AnyCondition | undefined;
  stopDelay: (() => void) | undefined;
}

/** Behind the codes of the operators, which compare numbers. */
const slow = 6;
const never = 7;

/** Bits of a mode. A trigger that is at rest has one of 0 and 1, which is then also what its condition should say. */
const active = 1;
const delayed = 2;

export class Triggers {
  readonly #measurements: MeasurementReader;
  readonly #clock: Clock;
  readonly #fire: (handle: number, event: 'activate' | 'deactivate', timeUs: number) => void;
  readonly #subjects = new Map<string, Subject>();
  readonly #triggers: (Trigger | undefined)[] = [];
  /** By measurement. */
  #first = new Int32Array(0);
  /** By trigger: the neighbours in the list of its subject, and what the hot path needs. */
  #next = new Int32Array(0);
  #previous = new Int32Array(0);
  #code = new Uint8Array(0);
  #mode = new Uint8Array(0);
  #threshold = new Float64Array(0);
  #tolerance = new Float64Array(0);

  /** `fire` must bring the alarm to the wanted side, and say so by `setActive`, before it returns. */
  constructor(
    measurements: MeasurementReader,
    clock: Clock,
    fire: (handle: number, event: 'activate' | 'deactivate', timeUs: number) => void,
  ) {
    this.#measurements = measurements;
    this.#clock = clock;
    this.#fire = fire;
  }

  /** Takes a new or changed definition, and looks at the present value. A delay goes on where the trigger is the same. */
  put(handle: number, alarm: Alarm, isActive: boolean): void {
    const old = this.#triggers[handle];
    if (old !== undefined && isSameTrigger(old.alarm, alarm)) old.alarm = alarm;
    else {
      this.remove(handle);
      if (alarm.trgMeasurement === undefined) return;
      this.#add(handle, alarm, alarm.trgMeasurement, isActive);
    }
    this.#evaluateOne(handle);
  }

  remove(handle: number): void {
    const trigger = this.#triggers[handle];
    if (trigger === undefined) return;
    this.#stopDelay(handle);
    this.#unlink(handle, trigger.subject);
    this.#triggers[handle] = undefined;
  }

  /** Who operates an alarm past its trigger ends a delay that led to the other side. */
  setActive(handle: number, isActive: boolean): void {
    const trigger = this.#triggers[handle];
    if (trigger === undefined || ((this.#mode[handle] as number) & active) === Number(isActive)) return;
    this.#stopDelay(handle);
    this.#mode[handle] = Number(isActive);
    this.#setThreshold(handle, trigger);
  }

  /** Resolves by name again; a delay of these measurements' triggers starts again. */
  measurementsChanged(names: Iterable<string>): void {
    const changed: Subject[] = [];
    for (const name of names) {
      const subject = this.#subjects.get(name);
      if (subject !== undefined) changed.push(subject);
    }
    // First all, then all: a handle may have passed from one of them to another.
    for (const { measurement } of changed) if (measurement >= 0) this.#first[measurement] = -1;
    for (const subject of changed) {
      subject.measurement = this.#measurements.find(subject.name);
      this.#setFirst(subject, subject.first);
    }
    for (const subject of changed) {
      for (let handle = subject.first; handle >= 0; handle = this.#next[handle] as number) {
        this.#stopDelay(handle);
        this.#compile(handle, this.#triggers[handle] as Trigger);
      }
      for (let handle = subject.first; handle >= 0; handle = this.#next[handle] as number) this.#evaluateOne(handle);
    }
  }

  evaluate({ handles, count }: Changes): void {
    const measurements = this.#measurements;
    const [first, next, code, mode] = [this.#first, this.#next, this.#code, this.#mode];
    const [threshold, tolerance] = [this.#threshold, this.#tolerance];
    for (let at = 0; at < count; at++) {
      const measurement = handles[at] as number;
      if (measurement >= first.length) continue;
      let handle = first[measurement] as number;
      while (handle >= 0) {
        const operator = code[handle] as number;
        if (operator < slow) {
          const holds = numberHolds(
            operator,
            measurements.numberOf(measurement),
            threshold[handle] as number,
            tolerance[handle] as number,
          );
          if (mode[handle] !== (holds ? 1 : 0)) this.#turn(handle, measurement, holds);
        } else {
          this.#evaluateOne(handle);
        }
        handle = next[handle] as number;
      }
    }
  }

  close(): void {
    for (let handle = 0; handle < this.#triggers.length; handle++) {
      if (this.#triggers[handle] !== undefined) this.#stopDelay(handle);
    }
  }

  /** Of any datatype. */
  #evaluateOne(handle: number): void {
    const { condition, subject } = this.#triggers[handle] as Trigger;
    if (condition === undefined) return;
    const { measurement } = subject;
    const wasActive = ((this.#mode[handle] as number) & active) !== 0;
    this.#turn(handle, measurement, this.#holds(condition, measurement, wasActive));
  }

  #holds(condition: AnyCondition, measurement: number, wasActive: boolean): boolean {
    const threshold = wasActive ? condition.whileActive : condition.whileInactive;
    const { code, tolerance } = condition;
    if (typeof threshold === 'number') {
      return numberHolds(code, this.#measurements.numberOf(measurement), threshold, tolerance as number);
    }
    if (typeof threshold === 'bigint') {
      return longHolds(code, this.#measurements.longOf(measurement), threshold, tolerance as bigint);
    }
    return textHolds(code, this.#measurements.textOf(measurement), threshold);
  }

  /** What the condition says has been found; it counts where the quality is not bad. */
  #turn(handle: number, measurement: number, holds: boolean): void {
    const mode = this.#mode[handle] as number;
    if (isBad(this.#measurements.qualityOf(measurement)) || holds === ((mode & active) !== 0)) {
      if ((mode & delayed) !== 0) this.#stopDelay(handle);
      return;
    }
    if ((mode & delayed) !== 0) return;
    const trigger = this.#triggers[handle] as Trigger;
    const event = holds ? 'activate' : 'deactivate';
    const delayMs = holds ? trigger.onDelayMs : trigger.offDelayMs;
    if (delayMs === 0) {
      this.#fire(handle, event, this.#measurements.timeOf(measurement));
      return;
    }
    this.#mode[handle] = mode | delayed;
    trigger.stopDelay = this.#clock.after(delayMs, () => {
      this.#stopDelay(handle);
      this.#fire(handle, event, this.#clock.now());
    });
  }

  #stopDelay(handle: number): void {
    const trigger = this.#triggers[handle] as Trigger;
    trigger.stopDelay?.();
    trigger.stopDelay = undefined;
    this.#mode[handle] = (this.#mode[handle] as number) & active;
  }

  #add(handle: number, alarm: Alarm, name: string, isActive: boolean): void {
    this.#growTo(handle + 1);
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = { name, measurement: this.#measurements.find(name), first: -1 };
      this.#subjects.set(name, subject);
    }
    const trigger: Trigger = {
      alarm,
      subject,
      onDelayMs: delayMsOf(alarm, 'onDelay'),
      offDelayMs: delayMsOf(alarm, 'offDelay'),
      condition: undefined,
      stopDelay: undefined,
    };
    while (this.#triggers.length <= handle) this.#triggers.push(undefined);
    this.#triggers[handle] = trigger;
    this.#mode[handle] = Number(isActive);
    this.#previous[handle] = -1;
    this.#next[handle] = subject.first;
    if (subject.first >= 0) this.#previous[subject.first] = handle;
    this.#setFirst(subject, handle);
    this.#compile(handle, trigger);
  }

  #unlink(handle: number, subject: Subject): void {
    const next = this.#next[handle] as number;
    const previous = this.#previous[handle] as number;
    if (next >= 0) this.#previous[next] = previous;
    if (previous >= 0) this.#next[previous] = next;
    else this.#setFirst(subject, next);
    if (subject.first < 0) this.#subjects.delete(subject.name);
  }

  #setFirst(subject: Subject, handle: number): void {
    subject.first = handle;
    const { measurement } = subject;
    if (measurement < 0) return;
    if (measurement >= this.#first.length) {
      const grown = new Int32Array(Math.max(64, 2 ** Math.ceil(Math.log2(measurement + 1)))).fill(-1);
      grown.set(this.#first);
      this.#first = grown;
    }
    this.#first[measurement] = handle;
  }

  /** Without its measurement, or with texts that its datatype cannot read, a trigger rests. */
  #compile(handle: number, trigger: Trigger): void {
    const { measurement } = trigger.subject;
    trigger.condition =
      measurement < 0 ? undefined : readCondition(trigger.alarm, this.#measurements.datatypeOf(measurement));
    if (trigger.condition === undefined) this.#code[handle] = never;
    else if (isNumeric(trigger.condition)) {
      this.#code[handle] = trigger.condition.code;
      this.#tolerance[handle] = trigger.condition.tolerance;
      this.#setThreshold(handle, trigger);
    } else this.#code[handle] = slow;
  }

  #setThreshold(handle: number, { condition }: Trigger): void {
    if (condition === undefined || !isNumeric(condition)) return;
    const isActive = ((this.#mode[handle] as number) & active) !== 0;
    this.#threshold[handle] = isActive ? condition.whileActive : condition.whileInactive;
  }

  #growTo(count: number): void {
    if (count <= this.#next.length) return;
    const length = Math.max(64, this.#next.length * 2, count);
    const grown = <A extends Int32Array | Uint8Array | Float64Array>(into: A, from: A) => {
      into.set(from);
      return into;
    };
    this.#next = grown(new Int32Array(length), this.#next);
    this.#previous = grown(new Int32Array(length), this.#previous);
    this.#code = grown(new Uint8Array(length), this.#code);
    this.#mode = grown(new Uint8Array(length), this.#mode);
    this.#threshold = grown(new Float64Array(length), this.#threshold);
    this.#tolerance = grown(new Float64Array(length), this.#tolerance);
  }
}

function isNumeric(condition: AnyCondition): condition is Condition<number> {
  return typeof condition.tolerance === 'number';
}

function isSameTrigger(one: Alarm, other: Alarm): boolean {
  return (
    one.trgMeasurement === other.trgMeasurement &&
    one.trgOperator === other.trgOperator &&
    one.trgRefValue === other.trgRefValue &&
    one.trgHysteresis === other.trgHysteresis &&
    delayMsOf(one, 'onDelay') === delayMsOf(other, 'onDelay') &&
    delayMsOf(one, 'offDelay') === delayMsOf(other, 'offDelay')
  );
}

/** A text that is no whole number was refused at rendering; here it counts as no delay. */
function delayMsOf({ properties = {} }: Alarm, name: string): number {
  const text = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : 0;
}
