// What alarms should do, in plain maps and lists: the reference that the real ones are held against. It is told what
// the disk answered, and knows nothing of how the real ones find their triggers or when they write.
import { type Alarm, type AlarmOperation, type AlarmState, type Datatype, isBad, type Value } from '@telltale/schema';
import type { StoredAlarm } from '../src/alarms/index.ts';

export interface ModelMeasurement {
  readonly datatype: Datatype;
  readonly value: Value;
  readonly quality: number;
  readonly timeUs: number;
}

interface ModelAlarm {
  alarm: Alarm;
  state: AlarmState;
  timeUs: number;
  authority: string;
  transitions: number;
  /** When the alarm goes to its other side, if nothing happens until then. */
  dueUs: number | undefined;
}

interface Operation {
  readonly operation: AlarmOperation;
  readonly authority: string;
  /** On its way to disk: the state, and what it was computed from. */
  writing?: { state: AlarmState; timeUs: number; from: ModelAlarm; transitions: number };
}

export class AlarmModel {
  nowUs: number;
  readonly alarms = new Map<string, ModelAlarm>();
  readonly measurements = new Map<string, ModelMeasurement>();
  /** What happened, by alarm: its transitions and removals. */
  readonly events = new Map<string, string[]>();
  /** By authority, which is another for each operation. */
  readonly outcomes = new Map<string, string>();
  readonly #operations = new Map<string, Operation[]>();

  constructor(nowUs: number) {
    this.nowUs = nowUs;
  }

  put(alarm: Alarm): void {
    const old = this.alarms.get(alarm.name);
    if (old === undefined) this.#add(alarm, { state: 'INACT_ACK', timeUs: 0, authority: '' });
    else {
      if (triggerOf(old.alarm) !== triggerOf(alarm)) old.dueUs = undefined;
      old.alarm = alarm;
      this.#evaluate(old);
    }
  }

  remove(name: string): void {
    if (this.alarms.delete(name)) this.#report(name, 'removed');
  }

  set(name: string, measurement: ModelMeasurement): void {
    this.measurements.set(name, measurement);
    for (const alarm of this.alarms.values()) if (alarm.alarm.trgMeasurement === name) this.#evaluate(alarm);
  }

  /** All measurements are other ones, and have no value yet. */
  rebuild(measurements: ReadonlyMap<string, ModelMeasurement>): void {
    this.measurements.clear();
    for (const [name, measurement] of measurements) this.measurements.set(name, measurement);
    for (const alarm of this.alarms.values()) alarm.dueUs = undefined;
  }

  advance(ms: number): void {
    this.nowUs += ms * 1000;
    for (const alarm of this.alarms.values()) {
      if (alarm.dueUs !== undefined && alarm.dueUs <= this.nowUs) this.#follow(alarm, alarm.dueUs);
    }
  }

  operate(name: string, operation: AlarmOperation, authority: string): void {
    const queue = this.#operations.get(name) ?? [];
    this.#operations.set(name, queue);
    queue.push({ operation, authority });
    if (queue.length === 1) this.#proceed(name, queue);
  }

  /** The disk took or refused what it was asked about a name; undefined: to forget it. */
  answered(name: string, stored: StoredAlarm | undefined, isTaken: boolean): void {
    const queue = this.#operations.get(name) ?? [];
    const [first] = queue;
    if (first?.writing === undefined || first.authority !== stored?.authority) return;
    if (!isTaken) this.#end(queue, 'storage-failed');
    this.#proceed(name, queue);
  }

  /** What is on disk is all that is left. */
  crash(disk: ReadonlyMap<string, StoredAlarm>): void {
    this.#operations.clear();
    const definitions = [...this.alarms.values()].map(({ alarm }) => alarm);
    this.alarms.clear();
    for (const alarm of definitions) {
      this.#add(alarm, disk.get(alarm.name) ?? { state: 'INACT_ACK', timeUs: 0, authority: '' });
    }
  }

  #add(alarm: Alarm, last: { state: AlarmState; timeUs: number; authority: string }): void {
    const { state, timeUs, authority } = last;
    const added = { alarm, state, timeUs, authority, transitions: 0, dueUs: undefined };
    this.alarms.set(alarm.name, added);
    this.#evaluate(added);
  }

  #evaluate(alarm: ModelAlarm): void {
    const measurement = this.measurements.get(alarm.alarm.trgMeasurement ?? '');
    if (measurement === undefined) return;
    const isOn = alarm.state.startsWith('ACT');
    const holds = isBad(measurement.quality) ? isOn : (conditionHolds(alarm.alarm, measurement, isOn) ?? isOn);
    if (holds === isOn) alarm.dueUs = undefined;
    else if (alarm.dueUs === undefined) {
      const delayMs = Number(alarm.alarm.properties?.[isOn ? 'offDelay' : 'onDelay'] ?? 0);
      if (delayMs === 0) this.#follow(alarm, measurement.timeUs);
      else alarm.dueUs = this.nowUs + delayMs * 1000;
    }
  }

  /** The trigger takes the alarm to its other side. */
  #follow(alarm: ModelAlarm, timeUs: number): void {
    const event = alarm.state.startsWith('ACT') ? 'deactivate' : 'activate';
    const { quality = 0 } = this.measurements.get(alarm.alarm.trgMeasurement ?? '') ?? {};
    this.#transition(alarm, after(alarm, event), timeUs, quality < 0x8000 ? 'trigger' : 'trigger, simulated');
  }

  #transition(alarm: ModelAlarm, state: AlarmState, timeUs: number, authority: string): void {
    if (alarm.state.startsWith('ACT') !== state.startsWith('ACT')) alarm.dueUs = undefined;
    Object.assign(alarm, { state, timeUs, authority, transitions: alarm.transitions + 1 });
    this.#report(alarm.alarm.name, `${state} ${authority} ${timeUs}`);
  }

  /** Of a person's operation: never that of the transition before. */
  #timeOf({ timeUs }: ModelAlarm): number {
    const agoUs = this.nowUs - timeUs;
    return agoUs <= 0 && agoUs > -1000 ? timeUs + 1 : this.nowUs;
  }

  /** Carries operations on until one has to wait for the disk. */
  #proceed(name: string, queue: Operation[]): void {
    for (let [first] = queue; first !== undefined; [first] = queue) {
      const { operation, authority, writing } = first;
      const alarm = this.alarms.get(name);
      if (alarm === undefined) this.#end(queue, 'unknown-object');
      else if (after(alarm, operation) === alarm.state) this.#end(queue, 'done');
      else if (after(alarm, operation) === writing?.state) {
        const wasAlone = writing.from === alarm && writing.transitions === alarm.transitions;
        this.#transition(alarm, writing.state, wasAlone ? writing.timeUs : this.#timeOf(alarm), authority);
        this.#end(queue, 'done');
      } else {
        const { transitions } = alarm;
        first.writing = { state: after(alarm, operation), timeUs: this.#timeOf(alarm), from: alarm, transitions };
        return;
      }
    }
  }

  #end(queue: Operation[], outcome: string): void {
    const ended = queue.shift();
    if (ended !== undefined) this.outcomes.set(ended.authority, outcome);
  }

  #report(name: string, event: string): void {
    const events = this.events.get(name) ?? [];
    this.events.set(name, events);
    events.push(event);
  }
}

function after({ alarm, state }: ModelAlarm, event: AlarmOperation): AlarmState {
  let [isOn, isAcknowledged] = [state.startsWith('ACT'), !state.endsWith('UNACK')];
  if (event === 'acknowledge') isAcknowledged = true;
  if (event === 'activate' && !isOn) [isOn, isAcknowledged] = [true, false];
  if (event === 'deactivate') isOn = false;
  if (event !== 'acknowledge' && alarm.ackMode === 'auto') isAcknowledged = true;
  return `${isOn ? 'ACT' : 'INACT'}_${isAcknowledged ? 'ACK' : 'UNACK'}`;
}

function triggerOf({ trgMeasurement, trgOperator, trgRefValue, trgHysteresis, properties }: Alarm): string {
  const delays = [properties?.onDelay ?? '0', properties?.offDelay ?? '0'];
  return JSON.stringify([trgMeasurement, trgOperator, trgRefValue, trgHysteresis, delays]);
}

const forms: Readonly<Record<string, RegExp>> = { b: /^[01]$/, i: /^\d{1,9}$/, l: /^\d+$/, d: /^\d+(\.\d+)?$/, s: /^/ };

/** Undefined where the texts do not fit the datatype. Numbers are counted in halves, which all of them here are. */
function conditionHolds(alarm: Alarm, { datatype, value }: ModelMeasurement, isOn: boolean): boolean | undefined {
  const { trgOperator = '', trgRefValue = '', trgHysteresis = '0' } = alarm;
  if (datatype === 's') return compared(trgOperator, value < trgRefValue ? -1 : value > trgRefValue ? 1 : 0);
  const form = forms[datatype] ?? /$^/;
  if (!form.test(trgRefValue) || !form.test(trgHysteresis)) return undefined;
  const halves = (text: string) => (datatype === 'd' ? BigInt(Number(text) * 2) : BigInt(text) * 2n);
  const distance =
    halves(String(Number.isInteger(Number(value)) ? BigInt(value as number) : value)) - halves(trgRefValue);
  const by = halves(trgHysteresis);
  const isNear = distance >= -by && distance <= by;
  if (trgOperator === 'eq') return isNear;
  if (trgOperator === 'ne') return !isNear;
  const shift = isOn ? by : 0n;
  return compared(trgOperator, Number(distance + (trgOperator.startsWith('l') ? -shift : shift)));
}

function compared(operator: string, order: number): boolean {
  if (operator === 'eq') return order === 0;
  if (operator === 'ne') return order !== 0;
  if (order === 0) return operator.endsWith('e');
  return operator.startsWith('l') === order < 0;
}
