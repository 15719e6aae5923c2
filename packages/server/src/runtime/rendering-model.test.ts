// A model of renderings: random differences, one after the other, under values and writes. Whatever is seen at one moment
// is of one configuration, the old one or the new one, and whatever a device is sent is meant by one of them.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Alarm, Command, Connector, Datatype, Measurement } from '@telltale/schema';
import fc from 'fast-check';
import { LineDevice } from '../../test/line-device.ts';
import { type Objects, problemText, RuntimeBench } from '../../test/runtime-bench.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.close();
});

const names = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];
const addresses = ['p', 'q', 'r'];

/** Of a measurement, and of the command and the alarm that belong to it. */
interface Definition {
  /** Of its device and its place there. */
  readonly connector: 0 | 1;
  readonly address: string;
  readonly datatype: Datatype;
  /** Engineering for raw. */
  readonly factor: number;
  /** What is more raises the alarm. */
  readonly limit: number;
}

type Plant = Readonly<Record<string, Definition | undefined>>;

const anyDefinition: fc.Arbitrary<Definition> = fc.record({
  connector: fc.constantFrom(0, 1),
  address: fc.constantFrom(...addresses),
  datatype: fc.constantFrom('d', 'l', 'i'),
  factor: fc.constantFrom(1, 10, 1000),
  limit: fc.constantFrom(3, 30, 3000),
});

const anyPlant: fc.Arbitrary<Plant> = fc.record(
  Object.fromEntries(names.map((name) => [name, fc.option(anyDefinition, { nil: undefined, freq: 5 })])),
);

/** What each device has at its addresses: no two the same. */
const rawOf = ({ connector, address }: Definition) => 1 + 3 * connector + addresses.indexOf(address);
const engineeringOf = (definition: Definition) => rawOf(definition) * definition.factor;
const isHigh = (definition: Definition) => engineeringOf(definition) > definition.limit;

/** Engineering values of 0 to 100 for raw ones that are so many times less. */
function scaled({ factor, datatype }: Definition) {
  return {
    datatype,
    rawDatatype: 'd' as const,
    rawRangeLo: '0',
    rawRangeHi: '100',
    euRangeLo: '0',
    euRangeHi: String(100 * factor),
  };
}

function objectsOf(plant: Plant, connectors: readonly Connector[]): Objects {
  const measurements: Measurement[] = [];
  const commands: Command[] = [];
  const alarms: Alarm[] = [];
  for (const [name, definition] of Object.entries(plant)) {
    if (definition === undefined) continue;
    const { connector, address, limit } = definition;
    const point = { connectorName: `c${connector}`, address, ...scaled(definition) };
    measurements.push({ name, ...point });
    commands.push({ name: `${name}_set`, ...point });
    const trigger = { trgMeasurement: name, trgOperator: 'gt', trgRefValue: String(limit) } as const;
    alarms.push({ name: `${name}_high`, severity: 1, ...trigger });
  }
  return { connectors, measurements, commands, alarms };
}

/** What is wrong if the plant is what runs. */
function faultUnder(plant: Plant, bench: RuntimeBench): string | undefined {
  for (const name of names) {
    const definition = plant[name];
    const handle = bench.measurements.find(name);
    if (handle >= 0 !== (definition !== undefined)) return `${name} is ${handle < 0 ? 'not ' : ''}there`;
    if (definition === undefined) continue;
    if (bench.measurements.datatypeOf(handle) !== definition.datatype) return `${name} is of another datatype`;
    if (bench.qualityOf(name) !== 0xc0) continue;
    const value = Number(bench.valueOf(name));
    if (value !== engineeringOf(definition)) return `${name} is ${value}, not ${engineeringOf(definition)}`;
    const { state } = bench.alarms.stateOf(bench.alarms.find(`${name}_high`));
    if (state.startsWith('ACT') !== isHigh(definition)) return `${name}_high is ${state} at ${value}`;
  }
  return undefined;
}

async function setUp() {
  const bench = await RuntimeBench.start();
  running.push(bench);
  const devices: LineDevice[] = [];
  for (const connector of [0, 1] as const) {
    const values = addresses.map((address) => [address, 1 + 3 * connector + addresses.indexOf(address)]);
    devices.push(await LineDevice.start(Object.fromEntries(values), () => undefined));
  }
  running.push(...devices);
  const connectors = devices.map(
    ({ port }, at): Connector => ({ name: `c${at}`, stackName: 'line_device', vars: { port } }),
  );
  return { bench, devices, connectors };
}

test('whatever is seen at one moment, and whatever a device is sent, is of one rendering', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyPlant, { minLength: 2, maxLength: 8 }), async (plants) => {
      const { bench, devices, connectors } = await setUp();
      const told = setInterval(() => {
        for (const device of devices) for (const [address, value] of device.values) device.tell(address, value);
      }, 1);
      try {
        let before: Plant = {};
        for (const after of plants) {
          const meant = new Set<string>();
          for (const plant of [before, after]) {
            for (const definition of Object.values(plant)) {
              if (definition !== undefined)
                meant.add(`${definition.connector} ${definition.address}=${70 / definition.factor}`);
            }
          }
          for (const device of devices) device.writes.clear();
          let isOver = false;
          const rendering = bench.render(objectsOf(after, connectors)).finally(() => {
            isOver = true;
          });
          const writes: Promise<string>[] = [];
          while (!isOver) {
            const faults = [before, after].map((plant) => faultUnder(plant, bench));
            assert.ok(faults.includes(undefined), `of neither: ${faults.join(', and ')}`);
            for (const name of names) {
              const handle = bench.commands.find(`${name}_set`);
              if (handle < 0) continue;
              writes.push(problemText(bench.commands.write(`${name}_set`, `${bench.commands.datatypeOf(handle)}70`)));
            }
            await new Promise((resolve) => setImmediate(resolve));
          }
          await rendering;
          assert.equal(faultUnder(after, bench), undefined);
          await Promise.all(writes);
          for (const [connector, device] of devices.entries()) {
            for (const write of device.writes.keys()) assert.ok(meant.has(`${connector} ${write}`), `sent ${write}`);
          }
          await bench.until(() => {
            assert.equal(faultUnder(after, bench), undefined);
            return names.every((name) => after[name] === undefined || bench.qualityOf(name) === 0xc0);
          });
          before = after;
        }
      } finally {
        clearInterval(told);
        for (const each of running.splice(0).reverse()) await each.close();
      }
    }),
    { numRuns: Number(process.env.RENDERING_RUNS ?? 12) },
  );
});
