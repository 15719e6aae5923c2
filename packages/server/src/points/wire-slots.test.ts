import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Command,
  checker,
  commandFields,
  type Datatype,
  datatypes,
  LiveCommand,
  LiveMeasurement,
  type Measurement,
  parseText,
  type Value,
} from '@telltale/schema';
import { ManualClock } from '@telltale/schema/testing';
import fc from 'fast-check';
import { anyName, sameJson } from '../../test/any-object.ts';
import { gathered } from '../../test/gathered.ts';
import { PlainDisk } from '../../test/plain-disk.ts';
import { PointsBench } from '../../test/points-bench.ts';
import { Commands } from './commands.ts';
import { WireSlots } from './wire-slots.ts';

const fitsMeasurement = checker(LiveMeasurement);
const fitsCommand = checker(LiveCommand);

const parsed = (bytes: Buffer) => JSON.parse(bytes.toString()) as Record<string, Record<string, unknown>>;

/** As the document has it, made the plain way. */
function plain(bench: PointsBench, name: string): Record<string, unknown> {
  const { datatype, rawDatatype = datatype, ...point } = bench.points.get(name) as Measurement;
  const [value, timeUs, quality] = bench.vtq(name);
  const end = (type: Datatype, text: string | undefined) =>
    text === undefined ? null : `${type}${Number(parseText(type, text))}`;
  return {
    name,
    vtq: [value, [Math.floor(timeUs / 1e6), timeUs % 1e6], quality],
    address: point.address ?? '',
    datatype,
    'raw-datatype': rawDatatype,
    'eu-range': [end(datatype, point.euRangeLo), end(datatype, point.euRangeHi)],
    'raw-range': [end(rawDatatype, point.rawRangeLo), end(rawDatatype, point.rawRangeHi)],
    ...(point.description !== undefined && { description: point.description }),
    ...(point.eu !== undefined && { eu: point.eu }),
  };
}

const anyText = fc.oneof(
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n\u0000\u001f',
    'ä€\ud83d\ude00',
    '}',
    ',"vtq":',
    'x'.repeat(65536),
    '\u0001'.repeat(65536),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const values: Record<Datatype, fc.Arbitrary<Value>> = {
  b: fc.boolean(),
  q: fc.nat(3),
  i: fc.integer(),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f: fc.float({ noNaN: true, noDefaultInfinity: true }),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }),
  s: anyText,
};

const anyPoint = fc.constantFrom(...datatypes).chain((datatype) =>
  fc.record(
    {
      name: anyName,
      datatype: fc.constant(datatype),
      connectorName: fc.constant('c'),
      address: fc.oneof(
        anyText.filter((text) => text.length < 1000),
        fc.constant('a'),
      ),
      description: anyText.filter((text) => text.length < 1000),
      eu: anyText.filter((text) => text.length < 1000),
      ...('ild'.includes(datatype) && { euRangeLo: fc.constantFrom('+7', '007', '-5'), euRangeHi: fc.constant('99') }),
    },
    { requiredKeys: ['name', 'datatype', 'connectorName', 'address'] },
  ),
) as fc.Arbitrary<Measurement>;

type Step = { put: Measurement } | { remove: number } | { read: number; value: Value; timeUs: number } | 'look';

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: anyPoint.map((put) => ({ put })) },
  { weight: 1, arbitrary: fc.nat(20).map((remove) => ({ remove })) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(...datatypes)
      .chain((type) => fc.record({ read: fc.nat(20), value: values[type], timeUs: fc.maxSafeNat() })),
  },
  { weight: 2, arbitrary: fc.constant('look' as const) },
);

describe('the wire bytes', () => {
  test('WI-1, WI-2, WI-3: after any history are the live objects, whole, chosen and by fields', () => {
    const known = ['name', 'vtq', 'address', 'datatype', 'raw-datatype', 'eu-range', 'raw-range', 'description', 'eu'];
    const anyFields = fc.uniqueArray(fc.constantFrom(...known));
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), anyFields, (steps, fields) => {
        const bench = new PointsBench();
        bench.measurements.putLink('connector', 'c', undefined);
        for (const step of steps) {
          const names = [...bench.points.keys()];
          if (step === 'look') compare(bench, fields);
          else if ('put' in step) bench.put(step.put);
          else if ('remove' in step) bench.remove(names[step.remove % names.length] ?? '');
          else bench.read('c', { point: names[step.read % names.length] ?? 0, ...step });
        }
        compare(bench, fields);
      }),
      { numRuns: 300 },
    );
  });

  function compare(bench: PointsBench, fields: readonly string[]): void {
    const { wire } = bench.measurements;
    const names = [...bench.points.keys()];
    const handles = names.map((name) => bench.measurements.find(name));
    const expected = Object.fromEntries(names.map((name) => [name, plain(bench, name)]));
    const collection = parsed(wire.collection().bytes);
    assert.ok(sameJson(collection, expected));
    for (const object of Object.values(collection)) assert.deepEqual(fitsMeasurement.faults(object), []);
    assert.ok(sameJson(parsed(gathered(wire.selection(handles, undefined))), expected));
    assert.ok(
      sameJson(
        parsed(gathered(wire.array(handles))),
        names.map((name) => expected[name]),
      ),
    );
    const chosen = names.map((name) => {
      const whole: Record<string, unknown> = { description: '', eu: '', ...expected[name] };
      return [name, Object.fromEntries(fields.map((field) => [field, whole[field]]))];
    });
    const selection = gathered(wire.selection(handles, fields)).toString();
    assert.ok(sameJson(JSON.parse(selection), Object.fromEntries(chosen)), selection.slice(0, 300));
    for (const [at, name] of names.entries()) {
      const item = Buffer.alloc(wire.itemLength(handles[at] as number));
      assert.equal(wire.writeItem(handles[at] as number, item, 0), item.length);
      assert.deepEqual(JSON.parse(item.toString().slice(0, -1)), { name, vtq: expected[name]?.vtq });
    }
  }

  test('WI-1: of nothing are an empty object and an empty array', () => {
    const { wire } = new PointsBench().measurements;
    const texts = [
      wire.collection().bytes,
      gathered(wire.selection([], undefined)),
      gathered(wire.selection([-1], ['name'])),
      gathered(wire.array([])),
    ];
    assert.deepEqual(texts.map(String), ['{}', '{}', '{}', '[]']);
  });

  test('WI-1: of commands fit their schema', async () => {
    const commands = new Commands({ clock: new ManualClock(), store: new PlainDisk(), writeToDevice: async () => {} });
    const points: Command[] = datatypes.map((datatype, at) => ({
      name: ['__proto__', 'constructor', 'a'][at] ?? `c${at}`,
      datatype,
    }));
    for (const point of points) commands.put(point);
    await commands.write('__proto__', 'b1');
    await commands.write('c6', `s"${'\u0002'.repeat(60_000)}`);
    const collection = parsed(commands.wire.collection().bytes);
    assert.deepEqual(
      Object.keys(collection),
      points.map(({ name }) => name),
    );
    for (const object of Object.values(collection)) assert.deepEqual(fitsCommand.faults(object), []);
    const bytes = gathered(commands.wire.selection([commands.find('__proto__')], ['vt', ...commandFields.slice(2, 3)]));
    assert.equal(bytes.toString().replace(/\[\d+,\d+\]/, 't'), '{"__proto__":{"vt":["b1",t],"address":""}}');
  });

  test('WI-1: of many thousand points, some gone, are all of them', () => {
    const bench = new PointsBench();
    bench.measurements.putLink('connector', 'c', undefined);
    for (let at = 0; at < 3000; at++) bench.put({ name: `p${at}`, datatype: 'd', connectorName: 'c', address: 'a' });
    bench.measurements.wire.collection().bytes;
    for (let at = 0; at < 3000; at += 3) bench.remove(`p${at}`);
    bench.read('c', ...Array.from(bench.points.keys(), (point, at) => ({ point, value: at / 7 })));
    const collection = parsed(bench.measurements.wire.collection().bytes);
    assert.deepEqual(Object.keys(collection), [...bench.points.keys()]);
    for (const name of bench.points.keys()) assert.deepEqual(collection[name], plain(bench, name));
  });

  test('WI-1: a step of a selection writes few values, in whatever order the points are asked for', () => {
    let written = 0;
    const wire = new WireSlots<{ name: string }>(
      { live: 'vtq', definition: {} },
      (handle) => ({ name: `p${handle}` }),
      (_handle, bytes, at) => {
        written++;
        return at + bytes.write('0', at);
      },
    );
    const count = 20_000;
    for (let handle = 0; handle < count; handle++) wire.put(handle, 1);
    const handles = Array.from({ length: count }, (_, at) => (at * 64) % (count - 32));
    for (const asked of [Array.from(handles.keys()), [...new Set(handles)]]) {
      for (let handle = 0; handle < count; handle++) wire.touch(handle);
      const steps = wire.selection(asked, undefined);
      let most = 0;
      let taken = 0;
      for (let before = written; steps.next().done !== true; before = written) {
        most = Math.max(most, written - before);
        taken++;
      }
      assert.ok(most <= 64 * 64, `${most} values in one step`);
      assert.equal(taken, Math.floor(asked.length / 64));
    }
  });

  test('WI-3: of a text that grows to 64 KiB and shrinks again are right each time, and so are its neighbours', () => {
    const bench = new PointsBench();
    bench.measurements.putLink('connector', 'c', undefined);
    for (const name of ['a', 'b', 'c']) bench.put({ name, datatype: 's', connectorName: 'c', address: name });
    for (const size of [0, 1, 40, 65_536, 3, 21_845, 0]) {
      bench.read('c', { point: 'b', value: 'x'.repeat(size) }, { point: 'c', value: '€'.repeat(size / 3) });
      for (const name of ['a', 'b', 'c']) {
        assert.deepEqual(parsed(bench.measurements.wire.collection().bytes)[name], plain(bench, name));
      }
    }
  });

  test('WI-4: are the same buffer as long as nothing changes, and have another version when something does', () => {
    const bench = new PointsBench();
    bench.measurements.putLink('connector', 'c', undefined);
    bench.measurements.setLink('connector', 'c', true, 1);
    const { wire } = bench.measurements;
    const point: Measurement = { name: 'p', datatype: 'd', connectorName: 'c', address: 'a' };
    const seen = new Set<string>();
    for (const change of [
      () => bench.put(point),
      () => bench.read('c', { point: 'p', value: 1 }),
      () => bench.put({ ...point, description: 'new' }),
      () => bench.measurements.setLink('connector', 'c', false, 2),
      () => bench.remove('p'),
    ]) {
      const before = wire.collection().bytes;
      const { version } = wire;
      assert.equal(wire.collection().bytes, before);
      change();
      assert.notEqual(wire.version, version);
      seen.add(wire.collection().bytes.toString());
    }
    assert.equal(seen.size, 5);
  });
});
