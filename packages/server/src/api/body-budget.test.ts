// Promises of the bytes of bodies that are held at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import fc from 'fast-check';
import { BodyBudget, type HeldBody } from './body-budget.ts';

const MiB = 1 << 20;
const largest = 64 * MiB;
const isOverload = (error: unknown) => error instanceof ProblemError && error.problem === 'overloaded';

function holds(budget: BodyBudget, bytes: number): HeldBody {
  const body = budget.open();
  body.expect(bytes);
  body.hold(bytes);
  return body;
}

test('one body of the greatest length fits, and no second beside it; when it is done with, the next does', () => {
  const budget = new BodyBudget(largest);
  const first = holds(budget, largest);
  assert.throws(() => holds(budget, largest), isOverload);
  assert.equal(budget.refused, 1);
  first.close();
  assert.equal(budget.held, 0);
  holds(budget, largest);
});

test('beside large bodies there is room for small ones, and a large one has it beside some small ones', () => {
  const budget = new BodyBudget(largest);
  for (let count = 0; count < 16; count++) holds(budget, MiB);
  holds(budget, largest);
  for (let count = 0; count < 16; count++) holds(budget, MiB);
  assert.throws(() => holds(budget, MiB), isOverload);
});

test('beside the largest body, one that is not small has a quarter of its length at most', () => {
  const budget = new BodyBudget(largest);
  holds(budget, largest);
  assert.throws(() => holds(budget, largest / 4 + 1), isOverload);
  holds(budget, largest / 4);
  assert.throws(() => holds(budget, MiB + 1), isOverload);
  holds(budget, MiB);
});

test('a length that is only said keeps nobody out', () => {
  const budget = new BodyBudget(largest);
  for (let count = 0; count < 1000; count++) budget.open().expect(largest);
  holds(budget, largest);
});

test('whatever comes and goes, no more than one and a half of the largest are held, and in the end nothing', () => {
  const step = fc.record({ body: fc.nat(9), bytes: fc.nat(8 * MiB), isDone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const budget = new BodyBudget(largest);
      const bodies = Array.from({ length: 10 }, () => budget.open());
      for (const { body, bytes, isDone } of steps) {
        try {
          bodies[body]?.hold(bytes);
        } catch (error) {
          assert.ok(isOverload(error));
          bodies[body]?.close();
        }
        if (isDone) bodies[body]?.close();
        assert.ok(budget.held >= 0 && budget.held <= 1.5 * largest);
      }
      for (const body of bodies) body.close();
      assert.equal(budget.held, 0);
    }),
  );
});
