// Triggers: which alarms a changed measurement touches, whether their conditions hold, and for how long already. Each
// measurement has a quiet band, the values between which none of its conditions changes: most changes are done with one
// look at it. What becomes of an alarm is the caller's; the number of a trigger is the handle of its alarm.
import { type Alarm, type Clock, isBad, parseMilliseconds, quality } from '@telltale/schema';
import type { Changes, MeasurementReader } from '../points/index.ts';
import { type Condition, holds, quietBand, readCondition } from './trigger-condition.ts';

interface Subject {
  readonly name: string;
  /** Its handle; -1: there is none. */
  measurement: number;
  readonly triggers: Set<Trigger>;
}

interface Trigger {
  readonly handle: number;
  alarm: Alarm;
  readonly subject: Subject;
  readonly onDelayMs: number;
  readonly offDelayMs: number;
  /** Undefined where it has no meaning, or no measurement. */
  condition: Condition | undefined;
  isActive: boolean;
  stopDelay: (() => void) | undefined;
}

/** `isSimulated`: by a simulated value. */
export type FireTrigger = (
  handle: number,
  event: 'activate' | 'deactivate',
  timeUs: number,
  isSimulated: boolean,
) => void;

export class Triggers {
  readonly #measurements: MeasurementReader;
  readonly #clock: Clock;
  readonly #fire: FireTrigger;
  readonly #subjects = new Map<string, Subject>();
  readonly #triggers: (Trigger | undefined)[] = [];
  /** By measurement. */
  readonly #byMeasurement: (Subject | undefined)[] = [];
  /** By measurement, the two ends of its quiet band, which are not in it. */
  #bands = new Float64Array(0);
  /** Whose measurement or triggers have changed while nothing is looked at. */
  #held: Set<Subject> | undefined;

  /** `fire` must bring the alarm to the wanted side, and say so by `setActive`, before it returns. */
  constructor(measurements: MeasurementReader, clock: Clock, fire: FireTrigger) {
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
      if (alarm.trgMeasurement !== undefined) this.#add(handle, alarm, alarm.trgMeasurement, isActive);
    }
    const trigger = this.#triggers[handle];
    if (trigger !== undefined) this.#look(trigger.subject, [trigger]);
  }

  /** Nothing is looked at until `release`. */
  hold(): void {
    this.#held ??= new Set();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const subject of held) if (this.#subjects.get(subject.name) === subject) this.#evaluateAll(subject);
  }

  remove(handle: number): void {
    const trigger = this.#triggers[handle];
    if (trigger === undefined) return;
    this.#stopDelay(trigger);
    this.#triggers[handle] = undefined;
    const { subject } = trigger;
    subject.triggers.delete(trigger);
    if (subject.triggers.size > 0) return;
    this.#subjects.delete(subject.name);
    if (subject.measurement >= 0) this.#byMeasurement[subject.measurement] = undefined;
  }

  /** Who operates an alarm past its trigger ends a delay that led to the other side. */
  setActive(handle: number, isActive: boolean): void {
    const trigger = this.#triggers[handle];
    if (trigger === undefined || trigger.isActive === isActive) return;
    this.#stopDelay(trigger);
    trigger.isActive = isActive;
  }

  /** Resolves by name again; a delay of these measurements' triggers starts again. */
  measurementsChanged(names: Iterable<string>): void {
    if (this.#subjects.size === 0) return;
    const changed: Subject[] = [];
    for (const name of names) {
      const subject = this.#subjects.get(name);
      if (subject !== undefined) changed.push(subject);
    }
    // First all, then all: a handle may have passed from one of them to another.
    for (const { measurement } of changed) if (measurement >= 0) this.#byMeasurement[measurement] = undefined;
    for (const subject of changed) this.#resolve(subject);
    for (const { triggers } of changed) {
      for (const trigger of triggers) {
        this.#stopDelay(trigger);
        trigger.condition = this.#conditionOf(trigger);
      }
    }
    for (const subject of changed) this.#look(subject, subject.triggers);
  }

  evaluate({ handles, doubles, count }: Changes): void {
    const bands = this.#bands;
    for (let at = 0; at < count; at++) {
      const measurement = handles[at] as number;
      const value = doubles[at] as number; // NaN is outside of every band
      if (value > (bands[2 * measurement] as number) && value < (bands[2 * measurement + 1] as number)) continue;
      const subject = this.#byMeasurement[measurement];
      if (subject === undefined) continue;
      if (this.#held === undefined) this.#evaluateAll(subject);
      else this.#held.add(subject);
    }
  }

  stopDelays(): void {
    for (const trigger of this.#triggers) if (trigger !== undefined) this.#stopDelay(trigger);
  }

  #look(subject: Subject, triggers: Iterable<Trigger>): void {
    if (this.#held !== undefined) this.#held.add(subject);
    else for (const trigger of triggers) this.#evaluateOne(trigger);
  }

  #evaluateAll(subject: Subject): void {
    for (const trigger of subject.triggers) this.#evaluateOne(trigger);
    this.#setBand(subject);
  }

  #evaluateOne(trigger: Trigger): void {
    const { condition, subject, isActive } = trigger;
    if (condition === undefined) return;
    const { measurement } = subject;
    const isTrue = holds(condition, this.#measurements, measurement, isActive);
    if (isBad(this.#measurements.qualityOf(measurement)) || isTrue === isActive) this.#stopDelay(trigger);
    else if (trigger.stopDelay === undefined) this.#turn(trigger, isTrue);
  }

  /** The condition says otherwise than the alarm. */
  #turn(trigger: Trigger, isTrue: boolean): void {
    const { handle, onDelayMs, offDelayMs, subject } = trigger;
    const event = isTrue ? 'activate' : 'deactivate';
    const delayMs = isTrue ? onDelayMs : offDelayMs;
    if (delayMs === 0) {
      this.#fire(handle, event, this.#measurements.timeOf(subject.measurement), this.#isSimulated(subject));
      return;
    }
    this.#invalidate(subject);
    trigger.stopDelay = this.#clock.after(delayMs, () => {
      this.#stopDelay(trigger);
      this.#fire(handle, event, this.#clock.now(), this.#isSimulated(subject));
    });
  }

  #isSimulated({ measurement }: Subject): boolean {
    return (this.#measurements.qualityOf(measurement) & quality.simulated) !== 0;
  }

  #stopDelay(trigger: Trigger): void {
    trigger.stopDelay?.();
    trigger.stopDelay = undefined;
    this.#invalidate(trigger.subject);
  }

  #add(handle: number, alarm: Alarm, name: string, isActive: boolean): void {
    let subject = this.#subjects.get(name);
    if (subject === undefined) {
      subject = { name, measurement: -1, triggers: new Set() };
      this.#subjects.set(name, subject);
      this.#resolve(subject);
    }
    const trigger: Trigger = {
      handle,
      alarm,
      subject,
      onDelayMs: delayMsOf(alarm, 'onDelay'),
      offDelayMs: delayMsOf(alarm, 'offDelay'),
      condition: undefined,
      isActive,
      stopDelay: undefined,
    };
    trigger.condition = this.#conditionOf(trigger);
    subject.triggers.add(trigger);
    while (this.#triggers.length <= handle) this.#triggers.push(undefined);
    this.#triggers[handle] = trigger;
    this.#invalidate(subject);
  }

  #resolve(subject: Subject): void {
    const measurement = this.#measurements.find(subject.name);
    subject.measurement = measurement;
    if (measurement < 0) return;
    while (this.#byMeasurement.length <= measurement) this.#byMeasurement.push(undefined);
    this.#byMeasurement[measurement] = subject;
    if (2 * measurement >= this.#bands.length) {
      const bands = new Float64Array(2 * Math.max(64, 2 ** Math.ceil(Math.log2(measurement + 1))));
      bands.set(this.#bands);
      this.#bands = bands;
    }
  }

  /** Without its measurement, or with texts that its datatype cannot read, a trigger rests. */
  #conditionOf({ alarm, subject: { measurement } }: Trigger): Condition | undefined {
    return measurement < 0 ? undefined : readCondition(alarm, this.#measurements.datatypeOf(measurement));
  }

  /** The next change is looked at closely, whatever its value. */
  #invalidate({ measurement }: Subject): void {
    if (measurement >= 0) this.#bands[2 * measurement] = Number.POSITIVE_INFINITY;
  }

  /** The values around the present one at which every condition says what its alarm is already. */
  #setBand({ measurement, triggers }: Subject): void {
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { condition, isActive, stopDelay } of triggers) {
      if (condition === undefined) continue;
      const band =
        stopDelay === undefined ? quietBand(condition, this.#measurements, measurement, isActive) : undefined;
      if (band === undefined) return; // it stays as it is: never quiet
      low = Math.max(low, band[0]);
      high = Math.min(high, band[1]);
    }
    this.#bands[2 * measurement] = low;
    this.#bands[2 * measurement + 1] = high;
  }
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

/** A text that is no time was refused at rendering; here it counts as no delay. */
export function delayMsOf({ properties = {} }: Alarm, name: string): number {
  const text = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return text === undefined ? 0 : (parseMilliseconds(text) ?? 0);
}
