// The alarms of served measurements as traps: each transition is one, and at the start each alarm that is active.
import { formatTimestamp } from '@telltale/schema';
import type { StackAlarm, StackAlarmState } from '@telltale/stack-kit';
import { integerContent, oidContent, tag } from './ber.ts';
import type { Varbind } from './pdu.ts';
import { snmpTrapOid, sysUpTime } from './version-1.ts';

export interface AlarmTrapsOptions {
  readonly baseOid: string;
  /** In hundredths of a second, since the start. */
  readonly upTime: () => number;
  /** What a trap shows of the measurement: its value and its quality, as far as they are there. */
  readonly measurement: (id: number) => readonly Varbind[];
  readonly send: (varbinds: readonly Varbind[]) => void;
}

const coldStart = '1.3.6.1.6.3.1.1.5.1';

/** Below base`.0`: the name of each trap. */
const traps = { active: 1, inactive: 2, acknowledged: 3 } as const;
/** Below base`.5`: what traps say of an alarm. */
const fields = { name: 1, description: 2, severity: 3, state: 4, authority: 5, time: 6 } as const;

/** So that a trap goes into one datagram. */
const maxText = 1000;
const maxInteger = 2 ** 31 - 1;

export class AlarmTraps {
  readonly #options: AlarmTrapsOptions;
  #alarms = new Map<number, StackAlarm>();
  /** By the name of the alarm. */
  #states = new Map<string, StackAlarmState>();
  #hasBegun = false;

  constructor(options: AlarmTrapsOptions) {
    this.#options = options;
  }

  /** Those who receive traps know nothing from before. */
  begin(): void {
    this.#hasBegun = true;
    this.#send(coldStart, []);
    for (const alarm of this.#alarms.values()) {
      const state = this.#states.get(alarm.name);
      if (state !== undefined) this.#tell(alarm, state, undefined);
    }
  }

  end(): void {
    this.#hasBegun = false;
  }

  setAlarms(alarms: readonly StackAlarm[]): void {
    this.#alarms = new Map(alarms.map((alarm) => [alarm.id, alarm]));
    const names = new Set(alarms.map(({ name }) => name));
    this.#states = new Map([...this.#states].filter(([name]) => names.has(name)));
  }

  publishAlarms(states: readonly StackAlarmState[]): void {
    for (const state of states) {
      const alarm = this.#alarms.get(state.id);
      if (alarm === undefined) continue;
      const before = this.#states.get(alarm.name);
      this.#states.set(alarm.name, state);
      if (this.#hasBegun) this.#tell(alarm, state, before);
    }
  }

  #tell(alarm: StackAlarm, state: StackAlarmState, before: StackAlarmState | undefined): void {
    const trap = trapOf(state, before);
    if (trap !== undefined) this.#send(`${this.#options.baseOid}.0.${traps[trap]}`, this.#describe(alarm, state));
  }

  #describe(alarm: StackAlarm, state: StackAlarmState): Varbind[] {
    const { isActive, isAcknowledged, authority, timeUs, message = '' } = state;
    const oid = (field: keyof typeof fields) => `${this.#options.baseOid}.5.${fields[field]}.0`;
    const text = (field: keyof typeof fields, given: string): Varbind => {
      return { oid: oid(field), tag: tag.octets, content: Buffer.from(given.slice(0, maxText).toWellFormed(), 'utf8') };
    };
    return [
      text('name', alarm.name),
      text('description', alarm.description || message),
      { oid: oid('severity'), tag: tag.integer, content: integerContent(Math.min(alarm.severity, maxInteger)) },
      text('state', `${isActive ? 'ACT' : 'INACT'}_${isAcknowledged ? 'ACK' : 'UNACK'}`),
      text('authority', authority),
      text('time', formatTimestamp(timeUs)),
      ...this.#options.measurement(alarm.measurement),
    ];
  }

  #send(trap: string, varbinds: readonly Varbind[]): void {
    this.#options.send([
      { oid: sysUpTime, tag: tag.timeTicks, content: integerContent(this.#options.upTime()) },
      { oid: snmpTrapOid, tag: tag.oid, content: oidContent(trap) },
      ...varbinds,
    ]);
  }
}

/** Which trap tells of the change; undefined where there is none to tell of. */
function trapOf(state: StackAlarmState, before: StackAlarmState | undefined): keyof typeof traps | undefined {
  if (before === undefined) return state.isActive ? 'active' : undefined;
  if (state.isActive !== before.isActive) return state.isActive ? 'active' : 'inactive';
  return state.isAcknowledged && !before.isAcknowledged ? 'acknowledged' : undefined;
}
