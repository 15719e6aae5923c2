import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DueQueue } from './due-queue.ts';

const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ set: fc.nat(300), due: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(300) }) },
  { weight: 1, arbitrary: fc.constant({ take: true as const }) },
);

test('whatever is set, moved and taken out, the first is the one that is due first', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 400, size: 'max' }), (steps) => {
      const queue = new DueQueue();
      const model = new Map<number, number>();
      for (const step of steps) {
        if ('set' in step) {
          queue.set(step.set, step.due);
          model.set(step.set, step.due);
        } else {
          const number = 'remove' in step ? step.remove : queue.first;
          if (number >= 0) queue.delete(number);
          model.delete(number);
        }
        assert.equal(queue.size, model.size);
        assert.equal(queue.firstDue, Math.min(Number.POSITIVE_INFINITY, ...model.values()));
        assert.equal(model.get(queue.first), model.size === 0 ? undefined : queue.firstDue);
      }
      for (const number of model.keys()) assert.ok(queue.has(number));
      const taken: number[] = [];
      for (; queue.size > 0; queue.delete(queue.first)) taken.push(queue.firstDue);
      assert.deepEqual(
        taken,
        [...model.values()].sort((a, b) => a - b),
      );
    }),
  );
});
