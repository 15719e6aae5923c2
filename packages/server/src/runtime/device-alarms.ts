// The alarms that devices raise: hands each connector those that it is to follow, takes what they have become, and passes
// on that somebody acknowledges one.
import { type Alarm, ProblemError } from '@telltale/schema';
import type { DeviceAlarm, DeviceAlarmState } from '@telltale/stack-kit';
import type { Alarms } from '../alarms/index.ts';
import type { InstanceName, StackHost } from '../stacks/index.ts';

export interface DeviceAlarmsOptions {
  readonly alarms: Pick<Alarms, 'find' | 'report'>;
  readonly host: Pick<StackHost, 'setAlarms' | 'acknowledge'>;
}

interface Followed {
  readonly connector: string;
  readonly alarm: DeviceAlarm;
  /** All that its stack knows of it. */
  readonly text: string;
}

export class DeviceAlarms {
  readonly #options: DeviceAlarmsOptions;
  readonly #byName = new Map<string, Followed>();
  readonly #byId = new Map<number, Followed>();
  readonly #byConnector = new Map<string, Set<Followed>>();
  /** Connectors whose alarms are others than they were given. */
  readonly #changed = new Set<string>();
  /** Never given again: what is still on its way under an old one is ignored. */
  #lastId = 0;

  constructor(options: DeviceAlarmsOptions) {
    this.#options = options;
  }

  put({ name, connectorName, address, properties = {} }: Alarm): void {
    const text = JSON.stringify([connectorName, address, properties]);
    if (this.#byName.get(name)?.text === text) return;
    this.remove(name);
    if (connectorName === undefined || address === undefined) return;
    const id = ++this.#lastId;
    const followed = { connector: connectorName, alarm: { id, name, address, properties }, text };
    this.#byName.set(name, followed);
    this.#byId.set(id, followed);
    const others = this.#byConnector.get(connectorName) ?? new Set();
    this.#byConnector.set(connectorName, others.add(followed));
    this.#changed.add(connectorName);
  }

  remove(name: string): void {
    const followed = this.#byName.get(name);
    if (followed === undefined) return;
    const { connector, alarm } = followed;
    this.#byName.delete(name);
    this.#byId.delete(alarm.id);
    const others = this.#byConnector.get(connector);
    others?.delete(followed);
    if (others?.size === 0) this.#byConnector.delete(connector);
    this.#changed.add(connector);
  }

  /** After a rendering: to connectors whose alarms are others now, and to those that have been given their points again. */
  done(touched: readonly InstanceName[]): void {
    const again = touched.filter(({ role, name }) => role === 'connector' && this.#byConnector.has(name));
    for (const name of new Set([...this.#changed, ...again.map(({ name }) => name)])) {
      const alarms = Array.from(this.#byConnector.get(name) ?? [], ({ alarm }) => alarm);
      this.#options.host.setAlarms('connector', name, alarms);
    }
    this.#changed.clear();
  }

  /** Where the device does not say who, it is the connector. */
  report(connector: string, states: readonly DeviceAlarmState[]): void {
    const { alarms } = this.#options;
    for (const { id, authority = `connector/${connector}`, ...state } of states) {
      const followed = this.#byId.get(id);
      const handle = followed?.connector === connector ? alarms.find(followed.alarm.name) : -1;
      if (handle >= 0) alarms.report(handle, { ...state, authority });
    }
  }

  async acknowledge(name: string, authority: string): Promise<void> {
    const followed = this.#byName.get(name);
    if (followed === undefined) throw new ProblemError('unknown-object', 'The alarm is no longer configured so.');
    await this.#options.host.acknowledge(followed.connector, followed.alarm.id, authority);
  }
}
