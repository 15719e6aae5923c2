// The operations of version 1 on what is live, as both HTTP and the channel offer them.
import {
  type AlarmField,
  type AlarmOperation,
  type CommandField,
  type MeasurementField,
  ProblemError,
  type Simulation,
} from '@telltale/schema';
import type { Alarms } from '../../alarms/index.ts';
import type { Commands, Lease, Measurements, SimulationRequest, WireSlots } from '../../points/index.ts';

export interface Selection<Field extends string> {
  readonly names?: readonly string[] | undefined;
  readonly fields?: readonly Field[] | undefined;
}

interface Points {
  readonly wire: WireSlots;
  find(name: string): number;
  all(): Iterable<number>;
}

export class DataAccess {
  readonly measurements: Measurements;
  readonly commands: Commands;
  readonly alarms: Alarms;

  constructor(parts: { measurements: Measurements; commands: Commands; alarms: Alarms }) {
    this.measurements = parts.measurements;
    this.commands = parts.commands;
    this.alarms = parts.alarms;
  }

  /** Each read of many lends the bytes of JSON, until they are sent; nobody writes to them. */
  readMeasurements(selection: Selection<MeasurementField>): Lease {
    return readPoints(this.measurements, selection);
  }

  readCommands(selection: Selection<CommandField>): Lease {
    return readPoints(this.commands, selection);
  }

  readAlarms({ names, fields }: Selection<AlarmField>): Lease {
    return given(Buffer.concat(this.alarms.collection({ ...(names && { names }), ...(fields && { fields }) })));
  }

  readMeasurement(name: string): Buffer {
    return this.measurements.wire.object(known(this.measurements.find(name), 'measurement', name));
  }

  readCommand(name: string): Buffer {
    return this.commands.wire.object(known(this.commands.find(name), 'command', name));
  }

  readAlarm(name: string): string {
    return this.alarms.text(known(this.alarms.find(name), 'alarm', name));
  }

  /** As arrays; a kind that is not asked for is undefined. */
  readDatabase(select: {
    measurements?: 'all' | readonly string[];
    commands?: 'all' | readonly string[];
    alarms?: 'all' | readonly string[];
  }): { measurements?: Buffer; commands?: Buffer; alarms?: Buffer } {
    const { measurements, commands, alarms } = select;
    return {
      ...(measurements && { measurements: this.measurements.wire.array(chosen(this.measurements, measurements)) }),
      ...(commands && { commands: this.commands.wire.array(chosen(this.commands, commands)) }),
      ...(alarms && { alarms: this.#alarmArray(alarms) }),
    };
  }

  simulate(name: string, request: SimulationRequest): Promise<void> {
    return this.measurements.simulate(name, request);
  }

  stopSimulation(name: string): Promise<void> {
    return this.measurements.stopSimulation(name);
  }

  /** Made as text, so that every name is an ordinary one. */
  readSimulations(): string {
    const members = this.measurements
      .simulations()
      .map((each: Simulation) => `${JSON.stringify(each.name)}:${JSON.stringify(each)}`);
    return `{${members.join(',')}}`;
  }

  writeCommand(name: string, value: string): Promise<void> {
    return this.commands.write(name, value);
  }

  operateAlarm(name: string, operation: AlarmOperation, authority: string): Promise<void> {
    return this.alarms.operate(name, operation, authority);
  }

  #alarmArray(names: 'all' | readonly string[]): Buffer {
    const wanted = names === 'all' ? this.alarms.names() : new Set(names);
    const texts: string[] = [];
    for (const name of wanted) {
      const handle = this.alarms.find(name);
      if (handle >= 0) texts.push(this.alarms.text(handle));
    }
    return Buffer.from(`[${texts.join(',')}]`);
  }
}

function readPoints(points: Points, { names, fields }: Selection<string>): Lease {
  if (names === undefined && fields === undefined) return points.wire.collection();
  return given(points.wire.selection(chosen(points, names ?? 'all'), fields));
}

/** Bytes that nobody wants back. */
function given(bytes: Buffer): Lease {
  return { bytes, release: () => undefined };
}

/** The handles of the names that exist, each once. */
function chosen(points: Points, names: 'all' | readonly string[]): number[] {
  if (names === 'all') return [...points.all()];
  const handles = new Set(names.map((name) => points.find(name)));
  handles.delete(-1);
  return [...handles];
}

function known(handle: number, kind: string, name: string): number {
  if (handle >= 0) return handle;
  throw new ProblemError('unknown-object', `There is no ${kind} ${JSON.stringify(name.slice(0, 80))}.`);
}
