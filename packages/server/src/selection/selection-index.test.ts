// Promises of selections: an index gives what a plain filter over all objects gives, whatever was rendered, read and
// simulated before; and it looks at few objects where few are selected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batch, type Measurement, ProblemError, quality, type Selector } from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { Measurements } from '../points/index.ts';
import { selectablePoints } from './selectable.ts';
import { SelectionIndex } from './selection-index.ts';

const nothing = async () => {};
const store = { saveSimulation: nothing, deleteSimulation: nothing };

function newMeasurements() {
  const clock = new ManualClock();
  const measurements = new Measurements({ clock, store });
  for (const connector of ['plc', 'rtu']) {
    measurements.putLink('connector', connector, undefined);
    measurements.setLink('connector', connector, true, clock.now());
  }
  return { clock, measurements };
}

function run<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Written without the code under test. */
function isSelected(point: Measurement, status: number, selector: Selector): boolean {
  const { names, area, connector, datatype, quality: words, search } = selector;
  const text = `${point.name}\n${point.description ?? ''}`.toLowerCase();
  const status2 = { 192: 'good', 64: 'uncertain' }[status & 0xc0] ?? 'bad';
  return (
    (names?.some((each) => new RegExp(`^${each.replaceAll('*', '.*')}$`).test(point.name)) ?? true) &&
    (area?.some((path) => `${point.area}.`.startsWith(`${path}.`)) ?? true) &&
    (connector?.includes(point.connectorName ?? '') ?? true) &&
    (datatype?.includes(point.datatype) ?? true) &&
    (words?.some((word) => word === status2 || (word === 'simulated' && status >= 0x8000)) ?? true) &&
    (search
      ?.toLowerCase()
      .split(' ')
      .every((word) => text.includes(word)) ??
      true)
  );
}

const part = fc.constantFrom('pump', 'tank', '1', '2', '12', '_', 'speed', 'x');
/** Few, so that most steps are about one that is there. */
const name = fc.constantFrom('pump1_speed', 'pump2_speed', 'pump12', 'tank1_x', 'tank_2', 'x');
const pattern = fc
  .array(fc.oneof(part, fc.constant('*')), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''));
const description = fc.constantFrom(undefined, 'Speed of the pump', 'level, Überlauf', 'x', 'the tank');
const anyQuality = fc.constantFrom(
  quality.good,
  quality.uncertain.subnormal,
  quality.bad.deviceFailure,
  0x80,
  quality.good | quality.limit.high,
);
const point = fc.record({
  name,
  datatype: fc.constantFrom('d', 'd', 'd', 'b', 's'),
  connectorName: fc.constantFrom('plc', 'plc', 'rtu', undefined),
  description,
  area: fc.constantFrom(undefined, '', 'works', 'works.dosing', 'works.dosing.line2', 'works2', 'office'),
});
const selector = fc.record(
  {
    area: fc.array(fc.constantFrom('works', 'works.dosing', 'works.dos', 'office', 'line2'), { maxLength: 2 }),
    names: fc.array(fc.oneof(name, pattern), { maxLength: 3 }),
    connector: fc.array(fc.constantFrom('plc', 'rtu', 'nobody'), { maxLength: 2 }),
    datatype: fc.array(fc.constantFrom('d', 'b', 'l'), { maxLength: 2 }),
    quality: fc.array(fc.constantFrom('good', 'uncertain', 'bad', 'simulated'), { maxLength: 2 }),
    search: fc.constantFrom('pump', 'SPEED pump', 'ÜBER', 'x', 'tank 1', 'nowhere'),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: point }) },
  fc.record({ remove: name }),
  { weight: 4, arbitrary: fc.record({ read: name, quality: anyQuality }) },
  fc.record({ simulate: name, quality: anyQuality }),
  fc.record({ stop: name }),
  fc.record({ link: fc.constantFrom('plc', 'rtu'), isUp: fc.boolean() }),
  { weight: 4, arbitrary: fc.record({ select: selector }) },
);

describe('a selection of measurements', () => {
  test('is what a filter over all of them gives, under random renderings, readings and simulations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.array(selector, { minLength: 3 }), async (steps, last) => {
        const { clock, measurements } = newMeasurements();
        const index = new SelectionIndex(selectablePoints(measurements));
        const check = (wanted: Selector) => {
          const expected = [...measurements.all()].filter((handle) =>
            isSelected(measurements.definitionOf(handle), measurements.qualityOf(handle), wanted),
          );
          assert.deepEqual([...run(index.select(wanted))], expected, JSON.stringify(wanted));
        };
        for (const each of steps) {
          if ('put' in each) {
            const { connectorName, description: text, area, ...rest } = each.put as Measurement;
            const connected = connectorName === undefined ? {} : { connectorName, address: 'a' };
            const placed = area === undefined ? {} : { area };
            measurements.put({ ...rest, ...connected, ...placed, ...(text !== undefined && { description: text }) });
          } else if ('remove' in each) measurements.remove(each.remove);
          else if ('read' in each) {
            const handle = measurements.find(each.read);
            const batch = new Batch(1);
            if (handle >= 0) batch.number(handle, 1, each.quality, clock.now());
            for (const connector of ['plc', 'rtu']) measurements.readings(connector, batch);
          } else if ('simulate' in each) {
            const handle = measurements.find(each.simulate);
            const value =
              handle < 0 ? 's' : measurements.datatypeOf(handle) === 's' ? 's' : `${measurements.datatypeOf(handle)}1`;
            const simulated = measurements.simulate(each.simulate, {
              value,
              quality: each.quality,
              by: 'test',
            } as never);
            await simulated.catch((error) => assert.ok(error instanceof ProblemError));
          } else if ('stop' in each) await measurements.stopSimulation(each.stop).catch(() => undefined);
          else if ('link' in each) measurements.setLink('connector', each.link, each.isUp, clock.now());
          else check(each.select as Selector);
          clock.advance(20_000);
        }
        for (const wanted of last) check(wanted as Selector);
        check({});
        measurements.close();
      }),
      { numRuns: 300 },
    );
  });
});
