// Holds what clients of the traffic test have seen against the configurations that may have run: of each object, and of
// all that was seen at one moment together.
import type { LiveAlarm, LiveCommand, LiveMeasurement } from '@telltale/schema';
import {
  alarmText,
  commandAddress,
  engineeringUnder,
  holds,
  measurementAddress,
  names,
  type PointDefinition,
  rangesOf,
} from './traffic-plant.ts';
import { SimulationLedger } from './traffic-simulations.ts';
import { type Moment, Timeline, type Version } from './traffic-timeline.ts';
import { WriteLedger } from './traffic-writes.ts';

/** What was read at one moment; what is not asked for is undefined. */
export interface Seen {
  readonly measurements?: Readonly<Record<string, LiveMeasurement>>;
  readonly commands?: Readonly<Record<string, LiveCommand>>;
  readonly alarms?: Readonly<Record<string, LiveAlarm>>;
}

export const numberOf = (prefixed: string) => Number(prefixed.slice(1));
export const isBad = (quality: number) => (quality & 0xc0) === 0;
export const isSimulated = (quality: number) => (quality & 0x8000) !== 0;
export const isActive = (state: string) => state.startsWith('ACT');

export class Observer {
  readonly timeline = new Timeline();
  readonly simulations = new SimulationLedger();
  readonly writes = new WriteLedger(this.timeline);

  /** Throws unless all of it is right under one configuration. */
  see(what: string, moment: Moment, seen: Seen, only: readonly string[] = names): void {
    this.timeline.judge(what, moment, (version) => {
      for (const name of only) {
        const fault = this.#faultOf(version, name, seen, moment);
        if (fault !== undefined) return fault;
      }
      return undefined;
    });
  }

  /** Why a measurement that is there cannot have this value. */
  faultOfValue(version: Version, name: string, value: number, quality: number, moment: Moment): string | undefined {
    const { plant } = version;
    const definition = plant.measurements[name];
    if (definition === undefined) return `there is no ${name}`;
    // Some providers do not tell that a value is simulated.
    if (isSimulated(quality) || value < 0) return this.simulations.faultOf(version, name, value, moment);
    if (isBad(quality)) return this.simulations.faultOfNone(version, name, moment);
    const wanted = engineeringUnder(plant, definition);
    if (value !== wanted) return `${name} is ${value} (${quality}), not ${wanted}`;
    return this.simulations.faultOfNone(version, name, moment);
  }

  #faultOf(version: Version, name: string, seen: Seen, moment: Moment): string | undefined {
    const { plant } = version;
    if (seen.measurements !== undefined) {
      const live = seen.measurements[name];
      const fault =
        faultOfDefinition('measurement', name, plant.measurements[name], live, live?.vtq[0]) ??
        (live && this.faultOfValue(version, name, numberOf(live.vtq[0]), live.vtq[2], moment));
      if (fault !== undefined) return fault;
    }
    if (seen.commands !== undefined) {
      const live = seen.commands[name];
      const fault =
        faultOfDefinition('command', name, plant.commands[name], live, live?.vt[0]) ??
        (live && this.writes.faultOf(version, name, numberOf(live.vt[0]), moment));
      if (fault !== undefined) return fault;
    }
    return seen.alarms && this.#faultOfAlarm(version, name, seen.alarms[name], seen.measurements?.[name]);
  }

  /** At one moment with its measurement, it is what the value makes it. */
  #faultOfAlarm(version: Version, name: string, live: LiveAlarm | undefined, measurement: LiveMeasurement | undefined) {
    const definition = version.plant.alarms[name];
    if ((definition === undefined) !== (live === undefined)) return `alarm ${name} is ${live ? '' : 'not '}there`;
    if (definition === undefined || live === undefined) return undefined;
    if (live.description !== alarmText(definition))
      return `alarm ${name} is ${live.description}, not ${alarmText(definition)}`;
    if (measurement === undefined || isBad(measurement.vtq[2])) return undefined;
    const value = numberOf(measurement.vtq[0]);
    if (isActive(live.state) === holds(definition, value)) return undefined;
    return `alarm ${name} (${live.description}) is ${live.state} at ${value}`;
  }
}

function faultOfDefinition(
  kind: 'measurement' | 'command',
  name: string,
  definition: PointDefinition | undefined,
  live: LiveMeasurement | LiveCommand | undefined,
  value: string | undefined,
): string | undefined {
  if ((definition === undefined) !== (live === undefined)) return `${kind} ${name} is ${live ? '' : 'not '}there`;
  if (definition === undefined || live === undefined || value === undefined) return undefined;
  const address = kind === 'measurement' ? measurementAddress(definition) : commandAddress(definition);
  if (live.address !== address) return `${kind} ${name} is at ${live.address}, not ${address}`;
  const { datatype } = definition;
  if (live.datatype !== datatype || value[0] !== datatype)
    return `${kind} ${name} is ${value} (${live.datatype}), not of ${datatype}`;
  const ranges = [live['raw-range'][1], live['eu-range'][1]].map((end) => numberOf(end ?? ''));
  const wanted = rangesOf(definition, kind);
  if (ranges.join() !== wanted.join()) return `${kind} ${name} has the ranges ${ranges}, not ${wanted}`;
  return undefined;
}
