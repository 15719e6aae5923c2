// A client of the channel that watches the plant of the traffic test: every update must be right under a configuration that
// may have run when it was made, and none under one that was over when an earlier one was made.
import type {
  AlarmStateChangeNotification,
  CommandUpdateNotification,
  MeasurementUpdateNotification,
  Vtq,
} from '@telltale/schema';
import { ChannelSocket } from './channel-socket.ts';
import { isActive, numberOf, type Observer } from './traffic-observer.ts';
import { alarmText, engineeringUnder, holds, names } from './traffic-plant.ts';
import type { Moment, Version } from './traffic-timeline.ts';

type Notification = MeasurementUpdateNotification | CommandUpdateNotification | AlarmStateChangeNotification;

export class TrafficWatcher {
  readonly channel: ChannelSocket;
  readonly #observer: Observer;
  readonly #name: string;
  /** What was told last. */
  readonly values = new Map<string, Vtq>();
  readonly #alarms = new Map<string, boolean>();
  /** When a request was sent that has been answered: what comes now was made later. */
  #sureMs = performance.now();
  /** By kind of notification: nothing that comes now was made under an earlier version. */
  readonly #floors = new Map<string, number>();
  updates = 0;

  static async open(url: string, name: string, observer: Observer, onFault: (error: Error) => void) {
    let watcher: TrafficWatcher | undefined;
    const channel = await ChannelSocket.open(url, (message) => {
      try {
        watcher?.take(JSON.parse(message.toString()) as Notification);
      } catch (error) {
        onFault(error as Error);
      }
    });
    watcher = new TrafficWatcher(channel, name, observer);
    return watcher;
  }

  private constructor(channel: ChannelSocket, name: string, observer: Observer) {
    this.channel = channel;
    this.#name = name;
    this.#observer = observer;
  }

  /** Changes are gathered for a while; a watch of nothing more has what was gathered told before it is answered. */
  async beat(): Promise<void> {
    const sentMs = performance.now();
    const requests = { WatchMeasurements: 'measurements', WatchCommands: 'commands', WatchAlarms: 'alarms' };
    const asked = Object.entries(requests).map(([request, field]) => this.channel.ask({ request, [field]: [] }));
    for (const { result, error } of await Promise.all(asked)) if (!result) throw new Error(error?.detail);
    this.#sureMs = sentMs;
  }

  take(notification: Notification): void {
    const moment = { fromMs: this.#sureMs, untilMs: performance.now() };
    if (notification.notification === 'MeasurementUpdateNotification') {
      for (const { name, vtq, removed } of notification.updates) {
        if (!names.includes(name)) continue;
        this.#judge('measurement', `${name} = ${JSON.stringify(vtq)}`, moment, (version) => {
          const definition = version.plant.measurements[name];
          if (removed) return definition === undefined ? undefined : `${name} is there`;
          if (definition?.datatype !== vtq[0][0]) return `${name} is of datatype ${definition?.datatype}`;
          return this.#observer.faultOfValue(version, name, numberOf(vtq[0]), vtq[2], moment);
        });
        if (removed) this.values.delete(name);
        else this.values.set(name, vtq);
      }
    } else if (notification.notification === 'CommandUpdateNotification') {
      for (const { name, vt, removed } of notification.updates) {
        this.#judge('command', `${name} = ${vt[0]}`, moment, (version) => {
          const definition = version.plant.commands[name];
          if (removed) return definition === undefined ? undefined : `${name} is there`;
          if (definition?.datatype !== vt[0][0]) return `${name} is of datatype ${definition?.datatype}`;
          return this.#observer.writes.faultOf(version, name, numberOf(vt[0]), moment);
        });
      }
    } else {
      for (const change of notification.changes) this.#alarm(change, moment);
    }
  }

  /** One that is raised, or goes, does so by what a value is under the definition that it then has. */
  #alarm({ name, state, description, removed }: AlarmStateChangeNotification['changes'][number], moment: Moment): void {
    const was = this.#alarms.get(name) ?? false;
    this.#judge('alarm', `${name} (${description}) ${state}`, moment, (version) => {
      const { plant } = version;
      const [alarm, measurement] = [plant.alarms[name], plant.measurements[name]];
      if (removed) return alarm === undefined ? undefined : `${name} is there`;
      if (alarm === undefined || measurement === undefined) return `there is no alarm ${name}`;
      if (alarmText(alarm) !== description) return `${name} is ${alarmText(alarm)}`;
      if (isActive(state) === was) return undefined;
      const values = [engineeringUnder(plant, measurement), ...this.#observer.simulations.during(name, moment)];
      if (values.some((value) => holds(alarm, value) === isActive(state))) return undefined;
      return `${name} is ${alarmText(alarm)} at ${values.join(' or ')}`;
    });
    if (removed) this.#alarms.delete(name);
    else this.#alarms.set(name, isActive(state));
  }

  #judge(kind: string, what: string, moment: Moment, faultUnder: (version: Version) => string | undefined): void {
    this.updates++;
    const { timeline } = this.#observer;
    const floor = this.#floors.get(kind) ?? 0;
    const candidates = timeline.during(moment).filter(({ number }) => number >= floor);
    const [first] = timeline.judge(`${this.#name}: ${kind} ${what}`, moment, faultUnder, candidates);
    this.#floors.set(kind, Math.max(floor, first?.number ?? 0));
  }
}
