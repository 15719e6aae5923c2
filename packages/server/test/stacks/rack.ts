// A stack that tells everything of itself: a rack of two units in memory, each a map of registers. A written register
// reads back; `u1.power` written 0 silences unit 1, `u1.garbage` written 1 lets its registers be read as nonsense.
import { Batch, quality, untilAborted, type Value } from '@telltale/schema';
import {
  type BrowseAnswer,
  type BrowsedPoint,
  type BrowseItem,
  type BrowseRequest,
  type Connector,
  type ConnectorOptions,
  defineStack,
  Fatal,
  type InstanceDetail,
  NotConnected,
  type Provider,
  type ReadingTrace,
  Refused,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  Type,
  type WriteResult,
  written,
} from '@telltale/stack-kit';

const scanPeriodMs = 20;
const unitNames = ['u1', 'u2'];

const syntax = {
  regex: '^u[0-9]\\.[a-z0-9_]{1,32}$',
  doc: 'Unit and register.',
  examples: [{ address: 'u1.level', meaning: 'a register of the first unit' }],
  check: (address: string) => (unitNames.includes(address.slice(0, 2)) ? undefined : 'the rack has units u1 and u2'),
};

const variables = Type.Object({
  mode: Type.Enum(['good', 'unreachable', 'fatal'], { title: 'Mode', type: 'string', default: 'good' }),
});
type Variables = { mode: 'good' | 'unreachable' | 'fatal' };

class Unit {
  readonly registers = new Map<string, Value>();
  sinceUs: number;
  lastError: string | undefined;

  constructor(nowUs: number) {
    this.sinceUs = nowUs;
  }

  get isUp(): boolean {
    return Number(this.registers.get('power') ?? 1) !== 0;
  }
}

class RackConnector implements Connector {
  readonly #options: ConnectorOptions<Variables>;
  readonly #units: Map<string, Unit>;
  readonly #batch = new Batch();
  #measurements: readonly StackPoint[] = [];
  /** By address, what the last scan has read; undefined where the unit was silent. */
  readonly #read = new Map<string, Value | undefined>();
  #scans = 0;
  #lastUs = 0;

  constructor(options: ConnectorOptions<Variables>) {
    this.#options = options;
    this.#units = new Map(unitNames.map((name) => [name, new Unit(options.clock.now())]));
  }

  setPoints({ measurements }: StackPoints): void {
    this.#measurements = measurements;
  }

  async connect(): Promise<void> {
    const { mode } = this.#options.variables;
    if (mode === 'unreachable') throw new NotConnected('nobody is there');
    if (mode === 'fatal') throw new Fatal('the licence has ended');
  }

  async run(signal: AbortSignal): Promise<void> {
    const timer = setInterval(() => this.#scan(), scanPeriodMs);
    await untilAborted(signal);
    clearInterval(timer);
  }

  async write({ address }: StackCommand, value: Value): Promise<WriteResult> {
    const [unit, register] = this.#placeOf(address);
    const wasUp = unit.isUp;
    unit.registers.set(register, value);
    if (unit.isUp !== wasUp) unit.sinceUs = this.#options.clock.now();
    if (!unit.isUp) unit.lastError = `${address.slice(0, 2)} does not answer`;
    return written.accepted;
  }

  async close(): Promise<void> {}

  detail(): InstanceDetail {
    return {
      devices: Array.from(this.#units, ([name, { isUp, sinceUs, lastError }]) => ({ name, isUp, sinceUs, lastError })),
      scanGroups: [
        {
          periodMs: scanPeriodMs,
          points: this.#measurements.length,
          requests: 2,
          scans: this.#scans,
          overruns: 1,
          tookMs: 0.5,
        },
      ],
    };
  }

  explain({ address }: StackPoint): ReadingTrace | undefined {
    if (!this.#read.has(address)) return undefined;
    const [unit, register] = this.#placeOf(address);
    const device = address.slice(0, 2);
    const known = { timeUs: this.#lastUs, request: `read ${register} of ${device}`, device, scanPeriodMs };
    const value = this.#read.get(address);
    if (value === undefined) return { ...known, raw: undefined, value, error: unit.lastError };
    return { ...known, raw: `<${value}>`, value, error: undefined };
  }

  async browse({ path, cursor, limit }: BrowseRequest, signal: AbortSignal): Promise<BrowseAnswer> {
    if (path === 'locked') throw new Refused('the cabinet is locked');
    if (path === 'slow') {
      this.#options.log.info('it takes its time');
      await untilAborted(signal);
      this.#options.log.info('it was given up');
      throw new Refused('given up');
    }
    const items = itemsAt(path);
    if (items === undefined) throw new Refused(`there is no ${path}`);
    const from = Number(cursor ?? 0);
    const more = from + limit < items.length ? String(from + limit) : undefined;
    return { items: items.slice(from, from + limit), cursor: more };
  }

  #placeOf(address: string): [Unit, string] {
    const unit = this.#units.get(address.slice(0, 2));
    if (unit === undefined) throw new Refused('there is no such unit');
    return [unit, address.slice(3)];
  }

  #valueOf(unit: Unit, register: string): Value {
    return Number(unit.registers.get('garbage') ?? 0) === 1 ? Number.NaN : (unit.registers.get(register) ?? 0);
  }

  #scan(): void {
    const { clock, meter, publish } = this.#options;
    this.#lastUs = clock.now();
    this.#scans++;
    for (const { isUp } of this.#units.values()) {
      if (isUp) meter.answered(1.5);
      else meter.failed();
    }
    for (const { id, address } of this.#measurements) {
      const [unit, register] = this.#placeOf(address);
      const value = unit.isUp ? this.#valueOf(unit, register) : undefined;
      this.#read.set(address, value);
      if (value !== undefined) this.#batch.value(id, value, quality.good, this.#lastUs);
      else this.#batch.none(id, quality.bad.communicationFailure, this.#lastUs);
    }
    publish(this.#batch);
  }
}

const point = (name: string, address: string, more: Partial<BrowsedPoint> = {}): BrowsedPoint => ({
  name,
  address,
  datatype: 'd',
  ...more,
});

const item = (title: string, more: Partial<BrowseItem>): BrowseItem => ({
  title,
  path: undefined,
  measurement: undefined,
  command: undefined,
  ...more,
});

/** How many there are behind `many`. */
export const manyItems = 2500;

function itemsAt(path: string | undefined): BrowseItem[] | undefined {
  switch (path) {
    case undefined:
      return [...unitNames, 'many', 'locked'].map((name) => item(`Unit ${name}`, { path: name }));
    case 'u1':
      return [
        item('Füllstand', {
          measurement: point('Füllstand 1', 'u1.level', {
            description: 'The tank',
            eu: 'm',
            properties: { note: 'x' },
          }),
        }),
        item('Setpoint', { measurement: point('names', 'u1.set'), command: point('names', 'u1.set') }),
        item('Broken', { measurement: point('broken', 'u7.level'), command: point('broken', 'u1.broken') }),
      ];
    case 'u2':
      return [item('Level', { measurement: point('Füllstand 1', 'u2.level') })];
    case 'many':
      return Array.from({ length: manyItems }, (_, at) => item(`${at}`, { measurement: point('same', `u2.r${at}`) }));
    default:
      return undefined;
  }
}

class RackProvider implements Provider {
  setPoints(): void {}

  async connect(): Promise<void> {}

  run(signal: AbortSignal): Promise<void> {
    return untilAborted(signal);
  }

  publish(batch: Batch): void {
    batch.clear();
  }

  async close(): Promise<void> {}

  detail(): InstanceDetail {
    return { clients: 3 };
  }
}

export default defineStack({
  name: 'rack',
  title: 'Rack',
  description: 'For tests.',
  connector: {
    variables,
    measurement: syntax,
    command: syntax,
    load: async () => ({ createConnector: (options) => new RackConnector(options) }),
  },
  provider: {
    variables,
    measurement: syntax,
    command: undefined,
    load: async () => ({ createProvider: () => new RackProvider() }),
  },
});
