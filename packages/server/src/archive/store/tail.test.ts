import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from '@telltale/schema';
import fc from 'fast-check';
import { isShown } from '../../../test/store-model.ts';
import { Columns, oldestPlausibleUs, replaces, type Series, type SimulatedFilter, simulated } from '../records.ts';
import { Memtable } from './memtable.ts';
import { tailOf } from './tail.ts';

interface Plain {
  readonly series: number;
  readonly time: number;
  readonly isReplacing: boolean;
  readonly isSimulated: boolean;
}

const series: readonly Series[] = (['d', 'l', 's'] as const).map((datatype, number) => {
  return { number, kind: 'measurements', name: 'level', datatype };
});
const isText = Uint8Array.of(0, 0, 1);
/** What is before 2000 never expires. */
const aTime = fc.integer({ min: oldestPlausibleUs - 4, max: oldestPlausibleUs + 12 });
const aheadUs = oldestPlausibleUs + 1000;

const someRecords = fc.array(
  fc.record({ series: fc.nat(2), time: aTime, isReplacing: fc.boolean(), isSimulated: fc.boolean() }),
  {
    maxLength: 40,
    size: 'max',
  },
);

/** Records whose values say which they are. */
function append(table: Memtable, records: readonly Plain[], first: number): void {
  const batch = new Batch();
  for (const [at, { series: number, time, isReplacing, isSimulated }] of records.entries()) {
    const quality = 0xc0 | (isReplacing ? replaces : 0) | (isSimulated ? simulated : 0);
    if (number === 2) batch.text(number, String(first + at), quality, time);
    // With all its bits: as a double it is none that could be distinguished from others.
    else if (number === 1) batch.long(number, 0x7ff4_0000_0000_0000n + BigInt(first + at), quality, time);
    else batch.number(number, first + at, quality, time);
  }
  table.append(batch, Uint32Array.of(0, 1, 2), isText, aheadUs);
}

/** Which records a tail has. */
function idsOf(tail: ReturnType<typeof tailOf>, { datatype }: Series): number[] {
  if (tail === undefined) return [];
  if (datatype === 's') return tail.texts.map(Number);
  if (datatype === 'd') return [...new Float64Array(tail.numbers)];
  return [...new BigInt64Array(tail.numbers)].map((value) => Number(value - 0x7ff4_0000_0000_0000n));
}

test('a tail has what is committed in its interval, in order of time, without what was erased or replaced', () => {
  const tombstones = fc.record({ sinceUs: aTime, untilUs: aTime, before: fc.nat(40) });
  fc.assert(
    fc.property(
      fc.tuple(someRecords, someRecords, someRecords),
      fc.tuple(aTime, aTime, fc.nat(6), fc.boolean()),
      fc.option(tombstones, { nil: undefined }),
      ([old, fresh, pending], [one, other, expired, needsHead], erased) => {
        const cutOffUs = expired === 0 ? 0 : oldestPlausibleUs + expired;
        const [sinceUs, untilUs] = [Math.min(one, other), Math.max(one, other)];
        const tables = [new Memtable(1, 4), new Memtable(2, 4)] as const;
        append(tables[0], old, 0);
        append(tables[1], fresh, 100);
        for (const table of tables) table.committed = table.count;
        append(tables[1], pending, 200);
        const erasedIn = (table: Memtable) => (table === tables[0] && erased !== undefined ? [erased] : []);
        for (const each of series) {
          const isErased = (time: number, at: number) =>
            erased !== undefined && at < erased.before && time >= erased.sinceUs && time < erased.untilUs;
          const retained = [
            ...old.map((record, at) => ({ ...record, id: at, isErased: isErased(record.time, at) })),
            ...fresh.map((record, at) => ({ ...record, id: 100 + at, isErased: false })),
          ].filter(({ series: number, isErased, time }) => {
            return number === each.number && !isErased && isShown(time, cutOffUs);
          });
          const shown = retained
            .filter(
              ({ time }, at) =>
                !retained.some((later, place) => place > at && later.time === time && later.isReplacing),
            )
            .sort((a, b) => a.time - b.time);
          const inForce = shown.findLast(({ time }) => time < sinceUs);
          const isKnown = inForce !== undefined && (inForce.time >= cutOffUs || sinceUs < oldestPlausibleUs);
          const head = needsHead && isKnown ? [inForce] : [];
          const inside = shown.filter(({ time }) => time >= sinceUs && time < untilUs);
          const tail = tailOf(tables, erasedIn, { series: each, sinceUs, untilUs, needsHead, cutOffUs });
          assert.deepEqual(
            idsOf(tail, each),
            [...head, ...inside].map(({ id }) => id),
          );
        }
      },
    ),
  );
});

test('with a filter, a tail has the newest record before its interval that is wanted, and all that hide older ones', () => {
  fc.assert(
    fc.property(
      fc.tuple(someRecords, someRecords),
      aTime,
      fc.constantFrom<SimulatedFilter>('exclude', 'only'),
      ([old, fresh], sinceUs, filter) => {
        const tables = [new Memtable(1, 4), new Memtable(2, 4)] as const;
        append(tables[0], old, 0);
        append(tables[1], fresh, 100);
        for (const table of tables) table.committed = table.count;
        for (const each of series) {
          const all = [
            ...old.map((record, at) => ({ ...record, id: at })),
            ...fresh.map((record, at) => ({ ...record, id: 100 + at })),
          ].filter(({ series: number, time }) => number === each.number && time < sinceUs);
          const left = all
            .filter(
              ({ time }, at) => !all.some((later, place) => place > at && later.time === time && later.isReplacing),
            )
            .sort((a, b) => a.time - b.time);
          const isWanted = ({ isSimulated }: Plain) => isSimulated === (filter === 'only');
          const newest = left.findLast(isWanted);
          const needed = left.filter((record) => {
            return record === newest || (record.isReplacing && record.time > (newest?.time ?? -1));
          });
          const request = { series: each, sinceUs, untilUs: sinceUs, needsHead: true, cutOffUs: 0, simulated: filter };
          const ids = idsOf(
            tailOf(tables, () => [], request),
            each,
          );
          assert.ok(needed.every(({ id }) => ids.includes(id)));
          const found = left.filter(({ id }) => ids.includes(id));
          assert.equal(found.length, ids.length, 'none is there that was replaced');
          assert.equal(found.findLast(isWanted), newest);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('a table forgets what was not committed, and another one takes over its memory', () => {
  fc.assert(
    fc.property(someRecords, someRecords, (retained, pending) => {
      const table = new Memtable(1, 4);
      append(table, retained, 0);
      table.committed = table.count;
      append(table, pending, 100);
      table.cutBack(aheadUs);
      const plain = new Memtable(1, 4);
      append(plain, retained, 0);
      assert.deepEqual([table.count, table.astray, table.used], [plain.count, plain.astray, plain.used]);
      for (const { number } of series) assert.equal(table.counts[number] ?? 0, plain.counts[number] ?? 0);
      const next = new Memtable(2, 4, table);
      append(next, pending, 100);
      next.committed = next.count;
      for (const each of series) {
        const positions = next.positions(each.number, 0, aheadUs, []);
        const columns = new Columns();
        next.copy(positions, 0, positions.length, each.datatype === 's', columns);
        const times = pending.filter((record) => record.series === each.number).map(({ time }) => time);
        assert.deepEqual([...columns.times.subarray(0, columns.count)], times);
      }
    }),
  );
});
