// Promises of what a caller sees of live objects: whatever is configured, changed and removed, each read has what a filter
// over all of it gives, and its version tells what happened to that alone.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Scope } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { GrantedRights, type Rights } from '../../access/index.ts';
import { Alarms } from '../../alarms/index.ts';
import { Commands, Measurements } from '../../points/index.ts';
import { LiveData, type LiveKindName, type ReadBytes } from './live-data.ts';

const nothing = async () => {};

function plant() {
  const clock = new ManualClock(1_000_000_000_000);
  const measurements = new Measurements({ clock, store: { saveSimulation: nothing, deleteSimulation: nothing } });
  const commands = new Commands({
    clock,
    store: { saveCommand: nothing, deleteCommand: nothing },
    writeToDevice: nothing,
  });
  const alarms = new Alarms({ clock, store: { saveAlarm: nothing, deleteAlarm: nothing }, measurements });
  measurements.putLink('connector', 'plc', undefined);
  const data = new LiveData({ measurements, commands, alarms });
  return { clock, measurements, commands, alarms, data };
}

const kinds = ['measurements', 'commands', 'alarms'] as const;
const viewing = (...scopes: readonly Scope[]): Rights =>
  new GrantedRights(scopes.map((scope) => ({ ...scope, permissions: ['view'] })));

async function objects(read: ReadBytes): Promise<Record<string, { area?: string }>> {
  const bytes = await read;
  const whole = 'pieces' in bytes ? Buffer.concat(bytes.pieces) : bytes.bytes;
  const parsed = JSON.parse(whole.toString());
  if ('release' in bytes) bytes.release();
  return parsed;
}

const anyName = fc.constantFrom('a', 'ab', 'b', 'ba', 'c', '__proto__', 'constructor');
const anyArea = fc.constantFrom(undefined, '', 'north', 'north.pumps', 'northern', 'south');
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('put' as const), kind: fc.constantFrom(...kinds), name: anyName, area: anyArea }),
  fc.record({ do: fc.constant('remove' as const), kind: fc.constantFrom(...kinds), name: anyName }),
  fc.record({ do: fc.constant('change' as const), name: anyName, value: fc.integer({ min: 0, max: 1e9 }) }),
);
const scopes: readonly (readonly Scope[])[] = [
  [],
  [{ area: 'north' }],
  [{ prefix: 'a' }],
  [{ area: 'south' }, { prefix: 'b' }, { area: 'north.pumps', prefix: 'c' }],
];

describe('what a caller sees', () => {
  test('is what a filter over everything gives, at every moment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), async (steps) => {
        const { clock, measurements, commands, alarms, data } = plant();
        const put = {
          measurements: (name: string, area?: string) =>
            measurements.put({ name, datatype: 'd', connectorName: 'plc', address: 'x', ...(area && { area }) }),
          commands: (name: string, area?: string) => commands.put({ name, datatype: 'd', ...(area && { area }) }),
          alarms: (name: string, area?: string) => alarms.put({ name, severity: 1, ...(area && { area }) }),
        };
        const callers = scopes.map((each) => viewing(...each));
        const read = (kind: LiveKindName, rights?: Rights, names?: readonly string[]) => {
          const reader = { view: rights && data.viewOf(rights) };
          const selection = names === undefined ? {} : { names };
          if (kind === 'measurements') return objects(data.readMeasurements(selection, reader));
          return objects(
            kind === 'commands' ? data.readCommands(selection, reader) : data.readAlarms(selection, reader),
          );
        };
        const versions = new Map<string, string>();
        for (const step of steps) {
          clock.advance(1000);
          if (step.do === 'put') put[step.kind](step.name, step.area);
          else if (step.do === 'remove') data[step.kind].remove(step.name);
          else {
            const batch = new Batch(1);
            batch.number(measurements.find(step.name), step.value, 0xc0, clock.now());
            if (measurements.find(step.name) >= 0) measurements.readings('plc', batch);
          }
          for (const kind of kinds) {
            const all = await read(kind);
            for (const [at, rights] of callers.entries()) {
              const seen = Object.entries(all).filter(([name, { area }]) => rights.on('view', name, area));
              const expected = JSON.stringify(Object.fromEntries(seen.toSorted(byName)));
              const found = await read(kind, rights);
              assert.equal(JSON.stringify(Object.fromEntries(Object.entries(found).toSorted(byName))), expected);
              const named = await read(kind, rights, Object.keys(all));
              assert.deepEqual(Object.keys(named).sort(), Object.keys(found).sort());
              const version = data.versionOf(kind, data.viewOf(rights)) ?? '';
              const before = versions.get(`${at} ${kind} ${version}`) ?? expected;
              assert.equal(before, expected, 'one version, two answers');
              versions.set(`${at} ${kind} ${version}`, expected);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('has the same version, whatever happens to what is not in view', () => {
    const { clock, measurements, data } = plant();
    const point = { datatype: 'd', connectorName: 'plc', address: 'x' } as const;
    for (let at = 0; at < 100; at++) {
      measurements.put({ ...point, name: `m${at}`, area: at % 2 === 0 ? 'north' : 'south' });
    }
    const view = data.viewOf(viewing({ area: 'north' }));
    const version = data.versionOf('measurements', view);
    const batch = new Batch(1);
    batch.number(measurements.find('m1'), 1, 0xc0, clock.now());
    measurements.readings('plc', batch);
    assert.equal(data.versionOf('measurements', view), version, 'a value');
    measurements.put({ ...point, name: 'm3', area: 'south', description: 'x'.repeat(1000) });
    assert.equal(data.versionOf('measurements', view), version, 'another definition');
    measurements.remove('m5');
    measurements.put({ ...point, name: 'more', area: 'south' });
    assert.equal(data.versionOf('measurements', view), version, 'one more, one less');
    measurements.remove('m2');
    assert.notEqual(data.versionOf('measurements', view), version);
  });

  test('is compiled once for all who may view the same', () => {
    const { data } = plant();
    const view = data.viewOf(viewing({ area: 'north' }));
    assert.equal(data.viewOf(viewing({ area: 'north' })), view);
    assert.notEqual(data.viewOf(viewing({ area: 'south' })), view);
    assert.equal(data.viewOf(viewing({})), undefined);
  });
});

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
