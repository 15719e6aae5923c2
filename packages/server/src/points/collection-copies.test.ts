import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PointsBench } from '../../test/points-bench.ts';
import type { Lease } from './collection-copies.ts';

type Step =
  | { readonly kind: 'read' }
  | { readonly kind: 'give back'; readonly which: number }
  | { readonly kind: 'change'; readonly point: number; readonly value: string }
  | { readonly kind: 'put'; readonly point: number }
  | { readonly kind: 'remove'; readonly point: number };

const point = fc.nat({ max: 200 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'read' } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('give back' as const), which: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('change' as const), point, value: fc.string({ maxLength: 100 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('put' as const), point }),
      fc.record({ kind: fc.constant('remove' as const), point }),
    ),
  },
);

interface Reading {
  readonly lease: Lease;
  readonly text: string;
}

test('what was lent stays as it is until it is given back, and what is lent is what there is', () => {
  const history = (steps: readonly Step[]) => {
    const bench = new PointsBench();
    const { measurements } = bench;
    measurements.putLink('connector', 'c', undefined);
    const reading: Reading[] = [];
    const name = (number: number) => `m${number}`;
    for (let number = 0; number < 150; number++) {
      bench.put({ name: name(number), datatype: 's', connectorName: 'c', address: 'a' });
    }
    for (const each of steps) {
      if (each.kind === 'read') {
        const lease = measurements.wire.collection();
        const text = lease.bytes.toString();
        const plain = [...bench.points.keys()].map((known) => [known, bench.vtq(known)[0]]);
        const read = JSON.parse(text) as Record<string, { vtq: unknown[] }>;
        assert.deepEqual(
          Object.fromEntries(plain),
          Object.fromEntries(Object.keys(read).map((k) => [k, read[k]?.vtq[0]])),
        );
        reading.push({ lease, text });
      } else if (each.kind === 'give back') {
        reading.splice(each.which % Math.max(1, reading.length), 1)[0]?.lease.release();
      } else if (each.kind === 'put') {
        bench.put({ name: name(each.point), datatype: 's', connectorName: 'c', address: 'a' });
      } else if (each.kind === 'remove') bench.remove(name(each.point));
      else if (each.kind === 'change' && bench.points.has(name(each.point)))
        bench.read('c', { point: name(each.point), value: each.value });
      for (const { lease, text } of reading) assert.equal(lease.bytes.toString(), text);
    }
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 60, size: 'max' }), history), { numRuns: 60 });
});

test('a copy that was given back is lent again', () => {
  const bench = new PointsBench();
  bench.put({ name: 'm', datatype: 'd' });
  const { wire } = bench.measurements;
  const first = wire.collection();
  first.release();
  bench.put({ name: 'm', datatype: 'd', description: 'x' });
  bench.put({ name: 'm', datatype: 'd' });
  const second = wire.collection();
  assert.equal(second.bytes.buffer, first.bytes.buffer);
  assert.notEqual(wire.collection(), first);
});
