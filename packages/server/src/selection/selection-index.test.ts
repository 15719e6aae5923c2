// Promises of selections: an index gives what a plain filter over all objects gives, whatever was rendered, read and
// simulated before; and it looks at few objects where few are selected.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Selector } from '@telltale/schema';
import fc from 'fast-check';
import {
  alarmSelector,
  type Configured,
  commandSelector,
  isMeant,
  isSelected,
  itemStep,
  newAlarms,
  newCommands,
  newMeasurements,
  run,
  selector,
  step,
  take,
  takeItem,
} from '../../test/random-points.ts';
import { selectableAlarms, selectablePoints } from './selectable.ts';
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

interface Items {
  all(): Iterable<number>;
  definitionAt(handle: number): Configured | undefined;
}

/** Renderings and selections in any order: each selection is what the filter gives. */
async function holdsFor<I extends Items>(
  wanted: fc.Arbitrary<Selector>,
  begin: () => { items: I & Parameters<typeof takeItem>[0]; index: SelectionIndex },
): Promise<void> {
  const stepOrSelector = fc.oneof(
    { weight: 2, arbitrary: itemStep },
    { weight: 1, arbitrary: fc.record({ select: wanted }) },
  );
  const steps = fc.array(stepOrSelector, { maxLength: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(steps, fc.array(wanted, { minLength: 3 }), async (each, last) => {
      const { items, index } = begin();
      const check = (chosen: Selector) => {
        const expected = [...items.all()].filter((handle) =>
          isMeant(items.definitionAt(handle) ?? assert.fail(), chosen),
        );
        expected.sort((a, b) => a - b);
        assert.deepEqual([...run(index.select(chosen))], expected, JSON.stringify(chosen));
      };
      for (const one of each) {
        if ('select' in one) check(one.select);
        else await takeItem(items, one);
      }
      for (const chosen of [...last, {}]) check(chosen);
    }),
    { numRuns: 200 },
  );
}

test('a selection of commands is what a filter over all of them gives, under random renderings and writes', () =>
  holdsFor(commandSelector, () => {
    const items = newCommands();
    return { items, index: new SelectionIndex(selectablePoints(items)) };
  }));

test('a selection of alarms is what a filter over all of them gives, under random renderings and transitions', () =>
  holdsFor(alarmSelector, () => {
    const items = newAlarms();
    return { items, index: new SelectionIndex(selectableAlarms(items)) };
  }));
