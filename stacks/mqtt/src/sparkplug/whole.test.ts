import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, quality, type Value } from '@telltale/schema';
import type { ServedPoint } from '@telltale/stack-kit';
import fc from 'fast-check';
import { arrayBytes, arrayType, elementAt, elementCount } from './array-value.ts';
import { decodePayload } from './decode-payload.ts';
import { encodePayload } from './encode-payload.ts';
import { isDataSet, type Metric, qualityOf, typeOfDatatype } from './metric.ts';
import { readPart } from './metric-part.ts';
import { hasChanged, noteLink } from './sent-point.ts';
import { firstOf, senderOf } from './sent-whole.ts';
import { ServedMetrics } from './served-metrics.ts';

const values: Readonly<Record<Datatype, fc.Arbitrary<Value>>> = {
  b: fc.boolean(),
  q: fc.nat(3),
  i: fc.integer(),
  l: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  f: fc.float({ noNaN: true }),
  d: fc.double({ noNaN: true }),
  s: fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0')),
};
const datatype = fc.constantFrom(...(Object.keys(values) as Datatype[]));

let nextId = 1;
function pointOf(address: string, own: Partial<ServedPoint['point']> = {}, isCommand = false): ServedPoint {
  const [, part] = /\[[0-9]+\](\/?)/.exec(address) ?? [];
  const properties = { ...(part !== undefined && { part: part === '' ? 'element' : 'cell' }) };
  const point = { id: nextId++, name: address, address, datatype: 'd' as Datatype, properties, ...own };
  return { point, isCommand, value: undefined, quality: quality.bad.notConnected, timeUs: 0 };
}

class Node {
  readonly metrics = new ServedMetrics();
  readonly warnings: string[] = [];
  readonly #points: ReadonlyMap<string, ServedPoint>;

  constructor(points: readonly ServedPoint[]) {
    const quiet = () => {};
    const log = { debug: quiet, info: quiet, warn: (text: string) => this.warnings.push(text), error: quiet };
    this.metrics.setPoints(points, log);
    this.#points = new Map(points.map((served) => [served.point.name, served]));
  }

  of(name: string) {
    const served = this.#points.get(name) ?? assert.fail(name);
    return this.metrics.get(served) ?? assert.fail(`${name} is not served`);
  }

  read(name: string, value: Value, seconds: number, own: number = quality.good) {
    const point = this.of(name);
    Object.assign(point.served, { value, quality: own, timeUs: seconds * 1_000_000 });
    noteLink(point);
    return point;
  }

  /** As a host application reads it. */
  birth(seconds: number): Metric[] {
    const all = [...this.metrics.devices.values()].flatMap((device) => this.metrics.birth(device, seconds * 1_000_000));
    return [...decodePayload(encodePayload({ metrics: all })).metrics];
  }
}

const shown = (metric: Metric | undefined, ...parts: string[]) => {
  const own = metric ?? assert.fail('no metric');
  const read = parts.map((part) => readPart(own, part, own.type)?.value);
  return [own.isNull, qualityOf(own), (own.timestampMs ?? 0) / 1000, ...read];
};

describe('an array', () => {
  test('of any datatype is read as it was written, element by element', () => {
    fc.assert(
      fc.property(
        datatype.chain((each) => fc.tuple(fc.constant(each), fc.array(values[each], { maxLength: 40 }))),
        ([each, all]) => {
          const type = arrayType(typeOfDatatype(each)) ?? assert.fail(`no array of ${each}`);
          const value = arrayBytes(type, all);
          const [metric] = decodePayload(encodePayload({ metrics: [{ name: 'A', type, value }] })).metrics;
          const bytes = metric?.value as Uint8Array;
          assert.equal(elementCount(bytes, type), all.length);
          for (const [at, element] of all.entries()) assert.deepEqual(elementAt(bytes, type, at), element);
        },
      ),
    );
  });

  test('of texts does not exist with a text that has a zero in it: the zero ends a text', () => {
    const node = new Node([pointOf('A[0]', { datatype: 's' })]);
    node.read('A[0]', 'x\0y', 1);
    assert.deepEqual(shown(node.birth(2)[0], '[0]'), [true, 0, 1, undefined]);
    node.read('A[0]', 'xy', 2);
    assert.deepEqual(shown(node.birth(3)[0], '[0]'), [false, 192, 2, 'xy']);
  });

  test('is null until each element has a value, then of the worst quality and the newest time', () => {
    const node = new Node([pointOf('A[1]'), pointOf('A[0]')]);
    node.read('A[0]', 1.5, 10);
    assert.deepEqual(shown(node.birth(20)[0], '[0]').slice(0, 2), [true, 0]);
    node.read('A[1]', 2.5, 15);
    assert.deepEqual(shown(node.birth(20)[0], '[0]', '[1]', '[2]'), [false, 192, 15, 1.5, 2.5, undefined]);
    node.read('A[0]', 1.5, 21, quality.uncertain.lastUsableValue);
    assert.deepEqual(shown(node.birth(22)[0], '[0]', '[1]'), [false, 500, 21, 1.5, 2.5]);
    node.read('A[1]', 2.5, 22, quality.bad.sensorFailure);
    assert.deepEqual(shown(node.birth(23)[0], '[0]', '[1]'), [false, 0, 22, 1.5, 2.5]);
  });

  test('is sent whole and once, whatever has changed of it, and its time does not go back', () => {
    const node = new Node([pointOf('A[0]'), pointOf('A[1]'), pointOf('B')]);
    for (const name of ['A[0]', 'A[1]', 'B']) node.read(name, 0, 10);
    node.birth(11);
    const changed = [node.read('A[1]', 0, 10, quality.bad.sensorFailure), node.read('A[0]', 1, 12), node.of('B')];
    assert.deepEqual(changed.map(hasChanged), [true, true, false]);
    const senders = new Set(changed.slice(0, 2).map(senderOf));
    assert.equal(senders.size, 1);
    const [sent, ...others] = node.metrics.data(senders, 30_000_000);
    assert.deepEqual([others.length, sent?.timestampMs, sent?.alias, sent?.type], [0, 30_000, 1, undefined]);
    assert.deepEqual(changed.map(hasChanged), [false, false, false]);
    const [next] = node.metrics.data([senderOf(node.read('A[0]', 2, 20))], 31_000_000);
    assert.equal(next?.timestampMs, 30_000);
  });

  test('counts with all its elements for how much a message has', () => {
    const parts = Array.from({ length: 8 }, (_, at) => pointOf(`A[${at}]`));
    const node = new Node([...parts, pointOf('B'), pointOf('C')]);
    const some = [node.of('B'), node.of('A[0]'), node.of('C')];
    assert.equal(firstOf(some, 5).length, 2);
    assert.equal(firstOf(some, 9).length, 2);
    assert.equal(firstOf(some, 10).length, 3);
  });

  test('has the properties that its elements have alike', () => {
    const both = { eu: 'A', description: 'a current' };
    const node = new Node([pointOf('A[0]', both), pointOf('A[1]', { ...both, description: 'another' })]);
    const [metric] = node.birth(1);
    assert.deepEqual([...(metric?.properties?.keys() ?? [])], ['Quality', 'engUnit']);
  });

  test('has no past: that of an element alone is not that of the array', () => {
    const node = new Node([pointOf('A[0]'), pointOf('B')]);
    assert.deepEqual(
      node.metrics.withPast.map(({ point }) => point.name),
      ['B'],
    );
    const record = { datatype: 'd' as const, value: 1, quality: 0xc0, timeUs: 1 };
    assert.equal(node.metrics.past(node.of('A[0]'), record), undefined);
    assert.ok(node.metrics.past(node.of('B'), record));
  });
});

describe('a data set', () => {
  test('of any columns and rows is read as its points are, cell by cell', () => {
    const column = fc.tuple(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((name) => !/[[\]]/.test(name)),
      datatype,
    );
    const table = fc
      .tuple(
        fc.uniqueArray(column, { selector: ([name]) => name, minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
      )
      .chain(([columns, count]) => {
        const row = fc.tuple(...columns.map(([, each]) => values[each]));
        return fc.tuple(fc.constant(columns), fc.array(row, { minLength: count, maxLength: count }));
      });
    fc.assert(
      fc.property(table, ([columns, rows]) => {
        const cells = rows.flatMap((row, at) =>
          columns.map(([name, each], which) => ({
            address: `D#T[${at}]/${name}`,
            datatype: each,
            value: row[which] as Value,
          })),
        );
        const node = new Node(cells.map(({ address, datatype: each }) => pointOf(address, { datatype: each })));
        for (const { address, value } of cells) node.read(address, value, 1);
        const [metric] = node.birth(2);
        assert.ok(isDataSet(metric?.value));
        assert.deepEqual(
          metric.value.columns,
          columns.map(([name]) => name),
        );
        assert.deepEqual(
          metric.value.types,
          columns.map(([, each]) => typeOfDatatype(each)),
        );
        assert.deepEqual(metric.value.rows, rows);
      }),
    );
  });

  test('has its columns from the beginning, and no rows until each cell has a value', () => {
    const node = new Node([pointOf('T[0]/a'), pointOf('T[0]/b', { datatype: 'i' })]);
    node.read('T[0]/a', 1, 1);
    const [early] = node.birth(2);
    assert.deepEqual(shown(early, '[0]/a'), [false, 0, 2, undefined]);
    assert.ok(isDataSet(early?.value));
    assert.deepEqual([early.value.columns, early.value.types, early.value.rows], [['a', 'b'], [10, 3], []]);
    node.read('T[0]/b', 2, 3);
    assert.deepEqual(shown(node.birth(4)[0], '[0]/a', '[0]/b'), [false, 192, 3, 1, 2]);
  });
});

describe('elements and cells that make no whole', () => {
  const faults: [what: string, points: ServedPoint[], fault: RegExp][] = [
    ['a gap', [pointOf('A[0]'), pointOf('A[2]')], /^the points of A are not served: .*\[1\]/],
    ['no first', [pointOf('A[1]')], /\[0\]/],
    ['several datatypes', [pointOf('A[0]'), pointOf('A[1]', { datatype: 'i' })], /d, i/],
    ['a command', [pointOf('A[0]'), pointOf('A[1]', {}, true)], /A\[1\] is a command, and commands cannot be elements/],
    ['elements and cells', [pointOf('A[0]'), pointOf('A[1]/x')], /others cells/],
    ['one twice', [pointOf('A[0]'), pointOf('#A[0]')], /the same element/],
    ['too many', Array.from({ length: 1001 }, (_, at) => pointOf(`A[${at}]`)), /at most 1000/],
    ['a row without a column', [pointOf('A[0]/x'), pointOf('A[0]/y'), pointOf('A[1]/x')], /\[1\]\/y/],
    ['a row far away', [pointOf('A[999999]/x')], /\[0\]\/x/],
    ['a column of several datatypes', [pointOf('A[0]/x'), pointOf('A[1]/x', { datatype: 's' })], /column x/],
    ['too many cells', Array.from({ length: 10_001 }, (_, at) => pointOf(`A[${at}]/x`)), /at most 10000/],
  ];
  for (const [what, points, fault] of faults) {
    test(`${what}: none of them is served, others are, and it is said once`, () => {
      const node = new Node([...points, pointOf('B')]);
      assert.equal(node.warnings.length, 1);
      assert.match(node.warnings[0] ?? '', fault);
      assert.deepEqual(
        node.birth(1).map(({ name }) => name),
        ['B'],
      );
    });
  }

  test('a metric of the same name: the first is served, whole', () => {
    const first = new Node([pointOf('A'), pointOf('A[0]'), pointOf('A[1]')]);
    assert.deepEqual([first.birth(1).length, first.warnings.length], [1, 2]);
    const last = new Node([pointOf('A[0]'), pointOf('A'), pointOf('A[1]')]);
    assert.deepEqual([last.birth(1).length, last.warnings.length], [1, 1]);
    assert.equal(last.of('A[1]').metric.points.size, 2);
  });
});
