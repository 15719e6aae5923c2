import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StackPoint } from '@telltale/stack-kit';
import fc from 'fast-check';
import { ItemTable } from './item-table.ts';

const settings = {
  samplingIntervalMs: 100,
  publishingIntervalMs: 100,
  queueSize: 1,
  discardOldest: true,
  deadband: undefined,
};

/** Few addresses and settings, so that many points have the same. */
const anyPoint = fc.record({
  id: fc.nat(12),
  name: fc.constantFrom('a', 'b'),
  address: fc.constantFrom('ns=1;i=1', 'ns=1;i=2', 'ns=1;i=3'),
  datatype: fc.constantFrom('d', 'i'),
  properties: fc.constantFrom({}, { samplingInterval: '7' }, { deviceDeadband: '1%' }, { unknown: '7' }),
});
const anyPoints: fc.Arbitrary<StackPoint[]> = fc.uniqueArray(anyPoint, { selector: ({ id }) => id, maxLength: 10 });
/** What has to be the same for an item to go on. */
const ofItem = ({ address, datatype, properties: { unknown: _, ...others } }: StackPoint) =>
  JSON.stringify([address, datatype, others]);

test('as many items go on as there are points for; each is of one point, and those that do not are gone', () => {
  fc.assert(
    fc.property(fc.array(anyPoints, { minLength: 2, maxLength: 5 }), (changes) => {
      const table = new ItemTable(settings);
      for (const points of changes) {
        const before = table.all;
        const were = new Map(before.map((item) => [item, ofItem(item.point)]));
        table.follow(points, []);
        const after = table.all;
        assert.deepEqual(
          after.map(({ point }) => point),
          points,
        );
        assert.equal(new Set(after).size, points.length);
        for (const item of after) {
          assert.equal(table.get(item.point.id), item);
          assert.equal(item.isGone, false);
          if (were.has(item)) assert.equal(were.get(item), ofItem(item.point));
        }
        for (const item of before) assert.equal(item.isGone, !after.includes(item));
        const kinds = Map.groupBy(before, (item) => were.get(item));
        for (const [kind, items] of kinds) {
          const wanted = points.filter((point) => ofItem(point) === kind).length;
          assert.equal(items.filter((item) => after.includes(item)).length, Math.min(wanted, items.length));
        }
      }
    }),
  );
});

test('a point that stays keeps its item, also where another one has the same node', () => {
  const table = new ItemTable(settings);
  const point = (id: number): StackPoint => ({
    id,
    name: `p${id}`,
    address: 'ns=1;i=1',
    datatype: 'd',
    properties: {},
  });
  table.follow([point(1), point(2), point(3)], []);
  const [one, two, three] = table.all;
  table.follow([point(3), point(2), point(4)], []);
  assert.deepEqual([table.get(3), table.get(2), table.get(4)], [three, two, one]);
});
