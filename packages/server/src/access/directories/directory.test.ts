// Promises of how many may ask a directory at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { DirectoryTurns } from './directory.ts';

test('so many ask at once, so many wait, the others are refused; a failure gives its place back', async () => {
  const turns = new DirectoryTurns({ atOnce: 2, waiting: 1 });
  const asked: PromiseWithResolvers<string>[] = [];
  const ask = () =>
    turns.take(() => {
      const answer = Promise.withResolvers<string>();
      asked.push(answer);
      return answer.promise;
    });
  const answers = [ask(), ask(), ask()];
  await assert.rejects(ask(), (error) => error instanceof ProblemError && error.problem === 'overloaded');
  assert.equal(asked.length, 2);
  asked[0]?.reject(new Error('down'));
  await assert.rejects(answers[0] ?? Promise.resolve(), /down/);
  const next = ask();
  asked[1]?.resolve('second');
  assert.equal(await answers[1], 'second');
  await new Promise(setImmediate);
  asked[2]?.resolve('third');
  asked[3]?.resolve('fourth');
  assert.deepEqual(await Promise.all([answers[2], next]), ['third', 'fourth']);
});
