// Promises of selections: an index gives what a plain filter over all objects gives, whatever was rendered, read and
// simulated before; and it looks at few objects where few are selected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Selector } from '@telltale/schema';
import fc from 'fast-check';
import { isSelected, newMeasurements, run, selector, step, take } from '../../test/random-points.ts';
import { selectablePoints } from './selectable.ts';
import { SelectionIndex } from './selection-index.ts';

describe('a selection of measurements', () => {
  test('is what a filter over all of them gives, under random renderings, readings and simulations', async () => {
    const stepOrSelector = fc.oneof(
      { weight: 11, arbitrary: step },
      { weight: 4, arbitrary: fc.record({ select: selector }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepOrSelector, { maxLength: 60, size: 'max' }),
        fc.array(selector, { minLength: 3 }),
        async (steps, last) => {
          const world = newMeasurements();
          const { measurements } = world;
          const index = new SelectionIndex(selectablePoints(measurements));
          const check = (wanted: Selector) => {
            const expected = [...measurements.all()].filter((handle) =>
              isSelected(measurements.definitionOf(handle), measurements.qualityOf(handle), wanted),
            );
            assert.deepEqual([...run(index.select(wanted))], expected, JSON.stringify(wanted));
          };
          for (const each of steps) {
            if ('select' in each) check(each.select);
            else await take(world, each);
          }
          for (const wanted of last) check(wanted);
          check({});
          measurements.close();
        },
      ),
      { numRuns: 300 },
    );
  });
});
